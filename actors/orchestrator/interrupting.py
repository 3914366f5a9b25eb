"""What comes between: a command is stopped, abandoned, or not answered in time."""

from collections.abc import Sequence

from actors.orchestrator import clarify
from actors.orchestrator.asking import open_question
from actors.orchestrator.binding import ANSWER
from actors.orchestrator.courses import course_failed
from actors.orchestrator.grouping import dissolve_group
from actors.orchestrator.outcomes import conclude
from actors.orchestrator.runs import (
    Effect,
    failure_of,
    finish_node,
    finished_event,
    proceed,
    record_result,
    refuse_all,
    skip,
)
from actors.orchestrator.state import Node, Run, Step
from messages.executing import Abort
from messages.results import ActionResult, Code


def stop(run: Run, code: Code, *, abort: bool = True) -> Sequence[Effect]:
    """Start nothing more; with ``abort``, also stop what is under way."""
    if run.finished is not None or (run.stopped is not None and not abort):
        return ()
    run.stopped = code
    for node in run.nodes.values():
        if node.step in {Step.BINDING, Step.RETRYING, Step.ASKING, Step.CHECKING}:
            node.step = Step.WAITING
        node.asked = node.pending = node.leader = None
        skip(run, node, None)
    run.retrying, run.doubt = 0, None
    effects = stop_courses(run, code)
    if run.open == 0:
        return [*effects, *conclude(run)]
    return [*effects, Abort(run.id)] if abort else effects


def stop_courses(run: Run, code: Code) -> list[Effect]:
    """End the recipes of which no step is under way, and say what was done of them."""
    effects: list[Effect] = []
    busy = {
        id(node.course_of)
        for node in run.nodes.values()
        if node.step in {Step.RUNNING, Step.GATHERING}
    }
    for node in list(run.nodes.values()):
        if node.course is not None and node.step is Step.GATHERING and id(node) not in busy:
            effects += record_result(run, node, course_failed(node, code, "it was stopped"))
    return effects


def abandon(run: Run) -> Sequence[Effect]:
    """End a command whose actions did not stop in time: what became of them is not known."""
    effects: list[Effect] = []
    for node in run.nodes.values():
        if node.step in {Step.RUNNING, Step.GATHERING}:
            reason = "it did not stop in time; it may or may not have happened"
            result = ActionResult(node.action.action_id, "in_doubt", run.stopped, reason)
            node.result, node.step = result, Step.ENDED
            effects.append(finished_event(run, node, result))
    return [*effects, *conclude(run)]


def tick(run: Run) -> Sequence[Effect]:
    """Let a turn of the clock pass: retries come due."""
    if run.doubt is not None:
        run.doubt.ticks -= 1
        return [] if run.doubt.ticks > 0 else set_aside(run, "nobody answered in time")
    effects: list[Effect] = []
    for node in list(run.nodes.values()):
        if node.step not in {Step.RETRYING, Step.ASKING}:
            continue
        node.ticks -= 1
        if node.ticks > 0:
            continue
        if node.step is Step.ASKING:
            effects.extend(set_one_aside(run, node, "nobody answered in time"))
        else:
            run.retrying -= 1
            effects.extend(proceed(run, node))
    return effects


def set_aside(run: Run, reason: str) -> Sequence[Effect]:
    """End what waits for an answer that will not come; what waits for approval goes on waiting."""
    if run.doubt is not None:
        return clarify.left_open(run, reason)
    effects: list[Effect] = []
    while (node := open_question(run)) is not None:
        effects.extend(set_one_aside(run, node, reason))
    return effects


def set_one_aside(run: Run, node: Node, reason: str) -> Sequence[Effect]:
    """End an action that waits for an answer, or for being approved of."""
    run.retrying -= 1
    if node.asked is not None:
        message = f"{reason}: {node.asked.event.message}"
        code = Code.TIMEOUT if node.asked.look == ANSWER else Code.AMBIGUOUS_TARGET
        node.asked = None
        return finish_node(run, node, failure_of(node, code, message))
    node.pending = None
    others = dissolve_group(node, allow=False)
    return refuse_all(run, (node, *others), f"{reason}; nothing was done")
