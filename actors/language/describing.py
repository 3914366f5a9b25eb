"""What describes a thing on a page, read by its parts: ordinal, adjectives, kind, name."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from actors.language.lexicon import Kind, Lexicon
from actors.language.tokens import (
    Token,
    is_quoted,
    matches_at,
    name_of,
    without_articles,
)
from actors.language.words import is_plural, singular

NUMBERED = re.compile(r"(\d+)(?:st|nd|rd|th)")
MOST_LEADING = 2  # words that name the part a thing is in
LONGEST_RELATION = 5  # words
PAIR = 2
ENTRY = ("result",)  # the word for an entry of which the page says what it is


@dataclass(frozen=True, slots=True)
class Description:
    """One reading of the words: what the thing is called, what it is, and how it is told apart.

    ``relation`` and ``to`` say where it stands: ``to`` holds the readings of the other thing;
    ``within`` is a second relation. ``literal``: the words as they stand. ``unkind``: the name ends
    with a word for a kind. ``led`` / ``trailed``: the name of the part it is in stands before /
    after its own. ``cut``: a word was left out.
    """

    name: str = ""
    quoted: bool = False
    kind: Kind | None = None
    ordinal: int | None = None
    every: bool = False
    count: int = 0
    colours: tuple[str, ...] = ()
    states: tuple[frozenset[str], ...] = ()
    measure: tuple[str, str] | None = None
    side: tuple[int, int] | None = None
    relation: str | None = None
    to: "tuple[Description, ...]" = ()
    within: "Description | None" = None
    literal: bool = False
    unkind: bool = False
    led: bool = False
    trailed: bool = False
    cut: bool = False

    @property
    def relations(self) -> "tuple[Description, ...]":
        """Give the relations that were said, two at most: this one and the one ``within``."""
        both = (self, self.within)
        return tuple(each for each in both if each is not None and each.relation is not None)

    @property
    def told_by(self) -> int:
        """Count what is said beside a name."""
        said = (
            self.kind,
            self.ordinal,
            self.colours,
            self.states,
            self.measure,
            self.side,
            self.relation,
        )
        return sum(map(bool, said))

    @property
    def is_parted(self) -> bool:
        """Tell whether only a part of the words is its name, and no word said so."""
        return self.led or self.trailed or self.cut

    @property
    def is_told(self) -> bool:
        """Tell whether something is said beside a name."""
        return self.told_by > 0


def described(tokens: tuple[Token, ...], words: Lexicon) -> Iterator[Description]:
    """Peel off what describes, as far as it goes; the rest is the name."""
    for kind, rest in kinds_in(tokens, words):
        bare = without_articles(rest, words)
        if len(bare) == 1 and bare[0].key in words.every and tokens[-1].key != kind.word:
            yield Description(
                kind=kind, every=True, count=PAIR if bare[0].key == "both" else 0
            )  # "all posts"
        else:
            yield from peeled(rest, words, kind)
    yield from peeled(tokens, words, None)
    yield from counted_entries(tokens, words)


def kinds_in(tokens: tuple[Token, ...], words: Lexicon) -> Iterator[tuple[Kind, tuple[Token, ...]]]:
    """Find the words for a kind: at the end ("Save button"), or in front ("the button Save")."""
    for length in (3, 2, 1):
        if len(tokens) < length:
            continue
        kind = kind_at(tokens, len(tokens) - length, length, words)
        if kind is not None and not is_broken_off(tokens[:-length], words):
            yield from told_twice(kind, tokens[:-length], words)
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
            related = rest and not rest[0].quoted and (rest[0].key,) in words.relations
            if rest and not (related and rest[0].text.islower()):
                yield kind, (*tokens[:start], *rest)  # "menu of X" is no menu called "of X"


def is_broken_off(tokens: tuple[Token, ...], words: Lexicon) -> bool:
    """Tell whether words end where a name cannot: "Reset alarm on the" is none."""
    if len(tokens) < PAIR or tokens[-1].quoted or not tokens[-1].text.islower():
        return False
    last = tokens[-1].key
    return last in words.articles and tokens[-2].key not in words.every


def told_twice(
    kind: Kind, tokens: tuple[Token, ...], words: Lexicon
) -> Iterator[tuple[Kind, tuple[Token, ...]]]:
    """Read "the link element" and "the input textbox": two words for one kind."""
    for length in (2, 1):
        inner = kind_at(tokens, len(tokens) - length, length, words, quoted=kind.vague)
        if inner is not None and (kind.vague or inner.real == kind.real):
            yield (inner if kind.vague else kind), tokens[:-length]
            return


def kind_at(
    tokens: Sequence[Token], at: int, length: int, words: Lexicon, *, quoted: bool = False
) -> Kind | None:
    span = tokens[at : at + length] if at >= 0 else ()
    if len(span) < length or (not quoted and any(token.quoted for token in span)):
        return None
    *first, last = (token.key.rstrip(":") for token in span)
    for word in (last, singular(last)):
        kind = words.kinds.get((*first, word))
        if kind is not None and not (kind.named and kind.holds and span[-1].text[:1].isupper()):
            return kind  # "Central Station" is a name
    return None


def ends_with_kind(tokens: Sequence[Token], words: Lexicon) -> bool:
    """Tell whether the last word says what a thing is; "Brand" may as well be its name."""
    kind = kind_at(tokens, len(tokens) - 1, 1, words)
    return kind is not None and not kind.named


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


def peeled(tokens: tuple[Token, ...], words: Lexicon, kind: Kind | None) -> Iterator[Description]:
    """Take ordinals, colours, states and sides off the front, one by one.

    What is left is the name; every step is a reading of its own, for a button may be called
    "First" or "Open".
    """
    what = Description(kind=kind)
    rest = tokens
    if kind is not None and kind.holds and rest:
        yield from holding(rest, words, kind)
    while rest:
        rest = (
            without_articles(rest, words)
            if len(rest) > 1 or kind is None
            else without_first_article(rest, words)
        )
        if what.is_told and rest and not rest[0].quoted and rest[0].key in words.about:
            break  # "left of the zoom" names nothing that is called "of the zoom"
        if (what.is_told or what.every) and not is_mere_number(rest, words):
            unkind = kind is None and bool(rest) and ends_with_kind(rest, words)
            yield replace(named(what, rest), unkind=unkind)
        step = adjective(what, rest, words)
        if step is None:
            break
        what, rest = step
    if not rest and (what.is_told or what.every):
        yield what
    elif rest and not what.is_told and not what.every:
        yield named(what, rest)
    if len(rest) > 1 and not any(token.quoted for token in rest):
        yield from led_by_place(replace(what, kind=kind), rest, words)
    bare = without_articles(tokens, words)
    if len(bare) == PAIR and len(rest) == 1 and not any(token.quoted for token in bare):
        yield from led_by_place(
            Description(kind=kind), bare, words
        )  # "green colour": called "Green"


def counted_entries(tokens: tuple[Token, ...], words: Lexicon) -> Iterator[Description]:
    """Read "the third employee": any noun may be what the entries of a list are.

    Whether they are is for the page to say: ``series`` keeps what it calls so.
    """
    what, rest = Description(), without_articles(tokens, words)
    while (step := adjective(what, rest, words)) is not None:
        what, rest = step[0], without_articles(step[1], words)
    if what.ordinal is None or not 1 <= len(rest) <= PAIR:
        return
    if any(token.quoted or not token.key.isalpha() or not token.text.islower() for token in rest):
        return
    *first, last = (token.key for token in rest)
    noun = " ".join((*first, singular(last)))
    if kind_at(rest, len(rest) - 1, 1, words) is None:
        yield replace(what, kind=replace(words.kinds[ENTRY], word=noun))


def is_mere_number(tokens: tuple[Token, ...], words: Lexicon) -> bool:
    """Tell whether nothing is left but a number in a row: "the 9th" of something is no name."""
    return len(tokens) == 1 and is_counting(tokens[0], words) and not tokens[0].text[:1].isupper()


def without_first_article(tokens: tuple[Token, ...], words: Lexicon) -> tuple[Token, ...]:
    if tokens and not tokens[0].quoted and tokens[0].key in words.articles:
        return tokens[1:]
    return tokens


def named(what: Description, rest: tuple[Token, ...]) -> Description:
    if not rest:
        return what
    return replace(what, name=name_of(rest), quoted=any(token.quoted for token in rest))


def adjective(
    what: Description, tokens: tuple[Token, ...], words: Lexicon
) -> tuple[Description, tuple[Token, ...]] | None:
    """Take one describing word off the front; None if there is none."""
    if not tokens or tokens[0].quoted:
        return None
    key, rest = tokens[0].key, tokens[1:]
    if what.ordinal is None and (from_end := from_the_end(tokens, words)) is not None:
        return replace(what, ordinal=from_end[0]), from_end[1]
    if key in words.ordinals and what.ordinal is None:
        return replace(what, ordinal=words.ordinals[key]), rest
    if (numbered := NUMBERED.fullmatch(key)) and what.ordinal is None:
        return replace(what, ordinal=int(numbered[1])), rest
    if (quantified := quantifier(what, key, rest, words)) is not None:
        return quantified
    if key in words.colours:
        return replace(what, colours=(*what.colours, key)), rest
    if key in words.states:
        return replace(what, states=(*what.states, words.states[key])), rest
    if key in words.measures and what.measure is None:
        return replace(what, measure=words.measures[key]), rest
    if key in words.sides:
        return replace(what, side=joined_sides(what.side, words.sides[key])), rest
    if key in words.noise:
        return what, rest
    return None


def quantifier(
    what: Description, key: str, rest: tuple[Token, ...], words: Lexicon
) -> tuple[Description, tuple[Token, ...]] | None:
    """Take "all", "all four", "both", "two" or "one of" off the front."""
    if key in words.every:
        count, rest = counted_after(rest, words)
        return replace(what, every=True, count=PAIR if key == "both" else count), rest
    if key in words.numbers and not what.is_told and is_plural_thing(rest):
        return replace(what, every=True, count=words.numbers[key]), rest  # "two buttons"
    if key == "one" and rest and rest[0].key == "of":
        return what, rest[1:]  # which one is asked
    return None


def counted_after(tokens: tuple[Token, ...], words: Lexicon) -> tuple[int, tuple[Token, ...]]:
    """Read how many "all four of the" are; 0 if that is not said."""
    count = 0
    while tokens and not tokens[0].quoted:
        key = tokens[0].key
        if key not in words.counts and not key.isdecimal():
            break
        count = words.numbers.get(key, int(key) if key.isdecimal() else count)
        tokens = tokens[1:]
    return count, tokens


def is_plural_thing(tokens: tuple[Token, ...]) -> bool:
    return bool(tokens) and not tokens[-1].quoted and is_plural(tokens[-1].key)


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


def holding(tokens: tuple[Token, ...], words: Lexicon, kind: Kind) -> Iterator[Description]:
    """Read "the Kettle row" as the row that has Kettle in it."""
    bare = without_articles(tokens, words)
    if not bare or is_counting(bare[0], words):
        return  # "the second search result" holds no "second search"
    if not is_before_kind(bare[-1], words) and (bare[-1].key,) not in words.relations:
        name = name_of(bare)
        yield Description(
            kind=kind, relation="with", to=(Description(name, quoted=is_quoted(bare)),)
        )


def led_by_place(
    what: Description, rest: tuple[Token, ...], words: Lexicon
) -> Iterator[Description]:
    """Read "billing city" as the city in the part called billing, "green colour" as a green one."""
    if any(token.key in words.articles for token in rest) or says_relation(rest, words):
        return
    if is_counting(rest[0], words) or any(token.key in words.joints for token in rest):
        return  # the ninth result is none called "9th"; "A and B" is no A in a part called B
    for cut in range(1, min(len(rest), MOST_LEADING + 1)):
        first, last = name_of(rest[:cut]), name_of(rest[cut:])
        yield replace(what, name=last, relation="in", to=(Description(first),), led=True)
        yield replace(what, name=first, relation="in", to=(Description(last),), trailed=True)


def says_relation(tokens: Sequence[Token], words: Lexicon) -> bool:
    """Tell whether words for a relation are among some words."""
    keys = [token.key for token in tokens]
    return any(
        tuple(keys[at : at + length]) in words.relations
        for at in range(len(keys))
        for length in range(1, LONGEST_RELATION + 1)
    )
