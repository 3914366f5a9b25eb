"""The schema that a model is sent: what servers of structured output accept, with all rules."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, TypeAlias

import msgspec
import pytest

from actors.interpreter.commands import PLAYED
from actors.interpreter.model.answer import Goals, ModelAnswer
from actors.interpreter.model.prompt import instructions
from actors.interpreter.model.schema import answer_schema, offered, takeable
from actors.planner.tables import planner_rules, search_engines
from tools.text_world.bundle import standard_verbs
from tools.text_world.rules import world_rules

TABLE = planner_rules().extended(PLAYED, world_rules(standard_verbs()))
RULES = {key: rule for key, rule in TABLE.rules.items() if not rule.unspoken}
Node: TypeAlias = dict[str, Any]

# What servers document; none allows less.
MOST_PROPERTIES = 5_000
MOST_LEVELS = 10
MOST_ENUM_VALUES = 1_000
MOST_CHARACTERS = 120_000
# The keywords that all of them know. Bounds and patterns are not among them.
COMMON = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum"}
)
JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


@cache
def schema() -> Node:
    decoded: Node = json.loads(answer_schema(RULES))
    return decoded


def children(node: Node) -> Iterator[Node]:
    """Give the schemas directly within a schema."""
    yield from node.get("properties", {}).values()
    yield from node.get("anyOf", ())
    if "items" in node:
        yield node["items"]


def nodes(node: Node) -> Iterator[Node]:
    """Give a schema and every schema within it."""
    yield node
    for child in children(node):
        yield from nodes(child)


def types_of(node: Node) -> list[str]:
    stated = node["type"]
    return [stated] if isinstance(stated, str) else stated


def members() -> dict[str, Node]:
    """Give the fields of the goals that can be stated, by the name of their verb."""
    answer = schema()["properties"]["answer"]["anyOf"][0]
    found = [each["properties"] for each in answer["properties"]["goals"]["items"]["anyOf"]]
    return {fields["verb"]["enum"][0]: fields for fields in found if "verb" in fields}


# What servers accept


def test_only_keywords_that_all_servers_know_are_used() -> None:
    for node in nodes(schema()):
        assert node.keys() <= COMMON


def test_every_node_has_a_type_or_is_a_union() -> None:
    for node in nodes(schema()):
        assert ("type" in node) != ("anyOf" in node), node


def test_every_enum_is_of_its_type() -> None:
    enums = [node for node in nodes(schema()) if "enum" in node]
    assert enums
    for node in enums:
        assert {JSON_TYPES[type(value)] for value in node["enum"]} <= set(types_of(node))
        assert len(node["enum"]) == len(set(node["enum"]))


def test_every_object_is_closed_and_requires_all_its_fields() -> None:
    for node in nodes(schema()):
        assert ("properties" in node) == ("type" in node and "object" in types_of(node))
        if "properties" in node:
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])


def test_the_root_is_an_object() -> None:
    assert schema()["type"] == "object"


def first_field(member: Node) -> tuple[str, str]:
    """Give the first field of a member of a union, and the value that it must have."""
    name, value = next(iter(member["properties"].items()))
    return name, json.dumps(value.get("enum"))


def test_no_two_members_of_a_union_begin_with_the_same_field_and_value() -> None:
    unions = [node["anyOf"] for node in nodes(schema()) if "anyOf" in node]
    assert len(unions) == 2
    for union in unions:
        firsts = [first_field(member) for member in union]
        assert len(firsts) == len(set(firsts))
        unbound = [name for name, value in firsts if value == "null"]
        assert all([name for name, _ in firsts].count(name) == 1 for name in unbound)


def test_the_schema_is_within_the_documented_ceilings() -> None:
    everything = list(nodes(schema()))
    names = [name for node in everything for name in node.get("properties", ())]
    values = [value for node in everything for value in node.get("enum", ())]
    assert len(names) <= MOST_PROPERTIES
    assert len(values) <= MOST_ENUM_VALUES
    assert sum(len(str(each)) for each in (*names, *values)) <= MOST_CHARACTERS
    assert levels(schema()) <= MOST_LEVELS


def levels(node: Node) -> int:
    return 1 + max(map(levels, children(node)), default=0)


# What it lets a model say


def test_the_schema_has_one_member_for_each_rule() -> None:
    assert list(members()) == [".".join(key) for key in RULES]


def test_a_verb_has_its_own_parameters_and_roles_and_no_others() -> None:
    for key, rule in RULES.items():
        fields = members()[".".join(key)]
        stated = {name: list(fields[name]["properties"]) for name in fields if name in PARTS}
        own = {"params": offered(rule), "roles": rule.roles, "takes": takeable(rule)}
        assert stated == {name: list(each) for name, each in own.items() if each}


PARTS = ("params", "roles", "takes")


def test_what_may_be_missing_may_be_null() -> None:
    for fields in members().values():
        for part in PARTS:
            for value in fields.get(part, {}).get("properties", {}).values():
                assert "null" in types_of(value)


@pytest.mark.parametrize("verb", ["file.write", "file.create", "file.append", "browser.type"])
def test_a_text_may_be_taken_from_an_earlier_goal(verb: str) -> None:
    assert members()[verb]["takes"]["properties"]


def test_an_address_cannot_be_taken_from_an_earlier_goal() -> None:
    assert "takes" not in members()["browser.navigate"]


def example(node: Node) -> object:
    """Make a value of a schema, with every list filled and every union's members in turn."""
    if "anyOf" in node:
        return [example(each) for each in node["anyOf"]]
    if "enum" in node:
        return node["enum"][0]
    match types_of(node)[0]:
        case "object":
            return {name: example(each) for name, each in node["properties"].items()}
        case "array":
            inner = example(node["items"])
            return inner if "anyOf" in node["items"] else [inner]
        case "integer" | "number":
            return 1
        case "boolean":
            return True
        case _:
            return "x"


def test_every_goal_of_the_schema_can_be_decoded() -> None:
    both = msgspec.convert(example(schema()["properties"]["answer"]), list[Node])
    goals, _ = (msgspec.convert({"answer": each}, ModelAnswer).answer for each in both)
    assert isinstance(goals, Goals)
    assert [goal.key() for goal in goals.goals[:-1]] == list(RULES)


# The prompt


def test_the_prompt_is_the_template_and_the_table() -> None:
    prompt = instructions(RULES, search_engines())
    assert "{" not in prompt.replace('{"answer"', "").replace('{"kind"', "")
    for key in RULES:
        assert f"\n{'.'.join(key)}" in prompt
    assert "file.append; also: add; params: name!, content!; takes: content" in prompt
