"""The journal on disk: SQLite, written by one thread, many entries to a sync.

A statement gives up the interpreter's lock and has to wait for it again, so rows go in by one
statement for all of them, as a JSON array that SQLite itself takes apart. What comes while a
sync is under way waits for the next one: the more there is to write, the less each of it costs.

What cannot be written (the disk is full) is refused if it is new, and kept in memory to be written
later if it has happened already.
"""

import math
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias

import msgspec
import structlog

from messages import journaling, wire
from messages.journaling import (
    End,
    Ended,
    Entry,
    Keep,
    KeepRecords,
    KeepSchedules,
    Kept,
    Note,
    NotKept,
    NotTaken,
    Recall,
    RecallSchedules,
    Remember,
    Schedules,
    Stories,
    Story,
    Take,
    Taken,
    TakenBefore,
)
from messages.scheduling import Entry as ScheduleEntry
from tools.records import CommandRecords

# Each script leads from one version of the schema to the next; they are added, never changed.
MIGRATIONS = (
    """
    CREATE TABLE commands (
        id TEXT PRIMARY KEY, session TEXT NOT NULL, taken_at REAL NOT NULL, submit TEXT NOT NULL,
        ended_at REAL, status TEXT, finished TEXT
    );
    CREATE INDEX unfinished ON commands (taken_at) WHERE ended_at IS NULL;
    CREATE TABLE entries (
        seq INTEGER PRIMARY KEY, command TEXT NOT NULL, at REAL NOT NULL, body TEXT NOT NULL
    );
    CREATE INDEX entries_of ON entries (command);
    CREATE TABLE answers (key TEXT PRIMARY KEY, at REAL NOT NULL, answer TEXT NOT NULL);
    """,
    "ALTER TABLE commands ADD COLUMN undoes TEXT NOT NULL DEFAULT '';",
    "CREATE INDEX undoing ON commands (undoes) WHERE undoes != '';",
    """
    ALTER TABLE commands ADD COLUMN schedule TEXT NOT NULL DEFAULT '';
    ALTER TABLE commands ADD COLUMN approves TEXT NOT NULL DEFAULT '';
    CREATE TABLE schedules (id TEXT PRIMARY KEY, at REAL NOT NULL, entry TEXT NOT NULL);
    """,
    """
    CREATE TABLE records (
        seq INTEGER PRIMARY KEY, command TEXT NOT NULL, at REAL NOT NULL, lines BLOB NOT NULL
    );
    CREATE INDEX records_of ON records (command);
    """,
    """
    CREATE TABLE identity (id TEXT NOT NULL);
    INSERT INTO identity VALUES (lower(hex(randomblob(8))));
    """,
)
KNOWN = """
    SELECT id, finished FROM commands
    WHERE id IN (SELECT json_extract(value, '$[0]') FROM json_each(?))
"""
TAKE = """
    INSERT INTO commands (id, session, taken_at, submit, undoes, schedule, approves)
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), ?, json_extract(value, '$[2]'),
        json_extract(value, '$[3]'), json_extract(value, '$[4]'), json_extract(value, '$[5]')
    FROM json_each(?)
"""
# One alone, as on an idle daemon: nothing has to be taken apart.
TAKE_ONE = """
    INSERT INTO commands (id, session, taken_at, submit, undoes, schedule, approves)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""
KEEP = """
    INSERT INTO entries (command, at, body)
    SELECT json_extract(value, '$[0]'), ?, json_extract(value, '$[1]') FROM json_each(?)
"""
END = """
    UPDATE commands SET
        ended_at = ?, status = json_extract(j.value, '$[1]'),
        finished = json_extract(j.value, '$[2]')
    FROM json_each(?) j WHERE commands.id = json_extract(j.value, '$[0]')
