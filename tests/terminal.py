"""A real pseudo terminal with the command line on it: what is typed, what is shown, how it ends.

The command line leads a session of its own there, so that typed control characters reach it as
they do on anybody's terminal.
"""

import errno
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import psutil

from tests.daemon import PATIENCE, PROJECT, Daemon

ROWS = 40
INTERRUPT, END, PREVIOUS, CLEAR, TAB = "\x03", "\x04", "\x10", "\x15", "\t"


@dataclass
class Terminal:
    """One run of the command line at a terminal."""

    process: subprocess.Popen[bytes]
    descriptor: int
    shown: str = ""
    seen: int = 0

    def type(self, text: str) -> None:
        os.write(self.descriptor, text.encode())

    def interrupt(self) -> None:
        """Type Ctrl-C once the command line waits: while it works, Python may notice it late."""
        deadline = time.monotonic() + PATIENCE
        process = psutil.Process(self.process.pid)
        while process.status() != psutil.STATUS_SLEEPING:
            assert time.monotonic() < deadline, f"it never rests:\n{self.shown}"
        self.type(INTERRUPT)

    def say(self, line: str) -> None:
        self.type(f"{line}\n")

    def wait_for(self, text: str) -> str:
        """Read on until this text is shown; give what came with it since the last time."""
        while (found := self.shown.find(text, self.seen)) < 0:
            more = self.read()
            assert more, f"ended without {text!r}:\n{self.shown}"
            self.shown += more
        before, self.seen = self.seen, found + len(text)
        return self.shown[before : self.seen]

    def end(self) -> int:
        """Read to the end; give the exit code."""
        while more := self.read():
            self.shown += more
        return self.process.wait(PATIENCE)

    def read(self) -> str:
        ready, _, _ = select.select([self.descriptor], [], [], PATIENCE)
        assert ready, f"nothing more came:\n{self.shown}"
        try:
            return os.read(self.descriptor, 1 << 16).decode(errors="replace")
        except OSError as error:
            if error.errno != errno.EIO:  # how Linux says that the other side has gone
                raise
            return ""


@contextmanager
def at_terminal(
    daemon: Daemon,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    columns: int = 100,
) -> Iterator[Terminal]:
    """Run the command line at a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    surroundings = {**daemon.environment, "BEHEST_SOCKET": str(daemon.socket)}
    with subprocess.Popen(
        ["setsid", "--ctty", sys.executable, str(PROJECT / "run.py"), *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=surroundings | dict(environment or {}),
    ) as process:
        os.close(theirs)
        try:
            yield Terminal(process, ours)
        finally:
            os.close(ours)  # whoever still reads there gets a hangup
