"""One command under way, as a state machine without a loop: a message in, what to do out.

``advance`` decides and changes only the run it was given; it sends nothing, waits for nothing
and reads no clock. The Orchestrator carries out what it returns.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, assert_never

import msgspec

from actors.orchestrator import clarify
from actors.orchestrator.approving import REFUSED, ask_for, is_needed, kind_needed
from actors.orchestrator.asking import again, open_question, put_to_person, wait_for_answer
from actors.orchestrator.binding import (
    ANSWER,
    QUESTION_SECONDS,
    ask,
    goal_of,
    late_arguments,
    made_by,
    next_look,
    note_bound,
    number_seen_last,
    option_chosen,
    query_among_options,
    query_for,
    query_on_page,
    question_of,
    reading_of_choice,
    rule_of,
    unanswerable,
)
from actors.orchestrator.capture import Check as Capture
from actors.orchestrator.capture import first_veto
from actors.orchestrator.courses import (
    NOT_SAVED,
    SEARCH,
    course_done,
    course_failed,
    end_stage,
    goes_before_reveal,
    is_called,
    is_ready,
    is_saved,
    is_worth_trying,
    look_for_stage,
    missing,
    note_field,
    pass_over_way,
    plan_course,
    query_way,
    step_node,
    take_way,
    try_other_way,
    without_query,
)
from actors.orchestrator.dataflow import taken
from actors.orchestrator.early_checks import apply_policy, is_all_planned
from actors.orchestrator.exploring import choose_fold
from actors.orchestrator.graph import build_graph, goal_layers
from actors.orchestrator.grouping import (
    dissolve_group,
    gather_group,
    is_complete,
    join_group,
    marked_beside,
)
from actors.orchestrator.lanes import assign_lanes, release_lane
from actors.orchestrator.looking_ahead import (
    is_missing,
    look_ahead,
    look_once_more,
    pass_ahead,
    refusal_of,
)
from actors.orchestrator.off_page import (
    begin_off_page,
    is_for_machine,
    reading_off_page,
    takes_clause,
)
from actors.orchestrator.outcomes import code_of, conclude, finish
from actors.orchestrator.output_limit import MOST_OUTPUT, weight_of, without_output
from actors.orchestrator.places import Base, Nowhere, PathOf, Placement, WithinGoal, place
from actors.orchestrator.progress import Progress
from actors.orchestrator.rehearsing import (
    APPROVES,
    Rehearse,
    kinds_rehearsed,
    next_rehearsal,
    refuse_rehearsed,
)
from actors.orchestrator.sets import all_arguments, members_of, named, summed
from actors.orchestrator.state import TICK_SECONDS, Node, Run, Step
from actors.orchestrator.tracing import CaptureVetoed, vetoed_by
from actors.vault import TYPED
from messages import commanding, wire
from messages.capturing import BoundContext, Veto
from messages.effects import fill
from messages.executing import (
    Abort,
    Check,
    Checked,
    Leave,
    Look,
    Perform,
    Performed,
    Seen,
    Survey,
    Surveyed,
)
from messages.failures import Details, Reveal
from messages.goals import MetaGoal
from messages.interpreting import (
    CHOOSE,
    Chosen,
    Doubtful,
    Interpret,
    Interpretation,
    Interpreted,
    NotUnderstood,
    ReadChoice,
)
from messages.journaling import Laid, Meant, Note, Ruled
from messages.message import Value
from messages.planning import (
    CoursePlanned,
    MakePlans,
    PlanCourse,
    PlanReveal,
    PlansMade,
    RevealPlanned,
)
from messages.plans import PlannedAction, PlanResult
from messages.results import ActionResult, Code, CommandStatus
from messages.targets import Binding, Bound, Failure, NotBound, Resolve, Success

Effect: TypeAlias = (
    commanding.OwnRequest | Note | Abort | Leave | CaptureVetoed | Rehearse | wire.CommandEvent
)

MAX_ATTEMPTS = 3
# How often a page is looked at that may still bring what is missing; for long, if one waits for it.
MOST_LOOKS, MOST_WAITING_LOOKS = 40, 100
LOOK_SECONDS = 0.2  # between two looks, if nothing changes
FOLD_LOOKS = 2
MOST_REVEALS = 20  # pages and slides that are leafed through included
MAY_COME = frozenset({Code.TARGET_NOT_FOUND, Code.AMBIGUOUS_TARGET, Code.TARGET_HIDDEN})
GONE = frozenset({"hidden", "detached"})
MOVED_AWAY = frozenset({Code.TARGET_STALE, Code.TARGET_HIDDEN})  # since it was bound
# By these names, because to ask an enumeration for a member costs more than to compare it.
WAITING, RUNNING, ENDED = Step.WAITING, Step.RUNNING, Step.ENDED


def begin(run: Run) -> Sequence[Effect]:
    """Ask for the command to be understood."""
    return [Interpret(run.id, run.submit.text, run.submit.goals or (), run.on_page)]


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
        case Interpreted() | NotUnderstood() | Doubtful() if run.refused_on_page is not None:
            return read_off_page(run, message, *run.refused_on_page)
        case Interpreted():  # or it was asked for twice
            return understood(run, message) if run.understood is None else []
        case NotUnderstood(_, span, reason, suggestions):
            code = Code.NOT_UNDERSTOOD
            return finish(run, "failed", code, reason, span=span, suggestions=suggestions)
        case Doubtful():
            return [clarify.put(run, message, int(QUESTION_SECONDS / TICK_SECONDS))]
        case Seen():
            return seen(run, message)
        case Bound():
            return bound(run, message)
        case NotBound():
            return not_bound(run, message)
        case Checked():
            return checked(run, message)
        case Chosen():
            return chosen(run, message)
        case RevealPlanned():
            return revealing(run, message)
        case CoursePlanned():
            return course_planned(run, message)
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


def understood(run: Run, message: Interpreted) -> tuple[Effect, Effect]:
    """The words have a meaning: look at the parts of the world they speak of."""
    run.understood = run.stated = message.meta
    run.speaks = any(goal.readings or goal.takes for goal in message.meta.goals)
    domains = frozenset([goal.domain for goal in message.meta.goals])
    event = wire.Interpreted(run.id, message.meta, message.warnings, message.passed_over)
    return event, Survey(run.id, domains)


def read_off_page(
    run: Run, message: Interpretation, action_id: str, refused: ActionResult
) -> Sequence[Effect]:
    """Begin with what the words mean without a page, or leave it at what the page refused."""
    run.refused_on_page = None
    if isinstance(message, Interpreted) and is_for_machine(run, message):
        begin_off_page(run, refused)
        return understood(run, message)
    return finish_node(run, run.nodes[action_id], refused)


def surveyed(run: Run, message: Surveyed) -> Sequence[Effect]:
    """The world is known: give files their places and have every goal planned."""
    assert run.understood is not None
    placement, request = plans_wanted(run, run.understood, message)
    run.understood = placement.meta
    run.later = placement.later
    return [request]


def plans_wanted(run: Run, meta: MetaGoal, sight: Surveyed) -> tuple[Placement, MakePlans]:
    """Give files their places, and ask for the plans of every goal."""
    placement = place(meta, run.tables, inherits=run.submit.text is None)
    own = bool(run.undoes or run.schedule)
    request = MakePlans(run.id, placement.meta, sight.world, sight.capabilities, undoes=own)
    return placement, request


def planned(run: Run, message: PlansMade) -> Sequence[Effect]:
    """Every goal is planned: run the graph, unless a goal cannot be carried out."""
    if run.plans:
        return []  # it was asked for twice
    run.plans = message.results
    if run.later:
        run.plans = tuple(without_place(result, run.later) for result in message.results)
    vetoes = apply_policy(run, run.plans) if run.tables.policy else []
    if not is_whole(run) and not run.submit.allow_partial:
        return [*vetoes, *finish(run, "failed", *refusal(run.plans))]
    if is_for_later(run) and (rehearsal := next_rehearsal(run)) is not None:
        return [*vetoes, rehearsal]
    return [*vetoes, *carry_on(run)]


def is_for_later(run: Run) -> bool:
    """Tell whether some goal keeps a command for later."""
    goals = () if run.understood is None else run.understood.goals
    return any((goal.domain, goal.verb) in run.tables.rehearsing for goal in goals)


def rehearsed(run: Run, action_id: str, rehearsal: Run) -> Sequence[Effect]:
    """A command for later was planned, or could not be: go on, or change nothing."""
    finished = rehearsal.finished
    if finished is None or finished.status != "success":
        return refuse_rehearsed(run, rehearsal)
    run.rehearsed[action_id] = kinds_rehearsed(rehearsal)
    return [following] if (following := next_rehearsal(run)) is not None else carry_on(run)


def carry_on(run: Run) -> Sequence[Effect]:
    """Every goal that can be carried out is planned: show the plan, and begin."""
    whole = is_whole(run)
    run.graph = build_graph(run.plans)
    event = wire.Planned(run.id, run.graph, goal_layers(run.graph))
    if run.submit.mode == "plan":
        status: CommandStatus = "success" if whole else "partial" if run.graph.nodes else "failed"
        return [event, *finish(run, status)]
    lay_out(run)
    for action_id, kinds in run.rehearsed.items():
        run.nodes[action_id].bound[APPROVES] = ",".join(kinds)
    return [event, *laid_down(run), *start_all(run)]


def is_whole(run: Run) -> bool:
    """Tell whether every goal has a plan."""
    return all(plan.status == "success" for plan in run.plans)


def lay_out(run: Run) -> None:
    """Make a node of every action of the graph."""
    assert run.graph is not None
    run.nodes = {
        name: Node(action, len(action.depends_on)) for name, action in run.graph.nodes.items()
    }
    run.open = len(run.nodes)
    assign_lanes(run)
    if not is_whole(run):
        skip_unplanned(run)


def laid_down(run: Run) -> Sequence[Effect]:
    """Have the plans kept, if something may happen; else it can as well be planned once more."""
    if run.stated is None or not any(acts(node) for node in run.nodes.values()):
        return ()
    return [Note(run.id, Laid(run.stated, run.plans, run.left))]


def acts(node: Node) -> bool:
    """Tell whether an action may change something."""
    return node.action.action_class != "observe"


def start_all(run: Run) -> list[Effect]:
    """Start the actions that wait for nothing; conclude if that was all."""
    effects: list[Effect] = []
    for node in list(run.nodes.values()):
        if node.waits_for == 0 and node.step is WAITING and node.whole is None:
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
    if culprit.code is not None and culprit.reason is not None:
        return culprit.code, culprit.reason  # put in a person's own words, it needs no number
    return code_of(culprit), f"{culprit.goal_id}: {culprit.reason}"


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
    """Bind what is still words, let policy look at it, then act."""
    action: PlannedAction = node.action
    given: Mapping[str, Value] = node.bound
    if run.speaks or run.later or node.lane:  # nearly all actions have everything they need
        if (effects := before_acting(run, node)) is not None:
            return effects
        action, given = as_bound(run, node)
    checks = run.tables.policy.get(action.intent)
    if checks and run.story is None and is_all_planned(run, node.action):
        checks = None  # they were asked when it was planned
    if checks and (veto := vetoed(checks, node, given)) is not None:
        return refused_by(run, node, node, veto)
    if run.tables.approvals.kinds and acts(node) and not node.approved:
        kind = kind_needed(run, node, {**action.args, **given})
        if kind is not None:
            node.step = Step.CHECKING
            return [Check(run.id, action, (given,))]
    return performing(run, node, action, given)


def as_bound(run: Run, node: Node) -> tuple[PlannedAction, Mapping[str, Value]]:
    """Give an action and its arguments as they are, now that all of it is bound."""
    given = late_arguments(run, node)
    return node.action if node.success is None else completed(run, node, given), given


def performing(
    run: Run, node: Node, action: PlannedAction, given: Mapping[str, Value]
) -> Sequence[Effect]:
    """Hand an action to its tool."""
    node.step = RUNNING
    node.attempt = attempt = node.attempt + 1
    event = wire.ActionStarted(
        run.id, action.goal_id, action.action_id, action.description, attempt
    )
    begun = attempt == 1 and action.action_id in run.under_way
    beside = marked_beside(run, node) if run.marked else ()
    return (event, Perform(run.id, action, given, begun=begun, mark=node.mark, beside=beside))


def before_acting(run: Run, node: Node) -> Sequence[Effect] | None:
    """Say what is to be done before an action on one thing; None if all of it is bound."""
    base = run.later.get(node.action.goal_id)
    if isinstance(base, WithinGoal | PathOf) and made_by(run, base.goal_id) is None:
        reason = f"{base.goal_id} did not say where it put what it made"
        return record_result(run, node, failure_of(node, Code.NOT_FEASIBLE, reason))
    if node.action.takes:
        if (given := taken(run, node.action)) is None:
            goals = ", ".join(node.action.takes.values())
            reason = f"{goals} gave nothing that could be used"
            return record_result(run, node, failure_of(node, Code.NOT_FEASIBLE, reason))
        node.bound.update(given)
    if (question := question_of(run, node)) is not None:
        return [put_to_person(run, node, question)]
    if is_recipe_alone(run, node):
        return [plan_course(run, node)]
    if (look := next_look(run, node)) is not None:
        node.step = Step.BINDING
        return [look]
    if node.success is not None and len(node.success.bindings) > 1:
        return fan_out(run, node)
    return None


def completed(run: Run, node: Node, given: Mapping[str, Value]) -> PlannedAction:
    """Say what an action brings about, now that its things have names."""
    rule = rule_of(run, node)
    if rule is None:
        return node.action
    args = {**node.action.args, **given}
    return msgspec.structs.replace(
        node.action,
        achieves=fill(rule.achieves, args),
        expected_effect=fill(rule.effect, args),
    )


def proceed(run: Run, node: Node) -> Sequence[Effect]:
    """Start an action, and conclude if it ended at once and was the last."""
    effects = start(run, node)
    if run.open or run.finished is not None:
        return effects
    return [*effects, *conclude(run)]


def vetoed(checks: Sequence[Capture], node: Node, given: Mapping[str, Value]) -> Veto | None:
    """Let policy look at a bound action."""
    action, success = node.action, node.success
    context = BoundContext(
        action,
        {**action.args, **given} if given else action.args,
        Binding() if success is None else success.bindings[0],
        None if success is None else success.relation_token_canonical,
    )
    return first_veto(checks, context)


def refused_by(run: Run, node: Node, vetoed: Node, veto: Veto) -> Sequence[Effect]:
    """End an action that policy forbids, itself or one of its members; the check is named."""
    whose = "" if vetoed is node else f"{named(vetoed)}: "
    reason = f"{whose}{veto.reason} ({veto.check})"
    node.vetoed = True
    ended = record_result(run, node, failure_of(node, veto.code, reason))
    return [vetoed_by(run, vetoed, veto), *ended]


def failure_of(
    node: Node, code: Code, reason: str | None, details: Details | None = None
) -> ActionResult:
    return ActionResult(node.action.action_id, "failed", code, reason, details=details)


def seen(run: Run, message: Seen) -> Sequence[Effect]:
    """The things are known: ask which of them the words mean."""
    node = run.nodes[message.action_id]
    if node.course is not None and node.step is Step.BINDING:
        return seen_on_course(run, node, message)
    query = query_for(run, node, message) if node.step is Step.BINDING else None
    if query is None:
        return []
    if message.refused is not None:
        refused = message.refused
        return finish_node(run, node, failure_of(node, refused.code, refused.message))
    node.sight, node.page = message.world, message.page
    ahead = look_ahead(run, node) if message.page is not None else None
    return [query if ahead is None else ahead]


def next_ahead(run: Run, node: Node) -> Sequence[Effect]:
    """Look for what the next goal ahead needs; then for what this one does."""
    pass_ahead(node)
    if (ahead := look_ahead(run, node)) is not None:
        return [ahead]
    return [query_on_page(run, node)]


def not_ahead(run: Run, node: Node, failure: Failure) -> Sequence[Effect]:
    """A page does not have what a goal ahead needs: nothing is begun."""
    if not is_missing(failure):
        return next_ahead(run, node)  # it is asked about when its turn comes
    if run.stopped is None and (look := look_once_more(run, node)) is not None:
        return [look]
    told = refusal_of(run, node, failure)
    return finish_node(run, node, failure_of(node, told.code, told.message, told.details))


def bound(run: Run, message: Bound) -> Sequence[Effect]:
    """The words are bound: go on with what else is to be bound, or act."""
    node = run.nodes[message.action_id]
    if node.step is Step.ASKING and node.asked is not None:
        chosen = message.success.bindings[0].direct_target
        return [] if chosen is None else settle_question(run, node, chosen.id)
    if node.step is not Step.BINDING or message.success.verb == CHOOSE:
        return []  # an answer that another has overtaken means nothing any more
    if node.course is not None:
        return on_course(run, node, message.success)
    if node.ahead:
        return next_ahead(run, node)
    last = number_seen_last(node, message.success)
    effects: list[Effect] = [*note_bound(run, node, message.success)]
    if acts(node) and node.success is not None:
        effects.append(Note(run.id, Meant(node.action.action_id, message.success, last)))
    return [*effects, *proceed(run, node)]


def not_bound(run: Run, message: NotBound) -> Sequence[Effect]:
    """The words mean nothing here, or several things: then a person is asked."""
    node, failure = run.nodes[message.action_id], message.failure
    if node.step is Step.ASKING and node.asked is not None:
        return [msgspec.structs.replace(node.asked.event, message=again(failure, node.asked))]
    if node.step is not Step.BINDING or failure.details.verb == CHOOSE:
        return []
    if node.course is not None:
        return not_on_course(run, node, failure)
    if node.ahead:
        return not_ahead(run, node, failure)
    if run.stopped is None and goes_before_reveal(run, node, failure):
        node.refusal = failure
        return [plan_course(run, node)]
    if run.stopped is None and (look := looked_again(run, node, failure)) is not None:
        return look
    if run.stopped is None and is_worth_trying(run, node, failure.code):
        node.refusal = failure
        return [plan_course(run, node)]
    if unanswerable(failure) or run.stopped is not None:
        failed = failure_of(node, failure.code, failure.message, failure.details)
        return finish_node(run, node, failed)
    wait_for_answer(run, node)
    return [ask(run, node, failure)]


def looked_again(run: Run, node: Node, failure: Failure) -> Sequence[Effect] | None:
    """Look once more at a page that may still bring what is missing; None if that is no use."""
    rule, page = rule_of(run, node), node.page
    if page is None or rule is None:
        return None
    going = rule.waits and node.action.args.get("state") in GONE
    if failure.code is Code.TARGET_NOT_FOUND and going:
        gone = ActionResult(
            node.action.action_id, "success", output={"state": "hidden"}, verified=True
        )
        return finish_node(run, node, gone)
    reveal = failure.details.reveal
    if reveal is not None and node.reveals < MOST_REVEALS and is_worth_using(node, reveal):
        node.used |= {reveal}
        node.reveals += 1
        about = f"{node.action.action_id}.reveal_{node.reveals}"
        return [PlanReveal(run.id, node.action.goal_id, node.action.action_id, about, reveal)]
    if failure.code not in MAY_COME or (page.settled and not rule.waits):
        return None
    if node.looks >= (MOST_LOOKS if not rule.waits else looks_within(node)):
        if not rule.waits:
            return None
        late = f"waited in vain: {failure.message}"
        return finish_node(run, node, failure_of(node, Code.TIMEOUT, late))
    node.looks += 1
    return [Look(run.id, node.action, "", node.lane, again=True)]


def looks_within(node: Node) -> int:
    """Say how often a page is looked at for what one waits for, at most."""
    seconds = node.action.args.get("seconds")
    if not isinstance(seconds, int | float):
        return MOST_WAITING_LOOKS
    return max(1, int(seconds / LOOK_SECONDS))


def is_worth_using(node: Node, reveal: Reveal) -> bool:
    """Tell whether what shows a thing may help: not again, unless the thing came nearer by it."""
    before = (used.turns for used in node.used if used.target.id == reveal.target.id)
    return reveal.turns < min(before, default=MOST_REVEALS + 1)


def revealing(run: Run, message: RevealPlanned) -> Sequence[Effect]:
    """Do what shows a hidden thing, as an action of its own; then look for the thing again."""
    node = run.nodes[message.for_action]
    if node.step is not Step.BINDING:
        return []
    step = Node(message.action, 0, lane=node.lane, reveals_for=node)
    step.approved = node.course is not None  # a fold is only opened to look behind it
    run.nodes[message.action.action_id] = step
    run.open += 1
    node.step = Step.GATHERING
    return start(run, step)


def revealed(run: Run, step: Node) -> list[Effect]:
    """What shows a hidden thing was used: look again, or say why that failed."""
    node, result = step.reveals_for, step.result
    assert node is not None
    if node.step is not Step.GATHERING or result is None:
        return []
    if node.course is not None:  # what could not be opened shows nothing; others may
        node.course.fresh, result = True, msgspec.structs.replace(result, status="success")
    if result.status != "success":
        message = f"what shows it could not be used: {result.message}"
        return list(finish_node(run, node, failure_of(node, Code.TARGET_HIDDEN, message)))
    # What a fold shows is there at once, or after a moment: the page need not come to rest for it.
    looks = 1 if node.course is None else MOST_LOOKS - FOLD_LOOKS
    node.step, node.looks = Step.BINDING, looks
    return [Look(run.id, node.action, "", node.lane, again=True)]


# Recipes


def is_recipe_alone(run: Run, node: Node) -> bool:
    """Tell whether a goal has no thing of its own to bind: a recipe does all of it."""
    rule = rule_of(run, node)
    is_free = node.course is None and node.course_of is None and not node.course_tried
    return rule is not None and rule.recipes and not rule.roles and is_free


def course_planned(run: Run, message: CoursePlanned) -> Sequence[Effect]:
    """The steps of a chore are known: look which of them the page offers."""
    node = run.nodes[message.for_action]
    if node.step is not Step.BINDING or node.course is not None:
        return []
    node.course_tried = True
    if message.course is None:
        failure = node.refusal
        look = None if failure is None else looked_again(run, node, failure)
        return refused_at_once(run, node) if look is None else look
    node.course = Progress(message.course, node.refusal, list(message.course.done))
    return [look_for_stage(run, node)]


def refused_at_once(run: Run, node: Node) -> Sequence[Effect]:
    """End an action for which there is no recipe, as if none had been looked for."""
    failure = node.refusal
    if failure is None:
        reason = "there is no recipe for it"
        return finish_node(run, node, failure_of(node, Code.NOT_FEASIBLE, reason))
    if unanswerable(failure):
        failed = failure_of(node, failure.code, failure.message, failure.details)
        return finish_node(run, node, failed)
    wait_for_answer(run, node)
    return [ask(run, node, failure)]


def seen_on_course(run: Run, node: Node, message: Seen) -> Sequence[Effect]:
    """The page is known: try the ways of the last stage first."""
    if message.refused is not None:
        refused = message.refused
        return finish_node(run, node, course_failed(node, refused.code, refused.message))
    node.sight, node.page = message.world, message.page
    assert node.course is not None
    if node.course.checking:
        return seen_at_end(run, node)
    if node.course.fresh:
        node.course.fresh, node.course.strict = False, True
        node.course.begin_page(node.page)
    return next_way(run, node)


def next_way(run: Run, node: Node) -> Sequence[Effect]:
    """Try the next way; where none is left, look again, end well, or refuse."""
    progress, page = node.course, node.page
    assert progress is not None
    query = query_way(run, node)
    if query is not None and is_ready(progress):
        return next_way(run, node) if not take_way(progress) else begin_stage(run, node)
    if query is not None:
        return [query]
    if progress.strict and not progress.skip:
        progress.strict = False
        progress.begin_page(page)
        return next_way(run, node)
    is_new = not progress.skip and page is not None and not page.settled
    if is_new and node.looks < MOST_LOOKS:
        looks = node.looks + 1
        look = look_for_stage(run, node)
        node.looks = looks
        return [look]
    if progress.is_over:
        return finish_node(run, node, course_done(node, verified=False))
    if run.stopped is None and (fold := choose_fold(node)) is not None:
        node.reveals += 1
        about = f"{node.action.action_id}.reveal_{node.reveals}"
        return [PlanReveal(run.id, node.action.goal_id, node.action.action_id, about, fold)]
    return give_up_course(run, node)


def on_course(run: Run, node: Node, success: Success) -> Sequence[Effect]:
    """A way is there; a control that is only called alike is passed over."""
    progress = node.course
    assert progress is not None
    assert progress.stage is not None
    way = progress.stage.steps[len(progress.chosen)].ways[progress.way]
    if not is_called(way, success, node.page, strict=progress.strict):
        progress.way += 1
        return next_way(run, node)
    return next_way(run, node) if not take_way(progress) else begin_stage(run, node)


def not_on_course(run: Run, node: Node, failure: Failure) -> Sequence[Effect]:
    """A way is not there; what is only hidden is shown when its step is done."""
    assert node.course is not None
    if failure.details.reveal is not None:
        return next_way(run, node) if not take_way(node.course) else begin_stage(run, node)
    pass_over_way(node.course, failure)
    return next_way(run, node)


def begin_stage(run: Run, node: Node) -> Sequence[Effect]:
    """All steps of a stage can be bound: do them, one after another."""
    progress = node.course
    assert progress is not None
    progress.queue, progress.unfolded = progress.chosen[progress.skip :], None
    return next_step(run, node)


def next_step(run: Run, node: Node) -> Sequence[Effect]:
    progress = node.course
    assert progress is not None
    node.step, way = Step.GATHERING, progress.queue.pop(0)
    progress.searched = way if way.goal.verb == SEARCH else None
    return start(run, step_node(run, node, way))


def give_up_course(run: Run, node: Node) -> Sequence[Effect]:
    """Refuse a chore; a search that found nothing for it is not left on the page."""
    progress = node.course
    assert progress is not None
    if progress.searched is None or run.stopped is not None:
        return finish_node(run, node, missing(node))
    progress.told.pop()
    progress.refused, node.step = missing(node), Step.GATHERING
    return start(run, step_node(run, node, without_query(progress.searched)))


def step_done(run: Run, child: Node) -> Sequence[Effect]:
    """A step of a recipe ended: go on with the next, look for the next stage, or say why not."""
    node, result = child.course_of, child.result
    assert node is not None
    if node.step is not Step.GATHERING or result is None:
        return []
    progress = node.course
    assert progress is not None
    if progress.refused is not None:
        return finish_node(run, node, progress.refused)
    if run.stopped is not None:
        return finish_node(run, node, course_failed(node, run.stopped, "it was stopped"))
    if result.status != "success":
        if try_other_way(progress, result):
            node.step = Step.BINDING
            return [Look(run.id, node.action, "", node.lane, again=True)]
        return finish_node(run, node, course_failed(node, result.code, result.message))
    note_field(progress, child)
    goal = run.goal(child.action.goal_id)
    progress.told.append(f"{goal.verb} {next((p.text for p in goal.roles.values()), '')}")
    if progress.queue:
        return next_step(run, node)
    end_stage(progress, node.page)
    if progress.is_over and not any(map(progress.is_due, progress.course.stages)):
        progress.checking, node.looks = bool(progress.fields), 0
        if not progress.checking:
            return finish_node(run, node, course_done(node, verified=result.verified))
        progress.before, node.step = node.page, Step.BINDING
        return [Look(run.id, node.action, "", node.lane, again=True)]
    return [look_for_stage(run, node)]


def seen_at_end(run: Run, node: Node) -> Sequence[Effect]:
    """The last step is done: see whether the page has taken it."""
    progress, page = node.course, node.page
    assert progress is not None
    if is_saved(progress, page):
        return finish_node(run, node, course_done(node, verified=True))
    if page is not None and not page.settled and node.looks < MOST_LOOKS:
        node.looks += 1
        return [Look(run.id, node.action, "", node.lane, again=True)]
    return finish_node(run, node, course_failed(node, Code.EFFECT_MISSING, NOT_SAVED))


# Questions


def handed_back(run: Run, node: Node, choice: int | str) -> Sequence[Effect]:
    """Go on with what a person answered, unless they would not."""
    assert node.asked is not None
    chosen = option_chosen(node.asked.event.options, choice) or str(choice)
    node.asked = None
    run.retrying -= 1
    if chosen.strip().casefold() in clarify.NEITHER:
        return finish_node(run, node, failure_of(node, Code.CANCELLED, "it was not handed back"))
    node.bound[ANSWER] = chosen
    return proceed(run, node)


def answered(run: Run, node: Node, choice: int | str) -> Sequence[Effect] | None:
    """Take an answer; None if it is a number that no option has."""
    assert node.asked is not None
    if node.asked.look == ANSWER:
        return handed_back(run, node, choice)
    target = option_chosen(node.asked.event.options, choice)
    if target is not None:
        return settle_question(run, node, target)
    if isinstance(choice, int) or choice.strip().isdecimal():
        return None
    return [reading_of_choice(run, node, choice)]


def chosen(run: Run, message: Chosen) -> Sequence[Effect]:
    """A free answer was read: look for what it means among what was offered."""
    node = open_question(run, message.question)
    return [] if node is None else [query_among_options(run, node, message)]


def settle_question(run: Run, node: Node, target: str) -> Sequence[Effect]:
    """Go on with the thing that was chosen, in the world as it is now."""
    assert node.asked is not None
    asked, pinned = node.asked, node.pinned or {}
    roles = pinned.get(asked.look, {})
    spans = {**roles.get(asked.role, {}), asked.span: target}
    node.pinned = {**pinned, asked.look: {**roles, asked.role: spans}}
    node.asked = None
    run.retrying -= 1
    return proceed(run, node)


# Sets


def fan_out(run: Run, node: Node) -> Sequence[Effect]:
    """Make an action for every member of a set; all are checked before any of them acts."""
    if not node.members:
        node.members = members_of(run, node)
    checks = run.tables.policy.get(node.action.intent, ())
    arguments = [late_arguments(run, member) for member in node.members]
    for member, given in zip(node.members, arguments, strict=True):
        veto = vetoed(checks, member, given)
        if veto is not None:
            return refused_by(run, node, member, veto)
    node.step = Step.CHECKING
    return [Check(run.id, node.action, tuple(arguments))]


def checked(run: Run, message: Checked) -> Sequence[Effect]:
    """All members of a set can be done, or none is; what needs approval is asked for."""
    node = run.nodes[message.action_id]
    if node.leader is not None:
        return checked_in_group(run, node, message)
    if node.step is not Step.CHECKING:
        return []
    if message.refused is not None:
        refused = message.refused
        return finish_node(run, node, failure_of(node, refused.code, refused.message))
    if message.shown is not None:
        conceal(run, node, message.shown)
    action, given = (node.action, {}) if node.members else as_bound(run, node)
    concerned = all_arguments(run, node) if node.members else {**action.args, **given}
    kind = None if node.approved else kind_needed(run, node, concerned)
    if kind is not None and is_needed(run, node, sends=message.sends):
        for each, mark in zip(node.members or (node,), message.marks, strict=True):
            each.mark = mark
        run.marked = True
        checks = gather_group(run, node, kind)
        if checks or not is_complete(node):
            return checks
        return [ask_for(run, node, kind, action, given)]
    return begin_members(run, node) if node.members else performing(run, node, action, given)


def checked_in_group(run: Run, node: Node, message: Checked) -> Sequence[Effect]:
    """One of several that need the same approval was checked: with the last, it is asked for."""
    acted = node.step is Step.CHECKING
    leader = join_group(node, message)
    effects: list[Effect] = []
    if message.refused is not None and acted:
        refused = message.refused
        effects += finish_node(run, node, failure_of(node, refused.code, refused.message))
    if leader is None or leader.pending is not None or run.finished is not None:
        return effects
    action, given = as_bound(run, leader)
    kind = kind_needed(run, leader, {**action.args, **given})
    assert kind is not None
    return [*effects, ask_for(run, leader, kind, action, given)]


def conceal(run: Run, node: Node, shown: Mapping[str, Value]) -> None:
    """Forget what turned out to be secret: references to it are kept in its place."""
    name = node.action.action_id
    node.action = msgspec.structs.replace(node.action, args=shown)
    for each in TYPED & shown.keys():
        node.bound.pop(each, None)
    if run.graph is not None and name in run.graph.nodes:
        nodes = {**run.graph.nodes, name: node.action}
        run.graph = msgspec.structs.replace(run.graph, nodes=nodes)


def begin_members(run: Run, node: Node) -> Sequence[Effect]:
    """Do what is to be done to each of a set, one after another."""
    node.step = Step.GATHERING
    for member in node.members:
        member.approved = node.approved
        run.nodes[member.action.action_id] = member
    run.open += len(node.members)
    return proceed(run, node.members[0])


# Approvals


def ruled(run: Run, node: Node, *, allow: bool, by: str = "person") -> Sequence[Effect]:
    """Take a yes or no: what was shown is done now, or never."""
    pending = node.pending
    assert pending is not None
    node.pending = None
    run.retrying -= 1
    note = Note(run.id, Ruled(node.action.action_id, pending.event.approval, allow, by))
    others = dissolve_group(node, allow=allow)
    if not allow:
        return [note, *refuse_all(run, (node, *others), REFUSED)]
    node.approved = True
    effects: list[Effect] = [note]
    if node.members:
        effects += begin_members(run, node)
    else:
        effects += performing(run, node, pending.action, pending.given)
    for other in others:
        effects += performing(run, other, *as_bound(run, other))
    return effects


def refuse_all(run: Run, nodes: Sequence[Node], reason: str) -> list[Effect]:
    """End actions that were not approved of."""
    effects: list[Effect] = []
    for node in nodes:
        if run.finished is None:
            effects += finish_node(run, node, failure_of(node, Code.NOT_APPROVED, reason))
    return effects


def member_done(run: Run, member: Node) -> list[Effect]:
    """A member of a set ended: do the next, or sum up."""
    whole = member.whole
    assert whole is not None
    waiting = [each for each in whole.members if each.step is WAITING]
    done = [each.result for each in whole.members if each.result is not None]
    good = member.result is not None and member.result.status == "success"
    if good and waiting and run.stopped is None:
        return list(start(run, waiting[0]))
    for each in waiting:
        skip(run, each, None)
    return record_result(run, whole, summed(whole, member, done))


def performed(run: Run, message: Performed) -> Sequence[Effect]:
    """An action ended: try again if that is safe and may help, else go on from its result."""
    result = message.result
    node = run.nodes[result.action]
    if node.step is not RUNNING:
        return []
    if message.shown is not None:
        conceal(run, node, message.shown)
    if result.code in MOVED_AWAY and may_bind_anew(run, node):
        node.rebound, node.success, node.looks = True, None, 0
        for role in node.action.binds:
            node.bound.pop(role, None)
        return [finished_event(run, node, result), *proceed(run, node)]
    result = without_answer(run, node, result)
    if message.transient and may_try_again(run, node, result):
        node.step = Step.RETRYING
        node.ticks = node.attempt
        run.retrying += 1
        return [finished_event(run, node, result)]
    if result.status == "failed" and is_worth_trying(run, node, result.code):
        node.success, node.step = None, Step.BINDING
        details = Details(node.action.intent, "direct", "", answerable=False)
        node.refusal = Failure(result.code or Code.NOT_FEASIBLE, result.message or "", details)
        return [finished_event(run, node, result), plan_course(run, node)]
    return finish_node(run, node, result)


def without_answer(run: Run, node: Node, result: ActionResult) -> ActionResult:
    """Say of a deed that the page asks about first that it is not done yet.

    A click is done when it is clicked; "delete Ines" is not. A recipe answers by itself.
    """
    output = result.output
    asks = output.get("asks") if isinstance(output, Mapping) else None
    is_deed = takes_clause(run, goal_of(run, node)) and node.course_of is None
    if result.status != "success" or not isinstance(asks, str) or not is_deed:
        return result
    message = f"the page asks first: {asks!r}; say 'accept the dialog' or 'dismiss the dialog'"
    return msgspec.structs.replace(
        result, status="failed", code=Code.DIALOG_OPEN, message=message, verified=False
    )


def may_bind_anew(run: Run, node: Node) -> bool:
    """Tell whether words whose thing has changed since may be bound once more."""
    spoken = node.success is not None and node.whole is None and bool(node.action.speaks)
    fresh = not node.rebound and not node.approved
    return spoken and bool(node.lane) and fresh and run.stopped is None


def may_try_again(run: Run, node: Node, result: ActionResult) -> bool:
    """Tell whether an action that failed for a reason that may pass gets another attempt."""
    safe = result.status == "failed" and node.action.repeatable and run.stopped is None
    return safe and node.attempt < MAX_ATTEMPTS


def finish_node(run: Run, node: Node, result: ActionResult) -> Sequence[Effect]:
    """Settle a node's result, and conclude if it was the last."""
    if (again := reading_off_page(run, node, result)) is not None:
        return [again]
    effects = record_result(run, node, result)
    if run.open or run.finished is not None:
        return effects
    return [*effects, *conclude(run)]


