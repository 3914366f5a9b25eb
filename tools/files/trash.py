"""The trash: from where the user can bring things back."""

import errno
import os
from pathlib import Path
from urllib.parse import quote

import platformdirs
from send2trash import send2trash

from messages.results import Code
from tools.files.pieces import discard, hidden_name, put_in_place
from tools.files.roots import Refusal, Spot


def trash(spot: Spot, top: Spot) -> None:
    """Trash what the handle holds: not what its path leads to by the time the trash looks at it.

    It is first moved, by handle, to a name of ours in the root, whose path nobody can bend; the
    note that the trash makes of where things came from is then put right.
    """
    hidden = set_aside(spot, top)
    place = f"{hidden.path}/{hidden.name}"
    try:
        send2trash(place)
    except OSError as error:
        try:
            put_in_place(hidden, spot)
            discard(hidden)
        except FileExistsError:
            message = f"it could not be trashed, and its name is taken now: it is at {place}"
            raise Refusal(Code.IO_FAILED, message) from error
        raise
    correct_note(Path(hidden.path), hidden.name, spot.path)


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


def correct_note(root: Path, hidden: str, path: str) -> None:
    """Say in the trash's note (freedesktop.org's trash specification) where a thing came from."""
    uid = os.getuid()
    trashes = [Path(platformdirs.user_data_dir()) / "Trash"]
    for folder in (root, *root.parents):
        trashes += [folder / f".Trash-{uid}", folder / ".Trash" / str(uid)]
    for note in (can / "info" / f"{hidden}.trashinfo" for can in trashes):
        if note.is_file():
            lines = note.read_text().splitlines()
            origin = quote(relative_to_trash(path, note))
            kept = [f"Path={origin}" if line.startswith("Path=") else line for line in lines]
            note.write_text("\n".join(kept) + "\n")
            return


def relative_to_trash(path: str, note: Path) -> str:
    """Give a path as a note of this trash has it: absolute at home, else from the disk's top."""
    can = note.parent.parent
    if can.name == "Trash":
        return path
    top = can.parent if can.name.startswith(".Trash-") else can.parent.parent
    return os.path.relpath(path, top)
