"""The brains, as a gateway sends to them.

A request goes to the shard of its session, and is kept by the bus until the brain that owns the
shard has answered. What names only a command goes to the shard that command came from, or, where
that is not known here, to all of them: only one knows it. Events come back as they happen; of a
command that is followed and of which nothing was heard for a while, its shard is asked.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from time import monotonic
from typing import Any, Protocol, TypeVar, assert_never
from uuid import uuid4

import anyio
import msgspec

from actors.cluster.bus import Bus, TooLarge, Unavailable
from actors.cluster.envelopes import (
    ABILITIES,
    brain_address,
    encode,
    read_able,
    read_to_gateway,
    shard_of,
)
from actors.cluster.presence import Presence
from actors.logger import ActorLogger, logger_of
from actors.mailbox import Unanswered, WayBack
from messages import commanding, executing, wire
from messages.cluster import Answered, Beat, ForBrain, FromBrain, Happened, Role, ToBrain
from messages.commanding import (
    Admit,
    AnswerQuestion,
    ApproveAction,
    CancelCommand,
    Known,
    Report,
    TurnedAway,
    UndoCommand,
)
from messages.executing import Survey, Surveyed
from messages.message import Request
from messages.plans import ToolCapability, WorldState
from messages.results import Code
from messages.trace import NOWHERE, Trace

R = TypeVar("R")
# A shard may be without an owner for as long as a lease lasts and a log takes to be read.
ANSWER_SECONDS, ALL_SECONDS = 60.0, 3.0
QUIET_SECONDS, LOOK_SECONDS = 3.0, 1.0
MOST_HOMES = 100_000
MOST_NAMED, MOST_LATEST = 100, 20  # as a single daemon names them


class Listeners(Protocol):
    """Whoever follows commands here."""

    def followed(self) -> tuple[str, ...]:
        """Name the commands of which somebody waits for the end."""

    def publish(self, *events: wire.CommandEvent) -> None:
        """Tell them of one command."""


@dataclass(slots=True)
class Waiting:
    """A request on its way: who waits for the answer, and how many shards were asked."""

    message: ForBrain
    way_back: WayBack | None
    until: float
    shards: int
    replies: list[FromBrain] = field(default_factory=list)


@dataclass
class FollowUp:
    """The way back of a look after a command of which nothing was heard."""

    listeners: Listeners

    def deliver(self, reply: FromBrain, trace: Trace) -> None:  # noqa: ARG002
        if isinstance(reply, Known) and reply.finished is not None:
            self.listeners.publish(reply.finished)

    def give_up(self, request: Any, trace: Trace) -> None:
        """Nobody has the shard now; it is asked again."""


@dataclass
class Front:
    """What was asked and not answered yet, and which shard each command belongs to."""

    bus: Bus
    name: str
    shards: int
    listeners: Listeners
    presence: Presence
    log: ActorLogger = field(default_factory=lambda: logger_of("front"))
    waiting: dict[str, Waiting] = field(default_factory=dict)
    homes: OrderedDict[str, int] = field(default_factory=OrderedDict)
    heard_at: dict[str, float] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return f"gateway.{self.name}"

    async def run(self) -> None:
        """Hear what brains answer, and look after what is quiet."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.look_after)
            async with self.bus.hear(self.address) as answers:
                async for body in answers:
                    self.take(body)

    # As a recipient

    def told(self, message: commanding.Inbox, way_back: WayBack | None = None) -> bool:  # noqa: ARG002
        """Say that there is no room at once: what is sent here is waited for until it is kept."""
        return False

    async def tell(self, message: commanding.Inbox, way_back: WayBack | None = None) -> None:
        """Send a request to the shard that it is about; it is kept when this returns."""
        if not isinstance(message, ForBrain):
            raise TypeError(f"{type(message).__name__} is not asked of brains")
        homes, seconds = self.homes_of(message)
        ask = uuid4().hex
        until = monotonic() + seconds
        self.waiting[ask] = Waiting(message, way_back, until, len(homes))
        body = encode(ToBrain(ask, self.address, message))
        try:
            for shard in homes:
                await self.bus.send(brain_address(shard), f"{ask}-{shard}", body)
        except (Unavailable, TooLarge) as error:
            self.log.warning("bus.not_sent", error=str(error))
            self.give_up(ask)

    async def ask(self, request: Request[R], *, within: float = 5.0) -> R:  # noqa: ARG002
        """No gateway waits for a brain."""
        raise Unanswered(request)

    def homes_of(self, message: ForBrain) -> tuple[tuple[int, ...], float]:
        """Name the shards that a request goes to, and how long it may take."""
        everywhere = tuple(range(self.shards))
        match message:
            case Admit(submit):
                return self.home_of_session(submit.session, submit.id), ANSWER_SECONDS
            case UndoCommand(request) if request.command is None:
                return self.home_of_session(request.session, request.id), ANSWER_SECONDS
            case UndoCommand(request) | CancelCommand(request) | Report(request):
                command = request.command
            case AnswerQuestion(answer):
                command = answer.question.rpartition(":")[0]
            case ApproveAction(approve):
                command = approve.approval.rpartition(":")[0]
            case unknown:
                assert_never(unknown)
        home = None if command is None else self.homes.get(command)
        return (everywhere, ALL_SECONDS) if home is None else ((home,), ANSWER_SECONDS)

    def home_of_session(self, session: str, command: str) -> tuple[int]:
        shard = shard_of(session, self.shards)
        self.note_home(command, shard)
        return (shard,)

    def note_home(self, command: str, shard: int) -> None:
        self.homes[command] = shard
        self.homes.move_to_end(command)
        if len(self.homes) > MOST_HOMES:
            self.homes.popitem(last=False)

    # What comes back

    def take(self, body: bytes) -> None:
        """Take an answer, or events of a command."""
        try:
            told = read_to_gateway(body)
        except msgspec.DecodeError as error:
            self.log.warning("bus.unreadable", error=str(error))
            return
        match told:
            case Answered(ask, shard, reply):
                self.take_answer(ask, shard, reply)
            case Happened(events):
                self.heard_at[events[0].command] = monotonic()
                self.listeners.publish(*events)
            case unknown:
                assert_never(unknown)

    def take_answer(self, ask: str, shard: int, reply: FromBrain | None) -> None:
        """Hand over the answer of the shard that knows; of those that do not, the last."""
        if (waiting := self.waiting.get(ask)) is None:
            return
        waiting.shards -= 1
        if reply is not None:
            waiting.replies.append(reply)
            if isinstance(reply, Known) and reply.state.command:
                self.note_home(reply.state.command, shard)
        is_last = not waiting.shards
        if is_daemon_report(waiting.message) and waiting.replies:
            if is_last:
                self.finish(ask, merged_states(waiting.replies, self.members()))
        elif reply is not None and (is_last or not is_unknown(reply)):
            self.finish(ask, reply)
        elif is_last:
            self.give_up(ask)

    def finish(self, ask: str, reply: FromBrain) -> None:
        waiting = self.waiting.pop(ask)
        if waiting.way_back is not None:
            waiting.way_back.deliver(reply, NOWHERE)

    def members(self) -> tuple[wire.Member, ...]:
        """Give the processes of the cluster that are there."""
        roles: tuple[Role, ...] = ("gateway", "brain", "executor")
        return tuple(
            wire.Member(beat.role, beat.name, beat.labels, beat.load, beat.draining)
            for role in roles
            for beat in self.presence.living(role)
        )

    def give_up(self, ask: str) -> None:
        waiting = self.waiting.pop(ask, None)
        if waiting is not None and waiting.way_back is not None:
            waiting.way_back.give_up(waiting.message, NOWHERE)

    # What is quiet

    async def look_after(self) -> None:
        """Give up what nobody answers; ask for commands of which nothing was heard for a while."""
        while True:
            await anyio.sleep(LOOK_SECONDS)
            now = monotonic()
            for ask, waiting in list(self.waiting.items()):
                if waiting.until <= now and waiting.replies:  # of those that answered, none knew
                    report = is_daemon_report(waiting.message)
                    last = waiting.replies[-1]
                    merged = merged_states(waiting.replies, self.members()) if report else last
                    self.finish(ask, merged)
                elif waiting.until <= now:
                    self.give_up(ask)
            followed = self.listeners.followed()
            self.heard_at = {each: self.heard_at.get(each, now) for each in followed}
            for command, heard in list(self.heard_at.items()):
                if now - heard > QUIET_SECONDS and command in self.homes:
                    self.heard_at[command] = now
                    look = Report(wire.Status(f"follow-{uuid4().hex}", command))
                    await self.tell(look, FollowUp(self.listeners))


