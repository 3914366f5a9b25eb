"""Small worlds and verbs for target resolution, and how to ask what words mean in them."""

from collections.abc import Mapping
from typing import Any

import msgspec

from actors.interpreter.words.splitting import splitter_for
from actors.target_resolver.engine import Finding, resolve
from messages.interpreting import NotSplit
from messages.phrases import ParsedCommand, Phrase
from messages.targets import Failure, Options, Query, Success
from messages.verbs import Verbs, load_verbs
from messages.worlds import Thing, World

HALL, YARD, ME = "hall", "yard", "me"
PLAIN = Options()

RAW_VERBS: Mapping[str, Any] = {
    "take": {
        "rules": {"direct": {}, "directIndirect": {"acceptedRelations": ["from"]}},
        "aliases": ["get", "pick up"],
        "scopeProfile": {"direct": ["room", "inventory"], "indirect": ["room", "inventory"]},
    },
    "drop": {"rules": {"direct": {}}, "scopeProfile": {"direct": ["inventory"]}},
    "gather": {
        "rules": {"direct": {}, "directIndirect": {"acceptedRelations": ["from"]}},
        "scopeProfile": {"direct": ["room", "inventory"], "indirect": ["room"]},
        "sets": ["direct"],
    },
    "touch": {
        "rules": {"direct": {}},
        "scopeProfile": {"direct": ["inventory", "room"]},
        "precedence": "pool",
    },
    "pluck": {
        "rules": {"direct": {}},
        "scopeProfile": {"direct": ["room", "inventory"]},
        "interchangeable": True,
    },
    "put": {
        "rules": {"directIndirect": {"acceptedRelations": ["in", "on"]}},
        "scopeProfile": {"direct": ["inventory", "room"], "indirect": ["room", "inventory"]},
    },
    "give": {
        "rules": {"directIndirect": {"acceptedRelations": ["to"]}},
        "scopeProfile": {"direct": ["inventory", "room"], "indirect": ["room"]},
    },
    "sing": {
        "rules": {
            "intransitive": {},
            "direct": {},
            "indirect": {"acceptedRelations": ["to"]},
            "directIndirect": {"acceptedRelations": ["to"]},
        },
        "scopeProfile": {"direct": ["songs"], "indirect": ["room"]},
    },
    "keep": {"rules": {"relationOnly": {"acceptedRelations": ["off", "out"]}}},
    "look": {
        "rules": {"intransitive": {}, "indirect": {"acceptedRelations": ["at", "in", "under"]}},
        "scopeProfile": {"indirect": ["room", "inventory", "worn", "self"]},
    },
    "go": {"rules": {"direct": {}}, "scopeProfile": {"direct": ["exits"]}},
    "wave": {"rules": {"direct": {}}},
}
VERBS = load_verbs(RAW_VERBS)


def thing(name: str, at: str | None = HALL, *, as_id: str | None = None, **fields: Any) -> Thing:
    """A thing in the hall, unless another place is given; its id is its name."""
    return msgspec.convert({"id": as_id or name, "name": name, "location": at, **fields}, Thing)


def hinted(name: str, as_id: str, **hints: Any) -> Thing:
    """A thing with metadata for those who ask about it."""
    return thing(name, as_id=as_id, metadata={"resolution": hints})


def world(*things: Thing, scopes: Mapping[str, tuple[str, ...]] | None = None) -> World:
    """A hall where the actor is, a yard where it is not, and these things."""
    places = (
        thing(HALL, None, kind="room", exits={"north": YARD, "out": YARD}),
        thing(YARD, None, kind="room", exits={"south": HALL}),
        thing("you", as_id=ME, kind="player"),
    )
    return World((*places, *things), ME, scopes or {})


def readings(
    text: str, verbs: Verbs = VERBS, options: Options = PLAIN
) -> tuple[ParsedCommand, ...]:
    """Split a text that has a verb."""
    split = splitter_for(verbs, options).split(text)
    assert not isinstance(split, NotSplit), split
    return split


def finding(text: str, where: World, options: Options = PLAIN, *, verbs: Verbs = VERBS) -> Finding:
    """Resolve a text, from its words to its bindings."""
    return resolve(Query(readings(text, verbs, options), verbs, where, options))


def success(text: str, where: World, options: Options = PLAIN, *, verbs: Verbs = VERBS) -> Success:
    outcome = finding(text, where, options, verbs=verbs).outcome
    assert isinstance(outcome, Success), outcome
    return outcome


def refused(text: str, where: World, options: Options = PLAIN, *, verbs: Verbs = VERBS) -> Failure:
    outcome = finding(text, where, options, verbs=verbs).outcome
    assert isinstance(outcome, Failure), outcome
    return outcome


def bound(text: str, where: World, options: Options = PLAIN, *, verbs: Verbs = VERBS) -> list[str]:
    """The ids of the direct things that a text means."""
    return direct_ids(success(text, where, options, verbs=verbs))


def pairs(
    text: str, where: World, options: Options = PLAIN, *, verbs: Verbs = VERBS
) -> list[tuple[str | None, str | None]]:
    """The ids of the direct and indirect things of each binding."""
    return [
        (
            binding.direct_target.id if binding.direct_target else None,
            binding.indirect_target.id if binding.indirect_target else None,
        )
        for binding in success(text, where, options, verbs=verbs).bindings
    ]


def direct_ids(outcome: Success) -> list[str]:
    return [binding.direct_target.id for binding in outcome.bindings if binding.direct_target]


def offered(failure: Failure) -> dict[str, str]:
    """The options of a failure: their texts, and the ids they stand for, in order."""
    return {option.text: option.target.id for option in failure.options}


def shaped(
    direct: str | None = None,
    relation: str | None = None,
    indirect: str | None = None,
    verb: str = "do",
) -> ParsedCommand:
    """A command that was already split, of literal names."""
    return ParsedCommand(
        verb,
        verb,
        direct_span=direct,
        relation_token_raw=relation,
        indirect_span=indirect,
        direct=None if direct is None else Phrase(direct),
        indirect=None if indirect is None else Phrase(indirect),
    )


def declared(*rules: str, **fields: Any) -> Verbs:
    """A verb "do" with these rules, which looks in the room; relation-bearing rules take "in"."""
    bearing = {"indirect", "directIndirect", "relationOnly"}
    forms = {rule: {"acceptedRelations": ["in"]} if rule in bearing else {} for rule in rules}
    profile = {"direct": ["room"], "indirect": ["room"]}
    return load_verbs({"do": {"rules": forms, "scopeProfile": profile, **fields}})


def looking_in(*scopes: Any, **fields: Any) -> Verbs:
    """A verb "do" that takes one thing from these scopes."""
    profile = {"direct": list(scopes)}
    return load_verbs({"do": {"rules": {"direct": {}}, "scopeProfile": profile, **fields}})
