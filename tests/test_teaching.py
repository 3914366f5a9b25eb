"""Teaching: recipes from what was done, run again with other values on pages that have changed."""

import os
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from actors.language.taught import Expansion, expand
from messages.goals import GoalDraft
from messages.taught import Taught, TaughtStep
from tests.daemon import Daemon, Event, Wire, running_daemon
from tests.web import Served

# One form, drawn in four ways: as it was recorded, and after the page was redesigned.
FIELDS = """<label>Your name <input name="name"></label><label>Street <input name="street"></label>
<label>Basket <select name="basket"><option>Morning<option>Evening</select></label>
<label><input type="checkbox" name="gift"> Gift wrap</label><button>Send order</button>"""
LOOKS = {
    "first": f'<h1>Order</h1><form method="post" action="/order">{FIELDS}</form>',
    "moved": """<nav><a href="/">Home</a><button type="button">Help</button></nav>
<h2>Your order</h2>
<form method="post" action="/order"><fieldset><legend>Options</legend>
<input type="checkbox" id="x1" name="gift"><label for="x1">Gift wrap</label>
<label for="x2">Basket</label><select id="x2" name="basket"><option>Evening<option>Morning</select>
</fieldset><fieldset><legend>Who</legend><div><span id="x3">Street</span>
<textarea aria-labelledby="x3" name="street"></textarea></div><div>
<input placeholder="Your name" name="name"></div></fieldset>
<input type="submit" value="Send order"></form>""",
    "widgets": """<h1>Order</h1>
<form method="post" action="/order" onsubmit="b.value=shown.innerText">
<div>Your name<br><input aria-label="Your name" name="name"></div>
<label>Street<input name="street"></label>
<p id="q">Basket</p><div role="combobox" aria-labelledby="q" aria-haspopup="listbox" tabindex="0"
 id="shown" onclick="list.hidden=!list.hidden">Choose</div>
<ul role="listbox" id="list" hidden><li role="option" onclick="pick(this)">Morning</li>
<li role="option" onclick="pick(this)">Evening</li></ul><input type="hidden" name="basket" id="b">
<label><input type="checkbox" name="gift"> Gift wrap</label>
<a href="#" role="button" onclick="document.forms[0].requestSubmit()">Send order</a></form>
<script>function pick(o){shown.innerText=o.innerText;list.hidden=true}</script>""",
    "renumbered": f"""<p>Spring sale!</p><form><label>Search <input name="q"></label></form>
<h1>Order</h1><table><tr><td><form method="post" action="/order">{FIELDS}</form></td></tr></table>
<label>Newsletter <input name="mail"></label><button>Subscribe</button>""",
    "lost": '<h1>Order</h1><form method="post" action="/order">'
    + FIELDS.replace('<label>Street <input name="street"></label>', "")
    + "</form>",
    "other": f'<h1>Order</h1><form method="post" action="/order">{FIELDS}</form>'.replace(
        "Gift wrap</label>",
        """Gift wrap</label><script>document.querySelector('[name=gift]').onclick = function () {
        if (!document.getElementById('c')) this.parentElement.insertAdjacentHTML('afterend',
        '<label>Card text <input id="c" name="card"></label>') }</script>""",
    ),
    "losung": """<h1>Sign in</h1><form method="post" action="/order">
<label>Losung <input type="password" name="losung"></label><button>Enter</button></form>""",
    "login": """<h1>Sign in</h1><form method="post" action="/order"><label>User <input name="user">
</label><label>Password <input type="password" name="password"></label>
<button>Enter</button></form>""",
}
CHORE = (
    "enter Ada in Your name, enter Mill Lane in Street, choose Evening as Basket, "
    "tick Gift wrap and press Send order"
)


class Shop(Served):
    """Takes orders; its form has one look at a time."""

    def __init__(self) -> None:
        super().__init__(Counter)
        self.look = "first"
        self.orders: list[dict[str, str]] = []
        self.pressed: list[str] = []


class Counter(BaseHTTPRequestHandler):
    server: Shop

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        self.answer(LOOKS[self.server.look] if path == "/order" else "<h1>Shop</h1>")

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        sent = parse_qs(self.rfile.read(size).decode())
        self.server.orders.append({name: some[0] for name, some in sent.items()})
        self.answer("<h1>Thank you</h1>")

    def answer(self, body: str) -> None:
        page = f"<!doctype html><title>Shop</title>{body}".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_args: object) -> None:
        """Say nothing: tests have their own output."""


