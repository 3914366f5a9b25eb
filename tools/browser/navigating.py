"""Going places: addresses, back and forth, waiting, scrolling."""

import fnmatch
import re

import anyio
from playwright.async_api import ElementHandle, Error, Response
from playwright.async_api import TimeoutError as TooSlow

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.browser.actions import PageActions, done, is_shown, unless_asked
from tools.browser.chromium import first_line
from tools.browser.host_proxy import DENIED
from tools.browser.params import (
    Address,
    HandedBack,
    OnElement,
    OnPage,
    Scroll,
    Seconds,
    WaitFor,
)
from tools.browser.scripting import script
from tools.browser.tab import Tab, settle

GOTO_MS, LOAD_MS = 20_000.0, 8_000.0
WAIT_SECONDS, WAIT_STEP = 30.0, 0.1
BAD_STATUS = 400
SCROLL_SHARE = 0.8
EXCHANGING = "Not attached to an active page"
MOST_TRIES = 6
SHOWING_ERROR = 'interrupted by another navigation to "chrome-error:'
CERTIFICATE = re.compile(r"ERR_(CERT|SSL)\w*")
NET = re.compile(r"net::(\w+)")
SCROLL = script("scroll")


async def navigate(actions: PageActions, params: Address) -> Outcome:
    """Go to an address; a page that the server refuses or that is not there is a failure."""
    if (veto := actions.policy.refusal(params.url)) is not None:
        return Refused(Code.NOT_ALLOWED, veto)

    async def deed(tab: Tab) -> Outcome:
        try:
            response = await gone_to(tab, params.url)
        except Error as error:
            return unreachable(params.url, error, tab)
        return await arrived(tab, response)

    return await actions.on_page(params.lane, deed, leaves=True)


async def gone_to(tab: Tab, url: str) -> Response | None:
    """Go to an address; again if the browser was still busy with showing an error before."""
    for _ in range(MOST_TRIES - 1):
        try:
            return await tab.page.goto(url, timeout=GOTO_MS, wait_until="commit")
        except Error as error:
            crossed = (SHOWING_ERROR, f'another navigation to "{url}"')
            if not any(each in str(error) for each in crossed):
                raise
        await loaded(tab)  # what came between has to end first
    return await tab.page.goto(url, timeout=GOTO_MS, wait_until="commit")


async def arrived(tab: Tab, response: Response | None) -> Outcome:
    """Wait until a page can be read, and say what came."""
    loading = not await loaded(tab)
    if response is not None and DENIED in response.headers:
        return Refused(Code.NOT_ALLOWED, f"{response.url}: its host is not among those allowed")
    if response is not None and response.status >= BAD_STATUS:
        said = f"the server answers {response.status} {response.status_text}".strip()
        return Refused(Code.PAGE_ERROR, f"{said} for {response.url}")
    output: dict[str, str | bool] = {"url": tab.page.url, "title": await tab.told_title()}
    if loading:
        output["loading"] = True
    tab.prepare()
    return Done(output, ("browser_running", f"url_is:{tab.page.url}"))


async def loaded(tab: Tab) -> bool:
    """Wait until the document is there; a page that never ends to load is used as it is."""
    try:
        loading = tab.page.wait_for_load_state("domcontentloaded", timeout=LOAD_MS)
        return await unless_asked(tab, loading)
    except TooSlow:
        return False
    except Error:
        return True


def unreachable(url: str, error: Error, tab: Tab) -> Refused:
    """Say why an address could not be opened."""
    text = str(error)
    if "ERR_HTTP_RESPONSE_CODE_FAILURE" in text:  # an error without a page of its own
        return Refused(Code.PAGE_ERROR, f"the server answers {tab.answered} for {url}")
    if certificate := CERTIFICATE.search(text):
        return Refused(Code.PAGE_ERROR, f"{url}: its certificate is not trusted ({certificate[0]})")
    if isinstance(error, TooSlow):
        return Refused(Code.TIMEOUT, f"{url} does not answer")
    if "ERR_TUNNEL_CONNECTION_FAILED" in text or "ERR_PROXY" in text:
        return Refused(Code.NOT_ALLOWED, f"{url}: its host is not among those allowed")
    if "ERR_ABORTED" in text:
        return Refused(Code.PAGE_ERROR, f"{url} is no page: it was aborted, or is a download")
    if net := NET.search(text):
        return Refused(Code.UNAVAILABLE, f"{url} cannot be reached ({net[1]})", transient=True)
    return Refused(Code.UNAVAILABLE, first_line(error))


