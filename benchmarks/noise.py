"""The statistics of the benchmark: a median with the interval in which it lies.

The interval needs no assumption about how noise is distributed. Of n samples sorted by size, the
true median lies between the k-th from below and the k-th from above with a probability that only
depends on n and k; k is chosen so that it is 95% or more. Fewer than six samples cannot reach 95%;
there the interval is all of them.
"""

from collections.abc import Sequence
from itertools import accumulate
from math import comb
from statistics import median, quantiles

import msgspec

DOUBT = 0.05
FEWEST_FOR_P95 = 20


class Interval(msgspec.Struct, frozen=True):
    """A median, and between which bounds it lies."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, samples: Sequence[float]) -> "Interval":
        """Give the median of samples with its 95% interval."""
        ordered = sorted(samples)
        outside = samples_outside(len(ordered))
        return cls(ordered[outside], median(ordered), ordered[-1 - outside])

    @property
    def noise(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    def over(self, other: "Interval") -> "Interval":
        """Divide by a positive interval; the doubts of both add up."""
        bounds = [bound / by for bound in (self.low, self.high) for by in (other.low, other.high)]
        return Interval(min(bounds), self.middle / other.middle, max(bounds))


def samples_outside(count: int) -> int:
    """Count the samples on each side that lie outside the interval of the median."""
    tails = accumulate(comb(count, number) / 2**count for number in range((count + 1) // 2))
    # The median lies beyond the k-th sample of either side with twice the k-th of these tails.
    return max(0, sum(1 for tail in tails if 2 * tail <= DOUBT) - 1)


def p95(samples: Sequence[float]) -> float | None:
    """Give the 95th percentile, where there are samples enough to speak of one."""
    if len(samples) < FEWEST_FOR_P95:
        return None
    return quantiles(samples, n=20, method="inclusive")[-1]
