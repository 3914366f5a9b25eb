"""The Orchestrator's conversation: commands come in, the others' answers come back to it."""

from typing import TypeAlias

from messages import executing, interpreting, journaling, planning, targets, wire
from messages.message import Message, Request


class Admitted(Message, frozen=True):
    """The command was taken; its events follow."""


class Known(Message, frozen=True):
    """A command of this id came before: it does not run again."""

    state: wire.State
    finished: wire.Finished | None = None


class TurnedAway(Message, frozen=True):
    """The command was not taken, and nothing of it will happen."""

    error: wire.Error


class Admit(Request["Admitted | Known | TurnedAway"], frozen=True):
    """Take a submitted command, once.

    ``schedule`` is the entry whose time has come, ``approves`` the kinds of approval that were
    given when it was said; no client can state them.
    """

    submit: wire.Submit
    client: str = ""
    schedule: str = ""
    approves: tuple[str, ...] = ()


class CancelCommand(Request["Known | TurnedAway"], frozen=True):
    """Stop a command as soon as may be."""

    request: wire.Cancel


class Report(Request["Known | TurnedAway"], frozen=True):
    """Say how a command, or all of them, stand."""

    request: wire.Status


class AnswerQuestion(Request["Known | TurnedAway"], frozen=True):
    """Take a person's answer to a question; the command goes on where it stood."""

    request: wire.Answer


class ApproveAction(Request["Known | TurnedAway"], frozen=True):
    """Take a person's yes or no to what is about to happen."""

    request: wire.Approve
    client: str = ""


class UndoCommand(Request["Admitted | Known | TurnedAway"], frozen=True):
    """Put back what a command has changed, by a command of its own."""

    request: wire.Undo
    client: str = ""


class Drained(Message, frozen=True):
    """Nothing is under way any more."""


class Drain(Request[Drained], frozen=True):
    """Take no more commands, start no more actions, and say when those under way have ended."""


class Abandon(Request[Drained], frozen=True):
    """There is no more time: end every command now, whatever is under way."""


class Tick(Message, frozen=True):
    """Time passed: deadlines and retries are due for a look."""

    now: float


OwnRequest: TypeAlias = (
    interpreting.Interpret
    | planning.MakePlans
    | planning.PlanReveal
    | planning.PlanCourse
    | executing.Survey
    | executing.Watch
    | executing.Perform
    | executing.Check
    | executing.Look
    | interpreting.ReadChoice
    | targets.Resolve
    | journaling.Take
    | journaling.End
    | journaling.Recall
)


class NoAnswer(Message, frozen=True):
    """Whoever was asked stopped or crashed before it answered."""

    request: OwnRequest


Answer: TypeAlias = (
    interpreting.Interpretation
    | planning.PlansMade
    | planning.RevealPlanned
    | planning.CoursePlanned
    | executing.Surveyed
    | executing.Performed
    | executing.Checked
    | executing.Seen
    | interpreting.Chosen
    | targets.Resolution
    | NoAnswer
)
Inbox: TypeAlias = (
    Admit
    | AnswerQuestion
    | ApproveAction
    | UndoCommand
    | CancelCommand
    | Report
    | Drain
    | Abandon
    | Tick
    | executing.WorldSeen
    | journaling.Taken
    | journaling.TakenBefore
    | journaling.NotTaken
    | journaling.Ended
    | journaling.Stories
    | Answer
)
