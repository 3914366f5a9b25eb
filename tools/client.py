"""The wire, from a client's side: plain blocking lines, for the command line and for scripts."""

import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import msgspec

from messages import wire
from tools.settings import Secret

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(wire.WireReply).decode


HINT = (
    "start one with `behest serve` (or `make run`); if it was started with --state or --socket, "
    "say where it listens: --socket PATH or BEHEST_SOCKET=PATH"
)


class NoDaemon(Exception):
    """Nobody answers at the socket."""


def new_id() -> str:
    """Make an id for a command or a request."""
    return os.urandom(8).hex()


class Remote(Protocol):
    """A daemon that is not reached by a Unix socket, but with a token."""

    @property
    def token(self) -> Secret: ...

    def dial(self) -> socket.socket: ...


@dataclass
class Client:
    """A connection to the daemon."""

    path: Path | Remote
    _socket: socket.socket = field(init=False)
    _lines: Iterator[bytes] = field(init=False)

    def __enter__(self) -> Self:
        if not isinstance(self.path, Path):
            self._socket = self.path.dial()
            self._lines = iter(self._socket.makefile("rb"))
            self._authorise(self.path)
            return self
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.connect(str(self.path))
        except OSError as error:
            self._socket.close()
            raise NoDaemon(f"no daemon at {self.path} ({error.strerror}); {HINT}") from None
        self._lines = iter(self._socket.makefile("rb"))
        return self

    def _authorise(self, remote: Remote) -> None:
        """Show the token; whoever does not take it is no daemon for us."""
        try:
            reply = self.ask(wire.Auth(new_id(), remote.token.reveal()))
        except NoDaemon:
            self._socket.close()
            raise NoDaemon(f"{remote} hung up; if it speaks TLS, give --tls-ca FILE") from None
        if not isinstance(reply, wire.Authorised):
            self._socket.close()
            said = reply.message if isinstance(reply, wire.Error) else "it does not want the token"
            raise NoDaemon(f"{remote} does not let us in: {said}")

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

    def trace(self, *events: str) -> Iterator[bytes]:
        """Give the records of the trace that the daemon still has, of events that begin so."""
        until = new_id()
        self.send(wire.Subscribe(new_id(), events, since=0))
        self.send(wire.Status(until))  # is answered behind all that is kept
        for reply, _ in self.replies():
            if isinstance(reply, wire.TraceRecord):
                yield bytes(reply.record)
            elif getattr(reply, "id", None) == until:
                return
