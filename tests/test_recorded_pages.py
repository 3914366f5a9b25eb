"""Binding on recorded pages: the same words, the same pages, no browser, within seconds."""

from pathlib import Path

import pytest

from messages.results import Code
from messages.targets import Failure, Success
from tests.pages import FOLDER, HELD_BACK
from tests.pages.offline import Recorded, recorded_cases
from tests.pages.recording import pages_in, recordings_file, recordings_in, source_of

OWN = list(recorded_cases(FOLDER))
# Verbs that need nothing but their thing: others are refused by what a list or a field holds.
PLAIN_VERBS = frozenset({"click", "use", "check", "uncheck", "type", "hover", "double_click"})
# What can be refused before anything is touched, and is not a matter of acting.
REFUSED_WHEN_BOUND = frozenset({"TARGET_NOT_FOUND", "AMBIGUOUS_TARGET"})
FEWEST_OWN, FEWEST_HELD_BACK = 700, 1_500
# Sets that binding was mended by; the last one is as it was when it was first tried.
MENDED = HELD_BACK[:-1]
# On held-back pages: bound rightly of all that names something there, and wrongly of all bound.
LEAST_RIGHT, MOST_WRONG = 0.80, 0.01


@pytest.mark.parametrize("folder", [FOLDER, *HELD_BACK], ids=lambda folder: folder.name)
def test_every_page_is_recorded_as_it_is(folder: Path) -> None:
    recordings = recordings_in(recordings_file(folder))
    sources = {file.stem: source_of(file) for file in pages_in(folder)}
    assert {name: each.source for name, each in recordings.items()} == sources, (
        "record them again: python -m tests.pages.recording"
    )


def touched(recorded: Recorded) -> frozenset[str] | None:
    """Give the page's own names for what was bound; None if nothing was."""
    outcome = recorded.bind().outcome
    if not isinstance(outcome, Success):
        return None
    things = [
        thing
        for binding in outcome.bindings
        for thing in (binding.direct_target, binding.indirect_target)
        if thing is not None
    ]
    marks = (recorded.recording.mark(thing.id) for thing in things)
    return frozenset(mark for mark in marks if mark is not None)


def is_wrong(recorded: Recorded, found: frozenset[str] | None) -> bool:
    """Tell whether something was bound that has a name on the page, and another was meant."""
    return bool(found) and found is not None and found.isdisjoint(recorded.marks)


def named_cases(some: list[Recorded]) -> list[Recorded]:
    return [each for each in some if each.marks and not each.case.answers]


@pytest.mark.parametrize("recorded", named_cases(OWN), ids=lambda each: each.case.where)
def test_nothing_but_what_is_meant_is_bound(recorded: Recorded) -> None:
    assert not is_wrong(recorded, touched(recorded))


@pytest.mark.parametrize(
    "recorded",
    [
        each
        for each in OWN
        if each.case.code in REFUSED_WHEN_BOUND and each.goal.verb in PLAIN_VERBS
    ],
    ids=lambda each: each.case.where,
)
def test_what_is_not_there_or_not_one_is_not_bound(recorded: Recorded) -> None:
    """A place that is shut may be opened first; only a browser can tell what is found there."""
    outcome = recorded.bind().outcome
    assert isinstance(outcome, Failure)
    assert outcome.code in {recorded.case.code, Code.TARGET_HIDDEN}


def test_most_cases_can_be_tried_without_a_browser() -> None:
    held_back = [each for folder in MENDED for each in recorded_cases(folder)]
    assert len(OWN) >= FEWEST_OWN
    assert len(held_back) >= FEWEST_HELD_BACK
    cases = named_cases(held_back)
    found = {each.case.where: touched(each) for each in cases}
    right = sum(
        1 for each in cases if not (found[each.case.where] or frozenset()).isdisjoint(each.marks)
    )
    wrong = sum(1 for each in cases if is_wrong(each, found[each.case.where]))
    bound = sum(1 for marks in found.values() if marks)
    assert right >= LEAST_RIGHT * len(cases), (right, len(cases))
    assert wrong <= MOST_WRONG * bound, (wrong, bound)
