"""The observer page, in a real browser, beside a real daemon; and what attacks it."""

import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from messages.explaining import BindingReport, Explanation, GoalReport
from messages.targets import Clue, Considered
from tests.daemon import PATIENCE, PROJECT, Daemon, Wire, running_daemon
from tests.web import Web
from tools.browser.finding import executable, is_found
from tools.observer.access import MOST_SESSIONS, TOKEN_SECONDS, Access
from tools.observer.changes import MOST_COMMANDS, Moments, Record
from tools.observer.decision import decision_view
from tools.observer.story import story_of
from tools.settings import BrowserSettings

pytestmark = pytest.mark.skipif(not is_found(BrowserSettings()), reason="needs a browser")

AXE = Path(__file__).parent.parent / "vendor" / "axe.min.js"
REBOUND = "rebound.test"  # a name that leads to the loopback, as after DNS rebinding
ASKING = '[approval]\nask = ["delete"]\n'
NOBODY = 65534
REFUSED = re.compile(r"^Failed to load resource: .* status of|^Response Status Error Code")
DRAWN_MS = 3_000  # what must hold on a busy machine; on an idle one it is 0.3 s

TIME = {"domain": "system", "verb": "get", "params": {"target": "time"}}
WAIT = {"domain": "browser", "verb": "wait_time", "params": {"seconds": 50}}
TIMER = {"domain": "schedule", "verb": "timer", "params": {"duration": "3 hours", "name": "bread"}}


