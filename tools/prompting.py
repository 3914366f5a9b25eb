"""Where people type: line editing, completion and a history that lasts; plain lines from a pipe.

It owns the line at the terminal and the file of the history. What a line means is not its
business.
"""

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

KEPT_LINES = 1_000
KEPT_CHARACTERS = 2_000


@dataclass
class History:
    """The latest lines that were typed, in a file that only its owner can read.

    A history that cannot be kept is done without: nobody is kept from typing.
    """

    path: Path
    lines: list[str] = field(default_factory=list)

    def load(self) -> None:
        """Read what was typed before; a file that has grown too long is cut back."""
        with suppress(OSError):
            found = self.path.read_text("utf-8", "replace").splitlines()
            self.lines = found[-KEPT_LINES:]
            if len(found) > KEPT_LINES:
                self.rewrite()

    def add(self, line: str) -> None:
        """Keep a line for the next time, unless it is the one before, too long or not plain."""
        if line in self.lines[-1:] or len(line) > KEPT_CHARACTERS or not line.isprintable():
            return
        self.lines.append(line)
        with suppress(OSError):
            self.append(line)
            if len(self.lines) > 2 * KEPT_LINES:
                self.load()

    def append(self, line: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open(self.path, "a", encoding="utf-8", opener=for_owner) as file:
            file.write(f"{line}\n")

    def rewrite(self) -> None:
        """Put the lines in the place of the file, whole or not at all."""
        fresh = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        with open(fresh, "w", encoding="utf-8", opener=for_owner) as file:
            file.writelines(f"{line}\n" for line in self.lines)
        fresh.replace(self.path)


def for_owner(path: str, flags: int) -> int:
    """Open a file that is its owner's alone, even if it was not before."""
    descriptor = os.open(path, flags, 0o600)
    os.fchmod(descriptor, 0o600)
    return descriptor


@dataclass
class Prompt:
    """Asks for lines at a terminal; without one, or without a sign, it reads them.

    ``words`` are what a line can begin with.
    """

    sign: str = "> "
    words: Sequence[str] = ()
    history: History | None = None

    def lines(self) -> Iterator[str]:
        """Give every line but the blank ones until the input ends, edited where that is possible.

        At a terminal an interrupt clears the line. What is no text comes with its bytes escaped,
        for whoever takes it to refuse.
        """
        if not sys.stdin:  # it was closed before we began
            return
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="surrogateescape")
        asking = at_terminal() and bool(self.sign)
        if asking:
            self.begin()
        while (line := self.line(self.sign if asking else "", asking=asking)) is not None:
            if not line:
                continue
            if asking:
                self.remember(line)
            yield line

    def line(self, sign: str, *, asking: bool) -> str | None:
        """Read one line; None at the end."""
        try:
            return input(sign).strip()
        except EOFError:
            if asking:
                print()
            return None
        except KeyboardInterrupt:
            if not asking:
                raise
            print()
            return ""

    def begin(self) -> None:
        """Set up the editing of lines, where there is such a thing."""
        if self.history is not None:
            self.history.load()
        with suppress(ModuleNotFoundError):
            import readline

            readline.set_auto_history(False)  # answers to questions are no lines of ours
            readline.set_completer_delims("")
            readline.set_completer(self.complete)
            old = "libedit" in (readline.__doc__ or "")
            readline.parse_and_bind("bind ^I rl_complete" if old else "tab: complete")
            for line in self.history.lines if self.history is not None else ():
                readline.add_history(line)

    def complete(self, text: str, state: int) -> str | None:
        """Give the completion of a line with this number, as readline asks for it."""
        found = completions(self.words, text)
        return found[state] if state < len(found) else None

    def remember(self, line: str) -> None:
        """Let a line be called back, now and the next time."""
        if self.history is not None:
            self.history.add(line)
        with suppress(ModuleNotFoundError):
            import readline

            readline.add_history(line)


def at_terminal() -> bool:
    """Tell whether somebody is there to type."""
    return bool(sys.stdin and sys.stdin.isatty())


def completions(words: Sequence[str], text: str) -> list[str]:
    """Give the words that a line can begin with, as far as it is typed.

    >>> completions(["look", "look at", "take"], "Lo")
    ['look ', 'look at ']
    """
    return [f"{word} " for word in words if word.startswith(text.casefold())]
