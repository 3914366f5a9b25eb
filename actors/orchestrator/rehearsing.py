"""Commands for later: they are understood and planned when they are said.

Pure. A rehearsal is a run of its own that is never carried out and of which nobody hears. If it
fails, so does the command that speaks of it; what it needs approval for is asked for with it.
"""

from collections.abc import Iterable, Sequence

from actors.orchestrator.approving import kinds_of
from actors.orchestrator.binding import rule_of_goal
from actors.orchestrator.outcomes import finish
from actors.orchestrator.state import Run
from messages import wire
from messages.message import Message
from messages.plans import PlannedAction
from messages.results import Code

APPROVES = "approves"
UNCLEAR = "what is to be done later is not clear: {}"


class Rehearse(Message, frozen=True):
    """Understand and plan a text, and say what came of it; nothing is done."""

    command_id: str
    action_id: str
    text: str


def next_rehearsal(run: Run) -> Rehearse | None:
    """Give the next command for later that was not yet rehearsed."""
    for action in actions_of(run):
        rule = rule_of_goal(run, action.goal_id)
        text = None if rule is None or not rule.rehearses else action.args.get(rule.rehearses)
        if isinstance(text, str) and action.action_id not in run.rehearsed:
            return Rehearse(run.id, action.action_id, text)
    return None


def actions_of(run: Run) -> Iterable[PlannedAction]:
    return (each for plan in run.plans if plan.plan is not None for each in plan.plan.actions)


def refuse_rehearsed(run: Run, rehearsal: Run) -> Sequence[wire.CommandEvent]:
    """End a command whose command for later cannot be carried out, or asks something."""
    finished = rehearsal.finished
    if finished is None:
        asked = "" if rehearsal.doubt is None else rehearsal.doubt.event.message
        return finish(run, "failed", Code.NOT_UNDERSTOOD, UNCLEAR.format(asked))
    code, message = finished.code or Code.NOT_UNDERSTOOD, finished.message
    return finish(run, "failed", code, message, suggestions=finished.suggestions)


def kinds_rehearsed(rehearsal: Run) -> tuple[str, ...]:
    """Give the kinds of approval that a command will need, as far as its plan tells."""
    needed = (kinds_of(rehearsal, action) for action in actions_of(rehearsal))
    return tuple(dict.fromkeys(kind for kinds in needed for kind in kinds))
