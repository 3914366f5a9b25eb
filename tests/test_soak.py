"""A short soak; ``make soak`` has a hundred thousand commands, and looks at memory too."""

from pathlib import Path
from random import Random

from tests.overheard import Overheard, overheard_daemon
from tests.soak import JUDGED_FROM, Sample, Soak, soaked

# What was seen of it in runs of 100,000 commands: the standard deviation of a sample.
NOISE = 320 << 10


def test_many_clients_that_come_and_go_are_all_served_and_leave_nothing_open(
    tmp_path: Path,
) -> None:
    soak = soaked(tmp_path, commands=2_000, clients=20)
    assert soak.problems() == []
    assert soak.ended == 2_000
    assert {"success", "failed", "cancelled"} <= set(soak.outcomes)


def test_a_daemon_that_grows_is_noticed(tmp_path: Path) -> None:
    with overheard_daemon(tmp_path) as daemon:
        assert "grows" in str(measured(daemon, growth=16, noise=0).problems())
        assert measured(daemon, growth=10, noise=0).problems() == []


def test_growth_is_told_from_noise(tmp_path: Path) -> None:
    with overheard_daemon(tmp_path) as daemon:
        for seed in range(20):
            assert measured(daemon, growth=0, noise=NOISE, seed=seed).problems() == []
            assert "grows" in str(measured(daemon, growth=32, noise=NOISE, seed=seed).problems())


def test_where_noise_hides_growth_nothing_is_shown(tmp_path: Path) -> None:
    with overheard_daemon(tmp_path) as daemon:
        assert "may grow" in str(measured(daemon, growth=0, noise=20 * NOISE).problems())


def measured(daemon: Overheard, growth: int, noise: int, seed: int = 1) -> Soak:
    """Give a run in which every command left so many bytes behind."""
    soak, chance = Soak(daemon, JUDGED_FROM), Random(seed)  # noqa: S311 - the same in every run
    steps = range(0, JUDGED_FROM + 1, JUDGED_FROM // 50)
    kept = [25 * 2**20 + growth * step + int(chance.gauss(0, noise)) for step in steps]
    soak.samples = [Sample(step, kept, 10, 5) for step, kept in zip(steps, kept, strict=True)]
    return soak
