"""One approval for all actions of a command that need the same one: a list, and one yes or no.

Pure. The first that wants approval leads; those that could follow it at once, with nothing else in
between, are checked and marked as well before anybody is asked.
"""

from collections.abc import Sequence

from actors.orchestrator.approving import kind_needed
from actors.orchestrator.binding import late_arguments, rule_of
from actors.orchestrator.early_checks import is_all_planned
from actors.orchestrator.state import Node, Run, Step
from messages.executing import Check, Checked, Marked


def gather_group(run: Run, leader: Node, kind: str) -> list[Check]:
    """Let other actions join the approval of one; give the checks that are still to be made."""
    if leader.members or leader.group:
        return []
    group: list[Node] = []
    named = {leader.action.action_id}
    for node in run.nodes.values():
        if node is leader:
            continue
        if may_join(run, node, kind) and follows_only(run, node, named):
            group.append(node)
            named.add(node.action.action_id)
    for node in group:
        node.leader = leader
    leader.group = tuple(group)
    waiting = [node for node in group if node.step is Step.WAITING]
    return [Check(run.id, node.action, ({},)) for node in waiting]


def may_join(run: Run, node: Node, kind: str) -> bool:
    """Tell whether an action needs this approval, and all of it is known already."""
    if node.step not in {Step.WAITING, Step.CHECKING} or node.leader is not None or node.approved:
        return False
    rule = rule_of(run, node)
    plain = not (node.lane or node.whole or node.members or node.group)
    if not plain or rule is None or rule.approval_seen or not is_all_planned(run, node.action):
        return False
    return kind_needed(run, node, node.action.args) == kind


def follows_only(run: Run, node: Node, named: set[str]) -> bool:
    """Tell whether an action waits for nothing but what is done, or in the same group."""
    for parent in node.action.depends_on:
        before = run.nodes.get(parent)
        if parent not in named and (before is None or before.step is not Step.ENDED):
            return False
    return True


def join_group(node: Node, message: Checked) -> Node | None:
    """Note the check of one of a group; give its leader if that was the last to be waited for.

    What cannot be done leaves the group, and is told when its turn comes.
    """
    leader = node.leader
    assert leader is not None
    if message.refused is not None:
        leader.group = tuple(each for each in leader.group if each is not node)
        node.leader = None
    else:
        node.mark, node.is_marked = message.marks[0], True
    return leader if is_complete(leader) else None


def is_complete(leader: Node) -> bool:
    """Tell whether all of a group were checked."""
    return all(node.is_marked for node in leader.group)


def marked_beside(run: Run, node: Node) -> tuple[Marked, ...]:
    """Give the other actions of a command that were marked, and whose things this one may change.

    Only where both name a path, for whole sets are marked member by member.
    """
    if node.whole is not None:
        return ()
    path = path_of(run, node)
    others = [
        each
        for each in run.nodes.values()
        if each is not node and each.mark and each.whole is None and each.step is not Step.ENDED
    ]
    return tuple(
        Marked(each.action, late_arguments(run, each), each.mark)
        for each in others
        if is_near(path, path_of(run, each))
    )


def path_of(run: Run, node: Node) -> str:
    """Give the path that an action works on; "" if it names none."""
    path = {**node.action.args, **late_arguments(run, node)}.get("path")
    return path if isinstance(path, str) else ""


def is_near(one: str, other: str) -> bool:
    """Tell whether two paths are the same, or one leads through the other."""
    if not one or not other:
        return False
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")


def dissolve_group(leader: Node, *, allow: bool) -> Sequence[Node]:
    """Take the ruling for all of a group; give those of it that were about to act."""
    group, leader.group = leader.group, ()
    for node in group:
        node.leader, node.approved = None, allow
    return [node for node in group if node.step is Step.CHECKING]
