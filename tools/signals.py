"""The signals that stop the daemon, from its start to the end of the process.

The handlers stay until they are replaced by "ignore", in one step. Handlers that were taken away
first would leave a gap in which a second signal ends the process with the signal's own code.
"""

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import anyio

REMEMBERED = 8
"""Signals that may wait to be read; the first two decide, the others change nothing."""


@contextmanager
def stop_signals(*numbers: signal.Signals) -> Iterator[AsyncIterator[signal.Signals]]:
    """Receive these signals as a stream; afterwards the process ignores them for good."""
    send, receive = anyio.create_memory_object_stream[signal.Signals](REMEMBERED)
    loop = asyncio.get_running_loop()

    def put(number: int) -> None:
        with suppress(anyio.WouldBlock, anyio.ClosedResourceError, anyio.BrokenResourceError):
            send.send_nowait(signal.Signals(number))

    def handle(number: int, _frame: FrameType | None) -> None:
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(put, number)

    with send, receive:
        for number in numbers:
            signal.signal(number, handle)
        try:
            yield receive
        finally:
            for number in numbers:
                signal.signal(number, signal.SIG_IGN)
