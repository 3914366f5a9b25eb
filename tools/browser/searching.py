"""Searching: in the page that is shown, if it has a field for that; else by a search engine."""

import re

import anyio

from messages.executing import Outcome, Refused
from messages.pages import Affords, Element, Page, target_id
from messages.results import Code
from tools.browser.actions import ACT_MS, PageActions, done, led_to, unless_asked
from tools.browser.filling import typed
from tools.browser.navigating import navigate
from tools.browser.params import Search
from tools.browser.scripting import script
from tools.browser.states import STEP_SECONDS, STEPS
from tools.browser.tab import Tab

BUTTON = script("search_button")
SEARCHES = frozenset({"search", "find"})
WORD = re.compile(r"[^\W_]+")
MOST_NAMED = 4  # fields that a refusal names


async def search(actions: PageActions, params: Search) -> Outcome:
    """Search with the page's own field if the user means this page and it has one.

    Else use the search engine.
    """
    if not params.here:
        return await navigate(actions, params)
    has_field = False

    async def deed(tab: Tab) -> Outcome:
        nonlocal has_field
        fields = await search_fields_soon(tab)
        if len(fields) > 1:
            has_field = True
            named = ", ".join(repr(name) for name, _ in fields[:MOST_NAMED])
            return Refused(
                Code.AMBIGUOUS_TARGET, f"several fields search here: {named}; say which one"
            )
        element = await tab.take(fields[0][1]) if fields else None
        if element is None:
            return done()
        has_field, before = True, tab.page.url
        written = await typed(tab, element, params.query)
        if isinstance(written, Refused) or tab.dialog is not None:
            return written
        button = (await element.evaluate_handle(BUTTON)).as_element()
        if button is None:
            await unless_asked(tab, element.press("Enter", timeout=ACT_MS))
        else:
            await unless_asked(tab, button.click(timeout=ACT_MS))
        return done({"query": params.query, **(led_to(before, tab) or {})})

    outcome = await actions.on_page(params.lane, deed)
    if has_field or isinstance(outcome, Refused):
        return outcome
    if params.only:
        return Refused(Code.NOT_FEASIBLE, "the page has no field to search by")
    return await navigate(actions, params)


async def search_fields_soon(tab: Tab) -> list[tuple[str, str]]:
    """Look for fields to search by, as long as the page may still show one."""
    for _ in range(STEPS):
        page = await tab.look(colours=False)
        if (fields := search_fields(page)) or page.settled:
            return fields
        await anyio.sleep(STEP_SECONDS)
    return []


def search_fields(page: Page) -> list[tuple[str, str]]:
    """Find the fields of a page that are there to search by: their names and ids.

    A field whose name only says "search" wins over fields that name what they search.
    """
    fields = [
        (each.name, target_id(frame, each))
        for frame in page.frames
        for each in frame.sheet.elements
        if each.shown == 0 and each.affords & Affords.EDIT and is_for_search(each)
    ]
    plain = [field for field in fields if len(name_words(field[0])) <= 1]
    return plain if len(plain) == 1 else fields


def is_for_search(element: Element) -> bool:
    """Tell whether a field says that one searches by it."""
    if element.kind == "searchbox":
        return True
    names = (element.name, *element.others, element.weak)
    return any(name_words(name)[:1] == [word] for name in names for word in SEARCHES)


def name_words(name: str) -> list[str]:
    return WORD.findall(name.casefold())