"""
# Few rows are cheaper one by one, and the larger they are, the more so.
FEW = 3
KEEP_ONE = "INSERT INTO entries (command, at, body) VALUES (?, ?, ?)"
END_ONE = "UPDATE commands SET ended_at = ?, status = ?, finished = ? WHERE id = ?"
KEEP_SCHEDULE = "INSERT OR REPLACE INTO schedules (id, at, entry) VALUES (?, ?, ?)"
DROP_SCHEDULE = "DELETE FROM schedules WHERE id = ?"
SCHEDULES = "SELECT entry FROM schedules ORDER BY at"
# What was cancelled may be brought back for so long.
FORGET_CANCELLED = """
    DELETE FROM schedules WHERE at < ? AND json_extract(entry, '$.state') = 'cancelled'
"""
REMEMBER = "INSERT OR REPLACE INTO answers (key, at, answer) VALUES (?, ?, ?)"
UNFINISHED = """
    SELECT id, submit, finished, undoes, schedule, approves FROM commands
    WHERE ended_at IS NULL ORDER BY rowid
"""
ONE = "SELECT id, submit, finished, undoes, schedule, approves FROM commands WHERE id = ?"
# The command of a session that changed something last, or may have, is no undo, and is not undone
# now. Whether what it changed can be put back does not matter: nothing else is put back instead.
LAST_CHANGE = """
    SELECT id, submit, finished, undoes, schedule, approves FROM commands AS changed
    WHERE session = ? AND ended_at IS NOT NULL AND undoes = '' AND EXISTS (
        SELECT 1 FROM entries AS entry WHERE command = changed.id AND CASE
            json_extract(body, '$.kind')
            WHEN 'outcome' THEN json_array_length(body, '$.undo') > 0 OR coalesce(
                json_extract(body, '$.changed'),
                json_extract(body, '$.result.status') IN ('success', 'in_doubt')
            )
            WHEN 'intent' THEN NOT EXISTS (
                SELECT 1 FROM entries AS later
                WHERE later.command = changed.id AND later.seq > entry.seq
                    AND json_extract(later.body, '$.kind') = 'outcome'
                    AND json_extract(later.body, '$.result.action')
                        = json_extract(entry.body, '$.action.action_id')
            )
        END
    ) AND NOT EXISTS (
        SELECT 1 FROM commands AS undo
        WHERE undo.undoes = changed.id AND undo.undoes != ''
            AND undo.status IN ('success', 'partial')
            AND json_extract(undo.submit, '$.mode') IS NOT 'plan'
            AND NOT EXISTS (
                SELECT 1 FROM commands AS again
                WHERE again.undoes = undo.id AND again.undoes != ''
                    AND again.status IN ('success', 'partial')
                    AND json_extract(again.submit, '$.mode') IS NOT 'plan'
            )
    ) ORDER BY (SELECT max(seq) FROM entries WHERE command = changed.id) DESC LIMIT 1
"""
LATEST = """
    SELECT id, submit, finished, undoes, schedule, approves FROM commands
    WHERE session = ? AND ended_at IS NOT NULL ORDER BY rowid DESC LIMIT ?
"""
ENTRIES = "SELECT body FROM entries WHERE command = ? ORDER BY seq"
ANSWERS = "SELECT key, answer FROM answers ORDER BY at DESC LIMIT ?"
FORGET = """
    DELETE FROM commands WHERE id IN (
        SELECT id FROM commands WHERE ended_at < ? ORDER BY rowid LIMIT ?
    ) RETURNING id
"""
KEEP_RECORDS = "INSERT INTO records (command, at, lines) VALUES (?, ?, ?)"
# Of what explanations need, so much of the latest is kept.
FORGET_RECORDS = """
    DELETE FROM records WHERE seq <= (
        SELECT max(seq) FROM (
            SELECT seq, sum(length(lines)) OVER (ORDER BY seq DESC) AS size FROM records
        ) WHERE size > ?
    )
"""
FORGET_ANSWERS = """
    DELETE FROM answers WHERE key NOT IN (SELECT key FROM answers ORDER BY at DESC LIMIT ?)
