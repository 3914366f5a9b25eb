"""Looking at files: what was asked for is there afterwards, or it is not."""

import os
from dataclasses import dataclass
from itertools import islice

from messages.results import Code
from tools.files.digests import digest_of
from tools.files.pieces import READ, kind_of, open_regular
from tools.files.roots import Refusal, Roots
from tools.text import printable

MAX_ENTRIES = 20_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One file or folder, as a listing shows it."""

    name: str
    path: str
    is_folder: bool
    modified: float
    size: int


def exists(roots: Roots, path: str) -> bool:
    """Tell whether a path is there."""
    try:
        with roots.spot(path) as spot:
            return spot.exists()
    except Refusal:
        return False


def is_kind(roots: Roots, path: str, kind: str) -> bool:
    """Tell whether a path is there and of this kind."""
    try:
        with roots.spot(path) as spot:
            return spot.exists() and kind_of(spot) == kind
    except Refusal:
        return False


def holds_text(roots: Roots, path: str, content: str) -> bool:
    """Tell whether a file holds this content, and nothing else."""
    wanted = content.encode()
    with roots.spot(path) as spot, open_regular(spot, READ) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        return size == len(wanted) and file.read() == wanted


def holds_before(roots: Roots, path: str, content: str, end: int | None) -> bool:
    """Tell whether a file holds this content up to a place in it; None for its end."""
    wanted = content.encode()
    with roots.spot(path) as spot, open_regular(spot, READ) as file:
        size = file.seek(0, os.SEEK_END)
        last = size if end is None else min(end, size)
        first = file.seek(max(0, last - len(wanted) - 1))
        return wanted in file.read(last - first)


def holds(roots: Roots, path: str, digest: str) -> bool:
    """Tell whether what is there has this digest."""
    with roots.spot(path) as spot:
        return spot.exists() and digest_of(spot) == digest


def are_alike(roots: Roots, one: str, other: str) -> bool:
    """Tell whether two things hold the same, as far as they can be compared."""
    with roots.spot(one) as first, roots.spot(other) as second:
        if not (first.exists() and second.exists() and kind_of(first) == kind_of(second)):
            return False
        digest = digest_of(first)
        return digest is not None and digest == digest_of(second)


def entries_in(roots: Roots, path: str) -> list[Entry]:
    """List what is in a folder, by name; what has no printable name cannot be spoken of."""
    with roots.folder(path) as spot, os.scandir(spot.folder) as entries:
        found = [entry_of(entry, spot.path) for entry in islice(entries, MAX_ENTRIES + 1)]
    if len(found) > MAX_ENTRIES:
        message = f"{spot.path} holds more than {MAX_ENTRIES} things; name the one you mean"
        raise Refusal(Code.TOO_LARGE, message)
    return sorted(filter(None, found), key=lambda entry: entry.name)


def entry_of(entry: "os.DirEntry[str]", folder: str) -> Entry | None:
    """Describe one thing in a folder; links and devices are none."""
    is_folder = entry.is_dir(follow_symlinks=False)
    if entry.name != printable(entry.name) or not (
        is_folder or entry.is_file(follow_symlinks=False)
    ):
        return None
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:  # it went away meanwhile
        return None
    path = f"{folder.rstrip('/')}/{entry.name}"
    return Entry(entry.name, path, is_folder, status.st_mtime, status.st_size)
