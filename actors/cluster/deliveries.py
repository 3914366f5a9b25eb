"""What the bus delivers: what nobody can read is put away, what others can is left to them."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

import msgspec

from actors.cluster.bus import Delivery, Unavailable
from actors.cluster.envelopes import is_of_later_version
from actors.logger import ActorLogger

E = TypeVar("E")
MOST_ATTEMPTS = 100
LATER_SECONDS = 1.0  # until what is of a later version is given to another


async def read_delivery(
    delivery: Delivery, read: Callable[[bytes], E], log: ActorLogger
) -> E | None:
    """Give the envelope of a delivery; None if it is not for this process, or for none at all."""
    try:
        envelope = read(delivery.body)
    except msgspec.DecodeError as error:
        log.warning("bus.unreadable", error=str(error))
        if is_of_later_version(delivery.body):  # while roles are upgraded one by one
            await settled(partial(delivery.give_back, LATER_SECONDS))
        else:
            await settled(partial(delivery.poison, f"it cannot be read: {error}"))
        return None
    if delivery.attempt > MOST_ATTEMPTS:
        await settled(partial(delivery.poison, f"it was tried {MOST_ATTEMPTS} times"))
        return None
    return envelope


async def settled(work: Callable[[], Awaitable[None]]) -> None:
    """Settle a delivery; where the bus is away, it is delivered again and known by then."""
    with suppress(Unavailable):
        await work()
