"""What a clause may turn out to be: something to do, nothing, or something that is refused."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.sentence import Tok
from actors.interpreter.grammar.table import Frame
from actors.interpreter.grammar.templates import Fit, Template

Span: TypeAlias = tuple[int, int]
NO_GOAL = Frame((), "")


@dataclass(frozen=True, slots=True)
class Scoped:
    """A phrase of place, read: the scope it states, and the names in it."""

    scope: str
    names: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A clause that was understood.

    ``words`` are all of it, where only the world can tell which of them stand for what. ``leads``
    are the words in front of the verb, the nearest first. ``later`` if it begins with "before":
    then what comes after it comes first; ``earlier`` if it says "after" behind another clause;
    ``follows`` if it is to come after the one that is done before it.
    ``purposed`` if it says to what end something is done; ``passed`` are words of it that say no
    more than that, or what was there before: no goal has them. ``apart`` are the clauses of its
    halves, if what looks like one name may as well be two: "Terms and Conditions"; ``one_name`` if
    it was said to be one.
    """

    start: int
    end: int
    frame: Frame
    template: Template | None = None
    fit: Fit = ()
    places: tuple[Scoped, ...] = ()
    led_by_place: bool = False
    leads: tuple[Span, ...] = ()
    words: str | None = None
    negated: bool = False
    until_comma: bool = False
    later: bool = False
    earlier: bool = False
    follows: bool = False
    purposed: bool = False
    passed: tuple[Span, ...] = ()
    apart: tuple["Reading", ...] = ()
    one_name: bool = False


@dataclass(frozen=True, slots=True)
class Nothing:
    """A statement: it asks for nothing."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """A clause that is understood well enough to be refused, and why."""

    start: int
    end: int
    reason: str


Clause: TypeAlias = Reading | Nothing | Refusal


def in_quotes(words: str) -> str:
    """Give words as one name."""
    return f'"{words}"' if "'" in words else f"'{words}'"


def parts_of(toks: Sequence[Tok], at: int, end: int) -> list[Span]:
    """Cut a range at its commas and joining words."""
    members: list[Span] = []
    begin = at
    for index in range(at, end):
        token = toks[index]
        if index > begin and token.parted:
            members.append((begin, index))
            begin = index
        if token.quoted is None and token.key in LITTLE.joining:
            if index > begin:
                members.append((begin, index))
            begin = index + 1
    if begin < end:
        members.append((begin, end))
    return members
