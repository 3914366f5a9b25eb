"""A real X server without a screen, with real windows, for the length of a ``with`` block.

There is no window manager: this one part of its work, to say which window is in front, is done
here, by the library that window managers use.
"""

import ctypes
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE = 30.0
TRIES = 2_000
NEEDED = ("Xvfb", "xprop", "xmessage", "xwininfo")
MISSING = [program for program in NEEDED if shutil.which(program) is None]
WINDOW_TYPE, WORDS, REPLACE = 33, 32, 0
TREE = re.compile(r'^\s*(0x[0-9a-f]+) "(.*)": \("xmessage"', re.MULTILINE)


@dataclass
class Display:
    """A display that windows can be put on."""

    name: str
    home: Path
    _windows: "dict[int, subprocess.Popen[bytes]]" = field(default_factory=dict)

    @property
    def environment(self) -> Mapping[str, str]:
        """What a program needs to know to find this display."""
        return {"DISPLAY": self.name, "PATH": os.environ["PATH"], "HOME": str(self.home)}

    def open_window(self, title: str) -> int:
        """Put up a window and wait until it is there; give its id."""
        command = ["xmessage", "-title", title, "hello"]
        process = subprocess.Popen(command, env=self.environment, stderr=subprocess.DEVNULL)
        for _ in range(TRIES):
            for window in self.windows() - self._windows.keys():
                self._windows[window] = process
                return window
            if process.poll() is not None:
                break
        process.kill()
        process.wait(PATIENCE)
        raise RuntimeError(f"there is no window {title!r}")

    def windows(self) -> set[int]:
        """List the windows that there are."""
        listed = subprocess.run(
            ["xwininfo", "-root", "-tree"],
            env=self.environment,
            capture_output=True,
            timeout=PATIENCE,
            check=True,
        )
        return {int(found[1], 16) for found in TREE.finditer(listed.stdout.decode())}

    def retitle(self, window: int, title: str) -> None:
        """Give a window the title that programs of today set."""
        command = ["xprop", "-id", hex(window), "-f", "_NET_WM_NAME", "8u"]
        command += ["-set", "_NET_WM_NAME", title]
        surroundings = {**self.environment, "LC_ALL": "C.UTF-8"}
        subprocess.run(command, env=surroundings, timeout=PATIENCE, check=True)

    def put_in_front(self, window: int) -> None:
        """Say which window is in front, as a window manager does; 0 for none."""
        x11 = ctypes.CDLL("libX11.so.6")
        x11.XOpenDisplay.restype = ctypes.c_void_p
        x11.XDefaultRootWindow.restype = ctypes.c_ulong
        x11.XInternAtom.restype = ctypes.c_ulong
        display = ctypes.c_void_p(x11.XOpenDisplay(self.name.encode()))
        root = ctypes.c_ulong(x11.XDefaultRootWindow(display))
        atom = ctypes.c_ulong(x11.XInternAtom(display, b"_NET_ACTIVE_WINDOW", 0))
        value = ctypes.byref(ctypes.c_ulong(window))
        kind = ctypes.c_ulong(WINDOW_TYPE)
        x11.XChangeProperty(display, root, atom, kind, WORDS, REPLACE, value, 1)
        x11.XSync(display, 0)
        x11.XCloseDisplay(display)

    def close_window(self, window: int) -> None:
        """End the program of a window."""
        process = self._windows.pop(window)
        process.terminate()
        process.wait(PATIENCE)

    def close(self) -> None:
        for window in tuple(self._windows):
            self.close_window(window)


@contextmanager
def running_display(folder: Path) -> Iterator[Display]:
    """Start an X server at the next number that is free, and tell when it takes clients."""
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "640x480x24", "-nolisten", "tcp"]
    command += ["-noreset"]  # it would forget all whenever its last client leaves
    with (folder / "xvfb.log").open("wb") as log:
        server = subprocess.Popen(command, pass_fds=(write,), stdout=log, stderr=log)
    os.close(write)
    try:
        with os.fdopen(read) as told:
            number = told.readline().strip()
        if not number:
            raise RuntimeError((folder / "xvfb.log").read_text())
        display = Display(f":{number}", folder)
        try:
            yield display
        finally:
            display.close()
    finally:
        server.terminate()
        server.wait(PATIENCE)
