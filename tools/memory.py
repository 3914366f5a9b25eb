"""The memory of the daemon: what the collector leaves alone, and what goes back to the system."""

import ctypes
import gc

import anyio

COLLECT_SECONDS = 30.0
# As glibc's malloc.h has it.
M_ARENA_MAX, M_MMAP_THRESHOLD = -8, -3
# One for the daemon's loop, one for all threads of its tools: they hold the interpreter's lock
# while they make anything, and hardly ever wait for each other.
ARENAS = 2
# What is larger is taken from the system by itself and goes back at once: the buffers that clients'
# frames are received in would else lie between all that lasts.
LARGE = 128 << 10


def settle_memory() -> None:
    """Let the collector leave alone what lives as long as the daemon does.

    Messages form no cycles and are freed at once, so that young collections find nothing: fewer
    of them save a few percent of all work.
    """
    share_arenas()
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def share_arenas() -> None:
    """Let threads share what they take memory from.

    By default each takes from an arena of its own, and what is left in it when the thread ends
    stays there: with threads that come and go, the daemon would grow for days. Only glibc knows
    arenas; elsewhere there is nothing to say.
    """
    if (mallopt := of_libc("mallopt")) is not None:
        mallopt(M_ARENA_MAX, ARENAS)
        mallopt(M_MMAP_THRESHOLD, LARGE)


async def collect_now_and_then() -> None:
    """Free what only refers to itself: with so few collections it would stay for hours.

    What lives as long as the daemon was set aside, so that a whole collection takes little time.
    """
    trim = of_libc("malloc_trim")
    while True:
        await anyio.sleep(COLLECT_SECONDS)
        gc.collect()
        if trim is not None:
            trim(0)


def of_libc(name: str) -> "ctypes._NamedFuncPointer | None":
    """Give a function of the C library, if this one has it."""
    try:
        return getattr(ctypes.CDLL(None), name, None)
    except (OSError, TypeError):  # no C library to be had in this way
        return None
