"""Executor: the only one who touches the world, and the only one who says what is true of it.

It picks the tool, runs it with exactly the arguments that were planned and bound, checks the
effect and records the facts. It never invents a parameter and never claims what it did not see.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import itemgetter
from time import perf_counter_ns
from typing import Protocol, TypeAlias, assert_never

import anyio
import anyio.abc
import anyio.to_thread
import msgspec

from actors.executor.judging import (
    Deed,
    came,
    contradiction,
    crashed,
    first_infeasible,
    in_doubt,
    infeasible,
    interrupted,
    judged,
    last_known,
    not_told,
    nothing,
    nowhere,
    unable,
    what_came,
)
from actors.executor.marks import Marks, unwatched
from actors.executor.toolbox import (
    NOTHING,
    Lanes,
    Scene,
    Tool,
    Toolbox,
    resolve_tool,
    toolbox,
)
from actors.executor.turns import Turn, Turns
from actors.logger import ActorLogger, logger_of
from actors.mailbox import Address, Letter, Mailbox, Unanswered
from actors.supervisor import contained, contained_call
from actors.vault import TYPED, Opened, Vault, loggable, needs_asking, opened, plain_texts
from messages import executing, journaling
from messages.effects import applied
from messages.executing import (
    Abort,
    Check,
    Checked,
    Done,
    Leave,
    Look,
    Marked,
    Muster,
    Mustered,
    Outcome,
    Perform,
    Performed,
    Refused,
    Seen,
    Survey,
    Surveyed,
    Unknown,
    Watch,
    WorldSeen,
)
from messages.journaling import Intent, Keep, Kept, Note, Recall
from messages.message import Value
from messages.pages import Page
from messages.plans import Fact, PlannedAction, ToolCapability, WorldState
from messages.results import ActionResult, Code
from messages.trace import Trace, current
from messages.worlds import World

RECENT_FACTS = 64
LOOK_EVERY = 10.0
KEEP_SECONDS, KEEP_AGAIN_SECONDS = 30.0, 0.5
# What a tool says of its work, as far as it is known without it.
SAID_BEFORE = ("path", "url")


class WorldReader(Protocol):
    """Looks at the parts of the world that a snapshot holds and that change by themselves."""

    @property
    def live(self) -> frozenset[str]:
        """The domains that depend on those parts."""

    async def running_apps(self) -> frozenset[str]: ...

    async def active_window(self) -> str | None:
        """Give the title of the window in front; None where nobody tells."""


class Spans(Protocol):
    def __call__(self) -> str: ...


Errand: TypeAlias = Survey | Look | Check | Perform


@dataclass
class Executor:
    """The tools in order of preference, the world as last seen, and what is under way."""

    tools: tuple[Tool, ...]
    scenes: Mapping[str, Scene]
    reader: WorldReader
    new_span: Spans
    journal: Address[journaling.Inbox]
    vault: Vault
    lanes: Mapping[str, Lanes] = field(default_factory=dict)
    parallel: int = 64
    world: WorldState = field(default_factory=WorldState)
    log: ActorLogger = field(default_factory=lambda: logger_of("executor"))
    _able: Toolbox = field(default_factory=dict)
    _capabilities: tuple[ToolCapability, ...] = ()
    _watchers: list[Letter[executing.Inbox]] = field(default_factory=list)
    _under_way: dict[Letter[executing.Inbox], tuple[str, anyio.CancelScope]] = field(
        default_factory=dict
    )
    _joined: dict[tuple[str, str], list[Letter[executing.Inbox]]] = field(default_factory=dict)
    _turns: Turns = field(default_factory=Turns)
    _marks: Marks = field(default_factory=Marks)

    async def run(self, mailbox: Mailbox[executing.Inbox]) -> None:
        await self.look_for_tools()
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self.keep_looking)
                slots = anyio.CapacityLimiter(self.parallel)
                await self.take_up_interrupted(tasks, slots)
                while await mailbox.more():
                    with mailbox.turn as letters:
                        for letter in letters:
                            message = letter.message
                            self.handle(letter, message, tasks, slots)
                tasks.cancel_scope.cancel()
        finally:
            joined = [letter for letters in self._joined.values() for letter in letters]
            for letter in (*self._under_way, *self._watchers, *joined):
                letter.give_up()

    def handle(
        self,
        letter: Letter[executing.Inbox],
        message: executing.Inbox,
        tasks: anyio.abc.TaskGroup,
        slots: anyio.CapacityLimiter,
    ) -> None:
        match message:
            case Perform():  # one case for all: a pattern costs as much as a small function
                tool = resolve_tool(message.action, self._able, self.world, message.bound)
                if message.bound and (defect := contradiction(message)) is not None:
                    letter.answer(message, self.refuse_defect(message, defect))
                elif message.begun and job_of(message) in self._joined:
                    self._joined[job_of(message)].append(letter.keep())
                elif tool is not None and (glance := tool.glance) is not None:
                    letter.answer(message, self.at_once(glance, tool, message))
                else:
                    self._joined.setdefault(job_of(message), [])
                    tasks.start_soon(self.run_errand, *self.kept(letter, message), slots)
            case Survey() | Look() | Check():
                tasks.start_soon(self.run_errand, *self.kept(letter, message), slots)
            case Watch():
                self._watchers.append(letter.keep())
                self.tell_watchers()
            case Muster():
                letter.answer(message, Mustered(frozenset(self._joined)))
            case Abort(command_id):
                self.abort(command_id)
            case Leave(intent=intent, lane=lane):
                tasks.start_soon(self.leave, intent, lane)
            case unknown:
                assert_never(unknown)

    def refuse_defect(self, request: Perform, defect: Refused) -> Performed:
        """Refuse what nobody planned so; no tool is called."""
        action = request.action
        self.log.error(
            "action.contradicted",
            goal_id=action.goal_id,
            action_id=action.action_id,
            reason=defect.message,
        )
        result = ActionResult(action.action_id, "failed", defect.code, defect.message)
        return Performed(request.command_id, result)

    def kept(
        self, letter: Letter[executing.Inbox], errand: Errand
    ) -> tuple[Letter[executing.Inbox], Errand, anyio.CancelScope]:
        """Keep a letter for a task of its own; until that has answered, it is under way."""
        kept, scope = letter.keep(), anyio.CancelScope()
        self._under_way[kept] = (errand.command_id, scope)
        return kept, errand, scope

    async def run_errand(
        self,
        letter: Letter[executing.Inbox],
        errand: Errand,
        scope: anyio.CancelScope,
        slots: anyio.CapacityLimiter,
    ) -> None:
        """Do what may take a while. Looks that crash are given up: they cost nobody else's work."""
        try:
            with letter:
                match errand:
                    case Perform():
                        await self.answer_all(letter, errand, scope, slots)
                    case Survey():
                        with scope:
                            await contained(self.refresh(errand), nothing)
                        letter.answer(errand, self.surveyed(errand))
                    case Look():
                        with scope:
                            if (seen := await contained(self.seen(errand), nothing)) is not None:
                                letter.answer(errand, seen)
                    case Check():
                        with scope:
                            checked = await contained(self.checked(errand), crashed)
                            if isinstance(checked, Refused):
                                action = errand.action.action_id
                                checked = Checked(errand.command_id, action, checked)
                            letter.answer(errand, checked)
                    case unknown:
                        assert_never(unknown)
        finally:
            del self._under_way[letter]

    async def answer_all(
        self,
        letter: Letter[executing.Inbox],
        errand: Perform,
        scope: anyio.CancelScope,
        slots: anyio.CapacityLimiter,
    ) -> None:
        """Do an action for whoever asked for it; also for those who ask again meanwhile."""
        job = job_of(errand)
        try:
            performed = await self.performed_or_known(errand, scope, slots)
            for each in (letter, *self._joined.get(job, ())):
                each.answer(errand, performed)
        finally:
            for each in self._joined.pop(job, ()):
                each.give_up()

    async def performed_or_known(
        self, errand: Perform, scope: anyio.CancelScope, slots: anyio.CapacityLimiter
    ) -> Performed:
        """Do an action, unless it is known what became of it."""
        begun: Intent | None = None
        if errand.begun:
            stories = await self.stories_of(errand.command_id)
            if stories is None:
                return await self.noted(errand, in_doubt_after(errand))
            match last_known(stories, errand.action.action_id):
                case journaling.Outcome() as known if not is_to_be_tried_again(errand, known):
                    about = (errand.command_id, known.result, known.transient)
                    return Performed(
                        *about,
                        undo=known.undo,
                        facts=known.facts,
                        changed=known.changed is not False,
                        lasting=known.lasting,
                    )
                case Intent() as intent:
                    begun = intent
                case _:
                    pass
        with self._turns.join(self.places_of(errand)) as turn:
            return await self.noted(errand, await self.performed(errand, scope, slots, turn, begun))

    async def noted(self, errand: Perform, performed: Performed) -> Performed:
        """Have it written down what came of an action; before that, its turn is not over."""
        if errand.action.action_class != "observe":
            await self.journal.tell(Note(errand.command_id, came(performed)))
        return performed

    def places_of(self, request: Perform) -> tuple[str, ...]:
        """Name the places at which an action is the only one to work."""
        tool = resolve_tool(request.action, self._able, self.world, request.bound)
        if tool is None or request.action.action_class == "observe":
            return ()
        return contained_call(tool.places, arguments(request), nowhere)

    # Going on after a crash

    async def take_up_interrupted(
        self, tasks: anyio.abc.TaskGroup, slots: anyio.CapacityLimiter
    ) -> None:
        """See to what was under way before anything new is done in the same places.

        Otherwise it could not be told from what is new: the same line may be added by both.
        """
        for perform, begun in interrupted(await self.stories_of("") or ()):
            self._joined[job_of(perform)] = []
            turn = self._turns.join(self.places_of(perform))
            tasks.start_soon(self.finish_interrupted, perform, begun, turn, slots)

    async def finish_interrupted(
        self, perform: Perform, begun: Intent, turn: Turn, slots: anyio.CapacityLimiter
    ) -> None:
        """Find out what became of an action, do it if need be, and tell those who ask meanwhile."""
        job = job_of(perform)
        current.set(Trace(perform.command_id, self.new_span()))
        try:
            with turn:
                scope = anyio.CancelScope()
                performed = await self.performed(perform, scope, slots, turn, begun)
                await self.noted(perform, performed)
            for each in self._joined.get(job, ()):
                each.answer(perform, performed)
        finally:
            for each in self._joined.pop(job, ()):
                each.give_up()

    async def leave(self, intent: str, lane: str) -> None:
        """Free a lane whose branch has ended."""
        lanes = self.lanes.get(intent)
        if lanes is not None:
            await contained(lanes.leave(lane), nothing)

    def abort(self, command_id: str) -> None:
        """Stop what is under way for a command, where it can be stopped."""
        for command, scope in self._under_way.values():
            if command == command_id:
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

    async def look_for_tools(self) -> None:
        """See which tools can work here; that may mean looking for programs on the disk."""
        able = await anyio.to_thread.run_sync(available, self.tools)
        capabilities = tuple(tool.capability for tool in able)
        if capabilities != self._capabilities:
            self._able, self._capabilities = toolbox(able), capabilities
            self.log.info("capabilities.changed", tools=[tool.name for tool in able])
            self.tell_watchers()

    async def keep_looking(self) -> None:
        """Notice what was installed or removed, also while nothing is asked for."""
        while True:
            await anyio.sleep(LOOK_EVERY)
            await self.look_for_tools()

    async def refresh(self, request: Survey) -> None:
        """Look at what changes by itself, as far as the domains depend on it."""
        if request.domains & self.reader.live:
            apps = await self.reader.running_apps()
            window = await self.reader.active_window()
            self.world = msgspec.structs.replace(
                self.world, running_apps=apps, active_window=window
            )

    async def seen(self, request: Look) -> Seen:
        """List what words may mean; where there is nothing to look at, nothing is there."""
        scene = self.scenes.get(request.action.intent)
        sight: World | Page | Refused = World()
        if scene is not None:
            await self.enter(request.action.intent, request.within)
            words = request.action.description
            args = request.action.args if not request.role else NOTHING  # no words for a place
            sight = await scene.look(request.within, again=request.again, words=words, args=args)
        about = (request.command_id, request.action.action_id, request.role)
        match sight:
            case Refused():
                for effect in sight.effects:
                    self.world = applied(self.world, effect)
                return Seen(*about, refused=sight)
            case Page():
                return Seen(*about, page=sight)
            case _:
                return Seen(*about, sight)

    async def enter(self, intent: str, lane: object) -> None:
        """Wait until a lane may work, where work is done in lanes."""
        lanes = self.lanes.get(intent)
        if lanes is not None and isinstance(lane, str) and lane:
            await lanes.enter(lane)

    async def checked(self, request: Check) -> Checked:
        """Find the first of several bindings to which an action cannot be done; else mark all."""
        about = (request.command_id, request.action.action_id)
        marks: list[str] = []
        sends, shown = False, None
        uses = [
            (resolve_tool(request.action, self._able, self.world, bound), bound)
            for bound in request.bound
        ]
        for tool, members in groupby(uses, key=itemgetter(0)):
            if tool is None:
                return Checked(*about, unable(request.action, None))
            bounds = [bound for _, bound in members]
            several = [{**request.action.args, **bound} for bound in bounds]
            refused = await first_infeasible(tool, several)
            found = refused or await tool.mark_all(several)
            if isinstance(found, Refused):
                return Checked(*about, found)
            marks += found
            for bound, args in zip(bounds, several, strict=True):
                sends = await tool.sends(args) or sends
                shown = await self.hidden(request.action, bound, tool) or shown
        return Checked(*about, marks=tuple(marks), sends=sends, shown=shown)

    # Acting

    async def performed(
        self,
        request: Perform,
        scope: anyio.CancelScope,
        slots: anyio.CapacityLimiter,
        turn: Turn,
        begun: Intent | None,
    ) -> Performed:
        """Run one action to its checked end, its timeout, or its cancellation.

        If it has ``begun`` before, it is run only if it is known not to have happened.
        """
        action = request.action
        tool = resolve_tool(action, self._able, self.world, request.bound)
        span, began = self.new_span(), perf_counter_ns()
        secrets = await self.opened(request)
        if tool is None or secrets.unknown is not None:
            if begun is not None:
                with scope:
                    await turn.come()
                    return await self.compared(request, tool, begun, secrets)
                return in_doubt_after(request)
            refusal = unable(action, None if tool is None else secrets.unknown)
            return self.finished(request, Deed(refusal), span, began)
        deed, before = Deed(), None
        discreet: Perform | None = None
        with scope:
            await self.enter(action.intent, request.bound.get("lane"))
            await turn.come()
            async with slots:
                if begun is not None:
                    known = await self.recovered(request, tool, begun, secrets)
                    if known is not None:
                        return known
                request = self.with_current_mark(request)
                discreet = await self.discreet(request, tool)
                if discreet is not None:
                    request, secrets = discreet, await self.opened(discreet)
                refused, before = await self.begin(request, tool, secrets)
                if refused is not None:
                    return self.finished(request, Deed(refused), span, began)
                self.started(request, tool, span)
                await self.act(request, tool, deed, secrets.arguments)
        if before is not None:
            await deed.find_out(tool, secrets.arguments, before)
        performed = self.finished(request, deed.discreetly(secrets), span, began)
        if discreet is None:
            return performed
        return msgspec.structs.replace(performed, shown=request.action.args)

    def with_current_mark(self, request: Perform) -> Perform:
        """Give an approved action with the mark that its thing has after its command's own work."""
        if not request.mark:
            return request
        return msgspec.structs.replace(request, mark=self._marks.current(request))

    async def act(
        self, request: Perform, tool: Tool, deed: Deed, args: Mapping[str, Value]
    ) -> None:
        """Let a tool act within its time; what else was approved of is marked anew by it."""
        places = tool.places(args) if request.beside else ()
        watching = self._marks.watch(request, places, self.tool_for)
        watched = await contained(watching, unwatched)
        patience = anyio.CancelScope(deadline=anyio.current_time() + request.timeout)
        with patience:
            await deed.do(tool, args, request.mark)
        if patience.cancelled_caught:
            deed.run_out(request.timeout)
        elif watched and isinstance(deed.outcome, Done):
            is_seen = partial(tool.verify, args, deed.outcome)
            await contained(self._marks.renew(request, places, watched, is_seen), nothing)

    def tool_for(self, marked: Marked) -> Tool | None:
        return resolve_tool(marked.action, self._able, self.world, marked.bound)

    async def discreet(self, request: Perform, tool: Tool) -> Perform | None:
        """Put references into the place of what turns out to go where a secret goes.

        Only the page says that of a field whose words do not; from here on nothing else is written.
        None if nothing is to be hidden.
        """
        args = await self.hidden(request.action, request.bound, tool)
        if args is None:
            return None
        bound = {name: value for name, value in request.bound.items() if name not in TYPED}
        action = msgspec.structs.replace(request.action, args=args)
        return msgspec.structs.replace(request, action=action, bound=bound)

    async def hidden(
        self, action: PlannedAction, bound: Mapping[str, Value], tool: Tool
    ) -> Mapping[str, Value] | None:
        """Give the arguments of an action with references for what goes where a secret goes."""
        texts = plain_texts(action.args, bound)
        if not texts:
            return None
        if await contained(tool.hides({**action.args, **bound}), nothing) is False:
            return None
        return {**action.args, **{name: self.vault.keep(text) for name, text in texts.items()}}

    async def begin(
        self, request: Perform, tool: Tool, secrets: Opened
    ) -> tuple[Refused | None, Mapping[str, Value] | None]:
        """Have it written down that something is about to happen, and what is there before.

        What was approved of and is another thing now is not even read.
        """
        if request.action.action_class == "observe":
            return None, None
        args = secrets.arguments
        if request.mark:
            refused = await contained(infeasible(tool, args, request.mark), crashed)
            if refused is not None:
                return refused, None
        before = await contained(tool.before(args), nothing)
        return await self.kept_first(request, before), before

    async def kept_first(
        self, request: Perform, before: Mapping[str, Value] | None
    ) -> Refused | None:
        """Have it written down that something is about to happen; if that fails, it must not."""
        intent = Keep(request.command_id, Intent(request.action, request.bound, before))
        reason = "the journal does not answer"
        with anyio.move_on_after(KEEP_SECONDS):
            while True:
                try:
                    reply = await self.journal.ask(intent, within=KEEP_SECONDS)
                except TimeoutError:
                    break
                except Unanswered:
                    continue  # it has crashed, and is back soon
                if isinstance(reply, Kept):
                    return None
                reason = reply.reason
                await anyio.sleep(KEEP_AGAIN_SECONDS)  # the disk may have room again soon
        return Refused(Code.NOT_DURABLE, f"nothing was done: {reason}")

    async def opened(self, request: Perform) -> Opened:
        """Give all arguments, with the secrets in those that were planned.

        What was bound, or taken from elsewhere, may be what a page or a file says: that is text.
        A keyring may ask its owner, which takes time.
        """
        args = request.action.args
        if not needs_asking(args):
            return opened(args, self.vault, request.bound)
        return await anyio.to_thread.run_sync(
            opened, args, self.vault, request.bound, abandon_on_cancel=True
        )

    async def recovered(
        self, request: Perform, tool: Tool, begun: Intent, secrets: Opened
    ) -> Performed | None:
        """Find out what became of an action that was under way; None if it is to be done now."""
        if begun.before is None:
            return await self.seen_or_doubtful(request, tool, secrets)
        span, began = self.new_span(), perf_counter_ns()
        match await contained(tool.recover(secrets.arguments, begun.before), not_told):
            case None:
                return None
            case Unknown(reason):
                return in_doubt_after(request, reason=reason)
            case Done() as done:
                self.found_done(request)
                deed = Deed(done, verified=True).discreetly(secrets)
                return self.finished(request, deed, span, began)
            case Refused() as refused:
                return self.finished(request, Deed(refused).discreetly(secrets), span, began)

    async def compared(
        self, request: Perform, tool: Tool | None, begun: Intent, secrets: Opened
    ) -> Performed:
        """Find out what became of an action that was under way and whose secret text is lost.

        Where nothing was done, it cannot be done any more; what was done is told by its size.
        """
        if tool is None or begun.before is None:
            return in_doubt_after(request)
        span, began = self.new_span(), perf_counter_ns()
        found = await contained(tool.compare(arguments(request), begun.before), not_told)
        if isinstance(found, Unknown):
            return in_doubt_after(request, reason=found.reason)
        if found is None:
            found = unable(request.action, secrets.unknown)
        elif isinstance(found, Done):
            self.found_done(request)
        return self.finished(request, Deed(found), span, began)

    async def seen_or_doubtful(
        self, request: Perform, tool: Tool, secrets: Opened
    ) -> Performed | None:
        """Look for the effect of an action whose tool noted nothing before; None if to be done now.

        A page tells nothing of what was to be done on it before.
        """
        action, args, seen = request.action, secrets.arguments, None
        if action.intent not in self.lanes:
            seen = await contained(tool.verify(args, Done()), nothing)
        if not action.repeatable:
            return in_doubt_after(request, seen=seen)
        if seen is not True or action.action_class == "observe":
            return None
        said: Value = {
            name: value for name in SAID_BEFORE if isinstance(value := args.get(name), str)
        }
        result = ActionResult(action.action_id, "success", output=said or None, verified=True)
        self.found_done(request)
        return Performed(request.command_id, result)

    def found_done(self, request: Perform) -> None:
        action = request.action
        self.log.info("action.found_done", goal_id=action.goal_id, action_id=action.action_id)

    async def stories_of(self, command: str) -> tuple[journaling.Story, ...] | None:
        """Recall what is known of a command, or of all; None if that cannot be found out."""
        with anyio.move_on_after(KEEP_SECONDS):
            while True:
                try:
                    recalled = await self.journal.ask(Recall(command), within=KEEP_SECONDS)
                except (TimeoutError, Unanswered):
                    continue  # it has crashed, and is back soon
                return None if recalled.unreadable else recalled.stories
        return None

    def at_once(
        self, glance: Callable[[Mapping[str, Value]], Outcome], tool: Tool, request: Perform
    ) -> Performed:
        """Make an observation that neither waits nor blocks, within this turn.

        It changes nothing, so one line tells all of it: there is no start to be known separately.
        """
        action, began = request.action, perf_counter_ns()
        outcome = contained_call(glance, arguments(request), crashed)
        ms = milliseconds_since(began)
        if not isinstance(outcome, Done):
            return self.not_seen(request, tool, outcome, ms)
        self.log.info(
            "action.finished",
            goal_id=action.goal_id,
            action_id=action.action_id,
            tool=tool.name,
            description=loggable(action.description),
            ms=ms,
            status="success",
            verified=True,
        )
        seen = ActionResult(action.action_id, "success", output=outcome.output, verified=True)
        return Performed(request.command_id, seen)

    def not_seen(self, request: Perform, tool: Tool, refused: Refused, ms: float) -> Performed:
        """Trace an observation that could not be made."""
        action, result = request.action, judged(request, Deed(refused))
        self.log.info(
            "action.finished",
            goal_id=action.goal_id,
            action_id=action.action_id,
            tool=tool.name,
            description=loggable(action.description),
            ms=ms,
            **what_came(result),
        )
        return Performed(request.command_id, result, refused.transient)

    def started(self, request: Perform, tool: Tool, span: str) -> None:
        """Trace the beginning of an action, before anything can happen."""
        self.log.info(
            "action.started",
            span_id=span,
            goal_id=request.action.goal_id,
            action_id=request.action.action_id,
            tool=tool.name,
            description=loggable(request.action.description),
        )

    def finished(self, request: Perform, deed: Deed, span: str, began: int) -> Performed:
        """Judge an action by what was seen of it, record the facts, trace the end."""
        result, outcome = judged(request, deed), deed.outcome
        facts: tuple[str, ...] = ()
        if isinstance(outcome, Done) and result.verified:
            facts = self.record(request, (request.action.expected_effect, *outcome.effects))
        elif outcome.effects:  # what the tool itself has seen holds, whatever came of the action
            facts = self.record(request, outcome.effects)
        self.log.info(
            "action.finished",
            span_id=span,
            goal_id=request.action.goal_id,
            action_id=request.action.action_id,
            ms=milliseconds_since(began),
            **what_came(result),
        )
        changed = deed.has_changed()
        if not isinstance(outcome, Done):
            return Performed(request.command_id, result, outcome.transient, changed=changed)
        return Performed(
            request.command_id,
            result,
            undo=outcome.undo,
            facts=facts,
            changed=changed,
            lasting=outcome.lasting,
        )

    def record(self, request: Perform, effects: tuple[str, ...]) -> tuple[str, ...]:
        """Renew the world by what an action was seen to bring about. Nobody else does."""
        action = request.action
        if action.action_class == "observe" and effects == (action.expected_effect,):
            return ()
        for effect in effects:
            self.world = applied(self.world, effect)
        facts = (Fact(effect, action.action_id, request.command_id) for effect in effects)
        recent = (*self.world.recent_facts, *facts)[-RECENT_FACTS:]
        self.world = msgspec.structs.replace(self.world, recent_facts=recent)
        self.tell_watchers()
        return effects


def in_doubt_after(
    request: Perform, *, seen: bool | None = None, reason: str | None = None
) -> Performed:
    """Say that it is not known what became of an action that was under way."""
    return Performed(
        request.command_id, in_doubt(request.action.action_id, seen=seen, reason=reason)
    )


def is_to_be_tried_again(request: Perform, known: journaling.Outcome) -> bool:
    """Tell whether an action has failed for a reason that may pass, and may be repeated."""
    return known.transient and request.action.repeatable


def job_of(request: Perform) -> tuple[str, str]:
    return request.command_id, request.action.action_id


def milliseconds_since(began: int) -> float:
    """Give the time something took, to the microsecond; ``round`` would take longer than that."""
    return (perf_counter_ns() - began) // 1_000 / 1e3


def available(tools: Iterable[Tool]) -> list[Tool]:
    """Give the tools that can work on this machine now."""
    return [tool for tool in tools if tool.available()]


def arguments(request: Perform) -> Mapping[str, Value]:
    """Give what was planned and what was bound, and nothing else."""
    action = request.action
    return {**action.args, **request.bound} if request.bound else action.args
