"""Words that are of one family: the same word in another form, or another word for the same.

Pure. Used where what people say is compared with what a page calls its columns and things.
"""

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files

import msgspec

from actors.language.words import singular

# Longest first: "organisers" and "organising" are both of "organis".
ENDINGS = (
    "ations", "ation", "ments", "ment", "ances", "ance", "ings", "ing", "ions", "ion", "ures",
    "ure", "ers", "er", "ors", "or", "als", "al", "ies", "ied", "ier", "ees", "ee", "ed", "es",
    "s", "e", "y",
)  # fmt: skip
SHORTEST_STEM = 4


class KinTable(msgspec.Struct, frozen=True):
    """Groups of words for the same thing, and irregular forms, as in ``kinship.toml``."""

    alike: tuple[tuple[str, ...], ...]
    forms: Mapping[str, str]


@cache
def kin_table() -> KinTable:
    return msgspec.toml.decode((files(__package__) / "kinship.toml").read_bytes(), type=KinTable)


@cache
def groups_by_word() -> Mapping[str, tuple[str, ...]]:
    """Give for every word the words that may stand for it."""
    found: dict[str, dict[str, None]] = {}
    for group in kin_table().alike:
        for word in group:
            found.setdefault(singular(word), {}).update(dict.fromkeys(group))
    return {word: tuple(words) for word, words in found.items()}


def alike(word: str) -> tuple[str, ...]:
    """Give the other words for what a word says; none if there are none.

    >>> "track" in alike("songs"), alike("sword")
    (True, ())
    """
    return groups_by_word().get(singular(word), ())


@lru_cache(maxsize=1024)
def agents_of(word: str) -> tuple[str, ...]:
    """Give a word and the nouns of our groups that are made of it: a teacher teaches.

    >>> agents_of("teaches")
    ('teaches', 'teacher')
    """
    known = (each for each in groups_by_word() if " " not in each)
    forms = tuple(dict.fromkeys(forms_of(word)))
    made = (each for each in known if any(is_kin(form, each) for form in forms))
    return (word, *made)


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Give what the forms of a word, and the nouns made of it, have in common.

    >>> [stem(word) for word in ("teaches", "teacher", "renewed", "renewals", "modify", "modified")]
    ['teach', 'teach', 'renew', 'renew', 'modif', 'modif']
    """
    for ending in ENDINGS:
        bare = word.removesuffix(ending)
        if bare != word and len(bare) >= SHORTEST_STEM:
            return bare[:-1] if bare[-1] == bare[-2] and bare[-1] not in "aeiousl" else bare
    return word


def is_kin(one: str, other: str) -> bool:
    """Tell whether two words are forms of one word: "manages" and "manager".

    >>> is_kin("manages", "manager"), is_kin("lends", "lender"), is_kin("state", "station")
    (True, True, False)
    """
    first = stem(one)
    if len(first) < SHORTEST_STEM or first != stem(other):
        return False
    short, long = sorted((singular(one), singular(other)), key=len)
    return len(first) > SHORTEST_STEM or long.startswith(short)


def forms_of(word: str) -> Iterator[str]:
    """Give a word and what it is a form of: "leaves", "leaving" and "left" of "leave"."""
    yield word
    yield singular(word)
    if (base := kin_table().forms.get(word)) is not None:
        yield base
    for end in ("ing", "ed", "s", "es", "d"):
        if word.endswith(end) and len(word) > len(end) + 2:
            bare = word.removesuffix(end)
            yield bare
            yield f"{bare}e"
            if bare[-1:] == bare[-2:-1]:
                yield bare[:-1]
