"""Planning, pure: (MetaGoal, WorldState, capabilities) to one PlanResult per goal.

The order of checks is the contract's: rule, required, allowed values, defaults, capability in
the projected world, description. Nothing is looked up, asked or guessed; the same inputs give
the same bytes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from actors.forms import formless
from actors.planner.addresses import BadAddress, complete, search_address
from actors.planner.merging import Merged, merge
from actors.planner.projecting import in_words, project
from actors.planner.tables import Row, RuleTable
from messages.effects import fill, holds
from messages.failures import Details
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
from messages.results import Code
from messages.rules import Parameter, Rule, SearchEngine

Args = dict[str, Value]
MAX_LIST = 1_000
MAX_ACTIONS = 10_000
MANY_GOALS = 50
HELP = "`behest doctor` says what works here"


class Unplannable(Exception):
    """Why a goal has no plan. Raised and caught within this module only."""

    def __init__(
        self,
        status: PlanStatus,
        reason: str,
        blocker: str | None = None,
        code: Code | None = None,
        details: Details | None = None,
    ) -> None:
        super().__init__(reason)
        self.status: PlanStatus = status
        self.reason = reason
        self.blocker = blocker
        self.code = code
        self.details = details


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
    """Worlds as goals will find them: the snapshot plus what their ancestors bring about.

    ``room`` is how many actions the command may still have; ``suggests`` is off where there are so
    many goals that naming near verbs for each would hold everybody up. It ``undoes`` if the goals
    are those of an undo.
    """

    snapshot: WorldState
    parents: Mapping[int, tuple[int, ...]]
    suggests: bool = True
    undoes: bool = False
    room: int = MAX_ACTIONS
    effects: dict[int, list[tuple[PlannedAction, tuple[str, ...]]]] = field(default_factory=dict)
    _after: dict[int, WorldState] = field(default_factory=dict)

    def take(self, actions: int) -> None:
        """Take room for actions, if there is some."""
        self.room -= actions
        if self.room < 0:
            reason = f"a command may have {MAX_ACTIONS} actions at most"
            raise Unplannable("validation_failed", reason)

    def before(self, index: int) -> WorldState:
        """Project the world that goal ``index`` will find."""
        parents = self.parents.get(index, ())
        if len(parents) == 1:
            return self.after(parents[0])
        world = self.snapshot
        for ancestor in sorted(self.ancestors(index)):
            world = self.changed(world, ancestor)
        return world

    def after(self, index: int) -> WorldState:
        """Project the world after goal ``index``; along a chain each step is made once."""
        chain = [index]
        while chain[-1] not in self._after and len(self.parents.get(chain[-1], ())) == 1:
            chain.append(self.parents[chain[-1]][0])
        first = chain.pop()
        world = self._after.get(first) or self.changed(self.before(first), first)
        self._after[first] = world
        for goal in reversed(chain):
            world = self._after[goal] = self.changed(world, goal)
        return world

    def changed(self, world: WorldState, index: int) -> WorldState:
        """Give a world after the actions of one goal."""
        for action, effects in self.effects.get(index, ()):
            world = project(world, action, effects)
        return world

    def note(self, index: int, action: PlannedAction, capability: ToolCapability) -> None:
        """Remember what an action of goal ``index`` will bring about."""
        effects = tuple(sorted(fill(effect, action.args) for effect in capability.effects))
        self.effects.setdefault(index, []).append((action, effects))

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


def plan_all(
    meta: MetaGoal, world: WorldState, means: Means, *, undoes: bool = False
) -> tuple[PlanResult, ...]:
    """Plan every goal; goals merged into one action share its plan."""
    merged = merge(meta, means.table, means.engines, lambda goal: is_sound(goal, means))
    suggests = len(meta.goals) <= MANY_GOALS
    projection = Projection(world, merged.parents, suggests=suggests, undoes=undoes)
    results: dict[int, PlanResult] = {}
    for index, goal in enumerate(merged.goals):
        if index not in merged.absorbed:
            depends_on = actions_before(merged, index, results)
            results[index] = plan_goal(goal, index, projection, means, depends_on)
    for index in merged.absorbed:
        results[index] = share(merged.goals[index], results[taken_in_by(merged, index)])
    return tuple(results[index] for index in range(len(merged.goals)))


def is_sound(goal: Goal, means: Means) -> bool:
    """Tell whether a goal could be planned for itself, as far as its own words go."""
    try:
        row = found(goal, means.table)
        completed(row.rule, goal, validated(goal, row), means)
    except Unplannable:
        return False
    return True


def share(goal: Goal, result: PlanResult) -> PlanResult:
    """Give an absorbed goal the result of the goal that took it in."""
    return PlanResult(
        goal.goal_id,
        result.status,
        result.plan,
        result.reason,
        result.blocker,
        result.unmet,
        result.code,
        result.details,
    )


def taken_in_by(merged: Merged, index: int) -> int:
    """Give the goal that acts for a goal: itself, or what has absorbed it."""
    while index in merged.absorbed:
        index = merged.absorbed[index]
    return index


def actions_before(
    merged: Merged, index: int, results: Mapping[int, PlanResult]
) -> tuple[str, ...]:
    """Name the actions that must be done before goal ``index`` may start: all of its parents'."""
    names: dict[str, None] = {}
    for parent in merged.parents.get(index, ()):
        result = results.get(taken_in_by(merged, parent))
        if result is not None and result.plan is not None:
            names.update(dict.fromkeys(action.action_id for action in result.plan.actions))
    return tuple(names)


