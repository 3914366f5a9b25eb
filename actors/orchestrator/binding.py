"""Binding an action's words: where to look, what to ask the resolver, what a person is asked.

Pure, like all that decides about a run. What was planned is authoritative: what is bound fills only
what the plan leaves open.
"""

from collections.abc import Iterator, Mapping, Sequence

from actors.orchestrator.places import Known, Named, PathOf, WithinGoal, joined
from actors.orchestrator.state import Asked, Node, Run
from messages import wire
from messages.effects import fill
from messages.executing import Look, Seen
from messages.failures import Target
from messages.goals import Goal
from messages.interpreting import CHOOSE, Chosen, ReadChoice
from messages.message import Value
from messages.pages import Page
from messages.phrases import ParsedCommand, Phrase
from messages.results import Code
from messages.rules import Rule
from messages.targets import Binding, Failure, Option, Options, Query, Recent, Resolve, Success
from messages.verbs import Role, RuleForm, ScopeProfile, VerbDeclaration, Verbs
from messages.worlds import BEINGS, World

INSIDE = "inside"
ANSWER = "answer"
HANDED_BACK = ("done", "cancel")
WAY = "exit"
QUESTION_SECONDS = 300.0
ROLES: tuple[Role, ...] = ("direct", "indirect")


def one_thing(scope: str) -> VerbDeclaration:
    """Declare a verb that takes one thing of one scope."""
    return VerbDeclaration({"direct": RuleForm()}, scope_profile=ScopeProfile(direct=(scope,)))


NAMING: Verbs = {INSIDE: one_thing("places"), CHOOSE: one_thing("world")}


def goal_of(run: Run, node: Node) -> Goal:
    return run.goal(node.action.goal_id)


def rule_of(run: Run, node: Node) -> Rule | None:
    return rule_of_goal(run, node.action.goal_id)


def rule_of_goal(run: Run, goal_id: str) -> Rule | None:
    goal = run.goal(goal_id)
    return run.tables.rules.get((goal.domain, goal.verb))


# Where to look


def next_look(run: Run, node: Node) -> Look | None:
    """Give the next look at the world that binding needs; None if all is bound."""
    if node.reveals_for is not None:
        return None  # it is planned with its thing
    base = run.later.get(node.action.goal_id)
    if isinstance(base, Named) and INSIDE not in node.bound:
        return Look(run.id, node.action, INSIDE, base.within)
    if node.success is None and goal_of(run, node).readings:
        within = node.lane or folder_of(run, node)
        return Look(run.id, node.action, "", within, again=node.looks > 0)
    return None


def folder_of(run: Run, node: Node) -> str:
    """Give the folder that a goal's words are about, if they are about one."""
    match run.later.get(node.action.goal_id):
        case Known(folder):
            return folder
        case Named():
            return str(node.bound[INSIDE])
        case WithinGoal(goal_id):
            return made_by(run, goal_id) or ""
        case _:
            return ""


def query_for(run: Run, node: Node, seen: Seen) -> Resolve | None:
    """Ask what the words mean among what was seen; a look that is not wanted any more is None."""
    look = next_look(run, node)
    if look is None or look.role != seen.role:
        return None
    options = Options(recent=run.recent, pinned=(node.pinned or {}).get(seen.role, {}))
    if seen.role == INSIDE:
        base = run.later[node.action.goal_id]
        assert isinstance(base, Named)
        query = Query((naming(INSIDE, base.phrase),), NAMING, seen.world, options)
    else:
        query = query_of_goal(run, node, seen.world, seen.page, options)
    return Resolve(run.id, node.action.action_id, query, node.action.goal_id)


def query_on_page(run: Run, node: Node) -> Resolve:
    """Ask what the words mean on the page that was seen before."""
    options = Options(recent=run.recent, pinned=(node.pinned or {}).get("", {}))
    query = query_of_goal(run, node, node.sight, node.page, options)
    return Resolve(run.id, node.action.action_id, query, node.action.goal_id)


def query_of_goal(run: Run, node: Node, world: World, page: Page | None, options: Options) -> Query:
    goal = goal_of(run, node)
    found = found_before(run, node) if page is not None else None
    return Query(goal.readings, declarations(run, goal), world, options, page, found)


def found_before(run: Run, node: Node) -> str | None:
    """Give the one thing that was looked for just before: "find Invoice 18 and click Delete"."""
    parents = [run.nodes[parent] for parent in node.action.depends_on if parent in run.nodes]
    if len(parents) != 1 or not (rule := rule_of(run, parents[0])) or not rule.finds:
        return None
    success = parents[0].success
    if success is None or len(success.bindings) != 1:
        return None
    target = success.bindings[0].direct_target
    return None if target is None else target.id


