"""Numbers, possessives, instruments and places in the words for things of a world."""

import pytest

from messages.results import Code
from messages.targets import Options, Recent
from messages.verbs import load_verbs
from messages.worlds import Thing
from tests.target_worlds import (
    ME,
    RAW_VERBS,
    bound,
    offered,
    pairs,
    refused,
    success,
    thing,
    world,
)

VERBS = load_verbs(
    {
        **RAW_VERBS,
        "open": {
            "rules": {"direct": {}, "directIndirect": {"acceptedRelations": ["with"]}},
            "scopeProfile": {"direct": ["room", "inventory"], "indirect": ["inventory", "room"]},
        },
        "push": {"rules": {"direct": {}}, "scopeProfile": {"direct": ["room"]}},
        "stow": {
            "rules": {"directIndirect": {"acceptedRelations": ["in", "on"]}},
            "scopeProfile": {"direct": ["room"], "indirect": ["room"]},
            "sets": ["direct"],
        },
        "chant": {
            "rules": {
                "indirect": {"acceptedRelations": ["to"]},
                "relationOnly": {"acceptedRelations": ["off"]},
                "directIndirect": {"acceptedRelations": ["about"]},
            },
            "scopeProfile": {"direct": ["room"], "indirect": ["room"]},
        },
    }
)


def things(*names: str) -> list[Thing]:
    return [thing(name) for name in names]


# Numbers inside a name


@pytest.mark.parametrize(
    ("name", "noun"),
    [
        ("model 5 lamp", "lamp"),
        ("apollo 11 patch", "patch"),
        ("b 12 vial", "vial"),
        ("locker 12", "locker"),
        ("windows 3.1 manual", "manual"),
        ("room 4 key of brass", "key"),
    ],
)
def test_a_number_inside_a_name_belongs_to_it(name: str, noun: str) -> None:
    where = world(thing(name))
    assert bound(f"take the {noun}", where) == [name]
    assert bound(f"take the {name}", where) == [name]


@pytest.mark.parametrize(
    "names",
    [
        ("model 5 lamp", "model 6 lamp"),
        ("model 5 lamp", "brass lamp"),
        ("route 66 lamp", "b 2 lamp"),
    ],
)
def test_two_things_with_a_number_in_their_names_are_ambiguous(names: tuple[str, ...]) -> None:
    failure = refused("take the lamp", world(*things(*names)))
    assert failure.code == Code.AMBIGUOUS_TARGET
    assert list(offered(failure)) == list(names)


def test_the_word_before_a_number_inside_a_name_is_not_the_noun() -> None:
    assert refused("take the model", world(thing("model 5 lamp"))).code == Code.TARGET_NOT_FOUND


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("the second lamp", "brass lamp"),
        ("lamp 2", "brass lamp"),
        ("lamp 5", "model 5 lamp"),
        ("the model 5 lamp", "model 5 lamp"),
    ],
)
def test_lamps_are_counted_unless_one_has_the_very_number(words: str, expected: str) -> None:
    assert bound(f"take {words}", world(*things("model 5 lamp", "brass lamp"))) == [expected]


def test_a_number_that_counts_and_is_part_of_a_name_is_asked_about() -> None:
    where = world(*things("tin lamp", "oil lamp", "model 2 lamp"))
    assert set(offered(refused("take lamp 2", where))) == {"oil lamp", "model 2 lamp"}


@pytest.mark.parametrize("words", ["locker 1", "locker 2", "locker 13", "Ann's locker 1"])
def test_what_ends_in_a_number_is_told_by_it_and_not_counted(words: str) -> None:
    where = world(*things("locker 12", "locker 14", "Ann's locker 12"))
    assert refused(f"take {words}", where).code == Code.TARGET_NOT_FOUND


# Possessives inside a name


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Bob's diner", "diner"),
        ("Bob’s diner", "diner"),
        ("the diner", "diner"),
        ("the baker's dozen", "dozen"),
        ("the stale baker's dozen", "dozen"),
        ("the small witch's hat", "small hat"),
        ("the second witch's hat", "big hat"),
        ("witch's hat 2", "big hat"),
        ("the hat in the dragon's lair", "lost hat"),
        ("the hat in the deep dragon's lair", "lost hat"),
    ],
)
def test_a_possessive_may_be_part_of_a_name(words: str, expected: str) -> None:
    where = world(
        thing("Bob's diner", as_id="diner"),
        thing("baker's dozen", as_id="dozen", adjectives=["stale"]),
        thing("witch's hat", as_id="small hat", adjectives=["small"]),
        thing("witch's hat", as_id="big hat", adjectives=["big"]),
        thing("dragon's lair", as_id="lair", adjectives=["deep"]),
        thing("lost hat", "lair", as_id="lost hat"),
    )
    assert bound(f"take {words}", where) == [expected]


