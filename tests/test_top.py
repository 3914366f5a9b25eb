"""The promises of `behest top`: what the daemon does is seen, what it asks is answered there."""

import asyncio
import fcntl
import html
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style
from textual.pilot import Pilot
from textual.widgets import Input

from messages import wire
from messages.explaining import PastCommand
from tests.daemon import PATIENCE, PROJECT, Daemon, launched, running_daemon
from tests.terminal import Terminal
from tools.top.app import TopApp
from tools.top.board import KEPT, Board
from tools.top.dialogs import ApprovalDialog, CancelDialog, QuestionDialog
from tools.top.feed import AWAY
from tools.top.rows import rows_of
from tools.top.tree import CommandTree, drawn
from tools.top.wording import fitted, safe

LOOK_SECONDS = 0.05
ASKING = '[approval]\nask = ["delete"]\n[limits]\nstop_grace = 0.2\n'
MANOR = ("--world", "manor")
COLOUR = re.compile(r"\x1b\[(?:[0-9;:]*[;:])?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:[;:][0-9;:]*)?m")

Top = Pilot[None]


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon with a world, which asks before it deletes."""
    with running_daemon(tmp_path, settings=ASKING, arguments=MANOR) as running:
        yield running


@asynccontextmanager
async def watching(path: Path, columns: int = 80, rows: int = 24) -> AsyncIterator[Top]:
    """Have the screen on, at the daemon's socket."""
    app = TopApp(path)
    async with app.run_test(size=(columns, rows)) as pilot:
        yield pilot


def shown(pilot: Top) -> str:
    """Give what is on the screen, line by line."""
    lines: dict[float, list[tuple[float, str]]] = {}
    picture = pilot.app.export_screenshot(simplify=True)
    for x, y, text in re.findall(
        r'<text[^>]* x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>', picture
    ):
        lines.setdefault(float(y), []).append((float(x), html.unescape(text)))
    rows = ("".join(text for _, text in sorted(lines[y])) for y in sorted(lines))
    return "\n".join(rows).replace("\xa0", " ")


async def until(pilot: Top, condition: Callable[[], object]) -> None:
    """Wait until something holds, within limits."""
    try:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                await pilot.pause(LOOK_SECONDS)
    except TimeoutError:
        raise AssertionError(shown(pilot)) from None


async def until_shown(pilot: Top, *texts: str) -> None:
    await until(pilot, lambda: all(text in shown(pilot) for text in texts))


def tree(pilot: Top) -> CommandTree:
    return pilot.app.screen_stack[0].query_one(CommandTree)


def marks(pilot: Top, command: str) -> list[str]:
    """Give the marks of a command and of what stands under it."""
    return [row.mark for row in tree(pilot).rows if row.command == command]


# What is seen


async def test_a_command_that_is_sent_appears_with_its_goals_and_actions(daemon: Daemon) -> None:
    async with watching(daemon.socket) as pilot:
        await until_shown(pilot, "0 running, 0 queued, 0 ended", "journal in order")
        daemon.connect().submit("c1", text="create a folder reports and inside it create notes.md")
        await until(pilot, lambda: marks(pilot, "c1") == ["✓"] * 5)
        await until_shown(pilot, "create a folder reports", "g0 file.create", "create:folder:/")


async def test_two_commands_at_once_are_both_seen_running(daemon: Daemon) -> None:
    async with watching(daemon.socket) as pilot:
        client = daemon.connect()
        for name in ("a", "b"):
            client.submit(name, text="wait 30 seconds", session=name)
        await until_shown(pilot, "2 running")
        await until(pilot, lambda: marks(pilot, "a") == marks(pilot, "b") == ["…", "…", "…"])


async def test_the_rest_of_a_session_is_seen_queued(daemon: Daemon) -> None:
    async with watching(daemon.socket) as pilot:
        client = daemon.connect()
        client.submit("first", text="wait 30 seconds")
        client.submit("second", text="what time is it")
        await until_shown(pilot, "1 running, 1 queued", "what time is it  queued")
        assert [row.command for row in tree(pilot).rows if not row.depth] == ["first", "second"]