def naming(verb: str, phrase: Phrase) -> ParsedCommand:
    return ParsedCommand(
        verb, verb, normalized_input=phrase.text, direct_span=phrase.text, direct=phrase
    )


def declarations(run: Run, goal: Goal) -> dict[str, VerbDeclaration]:
    """Give the declarations of the verbs that a goal's readings have."""
    rules = run.tables.rules
    found = {}
    for reading in goal.readings:
        rule = rules.get((goal.domain, reading.verb))
        if rule is not None and rule.targets is not None:
            found[reading.verb] = rule.targets
    return found


# What was bound


def number_seen_last(node: Node, success: Success) -> int:
    """Give the highest number that an element of the target's document had when it was bound."""
    target = success.bindings[0].direct_target if success.bindings else None
    if node.page is None or target is None:
        return 0
    key = target.id.partition(".")[0]
    return next((frame.sheet.last for frame in node.page.frames if frame.key == key), 0)


def size_of(world: World, success: Success) -> int | None:
    """Add up how many bytes the files have that are meant; None if something else is meant."""
    sizes = {thing.id: thing.measures.get("size") for thing in world.things if thing.kind == "file"}
    found = [
        sizes.get(binding.direct_target.id)
        for binding in success.bindings
        if binding.direct_target is not None
    ]
    known = [size for size in found if size is not None]
    return int(sum(known)) if found and len(known) == len(found) else None


def note_bound(run: Run, node: Node, success: Success) -> list[wire.CommandEvent]:
    """Remember what a role means now, and say so."""
    if success.verb == INSIDE:
        folder = success.bindings[0].direct_target
        assert folder is not None
        node.bound[INSIDE] = folder.id
        return [resolved(run, node, INSIDE, folder)]
    node.success = success
    node.size = size_of(node.sight, success)
    node.sight, node.page = World(), None
    run.recent = remembered(run.recent, success)
    if len(success.bindings) == 1:
        node.bound.update(*values(run, node, success, success.bindings))
    names = role_names(run, node)
    events: dict[tuple[str, str], wire.CommandEvent] = {}
    for binding in success.bindings:
        for role, target in targets_of(binding):
            events[role, target.id] = resolved(run, node, names[role], target)
    return list(events.values())


def resolved(run: Run, node: Node, role: str, target: Target) -> wire.Resolved:
    action = node.action
    return wire.Resolved(run.id, action.goal_id, action.action_id, role, target.id, target.name)


def targets_of(binding: Binding) -> list[tuple[Role, Target]]:
    pairs: list[tuple[Role, Target | None]] = [
        ("direct", binding.direct_target),
        ("indirect", binding.indirect_target),
    ]
    return [(role, target) for role, target in pairs if target is not None]


def role_names(run: Run, node: Node) -> dict[Role, str]:
    """Give the names by which a rule knows its direct and its indirect role."""
    rule = rule_of(run, node)
    named = () if rule is None else rule.roles
    return {role: named[at] if at < len(named) else role for at, role in enumerate(ROLES)}


def values(
    run: Run, node: Node, success: Success, bindings: Sequence[Binding]
) -> Iterator[dict[str, Value]]:
    """Give what each binding supplies: its things by the roles' names, and the relation said."""
    rule = rule_of(run, node)
    names = role_names(run, node)
    # A thing that is a place is known by its path.
    places = {role for role, name in names.items() if is_first_place(rule, name)}
    has_relation = rule is not None and "relation" in rule.params
    relation = success.relation_token_canonical if has_relation else None
    for binding in bindings:
        bound: dict[str, Value] = {} if relation is None else {"relation": relation}
        for role, target in targets_of(binding):
            bound[names[role]] = target.name if role in places else target.id
            if role in places:
                bound["path"] = target.id
        yield bound


def is_first_place(rule: Rule | None, role: str) -> bool:
    """Tell whether a role supplies what an action's path is made of."""
    params = () if rule is None else rule.params.values()
    first = next((parameter for parameter in params if parameter.place), None)
    return first is not None and first.role == role


def remembered(recent: Recent, success: Success) -> Recent:
    """Note what "it", "them" and "him" mean from now on; a way that was gone is none of them."""
    things = [target for binding in success.bindings for _, target in targets_of(binding)]
    spoken = [
        binding.direct_target or binding.indirect_target
        for binding in success.bindings
        if binding.direct_target or binding.indirect_target
    ]
    ids = tuple(dict.fromkeys(each.id for each in spoken if each and each.kind != WAY))
    if not ids:
        return recent
    person = next((thing.id for thing in things if thing.kind in BEINGS), recent.person)
    if len(ids) == 1:
        return Recent(ids[0], ids, person)
    others = {binding.indirect_target.id for binding in success.bindings if binding.indirect_target}
    return Recent(others.pop() if len(others) == 1 else None, ids, person)


