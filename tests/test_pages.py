"""Every page of ``tests/pages``, used by plain words through the socket in a real browser.

A page says what was done to it: the list equals what the words ask for, and is empty for a refusal.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.daemon import Daemon, Event, Wire, running_daemon
from tests.pages import Case, PageServer, cases, collapsed

CASES = cases()
PATIENCE = 90.0
ALL_OF_THEM = 900.0
AT_A_TIME = 4


@pytest.fixture(scope="session")
def server() -> Iterator[PageServer]:
    with PageServer() as serving:
        yield serving


@pytest.fixture(scope="session")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    settings = '[browser]\nmode = "headless"\n'
    with running_daemon(tmp_path_factory.mktemp("pages"), settings=settings) as running:
        yield running


@dataclass(frozen=True)
class Outcome:
    """What came of a case: how it ended, whether something was asked, what the page saw."""

    finished: Event
    asked: bool
    touched: tuple[str, ...]


Outcomes = dict[str, "Future[Outcome]"]


@pytest.fixture(scope="session")
def outcomes(daemon: Daemon, server: PageServer) -> Iterator[Outcomes]:
    """Try all cases, several pages at a time, each in a session of its own."""
    pages: dict[str, list[Case]] = {}
    for case in CASES:
        pages.setdefault(case.page, []).append(case)
    found: Outcomes = {case.where: Future() for case in CASES}
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        for some in pages.values():
            pool.submit(try_page, daemon, server, some, found)
        yield found


def try_page(daemon: Daemon, server: PageServer, some: Sequence[Case], found: Outcomes) -> None:
    """Try the cases of one page, one after another."""
    wire = daemon.connect(PATIENCE)
    for case in some:
        try:
            found[case.where].set_result(tried(wire, server, case))
        except (OSError, EOFError, AssertionError) as error:
            found[case.where].set_exception(error)


def tried(wire: Wire, server: PageServer, case: Case) -> Outcome:
    """Load a page anew, and send it a sentence."""
    opened = wire.run(
        f"{case.where}-open", text=f"go to {server.address(case.page)}", session=case.page
    )
    assert opened[-1]["status"] == "success", opened[-1]
    server.clear(case.page)
    finished, asked = carried_out(wire, case.where, case)
    return Outcome(finished, asked, tuple(collapsed(server.events(case.page))))


def test_there_is_a_page_for_every_pattern() -> None:
    assert len({case.page for case in CASES}) >= 60
    refused = {case.page for case in CASES if case.code is not None}
    assert refused == {case.page for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.where)
def test_a_page_is_used_as_the_words_say_and_in_no_other_way(
    case: Case, outcomes: Outcomes
) -> None:
    outcome = outcomes[case.where].result(ALL_OF_THEM)
    finished = outcome.finished
    if case.code is not None:
        left_open = outcome.asked and finished["code"] == "CANCELLED"
        code = "AMBIGUOUS_TARGET" if left_open else finished["code"]
        assert (code, outcome.touched) == (case.code, ()), finished
        return
    assert finished["status"] == "success", finished
    assert outcome.touched == case.events
    outputs = " ".join(written(result.get("output")) for result in finished["results"])
    assert all(text in outputs for text in case.output), outputs


def carried_out(wire: Wire, name: str, case: Case) -> tuple[Event, bool]:
    """Send a sentence and answer what is asked; without an answer, take it back."""
    answers, asked = list(case.answers), False
    wire.submit(name, text=case.text, session=case.page)
    while True:
        event = wire.read()
        if event.get("command") != name:
            continue
        if event["type"] == "finished":
            return event, asked
        if event["type"] == "question":
            asked = True
            if not answers:
                wire.send({"type": "cancel", "id": f"{name}-cancel", "command": name})
                continue
            answer = answers.pop(0)
            choice = int(answer) if answer.isdecimal() else answer
            question = {"type": "answer", "id": f"{name}-a", "question": event["question"]}
            wire.send({**question, "choice": choice})


def written(output: object) -> str:
    return " ".join(str(output).split())


def test_no_page_was_left_to_a_crash(daemon: Daemon) -> None:
    assert Path(daemon.socket).exists()
    crashes = [record for record in daemon.log() if record["level"] in {"error", "critical"}]
    assert crashes == []
