"""Questions of a page (``confirm``, ``prompt``), and what a person answers."""

from collections.abc import Iterator, Sequence

import anyio

from messages.executing import Outcome, Refused
from messages.pages import Affords, Element, Page, target_id
from messages.results import Code
from tools.browser.hands import ACT_MS, Hands, done
from tools.browser.params import Answer
from tools.browser.pointing import clicked_at_once
from tools.browser.tab import Tab, settle

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


async def answer(hands: Hands, params: Answer, *, accept: bool) -> Outcome:
    """Answer what the page asks."""

    async def deed(tab: Tab) -> Outcome:
        with anyio.move_on_after(ASK_SECONDS):
            while tab.dialog is None:  # noqa: ASYNC110 - the page may be about to ask
                await anyio.sleep(ASK_STEP)
        dialog, tab.dialog = tab.dialog, None
        if dialog is None:
            heard, tab.heard = tab.heard, None
            if heard and accept:
                return done({"said": heard, "accepted": True})  # an alert, let pass already
            return await answer_on_page(tab, accept=accept)
        said = dialog.message
        if accept:
            await (dialog.accept() if params.text is None else dialog.accept(params.text))
        else:
            await dialog.dismiss()
        if tab.unfinished is not None:
            with anyio.move_on_after(ACT_MS / 1000):
                await tab.unfinished
            tab.unfinished = None
        with anyio.move_on_after(ACT_MS / 1000):
            await settle(tab.page.evaluate("1"))  # what the page does on the answer comes first
        return done({"asked": said, "accepted": accept})

    return await hands.on_page(params.lane, deed, asked=True)


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


def buttons_for(page: Page, words: frozenset[str]) -> list[tuple[str, str]]:
    """Find the buttons of the dialog in front that go by one of some words; or of a message."""
    for kinds in (DIALOGS, MESSAGES):
        for frame in page.frames:
            elements = frame.sheet.elements
            parts = [
                at for at, each in enumerate(elements) if each.kind in kinds and not each.shown
            ]
            if parts:
                return [
                    (each.name, target_id(frame, each))
                    for each in buttons_in(elements, parts[-1], words)
                ]
    return []


def buttons_in(elements: Sequence[Element], part: int, words: frozenset[str]) -> Iterator[Element]:
    """Give the controls in a part that go by some words; what is in such a one is part of it."""
    inside, taken = {part}, set[int]()
    for at, each in enumerate(elements):
        if each.parent not in inside:
            continue
        inside.add(at)
        called = {name.casefold().strip(" .!") for name in (each.name, *each.others)}
        if each.parent in taken:
            taken.add(at)
        elif each.affords & USED and not each.shown and not called.isdisjoint(words):
            taken.add(at)
            yield each
