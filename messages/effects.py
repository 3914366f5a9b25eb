"""The vocabulary of effects: what holds in a world state, and what holds after an action.

Conditions and effects are short words such as ``browser_running`` or ``app_running:firefox``,
often written as templates over an action's arguments. Every projection is a new value; the
snapshot that came in is never touched.
"""

from collections.abc import Mapping

import msgspec

from messages.plans import WorldState


def holds(condition: str, world: WorldState) -> bool:
    """Tell whether a condition such as ``browser_running`` or ``app_running:firefox`` holds."""
    name, _, subject = condition.partition(":")
    if condition == "browser_running":
        return world.browser_running
    if name == "app_running":
        return subject.casefold() in world.running_apps
    return any(fact.effect == condition for fact in world.recent_facts)


def applied(world: WorldState, effect: str) -> WorldState:
    """Give the world after one effect, in the fields that the effect speaks of."""
    name, _, subject = effect.partition(":")
    apps = world.running_apps
    match name:
        case "browser_running":
            return msgspec.structs.replace(world, browser_running=True)
        case "browser_closed":
            return msgspec.structs.replace(world, browser_running=False, browser_last_url=None)
        case "url_is":
            return msgspec.structs.replace(world, browser_last_url=subject)
        case "app_running":
            return msgspec.structs.replace(world, running_apps=apps | {subject.casefold()})
        case "app_closed":
            return msgspec.structs.replace(world, running_apps=apps - {subject.casefold()})
        case _:
            return world


class Blanks(dict[str, object]):
    """Template values; what is not there yet reads as nothing."""

    def __missing__(self, key: str) -> str:
        return ""


def fill(template: str, values: Mapping[str, object]) -> str:
    """Fill a template such as ``create:{object_type}:{path}``."""
    if "{" not in template:
        return template
    try:
        return template.format_map(values)
    except KeyError:
        return template.format_map(Blanks(values))
