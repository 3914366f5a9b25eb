"""Opening a file with the application that the desktop has for it, or with one that was named."""

import os
from collections.abc import Callable
from subprocess import Popen

from messages.executing import Done, Refused
from messages.results import Code
from tools.files.primitives import kind_of_mode
from tools.files.roots import Refusal, Roots
from tools.programs import installed, start_apart

OPENER = "xdg-open"
# What a desktop would run rather than show.
RUNS = frozenset({"desktop", "sh", "bash", "exe", "bat", "cmd", "appimage", "run", "jar"})


ANYBODY_RUNS = 0o111

# Starts an application with a file, or says why it does not.
Starter = Callable[[str, str], "Popen[bytes] | Refused"]


def no_starter(app: str, path: str) -> Refused:  # noqa: ARG001
    """Tell that no application is known here."""
    return Refused(Code.TARGET_NOT_FOUND, f"no application {app!r} is known here")


def is_available() -> bool:
    """Tell whether there is a desktop that opens files."""
    return installed(OPENER) and bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


def open_file(roots: Roots, path: str, app: str, start: Starter) -> Done:
    """Hand a file or folder to the desktop or to an application; a program is never run so."""
    with roots.spot(path) as spot:
        if not spot.exists():
            raise Refusal(Code.TARGET_NOT_FOUND, f"{spot.path} is not there")
        mode = os.stat(spot.name or ".", dir_fd=spot.folder, follow_symlinks=False).st_mode
        runs = path.rpartition(".")[2].casefold() in RUNS
        if kind_of_mode(mode) == "file" and (runs or mode & ANYBODY_RUNS):
            raise Refusal(Code.NOT_ALLOWED, f"{spot.path} is a program; it is not opened")
        if kind_of_mode(mode) not in {"file", "folder"}:
            raise Refusal(Code.WRONG_KIND, f"{spot.path} is neither a file nor a folder")
        process = start(app, spot.path) if app else start_apart([OPENER, spot.path])
        if isinstance(process, Refused):
            raise Refusal(process.code, process.message)
    return Done({"path": spot.path, "pid": process.pid})
