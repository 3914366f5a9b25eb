"""Words for a thing on a page, as wishes: every way in which they can be read.

A button may be called "Go to cart" or "Next to last": so every reading is kept, the words as they
stand first, and what the page holds decides between them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from actors.target_resolver.page.lexicon import Kind, Lexicon, lexicon
from actors.words import singular

TOKEN = re.compile(
    r"\"([^\"]*)\"|“([^”]*)”|«([^»]*)»|(?<!\w)['‘]([^'’]+(?:['’]\w[^'’]*)*)['’](?!\w)|(\S+)"
)
NUMBERED = re.compile(r"(\d+)(?:st|nd|rd|th)")
MOST_READINGS = 60
DEEPEST = 3
MOST_LEADING = 2
LAST = -1
LONGEST_RELATION = 5


@dataclass(frozen=True, slots=True)
class Token:
    """A word as it was said; ``quoted`` if it is a text in quotes."""

    text: str
    quoted: bool = False

    @property
    def key(self) -> str:
        return self.text if self.quoted else self.text.casefold().strip(",.;!?").replace("’", "'")


@dataclass(frozen=True, slots=True)
class Wish:
    """One reading of the words: what the thing is called, what it is, and how it is told apart."""

    name: str = ""
    quoted: bool = False
    kind: Kind | None = None
    ordinal: int | None = None
    every: bool = False
    both: bool = False
    colours: tuple[str, ...] = ()
    states: tuple[frozenset[str], ...] = ()
    measure: tuple[str, str] | None = None
    side: tuple[int, int] | None = None
    relation: str | None = None
    to: "tuple[Wish, ...]" = ()
    to_text: str = ""
    within: "Wish | None" = None
    literal: bool = False
    unkind: bool = False
    led: bool = False

    @property
    def is_told(self) -> bool:
        """Tell whether something is said beside a name."""
        return bool(
            self.kind
            or self.ordinal
            or self.colours
            or self.states
            or self.measure
            or self.side
            or self.relation
        )

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing is said that a thing could be known by."""
        return not self.name and not self.is_told


def tokens_of(text: str) -> tuple[Token, ...]:
    """Cut words apart; what is in quotes stays together."""
    found = []
    for match in TOKEN.finditer(text):
        quoted = next((part for part in match.groups()[:4] if part is not None), None)
        if quoted is not None:
            found.append(Token(quoted, quoted=True))
        else:
            found.append(Token(match[5]))
    return tuple(found)


@lru_cache(maxsize=512)
def wishes(text: str) -> tuple[Wish, ...]:
    """Read words in every way."""
    return tuple(read(tokens_of(text), lexicon(), 0))


def read(tokens: tuple[Token, ...], words: Lexicon, depth: int) -> list[Wish]:
    """Read words: as a name as they stand; by their parts; by their relation to another thing."""
    found: dict[Wish, None] = {}
    bare = without_articles(tokens, words)
    if not bare:
        return []
    whole = name_of(bare)
    unkind = kind_at(bare, len(bare) - 1, 1, words) is not None
    found[Wish(whole, quoted=is_quoted(bare), literal=True, unkind=unkind)] = None
    for wish in described(tokens, words):
        found[wish] = None
    if len(bare) > 1 and not bare[-1].quoted and bare[-1].key in words.trailing:
        for wish in read(tokens[:-1], words, depth):
            found.setdefault(replace(wish, literal=False))
    if depth < DEEPEST:
        for wish in related(tokens, words, depth):
            found.setdefault(wish)
            if len(found) >= MOST_READINGS:
                break
    return list(found)


def name_of(tokens: Sequence[Token]) -> str:
    return " ".join(token.text.strip(",;") if not token.quoted else token.text for token in tokens)


def is_quoted(tokens: Sequence[Token]) -> bool:
    return len(tokens) == 1 and tokens[0].quoted


def without_articles(tokens: tuple[Token, ...], words: Lexicon) -> tuple[Token, ...]:
    while len(tokens) > 1 and not tokens[0].quoted and tokens[0].key in words.articles:
        tokens = tokens[1:]
    return tokens


# By its parts: ordinal, adjectives, kind, name


def described(tokens: tuple[Token, ...], words: Lexicon) -> Iterator[Wish]:
    """Peel off what describes, as far as it goes; the rest is the name."""
    for kind, rest in kinds_in(tokens, words):
        bare = without_articles(rest, words)
        if len(bare) == 1 and bare[0].key in words.every and tokens[-1].key != kind.word:
            yield Wish(kind=kind, every=True, both=bare[0].key == "both")  # "all posts"
        else:
            yield from peeled(rest, words, kind)
    yield from peeled(tokens, words, None)


