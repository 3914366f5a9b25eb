"""Playing a verb in a world: may it be done, and what is the world then? Pure; nothing is kept.

Demands and effects are the verb's own, as declared. Built in is only what no declaration can say:
that what was bound is still there and within reach, and that nothing ends up inside itself.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from messages.executing import Refused
from messages.message import Data, Value
from messages.results import Code
from messages.verbs import RuleKey, ScopeRef
from messages.worlds import Thing, World
from tools.text_world.bundle import Change, Effect, Move, Requirement, WorldVerb
from tools.text_world.describing import Sight, capital, describe, fill, joined, listed, sentences
from tools.text_world.describing import the as named
from tools.text_world.places import EXIT, WORN, Places

LOOSE = "loose"
DOORS = "doors"
NEARBY = frozenset({"inventory", "held", "worn", "room", "here", "exits", "self", LOOSE, DOORS})
SHAPES: Mapping[RuleKey, tuple[bool, bool]] = {
    "intransitive": (False, False),
    "relationOnly": (False, False),
    "direct": (True, False),
    "indirect": (False, True),
    "directIndirect": (True, True),
}


class Roles(Data, frozen=True):
    """What the roles of a command were bound to, by id; the relation by the name rules use."""

    direct: str | None = None
    indirect: str | None = None
    relation: str | None = None


class Played(Data, frozen=True):
    """The world afterwards, what is told, and the facts that were brought about."""

    world: World
    says: str
    output: Value
    effects: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scene:
    """Who plays which role in a world."""

    places: Places
    roles: Mapping[str, Thing]
    relation: str | None

    def gaps(self) -> dict[str, str]:
        names = {role: named(thing) for role, thing in self.roles.items()}
        return names if self.relation is None else {**names, "relation": self.relation}


def feasible(world: World, verb: WorldVerb, bound: Roles) -> Refused | None:
    """Tell why a verb cannot be done, or None. The first demand that fails is what is said."""
    scene = scene_of(Places(world), verb, bound)
    return scene if isinstance(scene, Refused) else refused_in(scene, verb)


def refused_in(scene: Scene, verb: WorldVerb) -> Refused | None:
    """Tell why a verb cannot be done by those who play its roles."""
    for requirement in verb.requires:
        if not is_met(scene, requirement):
            return Refused(Code.NOT_FEASIBLE, fill(requirement.message, scene.gaps()))
    refusals = (impossible(scene, effect) for effect in verb.effects)
    return next((refused for refused in refusals if refused is not None), None)


def play(world: World, verb: WorldVerb, bound: Roles) -> Played | Refused:
    """Do a verb: the world as it is then, and what is told of it."""
    scene = scene_of(Places(world), verb, bound)
    if isinstance(scene, Refused):
        return scene
    if refused := refused_in(scene, verb):
        return refused
    facts: dict[tuple[str, str], str] = {}
    gaps = scene.gaps()
    sights: list[Sight] = [Sight(capital(fill(verb.says, gaps)))]
    for effect in verb.effects:
        world, brought = carried_out(world, scene, effect)
        facts.update(brought)
        sights.append(Sight(capital(fill(effect.say, gaps))))
        if effect.describe is not None:
            now = Places(world)
            direct = scene.roles.get("direct")
            sights.append(describe(now, effect.describe, direct and now.find(direct.id)))
    says = joined((sight.text for sight in sights), "\n")
    return Played(world, says, told(world, says, sights), tuple(facts.values()))


def told(world: World, says: str, sights: list[Sight]) -> Value:
    """Give what a client is told: the words, the room, and the ids of what was seen."""
    room = Places(world).room
    seen = dict.fromkeys(name for sight in sights for name in sight.seen)
    return {"says": says, "room": None if room is None else room.id, "seen": tuple(seen)}


def holds(world: World, facts: tuple[str, ...]) -> bool:
    """Look whether facts that were brought about are so in a world."""
    true = set(facts_of(world))
    return all(
        fact in true if " is not " not in fact else fact.replace(" is not ", " is ") not in true
        for fact in facts
    )


def facts_of(world: World) -> Iterator[str]:
    """Say of every thing where it is and in which state."""
    for thing in world.things:
        yield f"{thing.id} {thing.relation} {thing.location}"
        for word in thing.state:
            yield f"{thing.id} is {word}"


def with_scopes(world: World, verbs: Mapping[str, WorldVerb]) -> World:
    """Give a world with the scopes that follow from where the actor is.

    ``doors`` are those of the room, which stand in no room; ``loose`` is what lies about for the
    taking, so that "take all" does not mean the walls.
    """
    places = Places(world)
    scopes = {DOORS: tuple(door.id for door in places.doors())}
    if "take" in verbs:
        scopes[LOOSE] = tuple(thing.id for thing in loose_things(places, verbs["take"]))
    return replace(world, scopes={**world.scopes, **scopes})


def loose_things(places: Places, take: WorldVerb) -> Iterator[Thing]:
    """Find what is within reach, can be taken, and is not carried yet."""
    for thing in places.world.things:
        if thing.location is None or thing.id == places.world.actor:
            continue
        mine = places.actor is not None and places.is_within(thing, places.actor)
        scene = scene_of(places, take, Roles(thing.id))
        if not mine and isinstance(scene, Scene) and refused_in(scene, take) is None:
            yield thing


# Who plays which role


def wrong_shape(verb: WorldVerb, bound: Roles) -> Refused | None:
    """Refuse roles that are no form of the verb."""
    shape = (bound.direct is not None, bound.indirect is not None)
    rules = [form for key, form in verb.rules.items() if SHAPES[key] == shape]
    if not rules:
        return Refused(Code.FORM_NOT_SUPPORTED, sentences().refusals["shape"])
    accepted = [relation for form in rules for relation in form.accepted_relations]
    if shape[1] and bound.relation not in accepted:
        code = Code.FORM_UNSUPPORTED_RELATION if bound.relation else Code.FORM_MISSING_RELATION
        return refusal("relation", {"relation": listed(accepted)}, code)
    return None


def scene_of(places: Places, verb: WorldVerb, bound: Roles) -> Scene | Refused:
    """Find who plays which role: what was bound, and what follows from it."""
    shape = wrong_shape(verb, bound)
    if shape is not None:
        return shape
    roles: dict[str, Thing] = {}
    for role, name in (("direct", bound.direct), ("indirect", bound.indirect)):
        thing = places.find(name)
        if name is not None and thing is None:
            return refusal("gone", {"direct": repr(name)}, Code.TARGET_STALE)
        if thing is not None:
            roles[role] = thing
            if is_local(verb, role) and not places.is_near(thing, bound.indirect):
                return refusal("reach", {"direct": named(thing)})
    around = {"actor": places.actor, "room": places.room, **by_the_way(places, verb, roles)}
    roles |= {role: thing for role, thing in around.items() if thing is not None}
    return Scene(places, roles, bound.relation)


def is_local(verb: WorldVerb, role: str) -> bool:
    """Tell whether a role is looked for around the actor, and nowhere else."""
    declared = getattr(verb.scope_profile, role)
    names = {ref.scope if isinstance(ref, ScopeRef) else ref for ref in declared}
    return names <= NEARBY


def by_the_way(
    places: Places, verb: WorldVerb, roles: Mapping[str, Thing]
) -> dict[str, Thing | None]:
    """Find the door and the destination of the way that is named."""
    if verb.exit is not None:
        way = next((way for way in places.exits() if way.name == verb.exit), None)
    else:
        way = places.way_by(roles.get("direct")) or places.way_by(roles.get("indirect"))
    if way is None:
        return {}
    return {"door": places.door_of(way), "destination": places.find(str(way.attributes["to"]))}


# Demands


def is_met(scene: Scene, requirement: Requirement) -> bool:
    """Tell whether a demand is met; one about a role that nobody plays is."""
    if requirement.when and scene.relation not in requirement.when:
        return True
    thing = scene.roles.get(requirement.who)
    if thing is None:
        return requirement.present is None
    return all(conditions(scene, thing, requirement))


def conditions(scene: Scene, thing: Thing, requirement: Requirement) -> Iterator[bool]:
    """Give what is so and what is not of all that a requirement says."""
    state = set(thing.state)
    yield state.issuperset(requirement.has)
    yield state.isdisjoint(requirement.lacks)
    yield not requirement.kind or thing.kind in requirement.kind
    yield thing.kind not in requirement.not_kind
    if requirement.attribute is not None:
        yield bool(thing.attributes.get(requirement.attribute))
    if requirement.lacks_attribute is not None:
        yield not thing.attributes.get(requirement.lacks_attribute)
    if requirement.opens_with is not None:
        yield opens(scene.roles.get(requirement.opens_with), thing)
    yield from whereabouts(scene, thing, requirement)


def whereabouts(scene: Scene, thing: Thing, requirement: Requirement) -> Iterator[bool]:
    """Give what is so of where a thing is."""
    actor = scene.roles.get("actor")
    mine = actor is not None and thing.location == actor.id
    if requirement.held is not None:
        yield requirement.held == (mine and thing.relation != WORN)
    if requirement.worn is not None:
        yield requirement.worn == (mine and thing.relation == WORN)
    if requirement.carried is not None:
        carried = actor is not None and scene.places.is_within(thing, actor)
        yield requirement.carried == carried


def opens(key: Thing | None, lock: Thing) -> bool:
    """Tell whether a thing is the key, or one of the keys, of a lock."""
    return key is not None and key.id in str(lock.attributes.get("key") or "").split()


def impossible(scene: Scene, effect: Effect) -> Refused | None:
    """Refuse to move what is no thing, or a thing into itself."""
    change = effect.move or effect.state
    if change is None:
        return None
    thing = scene.roles.get(change.who)
    if thing is not None and thing.kind == EXIT:
        return refusal("way", {"direct": named(thing)})
    place = scene.roles.get(change.to) if isinstance(change, Move) else None
    if isinstance(change, Move) and place is None and change.to != "indirect":
        return refusal("nowhere", {})
    if thing is None or place is None:
        return None
    if thing.id == place.id:
        return refusal("itself", {"direct": named(thing)})
    if scene.places.is_within(place, thing):
        return refusal("inside", {"direct": named(thing), "indirect": named(place)})
    return refusal("way", {"direct": named(place)}) if place.kind == EXIT else None


def refusal(name: str, gaps: Mapping[str, str], code: Code = Code.NOT_FEASIBLE) -> Refused:
    return Refused(code, fill(sentences().refusals[name], gaps))


# Effects


def carried_out(
    world: World, scene: Scene, effect: Effect
) -> tuple[World, dict[tuple[str, str], str]]:
    """Apply one effect. Also gives the facts it brought about, by what they are about."""
    change = effect.move or effect.state
    thing = None if change is None else scene.roles.get(change.who)
    if thing is None or change is None:
        return world, {}
    if isinstance(change, Move):
        place = scene.roles.get(change.to)
        return (world, {}) if place is None else moved(world, thing, place, scene, change)
    return changed(world, thing, change)


def moved(
    world: World, thing: Thing, place: Thing, scene: Scene, move: Move
) -> tuple[World, dict[tuple[str, str], str]]:
    relation = (scene.relation or "in") if move.relation == "said" else move.relation
    fact = f"{thing.id} {relation} {place.id}"
    world = with_thing(world, thing.id, location=place.id, relation=relation)
    return world, {(thing.id, "where"): fact}


def changed(world: World, thing: Thing, change: Change) -> tuple[World, dict[tuple[str, str], str]]:
    now = Places(world).things[thing.id].state
    kept = (word for word in now if word not in change.remove)
    state = tuple(dict.fromkeys((*kept, *change.add)))
    facts = {(thing.id, word): f"{thing.id} is not {word}" for word in change.remove}
    facts |= {(thing.id, word): f"{thing.id} is {word}" for word in change.add}
    return with_thing(world, thing.id, state=state), facts


def with_thing(world: World, name: str, **fields: object) -> World:
    """Give the world with one thing changed, in its place."""
    things = (replace(t, **fields) if t.id == name else t for t in world.things)
    return replace(world, things=tuple(things))
