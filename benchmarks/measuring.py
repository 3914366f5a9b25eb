"""Measuring beside a floor: interleaved rounds, medians of ratios, one line of verdict each."""

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

ROUNDS = 9


@dataclass(frozen=True, slots=True)
class Budget:
    """What a figure may cost: as a multiple of its floor, or in units of its own."""

    limit: float
    kind: str = "ratio"


@dataclass
class Figure:
    """One figure, its floor, and what both cost in each round."""

    name: str
    unit: str
    budget: Budget
    costs: list[float] = field(default_factory=list)
    floors: list[float] = field(default_factory=list)

    def measure(self, cost: Callable[[], float], floor: Callable[[], float]) -> "Figure":
        """Measure both in turns, so that both meet the same noise."""
        for _ in range(ROUNDS):
            self.floors.append(floor())
            self.costs.append(cost())
        return self

    @property
    def ratio(self) -> float:
        pairs = zip(self.costs, self.floors, strict=True)
        return median(cost / floor for cost, floor in pairs)

    @property
    def value(self) -> float:
        return self.ratio if self.budget.kind == "ratio" else median(self.costs)

    @property
    def kept(self) -> bool:
        return self.value <= self.budget.limit

    def row(self) -> str:
        """Put the figure into one line."""
        cost = f"{median(self.costs):10.1f} {self.unit}"
        floor = (
            f"floor {median(self.floors):7.1f} {self.unit}, {self.ratio:5.2f}x"
            if self.floors
            else ""
        )
        limit = f"{self.budget.limit:g}{'x' if self.budget.kind == 'ratio' else ' ' + self.unit}"
        verdict = "kept" if self.kept else "OVER"
        return f"{self.name:<44}{cost:<16}{floor:<30} budget {limit:<8} {verdict}"


@dataclass(frozen=True, slots=True)
class Remark:
    """What is worth knowing beside a figure, and has no budget."""

    name: str
    said: str = ""
    kept: bool = True

    def row(self) -> str:
        """Put the remark into one line."""
        return f"{self.name:<44}{self.said:>13}"
