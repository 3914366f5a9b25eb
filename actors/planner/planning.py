"""Planning, pure: (MetaGoal, WorldState, capabilities) to one PlanResult per goal.

The order of checks is the contract's: rule, required, allowed values, defaults, capability in
the projected world, description. Nothing is looked up, asked or guessed; the same inputs give
the same bytes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from actors.planner.addresses import BadAddress, complete, search_address
from actors.planner.merging import Merged, merge
from actors.planner.tables import RuleTable
from messages.effects import fill, holds, project
from messages.goals import Goal, MetaGoal
from messages.message import Value
from messages.plans import (
    Plan,
    PlannedAction,
    PlanResult,
    PlanStatus,
    ToolCapability,
    WorldState,
)
from messages.rules import Parameter, Rule, SearchEngine

Args = dict[str, Value]


class Unplannable(Exception):
    """Why a goal has no plan. Raised and caught within this module only."""

    def __init__(self, status: PlanStatus, reason: str, blocker: str | None = None) -> None:
        super().__init__(reason)
        self.status: PlanStatus = status
        self.reason = reason
        self.blocker = blocker


@dataclass(frozen=True, slots=True)
class Means:
    """The tables and capabilities that planning draws on."""

    table: RuleTable
    engines: Mapping[str, SearchEngine]
    by_token: Mapping[str, tuple[ToolCapability, ...]]

    @classmethod
    def of(
        cls,
        table: RuleTable,
        engines: Mapping[str, SearchEngine],
        capabilities: Iterable[ToolCapability],
    ) -> "Means":
        """Index the capabilities by what they achieve, in declared order."""
        by_token: dict[str, tuple[ToolCapability, ...]] = {}
        for capability in capabilities:
            for token in sorted(capability.can_achieve):
                by_token[token] = (*by_token.get(token, ()), capability)
        return cls(table, engines, by_token)


@dataclass(slots=True)
class Projection:
    """Worlds as goals will find them: the snapshot plus what their ancestors bring about."""

    snapshot: WorldState
    parents: Mapping[int, tuple[int, ...]]
    effects: dict[int, list[tuple[PlannedAction, tuple[str, ...]]]] = field(default_factory=dict)

    def before(self, index: int) -> WorldState:
        """Project the world that goal ``index`` will find."""
        world = self.snapshot
        for ancestor in sorted(self.ancestors(index)):
            for action, effects in self.effects.get(ancestor, ()):
                world = project(world, action, effects)
        return world

    def ancestors(self, index: int) -> set[int]:
        """Collect all goals that goal ``index`` waits for, directly or not."""
        found: set[int] = set()
        waiting = list(self.parents.get(index, ()))
        while waiting:
            ancestor = waiting.pop()
            if ancestor not in found:
                found.add(ancestor)
                waiting.extend(self.parents.get(ancestor, ()))
        return found


def plan_all(meta: MetaGoal, world: WorldState, means: Means) -> tuple[PlanResult, ...]:
    """Plan every goal; goals merged into one action share its plan."""
    merged = merge(meta, means.table, means.engines)
    projection = Projection(world, merged.parents)
    results: dict[int, PlanResult] = {}
    for index, goal in enumerate(merged.goals):
        if index not in merged.absorbed:
            depends_on = last_actions(merged, index, results)
            results[index] = plan_goal(goal, index, projection, means, depends_on)
    for index, by in merged.absorbed.items():
        results[index] = share(merged.goals[index], results[by])
    return tuple(results[index] for index in range(len(merged.goals)))


def share(goal: Goal, result: PlanResult) -> PlanResult:
    """Give an absorbed goal the result of the goal that took it in."""
    return PlanResult(
        goal.goal_id, result.status, result.plan, result.reason, result.blocker, result.unmet
    )


def last_actions(merged: Merged, index: int, results: Mapping[int, PlanResult]) -> tuple[str, ...]:
    """Name the actions that must be done before goal ``index`` may start."""
    names: list[str] = []
    for parent in merged.parents.get(index, ()):
        result = results.get(merged.absorbed.get(parent, parent))
        if result is not None and result.plan is not None:
            names.append(result.plan.goal_achieved_by)
    return tuple(dict.fromkeys(names))


def plan_goal(
    goal: Goal, index: int, projection: Projection, means: Means, depends_on: tuple[str, ...] = ()
) -> PlanResult:
    """Plan one goal in the world as it will find it."""
    try:
        key, rule, args = validated(goal, means.table)
        variants = [completed(rule, goal, variant, means) for variant in expanded(rule, args)]
        return fitted(goal, key[1], rule, variants, Setting(index, projection, means, depends_on))
    except Unplannable as problem:
        return PlanResult(
            goal.goal_id, problem.status, reason=problem.reason, blocker=problem.blocker
        )


def validated(goal: Goal, table: RuleTable) -> tuple[tuple[str, str], Rule, Args]:
    """Look up the rule and check the goal's parameters against it, in the contract's order."""
    found = table.find(goal.domain, goal.verb)
    if found is None:
        raise Unplannable("rule_not_found", unknown_verb(goal, table))
    key, rule, implied = found
    name = ".".join(key)
    params: Args = {**implied, **goal.params}
    if unknown := params.keys() - rule.params.keys():
        raise Unplannable("validation_failed", f"{name} takes no {', '.join(sorted(unknown))}")
    if unknown := goal.roles.keys() - set(rule.roles):
        raise Unplannable("validation_failed", f"{name} has no role {', '.join(sorted(unknown))}")
    for parameter in rule.required():
        if parameter not in params and rule.params[parameter].role not in goal.roles:
            raise Unplannable("validation_failed", f"{name} needs {parameter}")
    check_values(name, rule, params)
    return key, rule, {**rule.defaults(), **params}


def check_values(name: str, rule: Rule, params: Args) -> None:
    """Check types first (``validation_failed``), then allowed values (``blocked``)."""
    values = [
        (key, value) for key in sorted(params) for value in each(rule.params[key], params[key])
    ]
    for key, value in values:
        if not rule.params[key].accepts_type(value):
            raise Unplannable(
                "validation_failed", f"{name}: {key} {rule.params[key].problem(value)}"
            )
    for key, value in values:
        if refusal := rule.params[key].refusal(value):
            raise Unplannable("blocked", f"{name}: {key} {refusal}", blocker=f"{key}={value}")


def each(parameter: Parameter, value: Value) -> Sequence[object]:
    """Give the single values of a parameter: a list's members where a list is allowed."""
    if parameter.each and isinstance(value, Sequence) and not isinstance(value, str) and value:
        return value
    return (value,)


