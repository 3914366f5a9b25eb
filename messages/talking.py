"""Goals about commands themselves, which no words of a sentence state."""

from messages.goals import GoalDraft

REPEAT = GoalDraft("talk", "repeat")


def stop_goal(stopped: str) -> GoalDraft:
    """Tell which command was stopped; none if nothing was under way."""
    return GoalDraft("talk", "stop", {"stopped": stopped})
