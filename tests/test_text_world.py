"""Text worlds: bundles are data and are checked, verbs do what they declare, words reach them."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from actors.interpreter.words.splitting import splitter_for
from actors.target_resolver.engine import resolve
from messages.executing import Done, Refused
from messages.results import Code
from messages.targets import Failure, Query, Success
from messages.worlds import Thing, World
from tools.text_world import TextWorld
from tools.text_world.bundle import (
    MAX_BYTES,
    BadBundle,
    Bundle,
    bundled,
    load_bundle,
    standard_verbs,
)
from tools.text_world.play import Played, Roles, feasible, play, with_scopes
from tools.tool import AnyTool

MANOR_FILE = bundled("manor")
assert MANOR_FILE is not None
MANOR = load_bundle(MANOR_FILE)
STANDARD = [
    "look",
    "inventory",
    "examine",
    "search",
    "take",
    "drop",
    "put",
    "insert",
    "give",
    "wear",
    "remove",
    "open",
    "close",
    "unlock",
    "lock",
    "go",
    "north",
    "south",
    "east",
    "west",
    "northeast",
    "northwest",
    "southeast",
    "southwest",
    "up",
    "down",
]

ME: Mapping[str, Any] = {"id": "me", "name": "you", "kind": "player", "location": "den"}
DEN: Mapping[str, Any] = {"id": "den", "name": "den", "kind": "room"}
SMALL: Mapping[str, Any] = {"name": "small", "world": {"actor": "me", "things": [DEN, ME]}}
RUB: Mapping[str, Any] = {"rules": {"direct": {}}, "scopeProfile": {"direct": ["room"]}}


# Helpers


def thing(world: World, name: str) -> Thing:
    return next(thing for thing in world.things if thing.id == name)


def having(world: World, name: str, **fields: object) -> World:
    """Give the world with one thing otherwise."""
    things = (replace(t, **fields) if t.id == name else t for t in world.things)
    return replace(world, things=tuple(things))


def holding(*names: str, at: str = "hall", world: World = MANOR.world) -> World:
    """Give the manor with these things in hand, and the actor somewhere."""
    for name in names:
        world = having(world, name, location="you", relation="in")
    return having(world, "you", location=at)


def roles(words: str) -> tuple[str, Roles]:
    """Read "put red-apple in bowl": a verb, ids, and a relation between them; "-" is no id."""
    verb, *rest = words.split()
    direct, relation, indirect = (*rest, None, None, None)[:3]
    return verb, Roles(None if direct == "-" else direct, indirect, relation)


def played(world: World, words: str, bundle: Bundle = MANOR) -> Played:
    verb, bound = roles(words)
    outcome = play(world, bundle.verbs[verb], bound)
    assert isinstance(outcome, Played), outcome
    return outcome


def refused(world: World, words: str, bundle: Bundle = MANOR) -> Refused:
    """Give the refusal, which is the same whether one asks before or tries."""
    verb, bound = roles(words)
    asked = feasible(world, bundle.verbs[verb], bound)
    assert asked == play(world, bundle.verbs[verb], bound)
    assert asked is not None
    return asked


def written(folder: Path, raw: object, name: str = "bundle.json") -> Path:
    path = folder / name
    path.write_bytes(msgspec.json.encode(raw))
    return path


def with_verb(declared: object, name: str = "rub") -> dict[str, Any]:
    return {**SMALL, "verbs": {name: declared}}


def with_things(*things: Mapping[str, Any], actor: str = "me") -> dict[str, Any]:
    return {**SMALL, "world": {"actor": actor, "things": [DEN, ME, *things]}}


# Bundles


def test_every_standard_verb_is_there_and_says_what_it_is_for() -> None:
    assert list(standard_verbs()) == STANDARD
    assert all(verb.description for verb in standard_verbs().values())


def test_json_and_toml_make_the_same_bundle(tmp_path: Path) -> None:
    assert MANOR_FILE is not None
    raw = tomllib.loads(MANOR_FILE.read_text("utf-8"))
    assert load_bundle(written(tmp_path, raw)) == MANOR


def test_a_bundles_verb_takes_the_place_of_the_standard_one(tmp_path: Path) -> None:
    own = {**RUB, "says": "You look hard at {direct}."}
    bundle = load_bundle(written(tmp_path, with_verb(own, "look")))
    assert bundle.verbs["look"].says == "You look hard at {direct}."
    assert set(bundle.verbs) == set(STANDARD)


def test_a_word_that_a_bundle_uses_anew_means_its_own_verb(tmp_path: Path) -> None:
    bundle = load_bundle(written(tmp_path, with_verb({**RUB, "aliases": ["grab"]}, "read")))
    assert "grab" not in bundle.verbs["take"].aliases
    assert "read" not in bundle.verbs["examine"].aliases
    assert "get" in bundle.verbs["take"].aliases


def test_a_verb_like_another_takes_all_but_its_names(tmp_path: Path) -> None:
    bundle = load_bundle(written(tmp_path, with_verb({"like": "take", "says": "Yours!"}, "steal")))
    steal, take = bundle.verbs["steal"], bundle.verbs["take"]
    assert steal == replace(take, aliases=(), says="Yours!")


def test_a_world_with_its_own_verb_can_be_played(tmp_path: Path) -> None:
    ring = {**RUB, "effects": [{"state": {"who": "direct", "add": ["shiny"]}, "say": "{direct}!"}]}
    things = [DEN, ME, {"id": "ring", "name": "ring", "location": "den"}]
    raw = {**with_verb(ring), "world": {"actor": "me", "things": things}}
    bundle = load_bundle(written(tmp_path, raw))
    outcome = played(bundle.world, "rub ring", bundle)
    assert thing(outcome.world, "ring").state == ("shiny",)
    assert outcome.says == "The ring!"


BAD_BUNDLES: Mapping[str, tuple[object, tuple[str, ...]]] = {
    "no table": ([], ("table of fields",)),
    "no name": ({"world": SMALL["world"]}, ("`name`",)),
    "name no text": ({**SMALL, "name": 3}, ("`name`", "not a text")),
    "unknown field": ({**SMALL, "script": "x"}, ("unknown field `script`",)),
    "no world": ({"name": "x"}, ("`world`",)),
    "things no list": ({**SMALL, "world": {"things": {}}}, ("world", "`things`")),
    "verbs no table": ({**SMALL, "verbs": []}, ("`verbs`",)),
    "verb without a name": (with_verb(RUB, " "), ("needs a name",)),
    "verb no table": (with_verb("rub"), ("verb 'rub'", "object")),
    "verb with no rule": (with_verb({"rules": {}}), ("verb 'rub'", "`rules`")),
    "unknown rule": (with_verb({"rules": {"sideways": {}}}), ("verb 'rub'", "sideways")),
    "no relations": (
        with_verb({"rules": {"indirect": {}}}),
        ("verb 'rub'", "rules.indirect.acceptedRelations"),
    ),
    "unknown field of a verb": (with_verb({**RUB, "code": "x"}), ("verb 'rub'", "`code`")),
    "two effects in one": (
        with_verb(
            {**RUB, "effects": [{"describe": "room", "state": {"who": "direct", "add": ["a"]}}]}
        ),
        ("verb 'rub'", "exactly one", "effects[0]"),
    ),
    "an effect that is none": (
        with_verb({**RUB, "effects": [{"say": "hm"}]}),
        ("verb 'rub'", "exactly one", "effects[0]"),
    ),
    "an effect on a role no rule has": (
        with_verb({**RUB, "effects": [{"move": {"who": "direct", "to": "indirect"}}]}),
        ("verb 'rub'", "effects[0]", "`indirect`"),
    ),
    "a change of nothing": (
        with_verb({**RUB, "effects": [{"state": {"who": "direct"}}]}),
        ("verb 'rub'", "neither adds nor removes", "effects[0].state"),
    ),
    "observing and changing": (
        with_verb(
            {**RUB, "observes": True, "effects": [{"move": {"who": "direct", "to": "room"}}]}
        ),
        ("verb 'rub'", "`observes`", "effects[0]"),
    ),
    "unknown role": (
        with_verb({**RUB, "requires": [{"who": "butler", "held": True, "message": "m"}]}),
        ("verb 'rub'", "butler", "requires[0].who"),
    ),
    "no condition": (
        with_verb({**RUB, "requires": [{"who": "direct", "message": "m"}]}),
        ("verb 'rub'", "without a condition", "requires[0]"),
    ),
    "no message": (
        with_verb({**RUB, "requires": [{"who": "direct", "held": True}]}),
        ("verb 'rub'", "`message`", "requires[0]"),
    ),
    "unknown gap": (with_verb({**RUB, "says": "{weapon}"}), ("verb 'rub'", "`says`", "weapon")),
    "like nothing": (with_verb({"like": "fly"}), ("verb 'rub'", "`like`", "fly")),
    "like one that is like another": (with_verb({"like": "north"}), ("verb 'rub'", "`like`")),
    "alias of another verb's name": (
        with_verb({**RUB, "aliases": ["take"]}),
        ("verb 'rub'", "aliases", "'take'"),
    ),
    "alias of another own verb's name": (
        {**SMALL, "verbs": {"rub": {**RUB, "aliases": ["pat"]}, "pat": RUB}},
        ("verb 'rub'", "aliases", "'pat'"),
    ),
    "thing without a name": (with_things({"id": "pot"}), ("thing 'pot'", "`name`")),
    "thing without an id": (with_things({"name": "pot"}), ("thing number 3", "`id`")),
    "field of a wrong type": (
        with_things({"id": "pot", "name": "pot", "state": "open"}),
        ("thing 'pot'", "state"),
    ),
    "unknown field of a thing": (
        with_things({"id": "pot", "name": "pot", "onTake": "x"}),
        ("thing 'pot'", "`onTake`"),
    ),
    "two of one id": (with_things(DEN), ("world", "'den'")),
    "nowhere": (
        with_things({"id": "pot", "name": "pot", "location": "moon"}),
        ("thing 'pot'", "location", "'moon'"),
    ),
    "in itself": (
        with_things(
            {"id": "pot", "name": "pot", "location": "pan"},
            {"id": "pan", "name": "pan", "location": "pot"},
        ),
        ("thing 'pot'", "inside itself"),
    ),
    "a way to nowhere": (
        with_things({**DEN, "id": "attic", "exits": {"down": "moon"}}),
        ("thing 'attic'", "exits.down", "'moon'"),
    ),
    "a way into a thing": (
        with_things({**DEN, "id": "attic", "exits": {"down": "me"}}),
        ("thing 'attic'", "exits.down", "no room"),
    ),
    "a door that is not there": (
        with_things({**DEN, "id": "attic", "exits": {"down": {"to": "den", "door": "hatch"}}}),
        ("thing 'attic'", "exits.down", "'hatch'"),
    ),
    "an actor that is not there": (with_things(actor="ghost"), ("world", "'ghost'")),
    "an actor in no room": (
        with_things({"id": "ghost", "name": "ghost"}, actor="ghost"),
        ("world", "`actor`"),
    ),
}


@pytest.mark.parametrize("case", BAD_BUNDLES)
def test_a_bad_bundle_is_refused_by_file_part_and_field(case: str, tmp_path: Path) -> None:
    raw, words = BAD_BUNDLES[case]
    with pytest.raises(BadBundle) as caught:
        load_bundle(written(tmp_path, raw))
    for word in ("bundle.json", *words):
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("bundle.py", b"name = 'x'", "a .toml or a .json file"),
        ("bundle.toml", b"name = ", "not well formed"),
        ("bundle.toml", b"\xff\xfe", "not well formed"),
        ("bundle.json", b"{", "not well formed"),
        ("bundle.json", b"[" * 100_000, "bundle.json"),
        ("bundle.json", b" " * MAX_BYTES + b"{}", "larger than"),
    ],
)
def test_a_file_that_is_no_bundle_is_refused(
    name: str, content: bytes, word: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadBundle, match=word):
        load_bundle(path)


def test_a_file_that_is_not_there_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(BadBundle, match=r"missing\.toml: cannot be read"):
        load_bundle(tmp_path / "missing.toml")


@pytest.mark.parametrize(
    "template",
    ["{direct.__class__}", "{0}", "{direct!r}", "{direct:>99}", "{__import__}", "{", "{{direct}}"],
)
@pytest.mark.parametrize("field", ["says", "say", "message"])
def test_a_sentence_is_never_more_than_names_in_gaps(
    field: str, template: str, tmp_path: Path
) -> None:
    parts: dict[str, dict[str, Any]] = {
        "says": {"says": template},
        "say": {"effects": [{"describe": "room", "say": template}]},
        "message": {"requires": [{"who": "direct", "held": True, "message": template}]},
    }
    with pytest.raises(BadBundle, match=f"verb 'rub': `{field}`"):
        load_bundle(written(tmp_path, with_verb({**RUB, **parts[field]})))


def test_what_a_thing_is_called_is_never_read_as_a_template(tmp_path: Path) -> None:
    raw = with_things({"id": "pot", "name": "{actor}", "location": "den"})
    bundle = load_bundle(written(tmp_path, raw))
    assert played(bundle.world, "take pot", bundle).says == "You take {actor}."


# Verbs: what they do

OPEN_CHEST = having(MANOR.world, "coat-chest", state=("open", "fixed"))
WEARING = having(MANOR.world, "cloak", location="you", relation="worn")
UNLOCKED = having(MANOR.world, "oak-door", state=("closed",))

# a world, what is done, the one thing that is different then, and how
CHANGES: tuple[tuple[World, str, str, dict[str, object]], ...] = (
    (MANOR.world, "take note", "note", {"location": "you", "relation": "in"}),
    (OPEN_CHEST, "take cloak from coat-chest", "cloak", {"location": "you"}),
    (holding("note"), "drop note", "note", {"location": "hall", "relation": "in"}),
    (
        holding("note"),
        "put note on coat-chest",
        "note",
        {"location": "coat-chest", "relation": "on"},
    ),
    (
        holding("note", world=OPEN_CHEST),
        "put note in coat-chest",
        "note",
        {"location": "coat-chest"},
    ),
    (
        holding("note"),
        "put note under hall-table",
        "note",
        {"location": "hall-table", "relation": "under"},
    ),
    (
        holding("note"),
        "put note behind hall-table",
        "note",
        {"location": "hall-table", "relation": "behind"},
    ),
    (
        holding("note", world=OPEN_CHEST),
        "insert note in coat-chest",
        "note",
        {"location": "coat-chest"},
    ),
    (holding("coin-1", at="garden"), "give coin-1 to bob", "coin-1", {"location": "bob"}),
    (holding("cloak"), "wear cloak", "cloak", {"location": "you", "relation": "worn"}),
    (WEARING, "remove cloak", "cloak", {"location": "you", "relation": "in"}),
    (MANOR.world, "open coat-chest", "coat-chest", {"state": ("fixed", "open")}),
    (OPEN_CHEST, "close coat-chest", "coat-chest", {"state": ("fixed", "closed")}),
    (UNLOCKED, "open oak-door", "oak-door", {"state": ("open",)}),
    (holding("brass-key"), "unlock oak-door with brass-key", "oak-door", {"state": ("closed",)}),
    (
        holding("brass-key", world=UNLOCKED),
        "lock oak-door with brass-key",
        "oak-door",
        {"state": ("closed", "locked")},
    ),
    (MANOR.world, "go hall.north", "you", {"location": "kitchen"}),
    (MANOR.world, "go - to hall.north", "you", {"location": "kitchen"}),
    (
        having(MANOR.world, "oak-door", state=("open",)),
        "go - through oak-door",
        "you",
        {"location": "study"},
    ),
    (MANOR.world, "north", "you", {"location": "kitchen"}),
    (MANOR.world, "east", "you", {"location": "library"}),
    (MANOR.world, "south", "you", {"location": "garden"}),
    (holding(at="library"), "west", "you", {"location": "hall"}),
    (
        having(holding(at="kitchen"), "cellar-door", state=("open",)),
        "down",
        "you",
        {"location": "cellar"},
    ),
    (
        having(holding(at="cellar"), "cellar-door", state=("open",)),
        "up",
        "you",
        {"location": "kitchen"},
    ),
    (holding("oil-lamp"), "light oil-lamp", "oil-lamp", {"state": ("lit",)}),
    (
        having(holding("oil-lamp"), "oil-lamp", state=("lit",)),
        "extinguish oil-lamp",
        "oil-lamp",
        {"state": ("unlit",)},
    ),
)


@pytest.mark.parametrize(
    ("world", "words", "name", "fields"), CHANGES, ids=lambda v: v if isinstance(v, str) else ""
)
def test_a_verb_changes_what_it_declares_and_nothing_else(
    world: World, words: str, name: str, fields: dict[str, object]
) -> None:
    before = msgspec.json.encode(world)
    outcome = played(world, words)
    assert outcome.world == having(world, name, **fields)
    assert outcome.world != world
    assert outcome.says
    assert msgspec.json.encode(world) == before


def test_every_way_the_winds_blow_can_be_gone() -> None:
    for direction in ("northeast", "northwest", "southeast", "southwest"):
        world = having(MANOR.world, "hall", exits={direction: "cellar"})
        assert thing(played(world, direction).world, "you").location == "cellar"


SIGHTS = (
    (
        MANOR.world,
        "look",
        ("Hall", "a large, green envelope", "note to self", "west (the oak door)"),
    ),
    (MANOR.world, "inventory", ("You carry nothing.",)),
    (holding("coin-1", "coin-2", "atlas"), "inventory", ("You carry 2 gold coins and an atlas.",)),
    (WEARING, "inventory", ("You carry nothing.", "You wear a travelling cloak.")),
    (MANOR.world, "examine oak-door", ("old oak", "It is closed and locked.")),
    (OPEN_CHEST, "search coat-chest", ("In the oak chest: a travelling cloak and an oil lamp.",)),
    (holding(at="garden"), "search bench", ("Under the stone bench: an iron key.", "straw hat")),
    (holding("atlas"), "search atlas", ("nothing to be found",)),
)


@pytest.mark.parametrize(
    ("world", "words", "told"), SIGHTS, ids=lambda v: v if isinstance(v, str) else ""
)
def test_a_look_tells_what_is_there_and_changes_nothing(
    world: World, words: str, told: tuple[str, ...]
) -> None:
    outcome = played(world, words)
    assert outcome.world == world
    assert outcome.effects == ()
    for sentence in told:
        assert sentence in outcome.says


def test_what_is_shut_in_or_lies_under_something_is_not_seen_at_a_glance() -> None:
    assert "cloak" not in played(MANOR.world, "look").says
    assert "cloak" not in played(MANOR.world, "examine coat-chest").says
    assert "iron key" not in played(holding(at="garden"), "look").says


def test_who_opens_a_chest_sees_what_is_in_it() -> None:
    assert "an oil lamp" in played(MANOR.world, "open coat-chest").says


def test_who_goes_sees_the_room_they_come_to() -> None:
    outcome = played(MANOR.world, "north")
    assert outcome.says.startswith("Kitchen\n")
    assert isinstance(outcome.output, dict)
    assert outcome.output["room"] == "kitchen"


# Verbs: what they refuse

KITCHEN, GARDEN, STUDY = (holding(at=room) for room in ("kitchen", "garden", "study"))
REFUSALS: tuple[tuple[World, str, str], ...] = (
    (holding("note"), "take note", "you already have the note to self"),
    (MANOR.world, "take hall-table", "the hall table does not move"),
    (MANOR.world, "take oak-door", "the oak door cannot be taken"),
    (KITCHEN, "take finch", "Mrs Finch would not like that"),
    (KITCHEN, "take ladle from finch", "Mrs Finch will not let go of the ladle"),
    (KITCHEN, "take ladle", "the ladle is out of reach"),
    (WEARING, "take cloak", "you are wearing the travelling cloak"),
    (MANOR.world, "take cloak", "the travelling cloak is out of reach"),
    (MANOR.world, "take red-apple", "the red apple is out of reach"),
    (MANOR.world, "drop note", "you do not have the note to self"),
    (WEARING, "drop cloak", "you are wearing the travelling cloak; take it off first"),
    (holding("note"), "put note in coat-chest", "the oak chest is closed"),
    (holding("note", at="study"), "put note in strongbox", "the strongbox is locked"),
    (holding("note"), "put note in hall-table", "nothing can be put in the hall table"),
    (holding("note", at="kitchen"), "put note on bowl", "nothing stays on the wooden bowl"),
    (holding("note", at="kitchen"), "put note in finch", "Mrs Finch would not like that"),
    (KITCHEN, "put finch in bowl", "Mrs Finch would not like that"),
    (KITCHEN, "put kitchen-table in bowl", "the kitchen table does not move"),
    (MANOR.world, "put oak-door on coat-chest", "the oak door cannot be moved"),
    (WEARING, "put cloak on coat-chest", "you are wearing the travelling cloak; take it off first"),
    (holding("note"), "insert note in coat-chest", "the oak chest is closed"),
    (MANOR.world, "give note to coat-chest", "you do not have the note to self"),
    (holding("note"), "give note to coat-chest", "the oak chest has no use for the note to self"),
    (
        having(WEARING, "you", location="garden"),
        "give cloak to bob",
        "you are wearing the travelling cloak; take it off first",
    ),
    (holding("note"), "wear note", "the note to self is nothing to wear"),
    (WEARING, "wear cloak", "you are already wearing the travelling cloak"),
    (holding("cloak"), "remove cloak", "you are not wearing the travelling cloak"),
    (MANOR.world, "open oak-door", "the oak door is locked"),
    (STUDY, "open strongbox", "the strongbox is locked"),
    (OPEN_CHEST, "open coat-chest", "the oak chest is already open"),
    (MANOR.world, "open hall-table", "the hall table is nothing to open"),
    (MANOR.world, "close coat-chest", "the oak chest is already closed"),
    (MANOR.world, "close hall-table", "the hall table is nothing to close"),
    (MANOR.world, "search coat-chest", "the oak chest is closed"),
    (STUDY, "search strongbox", "the strongbox is closed"),
    (KITCHEN, "search finch", "Mrs Finch would rather not be searched"),
    (
        holding("iron-key"),
        "unlock oak-door with iron-key",
        "the iron key does not fit the oak door",
    ),
    (holding("iron-key"), "unlock coat-chest with iron-key", "the oak chest has no lock"),
    (
        holding("brass-key", world=UNLOCKED),
        "unlock oak-door with brass-key",
        "the oak door is not locked",
    ),
    (
        having(MANOR.world, "brass-key", location="hall"),
        "unlock oak-door with brass-key",
        "you do not have the brass key",
    ),
    (holding("brass-key"), "lock oak-door with brass-key", "the oak door is already locked"),
    (
        holding("iron-key", world=UNLOCKED),
        "lock oak-door with iron-key",
        "the iron key does not fit the oak door",
    ),
    (
        having(holding("brass-key"), "oak-door", state=("open",)),
        "lock oak-door with brass-key",
        "the oak door is open; close it first",
    ),
    (
        having(MANOR.world, "brass-key", location="hall"),
        "lock oak-door with brass-key",
        "you do not have the brass key",
    ),
    (holding("iron-key"), "lock coat-chest with iron-key", "the oak chest has no lock"),
    (MANOR.world, "go hall.west", "the oak door is locked"),
    (MANOR.world, "west", "the oak door is locked"),
    (UNLOCKED, "go - through oak-door", "the oak door is closed"),
    (KITCHEN, "down", "the cellar door is closed"),
    (MANOR.world, "up", "there is no way there from the hall"),
    (MANOR.world, "go garden.north", "north is out of reach"),
    (holding("note"), "light note", "the note to self would not burn well"),
    (holding("oil-lamp"), "extinguish oil-lamp", "the oil lamp is not lit"),
    (GARDEN, "sing - to bench", "the stone bench has no ear for music"),
)


@pytest.mark.parametrize(
    ("world", "words", "message"), REFUSALS, ids=lambda v: v if isinstance(v, str) else ""
)
def test_what_cannot_be_done_is_refused_with_the_reason(
    world: World, words: str, message: str
) -> None:
    before = msgspec.json.encode(world)
    assert refused(world, words) == Refused(Code.NOT_FEASIBLE, message)
    assert msgspec.json.encode(world) == before


def test_every_standard_verb_that_demands_anything_is_seen_refusing() -> None:
    demanding = {name for name in STANDARD if standard_verbs()[name].requires}
    shown = {words.split()[0] for _, words, _ in REFUSALS}
    like_go = set(STANDARD[STANDARD.index("go") :])
    assert demanding - shown <= like_go


def test_nothing_is_put_into_itself_or_into_what_it_holds() -> None:
    world = having(holding("bowl", "letter-box"), "letter-box", state=("open",))
    assert (
        refused(world, "put bowl in bowl").message == "the wooden bowl cannot be moved into itself"
    )
    nested = played(world, "put letter-box in bowl").world
    message = refused(nested, "put bowl in letter-box").message
    assert message == "the wooden bowl cannot be moved into the letter box, which is inside it"


def test_a_thing_on_a_closed_chest_is_within_reach() -> None:
    world = having(MANOR.world, "note", location="coat-chest", relation="on")
    assert thing(played(world, "take note").world, "note").location == "you"


def test_a_thing_in_a_bag_in_hand_can_be_dropped_and_taken_out() -> None:
    world = having(holding("bowl"), "note", location="bowl", relation="in")
    assert thing(played(world, "drop note").world, "note").location == "hall"
    assert thing(played(world, "take note from bowl").world, "note").location == "you"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("take ghost", Code.TARGET_STALE),
        ("take", Code.FORM_NOT_SUPPORTED),
        ("put note", Code.FORM_NOT_SUPPORTED),
        ("look note", Code.FORM_NOT_SUPPORTED),
        ("put note through hall-table", Code.FORM_UNSUPPORTED_RELATION),
    ],
)
def test_roles_that_are_no_form_of_the_verb_are_refused(words: str, code: Code) -> None:
    assert refused(MANOR.world, words).code is code


def test_a_second_thing_without_a_relation_is_refused() -> None:
    answer = feasible(MANOR.world, MANOR.verbs["put"], Roles("note", "hall-table"))
    assert isinstance(answer, Refused)
    assert answer.code is Code.FORM_MISSING_RELATION


def test_a_way_out_is_no_thing_to_move(tmp_path: Path) -> None:
    seize = {
        "rules": {"direct": {}},
        "scopeProfile": {"direct": ["exits"]},
        "effects": [{"move": {"who": "direct", "to": "actor"}}],
    }
    things = [{**DEN, "exits": {"north": "den"}}, ME]
    raw = {**with_verb(seize, "seize"), "world": {"actor": "me", "things": things}}
    bundle = load_bundle(written(tmp_path, raw))
    assert refused(bundle.world, "seize den.north", bundle).message == "north is only a way out"


def test_a_way_that_is_not_there_is_not_gone(tmp_path: Path) -> None:
    flee: dict[str, Any] = {"rules": {"intransitive": {}}, "exit": "north"}
    flee["effects"] = [{"move": {"who": "actor", "to": "destination"}}]
    bundle = load_bundle(written(tmp_path, with_verb(flee, "flee")))
    assert refused(bundle.world, "flee", bundle).message == "there is no way there"


def test_a_requirement_can_forbid_an_attribute(tmp_path: Path) -> None:
    demand = {"who": "direct", "lacksAttribute": "hot", "message": "{direct} is too hot"}
    rub = {**RUB, "requires": [demand]}
    pan = {"id": "pan", "name": "pan", "location": "den"}
    pot = {**pan, "id": "pot", "name": "pot", "attributes": {"hot": True}}
    raw = {**with_things(pot, pan), "verbs": {"rub": rub}}
    bundle = load_bundle(written(tmp_path, raw))
    assert refused(bundle.world, "rub pot", bundle).message == "the pot is too hot"
    assert played(bundle.world, "rub pan", bundle).world == bundle.world


def test_the_same_deed_in_the_same_world_gives_the_same_bytes() -> None:
    encode = msgspec.json.encode
    assert encode(played(MANOR.world, "look")) == encode(played(MANOR.world, "look"))
    assert encode(played(MANOR.world, "take note")) == encode(played(MANOR.world, "take note"))


# Tools


def tool_of(text_world: TextWorld, verb: str) -> AnyTool:
    return next(tool for tool in text_world.tools() if tool.name == f"world.{verb}")


async def done(text_world: TextWorld, verb: str, **args: str) -> Done:
    outcome = await tool_of(text_world, verb).perform(args)
    assert isinstance(outcome, Done), outcome
    return outcome


def test_there_is_a_tool_for_every_verb() -> None:
    tools = TextWorld.of(MANOR).tools()
    assert [tool.name for tool in tools] == [f"world.{verb}" for verb in MANOR.verbs]
    assert {tool.intent for tool in tools} == {"world"}
    assert all(tool.achieves == {f"world_{tool.name.removeprefix('world.')}"} for tool in tools)


async def test_a_tool_changes_the_world_it_holds_and_sees_that_it_did() -> None:
    text_world = TextWorld.of(MANOR)
    outcome = await done(text_world, "take", direct="note")
    assert thing(text_world.world, "note").location == "you"
    assert outcome.effects == ("note in you",)
    assert isinstance(outcome.output, dict)
    assert outcome.output["says"] == "You take the note to self."
    assert await tool_of(text_world, "take").verify({"direct": "note"}, outcome) is True
    assert thing(MANOR.world, "note").location == "hall-table"


async def test_a_check_looks_at_the_world_and_not_at_the_claim() -> None:
    text_world = TextWorld.of(MANOR)
    taken = await done(text_world, "take", direct="note")
    opened = await done(text_world, "open", direct="coat-chest")
    await done(text_world, "drop", direct="note")
    await done(text_world, "close", direct="coat-chest")
    assert await tool_of(text_world, "take").verify({"direct": "note"}, taken) is False
    assert await tool_of(text_world, "open").verify({"direct": "coat-chest"}, opened) is False


async def test_a_refused_deed_leaves_the_world_as_it_was() -> None:
    text_world = TextWorld.of(MANOR)
    outcome = await tool_of(text_world, "open").perform({"direct": "oak-door"})
    assert outcome == Refused(Code.NOT_FEASIBLE, "the oak door is locked")
    assert text_world.world is MANOR.world


async def test_asking_whether_it_can_be_done_does_nothing() -> None:
    text_world = TextWorld.of(MANOR)
    assert text_world.feasible("take", Roles("note")) is None
    answer = text_world.feasible("open", Roles("oak-door"))
    assert answer == Refused(Code.NOT_FEASIBLE, "the oak door is locked")
    assert text_world.world is MANOR.world


@pytest.mark.parametrize("verb", [name for name, verb in MANOR.verbs.items() if verb.observes])
async def test_a_tool_that_observes_leaves_the_world_alone(verb: str) -> None:
    text_world = TextWorld(OPEN_CHEST, MANOR.verbs)
    args = {"direct": "coat-chest"} if "direct" in MANOR.verbs[verb].rules else {}
    tool = tool_of(text_world, verb)
    assert tool.glance is not None
    assert tool.glance(args) == await done(text_world, verb, **args)
    assert text_world.world is OPEN_CHEST


async def test_a_tool_refuses_parameters_it_does_not_have() -> None:
    with pytest.raises(msgspec.ValidationError):
        await tool_of(TextWorld.of(MANOR), "take").perform({"direct": "note", "force": True})


async def test_a_snapshot_has_the_doors_of_the_room_and_what_lies_about() -> None:
    text_world = TextWorld.of(MANOR)
    seen = await text_world.snapshot()
    assert seen.scopes["doors"] == ("oak-door",)
    assert seen.scopes["loose"] == ("green-envelope", "blue-envelope", "note")
    await done(text_world, "north")
    assert (await text_world.snapshot()).scopes["doors"] == ("cellar-door",)
    assert text_world.world.scopes == {}


def test_what_is_in_a_bag_in_hand_does_not_lie_about() -> None:
    world = having(holding("bowl"), "note", location="bowl", relation="in")
    assert with_scopes(world, MANOR.verbs).scopes["loose"] == ("green-envelope", "blue-envelope")


def test_a_world_that_does_not_ship_is_not_found_by_name() -> None:
    assert bundled("castle") is None


# From words


def resolved(world: World, text: str) -> Success | Failure:
    readings = splitter_for(MANOR.verbs).split(text)
    assert isinstance(readings, tuple), readings
    return resolve(Query(readings, MANOR.verbs, with_scopes(world, MANOR.verbs))).outcome


def bound(world: World, text: str) -> list[str]:
    """Say what a text comes to, in the words of ``roles``: one for every binding."""
    outcome = resolved(world, text)
    assert isinstance(outcome, Success), outcome
    said = []
    for binding in outcome.bindings:
        direct, indirect = binding.direct_target, binding.indirect_target
        words = [outcome.verb]
        if direct is not None or indirect is not None:
            words.append("-" if direct is None else direct.id)
        if indirect is not None:
            words += [str(outcome.relation_token_canonical), indirect.id]
        said.append(" ".join(words))
    return said


HANDS_FULL = holding("brass-key", "iron-key", "note", "coin-1", "coin-2", "oil-lamp", "atlas")
AT_BOB = having(HANDS_FULL, "you", location="garden")
BOUND: tuple[tuple[World, str, str], ...] = (
    (KITCHEN, "take the red apple", "take red-apple"),
    (KITCHEN, "take apple", "take red-apple"),
    (KITCHEN, "take the pie", "take apple-pie"),
    (KITCHEN, "pick the apple pie up", "take apple-pie"),
    (KITCHEN, "get a coin", "take coin-1"),
    (KITCHEN, "take coin from the bowl", "take coin-1 from bowl"),
    (KITCHEN, "take the ladle from the cook", "take ladle from finch"),
    (KITCHEN, "put the red apple into the wooden bowl", "put red-apple in bowl"),
    (KITCHEN, "open the cellar door", "open cellar-door"),
    (KITCHEN, "go to the hall", "go - to kitchen.south"),
    (MANOR.world, "take note to self", "take note"),
    (MANOR.world, "read the note", "examine note"),
    (MANOR.world, "take the green envelope", "take green-envelope"),
    (MANOR.world, "take large, blue envelope", "take blue-envelope"),
    (MANOR.world, "look", "look"),
    (MANOR.world, "l", "look"),
    (MANOR.world, "i", "inventory"),
    (MANOR.world, "x chest", "examine coat-chest"),
    (MANOR.world, "look at the oak chest", "examine coat-chest"),
    (MANOR.world, "look in the chest", "search coat-chest"),
    (MANOR.world, "open door", "open oak-door"),
    (MANOR.world, "open oak chest", "open coat-chest"),
    (MANOR.world, "take table", "take hall-table"),
    (MANOR.world, "go north", "go hall.north"),
    (MANOR.world, "walk n", "go hall.north"),
    (MANOR.world, "n", "north"),
    (MANOR.world, "north", "north"),
    (MANOR.world, "enter the library", "go hall.east"),
    (MANOR.world, "go to the library", "go - to hall.east"),
    (MANOR.world, "go through the oak door", "go - through oak-door"),
    (HANDS_FULL, "unlock the oak door with the brass key", "unlock oak-door with brass-key"),
    (HANDS_FULL, "unlock study door using brass key", "unlock oak-door with brass-key"),
    (HANDS_FULL, "light the lamp", "light oil-lamp"),
    (HANDS_FULL, "turn the lamp on", "light oil-lamp"),
    (HANDS_FULL, "put out the lamp", "extinguish oil-lamp"),
    (HANDS_FULL, "put the lamp on the hall table", "put oil-lamp on hall-table"),
    (HANDS_FULL, "put the book of maps on the table", "put atlas on hall-table"),
    (HANDS_FULL, "drop the iron key", "drop iron-key"),
    (AT_BOB, "give note to self to Bob", "give note to bob"),
    (AT_BOB, "hand a coin to the gardener", "give coin-1 to bob"),
    (AT_BOB, "sing to bob", "sing - to bob"),
    (AT_BOB, "put the straw hat on", "wear straw-hat"),
    (AT_BOB, "put on the hat", "wear straw-hat"),
    (AT_BOB, "sing", "sing"),
    (WEARING, "take off the cloak", "remove cloak"),
    (WEARING, "take the cloak off", "remove cloak"),
    (OPEN_CHEST, "remove the lamp from the chest", "take oil-lamp from coat-chest"),
    (OPEN_CHEST, "insert the note into the chest", "insert note in coat-chest"),
    (holding(at="library"), "take the candlestick", "take library-candlestick"),
    (holding(at="cellar"), "take the candlestick", "take cellar-candlestick"),
    (holding("library-candlestick", at="cellar"), "take candlestick", "take cellar-candlestick"),
    (
        holding("library-candlestick", at="cellar"),
        "light the silver candlestick",
        "light library-candlestick",
    ),
    (MANOR.world, "close oak door", "close oak-door"),
)


@pytest.mark.parametrize(
    ("world", "text", "words"), BOUND, ids=lambda v: v if isinstance(v, str) else ""
)
def test_words_reach_the_one_thing_they_mean(world: World, text: str, words: str) -> None:
    assert bound(world, text) == [words]


@pytest.mark.parametrize(
    ("world", "text", "code"),
    [
        (MANOR.world, "take envelope", Code.AMBIGUOUS_TARGET),
        (MANOR.world, "take the large envelope", Code.AMBIGUOUS_TARGET),
        (MANOR.world, "take cloak", Code.TARGET_NOT_FOUND),
        (MANOR.world, "take apple", Code.TARGET_NOT_FOUND),
        (MANOR.world, "open the cellar door", Code.TARGET_NOT_FOUND),
        (MANOR.world, "go up", Code.TARGET_NOT_FOUND),
        (KITCHEN, "take ladle", Code.TARGET_NOT_FOUND),
        (KITCHEN, "take aple", Code.TARGET_NOT_FOUND),
        (HANDS_FULL, "drop the key", Code.AMBIGUOUS_TARGET),
        (HANDS_FULL, "unlock the oak door", Code.FORM_MISSING_INDIRECT),
        (HANDS_FULL, "unlock", Code.FORM_MISSING_DIRECT),
        (HANDS_FULL, "put the lamp", Code.FORM_MISSING_INDIRECT),
        (HANDS_FULL, "put the lamp through the table", Code.FORM_UNSUPPORTED_RELATION),
        (HANDS_FULL, "inventory lamp", Code.FORM_DIRECT_NOT_SUPPORTED),
        (AT_BOB, "sing a song", Code.FORM_DIRECT_NOT_SUPPORTED),
    ],
)
def test_words_that_mean_no_one_thing_bind_nothing(world: World, text: str, code: Code) -> None:
    outcome = resolved(world, text)
    assert isinstance(outcome, Failure), outcome
    assert outcome.code is code


def test_the_envelopes_are_asked_about_by_their_labels() -> None:
    outcome = resolved(MANOR.world, "get envelope")
    assert isinstance(outcome, Failure)
    question = "Which envelope do you mean: large, green envelope or large, blue envelope?"
    assert outcome.message == question
    for option in outcome.options:
        assert bound(MANOR.world, f"get {option.text}") == [f"take {option.target.id}"]


def test_take_all_means_what_can_be_taken() -> None:
    expected = ["take green-envelope", "take blue-envelope", "take note"]
    assert bound(MANOR.world, "take all") == expected
    assert bound(KITCHEN, "take two coins") == ["take coin-1", "take coin-2"]
    assert bound(KITCHEN, "take all coins") == ["take coin-1", "take coin-2", "take coin-3"]


def test_two_keys_within_reach_are_asked_about_wherever_they_lie() -> None:
    world = having(MANOR.world, "iron-key", location="hall", relation="in")
    world = having(world, "letter-box", location="hall", state=("open",))
    outcome = resolved(world, "take key")
    assert isinstance(outcome, Failure)
    assert outcome.code is Code.AMBIGUOUS_TARGET


STORY = """
take the note to self
open the chest
take the lamp from the chest
light the lamp
wear the cloak
east
open the letter box
take the brass key
w
unlock the oak door with the brass key
open the oak door
south
look under the bench
take the iron key
north
go through the oak door
unlock the strongbox with the iron key
open the strongbox
take the brooch
put the note in the strongbox
close the strongbox
lock the strongbox with the iron key
wear the thistle brooch
go to the hall
inventory
"""


async def test_the_manor_can_be_played_to_its_end_by_words_alone() -> None:
    text_world = TextWorld.of(MANOR)
    for text in STORY.strip().splitlines():
        (words,) = bound(text_world.world, text)
        verb, bound_roles = roles(words)
        tool = tool_of(text_world, verb)
        args = msgspec.to_builtins(bound_roles)
        outcome = await tool.perform(args)
        assert isinstance(outcome, Done), (text, outcome)
        assert await tool.verify(args, outcome) is True
    assert thing(text_world.world, "brooch").relation == "worn"
    assert thing(text_world.world, "note").location == "strongbox"
    assert thing(text_world.world, "you").location == "hall"


# Any deeds at all

NAMES = st.sampled_from(
    [None, "ghost", "hall.north", "oak-door", *(thing.id for thing in MANOR.world.things)]
)
DEEDS = st.tuples(
    st.sampled_from(sorted(MANOR.verbs)),
    st.builds(Roles, NAMES, NAMES, st.sampled_from([None, "in", "on", "to", "from", "with", "?"])),
)


def is_in_a_ring(world: World, name: str) -> bool:
    place, steps = thing(world, name).location, 0
    while place is not None and steps <= len(world.things):
        place, steps = thing(world, place).location, steps + 1
    return place is not None


@settings(deadline=None, derandomize=True, max_examples=150)
@given(st.lists(DEEDS, max_size=30))
def test_whatever_is_done_the_world_stays_whole(deeds: list[tuple[str, Roles]]) -> None:
    world = holding("bowl", "letter-box", "brass-key", "iron-key", world=OPEN_CHEST)
    for verb, bound_roles in deeds:
        before = world
        outcome = play(before, MANOR.verbs[verb], bound_roles)
        if isinstance(outcome, Refused):
            assert outcome.message
            continue
        world = outcome.world
        changed = [a.id for a, b in zip(before.things, world.things, strict=True) if a != b]
        assert [t.id for t in before.things] == [t.id for t in world.things]
        assert len(changed) <= 1
        assert not any(is_in_a_ring(world, name) for name in changed)
        assert not MANOR.verbs[verb].observes or not changed
