"""Scopes: where a thing is, seen from a role's declared search spaces.

A thing is in a scope if the way up from it, container by container, ends at one of the scope's
own members within the depth allowed and leads through nothing closed. That is the same set as
walking down breadth first finds, and costs only as much as there are things to ask about.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from actors.language.words import canonical, fold
from messages.targets import Recent
from messages.verbs import DEFAULT_DEPTH, ScopeRef
from messages.worlds import BEINGS, Exit, Thing, World

SHUT = frozenset({"closed", "locked", "sealed"})
ROOM = "room"
NOTHING = Recent()
FEW_LOOKUPS = 4
PAGE = 256
DIRECTIONS: Mapping[str, str] = {
    "north": "n", "south": "s", "east": "e", "west": "w", "up": "u", "down": "d",
    "northeast": "ne", "northwest": "nw", "southeast": "se", "southwest": "sw",
}  # fmt: skip

IsMember: TypeAlias = Callable[[Thing], bool]


@dataclass(frozen=True, slots=True)
class Reach:
    """How a thing is reached: the scope's rank, how deep, and its place in the enumeration."""

    rank: int
    scope: str
    depth: int
    path: tuple[int, ...]

    @property
    def order(self) -> tuple[int, int, int]:
        """By scope, then by depth, then in the order of the world."""
        return self.rank, self.depth, self.path[-1]


class View:
    """A world as one actor sees it. Reads only what it was given."""

    __slots__ = (
        "_lookups",
        "_numbers",
        "_pages",
        "actor",
        "found",
        "recent",
        "room",
        "things",
        "ways",
        "world",
    )

    def __init__(self, world: World, actor: str | None = None, recent: Recent = NOTHING) -> None:
        self.world = world
        self.recent = recent
        self._pages: list[str] | None = None
        self.found: dict[object, object] = {}  # what was looked for once is not looked for again
        self.things: tuple[Thing, ...] = world.things
        self._numbers: dict[str, int] = {}
        self._lookups = 0
        self.actor = self.find(world.actor if actor is None else actor)
        self.room = self.room_of(self.actor)
        self.ways: set[str] = set()
        if self.room is not None and self.room.exits:
            for way in self.ways_out(self.room):
                self._numbers[way.id] = len(self.things)
                self.things = (*self.things, way)
                self.ways.add(way.id)

    def find(self, name: str | None) -> Thing | None:
        """Find a thing by its id."""
        number = None if name is None else self._number(name)
        return None if number is None else self.things[number]

    def number(self, thing: Thing) -> int:
        """Give a thing's place in the enumeration."""
        number = self._number(thing.id)
        assert number is not None  # noqa: S101  # it is one of ours
        return number

    def note(self, number: int) -> Thing:
        """Give the thing at a place in the enumeration, and remember that it is there."""
        thing = self.things[number]
        self._numbers[thing.id] = number
        return thing

    def _number(self, name: str) -> int | None:
        """Look an id up. The first few are looked for: an index of many things costs more."""
        number = self._numbers.get(name)
        if number is not None or self._lookups > FEW_LOOKUPS:
            return number
        self._lookups += 1
        if self._lookups > FEW_LOOKUPS:
            self._numbers = {thing.id: index for index, thing in enumerate(self.things)}
            return self._numbers.get(name)
        for index, thing in enumerate(self.things):
            if thing.id == name:
                self._numbers[name] = index
                return index
        return None

    def room_of(self, thing: Thing | None) -> Thing | None:
        """Find the room around a thing: the outermost place, or the first that is a room."""
        seen: set[str] = set()
        while thing is not None and thing.location is not None and thing.id not in seen:
            seen.add(thing.id)
            above = self.find(thing.location)
            if above is None or above.kind == ROOM:
                return above
            thing = above
        return thing if thing is not None and thing.kind == ROOM else None

    def ways_out(self, room: Thing) -> list[Thing]:
        """Make a thing of every exit, called by its direction and by where it leads."""
        ways: list[Thing] = []
        for direction, given in room.exits.items():
            way = Exit(given) if isinstance(given, str) else given
            target, door = self.find(way.to), self.find(way.door)
            short = DIRECTIONS.get(fold(direction))
            ways.append(
                Thing(
                    id=f"{room.id}.{direction}",
                    name=direction,
                    kind="exit",
                    aliases=(
                        *(() if short is None else (short,)),
                        *(() if target is None else (target.name, *target.aliases)),
                    ),
                    location=None,
                    attributes={"to": way.to, "door": None if door is None else door.id},
                )
            )
        return ways

    def reach(self, thing: Thing, scopes: Sequence["Scope"]) -> Reach | None:
        """Find the first declared scope that holds a thing."""
        for rank, scope in enumerate(scopes):
            path = self.way_up(thing, scope)
            if path is not None:
                return Reach(rank, scope.name, len(path) - 1, path)
        return None

    def way_up(self, thing: Thing, scope: "Scope") -> tuple[int, ...] | None:
        """Give the way from a scope's member down to a thing, as places in the enumeration."""
        if scope.holds(thing):
            return (self.number(thing),)
        path = [thing]
        seen = {thing.id}
        while len(path) <= scope.depth:
            place = self.find(thing.location)
            if place is None or place.id in seen or not can_reach(thing, place):
                return None
            path.append(place)
            seen.add(place.id)
            if scope.holds(place):
                return tuple(self.number(step) for step in reversed(path))
            thing = place
        return None

    def scopes(self, declared: Sequence[str | ScopeRef]) -> list["Scope"]:
        """Make the declared scopes searchable, in their order."""
        refs = [ScopeRef(ref) if isinstance(ref, str) else ref for ref in declared]
        return [Scope(ref.scope, ref.depth, self.members(ref.scope)) for ref in refs]

    def members(self, name: str) -> IsMember:
        """Tell the members of a scope: those the world lists, else those that follow from it."""
        if (listed := self.world.scopes.get(name)) is not None:
            members = frozenset(listed)
            return lambda thing: thing.id in members
        actor = self.actor.id if self.actor is not None else None
        room = self.room.id if self.room is not None else None
        match name:
            case "inventory" | "held" if actor is not None:
                return lambda thing: thing.location == actor and thing.relation != "worn"
            case "worn" if actor is not None:
                return lambda thing: thing.location == actor and thing.relation == "worn"
            case "room" | "here" if room is not None:
                return lambda thing: thing.location == room and thing.id != actor
            case "exits" if room is not None:
                ways = self.ways
                return lambda thing: (
                    thing.id in ways or (thing.kind == "exit" and thing.location == room)
                )
            case "self" if actor is not None:
                return lambda thing: thing.id == actor
            case "world":
                return lambda _thing: True
            case _:
                return lambda _thing: False

    def inside(self, place: Thing, depth: int = DEFAULT_DEPTH) -> "Scope":
        """Give what a place itself holds, as a scope; one that is shut holds nothing."""
        shut = is_shut(place)
        return Scope(
            place.name,
            depth,
            lambda thing: thing.location == place.id and not (shut and is_inside(thing)),
            place.id,
        )

    def holder(self, thing: Thing) -> Thing | None:
        """Give what a thing is in or on."""
        return self.find(thing.location)

    def pages(self) -> list[str]:
        """Give all that is said of all things as texts, a line for each, ``PAGE`` lines at a time.

        Pages are small enough to stay in the processor's cache: one long text costs twice as much.
        """
        if self._pages is None:
            things = self.things
            starts = range(0, len(things), PAGE)
            self._pages = (
                [page_of(things)]
                if len(things) <= PAGE
                else [page_of(things[start : start + PAGE]) for start in starts]
            )
        return self._pages


