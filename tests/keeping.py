"""Journals for tests: one whose commits wait at a gate, and a look at what is on disk."""

import asyncio
import math
import re
import sqlite3
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any, cast

import anyio.to_thread
import msgspec

from actors.journal import Journal
from actors.mailbox import Address
from messages import journaling, wire
from messages.journaling import Entry, Story
from tests.running import running
from tools.journal import JournalFile, Keeping

PATIENCE = 20.0
# Outside of a transaction each of these is one by itself.
WRITES = re.compile(r"\s*(INSERT|UPDATE|DELETE)\b")

_entry: Any = msgspec.json.Decoder(Entry, strict=True).decode


class Slow:
    """A connection whose commits wait until they are let through, one by one."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.commits = 0
        self._allowed = threading.Semaphore(0)
        self._reached = threading.Semaphore(0)

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        alone = WRITES.match(sql) and not self.connection.in_transaction
        if sql == "COMMIT" or alone:
            self._reached.release()
            if not self._allowed.acquire(timeout=PATIENCE):
                raise sqlite3.OperationalError("it was held back for too long")
            self.commits += 1
        return self.connection.execute(sql, *values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    def let_through(self, count: int = 1) -> None:
        self._allowed.release(count)

    async def reached(self) -> None:
        """Wait until another commit stands at the gate."""
        assert await anyio.to_thread.run_sync(lambda: self._reached.acquire(timeout=PATIENCE))


class SlowJournal(JournalFile):
    """A journal on a slow disk."""

    gate: Slow

    def __post_init__(self) -> None:
        self._tidied = math.inf
        super().__post_init__()
        self.gate = Slow(self._connection)
        self._connection = cast("sqlite3.Connection", self.gate)


class ImpatientJournal(JournalFile):
    """A journal that does not wait for others who use its file."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._connection.execute("PRAGMA busy_timeout = 0")


@contextmanager
def slow_journal(path: Path) -> Iterator[SlowJournal]:
    store = SlowJournal(path, asyncio.get_running_loop().call_soon_threadsafe)
    try:
        yield store
    finally:
        store.gate.let_through(10_000)
        store.close()


@contextmanager
def journal_file(
    path: Path, keeping: Keeping | None = None, kind: type[JournalFile] = JournalFile
) -> Iterator[JournalFile]:
    """Open a journal for the length of a ``with`` block."""
    soon = asyncio.get_running_loop().call_soon_threadsafe
    store = kind(path, soon, keeping or Keeping())
    try:
        yield store
    finally:
        store.close()


@asynccontextmanager
async def keeper(store: JournalFile) -> AsyncIterator[Address[journaling.Inbox]]:
    """Run the actor that keeps things in a store."""
    async with running(Journal(store)) as address:
        yield address


def look(path: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    """Ask the file itself, as any other program can."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(query, values).fetchall()
        connection.commit()
    return rows


def stories(path: Path) -> dict[str, Story]:
    """Read all that is in a journal, strictly."""
    told: dict[str, Story] = {}
    for command, submit, finished in look(path, "SELECT id, submit, finished FROM commands"):
        query = "SELECT body FROM entries WHERE command = ? ORDER BY seq"
        entries = tuple(_entry(body) for (body,) in look(path, query, command))
        end = None if finished is None else msgspec.json.decode(finished, type=wire.Finished)
        told[command] = Story(msgspec.json.decode(submit, type=wire.Submit), entries, end)
    return told