def kinds_in(tokens: tuple[Token, ...], words: Lexicon) -> Iterator[tuple[Kind, tuple[Token, ...]]]:
    """Find the words for a kind: at the end ("Save button"), or in front ("the button Save")."""
    for length in (3, 2, 1):
        if len(tokens) < length:
            continue
        kind = kind_at(tokens, len(tokens) - length, length, words)
        if kind is not None:
            yield kind, tokens[:-length]
    start = 0
    while start < len(tokens) and is_before_kind(tokens[start], words):
        start += 1
    for length in (3, 2, 1):
        kind = kind_at(tokens, start, length, words)
        if kind is not None and start + length < len(tokens):
            rest = tokens[start + length :]
            for saying in words.naming:
                if matches_at(rest, 0, saying):
                    rest = rest[len(saying) :]
                    break
            if rest:
                yield kind, (*tokens[:start], *rest)


def is_before_kind(token: Token, words: Lexicon) -> bool:
    if token.quoted:
        return False
    key = token.key
    return (
        key in words.articles
        or key in words.ordinals
        or key in words.colours
        or key in words.states
        or key in words.every
        or key in words.measures
        or key in words.sides
        or NUMBERED.fullmatch(key) is not None
    )


def is_counting(token: Token, words: Lexicon) -> bool:
    """Tell whether a word says which one of several, or that all are meant."""
    key = token.key
    return not token.quoted and (
        key in words.ordinals or key in words.every or NUMBERED.fullmatch(key) is not None
    )


def kind_at(tokens: Sequence[Token], at: int, length: int, words: Lexicon) -> Kind | None:
    span = tokens[at : at + length]
    if len(span) < length or any(token.quoted for token in span):
        return None
    *first, last = (token.key.rstrip(":") for token in span)
    for word in (last, singular(last)):
        kind = words.kinds.get((*first, word))
        if kind is not None:
            return kind
    return None


def peeled(tokens: tuple[Token, ...], words: Lexicon, kind: Kind | None) -> Iterator[Wish]:
    """Take ordinals, colours, states and sides off the front, one by one.

    What is left is the name; every step is a reading of its own, for a button may be called
    "First" or "Open".
    """
    wish = Wish(kind=kind)
    rest = tokens
    if kind is not None and kind.holds and rest:
        yield from holding(rest, words, kind)
    while rest:
        rest = (
            without_articles(rest, words)
            if len(rest) > 1 or kind is None
            else bare_rest(rest, words)
        )
        if wish.is_told or wish.every:
            unkind = (
                kind is None and bool(rest) and kind_at(rest, len(rest) - 1, 1, words) is not None
            )
            yield replace(named(wish, rest), unkind=unkind)
        step = adjective(wish, rest, words)
        if step is None:
            break
        wish, rest = step
    if not rest and (wish.is_told or wish.every):
        yield wish
    elif rest and not wish.is_told and not wish.every:
        yield named(wish, rest)
    if len(rest) > 1 and not any(token.quoted for token in rest):
        yield from led_by_place(replace(wish, kind=kind), rest, words)


def led_by_place(wish: Wish, rest: tuple[Token, ...], words: Lexicon) -> Iterator[Wish]:
    """Read "billing city" as the city in the part called billing."""
    if any(token.key in words.articles for token in rest) or says_relation(rest, words):
        return
    for cut in range(1, min(len(rest), MOST_LEADING + 1)):
        place, name = name_of(rest[:cut]), name_of(rest[cut:])
        yield replace(wish, name=name, relation="in", to=(Wish(place),), to_text=place, led=True)


def says_relation(tokens: Sequence[Token], words: Lexicon) -> bool:
    """Tell whether words for a relation are among some words."""
    keys = [token.key for token in tokens]
    return any(
        tuple(keys[at : at + length]) in words.relations
        for at in range(len(keys))
        for length in range(1, LONGEST_RELATION + 1)
    )


def holding(tokens: tuple[Token, ...], words: Lexicon, kind: Kind) -> Iterator[Wish]:
    """Read "the Kettle row" as the row that has Kettle in it."""
    bare = without_articles(tokens, words)
    if not bare or is_counting(bare[0], words):
        return  # "the second search result" holds no "second search"
    if not is_before_kind(bare[-1], words) and (bare[-1].key,) not in words.relations:
        name = name_of(bare)
        yield Wish(
            kind=kind, relation="with", to=(Wish(name, quoted=is_quoted(bare)),), to_text=name
        )


