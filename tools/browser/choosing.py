"""Choosing: options of native lists, of the page's own lists and menus, and whatever is chosen."""

import anyio
from playwright.async_api import ElementHandle, Error, JSHandle

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.browser.actions import ACT_MS, KEY_MS, PageActions, unless_asked
from tools.browser.boxes import SORT, turned
from tools.browser.params import Select
from tools.browser.scripting import script
from tools.browser.setting import exactly
from tools.browser.states import is_checked
from tools.browser.tab import Tab
from tools.browser.values import BadValue, as_typed_date

TEXT = "text:"
# A list that was opened is looked at in steps: so many at all, so many once it shows something,
# and after so many its field is typed into.
STEP_SECONDS = 0.1
OPEN_STEPS, SHOWN_STEPS, TYPED_STEP, LONGER_STEPS = 25, 6, 2, 4
FEW_NAMES = 8
DATED = frozenset({"date", "time", "datetime-local", "month", "week"})
BOXES = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})

# The options that a list shows or holds, wherever the page keeps them, with their texts.
OPTIONS = script("options")
OPTION_TEXT = script("option_text")
SHOWN_TEXTS = script("shown_texts")
CAME = script("came")
NATIVE, NATIVE_OPTION, CHOOSE = script("native"), script("native_option"), script("choose")
OUT_OF_USE = (
    "el => !!el.closest('[aria-disabled=true],:disabled')"
    " || /(^|[\\s_-])disabled([\\s_-]|$)/.test(el.getAttribute('class') || '')"
)
# What is drawn in the place of a field that is kept out of sight, as lists of scripts do.
SEEN_PART = """el => {
  const area = each => each.getBoundingClientRect().width * each.getBoundingClientRect().height;
  let part = el;
  while (part.parentElement && area(part) < 100) part = part.parentElement;
  return part;
}"""
# Whether the list that was opened has the focus in a text field of its own.
SEARCHED = """el => {
  const field = document.activeElement;
  return !!field && field !== el && field.localName === "input" && !field.readOnly
    && !field.value && ["text", "search", ""].includes(field.type);
}"""
OPENER_OF_LIST = script("opener_of_list")


async def select(actions: PageActions, params: Select) -> Outcome:
    """Choose what was bound: an option, a radio button, an entry of a list that must be opened."""
    if params.selector.startswith(TEXT) and params.from_ is not None:
        wanted = params.selector.removeprefix(TEXT)

        async def by_text(tab: Tab, element: ElementHandle) -> Outcome:
            kind = str((await element.evaluate(SORT))["type"])
            if kind in DATED:  # a date is chosen by writing it
                return await dated(tab, element, kind, wanted)
            return await choose_in(tab, element, wanted)

        return await actions.on_element(params.lane, params.from_, by_text)

    async def grip(tab: Tab, element: ElementHandle) -> Outcome:
        return await chosen(tab, element, params.selector)

    return await actions.on_element(params.lane, params.selector, grip)


async def dated(tab: Tab, element: ElementHandle, kind: str, wanted: str) -> Outcome:
    """Give a field for dates the date that was said."""
    try:
        return await exactly(tab, element, as_typed_date(kind, wanted))
    except BadValue as error:
        return Refused(Code.NOT_FEASIBLE, str(error))


async def chosen(tab: Tab, element: ElementHandle, target: str) -> Outcome:
    """Choose an element that is there: by its list if it is an option, else by the pointer."""
    option: dict[str, str] | None = await element.evaluate(NATIVE_OPTION)
    if option is not None:
        return await choose_native(tab, element, option)
    sort = await element.evaluate(SORT)
    if sort["tag"] == "select":
        return Refused(Code.NOT_FEASIBLE, "it is a list; say which of its options is meant")
    if not {sort["type"], sort["role"]}.isdisjoint(BOXES):
        return await turned(tab, element, wanted=True, target=target)
    held = await tab.take(target, held=True) or element
    if not await held.is_visible():
        opener = (await element.evaluate_handle(OPENER_OF_LIST)).as_element()
        if opener is not None:
            await opener.click(timeout=ACT_MS)
    is_done = await unless_asked(tab, held.click(timeout=ACT_MS))
    return Done({"seen": is_done and await shows_choice(element)})


async def shows_choice(element: ElementHandle) -> bool:
    """Tell whether something says that it was chosen; it may be gone with its list by now."""
    try:
        return await is_checked(element) is True
    except Error:
        return False


async def choose_native(tab: Tab, option: ElementHandle, known: dict[str, str]) -> Outcome:
    """Choose an option of a native list; in one that takes several, the others stay."""
    if known["state"] == "disabled":
        return Refused(Code.NOT_FEASIBLE, "this option is disabled")
    # Playwright would ask again what is known: it is needed only for what must be waited for.
    is_ready = known["state"] == "ready"
    choosing = option.evaluate(CHOOSE) if is_ready else choose_later(option)
    if not await unless_asked(tab, choosing):
        return Done({"chosen": known["label"], "seen": False})
    if not await option.evaluate("el => el.selected"):
        return Refused(Code.EFFECT_MISSING, "the list did not take the option")
    return Done({"chosen": known["label"]})


async def choose_later(option: ElementHandle) -> None:
    """Choose an option as soon as its list can be seen and used."""
    owner = (await option.evaluate_handle("el => el.closest('select')")).as_element()
    if owner is not None:
        several = await owner.evaluate("el => el.multiple")
        kept = await owner.query_selector_all("option:checked") if several else []
        await owner.select_option(element=[*kept, option], timeout=ACT_MS)


