"""What a person wants: goals, and how they depend on each other."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from messages.message import Data, Value, freeze
from messages.phrases import ParsedCommand, Phrase

MetaType: TypeAlias = Literal["single", "independent_multi", "dependent_multi"]
Severity: TypeAlias = Literal["warning", "error"]
Scope: TypeAlias = str | tuple[str, ...]


# What scopes that mean a place may begin with, right or wrong. A wrong one is never ignored.
PLACE_WORDS = frozenset({"in", "inside", "into", "within", "under", "on", "at", "drive", "folder"})


def scopes(scope: Scope) -> tuple[str, ...]:
    """Give the scopes as a tuple, however many were stated."""
    return (scope,) if isinstance(scope, str) else scope


def shift_goal_id(goal: str, by: int) -> str:
    """Give the id of the goal that stands so many places behind another.

    >>> shift_goal_id("g2", 3)
    'g5'
    """
    number = goal.removeprefix("g")
    return f"g{int(number) + by}" if number.isdecimal() else goal


class GoalDraft(Data, frozen=True):
    """A goal as a client or a grammar states it: no id yet, scopes still words.

    ``roles`` are words for things; ``words``, instead of them, are the whole clause, where only
    the world can tell which of its words stand for what. ``takes`` are parameters whose value is
    the output of an earlier goal, by its id.
    """

    domain: str
    verb: str
    params: Mapping[str, Value] = {}
    roles: Mapping[str, str] = {}
    words: str | None = None
    object: str | None = None
    scope: Scope = "root"
    takes: Mapping[str, str] = {}

    def __post_init__(self) -> None:
        freeze(self, "params", "roles", "takes")


class Goal(Data, frozen=True):
    """A parametric goal: ``params`` are values, ``roles`` are phrases bound late.

    ``readings`` are the ways in which its words can be split into roles, best first.
    ``inside_of`` is the earlier goal that creates what an ``inside:`` scope names.
    """

    goal_id: str
    domain: str
    verb: str
    params: Mapping[str, Value] = {}
    roles: Mapping[str, Phrase] = {}
    readings: tuple[ParsedCommand, ...] = ()
    object: str | None = None
    scope: Scope = "root"
    inside_of: str | None = None
    resolved_path: str | None = None
    takes: Mapping[str, str] = {}

    def __post_init__(self) -> None:
        freeze(self, "params", "roles", "takes")


class ScopeWarning(Data, frozen=True):
    """A scope that was dropped, and why. An error is a reference that could have made a cycle."""

    goal_id: str
    scope: str
    severity: Severity
    reason: str


class MetaGoal(Data, frozen=True):
    """All goals of a command and the acyclic order between them.

    ``dependencies`` maps a goal's index to the indexes of the goals it waits for. ``together`` are
    goals on one page, by their indexes: all of them must be there before the first is done.
    """

    meta_type: MetaType
    goals: tuple[Goal, ...]
    dependencies: Mapping[int, tuple[int, ...]] = {}
    together: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        freeze(self, "dependencies")
        count = len(self.goals)
        if not count:
            raise ValueError("a MetaGoal needs at least one goal")
        for index, goal in enumerate(self.goals):
            if goal.goal_id != f"g{index}":
                raise ValueError(f"goal {index} must have the id g{index}, not {goal.goal_id!r}")
        for child, parents in self.dependencies.items():
            if not 0 <= child < count or any(not 0 <= parent < child for parent in parents):
                raise ValueError(f"goal {child} can only depend on earlier goals, not {parents}")
        if self.meta_type != meta_type_of(count, self.dependencies):
            raise ValueError(f"{count} goals with these dependencies are not {self.meta_type}")

    def parents(self, index: int) -> tuple[int, ...]:
        """Give the indexes of the goals that goal ``index`` waits for."""
        return self.dependencies.get(index, ())


def meta_type_of(count: int, dependencies: Mapping[int, tuple[int, ...]]) -> MetaType:
    """Say which kind of MetaGoal this many goals with these dependencies make."""
    if count == 1:
        return "single"
    return "dependent_multi" if any(dependencies.values()) else "independent_multi"
