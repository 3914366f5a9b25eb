"""Try the tasks of MiniWoB++ in their own words: ``python -m tests.miniwob PACKAGE [TASK …]``.

Each task says what it wants and judges what was done. Many are no commands (games, sums, drawing):
these are to be refused. What counts is how many of those that one sentence can solve are right
(``solvable.txt``), and how few of all end badly.
"""

import argparse
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.daemon import Daemon, Wire, running_daemon
from tests.miniwob import Pages, served

SETTINGS = '[browser]\nmode = "headless"\n'
PATIENCE = 120.0
AT_A_TIME = 3


def main(arguments: list[str]) -> int:
    """Try all tasks, or some, and sum up how they ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", type=Path)
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--solvable", action="store_true", help="only what one sentence can solve")
    given = parser.parse_args(arguments)
    seeds = range(given.first, given.first + given.seeds)
    lines = (Path(__file__).parent / "solvable.txt").read_text().splitlines()
    solvable = frozenset(line for line in lines if line and not line.startswith("#"))
    kinds: Counter[str] = Counter()
    solved: Counter[str] = Counter()
    with (
        served(given.package) as pages,
        tempfile.TemporaryDirectory() as folder,
        running_daemon(Path(folder), settings=SETTINGS) as daemon,
        ThreadPoolExecutor(AT_A_TIME) as pool,
    ):
        chosen = sorted(solvable) if given.solvable else pages.tasks
        tasks = given.tasks or chosen
        for task, ends in zip(
            tasks, pool.map(lambda task: tried(daemon, pages, task, seeds), tasks), strict=True
        ):
            kinds.update(ends)
            solved.update(ends if task in solvable else ())
            print(task, dict(Counter(ends)), flush=True)
    print(dict(kinds))
    tried_at_all = solved.total() or 1
    print(f"of what one sentence can solve: {solved['right']} of {tried_at_all} right", end=" ")
    print(f"({100 * solved['right'] / tried_at_all:.0f}%)")
    return 0


def tried(daemon: Daemon, pages: Pages, task: str, seeds: range) -> list[str]:
    """Try a task with each seed, in a session of its own."""
    wire = daemon.connect(PATIENCE)
    return [once(wire, pages, task, seed) for seed in seeds]


def once(wire: Wire, pages: Pages, task: str, seed: int) -> str:
    """Say how a task ended: right, badly, claimed, asked about, or the code of its refusal."""
    key = f"{task}:{seed}"
    address = pages.address(task, seed, key)
    opened = wire.run(f"{key}-open", text=f"go to {address}", session=task)
    said = pages.told.get((key, "said"))
    if opened[-1]["status"] != "success" or not said:
        return "not begun"
    wire.submit(key, text=said[0], session=task)
    asked = False
    while True:
        event = wire.read()
        if event.get("command") != key:
            continue
        if event["type"] == "finished":
            break
        if event["type"] in {"question", "approval_needed"}:
            asked = True
            wire.send({"type": "cancel", "id": f"{key}-cancel", "command": key})
    rewards = pages.told.get((key, "reward"))
    if rewards:
        return "right" if float(rewards[0]) > 0 else "badly"
    if asked:
        return "asked about"
    return "claimed" if event["status"] == "success" else f"refused: {event['code']}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