@pytest.fixture
def shop() -> Iterator[Shop]:
    with Shop() as running:
        yield running


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    with running_daemon(tmp_path) as running:
        yield running


def do(wire: Wire, session: str = "default", **said: object) -> Event:
    """Carry out something; give its end."""
    return wire.run(os.urandom(6).hex(), session=session, **said)[-1]


def succeed(wire: Wire, session: str = "default", **said: object) -> Any:
    """Carry out something that must succeed; give what the last goal gave."""
    finished = do(wire, session, **said)
    assert finished["status"] == "success", finished
    return finished["results"][-1]["output"]


def taught_order(daemon: Daemon, shop: Shop, name: str = "the usual order") -> Wire:
    """Record an order as a recipe, and forget what was ordered for that."""
    wire = daemon.connect(60.0)
    succeed(wire, text=f"record a recipe called {name}")
    succeed(wire, text=f"go to {shop.url('/order')}")
    succeed(wire, text=CHORE)
    succeed(wire, text="stop recording")
    assert [dict(order) for order in shop.orders] == [ordered()]
    shop.orders.clear()
    return wire


def ordered(**other: str) -> dict[str, str]:
    return {"name": "Ada", "street": "Mill Lane", "basket": "Evening", "gift": "on", **other}


def test_a_recording_becomes_a_file_with_slots_for_what_was_said(
    daemon: Daemon, shop: Shop
) -> None:
    wire = taught_order(daemon, shop)
    text = succeed(wire, goals=[goal("show", name="usual order")])["recipe"]
    assert 'name = "usual order"' in text
    assert 'your_name = "Ada"' in text
    assert 'roles = { target = "Your name" }' in text
    assert 'roles = { target = "\\"{basket}\\"", from = "Basket" }' in text
    files = list((daemon.root.parent / "state" / "recipes").iterdir())
    assert [file.name for file in files] == ["usual-order.toml"]
    assert files[0].read_text() == text


def goal(verb: str, **params: object) -> dict[str, object]:
    return {"domain": "recipes", "verb": verb, "params": params}


@pytest.mark.parametrize("look", ["first", "moved", "widgets", "renumbered"])
def test_a_recipe_runs_with_other_values_after_a_restart_and_a_redesign(
    tmp_path: Path, shop: Shop, look: str
) -> None:
    with running_daemon(tmp_path) as daemon:
        taught_order(daemon, shop)
    shop.look = look
    with running_daemon(tmp_path) as daemon:
        wire = daemon.connect(60.0)
        succeed(wire, text="do the usual order with your name Grace Hopper and street Elm Row 3")
        succeed(wire, text="wait for the heading Thank you")
    assert shop.orders == [ordered(name="Grace Hopper", street="Elm Row 3")]


def test_a_recipe_whose_page_lost_a_field_refuses_before_it_touches_anything(
    daemon: Daemon, shop: Shop
) -> None:
    wire = taught_order(daemon, shop)
    shop.look = "lost"
    finished = do(wire, text="do the usual order")
    assert finished["status"] in {"failed", "partial"}
    failed = [each for each in finished["results"] if each["status"] == "failed"]
    assert failed[0]["code"] == "TARGET_NOT_FOUND"
    assert "nothing was touched" in failed[0]["message"]
    assert "Street" in failed[0]["message"]
    read = do(wire, text="read Your name")
    assert read["results"][0]["message"] == "it is empty"
    assert shop.orders == []


def test_a_field_that_comes_later_is_waited_for(daemon: Daemon, shop: Shop) -> None:
    shop.look = "other"
    wire = daemon.connect(60.0)
    succeed(wire, text=f"go to {shop.url('/order')}")
    succeed(
        wire,
        text="enter Ada in Your name, tick Gift wrap, enter Happy birthday in Card text, "
        "press Send order",
    )
    kept = succeed(wire, goals=[goal("remember", name="birthday", last=2)])
    assert kept["steps"] == 5
    succeed(wire, text="run birthday with card text Congratulations")
    assert [order["card"] for order in shop.orders] == ["Happy birthday", "Congratulations"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("do the usual order", {}),
        ("please run my usual order for Mill Road 9 with your name Eve", {"name": "Eve"}),
        ('run the usual order with street "Elm Row, 3" and basket Morning', {"basket": "Morning"}),
        ("carry out the usual order with basket=Morning, your name = Bo", {"name": "Bo"}),
    ],
)
def test_a_recipe_is_asked_for_in_words(
    daemon: Daemon, shop: Shop, text: str, expected: dict[str, str]
) -> None:
    wire = taught_order(daemon, shop)
    finished = do(wire, text=text)
    if "for Mill Road 9" in text:  # there are several values that it could be
        assert finished["status"] == "failed"
        assert "could be any of" in finished["message"]
        return
    assert finished["status"] == "success", finished
    assert expected.items() <= shop.orders[0].items()


