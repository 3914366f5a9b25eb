"""Goals that belong together on one page: all of them are looked for before the first is done.

Pure, like all that decides about a run. A form that has lost one of its fields is refused before
anything is typed into it.
"""

import msgspec

from actors.orchestrator.binding import declarations
from actors.orchestrator.state import Node, Run
from messages.executing import Look
from messages.results import Code
from messages.targets import Failure, Options, Query, Resolve
from messages.worlds import World

MOST_LOOKS = 40


def goals_ahead(run: Run, node: Node) -> tuple[str, ...]:
    """Name the goals that belong together with one, if it is the first of them."""
    if run.understood is None or not node.lane or node.course_of is not None:
        return ()
    for group in run.understood.together:
        if node.action.goal_id == f"g{group[0]}":
            return tuple(f"g{each}" for each in group[1:])
    return ()


def look_ahead(run: Run, node: Node) -> Resolve | None:
    """Ask whether the page has what the next goal ahead needs; None if it has all of it."""
    if node.ahead is None:
        node.ahead = goals_ahead(run, node)
    while node.ahead:
        goal = run.goal(node.ahead[0])
        if goal.readings:
            options = Options(recent=run.recent)
            query = Query(goal.readings, declarations(run, goal), World(), options, node.page)
            return Resolve(run.id, node.action.action_id, query, goal.goal_id)
        node.ahead = node.ahead[1:]
    return None


def pass_ahead(node: Node) -> None:
    """Note that the page has what one goal ahead needs."""
    assert node.ahead is not None
    node.ahead = node.ahead[1:]


def is_missing(failure: Failure) -> bool:
    """Tell whether a page has nothing that is called so; what is only hidden is there."""
    return failure.code is Code.TARGET_NOT_FOUND and failure.details.reveal is None


def look_once_more(run: Run, node: Node) -> Look | None:
    """Look again at a page that may still bring what is missing; None if it has come to rest."""
    if node.page is None or node.page.settled or node.looks >= MOST_LOOKS:
        return None
    node.looks, node.ahead = node.looks + 1, None
    return Look(run.id, node.action, "", node.lane, again=True)


def refusal_of(run: Run, node: Node, failure: Failure) -> Failure:
    """Say which goal ahead cannot be done, and that nothing was touched for it."""
    assert node.ahead
    goal = run.goal(node.ahead[0])
    words = " in ".join(phrase.text for phrase in goal.roles.values())
    message = f"nothing was touched, for a later step is missing: {goal.verb} {words}"
    return msgspec.structs.replace(failure, message=f"{message} ({failure.message})")
