"""Fields of every kind, given a value: typed, set or chosen; boxes are checked."""

import re
from typing import Any

import anyio
from playwright.async_api import ElementHandle

from messages.executing import Done, Outcome, Refused
from messages.pages import ASKED_TEXT, Affords, target_id
from messages.results import Code
from tools.browser.actions import ACT_MS, KEY_MS, PageActions, unless_asked
from tools.browser.boxes import sort_of, sort_once_enabled, turned
from tools.browser.calendars import picked_date
from tools.browser.choosing import choose_in, choose_offered, choose_shown, matching, no_option
from tools.browser.hearing import hearing_of
from tools.browser.leaving import kept_unheard, kept_when_left
from tools.browser.params import OnElement, Set, Type
from tools.browser.scripting import script
from tools.browser.setting import exactly, ranged, slid
from tools.browser.sliding import slid_by_hand
from tools.browser.states import (
    STEP_SECONDS,
    STEPS,
    held_text,
    holds,
    is_secret,
    looks_checked,
)
from tools.browser.tab import Tab
from tools.browser.values import (
    BadValue,
    as_asked_for,
    as_colour,
    as_number,
    as_plain_number,
    as_switch,
    as_typed_date,
)

LONG_TEXT = 300  # typed key by key it would take too long
FOCUSED = script("focused")
CALLED = script("called")
CHOICES = script("choices")
CODE_BOXES = script("code_boxes")
SELECT_ALL = script("select_all")
NUMBER = "el => (el.innerText || el.value).trim()"
MOST_STEPS = 100
IS_PRESSED = "el => !el.isContentEditable && !/^(input|textarea|select)$/.test(el.localName)"
# A link to another page, or a part with nothing to use but such a link.
LEADS_AWAY = """el => {
  const leads = a => a.hasAttribute("href") && !/^(#|javascript:)/i.test(a.getAttribute("href"))
    && !a.hasAttribute("aria-haspopup") && a.getAttribute("role") !== "combobox";
  if (el.localName === "a") return leads(el);
  const used = el.querySelectorAll("a,button,input,select,textarea,[role],[tabindex]");
  return used.length === 1 && used[0].localName === "a" && leads(used[0]);
}"""
NUMERAL = re.compile(r"-?\d+(?:\.\d+)?")


async def type_text(actions: PageActions, params: Type) -> Outcome:
    """Put a text into a field, in place of what it holds; without a field, where the focus is."""
    if params.selector == ASKED_TEXT:
        return await keep_for_answer(actions, params.lane, params.text)
    if params.selector is not None:
        return await fill(actions, params.lane, params.selector, params.text, typing=True)

    async def deed(tab: Tab) -> Outcome:
        focused = (await tab.page.evaluate_handle(FOCUSED)).as_element()
        if focused is None:
            only = await only_field(tab)
            if only is not None:
                return await filled(tab, only, params.text, typing=True)
            return Refused(Code.NOT_FEASIBLE, "no field has the focus; say which one is meant")
        before = await held_text(focused)
        if not await unless_asked(tab, tab.page.keyboard.type(params.text)):
            return Done({"seen": False})
        now = await held_text(focused)
        is_masked = await is_secret(focused)
        came = len(now) - len(before) == len(params.text) if is_masked else params.text in now
        if is_masked or now == before or not came:
            return Done({"value": now, "seen": now != before and came})
        return await kept_when_left(tab, focused, now, was_focused=True)

    return await actions.on_page(params.lane, deed)


async def only_field(tab: Tab) -> ElementHandle | None:
    """Give the field of a page that has a single one: a text can go nowhere else."""
    page = await tab.look(colours=False)
    fields = [
        target_id(frame, each)
        for frame in page.frames
        for each in frame.sheet.elements
        if each.shown == 0 and each.affords & Affords.EDIT
    ]
    return await tab.take(fields[0]) if len(fields) == 1 else None


async def keep_for_answer(actions: PageActions, lane: str, text: str) -> Outcome:
    """Keep what a question of the browser's own is to be answered with, until it is accepted."""

    async def deed(tab: Tab) -> Outcome:
        tab.prompt_text = text
        return Done({"value": text})

    return await actions.on_page(lane, deed, asked=True)