@pytest.mark.parametrize(
    "said",
    [
        {"text": "do the unusual order"},
        {"goals": [goal("run", name="unusual order")]},
        {"goals": [goal("run", name="usual order", colour="blue")]},
        {"goals": [goal("run", name="usual order", basket='Evening" and press "Send order')]},
        {"goals": [goal("run", name="usual order", basket=["Evening"])]},
        {"goals": [goal("run")]},
    ],
)
def test_what_no_recipe_can_do_is_refused_with_nothing_touched(
    daemon: Daemon, shop: Shop, said: dict[str, Any]
) -> None:
    wire = taught_order(daemon, shop)
    finished = do(wire, **said)
    assert finished["status"] == "failed"
    assert finished["message"]
    assert shop.orders == []


def test_a_value_is_never_read_as_a_command(daemon: Daemon, shop: Shop) -> None:
    wire = taught_order(daemon, shop)
    hostile = "x and press Send order, then delete all files {street}"
    succeed(wire, goals=[goal("run", name="usual order", your_name=hostile)])
    assert shop.orders == [ordered(name=hostile)]


def test_a_recipe_runs_from_the_command_line_and_on_a_schedule(daemon: Daemon, shop: Shop) -> None:
    wire = taught_order(daemon, shop)
    ran = daemon.cli("run", "usual", "order", "basket=Morning")
    assert ran.returncode == 0, ran.stderr
    planned = daemon.cli("run", "usual", "order", "--plan")
    assert planned.returncode == 0, planned.stderr
    assert "Send order" in planned.stdout
    succeed(wire, text="in 1 second do the usual order with your name Late")
    daemon.wait_for(
        "command.finished",
        status="success",
        command_id=daemon.wait_for(
            "command.accepted", text="do the usual order with your name Late"
        )["command_id"],
    )
    assert shop.orders == [ordered(basket="Morning"), ordered(name="Late")]
    assert daemon.cli("run", "nothing").returncode == 1
    assert daemon.cli("run", "usual", "order", "basket").returncode == 1


def test_recipes_are_recorded_listed_checked_edited_and_removed_on_the_command_line(
    daemon: Daemon, shop: Shop, tmp_path: Path
) -> None:
    assert daemon.cli("record", "--stop").returncode == 1
    assert daemon.cli("record").returncode == 2
    assert daemon.cli("record", "quick", "look").returncode == 0
    assert daemon.cli("record", "another").returncode == 1
    assert daemon.cli("send", f"go to {shop.url('/order')}").returncode == 0
    assert daemon.cli("send", "press Frobnicate").returncode == 1
    stopped = daemon.cli("record", "--stop")
    assert stopped.returncode == 0
    assert "Frobnicate" in stopped.stdout  # it is told what was left out
    assert "quick look" in daemon.cli("recipes").stdout
    assert daemon.cli("recipes", "check", "quick", "look").returncode == 0
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/quick look/glance/' \"$1\"\n")
    editor.chmod(0o700)
    edit = {**daemon.environment, "EDITOR": str(editor)}
    daemon.environment = edit
    assert daemon.cli("recipes", "edit", "quick look").returncode == 0
    listed = daemon.cli("recipes", "list").stdout
    assert "glance" in listed
    assert "quick look" not in listed
    editor.write_text("#!/bin/sh\necho 'nonsense =' >> \"$1\"\n")
    wrong = daemon.cli("recipes", "edit", "glance")
    assert wrong.returncode == 1
    assert "what you wrote is in" in wrong.stderr
    assert daemon.cli("recipes", "remove", "glance").returncode == 0
    assert daemon.cli("recipes", "show", "glance").returncode == 1
    assert daemon.cli("undo").returncode == 0
    assert daemon.cli("recipes", "show", "glance").returncode == 0


