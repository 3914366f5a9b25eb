"""The records of what the Orchestrator decides: vetoes, questions, approvals asked for.

Words that speak of a secret are withheld.
"""

from actors.logger import ActorLogger
from actors.orchestrator.state import Node, Run
from actors.vault import WITHHELD, loggable
from messages import wire
from messages.capturing import Veto
from messages.message import Message


class CaptureVetoed(Message, frozen=True):
    """Policy said no to a bound action."""

    command_id: str
    goal_id: str
    action_id: str
    veto: Veto


def vetoed_by(run: Run, node: Node, veto: Veto) -> CaptureVetoed:
    """Tell which check said no to which action."""
    return CaptureVetoed(run.id, node.action.goal_id, node.action.action_id, veto)


def log_veto(log: ActorLogger, vetoed: CaptureVetoed) -> None:
    veto = vetoed.veto
    log.info(
        "capture.vetoed",
        command_id=vetoed.command_id,
        goal_id=vetoed.goal_id,
        action_id=vetoed.action_id,
        check=veto.check,
        code=veto.code,
        reason=loggable(veto.reason),
    )


def log_refusal(log: ActorLogger, run: Run, event: wire.ActionFinished) -> None:
    """Note an action that failed before it began: no tool was called that would have told of it.

    Of a veto there is a record already; of a set, each member has its own.
    """
    node = run.nodes.get(event.action)
    if node is None or event.status != "failed" or node.attempt or node.vetoed:
        return
    if node.members and node.members[0].action.action_id in run.nodes:
        return
    log.info(
        "action.refused",
        command_id=run.id,
        goal_id=event.goal,
        action_id=event.action,
        code=event.code,
        reason=WITHHELD if run.is_withheld else loggable(event.message or ""),
    )


def log_asking(log: ActorLogger, run: Run, event: wire.Question | wire.ApprovalNeeded) -> None:
    """Note what a person is asked."""
    # Of a command with withheld words everything that may quote them is withheld.
    hides = run.is_withheld
    about = {"command_id": run.id, "goal_id": event.goal, "action_id": event.action}

    def said(text: str) -> str:
        return WITHHELD if hides else loggable(text)

    if isinstance(event, wire.Question):
        log.info(
            "question.asked",
            **about,
            question=event.question,
            role=event.role,
            message=said(event.message),
            options=[said(option.text) for option in event.options],
        )
        return
    log.info(
        "approval.asked",
        **about,
        approval=event.approval,
        kind=event.kind,
        description=said(event.description),
        targets=[said(target.name) for target in event.targets],
    )
