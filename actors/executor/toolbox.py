"""Which tool does an action: deterministic, from what tools declare."""

from collections.abc import Mapping
from typing import Protocol

from messages.effects import fill, holds
from messages.executing import Done, Outcome
from messages.message import Value
from messages.plans import PlannedAction, ToolCapability, WorldState
from messages.targets import Candidate


class Tool(Protocol):
    """What the Executor needs of a tool. Arguments are exactly those planned and bound.

    An ``instant`` tool neither waits nor blocks, so it may run within the Executor's own turn.
    """

    @property
    def name(self) -> str: ...
    @property
    def intent(self) -> str: ...
    @property
    def capability(self) -> ToolCapability: ...
    @property
    def instant(self) -> bool: ...

    def available(self) -> bool:
        """Tell whether the tool can work on this machine now."""

    async def perform(self, args: Mapping[str, Value]) -> Outcome:
        """Do the work."""

    async def verify(self, args: Mapping[str, Value], done: Done) -> bool | None:
        """Look whether the effect is there; None if that cannot be seen."""


class Scene(Protocol):
    """A world that can be looked at: it lists what words may mean there."""

    async def candidates(self, within: str) -> tuple[Candidate, ...]: ...


def resolve_tool(action: PlannedAction, tools: tuple[Tool, ...], world: WorldState) -> Tool | None:
    """Choose the first declared tool of the intent that achieves the action and may act now."""
    for tool in tools:
        capability = tool.capability
        if tool.intent != action.intent or action.achieves not in capability.can_achieve:
            continue
        if all(holds(fill(need, action.args), world) for need in capability.requires):
            return tool
    return None
