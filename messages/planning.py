"""The Planner's conversation: a whole MetaGoal in, one result per goal out."""

from typing import TypeAlias

from messages.goals import MetaGoal
from messages.message import Message, Request
from messages.plans import PlanResult, ToolCapability, WorldState


class PlansMade(Message, frozen=True):
    """Every goal was planned, or why it cannot be."""

    command_id: str
    results: tuple[PlanResult, ...]


class MakePlans(Request[PlansMade], frozen=True):
    """Plan every goal before anything runs."""

    command_id: str
    meta: MetaGoal
    world: WorldState
    capabilities: tuple[ToolCapability, ...]


Inbox: TypeAlias = MakePlans
