"""What a page has nothing for is meant for the machine; several chores are several goals."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon import Daemon, Event, running_daemon
from tests.web import Web
from tools.browser.finding import is_found
from tools.settings import BrowserSettings

pytestmark = pytest.mark.skipif(not is_found(BrowserSettings()), reason="needs a browser")

LEDGER = """<!doctype html><title>Ledger</title><h1>Ledger</h1>
<label>Search <input type=search id=q oninput="filter()"></label>
<table><thead><tr><th>Entry<th>State<th></tr></thead><tbody id=rows>
<tr><td>Oak<td>open<td><button onclick="drop(this)">Delete</button>
<button onclick="said.textContent = 'closed Oak'">Mark closed</button></tr>
<tr><td>Elm<td>open<td><button onclick="drop(this)">Delete</button>
<button onclick="said.textContent = 'closed Elm'">Mark as closed</button></tr></tbody></table>
<button onclick="document.getElementById('form').hidden = false">New entry</button>
<form id=form hidden onsubmit="add(event)"><label>Name <input id=name></label>
<label>Phone <input id=phone></label><button>Create</button></form>
<button onclick="if (confirm('Close the books?')) said.textContent = 'closed'">Close the books
</button>
<button onclick="said.textContent = 'bin emptied'">Empty the bin</button><p id=said role=status></p>
<script>
const said = document.getElementById("said"), rows = document.getElementById("rows");
function filter() {
  const query = document.getElementById("q").value.toLowerCase();
  for (const row of rows.rows) row.hidden = !row.cells[0].textContent.toLowerCase().includes(query);
}
function drop(button) { said.textContent = "deleted"; button.closest("tr").remove(); }
function add(event) {
  event.preventDefault();
  said.textContent = `made ${document.getElementById("name").value}`;
}
</script>"""


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running_daemon(tmp_path_factory.mktemp("both")) as running:
        yield running


def on_ledger(daemon: Daemon, *texts: str) -> list[list[Event]]:
    """Say something with the ledger before a session of its own."""
    with Web({"/": LEDGER}) as web:
        wire, session = daemon.connect(60.0), texts[0]
        wire.run(f"{session}-open", text=f"go to {web.url()}", session=session)
        return [
            wire.run(f"{session}-{number}", text=text, session=session)
            for number, text in enumerate(texts)
        ]


def understood(events: list[Event]) -> list[list[str]]:
    """Give the verbs of every time that the words were understood."""
    return [
        [f"{goal['domain']}.{goal['verb']}" for goal in event["meta"]["goals"]]
        for event in events
        if event["type"] == "interpreted"
    ]


def test_what_the_page_has_is_the_pages(daemon: Daemon) -> None:
    emptied, said = on_ledger(daemon, "empty the bin", "read the status")
    assert understood(emptied) == [["browser.use"]]
    assert said[-1]["results"][0]["output"] == "bin emptied"


def test_what_the_page_has_not_is_looked_up_on_the_machine(daemon: Daemon) -> None:
    (events,) = on_ledger(daemon, "list the trash")
    assert understood(events) == [["browser.use"], ["file.list_trash"]]
    assert [each["goal"] for each in events[-1]["results"]] == ["g0"]


def test_what_changes_the_machine_then_is_shown_to_a_person_first(tmp_path: Path) -> None:
    with running_daemon(tmp_path, settings='[approval]\nask = ["delete"]\n') as asking:
        doomed = asking.root / "doomed.txt"
        doomed.write_text("x")
        with Web({"/": LEDGER}) as web:
            wire = asking.connect(60.0)
            wire.run("open", text=f"go to {web.url()}")
            deleting = {"object_type": "file", "name": "doomed.txt"}
            wire.submit("thrown", goals=[{"domain": "file", "verb": "delete", "params": deleting}])
            approval = wire.read_until(type="approval_needed")[-1]["approval"]
            wire.send({"type": "approve", "id": "y", "approval": approval, "allow": True})
            wire.read_until(type="finished", command="thrown")
            wire.submit("empty", text="empty the trash")
            events = wire.read_until(type="approval_needed", command="empty")
            assert understood(events) == [["browser.use"], ["file.empty_trash"]]
            denied = {"approval": events[-1]["approval"], "allow": False}
            wire.send({"type": "approve", "id": "n", **denied})
            assert wire.read_until(type="finished")[-1]["status"] == "failed"


@pytest.mark.parametrize(
    "text", ["empty the trash", "remove the last entry", "pause", "add milk to the list"]
)
def test_nothing_is_changed_unasked_that_was_said_with_a_page_in_view(
    daemon: Daemon, text: str
) -> None:
    kept = daemon.root / "last.txt"
    kept.write_text("x")
    with Web({"/": "<h1>Nothing here</h1>"}) as web:
        wire = daemon.connect(60.0)
        wire.run(f"{text}-open", text=f"go to {web.url()}", session=text)
        events = wire.run(f"{text}-said", text=text, session=text)
    assert events[-1]["status"] == "failed"
    assert understood(events) == [["browser.use"]]
    assert kept.exists()


def test_it_is_explained_which_reading_was_dropped_and_why(daemon: Daemon) -> None:
    on_ledger(daemon, "please list the trash")
    reply = daemon.connect().ask(type="explain", id="why", command="please list the trash-0")
    told = reply["explanation"]
    assert [goal["does"] for goal in told["understood"]] == ["file.list_trash"]
    (dropped,) = told["dropped_readings"]
    assert dropped["goals"] == ["browser.use"]
    assert "on the page" in dropped["why"]


def test_the_refusal_of_the_page_stands_where_the_words_mean_nothing_else(daemon: Daemon) -> None:
    (events,) = on_ledger(daemon, "frobnicate the wobble")
    assert understood(events) == [["browser.use"]]
    assert events[-1]["code"] == "TARGET_NOT_FOUND"
    assert "on the page" in events[-1]["message"]


def test_the_refusal_of_the_page_stands_where_nothing_else_can_be_begun(daemon: Daemon) -> None:
    (events,) = on_ledger(daemon, "switch to the year view")
    assert events[-1]["code"] == "TARGET_NOT_FOUND"
    assert "on the page" in events[-1]["message"]
    assert [each["code"] for each in events[-1]["results"]] == ["TARGET_NOT_FOUND"]


def test_nothing_goes_to_the_machine_once_something_was_done(daemon: Daemon) -> None:
    (events,) = on_ledger(daemon, "click New entry and empty the trash")
    assert all("file.empty_trash" not in verbs for verbs in understood(events))


def test_and_create_is_a_deed_and_no_part_of_the_value(daemon: Daemon) -> None:
    events, said = on_ledger(
        daemon, "click New entry, then set the name to Ash and create", "read the status"
    )
    assert events[-1]["status"] == "success"
    assert said[-1]["results"][0]["output"] == "made Ash"


def test_two_chores_in_one_sentence_are_both_done(daemon: Daemon) -> None:
    (events,) = on_ledger(daemon, "delete the entry Oak and delete the entry Elm")
    assert [each["status"] for each in events[-1]["results"]] == ["success", "success"]


def test_a_search_for_what_is_not_there_is_not_left_on_the_page(daemon: Daemon) -> None:
    events, rows = on_ledger(daemon, "delete the entry Yew", "read the table")
    assert events[-1]["code"] == "TARGET_NOT_FOUND"
    assert [row["Entry"] for row in rows[-1]["results"][0]["output"]] == ["Oak", "Elm"]


def test_a_deed_that_the_page_asks_about_is_not_said_to_be_done(daemon: Daemon) -> None:
    asked, accepted, said = on_ledger(
        daemon, "close the books", "accept the dialog", "read the status"
    )
    assert asked[-1]["status"] != "success"
    assert asked[-1]["code"] == "DIALOG_OPEN"
    assert "'Close the books?'" in asked[-1]["message"]
    assert accepted[-1]["status"] == "success"
    assert said[-1]["results"][0]["output"] == "closed"


@pytest.mark.parametrize("thing", ["Oak", "the entry Elm"])
def test_a_state_is_given_by_a_button_in_the_row(daemon: Daemon, thing: str) -> None:
    marked, said = on_ledger(daemon, f"mark {thing} as closed", "read the status")
    assert marked[-1]["status"] == "success"
    assert said[-1]["results"][0]["output"] == f"closed {thing.rsplit(maxsplit=1)[-1]}"
