"""Merging: a goal that makes an earlier one unnecessary absorbs it.

"Open youtube and search nvidia" is one action, because the search address opens the site too.
Nothing is merged where somebody else still needs the goal that would vanish.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from actors.planner.addresses import host_of, is_front_page, site_of
from actors.planner.tables import Row, RuleTable, qualify
from messages.goals import Goal, MetaGoal
from messages.message import Value
from messages.rules import SearchEngine


@dataclass(slots=True)
class Merged:
    """The goals after merging, and for each absorbed goal the one that took it in."""

    goals: tuple[Goal, ...]
    parents: Mapping[int, tuple[int, ...]]
    absorbed: Mapping[int, int]


def merge(
    meta: MetaGoal,
    table: RuleTable,
    engines: Mapping[str, SearchEngine],
    sound: Callable[[Goal], bool],
) -> Merged:
    """Absorb every goal that is ``sound`` itself and made unnecessary by a goal right after it."""
    if not meta.dependencies:
        return Merged(meta.goals, meta.dependencies, {})
    goals = list(meta.goals)
    parents = dict(meta.dependencies)
    absorbed: dict[int, int] = {}
    children = Counter(parent for waits in meta.dependencies.values() for parent in waits)
    for index, parent in absorbers(meta, table):
        goal, address = goals[index], str(goals[parent].params.get("url", ""))
        site = site_of(address, engines)
        # A search right after opening a site means that site: one without a search address is
        # refused by its name further on, never searched for elsewhere.
        platform = str(goal.params.get("platform", site or host_of(address) or address)).casefold()
        goals[index] = msgspec.structs.replace(goal, params=of_site(goal, platform))
        alone = children[parent] == 1 and sound(goals[parent])
        if platform == site and is_front_page(address) and alone:
            parents[index] = parents.get(parent, ())
            absorbed[parent] = index
    return Merged(tuple(goals), parents, absorbed)


def of_site(goal: Goal, platform: str) -> Mapping[str, Value]:
    """Give what a search on a site that is opened before it is made of: not on this page."""
    kept = {name: value for name, value in goal.params.items() if name != "here"}
    return {**kept, "platform": platform}


def absorbers(meta: MetaGoal, table: RuleTable) -> Iterator[tuple[int, int]]:
    """Find the goals whose one parent is of a kind they absorb, with that parent."""
    for index, waits in meta.dependencies.items():
        goal = meta.goals[index]
        row = table.find(goal.domain, goal.verb)
        if row is not None and row.rule.absorbs and len(waits) == 1:
            (parent,) = waits
            if takes_in(row, meta.goals[parent], table):
                yield index, parent


def takes_in(row: Row, parent: Goal, table: RuleTable) -> bool:
    """Tell whether the rule absorbs goals such as ``parent``."""
    found = table.find(parent.domain, parent.verb)
    absorbed = {qualify(name, row.key[0]) for name in row.rule.absorbs}
    return found is not None and found.key in absorbed
