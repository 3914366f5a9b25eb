"""Archives: things are packed into one file, and unpacked again without ever leaving their place.

What is unpacked comes from strangers. A name that is absolute, leads upwards or is protected
refuses the whole archive; links and devices are left out; size and number are bounded by what is
really unpacked, not by what the archive says. Nothing is overwritten: all of it is unpacked beside
its place first.
"""

import bz2
import gzip
import lzma
import os
import shutil
import stat
import struct
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import IO, BinaryIO, Protocol, cast

from messages.executing import Done, Recovered, Unknown
from messages.goals import GoalDraft
from messages.queries import FILTERS
from messages.results import Code
from tools.files import undoing
from tools.files.answers import meant
from tools.files.digests import digest_if_possible
from tools.files.operations import done
from tools.files.primitives import (
    NEW,
    PIECE,
    READ,
    discard,
    hidden_name,
    kind_of,
    open_regular,
    put_in_place,
    relocate,
    sync_folder,
)
from tools.files.queries import Query
from tools.files.recovery import Before, changed_meanwhile, stamp_of
from tools.files.roots import DIRECTORY, Refusal, Roots, Spot, missing
from tools.files.undoing import NOT_COMPARED
from tools.text import printable

# The endings of archives that can be made, the longest first.
FORMATS = (".tar.gz", ".tgz", ".tar", ".zip")
UNPACKED = (".tar.gz", ".tar.bz2", ".tar.xz", ".tgz", ".tbz2", ".tbz", ".txz", ".tar", ".zip")
MOST_MEMBERS = 20_000
MOST_BYTES = 2 << 30
MOST_DIRECTORY = 32 << 20  # bytes of the list of contents at the end of a zip file
LARGEST_READ = 16 << 20  # no header of a tar archive needs more at once
DEEPEST = 64
LONGEST_NAME = 255
FIRST_YEAR = 1980  # of the dates in a zip file
OURS = ".behest-"
TAKEN = "taken"
DAMAGED = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, struct.error,
    NotImplementedError, RuntimeError, ValueError, gzip.BadGzipFile,
)  # fmt: skip


# Packing


class Packer(Protocol):
    """An archive that is being written."""

    def add_folder(self, name: str, status: os.stat_result) -> None: ...
    def add_file(self, name: str, status: os.stat_result, file: BinaryIO) -> None: ...


@dataclass(frozen=True, slots=True)
class ZipPacker:
    archive: zipfile.ZipFile

    def add_folder(self, name: str, status: os.stat_result) -> None:
        self.archive.writestr(self.described(f"{name}/", status), b"")

    def add_file(self, name: str, status: os.stat_result, file: BinaryIO) -> None:
        described = self.described(name, status)
        described.compress_type = zipfile.ZIP_DEFLATED
        with self.archive.open(described, "w", force_zip64=True) as target:
            shutil.copyfileobj(file, target, PIECE)

    def described(self, name: str, status: os.stat_result) -> zipfile.ZipInfo:
        when = time.localtime(status.st_mtime)[:6]
        first = (FIRST_YEAR, 1, 1, 0, 0, 0)
        described = zipfile.ZipInfo(name, max(when, first))
        described.external_attr = (status.st_mode & 0xFFFF) << 16
        return described


@dataclass(frozen=True, slots=True)
class TarPacker:
    archive: tarfile.TarFile

    def add_folder(self, name: str, status: os.stat_result) -> None:
        self.archive.addfile(self.described(name, status, tarfile.DIRTYPE))

    def add_file(self, name: str, status: os.stat_result, file: BinaryIO) -> None:
        described = self.described(name, status, tarfile.REGTYPE)
        described.size = status.st_size
        self.archive.addfile(described, file)

    def described(self, name: str, status: os.stat_result, kind: bytes) -> tarfile.TarInfo:
        described = tarfile.TarInfo(name)
        described.type, described.mtime = kind, int(status.st_mtime)
        described.mode = stat.S_IMODE(status.st_mode)
        return described


