"""No test can hang: each phase of one has a limit, and past it says where it stood, and fails.

The run goes on. Setup, call and teardown may each take ``LIMIT`` seconds, or as many as the test is
marked with: ``@pytest.mark.time_limit(300)``. Then an exception is raised in the main thread,
wherever it waits, and again every ``GRACE`` seconds where a clean-up waits in its turn.
"""

import asyncio
import io
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

LIMIT = 120.0
GRACE = 30.0


class TimeLimitExceeded(BaseException):
    """A test took too long. No ``Exception``, so that neither code nor Hypothesis handles it."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "time_limit(seconds): how long each phase of a test may take"
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    with limited(item, "setup"):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    with limited(item, "call"):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    with limited(item, "teardown"):
        return (yield)


@contextmanager
def limited(item: pytest.Item, phase: str) -> Iterator[None]:
    """Break off what happens inside once it has taken as long as this test may."""
    marker = item.get_closest_marker("time_limit")
    limit = float(marker.args[0]) if marker else LIMIT

    def stop(_signal: int, _frame: FrameType | None) -> None:
        where = f"\n{item.nodeid}: {phase} took more than {limit:g} s\n{all_stacks()}"
        sys.stderr.write(where)
        raise TimeLimitExceeded(where)

    former = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit, GRACE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


def all_stacks() -> str:
    """Where every thread stands, and every task of the loop that runs in this one."""
    written = io.StringIO()
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    for ident, frame in sys._current_frames().items():  # noqa: SLF001 - there is no other way
        written.write(f"\n--- thread {names.get(ident, ident)}\n")
        traceback.print_stack(frame, file=written)
    for task in running_tasks():
        written.write(f"\n--- task {task.get_name()}\n")
        for frame in awaiting_frames(task.get_coro()):
            traceback.print_stack(frame, limit=1, file=written)
    return written.getvalue()


def running_tasks() -> "set[asyncio.Task[object]]":
    try:
        return asyncio.all_tasks()
    except RuntimeError:  # no loop runs here
        return set()


def awaiting_frames(coroutine: object) -> Iterator[FrameType]:
    """Follow a coroutine to what it awaits, and that in its turn, as far as there are frames."""
    awaited = coroutine
    while awaited is not None:
        frame = getattr(awaited, "cr_frame", None) or getattr(awaited, "gi_frame", None)
        if frame is not None:
            yield frame
        awaited = getattr(awaited, "cr_await", None) or getattr(awaited, "gi_yieldfrom", None)
