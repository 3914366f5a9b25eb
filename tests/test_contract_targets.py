"""The contract of target resolution, clause by clause, and each answer to its open questions."""

import ast
from itertools import combinations
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

import actors.target_resolver.engine
from actors.target_resolver import TargetResolver
from actors.target_resolver.engine import resolve
from messages.failures import Target
from messages.phrases import ParsedCommand, Phrase
from messages.results import Code
from messages.targets import (
    Binding,
    Bound,
    Failure,
    NotBound,
    Options,
    Query,
    Recent,
    Resolve,
    Success,
)
from messages.verbs import BadDeclaration, RuleKey, load_verbs
from messages.worlds import Thing, World
from tests.running import running
from tests.target_worlds import (
    HALL,
    ME,
    RAW_VERBS,
    VERBS,
    YARD,
    bound,
    declared,
    direct_ids,
    finding,
    hinted,
    looking_in,
    offered,
    pairs,
    readings,
    refused,
    shaped,
    success,
    thing,
    world,
)

APPLE, LAMP, CHEST, TABLE = thing("apple"), thing("lamp"), thing("chest"), thing("table")
SWORDS = tuple(thing("sword", as_id=f"sword{number}") for number in (1, 2, 3))
ROOM = world(APPLE, LAMP, CHEST, TABLE)
RULES: tuple[RuleKey, ...] = get_args(RuleKey)


def form(parsed: ParsedCommand, *rules: str) -> Success | Failure:
    """Resolve a shape by a verb that has these rules, in a room with an apple and a chest."""
    return resolve(Query((parsed,), declared(*rules), ROOM)).outcome


def phases(text: str, where: World, options: Options | None = None) -> list[str]:
    return [phase.phase for phase in finding(text, where, options or Options()).phases]


# Inputs and outputs


def test_success_gives_the_direct_target() -> None:
    (binding,) = success("take apple", ROOM).bindings
    assert binding == Binding(Target("apple", "apple", "thing"))


def test_success_gives_the_direct_and_the_indirect_target() -> None:
    (binding,) = success("put apple in chest", ROOM).bindings
    assert binding.direct_target == Target("apple", "apple", "thing")
    assert binding.indirect_target == Target("chest", "chest", "thing")


def test_an_indirect_target_is_bound_without_a_direct_one() -> None:
    assert pairs("look at lamp", ROOM) == [(None, "lamp")]


def test_there_is_no_indirect_target_where_the_form_needs_none() -> None:
    (binding,) = success("take apple", ROOM).bindings
    assert binding.indirect_target is None


def test_the_field_names_of_the_contract_are_those_on_the_wire() -> None:
    wire = msgspec.to_builtins(success("put apple into chest", ROOM))
    assert wire["ruleId"] == "directIndirect"
    assert (wire["relationTokenRaw"], wire["relationTokenCanonical"]) == ("into", "in")
    assert set(wire["bindings"][0]) == {"directTarget", "indirectTarget"}


def test_a_failure_has_a_code_details_and_a_message_and_binds_nothing() -> None:
    failure = refused("take dragon", ROOM)
    assert failure.code == "TARGET_NOT_FOUND"
    assert (failure.details.verb, failure.details.role) == ("take", "direct")
    assert failure.details.span == "dragon"
    assert "dragon" in failure.message
    assert set(msgspec.to_builtins(failure)) == {"code", "message", "details", "options"}


def test_when_one_of_two_roles_fails_nothing_is_bound() -> None:
    failure = refused("put apple in dragon", ROOM)
    assert (failure.code, failure.details.role) == (Code.TARGET_NOT_FOUND, "indirect")


def test_no_reading_at_all_is_a_failure_of_form() -> None:
    outcome = resolve(Query((), VERBS, ROOM)).outcome
    assert isinstance(outcome, Failure)
    assert outcome.code == Code.FORM_NOT_SUPPORTED


def test_a_verb_that_is_not_declared_binds_nothing() -> None:
    outcome = resolve(Query((shaped("apple", verb="juggle"),), VERBS, ROOM)).outcome
    assert isinstance(outcome, Failure)
    assert outcome.code == Code.NOT_UNDERSTOOD


async def test_the_actor_answers_a_request_with_what_was_bound() -> None:
    query = Query(readings("take apple"), VERBS, ROOM)
    async with running(TargetResolver()) as resolver:
        answer = await resolver.ask(Resolve("c1", "a1", query))
    assert isinstance(answer, Bound)
    assert (answer.command_id, answer.action_id) == ("c1", "a1")
    assert direct_ids(answer.success) == ["apple"]


async def test_the_actor_answers_a_request_with_why_nothing_was_bound() -> None:
    query = Query(readings("take dragon"), VERBS, ROOM)
    async with running(TargetResolver()) as resolver:
        answer = await resolver.ask(Resolve("c1", "a1", query))
    assert isinstance(answer, NotBound)
    assert answer.failure.code == Code.TARGET_NOT_FOUND


# Form matching: the five rules


@pytest.mark.parametrize(
    ("text", "rule", "expected"),
    [
        ("sing", "intransitive", (None, None)),
        ("sing a lullaby", "direct", ("lullaby", None)),
        ("sing to the baby", "indirect", (None, "baby")),
        ("sing a lullaby to the baby", "directIndirect", ("lullaby", "baby")),
        ("keep off", "relationOnly", (None, None)),
    ],
)
def test_each_form_of_the_contract_selects_its_rule(
    text: str, rule: str, expected: tuple[str | None, str | None]
) -> None:
    nursery = world(
        thing("lullaby", None),
        thing("baby", kind="person"),
        scopes={"songs": ("lullaby",)},
    )
    assert success(text, nursery).rule_id == rule
    assert pairs(text, nursery) == [expected]


SHAPES: dict[RuleKey, ParsedCommand] = {
    "intransitive": shaped(),
    "direct": shaped("apple"),
    "indirect": shaped(None, "in", "chest"),
    "directIndirect": shaped("apple", "in", "chest"),
    "relationOnly": shaped(None, "in"),
}


@pytest.mark.parametrize("rule", RULES)
def test_a_verb_may_declare_any_one_rule_alone(rule: RuleKey) -> None:
    outcome = form(SHAPES[rule], rule)
    assert isinstance(outcome, Success)
    assert outcome.rule_id == rule


@pytest.mark.parametrize("rule", RULES)
def test_a_verb_may_declare_all_rules_and_the_shape_selects_one(rule: RuleKey) -> None:
    outcome = form(SHAPES[rule], *RULES)
    assert isinstance(outcome, Success)
    assert outcome.rule_id == rule


@pytest.mark.parametrize("size", range(1, 6))
def test_a_shape_fits_exactly_when_its_rule_is_declared(size: int) -> None:
    for rules in combinations(RULES, size):
        for shape, parsed in SHAPES.items():
            outcome = form(parsed, *rules)
            assert isinstance(outcome, Success) == (shape in rules), (rules, shape)
            if isinstance(outcome, Failure):
                assert outcome.code.startswith("FORM_"), (rules, shape)


@pytest.mark.parametrize("size", range(1, 6))
def test_a_relation_that_no_rule_accepts_never_fits(size: int) -> None:
    for rules in combinations(RULES, size):
        for parsed in (
            shaped(None, "under"),
            shaped(None, "under", "chest"),
            shaped("apple", "under", "chest"),
        ):
            outcome = form(parsed, *rules)
            assert isinstance(outcome, Failure), (rules, parsed)
            assert outcome.code.startswith("FORM_"), (rules, parsed)


