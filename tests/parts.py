"""Small fakes of what actors ask for, and all actors together in one process.

The fakes satisfy the Protocols that actors declare (``Tool``, ``Scene``, ``WorldReader``); the
actors, their mailboxes and the wiring between them are the real ones.
"""

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

import anyio
import msgspec
from structlog.testing import capture_logs

from actors.executor import Executor, WorldReader
from actors.executor.toolbox import Lanes
from actors.gateway.outbox import Outbox
from actors.interpreter.scopes import resolve_scopes
from actors.mailbox import Address, Recipient, Unanswered, WayBack
from actors.orchestrator.places import Anchors, Tables
from actors.orchestrator.runs import Effect, advance, begin
from actors.orchestrator.state import Run
from actors.planner.planning import Means, plan_all
from actors.planner.tables import planner_rules, search_engines
from messages import commanding, executing, journaling, wire
from messages.commanding import Admit, Admitted, CancelCommand, Known, Report, TurnedAway
from messages.effects import fill
from messages.executing import (
    Done,
    Outcome,
    Perform,
    Performed,
    Recovered,
    Refused,
    Surveyed,
    Watch,
)
from messages.goals import GoalDraft, Scope
from messages.interpreting import Interpreted
from messages.message import Value
from messages.planning import MakePlans, PlansMade
from messages.plans import ToolCapability, WorldState
from messages.results import ActionResult, ActionStatus, Code
from messages.rules import Rule
from messages.trace import NOWHERE, Trace
from messages.worlds import Thing, World
from run import Parts, compose
from tools.journal import JournalFile
from tools.logs import TraceLog, span_ids
from tools.policy import Check
from tools.secrets import Secrets
from tools.settings import ApprovalSettings, Settings
from tools.text_world.bundle import WorldVerb, standard_verbs
from tools.tool import NOTHING

if TYPE_CHECKING:
    from tools.worlds import Machine

PATIENCE = 10.0
ROOT = "/root"
ANCHORS = {"root": ROOT, "documents": f"{ROOT}/documents", "drive:d": "/drive"}

Args: TypeAlias = Mapping[str, Value]
Act: TypeAlias = Callable[[Args], Awaitable[Outcome]]
E = TypeVar("E", bound=wire.CommandEvent)
R = TypeVar("R")


# What tools do


async def succeed(args: Args) -> Outcome:
    """Do nothing, well; whatever has a path reports it."""
    path = args.get("path")
    return Done({"path": path} if isinstance(path, str) else None)


async def fail(args: Args) -> Outcome:
    """Refuse, for good."""
    return Refused(Code.IO_FAILED, "the disk is full")


async def break_down(args: Args) -> Outcome:
    """Crash as a tool with a defect would."""
    raise RuntimeError("a defect")


async def never_end(args: Args) -> Outcome:
    """Work until it is stopped."""
    await anyio.sleep_forever()
    raise AssertionError


def in_turn(*outcomes: Outcome) -> Act:
    """Give these outcomes, one per call."""
    left = iter(outcomes)

    async def act(args: Args) -> Outcome:
        return next(left)

    return act


@dataclass
class Gate:
    """Holds everybody who comes until it opens; with ``opens_at``, when so many have come."""

    opens_at: int | None = None
    arrived: int = 0
    _open: anyio.Event = field(default_factory=anyio.Event)
    _came: anyio.Event = field(default_factory=anyio.Event)

    async def __call__(self, args: Args) -> Outcome:
        self.arrived += 1
        self._came.set()
        if self.arrived == self.opens_at:
            self.open()
        await self._open.wait()
        return await succeed(args)

    def open(self) -> None:
        """Let everybody through, now and later."""
        self._open.set()

    async def somebody(self) -> None:
        """Wait until somebody stands at the gate."""
        with anyio.fail_after(PATIENCE):
            await self._came.wait()


# Nothing waits for approval but in the tests that are about it.
UNASKED = Settings(approval=ApprovalSettings(ask=()))

# What actors ask for


