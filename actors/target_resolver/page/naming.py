"""How well a name fits what was said: as written, as spelt, begun by it, holding all its words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from actors.language.lexicon import Lexicon
from actors.language.words import key_of, singular
from actors.target_resolver.page.sight import Seen, Sight
from messages.pages import Affords

EXACT, BY_LABEL, MEANT = 96, 92, 84
BEGUN, HELD, WORDS = 80, 74, 66
SIGN, UNNAMED, WEAK, PICTURED = 62, 50, 45, 40
ABOUT = 44
# A name that says so much more than was said is another name.
MOST_MORE, MUCH_MORE = 8, 12
SHORT = 24
FEW = 400
SIGN_LENGTH = 3
DECORATION = re.compile(r"\s*(?:\*|:|\((?:required|optional)\))+$")
ICON = Affords.ICON.value


def likely_named(sight: Sight, key: str, words: Lexicon) -> Iterable[Seen]:
    """Leave out, cheaply, what cannot be called so: most of a large page."""
    said = [word for word in key.split() if word not in words.little] or key.split()
    if len(sight.seen) <= FEW or not said or not key.isascii():
        return sight.seen
    if key in words.same or key in words.patterns:
        return sight.seen
    longest = singular(max(said, key=len))
    pictured = any(word in words.icons for word in (*said, squeezed(key)))
    return [
        seen
        for seen in sight.seen
        if longest in sight.hay(seen)
        or (0 < len(seen.element.name) <= SIGN_LENGTH and seen.affords)
        or (pictured and (seen.element.weak or seen.affords & ICON))
    ]


def score(seen: Seen, said: str, key: str, words: Lexicon, *, quoted: bool) -> int:
    """Score what an element is called against what was said; 0 if it does not fit."""
    element = seen.element
    if element.name == said or (
        element.name.startswith(said) and undecorated(element.name) == said
    ):
        return EXACT
    if seen.key == key and key:
        return EXACT if len(key) > 1 or element.name.casefold() == said.casefold() else 0
    if key in seen.others or (seen.extra and key in seen.extra):
        return BY_LABEL
    if not key:
        return 0
    if ":" in element.name and key_of(element.name.partition(":")[0]) == key:
        return BY_LABEL  # "Font: Sans-serif" is the font
    if squeezed(key) == squeezed(seen.key) and seen.key:
        return EXACT - 1
    if not quoted and bare_of(seen.key, words.articles) == bare_of(key, words.articles) != "":
        return EXACT - 2
    if not quoted and " " in key and (same := by_content(seen.key, key, words.little)):
        return same
    meant = None if quoted else words.same.get(key)
    if meant and meant in {words.same.get(name) for name in (seen.key, *seen.others, *seen.extra)}:
        return MEANT
    best = partial(seen.key, key, words, whole=quoted)
    for other in (*seen.others, *seen.extra):
        best = max(best, partial(other, key, words, whole=quoted) - 4)
    if best > 0:
        return best
    if quoted:  # what has no name may still be called by a word that somebody put into quotes
        return by_weak(seen, key, words) if " " not in key and is_pictured(seen) else 0
    if key in words.same and seen.key and (begun := begun_by_meant(seen.key, key, words)):
        return begun
    pattern = words.patterns.get(key)
    if (
        pattern is not None
        and seen.key
        and len(seen.element.name) < SHORT
        and pattern.search(element.name)
    ):
        return WEAK + 1
    return by_weak(seen, key, words)


def undecorated(name: str) -> str:
    """Leave out what a label ends with that is no part of it: "First name *", "Email:"."""
    return DECORATION.sub("", name)


def bare_of(name: str, articles: frozenset[str]) -> str:
    """Leave out what stands before a name: "Your email" is the email."""
    first, _, rest = name.partition(" ")
    return rest if rest and first in articles else name


def by_content(name: str, key: str, little: frozenset[str]) -> int:
    """Score a name that has all the words of weight, and no others: "the proxy for www"."""
    words = key.split()
    said = [singular(word) for word in words if word not in little]
    if len(said) < 2 or words[0] in little:  # noqa: PLR2004 - "of Ann" is no name, one word no more
        return 0
    there = [singular(word) for word in name.split() if word not in little]
    if said == there:
        return EXACT - 2
    return BY_LABEL - 1 if sorted(said) == sorted(there) else 0


def begun_by_meant(name: str, key: str, words: Lexicon) -> int:
    """Score a name that begins with other words for the same: "Sign in to continue"."""
    for saying, meant in words.same.items():
        if meant == words.same[key] and name.startswith(f"{saying} "):
            return BEGUN - 8
    return 0


def squeezed(key: str) -> str:
    return key.replace(" ", "").replace("'", "")


def partial(name: str, key: str, words: Lexicon, *, whole: bool = False) -> int:
    """Score a name that holds what was said, and more; ``whole`` if only as it was said."""
    if not name:
        return 0
    if len(name) > len(key):
        more = name.count(" ") - key.count(" ")
        if name.startswith(key) and name[len(key)] == " ":
            return BEGUN - min(more, MOST_MORE) // 2
        if f" {key} " in f" {name} ":
            before = name.partition(key)[0].split()
            if before and before[-1] in words.about and name.endswith(key):
                return ABOUT  # "More actions for X" is not X
            if before and before[0] in words.seeking:
                return ABOUT  # "Search the map" is no map
            return HELD - min(more, MOST_MORE) // 2
    if whole:
        return 0
    said, there = key.split(), name.split()
    content = [word for word in said[:-1] if word not in words.little] + said[-1:]  # "row A"
    known = {singular(word) for word in there}
    if all(singular(word) in known for word in content):
        more = len(there) - len(said)
        if more > MUCH_MORE or not has_numbers((name,), said):
            return 0  # a long text has many words; "final 5" is not "final 2, court 5"
        return WORDS - min(max(more, 0), MOST_MORE) // 2
    return 0


def has_numbers(names: Iterable[str], said: Sequence[str]) -> bool:
    """Tell whether each number stands behind the same word as it was said, in one of some names."""
    pairs = [f" {one} {other} " for one, other in pairwise(said) if other.isdecimal()]
    texts = [f" {name} " for name in names] if pairs else []
    return all(any(pair in text for text in texts) for pair in pairs)


def signs_in(names: Iterable[str]) -> Iterator[str]:
    """Give the names, and the signs that stand before a count."""
    for name in names:
        yield name
        first, _, rest = name.partition(" ")
        if rest and not rest[0].isalpha() and not first.isalnum():
            yield first


def is_pictured(seen: Seen) -> bool:
    """Tell whether people see a picture, and no name."""
    short = len(seen.key) <= 2  # noqa: PLR2004
    return short or bool(seen.affords & ICON and seen.affords & ~ICON)


def by_weak(seen: Seen, key: str, words: Lexicon) -> int:
    """Know what has no name of its own by the words of its id and classes, and what it shows."""
    weak = seen.element.weak
    names = (seen.element.name, *seen.element.others)
    meant = next((words.signs[sign] for sign in signs_in(names) if sign in words.signs), None)
    if not weak and not meant and not seen.affords & ICON:
        return 0
    known = set(weak.split())
    said = [word for word in key.split() if word not in words.little]
    if not said:
        return 0
    if meant and (squeezed(key) in meant.split() or all(word in meant.split() for word in said)):
        return SIGN
    if all(word in known or singular(word) in known for word in said):
        whole = int(set(key.split()) <= known)  # "zoom in" is not "zoom out"
        return WEAK + whole if not seen.key else WEAK - 10
    if not is_pictured(seen):
        return 0
    known |= set(seen.key.split())  # of an icon that is called "Settings" people see the gear
    if squeezed(key) in known:
        return WEAK
    known |= {part for word in known for part in word.split("-")}
    shown = [bool(known & words.icons.get(word, frozenset())) for word in (squeezed(key), *said)]
    if shown[0] or all(shown[1:]):
        return PICTURED
    return 0