def test_a_set_of_things_with_a_possessive_in_their_names_is_all_of_them() -> None:
    where = world(
        thing("witch's hat", as_id="one"), thing("witch's hat", as_id="two"), thing("hat")
    )
    assert bound("gather all witch's hats", where) == ["one", "two"]
    assert bound("gather the witch's hats", where) == ["one", "two"]


def test_what_somebody_owns_and_what_is_called_so_are_both_meant_where_neither_is_exact() -> None:
    where = world(
        thing("Bob", kind="person"),
        thing("old map", owner="Bob"),
        thing("Bob's town map"),
    )
    failure = refused("take Bob's map", where)
    assert set(offered(failure).values()) == {"old map", "Bob's town map"}


def test_what_somebody_owns_is_still_told_by_its_owner() -> None:
    where = world(
        thing("Bob", kind="person"), thing("map", owner="Bob"), thing("map", as_id="other")
    )
    assert bound("take Bob's map", where) == ["map"]


def test_a_possessive_that_is_neither_owner_nor_name_finds_nothing() -> None:
    where = world(*things("Bob's diner", "map"))
    assert refused("take Ann's diner", where).code == Code.TARGET_NOT_FOUND
    assert refused("take Bob's map", where).code == Code.TARGET_NOT_FOUND


# Instruments


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("oak door", "the door with the oak"),
        ("crystal chest", "the chest with the crystal"),
        ("key box", "the box with the key"),
    ],
)
def test_an_instrument_is_not_confirmed_by_the_name_of_what_it_is_used_on(
    name: str, words: str
) -> None:
    failure = refused(f"push {words}", world(thing(name)), verbs=VERBS)
    assert failure.code == Code.FORM_INDIRECT_NOT_SUPPORTED
    assert refused(f"open {words}", world(thing(name)), verbs=VERBS).code == Code.TARGET_NOT_FOUND


def test_what_has_a_thing_by_its_name_or_in_the_world_is_told_by_it() -> None:
    where = world(thing("man with a knife", kind="person"), thing("man", kind="person"))
    assert bound("push the man with the knife", where, verbs=VERBS) == ["man with a knife"]
    where = world(thing("box"), thing("box", as_id="full"), thing("key", "full"))
    assert bound("push the box with the key", where, verbs=VERBS) == ["full"]


@pytest.mark.parametrize(
    ("state", "kind"),
    [(["closed"], "container"), (["locked"], "container"), (["opaque"], "box"), ([], "person")],
)
def test_what_nobody_sees_does_not_tell_what_holds_it(state: list[str], kind: str) -> None:
    boxes = (
        thing("iron box", kind=kind, state=tuple(state)),
        thing("tin box", kind=kind, state=tuple(state)),
        thing("gem", "iron box"),
    )
    where = world(*boxes, thing("knife"))
    hidden = refused("take the gem", where, verbs=VERBS)
    assert hidden.code == Code.TARGET_NOT_FOUND
    for words in ("stow the knife in the box with the gem", "push the box with the gem"):
        failure = refused(words, where, verbs=VERBS)
        without = refused(words, world(*boxes[:2], thing("knife")), verbs=VERBS)
        assert failure.code is not Code.AMBIGUOUS_TARGET
        assert (failure.code, failure.message) == (without.code, without.message)


def test_what_is_seen_tells_what_holds_it_through_several_words() -> None:
    where = world(
        thing("tin box", state=("open",)),
        thing("iron box", state=("open",)),
        thing("bag", "iron box", state=("closed",)),
        thing("gem", "bag"),
        thing("knife"),
    )
    assert bound("push the box with the bag", where, verbs=VERBS) == ["iron box"]
    hidden = refused("push the box with the bag with the gem", where, verbs=VERBS)
    assert hidden.code in {Code.TARGET_NOT_FOUND, Code.FORM_INDIRECT_NOT_SUPPORTED}


@pytest.mark.parametrize("words", ["door with door", "oak door with the door", "door with it"])
def test_nothing_is_its_own_instrument(words: str) -> None:
    options = Options(recent=Recent(it="oak door"))
    failure = refused(f"open the {words}", world(thing("oak door")), options, verbs=VERBS)
    assert (failure.code, failure.options) == (Code.TARGET_NOT_FOUND, ())
    assert "itself" in failure.message


def test_what_is_opened_is_not_named_as_near_to_its_key() -> None:
    where = world(thing("brass chest"))
    failure = refused("open the brass chest with the brass key", where, verbs=VERBS)
    assert (failure.code, failure.details.near) == (Code.TARGET_NOT_FOUND, ())


# Places


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("put the red box in the box", ("red box", "blue box")),
        ("put the box in the red box", ("blue box", "red box")),
        ("put it in the box", ("red box", "blue box")),
        ("put the box in it", ("blue box", "red box")),
    ],
)
def test_of_two_things_the_other_one_is_the_place(words: str, expected: tuple[str, str]) -> None:
    options = Options(recent=Recent(it="red box"))
    assert pairs(words, world(*things("red box", "blue box")), options) == [expected]


