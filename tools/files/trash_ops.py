"""What people ask of the trash: what is in it, put something back, empty it.

Only what came from the roots counts: the rest of the trash is neither shown nor touched.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from messages.executing import Done, Recovered
from messages.message import Row
from messages.results import Code
from tools.files import undoing
from tools.files.digests import digest_if_possible
from tools.files.operations import cut, done
from tools.files.primitives import discard, kind_of, relocate, remove_old_name, sync_folder
from tools.files.recovery import Before, Move, changed_meanwhile, stamp_of
from tools.files.roots import Refusal, Roots, Spot
from tools.files.trash import held, noted_thing, trashes_of
from tools.files.undoing import NOT_COMPARED
from tools.text import printable

EMPTIED = "what is emptied from the trash cannot be brought back"


@dataclass(frozen=True, slots=True)
class Trashed:
    """One thing in the trash: its note, where it came from, and when it was deleted."""

    note: Path
    origin: str
    deleted: str

    @property
    def thing(self) -> Path:
        return noted_thing(self.note)


def trashed_things(roots: Roots) -> list[Trashed]:
    """Give what is in the trash and came from the roots, what was deleted last first."""
    cans = {can: None for root in roots.folders.values() for can in trashes_of(root)}
    found = [each for can in cans for each in things_in(can) if is_of_roots(roots, each.origin)]
    return sorted(found, key=lambda each: (each.deleted, each.note.name), reverse=True)


def things_in(can: Path) -> Iterator[Trashed]:
    """Read the notes of one trash (freedesktop.org's trash specification)."""
    top = can.parent if can.name.startswith(".Trash-") else can.parent.parent
    with suppress(OSError):
        for note in sorted((can / "info").glob("*.trashinfo")):
            lines = note.read_text(errors="replace").splitlines()
            said = dict(line.split("=", 1) for line in lines if "=" in line)
            if "Path" not in said or not os.path.lexists(noted_thing(note)):
                continue
            path = unquote(said["Path"])
            origin = path if can.name == "Trash" else os.path.join(top, path)
            yield Trashed(note, os.path.normpath(origin), said.get("DeletionDate", ""))


def is_of_roots(roots: Roots, origin: str) -> bool:
    """Tell whether something came from a root, and from no protected place in it."""
    try:
        _, names = roots.split(origin)
    except Refusal:
        return False
    return bool(names) and roots.protected.isdisjoint(name.casefold() for name in names)


def list_trash(roots: Roots) -> Done:
    """List what is in the trash."""
    rows: list[Row] = [
        {
            "name": printable(os.path.basename(each.origin)),
            "path": printable(each.origin),
            "deleted": each.deleted,
        }
        for each in trashed_things(roots)
    ]
    return Done(cut(rows))


# Back to its place


def find_trashed(roots: Roots, path: str) -> Trashed:
    """Find what was deleted from a path; by its name alone if no folder was said."""
    whole = os.path.normpath(path)
    there = trashed_things(roots)
    exact = [each for each in there if each.origin == whole]
    if exact:
        return exact[0]
    is_bare = any(str(root) == os.path.dirname(whole) for root in roots.folders.values())
    name = os.path.basename(whole)
    named = [each for each in there if is_bare and os.path.basename(each.origin) == name]
    origins = sorted({each.origin for each in named})
    if not named:
        raise Refusal(Code.TARGET_NOT_FOUND, f"no {name!r} is in the trash")
    if len(origins) > 1:
        places = " and ".join(map(printable, origins))
        raise Refusal(Code.AMBIGUOUS_TARGET, f"several are in the trash: {places}; say which")
    return named[0]


def put_back(roots: Roots, path: str) -> Done:
    """Bring a thing back from the trash to where it was, if nothing else is there now."""
    found = find_trashed(roots, path)
    with roots.spot(found.origin) as spot, held(found.thing.parent) as files:
        relocate(Spot(files, found.thing.name, str(found.thing)), spot)
        return finish(spot, found.note)


def finish(spot: Spot, note: Path) -> Done:
    note.unlink(missing_ok=True)
    undo = undoing.to_discard(spot.path, digest_if_possible(spot))
    return done(spot, undo, NOT_COMPARED, kind=kind_of(spot))


def before_putting_back(roots: Roots, path: str) -> Before:
    found = find_trashed(roots, path)
    with roots.spot(found.origin) as spot, held(found.thing.parent) as files:
        thing = stamp_of(Spot(files, found.thing.name, str(found.thing)))
        inode = "" if thing is None else thing.inode
        return Before(stamp_of(spot), thing, moves=(Move(str(found.note), found.origin, inode),))


def recover_put_back(roots: Roots, before: Before) -> Recovered:
    """A thing keeps its inode when it comes back; a file has both names for a moment."""
    if before.here is not None or not before.moves:
        return None  # there was no room for it, or nothing to bring back
    (move,) = before.moves
    note = Path(move.source)
    with roots.spot(move.target) as spot, held(noted_thing(note).parent) as files:
        thing = Spot(files, noted_thing(note).name, str(noted_thing(note)))
        now, kept = stamp_of(spot), stamp_of(thing)
        if now is None or now.inode != move.inode:
            return changed_meanwhile(spot.path) if kept is None else None
        if kept is not None and kept.inode == move.inode:
            remove_old_name(thing, spot)
        sync_folder(spot.folder)
        return finish(spot, note)


# Emptied


def mark_trash(roots: Roots) -> str:
    """Mark what would be emptied; an empty trash is refused at once."""
    found = trashed_things(roots)
    if not found:
        raise Refusal(Code.TARGET_NOT_FOUND, "nothing from these folders is in the trash")
    total = hashlib.sha256()
    for each in found:
        status = os.lstat(each.thing)
        total.update(repr((str(each.thing), status.st_ino, status.st_mtime_ns)).encode())
    return total.hexdigest()


def empty_trash(roots: Roots) -> Done:
    """Delete for good what is in the trash and came from the roots."""
    found = trashed_things(roots)
    if not found:
        raise Refusal(Code.TARGET_NOT_FOUND, "nothing from these folders is in the trash")
    for each in found:
        with held(each.thing.parent) as files:
            discard(Spot(files, each.thing.name, str(each.thing)))
            sync_folder(files)
        each.note.unlink(missing_ok=True)
    return Done({"removed": len(found)}, lasting=EMPTIED)


def is_trash_empty(roots: Roots) -> bool:
    return not trashed_things(roots)


def before_emptying(roots: Roots) -> Before:
    return Before(after=len(trashed_things(roots)))


def recover_emptied(roots: Roots) -> Recovered:
    """An empty trash was emptied; what is left is for the approval to tell, which was marked."""
    return None if trashed_things(roots) else Done(None, lasting=EMPTIED)
