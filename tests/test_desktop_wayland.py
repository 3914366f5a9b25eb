"""The clipboard and pictures of the screen on a real Wayland compositor, as submitted goals."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon import Daemon, Event, running_daemon
from tests.wayland import running_wayland
from tools.display import PNG


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with (
        running_wayland() as display,
        running_daemon(
            tmp_path_factory.mktemp("wayland"), environment={"WAYLAND_DISPLAY": display}
        ) as running,
    ):
        yield running


def result(daemon: Daemon, domain: str, verb: str, **params: object) -> Event:
    goal = {"domain": domain, "verb": verb, "params": params}
    (found,) = daemon.connect().run(os.urandom(4).hex(), goals=[goal], session="s")[-1]["results"]
    last: Event = found
    return last


def test_a_clipboard_that_was_never_filled_holds_no_text(daemon: Daemon) -> None:
    assert result(daemon, "clipboard", "get")["code"] == "TARGET_NOT_FOUND"


@pytest.mark.parametrize("text", ["hello", "two\nlines\n", "grün 日本 🎈", "x" * 100_000])
def test_the_clipboard_holds_what_was_put_into_it(daemon: Daemon, text: str) -> None:
    put = result(daemon, "clipboard", "set", text=text)
    assert put["status"] == "success", put
    assert put["verified"] is True
    assert result(daemon, "clipboard", "get")["output"] == {"text": text}


def test_a_picture_of_the_screen_is_kept_and_can_be_undone(daemon: Daemon) -> None:
    taken = result(daemon, "system", "screenshot")
    assert taken["verified"] is True, taken
    picture = Path(taken["output"]["path"])
    assert picture.read_bytes().startswith(PNG)
    undone = daemon.connect().run(os.urandom(4).hex(), text="undo that", session="s")[-1]
    assert undone["status"] == "success", undone
    assert not picture.exists()


def test_windows_of_wayland_are_no_capability(daemon: Daemon) -> None:
    assert result(daemon, "window", "minimise")["status"] == "no_capability"
