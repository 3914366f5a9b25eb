"""Words for a thing on a page, as descriptions: every way in which they can be read.

A button may be called "Go to cart" or "Next to last": so every reading is kept, the words as they
stand first, and what the page holds decides between them.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from actors.language.describing import (
    LONGEST_RELATION,
    PAIR,
    Description,
    described,
    ends_with_kind,
    joined_sides,
    named,
    says_relation,
)
from actors.language.lexicon import Kind, Lexicon, lexicon
from actors.language.tokens import (
    Token,
    is_quoted,
    name_of,
    tokens_of,
    without_articles,
)

MOST_READINGS = 60
MOST_WORDS = 60  # of a description; more can only be a name
# A letter in parentheses that the word before it begins with.
GLOSS = re.compile(r"\b((\w)\w+)\s\(\2\)", re.IGNORECASE)
TIME = re.compile(r"\d{1,2}[:.]\d\d")
ABOUT_PARTS = frozenset({"in", "of", "for", "row", "with"})
SIDES = {"left": (-1, 0), "right": (1, 0), "above": (0, -1), "below": (0, 1)}
# A field stands so to its own label: "the field under Email" may be the one called Email.
LABELLED = frozenset({"under", "below", "beside", "by", "for", "with", "in", "of"})
FIELDS = frozenset(
    {
        "textbox",
        "searchbox",
        "spinbutton",
        "date",
        "combobox",
        "listbox",
        "checkbox",
        "radio",
        "switch",
    }
)
DEEPEST = 3  # things told by others that are told by others


@lru_cache(maxsize=512)
def descriptions(text: str) -> tuple[Description, ...]:
    """Read words in every way."""
    tokens = tokens_of(text)
    if len(tokens) > MOST_WORDS:
        return (Description(name_of(tokens), literal=True),)
    found = read(tokens, lexicon(), 0)
    glossed = GLOSS.sub(r"\1", text)
    if glossed != text and '"' not in text:  # "the Bold (B) button" is called Bold
        found += [replace(what, literal=False) for what in read(tokens_of(glossed), lexicon(), 0)]
    return tuple(dict.fromkeys(found))


def read(tokens: tuple[Token, ...], words: Lexicon, depth: int) -> list[Description]:
    """Read words: as a name as they stand; by their parts; by their relation to another thing."""
    found: dict[Description, None] = {}
    bare = without_articles(tokens, words)
    if not bare:
        return []
    whole = name_of(bare)
    unkind = ends_with_kind(bare, words)
    exact = any(token.quoted for token in bare)  # what is partly quoted is no loose name
    found[Description(whole, quoted=exact, literal=True, unkind=unkind)] = None
    for what in described(tokens, words):
        found[what] = None
    if len(bare) == PAIR and bare[1].quoted and not bare[0].quoted:
        found.setdefault(
            Description(name_of(bare[1:]), quoted=True, cut=True)
        )  # the ticket "No sound"
    if len(bare) > 1 and not bare[-1].quoted and bare[-1].key in words.trailing:
        for what in read(tokens[:-1], words, depth):
            found.setdefault(replace(what, literal=False, cut=True))
    if len(without_label_noun(bare)) < len(bare):  # "the Zip code text" says Zip code
        for what in read(without_label_noun(tokens), words, depth):
            found.setdefault(replace(what, literal=False, cut=True))
    if depth < DEEPEST:
        for what in related(tokens, words, depth):
            found.setdefault(what)
            if len(found) >= MOST_READINGS:
                break
    return list(found)


# By its relation to another thing


def related(tokens: tuple[Token, ...], words: Lexicon, depth: int) -> Iterator[Description]:
    """Cut at every word for a relation: what is before it is the thing, what follows tells it."""
    yield from owned(tokens, words, depth)
    yield from between(tokens, words, depth)
    said = 0
    for at in range(1, len(tokens) - 1):
        if tokens[at].quoted or at < said:
            continue  # the second half of "left of", the end of "in the row of"
        for length in range(LONGEST_RELATION, 0, -1):
            saying = tuple(token.key for token in tokens[at : at + length])
            rest = tokens[at + length :]
            if len(saying) < length or not rest:
                continue
            if saying in words.naming:
                yield from called(tokens[:at], rest, words, depth)
                break
            relation = words.relations.get(saying)
            if relation == "in" and TIME.match(rest[0].key):
                relation = "with"  # "the event at 14:00" has its time in it
            if relation is not None:
                said = at + length
                of_kind = length == 1 and saying[0] in words.of_kinds
                for what in placed(tokens[:at], relation, rest, words, depth):
                    if not of_kind or (what.kind is not None and not what.name):
                        yield what
                break


def bases(tokens: tuple[Token, ...], words: Lexicon) -> list[Description]:
    """Give the readings of words that stand before a relation."""
    found = dict.fromkeys(described(tokens, words))
    bare = without_articles(tokens, words)
    if bare and not (len(bare) == 1 and bare[0].key in words.articles):
        found.setdefault(Description(name_of(bare), quoted=is_quoted(bare)))
    return list(found)


def owned(tokens: tuple[Token, ...], words: Lexicon, depth: int) -> Iterator[Description]:
    """Read "Invoice 17's Remove link"."""
    for at, token in enumerate(tokens[:-1]):
        if not token.quoted and token.key.endswith("'s") and len(token.key) > 2:  # noqa: PLR2004
            owner = (*tokens[:at], Token(token.text[:-2]))
            if says_relation(owner, words):
                continue  # "the icon next to Ann's message"
            yield from placed(tokens[at + 1 :], "for", owner, words, depth)
            for base in bases(tokens[at + 1 :], words):
                if base.kind is not None and not base.name:
                    yield named(base, without_articles(owner, words))


def between(tokens: tuple[Token, ...], words: Lexicon, depth: int) -> Iterator[Description]:
    """Read "the button between Opening times and Newsletter"."""
    for at in range(1, len(tokens) - 3):
        if tokens[at].quoted or tokens[at].key != "between":
            continue
        for joint in range(at + 2, len(tokens) - 1):
            if tokens[joint].quoted or tokens[joint].key != "and":
                continue
            one = tuple(read(tokens[at + 1 : joint], words, depth + 1))
            other = tuple(read(tokens[joint + 1 :], words, depth + 1))
            for base in bases(tokens[:at], words):
                what = replace(base, relation="after", to=one)
                yield replace(
                    what,
                    within=Description(relation="before", to=other),
                    ordinal=base.ordinal or 1,
                )


def called(
    before: tuple[Token, ...], rest: tuple[Token, ...], words: Lexicon, depth: int
) -> Iterator[Description]:
    """Read "the field labelled Email", also "... in the footer"."""
    for base in [
        *bases(before, words),
        *(related(before, words, depth + 1) if depth < DEEPEST else ()),
    ]:
        if not base.name:
            yield replace(base, name=name_of(rest), quoted=is_quoted(rest))
            for what in read(rest, words, depth + 1):
                if what.relation is not None or what.side is not None:
                    yield replace(
                        what,
                        kind=base.kind or what.kind,
                        ordinal=base.ordinal,
                        colours=base.colours or what.colours,
                    )


def placed(
    before: tuple[Token, ...],
    relation: str,
    rest: tuple[Token, ...],
    words: Lexicon,
    depth: int,
) -> Iterator[Description]:
    """Read what stands before and after a relation."""
    if not rest[0].quoted and rest[0].key in words.joints:
        return  # "signed in and ...": no relation, but the end of a name
    near = relation not in ABOUT_PARTS  # "just above", "right next to"; not "Move right" in a part
    while near and len(before) > 1 and not before[-1].quoted and before[-1].key in words.adverbs:
        before = before[:-1]
    sides, is_whole_place = on_sides(before, relation, rest, words)
    yield from sides
    to = () if is_whole_place else tuple(read_place(rest, words, depth + 1))
    if not to:
        return
    heads = bases(before, words)
    if is_mere_list(rest, words):
        yield from (base for base in heads if base.ordinal is not None and base.kind is not None)
    if depth < DEEPEST - 1:
        heads = [
            *heads,
            *(what for what in related(before, words, depth + 1) if what.relation),
        ]
    for base in heads:
        yield from standing_to(base, relation, rest, to, words)


def read_place(tokens: tuple[Token, ...], words: Lexicon, depth: int) -> list[Description]:
    """Read what a thing is in; "the Orders list" may be all that stands under "Orders"."""
    found = read(tokens, words, depth)
    bare = without_articles(tokens, words)
    if len(bare) > 1 and not bare[-1].quoted and bare[-1].key in words.listings:
        found += read(tokens[:-1], words, depth)
    return found


def is_mere_list(tokens: tuple[Token, ...], words: Lexicon) -> bool:
    """Tell whether words say no more than that there is a list."""
    bare = without_articles(tokens, words)
    return all(not token.quoted and token.key in words.listings for token in bare)


def on_sides(
    before: tuple[Token, ...], relation: str, rest: tuple[Token, ...], words: Lexicon
) -> tuple[list[Description], bool]:
    """Read a side of the screen or of a part; tell whether the words can mean no other place."""
    if relation in SIDES and is_whole(rest, words):  # "on the left side of the screen"
        return [replace(base, side=SIDES[relation]) for base in bases(before, words)], True
    free = [base for base in bases(before, words) if base.side is None]
    side = side_in(rest, words) if relation in {"in", "above"} else None
    if side is not None:
        way, beyond = side
        there = [replace(base, side=way) for base in free]
        if beyond is not None:
            there = [replace(base, relation="in", to=beyond) for base in there]
        return there, True
    part = side_of_part(rest, words) if relation in {"in", "of"} else None
    return ([] if part is None else [replace(base, side=part) for base in free]), False


def standing_to(
    base: Description,
    relation: str,
    rest: tuple[Token, ...],
    to: tuple[Description, ...],
    words: Lexicon,
) -> Iterator[Description]:
    """Read a thing by what it is told by: as its name, as its label, or as another thing."""
    told = without_articles(rest, words)
    if base.kind is not None and not base.kind.holds and not base.name and base.relation is None:
        if relation == "of":
            yield named(base, told)  # "the picture of the harbour"
        if relation in LABELLED and is_field(base.kind):
            yield named(base, without_label_noun(told))
    if base.kind is not None and base.kind.word == "page" and is_mere_kind(to):
        yield base  # "page 2 of the table" is not in the table
    if base.relation is None:
        yield replace(base, relation=relation, to=to, literal=False)
    else:
        yield replace(base, within=Description(relation=relation, to=to), literal=False)


def is_field(kind: Kind | None) -> bool:
    """Tell whether a word says that something is filled in or ticked: it has a label."""
    return kind is not None and not FIELDS.isdisjoint(kind.real)


def without_label_noun(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Leave out the word for a label: "the Email text" says Email."""
    if len(tokens) > 1 and not tokens[-1].quoted and tokens[-1].key in lexicon().label_nouns:
        return tokens[:-1]
    return tokens


