"""Bundles: a world and its verbs as a TOML or JSON file. A bundle is data and is checked as such.

What a verb demands and what it changes are written in a few fixed words, and its sentences have
gaps for the names of things; there is nothing in a bundle that could be run. Relations are given
by the name that rules use (``in``, not ``into``); somebody is a thing of the kind ``person``.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace

from messages.message import Data
from messages.verbs import VerbDeclaration
from messages.worlds import Exit, Thing, World
from tools.text_world.places import EXIT, ROOM, Places

MAX_BYTES = 8_000_000
MAX_DOTS = 100
GAP = re.compile(r"\{(\w+)\}")

Who: TypeAlias = Literal["direct", "indirect", "actor", "room", "door", "destination"]
Where: TypeAlias = Literal["actor", "indirect", "room", "destination"]
View: TypeAlias = Literal["room", "inventory", "direct", "contents", "inside"]

GAPS = frozenset({"direct", "indirect", "actor", "room", "door", "destination", "relation"})
NO_CONDITION = frozenset({"who", "message", "when"})


class Requirement(Data, frozen=True, rename="camel", omit_defaults=True):
    """What must be so of one role's thing, and what is said if it is not.

    ``kind`` is one of several, ``has`` and ``lacks`` are words of its state, ``attribute`` is one
    that must be there and not false. ``held`` is in the actor's hands, ``carried`` there or in
    something there, ``worn`` on the body. ``opens_with``: that role's thing is this one's key.
    ``when`` limits it to these relations. A role that nobody named demands nothing, unless it
    is ``present`` that is demanded.
    """

    who: Who
    message: str
    kind: tuple[str, ...] = ()
    not_kind: tuple[str, ...] = ()
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    attribute: str | None = None
    lacks_attribute: str | None = None
    held: bool | None = None
    carried: bool | None = None
    worn: bool | None = None
    opens_with: Who | None = None
    present: Literal[True] | None = None
    when: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_gaps("message", self.message)
        fields = (name for name in self.__struct_fields__ if name not in NO_CONDITION)
        if not any(getattr(self, name) not in (None, ()) for name in fields):
            raise ValueError("a requirement without a condition")


class Move(Data, frozen=True):
    """One thing goes to another place; the relation ``said`` is the one in the command."""

    who: Literal["direct", "indirect", "actor"]
    to: Where
    relation: str = "in"


class Change(Data, frozen=True, omit_defaults=True):
    """Words that a thing's state gains and loses."""

    who: Who
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.add and not self.remove:
            raise ValueError("`state` neither adds nor removes a word")


class Effect(Data, frozen=True, omit_defaults=True):
    """One thing that a verb does: move something, change its state, or tell what is seen."""

    move: Move | None = None
    state: Change | None = None
    describe: View | None = None
    say: str = ""

    def __post_init__(self) -> None:
        check_gaps("say", self.say)
        if sum(part is not None for part in (self.move, self.state, self.describe)) != 1:
            raise ValueError("an effect is exactly one of `move`, `state` and `describe`")


class WorldVerb(VerbDeclaration, frozen=True, rename="camel"):
    """A verb of a world: how it is said, what it demands, what it does, what it says.

    A verb that ``observes`` changes nothing. ``exit`` is the way out that the verb itself names.
    """

    description: str = ""
    observes: bool = False
    requires: tuple[Requirement, ...] = ()
    effects: tuple[Effect, ...] = ()
    says: str = ""
    exit: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_gaps("says", self.says)
        for index, effect in enumerate(self.effects):
            if self.observes and effect.describe is None:
                raise ValueError(f"`effects[{index}]` changes the world, but the verb `observes`")
            for role in roles_of(effect):
                if not self.can_have(role):
                    raise ValueError(f"`effects[{index}]` needs `{role}`, which no rule has")

    def can_have(self, role: str) -> bool:
        """Tell whether some form of the verb gives a role."""
        match role:
            case "direct":
                return "direct" in self.rules or "directIndirect" in self.rules
            case "indirect":
                return "indirect" in self.rules or "directIndirect" in self.rules
            case _:
                return True


class Bundle(Data, frozen=True):
    """A world to be in, and all that can be done there."""

    name: str
    world: World
    verbs: Mapping[str, WorldVerb]
    title: str = ""
    intro: str = ""


class BadBundle(ValueError):
    """A bundle that cannot be used: which file, which verb or thing, which field, what is wrong."""

    def __init__(self, file: str, problem: str, *, part: str = "", path: str = "$") -> None:
        where = "" if path == "$" else f" (at {path.removeprefix('$.')})"
        super().__init__(f"{file}: {part}{': ' if part else ''}{problem}{where}")
        self.file = file
        self.part = part
        self.path = path


