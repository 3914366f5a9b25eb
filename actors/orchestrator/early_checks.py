"""Policy before anything runs: what is known to be forbidden is said when it is planned.

Pure. An action whose arguments are all planned is put to the same checks as later, when it is
bound; one that is still words, or that takes what another goal gives, can only be checked then.
"""

from collections.abc import Iterator, Sequence

from actors.orchestrator.capture import first_veto
from actors.orchestrator.state import Run
from actors.orchestrator.tracing import CaptureVetoed
from messages.capturing import BoundContext, Veto
from messages.plans import PlannedAction, PlanResult


def apply_policy(run: Run, results: Sequence[PlanResult]) -> list[CaptureVetoed]:
    """Block the goals of a command that policy forbids; give the vetoes, for the record."""
    vetoed: list[CaptureVetoed] = []
    checked: list[PlanResult] = []
    for result in results:
        found = next(vetoes_on(run, result), None)
        if found is None:
            checked.append(result)
            continue
        action, veto = found
        vetoed.append(CaptureVetoed(run.id, result.goal_id, action.action_id, veto))
        checked.append(blocked_by(result, veto))
    run.plans = tuple(checked)
    run.vetoed = frozenset(each.goal_id for each in vetoed)
    return vetoed


def vetoes_on(run: Run, result: PlanResult) -> Iterator[tuple[PlannedAction, Veto]]:
    """Give the actions of a plan that a check says no to."""
    for action in () if result.plan is None else result.plan.actions:
        checks = run.tables.policy.get(action.intent)
        if not checks or not is_all_planned(run, action):
            continue
        veto = first_veto(checks, BoundContext(action, action.args))
        if veto is not None:
            yield action, veto


def is_all_planned(run: Run, action: PlannedAction) -> bool:
    """Tell whether nothing of an action is bound or taken from elsewhere later."""
    return not (action.speaks or action.takes or action.goal_id in run.later)


def blocked_by(result: PlanResult, veto: Veto) -> PlanResult:
    reason = f"{veto.reason} ({veto.check})"
    return PlanResult(result.goal_id, "blocked", reason=reason, blocker=veto.check, code=veto.code)
