"""Every message is immutable data that survives a trip through bytes, and says what it is for.

Values are made from the types themselves; only where a constructor checks more than its types say
does a strategy of its own make values that hold.
"""

import importlib
import pkgutil
import re
import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import inspect, structs

import messages
from messages import wire
from messages.executing import Performed
from messages.goals import Goal, GoalDraft, MetaGoal, meta_type_of
from messages.message import Data, Message, Request, Value
from messages.phrases import Parsed, Phrase, Related
from messages.plans import Plan, PlanGraph, PlannedAction, PlanResult
from messages.results import ActionResult
from messages.rules import Parameter, Rule, SearchEngine
from messages.verbs import RuleForm, VerbDeclaration
from messages.wire import Submit, TraceRecord, WireReply, WireRequest
from messages.worlds import Hints, Metadata, Thing, World

MODULES = [
    importlib.import_module(f"messages.{module.name}")
    for module in pkgutil.iter_modules(messages.__path__)
]
STRUCTS: list[type[Data]] = [
    member
    for module in MODULES
    for name, member in vars(module).items()
    if isinstance(member, type)
    and issubclass(member, Data)
    and (member.__module__, member.__name__) == (module.__name__, name)
    and member not in {Data, Message, Request}
]
MESSAGES = [struct for struct in STRUCTS if issubclass(struct, Message)]


def named(struct: type) -> str:
    return f"{struct.__module__.removeprefix('messages.')}.{struct.__name__}"


def is_union(member: object) -> bool:
    """Tell whether a module's name stands for a union of our structs."""
    return isinstance(member, types.UnionType) and all(
        isinstance(part, type) and issubclass(part, Data) for part in typing.get_args(member)
    )


UNIONS: dict[str, Any] = {
    f"{module.__name__}.{name}": member
    for module in MODULES
    for name, member in vars(module).items()
    if is_union(member)
}


# Strategies made from types


TEXT = st.text(max_size=8)
NUMBERS = st.integers(-(2**63), 2**63 - 1)
FRACTIONS = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | NUMBERS | FRACTIONS | TEXT
ROWS = st.dictionaries(TEXT, SCALARS | st.lists(SCALARS, max_size=2), max_size=2)
VALUES: st.SearchStrategy[Value] = SCALARS | st.lists(SCALARS | ROWS, max_size=2) | ROWS


def strategy(type_: inspect.Type) -> st.SearchStrategy[Any]:
    """Make values of a type as msgspec understands it."""
    match type_:
        case inspect.StructType(cls=struct):
            return st.deferred(lambda: struct_strategy(struct))
        case inspect.UnionType(types=parts):
            return st.one_of([strategy(part) for part in parts])
        case inspect.LiteralType(values=values):
            return st.sampled_from(values)
        case inspect.EnumType(cls=enum):
            return st.sampled_from(list(enum))
        case inspect.Metadata(type=inner):
            return strategy(inner)
        case _:
            return collection(type_)


def collection(type_: inspect.Type) -> st.SearchStrategy[Any]:
    """Make collections, and scalars."""
    match type_:
        case inspect.VarTupleType(item_type=item):
            return st.lists(strategy(item), max_size=2).map(tuple)
        case inspect.TupleType(item_types=items):
            return st.tuples(*map(strategy, items))
        case inspect.FrozenSetType(item_type=item):
            return st.frozensets(strategy(item), max_size=2)
        case inspect.ListType(item_type=item) | inspect.CollectionType(item_type=item):
            return st.lists(strategy(item), max_size=2)
        case inspect.DictType(key_type=key, value_type=value):
            return st.dictionaries(strategy(key), strategy(value), max_size=2)
        case inspect.StrType(min_length=shortest, pattern=pattern):
            text = st.text(min_size=shortest or 0, max_size=8)
            return text if pattern is None else text.filter(re.compile(pattern).search)
        case inspect.IntType(ge=int(lowest), le=int(highest)):
            return st.integers(lowest, highest)
        case _:
            return SIMPLE[type(type_)]


