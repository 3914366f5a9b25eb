"""Which tool does an action: deterministic, from what tools declare."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias

from messages.effects import fill, holds
from messages.executing import Done, Outcome, Recovered, Refused
from messages.message import Value
from messages.pages import Page
from messages.plans import PlannedAction, ToolCapability, WorldState
from messages.worlds import World


class Tool(Protocol):
    """What the Executor needs of a tool. Arguments are exactly those planned and bound."""

    @property
    def name(self) -> str: ...
    @property
    def intent(self) -> str: ...
    @property
    def capability(self) -> ToolCapability: ...
    @property
    def glance(self) -> Callable[[Mapping[str, Value]], Outcome] | None:
        """An observation that neither waits nor blocks, made within the Executor's own turn."""

    def available(self) -> bool:
        """Tell whether the tool can work on this machine now."""

    async def feasible(self, args: Mapping[str, Value]) -> Refused | None:
        """Say, without any effect, why the work cannot be done; None if nothing speaks against."""

    async def mark(self, args: Mapping[str, Value]) -> str | Refused:
        """Tell what it would be done to from all else, and from what becomes of it; "" if not."""

    async def mark_all(self, each: Sequence[Mapping[str, Value]]) -> Sequence[str] | Refused:
        """Mark several things; the first that cannot be marked speaks for all."""

    async def mark_rest(self, args: Mapping[str, Value], apart: tuple[str, ...]) -> str | Refused:
        """Do the same, whatever becomes of some places in it."""

    async def sends(self, args: Mapping[str, Value]) -> bool:
        """Tell, without any effect, whether doing it would send off what a person has put in."""

    async def hides(self, args: Mapping[str, Value]) -> bool:
        """Tell, without any effect, whether what is typed would go where a secret goes."""

    async def perform(self, args: Mapping[str, Value]) -> Outcome:
        """Do the work."""

    async def verify(self, args: Mapping[str, Value], done: Done) -> bool | None:
        """Look whether the effect is there; None if that cannot be seen."""

    def places(self, args: Mapping[str, Value]) -> tuple[str, ...]:
        """Name the paths that are changed, or must not change meanwhile; none if it has no such."""

    async def before(self, args: Mapping[str, Value]) -> Mapping[str, Value] | None:
        """Describe briefly what is there before the work; None if ``recover`` has no use for it."""

    async def recover(self, args: Mapping[str, Value], before: Mapping[str, Value]) -> Recovered:
        """Find out what became of interrupted work; put right what was left half done."""

    async def compare(self, args: Mapping[str, Value], before: Mapping[str, Value]) -> Recovered:
        """Find out the same where the texts among the arguments are lost."""


class Scene(Protocol):
    """A world that can be looked at: it lists what words may mean there."""

    async def look(
        self,
        within: str,
        *,
        again: bool = False,
        words: str = "",
        args: Mapping[str, Value],
    ) -> World | Page | Refused:
        """Look there; ``again`` if nothing was found there just before, ``words`` for what.

        ``args`` are what is known of the action: they may say which things are looked for.
        """


class Lanes(Protocol):
    """Places to work in that are few: a branch enters one, and leaves it when it has ended."""

    async def enter(self, lane: str) -> None: ...
    async def leave(self, lane: str) -> None: ...


NOTHING: Mapping[str, Value] = {}

Toolbox: TypeAlias = Mapping[str, tuple[Tool, ...]]


def toolbox(tools: Iterable[Tool]) -> Toolbox:
    """Index tools by what they achieve, in declared order."""
    box: dict[str, tuple[Tool, ...]] = {}
    for tool in tools:
        for token in tool.capability.can_achieve:
            box[token] = (*box.get(token, ()), tool)
    return box


def resolve_tool(
    action: PlannedAction, box: Toolbox, world: WorldState, bound: Mapping[str, Value] = NOTHING
) -> Tool | None:
    """Choose the first declared tool of the intent that achieves the action and may act now."""
    for tool in box.get(action.achieves, ()):
        if tool.intent != action.intent:
            continue
        needs = tool.capability.requires
        if not needs or met(needs, {**action.args, **bound}, world):
            return tool
    return None


def met(needs: Iterable[str], args: Mapping[str, Value], world: WorldState) -> bool:
    """Tell whether everything that a tool requires with these arguments holds."""
    return all(holds(fill(need, args), world) for need in needs)