@dataclass(slots=True)
class Packing:
    """What was packed so far, and what was left out."""

    packer: Packer
    members: int = 0
    size: int = 0
    left_out: int = 0

    def add(self, spot: Spot, name: str) -> None:
        """Pack a file, or a folder with all in it; links and devices are left out."""
        kind = kind_of(spot)
        if kind not in {"file", "folder"} or spot.name.startswith(OURS):
            self.left_out += not spot.name.startswith(OURS)
            return
        self.members += 1
        if self.members > MOST_MEMBERS or self.size > MOST_BYTES:
            raise Refusal(Code.TOO_LARGE, "it is too much for one archive")
        if kind == "file":
            with open_regular(spot, READ) as file:
                status = os.fstat(file.fileno())
                self.size += status.st_size
                self.packer.add_file(printable(name), status, file)
            return
        with ExitStack() as handles:
            folder = os.open(spot.name or ".", DIRECTORY, dir_fd=spot.folder)
            handles.callback(os.close, folder)
            self.packer.add_folder(printable(name), os.fstat(folder))
            for inner in sorted(os.listdir(folder)):
                self.add(Spot(folder, inner, f"{spot.path}/{inner}"), f"{name}/{inner}")


def archive_target(roots: Roots, said: Query, to: str, form: str) -> str:
    """Give the path that an archive gets: where it was said, or beside what is in it."""
    ending = f".{form or 'zip'}"
    whole = os.path.normpath(said.path)
    name = f"{os.path.basename(whole)}{ending}"
    is_set = says_which(said)
    if not to:
        return os.path.join(whole if is_set else os.path.dirname(whole), name)
    with roots.spot(to) as spot:
        if spot.exists() and kind_of(spot) == "folder":
            return os.path.join(spot.path, name)
    return to if to.casefold().endswith(FORMATS) else f"{to}{ending}"


def says_which(said: Query) -> bool:
    """Tell whether a set of things is meant, not the one that is named."""
    return any(getattr(said, name) for name in FILTERS)


def things_meant(roots: Roots, said: Query) -> list[tuple[str, str]]:
    """Give the paths of what is packed, with the names that they get in the archive."""
    whole = os.path.normpath(said.path)
    if not says_which(said):
        return [(whole, os.path.basename(whole))]
    found = [entry.path for entry in meant(roots, said)]
    outer: list[str] = []
    for path in sorted(found):
        if not (outer and path.startswith(f"{outer[-1]}/")):
            outer.append(path)
    if not outer:
        raise Refusal(Code.TARGET_NOT_FOUND, f"nothing of that kind is in {said.path}")
    return [(path, os.path.relpath(path, whole)) for path in outer]


def archive(roots: Roots, said: Query, to: str, form: str) -> Done:
    """Pack things into a new archive: all of it, or nothing."""
    target = archive_target(roots, said, to, form)
    things = [each for each in things_meant(roots, said) if each[0] != target]
    with roots.spot(target) as goal:
        if goal.exists():
            raise Refusal(Code.ALREADY_EXISTS, f"{goal.path} is there already")
        beside = Spot(goal.folder, hidden_name(), goal.path)
        try:
            packing = pack(roots, things, beside, target)
            put_in_place(beside, goal)
            sync_folder(goal.folder)
        finally:
            discard(beside)
        undo = undoing.to_discard(goal.path, digest_if_possible(goal))
        counts = {"members": packing.members, "left_out": packing.left_out}
        return done(goal, undo, NOT_COMPARED, **counts)


def pack(roots: Roots, things: list[tuple[str, str]], beside: Spot, target: str) -> Packing:
    """Write an archive beside its place."""
    handle = os.open(beside.name, NEW, 0o666, dir_fd=beside.folder)
    with os.fdopen(handle, "wb") as file:
        with opened_packer(file, target) as packer:
            packing = Packing(packer)
            for path, name in things:
                with roots.spot(path) as spot:
                    if not spot.exists():
                        raise missing(spot.folder, spot.name, spot.path)
                    packing.add(spot, name)
        file.flush()
        os.fsync(file.fileno())
    return packing


@contextmanager
def opened_packer(file: IO[bytes], target: str) -> Iterator[Packer]:
    """Begin an archive of the form that its name tells."""
    if target.casefold().endswith(".zip"):
        with zipfile.ZipFile(file, "w") as zipped:
            yield ZipPacker(zipped)
    elif target.casefold().endswith(".tar"):
        with tarfile.open(fileobj=file, mode="w:") as tarred:
            yield TarPacker(tarred)
    else:
        with tarfile.open(fileobj=file, mode="w:gz") as tarred:
            yield TarPacker(tarred)


