"""Text from outside as the screen shows it, and times and tones for it.

Commands, pages and files are shown, never trusted: what leaves here has no control characters, no
zero-width ones and no stacks of accents. It is handed on as plain content, never as markup.
"""

import unicodedata
from typing import Literal, TypeAlias

from rich.cells import cell_len, set_cell_size

from tools.screen import SHOWN_CHARACTERS, plain

Tone: TypeAlias = Literal["done", "running", "failed", "asks", "quiet"]

TONES: dict[str, Tone] = {
    "success": "done",
    "planned": "done",
    "running": "running",
    "asks": "asks",
    "in_doubt": "asks",
    "partial": "asks",
    "queued": "quiet",
    "waiting": "quiet",
    "skipped": "quiet",
    "cancelled": "quiet",
}
MOST_ACCENTS = 2
SECOND, MINUTE, HOUR = 1.0, 60, 3600


def tone_of(status: str) -> Tone:
    """Give the tone of a status; what went wrong in whatever way has the same one."""
    return TONES.get(status, "failed")


def safe(text: str, most: int = SHOWN_CHARACTERS) -> str:
    r"""Show text on one line, with nothing in it that a terminal obeys, and at most so long.

    >>> safe("a\x1b[2Jb"), safe("wide\u200bload")
    ('a\\x1b[2Jb', 'wide\\u200bload')
    """
    cut = text if len(text) <= most else f"{text[:most]}…"
    pieces = (cut[at : at + SHOWN_CHARACTERS] for at in range(0, len(cut), SHOWN_CHARACTERS))
    return without_stacks("".join(map(plain, pieces)))


def without_stacks(text: str) -> str:
    r"""Leave no more accents on a letter than a language has: stacks of them cover other lines.

    >>> without_stacks("e\u0301\u0301\u0301\u0301") == "e\u0301\u0301"
    True
    """
    if text.isascii():
        return text
    kept: list[str] = []
    accents = 0
    for one in text:
        accents = accents + 1 if unicodedata.category(one).startswith("M") else 0
        if accents <= MOST_ACCENTS:
            kept.append(one)
    return "".join(kept)


def fitted(text: str, width: int) -> str:
    """Give text in just so many columns: cut where it is too long, padded where it is short.

    >>> fitted("abcdef", 4), fitted("ab", 4)
    ('abc…', 'ab  ')
    """
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, width - 1) + "…"


def spelled_time(seconds: float) -> str:
    """Write how long something took, or takes already.

    >>> spelled_time(0.0123), spelled_time(4.25), spelled_time(75), spelled_time(3723)
    ('12 ms', '4.2 s', '1:15', '1:02:03')
    """
    seconds = max(0.0, seconds)
    if seconds < SECOND:
        return f"{seconds * 1000:.0f} ms"
    if seconds < MINUTE:
        return f"{seconds:.1f} s"
    whole = int(seconds)
    if whole < HOUR:
        return f"{whole // MINUTE}:{whole % MINUTE:02}"
    return f"{whole // HOUR}:{whole % HOUR // MINUTE:02}:{whole % MINUTE:02}"
