"""Kills in the midst of load: an executor, a brain, a gateway, the stream's leader, and a cut link.

A process that is stopped by a signal and goes on later is as good as one behind a cut link: the
others hear nothing of it, and it knows nothing of what they did meanwhile.
"""

import json
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.cluster import Cluster, running_cluster
from tests.scale.load import Load, Verdict

MEMBERS = (
    ("gateway", "gate-1"),
    ("gateway", "gate-2"),
    ("brain", "brain-1"),
    ("brain", "brain-2"),
    ("executor", "hand-1"),
    ("executor", "hand-2"),
)
CUT_SECONDS = 9.0  # longer than a lease


@dataclass(frozen=True)
class Fault:
    """Something that is done to a cluster, so many seconds after the load has begun."""

    at: float
    name: str
    do: Callable[[Cluster], None]


def killed(name: str) -> Callable[[Cluster], None]:
    """Kill a process and start it again, as its supervisor would."""

    def do(cluster: Cluster) -> None:
        cluster.kill(name)
        cluster.restart(name, wait=False)

    return do


def cut_off(name: str) -> Callable[[Cluster], None]:
    """Cut a process off from all others for longer than a lease lasts."""

    def do(cluster: Cluster) -> None:
        process = cluster.members[name].process
        process.send_signal(signal.SIGSTOP)
        try:
            time.sleep(CUT_SECONDS)
        finally:
            process.send_signal(signal.SIGCONT)

    return do


def kill_leader(cluster: Cluster) -> None:
    """Kill the server that leads the stream of requests, and start it again."""
    leader = cluster.servers.leader("behest_work")
    cluster.servers.kill(leader)
    cluster.servers.start(leader)


FAULTS = (
    Fault(1.0, "an executor killed", killed("hand-1")),
    Fault(3.0, "a brain killed", killed("brain-1")),
    Fault(5.0, "a gateway killed", killed("gate-1")),
    Fault(6.0, "the stream's leader killed", kill_leader),
    Fault(8.0, "a brain cut off and back", cut_off("brain-2")),
)


def under_faults(
    folder: Path,
    *,
    servers: int,
    commands: int,
    pace: float,
    faults: tuple[Fault, ...] = FAULTS,
) -> tuple[Verdict, Load]:
    """Send commands while faults happen; say what became of them."""
    with running_cluster(folder, servers=servers) as cluster:
        gates = cluster.start_all(MEMBERS)
        load = Load(gates, commands, pace)
        load.prepare(cluster.root)
        timers = [threading.Timer(fault.at, fault.do, (cluster,)) for fault in faults]
        for timer in timers:
            timer.start()
        load.run()
        for timer in timers:
            timer.join()
        return load.verdict(cluster.root), load


def report(verdict: Verdict, load: Load) -> str:
    """Say what came of a load, and how long the slowest commands after each fault took."""
    figures = {**asdict(verdict), "lost": len(verdict.lost), "twice": len(verdict.twice)}
    figures["untrue"] = len(verdict.untrue)
    begun = min(load.sent.values())
    took = {each: load.ended[each] - load.sent[each] for each in load.ended}
    for fault in FAULTS:
        near = [took[each] for each in took if 0 <= load.sent[each] - begun - fault.at < 1.0]
        figures[f"slowest within a second of: {fault.name}"] = round(max(near, default=0.0), 2)
    return json.dumps(figures, indent=1)
