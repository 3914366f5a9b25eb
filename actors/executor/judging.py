"""What came of an action: success is checked, not claimed, and what is not known is said."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

import msgspec

from actors.executor.toolbox import Tool
from actors.supervisor import contained
from actors.vault import TYPED_HERE, Opened
from messages import journaling
from messages.executing import Done, Outcome, Perform, Performed, Refused, Unknown
from messages.journaling import MOST_LIVES, Intent, Resumed
from messages.message import Value
from messages.plans import PlannedAction
from messages.results import ActionResult, Code

UNKNOWN = "it may or may not have happened"
CHANGED = Refused(Code.TARGET_STALE, "it is not any more what was shown; nothing was done")
UNDO_NOT_KEPT = "what would undo it holds a secret, which is not kept"
NOT_KEPT = (
    "it was interrupted and nothing was changed; its text speaks of a secret and is kept nowhere, "
    "so say it again"
)
STOPPED = Refused(Code.CANCELLED, "stopped before it ended")


@dataclass(slots=True)
class Deed:
    """How far a tool has come: whether it is ``acting``, what it said, what was seen of it."""

    outcome: Outcome = STOPPED
    verified: bool | None = None
    acting: bool = False

    async def do(self, tool: Tool, args: Mapping[str, Value], mark: str = "") -> None:
        """Let a tool look whether it can, only then act, and look what came of it."""
        refused = await contained(infeasible(tool, args, mark), crashed)
        if refused is not None:
            self.outcome = refused
            return
        self.acting = True
        self.outcome = await contained(tool.perform(args), crashed)
        self.acting = isinstance(self.outcome, Refused) and self.outcome.code is Code.CRASHED
        if isinstance(self.outcome, Done):
            self.verified = await contained(tool.verify(args, self.outcome), nothing)

    def run_out(self, seconds: float) -> None:
        """There is no more time for it."""
        if isinstance(self.outcome, Refused):
            reason = f"not done within {seconds:g} s"
            self.outcome = Refused(Code.TIMEOUT, reason, transient=True)

    async def find_out(
        self, tool: Tool, args: Mapping[str, Value], before: Mapping[str, Value]
    ) -> None:
        """Let a tool that was stopped, or crashed, look how far it has come."""
        if not self.acting:
            return
        match await contained(tool.recover(args, before), not_told):
            case Done() as done:
                self.outcome, self.verified, self.acting = done, True, False
            case Unknown():
                pass
            case _:
                self.acting = False

    def discreetly(self, secrets: Opened) -> "Deed":
        """Take the secrets out of what a tool said.

        What would undo it is kept if no secret is in it: a digest of a text is not the text.
        """
        if not secrets.used:
            return self
        outcome = self.outcome
        if isinstance(outcome, Done):
            undo, lasting = outcome.undo, secrets.masked(outcome.lasting)
            if any(secrets.are_in(goal.params) for goal in undo):
                undo, lasting = (), UNDO_NOT_KEPT
            output = secrets.masked(outcome.output)
            self.outcome = msgspec.structs.replace(
                outcome, output=output, undo=undo, lasting=lasting
            )
        else:
            message = secrets.masked(outcome.message)
            self.outcome = msgspec.structs.replace(outcome, message=message)
        return self

    def has_changed(self) -> bool:
        """Tell whether it changed something, or may have."""
        return self.outcome.changed if isinstance(self.outcome, Done) else self.acting


async def first_infeasible(tool: Tool, several: Sequence[Mapping[str, Value]]) -> Refused | None:
    """Say why an action cannot be done to the first of several to which it cannot be done."""
    for args in several:
        if (refused := await tool.feasible(args)) is not None:
            return refused
    return None


async def infeasible(tool: Tool, args: Mapping[str, Value], mark: str) -> Refused | None:
    """Say why an action cannot be done, or not to what bore another mark when it was approved."""
    refused = await tool.feasible(args)
    if refused is not None or not mark:
        return refused
    now = await tool.mark(args)
    if isinstance(now, Refused):
        return now
    return None if now == mark else CHANGED


def judged(request: Perform, deed: Deed) -> ActionResult:
    """Judge a deed: an effect that is looked for and missing is a failure."""
    action = request.action.action_id
    changes = request.action.action_class != "observe"
    match deed.outcome:
        case Done(output) if deed.verified is not False:
            return ActionResult(action, "success", None, None, output, deed.verified is True)
        case Refused(Code.CANCELLED, message):
            said = f"{message}; {UNKNOWN}" if deed.acting and changes else message
            return ActionResult(action, "cancelled", Code.CANCELLED, said)
        case Refused(code, message) if deed.acting and changes and not request.action.repeatable:
            return ActionResult(action, "in_doubt", code, f"{message}; {UNKNOWN}")
        case Refused(code, message):
            return ActionResult(action, "failed", code, message)
        case Done(output):
            message = f"done, but {request.action.expected_effect} was not seen afterwards"
            return ActionResult(action, "failed", Code.EFFECT_MISSING, message, output)
        case unknown:
            assert_never(unknown)


def contradiction(request: Perform) -> Refused | None:
    """Refuse bound values for what was planned already: ``args`` are authoritative.

    The message names the parameters and not their values, which may be secret.
    """
    planned, bound = request.action.args, request.bound
    names = [name for name in bound if name in planned and bound[name] != planned[name]]
    if not names:
        return None
    what = ", ".join(names)
    return Refused(Code.CRASHED, f"a defect: {what} was planned, and bound to something else")


def unable(action: PlannedAction, secret: str | None) -> Refused:
    """Say why an action cannot be done: nothing here does it, or a secret is not known."""
    if secret is None:
        return Refused(Code.NO_CAPABILITY, f"nothing here can do {action.achieves} now")
    if secret.startswith(TYPED_HERE):
        return Refused(Code.NOT_DURABLE, NOT_KEPT)
    reason = f"{secret} stands for nothing; put it into the file of secrets"
    return Refused(Code.NOT_FEASIBLE, reason)


def in_doubt(action: str, *, seen: bool | None, reason: str | None = None) -> ActionResult:
    """Say what is known of an action that was under way and must not be repeated."""
    if reason is not None:
        message = f"it was interrupted, and whether it happened cannot be told: {reason}"
        return ActionResult(action, "in_doubt", Code.CRASHED, message)
    effect = {
        True: "its effect is there now",
        False: "its effect is not to be seen now",
        None: "nobody could see whether it happened",
    }
    message = f"it was interrupted, and is not safe to repeat; {effect[seen]}"
    return ActionResult(action, "in_doubt", Code.CRASHED, message)


def last_known(
    stories: Iterable[journaling.Story], action: str
) -> journaling.Intent | journaling.Outcome | None:
    """Give the last that is known of an action: that it began, or how it ended."""
    found: journaling.Intent | journaling.Outcome | None = None
    for entry in (entry for story in stories for entry in story.entries):
        match entry:
            case Intent(begun) if begun.action_id == action:
                found = entry
            case journaling.Outcome(result) if result.action == action:
                found = entry
            case _:
                pass
    return found


def interrupted(stories: Iterable[journaling.Story]) -> Iterator[tuple[Perform, Intent]]:
    """Find the actions that were under way, and whose tools noted what was there before."""
    for story in stories:
        lives = sum(isinstance(entry, Resumed) for entry in story.entries)
        if story.unreadable or story.finished is not None or lives >= MOST_LIVES:
            continue
        for begun in [entry for entry in story.entries if isinstance(entry, Intent)]:
            # Of an action that was tried again, the last try counts.
            if begun.before is not None and last_known([story], begun.action.action_id) is begun:
                yield Perform(story.submit.id, begun.action, begun.bound, begun=True), begun


def came(performed: Performed) -> journaling.Outcome:
    """Put what came of an action into an entry of the journal."""
    return journaling.Outcome(
        performed.result,
        performed.transient,
        performed.facts,
        performed.undo,
        performed.changed,
        performed.lasting,
    )


def what_came(result: ActionResult) -> dict[str, object]:
    """Put a result into the fields of a record."""
    if result.code is None:
        return {"status": result.status, "verified": result.verified}
    return {"status": result.status, "code": result.code, "reason": result.message}


def crashed(error: Exception) -> Refused:
    """Word the crash of a tool: it ends its action, not the Executor."""
    return Refused(Code.CRASHED, f"the tool crashed: {error!r}")


def not_told(error: Exception) -> Unknown:
    """A look back that crashed tells nothing."""
    return Unknown(f"the tool crashed: {error!r}")


def nowhere(_error: Exception) -> tuple[str, ...]:
    """A tool that does not know where it works will refuse to."""
    return ()


def nothing(_error: Exception) -> None:
    """A look that crashed, which is logged, has seen nothing."""
