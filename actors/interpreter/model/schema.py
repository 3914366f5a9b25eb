"""The JSON Schema of an answer, made from the rule table: one union member per verb.

A verb and its parameters are tied together, so that no answer can give one verb the parameters
of another. One more member names a verb that the table does not have.

It keeps to what servers of structured output have in common: every node but a union has a type,
objects are closed and require all their fields, what may be missing may be null, no two members of
a union begin with the same field and value, and no bounds are stated. How many goals there are, and
which numbers are allowed, is checked when the answer is read, and by the Planner.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec

from actors.interpreter.model.answer import WHYS
from messages.rules import Parameter, ParameterType, Rule

Rules: TypeAlias = Mapping[tuple[str, str], Rule]
Schema: TypeAlias = dict[str, object]

WORDS: Schema = {"type": "string"}
WORDS_OR_NULL: Schema = {"type": ["string", "null"]}
SCOPES: Schema = {"type": "array", "items": WORDS}
JSON_TYPES: Mapping[ParameterType, str] = {
    "text": "string",
    "integer": "integer",
    "number": "number",
    "flag": "boolean",
}


def answer_schema(rules: Rules) -> str:
    """Give the schema of an answer, as text that is the same for the same rules."""
    members = [goal_schema(key, rule) for key, rule in rules.items()]
    unlisted = closed({"unlisted": WORDS, "scope": SCOPES})
    goals: Schema = {"type": "array", "items": {"anyOf": [*members, unlisted]}}
    either = [
        closed({"kind": only("goals"), "goals": goals}),
        closed({"kind": only("unsupported"), "why": only(*WHYS)}),
    ]
    return msgspec.json.encode(closed({"answer": {"anyOf": either}})).decode()


def goal_schema(key: tuple[str, str], rule: Rule) -> Schema:
    """Give the schema of a goal of one verb: its own parameters and roles, and no others."""
    fields: Schema = {"verb": only(".".join(key))}
    if params := offered(rule):
        fields["params"] = closed({name: value_schema(each) for name, each in params.items()})
    if rule.roles:
        fields["roles"] = closed(dict.fromkeys(rule.roles, WORDS_OR_NULL))
    if names := takeable(rule):
        fields["takes"] = closed(dict.fromkeys(names, WORDS_OR_NULL))
    fields["scope"] = SCOPES
    return closed(fields)


def offered(rule: Rule) -> dict[str, Parameter]:
    """Give the parameters a model may state; one that only repeats its role is left out."""
    return {name: each for name, each in rule.params.items() if each.role != name}


def takeable(rule: Rule) -> tuple[str, ...]:
    """Give the parameters whose value may be what an earlier goal gives: free texts.

    What an address is derived from must be known before anything runs.
    """
    return tuple(
        name
        for name, each in rule.params.items()
        if each.type == "text"
        and not (each.allowed or each.place or each.role)
        and not (each.required and rule.derive)
    )


def value_schema(parameter: Parameter) -> Schema:
    """Give the schema of a value; a role or an output can stand in for a required one."""
    kind = JSON_TYPES[parameter.type]
    if parameter.each:
        allowed = {"enum": list(parameter.allowed)} if parameter.allowed else {}
        return {"type": ["array", "null"], "items": {"type": kind, **allowed}}
    if parameter.allowed:
        return {"type": [kind, "null"], "enum": [*parameter.allowed, None]}
    return {"type": [kind, "null"]}


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
