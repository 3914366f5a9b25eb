"""The clues of a page: what bars a candidate, what is one thing, and when clues may decide."""

from collections.abc import Sequence

import pytest

from actors.language.lexicon import lexicon
from actors.language.reading import descriptions
from actors.target_resolver.page.candidates import Candidates
from actors.target_resolver.page.clues import CLUES, SAID, Situation, matches
from actors.target_resolver.page.evidence import weights
from actors.target_resolver.page.sight import Sight
from actors.target_resolver.page.weighing import Act, Ask, Refuse, Verdict, Weighing
from messages.pages import Affords, Element, Frame, Page, Sheet

CLICKED = (Affords.CLICK | Affords.POINTER).value
EDITED = (Affords.EDIT | Affords.CLICK | Affords.POINTER).value
LABEL = (Affords.LABEL | Affords.CLICK).value


def page_of(elements: Sequence[Element]) -> Page:
    size = (1280, 800)
    sheet = Sheet("http://x/", "x", size, size, (0, 0), "complete", 0, False, tuple(elements))  # noqa: FBT003
    return Page((Frame("d1", sheet),))


def button(number: int, name: str, **more: object) -> Element:
    rect = (10, 40 * number, 120, 30)
    return Element(number, "button", rect, -1, name, CLICKED, **more)  # type: ignore[arg-type]


def verdict(verb: str, text: str, *elements: Element) -> Verdict:
    return Weighing(Sight(page_of(elements)), lexicon().needs[verb], verb).verdict(text)


def offered(verb: str, text: str, *elements: Element) -> set[int]:
    """Give the numbers of the elements that nothing bars."""
    situation = Situation(Candidates(Sight(page_of(elements))), lexicon().needs[verb], verb)
    return {match.candidate.seen.element.number for match in matches(descriptions(text), situation)}


def test_every_clue_has_a_weight_and_no_weight_is_without_a_clue() -> None:
    bound = weights()
    assert len(bound.which) == len(CLUES)
    assert len(bound.here) == len(SAID)
    assert 0 < bound.ask < bound.act < 1


def test_what_accounts_for_all_words_is_used() -> None:
    found = verdict("click", "the Send order button", button(1, "Send order"), button(2, "Help"))
    assert isinstance(found, Act)
    assert found.option.seen.element.number == 1


def test_a_number_that_disagrees_bars() -> None:
    found = verdict("click", "Lane 4", button(1, "Lane 3"), button(2, "Lane 4"))
    assert isinstance(found, Act)
    assert found.option.seen.element.number == 2
    assert isinstance(verdict("click", "Lane 4", button(1, "Lane 3")), Refuse)


def test_a_negation_in_only_one_of_both_names_bars() -> None:
    things = (button(1, "Do not share my data"), button(2, "Share my data"))
    assert offered("click", "Share my data", *things) == {2}
    assert 2 not in offered("click", "do not share my data", *things)


def test_what_the_verb_cannot_be_done_to_is_barred() -> None:
    field = Element(2, "textbox", (10, 200, 200, 30), -1, "Order", EDITED)
    assert offered("type", "Order", button(1, "Order"), field) == {2}


def test_another_state_and_another_colour_bar() -> None:
    red = button(1, "Stop", colours=("red",))
    green = button(2, "Stop", colours=("green",), states=("disabled",))
    assert offered("click", "the red Stop button", red, green) >= {1}
    told = {
        match.candidate.seen.element.number
        for match in matches(
            [what for what in descriptions("the red Stop button") if what.colours],
            Situation(Candidates(Sight(page_of((red, green)))), lexicon().needs["click"], "click"),
        )
    }
    assert told == {1}


def test_a_label_and_its_field_are_one_thing() -> None:
    label = Element(1, "label", (10, 10, 80, 20), -1, "Email", LABEL, about="2")
    field = Element(2, "textbox", (100, 10, 200, 20), -1, "Email", EDITED)
    found = verdict("type", "the field below Email", label, field)
    assert isinstance(found, Act)
    assert found.option.seen.element.number == 2


def test_two_of_one_name_are_not_decided_by_clues() -> None:
    found = verdict("click", "Edit", button(1, "Edit"), button(9, "Edit"))
    assert isinstance(found, Ask)
    assert [option.seen.element.number for option in found.options] == [1, 9]


def test_what_is_drawn_at_the_place_of_a_control_is_the_control() -> None:
    text = Element(2, "text", (12, 42, 100, 26), -1, "Try it", Affords.POINTER.value)
    found = verdict("click", "Try it", button(1, "Try it"), text)
    assert isinstance(found, Act)
    assert found.option.seen.element.number == 1


@pytest.mark.parametrize("text", ["the crimson Proceed lever", "Reject all", "third Save button"])
def test_what_leaves_a_word_unaccounted_for_is_not_used(text: str) -> None:
    found = verdict("click", text, button(1, "Proceed"), button(2, "Accept all"), button(3, "Save"))
    assert not isinstance(found, Act)


def test_the_reasons_of_a_verdict_are_its_clues() -> None:
    found = verdict("click", "the Send order button", button(1, "Send order"), button(2, "Help"))
    assert isinstance(found, Act)
    (best, *_) = found.phase("direct").candidates
    assert {reason.split()[0] for reason in best.reasons} <= set(CLUES)
    assert any(reason.startswith("found ") for reason in best.reasons)
