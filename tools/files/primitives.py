"""The primitives of file operations: each works on a name in a folder that is held open."""

import errno
import os
import re
import shutil
import stat
from typing import BinaryIO

from messages.results import Code
from tools.files.processes import this_process
from tools.files.roots import Refusal, Spot, is_link, missing

# Non-blocking, so that opening a pipe that nobody writes to is refused and does not hang.
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

PIECE = 1 << 20
# Only what is on its way to its place has such a name, never anything that was there before.
TEMPORARY = re.compile(r"\.behest-tmp-(\d{1,10}-[0-9a-f]{8})-[0-9a-f]{8}")
# What says that a kind of disk cannot be asked to write a folder down.
NOT_SYNCED = frozenset({errno.EINVAL, errno.ENOTSUP})


class Changing(Refusal):
    """Somebody else writes to a file at the same time."""


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


def write_all(handle: int, data: bytes | BinaryIO) -> None:
    """Write every byte to the disk, or raise; what comes from a file comes piece by piece."""
    for piece in (data,) if isinstance(data, bytes) else iter(lambda: data.read(PIECE), b""):
        rest = memoryview(piece)
        while rest:
            rest = rest[os.write(handle, rest) :]
    os.fsync(handle)


def sync_folder(folder: int) -> None:
    """Have the names in a folder on the disk, so that they are there after a power cut."""
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in NOT_SYNCED:
            raise


def write_new(kept: Spot, content: bytes) -> None:
    """Write a file for its owner alone, and give it its name when all of it is on the disk."""
    beside = Spot(kept.folder, hidden_name(), kept.path)
    handle = os.open(beside.name, NEW, 0o600, dir_fd=kept.folder)
    try:
        try:
            write_all(handle, content)
        finally:
            os.close(handle)
        os.rename(beside.name, kept.name, src_dir_fd=kept.folder, dst_dir_fd=kept.folder)
        sync_folder(kept.folder)
    finally:
        discard(beside)


def put_whole(
    spot: Spot,
    content: str | bytes | BinaryIO,
    *,
    replace: bool,
    seen: os.stat_result | None = None,
) -> None:
    """Write a file beside its place and move it there at once: all of it, or nothing.

    What is ``seen`` there must not have changed by then.
    """
    if not spot.name:
        raise Refusal(Code.WRONG_KIND, f"{spot.path} is a folder, not a file")
    beside = Spot(spot.folder, hidden_name(), spot.path)
    handle = os.open(beside.name, NEW, 0o666, dir_fd=spot.folder)
    try:
        try:
            write_all(handle, content.encode() if isinstance(content, str) else content)
            now = status_of(spot) if replace else None
            if seen is not None and not is_same(now, seen):
                raise Changing(Code.CHANGED_SINCE, f"{spot.path} is being changed just now")
            if now is not None:
                os.fchmod(handle, stat.S_IMODE(now.st_mode))
        finally:
            os.close(handle)
        if replace:
            os.replace(beside.name, spot.name, src_dir_fd=spot.folder, dst_dir_fd=spot.folder)
        else:
            put_in_place(beside, spot)
        sync_folder(spot.folder)
    finally:
        discard(beside)


def status_of(spot: Spot) -> os.stat_result | None:
    """Give what the system knows of a thing, if it is there."""
    try:
        return os.stat(spot.name or ".", dir_fd=spot.folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def is_same(now: os.stat_result | None, before: os.stat_result) -> bool:
    """Tell whether a file is the same and was not written to."""
    return now is not None and all(
        getattr(now, each) == getattr(before, each)
        for each in ("st_dev", "st_ino", "st_size", "st_mtime_ns")
    )


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


def relocate(source: Spot, target: Spot) -> None:
    """Move a thing from its name to another, without ever replacing what is there."""
    if target.exists():
        raise Refusal(Code.ALREADY_EXISTS, f"{target.path} is there already")
    put_in_place(source, target)
    sync_folder(target.folder)
    if kind_of(target) == "file":
        remove_old_name(source, target)
    sync_folder(source.folder)


def remove_old_name(source: Spot, target: Spot) -> None:
    """Finish a move that was made by a second name; if the first must stay, so must the thing."""
    try:
        os.unlink(source.name, dir_fd=source.folder)
    except FileNotFoundError:
        return  # it was a plain renaming
    except OSError:
        os.unlink(target.name, dir_fd=target.folder)
        raise


def discard(spot: Spot) -> None:
    """Remove what was made beside its place, if it is still there."""
    if not spot.exists():
        return
    if kind_of(spot) == "folder":
        shutil.rmtree(spot.name, dir_fd=spot.folder)
    else:
        os.unlink(spot.name, dir_fd=spot.folder)


def hidden_name() -> str:
    """Make a name for what is not in its place yet; it tells which process is at work on it."""
    return f".behest-tmp-{this_process()}-{os.urandom(4).hex()}"
