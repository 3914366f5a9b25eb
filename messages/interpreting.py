"""The Interpreter's conversation: words or drafted goals in, a MetaGoal out."""

from collections.abc import Mapping
from typing import TypeAlias

from messages.goals import GoalDraft, MetaGoal, ScopeWarning
from messages.message import Data, Message, Request, Value
from messages.phrases import Parsed, ParsedCommand
from messages.targets import Options
from messages.verbs import Role, Verbs


class Interpreted(Message, frozen=True):
    """The command was understood; ``passed_over`` are words that became part of no goal."""

    command_id: str
    meta: MetaGoal
    warnings: tuple[ScopeWarning, ...] = ()
    passed_over: tuple[str, ...] = ()


class NotUnderstood(Message, frozen=True):
    """A clause did not parse: where it stands, and what would have worked."""

    command_id: str
    span: tuple[int, int]
    message: str
    suggestions: tuple[str, ...] = ()


class Alternative(Data, frozen=True):
    """One way in which a text can be meant: a command that says it, and the goals it comes to."""

    text: str
    drafts: tuple[GoalDraft, ...]


class Doubtful(Message, frozen=True):
    """A clause has readings of different effect: a person must say which is meant.

    ``polar`` if yes means the first way, and no the second.
    """

    command_id: str
    message: str
    ways: tuple[Alternative, ...]
    polar: bool = True


Interpretation: TypeAlias = Interpreted | NotUnderstood | Doubtful


class Interpret(Request[Interpretation], frozen=True):
    """Make a MetaGoal of a text, or of goals that a client drafted itself.

    ``on_page`` if the session has a web page before it: words may then be what that page calls
    something that can be done there.
    """

    command_id: str
    text: str | None = None
    drafts: tuple[GoalDraft, ...] = ()
    on_page: bool = False


class Split(Message, frozen=True):
    """The ways to split the words of one command into roles, best first."""

    readings: tuple[ParsedCommand, ...]


class NotSplit(Message, frozen=True):
    """The words begin with no verb that is declared."""

    message: str
    near: tuple[str, ...] = ()


class SplitWords(Request[Split | NotSplit], frozen=True):
    """Split a text by these verbs, or read the spans that a client split itself."""

    verbs: Verbs
    options: Options
    text: str | None = None
    parsed: Parsed | None = None


CHOOSE = "choose"


class Chosen(Message, frozen=True):
    """An answer as words for a thing: commands to ``CHOOSE`` it among the options."""

    command_id: str
    question: str
    readings: tuple[ParsedCommand, ...]


class ReadChoice(Request[Chosen], frozen=True):
    """Read a free answer: a phrase, or the command that ``asked``, said again in other words.

    That command is of this ``domain`` and has these ``params``; ``on_page`` if it is about a page.
    """

    command_id: str
    question: str
    role: Role
    text: str
    verbs: Verbs
    asked: tuple[ParsedCommand, ...] = ()
    domain: str = ""
    params: Mapping[str, Value] = {}
    on_page: bool = False


Inbox: TypeAlias = Interpret | SplitWords | ReadChoice
