"""Executor: the only one who touches the world, and the only one who says what is true of it.

It picks the tool, runs it with exactly the arguments that were planned and bound, checks the
effect and records the facts. It never invents a parameter and never claims what it did not see.
"""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic, perf_counter
from typing import Protocol, assert_never

import anyio
import anyio.abc
import msgspec
from structlog.typing import FilteringBoundLogger

from actors.executor.toolbox import Scene, Tool, Toolbox, resolve_tool, toolbox
from actors.logger import logger_of
from actors.mailbox import Letter, Mailbox
from actors.supervisor import contained, contained_call
from messages import executing
from messages.effects import applied
from messages.executing import (
    Abort,
    Done,
    Look,
    Outcome,
    Perform,
    Performed,
    Refused,
    Seen,
    Survey,
    Surveyed,
    Watch,
    WorldSeen,
)
from messages.message import Value
from messages.plans import Fact, ToolCapability, WorldState
from messages.results import ActionResult, Code

RECENT_FACTS = 64
CAPABILITIES_FOR = 10.0


class WorldReader(Protocol):
    """Looks at the parts of the world that a snapshot holds and that change by themselves."""

    @property
    def live(self) -> frozenset[str]:
        """The domains that depend on those parts."""

    async def running_apps(self) -> frozenset[str]: ...


class Spans(Protocol):
    def __call__(self) -> str: ...


@dataclass
class Executor:
    """The tools in order of preference, the world as last seen, and what is under way."""

    tools: tuple[Tool, ...]
    scenes: Mapping[str, Scene]
    reader: WorldReader
    new_span: Spans
    parallel: int = 64
    log: FilteringBoundLogger = field(default_factory=lambda: logger_of("executor"))
    world: WorldState = field(default_factory=WorldState)
    facts: deque[Fact] = field(default_factory=lambda: deque(maxlen=RECENT_FACTS))
    _able: Toolbox = field(default_factory=dict)
    _capabilities: tuple[ToolCapability, ...] = ()
    _able_until: float = 0.0
    _watchers: list[Letter[executing.Inbox]] = field(default_factory=list)
    _under_way: dict[Letter[executing.Inbox], anyio.CancelScope] = field(default_factory=dict)

    async def run(self, mailbox: Mailbox[executing.Inbox]) -> None:
        self.able()
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self.keep_looking)
                slots = anyio.CapacityLimiter(self.parallel)
                async for letter in mailbox:
                    with letter as message:
                        self.handle(letter, message, tasks, slots)
                tasks.cancel_scope.cancel()
        finally:
            for letter in (*self._under_way, *self._watchers):
                letter.give_up()

    def handle(
        self,
        letter: Letter[executing.Inbox],
        message: executing.Inbox,
        tasks: anyio.abc.TaskGroup,
        slots: anyio.CapacityLimiter,
    ) -> None:
        match message:
            case Perform(action=action):
                tool = resolve_tool(action, self.able(), self.world)
                if tool is not None and (glance := tool.glance) is not None:
                    letter.answer(message, self.at_once(glance, tool, message))
                else:
                    self.later(letter, tasks, slots)
            case Survey() | Look():
                self.later(letter, tasks, slots)
            case Watch():
                self._watchers.append(letter.keep())
                self.tell_watchers()
            case Abort(command_id):
                self.abort(command_id)
            case unknown:
                assert_never(unknown)

    def later(
        self,
        letter: Letter[executing.Inbox],
        tasks: anyio.abc.TaskGroup,
        slots: anyio.CapacityLimiter,
    ) -> None:
        """Do in a task of its own what may take a while."""
        kept = letter.keep()
        scope = self._under_way[kept] = anyio.CancelScope()
        tasks.start_soon(self.work, kept, scope, slots)

    async def work(
        self,
        letter: Letter[executing.Inbox],
        scope: anyio.CancelScope,
        slots: anyio.CapacityLimiter,
    ) -> None:
        try:
            with letter as message:
                match message:
                    case Perform():
                        letter.answer(message, await self.performed(message, scope, slots))
                    case Survey():
                        await self.refresh()
                        letter.answer(message, self.surveyed(message))
                    case Look():
                        letter.answer(message, await self.seen(message))
                    case Abort() | Watch():
                        pass
        finally:
            del self._under_way[letter]

    def abort(self, command_id: str) -> None:
        """Stop what is under way for a command, where it can be stopped."""
        for letter, scope in self._under_way.items():
            if getattr(letter.message, "command_id", None) == command_id:
                scope.cancel()

    # Looking

    def surveyed(self, request: Survey) -> Surveyed:
        return Surveyed(request.command_id, self.world, self._capabilities)

    def tell_watchers(self) -> None:
        """Let those who watch know the world as it is now."""
        seen = WorldSeen(self.world, self._capabilities, self.reader.live)
        for letter in self._watchers:
            if isinstance(letter.message, Watch):
                letter.report(letter.message, seen)

    def able(self) -> Toolbox:
        """Give the tools that can work here; what is installed is looked up now and then."""
        now = monotonic()
        if now >= self._able_until:
            self._able_until = now + CAPABILITIES_FOR
            able = [tool for tool in self.tools if tool.available()]
            capabilities = tuple(tool.capability for tool in able)
            if capabilities != self._capabilities:
                self._able, self._capabilities = toolbox(able), capabilities
                self.log.info("capabilities.changed", tools=[tool.name for tool in able])
                self.tell_watchers()
        return self._able

    async def keep_looking(self) -> None:
        """Notice what was installed or removed, even while nothing is asked for."""
        while True:
            await anyio.sleep(CAPABILITIES_FOR)
            self.able()

    async def refresh(self) -> None:
        """Look which programs run."""
        apps = await self.reader.running_apps()
        self.world = msgspec.structs.replace(self.world, running_apps=apps)

    async def seen(self, request: Look) -> Seen:
        """List what a role may mean; a world without a scene has nothing in it."""
        scene = self.scenes.get(request.action.intent)
        candidates = await scene.candidates(request.within) if scene is not None else ()
        return Seen(request.command_id, request.action.action_id, request.role, candidates)

    # Acting

    async def performed(
        self, request: Perform, scope: anyio.CancelScope, slots: anyio.CapacityLimiter
    ) -> Performed:
        """Run one action to its checked end, its timeout, or its cancellation."""
        action = request.action
        tool = resolve_tool(action, self.able(), self.world)
        if tool is None:
            refusal = Refused(Code.NO_CAPABILITY, f"nothing here can do {action.achieves} now")
            return self.finished(request, refusal, verified=None, span="", began=perf_counter())
        span, began = self.new_span(), perf_counter()
        args = arguments(request)
        outcome: Outcome = Refused(Code.CANCELLED, "stopped before it ended")
        verified: bool | None = None
        patience = anyio.CancelScope()
        with scope:
            async with slots:
                self.started(request, tool, span)
                patience.deadline = anyio.current_time() + request.timeout
                with patience:
                    outcome = await contained(tool.perform(args), crashed)
                    if isinstance(outcome, Done):
                        verified = await contained(tool.verify(args, outcome), unseen)
        if patience.cancelled_caught and isinstance(outcome, Refused):
            outcome = Refused(
                Code.TIMEOUT, f"not done within {request.timeout:g} s", transient=True
            )
        return self.finished(request, outcome, verified, span, began)

    def at_once(
        self, glance: Callable[[Mapping[str, Value]], Outcome], tool: Tool, request: Perform
    ) -> Performed:
        """Make an observation that neither waits nor blocks, within this turn.

        It changes nothing, so one line tells all of it: there is no start to be known separately.
        """
        began = perf_counter()
        outcome = contained_call(glance, arguments(request), crashed)
        result = judged(request, outcome, verified=True)
        action = request.action
        self.log.info(
            "action.finished",
            goal_id=action.goal_id,
            action_id=action.action_id,
            tool=tool.name,
            description=action.description,
            ms=round((perf_counter() - began) * 1000, 3),
            **what_came(result),
        )
        return Performed(request.command_id, result)

    def started(self, request: Perform, tool: Tool, span: str) -> None:
        """Trace the beginning of an action, before anything can happen."""
        self.log.info(
            "action.started",
            span_id=span,
            goal_id=request.action.goal_id,
            action_id=request.action.action_id,
            tool=tool.name,
            description=request.action.description,
        )

    def finished(
        self,
        request: Perform,
        outcome: Outcome,
        verified: bool | None,  # noqa: FBT001
        span: str,
        began: float,
    ) -> Performed:
        """Judge an action by what was seen of it, record the facts, trace the end."""
        result = judged(request, outcome, verified=verified)
        if isinstance(outcome, Done) and result.status == "success":
            self.record(request, outcome)
        self.log.info(
            "action.finished",
            span_id=span,
            goal_id=request.action.goal_id,
            action_id=request.action.action_id,
            ms=round((perf_counter() - began) * 1000, 3),
            **what_came(result),
        )
        transient = isinstance(outcome, Refused) and outcome.transient
        return Performed(request.command_id, result, transient)

    def record(self, request: Perform, done: Done) -> None:
        """Renew the world by what an action brought about. Nobody else does."""
        if request.action.action_class == "observe" and not done.effects:
            return
        action = request.action
        for effect in (action.expected_effect, *done.effects):
            self.facts.append(Fact(effect, action.action_id, request.command_id))
            self.world = applied(self.world, effect)
        self.world = msgspec.structs.replace(self.world, recent_facts=tuple(self.facts))
        self.tell_watchers()


