"""What is claimed of a page was done on it: readings, clicks, ordinals, values, pages that follow.

All of it through the socket, in a real browser, on pages that tell nobody what was done to them.
"""

import os
import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from messages.effects import applied
from messages.executing import Done, Outcome
from messages.plans import WorldState
from tests.daemon import Daemon, Event, running_daemon
from tests.test_browser import HEADLESS, browsers
from tests.test_deeds import LANE, running, shown
from tests.web import Web
from tools.browser import navigating, pointing
from tools.browser.params import Address, Click, OnPage

NUMBER = count()
SESSION = "claims"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running_daemon(tmp_path_factory.mktemp("claims"), settings=HEADLESS) as started:
        yield started


def tell(daemon: Daemon, web: Web, text: str, path: str = "/") -> Event:
    """Go to a page and say something there; what is asked is taken back."""
    name = f"claim{next(NUMBER)}"
    wire = daemon.connect(120.0)
    opened = wire.run(f"{name}-open", text=f"go to {web.url(path)}", session=SESSION)[-1]
    assert opened["status"] == "success", opened
    wire.submit(name, text=text, session=SESSION)
    while True:
        event = wire.read()
        if event.get("command") == name and event["type"] == "question":
            wire.send({"type": "cancel", "id": f"{name}-cancel", "command": name})
        elif event.get("command") == name and event["type"] == "finished":
            return event


def outputs(finished: Event) -> list[Any]:
    return [result["output"] for result in finished["results"]]


# Readings

PROJECTS = """<h1>Projects</h1>
<table><tr><th>Project</th><th>Owner</th><th>Due</th></tr>
<tr><td>Atlas</td><td>Olaf</td><td>May</td></tr><tr><td>Borealis</td><td>Ines</td><td></td></tr>
</table>"""
ATLAS = """<h1>Atlas</h1><dl><dt>Owner</dt><dd>Olaf</dd><dt>Budget</dt><dd></dd></dl>
<p>Licence</p><button>Edit</button><h2>Borealis</h2><p>Cold.</p>"""
PEOPLE = """<h1>People</h1><ul><li><b>Olaf</b> <span class=phone>555-17</span></li>
<li><b>Ines</b> <span class=phone></span></li></ul><label>Nickname <input></label>"""
READ_PAGES = {"/projects": PROJECTS, "/atlas": ATLAS, "/people": PEOPLE}


@pytest.mark.parametrize(
    ("path", "words", "said"),
    [
        ("/projects", "the owner of Atlas", "Olaf"),
        ("/projects", "the owner of Borealis", "Ines"),
        ("/atlas", "the owner of Atlas", "Olaf"),
        ("/people", "the phone of Olaf", "555-17"),
    ],
)
def test_what_something_is_of_another_is_read_there(
    daemon: Daemon, path: str, words: str, said: str
) -> None:
    with Web(READ_PAGES) as web:
        assert outputs(tell(daemon, web, f"read {words}", path)) == [said]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/projects", "the budget of Atlas"),
        ("/projects", "the due of Borealis"),
        ("/atlas", "the budget of Atlas"),
        ("/atlas", "the licence of Atlas"),
        ("/atlas", "the licence"),
        ("/people", "the email of Olaf"),
        ("/people", "the phone of Ines"),
    ],
)
def test_neither_the_thing_itself_nor_the_label_is_an_answer(
    daemon: Daemon, path: str, words: str
) -> None:
    with Web(READ_PAGES) as web:
        finished = tell(daemon, web, f"read {words}", path)
    assert finished["status"] == "failed", finished
    assert outputs(finished) == [None]


EMPTY = {
    "/none": "<title>None</title><h1>Nothing</h1><div></div><ul></ul><p>No table is here.</p>",
    "/heads": "<title>Heads</title><table><tr><th>Name</th><th>Age</th></tr></table>",
    "/blank": "<title>Blank</title><table><tr><td></td><td> </td></tr></table>",
    "/field": "<label>Nickname <input></label>",
    "/bare": "<p id=x>Here</p>",
}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/none", "read the table"),
        ("/none", "read the list"),
        ("/heads", "read the table"),
        ("/blank", "read the table"),
        ("/field", "read the nickname"),
        ("/field", "read the value of the Nickname field"),
        ("/bare", "read the title"),
    ],
)
def test_an_empty_reading_is_a_failure_and_nothing_is_saved_of_it(
    daemon: Daemon, path: str, words: str
) -> None:
    name = f"saved{next(NUMBER)}.txt"
    with Web(EMPTY) as web:
        finished = tell(daemon, web, f"{words} and save it to {name}", path)
    assert (finished["status"], finished["code"]) == ("failed", "NOT_FEASIBLE"), finished
    assert not (daemon.root / name).exists()