@dataclass
class Observer:
    """An observer process: its link, and how to speak to it as no browser would."""

    process: "subprocess.Popen[str]"
    link: str
    cookie: str = ""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def port(self) -> int:
        return int(urlsplit(self.link).port or 0)

    def ask(
        self, path: str, method: str = "GET", body: str = "", **headers: str
    ) -> tuple[int, str, Mapping[str, str]]:
        """Send a request; ``Sec_Fetch_Site="x"`` is a header, and so is an empty ``Host``."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body or None, sent)
            reply = connection.getresponse()
            return (
                reply.status,
                reply.read().decode(),
                {k.lower(): v for k, v in reply.getheaders()},
            )
        finally:
            connection.close()

    def enter(self) -> "Observer":
        """Use the link up, as a browser does."""
        parts = urlsplit(self.link)
        status, _, headers = self.ask(f"{parts.path}?{parts.query}")
        assert status == 200
        self.cookie = headers["set-cookie"].partition(";")[0]
        return self

    def csrf(self) -> str:
        """Read the secret that only the page knows."""
        page = self.ask("/", Cookie=self.cookie)[1]
        return page.partition("X-Behest-Csrf&quot;:&quot;")[2].partition("&quot;")[0]


@contextmanager
def observing(socket: Path, *flags: str) -> Iterator[Observer]:
    """Start an observer of a daemon."""
    program = [sys.executable, "-m", "tools.observer", "--socket", str(socket), *flags]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True, cwd=PROJECT) as process:
        assert process.stdout is not None
        try:
            yield Observer(process, process.stdout.readline().split()[-1])
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """Give a daemon with a text world, where questions need no browser."""
    folder = tmp_path_factory.mktemp("observed")
    with running_daemon(folder, settings=ASKING, arguments=("--world", "manor")) as running:
        running.connect().run("opened", text="open the chest")
        yield running


@pytest.fixture(scope="module")
def observer(daemon: Daemon) -> Iterator[Observer]:
    with observing(daemon.socket, "--act") as running:
        yield running.enter()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        arguments = [f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        found = executable(BrowserSettings())
        browser = playwright.chromium.launch(executable_path=found, args=arguments)
        yield browser
        browser.close()


@contextmanager
def page_in(chromium: Browser, observer: Observer, **options: Any) -> Iterator[Page]:
    """Open a window with the session; what the browser complains of fails the test."""
    name, _, value = observer.cookie.partition("=")
    cookie = {"name": name, "value": value, "url": observer.address, "sameSite": "Strict"}
    context = chromium.new_context(base_url=observer.address, **options)
    context.add_cookies([cookie])  # type: ignore[list-item]  # it is such a cookie
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.extend([said.text] * (said.type == "error")))
    try:
        yield page
        assert [each for each in complaints if not REFUSED.search(each)] == []
    finally:
        context.close()


@pytest.fixture
def page(chromium: Browser, observer: Observer) -> Iterator[Page]:
    with page_in(chromium, observer) as opened:
        yield opened


@contextmanager
def asked(daemon: Daemon, command: str) -> Iterator[Wire]:
    """Submit a command that asks which of two envelopes is meant; it is cancelled at the end."""
    wire = daemon.connect()
    wire.submit(command, text="examine the envelope", session=command)
    wire.read_until(type="question")
    yield wire
    cancel(daemon, command)


def cancel(daemon: Daemon, command: str) -> None:
    """Stop a command, and wait until it has."""
    wire = daemon.connect()
    wire.send({"type": "cancel", "id": "stop", "command": command})
    wire.read_until(type="finished", command=command)


def listening(page: Page, address: str) -> None:
    """Open a page and wait until it hears of changes."""
    page.goto(address)
    page.wait_for_selector("body[data-listening]")


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


def test_a_graph_of_200_goals_is_drawn_within_a_second(page: Page, daemon: Daemon) -> None:
    moment = {**WAIT, "params": {"seconds": 0.01}}
    lanes = [{**TIME, "scope": f"after:g{index - 8}"} for index in range(8, 200)]
    daemon.connect().run("large", goals=[moment] * 8 + lanes)
    page.goto("/command?id=large")
    page.wait_for_selector('body[data-drawn-nodes="200"]')
    drawn, edges, whole = page.evaluate(
        "[Number(document.body.dataset.drawn), behestGraph().edges().length, performance.now()]"
    )
    sys.stdout.write(
        f"200 goals: {drawn} ms to draw, {whole:.0f} ms since the page was asked for\n"
    )
    assert edges == 192
    assert drawn < DRAWN_MS


def test_a_daemon_that_is_gone_is_said_to_be_and_found_again(
    chromium: Browser, tmp_path: Path
) -> None:
    with running_daemon(tmp_path) as first, observing(first.socket) as observer:
        observer.enter()
        with page_in(chromium, observer) as page:
            listening(page, "/")
            first.stop()
            expect(page.locator("#banner")).to_contain_text("does not answer")
            with running_daemon(tmp_path) as second:
                expect(page.locator("#banner")).to_be_hidden(timeout=15_000)
                second.connect().run("again", goals=[TIME])
                expect(page.locator('#list [data-command="again"]')).to_be_visible()


# What is shown


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
    shown = decision_view(story_of(told, None, {}), "g0")
    assert shown.count('class="for"') == 2
    assert shown.count('class="against"') == 1
    assert "runner-up" in shown
    assert "by the name" in shown


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


# Attacks


def test_the_link_leads_a_browser_in_and_its_token_out_of_sight(
    chromium: Browser, daemon: Daemon
) -> None:
    with observing(daemon.socket) as fresh:
        page = chromium.new_page()
        page.goto(fresh.link)
        page.wait_for_url(f"{fresh.address}/")
        expect(page.locator("#list")).to_be_visible()
        (cookie,) = page.context.cookies()
        assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/")
        page.close()


def test_a_stolen_link_opens_nothing_a_second_time(observer: Observer) -> None:
    parts = urlsplit(observer.link)
    status, said, headers = observer.ask(f"{parts.path}?{parts.query}")
    assert status == 403
    assert "used already" in said
    assert "new link printed" in said
    assert "set-cookie" not in headers


def test_looking_ahead_does_not_use_a_link_up(daemon: Daemon) -> None:
    with observing(daemon.socket) as fresh:
        parts = urlsplit(fresh.link)
        ahead = fresh.ask(f"{parts.path}?{parts.query}", Sec_Purpose="prefetch;prerender")
        assert ahead[0] == 403
        fresh.enter()


def access(*moments: float) -> tuple[Access, list[str]]:
    links: list[str] = []
    return Access(1, links.append, clock=iter(moments).__next__), links


def token_of(link: str) -> str:
    return link.partition("token=")[2]


def test_a_link_is_dead_after_ten_minutes_and_when_there_is_a_new_one() -> None:
    entry, links = access(0.0, TOKEN_SECONDS + 1, 1_000.0, 2_000.0, 2_001.0, 2_002.0)
    entry.announce_link()
    assert entry.open_session(token_of(links[0])) is None
    entry.announce_link()
    entry.announce_link()
    assert entry.open_session(token_of(links[1])) is None
    assert entry.open_session(token_of(links[2])) is not None


def test_a_new_link_is_printed_on_request_and_not_more_often_than_can_be_read(
    daemon: Daemon,
) -> None:
    with observing(daemon.socket) as fresh:
        assert fresh.ask("/enter")[0] == 403  # the first link was printed a moment ago
    entry, links = access(0.0, 1.0, 20.0)
    assert [entry.announce_link() for _ in range(3)] == [True, False, True]
    assert len(set(links)) == 2


def test_sessions_are_few_and_the_oldest_goes() -> None:
    links: list[str] = []
    ticks = iter(range(0, 10_000, 20))
    entry = Access(1, links.append, clock=lambda: float(next(ticks)))
    for _ in range(MOST_SESSIONS + 3):
        entry.announce_link()
        assert entry.open_session(token_of(links[-1])) is not None
    assert len(entry._sessions) == MOST_SESSIONS  # noqa: SLF001 - it has no other door


PATHS = ("/", "/command?id=opened", "/history", "/schedule", "/events", "/fragment/list",
         "/fragment/story?id=opened", "/fragment/people", "/fragment/decision?id=opened&goal=g0",
         "/answer", "/nowhere")  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_without_a_session_nothing_is_told(observer: Observer, path: str) -> None:
    name = observer.cookie.partition("=")[0]
    for cookie in ("", f"{name}=", f"{name}=guess", f"other={observer.cookie.partition('=')[2]}"):
        status, said, _ = observer.ask(path, Cookie=cookie)
        assert status == 403
        assert "chest" not in said


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "TRACE"])
def test_no_method_leads_round_the_session(observer: Observer, method: str) -> None:
    for path in ("/", "/enter?token=x", "/cancel", "/static/page.js"):
        assert observer.ask(path, method)[0] in {403, 405}


HOSTS = (REBOUND, f"{REBOUND}:1", "127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.0.0.1.")  # noqa: S104


@pytest.mark.parametrize("host", HOSTS)
def test_another_host_name_is_refused_even_with_the_cookie(observer: Observer, host: str) -> None:
    hosts = {host} if ":1" in host else {host, f"{host}:{observer.port}"}
    for each in hosts - {f"127.0.0.1:{observer.port}", f"localhost:{observer.port}"}:
        assert observer.ask("/", Host=each, Cookie=observer.cookie)[0] == 403
    parts = urlsplit(observer.link)
    assert observer.ask(f"{parts.path}?{parts.query}", Host=host)[0] == 403


def test_a_name_that_is_rebound_to_the_loopback_sees_nothing(
    chromium: Browser, observer: Observer
) -> None:
    page = chromium.new_page()
    reply = page.goto(f"http://{REBOUND}:{observer.port}/")
    assert reply is not None
    assert reply.status == 403
    assert page.locator("body").inner_text() == "this page has another address"
    page.close()


def test_acting_needs_the_own_origin_and_the_secret_of_the_page(
    observer: Observer, daemon: Daemon
) -> None:
    question = "guarded:q1"
    body, secret = f"question={question}&choice=1", observer.csrf()
    right = {
        "Cookie": observer.cookie, "Origin": observer.address, "X_Behest_Csrf": secret,
        "Content_Type": "application/x-www-form-urlencoded",
    }  # fmt: skip
    wrong: list[dict[str, str]] = [
        {key: value for key, value in right.items() if key != left_out}
        for left_out in ("Cookie", "Origin", "X_Behest_Csrf")
    ]
    wrong += [{**right, "Origin": each} for each in ("null", "http://evil.test", "http://127.0.0.1",
              "http://127.0.0.1:1", f"https://127.0.0.1:{observer.port}",
              f"http://localhost:{observer.port}")]  # fmt: skip
    wrong += [
        {**right, "X_Behest_Csrf": each} for each in ("", "x", secret[:-1], "é".encode().hex())
    ]
    wrong += [{**right, "Sec_Fetch_Site": each} for each in ("cross-site", "same-site")]
    with asked(daemon, "guarded") as wire:
        for headers in wrong:
            assert observer.ask("/answer", "POST", body, **headers)[0] == 403, headers
        open_questions = daemon.connect().ask(type="status", id="s")["questions"]
        assert question in [each["question"] for each in open_questions]
        assert observer.ask("/answer", "POST", "x" * 20_000, **right)[0] == 413
        for choice, status in (("9", 409), ("-1", 400), ("1", 200)):
            body = f"question={question}&choice={choice}"
            assert observer.ask("/answer", "POST", body, **right)[0] == status
        assert wire.read_until(type="finished", command="guarded")[-1]["status"] == "success"


ATTACK = """<!doctype html><title>waiting</title><iframe id=frame src="{target}/"></iframe>
<iframe name=sink></iframe>
<form method=post action="{target}/cancel" target=sink><input name=command value=victim></form>
<script>
  const tries = [
    ["/cancel", {{ method: "POST", mode: "no-cors", body: new URLSearchParams("command=victim") }}],
    ["/cancel", {{ method: "POST", headers: {{ "X-Behest-Csrf": "x" }}, body: "command=victim" }}],
    ["/fragment/list", {{}}], ["/events", {{}}], ["/", {{ mode: "no-cors" }}],
  ];
  (async () => {{
    document.forms[0].submit();
    const read = [];
    for (const [path, options] of tries) {{
      try {{
        const reply = await fetch("{target}" + path, {{ credentials: "include", ...options }});
        read.push(reply.type === "opaque" ? "" : await reply.text());
      }} catch {{ read.push(""); }}
    }}
    for (const path of ["/", "/static/page.js"]) {{
      await new Promise((done) => {{
        const script = document.createElement("script");
        script.onload = () => {{ read.push(path + " was run"); done(); }};
        script.onerror = () => {{ read.push(""); done(); }};
        script.src = "{target}" + path;
        document.head.append(script);
      }});
    }}
    document.title = JSON.stringify(read);
  }})();
