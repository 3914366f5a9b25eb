"""Following one command: what a call has heard of it, and what that comes to.

``Watch`` only takes note, so a client that is slow to take progress never makes events pile up.
"""

import shlex
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import anyio

from messages import wire
from tools.mcp.results import GoalOutcome, OpenQuestion, Outcome, PendingApproval, Status, goal_line

Report: TypeAlias = Callable[[float, str], Awaitable[None]]

ASK_PERSON = (
    "nothing of it happens before the person at this machine allows it. Ask them to run: "
    "{allow} (or: {deny}); then call `status` with this command"
)
APPROVE = "show the person what would be done; if they agree, call `approve` with this id"
ANSWER = "call `answer` with the question's id and one of the options, or with better words"
WAIT = "it goes on by itself: call `status` with this command and a `wait`"
REPEATED = "this id was used before, so nothing new was begun; use a new random id for that"
PLANNED = "nothing was done; `submit` with the same text carries it out"


def approval_advice(approval: str) -> str:
    """Say what the person is to run. A client chose the command's id, so it is quoted here."""
    quoted = shlex.quote(approval)
    return ASK_PERSON.format(
        allow=f"behest approve {quoted}", deny=f"behest approve --deny {quoted}"
    )


@dataclass(eq=False)
class Watch:
    """What was heard of a command; ``answered_id`` is what this call answers or rules on."""

    command: str = ""
    answered_id: str = ""
    is_plan: bool = False
    begun: bool = False
    accepted: bool = False
    repeated: bool = False
    running_status: Status = "queued"
    understood: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    latest: str = "accepted"
    steps: int = 0
    reported_steps: int = 0
    question: wire.Question | None = None
    approval: wire.ApprovalNeeded | None = None
    finished: wire.Finished | None = None
    error: wire.Error | None = None
    lost: str = ""
    changed: anyio.Event = field(default_factory=anyio.Event)

    @property
    def is_answered(self) -> bool:
        """Tell whether the daemon has answered at all."""
        return self.begun or self.is_settled

    @property
    def is_settled(self) -> bool:
        """Tell whether there is nothing to wait for: it ended, or waits itself."""
        ended = self.finished or self.error or self.lost
        return bool(ended or self.question or self.approval)

    def record_loss(self, reason: str) -> None:
        self.lost = reason
        self.changed.set()

    def record_reply(self, reply: wire.WireReply) -> None:
        """Take note of one reply."""
        match reply:
            case wire.Finished():
                self.finished = reply
            case wire.Error():
                if not self.accepted:  # else it answers another call with the same id
                    self.error = reply
            case wire.Question():
                self.question = reply
            case wire.ApprovalNeeded():
                self.approval = reply
            case wire.State():
                self.record_state(reply)
            case _:
                self.record_progress(reply)
        self.changed.set()

    def record_state(self, state: wire.State) -> None:
        """Take note of how the command stands; of one that has ended, the end follows."""
        self.repeated = state.id == state.command and not self.accepted
        self.command = state.command or self.command
        match state.status:
            case "queued" | "running" as status:
                self.begun, self.running_status = True, status
            case _:
                return
        open_questions = [each for each in state.questions if each.question != self.answered_id]
        open_approvals = [each for each in state.approvals if each.approval != self.answered_id]
        self.question = open_questions[0] if open_questions else None
        self.approval = open_approvals[0] if open_approvals else None
        if state.graph is not None:
            self.actions = tuple(node.description for node in state.graph.nodes.values())

    def record_progress(self, event: wire.WireReply) -> None:
        """Take note of what a command does."""
        self.begun = True
        match event:
            case wire.Accepted(ahead=ahead):
                self.accepted, self.repeated = True, False
                self.latest = f"accepted; {ahead} ahead of it" if ahead else "accepted"
                return
            case wire.Interpreted(meta=meta, passed_over=passed_over):
                self.understood = tuple(goal_line(goal) for goal in meta.goals)
                self.passed_over = passed_over
                self.latest = "understood"
            case wire.Planned(graph=graph):
                self.actions = tuple(node.description for node in graph.nodes.values())
                self.latest = "planned"
            case wire.Resolved(role=role, name=name):
                self.latest = f"{role}: {name}"
            case wire.ActionStarted(description=description):
                self.latest = description
            case wire.ActionFinished(action=action, status=status):
                self.latest = f"{action}: {status}"
            case _:
                return
        self.running_status = "running"
        self.steps += 1

    async def wait_until_settled(self, wait: float, report: Report) -> None:
        """Wait until the command has ended or waits itself, but not longer than so many seconds."""
        with anyio.move_on_after(wait):
            while not self.is_settled:
                if self.steps > self.reported_steps:
                    self.reported_steps = self.steps
                    await report(self.reported_steps, self.latest)
                await self.wait_for_change()

    async def wait_for_change(self) -> None:
        """Wait until something more was heard."""
        await self.changed.wait()
        self.changed = anyio.Event()

    def outcome(self, *, may_approve: bool) -> Outcome:
        """Say what all that was heard comes to."""
        status, next_step = self.status_and_advice(may_approve=may_approve)
        end = self.finished
        message = self.question.message if self.question else None
        return Outcome(
            self.command,
            status,
            next_step,
            code=None if end is None or end.code is None else str(end.code),
            message=message if end is None else end.message,
            suggestions=() if end is None else end.suggestions,
            unclear=None if end is None else end.span,
            results=() if end is None else tuple(map(GoalOutcome.of, end.results)),
            question=OpenQuestion.of(self.question) if self.question and not end else None,
            approval=PendingApproval.of(self.approval) if self.approval and not end else None,
            understood=self.understood,
            passed_over=self.passed_over,
            actions=self.actions,
            repeated=self.repeated,
        )

    def status_and_advice(self, *, may_approve: bool) -> tuple[Status, str]:
        """Say how the command stands, and what is to be done now."""
        if self.finished is not None:
            planned = self.is_plan and self.finished.status == "success"
            used = REPEATED if self.repeated else ""
            return self.finished.status, PLANNED if planned and not used else used
        if self.question is not None:
            return "question", ANSWER
        if self.approval is not None:
            advice = APPROVE if may_approve else approval_advice(self.approval.approval)
            return "approval_needed", advice
        return self.running_status, WAIT
