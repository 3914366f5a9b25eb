"""Commands that are refused, one at a time: by the grammar, by the planner, and on files.

A refusal says what would have been right, so it looks further than a command that succeeds. Its
floor is what it cannot do without: two commits, and on files a look at the folder.
"""

import os
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchmarks.measuring import ROUNDS, Figure
from benchmarks.pipeline import Commits
from benchmarks.serving import Server, daemon_command, said, server

BATCH = 20
FILES = 1_000
# Each of a thousand nouns that nobody knows comes from these.
ONSETS = ("bl", "dr", "fr", "gl", "kr", "pl", "sk", "tr", "vr", "zw")
ENDS = ("ampel", "ickle", "ondle", "umper", "astrel", "embo", "ixen", "orvid", "utter", "aggle")
UNKNOWN = tuple(onset + end for onset in ONSETS for end in ENDS)
MISHEARD = (
    "{0} the {1}",
    "turn the {0} of the {1} up",
    "please {0} me a {1} with the other {0}",
    "make the {0} look like the {1}",
)


def figures() -> Iterator[Figure]:
    """Measure refusals, of three reasons by turns."""
    grammar = Figure("refused by the grammar: CPU", "us")
    planner = Figure("refused by the planner: CPU", "us")
    files = Figure(f"refused for want of a file among {FILES:,}: CPU", "us")
    with TemporaryDirectory() as name:
        folder = Path(name)
        command = daemon_command(folder)
        inbox = folder / "work" / "inbox"
        inbox.mkdir()
        for number in range(FILES):
            (inbox / f"report-{number}.pdf").touch()
        commits = Commits(folder / "floor.db")
        numbers = count()
        with server(command, folder / "d") as daemon:
            daemon.load(500)
            check(daemon)
            for _ in range(ROUNDS):
                floor = commits.cost()
                batch = [next(numbers) for _ in range(BATCH)]
                grammar.add(daemon.carry_out(said(map(misheard, batch))).cpu, floor)
                planner.add(daemon.carry_out(list(map(unplannable, batch))).cpu, floor)
                missing = said(map(missing_file, batch))
                files.add(daemon.carry_out(missing).cpu, floor + listing(inbox))
    yield grammar
    yield planner
    yield files


def misheard(number: int) -> str:
    """Give a sentence that means nothing; each number gives another."""
    words = UNKNOWN[number % len(UNKNOWN)], UNKNOWN[(7 * number + 3) % len(UNKNOWN)]
    return MISHEARD[number % len(MISHEARD)].format(*words)


def unplannable(number: int) -> bytes:
    """Give a goal that the planner refuses: there is no such thing to get."""
    goal = {
        "domain": "system",
        "verb": "get",
        "params": {"target": f"{UNKNOWN[number % len(UNKNOWN)]}{number}"},
    }
    tag = os.urandom(4).hex()
    return msgspec.json.encode({"type": "submit", "id": tag, "goals": [goal]}) + b"\n"


def missing_file(number: int) -> str:
    """Ask for a file that is not there, and is like those that are."""
    return f"delete report-{FILES + number}.pdf in inbox"


def check(daemon: Server) -> None:
    """See to it that each is refused for the reason that it is to be measured for."""
    unheard = len(MISHEARD)
    for frame in said(misheard(-1 - number) for number in range(unheard)):
        assert daemon.finish(frame)["code"] == "NOT_UNDERSTOOD", frame
    assert daemon.finish(unplannable(-1))["code"] == "BLOCKED"
    (frame,) = said([missing_file(-1 + 10 * FILES)])
    assert daemon.finish(frame)["code"] == "TARGET_NOT_FOUND"


def listing(folder: Path) -> float:
    """Give the CPU time of looking at every name of a folder, in microseconds."""
    before = time.process_time()
    with os.scandir(folder) as entries:
        sum(len(entry.name) for entry in entries)
    return (time.process_time() - before) * 1e6
