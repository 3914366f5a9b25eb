"""The door for clients that come over TCP: its address, its token, and TLS at both of its sides."""

import os
import secrets
import socket
import ssl
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import anyio
import anyio.abc
from anyio.streams.tls import TLSStream

from tools.client import NoDaemon
from tools.settings import BadSettings, DoorSettings, Secret, expand, key_in
from tools.sockets import Occupied

SHORTEST_TOKEN = 16
DIAL_SECONDS = 10.0
LARGEST_PORT = 65_535


@dataclass(frozen=True, slots=True)
class HostPort:
    """A host and a port; at the daemon's side, port 0 means any that is free."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def address_of(text: str) -> HostPort:
    """Read ``HOST:PORT``; an IPv6 address stands in brackets."""
    host, _, port = text.rpartition(":")
    bare = host.removeprefix("[").removesuffix("]")
    plain = ":" not in host or host == f"[{bare}]"
    if not (bare and plain and port.isascii() and port.isdigit() and int(port) <= LARGEST_PORT):
        raise BadSettings(f"{text!r}: write it as HOST:PORT, such as 127.0.0.1:7000 or [::1]:7000")
    return HostPort(bare, int(port))


def is_loopback(address: HostPort) -> bool:
    """Tell whether an address stays on this machine, whatever name it has."""
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise BadSettings(f"{address}: {error.strerror}") from None
    return all(ip_address(str(at[4][0]).partition("%")[0]).is_loopback for at in found)


# The daemon's side


def door_at(named: str, door: DoorSettings) -> HostPort:
    """Find where to listen; where others can reach it, only with TLS or on express wish."""
    address = address_of(named)
    if door.tls_cert is None and not door.plain and not is_loopback(address):
        raise BadSettings(
            f"{address} can be reached from other machines, which would see the token and every "
            "command: set tls_cert and tls_key under [door], listen on 127.0.0.1 (and use a "
            "tunnel), or set plain = true there if the network is your own"
        )
    return address


def token_path(given: str | None, door: DoorSettings, state: Path) -> Path:
    """Find the file of the token: as given, as set, or in the state folder."""
    named = given or door.token_file
    return expand(named) if named else state / "token"


def daemon_token(path: Path) -> Secret:
    """Read the token; the first time, make one that nobody else may read."""
    if not path.exists():
        make_token(path)
    return token_in(path)


def make_token(path: Path) -> None:
    """Put a new token in its place whole; one that is there already stays."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".token-")  # its mode is 0600
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(32) + "\n")
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        os.unlink(name)


def token_in(path: Path) -> Secret:
    """Read a token that nobody else may read, and nobody can guess."""
    token = key_in(path)
    if len(token.reveal()) < SHORTEST_TOKEN:
        raise BadSettings(f"{path}: this token is too short; delete it, and `serve` makes another")
    return token


def server_tls(door: DoorSettings) -> ssl.SSLContext | None:
    """Load the daemon's certificate; None if there is none."""
    if door.tls_cert is None:
        return None
    certificate = expand(door.tls_cert)
    key = None if door.tls_key is None else expand(door.tls_key)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key, password=lambda: "")  # nobody is asked for one
    except (OSError, ValueError) as error:
        named = certificate if key is None else f"{certificate} with {key}"
        raise BadSettings(f"{named}: {getattr(error, 'strerror', None) or error}") from None
    return context


async def listen_tcp(address: HostPort) -> list[anyio.abc.SocketListener]:
    """Listen at an address: a name may stand for several."""
    try:
        several = await anyio.create_tcp_listener(local_host=address.host, local_port=address.port)
    except OSError as error:
        raise Occupied(f"cannot listen on {address}: {error.strerror or error}") from None
    return [one for one in several.listeners if isinstance(one, anyio.abc.SocketListener)]


def place_of(listener: anyio.abc.SocketListener) -> str:
    """Say where a listener listens."""
    at = listener.extra(anyio.abc.SocketAttribute.local_address)  # noqa: S610 - not Django's
    return str(HostPort(str(at[0]), int(at[1])))


