"""Questions, approvals and vetoes in the log, and answers to a page's question as commands."""

from collections.abc import Iterator
from itertools import count

import pytest

from actors.vault import WITHHELD
from tests.daemon import Daemon, Event, Wire, running_daemon
from tests.web import Web

SETTINGS = '[browser]\nmode = "headless"\n[approval]\nask = ["delete"]\n'
SECTIONS = "".join(
    f"<section><h2>{name}</h2><button onclick=\"document.title='{name}'\">Save</button>"
    f"<label>Name <input oninput=\"document.title='{name}:'+value\"></label></section>"
    for name in ("First", "Second")
)
KEYS = "".join(
    f"<section><h2>{name}</h2><label>Password <input type=password></label></section>"
    for name in ("First", "Second")
)
NUMBERS = count(1)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    where = tmp_path_factory.mktemp("decisions")
    with running_daemon(where, settings=SETTINGS) as running:
        yield running


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    with Web({"/": f"<title>Start</title>{SECTIONS}", "/keys": KEYS}) as serving:
        yield serving


def asked(wire: Wire, command: str, text: str) -> Event:
    """Send a command, and give the question that it puts."""
    wire.submit(command, text=text, session=command)
    return wire.read_until(type="question")[-1]


# An answer to a page's question


@pytest.mark.parametrize(
    ("text", "answer", "title"),
    [
        ("click Save", "click Save under First", "First"),
        ("click Save", "press the Save button under Second", "Second"),
        ("click Save", "click the second Save", "Second"),
        ("click Save", "Save under First", "First"),
        ("click Save", "the second one", "Second"),
        ('type "hi" into Name', 'type "hi" into Name under Second', "Second:hi"),
    ],
)
def test_a_question_of_a_page_can_be_answered_by_a_command(
    daemon: Daemon, web: Web, text: str, answer: str, title: str
) -> None:
    wire, command = daemon.connect(60.0), f"p{next(NUMBERS)}"
    question = asked(wire, command, f"go to {web.url('/')}, {text} and read the title")
    wire.send({"type": "answer", "id": "a", "question": question["question"], "choice": answer})
    finished = wire.read_until(type="finished", command=command)[-1]
    assert (finished["status"], finished["results"][-1]["output"]) == ("success", title)


@pytest.mark.parametrize(
    "answer",
    [
        "click Delete under First",
        'type "bye" into Name under Second',
        "mute the volume",
        "click Save under First and click Save under Second",
    ],
)
def test_another_command_is_no_answer_and_the_question_is_put_again(
    daemon: Daemon, web: Web, answer: str
) -> None:
    wire, command = daemon.connect(60.0), f"p{next(NUMBERS)}"
    question = asked(wire, command, f'go to {web.url("/")} and type "hi" into Name')
    wire.send({"type": "answer", "id": "a", "question": question["question"], "choice": answer})
    again = wire.read_until(type="question")[-1]
    assert again["question"] == question["question"]
    wire.send({"type": "cancel", "id": "c", "command": command})
    assert wire.read_until(type="finished", command=command)[-1]["status"] == "cancelled"


# Records


def test_a_question_is_a_record_of_its_own_with_the_texts_of_its_options(
    daemon: Daemon, web: Web
) -> None:
    wire, command = daemon.connect(60.0), f"p{next(NUMBERS)}"
    question = asked(wire, command, f"go to {web.url('/')} and click Save")
    record = daemon.wait_for("question.asked", command_id=command)
    assert (record["question"], record["goal_id"]) == (question["question"], "g1")
    assert record["options"] == [option["text"] for option in question["options"]]
    assert (record["message"], record["actor"]) == (question["message"], "orchestrator")


def test_a_resolution_on_a_page_is_recorded_with_its_goal_and_all_phases(
    daemon: Daemon, web: Web
) -> None:
    command = f"p{next(NUMBERS)}"
    text = f"go to {web.url('/')} and click the second Save"
    wire = daemon.connect(60.0)
    assert wire.run(command, text=text, session=command)[-1]["status"] == "success"
    record = daemon.wait_for("target.resolved", command_id=command)
    assert (record["goal_id"], record["action_id"]) == ("g1", "g1_click_1")
    phases = [phase["phase"] for phase in record["phases"]]
    assert phases == ["form", "scope", "match", "select", "disambiguate", "bind"]
    kept, other = record["phases"][2]["candidates"][:2]
    assert ("dropped" in kept, other["dropped"]) == (False, "not number 2")
    assert kept["scope"].startswith("view")


