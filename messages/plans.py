"""What will be done: world state and capabilities in, checked plans and their graph out.

The constructors refuse what the planner's contract calls a violation, so a message that
exists is a plan that holds together.
"""

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Literal, TypeAlias

from messages.failures import Details
from messages.message import Data, Value, freeze
from messages.phrases import Phrase
from messages.results import ActionResult, Code

ActionClass: TypeAlias = Literal["observe", "actuate"]
PlanStatus: TypeAlias = Literal[
    "success", "partial", "rule_not_found", "validation_failed", "blocked", "no_capability"
]


class Fact(Data, frozen=True):
    """Something the Executor saw to be true after an action."""

    effect: str
    action_id: str
    command_id: str


class WorldState(Data, frozen=True):
    """A read-only snapshot of the world. Planning projects it; only the Executor renews it."""

    browser_running: bool = False
    browser_last_url: str | None = None
    active_window: str | None = None
    running_apps: frozenset[str] = frozenset()
    recent_facts: tuple[Fact, ...] = ()


class ToolCapability(Data, frozen=True):
    """What a tool can do: templates over an action's arguments, such as ``app_running:{name}``."""

    name: str
    can_achieve: frozenset[str]
    requires: frozenset[str] = frozenset()
    effects: frozenset[str] = frozenset()


class PlannedAction(Data, frozen=True):
    """One checked action. ``args`` are authoritative: a tool receives them and what was bound.

    ``binds`` says which parameter each of the ``roles`` supplies once it is bound; ``speaks`` if
    the action has words that are still to be bound. ``takes`` names the goals whose output is the
    value of a parameter.
    """

    action_id: str
    goal_id: str
    intent: str
    description: str
    args: Mapping[str, Value]
    action_class: ActionClass
    achieves: str
    expected_effect: str
    depends_on: tuple[str, ...] = ()
    roles: Mapping[str, Phrase] = {}
    binds: Mapping[str, str] = {}
    speaks: bool = False
    repeatable: bool = False
    takes: Mapping[str, str] = {}

    def __post_init__(self) -> None:
        freeze(self, "args", "roles", "binds", "takes")


class Plan(Data, frozen=True):
    """The actions that achieve one goal, the last of them named."""

    actions: tuple[PlannedAction, ...]
    goal_achieved_by: str
    total_actions: int

    def __post_init__(self) -> None:
        ids = {action.action_id for action in self.actions}
        if self.total_actions != len(self.actions):
            count = len(self.actions)
            raise ValueError(f"total_actions is {self.total_actions}, the plan has {count}")
        if self.goal_achieved_by not in ids:
            raise ValueError(f"goal_achieved_by {self.goal_achieved_by!r} is no action of the plan")
        if len(ids) != len(self.actions):
            raise ValueError(f"action ids are not unique: {sorted(ids)}")
        inner = {
            action.action_id: ids.intersection(action.depends_on)
            for action in self.actions
            if action.depends_on
        }
        if any(inner.values()):
            refuse_cycle(inner)


class PlanResult(Data, frozen=True):
    """What planning one goal came to. Goals merged into one action share its plan.

    ``code`` says more exactly than the status why there is no plan, where that is known.
    """

    goal_id: str
    status: PlanStatus
    plan: Plan | None = None
    reason: str | None = None
    blocker: str | None = None
    unmet: tuple[str, ...] = ()
    code: Code | None = None
    details: Details | None = None

    def __post_init__(self) -> None:
        runs = self.status in {"success", "partial"}
        if runs and (self.plan is None or not self.plan.actions):
            raise ValueError(f"{self.status} needs a plan with actions")
        if not runs and self.plan is not None:
            raise ValueError(f"{self.status} cannot carry a plan")
        if self.status != "success" and not self.reason:
            raise ValueError(f"{self.status} needs a reason")
        if (self.status == "partial") != bool(self.unmet):
            raise ValueError("partial, and only partial, names what is unmet")
        if self.status == "blocked" and not self.blocker:
            raise ValueError("blocked names its blocker")


class PlanGraph(Data, frozen=True):
    """All actions of a command; ``adjacency`` leads from parent to children."""

    nodes: Mapping[str, PlannedAction]
    adjacency: Mapping[str, tuple[str, ...]] = {}
    results: Mapping[str, ActionResult] = {}

    def __post_init__(self) -> None:
        nodes = self.nodes
        for parent, children in self.adjacency.items():
            if parent not in nodes or not all(child in nodes for child in children):
                unknown = sorted({parent, *children} - nodes.keys())
                raise ValueError(f"adjacency names actions that do not exist: {unknown}")
        if self.adjacency:
            refuse_cycle(self.adjacency)

    def parents(self) -> dict[str, set[str]]:
        """Turn adjacency around: for every action the actions it waits for."""
        waits: dict[str, set[str]] = {node: set() for node in self.nodes}
        for parent, children in self.adjacency.items():
            for child in children:
                waits[child].add(parent)
        return waits

    def layers(self) -> tuple[tuple[str, ...], ...]:
        """Give the actions in layers: each depends only on actions in layers before its own."""
        if not self.adjacency:
            return (tuple(self.nodes),) if self.nodes else ()
        sorter = TopologicalSorter(self.parents())
        sorter.prepare()
        layers = []
        order = {node: index for index, node in enumerate(self.nodes)}
        while sorter.is_active():
            ready = sorted(sorter.get_ready(), key=order.__getitem__)
            layers.append(tuple(ready))
            sorter.done(*ready)
        return tuple(layers)


def refuse_cycle(arrows: Mapping[str, Iterable[str]]) -> None:
    """Raise ``ValueError`` if following the arrows leads back to the start."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        raise ValueError(f"actions depend on each other in a circle: {error.args[1]}") from None
