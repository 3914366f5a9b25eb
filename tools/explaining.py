"""Why a command did what it did, by its records of the trace: in the journal, or in a log.

Nothing is worked out anew: what is told stands in the records.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Annotated

import msgspec
from msgspec.structs import replace

from messages.explaining import (
    ActionReport,
    ApprovalReport,
    BindingReport,
    CheckReport,
    DroppedReading,
    Explanation,
    GoalReport,
    PlanReport,
    QuestionReport,
    Stage,
    StageTime,
)
from messages.message import Value
from messages.targets import Clue, Considered, Phase

# Prefixes of the events that are told of.
UNDERSTOOD = "goals.understood"
NOT_ON_PAGE = "nothing on the page does that; it was read once more as if there were no page"
EVENTS = (
    "command.", "goals.", "readings.", "text.", "words.", "model.", "recipe.", "plans.", "course.",
    "reveal.", "target.resolved", "question.", "approval.", "capture.", "action.", "records.",
)  # fmt: skip
# What the time before a record was spent on; of a resolution, the time before it was for looking.
STAGES: Mapping[str, Stage] = {
    "command.begun": "waiting",
    "command.recovered": "waiting",
    "question.answered": "waiting",
    "approval.ruled": "waiting",
    "plans.made": "planning",
    "course.planned": "planning",
    "reveal.planned": "planning",
    "target.resolved": "looking",
    "question.asked": "looking",
    "approval.asked": "looking",
    "capture.vetoed": "looking",
    "action.refused": "looking",
    "action.started": "writing",
    "action.finished": "acting",
    "action.found_done": "acting",
    "command.finished": "writing",
}
REFUSED = frozenset({"capture.vetoed", "action.refused"})


class Told(msgspec.Struct, frozen=True):
    """A goal, a plan or a reading as a record tells it."""

    goal: str = ""
    does: str = ""
    words: str = ""
    span: tuple[int, int] | None = None
    params: Mapping[str, Value] = {}
    roles: Mapping[str, str] = {}
    takes: Mapping[str, str] = {}
    waits_for: tuple[str, ...] = ()
    status: str = ""
    actions: tuple[str, ...] = ()
    reason: str | None = None
    by: str = ""
    why: str = ""
    goals: tuple[str, ...] = ()


class Record(msgspec.Struct, frozen=True):
    """What is told of a record of the trace; other fields are left alone."""

    event: str
    ts: Annotated[datetime, msgspec.Meta(tz=True)] | None = None
    command_id: str = ""
    goal_id: str = ""
    action_id: str = ""
    text: str | None = None
    session: str = ""
    mode: str = ""
    goals: tuple[str | Told, ...] = ()
    dropped: tuple[Told, ...] = ()
    readings: tuple[Told, ...] = ()
    plans: tuple[Told, ...] = ()
    words: str | tuple[str, ...] = ""
    phases: tuple[Phase, ...] = ()
    outcome: str | tuple[str, ...] = ""
    searched: int = 0
    snapshot: str = ""
    near: tuple[str, ...] = ()
    tool: str = ""
    description: str = ""
    status: str = ""
    verified: bool = False
    code: str = ""
    message: str | None = None
    reason: str | None = None
    suggestions: tuple[str, ...] = ()
    ms: float | None = None
    check: str = ""
    question: str = ""
    role: str = ""
    options: tuple[str, ...] = ()
    choice: str = ""
    approval: str = ""
    kind: str = ""
    targets: tuple[str, ...] = ()
    allow: bool = False
    by: str = ""

    @property
    def said(self) -> str:
        """The words that were bound."""
        return self.words if isinstance(self.words, str) else " ".join(self.words)


def records_in(lines: Iterable[bytes]) -> Iterator[Record]:
    """Read lines of the trace; what is none is passed over."""
    decode = msgspec.json.Decoder(Record).decode
    for line in lines:
        try:
            yield decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue


def explanation(records: Iterable[Record], command: str | None) -> Explanation | None:
    """Gather what was recorded of a command, or of the last one; None if nothing was."""
    relevant = [
        record
        for record in records
        if record.event.startswith(EVENTS) and command in {None, record.command_id}
    ]
    if command is None:
        accepted = [record.command_id for record in relevant if record.event == "command.accepted"]
        command = accepted[-1] if accepted else ""
    own = [record for record in relevant if record.command_id == command]
    if not own or not command:
        return None
    begun = first(own, "command.accepted") or Record("")
    ended = first(own, "command.finished")
    failed = first(own, "text.not_understood") or Record("")
    return Explanation(
        command,
        begun.text,
        verbs_in(own),
        tuple(merge_repeats(bound for record in own for bound in bindings_in(record))),
        tuple(actions_in(own)),
        None if ended is None else ended.status,
        session=begun.session,
        mode=begun.mode,
        accepted=seconds(begun),
        ended=None if ended is None else seconds(ended),
        code="" if ended is None else ended.code,
        message=failed.reason if ended is None else ended.reason,
        suggestions=failed.suggestions,
        passed_over=tuple(each for record in own for each in passed_over_in(record)),
        dropped_readings=(
            *read_before(own, begun.text or ""),
            *(each for record in own for each in dropped_in(record)),
        ),
        understood=tuple(goals_in(last(own, UNDERSTOOD) or Record(""), begun.text or "")),
        plans=plans_in(own),
        checks=tuple(check_of(record) for record in own if record.event in REFUSED),
        questions=tuple(questions_in(own)),
        approvals=tuple(approvals_in(own)),
        times=times_in(own),
        cut=first(own, "records.cut") is not None,
    )


def first(records: Sequence[Record], event: str) -> Record | None:
    return next((record for record in records if record.event == event), None)


def last(records: Sequence[Record], event: str) -> Record | None:
    return first(tuple(reversed(records)), event)


def read_before(records: Sequence[Record], text: str) -> Iterator[DroppedReading]:
    """Give the ways in which words were read for a page that had nothing for them."""
    for record in [each for each in records if each.event == UNDERSTOOD][:-1]:
        goals = tuple(goals_in(record, text))
        yield DroppedReading(NOT_ON_PAGE, tuple(goal.does for goal in goals))


def seconds(record: Record) -> float | None:
    return None if record.ts is None else record.ts.timestamp()


def verbs_in(records: Sequence[Record]) -> tuple[str, ...]:
    """Give the verbs that were understood."""
    understood = last(records, "command.interpreted")
    goals = () if understood is None else understood.goals
    return tuple(goal for goal in goals if isinstance(goal, str))


def goals_in(record: Record, text: str) -> Iterator[GoalReport]:
    """Give the goals that a text became, each with its words."""
    if record.event != UNDERSTOOD:
        return
    for goal in record.goals:
        if isinstance(goal, Told):
            words = "" if goal.span is None else text[slice(*goal.span)]
            about = (goal.goal, goal.does, words, goal.span, goal.params, goal.roles)
            yield GoalReport(*about, takes=goal.takes, waits_for=goal.waits_for)


def passed_over_in(record: Record) -> tuple[str, ...]:
    words = record.words
    return words if record.event == "words.passed_over" and isinstance(words, tuple) else ()


def dropped_in(record: Record) -> Iterator[DroppedReading]:
    """Give the readings of a text that were not taken, or that a person was asked about."""
    match record.event:
        case "goals.understood":
            for each in record.dropped:
                yield DroppedReading(each.why, each.goals, each.words)
        case "readings.doubted":
            for each in record.readings:
                yield DroppedReading("a person was asked which is meant", each.goals, each.words)
        case "model.not_believed":
            yield DroppedReading(f"a model's answer: {record.reason or ''}")
        case _:
            return


def plans_in(records: Sequence[Record]) -> tuple[PlanReport, ...]:
    """Give the plans that hold: a command for later, or one that waited, is planned again."""
    made = [record for record in records if record.event == "plans.made"]
    return plan_reports(made[-1].plans) if made else ()


def plan_reports(plans: Sequence[Told]) -> tuple[PlanReport, ...]:
    """Describe plans; those that share an action were merged."""
    by = [plan.by or (f"{plan.goal}_" if plan.actions else "") for plan in plans]
    goals = [each.partition("_")[0] for each in by]
    return tuple(
        PlanReport(
            plan.goal,
            plan.status,
            plan.actions,
            plan.reason,
            tuple(
                other.goal
                for other, its in zip(plans, goals, strict=True)
                if its and its == acting and other.goal != plan.goal
            ),
        )
        for plan, acting in zip(plans, goals, strict=True)
    )


def bindings_in(record: Record) -> Iterator[BindingReport]:
    """Give what one resolution says of each role."""
    if record.event != "target.resolved":
        return
    failed = record.outcome if isinstance(record.outcome, str) else ""
    others = tuple(DroppedReading(each.why, words=each.words) for each in record.readings)
    for role, weighed in weighed_by_role(record.phases).items():
        second = runner_up(weighed.chosen, weighed.dropped)
        yield BindingReport(
            record.goal_id,
            role,
            record.said,
            failed or weighed.outcome,
            record.searched,
            chosen=weighed.chosen,
            dropped=weighed.dropped,
            action=record.action_id,
            runner_up=second,
            why_not="" if second is None else why_not(second, weighed.chosen),
            other_readings=others,
            near=record.near,
            snapshot=record.snapshot,
        )


@dataclass(slots=True)
class Weighed:
    """What became of the candidates of one role, phase by phase."""

    outcome: str
    chosen: tuple[Considered, ...] = ()
    dropped: tuple[Considered, ...] = ()

    def narrow(self, candidates: Sequence[Considered]) -> None:
        """Drop what a later phase has dropped."""
        lost = tuple(each for each in candidates if each.dropped is not None)
        gone = {each.id for each in lost}
        self.chosen = tuple(each for each in self.chosen if each.id not in gone)
        known = {each.id for each in self.dropped}
        self.dropped = (*(each for each in lost if each.id not in known), *self.dropped)


def weighed_by_role(phases: Sequence[Phase]) -> dict[str, Weighed]:
    """Give for each role which candidates were left at the end, and which were dropped.

    What was bound without being compared, as "it" is, stands in the last phase alone.
    """
    roles: dict[str, Weighed] = {}
    for phase in phases:
        if phase.role is None:
            continue
        known = roles.get(phase.role)
        if phase.phase == "match":
            chosen = tuple(each for each in phase.candidates if each.dropped is None)
            dropped = tuple(each for each in phase.candidates if each.dropped is not None)
            roles[phase.role] = Weighed(phase.outcome, chosen, dropped)
        elif known is None:
            roles[phase.role] = Weighed(phase.outcome)
        else:
            known.narrow(phase.candidates)
    bound = [each for phase in phases if phase.phase == "bind" for each in phase.candidates]
    weighed = {each.id for role in roles.values() for each in (*role.chosen, *role.dropped)}
    taken = tuple(each for each in bound if each.id not in weighed)
    unbound = [role for role in roles.values() if not role.chosen]
    if taken and len(unbound) == 1:
        unbound[0].chosen, unbound[0].outcome = taken, "bound"
    return roles


def runner_up(chosen: Sequence[Considered], dropped: Sequence[Considered]) -> Considered | None:
    """Give the best of those that were dropped, if one was taken."""
    return max(dropped, key=lambda each: each.score, default=None) if chosen else None


def why_not(second: Considered, chosen: Sequence[Considered]) -> str:
    """Say why the best of those that were dropped is not meant, and which clues decided."""
    best = chosen[0]
    mine = {clue.name: clue for clue in second.clues}
    ahead = [
        f"{clue.name} ({seen_as(clue)}, not {seen_as(mine.get(clue.name))})"
        for clue in best.clues
        if is_stronger(clue, mine.get(clue.name))
    ]
    return "; ".join(filter(None, (second.dropped, f"by {', '.join(ahead)}" if ahead else "")))


def is_stronger(clue: Clue, other: Clue | None) -> bool:
    """Tell whether a clue spoke more for one candidate than for another."""
    if other is None:
        return clue.weight is None or clue.weight > 0
    if clue.weight is None or other.weight is None:
        return clue.seen != other.seen
    return clue.weight > other.weight


def seen_as(clue: Clue | None) -> str:
    """Give in short what was seen, or what it weighed."""
    if clue is None:
        return "none"
    if clue.seen:
        return repr(cut(clue.seen))
    return "seen" if clue.weight is None else f"{clue.weight:+.1f}"


def merge_repeats(bindings: Iterable[BindingReport]) -> Iterator[BindingReport]:
    """Put bindings together that came out the same, one after the other."""
    before: BindingReport | None = None
    for bound in bindings:
        if before is not None and replace(before, times=1, snapshot=bound.snapshot) == bound:
            before = replace(bound, times=before.times + 1)
            continue
        if before is not None:
            yield before
        before = bound
    if before is not None:
        yield before


def check_of(record: Record) -> CheckReport:
    about = (record.goal_id, record.action_id, record.code, record.reason or "")
    return CheckReport(*about, record.check)


def questions_in(records: Sequence[Record]) -> Iterator[QuestionReport]:
    """Give what a person was asked, and what they said."""
    answers = {each.question: each.choice for each in records if each.event == "question.answered"}
    for record in records:
        if record.event == "question.asked":
            said = (record.goal_id, record.question, record.message or "", record.options)
            yield QuestionReport(*said, record.role, answers.get(record.question))


def approvals_in(records: Sequence[Record]) -> Iterator[ApprovalReport]:
    """Give what waited for a yes, and how it was ruled."""
    ruled = {each.approval: each for each in records if each.event == "approval.ruled"}
    for record in records:
        if record.event == "approval.asked":
            ruling = ruled.get(record.approval)
            yield ApprovalReport(
                record.goal_id,
                record.approval,
                record.kind,
                record.description,
                record.targets,
                None if ruling is None else ruling.allow,
                "" if ruling is None else ruling.by or "person",
            )


def actions_in(records: Sequence[Record]) -> Iterator[ActionReport]:
    """Give the actions in the order in which they began, each with its end."""
    started = set()
    for place, record in enumerate(records):
        if record.event == "action.finished" and record.action_id not in started:
            yield ended_action(record, record)  # an observation has one record alone
        if record.event != "action.started":
            continue
        started.add(record.action_id)
        ends = (
            later
            for later in records[place:]
            if later.event == "action.finished"
            and (later.goal_id, later.action_id) == (record.goal_id, record.action_id)
        )
        yield ended_action(record, next(ends, None))


def ended_action(begun: Record, end: Record | None) -> ActionReport:
    """Describe an action by its beginning and its end, if it came to one."""
    about = (begun.goal_id, begun.tool, begun.description)
    if end is None:
        return ActionReport(*about, action=begun.action_id)
    return ActionReport(
        *about,
        end.status,
        end.verified,
        end.message or end.reason,
        action=begun.action_id,
        code=end.code,
        ms=end.ms,
    )


def times_in(records: Sequence[Record]) -> tuple[StageTime, ...]:
    """Say where the time went: what is between two records belongs to what the later one ends."""
    timed = sorted(
        ((each.ts, each) for each in records if each.ts is not None), key=lambda pair: pair[0]
    )
    spent: dict[Stage, float] = {}

    def spend(stage: Stage, ms: float) -> None:
        spent[stage] = spent.get(stage, 0.0) + ms

    for (before, _), (at, record) in pairwise(timed):
        ms = (at - before).total_seconds() * 1000
        if record.event == "target.resolved" and record.ms is not None:
            spend("binding", min(ms, record.ms))
            ms = max(0.0, ms - record.ms)
        spend(STAGES.get(record.event, "understanding"), ms)
    return tuple(StageTime(stage, round(ms, 3)) for stage, ms in spent.items() if round(ms, 3))


def cut(text: str, longest: int = 48) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def as_json(told: Explanation) -> bytes:
    return msgspec.json.format(msgspec.json.encode(told), indent=2)