FORM_FAILURES = [
    # a direct thing that no rule has
    (("intransitive",), shaped("song"), Code.FORM_DIRECT_NOT_SUPPORTED),
    (("indirect",), shaped("song"), Code.FORM_DIRECT_NOT_SUPPORTED),
    (("relationOnly",), shaped("song"), Code.FORM_DIRECT_NOT_SUPPORTED),
    (("intransitive", "indirect"), shaped("song", "in", "chest"), Code.FORM_DIRECT_NOT_SUPPORTED),
    (("relationOnly",), shaped("dog", "in"), Code.FORM_DIRECT_NOT_SUPPORTED),
    # an indirect thing that no rule has
    (("intransitive",), shaped(None, "in", "chest"), Code.FORM_INDIRECT_NOT_SUPPORTED),
    (("direct",), shaped("apple", "in", "chest"), Code.FORM_INDIRECT_NOT_SUPPORTED),
    (("relationOnly",), shaped(None, "in", "chest"), Code.FORM_INDIRECT_NOT_SUPPORTED),
    (("intransitive", "direct"), shaped(None, "in", "chest"), Code.FORM_INDIRECT_NOT_SUPPORTED),
    # a direct thing that is missing
    (("direct",), shaped(), Code.FORM_MISSING_DIRECT),
    (("directIndirect",), shaped(), Code.FORM_MISSING_DIRECT),
    (("direct", "directIndirect"), shaped(), Code.FORM_MISSING_DIRECT),
    (("directIndirect",), shaped(None, "in", "chest"), Code.FORM_MISSING_DIRECT),
    (("direct", "directIndirect"), shaped(None, "in", "chest"), Code.FORM_MISSING_DIRECT),
    # an indirect thing that is missing
    (("indirect",), shaped(), Code.FORM_MISSING_INDIRECT),
    (("indirect",), shaped(None, "in"), Code.FORM_MISSING_INDIRECT),
    (("directIndirect",), shaped("apple"), Code.FORM_MISSING_INDIRECT),
    (("directIndirect",), shaped("apple", "in"), Code.FORM_MISSING_INDIRECT),
    (("intransitive", "directIndirect"), shaped("apple"), Code.FORM_MISSING_INDIRECT),
    (("direct", "directIndirect"), shaped("apple", "in"), Code.FORM_MISSING_INDIRECT),
    (("indirect", "directIndirect"), shaped("apple"), Code.FORM_MISSING_INDIRECT),
    # a relation that is missing
    (("relationOnly",), shaped(), Code.FORM_MISSING_RELATION),
    (("indirect",), shaped(None, None, "chest"), Code.FORM_MISSING_RELATION),
    (("directIndirect",), shaped("apple", None, "chest"), Code.FORM_MISSING_RELATION),
    # a relation that is not accepted
    (("indirect",), shaped(None, "under", "chest"), Code.FORM_UNSUPPORTED_RELATION),
    (("directIndirect",), shaped("apple", "under", "chest"), Code.FORM_UNSUPPORTED_RELATION),
    (("relationOnly",), shaped(None, "under"), Code.FORM_UNSUPPORTED_RELATION),
    (("intransitive",), shaped(None, "under"), Code.FORM_UNSUPPORTED_RELATION),
    (RULES, shaped(None, "under", "chest"), Code.FORM_UNSUPPORTED_RELATION),
    (RULES, shaped("apple", "under", "chest"), Code.FORM_UNSUPPORTED_RELATION),
    # each role is known, but not both together
    (("direct", "indirect"), shaped("apple", "in", "chest"), Code.FORM_NOT_SUPPORTED),
    (("direct", "relationOnly"), shaped("apple", "in"), Code.FORM_NOT_SUPPORTED),
]


@pytest.mark.parametrize(("rules", "parsed", "code"), FORM_FAILURES)
def test_a_shape_that_does_not_fit_gets_the_most_specific_code(
    rules: tuple[str, ...], parsed: ParsedCommand, code: Code
) -> None:
    outcome = form(parsed, *rules)
    assert isinstance(outcome, Failure)
    assert outcome.code == code
    assert outcome.message
    assert outcome.options == ()
    assert outcome.details.rules == tuple(sorted(rules))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("keep the dog", Code.FORM_DIRECT_NOT_SUPPORTED),
        ("keep off the table", Code.FORM_INDIRECT_NOT_SUPPORTED),
        ("drop apple in chest", Code.FORM_INDIRECT_NOT_SUPPORTED),
        ("take", Code.FORM_MISSING_DIRECT),
        ("put", Code.FORM_MISSING_DIRECT),
        ("put in chest", Code.FORM_MISSING_DIRECT),
        ("put apple", Code.FORM_MISSING_INDIRECT),
        ("put apple in", Code.FORM_MISSING_INDIRECT),
        ("give apple", Code.FORM_MISSING_INDIRECT),
        ("look at", Code.FORM_MISSING_INDIRECT),
        ("keep", Code.FORM_MISSING_RELATION),
        ("keep on", Code.FORM_UNSUPPORTED_RELATION),
        ("put apple under chest", Code.FORM_UNSUPPORTED_RELATION),
        ("look behind chest", Code.FORM_UNSUPPORTED_RELATION),
    ],
)
def test_words_that_do_not_fit_get_the_most_specific_code(text: str, code: Code) -> None:
    assert refused(text, ROOM).code == code


def test_a_song_for_a_verb_without_things_is_a_direct_thing_too_many() -> None:
    verbs = load_verbs({"sing": {"rules": {"intransitive": {}}}})
    failure = refused("sing a song", ROOM, verbs=verbs)
    assert failure.code == "FORM_DIRECT_NOT_SUPPORTED"
    assert failure.details.rules == ("intransitive",)


def test_a_failure_of_form_names_the_relation_said_and_those_accepted() -> None:
    failure = refused("put apple under chest", ROOM)
    assert failure.details.relation == "under"
    assert failure.details.accepted == ("in", "on")
    assert "under" in failure.message


def test_form_comes_before_any_search() -> None:
    found = finding("put dragon", ROOM)
    assert [phase.phase for phase in found.phases] == ["form"]


def test_the_superseded_codes_are_gone() -> None:
    assert not {"MISSING_REQUIRED_ROLE", "UNSUPPORTED_RELATION"} & set(Code)


def test_a_span_without_its_phrase_never_passes_for_a_binding() -> None:
    parsed = ParsedCommand("do", "do", direct_span="apple")
    outcome = form(parsed, "direct")
    assert isinstance(outcome, Failure) or direct_ids(outcome) == ["apple"]


# Relation acceptance is specific to a rule


def test_each_rule_accepts_its_own_relations() -> None:
    rules = {
        "indirect": {"acceptedRelations": ["under"]},
        "directIndirect": {"acceptedRelations": ["in"]},
    }
    profile = {"direct": ["room"], "indirect": ["room"]}
    verbs = load_verbs({"look": {"rules": rules, "scopeProfile": profile}})
    assert pairs("look under chest", ROOM, verbs=verbs) == [(None, "chest")]
    assert pairs("look apple in chest", ROOM, verbs=verbs) == [("apple", "chest")]
    assert refused("look apple under chest", ROOM, verbs=verbs).code == (
        Code.FORM_UNSUPPORTED_RELATION
    )


# Declarations that cannot be loaded


def problem(declaration: Any) -> BadDeclaration:
    with pytest.raises(BadDeclaration) as caught:
        load_verbs({"look": {"rules": {"intransitive": {}}}, "put": declaration})
    assert "'put'" in str(caught.value)
    assert caught.value.verb == "put"
    return caught.value


