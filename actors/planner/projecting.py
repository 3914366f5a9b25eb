"""The world as goals will find it, and what is missing in it, in words."""

from collections.abc import Iterable

import msgspec

from messages.effects import applied
from messages.plans import Fact, PlannedAction, WorldState

RECENT = 64


def project(world: WorldState, action: PlannedAction, effects: Iterable[str]) -> WorldState:
    """Give the world as it is expected to be once ``action`` had its effects."""
    facts = world.recent_facts
    for effect in sorted({action.expected_effect, *effects}):
        facts = (*facts, Fact(effect, action.action_id, command_id=""))
        world = applied(world, effect)
    return msgspec.structs.replace(world, recent_facts=facts[-RECENT:])


def in_words(condition: str) -> str:
    """Put a condition that does not hold into words.

    >>> in_words("app_running:firefox"), in_words("browser_running"), in_words("x")
    ('firefox is not running', 'no browser is running', 'x does not hold')
    """
    name, _, subject = condition.partition(":")
    match name:
        case "app_running":
            return f"{subject} is not running"
        case "browser_running":
            return "no browser is running"
        case _:
            return f"{condition} does not hold"
