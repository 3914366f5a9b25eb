"""The clues: what speaks for a candidate and against it, each as a number, mostly from 0 to 1.

A clue states a fact about one reading of the words and one candidate. What a fact is worth is a
fitted weight (``weights.toml``); nothing is decided here but what bars a candidate outright.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import log
from typing import TypeAlias

from actors.language.describing import Description
from actors.language.lexicon import Need, lexicon
from actors.target_resolver.page.candidates import (
    Candidate,
    Candidates,
    comparable_words,
    share_found,
    synonyms_of,
)
from actors.target_resolver.page.finder import Finder
from actors.target_resolver.page.geometry import reading_order
from actors.target_resolver.page.judging import INERT, SURELY, is_prose
from actors.target_resolver.page.relating import HOLDERS
from actors.target_resolver.page.several import SURE, TEXT_KINDS, Fit
from actors.target_resolver.page.sides import among_themselves, on_side
from actors.target_resolver.page.sight import ENTRIES
from actors.target_resolver.page.traits import ACTABLE, colour_rank, has_state, kind_rank
from messages.pages import Affords

ACTS = ACTABLE.value
LABEL, CLICK, EDIT = Affords.LABEL.value, Affords.CLICK.value, Affords.EDIT.value
SHOWN_FIRST = {"name": 0, "label": 1, "header": 2, "beside": 2, "sign": 3, "inner": 3}
AREA_SCALE = 10.0
CONTROLS = frozenset(
    {
        "button", "link", "tab", "menuitem", "checkbox", "radio", "switch", "option", "textbox",
        "searchbox", "combobox", "listbox", "spinbutton", "slider", "menuitemcheckbox",
        "menuitemradio", "date", "file", "color", "treeitem",
    }
)  # fmt: skip
LETTERS = 120
ALL_FOUND = 0.999
MOST_TOLD = 400  # candidates of which the place is looked at
ALIKE = 0.1  # what is said as well of one as of the other
A_KIND = 0.25  # what being of the said kind adds, where like things are counted


@dataclass(slots=True)
class NameMatch:
    """How the words said for a name compare with all that a candidate goes by."""

    exact: float = 0.0
    by_label: float = 0.0
    found: float = 0.0
    weak: float = 0.0
    unsaid: float = 0.0
    starts: float = 0.0
    ends: float = 0.0
    together: float = 0.0
    letters: float = 0.0
    synonym: float = 0.0
    number_missing: float = 0.0
    negated: bool = False


NO_NAME = NameMatch()


def match_name(said: tuple[str, ...], candidate: Candidate, among: Candidates) -> NameMatch:
    """Compare said words with each name of a candidate; the best name counts."""
    match = NameMatch()
    joined_said = "".join(said)
    best: tuple[float, float, int] = (-1.0, 0.0, -9)
    best_words: tuple[str, ...] = ()
    best_joined = ""
    for (source, words), joined in zip(candidate.names, candidate.joined, strict=True):
        if not words:
            continue
        if joined == joined_said:
            if source in {"name", "inner"}:
                match.exact = 1.0
            else:
                match.by_label = 1.0
        share = share_found(said, words, joined, among)
        order = (share, -float(len(words)), -SHOWN_FIRST.get(source, 3))
        if order > best:
            best, best_words, best_joined = order, words, joined
    share = max(best[0], 0.0)
    if candidate.weak:
        weak = share_found(said, candidate.weak, "", among)
        match.weak = max(0.0, weak - share)
    match.found = share
    if best_words and share > 0:
        told = frozenset(said)
        rest = sum(among.rarity(word) for word in best_words if word not in told)
        whole = sum(map(among.rarity, best_words))
        match.unsaid = rest / whole if whole else 0.0
        match.starts = float(best_joined.startswith(joined_said))
        match.ends = float(best_joined.endswith(joined_said))
        match.together = float(joined_said in best_joined)
        match.letters = letters_alike(joined_said, best_joined[:LETTERS])
    if share < 1.0:
        match.synonym = synonym_share(said, candidate, among)
    everything = candidate.all_words
    match.number_missing = float(any(word.isdecimal() and word not in everything for word in said))
    denied = not lexicon().negations.isdisjoint(best_words)
    match.negated = share > 0 and denied is lexicon().negations.isdisjoint(said)
    return match


def synonym_share(said: tuple[str, ...], candidate: Candidate, among: Candidates) -> float:
    """Give the share of the said words that the candidate has only by other words for them."""
    missing = [word for word in said if word not in candidate.all_words]
    if not missing:
        return 0.0
    others = synonyms_of(said)
    if others.isdisjoint(candidate.all_words):
        return 0.0
    total = sum(map(among.rarity, said))
    return sum(map(among.rarity, missing)) / total if total else 0.0


def letters_alike(one: str, other: str) -> float:
    """Give the share of letter pairs that two names have in common."""
    left, right = set(pairwise(one)), set(pairwise(other))
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0


@dataclass(slots=True)
class Match:
    """A candidate under one reading, with what several clues are made of."""

    what: Description
    candidate: Candidate
    name: NameMatch
    rank: int
    relation: float = 0.0
    ordinal: float = 0.0
    side: float = 0.0


@dataclass
class Situation:
    """What the words are weighed in: a page and a verb."""

    candidates: Candidates
    need: Need
    verb: str = ""
    among: frozenset[int] = frozenset()
    finder: Finder = field(init=False)

    def __post_init__(self) -> None:
        self.finder = Finder(self.candidates.sight, self.need, self.among)


ClueFunction: TypeAlias = Callable[[Match, Situation], float]


def kind_against(m: Match, _s: Situation) -> float:
    return float(m.what.kind is not None and m.rank <= 0)


def is_wanted(m: Match, s: Situation) -> float:
    """The verb is for such things."""
    return float(bool(m.candidate.seen.affords & s.need.prefers))


def in_front(m: Match, s: Situation) -> float:
    sight = s.candidates.sight
    if sight.modal < 0:
        return 0.0
    return 1.0 if sight.is_in(m.candidate.seen.at, sight.modal) else -1.0


def area(m: Match, _s: Situation) -> float:
    return log(1 + max(m.candidate.seen.size, 0)) / AREA_SCALE


def is_text_only(m: Match, _s: Situation) -> float:
    seen = m.candidate.seen
    return float(seen.kind in TEXT_KINDS and not seen.affords & ACTS)


SAID: Mapping[str, ClueFunction] = {
    "exact": lambda m, _s: m.name.exact,
    "by_label": lambda m, _s: m.name.by_label * (1 - m.name.exact),
    "found": lambda m, _s: m.name.found,
    "found_all": lambda m, _s: float(m.name.found > ALL_FOUND),
    "found_weak": lambda m, _s: m.name.weak,
    "unsaid": lambda m, _s: m.name.unsaid,
    "starts": lambda m, _s: m.name.starts,
    "ends": lambda m, _s: m.name.ends,
    "together": lambda m, _s: m.name.together,
    "letters": lambda m, _s: m.name.letters,
    "synonym": lambda m, _s: m.name.synonym,
    "kind_sure": lambda m, _s: float(m.what.kind is not None and m.rank > 1),
    "kind_maybe": lambda m, _s: float(m.what.kind is not None and m.rank == 1),
    "kind_against": kind_against,
    "related": lambda m, _s: max(m.relation, 0.0),
    "unrelated": lambda m, _s: max(-m.relation, 0.0),
    "nameless": lambda m, _s: float(not m.what.name),
    "is_wanted": is_wanted,
    "parted": lambda m, _s: float(m.what.is_parted),
    "unkind": lambda m, _s: float(m.what.unkind),
}
LIKELY: Mapping[str, ClueFunction] = {
    "out_of_order": lambda m, _s: max(-m.ordinal, 0.0),
    "other_side": lambda m, _s: max(-m.side, 0.0),
    "told": lambda m, _s: float(m.what.is_told),
    "literal": lambda m, _s: float(m.what.literal),
    "needed_kind": lambda m, s: float(m.candidate.seen.kind in s.need.kinds),
    "sure_use": lambda m, _s: float(bool(m.candidate.seen.affords & SURE)),
    "text_only": is_text_only,
    "prose": lambda m, _s: float(is_prose(m.candidate.seen)),
    "holder": lambda m, _s: float(m.candidate.seen.kind in HOLDERS),
    "entry": lambda m, s: float(m.candidate.seen.at in s.candidates.sight.entries),
    "click_on_field": lambda m, s: float(
        s.verb == "click" and bool(m.candidate.seen.affords & EDIT)
    ),
    "in_front": in_front,
    "pointer": lambda m, _s: float(bool(m.candidate.seen.affords & Affords.POINTER.value)),
    "control": lambda m, _s: float(m.candidate.seen.kind in CONTROLS),
    "hidden": lambda m, _s: float(not m.candidate.seen.visible),
    "disabled": lambda m, _s: float("disabled" in m.candidate.seen.element.states),
    "area": area,
}
CLUES: Mapping[str, ClueFunction] = {**SAID, **LIKELY}


def bar(match: Match, s: Situation) -> str | None:
    """Say what keeps a candidate from being meant at all, however well it is called."""
    seen, need, what = match.candidate.seen, s.need, match.what
    if seen.affords & need.never:
        return "the verb is never for such a thing"
    if need.must and not seen.affords & need.must and seen.kind not in need.kinds:
        return "the verb cannot be done to it"
    if what.states and not all(has_state(seen, states) for states in what.states):
        return "another state"
    if what.colours and not all(
        colour_rank(s.candidates.sight, seen, colour) for colour in what.colours
    ):
        return "another colour"
    if match.name.number_missing:
        return "a number that it does not have"
    if match.name.negated:
        return "the one is denied and the other is not"
    if s.among and seen.at not in s.among:
        return "not among those asked about"
    if (
        seen.kind in INERT
        and need.prefers & CLICK
        and match.rank < SURELY
        and not seen.affords & need.prefers
    ):
        return "a part of the page that cannot be used"
    return None


def values_of(match: Match, s: Situation) -> list[float]:
    return [clue(match, s) for clue in CLUES.values()]


def matches(readings: Sequence[Description], s: Situation) -> Iterator[Match]:
    """Give the candidates that are worth a look, reading by reading."""
    cache: dict[tuple[tuple[str, ...], int], NameMatch] = {}
    for what in readings:
        yield from matches_of(what, s, cache)


def matches_of(
    what: Description, s: Situation, cache: dict[tuple[tuple[str, ...], int], NameMatch]
) -> list[Match]:
    candidates = s.candidates
    said = comparable_words(what.name) if what.name else ()
    if not what.name and what.kind is None and not s.among:
        return []
    pool = candidates.with_words(said) if said else candidates.by_at
    found = []
    for at, candidate in pool.items():
        seen = candidate.seen
        if not (seen.visible or seen.element.shown > 0):
            continue
        if seen.affords & LABEL:
            continue
        rank = 0
        if what.kind is not None:
            told = bool(what.name) or what.relation is not None
            rank = kind_rank(seen, what.kind, named=told)
            if (
                rank == 0
                and not ENTRIES.isdisjoint(what.kind.real)
                and at in candidates.sight.entries
            ):
                rank = 1
            if not said and rank == 0:
                continue
        if said:
            key = (said, at)
            name = cache.get(key)
            if name is None:
                name = cache[key] = match_name(said, candidate, candidates)
        else:
            name = NO_NAME
        match = Match(what, candidate, name, rank)
        if bar(match, s) is None:
            found.append(match)
    tell_apart(what, found, s)
    return found


def tell_apart(what: Description, found: list[Match], s: Situation) -> None:
    """Note which of the candidates stand where they were said to."""
    note_relations(what, found, s)
    if not found or (what.side is None and what.ordinal is None):
        return
    best = max(map(likeness, found))
    alike = [m for m in found if likeness(m) >= best - ALIKE and m.candidate.seen.visible]
    if what.side is not None:
        note_side(what.side, alike, found, s)
    if what.ordinal is not None:
        note_ordinal(what, what.ordinal, alike, found)


def likeness(m: Match) -> float:
    return m.name.found + m.rank * A_KIND + m.relation


def note_relations(what: Description, found: list[Match], s: Situation) -> None:
    """Note what stands in the relations that were said, and what does not."""
    relations = what.relations
    if not relations or not found:
        return
    best = sorted(found, key=lambda m: -m.name.found)[:MOST_TOLD]
    fits = [Fit(m.candidate.seen, round(40 + 50 * m.name.found)) for m in best]
    for each in relations:
        kept = {fit.seen.at for fit in s.finder.standing(each, what, fits)}
        for m in found:
            m.relation += (1.0 if m.candidate.seen.at in kept else -1.0) / len(relations)


def note_side(
    side: tuple[int, int], alike: Sequence[Match], found: Sequence[Match], s: Situation
) -> None:
    """Note what is on the side of the screen that was said."""
    things = [m.candidate.seen for m in alike]
    kept = {seen.at for seen in on_side(s.candidates.sight, things, side)}
    few = among_themselves(things, side) if len(kept) != 1 else []
    kept = {seen.at for seen in few} or kept
    for m in found:
        m.side = 1.0 if m.candidate.seen.at in kept else -1.0


def note_ordinal(
    what: Description, ordinal: int, alike: Sequence[Match], found: Sequence[Match]
) -> None:
    """Note the one at the place that was said, among things that are alike."""
    called_so = [m for m in alike if m.name.exact] if what.name else []
    row = reading_order([m.candidate.seen for m in called_so or alike])
    at = len(row) + ordinal if ordinal < 0 else ordinal - 1
    is_row = len(row) > 1 or not what.name or bool(alike and alike[0].name.exact)
    meant = row[at].at if 0 <= at < len(row) and is_row else None
    for m in found:
        m.ordinal = 1.0 if m.candidate.seen.at == meant else -1.0
