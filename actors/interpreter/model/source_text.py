"""What the user said: the words, which of them are negated, and where a value stands in them.

A model only points: what it answers is looked for in the text, and the user's own spelling is
taken from there. What is not there was not said.
"""

import re
from dataclasses import dataclass
from typing import Self

from actors.interpreter.model.cautions import CAUTIONS
from actors.interpreter.model.negation import negated_spans
from actors.interpreter.model.numbers import NUMBERS, quantities
from actors.interpreter.model.words import CLOSING, OPENING, Word, blanked, quoted_in, words_in
from actors.language.words import fold

QUESTION = re.compile(r"\?(?=\s|$)")
# What no plain word looks like.
FORMED = re.compile(r"\w[./\\:@]\w|\d|^[~./]")
NEGATED = "\0"  # no word, so that no number goes on across what is negated
OPENED, CLOSED = re.escape(OPENING), re.escape(CLOSING)


@dataclass(frozen=True, slots=True)
class Literal:
    """A part of a text that can only be meant as it is; ``values`` if it is a number."""

    text: str
    values: frozenset[float] = frozenset()


@dataclass(frozen=True, slots=True)
class SourceText:
    """A text, read as words; ``plain`` is the text with what is quoted blanked out."""

    text: str
    plain: str
    words: tuple[Word, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        plain = blanked(text)
        return cls(text, plain, tuple(words_in(text, negated_spans(plain))))

    def negates(self) -> bool:
        """Tell whether some of it is not to be done."""
        return any(word.negated for word in self.words)

    def all_negated(self) -> bool:
        """Tell whether nothing is left to do."""
        return all(word.negated for word in self.words)

    def asks(self) -> bool:
        """Tell whether it is a question, other than a polite command."""
        polite = fold(self.text).startswith(CAUTIONS.polite.openings)
        return not polite and QUESTION.search(self.plain) is not None

    def spelled(self, value: str) -> str | None:
        """Give a value as the user spelled it, outside of what is negated; None if nowhere."""
        wanted = [word.key for word in words_in(value)]
        for start in range(len(self.words) - len(wanted) + 1 if wanted else 0):
            found = self.words[start : start + len(wanted)]
            if [word.key for word in found] == wanted and not any(word.negated for word in found):
                return self.cut(value, found[0].start, found[-1].end)
        return None

    def cut(self, value: str, start: int, end: int) -> str:
        """Cut a value out of the text, with the marks around it that are the value's own."""
        before, _, after = fold(value).partition(fold(self.text[start:end]))
        if before and fold(self.text[:start]).endswith(before):
            start -= len(before)
        if after and fold(self.text[end:]).startswith(after):
            end += len(after)
        return self.text[start:end]

    def holds(self, value: str) -> bool:
        """Tell whether a value was typed exactly so, as words of its own and not negated."""
        bounded = rf"(?<![^\s{OPENED}]){re.escape(value)}(?![^\s{CLOSED}])"
        return re.search(bounded, self.text) is not None and self.spelled(value) is not None

    def quotes(self, value: str) -> bool:
        """Tell whether a value was put in quotes."""
        return value in quoted_in(self.text)

    def number_values(self) -> dict[int, frozenset[float]]:
        """Give the values of the numbers that were said, by where each of their words begins."""
        keys: list[str] = []
        starts: list[int] = []
        for word in self.words:
            parts = [NEGATED] if word.negated else number_words(word.key)
            keys.extend(parts)
            starts.extend([word.start] * len(parts))
        return {
            start: quantity.values
            for quantity in quantities(keys)
            for start in starts[quantity.start : quantity.end]
        }

    def numbers(self) -> frozenset[float]:
        """Give the numbers that were said, in any notation, outside of what is negated."""
        return frozenset[float]().union(*self.number_values().values())

    def literals(self) -> list[Literal]:
        """Give what was said in a form that can only be meant as it is: quotes, names, numbers."""
        words = words_in(self.plain, negated_spans(self.plain))
        formed = [word for word in words if FORMED.search(word.key) and not word.negated]
        values = self.number_values()
        nothing = frozenset[float]()
        quoted = [Literal(each) for each in quoted_in(self.text) if each.strip()]
        return quoted + [
            Literal(self.text[word.start : word.end], values.get(word.start, nothing))
            for word in formed
        ]


def number_words(key: str) -> list[str]:
    """Cut a number in words at its hyphens.

    >>> number_words("twenty-five"), number_words("check-in")
    (['twenty', 'five'], ['check-in'])
    """
    parts = key.split("-")
    known = NUMBERS.cardinals.keys() | NUMBERS.scales.keys() | {"and"}
    return parts if len(parts) > 1 and known.issuperset(parts) else [key]
