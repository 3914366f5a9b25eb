"""The whole pipeline: ``system.get time`` from goals, journal and traces on.

Fifty commands are in flight, of fifty sessions and of one, beside a skeleton that makes no
decision; then one command at a time, beside two commits, which it cannot do without.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.committing import commit, journal
from benchmarks.measuring import ROUNDS, Budget, Figure, Remark
from benchmarks.noise import p95
from benchmarks.serving import Server, daemon_command, server

SHORT = 1_500  # commands in a round of one session, and of fifty beside it
ALONE = 100  # commands in a round of those that come alone
ONE_SESSION_SHARE = 0.85  # of the commands per second that fifty sessions have


def figures() -> Iterator[Figure | Remark]:
    """Measure the pipeline."""
    with TemporaryDirectory() as name, ExitStack() as servers:
        folder = Path(name)
        daemon = servers.enter_context(server(daemon_command(folder), folder / "d"))
        skeleton = started_floor(servers, "skeleton", folder / "s")
        committing = started_floor(servers, "committing", folder / "c")
        daemon.load(500)
        skeleton.load(500)
        yield from many(daemon, skeleton)
        yield from alone(daemon, folder / "floor.db")
        yield from waiting(daemon, committing)


def started_floor(servers: ExitStack, module: str, path: Path) -> Server:
    """Start a server of this folder, which does the least that can be done."""
    return servers.enter_context(server(["-m", f"benchmarks.{module}", str(path)], path))


def many(daemon: Server, skeleton: Server) -> Iterator[Figure | Remark]:
    """Measure 50 commands in flight: of fifty sessions and of one, by turns."""
    fifty = Figure("a command, 50 in flight of 50 sessions: CPU", "us", Budget(150.0, "cost"))
    one = Figure("a command, 50 in flight of one session: CPU", "us", Budget(250.0, "cost"))
    share = Figure("time for each, one session against fifty", "us", Budget(1 / ONE_SESSION_SHARE))
    for _ in range(ROUNDS):
        floor = skeleton.load(SHORT)
        of_fifty = daemon.load(SHORT)
        of_one = daemon.load(SHORT, sessions=1)
        fifty.add(of_fifty.cpu, floor.cpu)
        one.add(of_one.cpu, floor.cpu)
        share.add(of_one.clock, of_fifty.clock)
    yield fifty
    yield one
    yield share
    yield Remark("  which is of the throughput", f"{1 / share.value.middle:.0%}")
    yield per_second("  commands per second, fifty sessions", share.floors)
    yield per_second("  commands per second, one session", share.costs)


def per_second(name: str, microseconds: list[float]) -> Remark:
    return Remark(name, f"{1e6 / median(microseconds):,.0f}")


def alone(daemon: Server, path: Path) -> Iterator[Figure]:
    """Measure the CPU time of a command on an idle daemon, over its commits."""
    figure = Figure("a command alone: CPU", "us", Budget(600.0, "over"))
    yield figure.measure(lambda: daemon.load(ALONE, in_flight=1).cpu, Commits(path).cost)


class Commits:
    """The commits of a command, without anything else."""

    def __init__(self, path: Path) -> None:
        self.connection = journal(path)

    def cost(self) -> float:
        """Give the CPU time of the commits of a command, in microseconds."""
        before = time.process_time()
        for _ in range(ALONE):
            commit(self.connection)
        return (time.process_time() - before) / ALONE * 1e6


def waiting(daemon: Server, committing: Server) -> Iterator[Figure]:
    """Measure how long one waits for a command alone, on the clock: mostly, and at worst."""
    mostly = Figure("a command alone: time to its end", "us")
    worst = Figure("a command alone: time to its end, 95th percentile", "us")
    for _ in range(ROUNDS):
        pairs = [
            (daemon.load(1, in_flight=1).clock, committing.load(1, in_flight=1).clock)
            for _ in range(ALONE)
        ]
        ours, floors = map(list, zip(*pairs, strict=True))
        mostly.add(median(ours), median(floors))
        worst.add(p95(ours) or 0.0, p95(floors) or 0.0)
    yield mostly
    yield worst
