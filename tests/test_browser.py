"""The browser as a part that can fail: branches, lanes, death, pages that misbehave, hosts."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from actors.target_resolver.page.binding import resolve_on_page
from actors.target_resolver.page.tabs import tab_meant
from messages.pages import Affords, Element, Frame, OpenTab, Page, Sheet
from messages.phrases import ParsedCommand, Phrase
from messages.results import Code
from messages.targets import Query, Success
from messages.worlds import World
from tests.daemon import Daemon, Event, running_daemon
from tests.web import Web
from tools.browser.finding import system_browser
from tools.browser.hosts import HostPolicy

HEADLESS = '[browser]\nmode = "headless"\n'
TITLED = {f"/{name}": f"<title>Page {name}</title><h1>{name}</h1>" for name in "abcdefgh"}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running_daemon(tmp_path_factory.mktemp("browser"), settings=HEADLESS) as running:
        yield running


def said(daemon: Daemon, command: str, text: str, **more: object) -> Event:
    """Send a command and give how it ended."""
    wire = daemon.connect(120.0)
    return wire.run(command, text=text, session=str(more.pop("session", command)), **more)[-1]


def outputs(finished: Event) -> list[Any]:
    return [result["output"] for result in finished["results"]]


# Branches and lanes


def test_branches_of_one_sentence_run_at_once(daemon: Daemon) -> None:
    with Web(TITLED, gathers=4) as web:
        text = ", ".join(f"go to {web.url(f'/{name}')} and read the title" for name in "efgh")
        finished = said(daemon, "sentence", text)
    assert finished["status"] == "success", finished
    assert outputs(finished)[1::2] == ["Page e", "Page f", "Page g", "Page h"]


def test_four_independent_branches_truly_run_at_once(daemon: Daemon) -> None:
    # The server answers none of them before all four have come.
    with Web(TITLED, gathers=4) as web:
        goals = []
        for number, name in enumerate("abcd"):
            goals.append(
                {"domain": "browser", "verb": "navigate", "params": {"url": web.url(f"/{name}")}}
            )
            goals.append(
                {
                    "domain": "browser",
                    "verb": "read",
                    "params": {"what": "title"},
                    "scope": f"after:g{2 * number}",
                }
            )
        wire = daemon.connect(60.0)
        finished = wire.run("four", goals=goals, session="four")[-1]
    assert finished["status"] == "success", finished
    assert outputs(finished)[1::2] == ["Page a", "Page b", "Page c", "Page d"]


def test_a_hundred_branches_all_get_their_turn_and_few_tabs_stay(daemon: Daemon) -> None:
    with Web({f"/{n}": f"<title>T{n}</title>" for n in range(100)}) as web:
        goals: list[dict[str, object]] = []
        for number in range(100):
            url = web.url(f"/{number}")
            goals.append({"domain": "browser", "verb": "navigate", "params": {"url": url}})
            read = {"domain": "browser", "verb": "read", "params": {"what": "title"}}
            goals.append({**read, "scope": f"after:g{2 * number}"})
        wire = daemon.connect(300.0)
        finished = wire.run("hundred", goals=goals, session="hundred")[-1]
        assert finished["status"] == "success", finished["message"]
        assert outputs(finished)[1::2] == [f"T{number}" for number in range(100)]
    assert len(renderers(daemon)) < 40


def renderers(daemon: Daemon) -> list[psutil.Process]:
    children = psutil.Process(daemon.process.pid).children(recursive=True)
    return [each for each in children if "--type=renderer" in " ".join(command_of(each))]


def command_of(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_a_later_command_goes_on_where_the_session_left_off(daemon: Daemon) -> None:
    with Web(TITLED) as web:
        said(daemon, "s1", f"go to {web.url('/a')}", session="going")
        said(daemon, "s2", f"go to {web.url('/b')}", session="other")
        assert outputs(said(daemon, "s3", "read the title", session="going")) == ["Page a"]
        assert outputs(said(daemon, "s4", "read the title", session="other")) == ["Page b"]


# What can go wrong


def test_the_death_of_the_browser_is_reported_and_the_next_command_works(tmp_path: Path) -> None:
    slow = {"/slow": "<title>Slow</title>" + "<p>text</p>", **TITLED}
    with Web(slow) as web, running_daemon(tmp_path, settings=HEADLESS) as daemon:
        assert said(daemon, "k1", f"go to {web.url('/a')}", session="k")["status"] == "success"
        wire = daemon.connect(60.0)
        wire.submit("k2", text="wait until the Never button appears", session="k")
        wire.read_until(type="planned", command="k2")
        for process in browsers(daemon):
            os.kill(process.pid, signal.SIGKILL)
        finished = wire.read_until(type="finished", command="k2")[-1]
        assert finished["status"] == "failed"
        assert finished["code"] in {"UNAVAILABLE", "CRASHED"}
        again = said(daemon, "k3", f"go to {web.url('/b')} and read the title", session="k")
        assert again["status"] == "success", again


def browsers(daemon: Daemon) -> list[psutil.Process]:
    children = psutil.Process(daemon.process.pid).children(recursive=True)
    return [
        each
        for each in children
        if (command := command_of(each))
        and "chrom" in command[0]
        and not any(word.startswith("--type=") for word in command)
    ]


def test_a_page_that_never_finishes_loading_can_be_used(daemon: Daemon) -> None:
    page = "<title>Endless</title><h1>Here</h1><button>Go</button>"
    with Web({"/endless": page}, endless=frozenset({"/endless"})) as web:
        finished = said(daemon, "endless", f"go to {web.url('/endless')} and read the heading")
    assert finished["status"] == "success", finished
    assert outputs(finished)[1] == "Here"


def test_what_the_server_refuses_is_a_failure_with_its_status(daemon: Daemon) -> None:
    with Web({"/down": "broken"}, statuses={"/down": 503}) as web:
        missing = said(daemon, "missing", f"go to {web.url('/nothing')}")
        down = said(daemon, "down", f"go to {web.url('/down')}")
    assert (missing["code"], down["code"]) == ("PAGE_ERROR", "PAGE_ERROR")
    assert "404" in missing["message"]
    assert "503" in down["message"]


def test_after_an_address_that_cannot_be_reached_the_next_one_can(daemon: Daemon) -> None:
    """The browser is still busy showing its error then, and drops what comes meanwhile."""
    with Web({"/gone": "gone"}) as web:
        gone = web.url("/gone")
    with Web({"/there": "<title>There</title>"}) as web:
        for number in range(10):
            missed = said(daemon, f"missed-{number}", f"go to {gone}", session="both")
            there = f"go to {web.url('/there')}"
            found = said(daemon, f"found-{number}", there, session="both")
            assert (missed["code"], found["status"]) == ("UNAVAILABLE", "success"), found


def test_a_certificate_that_nobody_trusts_is_named(daemon: Daemon, tmp_path: Path) -> None:
    certificate = tmp_path / "own.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    command += ["-subj", "/CN=x"]
    command += ["-keyout", str(certificate), "-out", str(tmp_path / "cert.pem")]
    subprocess.run(command, check=True, capture_output=True)
    certificate.write_text(certificate.read_text() + (tmp_path / "cert.pem").read_text())
    with Web({"/": "hi"}, certificate=certificate) as web:
        finished = said(daemon, "cert", f"go to {web.url('/')}")
    assert finished["code"] == "PAGE_ERROR"
    assert "certificate" in finished["message"]


def test_a_storm_of_alerts_ends(daemon: Daemon) -> None:
    page = "<button onclick='while (true) alert(1)'>Storm</button>"
    with Web({"/storm": page, **TITLED}) as web:
        finished = said(daemon, "storm", f"go to {web.url('/storm')} and click Storm", session="st")
        assert finished["status"] in {"failed", "partial"}, finished
        after = said(daemon, "calm", f"go to {web.url('/a')} and read the title", session="st")
    assert after["status"] == "success", after


def test_a_page_of_fifty_thousand_elements_is_used(daemon: Daemon) -> None:
    rows = "".join(f"<li><a href='#{n}'>Entry {n}</a></li>" for n in range(25_000))
    with Web({"/big": f"<title>Big</title><h1>Big</h1><ul>{rows}</ul>"}) as web:
        finished = said(
            daemon, "big", f"go to {web.url('/big')} and click Entry 12345", session="b"
        )
        assert finished["status"] == "success", finished
        where = said(daemon, "where", "read the url", session="b")
    assert outputs(where)[0].endswith("#12345")


# A browser that runs already


@contextmanager
def running_chromium(folder: Path) -> Iterator[str]:
    """Run a browser of the user's, and say where it can be attached to."""
    program = system_browser()
    assert program is not None
    command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"]
    command += ["--remote-debugging-port=0", f"--user-data-dir={folder}", "about:blank"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if "DevTools listening on ws://" in line:
                yield "http://" + line.partition("ws://")[2].partition("/")[0]
                break
    finally:
        process.terminate()
        process.wait(20)
        process.stderr.close()


def test_a_running_browser_is_attached_to_and_left_running(tmp_path: Path) -> None:
    with Web(TITLED) as web, running_chromium(tmp_path / "profile") as address:
        settings = f'[browser]\ncdp_url = "{address}"\n'
        with running_daemon(tmp_path, settings=settings) as daemon:
            finished = said(daemon, "cdp", f"go to {web.url('/c')} and read the title")
            assert outputs(finished)[1] == "Page c"
            assert browsers(daemon) == []
        with running_daemon(tmp_path, settings=settings) as daemon:
            finished = said(daemon, "cdp2", f"go to {web.url('/d')} and read the title")
            assert outputs(finished)[1] == "Page d"


GUARDED = """<title>Guard</title><p id=q>Are you a person?</p><script>
  const look = async () => {
    if ((await (await fetch("/solved")).text()) === "yes") {
      q.outerHTML = "<button onclick=\\"document.title = 'Through'\\">Enter</button>";
    } else setTimeout(look, 50);
  };
  look();
</script>"""


def test_a_person_takes_the_page_over_and_hands_it_back_with_an_answer(tmp_path: Path) -> None:
    pages = {"/": GUARDED, "/solved": "no"}
    with (
        Web(pages) as web,
        running_chromium(tmp_path / "profile") as address,
        running_daemon(tmp_path, settings=f'[browser]\ncdp_url = "{address}"\n') as daemon,
    ):
        wire = daemon.connect(60.0)
        text = f"go to {web.url('/')}, let me solve the captcha and click Enter"
        wire.submit("c", text=text, session="c")
        question = wire.read_until(type="question")[-1]
        assert "the captcha" in question["message"]
        pages["/solved"] = "yes"  # what the person does
        wire.send({"type": "answer", "id": "a", "question": "c:q1", "choice": "done"})
        finished = wire.read_until(type="finished")[-1]
        assert finished["status"] == "success", finished
        assert finished["results"][1]["output"]["answer"] == "done"
        assert outputs(wire.run("t", text="read the title", session="c")[-1]) == ["Through"]

        wire.submit("d", text="wait for me to log in", session="c")
        question = wire.read_until(type="question")[-1]
        wire.send(
            {"type": "answer", "id": "a", "question": question["question"], "choice": "cancel"}
        )
        assert wire.read_until(type="finished")[-1]["code"] == "CANCELLED"


def test_a_page_that_nobody_sees_is_not_handed_over(daemon: Daemon) -> None:
    finished = said(daemon, "unseen", "let me solve the captcha")
    assert finished["code"] == "NO_CAPABILITY"


# Secrets


def test_a_password_is_typed_and_shows_nowhere(daemon: Daemon) -> None:
    page = "<title>In</title><label>Password <input type=password></label><button>Go</button>"
    with Web({"/in": page}) as web:
        said(daemon, "w1", f"go to {web.url('/in')}", session="w")
        finished = said(daemon, "w2", "type Xyzzy-4711 in the password field", session="w")
        assert finished["status"] == "success", finished
        read = said(daemon, "w3", "read the value of the password field", session="w")
        said(daemon, "w4", "take a screenshot and save it as in.png", session="w")
    assert "Xyzzy" not in str(outputs(finished)) + str(outputs(read))
    assert not any("Xyzzy" in str(record) for record in daemon.log())
    assert (daemon.root / "in.png").read_bytes().startswith(b"\x89PNG")


# Hosts


def test_a_host_that_is_not_allowed_is_reached_by_no_way(tmp_path: Path) -> None:
    with Web({"/secret": "<title>Secret</title>"}) as other:
        secret = other.url("/secret", host="localhost")
        pages = {
            "/frame": f"<title>Frame</title><h1>Here</h1><iframe src='{secret}'></iframe>",
            "/script": f"<h1>Here</h1><script>fetch('{secret}', {{mode: 'no-cors'}})</script>",
            "/link": f"<a href='{secret}'>Leave</a>",
            "/socket": f"<h1>Here</h1><script>new WebSocket('ws://localhost:{other.port}')</script>",
        }
        settings = HEADLESS + 'allow = ["127.0.0.1"]\n'
        with (
            Web(pages, moves={"/away": secret}) as web,
            running_daemon(tmp_path, settings=settings) as daemon,
        ):
            assert said(daemon, "h0", f"go to {secret}")["code"] == "NOT_ALLOWED"
            assert said(daemon, "h1", f"go to {web.url('/away')}")["code"] == "NOT_ALLOWED"
            for name in ("frame", "script", "socket"):
                read = said(
                    daemon, f"h2{name}", f"go to {web.url('/' + name)} and read the heading"
                )
                assert outputs(read)[1] == "Here", read
            said(daemon, "h3", f"go to {web.url('/link')} and click Leave")
        assert other.asked == []


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("example.org", True),
        ("EXAMPLE.org.", True),
        ("a.example.org", False),
        ("a.b.example.net", True),
        ("example.net", False),
        ("evil-example.org", False),
        ("example.org.evil.com", False),
        ("127.0.0.1", False),
        ("2130706433", False),
        ("0x7f.1", False),
        ("[::1]", False),
        ("denied.example.net", False),
        ("", False),
    ],
)
def test_hosts_are_judged_by_what_they_are(host: str, *, allowed: bool) -> None:
    policy = HostPolicy.of(["example.org", "*.example.net"], ["denied.example.net"])
    assert policy.allows(host) is allowed


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "chrome://version",
        "http://example.org@evil.com/",
        "https://evil.com\\@example.org",
        "http:///x",
        "ftp://example.org",
    ],
)
def test_addresses_that_are_none_are_refused(url: str) -> None:
    assert HostPolicy.of(["example.org"], []).refusal(url) is not None


