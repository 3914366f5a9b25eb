"""Who is asked for an action when brains and executors come, go and move: never two for one.

The reach, the host and the journal of a shard are the real ones, on the bus within one process.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

import anyio
import anyio.lowlevel
import msgspec
import pytest

from actors.cluster.bus import Delivery
from actors.cluster.envelopes import PLACES, encode, key_of, read_to_executor
from actors.cluster.host import Host
from actors.cluster.presence import AWAY_SECONDS, DEAD_SECONDS, Presence
from actors.cluster.reach import NOBODY_SECONDS, Asked, Home, Reach
from actors.mailbox import Letter, Mailbox
from messages import executing, journaling
from messages.cluster import Beat, Place, ToExecutor
from messages.executing import Abort, Perform, Performed
from messages.journaling import Intent, Keep, Kept, NotTaken, Take, Taken
from messages.plans import PlannedAction
from messages.trace import NOWHERE, Trace
from run import open_journal
from tools.bus.sqlite import SqliteBus
from tools.shard_journal import ShardJournal

APPEND = PlannedAction(
    "g1.a1", "g1", "file.append", "append", {}, "actuate", "appended", "appended"
)
ROUND_TRIPS = 20


@dataclass
class Told:
    """A way back that keeps what came."""

    replies: list[Any] = field(default_factory=list)

    def deliver(self, reply: Any, trace: Trace) -> None:
        self.replies.append(reply)

    def give_up(self, request: Any, trace: Trace) -> None:
        self.replies.append(None)


@dataclass
class Brain:
    """The reach of one owner of a shard; its journal is answered by the test."""

    bus: SqliteBus
    reach: Reach
    journal: Mailbox[journaling.Inbox]
    written: dict[str, str] = field(default_factory=dict)

    async def keep(self) -> Intent:
        """Write down the next intent, as the journal of a shard does."""
        letter = await next_letter(self.journal)
        assert isinstance(letter.message, Keep)
        letter.answer(letter.message, Kept())
        assert isinstance(letter.message.entry, Intent)
        return letter.message.entry

    def ask(self, *, begun: bool = False) -> Told:
        told = Told()
        self.reach.told(Perform("c1", APPEND, begun=begun), told)
        return told


async def next_letter(mailbox: Mailbox[Any]) -> Letter[Any]:
    with anyio.fail_after(10):
        assert await mailbox.more()
        with mailbox.turn as letters:
            return next(iter(letters)).keep()


def hear(presence: Presence, name: str, journal: str = "j", life: str = "l") -> None:
    presence.note(encode(Beat("executor", name, life=f"{journal}.{life}")))


@asynccontextmanager
async def a_bus() -> AsyncIterator[SqliteBus]:
    bus = await SqliteBus.open()
    try:
        yield bus
    finally:
        await bus.close()


@asynccontextmanager
async def a_brain(
    bus: SqliteBus, *executors: str, epoch: int = 5, asked_before: str = ""
) -> AsyncIterator[Brain]:
    presence = Presence(bus, lambda: ())
    for name in executors:
        hear(presence, name)
    with Mailbox[journaling.Inbox]() as journal, Mailbox[executing.Inbox]() as own:
        reach = Reach(
            bus,
            0,
            epoch,
            presence,
            lambda _command: Home("s"),
            lambda _command, _action: asked_before,
            lambda: True,
            journal.address,
            own.address,
            frozenset(),
        )
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(reach.run)
            while reach.tasks is None:
                await anyio.lowlevel.checkpoint()
            yield Brain(bus, reach, journal)
            tasks.cancel_scope.cancel()


async def sent_to(bus: SqliteBus, executor: str) -> list[ToExecutor]:
    """Give what was sent to an executor up to now."""
    for _ in range(ROUND_TRIPS):  # whatever is on its way to the bus comes before the end
        await bus.get(PLACES, "none")
    await bus.send(f"executor.{executor}", f"end-{executor}-{monotonic()}", b"end")
    found: list[Delivery] = []
    async with bus.deliveries(f"executor.{executor}", executor) as deliveries:
        async for delivery in deliveries:
            await delivery.ack()
            if delivery.body == b"end":
                return [read_to_executor(each.body) for each in found]
            found.append(delivery)
    raise AssertionError


async def settle(told: Told) -> Performed:
    with anyio.fail_after(20):
        while not told.replies:
            await anyio.lowlevel.checkpoint()
    assert isinstance(told.replies[0], Performed)
    return told.replies[0]


async def test_no_executor_is_asked_before_it_is_written_down_which() -> None:
    async with a_bus() as bus, a_brain(bus, "e1") as brain:
        brain.ask()
        letter = await next_letter(brain.journal)
        assert await sent_to(bus, "e1") == []
        assert isinstance(letter.message, Keep)
        assert letter.message.entry == Intent(APPEND, {}, executor="e1.j")
        letter.answer(letter.message, Kept())
        while not any(asked.place for asked in brain.reach.asked.values()):
            await anyio.lowlevel.checkpoint()
        (request,) = await sent_to(bus, "e1")
        assert isinstance(request.message, Perform)
        assert request.journal == "j"


async def test_what_is_cancelled_on_its_way_is_aborted_behind_it() -> None:
    async with a_bus() as bus, a_brain(bus, "e1") as brain:
        brain.ask()
        letter = await next_letter(brain.journal)
        brain.reach.told(Abort("c1"))
        letter.answer(letter.message, Kept())
        while not any(asked.place for asked in brain.reach.asked.values()):
            await anyio.lowlevel.checkpoint()
        kinds = [type(each.message) for each in await sent_to(bus, "e1")]
        assert kinds[kinds.index(Perform) :] == [Perform, Abort]


async def test_what_one_executor_was_asked_is_not_asked_of_the_next_of_its_session() -> None:
    async with a_bus() as bus, a_brain(bus, "e1") as brain:
        told = brain.ask()
        await brain.keep()
        while not any(asked.place for asked in brain.reach.asked.values()):
            await anyio.lowlevel.checkpoint()
        assert len(await sent_to(bus, "e1")) == 1
        hear(brain.reach.presence, "e2")  # the session moves while the first is silent for a while
        brain.reach.places["s"] = Place("e2", 5, "j")
        ((ask, asked),) = brain.reach.asked.items()
        await brain.reach.send(ask, asked)  # once more, for its answer got lost
        again = await sent_to(bus, "e1")
        assert isinstance(again[0].message, Perform)
        assert await sent_to(bus, "e2") == []
        assert told.replies == []


async def test_a_shard_that_moves_twice_does_not_ask_another_executor() -> None:
    async with a_bus() as bus:
        # The owner before has placed the session anew, and died before it said that it is in doubt.
        await bus.create(PLACES, key_of("s"), encode(Place("e2", 4, "j")))
        async with a_brain(bus, "e2", asked_before="e1.j") as brain:
            brain.reach.presence.clock = lambda: monotonic() + 2 * DEAD_SECONDS  # it is there long
            assert (await settle(brain.ask(begun=True))).result.status == "in_doubt"
            assert await sent_to(bus, "e2") == []


async def test_what_may_have_happened_does_not_fail_because_nobody_is_there() -> None:
    async with a_bus() as bus, a_brain(bus, asked_before="e1.j") as brain:
        told = Told()
        begun = Perform("c1", APPEND, begun=True)
        long_ago = monotonic() - 2 * NOBODY_SECONDS
        brain.reach.asked["a"] = Asked(begun, told, NOWHERE, long_ago, began_before=True)
        brain.reach.asked["a"].sending = False
        assert (await settle(told)).result.status == "in_doubt"


async def test_an_executor_without_its_journal_is_another_executor() -> None:
    async with a_bus() as bus, a_brain(bus, "e1") as brain:
        told = brain.ask()
        await brain.keep()
        while not any(asked.place for asked in brain.reach.asked.values()):
            await anyio.lowlevel.checkpoint()
        hear(brain.reach.presence, "e1", journal="new", life="born again")
        assert (await settle(told)).result.status == "in_doubt"
        assert len(await sent_to(bus, "e1")) == 1


@asynccontextmanager
async def a_host(bus: SqliteBus, journal_id: str) -> AsyncIterator[tuple[Host, Any, Any]]:
    with Mailbox[executing.Inbox]() as executor, Mailbox[journaling.Inbox]() as journal:
        presence = Presence(bus, lambda: ())
        host = Host(bus, "e1", journal_id, presence, executor.address, journal.address)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(host.run)
            yield host, executor, journal
            tasks.cancel_scope.cancel()


def request(message: Any, journal: str = "j") -> bytes:
    return encode(ToExecutor("a", "unit.0.5", 0, 5, "s", message, journal=journal))


async def test_an_executor_does_nothing_that_was_asked_of_another_journal() -> None:
    async with a_bus() as bus:
        await bus.send("executor.e1", "old", request(Perform("old", APPEND, begun=True), "lost"))
        await bus.send("executor.e1", "new", request(Perform("new", APPEND, begun=True), "j"))
        async with a_host(bus, "j") as (_, executor, _):
            assert isinstance((await next_letter(executor)).message, executing.Watch)
            assert (await next_letter(executor)).message.command_id == "new"


async def test_what_may_be_repeated_is_not_done_where_its_session_is_no_more() -> None:
    write = msgspec.structs.replace(APPEND, repeatable=True)
    key = key_of("s")
    async with a_bus() as bus, a_host(bus, "j") as (host, executor, _):
        assert isinstance((await next_letter(executor)).message, executing.Watch)
        place = await bus.create(PLACES, key, encode(Place("e1", 5, "j")))
        await bus.send("executor.e1", "one", request(Perform("here", write, begun=True)))
        assert (await next_letter(executor)).message.command_id == "here"
        await bus.update(PLACES, key, encode(Place("e2", 5, "j")), place)
        host.presence.absences += 1  # it was stopped, and goes on
        await bus.send("executor.e1", "two", request(Perform("moved", write, begun=True)))
        await bus.send("executor.e1", "three", request(Perform("only here", APPEND, begun=True)))
        assert (await next_letter(executor)).message.command_id == "only here"


async def test_whoever_hears_nothing_for_a_while_knows_that_it_was_away() -> None:
    async with a_bus() as bus:
        now = 0.0
        presence = Presence(bus, lambda: (), clock=lambda: now)
        hear(presence, "e1")
        assert (presence.is_away(), presence.absences) == (False, 0)
        now = 2 * AWAY_SECONDS  # it was stopped, or its machine was suspended
        assert presence.is_away()
        hear(presence, "e1")
        assert (presence.is_away(), presence.absences) == (False, 1)


async def test_a_command_that_could_not_be_written_down_is_tried_again() -> None:
    async with a_bus() as bus, a_host(bus, "j") as (_, executor, journal):
        await next_letter(executor)
        for name, reply in (("one", NotTaken("c1", "the disk is full")), ("two", Taken("c1"))):
            await bus.send("executor.e1", name, request(Perform("c1", APPEND, begun=True)))
            letter = await next_letter(journal)
            assert isinstance(letter.message, Take)
            letter.answer(letter.message, reply)
            assert isinstance((await next_letter(executor)).message, Perform)


@pytest.fixture
def boxes() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


async def test_two_owners_of_one_name_do_not_take_one_entry_for_their_own(
    boxes: ExitStack,
) -> None:
    async with a_bus() as bus:
        log = bus.log("shard-0")

        class StoppedBetween:
            """A log whose reader is stopped until another has opened it."""

            async def read(self) -> Any:
                found = await log.read()
                if other.epoch == 0:
                    await other.open()
                return found

            append, trim = staticmethod(log.append), staticmethod(log.trim)

        other = ShardJournal(log, "b1", boxes.enter_context(open_journal(None)))
        late = ShardJournal(StoppedBetween(), "b1", boxes.enter_context(open_journal(None)))
        await late.open()
        assert late.epoch > other.epoch


async def test_a_journal_keeps_its_id(tmp_path: Path) -> None:
    ids = []
    for path in (tmp_path / "one.db", tmp_path / "one.db", tmp_path / "two.db"):
        with open_journal(path) as journal:
            ids.append(journal.id)
    assert ids[0] == ids[1] != ids[2]
