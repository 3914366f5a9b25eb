"""What is asked about what files hold: how much, some lines, where a text is, how two differ."""

import difflib
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import BinaryIO, Literal

from messages.executing import Done
from messages.message import Row
from messages.queries import FILTERS
from messages.results import Code
from tools.files.answers import meant
from tools.files.digests import digest_of
from tools.files.operations import cut
from tools.files.primitives import READ, kind_of, kind_of_mode, open_regular, status_of
from tools.files.queries import Query, with_content_size
from tools.files.roots import Refusal, Roots, Spot, missing
from tools.files.verify import Entry, natural_order
from tools.text import printable

Counted = Literal["lines", "words", "characters"]
LARGEST_TEXT = 64 << 20
LARGEST_COMPARED = 1 << 20
MOST_SHOWN = 4 << 20
LONGEST_LINE = 1_000
LONGEST_PIECE = 1 << 20  # of a line that is searched at once
MOST_LINES = 10_000
MOST_FILES = 10_000

LineReader = Callable[[BinaryIO], list[str]]


# Which files


def files_meant(roots: Roots, said: Query) -> list[str]:
    """Give the paths of the files that are meant: the one that is named, or a set."""
    if not any(getattr(said, name) for name in FILTERS):
        return [said.path]
    found = [entry.path for entry in meant(roots, said) if not entry.is_folder]
    if not found:
        raise Refusal(Code.TARGET_NOT_FOUND, f"nothing of that kind is in {said.path}")
    if len(found) > MOST_FILES:
        raise Refusal(Code.TOO_LARGE, f"more than {MOST_FILES} files are meant; say which")
    return found


# One thing


def describe(roots: Roots, path: str) -> Done:
    """Tell whether a thing is there, what it is, how large, and when it was changed."""
    with roots.spot(path) as spot:
        status = status_of(spot)
        if status is None:
            return Done({"path": spot.path, "exists": False})
        kind = kind_of_mode(status.st_mode)
        size: int | None = status.st_size
        if kind == "folder":
            size = size_of_folder(roots, spot.path)
        changed = datetime.fromtimestamp(int(status.st_mtime), UTC).astimezone().isoformat()
        return Done(
            {"path": spot.path, "exists": True, "kind": kind, "size": size, "changed": changed}
        )


def size_of_folder(roots: Roots, path: str) -> int | None:
    """Add up what is in a folder; None if that is very much."""
    try:
        entry = Entry(path, path, is_folder=True, modified=0, size=0)
        return with_content_size(roots, entry).size
    except Refusal:
        return None


# Counting


def count_text(roots: Roots, said: Query, what: Counted) -> Done:
    """Count the lines, words or characters of a file, or of all files that are meant."""
    paths = files_meant(roots, said)
    counts = [count_in(roots, path, what) for path in paths]
    return Done({"value": sum(counts), "unit": what, "of": len(paths)})


def count_in(roots: Roots, path: str, what: Counted) -> int:
    text = text_at(roots, path)
    if what == "lines":
        return text.count("\n") + (not text.endswith("\n") and bool(text))
    return len(text.split()) if what == "words" else len(text)


def text_at(roots: Roots, path: str) -> str:
    with roots.spot(path) as spot, open_regular(spot, READ) as file:
        data = file.read(LARGEST_TEXT + 1)
        if len(data) > LARGEST_TEXT:
            raise Refusal(Code.TOO_LARGE, f"{spot.path} is larger than {LARGEST_TEXT} bytes")
        return decoded(data, spot)


def decoded(data: bytes, spot: Spot) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Refusal(Code.WRONG_KIND, f"{spot.path} is not text in UTF-8") from None


# The first and the last lines


def first_lines(roots: Roots, said: Query, lines: int) -> Done:
    return shown(roots, said, lambda file: lines_of(file.read(MOST_SHOWN))[:lines])


def last_lines(roots: Roots, said: Query, lines: int) -> Done:
    return shown(roots, said, lambda file: tail_of(file, lines))


def tail_of(file: BinaryIO, lines: int) -> list[str]:
    """Read the last lines of a file from its end, piece by piece."""
    end, found = file.seek(0, os.SEEK_END), b""
    while end and found.count(b"\n") <= lines and len(found) <= MOST_SHOWN:
        begin = max(0, end - (1 << 16))
        file.seek(begin)
        found, end = file.read(end - begin) + found, begin
    return lines_of(found)[-lines:]


def lines_of(data: bytes) -> list[str]:
    """Cut what a file holds into lines; what is no text is refused."""
    if b"\0" in data:
        raise Refusal(Code.WRONG_KIND, "it is not a text file")
    lines = data.decode(errors="replace").split("\n")
    last = lines.pop()
    return [f"{line[:LONGEST_LINE]}\n" for line in lines] + ([last[:LONGEST_LINE]] if last else [])


