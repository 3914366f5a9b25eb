"""Recipes: chores that name their result, done in stages on a small application with a memory."""

import os
import threading
from collections.abc import Iterator
from html import escape
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from actors.language.chores import fields_and_values, read_sign_in, readings_of_new, ways_to_call
from tests.daemon import Daemon, Event, launched, running_daemon
from tests.web import Served

SEEDED = {
    1: {"name": "Alba", "skipper": "Ines Roth", "length": "9", "state": "Moored"},
    2: {"name": "Borealis", "skipper": "Tom Vega", "length": "12", "state": "At sea"},
    3: {"name": "Twin", "skipper": "Mia Sand", "length": "7", "state": "Moored"},
    4: {"name": "Twin", "skipper": "Ola Berg", "length": "8", "state": "Moored"},
}
STATES = ("Moored", "At sea", "Sold")
HEAD = (
    "<!doctype html><title>{0} - Harbour</title><nav><a href='/boats'>Boats</a></nav><h1>{0}</h1>"
)
# What leads to the boats is not in the page before its menu is opened; another fold leads nowhere.
MENUS = """<!doctype html><title>Harbour</title><h1>Welcome</h1>
<button aria-expanded="false" onclick="turn(this, '<p>Ring us.</p>')">Contact</button>
<button aria-expanded="false" onclick="turn(this, '<a href=/boats>Boats</a>')">More</button>
<script>function turn(button, inside) {
const open = button.getAttribute("aria-expanded") === "true";
button.setAttribute("aria-expanded", String(!open));
if (open) button.nextElementSibling.remove(); else button.insertAdjacentHTML("afterend",
"<div>" + inside + "</div>"); }</script>"""
PUBLISH = "<form method=post action=/publish><button>Publish</button></form>"
# All in one page: what is clicked in the list opens nothing, and what can be deleted is another.
CARDS = """<!doctype html><title>Dock</title><h1>Dock</h1><ul><li><a href="#">Alba</a>
<li><a href="#">Borealis</a></ul><article><h2>Quay 7</h2><form method=post action=/scrap>
<label>Name <input name=name value="Quay 7"></label><button>Save</button></form>
<form method=post action=/scrap><button>Delete</button><button>Archive</button></form></article>"""
# A list that is too long to be shown: it has a search of its own.
FLEET = """<!doctype html><title>Boats</title><h1>Boats</h1><form>
<label>Search <input type="search" name="q"></label></form><ul>{}</ul>"""
SIGN_IN = """<form method="post" action="/in"><label>Username <input name="user"></label>
<label>Password <input type="password" name="password"></label><button>Sign in</button></form>"""


class Harbour(Served):
    """An application with a list, a form for each boat, and a page that asks before it deletes."""

    def __init__(self) -> None:
        super().__init__(Office)
        self.boats: dict[int, dict[str, str]] = {}
        self.signed_in: tuple[str, str] | None = None
        self.published = self.scrapped = 0
        self.shown: dict[str, threading.Event] = {}
        self.put_back()

    def put_back(self) -> None:
        self.boats = {number: dict(boat) for number, boat in SEEDED.items()}


