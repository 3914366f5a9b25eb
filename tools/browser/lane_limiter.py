"""Whose turn it is: so many lanes work at a time, and the shown page of a session always may."""

import os
from dataclasses import dataclass, field

import anyio

SEPARATOR = "|"
LEAST_LANES, LANES_PER_CORE = 4, 2


def usual_lanes() -> int:
    """Say how many pages work at a time on this machine."""
    return max(LEAST_LANES, LANES_PER_CORE * (os.cpu_count() or 1))


@dataclass
class LaneLimiter:
    """The lanes that are at work beside the shown pages."""

    most: int = field(default_factory=usual_lanes)
    _taken: set[str] = field(default_factory=set)
    _free: anyio.Condition = field(default_factory=anyio.Condition)

    async def enter(self, lane: str) -> None:
        """Wait until a lane may work."""
        if lane in self._taken or lane.endswith(SEPARATOR):
            return
        async with self._free:
            while len(self._taken) >= self.most:
                await self._free.wait()
            self._taken.add(lane)

    async def leave(self, lane: str) -> None:
        """A branch has ended: another may begin."""
        async with self._free:
            self._taken.discard(lane)
            self._free.notify_all()
