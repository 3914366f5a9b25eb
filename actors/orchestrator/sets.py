"""An action on several things: an action for each, and one result for all of them."""

from collections.abc import Mapping, Sequence

import msgspec

from actors.orchestrator.binding import late_arguments, values
from actors.orchestrator.outcomes import outputs
from actors.orchestrator.state import Node, Run
from messages.message import Value
from messages.results import ActionResult, Code
from messages.targets import Binding


def member_of(run: Run, node: Node, binding: Binding, number: int) -> Node:
    """Make the action for one member of a set."""
    assert node.success is not None
    success = msgspec.structs.replace(node.success, bindings=(binding,))
    action = msgspec.structs.replace(
        node.action, action_id=f"{node.action.action_id}.{number}", depends_on=()
    )
    member = Node(action, 0, success=success, whole=node, lane=node.lane)
    member.bound.update({**node.bound, **values(run, node, success, binding)})
    return member


def named(member: Node) -> str:
    """Name the thing that a member of a set is about."""
    assert member.success is not None
    binding = member.success.bindings[0]
    target = binding.direct_target or binding.indirect_target
    return "" if target is None else target.name


def all_arguments(run: Run, node: Node) -> Mapping[str, Value]:
    """Give the arguments of a set's first member: what is not bound is the same for all."""
    return {**node.action.args, **late_arguments(run, node.members[0])}


def summed(whole: Node, last: Node, done: Sequence[ActionResult]) -> ActionResult:
    """Make one result of those of a set's members."""
    action, result = whole.action.action_id, last.result
    if result is None or result.status != "success":
        status = "cancelled" if result is None else result.status
        good = sum(each.status == "success" for each in done)
        why = None if result is None else result.message
        reason = f"{named(last)}: {why}; {good} of {len(whole.members)} were done"
        output = outputs([each for each in done if each.status == "success"]) if good else None
        code = None if result is None else result.code
        return ActionResult(action, status, code, reason, output)
    if len(done) < len(whole.members):
        reason = f"{len(done)} of {len(whole.members)} were done"
        return ActionResult(action, "cancelled", Code.CANCELLED, reason)
    verified = all(each.verified for each in done)
    return ActionResult(action, "success", None, None, outputs(done), verified)
