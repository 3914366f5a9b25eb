"""The trash: from where the user can bring things back.

Whenever a process is killed on the way there, a note beside the thing says where it came from.
"""

import errno
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import platformdirs
from send2trash import send2trash

from messages.results import Code
from tools.files.primitives import (
    READ,
    discard,
    is_same,
    kind_of,
    open_regular,
    relocate,
    status_of,
    sync_folder,
    write_new,
)
from tools.files.processes import is_running, this_process
from tools.files.roots import DIRECTORY, Refusal, Roots, Spot

ENTRY = re.compile(r"\.behest-\d+-[0-9a-f]{8}")
SUFFIX = ".from"
ORIGIN = re.compile(ENTRY.pattern + re.escape(SUFFIX))
# What a note of an origin says: which process is at work, and the path, which has no null in it.
NOTED = re.compile(rb"(\d{1,10}-[0-9a-f]{8})\0(/[^\0]+)")
LONGEST_NOTE = 1 << 16
OWNER_ALONE = 0o100600


def trash(spot: Spot, top: Spot, check: Callable[[Spot], None] | None = None) -> str | None:
    """Trash what the handle holds: not what its path leads to by the time the trash looks at it.

    It is first moved, by handle, to a name of ours in the root, whose path nobody can bend; the
    note that the trash makes of where things came from is then put right. ``check`` may refuse the
    thing when it is there. The name that the trash has for it is given, where that is known.
    """
    hidden = set_aside(spot, top)
    place = f"{hidden.path}/{hidden.name}"
    try:
        if check is not None:
            check(Spot(hidden.folder, hidden.name, spot.path))
        send2trash(place)
    except (OSError, Refusal) as error:
        try:
            relocate(hidden, spot)
        except (OSError, Refusal):  # its name is taken now
            message = f"it could be neither trashed nor put back: it is at {place}"
            raise Refusal(Code.IO_FAILED, message) from error
        discard(origin_of(hidden))
        raise
    try:
        noted = correct_note(Path(hidden.path), hidden.name, spot.path)
        forget_origin(hidden)
    except OSError:  # it is in the trash; the note on where it came from stays, for the next start
        return None
    return hidden.name if noted else None


def set_aside(spot: Spot, top: Spot) -> Spot:
    """Move a thing, by handle, to a name of ours: in the root, or beside it on another disk."""
    name = f".behest-{os.getpid()}-{os.urandom(4).hex()}"
    if os.fstat(spot.folder).st_dev == os.fstat(top.folder).st_dev:
        try:
            return moved_aside(spot, Spot(top.folder, name, top.path))
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
    return moved_aside(spot, Spot(spot.folder, name, str(Path(spot.path).parent)))


def moved_aside(spot: Spot, hidden: Spot) -> Spot:
    """Move a thing once it is on the disk where it came from; ``hidden.path`` is the folder's."""
    origin = origin_of(hidden)
    write_new(origin, f"{this_process()}\0".encode() + os.fsencode(spot.path))
    try:
        os.rename(spot.name, hidden.name, src_dir_fd=spot.folder, dst_dir_fd=hidden.folder)
    except OSError:
        discard(origin)
        raise
    return hidden


def origin_of(hidden: Spot) -> Spot:
    """Give the place of the note on where a thing that is set aside came from."""
    return Spot(hidden.folder, hidden.name + SUFFIX, hidden.path)


def forget_origin(hidden: Spot) -> None:
    """Remove the note on a thing that has reached the trash, once that is on the disk."""
    note = note_of(Path(hidden.path), hidden.name)
    if note is not None:
        with held(noted_thing(note).parent) as files:
            sync_folder(files)
    sync_folder(hidden.folder)
    discard(origin_of(hidden))


@contextmanager
def held(folder: Path) -> Iterator[int]:
    """Hold a folder open."""
    handle = os.open(folder, DIRECTORY)
    try:
        yield handle
    finally:
        os.close(handle)


def finish(roots: Roots, origin: Spot) -> dict[str, str] | None:
    """Put right what a process left that was killed while it deleted something.

    The thing goes back to its place. Where that is taken or gone, it goes to the trash, from where
    it can be brought back. It is said what became of it; None if it was not touched.
    """
    noted = read_origin(origin)
    if noted is None or is_running(noted[0]):
        return None
    path, hidden = noted[1], Spot(origin.folder, origin.name.removesuffix(SUFFIX), origin.path)
    correct_note(Path(hidden.path), hidden.name, path)  # it may have come as far as the trash
    became = (
        put_back_or_trash(roots, hidden, path)
        if hidden.exists()
        else "nothing was set aside any more"
    )
    forget_origin(hidden)
    return {"path": path, "became": became}


def read_origin(origin: Spot) -> tuple[str, str] | None:
    """Read which process set a thing aside, and from where; None if no process of ours wrote it."""
    with open_regular(origin, READ) as file:
        status = os.fstat(file.fileno())
        if (status.st_mode, status.st_uid) != (OWNER_ALONE, os.getuid()):
            return None
        noted = NOTED.fullmatch(file.read(LONGEST_NOTE))
    return None if noted is None else (noted[1].decode(), os.fsdecode(noted[2]))


