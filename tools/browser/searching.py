"""Searching: in the page that is shown, if it has a field for that; else by a search engine."""

from messages.executing import Outcome, Refused
from messages.pages import Affords, Element, Page, target_id
from tools.browser.filling import typed
from tools.browser.hands import ACT_MS, Hands, done, led_to, unless_asked
from tools.browser.navigating import navigate
from tools.browser.params import Search
from tools.browser.scripting import script
from tools.browser.tab import Tab

BUTTON = script("search_button")
SEARCHES = frozenset({"search", "find"})


async def search(hands: Hands, params: Search) -> Outcome:
    """Search in the page before one, where that is meant and can be done; else go and search."""
    if not params.here:
        return await navigate(hands, params)
    has_field = False

    async def deed(tab: Tab) -> Outcome:
        nonlocal has_field
        field = search_field(await tab.look(colours=False))
        element = None if field is None else await tab.take(field)
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

    outcome = await hands.on_page(params.lane, deed)
    return outcome if has_field or isinstance(outcome, Refused) else await navigate(hands, params)


def search_field(page: Page) -> str | None:
    """Find the one field of a page that is there to search by."""
    fields = [
        target_id(frame, each)
        for frame in page.frames
        for each in frame.sheet.elements
        if each.shown == 0 and each.affords & Affords.EDIT and is_for_search(each)
    ]
    return fields[0] if len(fields) == 1 else None


def is_for_search(element: Element) -> bool:
    """Tell whether a field says that one searches by it."""
    if element.kind == "searchbox":
        return True
    names = (element.name, *element.others, element.weak)
    return any(name.casefold().split()[:1] == [word] for name in names for word in SEARCHES)