# Clicks on what is no control

INERT = """<title>still</title><h1>Docs</h1>
<table><tr><th>Who</th><th>When</th></tr><tr><td>Olaf</td><td><a href=#may>May</a></td></tr>
<tr><td>Ines</td><td>June <button>Move</button> <button>Drop</button></td></tr></table>
<div class=card><h3>Fern</h3><p>Green <a href=#fern>More</a></p></div>
<div class=card><h3>Moss</h3><p>Soft</p><a href=#m1>One</a> <a href=#m2>Two</a></div>
<p>Plain words</p><ul><li>Loose</li><li>Other</li></ul><img alt=Picture width=40 height=40>"""
HEARD = """<title>still</title><b id=bold>Bold</b><div id=row><span>Rowan</span></div>
<table id=table><tr><td id=hit>Hit</td><td>Miss</td></tr></table><script>
bold.addEventListener("click", () => { document.title = "bold"; });
row.addEventListener("mousedown", () => { document.title = "row"; });
table.addEventListener("click", e => { if (e.target.id === "hit") document.title = "hit"; });
</script>"""
DELEGATED = """<title>still</title><p id=live>Live</p><p>Dead</p><script>
document.addEventListener("click", e => { if (e.target.id === "live") document.title = "live"; });
</script>"""
CLICK_PAGES = {"/inert": INERT, "/heard": HEARD, "/delegated": DELEGATED}


@pytest.mark.parametrize(
    "thing", ["Olaf", "Docs", "Plain words", "Fern", "Moss", "Loose", "the Moss card", "Who"]
)
def test_a_click_that_nothing_can_hear_is_refused_by_name(daemon: Daemon, thing: str) -> None:
    with Web(CLICK_PAGES) as web:
        finished = tell(daemon, web, f"click {thing}", "/inert")
    assert (finished["status"], finished["code"]) == ("failed", "NOT_FEASIBLE"), finished
    assert thing.removeprefix("the ").removesuffix(" card") in finished["message"]


@pytest.mark.parametrize(
    ("thing", "link"),
    [("the row of Olaf", "#may"), ("the Fern card", "#fern"), ("the When cell of Olaf", "#may")],
)
def test_the_only_link_in_what_hears_nothing_is_used(daemon: Daemon, thing: str, link: str) -> None:
    with Web(CLICK_PAGES) as web:
        finished = tell(daemon, web, f"click {thing}", "/inert")
    assert finished["status"] == "success", finished
    assert outputs(finished)[0]["url"].endswith(link)


@pytest.mark.parametrize(("thing", "title"), [("Bold", "bold"), ("Rowan", "row"), ("Hit", "hit")])
def test_what_a_script_listens_for_is_clicked_whatever_it_looks_like(
    daemon: Daemon, thing: str, title: str
) -> None:
    with Web(CLICK_PAGES) as web:
        finished = tell(daemon, web, f"click {thing} and read the title", "/heard")
    assert outputs(finished)[1] == title
    assert finished["results"][0]["verified"]


def test_a_click_whose_listener_did_nothing_is_not_said_to_be_seen(daemon: Daemon) -> None:
    with Web(CLICK_PAGES) as web:
        finished = tell(daemon, web, "click Miss", "/heard")
    assert [result["verified"] for result in finished["results"]] == [False]


def test_where_only_the_whole_page_listens_a_click_without_effect_is_a_failure(
    daemon: Daemon,
) -> None:
    with Web(CLICK_PAGES) as web:
        dead = tell(daemon, web, "click Dead", "/delegated")
        live = tell(daemon, web, "click Live and read the title", "/delegated")
    assert (dead["status"], dead["code"]) == ("failed", "EFFECT_MISSING")
    assert outputs(live)[1] == "live"


# Ordinals

NAV = """<nav><ul><li><a href=#home>Home</a></li><li><a href=#about>About us</a></li>
<li><a href=#contact>Contact</a></li></ul></nav>"""
ROWS = "".join(f"<tr><td><a href=#i{n}>24-{n}</a></td><td>{n}0</td></tr>" for n in range(1, 4))
COUNTED = {
    "/none": f"<title>Garden</title>{NAV}<h1>Tools</h1><ul><li>Rake</li><li>Hoe</li></ul>",
    "/headed": f"""<title>Search</title>{NAV}<h1>Results</h1><ul><li><a href=#r1>Moss</a> soft</li>
        <li><a href=#r2>Fern</a> green</li></ul>""",
    "/classed": f"""<title>Search</title>{NAV}<div id=search-results>
        <div class=hit><h3><a href=#r1>Moss</a></h3><p>soft</p></div>
        <div class=hit><h3><a href=#r2>Fern</a></h3><p>green</p></div></div>""",
    "/titled": f"""<title>Results for moss</title>{NAV}<div><p><a href=#r1>Moss</a> soft</p>
        <p><a href=#r2>Fern</a> green</p></div>""",
    "/invoices": f"<title>Billing</title>{NAV}<h1>Invoices</h1><table>{ROWS}</table>",
}