def host_of(stream: anyio.abc.SocketStream) -> str:
    """Say from where somebody came, as far as that is still known."""
    try:
        return str(stream.extra(anyio.abc.SocketAttribute.remote_address)[0])  # noqa: S610
    except (OSError, anyio.TypedAttributeLookupError):
        return "unknown"


@dataclass(frozen=True, slots=True)
class Preparing:
    """Makes a new connection ready: one that silently died is noticed, and TLS is agreed on."""

    context: ssl.SSLContext | None

    async def __call__(self, stream: anyio.abc.SocketStream) -> anyio.abc.ByteStream:
        raw = stream.extra(anyio.abc.SocketAttribute.raw_socket)  # noqa: S610
        with suppress(OSError):
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if self.context is None:
            return stream
        try:
            wrapped = await TLSStream.wrap(
                stream, server_side=True, ssl_context=self.context, standard_compatible=False
            )
        except ssl.SSLError as error:
            raise anyio.BrokenResourceError from error
        return Private(stream, wrapped)


@dataclass(slots=True)
class Private(anyio.abc.ByteStream):
    """A TLS stream that breaks as others do, and says its end by the end of the connection."""

    stream: anyio.abc.SocketStream
    wrapped: TLSStream

    async def receive(self, max_bytes: int = 1 << 16) -> bytes:
        try:
            return await self.wrapped.receive(max_bytes)
        except ssl.SSLError as error:
            raise anyio.BrokenResourceError from error

    async def send(self, item: bytes) -> None:
        try:
            await self.wrapped.send(item)
        except ssl.SSLError as error:
            raise anyio.BrokenResourceError from error

    async def send_eof(self) -> None:
        await self.stream.send_eof()

    async def aclose(self) -> None:
        await self.wrapped.aclose()


# The client's side


@dataclass(frozen=True, slots=True)
class Remote:
    """A daemon behind a door, and what opens it; with a CA it is spoken to by TLS."""

    address: HostPort
    token: Secret
    ca: Path | None

    def __str__(self) -> str:
        return str(self.address)

    def dial(self) -> socket.socket:
        """Connect, and make sure of who is there."""
        try:
            plain = socket.create_connection((self.address.host, self.address.port), DIAL_SECONDS)
            plain.settimeout(None)
            return plain if self.ca is None else self.secured(plain, self.ca)
        except OSError as error:
            reason = getattr(error, "verify_message", None) or error.strerror or error
            what = "its certificate is not trusted" if is_untrusted(error) else "no daemon"
            raise NoDaemon(f"{what} at {self.address} ({reason})") from None

    def secured(self, plain: socket.socket, ca: Path) -> socket.socket:
        """Agree on TLS with the host that is meant, and no other."""
        try:
            context = ssl.create_default_context(cafile=ca)
            return context.wrap_socket(plain, server_hostname=self.address.host)
        except BaseException:
            plain.close()
            raise


def is_untrusted(error: OSError) -> bool:
    return isinstance(error, ssl.SSLCertVerificationError)


def remote(
    named: str,
    token_file: str | None,
    ca: str | None,
    door: DoorSettings,
    state: Path,
) -> Remote:
    """Find a daemon behind a door; the token never leaves this machine unencrypted by accident."""
    address = address_of(named)
    if ca is None and not door.plain and not is_loopback(address):
        raise BadSettings(
            f"{address} is another machine, and the token would be sent there unencrypted: give "
            "--tls-ca FILE, or set plain = true under [door] if the network is your own"
        )
    path = token_path(token_file, door, state)
    if not path.exists():
        raise BadSettings(f"{path}: there is no token; copy the daemon's, or name --token-file")
    trusted = None if ca is None else expand(ca)
    if trusted is not None and not trusted.is_file():
        raise BadSettings(f"--tls-ca {trusted}: there is no such file")
    return Remote(address, token_in(path), trusted)
