"""Files of decisions: written as they are made, bounded in size, and read again.

What a request is about (a page, a folder, what the machine can do) stands in a file once, under a
digest of it. A file that is full is closed and a new one begun; the oldest are dropped.
"""

import os
import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO, Protocol

import msgspec
import structlog
from msgspec.structs import replace

from messages.message import NOTHING
from messages.planning import MakePlans
from messages.plans import WorldState
from messages.replaying import (
    Decision,
    InterpretWith,
    Line,
    PlanCourseWith,
    Recorded,
    Setting,
    Snapshot,
)
from messages.targets import Resolve
from messages.wire import VERSION
from messages.worlds import World

FILE_BYTES = 8 << 20
LARGEST = 4 << 20  # a page, or a decision, that is larger is not kept
LONGEST_LINE = 2 * LARGEST  # that is read
MOST_WAITING = 500  # decisions that wait for a slow disk; more are not kept
MOST_SECRETS = 1_000
FEWEST_FILES = 4  # so that, where a file is dropped, most of what was kept is left
ENDING = ".jsonl"

log = structlog.get_logger(actor="decisions")

_write_json = msgspec.json.Encoder(order="deterministic").encode
_keep_json = msgspec.json.Encoder().encode
_read: Callable[[bytes], Line] = msgspec.json.Decoder(Line).decode


class BadRecording(Exception):
    """A file is not one of decisions; the message says where."""


class Vault(Protocol):
    """Where what references stand for is kept."""

    def keep(self, text: str) -> str: ...

    def reveal(self, name: str) -> str | None: ...


def encoded(message: object) -> bytes:
    """Give the bytes to compare a message by: the same in every process.

    Sets and mappings are put in order for that; what is kept has its mappings in the order that
    they had, for a person may be told them in it.
    """
    return _write_json(msgspec.to_builtins(message, str_keys=True, order="deterministic"))


def parted(request: Decision) -> tuple[Decision, dict[str, Any]]:
    """Take what is large out of a request; give both."""
    match request:
        case MakePlans(world=world, capabilities=capabilities):
            bare: Decision = replace(request, world=WorldState(), capabilities=())
            return bare, {"state": world, "capabilities": capabilities}
        case PlanCourseWith(world=world, capabilities=capabilities):
            bare = PlanCourseWith(request.request)
            return bare, {"state": world, "capabilities": capabilities}
        case InterpretWith(recipes=recipes):
            return replace(request, recipes={}), {"recipes": recipes or None}
        case Resolve(query=query):
            large = {"world": query.world, "page": query.page, "verbs": query.verbs}
            empty = replace(query, world=World(), page=None, verbs=NOTHING)
            return replace(request, query=empty), large
        case _:
            return request, {}


def whole(recorded: Recorded, snapshots: Mapping[str, Snapshot]) -> Decision:
    """Give a request with all that belongs into it."""
    seen: dict[str, Any] = {}
    for name, digest in recorded.seen.items():
        value = getattr(snapshots.get(digest), name, None)
        if value is None:
            raise BadRecording(f"the snapshot {digest} is missing")
        seen[name] = value
    match recorded.request:
        case MakePlans() | PlanCourseWith() as request:
            found = {"world": seen.get("state"), "capabilities": seen.get("capabilities")}
            if None in found.values():
                raise BadRecording("it does not say what the world was like")
            return replace(request, **found)
        case InterpretWith() as request:
            return replace(request, recipes=seen.get("recipes", {}))
        case Resolve(query=query) as request:
            known = {name: seen[name] for name in ("world", "page", "verbs") if name in seen}
            return replace(request, query=replace(query, **known))
        case request:
            return request


