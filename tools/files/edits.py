"""Edits of text files in place: each gives the new text of a file, all of it or nothing.

What the file held before is kept, so that every edit can be undone; where it cannot be kept, the
file is not touched. Texts are taken as they were said, upper and lower case included.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from messages.executing import Done, Recovered
from messages.results import Code
from tools.files.backups import Backups
from tools.files.digests import digest_if_possible, digest_of, digest_of_content
from tools.files.operations import LOOKS, replaced, unchanged
from tools.files.primitives import READ, Changing, open_regular, put_whole, status_of, sync_folder
from tools.files.recovery import Before, changed_meanwhile, stamp_of
from tools.files.roots import Refusal, Roots, Spot, missing

LARGEST_TEXT = 8 << 20
NUMBER = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class Edited:
    """The new text of a file, and how many places or lines of it were changed."""

    text: str
    count: int


Edit = Callable[[str], Edited]


# What is done to a text


def replace_text(text: str, old: str, new: str) -> Edited:
    """Put one text into the place of another, wherever it stands."""
    count = text.count(old) if old else 0
    if not count:
        raise Refusal(Code.TARGET_NOT_FOUND, f"{old!r} is not in it")
    return Edited(text.replace(old, new), count)


@dataclass(frozen=True, slots=True)
class Position:
    """Where lines are inserted: at an end, as a line of a number, or beside a line with a text."""

    at: str = ""
    line: int = 0
    before: str = ""
    after: str = ""

    def __post_init__(self) -> None:
        if sum(map(bool, (self.at, self.line, self.before, self.after))) > 1:
            raise Refusal(Code.NOT_FEASIBLE, "it can be inserted in one place only")

    def index_in(self, lines: list[str]) -> int:
        """Give the number of lines that come before what is inserted."""
        if self.line:
            if self.line > len(lines) + 1:
                raise Refusal(Code.TARGET_NOT_FOUND, f"it has only {len(lines)} lines")
            return self.line - 1
        if self.before or self.after:
            found = line_with(lines, self.before or self.after)
            return found if self.before else found + 1
        return 0 if self.at == "start" else len(lines)


def line_with(lines: list[str], text: str) -> int:
    """Find the only line that holds a text."""
    found = [at for at, line in enumerate(lines) if text in line]
    if not found:
        raise Refusal(Code.TARGET_NOT_FOUND, f"no line of it holds {text!r}")
    if len(found) > 1:
        raise Refusal(Code.AMBIGUOUS_TARGET, f"{len(found)} lines of it hold {text!r}")
    return found[0]


def insert_lines(text: str, content: str, position: Position) -> Edited:
    """Insert a text as lines of its own."""
    lines = lines_of(text)
    at = position.index_in(lines)
    end = line_end(text)
    if at == len(lines) and lines and not lines[-1].endswith("\n"):
        lines[-1] += end
    added = content if content.endswith("\n") else content + end
    return Edited("".join([*lines[:at], added, *lines[at:]]), len(lines_of(added)))


def remove_lines(text: str, containing: str, line: int) -> Edited:
    """Take out all lines that hold a text, or the line of a number."""
    lines = lines_of(text)
    if line and containing:
        raise Refusal(Code.NOT_FEASIBLE, "say either which line, or what is in it")
    if line > len(lines):
        raise Refusal(Code.TARGET_NOT_FOUND, f"it has only {len(lines)} lines")
    kept = [
        each
        for number, each in enumerate(lines, start=1)
        if number != line and not (containing and containing in each)
    ]
    if len(kept) == len(lines):
        raise Refusal(Code.TARGET_NOT_FOUND, f"no line of it holds {containing!r}")
    return Edited("".join(kept), len(lines) - len(kept))


def sort_lines(text: str, order: str, *, numeric: bool, unique: bool) -> Edited:
    """Put the lines in order; lines that begin with no number come first by number."""
    lines = [line.removesuffix("\n").removesuffix("\r") for line in lines_of(text)]
    if unique:
        lines = list(dict.fromkeys(lines))
    key = number_first if numeric else by_letters
    lines.sort(key=key, reverse=order == "descending")
    end = line_end(text)
    is_ended = not text or text.endswith("\n")
    return Edited(end.join(lines) + (end if lines and is_ended else ""), len(lines))


def number_first(line: str) -> tuple[float, str]:
    found = NUMBER.match(line)
    return (float(found[1]) if found else float("-inf")), line


def by_letters(line: str) -> tuple[str, str]:
    return line.casefold(), line


def lines_of(text: str) -> list[str]:
    """Cut a text into lines with their ends; only a line feed ends one."""
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def line_end(text: str) -> str:
    """Give how the lines of a text end."""
    return "\r\n" if "\r\n" in text else "\n"


# What is done to a file


def edit_file(roots: Roots, backups: Backups, path: str, edit: Edit) -> Done:
    """Edit a file; where somebody else writes to it at the same time, it is looked at anew."""
    for _ in range(LOOKS - 1):
        try:
            return edited(roots, backups, path, edit)
        except Changing:
            continue
    return edited(roots, backups, path, edit)


def edited(roots: Roots, backups: Backups, path: str, edit: Edit) -> Done:
    """Edit a file if nobody else writes to it meanwhile."""
    with roots.spot(path) as spot:
        seen = status_of(spot)
        if seen is None:
            raise missing(spot.folder, spot.name, spot.path)
        text = text_in(spot)
        after = edit(text)
        if after.text == text:
            return unchanged(spot, count=0)
        former = backups.keep(spot)
        if former is None:
            raise Refusal(Code.NOT_FEASIBLE, backups.reason_not_kept(seen.st_size))
        put_whole(spot, after.text.encode(), replace=True, seen=seen)
        return report(spot, former, after)


def report(spot: Spot, former: str, after: Edited) -> Done:
    done = replaced(spot, former, digest_of_content(after.text.encode()), "")
    return Done({"path": spot.path, "count": after.count}, undo=done.undo)


def text_in(spot: Spot) -> str:
    """Read a text file that is small enough to be edited."""
    with open_regular(spot, READ) as file:
        data = file.read(LARGEST_TEXT + 1)
    if len(data) > LARGEST_TEXT:
        raise Refusal(Code.TOO_LARGE, f"{spot.path} is larger than {LARGEST_TEXT} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Refusal(Code.WRONG_KIND, f"{spot.path} is not text in UTF-8") from None


def was_edited(roots: Roots, path: str, done: Done) -> bool | None:
    """Tell whether a file holds what an edit left."""
    with roots.spot(path) as spot:
        if not done.changed:
            return spot.exists()
        expected = done.undo[0].params.get("expects") if done.undo else None
        return None if expected is None else digest_of(spot) == expected


# After a crash


def before_editing(roots: Roots, path: str, edit: Edit) -> Before:
    """Note what a file holds, and the size that it is to have."""
    with roots.spot(path) as spot:
        here = stamp_of(spot)
        if here is None or here.kind != "file":
            return Before(here)
        after = len(edit(text_in(spot)).text.encode())
        return Before(here, holds=digest_if_possible(spot), after=after)


def recover_edited(
    roots: Roots, backups: Backups, path: str, edit: Edit, before: Before
) -> Recovered:
    """An edit puts a new file in the place of the old one; what it held tells what it is to be."""
    with roots.spot(path) as spot:
        now = stamp_of(spot)
        if now == before.here:
            return None
        former = backups.if_kept(before.holds)
        if now is None or now.kind != "file" or former is None:
            return changed_meanwhile(spot.path)
        after = edit(backups.content(former).decode())
        if digest_of(spot) != digest_of_content(after.text.encode()):
            return changed_meanwhile(spot.path)
        sync_folder(spot.folder)
        return report(spot, former, after)
