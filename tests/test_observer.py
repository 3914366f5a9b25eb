"""The observer page, in a real browser, of a real daemon."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from messages.explaining import BindingReport, Explanation, GoalReport
from messages.targets import Clue, Considered
from tests.daemon import Daemon, running_daemon
from tests.observing import (
    TIME,
    WAIT,
    Observer,
    asked,
    cancel,
    chromium_window,
    listening,
    observed_daemon,
    page_in,
)
from tests.web import Web
from tools.browser.finding import is_found
from tools.observer.changes import MOST_COMMANDS, MOST_SPANS_IN_ALL, Moments, Record
from tools.observer.command import story_view
from tools.observer.command_graph import MOST_NODES, graph_of
from tools.observer.decision import decision_view
from tools.observer.html import el
from tools.pictures import MOST_BYTES, MOST_PICTURES, Picture, Pictures
from tools.settings import BrowserSettings

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
SIDES = ("x", "y", "width", "height")
TIMER = {"domain": "schedule", "verb": "timer", "params": {"duration": "3 hours", "name": "bread"}}
pytestmark = pytest.mark.skipif(not is_found(BrowserSettings()), reason="needs a browser")


@pytest.fixture(scope="module")
def observer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Observer]:
    with observed_daemon(tmp_path_factory.mktemp("observed"), "--observe-act") as running:
        running.daemon.connect().run("opened", text="open the chest")
        yield running.enter()


@pytest.fixture(scope="module")
def daemon(observer: Observer) -> Daemon:
    return observer.daemon


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with chromium_window() as browser:
        yield browser


@pytest.fixture
def page(chromium: Browser, observer: Observer) -> Iterator[Page]:
    with page_in(chromium, observer) as opened:
        yield opened


# Live


def test_a_live_command_appears_without_reload(page: Page, daemon: Daemon) -> None:
    listening(page, "/")
    page.evaluate("window.isTheSamePage = true")
    daemon.connect().run("appears", goals=[TIME])
    expect(page.locator('#list [data-command="appears"]')).to_contain_text("done")
    expect(page.locator("#story .head")).to_have_attribute("data-command", "appears")
    assert page.evaluate("window.isTheSamePage")


def test_two_goals_are_seen_running_at_once_and_cancelled_from_the_page(
    page: Page, daemon: Daemon
) -> None:
    listening(page, "/")
    wire = daemon.connect()
    wire.submit("abreast", goals=[WAIT, WAIT, {**TIME, "scope": "after:g1"}], session="abreast")
    rows = page.locator("#story tbody tr")
    expect(rows.locator(".status")).to_have_text(["running", "running", "waiting"])
    drawn = page.evaluate("behestGraph().nodes('[status = \"running\"]').map((node) => node.id())")
    assert sorted(drawn) == ["g0", "g1"]
    page.get_by_role("button", name="Cancel").click()
    assert wire.read_until(type="finished", command="abreast")[-1]["status"] == "cancelled"
    expect(rows.locator(".status")).to_have_text(["cancelled", "cancelled", "cancelled"])


def test_a_question_is_answered_from_the_page_and_the_command_goes_on(
    page: Page, daemon: Daemon
) -> None:
    listening(page, "/")
    with asked(daemon, "asks") as wire:
        page.get_by_role("button", name="large, blue envelope").click()
        assert wire.read_until(type="finished", command="asks")[-1]["status"] == "success"
        expect(page.locator("#notice")).to_have_text("Answered.")
        expect(page.locator("#people")).to_be_empty()
        expect(page.locator("#story .head .status")).to_have_text("done")


def test_what_came_of_an_answer_is_told_though_its_card_is_gone(page: Page, daemon: Daemon) -> None:
    with asked(daemon, "gone"):
        listening(page, "/command?id=gone")
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        page.route("**/answer", hold)
        with page.expect_request("**/answer"):
            page.get_by_role("button", name="large, blue envelope").click()
        page.locator("#people").evaluate("people => people.replaceChildren()")
        held[0].continue_()
        expect(page.locator("#notice")).to_have_text("Answered.")


def test_a_question_is_answered_in_other_words(page: Page, daemon: Daemon) -> None:
    with asked(daemon, "worded") as wire:
        listening(page, "/command?id=worded")
        field = page.get_by_label("or in other words")
        field.fill("the purple")
        field.press("Enter")
        expect(page.locator("#notice")).to_contain_text("no 'purple' here")
        field.fill("the green one")
        field.press("Enter")
        assert wire.read_until(type="finished", command="worded")[-1]["status"] == "success"


def test_an_approval_shows_what_it_is_for_and_is_given_from_the_page(
    page: Page, daemon: Daemon
) -> None:
    (daemon.root / "reports").mkdir()
    doomed = {"object_type": "folder", "name": "reports"}
    listening(page, "/")
    wire = daemon.connect()
    wire.submit("dooms", goals=[{"domain": "file", "verb": "delete", "params": doomed}])
    expect(page.locator("#people .card")).to_contain_text(str(daemon.root / "reports"))
    page.get_by_role("button", name="Allow").click()
    assert wire.read_until(type="finished", command="dooms")[-1]["status"] == "success"
    assert not (daemon.root / "reports").exists()


def test_a_broad_graph_is_folded_so_that_it_can_be_read(page: Page, daemon: Daemon) -> None:
    moment = {**WAIT, "params": {"seconds": 0.01}}
    fan = [{**TIME, "scope": f"after:g{at % 5}"} for at in range(5, 200)]
    page.set_viewport_size({"width": 1280, "height": 900})
    daemon.connect().run("broad", goals=[moment] * 5 + fan)
    page.goto("/command?id=broad")
    page.wait_for_selector('body[data-drawn-nodes="200"]')
    assert page.evaluate("behestGraph().zoom()") > 0.25
    spots = page.evaluate("behestGraph().nodes().map((node) => JSON.stringify(node.position()))")
    assert len(set(spots)) == 200


def test_the_way_past_the_list_leads_to_what_is_shown(page: Page) -> None:
    page.goto("/")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.detail') !== null")


def hide(page: Page, *, is_hidden: bool) -> None:
    """Put the window behind others, or to the front, as far as the page can tell."""
    page.evaluate(
        """(hidden) => {
          Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        is_hidden,
    )