</script>"""


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", REBOUND])
def test_a_page_of_another_origin_can_neither_act_nor_read_nor_frame(
    chromium: Browser, observer: Observer, daemon: Daemon, name: str
) -> None:
    wire = daemon.connect()
    wire.submit(f"victim-{name}", goals=[WAIT], session=name)
    wire.read_until(type="action_started")
    attack = ATTACK.format(target=observer.address).replace("victim", f"victim-{name}")
    cookie_name, _, value = observer.cookie.partition("=")
    context = chromium.new_context()
    stolen = {"name": cookie_name, "value": value, "url": observer.address, "sameSite": "Strict"}
    context.add_cookies([stolen])  # type: ignore[list-item]  # it is such a cookie
    with Web({"/": attack}) as web:
        page = context.new_page()
        page.goto(web.url(host=name))
        page.wait_for_function("document.title !== 'waiting'", timeout=15_000)
        assert set(json.loads(page.title())) == {""}
        framed = page.frames[1]
        assert framed.locator("#list").count() == 0
    context.close()
    state = daemon.connect().ask(type="status", id="s", command=f"victim-{name}")
    assert state["status"] == "running"
    cancel(daemon, f"victim-{name}")


STEAL = """
import http.client, sys
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=20)
try:
    connection.request("GET", sys.argv[3], headers={"Cookie": sys.argv[2]})
    reply = connection.getresponse()
    print(reply.status, reply.read().decode())
