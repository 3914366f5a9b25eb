"""A run of the benchmark as data: every figure, the machine's pace, and the commit.

Of the machine only what explains the figures is kept: cores, Python and how busy it was. No names
of hosts or users and no paths.
"""

import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import msgspec

from benchmarks.measuring import Figure, Remark
from benchmarks.noise import Interval, p95

PROJECT = Path(__file__).parent.parent
UNKNOWN = "unknown"
# What a recorded run itself writes does not make the measured code another.
WRITTEN = ("docs/bench", "docs/performance.md")


class Entry(msgspec.Struct, frozen=True):
    """One figure of a run.

    ``median``, ``p95`` and ``floor`` are as they were measured here. ``value`` is held against the
    budget; ``normal`` is compared with other runs.
    """

    part: str
    name: str
    unit: str
    kind: str
    median: float
    noise: float
    p95: float | None
    floor: float | None
    ratio: float | None
    value: Interval
    budget: float | None
    verdict: str
    normaliser: str
    normal: Interval
    yardstick: Interval
    samples: int

    @classmethod
    def of(cls, part: str, figure: Figure) -> "Entry":
        costs = Interval.of(figure.costs)
        return cls(
            part=part,
            name=figure.name,
            unit=figure.unit,
            kind=figure.kind,
            median=costs.middle,
            noise=costs.noise,
            p95=p95(figure.costs),
            floor=median(figure.floors) if figure.floors else None,
            ratio=median(figure.ratios) if figure.floors else None,
            value=figure.value,
            budget=None if figure.budget is None else figure.budget.limit,
            verdict=figure.verdict,
            normaliser=figure.normaliser,
            normal=figure.normal,
            yardstick=figure.pace,
            samples=len(figure.costs),
        )

    @property
    def value_unit(self) -> str:
        """The unit of ``value``."""
        return "x" if self.kind == "ratio" else self.unit


class Note(msgspec.Struct, frozen=True):
    """A remark of a run."""

    part: str
    name: str
    said: str

    @classmethod
    def of(cls, part: str, remark: Remark) -> "Note":
        return cls(part, remark.name.strip(), remark.said)


class Conditions(msgspec.Struct, frozen=True):
    """What was measured, when, and on what."""

    commit: str
    dirty: bool
    time: str
    python: str
    cores: int
    load: float

    @classmethod
    def now(cls) -> "Conditions":
        changes = git("status", "--porcelain", "--", ".", *(f":!{path}" for path in WRITTEN))
        return cls(
            commit=git("rev-parse", "--short=12", "HEAD") or UNKNOWN,
            dirty=changes is None or bool(changes),
            time=datetime.now(UTC).isoformat(timespec="seconds"),
            python=platform.python_version(),
            cores=os.cpu_count() or 0,
            load=round(os.getloadavg()[0], 2),
        )


class Run(msgspec.Struct, frozen=True):
    """One run."""

    conditions: Conditions
    yardstick: Interval
    parts: tuple[str, ...]
    figures: tuple[Entry, ...]
    notes: tuple[Note, ...] = ()

    @property
    def file_name(self) -> str:
        moment = datetime.fromisoformat(self.conditions.time)
        return f"{moment:%Y%m%dT%H%M%SZ}-{self.conditions.commit}.json"


def git(*arguments: str) -> str | None:
    """Ask git about this checkout; nothing, if there is no git or this is no checkout."""
    try:
        asked = subprocess.run(
            ["git", *arguments], cwd=PROJECT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return asked.stdout.strip()


def write_run(run: Run, path: Path) -> None:
    """Write a run to a file of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(run)) + b"\n")
