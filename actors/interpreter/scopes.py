"""Scope resolution: from what goals say about each other to an acyclic order.

The one authority for dependencies. A goal can only wait for an earlier goal, so whatever the
scopes say the result has no cycle. What cannot be honoured is dropped and said.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from actors.interpreter.words.lexicon import lexicon
from actors.interpreter.words.phrases import read_phrase
from messages.goals import (
    PLACE_WORDS,
    Goal,
    GoalDraft,
    MetaGoal,
    ScopeWarning,
    Severity,
    meta_type_of,
    scopes,
)
from messages.phrases import Phrase
from messages.rules import Rule

Lookup: TypeAlias = Mapping[tuple[str, str], tuple[str, Rule]]


@dataclass(frozen=True, slots=True)
class Maps:
    """What a scope may refer to. The first goal of a name wins it."""

    ids: Mapping[str, int]
    verbs: Mapping[str, int]
    targets: Sequence[Mapping[str, int]]
    drafts: Sequence[GoalDraft]
    lookup: Lookup

    def goal(self, name: str) -> int | None:
        """Find the goal of an id or a verb, in any case of letters; an alias means its verb."""
        for spelled in (name, name.casefold()):
            for names in (self.ids, self.verbs):
                if (index := names.get(spelled)) is not None:
                    return index
        return self.by_alias(name.casefold())

    def by_alias(self, name: str) -> int | None:
        """Find the first goal whose verb goes by this name as well: "mkdir" for a new folder."""
        for index, draft in enumerate(self.drafts):
            verb, _ = self.lookup.get((draft.domain, draft.verb), (draft.verb, None))
            alias, rule = self.lookup.get((draft.domain, name), ("", None))
            implied = {} if rule is None else rule.aliases.get(name, {})
            if alias == verb and all(
                draft.params.get(each, value) == value for each, value in implied.items()
            ):
                return index
        return None

    def creator(self, target: str) -> int | None:
        """Find the goal that creates a target: of this very name first, then of one like it."""
        for names in self.targets:
            for name in (target, target.casefold()):
                if (index := names.get(name)) is not None:
                    return index
        return None


@dataclass(slots=True)
class Findings:
    """What resolving one goal's scopes gave."""

    kept: list[str] = field(default_factory=list)
    parents: set[int] = field(default_factory=set)
    warnings: list[ScopeWarning] = field(default_factory=list)
    inside_of: int | None = None
    takes: dict[str, str] = field(default_factory=dict)


ROOTED = Findings(kept=["root"])


def resolve_scopes(
    drafts: Sequence[GoalDraft], lookup: Lookup
) -> tuple[MetaGoal, tuple[ScopeWarning, ...]]:
    """Assign ids and turn every goal's scopes into dependencies on earlier goals."""
    if all(draft.scope == "root" and not draft.takes for draft in drafts):
        goals = tuple([as_goal(index, draft, ROOTED) for index, draft in enumerate(drafts)])
        return MetaGoal(meta_type_of(len(goals), {}), goals), ()
    return ordered(drafts, build_maps(drafts, lookup))


def ordered(drafts: Sequence[GoalDraft], maps: Maps) -> tuple[MetaGoal, tuple[ScopeWarning, ...]]:
    """Resolve scopes, goal by goal."""
    goals: list[Goal] = []
    dependencies: dict[int, tuple[int, ...]] = {}
    warnings: list[ScopeWarning] = []
    for index, draft in enumerate(drafts):
        findings = Findings()
        for scope in scopes(draft.scope):
            resolve_scope(index, scope, maps, findings)
        for name, goal in draft.takes.items():
            # One that cannot be had is kept: the Planner refuses the goal, nothing is made up.
            depend(index, f"after:{goal}", maps.ids.get(goal), findings)
            findings.takes[name] = goal
        if findings.parents:
            dependencies[index] = tuple(sorted(findings.parents))
        warnings.extend(findings.warnings)
        goals.append(as_goal(index, draft, findings))
    meta_type = meta_type_of(len(goals), dependencies)
    return MetaGoal(meta_type, tuple(goals), dependencies), tuple(warnings)


def as_goal(index: int, draft: GoalDraft, findings: Findings) -> Goal:
    """Give a draft its id, its phrases and the scopes that held."""
    kept = findings.kept
    return Goal(
        goal_id=f"g{index}",
        domain=draft.domain,
        verb=draft.verb,
        params=draft.params,
        roles=phrases_of(draft.roles) if draft.roles else {},
        object=draft.object,
        scope=tuple(kept) if len(kept) > 1 else (kept[0] if kept else "root"),
        inside_of=None if findings.inside_of is None else f"g{findings.inside_of}",
        takes=findings.takes,
    )