@pytest.mark.parametrize("declaration", [{"rules": {}}, {}, {"aliases": ["place"]}])
def test_a_verb_without_rules_is_refused_by_name(declaration: dict[str, Any]) -> None:
    assert "rules" in str(problem(declaration))


@pytest.mark.parametrize("rule", ["indirect", "directIndirect", "relationOnly"])
@pytest.mark.parametrize(
    "declaration", [{}, {"acceptedRelations": []}, {"acceptedRelations": [" "]}]
)
def test_a_rule_that_bears_a_relation_is_refused_without_accepted_relations(
    rule: str, declaration: dict[str, Any]
) -> None:
    refusal = str(problem({"rules": {rule: declaration}}))
    assert f"rules.{rule}.acceptedRelations" in refusal


@pytest.mark.parametrize("rule", ["intransitive", "direct"])
def test_a_rule_without_a_relation_is_refused_with_accepted_relations(rule: str) -> None:
    assert f"rules.{rule}" in str(problem({"rules": {rule: {"acceptedRelations": ["in"]}}}))


@pytest.mark.parametrize(
    ("declaration", "field"),
    [
        ({"rules": {"ditransitive": {}}}, "rules"),
        ({"rules": {"direct": {}}, "sets": ["subject"]}, "sets"),
        ({"rules": {"direct": {}}, "precedence": "any"}, "precedence"),
        ({"rules": {"direct": {}}, "scopeProfile": {"direct": "room"}}, "scopeProfile.direct"),
        ({"rules": {"direct": {}}, "scopeProfile": {"actor": []}}, "scopeProfile"),
        ({"rules": {"directIndirect": {"acceptedRelations": "in"}}}, "acceptedRelations"),
        ({"rules": {"direct": {}}, "execute": "rm"}, "execute"),
        ({"rules": []}, "rules"),
    ],
)
def test_a_bad_field_of_a_declaration_is_named(declaration: dict[str, Any], field: str) -> None:
    assert field in str(problem(declaration))


def test_a_declaration_that_is_no_object_is_refused_by_name() -> None:
    problem(["direct"])


def test_a_verb_needs_a_name() -> None:
    with pytest.raises(BadDeclaration):
        load_verbs({" ": {"rules": {"direct": {}}}})


def test_a_declaration_is_keyed_by_rule_and_written_in_camel_case() -> None:
    wire = msgspec.to_builtins(load_verbs(RAW_VERBS)["take"])
    assert set(wire["rules"]) == {"direct", "directIndirect"}
    assert wire["rules"]["directIndirect"]["acceptedRelations"] == ("from",)
    assert wire["scopeProfile"]["direct"] == ("room", "inventory")


# Intransitive offramp


def test_an_intransitive_verb_succeeds_at_once_with_an_empty_binding() -> None:
    outcome = success("look", ROOM)
    assert outcome.rule_id == "intransitive"
    assert outcome.bindings == (Binding(),)


@pytest.mark.parametrize("text", ["look", "sing", "keep off"])
def test_without_roles_there_is_no_scope_search_no_matching_and_no_question(text: str) -> None:
    assert phases(text, ROOM) == ["form", "bind"]


def test_an_intransitive_verb_succeeds_in_an_empty_world() -> None:
    assert success("look", World()).bindings == (Binding(),)


# Scopes


def test_each_role_is_looked_for_in_its_own_scopes() -> None:
    verbs = load_verbs(
        {
            "do": {
                "rules": {"directIndirect": {"acceptedRelations": ["in"]}},
                "scopeProfile": {"direct": ["inventory"], "indirect": ["room"]},
            }
        }
    )
    where = world(thing("coin", ME), thing("purse"))
    assert pairs("do coin in purse", where, verbs=verbs) == [("coin", "purse")]
    assert refused("do purse in coin", where, verbs=verbs).code == Code.TARGET_NOT_FOUND


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ("inventory", ["held"]),
        ("held", ["held"]),
        ("worn", ["worn"]),
        ("room", ["here"]),
        ("here", ["here"]),
        ("self", [ME]),
        ("far", ["far"]),
    ],
)
def test_a_scope_holds_its_own_things_and_no_others(scope: str, expected: list[str]) -> None:
    where = world(
        thing("held gem", ME, as_id="held"),
        thing("worn gem", ME, as_id="worn", relation="worn"),
        thing("here gem", as_id="here"),
        thing("far gem", YARD, as_id="far"),
        scopes={"far": ("far",)},
    )
    verbs = looking_in(scope)
    found = []
    for words, name in (
        ("held gem", "held"),
        ("worn gem", "worn"),
        ("here gem", "here"),
        ("far gem", "far"),
        ("you", ME),
    ):
        outcome = finding(f'do "{words}"', where, verbs=verbs).outcome
        if isinstance(outcome, Success):
            assert direct_ids(outcome) == [name]
            found.append(name)
    assert found == expected


def test_the_world_is_a_scope_of_everything() -> None:
    where = world(thing("moon", YARD), thing("sun", None))
    assert bound("do moon", where, verbs=looking_in("world")) == ["moon"]
    assert bound("do sun", where, verbs=looking_in("world")) == ["sun"]


@pytest.mark.parametrize("words", ["north", "n", "North", "the yard"])
def test_the_exits_are_the_ways_out_of_the_room(words: str) -> None:
    where = World(
        tuple(
            msgspec.structs.replace(each, exits={"north": YARD}) if each.id == HALL else each
            for each in ROOM.things
        ),
        ME,
    )
    assert bound(f"go {words}", where) == ["hall.north"]


def test_the_exits_of_another_room_are_not_in_reach() -> None:
    assert refused("go south", ROOM).code == Code.TARGET_NOT_FOUND


def test_an_exit_that_stands_in_another_room_is_not_in_reach() -> None:
    where = world(thing("trapdoor", YARD, kind="exit"))
    assert refused("go trapdoor", where).code == Code.TARGET_NOT_FOUND


@pytest.mark.parametrize("scope", ["nowhere", "inventory", "worn"])
def test_what_is_in_no_declared_scope_is_not_found_though_it_is_there(scope: str) -> None:
    failure = refused("do apple", ROOM, verbs=looking_in(scope))
    assert failure.code == Code.TARGET_NOT_FOUND
    assert failure.details.searched == (scope,)


def test_a_verb_without_scopes_finds_nothing() -> None:
    assert refused("wave apple", ROOM).code == Code.TARGET_NOT_FOUND


def test_without_an_actor_there_is_no_room_and_no_inventory() -> None:
    where = World((thing(HALL, None, kind="room"), APPLE))
    assert refused("take apple", where).code == Code.TARGET_NOT_FOUND


def test_scopes_are_searched_in_declared_order() -> None:
    where = world(thing("coin", ME, as_id="held"), thing("coin", as_id="here"))
    assert bound("do coin", where, verbs=looking_in("inventory", "room")) == ["held"]
    assert bound("do coin", where, verbs=looking_in("room", "inventory")) == ["here"]


def test_the_trace_names_the_scopes_in_declared_order() -> None:
    found = finding("take apple", ROOM)
    (scope,) = [phase for phase in found.phases if phase.phase == "scope"]
    assert scope.scopes == ("room", "inventory")


def test_first_precedence_prefers_an_exact_match_in_a_later_scope_to_a_partial_one() -> None:
    where = world(thing("brass key", ME), thing("key"))
    assert bound("do key", where, verbs=looking_in("inventory", "room")) == ["key"]


