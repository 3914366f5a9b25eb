"""What policy is asked about: an action, the things it is bound to, and a check's no."""

from collections.abc import Mapping

from messages.message import Data, Value
from messages.plans import PlannedAction
from messages.results import Code
from messages.targets import Binding


class BoundContext(Data, frozen=True):
    """What is about to happen: the action, the arguments its tool would get, what was bound."""

    action: PlannedAction
    arguments: Mapping[str, Value]
    binding: Binding = Binding()
    relation: str | None = None


class Veto(Data, frozen=True):
    """A check's no: which check, its code, and the reason."""

    check: str
    code: Code
    reason: str