def test_a_page_that_comes_to_the_front_shows_what_happened_meanwhile(
    page: Page, daemon: Daemon
) -> None:
    listening(page, "/")
    hide(page, is_hidden=True)
    daemon.connect().run("meanwhile", goals=[TIME])
    hide(page, is_hidden=False)
    expect(page.locator("#story .head")).to_have_attribute("data-command", "meanwhile")
    expect(page.locator('#list [data-command="meanwhile"]')).to_contain_text("done")


def test_a_button_that_comes_under_a_resting_pointer_is_not_pressed(
    page: Page, daemon: Daemon
) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    with asked(daemon, "first"):
        listening(page, "/command?id=first")
        place = page.get_by_role("button", name="large, blue envelope").bounding_box()
    assert place is not None
    expect(page.locator("#people")).to_be_empty()
    page.mouse.move(place["x"] + 9, place["y"] + 9)
    with asked(daemon, "second"):
        expect(page.locator("#people .card")).to_be_visible()
        page.mouse.down()
        page.mouse.up()
        expect(page.locator("#notice")).to_contain_text("just moved")
        page.mouse.move(place["x"] + 12, place["y"] + 12)
        page.mouse.down()
        page.mouse.up()
        expect(page.locator("#notice")).to_have_text("Answered.")


def test_a_card_names_its_command_by_its_words(page: Page, daemon: Daemon) -> None:
    with asked(daemon, "4f1d00"):
        page.goto("/")
        expect(page.locator("#people .card .meta")).to_have_text("of examine the envelope")


