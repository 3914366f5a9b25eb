"""The promises of the bus on every adapter, and what the one over a network does when it breaks."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from actors.cluster.bus import (
    Bus,
    Conflict,
    DeadLetter,
    Delivery,
    Held,
    Logged,
    TooLarge,
    Unavailable,
)
from tests.nats_servers import Servers, one_server, three_servers
from tools.bus.jetstream import JetStreamBus
from tools.bus.sqlite import SqliteBus

PATIENCE = 30.0
LEASE_TTL = 1.0
both = pytest.mark.parametrize("kind", ["sqlite", "jetstream"])


@dataclass
class Place:
    """Where a bus runs, and how what is behind it is broken off and comes back."""

    folder: Path
    stack: AsyncExitStack
    servers: Servers | None = None
    buses: list[Bus] = field(default_factory=list)

    @property
    def bus(self) -> Bus:
        return self.buses[0]

    async def open(self) -> Bus:
        """A bus for one more member; where only one is possible, that one."""
        if self.servers is not None:
            self.buses.append(await connected(self.stack, self.servers))
        elif not self.buses:
            bus = await SqliteBus.open(self.folder / "bus.sqlite", lease_ttl=LEASE_TTL)
            self.stack.push_async_callback(bus.close)
            self.buses.append(bus)
        return self.buses[-1]

    async def restart(self) -> Bus:
        """End it as hard as possible, and have it again with what it had kept."""
        if self.servers is not None:
            await anyio.to_thread.run_sync(self.servers.restart)
        else:
            await self.buses.pop().close()
            await self.open()
        return self.bus


async def connected(
    stack: AsyncExitStack,
    servers: Servers,
    *,
    replicas: int = 1,
    patience: float = 10.0,
    max_bytes: int = 1 << 30,
) -> JetStreamBus:
    bus = await JetStreamBus.connect(
        servers.urls,
        replicas=replicas,
        lease_ttl=LEASE_TTL,
        patience=patience,
        max_bytes=max_bytes,
    )
    stack.push_async_callback(bus.close)
    return bus


@asynccontextmanager
async def running_bus(kind: str, folder: Path) -> AsyncIterator[Place]:
    async with AsyncExitStack() as stack:
        place = Place(folder, stack)
        if kind == "jetstream":
            place.servers = stack.enter_context(one_server(folder))
        await place.open()
        yield place


async def take(receiver: AsyncIterator[Delivery], count: int) -> list[Delivery]:
    with anyio.fail_after(PATIENCE):
        return [await anext(receiver) for _ in range(count)]


async def take_bodies(receiver: AsyncIterator[Delivery], count: int) -> list[bytes]:
    """Take messages, and be done with each."""
    bodies = []
    for _ in range(count):
        (delivery,) = await take(receiver, 1)
        await delivery.ack()
        bodies.append(delivery.body)
    return bodies


async def send_numbers(bus: Bus, address: str, numbers: range) -> list[bytes]:
    bodies = [str(number).encode() for number in numbers]
    for body in bodies:
        assert await bus.send(address, f"{address}:{body.decode()}", body)
    return bodies


async def persist(act: Callable[[], Awaitable[object]]) -> None:
    """Do something until the bus is there for it."""
    with anyio.fail_after(PATIENCE):
        while True:
            try:
                await act()
            except Unavailable:
                continue
            return


# --- messages that are kept


@both
async def test_what_was_sent_is_delivered_once_to_one_member_of_the_group(
    kind: str, tmp_path: Path
) -> None:
    taken: list[bytes] = []
    async with running_bus(kind, tmp_path) as place:
        other = await place.open()

        async def work(bus: Bus, ready: anyio.Event, scope: anyio.CancelScope) -> None:
            async with bus.deliveries("runs.new", "workers") as receiver:
                ready.set()
                async for delivery in receiver:
                    taken.append(delivery.body)
                    await delivery.ack()
                    if delivery.body == b"last":
                        scope.cancel()

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                for bus in (place.bus, other):
                    ready = anyio.Event()
                    tasks.start_soon(work, bus, ready, tasks.cancel_scope)
                    await ready.wait()
                sent = await send_numbers(place.bus, "runs.new", range(200))
                while len(taken) < len(sent):
                    await anyio.lowlevel.checkpoint()
                await place.bus.send("runs.new", "last", b"last")
    assert sorted(taken) == sorted([*sent, b"last"])


@both
async def test_messages_of_an_address_come_in_order_and_to_that_address_alone(
    kind: str, tmp_path: Path
) -> None:
    async with running_bus(kind, tmp_path) as place:
        sent = await send_numbers(place.bus, "runs.a", range(100))
        await send_numbers(place.bus, "runs.b", range(3))
        async with place.bus.deliveries("runs.a", "workers") as receiver:
            assert await take_bodies(receiver, 100) == sent


@both
async def test_what_was_sent_before_a_crash_is_delivered_after_it(
    kind: str, tmp_path: Path
) -> None:
    async with running_bus(kind, tmp_path) as place:
        sent = await send_numbers(place.bus, "runs", range(3))
        async with place.bus.deliveries("runs", "workers", patience=1) as receiver:
            done, begun = await take(receiver, 2)
            await done.ack()
        assert begun.body == sent[1]
        bus = await place.restart()
        async with bus.deliveries("runs", "workers", patience=1) as receiver:
            assert sorted(await take_bodies(receiver, 2)) == sent[1:]


@both
async def test_a_message_of_the_same_name_is_not_sent_twice(kind: str, tmp_path: Path) -> None:
    async with running_bus(kind, tmp_path) as place:
        assert await place.bus.send("runs", "a", b"first")
        assert not await place.bus.send("runs", "a", b"second")
        bus = await place.restart()
        assert not await bus.send("runs", "a", b"third")
        assert await bus.send("runs", "b", b"last")
        async with bus.deliveries("runs", "workers") as receiver:
            assert await take_bodies(receiver, 2) == [b"first", b"last"]
        assert not await bus.send("runs", "a", b"fourth")


@both
async def test_an_address_belongs_to_one_group(kind: str, tmp_path: Path) -> None:
    async with running_bus(kind, tmp_path) as place, place.bus.deliveries("runs", "workers"):
        with pytest.raises(ValueError, match="group"):
            async with place.bus.deliveries("runs", "others"):
                pass


@both
async def test_what_is_not_acknowledged_in_time_is_delivered_again(
    kind: str, tmp_path: Path
) -> None:
    async with running_bus(kind, tmp_path) as place:
        await place.bus.send("runs", "a", b"a")
        async with place.bus.deliveries("runs", "workers", patience=0.5) as receiver:
            (first,) = await take(receiver, 1)
            since = time.monotonic()
            (second,) = await take(receiver, 1)
            assert time.monotonic() - since > 0.4
            assert [first.attempt, second.attempt] == [1, 2]
            await second.ack()
            await send_numbers(place.bus, "runs", range(1))
            (other,) = await take(receiver, 1)
            await other.give_back(1)  # longer than the other one would have taken
            assert [each.body for each in await take(receiver, 1)] == [b"0"]


@both
async def test_what_a_receiver_has_not_looked_at_goes_to_another(kind: str, tmp_path: Path) -> None:
    async with running_bus(kind, tmp_path) as place:
        sent = await send_numbers(place.bus, "runs", range(5))
        async with place.bus.deliveries("runs", "workers") as receiver:
            assert await take_bodies(receiver, 1) == sent[:1]
        async with place.bus.deliveries("runs", "workers") as receiver:
            assert sorted(await take_bodies(receiver, 4)) == sent[1:]


@both
async def test_what_is_given_back_comes_again_after_as_long_as_was_said(
    kind: str, tmp_path: Path
) -> None:
    async with running_bus(kind, tmp_path) as place:
        await place.bus.send("runs", "a", b"a")
        async with place.bus.deliveries("runs", "workers") as receiver:
            (delivery,) = await take(receiver, 1)
            await delivery.give_back()
            (delivery,) = await take(receiver, 1)
            since = time.monotonic()
            await delivery.give_back(0.7)
            (delivery,) = await take(receiver, 1)
            assert 0.6 < time.monotonic() - since < 5
            assert delivery.attempt == 3
            await delivery.ack()


@both
async def test_who_is_still_working_keeps_a_message_for_longer(kind: str, tmp_path: Path) -> None:
    async with running_bus(kind, tmp_path) as place:
        await place.bus.send("runs", "a", b"a")
        async with place.bus.deliveries("runs", "workers", patience=1) as receiver:
            (delivery,) = await take(receiver, 1)
            for _ in range(4):
                await delivery.still_working()
                with anyio.move_on_after(0.5):
                    await anext(receiver)
                    pytest.fail("it was delivered to somebody else")
            (delivery,) = await take(receiver, 1)
            assert delivery.attempt == 2


@both
async def test_poison_is_put_away_and_can_be_tried_again(kind: str, tmp_path: Path) -> None:
    async with running_bus(kind, tmp_path) as place:
        assert await place.bus.dead_letters() == []
        async with place.bus.deliveries("runs", "workers", patience=0.5) as receiver:
            for name in ("a", "b"):
                await place.bus.send("runs", name, name.encode())
                (delivery,) = await take(receiver, 1)
                await delivery.poison(f"{name} makes\nno sense: ä")
            await place.bus.send("runs", "c", b"c")
            (delivery,) = await take(receiver, 1)
            await delivery.give_back(1)  # by then, poison would have come again
            assert await take_bodies(receiver, 1) == [b"c"]
        bus = await place.restart()
        letters = await bus.dead_letters()
        assert letters == [
            DeadLetter(letters[0].place, "runs", "a makes\nno sense: ä", b"a"),
            DeadLetter(letters[1].place, "runs", "b makes\nno sense: ä", b"b"),
        ]
        assert await bus.retry_dead_letter(letters[0].place)
        assert await bus.dead_letters() == letters[1:]
        assert not await bus.retry_dead_letter(letters[0].place)
        async with bus.deliveries("runs", "workers") as receiver:
            (delivery,) = await take(receiver, 1)
            assert (delivery.body, delivery.attempt) == (b"a", 1)


# --- words that are not kept


@both
async def test_everybody_hears_what_is_told_in_order(kind: str, tmp_path: Path) -> None:
    async with running_bus(kind, tmp_path) as place:
        bus, other = place.bus, await place.open()
        await bus.tell("news", b"too early")
        async with bus.hear("news") as here, other.hear("news") as there, bus.hear("old") as silent:
            told = [str(number).encode() for number in range(1000)]
            for body in told:
                await bus.tell("news", body)
            with anyio.fail_after(PATIENCE):
                assert [await anext(here) for _ in told] == told
                assert [await anext(there) for _ in told] == told
            await bus.tell("old", b"old")
            with anyio.fail_after(PATIENCE):
                assert await anext(silent) == b"old"


@both
async def test_who_does_not_listen_holds_nobody_up(kind: str, tmp_path: Path) -> None:
    async with running_bus(kind, tmp_path) as place, place.bus.hear("news") as heard:
        for number in range(20_000):
            await place.bus.tell("news", str(number).encode())
        with anyio.fail_after(PATIENCE):
            numbers = [int(await anext(heard)) for _ in range(1000)]
        assert numbers == list(range(1000))


# --- state


@both
async def test_a_value_is_written_only_by_who_knows_the_one_before(
    kind: str, tmp_path: Path
) -> None:
    async with running_bus(kind, tmp_path) as place:
        bus = place.bus
        assert await bus.get("runs", "a.b") is None
        with pytest.raises(Conflict):
            await bus.update("runs", "a.b", b"", 1)
        first = await bus.create("runs", "a.b", b"1")
        assert await bus.get("runs", "a.b") == Held(b"1", first)
        assert await bus.get("others", "a.b") is None
        with pytest.raises(Conflict):
            await bus.create("runs", "a.b", b"other")
        second = await bus.update("runs", "a.b", b"", first)
        for stale in (
            lambda: bus.update("runs", "a.b", b"3", first),
            lambda: bus.delete("runs", "a.b", first),
        ):
            with pytest.raises(Conflict):
                await stale()
        bus = await place.restart()
        assert await bus.get("runs", "a.b") == Held(b"", second)


@both
async def test_a_value_that_was_taken_away_can_be_created_again_and_is_another_one(
    kind: str, tmp_path: Path
) -> None:
    async with running_bus(kind, tmp_path) as place:
        bus = place.bus
        first = await bus.create("runs", "a", b"1")
        await bus.delete("runs", "a", first)
        assert await bus.get("runs", "a") is None
        for gone in (
            lambda: bus.update("runs", "a", b"2", first),
            lambda: bus.delete("runs", "a", first),
        ):
            with pytest.raises(Conflict):
                await gone()
        second = await bus.create("runs", "a", b"1")
        assert second != first
        with pytest.raises(Conflict):
            await bus.update("runs", "a", b"2", first)
        assert await bus.update("runs", "a", b"2", second) not in (first, second)


@both
async def test_of_many_who_create_one_value_exactly_one_does(kind: str, tmp_path: Path) -> None:
    winners: list[int] = []
    async with running_bus(kind, tmp_path) as place:
        buses = [place.bus, await place.open()]

        async def create(number: int) -> None:
            try:
                await buses[number % 2].create("leases", "run", str(number).encode())
            except Conflict:
                return
            winners.append(number)

        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(create, number)
        held = await place.bus.get("leases", "run")
        assert held is not None
        assert [held.value] == [str(winner).encode() for winner in winners]


@both
async def test_a_lease_vanishes_unless_it_is_renewed(kind: str, tmp_path: Path) -> None:
    async with running_bus(kind, tmp_path) as place:
        bus = place.bus
        await bus.create("runs", "a", b"stays")
        lost = await bus.create("leases", "lost", b"1")
        kept = await bus.create("leases", "kept", b"1")
        since = time.monotonic()
        with anyio.fail_after(PATIENCE):
            while await bus.get("leases", "lost") is not None:
                kept = await bus.update("leases", "kept", b"1", kept)
        assert time.monotonic() - since > LEASE_TTL * 0.9
        assert time.monotonic() - since < LEASE_TTL * 3
        assert await bus.get("leases", "kept") == Held(b"1", kept)
        with pytest.raises(Conflict):
            await bus.update("leases", "lost", b"2", lost)
        assert await bus.create("leases", "lost", b"3") != lost
        assert await bus.get("runs", "a") is not None


# --- logs


@both
async def test_of_two_writers_exactly_one_has_each_place_of_a_log(
    kind: str, tmp_path: Path
) -> None:
    async with running_bus(kind, tmp_path) as place:
        buses = [place.bus, await place.open()]
        won: dict[bytes, list[int]] = {b"a": [], b"b": []}

        async def write(bus: Bus, body: bytes) -> None:
            log, end = bus.log("runs.1"), 0
            while len(won[body]) < 30:
                try:
                    end = await log.append(body, end)
                    won[body].append(end)
                except Conflict:
                    _, end = await log.read()

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                for bus, body in zip(buses, won, strict=True):
                    tasks.start_soon(write, bus, body)
        entries, end = await place.bus.log("runs.1").read()
        assert [entry.place for entry in entries] == list(range(1, 61))
        assert end == 60
        for body, places in won.items():
            assert [entry.place for entry in entries if entry.body == body] == places


@both
async def test_an_entry_that_is_written_again_is_there_once(kind: str, tmp_path: Path) -> None:
    async with running_bus(kind, tmp_path) as place:
        log = place.bus.log("runs.1")
        assert await log.read() == ([], 0)
        assert await log.append(b"a", 0) == 1
        assert await log.append(b"a", 0) == 1
        assert await log.append(b"a", 1) == 2
        assert await log.append(b"a", 0) == 1
        log = (await place.restart()).log("runs.1")
        assert await log.append(b"a", 1) == 2
        for end in (0, 1, 3):
            with pytest.raises(Conflict):
                await log.append(b"b", end)
        assert await log.read() == ([Logged(1, b"a"), Logged(2, b"a")], 2)
        assert await place.bus.log("runs.2").read() == ([], 0)


@both
async def test_a_log_that_was_trimmed_ends_where_it_ended(kind: str, tmp_path: Path) -> None:
    async with running_bus(kind, tmp_path) as place:
        log = place.bus.log("runs.1")
        await log.trim(5)
        for end in range(5):
            await log.append(str(end).encode(), end)
        for before in (0, 1, 4, 2):
            await log.trim(before)
        assert await log.read() == ([Logged(4, b"3"), Logged(5, b"4")], 5)
        await log.trim(100)
        assert await log.read() == ([], 5)
        log = (await place.restart()).log("runs.1")
        assert await log.read() == ([], 5)
        with pytest.raises(Conflict):
            await log.append(b"5", 0)
        assert await log.append(b"5", 5) == 6
        assert await log.read() == ([Logged(6, b"5")], 6)


@both
async def test_a_long_log_is_read_in_order(kind: str, tmp_path: Path) -> None:
    async with running_bus(kind, tmp_path) as place:
        log = place.bus.log("runs.1")
        for end in range(10_000):
            await log.append(str(end).encode(), end)
        await log.trim(100)
        entries, end = await log.read()
        assert end == 10_000
        assert entries == [Logged(n + 1, str(n).encode()) for n in range(99, 10_000)]


# --- blobs and sizes


@both
async def test_a_blob_is_found_by_what_is_in_it(kind: str, tmp_path: Path) -> None:
    large = bytes(range(256)) * (80 << 10)
    async with running_bus(kind, tmp_path) as place:
        bus = place.bus
        names = [await bus.put_blob(body) for body in (large, b"small", b"", large)]
        assert names[0] == names[3]
        assert len(set(names)) == 3
        assert await bus.get_blob(names[0]) == large
        bus = await place.restart()
        assert await bus.get_blob(names[1]) == b"small"
        assert await bus.get_blob(names[2]) == b""
        assert await bus.get_blob("0" * 64) is None


@both
async def test_what_is_too_large_is_refused_and_does_no_harm(kind: str, tmp_path: Path) -> None:
    body = bytes(2_000_000)
    async with running_bus(kind, tmp_path) as place:
        bus = place.bus
        revision = await bus.create("runs", "a", b"1")
        for refused in (
            lambda: bus.send("runs", "a", body),
            lambda: bus.tell("news", body),
            lambda: bus.create("runs", "b", body),
            lambda: bus.update("runs", "a", body, revision),
            lambda: bus.log("runs").append(body, 0),
        ):
            with pytest.raises(TooLarge):
                await refused()
        assert await bus.send("runs", "a", bytes(1_000_000))
        async with bus.deliveries("runs", "workers") as receiver:
            (delivery,) = await take(receiver, 1)
            await delivery.poison("x" * 10_000)
        assert [len(letter.body) for letter in await bus.dead_letters()] == [1_000_000]


@both
async def test_what_is_no_word_is_refused(kind: str, tmp_path: Path) -> None:
    async with running_bus(kind, tmp_path) as place:
        bus = place.bus
        for bad in ("", "a b", "a.*", ">", "a..b", "ä"):
            with pytest.raises(ValueError, match="words"):
                await bus.send(bad, "name", b"")
            with pytest.raises(ValueError, match="words"):
                await bus.get("runs", bad)
            with pytest.raises(ValueError, match="words"):
                bus.log(bad)
        with pytest.raises(ValueError, match="name"):
            await bus.send("runs", "two\nlines", b"")


# --- what happens when nobody answers


@both
async def test_a_closed_bus_is_unavailable(kind: str, tmp_path: Path) -> None:
    async with running_bus(kind, tmp_path) as place:
        await place.bus.close()
        with pytest.raises(Unavailable):
            await place.bus.send("runs", "a", b"a")
        with pytest.raises(Unavailable):
            await place.bus.get("runs", "a")


async def test_a_file_is_one_process_s_own(tmp_path: Path) -> None:
    async with running_bus("sqlite", tmp_path):
        with pytest.raises(Unavailable):
            await SqliteBus.open(tmp_path / "bus.sqlite")


async def test_without_a_file_a_bus_lasts_as_long_as_the_process() -> None:
    bus = await SqliteBus.open()
    assert await bus.send("runs", "a", b"a")
    async with bus.deliveries("runs", "workers") as receiver:
        assert await take_bodies(receiver, 1) == [b"a"]
    await bus.close()


async def test_without_any_server_there_is_no_bus() -> None:
    with anyio.fail_after(5), pytest.raises(Unavailable):
        await JetStreamBus.connect(["nats://127.0.0.1:1"], patience=0.5)


# nats-py forgets a connection to a server that does not greet it; its socket is closed for it.
FORGOTTEN = pytest.mark.filterwarnings("ignore:unclosed <StreamWriter:ResourceWarning")


@pytest.mark.parametrize("how", ["killed", "terminated", pytest.param("stopped", marks=FORGOTTEN)])
async def test_without_a_server_everything_is_unavailable_in_time_and_then_goes_on(
    how: str, tmp_path: Path
) -> None:
    async with AsyncExitStack() as stack:
        servers = stack.enter_context(one_server(tmp_path))
        bus: Bus = await connected(stack, servers, patience=0.5)
        end = await bus.log("runs").append(b"a", 0)
        revision = await bus.create("runs", "a", b"1")
        blob = await bus.put_blob(b"blob")
        receiver = await stack.enter_async_context(bus.deliveries("runs", "workers", patience=3))
        heard = await stack.enter_async_context(bus.hear("news"))
        breaks = {"killed": servers.kill, "terminated": servers.terminate, "stopped": servers.pause}
        await anyio.to_thread.run_sync(breaks[how])

        async def ask(asked: Callable[[], Awaitable[object]]) -> None:
            with pytest.raises(Unavailable):
                await asked()

        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                for asked in (
                    lambda: bus.send("runs", "a", b"a"),
                    lambda: bus.get("runs", "a"),
                    lambda: bus.update("runs", "a", b"2", revision),
                    lambda: bus.log("runs").append(b"b", end),
                    lambda: bus.get_blob(blob),
                    bus.dead_letters,
                ):
                    tasks.start_soon(ask, asked)
        with anyio.fail_after(1):
            await bus.tell("news", b"lost")
        await anyio.to_thread.run_sync(servers.resume if how == "stopped" else servers.start)
        await persist(lambda: bus.send("runs", "a", b"a"))
        await persist(lambda: bus.send("runs", "b", b"b"))
        await persist(lambda: bus.log("runs").append(b"b", end))
        assert await take_bodies(receiver, 2) == [b"a", b"b"]
        entries, _ = await bus.log("runs").read()
        assert [entry.body for entry in entries] == [b"a", b"b"]
        assert await bus.get_blob(blob) == b"blob"
        await bus.tell("news", b"heard")
        with anyio.fail_after(PATIENCE):
            while await anext(heard) != b"heard":
                pass


async def test_a_full_stream_refuses_at_once(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        servers = stack.enter_context(one_server(tmp_path))
        bus = await connected(stack, servers, max_bytes=100_000)
        body = bytes(60_000)
        assert await bus.send("runs", "a", body)
        with anyio.fail_after(2), pytest.raises(Unavailable):
            await bus.send("runs", "b", body)
        async with bus.deliveries("runs", "workers") as receiver:
            assert await take_bodies(receiver, 1) == [body]
        assert await bus.send("runs", "b", body)


async def test_a_server_that_has_lost_everything_is_set_up_again(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        servers = stack.enter_context(one_server(tmp_path))
        bus = await connected(stack, servers, patience=1)
        receiver = await stack.enter_async_context(bus.deliveries("runs", "workers"))
        await anyio.to_thread.run_sync(servers.lose_everything)
        await persist(lambda: bus.send("runs", "a", b"a"))
        assert await take_bodies(receiver, 1) == [b"a"]


# --- a cluster


async def test_several_members_set_up_a_cluster_at_once(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        servers = stack.enter_context(three_servers(tmp_path))
        buses = [await connected(stack, servers, replicas=3) for _ in range(5)]
        async with anyio.create_task_group() as tasks:
            for index, bus in enumerate(buses):
                tasks.start_soon(bus.send, "runs", str(index), b"a")
                tasks.start_soon(bus.create, "runs", str(index), b"a")
                tasks.start_soon(bus.log(f"run.{index}").append, b"a", 0)
        async with buses[0].deliveries("runs", "workers") as receiver:
            assert await take_bodies(receiver, 5) == [b"a"] * 5


@pytest.mark.scale
async def test_when_the_leader_dies_nothing_is_lost_and_nothing_is_there_twice(
    tmp_path: Path,
) -> None:
    async with AsyncExitStack() as stack:
        servers = stack.enter_context(three_servers(tmp_path))
        bus = await connected(stack, servers, replicas=3)
        watcher = await connected(stack, servers, replicas=3)
        receiver = await stack.enter_async_context(
            watcher.deliveries("runs", "workers", patience=5)
        )
        log = bus.log("run.1")
        await log.append(b"0", 0)
        half = anyio.Event()

        async def send() -> None:
            for number in range(500):
                name = str(number)
                await persist(partial(bus.send, "sums", name, name.encode()))
                if number == 200:
                    half.set()

        async def write() -> None:
            for end in range(1, 200):
                await persist(partial(log.append, str(end).encode(), end))

        async def kill() -> None:
            await half.wait()
            leader = await anyio.to_thread.run_sync(servers.leader, "behest_work")
            await anyio.to_thread.run_sync(servers.kill, leader)
            await persist(lambda: watcher.send("runs", "survived", b"survived"))

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                for act in (send, write, kill):
                    tasks.start_soon(act)
        assert await take_bodies(receiver, 1) == [b"survived"]
        async with watcher.deliveries("sums", "workers") as sums:
            assert await take_bodies(sums, 500) == [str(number).encode() for number in range(500)]
            await bus.send("sums", "last", b"last")
            assert await take_bodies(sums, 1) == [b"last"]
        entries, end = await watcher.log("run.1").read()
        assert end == 200
        assert [entry.body for entry in entries] == [str(n).encode() for n in range(200)]
