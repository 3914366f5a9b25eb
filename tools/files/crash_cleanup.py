"""Crash cleanup: what a process that was killed left in a folder is put right.

What it was deleting goes back to its place, or on to the trash where that is taken. What it was
making beside its place is removed; nothing else ever is, for it may be somebody's only copy.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

import structlog

from tools.files.primitives import TEMPORARY, discard
from tools.files.processes import is_running
from tools.files.roots import Refusal, Roots, Spot
from tools.files.trash import ORIGIN, finish

MOST_KNOWN = 4_096

log = structlog.get_logger(actor="files")


@dataclass(frozen=True, slots=True)
class Mender:
    """Looks once at every folder in which something is done: at the roots, as soon as it can."""

    roots: Roots
    _known: set[str] = field(default_factory=set)

    def mend_roots(self) -> None:
        self.mend([str(root) for root in self.roots.folders.values()])

    def unknown(self, *folders: str) -> list[str]:
        """Give those of some folders that have not been looked at."""
        return [folder for folder in map(os.path.normpath, folders) if folder not in self._known]

    def mend(self, folders: Iterable[str]) -> None:
        """Put right what was left in some folders.

        Whoever works in one that cannot be entered is told why by the work itself.
        """
        for folder in folders:
            with suppress(Refusal, OSError, ValueError), self.roots.folder(folder) as place:
                self.remember(folder)
                for name in os.listdir(place.folder):
                    mend_one(self.roots, Spot(place.folder, name, place.path))

    def remember(self, folder: str) -> None:
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known.add(folder)


def mend_one(roots: Roots, left: Spot) -> None:
    """Put right one thing in a folder, if a process that is gone left it; ``path`` is the folder's.

    What cannot be put right now stays as it is, for the next time.
    """
    try:
        if made := TEMPORARY.fullmatch(left.name):
            if not is_running(made[1]):
                discard(left)
                log.info("files.leftover_removed", folder=left.path, name=left.name)
        elif ORIGIN.fullmatch(left.name) and (became := finish(roots, left)):
            log.warning("files.interrupted_deletion", **became)
    except (Refusal, OSError, RecursionError) as error:
        log.warning("files.not_mended", folder=left.path, name=left.name, reason=str(error))