def record_result(run: Run, node: Node, result: ActionResult) -> list[Effect]:
    """Note a node's result; release its children, or skip them."""
    if node.step is ENDED:
        return []
    if result.output is not None:
        run.weight += weight_of(result.output)
        if run.weight > MOST_OUTPUT:
            result = without_output(result, observed=node.action.action_class == "observe")
    node.step = ENDED
    node.result = result
    run.open -= 1
    effects: list[Effect] = [finished_event(run, node, result)]
    assert run.graph is not None
    if children := run.graph.adjacency.get(result.action):
        if (unmet := unmet_condition(run, node, result)) is not None:
            for name in children:
                skip(run, run.nodes[name], unmet, is_unmet=True)
        elif result.status == "success":
            effects += released(run, children)
        else:
            why = result.message or result.code or result.status
            reason = f"{node.action.goal_id} {result.status}: {why}"
            for name in children:
                skip(run, run.nodes[name], reason)
    if node.whole is not None:
        effects += member_done(run, node)
    if node.reveals_for is not None:
        effects += revealed(run, node)
    if node.course_of is not None:
        effects += step_done(run, node)
    if node.lane and node.lane in run.lanes:
        effects += release_lane(run, node.lane)
    return effects


def unmet_condition(run: Run, node: Node, result: ActionResult) -> str | None:
    """Say what does not hold, if an action was to find that out."""
    output = result.output
    if output is None or not isinstance(output, Mapping) or output.get("holds") is not False:
        return None
    rule = rule_of(run, node)
    return str(output.get("seen", "it is not so")) if rule is not None and rule.decides else None