def test_what_goes_on_leaves_keyboard_and_scrolling_where_they_are(
    page: Page, daemon: Daemon
) -> None:
    wire = daemon.connect()
    wire.submit(
        "scrolls", goals=[{**WAIT, "scope": f"after:g{i}"} if i else WAIT for i in range(40)]
    )
    wire.read_until(type="action_started")
    listening(page, "/command?id=scrolls")
    page.locator("#node-g30").focus()
    page.locator("#story .scroll").evaluate("place => { place.scrollTop = 700 }")
    page.locator("#story .head").evaluate("head => { head.id = 'before' }")
    page.wait_for_selector("#before", state="detached")
    expect(page.locator("#node-g30")).to_be_focused()
    assert page.locator("#story .scroll").evaluate("place => place.scrollTop") == 700
    cancel(daemon, "scrolls")


def test_a_renewal_under_way_is_not_given_up_for_the_next_one(page: Page, daemon: Daemon) -> None:
    """Changes that come faster than answers would keep the page as it was for as long."""
    listening(page, "/")
    held: list[Route] = []

    def hold_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    page.evaluate("document.addEventListener('htmx:sendAbort', () => { window.gaveUp = true })")
    page.route("**/fragment/list", hold_first)
    with page.expect_request("**/fragment/list"):
        daemon.connect().run("first renewed", goals=[TIME])
    daemon.connect().run("then renewed", goals=[TIME])
    page.evaluate("htmx.trigger(document.body, 'list-changed')")
    assert not page.evaluate("window.gaveUp")
    held[0].continue_()
    expect(page.locator('#list [data-command="then renewed"]')).to_contain_text("done")


def test_a_graph_of_200_goals_is_drawn_whole(page: Page, daemon: Daemon) -> None:
    moment = {**WAIT, "params": {"seconds": 0.01}}
    lanes = [{**TIME, "scope": f"after:g{index - 8}"} for index in range(8, 200)]
    daemon.connect().run("large", goals=[moment] * 8 + lanes)
    page.goto("/command?id=large")
    page.wait_for_selector('body[data-drawn-nodes="200"]')
    assert page.evaluate("behestGraph().edges().length") == 192
    assert page.evaluate("behestGraph().nodes().length") == 200


def test_a_daemon_that_is_gone_is_said_to_be_and_its_next_one_needs_another_link(
    chromium: Browser, tmp_path: Path
) -> None:
    with (
        observed_daemon(tmp_path) as first,
        page_in(chromium, first.enter(), is_cut_off=True) as page,
    ):
        listening(page, "/")
        assert first.daemon.stop() == 0  # the page that listens holds it up no longer than others
        expect(page.locator("#banner")).to_contain_text("Connecting again", timeout=15_000)
        with observed_daemon(tmp_path, port=first.port):
            expect(page.locator("#banner")).to_contain_text("Open a new link", timeout=30_000)


def made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_the_page_cannot_have_a_port_that_is_taken(tmp_path: Path) -> None:
    with observed_daemon(tmp_path) as first, running_daemon(made(tmp_path / "other")) as other:
        other.stop()
        serve = ("serve", "--state", str(tmp_path / "more"), "--root", f"work={tmp_path}")
        ended = other.cli(*serve, "--observe", str(first.port))
        assert ended.returncode == 1
        assert f"no observer page at 127.0.0.1:{first.port}" in ended.stderr


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--observe-act",), "--observe-act needs --observe"),
        (("--observe", "70000"), "port must be 0 to 65535"),
        (("--observe", "--bus", "nats://127.0.0.1:1"), "a part of a cluster has no observer page"),
    ],
)
def test_flags_that_cannot_be_are_refused_at_the_start(
    daemon: Daemon, flags: tuple[str, ...], said: str
) -> None:
    ended = daemon.cli("serve", *flags)
    assert ended.returncode == 2
    assert said in ended.stderr


def test_a_link_is_never_in_the_log(observer: Observer, daemon: Daemon) -> None:
    assert observer.link.partition("token=")[2] not in json.dumps(daemon.log())


# What is shown


def test_an_address_with_an_odd_goal_shows_the_command_and_hears_of_others(
    page: Page, daemon: Daemon
) -> None:
    daemon.connect().run("oddly", goals=[TIME])
    listening(page, "/command?id=oddly#%")
    expect(page.locator("#decision h2")).to_contain_text("g0")


