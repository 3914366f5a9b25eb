"""Calendars that pages draw themselves: opened by their field, leafed through, a day clicked."""

import re

import anyio
from playwright.async_api import ElementHandle, Error, JSHandle

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.browser.actions import ACT_MS
from tools.browser.scripting import script
from tools.browser.tab import Tab
from tools.browser.values import BadValue, moment

MOST_LEAVES = 240  # months
TIME = re.compile(
    r"\d{1,2}[:.h]\d\d(?:[:.]\d\d)?(?:\s?[ap]\.?m\.?)?|\d{1,2}\s?[ap]\.?m\.?", re.IGNORECASE
)
PAUSE, PAUSES = 0.05, 12  # until a calendar has come

# The calendar that is open: which month it shows, its arrows, the cell of a day.
CALENDAR = script("calendar")


async def picked_date(tab: Tab, field: ElementHandle, said: str) -> Outcome | None:
    """Pick a date in the calendar that a field opens; None if it opens none or this is no date."""
    if TIME.fullmatch(said.strip()):
        return None
    try:
        wanted = moment(said)
    except BadValue:
        return None
    await field.click(timeout=ACT_MS)
    calendar = await opened(tab)
    if calendar is None:
        return None
    for _ in range(MOST_LEAVES):
        calendar = await tab.page.evaluate_handle(CALENDAR)
        if await calendar.evaluate("shown => shown === null"):
            return Refused(Code.NOT_FEASIBLE, "the calendar was closed")
        month, year = await calendar.evaluate("shown => [shown.month, shown.year]")
        if year != wanted.year and await year_set(calendar, wanted.year):
            continue
        if (year, month) == (wanted.year, wanted.month):
            return await click_day(field, calendar, wanted.day)
        way = "back" if (year, month) > (wanted.year, wanted.month) else "on"
        arrow = (await calendar.evaluate_handle("(shown, way) => shown[way]", way)).as_element()
        if arrow is None:
            return Refused(Code.NOT_FEASIBLE, "the calendar cannot be leafed through")
        await arrow.click(timeout=ACT_MS)
        await anyio.sleep(PAUSE)
    return Refused(Code.NOT_FEASIBLE, "the calendar does not get there")


async def opened(tab: Tab) -> JSHandle | None:
    """Wait for the calendar that a field opens, a short time; None if it opens none."""
    for _ in range(PAUSES):
        calendar = await tab.page.evaluate_handle(CALENDAR)
        if not await calendar.evaluate("shown => shown === null"):
            return calendar
        await anyio.sleep(PAUSE)
    return None


async def year_set(calendar: JSHandle, year: int) -> bool:
    """Set the year where a calendar has a field for it; False if there is none, or it stays."""
    handle = await calendar.evaluate_handle("shown => shown.yearField")
    field = handle.as_element()
    if field is None:
        return False
    if await field.evaluate("el => el.localName") == "select":
        try:
            await field.select_option(label=str(year), timeout=ACT_MS)
        except Error:
            return False  # it has no such year: leaf through to it
    else:
        await field.fill(str(year), timeout=ACT_MS)
        await field.press("Enter", timeout=ACT_MS)
    held: str = await field.evaluate("el => el.value")
    return str(year) in held


async def click_day(field: ElementHandle, calendar: JSHandle, day: int) -> Outcome:
    find = "(shown, day) => shown.days.find(el => parseInt(el.textContent) === day) || null"
    cell = (await calendar.evaluate_handle(find, day)).as_element()
    if cell is None:
        return Refused(Code.NOT_FEASIBLE, f"the calendar has no day {day} to choose")
    await cell.click(timeout=ACT_MS)
    return Done({"value": await field.evaluate("el => el.value === undefined ? '' : el.value")})