def released(run: Run, children: Iterable[str]) -> list[Effect]:
    """Start the actions that waited for nothing but the one that just ended well."""
    nodes = run.nodes
    effects: list[Effect] = []
    for name in children:
        child = nodes[name]
        child.waits_for = left = child.waits_for - 1
        if left or child.step is not WAITING:
            continue
        if run.stopped is None:
            effects += start(run, child)
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


def skip(run: Run, node: Node, failure: str | None, *, is_unmet: bool = False) -> None:
    """Skip an action that never started, and all that wait for it; no failure means: stopped."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.step is not WAITING:
            continue
        node.step = ENDED
        node.failure_before, node.unmet_before = failure, is_unmet
        run.open -= 1
        assert run.graph is not None
        children = run.graph.adjacency.get(node.action.action_id, ())
        waiting.extend(run.nodes[child] for child in children)


# Crashes of others


def unanswered(run: Run, message: commanding.NoAnswer) -> Sequence[Effect]:
    """Whoever was asked crashed: ask pure actors once more; an action only if that is safe."""
    request = message.request
    match request:
        case Perform(action=action):
            return doubtful(run, run.nodes[action.action_id], request)
        case Look(action=action) | Check(action=action):
            concerned = action.action_id
        case ReadChoice(question=question):
            asking = open_question(run, question)
            concerned = "" if asking is None else asking.action.action_id
        case Resolve(action_id=action_id):
            concerned = action_id
        case PlanReveal(for_action=action_id) | PlanCourse(for_action=action_id):
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
        return finish_node(run, run.nodes[concerned], result)
    return finish(run, "failed", Code.CRASHED, reason)


def doubtful(run: Run, node: Node, request: Perform) -> Sequence[Effect]:
    """An action was under way when the Executor crashed: it looks what is to be done now."""
    message = "the executor crashed while this was under way; it may or may not have happened"
    result = ActionResult(node.action.action_id, "in_doubt", Code.CRASHED, message)
    if node.attempt < MAX_ATTEMPTS and run.stopped is None:
        node.attempt += 1
        return [finished_event(run, node, result), msgspec.structs.replace(request, begun=True)]
    return finish_node(run, node, result)
