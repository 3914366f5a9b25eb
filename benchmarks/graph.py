"""A graph of 1,000 no-ops, executed by the real Orchestrator and Executor, traces and events on.

The floor is the least that can run such a graph: an asyncio task per node and a countdown.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field

import anyio
import anyio.lowlevel

import run
from actors.gateway.outbox import Outbox
from actors.gateway.switchboard import Switchboard
from benchmarks.measuring import Budget, Figure
from messages import wire
from messages.commanding import Admit
from messages.executing import Done, Outcome
from messages.goals import GoalDraft
from tools.logs import TraceLog, configure, span_ids
from tools.settings import Settings
from tools.tool import Params, Tool
from tools.worlds import Machine

WIDTH, DEPTH = 10, 100


class Target(Params, frozen=True):
    target: str


def nothing(_params: Target) -> Outcome:
    return Done()


async def do_nothing(params: Target) -> Outcome:
    return nothing(params)


NO_OP = Tool(
    name="no_op",
    intent="system_query",
    achieves=frozenset({"system_get:time"}),
    params=Target,
    act=do_nothing,
    look=nothing,
)


class NoApps:
    live: frozenset[str] = frozenset()

    async def running_apps(self) -> frozenset[str]:
        return frozenset()

    async def active_window(self) -> str | None:
        return None


def drafts() -> tuple[GoalDraft, ...]:
    """Make a layered graph: every goal waits for two of the layer before."""
    params = {"target": "time"}
    first = [GoalDraft("system", "get", params) for _ in range(WIDTH)]
    later = [
        GoalDraft("system", "get", params, scope=tuple(f"after:g{parent}" for parent in parents))
        for parents in parents_of().values()
    ]
    return (*first, *later)


def parents_of() -> dict[int, tuple[int, ...]]:
    """Give, for every goal after the first layer, the goals it waits for."""
    return {
        index: tuple(sorted({index - WIDTH, (index // WIDTH - 1) * WIDTH + (index + 1) % WIDTH}))
        for index in range(WIDTH, WIDTH * DEPTH)
    }


@dataclass
class Stopwatch:
    """Publishes events like the switchboard, and notes when the graph began and ended."""

    board: Switchboard = field(default_factory=Switchboard)
    began: float = 0.0
    ended: anyio.Event = field(default_factory=anyio.Event)
    took: float = 0.0

    def publish(self, event: wire.CommandEvent) -> None:
        self.board.publish(event)
        # By type, as what is measured does it: what the stopwatch itself costs is counted, too.
        kind = type(event)
        if kind is wire.Planned:
            self.began = time.process_time()
        elif kind is wire.Finished:
            self.took = time.process_time() - self.began
            assert isinstance(event, wire.Finished)
            assert event.status == "success"
            self.ended.set()

    def followed(self) -> tuple[str, ...]:
        return ()


def our_cost() -> float:
    """Run the graph; give the CPU time of its execution per node, in microseconds."""
    return anyio.run(run_graph)


async def run_graph() -> float:
    trace_log = TraceLog(lambda _line: None, span_ids())
    configure(trace_log)
    machine = Machine((NO_OP,), {}, NoApps(), {}, "/")
    stopwatch = Stopwatch()
    stopwatch.board.attach("graph", Outbox(1 << 30))
    with ExitStack() as boxes:
        parts = run.compose(Settings(), machine, trace_log, boxes, events=stopwatch)
        async with anyio.create_task_group() as tasks:
            for service in parts.services:
                tasks.start_soon(service)
            await anyio.lowlevel.checkpoint()
            await parts.orchestrator.tell(Admit(wire.Submit("graph", goals=drafts())))
            await stopwatch.ended.wait()
            tasks.cancel_scope.cancel()
    return stopwatch.took / (WIDTH * DEPTH) * 1e6


def floor_cost() -> float:
    """Run the same graph by hand."""
    return asyncio.run(count_down(parents_of()))


async def count_down(parents: Mapping[int, tuple[int, ...]]) -> float:
    waits = {index: len(parents.get(index, ())) for index in range(WIDTH * DEPTH)}
    children: dict[int, list[int]] = {}
    for child, above in parents.items():
        for parent in above:
            children.setdefault(parent, []).append(child)

    async def node(index: int) -> None:
        for child in children.get(index, ()):
            waits[child] -= 1
            if waits[child] == 0:
                tasks.create_task(node(child))

    before = time.process_time()
    async with asyncio.TaskGroup() as tasks:
        for index in range(WIDTH):
            tasks.create_task(node(index))
    return (time.process_time() - before) / (WIDTH * DEPTH) * 1e6


def figures() -> Iterator[Figure]:
    """Measure the graph."""
    yield Figure("a node of a 1,000-node graph: CPU", "us", Budget(3.0)).measure(
        our_cost, floor_cost
    )
