"""An executor's side of the bus: what brains ask comes in, what its actor answers goes back.

Its journal is its own, on its own disk: what it has begun and what came of it. So it can be asked
twice, and die and come back, and does nothing twice.
"""

from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import anyio
import anyio.abc

from actors.cluster.bus import Bus, Conflict, Delivery, Unavailable
from actors.cluster.deliveries import read_delivery, settled
from actors.cluster.envelopes import (
    ABILITIES,
    PLACES,
    encode,
    executor_address,
    key_of,
    read_place,
    read_to_executor,
)
from actors.cluster.presence import Presence
from actors.logger import ActorLogger, logger_of
from actors.mailbox import Address
from messages import executing, journaling, wire
from messages.cluster import Able, Forget, FromExecutor, Reported, ToExecutor
from messages.executing import Abort, Leave, Perform, Watch, WorldSeen
from messages.journaling import End, Ended, NotTaken, Take, Taken, TakenBefore
from messages.trace import Trace

LARGE = 256 << 10  # bytes of an answer that goes by a blob
PATIENCE, WORKING_SECONDS = 20.0, 6.0
MOST_COMMANDS = 100_000
ELSEWHERE = "(it is known to the brain that sent it)"


@dataclass(slots=True)
class Returning:
    """The way back to a brain; what it asked is done with when it has been answered."""

    host: "Host"
    delivery: Delivery
    envelope: ToExecutor

    def deliver(self, reply: FromExecutor, trace: Trace) -> None:  # noqa: ARG002
        self.host.answer(self.delivery, self.envelope, reply)

    def give_up(self, request: Any, trace: Trace) -> None:  # noqa: ARG002
        self.host.answer(self.delivery, self.envelope, None)


@dataclass(slots=True)
class Watching:
    """Hears what the executor can do."""

    host: "Host"

    def deliver(self, reply: WorldSeen, trace: Trace) -> None:  # noqa: ARG002
        self.host.able = Able(reply.capabilities)
        self.host.able_changed.set()

    def give_up(self, request: Any, trace: Trace) -> None:
        """Its actor has crashed, and is back soon."""