async def test_what_failed_is_shown_with_code_and_message(daemon: Daemon) -> None:
    async with watching(daemon.socket, columns=120) as pilot:
        daemon.connect().submit("c1", text="read the file nowhere.txt")
        await until(pilot, lambda: "✗" in marks(pilot, "c1"))
        (row, *_) = tree(pilot).rows
        assert row.note.startswith("TARGET_NOT_FOUND: ")
        await until_shown(pilot, "TARGET_NOT_FOUND")


async def test_a_plan_is_shown_as_planned(daemon: Daemon) -> None:
    daemon.connect().run("p1", text="create a folder planned", mode="plan")
    async with watching(daemon.socket) as pilot:
        await until_shown(pilot, "→ create a folder planned", "planned")


async def test_the_command_under_the_cursor_is_explained(daemon: Daemon) -> None:
    client = daemon.connect()
    client.run("c1", text="create a folder older")
    client.run("c2", text="create a folder newer")
    async with watching(daemon.socket, columns=140) as pilot:
        await until_shown(pilot, "c2: create a folder newer", "ended: success")
        await pilot.press("down")
        await until_shown(pilot, "c1: create a folder older", "ended: success")


async def test_commands_from_before_open_on_demand(daemon: Daemon) -> None:
    daemon.connect().run("c1", text="create a folder reports")
    async with watching(daemon.socket) as pilot:
        await until(pilot, lambda: marks(pilot, "c1") == ["✓"])
        await pilot.press("enter")
        await until(pilot, lambda: marks(pilot, "c1") == ["✓"] * 3)
        await pilot.press("down", "left")
        await until(pilot, lambda: marks(pilot, "c1") == ["✓"])


async def test_the_filter_leaves_what_has_the_words(daemon: Daemon) -> None:
    client = daemon.connect()
    client.run("c1", text="create a folder apples")
    client.run("c2", text="create a folder pears")
    async with watching(daemon.socket) as pilot:
        await until(pilot, lambda: len(tree(pilot).rows) == 2)
        await pilot.press("slash", *"PEARS", "enter")
        await until(pilot, lambda: [row.command for row in tree(pilot).rows] == ["c2"])
        await pilot.press("escape")
        await until(pilot, lambda: len(tree(pilot).rows) == 2)


# What is asked


async def test_a_question_is_answered_in_place_by_a_number(daemon: Daemon) -> None:
    async with watching(daemon.socket) as pilot:
        daemon.connect().submit("c1", text="take the envelope")
        await until_shown(pilot, "1 waits for you", "Which envelope do you mean")
        await pilot.press("enter")
        await until_shown(pilot, "1  large, green envelope")
        await pilot.press("1")
        await until(pilot, lambda: marks(pilot, "c1") == ["✓"] * 3)
        await until(pilot, lambda: not isinstance(pilot.app.screen, QuestionDialog))
        assert "waits for you" not in shown(pilot)
    answered = daemon.wait_for("question.answered")
    assert (answered["question"], answered["choice"]) == ("c1:q1", "1")


async def test_a_question_is_answered_in_place_by_words_and_stays_if_none_fits(
    daemon: Daemon,
) -> None:
    async with watching(daemon.socket) as pilot:
        daemon.connect().submit("c1", text="take the envelope")
        await until_shown(pilot, "1 waits for you")
        await pilot.press("w", *"pig", "enter")
        await until_shown(pilot, "pig", "Which envelope", "other words")
        await until(pilot, lambda: pilot.app.screen.query_one("#dialog-problem").display)
        pilot.app.screen.query_one(Input).value = ""
        await pilot.press(*"the blue one", "enter")
        await until(pilot, lambda: marks(pilot, "c1") == ["✓"] * 3)
    daemon.wait_for("action.finished", command_id="c1", status="success")


