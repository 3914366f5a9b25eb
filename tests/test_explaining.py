"""Why it was that one: read from the log alone, as a person and as a program reads it."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actors.interpreter.words.lexicon import lexicon
from actors.interpreter.words.phrases import read_phrase
from actors.language.lexicon import lexicon as page_lexicon
from actors.target_resolver import TargetResolver
from actors.target_resolver.page.sight import Sight
from actors.target_resolver.page.weighing import Act, Weighing
from messages import wire
from messages.explaining import BindingReport
from messages.journaling import Intent, Resumed
from messages.pages import Affords, Element, Frame, Page, Sheet
from messages.phrases import ParsedCommand
from messages.plans import PlannedAction
from messages.results import Code, GoalResult
from messages.targets import Bound, Clue, NotBound, Query, Resolve
from messages.worlds import World
from tests.daemon import Daemon, running_daemon
from tools.explaining import explanation, records_in
from tools.journal_explanation import Kept, explained

CLICKED = (Affords.CLICK | Affords.POINTER).value
EDITED = (Affords.EDIT | Affords.CLICK | Affords.POINTER).value


@dataclass
class Log:
    """Keeps what an actor says, as lines of the log."""

    lines: list[bytes] = field(default_factory=list)

    def info(self, event: str, **fields: Any) -> None:
        self.lines.append(msgspec.json.encode({"event": event, "command_id": "c", **fields}))

    warning = error = info


def page_of(elements: Sequence[Element]) -> Page:
    size = (1280, 800)
    sheet = Sheet("http://x/", "x", size, size, (0, 0), "complete", 0, False, tuple(elements))  # noqa: FBT003
    return Page((Frame("d1", sheet),), settled=True)


def thing(number: int, kind: str, name: str, **more: Any) -> Element:
    uses = EDITED if kind == "textbox" else CLICKED if kind in {"button", "link"} else 0
    rect = more.pop("rect", (10, 40 * number, 120, 30))
    parent = more.pop("parent", -1)
    return Element(number, kind, rect, parent, name, more.pop("affords", uses), **more)


def bind(verb: str, words: str, *elements: Element, log: Log | None = None) -> Bound | NotBound:
    """Bind words on a page."""
    phrase = read_phrase(words, lexicon())
    parsed = ParsedCommand(verb, verb, f"{verb} {words}", words, direct=phrase)
    query = Query((parsed,), {}, World(), page=page_of(elements))
    return TargetResolver(log or Log()).resolved(Resolve("c", "a", query))


def read_from_log(verb: str, words: str, *elements: Element) -> BindingReport:
    """Bind words on a page, and read from the log alone how that went."""
    log = Log()
    bind(verb, words, *elements, log=log)
    explained = explanation(records_in(log.lines), "c")
    assert explained is not None
    return explained.bindings[-1]


def clue_named(bound: BindingReport, name: str) -> Clue:
    return next(clue for clue in bound.chosen[0].clues if clue.name == name)


def test_the_log_says_which_name_was_seen() -> None:
    bound = read_from_log(
        "click", "Save", thing(1, "button", "Save"), thing(2, "button", "Save as")
    )
    assert [each.id for each in bound.chosen] == ["d1.1"]
    assert clue_named(bound, "name") == Clue("name", "Save", "Save")
    assert [(each.name, each.dropped) for each in bound.dropped] == [
        ("Save as", "a better match was found")
    ]


def test_the_log_says_by_which_label_a_field_was_found() -> None:
    field_ = thing(1, "textbox", "you@example.org", others=("Email",))
    bound = read_from_log("type", "Email", field_, thing(2, "button", "Send"))
    assert clue_named(bound, "name").seen == "Email"


def test_the_log_says_that_the_kind_decided() -> None:
    bound = read_from_log(
        "click", "the Orders link", thing(1, "button", "Orders"), thing(2, "link", "Orders")
    )
    assert clue_named(bound, "kind") == Clue("kind", "link", "link")
    assert [clue.seen for clue in bound.dropped[0].clues if clue.name == "kind"] == ["button"]


def sections() -> tuple[Element, ...]:
    return (
        thing(1, "region", "Billing", rect=(0, 0, 400, 100)),
        thing(2, "button", "Save", rect=(10, 10, 80, 30), parent=0),
        thing(3, "region", "Shipping", rect=(0, 200, 400, 100)),
        thing(4, "button", "Save", rect=(10, 210, 80, 30), parent=2),
    )


def test_the_log_says_where_it_was_said_to_be_and_where_it_was() -> None:
    bound = read_from_log("click", "Save in the Shipping section", *sections())
    assert clue_named(bound, "relation").seen == "in Shipping"
    lost = bound.dropped[0]
    assert lost.dropped == "it is not where it was said to be"
    assert [clue.seen for clue in lost.clues if clue.name == "relation"] == ["in Billing"]


def baskets() -> tuple[Element, ...]:
    """Two entries of a list, each with a text and a button; an entry's name has all of it."""
    names = ("Morning basket", "Evening basket")
    rows = [
        (
            thing(5 * row + 1, "listitem", f"{name} Add", rect=(0, 50 * row, 400, 40), parent=0),
            thing(5 * row + 2, "text", name, rect=(10, 50 * row, 100, 30), parent=3 * row + 1),
            thing(5 * row + 3, "button", "Add", rect=(130, 50 * row, 60, 30), parent=3 * row + 1),
        )
        for row, name in enumerate(names)
    ]
    return (thing(99, "list", "", rect=(0, 0, 400, 100)), *rows[0], *rows[1])


