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
    """One goal as a model states it; ``null`` stands for what was not said."""

    domain: str
    verb: str
    params: Mapping[str, Scalar | tuple[Scalar, ...]] = {}
    roles: Mapping[str, str | None] = {}
    scope: str | tuple[str, ...] = "root"

    def name(self) -> str:
        return f"{self.domain}.{self.verb}"

    def stated(self) -> dict[str, Scalar | tuple[Scalar, ...]]:
        """Give the parameters that have a value."""
        return {name: value for name, value in self.params.items() if value is not None}

    def phrases(self) -> dict[str, str]:
        """Give the roles that have words."""
        return {role: words for role, words in self.roles.items() if words}

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