async def set_value(actions: PageActions, params: Set) -> Outcome:
    if params.selector == ASKED_TEXT:
        return await keep_for_answer(actions, params.lane, params.value)
    return await fill(actions, params.lane, params.selector, params.value)


async def clear(actions: PageActions, params: OnElement) -> Outcome:
    async def grip(tab: Tab, element: ElementHandle) -> Outcome:
        if await element.evaluate(IS_PRESSED):  # "Clear grid" clears by itself
            await unless_asked(tab, element.click(timeout=ACT_MS))
            return Done({"seen": False})
        await element.fill("", timeout=ACT_MS)
        if not await holds(element, ""):
            return Refused(Code.EFFECT_MISSING, "the field filled itself again")
        return await kept_when_left(tab, element, "")

    return await actions.on_element(params.lane, params.selector, grip)


async def check(actions: PageActions, params: OnElement, *, wanted: bool) -> Outcome:
    async def grip(tab: Tab, element: ElementHandle) -> Outcome:
        return await turned(tab, element, wanted=wanted, target=params.selector)

    return await actions.on_element(params.lane, params.selector, grip)


async def fill(
    actions: PageActions, lane: str, target: str, value: str, *, typing: bool = False
) -> Outcome:
    used: list[tuple[Tab, str]] = []

    async def grip(tab: Tab, element: ElementHandle) -> Outcome:
        used.append((tab, tab.page.url))
        try:
            return await filled(tab, element, value, typing=typing)
        except BadValue as error:
            return Refused(Code.NOT_FEASIBLE, str(error))

    outcome = await actions.on_element(lane, target, grip)
    if isinstance(outcome, Refused) and outcome.code is Code.TARGET_STALE and used:
        tab, url = used[-1]
        if tab.page.url != url:  # what leads elsewhere is not looked for again there
            return Refused(Code.EFFECT_MISSING, "it led to another page, and holds no value")
    return outcome


async def filled(tab: Tab, element: ElementHandle, value: str, *, typing: bool = False) -> Outcome:
    """Give a field of any kind a value."""
    sort = await sort_once_enabled(element)
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
            return await ranged(tab, element, value)
        case "checkbox" | "radio" | "switch":
            return await turned(tab, element, wanted=as_switch(value))
        case "slider" | "spinbutton" if sort["tag"] != "input":
            return await slid(element, value)
        case "drawn slider":
            return await slid_by_hand(tab, element, value)
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
        if await element.evaluate(LEADS_AWAY):
            return Refused(Code.NOT_FEASIBLE, "it is a link, and holds no value")
        inner = await inner_field(element)
        if inner is not None:
            return await filled(tab, inner, value, typing=typing)
        if not typing and not sort["role"] and not sort["popup"] and await is_bare(element):
            return Refused(Code.NOT_FEASIBLE, "it shows nothing that could be chosen")
        among = None if typing else await chosen_in_part(tab, element, value)
        if among is not None:
            return among
        if typing and sort["tabs"] and not sort["popup"] and kind != "combobox":
            await element.click(timeout=ACT_MS)  # it has no value, but listens to keys
            await tab.page.keyboard.type(value)
            return Done({"typed": value, "seen": False})
        return await choose_in(tab, element, value)
    if sort["dated"] and (picked := await picked_date(tab, element, value)) is not None:
        return picked
    if sort["role"] == "combobox" and not typing:
        offered = await choose_offered(tab, element, value)
        if offered is None and sort["lists"]:
            offered = await choose_shown(tab, element, value)
        if offered is not None and offered != no_option(value, []):
            return offered
    value = as_plain_number(value) if kind in {"number", "spinbutton"} else value
    written = as_asked_for(str(sort["placeholder"]), value)
    outcome = await typed(tab, element, written, sort)
    return await kept(element, written, outcome) if sort["dated"] else outcome


