"""From launch to ready, and the memory of a daemon that has carried out its first text command."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from benchmarks.measuring import Budget, Figure
from benchmarks.serving import cpu, daemon_command, server
from benchmarks.yardstick import reading

MEGABYTE = 1e6


def figures() -> Iterator[Figure]:
    """Measure start and memory."""
    start = Figure("start to ready: CPU", "ms", Budget(400.0, "cost"))
    memory = Figure("memory (PSS) after a first text command", "MB", Budget(60.0, "absolute"))
    for _ in range(7):
        start.floors.append(bare_python())
        with TemporaryDirectory() as name:
            folder = Path(name)
            with server(daemon_command(folder), folder / "d") as daemon:
                start.costs.append(cpu(daemon.process) * 1000)
                start.paces.append(reading())
                daemon.connection.sendall(b'{"type":"submit","id":"1","text":"what time is it"}\n')
                while b'"finished"' not in daemon.connection.recv(1 << 16):
                    pass
                memory.costs.append(daemon.process.memory_full_info().pss / MEGABYTE)
                memory.floors.append(idle_python())
    yield start
    yield memory


def bare_python() -> float:
    """Give the CPU time that Python takes to start with the libraries the daemon stands on."""
    code = "import anyio, msgspec, structlog, asyncio, time; print(time.process_time() * 1000)"
    return float(subprocess.check_output([sys.executable, "-c", code]))


def idle_python() -> float:
    """Give the memory of a Python that has imported those libraries and does nothing."""
    code = "import anyio, msgspec, structlog, asyncio; print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        pss = psutil.Process(process.pid).memory_full_info().pss
        process.communicate(b"\n")
    return float(pss / MEGABYTE)
