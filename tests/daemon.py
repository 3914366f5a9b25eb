"""A real daemon in a process of its own, for the length of a ``with`` block.

It lives in a home of its own, so that nothing of the machine's user is touched, and its log is
read from its stdout as any observer would.
"""

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

PROJECT = Path(__file__).parent.parent
PATIENCE = 30.0
NO_APPROVAL = "[approval]\nask = []\n"

Event = dict[str, Any]


class Wire:
    """One client's connection: JSON objects out, JSON objects in."""

    def __init__(self, path: Path, patience: float = PATIENCE) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(patience)
        try:
            self._socket.connect(str(path))
        except OSError:
            self._socket.close()
            raise
        self._lines = self._socket.makefile("rb")

    def send_raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._socket.sendall(data)

    def send(self, request: Mapping[str, Any]) -> None:
        """Send one frame."""
        self.send_raw(json.dumps(request).encode() + b"\n")

    def read(self) -> Event:
        """Read one frame; EOF is an error."""
        line = self._lines.readline()
        if not line:
            raise EOFError("the daemon hung up")
        event: Event = json.loads(line)
        return event

    def read_until(self, **wanted: object) -> list[Event]:
        """Read frames up to the first that has these fields."""
        events: list[Event] = []
        while True:
            events.append(self.read())
            if all(events[-1].get(key) == value for key, value in wanted.items()):
                return events

    def submit(self, command: str, **fields: object) -> None:
        """Submit a command under this id."""
        self.send({"type": "submit", "id": command, **fields})

    def run(self, command: str, **fields: object) -> list[Event]:
        """Submit a command and read its events to the end."""
        self.submit(command, **fields)
        return self.read_until(type="finished", command=command)

    def ask(self, **request: object) -> Event:
        """Send a request and read the next frame."""
        self.send(request)
        return self.read()

    def close(self) -> None:
        """Hang up."""
        self._lines.close()
        self._socket.close()


@dataclass
class Daemon:
    """A running daemon: where it listens, what it may touch, what it logged."""

    process: subprocess.Popen[bytes]
    home: Path
    root: Path
    socket: Path
    environment: Mapping[str, str]
    records: list[Event] = field(default_factory=list)
    _arrivals: "queue.Queue[Event | None]" = field(default_factory=queue.Queue)
    _wires: list[Wire] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()

    def _read_log(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._arrivals.put(json.loads(line))
        self._arrivals.put(None)

    def wait_for(self, event: str, **fields: object) -> Event:
        """Read the log up to a record of this event with these fields."""
        wanted = {"event": event, **fields}
        for record in self.records:
            if all(record.get(key) == value for key, value in wanted.items()):
                return record
        while (arrived := self._arrivals.get(timeout=PATIENCE)) is not None:
            self.records.append(arrived)
            if all(arrived.get(key) == value for key, value in wanted.items()):
                return arrived
        raise EOFError(f"the log ended without {wanted}")

    def log(self) -> list[Event]:
        """Give what is in the log so far; after ``stop``, all of it."""
        while not self._arrivals.empty():
            arrived = self._arrivals.get()
            if arrived is not None:
                self.records.append(arrived)
        return self.records

    def connect(self, patience: float = PATIENCE) -> Wire:
        """Connect another client."""
        wire = Wire(self.socket, patience)
        self._wires.append(wire)
        return wire

    def cli(self, *arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
        """Run the command line against this daemon."""
        return subprocess.run(
            [sys.executable, str(PROJECT / "run.py"), *arguments],
            env={**self.environment, "BEHEST_SOCKET": str(self.socket)},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            **more,
        )

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """End the daemon and give its exit code."""
        for wire in self._wires:
            wire.close()
        self._wires.clear()
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code


@contextmanager
def running_daemon(
    folder: Path,
    *,
    settings: str = "",
    environment: Mapping[str, str] | None = None,
    arguments: tuple[str, ...] = (),
    errors: IO[str] | int | None = None,
) -> Iterator[Daemon]:
    """Start a daemon whose home, state, socket and one root (``work``) lie in ``folder``.

    What it complains of goes to ``errors``: a file, or ``subprocess.PIPE``.
    """
    daemon = launched(
        folder, settings=settings, environment=environment, arguments=arguments, errors=errors
    )
    try:
        yield daemon
    finally:
        daemon.stop()


def launched(
    folder: Path,
    *,
    settings: str = "",
    environment: Mapping[str, str] | None = None,
    arguments: tuple[str, ...] = (),
    program: tuple[str, ...] | None = None,
    python: str = sys.executable,
    errors: IO[str] | int | None = None,
) -> Daemon:
    """Start a daemon as ``running_daemon`` does; whoever asked for it ends it."""
    home, root, path = folder / "home", folder / "work", folder / "behest.sock"
    home.mkdir(exist_ok=True)
    root.mkdir(exist_ok=True)
    config = folder / "behest.toml"
    # Nothing waits for approval but in the tests that are about it.
    config.write_text(settings if "[approval]" in settings else f"{settings}\n{NO_APPROVAL}")
    surroundings = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_RUNTIME_DIR": str(home),
        **(environment or {}),
    }
    command = [python, *(program or (str(PROJECT / "run.py"),)), "serve"]
    command += ["--socket", str(path)]
    command += ["--state", str(folder / "state"), "--config", str(config)]
    command += ["--root", f"work={root}", *arguments]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=errors, env=surroundings, cwd=PROJECT
    )
    daemon = Daemon(process, home, root, path, surroundings)
    try:
        daemon.wait_for("daemon.ready")
    except BaseException:
        daemon.stop()
        raise
    return daemon
