"""What is offered to say: only what something on this machine achieves."""

import pytest

from messages.rules import Parameter, Rule
from tools.examples import examples_here, is_small_talk

GET = Rule(
    "query", "observe", "get:{target}", "got:{target}", "known",
    {"target": Parameter(allowed=("time", "battery"))},
)  # fmt: skip
PLAY = Rule("media", "actuate", "play", "media_play", "played")
SAID = {
    "system.get": ("what time is it", "how much battery is left"),
    "media.play": ("resume the music",),
}
RULES = {"system.get": GET, "media.play": PLAY}


def test_an_example_of_what_no_tool_achieves_is_not_offered() -> None:
    assert examples_here(SAID, RULES, frozenset({"got:time"})) == {
        "system.get": ("what time is it",)
    }


def test_all_is_offered_where_all_is_there() -> None:
    achieved = frozenset({"got:time", "got:battery", "media_play"})
    assert examples_here(SAID, RULES, achieved) == SAID


@pytest.mark.parametrize("words", ["", "hi", "Hello there!", "what's this?", "who are you"])
def test_a_greeting_asks_for_nothing(words: str) -> None:
    assert is_small_talk(words)


@pytest.mark.parametrize("words", ["stop", "why is it slow", "say hi", "12"])
def test_what_has_other_words_is_no_small_talk(words: str) -> None:
    assert not is_small_talk(words)
