"""Questions of a page (``confirm``, ``prompt``), and what a person answers."""

import anyio

from messages.executing import Outcome, Refused
from messages.results import Code
from tools.browser.hands import ACT_MS, Hands, done
from tools.browser.params import Answer
from tools.browser.tab import Tab, settle

ASK_SECONDS, ASK_STEP = 1.5, 0.05


async def answer(hands: Hands, params: Answer, *, accept: bool) -> Outcome:
    """Answer what the page asks."""

    async def deed(tab: Tab) -> Outcome:
        with anyio.move_on_after(ASK_SECONDS):
            while tab.dialog is None:  # noqa: ASYNC110 - the page may be about to ask
                await anyio.sleep(ASK_STEP)
        dialog, tab.dialog = tab.dialog, None
        if dialog is None:
            if tab.heard and accept:
                return done({"said": tab.heard, "accepted": True})  # an alert, let pass already
            return Refused(Code.NOT_FEASIBLE, "the page asks nothing")
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
