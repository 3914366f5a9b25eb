"""Who is there: heartbeats that are told, and those that are heard."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic

import anyio
import msgspec

from actors.cluster.bus import Bus
from actors.cluster.envelopes import BEATS, encode, read_beat
from messages.cluster import Beat

BEAT_SECONDS = 0.5
# Whoever was not heard for so long is taken for dead. A bus that changes its leader is silent for
# a few seconds, and to take somebody for dead who lives costs more than to wait.
DEAD_SECONDS = 6.0
# Whoever heard nothing for so long, not even itself, may soon be taken for dead by others.
AWAY_SECONDS = 3.0


@dataclass
class Presence:
    """What was heard of the others, and when; ``own`` gives the heartbeats of this process.

    Its clock goes on while the machine is suspended: the others do not wait for it.
    """

    bus: Bus
    own: Callable[[], Sequence[Beat]]
    heard: dict[tuple[str, str], tuple[Beat, float]] = field(default_factory=dict)
    changed: Callable[[], None] = lambda: None
    clock: Callable[[], float] = monotonic
    absences: int = 0
    _latest: float = field(init=False)
    _born: float = field(init=False)

    def __post_init__(self) -> None:
        self._latest = self._born = self.clock()

    async def run(self) -> None:
        """Tell that this one is there, and hear the others."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.beat)
            async with self.bus.hear(BEATS) as beats:
                async for body in beats:
                    self.note(body)

    async def beat(self) -> None:
        while True:
            for beat in self.own():
                await self.bus.tell(BEATS, encode(beat))
            await anyio.sleep(BEAT_SECONDS)

    def note(self, body: bytes) -> None:
        try:
            beat = read_beat(body)
        except msgspec.DecodeError:
            return  # of a version that is not understood here
        now = self.clock()
        if now - self._latest > DEAD_SECONDS:
            # Nothing at all was heard for long, not even this one: the bus was away, not they.
            self.heard = {key: (each, now) for key, (each, _) in self.heard.items()}
        self.absences += now - self._latest > AWAY_SECONDS
        self._latest = now
        is_new = (beat.role, beat.name) not in self.heard
        self.heard[beat.role, beat.name] = (beat, now)
        if is_new:
            self.changed()

    def is_away(self) -> bool:
        """Tell whether nothing was heard for a while: others may not hear this one either."""
        return self.clock() - self._latest > AWAY_SECONDS

    def living(self, role: str) -> list[Beat]:
        """Give the heartbeats of those of a role that are there, in the order of their names."""
        horizon = self._latest - DEAD_SECONDS
        beats = [
            beat for (each, _), (beat, at) in self.heard.items() if each == role and at > horizon
        ]
        return sorted(beats, key=lambda beat: beat.name)

    def life_of(self, role: str, name: str) -> str:
        """Tell one life of somebody from the next."""
        beat, _ = self.heard.get((role, name), (None, 0.0))
        return "" if beat is None else beat.life

    def journal_of(self, role: str, name: str) -> str:
        """Tell one journal of an executor from another; empty if it is not known."""
        return self.life_of(role, name).rpartition(".")[0]

    def is_surely_dead(self, role: str, name: str, life: str) -> bool:
        """Tell whether a life of somebody has ended: they have another, or are silent for long."""
        known = self.life_of(role, name)
        return bool(known and known != life) or self.is_gone(role, name)

    def is_gone(self, role: str, name: str) -> bool:
        """Tell whether somebody was silent for so long that they must be dead."""
        return self.clock() - self._born > DEAD_SECONDS and not self.is_living(role, name)

    def is_living(self, role: str, name: str) -> bool:
        return any(beat.name == name for beat in self.living(role))
