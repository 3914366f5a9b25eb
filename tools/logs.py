"""The JSON log: one object a line, to stdout and to whoever subscribed.

A line per decision is a good part of what the daemon does, so structlog's pipeline is cut to one
step: stamp, encode once, hand the same bytes to the writer and to the subscribers.
"""

import itertools
import os
import select
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import time_ns
from typing import Any, Protocol

import msgspec
import structlog

from messages.trace import Trace, current
from tools.text import disarmed

FLUSH_SECONDS = 0.02
MAX_HELD_BYTES = 64 << 20
KEPT_BYTES = 8 << 20
FORGET_EVERY = 256
MOST_LABELS = 1_000
HEAD = b'{"ts":"%b.%06dZ",%b,"seq":%d%b%b,"span_id":"%b"'
RECORD, BARE_RECORD = HEAD + b",%b", HEAD + b"}"
SECOND = 1_000_000  # microseconds

_encode = msgspec.json.Encoder(enc_hook=repr).encode


def readable(value: object) -> object:
    """Give a value as it is if it is no text, else as far as it is text."""
    if isinstance(value, datetime | int | float):
        return value
    return str(value).encode(errors="replace").decode()


def part(name: bytes, value: str) -> bytes:
    """Give a part of a record's head; nothing of what it belongs to nowhere."""
    return b',"%b":%b' % (name, _encode(readable(value))) if value else b""


def place_of(command: str, span: str) -> bytes:
    """Say which command a record belongs to, and which span it follows from."""
    return part(b"command_id", command) + part(b"parent_id", span)


