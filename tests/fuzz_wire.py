"""A long run of frames that nobody should send: part of ``make fuzz``.

It is seeded, and bounded by count and time.
Most go through the Gateway's own path (``Frames``, ``Connection.take``) to all real actors in this
process; a share of them over a real socket to a real daemon, cut anywhere. Nothing may crash, every
connection must be answered, and the daemon must be there at the end. Commands are planned, or look,
or work on files in a temporary root: there is no browser, no program and no sound to be had.
"""

import argparse
import math
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import anyio
import msgspec
import structlog

from actors.gateway import Connection, Gateway
from actors.gateway.outbox import Outbox
from actors.supervisor import GaveUp
from messages.wire import MAX_FRAME, Stop, WireRequest
from run import compose
from tests.framing import Wear, chunks, right_frames
from tests.overheard import CRASHED, Overheard, memory, overheard_daemon
from tests.parts import UNASKED
from tools.logs import TraceLog, configure, span_ids
from tools.settings import BrowserSettings
from tools.worlds import Machine, open_machine

POOL = 4_000
BATCH = 25
BATCHES_OF_A_CLIENT = 8
SOCKET_SHARE = 0.1
FRAMES_OF_A_WIRE = 500
STUCK_SECONDS = 30.0
SHOWN = 300


class Label(msgspec.Struct):
    """What is counted of a reply."""

    type: str
    code: str | None = None
    command: str | None = None
    id: str | None = None


_label = msgspec.json.Decoder(Label).decode


@dataclass
class Figures:
    """What a run has found so far."""

    until: float = math.inf
    frames: int = 0
    size: int = 0
    replies: Counter[str] = field(default_factory=Counter)
    exceptions: list[str] = field(default_factory=list)
    slowest: float = 0.0
    slowest_batch: list[bytes] = field(default_factory=list)

    def note(self, line: bytes) -> Label:
        """Count a reply."""
        label = _label(line)
        self.replies[label.code or label.type] += 1
        return label

    def report(self, name: str, seconds: float) -> str:
        counted = ", ".join(f"{what} {count:,}" for what, count in self.replies.most_common())
        tried = f"{self.frames:,} frames ({self.size / 1e6:,.0f} MB) in {seconds:.0f} s"
        lines = [
            f"{name}: {tried}; exceptions: {len(self.exceptions)}",
            f"  replies: {counted}",
            *dict.fromkeys(f"  {problem[-SHOWN:]}" for problem in self.exceptions),
        ]
        return "\n".join(lines)


class Tally(Outbox):
    """The outbox of a client that counts what it is sent, and cancels what asks a question."""

    def __init__(self, figures: Figures) -> None:
        super().__init__(limit=0)
        self.figures = figures
        self.asking: list[str] = []
        self.quiet = anyio.Event()

    def put(self, lines: bytes, *, soon: bool = False) -> None:
        for line in lines.splitlines():
            label = self.figures.note(line)
            if label.type == "question" and label.command is not None:
                self.asking.append(label.command)
                self.quiet.set()

    def followed(self) -> None:
        super().followed()
        self.quiet.set()


# In this process


@asynccontextmanager
async def all_actors(root: Path, figures: Figures) -> AsyncIterator[Gateway]:
    """Run every actor, with tools that only look and work on files in ``root``."""

    def look(line: bytes) -> None:
        if CRASHED.search(line):
            figures.exceptions.append(line.decode())

    trace_log = TraceLog(look, span_ids())
    configure(trace_log)
    try:
        with ExitStack() as boxes:
            gateway = compose(UNASKED, tame(root), trace_log, boxes)
            async with anyio.create_task_group() as tasks:
                for service in gateway.services:
                    tasks.start_soon(service)
                gateway.gateway.stop = None  # a frame that stops the daemon is refused here
                yield gateway.gateway
                tasks.cancel_scope.cancel()
    finally:
        structlog.reset_defaults()


def tame(root: Path) -> Machine:
    """Give a machine that has no way out of ``root``: no programs, no sound, no trash."""
    machine = open_machine({"work": root}, {}, browser=BrowserSettings(mode="off"))
    tools = [
        tool
        for tool in machine.tools
        if tool.name.startswith(("files.", "system."))
        and not tool.name.startswith(("files.open", "files.delete", "system.processes"))
    ]
    scenes = {"file_operation": machine.scenes["file_operation"]}
    return replace(machine, tools=tuple(tools), scenes=scenes)


@dataclass
class Client:
    """One client in this process: bytes in as they would come from its socket."""

    connection: Connection
    tally: Tally

    @classmethod
    def of(cls, gateway: Gateway, figures: Figures) -> "Client":
        tally = Tally(figures)
        return cls(Connection(gateway, tally), tally)

    async def send(self, stream: bytes, chance: Random) -> None:
        """Send bytes, cut anywhere, and wait until all that came of them has ended."""
        for chunk in chunks(stream, chance):
            for frame in self.connection.frames.feed(chunk):
                await self.connection.take(frame)
        with anyio.fail_after(STUCK_SECONDS):
            while self.tally.following > len(self.connection.unsubscribe):
                await self.settle()

    async def settle(self) -> None:
        """Wait for an end, or for a question, and cancel what asks it."""
        await self.tally.quiet.wait()
        self.tally.quiet = anyio.Event()
        while self.tally.asking:
            cancel = {"type": "cancel", "id": "unasked", "command": self.tally.asking.pop()}
            await self.connection.take(msgspec.json.encode(cancel))

    def leave(self) -> None:
        for leave in self.connection.unsubscribe:
            leave()


