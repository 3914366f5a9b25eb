"""Merging: a goal that makes an earlier one unnecessary absorbs it; equal goals are one action.

"Open youtube and search nvidia" is one action, because the search address opens the site too.
"Open youtube and open youtube" is one as well. Nothing is merged where somebody else still needs
the goal that would vanish, or where doing it twice does more than doing it once.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from actors.planner.addresses import host_of, is_front_page, site_of
from actors.planner.tables import Row, RuleTable, qualify
from messages.goals import Goal, MetaGoal, scopes
from messages.message import Value
from messages.rules import SearchEngine

# Of more goals than anybody says none are compared: a client that sends them means each.
MANY_GOALS = 200

_encode = msgspec.msgpack.Encoder(order="deterministic").encode


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
    """Absorb every goal that is ``sound`` itself and made unnecessary by another."""
    if not meta.dependencies:
        return Merged(meta.goals, meta.dependencies, equal_goals(meta.goals, {}, table))
    goals = list(meta.goals)
    parents = dict(meta.dependencies)
    absorbed: dict[int, int] = {}
    children = Counter(parent for waits in meta.dependencies.values() for parent in waits)
    for index, parent in absorbers(meta, table):
        goal = goals[index]
        if is_search(goals[parent], table):
            goals[index] = on_site_of(goal, goals[parent])
            continue
        address = str(goals[parent].params.get("url", ""))
        site = site_of(address, engines)
        # A search right after opening a site means that site: one without a search address is
        # refused by its name further on, never searched for elsewhere.
        platform = str(goal.params.get("platform", site or host_of(address) or address)).casefold()
        goals[index] = msgspec.structs.replace(goal, params=of_site(goal, platform))
        alone = children[parent] == 1 and sound(goals[parent])
        if platform == site and is_front_page(address) and alone:
            parents[index] = parents.get(parent, ())
            absorbed[parent] = index
    same = equal_goals(goals, parents, table, absorbed)
    if same:  # whoever waits for one of them waits for the one that acts
        parents = {
            index: tuple(dict.fromkeys(same.get(parent, parent) for parent in waits))
            for index, waits in parents.items()
        }
    return Merged(tuple(goals), parents, {**absorbed, **same})


def equal_goals(
    goals: Sequence[Goal],
    parents: Mapping[int, tuple[int, ...]],
    table: RuleTable,
    absorbed: Mapping[int, int] | None = None,
) -> dict[int, int]:
    """Find the goals that ask for the very same as one before them, with nothing in between.

    They wait for the same goals, or one waits for the other alone.
    """
    if len(goals) > MANY_GOALS:
        return {}
    first: dict[object, int] = {}
    same: dict[int, int] = {}
    for index, goal in enumerate(goals):
        row = table.find(goal.domain, goal.verb)
        if row is None or not row.rule.idempotent or goal.readings or index in (absorbed or {}):
            continue
        waits = tuple(same.get(parent, parent) for parent in parents.get(index, ()))
        asked = what_is_asked(goal, row)
        (only,) = waits if len(waits) == 1 else (None,)
        if only is not None and first.get((asked, parents.get(only, ()))) == only:
            same[index] = only
        elif (asked, waits) in first:
            same[index] = first[asked, waits]
        else:
            first[asked, waits] = index
    return same


def what_is_asked(goal: Goal, row: Row) -> bytes:
    """Write down all that a goal asks for, so that it can be compared."""
    params = {**row.defaults, **row.implied, **goal.params}
    if goal.resolved_path is not None:  # "x" and "./x" are the same
        params = {name: value for name, value in params.items() if name != "name"}
    places = [scope for scope in scopes(goal.scope) if not scope.startswith(("after:", "root"))]
    asked = (row.key, sorted(params.items()), places, goal.resolved_path, goal.roles, goal.takes)
    return _encode(asked)


def is_search(goal: Goal, table: RuleTable) -> bool:
    """Tell whether a goal searches a site itself."""
    row = table.find(goal.domain, goal.verb)
    return row is not None and bool(row.rule.absorbs)


def on_site_of(goal: Goal, before: Goal) -> Goal:
    """Let a search that names no site go on with that of the search right before it."""
    platform = before.params.get("platform")
    if platform is None or "platform" in goal.params or "here" in goal.params:
        return goal
    return msgspec.structs.replace(goal, params={**goal.params, "platform": platform})


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
    return found is not None and (found.key in absorbed or found.key == row.key)