def plan_goal(
    goal: Goal, index: int, projection: Projection, means: Means, depends_on: tuple[str, ...] = ()
) -> PlanResult:
    """Plan one goal in the world as it will find it."""
    try:
        row = found(goal, means.table, suggests=projection.suggests)
        if row.rule.unspoken and not projection.undoes:
            raise for_undo_alone(row)
        check_form(goal, row)
        args = validated(goal, row)
        variants = [completed(row.rule, goal, variant, means) for variant in expanded(row, args)]
        projection.take(len(variants))
        return fitted(goal, row, variants, Setting(index, projection, means, depends_on))
    except Unplannable as problem:
        return PlanResult(
            goal.goal_id,
            problem.status,
            reason=problem.reason,
            blocker=problem.blocker,
            code=problem.code,
            details=problem.details,
        )


def found(goal: Goal, table: RuleTable, *, suggests: bool = False) -> Row:
    """Look up the rule."""
    row = table.find(goal.domain, goal.verb)
    if row is None:
        raise Unplannable("rule_not_found", unknown_verb(goal, table, suggests=suggests))
    return row


def for_undo_alone(row: Row) -> Unplannable:
    """Word that a rule puts back what a command did: whoever states it himself has no approval."""
    reason = f"{name_of(row)} cannot be asked for: only undo does this"
    return Unplannable("blocked", reason, blocker=f"verb={row.key[1]}", code=Code.NOT_ALLOWED)


def validated(goal: Goal, row: Row) -> Args:
    """Check a goal's parameters against its rule, in the contract's order."""
    parameters = row.rule.params
    if goal.roles or goal.takes:
        refuse_two_answers(goal, row)
    defaults = {name: value for name, value in row.defaults.items() if name not in goal.takes}
    params: Args = {**defaults, **row.implied, **goal.params}
    if not params.keys() <= parameters.keys():
        unknown = ", ".join(sorted(params.keys() - parameters.keys()))
        raise Unplannable("validation_failed", f"{name_of(row)} takes no {unknown}")
    if goal.takes:
        check_taken(goal, row)
    if goal.roles and not goal.roles.keys() <= row.roles:
        unknown = ", ".join(sorted(goal.roles.keys() - row.roles))
        raise Unplannable("validation_failed", f"{name_of(row)} has no role {unknown}")
    for name in row.required:
        if name in goal.takes and row.rule.derive:
            problem = f"{name_of(row)} needs its {name} before anything runs, not from another goal"
            raise Unplannable("validation_failed", problem)
        if not is_met(name, goal, row, params):
            raise Unplannable("validation_failed", f"{name_of(row)} needs {name}")
    alternatives = row.rule.needs_one
    if alternatives and not any(is_met(name, goal, row, params) for name in alternatives):
        problem = f"{name_of(row)} needs {' or '.join(alternatives)}"
        raise Unplannable("validation_failed", problem)
    for name, value in row.implied.items():
        if params[name] != value:
            problem = f"{goal.domain}.{goal.verb} means {name} {value}, not {params[name]}"
            raise Unplannable("validation_failed", problem)
    check_values(row, params)
    return params


def is_met(name: str, goal: Goal, row: Row, params: Args) -> bool:
    """Tell whether a parameter has a value, takes one, or has words that bind one."""
    if name in params or name in goal.takes:
        return True
    role = row.rule.params[name].role
    return role is not None and role in (goal.roles or roles_said(goal, row))


