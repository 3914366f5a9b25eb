"""Run everything: kills, a rolling restart, and more executors; fail if anything was lost."""

import sys
import tempfile
from pathlib import Path

from tests.scale.kills import report, under_faults
from tests.scale.rolling import rolling_restart
from tests.scale.throughput import report as throughput_report

COMMANDS, PACE = 1_000, 100.0


def main() -> int:
    """Run all, show what came of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("1,000 commands at 100 a second, three servers, five faults:")
        verdict, load = under_faults(folder / "kills", servers=3, commands=COMMANDS, pace=PACE)
        print(report(verdict, load), flush=True)
        print("a rolling restart of all roles under the same load:")
        rolled = rolling_restart(folder / "rolling", servers=3, commands=COMMANDS, pace=50.0)
        print(f"  {rolled}", flush=True)
        print("actions of a tenth of a second:")
        lines, is_near_linear = throughput_report(folder)
        print("\n".join(f"  {line}" for line in lines))
    good = verdict.is_good and rolled.is_good and not rolled.failed and is_near_linear
    print("all is well" if good else "NOT WELL")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
