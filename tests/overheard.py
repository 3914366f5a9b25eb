"""A daemon that is only overheard: its log is looked through as it comes, and not kept.

For runs of a hundred thousand commands, where a kept log would be larger than all that is measured;
and for attacks on the log itself, which need its bytes as they are.
"""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.daemon import NO_APPROVAL, PATIENCE, PROJECT, Wire

# Quotation marks within texts are escaped: no text looks like this.
CRASHED = re.compile(rb'"event":"\w+\.crashed"')
READY = b'"event":"daemon.ready"'
PROGRAM = str(PROJECT / "run.py")
LEAKING = str(PROJECT / "tests" / "leaking.py")
OFF = '[browser]\nmode = "off"\n'


@dataclass
class Overheard:
    """A running daemon, the crashes it told of, and all lines if they are wanted."""

    process: subprocess.Popen[bytes]
    socket: Path
    root: Path
    keeps: bool
    lines: list[bytes] = field(default_factory=list)
    crashes: list[bytes] = field(default_factory=list)
    _ready: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if READY in line:
                self._ready.set()
            if CRASHED.search(line):
                self.crashes.append(line)
            if self.keeps:
                self.lines.append(line)

    def wait_until_ready(self) -> None:
        assert self._ready.wait(PATIENCE), "the daemon does not start"

    def connect(self, patience: float = PATIENCE) -> Wire:
        """Connect another client; whoever connects closes."""
        return Wire(self.socket, patience)

    def answers(self) -> bool:
        """Tell whether the daemon lives and serves."""
        if self.process.poll() is not None:
            return False
        wire = self.connect()
        try:
            return bool(wire.ask(type="status", id="still there?")["health"]["pid"])
        finally:
            wire.close()

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code


@contextmanager
def overheard_daemon(
    folder: Path,
    *,
    keeps: bool = False,
    settings: str = OFF,
    environment: Mapping[str, str] | None = None,
    program: Sequence[str] = (PROGRAM,),
) -> Iterator[Overheard]:
    """Start a daemon that can touch nothing but ``folder``: no browser, no programs, no sound."""
    for name in ("home", "work", "programs"):
        (folder / name).mkdir(exist_ok=True)
    config, path = folder / "behest.toml", folder / "behest.sock"
    config.write_text(f"{settings}\n{NO_APPROVAL}")
    home = folder / "home"
    surroundings = {
        "PATH": str(folder / "programs"),
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_DATA_DIRS": str(home / "none"),
        "XDG_RUNTIME_DIR": str(home),
        **(environment or {}),
    }
    command = [sys.executable, *program, "serve", "--socket", str(path)]
    command += ["--state", str(folder / "state"), "--config", str(config)]
    command += ["--root", f"work={folder / 'work'}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=surroundings)
    daemon = Overheard(process, path, folder / "work", keeps)
    try:
        daemon.wait_until_ready()
        yield daemon
    finally:
        daemon.stop()


# What a process holds


def memory(pid: int) -> int:
    """Give the memory that a process has taken for itself, in bytes.

    Of what it shares with others, as libraries, its share changes when those others come and go.
    """
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Anonymous:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("the kernel does not tell")


def descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def threads(pid: int) -> int:
    return psutil.Process(pid).num_threads()
