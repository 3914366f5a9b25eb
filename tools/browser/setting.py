"""Fields that take no typing: native dates, colours and ranges, and sliders of the page's own."""

from playwright.async_api import ElementHandle

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.browser.actions import ACT_MS, unless_asked
from tools.browser.leaving import kept_when_left
from tools.browser.scripting import script
from tools.browser.tab import Tab
from tools.browser.values import amount_within

MOST_PRESSES = 500
LARGE = 1e6  # from here on "g" would round
NEAR = 1.0  # a range rounds what it is given to its steps
SET_VALUE = script("set_value")


async def exactly(tab: Tab, element: ElementHandle, value: str) -> Outcome:
    """Set a native field; it may refuse what it cannot hold."""
    if not await unless_asked(tab, element.evaluate(SET_VALUE, value)):
        return Done({"seen": False})
    held = await held_now(element)
    return await kept_when_left(tab, element, value) if held == value else not_taken(value, held)


async def ranged(tab: Tab, element: ElementHandle, said: str) -> Outcome:
    """Set a native slider, within what it can say."""
    least, most = await element.evaluate(
        "el => [parseFloat(el.min || 0), parseFloat(el.max || 100)]"
    )
    wanted = amount_within(said, least, most)
    value = f"{wanted:g}" if abs(wanted) < LARGE else f"{wanted:f}"
    if not await unless_asked(tab, element.evaluate(SET_VALUE, value)):
        return Done({"seen": False})
    held = await held_now(element)
    is_near = abs(float(held) - wanted) < NEAR  # a range always holds a number
    return Done({"value": held}) if is_near else not_taken(value, held)


async def held_now(element: ElementHandle) -> str:
    """Give what a field has made of its value; the focus is where a person would have left it."""
    return str(await element.evaluate("el => { el.focus(); return el.value; }"))


def not_taken(value: str, held: str) -> Refused:
    return Refused(Code.NOT_FEASIBLE, f"the field does not take {value!r}; it holds {held!r}")


async def slid(element: ElementHandle, value: str) -> Outcome:
    """Move a slider of the page's own by its keys, until it says what is wanted."""
    wanted = amount_within(value, *await bounds(element))
    await element.focus()
    for _ in range(MOST_PRESSES):
        now = await reading_of(element)
        if now is None:
            return Refused(Code.NOT_FEASIBLE, "the slider does not say where it stands")
        if now == wanted:
            return Done({"value": f"{now:g}"})
        await element.press("ArrowUp" if now < wanted else "ArrowDown", timeout=ACT_MS)
        moved = await reading_of(element)
        if moved == now or (moved is not None and (moved - wanted) * (now - wanted) < 0):
            return Refused(Code.NOT_FEASIBLE, f"the slider stands at {moved:g} and not at {value}")
    return Refused(Code.NOT_FEASIBLE, "the slider does not get there")


async def bounds(element: ElementHandle) -> tuple[float, float]:
    """Give the least and the most that a slider can say."""
    found: list[str | None] = await element.evaluate(
        "el => [el.getAttribute('aria-valuemin'), el.getAttribute('aria-valuemax')]"
    )
    try:
        return float(found[0] or "-inf"), float(found[1] or "inf")
    except ValueError:
        return float("-inf"), float("inf")


async def reading_of(element: ElementHandle) -> float | None:
    said = await element.get_attribute("aria-valuenow")
    try:
        return None if said is None else float(said)
    except ValueError:
        return None
