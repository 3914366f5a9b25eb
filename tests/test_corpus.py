"""Thousands of sentences about hundreds of invented worlds: what must be bound, or which code."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from actors.interpreter.words.splitting import NotSplit, splitter_for
from actors.target_resolver.engine import resolve
from messages.targets import Options, Query, Success
from tests.corpus import Binds, Case, Expected, Fails, NoVerb, Sample, corpus

WORLDS = 320
ENOUGH_COMMANDS = 6_000
OVERALL, EACH = 0.99, 0.97


@dataclass(frozen=True, slots=True)
class Answered:
    """A sentence, what came of it, and in which world."""

    seed: int
    case: Case
    answer: Expected

    @property
    def is_right(self) -> bool:
        return same(self.case.expected, self.answer)


def same(expected: Expected, answer: Expected) -> bool:
    """Compare answers; what is offered counts only where it is known."""
    if isinstance(expected, Fails) and isinstance(answer, Fails) and expected.offered is None:
        return expected.code is answer.code
    return expected == answer


def answer(sample: Sample) -> Iterator[Expected]:
    """Say every sentence of a world to the real splitter and the real engine."""
    splitter = splitter_for(sample.verbs)
    for case in sample.cases:
        readings = splitter.split(case.text)
        if isinstance(readings, NotSplit):
            yield NoVerb()
            continue
        options = Options(recent=case.recent)
        outcome = resolve(Query(readings, sample.verbs, sample.world, options)).outcome
        if not isinstance(outcome, Success):
            yield Fails(outcome.code, frozenset(option.target.id for option in outcome.options))
            continue
        pairs = [
            (
                bound.direct_target and bound.direct_target.id,
                bound.indirect_target and bound.indirect_target.id,
            )
            for bound in outcome.bindings
        ]
        assert len(pairs) == len(set(pairs)), case.text
        yield Binds(frozenset(pairs), outcome.rule_id, outcome.relation_token_canonical)
