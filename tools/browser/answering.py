"""Questions of a page (``confirm``, ``prompt``), and what a person answers."""

from collections.abc import Callable, Iterator, Sequence

import anyio

from messages.executing import Outcome, Refused
from messages.pages import Affords, Element, Page, target_id
from messages.results import Code
from tools.browser.actions import PageActions, answered, done
from tools.browser.filling import typed
from tools.browser.params import Answer
from tools.browser.pointing import clicked_at_once
from tools.browser.tab import Tab

ASK_SECONDS, ASK_STEP = 1.5, 0.05
# What pages write on the buttons of their own dialogs.
ACCEPTING = frozenset({"ok", "okay", "yes", "accept", "confirm", "agree", "i agree", "got it"})
CLOSING = frozenset(
    {
        *("close", "dismiss", "x", "×", "✕", "✖", "╳", "✗"),
        *("close this dialog", "close dialog", "close the dialog", "close modal", "close alert"),
    }
)
REFUSING = frozenset({"cancel", "no", "no thanks", "not now", "later", "skip"})
USED = Affords.CLICK | Affords.POINTER
DIALOGS = frozenset({"dialog", "alertdialog"})
MESSAGES = frozenset({"alert", "status"})


async def answer(actions: PageActions, params: Answer, *, accept: bool) -> Outcome:
    """Answer what the page asks."""

    async def deed(tab: Tab) -> Outcome:
        with anyio.move_on_after(ASK_SECONDS):
            while tab.dialog is None:  # noqa: ASYNC110 - the page may be about to ask
                await anyio.sleep(ASK_STEP)
        if tab.dialog is not None:
            return await answered(tab, accept=accept, text=params.text)
        heard, tab.heard = tab.heard, None
        if heard and accept:
            return done({"said": heard, "accepted": True})  # an alert, let pass already
        if params.text is not None:
            return await fill_on_page(tab, params.text)
        return await answer_on_page(tab, accept=accept)

    return await actions.on_page(params.lane, deed, asked=True)


async def answer_on_page(tab: Tab, *, accept: bool) -> Outcome:
    """Answer a dialog that the page has drawn itself, if it plainly has one button for that."""
    page = await tab.look()
    closing = buttons_for(page, CLOSING) or buttons_for(page, REFUSING)
    found = buttons_for(page, ACCEPTING) if accept else closing
    if not found:
        return Refused(Code.NOT_FEASIBLE, "the page asks nothing")
    if len(found) > 1:
        names = ", ".join(repr(name) for name, _ in found)
        return Refused(Code.NOT_FEASIBLE, f"there are several ways: {names}; say which to click")
    name, target = found[0]
    element = await tab.aim(target)
    if element is None or not await clicked_at_once(tab, element, target):
        return Refused(Code.NOT_FEASIBLE, f"{name!r} cannot be clicked now")
    return done({"clicked": name})


async def fill_on_page(tab: Tab, text: str) -> Outcome:
    """Type into the one field of a dialog that the page has drawn itself."""
    page = await tab.look()
    fields = parts_of(page, DIALOGS, lambda each: bool(each.affords & Affords.EDIT))
    element = await tab.take(fields[0][1]) if len(fields) == 1 else None
    if element is None:
        asks = "has several fields; say which" if fields else "asks nothing"
        return Refused(Code.NOT_FEASIBLE, f"the page {asks}")
    return await typed(tab, element, text)


def buttons_for(page: Page, words: frozenset[str]) -> list[tuple[str, str]]:
    """Find the buttons of the dialog in front that go by one of some words; or of a message."""

    def is_meant(each: Element) -> bool:
        called = {name.casefold().strip(" .!") for name in (each.name, *each.others)}
        return bool(each.affords & USED) and not called.isdisjoint(words)

    open_parts = {
        each.kind for frame in page.frames for each in frame.sheet.elements if not each.shown
    }
    kinds = MESSAGES if open_parts.isdisjoint(DIALOGS) else DIALOGS
    return parts_of(page, kinds, is_meant)


def parts_of(
    page: Page, kinds: frozenset[str], is_meant: Callable[[Element], bool]
) -> list[tuple[str, str]]:
    """Find what is meant in the last part of some kinds, of the first frame that has one."""
    for frame in page.frames:
        elements = frame.sheet.elements
        parts = [at for at, each in enumerate(elements) if each.kind in kinds and not each.shown]
        if parts:
            found = within(elements, parts[-1], is_meant)
            return [(each.name, target_id(frame, each)) for each in found]
    return []


def within(
    elements: Sequence[Element], part: int, is_meant: Callable[[Element], bool]
) -> Iterator[Element]:
    """Give the elements in a part that are meant; what is in such a one is part of it."""
    inside, taken = {part}, set[int]()
    for at, each in enumerate(elements):
        if each.parent not in inside:
            continue
        inside.add(at)
        if each.parent in taken:
            taken.add(at)
        elif not each.shown and is_meant(each):
            taken.add(at)
            yield each
