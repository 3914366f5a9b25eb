"""Turns: work on one place is done one after the other, in the order in which it came.

A turn lasts from the look at what is there before to the entry on what came of it. So of all work
on a place at most one is undecided after a crash, and what is there tells of that one alone.
"""

from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import anyio


@dataclass(eq=False, slots=True)
class Turn:
    """The right to work on some places, once those who came before are through."""

    places: tuple[str, ...]
    _queue: "list[Turn]"
    _ahead: "list[Turn]"
    over: anyio.Event = field(default_factory=anyio.Event)

    async def come(self) -> None:
        """Wait until nobody who came before works on any of the places."""
        while self._ahead:
            await self._ahead[0].over.wait()
            del self._ahead[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._queue.remove(self)
        self._ahead.clear()
        self.over.set()


@dataclass(slots=True)
class Turns:
    """Who works where, and who waits for that; nobody holds one place while waiting for another."""

    _queue: list[Turn] = field(default_factory=list)

    def join(self, places: tuple[str, ...]) -> Turn:
        """Take a turn after all who came before and whose places overlap with these."""
        ahead = [turn for turn in self._queue if overlap(turn.places, places)] if places else []
        turn = Turn(places, self._queue, ahead)
        self._queue.append(turn)
        return turn


def overlap(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Tell whether one of some paths is, holds, or lies in one of others."""
    return any(is_within(one, other) or is_within(other, one) for one in some for other in others)


def is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
