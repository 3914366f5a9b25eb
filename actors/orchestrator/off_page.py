"""What a page has nothing for may be meant for the machine: "empty the trash", with a page open.

While a page is before a session it is looked at first. If nothing on it does what was said, and
nothing has been done yet, the same words are read once more as if no page were there. They are done
so only if they mean something then that is no page's and does no harm; else the refusal stands.
"""

from actors.orchestrator.state import Node, Run
from messages.goals import Goal
from messages.interpreting import Interpret, Interpretation, Interpreted
from messages.results import ActionResult, Code, CommandStatus, GoalResult


def reading_off_page(run: Run, node: Node, refused: ActionResult) -> Interpret | None:
    """Ask what the words mean without a page, if that may help; ``refused`` stands until then."""
    if not run.on_page or run.off_page or run.submit.text is None or run.stopped is not None:
        return None
    if refused.code is not Code.TARGET_NOT_FOUND or has_done_something(run):
        return None
    goals = () if run.understood is None else run.understood.goals
    if len(goals) != 1 or not takes_clause(run, goals[0]):
        return None
    run.off_page, run.refused_on_page = True, (node.action.action_id, refused)
    return Interpret(run.id, run.submit.text)


def has_done_something(run: Run) -> bool:
    """Tell whether an action has begun; to have looked behind a fold is nothing."""
    return any(node.attempt for node in run.nodes.values() if node.reveals_for is None)


def takes_clause(run: Run, goal: Goal) -> bool:
    """Tell whether a goal leaves it to what is there what its words mean."""
    rule = run.tables.rules.get((goal.domain, goal.verb))
    return rule is not None and rule.takes_clause


def is_for_machine(run: Run, message: Interpretation) -> bool:
    """Tell whether words mean something without a page that no page is asked for, and no harm.

    They were said with a page in view: "remove the last entry" is not said of files, nor "pause" of
    the music. So it only looks, or a person is shown first what would be done; and it is done to
    what the words name, not to what they only describe.
    """
    if run.understood is None or not isinstance(message, Interpreted):
        return False
    refused = {intent_of(run, goal) for goal in run.understood.goals}
    return all(
        intent_of(run, goal) not in refused and is_harmless(run, goal)
        for goal in message.meta.goals
    )


def is_harmless(run: Run, goal: Goal) -> bool:
    """Tell whether a goal only looks, or is asked about before it is done to what it names."""
    rule = run.tables.rules.get((goal.domain, goal.verb))
    if rule is None:
        return False
    is_asked = bool(rule.approval) and rule.approval in run.tables.approvals.kinds
    return rule.action_class == "observe" or (is_asked and not goal.roles and not goal.readings)


def intent_of(run: Run, goal: Goal) -> str:
    rule = run.tables.rules.get((goal.domain, goal.verb))
    return "" if rule is None else rule.intent


def begin_off_page(run: Run, refused: ActionResult) -> None:
    """Forget how the words were read for the page, but not why it refused them."""
    run.page_refusal = refused
    run.understood, run.graph, run.plans, run.open = None, None, (), 0
    run.nodes.clear()
    run.step_goals.clear()


def standing_refusal(run: Run, status: CommandStatus) -> GoalResult | None:
    """Give the page's refusal if nothing could be begun without the page either.

    It names what is near on the page, which helps more than what another reading lacks.
    """
    refused = run.page_refusal
    if refused is None or status != "failed" or run.stopped is not None or has_done_something(run):
        return None
    about = (refused.code, refused.message)
    return GoalResult("g0", "failed", *about, details=refused.details)
