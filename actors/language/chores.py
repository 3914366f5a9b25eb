"""Chores that name their result: "add a product Lamp for 20", "rename Ada to Eve".

A chore is read into slots: the thing, what is to be of it, the values. How a page calls the thing
and its fields is not known here: each slot gives the ways in which it may be called, the best
first, and the page decides.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

import msgspec

from actors.language.words import plural
from messages.taught import SLOT

SPACED_COLON = re.compile(r":(?=\s)")
PASSWORD = re.compile(r"(?P<before>.+?)\bpassword\s+(?P<password>\S.*)", re.IGNORECASE)
OWNED = re.compile(r"(?P<owner>\S.*?)['’]s (?P<kind>[a-z]+)")
LONGEST_KIND = 3
MOST_VALUES = 12


class ChoreWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words by which values are told apart, as in ``chores.toml``."""

    sign_in: tuple[str, ...]
    articles: frozenset[str]
    naming: tuple[str, ...]
    linking: frozenset[str]
    equal: frozenset[str]
    saved: frozenset[str]
    denied: frozenset[str]
    about: tuple[str, ...]
    coming: tuple[str, ...]
    finishing: tuple[str, ...]
    searching: frozenset[str]
    texts: tuple[str, ...]
    ordinals: tuple[str, ...]
    fields: dict[str, tuple[str, ...]]


@cache
def chore_words() -> ChoreWords:
    return msgspec.toml.decode((files(__package__) / "chores.toml").read_bytes(), type=ChoreWords)


@cache
def pattern_of(says: str) -> re.Pattern[str]:
    """Make a pattern of a way to say a chore: (one|other), (this|that):slot, [perhaps], {slot}."""
    parts: list[str] = []
    says = SPACED_COLON.sub(" : ", says)
    for token in re.findall(r"\([^)]*\)(?::\w+)?|\[[^\]]*\]|\{\w+\}|[^\s()\[\]{}]+", says):
        if token.startswith("("):
            words, _, name = token[1:].rpartition(")")
            parts.append(rf"(?P<{name[1:]}>{words})\s+" if name else rf"(?:{words})\s+")
        elif token.startswith("["):
            parts.append(rf"(?:(?:{token[1:-1]})\s+)?")
        elif slot := SLOT.fullmatch(token):
            parts.append(rf"(?P<{slot[1]}>.+?)\s+")
        else:
            parts.append(rf"{re.escape(token)}\s+")
    return re.compile("".join(parts), re.IGNORECASE)


def slots_in(text: str, says: Sequence[str]) -> dict[str, str] | None:
    """Read a chore by the first way to say it that fits; None if none does.

    >>> slots_in("Rename the category Textiles to Fabrics", ["rename [the|my] {thing} to {value}"])
    {'thing': 'category Textiles', 'value': 'Fabrics'}
    """
    said = " ".join(SPACED_COLON.sub(" : ", text.strip().rstrip(".!")).split()) + " "
    for each in says:
        if (found := pattern_of(each).fullmatch(said)) is not None:
            return {name: value.strip() for name, value in found.groupdict().items() if value}
    return None


def split_finish(text: str) -> tuple[str, str]:
    """Part a chore from what is to be done with it at last: "... and publish it".

    >>> split_finish("Add a page Moss and publish it")
    ('Add a page Moss', 'publish')
    """
    words = "|".join(chore_words().finishing)
    found = re.fullmatch(
        rf"(?P<chore>.+?),?\s+(?:and|then|and then)\s+(?P<finish>{words})"
        r"(?:\s+(?:it|them|that|(?:the|these|this|my)\s+\w+))?[.!]?",
        text.strip(),
        re.IGNORECASE,
    )
    if found is None or SPACED_COLON.search(found["chore"]) is not None:
        return text, ""  # what stands behind a colon is a text of its own
    return found["chore"], found["finish"].casefold()


def read_sign_in(text: str) -> dict[str, str] | None:
    """Read who signs in, and with what; None if nobody does.

    >>> read_sign_in("Log me in as ada, password engine1843")
    {'user': 'ada', 'password': 'engine1843'}
    """
    found = PASSWORD.fullmatch(text.strip())
    if found is None or found["password"].endswith("."):  # does the point belong to it?
        return None
    before = found["before"].replace(",", " ")
    slots = slots_in(f"{before} password hidden", chore_words().sign_in)
    said = found["password"]
    bare = said[1:-1] if len(said) > 1 and said[0] == said[-1] and said[0] in "\"'" else said
    return None if slots is None else {"user": slots["user"].strip("\"'"), "password": bare}


# Things and kinds