def shown(roots: Roots, said: Query, read: LineReader) -> Done:
    """Show some lines of a file, or of each file that is meant."""
    rows: list[Row] = []
    paths = files_meant(roots, said)
    for path in paths:
        with roots.spot(path) as spot, open_regular(spot, READ) as file:
            rows.append({"path": printable(spot.path), "text": "".join(read(file))})
    return Done(rows[0] if len(paths) == 1 else cut(rows))


# Where a text stands


def search_text(roots: Roots, said: Query, text: str) -> Done:
    """List the lines that hold a text, whatever its case; none is a refusal."""
    wanted = text.casefold()
    rows: list[Row] = []
    paths = files_meant(roots, said)
    for path in paths:
        rows += islice(lines_with(roots, path, wanted), MOST_LINES - len(rows))
    if not rows:
        where = f"{len(paths)} files" if len(paths) != 1 else paths[0]
        raise Refusal(Code.TARGET_NOT_FOUND, f"{text!r} is not in {where}")
    return Done(cut(rows))


def lines_with(roots: Roots, path: str, wanted: str) -> Iterator[Row]:
    """Give the lines of a file that hold a text; what is no text holds none."""
    with roots.spot(path) as spot, open_regular(spot, READ) as file:
        if b"\0" in file.read(4096):
            return
        file.seek(0)
        number = 1
        while piece := file.readline(LONGEST_PIECE):
            told = piece.decode(errors="replace")
            if wanted in told.casefold():
                shown = told.strip()[:LONGEST_LINE]
                yield {"path": printable(spot.path), "line": number, "text": shown}
            number += piece.endswith(b"\n")


# How two differ


def compare(roots: Roots, path: str, other: str) -> Done:
    """Tell whether two files or two folders hold the same, and what differs."""
    with roots.spot(path) as one, roots.spot(other) as two:
        for spot in (one, two):
            if not spot.exists():
                raise missing(spot.folder, spot.name, spot.path)
        kinds = kind_of(one), kind_of(two)
        if kinds[0] != kinds[1] or kinds[0] not in {"file", "folder"}:
            raise Refusal(Code.WRONG_KIND, f"a {kinds[0]} and a {kinds[1]} are not compared")
        if kinds[0] == "folder":
            return compare_folders(roots, one.path, two.path)
        return compare_files(one, two)


def compare_files(one: Spot, two: Spot) -> Done:
    """Compare two files: as text line by line, else as bytes."""
    named = {"path": one.path, "other": two.path}
    texts = [content_of(spot) for spot in (one, two)]
    if None in texts:
        digests = digest_of(one), digest_of(two)
        if None in digests:
            raise Refusal(Code.TOO_LARGE, "they are too large to be compared")
        return Done({**named, "same": digests[0] == digests[1]})
    before, after = (str(text).splitlines() for text in texts)
    if texts[0] == texts[1]:
        return Done({**named, "same": True})
    found = list(difflib.unified_diff(before, after, one.path, two.path, lineterm="", n=1))
    added = sum(line.startswith("+") for line in found[2:])
    removed = sum(line.startswith("-") for line in found[2:])
    lines = [printable(line) for line in found[2:]]
    return Done(
        {
            **named,
            "same": False,
            "added": added,
            "removed": removed,
            "lines": "\n".join(lines[:200]),
        }
    )


def content_of(spot: Spot) -> str | None:
    """Give the text of a file; None if it is none, or too much."""
    with open_regular(spot, READ) as file:
        data = file.read(LARGEST_COMPARED + 1)
    try:
        return data.decode() if len(data) <= LARGEST_COMPARED else None
    except UnicodeDecodeError:
        return None


def compare_folders(roots: Roots, one: str, two: str) -> Done:
    """Compare what is in two folders and below: by name, size and content."""
    first, second = names_in(roots, one), names_in(roots, two)
    both = sorted(first & second, key=natural_order)
    different = [name for name in both if is_different(roots, one, two, name)]
    rows: dict[str, list[str]] = {
        "only_here": sorted(first - second, key=natural_order),
        "only_there": sorted(second - first, key=natural_order),
        "different": different,
    }
    named = {name: ", ".join(map(printable, some[:200])) for name, some in rows.items() if some}
    return Done({"path": one, "other": two, "same": not named, **named})


def names_in(roots: Roots, folder: str) -> frozenset[str]:
    found = meant(roots, Query(folder, folder, kind="file", deep=True))
    return frozenset(os.path.relpath(entry.path, folder) for entry in found)


def is_different(roots: Roots, one: str, two: str, name: str) -> bool:
    with roots.spot(f"{one}/{name}") as first, roots.spot(f"{two}/{name}") as second:
        return digest_of(first) != digest_of(second)
