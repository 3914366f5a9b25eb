"""What is done with files. Each operation finishes or leaves things as they were."""

import errno
import os
import shutil
import stat
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from messages.executing import Done
from messages.goals import GoalDraft
from messages.message import Row
from messages.results import Code
from tools.files import undoing
from tools.files.backups import Backups
from tools.files.digests import digest_if_possible, digest_of_content, digests_around
from tools.files.primitives import (
    NEW,
    READ,
    Changing,
    discard,
    hidden_name,
    kind_of,
    kind_of_mode,
    open_regular,
    put_in_place,
    put_whole,
    relocate,
    size_of,
    status_of,
    sync_folder,
    write_all,
)
from tools.files.roots import DIRECTORY, Refusal, Roots, Spot, missing
from tools.files.trash import trash
from tools.files.undoing import NOT_COMPARED, NOT_IN_TRASH
from tools.files.verify import holds_text, mark_of_spot, natural_order
from tools.text import printable

READ_LIMIT = 1 << 20
LIST_LIMIT = 1_000
WALK_LIMIT = 200_000
LONGEST_PATTERN = 255
LOOKS = 3
SYNCED_ONE_BY_ONE = 256

appending = threading.Lock()

ObjectType = Literal["folder", "file", "any"]


def create_folder(roots: Roots, path: str, content: str) -> Done:
    """Make a folder; one that is there already is left as it is."""
    if content:
        raise Refusal(Code.WRONG_KIND, "a folder has no content; did you mean a file?")
    with roots.spot(path) as spot:
        try:
            os.mkdir(spot.name or ".", dir_fd=spot.folder)
        except FileExistsError:
            if kind_of(spot) != "folder":
                raise Refusal(Code.ALREADY_EXISTS, f"{spot.path} is there and no folder") from None
            return unchanged(spot, created=False)
        sync_folder(spot.folder)
        undo = undoing.to_discard(spot.path, digest_if_possible(spot))
        return done(spot, undo, NOT_COMPARED, created=True)


def create_file(roots: Roots, path: str, content: str) -> Done:
    """Make a new file; one that is there is never touched, and is fine if it is the same."""
    with roots.spot(path) as spot:
        if spot.exists():
            if kind_of(spot) == "file" and holds_text(roots, path, content):
                return unchanged(spot, created=False)
            raise Refusal(Code.ALREADY_EXISTS, f"{spot.path} is there already")
        put_whole(spot, content, replace=False)
        left = digest_of_content(content.encode())
        return done(spot, undoing.to_discard(spot.path, left), created=True)


def write_file(roots: Roots, backups: Backups, path: str, content: str, *, overwrite: bool) -> Done:
    """Give a file this content, all of it or none; what it held is replaced only if told so.

    A file that holds just this is fine as it is. Where somebody else writes to it at the same time,
    it is looked at anew: what is replaced is what was kept.
    """
    for _ in range(LOOKS - 1):
        try:
            return written(roots, backups, path, content, overwrite=overwrite)
        except Changing:
            continue
    return written(roots, backups, path, content, overwrite=overwrite)


def written(roots: Roots, backups: Backups, path: str, content: str, *, overwrite: bool) -> Done:
    """Give a file this content if nobody else writes to it meanwhile."""
    with roots.spot(path) as spot:
        seen = status_of(spot)
        existed = seen is not None
        if existed and kind_of(spot) != "file":
            raise Refusal(Code.WRONG_KIND, f"{spot.path} is not a file")
        if existed and not overwrite and size_of(spot):
            if holds_text(roots, path, content):
                return unchanged(spot, created=False)
            message = f"{spot.path} holds something already; say overwrite to replace it"
            raise Refusal(Code.WOULD_OVERWRITE, message)
        left = digest_of_content(content.encode())
        former = backups.keep(spot) if existed else None
        put_whole(spot, content, replace=existed, seen=seen)
        if seen is not None:
            return replaced(spot, former, left, backups.reason_not_kept(seen.st_size))
        return done(spot, undoing.to_discard(spot.path, left), created=True)


def replaced(spot: Spot, former: str | None, left: str, lasting: str) -> Done:
    """Report that a file holds something else now; ``lasting`` says why not kept, if it is not."""
    if former == left:
        return unchanged(spot, created=False)
    return done(spot, undoing.to_restore(spot.path, former, left), lasting, created=False)


def append_file(roots: Roots, path: str, content: str) -> Done:
    """Add a line, or lines, to the end of a file that is there: all of it, or nothing."""
    with (
        roots.spot(path) as spot,
        open_regular(spot, os.O_RDWR | os.O_APPEND) as file,
        appending,  # one at a time: what is taken back if the disk is full is ours alone
    ):
        if os.fstat(file.fileno()).st_nlink > 1:
            message = f"{spot.path} has a second name, perhaps outside the roots: it stays as it is"
            raise Refusal(Code.NOT_ALLOWED, message)
        end = file.seek(0, os.SEEK_END)
        text = text_to_add(file, end, content)
        around = digests_around(file, end, text)
        try:
            write_all(file.fileno(), text)
        except OSError:
            os.ftruncate(file.fileno(), end)
            raise
        undo = () if around is None else undoing.to_shorten(spot.path, end, *around)
        # Where the file is after an append is where the append ended, whatever others add.
        return done(spot, undo, NOT_COMPARED, size=os.lseek(file.fileno(), 0, os.SEEK_CUR))