def before_archiving(roots: Roots, said: Query, to: str, form: str) -> Before:
    with roots.spot(archive_target(roots, said, to, form)) as goal:
        return Before(there=stamp_of(goal))


def recover_archived(roots: Roots, said: Query, to: str, form: str, before: Before) -> Recovered:
    """An archive gets its name when all of it is there."""
    if before.there is not None:
        return None  # there was no room for it
    with roots.spot(archive_target(roots, said, to, form)) as goal:
        if not goal.exists():
            return None
        try:
            with open_regular(goal, READ) as file, members_in(file) as members:
                count = sum(1 for _ in members)
        except (Refusal, *DAMAGED):
            return changed_meanwhile(goal.path)
        undo = undoing.to_discard(goal.path, digest_if_possible(goal))
        return done(goal, undo, NOT_COMPARED, members=count, left_out=0)


# Unpacking


@dataclass(frozen=True, slots=True)
class Member:
    """One thing in an archive; ``content`` opens a file, None is a folder or what is left out."""

    name: str
    kind: str
    content: Callable[[], IO[bytes] | None] | None = None


@dataclass(slots=True)
class Bounded:
    """A file that is read in pieces of a sensible size, whatever an archive claims."""

    file: IO[bytes]

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= LARGEST_READ:
            raise Refusal(Code.TOO_LARGE, "a header in the archive is too large")
        return self.file.read(size)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        return self.file.tell()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True


@contextmanager
def members_in(file: BinaryIO) -> Iterator[Iterator[Member]]:
    """Give what is in an archive, of whichever form it is."""
    begin = file.read(6)
    file.seek(0)
    with ExitStack() as open_ones:
        if begin.startswith(b"PK"):
            refuse_long_directory(file)
            yield zip_members(open_ones.enter_context(zipfile.ZipFile(file)))
            return
        plain: IO[bytes] = file
        if begin.startswith(b"\x1f\x8b"):
            plain = cast("IO[bytes]", open_ones.enter_context(gzip.GzipFile(fileobj=file)))
        elif begin.startswith(b"BZh"):
            plain = open_ones.enter_context(bz2.BZ2File(file))
        elif begin.startswith(b"\xfd7zXZ\0"):
            plain = open_ones.enter_context(lzma.LZMAFile(file))
        bounded = cast("IO[bytes]", Bounded(plain))
        yield tar_members(open_ones.enter_context(tarfile.open(fileobj=bounded, mode="r:")))


def refuse_long_directory(file: BinaryIO) -> None:
    """Refuse a zip file whose list of contents would fill the memory."""
    end = file.seek(0, os.SEEK_END)
    file.seek(max(0, end - (1 << 16) - 22))
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    file.seek(0)
    if at < 0 or len(tail) < at + 22:
        raise zipfile.BadZipFile
    (length,) = struct.unpack("<L", tail[at + 12 : at + 16])
    if length > MOST_DIRECTORY:
        raise Refusal(Code.TOO_LARGE, "there are too many things in the archive")


def zip_members(archive: zipfile.ZipFile) -> Iterator[Member]:
    for each in archive.infolist():
        mode = each.external_attr >> 16
        if each.is_dir():
            yield Member(each.filename, "folder")
        elif stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
            yield Member(each.filename, "other")
        elif each.flag_bits & 1:
            raise Refusal(Code.NOT_FEASIBLE, "the archive is locked with a password")
        else:
            yield Member(each.filename, "file", lambda each=each: archive.open(each))  # type: ignore[misc]


def tar_members(archive: tarfile.TarFile) -> Iterator[Member]:
    for each in archive:
        if each.isdir():
            yield Member(each.name, "folder")
        elif each.isreg() and not each.issparse():
            yield Member(each.name, "file", lambda each=each: archive.extractfile(each))  # type: ignore[misc]
        else:
            yield Member(each.name, "other")


def parts_of(name: str, protected: frozenset[str]) -> tuple[str, ...]:
    """Cut the name of a member into the names of folders; refuse one that leads elsewhere."""
    parts = tuple(part for part in name.split("/") if part not in {"", "."})
    is_bad = name.startswith("/") or "\\" in name or ".." in parts or len(parts) > DEEPEST
    if is_bad or not all(is_plain(part) for part in parts):
        message = (
            f"the archive holds a name that leads elsewhere: {printable(name)[:LONGEST_NAME]!r}"
        )
        raise Refusal(Code.NOT_ALLOWED, message)
    if any(part.casefold() in protected for part in parts):
        message = f"the archive holds a protected name: {printable(name)!r}"
        raise Refusal(Code.NOT_ALLOWED, message)
    return parts


