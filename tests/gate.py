"""A daemon whose ``pactl`` waits at a gate: a test can look while an action is under way."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.daemon import Daemon, running_daemon

MUTE = [{"domain": "audio", "verb": "mute"}]
TIME = [{"domain": "system", "verb": "get", "params": {"target": "time"}}]

STAND_IN = """\
#!/bin/sh
if [ "$1" = set-sink-mute ]; then read -r _ < "{gate}"; fi
echo "Mute: yes"
"""


@dataclass
class Gate:
    """Holds up every action that mutes the volume until a test lets one pass."""

    descriptor: int

    def let_one_pass(self) -> None:
        os.write(self.descriptor, b"\n")


@contextmanager
def gated_daemon(folder: Path, *, settings: str = "") -> Iterator[tuple[Daemon, Gate]]:
    """Start a daemon whose ``pactl`` is a program that waits at a gate before it mutes."""
    programs, pipe = folder / "programs", folder / "gate"
    programs.mkdir()
    os.mkfifo(pipe)
    (programs / "pactl").write_text(STAND_IN.format(gate=pipe))
    (programs / "pactl").chmod(0o755)
    gate = Gate(os.open(pipe, os.O_RDWR))
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    try:
        with running_daemon(folder, environment={"PATH": path}, settings=settings) as daemon:
            yield daemon, gate
            if daemon.process.poll() is None:
                os.write(gate.descriptor, b"\n" * 100)
    finally:
        os.close(gate.descriptor)
