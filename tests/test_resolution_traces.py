"""The trace of a resolution: the same phases on every world, with reasons and what was dropped."""

from itertools import pairwise

import pytest
from structlog.testing import capture_logs

from actors.interpreter.words.lexicon import lexicon
from actors.interpreter.words.phrases import read_phrase
from actors.target_resolver import TargetResolver
from actors.target_resolver.engine import Finding, resolve
from messages.pages import Affords, Element, Frame, Page, Sheet
from messages.phrases import ParsedCommand
from messages.targets import Considered, Options, Phase, Query, Recent, Resolve
from messages.worlds import World
from tests.target_worlds import VERBS, YARD, finding, readings, thing, world

ORDER = ("form", "scope", "match", "select", "disambiguate", "bind")
CLICK, HOLD, MODAL = Affords.CLICK.value, Affords.CONTAIN.value, Affords.MODAL.value


def page(*elements: Element) -> Page:
    sheet = Sheet(
        "http://a/",
        "A",
        (800, 600),
        (800, 2000),
        (0, 0),
        "complete",
        9,
        truncated=False,
        elements=elements,
    )
    return Page((Frame("f1", sheet),))


def line_of(row: int) -> tuple[int, int, int, int]:
    return (10, 40 * row, 100, 30)


TWO_PARTS = page(
    Element(1, "navigation", (0, 0, 800, 90), -1, "", HOLD),
    Element(2, "link", line_of(0), 0, "Save", CLICK, "http://a/save"),
    Element(3, "main", (0, 90, 800, 1900), -1, "", HOLD),
    Element(4, "button", line_of(3), 2, "Save as draft", CLICK),
    Element(5, "button", line_of(4), 2, "Cancel", CLICK),
    Element(6, "button", line_of(40), 2, "Cancel", CLICK),
    Element(7, "heading", line_of(5), 2, "Orders"),
)


def on_page(text: str, where: Page, verb: str = "click", options: Options | None = None) -> Finding:
    phrase = read_phrase(text, lexicon())
    parsed = ParsedCommand(verb, verb, f"{verb} {text}", text, direct=phrase)
    return resolve(Query((parsed,), {}, World(), options or Options(), where))


def names(found: Finding) -> list[str]:
    return [phase.phase for phase in found.phases]


def phase(found: Finding, name: str) -> Phase:
    return next(each for each in found.phases if each.phase == name)


def dropped(candidates: tuple[Considered, ...]) -> dict[str, str | None]:
    return {each.name: each.dropped for each in candidates}


# Text worlds


def test_what_was_bound_comes_first_among_the_candidates_of_a_set() -> None:
    away = [thing("coin", YARD, as_id=f"away{number}") for number in range(30)]
    here = [thing("coin", as_id=f"here{number}") for number in range(3)]
    found = finding("gather all coins", world(*away, *here))
    ids = ["here0", "here1", "here2"]
    candidates = phase(found, "match").candidates
    assert [each.id for each in candidates[:3]] == ids
    assert {each.dropped for each in candidates[3:]} == {"out of scope"}
    assert [each.id for each in phase(found, "bind").candidates] == ids


def test_a_large_set_lists_twenty_of_those_bound_and_their_number() -> None:
    found = finding("gather all coins", world(*(thing("coin", as_id=f"c{n}") for n in range(25))))
    bind = phase(found, "bind")
    assert (bind.outcome, len(bind.candidates)) == ("25 bound", 20)
    assert all(each.dropped is None for each in phase(found, "match").candidates)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("touch the second coin", "not number 2"),
        ("touch the last coin", "not the last"),
        ("touch the largest coin", "not the most by size"),
        ("gather all coins except the old one", "left out"),
        ("touch the other coin", "left out"),
    ],
)
def test_what_is_not_selected_is_traced_with_the_reason(words: str, why: str) -> None:
    where = world(
        thing("coin", as_id="old", adjectives=["old"], measures={"size": 1}),
        thing("coin", as_id="new", measures={"size": 2}),
    )
    found = finding(words, where, Options(recent=Recent(it="old")))
    assert [(each.id, each.dropped) for each in phase(found, "select").candidates] == [
        ("new", None),
        ("old", why),
    ]