def test_the_goal_in_the_address_can_be_changed(page: Page, daemon: Daemon) -> None:
    daemon.connect().run("moves", goals=[TIME, TIME])
    page.goto("/command?id=moves#g0")
    page.evaluate("location.hash = 'g1'")
    expect(page.locator("#decision h2")).to_contain_text("g1")


def test_a_goal_that_was_chosen_is_forgotten_when_the_next_command_comes(
    page: Page, daemon: Daemon
) -> None:
    daemon.connect().run("earlier", goals=[TIME, TIME])
    listening(page, "/")
    page.locator("#node-g1").click()
    expect(page.locator("#decision h2")).to_contain_text("g1")
    daemon.connect().run("later", goals=[TIME, TIME])
    expect(page.locator("#story .head")).to_have_attribute("data-command", "later")
    expect(page.locator("#node-g0")).to_have_attribute("aria-pressed", "true")
    assert page.url.endswith("/")


def test_the_whole_of_a_long_text_can_be_opened(page: Page, daemon: Daemon) -> None:
    daemon.connect().run("long", text="vex " + "wobble" * 3_000 + " the end")
    page.goto("/command?id=long")
    whole = page.locator("#story .head details p")
    expect(whole).to_be_hidden()
    page.get_by_text("the whole text").click()
    expect(whole).to_contain_text("the end")
    assert len(page.locator(".why").inner_text()) < 1_000


def test_of_thousands_of_goals_some_are_shown_and_what_failed_is_among_them() -> None:
    goals = [GoalReport(f"g{number}", "system.get", status="success") for number in range(9_999)]
    told = Explanation("c", understood=(*goals, GoalReport("g9999", "x.y", status="failed")))
    story = graph_of(told, None, {})
    shown = story_view(story, may_act=True)
    assert len(story.shown_nodes) == MOST_NODES
    assert story.first_goal == "g9999"
    assert f"{10_000 - MOST_NODES} more goals are not shown" in shown
    assert len(shown) < 500_000


def test_signs_that_turn_or_hide_a_name_are_seen() -> None:
    turned = el("p", "photo\u202egpj.exe\u200b\x07")
    assert turned == "<p>photo\\u202egpj.exe\\u200b\\x07</p>"
    assert el("p", "شارع 👩‍🚀") == "<p>شارع 👩‍🚀</p>"


def test_a_goal_is_chosen_by_keyboard_and_its_decision_is_shown(page: Page, daemon: Daemon) -> None:
    (daemon.root / "note.txt").write_text("x")
    read = {"domain": "file", "verb": "read", "roles": {"direct": "note.txt"}}
    daemon.connect().run("keyed", goals=[TIME, read])
    page.goto("/command?id=keyed")
    page.locator("#node-g0").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#node-g1")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#node-g1")).to_be_focused()
    expect(page.locator("#decision .c-chosen")).to_contain_text("note.txt")
    assert page.url.endswith("/command?id=keyed#g1")
    page.reload()
    expect(page.locator("#decision h2")).to_contain_text("g1")


def test_a_goal_is_chosen_in_the_graph(page: Page, daemon: Daemon) -> None:
    daemon.connect().run("clicked", goals=[WAIT | {"params": {"seconds": 0.01}}, TIME])
    page.goto("/command?id=clicked")
    page.wait_for_selector("body[data-drawn]")
    spot = page.evaluate("behestGraph().getElementById('g1').renderedPosition()")
    page.locator("#graph").click(position={"x": spot["x"], "y": spot["y"]})
    expect(page.locator("#decision h2")).to_contain_text("g1")


def considered(name: str, *weights: float, dropped: str | None = None) -> Considered:
    clues = tuple(Clue(f"clue{at}", "said", name, each) for at, each in enumerate(weights))
    return Considered(name, name, "view", 0, 50, clues=clues, dropped=dropped)


