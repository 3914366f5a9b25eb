"""What is kept of decisions, so that they can be made again: requests, answers, and what was seen.

A file of them stands alone: it begins with the settings that decisions depend on, and what a
request refers to by its name stands before it in the same file.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from messages.interpreting import Chosen, Interpret, Interpretation, ReadChoice
from messages.message import Message
from messages.modelling import Answered, ModelFailed
from messages.pages import Page
from messages.planning import (
    CoursePlanned,
    MakePlans,
    PlanCourse,
    PlanReveal,
    PlansMade,
    RevealPlanned,
)
from messages.plans import ToolCapability, WorldState
from messages.rules import SearchEngine
from messages.targets import Resolution, Resolve
from messages.taught import Taught
from messages.verbs import Verbs
from messages.worlds import World


class Setting(Message, frozen=True):
    """What decisions depend on besides what they are asked: it is the same for a whole file.

    ``bundle`` is the name of the world that was played; one that does not come with Behest has its
    ``verbs`` here.
    """

    version: str
    anchors: tuple[str, ...] = ()
    engines: Mapping[str, SearchEngine] = {}
    bundle: str = ""
    verbs: Mapping[str, Any] = {}


class Snapshot(Message, frozen=True):
    """Something large that requests refer to, by a digest of it; one field has a value."""

    name: str
    world: World | None = None
    page: Page | None = None
    state: WorldState | None = None
    capabilities: tuple[ToolCapability, ...] | None = None
    verbs: Verbs | None = None
    recipes: Mapping[str, Taught] | None = None


class InterpretWith(Message, frozen=True):
    """Understand a command with more than the tables: recipes of the user's, a model's answers.

    ``mode`` is who understands words here. The ``answers`` are what the model said to this text, or
    why it said nothing, in the order in which it was asked.
    """

    request: Interpret
    mode: Literal["grammar", "model", "auto"] = "grammar"
    answers: tuple[Answered | ModelFailed, ...] = ()
    recipes: Mapping[str, Taught] = {}

    @property
    def command_id(self) -> str:
        return self.request.command_id


class PlanCourseWith(Message, frozen=True):
    """Plan a chore in steps, with what the planner knew of the world then."""

    request: PlanCourse
    world: WorldState = WorldState()
    capabilities: tuple[ToolCapability, ...] = ()

    @property
    def command_id(self) -> str:
        return self.request.command_id


Decision: TypeAlias = (
    Interpret | InterpretWith | ReadChoice | MakePlans | PlanReveal | PlanCourseWith | Resolve
)
Decided: TypeAlias = (
    Interpretation | Chosen | PlansMade | RevealPlanned | CoursePlanned | Resolution
)


class Recorded(Message, frozen=True):
    """A decision: what was asked, and what was answered.

    ``seen`` names the snapshots that belong into the request, by the field that each fills.
    """

    request: Decision
    reply: Decided
    seen: Mapping[str, str] = {}


Line: TypeAlias = Setting | Snapshot | Recorded
