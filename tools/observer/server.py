"""The observer's server: on the loopback alone, inside the event loop of whoever starts it."""

import asyncio
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from tools.observer.access import Access, Guard
from tools.observer.changes import Changes
from tools.observer.link import DaemonLink
from tools.observer.peers import user_of
from tools.observer.routes import Views, application

LOOPBACK = "127.0.0.1"
BACKLOG = 64
MOST_CONNECTIONS = 128
CLOSE_SECONDS = 2


class OwnUserProtocol(H11Protocol):
    """Speaks HTTP with the user who runs this and with nobody else, and not with too many at once.

    Others are turned away when they connect: they must not use up what the daemon has of files.
    """

    is_admitted = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        ends = transport.get_extra_info("peername"), transport.get_extra_info("sockname")
        if len(self.connections) >= MOST_CONNECTIONS or user_of(*ends) != os.geteuid():
            transport.abort()
            return
        self.is_admitted = True
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.is_admitted:
            super().connection_lost(exc)


class Server(uvicorn.Server):
    """Leaves the signals to the daemon."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve_observer(
    socket_path: Path, port: int, *, may_act: bool, announce: Callable[[str], None]
) -> None:
    """Serve the page until cancelled; ``announce`` is told every link that opens it, once each.

    Port 0 takes any that is free. A port that is taken is an ``OSError``.
    """
    with socket.create_server((LOOPBACK, port), backlog=BACKLOG) as listener:
        link = DaemonLink(socket_path)
        changes = Changes(link)
        access = Access(listener.getsockname()[1], announce)
        guard = Guard(application(Views(link, changes, access, may_act)), access)
        server = Server(settings(guard))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(changes.follow)
            access.announce_link()
            try:
                await server.serve([listener])
            finally:
                changes.close()
                if server.started:
                    with anyio.CancelScope(shield=True):
                        await server.shutdown([listener])


def settings(guard: Guard) -> uvicorn.Config:
    """Let uvicorn do HTTP and nothing else: no signals, no logging set-up, no proxy headers."""
    return uvicorn.Config(
        guard,
        http=OwnUserProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=CLOSE_SECONDS,
    )