def ways_to_call(thing: str) -> tuple[str, ...]:
    """Give the ways in which a page may call a thing: with its kind, without, what it is about.

    >>> ways_to_call("the category Textiles")
    ('Textiles', 'category Textiles')
    >>> ways_to_call("ticket about the Italian menu")
    ('Italian menu', 'ticket about the Italian menu')
    """
    words = without_article(thing.split())
    said = " ".join(words)
    if (owned := OWNED.fullmatch(said)) is not None:
        return (owned["owner"], said)
    for about in chore_words().about:
        _, found, rest = said.partition(f" {about} ")
        if found:
            return (" ".join(without_article(rest.split())), said)
    for coming in chore_words().coming:
        if len(words) > len(coming.split()) + 1 and said.casefold().endswith(f" {coming}"):
            return (" ".join(words[1 : -len(coming.split())]), said)
    bare = said.strip("\"'")
    if len(words) > 1 and words[0].islower():
        rest = " ".join(words[1:]).strip("\"'")
        if rest.lstrip("#").isdecimal():
            return (bare, f"#{rest.lstrip('#')}", rest)
        return (rest, said) if is_name(rest) else (bare, rest)
    return (bare,)


def is_name(said: str) -> bool:
    """Tell whether words are written like a name or a number: then the word before is a kind."""
    return bool(said) and (said[0].isupper() or said[0].isdigit() or said[0] in "#/")


def kind_of_thing(thing: str) -> str:
    """Give the word for what a thing is, if one is said: "category" of "the category Textiles"."""
    words = without_article(thing.split())
    return words[0] if len(words) > 1 and words[0].islower() and words[0].isalpha() else ""


def without_article(words: Sequence[str]) -> list[str]:
    return list(words[1:] if words and words[0].casefold() in chore_words().articles else words)


def number_of_ordinal(said: str) -> str:
    """Give the number that an ordinal stands for: "2" for "second", and for "2nd"; else nothing."""
    key = said.casefold().strip()
    if key in chore_words().ordinals:
        return str(chore_words().ordinals.index(key) + 1)
    found = re.fullmatch(r"(\d+)(?:st|nd|rd|th)", key)
    return "" if found is None else found[1]


def names_of_kind(kind: str) -> tuple[str, ...]:
    """Give the ways to write several of a kind: "category" is listed under "Categories"."""
    head, _, last = kind.rpartition(" ")
    several = plural(last)
    return (f"{head} {several}".strip(),)


# New things and their values


@dataclass(frozen=True, slots=True)
class New:
    """A thing that is to be made: its kind, its name, and what else is said of it."""

    kind: str
    name: str
    values: tuple[str, ...]


def values_in(said: Sequence[str]) -> tuple[str, ...]:
    """Cut what is said of a thing into its single values; each has a word for its field.

    >>> values_in(["8 in stock", "a defect of minor priority in the map component"])
    ('8 in stock', 'a defect', 'of minor priority', 'in the map component')
    """
    found: list[str] = []
    for each in said:
        if each.casefold().startswith(chore_words().texts):
            found.append(each)
            continue
        values = cut_values(each)
        found += values if all(" " in value for value in values) else [each]
    return tuple(found)


def readings_of_new(what: str) -> Iterator[New]:
    """Give the ways to read what is to be made: its kind, its name, and values of it.

    >>> [(new.kind, new.name) for new in readings_of_new("event page Moss walk")]
    [('event page', 'Moss walk')]
    """
    head, *values = parts_of(what)
    for naming in chore_words().naming:
        kind, found, name = partition_word(head, naming)
        if found:
            yield New(kind, name.strip(" \"'"), tuple(values))
            return
    quoted = re.search(r"[\"'“‘](.+?)[\"'”’]", head)
    if quoted is not None:
        kind, rest = head[: quoted.start()].strip(), head[quoted.end() :].strip()
        yield New(kind, quoted[1], (*((rest,) if rest else ()), *values))
        return
    if ":" in head:
        kind, _, name = head.partition(":")
        yield New(kind.strip(), name.strip(), tuple(values))
        return
    words = head.split()
    if len(words) == 1:
        yield New(head, "", tuple(values))
        return
    first = next((at for at, word in enumerate(words) if at and is_name(word)), 1)
    if words[first - 1].casefold() in chore_words().linking:  # "an order for Tom Baker"
        kind, *inner = cut_at_links(head)
        yield New(kind, "", (*inner, *values))
        return
    name, *inner = cut_at_links(" ".join(words[first:]))
    yield New(" ".join(words[:first]), name, (*inner, *values))


def partition_word(text: str, word: str) -> tuple[str, str, str]:
    """Cut a text at a word."""
    found = re.search(rf"(?:^|\s){re.escape(word)}(?:\s|$)", text, re.IGNORECASE)
    if found is None:
        return text, "", ""
    return text[: found.start()].strip(), word, text[found.end() :].strip()


