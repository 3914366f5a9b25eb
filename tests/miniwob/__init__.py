"""The pages of MiniWoB++, which nobody here wrote, and a server that knows what came of them.

They come with the package of that name, which ``make miniwob`` fetches; none of them is kept here.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from zipfile import ZipFile

START = (Path(__file__).parent / "start.js").read_text(encoding="utf-8")
INSIDE = "miniwob/html/"
KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".png": "image/png"}


class Pages(ThreadingHTTPServer):
    """Serves the pages of the package, and keeps what each of them tells."""

    daemon_threads = True

    def __init__(self, package: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        with ZipFile(package) as files:
            names = [name for name in files.namelist() if name.startswith(INSIDE)]
            self.files = {f"/{name.removeprefix(INSIDE)}": files.read(name) for name in names}
        self.told: dict[tuple[str, str], list[str]] = {}

    @property
    def tasks(self) -> list[str]:
        pages = (Path(name) for name in self.files if name.startswith("/miniwob/"))
        return sorted(page.stem for page in pages if page.suffix == ".html")

    def address(self, task: str, seed: int, key: str) -> str:
        port = self.server_address[1]
        return f"http://127.0.0.1:{port}/miniwob/{task}.html?key={key}&seed={seed}"


class _Handler(BaseHTTPRequestHandler):
    server: Pages

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        body = self.server.files.get(asked.path)
        if body is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        if "key=" in asked.query:
            script = f"<script>{START}</script></head>".encode()
            body = body.replace(b"</head>", script, 1)
        self._send(body, KINDS.get(Path(asked.path).suffix, "application/octet-stream"))

    def do_POST(self) -> None:
        asked = parse_qs(urlsplit(self.path).query)
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        self.server.told.setdefault((asked["key"][0], asked["kind"][0]), []).append(text)
        self._send(b"", "text/plain")

    def log_message(self, *_args: object) -> None:
        """Say nothing."""

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def served(package: Path) -> Iterator[Pages]:
    """Serve the pages for the length of a ``with`` block."""
    pages = Pages(package)
    thread = threading.Thread(target=pages.serve_forever, daemon=True)
    thread.start()
    try:
        yield pages
    finally:
        pages.shutdown()
        pages.server_close()
