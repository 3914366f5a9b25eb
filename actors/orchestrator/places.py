"""Where files belong: from names, scopes and anchors to absolute paths, by words alone.

Pure. What the words determine is placed before planning; what they do not (a folder that only
the disk can confirm, or one inside it) is placed when the goal runs. Whether a path may be
touched is not decided here: the Executor's roots do that.
"""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec

from messages.goals import Goal, MetaGoal, Phrase, scopes
from messages.message import Value
from messages.rules import Rule


@dataclass(frozen=True, slots=True)
class Known:
    """The words determine the folder."""

    folder: str


@dataclass(frozen=True, slots=True)
class WithinGoal:
    """The folder is what another goal of the command made, known once it ran."""

    goal_id: str


@dataclass(frozen=True, slots=True)
class Named:
    """The folder is one of this name under ``within``; it must be there when the goal runs."""

    phrase: Phrase
    within: str


@dataclass(frozen=True, slots=True)
class Nowhere:
    """There is no such place."""

    blocker: str
    reason: str


Rules: TypeAlias = Mapping[tuple[str, str], Rule]
Base: TypeAlias = Known | WithinGoal | Named | Nowhere


@dataclass(frozen=True, slots=True)
class Anchors:
    """The named folders of this machine; drive letters are anchors of the name ``drive:d``."""

    folders: Mapping[str, str]
    default: str

    def find(self, name: str) -> str | None:
        """Find the folder of an anchor."""
        return self.folders.get(name.casefold())


@dataclass(frozen=True, slots=True)
class Placement:
    """The goals with their paths, and the bases of those that are placed later."""

    meta: MetaGoal
    later: Mapping[str, Base]


@dataclass(frozen=True, slots=True)
class Tables:
    """The rules by every name they go by, the parameters of each that are places, the anchors."""

    rules: Rules
    anchors: Anchors
    places: Mapping[tuple[str, str], list[str]] = field(init=False)

    def __post_init__(self) -> None:
        places = {
            key: [name for name, parameter in rule.params.items() if parameter.place]
            for key, rule in self.rules.items()
        }
        named = {key: names for key, names in places.items() if names}
        object.__setattr__(self, "places", named)


def place(meta: MetaGoal, tables: Tables) -> Placement:
    """Resolve every path that the words determine."""
    if not any((goal.domain, goal.verb) in tables.places for goal in meta.goals):
        return Placement(meta, {})
    placed: list[Goal] = []
    later: dict[str, Base] = {}
    for index, goal in enumerate(meta.goals):
        key = (goal.domain, goal.verb)
        if key not in tables.places:
            placed.append(goal)
            continue
        rule, names = tables.rules[key], tables.places[key]
        base = base_of(goal, tables, placed)
        mentions = rule.creates != names[0] and (len(names) > 1 or states_no_place(goal))
        made = created_before(index, meta, placed, tables.rules) if mentions else {}
        placed.append(place_goal(goal, rule, names, Means(base, made, tables.anchors)))
        if not isinstance(base, Known) and placed[-1].resolved_path is None:
            later[goal.goal_id] = base
    return Placement(msgspec.structs.replace(meta, goals=tuple(placed)), later)


@dataclass(frozen=True, slots=True)
class Means:
    """What names may be resolved against: a base, what this command made, and the anchors."""

    base: Base
    made: Mapping[str, str]
    anchors: Anchors


def place_goal(goal: Goal, rule: Rule, names: list[str], means: Means) -> Goal:
    """Give a goal its path and make its other places absolute."""
    first, *others = names
    params: dict[str, Value] = dict(goal.params)
    for name in others:
        if isinstance(value := params.get(name), str):
            params[name] = meant(value, means) or joined(means.anchors.default, value)
    wanted = params.get(first, rule.params[first].default)
    if not isinstance(wanted, str):
        return msgspec.structs.replace(goal, params=params)
    path = None
    if rule.creates != first and states_no_place(goal):
        path = meant(wanted, means)
    if path is None and isinstance(means.base, Known):
        path = joined(means.base.folder, wanted)
    return msgspec.structs.replace(goal, params=params, resolved_path=path)


def states_no_place(goal: Goal) -> bool:
    """Tell whether a goal says when, but not where."""
    return all(scope == "root" or scope.startswith("after:") for scope in scopes(goal.scope))


def meant(name: str, means: Means) -> str | None:
    """Find what a bare name means: something this command made, or an anchor."""
    return means.made.get(name) or means.anchors.find(name)


def created_before(index: int, meta: MetaGoal, placed: list[Goal], rules: Rules) -> dict[str, str]:
    """Collect the paths of what goal ``index`` waits for and that was made by this command."""
    made: dict[str, str] = {}
    waiting, seen = list(meta.parents(index)), set[int]()
    while waiting:
        ancestor = waiting.pop()
        if ancestor in seen:
            continue
        seen.add(ancestor)
        waiting.extend(meta.parents(ancestor))
        goal = placed[ancestor]
        rule = rules.get((goal.domain, goal.verb))
        name = goal.params.get(rule.creates) if rule and rule.creates else None
        if rule is not None and isinstance(name, str) and (path := made_path(goal, rule)):
            made[name] = path
    return made


def made_path(goal: Goal, rule: Rule) -> str | None:
    """Give the path of what a goal makes: its own, or a new name beside it (a renaming)."""
    if goal.resolved_path is None or rule.creates is None or rule.params[rule.creates].place:
        return goal.resolved_path
    return joined(posixpath.dirname(goal.resolved_path), str(goal.params.get(rule.creates)))


def base_of(goal: Goal, tables: Tables, placed: list[Goal]) -> Base:
    """Work out the folder that a goal's names are relative to."""
    anchors = tables.anchors
    folder = anchors.default
    base: Base | None = None
    for scope in scopes(goal.scope):
        kind, _, target = scope.partition(":")
        if kind == "drive":
            drive = anchors.find(f"drive:{target}")
            if drive is None:
                return Nowhere(scope, f"drive {target} is mapped to no folder; settings can do it")
            folder = drive
        elif kind == "inside" and goal.inside_of is not None:
            parent = placed[int(goal.inside_of[1:])]
            path = made_path(parent, tables.rules[parent.domain, parent.verb])
            base = Known(path) if path is not None else WithinGoal(parent.goal_id)
        elif kind == "inside":
            base = inside(target, anchors)
    if isinstance(base, Named):
        return Named(base.phrase, folder)
    return base or Known(folder)


def inside(target: str, anchors: Anchors) -> Base:
    """Find a base anchor: a named folder of this machine, or one to be looked for."""
    anchor = anchors.find(target)
    return Known(anchor) if anchor is not None else Named(Phrase(target), anchors.default)


def joined(folder: str, name: str) -> str:
    """Put a name under a folder; an absolute path stays itself.

    >>> joined("/work", "a/../b.txt"), joined("/work", "/etc/passwd"), joined("/work", ".")
    ('/work/b.txt', '/etc/passwd', '/work')
    """
    return posixpath.normpath(posixpath.join(folder, name))
