"""What an element is like just now: checked, expanded, holding a text."""

import re
from collections.abc import Awaitable, Callable

import anyio
from playwright.async_api import ElementHandle

from tools.browser.scripting import script, script_with

STEPS, STEP_SECONDS = 20, 0.05

CHECKED = script("checked")
# What has no such state says it by a class, if at all.
CLASSES = script("classes")
EXPANDED = script("expanded")
VALUE = script("value")
HELD, HOLDS = script_with("held", "value"), script_with("holds", "value")

State = Callable[[ElementHandle], Awaitable[bool | None]]


async def is_checked(element: ElementHandle) -> bool | None:
    """Tell whether a box is checked; None if it does not say."""
    found: bool | None = await element.evaluate(CHECKED)
    return found


async def looks_checked(element: ElementHandle) -> bool:
    """Tell whether something that only looks like a box looks checked."""
    found: bool = await element.evaluate(CLASSES)
    return found


async def is_expanded(element: ElementHandle) -> bool | None:
    found: bool | None = await element.evaluate(EXPANDED)
    return found


async def value_of(element: ElementHandle) -> str | None:
    """Give what a field holds."""
    found = await element.evaluate(VALUE)
    return None if found is None else str(found)


async def await_state(element: ElementHandle, state: State, *, wanted: bool) -> bool:
    """Wait a little until an element is as wanted."""
    for _ in range(STEPS):
        if await state(element) is wanted:
            return True
        await anyio.sleep(STEP_SECONDS)
    return False


async def held_text(element: ElementHandle) -> str:
    """Give what a field holds; a password is never read back."""
    return str(await element.evaluate(HELD))


async def holds(element: ElementHandle, text: str) -> bool:
    """Tell whether a field holds a text; a password is compared in the page and not read."""
    held: str | bool = await element.evaluate(HOLDS, text)
    return held if isinstance(held, bool) else same_text(held, text)


async def is_secret(element: ElementHandle) -> bool:
    found: bool = await element.evaluate("el => el.type === 'password'")
    return found


def same_text(held: str, wanted: str) -> bool:
    """Tell whether a field holds a text, whatever it has made of its spaces.

    >>> same_text("(555) 010-9999", "5550109999"), same_text("ab", "abc")
    (True, False)
    """
    if held.split() == wanted.split():
        return True
    plain = re.sub(r"[\W_]+", "", held).casefold()
    return bool(plain) and plain == re.sub(r"[\W_]+", "", wanted).casefold()