def check_taken(goal: Goal, row: Row) -> None:
    """Refuse values that are to come from no earlier goal, or go to no parameter of the rule."""
    if not goal.takes.keys() <= row.rule.params.keys():
        unknown = ", ".join(sorted(goal.takes.keys() - row.rule.params.keys()))
        raise Unplannable("validation_failed", f"{name_of(row)} takes no {unknown}")
    for name, source in goal.takes.items():
        if row.rule.params[name].place:
            problem = f"{name_of(row)} needs its {name} before anything runs, not from another goal"
            raise Unplannable("validation_failed", problem)
        if not is_before(source, goal):
            problem = f"{name_of(row)}: {name} is to come from {source}, which is no earlier goal"
            raise Unplannable("validation_failed", problem)


def is_before(source: str, goal: Goal) -> bool:
    """Tell whether a goal named by its id comes before another."""
    number = source.removeprefix("g")
    return source != number and number.isdecimal() and int(number) < int(goal.goal_id[1:] or 0)


def refuse_two_answers(goal: Goal, row: Row) -> None:
    """Refuse a parameter that is stated in more than one way: which of them is meant?"""
    for name, parameter in row.rule.params.items():
        stated = {
            "a value": name in goal.params,
            f"words ({parameter.role})": parameter.role in goal.roles,
            f"the output of {goal.takes.get(name)}": name in goal.takes,
        }
        ways = [way for way, is_stated in stated.items() if is_stated]
        if len(ways) > 1:
            problem = f"{name_of(row)}: {name} is stated as {' and as '.join(ways)}; give one"
            raise Unplannable("validation_failed", problem)


def check_form(goal: Goal, row: Row) -> None:
    """Refuse words that no form of the verb fits, before anything of the command has happened."""
    declared = row.rule.targets
    failure = formless(goal.readings, declared, {}) if declared and goal.readings else None
    if failure is not None:
        raise Unplannable(
            "validation_failed", failure.message, code=failure.code, details=failure.details
        )


def roles_said(goal: Goal, row: Row) -> tuple[str, ...]:
    """Give the roles that a goal's words have something for, in one reading or another."""
    spans = [(reading.direct_span, reading.indirect_span) for reading in goal.readings]
    said = [any(pair[at] for pair in spans) for at in (0, 1)]
    return tuple(role for role, spoken in zip(row.rule.roles, said, strict=False) if spoken)


def check_values(row: Row, params: Args) -> None:
    """Check types first (``validation_failed``), then allowed values (``blocked``)."""
    refused: Unplannable | None = None
    for name, value in params.items():
        parameter = row.rule.params[name]
        if parameter.each and isinstance(value, list | tuple) and len(value) > MAX_LIST:
            problem = f"{name_of(row)}: {name} is a list of more than {MAX_LIST}"
            raise Unplannable("validation_failed", problem)
        for member in each(parameter, value):
            if not parameter.accepts_type(member):
                problem = f"{name_of(row)}: {name} {parameter.problem(member)}"
                raise Unplannable("validation_failed", problem)
            if refused is None and (refusal := parameter.refusal(member)) is not None:
                problem = f"{name_of(row)}: {name} {refusal}"
                refused = Unplannable("blocked", problem, blocker=f"{name}={member}")
    if refused is not None:
        raise refused


def name_of(row: Row) -> str:
    return ".".join(row.key)


def each(parameter: Parameter, value: Value) -> Sequence[object]:
    """Give the single values of a parameter: a list's members where a list is allowed."""
    if parameter.each and isinstance(value, list | tuple) and value:
        return value
    return (value,)


def expanded(row: Row, args: Args) -> list[Args]:
    """Give one set of arguments per action: a list where one is allowed means several."""
    variants = [args]
    for name in row.lists:
        if isinstance(members := args.get(name), list | tuple):
            wanted = dict.fromkeys(members)
            variants = [{**variant, name: member} for variant in variants for member in wanted]
    return variants


def completed(rule: Rule, goal: Goal, args: Args, means: Means) -> Args:
    """Add what follows from the arguments: the resolved path, the derived address."""
    if goal.resolved_path is not None:
        args = {**args, "path": goal.resolved_path}
    return DERIVATIONS[rule.derive](args, means) if rule.derive else args


def with_address(args: Args, _means: Means) -> Args:
    try:
        return {**args, "url": complete(str(args["url"]))}
    except BadAddress as error:
        secretive = "@" in str(args["url"]).partition("://")[2]
        shown = "url" if secretive else f"url={args['url']}"
        raise Unplannable("blocked", str(error), blocker=shown) from None


def with_search_address(args: Args, means: Means) -> Args:
    platform = str(args["platform"]).casefold()
    engine = means.engines.get(platform)
    if engine is None:
        known = ", ".join(means.engines)
        reason = f"no search address is known for {platform!r}; known: {known}"
        raise Unplannable("blocked", reason, blocker=f"platform={platform}")
    return {**args, "platform": platform, "url": search_address(engine, str(args["query"]))}


