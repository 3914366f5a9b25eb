"""The planner's rows for the verbs of a text world: they follow from how the verbs are declared."""

from collections.abc import Mapping

from messages.rules import Parameter, Rule
from messages.verbs import VerbDeclaration
from tools.text_world.bundle import WorldVerb

ROLES = ("direct", "indirect")


def world_rules(verbs: Mapping[str, WorldVerb]) -> dict[str, Rule]:
    """Give a row for every verb. What is done in a world is done in the order it was said."""
    return {name: rule_of(name, verb) for name, verb in verbs.items()}


def rule_of(name: str, verb: WorldVerb) -> Rule:
    return Rule(
        intent="world",
        action_class="observe" if verb.observes else "actuate",
        description=verb.description or name,
        achieves=f"world_{name}",
        effect=f"world_{name}",
        params={**{role: Parameter(role=role) for role in ROLES}, "relation": Parameter()},
        aliases={alias: {} for alias in verb.aliases},
        roles=ROLES,
        shares=("world",),
        targets=declaration(verb),
    )


def declaration(verb: WorldVerb) -> VerbDeclaration:
    """Give what the resolver needs to know of a verb, and no more."""
    return VerbDeclaration(
        verb.rules,
        verb.aliases,
        verb.scope_profile,
        verb.precedence,
        verb.sets,
        verb.interchangeable,
    )