@dataclass
class Capabilities:
    """The executors, as a gateway asks what they can do."""

    bus: Bus
    presence: Presence

    def told(self, message: executing.Inbox, way_back: WayBack | None = None) -> bool:  # noqa: ARG002
        return False

    async def tell(self, message: executing.Inbox, way_back: WayBack | None = None) -> None:
        """Tell what all executors together can do."""
        if isinstance(message, Survey) and way_back is not None:
            abilities = await abilities_of(self.bus, self.presence.living("executor"))
            way_back.deliver(Surveyed(message.command_id, WorldState(), abilities), NOWHERE)

    async def ask(self, request: Request[R], *, within: float = 5.0) -> R:  # noqa: ARG002
        raise Unanswered(request)


async def abilities_of(bus: Bus, executors: Sequence[Beat]) -> tuple[ToolCapability, ...]:
    """Give what some executors can do, each capability once."""
    found: dict[str, ToolCapability] = {}
    for each in executors:
        held = await bus.get(ABILITIES, each.name)
        if held is not None:
            found |= {able.name: able for able in read_able(held.value).capabilities}
    return tuple(found.values())


def is_daemon_report(message: ForBrain) -> bool:
    """Tell whether a request asks how all of it does."""
    return isinstance(message, Report) and message.request.command is None


