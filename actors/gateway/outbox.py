"""What still has to be sent to one client, bounded: a client that does not read is shed."""

from collections.abc import Callable
from dataclasses import dataclass, field

import anyio
import anyio.abc


@dataclass(slots=True)
class Outbox:
    """Collects encoded lines; the client's own task sends them, many at a time."""

    limit: int
    _lines: list[bytes] = field(default_factory=list)
    _size: int = 0
    _wake: anyio.Event = field(default_factory=anyio.Event)
    closed: bool = False
    overflowed: bool = False
    on_overflow: Callable[[], None] = lambda: None

    def put(self, line: bytes) -> None:
        """Add a line, never waiting. Past the limit the client is given up."""
        if self.closed:
            return
        self._size += len(line)
        if self._size > self.limit:
            self.closed = self.overflowed = True
            self._lines.clear()
            self.on_overflow()
            return
        self._lines.append(line)
        if len(self._lines) == 1:
            self._wake.set()

    async def send_all(self, stream: anyio.abc.ByteStream) -> None:
        """Send lines as they come until the outbox is closed and empty."""
        while True:
            if not self._lines:
                if self.closed:
                    return
                await self._wake.wait()
                self._wake = anyio.Event()
                continue
            batch = b"".join(self._lines)
            self._lines.clear()
            await stream.send(batch)
            self._size -= len(batch)

    def close(self) -> None:
        """Take no more lines; what is there is still sent."""
        self.closed = True
        self._wake.set()
