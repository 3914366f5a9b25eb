"""A chore in the browser from its words to ``finished``, beside a script of the same steps.

The script is what a person would write with Playwright: it knows the labels, and waits for what
Playwright waits for by itself. Both use a browser of their own and fetch the same page. They go
first by turns, for whoever comes second meets what the other's page still does.
"""

import json
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
from playwright.async_api import Page, async_playwright

from benchmarks.measuring import Budget, Figure, Remark
from benchmarks.serving import Server, daemon_command, server
from tools.browser.chromium import arguments
from tools.browser.finding import executable, is_found
from tools.settings import BrowserSettings

SETTINGS = BrowserSettings(mode="headless")
ROUNDS = 21
PAUSE_SECONDS = 0.15  # until both pages are drawn, and neither browser has anything to do
CHORE_LIMIT, GOING_LIMIT = 1.3, 1.2
ROWS = "".join(
    f"<tr><td>Dish {number}</td><td>{number} guilders</td><td><button>Order {number}</button></td>"
    f"<td><a href='#dish{number}'>About dish {number}</a></td></tr>"
    for number in range(50)
)
PAGE = f"""<!doctype html><title>A table for tonight</title><h1>A table for tonight</h1>
<form onsubmit="event.preventDefault(); said.textContent = 'A table for ' + guest.value">
<p><label>Guest <input id="guest"></label> <label>Telephone <input type="tel"></label></p>
<p><label>Occasion <input></label> <label>Room <select><option>Hall<option>Garden</select></label>
<label><input type="checkbox"> High chair</label> <button>Book the table</button></p>
</form><p id="said"></p><table>{ROWS}</table>"""
CHORE = (
    "enter Hopper in Guest, enter 5550100 in Telephone, enter birthday in Occasion, "
    "choose Garden as Room, tick High chair and press Book the table"
)


class Waiter(BaseHTTPRequestHandler):
    """Serves the one page."""

    def do_GET(self) -> None:
        body = PAGE.encode()
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served() -> Iterator[str]:
    """Serve the page; give its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Waiter) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{serving.server_port}/"
        finally:
            serving.shutdown()


def carry_out(daemon: Server, text: str) -> None:
    """Have a command carried out; it must succeed."""
    frame = {"type": "submit", "id": f"c{time.monotonic_ns()}", "session": "chores", "text": text}
    daemon.connection.sendall(json.dumps(frame).encode() + b"\n")
    rest = b""
    while True:
        *lines, rest = (rest + daemon.connection.recv(1 << 18)).split(b"\n")
        for event in map(json.loads, lines):
            if event["type"] == "finished":
                assert event["status"] == "success", event
                return


async def do_by_hand(page: Page) -> None:
    """Do the chore as a script would that was written for this page."""
    await page.get_by_label("Guest").fill("Hopper")
    await page.get_by_label("Telephone").fill("5550100")
    await page.get_by_label("Occasion").fill("birthday")
    await page.get_by_label("Room").select_option("Garden")
    await page.get_by_label("High chair").check()
    await page.get_by_role("button", name="Book the table").click()
    assert await page.locator("#said").inner_text() == "A table for Hopper"


async def timed(act: Callable[[], Awaitable[object]]) -> float:
    """Do something; give how long it took, in milliseconds."""
    await anyio.sleep(PAUSE_SECONDS)
    began = time.perf_counter()
    await act()
    return (time.perf_counter() - began) * 1000


async def measured(daemon: Server, url: str) -> list[Figure | Remark]:
    going = Figure("going to a page, by words", "ms", Budget(GOING_LIMIT))
    chore = Figure("a chore of six steps, by words", "ms", Budget(CHORE_LIMIT))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=executable(SETTINGS), args=arguments(None)
        )
        page = await browser.new_page(viewport={"width": SETTINGS.width, "height": SETTINGS.height})

        async def say(text: str) -> None:
            await anyio.to_thread.run_sync(carry_out, daemon, text)

        pairs = (
            (going, lambda: say(f"go to {url}"), lambda: page.goto(url)),
            (chore, lambda: say(CHORE), lambda: do_by_hand(page)),
        )
        for turn in range(-1, ROUNDS):  # the first is for what is loaded once
            for figure, ours, by_hand in pairs:
                cost, floor = 0.0, 0.0
                for is_ours in (turn % 2 == 0, turn % 2 != 0):
                    if is_ours:
                        cost = await timed(ours)
                    else:
                        floor = await timed(by_hand)
                if turn >= 0:
                    figure.costs.append(cost)
                    figure.floors.append(floor)
        await browser.close()
    return [going, chore]


def figures() -> Iterator[Figure | Remark]:
    """Measure, where there is a browser."""
    if not is_found(SETTINGS):
        yield Remark("no browser is found here", "left out")
        return
    with TemporaryDirectory() as name, served() as url:
        folder = Path(name)
        with server(daemon_command(folder), folder / "d") as daemon:
            yield from anyio.run(measured, daemon, url)
