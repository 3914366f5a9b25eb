"""Cutting a text into words as a model's values are compared with them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from actors.language.words import fold

Span: TypeAlias = tuple[int, int]

QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)|‘[^’]*’(?!\w)|`[^`]*`")
# What may stand before or after a word without being part of it. A dot before a word is part of
# a name (.bashrc), and so is one inside of it; a dot after it ends a sentence.
OPENING = "\"'`“‘«([{<,;:"
CLOSING = "\"'`”’»)]}>,;:.!?…%"
WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Word:
    """One word as it is compared, and where it stands without the marks around it."""

    key: str
    start: int
    end: int
    negated: bool = False


def words_in(text: str, negated: Sequence[Span] = ()) -> list[Word]:
    """Cut a text into words without the marks around them."""
    words = []
    for found in WORD.finditer(text):
        start, end = bare_span(text, *found.span())
        if start < end:
            inside = any(first <= start < last for first, last in negated)
            words.append(Word(fold(text[start:end]), start, end, inside))
    return words


def bare_span(text: str, start: int, end: int) -> Span:
    """Leave out the marks at both ends."""
    while start < end and text[start] in OPENING:
        start += 1
    while end > start and text[end - 1] in CLOSING:
        end -= 1
    return start, end


def blanked(text: str) -> str:
    """Give a text with what is quoted blanked out: nothing in it is said, it is only named."""
    return QUOTED.sub(lambda quoted: " " * len(quoted[0]), text)


def quoted_in(text: str) -> list[str]:
    """Give what is quoted, without the quotes."""
    return [found[0][1:-1] for found in QUOTED.finditer(text)]
