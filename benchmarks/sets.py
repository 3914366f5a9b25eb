"""A set of 10,000 files: bound, and listed for approval, in the daemon's CPU time.

The floor is a bare listing of the folder with the status of each file.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring import Budget, Figure
from benchmarks.serving import Server, cpu, daemon_command, server

FILES = 10_000
ROUNDS = 5
SAID = b'{"type":"submit","id":"%d","text":"delete all pdfs in inbox"}\n'
REFUSED = b'{"type":"approve","id":"no%d","approval":"%d:a1","allow":false}\n'


def figures() -> Iterator[Figure]:
    """Measure how long it takes to bind and to list many files."""
    bound = Figure("10,000 files bound: CPU", "ms", Budget(150.0, "cost"))
    listed = Figure("10,000 files listed for approval: CPU", "ms", Budget(300.0, "cost"))
    with TemporaryDirectory() as name:
        folder = Path(name)
        command = daemon_command(folder)
        inbox = folder / "work" / "inbox"
        inbox.mkdir()
        for number in range(FILES):
            (inbox / f"report-{number}.pdf").touch()
        with server(command, folder / "d") as daemon:
            for number in range(ROUNDS):
                floor = listing(inbox)
                before = cpu(daemon.process)
                daemon.connection.sendall(SAID % number)
                read_until(daemon, b"report-0.pdf")
                between = cpu(daemon.process)
                read_until(daemon, b'"approval_needed"')
                bound.add((between - before) * 1000, floor)
                listed.add((cpu(daemon.process) - between) * 1000, floor)
                daemon.connection.sendall(REFUSED % (number, number))
                read_until(daemon, b'"finished"')
    yield bound
    yield listed


def read_until(daemon: Server, wanted: bytes) -> None:
    """Read what the daemon sends, up to these bytes."""
    rest = b""
    while wanted not in rest:
        rest = rest[-len(wanted) :] + daemon.connection.recv(1 << 20)


def listing(folder: Path) -> float:
    """Give the CPU time of looking at every file of a folder, in milliseconds."""
    before = time.process_time()
    with os.scandir(folder) as entries:
        sum(entry.stat().st_size for entry in entries)
    return (time.process_time() - before) * 1000
