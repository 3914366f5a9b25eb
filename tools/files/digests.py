"""Digests: what a file, or a folder with all in it, holds, in sixty-four letters.

They say whether a thing is still what an action left. Names and contents count; modes and times do
not. What is larger than the limit has none, so that to look costs no more than a moment.
"""

import hashlib
import os
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from messages.results import Code
from tools.files.primitives import READ, kind_of, open_regular
from tools.files.roots import DIRECTORY, Refusal, Spot

if TYPE_CHECKING:
    from _hashlib import HASH

LARGEST = 256 << 20
LEAST = 4 << 10
CHUNK = 1 << 20
FOLDER = b"folder\0"
EMPTY_FOLDER = hashlib.sha256(FOLDER).hexdigest()


class TooMuch(Exception):
    """There is more to read than is worth it."""


@dataclass(slots=True)
class Allowance:
    """How much may still be read. A name counts as well: many small files are large together."""

    left: int = LARGEST

    def spend(self, size: int) -> None:
        self.left -= max(size, LEAST)
        if self.left < 0:
            raise TooMuch


def digest_of_content(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def digest_of(spot: Spot) -> str | None:
    """Give the digest of what is there, or None if that is too large or too deep."""
    try:
        return digested(spot, Allowance())
    except (TooMuch, RecursionError):
        return None


def digest_if_possible(spot: Spot) -> str | None:
    """Give the digest of what was made, for a later undo; what was done does not fail for it."""
    try:
        return digest_of(spot)
    except (Refusal, OSError):
        return None


def digest_of_beginning(file: BinaryIO, size: int) -> str | None:
    """Give the digest of the first bytes of an open file, or None if they are too many."""
    return None if size > LARGEST else hashed(file, size).hexdigest()


def digests_around(file: BinaryIO, size: int, addition: bytes) -> tuple[str, str] | None:
    """Give the digests of an open file of this size, and of it with more at its end."""
    if size + len(addition) > LARGEST:
        return None
    total = hashed(file, size)
    before = total.hexdigest()
    total.update(addition)
    return before, total.hexdigest()


def hashed(file: BinaryIO, size: int) -> "HASH":
    """Read the first bytes of an open file, a piece at a time."""
    total = hashlib.sha256()
    file.seek(0)
    while size > 0 and (piece := file.read(min(size, CHUNK))):
        total.update(piece)
        size -= len(piece)
    return total


def digested(spot: Spot, allowance: Allowance, passed_over: frozenset[str] = frozenset()) -> str:
    """Give the digest of what is there; a link stands for the path that it holds.

    In folders, kinds of things may be passed over.
    """
    match kind_of(spot):
        case "file":
            with open_regular(spot, READ) as file:
                size = os.fstat(file.fileno()).st_size
                allowance.spend(size)
                return hashed(file, size).hexdigest()
        case "folder":
            return digested_folder(spot, allowance, passed_over)
        case "link":
            return digest_of_content(os.fsencode(os.readlink(spot.name, dir_fd=spot.folder)))
        case _:
            return digest_of_content(b"")


def digested_folder(spot: Spot, allowance: Allowance, passed_over: frozenset[str]) -> str:
    """Give the digest of the names in a folder, what they are and what they hold."""
    allowance.spend(0)
    total = hashlib.sha256(FOLDER)
    with ExitStack() as handles:
        folder = os.open(spot.name or ".", DIRECTORY, dir_fd=spot.folder)
        handles.callback(os.close, folder)
        for name in sorted(os.listdir(folder), key=os.fsencode):
            inner = Spot(folder, name, f"{spot.path}/{name}")
            if kind_of(inner) in passed_over:
                continue
            holds = digested(inner, allowance, passed_over)
            total.update(f"{kind_of(inner)}\0{holds}\0".encode() + os.fsencode(name) + b"\0")
    return total.hexdigest()


def refuse_changed(spot: Spot, expects: str) -> None:
    """Refuse to touch what is not any more what an action left.

    What is too large to compare has grown: when it was left, it had a digest.
    """
    if digest_of(spot) != expects:
        raise changed(spot.path)


def changed(path: str) -> Refusal:
    """Word that somebody else has been at work."""
    return Refusal(Code.CHANGED_SINCE, f"{path} was changed since; it is left as it is")
