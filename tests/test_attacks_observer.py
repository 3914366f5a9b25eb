"""Attacks on the observer page: by other sites, other users, stolen links and cookies."""

import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import pytest
import structlog
from playwright.sync_api import Browser, expect

from tests.daemon import PATIENCE, Daemon
from tests.observing import (
    REBOUND,
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
from tools.observer.access import MOST_SESSIONS, TOKEN_SECONDS, Access, Guard
from tools.observer.changes import Changes, event_stream
from tools.observer.link import DaemonLink
from tools.observer.peers import TABLES, scan_tables, user_of
from tools.observer.server import BACKLOG, http_settings, keep_off_screen
from tools.settings import BrowserSettings

NOBODY = 65534
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


def test_the_link_leads_a_browser_in_and_its_token_out_of_sight(
    chromium: Browser, tmp_path: Path
) -> None:
    with observed_daemon(tmp_path) as fresh:
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


def test_looking_ahead_does_not_use_a_link_up(tmp_path: Path) -> None:
    with observed_daemon(tmp_path) as fresh:
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
    tmp_path: Path,
) -> None:
    with observed_daemon(tmp_path) as fresh:
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
def test_another_user_is_refused_even_with_the_cookie_or_the_link(tmp_path: Path) -> None:
    with observed_daemon(tmp_path) as fresh:
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


def test_a_connection_that_nobody_holds_any_more_is_nobodys() -> None:
    """The kernel calls its user 0: a daemon of root would take it for its own."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        with socket.create_connection(address) as client:
            accepted, peer = server.accept()
            assert user_of(peer, address) == os.geteuid()
            assert scan_tables(peer, address, TABLES) == os.geteuid()
        assert user_of(peer, address) is None
        assert scan_tables(peer, address, TABLES) is None
        accepted.close()
        assert client.fileno() == -1


@pytest.mark.parametrize("host", ["127.0.0.1", "::ffff:127.0.0.1"])
def test_the_user_of_a_connection_is_known_without_reading_the_tables(host: str) -> None:
    """Anybody can fill the tables: the daemon would read for everybody who connects."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        with socket.create_connection((host, address[1])):
            accepted, peer = server.accept()
            assert user_of(peer, address, tables=()) == os.geteuid()
            accepted.close()


def test_a_burst_of_connections_is_taken_in_small_parts(tmp_path: Path) -> None:
    assert http_settings(Guard(not_served, Access(1, print))).backlog == BACKLOG


async def not_served(*_: object) -> None:
    raise AssertionError


UPGRADE = b"Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
ODD = (b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\n" + UPGRADE,
       b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
       b"GET / HTTP/1.1\r\nHost: %b\r\n" + UPGRADE)  # fmt: skip


def test_what_others_send_is_not_printed_beside_the_link(tmp_path: Path) -> None:
    with observed_daemon(tmp_path) as fresh:
        for odd in ODD:
            with socket.create_connection(("127.0.0.1", fresh.port)) as connection:
                connection.settimeout(PATIENCE)
                connection.sendall(odd.replace(b"%b", f"127.0.0.1:{fresh.port}".encode()))
                assert connection.recv(1 << 16)
        errors = fresh.daemon.process.stderr
        assert errors is not None
        fresh.daemon.stop()
        assert errors.read() == b""


def test_a_crash_of_a_view_is_logged_and_not_printed() -> None:
    keep_off_screen()
    with structlog.testing.capture_logs() as records:
        said = logging.getLogger("uvicorn.error")
        said.error("Exception in ASGI application", exc_info=RuntimeError("spoilt"))
        said.error("without a reason")
    assert [each["event"] for each in records] == ["observer.crashed"]


FORMS = ("a=1&" * 40, "question=x&choice=" + "9" * 6_000, "question=x&choice=" + "9" * 40,
         "choice=1", "question=%00&choice=1", "question=x&words=" + "x" * 3_000)  # fmt: skip


@pytest.mark.parametrize("body", FORMS)
def test_an_odd_form_is_refused_and_crashes_nothing(observer: Observer, body: str) -> None:
    right = {
        "Cookie": observer.cookie,
        "Origin": observer.address,
        "X_Behest_Csrf": observer.csrf(),
    }
    assert observer.ask("/answer", "POST", body, **right)[0] in {400, 409}


def test_cookies_of_other_ports_do_not_lock_the_user_out(observer: Observer) -> None:
    for other in ('theme={"dark": true, "a": "b"}', "a b=c", "=", ";;", "x=" + "\\" * 9_000, 'y="'):
        for cookie in (f"{other}; {observer.cookie}", f"{observer.cookie}; {other}"):
            assert observer.ask("/schedule", Cookie=cookie)[0] == 200, cookie[:40]


def test_the_port_that_http_has_by_itself_is_not_named_by_browsers() -> None:
    assert "127.0.0.1" in Access(80, print).hosts
    assert "127.0.0.1" not in Access(81, print).hosts


def test_a_page_hears_nothing_more_when_its_session_is_over() -> None:
    async def heard() -> list[str]:
        sessions = iter(["live", "live", None])
        changes = Changes(DaemonLink(Path("nowhere")), up=True)
        stream = event_stream(changes, lambda: next(sessions))
        told: list[str] = []
        async for line in stream:
            told.append(line)
            changes.tell_all("c", "command")
        return told

    with ThreadPoolExecutor() as apart:  # the browser's own loop runs in this thread
        told = "".join(apart.submit(anyio.run, heard).result())
    assert told.count("event: change") == 1


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
    chromium: Browser, tmp_path: Path
) -> None:
    with (
        observed_daemon(tmp_path) as reader,
        asked(reader.daemon, "readonly"),
        page_in(chromium, reader.enter()) as page,
    ):
        listening(page, "/")
        card = page.locator(".card", has_text="examine the envelope")
        expect(card.locator(".hint")).to_contain_text("--observe-act")
        card.get_by_role("button", name="large, blue envelope").click()
        expect(page.locator("#notice")).to_contain_text("--observe-act")
        state = reader.daemon.connect().ask(type="status", id="s", command="readonly")
        assert state["questions"]
