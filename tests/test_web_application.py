"""The short form of ``make apps``: sentences on one real application, judged by its own data."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.apps.__main__ import running_bench
from tests.apps.case import load_table
from tests.apps.judging import Bench

APP = "flask_admin"
pytestmark = pytest.mark.apps
# What came out right, and what must be refused; all twenty are tried by ``make apps``.
SENTENCES = (1, 2, 3, 4, 6, 18, 19, 20)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder: Path = tmp_path_factory.mktemp("apps")
    with running_bench(APP, folder) as running:
        yield running


@pytest.mark.parametrize("number", SENTENCES)
def test_a_sentence_does_what_it_says_and_nothing_else(bench: Bench, number: int) -> None:
    case = load_table(APP).case[number - 1]
    judgement = bench.judge(number, case)
    assert judgement.outcome == "right", (case.say, judgement.reason)