def test_candidates_are_shown_with_their_clues_as_bars_and_the_runner_up_with_why_not() -> None:
    best, second = considered("Save", 2.0, -1.0), considered("Send", 1.0, dropped="less probable")
    bound = BindingReport(
        "g0", "direct", "save", "weighed", 9, chosen=(best,), dropped=(second,),
        runner_up=second, why_not="by the name",
    )  # fmt: skip
    goal = GoalReport("g0", "browser.click", status="success")
    told = Explanation("c", bindings=(bound,), understood=(goal,), status="success")
    shown = decision_view(graph_of(told, None, {}), "g0", Pictures())
    assert shown.count('class="for"') == 2
    assert shown.count('class="against"') == 1
    assert "runner-up" in shown
    assert "by the name" in shown


SHOP = """<!doctype html><title>shop</title><style>button { position: absolute; width: 120px;
height: 40px } </style><button style="left: 300px; top: 200px">Save draft</button>
<button style="left: 300px; top: 320px">Send order</button>
<button style="left: 300px; top: 3000px">Send far below</button>"""


def test_the_page_that_words_were_bound_on_is_shown_with_the_candidates_outlined(
    chromium: Browser, tmp_path: Path
) -> None:
    with observed_daemon(tmp_path) as shown, Web({"/": SHOP}) as web:
        wire = shown.daemon.connect()
        wire.run("opens", text=f"go to {web.url()}")
        assert wire.run("clicks", text="click Send order")[-1]["status"] == "success"
        with page_in(chromium, shown.enter()) as page:
            page.goto("/command?id=clicks")
            picture = page.locator(".page-picture svg")
            expect(picture).to_be_visible()
            frame = picture.locator(".o-chosen .frame")
            box = {name: float(frame.get_attribute(name) or "") for name in SIDES}
            near = pytest.approx([300, 320, 120, 40], abs=8)
            assert [box[name] for name in SIDES] == near
            expect(picture.locator(".o-chosen text")).to_have_text("1")
            drawn = "e => new Promise(done => { const i = new Image();"
            drawn += "i.onload = () => done([i.width, i.height]); i.src = e.getAttribute('href') })"
            size = picture.locator("image").evaluate(drawn)
            assert (picture.get_attribute("viewBox") or "").split()[2:] == list(map(str, size))
            address = picture.locator("image").get_attribute("href") or ""
        assert shown.ask(address)[0] == 403
        assert shown.ask("/picture?of=none", Cookie=shown.cookie)[0] == 404
        kept = [each for each in tmp_path.rglob("*") if each.suffix in {".jpg", ".jpeg", ".png"}]
        assert kept == []


def test_pictures_are_few_and_the_oldest_go() -> None:
    pictures = Pictures()
    for number in range(MOST_PICTURES + 5):
        pictures.keep(str(number), Picture(b"x", (1, 1), {}))
    assert pictures.of("4") is None
    assert pictures.of("5") is not None
    pictures.keep("large", Picture(b"x" * MOST_BYTES, (1, 1), {}))
    assert pictures.of("large") is not None
    assert pictures.of(str(MOST_PICTURES)) is None


def test_words_of_commands_and_names_of_things_are_text_and_never_markup(
    page: Page, daemon: Daemon
) -> None:
    evil = """<img src=x onerror="document.title='owned'"><script>1</script>'"&amp;"""
    wire = daemon.connect()
    wire.run(evil, text=f"frobnicate {evil}")
    name = "<b onclick=1>note<b>.txt"
    (daemon.root / name).write_text("x")
    read = {"domain": "file", "verb": "read", "roles": {"direct": "newest file"}}
    wire.run("marked", goals=[read])
    listening(page, "/")
    expect(page.locator("#list")).to_contain_text("<img src=x")
    page.locator("#list a", has_text="frobnicate").click()
    expect(page.locator("h1")).to_contain_text("<script>1</script>'\"&amp;")
    page.goto("/command?id=marked")
    expect(page.locator("#decision")).to_contain_text(name)
    for view in ("/", "/history", "/command?id=marked"):
        page.goto(view)
        assert page.locator("img, #main script, main b[onclick]").count() == 0
        assert "owned" not in page.title()


