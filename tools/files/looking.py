"""Looking at files: what was asked for is there afterwards, or it is not."""

import os

from tools.files.pieces import READ, kind_of, open_regular
from tools.files.roots import Refusal, Roots
from tools.text import printable


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


def holds_text(roots: Roots, path: str, content: str, *, at_end: bool = False) -> bool:
    """Tell whether a file holds this content, or ends with it."""
    wanted = content.encode()
    with roots.spot(path) as spot, open_regular(spot, READ) as file:
        size = file.seek(0, os.SEEK_END)
        if at_end:
            file.seek(max(0, size - len(wanted) - 1))
            return wanted in file.read()
        file.seek(0)
        return size == len(wanted) and file.read() == wanted


def folders_in(roots: Roots, path: str) -> list[tuple[str, str]]:
    """List the folders in a folder, as names and paths."""
    with roots.folder(path) as spot, os.scandir(spot.folder) as entries:
        names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    return [(name, f"{spot.path}/{name}") for name in names if name == printable(name)]
