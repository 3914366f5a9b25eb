"""The guide to what one can say is made from the tables, and so is the search for every way."""

import re
import subprocess
import sys

from actors.interpreter.grammar.phrasebook import entries, search
from docs.__main__ import PHRASES, phrases
from tests.daemon import PROJECT
from tests.test_grammar import GRAMMAR

GUIDE = PHRASES.read_text("utf-8")


CLOSING = [frame.says for frame in GRAMMAR.table.phrases.frame if "app.close" in frame.all_goals()]


def looked_up(*words: str) -> str:
    return "\n".join(search(GRAMMAR.table, words))


def test_the_guide_is_up_to_date() -> None:
    assert phrases() == GUIDE, "run `make phrases`"


def test_the_guide_is_short_and_shows_every_goal() -> None:
    assert GUIDE.count("\n") < 300
    for frame in GRAMMAR.table.phrases.frame:
        assert f"`{', '.join(frame.all_goals())}`" in GUIDE
    for goal in GRAMMAR.examples_by_goal():
        assert goal in GUIDE


def test_what_the_guide_says_can_be_said_is_understood() -> None:
    _, _, around = GUIDE.partition("## Around a goal")
    told, _, _ = around.partition("**Not.**")
    for sentence in re.findall(r"`([^`]+)`", told):
        assert isinstance(GRAMMAR.parse(sentence), tuple), sentence


def test_the_examples_of_a_goal_are_understood_by_themselves() -> None:
    rows = re.findall(r"^\| `[^`]+` \| (.+) \|$", GUIDE, re.MULTILINE)
    assert len(rows) > 100
    for sentence in re.findall(r"`([^`]+)`", "\n".join(rows)):
        if "{" not in sentence:
            assert isinstance(GRAMMAR.parse(sentence), tuple), sentence


def test_a_search_without_words_names_every_goal() -> None:
    told = looked_up()
    assert all(goal in told for goal in GRAMMAR.examples_by_goal())


def test_a_search_shows_every_way_to_say_a_goal_and_the_words_of_its_lists() -> None:
    ways = {way for entry in entries(GRAMMAR.table) for way in entry.ways}
    assert all(says in ways for frame in GRAMMAR.table.phrases.frame for says in frame.says)
    told = looked_up("app.close")
    assert all(says in told for way in CLOSING for says in way)
    assert "<delete>: delete, remove" in looked_up("file.delete")
    assert "@sort: sort" in looked_up("file.sort_lines")
    assert "<timer>: " in looked_up("schedule.timer")


def test_a_search_finds_only_what_has_all_its_words() -> None:
    told = looked_up("Volume", "LOWER")
    assert "audio.lower" in told
    assert "audio.raise" not in told
    assert not looked_up("frobnicate")


def test_phrases_are_looked_up_on_the_command_line_without_a_daemon() -> None:
    def ran(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, str(PROJECT / "run.py"), "phrases", *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    found = ran("mute")
    assert (found.returncode, "mute the volume" in found.stdout) == (0, True)
    assert not set("{<(|") & set(found.stdout)
    assert "(" in ran("--patterns", "mute").stdout
    missing = ran("renme")
    assert "did you mean: rename?" in missing.stderr
    assert "look up one of these: app, audio, " in missing.stderr
    missing = ran("frobnicate")
    assert missing.returncode == 1
    assert "no phrase has the words 'frobnicate'" in missing.stderr
