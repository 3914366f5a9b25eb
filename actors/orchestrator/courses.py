"""Recipes under way: which stage of a course a page offers, and what is done there.

Pure, like all that decides about a run. On every page the last stage is tried first whose turn may
be: what leads to the goal by the shortest way is done. All steps of a stage are bound before the
first of them acts; each is then bound, checked, approved, journaled and traced like any action.
"""

import re

import msgspec

from actors.language.chores import chore_words
from actors.language.words import fold, key_of, words_of
from actors.orchestrator.binding import goal_of
from actors.orchestrator.progress import OPEN, Progress, address_of
from actors.orchestrator.state import Node, Run, Step
from messages.executing import Look
from messages.failures import Target
from messages.goals import Goal
from messages.message import Row
from messages.pages import PARTLY, Affords, Element, Page
from messages.planning import PlanCourse
from messages.recipes import Way
from messages.results import ActionResult, Code
from messages.targets import Failure, Options, Query, Resolve, Success
from messages.worlds import World

# What is chosen in a form, and what is pressed at once: one is never taken for the other.
SEARCH = "search"
CHOOSING = frozenset({"select", "check"})
CHOSEN = frozenset({"radio", "checkbox", "option", "switch", "listbox", "combobox", "select"})
FIELD = Affords.EDIT | Affords.CHECK | Affords.CHOOSE | Affords.RANGE | Affords.COLOUR
OF_ROW = ("Edit in the row of ", '"Edit ')
FINISH = "finish"
FIRST_QUOTED = re.compile(r'"([^"]+)"')
QUOTED = re.compile(r'"([^"]+)"(?: button)?$')
NOT_SAVED = "it was sent, and the form is still open: see what the page asks for"


def plan_course(run: Run, node: Node) -> PlanCourse:
    """Ask for the steps in which a goal can be done."""
    node.step = Step.BINDING
    return PlanCourse(run.id, node.action.action_id, goal_of(run, node))


def look_for_stage(run: Run, node: Node) -> Look:
    """Look at the page for the next stage."""
    assert node.course is not None
    node.step, node.looks = Step.BINDING, 0
    node.course.fresh = True
    return Look(run.id, node.action, "", node.lane, again=bool(node.course.steps))


def query_way(run: Run, node: Node) -> Resolve | None:
    """Ask whether the page has what the next way needs; None if no stage is left to try."""
    progress = node.course
    assert progress is not None
    while progress.stage is not None:
        step = progress.stage.steps[len(progress.chosen)]
        if progress.way < len(step.ways):
            goal = step.ways[progress.way].goal
            if goal.goal_id in progress.failed or not may_be_called(progress, node, goal):
                progress.way += 1
                continue
            rule = run.tables.rules[goal.domain, goal.verb]
            declared = {} if rule.targets is None else {goal.verb: rule.targets}
            options = Options(recent=run.recent)
            query = Query(goal.readings, declared, World(), options, node.page)
            return Resolve(run.id, node.action.action_id, query, node.action.goal_id)
        progress.missing = progress.missing or step.says
        if progress.skip:
            return None  # what was begun is not begun anew
        progress.next_stage()
    return None


def may_be_called(progress: Progress, node: Node, goal: Goal) -> bool:
    """Tell whether something on the page has the name in quotes that a way is tried by.

    To ask the resolver costs milliseconds each time, and most of the names are on no page.
    """
    words = next((phrase.text for phrase in goal.roles.values()), "")
    quoted = FIRST_QUOTED.match(words)
    if node.page is not None and goal.params.get("only"):
        return len(search_fields(node.page)) == 1
    if quoted is None or node.page is None:
        return True
    if progress.names_of is not node.page:
        progress.names_of, progress.names = node.page, names_on(node.page)
    return any(key_of(quoted[1]) in name for name in progress.names)


def search_fields(page: Page) -> list[Element]:
    """Give the fields of a page that are there to search by."""
    return [
        element
        for frame in page.frames
        for element in frame.sheet.elements
        if element.shown == 0
        and element.affords & Affords.EDIT
        and (element.kind == "searchbox" or is_about_search(element))
    ]


def is_about_search(element: Element) -> bool:
    said = words_of(fold(" ".join((element.name, element.weak, *element.others))))
    return not chore_words().searching.isdisjoint(said)


def names_on(page: Page) -> frozenset[str]:
    """Give all names on a page, in the one way in which they are compared."""
    return frozenset(
        key_of(name)
        for frame in page.frames
        for element in frame.sheet.elements
        for name in (element.name, element.weak, element.value, *element.others)
        if name
    )


