"""Files of decisions: written as they are made, bounded in size, and read again.

What a request is about (a page, a folder, what the machine can do) stands in a file once, under a
digest of it. A file that is full is closed and a new one begun; the oldest are dropped.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO

import msgspec
from msgspec.structs import replace

from messages.message import NOTHING
from messages.planning import MakePlans
from messages.plans import WorldState
from messages.replaying import Decision, Line, Recorded, Setting, Snapshot
from messages.targets import Resolve
from messages.worlds import World

FILE_BYTES = 8 << 20
LARGEST = 4 << 20  # a page that is larger is not kept, nor what was decided on it
ENDING = ".jsonl"

_write_json = msgspec.json.Encoder(order="deterministic").encode
_read: Callable[[bytes], Line] = msgspec.json.Decoder(Line).decode


class BadRecording(Exception):
    """A file is not one of decisions; the message says where."""


def encoded(message: object) -> bytes:
    """Give the bytes of a message: the same in every process, whatever the order of its sets."""
    return _write_json(msgspec.to_builtins(message, str_keys=True, order="deterministic"))


def parted(request: Decision) -> tuple[Decision, dict[str, Any]]:
    """Take what is large out of a request; give both."""
    match request:
        case MakePlans(world=world, capabilities=capabilities):
            bare: Decision = replace(request, world=WorldState(), capabilities=())
            return bare, {"state": world, "capabilities": capabilities}
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
        if digest not in snapshots:
            raise BadRecording(f"the snapshot {digest} is missing")
        seen[name] = getattr(snapshots[digest], name)
    match recorded.request:
        case MakePlans() as request:
            found = {"world": seen["state"], "capabilities": seen["capabilities"]}
            return replace(request, **found)
        case Resolve(query=query) as request:
            return replace(request, query=replace(query, **seen))
        case request:
            return request


@dataclass
class DecisionFiles:
    """The folder of decisions, and the file that is written; a thread of its own writes."""

    folder: Path
    setting: Setting
    megabytes: float
    _jobs: SimpleQueue[tuple[Decision, Any] | None] = field(default_factory=SimpleQueue)
    _known: set[str] = field(default_factory=set)
    _digests: dict[int, tuple[Any, str]] = field(default_factory=dict)
    _size: int = FILE_BYTES
    _file: BinaryIO | None = None

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._run, name="decisions", daemon=True)
        self._thread.start()

    def record(self, request: Decision, reply: Any) -> None:
        """Keep a request and its answer; whoever decides waits for nothing."""
        self._jobs.put((request, reply))

    def close(self, patience: float = 5.0) -> None:
        """Write what is left."""
        self._jobs.put(None)
        self._thread.join(patience)

    # In the thread

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            with suppress(OSError):  # what cannot be kept is not kept; the work goes on
                self._write(*job)
                if self._file is not None and self._jobs.empty():
                    self._file.flush()
        if self._file is not None:
            self._file.close()

    def _write(self, request: Decision, reply: Any) -> None:
        bare, large = parted(request)
        if self._size >= FILE_BYTES:
            self._begin_file()
        lines: list[bytes] = []
        seen: dict[str, str] = {}
        for name, value in large.items():
            if value is None:
                continue
            digest, body = self._named(name, value)
            if digest is None:
                return
            seen[name] = digest
            if body is not None:
                lines.append(body)
        lines.append(encoded(Recorded(bare, reply, seen)))
        data = b"\n".join(lines) + b"\n"
        if self._file is not None:
            self._file.write(data)
        self._known |= set(seen.values())
        self._size += len(data)

    def _named(self, name: str, value: Any) -> tuple[str | None, bytes | None]:
        """Give the digest of something large, and its line if this file does not have it."""
        held, digest = self._digests.get(id(value), (None, ""))
        if held is value and digest in self._known:
            return digest, None
        body = encoded(value)
        if len(body) > LARGEST:
            return None, None
        digest = blake2b(body, digest_size=12).hexdigest()
        self._digests = {**self._digests, id(value): (value, digest)} if name != "page" else {}
        if digest in self._known:
            return digest, None
        return digest, encoded(Snapshot(digest, **{name: value}))

    def _begin_file(self) -> None:
        """Begin another file, and drop the oldest if they are too large together."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        files = sorted(self.folder.glob(f"*{ENDING}"))
        number = int(files[-1].stem) + 1 if files and files[-1].stem.isdecimal() else 1
        path = self.folder / f"{number:08}{ENDING}"
        self._known, self._digests = set(), {}
        line = encoded(self.setting) + b"\n"
        path.touch(mode=0o600)
        if self._file is not None:
            self._file.close()
        self._file = path.open("wb")
        self._file.write(line)
        self._size = len(line)
        sizes = {path: path.stat().st_size for path in files}
        left = sum(sizes.values()) + FILE_BYTES
        for path in files:
            if left <= self.megabytes * 1e6:
                return
            path.unlink(missing_ok=True)
            left -= sizes[path]


def read_decisions(path: Path) -> Iterator[tuple[Setting, int, Decision, Recorded]]:
    """Read a file: each decision with the settings it was made in, and its line."""
    setting: Setting | None = None
    snapshots: dict[str, Snapshot] = {}
    with path.open("rb") as file:
        for number, text in enumerate(file, start=1):
            if not text.endswith(b"\n"):
                return  # it was being written
            try:
                line = _read(text)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise BadRecording(f"{path}, line {number}: {error}") from None
            match line:
                case Setting():
                    setting = line
                case Snapshot(name):
                    snapshots[name] = line
                case Recorded():
                    if setting is None:
                        raise BadRecording(f"{path}: it does not begin with the settings")
                    yield setting, number, whole(line, snapshots), line


def recordings_in(places: Iterable[Path]) -> list[Path]:
    """Give the files that are named, and those in folders that are."""
    found: list[Path] = []
    for place in places:
        found += sorted(place.glob(f"*{ENDING}")) if place.is_dir() else [place]
    return found
