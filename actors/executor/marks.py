"""Marks of what was approved, renewed after a change that the same command made to it.

An approval is for a thing as it was shown. What the command itself has changed since, and nobody
else, is still that thing: the overwritten file of its second overwriting, the folder from which it
has deleted something first.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from actors.executor.toolbox import Tool
from actors.executor.turns import overlap
from messages.executing import Marked, Perform, Refused
from messages.message import Value

MOST_RENEWED = 4_096

ToolOf = Callable[[Marked], Tool | None]


@dataclass(frozen=True, slots=True)
class Watched:
    """An approved thing that an action is about to change: as it is now, but for these places."""

    action_id: str
    tool: Tool
    arguments: dict[str, Value]
    rest: str | Refused


@dataclass(slots=True)
class Marks:
    """The marks that took the place of those that were approved, by command and action."""

    _renewed: OrderedDict[tuple[str, str], str] = field(default_factory=OrderedDict)

    def current(self, request: Perform) -> str:
        """Give the mark that a thing must have now for an approved action."""
        return self.mark_now(request.command_id, request.action.action_id, request.mark)

    def mark_now(self, command: str, action: str, mark: str) -> str:
        return self._renewed.get((command, action), mark)

    async def watch(
        self, request: Perform, places: tuple[str, ...], tool_of: ToolOf
    ) -> list[Watched]:
        """Find the approved things that an action may change, if they are still as approved."""
        watched: list[Watched] = []
        for other in request.beside:
            tool, args = tool_of(other), {**other.action.args, **other.bound}
            if tool is None or not overlap(tool.places(args), places):
                continue
            action = other.action.action_id
            if await tool.mark(args) == self.mark_now(request.command_id, action, other.mark):
                rest = await tool.mark_rest(args, places)
                watched.append(Watched(action, tool, args, rest))
        return watched

    async def renew(
        self,
        request: Perform,
        places: tuple[str, ...],
        watched: Iterable[Watched],
        is_seen: Callable[[], Awaitable[bool | None]],
    ) -> None:
        """Mark things anew after an action, unless somebody else was at work on them as well.

        The effect of the action is seen between two equal marks: it is what was marked.
        """
        for each in watched:
            mark = await each.tool.mark(each.arguments)
            seen = await is_seen()
            rest = await each.tool.mark_rest(each.arguments, places)
            same = await each.tool.mark(each.arguments) == mark
            if seen and same and rest == each.rest and isinstance(mark, str):
                self._renewed[request.command_id, each.action_id] = mark
        while len(self._renewed) > MOST_RENEWED:
            self._renewed.popitem(last=False)


def unwatched(_error: Exception) -> list[Watched]:
    """What could not be looked at is not marked anew: its approval dies with the change."""
    return []
