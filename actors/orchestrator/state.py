"""The state of one command under way: its graph, node by node."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from actors.orchestrator.places import Base, Tables
from messages import wire
from messages.goals import MetaGoal
from messages.message import Value
from messages.plans import PlanGraph, PlannedAction, PlanResult
from messages.results import ActionResult, Code
from messages.trace import Trace


class Step(Enum):
    """How far an action of the graph has come."""

    WAITING = auto()
    BINDING = auto()
    RUNNING = auto()
    RETRYING = auto()
    ENDED = auto()


@dataclass(slots=True)
class Node:
    """One action of the graph: what it waits for, what was bound, what came of it."""

    action: PlannedAction
    waits_for: int
    step: Step = Step.WAITING
    bound: dict[str, Value] = field(default_factory=dict)
    attempt: int = 0
    ticks: int = 0
    result: ActionResult | None = None
    failure_before: str | None = None


@dataclass(slots=True)
class Run:
    """A command between its acceptance and its end; before its turn it is not due at all."""

    id: str
    submit: wire.Submit
    tables: Tables
    trace: Trace
    due: float | None = None
    understood: MetaGoal | None = None
    later: Mapping[str, Base] = field(default_factory=dict)
    plans: tuple[PlanResult, ...] = ()
    graph: PlanGraph | None = None
    nodes: dict[str, Node] = field(default_factory=dict)
    open: int = 0
    retrying: int = 0
    repeated: set[tuple[str, str]] = field(default_factory=set)
    stopped: Code | None = None
    finished: wire.Finished | None = None
