"""The window in front: read from a real display, and null where there is none."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from messages.executing import Survey
from tests.display import MISSING, Display, running_display
from tests.parts import executor_of
from tests.running import running
from tools.apps import Apps
from tools.windows import active_window, title_in, window_manager_answers

needs_display = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
APPS = Survey("c1", frozenset({"app"}))


@pytest.fixture
def display(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Display]:
    with running_display(tmp_path) as started:
        monkeypatch.setenv("DISPLAY", started.name)
        yield started


@needs_display
async def test_a_survey_tells_the_window_in_front_and_follows_it(display: Display) -> None:
    letter, song = display.open_window("Letter to Ada"), display.open_window("A song")
    async with running(executor_of(reader=Apps())) as executor:
        for window, title in (
            (letter, "Letter to Ada"),
            (song, "A song"),
            (letter, "Letter to Ada"),
        ):
            display.put_in_front(window)
            assert (await executor.ask(APPS)).world.active_window == title
        display.put_in_front(0)
        assert (await executor.ask(APPS)).world.active_window is None


@needs_display
@pytest.mark.parametrize(
    "title", ["Grüße – 7", 'say "no" \\ maybe', "日本語", "100% (a.txt) = b", "\\303\\274"]
)
def test_a_title_is_given_letter_for_letter(display: Display, title: str) -> None:
    window = display.open_window("plain")
    display.put_in_front(window)
    assert active_window() == "plain"
    display.retitle(window, title)
    assert active_window() == title


@needs_display
def test_a_window_that_is_gone_is_not_in_front(display: Display) -> None:
    window = display.open_window("short-lived")
    display.put_in_front(window)
    assert active_window() == "short-lived"
    display.close_window(window)
    assert active_window() is None


@needs_display
def test_where_no_window_manager_tells_there_is_no_window(display: Display) -> None:
    display.open_window("alone")
    assert active_window() is None
    assert not window_manager_answers()
    display.put_in_front(0)
    assert window_manager_answers()


@pytest.mark.parametrize("name", [None, ":9999", "nonsense"])
async def test_without_a_display_there_is_no_window(
    monkeypatch: pytest.MonkeyPatch, name: str | None
) -> None:
    if name is None:
        monkeypatch.delenv("DISPLAY", raising=False)
    else:
        monkeypatch.setenv("DISPLAY", name)
    async with running(executor_of(reader=Apps())) as executor:
        assert (await executor.ask(APPS)).world.active_window is None


def test_without_the_program_that_asks_there_is_no_window(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert active_window() is None


@pytest.mark.parametrize(
    ("printed", "title"),
    [
        ('_NET_WM_NAME(UTF8_STRING) = "a"\nWM_NAME(STRING) = "b"\n', "a"),
        ('_NET_WM_NAME:  not found.\nWM_NAME(STRING) = "b"\n', "b"),
        ('WM_NAME(STRING) = "caf\\351"\n', "café"),
        ('_NET_WM_NAME(UTF8_STRING) = "one\\ntwo"\n', "one two"),
        ('_NET_WM_NAME(UTF8_STRING) = ""\nWM_NAME:  not found.\n', None),
        ("", None),
    ],
)
def test_what_the_display_prints_is_read(printed: str, title: str | None) -> None:
    assert title_in(printed) == title
