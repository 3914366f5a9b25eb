"""Run every benchmark and print each figure beside its floor: ``make bench``."""

import sys
from itertools import chain

from benchmarks import graph, pipeline, start


def main() -> int:
    """Print the figures as they come; fail if one is over its budget."""
    kept = True
    for figure in chain(pipeline.figures(), graph.figures(), start.figures()):
        print(figure.row(), flush=True)
        kept = kept and figure.kept
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