def test_an_empty_list_of_hosts_allows_none() -> None:
    assert not HostPolicy.of([], []).allows("example.org")


# What the verbs promise


def test_tabs_are_told_by_their_titles_and_numbers(daemon: Daemon) -> None:
    with Web(TITLED) as web:
        said(daemon, "t1", f"go to {web.url('/a')}", session="tabs")
        said(daemon, "t2", f"open {web.url('/b')} in a new tab", session="tabs")
        said(daemon, "t3", "open a new tab", session="tabs")
        by_number = said(daemon, "t4", "switch to the first tab and read the title", session="tabs")
        by_title = said(daemon, "t5", "switch to the tab Page b", session="tabs")
        missing = said(daemon, "t6", "switch to the tab Page z", session="tabs")
        closed = said(daemon, "t7", "close the tab Page b and read the title", session="tabs")
    assert outputs(by_number)[1] == "Page a", by_number
    assert outputs(by_title)[0]["title"] == "Page b", by_title
    assert missing["code"] == "TARGET_NOT_FOUND"
    assert closed["results"][0]["status"] == "success", closed
    assert closed["results"][1]["message"] == "the page has no title"  # the blank tab is shown now


@pytest.mark.parametrize(
    ("words", "number"),
    [("the second tab", 2), ("the last tab", 3), ("the second to last tab", 2), ("tab 3", 3)],
)
def test_tabs_are_counted_from_either_end(words: str, number: int) -> None:
    tabs = (OpenTab(at + 40, f"Page {name}", f"http://x/{name}") for at, name in enumerate("abc"))
    page = Page(tabs=tuple(tabs))
    assert tab_meant(page, words) == [page.tabs[number - 1]]


