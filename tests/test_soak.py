"""A short soak; ``make soak`` has a hundred thousand commands, and looks at memory too."""

from pathlib import Path

from tests.overheard import Overheard, overheard_daemon
from tests.soak import JUDGED_FROM, Sample, Soak, soaked


def test_many_clients_that_come_and_go_are_all_served_and_leave_nothing_open(
    tmp_path: Path,
) -> None:
    soak = soaked(tmp_path, commands=2_000, clients=20)
    assert soak.problems() == []
    assert soak.ended == 2_000
    assert {"success", "failed", "cancelled"} <= set(soak.outcomes)


def test_a_daemon_that_grows_is_noticed(tmp_path: Path) -> None:
    with overheard_daemon(tmp_path) as daemon:
        assert "grows" in str(measured(daemon, growth=40).problems())
        assert measured(daemon, growth=10).problems() == []


def measured(daemon: Overheard, growth: int) -> Soak:
    """Give a run in which every command left so many bytes behind."""
    soak = Soak(daemon, JUDGED_FROM)
    steps = range(0, JUDGED_FROM + 1, JUDGED_FROM // 50)
    soak.samples = [Sample(step, 25 * 2**20 + growth * step, 10, 5) for step in steps]
    return soak