def expanded(rule: Rule, args: Args) -> list[Args]:
    """Give one set of arguments per action: a list where one is allowed means several."""
    variants = [args]
    for name in sorted(args):
        members = each(rule.params[name], args[name])
        variants = [{**variant, name: member} for variant in variants for member in members]  # type: ignore[dict-item]  # checked against the rule
    return variants


def completed(rule: Rule, goal: Goal, args: Args, means: Means) -> Args:
    """Add what follows from the arguments: the resolved path, the derived address."""
    if goal.resolved_path is not None:
        args = {**args, "path": goal.resolved_path}
    return DERIVATIONS[rule.derive](args, goal, means) if rule.derive else args


def with_address(args: Args, goal: Goal, means: Means) -> Args:  # noqa: ARG001 - a derivation
    try:
        return {**args, "url": complete(str(args["url"]))}
    except BadAddress as error:
        raise Unplannable("blocked", str(error), blocker=f"url={args['url']}") from None


def with_search_address(args: Args, goal: Goal, means: Means) -> Args:
    platform = str(args["platform"]).casefold()
    engine = means.engines.get(platform)
    if engine is None:
        known = ", ".join(means.engines)
        reason = f"no search address is known for {platform!r}; known: {known}"
        raise Unplannable("blocked", reason, blocker=f"platform={platform}")
    return {**args, "platform": platform, "url": search_address(engine, str(args["query"]))}