@pytest.mark.parametrize(("cut", "found"), [(True, False), (False, True)])
def test_of_a_page_that_was_cut_nobody_takes_all(cut: bool, found: bool) -> None:  # noqa: FBT001
    uses = Affords.CHECK | Affords.CLICK
    boxes = [Element(at, "checkbox", (0, 20 * at, 10, 10), -1, f"Box {at}", uses) for at in (1, 2)]
    size = (800, 600)
    sheet = Sheet("http://x", "Boxes", size, size, (0, 0), "complete", 999, cut, tuple(boxes))
    words = ParsedCommand("check", "check", direct_span="all checkboxes", direct=Phrase("all"))
    page = Page((Frame("d1", sheet),))
    outcome = resolve_on_page(Query((words,), {}, World()), page).outcome
    assert isinstance(outcome, Success) is found
    assert isinstance(outcome, Success) or outcome.code is Code.NOT_FEASIBLE


def test_selecting_a_box_that_is_checked_leaves_it_checked(daemon: Daemon) -> None:
    page = (
        "<label><input type=checkbox checked onchange='document.title=this.checked'> Milk</label>"
    )
    with Web({"/": f"<title>still</title>{page}"}) as web:
        text = f"go to {web.url('/')}, select Milk and read the title"
        finished = said(daemon, "boxed", text)
    assert outputs(finished)[2] == "still", finished


