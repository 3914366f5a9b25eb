"""Run the benchmark, all of it or some parts: ``make bench``, ``python -m benchmarks pipeline``."""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from benchmarks import (
    browsing,
    chores,
    graph,
    observing,
    pipeline,
    refusing,
    resolving,
    sets,
    speaking,
    start,
    understanding,
)
from benchmarks.history import HISTORY, Worse, compare, read_history, record
from benchmarks.measuring import Figure, Remark
from benchmarks.noise import Interval
from benchmarks.plot import PICTURE, picture
from benchmarks.records import PROJECT, Conditions, Entry, Note, Run, write_run
from benchmarks.report import PAGE, table, with_table
from benchmarks.yardstick import reading

RUNS = PROJECT / ".venv" / "bench"
BUSY = 1.5  # of the load for each core
READINGS = 5  # of the yardstick, between figures
HELP = """\
Each figure is measured beside its floor, or divided by how much slower this machine is than the
reference (the yardstick). The run fails if a figure is over its budget, or worse than the recorded
run by more than the noise of both and by a tenth at least. docs/performance.md says how to read it.
"""


class Part(Protocol):
    """A module with figures."""

    def figures(self) -> Iterator[Figure | Remark]: ...


PARTS: Mapping[str, Part] = {
    "resolving": resolving,
    "understanding": understanding,
    "browsing": browsing,
    "chores": chores,
    "pipeline": pipeline,
    "speaking": speaking,
    "refusing": refusing,
    "sets": sets,
    "graph": graph,
    "observing": observing,
    "start": start,
}


def main() -> int:
    """Do what the command line says."""
    asked = arguments()
    if asked.list:
        print("\n".join(f"{name:<16}{summary(part)}" for name, part in PARTS.items()))
        return 0
    if (asked.table or asked.pages) and not read_history():
        print("no run is recorded yet: make bench RECORD=1", file=sys.stderr)
        return 2
    if asked.table:
        print(table(read_history()[-1]))
        return 0
    if asked.pages:
        write_pages()
        return 0
    return bench(asked)


def arguments(given: Sequence[str] | None = None) -> Namespace:
    parser = ArgumentParser(
        prog="python -m benchmarks",
        description=HELP,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help="only these parts (see --list)")
    parser.add_argument("--list", action="store_true", help="list the parts and end")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where the run is written as JSON")
    parser.add_argument(
        "--record",
        action="store_true",
        help="add the run to docs/bench/history.jsonl, and make the page and the picture anew",
    )
    parser.add_argument(
        "--table", action="store_true", help="print the last recorded run as a table and end"
    )
    parser.add_argument(
        "--pages", action="store_true", help="make the page and the picture from the history"
    )
    asked = parser.parse_args(given)
    if unknown := [name for name in asked.parts if name not in PARTS]:
        parser.error(f"there is no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    if asked.record and asked.parts:
        parser.error("only a run of all parts is recorded")
    return asked


def summary(part: Part) -> str:
    """Give the first sentence of a part's docstring."""
    return (part.__doc__ or "").strip().partition("\n")[0]


def bench(asked: Namespace) -> int:
    """Run the parts, write the run down, and compare it; fail if it is worse or over a budget."""
    conditions = Conditions.now()
    if asked.record and conditions.dirty:
        print("only a commit is recorded: commit or stash what is changed", file=sys.stderr)
        return 2
    history = read_history()
    run = measure(tuple(asked.parts or PARTS), conditions)
    path = asked.out or RUNS / run.file_name
    write_run(run, path)
    print(f"\nwritten to {path}")
    changes = list(compare(run, history))
    for change in changes:
        print(change)
    if asked.record:
        record(run)
        write_pages()
        print(f"recorded in {HISTORY.relative_to(PROJECT)}")
    over = [entry.name for entry in run.figures if entry.verdict == "over"]
    print(f"{len(run.figures)} figures, {len(over)} over their budgets")
    print("\n".join(f"OVER: {name}" for name in over), end="\n" if over else "")
    return 1 if over or any(isinstance(change, Worse) for change in changes) else 0


def measure(names: Iterable[str], conditions: Conditions) -> Run:
    """Measure some parts; read the yardstick between the figures."""
    entries, notes = list[Entry](), list[Note]()
    parts = tuple(names)
    readings = [reading(READINGS)]
    say_pace(readings[0])
    for name in parts:
        print(f"\n{name}", flush=True)
        for figure in PARTS[name].figures():
            if isinstance(figure, Figure):
                readings.append(reading(READINGS))
                figure.paces = figure.paces or readings[-2:]
                entries.append(Entry.of(name, figure))
            else:
                notes.append(Note.of(name, figure))
            print(figure.row(), flush=True)
    pace = Interval.of(readings)
    print()
    say_pace(pace.middle)
    return Run(conditions, pace, parts, tuple(entries), tuple(notes))


def say_pace(pace: float) -> None:
    """Say how fast the machine is, and whether it has other work."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    print(f"this machine: {pace:.2f} times the reference, a load of {load:.1f} on {cores} cores")
    if load > BUSY * cores:
        print("it is busy: figures on the clock say little", flush=True)


def write_pages() -> None:
    """Make the page and the picture from the recorded runs."""
    history = read_history()
    PICTURE.write_text(picture(history), encoding="utf-8")
    PAGE.write_text(with_table(PAGE.read_text("utf-8"), history[-1]), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
