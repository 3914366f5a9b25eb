"""Reading a world: where things are, which ways lead out, what the actor can reach."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from messages.worlds import BEINGS, Exit, Thing, World

ROOM = "room"
EXIT = "exit"
WORN = "worn"
SHUT = frozenset({"closed", "locked", "sealed"})


@dataclass(frozen=True)
class Places:
    """A world by the ids of its things. Reads only; exits are things here, as for the resolver."""

    world: World
    things: dict[str, Thing] = field(init=False)
    ways: dict[str, Thing] = field(init=False)

    def __post_init__(self) -> None:
        things = {thing.id: thing for thing in self.world.things}
        ways = {way.id: way for thing in self.world.things for way in ways_out(thing)}
        object.__setattr__(self, "things", things)
        object.__setattr__(self, "ways", ways)

    @cached_property
    def actor(self) -> Thing | None:
        return self.find(self.world.actor)

    @cached_property
    def room(self) -> Thing | None:
        return self.room_of(self.actor)

    @cached_property
    def held(self) -> dict[str, list[Thing]]:
        """What is directly at each place, in the order of the world."""
        held: dict[str, list[Thing]] = {}
        for thing in self.world.things:
            if thing.location is not None:
                held.setdefault(thing.location, []).append(thing)
        return held

    @cached_property
    def openings(self) -> frozenset[str]:
        """The ways out of the actor's room, and its doors, by id."""
        return frozenset(thing.id for thing in (*self.exits(), *self.doors()))

    def find(self, name: str | None) -> Thing | None:
        """Find a thing or a way out by its id."""
        return None if name is None else self.things.get(name) or self.ways.get(name)

    def holders(self, thing: Thing) -> Iterator[Thing]:
        """Give what a thing is in or on, and what that is in, up to the room; survives rings."""
        seen = {thing.id}
        place = self.find(thing.location)
        while place is not None and place.id not in seen:
            yield place
            seen.add(place.id)
            place = self.find(place.location)

    def room_of(self, thing: Thing | None) -> Thing | None:
        """Find the room around a thing."""
        if thing is None or thing.kind == ROOM:
            return thing
        return next((place for place in self.holders(thing) if place.kind == ROOM), None)

    def is_within(self, thing: Thing, place: Thing) -> bool:
        """Tell whether a thing is in a place, however deep."""
        return any(holder.id == place.id for holder in self.holders(thing))

    def contents(self, place: Thing) -> list[Thing]:
        """Give what is directly in or on a place, in the order of the world."""
        return self.held.get(place.id, [])

    def exits(self) -> list[Thing]:
        """Give the ways out of the actor's room."""
        return [] if self.room is None else list(ways_out(self.room))

    def doors(self) -> list[Thing]:
        """Give the doors of the actor's room: they stand between rooms, and so in none."""
        doors = (self.door_of(way) for way in self.exits())
        return list({door.id: door for door in doors if door is not None}.values())

    def door_of(self, way: Thing) -> Thing | None:
        door = way.attributes.get("door")
        return self.things.get(door) if isinstance(door, str) else None

    def way_by(self, thing: Thing | None) -> Thing | None:
        """Find the way out that a thing is, or that a door of this room stands in."""
        if thing is None or thing.kind == EXIT:
            return thing
        for way in self.exits():
            if thing.id in {way.attributes["door"], way.attributes["to"]}:
                return way
        return None

    def is_near(self, thing: Thing, owner: str | None = None) -> bool:
        """Tell whether the actor could touch a thing.

        Nothing shut may be around it, nor a wall between; and what somebody has is out of reach
        unless it is asked of that very person, the ``owner``.
        """
        if thing.id == self.world.actor or thing.id in self.openings:
            return True
        inner = thing
        for place in self.holders(thing):
            if place.id == self.world.actor:
                return True
            if place.kind == ROOM:
                return self.room is not None and place.id == self.room.id
            if is_hidden(inner, place) or (place.kind in BEINGS and place.id != owner):
                return False
            inner = place
        return False


def ways_out(room: Thing) -> Iterator[Thing]:
    """Make a thing of every exit of a room."""
    for direction, given in room.exits.items():
        way = Exit(given) if isinstance(given, str) else given
        attributes = {"to": way.to, "door": way.door}
        yield Thing(f"{room.id}.{direction}", direction, EXIT, attributes=attributes)


def is_hidden(thing: Thing, place: Thing) -> bool:
    """Tell whether a thing is shut in by its place; what is on a closed chest is not."""
    return thing.relation == "in" and is_shut(place)


def is_shut(place: Thing) -> bool:
    """Tell whether nobody sees or reaches into a thing."""
    state = place.state
    return "opaque" in state or ("open" not in state and not SHUT.isdisjoint(state))