"""
NEEDED = (
    "SELECT * FROM commands WHERE ended_at IS NULL",
    "SELECT body FROM entries WHERE command IN (SELECT id FROM commands WHERE ended_at IS NULL)",
    "SELECT * FROM answers",
)
ROW: TypeAlias = tuple[str, str, wire.Submit, str, str, str]
DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
PRIMARY = 0xFF  # the rest of an error's code says more exactly what it is
RETRY_SECONDS = 0.5
TIDY_SECONDS = 600.0
FORGET_AT_A_TIME = 50
KEPT_ANSWERS = 1_000
LARGEST_TEXT = 64 << 20
UNREADABLE = "(unreadable)"
DAY = 86_400.0
FEW_PAGES = 200
RECORDS_SHARE = 0.25  # of the journal's size
SMALL = 1_024  # bytes; what is longer is compressed
SIBLINGS = 8  # that many commands under way make it worth while to wait for what they write

Deliver: TypeAlias = Callable[[Any, Any], None]
Delivery: TypeAlias = tuple[Deliver, journaling.Inbox, journaling.Reply]
Job: TypeAlias = tuple[journaling.Inbox, Deliver | None]

_encode = msgspec.json.Encoder().encode
_submit = msgspec.json.Decoder(wire.Submit).decode
_finished = msgspec.json.Decoder(wire.Finished).decode
_schedule = msgspec.json.Decoder(ScheduleEntry).decode
_entry: Callable[[str], Entry] = msgspec.json.Decoder(Entry).decode


class BadJournal(Exception):
    """The journal cannot be used; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """How long what has ended is kept, and how large the journal may become."""

    days: float = 90.0
    megabytes: float = 512.0


