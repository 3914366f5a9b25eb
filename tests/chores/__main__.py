"""Carries out all chores, or those of some groups, and prints what came of them by group.

python -m tests.chores [GROUP ...]
"""

import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tests.chores.chore import load_chores
from tests.chores.judging import VERDICTS, Judgement, judge
from tests.chores.machine import running_machine


def judge_all(folder: Path, groups: Iterable[str] = ()) -> list[Judgement]:
    """Carry out the chores of these groups, or of all, on one machine."""
    chores = load_chores()
    with running_machine(folder) as machine:
        return [
            judge(machine, group, chore) for group in groups or chores for chore in chores[group]
        ]


def print_table(judgements: list[Judgement]) -> None:
    print(f"{'group':<12}{'all':>5}" + "".join(f"{each:>9}" for each in VERDICTS))
    groups = list(dict.fromkeys(each.group for each in judgements))
    for group in groups:
        print_row(group, [each for each in judgements if each.group == group])
    print_row("all", judgements)


def print_row(name: str, judgements: list[Judgement]) -> None:
    counts = Counter(each.verdict for each in judgements)
    figures = "".join(f"{counts[each]:>9}" for each in VERDICTS)
    print(f"{name:<12}{len(judgements):>5}{figures}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        judgements = judge_all(Path(folder), sys.argv[1:])
    print_table(judgements)
    for verdict in VERDICTS[1:]:
        for each in judgements:
            if each.verdict == verdict:
                print(f"{verdict}: [{each.group}] {each.chore.name}\n    {each.came}")


if __name__ == "__main__":
    main()
