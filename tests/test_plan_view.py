"""``send --plan``: the tree of what was understood, what would be done and what cannot be."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from messages.phrases import LAST, Phrase, Related, Superlative
from tests.daemon import Daemon, running_daemon
from tests.terminal import ROWS, at_terminal
from tools.reading import phrase_read

CREATE = {"domain": "file", "verb": "create", "params": {"object_type": "folder"}}
UNKNOWN = {"domain": "audio", "verb": "sing"}
COLOUR = re.compile(r"\x1b\[\d*m")


NO_BROWSER = '[browser]\nmode = "off"\n'


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("plan")
    environment = {"BROWSER": "/bin/true"}
    with running_daemon(folder, settings=NO_BROWSER, environment=environment) as started:
        yield started


def create(name: str, **fields: object) -> dict[str, object]:
    return {**CREATE, "params": {"object_type": "folder", "name": name}, **fields}


def planned(daemon: Daemon, *words: str) -> list[str]:
    return daemon.cli("send", "--plan", *words).stdout.splitlines()


def planned_goals(daemon: Daemon, *goals: object) -> list[str]:
    return planned(daemon, "--goals", json.dumps(goals))


# What was understood


def test_the_words_of_a_role_are_shown_with_how_they_were_read(daemon: Daemon) -> None:
    goal = {"domain": "browser", "verb": "click", "roles": {"target": 'the third link "Sign in"'}}
    lines = planned_goals(daemon, goal)
    assert lines[0].startswith("✗ g0 browser.click target=")
    assert '    target: \'the third link "Sign in"\' is 3rd, kind link, named "Sign in"' in lines


def test_every_way_to_split_the_words_is_shown_best_first(daemon: Daemon) -> None:
    lines = planned(daemon, "move the newest pdf in downloads into archive")
    ways = [line for line in lines if "read as: " in line]
    assert ways[0].startswith("    read as: move [the newest pdf")
    assert all(way.startswith("    or read as: move [") for way in ways[1:])
    assert any("most by modified, noun pdf" in line for line in lines)


def test_a_goal_inside_what_another_makes_says_so(daemon: Daemon) -> None:
    assert planned(daemon, "create a folder dry and inside it create run.md") == [
        "→ g0 file.create object_type=folder name=dry",
        f"    would do: create:folder:{daemon.root}/dry",
        "  → g1 file.create object_type=file name=run.md",
        "      inside dry, which g0 makes",
        f"      would do: create:file:{daemon.root}/dry/run.md",
    ]


def test_a_place_that_nobody_makes_has_to_be_there(daemon: Daemon) -> None:
    assert "    inside reports, which has to be there" in planned(
        daemon, "create run.md inside reports"
    )


def test_what_a_goal_waits_for_is_named_where_its_place_in_the_tree_does_not_say_it(
    daemon: Daemon,
) -> None:
    goals = create("a"), create("b"), create("c", scope="after:g0"), create("d", scope="after:g1")
    lines = planned_goals(daemon, *goals, create("e", scope=["after:g0", "after:g1"]))
    assert [line.strip() for line in lines if "after" in line] == ["after g0", "after g0, g1"]
    after = lines[lines.index("  → g2 file.create object_type=folder name=c") + 1]
    assert after == "      after g0"


def test_a_scope_that_was_dropped_is_said_first(daemon: Daemon) -> None:
    lines = planned_goals(daemon, create("a", scope="after:nowhere"))
    assert lines[0].startswith("warning: g0: 'after:nowhere'")


# What would be done


def test_an_action_that_only_looks_is_told_from_one_that_acts(daemon: Daemon) -> None:
    assert planned(daemon, "what time is it")[1] == "    would look: get:time"


def test_goals_that_are_one_action_say_so(daemon: Daemon) -> None:
    lines = planned(daemon, "open youtube and search nvidia")
    assert "    done together with g1" in lines
    assert sum("would do:" in line for line in lines) == 1


# What cannot be done


def test_a_goal_that_cannot_be_planned_is_shown_with_all_that_was_understood(
    daemon: Daemon,
) -> None:
    sent = daemon.cli("send", "--plan", "click the second button")
    lines = sent.stdout.splitlines()
    assert sent.returncode == 1
    assert lines[0].startswith("✗ g0 browser.click")
    assert any("2nd" in line and "button" in line for line in lines)
    assert lines[-2].startswith("    cannot: NO_CAPABILITY: ")
    assert lines[-1] == "nothing would be done"


def test_one_goal_that_cannot_be_done_means_that_nothing_would_be(daemon: Daemon) -> None:
    lines = planned_goals(daemon, UNKNOWN, create("a"))
    assert lines[0] == "✗ g0 audio.sing"
    assert lines[1].startswith("    cannot: RULE_NOT_FOUND: ")
    assert f"    would do: create:folder:{daemon.root}/a" in lines
    assert lines[-1].startswith("nothing would be done")
    assert "--allow-partial" in lines[-1]


def test_with_allow_partial_the_rest_would_be_done_but_not_what_waits_for_the_refused(
    daemon: Daemon,
) -> None:
    goals = UNKNOWN, create("a", scope="after:g0"), create("b", scope="after:g1"), create("c")
    lines = planned(daemon, "--allow-partial", "--goals", json.dumps(goals))
    assert "  – g1 file.create object_type=folder name=a" in lines
    assert "    – g2 file.create object_type=folder name=b" in lines
    waiting = "not done: it waits for g0, which cannot be done"
    assert [line.strip() for line in lines].count(waiting) == 2
    assert [line for line in lines if "would do" in line] == [
        f"    would do: create:folder:{daemon.root}/c"
    ]
    assert lines[-1] == "some of it would be done, not all"


def test_words_that_are_not_understood_have_no_tree_but_suggestions(daemon: Daemon) -> None:
    lines = planned(daemon, "unmoot the volume")
    assert lines[0].startswith("failed NOT_UNDERSTOOD: ")
    assert "  try: unmute the volume" in lines


def test_the_events_of_a_plan_are_those_of_the_command_as_it_was_sent(daemon: Daemon) -> None:
    goals = json.dumps([UNKNOWN, create("a")])
    lines = planned(daemon, "--json", "--goals", goals)
    assert [json.loads(line)["type"] for line in lines] == ["accepted", "interpreted", "finished"]


# Where it is shown

LONG = (
    "create a folder " + "-".join(["long"] * 30) + " and inside it create " + "wide字" * 9 + ".md"
)


@pytest.mark.parametrize("columns", [20, 40, 100])
def test_a_plan_fits_a_narrow_terminal_and_loses_nothing(daemon: Daemon, columns: int) -> None:
    text = LONG.replace("字", "x")
    with at_terminal(daemon, "send", "--plan", text, columns=columns) as terminal:
        assert terminal.end() == 0
    lines = COLOUR.sub("", terminal.shown).splitlines()
    assert max(map(len, lines)) <= columns
    whole = re.sub(r"\s", "", "".join(lines))
    assert "-".join(["long"] * 30) in whole
    assert "g1file.create" in whole


def test_live_progress_takes_one_row_a_goal_on_a_narrow_terminal(daemon: Daemon) -> None:
    with at_terminal(daemon, "send", LONG, columns=30) as terminal:
        assert terminal.end() == 0
    *drawn, _last = re.split(r"\r?\x1b\[\d+A\x1b\[J", COLOUR.sub("", terminal.shown))
    rows = [row for tree in drawn for row in tree.splitlines()]
    assert rows
    assert all(len(row) + row.count("字") < 30 for row in rows)


def test_a_tree_that_is_taller_than_the_terminal_is_told_line_by_line(daemon: Daemon) -> None:
    goals = json.dumps([create(f"tall{number}") for number in range(ROWS)])
    with at_terminal(daemon, "send", "--goals", goals) as terminal:
        assert terminal.end() == 0
    assert not re.search(r"\x1b\[\d+A", terminal.shown)
    assert terminal.shown.count("✓") == ROWS


def test_the_end_of_live_progress_is_shown_once_and_whole(daemon: Daemon) -> None:
    with at_terminal(daemon, "send", "create a folder ounce", columns=30) as terminal:
        assert terminal.end() == 0
    last = COLOUR.sub("", terminal.shown).rpartition("\x1b[J")[2]
    assert "g0 file.create object_type=folder name=ounce" in last
    assert last.count("g0 file.create") == 1


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize("more", [(), ("--plan",)], ids=["run", "plan"])
def test_an_output_that_lacks_our_marks_gets_others(
    daemon: Daemon, tmp_path: Path, encoding: str, more: tuple[str, ...]
) -> None:
    with at_terminal(
        daemon,
        *("send", *more, f"create a folder «x{encoding}{len(more)}字»"),
        environment={"PYTHONIOENCODING": encoding},
    ) as terminal:
        assert terminal.end() == 0
    assert "Traceback" not in terminal.shown
    assert ("->" if more else "+") in terminal.shown
    assert "\\u5b57" in terminal.shown


@pytest.mark.parametrize("more", [(), ("--plan",)], ids=["run", "plan"])
def test_what_a_terminal_would_obey_in_the_words_is_shown_and_not_obeyed(
    daemon: Daemon, more: tuple[str, ...]
) -> None:
    evil = "a\x1b[2J\x07\u202eb"
    role = {"domain": "file", "verb": "read", "roles": {"direct": evil}}
    goals = create(evil), create("x", scope=f"inside:{evil}"), role, {"domain": evil, "verb": evil}
    sent = daemon.cli("send", *more, "--goals", json.dumps(goals))
    assert "\\x1b[2J\\x07\\u202e" in sent.stdout
    assert not set(sent.stdout) & {"\x1b", "\x07", "\u202e"}


def test_events_are_utf_8_whatever_the_terminal_speaks(daemon: Daemon) -> None:
    with at_terminal(
        daemon,
        *("send", "--plan", "--json", "create a folder 字"),
        environment={"PYTHONIOENCODING": "latin-1"},
    ) as terminal:
        assert terminal.end() == 0
    assert "字" in terminal.shown


# How phrases are put

OTHER = Phrase("the chest", head="chest")
PARTS = {
    "quoted": ("Sign in", 'named "Sign in"'),
    "head": ("apple", "noun apple"),
    "adjectives": (("big", "red"), "described as big red"),
    "kind": ("link", "kind link"),
    "ordinal": (LAST, "last"),
    "quantifier": ("both", "both"),
    "count": (2, "2 of them"),
    "superlative": (Superlative("size", most=False), "least by size"),
    "other": (True, "another one"),
    "excluding": ((OTHER,), "except (noun chest)"),
    "members": ((OTHER, OTHER), "(noun chest) and (noun chest)"),
    "pronoun": ("them", "pronoun them"),
    "place": ("held", "place held"),
    "related": (Related("on", OTHER), "on (noun chest)"),
    "possessor": ("person", "owner person"),
    "pointed": (True, "pointed at"),
    "indefinite": (True, "any such"),
}
# ``text`` is what is read, ``named`` has a line of its own, the others only refine other parts.
APART = {"text", "named", "either", "joined"}


def test_every_part_of_a_phrase_has_words() -> None:
    assert PARTS.keys() | APART == {field.name for field in msgspec.structs.fields(Phrase)}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_of_a_phrase_is_said(name: str) -> None:
    value, words = PARTS[name]
    assert phrase_read(msgspec.structs.replace(Phrase("x"), **{name: value})) == words


def test_a_phrase_that_is_nothing_but_its_text_is_a_name() -> None:
    assert phrase_read(Phrase("Sign in")) == "a name, as it stands"


def test_alternatives_are_not_said_as_a_sum() -> None:
    either = Phrase("the chest or the chest", members=(OTHER, OTHER), either=True)
    assert phrase_read(either) == "(noun chest) or (noun chest)"
