"""Orchestrator: owns every command from its acceptance to its end.

It keeps sessions in order, asks the others (all answers return to its inbox) and publishes what
happens. What to do next is decided by the pure functions beside it; no rule of any domain is here.
"""

import os
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from time import monotonic
from typing import Protocol, TypeAlias, assert_never

import anyio
from msgspec.structs import replace

from actors.language.words import wish_of
from actors.logger import ActorLogger, logger_of
from actors.mailbox import Address, Letter, Mailbox, Unanswered
from actors.orchestrator.ahead import begin_ahead, is_outdated, prepare, take_turn
from actors.orchestrator.approving import awaiting, open_approvals
from actors.orchestrator.asking import (
    is_asking,
    only_awaits_approval,
    open_question,
    open_questions,
)
from actors.orchestrator.binding import in_words
from actors.orchestrator.clarify import WORDS, told
from actors.orchestrator.history import History
from actors.orchestrator.interrupting import abandon, set_aside, stop, tick
from actors.orchestrator.lanes import release_lanes
from actors.orchestrator.outcomes import conclude, graph_so_far
from actors.orchestrator.places import Tables
from actors.orchestrator.recovering import has_succeeded, resume
from actors.orchestrator.rehearsing import Rehearse
from actors.orchestrator.runs import Effect, advance, answered, begin, broken, rehearsed, ruled
from actors.orchestrator.sessions import Sessions
from actors.orchestrator.state import TICK_SECONDS, Run
from actors.orchestrator.team import Route, Team, routes
from actors.orchestrator.tracing import CaptureVetoed, log_asking, log_refusal, log_veto
from actors.orchestrator.undoing import Undone, undoing
from actors.supervisor import contained_step
from actors.vault import (
    is_withheld,
    loggable,
    may_speak_of_secret,
    speaks_of_secret,
    without_quotes,
    writable,
)
from messages import commanding, executing, interpreting, journaling, planning, targets, wire
from messages.commanding import (
    Abandon,
    Admit,
    Admitted,
    AnswerQuestion,
    ApproveAction,
    CancelCommand,
    Drain,
    Drained,
    Known,
    NoAnswer,
    Report,
    Tick,
    TurnedAway,
    UndoCommand,
)
from messages.executing import Muster, Performed, Survey
from messages.interpreting import Interpreted
from messages.journaling import (
    Asked,
    End,
    Ended,
    Note,
    NotTaken,
    Recall,
    Resumed,
    Stopped,
    Take,
    Taken,
    TakenBefore,
    Told,
)
from messages.message import Message
from messages.planning import PlansMade
from messages.results import Code
from messages.talking import REPEAT, stop_goal
from messages.trace import Trace, current

LATEST = 20
MOST_SAID = 64  # events of one command that are published together
ABANDON_AFTER = 10.0
RECALL_SECONDS = 120.0
NEVER = 1 << 40  # ticks
# The events after which another command may get its turn.
TURNS = frozenset({wire.Finished, wire.Question, wire.ApprovalNeeded, CaptureVetoed, Rehearse})
# The answer that a successor has a use for: all others it asks for anew, or finds in the journal.
LASTING = (Ended,)


class Events(Protocol):
    """Where the events of commands go."""

    def publish(self, *events: wire.CommandEvent) -> None:
        """Tell of one command; many at a time cost less."""

    def followed(self) -> tuple[str, ...]:
        """Name the commands of which somebody waits for the end."""


