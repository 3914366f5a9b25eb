"""What puts files back as they were, and refuses where somebody else has been at work since."""

import os

from messages.executing import Done
from tools.files import undoing
from tools.files.backups import Backups
from tools.files.digests import (
    changed,
    digest_if_possible,
    digest_of,
    digest_of_beginning,
    refuse_changed,
)
from tools.files.operations import done, movable, refuse_itself, removable, unchanged
from tools.files.primitives import kind_of, open_regular, put_whole, relocate, status_of
from tools.files.roots import Refusal, Roots, missing
from tools.files.trash import take_out, trash
from tools.files.undoing import NOT_COMPARED, NOT_IN_TRASH


def discard_unchanged(roots: Roots, path: str, expects: str) -> Done:
    """Move a thing to the trash if it is still what was left: a folder with others' files is not.

    It is looked at in its place, so that what was changed is not even touched; and once more when
    it is out of everybody's way.
    """
    with removable(roots, path) as (spot, top):
        refuse_changed(spot, expects)
        kind = kind_of(spot)
        entry = trash(spot, top, lambda aside: refuse_changed(aside, expects))
        return done(spot, undoing.to_untrash(spot.path, entry), NOT_IN_TRASH, kind=kind)


def restore(roots: Roots, backups: Backups, path: str, former: str, expects: str) -> Done:
    """Give a file its former content if it still holds what replaced it; its mode stays."""
    with roots.spot(path) as spot:
        seen = status_of(spot)
        if seen is None:
            raise missing(spot.folder, spot.name, spot.path)
        now = digest_of(spot)
        if now == former:
            return unchanged(spot, restored=False)
        if now != expects:
            raise changed(spot.path)
        content = backups.content(former)
        kept = backups.keep(spot, spent=former)
        put_whole(spot, content, replace=True, seen=seen)
        undo = undoing.to_restore(spot.path, kept, former)
        return done(spot, undo, backups.reason_not_kept(seen.st_size), restored=True)


def shorten(
    roots: Roots, backups: Backups, path: str, former: str, expects: str, *, size: int
) -> Done:
    """Take from the end of a file what was added to it, if nothing else was done to it since."""
    with roots.spot(path) as spot, open_regular(spot, os.O_RDWR) as file:
        whole = os.fstat(file.fileno()).st_size
        now = digest_of_beginning(file, whole)
        if now == former:
            return unchanged(spot, restored=False)
        if now != expects or digest_of_beginning(file, min(size, whole)) != former:
            raise changed(spot.path)
        kept = backups.keep(spot)
        os.ftruncate(file.fileno(), size)
        os.fsync(file.fileno())
        undo = undoing.to_restore(spot.path, kept, former)
        return done(spot, undo, backups.reason_not_kept(whole), restored=True)


def unmove(roots: Roots, path: str, to: str, expects: str) -> Done:
    """Move a thing back to where it was, if it still is what was moved and that place is free.

    What changes on the way goes back: it is another's work.
    """
    movable(roots, path)
    with roots.spot(path) as source, roots.spot(to) as target:
        refuse_itself(source, target)
        if not source.exists():
            raise missing(source.folder, source.name, source.path)
        refuse_changed(source, expects)
        relocate(source, target)
        try:
            refuse_changed(target, expects)
        except Refusal:
            relocate(target, source)
            raise changed(source.path) from None
        undo = undoing.to_unmove(source.path, target.path, expects)
        return done(target, undo, source=source.path)


def untrash(roots: Roots, path: str, entry: str) -> Done:
    """Bring a thing back from the trash to its place, if nothing else is there now."""
    with roots.spot(path) as spot:
        take_out(entry, spot)
        undo = undoing.to_discard(spot.path, digest_if_possible(spot))
        return done(spot, undo, NOT_COMPARED, kind=kind_of(spot))
