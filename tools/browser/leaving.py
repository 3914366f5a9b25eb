"""What a field keeps: looked at after it has lost the focus.

Many pages check, rewrite or clear a field only when it is left. It is left for a moment, and gets
the focus back, so that keys that follow go there. Where leaving it would undo what goes on (an open
list of suggestions, an entry that is edited in its place) it is not left, and nothing is claimed.
"""

from playwright.async_api import ElementHandle, Error

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.browser.actions import unless_asked
from tools.browser.scripting import script
from tools.browser.states import held_text, holds
from tools.browser.tab import Tab

LEAVABLE = script("leavable")
HAS_FOCUS = "el => el.getRootNode().activeElement === el"
# By then what a page does at once, or in the next frame, is done.
LEAVE = "el => new Promise(resolve => { el.blur(); setTimeout(resolve, 60); })"
RETURN = """el => {
  if (!el.isConnected || el.ownerDocument.activeElement !== el.ownerDocument.body) return;
  el.focus({ preventScroll: true });
  try { el.setSelectionRange(el.value.length, el.value.length); } catch { /* it has no caret */ }
}"""


async def has_focus(element: ElementHandle) -> bool:
    found: bool = await element.evaluate(HAS_FOCUS)
    return found


async def kept_when_left(
    tab: Tab, element: ElementHandle, text: str, *, was_focused: bool = False
) -> Outcome:
    """Leave a field that holds a text, and say what it holds then."""
    held = await held_text(element)
    if not await element.evaluate(LEAVABLE, was_focused):
        return Done({"value": held, "seen": False})
    if not await unless_asked(tab, element.evaluate(LEAVE)):
        return Done({"value": held, "seen": False})
    try:
        return await kept(element, text)
    except Error:
        return Done({"value": held, "seen": False})  # the page went on


async def kept(element: ElementHandle, text: str) -> Outcome:
    """Say what a field holds that was left, and return to it."""
    if not await element.evaluate("el => el.isConnected"):
        return Done({"value": text, "seen": False})  # it was taken away with what it held
    held = await held_text(element)
    if not await holds(element, text):
        message = f"the field did not keep the text when it was left; it holds {held!r}"
        return Refused(Code.EFFECT_MISSING, message)
    await element.evaluate(RETURN)
    return Done({"value": held})
