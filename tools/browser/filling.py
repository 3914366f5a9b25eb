"""Fields: typing, clearing, setting values of every kind, boxes to check, forms to submit."""

from datetime import date, datetime, timedelta
from typing import Any

import anyio
import anyio.lowlevel
from dateutil import parser as dates
from playwright.async_api import ElementHandle, Error

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.browser.boxes import SORT, turned
from tools.browser.calendars import picked_date
from tools.browser.choosing import choose_in, choose_offered, matching, no_option
from tools.browser.hands import ACT_MS, Hands, done, led_to, refused_by, unless_asked
from tools.browser.params import MaybeElement, OnElement, Set, Type
from tools.browser.scripting import script
from tools.browser.states import STEP_SECONDS, STEPS, same_text, value_of
from tools.browser.tab import Tab

LONG_TEXT = 300
MOST_PRESSES = 500
KEY_MS = 200.0
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

FOCUSED = script("focused")
SET_VALUE = script("set_value")
SUBMIT = script("submit")
ONLY_FORM = script("only_form")


class BadValue(ValueError):
    """A value that cannot be put into a field of this kind."""


# Typing


async def type_text(hands: Hands, params: Type) -> Outcome:
    """Put a text into a field, in place of what it holds; without a field, where the focus is."""
    if params.selector is not None:
        return await fill(hands, params.lane, params.selector, params.text, typing=True)

    async def deed(tab: Tab) -> Outcome:
        focused = (await tab.page.evaluate_handle(FOCUSED)).as_element()
        if focused is None:
            return Refused(Code.NOT_FEASIBLE, "no field has the focus; say which one is meant")
        before = await value_of(focused) or ""
        if not await unless_asked(tab, tab.page.keyboard.type(params.text)):
            return Done({"seen": False})
        now = await value_of(focused) or ""
        return Done({"value": now, "seen": now != before and params.text in now})

    return await hands.on_page(params.lane, deed)


async def fill(
    hands: Hands, lane: str, target: str, value: str, *, typing: bool = False
) -> Outcome:
    async def grip(tab: Tab, element: ElementHandle) -> Outcome:
        try:
            return await filled(tab, element, value, typing=typing)
        except BadValue as error:
            return Refused(Code.NOT_FEASIBLE, str(error))

    return await hands.on_element(lane, target, grip)


async def filled(tab: Tab, element: ElementHandle, value: str, *, typing: bool = False) -> Outcome:
    """Give a field of any kind a value."""
    sort: dict[str, Any] = await element.evaluate(SORT)
    if sort["disabled"]:
        return Refused(Code.NOT_FEASIBLE, "the field is disabled")
    kind = str(sort["type"] or sort["role"] or sort["tag"])
    match kind:
        case "select" | "listbox":
            return await choose_in(tab, element, value)
        case "date" | "time" | "datetime-local" | "month" | "week" if not sort["readonly"]:
            return await exactly(tab, element, as_typed_date(kind, value))
        case "color":
            return await exactly(tab, element, as_colour(value))
        case "range":
            return await ranged(tab, element, value.rstrip("%").strip())
        case "checkbox" | "radio" | "switch":
            return await turned(tab, element, wanted=as_switch(value))
        case "slider" | "spinbutton" if sort["tag"] != "input":
            return await slid(element, value)
        case "fieldset" | "radiogroup" | "group":
            return await chosen_in_group(tab, element, value)
        case "file":
            return Refused(Code.NOT_FEASIBLE, "a file is uploaded into this field, not typed")
        case _:
            pass
    if sort["readonly"]:
        found = await picked_date(tab, element, value)
        return found or Refused(Code.NOT_FEASIBLE, "the field cannot be edited")
    if sort["tag"] not in {"input", "textarea"} and not sort["editable"]:
        inner = await inner_field(element)
        if inner is not None:
            return await filled(tab, inner, value)
        if typing and sort["tabs"] and not sort["popup"] and kind != "combobox":
            await element.click(timeout=ACT_MS)  # it has no value, but listens to keys
            await tab.page.keyboard.type(value)
            return Done({"typed": value, "seen": False})
        return await choose_in(tab, element, value)
    if sort["role"] == "combobox" and not typing:
        offered = await choose_offered(tab, element, value)
        if offered is not None:
            return offered
    return await typed(tab, element, value)


async def chosen_in_group(tab: Tab, group: ElementHandle, value: str) -> Outcome:
    """Choose the radio button of a group by what it is called."""
    found = await group.query_selector_all("input[type=radio],input[type=checkbox],[role=radio]")
    names = [str(await each.evaluate(CALLED)) for each in found]
    at = matching(names, value)
    if at is None:
        return no_option(value, names)
    return await turned(tab, found[at], wanted=True)