def arguments(request: Perform) -> Mapping[str, Value]:
    """Give what was planned and what was bound, and nothing else."""
    action = request.action
    return {**action.args, **request.bound} if request.bound else action.args


def what_came(result: ActionResult) -> dict[str, object]:
    """Put a result into the fields of a record."""
    if result.code is None:
        return {"status": result.status, "verified": result.verified}
    return {"status": result.status, "code": result.code, "reason": result.message}


def judged(request: Perform, outcome: Outcome, *, verified: bool | None) -> ActionResult:
    """Success is checked, not claimed: an effect that is looked for and missing is a failure."""
    action = request.action.action_id
    match outcome:
        case Done(output) if verified is not False:
            return ActionResult(action, "success", None, None, output, verified is True)
        case Refused(Code.CANCELLED, message):
            return ActionResult(action, "cancelled", Code.CANCELLED, message)
        case Refused(code, message):
            return ActionResult(action, "failed", code, message)
        case Done(output):
            message = f"done, but {request.action.expected_effect} was not seen afterwards"
            return ActionResult(action, "failed", Code.EFFECT_MISSING, message, output)
        case unknown:
            assert_never(unknown)


def crashed(error: Exception) -> Outcome:
    """Word the crash of a tool: it ends its action, not the Executor."""
    return Refused(Code.CRASHED, f"the tool crashed: {error!r}")


def unseen(_error: Exception) -> None:
    """A look that crashed has seen nothing: the action stays unverified."""
