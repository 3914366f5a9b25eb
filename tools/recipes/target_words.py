"""Words for a thing in a page: ``second "Edit" button in the row of "Kettle"``.

It writes such words and reads them. It knows no page: whether there is such a thing is not asked.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files

import msgspec

LONGEST_QUOTE = 200  # what Behest reads as one text in quotes
LONGEST_WORDS = 1_000
FIELD, BOX, DROPDOWN, ROW = "field", "checkbox", "dropdown", "row"
QUOTED = r'"[^"]*"|“[^”]*”|«[^»]*»'


class TargetTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words for kinds of things and for their order, as in ``target_words.toml``."""

    no_names: frozenset[str]
    ordinals: tuple[str, ...]
    last: str
    controls: dict[str, tuple[str, ...]]
    places: dict[str, tuple[str, ...]]
    synonyms: dict[str, str]


TABLE = msgspec.toml.decode(
    files(__package__).joinpath("target_words.toml").read_bytes(), type=TargetTable
)
ROLES: Mapping[str, tuple[str, ...]] = {**TABLE.controls, **TABLE.places}
KINDS = {role: kind for kind, roles in ROLES.items() for role in roles}
ORDINALS = {**dict(enumerate(TABLE.ordinals, start=1)), -1: TABLE.last}
NUMBERS = {word: number for number, word in ORDINALS.items()}


class Unsayable(Exception):
    """There are no words for a thing; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Target:
    """What Behest's words say of a thing: its name, its kind, which one of several, and where.

    A name that is not ``quoted`` is one that the page may write in another way. ``is_box``: the
    thing was found as a box with a text in it.
    """

    name: str = ""
    kind: str = ""
    quoted: bool = True
    ordinal: int = 0
    place: "Target | None" = None
    is_box: bool = field(default=False, compare=False)


# Writing


def words_of(target: Target) -> str:
    """Write the words for a thing.

    >>> words_of(Target("Edit", "button", ordinal=2, place=Target("Kettle", "row")))
    'second "Edit" button in the row of "Kettle"'
    """
    name = in_quotes(target.name) if target.quoted and target.name else target.name
    parts = [ordinal_words(target.ordinal), name]
    if target.quoted or not f" {name}".endswith(f" {target.kind}"):  # "search field"
        parts.append(target.kind)
    place = target.place
    if place is not None and place.kind == ROW and place.name:
        parts.append(f"in the row of {in_quotes(place.name)}")
    elif place is not None:
        parts += ["in the", in_quotes(place.name) if place.name else "", place.kind]
    return " ".join(filter(None, parts))


def in_quotes(text: str) -> str:
    """Put a text in quotes that it has not in itself."""
    if text.strip() and len(text) <= LONGEST_QUOTE:
        for first, last in ('""', "“”", "«»"):
            if first not in text and last not in text:
                return f"{first}{text}{last}"
    raise Unsayable("a text that cannot be said in quotes")


def ordinal_words(number: int) -> str:
    """Say which one of several; nothing for 0.

    >>> [ordinal_words(number) for number in (2, -1, 13, 22, 0)]
    ['second', 'last', '13th', '22nd', '']
    """
    if number == 0 or number in ORDINALS:
        return ORDINALS.get(number, "")
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ends.get(number % 10, 'th')}"


# Reading


def any_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


KIND_WORDS = any_of((*ROLES, *TABLE.synonyms))
PLACE_WORDS = any_of(
    (*TABLE.places, *(word for word, kind in TABLE.synonyms.items() if kind in TABLE.places))
)
ORDINAL_WORDS = any_of(NUMBERS) + r"|\d+(?:st|nd|rd|th)"
IN_PLACE = (
    rf" in the (?:row of (?P<row>{QUOTED}|[^\"“«]+)"
    rf"|(?:(?P<part>{QUOTED}|[^\"“«]+?) )?(?P<part_kind>{PLACE_WORDS}))"
)
# A number in a row counts only before a quoted name or a mere kind: "last name" is a name.
TARGET_WORDS = re.compile(
    rf"(?:the )?(?:(?:(?P<ordinal>{ORDINAL_WORDS}) )?(?:(?P<quoted>{QUOTED})(?: (?P<kind>"
    rf"{KIND_WORDS}))?|(?P<mere_kind>{KIND_WORDS}))|(?P<loose>[^\"“«]+?)(?: (?P<loose_kind>"
    rf"{KIND_WORDS}))?)(?:{IN_PLACE})?",
    re.IGNORECASE,
)


def target_in(words: str) -> Target | None:
    """Read words for one thing; None if they cannot be read, or mean several.

    >>> target_in('"Edit" in the row of Kettle').place
    Target(name='Kettle', kind='row', quoted=False, ordinal=0, place=None, is_box=False)
    >>> target_in("the last name field").name
    'last name'
    """
    words = " ".join(words.split())
    if len(words) > LONGEST_WORDS or begins_as_no_name(words):
        return None
    found = TARGET_WORDS.fullmatch(words)
    if found is None:
        return None
    name = found["quoted"] or found["loose"] or ""
    kind = found["kind"] or found["mere_kind"] or found["loose_kind"] or ""
    return Target(
        without_quotes(name),
        kind_of(kind),
        is_in_quotes(name),
        number_of(found["ordinal"]),
        place_in(found),
    )


def begins_as_no_name(words: str) -> bool:
    """Tell whether words mean several things, or one that was spoken of."""
    return words.partition(" ")[0].casefold() in TABLE.no_names


def place_in(found: re.Match[str]) -> Target | None:
    """Give the place that words end with."""
    if found["row"] is not None:
        return Target(without_quotes(found["row"]), ROW, is_in_quotes(found["row"]))
    if found["part_kind"] is not None:
        name = found["part"] or ""
        return Target(without_quotes(name), kind_of(found["part_kind"]), is_in_quotes(name))
    return None


def kind_of(word: str) -> str:
    return TABLE.synonyms.get(word.casefold(), word.casefold())


def is_in_quotes(name: str) -> bool:
    return not name or name[0] in '"“«'


def without_quotes(name: str) -> str:
    return name[1:-1] if name and is_in_quotes(name) else name


def number_of(word: str | None) -> int:
    """Read a number in a row; 0 if there is none."""
    if word is None:
        return 0
    return NUMBERS.get(word.casefold()) or int(re.sub(r"\D", "", word))