async def leafed(tab: Tab, *, back: bool) -> Response | None:
    """Go back or forth; again while the browser is exchanging the page that a click has led to."""
    step = tab.page.go_back if back else tab.page.go_forward
    for _ in range(MOST_TRIES - 1):
        try:
            return await step(timeout=GOTO_MS, wait_until="commit")
        except Error as error:
            if EXCHANGING not in str(error):
                raise
        await loaded(tab)
    return await step(timeout=GOTO_MS, wait_until="commit")


async def leaf(actions: PageActions, params: OnPage, *, back: bool) -> Outcome:
    """Go back or forth in what was visited."""

    async def deed(tab: Tab) -> Outcome:
        before = tab.page.url
        response = await leafed(tab, back=back)
        if response is None and tab.page.url == before:
            way = "back" if back else "forward"
            return Refused(Code.NOT_FEASIBLE, f"there is no page to go {way} to")
        await loaded(tab)
        return done({"url": tab.page.url, "title": await tab.told_title()})

    return await actions.on_page(params.lane, deed, leaves=True)


async def reload(actions: PageActions, params: OnPage) -> Outcome:
    async def deed(tab: Tab) -> Outcome:
        return await arrived(tab, await tab.page.reload(timeout=GOTO_MS, wait_until="commit"))

    return await actions.on_page(params.lane, deed, leaves=True)


# Waiting


async def wait_for(actions: PageActions, params: WaitFor) -> Outcome:
    """Wait until an element is seen, or is not seen any more."""
    gone = params.state in {"hidden", "detached"}

    async def deed(tab: Tab) -> Outcome:
        with anyio.move_on_after(params.seconds):
            while True:
                if await is_shown(tab, params.selector) is not gone:
                    return done({"state": params.state})
                await anyio.sleep(WAIT_STEP)
        return Refused(Code.TIMEOUT, f"it is not {params.state} after {params.seconds:g} s")

    return await actions.on_page(params.lane, deed)


async def wait_time(_actions: PageActions, params: Seconds) -> Outcome:
    await anyio.sleep(params.seconds)
    return done()


async def wait_load(actions: PageActions, params: OnPage) -> Outcome:
    async def deed(tab: Tab) -> Outcome:
        try:
            await tab.page.wait_for_load_state("load", timeout=WAIT_SECONDS * 1000)
        except TooSlow:
            return Refused(Code.TIMEOUT, "the page is still loading")
        return done({"url": tab.page.url})

    return await actions.on_page(params.lane, deed)


async def wait_url(actions: PageActions, params: Address) -> Outcome:
    """Wait until the address is, or holds, what was said."""

    async def deed(tab: Tab) -> Outcome:
        with anyio.move_on_after(WAIT_SECONDS):
            while not is_address(tab.page.url, params.url):  # noqa: ASYNC110 - the page tells
                await anyio.sleep(WAIT_STEP)
            return done({"url": tab.page.url})
        return Refused(Code.TIMEOUT, f"the address is {tab.page.url}")

    return await actions.on_page(params.lane, deed)


def is_address(url: str, said: str) -> bool:
    plain = said.removeprefix("https://").removeprefix("http://").casefold()
    return fnmatch.fnmatch(url.casefold(), f"*{plain}*")


# Scrolling


async def scroll(actions: PageActions, params: Scroll) -> Outcome:
    """Scroll the page, or what scrolls around an element."""

    async def by(tab: Tab, element: ElementHandle | None) -> Outcome:
        arguments = [element, params.direction, params.amount, SCROLL_SHARE]
        frame = tab.page.main_frame
        if element is not None:
            frame = await element.owner_frame() or frame
        before, now = await frame.evaluate(SCROLL, arguments)
        return done({"moved": before != now, "at": now[1]})

    if params.selector is None:
        return await actions.on_page(params.lane, lambda tab: by(tab, None))
    return await actions.on_element(params.lane, params.selector, by)


async def scroll_to(actions: PageActions, params: OnElement) -> Outcome:
    async def grip(_tab: Tab, element: ElementHandle) -> Outcome:
        await element.evaluate("el => el.scrollIntoView({ block: 'center', behavior: 'instant' })")
        await settle(element.scroll_into_view_if_needed(timeout=1000))
        return done()

    return await actions.on_element(params.lane, params.selector, grip)


async def take_back(actions: PageActions, params: HandedBack) -> Outcome:
    """Go on with a page that a person had; say where it is now, and what they answered."""

    async def deed(tab: Tab) -> Outcome:
        return done({"answer": params.answer, "url": tab.page.url, "title": await tab.title()})

    return await actions.on_page(params.lane, deed)
