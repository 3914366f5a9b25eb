"""The TargetResolver's promises: exactly one thing, or a reason and the choices."""

import copy
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from actors.target_resolver import TargetResolver
from messages.failures import Target
from messages.phrases import ParsedCommand, Phrase
from messages.results import Code
from messages.targets import Bound, Failure, NotBound, Query, Resolution, Resolve
from messages.verbs import RuleForm, ScopeProfile, VerbDeclaration
from messages.worlds import Thing, World
from tests.running import running

REPORTS = Thing("/root/reports", "reports", "folder")
SHOUTED = Thing("/root/REPORTS", "REPORTS", "folder")
TITLED = Thing("/root/Reports", "Reports", "folder")
ELSEWHERE = Thing("/root/old/reports", "reports", "folder")
CALLED = Thing("/root/2026", "2026", "folder", aliases=("this year",))


NAMING = {
    "inside": VerbDeclaration({"direct": RuleForm()}, scope_profile=ScopeProfile(direct=("world",)))
}


def asking(words: str, *things: Thing) -> Resolve:
    parsed = ParsedCommand("inside", "inside", direct_span=words, direct=Phrase(words))
    return Resolve("c1", "g0_create_1", Query((parsed,), NAMING, World(things)))


def resolved(request: Resolve) -> Resolution:
    with capture_logs():
        return TargetResolver().resolved(request)


def bound(words: str, *things: Thing) -> Thing:
    resolution = resolved(asking(words, *things))
    assert isinstance(resolution, Bound), resolution
    target = resolution.success.bindings[0].direct_target
    assert target is not None
    return next(thing for thing in things if thing.id == target.id)


def refused(words: str, *things: Thing) -> Failure:
    resolution = resolved(asking(words, *things))
    assert isinstance(resolution, NotBound), resolution
    return resolution.failure


def offered(failure: Failure) -> list[str]:
    return [option.target.id for option in failure.options]


def test_words_bind_to_the_one_thing_of_that_name() -> None:
    assert bound("reports", CALLED, REPORTS) == REPORTS


def test_words_bind_to_an_alias() -> None:
    assert bound("this year", REPORTS, CALLED) == CALLED


def test_a_name_in_other_case_is_found() -> None:
    assert bound("Reports", REPORTS, CALLED) == REPORTS


@pytest.mark.parametrize("candidates", [(REPORTS, SHOUTED), (SHOUTED, REPORTS)])
def test_a_name_as_written_beats_one_in_other_case(candidates: tuple[Thing, ...]) -> None:
    assert bound("reports", *candidates) == REPORTS


def test_two_equal_matches_are_ambiguous_and_both_are_offered() -> None:
    refusal = refused("reports", REPORTS, CALLED, ELSEWHERE)
    assert refusal.code == Code.AMBIGUOUS_TARGET
    assert offered(refusal) == [REPORTS.id, ELSEWHERE.id]
    assert all(option.text in refusal.message for option in refusal.options)


def test_two_matches_in_other_case_are_ambiguous() -> None:
    refusal = refused("reports", SHOUTED, TITLED)
    assert refusal.code == Code.AMBIGUOUS_TARGET
    assert offered(refusal) == [SHOUTED.id, TITLED.id]


def test_a_near_miss_is_named_and_not_taken() -> None:
    refusal = refused("report", REPORTS)
    assert refusal.code == Code.TARGET_NOT_FOUND
    assert "there is reports" in refusal.message
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
    Thing,
    id=st.uuids().map(str),
    kind=st.just("folder"),
    name=NAMES,
    aliases=st.lists(NAMES, max_size=2).map(tuple),
)
REQUESTS = st.builds(
    lambda words, things: asking(words, *things),
    NAMES,
    st.lists(CANDIDATES, max_size=5, unique_by=lambda each: each.id),
)


@given(REQUESTS)
def test_resolving_is_pure(request: Resolve) -> None:
    before = copy.deepcopy(request)
    assert resolved(request) == resolved(request)
    assert request == before


@given(REQUESTS, st.randoms(use_true_random=False))
def test_the_order_of_things_decides_nothing(request: Resolve, random: Random) -> None:
    shuffled = list(request.query.world.things)
    random.shuffle(shuffled)
    other = resolved(asking(words_of(request), *shuffled))
    assert outcome(resolved(request)) == outcome(other)


@given(REQUESTS)
def test_only_a_thing_that_bears_the_name_is_ever_bound(request: Resolve) -> None:
    resolution = resolved(request)
    if isinstance(resolution, Bound):
        target = resolution.success.bindings[0].direct_target
        (thing,) = [
            each
            for each in request.query.world.things
            if target is not None and each.id == target.id
        ]
        names = {name.casefold() for name in (thing.name, *thing.aliases)}
        assert words_of(request).casefold() in names


def words_of(request: Resolve) -> str:
    return request.query.readings[0].direct_span or ""


def outcome(resolution: Resolution) -> tuple[object, frozenset[str]]:
    """Put a resolution so that order does not matter."""
    if isinstance(resolution, Bound):
        target = resolution.success.bindings[0].direct_target
        return "bound", frozenset({target.id if target is not None else ""})
    return resolution.failure.code, frozenset(offered(resolution.failure))


async def test_the_actor_answers_for_the_action_it_was_asked_about() -> None:
    async with running(TargetResolver()) as resolver:
        answer = await resolver.ask(asking("reports", REPORTS))
    assert isinstance(answer, Bound)
    assert (answer.command_id, answer.action_id) == ("c1", "g0_create_1")
    assert answer.success.bindings[0].direct_target == Target(REPORTS.id, "reports", "folder")


def test_the_trace_of_a_resolution_has_its_phases_and_the_hash_of_what_was_seen() -> None:
    with capture_logs() as lines:
        TargetResolver().resolved(asking("reports", REPORTS))
    (line,) = lines
    assert line["event"] == "target.resolved"
    phases = [phase["phase"] for phase in line["phases"]]
    assert phases == ["form", "scope", "match", "select", "disambiguate", "bind"]
    assert line["outcome"] == [REPORTS.id]
    assert len(line["snapshot"]) == 16
