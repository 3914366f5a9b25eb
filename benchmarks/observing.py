"""The observer page: a command of 200 goals, from asking for its page until its graph is drawn."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

from benchmarks.measuring import ROUNDS, Budget, Figure, Remark
from benchmarks.serving import daemon_command, server
from tools.browser.finding import executable, is_found
from tools.settings import BrowserSettings

GOALS, ABREAST = 200, 8
TIME = {"domain": "system", "verb": "get", "params": {"target": "time"}}
COMMAND = "large"
SETTINGS = BrowserSettings(mode="headless")


def figures() -> Iterator[Figure | Remark]:
    """Measure the page of a large command beside an empty page of the same server."""
    if not is_found(SETTINGS):
        yield Remark("no browser is found: the observer page was not measured")
        return
    figure = Figure(f"observer: a graph of {GOALS} goals drawn", "ms", Budget(1_000.0, "cost"))
    with TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        errors = folder / "errors"
        command = [*daemon_command(folder), "--observe"]
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=executable(SETTINGS), args=flags)
        with server(command, folder / "d", errors) as daemon:
            assert daemon.finish(large_command())["status"] == "success"
            page = browser.new_page()
            link = errors.read_text().split()[-1]
            address = link.partition("/enter")[0]
            page.goto(link)
            page.wait_for_url(f"{address}/")
            for _ in range(ROUNDS):
                empty = shown(page, f"{address}/recipes", "main h1")
                drawn = f'body[data-drawn-nodes="{GOALS}"]'
                figure.add(shown(page, f"{address}/command?id={COMMAND}", drawn), empty)
        browser.close()
    yield figure


def large_command() -> bytes:
    """Give a command whose goals wait for each other, so many abreast."""
    goals = [
        TIME if number < ABREAST else {**TIME, "scope": f"after:g{number - ABREAST}"}
        for number in range(GOALS)
    ]
    return json.dumps({"type": "submit", "id": COMMAND, "goals": goals}).encode() + b"\n"


def shown(page: Page, address: str, sign: str) -> float:
    """Go to a page and wait until something is on it; give how long that took."""
    began = time.perf_counter()
    page.goto(address)
    page.wait_for_selector(sign)
    return (time.perf_counter() - began) * 1_000
