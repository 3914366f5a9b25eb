"""Orchestrator: owns every command from its acceptance to its end.

It keeps sessions in order, asks the others (all answers return to its inbox) and publishes what
happens. What to do next is decided by the pure functions beside it; no rule of any domain is here.
"""

import os
import re
from collections import OrderedDict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Protocol, TypeAlias, assert_never

import anyio

from actors.logger import ActorLogger, logger_of
from actors.mailbox import Address, Letter, Mailbox, WayBack
from actors.orchestrator.doubting import told
from actors.orchestrator.lanes import all_left
from actors.orchestrator.outcomes import graph_so_far
from actors.orchestrator.places import Tables
from actors.orchestrator.runs import (
    TICK_SECONDS,
    Effect,
    abandon,
    advance,
    answered,
    begin,
    broken,
    is_asking,
    open_question,
    open_questions,
    set_aside,
    stop,
    tick,
)
from actors.orchestrator.sessions import Sessions
from actors.orchestrator.state import Run
from actors.supervisor import contained_step
from messages import commanding, executing, interpreting, planning, targets, wire
from messages.commanding import (
    Abandon,
    Admit,
    Admitted,
    AnswerQuestion,
    CancelCommand,
    Drain,
    Drained,
    Known,
    NoAnswer,
    Report,
    Tick,
    TurnedAway,
)
from messages.executing import Performed, Survey
from messages.interpreting import Interpreted
from messages.message import Message, Value
from messages.planning import PlansMade
from messages.results import Code
from messages.trace import Trace, current

ROW_WEIGHT = 300
ABANDON_AFTER = 10.0
# The events after which another command may get its turn.
TURNS = frozenset({wire.Finished, wire.Question})
# Words that speak of a secret are not logged: which of them it is, nobody has read yet.
SECRET = re.compile(r"pass ?(?:word|phrase|code)|\bpin\b|\bcv[vc]\b|\bsecret\b", re.IGNORECASE)
WITHHELD = "(withheld: it speaks of a secret)"


class Events(Protocol):
    """Where the events of commands go."""

    def publish(self, event: wire.CommandEvent) -> None: ...

    def unfinished(self) -> tuple[str, ...]: ...


