"""Recovery: what became of work on files that was interrupted.

Before a tool acts, it notes what is there (``before_…``); the note is in the journal before the
first byte changes. After a crash the same places are looked at again. Each operation either gives a
thing its new name in one step, or writes to the end of a file; so the disk shows whether it
happened, and work that stopped between two steps is finished or taken back here.

It cannot be told only where somebody else has changed the same thing meanwhile.
"""

import hashlib
import os
import stat
from contextlib import suppress
from itertools import islice

import msgspec

from messages.executing import Recovered, Refused, Unknown
from messages.results import Code
from tools.files import undoing
from tools.files.backups import Backups
from tools.files.digests import (
    EMPTY_FOLDER,
    Allowance,
    TooMuch,
    digest_if_possible,
    digest_of,
    digest_of_content,
    digested,
    digests_around,
)
from tools.files.operations import done, replaced, text_to_add
from tools.files.primitives import (
    READ,
    kind_of,
    kind_of_mode,
    open_regular,
    remove_old_name,
    status_of,
    sync_folder,
)
from tools.files.roots import Roots, Spot
from tools.files.trash import find_in_trash, forget_note, thing_in_trash
from tools.files.undoing import NOT_COMPARED
from tools.files.verify import all_in, holds_text, state_of

NOT_COPIED = frozenset({"link", "device"})
# So much of a thing is described before it is touched: to look costs a few milliseconds at most.
MOST_NAMES = 2_000
MOST_CONTENT = 1 << 20
# The end of a file and its length tell it from what somebody else made of it: who rewrites a file
# makes a new one, or changes its end as well. To read more of a long file would cost more than to
# append to it.
TAIL = 4 << 10
# What others have added since is looked through up to this size.
MOST_ADDED = 16 << 20
# A write that is cut off by a kill ends with a page.
PAGE = 4 << 10


class Stamp(msgspec.Struct, frozen=True):
    """What tells a thing from others, and from itself after it was written to."""

    kind: str
    inode: str
    size: int
    modified: int


class Move(msgspec.Struct, frozen=True):
    """A thing that is to go from one path to another, and which it is."""

    source: str
    target: str
    inode: str


