"""The browser beside raw Playwright, on the same page of the same browser.

A click on a target that is bound, against Playwright's own click: in turns, the median of the
differences. A snapshot with the resolution of words, against a bare round trip.
"""

import time
from collections.abc import Iterator
from random import Random
from statistics import median

import anyio
from playwright.async_api import ElementHandle, JSHandle

from actors.target_resolver.page.binding import resolve_on_page
from benchmarks.measuring import Budget, Figure, Remark
from messages.pages import Page
from messages.phrases import ParsedCommand, Phrase
from messages.targets import Query, Success
from messages.worlds import World
from tools.browser.actions import PageActions
from tools.browser.chromium import Chromium
from tools.browser.finding import is_found
from tools.browser.hosts import HostPolicy
from tools.browser.lanes import Lanes
from tools.browser.params import Click
from tools.browser.pointing import click
from tools.browser.tab import Tab
from tools.files.roots import Roots
from tools.memory import settle_memory
from tools.settings import BrowserSettings

CLICKS = 80
FRAME_SECONDS = 1 / 60
LOOKS = 9
LANE = "bench|"
SETTINGS = BrowserSettings(mode="headless")
SMALL, LARGE = 1_000, 10_000


def page_of(count: int) -> str:
    """Make a page of so many elements, as lists of products have them: three for each."""
    rows = "".join(
        f"<li><a href='#{number}'>Product {number}</a><button>Buy {number}</button></li>"
        for number in range(count // 3)
    )
    return f"<title>Bench</title><h1>Products</h1><ul>{rows}</ul>"


def words(text: str) -> Query:
    reading = ParsedCommand("click", "click", direct_span=text, direct=Phrase(text))
    return Query((reading,), {}, World())


def bound(page: Page, text: str) -> str:
    """Bind words on a page; they must mean one element."""
    outcome = resolve_on_page(words(text), page).outcome
    assert isinstance(outcome, Success), outcome
    target = outcome.bindings[0].direct_target
    assert target is not None
    return target.id


async def no_download(*_: object) -> None:
    """Nothing is downloaded here."""


async def clicks(actions: PageActions, tab: Tab) -> tuple[list[float], list[float]]:
    """Click the same button by turns: as the daemon does, and as Playwright does by itself."""
    await tab.page.set_content("<button>Buy</button>")
    target = bound(await tab.look(), "Buy")
    raw = await tab.page.query_selector("button")
    assert isinstance(raw, ElementHandle)
    own, floor = [], []
    moments = Random(7)  # noqa: S311 - moments, not secrets
    for _ in range(CLICKS):
        # Clicks wait for frames: one that follows another at once would always find the same phase.
        await anyio.sleep(FRAME_SECONDS * moments.random())
        began = time.perf_counter()
        await raw.click()
        floor.append((time.perf_counter() - began) * 1000)
        await anyio.sleep(FRAME_SECONDS * moments.random())
        began = time.perf_counter()
        await click(actions, Click(lane=LANE, selector=target))
        own.append((time.perf_counter() - began) * 1000)
    return own, floor


async def looks(tab: Tab, count: int, figure: Figure) -> None:
    """See a page and bind words on it; the floor is a round trip that does nothing."""
    await tab.page.set_content(page_of(count))
    wanted = f"Buy {count // 6}"
    await tab.look()
    handle: JSHandle = tab.registries[tab.page.main_frame].handle
    for _ in range(LOOKS):
        began = time.perf_counter()
        await handle.evaluate("r => 1")
        between = time.perf_counter()
        bound(await tab.look(colours=False), wanted)  # as for all words without a colour
        figure.add((time.perf_counter() - between) * 1000, (between - began) * 1000)


async def measured() -> list[Figure | Remark]:
    chromium = Chromium(SETTINGS)
    lanes = Lanes(chromium, no_download)
    actions = PageActions(lanes, Roots({}), "", HostPolicy())
    try:
        tab = await lanes.tab(LANE)
        own, floor = await clicks(actions, tab)
        differences = [one - other for one, other in zip(own, floor, strict=True)]
        share = median(differences) / median(floor)
        allowed = max(2.0, 0.05 * median(floor))
        found: list[Figure | Remark] = [
            Figure(
                "a click more than Playwright's own", "ms", Budget(allowed, "absolute"), differences
            ),
            Remark("  Playwright's own click", f"{median(floor):.1f} ms"),
            Remark("  which is of it", f"{share:.1%}"),
        ]
        for count, limit in ((SMALL, 20.0), (LARGE, 100.0)):
            name = f"a page of {count:,} seen and bound, over a trip"
            figure = Figure(name, "ms", Budget(limit, "over"))
            await looks(tab, count, figure)
            found.append(figure)
        return found
    finally:
        await lanes.close()


def figures() -> Iterator[Figure | Remark]:
    """Measure, where there is a browser."""
    settle_memory()
    if is_found(SETTINGS):
        yield from anyio.run(measured)
    else:
        yield Remark("no browser is found here", "left out")