@dataclass
class JournalFile:
    """The thread that writes, what waits for it, and how it does."""

    path: Path | None
    call_soon: Callable[..., object]
    keeping: Keeping = field(default_factory=Keeping)
    records: CommandRecords = field(default_factory=CommandRecords)
    failing: str | None = None
    size: int = 0
    id: str = field(init=False)
    _taken: list[Job] = field(default_factory=list)
    _jobs: SimpleQueue[list[Job] | None] = field(default_factory=SimpleQueue)
    _backlog: list[Job] = field(default_factory=list)
    _closing: bool = False
    _tidied: float = -math.inf
    _tidying: Iterator[None] | None = None
    _over: bool = False
    _open: int = 0

    def __post_init__(self) -> None:
        self._log = structlog.get_logger(actor="journal")
        self._connection = opened(self.path)
        self._file = None if self.path is None else identity(self.path)
        self._measure()
        (self.id,) = self._connection.execute("SELECT id FROM identity").fetchone()
        # The answers of models that were believed, the latest last.
        found = self._connection.execute(ANSWERS, (KEPT_ANSWERS,)).fetchall()
        self.answers: dict[str, str] = dict(reversed(found))
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    # Called in the event loop

    @property
    def is_pressed(self) -> bool:
        """Tell whether many commands are under way, so that more is to come at any moment."""
        return self._open > SIBLINGS

    def put(self, message: journaling.Inbox, deliver: Deliver | None) -> None:
        """Take a message; it and its reply are delivered in the event loop once it is on disk."""
        if self._over:
            raise RuntimeError("the thread that writes the journal has ended")
        if self.records.under_way and isinstance(message, End | Keep | Note):
            self._put_records(message)
        self._taken.append((message, deliver))

    def _put_records(self, message: End | Keep | Note) -> None:
        """Have the records of a command written with its end, an intent or a question."""
        if isinstance(message, Note) and not isinstance(message.entry, journaling.Asked):
            return
        if lines := self.records.take(message.command_id):
            self._taken.append((KeepRecords(message.command_id, lines), None))

    def flush(self) -> None:
        """Hand what was taken to the thread: to wake it costs more than to write an entry."""
        if self._taken:
            self._jobs.put(self._taken)
            self._taken = []

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, for a reader of a journal that is in memory alone."""
        return self._connection

    def health(self) -> wire.JournalHealth:
        """Say how the journal does."""
        return wire.JournalHealth(self.failing is None, self.size, len(self._backlog), self.failing)

    @property
    def tidy(self) -> bool:
        """Tell whether all was forgotten that is to be."""
        return self._tidying is None and self._tidied > -math.inf

    def close(self, patience: float = 5.0) -> None:
        """Write what is left."""
        self.flush()
        self._jobs.put(None)
        self._thread.join(patience)

    # In the thread

    def _run(self) -> None:
        try:
            self._work()
        finally:
            self._over = True
            self._connection.close()

    def _work(self) -> None:
        while True:
            jobs = self._next_jobs()
            if jobs or self._backlog:
                self._serve(jobs)
            if self._closing and self._jobs.empty():
                break
            if time.monotonic() - self._tidied > TIDY_SECONDS:
                self._tidying, self._tidied = self._tidy(), time.monotonic()
            if self._tidying is not None and next(self._tidying, self) is self:
                self._tidying = None

    def _next_jobs(self) -> list[Job]:
        """Wait until there is something to do, and take all of it.

        The queue waits without a line of Python: where a command is alone, that is most of what
        it costs to wake this thread.
        """
        patience = RETRY_SECONDS if self._backlog else TIDY_SECONDS
        jobs: list[Job] = []
        with suppress(Empty):
            some = self._jobs.get(self._tidying is None, patience)
            while True:
                if some is None:
                    self._closing = True
                else:
                    jobs += some
                some = self._jobs.get_nowait()
        return jobs

    def _serve(self, jobs: list[Job]) -> None:
        """Write what is to be written in one transaction, then read what is to be read."""
        batch = Batch(self._backlog + jobs)
        replies: list[Delivery] = []
        try:
            known = self._write(batch)
        except (sqlite3.Error, OSError) as error:
            reason = worded(error, self.path)
            self._note_failure(reason)
            replies += batch.refusals(f"the journal cannot be written: {reason}")
            self._backlog = batch.happened
        else:
            if batch.writes:
                self._note_success()
            for records in batch.records:
                self.records.forget(records.command_id, records.lines)
            self._open += len(batch.takes) - len(known) - len(batch.ends)
            self._backlog = []
            replies += batch.replies(known)
        for message, deliver in batch.reads:
            if deliver is not None:
                replies.append((deliver, message, self._read(message)))
        if replies:
            self.call_soon(deliver_all, replies)

    def _write(self, batch: "Batch") -> dict[str, str | None]:
        """Write a batch and sync; give the commands that were known already, with their ends."""
        connection, now = self._connection, time.time()
        known: dict[str, str | None] = {}
        if not batch.writes:
            return known
        if batch.takes:
            self._miss_no_file()
        with transaction(connection, is_one=batch.is_one):
            if batch.takes:
                known = self._take(batch.takes, now)
            if batch.entries:
                self._keep(batch.entries, now)
            if batch.ends:
                self._end(batch.ends, now)
            for records in batch.records:
                kept = (records.command_id, now, packed(records.lines))
                connection.execute(KEEP_RECORDS, kept)
            for answer in batch.answers:
                connection.execute(REMEMBER, (answer.key, now, answer.answer))
            for schedules in batch.schedules:
                self._write_schedules(schedules.entries, now)
        return known

    def _keep(self, entries: Sequence[Keep | Note], now: float) -> None:
        """Write down what happened to commands."""
        kept = [(each.command_id, each.entry) for each in entries]
        if (packed := together(kept, self._connection)) is not None:
            self._connection.execute(KEEP, (now, packed))
            return
        for command, entry in kept:
            self._connection.execute(KEEP_ONE, (command, now, encoded(entry)))

    def _end(self, written: Sequence[End], now: float) -> None:
        """Write down how commands ended."""
        ends = [(end.command_id, end.finished.status, end.finished) for end in written]
        if (packed := together(ends, self._connection)) is not None:
            self._connection.execute(END, (now, packed))
            return
        for command, status, end in ends:
            self._connection.execute(END_ONE, (now, status, encoded(end), command))

    def _take(self, takes: Sequence[Take], now: float) -> dict[str, str | None]:
        """Write down new commands; give those that are not, with their ends: they are rare."""
        rows = [row_of(take) for take in takes]
        try:
            self._insert(rows, now)
        except sqlite3.IntegrityError:
            known = dict(self._connection.execute(KNOWN, (encoded(rows),)).fetchall())
            self._insert([row for row in rows if row[0] not in known], now)
            return known
        return {}

    def _insert(self, rows: Sequence[ROW], now: float) -> None:
        if len(rows) == 1:
            ((command, session, submit, *rest),) = rows
            self._connection.execute(TAKE_ONE, (command, session, now, encoded(submit), *rest))
        elif rows:
            self._connection.execute(TAKE, (now, encoded(rows)))

    def _read(self, message: Recall | RecallSchedules) -> Stories | Schedules:
        if isinstance(message, RecallSchedules):
            return self._read_schedules()
        return self._read_stories(message)

    def _read_schedules(self) -> Schedules:
        """Read what is due later; an entry that cannot be read is logged, and holds up no other."""
        found: list[ScheduleEntry] = []
        for (body,) in self._connection.execute(SCHEDULES).fetchall():
            try:
                found.append(_schedule(body))
            except msgspec.DecodeError as error:
                self.call_soon(partial(self._log.error, "journal.unreadable", error=str(error)))
        return Schedules(tuple(found))

    def _write_schedules(self, entries: Sequence[ScheduleEntry], now: float) -> None:
        for entry in entries:
            if entry.state == "done":
                self._connection.execute(DROP_SCHEDULE, (entry.id,))
            else:
                self._connection.execute(KEEP_SCHEDULE, (entry.id, now, encoded(entry)))

    def _read_stories(self, message: Recall) -> Stories:
        """Read what is asked for; what cannot be read is said to be unreadable, and logged."""
        try:
            if message.command_id:
                rows = self._connection.execute(ONE, (message.command_id,)).fetchall()
                return Stories(tuple(self._story(*row) for row in rows), message.command_id)
            if message.latest:
                wanted = (message.session, message.latest)
                rows = self._connection.execute(LATEST, wanted).fetchall()
                stories = tuple(self._readable_story(*row) for row in reversed(rows))
                return Stories(stories, session=message.session)
            if message.session:
                rows = self._connection.execute(LAST_CHANGE, (message.session,)).fetchall()
                stories = tuple(self._story(*row) for row in rows)
                return Stories(stories, session=message.session)
            rows = self._connection.execute(UNFINISHED).fetchall()
            known = (self._readable_story(*row) for row in rows)
            return Stories(tuple(story for story in known if story.finished is None))
        except (sqlite3.Error, msgspec.DecodeError) as error:
            self.call_soon(partial(self._log.error, "journal.unreadable", error=str(error)))
            return Stories((), message.command_id, unreadable=True, session=message.session)

    def _readable_story(
        self, command: str, submit: str, finished: str | None, *origin: str
    ) -> Story:
        """Tell of a command; one that cannot be read any more is logged, and holds up no other."""
        try:
            return self._story(command, submit, finished, *origin)
        except msgspec.DecodeError as error:
            about = {"command_id": command, "error": str(error)}
            self.call_soon(partial(self._log.error, "journal.unreadable", **about))
            with suppress(msgspec.DecodeError):
                return Story(_submit(submit), unreadable=True)
            return Story(wire.Submit(command, text=UNREADABLE), unreadable=True)

    def _story(self, command: str, submit: str, finished: str | None, *origin: str) -> Story:
        """Tell of a command; what has happened and could not be written yet is part of it."""
        bodies = self._connection.execute(ENTRIES, (command,)).fetchall()
        entries = [_entry(body) for (body,) in bodies]
        end = None if finished is None else _finished(finished)
        for message, _ in self._backlog:
            match message:
                case Note(each, entry) if each == command:
                    entries.append(entry)
                case End(each, unwritten) if each == command:
                    end = unwritten
                case _:
                    pass
        undoes, schedule, approves = origin
        return Story(
            _submit(submit),
            tuple(entries),
            end,
            undoes=undoes,
            schedule=schedule,
            approves=tuple(filter(None, approves.split(","))),
        )

    def _miss_no_file(self) -> None:
        """Refuse to write to a file that nobody would find again."""
        if self.path is not None and identity(self.path) != self._file:
            raise OSError(f"{self.path} was removed or replaced; start the daemon anew")

    def _tidy(self) -> Iterator[None]:
        """Forget what ended long ago, and as much of the oldest as the size demands.

        Each step is short, for what comes meanwhile has to wait for it.
        """
        try:
            while self._forget(time.time() - self.keeping.days * DAY):
                yield
            while self._measure() > self.keeping.megabytes * 1e6 and self._forget(math.inf):
                yield
                self._connection.execute(f"PRAGMA incremental_vacuum({FEW_PAGES})").fetchall()
                yield
            with transaction(self._connection):
                self._connection.execute(FORGET_ANSWERS, (KEPT_ANSWERS,))
                most = self.keeping.megabytes * 1e6 * RECORDS_SHARE
                self._connection.execute(FORGET_RECORDS, (most,))
                self._connection.execute(FORGET_CANCELLED, (time.time() - DAY,))
            self._connection.execute(f"PRAGMA incremental_vacuum({FEW_PAGES})").fetchall()
            self._measure()
        except sqlite3.Error as error:
            self._note_failure(str(error))

    def _forget(self, before: float) -> int:
        """Forget some of the commands that ended before a time; give how many."""
        with transaction(self._connection):
            gone = self._connection.execute(FORGET, (before, FORGET_AT_A_TIME)).fetchall()
            self._connection.executemany("DELETE FROM entries WHERE command = ?", gone)
            self._connection.executemany("DELETE FROM records WHERE command = ?", gone)
        return len(gone)

    def _measure(self) -> int:
        """See how large the journal is, without the pages that are free."""
        (pages,), (free,), (size,) = (
            self._connection.execute(f"PRAGMA {name}").fetchone()
            for name in ("page_count", "freelist_count", "page_size")
        )
        self.size = (pages - free) * size
        return self.size

    def _note_failure(self, reason: str) -> None:
        if self.failing is None:
            self.call_soon(partial(self._log.error, "journal.failing", reason=reason))
        self.failing = reason

    def _note_success(self) -> None:
        if self.failing is not None:
            self.call_soon(partial(self._log.info, "journal.recovered"))
        self.failing = None


class Batch:
    """What one transaction writes, and whom to tell."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.jobs = jobs
        self.takes: list[Take] = []
        self.entries: list[Keep | Note] = []
        self.ends: list[End] = []
        self.answers: list[Remember] = []
        self.records: list[KeepRecords] = []
        self.schedules: list[KeepSchedules] = []
        self.reads: list[tuple[Recall | RecallSchedules, Deliver | None]] = []
        for message, deliver in jobs:
            match message:
                case Take():
                    self.takes.append(message)
                case Keep() | Note():
                    self.entries.append(message)
                case End():
                    self.ends.append(message)
                case Remember():
                    self.answers.append(message)
                case KeepRecords():
                    self.records.append(message)
                case KeepSchedules():
                    self.schedules.append(message)
                case _:
                    self.reads.append((message, deliver))

    @property
    def writes(self) -> bool:
        return len(self.reads) < len(self.jobs)

    @property
    def is_one(self) -> bool:
        """Tell whether one statement writes all of it."""
        return len(self.jobs) - len(self.reads) == 1 and not self.schedules

    @property
    def happened(self) -> list[Job]:
        """What cannot be refused any more, because it has happened: it is written later."""
        return [job for job in self.jobs if isinstance(job[0], End | Note)]

    def replies(self, known: dict[str, str | None]) -> Iterator[Delivery]:
        """Say of everything that it is on disk."""
        for message, deliver in self.jobs:
            if deliver is None:
                continue
            match message:
                case Take(command_id) if command_id in known:
                    yield deliver, message, taken_before(command_id, known[command_id])
                case Take(command_id):
                    yield deliver, message, Taken(command_id)
                case End(command_id, finished):
                    yield deliver, message, Ended(command_id, finished)
                case Keep() | KeepSchedules():
                    yield deliver, message, Kept()
                case _:
                    pass

    def refusals(self, reason: str) -> Iterator[Delivery]:
        """Say of everything new that it could not be written."""
        for message, deliver in self.jobs:
            match message:
                case Take(command_id) if deliver is not None:
                    yield deliver, message, NotTaken(command_id, reason)
                case Keep() | KeepSchedules() if deliver is not None:
                    yield deliver, message, NotKept(reason)
                case _:
                    pass


