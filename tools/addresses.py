"""Opening a web address with the desktop's own browser."""

import os
import shlex
from urllib.parse import urlsplit

import anyio
import anyio.to_thread

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.programs import SETTLE_SECONDS, installed, start_apart
from tools.tool import AnyTool, Params, Tool

DESKTOP_BROWSERS = (
    "xdg-open",
    "x-www-browser",
    "firefox",
    "google-chrome",
    "chromium",
    "chromium-browser",
)


class Address(Params, frozen=True):
    """An address, with the words it was made of where it is a search."""

    url: str
    query: str = ""
    platform: str = ""
    lane: str = ""


def address_tools(*, anywhere: bool = True) -> tuple[AnyTool, ...]:
    """Declare the tool; it stands behind navigation and search until a browser can be driven.

    Nobody sees where a desktop's browser goes: unless it may go ``anywhere``, it is not used.
    """
    return (
        Tool(
            name="desktop.open_address",
            intent="browser_control",
            achieves=frozenset({"browser_navigate", "browser_search"}),
            params=Address,
            act=open_address,
            check=unseen,
            effects=frozenset({"browser_running", "url_is:{url}"}),
            is_available=lambda: anywhere and browser() is not None,
            hint="install a web browser, or name one in $BROWSER; [browser] must not limit hosts",
        ),
    )


def browser() -> list[str] | None:
    """Find the command that opens an address: the one in ``$BROWSER``, or the desktop's.

    The standard library's ``webbrowser`` looks only once, and waits until the browser is closed.
    """
    for named in os.environ.get("BROWSER", "").split(os.pathsep):
        words = shlex.split(named)
        if words and installed(words[0]):
            return words if any("%s" in word for word in words) else [*words, "%s"]
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return None
    return next(([program, "%s"] for program in DESKTOP_BROWSERS if installed(program)), None)


async def open_address(params: Address) -> Outcome:
    """Hand an address to the browser, and see that it does not refuse it at once."""
    if urlsplit(params.url).scheme.lower() not in {"http", "https"}:
        return Refused(Code.NOT_ALLOWED, f"{params.url} is not an http or https address")
    command = [word.replace("%s", params.url) for word in browser() or ()]
    if not command:
        return Refused(Code.NO_CAPABILITY, "no browser is found")
    try:
        process = await anyio.to_thread.run_sync(start_apart, command)
    except OSError as error:
        return Refused(Code.UNAVAILABLE, f"{command[0]} does not start: {error.strerror}")
    await anyio.sleep(SETTLE_SECONDS)
    if process.poll() not in {None, 0}:
        return Refused(Code.UNAVAILABLE, f"{command[0]} did not take the address")
    return Done({"url": params.url}, effects=("browser_running", f"url_is:{params.url}"))


async def unseen(_params: Address, _done: Done) -> None:
    """The desktop's browser does not tell what it shows."""
