"""Run every benchmark and print each figure beside its floor: ``make bench``."""

import sys
from collections.abc import Iterator
from itertools import chain
from typing import Protocol

from benchmarks import browsing, chores, graph, pipeline, resolving, sets, start, understanding
from benchmarks.measuring import Figure, Remark


class Part(Protocol):
    """A module with figures."""

    def figures(self) -> Iterator[Figure | Remark]: ...


def main() -> int:
    """Print the figures as they come; fail if one is over its budget."""
    kept = True
    parts: tuple[Part, ...] = (
        resolving,
        understanding,
        browsing,
        chores,
        pipeline,
        sets,
        graph,
        start,
    )
    for figure in chain.from_iterable(part.figures() for part in parts):
        print(figure.row(), flush=True)
        kept = kept and figure.kept
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
