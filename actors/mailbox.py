"""Mailboxes: typed messages in, typed answers out, and nobody waits for a dead actor.

The only module that may say ``Any``: a reply's type belongs to its request (``Request[R]``)
and is checked at both ends, not in between.

A ``tell`` waits while the inbox is full. An answer never waits: it returns to somebody who
asked for it, so the answers in an inbox are bounded by that actor's own open questions, and an
actor that asks can never block, or be blocked by, one that answers.
"""

import math
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, Protocol, Self, TypeVar

import anyio

from messages.message import Message, Request
from messages.trace import Trace, current

M = TypeVar("M", bound=Message)
R = TypeVar("R")

# Letters an actor may handle before others get a turn: receiving without a trip through the
# event loop is ten times cheaper, and 64 keeps the longest turn well under a millisecond.
BATCH = 64


class Unanswered(Exception):
    """The actor stopped or crashed before it answered the request."""


class WayBack(Protocol):
    """Where an answer goes, or the news that none will come."""

    def deliver(self, reply: Any, trace: Trace) -> None: ...

    def give_up(self, request: Any, trace: Trace) -> None: ...


class Letter(Generic[M]):
    """A message in transit, with its sender's trace and the way back."""

    __slots__ = ("_way_back", "bounded", "message", "trace")

    def __init__(
        self,
        message: M,
        way_back: WayBack | None = None,
        *,
        bounded: bool = True,
        trace: Trace | None = None,
    ) -> None:
        self.message = message
        self.trace = current.get() if trace is None else trace
        self.bounded = bounded
        self._way_back = way_back

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
        kept = Letter(self.message, self._way_back, bounded=self.bounded, trace=self.trace)
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
    """A stream of letters with a bound on those that were told, not on answers."""

    __slots__ = ("_room", "held", "letters", "sender", "size")

    def __init__(self, size: int) -> None:
        # The stream itself is unbounded, so that answers never wait; ``held`` counts the tells.
        self.sender, self.letters = anyio.create_memory_object_stream[Letter[M]](math.inf)
        self.size = size
        self.held = 0
        self._room = anyio.Event()

    def put(self, letter: Letter[M]) -> None:
        """Deliver a letter; one that comes too late is given up at once."""
        try:
            self.sender.send_nowait(letter)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            self.held -= letter.bounded
            letter.give_up()

    async def room(self) -> None:
        """Wait until the receiver has taken letters."""
        await self._room.wait()

    def taken(self, count: int) -> None:
        """Note that told letters were taken; whoever waits for room may go on."""
        full = self.held >= self.size
        self.held -= count
        if full:
            self._room.set()
            self._room = anyio.Event()


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
        post.put(Letter(message, way_back))
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

    __slots__ = ("_post", "_unanswered")

    def __init__(self, post: Post[M], unanswered: Callable[[Any], M]) -> None:
        self._post = post
        self._unanswered = unanswered

    def deliver(self, reply: M, trace: Trace) -> None:
        self._post.put(Letter(reply, bounded=False, trace=trace))

    def give_up(self, request: Any, trace: Trace) -> None:
        self.deliver(self._unanswered(request), trace)


class Mailbox(Generic[M]):
    """The receiving half. It outlives a restart of its actor, and so do its letters."""

    def __init__(self, size: int = 256) -> None:
        self._post = Post[M](size)
        self._ready: deque[Letter[M]] = deque()
        self.address = Address[M](self._post)

    def returning(self, unanswered: Callable[[Any], M]) -> ReturnAddress[M]:
        """Make the way back to this inbox; ``unanswered`` words the news of a lost request."""
        return ReturnAddress(self._post, unanswered)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Letter[M]:
        if not self._ready:
            await self._collect()
        return self._ready.popleft()

    async def _collect(self) -> None:
        """Wait for a letter, and take those that came with it: others get a turn in between."""
        letters = self._post.letters
        try:
            batch = [await letters.receive()]
        except anyio.EndOfStream:
            raise StopAsyncIteration from None
        with suppress(anyio.WouldBlock, anyio.EndOfStream):
            while len(batch) < BATCH:
                batch.append(letters.receive_nowait())
        self._ready.extend(batch)
        self._post.taken(sum([letter.bounded for letter in batch]))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        """Take no more letters; those never opened are given up."""
        self._post.sender.close()
        self._post.taken(self._post.held)
        while self._ready:
            self._ready.popleft().give_up()
        with self._post.letters as letters, suppress(anyio.EndOfStream):
            while True:
                letters.receive_nowait().give_up()
