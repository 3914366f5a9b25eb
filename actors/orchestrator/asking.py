"""Questions that a command waits with: finding them, and putting them."""

from actors.orchestrator.approving import awaiting
from actors.orchestrator.binding import QUESTION_SECONDS, ask_person
from actors.orchestrator.state import TICK_SECONDS, Asked, Node, Run, Step
from messages import wire
from messages.results import Code
from messages.targets import Failure


def open_questions(run: Run) -> tuple[wire.Question, ...]:
    """Give all the questions that wait for an answer."""
    if run.doubt is not None:
        return (run.doubt.event,)
    asking = (node.asked for node in run.nodes.values() if node.step is Step.ASKING)
    return tuple(asked.event for asked in asking if asked is not None)


def is_asking(run: Run) -> bool:
    """Tell whether a command waits for an answer, or for approval."""
    return run.doubt is not None or open_question(run) is not None or awaiting(run) is not None


def only_awaits_approval(run: Run) -> bool:
    """Tell whether a command does nothing but wait for approval."""
    if run.doubt is not None or open_question(run) is not None or awaiting(run) is None:
        return False
    idle = {Step.ENDED, Step.WAITING, Step.ASKING}
    return all(
        node.step in idle or node.leader is not None or is_waiting_course(node)
        for node in run.nodes.values()
    )


def is_waiting_course(node: Node) -> bool:
    """Tell whether a recipe does nothing but wait for one of its steps."""
    return node.course is not None and node.step is Step.GATHERING


def open_question(run: Run, question: str | None = None) -> Node | None:
    """Find the action that waits for an answer: to this question, or to any."""
    for node in run.nodes.values():
        asked = node.asked if node.step is Step.ASKING else None
        if asked is not None and question in {None, asked.event.question}:
            return node
    return None


def wait_for_answer(run: Run, node: Node) -> None:
    """Let an action wait for a person, and its command have the time for that."""
    node.step = Step.ASKING
    node.ticks = int(QUESTION_SECONDS / TICK_SECONDS)
    run.retrying += 1
    if run.due is not None:
        run.due += QUESTION_SECONDS


def put_to_person(run: Run, node: Node, question: str) -> wire.Question:
    """Put what a rule asks to a person."""
    wait_for_answer(run, node)
    return ask_person(run, node, question)


def again(failure: Failure, asked: Asked) -> str:
    """Put a question again; first, what was wrong with an answer that fits nothing."""
    if failure.code is Code.AMBIGUOUS_TARGET:
        return f"that fits more than one. {asked.event.message}"
    return f"{failure.message}. {asked.event.message}"
