"""Questions about what is listed: how many, which, what of whom, the most, the sum.

A question is read into what is asked (``ask``) and its words in their order. Which of them name a
column, a value or the things themselves is known only where the records are.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from actors.language.words import fold

Ask = Literal["count", "which", "value", "sum", "average", "is"]
WORD = re.compile(r"(?:[^\s,;?!()\"“”]|(?<=\d),(?=\d))+")
MOST_WORDS, MOST_OF_PHRASE = 30, 7
ENDS = ".,:;?!"


class QuestionTable(msgspec.Struct, frozen=True):
    """How people ask, as it is written in ``questions.toml``."""

    polite: tuple[str, ...]
    count: tuple[str, ...]
    sum: tuple[str, ...]
    average: tuple[str, ...]
    asking: tuple[str, ...]
    yes_or_no: tuple[str, ...]
    function: frozenset[str]
    filler: frozenset[str]
    light: frozenset[str]
    negations: frozenset[str]
    denying: frozenset[str]
    nothing: frozenset[str]
    joined: frozenset[str]
    counting: frozenset[str]
    aging: frozenset[str]
    since: tuple[str, ...]
    persons: frozenset[str]
    naming: frozenset[str]
    none_left: frozenset[str]
    some_left: frozenset[str]
    left: tuple[str, ...]
    helping: frozenset[str]
    spans: frozenset[str]
    generic: frozenset[str]
    opposites: tuple[tuple[str, str], ...]
    adding: frozenset[str]
    amounts_asked: frozenset[str]
    summaries: frozenset[str]
    ticked: frozenset[str]
    unticked: frozenset[str]
    places: frozenset[str]
    titles: frozenset[str]
    marks: frozenset[str]
    columns: Mapping[str, tuple[str, ...]]
    columns_of_asking: Mapping[str, tuple[str, ...]]
    most: Mapping[str, tuple[str, ...]]
    graded: Mapping[str, tuple[str, ...]]
    least: Mapping[str, tuple[str, ...]]
    bounds: Mapping[str, tuple[str, ...]]
    bounds_behind: Mapping[str, str]
    measures: Mapping[str, tuple[str, ...]]
    units: Mapping[str, tuple[str, ...]]

    def measures_of(self, extreme: str) -> tuple[str, ...]:
        """Give the columns that the most or the least of something may be about."""
        tables = (self.most, self.least, self.graded)
        return next((table[extreme] for table in tables if extreme in table), ())


@cache
def question_words() -> QuestionTable:
    text = (files(__package__) / "questions.toml").read_bytes()
    return msgspec.toml.decode(text, type=QuestionTable)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, the word that asks, and all words behind it, in their order.

    ``literal`` are the words with that for the most or the least among them: it may be part of a
    name ("first aid").
    """

    ask: Ask
    asking: str
    words: tuple[str, ...]
    literal: tuple[str, ...] = ()
    extreme: int = 0  # 1 for the most of something, -1 for the least
    extreme_word: str = ""
    is_total: bool = False

    @property
    def is_surely_extreme(self) -> bool:
        """Tell whether the most or least is asked for by a word that counts nothing."""
        return self.extreme != 0 and self.extreme_word not in question_words().counting


def read_question(text: str) -> Question | None:
    """Read a question about what is listed; None if it is none."""
    table = question_words()
    words = [word.strip(ENDS) for word in WORD.findall(fold(text).replace("’", "'"))]
    words = [word for each in words if each for word in parted(each)]
    if not words or len(words) > MOST_WORDS:
        return None
    words = without_start(words, table.polite)
    for saying in sorted(table.count, key=len, reverse=True):
        if starts_with(words, saying):
            return told("count", saying, words[len(saying.split()) :], table)
    for saying in sorted((*table.asking, *table.yes_or_no), key=len, reverse=True):
        if starts_with(words, saying):
            ask: Ask = "is" if saying in table.yes_or_no else "value"
            if saying == "when" and words[1] not in {*table.yes_or_no, "should", "would"}:
                return None  # "when Taxes is due" says when something is to be done
            if saying in {"which", "who", "whose", "in which", "on which", "for which"}:
                ask = "which"
            return told(ask, saying, words[len(saying.split()) :], table)
    first = words[1] if words[0] == "the" and len(words) > 1 else words[0]
    is_fragment = text.rstrip().endswith("?") and is_phrase(text, words)
    if first in {*table.sum, *table.average} or is_fragment:
        return told("value", "what", words, table)
    return None


def is_phrase(text: str, words: list[str]) -> bool:
    """Tell whether a text is no sentence: "population of Greaton?"."""
    return len(words) <= MOST_OF_PHRASE and ". " not in text


def parted(word: str) -> list[str]:
    """Part "Olaf's" into the name and what shows that something is of it."""
    if word.endswith("'s") and word not in {"what's", "who's", "where's", "when's", "it's"}:
        return [word[:-2], "'s"]
    return [word]


def without_start(words: list[str], sayings: tuple[str, ...]) -> list[str]:
    while found := next((each for each in sayings if starts_with(words, each)), None):
        words = words[len(found.split()) :]
    return words


def starts_with(words: list[str], saying: str) -> bool:
    parts = saying.split()
    return words[: len(parts)] == parts and len(words) > len(parts)


def told(ask: Ask, asking: str, words: list[str], table: QuestionTable) -> Question | None:
    """Find out whether a sum, an average, the most or the least is asked for."""
    rest = list(words)
    added = next((each for each in rest if each in table.sum), None)
    if added is not None and ask in {"count", "value"}:
        rest.remove(added)
        is_count = ask == "count"
        asked: Ask = "count" if is_count else "sum"
        return Question(asked, asking, tuple(rest), is_total=is_count) if rest else None
    if (found := next((each for each in rest if each in table.average), None)) and ask == "value":
        rest.remove(found)
        return Question("average", asking, tuple(rest)) if rest else None
    sign, word = 0, ""
    for at, each in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else ""
        if each in {"most", "least"} and following in table.graded:
            sign, word = (1 if each == "most" else -1), following
            rest = words[:at] + words[at + 2 :]
            break
        if (each in table.most or each in table.least) and not is_bound(words, at):
            sign, word = (1 if each in table.most else -1), each
            rest = words[:at] + words[at + 1 :]
            break
    if not rest and not sign:
        return None
    if sign and asking.endswith("number of"):
        return Question("value", "what", ("number", "of", *rest), (), sign, word)
    return Question(ask, asking, tuple(rest), tuple(words), sign, word)


def is_bound(words: list[str], at: int) -> bool:
    """Tell whether "least" or "most" belongs to "at least"."""
    return at > 0 and words[at - 1] == "at"
