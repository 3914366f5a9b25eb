"""What a deed on a page would come to, told before it is done.

A form is sent off by its buttons, or by Enter; what a page makes of any other click by a script of
its own cannot be told before. What is typed is a secret where it goes into a password field.
"""

import anyio
from playwright.async_api import ElementHandle, Error

from messages.executing import Refused
from tools.browser.actions import OWN, PageActions, selected
from tools.browser.chromium import NoBrowser
from tools.browser.params import MaybeElement, OnElement, Press, Set, Type
from tools.browser.tab import Tab

BY_CLICK = """el => {
  const label = el.closest("label"), own = el.closest("button, input") || (label && label.control);
  return Boolean(own && own.form && /^(submit|image)$/.test(own.type));
}"""
BY_ENTER = """el => {
  const own = el.closest("button, input, iframe, frame");
  if (!own) return false;
  if (/frame$/.test(own.localName)) return true;
  if (own.localName === "button" || /^(submit|image|button|reset)$/.test(own.type))
    return Boolean(own.form && /^(submit|image)$/.test(own.type));
  return Boolean(own.form);
}"""
FOCUSED = """() => {
  let el = document.activeElement;
  while (el && el.shadowRoot && el.shadowRoot.activeElement) el = el.shadowRoot.activeElement;
  return el;
}"""
MASKED = """el => {
  const own = el.control || el;
  return own.type === "password" || Boolean(own.querySelector("input[type=password]"))
    || /frame$/.test(own.localName);
}"""
LOOK_SECONDS = 5.0
ENTER, SPACE = frozenset({"Enter", "NumpadEnter", "Return"}), frozenset({"Space", " "})


async def would_send(actions: PageActions, given: OnElement | MaybeElement | Type) -> bool:
    """Tell whether a deed would send a form off; what cannot be seen is taken for one that does."""
    way = way_of(given)
    return way is not None and await is_so(actions, given.lane, given.selector, way)


async def would_hide(actions: PageActions, given: Type | Set) -> bool:
    """Tell whether a text would go into a password field, or where that cannot be seen."""
    return await is_so(actions, given.lane, given.selector, MASKED)


async def is_so(actions: PageActions, lane: str, target: str | None, question: str) -> bool:
    """Ask the element that a deed goes to; one that does not answer is taken for a yes."""
    try:
        tab = await actions.lanes.tab(lane)
        async with tab.busy:
            if tab.dialog is not None:
                return False  # nothing else is done until it is answered
            with anyio.fail_after(LOOK_SECONDS):
                if target is not None and OWN.fullmatch(target):
                    return await tab.ask(target, question) is not False
                element = await meant(tab, target)
                return element is None or bool(await element.evaluate(question))
    except (NoBrowser, TimeoutError, Error):
        return True


def way_of(given: OnElement | MaybeElement | Type) -> str | None:
    """Give how a deed could send a form; None if it cannot."""
    match given:
        case Press(keys=keys):
            last = keys.rpartition("+")[2] or keys
            return BY_ENTER if last in ENTER else BY_CLICK if last in SPACE else None
        case Type(text=text):
            return BY_ENTER if "\n" in text or "\r" in text else None
        case _:
            return BY_CLICK


async def meant(tab: Tab, target: str | None) -> ElementHandle | None:
    """Give the element that a selector means, if it is there; without one, the focused element."""
    if target is None:
        return (await tab.page.evaluate_handle(FOCUSED)).as_element()
    found = await selected(tab, target)
    return None if isinstance(found, Refused) else found
