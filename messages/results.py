"""What came of it: one result per action, one per goal, and the stable codes they carry."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, TypeAlias

import msgspec

from messages.failures import Details
from messages.message import Data, Value, as_read

ActionStatus: TypeAlias = Literal["success", "failed", "cancelled", "in_doubt"]
GoalStatus: TypeAlias = Literal[
    "success",
    "partial",
    "failed",
    "skipped",
    "cancelled",
    "in_doubt",
    "planned",
    "rule_not_found",
    "validation_failed",
    "blocked",
    "no_capability",
]
CommandStatus: TypeAlias = Literal["success", "partial", "failed", "cancelled", "in_doubt"]


class Code(StrEnum):
    """Why something did not happen. Codes are a promise: they are added, never renamed."""

    # the words
    NOT_UNDERSTOOD = "NOT_UNDERSTOOD"
    # the plan
    RULE_NOT_FOUND = "RULE_NOT_FOUND"
    VALIDATION_FAILED = "VALIDATION_FAILED"
    BLOCKED = "BLOCKED"
    NO_CAPABILITY = "NO_CAPABILITY"
    PARTIAL = "PARTIAL"
    NOT_PLANNED = "NOT_PLANNED"
    # the form
    FORM_NOT_SUPPORTED = "FORM_NOT_SUPPORTED"
    FORM_DIRECT_NOT_SUPPORTED = "FORM_DIRECT_NOT_SUPPORTED"
    FORM_INDIRECT_NOT_SUPPORTED = "FORM_INDIRECT_NOT_SUPPORTED"
    FORM_MISSING_DIRECT = "FORM_MISSING_DIRECT"
    FORM_MISSING_INDIRECT = "FORM_MISSING_INDIRECT"
    FORM_MISSING_RELATION = "FORM_MISSING_RELATION"
    FORM_UNSUPPORTED_RELATION = "FORM_UNSUPPORTED_RELATION"
    # the target
    TARGET_NOT_FOUND = "TARGET_NOT_FOUND"
    AMBIGUOUS_TARGET = "AMBIGUOUS_TARGET"
    TARGET_STALE = "TARGET_STALE"
    TARGET_HIDDEN = "TARGET_HIDDEN"
    TARGET_COVERED = "TARGET_COVERED"
    # the run
    PARENT_FAILED = "PARENT_FAILED"
    CONDITION_NOT_MET = "CONDITION_NOT_MET"
    CANCELLED = "CANCELLED"
    DEADLINE_PASSED = "DEADLINE_PASSED"
    SHUTTING_DOWN = "SHUTTING_DOWN"
    CRASHED = "CRASHED"
    # the action
    TIMEOUT = "TIMEOUT"
    EFFECT_MISSING = "EFFECT_MISSING"
    NOT_FEASIBLE = "NOT_FEASIBLE"
    OUTSIDE_ROOTS = "OUTSIDE_ROOTS"
    NOT_ALLOWED = "NOT_ALLOWED"
    NOT_APPROVED = "NOT_APPROVED"
    ALREADY_EXISTS = "ALREADY_EXISTS"
    WOULD_OVERWRITE = "WOULD_OVERWRITE"
    CHANGED_SINCE = "CHANGED_SINCE"
    WRONG_KIND = "WRONG_KIND"
    TOO_LARGE = "TOO_LARGE"
    IO_FAILED = "IO_FAILED"
    UNAVAILABLE = "UNAVAILABLE"
    PAGE_ERROR = "PAGE_ERROR"
    DIALOG_OPEN = "DIALOG_OPEN"
    # the wire
    BAD_JSON = "BAD_JSON"
    BAD_REQUEST = "BAD_REQUEST"
    UNKNOWN_TYPE = "UNKNOWN_TYPE"
    FRAME_TOO_LARGE = "FRAME_TOO_LARGE"
    UNKNOWN_COMMAND = "UNKNOWN_COMMAND"
    UNKNOWN_QUESTION = "UNKNOWN_QUESTION"
    UNKNOWN_APPROVAL = "UNKNOWN_APPROVAL"
    BAD_CHOICE = "BAD_CHOICE"
    BUSY = "BUSY"
    # the journal
    NOT_DURABLE = "NOT_DURABLE"
    SHED = "SHED"
    UNAUTHORISED = "UNAUTHORISED"


class ActionResult(Data, frozen=True):
    """What one action came to; ``verified`` says whether its effect was seen afterwards."""

    action: str
    status: ActionStatus
    code: Code | None = None
    message: str | None = None
    output: Value = None
    verified: bool = False
    details: Details | None = None

    def __post_init__(self) -> None:
        if self.output is not None and isinstance(self.output, Mapping | tuple | list):
            msgspec.structs.force_setattr(self, "output", as_read(self.output))


class GoalResult(Data, frozen=True):
    """What became of one goal of a command.

    Of a failure, ``details`` say what its words were about, ``unmet`` which parts of the goal
    cannot be had, and ``blocker`` what stands in the way.
    """

    goal: str
    status: GoalStatus
    code: Code | None = None
    message: str | None = None
    action: str | None = None
    output: Value = None
    verified: bool = False
    details: Details | None = None
    unmet: tuple[str, ...] = ()
    blocker: str | None = None
