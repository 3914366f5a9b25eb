"""The page of what one can say is made from the table, and says all of it."""

import re

from docs.__main__ import PHRASES, phrases
from tests.test_grammar import GRAMMAR


def test_the_page_of_phrases_is_up_to_date() -> None:
    assert PHRASES.read_text("utf-8") == phrases(), "run `make phrases`"


def test_the_page_shows_every_goal_and_every_way_to_say_it() -> None:
    page = PHRASES.read_text("utf-8")
    for frame in GRAMMAR.table.phrases.frame:
        assert all(goal in page for goal in frame.all_goals())
        assert all(f"`{says}`" in page for says in frame.says)


def test_what_the_page_says_can_be_said_is_understood() -> None:
    _, _, around = PHRASES.read_text("utf-8").partition("## Around a goal")
    told, _, _ = around.partition("### Not, and not yet")
    for sentence in re.findall(r"`([^`]+)`", told):
        assert isinstance(GRAMMAR.parse(sentence), tuple), sentence


def test_the_examples_at_the_head_of_a_goal_are_understood_by_themselves() -> None:
    heads = re.findall(r"^### \w+\.\w+.*\n\n(.+)$", PHRASES.read_text("utf-8"), re.MULTILINE)
    assert heads
    for sentence in re.findall(r"`([^`]+)`", "\n".join(heads)):
        assert isinstance(GRAMMAR.parse(sentence), tuple), sentence
