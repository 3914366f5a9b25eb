"""A daemon under steady use by many clients: ``make soak``. Does it grow?

Commands of every usual kind, clients that come and go and some that misbehave, against a real
daemon in a folder of its own; its memory, descriptors and threads are sampled all the while.
"""

import argparse
import itertools
import math
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median

import anyio
import anyio.abc
import msgspec

from tests.overheard import (
    LEAKING,
    PROGRAM,
    Overheard,
    descriptors,
    memory,
    overheard_daemon,
    threads,
)

# Memory is measured when nothing is under way: what 50 clients have going at once comes and goes.
ROUNDS = 50
ROWS = 10
# Until then the daemon fills what it keeps: ended commands, the trace, plans, threads for files.
# These commands come before those that are counted.
WARMING = 30_000
WARM = 0.1
# Nothing that is kept takes less than this, not even a reference to it counted: it is the least
# that Python takes from its memory. A run must show that a command leaves less than that behind.
LEAST = 16.0
# So sure is that: what is said of the slope holds in 95 of 100 runs.
DEVIATIONS = 1.96
# With fewer commands the noise says more than they do.
JUDGED_FROM = 100_000
# Each thread keeps some of what it has freed for itself, up to 7 pieces of each of 64 sizes. With
# some 40 threads that take turns these caches fill for longer than a run, and hide what is sought.
NO_THREAD_CACHES = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
SPARE_DESCRIPTORS = 5
STAY = 200
NAMES = 5
PATIENCE = 60.0

TEXTS = [
    *("what time is it", "tell me the time", "how much memory is free", "list the files"),
    *("create a folder {name}", "read {name}.txt", "how much disk space is left"),
]
PLANS = [
    *("create a folder reports and inside it create summary.md", "delete the oldest pdf"),
    *("go to example.org and click Sign in", "mute the volume and tell me the time"),
    *("rename {name}.txt to other.txt", "move {name}.txt into docs, then list the files"),
]
REFUSALS = [
    *("flobble the wug", "open", "every day at nine tell me the time", "read ../outside.txt"),
    *("launch nothing-of-this-name", "delete {name}-that-is-not-there"),
]


def goal(domain: str, verb: str, **params: object) -> dict[str, object]:
    return {"domain": domain, "verb": verb, "params": params}


def name_of(client: int, number: int) -> str:
    return f"c{client}-{number}"


def furnish(root: Path, clients: int) -> None:
    """Put all into the root that is going to be there, so that the last listing is as the first."""
    for client, number in itertools.product(range(clients), range(NAMES)):
        (root / name_of(client, number)).mkdir()
        (root / f"{name_of(client, number)}.txt").write_text("x")


def command(chance: Random, client: int) -> dict[str, object]:
    """Make a command of any usual kind."""
    name = name_of(client, chance.randrange(NAMES))
    match chance.randrange(20):
        case 0 | 1 | 2:
            return {"text": chance.choice(TEXTS).format(name=name)}
        case 3 | 4 | 5:
            return {"text": chance.choice(PLANS).format(name=name), "mode": "plan"}
        case 6 | 7:
            return {"text": chance.choice(REFUSALS).format(name=name)}
        case 8 | 9:
            write = goal("file", "write", name=f"{name}.txt", content=name * 9, overwrite=True)
            return {"goals": [write]}
        case 10:
            made = goal("file", "create", object_type="folder", name=name)
            inner = {**goal("file", "list"), "scope": f"inside:{name}"}
            return {"goals": [made, inner]}
        case 11:
            return {"goals": [goal("file", "read", name=f"{name}.txt")], "allow_partial": True}
        case 12:
            return {"goals": [goal("file", "read", name="/etc/passwd")]}
        case 13:
            return {"goals": [goal("no", "verb")], "session": f"s{chance.random()}"}
        case 14:
            target = chance.choice(["memory", "disk"])
            return {"goals": [goal("system", "get", target=target)] * 3}
        case _:
            return {"goals": [goal("system", "get", target="time")]}


# What is measured


@dataclass(frozen=True)
class Sample:
    commands: int
    memory: int
    descriptors: int
    threads: int


