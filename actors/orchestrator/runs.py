"""One command under way, as a state machine without a loop: a message in, what to do out.

``advance`` decides and changes only the run it was given; it sends nothing, waits for nothing
and reads no clock. The Orchestrator carries out what it returns.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, assert_never

from actors.orchestrator.graph import build_graph, goal_layers
from actors.orchestrator.outcomes import conclude, finish
from actors.orchestrator.places import Base, Named, Nowhere, PathOf, WithinGoal, joined, place
from actors.orchestrator.state import Node, Run, Step
from messages import commanding, wire
from messages.executing import Abort, Look, Perform, Performed, Seen, Survey, Surveyed
from messages.goals import Phrase
from messages.interpreting import Interpret, Interpreted, NotUnderstood
from messages.message import Value
from messages.planning import MakePlans, PlansMade
from messages.plans import PlanResult
from messages.results import ActionResult, Code, CommandStatus
from messages.targets import Bound, NotBound, Resolve

Effect: TypeAlias = commanding.OwnRequest | Abort | wire.CommandEvent

MAX_ATTEMPTS = 3


def begin(run: Run) -> Sequence[Effect]:
    """Ask for the command to be understood."""
    return [Interpret(run.id, run.submit.text, run.submit.goals or ())]


def advance(run: Run, message: commanding.Answer) -> Sequence[Effect]:
    """Take one answer and say what is to be done now."""
    if run.finished is not None:
        return []
    match message:
        case Performed():
            return performed(run, message)
        case PlansMade():
            return planned(run, message)
        case Surveyed():
            return surveyed(run, message)
        case Interpreted():
            return understood(run, message)
        case NotUnderstood(_, span, reason, suggestions):
            code = Code.NOT_UNDERSTOOD
            return finish(run, "failed", code, reason, span=span, suggestions=suggestions)
        case Seen():
            return seen(run, message)
        case Bound():
            return bound(run, message)
        case NotBound():
            result = ActionResult(message.action_id, "failed", message.code, message.message)
            return ended(run, run.nodes[message.action_id], result)
        case commanding.NoAnswer():
            return unanswered(run, message)
        case unknown:
            assert_never(unknown)


def broken(run: Run, error: Exception) -> Sequence[Effect]:
    """End a command that could not be decided on; the defect is logged, others go on."""
    message = f"a defect: {error!r}; what had started may or may not have happened"
    run.finished = wire.Finished(run.id, "in_doubt", (), Code.CRASHED, message)
    return [Abort(run.id), run.finished]


# Before anything runs


def understood(run: Run, message: Interpreted) -> Sequence[Effect]:
    """The words have a meaning: look at the parts of the world they speak of."""
    run.understood = message.meta
    domains = frozenset(goal.domain for goal in message.meta.goals)
    event = wire.Interpreted(run.id, message.meta, message.warnings)
    return [event, Survey(run.id, domains)]


def surveyed(run: Run, message: Surveyed) -> Sequence[Effect]:
    """The world is known: give files their places and have every goal planned."""
    assert run.understood is not None
    placement = place(run.understood, run.tables)
    run.understood = placement.meta
    run.later = placement.later
    return [MakePlans(run.id, placement.meta, message.world, message.capabilities)]


def planned(run: Run, message: PlansMade) -> Sequence[Effect]:
    """Every goal is planned: run the graph, unless a goal cannot be carried out."""
    run.plans = message.results
    if run.later:
        run.plans = tuple(without_place(result, run.later) for result in message.results)
    whole = all(plan.status == "success" for plan in run.plans)
    if not whole and not run.submit.allow_partial:
        return finish(run, "failed", *refusal(run.plans))
    run.graph = build_graph(run.plans)
    event = wire.Planned(run.id, run.graph, goal_layers(run.graph))
    if run.submit.mode == "plan":
        status: CommandStatus = "success" if whole else "partial" if run.graph.nodes else "failed"
        return [event, *finish(run, status)]
    run.nodes = {
        name: Node(action, len(action.depends_on)) for name, action in run.graph.nodes.items()
    }
    run.open = len(run.nodes)
    if not whole:
        skip_unplanned(run)
    effects: list[Effect] = [event]
    for node in run.nodes.values():
        if node.waits_for == 0 and node.step is Step.WAITING:
            effects.extend(start(run, node))
    if run.open or run.finished is not None:
        return effects
    return [*effects, *conclude(run)]


def without_place(result: PlanResult, later: Mapping[str, Base]) -> PlanResult:
    """Refuse a goal whose anchor does not exist."""
    base = later.get(result.goal_id)
    if not isinstance(base, Nowhere) or result.status not in {"success", "partial"}:
        return result
    return PlanResult(result.goal_id, "blocked", reason=base.reason, blocker=base.blocker)


def refusal(plans: Iterable[PlanResult]) -> tuple[Code, str]:
    """Name the first goal that cannot be carried out, and why."""
    culprit = next(plan for plan in plans if plan.status != "success")
    return Code(culprit.status.upper()), f"{culprit.goal_id}: {culprit.reason}"


def skip_unplanned(run: Run) -> None:
    """With ``allow_partial``: skip the goals that wait for one without a plan."""
    assert run.understood is not None
    unplanned = {index for index, plan in enumerate(run.plans) if plan.plan is None}
    for index, plan in enumerate(run.plans):
        parents = unplanned.intersection(run.understood.parents(index))
        if plan.plan is None or not parents:
            continue
        reason = f"g{min(parents)} cannot be carried out"
        for action in plan.plan.actions:
            skip(run, run.nodes[action.action_id], reason)


# Binding and acting


def start(run: Run, node: Node) -> Sequence[Effect]:
    """Bind what is still words, then act."""
    action = node.action
    words = action.roles or run.later  # nearly all actions have everything they need
    if words and (wanted := unbound(run, node)) is not None:
        node.step = Step.BINDING
        role, _, within = wanted
        return [Look(run.id, action, role, within)]
    base = run.later.get(action.goal_id) if words else None
    if isinstance(base, WithinGoal | PathOf) and made_by(run, base.goal_id) is None:
        reason = f"{base.goal_id} did not say where it put what it made"
        return settled(
            run, node, ActionResult(action.action_id, "failed", Code.NOT_FEASIBLE, reason)
        )
    node.step = Step.RUNNING
    node.attempt += 1
    event = wire.ActionStarted(
        run.id, action.goal_id, action.action_id, action.description, node.attempt
    )
    return [event, Perform(run.id, action, injected(run, node) if words else node.bound)]


def unbound(run: Run, node: Node) -> tuple[str, Phrase, str] | None:
    """Give the next role of an action that is not bound yet, and where to look for it."""
    base = run.later.get(node.action.goal_id)
    if isinstance(base, Named) and "inside" not in node.bound:
        return "inside", base.phrase, base.within
    for role, phrase in node.action.roles.items():
        if role not in node.bound:
            return role, phrase, ""
    return None


def seen(run: Run, message: Seen) -> Sequence[Effect]:
    """The candidates are known: ask which of them the words mean."""
    node = run.nodes[message.action_id]
    wanted = unbound(run, node)
    if node.step is not Step.BINDING or wanted is None:
        return []
    role, phrase, _ = wanted
    return [Resolve(run.id, message.action_id, role, phrase, message.candidates)]


def bound(run: Run, message: Bound) -> Sequence[Effect]:
    """One role is bound: go on with the next, or act."""
    node = run.nodes[message.action_id]
    if node.step is not Step.BINDING:
        return []
    node.bound[message.role] = message.target.id
    event = wire.Resolved(
        run.id,
        node.action.goal_id,
        message.action_id,
        message.role,
        message.target.id,
        message.target.name,
    )
    return [event, *start(run, node)]


def injected(run: Run, node: Node) -> dict[str, Value]:
    """Give what is authoritative and was not known when the action was planned."""
    binds = node.action.binds
    values = {binds.get(role, role): target for role, target in node.bound.items()}
    folder = values.pop("inside", None)
    base = run.later.get(node.action.goal_id)
    if isinstance(base, PathOf):
        return {**values, "path": made_by(run, base.goal_id)}
    if isinstance(base, WithinGoal):
        folder = made_by(run, base.goal_id)
    if folder is None:
        return values
    return {**values, "path": joined(str(folder), str(node.action.args.get("name", ".")))}


def made_by(run: Run, goal_id: str) -> str | None:
    """Give the path that a goal made, as its tool reported it."""
    for node in run.nodes.values():
        if node.action.goal_id == goal_id and node.result is not None:
            output = node.result.output
            if isinstance(output, Mapping) and isinstance(path := output.get("path"), str):
                return path
    return None


def performed(run: Run, message: Performed) -> Sequence[Effect]:
    """An action ended: try again if that is safe and may help, else go on from its result."""
    node = run.nodes[message.result.action]
    if node.step is not Step.RUNNING:
        return []
    failed = message.result.status == "failed"
    again = failed and message.transient and node.action.repeatable and run.stopped is None
    if again and node.attempt < MAX_ATTEMPTS:
        node.step = Step.RETRYING
        node.ticks = node.attempt
        run.retrying += 1
        return [finished_event(run, node, message.result)]
    return ended(run, node, message.result)


def ended(run: Run, node: Node, result: ActionResult) -> Sequence[Effect]:
    """Settle a node's result, and conclude if it was the last."""
    effects = settled(run, node, result)
    if run.open or run.finished is not None:
        return effects
    return [*effects, *conclude(run)]


