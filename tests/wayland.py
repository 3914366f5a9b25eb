"""A real Wayland compositor without a screen, for the length of a ``with`` block.

It does not run as root; where the tests do, it runs as nobody, in a folder that is nobody's.
"""

import os
import select
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 30.0
NOBODY = 65_534
CONFIG = """xwayland disable
output * resolution 640x480
exec echo "$WAYLAND_DISPLAY" > {ready}
"""


@contextmanager
def running_wayland() -> Iterator[str]:
    """Start a compositor; give its socket as soon as it takes clients."""
    with tempfile.TemporaryDirectory(prefix="wayland-") as name:
        folder = Path(name)
        ready, config = folder / "ready", folder / "config"
        os.mkfifo(ready)
        config.write_text(CONFIG.format(ready=ready))
        ear = os.open(ready, os.O_RDWR)
        with started(folder, ["sway", "-c", str(config)]):
            try:
                if not select.select([ear], [], [], PATIENCE)[0]:
                    raise RuntimeError((folder / "log").read_text())
                display = os.read(ear, 1_000).decode().strip()
            finally:
                os.close(ear)
            yield str(folder / display)


@contextmanager
def started(folder: Path, command: list[str]) -> Iterator[None]:
    """Run a program that draws on no screen."""
    surroundings = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "XDG_RUNTIME_DIR": str(folder),
        "WLR_BACKENDS": "headless",
        "WLR_RENDERER": "pixman",
        "WLR_LIBINPUT_NO_DEVICES": "1",
    }
    who = None
    if os.getuid() == 0:
        who = NOBODY
        for path in (folder, *folder.iterdir()):
            shutil.chown(path, NOBODY, NOBODY)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command,
            env=surroundings,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            user=who,
            group=who,
            extra_groups=None if who is None else [],
        )
    try:
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)
