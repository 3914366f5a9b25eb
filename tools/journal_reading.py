"""What the journal knows, for those who ask: why a command did what it did, and which there were.

It reads in a thread of its own, by a connection that can only read, so that nobody who waits for a
commit waits for this. Nothing of it exists before somebody asks.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, TypeVar
from urllib.parse import quote

import anyio
import anyio.to_thread
import msgspec

from messages import wire
from messages.explaining import PastCommand
from messages.goals import GoalDraft
from messages.journaling import Entry, Outcome
from messages.results import Code
from messages.taught import DOMAIN, NAME, RUN
from tools.journal import JournalFile, unpacked

# A command, with the last undo of it that was not undone itself; what is not asked for is NULL.
COMMANDS = """
    SELECT command.rowid, command.id, command.taken_at, command.ended_at, command.submit,
        command.finished, command.undoes, command.schedule, command.session, coalesce((
            SELECT undo.id FROM commands AS undo
            WHERE undo.undoes = command.id AND undo.undoes != ''
                AND undo.status IN ('success', 'partial')
                AND json_extract(undo.submit, '$.mode') IS NOT 'plan'
                AND NOT EXISTS (
                    SELECT 1 FROM commands AS again
                    WHERE again.undoes = undo.id AND again.undoes != ''
                        AND again.status IN ('success', 'partial')
                )
            ORDER BY undo.rowid DESC LIMIT 1
        ), '')
    FROM commands AS command
    WHERE (:id IS NULL OR id = :id)
        AND (:session IS NULL OR session = :session)
        AND (:since IS NULL OR taken_at >= :since)
        AND (:until IS NULL OR taken_at <= :until)
        AND (:before IS NULL OR rowid < :before)
        AND (:status IS NULL OR coalesce(status, 'running') = :status)
        AND (:search IS NULL OR instr(folded(coalesce(
            json_extract(submit, '$.text'), json_extract(submit, '$.goals')
        )), :search) > 0)
    ORDER BY rowid DESC LIMIT :limit