def is_unknown(reply: FromBrain) -> bool:
    """Tell whether a shard does not know what it was asked about."""
    unknown = (Code.UNKNOWN_COMMAND, Code.UNKNOWN_QUESTION, Code.UNKNOWN_APPROVAL)
    return isinstance(reply, TurnedAway) and reply.error.code in unknown


def merged_states(replies: list[FromBrain], members: tuple[wire.Member, ...]) -> FromBrain:
    """Make one state of those of all shards."""
    states = [reply.state for reply in replies if isinstance(reply, Known)]
    if not states:
        return replies[-1]
    healths = [state.health for state in states if state.health is not None]
    return Known(
        msgspec.structs.replace(
            states[0],
            questions=tuple(chain.from_iterable(state.questions for state in states)),
            approvals=tuple(chain.from_iterable(state.approvals for state in states)),
            health=merged_health(healths, members) if healths else None,
        )
    )


def merged_health(healths: list[wire.Health], members: tuple[wire.Member, ...]) -> wire.Health:
    """Make one report of how all shards do, as long as that of one daemon."""
    return msgspec.structs.replace(
        healths[0],
        running=first_of((health.running for health in healths), MOST_NAMED),
        queued=sum(health.queued for health in healths),
        finished=sum(health.finished for health in healths),
        sessions=first_of((health.sessions for health in healths), MOST_NAMED),
        latest=first_of((health.latest for health in healths), MOST_LATEST),
        members=members,
    )


def first_of(names: Iterable[tuple[str, ...]], most: int) -> tuple[str, ...]:
    return tuple(islice(chain.from_iterable(names), most))
