"""What is done with files. Each operation finishes or leaves things as they were."""

import errno
import fnmatch
import os
import shutil
import stat
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, Literal
from urllib.parse import quote

import platformdirs
from send2trash import send2trash

from messages.executing import Done
from messages.message import Row
from messages.results import Code
from tools.files.roots import DIRECTORY, Refusal, Roots, Spot, is_link, missing
from tools.text import printable

READ_LIMIT = 1 << 20
LIST_LIMIT = 1_000
WALK_LIMIT = 200_000

# Non-blocking, so that opening a pipe that nobody writes to is refused and does not hang.
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

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
            return done(spot, created=False)
        return done(spot, created=True)


def create_file(roots: Roots, path: str, content: str) -> Done:
    """Make a new file; one that is there is never touched, and is fine if it is the same."""
    with roots.spot(path) as spot:
        if spot.exists():
            if kind_of(spot) == "file" and holds_text(roots, path, content):
                return done(spot, created=False)
            raise Refusal(Code.ALREADY_EXISTS, f"{spot.path} is there already")
        put_whole(spot, content, replace=False)
        return done(spot, created=True)


def write_file(roots: Roots, path: str, content: str, *, overwrite: bool) -> Done:
    """Give a file this content, all of it or none; what it held is replaced only if told so."""
    with roots.spot(path) as spot:
        existed = spot.exists()
        if existed and kind_of(spot) != "file":
            raise Refusal(Code.WRONG_KIND, f"{spot.path} is not a file")
        if existed and not overwrite and size_of(spot):
            message = f"{spot.path} holds something already; say overwrite to replace it"
            raise Refusal(Code.WOULD_OVERWRITE, message)
        put_whole(spot, content, replace=existed or overwrite)
        return done(spot, created=not existed)


def append_file(roots: Roots, path: str, content: str) -> Done:
    """Add a line, or lines, to the end of a file that is there: all of it, or nothing."""
    with roots.spot(path) as spot, open_regular(spot, os.O_RDWR | os.O_APPEND) as file:
        text = content if content.endswith("\n") else content + "\n"
        end = file.seek(0, os.SEEK_END)
        if end:
            file.seek(end - 1)
            text = text if file.read(1) == b"\n" else "\n" + text
        try:
            write_all(file.fileno(), text.encode())
        except OSError:
            os.ftruncate(file.fileno(), end)
            raise
        return done(spot, size=os.fstat(file.fileno()).st_size)


