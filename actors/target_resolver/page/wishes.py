"""Words for a thing on a page, as wishes: every way in which they can be read.

A button may be called "Go to cart" or "Next to last": so every reading is kept, the words as they
stand first, and what the page holds decides between them.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from actors.target_resolver.page.describing import (
    LONGEST_RELATION,
    PAIR,
    Wish,
    described,
    ends_with_kind,
    joined_sides,
    named,
    says_relation,
)
from actors.target_resolver.page.lexicon import Lexicon, lexicon
from actors.target_resolver.page.tokens import (
    Token,
    is_quoted,
    name_of,
    tokens_of,
    without_articles,
)

MOST_READINGS = 60
MOST_WORDS = 60  # of a description; more can only be a name
TIME = re.compile(r"\d{1,2}[:.]\d\d")
ABOUT_PARTS = frozenset({"in", "of", "for", "row", "with"})
DEEPEST = 3  # things told by others that are told by others


@lru_cache(maxsize=512)
def wishes(text: str) -> tuple[Wish, ...]:
    """Read words in every way."""
    tokens = tokens_of(text)
    if len(tokens) > MOST_WORDS:
        return (Wish(name_of(tokens), literal=True),)
    return tuple(read(tokens, lexicon(), 0))


def read(tokens: tuple[Token, ...], words: Lexicon, depth: int) -> list[Wish]:
    """Read words: as a name as they stand; by their parts; by their relation to another thing."""
    found: dict[Wish, None] = {}
    bare = without_articles(tokens, words)
    if not bare:
        return []
    whole = name_of(bare)
    unkind = ends_with_kind(bare, words)
    exact = any(token.quoted for token in bare)  # what is partly quoted is no loose name
    found[Wish(whole, quoted=exact, literal=True, unkind=unkind)] = None
    for wish in described(tokens, words):
        found[wish] = None
    if len(bare) == PAIR and bare[1].quoted and not bare[0].quoted:
        found.setdefault(Wish(name_of(bare[1:]), quoted=True, cut=True))  # the ticket "No sound"
    if len(bare) > 1 and not bare[-1].quoted and bare[-1].key in words.trailing:
        for wish in read(tokens[:-1], words, depth):
            found.setdefault(replace(wish, literal=False, cut=True))
    if depth < DEEPEST:
        for wish in related(tokens, words, depth):
            found.setdefault(wish)
            if len(found) >= MOST_READINGS:
                break
    return list(found)


# By its relation to another thing


def related(tokens: tuple[Token, ...], words: Lexicon, depth: int) -> Iterator[Wish]:
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
                for wish in placed(tokens[:at], relation, rest, words, depth):
                    if not of_kind or (wish.kind is not None and not wish.name):
                        yield wish
                break


def bases(tokens: tuple[Token, ...], words: Lexicon) -> list[Wish]:
    """Give the readings of words that stand before a relation."""
    found = dict.fromkeys(described(tokens, words))
    bare = without_articles(tokens, words)
    if bare and not (len(bare) == 1 and bare[0].key in words.articles):
        found.setdefault(Wish(name_of(bare), quoted=is_quoted(bare)))
    return list(found)


def owned(tokens: tuple[Token, ...], words: Lexicon, depth: int) -> Iterator[Wish]:
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


def between(tokens: tuple[Token, ...], words: Lexicon, depth: int) -> Iterator[Wish]:
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
                wish = replace(base, relation="after", to=one)
                yield replace(
                    wish, within=Wish(relation="before", to=other), ordinal=base.ordinal or 1
                )


def called(
    before: tuple[Token, ...], rest: tuple[Token, ...], words: Lexicon, depth: int
) -> Iterator[Wish]:
    """Read "the field labelled Email", also "... in the footer"."""
    for base in [
        *bases(before, words),
        *(related(before, words, depth + 1) if depth < DEEPEST else ()),
    ]:
        if not base.name:
            yield replace(base, name=name_of(rest), quoted=is_quoted(rest))
            for wish in read(rest, words, depth + 1):
                if wish.relation is not None or wish.side is not None:
                    yield replace(
                        wish,
                        kind=base.kind or wish.kind,
                        ordinal=base.ordinal,
                        colours=base.colours or wish.colours,
                    )


def placed(
    before: tuple[Token, ...],
    relation: str,
    rest: tuple[Token, ...],
    words: Lexicon,
    depth: int,
) -> Iterator[Wish]:
    """Read what stands before and after a relation."""
    if not rest[0].quoted and rest[0].key in words.joints:
        return  # "signed in and ...": no relation, but the end of a name
    near = relation not in ABOUT_PARTS  # "just above", "right next to"; not "Move right" in a part
    while near and len(before) > 1 and not before[-1].quoted and before[-1].key in words.adverbs:
        before = before[:-1]
    side = side_in(rest, words) if relation in {"in", "above"} else None
    if side is not None:
        way, beyond = side
        for base in bases(before, words):
            if base.side is None:
                wish = replace(base, side=way)
                yield (wish if beyond is None else replace(wish, relation="in", to=beyond))
        return
    to = tuple(read(rest, words, depth + 1))
    if not to:
        return
    heads = bases(before, words)
    if depth < DEEPEST - 1:
        heads = [*heads, *(wish for wish in related(before, words, depth + 1) if wish.relation)]
    for base in heads:
        shows = base.kind is not None and not base.kind.holds and not base.name
        if relation == "of" and shows and base.relation is None:
            yield named(base, without_articles(rest, words))  # "the picture of the harbour"
        if base.kind is not None and base.kind.word == "page" and is_mere_kind(to):
            yield base  # "page 2 of the table" is not in the table
        if base.relation is None:
            yield replace(base, relation=relation, to=to, literal=False)
        else:
            yield replace(base, within=Wish(relation=relation, to=to), literal=False)


def is_mere_kind(wishes: tuple[Wish, ...]) -> bool:
    """Tell whether words only say what something is: "the table"."""
    return any(wish.kind is not None and not wish.name and not wish.relation for wish in wishes)


def side_in(
    tokens: tuple[Token, ...], words: Lexicon
) -> tuple[tuple[int, int] | None, tuple[Wish, ...] | None] | None:
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
