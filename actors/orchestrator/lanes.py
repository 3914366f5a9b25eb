"""Lanes: in which page a branch of a command works.

A child goes on in its parent's lane. Of the branches that begin with an address of their own, the
first takes the page that the session shows, every other a page of its own; what begins without an
address is about the page that is shown.
"""

from collections.abc import Iterator

from actors.orchestrator.binding import rule_of
from actors.orchestrator.state import Node, Run, Step
from messages.executing import Leave

PAGE = "page"
SEPARATOR = "|"


def assign_lanes(run: Run) -> None:
    """Give every action on a page its lane."""
    shown = f"{run.submit.session}{SEPARATOR}"
    taken = False
    for node in run.nodes.values():
        rule = rule_of(run, node)
        if rule is None or PAGE not in rule.shares:
            continue
        inherited = next(lanes_above(run, node), None)
        if inherited is not None:
            node.lane = inherited
        elif taken and rule.opens:
            node.lane = f"{shown}{run.id}:{node.action.goal_id}"
            run.lanes.add(node.lane)
        else:
            node.lane, taken = shown, True


def lanes_above(run: Run, node: Node) -> Iterator[str]:
    """Give the lanes of what an action waits for, the nearest first."""
    waiting, seen = list(node.action.depends_on), set[str]()
    while waiting:
        name = waiting.pop(0)
        if name in seen or name not in run.nodes:
            continue
        seen.add(name)
        parent = run.nodes[name]
        if parent.lane:
            yield parent.lane
        waiting.extend(parent.action.depends_on)


def release_lane(run: Run, lane: str) -> list[Leave]:
    """Say that a lane is free, once nothing of its branch is left."""
    if lane not in run.lanes:
        return []
    rest = [
        node for node in run.nodes.values() if node.lane == lane and node.step is not Step.ENDED
    ]
    if rest:
        return []
    run.lanes.discard(lane)
    intent = next(node.action.intent for node in run.nodes.values() if node.lane == lane)
    return [Leave(run.id, intent, lane)]


def release_lanes(run: Run) -> list[Leave]:
    """Free all lanes of a command that has ended."""
    intents = {node.lane: node.action.intent for node in run.nodes.values()}
    freed = [Leave(run.id, intents[lane], lane) for lane in sorted(run.lanes)]
    run.lanes.clear()
    return freed
