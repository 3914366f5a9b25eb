"""The promises of supervision: a crash is contained, answered for, and not endless."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import pytest
from structlog.testing import capture_logs

from actors.mailbox import Address, Mailbox, Unanswered
from actors.supervisor import GaveUp, contained, supervise
from messages.message import Message, Request


class Count(Message, frozen=True):
    """How many questions this actor has answered since it started."""

    answered: int


class Ask(Request[Count], frozen=True):
    """Answer, or crash."""

    crash: bool = False


@dataclass
class Counter:
    """An actor with a state to lose."""

    answered: int = 0

    async def run(self, mailbox: Mailbox[Ask]) -> None:
        async for letter in mailbox:
            with letter as request:
                if request.crash:
                    raise ArithmeticError("a defect")
                self.answered += 1
                letter.answer(request, Count(self.answered))


@dataclass
class Nursery:
    """Makes counters, and remembers how many."""

    made: list[Counter] = field(default_factory=list)

    def make(self) -> Counter:
        self.made.append(Counter())
        return self.made[-1]


@asynccontextmanager
async def supervised(nursery: Nursery, **limits: float) -> AsyncIterator[Address[Ask]]:
    with Mailbox[Ask]() as mailbox, capture_logs():
        async with anyio.create_task_group() as tasks:

            async def watch() -> None:
                await supervise(
                    "counter",
                    nursery.make,
                    mailbox,
                    restarts=int(limits.get("restarts", 20)),
                    within=limits.get("within", 60.0),
                )

            tasks.start_soon(watch)
            yield mailbox.address
            tasks.cancel_scope.cancel()


async def crash(address: Address[Ask], times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(Unanswered):
            await address.ask(Ask(crash=True))


async def test_a_crashed_actor_starts_afresh_and_serves_the_next_letter() -> None:
    async with supervised(Nursery()) as counter:
        assert await counter.ask(Ask()) == Count(1)
        assert await counter.ask(Ask()) == Count(2)
        await crash(counter)
        assert await counter.ask(Ask()) == Count(1)


async def test_only_the_actor_that_crashed_is_restarted() -> None:
    clumsy, careful = Nursery(), Nursery()
    async with supervised(clumsy) as first, supervised(careful) as second:
        await second.ask(Ask())
        await crash(first, times=3)
        assert await first.ask(Ask()) == Count(1)
        assert await second.ask(Ask()) == Count(2)
    assert (len(clumsy.made), len(careful.made)) == (4, 1)


async def test_as_many_crashes_as_the_limit_are_survived() -> None:
    async with supervised(Nursery(), restarts=3) as counter:
        await crash(counter, times=3)
        assert await counter.ask(Ask()) == Count(1)


async def test_one_crash_more_than_the_limit_and_the_supervisor_gives_up() -> None:
    nursery = Nursery()
    with Mailbox[Ask]() as mailbox:
        for _ in range(3):
            await mailbox.address.tell(Ask(crash=True))
        with pytest.raises(GaveUp, match="counter crashed 3 times"):
            await supervise("counter", nursery.make, mailbox, restarts=2)
    assert len(nursery.made) == 3


async def test_giving_up_names_the_crash_that_was_too_much() -> None:
    with Mailbox[Ask]() as mailbox:
        await mailbox.address.tell(Ask(crash=True))
        with pytest.raises(GaveUp) as raised:
            await supervise("counter", Counter, mailbox, restarts=0)
    assert isinstance(raised.value.__cause__, ArithmeticError)


async def test_whoever_asked_learns_it_even_if_the_supervisor_gave_up() -> None:
    with pytest.RaisesGroup(GaveUp):
        async with supervised(Nursery(), restarts=0) as counter:
            await crash(counter)
            await anyio.sleep_forever()


async def test_crashes_longer_ago_than_the_limit_looks_back_do_not_count() -> None:
    async with supervised(Nursery(), restarts=1, within=0.0) as counter:
        await crash(counter, times=10)
        assert await counter.ask(Ask()) == Count(1)


async def test_an_actor_whose_mailbox_closed_has_ended_and_is_not_restarted() -> None:
    nursery = Nursery()

    class Brief(Counter):
        async def run(self, mailbox: Mailbox[Ask]) -> None:
            nursery.made.append(self)

    with Mailbox[Ask]() as mailbox:
        await supervise("brief", Brief, mailbox)
    assert len(nursery.made) == 1


async def test_cancellation_is_no_crash() -> None:
    nursery = Nursery()
    async with supervised(nursery) as counter:
        await counter.ask(Ask())
    assert len(nursery.made) == 1


async def test_contained_work_gives_its_own_result() -> None:
    async def work() -> str:
        return "done"

    assert await contained(work(), repr) == "done"


async def test_a_crash_of_contained_work_ends_it_alone() -> None:
    async def work() -> str:
        raise ArithmeticError("a defect")

    assert await contained(work(), repr) == "ArithmeticError('a defect')"


async def test_contained_work_can_be_cancelled() -> None:
    async def work() -> str:
        await anyio.sleep_forever()
        raise AssertionError

    with anyio.CancelScope() as scope:
        scope.cancel()
        await contained(work(), repr)
    assert scope.cancelled_caught