@pytest.mark.parametrize(("key", "stays"), [("y", False), ("n", True)])
async def test_an_approval_is_ruled_in_place(daemon: Daemon, key: str, *, stays: bool) -> None:
    path = daemon.root / "old.txt"
    path.write_text("old")
    async with watching(daemon.socket) as pilot:
        daemon.connect().submit("c1", text="delete old.txt")
        await until_shown(pilot, "1 waits for you", "about to delete")
        await pilot.press("enter")
        await until_shown(pilot, "y allow", "object_type: file", "name: old.txt")
        assert path.exists()
        await pilot.press(key)
        await until(pilot, lambda: marks(pilot, "c1")[0] == ("✗" if stays else "✓"))
    assert path.exists() is stays


async def test_no_key_rules_or_answers_before_what_is_asked_is_opened(daemon: Daemon) -> None:
    path = daemon.root / "kept.txt"
    path.write_text("kept")
    async with watching(daemon.socket) as pilot:
        client = daemon.connect()
        client.submit("c1", text="delete kept.txt", session="a")
        client.submit("c2", text="take the envelope", session="b")
        await until_shown(pilot, "2 wait for you")
        await pilot.press("y", "1", "n", "2")
        state = client.read_until(type="question")[-1]
        waits = daemon.connect().ask(type="status", id="s")
        assert (state["command"], len(waits["questions"]), len(waits["approvals"])) == ("c2", 1, 1)
    assert path.exists()


async def test_what_somebody_else_settled_closes(daemon: Daemon) -> None:
    (daemon.root / "old.txt").write_text("old")
    async with watching(daemon.socket) as pilot:
        client = daemon.connect()
        client.submit("c1", text="delete old.txt")
        needed = client.read_until(type="approval_needed")[-1]
        await until_shown(pilot, "1 waits for you")
        await pilot.press("w")
        await until(pilot, lambda: isinstance(pilot.app.screen, ApprovalDialog))
        client.send({"type": "approve", "id": "r", "approval": needed["approval"], "allow": False})
        await until(pilot, lambda: not isinstance(pilot.app.screen, ApprovalDialog))
        await until(pilot, lambda: marks(pilot, "c1")[0] == "✗")


async def test_a_command_is_cancelled_once_that_is_confirmed(daemon: Daemon) -> None:
    async with watching(daemon.socket) as pilot:
        daemon.connect().submit("c1", text="wait 30 seconds")
        await until(pilot, lambda: marks(pilot, "c1") == ["…", "…", "…"])
        await pilot.press("c")
        await until_shown(pilot, "Cancel 'wait 30 seconds'?")
        await pilot.press("n")
        await until(pilot, lambda: not isinstance(pilot.app.screen, CancelDialog))
        assert marks(pilot, "c1")[0] == "…"
        await pilot.press("c", "y")
        await until(pilot, lambda: marks(pilot, "c1")[0] == "–")
        assert not isinstance(pilot.app.screen, CancelDialog)
    assert daemon.wait_for("command.finished")["status"] == "cancelled"


# The daemon goes and comes


async def test_a_restart_of_the_daemon_loses_nothing(tmp_path: Path) -> None:
    first = launched(tmp_path, arguments=MANOR)
    try:
        async with watching(first.socket) as pilot:
            first.connect().run("done", text="create a folder reports", session="a")
            first.connect().submit("asks", text="take the envelope", session="b")
            await until_shown(pilot, "1 waits for you", "create a folder reports")
            await asyncio.to_thread(first.stop, signal.SIGKILL)
            await until_shown(pilot, AWAY, "create a folder reports")
            with running_daemon(tmp_path, arguments=MANOR) as second:
                await until(pilot, lambda: AWAY not in shown(pilot))
                await until_shown(pilot, "1 waits for you", "create a folder reports")
                await pilot.press("w", "2")
                await until(pilot, lambda: marks(pilot, "asks")[:1] == ["✓"])
                second.connect().submit("new", text="create a folder later", session="a")
                await until(pilot, lambda: marks(pilot, "new") == ["✓"] * 3)
                assert {row.command for row in tree(pilot).rows} == {"done", "asks", "new"}
    finally:
        first.stop()