async def kept(element: ElementHandle, text: str, outcome: Outcome) -> Outcome:
    """See that a picker keeps what was typed: many take it with Enter only, and drop it else."""
    if isinstance(outcome, Refused):
        return outcome
    if await element.evaluate("el => el.form === null"):  # Enter would send a form
        await element.press("Enter", timeout=ACT_MS)
    await element.evaluate("el => el.blur()")
    await anyio.sleep(STEP_SECONDS)
    if await holds(element, text):
        return outcome
    held = await held_text(element)
    return Refused(Code.EFFECT_MISSING, f"the field did not keep it; it holds {held!r}")


async def chosen_in_group(tab: Tab, group: ElementHandle, value: str) -> Outcome:
    """Choose the radio button of a group by what it is called."""
    found = await group.query_selector_all("input[type=radio],input[type=checkbox],[role=radio]")
    names = [str(await each.evaluate(CALLED)) for each in found]
    at = matching(names, value)
    if at is None:
        return no_option(value, names)
    return await turned(tab, found[at], wanted=True)


async def is_bare(element: ElementHandle) -> bool:
    """Tell whether something shows no words, and cannot be a list that opens."""
    found: bool = await element.evaluate("el => !el.innerText.trim() && !el.title")
    return found


async def chosen_in_part(tab: Tab, part: ElementHandle, value: str) -> Outcome | None:
    """Choose in a part of the page by what is clicked in it, or count up or down to a number.

    None if it is used itself, or has nothing to choose from.
    """
    found = await part.evaluate_handle(CHOICES)
    names: list[str] = await found.evaluate("found => found.names")
    if not names:
        return None
    held = await found.evaluate_handle("found => found.choices")
    same = [at for at, name in enumerate(names) if name.casefold() == value.strip().casefold()]
    if len(same) == 1:  # called just so: what is in the part may do anything else
        choice = (await held.get_property(str(same[0]))).as_element()
        return None if choice is None else await picked(tab, choice, names[same[0]])
    parts = [(await found.get_property(name)).as_element() for name in ("more", "less", "number")]
    more, less, number = parts
    if more is None or less is None or number is None:
        # What shows the choice that was made opens the others.
        is_opener = len([name for name in names if name]) == 1
        return None if is_opener else no_option(value, names)
    return await counted_to(tab, as_number(value), more, less, number)


async def picked(tab: Tab, choice: ElementHandle, name: str) -> Outcome:
    """Click one of several things to choose from; the page may show which was chosen."""
    sort = await sort_of(choice)
    if sort["disabled"]:
        return Refused(Code.NOT_FEASIBLE, f"{name!r} is disabled")
    if not await unless_asked(tab, choice.click(timeout=ACT_MS)):
        return Done({"chosen": name, "seen": False})
    return Done({"chosen": name, "seen": await looks_checked(choice)})


async def counted_to(
    tab: Tab, wanted: float, more: ElementHandle, less: ElementHandle, number: ElementHandle
) -> Outcome:
    """Press the button for more, or for less, until the number between them is as wanted."""
    for _ in range(MOST_STEPS):
        now = await number_in(number)
        if now == wanted:
            return Done({"value": f"{now:g}"})
        button = more if now < wanted else less
        if not await unless_asked(tab, button.click(timeout=ACT_MS)):
            return Done({"seen": False})
        after = await changed_number(number, now)
        if after == now or (after - wanted) * (now - wanted) < 0:
            return Refused(Code.NOT_FEASIBLE, f"it stands at {after:g} and not at {wanted:g}")
    return Refused(Code.NOT_FEASIBLE, "it does not get there")


async def number_in(element: ElementHandle) -> float:
    """Give the number that an element shows."""
    shown = str(await element.evaluate(NUMBER))
    found = NUMERAL.fullmatch(shown)
    if found is None:
        raise BadValue(f"it shows {shown!r} instead of a number")
    return float(shown)


async def changed_number(number: ElementHandle, before: float) -> float:
    """Wait a little until a number changes; give what it is then."""
    now = before
    for _ in range(STEPS):
        now = await number_in(number)
        if now != before:
            break
        await anyio.sleep(STEP_SECONDS)
    return now


