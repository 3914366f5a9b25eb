"""A real session bus in a folder of its own, for the length of a ``with`` block."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.dbus import Remote

PATIENCE = 30.0
TRIES = 2_000
CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>{kind}</type><listen>unix:path={socket}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
<allow own="*"/></policy></busconfig>
"""


@dataclass(frozen=True)
class RunningBus:
    """A bus, and what a program needs to know to find it."""

    kind: str
    socket: Path
    process: "subprocess.Popen[bytes]"

    @property
    def address(self) -> str:
        return f"unix:path={self.socket}"

    @property
    def environment(self) -> Mapping[str, str]:
        return {f"DBUS_{self.kind.upper()}_BUS_ADDRESS": self.address}

    def call(self, remote: Remote, member: str, *arguments: str) -> str:
        """Call a method by D-Bus's own program and give what it prints."""
        command = ["dbus-send", f"--bus={self.address}", "--print-reply=literal"]
        command += [f"--dest={remote.service}", remote.path, f"{remote.interface}.{member}"]
        ended = subprocess.run(
            [*command, *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        return ended.stdout.strip()

    def wait_for_name(self, name: str, process: "subprocess.Popen[bytes]") -> None:
        """Wait until somebody has a name on this bus."""
        bus = Remote("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
        for _ in range(TRIES):
            if "true" in self.call(bus, "NameHasOwner", f"string:{name}"):
                return
            if process.poll() is not None:
                break
        raise RuntimeError(f"nobody took the name {name}")


@contextmanager
def running_bus(folder: Path, kind: str = "session") -> Iterator[RunningBus]:
    """Start a bus and tell when it takes clients."""
    folder.mkdir(exist_ok=True)
    socket, config = folder / f"{kind}.sock", folder / f"{kind}.conf"
    config.write_text(CONFIG.format(kind=kind, socket=socket))
    read, write = os.pipe()
    command = ["dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile"]
    with (folder / "bus.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, f"--print-address={write}"], pass_fds=(write,), stdout=log, stderr=log
        )
    os.close(write)
    try:
        with os.fdopen(read) as told:
            if not told.readline():
                raise RuntimeError((folder / "bus.log").read_text())
        yield RunningBus(kind, socket, process)
    finally:
        process.terminate()
        process.wait(PATIENCE)


@contextmanager
def running_program(
    command: list[str], folder: Path, environment: Mapping[str, str]
) -> "Iterator[subprocess.Popen[bytes]]":
    """Run a program in a home of its own until the block ends; what it prints is in its log."""
    surroundings = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "XDG_RUNTIME_DIR": str(folder),
        **environment,
    }
    program = shutil.which(command[0]) or command[0]
    with (folder / f"{Path(program).name}.log").open("wb") as log:
        process = subprocess.Popen(
            [program, *command[1:]],
            env=surroundings,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE)
