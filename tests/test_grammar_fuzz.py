"""Whatever the text: the grammar answers, and no goal holds a word that the text does not."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from messages.goals import GoalDraft
from tests.fuzzing import (
    FRAGMENTS,
    JOINTS,
    LONG,
    OPENINGS,
    broken,
    filled,
    foreign_words,
    texts,
)

FEW = settings(max_examples=60)
SENTENCES = st.sampled_from(texts())
PARTS = st.sampled_from(FRAGMENTS)
JOINED = st.builds(
    str.join, st.sampled_from(JOINTS), st.lists(SENTENCES | PARTS, min_size=1, max_size=4)
)


@st.composite
def worn(draw: st.DrawFn) -> str:
    """Take a part of a text away, or say it twice, or put something into it."""
    text = draw(JOINED)
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, len(text)))
    put = draw(st.sampled_from(["", text[start:end] * 2]) | PARTS)
    return text[:start] + put + text[end:]


def test_words_and_numbers_that_were_not_said_are_noticed() -> None:
    clicked = GoalDraft("browser", "click", {"times": 7}, {"target": "Save as"})
    assert list(foreign_words("click Save", (clicked,))) == ["times=7", "target=as"]
    assert not list(foreign_words("click Save as seven times", (clicked,)))


@given(st.text(max_size=200))
@example("create a folder \ud800")
@example("\x00" * 50)
def test_any_characters_are_answered(text: str) -> None:
    assert broken(text) is None


@given(JOINED)
@example("show the time and the disk space > type 3 into the box, then hit Tab")
def test_sentences_that_run_into_each_other_are_answered_in_their_own_words(text: str) -> None:
    assert broken(text) is None


@given(worn())
def test_words_left_out_or_said_twice_are_answered_in_their_own_words(text: str) -> None:
    assert broken(text) is None


@given(JOINED, st.sampled_from("\"'“‘«`(["), st.integers(0, 200))
def test_a_quotation_that_is_never_closed_is_answered(text: str, mark: str, at: int) -> None:
    assert broken(text[:at] + mark + text[at:]) is None


@FEW
@given(st.sampled_from(OPENINGS), PARTS, st.just("") | PARTS)
def test_ten_thousand_characters_of_anything_are_answered(first: str, one: str, two: str) -> None:
    assert broken((first + filled(one, two))[:LONG]) is None


@FEW
@given(st.integers(1, LONG), st.characters(), SENTENCES)
def test_a_word_of_any_length_is_answered(length: int, character: str, sentence: str) -> None:
    assert broken(f"{sentence} {character * length}") is None


@pytest.mark.parametrize(
    "text",
    [
        "a" * LONG,
        "," * LONG,
        "1" * LONG,
        "\n" * LONG,
        filled("and "),
        filled("“a ") + filled("”"),
        filled("a > "),
        filled("click a, "),
    ],
    ids=lambda text: repr(text[:8]),
)
def test_a_text_that_says_the_same_for_ever_asks_for_nothing_foreign(text: str) -> None:
    assert broken(text) is None
