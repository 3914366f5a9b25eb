"""Supervision: a crashed actor starts afresh, with the letters it had not yet opened.

The one place that may catch ``Exception``. Actors and tools let unexpected errors fly.
"""

from collections import deque
from collections.abc import Callable, Coroutine
from time import monotonic
from typing import Any, Protocol, TypeVar

import structlog

from actors.mailbox import Mailbox
from messages.message import Message
from messages.trace import NOWHERE, current

M = TypeVar("M", bound=Message)
A = TypeVar("A")
S = TypeVar("S")
R = TypeVar("R")
Instead = TypeVar("Instead")

log = structlog.get_logger()


class Actor(Protocol[M]):
    """The shape of an actor. Nothing inherits from it."""

    async def run(self, mailbox: Mailbox[M]) -> None: ...


class GaveUp(Exception):
    """An actor crashed too often; the daemon cannot go on."""


async def supervise(
    name: str,
    make: Callable[[], Actor[M]],
    mailbox: Mailbox[M],
    *,
    restarts: int = 20,
    within: float = 60.0,
) -> None:
    """Run ``make()``'s actor; give up at more than ``restarts`` crashes ``within`` seconds."""
    crashes: deque[float] = deque(maxlen=restarts + 1)
    while True:
        try:
            return await make().run(mailbox)
        except Exception as error:
            structlog.get_logger(actor=name).exception("actor.crashed", error=repr(error))
            current.set(NOWHERE)  # the next one begins afresh, not in the letter that crashed this
            crashes.append(monotonic())
            if len(crashes) > restarts and crashes[-1] - crashes[0] < within:
                raise GaveUp(f"{name} crashed {len(crashes)} times in {within:g} s") from error


async def contained(
    work: Coroutine[Any, Any, R], crashed: Callable[[Exception], Instead]
) -> R | Instead:
    """Await ``work``; its crash ends it alone, and ``crashed`` says what is answered instead."""
    try:
        return await work
    except Exception as error:
        log.exception("work.crashed", error=repr(error))
        return crashed(error)


def contained_call(work: Callable[[A], R], given: A, crashed: Callable[[Exception], R]) -> R:
    """Like ``contained``, for work that does not wait."""
    try:
        return work(given)
    except Exception as error:
        log.exception("work.crashed", error=repr(error))
        return crashed(error)


def contained_step(
    work: Callable[[S, A], R], crashed: Callable[[S, Exception], R], subject: S, given: A
) -> R:
    """Like ``contained_call``, for a step of something that ends alone if the step crashes."""
    try:
        return work(subject, given)
    except Exception as error:
        log.exception("work.crashed", error=repr(error))
        return crashed(subject, error)
