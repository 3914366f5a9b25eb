"""How much more several executors do: actions of a tenth of a second, two at a time in each."""

import time
from pathlib import Path

import psutil

from actors.cluster.presence import BEAT_SECONDS
from tests.cluster import running_cluster
from tests.scale.load import Event, Load
from tests.scale.slow_executor import AT_A_TIME, SECONDS

COUNTS, RUN_SECONDS, SESSIONS_EACH = (1, 2, 4, 8), 8.0, 24
CAPACITY = AT_A_TIME / SECONDS


class TimeLoad(Load):
    """Commands that only ask for the time."""

    def goals(self, number: int) -> list[Event]:
        return [{"domain": "system", "verb": "get", "params": {"target": "time"}}]


def throughput(folder: Path, executors: int) -> tuple[float, float]:
    """Give the commands per second that so many executors carry out, and the cores that were used.

    All is sent at the start, so that every executor always has something to do; the first and the
    last tenth are not counted.
    """
    with running_cluster(folder) as cluster:
        cluster.start("gateway", "gate", wait=False)
        cluster.start("brain", "brain", wait=False)
        for number in range(executors):
            program = ("-m", "tests.scale.slow_executor")
            cluster.start("executor", f"hand-{number}", wait=False, program=program)
        for daemon in cluster.members.values():
            daemon.wait_for("daemon.ready")
        cluster.wait_for_members("gate", "executor", executors)
        time.sleep(2 * BEAT_SECONDS)  # until the brain has heard of them as well
        commands = int(CAPACITY * executors * RUN_SECONDS)
        load = TimeLoad([cluster.members["gate"].socket], commands, 2_000.0)
        load.sessions = SESSIONS_EACH * executors
        before, begun = psutil.cpu_times(), time.monotonic()
        load.run()
        after, took = psutil.cpu_times(), time.monotonic() - begun
        busy = sum(after[:3]) - sum(before[:3])
        ended = sorted(load.ended.values())
        cut = len(ended) // 10
        middle = ended[cut : len(ended) - cut]
        assert len(load.finished) == commands, f"{commands - len(load.finished)} did not end"
        return (len(middle) - 1) / (middle[-1] - middle[0]), busy / took


def report(folder: Path) -> tuple[list[str], bool]:
    """Measure each number of executors; tell whether all are near to linear, while cores last."""
    lines, good = [], True
    cores = psutil.cpu_count() or 1
    for count in COUNTS:
        folder_of = folder / f"executors-{count}"
        per_second, busy = throughput(folder_of, count)
        share = per_second / (CAPACITY * count)
        spent = busy > 0.9 * cores
        lines.append(
            f"{count} executors: {per_second:.0f} commands per second, {share:.0%} of linear, "
            f"{busy:.2f} of {cores} cores{' (spent)' if spent else ''}"
        )
        good = good and (share >= 0.85 or spent)
    return lines, good