def is_ready(progress: Progress) -> bool:
    """Tell whether the next way needs nothing of the page: "send the form"."""
    stage = progress.stage
    if stage is None or len(progress.chosen) >= len(stage.steps):
        return False
    ways = stage.steps[len(progress.chosen)].ways
    way = ways[progress.way] if progress.way < len(ways) else None
    return way is not None and not way.goal.roles and way.goal.goal_id not in progress.failed


def is_called(way: Way, success: Success, page: Page | None, *, strict: bool) -> bool:
    """Tell whether a control that is tried by its whole name has just that name.

    A value goes into a field; only where there is none, into what may open one (not ``strict``).
    """
    words = next((phrase.text for phrase in way.goal.roles.values()), "")
    quoted, target = QUOTED.match(words), success.bindings[0].direct_target
    if target is None:
        return True
    if way.goal.verb in CHOOSING:
        return target.kind in CHOSEN
    if way.goal.verb == "set":
        has_name = quoted is None or is_named(page, target, quoted[1])
        is_field = not strict or target.kind in CHOSEN or holds_value(page, target.id)
        return has_name and is_field
    if quoted is None:
        return True
    return key_of(target.name) == key_of(quoted[1]) and target.kind not in CHOSEN


def is_named(page: Page | None, target: Target, name: str) -> bool:
    """Tell whether a field has just a name, by its label or otherwise: "Title (required)"."""
    found = element_of(page, target.id)
    others = () if found is None else (*found.others, found.weak)
    said = {key_of(each) for each in (target.name, *others)}
    wanted = key_of(name)
    return any(each == wanted or each.removesuffix(" required") == wanted for each in said)


def element_of(page: Page | None, target: str) -> Element | None:
    """Give an element of a page by the id of its target."""
    key, _, number = target.rstrip(PARTLY).partition(".")
    for frame in () if page is None else page.frames:
        if frame.key == key:
            return next((e for e in frame.sheet.elements if str(e.number) == number), None)
    return None


def holds_value(page: Page | None, target: str) -> bool:
    """Tell whether an element of a page is a field of any kind."""
    found = element_of(page, target)
    return found is None or bool(found.affords & FIELD)


def take_way(progress: Progress) -> bool:
    """Note that a way can be bound; tell whether all steps of the stage can be."""
    assert progress.stage is not None
    step = progress.stage.steps[len(progress.chosen)]
    progress.chosen.append(step.ways[progress.way])
    progress.way = 0
    return len(progress.chosen) == len(progress.stage.steps)


def pass_over_way(progress: Progress, failure: Failure) -> None:
    """Note that a way cannot be bound: the next one is tried."""
    if failure.code is Code.AMBIGUOUS_TARGET and progress.doubt is None:
        progress.doubt = failure
    progress.way += 1


def step_node(run: Run, node: Node, way: Way) -> Node:
    """Make the action for one step."""
    progress = node.course
    assert progress is not None
    progress.steps += 1
    said = next((phrase.text for phrase in goal_of(run, node).roles.values()), "")
    action = msgspec.structs.replace(
        way.action,
        action_id=f"{node.action.action_id}.step_{progress.steps}",
        goal_id=way.goal.goal_id,
        description=f"{said}: {way.goal.verb} {told(way)}" if said else way.action.description,
        depends_on=(),
    )
    run.step_goals[way.goal.goal_id] = way.goal
    child = Node(action, 0, lane=node.lane, course_of=node)
    run.nodes[action.action_id] = child
    run.open += 1
    return child


def without_query(way: Way) -> Way:
    """Make of a search one that takes it back: for nothing, by the same field."""
    goal = msgspec.structs.replace(way.goal, params={**way.goal.params, "query": ""})
    action = msgspec.structs.replace(way.action, args={**way.action.args, "query": ""})
    return Way(goal, action)


def told(way: Way) -> str:
    """Put a way into words, without the value: it may turn out to be a secret."""
    return next((phrase.text for phrase in way.goal.roles.values()), "")


def note_field(progress: Progress, child: Node) -> None:
    """Remember what was filled in: while it is still there, nothing was saved."""
    success = child.success
    if progress.stage is None or not progress.stage.leaves or success is None:
        return
    target = success.bindings[0].direct_target
    if target is not None:
        progress.fields.add((target.kind, target.name))


