"""The Planner's conversation: a whole MetaGoal in, one result per goal out."""

from typing import TypeAlias

from messages.failures import Reveal
from messages.goals import MetaGoal
from messages.message import Message, Request
from messages.plans import PlannedAction, PlanResult, ToolCapability, WorldState


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


Inbox: TypeAlias = MakePlans | PlanReveal
