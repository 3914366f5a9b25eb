"""The Journal's conversation: what must not be lost is on disk before anything follows from it."""

from collections.abc import Mapping
from typing import TypeAlias

from messages import wire
from messages.goals import GoalDraft, MetaGoal
from messages.message import Data, Message, Request, Value, snake
from messages.plans import PlannedAction, PlanResult
from messages.results import ActionResult
from messages.scheduling import Entry as ScheduleEntry
from messages.targets import Success

# A command that takes the daemon down with it must not do so for ever.
MOST_LIVES = 10

# What is kept of a command under way


class Laid(Data, frozen=True, tag_field="kind", tag=snake):
    """Its goals as they were understood, and a plan for each.

    Of a command that undoes another, ``left`` is what nothing undoes.
    """

    meta: MetaGoal
    plans: tuple[PlanResult, ...]
    left: tuple[str, ...] = ()


class Meant(Data, frozen=True, tag_field="kind", tag=snake):
    """What the words of one of its actions were bound to.

    On a page, ``seen`` is the number of the element that came last when it was looked at: what has
    a higher one was not there yet.
    """

    action: str
    success: Success
    seen: int = 0


class Intent(Data, frozen=True, tag_field="kind", tag=snake):
    """An action is about to happen; kept before its tool is called.

    ``before`` is what the tool noted of the things it is about to change: by it, the tool can tell
    after a crash whether the action happened. None if the tool cannot, or if nobody asked it to.
    ``executor`` is who is asked, in a cluster: its name and, behind a dot, its journal.
    """

    action: PlannedAction
    bound: Mapping[str, Value]
    before: Mapping[str, Value] | None = None
    executor: str = ""


class Outcome(Data, frozen=True, tag_field="kind", tag=snake):
    """What came of an action: its result, the facts it brought about, and what would undo it.

    It ``changed`` something, or may have; None in older journals, where the result must tell.
    ``lasting`` says why what it changed cannot be undone.
    """

    result: ActionResult
    transient: bool = False
    facts: tuple[str, ...] = ()
    undo: tuple[GoalDraft, ...] = ()
    changed: bool | None = None
    lasting: str = ""


class Stopped(Data, frozen=True, tag_field="kind", tag=snake):
    """A client has cancelled it."""


class Resumed(Data, frozen=True, tag_field="kind", tag=snake):
    """A daemon that started went on with it."""


class Asked(Data, frozen=True, tag_field="kind", tag=snake):
    """What a person was asked, or shown to be approved of."""

    event: wire.Question | wire.ApprovalNeeded


class Ruled(Data, frozen=True, tag_field="kind", tag=snake):
    """A yes or no to what one of its actions was about to do: a person's, or that of a flag."""

    action: str
    approval: str
    allow: bool
    by: str = "person"


class Told(Data, frozen=True, tag_field="kind", tag=snake):
    """A person's answer to a question about one of its actions, or about its words."""

    action: str
    role: str
    choice: int | str


Entry: TypeAlias = Laid | Meant | Intent | Outcome | Told | Ruled | Asked | Stopped | Resumed


class Story(Data, frozen=True):
    """All that is known of a command: what was asked for, what happened, and its end.

    It is ``unreadable`` if something of it was kept that cannot be read any more. ``undoes`` names
    the command that it undoes, if it is an undo; ``schedule`` the entry whose time had come, with
    the kinds of approval that were given when it was said.
    """

    submit: wire.Submit
    entries: tuple[Entry, ...] = ()
    finished: wire.Finished | None = None
    unreadable: bool = False
    undoes: str = ""
    schedule: str = ""
    approves: tuple[str, ...] = ()


# Requests


class Taken(Message, frozen=True):
    """The command is on disk, and new."""

    command_id: str


class TakenBefore(Message, frozen=True):
    """A command of this id came before; ``finished`` if it has ended."""

    command_id: str
    finished: wire.Finished | None = None


class NotTaken(Message, frozen=True):
    """The command could not be written down, so nothing of it may happen."""

    command_id: str
    reason: str


class Take(Request["Taken | TakenBefore | NotTaken"], frozen=True):
    """Write down a command, once; ``undoes`` names the command that it undoes, if it is an undo.

    ``schedule`` is the entry whose time had come, ``approves`` what was approved of with it.
    """

    command_id: str
    submit: wire.Submit
    undoes: str = ""
    schedule: str = ""
    approves: tuple[str, ...] = ()


class Ended(Message, frozen=True):
    """The end of a command is on disk."""

    command_id: str
    finished: wire.Finished


class End(Request[Ended], frozen=True):
    """Write down how a command ended."""

    command_id: str
    finished: wire.Finished


class Kept(Message, frozen=True):
    """The entry is on disk."""


class NotKept(Message, frozen=True):
    """The entry could not be written down, so what was to follow must not."""

    reason: str


class Keep(Request["Kept | NotKept"], frozen=True):
    """Write down an entry before what it speaks of happens."""

    command_id: str
    entry: Entry


class Note(Message, frozen=True):
    """Write down an entry soon; nobody waits for it."""

    command_id: str
    entry: Entry


class Stories(Message, frozen=True):
    """The commands that were asked for, oldest first; ``unreadable`` if there may be others."""

    stories: tuple[Story, ...]
    command_id: str = ""
    unreadable: bool = False
    session: str = ""


class Recall(Request[Stories], frozen=True):
    """Tell of one command, of the last change of a ``session``, or else of all under way.

    With ``latest``, of the commands of the session that ended last, so many at most.
    """

    command_id: str = ""
    session: str = ""
    latest: int = 0


class Remember(Message, frozen=True):
    """Keep a model's answer, by all that it depends on."""

    key: str
    answer: str


class KeepRecords(Message, frozen=True):
    """Keep records of the trace of a command, for whoever asks why it did what it did."""

    command_id: str
    lines: bytes


class KeepSchedules(Request["Kept | NotKept"], frozen=True):
    """Write down entries of the schedule; what is done is forgotten."""

    entries: tuple[ScheduleEntry, ...]


class Schedules(Message, frozen=True):
    """All entries of the schedule that are not done."""

    entries: tuple[ScheduleEntry, ...]


class RecallSchedules(Request[Schedules], frozen=True):
    """Tell what is due later."""


Inbox: TypeAlias = (
    Take | End | Keep | Note | Recall | Remember | KeepRecords | KeepSchedules | RecallSchedules
)
Reply: TypeAlias = Taken | TakenBefore | NotTaken | Ended | Kept | NotKept | Stories | Schedules
