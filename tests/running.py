"""Run one real actor for the length of a ``with`` block."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio

from actors.mailbox import Address, Mailbox
from actors.supervisor import Actor
from messages.message import Message

M = TypeVar("M", bound=Message)


@asynccontextmanager
async def running(actor: Actor[M]) -> AsyncIterator[Address[M]]:
    """Give the address of ``actor`` while it runs."""
    with Mailbox[M]() as mailbox:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(actor.run, mailbox)
            yield mailbox.address
            tasks.cancel_scope.cancel()
