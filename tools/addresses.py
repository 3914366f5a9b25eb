"""Opening a web address with the desktop's own browser."""

import webbrowser
from urllib.parse import urlsplit

import anyio.to_thread

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.tool import AnyTool, Params, Tool


class Address(Params, frozen=True):
    """An address, with the words it was made of where it is a search."""

    url: str
    query: str = ""
    platform: str = ""


def address_tools() -> tuple[AnyTool, ...]:
    """Declare the tool; it stands behind navigation and search until a browser can be driven."""
    return (
        Tool(
            name="desktop.open_address",
            intent="browser_control",
            achieves=frozenset({"browser_navigate", "browser_search"}),
            params=Address,
            act=open_address,
            check=unseen,
            effects=frozenset({"browser_running", "url_is:{url}"}),
            is_available=has_browser,
            hint="install a web browser, or name one in $BROWSER",
        ),
    )


def has_browser() -> bool:
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


async def open_address(params: Address) -> Outcome:
    if urlsplit(params.url).scheme.lower() not in {"http", "https"}:
        return Refused(Code.NOT_ALLOWED, f"{params.url} is not an http or https address")
    if not await anyio.to_thread.run_sync(webbrowser.open, params.url):
        return Refused(Code.UNAVAILABLE, "no browser took the address")
    return Done({"url": params.url}, effects=("browser_running", f"url_is:{params.url}"))


async def unseen(_params: Address, _done: Done) -> None:
    """The desktop's browser does not tell what it shows."""
