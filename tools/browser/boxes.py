"""Boxes: checked or not, native or drawn by the page."""

from typing import Any

import anyio
from playwright.async_api import ElementHandle

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.browser.actions import ACT_MS, unless_asked
from tools.browser.scripting import script
from tools.browser.states import STEP_SECONDS, await_state, is_checked, looks_checked
from tools.browser.tab import Tab

SORT = script("sort")
LABEL = script("pressed")
INNER_BOX = script("inner_box")
NO_BOX = "el => el.matches('a[href],button,[role=button],input[type=button],input[type=submit]')"


async def turned(
    tab: Tab, element: ElementHandle, *, wanted: bool, target: str | None = None
) -> Outcome:
    """Have a box checked or not; nothing is done if it is so already."""
    sort = await sort_once_enabled(element)
    if sort["disabled"]:
        return Refused(Code.NOT_FEASIBLE, "it is disabled")
    now = await is_checked(element)
    if now and not wanted and "radio" in {sort["type"], sort["role"]}:
        return Refused(Code.NOT_FEASIBLE, "one of these is always chosen; choose another instead")
    by_looks = now is None
    if by_looks:
        now = await looks_checked(element)
    if by_looks and not wanted and not now and await element.evaluate(NO_BOX):
        return Refused(Code.NOT_FEASIBLE, "it does not say whether it is on or off")
    if now is wanted:
        return Done({"checked": wanted, "already": True, "seen": not by_looks})
    held = await drawn(element) if target is None else await tab.take(target, held=True) or element
    held = (await element.evaluate_handle(INNER_BOX)).as_element() or held
    if not await unless_asked(tab, held.click(timeout=ACT_MS)):
        return Done({"checked": wanted, "seen": False})
    if by_looks:
        seen = await await_state(element, looks_checked, wanted=wanted)
        return Done({"checked": wanted, "seen": seen})
    if await await_state(element, is_checked, wanted=wanted):
        return Done({"checked": wanted})
    twin = None if target is None else await tab.twin(target)  # the page may have drawn it anew
    if twin is not None and await is_checked(twin) is wanted:
        return Done({"checked": wanted})
    return Refused(Code.EFFECT_MISSING, "it was clicked, but did not change")


async def sort_once_enabled(element: ElementHandle) -> dict[str, Any]:
    """Say of what sort a field is; one that is disabled may be enabled while its page comes."""
    sort = await sort_of(element)
    with anyio.move_on_after(ACT_MS / 1000):
        while sort["disabled"]:
            await anyio.sleep(STEP_SECONDS)
            sort = await sort_of(element)
    return sort


async def sort_of(element: ElementHandle) -> dict[str, Any]:
    """Say of what sort a field is, and how it stands."""
    sort: dict[str, Any] = await element.evaluate(SORT)
    return sort


async def drawn(box: ElementHandle) -> ElementHandle:
    """Give what a person would click to turn a box: its label, if the box itself is not there."""
    return (await box.evaluate_handle(LABEL)).as_element() or box
