"""The trash: from where the user can bring things back."""

import errno
import os
import re
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

import platformdirs
from send2trash import send2trash

from messages.results import Code
from tools.files.pieces import discard, hidden_name, put_in_place, relocate
from tools.files.roots import DIRECTORY, Refusal, Spot

ENTRY = re.compile(r"\.behest-\d+-[0-9a-f]{8}")


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
            put_in_place(hidden, spot)
            discard(hidden)
        except FileExistsError:
            message = f"it could not be trashed, and its name is taken now: it is at {place}"
            raise Refusal(Code.IO_FAILED, message) from error
        raise
    noted = correct_note(Path(hidden.path), hidden.name, spot.path)
    return hidden.name if noted else None


def set_aside(spot: Spot, top: Spot) -> Spot:
    """Move a thing, by handle, to a name of ours: in the root, or beside it on another disk."""
    hidden = Spot(top.folder, hidden_name(), top.path)
    try:
        os.rename(spot.name, hidden.name, src_dir_fd=spot.folder, dst_dir_fd=hidden.folder)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        hidden = Spot(spot.folder, hidden.name, str(Path(spot.path).parent))
        os.rename(spot.name, hidden.name, src_dir_fd=spot.folder, dst_dir_fd=hidden.folder)
    return hidden


def correct_note(root: Path, hidden: str, path: str) -> bool:
    """Say in the trash's note (freedesktop.org's trash specification) where a thing came from."""
    note = note_of(root, hidden)
    if note is None:
        return False
    lines = note.read_text().splitlines()
    origin = origin_line(path, note)
    kept = [origin if line.startswith("Path=") else line for line in lines]
    note.write_text("\n".join(kept) + "\n")
    return True


def take_out(entry: str, target: Spot) -> None:
    """Bring what the trash has under this name to its place, if that is where it came from."""
    note = note_of(Path(target.path).parent, entry) if ENTRY.fullmatch(entry) else None
    if note is None or origin_line(target.path, note) not in note.read_text().splitlines():
        raise Refusal(Code.TARGET_NOT_FOUND, f"{target.path} is not in the trash any more")
    with ExitStack() as handles:
        files = os.open(note.parent.parent / "files", DIRECTORY)
        handles.callback(os.close, files)
        thing = Spot(files, entry, str(note.parent.parent / "files" / entry))
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
    uid = os.getuid()
    cans = [Path(platformdirs.user_data_dir()) / "Trash"]
    for parent in (folder, *folder.parents):
        cans += [parent / f".Trash-{uid}", parent / ".Trash" / str(uid)]
    notes = (can / "info" / f"{entry}.trashinfo" for can in cans)
    return next((note for note in notes if note.is_file()), None)


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
