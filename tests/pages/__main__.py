"""Try pages by plain words, and say how many were used rightly: ``python -m tests.pages``.

Without names, those that were held back when the binding was made. They are no test: what they
show first is what unseen pages will show.
"""

import sys
import tempfile
from collections import Counter
from concurrent.futures import Future
from pathlib import Path

from tests.daemon import running_daemon
from tests.pages import HELD_BACK, PageServer, cases
from tests.pages.trying import Outcome, judged, try_all

SETTINGS = '[browser]\nmode = "headless"\n'


def main(names: list[str]) -> int:
    """Try the pages, show what went wrong, and sum up."""
    chosen = [case for case in cases() + cases(HELD_BACK) if case.page in names]
    chosen = chosen or cases(HELD_BACK)
    found: dict[str, Future[Outcome]] = {case.where: Future() for case in chosen}
    kinds: Counter[str] = Counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        PageServer() as server,
        running_daemon(Path(folder), settings=SETTINGS) as daemon,
        try_all(daemon, server, chosen, found),
    ):
        for case in chosen:
            problem = judged(case, found[case.where].result())
            kinds["right" if problem is None else problem.partition(":")[0]] += 1
            if problem is not None:
                print(f"{case.where} > {case.text}\n    {problem}", flush=True)
    print(f"{kinds['right']} of {len(chosen)} right; {dict(kinds)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