def test_the_log_says_what_each_candidate_stands_by_and_how_far() -> None:
    bound = read_from_log("click", "Add next to Evening basket", *baskets())
    (lost,) = [clue.seen for clue in bound.dropped[0].clues if clue.name == "relation"]
    assert clue_named(bound, "relation").seen == "in the item of 'Evening basket', 20 px from it"
    assert lost == "in the item of 'Morning basket', 20 px from it"


def test_an_option_does_not_repeat_the_name_of_the_thing_and_means_it() -> None:
    asked = bind("click", "Add", *baskets())
    assert isinstance(asked, NotBound)
    said = [option.text for option in asked.failure.options]
    assert said == ["Add in the item of Morning basket", "Add in the item of Evening basket"]
    for option in asked.failure.options:
        meant = bind("click", option.text, *baskets())
        assert isinstance(meant, Bound)
        assert [each.direct_target for each in meant.success.bindings] == [option.target]


def test_the_log_says_what_remained_when_it_asked() -> None:
    bound = read_from_log("click", "Save", *sections())
    assert bound.outcome == "AMBIGUOUS_TARGET"
    assert [each.id for each in bound.chosen] == ["d1.2", "d1.4"]


def test_the_log_says_which_of_a_row_was_counted() -> None:
    row = [thing(number, "button", "Edit") for number in (1, 2, 3)]
    bound = read_from_log("click", "the second Edit button", *row)
    assert ([each.id for each in bound.chosen], clue_named(bound, "ordinal").said) == (
        ["d1.2"],
        "number 2",
    )
    assert bound.dropped[0].dropped == "not number 2"


def test_the_log_says_which_colour_decided() -> None:
    red = thing(1, "button", "Stop", colours=("red",))
    green = thing(2, "button", "Stop", colours=("green",))
    bound = read_from_log("click", "the green Stop button", red, green)
    assert clue_named(bound, "colour") == Clue("colour", "green", "green")


def test_the_log_says_which_state_decided() -> None:
    on = thing(1, "checkbox", "Mail", affords=Affords.CHECK.value, states=("checked",))
    bound = read_from_log("uncheck", "the checked Mail box", on, thing(2, "button", "Help"))
    assert clue_named(bound, "state").seen == "checked"


def test_clues_that_were_weighed_say_how_much() -> None:
    sight = Sight(page_of((thing(1, "button", "Send order"), thing(2, "button", "Help"))))
    found = Weighing(sight, page_lexicon().needs["click"], "click").verdict("the Send order button")
    assert isinstance(found, Act)
    best, *others = found.phase("direct").candidates
    weighed = {clue.name: clue for clue in best.clues}
    assert (weighed["found"].said, weighed["found"].seen) == ("Send order", "Send order")
    assert (weighed["found"].weight or 0) > 0
    assert all(each.dropped == "others are more probable" for each in others)


def test_the_log_says_what_had_the_name_and_could_not_be_used() -> None:
    bound = read_from_log("type", "Orders", thing(1, "button", "Orders"))
    assert bound.chosen == ()
    assert [(each.name, each.dropped) for each in bound.dropped] == [
        ("Orders", "the verb cannot be done with it")
    ]


def test_every_binding_names_its_clues() -> None:
    cases = [
        ("click", "Save in the Shipping section", sections()),
        ("click", "the first Save", sections()),
        ("type", "the field", (thing(1, "textbox", "Name"),)),
    ]
    for verb, words, elements in cases:
        bound = read_from_log(verb, words, *elements)
        assert all(each.clues for each in bound.chosen), words


def behest(*words: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "run.py", *map(str, words)], capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def manor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """Give a daemon in which two commands were run: one that bound a thing, one that did not."""
    with manor_with_two_commands(tmp_path_factory.mktemp("manor")) as daemon:
        yield daemon


