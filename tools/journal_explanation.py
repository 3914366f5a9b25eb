"""Why a command did what it did, by all that the journal has: records of the trace, and entries.

What the records do not tell, or tell no more, the entries do. Nothing is worked out anew.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec.structs import replace

from messages import wire
from messages.explaining import (
    ActionReport,
    ApprovalReport,
    Explanation,
    GoalReport,
    PlanReport,
    Stage,
    StageTime,
)
from messages.goals import MetaGoal
from messages.journaling import Asked, Entry, Intent, Laid, Outcome, Resumed, Ruled
from messages.message import Value
from messages.plans import PlanResult
from messages.results import GoalResult
from tools.explaining import Told, cut, explanation, plan_reports, records_in

LONGEST_OUTPUT = 300


@dataclass(frozen=True)
class Kept:
    """What the journal knows of a command; times are seconds since 1970."""

    submit: wire.Submit
    accepted: float
    ended: float | None = None
    finished: wire.Finished | None = None
    entries: Sequence[Entry] = ()
    lines: Sequence[bytes] = ()
    undoes: str = ""
    undone_by: str = ""
    schedule: str = ""


def explained(kept: Kept, discreet: Callable[[str], str]) -> Explanation:
    """Explain a command by its records and by what else the journal knows of it.

    ``discreet`` gives a text as it may be written down.
    """
    submit, command = kept.submit, kept.submit.id
    recorded = explanation(records_in(kept.lines), command)
    told = Explanation(command) if recorded is None else recorded
    told = replace(
        told,
        text=submit.text,
        session=submit.session,
        mode=submit.mode,
        accepted=kept.accepted,
        ended=kept.ended,
        undoes=kept.undoes,
        undone_by=kept.undone_by,
        schedule=kept.schedule,
        times=with_unrecorded_time(told.times, kept),
    )
    told = with_entries(told, kept.entries, discreet)
    if not told.goals:
        told = replace(
            told, goals=tuple(f"{each.domain}.{each.verb}" for each in submit.goals or ())
        )
    return told if kept.finished is None else with_end(told, kept.finished)


def with_unrecorded_time(times: tuple[StageTime, ...], kept: Kept) -> tuple[StageTime, ...]:
    """Add the time behind the last record: the end is recorded only once it is written.

    If a daemon that started went on with the command, most of it passed while none was running.
    """
    if not times or kept.ended is None:
        return times
    spent = sum(each.ms for each in times)
    left = round((kept.ended - kept.accepted) * 1000 - spent, 3)
    if left <= 0:
        return times
    was_resumed = any(isinstance(entry, Resumed) for entry in kept.entries)
    stage: Stage = "waiting" if was_resumed else "writing"
    total = sum((each.ms for each in times if each.stage == stage), left)
    others = tuple(each for each in times if each.stage != stage)
    return (*others, StageTime(stage, round(total, 3)))


@dataclass
class Entries:
    """What the journal's entries say of each action."""

    laid: Laid | None = None
    begun: dict[str, Intent] = field(default_factory=dict)
    ended: dict[str, Outcome] = field(default_factory=dict)
    asked: list[wire.Question | wire.ApprovalNeeded] = field(default_factory=list)
    ruled: dict[str, Ruled] = field(default_factory=dict)

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.begun, self.ended, self.asked, self.ruled = {}, {}, [], {}
        self.laid = None
        for entry in entries:
            match entry:
                case Laid():
                    self.laid = entry
                case Intent(action):
                    self.begun[action.action_id] = entry
                case Outcome(result):
                    self.ended[result.action] = entry
                case Asked(event):
                    self.asked.append(event)
                case Ruled(_, approval):
                    self.ruled[approval] = entry
                case _:
                    pass


def with_entries(
    told: Explanation, entries: Iterable[Entry], discreet: Callable[[str], str]
) -> Explanation:
    """Add what entries of the journal say, where the records do not."""
    known = Entries(entries)
    if known.laid is not None:
        meta = known.laid.meta
        told = replace(
            told,
            goals=told.goals or tuple(f"{goal.domain}.{goal.verb}" for goal in meta.goals),
            understood=told.understood or goal_reports(meta, discreet),
            plans=told.plans or plans_laid(known.laid.plans, discreet),
        )
    recorded = {each.action for each in told.actions}
    begun = (
        ActionReport(intent.action.goal_id, "", discreet(intent.action.description), action=name)
        for name, intent in known.begun.items()
        if name not in recorded
    )
    actions = (*told.actions, *begun)
    return replace(
        told,
        actions=tuple(with_outcome(each, known.ended.get(each.action)) for each in actions),
        approvals=tuple(with_ruling(each, known.ruled) for each in told.approvals),
    )