def test_a_field_that_does_not_take_the_text_is_no_success(daemon: Daemon) -> None:
    pages = {
        "/short": "<label>Code <input maxlength=3></label>",
        "/own": "<label>Code <input oninput='this.value = \"nope\"'></label>",
        "/mask": "<label>Phone <input oninput='value = `(${value.replace(/\\D/g, ``)}`'></label>",
    }
    with Web(pages) as web:
        short = said(daemon, "f1", f"go to {web.url('/short')} and type abcdef in Code")
        own = said(daemon, "f2", f"go to {web.url('/own')} and type hello in Code")
        mask = said(daemon, "f3", f"go to {web.url('/mask')} and type 5550100 in Phone")
    assert (short["code"], own["code"]) == ("EFFECT_MISSING", "EFFECT_MISSING")
    assert [result["verified"] for result in mask["results"]] == [True, True]


def test_a_download_that_nobody_asked_for_by_name_is_told(daemon: Daemon) -> None:
    link = "<a download='list.txt' href='data:text/plain,milk'>Get it</a>"
    with Web({"/": link}) as web:
        text = f"go to {web.url('/')}, click Get it and reload the page"
        finished = said(daemon, "got", text)
    told = [output["downloaded"] for output in outputs(finished) if "downloaded" in (output or ())]
    path = Path(told[0])
    assert (path.parent, path.read_text()) == (daemon.root, "milk")


