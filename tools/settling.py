"""Waiting for what takes a moment: a window manager, a player or a service that was told to act."""

from collections.abc import Awaitable, Callable

import anyio

SECONDS, STEP = 5.0, 0.02


async def wait_until(condition: Callable[[], Awaitable[object]], seconds: float = SECONDS) -> bool:
    """Wait until a condition holds, for so long and no longer; tell whether it does."""
    with anyio.move_on_after(seconds):
        while not await condition():  # noqa: ASYNC110 - nobody tells us when it does
            await anyio.sleep(STEP)
        return True
    return False