@pytest.mark.parametrize(
    ("path", "words", "said"),
    [
        ("/headed", "read the second result", "Fern"),
        ("/classed", "read the second result", "Fern"),
        ("/invoices", "read the third invoice", "24-3"),
        ("/none", "read the second item under Tools", "Hoe"),
    ],
)
def test_an_ordinal_counts_what_the_page_calls_so(
    daemon: Daemon, path: str, words: str, said: str
) -> None:
    with Web(COUNTED) as web:
        assert said in outputs(tell(daemon, web, words, path))[0]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/none", "click the first result"),
        ("/none", "read the second message"),
        ("/invoices", "click the first result"),
        ("/headed", "read the first invoice"),
        ("/invoices", "open the fourth invoice"),
    ],
)
def test_the_first_entry_of_another_list_is_not_counted(
    daemon: Daemon, path: str, words: str
) -> None:
    with Web(COUNTED) as web:
        finished = tell(daemon, web, words, path)
    assert (finished["status"], finished["code"]) == ("failed", "TARGET_NOT_FOUND"), finished


# Values

LEFT = """<label>Clears <input onblur="this.value = ''"></label>
<label>Rounds <input onchange="this.value = Math.round(this.value)"></label>
<label>Soon <input id=soon></label>
<label>Shout <input onchange="value = value.toUpperCase()"></label>
<label>Day <input type=date onblur="this.value = ''"></label>
<textarea aria-label=Notes onblur="this.value = 'gone'"></textarea>
<label>Refill <input value=a onblur="this.value = this.value || 'again'"></label>
<label>Plain <input></label><script>
soon.addEventListener("focusout", () => setTimeout(() => { soon.value = "late"; }, 10));
</script>"""


@pytest.mark.parametrize(
    "words",
    [
        "type hello into Clears",
        "type 2.6 into Rounds",
        "type hello into Soon",
        "type hello into Notes",
        "set Day to 5 March 2030",
        "clear Refill",
    ],
)
def test_a_value_that_goes_when_its_field_is_left_is_no_success(daemon: Daemon, words: str) -> None:
    with Web({"/": LEFT}) as web:
        finished = tell(daemon, web, words)
    assert (finished["status"], finished["code"]) == ("failed", "EFFECT_MISSING"), finished


@pytest.mark.parametrize(("field", "held"), [("Plain", "hello"), ("Shout", "HELLO")])
def test_a_value_is_told_as_it_stands_when_its_field_was_left(
    daemon: Daemon, field: str, held: str
) -> None:
    with Web({"/": LEFT}) as web:
        finished = tell(daemon, web, f"type hello into {field}")
    assert outputs(finished) == [{"value": held}]
    assert finished["results"][0]["verified"]


SUGGESTING = """<input aria-label=City id=city><ul id=list hidden
  style="position: absolute; margin: 0; background: white">
  <li onmousedown="pick(event)">Bergen</li></ul>
<script>
city.oninput = () => { list.hidden = false; };
city.onblur = () => { list.hidden = true; if (city.value !== "Bergen") city.value = ""; };
const pick = event => { event.preventDefault(); city.value = "Bergen"; };
</script>"""


def test_a_field_whose_suggestions_are_open_is_not_left_and_nothing_is_claimed(
    daemon: Daemon,
) -> None:
    with Web({"/": SUGGESTING}) as web:
        finished = tell(daemon, web, "type Ber into City, click Bergen and read the city")
    assert finished["results"][0]["verified"] is False
    assert outputs(finished)[2] == "Bergen"


# The page that follows

FIRST = "<title>first</title><h1>First</h1>{way}<a href=/wrong>Continue</a>"
SECOND = "<title>second</title><h1>Second</h1><a href=/third>Continue</a>"
WAYS = {
    "/link": "<a href=/second>Next</a>",
    "/form": "<form action=/second><button>Next</button></form>",
    "/script": "<button onclick=\"location.href = '/second'\">Next</button>",
}
LATE = "<script>addEventListener('click', () => setTimeout(() => fetch('/release'), 3500))</script>"


@pytest.mark.parametrize("way", list(WAYS))
def test_what_follows_waits_for_the_page_that_a_click_leads_to(daemon: Daemon, way: str) -> None:
    pages = {
        way: FIRST.format(way=WAYS[way] + LATE),
        "/second": SECOND,
        "/third": "<title>third</title>",
        "/wrong": "<title>wrong</title>",
    }
    with Web(pages, follows={"/second": "/release"}) as web:
        finished = tell(daemon, web, "click Next, click Continue and read the title", way)
    assert outputs(finished)[2] == "third", finished