def clock_of(seconds: int) -> bytes:
    """Give a moment up to the second, as all records of that second begin."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S").encode()


def span_ids() -> Callable[[], str]:
    """Make ids that are unique on this machine and cost nothing to make."""
    numbers = itertools.count(time.time_ns() >> 10)
    return map("%x".__mod__, numbers).__next__


class Label(msgspec.Struct, gc=False):
    """What a subscriber chooses by, read back from a line."""

    event: str
    seq: int


_label = msgspec.json.Decoder(Label).decode


@dataclass(slots=True, eq=False)
class Subscription:
    """Somebody who wants to hear the events of these names."""

    events: tuple[str, ...]
    put: Callable[[bytes], None]

    def offer(self, event: str, line: bytes) -> None:
        if not self.events or event.startswith(self.events):
            self.put(line)


class Notes(Protocol):
    """Whoever keeps some of the records for longer."""

    @property
    def noted(self) -> frozenset[str]:
        """The events of which the records are wanted."""

    def note(self, event: str, command: str, fields: Mapping[str, Any], line: bytes) -> None:
        """Take what was said in a record of a command, and the line that it was rendered to."""


@dataclass(frozen=True, slots=True)
class NoNotes:
    """Keeps nothing."""

    noted: frozenset[str] = frozenset()

    def note(self, event: str, command: str, fields: Mapping[str, Any], line: bytes) -> None:
        """Keep nothing."""


@dataclass
class TraceLog:
    """Renders every record, keeps the latest, and hands them to the writer and subscribers.

    Some are noted by whoever keeps them for longer.
    """

    write: Callable[[bytes], None]
    new_span: Callable[[], str]
    keep: int = 2_000
    seq: int = 0
    notes: Notes = field(default_factory=NoNotes)
    _kept: deque[bytes] = field(default_factory=deque)
    _subscriptions: list[Subscription] = field(default_factory=list)
    _size: int = 0
    _trace: Trace | None = None
    _place: bytes = b""
    _labels: dict[tuple[str, str, str], tuple[bytes, bytes]] = field(default_factory=dict)
    _second: int = 0
    _clock: bytes = b""

    def record(
        self, level: str, event: str, context: Mapping[str, Any], fields: dict[str, Any]
    ) -> None:
        """Render a record of what was bound to a logger and what was said."""
        self.render(level, event, context.get("actor", ""), {**fields})

    def render(self, level: str, event: str, actor: str, fields: dict[str, Any]) -> None:
        """Render a record once, for everybody who wants it; what was said beats what is known.

        Its head is put together from bytes: in one dictionary with the rest it would cost twice as
        much, and five records belong to the shortest command.
        """
        self.seq = seq = self.seq + 1
        trace = current.get()
        if trace is not self._trace:
            self._trace, self._place = trace, place_of(trace.command_id, trace.span_id)
        take, place = fields.pop, self._place
        if (command := take("command_id", None)) is not None:
            place = place_of(command, trace.span_id)
        label = self._labels.get((level, event, actor)) or self._label(level, event, actor)
        now = time_ns() // 1_000
        if not 0 <= (micros := now - self._second) < SECOND:
            micros = now % SECOND
            self._second, self._clock = now - micros, clock_of(now // SECOND)
        span = take("span_id", None) or self.new_span()
        try:
            body = _encode(fields)
        except UnicodeEncodeError:
            body = _encode({key: readable(value) for key, value in fields.items()})
        known = (self._clock, micros, label[0], seq, label[1], place, span.encode())
        line = RECORD % (*known, body[1:]) if fields else BARE_RECORD % known
        if not line.isascii():  # hardly ever: asked here, for a call costs more than the question
            line = disarmed(line)
        self._kept.append(line)
        self._size += len(line)
        if not seq % FORGET_EVERY or self._size > KEPT_BYTES:
            self._forget()
        self.write(line)
        if event in self.notes.noted:
            self.notes.note(event, command or trace.command_id, fields, line)
        for subscription in self._subscriptions:
            subscription.offer(event, line)

    def _label(self, level: str, event: str, actor: str) -> tuple[bytes, bytes]:
        """Encode what a kind of record says of itself; there are as many as the code has."""
        label = b'"level":%b,"event":%b' % (_encode(level), _encode(event)), part(b"actor", actor)
        if len(self._labels) < MOST_LABELS:
            self._labels[level, event, actor] = label
        return label

    def _forget(self) -> None:
        """Forget the oldest records, by number and by size."""
        take = self._kept.popleft
        self._size -= sum([len(take()) for _ in range(len(self._kept) - self.keep)])
        while self._size > KEPT_BYTES:
            self._size -= len(take())

    def subscribe(
        self, events: tuple[str, ...], since: int | None, put: Callable[[bytes], None]
    ) -> Callable[[], None]:
        """Hand over every record from now on, after those since ``since``; give the way out."""
        subscription = Subscription(events, put)
        if since is not None:
            self._forget()
            for line in self._kept:
                if (label := _label(line)).seq > since:
                    subscription.offer(label.event, line)
        self._subscriptions.append(subscription)
        return lambda: self._subscriptions.remove(subscription)


class LineWriter:
    """Writes lines from a thread of its own, so that a slow reader of the log stops nobody.

    A reader that never reads costs lines, not memory: past the limit they are counted, not kept.
    Lines are handed over by exchanging the list, which the interpreter does in one step.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: list[bytes] = []
        self._held = 0
        self._lost = 0
        self._wake = threading.Event()
        self._closing = False
        self._deaf = False
        self._thread = threading.Thread(target=self._run, name="log-writer", daemon=True)
        self._thread.start()

    def write(self, line: bytes) -> None:
        """Take a line; it is written within a few hundredths of a second."""
        if self._deaf:
            return
        if self._held > MAX_HELD_BYTES:
            self._lost += 1
            return
        self._held += len(line)
        if not self._lines:
            self._wake.set()
        self._lines.append(line)

    def close(self, patience: float = 2.0) -> None:
        """Write what is left, unless nobody reads it."""
        self._closing = True
        self._wake.set()
        self._thread.join(patience)

    def _run(self) -> None:
        while not self._closing:
            self._wake.wait()
            self._wake.clear()
            if not self._closing:
                time.sleep(FLUSH_SECONDS)  # let lines gather: one write for many
            if not self._flush():
                return
        self._flush()

    def _flush(self) -> bool:
        lines, self._lines, self._held = self._lines, [], 0
        if self._lost:
            lines.append(b'{"level":"warning","event":"log.lines_lost","count":%d}' % self._lost)
            self._lost = 0
        if not lines:
            return True
        data = memoryview(b"\n".join(lines) + b"\n")
        while data:
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:
                select.select([], [self._descriptor], [])
            except OSError:  # nobody reads the log any more; the work goes on without it
                self._deaf = True
                self._lines = []
                return False
        return True


class Logger(structlog.BoundLoggerBase):
    """structlog's bound logger cut to what is needed: fields in, one record out.

    The event is passed by place alone: else every field's name is compared with that of the event.
    """

    def __init__(self, logger: TraceLog, processors: Any, context: Any) -> None:
        super().__init__(logger, processors, context)
        self._render = logger.render
        self._actor: str = context.get("actor", "")

    def info(self, event: str, /, **fields: Any) -> None:
        self._render("info", event, self._actor, fields)

    def warning(self, event: str, /, **fields: Any) -> None:
        self._render("warning", event, self._actor, fields)

    def error(self, event: str, /, **fields: Any) -> None:
        self._render("error", event, self._actor, fields)

    def exception(self, event: str, /, **fields: Any) -> None:
        """Record an error with the traceback of the exception being handled."""
        fields["traceback"] = traceback.format_exc()
        self._render("error", event, self._actor, fields)


def configure(trace_log: TraceLog) -> None:
    """Send everything that is logged from here on through ``trace_log``."""
    structlog.configure(
        processors=[],
        wrapper_class=Logger,
        logger_factory=lambda *_: trace_log,
        cache_logger_on_first_use=True,
    )