def put_back_or_trash(roots: Roots, hidden: Spot, path: str) -> str:
    """Bring a thing back from where it was set aside, or else to the trash."""
    try:
        with roots.spot(path) as spot:
            put_back(hidden, spot)
    except (Refusal, OSError):
        send2trash(f"{hidden.path}/{hidden.name}")
        correct_note(Path(hidden.path), hidden.name, path)
        return "trashed"
    return "put back"


def put_back(hidden: Spot, spot: Spot) -> None:
    """Give a thing its own name again, which it may have already beside that of ours."""
    set_aside_now = status_of(hidden)
    if kind_of(hidden) == "file" and set_aside_now and is_same(status_of(spot), set_aside_now):
        discard(hidden)
    else:
        relocate(hidden, spot)


def correct_note(root: Path, hidden: str, path: str) -> bool:
    """Say in the trash's note (freedesktop.org's trash specification) where a thing came from.

    A note on what never reached the trash is removed.
    """
    note = note_of(root, hidden)
    if note is None:
        return False
    if not os.path.lexists(noted_thing(note)):
        note.unlink()
        return False
    lines = note.read_text().splitlines()
    origin = origin_line(path, note)
    kept = [origin if line.startswith("Path=") else line for line in lines]
    with held(note.parent) as folder:
        write_new(Spot(folder, note.name, str(note)), ("\n".join(kept) + "\n").encode())
    return True


def is_in_trash(entry: str, path: str) -> bool:
    """Tell whether the trash still has a thing under this name."""
    with thing_in_trash(entry, path) as thing:
        return thing is not None


@contextmanager
def thing_in_trash(entry: str, path: str) -> Iterator[Spot | None]:
    """Open what the trash has under this name, if it is still there."""
    note = note_of(Path(path).parent, entry) if ENTRY.fullmatch(entry) else None
    if note is None or not os.path.lexists(noted_thing(note)):
        yield None
        return
    with held(noted_thing(note).parent) as files:
        yield Spot(files, entry, str(noted_thing(note)))


def find_in_trash(path: str, inode: int) -> str | None:
    """Find the name that the trash has for what was trashed from a path, by its inode."""
    for can in trashes_of(Path(path).parent):
        with suppress(OSError), os.scandir(can / "files") as entries:
            for entry in entries:
                if entry.inode() == inode and ENTRY.fullmatch(entry.name):
                    note = can / "info" / f"{entry.name}.trashinfo"
                    if origin_line(path, note) in note.read_text().splitlines():
                        return entry.name
    return None


def forget_note(entry: str, path: str) -> None:
    """Remove the trash's note on a thing that is not there any more."""
    note = note_of(Path(path).parent, entry) if ENTRY.fullmatch(entry) else None
    if note is not None:
        note.unlink(missing_ok=True)


def take_out(entry: str, target: Spot) -> None:
    """Bring what the trash has under this name to its place, if that is where it came from."""
    note = note_of(Path(target.path).parent, entry) if ENTRY.fullmatch(entry) else None
    if note is None or origin_line(target.path, note) not in note.read_text().splitlines():
        raise Refusal(Code.TARGET_NOT_FOUND, f"{target.path} is not in the trash any more")
    with held(noted_thing(note).parent) as files:
        thing = Spot(files, entry, str(noted_thing(note)))
        if not thing.exists():
            raise Refusal(Code.TARGET_NOT_FOUND, f"{target.path} is not in the trash any more")
        try:
            relocate(thing, target)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            message = (
                f"it is in the trash on another disk, and can be taken from there: {thing.path}"
            )
            raise Refusal(Code.NOT_ALLOWED, message) from None
    note.unlink(missing_ok=True)


def note_of(folder: Path, entry: str) -> Path | None:
    """Find the note of a thing in the trashes that what was in this folder may have gone to."""
    notes = (can / "info" / f"{entry}.trashinfo" for can in trashes_of(folder))
    return next((note for note in notes if note.is_file()), None)


def trashes_of(folder: Path) -> list[Path]:
    """Give where the trashes are, or would be, that what was in a folder may have gone to."""
    uid = os.getuid()
    cans = [Path(platformdirs.user_data_dir()) / "Trash"]
    for parent in (folder, *folder.parents):
        cans += [parent / f".Trash-{uid}", parent / ".Trash" / str(uid)]
    return cans


def noted_thing(note: Path) -> Path:
    """Give the path of the thing that a note of the trash is about."""
    return note.parent.parent / "files" / note.name.removesuffix(".trashinfo")


def origin_line(path: str, note: Path) -> str:
    """Give the line in which a note says where a thing came from."""
    return f"Path={quote(relative_to_trash(path, note))}"


def relative_to_trash(path: str, note: Path) -> str:
    """Give a path as a note of this trash has it: absolute at home, else from the disk's top."""
    can = note.parent.parent
    if can.name == "Trash":
        return path
    top = can.parent if can.name.startswith(".Trash-") else can.parent.parent
    return os.path.relpath(path, top)