class Spans(Protocol):
    """Makes the ids that tie the lines of a trace together."""

    def __call__(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Team:
    """The addresses of those whom the Orchestrator asks."""

    interpreter: Address[interpreting.Inbox]
    planner: Address[planning.Inbox]
    resolver: Address[targets.Inbox]
    executor: Address[executing.Inbox]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is taken on, and for how long."""

    in_flight: int = 5_000
    deadline: float = 600.0


@dataclass(slots=True)
class History:
    """The latest commands that ended. It outlives a crash of the Orchestrator: an id runs once."""

    remembered: int = 1_000
    weight: int = 64 << 20
    count: int = 0
    born: float = field(default_factory=monotonic)
    _ended: OrderedDict[str, tuple[wire.Finished, int]] = field(default_factory=OrderedDict)

    def file(self, finished: wire.Finished) -> None:
        """Remember how a command ended; forget the oldest, by number and by weight."""
        self.count += 1
        weight = sum([weight_of(result.output) for result in finished.results])
        self.weight -= weight
        self._ended[finished.command] = (finished, weight)
        while len(self._ended) > self.remembered or (self.weight < 0 and len(self._ended) > 1):
            _, (_, forgotten) = self._ended.popitem(last=False)
            self.weight += forgotten

    def find(self, command: str) -> wire.Finished | None:
        """Say how a command ended, if it did and that is not too long ago."""
        ended = self._ended.get(command)
        return None if ended is None else ended[0]


def weight_of(output: Value) -> int:
    """Estimate the memory of an output, in bytes: long texts and long lists are what counts."""
    if output is None:
        return 0
    if isinstance(output, str):
        return len(output)
    if isinstance(output, Mapping):
        return sum([len(value) for value in output.values() if isinstance(value, str)])
    return ROW_WEIGHT * len(output) if isinstance(output, Sequence) else 0


Verdict: TypeAlias = Admitted | Known | TurnedAway
Route: TypeAlias = tuple[Address[Any], WayBack | None]
Unsent: TypeAlias = tuple[Message, Route, Trace]


@dataclass
class Orchestrator:
    """The commands under way, the latest that ended, and the sessions they belong to."""

    team: Team
    events: Events
    tables: Tables
    new_span: Spans
    version: str
    limits: Limits = field(default_factory=Limits)
    history: History = field(default_factory=History)
    sessions: Sessions = field(default_factory=Sessions)
    runs: dict[str, Run] = field(default_factory=dict)
    log: ActorLogger = field(default_factory=lambda: logger_of("orchestrator"))
    routes: dict[type, Route] = field(default_factory=dict)
    seen: executing.WorldSeen | None = None
    draining: Letter[commanding.Inbox] | None = None
    unsent: deque[Unsent] = field(default_factory=deque)

    async def run(self, mailbox: Mailbox[commanding.Inbox]) -> None:
        self.routes = routes(self.team, mailbox.returning(NoAnswer))
        await self.own_up()
        self.watch()
        try:
            await self.catch_up()
            await self.serve(mailbox)
        finally:
            if self.draining is not None:
                self.draining.give_up()

    async def serve(self, mailbox: Mailbox[commanding.Inbox]) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.keep_time, mailbox.address)
            while await mailbox.more():
                with mailbox.turn as letters:
                    for letter in letters:
                        message = letter.message
                        self.handle(letter, message)
                        if self.unsent:
                            await self.catch_up()
            tasks.cancel_scope.cancel()

    def watch(self) -> None:
        """Ask to be told what the world is like."""
        self.unsent.append((executing.Watch(), self.routes[executing.Watch], current.get()))

    async def keep_time(self, address: Address[commanding.Inbox]) -> None:
        """Look at deadlines and retries a few times a second."""
        while True:
            await anyio.sleep(TICK_SECONDS)
            await address.tell(Tick(monotonic()))

    async def own_up(self) -> None:
        """After a crash: end what a predecessor left unfinished, since its state is gone."""
        for command in self.events.unfinished():
            message = "the orchestrator crashed; what had started may or may not have happened"
            finished = wire.Finished(command, "in_doubt", (), Code.CRASHED, message)
            self.history.file(finished)
            self.events.publish(finished)
            await self.team.executor.tell(executing.Abort(command))

    def handle(self, letter: Letter[commanding.Inbox], message: commanding.Inbox) -> None:
        match message:
            case Performed() | PlansMade() | Interpreted():  # first, for they are the most
                if (run := self.runs.get(message.command_id)) is not None:
                    self.send_out(run, contained_step(advance, broken, run, message))
            case Admit(submit):
                verdict, effects = self.admit(submit)
                letter.answer(message, verdict)
                self.carry_out(submit.id, effects)
                if self.sessions.is_awaited(submit.session):
                    running = self.sessions.running(submit.session)
                    self.pass_over_question(self.runs.get(running or ""))
            case AnswerQuestion(answer):
                verdict, effects, command = self.take_answer(answer)
                letter.answer(message, verdict)
                self.carry_out(command, effects)
            case CancelCommand(request):
                letter.answer(message, self.state_of(request.id, request.command))
                self.cancel(request.command)
            case Report(request):
                letter.answer(message, self.report(request))
            case Drain():
                self.drain(letter.keep())
            case Abandon():
                self.abandon_all()
                letter.answer(message, Drained())
            case Tick(now):
                self.look_at_the_clock(now)
            case executing.WorldSeen():
                self.seen = message
            case NoAnswer(request) if not isinstance(request, executing.Watch):
                self.advance(request.command_id, message)
            case NoAnswer():
                self.watch()
            case (
                interpreting.NotUnderstood()
                | interpreting.Doubtful()
                | interpreting.Chosen()
                | executing.Surveyed()
                | executing.Seen()
                | executing.Checked()
                | planning.RevealPlanned()
                | targets.Bound()
                | targets.NotBound()
            ):
                self.advance(message.command_id, message)
            case unknown:
                assert_never(unknown)

    def advance(self, command: str, answer: commanding.Answer) -> None:
        """Take what was answered for one command; the command may have ended meanwhile."""
        run = self.runs.get(command)
        if run is not None:
            self.send_out(run, contained_step(advance, broken, run, answer))

    # Taking commands

    def admit(self, submit: wire.Submit) -> tuple[Verdict, Sequence[Effect]]:
        """Take a command that is new, if there is room for it."""
        if submit.id in self.runs or self.history.find(submit.id) is not None:
            return self.state_of(submit.id, submit.id), []
        if self.draining is not None:
            return turned_away(submit.id, Code.SHUTTING_DOWN, "the daemon is stopping"), []
        if len(self.runs) >= self.limits.in_flight:
            reason = f"{len(self.runs)} commands are under way; try again in a second"
            return TurnedAway(wire.busy(submit.id, reason)), []
        trace = Trace(command_id=submit.id, span_id=self.new_span())
        run = Run(submit.id, submit, self.tables, trace)
        self.runs[run.id] = run
        ahead = self.sessions.join(submit.session, run.id)
        accepted = wire.Accepted(run.id, submit.session, ahead)
        words = {} if submit.text is None else {"text": loggable(submit.text)}
        self.log.info(
            "command.accepted",
            command_id=run.id,
            span_id=trace.span_id,
            session=submit.session,
            mode=submit.mode,
            **words,
        )
        return Admitted(), [accepted, *(self.begin(run) if ahead == 0 else ())]

    def begin(self, run: Run) -> Sequence[Effect]:
        """Start a command whose turn it is; its deadline counts from here."""
        run.due = monotonic() + self.limits.deadline
        run.recent = self.sessions.recall(run.submit.session)
        run.on_page = self.sessions.is_on_page(run.submit.session)
        return begin(run)

    # Questions

    def take_answer(self, answer: wire.Answer) -> tuple[Known | TurnedAway, Sequence[Effect], str]:
        """Find the command that asked, and let it go on with the answer."""
        command = answer.question.rpartition(":")[0]
        run = self.runs.get(command)
        node = None if run is None else open_question(run, answer.question)
        doubt = None if run is None else run.doubt
        effects: Sequence[Effect] | None
        if run is not None and doubt is not None and doubt.event.question == answer.question:
            effects = told(run, answer.choice)
        elif run is not None and node is not None:
            effects = answered(run, node, answer.choice)
        else:
            reason = f"no question {answer.question!r} is open; it was answered, or its time is up"
            return turned_away(answer.id, Code.UNKNOWN_QUESTION, reason), [], ""
        if effects is None:
            reason = f"there is no option {answer.choice}; answer with a number or a name"
            return turned_away(answer.id, Code.BAD_CHOICE, reason), [], ""
        self.log.info(
            "question.answered",
            command_id=command,
            question=answer.question,
            choice=answer.choice,
        )
        return self.state_of(answer.id, command), effects, command

    def pass_over_question(self, run: Run | None) -> None:
        """End a command that asks, where another waits for its turn in the session."""
        if run is not None and is_asking(run):
            effects = set_aside(run, "left open, for another command waits")
            self.carry_out(run.id, effects)

    # Carrying them out

    def carry_out(self, command: str, effects: Sequence[Effect]) -> None:
        """Send out what is to be done for a command, under its own trace."""
        if effects:
            run = self.runs[command]
            token = current.set(run.trace)
            try:
                self.send_out(run, effects)
            finally:
                current.reset(token)

    def send_out(self, run: Run, effects: Sequence[Effect]) -> None:
        """Send requests to those who serve them, publish everything else.

        A request for which there is no room waits, and so do those that come after it.
        """
        for effect in effects:
            kind = type(effect)
            if (route := self.routes.get(kind)) is None:
                self.events.publish(effect)  # type: ignore[arg-type]  # no route: an event
                if kind in TURNS:
                    self.turn(run, effect)
            elif kind is Survey and (seen := self.already_seen(effect)) is not None:
                self.send_out(run, contained_step(advance, broken, run, seen))
            elif self.unsent or not route[0].told(effect, route[1]):
                self.unsent.append((effect, route, current.get()))

    def turn(self, run: Run, event: Effect) -> None:
        """Go on with others where a command has ended, or asks while another waits."""
        if isinstance(event, wire.Finished):
            self.send_out(run, all_left(run))
            self.close(run)
        elif self.sessions.is_awaited(run.submit.session):
            self.pass_over_question(run)

    async def catch_up(self) -> None:
        """Send what found no room; until then nothing else is decided, so it cannot pile up."""
        while self.unsent:
            message, (address, way_back), trace = self.unsent.popleft()
            current.set(trace)
            await address.tell(message, way_back)

    def already_seen(self, survey: Effect) -> executing.Surveyed | None:
        """Answer from the latest sight of the world, unless the domains change by themselves."""
        seen = self.seen
        if not isinstance(survey, Survey) or seen is None or survey.domains & seen.live:
            return None
        return executing.Surveyed(survey.command_id, seen.world, seen.capabilities)

    def close(self, run: Run) -> None:
        """File a finished command away and give its session's turn to the next."""
        finished = run.finished
        assert finished is not None
        del self.runs[run.id]
        self.history.file(finished)
        self.log.info(
            "command.finished",
            command_id=run.id,
            parent_id=run.trace.span_id,
            status=finished.status,
            **(
                {} if finished.code is None else {"code": finished.code, "reason": finished.message}
            ),
        )
        self.sessions.remember(run.submit.session, run.recent)
        if any(node.lane and node.result is not None for node in run.nodes.values()):
            self.sessions.note_page(run.submit.session)
        following = self.sessions.leave(run.submit.session, run.id)
        if following is not None and (successor := self.runs.get(following)) is not None:
            self.carry_out(following, self.begin(successor))
        self.answer_drain()

    # Interruptions

    def cancel(self, command: str) -> None:
        """Stop a command, wherever it stands."""
        if (run := self.runs.get(command)) is not None and run.stopped is not Code.CANCELLED:
            self.log.info("command.cancelling", command_id=command)
            run.due = monotonic() + ABANDON_AFTER
            self.carry_out(command, stop(run, Code.CANCELLED))

    def look_at_the_clock(self, now: float) -> None:
        """Stop commands whose time is up, retry what is due."""
        for command, run in list(self.runs.items()):
            if run.due is not None and run.due <= now:
                effects = stop(run, Code.DEADLINE_PASSED) if run.stopped is None else abandon(run)
                run.due = now + ABANDON_AFTER
                self.carry_out(command, effects)
            elif run.retrying:
                self.carry_out(command, tick(run))

    def drain(self, letter: Letter[commanding.Inbox]) -> None:
        """Start nothing more; answer once what is under way has ended."""
        self.draining = letter
        for command, run in list(self.runs.items()):
            self.carry_out(command, stop(run, Code.SHUTTING_DOWN, abort=False))
        self.answer_drain()

    def abandon_all(self) -> None:
        """There is no more time: say of everything under way that its end is not known."""
        for command, run in list(self.runs.items()):
            if run.stopped is None:
                self.carry_out(command, stop(run, Code.SHUTTING_DOWN, abort=False))
            if command in self.runs:
                self.carry_out(command, abandon(run))

    def answer_drain(self) -> None:
        """Say that nothing is under way any more, if somebody waits for that."""
        if self.draining is not None and not self.runs:
            request = self.draining.message
            assert isinstance(request, Drain)
            self.draining.answer(request, Drained())

    # Saying how things stand

    def report(self, request: wire.Status) -> Known | TurnedAway:
        """Say how a command or the daemon stands."""
        if request.command is not None:
            return self.state_of(request.id, request.command)
        return Known(wire.State(request.id, health=self.health_now()))

    def health_now(self) -> wire.Health:
        waiting = self.sessions.waiting()
        return wire.Health(
            version=self.version,
            pid=os.getpid(),
            uptime=round(monotonic() - self.history.born, 3),
            running=tuple(name for name, run in self.runs.items() if run.due is not None)[:100],
            queued=waiting,
            finished=self.history.count,
            sessions=self.sessions.names()[:100],
        )

    def state_of(self, request: str, command: str) -> Known | TurnedAway:
        """Say how a command stands; one that ended comes with its end."""
        if (finished := self.history.find(command)) is not None:
            state = wire.State(request, command, finished.status, finished.results)
            return Known(state, finished)
        if (run := self.runs.get(command)) is not None:
            status: wire.StateStatus = "queued" if run.due is None else "running"
            graph, questions = graph_so_far(run), open_questions(run)
            return Known(wire.State(request, command, status, graph=graph, questions=questions))
        reason = f"no command {command!r} is known; it may be too long ago"
        return turned_away(request, Code.UNKNOWN_COMMAND, reason)


def routes(team: Team, back: WayBack) -> dict[type, Route]:
    """Say for each request who serves it, and where its answer goes; an abort has none."""
    return {
        interpreting.Interpret: (team.interpreter, back),
        interpreting.ReadChoice: (team.interpreter, back),
        planning.MakePlans: (team.planner, back),
        planning.PlanReveal: (team.planner, back),
        targets.Resolve: (team.resolver, back),
        Survey: (team.executor, back),
        executing.Watch: (team.executor, back),
        executing.Look: (team.executor, back),
        executing.Check: (team.executor, back),
        executing.Perform: (team.executor, back),
        executing.Abort: (team.executor, None),
        executing.Leave: (team.executor, None),
    }


def loggable(text: str) -> str:
    """Give the words of a command as the log may hold them: never with a password in them."""
    return WITHHELD if SECRET.search(text) else text


def turned_away(request: str, code: Code, reason: str) -> TurnedAway:
    return TurnedAway(wire.Error(code, reason, id=request))