def test_a_file_that_is_wrong_is_never_run_and_says_what_is_wrong(
    daemon: Daemon, shop: Shop
) -> None:
    folder = daemon.root.parent / "state" / "recipes"
    folder.mkdir(parents=True)
    wrongs = {
        "verb": 'name = "verb"\n[[steps]]\ndo = "browser.fly"\n',
        "role": 'name = "role"\n[[steps]]\ndo = "browser.click"\nroles = { where = "x" }\n',
        "slot": 'name = "slot"\n[[steps]]\ndo = "browser.click"\nroles = { target = "{x}" }\n',
        "says": 'name = "says"\nsays = ["{x}"]\n[values]\nx = "1"\n[[steps]]\n'
        'do = "browser.click"\nroles = { target = "{x}" }\n',
        "none": 'name = "none"\nsteps = []\n',
        "toml": "name = ",
    }
    for name, text in wrongs.items():
        (folder / f"{name}.toml").write_text(text)
    wire = daemon.connect()
    listed = succeed(wire, goals=[goal("list")])
    assert {row["name"] for row in listed} == {f"{name}.toml" for name in wrongs}
    assert all(row["problem"] for row in listed)
    for name in wrongs:
        assert do(wire, text=f"run {name}")["status"] == "failed"
    (folder / "verb.toml").write_text(
        f'name = "verb"\n[[steps]]\ndo = "browser.navigate"\nparams = {{ url = "{shop.url()}" }}\n'
    )
    succeed(wire, text="run verb")


def test_a_password_is_asked_for_each_time_and_never_kept(daemon: Daemon, shop: Shop) -> None:
    shop.look = "login"
    wire = daemon.connect(60.0)
    succeed(wire, text=f"go to {shop.url('/order')}")
    succeed(wire, text="enter ada in User, enter hunter2secret in Password and press Enter button")
    kept = succeed(wire, goals=[goal("remember", name="log in at the shop", last=2)])
    assert kept["asked"] == ["password"]
    state = daemon.root.parent / "state"
    assert not any(
        b"hunter2secret" in path.read_bytes() for path in state.rglob("*") if path.is_file()
    )
    finished = do(wire, text="do the log in at the shop")
    assert finished["status"] == "failed"
    assert "password" in finished["message"]
    succeed(wire, goals=[goal("run", name="log in at the shop", password="other9secret")])  # noqa: S106
    assert [order["password"] for order in shop.orders] == ["hunter2secret", "other9secret"]
    assert not any("other9secret" in str(record) for record in daemon.log())


def test_what_was_undone_or_failed_is_not_recorded(daemon: Daemon) -> None:
    wire = daemon.connect()
    succeed(wire, text="start recording the recipe tidy")
    succeed(wire, text="create a folder wrong")
    wire.send({"type": "undo", "id": "back"})
    wire.read_until(type="finished", command="back")
    assert do(wire, text="rename the file missing.txt to there.txt")["status"] == "failed"
    succeed(wire, text="create a folder right")
    kept = succeed(wire, text="stop recording")
    assert kept["steps"] == 1
    text = succeed(wire, goals=[goal("show", name="tidy")])["recipe"]
    assert "right" in text
    assert "wrong" not in text


OWN = """
[phrases]
standup = "go to {url}/order"
"order for {{who}}" = "go to {url}/order, enter {{who}} in Your name and press Send order"
"the shop" = "{url}/"
morning = "do the usual order"
"""


