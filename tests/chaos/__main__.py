"""Many faults: ``python -m tests.chaos --rounds 400 --seed 1``."""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.chaos import main

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rounds", type=int, default=400)
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()
with TemporaryDirectory() as folder:
    sys.exit(main(options.rounds, options.seed, Path(folder)))
