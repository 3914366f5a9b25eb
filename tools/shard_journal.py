"""The journal of a shard: in a log that any machine can read, with a copy in memory to look into.

What is written counts only once it stands in the log, behind all that this owner knows of. If
somebody else has written meanwhile, the shard has another owner: nothing more is written.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias
from uuid import uuid4

import anyio
import msgspec
import structlog

from messages import cluster, journaling
from messages.bus import Conflict, Logged, Unavailable
from messages.cluster import Batch, Excerpt, Opened, Written
from messages.journaling import End, Intent, Keep, KeepSchedules, Note, Recall, Stories, Take
from messages.wire import Submit
from tools.journal import JournalFile

Deliver: TypeAlias = Callable[[Any, Any], None]
Job: TypeAlias = tuple[journaling.Inbox, Deliver | None]

# So many batches after the last excerpt, all that still matters is written once more, and the rest
# is dropped; of commands that have ended, the latest are kept, so that none of them runs again.
EXCERPT_AFTER, KEPT_ENDED = 2_000, 20_000
PART_BYTES = 256 << 10
AGAIN_SECONDS = 0.2

_encode = msgspec.msgpack.Encoder().encode
_read: Callable[[bytes], cluster.Entry] = msgspec.msgpack.Decoder(cluster.Entry).decode


class Log(Protocol):
    """Entries in one order, each written behind the one that the writer knows as the last."""

    async def append(self, body: bytes, end: int) -> int: ...
    async def read(self) -> tuple[list[Logged], int]: ...
    async def trim(self, before: int) -> None: ...


class Overtaken(Exception):
    """Another owner has written to the log."""


@dataclass
class ShardJournal:
    """A store for the Journal actor. ``open`` it before use, and let it ``run``."""

    log: Log
    owner: str
    inner: JournalFile
    on_end: Callable[[str], None] = lambda _command: None
    submits: OrderedDict[str, Submit] = field(default_factory=OrderedDict)
    epoch: int = 0
    end: int = 0
    _kept: OrderedDict[str, list[Written]] = field(default_factory=OrderedDict)
    _asked: dict[str, dict[str, str]] = field(default_factory=dict)
    _ended: OrderedDict[str, None] = field(default_factory=OrderedDict)
    _schedules: dict[str, KeepSchedules] = field(default_factory=dict)
    _taken: list[Job] = field(default_factory=list)
    _jobs: list[Job] = field(default_factory=list)
    _bell: anyio.Event = field(default_factory=anyio.Event)
    _batches: int = 0

    async def open(self) -> None:
        """Take the log over, and learn all that is in it."""
        opened = _encode(Opened(self.owner, uuid4().hex))
        while True:
            logged, end = await self.log.read()
            try:
                self.epoch = self.end = await self.log.append(opened, end)
            except Conflict:
                continue  # the owner before has written just now
            break
        for message in still_true(logged):
            self.note(message)
            self.inner.put(message, None)
        self.inner.flush()
        await self.caught_up()

    async def caught_up(self) -> None:
        """Wait until the copy has taken in all that was put."""
        done = anyio.Event()

        def answer(_request: Any, _reply: Stories) -> None:
            done.set()

        self.inner.put(Recall("\x00"), answer)
        self.inner.flush()
        await done.wait()

    # As a store

    @property
    def is_pressed(self) -> bool:
        return self.inner.is_pressed

    def put(self, message: journaling.Inbox, deliver: Deliver | None) -> None:
        """Take a message; it counts, and is answered, once it stands in the log."""
        if isinstance(message, Take):
            self.submits.setdefault(message.command_id, message.submit)
        self._taken.append((message, deliver))

    def flush(self) -> None:
        if self._taken:
            self._jobs += self._taken
            self._taken = []
            self._bell.set()

    # Writing

    async def run(self) -> None:
        """Write what is to be written; end if the shard has another owner."""
        while True:
            while self._jobs:
                jobs, self._jobs = self._jobs, []
                await self.write([message for message, _ in jobs if isinstance(message, Written)])
                for message, deliver in jobs:
                    self.inner.put(message, deliver)
                self.inner.flush()
                for message, _ in jobs:
                    if isinstance(message, End):
                        self.on_end(message.command_id)
            if self._batches >= EXCERPT_AFTER:
                await self.excerpt()
            self._bell = anyio.Event()
            if not self._jobs:
                await self._bell.wait()

    async def write(self, written: Sequence[Written]) -> None:
        """Write some messages behind all others."""
        if not written:
            return
        for part in parted(written):
            await self.append(_encode(Batch(part)))
            self._batches += 1
        for message in written:
            self.note(message)

    async def append(self, body: bytes) -> None:
        """Write an entry, however long the bus is away: who waits for it knows that it is not."""
        while True:
            try:
                self.end = await self.log.append(body, self.end)
            except Unavailable as error:
                structlog.get_logger(actor="journal").warning("log.unavailable", error=str(error))
                await anyio.sleep(AGAIN_SECONDS)
            except Conflict:
                raise Overtaken(f"another owner has written behind {self.end}") from None
            else:
                return

    def note(self, message: Written) -> None:
        """Remember what an excerpt has to have."""
        if isinstance(message, KeepSchedules):
            for entry in message.entries:
                self._schedules[entry.id] = KeepSchedules((entry,))
                if entry.state == "done":
                    del self._schedules[entry.id]
            return
        command = message.command_id
        if isinstance(message, Take):
            if command in self._kept:
                return  # it came twice
            self.submits.setdefault(command, message.submit)
        self._kept.setdefault(command, []).append(message)
        if isinstance(message, Keep | Note) and isinstance(message.entry, Intent):
            intent = message.entry
            self._asked.setdefault(command, {})[intent.action.action_id] = intent.executor
        if isinstance(message, End):
            self._asked.pop(command, None)
            self.forget_oldest(command)

    def forget_oldest(self, ended: str) -> None:
        """Note that a command has ended; of those that have, the oldest is forgotten."""
        self._ended[ended] = None
        if len(self._ended) > KEPT_ENDED:
            oldest, _ = self._ended.popitem(last=False)
            self._kept.pop(oldest, None)
            self.submits.pop(oldest, None)

    def asked_executor(self, command: str, action: str) -> str:
        """Name the executor that was asked last for an action, as it was written down."""
        return self._asked.get(command, {}).get(action, "")

    async def excerpt(self) -> None:
        """Write all that still matters once more, and drop what is before it."""
        messages = [each for story in self._kept.values() for each in story]
        parts = list(parted([*messages, *self._schedules.values()]))
        first = self.end + 1
        for number, part in enumerate(parts, start=1):
            await self.append(_encode(Excerpt(number, len(parts), part)))
        await self.log.trim(first)
        self._batches = 0


def still_true(logged: Iterable[Logged]) -> Iterator[Written]:
    """Give what a log says: all since its last whole excerpt, and that."""
    found: list[Written] = []
    excerpt: list[Written] = []
    for entry in logged:
        match _read(entry.body):
            case Opened():
                excerpt = []  # what was not ended by the owner before is no excerpt
            case Batch(written):
                found += written
            case Excerpt(part, parts, written):
                excerpt = list(written) if part == 1 else [*excerpt, *written]
                if part == parts:
                    found, excerpt = excerpt, []
    return iter(found)


def parted(messages: Sequence[Written]) -> Iterator[tuple[Written, ...]]:
    """Part messages so that no part is too large to be sent."""
    part: list[Written] = []
    size = 0
    for message in messages:
        length = len(_encode(message))
        if part and size + length > PART_BYTES:
            yield tuple(part)
            part, size = [], 0
        part.append(message)
        size += length
    if part:
        yield tuple(part)
