"""Frames that clients might send, made from the types of the wire: right ones, and worn ones.

A field that is added to a request is in all of this without a word.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any, get_args

import msgspec
from msgspec import inspect

from actors.planner.tables import planner_rules
from messages import wire
from messages.verbs import VerbDeclaration
from tests.fuzzing import spliced

Json = Any
Place = tuple[str | int, ...]

DEEPEST = 4
ODD_TEXTS = [
    *(
        "",
        " ",
        "\0",
        "\n",
        "\r\n",
        "\u2028",
        "\ufeff",
        "\x1b[2J",
        "\x9b",
        "é",
        "e\u0301",
        "字",
        "😀",
    ),
    *("../x", "/etc/passwd", "~", "*", "{query}", "{name}", "%s", "$(id)", "';--", '"', "\\", "`"),
    *(
        "null",
        "true",
        "0",
        "-1",
        "1e9",
        "NaN",
        "all",
        "it",
        "g0",
        "after:g0",
        "inside:x",
        "drive:d",
    ),
    *("root", "after:", "inside:", ":", "2.sword", "a and b", "x" * 300, "every day", "$.id"),
]
WORDS = [
    *("time", "memory", "disk", "a.txt", "b.txt", "notes", "docs", "folder", "file", "x", "apple"),
    *("chest", "red", "the", "all", "in", "into", "from", "first", "second", "last", "newest"),
    *("direct", "name", "content", "target", "world", "room", "inventory", "take", "put", "open"),
    *(
        "create",
        "a",
        "called",
        "tell",
        "me",
        "read",
        "list",
        "default",
        "run",
        "root",
        "and",
        "then",
    ),
]
SAID = [
    *("take apple", "take the red apple", "take all", "take all except the chest", "look"),
    *("put apple in chest", "put the red apple on the second chest", "take 2.apple", "take it"),
    *("put all into the chest", "look at chest", "take both apples", "put apple", "take apple in"),
]
VERBS: dict[str, Any] = {
    "take": {"rules": {"direct": {}}, "scopeProfile": {"direct": ["world"]}, "sets": ["direct"]},
    "put": {
        "rules": {"directIndirect": {"acceptedRelations": ["in", "on"]}, "direct": {}},
        "scopeProfile": {"direct": ["world"], "indirect": ["room", {"scope": "world", "depth": 2}]},
    },
    "look": {"rules": {"intransitive": {}, "direct": {}}, "precedence": "pool"},
}
NAMES = ["a.txt", "b.txt", "c", "docs", "docs/a.txt", "x y.md"]
NUMBERS = [0, 1, -1, 2, 3, 7, 255, 10**9, 2**53, -(2**53), 2**63 - 1]
FLOATS: list[float] = [0.0, -0.0, 1.5, 1e-300, 1e300, -1e300, 3.14]
OBSERVED = ("time", "memory", "disk", "battery")


@cache
def request_types() -> tuple[inspect.StructType, ...]:
    """Describe every request of the wire."""
    found = [inspect.type_info(request) for request in get_args(wire.WireRequest)]
    return tuple(each for each in found if isinstance(each, inspect.StructType))


@cache
def verb_type() -> inspect.Type:
    return inspect.type_info(VerbDeclaration)


@cache
def rule_names() -> tuple[tuple[str, str], ...]:
    return tuple(planner_rules().rules)


@cache
def workable() -> tuple[tuple[str, str], ...]:
    """Name the verbs that need nothing but a disk."""
    return tuple(key for key in rule_names() if key[0] in {"file", "system"})


# Right values


@dataclass(slots=True)
class Maker:
    """Makes values of a type, by chance; ``full`` ones have every field."""

    chance: Random
    full: bool = False

    def request(self, kind: inspect.StructType) -> dict[str, Json]:
        """Make a request that can be decoded."""
        made: dict[str, Json] = self.struct(kind, 0)
        first, second = ("text", "goals") if kind.cls is wire.Submit else ("text", "parsed")
        if kind.cls in {wire.Submit, wire.Resolve}:
            made.pop(self.chance.choice([first, second]), None)
            if made.get(first) is None and not made.get(second):
                made.pop(second, None)
                made[first] = self.text()
            elif made.get(first) is not None:
                made.pop(second, None)
        if kind.cls is wire.Submit and "text" in made and self.chance.random() < 0.8:
            made["text"] = spliced(self.chance)[:2_000]
        if kind.cls is wire.Resolve and "text" in made and self.chance.random() < 0.8:
            made["text"] = self.chance.choice(SAID)
        return made

    def struct(self, kind: inspect.StructType, depth: int) -> dict[str, Json]:
        made: dict[str, Json] = {}
        if kind.tag_field is not None:
            made[kind.tag_field] = kind.tag
        for each in kind.fields:
            if each.required or self.full or (depth < DEEPEST and self.chance.random() < 0.4):
                made[each.encode_name] = self.field_of(each, depth)
        if "things" in made:
            return self.whole(made)
        return self.sensible(made) if "verb" in made and "domain" in made else made

    def field_of(self, each: inspect.Field, depth: int) -> Json:
        if each.encode_name == "verbs":
            odd = {self.text(): self.of(verb_type(), depth + 1)}
            return {**VERBS, **odd} if self.full or self.chance.random() < 0.2 else VERBS
        return self.of(each.type, depth + 1)

    def whole(self, world: dict[str, Json]) -> dict[str, Json]:
        """Let a world be one: each thing has an id, and who acts is one of them."""
        ids = [f"t{number}" for number, _ in enumerate(world["things"])]
        for name, thing in zip(ids, world["things"], strict=True):
            thing |= {"id": name, "location": self.chance.choice([*ids, None])}
            thing["name"] = self.chance.choice(["apple", "chest", "red apple", thing["name"]])
        scopes = {scope: list(ids) for scope in world.get("scopes", ())}
        actor = self.chance.choice([*ids, None])
        return {**world, "scopes": scopes, "actor": actor}

    def sensible(self, goal: dict[str, Json]) -> dict[str, Json]:
        """Let most goals have a verb that there is, and parameters that it has."""
        if self.chance.random() < 0.8:
            known = rule_names() if self.chance.random() < 0.5 else workable()
            goal["domain"], goal["verb"] = key = self.chance.choice(known)
            goal["params"] = {
                name: self.chance.choice([self.chance.choice(NAMES), self.text()])
                for name, parameter in planner_rules().rules[key].params.items()
                if parameter.required or self.chance.random() < 0.3
            }
        return goal

    def of(self, kind: inspect.Type, depth: int) -> Json:
        """Make a value of a type."""
        chance = self.chance
        match kind:
            case inspect.StructType():
                return self.struct(kind, depth)
            case inspect.UnionType(types=types):
                simple = [each for each in types if not isinstance(each, inspect.StructType)]
                return self.of(
                    chance.choice(simple if depth > DEEPEST and simple else types), depth
                )
            case inspect.StrType(min_length=least, max_length=most):
                return self.text()[:most].ljust(least or 0, "x")
            case inspect.IntType():
                return chance.choice(NUMBERS)
            case inspect.FloatType():
                return chance.choice(FLOATS)
            case inspect.BoolType():
                return chance.random() < 0.5
            case inspect.LiteralType(values=values):
                return chance.choice(values)
            case inspect.DictType(key_type=key, value_type=value):
                return {
                    str(self.of(key, depth)): self.of(value, depth + 1) for _ in self.few(depth)
                }
            case inspect.CollectionType(item_type=item) | inspect.VarTupleType(item_type=item):
                return [self.of(item, depth + 1) for _ in self.few(depth)]
            case _:
                return None

    def few(self, depth: int) -> range:
        return range(1 if self.full else self.chance.choice([0, 1, 1, 2]) if depth < DEEPEST else 0)

    def text(self) -> str:
        chance = self.chance
        if chance.random() < 0.15:
            return chance.choice(ODD_TEXTS)
        return " ".join(chance.choice(WORDS) for _ in range(chance.choice([1, 1, 1, 2, 4, 9])))


def full_frames() -> Iterator[dict[str, Json]]:
    """Give a request of every type with every field in it, in a few forms."""
    for kind in request_types():
        for seed in range(8):
            yield Maker(Random(seed), full=True).request(kind)  # noqa: S311 - the same every time


def places(value: Json, at: Place = ()) -> Iterator[tuple[Place, Json]]:
    """Give every place in a value where another value may stand."""
    yield at, value
    inner: Iterator[tuple[str | int, Json]] = iter(())
    if isinstance(value, Mapping):
        inner = iter(value.items())
    elif isinstance(value, list):
        inner = iter(enumerate(value))
    for key, each in inner:
        yield from places(each, (*at, key))


def shape(at: Place) -> str:
    """Name a place by its fields alone."""
    return ".".join("[]" if isinstance(step, int) else step for step in at)


def put(frame: Json, at: Place, raw: str) -> bytes:
    """Write a frame with something else in one place, whatever that is."""
    mark = "\ue123"
    marked = replaced(frame, at, mark)
    return (
        json.dumps(marked, ensure_ascii=False)
        .replace(f'"{mark}"', raw)
        .encode(errors="surrogateescape")
    )


def replaced(value: Json, at: Place, by: Json) -> Json:
    if not at:
        return by
    step, *rest = at
    if isinstance(value, Mapping):
        return {**value, step: replaced(value[step], tuple(rest), by)}
    return [
        replaced(each, tuple(rest), by) if number == step else each
        for number, each in enumerate(value)
    ]


# Worn ones

WRONG: list[Json] = [
    *(None, True, False, 0, -1, 1.5, 2**63 - 1, "", "x", [], {}, [[]], [{}], {"a": {}}, [None]),
    *("x" * 5_000, ["x"] * 100, {"type": "submit"}, {"": ""}, "\0", "g0", 1e300),
]
ODD_BYTES = [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\0", b"\xef\xbb\xbf", b"\r", b"\n", b"\\u", b"\\"]
ODD_BYTES += [b'"', b"{", b"}", b"[", b"]", b",", b":", b"1e999", b"NaN", b"\\ud800", b"-", b"\x9b"]


@dataclass(slots=True)
class Wear:
    """Makes frames that are nearly right out of right ones."""

    chance: Random
    pool: Sequence[dict[str, Json]]
    encode: Callable[[Json], bytes] = field(default_factory=lambda: msgspec.json.Encoder().encode)

    def frame(self) -> bytes:
        """Give a frame: right, wrong in its fields, wrong in its bytes, or mere noise."""
        chance = self.chance
        kind = chance.random()
        if kind < 0.01:
            return chance.randbytes(chance.randrange(1, 200)).replace(b"\n", b" ")
        request = dict(chance.choice(self.pool))
        if "id" in request:
            ids = 20_000 if chance.random() < 0.2 else 10**9  # some come again, most are new
            request["id"] = f"f{chance.randrange(ids)}"
        if kind < 0.60:
            request = self.worn(request)
        frame = self.encode(request)
        return frame if kind < 0.80 else self.scratched(frame)

    def worn(self, request: dict[str, Json]) -> dict[str, Json]:
        """Change a field or two, here or further in."""
        chance = self.chance
        for _ in range(chance.choice([1, 1, 2])):
            found = list(places(request))
            at, value = found[chance.randrange(len(found))]
            kind = chance.random()
            if not at or kind < 0.05:
                request = {**request, chance.choice(["x", "", "id", "type", "goals"]): self.wrong()}
            elif kind < 0.15 and isinstance(at[-1], str):
                request = without(request, at)
            elif at != ("type",):
                request = replaced(request, at, self.wrong() if kind < 0.3 else self.other(value))
        return request

    def other(self, value: Json) -> Json:
        """Give another value of the same kind."""
        chance = self.chance
        match value:
            case bool():
                return not value
            case str():
                return chance.choice([chance.choice(ODD_TEXTS), chance.choice(WORDS), value * 2])
            case int() | float():
                return chance.choice(NUMBERS)
            case list():
                return chance.choice([[], value * 2, value[::-1], value[1:]])
            case dict() if value:
                name = chance.choice(list(value))
                return {**value, chance.choice(ODD_TEXTS): value[name]}
            case _:
                return self.wrong()

    def wrong(self) -> Json:
        chance = self.chance
        return chance.choice(ODD_TEXTS) if chance.random() < 0.4 else chance.choice(WRONG)

    def scratched(self, frame: bytes) -> bytes:
        """Change a few bytes."""
        chance = self.chance
        for _ in range(chance.choice([1, 1, 2, 4])):
            at = chance.randrange(len(frame) + 1)
            to = min(len(frame), at + chance.randrange(1, 30))
            match chance.randrange(6):
                case 0:
                    frame = frame[:at] + frame[to:]
                case 1:
                    frame = frame[:at] + frame[at:to] * 2 + frame[to:]
                case 2:
                    frame = frame[:at] + chance.choice(ODD_BYTES) + frame[at:]
                case 3:
                    frame = frame[:at] + chance.randbytes(1) + frame[at + 1 :]
                case 4:
                    frame = frame[:at]
                case _:
                    frame = frame + frame[at:to]
        return frame


def without(value: Json, at: Place) -> Json:
    step, *rest = at
    if rest:
        return replaced(value, (step,), without(value[step], tuple(rest)))
    return {name: each for name, each in value.items() if name != step}


def right_frames(chance: Random, count: int) -> list[dict[str, Json]]:
    """Make so many right requests of every type; none of them does more than it may."""
    maker, kinds = Maker(chance), request_types()
    often = [*kinds, *[kind for kind in kinds if kind.cls in {wire.Submit, wire.Resolve}] * 4]
    return [harmless(maker.request(often[n % len(often)]), chance) for n in range(count)]


def harmless(request: dict[str, Json], chance: Random) -> dict[str, Json]:
    """Let commands only be planned, but for a few that look, or work on files."""
    if request["type"] != "submit":
        return request
    if request.get("goals") and chance.random() < 0.1:
        verb = chance.choice(
            ["create", "write", "append", "read", "list", "find", "copy", "rename"]
        )
        request["goals"] = [working_goal(verb, chance) for _ in range(chance.choice([1, 2, 3]))]
        return {**request, "mode": "run"}
    return {**request, "mode": "plan"}


def working_goal(verb: str, chance: Random) -> dict[str, Json]:
    if chance.random() < 0.3:
        target = chance.choice(OBSERVED)
        return {"domain": "system", "verb": "get", "params": {"target": target}}
    more: dict[str, dict[str, Json]] = {
        "create": {"object_type": chance.choice(["file", "folder"])},
        "write": {"content": chance.choice(ODD_TEXTS), "overwrite": chance.random() < 0.5},
        "append": {"content": "x"},
        "find": {"pattern": chance.choice(["*", "a*", "[", "?"]), "name": "."},
        "copy": {"to": "docs"},
        "rename": {"to": chance.choice(NAMES)},
    }
    params = {"name": chance.choice(NAMES), **more.get(verb, {})}
    return {"domain": "file", "verb": verb, "params": params}


def chunks(stream: bytes, chance: Random) -> Iterator[bytes]:
    """Cut a stream anywhere."""
    at = 0
    while at < len(stream):
        size = chance.choice([1, 7, 100, 1_000, 5_000, 65_536])
        yield stream[at : at + size]
        at += size