class Office(BaseHTTPRequestHandler):
    server: Harbour

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path in self.server.shown:
            self.server.shown[path].set()
        if path == "/boats":
            self.show("Boats", "<a href='/boats/new'>New boat</a>" + self.table() + PUBLISH)
        elif path == "/cards":
            self.answer(CARDS)
        elif path == "/boats/new":
            self.show("New boat", form("/boats/new", {}))
        elif path.endswith("/delete"):
            self.show("Delete?", f"<form method=post action='{path}'><button>Yes</button></form>")
        elif path.startswith("/boats/"):
            boat = self.server.boats[int(path.rpartition("/")[2])]
            self.show(
                f"Boat {boat['name']}", form(path, boat) + f"<a href='{path}/delete'>Delete</a>"
            )
        elif path == "/":
            self.show("Welcome", SIGN_IN)
        elif path == "/menus":
            self.answer(MENUS)
        elif path == "/fleet":
            self.answer(FLEET.format(self.found(parse_qs(urlsplit(self.path).query))))
        else:
            self.send_error(404)

    def table(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(boat['name'])}</td><td>{escape(boat['skipper'])}</td>"
            f"<td>{escape(boat['length'])}</td><td>{escape(boat['state'])}</td>"
            f"<td><a href='/boats/{number}'>Edit</a></td></tr>"
            for number, boat in self.server.boats.items()
        )
        return f"<table><tr><th>Name<th>Skipper<th>Length<th>State<th></tr>{rows}</table>"

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        sent = {name: some[0] for name, some in parse_qs(self.rfile.read(size).decode()).items()}
        boats, path = self.server.boats, self.path
        if path == "/publish":
            self.server.published += 1
        elif path == "/scrap":
            self.server.scrapped += 1
        elif path == "/in":
            self.server.signed_in = sent["user"], sent["password"]
        elif path == "/boats/new":
            if not sent.get("length", "").isdecimal():
                self.show("New boat", "<p role=alert>Length?</p>" + form(path, sent))
                return
            boats[max(boats) + 1] = sent
        elif path.endswith("/delete"):
            del boats[int(path.split("/")[2])]
        elif path.endswith(("/log", "/archive")):
            boats[int(path.split("/")[2])] |= sent or {"archived": "yes"}
        else:
            boats[int(path.rpartition("/")[2])] = sent
        self.send_response(303)
        self.send_header("Location", "/boats")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def found(self, query: dict[str, list[str]]) -> str:
        """Give the boats that a search finds; without one, none of them."""
        wanted = query.get("q", ["?"])[0].casefold()
        rows = (
            f"<li>{escape(boat['name'])} <a href='/boats/{number}'>Edit</a></li>"
            for number, boat in self.server.boats.items()
            if wanted in boat["name"].casefold()
        )
        return "".join(rows)

    def show(self, title: str, body: str) -> None:
        self.answer(HEAD.format(escape(title)) + body)

    def answer(self, text: str) -> None:
        page = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_args: object) -> None:
        """Say nothing: tests have their own output."""


def form(action: str, boat: dict[str, str]) -> str:
    """Write the form for a boat."""
    fields = "".join(
        f"<p><label>{name.title()} "
        f"<input name='{name}' value='{escape(boat.get(name, ''))}'></label>"
        for name in ("name", "skipper", "length")
    )
    options = "".join(
        f"<option{' selected' if each == boat.get('state') else ''}>{each}</option>"
        for each in STATES
    )
    chosen = f"<p><label>State <select name='state'>{options}</select></label>"
    boxes = f"<form method='post' action='{action}'>{fields}{chosen}<button>Save</button></form>"
    others = (
        f"<form method='post' action='{action}/log'><label>Comment <textarea name='log'></textarea>"
        f"</label><button>Add comment</button></form>"
        f"<form method='post' action='{action}/archive'><button>Archive</button></form>"
    )
    return boxes + (others if boat else "")


@pytest.fixture(scope="module")
def harbour() -> Iterator[Harbour]:
    with Harbour() as running:
        yield running


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    settings = '[approval]\nask = ["delete"]\nby = "anyone"\n'
    with running_daemon(tmp_path_factory.mktemp("recipes"), settings=settings) as running:
        yield running


def say(daemon: Daemon, harbour: Harbour, start: str, text: str, *, allow: bool = True) -> Event:
    """Say something on a page, and rule on what it asks for; give its end, or its question."""
    wire = daemon.connect(60.0)
    session, command = os.urandom(6).hex(), os.urandom(6).hex()
    goal = {"domain": "browser", "verb": "navigate", "params": {"url": harbour.url(start)}}
    wire.run(f"go-{command}", session=session, goals=[goal])
    wire.submit(command, text=text, session=session)
    while True:
        event = wire.read()
        if event["type"] == "approval_needed":
            ruling = {"type": "approve", "approval": event["approval"], "allow": allow}
            wire.send({"id": "ruling", **ruling})
        if event["type"] in {"finished", "question"}:
            return event


