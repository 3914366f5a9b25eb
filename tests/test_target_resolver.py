"""The TargetResolver's promises: exactly one thing, or a reason and the choices."""

import copy
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.target_resolver import TargetResolver, resolve
from messages.goals import Phrase
from messages.results import Code
from messages.targets import Bound, Candidate, NotBound, Resolution, Resolve
from tests.running import running

REPORTS = Candidate("/root/reports", "folder", "reports")
SHOUTED = Candidate("/root/REPORTS", "folder", "REPORTS")
TITLED = Candidate("/root/Reports", "folder", "Reports")
ELSEWHERE = Candidate("/root/old/reports", "folder", "reports")
CALLED = Candidate("/root/2026", "folder", "2026", aliases=("this year",))


def asking(words: str, *candidates: Candidate) -> Resolve:
    return Resolve("c1", "g0_create_1", "inside", Phrase(words), candidates)


def bound(words: str, *candidates: Candidate) -> Candidate:
    resolution = resolve(asking(words, *candidates))
    assert isinstance(resolution, Bound), resolution
    return resolution.target


def refused(words: str, *candidates: Candidate) -> NotBound:
    resolution = resolve(asking(words, *candidates))
    assert isinstance(resolution, NotBound), resolution
    return resolution


def test_words_bind_to_the_one_thing_of_that_name() -> None:
    assert bound("reports", CALLED, REPORTS) == REPORTS


def test_words_bind_to_an_alias() -> None:
    assert bound("this year", REPORTS, CALLED) == CALLED


def test_a_name_in_other_case_is_found() -> None:
    assert bound("Reports", REPORTS, CALLED) == REPORTS


@pytest.mark.parametrize("candidates", [(REPORTS, SHOUTED), (SHOUTED, REPORTS)])
def test_a_name_as_written_beats_one_in_other_case(candidates: tuple[Candidate, ...]) -> None:
    assert bound("reports", *candidates) == REPORTS


def test_two_equal_matches_are_ambiguous_and_both_are_offered() -> None:
    refusal = refused("reports", REPORTS, CALLED, ELSEWHERE)
    assert refusal.code == Code.AMBIGUOUS_TARGET
    assert refusal.options == (REPORTS, ELSEWHERE)
    assert REPORTS.id in refusal.message
    assert ELSEWHERE.id in refusal.message


def test_two_matches_in_other_case_are_ambiguous() -> None:
    refusal = refused("reports", SHOUTED, TITLED)
    assert (refusal.code, refusal.options) == (Code.AMBIGUOUS_TARGET, (SHOUTED, TITLED))


def test_a_near_miss_is_named_and_not_taken() -> None:
    refusal = refused("report", REPORTS)
    assert refusal.code == Code.TARGET_NOT_FOUND
    assert "'reports'" in refusal.message
    assert refusal.options == ()


def test_what_is_not_there_is_named_in_the_refusal() -> None:
    refusal = refused("invoices", REPORTS)
    assert refusal.code == Code.TARGET_NOT_FOUND
    assert "'invoices'" in refusal.message
    assert "reports" not in refusal.message


def test_nothing_binds_where_nothing_is() -> None:
    assert refused("reports").code == Code.TARGET_NOT_FOUND


NAMES = st.sampled_from(["reports", "Reports", "REPORTS", "report", "2026", "this year"])
CANDIDATES = st.builds(
    Candidate,
    id=st.uuids().map(str),
    kind=st.just("folder"),
    name=NAMES,
    aliases=st.lists(NAMES, max_size=2).map(tuple),
)
REQUESTS = st.builds(
    Resolve,
    command_id=st.just("c1"),
    action_id=st.just("a1"),
    role=st.just("inside"),
    phrase=st.builds(Phrase, NAMES),
    candidates=st.lists(CANDIDATES, max_size=5, unique_by=lambda each: each.id).map(tuple),
)


@given(REQUESTS)
def test_resolving_is_pure(request: Resolve) -> None:
    before = copy.deepcopy(request)
    assert resolve(request) == resolve(request)
    assert request == before


@given(REQUESTS, st.randoms(use_true_random=False))
def test_the_order_of_candidates_decides_nothing(request: Resolve, random: Random) -> None:
    shuffled = list(request.candidates)
    random.shuffle(shuffled)
    other = resolve(asking(request.phrase.text, *shuffled))
    assert outcome(resolve(request)) == outcome(other)


@given(REQUESTS)
def test_only_a_thing_that_bears_the_name_is_ever_bound(request: Resolve) -> None:
    resolution = resolve(request)
    if isinstance(resolution, Bound):
        target = resolution.target
        assert target in request.candidates
        assert request.phrase.text.casefold() in {
            name.casefold() for name in (target.name, *target.aliases)
        }


def outcome(resolution: Resolution) -> tuple[object, frozenset[str]]:
    """Put a resolution so that order does not matter."""
    if isinstance(resolution, Bound):
        return "bound", frozenset({resolution.target.id})
    return resolution.code, frozenset(option.id for option in resolution.options)


async def test_the_actor_answers_for_the_action_and_role_it_was_asked_about() -> None:
    async with running(TargetResolver()) as resolver:
        answer = await resolver.ask(asking("reports", REPORTS))
    assert answer == Bound("c1", "g0_create_1", "inside", REPORTS)
