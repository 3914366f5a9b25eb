"""No word is lost: what of a sentence became part of a goal, and what was passed over.

A word is in a goal, or says nothing (the closed list ``Compiled.empty_words``, and whole sayings of
noise), or stands in a clause that asks for nothing: a statement, a purpose, something not to be
done. Those are named. What would restrict a goal is never passed over (``restricting``).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from actors.interpreter.grammar.context import Context, keys_of
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.readings import Clause, Reading, Span
from actors.interpreter.grammar.sentence import HARD, Tok

JOINTS = LITTLE.joints | LITTLE.sequence | LITTLE.polite
TAKEN_BACK = "it takes something back, or is one of two; say it again as it is meant"


@dataclass(frozen=True, slots=True)
class Account:
    """The words of one sentence, and the clauses that were read in it."""

    context: Context
    clauses: Sequence[Clause]

    @property
    def toks(self) -> list[Tok]:
        return self.context.sentence.toks

    def passed_over(self) -> tuple[str, ...]:
        """Give the words that no goal has and that are no empty words, in the order of the text."""
        used = self.used()
        if len(used) == len(self.toks):
            return ()
        runs = [self.without_joints(*run) for run in self.runs(used) if not self.is_empty(*run)]
        return tuple(self.context.sentence.said(at, end) for at, end in runs)

    def without_joints(self, at: int, end: int) -> Span:
        """Leave out what only joins a run to the words around it."""
        while end - at > 1 and self.toks[at].key in JOINTS:
            at += 1
        while end - at > 1 and self.toks[end - 1].key in JOINTS:
            end -= 1
        return at, end

    def used(self) -> set[int]:
        """Give the places of the tokens that became part of a goal."""
        acting = [each for each in self.clauses if isinstance(each, Reading) and not each.negated]
        used: set[int] = set()
        for reading in acting:
            used.update(range(reading.start, reading.end))
        # Of a list, what one member passes over may be another member.
        if not any(reading.passed for reading in acting):
            return used
        for reading in acting:
            for span in reading.passed:
                used.difference_update(range(*span))
        for reading in acting:
            for _, at, end in reading.fit:
                if (at, end) not in reading.passed:
                    used.update(range(at, end))
        return used

    def runs(self, used: set[int]) -> Iterator[Span]:
        """Give the runs of tokens that are not used; none goes over the end of a sentence."""
        begin: int | None = None
        for at, token in enumerate(self.toks):
            if begin is not None and (at in used or token.parted == HARD):
                yield begin, at
                begin = None
            if begin is None and at not in used:
                begin = at
        if begin is not None:
            yield begin, len(self.toks)

    def is_empty(self, at: int, end: int) -> bool:
        """Tell whether a run has nothing but empty words and whole sayings of noise."""
        empty, sayings = self.context.table.empty_words, self.context.table.noise_sayings
        index = at
        while index < end:
            length = sayings.length_at(self.toks, index, end)
            if length == 1 and not self.stands_apart(index, at, end):
                length = 0  # "note" by itself says nothing, "the file note" may
            token = self.toks[index]
            if not length and (token.quoted is not None or token.key not in empty):
                return False
            index += length or 1
        return True

    def stands_apart(self, index: int, at: int, end: int) -> bool:
        """Tell whether a word of a run has nothing but empty words around it, up to a comma."""
        empty, last = self.context.table.empty_words, index + 1
        while index > at and not self.toks[index].parted and self.toks[index - 1].key in empty:
            index -= 1
        while last < end and not self.toks[last].parted and self.toks[last].key in empty:
            last += 1
        begins = index == at or bool(self.toks[index].parted)
        return begins and (last == end or bool(self.toks[last].parted))

    def taken_back(self) -> Span | None:
        """Find a clause that is said instead of the one before it: "..., otherwise delete b"."""
        if len(self.clauses) == 1:
            return None
        before: Reading | None = None
        for clause in self.clauses:
            if not isinstance(clause, Reading):
                continue
            between = self.toks[before.end : clause.start] if before is not None else []
            if keys_of(between) & LITTLE.otherwise and before is not None and not before.negated:
                return clause.start, clause.end
            before = clause
        return None