async def test_it_may_be_there_before_the_daemon(tmp_path: Path) -> None:
    async with watching(tmp_path / "behest.sock") as pilot:
        await until_shown(pilot, AWAY)
        await pilot.press("w", "c", "enter", "down", "slash", "escape")
        with running_daemon(tmp_path):
            await until_shown(pilot, "0 running, 0 queued, 0 ended")


async def test_a_daemon_that_hangs_is_said_to_be_away(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.top.link.PATIENCE", 0.5)
    async with watching(daemon.socket) as pilot:
        await until_shown(pilot, "journal in order")
        daemon.process.send_signal(signal.SIGSTOP)
        try:
            await until_shown(pilot, AWAY)
        finally:
            daemon.process.send_signal(signal.SIGCONT)
        await until_shown(pilot, "journal in order")


# What it bears

HOSTILE = (
    "[red]open[/red] [@click=app.quit]here[/] [/] [b",  # markup
    "open \x1b[2J\x1b]0;owned\x07 \x9b31m \r\n\t\x08 here",  # control of the terminal
    "op\u200ben \u202eereh\u2066 \ufeff \U000e0041",  # what takes no room, or turns text around
    "o" + "\u0301" * 500 + "pen",
    "開く 👩‍👩‍👧‍👦 ｆｕｌｌ" * 10,
    "open " + "x" * 15_000,
)


async def test_hostile_text_is_shown_and_does_nothing(daemon: Daemon) -> None:
    client = daemon.connect()
    for number, text in enumerate(HOSTILE):
        client.submit(f"words {number}", text=text, session=f"a{number}")
        goal = {"domain": "file", "verb": "create", "params": {"object_type": "file", "name": text}}
        client.submit(f"name {number}", goals=[goal], session=f"b{number}")
    count = 2 * len(HOSTILE)
    async with watching(daemon.socket) as pilot:
        await until(pilot, lambda: sum(not row.depth for row in tree(pilot).rows) == count)
        for _ in range(count):
            await pilot.press("right", "down")
        await until(pilot, lambda: len(tree(pilot).rows) > count)
        await pilot.press("home", "tab", "pagedown", "tab")
        for _ in tree(pilot).rows:
            await pilot.press("down")
        assert all(line.isprintable() for line in shown(pilot).splitlines())
        for row in tree(pilot).rows:
            strip = drawn(row, 80, Style(), Style(), Style(), is_here=False)
            assert (strip.text.isprintable(), strip.cell_length) == (True, 80), row
        assert pilot.app.is_running


async def test_every_size_of_a_terminal_works(daemon: Daemon) -> None:
    daemon.connect().submit("c1", text="take the envelope")
    async with watching(daemon.socket, columns=12, rows=4) as pilot:
        await until(pilot, lambda: "?" in marks(pilot, "c1"))
        await pilot.press("w")
        for columns, rows in ((40, 10), (1, 1), (200, 60), (80, 24)):
            await pilot.resize_terminal(columns, rows)
        await until_shown(pilot, "1  large, green envelope", "2  large, blue envelope")
        await pilot.press("escape", "question_mark")
        await until_shown(pilot, "Escape leaves it open", "quit; commands go on")
        await pilot.press("escape")
        await until_shown(pilot, "1 waits for you", "take the envelope", "q quit")
        assert all(len(line) <= 80 for line in shown(pilot).splitlines())


@given(st.text(max_size=400), st.integers(0, 120))
def test_any_text_fits_in_its_columns_and_has_nothing_that_is_obeyed(text: str, width: int) -> None:
    assert safe(text).isprintable()
    assert cell_len(fitted(safe(text), width)) == width


def record(event: str, command: str, **fields: object) -> bytes:
    about = {"event": event, "ts": "2026-11-19T21:20:25.5Z", "command_id": command}
    return json.dumps({**about, **fields}).encode()


def test_however_many_commands_there_are_a_limited_number_is_kept() -> None:
    board = Board()
    board.hear(record("command.accepted", "long", text="wait", session="s"))
    for number in range(3 * KEPT):
        board.hear(record("command.accepted", f"c{number}", text="mute", session="s"))
        board.hear(record("command.finished", f"c{number}", status="success"))
    assert len(board.commands) == KEPT
    assert {"long", f"c{3 * KEPT - 1}"} <= board.commands.keys()
    assert len(rows_of(board, {}, "", 0.0)) == KEPT


def test_commands_that_were_left_out_are_asked_for_once_there_is_room() -> None:
    board = Board()
    for number in range(2 * KEPT):
        board.hear(record("command.accepted", f"c{number}", text="mute", session="s"))
    assert (board.left_out, board.has_room()) == (True, False)
    for name in list(board.commands):
        board.hear(record("command.finished", name, status="success"))
    assert board.has_room()
    board.recall([PastCommand("c0", "s", 2e9, "mute")])
    assert "c0" in board.commands


def test_what_is_no_record_is_passed_over() -> None:
    board = Board()
    for line in (
        b"",
        b"[]",
        b'{"event":3}',
        record("command.finished", "nobody's", status="success"),
    ):
        assert not board.hear(line)
    assert not board.commands


def test_an_end_that_was_heard_is_not_forgotten_for_an_older_answer() -> None:
    board = Board()
    board.hear(record("command.accepted", "c1", text="mute", session="s"))
    question = wire.Question("c1", "c1:q1", "g0", "a", "direct", "Which?", (), 300.0)
    board.note_state(wire.State("s", questions=(question,)))
    board.hear(record("command.finished", "c1", status="cancelled"))
    board.note_state(wire.State("s", questions=(question,)))
    assert (board.commands["c1"].status, board.waiting) == ("cancelled", ())


# At a real terminal


@contextmanager
def at_terminal(daemon: Daemon, **environment: str) -> Iterator[Terminal]:
    """Have the screen on a pseudo terminal of 80 columns and 24 rows."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    module = [sys.executable, "-m", "tools.top", "--socket", str(daemon.socket)]
    with subprocess.Popen(
        ["setsid", "--ctty", *module],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=PROJECT,
        env={**daemon.environment, "TERM": "xterm-256color", **environment},
    ) as process:
        os.close(theirs)
        try:
            yield Terminal(process, ours)
        finally:
            os.close(ours)


def test_it_starts_and_quits_at_a_real_terminal(daemon: Daemon) -> None:
    daemon.connect().run("c1", text="open \x1b]0;owned\x07 [red]here[/red]")
    with at_terminal(daemon) as terminal:
        terminal.wait_for("[red]here[/red]")
        terminal.type("q")
        assert terminal.end() == 0
    assert "\x1b[?1049l" in terminal.shown  # the screen from before is back
    assert "owned\x07" not in terminal.shown
    assert COLOUR.search(terminal.shown)


@pytest.mark.parametrize("how", ["interrupt", "terminate"])
def test_without_colours_none_are_sent_and_the_terminal_is_given_back(
    daemon: Daemon, how: str
) -> None:
    with at_terminal(daemon, NO_COLOR="1") as terminal:
        terminal.wait_for("journal in order")
        if how == "interrupt":
            terminal.type("\x03")
        else:
            terminal.process.terminate()
        assert terminal.end() == 0
    assert "\x1b[?1049l" in terminal.shown
    assert not COLOUR.search(terminal.shown)


def test_without_a_terminal_it_says_so() -> None:
    module = [sys.executable, "-m", "tools.top", "--socket", "/nowhere"]
    ran = subprocess.run(
        module, cwd=PROJECT, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert b"top needs a terminal" in ran.stderr
