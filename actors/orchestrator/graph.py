"""From plan results to the graph of actions: who waits for whom."""

from collections.abc import Iterable

from messages.plans import PlanGraph, PlannedAction, PlanResult


def build_graph(results: Iterable[PlanResult]) -> PlanGraph:
    """Collect the actions of all plans; goals merged into one action share its node."""
    nodes: dict[str, PlannedAction] = {}
    for result in results:
        if result.plan is not None:
            nodes.update((action.action_id, action) for action in result.plan.actions)
    children: dict[str, list[str]] = {}
    for action in nodes.values():
        for parent in action.depends_on:
            if parent in nodes:  # what was refused after planning has none
                children.setdefault(parent, []).append(action.action_id)
    adjacency = {parent: tuple(waiting) for parent, waiting in children.items()}
    return PlanGraph(nodes, adjacency)


def goal_layers(graph: PlanGraph) -> tuple[tuple[str, ...], ...]:
    """Give the layers as a person reads them: goals instead of actions."""
    return tuple(
        tuple(dict.fromkeys(graph.nodes[action].goal_id for action in layer))
        for layer in graph.layers()
    )
