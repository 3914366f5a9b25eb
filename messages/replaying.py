"""What is kept of decisions, so that they can be made again: requests, answers, and what was seen.

A file of them stands alone: it begins with the settings that decisions depend on, and what a
request refers to by its name stands before it in the same file.
"""

from collections.abc import Mapping
from typing import TypeAlias

from messages.interpreting import Interpret, Interpretation
from messages.message import Message
from messages.pages import Page
from messages.planning import MakePlans, PlanReveal, PlansMade, RevealPlanned
from messages.plans import ToolCapability, WorldState
from messages.rules import SearchEngine
from messages.targets import Resolution, Resolve
from messages.verbs import Verbs
from messages.worlds import World


class Setting(Message, frozen=True):
    """What decisions depend on besides what they are asked: it is the same for a whole file."""

    version: str
    anchors: tuple[str, ...] = ()
    engines: Mapping[str, SearchEngine] = {}
    bundle: str = ""


class Snapshot(Message, frozen=True):
    """Something large that requests refer to, by a digest of it; one field has a value."""

    name: str
    world: World | None = None
    page: Page | None = None
    state: WorldState | None = None
    capabilities: tuple[ToolCapability, ...] | None = None
    verbs: Verbs | None = None


Decision: TypeAlias = Interpret | MakePlans | PlanReveal | Resolve
Decided: TypeAlias = Interpretation | PlansMade | RevealPlanned | Resolution


class Recorded(Message, frozen=True):
    """A decision: what was asked, and what was answered.

    ``seen`` names the snapshots that belong into the request, by the field that each fills.
    """

    request: Decision
    reply: Decided
    seen: Mapping[str, str] = {}


Line: TypeAlias = Setting | Snapshot | Recorded