CALLED = (
    "el => (el.getAttribute('aria-label') || (el.labels && el.labels[0] && el.labels[0].innerText)"
    " || el.innerText || (el.nextSibling && el.nextSibling.textContent) || el.value || '').trim()"
)


async def inner_field(element: ElementHandle) -> ElementHandle | None:
    """Give the one field within a widget."""
    inner = await element.query_selector_all("input:not([type=hidden]),textarea,[contenteditable]")
    return inner[0] if len(inner) == 1 else None


async def typed(tab: Tab, element: ElementHandle, text: str) -> Outcome:
    """Type a text as a person would: what is there is replaced, every key is seen by the page."""

    async def put_in() -> None:
        await element.focus()  # a page that draws it anew does so now
        await element.fill("", timeout=ACT_MS)
        if len(text) > LONG_TEXT or "\n" in text:
            await element.fill(text, timeout=ACT_MS)
        elif text:
            await element.type(text, timeout=ACT_MS + KEY_MS * len(text))

    if not await unless_asked(tab, put_in()):
        return Done({"seen": False})
    for _ in range(STEPS):
        if await holds(element, text):
            return Done({"value": await held_text(element)})
        await anyio.sleep(STEP_SECONDS)  # a page may put it into its own form first
    held = await held_text(element)
    return Refused(Code.EFFECT_MISSING, f"the field holds {held!r} instead of the text")


async def holds(element: ElementHandle, text: str) -> bool:
    """Tell whether a field holds a text; a password is compared in the page and not read."""
    if await element.evaluate("el => el.type === 'password'"):
        same: bool = await element.evaluate("(el, text) => el.value === text", text)
        return same
    return same_text(await value_of(element) or "", text)


async def held_text(element: ElementHandle) -> str:
    """Give what a field holds; a password is never read back."""
    secret = await element.evaluate("el => el.type === 'password'")
    if secret:
        length = await element.evaluate("el => el.value.length")
        return "\u2022" * int(length)
    return await value_of(element) or ""


async def exactly(
    tab: Tab, element: ElementHandle, value: str, *, loosely: bool = False
) -> Outcome:
    """Set a native field that takes no typing; it may refuse what it cannot hold."""
    if not await unless_asked(tab, element.evaluate(SET_VALUE, value)):
        return Done({"seen": False})
    held = str(await element.evaluate("el => { el.focus(); return el.value; }"))
    if held != value and not (loosely and near(held, value)):
        return Refused(Code.NOT_FEASIBLE, f"the field does not take {value!r}; it holds {held!r}")
    return Done({"value": held})


async def ranged(tab: Tab, element: ElementHandle, value: str) -> Outcome:
    """Set a native slider, within what it can say."""
    least, most = await element.evaluate(
        "el => [parseFloat(el.min || 0), parseFloat(el.max || 100)]"
    )
    try:
        wanted = float(value)
    except ValueError:
        raise BadValue(f"{value!r} is no number") from None
    if not least <= wanted <= most:
        raise BadValue(f"the slider goes from {least:g} to {most:g}")
    return await exactly(tab, element, value, loosely=True)


def near(held: str, wanted: str) -> bool:
    try:
        return abs(float(held) - float(wanted)) < 1
    except ValueError:
        return False


# Values of native fields


def as_typed_date(kind: str, said: str) -> str:
    """Write a date or a time as native fields hold it.

    >>> as_typed_date("date", "March 5, 2024"), as_typed_date("time", "3:30 pm")
    ('2024-03-05', '15:30')
    """
    when = moment(said)
    formats = {"date": "%Y-%m-%d", "time": "%H:%M", "month": "%Y-%m", "week": "%G-W%V"}
    return when.strftime(formats.get(kind, "%Y-%m-%dT%H:%M"))


def moment(said: str) -> datetime:
    """Read a date or a time in the usual ways of writing them; today's words, too."""
    text = said.strip().casefold()
    today = datetime.combine(date.today(), datetime.min.time())  # noqa: DTZ011 - the user's own
    if text == "now":
        return datetime.now()  # noqa: DTZ005 - the user's own
    relative = {"today": 0, "tomorrow": 1, "yesterday": -1}
    if text in relative:
        return today + timedelta(days=relative[text])
    if text.removeprefix("next ") in WEEKDAYS:
        ahead = (WEEKDAYS.index(text.removeprefix("next ")) - today.weekday()) % 7 or 7
        return today + timedelta(days=ahead)
    if text == "noon":
        return today.replace(hour=12)
    if text == "midnight":
        return today
    try:
        return dates.parse(said, default=today)
    except (ValueError, OverflowError):
        raise BadValue(f"{said!r} is no date or time that is understood") from None