def phrases_of(roles: Mapping[str, str]) -> dict[str, Phrase]:
    """Read the words of every role."""
    return {role: read_phrase(text, lexicon()) for role, text in roles.items()}


def build_maps(drafts: Sequence[GoalDraft], lookup: Lookup) -> Maps:
    """Index the goals by id, by verb (as said and as the rules call it) and by what they create."""
    ids: dict[str, int] = {}
    verbs: dict[str, int] = {}
    exact: dict[str, int] = {}
    folded: dict[str, int] = {}
    last: dict[str, int] = {}
    for index, draft in enumerate(drafts):
        ids[f"g{index}"] = index
        verbs.setdefault(draft.verb, index)
        found = lookup.get((draft.domain, draft.verb))
        if found is None:
            continue
        verb, rule = found
        verbs.setdefault(verb, index)
        created = draft.params.get(rule.creates) if rule.creates else None
        if isinstance(created, str):
            for path in paths_of(draft, created):
                exact.setdefault(path, index)
                folded.setdefault(path.casefold(), index)
            last.setdefault(created.rstrip("/").rpartition("/")[2].casefold(), index)
    return Maps(ids, verbs, (exact, folded, last), drafts, lookup)


def paths_of(draft: GoalDraft, created: str) -> list[str]:
    """Give the names by which what a goal creates may be called: by itself, and with its place."""
    plain = created.replace("\\", "/")
    places = [plain_scope(scope) for scope in scopes(draft.scope)]
    within = [place.removeprefix("inside:") for place in places if place.startswith("inside:")]
    return [created, *(f"{folder.replace(chr(92), '/').rstrip('/')}/{plain}" for folder in within)]


def resolve_scope(index: int, scope: str, maps: Maps, findings: Findings) -> None:
    """Resolve one scope of goal ``index`` into ``findings``; letters may be of either case."""
    plain = plain_scope(scope)
    kind, colon, target = plain.partition(":")
    match kind:
        case "root" if not colon:
            findings.kept.append(plain)
        case "after" if target:
            depend(index, scope, maps.goal(target), findings)
        case "inside" if target:
            parent = maps.creator(target)
            if parent is None:
                parent = maps.creator(target.replace("\\", "/"))
            if parent is None:
                parent = maps.ids.get(target)
            if parent is None or parent == index:
                findings.kept.append(plain)  # a base anchor, bound when the goal runs
            elif depend(index, scope, parent, findings):
                findings.inside_of = parent
            else:
                findings.kept.append(plain)
        case "drive" if target:
            findings.kept.append(plain)
        case _:
            drop(index, scope, "warning", "is not a scope", findings)
            if kind in PLACE_WORDS:
                findings.kept.append(scope)  # a place that is none: nothing may happen elsewhere


def plain_scope(scope: str) -> str:
    """Write a scope as the rest of the system knows it.

    >>> [plain_scope(scope) for scope in ("AFTER: g0", "Drive:D:", "ROOT", "inside:My Docs")]
    ['after:g0', 'drive:D', 'root', 'inside:My Docs']
    """
    kind, colon, target = scope.partition(":")
    kind, target = kind.strip().casefold(), target.strip()
    if kind == "drive":
        target = target.rstrip(":").rstrip()
    return f"{kind}:{target}" if colon else kind


def depend(index: int, scope: str, parent: int | None, findings: Findings) -> bool:
    """Make goal ``index`` wait for ``parent``, if that is an earlier goal; say so if it is not."""
    if parent is None:
        drop(index, scope, "warning", "names no goal of this command", findings)
    elif parent == index:
        drop(index, scope, "error", "refers to the goal itself", findings)
    elif parent > index:
        drop(index, scope, "error", f"refers forward to g{parent}", findings)
    else:
        findings.parents.add(parent)
        if (plain := plain_scope(scope)) not in findings.kept:
            findings.kept.append(plain)
        return True
    return False


def drop(index: int, scope: str, severity: Severity, reason: str, findings: Findings) -> None:
    """Note that a scope was dropped."""
    findings.warnings.append(ScopeWarning(f"g{index}", scope, severity, f"{scope!r} {reason}"))
