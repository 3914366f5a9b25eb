"""The short form of ``make chaos``: each kind of fault, on one state folder, counted by effects."""

from pathlib import Path
from random import Random

import pytest

from tests.chaos import FAULTS, Chaos
from tests.chaos.clock import COMPILER
from tests.chaos.schedules import MOMENTS, Schedules
from tests.chaos.verbs import Kills


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.chaos)])
def test_nothing_is_lost_or_done_twice_whatever_happens(tmp_path: Path, seed: int) -> None:
    tally = Chaos(tmp_path, Random(seed)).run(2 * len(FAULTS))  # noqa: S311
    assert tally.problems() == []
    assert tally.accepted > 50
    assert tally.statuses["success"] > tally.accepted * 0.6


def test_after_a_kill_no_change_to_files_is_in_doubt(tmp_path: Path) -> None:
    counts = Kills(tmp_path, Random(1)).run(6)  # noqa: S311
    assert counts.problems() == []
    assert counts.statuses["success"] > 20


@pytest.mark.chaos
@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler, to turn the clock")
def test_each_firing_happens_once_whatever_the_clock_says(tmp_path: Path) -> None:
    tally = Schedules(tmp_path, Random(1)).run(2 * len(MOMENTS))  # noqa: S311
    assert tally.problems() == []
    assert tally.firings > 20
    assert tally.turns > 10
