"""Where files belong: from names, scopes and anchors to absolute paths, by words alone.

Pure. What the words determine is placed before planning; what they do not (a folder that only
the disk can confirm, or one inside it) is placed when the goal runs. Whether a path may be
touched is not decided here: the Executor's roots do that.
"""

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import msgspec

from actors.orchestrator.capture import Policy
from messages.goals import PLACE_WORDS, Goal, MetaGoal, scopes
from messages.message import Value
from messages.phrases import Phrase
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
class PathOf:
    """The thing itself is what another goal of the command made, known once it ran."""

    goal_id: str


@dataclass(frozen=True, slots=True)
class Nowhere:
    """There is no such place."""

    blocker: str
    reason: str


PLACE = re.compile(r"(drive|inside):.*\S")
# A path as Windows writes it. A file of just that name is never meant.
ON_DRIVE = re.compile(r"([A-Za-z]):[\\/]*(.*)", re.DOTALL)

Rules: TypeAlias = Mapping[tuple[str, str], Rule]
Base: TypeAlias = Known | WithinGoal | PathOf | Named | Nowhere


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
class Approvals:
    """Which kinds of actions wait for a person's yes, whose it may be, and for how long.

    ``by_others`` if whoever sent a command may not approve of it.
    """

    kinds: frozenset[str] = frozenset()
    by_others: bool = False
    seconds: float = 300.0


