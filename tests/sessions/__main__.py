"""Records the kept sessions anew: `python -m tests.sessions`, and look at what git says of them."""

import tempfile
from pathlib import Path

from tests.sessions import KEPT, SESSIONS

for name, hold in SESSIONS.items():
    with tempfile.TemporaryDirectory() as folder:
        files = sorted(hold(Path(folder)).glob("*.jsonl"))
        for old in KEPT.glob(f"{name}*.jsonl"):
            old.unlink()
        for number, path in enumerate(files, start=1):
            (KEPT / f"{name}_{number}.jsonl").write_bytes(path.read_bytes())
