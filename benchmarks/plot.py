"""The history as a picture: one small plot for each figure, over the recorded commits.

Drawn by hand as SVG, in colours that can be read on light and on dark. A point is what was held
against the budget: a multiple of the floor, or a cost at the reference's speed. Its bar is the
noise. The dashed line is the budget; one that is far above everything measured is only written.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from benchmarks.records import PROJECT, Entry, Run
from benchmarks.report import rounded

PICTURE = PROJECT / "docs" / "bench" / "history.svg"
COLUMNS, WIDTH, HEIGHT = 3, 320, 150
MARGIN, HEADER = 16, 64
LEFT, RIGHT, TOP, BOTTOM = 8, 8, 42, 20  # around the field of a plot
SHOWN = 40  # the last so many commits
FAR = 2.5  # a budget of so many times the highest point is far above
TITLE_LENGTH = 50
STYLE = """
text { font: 11px system-ui, sans-serif; fill: #57606a; }
.title { font-size: 15px; font-weight: 600; fill: #1f2328; }
.name { font-size: 10.5px; font-weight: 600; fill: #1f2328; }
.page { fill: #ffffff; }
.field { fill: #f6f8fa; }
.path { fill: none; stroke: #0969da; stroke-width: 1.5; }
.bar { stroke: #0969da; stroke-width: 1.5; opacity: .55; }
.point { fill: #0969da; }
.point.over { fill: #cf222e; }
.bar.over { stroke: #cf222e; }
.budget { stroke: #9a6700; stroke-width: 1; stroke-dasharray: 4 3; }
.limit { fill: #9a6700; }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1; }
  .title, .name { fill: #f0f6fc; }
  .page { fill: #0d1117; }
  .field { fill: #151b23; }
  .path, .bar { stroke: #4493f8; }
  .point { fill: #4493f8; }
  .point.over { fill: #f85149; }
  .bar.over { stroke: #f85149; }
  .budget { stroke: #d29922; }
  .limit { fill: #d29922; }
}
"""


@dataclass(frozen=True, slots=True)
class Series:
    """A figure over the commits; ``None`` where it was not measured."""

    entries: tuple[Entry | None, ...]

    @property
    def measured(self) -> list[tuple[int, Entry]]:
        return [(at, entry) for at, entry in enumerate(self.entries) if entry is not None]

    @property
    def last(self) -> Entry:
        return self.measured[-1][1]

    @property
    def top(self) -> float:
        """The highest value that has a place in the field."""
        highest = max(entry.value.high for _, entry in self.measured)
        budget = self.last.budget
        if budget is not None and budget <= FAR * highest:
            highest = max(highest, budget)
        return 1.1 * highest if highest > 0 else 1.0

    @property
    def bottom(self) -> float:
        """Nothing, or less where a value is less."""
        return min(0.0, *(1.1 * entry.value.low for _, entry in self.measured))


@dataclass(frozen=True, slots=True)
class Field:
    """Where the values of a series lie in the picture."""

    series: Series
    left: float
    top: float

    def x(self, at: int) -> float:
        inner = WIDTH - LEFT - RIGHT - 24
        steps = max(1, len(self.series.entries) - 1)
        offset = inner / 2 if len(self.series.entries) == 1 else at * inner / steps
        return round(self.left + LEFT + 12 + offset, 1)

    def y(self, value: float) -> float:
        inner = HEIGHT - TOP - BOTTOM
        share = (value - self.series.bottom) / (self.series.top - self.series.bottom)
        return round(self.top + TOP + inner * (1 - share), 1)


def picture(history: Sequence[Run]) -> str:
    """Draw the recorded runs."""
    runs = list(history[-SHOWN:])
    drawn = all_series(runs)
    rows = -(-len(drawn) // COLUMNS)
    width = 2 * MARGIN + COLUMNS * WIDTH
    height = HEADER + rows * HEIGHT + MARGIN
    box = f'viewBox="0 0 {width} {height}"'
    plots = [
        line
        for number, series in enumerate(drawn)
        for line in plot(
            Field(
                series,
                MARGIN + number % COLUMNS * WIDTH,
                HEADER + number // COLUMNS * HEIGHT,
            ),
            runs,
        )
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {box} width="{width}" height="{height}">',
            "<title>The figures of the benchmark over the recorded commits</title>",
            f"<style>{STYLE}</style>",
            f'<rect class="page" width="{width}" height="{height}"/>',
            text(MARGIN + LEFT, 26, "The figures of the benchmark over commits", "title"),
            text(
                MARGIN + LEFT,
                46,
                "Point: the median held against the budget. Bar: its noise. "
                "Dashed: the budget. Red: over it. Lower is better.",
            ),
            *plots,
            "</svg>",
            "",
        ]
    )


def all_series(runs: Sequence[Run]) -> list[Series]:
    """Give each figure of the last run over all runs."""
    tables = [{(entry.part, entry.name): entry for entry in run.figures} for run in runs]
    names = dict.fromkeys(name for table in reversed(tables) for name in table)
    return [Series(tuple(table.get(name) for table in tables)) for name in names]


def plot(field: Field, runs: Sequence[Run]) -> list[str]:
    """Draw one figure."""
    series, last = field.series, field.series.last
    left, right = field.left + LEFT, field.left + WIDTH - RIGHT
    top, inner = field.top + TOP, HEIGHT - TOP - BOTTOM
    foot = field.top + HEIGHT - 6
    return [
        text(left, field.top + 16, shortened(last.name), "name"),
        text(left, field.top + 32, told(last)),
        *limit(field),
        f'<rect class="field" x="{left}" y="{top}" width="{right - left}" height="{inner}"/>',
        *budget_line(field),
        *points(field),
        *commits(series, runs, left, right, foot),
    ]


def told(entry: Entry) -> str:
    value = entry.value
    return f"{rounded(value.middle)} ± {rounded(value.noise)} {entry.value_unit}"


def limit(field: Field) -> list[str]:
    """Write the budget at the right of the line of the value."""
    budget = field.series.last.budget
    if budget is None:
        return []
    right = field.left + WIDTH - RIGHT
    words = f"budget {budget:,.4g}" + (" (far above)" if budget > field.series.top else "")
    return [text(right, field.top + 32, words, "limit", anchor="end")]


def budget_line(field: Field) -> list[str]:
    budget = field.series.last.budget
    if budget is None or budget > field.series.top:
        return []
    y = field.y(budget)
    left, right = field.left + LEFT, field.left + WIDTH - RIGHT
    return [f'<line class="budget" x1="{left}" x2="{right}" y1="{y}" y2="{y}"/>']


def points(field: Field) -> list[str]:
    """Draw the bars, the line through the medians, and the medians."""
    places = [(field.x(at), entry) for at, entry in field.series.measured]
    medians = [(x, field.y(entry.value.middle), entry) for x, entry in places]
    bars = [
        f'<line class="{kind("bar", entry)}" x1="{x}" x2="{x}" '
        f'y1="{field.y(entry.value.low)}" y2="{field.y(entry.value.high)}"/>'
        for x, entry in places
    ]
    line = " ".join(f"{x},{y}" for x, y, _ in medians)
    dots = [
        f'<circle class="{kind("point", entry)}" cx="{x}" cy="{y}" r="3"/>'
        for x, y, entry in medians
    ]
    return [*bars, f'<polyline class="path" points="{line}"/>', *dots]


def kind(name: str, entry: Entry) -> str:
    return f"{name} over" if entry.verdict == "over" else name


def commits(
    series: Series, runs: Sequence[Run], left: float, right: float, foot: float
) -> list[str]:
    """Write the first and the last commit below the field."""
    first, last = runs[0].conditions.commit[:7], runs[-1].conditions.commit[:7]
    if len(series.entries) == 1:
        return [text((left + right) / 2, foot, last, anchor="middle")]
    return [text(left, foot, first), text(right, foot, last, anchor="end")]


def shortened(name: str) -> str:
    return name if len(name) <= TITLE_LENGTH else f"{name[: TITLE_LENGTH - 1]}…"


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    style = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}"{style}>{escape(words)}</text>'