def changes(harbour: Harbour) -> dict[int, dict[str, Any] | None]:
    """Give what is not as it was seeded, and put it back."""
    now, then = harbour.boats, SEEDED
    found = {
        number: now.get(number) for number in {*now, *then} if now.get(number) != then.get(number)
    }
    harbour.put_back()
    return found


@pytest.mark.parametrize(
    ("start", "text", "expected"),
    [
        ("/boats", "change the skipper of Alba to Raj Patel", {1: {"skipper": "Raj Patel"}}),
        ("/", "set the length of the boat Borealis to 14", {2: {"length": "14"}}),
        ("/boats", "rename the boat Borealis to Aurora", {2: {"name": "Aurora"}}),
        ("/boats", "mark the boat Alba as Sold", {1: {"state": "Sold"}}),
        ("/boats/2", "archive this boat", {2: {"archived": "yes"}}),
        ("/boats", "archive the boat Alba", {1: {"archived": "yes"}}),
        (
            "/boats/2",
            "add a comment to this boat: at 10:30, ring of rust",
            {2: {"log": "at 10:30, ring of rust"}},
        ),
    ],
)
def test_a_value_of_a_thing_is_changed_where_its_form_is_and_saved(
    daemon: Daemon,
    harbour: Harbour,
    start: str,
    text: str,
    expected: dict[int, dict[str, str]],
) -> None:
    finished = say(daemon, harbour, start, text)
    assert finished["status"] == "success", finished["message"]
    assert changes(harbour) == {
        number: {**SEEDED[number], **values} for number, values in expected.items()
    }


@pytest.mark.parametrize("start", ["/boats", "/boats/new"])
def test_a_new_thing_is_added_with_its_values(daemon: Daemon, harbour: Harbour, start: str) -> None:
    text = "add a boat called Cormorant, skipper Lena Ott, length 15, state At sea"
    finished = say(daemon, harbour, start, text)
    assert finished["status"] == "success", finished["message"]
    made = {"name": "Cormorant", "skipper": "Lena Ott", "length": "15", "state": "At sea"}
    assert changes(harbour) == {5: made}


def test_what_the_form_has_no_field_for_is_refused_before_anything_is_typed(
    daemon: Daemon, harbour: Harbour
) -> None:
    finished = say(daemon, harbour, "/boats", "add a boat called Cormorant, colour Blue")
    assert finished["status"] == "failed"
    assert "colour Blue" in finished["message"]
    assert changes(harbour) == {}


def test_a_form_that_is_still_open_is_no_success(daemon: Daemon, harbour: Harbour) -> None:
    finished = say(daemon, harbour, "/boats", "add a boat called Cormorant, length unknown")
    assert (finished["status"], finished["code"]) == ("failed", "EFFECT_MISSING")
    assert changes(harbour) == {}


def test_what_is_removed_is_asked_about_and_confirmed(daemon: Daemon, harbour: Harbour) -> None:
    refused = say(daemon, harbour, "/boats", "delete the boat Alba", allow=False)
    assert refused["code"] == "NOT_APPROVED"
    assert changes(harbour) == {}
    finished = say(daemon, harbour, "/boats", "remove the boat Alba")
    assert finished["status"] == "success", finished["message"]
    assert changes(harbour) == {1: None}


