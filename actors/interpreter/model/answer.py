"""The shape of a model's answer: goals, or that nothing of it is supported."""

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from messages.goals import scopes
from messages.message import Data, Scalar

Why: TypeAlias = Literal["negated", "condition", "schedule", "question", "unclear", "no_such_verb"]

MAX_GOALS = 20
WHYS: tuple[str, ...] = get_args(Why)
SAID: Mapping[Why, str] = {
    "negated": "it asks for nothing to be done",
    "condition": "conditions are not supported",
    "schedule": "schedules are not supported",
    "question": "it is a question, not a command",
    "unclear": "it is not clear what is to be done",
    "no_such_verb": "nothing of this is supported",
}


class ModelGoal(Data, frozen=True):
    """One goal as a model states it; ``null`` stands for what was not said.

    ``verb`` is a name of the table, such as ``file.create``; its domain may also stand by itself.
    ``unlisted`` names, in the same form, a verb that the table does not have. ``takes`` gives a
    parameter the output of an earlier goal, by that goal's id.
    """

    verb: str = ""
    domain: str = ""
    unlisted: str = ""
    params: Mapping[str, Scalar | tuple[Scalar, ...]] = {}
    roles: Mapping[str, str | None] = {}
    takes: Mapping[str, str | None] = {}
    scope: str | tuple[str, ...] = "root"

    def key(self) -> tuple[str, str]:
        """Give domain and verb, however they were written; either is empty if it is missing."""
        if self.domain:
            return self.domain, self.verb or self.unlisted
        domain, _, verb = (self.verb or self.unlisted).partition(".")
        return domain, verb

    def name(self) -> str:
        return ".".join(self.key())

    def stated(self) -> dict[str, Scalar | tuple[Scalar, ...]]:
        """Give the parameters that have a value; a list of one is that one, a blank is none."""
        values = {name: value for name, value in self.params.items() if not is_blank(value)}
        return {
            name: value[0] if isinstance(value, tuple) and len(value) == 1 else value
            for name, value in values.items()
        }

    def phrases(self) -> dict[str, str]:
        """Give the roles that have words."""
        return {role: words for role, words in self.roles.items() if words}

    def taken(self) -> dict[str, str]:
        """Give the parameters that take the output of a goal."""
        return {name: goal for name, goal in self.takes.items() if goal}

    def scopes(self) -> tuple[str, ...]:
        return scopes(self.scope)


class Goals(Data, frozen=True, tag_field="kind", tag="goals"):
    """The words ask for these."""

    goals: tuple[ModelGoal, ...]


class Unsupported(Data, frozen=True, tag_field="kind", tag="unsupported"):
    """The words ask for nothing that the table has."""

    why: Why


class ModelAnswer(Data, frozen=True):
    """The whole answer; one object at the root, as structured output wants it."""

    answer: Goals | Unsupported


def is_blank(value: Scalar | tuple[Scalar, ...]) -> bool:
    """Tell whether a value says nothing."""
    return value in (None, ()) or (isinstance(value, str) and not value.strip())


def json_in(written: str) -> str:
    r"""Give the object in what a model wrote: without a code fence, or prose, around it.

    >>> json_in('```json\n{"a": 1}\n```')
    '{"a": 1}'
    """
    start, end = written.find("{"), written.rfind("}")
    return written[start : end + 1] if 0 <= start < end else written
