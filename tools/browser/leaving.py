"""What a field keeps: looked at after it has lost the focus.

Many pages check, rewrite or clear a field only when it is left. It is left for a moment, and gets
the focus back, so that keys that follow go there. Where leaving it would undo what goes on (an open
list of suggestions, an entry that is edited in its place) it is not left, and nothing is claimed.
"""

from typing import Any

from playwright.async_api import ElementHandle, Error

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.browser.actions import unless_asked
from tools.browser.scripting import script, script_with
from tools.browser.states import held_text, same_text
from tools.browser.tab import Tab

LEAVE = script_with("leave", "value", "held", "refocus")
REFOCUS = script("refocus")
# By then what a page does at once, or in the next frame, is done.
HEARD_MS, UNHEARD_MS = 60, 0


async def kept_when_left(
    tab: Tab, element: ElementHandle, text: str, *, was_focused: bool = False
) -> Outcome:
    """Leave a field that holds a text, and say what it holds then."""
    held = await held_text(element)
    found: dict[str, Any] = {"stays": True}  # so it is if the page asks: then it tells nothing

    async def leave() -> None:
        nonlocal found
        found = await element.evaluate(LEAVE, [was_focused, HEARD_MS, None])

    await unless_asked(tab, leave())
    return await kept(element, text, {"held": held, **found})


async def kept_unheard(element: ElementHandle, text: str, *, was_focused: bool) -> Outcome | None:
    """Leave a field that nobody hears being left, at once; None if it does not hold the text."""
    found = await element.evaluate(LEAVE, [was_focused, UNHEARD_MS, text])
    return None if "unlike" in found else await kept(element, text, found)


async def kept(element: ElementHandle, text: str, found: dict[str, Any]) -> Outcome:
    """Judge what a field held when it was left; return to it if the page only rewrote the text."""
    if "gone" in found:
        return Done({"value": text, "seen": False})  # it was taken away with what it held
    held = str(found["held"])
    if "stays" in found:
        return Done({"value": held, "seen": False})
    if found["same"]:
        return Done({"value": held})
    if found["secret"] or not same_text(held, text):
        message = f"the field did not keep the text when it was left; it holds {held!r}"
        return Refused(Code.EFFECT_MISSING, message)
    try:
        await element.evaluate(REFOCUS)
    except Error:
        return Done({"value": held, "seen": False})  # the page went on
    return Done({"value": held})
