"""The whole pipeline: ``system.get time`` from goals, 50 commands in flight, journal and traces on.

Counted is the daemon's own CPU time, per command, beside the skeleton's under the same client.
"""

import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import psutil

from benchmarks.measuring import Budget, Figure

IN_FLIGHT = 50
COMMANDS = 3_000
ALONE = 300
FRAME = (
    b'{"type":"submit","id":"%s-%d","session":"s%d",'
    b'"goals":[{"domain":"system","verb":"get","params":{"target":"time"}}]}\n'
)


@dataclass
class Server:
    """A server under load, and what it costs."""

    process: psutil.Process
    connection: socket.socket

    def cost(self, commands: int = COMMANDS, in_flight: int = IN_FLIGHT) -> float:
        """Carry out commands; give the server's CPU time for each, in microseconds."""
        tag = os.urandom(4).hex().encode()
        frames = [FRAME % (tag, index, index % IN_FLIGHT) for index in range(commands)]
        before = cpu(self.process)
        self.connection.sendall(b"".join(frames[:in_flight]))
        sent, done = in_flight, 0
        rest = b""
        while done < commands:
            chunk = rest + self.connection.recv(1 << 18)
            # A finished event may lie across two chunks: look at whole lines only.
            whole, _, rest = chunk.rpartition(b"\n")
            ended = whole.count(b'{"type":"finished"')
            if ended and sent < commands:
                self.connection.sendall(b"".join(frames[sent : sent + ended]))
                sent += ended
            done += ended
        return (cpu(self.process) - before) / commands * 1e6


def cpu(process: psutil.Process) -> float:
    """Give the CPU time of a process so far, in seconds; to the nanosecond where Linux tells it."""
    try:
        tasks = list(Path(f"/proc/{process.pid}/task").iterdir())
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
    except FileNotFoundError:
        times = process.cpu_times()
        return times.user + times.system


@contextmanager
def server(command: list[str], path: Path) -> Iterator[Server]:
    """Start a server and connect to it."""
    with path.with_suffix(".log").open("wb") as log:
        process = subprocess.Popen([sys.executable, *command], stdout=log)
        try:
            with connected(path, process) as connection:
                yield Server(psutil.Process(process.pid), connection)
        finally:
            process.terminate()
            process.wait()


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


def figures() -> Iterator[Figure]:
    """Measure the pipeline."""
    with TemporaryDirectory() as name, ExitStack() as servers:
        folder = Path(name)
        daemon = servers.enter_context(server(daemon_command(folder), folder / "d"))
        skeleton_command = ["-m", "benchmarks.skeleton", str(folder / "s")]
        skeleton = servers.enter_context(server(skeleton_command, folder / "s"))
        daemon.cost(500)
        skeleton.cost(500)
        pipeline = Figure("a command, 50 in flight: daemon CPU", "us", Budget(180.0, "cost"))
        yield pipeline.measure(daemon.cost, skeleton.cost)
        syncs = [2 * commit_cost(folder / f"floor{number}.db") for number in range(3)]
        alone = [daemon.cost(ALONE, in_flight=1) for _ in range(3)]
        allowed = Budget(1_000.0 + median(syncs), "cost")
        yield Figure("a command alone, two commits: daemon CPU", "us", allowed, alone, syncs)


def commit_cost(path: Path) -> float:
    """Give the CPU time of a bare commit, in microseconds."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (a)"
    )
    before = time.process_time()
    for number in range(ALONE):
        connection.execute("INSERT INTO t VALUES (?)", (number,))
    connection.close()
    return (time.process_time() - before) / ALONE * 1e6
