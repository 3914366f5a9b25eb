"""Fixtures: a daemon of one's own, in a folder of its own. And what holds for every test."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.daemon import Daemon, running_daemon

pytest_plugins = ["tests.time_limit"]

settings.register_profile("behest", deadline=None)
settings.load_profile("behest")


def give_children_default_signals() -> None:
    """Let no program that a test starts inherit that signals are ignored.

    Jobs in the background of a script ignore interrupts, and so would all that they start. A
    handler that does nothing is the same for us, and is gone in a program that we start.
    """
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


give_children_default_signals()


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon with one root, ``work``."""
    with running_daemon(tmp_path) as running:
        yield running