def text_to_add(file: BinaryIO, end: int, content: str) -> bytes:
    """Give what is written behind the first bytes of a file so that content is lines of its own."""
    text = content if content.endswith("\n") else content + "\n"
    if end:
        file.seek(end - 1)
        text = text if file.read(1) == b"\n" else "\n" + text
    return text.encode()


def read_file(roots: Roots, path: str) -> Done:
    """Read a text file."""
    with roots.spot(path) as spot, open_regular(spot, READ) as file:
        data = file.read(READ_LIMIT + 1)
        if len(data) > READ_LIMIT:
            raise Refusal(Code.TOO_LARGE, f"{spot.path} is larger than {READ_LIMIT} bytes")
        try:
            return done(spot, text=data.decode(), size=len(data))
        except UnicodeDecodeError:
            raise Refusal(Code.WRONG_KIND, f"{spot.path} is not text in UTF-8") from None


def list_folder(roots: Roots, path: str) -> Done:
    """List what is in a folder."""
    with roots.folder(path) as spot, os.scandir(spot.folder) as entries:
        rows: list[Row] = [entry_row(entry, spot.path) for entry in entries]
    rows.sort(key=lambda row: natural_order(str(row["name"])))
    return Done(cut(rows))


def cut(rows: list[Row]) -> list[Row]:
    """Keep a list to a length that can be read, and say in its last row how much is left out."""
    more = len(rows) - LIST_LIMIT
    return [*rows[:LIST_LIMIT], {"left_out": more}] if more > 0 else rows


def move(roots: Roots, path: str, to: str) -> Done:
    """Move something into a folder that is there, under the same name."""
    movable(roots, path)
    with roots.spot(path) as source, roots.folder(to) as folder:
        refuse_itself(source, folder)
        place = os.path.join(folder.path, source.name)
        return renamed(source, Spot(folder.folder, source.name, place))


def refuse_itself(source: Spot, folder: Spot) -> None:
    """Refuse to put a folder into itself."""
    if Path(folder.path).is_relative_to(source.path):
        raise Refusal(Code.NOT_ALLOWED, f"{source.path} cannot be put into itself")


def rename(roots: Roots, path: str, to: str) -> Done:
    """Give something another name in the same folder."""
    movable(roots, path)
    refuse_no_name(to)
    with roots.spot(path) as source:
        place = str(Path(source.path).parent / to)
        return renamed(source, Spot(source.folder, to, place))


def refuse_no_name(name: str) -> None:
    """Refuse a new name that is none, or a path."""
    if name in {"", ".", ".."} or "/" in name or "\0" in name:
        raise Refusal(Code.NOT_ALLOWED, f"{name!r} is not a file name")


def renamed(source: Spot, target: Spot) -> Done:
    """Move without ever replacing what is at the target."""
    if not source.exists():
        raise missing(source.folder, source.name, source.path)
    moved = digest_if_possible(source)
    try:
        relocate(source, target)
    except OSError as error:
        if error.errno == errno.EXDEV:
            message = f"{target.path} is on another disk: copy it there, then delete it here"
            raise Refusal(Code.NOT_ALLOWED, message) from None
        raise
    undo = undoing.to_unmove(source.path, target.path, moved)
    return done(target, undo, NOT_COMPARED, source=source.path)


def copy(roots: Roots, path: str, to: str, named: str = "") -> Done:
    """Copy something into a folder that is there: all of it, or nothing.

    It keeps its name unless it is ``named`` anew; without a folder the copy is beside it.
    """
    if named:
        refuse_no_name(named)
    place = to or os.path.dirname(os.path.normpath(path))
    with roots.spot(path) as source, roots.folder(place) as folder:
        refuse_itself(source, folder)
        name = named or source.name
        target = Spot(folder.folder, name, os.path.join(folder.path, name))
        if not source.exists():
            raise missing(source.folder, source.name, source.path)
        if kind_of(source) not in {"file", "folder"}:
            raise Refusal(Code.WRONG_KIND, f"{source.path} is neither a file nor a folder")
        if target.exists():
            raise Refusal(Code.ALREADY_EXISTS, f"{target.path} is there already")
        beside = Spot(folder.folder, hidden_name(), folder.path)
        try:
            syncing = Syncing()
            left_out = copied(source, beside, syncing)
            syncing.finish()
            left = digest_if_possible(beside)
            put_in_place(beside, target)
            sync_folder(target.folder)
        finally:
            discard(beside)
        undo = undoing.to_discard(target.path, left)
        return done(target, undo, NOT_COMPARED, source=source.path, left_out=left_out)


