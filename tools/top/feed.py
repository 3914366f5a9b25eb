"""Keeps the board as the daemon is: asks, listens, and connects again when the daemon was away.

Two connections: one subscribes to the trace and asks how all stands and what the journal knows;
the other asks for explanations, and carries what the person at the screen decides.
"""

import asyncio
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from messages import wire
from messages.results import Code
from tools.client import new_id
from tools.explanation_view import explanation_lines
from tools.top.board import KEPT, Board, Command
from tools.top.link import HungUp, Link, linked
from tools.top.wording import safe

AWAY = "the daemon does not answer; trying again"
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0
STATUS_SECONDS, STATUS_GAP = 2.0, 0.1
LOOK_GAP = 0.2  # between two explanations of the same command
LOOK_SHARE = 10  # an explanation that took long is not asked for again so soon
MOST_LINES = 1_000
TRACED = (
    "command.", "goals.", "plans.", "course.", "text.", "action.", "question.", "approval.",
    "capture.", "readings.",
)  # fmt: skip


@dataclass
class Feed:
    """The daemon at ``path``, as far as it is known; ``changed`` is called whenever more is.

    ``wanted`` are the commands whose steps are in sight, ``selected`` is the one whose whole
    explanation is; ``lines`` are that explanation, of the command ``lines_of``.
    """

    path: Path
    changed: Callable[[], None]
    board: Board = field(default_factory=Board)
    is_online: bool = False
    wanted: Collection[str] = ()
    selected: str | None = None
    lines_of: str | None = None
    lines: tuple[str, ...] = ()
    _asks: Link | None = None
    _put_again: wire.Question | None = None
    _status_due: asyncio.Event = field(default_factory=asyncio.Event)
    _look_due: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> NoReturn:
        """Follow the daemon, for as long as anybody looks."""
        pause = FIRST_PAUSE
        while True:
            try:
                await self.follow()
            except* OSError:  # it is away, hung up, or gave no answer in time
                pass
            pause = FIRST_PAUSE if self.is_online else min(LONGEST_PAUSE, pause * 2)
            self.is_online, self._asks = False, None
            self.changed()
            await asyncio.sleep(pause)

    async def follow(self) -> None:
        """Follow the daemon for the length of a connection."""
        board = Board()

        def hear(reply: wire.WireReply) -> None:
            if isinstance(reply, wire.Question):
                self._put_again = reply
            elif not isinstance(reply, wire.TraceRecord) or not board.hear(bytes(reply.record)):
                return
            self._status_due.set()
            self._look_due.set()
            self.changed()

        async with (
            linked(self.path, hear) as watch,
            linked(self.path, hear) as asks,
            asyncio.TaskGroup() as tasks,
        ):
            tasks.create_task(watch.listen())
            tasks.create_task(asks.listen())
            await fill(board, watch)
            board.is_live = True
            self.board, self._asks, self.is_online = board, asks, True
            self.lines_of = None
            self.changed()
            tasks.create_task(self.keep_status(watch, board))
            tasks.create_task(self.keep_explained(asks, board))

    async def keep_status(self, watch: Link, board: Board) -> None:
        """Ask how all stands: when something happened, and now and then."""
        while True:
            await asyncio.sleep(STATUS_GAP)
            with suppress(TimeoutError):
                async with asyncio.timeout(STATUS_SECONDS):
                    await self._status_due.wait()
            self._status_due.clear()
            await ask_status(watch, board)
            if board.has_room():
                board.left_out = False
                await ask_commands(watch, board)
            self.changed()

    async def keep_explained(self, asks: Link, board: Board) -> None:
        """Ask for the explanations that are looked at, when there is more in them."""
        while True:
            self._look_due.clear()
            command, seconds = self.next_look(board)
            if command is None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(seconds):
                        await self._look_due.wait()
                continue
            await self.look(asks, board, command)
            self.changed()

    def next_look(self, board: Board) -> tuple[Command | None, float | None]:
        """Choose which command to explain; None with the seconds until there is one."""
        known = (board.commands.get(name) for name in {self.selected or "", *self.wanted})
        due = [each for each in known if each is not None and self.needs_look(each)]
        if not due:
            return None, None
        now = time.monotonic()
        ready = [each for each in due if each.next_look <= now]
        if not ready:
            return None, min(each.next_look for each in due) - now
        return max(ready, key=lambda each: (each.id == self.selected, -each.next_look)), None

    def needs_look(self, command: Command) -> bool:
        return command.stale or (command.id == self.selected and command.id != self.lines_of)

    async def look(self, asks: Link, board: Board, command: Command) -> None:
        """Ask why a command does what it does."""
        began = time.monotonic()
        command.stale = False  # what happens from here on makes it so again
        reply = await asks.ask(wire.Explain(new_id(), command.id))
        took = time.monotonic() - began
        command.next_look = time.monotonic() + max(LOOK_GAP, took * LOOK_SHARE)
        lines: tuple[str, ...] = ()
        if isinstance(reply, wire.Explained):
            board.note_explanation(reply.explanation)
            if command.id == self.selected:
                lines = tuple(explanation_lines(reply.explanation))
        elif isinstance(reply, wire.Error):
            lines = (reply.message,)
            command.stale = command.stale or reply.code is Code.BUSY
            command.next_look += reply.retry_after or 0.0
        if command.id == self.selected:
            self.lines_of = command.id
            self.lines = tuple(map(safe, lines[:MOST_LINES]))
            if len(lines) > MOST_LINES:
                self.lines += (f"… and {len(lines) - MOST_LINES} more lines: behest explain",)

    def look_at(self, selected: str | None, wanted: Collection[str]) -> None:
        """Say which commands are in sight."""
        if (selected, wanted) != (self.selected, self.wanted):
            self.selected, self.wanted = selected, wanted
            self._look_due.set()

    async def act(self, request: wire.Answer | wire.Approve | wire.Cancel) -> str | None:
        """Carry what a person decided to the daemon; give what is wrong with it, if anything is."""
        if self._asks is None:
            return AWAY
        try:
            reply = await self._asks.ask(request)
        except OSError:
            return AWAY
        finally:
            self._status_due.set()
        return safe(reply.message) if isinstance(reply, wire.Error) else None

    def take_put_again(self, question: str) -> wire.Question | None:
        """Give, once, a question whose answer did not fit; its message says what was wrong."""
        again = self._put_again
        if again is None or again.question != question:
            return None
        self._put_again = None
        return again


async def fill(board: Board, watch: Link) -> None:
    """Learn all that is to be seen at first."""
    reply = await watch.ask(wire.Subscribe(new_id(), TRACED, since=0))
    if isinstance(reply, wire.Error):
        raise HungUp(reply.message)
    await ask_commands(watch, board)
    await ask_status(watch, board)


async def ask_commands(watch: Link, board: Board) -> None:
    """Learn of the latest commands, and of those that run, however old."""
    for request in (
        wire.History(new_id(), limit=KEPT),
        wire.History(new_id(), status="running", limit=KEPT),
    ):
        reply = await watch.ask(request)
        if isinstance(reply, wire.Histories):
            board.recall(reply.commands)


async def ask_status(watch: Link, board: Board) -> None:
    reply = await watch.ask(wire.Status(new_id()))
    if isinstance(reply, wire.State):
        board.note_state(reply)
