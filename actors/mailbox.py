"""Mailboxes: typed messages in, typed answers out, and nobody waits for a dead actor.

The only module that may say ``Any``: a reply's type belongs to its request (``Request[R]``)
and is checked at both ends, not in between.

A ``tell`` waits while the inbox is full. An answer never waits: it returns to somebody who
asked for it, so the answers in an inbox are bounded by that actor's own open questions, and an
actor that asks can never block, or be blocked by, one that answers.
"""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import suppress
from types import coroutine
from typing import Any, Generic, Protocol, Self, TypeVar

import anyio
import msgspec

from messages.message import Message, Request
from messages.trace import Trace, current

M = TypeVar("M", bound=Message)
R = TypeVar("R")

# Letters an actor may handle before others get a turn: receiving without a trip through the
# event loop is ten times cheaper, and 64 keeps the longest turn well under a millisecond.
BATCH = 64


class Unanswered(Exception):
    """The actor stopped or crashed before it answered the request."""


@coroutine
def let_others_first() -> Generator[None, None, None]:
    """Give every other task that is ready a turn.

    As anyio's checkpoint does, which asks first what it runs on: for each letter of a command that
    is alone in its session, that costs as much as to deliver it.
    """
    yield


class WayBack(Protocol):
    """Where an answer goes, or the news that none will come."""

    def deliver(self, reply: Any, trace: Trace) -> None: ...

    def give_up(self, request: Any, trace: Trace) -> None: ...


class Letter(msgspec.Struct, Generic[M], eq=False):
    """A message in transit, with its sender's trace and the way back.

    A struct, because that is made without a call of a Python function.
    """

    message: M
    _way_back: WayBack | None = None
    bounded: bool = True
    trace: Trace = msgspec.field(default_factory=current.get)

    def __enter__(self) -> M:
        """Handle the message under its trace; whoever asked learns of it if no answer comes.

        The trace stays set: an actor's task does nothing between two letters.
        """
        current.set(self.trace)
        return self.message

    def __exit__(self, *_: object) -> None:
        if self._way_back is not None:
            self.give_up()

    def answer(self, request: Request[R], reply: R) -> None:  # noqa: ARG002 - ties R to both
        """Reply to ``request``, whose type says what the reply must be."""
        way_back, self._way_back = self._way_back, None
        if way_back is not None:
            way_back.deliver(reply, self.trace)

    def report(self, request: Request[R], reply: R) -> None:  # noqa: ARG002 - ties R to both
        """Reply once more to a request that stays open."""
        if self._way_back is not None:
            self._way_back.deliver(reply, self.trace)

    def keep(self) -> "Letter[M]":
        """Take the letter along, to be answered (or given up) later than this turn."""
        kept = Letter(self.message, self._way_back, self.bounded, self.trace)
        self._way_back = None
        return kept

    def give_up(self) -> None:
        """Tell whoever asked that no answer will come, unless one did."""
        way_back, self._way_back = self._way_back, None
        if way_back is not None:
            way_back.give_up(self.message, self.trace)


class Promise(Generic[R]):
    """The way back to a task that waits for one answer."""

    __slots__ = ("_came", "_replies")

    def __init__(self) -> None:
        self._came = anyio.Event()
        self._replies: list[R] = []

    def deliver(self, reply: R, trace: Trace) -> None:  # noqa: ARG002
        self._replies.append(reply)
        self._came.set()

    def give_up(self, request: object, trace: Trace) -> None:  # noqa: ARG002
        self._came.set()

    async def reply(self, request: object) -> R:
        """Wait for the answer; raise ``Unanswered`` if there will be none."""
        await self._came.wait()
        if not self._replies:
            raise Unanswered(request)
        return self._replies[0]


