"""Follows the daemon's trace, notifies open pages, and keeps when actions began and ended.

An explanation tells how long an action took, but not when it began. Only the trace tells that, so
the moments of the latest commands are kept here, within limits.
"""

import math
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

import anyio
import msgspec
import structlog

from messages import wire
from tools.observer.link import DaemonLink, Unreachable

MOST_COMMANDS = 300
MOST_SPANS = 10_000  # of one command
MOST_SPANS_IN_ALL = 20_000  # of all commands together
MOST_LISTENERS = 32
MOST_PENDING = 200
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 4.0
HEARTBEAT = 15.0

log = structlog.get_logger(actor="observer")


class Record(msgspec.Struct, frozen=True):
    """What is read of a record of the trace."""

    ts: str
    event: str
    command_id: str = ""
    span_id: str = ""
    goal_id: str = ""
    action_id: str = ""
    ms: float | None = None
    status: str = ""
    seq: int = 0

    @property
    def moment(self) -> float:
        return datetime.fromisoformat(self.ts).timestamp()


class Span(msgspec.Struct, frozen=True):
    """One attempt at an action: when it began and ended, in seconds since 1970, if that is known.

    ``start`` is None for what is known only from an explanation.
    """

    goal: str
    action: str
    start: float | None
    end: float | None = None
    status: str = "running"
    ms: float | None = None


_decode = msgspec.json.Decoder(Record).decode


@dataclass
class Moments:
    """When the actions of the latest commands began and ended."""

    _commands: OrderedDict[str, dict[str, Span]] = field(default_factory=OrderedDict)
    _spans: int = 0  # of all commands

    def of(self, command: str) -> Mapping[str, Span]:
        return self._commands.get(command, {})

    def keep(self, record: Record) -> None:
        """Take the moment of an action from a record; the same twice changes nothing."""
        if not record.action_id:
            return
        spans = self._commands.setdefault(record.command_id, {})
        self._commands.move_to_end(record.command_id)
        before = len(spans)
        if record.event == "action.started" and len(spans) < MOST_SPANS:
            begun = Span(record.goal_id, record.action_id, record.moment)
            spans.setdefault(record.span_id, begun)
        elif record.event == "action.finished" and len(spans) <= MOST_SPANS:
            spans[record.span_id] = closed_span(record, spans.get(record.span_id))
        self._spans += len(spans) - before
        self._drop_oldest()

    def _drop_oldest(self) -> None:
        """Keep within the limits; the latest command stays."""
        while len(self._commands) > 1 and (
            len(self._commands) > MOST_COMMANDS or self._spans > MOST_SPANS_IN_ALL
        ):
            self._spans -= len(self._commands.popitem(last=False)[1])


def closed_span(record: Record, begun: Span | None) -> Span:
    """Close a span; an instant observation has no record of its beginning."""
    end = record.moment
    start = end - (record.ms or 0.0) / 1000 if begun is None else begun.start
    return Span(record.goal_id, record.action_id, start, end, record.status, record.ms)


@dataclass
class Listener:
    """The changes that one open page has not received yet."""

    pending: dict[tuple[str, str], None] = field(default_factory=dict)
    daemon: bool | None = None
    woken: anyio.Event = field(default_factory=anyio.Event)
    closed: bool = False

    def tell(self, command: str, topic: str) -> None:
        """Queue a change; if too many wait, queue one that renews everything."""
        if len(self.pending) >= MOST_PENDING:
            self.pending.clear()
            command, topic = "", "all"
        self.pending[command, topic] = None
        self.woken.set()

    def close(self) -> None:
        """Disconnect the page; it reconnects by itself if somebody still has it open."""
        self.closed = True
        self.woken.set()

    def lines(self) -> Iterator[str]:
        """Give the queued changes as server-sent events, and empty the queue."""
        if self.daemon is not None:
            yield f"event: daemon\ndata: {'up' if self.daemon else 'down'}\n\n"
        for command, topic in self.pending:
            data = msgspec.json.encode({"command": command, "topic": topic}).decode()
            yield f"event: change\ndata: {data}\n\n"
        self.pending, self.daemon = {}, None


@dataclass
class Changes:
    """Follows the daemon's trace, and tells the pages that are open."""

    link: DaemonLink
    moments: Moments = field(default_factory=Moments)
    up: bool = False
    _listeners: list[Listener] = field(default_factory=list)

    async def follow(self) -> None:
        """Follow the trace; a daemon that is gone is waited for."""
        pause = FIRST_PAUSE
        while True:
            try:
                await self._follow_once()
            except Unreachable:
                pause = FIRST_PAUSE if self.up else min(pause * 2, LONGEST_PAUSE)
                self._set_up(up=False)
            await anyio.sleep(pause)

    async def _follow_once(self) -> None:
        async with self.link.trace() as replies:
            replayed = math.inf
            async for reply in replies:
                if isinstance(reply, wire.Subscribed):
                    replayed = reply.seq
                    self._set_up(up=True)
                    continue
                self._take(bytes(reply.record), replayed)

    def _take(self, line: bytes, replayed: float) -> None:
        try:
            record = _decode(line)
        except msgspec.DecodeError:
            log.warning("observer.odd_record", bytes=len(line))
            return
        if not record.command_id:
            return
        self.moments.keep(record)
        if record.seq > replayed:
            self.tell_all(record.command_id, record.event.partition(".")[0])

    def tell_all(self, command: str, topic: str) -> None:
        """Tell every open page of a change."""
        for listener in self._listeners:
            listener.tell(command, topic)

    def _set_up(self, *, up: bool) -> None:
        self.up = up
        for listener in self._listeners:
            listener.daemon = up
            listener.tell("", "all")

    @contextmanager
    def listening(self) -> Iterator[Listener]:
        """Register a page for changes; above the limit, the oldest page is disconnected."""
        if len(self._listeners) >= MOST_LISTENERS:
            self._listeners[0].close()
        listener = Listener(daemon=self.up)
        self._listeners.append(listener)
        try:
            yield listener
        finally:
            self._listeners.remove(listener)

    def close(self) -> None:
        """Disconnect every page."""
        for listener in self._listeners:
            listener.close()


async def event_stream(
    changes: Changes, session: Callable[[], object | None]
) -> AsyncIterator[str]:
    """Give server-sent events while there is a session; a sign of life where nothing happens."""
    yield "retry: 1000\n\n"
    with changes.listening() as listener:
        while not listener.closed and session() is not None:
            listener.woken = anyio.Event()  # replaced before reading, so that no change is missed
            for line in list(listener.lines()):
                yield line
            with anyio.move_on_after(HEARTBEAT) as waited:
                await listener.woken.wait()
            if waited.cancelled_caught:
                yield ": alive\n\n"
