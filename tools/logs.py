"""The JSON log: one object a line, to stdout and to whoever subscribed.

A structlog pipeline of one function, because a line per decision is most of what the daemon
does: stamp, encode once, hand the same bytes to the writer and to the subscribers.
"""

import itertools
import os
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec
import structlog

from messages.trace import current

FLUSH_SECONDS = 0.02
MAX_HELD_LINES = 100_000

_encode = msgspec.json.Encoder(enc_hook=repr).encode


def span_ids() -> Callable[[], str]:
    """Make ids that are unique on this machine and cost nothing to make."""
    count = itertools.count(time.time_ns() >> 10)
    return lambda: f"{next(count):x}"


@dataclass(slots=True, eq=False)
class Subscription:
    """Somebody who wants to hear the events of these names."""

    events: tuple[str, ...]
    put: Callable[[bytes], None]

    def offer(self, event: str, line: bytes) -> None:
        if not self.events or event.startswith(self.events):
            self.put(line)


@dataclass
class TraceLog:
    """Renders every record, keeps the latest, and hands them to the writer and subscribers."""

    write: Callable[[bytes], None]
    new_span: Callable[[], str]
    keep: int = 2_000
    seq: int = 0
    _kept: deque[tuple[int, str, bytes]] = field(default_factory=deque)
    _subscriptions: list[Subscription] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._kept = deque(maxlen=self.keep)

    def __call__(self, _logger: object, level: str, event: MutableMapping[str, Any]) -> bytes:
        """Render a record: the last, and only, step of the pipeline."""
        trace = current.get()
        self.seq += 1
        record: dict[str, Any] = {
            "ts": datetime.now(UTC),
            "level": level,
            "event": event.pop("event"),
            "seq": self.seq,
        }
        if trace.command_id:
            record["command_id"] = trace.command_id
            record["parent_id"] = trace.span_id
        record["span_id"] = event.pop("span_id", None) or self.new_span()
        if event.pop("exc_info", None):
            record["traceback"] = traceback.format_exc()
        for key, value in event.items():
            if value is not None:
                record[key] = value
        line = _encode(record)
        self._kept.append((self.seq, record["event"], line))
        for subscription in self._subscriptions:
            subscription.offer(record["event"], line)
        return line

    def subscribe(
        self, events: tuple[str, ...], since: int | None, put: Callable[[bytes], None]
    ) -> Callable[[], None]:
        """Hand over every record from now on, after those since ``since``; give the way out."""
        subscription = Subscription(events, put)
        if since is not None:
            for seq, event, line in self._kept:
                if seq > since:
                    subscription.offer(event, line)
        self._subscriptions.append(subscription)
        return lambda: self._subscriptions.remove(subscription)


class LineWriter:
    """Writes lines from a thread of its own, so that a slow reader of the log stops nobody.

    A reader that never reads costs lines, not memory: past the limit they are counted, not kept.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: list[bytes] = []
        self._lost = 0
        self._wake = threading.Event()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="log-writer", daemon=True)
        self._thread.start()

    def write(self, line: bytes) -> None:
        """Take a line; it is written within a few hundredths of a second."""
        if len(self._lines) >= MAX_HELD_LINES:
            self._lost += 1
            return
        self._lines.append(line)
        if len(self._lines) == 1:
            self._wake.set()

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
        lines, self._lines = self._lines, []
        if self._lost:
            lines.append(b'{"level":"warning","event":"log.lines_lost","count":%d}' % self._lost)
            self._lost = 0
        if not lines:
            return True
        data = memoryview(b"\n".join(lines) + b"\n")
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
        except OSError:
            return False  # nobody reads the log any more; the work goes on without it
        return True


class LineLogger:
    """What structlog calls at the end of the pipeline: every level is one more line."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self.debug = self.info = self.warning = self.error = self.critical = write


def configure(trace_log: TraceLog) -> None:
    """Send everything that is logged from here on through ``trace_log``."""
    logger = LineLogger(trace_log.write)
    structlog.configure(
        processors=[trace_log],
        wrapper_class=structlog.make_filtering_bound_logger("info"),
        logger_factory=lambda *_: logger,
        cache_logger_on_first_use=True,
    )