@dataclass(frozen=True, slots=True)
class Scope:
    """One search space: its name, how deep to look, and what is in it.

    ``place`` is the thing whose inside it is, if it is one: two chests are two search spaces.
    """

    name: str
    depth: int
    holds: IsMember
    place: str | None = None

    @property
    def key(self) -> tuple[str, int, str | None]:
        return self.name, self.depth, self.place


_encode_lines = msgspec.json.Encoder().encode_lines


def page_of(things: tuple[Thing, ...]) -> str:
    """Give all that is said of some things, folded."""
    raw = _encode_lines(things)
    return raw.lower().decode() if raw.isascii() else fold_lines(raw.decode())


def fold_lines(text: str) -> str:
    return "\n".join(fold(line) for line in text.split("\n"))


def can_reach(thing: Thing, place: Thing) -> bool:
    """Tell whether a search goes on from a place to a thing there.

    Not into what is shut (what stands on it is in reach), nor into anybody's pockets.
    """
    if place.state and is_shut(place) and is_inside(thing):
        return False
    return place.kind not in BEINGS and place.kind != ROOM


def is_inside(thing: Thing) -> bool:
    """Tell whether a thing is in its place, and not on it or under it."""
    return thing.relation == "in" or canonical(thing.relation, {}) == "in"


def is_shut(place: Thing) -> bool:
    """Tell whether nobody sees into a thing or reaches into it."""
    state = place.state
    return "opaque" in state or ("open" not in state and not SHUT.isdisjoint(state))
