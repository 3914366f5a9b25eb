"""Pages to be used by plain words, and a server that knows what was done to them.

Beside each ``NAME.html`` stands a ``NAME.txt`` with its cases:

    # a comment
    > sentence that is sent, when the page has just been loaded
    ? answer to the question that it must raise
    click save
    value city=Rome
    = text that must be in the output

Each line that is not marked is an event that the page must have seen, in this order, and no others.
``! CODE`` is a sentence that must be refused with that code; then the page must have seen nothing.
An empty line ends a case. ``record.js`` says what the events are.
"""

import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self
from urllib.parse import parse_qs, unquote, urlsplit

FOLDER = Path(__file__).parent
HELD_BACK = tuple(
    FOLDER / f"held_back{number}"
    for number in ("", "_2", "_3", "_4", "_5", "_6", "_7", "_8", "_9", "_10", "_11", "_12")
)
LONGEST = 10_000  # milliseconds that /slow may take
DOWNLOAD = "name,amount\nInvoice 17,120.00\nInvoice 18,75.50\n"


@dataclass(frozen=True)
class Case:
    """A sentence, sent to a page that has just been loaded, and what must come of it."""

    page: str
    text: str
    answers: tuple[str, ...]
    events: tuple[str, ...]
    output: tuple[str, ...]
    code: str | None
    line: int

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"


def cases(folder: Path = FOLDER) -> list[Case]:
    """All cases of all pages of a folder, by the name of the page."""
    return [case for file in sorted(folder.glob("*.txt")) for case in _cases_of(file)]


def _cases_of(file: Path) -> Iterator[Case]:
    block: list[str] = []
    start = 0
    lines = file.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate([*lines, ""], 1):
        if line.startswith("#"):
            continue
        if line.strip():
            start = start if block else number
            block.append(line.rstrip())
        elif block:
            yield _case_of(file.stem, block, start)
            block = []


def _case_of(page: str, block: list[str], line: int) -> Case:
    marked: dict[str, list[str]] = {">": [], "?": [], "=": [], "!": [], "": []}
    for each in block:
        mark = each[0] if each[0] in marked and each[1:2] in {"", " "} else ""
        marked[mark].append(each[len(mark) :].strip())
    if not marked[">"] or not (marked["!"] or marked["="] or marked[""]):
        raise ValueError(f"{page}.txt:{line}: a case is a sentence and what must come of it")
    if marked["!"] and (marked["="] or marked[""] or len(marked["!"]) > 1):
        raise ValueError(f"{page}.txt:{line}: what is refused has one code and no events")
    return Case(
        page=page,
        text="\n".join(marked[">"]),
        answers=tuple(marked["?"]),
        events=tuple(marked[""]),
        output=tuple(marked["="]),
        code=marked["!"][0] if marked["!"] else None,
        line=line,
    )


def collapsed(events: Iterable[str]) -> list[str]:
    """The events, with only the last of consecutive values of the same field.

    >>> collapsed(["value a=", "value a=x", "click b", "value a=y", "value c=z"])
    ['value a=x', 'click b', 'value a=y', 'value c=z']
    """
    kept: list[str] = []
    for event in events:
        field = event.partition("=")[0]
        if event.startswith("value ") and kept and kept[-1].partition("=")[0] == field:
            kept.pop()
        kept.append(event)
    return kept


def _name(page: str) -> str:
    return page.strip("/").removesuffix(".html")


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.lock = threading.Lock()
        self.seen: dict[str, list[str]] = {}

    def note(self, page: str, event: str) -> None:
        with self.lock:
            self.seen.setdefault(_name(page), []).append(event)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        path = unquote(asked.path)
        if path.startswith("/download/"):
            self._send(DOWNLOAD.encode(), "text/csv", attachment=path.rpartition("/")[2])
        elif path == "/slow":
            wait = min(int(parse_qs(asked.query).get("ms", ["0"])[0]), LONGEST)
            time.sleep(wait / 1000)
            self._send(b"ready", "text/plain; charset=utf-8")
        elif path == "/favicon.ico":
            self._send(b"", "image/x-icon")
        else:
            self._send_file(path)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        asked = urlsplit(self.path)
        if asked.path == "/events":
            page = parse_qs(asked.query).get("page", [""])[0]
            self.server.note(page, body.decode("utf-8"))
        self._send(b"", "text/plain; charset=utf-8")

    def log_message(self, *_args: object) -> None:
        """Say nothing: tests have their own output."""

    def _send_file(self, path: str) -> None:
        kinds = {".html": "text/html", ".js": "text/javascript"}
        name = path.removeprefix("/")
        folders = (FOLDER, *HELD_BACK)
        file = next((each / name for each in folders if (each / name).is_file()), FOLDER)
        if file.parent not in folders or file.suffix not in kinds:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        self._send(file.read_bytes(), f"{kinds[file.suffix]}; charset=utf-8")

    def _send(self, body: bytes, kind: str, attachment: str | None = None) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        if attachment is not None:
            self.send_header("Content-Disposition", f'attachment; filename="{attachment}"')
        self.end_headers()
        try:
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            return  # a page that was left does not wait for what it asked for


class PageServer:
    """Serves the pages of this folder, and keeps what each of them was told."""

    def __init__(self) -> None:
        self._server = _Server()
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def address(self, page: str) -> str:
        return f"{self.url}/{_name(page)}.html"

    def events(self, page: str) -> list[str]:
        with self._server.lock:
            return list(self._server.seen.get(_name(page), ()))

    def clear(self, page: str) -> None:
        with self._server.lock:
            self._server.seen.pop(_name(page), None)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
