"""Keys and chords, pressed on an element or wherever the focus is."""

from playwright.async_api import ElementHandle

from messages.executing import Outcome
from tools.browser.actions import PageActions, done, led_to, unless_asked
from tools.browser.params import Press
from tools.browser.tab import Tab


async def press(actions: PageActions, params: Press) -> Outcome:
    """Press a key or a chord, on an element or wherever the focus is."""
    keys = as_pressed(params.keys)
    before: str | None = None  # where the page was when the key was first pressed

    async def grip(tab: Tab, element: ElementHandle | None) -> Outcome:
        nonlocal before
        before = before or tab.page.url
        await unless_asked(
            tab, tab.page.keyboard.press(keys) if element is None else element.press(keys)
        )
        return done(led_to(before, tab))

    return await actions.on_part(params.lane, params.selector, grip, times=params.times)


def as_pressed(keys: str) -> str:
    """Name keys as the browser does: a letter in a chord is the key, not the capital.

    >>> as_pressed("Control+S"), as_pressed("Control+Shift+T"), as_pressed("Enter")
    ('Control+s', 'Control+Shift+T', 'Enter')
    """
    *held, last = keys.split("+") if not keys.endswith("+") else [*keys[:-1].split("+")[:-1], "+"]
    if len(last) == 1 and "Shift" not in held:
        last = last.lower()
    return "+".join([*held, last])
