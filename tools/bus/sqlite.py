"""The bus within one process: what has to last is in one SQLite file, what has not in memory.

One thread owns the connection and writes whatever has come meanwhile in one transaction, so many
senders share a sync. Only what a power cut must not lose waits for the disk; who holds a message,
and that it is done, need to survive only the process: at worst a message is delivered again.

It refuses to share its file with another process.
"""

import asyncio
import math
import sqlite3
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Self, TypeAlias, TypeVar

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectSendStream

from messages.bus import Conflict, DeadLetter, Held, Logged, TooLarge, Unavailable
from tools.bus import (
    BATCH,
    BLOB_LIFETIME,
    DUPLICATE_WINDOW,
    EXPIRING_BUCKET,
    LEASE_TTL,
    check_name,
    check_words,
    digest,
)

SCHEMA = """
CREATE TABLE IF NOT EXISTS work (
    id INTEGER PRIMARY KEY AUTOINCREMENT, address TEXT NOT NULL, body BLOB NOT NULL,
    due REAL NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS work_at ON work (address);
CREATE TABLE IF NOT EXISTS names (name TEXT PRIMARY KEY, at REAL NOT NULL);
CREATE INDEX IF NOT EXISTS names_by_age ON names (at);
CREATE TABLE IF NOT EXISTS dead (
    place INTEGER PRIMARY KEY AUTOINCREMENT, address TEXT NOT NULL, reason TEXT NOT NULL,
    body BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS state (
    revision INTEGER PRIMARY KEY AUTOINCREMENT, bucket TEXT NOT NULL, key TEXT NOT NULL,
    value BLOB NOT NULL, touched REAL NOT NULL, UNIQUE (bucket, key)
);
CREATE TABLE IF NOT EXISTS logs (name TEXT PRIMARY KEY, end INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS entries (
    log TEXT NOT NULL, place INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (log, place)
);
CREATE TABLE IF NOT EXISTS blobs (name TEXT PRIMARY KEY, body BLOB NOT NULL, at REAL NOT NULL);
"""
# Nobody holds a message when the file is opened, and every lease has its whole time.
REOPEN = "UPDATE work SET due = 0"
RENEW = "UPDATE state SET touched = ?"
CLAIMABLE = "SELECT id, body, attempts FROM work WHERE address = ? AND due <= ? ORDER BY id LIMIT ?"
FIRST_DUE = "SELECT min(due) FROM work WHERE address = ?"
CLAIM = "UPDATE work SET due = ?, attempts = attempts + 1 WHERE id = ?"
# Who lost a message to somebody else has no say in it any more.
HOLD = "UPDATE work SET due = ? WHERE id = ? AND attempts = ?"
DEAD_LETTERS = "SELECT place, address, reason, body FROM dead ORDER BY place"
PUT = "INSERT OR REPLACE INTO state (bucket, key, value, touched) VALUES (?, ?, ?, ?)"
END = "INSERT INTO logs VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET end = excluded.end"

LARGEST = 1_000_000  # as much as a NATS server takes by default
JOBS_AT_ONCE = 256
UNHEARD = 4096
CHORES_EVERY = 60.0

T = TypeVar("T")
Job: TypeAlias = Callable[[sqlite3.Connection], Any]


@dataclass(slots=True)
class Waiting:
    """A job of the thread, and who waits for it."""

    job: Job
    durable: bool
    future: "asyncio.Future[Any]"


