"""Risk against coverage as a picture: how often a binding is wrong, by how many are made at all.

Drawn as SVG, in the colours of the other plots. A point is a threshold; the further right it lies,
the more is acted on, and the higher, the more of that is wrong.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.plot import STYLE

WIDTH, HEIGHT = 560, 300
LEFT, RIGHT, TOP, BOTTOM = 56, 20, 44, 46
STEPS = 5
Z = 1.96  # of a 95% interval


@dataclass(frozen=True, slots=True)
class Threshold:
    """What comes of acting from a probability on: how many rightly, how many not, of how many."""

    act: float
    right: int
    wrong: int
    there: int

    @property
    def coverage(self) -> float:
        return self.right / self.there

    @property
    def risk(self) -> float:
        return self.wrong / max(self.right + self.wrong, 1)

    @property
    def risk_interval(self) -> tuple[float, float]:
        """Give Wilson's 95% interval of the risk."""
        acted = max(self.right + self.wrong, 1)
        middle = self.risk + Z**2 / (2 * acted)
        spread = Z * math.sqrt(self.risk * (1 - self.risk) / acted + Z**2 / (4 * acted**2))
        scale = 1 + Z**2 / acted
        return max(0.0, (middle - spread) / scale), (middle + spread) / scale


def picture(thresholds: Sequence[Threshold]) -> str:
    """Draw the curve."""
    highest = max(each.risk_interval[1] for each in thresholds)
    top = math.ceil(highest * 100 / STEPS) * STEPS / 100
    points = [(x_of(each.coverage), y_of(each.risk, top), each) for each in thresholds]
    path = " ".join(f"{x},{y}" for x, y, _ in points)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">',
            "<title>Risk against coverage</title>",
            f"<style>{STYLE}.line {{ fill: none; stroke: #0969da; stroke-width: 2; }}</style>",
            f'<rect class="page" width="{WIDTH}" height="{HEIGHT}"/>',
            f'<text class="title" x="{LEFT}" y="24">Wrong of what is acted on</text>',
            *axes(top),
            f'<polyline class="line path" points="{path}"/>',
            *(mark for x, y, each in points for mark in marks(x, y, each, top)),
            "</svg>\n",
        ]
    )


def x_of(coverage: float) -> float:
    return round(LEFT + coverage * (WIDTH - LEFT - RIGHT), 1)


def y_of(risk: float, top: float) -> float:
    return round(HEIGHT - BOTTOM - risk / top * (HEIGHT - TOP - BOTTOM), 1)


def axes(top: float) -> list[str]:
    """Draw the field, and what its edges mean."""
    field = f'width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}"'
    drawn = [f'<rect class="field" x="{LEFT}" y="{TOP}" {field}/>']
    for step in range(STEPS + 1):
        share = step / STEPS
        x, y = x_of(share), y_of(share * top, top)
        drawn.append(f'<text x="{x}" y="{HEIGHT - 26}" text-anchor="middle">{share:.0%}</text>')
        drawn.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{share * top:.0%}</text>')
    below = "acted on rightly, of all sentences whose thing is on the page"
    return [*drawn, f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}" text-anchor="middle">{below}</text>']


def marks(x: float, y: float, each: Threshold, top: float) -> list[str]:
    """Draw a threshold: a point, its 95% interval, and its name."""
    low, high = (y_of(edge, top) for edge in each.risk_interval)
    return [
        f'<line class="bar" x1="{x}" x2="{x}" y1="{low}" y2="{high}"/>',
        f'<circle class="point" cx="{x}" cy="{y}" r="3.5"/>',
        f'<text x="{x + 7}" y="{y + 14}">{each.act:.2f}</text>',
    ]
