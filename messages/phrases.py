"""Words for things: a role's words as a typed phrase, and a command split into its roles."""

from typing import Literal, TypeAlias

from messages.message import Data

Pronoun: TypeAlias = Literal["it", "them", "person", "self"]
Quantifier: TypeAlias = Literal["all", "both"]
LAST = -1


class Related(Data, frozen=True):
    """A thing told by another: "the book *on the shelf*", "*Bob's* sword" (relation ``owner``)."""

    relation: str
    to: "Phrase"


class Superlative(Data, frozen=True):
    """The most or the least of a measure: the newest, the smallest."""

    measure: str
    most: bool


class Phrase(Data, frozen=True, omit_defaults=True):
    """The words for one thing, or for a set, still to be bound to targets.

    ``text`` is what was said. A phrase with nothing but its text is a literal name. ``head`` is
    the noun, None in "the red one" and in "everything". ``ordinal`` counts from 1, ``LAST`` is
    the last; ``count`` is a number of things ("two coins"). ``members`` are the parts of "the sword
    and the shield", if that is no name; ``named`` are readings with more of it as a name:
    all of "note to self", all of "locker 12". ``possessor`` is whose "my", "his" and "their"
    make it. Of "the apple or the pie" ``either`` is meant; ``joined`` are words before a comma or
    an "and", which can only describe if the phrase is for one thing. "these coins" are ``pointed``
    at, "some coins" are ``indefinite``.
    """

    text: str
    quoted: str | None = None
    head: str | None = None
    adjectives: tuple[str, ...] = ()
    kind: str | None = None
    ordinal: int | None = None
    quantifier: Quantifier | None = None
    count: int | None = None
    superlative: Superlative | None = None
    other: bool = False
    excluding: tuple["Phrase", ...] = ()
    members: tuple["Phrase", ...] = ()
    either: bool = False
    joined: tuple[str, ...] = ()
    pronoun: Pronoun | None = None
    place: str | None = None
    related: Related | None = None
    possessor: Pronoun | None = None
    pointed: bool = False
    indefinite: bool = False
    named: tuple["Phrase", ...] = ()

    def chooses(self) -> bool:
        """Tell whether the phrase picks by place in a row or by measure."""
        return self.ordinal is not None or self.superlative is not None

    def is_literal(self) -> bool:
        """Tell whether the text is all there is: a name, taken as it stands."""
        return self == Phrase(self.text)


class ParsedCommand(Data, frozen=True, rename="camel", omit_defaults=True):
    """One reading of a command: which words are the verb, which stand for which role.

    Spans are as typed. The relation is kept twice: as typed, and by the name that rules and
    scopes use (``into`` is ``in``).
    """

    intent_token: str
    verb: str
    normalized_input: str = ""
    direct_span: str | None = None
    relation_token_raw: str | None = None
    relation_token_canonical: str | None = None
    indirect_span: str | None = None
    direct: Phrase | None = None
    indirect: Phrase | None = None


class Parsed(Data, frozen=True, rename="camel"):
    """A command that a client split itself: spans as typed, nothing read into them yet."""

    intent_token: str
    direct_span: str | None = None
    relation_token: str | None = None
    indirect_span: str | None = None
    normalized_input: str | None = None
