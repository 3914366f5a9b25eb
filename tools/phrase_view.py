"""``behest phrases``: what one can say, as sentences; the patterns behind them are for a flag."""

import re
from collections.abc import Iterator, Sequence
from typing import Protocol

from tools.setting_problems import near

WORD = re.compile(r"\w{3,}")
ALIKE = 0.7  # how much of a word must be right to be offered in its place


class Sayings(Protocol):
    """What can be said for one goal: examples, and the ways to say it."""

    @property
    def goal(self) -> str: ...
    @property
    def examples(self) -> tuple[str, ...]: ...
    @property
    def ways(self) -> tuple[str, ...]: ...

    def mentions(self, word: str) -> bool: ...


def sentence_lines(known: Sequence[Sayings], words: Sequence[str]) -> Iterator[str]:
    """Give every goal with an example or, of those that have all the words, all examples."""
    sought = [word.casefold() for word in words]
    for entry in known:
        if not words:
            yield f"{entry.goal:28} {next(iter(entry.examples), entry.ways[0])}"
        elif all(map(entry.mentions, sought)):
            yield entry.goal
            yield from (f"    {example}" for example in entry.examples or entry.ways)


def offer_lines(known: Sequence[Sayings], words: Sequence[str]) -> Iterator[str]:
    """Say what can be looked up instead of words that no sentence has."""
    told = {
        word
        for entry in known
        for text in (entry.goal, *entry.examples)
        for word in WORD.findall(text.casefold())
    }
    found = {near(word.casefold(), told, ALIKE) for word in words} - {None}
    if found:
        yield f"did you mean: {', '.join(sorted(filter(None, found)))}?"
    domains = dict.fromkeys(entry.goal.partition(".")[0] for entry in known)
    yield f"look up one of these: {', '.join(domains)}; or all: behest phrases"
