"""What each tool does: one request to the daemon, and what comes of it.

A refusal of the daemon, or no daemon, is a ``Problem`` with words for whoever called. What became
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
from tools.mcp.connection import Connection, Daemon, Listener, TooLarge
from tools.mcp.following import Report, Watch, ask_the_person
from tools.mcp.results import (
    Asked,
    DaemonHealth,
    Meaning,
    Outcome,
    Past,
    RecipeRow,
    Recipes,
    Standing,
    Wanted,
)

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


class Problem(Exception):
    """A call that came to nothing; the message says what to do."""


def problem_of(error: wire.Error) -> Problem:
    """Say what a refusal of the daemon means for the caller."""
    where = "" if error.path is None else f" (at {error.path})"
    again = "" if error.retry_after is None else f"; try again in {error.retry_after:g} s"
    hint = HINTS.get(error.code)
    advice = "" if hint is None else f". {hint[0].upper()}{hint[1:]}"
    return Problem(f"{error.code}: {error.message}{where}{again}{advice}")


@dataclass(eq=False)
class OneReply:
    """A request that is answered once."""

    reply: wire.WireReply | None = None
    lost: str = ""
    ready: anyio.Event = field(default_factory=anyio.Event)

    def take(self, reply: wire.WireReply) -> None:
        self.reply = self.reply or reply
        self.ready.set()

    def lose(self, reason: str) -> None:
        self.lost = reason
        self.ready.set()


@dataclass
class Calls:
    """The tools, on one daemon."""

    daemon: Daemon
    allow_approvals: bool

    # Commands

    async def plan(self, arguments: given.PlanText, report: Report) -> Outcome:
        command = new_id()
        own_session = f"{PLANNING}-{command}"  # a command ends the open question of its session
        request = wire.Submit(command, text=arguments.text, session=own_session, mode="plan")
        return await self.follow(request, Watch(command, plans=True), arguments.wait, report)

    async def submit(self, arguments: given.SubmitText, report: Report) -> Outcome:
        command = arguments.id or new_id()
        request = wire.Submit(command, text=arguments.text, session=arguments.session)
        return await self.follow(request, Watch(command), arguments.wait, report)

    async def run_recipe(self, arguments: given.RunRecipe, report: Report) -> Outcome:
        if NAME in arguments.values:
            raise Problem(f"no value can be called {NAME!r}: that is the recipe's own name")
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
        watch = Watch(ruled=arguments.question)
        return await self.follow(request, watch, arguments.wait, report)

    async def approve(self, arguments: given.RuleOnApproval, report: Report) -> Outcome:
        if not self.allow_approvals:
            raise Problem(f"approvals are the person's: {ask_the_person(arguments.approval)}")
        request = wire.Approve(new_id(), arguments.approval, arguments.allow, by="flag")
        watch = Watch(ruled=arguments.approval)
        return await self.follow(request, watch, arguments.wait, report)

    async def follow(
        self, request: wire.WireRequest, watch: Watch, wait: float, report: Report
    ) -> Outcome:
        """Send what begins or continues a command, and wait for its end or its next question."""
        async with self.calling(request, watch):
            await self.hear(watch)
            await watch.settle(wait, report)
        return self.outcome_of(watch)

    async def hear(self, watch: Watch) -> None:
        """Wait until the daemon has answered at all."""
        with anyio.move_on_after(ANSWER_SECONDS):
            while not watch.is_heard:
                await watch.change()
        if not watch.is_heard:
            raise Problem(f"the daemon has not answered for {ANSWER_SECONDS:g} s{retry(watch)}")

    def outcome_of(self, watch: Watch) -> Outcome:
        """Say what became of a command; what the daemon refused is a problem."""
        if watch.error is not None:
            raise problem_of(watch.error)
        if watch.lost and watch.finished is None:
            raise Problem(f"{watch.lost}{retry(watch)}")
        return watch.outcome(may_approve=self.allow_approvals)

    # What there is to know

    async def status(self, arguments: given.ShowStatus, report: Report) -> Standing:
        if arguments.command is None:
            return standing_of(await self.ask(wire.Status(new_id()), wire.State))
        request, watch = wire.Status(new_id(), arguments.command), Watch(arguments.command)
        async with self.calling(request, watch) as connection:
            await self.hear(watch)
            with anyio.move_on_after(arguments.wait):
                await watch.settle(LOOK_AGAIN_SECONDS, report)
                while not watch.is_settled:  # another client's events are not heard here
                    await connection.send(request)
                    await watch.settle(LOOK_AGAIN_SECONDS, report)
        return Standing(self.outcome_of(watch))

    async def explain(self, arguments: given.ExplainCommand, _: Report) -> Explanation:
        command = arguments.command or await self.last_command(arguments.session)
        return (await self.ask(wire.Explain(new_id(), command), wire.Explained)).explanation

    async def last_command(self, session: str) -> str:
        """Find the command of a session that was accepted last."""
        request = wire.History(new_id(), session=session, limit=1)
        found = (await self.ask(request, wire.Histories)).commands
        if not found:
            raise Problem(f"there was no command in session {session!r} yet")
        return found[0].command

    async def history(self, arguments: given.ListHistory, _: Report) -> Past:
        request = wire.History(new_id(), **msgspec.structs.asdict(arguments))
        found = await self.ask(request, wire.Histories)
        return Past(found.commands, found.next)

    async def resolve(self, arguments: given.ResolveWords, _: Report) -> Meaning:
        request = wire.Resolve(
            new_id(), arguments.verbs, arguments.world, arguments.text, options=arguments.options
        )
        return Meaning.of(await self.ask(request, wire.Resolution))

    async def recipes(self, _: given.ListRecipes, report: Report) -> Recipes:
        goal = GoalDraft(DOMAIN, "list")
        request = wire.Submit(new_id(), goals=(goal,), session=LISTING)
        outcome = await self.follow(request, Watch(request.id), ANSWER_SECONDS, report)
        if outcome.status != "success":
            raise Problem(f"{outcome.code or outcome.status}: {outcome.message or 'no list came'}")
        rows = outcome.results[0].output if outcome.results else None
        return Recipes(msgspec.convert(rows or (), tuple[RecipeRow, ...]))

    async def ask(self, request: wire.WireRequest, kind: type[R]) -> R:
        """Send a request that is answered once."""
        answer = OneReply()
        async with self.calling(request, answer):
            with anyio.move_on_after(ANSWER_SECONDS):
                await answer.ready.wait()
        if isinstance(answer.reply, kind):
            return answer.reply
        if isinstance(answer.reply, wire.Error):
            raise problem_of(answer.reply)
        raise Problem(answer.lost or f"the daemon has not answered for {ANSWER_SECONDS:g} s")

    @asynccontextmanager
    async def calling(
        self, request: wire.WireRequest, listener: Listener
    ) -> AsyncIterator[Connection]:
        """Send a request and listen to what comes of it; nobody there is a problem."""
        try:
            async with self.daemon.call(request, listener) as connection:
                yield connection
        except (NoDaemon, TooLarge) as problem:
            raise Problem(str(problem)) from None


def retry(watch: Watch) -> str:
    """Say how to find out what became of a command whose answer was lost."""
    if not watch.command:
        return "; call `status` without a command to see what is open"
    return f"; call `status` with command {watch.command} to see whether it was taken"


def standing_of(state: wire.State) -> Standing:
    """Say how the daemon does, and what it waits for."""
    questions = tuple(map(Asked.of, state.questions))
    approvals = tuple(map(Wanted.of, state.approvals))
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
    return Standing(None, daemon, questions, approvals)