@contextmanager
def manor_with_two_commands(folder: Path) -> Iterator[Daemon]:
    with running_daemon(folder, arguments=("--world", "manor")) as daemon:
        wire = daemon.connect()
        wire.run("first", text="take the note")
        wire.run("second", text="take the unicorn")
        yield daemon


def test_explain_tells_of_a_command_by_its_id_and_else_of_the_last_one(manor: Daemon) -> None:
    explained = behest("explain", "first", "--socket", manor.socket)
    assert explained.returncode == 0
    assert "first: take the note" in explained.stdout
    assert "note to self" in explained.stdout
    last = behest("explain", "--socket", manor.socket)
    assert "second: take the unicorn" in last.stdout
    assert "TARGET_NOT_FOUND" in last.stdout


def test_explain_gives_the_same_as_data(manor: Daemon) -> None:
    data = json.loads(behest("explain", "first", "--json", "--socket", manor.socket).stdout)
    assert data["command"] == "first"
    assert data["bindings"][0]["chosen"][0]["name"] == "note to self"


def test_explain_says_where_else_to_look_for_a_command_it_does_not_find(manor: Daemon) -> None:
    unknown = behest("explain", "nobody", "--socket", manor.socket)
    assert (unknown.returncode, "--log" in unknown.stderr) == (1, True)


def test_explain_reads_a_log_that_was_kept_without_a_daemon(tmp_path: Path) -> None:
    with manor_with_two_commands(tmp_path) as daemon:
        pass
    log = tmp_path / "kept.log"
    log.write_bytes(b"no JSON\n" + b"\n".join(map(msgspec.json.encode, daemon.log())))
    assert "first: take the note" in behest("explain", "first", "--log", log).stdout
    assert behest("explain", "--log", tmp_path / "none").returncode == 2


# What a kill leaves


def line_of(event: str, second: int, **fields: object) -> bytes:
    at = f"2026-11-19T10:00:{second:02}Z"
    return msgspec.json.encode({"event": event, "ts": at, "command_id": "c", **fields})


MUTED = PlannedAction("g0_mute_1", "g0", "audio_control", "mute", {}, "actuate", "mute", "muted")
ACCEPTED = datetime(2026, 11, 19, 10, tzinfo=UTC).timestamp()


def kept_after_a_kill() -> Kept:
    """Give what is left of a command that was killed after a second and ended ten later."""
    results = (
        GoalResult("g0", "in_doubt", Code.CRASHED, "it was under way", action="g0_mute_1"),
        GoalResult(
            "g1", "failed", Code.TARGET_NOT_FOUND, "no.txt is not there", action="g1_read_1"
        ),
    )
    return Kept(
        wire.Submit("c", text="mute and read no.txt"),
        ACCEPTED,
        ACCEPTED + 11,
        wire.Finished("c", "in_doubt", results, Code.CRASHED),
        (Intent(MUTED, {}, {}), Resumed()),
        (
            line_of("command.accepted", 0, text="mute and read no.txt"),
            line_of("action.started", 1, goal_id="g1", action_id="g1_read_1", tool="files.read"),
        ),
    )


def test_what_was_about_to_happen_at_a_kill_is_told_beside_what_was_recorded() -> None:
    told = explained(kept_after_a_kill(), str)
    assert [(each.action, each.status) for each in told.actions] == [
        ("g1_read_1", "failed"),
        ("g0_mute_1", "in_doubt"),
    ]


def test_the_time_in_which_no_daemon_ran_was_spent_waiting() -> None:
    told = explained(kept_after_a_kill(), str)
    assert {each.stage: each.ms for each in told.times} == {"writing": 1000.0, "waiting": 10_000.0}


# Logs that others have written in


@pytest.mark.parametrize(
    "line",
    [
        b'{"event":"command.accepted","command_id":"c","x":' + b"[" * 200_000,
        b'{"event":"command.accepted","command_id":"\xff"}',
        b'{"event":"command.accepted","command_id":"c","ts":"2026-11-19T10:00:00"}',
        b"\x00" * 100,
    ],
    ids=("nested", "no text", "no zone", "zeros"),
)
def test_lines_of_a_log_that_are_none_of_ours_are_passed_over(line: bytes) -> None:
    ours = line_of("command.accepted", 0, text="read it")
    told = explanation(records_in([line, ours]), "c")
    assert told is not None
    assert (told.text, told.accepted) == ("read it", ACCEPTED)


def test_time_until_a_daemon_went_on_is_waiting_by_the_log_too() -> None:
    lines = [
        line_of("command.accepted", 0, text="x"),
        line_of("command.recovered", 9),
        line_of("action.started", 10, goal_id="g0", action_id="g0_x_1"),
    ]
    told = explanation(records_in(lines), "c")
    assert told is not None
    assert {each.stage: each.ms for each in told.times} == {"waiting": 9_000.0, "writing": 1000.0}