@pytest.mark.parametrize(
    "text",
    [
        "change the skipper of Twin to Raj Patel",
        "change the skipper of Hydra to Raj Patel",
        "remove the boat Hydra",
        "mark the boat Alba as Stolen",
    ],
)
def test_what_is_not_there_or_there_twice_is_not_touched(
    daemon: Daemon, harbour: Harbour, text: str
) -> None:
    ended = say(daemon, harbour, "/boats", text)
    assert ended["type"] == "question" or ended["status"] == "failed"
    assert changes(harbour) == {}


def test_somebody_signs_in_and_the_password_is_nowhere_else(
    daemon: Daemon, harbour: Harbour
) -> None:
    finished = say(daemon, harbour, "/", "sign me in as ada with the password engine1843")
    assert finished["status"] == "success", finished["message"]
    assert harbour.signed_in == ("ada", "engine1843")
    assert "engine1843" not in str(daemon.log())
    journal = daemon.socket.parent / "state"
    kept = b"".join(path.read_bytes() for path in journal.rglob("*") if path.is_file())
    assert b"engine1843" not in kept


def test_another_thing_is_not_the_one_that_is_shown(daemon: Daemon, harbour: Harbour) -> None:
    for text in ("remove the item Lamp", "rename the Italian boat to Aurora", "delete Thistle"):
        ended = say(daemon, harbour, "/boats/1", text)
        assert ended["type"] == "question" or ended["status"] == "failed", text
        assert changes(harbour) == {}


def test_what_is_cancelled_while_it_waits_for_approval_ends_at_once(
    daemon: Daemon, harbour: Harbour
) -> None:
    wire = daemon.connect(60.0)
    goal = {"domain": "browser", "verb": "navigate", "params": {"url": harbour.url("/boats")}}
    wire.run("cancel-go", session="cancel", goals=[goal])
    wire.submit("cancel-it", text="remove the boat Alba", session="cancel")
    wire.read_until(type="approval_needed")
    wire.send({"type": "cancel", "id": "stop", "command": "cancel-it"})
    ended = wire.read_until(type="finished", command="cancel-it")[-1]
    assert ended["status"] == "cancelled"
    assert changes(harbour) == {}


def test_what_was_begun_when_the_daemon_was_killed_is_not_begun_anew(
    tmp_path: Path, harbour: Harbour
) -> None:
    seen = harbour.shown["/boats/2"] = threading.Event()
    first = launched(tmp_path)
    wire = first.connect(60.0)
    goal = {"domain": "browser", "verb": "navigate", "params": {"url": harbour.url("/boats")}}
    wire.run("go", session="s", goals=[goal])
    wire.submit("kept", text="change the skipper of Borealis to Raj Patel", session="s")
    assert seen.wait(20.0)
    first.process.kill()
    first.stop()
    seen.clear()
    second = launched(tmp_path)
    try:
        wire = second.connect(60.0)
        state = wire.ask(type="status", id="s", command="kept")
        if state["status"] in {"queued", "running"}:  # it is still being recovered
            second.wait_for("command.finished", command_id="kept")
            state = wire.ask(type="status", id="s2", command="kept")
        assert state["status"] in {"in_doubt", "failed", "success"}
        assert not seen.is_set()
    finally:
        second.stop()
    del harbour.shown["/boats/2"]
    assert changes(harbour) in ({}, {2: {**SEEDED[2], "skipper": "Raj Patel"}})


def test_chores_are_read_into_what_a_page_may_call_them() -> None:
    assert ways_to_call("the boat Alba") == ("Alba", "boat Alba")
    assert ways_to_call("order 4") == ("order 4", "#4", "4")
    (new,) = readings_of_new("event page Moss walk on 2031-05-05")
    assert (new.kind, new.name, new.values) == ("event page", "Moss walk", ("on 2031-05-05",))
    assert ("priority", "minor") in list(fields_and_values("of minor priority"))
    assert ("note", "ring of fire at sea") in list(fields_and_values("note ring of fire at sea"))
    assert ("start", "10:30") in list(fields_and_values("start: 10:30"))
    assert read_sign_in("log in as ada with my password x1") == {"user": "ada", "password": "x1"}
    assert read_sign_in("log the boat in") is None
    secret = read_sign_in("sign me in as ada with the password a,b !c!")
    assert secret == {"user": "ada", "password": "a,b !c!"}


