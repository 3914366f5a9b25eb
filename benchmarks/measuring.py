"""Measuring beside a floor and a yardstick: interleaved rounds, medians, a verdict each."""

import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

from benchmarks.noise import Interval, p95
from benchmarks.yardstick import reading

ROUNDS = 9
TIMES = frozenset({"us", "ms", "s"})


@dataclass(frozen=True, slots=True)
class Budget:
    """What a figure may cost.

    ``ratio``: as a multiple of its floor. ``cost``: in its unit. ``over``: in its unit, over its
    floor. ``absolute``: in its unit, whatever the machine. A budget of the kinds ``cost`` and
    ``over`` is for the reference machine, if its unit is a time: what was measured is divided by
    how many times slower this machine is.
    """

    limit: float
    kind: str = "ratio"


@dataclass
class Figure:
    """One figure, its floor, and what both cost in each round.

    ``paces`` are readings of the yardstick while it was measured: one for each cost, or a few for
    all of them. A figure without a budget is only compared with what it was before.
    """

    name: str
    unit: str
    budget: Budget | None = None
    costs: list[float] = field(default_factory=list)
    floors: list[float] = field(default_factory=list)
    paces: list[float] = field(default_factory=list)

    def measure(
        self, cost: Callable[[], float], floor: Callable[[], float], rounds: int = ROUNDS
    ) -> "Figure":
        """Measure both in turns, so that both meet the same noise."""
        for _ in range(rounds):
            gc.collect()  # or each would pay for what the other has left behind
            lowest = floor()
            gc.collect()
            self.add(cost(), lowest)
        return self

    def add(self, cost: float, floor: float | None = None) -> None:
        """Add a round, with the pace of the machine at this moment."""
        self.costs.append(cost)
        if floor is not None:
            self.floors.append(floor)
        self.paces.append(reading())

    @property
    def kind(self) -> str:
        if self.budget is not None:
            return self.budget.kind
        return "ratio" if self.floors else "cost"

    @property
    def ratios(self) -> list[float]:
        """What it costs as a multiple of its floor, in each round."""
        return [cost / floor for cost, floor in zip(self.costs, self.floors, strict=True)]

    @property
    def is_scaled(self) -> bool:
        """Tell whether the budget is for the reference machine."""
        return self.unit in TIMES and self.kind in {"cost", "over"}

    @property
    def pace(self) -> Interval:
        """How many times slower than the reference the machine was."""
        return Interval.of(self.paces or [1.0])

    @property
    def samples(self) -> list[float]:
        """What each round says: a ratio, a cost, or a cost over its floor."""
        match self.kind:
            case "ratio":
                return self.ratios
            case "over":
                return [cost - floor for cost, floor in zip(self.costs, self.floors, strict=True)]
            case _:
                return self.costs

    @property
    def value(self) -> Interval:
        """What is held against the budget."""
        return self.at_reference(self.samples) if self.is_scaled else Interval.of(self.samples)

    def at_reference(self, costs: list[float]) -> Interval:
        """Estimate what costs would be on the reference machine."""
        if len(self.paces) == len(costs):
            return Interval.of([cost / by for cost, by in zip(costs, self.paces, strict=True)])
        return Interval.of(costs).over(self.pace)

    @property
    def normaliser(self) -> str:
        """By what the figure is divided before it is compared with another run."""
        if self.floors and self.kind != "over":
            return "floor"
        return "yardstick" if self.is_scaled else "none"

    @property
    def normal(self) -> Interval:
        """The figure without the speed of this machine, to be compared with other runs."""
        return Interval.of(self.ratios) if self.normaliser == "floor" else self.value

    @property
    def kept(self) -> bool:
        return self.budget is None or self.value.middle <= self.budget.limit

    @property
    def verdict(self) -> str:
        if self.budget is None:
            return "none"
        return "kept" if self.kept else "over"

    def row(self) -> str:
        """Put the figure into one line."""
        cost = f"{median(self.costs):,.1f} {self.unit}"
        high = p95(self.costs)
        tail = "" if high is None else f"p95 {high:,.1f}"
        floor = (
            f"floor {median(self.floors):,.1f}, {median(self.ratios):.2f}x" if self.floors else ""
        )
        return f"{self.name:<54}{cost:>13}  {tail:<14}{floor:<25}{self.judgement()}"

    def judgement(self) -> str:
        """Say what was held against which budget, and how it ended."""
        unit = "x" if self.kind == "ratio" else f" {self.unit}"
        value = f"{self.value.middle:,.2f}{unit} ±{self.value.noise:,.2f}"
        if self.kind == "over":
            value += " over the floor"
        if self.is_scaled:
            value += f" at the reference's speed (here {self.pace.middle:.2f})"
        if self.budget is None:
            return f"{value}; no budget"
        return f"{value}; budget {self.budget.limit:,.4g}{unit}: {self.verdict.upper()}"


@dataclass(frozen=True, slots=True)
class Remark:
    """What is worth knowing beside a figure, and has no budget."""

    name: str
    said: str = ""
    kept: bool = True

    def row(self) -> str:
        """Put the remark into one line."""
        return f"{self.name:<54}{self.said:>13}"
