"""Clicks on what is no control: whether anything on the page can hear them, and whether it did.

What the page's pass takes for a control is clicked without a question. A plain text, a cell or a
heading may have a listener that a script attached: the browser knows, and is asked. Where only the
page as a whole listens, as libraries do, a click after which nothing changes came to nothing.
"""

from dataclasses import dataclass
from typing import Any, Literal

from playwright.async_api import ElementHandle, Error, Position

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.browser.scripting import script
from tools.browser.tab import Registry, Tab

LISTENERS = script("listeners")
SORT_AT = "(r, [el, x, y]) => r.sortAt(el, x, y)"
TEXT = "el => (el.innerText || el.textContent || el.localName).trim().split(/\\s+/).join(' ')"
MOST_TEXT = 60
LOOK_MS = 1_000.0

# Who hears a click: what is clicked, something around it, only the page as a whole, nobody.
Hearing = Literal["own", "near", "far", ""]


@dataclass(frozen=True, slots=True)
class PlainClick:
    """A click on what looks like no control: who hears it, and how the page stood before it."""

    tab: Tab
    registry: Registry
    name: str
    hearing: Hearing
    changes: int
    url: str
    moved_at: float

    async def came_to(self, outcome: Outcome) -> Outcome:
        """Judge what came of the click: it is claimed only if the page shows that it was heard."""
        if self.hearing == "own" or isinstance(outcome, Refused) or await self.has_changed():
            return outcome
        if self.hearing == "near":
            said = outcome.output if isinstance(outcome.output, dict) else {}
            return Done({**said, "seen": False}, outcome.effects)
        message = f"{self.name!r} is no control: it was clicked, and nothing came of it"
        return Refused(Code.EFFECT_MISSING, message)

    async def has_changed(self) -> bool:
        """Wait a little until the page shows that something has happened."""
        tab = self.tab
        if self.is_moved():
            return True
        try:
            wait = "(r, [since, most]) => r.waitForChange(since, most)"
            now = await self.registry.handle.evaluate(wait, [self.changes, LOOK_MS])
        except Error:
            return True  # the document is gone
        return bool(now != self.changes) or self.is_moved() or tab.page.is_closed()

    def is_moved(self) -> bool:
        tab = self.tab
        told = tab.dialog is not None or tab.opened is not None or bool(tab.opens or tab.said)
        return told or tab.page.url != self.url or tab.moved_at != self.moved_at


async def plain_click(
    tab: Tab, element: ElementHandle, spot: Position | None
) -> PlainClick | Refused | None:
    """Look at what is to be clicked: None if it is a control; refused if nobody would hear it."""
    registry = await tab.registry(tab.page.main_frame)
    if registry is None or await element.owner_frame() != tab.page.main_frame:
        return None  # what is in a frame cannot be asked about
    try:
        await element.scroll_into_view_if_needed(timeout=LOOK_MS)
    except Error:
        return None  # the click itself says why it cannot be seen
    box = await element.bounding_box()
    if box is None:
        return None
    x = box["x"] + (spot["x"] if spot else box["width"] / 2)
    y = box["y"] + (spot["y"] if spot else box["height"] / 2)
    sort = await registry.handle.evaluate(SORT_AT, [element, x, y])
    if not sort:
        return None
    hearing = "near" if sort == "within" else await hearing_at(tab, x, y)
    name = str(await element.evaluate(TEXT))[:MOST_TEXT]
    if not hearing:
        message = f"{name!r} is no control: nothing listens for a click there"
        return Refused(Code.NOT_FEASIBLE, message)
    changes = await registry.handle.evaluate("r => r.changes()")
    return PlainClick(tab, registry, name, hearing, changes, tab.page.url, tab.moved_at)


async def hearing_at(tab: Tab, x: float, y: float) -> Hearing:
    """Ask the browser who listens for clicks at a point of the window."""
    session = await tab.page.context.new_cdp_session(tab.page)
    try:
        answer: dict[str, Any] = await session.send(
            "Runtime.evaluate",
            {
                "expression": f"({LISTENERS})({x}, {y}, getEventListeners)",
                "includeCommandLineAPI": True,
                "returnByValue": True,
            },
        )
    finally:
        await session.detach()
    found: Hearing = answer["result"].get("value", "near")
    return found
