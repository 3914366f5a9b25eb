"""Fixtures: a daemon of one's own, in a folder of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.daemon import Daemon, running_daemon

settings.register_profile("behest", deadline=None)
settings.load_profile("behest")


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    """A daemon with one root, ``work``."""
    with running_daemon(tmp_path) as running:
        yield running