DERIVATIONS: Mapping[str, Callable[[Args, Means], Args]] = {
    "address": with_address,
    "search_address": with_search_address,
}


@dataclass(slots=True)
class Setting:
    """Where a goal stands: its index, the worlds before it, the means, and what it waits for."""

    index: int
    projection: Projection
    means: Means
    depends_on: tuple[str, ...]


def fitted(goal: Goal, row: Row, variants: list[Args], setting: Setting) -> PlanResult:
    """Keep the actions that some capability achieves here; say what is left unmet."""
    actions: list[PlannedAction] = []
    problems: list[Unplannable] = []
    for args in variants:
        action = as_action(goal, row, args, len(actions) + 1, setting.depends_on)
        try:
            capability = capable(action, setting)
        except Unplannable as problem:
            problems.append(problem)
            continue
        actions.append(action)
        setting.projection.note(setting.index, action, capability)
    if not actions:
        raise problems[0]
    plan = Plan(tuple(actions), actions[-1].action_id, len(actions))
    if problems:
        unmet = tuple(problem.reason for problem in problems)
        return PlanResult(goal.goal_id, "partial", plan, "; ".join(unmet), unmet=unmet)
    return PlanResult(goal.goal_id, "success", plan)


def as_action(
    goal: Goal, row: Row, args: Args, number: int, depends_on: tuple[str, ...]
) -> PlannedAction:
    """Write down one action: its arguments are the only ones its tool will ever see."""
    rule = row.rule
    return PlannedAction(
        action_id=f"{goal.goal_id}_{row.key[1]}_{number}",
        goal_id=goal.goal_id,
        intent=rule.intent,
        description=goal.readings[0].normalized_input
        if goal.readings
        else fill(rule.description, words_of(goal, rule, args)),
        args=args,
        action_class=rule.action_class,
        achieves=fill(rule.achieves, args),
        expected_effect=fill(rule.effect, args),
        depends_on=depends_on,
        roles=goal.roles,
        binds=bindings(goal, rule) if goal.roles or goal.readings else {},
        speaks=bool(goal.readings),
        repeatable=rule.repeatable,
        takes=goal.takes,
    )


def bindings(goal: Goal, rule: Rule) -> dict[str, str]:
    """Say which parameter each role of a goal will supply once it is bound."""
    return {
        parameter.role: name
        for name, parameter in rule.params.items()
        if parameter.role is not None and (parameter.role in goal.roles or goal.readings)
    }


def words_of(goal: Goal, rule: Rule, args: Args) -> Args:
    """Give what a description is made of: things in the person's words, addresses as said."""
    words = args
    if goal.roles:
        named = bindings(goal, rule).items()
        spoken = {name: goal.roles[role].text for role, name in named if role in goal.roles}
        words = {**spoken, **args}
    if "url" in goal.params:
        return {**words, "url": goal.params["url"]}
    if "name" in args and "path" not in args:  # its place is known only when it runs
        return {**words, "path": args["name"]}
    return words


def capable(action: PlannedAction, setting: Setting) -> ToolCapability:
    """Find the first capability that achieves the action in the world it will find."""
    capabilities = setting.means.by_token.get(action.achieves, ())
    if not capabilities:
        raise Unplannable("no_capability", f"nothing here can do {action.achieves}; {HELP}")
    missing: list[str] = []
    for capability in capabilities:
        if not capability.requires:
            return capability
        # What depends on a thing that is still to be bound shows only when it is.
        known = (need for need in capability.requires if not is_unbound(need, action))
        needs = sorted(fill(need, action.args) for need in known)
        world = setting.projection.before(setting.index)
        unmet = [need for need in needs if not holds(need, world)]
        if not unmet:
            return capability
        missing.extend(unmet)
    blocker = missing[0]
    raise Unplannable("blocked", f"{action.description}: {in_words(blocker)}", blocker=blocker)


def is_unbound(template: str, action: PlannedAction) -> bool:
    """Tell whether a template speaks of a parameter that is supplied by a role, later."""
    return action.speaks and any(
        f"{{{name}}}" in template for name in action.binds.values() if name not in action.args
    )


def unknown_verb(goal: Goal, table: RuleTable, *, suggests: bool) -> str:
    """Say that there is no such verb, and which ones are near."""
    name = f"{goal.domain}.{goal.verb}"
    if not suggests:
        return f"there is no rule for {name}"
    spoken = (key for key, rule in table.rules.items() if not rule.unspoken)
    known = [".".join(key) for key in (*spoken, *table.aliases)]
    near = get_close_matches(name, known, n=3)
    return f"there is no rule for {name}" + (f"; did you mean {' or '.join(near)}?" if near else "")
