"""One connection to the daemon, shared by all calls: to the daemon this server is one client.

It routes replies to the calls that wait for them and decides nothing. It connects with the first
request, and anew with the next one after the daemon has hung up. A frame goes out whole or not at
all, also if the call that sends it is given up: half a frame would spoil those of all other calls.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Protocol

import anyio
import anyio.abc
import msgspec

from messages import wire
from tools.client import NoDaemon

CONNECT_SECONDS = 10.0
SEND_SECONDS = 10.0
HUNG_UP = "the daemon hung up"
TAKES_NOTHING = "the daemon takes nothing in; it was disconnected"
OTHER_VERSION = "the daemon says what this server does not know: they differ in version"
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(wire.WireReply).decode


class TooLarge(Exception):
    """A request that the daemon would not read."""


class Listener(Protocol):
    """A call that waits for replies. It hears those to its request, and of its command."""

    def record_reply(self, reply: wire.WireReply) -> None: ...

    def record_loss(self, reason: str) -> None:
        """Hear that nothing more will come, and why."""


class DaemonConnector:
    """Connects to the daemon at a socket, and anew once it has hung up."""

    def __init__(
        self, path: Path, tasks: anyio.abc.TaskGroup, send_seconds: float = SEND_SECONDS
    ) -> None:
        self.path = path
        self.send_seconds = send_seconds
        self._tasks = tasks
        self._connecting = anyio.Lock()
        self._connection: Connection | None = None

    @asynccontextmanager
    async def call(
        self, request: wire.WireRequest, listener: Listener
    ) -> AsyncIterator["Connection"]:
        """Send a request, and let a listener hear what comes of it until the block is left.

        ``NoDaemon`` if nobody is there. The block is given the connection, for more requests.
        """
        frame = encode_frame(request)
        connection = await self._connect()
        with connection.listening(request.id, listener):
            await connection.send_frame(frame)
            yield connection

    async def _connect(self) -> "Connection":
        """Give the connection; make a new one if there is none, or if it has ended."""
        async with self._connecting:
            if self._connection is None or not self._connection.is_open:
                self._connection = Connection(await self._dial(), self.send_seconds)
                self._tasks.start_soon(self._connection.run)
            return self._connection

    async def _dial(self) -> anyio.abc.ByteStream:
        try:
            with anyio.fail_after(CONNECT_SECONDS):
                return await anyio.connect_unix(self.path)
        except OSError as error:
            hint = "start one with `behest serve`, then try again"
            why = error.strerror or str(error) or "it does not answer"
            raise NoDaemon(f"no daemon at {self.path} ({why}); {hint}") from None


class Connection:
    """One stream to the daemon, and the calls that listen to it. When it ends, they are told."""

    def __init__(self, stream: anyio.abc.ByteStream, send_seconds: float) -> None:
        self.is_open = True
        self.reason = HUNG_UP
        self.send_seconds = send_seconds
        self._stream = stream
        self._outbox, self._frames = anyio.create_memory_object_stream[bytes]()
        self._listeners: dict[str, list[Listener]] = defaultdict(list)

    async def run(self) -> None:
        """Send what is to be sent and route what comes, until the daemon hangs up."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._write, tasks.cancel_scope)
                await self._read()
                tasks.cancel_scope.cancel()
        finally:
            self._end()
            with anyio.CancelScope(shield=True), suppress(OSError):
                await self._stream.aclose()

    def _end(self) -> None:
        """Tell all that wait that nothing more will come."""
        self.is_open = False
        self._outbox.close()
        self._frames.close()
        waiting = {id(each): each for some in self._listeners.values() for each in some}
        for listener in waiting.values():
            listener.record_loss(self.reason)

    # Sending

    async def send(self, request: wire.WireRequest) -> None:
        """Send one request; ``NoDaemon`` if the connection has ended."""
        await self.send_frame(encode_frame(request))

    async def send_frame(self, frame: bytes) -> None:
        """Hand a frame to the writer, which sends it to its end whatever becomes of the call."""
        try:
            await self._outbox.send(frame)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise NoDaemon(f"{self.reason}; try again") from None

    async def _write(self, reading: anyio.CancelScope) -> None:
        """Send frame after frame; where one cannot be sent in time, end the connection."""
        try:
            async with self._frames:
                async for frame in self._frames:
                    with anyio.fail_after(self.send_seconds):
                        await self._stream.send(frame)
        except TimeoutError:
            self.reason = TAKES_NOTHING
            reading.cancel()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return  # what the daemon still said is read to its end

    # Listening

    @contextmanager
    def listening(self, key: str, listener: Listener) -> Iterator[None]:
        """Let a listener hear replies to a request, and all that they lead to."""
        self._listen(key, listener)
        try:
            yield
        finally:
            self._forget(listener)

    def _listen(self, key: str, listener: Listener) -> None:
        """Let a listener hear replies to a request, or the events of a command."""
        if listener not in self._listeners[key]:
            self._listeners[key].append(listener)

    def _forget(self, listener: Listener) -> None:
        """Take a listener away from all that it listens to."""
        for key, listeners in list(self._listeners.items()):
            if listener in listeners:
                listeners.remove(listener)
            if not listeners:
                del self._listeners[key]

    async def _read(self) -> None:
        """Route every reply until the daemon hangs up."""
        try:
            async for line in read_lines(self._stream):
                self._route(_decode(line))
        except msgspec.DecodeError:
            self.reason = OTHER_VERSION

    def _route(self, reply: wire.WireReply) -> None:
        request, command = getattr(reply, "id", None), getattr(reply, "command", None)
        self.reason = hang_up_reason(reply)
        asked = tuple(self._listeners.get(request or "", ()))
        if isinstance(reply, wire.State) and command is not None:
            for listener in asked:  # what it asked about is what it hears of from now on
                self._listen(command, listener)
        key = request if request is not None else command
        for listener in tuple(self._listeners.get(key or "", ())):
            listener.record_reply(reply)


def encode_frame(request: wire.WireRequest) -> bytes:
    """Give a request as it is sent; ``TooLarge`` if the daemon would not read it."""
    frame = _encode(request) + b"\n"
    if len(frame) > wire.MAX_FRAME:
        raise TooLarge(f"this comes to {len(frame)} bytes; {wire.MAX_FRAME} is the most")
    return frame


def hang_up_reason(reply: wire.WireReply) -> str:
    """Say why the daemon hung up, if this is the last that it said.

    >>> hang_up_reason(wire.busy(None, "1000 clients are connected"))
    'the daemon hung up: BUSY: 1000 clients are connected'
    """
    if isinstance(reply, wire.Error) and reply.id is None:
        return f"{HUNG_UP}: {reply.code}: {reply.message}"
    return HUNG_UP


async def read_lines(stream: anyio.abc.ByteStream) -> AsyncIterator[bytes]:
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
