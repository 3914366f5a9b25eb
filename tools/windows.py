"""The window in front: what an X11 window manager tells of it, read by ``xprop``.

On Wayland only windows of X11 programs can be seen so; nobody tells of the others.
"""

import os
import re
import subprocess

from tools.programs import installed, plain_surroundings

SECONDS = 2.0  # for each question; a display that is alive answers in milliseconds
LONGEST_TITLE = 300
HINT = (
    "install xprop (x11-utils) and run the daemon in a desktop session of X11, "
    "with a window manager"
)
ACTIVE = re.compile(r"_NET_ACTIVE_WINDOW\(WINDOW\): window id # (0x[0-9a-f]+)")
TITLE = re.compile(r'^(_NET_WM_NAME|WM_NAME)\(\w+\) = "(.*)"$', re.MULTILINE)
NO_WINDOW = "0x0"
ESCAPE = re.compile(rb"\\([0-7]{3}|[nt\"\\])")
ESCAPED = {b"n": b" ", b"t": b" "}


def can_tell() -> bool:
    """Tell whether there is a display, and a program that asks it."""
    return bool(os.environ.get("DISPLAY")) and installed("xprop")


def window_manager_answers() -> bool:
    """Tell whether somebody says which window is in front, be it none."""
    return can_tell() and ACTIVE.match(asked("-root", "_NET_ACTIVE_WINDOW")) is not None


def active_window() -> str | None:
    """Give the title of the window in front; None if there is none, or nobody tells."""
    if not can_tell():
        return None
    found = ACTIVE.match(asked("-root", "_NET_ACTIVE_WINDOW"))
    if found is None or found[1] == NO_WINDOW:
        return None
    return title_in(asked("-id", found[1], "_NET_WM_NAME", "WM_NAME"))


def asked(*question: str) -> str:
    """Ask the display; give nothing if it does not answer, or the window is gone."""
    try:
        ended = subprocess.run(
            ["xprop", *question],
            env=plain_surroundings(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ended.stdout.decode(errors="replace") if ended.returncode == 0 else ""


def title_in(answer: str) -> str | None:
    r"""Find a title in what ``xprop`` printed; the newer property says it better.

    >>> title_in('_NET_WM_NAME(UTF8_STRING) = "Gr\\303\\274n"\nWM_NAME(STRING) = "Gr?n"')
    'Grün'
    """
    titles = dict(TITLE.findall(answer))
    printed = titles.get("_NET_WM_NAME") or titles.get("WM_NAME")
    return unescaped(printed)[:LONGEST_TITLE] or None if printed else None


def unescaped(printed: str) -> str:
    """Give text as it is; what is not in ASCII was printed as octal numbers of its bytes."""
    text = ESCAPE.sub(lambda found: byte_of(found[1]), printed.encode())
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("latin-1")  # the encoding of the older property


def byte_of(escaped: bytes) -> bytes:
    if escaped.isdigit():
        return bytes([int(escaped, 8) & 0xFF])
    return ESCAPED.get(escaped, escaped)
