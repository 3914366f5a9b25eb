"""The observer's end of the daemon's socket: one connection for each question."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import anyio
import anyio.abc
import msgspec
from anyio.streams.buffered import BufferedByteReceiveStream

from messages import wire
from messages.explaining import Explanation
from tools.client import new_id

LONGEST = 128 << 20  # bytes of one frame from the daemon
PATIENCE = 10.0
ANSWERED_SECONDS = 2.0  # to wait for a follow-up question
FOLLOWED = ("command.", "goals.", "plans.", "action.", "target.", "question.", "approval.")

R = TypeVar("R", bound=wire.WireReply)

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(wire.WireReply).decode


class Unreachable(Exception):
    """The daemon does not answer."""


class Declined(Exception):
    """The daemon says no, and why."""

    def __init__(self, error: wire.Error) -> None:
        super().__init__(error.message)
        self.code = error.code


@dataclass(frozen=True)
class Line:
    """One open connection."""

    stream: anyio.abc.SocketStream
    received: BufferedByteReceiveStream

    async def send(self, request: wire.WireRequest) -> None:
        await self.stream.send(_encode(request) + b"\n")

    async def ask(self, request: wire.WireRequest) -> wire.WireReply:
        """Give the reply to a request; raise ``Declined`` if it is an error."""
        await self.send(request)
        while getattr(reply := await self.read(), "id", None) != request.id:
            continue
        if isinstance(reply, wire.Error):
            raise Declined(reply)
        return reply

    async def read(self) -> wire.WireReply:
        reply: wire.WireReply = _decode(await self.received.receive_until(b"\n", LONGEST))
        return reply


@asynccontextmanager
async def open_line(path: Path) -> AsyncIterator[Line]:
    """Connect to the daemon; any broken connection is ``Unreachable``."""
    try:
        async with await anyio.connect_unix(path) as stream:
            yield Line(stream, BufferedByteReceiveStream(stream))
    except (
        OSError,
        anyio.EndOfStream,
        anyio.IncompleteRead,
        anyio.BrokenResourceError,
        anyio.ClosedResourceError,
        anyio.DelimiterNotFound,
        msgspec.DecodeError,
    ) as problem:
        raise Unreachable(f"no daemon answers at {path}") from problem


@dataclass(frozen=True)
class DaemonLink:
    """Asks the daemon; every question has a deadline."""

    path: Path

    async def ask(self, request: wire.WireRequest, kind: type[R]) -> R:
        """Give the answer to a request; raise ``Declined`` if it is an error."""
        with deadline():
            async with open_line(self.path) as line:
                reply = await line.ask(request)
        if not isinstance(reply, kind):
            raise Unreachable(f"the daemon answers by {type(reply).__name__}")
        return reply

    async def state(self, command: str | None = None) -> wire.State:
        """Ask how a command stands, or the daemon."""
        return await self.ask(wire.Status(new_id(), command), wire.State)

    async def explanation(self, command: str) -> Explanation:
        """Ask why a command did what it did."""
        return (await self.ask(wire.Explain(new_id(), command), wire.Explained)).explanation

    async def history(self, asked: wire.History) -> wire.Histories:
        """Ask which commands there were."""
        return await self.ask(asked, wire.Histories)

    async def schedule(self) -> Sequence[wire.Scheduled]:
        """Ask what is due."""
        return (await self.ask(wire.Schedules(new_id()), wire.ScheduleList)).entries

    async def recipes(self) -> Sequence[wire.TaughtRecipe]:
        """Ask which recipes were taught."""
        return (await self.ask(wire.Recipes(new_id()), wire.RecipeList)).recipes

    async def answer(self, request: wire.Answer) -> str:
        """Answer a question; return the follow-up question if the words fit nothing or too much."""
        with deadline():
            async with open_line(self.path) as line:
                await line.ask(request)
                with anyio.move_on_after(ANSWERED_SECONDS):
                    following = await line.read()
                    if isinstance(following, wire.Question):
                        return following.message
        return ""

    @asynccontextmanager
    async def trace(self) -> AsyncIterator[AsyncIterator[wire.Subscribed | wire.TraceRecord]]:
        """Subscribe to the trace, from the oldest record that is kept."""
        async with open_line(self.path) as line:
            await line.send(wire.Subscribe(new_id(), FOLLOWED, since=0))
            yield self._records(line)

    @staticmethod
    async def _records(line: Line) -> AsyncIterator[wire.Subscribed | wire.TraceRecord]:
        while True:
            reply = await line.read()
            if isinstance(reply, wire.Subscribed | wire.TraceRecord):
                yield reply


@contextmanager
def deadline() -> Iterator[None]:
    """Give up on a daemon that does not answer in time."""
    try:
        with anyio.fail_after(PATIENCE):
            yield
    except TimeoutError:
        raise Unreachable("the daemon does not answer in time") from None
