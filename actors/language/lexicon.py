"""What people call the things on a page: the table, loaded once."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from actors.language.words import fold, words_of
from messages.pages import Affords

# Kinds of things that are known by what is in them.
HOLDING = frozenset(
    {
        "row",
        "listitem",
        "article",
        "region",
        "group",
        "dialog",
        "form",
        "list",
        "table",
        "navigation",
    }
)
LISTED = ("real", "like", "affords", "keeps", "states", "types")


@dataclass(frozen=True, slots=True)
class Kind:
    """What a word for a kind means: for sure, as well, and by what can be done with it.

    ``keeps`` are words that stay part of the name, in case the page has them. A ``vague`` word says
    little of its own: "the link element" is a link. ``types`` tell fields apart; ``any`` means all.
    """

    word: str
    real: frozenset[str] = frozenset()
    like: frozenset[str] = frozenset()
    affords: int = 0
    keeps: tuple[str, ...] = ()
    states: frozenset[str] = frozenset()
    any: bool = False
    holds: bool = False
    named: bool = False
    vague: bool = False
    types: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Need:
    """What a verb needs of its thing, what it prefers, and what it is never done to.

    It ``quotes`` if a text may be meant by a few of its words, and ``sets`` if it gives a value to
    what shows one.
    """

    must: int = 0
    prefers: int = 0
    kinds: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()
    values: bool = False
    never: int = 0
    quotes: bool = False
    sets: bool = False


@dataclass(frozen=True)
class Lexicon:
    """The table, ready for use."""

    kinds: Mapping[tuple[str, ...], Kind]
    colours: Mapping[str, str]
    states: Mapping[str, frozenset[str]]
    ordinals: Mapping[str, int]
    measures: Mapping[str, tuple[str, str]]
    sides: Mapping[str, tuple[int, int]]
    relations: Mapping[tuple[str, ...], str]
    naming: frozenset[tuple[str, ...]]
    articles: frozenset[str]
    every: frozenset[str]
    side_nouns: frozenset[str]
    whole: frozenset[str]
    noise: frozenset[str]
    adverbs: frozenset[str]
    trailing: frozenset[str]
    little: frozenset[str]
    left_out: frozenset[str]
    by_means: frozenset[str]
    means: frozenset[str]
    counts: frozenset[str]
    numbers: Mapping[str, int]
    of_kinds: frozenset[str]
    joints: frozenset[str]
    entire: frozenset[str]
    coded: frozenset[str]
    last_but_one: frozenset[str]
    signs: Mapping[str, str]
    patterns: Mapping[str, re.Pattern[str]]
    icons: Mapping[str, frozenset[str]]
    same: Mapping[str, str]
    needs: Mapping[str, Need]
    deeds: Mapping[str, frozenset[str]]
    light: tuple[tuple[str, ...], ...]
    sorting: frozenset[str]
    asks: Mapping[str, str]
    whither: frozenset[str]
    whereto: frozenset[str]
    telling: frozenset[str]
    quoting: frozenset[str]
    listed: frozenset[str]
    opening: tuple[tuple[str, ...], ...]
    about: frozenset[str]
    seeking: frozenset[str]
    counted: frozenset[str]
    pronouns: frozenset[str]
    repeating: frozenset[str]
    placing: frozenset[str]
    choosing: frozenset[str]
    label_nouns: frozenset[str]
    listings: frozenset[str]
    negations: frozenset[str]

    @cached_property
    def holders(self) -> frozenset[str]:
        """Give the words for entries of every kind: what they are called need not stand in them."""
        kinds = (kind for kind in self.kinds.values() if kind.holds and not kind.any)
        return frozenset(kind.word.removesuffix("s") for kind in kinds if " " not in kind.word)

    @cached_property
    def nouns(self) -> frozenset[str]:
        """Give the words for things of every kind that pages list, and need not call so."""
        kinds = (kind for kind in self.kinds.values() if kind.any or kind.holds)
        words = frozenset(kind.word.removesuffix("s") for kind in kinds if " " not in kind.word)
        return words | self.listed

    @cached_property
    def telling_words(self) -> frozenset[str]:
        """Give the words that tell things apart and name none: "the second text area below"."""
        kinds = {word for kind in self.kinds for word in kind}
        counting = {*self.ordinals, *self.every, *self.counts, *self.sides, *self.side_nouns}
        numbered = {f"{number}{end}" for number in range(1, 32) for end in ("st", "nd", "rd", "th")}
        return frozenset(
            kinds | counting | numbered | self.articles | self.trailing | self.noise | self.little
        )


def flags(names: list[str]) -> int:
    total = 0
    for name in names:
        total |= Affords[name].value
    return total


def kinds_of(table: Mapping[str, Mapping[str, object]]) -> dict[tuple[str, ...], Kind]:
    """Resolve words that mean the same kind as another."""
    found: dict[tuple[str, ...], Kind] = {}
    for word, row in table.items():
        whole = dict(row)
        while "as" in whole:
            whole = {**table[str(whole.pop("as"))], **whole}
        if "as" in row and "keeps" not in row:
            whole.pop("keeps", None)
        listed = {name: whole.get(name, []) for name in LISTED}
        lists = {
            name: [str(each) for each in value]
            for name, value in listed.items()
            if isinstance(value, list)
        }
        found[tuple(word.split())] = Kind(
            word,
            frozenset(lists["real"]),
            frozenset(lists["like"]),
            flags(lists["affords"]),
            tuple(lists["keeps"]),
            frozenset(lists["states"]),
            bool(whole.get("any")),
            bool(whole.get("holds")) or not HOLDING.isdisjoint(lists["real"]),
            bool(whole.get("named")),
            bool(whole.get("vague")),
            frozenset(lists["types"]),
        )
    return found


def sayings(lines: list[str]) -> dict[str, str]:
    """Map every saying to the one that stands for all that mean the same."""
    return {saying: line.split("|")[0] for line in lines for saying in line.split("|")}


def longest_first(lines: list[str]) -> tuple[tuple[str, ...], ...]:
    """Give sayings in the order in which they are looked for."""
    return tuple(sorted((tuple(line.split()) for line in lines), key=len, reverse=True))


def groups(lines: list[str]) -> dict[str, frozenset[str]]:
    """Index words by the others that mean the same."""
    found: dict[str, frozenset[str]] = {}
    for line in lines:
        words = frozenset(line.split())
        for word in words:
            found[word] = found.get(word, frozenset()) | words
    return found


def speaks_of_colour(words: str) -> bool:
    """Tell whether words may tell a thing by its colour."""
    return not lexicon().colours.keys().isdisjoint(words_of(fold(words)))


@cache
def lexicon() -> Lexicon:
    """Load the table."""
    table = tomllib.loads((files(__package__) / "page.toml").read_text())
    words = table["words"]
    colours = {name: name for name in table["adjectives"]["colours"]} | table["same_colour"]
    return Lexicon(
        kinds=kinds_of(table["kinds"]),
        colours=colours,
        states={word: frozenset(states) for word, states in table["states"].items()},
        ordinals=table["ordinals"],
        measures={word: (way[0], way[1]) for word, way in table["measures"].items()},
        sides={word: (way[0], way[1]) for word, way in table["sides"].items()},
        relations={tuple(words.split()): name for words, name in table["relations"].items()},
        naming=frozenset(tuple(saying.split()) for saying in words["naming"]),
        articles=frozenset(words["articles"]),
        every=frozenset(words["every"]),
        side_nouns=frozenset(words["side_nouns"]),
        whole=frozenset(words["whole"]),
        noise=frozenset(words["noise"]),
        adverbs=frozenset(words["adverbs"]),
        trailing=frozenset(words["trailing"]),
        little=frozenset(words["little"]),
        left_out=frozenset(words["little"]) | frozenset(words["left_out"]),
        by_means=frozenset(words["by_means"]),
        means=frozenset(words["means"]),
        counts=frozenset(words["counts"]),
        numbers={word: number for number, word in enumerate(words["numbers"], start=2)},
        of_kinds=frozenset(words["of_kinds"]),
        joints=frozenset(words["joints"]),
        entire=frozenset(words["entire"]),
        coded=frozenset(words["coded"]),
        last_but_one=frozenset(words["last_but_one"]),
        signs={sign: meant for signs, meant in table["signs"].items() for sign in signs.split()},
        patterns={word: re.compile(pattern) for word, pattern in table["patterns"].items()},
        icons=groups(table["icons"]["same"]),
        same=sayings(table["names"]["same"]),
        needs={
            verb: Need(
                flags(need.get("must", [])),
                flags(need.get("prefers", [])),
                frozenset(need.get("kinds", [])),
                frozenset(need.get("states", [])),
                bool(need.get("values")),
                flags(need.get("never", [])),
                bool(need.get("quotes")),
                bool(need.get("sets")),
            )
            for verb, need in table["verbs"].items()
        },
        deeds=groups(table["deeds"]["same"]),
        light=longest_first(table["deeds"]["light"]),
        opening=longest_first(table["deeds"]["opening"]),
        sorting=frozenset(table["ordering"]["sorting"]),
        asks=dict(table["asks"]),
        whither=frozenset(table["around"]["whither"]),
        whereto=frozenset(table["around"]["whereto"]),
        telling=frozenset(table["around"]["telling"]),
        quoting=frozenset(table["around"]["quoting"]),
        listed=frozenset(table["around"]["nouns"]),
        about=frozenset(words["about"]),
        seeking=frozenset(words["seeking"]),
        counted=frozenset(words["counted"]),
        pronouns=frozenset(words["pronouns"]),
        repeating=frozenset(words["repeating"]),
        placing=frozenset(words["placing"]),
        choosing=frozenset(table["around"]["choosing"]),
        label_nouns=frozenset(words["label_nouns"]),
        listings=frozenset(words["listings"]),
        negations=frozenset(words["negations"]),
    )