def settled(run: Run, node: Node, result: ActionResult) -> list[Effect]:
    """Note a node's result; release its children, or skip them."""
    if node.step is Step.ENDED:
        return []
    node.step = Step.ENDED
    node.result = result
    run.open -= 1
    effects: list[Effect] = [finished_event(run, node, result)]
    assert run.graph is not None
    for name in run.graph.adjacency.get(node.action.action_id, ()):
        child = run.nodes[name]
        child.waits_for -= 1
        if result.status != "success":
            why = result.message or result.code or result.status
            skip(run, child, f"{node.action.goal_id} {result.status}: {why}")
        elif child.waits_for == 0 and child.step is Step.WAITING:
            if run.stopped is None:
                effects.extend(start(run, child))
            else:
                skip(run, child, None)
    return effects


def finished_event(run: Run, node: Node, result: ActionResult) -> wire.ActionFinished:
    return wire.ActionFinished(
        run.id,
        node.action.goal_id,
        node.action.action_id,
        result.status,
        result.code,
        result.message,
        result.verified,
    )


def skip(run: Run, node: Node, failure: str | None) -> None:
    """Skip an action that never started, and all that wait for it; no failure means: stopped."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.step is not Step.WAITING:
            continue
        node.step = Step.ENDED
        node.failure_before = failure
        run.open -= 1
        assert run.graph is not None
        children = run.graph.adjacency.get(node.action.action_id, ())
        waiting.extend(run.nodes[child] for child in children)


# Interruptions


def stop(run: Run, code: Code, *, abort: bool = True) -> Sequence[Effect]:
    """Start nothing more; with ``abort``, also stop what is under way."""
    if run.finished is not None or (run.stopped is not None and not abort):
        return ()
    run.stopped = code
    for node in run.nodes.values():
        if node.step in {Step.BINDING, Step.RETRYING}:
            node.step = Step.WAITING
        skip(run, node, None)
    run.retrying = 0
    if run.open == 0:
        return conclude(run)
    return [Abort(run.id)] if abort else []


def abandon(run: Run) -> Sequence[Effect]:
    """End a command whose actions did not stop in time: what became of them is not known."""
    effects: list[Effect] = []
    for node in run.nodes.values():
        if node.step is Step.RUNNING:
            reason = "it did not stop in time; it may or may not have happened"
            result = ActionResult(node.action.action_id, "in_doubt", run.stopped, reason)
            node.result, node.step = result, Step.ENDED
            effects.append(finished_event(run, node, result))
    return [*effects, *conclude(run)]


def tick(run: Run) -> Sequence[Effect]:
    """Let a turn of the clock pass: retries come due."""
    effects: list[Effect] = []
    for node in run.nodes.values():
        if node.step is Step.RETRYING:
            node.ticks -= 1
            if node.ticks <= 0:
                run.retrying -= 1
                effects.extend(start(run, node))
    return effects


def unanswered(run: Run, message: commanding.NoAnswer) -> Sequence[Effect]:
    """Whoever was asked crashed: ask pure actors once more; an action only if that is safe."""
    request = message.request
    match request:
        case Perform(action=action):
            return doubtful(run, run.nodes[action.action_id])
        case Look(action=action):
            concerned = action.action_id
        case Resolve(action_id=action_id):
            concerned = action_id
        case _:
            concerned = ""
    what = type(request).__name__
    if (what, concerned) not in run.repeated:
        run.repeated.add((what, concerned))
        return [request]
    reason = f"{what} crashed twice on this"
    if concerned:
        result = ActionResult(concerned, "failed", Code.CRASHED, reason)
        return ended(run, run.nodes[concerned], result)
    return finish(run, "failed", Code.CRASHED, reason)


def doubtful(run: Run, node: Node) -> Sequence[Effect]:
    """An action was under way when the Executor crashed."""
    message = "the executor crashed while this was under way; it may or may not have happened"
    result = ActionResult(node.action.action_id, "in_doubt", Code.CRASHED, message)
    if node.action.repeatable and node.attempt < MAX_ATTEMPTS and run.stopped is None:
        return [finished_event(run, node, result), *start(run, node)]
    return ended(run, node, result)