def row_of(take: Take) -> ROW:
    """Give a new command as it is written down."""
    origin = (take.undoes, take.schedule, ",".join(take.approves))
    return (take.command_id, take.submit.session, take.submit, *origin)


def taken_before(command: str, end: str | None) -> TakenBefore | NotTaken:
    """Say how a command that came before has ended, if it has."""
    try:
        return TakenBefore(command, None if end is None else _finished(end))
    except msgspec.DecodeError as error:
        return NotTaken(command, f"it came before, and its end cannot be read: {error}")


def deliver_all(replies: Sequence[Delivery]) -> None:
    for deliver, message, reply in replies:
        deliver(message, reply)


def packed(lines: bytes) -> bytes:
    """Give records as they are written down: compressed, if that is worth it."""
    return lines if len(lines) < SMALL else zlib.compress(lines, 1)


def unpacked(lines: bytes) -> bytes:
    """Give records as they were."""
    return lines if lines[:1] == b"{" else zlib.decompress(lines)


def together(rows: Sequence[object], connection: sqlite3.Connection) -> str | None:
    """Give many rows as one text, which is the quickest way in; None if that is not worth it.

    A text has a limit in SQLite, and each row alone is far below it.
    """
    if len(rows) <= FEW:
        return None
    packed = encoded(rows)
    longest = min(LARGEST_TEXT, connection.getlimit(sqlite3.SQLITE_LIMIT_LENGTH))
    return packed if len(packed) <= longest else None