T = TypeVar("T")


def load_bundle(path: str | Path) -> Bundle:
    """Read and check a bundle; its verbs come on top of the standard ones."""
    file = str(path)
    raw = read_data(Path(path))
    unknown = sorted(raw.keys() - {"name", "title", "intro", "world", "verbs"})
    if unknown:
        raise BadBundle(file, f"unknown field `{unknown[0]}`")
    texts = {field: text_of(file, raw, field) for field in ("name", "title", "intro")}
    if not texts["name"].strip():
        raise BadBundle(file, "`name` is missing or empty")
    verbs = with_standard(file, load_own_verbs(file, raw.get("verbs", {})))
    return Bundle(**texts, world=load_world(file, raw.get("world")), verbs=verbs)


def bundled(name: str) -> Path | None:
    """Find a world that ships with Behest, by its name."""
    return Path(__file__).with_name("manor.toml") if name == "manor" else None


@cache
def standard_verbs() -> Mapping[str, WorldVerb]:
    """Give the verbs that every text world has."""
    return load_own_verbs("verbs.toml", standard_data(), standard={})


@cache
def standard_data() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("verbs.toml").read_text("utf-8"))


def read_data(path: Path) -> dict[str, Any]:
    """Read a file of data, by its suffix; no other kind is a bundle."""
    readers: dict[str, Callable[[str], Any]] = {
        ".toml": read_toml,
        ".json": msgspec.json.decode,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise BadBundle(str(path), "a bundle is a .toml or a .json file")
    content = read_bytes(path)
    try:
        raw = reader(content.decode("utf-8"))
    except (ValueError, msgspec.DecodeError) as error:
        raise BadBundle(str(path), f"is not well formed: {error}") from None
    except RecursionError:
        raise BadBundle(str(path), "is nested too deep") from None
    if not isinstance(raw, dict):
        raise BadBundle(str(path), "a bundle is a table of fields")
    return raw


def read_bytes(path: Path) -> bytes:
    """Read a file that is no larger than a bundle may be."""
    if path.exists() and not path.is_file():
        raise BadBundle(str(path), "is no file")
    try:
        with path.open("rb") as opened:
            content = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadBundle(str(path), f"cannot be read: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise BadBundle(str(path), f"larger than {MAX_BYTES} bytes")
    return content


def read_toml(text: str) -> dict[str, Any]:
    """Read TOML whose keys have few parts: reading one takes a time that is square to them."""
    for number, line in enumerate(text.split("\n"), start=1):
        key = line if line.lstrip().startswith("[") else line.rpartition("=")[0]
        if key.count(".") > MAX_DOTS:
            raise ValueError(f"a key with more than {MAX_DOTS} dots in it (at line {number})")
    return tomllib.loads(text)


def text_of(file: str, raw: Mapping[str, Any], field: str) -> str:
    text = raw.get(field, "")
    if not isinstance(text, str):
        raise BadBundle(file, f"`{field}` is not a text")
    return text


# Verbs


def load_own_verbs(
    file: str, raw: Any, standard: Mapping[str, Any] | None = None
) -> dict[str, WorldVerb]:
    """Check verbs one by one. ``like`` takes what is not said from another verb."""
    if not isinstance(raw, Mapping):
        raise BadBundle(file, "`verbs` is not a table of verbs")
    known = {**(standard_data() if standard is None else standard), **raw}
    verbs = {}
    for name, declared in raw.items():
        part = f"verb {name!r}"
        if not name.strip():
            raise BadBundle(file, "a verb needs a name", part=part)
        verbs[name] = checked(file, part, completed(file, part, declared, known), WorldVerb)
    return verbs


def completed(file: str, part: str, declared: Any, known: Mapping[str, Any]) -> Any:
    """Fill in what a verb leaves to the one that it is like; the names stay its own."""
    if not isinstance(declared, Mapping) or "like" not in declared:
        return declared
    model = known.get(declared["like"]) if isinstance(declared["like"], str) else None
    if not isinstance(model, Mapping) or "like" in model:
        problem = f"`like` is {declared['like']!r}, which is no verb with a form of its own"
        raise BadBundle(file, problem, part=part, path="$.like")
    whole = {**model, "aliases": [], **declared}
    del whole["like"]
    return whole


def with_standard(file: str, own: Mapping[str, WorldVerb]) -> dict[str, WorldVerb]:
    """Put a bundle's verbs on top of the standard ones; what it says anew means its own verb."""
    spoken = {saying.casefold() for name, verb in own.items() for saying in (name, *verb.aliases)}
    kept = {name: verb for name, verb in standard_verbs().items() if name not in own}
    for name, verb in own.items():
        for alias in verb.aliases:
            if alias.casefold() in kept or (alias != name and alias in own):
                problem = f"the alias {alias!r} is the name of another verb"
                raise BadBundle(file, problem, part=f"verb {name!r}", path="$.aliases")
    verbs = {name: without_aliases(verb, spoken) for name, verb in kept.items()}
    return {**verbs, **own}


def without_aliases(verb: WorldVerb, spoken: set[str]) -> WorldVerb:
    left = tuple(alias for alias in verb.aliases if alias.casefold() not in spoken)
    return verb if left == verb.aliases else replace(verb, aliases=left)


def roles_of(effect: Effect) -> Iterator[str]:
    """Give the roles that an effect is about."""
    if effect.move is not None:
        yield effect.move.who
        yield effect.move.to
    elif effect.state is not None:
        yield effect.state.who
    elif effect.describe in {"direct", "contents", "inside"}:
        yield "direct"


def check_gaps(field: str, template: str) -> None:
    """Refuse a sentence with gaps that nothing fills."""
    unknown = [gap for gap in GAP.findall(template) if gap not in GAPS]
    if unknown:
        raise ValueError(f"`{field}` has the gap {{{unknown[0]}}}; there are {sorted(GAPS)}")
    if set("{}") & set(GAP.sub("", template)):
        raise ValueError(f"`{field}` has braces that are no gap")


# The world


def load_world(file: str, raw: Any) -> World:
    """Check a world thing by thing, then that everything in it is somewhere."""
    if not isinstance(raw, Mapping):
        raise BadBundle(file, "`world` is missing or no table")
    listed = raw.get("things", [])
    if not isinstance(listed, list):
        raise BadBundle(file, "`things` is not a list", part="world", path="$.things")
    things = [
        checked(file, thing_name(thing, number), thing, Thing)
        for number, thing in enumerate(listed)
    ]
    frame = {**raw, "things": things}
    world = checked(file, "world", frame, World)
    check_places(file, world)
    return world


def thing_name(raw: Any, number: int) -> str:
    name = raw.get("id") if isinstance(raw, Mapping) else None
    return f"thing {name!r}" if isinstance(name, str) else f"thing number {number + 1}"


def check_places(file: str, world: World) -> None:
    """Refuse what is nowhere, or in a ring, or leads nowhere; the actor must be in a room."""
    places = Places(world)
    for thing in world.things:
        part = f"thing {thing.id!r}"
        if thing.kind == EXIT or thing.id in places.ways:
            problem = "exits are made of a room's `exits`, and have ids like 'hall.north'"
            raise BadBundle(file, problem, part=part, path="$.kind")
        if thing.location is not None and thing.location not in places.things:
            problem = f"`location` is {thing.location!r}, which is no thing"
            raise BadBundle(file, problem, part=part, path="$.location")
        if is_in_ring(places, thing):
            raise BadBundle(file, "is inside itself", part=part, path="$.location")
        for direction, given in thing.exits.items():
            check_exit(file, places, thing, direction, given)
    if world.actor is None or places.room is None:
        raise BadBundle(file, "`actor` is missing or in no room", part="world", path="$.actor")


def is_in_ring(places: Places, thing: Thing) -> bool:
    above = [thing, *places.holders(thing)]
    return above[-1].location is not None


def check_exit(file: str, places: Places, room: Thing, direction: str, given: str | Exit) -> None:
    way = Exit(given) if isinstance(given, str) else given
    part, path = f"thing {room.id!r}", f"$.exits.{direction}"
    target = places.things.get(way.to)
    if target is None or target.kind != ROOM:
        raise BadBundle(file, f"leads to {way.to!r}, which is no room", part=part, path=path)
    if way.door is not None and way.door not in places.things:
        raise BadBundle(file, f"has the door {way.door!r}, which is no thing", part=part, path=path)


def checked(file: str, part: str, raw: Any, into: type[T]) -> T:
    """Read data into its type; what is wrong is told with the part and the field."""
    try:
        return msgspec.convert(raw, into)
    except msgspec.ValidationError as error:
        problem, _, path = str(error).partition(" - at `")
        raise BadBundle(file, problem, part=part, path=path.rstrip("`") or "$") from None
