"""Forms, sent by their button as a person would, or else by their own means."""

import anyio.lowlevel
from playwright.async_api import ElementHandle, Error

from messages.executing import Outcome, Refused
from messages.results import Code
from tools.browser.hands import ACT_MS, Hands, done, led_to, refused_by, unless_asked
from tools.browser.params import MaybeElement
from tools.browser.scripting import script
from tools.browser.tab import Tab

SUBMIT = script("submit")
ONLY_FORM = script("only_form")


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
