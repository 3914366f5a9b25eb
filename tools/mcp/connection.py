"""One connection to the daemon, shared by all calls: to the daemon this server is one client.

It routes replies to the calls that wait for them and decides nothing. It connects with the first
request, and anew with the next one after the daemon has hung up.
"""

from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Protocol

import anyio
import anyio.abc
import msgspec

from messages import wire
from tools.client import NoDaemon

CONNECT_SECONDS = 10.0
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(wire.WireReply).decode


class TooLarge(Exception):
    """A request that the daemon would not read."""


class Listener(Protocol):
    """A call that waits for replies. It hears those to its request, and of its command."""

    def take(self, reply: wire.WireReply) -> None: ...

    def lose(self, reason: str) -> None:
        """Hear that nothing more will come, and why."""


class Daemon:
    """The way to the daemon at a socket."""

    def __init__(self, path: Path, tasks: anyio.abc.TaskGroup) -> None:
        self.path = path
        self._tasks = tasks
        self._stream: anyio.abc.ByteStream | None = None
        self._sending = anyio.Lock()
        self._listeners: dict[str, list[Listener]] = defaultdict(list)

    @asynccontextmanager
    async def call(self, request: wire.WireRequest, listener: Listener) -> AsyncIterator[None]:
        """Send a request, and let a listener hear what comes of it until the block is left."""
        self.listen(request.id, listener)
        try:
            await self.send(request)
            yield
        finally:
            self.forget(listener)

    def listen(self, key: str, listener: Listener) -> None:
        """Let a listener hear replies to a request, or the events of a command."""
        if listener not in self._listeners[key]:
            self._listeners[key].append(listener)

    def forget(self, listener: Listener) -> None:
        """Take a listener away from all that it listens to."""
        for key, listeners in list(self._listeners.items()):
            if listener in listeners:
                listeners.remove(listener)
            if not listeners:
                del self._listeners[key]

    async def send(self, request: wire.WireRequest) -> None:
        """Send one request; ``NoDaemon`` if nobody is there."""
        frame = _encode(request) + b"\n"
        if len(frame) > wire.MAX_FRAME:
            raise TooLarge(f"this comes to {len(frame)} bytes; {wire.MAX_FRAME} is the most")
        async with self._sending:
            stream = self._stream or await self._connect()
            try:
                await stream.send(frame)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                raise NoDaemon("the daemon hung up; try again") from None

    async def _connect(self) -> anyio.abc.ByteStream:
        try:
            with anyio.fail_after(CONNECT_SECONDS):
                stream = await anyio.connect_unix(self.path)
        except OSError as error:
            hint = "start one with `behest serve`, then try again"
            why = error.strerror or "it does not answer"
            raise NoDaemon(f"no daemon at {self.path} ({why}); {hint}") from None
        self._stream = stream
        self._tasks.start_soon(self._read, stream)
        return stream

    async def _read(self, stream: anyio.abc.ByteStream) -> None:
        """Route every reply until the daemon hangs up."""
        reason = "the daemon hung up"
        try:
            async for line in lines(stream):
                self._route(_decode(line))
        except msgspec.DecodeError:
            reason = "the daemon says what this server does not know: they differ in version"
        finally:
            self._stream = None
            with anyio.CancelScope(shield=True), suppress(OSError):
                await stream.aclose()
        waiting = {id(each): each for some in self._listeners.values() for each in some}
        for listener in waiting.values():
            listener.lose(reason)

    def _route(self, reply: wire.WireReply) -> None:
        request, command = getattr(reply, "id", None), getattr(reply, "command", None)
        asked = tuple(self._listeners.get(request or "", ()))
        if isinstance(reply, wire.State) and command is not None:
            for listener in asked:  # what it asked about is what it hears of from now on
                self.listen(command, listener)
        key = request if request is not None else command
        for listener in tuple(self._listeners.get(key or "", ())):
            listener.take(reply)


async def lines(stream: anyio.abc.ByteStream) -> AsyncIterator[bytes]:
    """Give the lines of a stream, whole, until it ends or breaks."""
    rest = bytearray()
    with suppress(anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
        while True:
            chunk = await stream.receive()
            first, *others = chunk.split(b"\n")
            rest += first
            for other in others:
                yield bytes(rest)
                rest = bytearray(other)
