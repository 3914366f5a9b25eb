"""The grammar backwards: what the table can say is understood as it was meant."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import pytest

from actors.interpreter.grammar.generating import (
    COUNTS,
    Generator,
    Utterance,
    fillers,
    utterances,
)
from actors.interpreter.grammar.surrounding import Surroundings
from actors.interpreter.grammar.templates import Choice, Element, Optional, Slot, Words
from tests.test_grammar import GRAMMAR

SHOWN = 20
Sayings = Callable[[], Iterator[Utterance]]
AROUND = Surroundings.of(GRAMMAR.table)


def misread(said: Iterable[Utterance]) -> str:
    """List the sentences that do not mean what they were made to mean; empty if all do."""
    wrong = [
        f"{each.text}\n  of    {each.says}\n  meant {each.drafts}\n  read  {read}"
        for each in said
        if (read := GRAMMAR.parse(each.text, on_page=each.frame.page_only)) != each.drafts
    ]
    return "\n".join([*wrong[:SHOWN], f"{len(wrong)} in all"]) if wrong else ""


def test_every_sentence_of_the_table_parses_back_to_its_goals() -> None:
    assert not misread(utterances(GRAMMAR.table))


@pytest.mark.parametrize("around", [AROUND.placed, AROUND.polite, AROUND.joined])
def test_a_sentence_keeps_its_goals_among_other_words(around: Sayings) -> None:
    assert not misread(around())


def test_every_alternative_of_every_template_is_said() -> None:
    said: dict[str, set[str]] = {}
    for each in utterances(GRAMMAR.table):
        padded = f" {' '.join(each.variant.words)} "
        said.setdefault(each.says, set()).add(padded)
    generator = Generator(GRAMMAR.table, fillers())
    for frame in GRAMMAR.table.phrases.frame:
        for says in frame.says:
            counted = COUNTS if frame.many else frozenset()
            for saying in set(sayings(generator.compiled(says).elements)) - counted:
                assert any(f" {saying} " in text for text in said[says]), (says, saying)


def sayings(elements: Sequence[Element]) -> Iterator[str]:
    """Give all words that a template may hold."""
    for element in elements:
        match element:
            case Words(all_):
                yield from (" ".join(saying) for listed in all_.values() for saying in listed)
            case Optional(inner):
                yield from sayings(inner)
            case Choice(branches):
                yield from (saying for branch in branches for saying in sayings(branch))
            case Slot():
                pass


def test_the_same_table_says_the_same_sentences() -> None:
    again = [each.text for each in utterances(GRAMMAR.table)]
    assert [each.text for each in utterances(GRAMMAR.table)] == again


def test_every_goal_that_can_be_said_is_generated() -> None:
    said = {
        f"{draft.domain}.{draft.verb}"
        for each in utterances(GRAMMAR.table)
        for draft in each.drafts
    }
    assert said >= {goal for frame in GRAMMAR.table.phrases.frame for goal in frame.all_goals()}
