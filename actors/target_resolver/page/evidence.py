"""Clues weighed: which candidate is meant, and whether it is on the page at all.

Two probabilities are multiplied. *Which* is a softmax over all candidates, in which the readings
of the words are summed out. *Here* says how well the best candidate accounts for the words.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp

from actors.language.describing import Description
from actors.language.lexicon import lexicon
from actors.language.tokens import tokens_of
from actors.language.words import is_plural, key_of
from actors.target_resolver.page.candidates import comparable_words
from actors.target_resolver.page.clues import (
    CLUES,
    SAID,
    Match,
    Situation,
    matches,
    values_of,
)
from actors.target_resolver.page.reasons import weightiest
from actors.target_resolver.page.sight import Seen

MOST_OPTIONS = 8
# All words that tell something must be found; words of little weight on this page may be missing.
ACCOUNTED, MOSTLY = 0.95, 0.6


# What signs are drawn of, and called by.
DRAWN = frozenset({"dots", "lines", "bars", "stars"})


@dataclass(frozen=True)
class Weights:
    """What each clue is worth, and from where on is acted and asked."""

    which: Sequence[float]
    here: Sequence[float]
    here_constant: float
    act: float
    ask: float


@cache
def weights() -> Weights:
    table = tomllib.loads((files(__package__) / "weights.toml").read_text())
    which = [float(table["which"].get(name, 0.0)) for name in CLUES]
    here = [float(table["here"].get(name, 0.0)) for name in SAID]
    return Weights(which, here, **table["choice"])


@dataclass(frozen=True)
class Option:
    """A thing that may be meant, how probably, and by which clues."""

    match: Match
    probability: float
    clues: Mapping[str, float]

    @property
    def seen(self) -> Seen:
        return self.match.candidate.seen

    @property
    def what(self) -> Description:
        return self.match.what

    @property
    def reasons(self) -> tuple[str, ...]:
        """Give the clues by what they weigh, the weightiest first."""
        return tuple(f"{name} {weight:+.1f}" for name, weight in weightiest(self.clues))


@dataclass(frozen=True)
class Ranking:
    """All that may be meant, the most probable first."""

    options: Sequence[Option]
    here: float


def weighed(found: Sequence[Match], s: Situation, w: Weights) -> Ranking:
    """Turn clues into probabilities."""
    if not found:
        return Ranking((), 0.0)
    rows = [values_of(match, s) for match in found]
    scores = [dot(w.which, row) for row in rows]
    top = max(scores)
    best_row = rows[scores.index(top)]
    here = 1 / (1 + exp(-w.here_constant - dot(w.here, best_row[: len(SAID)])))
    masses = [exp(score - top) for score in scores]
    total = sum(masses)
    belief: dict[object, float] = {}
    chosen: dict[object, tuple[tuple[bool, float], int]] = {}
    for index, (match, mass) in enumerate(zip(found, masses, strict=True)):
        key = same_effect(match, s)
        belief[key] = belief.get(key, 0.0) + here * mass / total
        rank_here = (match.candidate.seen.at == key, scores[index])
        if key not in chosen or rank_here > chosen[key][0]:
            chosen[key] = (rank_here, index)  # the control, and not what is drawn in its place
    ranked = sorted(belief, key=lambda key: (-belief[key], found[chosen[key][1]].candidate.seen.at))
    options = []
    for key in ranked[:MOST_OPTIONS]:
        _, index = chosen[key]
        match, row = found[index], rows[index]
        clues = {
            name: round(value * weight, 3)
            for name, value, weight in zip(CLUES, row, w.which, strict=True)
            if value * weight
        }
        options.append(Option(match, belief[key], clues))
    return Ranking(options, here)


def is_plausible(option: Option, text: str) -> bool:
    """Tell whether a candidate may be offered: it is where it was said to be, and has the numbers.

    Most of the words must be accounted for, too: what shares one word of three is another thing.
    """
    match, name = option.match, option.match.name
    if min(match.relation, match.ordinal, match.side) < 0 or is_mere_count(text, match.what):
        return False
    known = match.candidate.all_words.union(*map(comparable_words, names_in(match.what)))
    told = match.what.ordinal is not None
    if not told and any(word.isdecimal() and word not in known for word in comparable_words(text)):
        return False
    return not match.what.name or name.found + name.synonym + name.weak >= MOSTLY


def is_mere_count(text: str, what: Description) -> bool:
    """Tell whether the number in "two buttons" was taken for a name; "three dots" are a sign."""
    tokens = [token for token in tokens_of(text) if token.key not in lexicon().articles]
    if len(tokens) < len(("two", "buttons")) or tokens[0].quoted or tokens[-1].key in DRAWN:
        return False
    numbers = lexicon().numbers
    return tokens[0].key in numbers and is_plural(tokens[-1].key) and key_of(what.name) in numbers


def is_sure(option: Option, text: str, s: Situation) -> bool:
    """Tell whether a candidate may be acted on for its clues: no word of the reading is left over.

    What is only a part of the words, or a thing without a name, is for a person to confirm.
    """
    match, name = option.match, option.match.name
    what = match.what
    accounted = name.found + name.synonym + name.weak >= ACCOUNTED
    if not what.name or what.is_parted or what.every or not accounted:
        return False
    if (what.quoted and not name.together) or is_one_sign(what.name):
        return False
    if what.quoted and not (name.exact or name.by_label) and not is_real(match):
        return False
    if what.kind is not None and (match.rank <= 0 or what.kind.any):
        return False
    usable = not s.need.prefers or bool(match.candidate.seen.affords & s.need.prefers)
    return usable and is_plausible(option, text)


def is_real(match: Match) -> bool:
    """Tell whether a thing is of the kind that was said, if one was."""
    kind = match.what.kind
    return kind is None or match.candidate.seen.kind in kind.real


def names_in(what: Description) -> Iterator[str]:
    """Give all words that a reading has taken for names and kinds."""
    yield what.name
    if what.kind is not None:
        yield what.kind.word
    for told in (
        *what.to,
        *((what.within,) if what.within is not None else ()),
    ):
        yield from names_in(told)


def is_one_sign(name: str) -> bool:
    """Tell whether a name is one letter or sign, which is only meant as it is written."""
    return len(name.strip()) == 1


def dot(weights: Sequence[float], values: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, values, strict=True))


def same_effect(match: Match, s: Situation) -> object:
    """Name what using a candidate would do: links to one place are one, and parts of a control."""
    seen = match.candidate.seen
    href = seen.element.href
    if seen.kind == "link" and href.startswith("http") and "#" not in href:
        return (seen.key, href)
    return s.candidates.owner(seen)


def rank(readings: Sequence[Description], s: Situation) -> Ranking:
    """Weigh all that the readings of some words may mean."""
    return weighed(list(matches(readings, s)), s, weights())
