"""A daemon with its observer page, a browser to look at it, and requests that none would send."""

import http.client
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

from tests.daemon import PATIENCE, Daemon, Wire, running_daemon
from tools.browser.finding import executable
from tools.settings import BrowserSettings

REBOUND = "rebound.test"  # a name that leads to the loopback, as after DNS rebinding
ASKING = '[approval]\nask = ["delete"]\n'
REFUSED = re.compile(r"^Failed to load resource: .* status of|^Response Status Error Code")
GONE = re.compile(rf"{REFUSED.pattern}|net::ERR_[A-Z_]+$|^(Response|Send) Error")

TIME = {"domain": "system", "verb": "get", "params": {"target": "time"}}
WAIT = {"domain": "browser", "verb": "wait_time", "params": {"seconds": 50}}


@dataclass
class Observer:
    """The page of a daemon: its link, and the cookie of whoever used it."""

    daemon: Daemon
    link: str
    cookie: str = ""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def port(self) -> int:
        return int(urlsplit(self.link).port or 0)

    def ask(
        self, path: str, method: str = "GET", body: str = "", **headers: str
    ) -> tuple[int, str, Mapping[str, str]]:
        """Send a request; ``Sec_Fetch_Site="x"`` is a header, and so is an empty ``Host``."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body or None, sent)
            reply = connection.getresponse()
            return (
                reply.status,
                reply.read().decode(),
                {k.lower(): v for k, v in reply.getheaders()},
            )
        finally:
            connection.close()

    def enter(self) -> "Observer":
        """Use the link up, as a browser does."""
        parts = urlsplit(self.link)
        status, _, headers = self.ask(f"{parts.path}?{parts.query}")
        assert status == 200
        self.cookie = headers["set-cookie"].partition(";")[0]
        return self

    def csrf(self) -> str:
        """Read the secret that only the page knows."""
        page = self.ask("/", Cookie=self.cookie)[1]
        return page.partition("X-Behest-Csrf&quot;:&quot;")[2].partition("&quot;")[0]


@contextmanager
def observed_daemon(folder: Path, *flags: str, port: int = 0) -> Iterator[Observer]:
    """Start a daemon with its page and a text world, where questions need no browser."""
    arguments = ("--world", "manor", "--observe", str(port), *flags)
    with running_daemon(
        folder, settings=ASKING, arguments=arguments, errors=subprocess.PIPE
    ) as daemon:
        errors = daemon.process.stderr
        assert errors is not None
        with errors:
            yield Observer(daemon, errors.readline().decode().split()[-1])
            daemon.stop()


@contextmanager
def chromium_window() -> Iterator[Browser]:
    """Start a browser for which one name more leads to the loopback."""
    with sync_playwright() as playwright:
        arguments = [f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        found = executable(BrowserSettings())
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        yield browser
        browser.close()


@contextmanager
def page_in(
    chromium: Browser, observer: Observer, *, is_cut_off: bool = False, **options: Any
) -> Iterator[Page]:
    """Open a window with the session; what the browser complains of fails the test.

    It may complain that the observer is gone if it ``is_cut_off``.
    """
    name, _, value = observer.cookie.partition("=")
    cookie = {"name": name, "value": value, "url": observer.address, "sameSite": "Strict"}
    context = chromium.new_context(base_url=observer.address, **options)
    context.add_cookies([cookie])  # type: ignore[list-item]  # it is such a cookie
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.extend([said.text] * (said.type == "error")))
    try:
        yield page
        allowed = GONE if is_cut_off else REFUSED
        unexpected = [each for each in complaints if not allowed.search(each)]
        assert not unexpected, unexpected
    finally:
        context.close()


@contextmanager
def asked(daemon: Daemon, command: str) -> Iterator[Wire]:
    """Submit a command that asks which of two envelopes is meant; it is cancelled at the end."""
    wire = daemon.connect()
    wire.submit(command, text="examine the envelope", session=command)
    wire.read_until(type="question")
    yield wire
    cancel(daemon, command)


def cancel(daemon: Daemon, command: str) -> None:
    """Stop a command, and wait until it has."""
    wire = daemon.connect()
    wire.send({"type": "cancel", "id": "stop", "command": command})
    wire.read_until(type="finished", command=command)


def listening(page: Page, address: str) -> None:
    """Open a page and wait until it hears of changes."""
    page.goto(address)
    page.wait_for_selector("body[data-listening]")