class Database:
    """A connection in a thread of its own, which does jobs in the order in which they come."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._jobs: SimpleQueue[Waiting | None] = SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._thread: threading.Thread | None = None
        self._durable = True

    async def open(self) -> None:
        try:
            connection = await anyio.to_thread.run_sync(self._connect)
        except (sqlite3.Error, OSError) as error:
            raise Unavailable(f"{self._path}: {error}") from error
        self._thread = threading.Thread(
            target=self._work, args=(connection,), name="bus", daemon=True
        )
        self._thread.start()

    async def run(self, job: Callable[[sqlite3.Connection], T], *, durable: bool = True) -> T:
        """Do a job in a transaction. Who is cancelled meanwhile still learns how it went."""
        if self._thread is None:
            raise Unavailable("the bus is closed")
        future = self._loop.create_future()
        self._jobs.put(Waiting(job, durable, future))
        with anyio.CancelScope(shield=True):
            outcome: T = await future
        return outcome

    async def close(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            self._jobs.put(None)
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(thread.join)

    def _connect(self) -> sqlite3.Connection:
        if self._path is not None:
            self._path.touch(mode=0o600)
        connection = sqlite3.connect(
            self._path or ":memory:", isolation_level=None, check_same_thread=False, timeout=0.3
        )
        try:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.executescript(f"BEGIN IMMEDIATE; {SCHEMA} COMMIT;")
            connection.execute(REOPEN)
            connection.execute(RENEW, (time.monotonic(),))
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _work(self, connection: sqlite3.Connection) -> None:
        while (first := self._jobs.get()) is not None:
            batch = [first]
            with suppress(Empty):
                while len(batch) < JOBS_AT_ONCE:
                    following = self._jobs.get_nowait()
                    if following is None:
                        self._jobs.put(None)
                        break
                    batch.append(following)
            outcomes = self._commit(connection, batch)
            with suppress(RuntimeError):  # the loop is gone, and with it whoever waited
                self._loop.call_soon_threadsafe(resolve, batch, outcomes)
        connection.close()

    def _commit(self, connection: sqlite3.Connection, batch: list[Waiting]) -> list[Any]:
        try:
            self._demand(connection, durable=any(waiting.durable for waiting in batch))
            connection.execute("BEGIN IMMEDIATE")
            outcomes = [attempt(connection, waiting.job) for waiting in batch]
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if len(batch) == 1:
                return [Unavailable(str(error))]
            return [outcome for waiting in batch for outcome in self._commit(connection, [waiting])]
        return outcomes

    def _demand(self, connection: sqlite3.Connection, *, durable: bool) -> None:
        if durable != self._durable:
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._durable = durable


def attempt(connection: sqlite3.Connection, job: Job) -> Any:
    """Do a job; one that finds a conflict has changed nothing yet."""
    try:
        return job(connection)
    except Conflict as conflict:
        return conflict


def resolve(batch: list[Waiting], outcomes: list[Any]) -> None:
    for waiting, outcome in zip(batch, outcomes, strict=True):
        if waiting.future.done():
            continue
        if isinstance(outcome, Exception):
            waiting.future.set_exception(outcome)
        else:
            waiting.future.set_result(outcome)


@dataclass(slots=True)
class SqliteDelivery:
    """A message and its row."""

    bus: "SqliteBus"
    address: str
    row: int
    body: bytes
    attempt: int
    patience: float
    until: float

    async def ack(self) -> None:
        await self.bus.database.run(self._remove, durable=False)

    async def give_back(self, after: float = 0.0) -> None:
        await self._hold(after)
        self.bus.wake(self.address)

    async def still_working(self) -> None:
        await self._hold(self.patience)

    async def poison(self, reason: str) -> None:
        def put_away(connection: sqlite3.Connection) -> None:
            if self._remove(connection):
                connection.execute(
                    "INSERT INTO dead (address, reason, body) VALUES (?, ?, ?)",
                    (self.address, reason, self.body),
                )

        await self.bus.database.run(put_away)

    def _remove(self, connection: sqlite3.Connection) -> int:
        return connection.execute("DELETE FROM work WHERE id = ?", (self.row,)).rowcount

    async def _hold(self, seconds: float) -> None:
        held = (time.monotonic() + seconds, self.row, self.attempt)
        await self.bus.database.run(
            lambda connection: connection.execute(HOLD, held), durable=False
        )


@dataclass
class Deliveries:
    """The messages of one receiver: taken a batch at a time, given one by one."""

    bus: "SqliteBus"
    address: str
    patience: float
    taken: deque[SqliteDelivery] = field(default_factory=deque)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SqliteDelivery:
        while True:
            while self.taken:
                delivery = self.taken.popleft()
                if delivery.until > time.monotonic():  # else it is somebody else's by now
                    return delivery
            woken = self.bus.signal(self.address)
            claimed, wait = await self.bus.database.run(self._claim, durable=False)
            self.taken.extend(claimed)
            if not claimed:
                with anyio.move_on_after(wait):
                    await woken.wait()

    def _claim(self, connection: sqlite3.Connection) -> tuple[list[SqliteDelivery], float]:
        """Take what may be taken, and tell after how many seconds something may be."""
        now = time.monotonic()
        until = now + self.patience
        rows = connection.execute(CLAIMABLE, (self.address, now, BATCH)).fetchall()
        connection.executemany(CLAIM, [(until, row) for row, _, _ in rows])
        (due,) = connection.execute(FIRST_DUE, (self.address,)).fetchone()
        claimed = [
            SqliteDelivery(self.bus, self.address, row, body, tried + 1, self.patience, until)
            for row, body, tried in rows
        ]
        return claimed, math.inf if due is None else max(0.0, due - now)


@dataclass(frozen=True)
class SqliteLog:
    """A log and its rows."""

    bus: "SqliteBus"
    name: str

    async def append(self, body: bytes, end: int) -> int:
        def write(connection: sqlite3.Connection) -> int:
            place = end + 1
            if (last := self._end(connection)) == end:
                connection.execute("INSERT INTO entries VALUES (?, ?, ?)", (self.name, place, body))
                connection.execute(END, (self.name, place))
                return place
            there = connection.execute(
                "SELECT body FROM entries WHERE log = ? AND place = ?", (self.name, place)
            ).fetchone()
            if there != (body,):
                raise Conflict(f"{self.name} ends at {last}, not at {end}")
            return place

        self.bus.check_size(body)
        return await self.bus.database.run(write)

    async def read(self) -> tuple[list[Logged], int]:
        def fetch(connection: sqlite3.Connection) -> tuple[list[Logged], int]:
            rows = connection.execute(
                "SELECT place, body FROM entries WHERE log = ? ORDER BY place", (self.name,)
            )
            return [Logged(*row) for row in rows], self._end(connection)

        return await self.bus.database.run(fetch, durable=False)

    async def trim(self, before: int) -> None:
        def drop(connection: sqlite3.Connection) -> None:
            connection.execute(
                "DELETE FROM entries WHERE log = ? AND place < ?", (self.name, before)
            )

        await self.bus.database.run(drop)

    def _end(self, connection: sqlite3.Connection) -> int:
        row = connection.execute("SELECT end FROM logs WHERE name = ?", (self.name,)).fetchone()
        return int(row[0]) if row else 0


class SqliteBus:
    """A bus in one process; without a path it lasts as long as the process."""

    def __init__(self, path: Path | None, *, lease_ttl: float, largest: int) -> None:
        self.database = Database(path)
        self._lease_ttl = lease_ttl
        self._largest = largest
        self._groups: dict[str, str] = {}
        self._signals: dict[str, anyio.Event] = {}
        self._hearing: dict[str, set[MemoryObjectSendStream[bytes]]] = {}
        self._chores_at = -math.inf

    @classmethod
    async def open(
        cls, path: Path | None = None, *, lease_ttl: float = LEASE_TTL, largest: int = LARGEST
    ) -> Self:
        bus = cls(path, lease_ttl=lease_ttl, largest=largest)
        await bus.database.open()
        return bus

    async def close(self) -> None:
        await self.database.close()

    async def send(self, address: str, name: str, body: bytes) -> bool:
        check_words(address)
        check_name(name)
        self.check_size(body)
        now = time.time()

        def insert(connection: sqlite3.Connection) -> bool:
            self._forget(connection)
            oldest = now - DUPLICATE_WINDOW
            known = connection.execute("SELECT at FROM names WHERE name = ?", (name,)).fetchone()
            if known and known[0] >= oldest:
                return False
            connection.execute("INSERT OR REPLACE INTO names VALUES (?, ?)", (name, now))
            connection.execute("INSERT INTO work (address, body) VALUES (?, ?)", (address, body))
            return True

        sent = await self.database.run(insert)
        if sent:
            self.wake(address)
        return sent

    @asynccontextmanager
    async def deliveries(
        self, address: str, group: str, *, patience: float = 30.0
    ) -> AsyncIterator[Deliveries]:
        check_words(address, group)
        if self._groups.setdefault(address, group) != group:
            raise ValueError(f"{address} belongs to the group {self._groups[address]}")
        receiver = Deliveries(self, address, patience)
        try:
            yield receiver
        finally:
            with suppress(Unavailable):
                for delivery in receiver.taken:
                    await delivery.give_back()

    async def tell(self, address: str, body: bytes) -> None:
        check_words(address)
        self.check_size(body)
        for ear in self._hearing.get(address, ()):
            with suppress(anyio.WouldBlock, anyio.BrokenResourceError):
                ear.send_nowait(body)

    @asynccontextmanager
    async def hear(self, address: str) -> AsyncIterator[AsyncIterator[bytes]]:
        check_words(address)
        send, receive = anyio.create_memory_object_stream[bytes](UNHEARD)
        with send, receive, self._heard_at(address, send):
            yield receive

    async def get(self, bucket: str, key: str) -> Held | None:
        check_words(bucket, key)
        return await self.database.run(
            lambda connection: self._held(connection, bucket, key), durable=False
        )

    async def create(self, bucket: str, key: str, value: bytes) -> int:
        return await self._put(bucket, key, value, None)

    async def update(self, bucket: str, key: str, value: bytes, revision: int) -> int:
        return await self._put(bucket, key, value, revision)

    async def delete(self, bucket: str, key: str, revision: int) -> None:
        check_words(bucket, key)

        def remove(connection: sqlite3.Connection) -> None:
            self._expect(connection, bucket, key, revision)
            connection.execute("DELETE FROM state WHERE bucket = ? AND key = ?", (bucket, key))

        await self.database.run(remove)

    async def put_blob(self, body: bytes) -> str:
        name = await anyio.to_thread.run_sync(digest, body)

        def put(connection: sqlite3.Connection) -> None:
            self._forget(connection)
            connection.execute(
                "INSERT INTO blobs VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET at = ?",
                (name, body, time.time(), time.time()),
            )

        await self.database.run(put)
        return name

    async def get_blob(self, name: str) -> bytes | None:
        def fetch(connection: sqlite3.Connection) -> bytes | None:
            row = connection.execute("SELECT body FROM blobs WHERE name = ?", (name,)).fetchone()
            return row[0] if row else None

        return await self.database.run(fetch, durable=False)

    def log(self, name: str) -> SqliteLog:
        check_words(name)
        return SqliteLog(self, name)

    async def dead_letters(self) -> list[DeadLetter]:
        def fetch(connection: sqlite3.Connection) -> list[DeadLetter]:
            rows = connection.execute(
                "SELECT place, address, reason, body FROM dead ORDER BY place"
            )
            return [DeadLetter(*row) for row in rows]

        return await self.database.run(fetch, durable=False)

    async def retry_dead_letter(self, place: int) -> bool:
        def move(connection: sqlite3.Connection) -> str | None:
            row = connection.execute(
                "DELETE FROM dead WHERE place = ? RETURNING address, body", (place,)
            ).fetchone()
            if row is None:
                return None
            connection.execute("INSERT INTO work (address, body) VALUES (?, ?)", row)
            return str(row[0])

        address = await self.database.run(move)
        if address is not None:
            self.wake(address)
        return address is not None

    def signal(self, address: str) -> anyio.Event:
        """What is set when there may be something new at an address."""
        return self._signals.setdefault(address, anyio.Event())

    def wake(self, address: str) -> None:
        if event := self._signals.pop(address, None):
            event.set()

    def check_size(self, body: bytes) -> None:
        if len(body) > self._largest:
            raise TooLarge(f"{len(body)} bytes, {self._largest} are taken")

    @contextmanager
    def _heard_at(self, address: str, ear: MemoryObjectSendStream[bytes]) -> Iterator[None]:
        ears = self._hearing.setdefault(address, set())
        ears.add(ear)
        try:
            yield
        finally:
            ears.discard(ear)
            if not ears:
                self._hearing.pop(address, None)

    async def _put(self, bucket: str, key: str, value: bytes, revision: int | None) -> int:
        check_words(bucket, key)
        self.check_size(value)

        def write(connection: sqlite3.Connection) -> int:
            self._expect(connection, bucket, key, revision)
            written = connection.execute(PUT, (bucket, key, value, time.monotonic()))
            return int(written.lastrowid or 0)

        return await self.database.run(write)

    def _held(self, connection: sqlite3.Connection, bucket: str, key: str) -> Held | None:
        row = connection.execute(
            "SELECT value, revision, touched FROM state WHERE bucket = ? AND key = ?", (bucket, key)
        ).fetchone()
        if row is None:
            return None
        if bucket == EXPIRING_BUCKET and row[2] + self._lease_ttl <= time.monotonic():
            return None
        return Held(row[0], row[1])

    def _expect(
        self, connection: sqlite3.Connection, bucket: str, key: str, revision: int | None
    ) -> None:
        held = self._held(connection, bucket, key)
        if (held.revision if held else None) != revision:
            raise Conflict(f"{bucket}.{key} is not at revision {revision}")

    def _forget(self, connection: sqlite3.Connection) -> None:
        """Drop names and blobs whose time is over, now and then."""
        if time.monotonic() < self._chores_at + CHORES_EVERY:
            return
        self._chores_at = time.monotonic()
        connection.execute("DELETE FROM names WHERE at < ?", (time.time() - DUPLICATE_WINDOW,))
        connection.execute("DELETE FROM blobs WHERE at < ?", (time.time() - BLOB_LIFETIME,))