DERIVATIONS: Mapping[str, Callable[[Args, Goal, Means], Args]] = {
    "address": with_address,
    "search_address": with_search_address,
}


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a goal stands: its index, the worlds before it, the means, and what it waits for."""

    index: int
    projection: Projection
    means: Means
    depends_on: tuple[str, ...]


def fitted(goal: Goal, verb: str, rule: Rule, variants: list[Args], setting: Setting) -> PlanResult:
    """Keep the actions that some capability achieves here; say what is left unmet."""
    actions: list[PlannedAction] = []
    problems: list[Unplannable] = []
    for args in variants:
        action = as_action(goal, verb, rule, args, len(actions) + 1, setting.depends_on)
        try:
            capability = capable(action, setting)
        except Unplannable as problem:
            problems.append(problem)
            continue
        actions.append(action)
        effects = tuple(sorted(fill(effect, args) for effect in capability.effects))
        setting.projection.effects.setdefault(setting.index, []).append((action, effects))
    if not actions:
        raise problems[0]
    plan = Plan(tuple(actions), actions[-1].action_id, len(actions))
    if problems:
        unmet = tuple(problem.reason for problem in problems)
        return PlanResult(goal.goal_id, "partial", plan, "; ".join(unmet), unmet=unmet)
    return PlanResult(goal.goal_id, "success", plan)


def as_action(
    goal: Goal, verb: str, rule: Rule, args: Args, number: int, depends_on: tuple[str, ...]
) -> PlannedAction:
    """Write down one action: its arguments are the only ones its tool will ever see."""
    spoken = {role: phrase.text for role, phrase in goal.roles.items()}
    words = {**args, **spoken}
    for name, parameter in rule.params.items():
        if parameter.role is not None and parameter.role in spoken:
            words.setdefault(name, spoken[parameter.role])
    return PlannedAction(
        action_id=f"{goal.goal_id}_{verb}_{number}",
        goal_id=goal.goal_id,
        intent=rule.intent,
        description=fill(rule.description, {**words, **shown(goal)}),
        args=args,
        action_class=rule.action_class,
        achieves=fill(rule.achieves, args),
        expected_effect=fill(rule.effect, args),
        depends_on=depends_on,
        roles=goal.roles,
        repeatable=rule.repeatable,
    )


def shown(goal: Goal) -> dict[str, Value]:
    """Give what a description shows as the person said it: the address without its scheme."""
    return {"url": goal.params["url"]} if "url" in goal.params else {}


def capable(action: PlannedAction, setting: Setting) -> ToolCapability:
    """Find the first capability that achieves the action in the world it will find."""
    capabilities = setting.means.by_token.get(action.achieves, ())
    if not capabilities:
        raise Unplannable("no_capability", f"nothing here can do {action.achieves}")
    missing: list[str] = []
    for capability in capabilities:
        needs = sorted(fill(need, action.args) for need in capability.requires)
        world = setting.projection.before(setting.index) if needs else setting.projection.snapshot
        unmet = [need for need in needs if not holds(need, world)]
        if not unmet:
            return capability
        missing.extend(unmet)
    blocker = missing[0]
    raise Unplannable("blocked", f"{action.achieves} needs {blocker}", blocker=blocker)


def unknown_verb(goal: Goal, table: RuleTable) -> str:
    """Say that there is no such verb, and which ones are near."""
    name = f"{goal.domain}.{goal.verb}"
    known = [".".join(key) for key in (*table.rules, *table.aliases)]
    near = get_close_matches(name, known, n=3)
    return f"there is no rule for {name}" + (f"; did you mean {' or '.join(near)}?" if near else "")