def is_mere_kind(descriptions: tuple[Description, ...]) -> bool:
    """Tell whether words only say what something is: "the table"."""
    return any(
        what.kind is not None and not what.name and not what.relation for what in descriptions
    )


def is_whole(tokens: tuple[Token, ...], words: Lexicon) -> bool:
    """Tell whether words mean the page or the screen as a whole."""
    bare = without_articles(tokens, words)
    return len(bare) == 1 and not bare[0].quoted and bare[0].key in words.whole


def side_of_part(tokens: tuple[Token, ...], words: Lexicon) -> tuple[int, int] | None:
    """Give the side that a part of the page is said to be on: "the left sidebar", "the top bar"."""
    rest = without_articles(tokens, words)
    way: tuple[int, int] | None = None
    while len(rest) > 1 and not rest[0].quoted and rest[0].key in words.sides:
        way = joined_sides(way, words.sides[rest[0].key])
        rest = rest[1:]
    if way is None or any(token.quoted for token in rest):
        return None
    kind = words.kinds.get(tuple(token.key for token in rest))
    return way if kind is not None and kind.holds else None


def side_in(
    tokens: tuple[Token, ...], words: Lexicon
) -> tuple[tuple[int, int] | None, tuple[Description, ...] | None] | None:
    """Read "the upper right corner of the page" as a side of the screen; None if it is none."""
    rest = without_articles(tokens, words)
    way: tuple[int, int] | None = None
    if len(rest) > 2 and rest[0].key in words.side_nouns and rest[1].key == "of":  # noqa: PLR2004
        inner = tuple(read(rest[2:], words, DEEPEST))
        return (None, inner) if inner else None
    while rest and not rest[0].quoted and rest[0].key in words.sides:
        way = joined_sides(way, words.sides[rest[0].key])
        rest = rest[1:]
    if way is None:
        return None
    while rest and not rest[0].quoted and rest[0].key in words.side_nouns:
        rest = rest[1:]
    if not rest:
        return way, None
    if rest[0].key in {"of", "in", "on"}:
        of = without_articles(rest[1:], words)
        if len(of) == 1 and of[0].key in words.whole:
            return way, None
        inner = tuple(read(rest[1:], words, DEEPEST))
        return (way, inner) if inner else None
    return None


def is_whole_page(text: str) -> bool:
    """Tell whether words mean the page itself."""
    words = lexicon()
    bare = without_articles(tokens_of(text), words)
    keys = [token.key for token in bare if not token.quoted]
    return (
        len(keys) == len(bare)
        and set(keys) <= words.whole | words.entire
        and bool(set(keys) & words.whole)
    )
