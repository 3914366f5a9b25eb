"""How fast this machine is at this moment, against the machine of the budgets.

The yardstick is a fixed mix of plain Python: strings, dictionaries, attributes, calls, lists and a
sort. Nothing of Behest is in it and nothing of it may change, or old readings mean something else.
It is read again between the figures, because a shared machine changes its speed within a minute.

``REFERENCE_MS`` is what the mix took on the machine for which the budgets in microseconds were set.
That machine is gone, so it is worked out from one known pair: commit 11ba809 understood a median
command there in 219 to 288 us, and in 500 to 580 us on the machine where the yardstick was written,
where the mix took 19 ms. So that machine was 1.7 to 2.6 times slower; 1.9 was taken, near the
strict end, and 19 / 1.9 is 10.
"""

import time
from dataclasses import dataclass, field
from statistics import median

REFERENCE_MS = 10.0
ROUNDS = 1_400
NODES = 16


@dataclass(slots=True)
class Node:
    """Something with attributes and a method."""

    name: str
    weight: int
    links: list[int] = field(default_factory=list)

    def score(self, other: "Node") -> int:
        return self.weight * 2 + len(other.name)


def mix() -> int:
    """Do the work of the yardstick; its result is the same every time."""
    nodes = [Node(f"node {number}", number) for number in range(NODES)]
    counts: dict[str, int] = {}
    found: list[str] = []
    for turn in range(ROUNDS):
        for number, node in enumerate(nodes):
            key = f"{node.name}:{turn & 31}".lower()
            counts[key] = counts.get(key, 0) + node.score(nodes[number - 1])
            words = key.split(" ")
            if words[-1].startswith("3") and key not in found[-8:]:
                found.append(key)
    ordered = sorted((count, key) for key, count in counts.items())
    return len(" ".join(found)) + ordered[-1][0]


def reading(times: int = 1) -> float:
    """Give how many times slower than the reference this machine is now."""
    took = []
    for _ in range(times):
        before = time.thread_time_ns()
        mix()
        took.append((time.thread_time_ns() - before) / 1e6)
    return median(took) / REFERENCE_MS