def is_plain(part: str) -> bool:
    """Tell whether a file may be called so: not by what only a crash leaves behind."""
    is_short = len(os.fsencode(part)) <= LONGEST_NAME
    return part.isprintable() and is_short and not part.startswith(OURS)


@dataclass(slots=True)
class Unpacking:
    """Writes what is in an archive into a folder of its own, within bounds."""

    folder: int
    protected: frozenset[str]
    members: int = 0
    size: int = 0
    left_out: int = 0
    _files: set[tuple[str, ...]] = field(default_factory=set)

    def add(self, member: Member) -> None:
        parts = parts_of(member.name, self.protected)
        self.members += 1
        if self.members > MOST_MEMBERS:
            raise Refusal(Code.TOO_LARGE, f"more than {MOST_MEMBERS} things are in the archive")
        if member.kind == "other":
            self.left_out += 1
            return
        if not parts:
            return
        with self.inner_folder(parts if member.kind == "folder" else parts[:-1]) as inner:
            content = None if member.content is None else member.content()
            if content is not None:
                with content:
                    self.write(inner, parts[-1], content)

    @contextmanager
    def inner_folder(self, parts: tuple[str, ...]) -> Iterator[int]:
        """Open a folder in the folder, and make it where it is not there yet."""
        handle = os.dup(self.folder)
        try:
            for part in parts:
                try:
                    inner = os.open(part, DIRECTORY, dir_fd=handle)
                except FileNotFoundError:
                    os.mkdir(part, dir_fd=handle)
                    inner = os.open(part, DIRECTORY, dir_fd=handle)
                os.close(handle)
                handle = inner
            yield handle
        finally:
            os.close(handle)

    def write(self, folder: int, name: str, content: IO[bytes]) -> None:
        try:
            handle = os.open(name, NEW, 0o666, dir_fd=folder)
        except FileExistsError:
            message = f"the archive holds {name!r} twice"
            raise Refusal(Code.NOT_ALLOWED, message) from None
        with os.fdopen(handle, "wb") as file:
            while piece := content.read(PIECE):
                self.size += len(piece)
                if self.size > MOST_BYTES:
                    raise Refusal(Code.TOO_LARGE, f"more than {MOST_BYTES} bytes are in it")
                file.write(piece)


def extract_target(path: str, to: str) -> str:
    """Give the folder that an archive is unpacked to: a new one beside it, unless one was said."""
    if to:
        return to
    whole = os.path.normpath(path)
    ending = next((each for each in UNPACKED if whole.casefold().endswith(each)), "")
    return whole[: -len(ending)] if ending else f"{whole} unpacked"


def extract(roots: Roots, path: str, to: str, *, resumed: bool = False) -> Done:
    """Unpack an archive into a new folder, or into one that is there and has none of its names."""
    target = extract_target(path, to)
    with roots.spot(path) as source, roots.spot(target) as goal:
        is_merged = goal.exists() and bool(to)
        if goal.exists() and not resumed and (not to or kind_of(goal) != "folder"):
            raise Refusal(Code.ALREADY_EXISTS, f"{goal.path} is there already")
        place = goal.folder
        beside = Spot(place, hidden_name(), goal.path)
        try:
            unpacking = unpack(roots, source, beside)
            if is_merged:
                return merge(roots, beside, goal, unpacking, resumed=resumed)
            left = digest_if_possible(beside)
            if goal.exists():  # it was unpacked before a crash
                if left is None or digest_if_possible(goal) != left:
                    raise Refusal(Code.CHANGED_SINCE, f"{goal.path} was changed meanwhile")
            else:
                put_in_place(beside, goal)
                sync_folder(place)
            return report(goal, undoing.to_discard(goal.path, left), unpacking)
        finally:
            discard(beside)


def report(goal: Spot, undo: tuple[GoalDraft, ...], unpacking: Unpacking) -> Done:
    counts = {"members": unpacking.members, "left_out": unpacking.left_out}
    return done(goal, undo, NOT_COMPARED, **counts)


