"""What each tool does: one request to the daemon, and what comes of it.

A refusal of the daemon, or no daemon, is a ``ToolError`` with words for whoever called. What became
of a command is never one: it is the result.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import anyio
import msgspec

from messages import wire
from messages.explaining import Explanation
from messages.goals import GoalDraft
from messages.results import Code
from messages.taught import DOMAIN, NAME, RUN
from tools.client import NoDaemon, new_id
from tools.mcp import arguments as given
from tools.mcp.connection import Connection, DaemonConnector, Listener, TooLarge
from tools.mcp.results import (
    CommandHistory,
    DaemonHealth,
    OpenQuestion,
    Outcome,
    PendingApproval,
    RecipeRow,
    Recipes,
    ResolvedWords,
    StatusReport,
)
from tools.mcp.watch import Report, Watch, approval_advice

R = TypeVar("R", bound=msgspec.Struct)

ANSWER_SECONDS = 30.0
LOOK_AGAIN_SECONDS = 1.0
PLANNING = "mcp-plan"  # what the sessions of plans begin with
LISTING = "mcp-recipes"  # a session of its own: a list neither waits nor sets questions aside
HINTS = {
    Code.UNKNOWN_QUESTION: "call `status` without a command to see which questions are open",
    Code.UNKNOWN_APPROVAL: "call `status` without a command to see what waits for approval",
    Code.UNKNOWN_COMMAND: "call `history` to see which commands there are",
    Code.BAD_CHOICE: "call `answer` again with the number or the text of one of the options",
    Code.NOT_ALLOWED: "only the person at this machine may do this",
}


class ToolError(Exception):
    """A call that came to nothing; the message says what to do."""


def refusal_of(error: wire.Error) -> ToolError:
    """Say what a refusal of the daemon means for the caller."""
    where = "" if error.path is None else f" (at {error.path})"
    again = "" if error.retry_after is None else f"; try again in {error.retry_after:g} s"
    hint = HINTS.get(error.code)
    advice = "" if hint is None else f". {hint[0].upper()}{hint[1:]}"
    return ToolError(f"{error.code}: {error.message}{where}{again}{advice}")


@dataclass(eq=False)
class SingleReply:
    """A request that is answered once."""

    reply: wire.WireReply | None = None
    lost: str = ""
    ready: anyio.Event = field(default_factory=anyio.Event)

    def record_reply(self, reply: wire.WireReply) -> None:
        self.reply = self.reply or reply
        self.ready.set()

    def record_loss(self, reason: str) -> None:
        self.lost = reason
        self.ready.set()


@dataclass
class Calls:
    """The tools, on one daemon."""

    daemon: DaemonConnector
    allow_approvals: bool

    # Commands

    async def plan(self, arguments: given.PlanText, report: Report) -> Outcome:
        command = new_id()
        own_session = f"{PLANNING}-{command}"  # a command ends the open question of its session
        request = wire.Submit(command, text=arguments.text, session=own_session, mode="plan")
        return await self.follow(request, Watch(command, is_plan=True), arguments.wait, report)

    async def submit(self, arguments: given.SubmitText, report: Report) -> Outcome:
        command = arguments.id or new_id()
        request = wire.Submit(command, text=arguments.text, session=arguments.session)
        return await self.follow(request, Watch(command), arguments.wait, report)

    async def run_recipe(self, arguments: given.RunRecipe, report: Report) -> Outcome:
        if NAME in arguments.values:
            raise ToolError(f"no value can be called {NAME!r}: that is the recipe's own name")
        command = arguments.id or new_id()
        goal = GoalDraft(DOMAIN, RUN, {NAME: arguments.name, **arguments.values})
        request = wire.Submit(command, goals=(goal,), session=arguments.session)
        return await self.follow(request, Watch(command), arguments.wait, report)

    async def undo(self, arguments: given.UndoCommand, report: Report) -> Outcome:
        command = arguments.id or new_id()
        request = wire.Undo(command, arguments.command, arguments.session)
        return await self.follow(request, Watch(command), arguments.wait, report)

    async def answer(self, arguments: given.AnswerQuestion, report: Report) -> Outcome:
        request = wire.Answer(new_id(), arguments.question, arguments.choice)
        watch = Watch(answered_id=arguments.question)
        return await self.follow(request, watch, arguments.wait, report)

    async def approve(self, arguments: given.RuleOnApproval, report: Report) -> Outcome:
        if not self.allow_approvals:
            raise ToolError(f"approvals are the person's: {approval_advice(arguments.approval)}")
        request = wire.Approve(new_id(), arguments.approval, arguments.allow, by="flag")
        watch = Watch(answered_id=arguments.approval)
        return await self.follow(request, watch, arguments.wait, report)

    async def follow(
        self, request: wire.WireRequest, watch: Watch, wait: float, report: Report
    ) -> Outcome:
        """Send what begins or continues a command, and wait for its end or its next question."""
        async with self.open_request(request, watch):
            await self.wait_for_answer(watch)
            await watch.wait_until_settled(wait, report)
        return self.outcome_of(watch)

    async def wait_for_answer(self, watch: Watch) -> None:
        """Wait until the daemon has answered at all."""
        with anyio.move_on_after(ANSWER_SECONDS):
            while not watch.is_answered:
                await watch.wait_for_change()
        if not watch.is_answered:
            raise ToolError(
                f"the daemon has not answered for {ANSWER_SECONDS:g} s{lost_answer_advice(watch)}"
            )

    def outcome_of(self, watch: Watch) -> Outcome:
        """Say what became of a command; what the daemon refused is a problem."""
        if watch.error is not None:
            raise refusal_of(watch.error)
        if watch.lost and watch.finished is None:
            raise ToolError(f"{watch.lost}{lost_answer_advice(watch)}")
        return watch.outcome(may_approve=self.allow_approvals)

    # What there is to know

    async def status(self, arguments: given.ShowStatus, report: Report) -> StatusReport:
        if arguments.command is None:
            return daemon_status(await self.ask(wire.Status(new_id()), wire.State))
        request, watch = wire.Status(new_id(), arguments.command), Watch(arguments.command)
        async with self.open_request(request, watch) as connection:
            await self.wait_for_answer(watch)
            with anyio.move_on_after(arguments.wait):
                await watch.wait_until_settled(LOOK_AGAIN_SECONDS, report)
                while not watch.is_settled:  # another client's events are not heard here
                    await connection.send(request)
                    await watch.wait_until_settled(LOOK_AGAIN_SECONDS, report)
        return StatusReport(self.outcome_of(watch))

    async def explain(self, arguments: given.ExplainCommand, _: Report) -> Explanation:
        command = arguments.command or await self.last_command(arguments.session)
        return (await self.ask(wire.Explain(new_id(), command), wire.Explained)).explanation

    async def last_command(self, session: str) -> str:
        """Find the command of a session that was accepted last."""
        request = wire.History(new_id(), session=session, limit=1)
        found = (await self.ask(request, wire.Histories)).commands
        if not found:
            raise ToolError(f"there was no command in session {session!r} yet")
        return found[0].command

    async def history(self, arguments: given.ListHistory, _: Report) -> CommandHistory:
        request = wire.History(new_id(), **msgspec.structs.asdict(arguments))
        found = await self.ask(request, wire.Histories)
        return CommandHistory(found.commands, found.next)

    async def resolve(self, arguments: given.ResolveWords, _: Report) -> ResolvedWords:
        request = wire.Resolve(
            new_id(), arguments.verbs, arguments.world, arguments.text, options=arguments.options
        )
        return ResolvedWords.of(await self.ask(request, wire.Resolution))

    async def recipes(self, _: given.ListRecipes, report: Report) -> Recipes:
        goal = GoalDraft(DOMAIN, "list")
        request = wire.Submit(new_id(), goals=(goal,), session=LISTING)
        outcome = await self.follow(request, Watch(request.id), ANSWER_SECONDS, report)
        if outcome.status != "success":
            raise ToolError(
                f"{outcome.code or outcome.status}: {outcome.message or 'no list came'}"
            )
        rows = outcome.results[0].output if outcome.results else None
        return Recipes(msgspec.convert(rows or (), tuple[RecipeRow, ...]))

    async def ask(self, request: wire.WireRequest, kind: type[R]) -> R:
        """Send a request that is answered once."""
        answer = SingleReply()
        async with self.open_request(request, answer):
            with anyio.move_on_after(ANSWER_SECONDS):
                await answer.ready.wait()
        if isinstance(answer.reply, kind):
            return answer.reply
        if isinstance(answer.reply, wire.Error):
            raise refusal_of(answer.reply)
        raise ToolError(answer.lost or f"the daemon has not answered for {ANSWER_SECONDS:g} s")

    @asynccontextmanager
    async def open_request(
        self, request: wire.WireRequest, listener: Listener
    ) -> AsyncIterator[Connection]:
        """Send a request and listen to what comes of it; nobody there is a problem."""
        try:
            async with self.daemon.call(request, listener) as connection:
                yield connection
        except (NoDaemon, TooLarge) as problem:
            raise ToolError(str(problem)) from None


def lost_answer_advice(watch: Watch) -> str:
    """Say how to find out what became of a command whose answer was lost."""
    if not watch.command:
        return "; call `status` without a command to see what is open"
    return f"; call `status` with command {watch.command} to see whether it was taken"


def daemon_status(state: wire.State) -> StatusReport:
    """Say how the daemon does, and what it waits for."""
    questions = tuple(map(OpenQuestion.of, state.questions))
    approvals = tuple(map(PendingApproval.of, state.approvals))
    health = state.health
    daemon = None
    if health is not None:
        daemon = DaemonHealth(
            health.version,
            health.uptime,
            health.running,
            health.queued,
            health.finished,
            health.latest,
        )
    return StatusReport(None, daemon, questions, approvals)