def is_saved(progress: Progress, page: Page | None) -> bool:
    """Tell whether a page shows that a form was taken: it is gone, or something says so."""
    if page is None or progress.before is None:
        return False
    now, then = page.frames[0].sheet, progress.before.frames[0].sheet
    shown = {
        (element.kind, element.name)
        for frame in page.frames
        for element in frame.sheet.elements
        if element.shown == 0
    }
    if not progress.fields <= shown:
        return True
    texts = {element.name for element in now.elements} - {each.name for each in then.elements}
    said = [frozenset(words_of(fold(text))) for text in texts]
    table = chore_words()
    return any(table.saved & words and not table.denied & words for words in said)


def end_stage(progress: Progress, page: Page | None) -> None:
    """Note that all steps of a stage are done, and what they leave."""
    assert progress.stage is not None
    stage = progress.stage
    progress.done.append(stage.name)
    note_opened_or_finished(progress, page)
    progress.opened.clear()
    if stage.leaves:
        progress.leaves.append(stage.leaves)
    elif stage.ends or not stage.steps[0].optional:
        progress.leaves.clear()


def note_opened_or_finished(progress: Progress, page: Page | None) -> None:
    """Note where a thing was opened, and whether what was to be done at last is done already."""
    assert progress.stage is not None
    words = [phrase.text for way in progress.chosen for phrase in way.goal.roles.values()]
    if progress.stage.name == OPEN and page is not None:
        is_of_row = any(each.startswith(OF_ROW) for each in words)
        progress.opened_on = "" if is_of_row else address_of(page)
    finish = progress.course.finish
    if finish and any(f'"{finish}' in each.casefold() for each in words):
        progress.done.append(FINISH)


def course_done(node: Node, *, verified: bool) -> ActionResult:
    """Give the result of a course that came to its end."""
    progress = node.course
    assert progress is not None
    output: Row = {
        "recipe": progress.course.recipe,
        "steps": len(progress.told),
        "done": "; ".join(progress.told),
    }
    return ActionResult(node.action.action_id, "success", output=output, verified=verified)


def course_failed(node: Node, code: Code | None, reason: str | None) -> ActionResult:
    """Say why a course ends midway, what was done of it, and what is half done."""
    progress = node.course
    assert progress is not None
    parts = [reason or "it could not be done"]
    if progress.told:
        parts.append(f"done before: {'; '.join(progress.told)}")
    if progress.leaves:
        parts.append(f"{progress.leaves[-1]}: leave the page, or clear it, to take that back")
    return ActionResult(
        node.action.action_id, "failed", code or Code.NOT_FEASIBLE, ". ".join(parts)
    )


def missing(node: Node) -> ActionResult:
    """Refuse a course for which the page has nothing, or several things."""
    progress = node.course
    assert progress is not None
    doubt = progress.refusal or progress.doubt
    if not progress.told and doubt is not None:
        details = doubt.details
        return ActionResult(
            node.action.action_id, "failed", doubt.code, doubt.message, details=details
        )
    wanted = progress.missing or "the rest of it"
    several = progress.doubt
    reason = f"nothing on the page is for: {wanted}" if several is None else several.message
    return course_failed(node, Code.TARGET_NOT_FOUND, reason)


def is_worth_trying(run: Run, node: Node, code: Code | None) -> bool:
    """Tell whether recipes may do what nothing on the page does at once."""
    rule = run.tables.rules.get((goal_of(run, node).domain, goal_of(run, node).verb))
    is_free = node.course is None and not node.course_tried and node.course_of is None
    fits = code in {Code.TARGET_NOT_FOUND, Code.NOT_FEASIBLE} and bool(node.lane)
    is_going = run.stopped is None and node.whole is None
    return rule is not None and rule.recipes and is_free and fits and is_going


def goes_before_reveal(run: Run, node: Node, failure: Failure) -> bool:
    """Tell whether a value of some other thing is meant: what shows it leads to a form to save."""
    goal = goal_of(run, node)
    said = next((phrase.text for phrase in goal.roles.values()), "")
    is_value = goal.verb == "set" and " of " in said and failure.details.reveal is not None
    return is_value and is_worth_trying(run, node, Code.TARGET_NOT_FOUND)


def try_other_way(progress: Progress, result: ActionResult) -> bool:
    """Make ready to try the next way of a step that did nothing; False if there is none."""
    stage = progress.stage
    if stage is None or result.code not in {Code.NOT_FEASIBLE, Code.TARGET_NOT_FOUND}:
        return False
    at = len(stage.steps) - len(progress.queue) - 1
    step, used = stage.steps[at], progress.chosen[at]
    progress.failed.add(used.goal.goal_id)
    progress.chosen, progress.skip = progress.chosen[:at], at
    progress.way = step.ways.index(used) + 1
    return progress.way < len(step.ways)