async def choose_in(tab: Tab, element: ElementHandle, wanted: str) -> Outcome:
    """Choose an option of a list by its text: in full, or the only one that it begins."""
    if await element.evaluate("el => el.localName === 'select'"):
        rows: list[tuple[int, str, str, bool]] = await element.evaluate(NATIVE)
        at = matching([row[1] for row in rows], wanted)
        if at is None:
            at = matching([row[2] for row in rows], wanted)
        if at is None:
            return no_option(wanted, [row[1] for row in rows])
        options = await element.query_selector_all("option")
        return await choose_native(tab, options[at], await options[at].evaluate(NATIVE_OPTION))
    return await choose_shown(tab, element, wanted)


async def choose_shown(tab: Tab, element: ElementHandle, wanted: str) -> Outcome:
    """Open a list of the page's own, find the option, click it."""
    texts: list[str] = []
    editable = await element.evaluate("el => el.localName === 'input' && !el.readOnly")
    frame = await element.owner_frame() or tab.page.main_frame
    before = await frame.evaluate_handle(SHOWN_TEXTS)
    if await element.evaluate(
        "el => el.getAttribute('aria-expanded') !== 'true' && el.getAttribute('role') !== 'listbox'"
    ):
        await (await seen_part(element)).click(timeout=ACT_MS)
    for step in range(OPEN_STEPS):
        present, texts = await listed_in(await element.evaluate_handle(OPTIONS))
        at = matching(texts, wanted)
        if at is None:  # a list without any markup: what came when it was opened
            came = await frame.evaluate_handle(
                CAME, [await frame.evaluate_handle(SHOWN_TEXTS), before]
            )
            others, said = await listed_in(came)
            at = matching(said, wanted)
            present, texts = (others, said) if at is not None or not texts else (present, texts)
        if at is not None:
            return await clicked_option(tab, element, present[at], texts[at])
        if not editable and step == TYPED_STEP and await frame.evaluate(SEARCHED, element):
            await tab.page.keyboard.type(wanted)  # a list that came with a field of its own
            texts = []
        if texts and not editable and step >= SHOWN_STEPS + LONGER_STEPS:
            break
        if editable and step == TYPED_STEP and not await holds_already(element, wanted):
            await element.fill("", timeout=ACT_MS)
            await element.type(wanted, timeout=ACT_MS + KEY_MS * len(wanted))
        await anyio.sleep(STEP_SECONDS)
    return no_option(wanted, texts)


async def seen_part(element: ElementHandle) -> ElementHandle:
    """Give what a person would click: the part around it, if it is too small to be seen."""
    around = (await element.evaluate_handle(SEEN_PART)).as_element()
    return element if around is None else around


async def choose_offered(tab: Tab, element: ElementHandle, wanted: str) -> Outcome | None:
    """Choose in a field with a list; None if it offers nothing before something is typed."""
    await element.click(timeout=ACT_MS)
    for _ in range(TYPED_STEP):
        present, texts = await listed_in(await element.evaluate_handle(OPTIONS))
        at = matching(texts, wanted)
        if at is not None:
            return await clicked_option(tab, element, present[at], texts[at])
        if texts:
            return no_option(wanted, texts)
        await anyio.sleep(STEP_SECONDS)
    return None


async def clicked_option(
    tab: Tab, owner: ElementHandle, option: ElementHandle, text: str
) -> Outcome:
    """Click an option, and see whether its list shows it then."""
    if await option.evaluate(OUT_OF_USE):
        return Refused(Code.NOT_FEASIBLE, f"{text!r} is disabled")
    if not await unless_asked(tab, option.click(timeout=ACT_MS)):
        return Done({"chosen": text, "seen": False})
    try:
        shown = str(await owner.evaluate("el => el.value || el.innerText || ''"))
    except Error:
        shown = ""  # the page went on
    seen = text.casefold() in " ".join(shown.split()).casefold() or await shows_choice(option)
    return Done({"chosen": text, "seen": seen})


async def holds_already(element: ElementHandle, wanted: str) -> bool:
    """Tell whether somebody has typed what is wanted: then its suggestions are under way."""
    said = str(await element.evaluate("el => el.value || ''")).strip().casefold()
    return bool(said) and wanted.casefold().startswith(said)


async def listed_in(found: JSHandle) -> tuple[list[ElementHandle], list[str]]:
    """Give the elements of a list in the page, with their texts."""
    shown = [each.as_element() for each in (await found.get_properties()).values()]
    present = [each for each in shown if each is not None]
    return present, [str(await each.evaluate(OPTION_TEXT)) for each in present]


def matching(texts: list[str], wanted: str) -> int | None:
    """Find the option that is meant: the very text, else the only one that begins with it."""
    said = " ".join(wanted.split()).casefold()
    folded = [" ".join(text.split()).casefold() for text in texts]
    for fits in (
        lambda text: text == said,
        lambda text: text.strip(" .:*") == said.strip(" .:*"),
        lambda text: text.startswith(said),
        lambda text: f" {said} " in f" {text} ",
    ):
        found = [at for at, text in enumerate(folded) if fits(text)]
        if len(found) == 1:
            return found[0]
        if found:
            return None
    return None


def no_option(wanted: str, texts: list[str]) -> Refused:
    there = ", ".join(text for text in texts[:FEW_NAMES] if text)
    hint = f"; there is {there}" if there else ""
    return Refused(Code.TARGET_NOT_FOUND, f"the list has no option {wanted!r}{hint}")
