"""What is kept for later, told to clients: what is due, and which recipes were taught."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from messages import wire
from messages.message import Request
from messages.scheduling import Entry, EntryRefused, ListEntries
from tools.recipes.cookbook import RecipeFolder
from tools.recipes.tools import way_to_say

R = TypeVar("R")


class Asked(Protocol):
    """Who keeps the schedule."""

    async def ask(self, request: Request[R], *, within: float = 5.0) -> R: ...


@dataclass(frozen=True)
class Catalogue:
    """Asks whoever keeps them; nothing is changed, and no command is made of it."""

    scheduler: Asked
    cookbook: RecipeFolder

    async def schedules(self, request: wire.Schedules) -> wire.ScheduleList | wire.Error:
        """Say what is due, the next first."""
        answer = await self.scheduler.ask(ListEntries())
        if isinstance(answer, EntryRefused):
            return wire.Error(answer.code, answer.reason, request.id)
        entries = [scheduled(entry, answer.now) for entry in answer.entries]
        return wire.ScheduleList(request.id, in_order(entries))

    async def recipes(self, request: wire.Recipes) -> wire.RecipeList:
        """Say which recipes were taught, the broken ones first."""
        wrong = [
            wire.TaughtRecipe(file, problem=problem)
            for file, problem in self.cookbook.problems().items()
        ]
        taught = [
            wire.TaughtRecipe(
                recipe.name, len(recipe.steps), tuple(recipe.slots()), way_to_say(recipe)
            )
            for recipe in self.cookbook.recipes().values()
        ]
        return wire.RecipeList(request.id, (*wrong, *taught))


def scheduled(entry: Entry, now: float) -> wire.Scheduled:
    """Tell of an entry."""
    return wire.Scheduled(
        entry.id,
        entry.kind,
        entry.said,
        entry.session,
        entry.state,
        entry.due,
        entry.left if entry.due is None else max(0.0, entry.due - now),
        entry.name,
        entry.text,
        entry.fired,
    )


def in_order(entries: Sequence[wire.Scheduled]) -> tuple[wire.Scheduled, ...]:
    """Put what is due next first, and what is paused last."""
    return tuple(sorted(entries, key=lambda each: (each.due is None, each.due or 0.0, each.id)))