def test_a_profile_keeps_what_pages_remember(tmp_path: Path) -> None:
    script = "o.textContent = localStorage.x || 'new'; localStorage.x = 'known'"
    page = f"<p id=o></p><script>{script}</script>"
    settings = HEADLESS + f'profile = "{tmp_path / "profile"}"\n'
    with Web({"/": page}) as web:
        seen = []
        for name in ("first", "second"):
            with running_daemon(tmp_path, settings=settings) as daemon:
                finished = said(daemon, name, f"go to {web.url('/')} and read the paragraph")
                seen.append(outputs(finished)[1])
    assert seen == ["new", "known"]


def test_a_click_never_reaches_what_comes_between(daemon: Daemon) -> None:
    # What covers the button appears under the pointer, after all looks and before the click.
    page = """<title>Veil</title><p><button id=b>Pay</button>
    <div id=veil style="display:none;position:fixed;inset:0;background:#0008"></div>
    <script>
      const note = text => document.title += " " + text;
      addEventListener("mousemove", () => { veil.style.display = "block"; }, true);
      b.onclick = () => note("paid");
      for (const type of ["mousedown", "click"]) veil.addEventListener(type, () => note("veil"));
    </script>"""
    with Web({"/": page}) as web:
        finished = said(daemon, "veil", f"go to {web.url('/')} and click Pay", session="veil")
        title = said(daemon, "veil title", "read the title", session="veil")
    assert finished["code"] == "TARGET_COVERED", finished
    assert outputs(title) == ["Veil"]
