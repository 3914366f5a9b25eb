"""Who hears what is done to a field: whether the page can notice that it is typed into, and left.

A page that listens for nothing of the kind cannot tell keys from a text that is put in at once, and
does nothing when the field is left: there is nothing to wait for. The browser knows all listeners,
and is asked. A field that it cannot be asked about counts as heard.
"""

import json
from collections.abc import Mapping
from typing import Any

import msgspec
from playwright.async_api import Error

from tools.browser.scripting import script
from tools.browser.tab import Tab

FIELD_LISTENERS = script("field_listeners")


class Hearing(msgspec.Struct, frozen=True):
    """What of a field's use the page can hear."""

    typing: bool = True
    leaving: bool = True


HEARD = Hearing()


async def hearing_of(tab: Tab, sort: Mapping[str, Any]) -> Hearing:
    """Ask the browser who listens at a field of the main frame that is in no shadow tree."""
    place: int = sort["place"]
    if place < 0 or tab.session is None:
        return HEARD
    call = f"({FIELD_LISTENERS})({json.dumps(sort['tag'])}, {place}, getEventListeners)"
    question = {"expression": call, "includeCommandLineAPI": True, "returnByValue": True}
    try:
        answer: dict[str, Any] = await tab.session.send("Runtime.evaluate", question)
    except Error:
        return HEARD
    found = answer["result"].get("value")
    return HEARD if found is None else msgspec.convert(found, Hearing)
