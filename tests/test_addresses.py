"""Web addresses go to the desktop's own browser, which here is a script that writes them down."""

import os
import select
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from messages.executing import Refused
from messages.results import Code
from tests.daemon import PATIENCE, Daemon, Event, running_daemon
from tools.addresses import address_tools

OFF = '[browser]\nmode = "off"\n'
ENGINES = """
[engines.intranet]
search = "https://search.intranet.local/find?words={query}&lang=en"
hosts = ["intranet.local"]
"""


@dataclass(frozen=True)
class Browser:
    """A program that writes the addresses it is given to a pipe."""

    folder: Path
    ear: int

    def script(self, more: str = "") -> str:
        """Write the program; give its path."""
        path = self.folder / "browser"
        path.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {self.folder / "opened"}\n{more}\n')
        path.chmod(0o755)
        return str(path)

    def opened(self) -> list[str]:
        """Give the addresses that were opened, once there are some."""
        return os.read(self.ear, 10_000).decode().split() if self.was_told(PATIENCE) else []

    def was_told(self, patience: float = 0) -> bool:
        """Tell whether anything was opened since last asked."""
        return bool(select.select([self.ear], [], [], patience)[0])


@contextmanager
def listening(folder: Path) -> Iterator[Browser]:
    """Lay the pipe that a browser in this folder writes to."""
    os.mkfifo(folder / "opened")
    ear = os.open(folder / "opened", os.O_RDWR)
    try:
        yield Browser(folder, ear)
    finally:
        os.close(ear)


@pytest.fixture
def own_browser(tmp_path: Path) -> Iterator[Browser]:
    with listening(tmp_path) as browser:
        yield browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with listening(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


@pytest.fixture(scope="module")
def daemon(browser: Browser) -> Iterator[Daemon]:
    """One daemon and one browser for all tests that only open addresses."""
    environment = {"BROWSER": browser.script()}
    with running_daemon(browser.folder, settings=OFF + ENGINES, environment=environment) as running:
        yield running


def say(daemon: Daemon, text: str) -> Event:
    """Say something and give its end."""
    return daemon.connect().run(os.urandom(4).hex(), text=text)[-1]


def test_opening_a_site_and_searching_it_is_one_address_opened_once(
    daemon: Daemon, browser: Browser
) -> None:
    finished = say(daemon, "open youtube and search nvidia")
    address = "https://youtube.com/results?search_query=nvidia"
    assert finished["status"] == "success"
    assert browser.opened() == [address]
    assert [result["output"] for result in finished["results"]] == [{"url": address}] * 2
    assert len({result["action"] for result in finished["results"]}) == 1


def test_what_a_desktop_browser_shows_is_not_claimed_to_be_seen(
    daemon: Daemon, browser: Browser
) -> None:
    finished = say(daemon, "go to example.com")
    assert finished["results"][0]["status"] == "success"
    assert finished["results"][0]["verified"] is False
    assert browser.opened() == ["https://example.com"]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("search a b&c on github", "https://github.com/search?q=a+b%26c"),
        ("search café on duckduckgo", "https://duckduckgo.com/?q=caf%C3%A9"),
        (
            "search travel forms on intranet",
            "https://search.intranet.local/find?words=travel+forms&lang=en",
        ),
        (
            "open intranet.local and search travel forms",
            "https://search.intranet.local/find?words=travel+forms&lang=en",
        ),
    ],
)
def test_a_search_is_an_address_from_the_table_of_sites(
    daemon: Daemon, browser: Browser, text: str, address: str
) -> None:
    assert say(daemon, text)["status"] == "success"
    assert browser.opened() == [address]


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "javascript:alert(1)", "ftp://example.com", "data:text/html,x"]
)
def test_an_address_that_is_not_http_is_refused_before_anything_runs(
    daemon: Daemon, browser: Browser, url: str
) -> None:
    goals = [
        {"domain": "file", "verb": "create", "params": {"object_type": "folder", "name": "a"}},
        {"domain": "browser", "verb": "navigate", "params": {"url": url}},
    ]
    finished = daemon.connect().run(os.urandom(4).hex(), goals=goals)[-1]
    assert finished["status"] == "failed"
    assert finished["results"][1]["status"] in {"blocked", "validation_failed"}
    assert not browser.was_told()
    assert not (daemon.root / "a").exists()


@pytest.mark.parametrize("url", ["file:///etc/passwd", "javascript:alert(1)", "--help", ""])
async def test_the_tool_itself_takes_no_other_address_either(url: str) -> None:
    (tool,) = address_tools()
    outcome = await tool.perform({"url": url})
    assert isinstance(outcome, Refused)
    assert outcome.code is Code.NOT_ALLOWED


def test_a_browser_that_stays_open_does_not_hold_up_the_command(
    tmp_path: Path, own_browser: Browser
) -> None:
    os.mkfifo(tmp_path / "window")
    held = os.open(tmp_path / "window", os.O_RDWR)
    script = own_browser.script(f"exec cat {tmp_path / 'window'}")
    with running_daemon(tmp_path, settings=OFF, environment={"BROWSER": script}) as daemon:
        try:
            finished = say(daemon, "go to example.com")
            assert finished["status"] == "success"
            assert own_browser.opened() == ["https://example.com"]
        finally:
            os.close(held)


def test_a_browser_that_fails_is_unavailable(tmp_path: Path, own_browser: Browser) -> None:
    script = own_browser.script("exit 1")
    with running_daemon(tmp_path, settings=OFF, environment={"BROWSER": script}) as daemon:
        result = say(daemon, "go to example.com")["results"][0]
    assert result["status"] == "failed"
    assert result["code"] == "UNAVAILABLE"


def test_without_a_browser_there_is_no_capability_and_nothing_runs(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    with running_daemon(
        tmp_path, settings=OFF, environment={"PATH": str(tmp_path / "bin")}
    ) as daemon:
        finished = say(daemon, "create a folder a and go to example.com")
    assert finished["status"] == "failed"
    assert finished["results"][1]["status"] == "no_capability"
    assert not (daemon.root / "a").exists()