def test_a_users_own_words_mean_what_the_settings_say(tmp_path: Path, shop: Shop) -> None:
    settings = OWN.format(url=shop.url("").rstrip("/"))
    with running_daemon(tmp_path, settings=settings) as daemon:
        wire = taught_order(daemon, shop)
        succeed(wire, text="standup")
        succeed(wire, text="order for Grace and Bo")
        assert shop.orders == [{"name": "Grace and Bo", "basket": "Morning"}]
        succeed(wire, text="open the shop")
        assert "Shop" in str(succeed(wire, text="read the heading Shop"))
        shop.orders.clear()
        succeed(wire, text="morning")
        assert shop.orders == [ordered()]
        helped = succeed(wire, text="help")
        assert any("standup" in str(row) and "order for" in str(row) for row in helped)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ('standup = "frobnicate the widgetry"', "not understood"),
        ('"{x}" = "go to http://127.0.0.1/{x}"', "would mean everything"),
        ('"book {x}" = "press Book"', "must stand in both"),
        ('"book {x}" = "http://127.0.0.1/"', "must stand in both"),
        ('"book {name}" = "enter {name} in Search"', "no value can be called"),
        ('"book (x" = "press Book"', "brackets"),
    ],
)
def test_own_words_that_mean_nothing_are_refused_when_the_daemon_starts(
    tmp_path: Path, words: str, reason: str
) -> None:
    config = tmp_path / "bad.toml"
    config.write_text(f"[phrases]\n{words}\n")
    with running_daemon(tmp_path) as daemon:
        started = daemon.cli(
            "serve", "--socket", str(tmp_path / "s"), "--state", str(tmp_path / "other"),
            "--config", str(config),
        )  # fmt: skip
    assert started.returncode == 2
    assert reason in started.stderr
    assert "Traceback" not in started.stderr


def test_what_is_filled_in_and_not_saved_is_told_with_what_takes_it_back(
    daemon: Daemon, shop: Shop
) -> None:
    wire = daemon.connect(60.0)
    succeed(wire, text=f"go to {shop.url('/order')}")
    said = "enter Ada in Your name, tick Gift wrap, enter x in Frobnicate and press Send order"
    finished = do(wire, text=said)
    assert finished["status"] == "partial"
    assert "filled in and not saved: Your name, Gift wrap" in finished["message"]
    assert finished["suggestions"] == ["reload the page", 'clear "Your name"', 'untick "Gift wrap"']
    assert shop.orders == []
    for suggestion in reversed(finished["suggestions"]):
        succeed(wire, text=suggestion)
    sent = do(wire, text="press Send order and press Frobnicate")
    assert "not saved" not in sent["message"]
    assert shop.orders == [{"basket": "Morning"}]


def test_what_went_into_a_hidden_field_is_not_kept_whatever_its_label(
    daemon: Daemon, shop: Shop
) -> None:
    shop.look = "losung"
    wire = daemon.connect(60.0)
    succeed(wire, text=f"go to {shop.url('/order')}")
    succeed(wire, text="enter Oak7leaf in Losung")
    kept = succeed(wire, goals=[goal("remember", name="losung", last=1)])
    assert kept["asked"] == ["losung"]
    assert "Oak7leaf" not in succeed(wire, goals=[goal("show", name="losung")])["recipe"]


@pytest.mark.parametrize("basket", ["it", "that one", "Nowhere"])
def test_an_option_is_a_name_and_no_pronoun(daemon: Daemon, shop: Shop, basket: str) -> None:
    wire = taught_order(daemon, shop)
    finished = do(wire, goals=[goal("run", name="usual order", basket=basket)])
    assert finished["status"] != "success"
    assert shop.orders == []


def test_braces_that_were_typed_stay_as_they_are(daemon: Daemon, shop: Shop) -> None:
    wire = daemon.connect(60.0)
    succeed(wire, text=f"go to {shop.url('/order')}")
    said = 'enter Ada in Your name, enter "Dear {your_name}" in Street and press Send order'
    succeed(wire, text=said)
    succeed(wire, goals=[goal("remember", name="letter", last=2)])
    succeed(wire, goals=[goal("run", name="letter", your_name="Bo")])
    assert shop.orders[-1]["street"] == "Dear {your_name}"
    assert shop.orders[-1]["name"] == "Bo"


def test_a_recording_can_be_given_up(daemon: Daemon) -> None:
    wire = daemon.connect()
    succeed(wire, text="record a recipe called tidy")
    succeed(wire, text="cancel the recording")
    assert do(wire, text="stop recording")["status"] == "failed"
    succeed(wire, text="record a recipe called tidy")
    assert do(wire, goals=[goal("record", name="x" * 81)])["status"] == "failed"