def late_arguments(run: Run, node: Node) -> dict[str, Value]:
    """Give the arguments that were not known when the action was planned, and no others."""
    binds, planned = node.action.binds, node.action.args
    named = {binds.get(role, role): target for role, target in node.bound.items()}
    folder = named.pop(INSIDE, None)
    given = {name: value for name, value in named.items() if name not in planned}
    if node.lane:
        given["lane"] = node.lane
    if "path" in given or "path" in planned:
        return given
    base = run.later.get(node.action.goal_id)
    if isinstance(base, PathOf):
        return {**given, "path": made_by(run, base.goal_id)}
    if isinstance(base, WithinGoal):
        folder = made_by(run, base.goal_id)
    if folder is None:
        return given
    return {**given, "path": joined(str(folder), str(node.action.args.get("name", ".")))}


def made_by(run: Run, goal_id: str) -> str | None:
    """Give the path that a goal made, as its tool reported it."""
    for node in run.nodes.values():
        if node.action.goal_id == goal_id and node.result is not None:
            output = node.result.output
            if isinstance(output, Mapping) and isinstance(path := output.get("path"), str):
                return path
    return None


# What a person is asked


def ask(run: Run, node: Node, failure: Failure) -> wire.Question:
    """Put a question; the command waits for its answer."""
    role = failure.details.role or "direct"
    look = next_look(run, node)
    about = INSIDE if look is not None and look.role == INSIDE else ""
    event = wire.Question(
        command=run.id,
        question=run.new_id("q"),
        goal=node.action.goal_id,
        action=node.action.action_id,
        role=about or role_names(run, node)[role],
        message=failure.message,
        options=failure.options,
        seconds=QUESTION_SECONDS,
    )
    node.asked = Asked(event, about, role, failure.details.span or "")
    return event


def question_of(run: Run, node: Node) -> str | None:
    """Give what is to be put to a person before an action, if that was not done yet."""
    rule = rule_of(run, node)
    if rule is None or not rule.asks or ANSWER in node.bound:
        return None
    return fill(rule.asks, node.action.args)


def ask_person(run: Run, node: Node, question: str) -> wire.Question:
    """Put a question that is about no thing; whatever is answered is the answer."""
    event = wire.Question(
        command=run.id,
        question=run.new_id("q"),
        goal=node.action.goal_id,
        action=node.action.action_id,
        role=ANSWER,
        message=question,
        options=tuple(
            Option(number, text, Target(text, text, ANSWER))
            for number, text in enumerate(HANDED_BACK, start=1)
        ),
        seconds=QUESTION_SECONDS,
    )
    node.asked = Asked(event, ANSWER, "direct", "")
    return event


def option_chosen(options: Sequence[Option], choice: int | str) -> str | None:
    """Find the option that a number, or the very words of one, choose; else None."""
    as_written = [option for option in options if option.target.name == choice]
    if len(as_written) == 1:
        return as_written[0].target.id
    said = " ".join(str(choice).casefold().split())
    if said.isdecimal():
        found = [option for option in options if str(option.number) == said.lstrip("0")]
    else:
        found = [option for option in options if said in spellings(option)]
    return found[0].target.id if len(found) == 1 else None


def in_words(options: Sequence[Option], choice: int | str) -> int | str:
    """Give the words of the option that a number means now: later it may mean another."""
    target = option_chosen(options, choice) if str(choice).strip().isdecimal() else None
    return next((option.text for option in options if option.target.id == target), choice)


def spellings(option: Option) -> tuple[str, ...]:
    text = " ".join(option.text.casefold().split())
    return text, f"the {text}", option.target.id.casefold()


def reading_of_choice(run: Run, node: Node, text: str) -> ReadChoice:
    """Have a free answer read: other words for the thing, or a command of its own."""
    assert node.asked is not None
    goal, asked = goal_of(run, node), node.asked
    verbs = declarations(run, goal)
    return ReadChoice(
        run.id,
        asked.event.question,
        asked.role,
        text,
        verbs,
        goal.readings,
        goal.domain,
        goal.params,
        on_page=node.page is not None,
    )


def query_among_options(run: Run, node: Node, chosen: Chosen) -> Resolve:
    """Look for what an answer describes, among what was offered."""
    assert node.asked is not None
    offered = tuple(option.target.id for option in node.asked.event.options)
    options = Options(among=offered, recent=run.recent)
    query = Query(chosen.readings, NAMING, node.sight, options, node.page)
    return Resolve(run.id, node.action.action_id, query, node.action.goal_id)


def unanswerable(failure: Failure) -> bool:
    """Tell whether a failure offers nothing that could be chosen."""
    ambiguous = failure.code is Code.AMBIGUOUS_TARGET and failure.details.answerable
    return not (ambiguous and failure.options)
