"""From plan results to the graph of actions: who waits for whom."""

from collections.abc import Iterable

from messages.plans import PlanGraph, PlanResult


def build_graph(results: Iterable[PlanResult]) -> PlanGraph:
    """Collect the actions of all plans; goals merged into one action share its node."""
    plans = [result.plan for result in results if result.plan is not None]
    nodes = {action.action_id: action for plan in plans for action in plan.actions}
    children: dict[str, list[str]] = {}
    for action in nodes.values():
        for parent in action.depends_on:
            if parent in nodes:  # what was refused after planning has none
                children.setdefault(parent, []).append(action.action_id)
    adjacency = {parent: tuple(waiting) for parent, waiting in children.items()}
    return PlanGraph(nodes, adjacency)


def goal_layers(graph: PlanGraph) -> tuple[tuple[str, ...], ...]:
    """Give the layers as a person reads them: goals instead of actions."""
    nodes = graph.nodes
    return tuple(
        [
            tuple(dict.fromkeys([nodes[action].goal_id for action in layer]))
            for layer in graph.layers()
        ]
    )