@dataclass(slots=True)
class Syncing:
    """Has what was written on the disk: some things one by one, many all at once.

    One by one, a thousand small files would take longer than a command may.
    """

    left: int = SYNCED_ONE_BY_ONE

    def sync(self, handle: int) -> None:
        self.left -= 1
        if self.left >= 0:
            sync_folder(handle) if stat.S_ISDIR(os.fstat(handle).st_mode) else os.fsync(handle)

    def finish(self) -> None:
        if self.left < 0:
            os.sync()


def copied(source: Spot, target: Spot, syncing: Syncing) -> int:
    """Copy a file, or a folder with all in it; count the links and devices that are left out."""
    match kind_of(source):
        case "file":
            with open_regular(source, READ) as reader:
                mode = stat.S_IMODE(os.fstat(reader.fileno()).st_mode)
                handle = os.open(target.name, NEW, 0o600, dir_fd=target.folder)
                with os.fdopen(handle, "wb") as writer:
                    shutil.copyfileobj(reader, writer)
                    os.fchmod(writer.fileno(), mode)
                    writer.flush()
                    syncing.sync(writer.fileno())
            return 0
        case "folder":
            return copied_folder(source, target, syncing)
        case _:
            return 1


def copied_folder(source: Spot, target: Spot, syncing: Syncing) -> int:
    """Copy a folder with all in it."""
    os.mkdir(target.name, 0o700, dir_fd=target.folder)
    with ExitStack() as handles:
        inner = os.open(source.name, DIRECTORY, dir_fd=source.folder)
        handles.callback(os.close, inner)
        outer = os.open(target.name, DIRECTORY, dir_fd=target.folder)
        handles.callback(os.close, outer)
        left_out = sum(
            copied(
                Spot(inner, name, f"{source.path}/{name}"),
                Spot(outer, name, target.path),
                syncing,
            )
            for name in sorted(os.listdir(inner))
        )
        os.fchmod(outer, stat.S_IMODE(os.fstat(inner).st_mode))
        syncing.sync(outer)
    return left_out


def delete(roots: Roots, path: str, object_type: ObjectType) -> Done:
    """Move something to the trash, from where the user can bring it back."""
    with removable(roots, path) as (spot, top):
        kind = deletable_kind(spot, object_type)
        entry = trash(spot, top)
        return done(spot, undoing.to_untrash(spot.path, entry), NOT_IN_TRASH, kind=kind)


def mark_deletable(roots: Roots, path: str, object_type: ObjectType) -> str:
    """Mark what would be deleted; what is not there, or of another kind, is refused at once."""
    movable(roots, path)
    with roots.spot(path) as spot:
        if not spot.exists():
            raise missing(spot.folder, spot.name, spot.path)
        deletable_kind(spot, object_type)
        return mark_of_spot(spot)


def deletable_kind(spot: Spot, object_type: ObjectType) -> str:
    """Give what kind of thing would be deleted; refuse another than was said."""
    kind = kind_of(spot)
    if object_type not in {"any", kind}:
        raise Refusal(Code.WRONG_KIND, f"{spot.path} is a {kind}, not a {object_type}")
    return kind


@contextmanager
def removable(roots: Roots, path: str) -> Iterator[tuple[Spot, Spot]]:
    """Open what may be taken from its place, and the root that it lies in."""
    movable(roots, path)
    root, _ = roots.split(path)
    with roots.spot(path) as spot, roots.folder(str(root)) as top:
        if not spot.exists():
            raise missing(spot.folder, spot.name, spot.path)
        yield spot, top


def movable(roots: Roots, path: str) -> None:
    """Refuse to move or delete a root, or a folder that holds one."""
    roots.split(path)
    whole = f"{os.path.normpath(path).rstrip('/')}/"
    if any(f"{root}/".startswith(whole) for root in roots.folders.values()):
        message = f"{path} is a root folder, or holds one; it stays where it is"
        raise Refusal(Code.NOT_ALLOWED, message)


def entry_row(entry: "os.DirEntry[str]", folder: str) -> Row:
    seen = entry.stat(follow_symlinks=False)
    return {
        "name": printable(entry.name),
        "kind": kind_of_mode(seen.st_mode),
        "size": seen.st_size,
        "path": printable(f"{folder}/{entry.name}"),
    }


def done(
    spot: Spot, undo: tuple[GoalDraft, ...] = (), lasting: str = "", **more: str | int | bool
) -> Done:
    """Report what was done, where, and what would undo it or, if nothing would, why not."""
    return Done({"path": spot.path, **more}, undo=undo, lasting="" if undo else lasting)


def unchanged(spot: Spot, **more: str | int | bool) -> Done:
    """Report that everything was found as it was to be."""
    return Done({"path": spot.path, **more}, changed=False)
