"""Where text meets a terminal: nothing it would obey, nothing it cannot show, lines that fit.

Text comes from people, files and programs. It is shown, never trusted.
"""

import io
import shutil
import sys
import textwrap
import unicodedata
from dataclasses import dataclass, field
from typing import TextIO

from tools.text import disarmed

SHOWN_CHARACTERS = 200
NARROWEST = 20
COLOURS = {"✓": "32", "→": "36", "✗": "31", "?": "33", "◐": "33", "…": "36"}
# What stands for our own marks where the output has no such characters.
PLAIN_MARKS = str.maketrans(
    {"·": ".", "…": "...", "✓": "+", "→": "->", "◐": "~", "–": "-", "✗": "x"}
)


def plain(text: str) -> str:
    """Show text from outside on one line, and nothing in it that a terminal would obey."""
    shown = text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in shown
    )


def bear_any_text(*streams: TextIO) -> None:
    """Let streams escape what their encoding lacks, rather than fail in the middle of a line."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def put_json(line: bytes) -> None:
    """Print JSON, which is UTF-8 wherever it goes, with nothing that a terminal would obey."""
    sys.stdout.flush()
    sys.stdout.buffer.write(disarmed(line) + b"\n")
    sys.stdout.buffer.flush()


@dataclass
class Screen:
    """An output that is a terminal, or is none, of some width and some encoding."""

    out: TextIO = field(default_factory=lambda: sys.stdout)

    @property
    def live(self) -> bool:
        return self.out.isatty()

    def write(self, text: str) -> None:
        """Write text of our own making, as far as the output has the characters for it."""
        self.out.write(self.spelt(text))
        self.out.flush()

    def spelt(self, text: str) -> str:
        """Spell text in characters that the output has."""
        encoding = self.out.encoding or "utf-8"
        try:
            text.encode(encoding)
        except UnicodeEncodeError:
            spelt = text.translate(PLAIN_MARKS)
            return spelt.encode(encoding, "backslashreplace").decode(encoding)
        return text

    def painted(self, mark: str) -> str:
        """Give a mark its colour, where there are colours."""
        if self.live and mark in COLOURS:
            return f"\x1b[{COLOURS[mark]}m{mark}\x1b[0m"
        return mark

    def width(self) -> int:
        """Give the number of columns."""
        return max(2, shutil.get_terminal_size().columns)

    def height(self) -> int:
        """Give the number of rows."""
        return shutil.get_terminal_size().lines

    def folded(self, text: str, indent: int) -> list[str]:
        """Break text into lines that fit, all of them indented; only a terminal is narrow."""
        if not self.live:
            return [" " * indent + text]
        width = max(NARROWEST, self.width() - 1)
        indent = min(indent, width // 2)
        lines = textwrap.wrap(
            self.spelt(text),
            width,
            initial_indent=" " * indent,
            subsequent_indent=" " * (indent + 2),
            break_on_hyphens=False,
        )
        return lines or [""]

    def clipped(self, text: str) -> str:
        """Cut a line so that it takes one row of the terminal and no more."""
        text, room = self.spelt(text), self.width() - 1
        if columns(text) <= room:
            return text
        while columns(text) > room - len(self.spelt("…")):
            text = text[:-1]
        return text + self.spelt("…")


def columns(text: str) -> int:
    """Count the columns that text takes on a terminal."""
    return sum(
        0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1
        for one in text
    )
