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
    """The goals that undo a command, and the actions that nothing undoes."""

    session: str
    goals: tuple[GoalDraft, ...]
    left: tuple[str, ...]

    def reason(self) -> str:
        """Say why there is nothing to undo."""
        return f"nothing can be undone: {'; '.join(self.left) or UNCHANGED}"


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
            case Outcome(result) if result.status == "success" and not is_idle(result.output):
                unknown.pop(result.action, None)
                left.append(described.get(result.action, result.action))
            case Outcome(result) if result.status != "in_doubt":
                unknown.pop(result.action, None)
            case _:
                pass
    left.extend(unknown.values())
    return Undone(story.submit.session, in_order(drafts[::-1]), tuple(left))


def is_idle(output: object) -> bool:
    """Tell whether an action says that it found everything as it was to be."""
    return isinstance(output, dict) and output.get("created") is False


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
