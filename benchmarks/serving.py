"""Servers to be measured: how they are started, what is sent to them and what it costs them.

Counted is the server's own CPU time, so that what the client does is not in the figures; and the
clock, where somebody waits.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import psutil

IN_FLIGHT = 50
COMMANDS = 3_000
ENDED = b'{"type":"finished"'
FRAME = (
    b'{"type":"submit","id":"%s-%d","session":"s%d",'
    b'"goals":[{"domain":"system","verb":"get","params":{"target":"time"}}]}\n'
)


@dataclass(frozen=True, slots=True)
class Load:
    """What some commands cost: each in CPU time of the server, and each on the clock; in us."""

    cpu: float
    clock: float


@dataclass
class Server:
    """A server under load, and what it costs."""

    process: psutil.Process
    connection: socket.socket

    def load(
        self, commands: int = COMMANDS, in_flight: int = IN_FLIGHT, sessions: int = IN_FLIGHT
    ) -> Load:
        """Carry out commands, so many at a time; they go to the sessions by turns."""
        tag = os.urandom(4).hex().encode()
        return self.carry_out(
            [FRAME % (tag, index, index % sessions) for index in range(commands)], in_flight
        )

    def carry_out(self, frames: list[bytes], in_flight: int = 1) -> Load:
        """Send frames, the next when one has ended; give what each costs."""
        began, before = time.perf_counter(), cpu(self.process)
        self.connection.sendall(b"".join(frames[:in_flight]))
        sent, done = in_flight, 0
        rest = b""
        while done < len(frames):
            # A finished event may lie across two chunks: look at whole lines only.
            whole, _, rest = (rest + self.receive()).rpartition(b"\n")
            ended = whole.count(ENDED)
            if ended and sent < len(frames):
                self.connection.sendall(b"".join(frames[sent : sent + ended]))
                sent += ended
            done += ended
        took, used = time.perf_counter() - began, cpu(self.process) - before
        return Load(used / len(frames) * 1e6, took / len(frames) * 1e6)

    def cost(self, commands: int = COMMANDS, in_flight: int = IN_FLIGHT) -> float:
        """Carry out commands of as many sessions; give the CPU time for each, in microseconds."""
        return self.load(commands, in_flight).cpu

    def finish(self, frame: bytes) -> dict[str, object]:
        """Send one frame and give the event that ends it."""
        self.connection.sendall(frame)
        rest = b""
        while True:
            *lines, rest = (rest + self.receive()).split(b"\n")
            for line in lines:
                if line.startswith(ENDED):
                    return msgspec.json.decode(line, type=dict[str, object])

    def receive(self) -> bytes:
        """Receive what comes; a server that hangs up is an error."""
        chunk = self.connection.recv(1 << 18)
        if not chunk:
            raise EOFError("the server hung up")
        return chunk


def said(texts: Iterable[str], session: str = "s") -> list[bytes]:
    """Make a frame of each text; their ids are new."""
    tag = os.urandom(4).hex()
    return [
        msgspec.json.encode(
            {"type": "submit", "id": f"{tag}-{number}", "session": session, "text": text}
        )
        + b"\n"
        for number, text in enumerate(texts)
    ]


def cpu(process: psutil.Process) -> float:
    """Give the CPU time of a process so far, in seconds; to the nanosecond where Linux tells it."""
    try:
        tasks = list(Path(f"/proc/{process.pid}/task").iterdir())
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
    except FileNotFoundError:
        times = process.cpu_times()
        return times.user + times.system


@contextmanager
def server(command: list[str], path: Path, errors: Path | None = None) -> Iterator[Server]:
    """Start a server and connect to it; what it complains of goes to the file ``errors``."""
    with ExitStack() as files:
        log = files.enter_context(path.with_suffix(".log").open("wb"))
        complaints = None if errors is None else files.enter_context(errors.open("wb"))
        process = subprocess.Popen(
            [sys.executable, *command], stdout=log, stderr=complaints, env=environment()
        )
        try:
            with connected(path, process) as connection:
                yield Server(psutil.Process(process.pid), connection)
        finally:
            process.terminate()
            process.wait()


def environment() -> dict[str, str]:
    """Give the environment of a server: it may keep its compiled modules, as users' daemons do."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def connected(path: Path, process: "subprocess.Popen[bytes]") -> socket.socket:
    """Connect as soon as somebody listens."""
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(path))
        except OSError:
            connection.close()
            if process.poll() is not None:
                raise
            time.sleep(0.01)
        else:
            return connection


def daemon_command(folder: Path) -> list[str]:
    """Say how a daemon of its own is started in ``folder``."""
    run = str(Path(__file__).parent.parent / "run.py")
    (folder / "work").mkdir(exist_ok=True)
    root = f"work={folder / 'work'}"
    return [run, "serve", "--state", str(folder), "--socket", str(folder / "d"), "--root", root]
