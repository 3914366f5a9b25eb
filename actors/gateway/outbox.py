"""What still has to be sent to one client, bounded: a client that does not read is shed."""

from collections.abc import Callable
from dataclasses import dataclass, field

import anyio
import anyio.abc


@dataclass(slots=True, eq=False)
class Outbox:
    """Collects encoded messages; the client's own task sends them as lines, many at a time.

    ``following`` counts the commands and subscriptions that will still put something in it.
    """

    limit: int
    _lines: list[bytes] = field(default_factory=list)
    _size: int = 0
    _wake: anyio.Event = field(default_factory=anyio.Event)
    closed: bool = False
    following: int = 0
    leaving: bool = False
    overflowed: bool = False
    on_overflow: Callable[[], None] = lambda: None

    def put(self, line: bytes) -> None:
        """Add a line, never waiting. Past the limit the client is given up."""
        if self.closed:
            return
        if self._size > self.limit:
            self.give_up()
            return
        self._size += len(line)
        if not self._lines:
            self._wake.set()
        self._lines.append(line)

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
            lines, size = self._lines, self._size
            self._lines = []
            await stream.send(b"\n".join(lines) + b"\n")
            self._size -= size

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
