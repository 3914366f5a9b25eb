"""Commands in words, one at a time: the first after the start, new sentences, and the same again.

All sentences ask for the time, in each of the ways that the grammar knows. So the floor is the same
command from goals, where there is nothing to understand.
"""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from actors.interpreter.grammar.generating import utterances
from actors.interpreter.grammar.table import compiled
from actors.planner.tables import search_engines
from benchmarks.measuring import ROUNDS, Figure
from benchmarks.serving import Server, daemon_command, said, server
from messages.goals import GoalDraft

WANTED = (GoalDraft("system", "get", {"target": "time"}),)
FIRST = "what time is it"
STARTS = 7


def figures() -> Iterator[Figure]:
    """Measure commands in words."""
    yield from cold_and_warm(questions())
    yield from first_after_start()


def questions() -> list[str]:
    """Give every way to ask for the time, each once."""
    table = compiled(search_engines(), frozenset())
    texts = [each.text for each in utterances(table) if each.drafts == WANTED]
    return list(dict.fromkeys(texts))


def cold_and_warm(texts: list[str]) -> Iterator[Figure]:
    """Say each sentence to a daemon that is awake, and say it again."""
    cold = Figure("a sentence said for the first time: CPU", "us")
    warm = Figure("the same sentence again: CPU", "us")
    each_round = len(texts) // ROUNDS
    with TemporaryDirectory() as name, server(daemon_command(Path(name)), Path(name) / "d") as one:
        one.load(500)
        for number in range(ROUNDS):
            batch = texts[number * each_round :][:each_round]
            floor = one.load(4 * each_round, in_flight=1).cpu
            cold.add(one.carry_out(said(batch)).cpu, floor)
            warm.add(one.carry_out(said(4 * batch)).cpu, floor)
        check(one, texts)
    yield cold
    yield warm


def check(daemon: Server, texts: list[str]) -> None:
    """See to it that what was measured was understood."""
    for frame in said(texts):
        assert daemon.finish(frame)["status"] == "success", frame


def first_after_start() -> Iterator[Figure]:
    """Start the daemon anew and say something as soon as it listens; then the same again."""
    cost = Figure("the first command after the start: CPU", "us")
    clock = Figure("the first command after the start: time to its end", "us")
    for _ in range(STARTS):
        with TemporaryDirectory() as name:
            folder = Path(name)
            with server(daemon_command(folder), folder / "d") as daemon:
                first = daemon.carry_out(said([FIRST]))
                later = daemon.carry_out(said(20 * [FIRST]))
                cost.add(first.cpu, later.cpu)
                clock.add(first.clock, later.clock)
    yield cost
    yield clock