def test_first_precedence_takes_the_first_scope_with_a_partial_match() -> None:
    where = world(thing("brass key", ME), thing("iron key"))
    assert bound("do key", where, verbs=looking_in("inventory", "room")) == ["brass key"]


def test_first_precedence_still_asks_about_equals_within_a_scope() -> None:
    where = world(thing("brass key", ME), thing("iron key", ME), thing("gold key"))
    failure = refused("do key", where, verbs=looking_in("inventory", "room"))
    assert set(offered(failure).values()) == {"brass key", "iron key"}


def test_pooled_scopes_are_one() -> None:
    where = world(thing("coin", ME, as_id="held"), thing("coin", as_id="here"))
    failure = refused("touch coin", where)
    assert failure.code == Code.AMBIGUOUS_TARGET
    assert list(offered(failure).values()) == ["held", "here"]


def test_pooled_scopes_still_prefer_the_exact_match() -> None:
    where = world(thing("brass key", ME), thing("key"))
    assert bound("touch key", where) == ["key"]


# Nested scopes


def nested(depth: int, **fields: Any) -> World:
    """A pearl inside this many containers, one in the other, in the hall."""
    boxes = [
        thing(f"box{level}", HALL if level == 1 else f"box{level - 1}", **fields)
        for level in range(1, depth + 1)
    ]
    return world(*boxes, thing("pearl", f"box{depth}" if depth else HALL))


@pytest.mark.parametrize("depth", range(4))
def test_nested_things_are_found_to_a_depth_of_three(depth: int) -> None:
    assert bound("take pearl", nested(depth)) == ["pearl"]


@pytest.mark.parametrize("depth", [4, 5, 9])
def test_deeper_things_are_not_found(depth: int) -> None:
    assert refused("take pearl", nested(depth)).code == Code.TARGET_NOT_FOUND


@pytest.mark.parametrize("limit", range(6))
def test_a_scope_may_declare_its_own_depth(limit: int) -> None:
    verbs = looking_in({"scope": "room", "depth": limit})
    for depth in range(7):
        outcome = finding("do pearl", nested(depth), verbs=verbs).outcome
        assert isinstance(outcome, Success) == (depth <= limit), depth


@pytest.mark.parametrize(
    "state", [["closed"], ["locked"], ["sealed"], ["opaque"], ["opaque", "open"]]
)
def test_what_is_closed_or_opaque_is_not_entered(state: list[str]) -> None:
    assert refused("take pearl", nested(1, state=state)).code == Code.TARGET_NOT_FOUND
    assert refused("take pearl from box1", nested(1, state=state)).code == Code.TARGET_NOT_FOUND


@pytest.mark.parametrize("state", [["open"], [], ["dusty"], ["open", "locked"]])
def test_what_is_open_is_entered(state: list[str]) -> None:
    assert bound("take pearl", nested(1, state=state)) == ["pearl"]


def test_a_closed_thing_around_an_open_one_hides_what_is_in_both() -> None:
    where = world(thing("chest", state=["closed"]), thing("bowl", "chest"), thing("pearl", "bowl"))
    assert refused("take pearl", where).code == Code.TARGET_NOT_FOUND
    assert bound("take chest", where) == ["chest"]


def test_nobody_looks_into_the_pockets_of_others() -> None:
    where = world(thing("Bob", kind="person"), thing("coin", "Bob"))
    assert refused("take coin", where).code == Code.TARGET_NOT_FOUND
    assert bound("take coin from Bob", where) == ["coin"]


def test_containers_that_hold_each_other_are_survived() -> None:
    where = world(thing("box", "bag"), thing("bag", "box"), thing("pearl", "box"), APPLE)
    assert refused("take pearl", where).code == Code.TARGET_NOT_FOUND
    assert bound("take apple", where) == ["apple"]


def test_a_thing_that_holds_itself_is_survived() -> None:
    where = world(thing("box", "box"), thing("pearl", "box"))
    assert refused("take pearl", where).code == Code.TARGET_NOT_FOUND


def test_an_actor_who_is_inside_itself_is_survived() -> None:
    where = World((Thing(ME, "you", location=ME), APPLE), ME)
    assert refused("take apple", where).code == Code.TARGET_NOT_FOUND


def test_candidates_are_enumerated_breadth_first_in_the_order_of_the_world() -> None:
    where = world(
        thing("bag"),
        thing("coin", "bag", as_id="deep"),
        thing("purse"),
        thing("coin", "purse", as_id="deep too"),
        thing("coin", as_id="here"),
    )
    order = list(offered(refused("take coin", where)).values())
    assert order == ["here", "deep", "deep too"]


# "take X from Y"


TWO_CHESTS = world(
    thing("oak chest"),
    thing("iron chest"),
    thing("coin", "oak chest", as_id="oak coin"),
    thing("coin", "iron chest", as_id="iron coin"),
    thing("coin", as_id="loose coin"),
)


def test_from_limits_where_the_direct_thing_is_looked_for() -> None:
    assert pairs("take coin from oak chest", TWO_CHESTS) == [("oak coin", "oak chest")]
    assert pairs("take coin out of the iron chest", TWO_CHESTS) == [("iron coin", "iron chest")]


def test_what_is_elsewhere_is_not_taken_from_there() -> None:
    where = world(thing("chest"), APPLE)
    failure = refused("take apple from chest", where)
    assert (failure.code, failure.details.role) == (Code.TARGET_NOT_FOUND, "direct")


def test_when_the_place_is_not_found_the_direct_thing_is_not_looked_for_elsewhere() -> None:
    failure = refused("take coin from dragon", TWO_CHESTS)
    assert (failure.code, failure.details.role) == (Code.TARGET_NOT_FOUND, "indirect")


def test_when_the_place_is_not_clear_it_is_asked_about() -> None:
    failure = refused("take coin from chest", TWO_CHESTS)
    assert (failure.code, failure.details.role) == (Code.AMBIGUOUS_TARGET, "indirect")
    assert set(offered(failure).values()) == {"oak chest", "iron chest"}


def test_a_thing_may_be_told_by_where_it_is() -> None:
    assert bound("take the coin in the oak chest", TWO_CHESTS) == ["oak coin"]
    assert isinstance(finding("take the coin on the oak chest", TWO_CHESTS).outcome, Failure)


def test_a_thing_may_be_told_by_nothing_but_where_it_is() -> None:
    where = world(thing("chest"), thing("coin", "chest"), APPLE)
    assert bound("take the one in the chest", where) == ["coin"]


@pytest.mark.parametrize(
    "text", ["take the coin in the second box", "take the coin in the largest box"]
)
def test_a_selector_within_a_relation_is_not_overlooked(text: str) -> None:
    where = world(
        thing("box", as_id="box1", measures={"size": 1}),
        thing("box", as_id="box2", measures={"size": 2}),
        thing("coin", "box1"),
    )
    assert isinstance(finding(text, where).outcome, Failure)


def test_a_pronoun_within_a_relation_means_what_was_spoken_of() -> None:
    where = world(thing("chest"), thing("bowl"), thing("coin", "chest"))
    empty, full = Options(recent=Recent(it="bowl")), Options(recent=Recent(it="chest"))
    assert isinstance(finding("take the coin in it", where, empty).outcome, Failure)
    assert bound("take the coin in it", where, full) == ["coin"]


def test_a_direct_thing_told_by_its_place_does_not_steal_the_role() -> None:
    where = world(thing("apple", "bowl"), thing("bowl", "table"), TABLE, CHEST)
    assert pairs("put the apple in the bowl in the chest", where) == [("apple", "chest")]


