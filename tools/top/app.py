"""The screen: a header, the tree of commands, the explanation of one of them, and the keys."""

import asyncio
import os
import signal
import time
from datetime import timedelta
from pathlib import Path
from typing import ClassVar

from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Footer, Input, Static

from messages import wire
from tools.output_view import spelled_size
from tools.top.board import Waiting
from tools.top.dialogs import (
    ApprovalDialog,
    CancelDialog,
    Dialog,
    HelpDialog,
    QuestionDialog,
)
from tools.top.feed import AWAY, Feed
from tools.top.rows import rows_of
from tools.top.tree import CommandTree
from tools.top.wording import safe

DRAW_GAP = 0.1
TICK = 1.0
MOST_NAMED = 100  # running commands, in one answer of the daemon


class TopApp(App[None]):
    """`behest top`."""

    TITLE = "behest top"
    CSS_PATH = "top.tcss"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - as declared
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "open_waiting", "answer"),
        Binding("c", "cancel", "cancel"),
        Binding("slash", "filter", "filter", key_display="/"),
        Binding("question_mark", "help", "help", key_display="?"),
        Binding("q", "quit", "quit"),
        Binding("escape", "end_filter", show=False),
        Binding("ctrl+c", "quit", show=False, priority=True),
    ]

    def __init__(self, path: Path) -> None:
        super().__init__(ansi_color="NO_COLOR" in os.environ)
        self.feed = Feed(path, self.note_change)
        self.opened: dict[str, bool] = {}
        self.search = ""
        self._drawing: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="header")
        yield Static(id="waiting")
        with Container(id="body"):
            yield CommandTree(id="tree")
            with VerticalScroll(id="why-pane"):
                yield Static(id="why")
        yield Input(placeholder="filter by words, id, session, status or code", id="filter")
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#tree").focus()
        self.query_one("#filter").display = False
        self.set_interval(TICK, self.draw)
        self.draw()
        if not self.is_headless:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self.exit)
        self.run_worker(self.feed.run())

    # What is drawn

    def note_change(self) -> None:
        """Draw soon; not for every one of many changes."""
        if self._drawing is None and self.is_running:
            self._drawing = self.set_timer(DRAW_GAP, self.draw)

    def draw(self) -> None:
        """Bring the screen up to date."""
        self._drawing = None
        if not self.screen_stack:  # a timer that fires while all is being put away
            return
        base = self.screen_stack[0]
        board = self.feed.board
        self.opened = {name: each for name, each in self.opened.items() if name in board.commands}
        base.query_one("#header", Static).update(Content(self.header_line()))
        base.set_class(not self.feed.is_online, "-away")
        self.draw_waiting()
        tree = base.query_one(CommandTree)
        tree.show(rows_of(board, self.opened, self.search, time.time()))
        self.look_around(tree)
        self.draw_explanation()
        if isinstance(self.screen, Dialog):
            self.screen.follow()

    def draw_waiting(self) -> None:
        line = self.screen_stack[0].query_one("#waiting", Static)
        count = self.feed.board.waiting_count if self.feed.board.waiting else 0
        line.display = bool(count) and self.feed.is_online
        line.update(Content(f"{count} {'waits' if count == 1 else 'wait'} for you: press w"))

    def header_line(self) -> str:
        """Say how the daemon does."""
        health = self.feed.board.health
        if not self.feed.is_online:
            return f"{AWAY} ({safe(str(self.feed.path))})"
        return "behest" if health is None else health_line(health)

    def look_around(self, tree: CommandTree) -> None:
        """Tell the feed what is in sight."""
        rows = list(tree.in_sight())
        wanted = {row.command for row in rows if row.is_open or row.depth}
        self.feed.look_at(None if tree.row is None else tree.row.command, frozenset(wanted))

    def draw_explanation(self) -> None:
        feed = self.feed
        lines = feed.lines if feed.lines_of == feed.selected else ("…",)
        if feed.selected is None:
            lines = ("No command is here yet. Send one: behest send TEXT",)
        base = self.screen_stack[0]
        base.query_one("#why", Static).update(Content("\n".join(lines)))

    # What a person does

    @on(CommandTree.Moved)
    def look_at_another(self) -> None:
        self.look_around(self.query_one(CommandTree))
        self.query_one("#why-pane").scroll_home(animate=False)
        self.draw_explanation()

    @on(CommandTree.Folded)
    def fold(self, event: CommandTree.Folded) -> None:
        self.opened[event.command] = event.is_open
        self.draw()

    @on(CommandTree.Chosen)
    def choose(self, event: CommandTree.Chosen) -> None:
        """Open what is asked; else show or hide what stands under a command."""
        row = event.row
        if row.asked is not None:
            self.open_asked(row.asked)
        elif row.is_open is not None:
            self.opened[row.command] = not row.is_open
            self.draw()

    def open_asked(self, asked: Waiting) -> None:
        if isinstance(asked, wire.Question):
            self.push_screen(QuestionDialog(self.feed, asked))
        else:
            self.push_screen(ApprovalDialog(self.feed, asked))

    def action_open_waiting(self) -> None:
        if self.feed.board.waiting:
            self.open_asked(self.feed.board.waiting[0])

    @on(events.Click, "#waiting")
    def open_first(self) -> None:
        self.action_open_waiting()

    def action_cancel(self) -> None:
        row = self.query_one(CommandTree).row
        command = None if row is None else self.feed.board.commands.get(row.command)
        if command is not None and command.status is None:
            text = command.text or safe(command.id)
            self.push_screen(CancelDialog(self.feed, command.id, text))

    def action_help(self) -> None:
        self.push_screen(HelpDialog(self.feed))

    def action_filter(self) -> None:
        line = self.query_one("#filter", Input)
        line.display = True
        line.focus()

    def action_end_filter(self) -> None:
        self.query_one("#filter", Input).value = ""
        self.leave_filter()

    @on(Input.Changed, "#filter")
    def search_for(self, event: Input.Changed) -> None:
        self.search = event.value.strip()
        self.draw()

    @on(Input.Submitted, "#filter")
    def leave_filter(self) -> None:
        self.query_one("#filter", Input).display = bool(self.search)
        self.query_one(CommandTree).focus()


def health_line(health: wire.Health) -> str:
    """Say in a line how the daemon does; what is wrong comes before what may be cut off."""
    journal = health.journal
    more = " or more" if len(health.running) >= MOST_NAMED else ""
    parts = [
        f"behest {safe(health.version)}",
        "" if journal is None or journal.ok else f"journal failing: {safe(journal.reason or '')}",
        f"up {timedelta(seconds=int(health.uptime))}",
        f"{len(health.running)}{more} running, {health.queued} queued, {health.finished} ended",
        "" if journal is None or not journal.ok else "journal in order",
        "" if journal is None else spelled_size(journal.bytes),
    ]
    return " · ".join(filter(None, parts))