def encoded(rows: Any) -> str:
    """Encode rows; text that is no Unicode is written as far as it is."""
    try:
        return _encode(rows).decode()
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(rows)
        return _encode(readable(plain)).decode()


def readable(value: Any) -> Any:
    """Replace what is no Unicode in all texts of a value."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, dict):
        return {readable(key): readable(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [readable(each) for each in value]
    return value


def identity(path: Path) -> tuple[int, int] | None:
    """Tell a file from any other; None if there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


@contextmanager
def transaction(connection: sqlite3.Connection, *, is_one: bool = False) -> Iterator[None]:
    """Do all of it, synced, or nothing; one statement alone is a transaction by itself."""
    if is_one:
        yield
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def opened(path: Path | None) -> sqlite3.Connection:
    """Open the journal, made or brought up to date where need be; only its owner may read it."""
    try:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.touch(mode=0o600)
        name = ":memory:" if path is None else str(path)
        connection = sqlite3.connect(name, isolation_level=None, check_same_thread=False)
        version = version_of(connection)
        if version:
            read_through(connection)
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        migrate(connection, version, MIGRATIONS)
    except (sqlite3.Error, OSError) as error:
        raise unusable(path, error) from None
    return connection


def read_through(connection: sqlite3.Connection) -> None:
    """Read all that is needed to start, before anything is written: it may be damaged."""
    for query in NEEDED:
        for _ in connection.execute(query):
            pass


def unusable(path: Path | None, error: Exception) -> BadJournal:
    return BadJournal(f"the journal {path} cannot be used: {worded(error, path)}")


def worded(error: Exception, path: Path | None) -> str:
    """Say what is wrong with the journal and, if its file is damaged, what to do."""
    code = getattr(error, "sqlite_errorcode", 0) & PRIMARY
    if path is None or code not in DAMAGE:
        return str(error)
    return (
        f"{error}. Its file is damaged, or none of Behest's. Bring back a copy of it, or move "
        f"{path} away, with {path.name}-wal and {path.name}-shm if they are there: the next start "
        "begins a new one. What was under way is then forgotten, a command that is sent again by "
        "its old id would run again, and what was done before cannot be undone. Files and pages "
        "stay as they are"
    )


def version_of(connection: sqlite3.Connection) -> int:
    """Give the version of the schema; one of a later Behest is left alone."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        message = f"it was written by a later version of Behest (schema {version}); update Behest"
        raise sqlite3.DatabaseError(message)
    return version


def migrate(connection: sqlite3.Connection, version: int, scripts: Sequence[str]) -> None:
    """Bring the schema up to date."""
    for number, script in enumerate(scripts[version:], start=version + 1):
        statements = f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;"
        connection.executescript(statements)
