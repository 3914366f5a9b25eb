"""The floor of the pipeline: decode, five hops, five log lines, a group commit, encode.

No decision is made at all.

Run as ``python -m benchmarks.skeleton SOCKET``: a server that does the least that any daemon of
this shape must do, so that what Behest adds can be told from what Python costs here today.
"""

import math
import os
import sqlite3
import sys
from collections.abc import AsyncIterator, MutableMapping
from datetime import UTC, datetime
from typing import Any

import anyio
import anyio.abc
import anyio.to_thread
import msgspec
import structlog
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

HOPS = 5
BATCH = 64
FLUSH_SECONDS = 0.02

_encode = msgspec.json.Encoder().encode


class Submit(msgspec.Struct, tag="submit", frozen=True):
    """The one request there is."""

    id: str
    goals: list[dict[str, Any]]
    session: str = "default"


class Finished(msgspec.Struct, tag="finished", frozen=True):
    """The one answer there is."""

    command: str
    status: str


class Lines:
    """A buffered log."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.info = self.lines.append

    async def flush(self) -> None:
        while True:
            await anyio.sleep(FLUSH_SECONDS)
            if self.lines:
                os.write(sys.stdout.fileno(), b"\n".join(self.lines) + b"\n")
                self.lines.clear()


class Journal:
    """What must not be lost, on disk."""

    def __init__(self, path: str) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = FULL")
        self.connection.execute("CREATE TABLE commands (id TEXT PRIMARY KEY, body TEXT)")

    def commit(self, batch: list[Submit]) -> None:
        self.connection.execute("BEGIN")
        rows = [(message.id, _encode(message)) for message in batch]
        self.connection.executemany("INSERT INTO commands VALUES (?, ?)", rows)
        self.connection.execute("COMMIT")


def render(_logger: object, level: str, event: MutableMapping[str, Any]) -> bytes:
    return _encode({"ts": datetime.now(UTC), "level": level, **event})


async def batches(
    stream: MemoryObjectReceiveStream[Submit],
) -> AsyncIterator[list[Submit]]:
    async for item in stream:
        batch = [item]
        while len(batch) < BATCH:
            try:
                batch.append(stream.receive_nowait())
            except anyio.WouldBlock:
                break
        yield batch


async def hop(
    inbox: MemoryObjectReceiveStream[Submit], outbox: MemoryObjectSendStream[Submit], name: str
) -> None:
    log = structlog.get_logger(actor=name).bind()
    async for batch in batches(inbox):
        for message in batch:
            log.info("hop", command_id=message.id, span_id="0", parent_id="0")
            outbox.send_nowait(message)


async def answer(
    inbox: MemoryObjectReceiveStream[Submit], stream: anyio.abc.ByteStream, journal: Journal
) -> None:
    async for batch in batches(inbox):
        await anyio.to_thread.run_sync(journal.commit, batch)
        lines = [_encode(Finished(message.id, "success")) for message in batch]
        await stream.send(b"\n".join(lines) + b"\n")


async def serve(path: str) -> None:
    lines = Lines()
    structlog.configure(
        processors=[render],
        wrapper_class=structlog.make_filtering_bound_logger("info"),
        logger_factory=lambda *_: lines,
        cache_logger_on_first_use=True,
    )
    decode = msgspec.json.Decoder(Submit).decode
    journal = Journal(f"{path}.db")

    async def client(stream: anyio.abc.SocketStream) -> None:
        chain = [anyio.create_memory_object_stream[Submit](math.inf) for _ in range(HOPS + 1)]
        async with stream, anyio.create_task_group() as tasks:
            for index in range(HOPS):
                tasks.start_soon(hop, chain[index][1], chain[index + 1][0], f"hop{index}")
            tasks.start_soon(answer, chain[HOPS][1], stream, journal)
            rest = b""
            async for chunk in stream:
                *frames, rest = (rest + chunk).split(b"\n")
                for frame in frames:
                    chain[0][0].send_nowait(decode(frame))
            tasks.cancel_scope.cancel()

    listener = await anyio.create_unix_listener(path)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lines.flush)
        await listener.serve(client)


if __name__ == "__main__":
    anyio.run(serve, sys.argv[1])