@dataclass(eq=False)
class FakeTool:
    """A tool that remembers the arguments of each call."""

    achieves: str | frozenset[str]
    act: Act = succeed
    intent: str = "system_query"
    name: str = "fake"
    requires: frozenset[str] = frozenset()
    effects: frozenset[str] = frozenset()
    seen: bool | None = True
    present: bool = True
    glance: Callable[[Args], Outcome] | None = None
    works_at: tuple[str, ...] = ()
    record: Mapping[str, Value] | None = None
    recovered: Recovered = None
    calls: list[dict[str, Value]] = field(default_factory=list)

    @property
    def capability(self) -> ToolCapability:
        tokens = frozenset({self.achieves}) if isinstance(self.achieves, str) else self.achieves
        return ToolCapability(self.name, tokens, self.requires, self.effects)

    def available(self) -> bool:
        return self.present

    async def feasible(self, args: Mapping[str, Value]) -> Refused | None:
        return None

    async def mark(self, args: Mapping[str, Value]) -> str | Refused:
        return ""

    async def mark_all(self, each: Sequence[Mapping[str, Value]]) -> Sequence[str] | Refused:
        return [""] * len(each)

    async def mark_rest(self, args: Mapping[str, Value], apart: tuple[str, ...]) -> str | Refused:
        return ""

    async def sends(self, args: Mapping[str, Value]) -> bool:
        return False

    async def hides(self, args: Mapping[str, Value]) -> bool:
        return False

    async def perform(self, args: Args) -> Outcome:
        self.calls.append(dict(args))
        return await self.act(args)

    async def verify(self, args: Args, done: Done) -> bool | None:
        return self.seen

    def places(self, args: Args) -> tuple[str, ...]:
        return self.works_at

    async def before(self, args: Args) -> Mapping[str, Value] | None:
        return self.record

    async def compare(self, args: Args, before: Mapping[str, Value]) -> Recovered:
        return await self.recover(args, before)

    async def recover(self, args: Args, before: Mapping[str, Value]) -> Recovered:
        assert before == self.record
        return self.recovered


def folders(act: Act = succeed) -> FakeTool:
    """Make a tool that creates folders."""
    return FakeTool("create_folder", act, "file_operation", "folders")


def files(act: Act = succeed) -> FakeTool:
    """Make a tool that creates files."""
    return FakeTool("create_file", act, "file_operation", "files")


def mute(act: Act = succeed) -> FakeTool:
    """Make a tool that mutes; muting is safe to repeat."""
    return FakeTool("audio_mute", act, "audio_control", "mute")


def louder(act: Act = succeed) -> FakeTool:
    """Make a tool that raises the volume; doing that twice is not doing it once."""
    return FakeTool("audio_raise", act, "audio_control", "louder")


def clock(act: Act = succeed) -> FakeTool:
    """Make a tool that knows the time."""
    return FakeTool("system_get:time", act, "system_query", "clock")


# The scopes that files and applications are looked for in.
SCOPES = ("places", "entries", "destinations", "installed", "running")


@dataclass
class FakeScene:
    """A world of named things; remembers where it was looked at."""

    things: tuple[Thing, ...] = ()
    actor: str | None = None
    looks: list[str] = field(default_factory=list)
    crashes: int = 0

    async def look(
        self,
        within: str,
        *,
        again: bool = False,
        words: str = "",
        args: Mapping[str, Value] = NOTHING,
    ) -> World:
        self.looks.append(within)
        if self.crashes:
            self.crashes -= 1
            raise RuntimeError("a defect")
        everything = tuple(thing.id for thing in self.things)
        return World(self.things, self.actor, dict.fromkeys(SCOPES, everything))


def in_a_room(*things: Thing) -> FakeScene:
    """Make a room with these things in it, and somebody who acts."""
    room = Thing("room", "room", "room")
    me = Thing("me", "you", "player", location="room")
    around = (msgspec.structs.replace(thing, location="room") for thing in things)
    return FakeScene((room, me, *around), "me")


@dataclass
class FakeReader:
    """Knows which programs run. ``crashes`` times it fails, and the executor that asks with it."""

    domains: frozenset[str] = frozenset({"app"})
    apps: frozenset[str] = frozenset()
    crashes: int = 0
    blind: bool = False

    @property
    def live(self) -> frozenset[str]:
        if self.crashes:
            self.crashes -= 1
            raise RuntimeError("a defect")
        return self.domains

    async def running_apps(self) -> frozenset[str]:
        if self.blind:
            raise RuntimeError("a defect")
        return self.apps

    async def active_window(self) -> str | None:
        return None