@dataclass
class WatchedVault:
    """A vault whose texts are noted as they pass, so that none of them is written down."""

    vault: Vault
    _texts: tuple[bytes, ...] = ()  # read by another thread, and so never changed

    def keep(self, text: str) -> str:
        """Keep a text; give a reference to it."""
        self._note(text)
        return self.vault.keep(text)

    def reveal(self, name: str) -> str | None:
        """Give what the reference of this name stands for."""
        text = self.vault.reveal(name)
        self._note(text or "")
        return text

    def is_in(self, line: bytes) -> bool:
        """Tell whether something secret stands in a line of JSON."""
        return any(text in line for text in self._texts)

    def _note(self, text: str) -> None:
        found = msgspec.json.encode(text)[1:-1]
        if found and found not in self._texts:
            self._texts = (*self._texts[1 - MOST_SECRETS :], found)


@dataclass
class DecisionFiles:
    """The folder of decisions, and the file that is written; a thread of its own writes.

    Lines in which something ``is_secret`` are left out.
    """

    folder: Path
    setting: Setting
    megabytes: float
    is_secret: Callable[[bytes], bool] = lambda _line: False
    _jobs: SimpleQueue[tuple[Decision, Any] | None] = field(default_factory=SimpleQueue)
    _known: set[str] = field(default_factory=set)
    _latest: dict[str, tuple[Any, str]] = field(default_factory=dict)
    _size: int = 0
    _empty_size: int = 0
    _file: BinaryIO | None = None
    _complained: bool = False

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._run, name="decisions", daemon=True)
        self._thread.start()

    @property
    def most_bytes(self) -> int:
        """Say how large a file may be."""
        return min(FILE_BYTES, int(self.megabytes * 1e6) // FEWEST_FILES)

    def record(self, request: Decision, reply: Any) -> None:
        """Keep a request and its answer; whoever decides waits for nothing."""
        if self._jobs.qsize() < MOST_WAITING:
            self._jobs.put((request, reply))

    def close(self, patience: float = 5.0) -> None:
        """Write what is left."""
        self._jobs.put(None)
        self._thread.join(patience)

    # In the thread

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                self._write(*job)
                self._complained = False
            except Exception as error:  # noqa: BLE001 - nobody else would notice that this ended
                self._complain(error)
        if self._file is not None:
            self._file.close()

    def _complain(self, error: Exception) -> None:
        """Say once that nothing is kept, until something is again."""
        if not self._complained:
            reason = getattr(error, "strerror", None) or repr(error)
            log.warning("decisions.not_kept", folder=str(self.folder), reason=reason)
        self._complained = True

    def _write(self, request: Decision, reply: Any) -> None:
        """Write a decision with what it is about, to a new file if this one has no room."""
        if self._file is None:
            self._begin_file()
        lines, digests = self._lines(request, reply)
        if self._fit(lines, self._empty_size) and not self._fit(lines, self._size):
            self._begin_file()
            lines, digests = self._lines(request, reply)
        if lines and self._fit(lines, self._size):
            self._append(b"".join(lines))
            self._known |= digests

    def _fit(self, lines: list[bytes], size: int) -> bool:
        """Tell whether a file of some size has room for lines."""
        return size + sum(map(len, lines)) <= self.most_bytes

    def _lines(self, request: Decision, reply: Any) -> tuple[list[bytes], set[str]]:
        """Give the lines for a decision, with the digests in them; none if it is not kept."""
        bare, large = parted(request)
        lines: list[bytes] = []
        seen: dict[str, str] = {}
        for name, value in large.items():
            if value is None:
                continue
            digest, body = self._named(name, value)
            seen[name] = digest
            if body is not None:
                lines.append(body + b"\n")
        lines.append(_keep_json(Recorded(bare, reply, seen)) + b"\n")
        if any(len(line) > LARGEST or self.is_secret(line) for line in lines):
            return [], set()
        return lines, set(seen.values())

    def _named(self, name: str, value: Any) -> tuple[str, bytes | None]:
        """Give the digest of something large, and its line if this file does not have it."""
        held, digest = self._latest.get(name, (None, ""))
        if held is not value:
            digest = blake2b(_keep_json(value), digest_size=12).hexdigest()
            self._latest[name] = (value, digest)
        if digest in self._known:
            return digest, None
        return digest, _keep_json(Snapshot(digest, **{name: value}))

    def _append(self, data: bytes) -> None:
        """Write all of some lines, or nothing of them: what is torn would hide what follows."""
        assert self._file is not None  # noqa: S101 - one was begun
        try:
            while data:
                data = data[self._file.write(data) :]
            self._size = self._file.tell()
        except OSError:
            file, self._file = self._file, None
            with suppress(OSError):
                file.truncate(self._size)
                file.seek(self._size)
                self._file = file
            raise

    def _begin_file(self) -> None:
        """Begin another file, and drop the oldest if they are too large together."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._drop_oldest()
        numbers = (int(path.stem) for path in self.folder.glob(f"*{ENDING}") if is_numbered(path))
        path = self.folder / f"{1 + max(numbers, default=0):08}{ENDING}"
        if self._file is not None:
            self._file.close()
        # Made anew: what is there already, be it a link, is not written to.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        self._file = os.fdopen(handle, "wb", buffering=0)
        self._known, self._size = set(), 0
        try:
            self._append(_keep_json(self.setting) + b"\n")
        except OSError:
            self._file = None
            path.unlink(missing_ok=True)
            raise
        self._empty_size = self._size

    def _drop_oldest(self) -> None:
        """Make room for a whole file."""
        sizes = {path: path.lstat().st_size for path in files_in(self.folder) if is_numbered(path)}
        left = sum(sizes.values()) + self.most_bytes
        for path in sorted(sizes):
            if left <= self.megabytes * 1e6:
                return
            path.unlink(missing_ok=True)
            left -= sizes[path]


def files_in(folder: Path) -> Iterator[Path]:
    """Give the files of decisions in a folder; whatever else goes by such a name is left alone."""
    for path in folder.glob(f"*{ENDING}"):
        with suppress(OSError):
            if stat.S_ISREG(path.lstat().st_mode):
                yield path


def is_numbered(path: Path) -> bool:
    """Tell whether a file is one of ours: what a user has put beside them stays."""
    return path.stem.isdecimal()


# Reading


def read_decisions(path: Path) -> Iterator[tuple[Setting, int, Decision, Recorded]]:
    """Read a file: each decision with the settings it was made in, and its line."""
    setting: Setting | None = None
    snapshots: dict[str, Snapshot] = {}
    for number, text in enumerate(lines_of(path), start=1):
        match read_line(path, number, text, setting):
            case Setting() as found:
                setting = found
            case Snapshot(name) as snapshot:
                snapshots[name] = snapshot
            case Recorded() as recorded:
                if setting is None:
                    raise BadRecording(f"{path}: it does not begin with the settings")
                try:
                    request = whole(recorded, snapshots)
                except BadRecording as problem:
                    raise BadRecording(f"{path}, line {number}: {problem}") from None
                yield setting, number, request, recorded


def lines_of(path: Path) -> Iterator[bytes]:
    """Give the lines of a file, but not one that is still being written."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise BadRecording(f"{path}: it is no file")
            while (text := file.readline(LONGEST_LINE)).endswith(b"\n"):
                yield text
            if len(text) == LONGEST_LINE:
                raise BadRecording(f"{path}: a line of it is longer than any that is written")
    except OSError as error:
        raise BadRecording(f"{path}: {error.strerror}") from None


def read_line(path: Path, number: int, text: bytes, setting: Setting | None) -> Line:
    """Read a line; say of one that cannot be read which version wrote it, if it was another."""
    try:
        return _read(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        is_other = setting is not None and setting.version != VERSION
        by = f" (it was recorded by version {setting.version})" if setting and is_other else ""
        raise BadRecording(f"{path}, line {number}: {error}{by}") from None


def recordings_in(places: Iterable[Path]) -> list[Path]:
    """Give the files that are named, and those in folders that are."""
    found: list[Path] = []
    for place in places:
        found += sorted(files_in(place)) if place.is_dir() else [place]
    return found