def test_what_is_replaced_or_renamed_can_be_put_back(daemon: Daemon, shop: Shop) -> None:
    wire = taught_order(daemon, shop)
    before = succeed(wire, goals=[goal("show", name="usual order")])["recipe"]
    succeed(wire, text=f"go to {shop.url()}")
    assert succeed(wire, goals=[goal("remember", name="usual order")])["replaced"]
    wire.send({"type": "undo", "id": "back"})
    wire.read_until(type="finished", command="back")
    assert succeed(wire, goals=[goal("show", name="usual order")])["recipe"] == before
    renamed = before.replace('name = "usual order"', 'name = "other"')
    succeed(wire, goals=[goal("write", name="usual order", content=renamed)])
    wire.send({"type": "undo", "id": "back again"})
    wire.read_until(type="finished", command="back again")
    assert succeed(wire, goals=[goal("show", name="usual order")])["recipe"] == before
    wrong = before.replace("browser.click", "browser.fly")
    assert do(wire, goals=[goal("write", name="usual order", content=wrong)])["status"] == "failed"
    assert succeed(wire, goals=[goal("show", name="usual order")])["recipe"] == before


def test_what_is_no_recipe_in_the_folder_holds_nobody_up(daemon: Daemon, shop: Shop) -> None:
    wire = taught_order(daemon, shop)
    folder = daemon.root.parent / "state" / "recipes"
    os.mkfifo(folder / "pipe.toml")
    (folder / "dir.toml").mkdir()
    (folder / ".#usual-order.toml").symlink_to("nowhere")
    (folder / "gone.toml").symlink_to("nowhere")
    (folder / "binary.toml").write_bytes(b"\xff\x00")
    copy = folder / "usual-order copy.toml"
    copy.write_text((folder / "usual-order.toml").read_text())
    listed = succeed(wire, goals=[goal("list")])
    wrong = {row["name"] for row in listed if "problem" in row}
    assert wrong == {"binary.toml", "usual-order.toml", "usual-order copy.toml"}
    assert do(wire, text="run usual order")["status"] == "failed"
    copy.unlink()
    succeed(wire, text="run usual order")
    assert len(succeed(wire, goals=[goal("show", name="binary")])["recipe"]) == len("??")


def test_recipes_that_run_recipes_come_to_an_end(daemon: Daemon) -> None:
    folder = daemon.root.parent / "state" / "recipes"
    folder.mkdir(parents=True)
    step = '[[steps]]\ndo = "recipes.run"\nparams = {{ name = "{}" }}\n'
    (folder / "self.toml").write_text('name = "self"\n' + step.format("self"))
    for number in range(1, 5):
        again = step.format(f"laugh {number + 1}") * 20
        (folder / f"laugh-{number}.toml").write_text(f'name = "laugh {number}"\n{again}')
    last = '[[steps]]\ndo = "talk.help"\n' * 20
    (folder / "laugh-5.toml").write_text(f'name = "laugh 5"\n{last}')
    wire = daemon.connect()
    assert "runs itself" in do(wire, text="run self")["message"]
    assert "more than" in do(wire, text="run laugh 1")["message"]


@pytest.mark.parametrize("when", ["in 10 minutes", "tomorrow at 9 with your name Bo"])
def test_a_time_is_never_dropped_and_nothing_done_now(
    daemon: Daemon, shop: Shop, when: str
) -> None:
    wire = taught_order(daemon, shop)
    do(wire, text=f"do the usual order {when}")
    assert shop.orders == []


def test_a_field_that_comes_later_is_waited_for_over_several_commands(
    daemon: Daemon, shop: Shop
) -> None:
    shop.look = "other"
    wire = daemon.connect(60.0)
    said = ("tick Gift wrap", "enter Joy in Card text", "press Send order")
    for each in (f"go to {shop.url('/order')}", *said):
        succeed(wire, text=each)
    succeed(wire, goals=[goal("remember", name="card", last=4)])
    succeed(wire, text="run card with card text Peace")
    assert [order["card"] for order in shop.orders] == ["Joy", "Peace"]


def test_what_a_step_takes_is_its_own_also_in_recipes_that_run_others() -> None:
    first = TaughtStep("clipboard.get")
    paste = TaughtStep("clipboard.set", takes={"text": "g0"})
    inner = Taught("inner", (first, paste))
    call = TaughtStep("recipes.run", params={"name": "inner"})
    outer = Taught("outer", (first, call, TaughtStep("clipboard.set", takes={"text": "g1"})))
    found = expand(
        [GoalDraft("recipes", "run", {"name": "outer"})], {"inner": inner, "outer": outer}
    )
    assert isinstance(found, Expansion)
    takes = [draft.takes.get("text") for draft in found.drafts]
    assert takes == [None, None, "g1", "g2"]