"""
ENTRIES = "SELECT body FROM entries WHERE command = ? ORDER BY seq"
RECORDS = "SELECT lines FROM records WHERE command = ? ORDER BY seq"
ANY = dict.fromkeys(("id", "session", "since", "until", "before", "status", "search"))
AT_A_TIME = 2
LONGEST_NUMBER = 18  # digits that SQLite's numbers surely have
DONE = frozenset({"success", "failed", "partial", "in_doubt"})
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Row:
    """A command as it stands in the journal."""

    number: int
    id: str
    accepted: float
    ended: float | None
    submit: str
    finished: str | None
    undoes: str
    schedule: str
    session: str
    undone_by: str


@dataclass
class JournalReader:
    """Answers by what is in the journal's file; ``discreet`` gives a text without its secrets."""

    journal: JournalFile
    discreet: Callable[[str], str]
    _limiter: list[anyio.CapacityLimiter] = field(default_factory=list)

    async def explain(self, request: wire.Explain) -> wire.Explained | wire.Error:
        """Explain a command, or say that it is not known."""
        return await self._in_thread(partial(self._explain, request))

    async def history(self, request: wire.History) -> wire.Histories | wire.Error:
        """Say which commands there were."""
        return await self._in_thread(partial(self._history, request))

    async def _in_thread(self, read: Callable[[], T]) -> T:
        """Read in a thread; few do at the same time."""
        if not self._limiter:
            self._limiter.append(anyio.CapacityLimiter(AT_A_TIME))
        return await anyio.to_thread.run_sync(read, limiter=self._limiter[0])

    # In the thread

    def _explain(self, request: wire.Explain) -> wire.Explained | wire.Error:
        from tools.journal_explanation import Kept, explained  # noqa: PLC0415 - only if somebody asks

        with self._reading() as connection:
            row = next(rows_of(connection, id=request.command, limit=1), None)
            if row is None:
                what = (
                    "no command" if request.command is None else f"no command {request.command!r}"
                )
                reason = f"{what} is known; it may be too long ago"
                return wire.Error(Code.UNKNOWN_COMMAND, reason, request.id)
            entries = tuple(readable_entries(connection, row.id))
            unwritten = self.journal.records.unwritten(row.id)  # first, so that none is missed
            found = connection.execute(RECORDS, (row.id,)).fetchall()
            lines = b"\n".join([*(unpacked(each) for (each,) in found), *unwritten]).split(b"\n")
        submit = readable(row.submit, wire.Submit)
        kept = Kept(
            wire.Submit(row.id, text="(unreadable)") if submit is None else submit,
            row.accepted,
            row.ended,
            None if row.finished is None else readable(row.finished, wire.Finished),
            entries,
            tuple(dict.fromkeys(lines)),  # what was written meanwhile is there twice
            row.undoes,
            row.undone_by,
            row.schedule,
        )
        return wire.Explained(request.id, explained(kept, self.discreet))

    def _history(self, request: wire.History) -> wire.Histories | wire.Error:
        before = request.before
        if before is not None and not (before.isdecimal() and len(before) < LONGEST_NUMBER):
            reason = "`before` must be the `next` of an answer"
            return wire.Error(Code.BAD_REQUEST, reason, request.id, "$.before")
        wanted = {
            "session": request.session,
            "since": request.since,
            "until": request.until,
            "before": None if before is None else int(before),
            "status": "running" if request.status == "queued" else request.status,
            "search": None if request.search is None else request.search.casefold(),
        }
        with self._reading() as connection:
            rows = list(rows_of(connection, **wanted, limit=request.limit + 1))
            more = len(rows) > request.limit
            shown = rows[: request.limit]
            past = tuple(past_command(row, readable_entries(connection, row.id)) for row in shown)
        return wire.Histories(request.id, past, str(shown[-1].number) if more else None)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Give a connection that reads the file; a journal in memory has no other than its own."""
        path = self.journal.path
        if path is None:
            connection = self.journal.connection
            add_folding(connection)
            yield connection
            return
        name = f"file:{quote(str(path))}?mode=ro"
        with closing(sqlite3.connect(name, uri=True)) as connection:
            add_folding(connection)
            yield connection


def add_folding(connection: sqlite3.Connection) -> None:
    """Let SQLite compare texts without regard to upper and lower case, whatever the script."""
    connection.create_function("folded", 1, folded, deterministic=True)


def folded(text: object) -> str:
    return text.casefold() if isinstance(text, str) else ""


def rows_of(connection: sqlite3.Connection, **wanted: object) -> Iterator[Row]:
    """Give the commands that are wanted, the newest first."""
    for found in connection.execute(COMMANDS, {**ANY, **wanted}).fetchall():
        yield Row(*found)


@cache
def decoder(kind: Any) -> Callable[[str], Any]:
    decode: Callable[[str], Any] = msgspec.json.Decoder(kind).decode
    return decode


def readable(text: str, kind: type[T]) -> T | None:
    """Read what was written; None if it cannot be read any more."""
    try:
        found: T = decoder(kind)(text)  # type: ignore[arg-type]  # a class is hashable
    except msgspec.DecodeError:
        return None
    return found


def readable_entries(connection: sqlite3.Connection, command: str) -> Iterator[Entry]:
    """Give the entries of a command that can be read."""
    for (body,) in connection.execute(ENTRIES, (command,)).fetchall():
        with suppress(msgspec.DecodeError):
            yield decoder(Entry)(body)


def past_command(row: Row, entries: Iterator[Entry]) -> PastCommand:
    """Describe a command in a few words."""
    submit: wire.Submit | None = readable(row.submit, wire.Submit)
    end: wire.Finished | None = (
        None if row.finished is None else readable(row.finished, wire.Finished)
    )
    outcomes = [entry for entry in entries if isinstance(entry, Outcome)]
    goals = () if submit is None else submit.goals or ()
    return PastCommand(
        row.id,
        row.session,
        row.accepted,
        None if submit is None else submit.text,
        tuple(map(verb_of, goals)),
        "run" if submit is None else submit.mode,
        None if end is None else end.status,
        None if end is None else end.code,
        None if end is None else end.message,
        row.ended,
        count_actions(outcomes, end, row.submit),
        any(outcome.undo for outcome in outcomes) and not row.undone_by,
        row.undoes,
        row.undone_by,
        row.schedule,
    )


def verb_of(draft: GoalDraft) -> str:
    """Name a goal by its verb, and the run of a recipe by the recipe, too."""
    verb = f"{draft.domain}.{draft.verb}"
    name = draft.params.get(NAME)
    return f"{verb} {name}" if verb == f"{DOMAIN}.{RUN}" and name else verb


def count_actions(outcomes: Sequence[Outcome], end: wire.Finished | None, submit: str) -> int:
    """Count the actions that came to a result; what only looked is in the results alone."""
    done = {outcome.result.action for outcome in outcomes}
    is_plan = '"mode":"plan"' in submit
    results = () if end is None or is_plan else end.results
    return len(done | {each.action for each in results if each.action and each.status in DONE})
