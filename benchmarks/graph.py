"""Graphs of 1,000 no-ops, executed by the real Orchestrator and Executor, traces and events on.

The floor is the least that can run such a graph: a task per node and a countdown, on asyncio's own
loop. The actors run on the loop of the daemon (docs/decisions/0012). Three
shapes, because each is slow in its own way: in a wide one all is ready at once, in a deep one each
step waits for the one before, and a random one is between the two.
"""

import asyncio
import gc
import random
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

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
from tools.memory import settle_memory
from tools.settings import Settings
from tools.tool import Params, Tool
from tools.worlds import Machine

NODES, WIDTH = 1_000, 10


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


Parents: TypeAlias = Mapping[int, tuple[int, ...]]


def drafts(parents: Parents) -> tuple[GoalDraft, ...]:
    """Make the goals of a graph: each waits for its parents."""
    params = {"target": "time"}
    return tuple(
        GoalDraft(
            "system",
            "get",
            params,
            scope=tuple(f"after:g{parent}" for parent in parents.get(index, ())) or "root",
        )
        for index in range(NODES)
    )


def layered() -> Parents:
    """Let every node after the first ten wait for two of the layer before."""
    return {
        index: tuple(sorted({index - WIDTH, (index // WIDTH - 1) * WIDTH + (index + 1) % WIDTH}))
        for index in range(WIDTH, NODES)
    }


def scattered() -> Parents:
    """Let every node wait for up to three of those before it, whichever they are."""
    choice = random.Random(1)  # noqa: S311 - the same graph in every run
    return {
        index: tuple(sorted({choice.randrange(index) for _ in range(choice.randrange(4))}))
        for index in range(1, NODES)
    }


SHAPES: Mapping[str, Parents] = {
    "wide": {},
    "deep": {index: (index - 1,) for index in range(1, NODES)},
    "random": scattered(),
    "layered": layered(),
}


@dataclass
class Stopwatch:
    """Publishes events like the switchboard, and notes when the graph began and ended."""

    board: Switchboard = field(default_factory=Switchboard)
    began: float = 0.0
    ended: anyio.Event = field(default_factory=anyio.Event)
    took: float = 0.0

    def publish(self, *events: wire.CommandEvent) -> None:
        # By type, as what is measured does it: what the stopwatch itself costs is counted, too.
        self.board.publish(*events)
        last = events[-1]
        if type(last) is wire.Planned:
            self.began = time.process_time()
        if type(last) is wire.Finished:
            self.took = time.process_time() - self.began
            assert last.status == "success"
            self.ended.set()

    def followed(self) -> tuple[str, ...]:
        return ()


def our_cost(parents: Parents) -> float:
    """Run a graph; give the CPU time of its execution per node, in microseconds."""
    return anyio.run(run_graph, drafts(parents), backend_options=run.loop_options())


async def run_graph(goals: tuple[GoalDraft, ...]) -> float:
    trace_log = TraceLog(lambda _line: None, span_ids())
    configure(trace_log)
    machine = Machine((NO_OP,), {}, NoApps(), {}, "/")
    stopwatch = Stopwatch()
    stopwatch.board.attach("graph", Outbox(1 << 30))
    with ExitStack() as boxes:
        parts = run.compose(Settings(), machine, trace_log, boxes, events=stopwatch)
        settle_memory()  # as the daemon does when all its tables are loaded
        async with anyio.create_task_group() as tasks:
            for service in parts.services:
                tasks.start_soon(service)
            await anyio.lowlevel.checkpoint()
            await parts.orchestrator.tell(Admit(wire.Submit("graph", goals=goals)))
            await stopwatch.ended.wait()
            tasks.cancel_scope.cancel()
    gc.unfreeze()
    return stopwatch.took / NODES * 1e6


def floor_cost(parents: Parents) -> float:
    """Run the same graph by hand."""
    return asyncio.run(count_down(parents))


async def count_down(parents: Parents) -> float:
    waits = {index: len(parents.get(index, ())) for index in range(NODES)}
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
        for index in [index for index, left in waits.items() if not left]:
            tasks.create_task(node(index))
    return (time.process_time() - before) / NODES * 1e6


def figures() -> Iterator[Figure]:
    """Measure the graphs."""
    settle_memory()  # the collector is set as the daemon sets it, for the floor as well
    for name, parents in SHAPES.items():
        figure = Figure(f"a node of a {name} graph of 1,000: CPU", "us", Budget(2.5))
        yield figure.measure(partial(our_cost, parents), partial(floor_cost, parents))
