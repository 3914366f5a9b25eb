"""The recorded runs, and whether a run is worse than they are.

A figure is worse if two things hold. It is higher by more than the noise of both runs: their
intervals do not touch. And it is higher by a tenth at least, since a machine differs by that much
from itself without any noise that one run can see. What is compared is divided by the floor of the
same run, or by the yardstick.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from benchmarks.noise import Interval
from benchmarks.records import PROJECT, Entry, Run

HISTORY = PROJECT / "docs" / "bench" / "history.jsonl"
LEAST = 0.10


@dataclass(frozen=True, slots=True)
class Worse:
    """A figure that got worse by more than noise."""

    now: Entry
    before: Entry

    def __str__(self) -> str:
        """Say by how much, and how large the noise is."""
        old, new = self.before.normal, self.now.normal
        return (
            f"WORSE: {self.now.name}: by {worsening(self.now, self.before):.0%}, "
            f"from {said(old)} to {said(new)} {divisor(self.now)}"
        )


@dataclass(frozen=True, slots=True)
class New:
    """A figure that was not recorded before, or was measured in another way."""

    now: Entry

    def __str__(self) -> str:
        """Name it."""
        return f"new: {self.now.name}"


@dataclass(frozen=True, slots=True)
class Vanished:
    """A figure that was recorded, and that this run does not have."""

    before: Entry

    def __str__(self) -> str:
        """Name it."""
        return f"vanished: {self.before.name}"


def said(interval: Interval) -> str:
    return f"{interval.middle:,.2f} ±{interval.noise:,.2f}"


def divisor(entry: Entry) -> str:
    match entry.normaliser:
        case "floor":
            return "times the floor"
        case "yardstick":
            return f"{entry.unit} at the reference's speed"
        case _:
            return entry.unit


def worsening(now: Entry, before: Entry) -> float:
    """Give by what share a figure got worse.

    A figure that can be nothing or less, as what a click costs over another, is no measure for its
    own change. A tenth of its budget is, where that is more.
    """
    measure = max(abs(before.normal.middle), (before.budget or 0.0) / 10)
    if now.normaliser == "floor" and now.kind != "ratio":
        measure = abs(before.normal.middle)  # the budget is in other units
    return (now.normal.middle - before.normal.middle) / measure if measure else 0.0


def is_worse(now: Entry, before: Entry) -> bool:
    beyond_noise = now.normal.low > before.normal.high
    return beyond_noise and worsening(now, before) >= LEAST


def is_comparable(now: Entry, before: Entry) -> bool:
    return (now.unit, now.kind, now.normaliser) == (before.unit, before.kind, before.normaliser)


def compare(run: Run, history: Sequence[Run]) -> Iterator[Worse | New | Vanished]:
    """Compare a run with the latest recorded figures of the same names."""
    measured = {(entry.part, entry.name) for entry in run.figures}
    known = latest(history)
    for entry in run.figures:
        before = known.get((entry.part, entry.name))
        if before is None or not is_comparable(entry, before):
            yield New(entry)
        elif is_worse(entry, before):
            yield Worse(entry, before)
    for before in last_of_parts(history, run.parts):
        if (before.part, before.name) not in measured:
            yield Vanished(before)


def latest(history: Iterable[Run]) -> dict[tuple[str, str], Entry]:
    """Give the last recorded entry of each figure."""
    return {(entry.part, entry.name): entry for run in history for entry in run.figures}


def last_of_parts(history: Sequence[Run], parts: Iterable[str]) -> Iterator[Entry]:
    """Give what the last recorded run of each part had."""
    for part in parts:
        with_part = [run for run in history if part in run.parts]
        if with_part:
            yield from (entry for entry in with_part[-1].figures if entry.part == part)


def read_history(path: Path = HISTORY) -> list[Run]:
    """Read the recorded runs, the oldest first."""
    if not path.exists():
        return []
    return [msgspec.json.decode(line, type=Run) for line in path.read_bytes().splitlines()]


def record(run: Run, path: Path = HISTORY) -> None:
    """Add a run to the history; it takes the place of an earlier one of its commit."""
    kept = [old for old in read_history(path) if old.conditions.commit != run.conditions.commit]
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [msgspec.json.encode(each) + b"\n" for each in (*kept, run)]
    path.write_bytes(b"".join(lines))
