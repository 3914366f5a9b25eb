"""Verification: what was asked for is there afterwards, or it is not."""

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from messages.results import Code
from tools.files.digests import digest_of
from tools.files.primitives import READ, kind_of, open_regular, status_of
from tools.files.roots import Refusal, Roots, Spot
from tools.text import printable

MAX_ENTRIES = 20_000
NUMBERS = re.compile(r"([0-9]+)")


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


def mark_of(roots: Roots, path: str, apart: tuple[str, ...] = ()) -> str:
    """Tell a thing from any other, and from itself after somebody has been at work on it.

    What becomes of the paths ``apart`` does not count. Of a folder that holds very much, what comes
    first is looked at.
    """
    with roots.spot(path) as spot:
        return mark_of_spot(spot, apart)


def mark_of_spot(spot: Spot, apart: tuple[str, ...] = ()) -> str:
    """Mark what is at a place, as ``mark_of`` does."""
    status = status_of(spot)
    if status is None or is_apart(spot.path, apart):
        return "nothing"
    total = hashlib.sha256(state_around(spot.path, status, apart))
    if stat.S_ISDIR(status.st_mode):
        around = os.path.dirname(spot.path)
        for name, inner in islice(all_in(spot), MAX_ENTRIES):
            whole = os.path.normpath(os.path.join(around, name))
            if not is_apart(whole, apart):
                total.update(os.fsencode(name) + b"\0" + state_around(whole, inner, apart))
    return total.hexdigest()


def is_apart(path: str, apart: tuple[str, ...]) -> bool:
    """Tell whether a path is one of those that do not count, or lies in one."""
    return any(path == each or path.startswith(f"{each}/") for each in apart)


def state_around(path: str, status: os.stat_result, apart: tuple[str, ...]) -> bytes:
    """Put into bytes what changes with a thing; a folder changes with what is in it."""
    if any(each.startswith(f"{path}/") for each in apart):
        return repr((status.st_dev, status.st_ino, status.st_mode)).encode()
    return state_of(status)


def state_of(status: os.stat_result) -> bytes:
    """Put into bytes what changes with a thing; nobody can set back the time of its change."""
    of_thing = (status.st_dev, status.st_ino, status.st_mode, status.st_size)
    return repr((*of_thing, status.st_mtime_ns, status.st_ctime_ns)).encode()


def all_in(spot: Spot) -> Iterator[tuple[str, os.stat_result]]:
    """Give all that is in a folder and in the folders in it."""
    for folder, inner, names, handle in os.fwalk(spot.name or ".", dir_fd=spot.folder):
        inner.sort()
        for name in sorted((*inner, *names)):
            with suppress(FileNotFoundError):
                status = os.stat(name, dir_fd=handle, follow_symlinks=False)
                yield os.path.join(folder, name), status


def are_alike(roots: Roots, one: str, other: str) -> bool:
    """Tell whether two things hold the same, as far as they can be compared."""
    with roots.spot(one) as first, roots.spot(other) as second:
        if not (first.exists() and second.exists() and kind_of(first) == kind_of(second)):
            return False
        digest = digest_of(first)
        return digest is not None and digest == digest_of(second)


def entries_in(roots: Roots, path: str) -> list[Entry]:
    """List what is in a folder, in natural order; an unprintable name cannot be spoken of."""
    with roots.folder(path) as spot, os.scandir(spot.folder) as entries:
        found = [entry_of(entry, spot.path) for entry in islice(entries, MAX_ENTRIES + 1)]
    if len(found) > MAX_ENTRIES:
        message = f"{spot.path} holds more than {MAX_ENTRIES} things; name the one you mean"
        raise Refusal(Code.TOO_LARGE, message)
    return sorted(filter(None, found), key=lambda entry: natural_order(entry.name))


def natural_order(name: str) -> tuple[list[str | int], str]:
    """Give a key by which names are sorted as people count: numbers in them as numbers.

    >>> sorted(["photo 10.jpg", "photo 2.jpg", "photo.jpg", "photo 1.jpg"], key=natural_order)
    ['photo 1.jpg', 'photo 2.jpg', 'photo 10.jpg', 'photo.jpg']
    """
    # Texts and numbers take turns, so that a text is never compared with a number.
    parts = enumerate(NUMBERS.split(name))
    return [int(part) if at % 2 else part for at, part in parts], name


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
