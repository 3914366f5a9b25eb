"""The page of the figures: a table made from a recorded run, put into docs/performance.md."""

import re
from datetime import datetime

from benchmarks.records import PROJECT, Entry, Run

PAGE = PROJECT / "docs" / "performance.md"
BEGIN, END = "<!-- made by `python -m benchmarks --record` -->", "<!-- end of what is made -->"
HEAD = "| figure | measured | 95th percentile | floor | against the budget | budget | |"
LINE = "|---|--:|--:|--:|--:|--:|---|"


def table(run: Run) -> str:
    """Make the table of a run, with the conditions under which it was measured."""
    return "\n".join([condition(run), "", HEAD, LINE, *map(row, run.figures)])


def condition(run: Run) -> str:
    """Say in one sentence when and on what a run was measured."""
    facts = run.conditions
    day = datetime.fromisoformat(facts.time).date().isoformat()
    dirty = " with changes that are in no commit" if facts.dirty else ""
    return (
        f"Measured on {day} at commit {facts.commit}{dirty}: {facts.cores} cores, "
        f"Python {facts.python}, a load of {facts.load:g} at the start, "
        f"{run.yardstick.middle:.2f} times the reference "
        f"({run.yardstick.low:.2f} to {run.yardstick.high:.2f})."
    )


def row(entry: Entry) -> str:
    unit = "×" if entry.kind == "ratio" else f" {entry.unit}"
    cells = (
        entry.name,
        f"{rounded(entry.median)} {entry.unit}",
        "" if entry.p95 is None else f"{rounded(entry.p95)} {entry.unit}",
        "" if entry.floor is None else f"{rounded(entry.floor)} {entry.unit}",
        f"{rounded(entry.value.middle)}{unit} ± {rounded(entry.value.noise)}",
        "none" if entry.budget is None else f"{entry.budget:,.4g}{unit}",
        {"kept": "kept", "over": "**over**", "none": ""}[entry.verdict],
    )
    return f"| {' | '.join(cells)} |"


def rounded(value: float) -> str:
    """Write a number with three digits that mean something."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def with_table(page: str, run: Run) -> str:
    """Put the table of a run into the page, in place of the one that is there."""
    made = f"{BEGIN}\n\n{table(run)}\n\n{END}"
    return re.sub(f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: made, page, flags=re.DOTALL)
