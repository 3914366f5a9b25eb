"""Try pages by plain words, and say how many were used rightly: ``python -m tests.pages``.

Without names, those that were held back when the binding was made, set by set; a name is that of a
page or of a set. They are no test: what they show first is what unseen pages will show.
"""

import sys
import tempfile
from collections import Counter
from concurrent.futures import Future
from pathlib import Path

from tests.daemon import running_daemon
from tests.pages import FOLDER, HELD_BACK, Case, PageServer, cases
from tests.pages.trying import Outcome, judged, try_all

SETTINGS = '[browser]\nmode = "headless"\n'
NOT_UNDERSTOOD = "refused: NOT_UNDERSTOOD"


def main(names: list[str]) -> int:
    """Try the pages, show what went wrong, and sum up each set."""
    sets = {each.name: cases(each) for each in (FOLDER, *HELD_BACK)}
    chosen = {
        name: [case for case in some if not {name, case.page}.isdisjoint(names)]
        for name, some in sets.items()
    }
    if not any(chosen.values()):
        chosen = {each.name: sets[each.name] for each in HELD_BACK}
    every = [case for some in chosen.values() for case in some]
    found: dict[str, Future[Outcome]] = {case.where: Future() for case in every}
    sums: list[str] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        PageServer() as server,
        running_daemon(Path(folder), settings=SETTINGS) as daemon,
        try_all(daemon, server, every, found),
    ):
        for name, some in chosen.items():
            kinds: Counter[str] = Counter()
            for case in some:
                outcome = found[case.where].result()
                problem = judged(case, outcome)
                kinds[_kind(case, outcome, problem)] += 1
                if problem is not None:
                    touched = "" if "touched" in problem else f"; touched: {list(outcome.touched)}"
                    print(f"{case.where} > {case.text}\n    {problem}{touched}", flush=True)
            if some:
                rate = f"{kinds['right'] / len(some):.1%}"
                sums.append(f"{name}: {kinds['right']} of {len(some)} right, {rate}; {dict(kinds)}")
    print("\n".join(sums))
    return 0


def _kind(case: Case, outcome: Outcome, problem: str | None) -> str:
    """Say how a case went; what was touched and should not have been is the worst of it."""
    if problem is None:
        return "right"
    if outcome.touched != case.events[: len(outcome.touched)]:
        return "a wrong element"
    if outcome.finished["status"] == "success":
        return "claimed, but not done"
    if problem.startswith(NOT_UNDERSTOOD):
        return "not understood"
    return problem.partition(":")[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
