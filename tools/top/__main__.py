"""``python -m tools.top --socket PATH``."""

import argparse
import sys
from pathlib import Path

from tools.top import run_top

parser = argparse.ArgumentParser(prog="behest top", description="Watch a daemon, live.")
parser.add_argument("--socket", type=Path, required=True, help="where the daemon listens")
sys.exit(run_top(parser.parse_args().socket))
