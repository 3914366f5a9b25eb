"""Whether a client is gone, or only says no more: both end what can be read of it."""

import select
import socket
import sys

import anyio
import anyio.abc
from anyio.abc import SocketAttribute

LOOK_SECONDS = 1.0
# Where the system does not tell them apart, one who says no more is waited for so long.
WAIT_SECONDS = 600.0


async def hung_up(stream: anyio.abc.ByteStream) -> None:
    """Wait until a client that says no more does not listen any more either."""
    with anyio.move_on_after(WAIT_SECONDS) as patience:
        while not is_gone(stream):
            if tells_apart(stream):
                patience.deadline = anyio.current_time() + WAIT_SECONDS
            await anyio.sleep(LOOK_SECONDS)


def tells_apart(stream: anyio.abc.ByteStream) -> bool:
    """Tell whether the system knows one who is gone: over TCP, both have just said no more."""
    is_unix = stream.extra(SocketAttribute.family, None) == socket.AF_UNIX  # noqa: S610 - no Django
    return is_unix and sys.platform == "linux"


def is_gone(stream: anyio.abc.ByteStream) -> bool:
    raw = stream.extra(SocketAttribute.raw_socket, None)  # noqa: S610 - no Django
    if raw is None or not tells_apart(stream):
        return False
    poll = select.poll()
    poll.register(raw.fileno(), 0)
    return any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll(0))
