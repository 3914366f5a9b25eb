"""Run every benchmark and print each figure beside its floor: ``make bench``."""

import sys
from itertools import chain

from benchmarks import graph, pipeline, resolving, start


def main() -> int:
    """Print the figures as they come; fail if one is over its budget."""
    kept = True
    parts = (resolving, pipeline, graph, start)
    for figure in chain.from_iterable(part.figures() for part in parts):
        print(figure.row(), flush=True)
        kept = kept and figure.kept
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
