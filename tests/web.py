"""Web servers for tests: pages as texts, answers that are withheld, a certificate nobody trusts."""

import ssl
import threading
import time
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

PATIENCE = 20.0


class Served(ThreadingHTTPServer):
    """A web server on a port of its own, in a thread, for the length of a ``with`` block."""

    daemon_threads = True
    scheme = "http"

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"{self.scheme}://{host}:{self.port}{path}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, *_: object) -> None:
        """Say nothing: a browser that hangs up is no news."""


class Web(Served):
    """Serves texts by path, and notes what was asked for.

    A path in ``gathers`` is answered only once so many different ones have been asked for; one in
    ``follows`` only once somebody has asked for the path it follows.
    """

    def __init__(
        self,
        pages: Mapping[str, str],
        *,
        gathers: int = 0,
        statuses: Mapping[str, int] | None = None,
        moves: Mapping[str, str] | None = None,
        endless: frozenset[str] = frozenset(),
        follows: Mapping[str, str] | None = None,
        certificate: Path | None = None,
    ) -> None:
        super().__init__(Handler)
        self.pages, self.moves, self.endless = pages, moves or {}, endless
        self.statuses, self.follows = statuses or {}, follows or {}
        self.asked: list[str] = []
        self.hosts: list[str] = []
        self.together = threading.Barrier(gathers) if gathers else None
        if certificate is not None:
            self.scheme = "https"
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)

    def is_asked_for(self, path: str) -> bool:
        """Wait until somebody asks for a path, as long as that may take."""
        late = time.monotonic() + PATIENCE
        while path not in self.asked and time.monotonic() < late:
            time.sleep(0.01)
        return path in self.asked


class Handler(BaseHTTPRequestHandler):
    server: Web

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path == "/favicon.ico":
            self.send_error(404)
            return
        self.server.asked.append(path)
        self.server.hosts.append(self.headers.get("Host", ""))
        if self.server.together is not None:
            self.server.together.wait(PATIENCE)
        if path in self.server.follows:
            self.server.is_asked_for(self.server.follows[path])
        if path in self.server.moves:
            self.send_response(302)
            self.send_header("Location", self.server.moves[path])
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = self.server.pages.get(path, "").encode()
        status = self.server.statuses.get(path, 200 if path in self.server.pages else 404)
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        longer = 1 if path in self.server.endless else 0
        self.send_header("Content-Length", str(len(body) + longer))
        self.end_headers()
        self.wfile.write(body)
        if longer:
            self.wfile.flush()
            time.sleep(PATIENCE)

    def log_message(self, *_args: object) -> None:
        """Say nothing: tests have their own output."""
