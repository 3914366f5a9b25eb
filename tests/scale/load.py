"""Clients that send at a given pace, come back when their gateway dies, and lose no command.

What came of each command is judged by the files that it wrote to, not by what was told.
"""

import json
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Event = dict[str, Any]
AGAIN_SECONDS, PATIENCE = 0.1, 90.0
RETRIED = frozenset({"BUSY", "CRASHED", "NOT_DURABLE", "SHUTTING_DOWN"})


@dataclass
class Load:
    """So many commands at so many a second, of some sessions, by one connection.

    ``sockets`` are those of the gateways: where one does not answer, the next is tried.
    """

    sockets: Sequence[Path]
    commands: int
    pace: float
    sessions: int = 20
    name: str = "c"
    accepted: dict[str, float] = field(default_factory=dict)
    finished: dict[str, Event] = field(default_factory=dict)
    sent: dict[str, float] = field(default_factory=dict)
    ended: dict[str, float] = field(default_factory=dict)
    errors: list[Event] = field(default_factory=list)
    _waiting: dict[str, Event] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _done: threading.Event = field(default_factory=threading.Event)

    def goals(self, number: int) -> list[Event]:
        """Give the goals of a command: a line in the file of its session."""
        params = {"name": f"{self.name}{number % self.sessions}.txt", "content": f"{number}\n"}
        return [{"domain": "file", "verb": "append", "params": params}]

    def prepare(self, root: Path) -> None:
        """Make the files that commands write to."""
        for session in range(self.sessions):
            (root / f"{self.name}{session}.txt").touch()

    def run(self) -> None:
        """Send all, and wait until all have ended."""
        sender = threading.Thread(target=self._send_all, daemon=True)
        self._wire: socket.socket | None = None
        reader = threading.Thread(target=self._read_all, daemon=True)
        reader.start()
        sender.start()
        sender.join()
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and len(self.finished) < self.commands:
            time.sleep(0.05)
        self._done.set()
        reader.join(5)

    def _send_all(self) -> None:
        begun = time.monotonic()
        for number in range(self.commands):
            time.sleep(max(0.0, begun + number / self.pace - time.monotonic()))
            command = f"{self.name}-{number}"
            frame = {
                "type": "submit",
                "id": command,
                "session": f"{self.name}{number % self.sessions}",
                "goals": self.goals(number),
            }
            with self._lock:
                self._waiting[command] = frame
                self.sent[command] = time.monotonic()
                self._put(frame)

    def _put(self, frame: Event) -> None:
        """Send a frame, if there is a connection; what waits is sent again on the next.

        A gateway takes nothing more while the bus is away: a frame that did not go out whole ends
        the connection.
        """
        if self._wire is not None:
            try:
                self._wire.sendall(json.dumps(frame).encode() + b"\n")
            except OSError:
                with suppress(OSError):
                    self._wire.shutdown(socket.SHUT_RDWR)
                self._wire = None

    def _read_all(self) -> None:
        turn = 0
        while not self._done.is_set():
            path = self.sockets[turn % len(self.sockets)]
            turn += 1
            try:
                with socket.socket(socket.AF_UNIX) as wire:
                    wire.settimeout(1.0)
                    wire.connect(str(path))
                    with self._lock:
                        self._wire = wire
                        for frame in list(self._waiting.values()):
                            self._put(frame)
                    self._read(wire)
            except OSError:
                time.sleep(AGAIN_SECONDS)
            finally:
                with self._lock:
                    self._wire = None

    def _read(self, wire: socket.socket) -> None:
        rest = b""
        while not self._done.is_set():
            try:
                chunk = wire.recv(1 << 18)
            except TimeoutError:
                continue
            if not chunk:
                return
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._note(json.loads(line))

    def _note(self, event: Event) -> None:
        kind, command = event["type"], event.get("command") or event.get("id") or ""
        with self._lock:
            if kind == "error":
                self.errors.append(event)
            if command not in self._waiting:
                return
            if kind in {"accepted", "state"}:
                self.accepted.setdefault(command, time.monotonic())
            elif kind == "finished":
                del self._waiting[command]
                self.finished[command] = event
                self.ended[command] = time.monotonic()
            elif kind == "error" and event["code"] in RETRIED:
                self._put(self._waiting[command])

    # The verdict

    def verdict(self, root: Path) -> "Verdict":
        """Count on the disk what became of each command."""
        lines: Counter[str] = Counter()
        for session in range(self.sessions):
            path = root / f"{self.name}{session}.txt"
            if path.exists():
                lines.update(f"{self.name}-{line}" for line in path.read_text().split())
        return Verdict.of(self.sent, self.accepted, self.finished, lines, self.ended)


@dataclass(frozen=True)
class Verdict:
    """What became of the commands: by what was told, and by what stands on the disk."""

    accepted: int
    success: int
    in_doubt: int
    failed: int
    lost: tuple[str, ...]
    twice: tuple[str, ...]
    untrue: tuple[str, ...]
    slowest: float

    @classmethod
    def of(
        cls,
        sent: Mapping[str, float],
        accepted: Iterable[str],
        finished: Mapping[str, Event],
        lines: Mapping[str, int],
        ended: Mapping[str, float],
    ) -> "Verdict":
        by = Counter(event["status"] for event in finished.values())
        told = {"success": 1, "failed": 0}
        return cls(
            len(list(accepted)),
            by["success"],
            by["in_doubt"],
            by["failed"],
            tuple(command for command in sent if command not in finished),
            tuple(command for command, count in lines.items() if count > 1),
            tuple(
                command
                for command, event in finished.items()
                if event["status"] in told and lines.get(command, 0) != told[event["status"]]
            ),
            max((ended[each] - sent[each] for each in ended), default=0.0),
        )

    @property
    def is_good(self) -> bool:
        return not (self.lost or self.twice or self.untrue)
