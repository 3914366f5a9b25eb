"""The promises a mailbox makes."""

import asyncio
from dataclasses import dataclass, field
from typing import TypeAlias

import anyio
import pytest

from actors.mailbox import BATCH, Address, Letter, Mailbox, Unanswered, WayBack
from actors.supervisor import supervise
from messages.message import Message, Request
from messages.trace import NOWHERE, Trace, current
from tests.running import running


class Pong(Message, frozen=True):
    """The answer."""

    number: int


class Ping(Request[Pong], frozen=True):
    """The question; a negative number is more than an actor here can take."""

    number: int


class Lost(Message, frozen=True):
    """The news that a question was lost."""

    request: Ping


Inbox: TypeAlias = Ping | Pong | Lost


@dataclass
class Echo:
    """Answers every question, and remembers whose trace it was asked under."""

    heard: list[int] = field(default_factory=list)
    traces: list[Trace] = field(default_factory=list)

    async def run(self, mailbox: Mailbox[Inbox]) -> None:
        async for letter in mailbox:
            with letter as message:
                if isinstance(message, Ping):
                    if message.number < 0:
                        raise ArithmeticError(message.number)
                    self.heard.append(message.number)
                    self.traces.append(current.get())
                    letter.answer(message, Pong(message.number))


def numbers(messages: list[Inbox]) -> list[int]:
    return [message.number for message in messages if not isinstance(message, Lost)]


async def take(mailbox: Mailbox[Inbox], count: int) -> list[Inbox]:
    """Take so many letters out of a mailbox."""
    messages = []
    for _ in range(count):
        with anyio.fail_after(5):
            letter = await anext(mailbox)
        with letter as message:
            messages.append(message)
    return messages


@dataclass
class Teller:
    """Tells numbers one after another, and counts those it got rid of."""

    address: Address[Inbox]
    told: int = 0

    async def tell(self, count: int, way_back: WayBack | None = None) -> None:
        for number in range(count):
            await self.address.tell(Ping(number), way_back)
            self.told += 1


async def test_a_question_is_answered() -> None:
    async with running(Echo()) as echo:
        assert await echo.ask(Ping(7)) == Pong(7)


async def test_a_tell_waits_while_the_inbox_is_full() -> None:
    with Mailbox[Inbox](2) as mailbox:
        teller = Teller(mailbox.address)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(teller.tell, 3)
            await anyio.wait_all_tasks_blocked()
            assert teller.told == 2
            tasks.cancel_scope.cancel()


async def test_a_tell_goes_on_when_the_receiver_takes_letters() -> None:
    with Mailbox[Inbox](2) as mailbox:
        teller = Teller(mailbox.address)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(teller.tell, 3)
            await anyio.wait_all_tasks_blocked()
            assert numbers(await take(mailbox, 3)) == [0, 1, 2]


async def test_many_tellers_wait_and_all_get_their_turn() -> None:
    with Mailbox[Inbox](1) as mailbox:
        async with anyio.create_task_group() as tasks:
            for _ in range(10):
                tasks.start_soon(Teller(mailbox.address).tell, 3)
            assert len(await take(mailbox, 30)) == 30


async def test_an_answer_never_waits_for_room() -> None:
    with Mailbox[Inbox](1) as mailbox:
        await mailbox.address.tell(Ping(0))
        way_back = mailbox.returning(Lost)
        for number in range(1, 100):
            way_back.deliver(Pong(number), NOWHERE)
        assert numbers(await take(mailbox, 100)) == list(range(100))


async def test_answers_in_an_inbox_leave_the_room_for_tells_as_it_is() -> None:
    with Mailbox[Inbox](1) as mailbox:
        mailbox.returning(Lost).deliver(Pong(0), NOWHERE)
        with anyio.fail_after(5):
            await mailbox.address.tell(Ping(1))
        assert numbers(await take(mailbox, 2)) == [0, 1]