@dataclass(frozen=True)
class Slope:
    """What memory gains with each command, in bytes: about, at least and at most."""

    about: float
    least: float
    most: float

    def __str__(self) -> str:
        return f"{self.about:+.1f} bytes a command ({self.least:+.1f} to {self.most:+.1f})"


def slope_of(samples: Sequence[Sample]) -> Slope:
    """Give the median of the slopes between all samples, and its confidence interval (Theil, Sen).

    Garbage that waits for its collection makes single samples too high: a median does not mind.
    """
    pairs = itertools.combinations(samples, 2)
    slopes = sorted((b.memory - a.memory) / (b.commands - a.commands) for a, b in pairs)
    count = len(samples)
    spread = DEVIATIONS * math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    least = max(0, math.floor((len(slopes) - spread) / 2))
    most = min(len(slopes) - 1, math.ceil((len(slopes) + spread) / 2))
    return Slope(median(slopes), slopes[least], slopes[most])


@dataclass
class Soak:
    """A run: what is still to be sent, what came back, and what was measured."""

    daemon: Overheard
    commands: int
    seed: int = 1
    named: str = "soak"
    ended: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    samples: list[Sample] = field(default_factory=list)
    begun: int = 0
    until: int = 0

    def note(self, outcome: str) -> None:
        """Count the end of a command."""
        self.outcomes[outcome] += 1
        self.ended += 1

    def measure(self) -> None:
        """Measure the daemon once it has seen that all clients are gone."""
        wire = self.daemon.connect()
        wire.ask(type="status", id="all have gone")
        wire.close()
        pid = self.daemon.process.pid
        self.samples.append(Sample(self.ended, memory(pid), descriptors(pid), threads(pid)))

    def take(self) -> int | None:
        """Give the number of the next command of this round; None if it is over."""
        if self.begun >= self.until:
            return None
        self.begun += 1
        return self.begun

    @property
    def warm(self) -> list[Sample]:
        return [sample for sample in self.samples if sample.commands >= WARM * self.commands]

    def slope(self) -> Slope:
        """Give what memory gains with each command, once the daemon is warm."""
        return slope_of(self.warm)

    def problems(self) -> list[str]:
        """Say what is wrong with what was measured."""
        found = [f"the daemon told of {len(self.daemon.crashes)} crashes"] * bool(
            self.daemon.crashes
        )
        if self.outcomes["lost"]:
            found.append(f"{self.outcomes['lost']} commands were never answered")
        if self.commands >= JUDGED_FROM and (slope := self.slope()).most >= LEAST:
            verdict = "memory grows" if slope.least > 0 else "memory may grow"
            found.append(f"{verdict}: {slope}")
        if self.samples[-1].descriptors > self.samples[0].descriptors + SPARE_DESCRIPTORS:
            found.append("descriptors grow")
        return found

    def table(self) -> str:
        rows = self.samples[:: max(1, len(self.samples) // ROWS)]
        if self.samples[-1] not in rows:
            rows.append(self.samples[-1])
        lines = ["  commands   memory MB  descriptors  threads"]
        lines += [
            f"{row.commands:>10,}  {row.memory / 2**20:>10.2f}  {row.descriptors:>11}"
            f"  {row.threads:>7}"
            for row in rows
        ]
        return "\n".join(lines)


# Clients


@dataclass
class Visitor:
    """One client: it sends commands one by one, leaves now and then, and comes back."""

    soak: Soak
    number: int
    chance: Random
    held: bytes = b""

    async def live(self) -> None:
        while (left := self.soak.take()) is not None:
            async with await anyio.connect_unix(self.soak.daemon.socket) as stream:
                self.held = b""
                for number in itertools.chain([left], self.more()):
                    await self.carry_out(stream, number)
                await self.leave(stream)

    def more(self) -> Iterator[int]:
        """Give the numbers of the commands of one stay."""
        for _ in range(self.chance.randrange(STAY)):
            if (number := self.soak.take()) is None:
                return
            yield number

    async def carry_out(self, stream: anyio.abc.ByteStream, number: int) -> None:
        """Submit a command, perhaps cancel it, and read to its end."""
        name = f"{self.soak.named} {number}"
        request = {"session": f"client {self.number}", **command(self.chance, self.number)}
        await self.send(stream, {"type": "submit", "id": name, **request})
        if self.chance.random() < 0.05:
            await self.send(stream, {"type": "cancel", "id": f"k{number}", "command": name})
        try:
            with anyio.fail_after(PATIENCE):
                self.soak.note(await self.end_of(stream, name))
        except TimeoutError:
            self.soak.note("lost")

    async def send(self, stream: anyio.abc.ByteStream, request: dict[str, object]) -> None:
        await stream.send(msgspec.json.encode(request) + b"\n")

    async def end_of(self, stream: anyio.abc.ByteStream, name: str) -> str:
        """Read events up to the end of a command; what asks a question is cancelled."""
        while True:
            event = _event(await self.line(stream))
            if event.type == "question":
                await self.send(stream, {"type": "cancel", "id": "unasked", "command": name})
            if event.type == "finished" and event.command == name:
                return str(event.status)
            if event.type == "error" and event.id == name:
                return "refused"

    async def line(self, stream: anyio.abc.ByteStream) -> bytes:
        while b"\n" not in self.held:
            self.held += await stream.receive()
        line, _, self.held = self.held.partition(b"\n")
        return line

    async def leave(self, stream: anyio.abc.ByteStream) -> None:
        """Go: politely, in the middle of a frame, with nonsense, or with a subscription."""
        last = [
            b"",
            b'{"type":"submit","id":"half',
            b"\xff\x00nonsense\n",
            b'{"type":"subscribe","id":"s","events":["daemon."]}\n',
        ]
        await stream.send(self.chance.choice(last) or b"\n")


class Event(msgspec.Struct):
    """What a visitor reads of an event."""

    type: str
    command: str | None = None
    status: str | None = None
    id: str | None = None


_event = msgspec.json.Decoder(Event).decode


async def visit(soak: Soak, clients: int, until: int) -> None:
    """Let so many clients carry out the commands of a round between them."""
    soak.until = until
    async with anyio.create_task_group() as tasks:
        for number in range(clients):
            chance = Random(f"{soak.seed} {number} {until}")  # noqa: S311 - the same in every run
            tasks.start_soon(Visitor(soak, number, chance).live)


def soaked(
    folder: Path,
    commands: int,
    clients: int,
    seed: int = 1,
    warming: int = 0,
    *,
    thread_caches: bool = False,
    leak: int = 0,
) -> Soak:
    """Run a soak in a folder, and measure whenever all clients have gone."""
    surroundings = {} if thread_caches else NO_THREAD_CACHES
    program = [LEAKING, str(leak)] if leak else [PROGRAM]
    with overheard_daemon(folder, environment=surroundings, program=program) as daemon:
        furnish(daemon.root, clients)
        anyio.run(visit, Soak(daemon, warming, seed=seed + 1, named="warm"), clients, warming)
        soak = Soak(daemon, commands, seed)
        soak.measure()
        for number in range(1, ROUNDS + 1):
            anyio.run(visit, soak, clients, commands * number // ROUNDS)
            soak.measure()
    return soak


def main() -> int:
    """Run, show the figures, and fail if the daemon grows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commands", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--warming", type=int, default=WARMING, help="commands that come before")
    parser.add_argument("--thread-caches", action="store_true", help="leave the allocator as it is")
    parser.add_argument("--leak", type=int, default=0, help="keep so many bytes of each command")
    asked = parser.parse_args()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        soak = soaked(
            Path(folder),
            asked.commands,
            asked.clients,
            asked.seed,
            asked.warming,
            thread_caches=asked.thread_caches,
            leak=asked.leak,
        )
    seconds = time.monotonic() - begun
    before = f"after {asked.warming:,} to warm up"
    print(f"{asked.commands:,} commands from {asked.clients} clients {before}, {seconds:.0f} s")
    print(soak.table())
    print(", ".join(f"{outcome} {count:,}" for outcome, count in soak.outcomes.most_common()))
    print(f"memory after the first {WARM:.0%}: {soak.slope()}")
    for problem in (problems := soak.problems()):
        print(f"WRONG: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
