"""The Interpreter's conversation: words or drafted goals in, a MetaGoal out."""

from typing import TypeAlias

from messages.goals import GoalDraft, MetaGoal, ScopeWarning
from messages.message import Message, Request


class Interpreted(Message, frozen=True):
    """The command was understood."""

    command_id: str
    meta: MetaGoal
    warnings: tuple[ScopeWarning, ...] = ()


class NotUnderstood(Message, frozen=True):
    """A clause did not parse: where it stands, and what would have worked."""

    command_id: str
    span: tuple[int, int]
    message: str
    suggestions: tuple[str, ...] = ()


Interpretation: TypeAlias = Interpreted | NotUnderstood


class Interpret(Request[Interpretation], frozen=True):
    """Make a MetaGoal of a text, or of goals that a client drafted itself."""

    command_id: str
    text: str | None = None
    drafts: tuple[GoalDraft, ...] = ()


Inbox: TypeAlias = Interpret