@dataclass
class Host:
    """What brains have asked and is not answered yet, and the latest right to each shard."""

    bus: Bus
    name: str
    journal_id: str
    presence: Presence
    executor: Address[executing.Inbox]
    journal: Address[journaling.Inbox]
    log: ActorLogger = field(default_factory=lambda: logger_of("host"))
    under_way: dict[str, Delivery] = field(default_factory=dict)
    epochs: dict[int, int] = field(default_factory=dict)
    known: OrderedDict[str, None] = field(default_factory=OrderedDict)
    placed_here: set[str] = field(default_factory=set)
    absences: int = 0
    able: Able = field(default_factory=Able)
    able_changed: anyio.Event = field(default_factory=anyio.Event)
    draining: bool = False
    idle: anyio.Event = field(default_factory=anyio.Event)
    tasks: anyio.abc.TaskGroup | None = None
    intake: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    async def run(self) -> None:
        async with anyio.create_task_group() as self.tasks:
            self.tasks.start_soon(self.keep_working)
            self.tasks.start_soon(self.tell_abilities)
            await self.executor.tell(Watch(), Watching(self))
            address = executor_address(self.name)
            with self.intake:
                async with self.bus.deliveries(address, self.name, patience=PATIENCE) as requests:
                    async for delivery in requests:
                        await self.take(delivery)
            await anyio.sleep_forever()

    async def drain(self) -> None:
        """Take nothing more; return when all that was taken is answered."""
        self.draining = True
        self.intake.cancel()
        while self.under_way:
            self.idle = anyio.Event()
            await self.idle.wait()

    async def take(self, delivery: Delivery) -> None:
        """Hand a request to the actor, if it is by the latest right to its shard.

        What was asked of an executor with another journal may have been done by it.
        """
        envelope = await read_delivery(delivery, read_to_executor, self.log)
        if envelope is None:
            return
        if envelope.epoch < self.epochs.get(envelope.shard, 0):
            self.log.warning("request.outdated", shard=envelope.shard, epoch=envelope.epoch)
            self.settle(delivery)
            return
        self.epochs[envelope.shard] = envelope.epoch
        if envelope.journal not in ("", self.journal_id):
            self.log.warning("request.of_another_journal", shard=envelope.shard, ask=envelope.ask)
            self.settle(delivery)
            return
        try:
            is_here = not may_be_repeated(envelope) or await self.is_placed_here(envelope.session)
        except Unavailable:
            return  # it is delivered again
        if is_here:
            await self.hand_over(delivery, envelope)
        else:
            self.log.warning("request.of_moved_session", shard=envelope.shard, ask=envelope.ask)
            self.settle(delivery)

    async def is_placed_here(self, session: str) -> bool:
        """Tell whether a session has not moved while this executor was away.

        What may be repeated was then asked of another: done here so late, it would undo what has
        been done there since.
        """
        if self.presence.is_away() or self.absences != self.presence.absences:
            self.absences = self.presence.absences
            self.placed_here.clear()
        if session not in self.placed_here:
            held = await self.bus.get(PLACES, key_of(session))
            if held is not None and read_place(held.value).executor != self.name:
                return False
            self.placed_here.add(session)
        return True

    async def hand_over(self, delivery: Delivery, envelope: ToExecutor) -> None:
        """Have a request served; who only tells something waits for nothing."""
        match envelope.message:
            case Forget(command_id):
                self.known.pop(command_id, None)
                finished = wire.Finished(command_id, "success")
                await self.journal.tell(End(command_id, finished), Unheard())
                self.settle(delivery)
            case Abort() | Leave() as message:
                await self.executor.tell(message)
                self.settle(delivery)
            case message:
                if isinstance(message, Perform):
                    await self.note_command(message.command_id, envelope.session)
                self.under_way[envelope.ask] = delivery
                await self.executor.tell(message, Returning(self, delivery, envelope))

    async def note_command(self, command: str, session: str) -> None:
        """Have it written down that there is such a command, before anything is done for it."""
        if command in self.known:
            return
        self.known[command] = None
        if len(self.known) > MOST_COMMANDS:
            self.known.popitem(last=False)
        submit = wire.Submit(command, text=ELSEWHERE, session=session)
        await self.journal.tell(Take(command, submit), Noting(self.known, command))

    def answer(self, delivery: Delivery, envelope: ToExecutor, reply: FromExecutor | None) -> None:
        if self.tasks is not None:
            self.tasks.start_soon(self.send_answer, delivery, envelope, reply)

    async def send_answer(
        self, delivery: Delivery, envelope: ToExecutor, reply: FromExecutor | None
    ) -> None:
        """Send an answer; a long one goes by a blob. The brain asks again if it gets lost."""
        body = encode(Reported(envelope.ask, reply))
        try:
            if len(body) > LARGE:
                body = encode(Reported(envelope.ask, blob=await self.bus.put_blob(body)))
            await self.bus.tell(envelope.answer_to, body)
            await delivery.ack()
        except Unavailable as error:
            self.log.warning("bus.not_sent", error=str(error))
        finally:
            self.under_way.pop(envelope.ask, None)
            if not self.under_way:
                self.idle.set()

    def settle(self, delivery: Delivery) -> None:
        if self.tasks is not None:
            self.tasks.start_soon(settled, delivery.ack)

    async def keep_working(self) -> None:
        """Keep what takes long: else it would be delivered again."""
        while True:
            await anyio.sleep(WORKING_SECONDS)
            for delivery in list(self.under_way.values()):
                with suppress(Unavailable):
                    await delivery.still_working()

    async def tell_abilities(self) -> None:
        """Write down what can be done here, whenever that changes."""
        while True:
            await self.able_changed.wait()
            self.able_changed = anyio.Event()
            try:
                await self.write_abilities()
            except (Conflict, Unavailable):
                self.able_changed.set()
                await anyio.sleep(1.0)

    async def write_abilities(self) -> None:
        held = await self.bus.get(ABILITIES, self.name)
        if held is None:
            await self.bus.create(ABILITIES, self.name, encode(self.able))
        else:
            await self.bus.update(ABILITIES, self.name, encode(self.able), held.revision)


@dataclass(slots=True)
class Noting:
    """The way back of a command that is written down; one that could not be is tried again.

    What is known of its actions is found by it alone.
    """

    known: OrderedDict[str, None]
    command: str

    def deliver(self, reply: Taken | TakenBefore | NotTaken, trace: Trace) -> None:  # noqa: ARG002
        if isinstance(reply, NotTaken):
            self.known.pop(self.command, None)

    def give_up(self, request: Any, trace: Trace) -> None:  # noqa: ARG002
        self.known.pop(self.command, None)


def may_be_repeated(envelope: ToExecutor) -> bool:
    """Tell whether a request changes something, and may have been asked of another since."""
    message = envelope.message
    if not isinstance(message, Perform):
        return False
    return message.action.repeatable and message.action.action_class != "observe"


class Unheard:
    """The way back of what is only written down."""

    def deliver(self, reply: Ended, trace: Trace) -> None:
        """Nobody waits for it."""

    def give_up(self, request: Any, trace: Trace) -> None:
        """The journal has crashed: what is done then is in doubt after a crash of this one, too."""
