"""The JSON Schema of an answer, made from the rule table: one union member per (domain, verb).

A verb and its parameters are tied together, so that no answer can give one verb the parameters
of another. Every field is required and what may be missing may be null, as strict structured
output wants it.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec

from actors.interpreter.model.answer import MAX_GOALS, WHYS
from messages.rules import Parameter, ParameterType, Rule

Rules: TypeAlias = Mapping[tuple[str, str], Rule]
Schema: TypeAlias = dict[str, object]

WORDS_OR_NULL: Schema = {"anyOf": [{"type": "string"}, {"type": "null"}]}
JSON_TYPES: Mapping[ParameterType, str] = {
    "text": "string",
    "integer": "integer",
    "number": "number",
    "flag": "boolean",
}


def answer_schema(rules: Rules) -> str:
    """Give the schema of an answer, as text that is the same for the same rules."""
    members = [goal_schema(key, rule) for key, rule in rules.items()]
    goals: Schema = {
        "type": "array",
        "minItems": 1,
        "maxItems": MAX_GOALS,
        "items": {"anyOf": members},
    }
    either = [
        closed({"kind": only("goals"), "goals": goals}),
        closed({"kind": only("unsupported"), "why": only(*WHYS)}),
    ]
    return msgspec.json.encode(closed({"answer": {"anyOf": either}})).decode()


def goal_schema(key: tuple[str, str], rule: Rule) -> Schema:
    """Give the schema of a goal of one verb: its own parameters and roles, and no others."""
    domain, verb = key
    fields: Schema = {"domain": only(domain), "verb": only(verb)}
    if params := offered(rule):
        fields["params"] = closed({name: value_schema(each) for name, each in params.items()})
    if rule.roles:
        fields["roles"] = closed(dict.fromkeys(rule.roles, WORDS_OR_NULL))
    fields["scope"] = {"type": "array", "items": {"type": "string"}, "maxItems": 4}
    return closed(fields)


def offered(rule: Rule) -> dict[str, Parameter]:
    """Give the parameters a model may state; one that only repeats its role is left out."""
    return {name: each for name, each in rule.params.items() if each.role != name}


def value_schema(parameter: Parameter) -> Schema:
    """Give the schema of a value; a role can stand in for a required one."""
    one = scalar_schema(parameter)
    if parameter.each:
        one = {"anyOf": [one, {"type": "array", "minItems": 1, "maxItems": 20, "items": one}]}
    if parameter.required and parameter.role is None:
        return one
    return {"anyOf": [one, {"type": "null"}]}


def scalar_schema(parameter: Parameter) -> Schema:
    """Give the schema of one value, with what is allowed of it."""
    if parameter.allowed:
        return {"enum": list(parameter.allowed)}
    schema: Schema = {"type": JSON_TYPES[parameter.type]}
    bounds = {"minimum": parameter.minimum, "maximum": parameter.maximum}
    return schema | {name: whole(bound) for name, bound in bounds.items() if bound is not None}


def whole(number: float) -> float:
    """Write a whole number as one: some servers read bounds of integers as integers only."""
    return int(number) if number == int(number) else number


def only(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


def closed(fields: Mapping[str, object]) -> Schema:
    """Give the schema of an object with exactly these fields."""
    required: Sequence[str] = list(fields)
    return {
        "type": "object",
        "properties": dict(fields),
        "required": required,
        "additionalProperties": False,
    }
