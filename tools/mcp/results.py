"""What the tools give back: small typed results. Their schemas are what clients are told."""

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from messages import wire
from messages.explaining import PastCommand
from messages.failures import Target
from messages.goals import Goal
from messages.results import GoalResult
from messages.targets import Binding

Status: TypeAlias = Literal[
    "success",
    "partial",
    "failed",
    "cancelled",
    "in_doubt",
    "queued",
    "running",
    "question",
    "approval_needed",
]


class Result(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a tool gives back; what is empty or does not apply is left out."""


class QuestionOption(Result, frozen=True):
    """One option of a question."""

    number: int
    text: str


class OpenQuestion(Result, frozen=True):
    """A question that waits for an answer."""

    question: Annotated[str, Meta(description="its id, for `answer`")]
    command: str
    message: str
    options: tuple[QuestionOption, ...]
    seconds: Annotated[float, Meta(description="how long it waits")]

    @classmethod
    def of(cls, question: wire.Question) -> "OpenQuestion":
        options = tuple(QuestionOption(each.number, each.text) for each in question.options)
        return cls(question.question, question.command, question.message, options, question.seconds)


class PendingApproval(Result, frozen=True):
    """Something that is not done before a person has allowed it."""

    approval: Annotated[str, Meta(description="its id")]
    command: str
    kind: Annotated[str, Meta(description="delete, overwrite, upload, close, power, pay, send ...")]
    description: str
    targets: Annotated[tuple[str, ...], Meta(description="the first things it would be done to")]
    count: Annotated[int, Meta(description="how many things there are")]
    seconds: Annotated[float, Meta(description="how long it waits; then it is not done")]
    size: Annotated[int | None, Meta(description="bytes they have together")] = None

    @classmethod
    def of(cls, wanted: wire.ApprovalNeeded) -> "PendingApproval":
        targets = tuple(each.name for each in wanted.targets)
        return cls(
            wanted.approval,
            wanted.command,
            wanted.kind,
            wanted.description,
            targets,
            max(wanted.count, len(targets)),
            wanted.seconds,
            wanted.size,
        )


class GoalOutcome(Result, frozen=True):
    """What became of one goal of a command."""

    goal: str
    status: str
    code: str | None = None
    message: str | None = None
    output: Annotated[Any, Meta(description="what its tool reported: a path, a text, rows")] = None
    verified: Annotated[bool, Meta(description="its effect was looked for and seen")] = False

    @classmethod
    def of(cls, result: GoalResult) -> "GoalOutcome":
        code = None if result.code is None else str(result.code)
        return cls(result.goal, result.status, code, result.message, result.output, result.verified)


class Outcome(Result, frozen=True):
    """How a command stands or ended."""

    command: Annotated[str, Meta(description="its id, for `status`, `explain` and `undo`")]
    status: Status
    next_step: Annotated[str, Meta(description="what to do now, if anything is left to do")] = ""
    code: Annotated[str | None, Meta(description="why not all was done: a stable code")] = None
    message: str | None = None
    suggestions: Annotated[
        tuple[str, ...], Meta(description="phrasings that would be understood")
    ] = ()
    unclear: Annotated[
        tuple[int, int] | None, Meta(description="the characters of the text that are not clear")
    ] = None
    results: Annotated[tuple[GoalOutcome, ...], Meta(description="one for each goal")] = ()
    question: OpenQuestion | None = None
    approval: PendingApproval | None = None
    understood: Annotated[tuple[str, ...], Meta(description="the goals that were understood")] = ()
    passed_over: Annotated[
        tuple[str, ...], Meta(description="words that say nothing to be done")
    ] = ()
    actions: Annotated[tuple[str, ...], Meta(description="what is or would be done")] = ()
    repeated: Annotated[
        bool, Meta(description="this id was used before: nothing new was begun")
    ] = False


class DaemonHealth(Result, frozen=True):
    """How the daemon does."""

    version: str
    uptime: Annotated[float, Meta(description="in seconds")]
    running: Annotated[tuple[str, ...], Meta(description="ids of commands under way")] = ()
    queued: int = 0
    finished: int = 0
    latest: Annotated[tuple[str, ...], Meta(description="ids that ended, newest first")] = ()


class StatusReport(Result, frozen=True):
    """How a command stands or, without one, how the daemon does and what it waits for."""

    outcome: Outcome | None = None
    daemon: DaemonHealth | None = None
    questions: tuple[OpenQuestion, ...] = ()
    approvals: tuple[PendingApproval, ...] = ()


class Alternative(Result, frozen=True):
    """One of several things that words could mean."""

    number: int
    text: str
    target: Target


class ResolvedWords(Result, frozen=True):
    """What words mean in a world, or why they mean nothing there."""

    ok: bool
    verb: str | None = None
    relation: str | None = None
    bindings: tuple[Binding, ...] = ()
    code: str | None = None
    message: str | None = None
    options: Annotated[
        tuple[Alternative, ...], Meta(description="what could be meant, if several things could be")
    ] = ()

    @classmethod
    def of(cls, found: wire.Resolution) -> "ResolvedWords":
        return cls(
            found.ok,
            found.verb,
            found.relation_token_canonical,
            found.bindings,
            None if found.code is None else str(found.code),
            found.message,
            tuple(Alternative(each.number, each.text, each.target) for each in found.options),
        )


class CommandHistory(Result, frozen=True):
    """Commands that there were, the newest first."""

    commands: tuple[PastCommand, ...]
    next: Annotated[str | None, Meta(description="give it as `before` for older ones")] = None


class RecipeRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """A recipe that was taught, or the file of one that cannot be used."""

    name: str
    steps: int | None = None
    values: Annotated[str, Meta(description="the values that it takes, by name")] = ""
    say: Annotated[str, Meta(description="words for `submit` that run it")] = ""
    problem: str | None = None


class Recipes(Result, frozen=True):
    """The recipes that `run_recipe` can run."""

    recipes: tuple[RecipeRow, ...]


def goal_line(goal: Goal) -> str:
    """Say in a line how a goal was understood.

    >>> goal_line(Goal("g0", "file", "create", {"name": "trips", "object_type": "folder"}))
    'g0 file.create name=trips object_type=folder'
    """
    values = (f"{name}={value}" for name, value in goal.params.items())
    roles = (f"{role}={phrase.text!r}" for role, phrase in goal.roles.items())
    words = (each.normalized_input for each in goal.readings[:1])
    return " ".join((goal.goal_id, f"{goal.domain}.{goal.verb}", *values, *roles, *words))