class Spans(Protocol):
    """Makes the ids that tie the lines of a trace together."""

    def __call__(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is taken on, and for how long."""

    in_flight: int = 5_000
    deadline: float = 600.0


Verdict: TypeAlias = Admitted | Known | TurnedAway
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
    taking: dict[str, list[Letter[commanding.Inbox]]] = field(default_factory=dict)
    undoing: dict[str, list[Letter[commanding.Inbox]]] = field(default_factory=dict)
    recalling: dict[str, list[Letter[commanding.Inbox]]] = field(default_factory=dict)
    ending: dict[str, Run] = field(default_factory=dict)
    journal_health: Callable[[], wire.JournalHealth] | None = None
    log: ActorLogger = field(default_factory=lambda: logger_of("orchestrator"))
    routes: dict[type, Route] = field(default_factory=dict)
    seen: executing.WorldSeen | None = None
    draining: list[Letter[commanding.Inbox]] = field(default_factory=list)
    unsent: deque[Unsent] = field(default_factory=deque)
    turns: deque[Run] = field(default_factory=deque)
    said: list[wire.CommandEvent] = field(default_factory=list)

    async def run(self, mailbox: Mailbox[commanding.Inbox]) -> None:
        mailbox.forget_answers(LASTING)
        back = mailbox.returning(NoAnswer)
        self.routes = routes(self.team, back, mailbox.returning(NoAnswer))
        self.watch()
        try:
            await self.recover()
            await self.catch_up()
            await self.serve(mailbox)
        finally:
            back.close()
            waiting = (self.taking, self.undoing, self.recalling)
            asked = (letters for each in waiting for letters in each.values())
            for letter in (*self.draining, *chain.from_iterable(asked)):
                letter.give_up()

    async def serve(self, mailbox: Mailbox[commanding.Inbox]) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.keep_time, mailbox.address)
            mailbox.before_waiting(self.publish_all)
            try:
                while await mailbox.more():
                    with mailbox.turn as letters:
                        for letter in letters:
                            self.handle(letter, letter.message)
                            if self.turns:
                                self.pass_turns()
                            if self.unsent:
                                await self.catch_up()
            finally:
                self.publish_all()
            tasks.cancel_scope.cancel()

    def watch(self) -> None:
        """Ask to be told what the world is like."""
        self.unsent.append((executing.Watch(), self.routes[executing.Watch], current.get()))

    async def keep_time(self, address: Address[commanding.Inbox]) -> None:
        """Look at deadlines and retries a few times a second."""
        while True:
            await anyio.sleep(TICK_SECONDS)
            await address.tell(Tick(monotonic()))

    async def recover(self) -> None:
        """Go on with all that was accepted and has not ended, in the order of its acceptance."""
        self.history.lives += 1
        under_way = await self.mustered()  # first: what ends after this is in what is recalled
        recalled = await self.team.journal.ask(Recall(), within=RECALL_SECONDS)
        if recalled.unreadable:
            raise RuntimeError("what was under way cannot be read from the journal")
        for story in recalled.stories:
            run = self.new_run(story.submit, story.undoes)
            run.story = story
            run.is_withheld = is_withheld(story.submit)
            run.schedule, run.approves = story.schedule, story.approves
            run.under_way = frozenset(action for command, action in under_way if command == run.id)
            run.life = f".{run.trace.span_id}"
            self.log.info("command.recovered", command_id=run.id, span_id=run.trace.span_id)
            if self.sessions.join(run.submit.session, run.id) == 0:
                self.carry_out(run.id, self.begin(run))
        self.pass_turns()
        self.publish_all()
        for command in self.events.followed():
            if command not in self.runs:
                await self.tell_end_of(command)

    async def mustered(self) -> frozenset[tuple[str, str]]:
        """Name the actions that a predecessor has begun, and that have not ended."""
        if self.history.lives == 1:
            return frozenset()
        with anyio.fail_after(RECALL_SECONDS):
            while True:
                try:
                    return (await self.team.executor.ask(Muster(), within=RECALL_SECONDS)).jobs
                except Unanswered:
                    continue  # it has crashed, and is back soon

    async def tell_end_of(self, command: str) -> None:
        """Tell the end of a command that a predecessor did not come to tell."""
        recalled = await self.team.journal.ask(Recall(command), within=RECALL_SECONDS)
        for story in recalled.stories:
            if story.finished is not None:
                self.tell_end(story.finished)

    def handle(self, letter: Letter[commanding.Inbox], message: commanding.Inbox) -> None:
        match message:
            case Performed() | PlansMade() | Interpreted():  # first, for they are the most
                self.advance(message.command_id, message)
            case Admit():
                self.take_submit(letter, message)
            case Taken(command_id):
                self.accept(command_id)
            case Ended(_, finished):
                self.tell_end(finished)
            case TakenBefore() | NotTaken():
                self.turn_away(message)
            case AnswerQuestion(answer):
                verdict, effects, command = self.take_answer(answer)
                letter.answer(message, verdict)
                self.carry_out(command, effects)
            case ApproveAction(approve, client):
                verdict, effects, command = self.take_approval(approve, client)
                letter.answer(message, verdict)
                self.carry_out(command, effects)
            case UndoCommand(request):
                self.undo(letter, message, request)
            case journaling.Stories():
                self.undo_story(message)
                self.tell_of_ended(message)
            case CancelCommand(request):
                self.say_how_it_stands(letter, message, request.id, request.command)
                self.cancel(request.command)
            case Report(wire.Status(command=str(command)) as request):
                self.say_how_it_stands(letter, message, request.id, command)
            case Report(request):
                letter.answer(message, self.daemon_state(request.id))
            case Drain():
                self.draining.append(letter.keep())
                self.drain()
            case Abandon():
                self.draining.append(letter.keep())
                self.abandon_all()
                self.answer_drain()
            case Tick(now):
                self.look_at_the_clock(now)
            case executing.WorldSeen():
                self.seen = message
            case NoAnswer(request):
                self.not_answered(message, request)
            case (
                interpreting.NotUnderstood()
                | interpreting.Doubtful()
                | interpreting.Chosen()
                | executing.Surveyed()
                | executing.Seen()
                | executing.Checked()
                | planning.RevealPlanned()
                | planning.CoursePlanned()
                | targets.Bound()
                | targets.NotBound()
            ):
                self.advance(message.command_id, message)
            case unknown:
                assert_never(unknown)

    def advance(self, command: str, answer: commanding.Answer) -> None:
        """Take what was answered for one command; the command may have ended meanwhile."""
        run = self.runs.get(command)
        if run is None or (run.outdated and is_outdated(run, answer)):
            return
        if run.prepared is not None and not isinstance(answer, NoAnswer):
            step = partial(prepare, seen=self.seen)
            self.send_out(run, contained_step(step, broken, run, answer))
        else:
            self.send_out(run, contained_step(advance, broken, run, answer))

    # Taking commands

    def take_submit(self, letter: Letter[commanding.Inbox], message: Admit) -> None:
        """Take a command, or a wish about others: to undo, stop or repeat the last one."""
        submit = message.submit
        wish = None if submit.text is None else wish_of(submit.text)
        if wish == "undo":
            self.undo(letter, message, wire.Undo(submit.id, session=submit.session))
            return
        if wish is not None and submit.id not in self.taking and not self.is_known(submit.id):
            submit = self.stopping(submit) if wish == "stop" else self.repeating(submit)
        if (verdict := self.admit(letter, submit, message.client)) is not None:
            letter.answer(message, verdict)

    def stopping(self, submit: wire.Submit) -> wire.Submit:
        """Stop what a session does; the wish is a command of its own that tells so."""
        running = self.sessions.running(submit.session) or ""
        if submit.mode == "run":
            self.cancel(running)
        return replace(submit, text=None, goals=(stop_goal(running),))

    def repeating(self, submit: wire.Submit) -> wire.Submit:
        """Say again what was said last in a session."""
        said = self.sessions.last_said(submit.session)
        if said is None:
            return replace(submit, text=None, goals=(REPEAT,))
        return replace(submit, text=said)

    def admit(
        self, letter: Letter[commanding.Inbox], submit: wire.Submit, client: str, undoes: str = ""
    ) -> Verdict | None:
        """Have a new command written down, if there is room for it; answered once it is on disk."""
        command = submit.id
        if command in self.taking:
            self.taking[command].append(letter.keep())
            return None
        if self.is_known(command):
            return self.state_of(command, command)
        if self.draining:
            return turned_away(command, Code.SHUTTING_DOWN, "the daemon is stopping")
        if len(self.runs) >= self.limits.in_flight:
            reason = f"{len(self.runs)} commands are under way; try again in a second"
            return TurnedAway(wire.busy(command, reason))
        run = self.new_run(submit, undoes)
        run.client = client
        written = writable(submit)
        run.is_withheld = is_withheld(written)
        if isinstance(admit := letter.message, Admit):
            run.schedule, run.approves = admit.schedule, admit.approves
        self.taking[command] = [letter.keep()]
        take = Take(command, written, undoes, run.schedule, run.approves)
        self.send_out(run, [take])
        return None

    def is_known(self, command: str) -> bool:
        """Tell whether a command is under way, or ended not long ago."""
        under_way = command in self.runs or command in self.ending
        return under_way or self.history.find(command) is not None

    def new_run(self, submit: wire.Submit, undoes: str) -> Run:
        trace = Trace(command_id=submit.id, span_id=self.new_span())
        run = self.runs[submit.id] = Run(submit.id, submit, self.tables, trace, undoes=undoes)
        return run

    def accept(self, command: str) -> None:
        """A command is on disk: say so, and start it if it is its turn."""
        letters, run = self.taking.pop(command, None), self.runs.get(command)
        if letters is None or run is None:
            return
        first, *others = letters
        assert isinstance(first.message, Admit | UndoCommand)
        first.answer(first.message, Admitted())
        for letter in others:
            self.answer_with(letter, partial(self.state_of, command=command))
        submit = run.submit
        ahead = 0
        if submit.mode != "plan":  # a plan changes nothing: not even whose turn it is
            if (
                submit.text is not None
                and not run.schedule
                and not may_speak_of_secret(submit.text)
            ):
                self.sessions.note_said(submit.session, submit.text)
            ahead = self.sessions.join(submit.session, command)
        words = {} if submit.text is None else {"text": loggable(submit.text), "ahead": ahead}
        self.log.info(
            "command.accepted",
            command_id=command,
            span_id=run.trace.span_id,
            session=submit.session,
            mode=submit.mode,
            **words,
        )
        accepted = wire.Accepted(command, submit.session, ahead)
        if run.stopped is not None:  # before it was accepted
            if run.stopped is Code.CANCELLED:
                self.post(Note(command, Stopped()))
            self.carry_out(command, [accepted, *conclude(run)])
            return
        effects = self.begin(run) if ahead == 0 else begin_ahead(run)
        self.carry_out(command, [accepted, *effects])
        if ahead:
            running = self.sessions.running(submit.session)
            self.pass_over_question(self.runs.get(running or ""))

    def turn_away(self, reply: TakenBefore | NotTaken) -> None:
        """Answer for a command that ran before, or that could not be written down."""
        command = reply.command_id
        letters = self.taking.pop(command, None)
        if letters is None:
            return
        del self.runs[command]
        for letter in letters:
            self.answer_with(letter, partial(verdict_on, reply))

    def answer_with(
        self,
        letter: Letter[commanding.Inbox],
        verdict: Callable[[str], Known | TurnedAway],
    ) -> None:
        """Answer one of those who waited until it was known whether a command is taken."""
        match letter.message:
            case Admit(submit) as message:
                letter.answer(message, verdict(submit.id))
            case UndoCommand(request) as message:
                letter.answer(message, verdict(request.id))
            case CancelCommand() | Report() as message:
                letter.answer(message, verdict(message.request.id))
            case unexpected:
                raise AssertionError(unexpected)

    def not_answered(self, message: NoAnswer, request: commanding.OwnRequest) -> None:
        """Whoever was asked has crashed: ask again, or let the command decide what that means."""
        match request:
            case executing.Watch():
                self.watch()
            case Take(command_id):
                self.turn_away(NotTaken(command_id, "the journal crashed; send it again"))
            case End() | Recall():
                self.post(request)
            case _:
                self.advance(request.command_id, message)

    def begin(self, run: Run) -> Sequence[Effect]:
        """Start a command whose turn it is; its deadline counts from here."""
        run.due = monotonic() + self.limits.deadline
        run.recent = self.sessions.recall(run.submit.session)
        run.on_page = self.sessions.is_on_page(run.submit.session)
        if run.prepared is not None:
            return contained_step(take_turn, broken, run, self.seen)
        if run.story is None:
            return begin(run)
        afresh = self.history.lives == 1
        resumed = [Note(run.id, Resumed())] if afresh else []
        return [*resumed, *resume(run, run.story, afresh=afresh)]

    # Questions

    def take_answer(self, answer: wire.Answer) -> tuple[Known | TurnedAway, Sequence[Effect], str]:
        """Find the command that asked, and let it go on with the answer."""
        command = answer.question.rpartition(":")[0]
        run = self.runs.get(command)
        node = None if run is None else open_question(run, answer.question)
        doubt = None if run is None else run.doubt
        about, choice = ("", WORDS), answer.choice
        effects: Sequence[Effect] | None
        if run is not None and doubt is not None and doubt.event.question == answer.question:
            effects = told(run, answer.choice)
        elif run is not None and node is not None:
            assert node.asked is not None
            about = (node.asked.event.action, node.asked.event.role)
            choice = in_words(node.asked.event.options, choice)
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
            choice=loggable(str(answer.choice)),
        )
        kept = [] if speaks_of_secret(str(choice)) else [Note(command, Told(*about, choice))]
        return self.state_of(answer.id, command), [*kept, *effects], command

    def take_approval(
        self, approve: wire.Approve, client: str
    ) -> tuple[Known | TurnedAway, Sequence[Effect], str]:
        """Find the action that waits for this approval, and do it or not."""
        command = approve.approval.rpartition(":")[0]
        run = self.runs.get(command)
        node = None if run is None else awaiting(run, approve.approval)
        if run is None or node is None or run.ruling is not None:
            reason = f"no approval {approve.approval!r} is waited for; it was given, or is too late"
            return turned_away(approve.id, Code.UNKNOWN_APPROVAL, reason), [], ""
        # Who speaks for somebody by a flag is no other, whatever connection it comes by.
        is_sender = client == run.client or approve.by != "person"
        if approve.allow and run.tables.approvals.by_others and is_sender:
            reason = "whoever sent a command cannot approve of it here; another client can"
            return turned_away(approve.id, Code.NOT_ALLOWED, reason), [], ""
        self.log.info(
            "approval.ruled",
            command_id=command,
            goal_id=node.action.goal_id,
            action_id=node.action.action_id,
            approval=approve.approval,
            allow=approve.allow,
            by=approve.by,
        )
        if run.aside:
            node.ticks = NEVER  # the ruling stands; only its turn is waited for
            run.ruling = (approve.approval, approve.allow, approve.by)
            has_turn = self.sessions.rejoin(run.submit.session, run.id)
            effects = self.go_on(run) if has_turn else []
        else:
            effects = ruled(run, node, allow=approve.allow, by=approve.by)
        return self.state_of(approve.id, command), effects, command

    # Undoing

    def undo(
        self, letter: Letter[commanding.Inbox], message: Admit | UndoCommand, request: wire.Undo
    ) -> None:
        """Recall what a command, or the last one that changed something, did, to put it back."""
        if request.id in self.taking:
            self.taking[request.id].append(letter.keep())
        elif self.is_known(request.id):
            letter.answer(message, self.state_of(request.id, request.id))
        elif request.command in self.runs or request.command in self.ending:
            reason = "it is still under way; cancel it first"
            self.refuse_undo(letter, message, turned_away(request.id, Code.NOT_FEASIBLE, reason))
        elif request.command is not None:
            self.recall_for(self.undoing, letter, request.command)
        elif self.is_busy(request.session):
            reason = "a command of this session is still under way; say it again when it has ended"
            self.refuse_undo(letter, message, turned_away(request.id, Code.NOT_FEASIBLE, reason))
        else:
            if (key := last_of(request.session)) not in self.undoing:
                self.post(Recall(session=request.session))
            self.undoing.setdefault(key, []).append(letter.keep())

    def refuse_undo(
        self, letter: Letter[commanding.Inbox], message: Admit | UndoCommand, refusal: TurnedAway
    ) -> None:
        """Say why nothing is undone; there is no command of which the log would tell it."""
        error = refusal.error
        about = {"code": error.code, "reason": loggable(error.message)}
        self.log.info("undo.refused", command_id=error.id, **about)
        letter.answer(message, refusal)

    def is_busy(self, session: str) -> bool:
        """Tell whether a command of a session does something; to wait for approval is nothing."""
        run = self.runs.get(self.sessions.running(session) or "")
        return run is not None and not only_awaits_approval(run)

    def recall_for(
        self,
        waiting: dict[str, list[Letter[commanding.Inbox]]],
        letter: Letter[commanding.Inbox],
        command: str,
    ) -> None:
        """Have a command recalled for somebody; all who ask for it meanwhile wait together."""
        if command not in self.undoing and command not in self.recalling:
            self.post(Recall(command))
        waiting.setdefault(command, []).append(letter.keep())

    def undo_story(self, recalled: journaling.Stories) -> None:
        """Make a command of what puts back the changes of another."""
        key = last_of(recalled.session) if recalled.session else recalled.command_id
        for letter in self.undoing.pop(key, ()):
            message = letter.message
            assert isinstance(message, Admit | UndoCommand)
            asked = message.submit if isinstance(message, Admit) else message.request
            undone = undoing(recalled.stories[0]) if recalled.stories else None
            if undone is None or not undone.goals:
                self.refuse_undo(letter, message, not_undone(asked, recalled, undone))
                continue
            mode = message.submit.mode if isinstance(message, Admit) else "run"
            submit = wire.Submit(asked.id, None, undone.goals, undone.session, mode)
            known = asked.id in self.runs
            undoes = recalled.stories[0].submit.id
            verdict = self.admit(letter, submit, message.client, undoes)
            if verdict is not None:
                letter.answer(message, verdict)
            elif not known:
                self.runs[asked.id].left = undone.left

    def pass_over_question(self, run: Run | None) -> None:
        """End a command that asks, where another waits for its turn in the session."""
        if run is not None and is_asking(run):
            effects = set_aside(run, "left open, for another command waits")
            self.carry_out(run.id, effects)
            self.step_aside(run)

    def step_aside(self, run: Run) -> None:
        """Let others of a session run while a command does nothing but wait for approval."""
        session = run.submit.session
        if run.id not in self.runs or run.aside or not only_awaits_approval(run):
            return
        if not self.sessions.is_awaited(session) or self.sessions.running(session) != run.id:
            return
        run.aside = True
        self.log.info("command.stepped_aside", command_id=run.id)
        self.pass_turn(run)

    def go_on(self, run: Run) -> Sequence[Effect]:
        """Start a command whose turn it is, or go on with one that was approved of meanwhile."""
        if run.ruling is None:
            if run.submit.text is not None:
                self.log.info("command.begun", command_id=run.id)
            return self.begin(run)
        (approval, allow, by), run.ruling = run.ruling, None
        node = awaiting(run, approval)
        run.aside = False
        return [] if node is None else ruled(run, node, allow=allow, by=by)

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
            if (route := self.routes.get(kind)) is not None:
                if kind is Survey and (seen := self.already_seen(effect)) is not None:
                    self.send_out(run, contained_step(advance, broken, run, seen))
                elif self.unsent or not route[0].told(effect, route[1]):
                    self.unsent.append((effect, route, current.get()))
            elif kind in TURNS:
                self.publish_all()
                self.turn(run, effect)
            else:
                self.say(run, effect)  # type: ignore[arg-type]  # no route: an event

    def say(self, run: Run, event: wire.CommandEvent) -> None:
        """Tell what happens, with what else is said of the command before nothing is left to do.

        Nobody hears of what is only tried. A graph says two things of each of its actions, and to
        publish many at once costs a third of what they cost one by one; in a deep graph a turn has
        one action, so that the turns that follow each other at once are told of together.
        """
        if run.rehearses:
            return
        if type(event) is wire.ActionFinished and event.code is not None:
            log_refusal(self.log, run, event)
        if self.said and self.said[0].command != event.command:
            self.publish_all()
        self.said.append(event)
        if len(self.said) >= MOST_SAID or type(event) is wire.Planned:
            self.publish_all()  # what a person waits for does not wait for what is done next

    def publish_all(self) -> None:
        """Publish what was said of one command, before anything is said of another."""
        if self.said:
            said, self.said = self.said, []
            self.events.publish(*said)

    def post(self, request: Message) -> None:
        """Send a request; it waits if there is no room for it."""
        route = self.routes[type(request)]
        if self.unsent or not route[0].told(request, route[1]):
            self.unsent.append((request, route, current.get()))

    def turn(self, run: Run, event: Effect) -> None:
        """Go on with others where a command has ended, or asks while another waits."""
        if run.rehearses:
            self.end_rehearsal(run)
            return
        if isinstance(event, wire.Finished):
            self.send_out(run, release_lanes(run))
            self.close(run)
            return
        if isinstance(event, CaptureVetoed):
            log_veto(self.log, event)
            return
        if isinstance(event, Rehearse):
            self.rehearse(run, event)
            return
        assert isinstance(event, wire.Question | wire.ApprovalNeeded)
        if isinstance(event, wire.Question):
            answers = run.told.get((event.action, event.role))
            if answers:  # it was answered before the daemon stopped
                again = wire.Answer(run.id, event.question, answers.pop(0))
                _, effects, _ = self.take_answer(again)
                if effects:
                    self.send_out(run, [each for each in effects if not is_answer(each)])
                    return
        if not run.is_withheld:  # a question about words quotes them
            self.post(Note(run.id, Asked(event)))
        log_asking(self.log, run, event)
        self.publish_all()
        self.events.publish(event)
        if self.sessions.is_awaited(run.submit.session):
            self.pass_over_question(run)

    def rehearse(self, run: Run, request: Rehearse) -> None:
        """Have a command for later understood and planned, as a run of which nobody hears."""
        name = f"{run.id}\x00{request.action_id}"
        submit = wire.Submit(run.id, text=request.text, session=run.submit.session, mode="plan")
        rehearsal = Run(name, submit, self.tables, run.trace, rehearses=request.action_id)
        rehearsal.recent, rehearsal.on_page = run.recent, run.on_page
        self.runs[name] = rehearsal
        self.send_out(rehearsal, begin(rehearsal))

    def end_rehearsal(self, rehearsal: Run) -> None:
        """Let the command go on that speaks of what was tried."""
        if self.runs.pop(rehearsal.id, None) is None:
            return
        command = rehearsal.id.partition("\x00")[0]
        if (run := self.runs.get(command)) is not None and run.finished is None:
            step = partial(rehearsed, run, rehearsal.rehearses)
            self.send_out(run, contained_step(lambda _, each: step(each), broken, run, rehearsal))

    async def catch_up(self) -> None:
        """Send what found no room; until then nothing else is decided, so it cannot pile up."""
        self.publish_all()  # to send may take long, and what has happened is to be heard
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
        """Have the end of a command written down; until it is, nobody hears of it."""
        finished = run.finished
        assert finished is not None
        del self.runs[run.id]
        self.ending[run.id] = run
        self.post(End(run.id, without_quotes(finished) if run.is_withheld else finished))
        self.sessions.remember(run.submit.session, run.recent)
        if any(node.lane and has_succeeded(node) for node in run.nodes.values()):
            self.sessions.note_page(run.submit.session)
        if not self.draining and self.journal_writes():
            self.turns.append(run)

    def journal_writes(self) -> bool:
        """Tell whether the journal could write what it got last."""
        return self.journal_health is None or self.journal_health().ok

    def pass_turns(self) -> None:
        """Give the turns of commands that have ended to those that wait in their sessions.

        The next begins while the end of the one before is being written, so that ends, intents and
        acceptances of one session share commits. The journal writes in the order in which it is
        told: nothing that the next one does is on disk, or told, before the end of the one before.
        One after another, not one within another: a session may hold thousands.
        """
        while self.turns:
            self.pass_turn(self.turns.popleft())

    def pass_turn(self, run: Run) -> None:
        """Give the turn of a command to the one that waits for it, unless it was given before."""
        following = self.sessions.leave(run.submit.session, run.id)
        if following is not None and (successor := self.runs.get(following)) is not None:
            self.carry_out(following, self.go_on(successor))

    def tell_end(self, finished: wire.Finished) -> None:
        """The end of a command is on disk: tell it; a turn that it still has is given on."""
        run = self.ending.pop(finished.command, None)
        if self.history.find(finished.command) is None:  # else it was told already
            self.log_end(finished)
            told = finished if run is None or run.finished is None else run.finished
            self.publish_all()
            self.events.publish(told)
            self.history.file(told)
        if run is not None:
            self.pass_turn(run)
        self.answer_drain()

    def log_end(self, finished: wire.Finished) -> None:
        why = {} if finished.code is None else {"code": finished.code, "reason": finished.message}
        self.log.info(
            "command.finished", command_id=finished.command, status=finished.status, **why
        )

    # Interruptions

    def cancel(self, command: str) -> None:
        """Stop a command, wherever it stands."""
        if (run := self.runs.get(command)) is not None and run.stopped is not Code.CANCELLED:
            self.log.info("command.cancelling", command_id=command)
            if command not in self.taking:  # else it may never be accepted, and its id is free
                self.post(Note(command, Stopped()))
                run.due = monotonic() + ABANDON_AFTER
            self.interrupt(run, Code.CANCELLED, abort=True)

    def interrupt(self, run: Run, code: Code, *, abort: bool) -> None:
        """Stop a command; one that is not yet accepted ends as soon as it is."""
        if run.id in self.taking:
            run.stopped = run.stopped or code
        else:
            self.carry_out(run.id, stop(run, code, abort=abort))

    def look_at_the_clock(self, now: float) -> None:
        """Stop commands whose time is up, retry what is due."""
        for command, run in list(self.runs.items()):
            if run.due is not None and run.due <= now:
                effects = stop(run, Code.DEADLINE_PASSED) if run.stopped is None else abandon(run)
                run.due = now + ABANDON_AFTER
                self.carry_out(command, effects)
            elif run.retrying:
                self.carry_out(command, tick(run))
                self.step_aside(run)

    def drain(self) -> None:
        """Start nothing more; answer once what is under way has ended."""
        for run in list(self.runs.values()):
            if only_awaits_approval(run):
                self.keep_for_later(run)
            else:
                self.interrupt(run, Code.SHUTTING_DOWN, abort=False)
        self.answer_drain()

    def keep_for_later(self, run: Run) -> None:
        """Leave what waits for approval to the daemon that starts next: it asks again."""
        self.log.info("command.kept", command_id=run.id)
        del self.runs[run.id]
        self.sessions.leave(run.submit.session, run.id)

    def abandon_all(self) -> None:
        """There is no more time: say of everything under way that its end is not known."""
        for command, run in list(self.runs.items()):
            if run.stopped is None:
                self.interrupt(run, Code.SHUTTING_DOWN, abort=False)
            if command in self.runs and command not in self.taking:
                self.carry_out(command, abandon(run))

    def answer_drain(self) -> None:
        """Say that nothing is under way any more, if somebody waits for that."""
        if self.runs or self.ending:
            return
        for letter in self.draining:
            request = letter.message
            assert isinstance(request, Drain | Abandon)
            letter.answer(request, Drained())

    # Saying how things stand

    def say_how_it_stands(
        self,
        letter: Letter[commanding.Inbox],
        message: CancelCommand | Report,
        request: str,
        command: str,
    ) -> None:
        """Say how a command stands; what ended long ago, the journal may still know."""
        if command in self.taking:
            self.taking[command].append(letter.keep())
        elif self.is_known(command):
            letter.answer(message, self.state_of(request, command))
        else:
            self.recall_for(self.recalling, letter, command)

    def tell_of_ended(self, recalled: journaling.Stories) -> None:
        """Answer those who asked how a command stands that only the journal knows."""
        command = recalled.command_id
        for letter in self.recalling.pop(command, ()):
            message = letter.message
            assert isinstance(message, CancelCommand | Report)
            request = message.request.id
            finished = next((story.finished for story in recalled.stories), None)
            if finished is None:  # it was not known when they asked, whatever has come since
                letter.answer(message, unknown_command(request, command))
            else:
                state = wire.State(request, command, finished.status, finished.results)
                letter.answer(message, Known(state, finished))

    def daemon_state(self, request: str) -> Known:
        """Say how the daemon does, and what it waits for from people."""
        runs = self.runs.values()
        questions = tuple(each for run in runs for each in open_questions(run))
        approvals = tuple(each for run in runs for each in open_approvals(run))
        state = wire.State(request, questions=questions, approvals=approvals)
        return Known(replace(state, health=self.health_now()))

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
            latest=self.history.latest(LATEST),
            journal=None if self.journal_health is None else self.journal_health(),
        )

    def state_of(self, request: str, command: str) -> Known | TurnedAway:
        """Say how a command stands; one that ended comes with its end."""
        self.publish_all()  # what happened is heard before how it stands
        if (finished := self.history.find(command)) is not None:
            state = wire.State(request, command, finished.status, finished.results)
            return Known(state, finished)
        if command in self.ending:
            return Known(wire.State(request, command, "running"))
        if (run := self.runs.get(command)) is not None:
            status: wire.StateStatus = "queued" if run.due is None else "running"
            graph, questions = graph_so_far(run), open_questions(run)
            state = wire.State(request, command, status, graph=graph, questions=questions)
            return Known(replace(state, approvals=open_approvals(run, in_full=True)))
        return unknown_command(request, command)


def verdict_on(reply: TakenBefore | NotTaken, request: str) -> Known | TurnedAway:
    """Say of a command that it ran before, or why it could not be written down."""
    command = reply.command_id
    if isinstance(reply, NotTaken):
        return turned_away(request, Code.NOT_DURABLE, reply.reason)
    if (finished := reply.finished) is not None:
        return Known(wire.State(request, command, finished.status, finished.results), finished)
    return Known(wire.State(request, command, "queued"))


def is_answer(effect: Effect) -> bool:
    """Tell whether something writes down what a person answered."""
    return isinstance(effect, Note) and isinstance(effect.entry, Told)


def last_of(session: str) -> str:
    """Name the last change of a session; no command can have this name."""
    return f"\x00{session}"


def not_undone(
    asked: wire.Submit | wire.Undo, recalled: journaling.Stories, undone: Undone | None
) -> TurnedAway:
    """Say why there is nothing to be put back."""
    if recalled.unreadable:
        reason = "what was kept of it cannot be read"
    elif undone is not None:
        reason = undone.reason()
    elif recalled.session:
        reason = "nothing can be undone: nothing was changed in this session, or all was undone"
    else:
        return unknown_command(asked.id, recalled.command_id)
    return turned_away(asked.id, Code.NOT_FEASIBLE, reason)


def unknown_command(request: str, command: str) -> TurnedAway:
    reason = f"no command {command!r} is known; it may be too long ago"
    return turned_away(request, Code.UNKNOWN_COMMAND, reason)


def turned_away(request: str, code: Code, reason: str) -> TurnedAway:
    return TurnedAway(wire.Error(code, reason, id=request))
