"""The entrance of a door with a lock: before a token was shown there, nothing is served.

The first line decides. It is short, it comes soon, and it is an ``auth``; a web page, whose first
line is of HTTP, does not even get an answer.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import cast

import anyio
import anyio.abc
import msgspec

from actors.gateway.lock import Lock, unauthorised
from messages import wire

ENTRY_SECONDS = 5.0
FIRST_LINE = 2 * wire.MAX_TOKEN
STRANGERS = 256

HTTP = re.compile(
    rb"[\w!#$%&'*+.^`|~-]+ +(/|\*|https?:|\S+ +HTTP/)|(host|origin)\s*:", re.IGNORECASE
)
FIRST = f"the first frame must be an `auth` with the token, within {ENTRY_SECONDS:g} s"

_decode = msgspec.json.Decoder(wire.Auth).decode


@dataclass(frozen=True, slots=True)
class Guest:
    """One who may come in: the request that is to be answered, and what was sent behind it."""

    host: str
    stream: anyio.abc.ByteStream
    request: str
    rest: bytes


@dataclass(frozen=True, slots=True)
class TurnedDown:
    """One who may not; without an error there is nothing to say."""

    host: str
    reason: str
    stream: anyio.abc.ByteStream
    error: wire.Error | None = None


@dataclass(slots=True)
class Entrance:
    """Where strangers wait until they have shown the token; only so many at a time."""

    lock: Lock
    prepared: Callable[[anyio.abc.SocketStream], Awaitable[anyio.abc.ByteStream]]
    host_of: Callable[[anyio.abc.SocketStream], str]
    room: anyio.Semaphore = field(default_factory=lambda: anyio.Semaphore(STRANGERS))

    async def met(self, stream: anyio.abc.SocketStream) -> Guest | TurnedDown:
        """Find out whether somebody may come in."""
        host, speaking = self.host_of(stream), cast("anyio.abc.ByteStream", stream)
        line = rest = b""
        with anyio.move_on_after(ENTRY_SECONDS) as patience:
            try:
                speaking = await self.prepared(stream)
                line, rest = await first_line(speaking)
            except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
                return TurnedDown(host, "it said nothing that can be understood", stream)
        if patience.cancelled_caught:
            return TurnedDown(host, "it said nothing in time", speaking, unauthorised(FIRST))
        if HTTP.match(line):
            return TurnedDown(host, "it speaks HTTP", speaking)
        auth = read_auth(line)
        if auth is None:
            return TurnedDown(host, "it showed no token", speaking, unauthorised(FIRST))
        error = await self.lock.refused(host, auth)
        if error is not None:
            return TurnedDown(host, "it showed a wrong token", speaking, error)
        return Guest(host, speaking, auth.id, rest)


async def first_line(stream: anyio.abc.ByteStream) -> tuple[bytes, bytes]:
    """Read the first line that is not blank, or as much as shows that it is none of ours."""
    held = b""
    while True:
        held = (held + await stream.receive(FIRST_LINE)).lstrip()
        line, ended, rest = held.partition(b"\n")
        if ended or len(line) > FIRST_LINE or HTTP.match(line):
            return line, rest


def read_auth(line: bytes) -> wire.Auth | None:
    """Read a token; nothing is said about what is wrong with a line that has none."""
    try:
        return _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
