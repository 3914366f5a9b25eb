"""The state of one command under way: its graph, node by node."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeAlias

from actors.orchestrator.places import Base, Placement, Tables
from actors.orchestrator.progress import Progress
from messages import commanding, wire
from messages.executing import WorldSeen
from messages.failures import Reveal
from messages.goals import Goal, MetaGoal
from messages.interpreting import Alternative
from messages.journaling import Story
from messages.message import Value
from messages.pages import Page
from messages.planning import PlansMade
from messages.plans import PlanGraph, PlannedAction, PlanResult
from messages.results import ActionResult, Code
from messages.targets import Failure, Recent, Success
from messages.trace import Trace
from messages.verbs import Role
from messages.worlds import World

TICK_SECONDS = 0.25
NOTHING_SEEN = World()
NOBODY = Recent()
Pins: TypeAlias = Mapping[str, Mapping[Role, Mapping[str, str]]]


class Step(Enum):
    """How far an action of the graph has come."""

    WAITING = auto()
    BINDING = auto()
    ASKING = auto()
    CHECKING = auto()
    GATHERING = auto()
    RUNNING = auto()
    RETRYING = auto()
    ENDED = auto()


@dataclass(slots=True)
class Asked:
    """A question that waits for an answer: the look it came of, the role and words it is about."""

    event: wire.Question
    look: str
    role: Role
    span: str


@dataclass(slots=True)
class Pending:
    """An action that waits for approval, exactly as it would be done, and all it is done to."""

    event: wire.ApprovalNeeded
    action: PlannedAction
    given: Mapping[str, Value]
    targets: tuple[wire.Concerned, ...]


@dataclass(slots=True)
class Doubted:
    """A question about the words themselves, what each answer means, and how long it stands."""

    event: wire.Question
    ways: tuple[Alternative, ...]
    polar: bool
    ticks: int


@dataclass(slots=True)
class Node:
    """One action of the graph: what it waits for, what was bound, what came of it.

    ``sight`` is the world in which its words are being bound; ``pinned`` are the things that a
    person chose, by look, role and words. An action on a set has ``members``, an action
    for each, done one after another; each of them knows the ``whole`` it is part of. On a web page
    it works in a ``lane``, and its words are bound on that ``page``; ``looks`` counts how often
    that was looked at in vain, ``reveals`` what was opened to see it, and ``used`` is what was
    used for that. What went stale is bound anew once, but never after it was ``approved``;
    by its ``mark`` is seen whether it is still what was shown then, and ``size`` is how many bytes
    it has. What needs the same approval is one ``group`` with its ``leader``. Of goals that belong
    together on a page, the first has those ``ahead`` of it that are still to be looked for. What a
    recipe does has a ``course``, and its steps know the node they are the ``course_of``. What was
    not done because a condition does not hold is ``unmet_before``.
    """

    action: PlannedAction
    waits_for: int
    step: Step = Step.WAITING
    bound: dict[str, Value] = field(default_factory=dict)
    sight: World = NOTHING_SEEN
    page: Page | None = None
    lane: str = ""
    looks: int = 0
    reveals: int = 0
    used: frozenset[Reveal] = frozenset()
    rebound: bool = False
    success: Success | None = None
    pinned: Pins | None = None
    asked: Asked | None = None
    pending: Pending | None = None
    approved: bool = False
    mark: str = ""
    size: int | None = None
    is_marked: bool = False
    vetoed: bool = False
    leader: "Node | None" = None
    group: tuple["Node", ...] = ()
    members: tuple["Node", ...] = ()
    whole: "Node | None" = None
    reveals_for: "Node | None" = None
    ahead: tuple[str, ...] | None = None
    course: Progress | None = None
    course_of: "Node | None" = None
    course_tried: bool = False
    refusal: Failure | None = None
    attempt: int = 0
    ticks: int = 0
    result: ActionResult | None = None
    failure_before: str | None = None
    unmet_before: bool = False


@dataclass(slots=True)
class Prepared:
    """How far a command is that waits for its turn: how it was read, and plans for a world."""

    reading: commanding.Answer | None = None
    seen: WorldSeen | None = None
    placement: Placement | None = None
    plans: PlansMade | None = None


@dataclass(slots=True)
class Run:
    """A command between its acceptance and its end; before its turn it is not due at all.

    A command that was under way when the daemon, or the Orchestrator, ended comes with its
    ``story``, and with what a person has ``told`` by action and role; ``under_way`` are the
    actions that an Orchestrator before this one had begun, and that had not ended when this one
    looked. ``life`` tells its questions from those that were asked before.
    ``stated`` are the goals as they were understood, ``understood`` the same with the places of
    their files. It stepped ``aside`` if it waits for
    approval while others of its session run; ``ruling`` is the approval that was given meanwhile,
    whether it allows, and whose word it is. ``vetoed`` are
    the goals that policy forbids, as far as that was known when they were planned. It ``undoes``
    another command, or none. Some things were ``marked`` for approval. It ``speaks`` if some goal
    has words that are still to be bound, or takes what another gave. It comes of a ``schedule``,
    for which kinds of approval were given (``approves``); ``rehearsed`` are the kinds that commands
    for later need, by the action that keeps them. A run that ``rehearses`` another's is not done.
    Some of its words were not written down if it ``is_withheld``. What a page had nothing for is
    read ``off_page`` once; until it is, ``refused_on_page`` is the action and its result, and from
    then on ``page_refusal`` is that result.
    While it waits for its turn it may be ``prepared``; plans that are still being made for a world
    that has changed since are ``outdated``.
    """

    id: str
    submit: wire.Submit
    tables: Tables
    trace: Trace
    client: str = ""
    undoes: str = ""
    schedule: str = ""
    approves: tuple[str, ...] = ()
    rehearsed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rehearses: str = ""
    due: float | None = None
    is_withheld: bool = False
    prepared: Prepared | None = None
    outdated: bool = False
    under_way: frozenset[str] = frozenset()
    story: Story | None = None
    told: dict[tuple[str, str], list[int | str]] = field(default_factory=dict)
    stated: MetaGoal | None = None
    understood: MetaGoal | None = None
    speaks: bool = False
    later: Mapping[str, Base] = field(default_factory=dict)
    plans: tuple[PlanResult, ...] = ()
    vetoed: frozenset[str] = frozenset()
    graph: PlanGraph | None = None
    nodes: dict[str, Node] = field(default_factory=dict)
    open: int = 0
    retrying: int = 0
    asked: int = 0
    life: str = ""
    left: tuple[str, ...] = ()
    doubt: Doubted | None = None
    recent: Recent = NOBODY
    on_page: bool = False
    off_page: bool = False
    refused_on_page: tuple[str, ActionResult] | None = None
    page_refusal: ActionResult | None = None
    weight: int = 0
    marked: bool = False
    repeated: set[tuple[str, str]] = field(default_factory=set)
    lanes: set[str] = field(default_factory=set)
    step_goals: dict[str, Goal] = field(default_factory=dict)
    stopped: Code | None = None
    aside: bool = False
    ruling: tuple[str, bool, str] | None = None
    finished: wire.Finished | None = None

    def new_id(self, kind: str) -> str:
        """Name a question or an approval; no other was ever named so."""
        self.asked += 1
        return f"{self.id}:{kind}{self.asked}{self.life}"

    def goal(self, goal_id: str) -> Goal:
        """Give a goal by its id, also that of a step of a recipe."""
        assert self.understood is not None
        if goal_id in self.step_goals:
            return self.step_goals[goal_id]
        return self.understood.goals[int(goal_id[1:])]
