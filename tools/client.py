"""The wire, from a client's side: plain blocking lines, for the command line and for scripts."""

import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from messages import wire

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(wire.WireReply).decode


class NoDaemon(Exception):
    """Nobody answers at the socket."""


def new_id() -> str:
    """Make an id for a command or a request."""
    return os.urandom(8).hex()


@dataclass
class Client:
    """A connection to the daemon."""

    path: Path
    _socket: socket.socket = field(init=False)
    _lines: Iterator[bytes] = field(init=False)

    def __enter__(self) -> Self:
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.connect(str(self.path))
        except OSError as error:
            self._socket.close()
            hint = "start one with `behest serve` (or `make run`)"
            raise NoDaemon(f"no daemon at {self.path} ({error.strerror}); {hint}") from None
        self._lines = iter(self._socket.makefile("rb"))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.close()

    def send(self, request: wire.WireRequest) -> None:
        """Send one request."""
        try:
            self._socket.sendall(_encode(request) + b"\n")
        except OSError:
            raise NoDaemon("the daemon hung up") from None

    def replies(self) -> Iterator[tuple[wire.WireReply, bytes]]:
        """Give every reply with the line it came in, until the daemon hangs up."""
        try:
            for line in self._lines:
                yield _decode(line), line.rstrip(b"\n")
        except OSError:
            raise NoDaemon("the daemon hung up") from None
        raise NoDaemon("the daemon hung up")

    def ask(self, request: wire.WireRequest) -> wire.WireReply:
        """Send a request and give the first reply."""
        self.send(request)
        return next(self.replies())[0]
