"""A rolling restart of all roles under load: each process is told to stop and started again."""

import threading
import time
from pathlib import Path

from tests.cluster import Cluster, running_cluster
from tests.scale.kills import MEMBERS
from tests.scale.load import Load, Verdict

ORDER = ("hand-1", "hand-2", "brain-1", "brain-2", "gate-1", "gate-2")
PAUSE_SECONDS = 1.0  # until the one before is there again


def roll(cluster: Cluster) -> None:
    """Restart one process after another, as an upgrade would."""
    for name in ORDER:
        cluster.members[name].process.terminate()
        cluster.members[name].process.wait(30)
        cluster.restart(name)
        time.sleep(PAUSE_SECONDS)


def rolling_restart(folder: Path, *, servers: int, commands: int, pace: float) -> Verdict:
    """Send commands while every process is restarted."""
    with running_cluster(folder, servers=servers) as cluster:
        gates = cluster.start_all(MEMBERS)
        load = Load(gates, commands, pace)
        load.prepare(cluster.root)
        rolling = threading.Thread(target=roll, args=(cluster,))
        rolling.start()
        load.run()
        rolling.join()
        return load.verdict(cluster.root)
