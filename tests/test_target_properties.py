"""What holds for every world and every command: the same answer for the same input, no guesses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

import msgspec
from hypothesis import HealthCheck, assume, event, example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from actors.interpreter.words.splitting import splitter_for
from actors.target_resolver.engine import resolve
from messages.interpreting import NotSplit
from messages.results import Code
from messages.targets import Failure, Options, Query, Recent, Success
from messages.verbs import Verbs, load_verbs
from messages.worlds import Thing, World
from tests.target_worlds import HALL, ME, RAW_VERBS, VERBS, YARD, thing, world

BOUNDED = settings(
    max_examples=300,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

NOUNS = ("key", "box", "lamp")
ADJECTIVES = ("brass", "old", "odd")
OWN = ("key ring", "note to self", "box 2", "Käsebrot", "odd", "Bob")
STATES = ((), (), (), ("closed",), ("open",), ("opaque",), ("odd", "open"))
SEVERAL = ("all", "everything", "both", "them", "all except the key", "two boxes", "all lamps")


@dataclass(frozen=True)
class Scene:
    """A world made by chance of few words, so that much in it is alike; and words about it."""

    seed: int
    size: int

    def chance(self, what: str) -> Random:
        return Random(f"{self.seed} {what}")  # noqa: S311

    @cached_property
    def where(self) -> World:
        chance = self.chance("world")
        things = [some_thing(chance, number, self.size) for number in range(self.size)]
        listed = tuple(each.id for each in things if chance.random() < 0.3)
        scopes = {"songs": listed, "others": tuple(reversed(listed))}
        return world(thing("Bob", kind="person"), *things, scopes=scopes)

    @cached_property
    def words(self) -> str:
        """Words for a thing that say nothing of its place in a row."""
        return plain_words(self.chance("words"), self.where)

    @cached_property
    def any_words(self) -> str:
        chance = self.chance("any words")
        noun = chance.choice(NOUNS)
        return chance.choice(
            (f"2.{noun}", f"last {noun}", f"{noun} 2", *SEVERAL, *[self.words] * 5)
        )

    @cached_property
    def plain_command(self) -> str:
        return command(self.chance("command"), self.words, self.chance("more").choice(NOUNS))

    @cached_property
    def command(self) -> str:
        return command(self.chance("command"), self.any_words, self.words)

    @cached_property
    def verb(self) -> str:
        return self.chance("verb").choice(("take", "touch", "gather", "pick up"))

    @cached_property
    def options(self) -> Options:
        chance = self.chance("options")
        return Options(
            recent=Recent("t0", ("t0", "t1"), "Bob"),
            strictness=chance.choice(("normal", "normal", "exact")),
            compatibility=chance.choice(("current", "current", "v1")),
        )


def some_name(chance: Random) -> str:
    noun = chance.choice(NOUNS)
    return chance.choice((noun, noun, f"{chance.choice(ADJECTIVES)} {noun}", chance.choice(OWN)))


def some(chance: Random, words: Sequence[str]) -> list[str]:
    return chance.sample(words, chance.choice((0, 0, 1, 2)))


def some_thing(chance: Random, number: int, size: int) -> Thing:
    """A thing with a few properties, somewhere."""
    inside = f"t{chance.randrange(size)}"
    label = ", ".join(some(chance, ADJECTIVES)) + f" {chance.choice(NOUNS)}"
    hints: dict[str, Any] = {"disambiguationLabel": label.strip()} if chance.random() < 0.15 else {}
    if chance.random() < 0.2:
        hints |= {"descriptors": some(chance, ADJECTIVES), "interchangeable": True}
    looks = dict(zip(some(chance, ("size", "look")), ("old", "odd"), strict=False))
    place = chance.choice((HALL, HALL, HALL, HALL, HALL, ME, ME, YARD, "Bob", inside, inside, None))
    return thing(
        some_name(chance),
        place,
        as_id=f"t{number}",
        aliases=some(chance, NOUNS)[:1] if chance.random() < 0.3 else [],
        keywords=some(chance, ("metal", *NOUNS)) if chance.random() < 0.3 else [],
        adjectives=some(chance, ADJECTIVES) if chance.random() < 0.5 else [],
        qualifiers=chance.choice((looks, some(chance, ADJECTIVES))),
        state=chance.choice(STATES),
        relation=chance.choice(("in", "in", "worn" if place in {ME, "Bob"} else "on")),
        owner=chance.choice((None, None, None, "Bob", ME)),
        metadata={"resolution": hints},
    )


def plain_words(chance: Random, where: World) -> str:
    named = chance.choice(where.things[3:]).name
    noun, other = chance.choice(NOUNS), chance.choice(("box", "Bob", "lamp"))
    ways = (noun, noun, noun, named, named, f"the {named}", f'"{named}"', f"{noun} in the {other}")
    rest = ("odd one", "metal", "old", "it", f"Bob's {noun}", f"odd {noun}", f"{noun} here")
    return chance.choice((*ways, *ways, *rest))


def command(chance: Random, first: str, second: str) -> str:
    verb = chance.choice(("take", "drop", "gather", "touch", "pluck", "pick up", "look at"))
    two = (f"put {first} in {second}", f"take {first} from {second}", f"give {first} to {second}")
    return chance.choice((f"{verb} {first}", f"{verb} {first}", *two))


SCENES = st.builds(Scene, st.integers(0, 2**32), st.integers(1, 8))


def outcome(
    text: str, where: World, options: Options | None = None, verbs: Verbs = VERBS
) -> Success | Failure:
    options = Options() if options is None else options
    split = splitter_for(verbs, options).split(text)
    assert not isinstance(split, NotSplit)
    return resolve(Query(split, verbs, where, options)).outcome


def ids(result: Success | Failure) -> list[tuple[str | None, str | None]]:
    """What is bound, without regard to the order of a set."""
    if isinstance(result, Failure):
        return []
    found = [
        (
            binding.direct_target.id if binding.direct_target else None,
            binding.indirect_target.id if binding.indirect_target else None,
        )
        for binding in result.bindings
    ]
    return sorted(found, key=repr)


# The same input, the same bytes


@BOUNDED
@given(SCENES)
def test_the_same_input_gives_the_same_bytes(scene: Scene) -> None:
    split = splitter_for(VERBS, scene.options).split(scene.command)
    assert not isinstance(split, NotSplit)
    query = Query(split, VERBS, scene.where, scene.options)
    copied = msgspec.json.decode(msgspec.json.encode(query), type=Query)
    first, second = resolve(query), resolve(copied)
    assert msgspec.json.encode(first.outcome) == msgspec.json.encode(second.outcome)
    assert msgspec.json.encode(first.phases) == msgspec.json.encode(second.phases)


def shuffled(mapping: Mapping[str, Any], chance: Random) -> dict[str, Any]:
    items = list(mapping.items())
    chance.shuffle(items)
    return dict(items)


def reordered(where: World, chance: Random) -> World:
    """An equal world, of which every mapping was written in another order."""
    things = tuple(
        replace(
            each,
            qualifiers=shuffled(each.qualifiers, chance)
            if isinstance(each.qualifiers, dict)
            else each.qualifiers,
            exits=shuffled(each.exits, chance),
            measures=shuffled(each.measures, chance),
        )
        for each in where.things
    )
    return replace(where, things=things, scopes=shuffled(where.scopes, chance))


@BOUNDED
@given(SCENES)
def test_equal_input_gives_the_same_bytes_in_whatever_order_mappings_were_written(
    scene: Scene,
) -> None:
    chance = scene.chance("order")
    other = reordered(scene.where, chance)
    assert other == scene.where
    verbs = load_verbs(shuffled(RAW_VERBS, chance))
    first, second = outcome(scene.command, scene.where), outcome(scene.command, other, verbs=verbs)
    assert msgspec.json.encode(first) == msgspec.json.encode(second)


def test_the_order_of_qualifiers_that_are_named_says_nothing() -> None:
    looks = ({"size": "large", "look": "green"}, {"look": "green", "size": "large"})
    said = [
        msgspec.json.encode(
            outcome(
                "take box",
                world(thing("box", as_id="a", qualifiers=look), thing("box", as_id="b")),
            )
        )
        for look in looks
    ]
    assert said[0] == said[1]


def mixed(values: tuple[str, ...], chance: Random) -> tuple[str, ...]:
    return tuple(chance.sample(values, len(values)))


@BOUNDED
@given(SCENES)
def test_the_order_of_words_within_a_thing_never_changes_what_is_bound(scene: Scene) -> None:
    where, chance = scene.where, scene.chance("order")
    things = tuple(
        replace(
            each,
            state=mixed(each.state, chance),
            keywords=mixed(each.keywords, chance),
            aliases=mixed(each.aliases, chance),
            adjectives=mixed(each.adjectives, chance),
        )
        for each in where.things
    )
    scopes = {name: mixed(members, chance) for name, members in where.scopes.items()}
    first = outcome(scene.command, where)
    second = outcome(scene.command, replace(where, things=things, scopes=scopes))
    assert (ids(first), code(first)) == (ids(second), code(second))


def code(result: Success | Failure) -> Code | None:
    return result.code if isinstance(result, Failure) else None


# The order of things decides nothing


@BOUNDED
@given(SCENES)
def test_the_order_of_things_never_changes_which_thing_is_bound(scene: Scene) -> None:
    text, where = scene.plain_command, scene.where
    assume(not text.startswith("pluck"))  # its policy takes the first
    assume("2" not in text)
    things = scene.chance("order").sample(where.things, len(where.things))
    first, second = outcome(text, where), outcome(text, replace(where, things=tuple(things)))
    assert (ids(first), code(first)) == (ids(second), code(second))
    event("bound" if isinstance(first, Success) else str(first.code))


# Nothing beyond the declared scopes


def in_reach(where: World, ends: frozenset[str]) -> set[str]:
    """What lies in these places, walked from above: a search of its own, to compare with."""
    found: set[str] = set()
    level = set(ends)
    for _ in range(4):
        level = {each.id for each in where.things if each.location in level} - found
        found |= level
        level = {each.id for each in where.things if each.id in level and enterable(each)}
    return found


def enterable(place: Thing) -> bool:
    shut = {"closed", "locked", "sealed"} & set(place.state) and "open" not in place.state
    return not shut and "opaque" not in place.state and place.kind not in {"person", "player"}


def carried(where: World) -> set[str]:
    """What the actor carries and does not wear, with what is in it."""
    worn = {each.id for each in where.things if each.location == ME and each.relation == "worn"}
    things = tuple(each for each in where.things if each.id not in worn)
    return in_reach(World(things), frozenset({ME}))


@BOUNDED
@given(SCENES)
def test_nothing_is_bound_or_offered_beyond_the_declared_scopes(scene: Scene) -> None:
    where = scene.where
    result = outcome(f"{scene.verb} {scene.any_words}", where, scene.options)
    reach = carried(where) | in_reach(where, frozenset({HALL}))
    if isinstance(result, Failure):
        assert {option.target.id for option in result.options} <= reach
    for direct, indirect in ids(result):
        assert direct in (reach if indirect is None else in_reach(where, frozenset({indirect})))


@BOUNDED
@given(SCENES)
def test_what_is_dropped_is_carried(scene: Scene) -> None:
    result = outcome(f"drop {scene.any_words}", scene.where, scene.options)
    assert {direct for direct, _ in ids(result)} <= carried(scene.where)


@BOUNDED
@given(SCENES)
def test_what_is_taken_from_a_place_is_in_it(scene: Scene) -> None:
    place = scene.chance("place").choice(scene.where.things[3:]).name
    result = outcome(f"take {scene.any_words} from {place}", scene.where)
    for direct, indirect in ids(result):
        assert indirect is None or direct in in_reach(scene.where, frozenset({indirect}))


# No guesses


@BOUNDED
@given(SCENES)
def test_a_twin_of_what_was_bound_makes_it_ambiguous(scene: Scene) -> None:
    where, text = scene.where, f"take {scene.words}"
    result = outcome(text, where)
    assume(isinstance(result, Success) and scene.words != "it" and "2" not in text)
    ((name, _),) = ids(result)
    (original,) = (each for each in where.things if each.id == name)
    doubled = replace(where, things=(*where.things, replace(original, id="twin")))
    answer = outcome(text, doubled)
    assert isinstance(answer, Failure)
    assert answer.code == Code.AMBIGUOUS_TARGET
    assert {name, "twin"} <= {option.target.id for option in answer.options}


@BOUNDED
@given(SCENES)
def test_a_verb_without_sets_binds_one_thing_or_none(scene: Scene) -> None:
    assert len(ids(outcome(f"take {scene.any_words}", scene.where, scene.options))) < 2


@BOUNDED
@given(SCENES)
def test_a_success_binds_every_role_of_its_rule_and_a_failure_says_why(scene: Scene) -> None:
    result = outcome(scene.command, scene.where, scene.options)
    if isinstance(result, Failure):
        assert result.message
        assert not result.options or result.code is Code.AMBIGUOUS_TARGET
        return
    for direct, indirect in ids(result):
        assert (direct is not None) == (result.rule_id in {"direct", "directIndirect"})
        assert (indirect is not None) == (result.rule_id in {"indirect", "directIndirect"})


# Every option offered works


def asked(text: str, where: World) -> Failure:
    result = outcome(text, where)
    assume(isinstance(result, Failure) and len(result.options) > 1)
    assert isinstance(result, Failure)
    return result


@BOUNDED
@given(SCENES)
def test_every_option_works_as_a_new_command(scene: Scene) -> None:
    question = asked(f"{scene.verb} {scene.words}", scene.where)
    assert len({option.text for option in question.options}) == len(question.options)
    for option in question.options:
        answer = outcome(f"{scene.verb} {option.text}", scene.where)
        assert ids(answer) == [(option.target.id, None)], (question, option.text, answer)


@BOUNDED
@given(SCENES)
def test_every_option_works_among_the_options(scene: Scene) -> None:
    question = asked(f"{scene.verb} {scene.words}", scene.where)
    among = Options(among=tuple(option.target.id for option in question.options))
    for option in question.options:
        answer = outcome(f"{scene.verb} {option.text}", scene.where, among)
        assert ids(answer) == [(option.target.id, None)], (question, option.text, answer)


@BOUNDED
@given(SCENES)
def test_every_option_for_an_indirect_thing_works_too(scene: Scene) -> None:
    question = asked(f"look at {scene.words}", scene.where)
    for option in question.options:
        answer = outcome(f"look at {option.text}", scene.where)
        assert ids(answer) == [(None, option.target.id)], (question, option.text, answer)


@BOUNDED
@given(SCENES)
def test_every_option_beside_a_direct_thing_works_too(scene: Scene) -> None:
    where = replace(scene.where, things=(*scene.where.things, thing("apple", ME)))
    question = asked(f"put apple in {scene.words}", where)
    assume(question.details.role == "indirect")
    for option in question.options:
        answer = outcome(f"put apple in {option.text}", where)
        assert ids(answer) == [("apple", option.target.id)], (question, option.text, answer)


@BOUNDED
@given(SCENES, st.sets(st.sampled_from(("t0", "t1", "t2", "t3", "Bob")), min_size=1))
def test_nothing_is_bound_that_is_not_among_the_things_allowed(
    scene: Scene, allowed: set[str]
) -> None:
    options = Options(among=tuple(sorted(allowed)), recent=Recent("t1", ("t0", "t2"), "Bob"))
    for pair in ids(outcome(scene.command, scene.where, options)):
        assert {each for each in pair if each is not None} <= allowed


# Pure


@BOUNDED
@given(SCENES)
def test_the_world_given_is_not_changed(scene: Scene) -> None:
    given_to_it = (scene.where, VERBS, scene.options)
    before = msgspec.json.encode(given_to_it)
    outcome(scene.command, scene.where, scene.options)
    assert msgspec.json.encode(given_to_it) == before


# Any text


FULL = world(
    thing("Bob", kind="person"),
    *(thing(name, as_id=f"t{number}") for number, name in enumerate((*NOUNS, *OWN, "old box"))),
)
LITTLE = (
    "the all both 2 #2 second last other except but and , ' \" it of in on to from 2.box box-2"
    " Bob's box boxes key here called you carry newest one ones thing 99999999999999999999.box"
)


@BOUNDED
@given(st.sampled_from(("take ", "put ", "gather ", "look ", "")), st.text(max_size=40))
def test_no_text_raises(verb: str, text: str) -> None:
    answered(verb + text)


@BOUNDED
@given(
    st.sampled_from(("take ", "put ", "gather ", "look at ")),
    st.lists(st.sampled_from(LITTLE.split()), max_size=9),
)
@example("take ", ["2", "of", "newest", "except"])
def test_no_jumble_of_little_words_raises(verb: str, words: list[str]) -> None:
    answered(verb + " ".join(words))


def answered(text: str) -> None:
    """Resolve a text if it has a verb; the answer can be sent."""
    options = Options(recent=Recent("t0", ("t0", "t1"), "Bob"))
    split = splitter_for(VERBS, options).split(text)
    if not isinstance(split, NotSplit):
        found = resolve(Query(split, VERBS, FULL, options))
        assert msgspec.json.encode((found.outcome, found.phases, split))