class Before(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was there before: ``here`` at the path, ``there`` where it goes to or comes from.

    ``holds`` is a digest of what it held, as far as the operation needs that, and ``after`` the
    size it is to have: that is all that tells if the text itself is lost. ``moves`` are the things
    that go elsewhere, where there are several. Where the look itself was ``refused``, so would have
    been the work.
    """

    here: Stamp | None = None
    there: Stamp | None = None
    holds: str | None = None
    after: int | None = None
    moves: tuple[Move, ...] = ()
    refused: bool = False


REFUSED = Before(refused=True)


def stamp_of(spot: Spot) -> Stamp | None:
    """Describe what is there in a few numbers; an inode may be larger than JSON's integers."""
    status = status_of(spot)
    if status is None:
        return None
    kind = kind_of_mode(status.st_mode)
    return Stamp(kind, f"{status.st_ino:x}", status.st_size, status.st_mtime_ns)


def is_moved(now: Stamp | None, before: Stamp) -> bool:
    """Tell whether this is the same thing, perhaps written to since."""
    return now is not None and (now.kind, now.inode) == (before.kind, before.inode)


def changed_meanwhile(path: str) -> Unknown:
    return Unknown(f"{path} was changed by somebody else meanwhile")


def changed_somehow(path: str) -> Unknown:
    return Unknown(f"{path} was changed, by this or by somebody else, and its text is not kept")


# Made and written


def before_making(roots: Roots, path: str) -> Before:
    with roots.spot(path) as spot:
        return Before(stamp_of(spot))


def before_filling(roots: Roots, path: str, content: str) -> Before:
    """Note what is there before a file is made, and the size it will have."""
    with roots.spot(path) as spot:
        return Before(stamp_of(spot), after=len(content.encode()))


def recover_folder(roots: Roots, path: str, content: str, before: Before) -> Recovered:
    """A folder that was not there before is the one that was made: undone while it is empty."""
    if before.here is not None or content:
        return None  # what is there is left as it is, however often
    with roots.spot(path) as spot:
        now = stamp_of(spot)
        if now is None:
            return None
        if now.kind != "folder":
            return changed_meanwhile(spot.path)
        sync_folder(spot.folder)
        return done(spot, undoing.to_discard(spot.path, EMPTY_FOLDER), created=True)


def recover_new_file(roots: Roots, path: str, content: str, before: Before) -> Recovered:
    """A new file has all of its content as soon as it has its name."""
    if before.here is not None:
        return None  # what is there is never touched
    with roots.spot(path) as spot:
        now = stamp_of(spot)
        if now is None:
            return None
        if now.kind != "file" or not holds_text(roots, path, content):
            return changed_meanwhile(spot.path)
        sync_folder(spot.folder)
        left = digest_of_content(content.encode())
        return done(spot, undoing.to_discard(spot.path, left), created=True)


def compare_new_file(roots: Roots, path: str, before: Before) -> Recovered:
    """Tell by its size whether a file that was not there before is the one that was made."""
    if before.here is not None:
        return None
    with roots.spot(path) as spot:
        now = stamp_of(spot)
        if now is None:
            return None
        if not is_as_planned(now, before):
            return changed_somehow(spot.path)
        sync_folder(spot.folder)
        undo = undoing.to_discard(spot.path, digest_if_possible(spot))
        return done(spot, undo, NOT_COMPARED, created=True)


def is_as_planned(now: Stamp | None, before: Before) -> bool:
    """Tell whether another file than before is there, of the size that was to be written."""
    if now is None or now.kind != "file" or now.size != before.after:
        return False
    return before.here is None or not is_moved(now, before.here)


def before_writing(roots: Roots, backups: Backups, path: str, content: str) -> Before:
    """Note what a file holds, too, if that will be kept: by its digest it can be brought back."""
    after = len(content.encode())
    with roots.spot(path) as spot:
        here = stamp_of(spot)
        if here is None or here.kind != "file" or not backups.has_room_for(here.size):
            return Before(here, after=after)
        return Before(here, holds=digest_if_possible(spot), after=after)


def recover_written(
    roots: Roots, backups: Backups, path: str, content: str, before: Before, *, overwrite: bool
) -> Recovered:
    """A write puts a new file in the place of the old one, in one step."""
    here = before.here
    if here is not None and here.size and not overwrite:
        return None  # what holds something is never touched
    with roots.spot(path) as spot:
        now = stamp_of(spot)
        if now == here:
            return None
        if now is None or now.kind != "file" or not holds_text(roots, path, content):
            return changed_meanwhile(spot.path)
        sync_folder(spot.folder)
        left = digest_of_content(content.encode())
        if here is None:
            return done(spot, undoing.to_discard(spot.path, left), created=True)
        former = backups.if_kept(before.holds)
        return replaced(spot, former, left, backups.reason_not_kept(here.size))


def compare_written(
    roots: Roots, backups: Backups, path: str, before: Before, *, overwrite: bool
) -> Recovered:
    """Tell by inode and size whether a new file is in the place of the old one."""
    here = before.here
    if here is None:
        return compare_new_file(roots, path, before)
    if here.size and not overwrite:
        return None
    with roots.spot(path) as spot:
        now = stamp_of(spot)
        if now == here:
            return None
        left = digest_of(spot) if is_as_planned(now, before) else None
        if left is None:
            return changed_somehow(spot.path)
        sync_folder(spot.folder)
        former = backups.if_kept(before.holds)
        return replaced(spot, former, left, backups.reason_not_kept(here.size))


# Added to the end


def before_appending(roots: Roots, path: str, content: str) -> Before:
    with roots.spot(path) as spot:
        here = stamp_of(spot)
        if here is None or here.kind != "file":
            return Before(here)
        with open_regular(spot, READ) as file:
            holds = digest_of_tail(file.fileno(), here.size)
            after = here.size + len(text_to_add(file, here.size, content))
            return Before(here, holds=holds, after=after)


def digest_of_tail(handle: int, size: int) -> str:
    """Give the digest of the last bytes of a file that is, or was, of this size."""
    start = max(0, size - TAIL)
    return digest_of_content(os.pread(handle, size - start, start))


def recover_appended(roots: Roots, path: str, content: str, before: Before) -> Recovered:
    """What is behind the old end tells: the whole text, a part of it, or nothing of it."""
    here = before.here
    if here is None:
        return None
    with roots.spot(path) as spot, open_regular(spot, os.O_RDWR) as file:
        now, handle = stamp_of(spot), file.fileno()
        if now == here or os.fstat(handle).st_nlink > 1:  # with a second name it stays as it is
            return None
        same = is_moved(now, here) and digest_of_tail(handle, here.size) == before.holds
        added = os.fstat(handle).st_size - here.size
        if not same or not 0 <= added <= MOST_ADDED:
            return changed_meanwhile(spot.path)
        text = text_to_add(file, here.size, content)
        found = os.pread(handle, added, here.size)
        if found.startswith(text):
            os.fsync(handle)
            around = digests_around(file, here.size, text)
            undo = () if around is None else undoing.to_shorten(spot.path, here.size, *around)
            return done(spot, undo, NOT_COMPARED, size=here.size + len(text))
        if found and is_torn(found, text):
            os.ftruncate(handle, here.size)
            os.fsync(handle)
            return None
        if text in found or is_torn_before_others(found, text, here.size):
            return changed_meanwhile(spot.path)
        return None


def compare_appended(roots: Roots, path: str, before: Before) -> Recovered:
    """Tell by the size whether something as long as the text is behind the old end."""
    here = before.here
    if here is None:
        return None
    with roots.spot(path) as spot, open_regular(spot, READ) as file:
        now, handle = stamp_of(spot), file.fileno()
        if now == here:
            return None
        size = os.fstat(handle).st_size
        if not is_moved(now, here) or digest_of_tail(handle, here.size) != before.holds:
            return changed_somehow(spot.path)
        if size == here.size:
            return None
        if size != before.after:
            return changed_somehow(spot.path)
        os.fsync(handle)
        around = digests_around(file, here.size, os.pread(handle, size - here.size, here.size))
        undo = () if around is None else undoing.to_shorten(spot.path, here.size, *around)
        return done(spot, undo, NOT_COMPARED, size=size)


def is_torn(found: bytes, text: bytes) -> bool:
    """Tell whether a write was cut off. After a power cut, what is missing may read as zeros."""
    written = found.rstrip(b"\0")
    return len(found) <= len(text) and text.startswith(written)


def is_torn_before_others(found: bytes, text: bytes, start: int) -> bool:
    """Tell whether others may have added something behind a write that was cut off."""
    first = PAGE - start % PAGE
    return len(text) > first and found.startswith(text[:first])


# Brought elsewhere


def before_copying(roots: Roots, source: str, target: str) -> Before:
    with roots.spot(source) as origin, roots.spot(target) as goal:
        return Before(stamp_of(origin), stamp_of(goal), shape_of(origin))


def recover_copied(roots: Roots, source: str, target: str, before: Before) -> Recovered:
    """A copy gets its name when all of it is there; it is known by what was to be copied."""
    if before.here is None or before.there is not None:
        return None  # there was nothing to copy, or no room for it
    with roots.spot(target) as goal:
        if not goal.exists():
            return None
        if shape_of(goal) != before.holds:
            return changed_meanwhile(goal.path)
        sync_folder(goal.folder)
        undo = undoing.to_discard(goal.path, digest_if_possible(goal))
        with roots.spot(source) as origin:
            left_out = left_out_of(origin)
            return done(goal, undo, NOT_COMPARED, source=origin.path, left_out=left_out)


def shape_of(spot: Spot) -> str | None:
    """Give a digest of the names, kinds and sizes in a thing that a copy of it has as well.

    Where little is in it, the contents count as well; of very much, what comes first is looked at.
    """
    status = status_of(spot)
    if status is None:
        return None
    total = hashlib.sha256(shape_of_one("", status))
    if stat.S_ISDIR(status.st_mode):
        inner = ((name, each) for name, each in all_in(spot) if is_copied(each))
        for name, each in islice(inner, MOST_NAMES):
            total.update(shape_of_one(name, each))
    with suppress(TooMuch):
        total.update(digested(spot, Allowance(MOST_CONTENT), NOT_COPIED).encode())
    return total.hexdigest()


def shape_of_one(name: str, status: os.stat_result) -> bytes:
    size = status.st_size if stat.S_ISREG(status.st_mode) else 0
    return f"{kind_of_mode(status.st_mode)}\0{size}\0".encode() + os.fsencode(name) + b"\0"


def is_copied(status: os.stat_result) -> bool:
    """Tell whether a copy has this as well; links and devices are left out."""
    return kind_of_mode(status.st_mode) not in NOT_COPIED


def left_out_of(spot: Spot) -> int:
    """Count what a copy of a thing leaves out."""
    if not spot.exists() or kind_of(spot) != "folder":
        return 0
    return sum(not is_copied(status) for _, status in all_in(spot))


def before_moving(roots: Roots, source: str, target: str) -> Before:
    with roots.spot(source) as origin, roots.spot(target) as goal:
        return Before(stamp_of(origin), stamp_of(goal))


def recover_moved(roots: Roots, source: str, target: str, before: Before) -> Recovered:
    """A thing keeps its inode when it is moved; a file has both names for a moment."""
    here = before.here
    if here is None or before.there is not None:
        return None  # there was nothing to move, or no room for it
    with roots.spot(source) as origin, roots.spot(target) as goal:
        old, new = stamp_of(origin), stamp_of(goal)
        if new is None and old == here:
            return None
        if new is None or not is_moved(new, here):
            return changed_meanwhile(origin.path)
        if is_moved(old, here):
            remove_old_name(origin, goal)
        sync_folder(goal.folder)
        sync_folder(origin.folder)
        moved = digest_if_possible(goal) if new == here else None
        undo = undoing.to_unmove(origin.path, goal.path, moved)
        return done(goal, undo, NOT_COMPARED, source=origin.path)


# To the trash, and back


def before_deleting(roots: Roots, path: str) -> Before:
    with roots.spot(path) as spot:
        return Before(stamp_of(spot), holds=contents_of(spot))


def contents_of(spot: Spot) -> str | None:
    """Tell what is in a folder from what somebody else makes of it; None if it is no folder."""
    if not spot.exists() or kind_of(spot) != "folder":
        return None
    total = hashlib.sha256()
    for name, status in islice(all_in(spot), MOST_NAMES):
        total.update(os.fsencode(name) + b"\0" + state_of(status))
    return total.hexdigest()


def recover_deleted(roots: Roots, path: str, before: Before) -> Recovered:
    """A thing is in its place or in the trash: what was on the way has been put right by now."""
    here = before.here
    if here is None:
        return None
    with roots.spot(path) as spot:
        now = stamp_of(spot)
        if now is not None and is_moved(now, here):
            if now == here and contents_of(spot) == before.holds:
                return None
            message = f"{spot.path} is not any more what it was; nothing was done"
            return Refused(Code.TARGET_STALE, message)
        entry = find_in_trash(spot.path, int(here.inode, 16))
        if entry is None:
            return Unknown(f"{spot.path} is neither in its place nor in the trash")
        return done(spot, undoing.to_untrash(spot.path, entry), kind=here.kind)


def before_untrashing(roots: Roots, path: str, entry: str) -> Before:
    with roots.spot(path) as spot, thing_in_trash(entry, path) as thing:
        return Before(stamp_of(spot), None if thing is None else stamp_of(thing))


def recover_untrashed(roots: Roots, path: str, entry: str, before: Before) -> Recovered:
    """A thing keeps its inode when it comes back; a file has both names for a moment."""
    if before.here is not None or before.there is None:
        return None  # there was no room for it, or nothing to take out
    with roots.spot(path) as spot, thing_in_trash(entry, path) as thing:
        now, kept = stamp_of(spot), None if thing is None else stamp_of(thing)
        if not is_moved(now, before.there):
            return changed_meanwhile(spot.path) if kept is None else None
        if thing is not None and is_moved(kept, before.there):
            remove_old_name(thing, spot)
        sync_folder(spot.folder)
        forget_note(entry, path)
        undo = undoing.to_discard(spot.path, digest_if_possible(spot))
        return done(spot, undo, NOT_COMPARED, kind=before.there.kind)


# Back to what it held


def recover_restored(
    roots: Roots, backups: Backups, path: str, before: Before, *, former: str, expects: str
) -> Recovered:
    """A file that holds its former content has been restored, or shortened."""
    with roots.spot(path) as spot:
        now = stamp_of(spot)
        if now == before.here:
            return None
        if now is None or now.kind != "file" or digest_of(spot) != former:
            return changed_meanwhile(spot.path)
        with open_regular(spot, READ) as file:
            os.fsync(file.fileno())
        sync_folder(spot.folder)
        undo = undoing.to_restore(spot.path, backups.if_kept(expects), former)
        size = 0 if before.here is None else before.here.size
        return done(spot, undo, backups.reason_not_kept(size), restored=True)