def unpack(roots: Roots, source: Spot, beside: Spot) -> Unpacking:
    """Unpack an archive into a new folder beside its place."""
    with open_regular(source, READ) as file:
        os.mkdir(beside.name, 0o777, dir_fd=beside.folder)
        handle = os.open(beside.name, DIRECTORY, dir_fd=beside.folder)
        try:
            unpacking = Unpacking(handle, roots.protected)
            with members_in(file) as members:
                for member in members:
                    unpacking.add(member)
        except DAMAGED:
            message = f"{source.path} is no archive that can be read, or is damaged"
            raise Refusal(Code.WRONG_KIND, message) from None
        finally:
            os.close(handle)
        os.sync()
        return unpacking


def merge(roots: Roots, beside: Spot, goal: Spot, unpacking: Unpacking, *, resumed: bool) -> Done:
    """Move what was unpacked into a folder that is there: all of it, or nothing."""
    with roots.folder(goal.path) as inside, ExitStack() as handles:
        folder = os.open(beside.name, DIRECTORY, dir_fd=beside.folder)
        handles.callback(os.close, folder)
        pairs = [
            (Spot(folder, name, goal.path), Spot(inside.folder, name, f"{goal.path}/{name}"))
            for name in sorted(os.listdir(folder))
        ]
        taken = [new for old, new in pairs if new.exists() and not (resumed and are_same(old, new))]
        if taken:
            raise Refusal(Code.ALREADY_EXISTS, f"{taken[0].path} is there already")
        waiting = [pair for pair in pairs if not pair[1].exists()]
        digests = {new.path: digest_if_possible(old) for old, new in pairs}
        move_all(waiting)
        goals = [undoing.to_discard(path, left) for path, left in digests.items()]
        undo = tuple(each for some in goals for each in some) if all(goals) else ()
        return report(goal, undo, unpacking)


def are_same(one: Spot, other: Spot) -> bool:
    left = digest_if_possible(one)
    return left is not None and left == digest_if_possible(other)


def move_all(pairs: list[tuple[Spot, Spot]]) -> None:
    """Move things one by one; if one cannot be moved, those before it go back."""
    moved: list[tuple[Spot, Spot]] = []
    try:
        for old, new in pairs:
            relocate(old, new)
            moved.append((old, new))
    except (OSError, Refusal):
        for old, new in reversed(moved):
            relocate(new, old)
        raise


def was_extracted(roots: Roots, path: str, done: Done) -> bool:
    """Tell whether all is there that was unpacked."""
    places = [str(goal.params["name"]) for goal in done.undo] or [path]
    for place in places:
        with roots.spot(place) as spot:
            if not spot.exists():
                return False
    return True


def top_names(roots: Roots, path: str) -> frozenset[str]:
    """Give the names that an archive would put into a folder."""
    with roots.spot(path) as source, open_regular(source, READ) as file:
        try:
            with members_in(file) as members:
                found = [parts_of(member.name, roots.protected) for member in members]
        except DAMAGED:
            return frozenset()
    return frozenset(parts[0] for parts in found if parts)


def before_extracting(roots: Roots, path: str, to: str) -> Before:
    """Note whether the folder is there, and whether anything in it has a name of the archive's."""
    with roots.spot(path) as source, roots.spot(extract_target(path, to)) as goal:
        here, there = stamp_of(source), stamp_of(goal)
        is_taken = there is not None and bool(to) and has_any(roots, goal, top_names(roots, path))
        return Before(here, there, holds=TAKEN if is_taken else None)


def has_any(roots: Roots, goal: Spot, names: frozenset[str]) -> bool:
    if kind_of(goal) != "folder":
        return True
    with roots.folder(goal.path) as inside:
        return not names.isdisjoint(os.listdir(inside.folder))


def recover_extracted(roots: Roots, path: str, to: str, before: Before) -> Recovered:
    """What was unpacked is compared with the archive, and what is missing is unpacked now."""
    if before.here is None or before.holds == TAKEN or (before.there is not None and not to):
        return None  # there was nothing to unpack, or no room for it
    with roots.spot(extract_target(path, to)) as goal:
        if not goal.exists():
            return None
        if before.there is not None and not has_any(roots, goal, top_names(roots, path)):
            return None
        try:
            return extract(roots, path, to, resumed=True)
        except Refusal as refusal:
            return Unknown(str(refusal))