def parts_of(text: str) -> list[str]:
    """Cut what is said of a new thing at commas, at "and" and at "with".

    What is a text itself has commas of its own: it reaches to the end.

    >>> parts_of("page Soup, tagged Warm, with the text leeks, salt and time")
    ['page Soup', 'tagged Warm', 'text leeks, salt and time']
    """
    words = "|".join(chore_words().texts)
    found = re.search(rf"(?:,|\s(?:with|and))\s+(?:the\s+|an?\s+)?(?={words})", text, re.IGNORECASE)
    rest = [] if found is None else [text[found.end() :].strip()]
    head = text if found is None else text[: found.start()]
    pieces = re.split(r",\s+(?:and\s+)?|\s+and\s+(?=\w+\s+\S)|\s+with\s+(?:the\s+|an?\s+)?", head)
    parts = [piece.strip(" ,") for piece in pieces if piece and piece.strip(" ,")]
    return [*parts[: 1 + MOST_VALUES], *rest]


def cut_at_links(text: str) -> list[str]:
    """Cut a name from what is said behind it: "Venus flytrap of the family Droseraceae"."""
    name, *values = cut_values(text) or [text]
    return [name.strip(" \"'"), *values]


def cut_values(text: str) -> list[str]:
    """Cut a text before every word that leads to a value."""
    pattern = "|".join(map(re.escape, sorted(chore_words().linking, key=len, reverse=True)))
    starts = [match.start() for match in re.finditer(rf"\s(?:{pattern})(?=\s)", text)]
    pieces = [text[a:b].strip() for a, b in pairwise([0, *starts, len(text)])]
    return [piece for piece in pieces if piece]


def fields_and_values(said: str) -> Iterator[tuple[str, str]]:
    """Give the ways to read one value: "category Kitchen", "8 in stock", "of minor priority".

    A value is what was said: words are left out before it, and never within it.

    >>> list(fields_and_values("price 19.90"))[0], list(fields_and_values("8 in stock"))[-1]
    (('price', '19.90'), ('stock', '8'))
    >>> list(fields_and_values("time 10:30"))[0], list(fields_and_values("from New York"))[0]
    (('time', '10:30'), ('city', 'New York'))
    """
    words = SPACED_COLON.sub(" ", f"{said} ").split()
    known = chore_words().fields
    while words and words[0].casefold() in leading_words() and words[0].casefold() not in known:
        words = words[1:]
    if len(words) > 1:
        value = " ".join(without_leading(words[1:]))
        yield from ((field, value) for field in known.get(words[0].casefold(), ()))
        yield from named_first(words)
        yield from named_last(words)


def leading_words() -> frozenset[str]:
    return chore_words().linking | chore_words().articles | chore_words().equal


def without_leading(words: Sequence[str]) -> list[str]:
    """Leave out what leads to a value: "to", "of the"."""
    rest = list(words)
    while len(rest) > 1 and rest[0].casefold() in leading_words():
        rest = rest[1:]
    return rest


def named_first(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Read the field before its value, in as many words as it may have: "first name Ada"."""
    for count in range(min(LONGEST_KIND, len(words) - 1), 0, -1):
        value = " ".join(without_leading(words[count:]))
        yield " ".join(words[:count]), value.strip("\"'")


def named_last(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Read the field behind its value: "8 in stock", "minor priority"."""
    kin = chore_words().fields.get(words[-1].casefold(), ())
    for name in kin:  # "30 cm high": with its unit, or without
        yield from ((name, " ".join(words[:count])) for count in range(len(words) - 1, 0, -1))
    for count in range(1, min(LONGEST_KIND, len(words) - 1) + 1):
        field, value = without_leading(words[-count:]), list(words[:-count])
        while len(value) > 1 and value[-1].casefold() in leading_words():
            value.pop()
        if field[0].casefold() not in leading_words():
            yield " ".join(field), " ".join(value).strip("\"'")


def values_said(words: str) -> Iterator[tuple[str, str]]:
    """Give the fields and values of a chore that is said in one: "add a boat called Alba".

    >>> list(values_said("add a boat called Alba, length 12"))
    [('boat', 'Alba'), ('length', '12')]
    """
    for lead in ("a ", "an ", "new ", "another "):
        _, found, what = words.partition(f" {lead}")
        if not found:
            continue
        new = next(readings_of_new(what), None)
        if new is None or not new.name:
            return
        yield new.kind, new.name
        for said in values_in(new.values):
            yield from list(fields_and_values(said))[:1]
        return