# Role binding: exact against partial


def test_an_exact_name_beats_a_partial_match() -> None:
    assert bound("take key", world(thing("key ring"), thing("brass key"), thing("key"))) == ["key"]


def test_an_exact_alias_beats_a_partial_match() -> None:
    where = world(thing("brass key"), thing("skeleton", aliases=["key"]))
    assert bound("take key", where) == ["skeleton"]


@pytest.mark.parametrize(
    "text",
    [
        "take lantern",
        "take the Lantern",
        "take old brass lantern",
        "take the brass lantern",
        "take torch",
        "take light",
        "take a shiny lantern",
    ],
)
def test_names_aliases_keywords_adjectives_and_qualifiers_all_match(text: str) -> None:
    where = world(
        thing(
            "old brass lantern",
            aliases=["torch"],
            keywords=["light"],
            adjectives=["shiny"],
            qualifiers={"material": "brass"},
        ),
        APPLE,
    )
    assert bound(text, where) == ["old brass lantern"]


def test_every_word_said_must_be_true_of_the_thing() -> None:
    where = world(thing("red ball", adjectives=["red"]))
    assert refused("take blue ball", where).code == Code.TARGET_NOT_FOUND
    assert refused("take red cube", where).code == Code.TARGET_NOT_FOUND


@pytest.mark.parametrize(("words", "name"), [("apple", "apple pie"), ("key", "key ring")])
def test_a_word_that_is_not_the_noun_of_a_name_does_not_mean_it(words: str, name: str) -> None:
    assert refused(f"take {words}", world(thing(name))).code == Code.TARGET_NOT_FOUND


@pytest.mark.parametrize("text", ["take the red one", "take red", "take the red thing"])
def test_adjectives_alone_may_refer(text: str) -> None:
    where = world(thing("red ball"), thing("blue ball"), thing("cube", adjectives=["green"]))
    assert bound(text, where) == ["red ball"]


def test_adjectives_alone_that_fit_two_things_are_ambiguous() -> None:
    where = world(thing("red ball"), thing("red cube"))
    failure = refused("take the red one", where)
    assert failure.code == Code.AMBIGUOUS_TARGET
    assert set(offered(failure).values()) == {"red ball", "red cube"}


def test_a_name_with_relation_words_beats_its_parts() -> None:
    where = world(thing("note to self"), thing("note"), thing("Bob", kind="person"))
    assert bound("take note to self", where) == ["note to self"]
    assert pairs("give note to self to Bob", where) == [("note to self", "Bob")]
    assert pairs("give note to Bob", where) == [("note", "Bob")]


# Zero, one, many


def test_no_candidate_is_not_found() -> None:
    assert refused("take sword", ROOM).code == Code.TARGET_NOT_FOUND


def test_one_candidate_is_bound() -> None:
    assert bound("take sword", world(SWORDS[0], APPLE)) == ["sword1"]


def test_several_candidates_are_ambiguous_by_default() -> None:
    failure = refused("take sword", world(*SWORDS))
    assert failure.code == "AMBIGUOUS_TARGET"
    assert [option.target.id for option in failure.options] == ["sword1", "sword2", "sword3"]
    assert [option.number for option in failure.options] == [1, 2, 3]


def test_an_ambiguous_indirect_thing_is_ambiguous() -> None:
    where = world(APPLE, thing("box", as_id="b1"), thing("box", as_id="b2"))
    failure = refused("put apple in box", where)
    assert (failure.code, failure.details.role) == (Code.AMBIGUOUS_TARGET, "indirect")


def test_a_missing_thing_is_said_before_one_that_is_not_clear() -> None:
    where = world(*SWORDS, CHEST)
    assert refused("put sword in dragon", where).code == Code.TARGET_NOT_FOUND


# Questions


ENVELOPES = (
    hinted("envelope", "green", disambiguationLabel="large, green envelope"),
    hinted("envelope", "blue", disambiguationLabel="large, blue envelope"),
)
THE_QUESTION = "Which envelope do you mean: large, green envelope or large, blue envelope?"


def test_two_envelopes_are_asked_about_by_their_labels() -> None:
    failure = refused("get envelope", world(*ENVELOPES))
    assert failure.code == Code.AMBIGUOUS_TARGET
    assert failure.message == THE_QUESTION


def test_three_options_are_listed_as_a_sentence_does() -> None:
    red = hinted("envelope", "red", disambiguationLabel="small, red envelope")
    failure = refused("get envelope", world(*ENVELOPES, red))
    assert failure.message == (
        "Which envelope do you mean: large, green envelope, large, blue envelope"
        " or small, red envelope?"
    )


def test_descriptors_are_used_where_there_is_no_label() -> None:
    where = world(
        hinted("envelope", "green", descriptors=["large", "green"]),
        hinted("envelope", "blue", descriptors=["large", "blue"]),
    )
    failure = refused("get envelope", where)
    assert failure.message == "Which envelope do you mean: green envelope or blue envelope?"


def test_a_label_is_preferred_to_descriptors() -> None:
    where = world(
        hinted("envelope", "a", disambiguationLabel="sealed envelope", descriptors=["green"]),
        hinted("envelope", "b", descriptors=["blue"]),
    )
    assert offered(refused("get envelope", where)) == {
        "sealed envelope": "a",
        "blue envelope": "b",
    }


def test_names_are_used_where_there_is_neither_label_nor_descriptor() -> None:
    where = world(thing("brass key"), thing("iron key"))
    assert refused("get key", where).message == "Which key do you mean: brass key or iron key?"


def test_things_that_are_the_same_in_everything_are_told_apart_by_number() -> None:
    texts = list(offered(refused("take sword", world(*SWORDS))))
    assert texts == ["first sword", "second sword", "third sword"]


SAME_NOUN = [
    world(*ENVELOPES),
    world(*SWORDS),
    world(thing("brass key"), thing("iron key")),
    world(thing("coin", as_id="a"), thing("bag"), thing("coin", "bag", as_id="b")),
    world(
        thing("Bob", kind="person"),
        thing("Ann", kind="person"),
        thing("hat", owner="Bob", as_id="a"),
        thing("hat", owner="Ann", as_id="b"),
    ),
    world(hinted("lamp", "a", descriptors=["bright"]), hinted("lamp", "b", descriptors=["dim"])),
    world(thing("crate"), hinted("box", "a", disambiguationLabel="crate"), thing("box", as_id="b")),
    world(thing("note to self", as_id="a"), thing("note to self", as_id="b")),
    world(thing("locker 2", as_id="a"), thing("locker 2", as_id="b")),
    world(thing("desk"), thing("locker 2", as_id="a"), thing("locker 2", "desk", as_id="b")),
    world(thing("doll"), thing("hat", "doll", relation="worn", as_id="a"), thing("hat")),
    world(*(thing("coin", as_id=f"coin{number}") for number in range(15))),
]
SAID = ["envelope", "sword", "key", "coin", "hat", "lamp"]
SAID += ["box", "note to self", "locker 2", "locker", "hat", "coin"]
ALIKE = list(zip(SAID, SAME_NOUN, strict=True))


@pytest.mark.parametrize(("noun", "where"), ALIKE)
def test_every_option_works_as_a_new_command(noun: str, where: World) -> None:
    options = refused(f"take {noun}", where).options
    assert len(options) > 1
    for option in options:
        assert bound(f"take {option.text}", where) == [option.target.id]


