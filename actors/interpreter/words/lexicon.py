"""The little words of English, from their table: what tells one thing from another."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import msgspec

from actors.language.words import RELATIONS
from messages.phrases import Pronoun, Quantifier, Superlative


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table as it is written."""

    ignored: list[str]
    pronouns: dict[Pronoun, list[str]]
    pointing: dict[str, list[str]]
    possessors: dict[str, Pronoun]
    ordinals: dict[str, int]
    numbers: dict[str, int]
    quantifiers: dict[Quantifier, list[str]]
    sets: dict[str, list[str]]
    linking: dict[str, list[str]]
    single: dict[str, list[str]]
    placeholders: dict[str, list[str]]
    superlatives: dict[str, str]
    naming: dict[str, list[str]]
    places: dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The table turned around: from what is said to what it means. Longer sayings come first."""

    ignored: frozenset[str]
    pronouns: Mapping[str, Pronoun]
    pointing: frozenset[str]
    leaving_open: frozenset[str]
    possessors: Mapping[str, Pronoun]
    ordinals: Mapping[str, int]
    numbers: Mapping[str, int]
    quantifiers: tuple[tuple[tuple[str, ...], Quantifier], ...]
    whole: frozenset[str]
    excepting: tuple[tuple[str, ...], ...]
    joining: frozenset[str]
    adding: frozenset[str]
    linking: tuple[tuple[str, ...], ...]
    single: tuple[tuple[str, ...], ...]
    placeholders: frozenset[str]
    other: frozenset[str]
    called: frozenset[str]
    superlatives: tuple[tuple[tuple[str, ...], Superlative], ...]
    relations: Mapping[tuple[str, ...], str]
    relation_openers: frozenset[str]
    counting_openers: frozenset[str]
    excepting_openers: frozenset[str]
    place_ends: frozenset[str]
    naming: frozenset[str]
    places: tuple[tuple[tuple[str, ...], str], ...]


def longest_first(sayings: Mapping[str, str]) -> tuple[tuple[tuple[str, ...], str], ...]:
    """Cut sayings into words, those of most words first."""
    cut = [(tuple(saying.split()), meaning) for saying, meaning in sayings.items()]
    return tuple(sorted(cut, key=lambda pair: (-len(pair[0]), pair)))


def by_length(sayings: list[str]) -> tuple[tuple[str, ...], ...]:
    """Cut sayings into words, those of most words first."""
    return tuple(words for words, _ in longest_first(dict.fromkeys(sayings, "")))


def first_words(sayings: Iterable[str]) -> frozenset[str]:
    """Give the words that sayings begin with: most words begin none, and that is quickly told."""
    return frozenset(saying.split()[0] for saying in sayings)


def turned(table: Mapping[str, list[str]]) -> dict[str, str]:
    """Turn a table of meanings and their sayings around."""
    return {saying: meaning for meaning, sayings in table.items() for saying in sayings}


@cache
def lexicon() -> Lexicon:
    """Read the table."""
    table = msgspec.toml.decode(
        files(__package__).joinpath("lexicon.toml").read_bytes(), type=Table
    )
    superlatives = {
        saying: Superlative(measure[1:], most=measure[0] == "+")
        for saying, measure in table.superlatives.items()
    }
    quantifiers: dict[str, Quantifier] = {
        saying: meaning for meaning, sayings in table.quantifiers.items() for saying in sayings
    }
    pronouns: dict[str, Pronoun] = {
        saying: meaning for meaning, sayings in table.pronouns.items() for saying in sayings
    }
    return Lexicon(
        ignored=frozenset(table.ignored),
        pronouns=pronouns,
        pointing=frozenset(table.pointing["words"]),
        leaving_open=frozenset(table.pointing["open"]),
        possessors=table.possessors,
        ordinals=table.ordinals,
        numbers=table.numbers,
        quantifiers=tuple(
            (words, quantifiers[" ".join(words)])
            for words, _ in longest_first(dict.fromkeys(quantifiers, ""))
        ),
        whole=frozenset(table.sets["whole"]),
        excepting=by_length(table.sets["except"]),
        joining=frozenset(table.sets["joined_by"]),
        adding=frozenset(table.sets["added_by"]),
        linking=by_length(table.linking["words"]),
        single=by_length(table.single["words"]),
        placeholders=frozenset(table.placeholders["words"]),
        other=frozenset(table.placeholders["other"]),
        called=frozenset(table.placeholders["called"]),
        superlatives=tuple(
            (words, superlatives[" ".join(words)])
            for words, _ in longest_first(dict.fromkeys(superlatives, ""))
        ),
        relations={tuple(saying.split()): name for saying, name in RELATIONS.items()},
        relation_openers=first_words(RELATIONS),
        counting_openers=first_words(quantifiers) | first_words(superlatives),
        excepting_openers=first_words(table.sets["except"]),
        place_ends=frozenset(saying.split()[-1] for saying in turned(table.places)),
        naming=frozenset(table.naming["relations"]),
        places=longest_first(turned(table.places)),
    )
