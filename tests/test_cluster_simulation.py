"""The simulation of a cluster: it repeats what was measured before it says anything else."""

from functools import cache
from itertools import pairwise

import pytest

from benchmarks.cluster_simulation import (
    EXECUTORS_RECORDED,
    RECORDED,
    SEED,
    TOLERANCE,
    Compared,
    Layout,
    comparison,
    loaded,
    picture,
    simulated_throughput,
    turns_of,
)


@cache
def compared() -> tuple[Compared, ...]:
    return tuple(comparison())


def test_what_was_measured_comes_out_of_the_simulation() -> None:
    assert len(compared()) == len(EXECUTORS_RECORDED) + 6 * len(RECORDED)
    wrong = {row.name: f"{row.error:+.0%}" for row in compared() if abs(row.error) > TOLERANCE}
    assert wrong == {}


def test_what_executors_do_does_not_hang_on_the_seed() -> None:
    for executors, measured in EXECUTORS_RECORDED.items():
        simulated = simulated_throughput(executors, SEED + 1)
        assert simulated == pytest.approx(measured, rel=TOLERANCE)


def test_the_same_seed_gives_the_same_figures() -> None:
    layout = Layout(brains=2, executors=2, servers=3, shards=8, places=8)
    first, again = (loaded(200, layout, seconds=5.0, seed=SEED) for _ in range(2))
    assert first == again
    assert loaded(200, layout, seconds=5.0, seed=SEED + 1) != first


def test_more_executors_never_lower_the_throughput() -> None:
    simulated = [row.simulated for row in compared()[: len(EXECUTORS_RECORDED)]]
    assert all(more >= fewer for fewer, more in pairwise(simulated))


def test_a_larger_cluster_is_less_busy() -> None:
    small = loaded(400, Layout(servers=3, places=8), seconds=5.0)
    large = loaded(400, Layout(2, 2, 2, servers=3, places=8), seconds=5.0)
    for part in ("gateways", "brains", "executors", "browsers"):
        assert large.loads[part] < small.loads[part]


def test_no_turn_costs_less_than_nothing() -> None:
    for measured in RECORDED.values():
        for turns in turns_of(measured).values():
            roles = (turns.gateway, turns.brain, turns.executor, turns.servers, turns.client)
            assert all(turn.work > 0 and turn.wake >= 0 for turn in roles)


def test_the_picture_shows_every_part() -> None:
    grown = [loaded(each, Layout(servers=3, places=8), seconds=2.0) for each in (100, 200)]
    drawn = picture(compared(), grown)
    assert all(f">{name}</text>" in drawn for name in grown[0].loads)