@pytest.mark.parametrize(("noun", "where"), ALIKE)
def test_every_option_works_among_the_options(noun: str, where: World) -> None:
    options = refused(f"take {noun}", where).options
    among = Options(among=tuple(option.target.id for option in options))
    for option in options:
        assert bound(f"take {option.text}", where, among) == [option.target.id]


def test_a_label_makes_nothing_match_that_did_not() -> None:
    where = world(hinted("box", "box", disambiguationLabel="crate"), thing("red crate"))
    assert bound("take crate", where) == ["red crate"]


def test_a_label_does_not_rival_a_name() -> None:
    where = world(hinted("box", "box", disambiguationLabel="crate"), thing("crate"))
    assert bound("take crate", where) == ["crate"]
    assert bound('take "crate"', where) == ["crate"]


def test_neither_labels_nor_descriptors_break_a_tie() -> None:
    where = world(ENVELOPES[0], thing("envelope", as_id="plain"))
    failure = refused("get envelope", where)
    assert set(offered(failure).values()) == {"green", "plain"}


# Interchangeable


def coins(*kinds: str) -> World:
    return world(
        *(
            hinted("coin", f"coin{number}", interchangeable=kind == "same")
            for number, kind in enumerate(kinds, start=1)
        )
    )


def test_interchangeable_things_are_still_ambiguous_without_a_policy() -> None:
    assert refused("take coin", coins("same", "same", "same")).code == Code.AMBIGUOUS_TARGET


def test_by_policy_the_first_of_interchangeable_things_binds_without_a_question() -> None:
    assert bound("pluck coin", coins("same", "same", "same")) == ["coin1"]


@pytest.mark.parametrize(
    "kinds", [("same", "same", "other"), ("other", "same", "same"), ("other", "other", "other")]
)
def test_the_policy_needs_every_remaining_thing_to_be_interchangeable(
    kinds: tuple[str, ...],
) -> None:
    assert refused("pluck coin", coins(*kinds)).code == Code.AMBIGUOUS_TARGET


def test_interchangeable_things_are_picked_in_canonical_order() -> None:
    bag = thing("bag")
    deep = thing("coin", "bag", as_id="deep", metadata={"resolution": {"interchangeable": True}})
    near = hinted("coin", "near", interchangeable=True)
    assert bound("pluck coin", world(bag, deep, near)) == ["near"]


# Selectors


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("1.sword", "sword1"),
        ("2.sword", "sword2"),
        ("sword 2", "sword2"),
        ("sword #2", "sword2"),
        ("sword-2", "sword2"),
        ("the second sword", "sword2"),
        ("2nd sword", "sword2"),
        ("third sword", "sword3"),
        ("the last sword", "sword3"),
        ("first sword", "sword1"),
    ],
)
def test_a_selector_counts_in_the_order_of_enumeration(words: str, expected: str) -> None:
    assert bound(f"take {words}", world(*SWORDS, APPLE)) == [expected]


@pytest.mark.parametrize("words", ["4.sword", "sword 9", "fourth sword", "0.sword", "sword 0"])
def test_a_selector_beyond_the_candidates_finds_nothing(words: str) -> None:
    assert refused(f"take {words}", world(*SWORDS)).code == Code.TARGET_NOT_FOUND


def test_a_selector_counts_only_the_best_matches() -> None:
    where = world(thing("rusty sword"), *SWORDS[:2])
    assert bound("take 2.sword", where) == ["sword2"]


def test_a_selector_counts_things_with_its_adjectives_alone() -> None:
    where = world(thing("red ball", as_id="r1"), thing("blue ball"), thing("red ball", as_id="r2"))
    assert bound("take second red ball", where) == ["r2"]
    assert bound("take the last ball", where) == ["r2"]


@pytest.mark.parametrize("name", ["sword 2", "sword-2", "2.sword", "second sword", "last sword"])
def test_a_literal_name_beats_reading_it_as_a_selector(name: str) -> None:
    named = thing(name, as_id="named")
    assert bound(f"take {name}", world(*SWORDS, named)) == ["named"]


@pytest.mark.parametrize("name", ["all", "everything", "it", "them", "the other", "two coins"])
def test_a_literal_name_beats_reading_it_as_a_set_or_a_pronoun(name: str) -> None:
    named = thing(name, as_id="named")
    options = Options(recent=Recent(it="apple", them=("apple", "lamp")))
    assert bound(f"take {name}", world(APPLE, LAMP, named), options) == ["named"]


def test_a_selector_works_for_the_indirect_thing() -> None:
    where = world(APPLE, thing("box", as_id="b1"), thing("box", as_id="b2"))
    assert pairs("put apple in 2.box", where) == [("apple", "b2")]


# Pronouns


def test_it_is_what_was_bound_last() -> None:
    assert bound("take it", ROOM, Options(recent=Recent(it="lamp"))) == ["lamp"]


def test_it_means_nothing_where_nothing_was_spoken_of() -> None:
    assert refused("take it", ROOM).code == Code.TARGET_NOT_FOUND


def test_it_must_be_within_the_declared_scopes() -> None:
    where = world(thing("kite", YARD), APPLE)
    options = Options(recent=Recent(it="kite"))
    assert refused("take it", where, options).code == Code.TARGET_NOT_FOUND


def test_it_must_still_be_there() -> None:
    assert refused("take it", ROOM, Options(recent=Recent(it="gone"))).code == (
        Code.TARGET_NOT_FOUND
    )


def test_them_is_a_set_where_the_verb_takes_sets() -> None:
    options = Options(recent=Recent(them=("apple", "lamp")))
    assert bound("gather them", ROOM, options) == ["apple", "lamp"]
    assert refused("take them", ROOM, options).code == Code.AMBIGUOUS_TARGET


def test_him_is_the_person_spoken_of() -> None:
    where = world(APPLE, thing("Bob", kind="person"), thing("Ann", kind="person"))
    options = Options(recent=Recent(it="apple", person="Bob"))
    assert pairs("give it to him", where, options) == [("apple", "Bob")]


def test_myself_is_the_actor_where_a_scope_reaches_the_actor() -> None:
    assert pairs("look at myself", ROOM) == [(None, ME)]
    assert refused("take myself", ROOM).code == Code.TARGET_NOT_FOUND


def test_the_other_one_is_not_the_one_spoken_of() -> None:
    options = Options(recent=Recent(it="sword1"))
    assert bound("take the other sword", world(*SWORDS[:2]), options) == ["sword2"]
    assert refused("take the other sword", world(*SWORDS), options).code == (Code.AMBIGUOUS_TARGET)
    assert refused("take the other sword", world(SWORDS[0]), options).code == (
        Code.TARGET_NOT_FOUND
    )


# Superlatives


def test_a_superlative_compares_measures() -> None:
    where = world(
        thing("box", as_id="small", measures={"size": 1}),
        thing("box", as_id="large", measures={"size": 9}),
    )
    assert bound("take the largest box", where) == ["large"]
    assert bound("take the smallest box", where) == ["small"]


def test_a_superlative_that_ties_or_cannot_be_measured_is_ambiguous() -> None:
    tied = world(*(thing("box", as_id=name, measures={"size": 1}) for name in "ab"))
    unmeasured = world(thing("box", as_id="a", measures={"size": 1}), thing("box", as_id="b"))
    assert refused("take the largest box", tied).code == Code.AMBIGUOUS_TARGET
    assert refused("take the largest box", unmeasured).code == Code.AMBIGUOUS_TARGET


# Sets


