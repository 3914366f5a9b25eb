"""Approval: what cannot easily be made good again waits until a person has seen it.

Pure. What is shown is exactly what would happen, to exactly the things that were bound; what is
allowed is that and nothing else, once. Only a client of the socket can allow it.
"""

from collections.abc import Mapping, Sequence

import msgspec

from actors.orchestrator.binding import goal_of, rule_of, targets_of
from actors.orchestrator.state import TICK_SECONDS, Node, Pending, Run, Step
from messages import wire
from messages.message import Value
from messages.plans import PlannedAction
from messages.rules import Rule

REFUSED = "it was not allowed"
MOST_SHOWN = 20


def kind_needed(run: Run, node: Node, arguments: Mapping[str, Value]) -> str | None:
    """Say which kind of approval an action needs; None if it needs none."""
    rule = rule_of(run, node)
    if (later := run.rehearsed.get(node.action.action_id)) is not None:
        return later[0] if later else None
    kind = kind_said(run, node)
    if kind is None and rule is not None and may_need(run, rule, arguments):
        kind = rule.approval
    return None if kind in run.approves else kind


def may_need(run: Run, rule: Rule, arguments: Mapping[str, Value]) -> bool:
    """Tell whether a rule asks for approval of an action with these arguments."""
    if rule.approval not in run.tables.approvals.kinds:
        return False
    return not rule.approval_when or bool(arguments.get(rule.approval_when))


def kinds_of(run: Run, action: PlannedAction) -> tuple[str, ...]:
    """Give the kind of approval that a planned action may need, before anything of it is bound."""
    node = Node(action, 0)
    rule = rule_of(run, node)
    said = kind_said(run, node)
    if said is not None:
        return (said,)
    needed = rule is not None and not rule.approval_seen and may_need(run, rule, action.args)
    return (rule.approval,) if rule is not None and needed else ()


def is_needed(run: Run, node: Node, *, sends: bool) -> bool:
    """Tell whether what needs approval needs it for this thing; ``sends`` is what its tool says."""
    rule = rule_of(run, node)
    seen = rule is None or not rule.approval_seen or sends
    return seen or kind_said(run, node) is not None


def kind_said(run: Run, node: Node) -> str | None:
    """Say which kind of approval an action needs because of the deed that its words ask for."""
    rule = rule_of(run, node)
    if rule is None or not rule.approval_words:
        return None
    said = next((phrase.text for phrase in goal_of(run, node).roles.values()), "")
    verb = said.casefold().partition(" ")[0].strip('"')
    kinds = (kind for kind, verbs in rule.approval_words.items() if verb in verbs)
    return next((kind for kind in kinds if kind in run.tables.approvals.kinds), None)


def ask_for(
    run: Run, node: Node, kind: str, action: PlannedAction, given: Mapping[str, Value]
) -> wire.ApprovalNeeded:
    """Show what would happen; the action waits for a yes."""
    seconds = run.tables.approvals.seconds
    others = (each for other in node.group for each in concerned(other, other.action, {}))
    targets = (*concerned(node, action, given), *others)
    sizes = [each.size for each in (node, *node.group)]
    event = wire.ApprovalNeeded(
        command=run.id,
        approval=run.new_id("a"),
        goal=action.goal_id,
        action=action.action_id,
        kind=kind,
        description="; ".join(
            [action.description, *(each.action.description for each in node.group)]
        ),
        targets=targets[:MOST_SHOWN],
        arguments={**action.args, **given},
        seconds=seconds,
        count=len(targets),
        size=None if None in sizes else sum(size for size in sizes if size is not None),
    )
    node.pending = Pending(event, action, given, targets)
    node.step = Step.ASKING
    node.ticks = int(seconds / TICK_SECONDS)
    run.retrying += 1
    if run.due is not None:
        run.due += seconds
    return event


def concerned(
    node: Node, action: PlannedAction, given: Mapping[str, Value]
) -> tuple[wire.Concerned, ...]:
    """Name the things that an action would be done to: those that were bound, else its path."""
    bound = [] if node.success is None else node.success.bindings
    things = [target for binding in bound for _, target in targets_of(binding)]
    if things:
        found = {thing.id: wire.Concerned(thing.id, thing.name) for thing in things}
        return tuple(found.values())
    path = {**action.args, **given}.get("path")
    return (wire.Concerned(path, path),) if isinstance(path, str) else ()


def awaiting(run: Run, approval: str | None = None) -> Node | None:
    """Find the action that waits for an approval: for this one, or for any."""
    for node in run.nodes.values():
        pending = node.pending if node.step is Step.ASKING else None
        if pending is not None and approval in {None, pending.event.approval}:
            return node
    return None


def open_approvals(run: Run, *, in_full: bool = False) -> Sequence[wire.ApprovalNeeded]:
    """Give all the approvals that are waited for; ``in_full`` with all that they are about."""
    waiting = (node.pending for node in run.nodes.values() if node.step is Step.ASKING)
    return tuple(
        msgspec.structs.replace(pending.event, targets=pending.targets)
        if in_full
        else pending.event
        for pending in waiting
        if pending is not None
    )
