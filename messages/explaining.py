"""Why a command did what it did, and which commands there were: told from what was recorded."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from messages.message import Data, Value
from messages.results import Code, CommandStatus
from messages.targets import Considered

Stage: TypeAlias = Literal[
    "waiting", "understanding", "planning", "looking", "binding", "acting", "writing"
]


class DroppedReading(Data, frozen=True, omit_defaults=True):
    """A way to read the words that was not taken: what it came to, and why not."""

    why: str
    goals: tuple[str, ...] = ()
    words: str = ""


class GoalReport(Data, frozen=True, omit_defaults=True):
    """One goal: which words of the text it is from, what it asks for, what became of it.

    ``span`` are the first and the last character of its clause, ``words`` the clause itself.
    ``near`` are names that are there and were nearly said. ``gave`` is what came of it, cut short.
    """

    goal: str
    does: str
    words: str = ""
    span: tuple[int, int] | None = None
    params: Mapping[str, Value] = {}
    roles: Mapping[str, str] = {}
    takes: Mapping[str, str] = {}
    waits_for: tuple[str, ...] = ()
    status: str = ""
    code: Code | None = None
    message: str | None = None
    blocker: str | None = None
    unmet: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    gave: str = ""


class PlanReport(Data, frozen=True, omit_defaults=True):
    """The actions of one goal, or why there are none; goals ``merged`` with it share its action."""

    goal: str
    status: str
    actions: tuple[str, ...] = ()
    reason: str | None = None
    merged: tuple[str, ...] = ()


class BindingReport(Data, frozen=True, omit_defaults=True):
    """How words of one role came to mean something: what was taken, by which clues, and not what.

    ``chosen`` are empty if nothing was bound; ``outcome`` says then why. A page that is still
    changing is looked at several ``times``. ``runner_up`` is the best of what was ``dropped``, and
    ``why_not`` says what decided against it. ``near`` are names that were nearly said.
    ``snapshot`` names what was looked at last.
    """

    goal: str
    role: str
    words: str
    outcome: str
    searched: int = 0
    times: int = 1
    chosen: tuple[Considered, ...] = ()
    dropped: tuple[Considered, ...] = ()
    action: str = ""
    runner_up: Considered | None = None
    why_not: str = ""
    other_readings: tuple[DroppedReading, ...] = ()
    near: tuple[str, ...] = ()
    snapshot: str = ""


class CheckReport(Data, frozen=True, omit_defaults=True):
    """An action that policy or its tool refused before it began."""

    goal: str
    action: str
    code: str
    reason: str
    check: str = ""


class QuestionReport(Data, frozen=True, omit_defaults=True):
    """A question to a person, and the answer; None if there was none."""

    goal: str
    question: str
    message: str
    options: tuple[str, ...] = ()
    role: str = ""
    answer: str | None = None


class ApprovalReport(Data, frozen=True, omit_defaults=True):
    """What waited for a yes, and how it was ruled; None if nobody did. ``by`` a flag, or a person.

    ``targets`` are the first things that it would be done to.
    """

    goal: str
    approval: str
    kind: str
    description: str
    targets: tuple[str, ...] = ()
    allowed: bool | None = None
    by: str = ""


class ActionReport(Data, frozen=True, omit_defaults=True):
    """One action and how it ended; its effect was ``verified`` if it was looked for and seen.

    ``facts`` are what was seen to hold afterwards. ``undoable`` says that it can be put back,
    ``lasting`` why it cannot. ``ms`` is how long its tool took.
    """

    goal: str
    tool: str
    description: str
    status: str = "running"
    verified: bool = False
    message: str | None = None
    action: str = ""
    code: str = ""
    ms: float | None = None
    facts: tuple[str, ...] = ()
    undoable: bool = False
    lasting: str = ""


class StageTime(Data, frozen=True):
    """How long a command was in one stage, in milliseconds."""

    stage: Stage
    ms: float


class Explanation(Data, frozen=True, omit_defaults=True):
    """All that is on record of one command.

    ``goals`` are the verbs that were understood, ``understood`` the goals in full. ``passed_over``
    are words that became part of no goal. The ``times`` add up to the time from its acceptance to
    its end: what is between two records belongs to what the later one ends. ``cut`` if some
    records were dropped because there were too many.
    """

    command: str
    text: str | None = None
    goals: tuple[str, ...] = ()
    bindings: tuple[BindingReport, ...] = ()
    actions: tuple[ActionReport, ...] = ()
    status: str | None = None
    session: str = ""
    mode: str = ""
    accepted: float | None = None
    ended: float | None = None
    code: str = ""
    message: str | None = None
    suggestions: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
    dropped_readings: tuple[DroppedReading, ...] = ()
    understood: tuple[GoalReport, ...] = ()
    plans: tuple[PlanReport, ...] = ()
    checks: tuple[CheckReport, ...] = ()
    questions: tuple[QuestionReport, ...] = ()
    approvals: tuple[ApprovalReport, ...] = ()
    times: tuple[StageTime, ...] = ()
    schedule: str = ""
    undoes: str = ""
    undone_by: str = ""
    cut: bool = False


class PastCommand(Data, frozen=True):
    """A command that the journal knows; times are seconds since 1970.

    ``goals`` are the verbs of a command without words. ``actions`` counts those that came to a
    result. ``status`` is None until it has ended. It is ``undoable`` if something of it can be put
    back, and it ``undoes`` another, or was ``undone_by`` it.
    """

    command: str
    session: str
    accepted: float
    text: str | None = None
    goals: tuple[str, ...] = ()
    mode: str = "run"
    status: CommandStatus | None = None
    code: Code | None = None
    message: str | None = None
    ended: float | None = None
    actions: int = 0
    undoable: bool = False
    undoes: str = ""
    undone_by: str = ""
    schedule: str = ""