async def crash(executor: Recipient[executing.Inbox], reader: FakeReader) -> None:
    """Crash an executor: it fails when it tells what it sees."""
    reader.crashes = 1
    with suppress(Unanswered):
        await executor.ask(Watch())


def executor_of(
    *tools: FakeTool, parallel: int = 64, reader: WorldReader | None = None
) -> Executor:
    """Make a real executor with these tools and nothing to look at."""
    journal = AlwaysKept()
    seen = reader or FakeReader()
    return Executor(tools, {}, seen, span_ids(), journal, Secrets(), parallel=parallel)


class AlwaysKept(Address[journaling.Inbox]):
    """A journal that keeps nothing and says it does, for an executor alone."""

    def __init__(self) -> None:
        """Need no post."""

    def told(self, message: journaling.Inbox, way_back: WayBack | None = None) -> bool:
        if way_back is not None:
            recall = isinstance(message, journaling.Recall)
            way_back.deliver(journaling.Stories(()) if recall else journaling.Kept(), NOWHERE)
        return True


# Goals


def goal(name: str, scope: Scope = "root", /, **params: Value) -> GoalDraft:
    """Draft a goal by the name of its rule, such as ``file.create``."""
    domain, _, verb = name.partition(".")
    return GoalDraft(domain, verb, params, scope=scope)


def folder(name: str, scope: Scope = "root") -> GoalDraft:
    return goal("file.create", scope, object_type="folder", name=name)


def file(name: str, scope: Scope = "root") -> GoalDraft:
    return goal("file.create", scope, object_type="file", name=name)


MUTE, LOUDER = goal("audio.mute"), goal("audio.raise")
TIME = goal("system.get", target="time")


# One command, as a state machine


@cache
def tables() -> Tables:
    """Give the tables that ship with Behest, with the anchors of these tests."""
    return Tables(planner_rules().with_aliases(), Anchors(ANCHORS, ROOT))


def every_token(rule: Rule) -> frozenset[str]:
    """Spell out what a rule can ask for: its template over all the values it allows."""
    names = [name for name, parameter in rule.params.items() if parameter.allowed]
    values = [rule.params[name].allowed for name in names]
    combinations = [dict(zip(names, chosen, strict=True)) for chosen in itertools.product(*values)]
    return frozenset(fill(rule.achieves, combination) for combination in combinations)


def everything() -> tuple[FakeTool, ...]:
    """Make a tool for each row of the rule table."""
    return tuple(
        FakeTool(every_token(rule), intent=rule.intent, name=".".join(key))
        for key, rule in planner_rules().rules.items()
    )


@cache
def all_capabilities() -> tuple[ToolCapability, ...]:
    return tuple(tool.capability for tool in everything())


def command(*goals: GoalDraft, **fields: object) -> Run:
    """Give a command that was accepted and nothing more."""
    submit = msgspec.convert({"type": "submit", "id": "c1", "text": "", **fields}, wire.Submit)
    submit = msgspec.structs.replace(submit, text=None, goals=goals)
    return Run("c1", submit, tables(), Trace("c1"))


def understood(run: Run) -> Sequence[Effect]:
    """Begin a command and let its goals be understood."""
    begin(run)
    meta, warnings = resolve_scopes(run.submit.goals or (), planner_rules().verbs())
    return advance(run, Interpreted(run.id, meta, warnings))


def planned(run: Run, capabilities: tuple[ToolCapability, ...] | None = None) -> Sequence[Effect]:
    """Take a command up to the moment its plans are made."""
    understood(run)
    able = all_capabilities() if capabilities is None else capabilities
    (request,) = advance(run, Surveyed(run.id, WorldState(), able))
    assert isinstance(request, MakePlans)
    means = Means.of(planner_rules(), search_engines(), able)
    return advance(run, PlansMade(run.id, plan_all(request.meta, request.world, means)))


def ended(
    run: Run,
    action: str,
    status: ActionStatus = "success",
    *,
    output: Value = None,
    transient: bool = False,
) -> Sequence[Effect]:
    """Let an action of a command end."""
    code = None if status == "success" else Code.IO_FAILED
    result = ActionResult(action, status, code, output=output, verified=status == "success")
    return advance(run, Performed(run.id, result, transient))


def started(effects: Iterable[Effect]) -> dict[str, Perform]:
    """Give the actions that are handed to the executor."""
    return {each.action.action_id: each for each in effects if isinstance(each, Perform)}