def goal_reports(meta: MetaGoal, discreet: Callable[[str], str]) -> tuple[GoalReport, ...]:
    """Describe goals as they were understood."""
    return tuple(
        GoalReport(
            goal.goal_id,
            f"{goal.domain}.{goal.verb}",
            params={
                name: cut(discreet(value), 500) if isinstance(value, str) else value
                for name, value in goal.params.items()
            },
            roles={name: discreet(phrase.text) for name, phrase in goal.roles.items()},
            takes=goal.takes,
            waits_for=tuple(f"g{parent}" for parent in meta.parents(index)),
        )
        for index, goal in enumerate(meta.goals)
    )


def plans_laid(
    plans: Sequence[PlanResult], discreet: Callable[[str], str]
) -> tuple[PlanReport, ...]:
    """Describe plans as they were laid."""
    return plan_reports(
        [
            Told(
                plan.goal_id,
                status=plan.status,
                actions=()
                if plan.plan is None
                else tuple(discreet(each.description) for each in plan.plan.actions),
                reason=None if plan.reason is None else discreet(plan.reason),
                by="" if plan.plan is None else plan.plan.goal_achieved_by,
            )
            for plan in plans
        ]
    )


def with_outcome(action: ActionReport, outcome: Outcome | None) -> ActionReport:
    """Add what the journal knows of the end of an action."""
    if outcome is None:
        return action
    result = outcome.result
    return replace(
        action,
        status=result.status,
        verified=result.verified,
        code=result.code or "",
        message=action.message or result.message,
        facts=outcome.facts,
        undoable=bool(outcome.undo),
        lasting=outcome.lasting,
    )


def with_ruling(asked: ApprovalReport, ruled: Mapping[str, Ruled]) -> ApprovalReport:
    """Add how something was ruled, if the records do not say."""
    ruling = ruled.get(asked.approval)
    if asked.allowed is not None or ruling is None:
        return asked
    return replace(asked, allowed=ruling.allow, by=ruling.by)


def with_end(told: Explanation, finished: wire.Finished) -> Explanation:
    """Add how a command ended, and what became of each goal."""
    results = {result.goal: result for result in finished.results}
    known = {each.goal: each for each in told.understood}
    goals = [
        known.get(name) or GoalReport(name, verb_of(told, name)) for name in {**known, **results}
    ]
    return replace(
        told,
        status=finished.status,
        code=finished.code or "",
        message=finished.message,
        suggestions=finished.suggestions or told.suggestions,
        understood=tuple(with_result(goal, results.get(goal.goal)) for goal in goals),
        actions=tuple(with_end_of_action(each, finished) for each in told.actions),
    )


def with_end_of_action(action: ActionReport, finished: wire.Finished) -> ActionReport:
    """Add the end of an action that neither a record nor an entry tells: a kill came before it."""
    ends = (result for result in finished.results if result.action == action.action)
    result = next(ends, None) if action.status == "running" else None
    if result is None:
        return action
    about = {"verified": result.verified, "code": result.code or "", "message": result.message}
    return replace(action, status=result.status, **about)


def verb_of(told: Explanation, goal: str) -> str:
    """Give what a goal does, by its place among the verbs that were understood."""
    number = goal.removeprefix("g")
    place = int(number) if number.isdecimal() else len(told.goals)
    return told.goals[place] if place < len(told.goals) else ""


def with_result(goal: GoalReport, result: GoalResult | None) -> GoalReport:
    """Add what became of a goal."""
    if result is None:
        return goal
    return replace(
        goal,
        status=result.status,
        code=result.code,
        message=result.message,
        blocker=result.blocker,
        unmet=result.unmet,
        near=() if result.details is None else result.details.near,
        gave=short_output(result.output),
    )


def short_output(output: Value) -> str:
    """Write what a goal gave in a line: a text as it is, all else as JSON.

    >>> short_output("ten past two"), short_output([1, 2]), short_output(None)
    ('ten past two', '[1,2]', '')
    """
    if output is None or output == "":
        return ""
    text = output if isinstance(output, str) else msgspec.json.encode(output).decode()
    return cut(text, LONGEST_OUTPUT)