@pytest.mark.parametrize("size", [1, 3, 1000])
async def test_letters_arrive_in_the_order_they_were_sent(size: int) -> None:
    count = 3 * BATCH + 1
    with Mailbox[Inbox](size) as mailbox:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(Teller(mailbox.address).tell, count)
            assert numbers(await take(mailbox, count)) == list(range(count))


async def test_letters_never_opened_are_given_up() -> None:
    with Mailbox[Inbox]() as receiver:
        with Mailbox[Inbox]() as mailbox:
            await Teller(mailbox.address).tell(2, receiver.returning(Lost))
        assert await take(receiver, 2) == [Lost(Ping(0)), Lost(Ping(1))]


async def test_letters_collected_but_not_opened_are_given_up() -> None:
    with Mailbox[Inbox]() as receiver:
        with Mailbox[Inbox]() as mailbox:
            await Teller(mailbox.address).tell(3, receiver.returning(Lost))
            await take(mailbox, 1)
        assert await take(receiver, 3) == [Lost(Ping(0)), Lost(Ping(1)), Lost(Ping(2))]


async def test_closing_a_full_mailbox_leaves_nobody_waiting() -> None:
    unanswered: list[int] = []

    async def ask(number: int) -> None:
        with pytest.raises(Unanswered):
            await address.ask(Ping(number), within=2)
        unanswered.append(number)

    async with anyio.create_task_group() as tasks:
        with Mailbox[Inbox](1) as mailbox:
            address = mailbox.address
            for number in range(4):
                tasks.start_soon(ask, number)
            await anyio.wait_all_tasks_blocked()
    assert sorted(unanswered) == [0, 1, 2, 3]


async def test_a_closed_mailbox_gives_up_every_later_letter_at_once() -> None:
    with Mailbox[Inbox]() as receiver:
        with Mailbox[Inbox](2) as mailbox:
            pass
        with anyio.fail_after(2):
            await Teller(mailbox.address).tell(5, receiver.returning(Lost))
        assert len(await take(receiver, 5)) == 5


async def test_an_answer_to_a_mailbox_that_closed_is_dropped_in_silence() -> None:
    with Mailbox[Inbox]() as mailbox:
        way_back = mailbox.returning(Lost)
    way_back.deliver(Pong(1), NOWHERE)
    way_back.give_up(Ping(1), NOWHERE)


async def test_whoever_asked_a_crashed_actor_learns_it_at_once() -> None:
    with Mailbox[Inbox]() as mailbox:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(supervise, "echo", Echo, mailbox)
            with pytest.raises(Unanswered):
                await mailbox.address.ask(Ping(-1))
            tasks.cancel_scope.cancel()


async def test_letters_behind_the_one_that_crashed_an_actor_are_still_answered() -> None:
    with Mailbox[Inbox]() as receiver, Mailbox[Inbox]() as mailbox:
        way_back = receiver.returning(Lost)
        for number in (1, -1, 2):
            await mailbox.address.tell(Ping(number), way_back)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(supervise, "echo", Echo, mailbox)
            assert await take(receiver, 3) == [Pong(1), Lost(Ping(-1)), Pong(2)]
            tasks.cancel_scope.cancel()


async def test_an_actor_that_forgets_to_answer_leaves_nobody_waiting() -> None:
    class Forgetful:
        async def run(self, mailbox: Mailbox[Inbox]) -> None:
            async for letter in mailbox:
                with letter:
                    pass

    async with running(Forgetful()) as forgetful:
        with pytest.raises(Unanswered):
            await forgetful.ask(Ping(1))


async def test_an_actor_survives_an_asker_who_gave_up() -> None:
    echo = Echo()
    async with running(echo) as address:
        with pytest.raises(TimeoutError):
            await address.ask(Ping(1), within=0)
        assert await address.ask(Ping(2)) == Pong(2)
    assert echo.heard == [1, 2]


