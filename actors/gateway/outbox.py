"""What still has to be sent to clients, bounded: one that does not read is shed, and told so."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from time import monotonic

import anyio
import anyio.abc
import msgspec

from messages import wire
from messages.results import Code

CHUNK = 1 << 18
STALLED_SECONDS = 2.0
SOON_SECONDS = 0.005
MOST = 8
POOL_BYTES = 512 << 20
SHED = msgspec.json.encode(
    wire.Error(
        Code.SHED,
        "too much waited to be read here and was dropped; connect again, and ask by id",
        retry_after=wire.RETRY_SECONDS,
    )
)


@dataclass(slots=True)
class Pool:
    """What waits for all clients together: if it is too much, the one with the most is shed."""

    limit: int = POOL_BYTES
    waiting: int = 0
    members: set["Outbox"] = field(default_factory=set)
    _late: list["Outbox"] = field(default_factory=list)
    _some_late: anyio.Event = field(default_factory=anyio.Event)

    def relieve(self) -> None:
        """Shed clients, those with the most first, until what waits is within the limit."""
        while self.waiting > self.limit and self.members:
            max(self.members, key=lambda member: member.waiting).give_up()

    def put_off(self, outbox: "Outbox") -> None:
        """Note a client that has lines to be sent soon, and none that must be sent now."""
        if not self._late:
            self._some_late.set()
        self._late.append(outbox)

    async def keep_pace(self) -> None:
        """Have sent, a little later, what nothing urgent came to be sent with."""
        while True:
            await self._some_late.wait()
            await anyio.sleep(SOON_SECONDS)
            self._some_late = anyio.Event()
            late, self._late = self._late, []
            for outbox in late:
                outbox.wake()


@dataclass(slots=True, eq=False)
class Outbox:
    """Collects encoded messages; the client's own task sends them as lines, many at a time.

    ``following`` counts the commands and subscriptions that will still put something in it.
    """

    limit: int
    pool: Pool = field(default_factory=Pool)
    waiting: int = 0
    _lines: list[bytes] = field(default_factory=list)
    _progress: float = field(default_factory=monotonic)
    _bell: asyncio.Future[None] | None = None
    _awake: bool = False
    closed: bool = False
    following: int = 0
    leaving: bool = False
    overflowed: bool = False
    on_overflow: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self.pool.members.add(self)

    def put(self, lines: bytes, *, soon: bool = False) -> None:
        """Add lines, never waiting; too much even for a client that reads is the end of it.

        A write wakes the client and costs more than all of a command's lines do to be encoded.
        What only tells how far things are need not be sent at once, but ``soon``: it goes along
        with the next line for which somebody waits.
        """
        if self.closed:
            return
        waiting, held, pool = self.waiting, self._lines, self.pool
        if waiting > self.limit and waiting > MOST * self.limit:
            self.give_up()
            return
        if not self._awake:
            if not soon:
                self.wake()
            elif not held:
                pool.put_off(self)
        held.append(lines)
        size = len(lines)
        self.waiting = waiting + size
        pool.waiting += size
        if pool.waiting > pool.limit:
            pool.relieve()

    def wake(self) -> None:
        """Have all that waits sent now."""
        self._awake = True
        if self._bell is not None and not self._bell.done():
            self._bell.set_result(None)

    def give_up_if_stuck(self) -> None:
        """Give the client up if more than the limit waits and it has taken nothing for a while."""
        stalled = monotonic() - self._progress > STALLED_SECONDS
        if self.waiting > self.limit and stalled and not self.closed:
            self.give_up()

    def give_up(self) -> None:
        """Drop what the client did not read; all it still hears is that it was shed."""
        self.overflowed = True
        self.leave()
        self._lines = [SHED]
        self.close()
        self.on_overflow()

    async def send_all(self, stream: anyio.abc.ByteStream) -> None:
        """Send lines as they come until the outbox is closed and empty."""
        while self._lines or not self.closed:
            if not self._awake or not self._lines:
                # A bare future, rung once: an event costs five times as much.
                self._awake, self._bell = False, asyncio.get_running_loop().create_future()
                await self._bell
                continue
            lines = self._next_lines()
            data = memoryview(b"\n".join(lines) + b"\n")
            for start in range(0, len(data), CHUNK):
                await stream.send(bytes(data[start : start + CHUNK]))
                self._progress = monotonic()
            self._note_sent(len(data) - len(lines))

    def _next_lines(self) -> list[bytes]:
        """Take whole lines, about a chunk of them: what is not taken can still be dropped."""
        lines = self._lines
        if self.waiting <= CHUNK:
            self._lines, self._awake = [], False
            return lines
        sizes = accumulate(map(len, lines))
        count = next((at for at, size in enumerate(sizes, 1) if size >= CHUNK), len(lines))
        taken, self._lines = lines[:count], lines[count:]
        self._awake = bool(self._lines)
        return taken

    def _note_sent(self, size: int) -> None:
        """Note that so much waits no more; what was given up does not wait already."""
        if not self.overflowed:
            self.waiting -= size
            self.pool.waiting -= size

    def leave(self) -> None:
        """Take no part in the pool any more; what nobody will read is dropped."""
        self._lines = []
        self.pool.members.discard(self)
        self.pool.waiting -= self.waiting
        self.waiting = 0

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
        self.wake()
