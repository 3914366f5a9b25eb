"""What can be meant on a page: one candidate per control, with the words it goes by.

Label, caption and inner parts of a control are the same thing as the control: whoever names one of
them means it. Words are kept by where they come from and found again through an index.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, pairwise
from math import log

from actors.language.lexicon import lexicon
from actors.language.words import key_of, singular
from actors.target_resolver.page.naming import undecorated
from actors.target_resolver.page.sight import TITLE_KINDS, Seen, Sight
from actors.target_resolver.page.traits import ACTABLE
from messages.pages import Affords

ACTS = ACTABLE.value
LABEL, RUN = Affords.LABEL.value, Affords.RUN.value
FILLABLE = (
    Affords.EDIT | Affords.CHECK | Affords.CHOOSE | Affords.RANGE | Affords.TIMED | Affords.COLOUR
).value
PART = re.compile(r"[^\W_]+")
FAR = 70  # pixels: a text further off is no label
TALLEST_LABEL = 40  # pixels
UNUSUAL_SIDE = 25  # pixels that a label on the unusual side of its field counts as further off
MOST_LABEL = 80  # characters
LEAST_RARITY, LITTLE_RARITY = 0.3, 0.15
MOST_INSIDE = 12
LONG_ENOUGH = 4
# Neighbouring words are indexed as one word, too: of so many names, and so many words of each.
JOINED_NAMES, JOINED_WORDS = 3, 6
MOST_TWINS = 60
MOSTLY = 0.7  # the share of a box that must be covered


def comparable_words(text: str) -> tuple[str, ...]:
    """Give the words of a text as they are compared: folded, without endings of plurals."""
    return tuple(singular(word) for word in key_of(text).replace("'", "").split())


class Candidate:
    """One thing that can be meant; ``names`` are its word lists by source."""

    __slots__ = ("all_words", "joined", "names", "seen", "weak")

    def __init__(self, seen: Seen, names: list[tuple[str, tuple[str, ...]]]) -> None:
        self.seen = seen
        self.names = names
        self.joined = tuple("".join(words) for _, words in names)
        self.weak = frozenset(singular(word) for word in PART.findall(seen.element.weak.lower()))
        self.all_words = frozenset(word for _, words in names for word in words) | self.weak


class Candidates:
    """The candidates of one page and the index of their words."""

    def __init__(self, sight: Sight) -> None:
        self.sight = sight
        self.owners: dict[int, int] = {}
        self.by_at: dict[int, Candidate] = {}
        self.by_word: dict[str, list[Candidate]] = defaultdict(list)
        numbers = {(each.frame, each.element.number): each.at for each in sight.seen}
        labels: dict[int, list[str]] = defaultdict(list)
        for seen in sight.seen:
            if seen.affords & LABEL and seen.element.about.isdecimal():
                owner = numbers.get((seen.frame, int(seen.element.about)))
                if owner is not None:
                    self.owners[seen.at] = owner
                    labels[owner].append(seen.element.name)
        self.labels = labels
        for seen in sight.seen:
            if seen.affords & RUN or (seen.kind == "wrap" and not seen.element.weak):
                continue
            self.add(seen)

    def add(self, seen: Seen) -> None:
        candidate = Candidate(seen, list(self.names_of(seen)))
        if not candidate.all_words and not seen.affords & ACTS:
            return
        self.by_at[seen.at] = candidate
        for word in candidate.all_words:
            self.by_word[word].append(candidate)
        for _, words in candidate.names[:JOINED_NAMES]:
            for one, other in pairwise(words[:JOINED_WORDS]):
                self.by_word[one + other].append(candidate)

    def names_of(self, seen: Seen) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Give all that an element goes by, with the source of each."""
        element = seen.element
        if element.name:
            yield "name", comparable_words(undecorated(element.name))
            signs = lexicon().signs.get(element.name.strip())
            if signs:
                yield "sign", tuple(map(singular, signs.split()))
        for label in self.labels.get(seen.at, ()):
            yield "label", comparable_words(undecorated(label))
        for other in element.others:
            yield "label", comparable_words(undecorated(other))
        for extra in seen.extra:
            yield "header", comparable_words(extra)
        if seen.affords & FILLABLE and (beside := self.text_beside(seen)):
            yield "beside", comparable_words(beside)
        if not element.name and seen.affords & ACTS:
            inner = " ".join(
                part.element.name for part in islice(self.sight.inside(seen.at), MOST_INSIDE)
            )
            if inner.strip():
                yield "inner", comparable_words(inner)

    @cached_property
    def texts(self) -> list[Seen]:
        """Give the plain texts of the page that may be labels, from the top down."""
        found = (
            seen
            for seen in self.sight.seen
            if seen.visible
            and seen.element.name
            and (seen.kind in TITLE_KINDS or seen.affords & RUN)
            and len(seen.element.name) <= MOST_LABEL
        )
        return sorted(found, key=lambda seen: seen.rect[1])

    @cached_property
    def tops(self) -> list[int]:
        return [seen.rect[1] for seen in self.texts]

    def text_beside(self, field: Seen) -> str:
        """Give the nearest text left of a field, over it or, for boxes, right of it."""
        x, y, width, height = field.rect
        first = bisect_left(self.tops, y - FAR - TALLEST_LABEL)
        last = bisect_right(self.tops, y + height)
        boxed = bool(field.affords & Affords.CHECK.value)
        best: tuple[float, str] = (float(FAR), "")
        for text in self.texts[first:last]:
            if text.frame != field.frame or text.at == field.at:
                continue
            tx, ty, wide, high = text.rect
            across = max(0, tx - x - width, x - tx - wide)
            down = max(0, ty - y - height, y - ty - high)
            if ty > y + height / 2:
                continue
            is_right = tx > x + width / 2
            side = 0 if is_right == boxed else UNUSUAL_SIDE
            best = min(best, (across + 2.0 * down + side, text.element.name))
        return best[1]

    @cached_property
    def most(self) -> float:
        return log(1 + len(self.by_at)) + 0.01

    def rarity(self, word: str) -> float:
        """Say how telling a word is on this page: 1 if at most one thing has it."""
        if word in lexicon().little or word in lexicon().articles:
            return LITTLE_RARITY
        return max(LEAST_RARITY, 1 - log(max(1, len(self.by_word.get(word, ())))) / self.most)

    def with_words(self, said: Sequence[str]) -> dict[int, Candidate]:
        """Give the candidates that share a word with what was said, or an alias of one."""
        idle = lexicon().little | lexicon().articles
        telling = [word for word in said if word not in idle] or list(said)
        found: dict[int, Candidate] = {}
        for word in (*telling, *(a + b for a, b in pairwise(said)), *synonyms_of(said)):
            for candidate in self.by_word.get(word, ()):
                found[candidate.seen.at] = candidate
        return found

    @cached_property
    def twins(self) -> dict[int, int]:
        """Map what is drawn at the place of a control, under its name, to the control."""
        groups: dict[str, list[Seen]] = defaultdict(list)
        for candidate in self.by_at.values():
            if candidate.seen.key and candidate.seen.visible:
                groups[candidate.seen.key].append(candidate.seen)
        found: dict[int, int] = {}
        for group in groups.values():
            if not 1 < len(group) <= MOST_TWINS:
                continue
            ranked = sorted(group, key=lambda seen: (-control_rank(seen), seen.at))
            for index, seen in enumerate(ranked):
                for other in ranked[:index]:
                    if other.at not in found and covers(other, seen):
                        found[seen.at] = other.at
                        break
        return found

    def owner(self, seen: Seen) -> int:
        """Give the control that a label, a caption or an inner part belongs to; else itself."""
        at = self.holder(seen)
        return self.twins.get(at, at)

    def holder(self, seen: Seen) -> int:
        if seen.at in self.owners:
            return self.owners[seen.at]
        if seen.affords & FILLABLE:
            return seen.at
        for at in self.sight.ancestors(seen.at):
            around = self.sight.seen[at]
            if at in self.owners:
                return self.owners[at]
            if around.affords & Affords.CLICK.value and not around.affords & Affords.CONTAIN.value:
                if not seen.affords & Affords.CLICK.value or around.key == seen.key:
                    return at
                return seen.at
        return seen.at