def batches(wear: Wear, count: int, figures: Figures) -> Iterator[list[bytes]]:
    """Give so many frames, a few at a time."""
    end = figures.frames + count
    while figures.frames < end and time.monotonic() < figures.until:
        frames = [wear.frame() for _ in range(min(BATCH, end - figures.frames))]
        if wear.chance.random() < 0.001:
            frames[0] = b"x" * (MAX_FRAME + wear.chance.randrange(MAX_FRAME))
        figures.frames += len(frames)
        yield frames


async def fuzz_actors(seed: int, count: int, figures: Figures) -> None:
    """Send so many frames to the actors in this process."""
    chance = Random(seed)  # noqa: S311 - the same frames in every run
    wear = Wear(chance, right_frames(chance, POOL))
    with tempfile.TemporaryDirectory() as folder:
        async with all_actors(Path(folder), figures) as gateway:
            client = Client.of(gateway, figures)
            for number, frames in enumerate(batches(wear, count, figures), start=1):
                await tried(client, frames, figures, chance)
                if number % BATCHES_OF_A_CLIENT == 0:
                    client.leave()
                    client = Client.of(gateway, figures)
            await tried(client, [b'{"type":"status","id":"last"}'], figures, chance)


async def tried(client: Client, frames: list[bytes], figures: Figures, chance: Random) -> None:
    """Try a batch; note what it costs, and what flies out of it."""
    stream = b"\n".join(frames) + b"\n"
    figures.size += len(stream)
    before = time.process_time()
    try:
        await client.send(stream, chance)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        figures.exceptions.append(f"{error!r} for {frames!r}")
        client.tally.following = len(client.connection.unsubscribe)
    took = time.process_time() - before
    if took > figures.slowest:
        figures.slowest, figures.slowest_batch = took, frames


async def slowest_frame(seed: int, figures: Figures) -> str:
    """Find the frame of the slowest batch that costs most."""
    chance, costs = Random(seed), []  # noqa: S311
    with tempfile.TemporaryDirectory() as folder:
        async with all_actors(Path(folder), Figures()) as gateway:
            for frame in figures.slowest_batch:
                before = time.process_time()
                await tried(Client.of(gateway, Figures()), [frame], Figures(), chance)
                costs.append((time.process_time() - before, frame[:SHOWN]))
    took, frame = max(costs)
    whole = f"{figures.slowest * 1000:.0f} ms of CPU for {len(costs)} frames"
    return f"  slowest: {whole}, {took * 1000:.0f} ms of it for {frame!r}"


# Over a socket


def is_stop(frame: bytes) -> bool:
    """Tell whether a frame would rightly end the daemon."""
    try:
        return isinstance(msgspec.json.decode(frame, type=WireRequest), Stop)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def fuzz_socket(seed: int, count: int, figures: Figures, daemon: Overheard) -> None:
    """Send so many frames to a daemon, by one client after the other."""
    chance = Random(seed)  # noqa: S311
    wear = Wear(chance, right_frames(chance, POOL))
    while figures.frames < count and time.monotonic() < figures.until:
        taken = min(FRAMES_OF_A_WIRE, count - figures.frames)
        frames = [
            frame
            for batch in batches(wear, taken, figures)
            for frame in batch
            if not is_stop(frame)
        ]
        stream = b"\n".join(frames) + b"\n"
        figures.size += len(stream)
        try:
            conversation(daemon, stream, chance, figures)
        except (OSError, EOFError, TimeoutError) as error:
            figures.exceptions.append(f"{error!r}: the daemon hung up or does not answer")
            return
    figures.exceptions.extend(line.decode() for line in daemon.crashes)
    if not daemon.answers():
        figures.exceptions.append("the daemon is gone")


def conversation(daemon: Overheard, stream: bytes, chance: Random, figures: Figures) -> None:
    """Send a stream, cut anywhere; read until the status that is asked for at its end."""
    wire = daemon.connect(STUCK_SECONDS)
    fence = f"fence {chance.random()}"

    def send() -> None:
        for chunk in chunks(stream, chance):
            wire.send_raw(chunk)
        wire.send({"type": "status", "id": fence})

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    try:
        while True:
            event = wire.read()
            figures.replies[event.get("code") or event["type"]] += 1
            if event.get("id") == fence:
                return
    finally:
        sender.join(STUCK_SECONDS)
        wire.close()


def main() -> int:
    """Run, and fail if anything crashed or was not answered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=600.0, help="for all, at most")
    asked = parser.parse_args()
    over_socket = int(asked.frames * SOCKET_SHARE)
    begun = time.monotonic()
    inside = Figures(begun + asked.seconds * (1 - SOCKET_SHARE))
    try:
        anyio.run(fuzz_actors, asked.seed, asked.frames - over_socket, inside)
    except* GaveUp as gave_up:
        inside.exceptions.append(repr(gave_up.exceptions))
    print(inside.report("in process", time.monotonic() - begun))
    print(anyio.run(slowest_frame, asked.seed, inside))

    begun = time.monotonic()
    outside = Figures(begun + asked.seconds * SOCKET_SHARE)
    with tempfile.TemporaryDirectory() as folder, overheard_daemon(Path(folder)) as daemon:
        before = memory(daemon.process.pid)
        fuzz_socket(asked.seed + 1, over_socket, outside, daemon)
        after = memory(daemon.process.pid) if daemon.process.poll() is None else 0
    print(outside.report("over a socket", time.monotonic() - begun))
    print(f"  the daemon's memory: {before >> 20} MB before, {after >> 20} MB after")
    return 1 if inside.exceptions or outside.exceptions else 0


if __name__ == "__main__":
    sys.exit(main())