COLOURS = {
    "red": "#ff0000",
    "green": "#008000",
    "blue": "#0000ff",
    "yellow": "#ffff00",
    "black": "#000000",
    "white": "#ffffff",
    "orange": "#ffa500",
    "purple": "#800080",
    "pink": "#ffc0cb",
    "gray": "#808080",
    "grey": "#808080",
    "brown": "#a52a2a",
    "cyan": "#00ffff",
    "magenta": "#ff00ff",
    "lime": "#00ff00",
    "navy": "#000080",
    "teal": "#008080",
    "gold": "#ffd700",
    "silver": "#c0c0c0",
    "maroon": "#800000",
    "olive": "#808000",
    "violet": "#ee82ee",
    "turquoise": "#40e0d0",
    "indigo": "#4b0082",
}
SHORT_HEX, LONG_HEX = 4, 7


def as_colour(said: str) -> str:
    """Write a colour as a native field holds it."""
    text = said.strip().casefold()
    if text in COLOURS:
        return COLOURS[text]
    written = text if text.startswith("#") else f"#{text}"
    if len(written) == SHORT_HEX:
        written = "#" + "".join(2 * digit for digit in written[1:])
    if len(written) == LONG_HEX and all(digit in "0123456789abcdef" for digit in written[1:]):
        return written
    raise BadValue(f"{said!r} is no colour that is understood")


def as_switch(said: str) -> bool:
    text = said.strip().casefold()
    if text in {"on", "yes", "true", "checked", "enabled", "1"}:
        return True
    if text in {"off", "no", "false", "unchecked", "disabled", "0"}:
        return False
    raise BadValue(f"{said!r} is neither on nor off")


async def slid(element: ElementHandle, value: str) -> Outcome:
    """Move a slider of the page's own by its keys, until it says what is wanted."""
    try:
        wanted = float(value.rstrip("%").strip())
    except ValueError:
        raise BadValue(f"{value!r} is no number") from None
    least, most = await bounds(element)
    if not least <= wanted <= most:
        raise BadValue(f"the slider goes from {least:g} to {most:g}")
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


async def set_value(hands: Hands, params: Set) -> Outcome:
    return await fill(hands, params.lane, params.selector, params.value)


async def clear(hands: Hands, params: OnElement) -> Outcome:
    async def grip(_tab: Tab, element: ElementHandle) -> Outcome:
        await element.fill("", timeout=ACT_MS)
        held = await value_of(element)
        if held and held.strip():
            return Refused(Code.EFFECT_MISSING, "the field filled itself again")
        return done({"value": ""})

    return await hands.on_element(params.lane, params.selector, grip)


# Boxes


async def check(hands: Hands, params: OnElement, *, wanted: bool) -> Outcome:
    async def grip(tab: Tab, element: ElementHandle) -> Outcome:
        return await turned(tab, element, wanted=wanted, target=params.selector)

    return await hands.on_element(params.lane, params.selector, grip)


# Forms


async def submit(hands: Hands, params: MaybeElement) -> Outcome:
    """Send a form by its button, as a person would; without one, by its own means."""

    async def grip(tab: Tab, element: ElementHandle) -> Outcome:
        before = tab.page.url
        is_button = await element.evaluate(
            "el => el.localName === 'button' || /^(submit|button|image)$/.test(el.type || '')"
            " || el.getAttribute('role') === 'button' || el.localName === 'a'"
        )
        held = element
        if not is_button:
            found = (await element.evaluate_handle(SUBMIT)).as_element()
            if found is None:
                return Refused(Code.NOT_FEASIBLE, "there is no form to submit")
            held = found
        if await held.evaluate("el => el.localName === 'form'"):
            await unless_asked(tab, held.evaluate("form => form.requestSubmit()"))
        else:
            await unless_asked(tab, held.click(timeout=ACT_MS))
        await anyio.lowlevel.checkpoint()
        return done(led_to(before, tab))

    if params.selector is not None:
        return await hands.on_element(params.lane, params.selector, grip)

    async def deed(tab: Tab) -> Outcome:
        form = (await tab.page.evaluate_handle(ONLY_FORM)).as_element()
        if form is None:
            return Refused(Code.NOT_FEASIBLE, "which form is meant? Name it, or its button")
        try:
            return await grip(tab, form)
        except Error as error:
            return refused_by(error)

    return await hands.on_page(params.lane, deed)
