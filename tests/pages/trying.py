"""Trying the cases of pages: several pages at a time, in as many sessions."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import current_thread

from tests.daemon import Daemon, Event, Wire
from tests.pages import Case, PageServer, collapsed

PATIENCE = 120.0
AT_A_TIME = 3  # two cores, and another worker has its own tests


@dataclass(frozen=True)
class Outcome:
    """What came of a case: how it ended, whether something was asked, what the page saw."""

    finished: Event
    asked: bool
    touched: tuple[str, ...]


Outcomes = dict[str, "Future[Outcome]"]


@contextmanager
def try_all(
    daemon: Daemon, server: PageServer, some: Sequence[Case], found: Outcomes
) -> Iterator[None]:
    """Try cases in the background; what came of each is found under its place."""
    pages: dict[str, list[Case]] = {}
    for case in some:
        pages.setdefault(case.page, []).append(case)
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        for of_page in pages.values():
            pool.submit(try_page, daemon, server, of_page, found)
        yield


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
    address = server.address(case.page)
    opened = wire.run(f"{case.where}-open", text=f"go to {address}", session=session_name())
    assert opened[-1]["status"] == "success", opened[-1]
    server.clear(case.page)
    finished, asked = carried_out(wire, case.where, case)
    return Outcome(finished, asked, tuple(collapsed(server.events(case.page))))


def session_name() -> str:
    """Name the session of whoever asks: one for each that tries pages."""
    return current_thread().name


def carried_out(wire: Wire, name: str, case: Case) -> tuple[Event, bool]:
    """Send a sentence and answer what is asked; without an answer, take it back."""
    answers, asked = list(case.answers), False
    wire.submit(name, text=case.text, session=session_name())
    while True:
        event = wire.read()
        if event["type"] == "error" and event.get("id") == name:
            return {"status": "failed", "results": [], **event}, asked  # it was not even accepted
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


def judged(case: Case, outcome: Outcome) -> str | None:
    """Say what is wrong with what came of a case; None if nothing is."""
    finished, touched = outcome.finished, outcome.touched
    left_open = outcome.asked and finished["code"] == "CANCELLED"
    code = "AMBIGUOUS_TARGET" if left_open else finished["code"]
    if case.code is not None:
        if touched:
            return f"touched what it should not: {list(touched)}, {code}"
        return None if code == case.code else f"another code: {code}, {finished['message']}"
    if finished["status"] != "success":
        return f"refused: {code}, {finished['message']}"
    if touched != case.events:
        return f"touched otherwise: {list(touched)} instead of {list(case.events)}"
    outputs = " ".join(written(result.get("output")) for result in finished["results"])
    missing = [text for text in case.output if text not in outputs]
    return f"read otherwise: {outputs!r} lacks {missing}" if missing else None


def written(output: object) -> str:
    return " ".join(str(output).split())
