"""Backups: what files held before they were replaced, kept for a while.

They are the daemon's own, readable by its user alone, and named by what they hold. The folder is
bounded: the oldest are dropped, and with them the chance to bring them back.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from messages.results import Code
from tools.files.digests import digest_of_content
from tools.files.primitives import READ, open_regular, size_of, write_new
from tools.files.roots import DIRECTORY, Refusal, Spot

DIGEST = re.compile(r"[0-9a-f]{64}")
LIMIT = 256 << 20
LARGEST = 32 << 20
MOST = 4_096


@dataclass(frozen=True, slots=True)
class Backups:
    """The former contents in a folder; without one, nothing is kept.

    ``limit`` is for all of them, ``largest`` for each. However small they are, there are never more
    than ``MOST``, so that the folder is quickly looked through.
    """

    folder: Path | None = None
    limit: int = LIMIT
    largest: int = LARGEST
    _turn: Lock = field(default_factory=Lock, repr=False, compare=False)

    def keep(self, spot: Spot, *, spent: str | None = None) -> str | None:
        """Keep what a file holds and give its digest; None if it is too large or cannot be kept.

        What is ``spent``, being restored just now, is the first to make room for it.
        """
        if self.folder is None:
            return None
        try:
            if not self.has_room_for(size_of(spot)):
                return None
            with open_regular(spot, READ) as file:
                content = file.read()
            return self.put(content, self.folder, spent)
        except (OSError, Refusal):
            return None

    def reason_not_kept(self, size: int) -> str:
        """Say why a content of this size was not kept."""
        most = min(self.largest, self.limit)
        if self.folder is not None and size > most:
            return f"what it held is not kept: it was larger than {most} bytes"
        return "what it held could not be kept"

    def has_room_for(self, size: int) -> bool:
        """Tell whether a content of this size is kept."""
        return self.folder is not None and size <= min(self.largest, self.limit)

    def if_kept(self, digest: str | None) -> str | None:
        """Give this digest if its content is kept."""
        if self.folder is None or digest is None:
            return None
        return digest if (self.folder / digest).is_file() else None

    def put(self, content: bytes, place: Path, spent: str | None) -> str:
        """Write a content under its digest, to the disk, and make room."""
        digest = digest_of_content(content)
        with self._turn, opened(place) as folder:
            kept = Spot(folder, digest, str(place / digest))
            write_new(kept, content)
            if spent is not None:
                with suppress(FileNotFoundError):  # it may have made room already
                    os.utime(spent, (0, 0), dir_fd=folder)
            self.drop_oldest(folder, digest)
        return digest

    def drop_oldest(self, folder: int, newest: str) -> None:
        """Drop what is over the limit; what came last is the last to go."""
        with os.scandir(folder) as entries:
            found = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
        found.sort(key=lambda each: (each[0] == newest, each[1].st_mtime_ns), reverse=True)
        room = self.limit
        for name, status in found:
            room -= max(status.st_size, self.limit // MOST)
            if room < 0 and name != newest:
                os.unlink(name, dir_fd=folder)

    def content(self, digest: str) -> bytes:
        """Give the content of this digest, the very same bytes."""
        gone = Refusal(Code.TARGET_NOT_FOUND, "the former content is not kept any more")
        if self.folder is None or not DIGEST.fullmatch(digest):
            raise gone
        with self._turn, opened(self.folder) as folder, suppress(FileNotFoundError):
            handle = os.open(digest, READ, dir_fd=folder)
            with os.fdopen(handle, "rb") as file:
                content = file.read()
            if digest_of_content(content) == digest:
                return content
        raise gone


@contextmanager
def opened(place: Path) -> Iterator[int]:
    """Open the folder, made for its owner alone."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = os.open(place, DIRECTORY)
    try:
        os.fchmod(folder, 0o700)
        yield folder
    finally:
        os.close(folder)
