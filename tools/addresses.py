"""Opening a web address with the desktop's own browser."""

import webbrowser
from urllib.parse import urlsplit

import anyio.to_thread

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.programs import SETTLE_SECONDS, start_apart
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
    """Hand an address to the browser, without waiting for the browser to be closed again."""
    if urlsplit(params.url).scheme.lower() not in {"http", "https"}:
        return Refused(Code.NOT_ALLOWED, f"{params.url} is not an http or https address")
    browser = webbrowser.get()
    if type(browser) is webbrowser.GenericBrowser:
        taken = await taken_by_program(browser, params.url)
    else:
        taken = await anyio.to_thread.run_sync(browser.open, params.url)
    if not taken:
        return Refused(Code.UNAVAILABLE, "no browser took the address")
    return Done({"url": params.url}, effects=("browser_running", f"url_is:{params.url}"))


async def taken_by_program(browser: webbrowser.GenericBrowser, url: str) -> bool:
    """Start a program that was named as the browser; ``webbrowser`` would wait for its end."""
    command = [browser.name, *(argument.replace("%s", url) for argument in browser.args)]
    try:
        process = await anyio.to_thread.run_sync(start_apart, command)
    except OSError:
        return False
    await anyio.sleep(SETTLE_SECONDS)
    return process.poll() in {None, 0}


async def unseen(_params: Address, _done: Done) -> None:
    """The desktop's browser does not tell what it shows."""
