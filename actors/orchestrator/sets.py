"""An action on several things: an action for each, and one result for all of them."""

from collections.abc import Mapping, Sequence

import msgspec

from actors.orchestrator.binding import late_arguments, values
from actors.orchestrator.outcomes import outputs
from actors.orchestrator.state import Node, Run
from messages.message import Value
from messages.results import ActionResult, Code


def members_of(run: Run, node: Node) -> tuple[Node, ...]:
    """Make the actions for the members of a set."""
    success = node.success
    assert success is not None
    bounds = values(run, node, success, success.bindings)
    numbered = enumerate(success.bindings, start=1)
    return tuple(
        Node(
            msgspec.structs.replace(
                node.action, action_id=f"{node.action.action_id}.{number}", depends_on=()
            ),
            0,
            success=msgspec.structs.replace(success, bindings=(binding,)),
            whole=node,
            lane=node.lane,
            bound={**node.bound, **bound},
        )
        for (number, binding), bound in zip(numbered, bounds, strict=True)
    )


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