def test_the_history_is_searched_and_every_command_has_an_address(
    page: Page, daemon: Daemon
) -> None:
    daemon.connect().run("found/by id?", text="look")
    page.goto("/history")
    page.get_by_label("Search").fill("loo")
    expect(page.locator("#results tbody tr")).to_have_count(1)
    assert page.url.endswith("/history?search=loo&status=")
    page.reload()
    page.locator("#results a").first.click()
    expect(page.locator("h1")).to_have_text("look")
    expect(page.locator("#story .head")).to_have_attribute("data-command", "found/by id?")


def test_the_history_says_what_waits_for_a_person(page: Page, daemon: Daemon) -> None:
    with asked(daemon, "undecided"):
        page.goto("/history")
        row = page.locator("#results tr", has=page.locator('a[href$="undecided"]'))
        expect(row.locator(".status")).to_have_text("waits for you")


def test_the_schedule_and_the_recipes_are_listed_and_leave_no_trace_in_the_views(
    page: Page, daemon: Daemon
) -> None:
    daemon.connect().run("set", goals=[TIMER])
    page.goto("/schedule")
    expect(page.locator("tbody tr")).to_contain_text("bread")
    page.goto("/recipes")
    expect(page.locator("main")).to_contain_text("No recipe")
    page.goto("/history")
    assert "schedule.list" not in page.locator("#results").inner_text()


def test_an_unknown_command_is_said_to_be_unknown(page: Page) -> None:
    reply = page.goto("/command?id=nobody")
    assert reply is not None
    assert reply.status == 404
    expect(page.locator("main")).to_contain_text("nobody")


# For everybody


@pytest.fixture(scope="module")
def busy(daemon: Daemon) -> Iterator[None]:
    """Let something wait, run and have failed, so that every part of the page is there."""
    wire = daemon.connect()
    wire.run("failing", text="frobnicate the wobble")
    with asked(daemon, "shown"):
        wire.submit("runs", goals=[WAIT, {**TIME, "scope": "after:g0"}], session="runs")
        wire.read_until(type="action_started")
        yield
        cancel(daemon, "runs")


VIEWS = ("/", "/command?id=shown", "/command?id=failing", "/history", "/schedule", "/recipes")
SERIOUS = """() => axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html).join(" | ")}`))"""


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(
    chromium: Browser, observer: Observer, theme: Any, width: int
) -> None:
    size: Any = {"width": width, "height": 800}
    still: Any = "reduce"
    with page_in(
        chromium, observer, color_scheme=theme, viewport=size, reduced_motion=still
    ) as page:
        for view in VIEWS:
            page.goto(view)
            if "id=shown" in view:
                page.wait_for_selector("#decision h2")
            page.evaluate(AXE.read_text("utf-8"))
            assert page.evaluate(SERIOUS) == [], view
            assert page.evaluate("document.documentElement.scrollWidth") <= width, view


def test_the_theme_is_switched_and_kept(page: Page) -> None:
    page.goto("/history")
    before = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.get_by_role("button", name="theme").click()
    page.goto("/")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != before


def test_what_is_kept_of_moments_is_limited() -> None:
    moments = Moments()
    for number in range(MOST_COMMANDS + 10):
        at = "2026-11-19T21:20:44.375257Z"
        moments.keep(Record(at, "action.started", f"c{number}", "s", "g0", "a"))
    assert not moments.of("c9")
    assert moments.of("c10")["s"].status == "running"


def test_what_is_kept_of_moments_is_limited_for_all_commands_together() -> None:
    moments, each = Moments(), MOST_SPANS_IN_ALL // 4
    for number in range(6):
        for span in range(each):
            at = "2026-11-19T21:20:44.375257Z"
            moments.keep(Record(at, "action.started", f"c{number}", f"s{span}", "g0", f"a{span}"))
    assert [len(moments.of(f"c{number}")) for number in range(6)] == [0, 0, *[each] * 4]