except (ConnectionError, http.client.RemoteDisconnected):
    print("turned away")
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_user_is_refused_even_with_the_cookie_or_the_link(daemon: Daemon) -> None:
    with observing(daemon.socket) as fresh:
        link = fresh.link.partition(fresh.address)[2]
        assert as_user(NOBODY, fresh, link) == "turned away\n"
        fresh.enter()  # it was not used up by that
        assert as_user(NOBODY, fresh, "/") == "turned away\n"
        assert as_user(NOBODY, fresh, "/static/page.js") == "turned away\n"
        assert as_user(0, fresh, "/").startswith("200")


def as_user(user: int, observer: Observer, path: str) -> str:
    program = ["/usr/bin/env", "-i", sys.base_prefix + "/bin/python3", "-c", STEAL]
    arguments = [str(observer.port), observer.cookie, path]
    if user and not readable_by_others(Path(sys.base_prefix)):
        program[2] = "/usr/bin/python3"
    return subprocess.run(
        [*program, *arguments], capture_output=True, text=True, user=user, group=user,
        cwd="/", timeout=PATIENCE, check=True,
    ).stdout  # fmt: skip


def readable_by_others(folder: Path) -> bool:
    return all(each.stat().st_mode & 0o001 for each in (folder, *folder.parents))


