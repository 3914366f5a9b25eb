"""Brains: each owns some shards, and serves what comes for them.

For every shard that it owns, a brain runs an Orchestrator of its own with the journal of that
shard. The right to do so is a lease in the state, which ends if it is not renewed, and a place in
the shard's log: what another owner writes behind it ends this one, whatever it believes.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil
from time import monotonic
from typing import Any

import anyio
import anyio.abc

from actors.cluster.bus import Bus, Conflict, Delivery, Unavailable
from actors.cluster.deliveries import read_delivery, settled
from actors.cluster.envelopes import (
    LEASES,
    brain_address,
    encode,
    lease_key,
    read_owner,
    read_to_brain,
)
from actors.cluster.presence import Presence
from actors.logger import ActorLogger, logger_of
from actors.mailbox import Address
from messages import commanding, wire
from messages.cluster import Answered, FromBrain, Happened, Owner, ToBrain
from messages.commanding import Admit, CancelCommand, Report, UndoCommand
from messages.trace import Trace

RENEW_SECONDS, TAKE_SECONDS = 1.5, 0.5
# A lease has to outlast the election of another leader among the servers, which takes up to ten
# seconds. Whoever could not renew it for a while asks nothing of executors until it has; the lease
# of a brain that is dead is taken before it ends.
LEASE_SECONDS, LOST_SECONDS, SURE_SECONDS = 20.0, 17.0, 5.0
# What a brain has taken and not answered goes to its successor after so long: longer than it takes
# to write something down, shorter than a lease. To take it twice is harmless.
PATIENCE = 4.0
GROUP = "brains"


class Fenced(Exception):
    """Another brain has the shard: nothing that this one does for it counts any more."""


class Unreadable(Exception):
    """The log of a shard cannot be read here: a brain of a later version has written to it."""


# What a shard's owner says


@dataclass
class Mouth:
    """What is said to gateways: answers and events, in the order in which they came to be."""

    bus: Bus
    shard: int
    followers: dict[str, set[str]] = field(default_factory=dict)
    _said: deque[tuple[str, bytes]] = field(default_factory=deque)
    _bell: anyio.Event = field(default_factory=anyio.Event)

    async def run(self) -> None:
        """Say what is to be said."""
        while True:
            while self._said:
                address, body = self._said.popleft()
                with suppress(Unavailable):
                    await self.bus.tell(address, body)
            self._bell = anyio.Event()
            if not self._said:
                await self._bell.wait()

    def say(self, address: str, told: Answered | Happened) -> None:
        self._said.append((address, encode(told)))
        self._bell.set()

    def follow(self, command: str, address: str) -> None:
        """Let a gateway hear of a command from now on."""
        if command:
            self.followers.setdefault(command, set()).add(address)

    # As the events of an Orchestrator

    def publish(self, *events: wire.CommandEvent) -> None:
        """Tell of one command to the gateways whose clients follow it."""
        command = events[0].command
        for address in self.followers.get(command, ()):
            self.say(address, Happened(events))
        if isinstance(events[-1], wire.Finished):
            self.followers.pop(command, None)

    def followed(self) -> tuple[str, ...]:
        return tuple(self.followers)


@dataclass(slots=True)
class Returning:
    """The way back to a gateway; what it asked is done with when it has been answered."""

    intake: "Intake"
    delivery: Delivery
    envelope: ToBrain

    def deliver(self, reply: FromBrain, trace: Trace) -> None:  # noqa: ARG002
        self.intake.answer(self.delivery, self.envelope, reply)

    def give_up(self, request: Any, trace: Trace) -> None:  # noqa: ARG002
        self.intake.give_back(self.delivery)


@dataclass
class Intake:
    """Requests for a shard, from the bus to its Orchestrator."""

    bus: Bus
    shard: int
    orchestrator: Address[commanding.Inbox]
    mouth: Mouth
    log: ActorLogger = field(default_factory=lambda: logger_of("brain"))
    tasks: anyio.abc.TaskGroup | None = None

    async def run(self) -> None:
        async with (
            anyio.create_task_group() as self.tasks,
            self.bus.deliveries(brain_address(self.shard), GROUP, patience=PATIENCE) as deliveries,
        ):
            async for delivery in deliveries:
                await self.take(delivery)

    async def take(self, delivery: Delivery) -> None:
        """Hand a request to the Orchestrator; what cannot be read is a dead letter."""
        envelope = await read_delivery(delivery, read_to_brain, self.log)
        if envelope is None:
            return
        self.mouth.follow(followed_by(envelope), envelope.answer_to)
        await self.orchestrator.tell(envelope.message, Returning(self, delivery, envelope))

    def answer(self, delivery: Delivery, envelope: ToBrain, reply: FromBrain) -> None:
        self.mouth.say(envelope.answer_to, Answered(envelope.ask, self.shard, reply))
        if self.tasks is not None:
            self.tasks.start_soon(settled, delivery.ack)

    def give_back(self, delivery: Delivery) -> None:
        if self.tasks is not None:
            self.tasks.start_soon(settled, delivery.give_back)


def followed_by(envelope: ToBrain) -> str:
    """Name the command that a gateway hears of from now on."""
    match envelope.message:
        case Admit(submit):
            return submit.id
        case UndoCommand(request):
            return request.id
        case CancelCommand(request) | Report(request):
            return request.command or ""
        case _:
            return ""


# Which shards are owned


@dataclass
class Lease:
    """The right to a shard, for as long as it is renewed."""

    shard: int
    revision: int
    renewed: float
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)

    def is_sure(self) -> bool:
        """Tell whether nobody else can have it yet, as far as that can be known here."""
        return monotonic() - self.renewed < SURE_SECONDS and not self.scope.cancel_called


@dataclass
class Leases:
    """The shards of one brain: it takes what nobody has, up to its share, and gives back more."""

    bus: Bus
    name: str
    life: str
    shards: int
    presence: Presence
    serve: Callable[[Lease], Awaitable[None]]
    held: dict[int, Lease] = field(default_factory=dict)
    foreign: set[int] = field(default_factory=set)
    leaving: bool = False
    log: ActorLogger = field(default_factory=lambda: logger_of("brain"))

    async def run(self) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.renew_all)
            while not self.leaving:
                with suppress(Unavailable):
                    await self.take_share(tasks)
                await anyio.sleep(TAKE_SECONDS)

    def share(self) -> int:
        """Say how many shards this brain is to have, with those that are there."""
        brains = max(1, len([beat for beat in self.presence.living("brain") if not beat.draining]))
        return ceil(self.shards / brains)

    async def take_share(self, tasks: anyio.abc.TaskGroup) -> None:
        """Take shards that nobody has; let those go that another is to have."""
        share = self.share()
        for lease in list(self.held.values())[share:]:
            await self.let_go(lease)
        for shard in range(self.shards):
            if len(self.held) >= share:
                return
            if shard in self.held or shard in self.foreign:
                continue
            taken = await self.taken(shard)
            if taken is not None:
                self.held[shard] = taken
                tasks.start_soon(self.own, taken)

    async def taken(self, shard: int) -> Lease | None:
        """Take a shard, if nobody has it, or only somebody who is dead."""
        key, before = lease_key(shard), monotonic()
        try:
            if (held := await self.bus.get(LEASES, key)) is not None:
                owner = read_owner(held.value)
                if not self.presence.is_surely_dead("brain", owner.name, owner.life):
                    return None
                await self.bus.delete(LEASES, key, held.revision)
            return Lease(shard, await self.bus.create(LEASES, key, self.signature), before)
        except Conflict:
            return None

    @property
    def signature(self) -> bytes:
        return encode(Owner(self.name, self.life))

    async def own(self, lease: Lease) -> None:
        """Serve a shard until it is lost, and let others have it."""
        self.log.info("shard.taken", shard=lease.shard, owner=self.name)
        try:
            with lease.scope:
                await self.serve(lease)
        except* Fenced:
            self.log.warning("shard.fenced", shard=lease.shard, owner=self.name)
        except* Unavailable as group:
            self.log.warning(
                "shard.unavailable", shard=lease.shard, reason=str(group.exceptions[0])
            )
            await self.let_go(lease)
        except* Unreadable as group:
            self.log.warning("shard.unreadable", shard=lease.shard, reason=str(group.exceptions[0]))
            self.foreign.add(lease.shard)
            await self.let_go(lease)
        finally:
            if self.held.get(lease.shard) is lease:  # else it was taken anew already
                del self.held[lease.shard]
            self.log.info("shard.left", shard=lease.shard, owner=self.name)

    async def let_go(self, lease: Lease) -> None:
        """Stop serving a shard, then let others have it at once."""
        self.held.pop(lease.shard, None)
        lease.scope.cancel()
        with suppress(Conflict, Unavailable):
            await self.bus.delete(LEASES, lease_key(lease.shard), lease.revision)

    async def renew_all(self) -> None:
        while True:
            await anyio.sleep(RENEW_SECONDS)
            async with anyio.create_task_group() as renewing:
                for lease in list(self.held.values()):
                    renewing.start_soon(self.renew, lease)

    async def renew(self, lease: Lease) -> None:
        """Renew a lease; one that was lost, or could not be renewed for long, ends its service."""
        before = monotonic()
        try:
            key = lease_key(lease.shard)
            lease.revision = await self.bus.update(LEASES, key, self.signature, lease.revision)
            lease.renewed = before
        except Conflict:
            lease.scope.cancel()
        except Unavailable:
            pass
        if monotonic() - lease.renewed > LOST_SECONDS:
            lease.scope.cancel()

    async def leave(self) -> None:
        """Let all shards go: what is under way on them goes on elsewhere."""
        self.leaving = True
        for lease in list(self.held.values()):
            await self.let_go(lease)
