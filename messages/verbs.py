"""Declarations of verbs: the forms they take, the relations they accept, where they look."""

import re
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from messages.message import Data

RuleKey: TypeAlias = Literal["intransitive", "direct", "indirect", "directIndirect", "relationOnly"]
Role: TypeAlias = Literal["direct", "indirect"]
Precedence: TypeAlias = Literal["first", "pool"]

RELATION_BEARING: frozenset[RuleKey] = frozenset({"indirect", "directIndirect", "relationOnly"})
DEFAULT_DEPTH = 3
# How a path looks in an error, and how a field is named in one: ours begin with it.
PATHS = re.compile(r"`(\$[^`]*)`")
FIELD = re.compile(r"^`([\w.]+)`|field `(\w+)`")


class RuleForm(Data, frozen=True, rename="camel"):
    """One form of a verb.

    ``limits`` are the relations by which the indirect thing is the place where the direct one
    is looked for ("take the apple *from* the chest").
    """

    accepted_relations: tuple[str, ...] = ()
    limits: tuple[str, ...] = ("from",)


class ScopeRef(Data, frozen=True):
    """A scope to search, and how many containers deep."""

    scope: str
    depth: int = DEFAULT_DEPTH


class ScopeProfile(Data, frozen=True):
    """Where each role is looked for, in this order and nowhere else."""

    direct: tuple[str | ScopeRef, ...] = ()
    indirect: tuple[str | ScopeRef, ...] = ()


class VerbDeclaration(Data, frozen=True, rename="camel"):
    """What a verb takes.

    ``sets`` are the roles that may stand for several things ("take all"); ``interchangeable``
    lets the first be taken where every thing that is left is declared interchangeable.
    """

    rules: Mapping[RuleKey, RuleForm]
    aliases: tuple[str, ...] = ()
    scope_profile: ScopeProfile = ScopeProfile()
    precedence: Precedence = "first"
    sets: tuple[Role, ...] = ()
    interchangeable: bool = False

    def __post_init__(self) -> None:
        if not self.rules:
            raise ValueError("`rules` declares no rule; a verb needs at least one")
        for key, form in self.rules.items():
            bears = key in RELATION_BEARING
            if bears and not any(relation.strip() for relation in form.accepted_relations):
                raise ValueError(f"`rules.{key}.acceptedRelations` is missing or empty")
            if form.accepted_relations and not bears:
                raise ValueError(f"`rules.{key}` takes no relation, but has `acceptedRelations`")


Verbs: TypeAlias = Mapping[str, VerbDeclaration]


class BadDeclaration(ValueError):
    """A declaration that cannot be loaded: which verb, which field, what is wrong."""

    def __init__(self, verb: str, problem: str, path: str) -> None:
        super().__init__(f"verb {verb!r}: {problem}")
        self.verb = verb
        self.path = path


def load_verbs(raw: Mapping[str, Any]) -> dict[str, VerbDeclaration]:
    """Check declarations one by one; ``BadDeclaration`` names the verb and the field."""
    return {name: load_verb(name, declared) for name, declared in raw.items()}


def load_verb(name: str, declared: Any) -> VerbDeclaration:
    """Check one declaration."""
    if not name.strip():
        raise BadDeclaration(name, "a verb needs a name", "$")
    try:
        if isinstance(declared, msgspec.Raw):
            return msgspec.json.decode(declared, type=VerbDeclaration)
        return msgspec.convert(declared, VerbDeclaration)
    except msgspec.ValidationError as error:
        problem, path = located(str(error))
        where = "" if path == "$" or path.removeprefix("$.") in problem else f" (at {path[2:]})"
        raise BadDeclaration(name, f"{problem}{where}", path) from None


def located(error: str) -> tuple[str, str]:
    """Part what is wrong from where it is; a field that is named is where it is."""
    problem, _, place = error.partition(" - at ")
    path = (PATHS.findall(place) or ["$"])[-1]
    if named := FIELD.search(problem):
        return problem, f"{path}.{named[1] or named[2]}"
    return problem, path