SWORDS_AND_LAMP = world(*SWORDS[:2], LAMP)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("all", ["sword1", "sword2", "lamp"]),
        ("everything", ["sword1", "sword2", "lamp"]),
        ("all swords", ["sword1", "sword2"]),
        ("all the swords", ["sword1", "sword2"]),
        ("every sword", ["sword1", "sword2"]),
        ("all.sword", ["sword1", "sword2"]),
        ("both swords", ["sword1", "sword2"]),
        ("both of the swords", ["sword1", "sword2"]),
        ("the swords", ["sword1", "sword2"]),
        ("two swords", ["sword1", "sword2"]),
        ("2 swords", ["sword1", "sword2"]),
        ("everything except the lamp", ["sword1", "sword2"]),
        ("all but the swords", ["lamp"]),
        ("all things", ["sword1", "sword2", "lamp"]),
    ],
)
def test_a_set_is_one_binding_per_member(words: str, expected: list[str]) -> None:
    assert bound(f"gather {words}", SWORDS_AND_LAMP) == expected


@pytest.mark.parametrize(
    "words", ["all", "everything", "all swords", "both swords", "the swords", "two swords"]
)
def test_a_set_is_refused_where_the_verb_does_not_declare_it(words: str) -> None:
    failure = refused(f"take {words}", SWORDS_AND_LAMP)
    assert failure.code == Code.AMBIGUOUS_TARGET


def test_a_set_may_be_declared_for_one_role_and_not_for_the_other() -> None:
    where = world(CHEST, thing("chest", as_id="chest2"), *SWORDS[:2])
    profile = {"direct": ["room"], "indirect": ["room"]}
    rules = {"directIndirect": {"acceptedRelations": ["in"]}}
    raw = {"do": {"rules": rules, "scopeProfile": profile, "sets": ["direct"]}}
    verbs = load_verbs(raw)
    assert pairs("do all swords in 2.chest", where, verbs=verbs) == [
        ("sword1", "chest2"),
        ("sword2", "chest2"),
    ]
    assert refused("do 1.sword in all chests", where, verbs=verbs).code == Code.AMBIGUOUS_TARGET


def test_both_needs_two() -> None:
    assert refused("gather both lamps", SWORDS_AND_LAMP).code == Code.TARGET_NOT_FOUND
    assert refused("gather both swords", world(*SWORDS)).code == Code.AMBIGUOUS_TARGET


def test_a_number_of_things_needs_that_many() -> None:
    assert refused("gather three swords", SWORDS_AND_LAMP).code == Code.TARGET_NOT_FOUND
    assert refused("gather two swords", world(*SWORDS)).code == Code.AMBIGUOUS_TARGET


def test_what_is_left_out_must_be_there() -> None:
    failure = refused("gather all except the dragon", SWORDS_AND_LAMP)
    assert failure.code == Code.TARGET_NOT_FOUND
    assert "dragon" in failure.message


def test_several_things_may_be_left_out() -> None:
    where = world(APPLE, LAMP, CHEST, TABLE)
    assert bound("gather all except the lamp, the chest and the table", where) == ["apple"]


def test_only_the_one_that_is_selected_is_left_out() -> None:
    assert bound("gather all except the second sword", SWORDS_AND_LAMP) == ["sword1", "lamp"]


def test_all_of_a_noun_is_all_of_them_whatever_else_they_are_called() -> None:
    where = world(SWORDS[0], thing("rusty sword"), LAMP)
    assert bound("gather all swords", where) == ["sword1", "rusty sword"]


def test_a_set_of_nothing_is_not_found() -> None:
    assert refused("gather all dragons", ROOM).code == Code.TARGET_NOT_FOUND
    assert refused("gather all", world()).code == Code.TARGET_NOT_FOUND


def test_a_set_is_limited_to_the_declared_scopes() -> None:
    where = world(*SWORDS[:2], thing("sword", YARD, as_id="far"))
    assert bound("gather all swords", where) == ["sword1", "sword2"]


def test_a_set_is_taken_from_a_place() -> None:
    where = world(CHEST, thing("coin", "chest"), thing("ring", "chest"), LAMP)
    assert bound("gather all from chest", where) == ["coin", "ring"]


# Canonical order


def test_options_are_ordered_by_scope_then_depth_then_enumeration() -> None:
    where = world(
        thing("bag"),
        thing("coin", "bag", as_id="deep"),
        thing("coin", as_id="here2"),
        thing("coin", as_id="here1"),
        thing("coin", ME, as_id="held"),
    )
    order = [option.target.id for option in refused("touch coin", where).options]
    assert order == ["held", "here2", "here1", "deep"]


def test_the_order_breaks_no_tie() -> None:
    where = world(thing("bag"), thing("coin", "bag", as_id="deep"), thing("coin", as_id="near"))
    assert refused("take coin", where).code == Code.AMBIGUOUS_TARGET


# Relations


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("in", "in"),
        ("into", "in"),
        ("inside", "in"),
        ("INTO", "in"),
        ("onto", "on"),
        ("on top of", "on"),
    ],
)
def test_a_relation_is_kept_as_typed_and_by_its_canonical_name(typed: str, canonical: str) -> None:
    outcome = success(f"put apple {typed} chest", ROOM)
    assert (outcome.relation_token_raw, outcome.relation_token_canonical) == (typed, canonical)


def test_rules_may_be_declared_by_any_spelling_of_a_relation() -> None:
    verbs = load_verbs(
        {
            "do": {
                "rules": {"directIndirect": {"acceptedRelations": ["into"]}},
                "scopeProfile": {"direct": ["room"], "indirect": ["room"]},
            }
        }
    )
    assert pairs("do apple in chest", ROOM, verbs=verbs) == [("apple", "chest")]


def test_a_relation_of_a_command_that_others_split_is_made_canonical() -> None:
    outcome = form(shaped("apple", "inside", "chest"), "directIndirect")
    assert isinstance(outcome, Success)
    assert (outcome.relation_token_raw, outcome.relation_token_canonical) == ("inside", "in")


def test_a_relation_alone_is_kept_too() -> None:
    outcome = success("keep off", ROOM)
    assert (outcome.relation_token_raw, outcome.relation_token_canonical) == ("off", "off")


def test_a_request_may_name_relations_of_its_own() -> None:
    options = Options(relations={"betwixt": "in"})
    assert pairs("put apple betwixt chest", ROOM, options) == [("apple", "chest")]
    outcome = success("put apple betwixt chest", ROOM, options)
    assert (outcome.relation_token_raw, outcome.relation_token_canonical) == ("betwixt", "in")


def test_a_verb_may_accept_relations_that_no_table_knows() -> None:
    outcome = success("keep out", ROOM)
    assert (outcome.relation_token_raw, outcome.relation_token_canonical) == ("out", "out")


# Misspellings are offered, never taken


@pytest.mark.parametrize("words", ["lamb", "lmap", "aple", "chset", "tabel"])
def test_a_misspelt_name_is_never_bound(words: str) -> None:
    assert refused(f"take {words}", ROOM).code == Code.TARGET_NOT_FOUND


def test_the_nearest_names_are_said() -> None:
    where = world(thing("Sign in", kind="button"))
    failure = refused("do Sing in", where, verbs=declared("direct"))
    assert failure.code == Code.TARGET_NOT_FOUND
    assert failure.details.near == ("Sign in",)
    assert "Sign in" in failure.message


def test_the_nearest_names_are_said_of_plain_words_too() -> None:
    failure = refused("take lamb", ROOM)
    assert "lamp" in failure.details.near
    assert "lamp" in failure.message
    assert failure.options == ()


