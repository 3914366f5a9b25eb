"""The socket's conversation: newline-delimited JSON objects, each tagged by ``type``."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from messages.goals import GoalDraft, MetaGoal, ScopeWarning
from messages.message import Data, Message
from messages.plans import PlanGraph, ToolCapability
from messages.results import ActionStatus, Code, CommandStatus, GoalResult
from messages.rules import Rule, SearchEngine

VERSION = "0.1.0"  # as in pyproject.toml: asking the package for it would slow every start
PROTOCOL_VERSION = 1
MAX_FRAME = 1 << 20

Id: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Mode: TypeAlias = Literal["run", "plan"]
StateStatus: TypeAlias = Literal["queued", "running"] | CommandStatus


# Requests


class Submit(Message, frozen=True):
    """Carry out a text or goals. ``id`` names the command: the same id twice runs once."""

    id: Id
    text: Annotated[str, msgspec.Meta(max_length=20_000)] | None = None
    goals: Annotated[tuple[GoalDraft, ...], msgspec.Meta(max_length=10_000)] | None = None
    session: Id = "default"
    mode: Mode = "run"
    allow_partial: bool = False

    def __post_init__(self) -> None:
        if (self.text is None) == (self.goals is None):
            raise ValueError("give either `text` or `goals`")
        if self.goals is not None and not self.goals:
            raise ValueError("`goals` must not be empty")


class Cancel(Message, frozen=True):
    """Stop a command; what already happened stays."""

    id: Id
    command: Id


class Status(Message, frozen=True):
    """Ask how a command stands or, without ``command``, how the daemon does."""

    id: Id
    command: Id | None = None


class Subscribe(Message, frozen=True):
    """Receive the trace: events whose name starts with one of ``events``, all if none are given.

    With ``since``, the records after that sequence number come first, as far as they are kept.
    """

    id: Id
    events: tuple[str, ...] = ()
    since: int | None = None


class Describe(Message, frozen=True):
    """Ask for the schema of all messages, the rule table and the capabilities."""

    id: Id


WireRequest: TypeAlias = Submit | Cancel | Status | Subscribe | Describe


# Events of a command


class Accepted(Message, frozen=True):
    """The command is safe with the daemon and will be carried out."""

    command: str
    session: str
    ahead: int = 0


class Interpreted(Message, frozen=True):
    """The goals that were understood, and scopes that had to be dropped."""

    command: str
    meta: MetaGoal
    warnings: tuple[ScopeWarning, ...] = ()


class Planned(Message, frozen=True):
    """The graph of actions, and its layers as a person reads them: goal ids."""

    command: str
    graph: PlanGraph
    layers: tuple[tuple[str, ...], ...]


class Resolved(Message, frozen=True):
    """The words of one role were bound to exactly one thing."""

    command: str
    goal: str
    action: str
    role: str
    target: str
    name: str


class ActionStarted(Message, frozen=True):
    """An action was handed to its tool; ``attempt`` counts from 1."""

    command: str
    goal: str
    action: str
    description: str
    attempt: int = 1


class ActionFinished(Message, frozen=True):
    """An action ended, with what was seen of its effect."""

    command: str
    goal: str
    action: str
    status: ActionStatus
    code: Code | None = None
    message: str | None = None
    verified: bool = False


class Finished(Message, frozen=True):
    """The end of a command: one result per goal."""

    command: str
    status: CommandStatus
    results: tuple[GoalResult, ...] = ()
    code: Code | None = None
    message: str | None = None
    span: tuple[int, int] | None = None
    suggestions: tuple[str, ...] = ()


CommandEvent: TypeAlias = (
    Accepted | Interpreted | Planned | Resolved | ActionStarted | ActionFinished | Finished
)


# Answers


class Health(Data, frozen=True):
    """How the daemon itself does."""

    version: str
    pid: int
    uptime: float
    running: tuple[str, ...]
    queued: int
    finished: int
    sessions: tuple[str, ...]


class State(Message, frozen=True):
    """How a command stands, or how the daemon does.

    A command under way comes with its graph, which holds the results of the actions that ended;
    one that has ended comes with the results of its goals.
    """

    id: str
    command: str | None = None
    status: StateStatus | None = None
    results: tuple[GoalResult, ...] = ()
    graph: PlanGraph | None = None
    health: Health | None = None


class Subscribed(Message, frozen=True):
    """The subscription stands; ``seq`` is the number of the latest record."""

    id: str
    seq: int


class TraceRecord(Message, frozen=True, tag="trace"):
    """One line of the JSON log, as it happens."""

    id: str
    record: msgspec.Raw


class Described(Message, frozen=True):
    """What this daemon speaks and can do."""

    id: str
    version: str
    protocol: int
    schema: Mapping[str, Any]
    rules: Mapping[str, Rule]
    engines: Mapping[str, SearchEngine]
    capabilities: tuple[ToolCapability, ...]


class Error(Message, frozen=True):
    """A frame that could not be served; the connection lives on."""

    code: Code
    message: str
    id: str | None = None
    path: str | None = None


WireReply: TypeAlias = CommandEvent | State | Subscribed | TraceRecord | Described | Error
