"""Everyday chores in the words of different people, by a real daemon with real services.

The sentences are those of ``tests/chores``. What is not understood may be refused or asked about;
nothing else may be done instead, and nothing may be claimed.
"""

import shutil
from collections.abc import Iterator

import pytest

from tests.chores.chore import Chore, Then, load_chores
from tests.chores.judging import Judgement, judge
from tests.chores.machine import Machine, running_machine

NEEDED = ("dbus-daemon", "dunst", "mpv", "pulseaudio", "xclip", "Xvfb")
MISSING = [program for program in NEEDED if shutil.which(program) is None]
RIGHT = 187  # chores that are carried out; it may only grow

pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}"),
    pytest.mark.time_limit(300),
]


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    with running_machine(tmp_path_factory.mktemp("chores")) as running:
        yield running


@pytest.fixture(scope="module")
def judgements(machine: Machine) -> list[Judgement]:
    return [
        judge(machine, group, chore) for group, chores in load_chores().items() for chore in chores
    ]


def told(judgements: list[Judgement], verdict: str) -> list[str]:
    return [f"{each.chore.name}: {each.came}" for each in judgements if each.verdict == verdict]


def test_nothing_else_is_done_than_what_was_said(judgements: list[Judgement]) -> None:
    assert told(judgements, "wrong") == []


def test_nothing_is_claimed_that_is_not_so(judgements: list[Judgement]) -> None:
    assert told(judgements, "claimed") == []


def test_as_many_chores_are_carried_out_as_ever(judgements: list[Judgement]) -> None:
    assert len(told(judgements, "right")) >= RIGHT


# The judge itself


@pytest.mark.parametrize(
    ("chore", "verdict"),
    [
        (Chore("rename a.txt to b.txt", then=Then(moved={"a.txt": "b.txt"})), "right"),
        (Chore("rename a.txt to b.txt", then=Then(moved={"a.txt": "c.txt"})), "wrong"),
        (Chore("rename a.txt to b.txt", then=Then(silent=True)), "wrong"),
        (Chore("rename a.txt to b.txt", refused=True), "wrong"),
        (Chore("delete a.txt", then=Then(gone=("a.txt",))), "asked"),
        (Chore("delete a.txt", approve=False), "right"),
        (Chore("frobnicate a.txt", then=Then(gone=("a.txt",))), "refused"),
        (Chore("frobnicate a.txt", refused=True), "right"),
        (Chore("read a.txt", then=Then(says=("pear",))), "claimed"),
        (Chore("read a.txt", refused=True), "claimed"),
        (Chore("set the volume to 20", then=Then(volume=30)), "wrong"),
        (Chore("read a.txt", then=Then(volume=30)), "claimed"),
        (Chore("read a.txt", then=Then(notified="a pear")), "claimed"),
        (Chore("add tea to the shopping list", then=Then(silent=True)), "wrong"),
        (Chore("set a timer for 2 hours", then=Then(silent=True)), "wrong"),
        (Chore("copy 'a pear' to the clipboard", then=Then(silent=True)), "wrong"),
    ],
    ids=lambda value: value.name if isinstance(value, Chore) else value,
)
def test_the_judge_sees_what_came_of_a_chore(machine: Machine, chore: Chore, verdict: str) -> None:
    chore = Chore(
        chore.say,
        given={"a.txt": "an apple"},
        then=chore.then,
        approve=chore.approve,
        refused=chore.refused,
    )
    assert judge(machine, "judge", chore).verdict == verdict


def test_the_judge_sees_what_was_done_besides(machine: Machine) -> None:
    words = "create a folder x and rename a.txt to b.txt"
    chore = Chore(words, given={"a.txt": "1"}, then=Then(moved={"a.txt": "b.txt"}))
    judgement = judge(machine, "judge", chore)
    assert (judgement.verdict, judgement.came) == ("wrong", "new: x")
