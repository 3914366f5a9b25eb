"""Sorting a table by one of its columns, seen by the order that its cells have afterwards."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import anyio
from dateutil import parser as dates
from playwright.async_api import ElementHandle, Error

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.browser.actions import ACT_MS, PageActions, done, unless_asked
from tools.browser.params import Sort
from tools.browser.scripting import script
from tools.browser.tab import Tab
from tools.browser.values import BadValue, amounts

COLUMN = script("column")
MOST_CLICKS = 3  # up, down, and back to no order
LOOKS, LOOK_SECONDS = 10, 0.05
DATED = re.compile(r"\d")
Order: TypeAlias = Literal["ascending", "descending"]
OTHER: dict[str, Order] = {"ascending": "descending", "descending": "ascending"}


async def sort(actions: PageActions, params: Sort) -> Outcome:
    """Click the header of a column until its cells are in the order that was said."""

    async def grip(tab: Tab, header: ElementHandle) -> Outcome:
        wanted: Order = "descending" if params.order == "descending" else "ascending"
        column = await header.evaluate(COLUMN)
        if column["said"] == wanted:
            return Done({"order": wanted, "clicks": 0})
        for clicks in range(1, MOST_CLICKS + 1):
            if not await unless_asked(tab, header.click(timeout=ACT_MS)):
                return done({"seen": False})
            column = await changed_column(tab, header, column, params.selector)
            if column is None or column["cells"] is None:
                return done({"seen": False})
            if is_sorted(column, wanted):
                return Done({"order": wanted, "clicks": clicks})
        return Refused(Code.EFFECT_MISSING, f"the column does not get into {wanted} order")

    return await actions.on_element(params.lane, params.selector, grip)


async def changed_column(
    tab: Tab, header: ElementHandle, before: dict[str, Any], target: str
) -> dict[str, Any] | None:
    """Read a column once it has changed, or has had the time to; the page may draw it anew."""
    now: dict[str, Any] | None = None
    for _ in range(LOOKS):
        try:
            now = await header.evaluate(COLUMN)
        except Error:
            now = None
        if now is None or now["cells"] is None or not await header.evaluate("el => el.isConnected"):
            twin = await tab.twin(target)
            now = None if twin is None else await twin.evaluate(COLUMN)
        if now is not None and now != before:
            return now
        await anyio.sleep(LOOK_SECONDS)
    return now


def is_sorted(column: dict[str, Any], wanted: Order) -> bool:
    """Tell whether a column is in an order: by what the page says of it, else by its cells."""
    said = str(column["said"])
    if said in OTHER:
        return said == wanted
    return order_of(column["cells"]) in {wanted, "equal"}


def order_of(cells: Sequence[str]) -> str:
    """Say in which order texts are: as numbers, as dates, else as words.

    >>> order_of(["$9", "$10", "$1,200"]), order_of(["b", "A"]), order_of(["a", "c", "b"])
    ('ascending', 'descending', 'none')
    """
    shown = [cell for cell in cells if cell]
    for read in (as_amount, as_moment, str.casefold):
        keys = [read(cell) for cell in shown]
        if any(key is None for key in keys):
            continue
        up = all(one <= other for one, other in pairwise(keys))
        down = all(one >= other for one, other in pairwise(keys))
        if up and down:
            return "equal"
        if up or down:
            return "ascending" if up else "descending"
    return "none"


def as_amount(cell: str) -> Any:
    try:
        return amounts(cell)[0]
    except BadValue:
        return None


def as_moment(cell: str) -> Any:
    try:
        return dates.parse(cell) if DATED.search(cell) else None
    except (ValueError, OverflowError):
        return None