def only(kind: type[R], effects: Iterable[object]) -> R:
    """Give the one effect or event of a kind."""
    (found,) = (each for each in effects if isinstance(each, kind))
    return found


# All actors together


_decode_lines = msgspec.json.Decoder(wire.CommandEvent).decode_lines


class Listener(Outbox):
    """A client of one command: the events it was sent."""

    def __init__(self) -> None:
        super().__init__(limit=0)
        self.events: list[wire.CommandEvent] = []
        self._news = anyio.Event()

    def put(self, lines: bytes, *, soon: bool = False) -> None:
        self.events.extend(_decode_lines(lines))
        self._news.set()
        self._news = anyio.Event()

    def all(self, kind: type[E]) -> list[E]:
        """Give the events of a kind."""
        return [event for event in self.events if isinstance(event, kind)]

    async def first(self, kind: type[E], **wanted: object) -> E:
        """Wait for an event of this kind with these fields."""
        with anyio.fail_after(PATIENCE):
            while True:
                for event in self.all(kind):
                    if all(getattr(event, name) == value for name, value in wanted.items()):
                        return event
                await self._news.wait()

    async def finished(self) -> wire.Finished:
        """Wait for the end."""
        return await self.first(wire.Finished)


@dataclass
class FakeMachine:
    """What the composition root needs of a machine."""

    tools: tuple[FakeTool, ...]
    scenes: Mapping[str, FakeScene]
    reader: FakeReader
    anchors: Mapping[str, str]
    default_folder: str
    policy: Mapping[str, Sequence[Check]] = field(default_factory=dict)
    lanes: Mapping[str, Lanes] = field(default_factory=dict)
    world_verbs: Mapping[str, WorldVerb] = field(default_factory=standard_verbs)
    playing: bool = True


@dataclass
class House:
    """All actors, running."""

    parts: Parts

    @property
    def executor(self) -> Recipient[executing.Inbox]:
        return self.parts.gateway.executor

    @property
    def orchestrator(self) -> Address[commanding.Inbox]:
        return self.parts.orchestrator

    async def submit(self, name: str, *goals: GoalDraft, **fields: object) -> Listener:
        """Submit a command; give what its client hears."""
        listener = Listener()
        self.parts.gateway.switchboard.attach(name, listener)
        submit = msgspec.structs.replace(command(*goals, **fields).submit, id=name)
        assert await self.orchestrator.ask(Admit(submit)) == Admitted()
        return listener

    async def run(self, name: str, *goals: GoalDraft, **fields: object) -> Listener:
        """Submit a command and wait for its end."""
        listener = await self.submit(name, *goals, **fields)
        await listener.finished()
        return listener

    async def cancel(self, name: str) -> Known | TurnedAway:
        return await self.orchestrator.ask(CancelCommand(wire.Cancel("x", name)))

    async def state(self, name: str) -> str | None:
        """Say how a command stands."""
        answer = await self.orchestrator.ask(Report(wire.Status("s", name)))
        assert isinstance(answer, Known)
        return answer.state.status

    async def health(self) -> wire.Health:
        answer = await self.orchestrator.ask(Report(wire.Status("s")))
        assert isinstance(answer, Known)
        assert answer.state.health is not None
        return answer.state.health


@asynccontextmanager
async def house(
    *tools: FakeTool,
    scenes: Mapping[str, FakeScene] | None = None,
    reader: FakeReader | None = None,
    journal: JournalFile | None = None,
    settings: Settings = UNASKED,
    lanes: Mapping[str, Lanes] | None = None,
) -> AsyncIterator[House]:
    """Run all actors with these tools for the length of a ``with`` block."""
    reader = reader or FakeReader()
    machine = FakeMachine(tools, scenes or {}, reader, ANCHORS, ROOT, lanes=lanes or {})
    trace_log = TraceLog(lambda _line: None, span_ids())
    with ExitStack() as boxes, capture_logs():
        # The actors ask for Protocols; only the composition root names the real tools' classes.
        machinery = cast("Machine", machine)
        parts = compose(settings, machinery, trace_log, boxes, journal=journal)
        async with anyio.create_task_group() as tasks:
            for service in parts.services:
                tasks.start_soon(service)
            yield House(parts)
            tasks.cancel_scope.cancel()