GOING = {
    "/change": """<label>Where <select onchange="location.href = '/second'"><option>Here
        <option>There</select></label>""",
    "/typed": """<label>Code <input oninput="if (value === 'abc') location.href = '/second'">
        </label>""",
    "/press": """<button onmousedown="location.href = '/second'">Leave</button>""",
}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/change", "choose There from Where"),
        ("/typed", "type abc into Code"),
        ("/press", "click Leave"),
    ],
)
def test_what_has_led_away_was_done_though_its_page_is_gone(
    daemon: Daemon, path: str, words: str
) -> None:
    with Web({**GOING, "/second": SECOND}) as web:
        finished = tell(daemon, web, f"{words} and read the heading", path)
    assert finished["status"] == "success", finished
    assert outputs(finished)[1] == "Second"


async def test_what_is_bound_on_a_page_that_went_away_is_stale_and_not_a_closed_browser(
    tmp_path: Path,
) -> None:
    with Web({"/": "<h1>Other</h1>"}) as web:
        async with shown("<button>Save</button>", tmp_path) as page:
            target = await page.target("Save")
            await page.tab.page.goto(web.url())
            outcome = await pointing.click(page.actions, Click(lane=LANE, selector=target))
    assert getattr(outcome, "code", None) == "TARGET_STALE", outcome


# Words behind "and"

JOINED = """<title>still</title><h1>Close and send</h1>
<button onclick="document.title = 'saved'">Save</button><a href=#terms>Terms</a>
<label>City <input></label><label><input type=checkbox> Tea</label>
<ul><li><b>Milk</b> <button>Add</button></li><li><b>Salt</b> <button>Add</button></li></ul>"""


@pytest.mark.parametrize(
    "words",
    [
        "click Save and close",
        "click the Save and send button",
        "click Terms and Privacy",
        "click Terms or Privacy",
        "type x into City and Country",
        "tick Tea or Coffee",
        "click Add for Milk and honey",
    ],
)
def test_a_word_behind_and_or_or_that_the_page_does_not_have_is_not_passed_over(
    daemon: Daemon, words: str
) -> None:
    with Web({"/": JOINED}) as web:
        finished = tell(daemon, web, words)
    assert (finished["status"], finished["code"]) == ("failed", "TARGET_NOT_FOUND"), finished


# The world


def world_after(*outcomes: Outcome) -> WorldState:
    world = WorldState()
    for outcome in outcomes:
        for effect in outcome.effects:
            world = applied(world, effect)
    return world


async def test_the_world_knows_where_a_click_has_led_and_where_one_went_back_to(
    tmp_path: Path,
) -> None:
    with Web({"/a": "<a href=/b>On</a>", "/b": "<title>b</title>"}) as web:
        async with running(tmp_path) as actions:
            went = await navigating.navigate(actions, Address(lane=LANE, url=web.url("/a")))
            clicked = await pointing.click(actions, Click(lane=LANE, selector="a"))
            back = await navigating.leaf(actions, OnPage(lane=LANE), back=True)
        assert world_after(went).browser_last_url == web.url("/a")
        assert world_after(went, clicked).browser_last_url == web.url("/b")
        assert world_after(went, clicked, back).browser_last_url == web.url("/a")


async def test_the_world_knows_that_the_browser_has_ended(tmp_path: Path) -> None:
    with Web({"/": "<button>Here</button>"}) as web:
        async with running(tmp_path) as actions:
            went = await navigating.navigate(actions, Address(lane=LANE, url=web.url()))
            assert isinstance(went, Done)
            assert world_after(went).browser_running
            await actions.lanes.chromium.close()
            after = await pointing.click(actions, Click(lane=LANE, selector="button"))
    world = world_after(went, after)
    assert (world.browser_running, world.browser_last_url) == (False, None)


def test_after_the_browser_was_killed_it_is_not_said_to_run(tmp_path: Path) -> None:
    with (
        Web({"/": "<button>Here</button>"}) as web,
        running_daemon(tmp_path, settings=HEADLESS) as daemon,
    ):
        wire = daemon.connect(60.0)
        assert wire.run("k1", text=f"go to {web.url()}", session="k")[-1]["status"] == "success"
        for process in browsers(daemon):
            os.kill(process.pid, signal.SIGKILL)
        finished = wire.run("k2", text="click Here", session="k")[-1]
        assert finished["code"] == "UNAVAILABLE"
        again = wire.run("k3", text=f"go to {web.url()} and click Here", session="k")[-1]
    assert again["results"][0]["status"] == "success", again