def test_what_is_behind_a_menu_is_looked_for_and_found(daemon: Daemon, harbour: Harbour) -> None:
    finished = say(daemon, harbour, "/menus", "change the skipper of the boat Alba to Raj Patel")
    assert finished["status"] == "success", finished["message"]
    assert changes(harbour) == {1: {**SEEDED[1], "skipper": "Raj Patel"}}


def test_a_menu_that_shows_nothing_of_use_is_closed_again(daemon: Daemon, harbour: Harbour) -> None:
    wire = daemon.connect(60.0)
    wire.run("menus-go", session="menus", text=f"go to {harbour.url('/menus')}")
    refused = wire.run("menus-do", session="menus", text="rename the car Zebra to Yak")[-1]
    assert refused["status"] == "failed"
    for name in ("Contact", "More"):
        done = wire.run(f"menus-{name}", session="menus", text=f"expand {name}")[-1]
        assert done["status"] == "success", done["message"]
        assert not (done["results"][0]["output"] or {}).get("already"), name


def test_a_thing_is_searched_for_in_its_list(daemon: Daemon, harbour: Harbour) -> None:
    finished = say(daemon, harbour, "/fleet", "set the length of the boat Borealis to 14")
    assert finished["status"] == "success", finished["message"]
    assert changes(harbour) == {2: {**SEEDED[2], "length": "14"}}


def test_no_search_engine_is_used_for_a_thing_that_is_not_there(
    daemon: Daemon, harbour: Harbour
) -> None:
    finished = say(daemon, harbour, "/boats", "set the length of the boat Zebra to 14")
    assert finished["status"] == "failed"
    assert finished["code"] == "TARGET_NOT_FOUND"
    assert changes(harbour) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("find the boat Alba and change its skipper to Raj Patel", {1: {"skipper": "Raj Patel"}}),
        ("give the boat Borealis the length 14", {2: {"length": "14"}}),
        ("change the skipper of Alba to Raj Patel and save it", {1: {"skipper": "Raj Patel"}}),
    ],
)
def test_what_was_found_is_meant_by_the_next_clause(
    daemon: Daemon, harbour: Harbour, text: str, expected: dict[int, dict[str, str]]
) -> None:
    finished = say(daemon, harbour, "/boats", text)
    assert finished["status"] == "success", finished["message"]
    assert changes(harbour) == {
        number: {**SEEDED[number], **values} for number, values in expected.items()
    }


@pytest.mark.parametrize(
    "text", ["delete Alba", "archive Alba", "rename the boat Alba to Zebra", "mark Alba as Sold"]
)
def test_what_is_shown_beside_a_thing_that_did_not_open_is_not_touched(
    daemon: Daemon, harbour: Harbour, text: str
) -> None:
    finished = say(daemon, harbour, "/cards", text)
    assert finished["status"] == "failed", finished
    assert harbour.scrapped == 0


def test_what_is_to_be_done_at_last_is_done_at_last(daemon: Daemon, harbour: Harbour) -> None:
    text = "rename the boat Borealis to Aurora and publish it"
    finished = say(daemon, harbour, "/boats", text)
    assert finished["status"] == "success", finished["message"]
    assert changes(harbour) == {2: {**SEEDED[2], "name": "Aurora"}}
    assert harbour.published == 1


def test_what_cannot_be_done_at_last_is_not_claimed(daemon: Daemon, harbour: Harbour) -> None:
    finished = say(daemon, harbour, "/boats", "rename the boat Borealis to Aurora and deploy it")
    assert finished["status"] != "success"
    assert "deploy" in finished["message"]
    assert changes(harbour) == {2: {**SEEDED[2], "name": "Aurora"}}