def write_all(handle: int, data: bytes) -> None:
    """Write every byte to the disk, or raise."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]
    os.fsync(handle)


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
    rows.sort(key=lambda row: str(row["name"]))
    return Done(cut(rows))


def find_files(roots: Roots, path: str, pattern: str) -> Done:
    """Find files by name, wildcards allowed, in a folder and all folders in it."""
    wanted = pattern.casefold()
    rows: list[Row] = []
    seen = 0
    with roots.folder(path) as spot:
        for folder, _, names, _ in os.fwalk(".", dir_fd=spot.folder):
            seen += len(names)
            rows.extend(
                {
                    "name": printable(name),
                    "path": printable(os.path.normpath(os.path.join(spot.path, folder, name))),
                }
                for name in names
                if fnmatch.fnmatchcase(name.casefold(), wanted)
            )
            if seen > WALK_LIMIT or len(rows) > LIST_LIMIT:
                break
        if not rows:
            least = "at least the first " if seen > WALK_LIMIT else ""
            message = f"no {pattern!r} among {least}{seen} files in {spot.path}"
            raise Refusal(Code.TARGET_NOT_FOUND, message)
    rows.sort(key=lambda row: str(row["path"]))
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
        return renamed(source, Spot(folder.folder, source.name, f"{folder.path}/{source.name}"))


def refuse_itself(source: Spot, folder: Spot) -> None:
    """Refuse to put a folder into itself."""
    if Path(folder.path).is_relative_to(source.path):
        raise Refusal(Code.NOT_ALLOWED, f"{source.path} cannot be put into itself")


def rename(roots: Roots, path: str, to: str) -> Done:
    """Give something another name in the same folder."""
    movable(roots, path)
    if to in {"", ".", ".."} or "/" in to or "\0" in to:
        raise Refusal(Code.NOT_ALLOWED, f"{to!r} is not a file name")
    with roots.spot(path) as source:
        place = str(Path(source.path).parent / to)
        return renamed(source, Spot(source.folder, to, place))


def renamed(source: Spot, target: Spot) -> Done:
    """Move without ever replacing what is at the target."""
    if not source.exists():
        raise missing(source.folder, source.name, source.path)
    if target.exists():
        raise Refusal(Code.ALREADY_EXISTS, f"{target.path} is there already")
    try:
        put_in_place(source, target)
    except OSError as error:
        if error.errno == errno.EXDEV:
            message = f"{target.path} is on another disk: copy it there, then delete it here"
            raise Refusal(Code.NOT_ALLOWED, message) from None
        raise
    if kind_of(target) == "file":
        remove_old_name(source, target)
    return done(target, source=source.path)


def remove_old_name(source: Spot, target: Spot) -> None:
    """Finish a move that was made by a second name; if the first must stay, so must the thing."""
    try:
        os.unlink(source.name, dir_fd=source.folder)
    except FileNotFoundError:
        return  # it was a plain renaming
    except OSError:
        os.unlink(target.name, dir_fd=target.folder)
        raise


def copy(roots: Roots, path: str, to: str) -> Done:
    """Copy something into a folder that is there, under the same name: all of it, or nothing."""
    with roots.spot(path) as source, roots.folder(to) as folder:
        refuse_itself(source, folder)
        target = Spot(folder.folder, source.name, f"{folder.path}/{source.name}")
        if not source.exists():
            raise missing(source.folder, source.name, source.path)
        if kind_of(source) not in {"file", "folder"}:
            raise Refusal(Code.WRONG_KIND, f"{source.path} is neither a file nor a folder")
        if target.exists():
            raise Refusal(Code.ALREADY_EXISTS, f"{target.path} is there already")
        beside = Spot(folder.folder, hidden_name(), folder.path)
        try:
            left_out = copied(source, beside)
            put_in_place(beside, target)
        finally:
            discard(beside)
        return done(target, source=source.path, left_out=left_out)


def copied(source: Spot, target: Spot) -> int:
    """Copy a file, or a folder with all in it; count the links and devices that are left out."""
    match kind_of(source):
        case "file":
            with open_regular(source, READ) as reader:
                mode = stat.S_IMODE(os.fstat(reader.fileno()).st_mode)
                handle = os.open(target.name, NEW, 0o600, dir_fd=target.folder)
                with os.fdopen(handle, "wb") as writer:
                    shutil.copyfileobj(reader, writer)
                    os.fchmod(writer.fileno(), mode)
            return 0
        case "folder":
            return copied_folder(source, target)
        case _:
            return 1


def copied_folder(source: Spot, target: Spot) -> int:
    """Copy a folder with all in it."""
    os.mkdir(target.name, 0o700, dir_fd=target.folder)
    with ExitStack() as handles:
        inner = os.open(source.name, DIRECTORY, dir_fd=source.folder)
        handles.callback(os.close, inner)
        outer = os.open(target.name, DIRECTORY, dir_fd=target.folder)
        handles.callback(os.close, outer)
        left_out = sum(
            copied(Spot(inner, name, f"{source.path}/{name}"), Spot(outer, name, target.path))
            for name in sorted(os.listdir(inner))
        )
        os.fchmod(outer, stat.S_IMODE(os.fstat(inner).st_mode))
    return left_out


def hidden_name() -> str:
    """Make a name for what is not in its place yet."""
    return f".behest-{os.getpid()}-{os.urandom(4).hex()}"


def put_in_place(beside: Spot, target: Spot) -> None:
    """Give a thing the name it is to have, without ever replacing what is there."""
    handles = {"src_dir_fd": beside.folder, "dst_dir_fd": target.folder}
    if kind_of(beside) == "file":
        # A hard link fails if the target appeared meanwhile; a rename would replace it.
        try:
            os.link(beside.name, target.name, follow_symlinks=False, **handles)
        except OSError as error:
            if error.errno not in {errno.EPERM, errno.EOPNOTSUPP}:
                raise
        else:
            return
    os.rename(beside.name, target.name, **handles)  # a folder, or a disk without hard links


def discard(spot: Spot) -> None:
    """Remove what was made beside its place, if it is still there."""
    if not spot.exists():
        return
    if kind_of(spot) == "folder":
        shutil.rmtree(spot.name, dir_fd=spot.folder)
    else:
        os.unlink(spot.name, dir_fd=spot.folder)


def delete(roots: Roots, path: str, object_type: ObjectType) -> Done:
    """Move something to the trash, from where the user can bring it back."""
    movable(roots, path)
    root, _ = roots.split(path)
    with roots.spot(path) as spot, roots.folder(str(root)) as top:
        if not spot.exists():
            raise missing(spot.folder, spot.name, spot.path)
        kind = kind_of(spot)
        if object_type not in {"any", kind}:
            raise Refusal(Code.WRONG_KIND, f"{spot.path} is a {kind}, not a {object_type}")
        trash(spot, top)
        return done(spot, kind=kind)


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


def movable(roots: Roots, path: str) -> None:
    """Refuse to move or delete a root, or a folder that holds one."""
    roots.split(path)
    whole = Path(os.path.normpath(path))
    if any(root.is_relative_to(whole) for root in roots.folders.values()):
        message = f"{path} is a root folder, or holds one; it stays where it is"
        raise Refusal(Code.NOT_ALLOWED, message)


# Looking


def kind_of(spot: Spot) -> str:
    """Say what is there."""
    mode = os.stat(spot.name or ".", dir_fd=spot.folder, follow_symlinks=False).st_mode
    return kind_of_mode(mode)


def kind_of_mode(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "folder"
    if stat.S_ISREG(mode):
        return "file"
    return "link" if stat.S_ISLNK(mode) else "device"


def size_of(spot: Spot) -> int:
    return os.stat(spot.name, dir_fd=spot.folder, follow_symlinks=False).st_size


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


# Pieces


def open_regular(spot: Spot, flags: int) -> BinaryIO:
    """Open a regular file, and nothing else: no link, no pipe, no device."""
    flags |= os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        handle = os.open(spot.name or ".", flags, dir_fd=spot.folder)
    except FileNotFoundError:
        raise missing(spot.folder, spot.name, spot.path) from None
    except IsADirectoryError:
        raise Refusal(Code.WRONG_KIND, f"{spot.path} is a folder, not a file") from None
    except OSError as error:
        if error.errno == errno.ELOOP and is_link(spot.folder, spot.name):
            message = f"{spot.path} is a symbolic link; links are not followed"
            raise Refusal(Code.OUTSIDE_ROOTS, message) from None
        if error.errno == errno.ENXIO:
            raise Refusal(Code.WRONG_KIND, f"{spot.path} is not a file") from None
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise Refusal(Code.WRONG_KIND, f"{spot.path} is not a file")
    writable = flags & (os.O_WRONLY | os.O_RDWR)
    return os.fdopen(handle, "r+b" if writable else "rb")


def put_whole(spot: Spot, content: str, *, replace: bool) -> None:
    """Write a file beside its place and move it there at once: all of it, or nothing."""
    if not spot.name:
        raise Refusal(Code.WRONG_KIND, f"{spot.path} is a folder, not a file")
    beside = Spot(spot.folder, hidden_name(), spot.path)
    handle = os.open(beside.name, NEW, 0o666, dir_fd=spot.folder)
    try:
        try:
            write_all(handle, content.encode())
            if replace and spot.exists():
                now = os.stat(spot.name, dir_fd=spot.folder, follow_symlinks=False)
                os.fchmod(handle, stat.S_IMODE(now.st_mode))
        finally:
            os.close(handle)
        if replace:
            os.replace(beside.name, spot.name, src_dir_fd=spot.folder, dst_dir_fd=spot.folder)
        else:
            put_in_place(beside, spot)
    finally:
        discard(beside)


def entry_row(entry: "os.DirEntry[str]", folder: str) -> Row:
    seen = entry.stat(follow_symlinks=False)
    return {
        "name": printable(entry.name),
        "kind": kind_of_mode(seen.st_mode),
        "size": seen.st_size,
        "path": printable(f"{folder}/{entry.name}"),
    }


def done(spot: Spot, **more: str | int | bool) -> Done:
    """Report what was done, and where."""
    return Done({"path": spot.path, **more})