@pytest.mark.parametrize("words", ["put the red box in a box", "put a box in the red box"])
def test_a_thing_is_never_offered_as_its_own_place(words: str) -> None:
    failure = refused(words, world(*things("red box", "blue box", "green box")))
    assert list(offered(failure).values()) == ["blue box", "green box"]


def test_what_is_put_away_is_not_offered_as_the_place_for_it() -> None:
    where = world(*things("red box", "blue box", "green box", "tin box"))
    failure = refused("stow the red box and the blue box in a box", where, verbs=VERBS)
    assert list(offered(failure).values()) == ["green box", "tin box"]


def test_both_does_not_count_the_place() -> None:
    where = world(*things("red box", "blue box"))
    failure = refused("stow both boxes in the red box", where, verbs=VERBS)
    assert failure.code == Code.TARGET_NOT_FOUND


@pytest.mark.parametrize(
    "words",
    [
        "put the red box in the first box",
        "put the first box in the red box",
        "put the red box in the largest box",
        "stow the first box and the second box in the first box",
        "stow both boxes in a box",
    ],
)
def test_what_counts_is_not_counted_anew_without_the_other_thing(words: str) -> None:
    where = world(thing("red box", measures={"size": 3}), thing("blue box", measures={"size": 1}))
    failure = refused(words, where, verbs=VERBS)
    assert (failure.code, failure.options) == (Code.TARGET_NOT_FOUND, ())
    assert "itself" in failure.message


def test_an_exception_is_counted_with_the_place_among_the_things() -> None:
    where = world(*things("red box", "blue box", "green box"))
    words = "stow all boxes except the second in the first box"
    assert pairs(words, where, verbs=VERBS) == [("green box", "red box")]


def test_of_those_spoken_of_the_place_is_left_out() -> None:
    where = world(*things("bag", "cup"))
    options = Options(recent=Recent(them=("bag", "cup")))
    assert pairs("stow them in the bag", where, options, verbs=VERBS) == [("cup", "bag")]


def test_all_leaves_out_the_place() -> None:
    where = world(*things("red box", "blue box", "green box"))
    found = pairs("stow all boxes in the red box", where, verbs=VERBS)
    assert found == [("blue box", "red box"), ("green box", "red box")]


def test_a_thing_may_still_tell_which_place_is_meant_for_it() -> None:
    where = world(
        thing("lamp"),
        thing("box", as_id="far"),
        thing("red box", "lamp", relation="beside"),
        thing("blue box", "lamp", relation="beside"),
    )
    failure = refused("put the lamp in the box beside the lamp", where)
    assert list(offered(failure).values()) == ["red box", "blue box"]


# Order


def test_things_are_counted_by_scope_then_depth_then_in_the_order_of_the_world() -> None:
    where = world(
        thing("box"),
        thing("chest"),
        thing("coin", "chest", as_id="first deep"),
        thing("coin", "box", as_id="second deep"),
        thing("coin", as_id="near"),
        thing("coin", ME, as_id="held"),
    )
    order = ["held", "near", "first deep", "second deep"]
    assert list(offered(refused("touch coin", where)).values()) == order
    for number, expected in enumerate(order, start=1):
        assert bound(f"touch coin {number}", where) == [expected]


def test_an_answer_counts_the_options_in_the_order_in_which_they_were_offered() -> None:
    where = world(thing("coin", as_id="here"), thing("coin", ME, as_id="held"))
    among = tuple(offered(refused("touch coin", where)).values())
    assert among == ("held", "here")
    everything = load_verbs(
        {"choose": {"rules": {"direct": {}}, "scopeProfile": {"direct": ["world"]}}}
    )
    options = Options(among=among)
    assert bound("choose the first one", where, options, verbs=everything) == ["held"]
    assert bound("choose the last one", where, options, verbs=everything) == ["here"]


# Relations


@pytest.mark.parametrize(("typed", "canonical"), [("in to", "in"), ("on to", "on")])
def test_a_relation_may_be_written_in_two_words(typed: str, canonical: str) -> None:
    found = success(f"put the lamp {typed} the chest", world(*things("lamp", "chest")))
    assert (found.relation_token_raw, found.relation_token_canonical) == (typed, canonical)


@pytest.mark.parametrize(
    ("words", "accepted"),
    [
        ("chant off the cat", ("to",)),
        ("chant on", ("off",)),
        ("chant the cat off the dog", ("about",)),
        ("chant the cat", ("about",)),
    ],
)
def test_a_failure_names_the_relations_of_the_selected_rule_alone(
    words: str, accepted: tuple[str, ...]
) -> None:
    failure = refused(words, world(*things("cat", "dog")), verbs=VERBS)
    assert failure.details.accepted == accepted
    assert not set(failure.message.partition("but with")[2].split()) - {*accepted, "what?"}


def test_no_relations_are_named_where_no_rule_comes_near() -> None:
    where = world(*things("cat", "dog"))
    failure = refused("keep the cat off", where)
    assert (failure.code, failure.details.accepted) == (Code.FORM_DIRECT_NOT_SUPPORTED, ())
