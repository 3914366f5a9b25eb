"""The gate that every request of the browser passes, where policy says which hosts it may reach.

A proxy on loopback: redirects, frames, scripts and sockets come by here as well as addresses that
were typed. It sees the host that is really connected to, and the address that this has, and
answers 403 for one that is not allowed.
"""

import asyncio
import socket
from asyncio import StreamReader, StreamWriter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tools.browser.hosts import HostPolicy

LONGEST_HEAD = 65_536
CHUNK = 65_536
CONNECT_SECONDS = 15.0
DENIED = "x-behest-denied"
HTTP, HTTPS = 80, 443
WORDS_OF_REQUEST = 3


@dataclass(eq=False)
class HostProxy:
    """A proxy that lets through what the policy allows."""

    policy: HostPolicy
    _server: asyncio.Server | None = None
    _under_way: set["asyncio.Task[None]"] = field(default_factory=set)

    async def open(self) -> str:
        """Start to listen, and say where."""
        if self._server is None:
            self._server = await asyncio.start_server(
                self.accept, "127.0.0.1", 0, limit=LONGEST_HEAD
            )
        port = self._server.sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            for task in list(self._under_way):
                task.cancel()
            self._server = None

    async def accept(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Serve one connection of the browser."""
        task = asyncio.ensure_future(self.serve(reader, writer))
        self._under_way.add(task)
        try:
            await task
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            pass  # either side hung up, or spoke no HTTP: there is nobody to tell
        finally:
            self._under_way.discard(task)
            writer.close()

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        line, _, rest = head.partition(b"\r\n")
        words = line.decode("latin-1").split(" ")
        if len(words) != WORDS_OF_REQUEST:
            return
        method, target, version = words
        if method == "CONNECT":
            host, port = host_and_port(f"//{target}", HTTPS)
        else:
            host, port = host_and_port(target, HTTP)
        if not self.policy.allows(host):
            await deny(writer, host)
            return
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                allowed = [each for each in await addresses(host) if not self.policy.denies(each)]
                if not allowed:
                    await deny(writer, host)
                    return
                there, beyond = await connected(allowed, port)
        except (OSError, TimeoutError):
            writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            return
        try:
            if method == "CONNECT":
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                beyond.write(own_request(method, target, version, rest))
            await both(reader, writer, there, beyond)
        finally:
            beyond.close()


async def addresses(host: str) -> list[str]:
    """Look up where a host is: what is judged is then what is connected to."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


async def connected(places: Sequence[str], port: int) -> tuple[StreamReader, StreamWriter]:
    """Connect to the first of these places that answers."""
    *others, last = places
    for place in others:
        with suppress(OSError):
            return await asyncio.open_connection(place, port)
    return await asyncio.open_connection(last, port)


def host_and_port(target: str, usual: int) -> tuple[str, int]:
    """Give the host and port of a request's target."""
    parts = urlsplit(target)
    return parts.hostname or "", parts.port or usual


def own_request(method: str, target: str, version: str, headers: bytes) -> bytes:
    """Write a request as its server expects it. One connection serves one request.

    Else a second request on it could be for another host, and nobody would have looked.
    """
    parts = urlsplit(target)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    kept = [
        line
        for line in headers.split(b"\r\n")
        if line
        and line.partition(b":")[0].strip().lower() not in {b"proxy-connection", b"connection"}
    ]
    upgrade = any(line.lower().startswith(b"upgrade:") for line in kept)
    kept.append(b"Connection: upgrade" if upgrade else b"Connection: close")
    return f"{method} {path} {version}\r\n".encode("latin-1") + b"\r\n".join(kept) + b"\r\n\r\n"


async def deny(writer: StreamWriter, host: str) -> None:
    body = f"{host} is not among the hosts that are allowed".encode()
    writer.write(
        b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n"
        + f"{DENIED}: 1\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        + body
    )
    await writer.drain()


async def both(
    reader: StreamReader, writer: StreamWriter, there: StreamReader, beyond: StreamWriter
) -> None:
    """Carry bytes both ways until one side ends."""
    ways = [
        asyncio.ensure_future(carry(reader, beyond)),
        asyncio.ensure_future(carry(there, writer)),
    ]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait(ways[1:], timeout=CONNECT_SECONDS)
    finally:
        for way in ways:
            way.cancel()


async def carry(source: StreamReader, sink: StreamWriter) -> None:
    try:
        while data := await source.read(CHUNK):
            sink.write(data)
            await sink.drain()
        if sink.can_write_eof():
            sink.write_eof()
    except OSError:
        return