def test_only_names_within_reach_are_said() -> None:
    failure = refused("take lamb", world(thing("lamp", YARD), APPLE))
    assert failure.details.near == ()


def test_not_found_says_what_was_searched() -> None:
    assert refused("take dragon", ROOM).details.searched == ("room", "inventory")


# Options


def test_the_actor_of_a_request_is_the_one_who_looks() -> None:
    where = world(thing("Ann", YARD, kind="person"), thing("kite", YARD), thing("rope", "Ann"))
    ann = Options(actor="Ann")
    assert bound("take kite", where, ann) == ["kite"]
    assert bound("drop rope", where, ann) == ["rope"]
    assert refused("take kite", where).code == Code.TARGET_NOT_FOUND
    assert refused("drop rope", where).code == Code.TARGET_NOT_FOUND


def test_an_actor_that_is_not_in_the_world_reaches_nothing() -> None:
    assert refused("take apple", ROOM, Options(actor="ghost")).code == Code.TARGET_NOT_FOUND


@pytest.mark.parametrize("text", ["pray take the bloody apple", "take apple bloody"])
@pytest.mark.parametrize("ignored", [("pray", "bloody"), ("Pray", "BLOODY")])
def test_ignored_tokens_say_nothing(text: str, ignored: tuple[str, ...]) -> None:
    assert bound(text, ROOM, Options(ignore_tokens=ignored)) == ["apple"]


def test_tokens_that_are_not_ignored_count() -> None:
    assert refused("take the bloody apple", ROOM).code == Code.TARGET_NOT_FOUND


EXACT = Options(strictness="exact")


def test_exact_strictness_binds_full_names_and_aliases_only() -> None:
    where = world(thing("brass key", aliases=["opener"], keywords=["metal"]))
    assert bound("take the brass key", where, EXACT) == ["brass key"]
    assert bound("take opener", where, EXACT) == ["brass key"]
    for partial in ("key", "brass", "metal", "the brass one"):
        assert refused(f"take {partial}", where, EXACT).code == Code.TARGET_NOT_FOUND


def test_compatibility_v1_knows_no_selectors() -> None:
    for words in ("2.sword", "sword 2", "second sword", "last sword"):
        outcome = finding(f"take {words}", world(*SWORDS), Options(compatibility="v1")).outcome
        assert isinstance(outcome, Failure)
        assert outcome.code == Code.TARGET_NOT_FOUND


def test_compatibility_v1_knows_no_sets() -> None:
    for words in ("all", "all swords", "both swords", "everything"):
        outcome = finding(f"gather {words}", SWORDS_AND_LAMP, Options(compatibility="v1")).outcome
        assert isinstance(outcome, Failure), words


def test_compatibility_v1_knows_no_pronouns() -> None:
    options = Options(compatibility="v1", recent=Recent(it="apple", them=("lamp",)))
    for words in ("it", "them"):
        assert refused(f"take {words}", ROOM, options).code == Code.TARGET_NOT_FOUND


def test_compatibility_v1_binds_names() -> None:
    options = Options(compatibility="v1")
    assert pairs("put the apple into the chest", ROOM, options) == [("apple", "chest")]


def test_among_limits_what_words_may_mean() -> None:
    assert bound("take sword", world(*SWORDS), Options(among=("sword2",))) == ["sword2"]
    assert refused("take apple", ROOM, Options(among=("lamp",))).code == Code.TARGET_NOT_FOUND


def test_among_reaches_nothing_beyond_the_declared_scopes() -> None:
    where = world(thing("kite", YARD))
    assert refused("take kite", where, Options(among=("kite",))).code == Code.TARGET_NOT_FOUND


def test_among_limits_pronouns_too() -> None:
    options = Options(among=("apple",), recent=Recent(it="lamp"))
    assert refused("take it", ROOM, options).code == Code.TARGET_NOT_FOUND


def test_what_a_person_chose_is_bound_if_it_is_in_reach() -> None:
    options = Options(pinned={"direct": {"sword": "sword2"}})
    assert bound("take sword", world(*SWORDS), options) == ["sword2"]


def test_what_a_person_chose_is_not_bound_out_of_reach() -> None:
    where = world(*SWORDS, thing("sword", YARD, as_id="far"))
    outcome = finding("take sword", where, Options(pinned={"direct": {"sword": "far"}})).outcome
    assert isinstance(outcome, Failure)


def test_options_and_declarations_are_read_from_the_wire_in_camel_case() -> None:
    options = msgspec.convert(
        {"ignoreTokens": ["pray"], "strictness": "exact", "compatibility": "v1", "actor": "Ann"},
        Options,
    )
    assert options == Options("Ann", ("pray",), strictness="exact", compatibility="v1")


# Deterministic, read-only, traced


def test_the_phases_are_traced_in_order() -> None:
    every = ["form", "scope", "match", "select", "disambiguate", "bind"]
    assert phases("take apple", ROOM) == every
    assert phases("take second sword", world(*SWORDS)) == every
    assert phases("gather all swords", world(*SWORDS)) == every


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("take", "form"),
        ("take dragon", "match"),
        ("take it", "scope"),
        ("take sword", "disambiguate"),
    ],
)
def test_the_trace_ends_where_the_command_failed(text: str, last: str) -> None:
    assert phases(text, world(*SWORDS))[-1] == last


def test_each_role_has_phases_of_its_own() -> None:
    traced = [(phase.phase, phase.role) for phase in finding("put apple in chest", ROOM).phases]
    for role in ("direct", "indirect"):
        mine = [phase for phase, whose in traced if whose == role]
        assert mine == ["scope", "match", "select", "disambiguate"]
    assert traced[0] == ("form", None)
    assert traced[-1] == ("bind", None)


def test_the_trace_says_which_rule_was_chosen_and_how_candidates_fared() -> None:
    found = finding("take key", world(thing("key"), thing("brass key"), thing("iron key", YARD)))
    assert found.phases[0].rule == "direct"
    (match,) = [phase for phase in found.phases if phase.phase == "match"]
    fared = {candidate.id: candidate.dropped for candidate in match.candidates}
    assert fared["key"] is None
    assert fared["brass key"] == "a better match was found"
    assert fared["iron key"] == "out of scope"


def test_at_most_two_targets_are_bound_in_one_binding() -> None:
    assert Binding.__struct_fields__ == ("direct_target", "indirect_target")


def test_the_resolver_neither_executes_nor_vetoes() -> None:
    package = Path(actors.target_resolver.engine.__file__).parent
    allowed = (
        "messages",
        "actors.target_resolver",
        "actors.forms",
        "actors.language.words",
        "actors.logger",
    )
    for module in (*package.glob("*.py"), package.parent / "forms.py"):
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            name = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            if name == "actors.vault":  # what may stand in the log, and nothing else of it
                assert isinstance(node, ast.ImportFrom)
                assert {each.name for each in node.names} == {"loggable"}
            elif name.startswith(("actors", "messages", "tools", "run")):
                assert name.startswith((*allowed, "actors.mailbox")), (module.name, name)


@pytest.mark.parametrize("phrase", [Phrase("apple"), Phrase("the apple", head="apple")])
def test_a_literal_phrase_and_a_typed_one_mean_the_same(phrase: Phrase) -> None:
    parsed = ParsedCommand("do", "do", direct_span=phrase.text, direct=phrase)
    outcome = form(parsed, "direct")
    assert isinstance(outcome, Success)
    assert direct_ids(outcome) == ["apple"]