def bare_rest(tokens: tuple[Token, ...], words: Lexicon) -> tuple[Token, ...]:
    if tokens and not tokens[0].quoted and tokens[0].key in words.articles:
        return tokens[1:]
    return tokens


def named(wish: Wish, rest: tuple[Token, ...]) -> Wish:
    if not rest:
        return wish
    return replace(wish, name=name_of(rest), quoted=is_quoted(rest))


def adjective(
    wish: Wish, tokens: tuple[Token, ...], words: Lexicon
) -> tuple[Wish, tuple[Token, ...]] | None:
    """Take one describing word off the front; None if there is none."""
    if not tokens or tokens[0].quoted:
        return None
    key, rest = tokens[0].key, tokens[1:]
    if wish.ordinal is None and (counted := from_the_end(tokens, words)) is not None:
        return replace(wish, ordinal=counted[0]), counted[1]
    if key in words.ordinals and wish.ordinal is None:
        return replace(wish, ordinal=words.ordinals[key]), rest
    if (numbered := NUMBERED.fullmatch(key)) and wish.ordinal is None:
        return replace(wish, ordinal=int(numbered[1])), rest
    if key in words.every:
        while (
            rest and not rest[0].quoted and (rest[0].key in words.counts or rest[0].key.isdecimal())
        ):
            rest = rest[1:]
        return replace(wish, every=True, both=key == "both"), rest
    if key in words.colours:
        return replace(wish, colours=(*wish.colours, words.colours[key])), rest
    if key in words.states:
        return replace(wish, states=(*wish.states, words.states[key])), rest
    if key in words.measures and wish.measure is None:
        return replace(wish, measure=words.measures[key]), rest
    if key in words.sides:
        return replace(wish, side=joined_sides(wish.side, words.sides[key])), rest
    if key in words.noise:
        return wish, rest
    return None


def from_the_end(tokens: tuple[Token, ...], words: Lexicon) -> tuple[int, tuple[Token, ...]] | None:
    """Read "second to last" and "next to last"."""
    keys = [token.key for token in tokens[:4] if not token.quoted]
    if keys and keys[0] in words.last_but_one:
        return -2, tokens[1:]
    if keys[1:3] in (["to", "last"], ["from", "last"]) and (
        keys[0] in words.ordinals or keys[0] == "next"
    ):
        return -words.ordinals.get(keys[0], 2), tokens[3:]
    return None


def joined_sides(one: tuple[int, int] | None, other: tuple[int, int]) -> tuple[int, int]:
    return other if one is None else (one[0] + other[0], one[1] + other[1])


# By its relation to another thing


def matches_at(tokens: Sequence[Token], at: int, saying: tuple[str, ...]) -> bool:
    span = tokens[at : at + len(saying)]
    return len(span) == len(saying) and all(
        not token.quoted and token.key == word for token, word in zip(span, saying, strict=True)
    )


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
            if relation is not None:
                said = at + length
                yield from placed(tokens[:at], relation, rest, words, depth)
                break


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
                wish = replace(
                    base, relation="after", to=one, to_text=name_of(tokens[at + 1 : joint])
                )
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
    while len(before) > 1 and not before[-1].quoted and before[-1].key in words.adverbs:
        before = before[:-1]
    side = side_in(rest, words) if relation in {"in", "above"} else None
    if side is not None:
        way, beyond = side
        for base in bases(before, words):
            if base.side is None:
                wish = replace(base, side=way)
                yield (
                    wish if beyond is None else replace(wish, relation="in", to=beyond, to_text="")
                )
        return
    to = tuple(read(rest, words, depth + 1))
    if not to:
        return
    said = name_of(rest)
    heads = bases(before, words)
    if depth < DEEPEST - 1:
        heads = [*heads, *(wish for wish in related(before, words, depth + 1) if wish.relation)]
    for base in heads:
        if base.relation is None:
            yield replace(base, relation=relation, to=to, to_text=said, literal=False)
        else:
            yield replace(base, within=Wish(relation=relation, to=to, to_text=said), literal=False)


def bases(tokens: tuple[Token, ...], words: Lexicon) -> list[Wish]:
    """Give the readings of words that stand before a relation."""
    found = dict.fromkeys(described(tokens, words))
    bare = without_articles(tokens, words)
    if bare and not (len(bare) == 1 and bare[0].key in words.articles):
        found.setdefault(Wish(name_of(bare), quoted=is_quoted(bare)))
    return list(found)


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