async def test_an_asker_that_waits_for_room_gives_up_without_sending() -> None:
    with Mailbox[Inbox](1) as mailbox:
        await mailbox.address.tell(Ping(1))
        with pytest.raises(TimeoutError):
            await mailbox.address.ask(Ping(2), within=0)
        await take(mailbox, 1)
        await mailbox.address.tell(Ping(3))
        assert numbers(await take(mailbox, 1)) == [3]


@dataclass
class Turns(Echo):
    """The same, but takes letters as the actors do: a turn at a time."""

    async def run(self, mailbox: Mailbox[Inbox]) -> None:
        while await mailbox.more():
            with mailbox.turn as letters:
                for letter in letters:
                    self.take(letter)

    def take(self, letter: Letter[Inbox]) -> None:
        message = letter.message
        assert isinstance(message, Ping)
        if message.number < 0:
            raise ArithmeticError(message.number)
        self.traces.append(current.get())
        if message.number:
            letter.answer(message, Pong(message.number))


async def test_letters_behind_the_one_that_crashed_a_turn_are_still_answered() -> None:
    with Mailbox[Inbox]() as receiver, Mailbox[Inbox]() as mailbox:
        way_back = receiver.returning(Lost)
        for number in (1, -1, 2, -2, 3):
            await mailbox.address.tell(Ping(number), way_back)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(supervise, "turns", Turns, mailbox)
            answers = await take(receiver, 5)
            tasks.cancel_scope.cancel()
    assert answers == [Pong(1), Lost(Ping(-1)), Pong(2), Lost(Ping(-2)), Pong(3)]


async def test_a_letter_that_a_turn_leaves_unanswered_is_given_up_before_the_next() -> None:
    with Mailbox[Inbox]() as receiver, Mailbox[Inbox]() as mailbox:
        for number in (0, 1):
            await mailbox.address.tell(Ping(number), receiver.returning(Lost))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(Turns().run, mailbox)
            assert await take(receiver, 2) == [Lost(Ping(0)), Pong(1)]
            tasks.cancel_scope.cancel()


async def test_each_letter_of_a_turn_is_opened_under_its_own_trace() -> None:
    turns, traces = Turns(), [Trace("c1", "s1"), Trace("c2", "s2"), NOWHERE]
    with Mailbox[Inbox]() as receiver, Mailbox[Inbox]() as mailbox:
        for number, trace in enumerate(traces, start=1):
            token = current.set(trace)
            await mailbox.address.tell(Ping(number), receiver.returning(Lost))
            current.reset(token)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(turns.run, mailbox)
            await take(receiver, 3)
            tasks.cancel_scope.cancel()
    assert turns.traces == traces


async def test_a_turn_ends_when_the_mailbox_is_closed() -> None:
    async with anyio.create_task_group() as tasks:
        with Mailbox[Inbox]() as mailbox, anyio.fail_after(5):
            tasks.start_soon(Turns().run, mailbox)
            await anyio.wait_all_tasks_blocked()


async def test_a_letter_that_comes_as_its_receiver_is_cancelled_waits_for_the_next() -> None:
    with Mailbox[Inbox]() as mailbox:
        receiver = asyncio.create_task(take(mailbox, 1))
        await anyio.wait_all_tasks_blocked()
        await mailbox.address.tell(Ping(7))  # the receiver is awake, and has not run yet
        receiver.cancel()
        with pytest.raises(asyncio.CancelledError):
            await receiver
        assert numbers(await take(mailbox, 1)) == [7]


async def test_a_kept_letter_is_answered_in_a_later_turn() -> None:
    with Mailbox[Inbox]() as receiver, Mailbox[Inbox]() as mailbox:
        await mailbox.address.tell(Ping(1), receiver.returning(Lost))
        kept: list[Letter[Inbox]] = []
        letter = await anext(mailbox)
        with letter:
            kept.append(letter.keep())
        with kept[0] as message:
            assert isinstance(message, Ping)
            kept[0].answer(message, Pong(1))
        assert await take(receiver, 1) == [Pong(1)]


