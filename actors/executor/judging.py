"""What came of an action: success is checked, not claimed, and what is not known is said."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import assert_never

import msgspec

from actors.executor.toolbox import Tool
from actors.supervisor import contained
from actors.vault import Opened
from messages import journaling
from messages.executing import Done, Outcome, Perform, Performed, Refused
from messages.journaling import Intent
from messages.message import Value
from messages.plans import PlannedAction
from messages.results import ActionResult, Code

UNKNOWN = "it may or may not have happened"
CHANGED = Refused(Code.TARGET_STALE, "it is not any more what was shown; nothing was done")
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

    def discreetly(self, secrets: Opened) -> "Deed":
        """Take the secrets out of what a tool said."""
        if not secrets.used:
            return self
        if isinstance(self.outcome, Done):
            output = secrets.masked(self.outcome.output)
            self.outcome = msgspec.structs.replace(self.outcome, output=output, undo=())
        else:
            message = secrets.masked(self.outcome.message)
            self.outcome = msgspec.structs.replace(self.outcome, message=message)
        return self


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


def unable(action: PlannedAction, secret: str | None) -> Refused:
    """Say why an action cannot be done: nothing here does it, or a secret is not known."""
    if secret is None:
        return Refused(Code.NO_CAPABILITY, f"nothing here can do {action.achieves} now")
    reason = f"{secret} stands for nothing; put it into the file of secrets"
    return Refused(Code.NOT_FEASIBLE, reason)


def in_doubt(action: str, *, seen: bool | None) -> ActionResult:
    """Say what is known of an action that was under way and must not be repeated."""
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


def came(performed: Performed) -> journaling.Outcome:
    """Put what came of an action into an entry of the journal."""
    facts, undo = performed.facts, performed.undo
    return journaling.Outcome(performed.result, performed.transient, facts, undo)


def what_came(result: ActionResult) -> dict[str, object]:
    """Put a result into the fields of a record."""
    if result.code is None:
        return {"status": result.status, "verified": result.verified}
    return {"status": result.status, "code": result.code, "reason": result.message}


def crashed(error: Exception) -> Refused:
    """Word the crash of a tool: it ends its action, not the Executor."""
    return Refused(Code.CRASHED, f"the tool crashed: {error!r}")


def nothing(_error: Exception) -> None:
    """A look that crashed, which is logged, has seen nothing."""
