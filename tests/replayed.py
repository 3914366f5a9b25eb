"""``python -m tests.replayed FOLDER``: make again what every daemon of a test run has decided.

Each daemon of the suite records its decisions in its state folder. They are made again in two
processes whose hash seeds differ, and must come out the same, byte for byte.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.daemon import PROJECT

SEEDS = ("1", "4711")
PATIENCE = 300


def recordings(folder: Path) -> list[Path]:
    """Find what the daemons have recorded."""
    found = folder.glob("**/state/decisions/*.jsonl")
    return sorted(path for path in found if path.is_file() and path.stat().st_size)


def main() -> int:
    """Replay them; 1 if a decision came out otherwise, or if there is nothing to replay."""
    files = recordings(Path(sys.argv[1]))
    if not files:
        sys.stderr.write("no decisions were recorded\n")
        return 1
    for seed in SEEDS:
        command = [sys.executable, str(PROJECT / "run.py"), "replay", "--diff", *map(str, files)]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        ended = subprocess.run(command, env=environment, timeout=PATIENCE, check=False)
        if ended.returncode:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