async def test_a_letter_is_answered_once() -> None:
    with Mailbox[Inbox]() as receiver, Mailbox[Inbox]() as mailbox:
        await mailbox.address.tell(Ping(1), receiver.returning(Lost))
        with await anext(mailbox) as message:
            pass
        letter = Letter(message, receiver.returning(Lost))
        assert isinstance(message, Ping)
        letter.answer(message, Pong(1))
        letter.answer(message, Pong(2))
        letter.give_up()
        receiver.returning(Lost).deliver(Pong(9), NOWHERE)
        assert await take(receiver, 3) == [Lost(Ping(1)), Pong(1), Pong(9)]


async def test_a_standing_request_is_answered_many_times() -> None:
    with Mailbox[Inbox]() as receiver:
        request = Ping(0)
        letter = Letter(request, receiver.returning(Lost))
        letter.report(request, Pong(1))
        letter.report(request, Pong(2))
        letter.give_up()
        assert await take(receiver, 3) == [Pong(1), Pong(2), Lost(request)]


async def test_the_trace_travels_with_the_letter() -> None:
    echo, trace = Echo(), Trace("c1", span_id="s1")
    async with running(echo) as address:
        token = current.set(trace)
        await address.ask(Ping(1))
        current.reset(token)
        await address.ask(Ping(2))
    assert echo.traces == [trace, NOWHERE]


async def test_the_trace_comes_back_with_the_answer() -> None:
    with Mailbox[Inbox]() as mailbox:
        async with running(Echo()) as echo:
            token = current.set(Trace("c1"))
            await echo.tell(Ping(1), mailbox.returning(Lost))
            current.reset(token)
            letter = await anext(mailbox)
    with letter:
        assert current.get() == Trace("c1")


async def test_a_lost_letter_comes_back_under_its_own_trace() -> None:
    with Mailbox[Inbox]() as receiver:
        with Mailbox[Inbox]() as mailbox:
            token = current.set(Trace("c1"))
            await mailbox.address.tell(Ping(1), receiver.returning(Lost))
            current.reset(token)
        assert (await anext(receiver)).trace == Trace("c1")


@dataclass
class Relay:
    """Passes every question on, and counts the answers that come back into its own inbox."""

    other: Address[Inbox]
    answers: int = 0
    wanted: int = 0
    all_came: anyio.Event = field(default_factory=anyio.Event)

    async def run(self, mailbox: Mailbox[Inbox]) -> None:
        way_back = mailbox.returning(Lost)
        async for letter in mailbox:
            with letter as message:
                if isinstance(message, Ping):
                    await self.other.tell(message, way_back)
                else:
                    self.answers += 1
                    if self.answers == self.wanted:
                        self.all_came.set()


async def test_two_actors_with_full_inboxes_do_not_block_each_other() -> None:
    with Mailbox[Inbox](1) as asking, Mailbox[Inbox](1) as answering:
        relay = Relay(answering.address, wanted=200)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(Teller(asking.address).tell, 100)
            tasks.start_soon(Teller(asking.address).tell, 100)
            await anyio.wait_all_tasks_blocked()
            tasks.start_soon(relay.run, asking)
            tasks.start_soon(Echo().run, answering)
            with anyio.fail_after(5):
                await relay.all_came.wait()
            tasks.cancel_scope.cancel()


async def test_many_letters_do_not_starve_other_tasks() -> None:
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await anyio.lowlevel.checkpoint()

    letters = 20 * BATCH
    with Mailbox[Inbox](letters) as mailbox:
        await Teller(mailbox.address).tell(letters)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(count_turns)
            await take_without_waiting(mailbox, letters)
            tasks.cancel_scope.cancel()
    assert turns >= 10


async def take_without_waiting(mailbox: Mailbox[Inbox], count: int) -> None:
    """Take letters as an actor does whose work never waits."""
    async for letter in mailbox:
        with letter as message:
            if isinstance(message, Ping) and message.number == count - 1:
                return