class Post(Generic[M]):
    """An anyio stream of letters, with a bound on those that were told, not on answers.

    Letters travel in bundles: one that is sent and not yet received takes in those that follow. A
    bundle costs the stream as much as a letter would, and under load it holds many of them.

    Whoever finds no bundle waits for the bell, not in the stream: that lets others have a turn once
    more and asks who is waiting, which costs an idle actor more than its letter; and what it hands
    to a receiver that is cancelled at that moment is lost. The bell is a bare future, rung once:
    an event costs five times as much to make, to wait for and to set.
    """

    __slots__ = (
        *("_bell", "_bundle", "_receiver", "_rest", "_room", "_sender"),
        *("before_waiting", "closed", "held", "size"),
    )

    def __init__(self, size: int) -> None:
        # The stream itself is unbounded, so that answers never wait; ``held`` counts the tells.
        self._sender, self._receiver = anyio.create_memory_object_stream[deque[Letter[M]]](math.inf)
        self._bundle: deque[Letter[M]] | None = None
        self._bell: asyncio.Future[None] | None = None
        self._rest: deque[Letter[M]] = deque()
        self.size = size
        self.held = 0
        self.closed = False
        self.before_waiting: Callable[[], None] | None = None
        self._room = anyio.Event()

    def put(self, letter: Letter[M]) -> None:
        """Deliver a letter; one that comes too late is given up at once."""
        if self.closed:
            self.held -= letter.bounded
            letter.give_up()
        elif self._bundle is not None:
            self._bundle.append(letter)
        else:
            self._bundle = deque([letter])
            self._sender.send_nowait(self._bundle)
            self._ring()

    @property
    def is_empty(self) -> bool:
        return self._bundle is None and not self._rest

    async def fill(self, turn: "Turn[M]") -> bool:
        """Let others have a turn, then wait for letters; put as many in ``turn`` as it may have.

        Two actors that keep answering each other then never wait on the stream, which costs far
        more. False: there will be no letters any more.
        """
        if turn.ready:
            return True
        await let_others_first()
        taken = self._rest
        if not taken:
            while self._bundle is None:
                if self.closed:
                    return False
                if self.before_waiting is not None:
                    self.before_waiting()
                self._bell = asyncio.get_running_loop().create_future()
                await self._bell
            self._bell = self._bundle = None
            taken = self._receiver.receive_nowait()
        if len(taken) > BATCH:
            self._rest = taken
            taken = deque([self._rest.popleft() for _ in range(BATCH)])
        elif self._rest:
            self._rest = deque()
        if self.held:
            # Where none is left, all that were told are taken: nearly always, and at no cost.
            left = self._rest or self._bundle
            self.make_room(sum([each.bounded for each in taken]) if left else self.held)
        turn.ready = taken
        return True

    def _ring(self) -> None:
        """Wake whoever waits for letters."""
        if self._bell is not None and not self._bell.done():
            self._bell.set_result(None)

    def forget_answers(self, kept: tuple[type, ...]) -> None:
        self._rest = self.without_answers(self._rest, kept)
        if self._bundle is not None:
            left = self.without_answers(self._bundle, kept)
            self._bundle.clear()  # the same bundle, for it is in the stream
            self._bundle.extend(left)

    @staticmethod
    def without_answers(letters: deque[Letter[M]], kept: tuple[type, ...]) -> deque[Letter[M]]:
        return deque(each for each in letters if each.bounded or isinstance(each.message, kept))

    async def room(self) -> None:
        """Wait until the receiver has taken letters."""
        await self._room.wait()

    def make_room(self, count: int) -> None:
        """Note that told letters were taken; whoever waits for room may go on."""
        full = self.held >= self.size
        self.held -= count
        if full:
            self._room.set()
            self._room = anyio.Event()

    def close(self) -> None:
        """Take no more letters; those that were never opened are given up."""
        self.closed = True
        self.make_room(self.held)
        for letter in (*self._rest, *(self._bundle or ())):
            letter.give_up()
        self._rest.clear()
        self._bundle = None
        self._sender.close()
        with suppress(anyio.WouldBlock, anyio.EndOfStream):
            self._receiver.receive_nowait()  # its letters were given up
        self._receiver.close()
        self._ring()


M_contra = TypeVar("M_contra", bound=Message, contravariant=True)


class Recipient(Protocol[M_contra]):
    """Whoever takes messages: an actor here, or one on another machine."""

    def told(self, message: M_contra, way_back: WayBack | None = None) -> bool: ...

    async def tell(self, message: M_contra, way_back: WayBack | None = None) -> None: ...

    async def ask(self, request: Request[R], *, within: float = 5.0) -> R: ...


