"""The observer's server: on the loopback alone, inside the event loop of whoever starts it."""

import asyncio
import logging
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import structlog
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from tools.observer.access import Access, Guard
from tools.observer.changes import Changes
from tools.observer.link import DaemonLink
from tools.observer.peers import user_of
from tools.observer.routes import Views, application
from tools.pictures import Pictures
from tools.settings import ObserverSettings

LOOPBACK = "127.0.0.1"
BACKLOG = 64
MOST_CONNECTIONS = 128
CLOSE_SECONDS = 2

log = structlog.get_logger(actor="observer")


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


class ServerLog(logging.Handler):
    """Writes the crash of a view to the daemon's log and drops uvicorn's other messages.

    Uvicorn warns about malformed requests, and any site can send those without end.
    """

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            log.error("observer.crashed", exc_info=record.exc_info)


def keep_off_screen() -> None:
    """Install ``ServerLog``; without a handler Python prints warnings to standard error."""
    said = logging.getLogger("uvicorn.error")
    said.handlers = [ServerLog(logging.ERROR)]
    said.propagate = False


class Server(uvicorn.Server):
    """Leaves the signals to the daemon."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@dataclass(frozen=True)
class Observer:
    """The page, with its port taken and not yet served."""

    listener: socket.socket
    changes: Changes
    access: Access
    guard: Guard

    async def serve(self) -> None:
        """Serve the page until cancelled."""
        server = Server(http_settings(self.guard))
        keep_off_screen()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.changes.follow)
            self.access.announce_link()
            try:
                await server.serve([self.listener])
            finally:
                self.changes.close()
                if server.started:
                    with anyio.CancelScope(shield=True):
                        await server.shutdown([self.listener])


@contextmanager
def open_observer(
    chosen: ObserverSettings, daemon: Path, pictures: Pictures, announce: Callable[[str], None]
) -> Iterator[Observer]:
    """Take the port of the page; a port that is taken already is an ``OSError`` that says so."""
    try:
        listener = socket.create_server((LOOPBACK, chosen.port), backlog=BACKLOG)
    except OSError as problem:
        reason = f"no observer page at {LOOPBACK}:{chosen.port}: {problem.strerror}"
        raise OSError(reason) from None
    with listener:
        link = DaemonLink(daemon)
        changes = Changes(link)
        access = Access(listener.getsockname()[1], announce)
        views = Views(link, changes, access, pictures, chosen.act)
        yield Observer(listener, changes, access, Guard(application(views), access))


def http_settings(guard: Guard) -> uvicorn.Config:
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
        backlog=BACKLOG,  # asyncio accepts this many in one turn of the event loop
    )
