"""Windows, the clipboard and pictures of the screen: submitted goals, on a real display.

It has a real window manager and real windows; the programs are those of a desktop.
"""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from messages.executing import Done
from tests.daemon import Daemon, Event, running_daemon
from tests.display import Display, running_display
from tests.session_bus import running_program
from tools.display import PNG, Backlight, display_tools
from tools.files.roots import Roots
from tools.tool import AnyTool

TRIES = 2_000
JWM = '<?xml version="1.0"?><JWM><FocusModel>click</FocusModel></JWM>'
CLIPBOARD = ["xclip", "-selection", "clipboard"]


@dataclass(frozen=True)
class Desk:
    """A daemon in a desktop session, and the session's display."""

    daemon: Daemon
    display: Display

    def results(self, domain: str, verb: str, **params: object) -> list[Event]:
        goal = {"domain": domain, "verb": verb, "params": params}
        finished = self.daemon.connect().run(os.urandom(4).hex(), goals=[goal], session="s")[-1]
        results: list[Event] = finished["results"]
        return results

    def result(self, domain: str, verb: str, **params: object) -> Event:
        return self.results(domain, verb, **params)[-1]

    def done(self, domain: str, verb: str, **params: object) -> Event:
        """Do something that must work and be seen to work; give what it said."""
        result = self.result(domain, verb, **params)
        assert result["status"] == "success", result
        assert result["verified"] is True, result
        output: Event = result["output"]
        return output

    def undo(self) -> None:
        undone = self.daemon.connect().run(os.urandom(4).hex(), text="undo that", session="s")[-1]
        assert undone["status"] == "success", undone

    def ask(self, *question: str) -> str:
        """Ask the display behind the daemon's back."""
        ended = subprocess.run(
            question,
            env=self.display.environment,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        return ended.stdout

    def state(self, window: int) -> str:
        return self.ask("xprop", "-id", hex(window), "_NET_WM_STATE")

    def is_in_front(self, window: int) -> bool:
        return hex(window) in self.ask("xprop", "-root", "_NET_ACTIVE_WINDOW").split()

    def open(self, title: str) -> int:
        """Open a window and wait until it is in front."""
        window = self.display.open_window(title)
        self.ask("wmctrl", "-i", "-a", hex(window))
        assert any(self.is_in_front(window) for _ in range(TRIES))
        return window


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("desk")
    config = folder / "jwmrc"
    config.write_text(JWM)
    with (
        running_display(folder) as display,
        running_program(["jwm", "-f", str(config)], folder, display.environment) as manager,
        running_daemon(folder, environment={"DISPLAY": display.name}) as daemon,
    ):
        desk = Desk(daemon, display)
        for _ in range(TRIES):
            if "window id" in desk.ask("xprop", "-root", "_NET_SUPPORTING_WM_CHECK"):
                break
            assert manager.poll() is None
        yield desk


@pytest.fixture
def desk(shared: Desk) -> Iterator[Desk]:
    """The shared desk; windows are closed after each test."""
    yield shared
    shared.display.close()


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon in no desktop session."""
    with running_daemon(tmp_path) as daemon:
        yield daemon


# Windows


def test_the_window_in_front_is_minimised_and_comes_back(desk: Desk) -> None:
    window = desk.open("Letter")
    assert desk.done("window", "minimise")["title"] == "Letter"
    assert "HIDDEN" in desk.state(window)
    assert desk.done("window", "restore")["title"] == "Letter"
    assert "HIDDEN" not in desk.state(window)


def test_the_window_in_front_is_maximised_and_restored(desk: Desk) -> None:
    other, window = desk.open("Other"), desk.open("Letter")
    desk.done("window", "maximise")
    assert "MAXIMIZED_VERT" in desk.state(window)
    assert "MAXIMIZED_HORZ" in desk.state(window)
    assert "MAXIMIZED" not in desk.state(other)
    desk.done("window", "restore")
    assert "MAXIMIZED" not in desk.state(window)


def test_the_window_in_front_fills_the_screen(desk: Desk) -> None:
    window = desk.open("Film")
    desk.done("window", "fullscreen")
    assert "FULLSCREEN" in desk.state(window)
    desk.done("window", "restore")
    assert "FULLSCREEN" not in desk.state(window)


@pytest.mark.parametrize(
    ("verb", "sign"), [("minimise", "HIDDEN"), ("maximise", "MAXIMIZED"), ("fullscreen", "FULLSCR")]
)
def test_what_was_done_to_a_window_is_undone_to_that_window(
    desk: Desk, verb: str, sign: str
) -> None:
    window = desk.open("Letter")
    desk.done("window", verb)
    assert sign in desk.state(window)
    desk.open("Another")
    desk.undo()
    assert sign not in desk.state(window)


def test_the_next_window_comes_to_the_front_and_after_the_last_the_first(desk: Desk) -> None:
    first, second = desk.open("First"), desk.open("Second")
    assert desk.done("window", "next")["title"] == "First"
    assert desk.is_in_front(first)
    assert desk.done("window", "next")["title"] == "Second"
    assert desk.is_in_front(second)
    desk.undo()
    assert desk.is_in_front(first)


def test_the_desktop_is_shown_and_the_windows_come_back(desk: Desk) -> None:
    desk.open("Letter")
    desk.done("window", "show_desktop")
    assert "= 1" in desk.ask("xprop", "-root", "_NET_SHOWING_DESKTOP")
    desk.undo()
    assert "= 0" in desk.ask("xprop", "-root", "_NET_SHOWING_DESKTOP")


def test_without_another_window_there_is_no_next(desk: Desk) -> None:
    desk.open("Alone")
    assert desk.result("window", "next")["code"] == "NOT_FEASIBLE"


def test_a_window_that_is_as_it_is_is_not_restored(desk: Desk) -> None:
    desk.open("Plain")
    assert desk.result("window", "restore")["code"] == "NOT_FEASIBLE"


@pytest.mark.parametrize("verb", ["minimise", "maximise", "fullscreen"])
def test_where_no_window_is_in_front_none_is_touched(desk: Desk, verb: str) -> None:
    assert desk.result("window", verb)["code"] == "TARGET_NOT_FOUND"


def test_what_only_undo_does_cannot_be_asked_for(desk: Desk) -> None:
    result = desk.result("window", "put_back", window="0x1", state="normal")
    assert result["code"] == "NOT_ALLOWED"


# The clipboard


@pytest.mark.parametrize("text", ["hello", "", "two\nlines\n", "grün 日本 🎈", " ", "x" * 100_000])
def test_the_clipboard_holds_what_was_put_into_it(desk: Desk, text: str) -> None:
    desk.done("clipboard", "set", text=text)
    assert desk.ask(*CLIPBOARD, "-out", "-target", "UTF8_STRING") == text
    assert desk.done("clipboard", "get") == {"text": text}


def test_what_another_program_copied_is_told(desk: Desk) -> None:
    subprocess.run(
        [*CLIPBOARD, "-in"],
        input=b"from elsewhere",
        env=desk.display.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=30,
        check=True,
    )
    assert desk.done("clipboard", "get") == {"text": "from elsewhere"}


def test_what_the_clipboard_held_is_written_down_nowhere_when_it_is_set(desk: Desk) -> None:
    desk.done("clipboard", "set", text="hunter2-of-old")
    events = desk.daemon.connect().run(
        "replace",
        goals=[{"domain": "clipboard", "verb": "set", "params": {"text": "new"}}],
        session="s",
    )
    assert "hunter2-of-old" not in str(events)
    refused = desk.daemon.connect().ask(type="submit", id="u", text="undo that", session="s")
    assert (refused["type"], refused["code"]) == ("error", "NOT_FEASIBLE")
    assert "may be a secret" in refused["message"]


def test_an_empty_clipboard_holds_no_text(tmp_path: Path) -> None:
    with (
        running_display(tmp_path) as display,
        running_daemon(tmp_path, environment={"DISPLAY": display.name}) as daemon,
    ):
        result = Desk(daemon, display).result("clipboard", "get")
    assert result["code"] == "TARGET_NOT_FOUND"


# Pictures


def test_a_picture_of_the_screen_is_kept_in_the_first_root_and_can_be_undone(desk: Desk) -> None:
    before = set(desk.daemon.root.iterdir())
    output = desk.done("system", "screenshot")
    (picture,) = set(desk.daemon.root.iterdir()) - before
    assert output["path"] == str(picture)
    assert picture.read_bytes().startswith(PNG)
    desk.undo()
    assert not picture.exists()


def test_pictures_of_one_moment_do_not_replace_each_other(desk: Desk) -> None:
    paths = {desk.done("system", "screenshot")["path"] for _ in range(4)}
    assert len(paths) == 4
    assert all(Path(path).is_file() for path in paths)


def test_a_pictures_root_is_where_pictures_go(desk: Desk, tmp_path: Path) -> None:
    pictures = tmp_path / "album"
    pictures.mkdir()
    with running_daemon(
        tmp_path,
        environment={"DISPLAY": desk.display.name},
        arguments=("--root", f"pictures={pictures}"),
    ) as daemon:
        output = Desk(daemon, desk.display).done("system", "screenshot")
    assert Path(output["path"]).parent == pictures


# Light


def backlight(folder: Path, name: str, kind: str, value: int, most: int) -> Path:
    device = folder / name
    device.mkdir(parents=True)
    (device / "type").write_text(f"{kind}\n")
    (device / "brightness").write_text(f"{value}\n")
    (device / "max_brightness").write_text(f"{most}\n")
    return device / "brightness"


def light_tool(folder: Path, verb: str) -> AnyTool:
    tools = display_tools(Roots({"work": folder}), str(folder), Backlight(folder / "lights"))
    return next(tool for tool in tools if tool.name == f"backlight.{verb}")


@pytest.mark.parametrize(
    ("verb", "args", "raw"),
    [
        ("brightness", {"level": 50}, 100),
        ("brightness", {"level": 0}, 1),
        ("brightness", {"level": 100}, 200),
        ("brighter", {"step": 10}, 100),
        ("brighter", {"step": 90}, 200),
        ("dimmer", {"step": 10}, 60),
        ("dimmer", {"step": 90}, 1),
    ],
)
async def test_the_light_of_a_screen_is_set_in_percent(
    tmp_path: Path, verb: str, args: dict[str, int], raw: int
) -> None:
    file = backlight(tmp_path / "lights", "panel", "firmware", 80, 200)
    raw_one = backlight(tmp_path / "lights", "another", "raw", 5, 10)
    tool = light_tool(tmp_path, verb)
    assert tool.available()
    done = await tool.perform(args)
    assert isinstance(done, Done)
    assert await tool.verify(args, done) is True
    assert int(file.read_text()) == raw
    assert int(raw_one.read_text()) == 5
    (undo,) = done.undo
    assert undo.params == {"level": 40}


def test_without_a_backlight_there_is_no_capability(tmp_path: Path) -> None:
    assert not light_tool(tmp_path, "brightness").available()


# Where there is no desktop


@pytest.mark.parametrize(
    ("domain", "verb", "params"),
    [
        ("window", "minimise", {}),
        ("window", "show_desktop", {}),
        ("clipboard", "set", {"text": "a"}),
        ("clipboard", "get", {}),
        ("system", "screenshot", {}),
    ],
)
def test_without_a_display_there_is_no_capability(
    bare: Daemon, domain: str, verb: str, params: dict[str, object]
) -> None:
    goal = {"domain": domain, "verb": verb, "params": params}
    (result,) = bare.connect().run("c", goals=[goal])[-1]["results"]
    assert result["status"] == "no_capability"


def test_a_display_that_is_gone_is_a_refusal_and_no_hang(tmp_path: Path) -> None:
    with running_daemon(tmp_path, environment={"DISPLAY": ":9999"}) as daemon:
        for domain, verb in (
            ("window", "minimise"),
            ("clipboard", "get"),
            ("system", "screenshot"),
        ):
            goal = {"domain": domain, "verb": verb}
            (result,) = daemon.connect().run(f"{domain}.{verb}", goals=[goal])[-1]["results"]
            assert result["code"] == "UNAVAILABLE", result


def test_doctor_asks_the_desktop(desk: Desk) -> None:
    config = str(desk.daemon.home.parent / "behest.toml")
    lines = desk.daemon.cli("doctor", "--config", config).stdout.splitlines()
    assert any(line.split() == ["ok", "the", "clipboard"] for line in lines)
    assert any(line.split() == ["ok", "windows"] for line in lines)
    assert any(line.split() == ["found", "tool", "desktop.screenshot"] for line in lines)