class Address(Generic[M]):
    """The sending half of a mailbox: all that one actor knows of another."""

    __slots__ = ("_post",)

    def __init__(self, post: Post[M]) -> None:
        self._post = post

    def told(self, message: M, way_back: WayBack | None = None) -> bool:
        """Deliver ``message`` if there is room, and say whether there was."""
        post = self._post
        if post.held >= post.size:
            return False
        post.held += 1
        letter, bundle = Letter(message, way_back), post._bundle  # noqa: SLF001 - as below
        if bundle is None:
            post.put(letter)
        else:
            bundle.append(letter)
        return True

    async def tell(self, message: M, way_back: WayBack | None = None) -> None:
        """Deliver ``message``; wait only while the inbox is full."""
        while not self.told(message, way_back):
            await self._post.room()

    async def ask(self, request: Request[R], *, within: float = 5.0) -> R:
        """Deliver ``request`` and wait for its answer."""
        promise = Promise[R]()
        with anyio.fail_after(within):
            await self.tell(request, promise)  # type: ignore[arg-type]  # a request of the union M
            return await promise.reply(request)


class ReturnAddress(Generic[M]):
    """The way back into an actor's own inbox."""

    __slots__ = ("_post", "_unanswered", "closed")

    def __init__(self, post: Post[M], unanswered: Callable[[Any], M]) -> None:
        self._post = post
        self._unanswered = unanswered
        self.closed = False

    def deliver(self, reply: M, trace: Trace) -> None:
        if self.closed:
            return
        # A bundle that waits is of an open post: most letters go into one, and need no more calls.
        post, letter = self._post, Letter(reply, None, False, trace)  # noqa: FBT003 - for speed
        if (bundle := post._bundle) is None:  # noqa: SLF001
            post.put(letter)
        else:
            bundle.append(letter)

    def close(self) -> None:
        """Let no more answers through: whoever asked is gone."""
        self.closed = True

    def give_up(self, request: Any, trace: Trace) -> None:
        self.deliver(self._unanswered(request), trace)


class Turn(Generic[M]):
    """The letters that an actor takes in one turn, one open at a time, each under its trace.

    A letter whose handling ends without an answer is given up, also where it ends by a crash;
    those behind it stay. One ``with`` for all of them: for each, it costs more than a letter does.
    """

    __slots__ = ("_open", "ready")

    def __init__(self) -> None:
        self.ready: deque[Letter[M]] = deque()
        self._open: Letter[M] | None = None

    def __enter__(self) -> Iterator[Letter[M]]:
        return self._letters()

    def _letters(self) -> Iterator[Letter[M]]:
        ready = self.ready
        while ready:
            self._open = letter = ready.popleft()
            if current.get() is not letter.trace:  # the letters of one graph share theirs
                current.set(letter.trace)
            yield letter
            if letter._way_back is not None:  # noqa: SLF001 - asking it would cost a call
                letter.give_up()
        self._open = None

    def __exit__(self, *_: object) -> None:
        if self._open is not None:
            self._open.give_up()
            self._open = None


class Mailbox(Generic[M]):
    """The receiving half. It outlives a restart of its actor, and so do its letters.

    An actor waits until there are ``more`` letters, and takes its ``turn`` with them.
    """

    def __init__(self, size: int = 256) -> None:
        self._post = Post[M](size)
        self.turn = Turn[M]()
        self.address = Address[M](self._post)

    def returning(self, unanswered: Callable[[Any], M]) -> ReturnAddress[M]:
        """Make the way back to this inbox; ``unanswered`` words the news of a lost request."""
        return ReturnAddress(self._post, unanswered)

    def forget_answers(self, kept: tuple[type, ...]) -> None:
        """Drop the answers to what a predecessor asked, but those of the kinds to be ``kept``."""
        self.turn.ready = self._post.without_answers(self.turn.ready, kept)
        self._post.forget_answers(kept)

    @property
    def is_empty(self) -> bool:
        """Tell whether no letter is there at this moment."""
        return not self.turn.ready and self._post.is_empty

    def before_waiting(self, work: Callable[[], None]) -> None:
        """Have something done whenever there are no letters left and the actor would wait."""
        self._post.before_waiting = work

    def more(self) -> Coroutine[Any, Any, bool]:
        """Wait for letters, while others get a turn; tell whether there are any still to come.

        What is awaited is the post's own coroutine: one around it would cost as much as a letter.
        """
        return self._post.fill(self.turn)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Letter[M]:
        if not await self.more():
            raise StopAsyncIteration
        return self.turn.ready.popleft()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        """Take no more letters; those never opened are given up."""
        while self.turn.ready:
            self.turn.ready.popleft().give_up()
        self._post.close()
