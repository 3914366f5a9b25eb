"""Forms, sent by their button as a person would, or else by their own means."""

import anyio.lowlevel
from playwright.async_api import ElementHandle, Error

from messages.executing import Outcome, Refused
from messages.results import Code
from tools.browser.actions import ACT_MS, PageActions, done, led_to, refused_by, unless_asked
from tools.browser.params import MaybeElement
from tools.browser.scripting import script
from tools.browser.tab import Tab

SUBMIT = script("submit")
ONLY_FORM = script("only_form")
FOCUSED = script("focused")
IS_FORM = "el => el.localName === 'form'"
IS_OUTSIDE = "el => /^(input|textarea)$/.test(el.localName) && !el.form && !el.closest('form')"


async def submit(actions: PageActions, params: MaybeElement) -> Outcome:
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
        if await held.evaluate(IS_FORM):
            await unless_asked(tab, held.evaluate("form => form.requestSubmit()"))
        else:
            await unless_asked(tab, held.click(timeout=ACT_MS))
        await anyio.lowlevel.checkpoint()
        return done(led_to(before, tab))

    if params.selector is not None:
        return await actions.on_element(params.lane, params.selector, grip)

    async def deed(tab: Tab) -> Outcome:
        form = (await tab.page.evaluate_handle(ONLY_FORM)).as_element()
        focused = (await tab.page.evaluate_handle(FOCUSED)).as_element()
        is_button = form is not None and not await form.evaluate(IS_FORM)
        if focused is not None and not is_button and await focused.evaluate(IS_OUTSIDE):
            before = tab.page.url  # what was typed outside of all forms belongs to none of them
            await unless_asked(tab, focused.press("Enter", timeout=ACT_MS))
            return done(led_to(before, tab))
        if form is None:
            return Refused(Code.NOT_FEASIBLE, "which form is meant? Name it, or its button")
        try:
            return await grip(tab, form)
        except Error as error:
            return refused_by(error)

    return await actions.on_page(params.lane, deed)
