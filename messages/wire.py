"""The socket's conversation: newline-delimited JSON objects, each tagged by ``type``."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from messages.explaining import Explanation, PastCommand
from messages.failures import Details, Target
from messages.goals import GoalDraft, MetaGoal, ScopeWarning
from messages.message import Data, Message, Value
from messages.phrases import Parsed, ParsedCommand
from messages.plans import PlanGraph, ToolCapability
from messages.results import ActionStatus, Code, CommandStatus, GoalResult
from messages.rules import Rule, SearchEngine
from messages.scheduling import EntryState, Kind
from messages.targets import Binding, Option, Options, Phase
from messages.verbs import RuleKey
from messages.worlds import World

VERSION = "0.1.0"  # as in pyproject.toml: asking the package for it would slow every start
PROTOCOL_VERSION = 1
MAX_FRAME = 1 << 20
MAX_TOKEN = 4_096
MOST_HISTORY = 500  # commands in one answer
RETRY_SECONDS = 1.0  # when to try again what was BUSY

# No null character, for databases and other programs take it for the end of a text.
Id: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=200, pattern="^[^\\x00]*$")]
Mode: TypeAlias = Literal["run", "plan"]
StateStatus: TypeAlias = Literal["queued", "running"] | CommandStatus


# Requests


class Submit(Message, frozen=True):
    """Carry out a text or goals. ``id`` names the command: the same id twice runs once.

    Where there are several executors, the session is tied to one with this ``label``.
    """

    id: Id
    text: Annotated[str, msgspec.Meta(max_length=20_000)] | None = None
    goals: Annotated[tuple[GoalDraft, ...], msgspec.Meta(max_length=10_000)] | None = None
    session: Id = "default"
    mode: Mode = "run"
    allow_partial: bool = False
    label: Annotated[str, msgspec.Meta(max_length=64)] = ""

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


class Answer(Message, frozen=True):
    """Answer a question: by a number, by the text of an option, or by other words for it."""

    id: Id
    question: Annotated[str, msgspec.Meta(min_length=1, max_length=300)]
    choice: int | Annotated[str, msgspec.Meta(min_length=1, max_length=2_000)]


class Approve(Message, frozen=True):
    """Allow, or forbid, what an ``approval_needed`` has shown: that, and only once.

    ``by`` says who does: a person who saw it, or a flag that was given before it was asked.
    """

    id: Id
    approval: Annotated[str, msgspec.Meta(min_length=1, max_length=300)]
    allow: bool
    by: Literal["person", "flag"] = "person"


class Undo(Message, frozen=True):
    """Put back what a command has changed, newest first; ``id`` names the command that does it.

    Without ``command`` it is the last change of the ``session``, whenever that was.
    """

    id: Id
    command: Id | None = None
    session: Id = "default"


class Resolve(Message, frozen=True):
    """Bind the words of a command to the things of a world; nothing is touched.

    ``verbs`` are declarations by name; ``parsed`` may stand for ``text`` where a client splits
    the words itself.
    """

    id: Id
    verbs: Mapping[str, msgspec.Raw]
    world: World
    text: Annotated[str, msgspec.Meta(max_length=20_000)] | None = None
    parsed: Parsed | None = None
    options: Options = Options()

    def __post_init__(self) -> None:
        if (self.text is None) == (self.parsed is None):
            raise ValueError("give either `text` or `parsed`")


class Explain(Message, frozen=True):
    """Ask why a command did what it did; without ``command``, the one that was accepted last."""

    id: Id
    command: Id | None = None


class History(Message, frozen=True):
    """Ask which commands there were, the newest first.

    ``search`` is looked for in their words, upper and lower case alike. ``since`` and ``until`` are
    seconds since 1970, ``before`` is the ``next`` of the answer before this one.
    """

    id: Id
    search: Annotated[str, msgspec.Meta(max_length=1_000)] | None = None
    session: Id | None = None
    status: StateStatus | None = None
    since: float | None = None
    until: float | None = None
    before: Id | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=MOST_HISTORY)] = 50


class Schedules(Message, frozen=True):
    """Ask what is due later: timers, alarms, reminders and commands."""

    id: Id


class Recipes(Message, frozen=True):
    """Ask which recipes were taught, and which of their files are wrong."""

    id: Id


class Stop(Message, frozen=True):
    """Ask the daemon to end as SIGTERM does; only its own user may, over the Unix socket."""

    id: Id


class Auth(Message, frozen=True):
    """Show the token: over TCP the first frame of every connection, elsewhere not needed."""

    id: Id
    token: Annotated[str, msgspec.Meta(max_length=MAX_TOKEN)]

    def __repr__(self) -> str:
        return "Auth(...)"


WireRequest: TypeAlias = (
    Submit
    | Answer
    | Approve
    | Undo
    | Resolve
    | Cancel
    | Status
    | Subscribe
    | Describe
    | Explain
    | History
    | Schedules
    | Recipes
    | Stop
    | Auth
)


# Events of a command


class Accepted(Message, frozen=True):
    """The command is safe with the daemon and will be carried out."""

    command: str
    session: str
    ahead: int = 0


class Interpreted(Message, frozen=True):
    """The goals that were understood, and scopes that had to be dropped.

    ``passed_over`` are the words of the text that became part of no goal: a statement, a purpose,
    something that is not to be done.
    """

    command: str
    meta: MetaGoal
    warnings: tuple[ScopeWarning, ...] = ()
    passed_over: tuple[str, ...] = ()


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


class Question(Message, frozen=True):
    """Several things could be meant: ``answer`` says which, before it expires."""

    command: str
    question: str
    goal: str
    action: str
    role: str
    message: str
    options: tuple[Option, ...]
    seconds: float


class Concerned(Data, frozen=True):
    """A thing that an action would be done to."""

    id: str
    name: str


class ApprovalNeeded(Message, frozen=True):
    """Something is about to happen to these things: ``approve`` says whether it may.

    ``targets`` are the first of them, ``count`` how many there are, and ``size`` how many bytes
    they have together, where that is known; ``status`` of the command lists all. ``arguments`` are
    all that the tool would get.
    """

    command: str
    approval: str
    goal: str
    action: str
    kind: str
    description: str
    targets: tuple[Concerned, ...]
    arguments: Mapping[str, Value]
    seconds: float
    count: int = 0
    size: int | None = None


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
    Accepted
    | Interpreted
    | Planned
    | Resolved
    | Question
    | ApprovalNeeded
    | ActionStarted
    | ActionFinished
    | Finished
)


# Answers


class JournalHealth(Data, frozen=True):
    """How the journal does: its size in bytes, what could not be written yet, and why."""

    ok: bool
    bytes: int
    waiting: int = 0
    reason: str | None = None


class Member(Data, frozen=True):
    """A process of a cluster, as what it is there, and how much it has to do."""

    role: str
    name: str
    labels: tuple[str, ...] = ()
    load: int = 0
    draining: bool = False


class Health(Data, frozen=True):
    """How the daemon itself does; ``latest`` are the commands that ended last, the newest first.

    In a cluster ``members`` are the processes that are there.
    """

    version: str
    pid: int
    uptime: float
    running: tuple[str, ...]
    queued: int
    finished: int
    sessions: tuple[str, ...]
    journal: JournalHealth | None = None
    latest: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()


class State(Message, frozen=True):
    """How a command stands, or how the daemon does.

    A command under way comes with its graph, which holds the results of the actions that ended,
    and with the questions and approvals that are waited for; one that has ended comes with the
    results of its goals.
    """

    id: str
    command: str | None = None
    status: StateStatus | None = None
    results: tuple[GoalResult, ...] = ()
    graph: PlanGraph | None = None
    questions: tuple[Question, ...] = ()
    approvals: tuple[ApprovalNeeded, ...] = ()
    health: Health | None = None


class Resolution(Message, frozen=True, rename="camel", omit_defaults=True):
    """What the words mean, or why they mean nothing here; with a record of every phase."""

    id: str
    ok: bool
    code: Code | None = None
    message: str | None = None
    details: Details | None = None
    options: tuple[Option, ...] = ()
    verb: str | None = None
    rule_id: RuleKey | None = None
    direct_target: Target | None = None
    indirect_target: Target | None = None
    bindings: tuple[Binding, ...] = ()
    relation_token_raw: str | None = None
    relation_token_canonical: str | None = None
    parsed: ParsedCommand | None = None
    trace: tuple[Phase, ...] = ()


class Subscribed(Message, frozen=True):
    """The subscription stands; ``seq`` is the number of the latest record."""

    id: str
    seq: int


class TraceRecord(Message, frozen=True, tag="trace"):
    """One line of the JSON log, as it happens."""

    id: str
    record: msgspec.Raw


class Described(Message, frozen=True):
    """What this daemon speaks and can do; ``examples`` are sentences, by the verb they have."""

    id: str
    version: str
    protocol: int
    schema: Mapping[str, Any]
    rules: Mapping[str, Rule]
    engines: Mapping[str, SearchEngine]
    capabilities: tuple[ToolCapability, ...]
    examples: Mapping[str, tuple[str, ...]] = {}
    journal: JournalHealth | None = None


class Explained(Message, frozen=True):
    """All that is on record of why a command did what it did."""

    id: str
    explanation: Explanation


class Histories(Message, frozen=True):
    """Commands that the journal knows, the newest first; ``next`` if there are older ones."""

    id: str
    commands: tuple[PastCommand, ...]
    next: str | None = None


class Scheduled(Data, frozen=True):
    """Something that is due later.

    ``said`` is the time in the speaker's words, ``due`` the moment in seconds since 1970, ``left``
    the seconds until then (of a paused entry, what is left of its time). ``text`` is what a person
    is told, or the command that is carried out.
    """

    id: str
    kind: Kind
    said: str
    session: str
    state: EntryState = "active"
    due: float | None = None
    left: float | None = None
    name: str = ""
    text: str = ""
    fired: int = 0


class ScheduleList(Message, frozen=True):
    """What is due later, the next first."""

    id: str
    entries: tuple[Scheduled, ...] = ()


class TaughtRecipe(Data, frozen=True):
    """A recipe that was taught: how it is asked for, and the values that it takes.

    ``problem`` says what is wrong with its file; it cannot be run then.
    """

    name: str
    steps: int = 0
    values: tuple[str, ...] = ()
    say: str = ""
    problem: str = ""


class RecipeList(Message, frozen=True):
    """The recipes that were taught."""

    id: str
    recipes: tuple[TaughtRecipe, ...] = ()


class Stopping(Message, frozen=True):
    """The daemon ends: it starts nothing more, and lets finish what is under way."""

    id: str


class Authorised(Message, frozen=True):
    """The connection is open for requests."""

    id: str


class Error(Message, frozen=True):
    """A frame that could not be served; the connection lives on, unless it was refused or shed.

    ``retry_after`` are seconds after which it may be tried again, where that would help.
    """

    code: Code
    message: str
    id: str | None = None
    path: str | None = None
    retry_after: float | None = None


WireReply: TypeAlias = (
    CommandEvent
    | State
    | Resolution
    | Subscribed
    | TraceRecord
    | Described
    | Explained
    | Histories
    | ScheduleList
    | RecipeList
    | Stopping
    | Authorised
    | Error
)


def busy(request: str | None, reason: str) -> Error:
    """Turn away what there is no room for now, and say when to try again."""
    return Error(Code.BUSY, reason, request, retry_after=RETRY_SECONDS)
