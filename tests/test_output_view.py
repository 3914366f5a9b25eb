"""What people read of a command: sizes, times, texts line by line, and nothing for programs."""

import io
import os
import time
from collections.abc import Iterator

import pytest

from messages import wire
from messages.goals import Goal, MetaGoal
from messages.message import Row, Value
from messages.results import Code, GoalResult
from tools.console import View, approval_lines, titled
from tools.output_view import output_lines
from tools.screen import Screen

DIGEST = "0123456789abcdef" * 4


@pytest.fixture
def berlin() -> Iterator[None]:
    """A place whose time is an hour ahead."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC-1"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def lines_of(kind: str, output: Value) -> list[str]:
    domain, _, verb = kind.partition(".")
    return output_lines(output, Goal("g0", domain, verb))


# What a goal gave


def test_a_text_of_several_lines_is_shown_line_by_line() -> None:
    row: Value = {"path": "/w/m.txt", "text": "one\ntwo\n", "size": 8}
    assert lines_of("file.read", row) == ["path: /w/m.txt  size: 8 bytes", "  one", "  two"]


def test_what_a_terminal_would_obey_in_a_text_is_not_obeyed() -> None:
    assert lines_of("file.read", {"text": "a\x1b[2J\nb\u202ec\n"}) == [
        "  a\\x1b[2J",
        "  b\\u202ec",
    ]


def test_a_long_text_is_cut_and_says_how_much_is_left() -> None:
    lines = lines_of("file.read", {"text": "x\n" * 1_000})
    assert len(lines) < 300
    assert lines[-1].endswith("more lines")


def test_sizes_and_lengths_of_time_are_those_of_people() -> None:
    disk: Value = {"path": "/", "total": 270_553_174_016, "free": 900}
    assert lines_of("system.get", disk) == ["path: /  total: 270.6 GB  free: 900 bytes"]
    assert lines_of("schedule.left", {"left": 26_403}) == ["left: 7 hours 20 minutes"]
    assert lines_of("file.measure", {"value": 1_500_000, "unit": "bytes", "of": 2}) == ["1.5 MB"]


@pytest.mark.usefixtures("berlin")
def test_a_moment_is_told_in_the_time_of_this_place_and_ids_are_for_programs() -> None:
    row: Row = {"id": "ccdb49", "kind": "timer", "due": "2026-11-19T23:52:28+00:00", "left": 60}
    assert lines_of("schedule.list", [row]) == [
        "kind: timer  due: 2026-11-20 00:52:28  left: 1 minute"
    ]


def test_what_a_page_says_is_shown_as_it_says_it() -> None:
    row: Row = {"id": "7", "size": "1000", "due": "2026-11-19T23:52:28+00:00"}
    assert lines_of("browser.read", [row]) == ["id: 7  size: 1000  due: 2026-11-19T23:52:28+00:00"]


@pytest.mark.parametrize(
    ("kind", "output", "told"),
    [
        ("recipes.list", [], "no recipe was taught"),
        ("schedule.list", [], "nothing is scheduled"),
        ("file.list_trash", [], "the trash is empty"),
        ("file.list", [], "the folder is empty"),
        ("file.search", [], "nothing is found"),
        ("list.show", {"list": "shopping", "entries": []}, "the list shopping is empty"),
        ("list.lists", {"lists": []}, "there are no lists"),
        ("browser.read", [], "none"),
        ("file.read", {"text": ""}, "text: (empty)"),
    ],
)
def test_that_there_is_nothing_is_said(kind: str, output: Value, told: str) -> None:
    assert lines_of(kind, output) == [told]


# What is done


@pytest.mark.parametrize(
    ("verb", "params", "told"),
    [
        ("discard", {"expects": DIGEST}, "take /w/m.txt away again"),
        ("restore", {"former": DIGEST, "expects": DIGEST}, "give /w/m.txt its former content"),
        ("untrash", {"entry": ".behest-1-59fce69e"}, "put /w/m.txt back from the trash"),
        ("unmove", {"to": "/w/n.txt", "expects": DIGEST}, "move /w/m.txt back to /w/n.txt"),
    ],
)
def test_an_undo_says_what_happens_to_which_thing(
    verb: str, params: dict[str, Value], told: str
) -> None:
    assert titled(Goal("g0", "file", verb, {"name": "/w/m.txt", **params})) == f"g0 {told}"


def needed(description: str, *things: tuple[str, str], count: int = 1) -> wire.ApprovalNeeded:
    targets = tuple(wire.Concerned(*thing) for thing in things)
    about = ("g0", "a", "delete", description, targets)
    return wire.ApprovalNeeded("c", "c:a1", *about, {}, 300.0, count)


def test_an_approval_names_the_thing_and_not_its_number_on_the_page() -> None:
    assert list(approval_lines(needed("use delete Ada", ("d2.116", "Delete")))) == [
        "about to delete: delete Ada",
        "  Delete",
    ]


def test_an_approval_of_one_file_is_one_line_and_of_several_a_list() -> None:
    one, other = ("/w/a.txt", "a.txt"), ("/w/b.txt", "b.txt")
    assert list(approval_lines(needed("delete:file:/w/a.txt", one))) == [
        "about to delete: /w/a.txt"
    ]
    both = needed("delete:file:/w/a.txt; delete:file:/w/b.txt", one, other, count=2)
    assert list(approval_lines(both)) == ["about to delete 2 things:", "  /w/a.txt", "  /w/b.txt"]


# How it comes along


def shown_of(*events: wire.WireReply) -> list[str]:
    out = io.StringIO()
    view = View(Screen(out))
    for event in events:
        view.show(event)
    return out.getvalue().splitlines()


def test_a_set_of_files_is_not_told_file_by_file_where_there_is_no_terminal() -> None:
    goal = Goal("g0", "file", "delete", {"pattern": "*.txt"})
    names = [f"{number}.txt" for number in range(5)]
    members = [
        event
        for name in names
        for event in (
            wire.ActionStarted("c", "g0", name, "delete all txt files"),
            wire.ActionFinished("c", "g0", name, "success", verified=True),
        )
    ]
    assert shown_of(
        wire.Interpreted("c", MetaGoal("single", (goal,))),
        *(wire.Resolved("c", "g0", "a", "direct", f"/w/{name}", name) for name in names),
        *members,
        wire.Finished("c", "success", (GoalResult("g0", "success", verified=True),)),
    ) == [
        "… g0 file.delete pattern=*.txt  direct is 5 things",
        "✓ g0 file.delete pattern=*.txt",
    ]


def test_one_thing_that_words_were_bound_to_is_named() -> None:
    goal = Goal("g0", "browser", "click")
    assert shown_of(
        wire.Interpreted("c", MetaGoal("single", (goal,))),
        wire.Resolved("c", "g0", "a", "target", "d1.5", "Send order"),
        wire.ActionStarted("c", "g0", "a", "click Send"),
    ) == ["… g0 browser.click  target is Send order"]


def test_the_end_of_a_command_that_began_elsewhere_says_why_it_failed() -> None:
    result = GoalResult("g0", "failed", Code.TARGET_STALE, "the page has changed")
    finished = wire.Finished("c", "failed", (result,), Code.TARGET_STALE, "the page has changed")
    assert shown_of(finished) == ["✗ g0 TARGET_STALE: the page has changed", "failed"]


def test_the_end_of_a_command_that_began_elsewhere_says_that_it_is_done() -> None:
    assert shown_of(
        wire.Finished("c", "success", (GoalResult("g0", "success", verified=True),))
    ) == ["✓ g0"]
