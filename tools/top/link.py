"""One connection to the daemon's socket: requests out, and to each of them its answer."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import msgspec

from messages import wire

PATIENCE = 10.0
LONGEST_FRAME = 1 << 28  # the outputs of a command alone may have 64 MiB

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(wire.WireReply).decode


class HungUp(ConnectionError):
    """The daemon ended the connection."""


@dataclass
class Link:
    """A connection; what comes without being asked for goes to ``hear``."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    hear: Callable[[wire.WireReply], object]
    _asked: dict[str, asyncio.Future[wire.WireReply]] = field(default_factory=dict)

    async def listen(self) -> NoReturn:
        """Hand on what comes, until the daemon hangs up."""
        while line := await self._read():
            try:
                reply = _decode(line)
            except msgspec.DecodeError:
                continue  # a newer daemon says more than we know
            waiter = self._asked.pop(getattr(reply, "id", None) or "", None)
            if waiter is None:
                self.hear(reply)
            elif not waiter.done():
                waiter.set_result(reply)
        raise HungUp("the daemon hung up")

    async def _read(self) -> bytes:
        try:
            return await self.reader.readline()
        except ValueError:  # a frame beyond all limits
            raise HungUp("the daemon said too much at once") from None

    async def ask(self, request: wire.WireRequest) -> wire.WireReply:
        """Send a request and give its answer; ``OSError`` if there is none."""
        waiter: asyncio.Future[wire.WireReply] = asyncio.get_running_loop().create_future()
        self._asked[request.id] = waiter
        try:
            async with asyncio.timeout(PATIENCE):
                self.writer.write(_encode(request) + b"\n")
                await self.writer.drain()
                return await waiter
        finally:
            self._asked.pop(request.id, None)

    def close(self) -> None:
        """Hang up; whoever still waits for an answer hears so."""
        self.writer.transport.abort()
        for waiter in self._asked.values():
            if not waiter.done():
                waiter.set_exception(HungUp("the daemon hung up"))


@asynccontextmanager
async def linked(path: Path, hear: Callable[[wire.WireReply], object]) -> AsyncIterator[Link]:
    """Connect to the daemon for the length of a ``with`` block."""
    reader, writer = await asyncio.open_unix_connection(path, limit=LONGEST_FRAME)
    link = Link(reader, writer, hear)
    try:
        yield link
    finally:
        link.close()