def test_what_the_other_role_means_is_traced_as_dropped() -> None:
    found = finding("put the red box in the box", world(thing("red box"), thing("blue box")))
    (match,) = [each for each in found.phases if (each.phase, each.role) == ("match", "indirect")]
    assert dropped(match.candidates) == {
        "blue box": None,
        "red box": "it is the other thing of the command",
    }


def test_what_was_spoken_of_is_a_candidate_with_that_reason() -> None:
    found = finding("take it", world(thing("coin")), Options(recent=Recent(it="coin")))
    (candidate,) = phase(found, "match").candidates
    assert (candidate.id, candidate.reasons) == ("coin", ("spoken of",))


# Pages


@pytest.mark.parametrize("words", ["Save", "the Save link", "the second Cancel button", "Orders"])
def test_a_resolution_on_a_page_has_all_phases_in_order(words: str) -> None:
    assert tuple(names(on_page(words, TWO_PARTS))) == ORDER


def test_a_page_has_one_record_per_phase_and_role() -> None:
    found = on_page("Save", TWO_PARTS)
    assert [each.role for each in found.phases] == [None, *["direct"] * 4, None]
    assert (phase(found, "form").rule, phase(found, "bind").rule) == ("direct", "direct")
    assert phase(found, "scope").scopes == ("view", "page")


def test_candidates_of_a_page_have_their_region_reasons_and_score() -> None:
    found = on_page("Save", TWO_PARTS)
    best, second = phase(found, "match").candidates
    assert (best.id, best.name, best.scope) == ("f1.2", "Save", "view/navigation")
    assert (best.reasons, best.dropped) == (("called 'Save'",), None)
    assert (second.name, second.scope) == ("Save as draft", "view/main")
    assert second.dropped == "a better match was found"
    assert best.score > second.score > 0


def test_a_page_names_what_was_bound() -> None:
    (bound,) = phase(on_page("Save", TWO_PARTS), "bind").candidates
    assert (bound.id, bound.scope) == ("f1.2", "view/navigation")


def test_an_ordinal_on_a_page_tells_why_the_others_were_dropped() -> None:
    match = phase(on_page("the second Cancel button", TWO_PARTS), "match")
    kept, other = match.candidates
    assert (kept.id, kept.scope, other.id) == ("f1.6", "page/main", "f1.5")
    assert other.dropped == "not number 2"


def test_a_question_on_a_page_ends_at_the_phase_that_tells_things_apart() -> None:
    rows = page(*(Element(n, "button", line_of(n), -1, "Edit", CLICK) for n in (1, 2)))
    found = on_page("Edit", rows)
    assert tuple(names(found)) == ORDER[:5]
    assert phase(found, "disambiguate").outcome == "2 remain"


def test_nothing_on_a_page_ends_at_the_match_and_names_what_could_not_be_used() -> None:
    assert names(on_page("Delete", TWO_PARTS)) == ["form", "scope", "match"]
    found = on_page("Orders", TWO_PARTS, verb="type")
    (candidate,) = phase(found, "match").candidates
    assert (candidate.name, candidate.dropped) == ("Orders", "the verb cannot be done with it")


def test_what_is_behind_a_dialog_is_told_by_its_scope() -> None:
    where = page(
        Element(1, "button", line_of(1), -1, "Close all", CLICK),
        Element(2, "dialog", (0, 100, 300, 300), -1, "Sure?", HOLD | MODAL),
        Element(3, "button", line_of(4), 1, "Close", CLICK),
    )
    found = on_page("Close", where)
    assert phase(found, "scope").scopes[0] == "dialog"
    scopes = {each.name: each.scope for each in phase(found, "match").candidates}
    assert scopes["Close"] == "dialog/dialog"
    assert scopes.get("Close all", "behind a dialog") == "behind a dialog"


def test_phases_never_go_back_within_a_role() -> None:
    for words in ("Save", "Cancel", "both Cancel buttons", "nothing", "the Save link"):
        places = [ORDER.index(name) for name in names(on_page(words, TWO_PARTS))]
        assert all(before < after for before, after in pairwise(places)), words


# The record


def test_the_record_names_its_command_goal_and_action() -> None:
    where = world(thing("apple"))
    query = Query(readings("take apple"), VERBS, where)
    with capture_logs() as lines:
        TargetResolver().resolved(Resolve("c1", "g0_take_1", query, "g0"))
    (line,) = lines
    assert (line["command_id"], line["goal_id"], line["action_id"]) == ("c1", "g0", "g0_take_1")
