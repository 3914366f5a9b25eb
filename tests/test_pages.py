"""Every page of ``tests/pages``, used by plain words through the socket in a real browser.

A page says what was done to it: the list equals what the words ask for, and is empty for a refusal.
"""

from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from tests.daemon import Daemon, running_daemon
from tests.pages import Case, PageServer, cases
from tests.pages.trying import Outcome, Outcomes, judged, try_all

CASES = cases()
ALL_OF_THEM = 1_800.0
FEWEST_PAGES = 60


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    settings = '[browser]\nmode = "headless"\n'
    with running_daemon(tmp_path_factory.mktemp("pages"), settings=settings) as running:
        yield running


@pytest.fixture(scope="module")
def outcomes(daemon: Daemon) -> Iterator[Outcomes]:
    found: Outcomes = {case.where: Future[Outcome]() for case in CASES}
    with PageServer() as server, try_all(daemon, server, CASES, found):
        yield found


def test_every_page_has_words_that_must_be_refused() -> None:
    pages = {case.page for case in CASES}
    assert len(pages) >= FEWEST_PAGES
    assert {case.page for case in CASES if case.code is not None} == pages


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.where)
def test_a_page_is_used_as_the_words_say_and_in_no_other_way(
    case: Case, outcomes: Outcomes
) -> None:
    assert judged(case, outcomes[case.where].result(ALL_OF_THEM)) is None


def test_nothing_crashed_meanwhile(daemon: Daemon) -> None:
    crashes = [record for record in daemon.log() if record["level"] in {"error", "critical"}]
    assert crashes == []
