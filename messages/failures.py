"""What a failure is about: the things and words that a code and a message speak of."""

from messages.message import Data
from messages.verbs import Role


class Target(Data, frozen=True):
    """A concrete thing that was bound or is offered."""

    id: str
    name: str
    kind: str


class Reveal(Data, frozen=True):
    """What shows a thing that cannot be seen: used by a click, or by pointing at it.

    What leafs through slides or pages must be used as often as ``turns`` says.
    """

    target: Target
    hover: bool = False
    turns: int = 1


class Details(Data, frozen=True, omit_defaults=True):
    """What a failure is about, for those who word their own messages.

    It is ``answerable`` if choosing one of the options is all that is wanted: not for "two coins".
    """

    verb: str | None = None
    role: Role | None = None
    span: str | None = None
    relation: str | None = None
    accepted: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    answerable: bool = True
    reveal: Reveal | None = None
