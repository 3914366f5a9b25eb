"""What is seen: rooms, things, what one carries. Sentences are in ``sentences.toml``."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import msgspec

from messages.worlds import BEINGS, Thing
from tools.text_world.bundle import GAP, View
from tools.text_world.places import EXIT, ROOM, WORN, Places, is_hidden


class Sentences(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sentences of ``sentences.toml``."""

    bare: frozenset[str]
    unsaid: frozenset[str]
    unnoticed: frozenset[str]
    refusals: Mapping[str, str]
    room: Mapping[str, str]
    inventory: Mapping[str, str]
    thing: Mapping[str, str]
    contents: Mapping[str, str]


@cache
def sentences() -> Sentences:
    text = files(__package__).joinpath("sentences.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), Sentences)


@dataclass(frozen=True, slots=True)
class Sight:
    """What was seen: in words, and the ids of the things."""

    text: str
    seen: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text)


def describe(places: Places, what: View, direct: Thing | None) -> Sight:
    """Tell what is seen."""
    match what:
        case "room":
            return room_seen(places)
        case "inventory":
            return inventory_seen(places)
        case "direct" if direct is not None:
            return thing_seen(places, direct)
        case "contents" if direct is not None:
            return contents_seen(places, direct) or Sight(sentences().thing["nothing"])
        case "inside" if direct is not None:
            return at_a_glance(places, direct)
        case _:
            return Sight("")


def room_seen(places: Places) -> Sight:
    """Tell of the room: its name, what it looks like, who and what is there, the ways out."""
    room, say = places.room, sentences().room
    if room is None:
        return Sight("")
    present = [t for t in places.contents(room) if t.id != places.world.actor]
    people = [thing for thing in present if thing.kind in BEINGS]
    things = [thing for thing in present if thing.kind not in BEINGS]
    lines = [capital(room.name), room.description]
    if things:
        lines.append(fill(say["things"], {"things": several(things)}))
    inner = [at_a_glance(places, thing) for thing in things]
    lines += [sight.text for sight in inner]
    if people:
        sentence = say["people" if len(people) == 1 else "several_people"]
        lines.append(capital(fill(sentence, {"things": several(people)})))
    if exits := [way_said(places, way) for way in places.exits()]:
        lines.append(fill(say["exits"], {"things": listed(exits)}))
    seen = [*ids(present), *(name for sight in inner for name in sight.seen)]
    return Sight(joined(lines, "\n"), tuple(seen))


def way_said(places: Places, way: Thing) -> str:
    """Say where an exit leads, and by which door."""
    door = places.door_of(way)
    return way.name if door is None else f"{way.name} ({the(door)})"


def inventory_seen(places: Places) -> Sight:
    """Tell what the actor carries and wears."""
    actor, say = places.actor, sentences().inventory
    mine = [] if actor is None else places.contents(actor)
    held = [thing for thing in mine if thing.relation != WORN]
    worn = [thing for thing in mine if thing.relation == WORN]
    lines = [fill(say["held"], {"things": several(held)}) if held else say["nothing"]]
    if worn:
        lines.append(fill(say["worn"], {"things": several(worn)}))
    return Sight(joined(lines), ids(mine))


def thing_seen(places: Places, thing: Thing) -> Sight:
    """Tell what a thing looks like, how it is now, and what is in it for all to see."""
    say = sentences().thing
    lines = [thing.description or fill(say["plain"], {"direct": the(thing)})]
    if told := [word for word in thing.state if word not in sentences().unsaid]:
        lines.append(fill(say["state"], {"things": listed(told)}))
    inner = at_a_glance(places, thing)
    return Sight(joined([*lines, inner.text]), (thing.id, *inner.seen))


def at_a_glance(places: Places, thing: Thing) -> Sight:
    """Tell what a thing holds for all to see: not what is under it, nor what somebody has."""
    if thing.kind in BEINGS or thing.kind == ROOM or thing.id == places.world.actor:
        return Sight("")
    return contents_seen(places, thing, sentences().unnoticed)


def contents_seen(places: Places, place: Thing, unnoticed: frozenset[str] = frozenset()) -> Sight:
    """Tell what is in, on and under a thing."""
    say = sentences().contents
    there = [
        thing
        for thing in places.contents(place)
        if not is_hidden(thing, place) and thing.relation not in unnoticed
    ]
    lines = []
    for relation in dict.fromkeys(thing.relation for thing in there):
        group = [thing for thing in there if thing.relation == relation]
        gaps = {"direct": the(place), "things": several(group)}
        lines.append(fill(say.get(relation, say["in"]), gaps))
    return Sight(joined(lines), ids(there))


# Words


def fill(template: str, gaps: Mapping[str, str]) -> str:
    """Fill the gaps of a sentence; one that nothing fills is "something".

    >>> fill("{direct} is locked", {"direct": "the chest"})
    'the chest is locked'
    """
    return GAP.sub(lambda gap: gaps.get(gap[1], "something"), template)


def the(thing: Thing) -> str:
    """Name a thing that was spoken of."""
    name = called(thing)
    return name if thing.kind == EXIT or is_own_name(name) else f"the {name}"


def called(thing: Thing) -> str:
    """Give what a thing is called where others may be of the same name."""
    return thing.metadata.resolution.disambiguation_label or thing.name


def is_own_name(name: str) -> bool:
    return not name[:1].islower() or name.partition(" ")[0] in sentences().bare


def several(things: Sequence[Thing]) -> str:
    """Name things that were not spoken of yet; those of one name are counted."""
    counted: dict[str, list[Thing]] = {}
    for thing in things:
        counted.setdefault(called(thing), []).append(thing)
    return listed([group_said(name, group) for name, group in counted.items()])


def group_said(name: str, group: Sequence[Thing]) -> str:
    if len(group) > 1:
        return f"{len(group)} {group[0].attributes.get('plural') or name + 's'}"
    if is_own_name(name):
        return name
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def listed(words: Sequence[str]) -> str:
    """Join words as a person would.

    >>> listed(["a lamp", "a key", "a coin"])
    'a lamp, a key and a coin'
    """
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def joined(lines: Iterable[str], by: str = " ") -> str:
    return by.join(line for line in lines if line)


def ids(things: Iterable[Thing]) -> tuple[str, ...]:
    return tuple(thing.id for thing in things)
