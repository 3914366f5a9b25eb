"""Many faults: ``python -m tests.chaos --rounds 400 --kills 60 --turns 80 --seed 1``."""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.chaos import kill_all_verbs, main
from tests.chaos.clock import COMPILER
from tests.chaos.schedules import turn_and_kill

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rounds", type=int, default=400)
parser.add_argument("--kills", type=int, default=60)
parser.add_argument("--turns", type=int, default=80, help="rounds in which the clock is turned")
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()
with TemporaryDirectory() as folder, TemporaryDirectory() as other, TemporaryDirectory() as third:
    problems = main(options.rounds, options.seed, Path(folder)) if options.rounds else 0
    if options.kills:
        problems |= kill_all_verbs(options.kills, options.seed, Path(other))
    if options.turns and COMPILER is None:
        print("the clock is not turned: that needs a C compiler", file=sys.stderr)
    elif options.turns:
        problems |= turn_and_kill(options.turns, options.seed, Path(third))
sys.exit(problems)
