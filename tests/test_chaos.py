"""The short form of ``make chaos``: each kind of fault, on one state folder, counted by effects."""

from pathlib import Path
from random import Random

import pytest

from tests.chaos import FAULTS, Chaos


@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_is_lost_or_done_twice_whatever_happens(tmp_path: Path, seed: int) -> None:
    tally = Chaos(tmp_path, Random(seed)).run(2 * len(FAULTS))  # noqa: S311
    assert tally.problems() == []
    assert tally.accepted > 50
    assert tally.statuses["success"] > tally.accepted * 0.6