SIMPLE: Mapping[type[inspect.Type], st.SearchStrategy[Any]] = {
    inspect.NoneType: st.none(),
    inspect.BoolType: st.booleans(),
    inspect.IntType: NUMBERS,
    inspect.FloatType: FRACTIONS,
    inspect.BytesType: st.binary(max_size=8),
    inspect.AnyType: VALUES,
}


def plain(struct: type[Any], **known: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Make a struct from the types of its fields, but for those that are known better."""
    described = inspect.type_info(struct)
    assert isinstance(described, inspect.StructType)
    typed = {
        field.name: strategy(field.type) for field in described.fields if field.name not in known
    }
    return st.builds(struct, **typed, **known)


@cache
def struct_strategy(struct: type[Any]) -> st.SearchStrategy[Any]:
    """Make a struct that its constructor accepts."""
    return CHECKED.get(struct, lambda: plain(struct))()


# Strategies for checked constructors


@st.composite
def meta_goals(draw: st.DrawFn) -> MetaGoal:
    count = draw(st.integers(1, 3))
    goals = tuple(draw(plain(Goal, goal_id=st.just(f"g{index}"))) for index in range(count))
    dependencies = {
        child: tuple(sorted(draw(st.sets(st.integers(0, child - 1), min_size=1))))
        for child in range(1, count)
        if draw(st.booleans())
    }
    return MetaGoal(meta_type_of(count, dependencies), goals, dependencies)


@st.composite
def chains(draw: st.DrawFn) -> tuple[PlannedAction, ...]:
    """Actions of which each may wait for those before it."""
    names = [f"a{index}" for index in range(draw(st.integers(1, 3)))]
    return tuple(
        draw(
            plain(
                PlannedAction,
                action_id=st.just(name),
                depends_on=st.just(tuple(names[:index])) | st.just(()),
            )
        )
        for index, name in enumerate(names)
    )


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    actions = draw(chains())
    return Plan(actions, draw(st.sampled_from(actions)).action_id, len(actions))


@st.composite
def plan_results(draw: st.DrawFn) -> PlanResult:
    reason = draw(st.text(min_size=1, max_size=8))
    return draw(
        st.one_of(
            st.builds(PlanResult, TEXT, st.just("success"), plans()),
            st.builds(
                PlanResult,
                TEXT,
                st.just("partial"),
                plans(),
                st.just(reason),
                unmet=st.just((reason,)),
            ),
            st.builds(
                PlanResult,
                TEXT,
                st.sampled_from(
                    ["blocked", "rule_not_found", "validation_failed", "no_capability"]
                ),
                st.none(),
                st.just(reason),
                st.just(reason),
            ),
        )
    )


@st.composite
def plan_graphs(draw: st.DrawFn) -> PlanGraph:
    nodes = {action.action_id: action for action in draw(chains())}
    names = list(nodes)
    adjacency = {name: tuple(names[index + 1 :]) for index, name in enumerate(names)}
    results = draw(st.dictionaries(TEXT, plain(ActionResult), max_size=1))
    return PlanGraph(nodes, draw(st.sampled_from([adjacency, {}])), results)


def parameters() -> st.SearchStrategy[Parameter]:
    free = plain(Parameter, required=st.just(value=False), default=st.none())
    needed = plain(Parameter, required=st.just(value=True), default=st.none())
    defaulted = st.builds(
        lambda default, others: Parameter(default=default, allowed=(default, *others)),
        TEXT.filter(str.strip),
        st.lists(TEXT, max_size=2),
    )
    return free | needed | defaulted


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    params = draw(st.dictionaries(TEXT, parameters(), max_size=2))
    roles = tuple(parameter.role for parameter in params.values() if parameter.role is not None)
    creates = draw(st.sampled_from([None, *params]))
    rehearses = draw(st.sampled_from(["", *params]))
    needs_one = tuple(draw(st.sets(st.sampled_from([*params]), max_size=2)) if params else ())
    known = {
        "params": params,
        "roles": roles,
        "creates": creates,
        "rehearses": rehearses,
        "needs_one": needs_one,
    }
    rule: Rule = draw(plain(Rule, **{name: st.just(value) for name, value in known.items()}))
    return rule


def search_engines() -> st.SearchStrategy[SearchEngine]:
    templates = TEXT.map(lambda text: f"https://{text}{{query}}")
    return plain(SearchEngine, search=templates)


def submits() -> st.SearchStrategy[Submit]:
    drafts = st.lists(plain(GoalDraft), min_size=1, max_size=2).map(tuple)
    spoken = plain(Submit, text=TEXT, goals=st.none())
    return spoken | plain(Submit, text=st.none(), goals=drafts)


def phrases() -> st.SearchStrategy[Phrase]:
    """Phrases within phrases, two deep: deeper ones are made of the same."""
    inner = ("excluding", "members", "named", "related")
    leaf = plain(Phrase, **dict.fromkeys(inner[:3], st.just(())), related=st.none())
    several = st.lists(leaf, max_size=1).map(tuple)
    related = st.none() | st.builds(Related, TEXT, leaf)
    return leaf | plain(Phrase, **dict.fromkeys(inner[:3], several), related=related)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    count = draw(st.integers(0, 2))
    things = tuple(draw(plain(Thing, id=st.just(f"t{number}"))) for number in range(count))
    ids = [thing.id for thing in things]
    scopes = {draw(TEXT): tuple(ids)} if draw(st.booleans()) else {}
    return World(things, draw(st.sampled_from([None, *ids])), scopes)


def verb_declarations() -> st.SearchStrategy[VerbDeclaration]:
    related = st.builds(RuleForm, st.just(("in",)))
    rules = {
        "intransitive": st.just(RuleForm()),
        "direct": st.just(RuleForm()),
        "indirect": related,
        "directIndirect": related,
        "relationOnly": related,
    }
    some = st.sampled_from(sorted(rules)).flatmap(
        lambda key: st.fixed_dictionaries({key: rules[key]})
    )
    return plain(VerbDeclaration, rules=some)


def resolve_requests() -> st.SearchStrategy[wire.Resolve]:
    verbs = st.just({"put": msgspec.Raw(b'{"rules":{"intransitive":{}}}')})
    spoken = plain(wire.Resolve, verbs=verbs, text=TEXT, parsed=st.none())
    return spoken | plain(wire.Resolve, verbs=verbs, text=st.none(), parsed=plain(Parsed))


CHECKED: Mapping[type, Callable[[], st.SearchStrategy[Any]]] = {
    Phrase: phrases,
    World: worlds,
    VerbDeclaration: verb_declarations,
    wire.Resolve: resolve_requests,
    MetaGoal: meta_goals,
    Plan: plans,
    PlanResult: plan_results,
    PlanGraph: plan_graphs,
    Parameter: parameters,
    Rule: rules,
    SearchEngine: search_engines,
    Submit: submits,
}


# Raw parts stay in the format in which they came; their trips are tested apart.
RAW = {TraceRecord, wire.Resolve}


# The promises


def test_the_messages_are_found() -> None:
    assert {MetaGoal, PlanGraph, Submit, TraceRecord} <= set(STRUCTS)
    assert "messages.commanding.Inbox" in UNIONS


@pytest.mark.parametrize("struct", [each for each in STRUCTS if each not in RAW], ids=named)
@given(data=st.data())
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
def test_a_message_survives_a_trip_through_json_and_msgpack(
    struct: type[Data], data: st.DataObject
) -> None:
    value = data.draw(struct_strategy(struct))
    assert msgspec.json.decode(msgspec.json.encode(value), type=struct) == value
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=struct) == value


@given(VALUES)
def test_a_trace_record_carries_a_log_line_through_either_format(line: Value) -> None:
    for module in (msgspec.json, msgspec.msgpack):
        sent = TraceRecord("s1", msgspec.Raw(module.encode(line)))
        received = module.decode(module.encode(sent), type=TraceRecord)
        assert received.id == "s1"
        assert module.decode(received.record) == line


@pytest.mark.parametrize("union", UNIONS.values(), ids=list(UNIONS))
@given(data=st.data())
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
def test_a_message_is_recognised_by_its_tag_in_every_union(union: Any, data: st.DataObject) -> None:
    kinds = [kind for kind in typing.get_args(union) if kind not in RAW]
    value = data.draw(st.sampled_from(kinds).flatmap(struct_strategy))
    received = msgspec.json.decode(msgspec.json.encode(value), type=union)
    assert type(received) is type(value)
    assert received == value


@pytest.mark.parametrize("union", UNIONS.values(), ids=list(UNIONS))
def test_tags_are_unique_within_a_union(union: Any) -> None:
    tags = [kind.__struct_config__.tag for kind in typing.get_args(union)]
    assert None not in tags
    assert len(set(tags)) == len(tags)


@pytest.mark.parametrize("struct", STRUCTS, ids=named)
def test_a_message_says_what_it_is_for(struct: type[Data]) -> None:
    assert (vars(struct).get("__doc__") or "").strip()


@pytest.mark.parametrize("struct", STRUCTS, ids=named)
def test_a_message_is_frozen(struct: type[Data]) -> None:
    assert struct.__struct_config__.frozen


@pytest.mark.parametrize("struct", MESSAGES, ids=named)
def test_a_message_is_tagged_by_type(struct: type[Message]) -> None:
    assert struct.__struct_config__.tag_field == "type"
    assert struct.__struct_config__.tag


# What worlds know of their things beside what we read of it is theirs.
OPEN = {Metadata, Hints}


@pytest.mark.parametrize("struct", [each for each in STRUCTS if each not in OPEN], ids=named)
def test_a_message_refuses_a_field_it_does_not_know(struct: type[Data]) -> None:
    assert struct.__struct_config__.forbid_unknown_fields


@pytest.mark.parametrize(
    ("union", "tags"),
    [
        (WireRequest, {"submit", "cancel", "status", "subscribe", "describe"}),
        (
            WireReply,
            {
                "accepted",
                "interpreted",
                "planned",
                "resolved",
                "action_started",
                "action_finished",
                "finished",
                "state",
                "error",
                "trace",
            },
        ),
    ],
)
def test_the_wire_speaks_the_names_of_the_protocol(union: Any, tags: set[str]) -> None:
    assert tags <= {kind.__struct_config__.tag for kind in typing.get_args(union)}


def test_a_submit_states_either_text_or_goals() -> None:
    both = b', "text": "a", "goals": [{"domain": "a", "verb": "b"}]'
    for fields in (b"", both, b', "goals": []'):
        with pytest.raises(msgspec.ValidationError, match="goals"):
            msgspec.json.decode(b'{"type": "submit", "id": "c1"' + fields + b"}", type=WireRequest)


GOAL = Goal(
    "g0", "file", "create", {"name": ["a", "b"], "row": {"x": [1]}}, {"direct": Phrase("a")}
)
META = MetaGoal("dependent_multi", (GOAL, structs.replace(GOAL, goal_id="g1")), {1: (0,)})


@pytest.mark.parametrize(
    "mapping",
    [GOAL.params, GOAL.roles, GOAL.takes, META.dependencies, GOAL.params["row"]],
    ids=["params", "roles", "takes", "dependencies", "a row within"],
)
def test_what_a_goal_holds_cannot_be_changed(mapping: Any) -> None:
    before = dict(mapping)
    for change in (
        lambda: mapping.__setitem__("x", 1),
        lambda: mapping.update(x=1),
        lambda: mapping.setdefault("x", 1),
        lambda: mapping.pop("name", None),
        mapping.clear,
    ):
        with pytest.raises(TypeError, match="cannot be changed"):
            change()
    assert dict(mapping) == before


OUTPUTS: tuple[Any, ...] = (
    ({"a": (1, 2)}, {"a": (3,)}),
    (1, 2),
    {"lines": ("x", "y")},
    "text",
    None,
)


@pytest.mark.parametrize("output", OUTPUTS, ids=str)
@pytest.mark.parametrize("codec", [msgspec.json, msgspec.msgpack], ids=["json", "msgpack"])
def test_a_result_equals_itself_after_a_trip_through_bytes(output: Any, codec: Any) -> None:
    performed = Performed("c", ActionResult("a", "success", output=output, verified=True))
    assert codec.decode(codec.encode(performed), type=Performed) == performed
    assert codec.decode(codec.encode(META), type=MetaGoal) == META
