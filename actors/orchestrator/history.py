"""The commands that ended, as far back as there is room to remember them."""

from collections import OrderedDict
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic

from actors.orchestrator.output_limit import weight_of
from messages import wire


@dataclass(slots=True)
class History:
    """The latest commands that ended. It outlives a crash of the Orchestrator.

    ``lives`` counts the Orchestrators that there have been since the daemon started.
    """

    remembered: int = 1_000
    lives: int = 0
    weight: int = 64 << 20
    count: int = 0
    born: float = field(default_factory=monotonic)
    _ended: OrderedDict[str, tuple[wire.Finished, int]] = field(default_factory=OrderedDict)

    def file(self, finished: wire.Finished) -> None:
        """Remember how a command ended; forget the oldest, by number and by weight."""
        self.count += 1
        weight = sum([weight_of(result.output) for result in finished.results])
        self.weight -= weight
        self._ended[finished.command] = (finished, weight)
        while len(self._ended) > self.remembered or (self.weight < 0 and len(self._ended) > 1):
            _, (_, forgotten) = self._ended.popitem(last=False)
            self.weight += forgotten

    def latest(self, most: int) -> tuple[str, ...]:
        """Name the commands that ended last, the newest first."""
        return tuple(islice(reversed(self._ended), most))

    def find(self, command: str) -> wire.Finished | None:
        """Say how a command ended, if it did and that is not too long ago."""
        ended = self._ended.get(command)
        return None if ended is None else ended[0]