async def inner_field(element: ElementHandle) -> ElementHandle | None:
    """Give the one field within a widget."""
    inner = await element.query_selector_all("input:not([type=hidden]),textarea,[contenteditable]")
    return inner[0] if len(inner) == 1 else None


async def boxes_of_code(element: ElementHandle, length: int) -> list[ElementHandle]:
    """Give the boxes for one sign each that a code goes into; none if a field takes all of it."""
    found = await element.evaluate_handle(CODE_BOXES)
    boxes = [each.as_element() for each in (await found.get_properties()).values()]
    present = [each for each in boxes if each is not None]
    return present if len(present) >= length else []


async def spelt(tab: Tab, boxes: list[ElementHandle], text: str) -> Outcome:
    """Put one sign into each of a row of boxes."""
    for box, sign in zip(boxes, text, strict=False):
        if not await unless_asked(tab, box.fill(sign, timeout=ACT_MS)):
            return Done({"seen": False})
    held = "".join([await held_text(box) for box in boxes])
    same = [await holds(box, sign) for box, sign in zip(boxes, text, strict=False)]
    if all(same):
        return Done({"value": held})
    return Refused(Code.EFFECT_MISSING, f"the boxes hold {held!r} instead of the code")


async def typed(
    tab: Tab, element: ElementHandle, text: str, sort: dict[str, Any] | None = None
) -> Outcome:
    """Type a text as a person would: what is there is replaced, every key is seen by the page."""
    sort = await sort_of(element) if sort is None else sort
    # One sign is no code, and a field that takes more than one is no box of a code.
    boxes = await boxes_of_code(element, len(text)) if sort["single"] and len(text) > 1 else []
    if boxes:
        return await spelt(tab, boxes, text)
    hearing = await hearing_of(tab, sort)
    is_plain_text = bool(text) and not hearing.typing and is_plain(sort, text)
    at_once = is_plain_text and await element.evaluate(SELECT_ALL)
    # Playwright would put it in the same way, but ask three times more.
    putting = tab.page.keyboard.insert_text(text) if at_once else put_in(element, text)
    if not await unless_asked(tab, putting):
        return Done({"seen": False})
    was_focused = bool(sort["focused"])
    if not hearing.leaving:
        unheard = await kept_unheard(element, text, was_focused=was_focused)
        if unheard is not None:
            return unheard
    for _ in range(STEPS):
        if await holds(element, text):
            return await kept_when_left(tab, element, text, was_focused=was_focused)
        await anyio.sleep(STEP_SECONDS)  # a page may put it into its own form first
    held = await held_text(element)
    if (stepped := await stepped_to(tab, element, text)) is not None:
        return stepped
    return Refused(Code.EFFECT_MISSING, f"the field holds {held!r} instead of the text")


def is_plain(sort: dict[str, Any], text: str) -> bool:
    """Tell whether a text comes to the same in a field, typed or put in, unless keys are heard."""
    fits = 0 < len(text) <= (len(text) if sort["most"] is None else sort["most"])
    return bool(sort["plain"] and fits and not sort["dated"])


async def put_in(element: ElementHandle, text: str) -> None:
    """Type a text in place of what a field holds, key by key unless it is long."""
    await element.focus()  # a page that draws it anew does so now
    await element.fill("", timeout=ACT_MS)
    if len(text) > LONG_TEXT or "\n" in text:
        await element.fill(text, timeout=ACT_MS)
    elif text:
        await element.type(text, timeout=ACT_MS + KEY_MS * len(text))


async def stepped_to(tab: Tab, field: ElementHandle, text: str) -> Outcome | None:
    """Count a field that takes no typing up or down by the buttons beside it, if it has such."""
    around = (await field.evaluate_handle("el => el.parentElement")).as_element()
    if around is None or not NUMERAL.fullmatch(text.strip()):
        return None
    found = await around.evaluate_handle(CHOICES)
    parts = [(await found.get_property(name)).as_element() for name in ("more", "less", "number")]
    more, less, number = parts
    if more is None or less is None or number is None:
        return None
    return await counted_to(tab, as_number(text), more, less, number)
