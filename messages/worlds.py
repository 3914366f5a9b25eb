"""A world as it is now: things, where they are, and what can be said of them."""

from collections import Counter
from collections.abc import Mapping
from typing import TypeAlias

from messages.message import Data, Scalar

# Kinds of beings: any part of their name may stand for them, and nobody looks into their pockets.
BEINGS = frozenset(
    {
        "person", "actor", "npc", "character", "player", "creature", "animal", "monster",
        "human", "being", "man", "woman", "child",
    }
)  # fmt: skip

Qualifiers: TypeAlias = Mapping[str, str | tuple[str, ...]] | tuple[str, ...]


class Hints(Data, frozen=True, omit_defaults=True, rename="camel", forbid_unknown_fields=False):
    """How a person is asked about a thing.

    A label counts least: its words only tell apart what goes by the noun already, and all of it
    brings back the thing it was offered for, where nothing else goes by these words.
    """

    disambiguation_label: str | None = None
    descriptors: tuple[str, ...] = ()
    interchangeable: bool = False


class Metadata(Data, frozen=True, omit_defaults=True, forbid_unknown_fields=False):
    """What a world knows about a thing beside what it is called."""

    resolution: Hints = Hints()


class Exit(Data, frozen=True):
    """A way out of a room, perhaps through a door."""

    to: str
    door: str | None = None


class Thing(Data, frozen=True, omit_defaults=True):
    """One thing that words could mean: a sword, a file, a button.

    ``location`` is the thing, room or person it is at, ``relation`` how (in, on, under);
    ``state`` holds words such as ``closed``; ``measures`` are what "newest" and "largest" compare.
    A ``proper`` name is a name and no noun: a folder called "pictures" is not the newest picture.
    """

    id: str
    name: str
    kind: str = "thing"
    aliases: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    adjectives: tuple[str, ...] = ()
    qualifiers: Qualifiers = ()
    location: str | None = None
    relation: str = "in"
    state: tuple[str, ...] = ()
    owner: str | None = None
    proper: bool = False
    exits: Mapping[str, str | Exit] = {}
    measures: Mapping[str, float] = {}
    description: str = ""
    attributes: Mapping[str, Scalar] = {}
    metadata: Metadata = Metadata()

    def names(self) -> tuple[str, ...]:
        """Give all that the thing is called."""
        return (self.name, *self.aliases)


class World(Data, frozen=True, omit_defaults=True):
    """Things in the order in which they are enumerated, and who is acting.

    ``scopes`` name lists of things by id, beside those that follow from where the actor is
    (``inventory``, ``worn``, ``room``, ``exits``, ``self``, ``world``).
    """

    things: tuple[Thing, ...] = ()
    actor: str | None = None
    scopes: Mapping[str, tuple[str, ...]] = {}

    def __post_init__(self) -> None:
        ids = {thing.id for thing in self.things}
        if len(ids) != len(self.things):
            counted = Counter(thing.id for thing in self.things)
            raise ValueError(f"two things have the id {counted.most_common(1)[0][0]!r}")
        if self.actor is not None and self.actor not in ids:
            raise ValueError(f"`actor` is {self.actor!r}, which is no thing of this world")
        for name, members in self.scopes.items():
            for member in members:
                if member not in ids:
                    raise ValueError(f"`scopes.{name}` names {member!r}, which is no thing")
