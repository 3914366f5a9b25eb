"""Attacks on the policy of hosts: no page, no address and no way to write one reaches another host.

Every way is first seen to work where nothing is forbidden: an attack that works nowhere proves
nothing.
"""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.daemon import PATIENCE, Daemon, Event, running_daemon
from tests.web import Handler, Web
from tools.browser.host_proxy import HostProxy
from tools.browser.hosts import HostPolicy

HEADLESS = '[browser]\nmode = "headless"\n'
ENVIRONMENT = {"XDG_DATA_DIRS": "/nonexistent"}


class Noting(Handler):
    """Notes what is posted as well as what is asked for, and serves scripts as such."""

    def do_POST(self) -> None:  # noqa: N802 - the name that the server looks for
        self.do_GET()

    def send_header(self, keyword: str, value: str) -> None:
        script = keyword == "Content-Type" and self.path.endswith(".js")
        super().send_header(keyword, "text/javascript" if script else value)


class Ear:
    """Hears whatever is sent to it by UDP."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        self.heard: list[bytes] = []
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while data := self._socket.recv(2_000):
            self.heard.append(data)

    def close(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", ("127.0.0.1", self.port))
        self._thread.join()
        self._socket.close()


# What a page does to reach another host; ``{to}`` is where it must not come.
LEAVING = {
    "post": "<form action='{to}' method=post></form><script>document.forms[0].submit()</script>",
    "get": "<form action='{to}'></form><script>document.forms[0].submit()</script>",
    "refresh": "<meta http-equiv=refresh content='0;url={to}'>",
    "location": "<script>location = '{to}'</script>",
}
STAYING = {
    "open": "<script>window.open('{to}')</script>",
    "srcdoc": """<iframe srcdoc="<img src='{to}'>"></iframe>""",
    "data": """<iframe src="data:text/html,<img src='{to}'>"></iframe>""",
    "inner": "<script>const f = document.createElement('iframe'); f.src = '{to}';"
    "document.documentElement.append(f)</script>",
    "sandbox": "<iframe sandbox='allow-scripts' src='{to}'></iframe>",
    "object": "<object data='{to}'></object>",
    "embed": "<embed src='{to}' type='text/html'>",
    "image": "<img src='{to}'>",
    "style": "<link rel=stylesheet href='{to}'>",
    "import": "<style>@import '{to}';</style>",
    "script": "<script src='{to}'></script>",
    "module": "<script type=module>import '{to}'</script>",
    "media": "<video src='{to}' preload=auto autoplay></video>",
    "beacon": "<script>navigator.sendBeacon('{to}', 'x')</script>",
    "xhr": "<script>const x = new XMLHttpRequest(); x.open('POST', '{to}'); x.send('x')</script>",
    "keepalive": "<script>fetch('{to}', {{mode: 'no-cors', keepalive: true}})</script>",
    "events": "<script>new EventSource('{to}')</script>",
    "worker": "<script>const code = new Blob([\"importScripts('{to}')\"]);"
    "new Worker(URL.createObjectURL(code))</script>",
    "service": "<script>navigator.serviceWorker.register('/service.js')</script>",
    "moved": "<img src='/moved'>",
    "based": """<iframe srcdoc="<base href='{host}/'><img src='based'>"></iframe>""",
}
WAYS = {**LEAVING, **STAYING}
# A page tells its own server when it has tried: when it is left, when it is loaded, when no more
# addresses are looked for.
LEFT = "<script>addEventListener('pagehide', () => navigator.sendBeacon('/tried-{name}'))</script>"
LOADED = "<script>addEventListener('load', () => fetch('/tried-all'))</script>"
RTC = """<script>
const c = new RTCPeerConnection({{iceServers: [{{urls: 'stun:localhost:{port}'}}]}});
c.createDataChannel('x'); c.createOffer().then(o => c.setLocalDescription(o));
c.onicegatheringstatechange = () => c.iceGatheringState == 'complete' && fetch('/tried-rtc')
</script>"""


def pages_to(other: Web, ear: Ear) -> dict[str, str]:
    """Give the pages that try to reach ``localhost``."""
    host = other.url("", host="localhost")
    ways = {name: way.format(to=f"{host}/{name}", host=host) for name, way in WAYS.items()}
    pages = {f"/{name}": LEFT.format(name=name) + ways[name] for name in LEAVING}
    pages["/all"] = f"<h1>Here</h1>{LOADED}" + "\n".join(ways[name] for name in STAYING)
    pages["/rtc"] = f"<h1>Here</h1>{RTC.format(port=ear.port)}"
    pages["/service.js"] = f"importScripts('{host}/service')"
    return {**pages, **{f"/tried-{name}": "" for name in (*LEAVING, "all", "rtc")}}


@dataclass(frozen=True)
class Attacked:
    """A daemon that visited all pages, the server of these, and the one they try to reach."""

    daemon: Daemon
    web: Web
    other: Web
    ear: Ear


@contextmanager
def attacked(folder: Path, *hosts: str) -> Iterator[Attacked]:
    """Visit every page, where these hosts are allowed."""
    ear = Ear()
    with Web(dict.fromkeys((f"/{name}" for name in WAYS), "")) as other:
        moves = {"/moved": other.url("/moved", host="localhost")}
        settings = f"{HEADLESS}allow = {list(hosts)}\n"
        with (
            Web(pages_to(other, ear), moves=moves) as web,
            running_daemon(folder, settings=settings, environment=ENVIRONMENT) as daemon,
        ):
            web.RequestHandlerClass = other.RequestHandlerClass = Noting
            for name in (*LEAVING, "all", "rtc"):
                navigated(daemon, [web.url(f"/{name}")])
                assert arrived(web.asked, {f"/tried-{name}"}), name
            yield Attacked(daemon, web, other, ear)
    ear.close()


def navigated(daemon: Daemon, urls: list[str]) -> list[Event]:
    """Go to each of these addresses; give how it ended."""
    wire, ends = daemon.connect(120.0), []
    for number, url in enumerate(urls):
        goals = [{"domain": "browser", "verb": "navigate", "params": {"url": url}}]
        ends.append(wire.run(f"{url} {number}"[:200], goals=goals, session="one")[-1])
    return ends


def arrived(asked: list[str], wanted: set[str]) -> bool:
    """Wait until all that is wanted was asked for."""
    end = time.monotonic() + PATIENCE
    while not wanted <= set(asked):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)  # another process's doing: there is nothing to wait on
    return True


def test_every_way_out_of_a_page_reaches_a_host_that_is_allowed(tmp_path: Path) -> None:
    with attacked(tmp_path, "127.0.0.1", "localhost") as attack:
        asked = attack.other.asked
        assert arrived(asked, {f"/{name}" for name in WAYS}), {f"/{way}" for way in WAYS} - {*asked}


def test_no_way_out_of_a_page_reaches_a_host_that_is_not_allowed(tmp_path: Path) -> None:
    with attacked(tmp_path, "127.0.0.1") as attack:
        assert {"/service.js", "/moved"} <= set(attack.web.asked)
        wire = attack.daemon.connect(120.0)
        read = wire.run("read", text="read the heading", session="one")[-1]
        assert read["results"][0]["output"] == "Here"
    assert attack.other.asked == []
    assert attack.ear.heard == []


# How a host can be written

REFUSED = {"NOT_ALLOWED", "VALIDATION_FAILED", "BLOCKED", "NOT_UNDERSTOOD"}
TRICKS = [
    "http://127.0.0.1@localhost:{port}/",
    "http://127.0.0.1:80@localhost:{port}/",
    "http://127.0.0.1%40localhost:{port}/",
    "http://127.0.0.1\\@localhost:{port}/",
    "http:\\\\localhost:{port}\\",
    "http://localhost:{port}/#@127.0.0.1/",
    "http://localhost:{port}?@127.0.0.1/",
    "http://localhost:{port}/127.0.0.1",
    "http://127.0.0.1.localhost:{port}/",
    "http://localhost.:{port}/",
    "HTTP://LOCALHOST:{port}/",
    "http://ｌocalhost:{port}/",
    "http://local\u00adhost:{port}/",
    "http://loc\talhost:{port}/",
    "\x01http://localhost:{port}/",
    "http:localhost:{port}/",
    "http:/localhost:{port}/",
    "http:///localhost:{port}/",
    "//localhost:{port}/",
    "http://[::1]:{port}/",
    "http://[::ffff:7f00:2]:{port}/",
    "http://127.0.0.2:{port}/",
    "http://127.0.0.0x2:{port}/",
    "http://localhost:0{port}/",
    "view-source:http://localhost:{port}/",
    "blob:http://localhost:{port}/",
    "filesystem:http://localhost:{port}/",
    "data:text/html,<meta http-equiv=refresh content='0;url=http://localhost:{port}/'>",
    "javascript:location='http://localhost:{port}/'",
    "ws://localhost:{port}/",
    "ftp://localhost:{port}/",
    "file:///etc/passwd",
    "chrome://settings",
    "about:blank",
]
DENIED_WAYS = [
    *("127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1"),
    *(
        "017700000001",
        "127.0.0x.1",
        "0",
        "0x0",
        "0.0.0x.0",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
    ),
    *("127.0.0.1.", "１２７.0.0.1", "127。0。0。1", "localhost", "LOCALHOST"),
]


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    with Web({"/": "<title>Reached</title>"}) as serving:
        yield serving


def refusal_of(end: Event) -> str:
    """Give the code of a refusal; an address with a password in it is refused before planning."""
    return str(end["results"][0]["code"] if end["results"] else end["code"])


def test_no_way_to_write_an_address_makes_it_another_host(tmp_path: Path, web: Web) -> None:
    web.asked.clear()
    settings = f'{HEADLESS}allow = ["127.0.0.1"]\n'
    urls = [trick.format(port=web.port) for trick in TRICKS]
    with running_daemon(tmp_path, settings=settings, environment=ENVIRONMENT) as daemon:
        ends = navigated(daemon, urls)
        codes = {url: refusal_of(end) for url, end in zip(urls, ends, strict=True)}
        assert {url: code for url, code in codes.items() if code not in REFUSED} == {}
        assert web.asked == []
        (allowed,) = navigated(daemon, [web.url("/")])
        assert allowed["status"] == "success"


def test_a_denied_address_is_denied_however_it_is_written(tmp_path: Path, web: Web) -> None:
    web.asked.clear()
    settings = f'{HEADLESS}deny = ["127.0.0.1", "::1"]\n'
    urls = [f"http://{host}:{web.port}/" for host in DENIED_WAYS]
    with running_daemon(tmp_path, settings=settings, environment=ENVIRONMENT) as daemon:
        ends = navigated(daemon, urls)
    codes = {url: end["results"][0]["code"] for url, end in zip(urls, ends, strict=True)}
    assert {url: code for url, code in codes.items() if code not in REFUSED} == {}
    assert web.asked == []


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("example.org", True),
        ("ＥＸＡＭＰＬＥ.org", True),
        ("example。org", True),
        ("еxample.org", False),  # the first letter is Cyrillic
        ("xn--xample-2of.org", False),
        ("example.org\u200b.evil.com", False),
        ("example.org\u0000.evil.com", False),
        ("exàmple.org", False),
        ("example.0rg", False),
        ("example.org:80", False),
        ("example.org/", False),
        ("*.example.org", False),
        ("*", False),
        ("straße.de", True),
        ("xn--strae-oqa.de", True),
        ("strasse.de", False),
        ("127.0.0.0b1", False),
        ("1_27.0.0.1", False),
        ("8.8.8.010", True),
        ("8.8.8.8", True),
    ],
)
def test_a_host_that_looks_like_an_allowed_one_is_another(host: str, *, allowed: bool) -> None:
    policy = HostPolicy.of(["example.org", "straße.de", "127.0.0.1", "8.8.8.8"], [])
    assert policy.allows(host) is allowed


# The gate itself


@pytest.mark.parametrize(
    "head",
    [
        "CONNECT localhost:{port} HTTP/1.1\r\n\r\n",
        "CONNECT 127.0.0.1@localhost:{port} HTTP/1.1\r\n\r\n",
        "CONNECT [::1]:{port} HTTP/1.1\r\n\r\n",
        "GET http://localhost:{port}/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET http://127.0.0.1@localhost:{port}/ HTTP/1.1\r\n\r\n",
        "GET //localhost:{port}/ HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
        "GET http://127.0.0.1:99999/ HTTP/1.1\r\n\r\n",
        "GET http://[127.0.0.1/ HTTP/1.1\r\n\r\n",
        "GET http://localhost:{port}/\r\n\r\n",
        "\r\n\r\n",
        "x" * 100_000,
    ],
)
async def test_the_gate_lets_nothing_through_that_it_does_not_understand(
    web: Web, head: str
) -> None:
    web.asked.clear()
    gate = HostProxy(HostPolicy.of(["127.0.0.1"], []))
    port = int((await gate.open()).rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(head.format(port=web.port).encode())
    writer.write_eof()
    answer = await asyncio.wait_for(reader.read(), PATIENCE)
    assert answer == b"" or answer.startswith((b"HTTP/1.1 403", b"HTTP/1.1 502"))
    writer.close()
    await writer.wait_closed()
    await gate.close()
    assert web.asked == []


# The desktop's own browser


def test_a_browser_that_nobody_watches_is_not_used_where_hosts_are_limited(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    program = tmp_path / "browser"
    program.write_text(f"#!/bin/sh\ntouch {marker}\n")
    program.chmod(0o755)
    settings = '[browser]\nmode = "off"\nallow = ["example.org"]\n'
    environment = {**ENVIRONMENT, "BROWSER": str(program)}
    with running_daemon(tmp_path, settings=settings, environment=environment) as daemon:
        (end,) = navigated(daemon, ["http://evil.com/"])
    assert end["results"][0]["code"] == "NO_CAPABILITY"
    assert not marker.exists()
