"""A long run of texts that nobody would say: ``make fuzz``. Seeded, bounded by count and time.

Every text must hold what ``fuzzing`` asks for, and none may cost more than its budget of CPU: the
best of three runs, so that noise does not count. What does not hold is shown as short as it gets.
"""

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from random import Random
from statistics import median, quantiles

from tests.fuzzing import LONG, any_text, broken
from tests.test_grammar import GRAMMAR
from tools.memory import settle_memory

BUDGET = 50.0  # milliseconds of CPU, for a text of 10,000 characters
GIVEN_UP = 4 * BUDGET
RUNS = 3
TRIES, SLOW_TRIES = 400, 40
SHOWN = 200
KEPT, SLOW_KEPT = 30, 6


class Endless(BaseException):
    """A text took so long that nobody waits for its end."""


@contextmanager
def given_up() -> Iterator[None]:
    """Stop what takes too much CPU; what others do on this machine does not count."""
    signal.setitimer(signal.ITIMER_PROF, GIVEN_UP / 1000)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def stop(_signal: int, _frame: object) -> None:
    raise Endless


@dataclass
class Run:
    """What a run has found so far."""

    shorter: list[float] = field(default_factory=list)
    longer: list[float] = field(default_factory=list)
    slow: dict[str, str] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    over: int = 0

    def take(self, text: str) -> None:
        """Try a text."""
        took = cost(text)
        (self.longer if len(text) >= LONG // 2 else self.shorter).append(took)
        if took > BUDGET:
            self.over += 1
            self.note_slow(text)
        elif problem_of(text) is not None and len(self.wrong) < KEPT:
            small = shrunk(text, lambda each: problem_of(each) is not None, TRIES)
            self.wrong[small] = problem_of(small) or ""

    def note_slow(self, text: str) -> None:
        if len(self.slow) < SLOW_KEPT:
            small = shrunk(text, lambda each: cost(each) > BUDGET, SLOW_TRIES)
            self.slow[small] = f"{cost(small):.0f} ms of CPU for {len(small)} characters"

    def report(self) -> str:
        """Put the figures and the findings into lines."""
        found = [f"{why}\n    {text[:SHOWN]!r}" for text, why in (self.slow | self.wrong).items()]
        return "\n".join(
            [
                row("texts", self.shorter),
                row(f"texts of {LONG // 2:,} characters and more", self.longer),
                f"over {BUDGET:g} ms: {self.over}; wrong: {len(self.wrong)}",
                *found,
            ]
        )


def row(name: str, costs: list[float]) -> str:
    if len(costs) < RUNS:
        return f"{name}: {len(costs)}"
    most = "given up" if max(costs) >= GIVEN_UP else f"{max(costs):.1f} ms"
    high = min(quantiles(costs, n=100)[-1], GIVEN_UP)
    return (
        f"{name}: {len(costs)}, CPU median {median(costs):.2f} ms, "
        f"99th percentile {high:.1f} ms, most {most}"
    )


def problem_of(text: str) -> str | None:
    """Say what does not hold for a text, an exception included."""
    try:
        with given_up():
            return broken(text)
    except Endless:
        return None  # that is another finding
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        return f"{type(error).__name__}: {error}"


def cost(text: str) -> float:
    """Give what a text costs, in milliseconds of CPU; the best of a few runs if it is much."""
    took = once(text)
    for _ in range(RUNS - 1):
        if took <= BUDGET:
            break
        took = min(took, once(text))
    return took


def once(text: str) -> float:
    before = time.process_time()
    try:
        with given_up(), suppress(Exception):
            GRAMMAR.parse(text)
    except Endless:
        return GIVEN_UP
    return (time.process_time() - before) * 1000


def shrunk(text: str, fails: Callable[[str], bool], tries: int) -> str:
    """Leave out what can be left out, in ever smaller parts."""
    size = len(text) // 2
    while size and tries:
        at = 0
        while at < len(text) and tries:
            tries -= 1
            less = text[:at] + text[at + size :]
            if fails(less):
                text = less
            else:
                at += size
        size //= 2
    return text


def main() -> int:
    """Run, and fail if something does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=180.0)
    asked = parser.parse_args()
    signal.signal(signal.SIGPROF, stop)
    settle_memory()  # the collector is set as the daemon sets it
    chance, run = Random(asked.seed), Run()  # noqa: S311 - the same texts in every run
    end = time.monotonic() + asked.seconds
    for _ in range(asked.count):
        if time.monotonic() > end:
            break
        run.take(any_text(chance))
    print(run.report())
    return 1 if run.over or run.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
