"""Many faults: ``python -m tests.chaos --rounds 400 --kills 60 --seed 1``."""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.chaos import kill_all_verbs, main

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rounds", type=int, default=400)
parser.add_argument("--kills", type=int, default=60)
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()
with TemporaryDirectory() as folder, TemporaryDirectory() as other:
    problems = main(options.rounds, options.seed, Path(folder)) if options.rounds else 0
    sys.exit(kill_all_verbs(options.kills, options.seed, Path(other)) | problems)