@dataclass(frozen=True, slots=True)
class Tables:
    """The rules by every name they go by, the parameters of each that are places, the anchors.

    ``policy`` are the checks that every bound action of an intent must pass; ``rehearsing`` are the
    rules that keep a command for later.
    """

    rules: Rules
    anchors: Anchors
    policy: Policy = field(default_factory=dict)
    approvals: Approvals = Approvals()
    places: Mapping[tuple[str, str], list[str]] = field(init=False)
    rehearsing: frozenset[tuple[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        places = {
            key: [name for name, parameter in rule.params.items() if parameter.place]
            for key, rule in self.rules.items()
        }
        named = {key: names for key, names in places.items() if names}
        object.__setattr__(self, "places", named)
        rehearsing = (key for key, rule in self.rules.items() if rule.rehearses)
        object.__setattr__(self, "rehearsing", frozenset(rehearsing))


def place(meta: MetaGoal, tables: Tables, *, inherits: bool = False) -> Placement:
    """Resolve every path that the words determine.

    With ``inherits`` a goal that names no path works on what the goal it waits for made.
    """
    if tables.places.keys().isdisjoint([(goal.domain, goal.verb) for goal in meta.goals]):
        return Placement(meta, {})
    placed: list[Goal] = []
    later: dict[str, Base] = {}
    makers = Makers(meta)
    for index, stated in enumerate(meta.goals):
        key = (stated.domain, stated.verb)
        made = makers.of(index)
        if key not in tables.places:
            placed.append(stated)
            continue
        rule, names = tables.rules[key], tables.places[key]
        if inherits and (inherited := makers.inherited(index, rule, names[0])) is not None:
            placed.append(inherited[0])
            if isinstance(inherited[1], PathOf):
                later[stated.goal_id] = inherited[1]
            continue
        goal, drives = with_plain_paths(stated, names)
        base = no_path(stated, rule) or base_of(goal, tables, placed)
        means = Means(base, made, tables.anchors).on_drives(goal, names[0], drives)
        placed.append(place_goal(goal, rule, names, means))
        base = means.base_for(goal, rule, names)
        unplaced = placed[-1].resolved_path is None
        if isinstance(base, Nowhere) or (
            unplaced and (goal.readings or not isinstance(base, Known))
        ):
            later[goal.goal_id] = base
        makers.note(index, placed[-1], rule)
    return Placement(msgspec.structs.replace(meta, goals=tuple(placed)), later)


@dataclass(slots=True)
class Makers:
    """Which goals make things of which names, so that a later goal may mean what was made.

    A goal's ancestors, and the makers of a name, are the bits of a number: however many goals a
    client sends, to find the last ancestor that made a thing is one step.
    """

    meta: MetaGoal
    _made: dict[int, Known | PathOf] = field(default_factory=dict)
    _makers: dict[str, int] = field(default_factory=dict)
    _ancestors: dict[int, int] = field(default_factory=dict)
    _names: dict[int, str] = field(default_factory=dict)
    _folders: set[int] = field(default_factory=set)

    def note(self, index: int, goal: Goal, rule: Rule) -> None:
        """Remember what a goal makes."""
        name = goal.params.get(rule.creates) if rule.creates else None
        if isinstance(name, str):
            self._names[index] = name
            if kind_made(goal, rule) == "folder":
                self._folders.add(index)
            path = made_path(goal, rule)
            self._made[index] = PathOf(goal.goal_id) if path is None else Known(path)
            self._makers[name] = self._makers.get(name, 0) | 1 << index

    def inherited(self, index: int, rule: Rule, first: str) -> tuple[Goal, Known | PathOf] | None:
        """Give a goal that names no path with that of what its nearest parent made."""
        goal = self.meta.goals[index]
        stated = first in goal.params or goal.roles or goal.readings or first in goal.takes
        if stated or not states_no_place(goal):
            return None
        for parent in sorted(self.meta.parents(index), reverse=True):
            made = self._made.get(parent)
            if made is None:
                continue
            within = rule.params[first].default is not None and parent not in self._folders
            if within and isinstance(made, PathOf):
                return None  # where that is shows only later
            base = (
                Known(posixpath.dirname(made.folder))
                if within and isinstance(made, Known)
                else made
            )
            params = {**goal.params, first: "." if within else self._names[parent]}
            path = base.folder if isinstance(base, Known) else None
            return msgspec.structs.replace(goal, params=params, resolved_path=path), base
        return None

    def of(self, index: int) -> Callable[[str], Known | PathOf | None]:
        """Give what finds, for goal ``index``, the thing of a name that its ancestors made last."""
        ancestors = 0
        for parent in self.meta.parents(index):
            ancestors |= self._ancestors[parent] | 1 << parent
        self._ancestors[index] = ancestors

        def find(name: str) -> Known | PathOf | None:
            makers = self._makers.get(name, 0) & ancestors
            return self._made[makers.bit_length() - 1] if makers else None

        return find


@dataclass(frozen=True, slots=True)
class Means:
    """What names may be resolved against: a base, what this command made, and the anchors."""

    base: Base
    made: Callable[[str], Known | PathOf | None]
    anchors: Anchors
    drives: Mapping[str, str] = field(default_factory=dict)

    def on_drives(self, goal: Goal, first: str, drives: Mapping[str, str]) -> "Means":
        """Take account of the drives that paths are on: they are anchors, mapped or blocked."""
        base = self.base
        for drive in drives.values():
            if self.anchors.find(f"drive:{drive}") is None:
                return Means(no_drive(drive), self.made, self.anchors, drives)
        if (out := leading_out(goal, first, drives)) is not None:
            return Means(out, self.made, self.anchors, drives)
        if first in drives and not isinstance(base, Nowhere):
            base = Known(self.anchors.find(f"drive:{drives[first]}") or "")
            stated = [scope for scope in scopes(goal.scope) if PLACE.match(scope)]
            if stated and stated != [f"drive:{drives[first]}"]:
                reason = (
                    f"it cannot be in two places: {', '.join(stated)} and drive {drives[first]}"
                )
                base = Nowhere(" ".join(stated), reason)
        return Means(base, self.made, self.anchors, drives)

    def base_for(self, goal: Goal, rule: Rule, names: list[str]) -> Base:
        """Give what a goal's path hangs on: what was made before, if that is meant, or its base."""
        first, *others = names
        if isinstance(self.base, Nowhere):
            return self.base
        for name in others:
            if isinstance(self.made(str(goal.params.get(name))), PathOf):
                reason = "where that is shows only later; say it in a command of its own"
                return Nowhere(f"{name}={goal.params[name]}", f"{goal.params[name]}: {reason}")
        wanted = goal.params.get(first)
        if isinstance(wanted, str) and rule.creates != first and states_no_place(goal):
            return self.made(wanted) or self.base
        return self.base


def place_goal(goal: Goal, rule: Rule, names: list[str], means: Means) -> Goal:
    """Give a goal its path and make its other places absolute."""
    first, *others = names
    params: dict[str, Value] = dict(goal.params)
    for name in others:
        if isinstance(value := params.get(name), str):
            params[name] = destination(name, value, means)
    wanted = params.get(first, rule.params[first].default)
    if not isinstance(wanted, str):
        return msgspec.structs.replace(goal, params=params)
    return msgspec.structs.replace(
        goal, params=params, resolved_path=path_of(goal, rule, wanted, means)
    )


def destination(parameter: str, name: str, means: Means) -> str:
    """Find the folder that something is brought to: one made before, an anchor, or by its path."""
    drive = means.drives.get(parameter)
    if drive is not None:
        return joined(means.anchors.find(f"drive:{drive}") or "", name)
    made = means.made(name)
    if isinstance(made, Known):
        return made.folder
    return means.anchors.find(name) or joined(means.anchors.default, name)


def with_plain_paths(goal: Goal, names: list[str]) -> tuple[Goal, dict[str, str]]:
    """Give a goal with its paths as this machine writes them, and the drives that they are on."""
    paths = {name: goal.params[name] for name in names if name in goal.params}
    odd = {
        name: value
        for name, value in paths.items()
        if isinstance(value, str) and ("\\" in value or ON_DRIVE.fullmatch(value))
    }
    if not odd:
        return goal, {}
    drives: dict[str, str] = {}
    plain: dict[str, Value] = {}
    for name, value in odd.items():
        drive, path = split_drive(value)
        plain[name] = path
        if drive is not None:
            drives[name] = drive
    return msgspec.structs.replace(goal, params={**goal.params, **plain}), drives


def split_drive(path: str) -> tuple[str | None, str]:
    r"""Part the drive of a Windows path from the rest, written with slashes.

    >>> split_drive(r"C:\work\x.txt"), split_drive(r"sub\x.txt"), split_drive("D:")
    (('C', 'work/x.txt'), (None, 'sub/x.txt'), ('D', '.'))
    """
    found = ON_DRIVE.fullmatch(path)
    if found is None:
        return None, path.replace("\\", "/")
    return found[1].upper(), found[2].replace("\\", "/") or "."


def leading_out(goal: Goal, first: str, drives: Mapping[str, str]) -> Nowhere | None:
    """Refuse a name that leads out of the place that was said: "../x.txt" in a folder."""
    name = goal.params.get(first)
    if not isinstance(name, str) or first in drives or states_no_place(goal):
        return None
    plain = posixpath.normpath(name)
    if posixpath.isabs(plain) or plain.split("/")[0] == "..":
        return Nowhere(f"{first}={name}", f"{name} leads out of the place that was said")
    return None


def no_path(goal: Goal, rule: Rule) -> Nowhere | None:
    """Refuse a new name that is a path: who renames a thing does not move it."""
    created = rule.creates
    if created is None or rule.params[created].place:
        return None
    name = goal.params.get(created)
    if not isinstance(name, str) or not ("/" in name or "\\" in name or name in {".", ".."}):
        found = isinstance(name, str) and ON_DRIVE.fullmatch(name) is not None
        if not found:
            return None
    return Nowhere(f"{created}={name}", f"{name} is a path, not a name; move it there instead")


def no_drive(drive: str) -> Nowhere:
    reason = f"drive {drive} is mapped to no folder; settings can do it"
    return Nowhere(f"drive:{drive}", reason)


def kind_made(goal: Goal, rule: Rule) -> str | None:
    """Say whether a goal makes a folder or a file, by its own words or those of its verb."""
    implied = rule.aliases.get(goal.verb, {})
    kind = goal.params.get("object_type", implied.get("object_type"))
    return kind if isinstance(kind, str) else None


def path_of(goal: Goal, rule: Rule, wanted: str, means: Means) -> str | None:
    """Find the path of what a goal is about, where the words determine it.

    An anchor is meant by its bare name only where that is looked at, never where it is changed.
    """
    first = next(name for name, parameter in rule.params.items() if parameter.place)
    if rule.creates != first and states_no_place(goal):
        made = means.made(wanted)
        if made is not None:
            return made.folder if isinstance(made, Known) else None
        if rule.action_class == "observe":
            anchor = means.anchors.find(wanted) or from_anchor(wanted, means.anchors)
            if anchor is not None:
                return anchor
    return joined(means.base.folder, wanted) if isinstance(means.base, Known) else None


def states_no_place(goal: Goal) -> bool:
    """Tell whether a goal says when, but not where."""
    return all(scope == "root" or scope.startswith("after:") for scope in scopes(goal.scope))


def made_path(goal: Goal, rule: Rule | None) -> str | None:
    """Give the path of what a goal makes, where the words tell it: not for a copy, or a move."""
    if rule is None or rule.creates is None or goal.resolved_path is None:
        return None
    if rule.params[rule.creates].place:
        return goal.resolved_path
    beside = posixpath.dirname(goal.resolved_path)  # a renaming
    return joined(beside, str(goal.params.get(rule.creates)))


def base_of(goal: Goal, tables: Tables, placed: list[Goal]) -> Base:
    """Work out the folder that a goal's names are relative to; two places at once are none."""
    anchors = tables.anchors
    folder, base = anchors.default, None
    stated = [scope for scope in scopes(goal.scope) if PLACE.match(scope)]
    for scope in scopes(goal.scope):
        if scope.partition(":")[0].strip().casefold() in PLACE_WORDS and scope not in stated:
            return Nowhere(scope, f"{scope!r} is no place; write inside:NAME or drive:LETTER")
    for scope in stated:
        kind, _, target = scope.partition(":")
        if kind == "drive":
            drive = anchors.find(f"drive:{target}")
            if drive is None:
                return no_drive(target)
            folder = drive
        else:
            base = inside(target, goal, tables, placed)
    # A drive and a folder to be looked for on it are one place; everything else is two.
    insides = sum(scope.startswith("inside:") for scope in stated)
    if len(stated) > 1 and (insides != 1 or not isinstance(base, Named)):
        return Nowhere(" ".join(stated), f"it cannot be in two places: {', '.join(stated)}")
    if not isinstance(base, Named):
        return base or Known(folder)
    # Where a path leads, its names tell; a single name is looked for.
    names = base.phrase.text.strip("/").split("/")
    is_path = len(names) > 1 and ".." not in names
    return Known(joined(folder, base.phrase.text)) if is_path else Named(base.phrase, folder)


def inside(target: str, goal: Goal, tables: Tables, placed: list[Goal]) -> Base:
    """Find a base: what another goal makes, an anchor, or a folder to be looked for."""
    if goal.inside_of is not None:
        parent = placed[int(goal.inside_of[1:])]
        path = made_path(parent, tables.rules.get((parent.domain, parent.verb)))
        return Known(path) if path is not None else WithinGoal(parent.goal_id)
    drive, path = split_drive(target)
    if drive is not None:
        mapped = tables.anchors.find(f"drive:{drive}")
        return no_drive(drive) if mapped is None else Known(joined(mapped, path))
    anchor = tables.anchors.find(target)
    # A folder in the default one may have its name, and goes first then: the disk tells.
    if anchor is not None and anchor != tables.anchors.default:
        return Known(anchor)
    if (folder := from_anchor(path, tables.anchors)) is not None:
        return Known(folder)
    return Named(Phrase(path), tables.anchors.default)


def from_anchor(path: str, anchors: Anchors) -> str | None:
    """Find what a path leads to whose first name is that of a folder beside the default one.

    >>> anchors = Anchors({"work": "/w", "notes": "/n"}, "/w")
    >>> [from_anchor(path, anchors) for path in ("notes/b", "work/b", "a/b", "notes")]
    ['/n/b', None, None, None]
    """
    first, _, rest = path.partition("/")
    anchor = anchors.find(first) if rest else None
    return None if anchor in {None, anchors.default} else joined(str(anchor), rest)


def joined(folder: str, name: str) -> str:
    """Put a name under a folder; an absolute path stays itself.

    >>> joined("/work", "a/../b.txt"), joined("/work", "/etc/passwd"), joined("/work", ".")
    ('/work/b.txt', '/etc/passwd', '/work')
    """
    return posixpath.normpath(posixpath.join(folder, name))