def test_an_approval_that_is_asked_for_is_a_record_of_its_own(daemon: Daemon) -> None:
    (daemon.root / "old.txt").write_text("old")
    wire = daemon.connect()
    wire.submit("a1", text="delete old.txt", session="a1")
    event = wire.read_until(type="approval_needed")[-1]
    record = daemon.wait_for("approval.asked", command_id="a1")
    assert (record["approval"], record["kind"]) == (event["approval"], "delete")
    assert record["targets"] == [each["name"] for each in event["targets"]]
    assert (record["goal_id"], record["action_id"]) == ("g0", event["action"])
    wire.send({"type": "approve", "id": "r", "approval": event["approval"], "allow": False})
    ruled = daemon.wait_for("approval.ruled", command_id="a1")
    assert (ruled["approval"], ruled["allow"]) == (event["approval"], False)


def test_a_veto_is_a_record_of_its_own_with_its_check_and_reason(daemon: Daemon) -> None:
    (daemon.root / ".netrc").write_text("keys")
    wire = daemon.connect()
    goal = {"domain": "file", "verb": "delete", "params": {"name": ".netrc"}}
    finished = wire.run("v1", goals=[goal], session="v1")[-1]
    assert finished["results"][0]["code"] == "NOT_ALLOWED"
    record = daemon.wait_for("capture.vetoed", command_id="v1")
    assert (record["check"], record["code"]) == ("protected_names", "NOT_ALLOWED")
    assert record["reason"] in finished["results"][0]["message"]
    assert (record["goal_id"], record["action_id"]) == ("g0", "g0_delete_1")


def test_a_question_of_a_command_that_speaks_of_a_secret_is_recorded_without_words(
    daemon: Daemon, web: Web
) -> None:
    wire, command = daemon.connect(60.0), f"p{next(NUMBERS)}"
    question = asked(wire, command, f'go to {web.url("/keys")} and type "hush" into Password')
    record = daemon.wait_for("question.asked", command_id=command)
    assert {record["message"], *record["options"]} == {WITHHELD}
    assert len(record["options"]) == len(question["options"])


# Refusals


def lines_of(daemon: Daemon, command: str, event: str) -> list[Event]:
    daemon.wait_for(event, command_id=command)
    return [
        record
        for record in daemon.log()
        if record["event"] == event and record.get("command_id") == command
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [("delete nothing.txt", "TARGET_NOT_FOUND"), ("mute the volume and delete no.txt", None)],
)
def test_what_is_refused_before_it_starts_is_one_record_with_its_goal(
    daemon: Daemon, text: str, code: str | None
) -> None:
    command = f"p{next(NUMBERS)}"
    finished = daemon.connect().run(command, text=text, session=command)[-1]
    (record,) = lines_of(daemon, command, "action.refused")
    refused = finished["results"][-1]
    assert (record["goal_id"], record["code"]) == (refused["goal"], refused["code"])
    assert record["reason"] == refused["message"]
    assert code in {None, record["code"]}


def test_a_ruling_names_the_goal_it_is_about(daemon: Daemon) -> None:
    (daemon.root / "ruled.txt").write_text("old")
    wire, command = daemon.connect(), f"p{next(NUMBERS)}"
    wire.submit(command, text="delete ruled.txt", session=command)
    approval = wire.read_until(type="approval_needed")[-1]["approval"]
    wire.send({"type": "approve", "id": "no", "approval": approval, "allow": False})
    wire.read_until(type="finished")
    (record,) = lines_of(daemon, command, "approval.ruled")
    assert (record["goal_id"], record["action_id"]) == ("g0", "g0_delete_1")
    (refused,) = lines_of(daemon, command, "action.refused")
    assert (refused["goal_id"], refused["code"]) == ("g0", "NOT_APPROVED")


def test_an_undo_that_is_refused_is_one_record(daemon: Daemon) -> None:
    command = f"p{next(NUMBERS)}"
    reply = daemon.connect().ask(type="submit", id=command, text="undo that", session=command)
    assert reply["type"] == "error"
    (record,) = lines_of(daemon, command, "undo.refused")
    assert (record["code"], record["reason"]) == (reply["code"], reply["message"])


def test_an_action_that_started_is_not_said_to_be_refused(daemon: Daemon) -> None:
    wire, command = daemon.connect(), f"p{next(NUMBERS)}"
    (daemon.root / "taken.txt").write_text("other")
    finished = wire.run(command, text='create a file taken.txt with "x"', session=command)[-1]
    assert finished["status"] == "failed"
    assert lines_of(daemon, command, "action.finished")
    assert not [
        each
        for each in daemon.log()
        if each["event"] == "action.refused" and each.get("command_id") == command
    ]
