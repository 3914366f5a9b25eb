"""An explanation, as a person reads it: line by line."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from messages.explaining import (
    ActionReport,
    ApprovalReport,
    BindingReport,
    DroppedReading,
    Explanation,
    GoalReport,
    QuestionReport,
)
from messages.targets import Clue, Considered
from tools.explaining import cut

RUNNERS_UP = 2


def explanation_lines(told: Explanation) -> Iterator[str]:
    """Tell an explanation to a person, line by line."""
    yield f"{told.command}: {told.text or 'goals without words'}"
    yield from origin_lines(told)
    yield from understanding_lines(told)
    yield from plan_lines(told)
    for bound in told.bindings:
        yield ""
        yield from binding_lines(bound)
    if not told.bindings and told.understood:
        yield "no words were bound to things"
    yield from people_lines(told.questions, told.approvals)
    if told.actions or told.checks:
        yield ""
    for check in told.checks:
        by = f" by {check.check}" if check.check else ""
        yield f"{check.goal} refused{by}: {check.reason} ({check.code})"
    for done in told.actions:
        yield from action_lines(done)
    yield from end_lines(told)


def origin_lines(told: Explanation) -> Iterator[str]:
    """Tell where a command came from."""
    if told.accepted is not None:
        at = datetime.fromtimestamp(told.accepted).astimezone().strftime("%Y-%m-%d %H:%M:%S")
        how = "planned, not run, " if told.mode == "plan" else ""
        yield f"{how}accepted {at}, session {told.session or 'default'}"
    if told.schedule:
        yield f"it was due by the schedule ({told.schedule})"
    if told.undoes:
        yield f"it undoes {told.undoes}"
    if told.undone_by:
        yield f"it was undone by {told.undone_by}"


def understanding_lines(told: Explanation) -> Iterator[str]:
    """Tell which words became which goals, and which readings were dropped."""
    if told.understood:
        yield ""
    elif told.goals:
        yield f"understood as {', '.join(told.goals)}"
    for goal in told.understood:
        yield from goal_lines(goal)
    for words in told.passed_over:
        yield f"passed over: {words!r}"
    for reading in told.dropped_readings:
        yield dropped_line(reading)


def goal_lines(goal: GoalReport) -> Iterator[str]:
    values = [f"{name}={cut(str(value))!r}" for name, value in goal.params.items()]
    values += [f"{role}: {words!r}" for role, words in goal.roles.items()]
    values += [f"{name} from {source}" for name, source in goal.takes.items()]
    said = f"{goal.words!r} is " if goal.words else ""
    yield f"{goal.goal} {said}{goal.does} {' '.join(values)}".rstrip()
    if goal.waits_for:
        yield f"  waits for {', '.join(goal.waits_for)}"
    if goal.near:
        yield f"  near: {', '.join(goal.near)}"
    if goal.gave:
        yield f"  gave: {' '.join(goal.gave.split())}"


def dropped_line(reading: DroppedReading) -> str:
    what = " ".join(filter(None, (repr(reading.words) if reading.words else "",
                                  ", ".join(reading.goals))))  # fmt: skip
    return f"not read as {what}: {reading.why}" if what else f"not read: {reading.why}"


def plan_lines(told: Explanation) -> Iterator[str]:
    """Tell what was planned, where that is not plain from the goals."""
    if told.plans:
        yield ""
    for plan in told.plans:
        merged = f" (one action with {', '.join(plan.merged)})" if plan.merged else ""
        if plan.actions:
            yield f"{plan.goal} planned: {', then '.join(plan.actions)}{merged}"
        else:
            yield f"{plan.goal} not planned ({plan.status}): {plan.reason or ''}".rstrip(": ")


def binding_lines(bound: BindingReport) -> Iterator[str]:
    goal = f"{bound.goal} " if bound.goal else ""
    among = f", of {bound.searched} things seen" if bound.searched else ""
    among += f", {bound.times} times" if bound.times > 1 else ""
    yield f"{goal}{bound.words!r}, {bound.role}{among}: {bound.outcome}"
    for each in bound.chosen:
        yield f"  {each.name!r} ({scope_and_score(each)})"
        yield from clue_lines(each)
    ranked = sorted(bound.dropped, key=lambda each: each is not bound.runner_up)
    for each in ranked[:RUNNERS_UP]:
        why = bound.why_not if each == bound.runner_up else each.dropped
        yield f"  not {each.name!r} ({scope_and_score(each)}): {why}"
        yield from clue_lines(each)
    if len(bound.dropped) > RUNNERS_UP:
        yield f"  and {len(bound.dropped) - RUNNERS_UP} more that were dropped"
    if bound.near:
        yield f"  near: {', '.join(bound.near)}"
    for reading in bound.other_readings:
        yield f"  {dropped_line(reading)}"


def scope_and_score(candidate: Considered) -> str:
    return ", ".join(filter(None, (candidate.scope, f"score {candidate.score}")))


def clue_lines(candidate: Considered) -> Iterator[str]:
    """Tell what spoke for a candidate: clue by clue, or the reasons of a strict rule."""
    if not candidate.clues:
        if candidate.reasons:
            yield f"    {', '.join(candidate.reasons)}"
        return
    width = max(len(clue.name) for clue in candidate.clues)
    for clue in candidate.clues:
        yield f"    {clue.name:{width}}  {clue_text(clue)}".rstrip()


def clue_text(clue: Clue) -> str:
    said = f"said {cut(clue.said)!r}" if clue.said else ""
    seen = f"seen {cut(clue.seen)!r}" if clue.seen else ""
    weight = "" if clue.weight is None else f"{clue.weight:+.1f}"
    return "  ".join(filter(None, (weight, said, seen)))


def people_lines(
    questions: Sequence[QuestionReport], approvals: Sequence[ApprovalReport]
) -> Iterator[str]:
    """Tell what people were asked, and what they said."""
    if questions or approvals:
        yield ""
    for asked in questions:
        answer = "not answered" if asked.answer is None else f"answered {asked.answer!r}"
        yield f"asked: {asked.message} ({', '.join(asked.options)}): {answer}"
    for each in approvals:
        ruling = {None: "not ruled", True: "allowed", False: "forbidden"}[each.allowed]
        by = " by a flag" if each.by == "flag" else ""
        yield f"{each.goal} waited for approval ({each.kind}): {each.description}: {ruling}{by}"


def action_lines(done: ActionReport) -> Iterator[str]:
    checked = "checked" if done.verified else "not checked"
    ending = f"{done.status}, {checked}" if done.status == "success" else done.status
    took = "" if done.ms is None else f", {done.ms:.0f} ms"
    what = done.tool or done.description
    yield f"{done.goal} {what}: {ending}{took}"
    if done.message:
        yield f"  {done.message}"
    if done.facts:
        yield f"  seen: {', '.join(done.facts)}"
    if done.lasting:
        yield f"  not undone: {done.lasting}"


def end_lines(told: Explanation) -> Iterator[str]:
    """Tell how a command ended, what would have worked, and where the time went."""
    if told.cut:
        yield "there were too many records; some are not here"
    if told.times:
        yield "time: " + ", ".join(f"{each.stage} {each.ms:.0f} ms" for each in told.times)
    if told.status is not None:
        why = f" ({told.code})" if told.code else ""
        yield f"ended: {told.status}{why}"
    if told.message and not any(done.message == told.message for done in told.actions):
        yield f"  {told.message}"
    for suggestion in told.suggestions:
        yield f"  would have worked: {suggestion}"
