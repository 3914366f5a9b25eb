"""The TargetResolver's conversation: which things do the words of a command mean?"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from messages.failures import Details, Target
from messages.message import Data, Message, Request
from messages.pages import Page
from messages.phrases import ParsedCommand
from messages.results import Code
from messages.verbs import Role, RuleKey, Verbs
from messages.worlds import World

PhaseName: TypeAlias = Literal["form", "scope", "match", "select", "disambiguate", "bind"]


class Recent(Data, frozen=True):
    """What was bound last in a session, for "it", "them" and "him"."""

    it: str | None = None
    them: tuple[str, ...] = ()
    person: str | None = None


class Options(Data, frozen=True, rename="camel"):
    """How a request is to be resolved.

    ``strictness`` ``exact`` binds full names only. ``compatibility`` ``v1`` knows neither
    selectors nor sets nor pronouns. ``among`` limits every role to these things, by id, wherever
    the declared scopes reach them: the way an answer is found among the options offered.
    ``pinned`` are things that a person chose, by role and by the words that were asked about: they
    bind if they are still within reach.
    """

    actor: str | None = None
    ignore_tokens: tuple[str, ...] = ()
    relations: Mapping[str, str] = {}
    strictness: Literal["normal", "exact"] = "normal"
    compatibility: Literal["current", "v1"] = "current"
    recent: Recent = Recent()
    among: tuple[str, ...] = ()
    pinned: Mapping[Role, Mapping[str, str]] = {}


class Clue(Data, frozen=True, omit_defaults=True):
    """What spoke for a candidate or against it; without a ``weight`` a rule went by it."""

    name: str
    said: str = ""
    seen: str = ""
    weight: float | None = None


class Considered(Data, frozen=True, omit_defaults=True):
    """A candidate that was weighed: how it fared, and why it was dropped."""

    id: str
    name: str
    scope: str
    depth: int
    score: int
    reasons: tuple[str, ...] = ()
    dropped: str | None = None
    clues: tuple[Clue, ...] = ()


class Phase(Data, frozen=True, omit_defaults=True):
    """What one phase decided, for one role or for the whole command."""

    phase: PhaseName
    outcome: str
    role: Role | None = None
    rule: str | None = None
    scopes: tuple[str, ...] = ()
    candidates: tuple[Considered, ...] = ()


class Option(Data, frozen=True):
    """One thing on offer: its number, the words that mean it, the thing."""

    number: int
    text: str
    target: Target


class Binding(Data, frozen=True, rename="camel", omit_defaults=True):
    """What one run of the action works on."""

    direct_target: Target | None = None
    indirect_target: Target | None = None


class Success(Data, frozen=True, rename="camel"):
    """Every role the rule needs is bound to exactly one thing, in each binding."""

    rule_id: RuleKey
    verb: str
    bindings: tuple[Binding, ...]
    relation_token_raw: str | None = None
    relation_token_canonical: str | None = None


class Failure(Data, frozen=True):
    """Nothing is bound, and this is why. Options are there when several things could be meant."""

    code: Code
    message: str
    details: Details = Details()
    options: tuple[Option, ...] = ()


class Query(Data, frozen=True):
    """All that a resolution depends on. Readings are the ways to split the words, best first.

    Words about a web page are bound on that ``page``; the world is empty then. ``found`` is what
    the command has just looked for there: of things that are alike, the one with it is meant.
    """

    readings: tuple[ParsedCommand, ...]
    verbs: Verbs
    world: World
    options: Options = Options()
    page: Page | None = None
    found: str | None = None


class Bound(Message, frozen=True):
    """The words mean exactly these, by the reading of that number."""

    command_id: str
    action_id: str
    success: Success
    phases: tuple[Phase, ...] = ()
    reading: int = 0


class NotBound(Message, frozen=True):
    """The words mean nothing here, or more than one thing."""

    command_id: str
    action_id: str
    failure: Failure
    phases: tuple[Phase, ...] = ()
    reading: int = 0


Resolution: TypeAlias = Bound | NotBound


class Resolve(Request[Resolution], frozen=True):
    """Bind the words of one action to the things of a world."""

    command_id: str
    action_id: str
    query: Query
    goal_id: str = ""


Inbox: TypeAlias = Resolve