def control_rank(seen: Seen) -> int:
    """Say how surely something is a control: what is edited or clicked, then what is pointed at."""
    affords = seen.affords
    return (
        3 * bool(affords & FILLABLE)
        + 2 * bool(affords & Affords.CLICK.value)
        + bool(affords & ACTS)
    )


def covers(one: Seen, other: Seen) -> bool:
    """Tell whether two boxes lie mostly on each other."""
    x = min(one.rect[0] + one.rect[2], other.rect[0] + other.rect[2]) - max(
        one.rect[0], other.rect[0]
    )
    y = min(one.rect[1] + one.rect[3], other.rect[1] + other.rect[3]) - max(
        one.rect[1], other.rect[1]
    )
    smaller = min(one.size, other.size)
    return x > 0 and y > 0 and one.frame == other.frame and x * y >= MOSTLY * smaller


def synonyms_of(said: Sequence[str]) -> frozenset[str]:
    """Give words that are said for some of these: in names, for icons, for deeds."""
    words = lexicon()
    found: set[str] = set()
    for word in said:
        found.update(words.icons.get(word, ()))
        found.update(words.deeds.get(word, ()))
    phrase = " ".join(said)
    for saying, meant in SAYINGS.items():
        if f" {saying} " in f" {phrase} ":
            found.update(part for other in meant for part in other.split())
    return frozenset(map(singular, found)) - set(said)


def _sayings() -> Mapping[str, frozenset[str]]:
    groups: dict[str, set[str]] = defaultdict(set)
    for saying, meant in lexicon().same.items():
        groups[meant].add(saying)
    return {saying: frozenset(groups[meant]) for saying, meant in lexicon().same.items()}


SAYINGS = _sayings()


def share_found(
    said: Sequence[str], found: Iterable[str], joined: str, candidates: Candidates
) -> float:
    """Give the share of the said words that a name has, each weighed by its rarity."""
    whole = "".join(said)
    if len(whole) >= LONG_ENOUGH and whole == joined:
        return 1.0
    there = frozenset(found)
    total = hit = 0.0
    for word in said:
        rarity = candidates.rarity(word)
        total += rarity
        if word in there or (len(word) > LONG_ENOUGH and word in joined):
            hit += rarity
    return hit / total if total else 0.0
