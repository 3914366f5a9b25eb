"""What is said between machines: requests to brains and executors, their answers, and heartbeats.

Each is an envelope around a message that one machine's actors say to each other. A question has a
name of its own (``ask``), by which the answer finds whoever asked; it may be asked again.
"""

from typing import Literal, TypeAlias

from messages import executing, journaling, wire
from messages.commanding import (
    Admit,
    Admitted,
    AnswerQuestion,
    ApproveAction,
    CancelCommand,
    Known,
    Report,
    TurnedAway,
    UndoCommand,
)
from messages.message import Data, Message, snake
from messages.plans import ToolCapability

Role: TypeAlias = Literal["gateway", "brain", "executor"]
# Messages between roles of one version are understood by all roles of that version and the next.
VERSION = 2

# To a brain, and back

ForBrain: TypeAlias = Admit | AnswerQuestion | ApproveAction | UndoCommand | CancelCommand | Report
FromBrain: TypeAlias = Admitted | Known | TurnedAway


class ToBrain(Data, frozen=True):
    """Something a gateway asks of the brain that owns a shard; ``answer_to`` hears of it."""

    ask: str
    answer_to: str
    message: ForBrain
    version: int = VERSION


class Answered(Data, frozen=True, tag=snake):
    """The answer of a brain; None if there will be none, and it may be asked again."""

    ask: str
    shard: int
    reply: FromBrain | None = None


class Happened(Data, frozen=True, tag=snake):
    """Events of a command, for the gateways whose clients follow it."""

    events: tuple[wire.CommandEvent, ...]


ToGateway: TypeAlias = Answered | Happened


# To an executor, and back


class Forget(Message, frozen=True):
    """A command has ended: nothing of it needs to be known any more."""

    command_id: str


ForExecutor: TypeAlias = (
    executing.Survey
    | executing.Look
    | executing.Check
    | executing.Perform
    | executing.Abort
    | executing.Leave
    | Forget
)
FromExecutor: TypeAlias = (
    executing.Surveyed | executing.Seen | executing.Checked | executing.Performed
)


class ToExecutor(Data, frozen=True):
    """Something a brain asks of an executor, by the right of an ``epoch`` of a shard.

    An epoch ends when another brain takes the shard over: nothing of an older one is done. Nor is
    anything done by an executor with another journal than ``journal``: it does not know what the
    one before has done.
    """

    ask: str
    answer_to: str
    shard: int
    epoch: int
    session: str
    message: ForExecutor
    version: int = VERSION
    journal: str = ""


class Reported(Data, frozen=True):
    """The answer of an executor, or the name of the blob that it is in.

    Neither if there will be none: the executor's actor crashed, or the request was too old.
    """

    ask: str
    reply: FromExecutor | None = None
    blob: str = ""


# Who is there


class Beat(Data, frozen=True):
    """A heartbeat: who is there, as what, with which labels and how much to do.

    Whoever has died and come back has another ``life``. That of an executor begins with the id of
    its journal and a dot.
    """

    role: Role
    name: str
    labels: tuple[str, ...] = ()
    load: int = 0
    draining: bool = False
    life: str = ""
    version: int = VERSION


class Able(Data, frozen=True):
    """What an executor can do; kept in the state, for it is long and seldom changes."""

    capabilities: tuple[ToolCapability, ...] = ()


class Owner(Data, frozen=True):
    """The brain that has a shard, for as long as it renews this."""

    name: str
    life: str = ""


class Place(Data, frozen=True):
    """The executor that works for a session, since an ``epoch`` of its shard.

    One of the same name with another ``journal`` is another executor.
    """

    executor: str
    epoch: int = 0
    journal: str = ""


# What is in the log of a shard

Written: TypeAlias = (
    journaling.Take | journaling.Keep | journaling.Note | journaling.End | journaling.KeepSchedules
)


class Opened(Data, frozen=True, tag=snake):
    """A brain has taken the shard over; the place of this in the log is its epoch.

    No two of them are equal: an equal entry would be taken for the same one written again.
    """

    owner: str
    id: str = ""


class Batch(Data, frozen=True, tag=snake):
    """What was written down together."""

    written: tuple[Written, ...]


class Excerpt(Data, frozen=True, tag=snake):
    """A part of all that still matters: with the last part, what is before the first can go."""

    part: int
    parts: int
    written: tuple[Written, ...]


Entry: TypeAlias = Opened | Batch | Excerpt
