"""A wall clock for a daemon of the tests, which is put forward and back while it runs.

The daemon is not touched: a small library that it preloads answers when it asks for the time.
"""

import mmap
import shutil
import subprocess
import time
from datetime import datetime
from pathlib import Path

SOURCE = Path(__file__).with_name("turned_clock.c")
COMPILER = shutil.which("cc")
NANO = 1_000_000_000


class TurnedClock:
    """A clock that begins at some moment, and goes on from wherever it is put."""

    def __init__(self, folder: Path, start: datetime) -> None:
        assert start.tzinfo is not None
        library, page = folder / "turned_clock.so", folder / "turned_clock"
        assert COMPILER is not None, "needs a C compiler"
        command = [COMPILER, "-O2", "-shared", "-fPIC", "-o", str(library), str(SOURCE)]
        subprocess.run(command, check=True)
        page.write_bytes(bytes(mmap.PAGESIZE))
        with page.open("r+b") as file:
            self._difference = memoryview(mmap.mmap(file.fileno(), mmap.PAGESIZE)).cast("q")
        self.environment = {
            "LD_PRELOAD": str(library),
            "TURNED_CLOCK": str(page),
            "TZ": str(start.tzinfo),
        }
        self.put(start.timestamp())

    def now(self) -> float:
        """Give the moment that the daemon takes for now, in seconds since 1970."""
        return (time.time_ns() + self._difference[0]) / NANO

    def turn(self, seconds: float) -> None:
        """Put the clock forward, or back."""
        self._difference[0] += round(seconds * NANO)

    def put(self, moment: float) -> None:
        """Put the clock to a moment."""
        self.turn(moment - self.now())
