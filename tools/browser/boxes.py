"""Boxes: checked or not, native or drawn by the page."""

from typing import Any

import anyio
from playwright.async_api import ElementHandle

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.browser.actions import ACT_MS, unless_asked
from tools.browser.pointing import KEPT, clicked_at_once
from tools.browser.scripting import script, script_with
from tools.browser.states import STEP_SECONDS, await_state, is_checked, looks_checked
from tools.browser.tab import Tab

SORT = script("sort")
BOX = script_with("box", "sort", "checked")
LABEL = script("pressed")
INNER_BOX = script("inner_box")
NATIVE = frozenset({"checkbox", "radio"})
ENTRIES = frozenset({"treeitem", "option", "menuitemcheckbox", "row"})  # they may draw a box
NO_BOX = "el => el.matches('a[href],button,[role=button],input[type=button],input[type=submit]')"


async def turned(
    tab: Tab, element: ElementHandle, *, wanted: bool, target: str | None = None
) -> Outcome:
    """Have a box checked or not; nothing is done if it is so already."""
    sort = await sort_once_enabled(element, BOX)
    if sort["disabled"]:
        return Refused(Code.NOT_FEASIBLE, "it is disabled")
    now: bool | None = sort["checked"]
    if now and not wanted and "radio" in {sort["type"], sort["role"]}:
        return Refused(Code.NOT_FEASIBLE, "one of these is always chosen; choose another instead")
    by_looks = now is None
    if by_looks:
        now = await looks_checked(element)
    if by_looks and not wanted and not now and await element.evaluate(NO_BOX):
        return Refused(Code.NOT_FEASIBLE, "it does not say whether it is on or off")
    if now is wanted:
        return Done({"checked": wanted, "already": True, "seen": not by_looks})
    clicked = await press(tab, element, target, sort)
    if clicked is None:
        return Refused(Code.NOT_FEASIBLE, KEPT)
    if not clicked:
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


async def press(
    tab: Tab, element: ElementHandle, target: str | None, sort: dict[str, Any]
) -> bool | None:
    """Click what turns a box; False if the page asks then, None if the browser keeps the click.

    A native box that is ready is clicked at once, as buttons are: Playwright would look again.
    """
    aimed = await tab.aim(target) if target is not None and sort["type"] in NATIVE else None
    if target is not None and aimed is not None:
        clicked = await clicked_at_once(tab, aimed, target)
        if clicked is not False:
            return None if clicked is None else tab.dialog is None
    held = await pressed(tab, element, target, sort)
    return await unless_asked(tab, held.click(timeout=ACT_MS))


async def pressed(
    tab: Tab, element: ElementHandle, target: str | None, sort: dict[str, Any]
) -> ElementHandle:
    """Give what a person would click to turn a box."""
    inner = None
    if sort["role"] in ENTRIES:
        inner = (await element.evaluate_handle(INNER_BOX)).as_element()
    if inner is not None:
        return inner
    return await drawn(element) if target is None else await tab.take(target, held=True) or element


async def sort_once_enabled(element: ElementHandle, question: str = SORT) -> dict[str, Any]:
    """Say of what sort a field is; one that is disabled may be enabled while its page comes."""
    sort = await sort_of(element, question)
    with anyio.move_on_after(ACT_MS / 1000):
        while sort["disabled"]:
            await anyio.sleep(STEP_SECONDS)
            sort = await sort_of(element, question)
    return sort


async def sort_of(element: ElementHandle, question: str = SORT) -> dict[str, Any]:
    """Say of what sort a field is, and how it stands."""
    sort: dict[str, Any] = await element.evaluate(question)
    return sort


async def drawn(box: ElementHandle) -> ElementHandle:
    """Give what a person would click to turn a box: its label, if the box itself is not there."""
    return (await box.evaluate_handle(LABEL)).as_element() or box
