"""What still has to be sent to one client, bounded: a client that does not read is shed."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

import anyio
import anyio.abc

CHUNK = 1 << 18
STALLED_SECONDS = 2.0
MOST = 8


@dataclass(slots=True, eq=False)
class Outbox:
    """Collects encoded messages; the client's own task sends them as lines, many at a time.

    ``following`` counts the commands and subscriptions that will still put something in it.
    """

    limit: int
    _lines: list[bytes] = field(default_factory=list)
    _waiting: int = 0
    _progress: float = field(default_factory=monotonic)
    _wake: anyio.Event = field(default_factory=anyio.Event)
    closed: bool = False
    following: int = 0
    leaving: bool = False
    overflowed: bool = False
    on_overflow: Callable[[], None] = lambda: None

    def put(self, line: bytes) -> None:
        """Add a line, never waiting; too much even for a client that reads is the end of it."""
        if self.closed:
            return
        waiting, lines = self._waiting, self._lines
        if waiting > self.limit and waiting > MOST * self.limit:
            self.give_up()
            return
        if not lines:
            self._wake.set()
        lines.append(line)
        self._waiting = waiting + len(line)

    def give_up_if_stuck(self) -> None:
        """Give the client up if more than the limit waits and it has taken nothing for a while."""
        stalled = monotonic() - self._progress > STALLED_SECONDS
        if self._waiting > self.limit and stalled and not self.closed:
            self.give_up()

    def give_up(self) -> None:
        """Drop what the client did not read, and the client with it."""
        self.closed = self.overflowed = True
        self._lines.clear()
        self.on_overflow()

    async def send_all(self, stream: anyio.abc.ByteStream) -> None:
        """Send lines as they come until the outbox is closed and empty."""
        while True:
            if not self._lines:
                if self.closed:
                    return
                await self._wake.wait()
                self._wake = anyio.Event()
                continue
            data = memoryview(b"\n".join(self._lines) + b"\n")
            self._lines, self._waiting = [], 0
            for start in range(0, len(data), CHUNK):
                await stream.send(bytes(data[start : start + CHUNK]))
                self._progress = monotonic()

    def close_when_idle(self) -> None:
        """The client says no more: close as soon as nothing more is to come for it."""
        self.leaving = True
        if not self.following:
            self.close()

    def followed(self) -> None:
        """Note that one of those followed has come to its end."""
        self.following -= 1
        if self.leaving and not self.following:
            self.close()

    def close(self) -> None:
        """Take no more lines; what is there is still sent."""
        self.closed = True
        self._wake.set()
