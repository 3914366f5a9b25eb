"""One command as a graph: its goals, what each waits for, how it stands, when its actions ran.

It combines what the daemon reports, and decides nothing.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

from messages import wire
from messages.explaining import ActionReport, Explanation, GoalReport
from tools.observer.changes import Span

RUNNING, QUEUED, WAITING, ASKING = "running", "queued", "waiting", "asking"
CALM = frozenset({"success", "skipped", "planned", "cancelled", WAITING, QUEUED})
MOST_NODES = 250  # rendering runs in the daemon's own event loop


@dataclass(frozen=True)
class Node:
    """A goal of the command."""

    goal: str
    does: str
    words: str
    status: str
    waits_for: tuple[str, ...]
    spans: tuple[Span, ...]

    @property
    def ms(self) -> float | None:
        """How long its actions took together."""
        known = [span.ms for span in self.spans if span.ms is not None]
        return sum(known) if known else None


@dataclass(frozen=True)
class CommandGraph:
    """A command and its goals, at one moment."""

    explanation: Explanation
    status: str
    nodes: tuple[Node, ...]
    begin: float
    end: float

    @property
    def is_under_way(self) -> bool:
        return self.status in {RUNNING, QUEUED}

    @cached_property
    def shown_nodes(self) -> tuple[Node, ...]:
        """The goals to show, in order: if there are too many, urgent ones first."""
        if len(self.nodes) <= MOST_NODES:
            return self.nodes
        numbered = sorted(enumerate(self.nodes), key=lambda each: urgency_of(each[1]))
        return tuple(node for _, node in sorted(numbered[:MOST_NODES], key=itemgetter(0)))

    @cached_property
    def longest(self) -> float:
        """How many milliseconds the longest action took."""
        return max((span.ms or 0.0 for node in self.nodes for span in node.spans), default=0.0)

    @property
    def edges(self) -> list[tuple[str, str]]:
        """What leads to what; only goals that are shown."""
        known = {node.goal for node in self.shown_nodes}
        return [
            (source, node.goal)
            for node in self.shown_nodes
            for source in node.waits_for
            if source in known
        ]

    @property
    def is_timed(self) -> bool:
        """Tell whether it is known when its actions began, not only how long they took."""
        return all(span.start is not None for node in self.nodes for span in node.spans)

    def node(self, goal: str) -> Node | None:
        return next((node for node in self.nodes if node.goal == goal), None)

    @property
    def first_goal(self) -> str:
        """The goal to show first: what is asked about, has failed, was bound, or the first."""
        bound = {binding.goal for binding in self.explanation.bindings}
        ranked = sorted(self.shown_nodes, key=lambda node: rank_of(node, bound))
        return ranked[0].goal if ranked else ""


def rank_of(node: Node, bound: Iterable[str]) -> int:
    if node.status == ASKING:
        return 0
    if node.status in {"failed", "in_doubt", "partial"}:
        return 1
    return 2 if node.goal in bound else 3


def urgency_of(node: Node) -> int:
    """Rank goals for being shown: 0 needs attention, 2 does not."""
    if node.status in CALM:
        return 2
    return 1 if node.status == RUNNING else 0


def graph_of(
    explanation: Explanation,
    state: wire.State | None,
    moments: Mapping[str, Span],
    now: float | None = None,
) -> CommandGraph:
    """Put together what is known of a command."""
    status = explanation.status or (state.status if state is not None else None) or QUEUED
    asked = goals_asked_about(state)
    under_way = status in {RUNNING, QUEUED}
    spans = spans_by_goal(explanation.actions, moments, under_way=under_way)
    nodes = tuple(
        node_of(goal, spans.get(goal.goal, ()), asked=goal.goal in asked, under_way=under_way)
        for goal in explanation.understood
    )
    begin = explanation.accepted or 0.0
    end = (time.time() if now is None else now) if explanation.ended is None else explanation.ended
    return CommandGraph(explanation, status, nodes, begin, max(end, begin))


def node_of(goal: GoalReport, spans: Sequence[Span], *, asked: bool, under_way: bool) -> Node:
    status = ASKING if asked else goal_status(goal, spans, under_way=under_way)
    return Node(goal.goal, goal.does, goal.words, status, goal.waits_for, tuple(spans))


def goals_asked_about(state: wire.State | None) -> frozenset[str]:
    """Name the goals of a command that wait for a person."""
    if state is None:
        return frozenset()
    questions = {each.goal for each in state.questions}
    return frozenset(questions | {each.goal for each in state.approvals})


def goal_status(goal: GoalReport, spans: Sequence[Span], *, under_way: bool) -> str:
    """Give the status of a goal: as reported, else from its actions."""
    if goal.status:
        return goal.status
    if any(span.status == RUNNING for span in spans):
        return RUNNING
    if spans:
        return spans[-1].status
    return WAITING if under_way else "skipped"


def spans_by_goal(
    actions: Iterable[ActionReport], moments: Mapping[str, Span], *, under_way: bool
) -> dict[str, list[Span]]:
    """Give the attempts of every goal: from the trace, else from the explanation."""
    found: dict[str, list[Span]] = {}
    for span in moments.values():
        if under_way or span.status != RUNNING:
            found.setdefault(span.goal, []).append(span)
    traced = {span.action for spans in found.values() for span in spans}
    for done in actions:
        if done.action not in traced and (done.ms is not None or under_way):
            attempt = Span(done.goal, done.action, None, None, done.status, done.ms)
            found.setdefault(done.goal, []).append(attempt)
    return found
