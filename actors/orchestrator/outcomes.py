"""The end of a command: one result per goal, one status for all of it."""

from collections.abc import Iterable, Sequence

import msgspec

from actors.orchestrator.half_done import unsaved_message
from actors.orchestrator.off_page import standing_refusal
from actors.orchestrator.state import Node, Run
from messages import wire
from messages.message import Row, Scalar, Value
from messages.plans import PlanGraph, PlanResult
from messages.results import ActionResult, Code, CommandStatus, GoalResult, GoalStatus

STOPPED = {
    Code.CANCELLED: "it was cancelled; what had ended before stays as it is",
    Code.DEADLINE_PASSED: "its time was up; what had ended before stays as it is",
    Code.SHUTTING_DOWN: "the daemon stopped; what had not started was not started",
}


def conclude(run: Run) -> list[wire.CommandEvent]:
    """Sum up: one result per goal, one status for the command."""
    results = goal_results(run)
    statuses = {result.status for result in results if result.code is not Code.CONDITION_NOT_MET}
    status: CommandStatus
    if "in_doubt" in statuses:
        status = "in_doubt"
    elif run.stopped in {Code.CANCELLED, Code.SHUTTING_DOWN}:
        status = "success" if statuses == {"success"} else "cancelled"
    elif statuses == {"success"}:
        status = "success"
    else:
        status = "partial" if statuses & {"success", "partial"} else "failed"
    if status == "success":
        return finish(run, status, results=results)
    if status == "in_doubt":
        doubt = next(result for result in results if result.status == "in_doubt")
        return finish(run, status, doubt.code, doubt.message, results=results)
    message = STOPPED[run.stopped] if run.stopped else None
    return finish(run, status, run.stopped, message, results=results)


def finish(
    run: Run,
    status: CommandStatus,
    code: Code | None = None,
    message: str | None = None,
    *,
    span: tuple[int, int] | None = None,
    suggestions: tuple[str, ...] = (),
    results: tuple[GoalResult, ...] | None = None,
) -> list[wire.CommandEvent]:
    """End the command; nothing of it happens any more."""
    if (refused := standing_refusal(run, status)) is not None:
        results, code, message = (refused,), None, None
    if results is None:
        results = goal_results(run)
    if code is None and status != "success":
        first = next((result for result in results if result.code is not None), None)
        code, message = (first.code, first.message) if first else (code, message)
    if status != "success" and run.submit.mode == "run":
        remark, ways = unsaved_message(run)
        suggestions = suggestions or ways
        message = with_remark(message, remark)
    if run.left:
        message = with_remark(message, f"not undone: {'; '.join(run.left)}")
        if status == "success":
            status, code = "partial", Code.PARTIAL
    run.finished = wire.Finished(run.id, status, results, code, message, span, suggestions)
    return [run.finished]


def with_remark(message: str | None, remark: str) -> str | None:
    """Add a remark to a message, if there is one."""
    return "; ".join(filter(None, (message, remark))) or None


def goal_results(run: Run) -> tuple[GoalResult, ...]:
    """Give one result per goal, as far as it came."""
    if run.understood is None:
        return ()
    if not run.plans:
        return tuple(
            GoalResult(goal.goal_id, "cancelled" if run.stopped else "failed", run.stopped)
            for goal in run.understood.goals
        )
    refused = not run.nodes and run.submit.mode == "run"
    return tuple(
        [achieved(run, plan) or goal_result(run, plan, refused=refused) for plan in run.plans]
    )


def achieved(run: Run, plan: PlanResult) -> GoalResult | None:
    """Give the result of a goal that one action achieved: nearly all are such."""
    made = plan.plan
    if plan.status != "success" or made is None or made.total_actions != 1:
        return None
    node = run.nodes.get(made.goal_achieved_by)
    result = None if node is None else node.result
    if result is None or result.status != "success":
        return None
    action, output, verified = result.action, result.output, result.verified
    return GoalResult(plan.goal_id, "success", None, None, action, output, verified)


def goal_result(run: Run, plan: PlanResult, *, refused: bool) -> GoalResult:
    """Give what became of one goal."""
    if plan.plan is None:
        return GoalResult(
            plan.goal_id,
            "failed" if plan.goal_id in run.vetoed else plan.status,
            code_of(plan),
            plan.reason,
            details=plan.details,
            blocker=plan.blocker,
        )
    action = plan.plan.goal_achieved_by
    planning = run.submit.mode == "plan"
    if plan.status == "partial" and (refused or planning):
        reason, unmet = plan.reason, plan.unmet
        return GoalResult(plan.goal_id, "partial", Code.PARTIAL, reason, action, unmet=unmet)
    if refused:
        message = "nothing was run, because another goal cannot be carried out"
        return GoalResult(plan.goal_id, "skipped", Code.NOT_PLANNED, message, action)
    if planning:
        return GoalResult(plan.goal_id, "planned", action=action)
    return summed_up(run, plan, [run.nodes[each.action_id] for each in plan.plan.actions])


def code_of(plan: PlanResult) -> Code:
    """Give the code of a goal that has no plan: its own, else that of its status."""
    return plan.code or Code(plan.status.upper())


def summed_up(run: Run, plan: PlanResult, nodes: list[Node]) -> GoalResult:
    """Make one result of what the actions of a goal came to."""
    name = nodes[-1].action.action_id
    for node in nodes:
        result = node.result
        if result is None or result.status == "cancelled":
            return never_ended(run, plan, node)
        if result.status != "success":
            # Of a set, some members may have been done before one failed.
            partly = result.status == "failed" and result.output is not None
            status: GoalStatus = "partial" if partly else result.status
            output = result.output if partly else None
            return GoalResult(
                plan.goal_id,
                status,
                result.code,
                result.message,
                result.action,
                output,
                details=result.details,
            )
    results = [node.result for node in nodes if node.result is not None]
    total: Value = results[0].output if len(results) == 1 else outputs(results)
    verified = all(result.verified for result in results)
    if plan.status == "partial":
        code, reason, unmet = Code.PARTIAL, plan.reason, plan.unmet
        return GoalResult(plan.goal_id, "partial", code, reason, name, total, verified, unmet=unmet)
    return GoalResult(plan.goal_id, "success", None, None, name, total, verified)


def never_ended(run: Run, plan: PlanResult, node: Node) -> GoalResult:
    """Say why an action was not run to its end: it was stopped, or what it waited for failed."""
    name = node.action.action_id
    if run.stopped is not None and node.failure_before is None:
        return GoalResult(plan.goal_id, "cancelled", run.stopped, STOPPED[run.stopped], name)
    code = Code.CONDITION_NOT_MET if node.unmet_before else Code.PARENT_FAILED
    return GoalResult(plan.goal_id, "skipped", code, node.failure_before, name)


def outputs(results: Iterable[ActionResult]) -> Value:
    """Put the outputs of several actions of one goal into one list."""
    rows: list[Scalar | Row] = []
    for result in results:
        output = result.output
        if isinstance(output, Sequence) and not isinstance(output, str):
            rows.extend(output)
        else:
            rows.append(output)
    return rows


def graph_so_far(run: Run) -> PlanGraph | None:
    """Give the graph with the results of the actions that have ended."""
    if run.graph is None:
        return None
    results = {name: node.result for name, node in run.nodes.items() if node.result is not None}
    return msgspec.structs.replace(run.graph, results=results)