def test_every_answer_keeps_browsers_from_misusing_it(observer: Observer) -> None:
    for path in ("/", "/enter", "/static/page.js", "/nowhere", "/command?id=none"):
        for cookie in (observer.cookie, ""):
            headers = observer.ask(path, Cookie=cookie)[2]
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert headers["x-frame-options"] == "DENY"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["cache-control"] == "no-store"
            assert headers["x-content-type-options"] == "nosniff"
            assert "access-control-allow-origin" not in headers


def test_a_page_that_may_only_read_shows_the_question_and_refuses_the_answer(
    chromium: Browser, daemon: Daemon
) -> None:
    with (
        asked(daemon, "readonly"),
        observing(daemon.socket) as reader,
        page_in(chromium, reader.enter()) as page,
    ):
        listening(page, "/")
        card = page.locator(".card", has_text="readonly")
        expect(card.locator(".hint")).to_contain_text("--act")
        card.get_by_role("button", name="large, blue envelope").click()
        expect(page.locator("#notice")).to_contain_text("--act")
        assert daemon.connect().ask(type="status", id="s", command="readonly")["questions"]


# Inside the daemon


INSIDE = """
import signal, sys
from contextlib import AsyncExitStack
from pathlib import Path
import anyio
from tools.observer import serve_observer

SIGNALS = (signal.SIGINT, signal.SIGTERM)

async def serve(links):
    announce = links.append
    await serve_observer(Path(sys.argv[1]), 0, may_act=False, announce=announce)

async def ask(clients, port, path, cookie=b""):
    stream = await clients.enter_async_context(await anyio.connect_tcp("127.0.0.1", port))
    head = b"GET %b HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\nCookie: %b\\r\\n\\r\\n"
    await stream.send(head % (path.encode(), port, cookie))
    return await stream.receive()

async def main():
    links, handlers = [], [signal.getsignal(each) for each in SIGNALS]
    async with AsyncExitStack() as clients:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(serve, links)
            while not links:
                await anyio.sleep(0)
            port, path = int(links[0].split(":")[2].split("/")[0]), links[0][links[0].index("/e"):]
            entered = await ask(clients, port, path)
            cookie = entered.partition(b"set-cookie: ")[2].partition(b";")[0]
            assert b"event-stream" in await ask(clients, port, "/events", cookie)
            assert [signal.getsignal(each) for each in SIGNALS] == handlers
            began = anyio.current_time()
            tasks.cancel_scope.cancel()
        assert anyio.current_time() - began < 3
    try:
        await anyio.connect_tcp("127.0.0.1", port)
    except OSError:
        print("ended")

anyio.run(main)
"""


def test_it_serves_in_a_running_loop_leaves_signals_alone_and_ends_when_cancelled(
    daemon: Daemon,
) -> None:
    program = [sys.executable, "-W", "error", "-c", INSIDE, str(daemon.socket)]
    ran = subprocess.run(
        program, capture_output=True, text=True, cwd=PROJECT, timeout=PATIENCE, check=False
    )
    assert (ran.stdout, ran.stderr) == ("ended\n", "")


def test_what_is_kept_of_moments_is_limited() -> None:
    moments = Moments()
    for number in range(MOST_COMMANDS + 10):
        at = "2026-11-19T21:20:44.375257Z"
        moments.keep(Record(at, "action.started", f"c{number}", "s", "g0", "a"))
    assert not moments.of("c9")
    assert moments.of("c10")["s"].status == "running"
