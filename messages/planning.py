"""The Planner's conversation: a whole MetaGoal in, one result per goal out."""

from typing import TypeAlias

from messages.failures import Reveal
from messages.goals import Goal, MetaGoal
from messages.message import Message, Request
from messages.plans import PlannedAction, PlanResult, ToolCapability, WorldState
from messages.recipes import Course


class PlansMade(Message, frozen=True):
    """Every goal was planned, or why it cannot be."""

    command_id: str
    results: tuple[PlanResult, ...]


class MakePlans(Request[PlansMade], frozen=True):
    """Plan every goal before anything runs.

    Where the command undoes another, rules that are for undo alone may be used, too.
    """

    command_id: str
    meta: MetaGoal
    world: WorldState
    capabilities: tuple[ToolCapability, ...]
    undoes: bool = False


class RevealPlanned(Message, frozen=True):
    """The action that shows what another one needs."""

    command_id: str
    for_action: str
    action: PlannedAction


class PlanReveal(Request[RevealPlanned], frozen=True):
    """Plan the step that shows a thing which is there and cannot be seen."""

    command_id: str
    goal_id: str
    for_action: str
    action_id: str
    reveal: Reveal


class CoursePlanned(Message, frozen=True):
    """How a chore is done in steps; None if no recipe is for these words."""

    command_id: str
    for_action: str
    course: Course | None = None


class PlanCourse(Request[CoursePlanned], frozen=True):
    """Plan a chore that names its result, and that nothing on the page does at once."""

    command_id: str
    for_action: str
    goal: Goal


Inbox: TypeAlias = MakePlans | PlanReveal | PlanCourse
