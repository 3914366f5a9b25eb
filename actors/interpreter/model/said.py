"""What the user said: the words, which of them are negated, and where a value stands in them.

A model only points: what it answers is looked for in the text, and the user's own spelling is
taken from there. What is not there was not said.
"""

import re
from dataclasses import dataclass
from typing import Self

from actors.interpreter.model.cautions import CAUTIONS
from actors.interpreter.model.negation import negated_spans
from actors.interpreter.model.words import CLOSING, OPENING, Word, blanked, quoted_in, words_in
from actors.words import fold

QUESTION = re.compile(r"\?(?=\s|$)")
# Digits with a unit of up to three letters, and what no plain word looks like.
NUMBER = re.compile(r"(\d+(?:\.\d+)?)[^\W\d]{0,3}")
FORMED = re.compile(r"\w[./\\:@]\w|\d|^[~./]")
OPENED, CLOSED = re.escape(OPENING), re.escape(CLOSING)


@dataclass(frozen=True, slots=True)
class Said:
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

    def numbers(self) -> set[float]:
        """Give the numbers that were said, in digits or in words, outside of what is negated."""
        keys = [word.key for word in self.words if not word.negated]
        digits = [float(found[1]) for key in keys if (found := NUMBER.fullmatch(key))]
        return {*digits, *(number for key in keys if (number := in_words(key)) is not None)}

    def literals(self) -> list[str]:
        """Give what was said in a form that can only be meant as it is: quotes, names, numbers."""
        words = words_in(self.plain, negated_spans(self.plain))
        formed = [word for word in words if FORMED.search(word.key) and not word.negated]
        spelled = (self.text[word.start : word.end] for word in formed)
        unitless = (found[1] if (found := NUMBER.fullmatch(each)) else each for each in spelled)
        return [literal for literal in (*quoted_in(self.text), *unitless) if literal.strip()]


def in_words(word: str) -> float | None:
    """Read a number in words.

    >>> in_words("twenty-five"), in_words("fifty"), in_words("many")
    (25, 50, None)
    """
    tens, hyphen, ones = word.partition("-")
    numbers = CAUTIONS.numbers
    if hyphen:
        return numbers[tens] + numbers[ones] if {tens, ones} <= numbers.keys() else None
    return numbers.get(tens)
