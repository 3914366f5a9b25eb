"""Undoing a command: what its tools said would put things back, newest first.

Pure. Undoing is a command like any other: planned, carried out, checked, written down, and itself
undone the same way.
"""

from dataclasses import dataclass

from msgspec.structs import replace

from messages.goals import GoalDraft
from messages.journaling import Intent, Outcome, Story

UNCHANGED = "it changed nothing"


@dataclass(frozen=True, slots=True)
class Undone:
    """The goals that undo a command, and the actions that nothing undoes, with the reason."""

    command: str
    session: str
    goals: tuple[GoalDraft, ...]
    left: tuple[str, ...]

    def reason(self) -> str:
        """Say why there is nothing to undo."""
        return f"command {self.command!r} cannot be undone: {'; '.join(self.left) or UNCHANGED}"


def undoing(story: Story) -> Undone:
    """Find what puts back all that a command has changed."""
    described: dict[str, str] = {}
    unknown: dict[str, str] = {}
    drafts: list[GoalDraft] = []
    left: list[str] = []
    for entry in story.entries:
        match entry:
            case Intent(action):
                described[action.action_id] = action.description
                unknown[action.action_id] = f"{action.description} (it may have happened)"
            case Outcome(result, undo=undo) if undo:
                unknown.pop(result.action, None)
                drafts.extend(reversed(undo))
            case Outcome(result) if is_done_for_good(entry):
                unknown.pop(result.action, None)
                what = described.get(result.action, result.action)
                left.append(f"{what} ({entry.lasting})" if entry.lasting else what)
            case Outcome(result) if not may_have_changed(entry):
                unknown.pop(result.action, None)
            case _:
                pass
    left.extend(unknown.values())
    submit = story.submit
    return Undone(submit.id, submit.session, in_order(drafts[::-1]), tuple(left))


def is_done_for_good(outcome: Outcome) -> bool:
    """Tell whether an action changed something that nothing puts back."""
    return outcome.result.status == "success" and outcome.changed is not False


def may_have_changed(outcome: Outcome) -> bool:
    """Tell whether an action that did not succeed may have changed something all the same.

    Older journals do not say; there, it is known of what was in doubt.
    """
    if outcome.changed is None:
        return outcome.result.status == "in_doubt"
    return outcome.changed


def in_order(drafts: list[GoalDraft]) -> tuple[GoalDraft, ...]:
    """Let each wait for the one before it that is of its own domain."""
    ordered: list[GoalDraft] = []
    last: dict[str, int] = {}
    for number, draft in enumerate(drafts):
        before = last.get(draft.domain)
        scope = "root" if before is None else f"after:g{before}"
        ordered.append(replace(draft, scope=scope))
        last[draft.domain] = number
    return tuple(ordered)
