"""What people call files: by their endings, or by how their names begin."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import msgspec

GENERAL = ("file", "folder", "directory", "directorie", "thing")


@dataclass(frozen=True, slots=True)
class Kinds:
    """What people call files: by their endings, and all the words there are for kinds.

    ``by_name`` are kinds without endings of their own: names begin with them.
    """

    by_ending: Mapping[str, list[str]]
    words: frozenset[str]
    by_name: tuple[str, ...]


@cache
def endings_by_kind() -> Mapping[str, list[str]]:
    """Read the table of kinds: a ``jpg`` is a picture."""
    text = files(__package__).joinpath("kinds.toml").read_text("utf-8")
    return msgspec.toml.decode(text, type=dict[str, list[str]])


@cache
def kinds() -> Kinds:
    """Turn the table of kinds around."""
    table = endings_by_kind()
    by_ending: dict[str, list[str]] = {}
    for word, endings in table.items():
        for ending in endings:
            by_ending.setdefault(ending, []).append(word)
    words = {*table, *by_ending, *GENERAL}
    by_name = tuple(word for word, endings in table.items() if not endings)
    return Kinds(by_ending, frozenset(words | {f"{word}s" for word in words}), by_name)


def endings_of(types: str) -> frozenset[str]:
    """Give the endings of the kinds of files that were said."""
    table = endings_by_kind()
    return frozenset(ending for kind in types.split("|") for ending in table.get(kind, (kind,)))


def kinds_by_name(name: str) -> tuple[str, ...]:
    """Give the kinds that a file is of by how its name begins.

    >>> kinds_by_name("Screenshot 2026-11-18.png"), kinds_by_name("screenshots.txt")
    (('screenshot',), ())
    """
    said = name.casefold()
    return tuple(
        kind
        for kind in kinds().by_name
        if said.startswith(kind) and not said[len(kind) : len(kind) + 1].isalpha()
    )
