"""The words that people have for files, and a cursor that reads a text word by word.

The words themselves are data: ``files.toml``. A cursor knows nothing of files; the readers of
sizes, names and sets are made on it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

import msgspec

from actors.language.tokens import scan

AT_COMMAS = re.compile(r"[^,]+|,")
WRITTEN = re.compile(r"[^,\s]*[^,\s.]\.\w{1,12}|\*\.\w{1,12}")  # a name with its ending
LONGEST_NUMBER = 6
# They say which, or which not, and name nothing.
NO_NAMES = frozenset({"no", "not", "none", "any", "every", "each", "nothing", "neither", "only"})

Sayings = Mapping[str, tuple[tuple[str, ...], ...]]


@cache
def table() -> Mapping[str, Sayings]:
    """Read the table: the sayings of each part by their first word, the longest first."""
    text = (files(__package__) / "files.toml").read_bytes()
    parts = msgspec.toml.decode(text, type=dict[str, dict[str, list[str]]])
    return {
        f"{part}.{meaning}": by_first_word(sayings)
        for part, rows in parts.items()
        for meaning, sayings in rows.items()
    }


def by_first_word(sayings: Sequence[str]) -> Sayings:
    found: dict[str, list[tuple[str, ...]]] = {}
    for saying in sayings:
        words = tuple(saying.split())
        found.setdefault(words[0], []).append(words)
    return {first: tuple(sorted(some, key=len, reverse=True)) for first, some in found.items()}


@cache
def words_for(part: str) -> frozenset[str]:
    """Give the sayings of a part of the table."""
    return frozenset(" ".join(saying) for some in table()[part].values() for saying in some)


@cache
def counts() -> Mapping[str, int]:
    """Give the numbers that are said in words."""
    parts = (part for part in table() if part.startswith("numbers."))
    return {word: int(part.partition(".")[2]) for part in parts for word in words_for(part)}


@cache
def time_words() -> frozenset[str]:
    """Give the words that a time may begin with."""
    return frozenset(table()["times.days"]) | frozenset(table()["months.known"])


class Word(msgspec.Struct, frozen=True):
    """A word as it was said, or a quoted text; ``raw`` is with the brackets around it."""

    text: str
    quoted: bool = False
    raw: str = ""

    @property
    def key(self) -> str:
        return "" if self.quoted else self.text.casefold()


def words_in(text: str) -> list[Word]:
    """Cut a text into words; what is quoted stays whole, a comma or a colon is a word."""
    bare = text.strip().rstrip(".?!;:")
    found: list[Word] = []
    for start, end, quoted in scan(bare):
        if quoted is not None:
            found.append(Word(quoted, quoted=True))
            continue
        for piece in cut_at_commas(bare[start:end]):
            word = piece.strip("()")
            is_led = word.endswith(":") and len(word) > len("c:")
            found += [Word(word.rstrip(":") if is_led else word, raw=piece)] if word else []
            found += [Word(":")] if is_led else []
    return found


def cut_at_commas(run: str) -> list[str]:
    """Cut "a.txt,b.txt" into names; a comma within one name, "a,b.txt", is part of it."""
    inner = run.rstrip(",")
    parts = inner.split(",")
    if len(parts) > 1 and not all(map(WRITTEN.fullmatch, parts)):
        return [inner, *run[len(inner) :]]
    return AT_COMMAS.findall(run)


@dataclass
class Cursor:
    """Reads words from left to right; what does not fit gives its words back."""

    words: Sequence[Word]
    endings: frozenset[str]
    at: int = 0

    @cached_property
    def table(self) -> Mapping[str, Sayings]:
        return table()

    @cached_property
    def keys(self) -> tuple[str, ...]:
        return tuple(word.key for word in self.words)

    @cached_property
    def key_set(self) -> frozenset[str]:
        return frozenset(self.keys)

    def key(self, ahead: int = 0) -> str:
        at = self.at + ahead  # asked for so often that a further call would be felt
        return self.keys[at] if 0 <= at < len(self.keys) else ""

    def key_at(self, at: int) -> str:
        return self.keys[at] if 0 <= at < len(self.keys) else ""

    @property
    def is_over(self) -> bool:
        return self.at >= len(self.words)

    def says(self, part: str) -> bool:
        """Read one of the sayings of a part of the table, the longest that stands here."""
        keys, at = self.keys, self.at
        if not 0 <= at < len(keys):
            return False
        for saying in self.table[part].get(keys[at], ()):
            end = self.at + len(saying)
            if end <= len(self.words) and self.keys[self.at : end] == saying:
                self.at = end
                return True
        return False

    def skip(self, *parts: str) -> None:
        again = True
        while again:
            again = False
            for part in parts:
                again = again or self.says(part)

    def skip_commas(self) -> None:
        while self.key() == ",":
            self.at += 1

    def read_name(self) -> str:
        """Read one name: a quoted text, or a word as it was said."""
        if self.is_over or self.key() == "," or self.key() in NO_NAMES:
            return ""
        word = self.words[self.at]
        self.at += 1
        return word.text

    def read_count(self) -> int:
        """Read a number in figures or in words; 0 if there is none."""
        said = self.key()
        plain = int(said) if said.isdecimal() and len(said) <= LONGEST_NUMBER else 0
        number = counts().get(said, 0) or plain
        self.at += 1 if number else 0
        return number

    def text_between(self, begin: int, end: int) -> str:
        words = self.words[begin:end]
        return " ".join(f'"{word.text}"' if word.quoted else word.text for word in words)
