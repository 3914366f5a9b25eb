# ruff: noqa: T201
"""Says the sentences to a real daemon: ``python -m tests.apps [NAME …] [--only N] [--out FILE]``.

Prints what came of them by application, and a line for each that was not right.
"""

import argparse
import importlib
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.apps.case import NAMES, load_table
from tests.apps.judging import OUTCOMES, Bench, Judgement
from tests.apps.serving import WebApp
from tests.apps.watching import Watcher, running_browser
from tests.daemon import running_daemon

WHOLE_SECONDS = 25 * 60.0
SETTINGS = '[browser]\ncdp_url = "{address}"\n[approval]\nby = "anyone"\n'


def load_app(name: str) -> WebApp:
    """Make the application of a name, installed."""
    app: WebApp = importlib.import_module(f"tests.apps.{name}").App()
    app.install()
    return app


@contextmanager
def running_bench(name: str, folder: Path) -> Iterator[Bench]:
    """Start an application, a browser and a daemon that is attached to it."""
    app = load_app(name)
    (folder / "daemon").mkdir(parents=True)
    try:
        app.start(folder / "app")
        with (
            running_browser(folder) as address,
            running_daemon(folder / "daemon", settings=SETTINGS.format(address=address)) as daemon,
            sync_playwright() as playwright,
        ):
            wire, watcher = daemon.connect(60.0), Watcher(playwright, address)
            yield Bench(app, wire, watcher, load_table(name).defaults, app.state())
    finally:
        app.stop()


def judge_app(name: str, folder: Path, only: int | None, late: float) -> list[Judgement]:
    """Say the sentences for one application while there is time."""
    judgements: list[Judgement] = []
    with running_bench(name, folder) as bench:
        for number, case in enumerate(load_table(name).case, 1):
            if only not in {None, number}:
                continue
            if time.monotonic() > late:
                print(f"{name}: no time for sentence {number} and those after it")
                break
            judgements.append(bench.judge(number, case))
            print_judgement(judgements[-1])
    return judgements


def print_judgement(each: Judgement) -> None:
    print(f"{each.outcome:<11}{each.seconds:5.1f} s  {each.app} {each.number}: {each.say}")
    if each.reason:
        print(f"    {each.reason[:400]}", flush=True)


def print_table(judgements: list[Judgement]) -> None:
    print(f"\n{'application':<13}{'all':>5}" + "".join(f"{each:>12}" for each in OUTCOMES))
    for name in dict.fromkeys(each.app for each in judgements):
        print_row(name, [each for each in judgements if each.app == name])
    print_row("all", judgements)


def print_row(name: str, judgements: list[Judgement]) -> None:
    counts = Counter(each.outcome for each in judgements)
    print(f"{name:<13}{len(judgements):>5}" + "".join(f"{counts[each]:>12}" for each in OUTCOMES))


def main() -> int:
    """Say all sentences, or those for some applications, and sum up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--only", type=int, help="the number of one sentence")
    parser.add_argument("--out", type=Path, help="a file for all that was found, as JSON")
    given = parser.parse_args()
    late = time.monotonic() + WHOLE_SECONDS
    judgements: list[Judgement] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in given.names or NAMES:
            judgements += judge_app(name, Path(folder) / name, given.only, late)
            if given.out:  # what was found is kept if a later application does not start
                given.out.write_text(json.dumps([asdict(each) for each in judgements], indent=1))
    print_table(judgements)
    return 0


if __name__ == "__main__":
    sys.exit(main())
