"""What all deeds on a page have in common: the element found again, the deed, what came of it.

An element that is gone or is not what it was is ``TARGET_STALE``, one that is covered is
``TARGET_COVERED``; neither is touched. A question of the page ("Leave?") ends the deed that raised
it, and is answered by a deed of its own.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeAlias

import anyio
from msgspec.structs import replace
from playwright.async_api import ElementHandle, Error
from playwright.async_api import TimeoutError as TooSlow

from messages.executing import Done, Outcome, Refused
from messages.message import Value
from messages.pages import ASKED_NO, ASKED_YES, ASKING, Page
from messages.results import Code
from tools.browser.chromium import NoBrowser, first_line
from tools.browser.hosts import HostPolicy
from tools.browser.lanes import Gone, Lanes
from tools.browser.tab import Tab, settle
from tools.files.roots import Roots
from tools.pictures import Pictures

# How long the page may take to let something happen, and more for each key that is typed.
ACT_MS, KEY_MS = 3_000.0, 200.0
# A page that draws an element anew while it is used, or aimed at, may do so this often in a row.
MOST_REDRAWN, MOST_STRIKES = 4, 6
DOWNLOAD_SECONDS, DOWNLOAD_STEP = 15.0, 0.05
# How elements are named that were bound; all else is a selector of the client's.
OWN = re.compile(r"d\d+\.\d+~?")
CLOSED = "browser_closed"
# What the browser says of a document that was left while something was asked of it.
LEFT = re.compile(r"context was destroyed|[Cc]annot find context|Frame was detached|navigat")
# What Playwright says when all is done but the page that it has led to.
ON_THE_WAY = "waiting for scheduled navigations"
COVERED = re.compile(r"(<[^>]*>).*intercepts pointer events")

Deed: TypeAlias = Callable[[Tab], Awaitable[Outcome]]
ElementAction: TypeAlias = Callable[[Tab, ElementHandle], Awaitable[Outcome]]
PartAction: TypeAlias = Callable[[Tab, ElementHandle | None], Awaitable[Outcome]]
FastClick: TypeAlias = Callable[[Tab], Awaitable[Outcome | None]]


@dataclass(frozen=True, slots=True)
class PageActions:
    """The pages to work in, and the folders that what is saved goes to."""

    lanes: Lanes
    roots: Roots
    downloads: str
    policy: HostPolicy
    pictures: Pictures | None = None  # of what words are bound on, while somebody observes

    async def look(self, lane: str, *, again: bool, colours: bool) -> Page | Refused:
        """See a lane's page; not while it asks something, for then it answers nobody else."""
        tab: Tab | None = None
        try:
            tab = await self.lanes.tab(lane)
            async with tab.busy:
                if tab.dialog is not None:
                    return tab.asking(tab.dialog)
                page = await tab.look(again=again, colours=colours)
                if self.pictures is not None:
                    await tab.take_picture(page, self.pictures)
            title = page.frames[0].sheet.title
            return replace(page, tabs=await self.lanes.open_tabs(lane, tab, title))
        except TimeoutError as error:
            if tab is not None and tab.dialog is not None:
                return tab.asking(tab.dialog)  # it has begun to ask meanwhile
            return Refused(Code.UNAVAILABLE, str(error) or "the browser does not answer")
        except NoBrowser as error:
            ended = (CLOSED,) if isinstance(error, Gone) else ()
            return Refused(Code.UNAVAILABLE, str(error), effects=ended)
        except Error:
            message = "the browser or its page was closed under way"
            return Refused(Code.UNAVAILABLE, message, effects=self.ended())

    async def on_page(
        self, lane: str, deed: Deed, *, asked: bool = False, leaves: bool = False
    ) -> Outcome:
        """Do something on a lane's page; ``asked`` if a question of the page does not hinder it.

        What ``leaves`` the page leaves its question behind, too: that is dismissed.
        """
        try:
            tab = await self.tab(lane, leaves=leaves)
            async with tab.busy:
                if tab.dialog is not None and leaves:
                    await put_aside(tab)
                if tab.dialog is not None and not asked:
                    return open_dialog(tab)
                tab.take_said()
                tab.alerts, waiting = 0, tab.coming
                before = tab.page.url
                outcome = await (deed(tab) if asked else until_asked(tab, deed))
                tab.note_act()
                if tab.leaving is not None:
                    await tab.arrive()
                await self.lanes.follow(lane, tab)
                outcome = await with_downloads(tab, with_said(tab, outcome), waiting)
                return with_address(outcome, before, self.lanes.shown(lane, tab))
        except (NoBrowser, TimeoutError) as error:
            message = str(error) or "the browser does not answer"
            ended = (CLOSED,) if isinstance(error, Gone) else ()
            return Refused(Code.UNAVAILABLE, message, transient=True, effects=ended)
        except Error as error:
            refused = refused_by(error)
            # A browser that dies while a page is opened is started anew: nothing was done there.
            again = leaves and refused.code is Code.UNAVAILABLE
            return replace(refused, effects=self.ended(), transient=refused.transient or again)

    def ended(self) -> tuple[str, ...]:
        """Say that the browser has ended, if it has."""
        return () if self.lanes.chromium.is_running else (CLOSED,)

    async def tab(self, lane: str, *, leaves: bool) -> Tab:
        """Give a lane's page; what leaves it anyway does not miss one that is gone."""
        try:
            return await self.lanes.tab(lane)
        except Gone:
            if not leaves:
                raise
            return await self.lanes.tab(lane)

    async def on_element(
        self,
        lane: str,
        target: str,
        grip: ElementAction,
        *,
        strike: FastClick | None = None,
        times: int = 1,
    ) -> Outcome:
        """Do something to an element, if it is still there and still what it was.

        A ``strike`` does it at once, or says by None that it has done nothing; then the pointer
        goes where a person would put it. What is done several ``times`` ends when the page asks.
        """

        async def deed(tab: Tab) -> Outcome:
            if target in {ASKED_YES, ASKED_NO}:
                return await answered(tab, accept=target == ASKED_YES)
            if not OWN.fullmatch(target):
                return await repeated(tab, times, lambda: by_selector(tab, target, grip))
            held = strike is not None
            element: ElementHandle | None = None
            for _ in range(MOST_STRIKES if strike is not None else 1):
                struck = None if strike is None else await strike(tab)
                if struck is not None:
                    return struck
                element = await tab.take(target, held=held)
                if element is not None:
                    break  # it is there, but cannot be struck: Playwright waits until it can be
            element = element or await tab.twin(target)
            if element is None:
                return Refused(Code.TARGET_STALE, "it is gone, or not what it was any more")
            redrawn = Redrawn(tab, target, element)
            return await repeated(tab, times, lambda: redrawn.gripped(grip))

        return await self.on_page(lane, deed, asked=target.startswith(f"{ASKING}."))

    async def on_part(
        self, lane: str, target: str | None, grip: PartAction, *, times: int = 1
    ) -> Outcome:
        """Do something to an element, or without one to the page or what has the focus."""
        if target is not None:
            return await self.on_element(lane, target, grip, times=times)
        return await self.on_page(lane, lambda tab: repeated(tab, times, lambda: grip(tab, None)))


@dataclass(slots=True)
class Redrawn:
    """An element that is used, even if the page draws the very same thing anew meanwhile."""

    tab: Tab
    target: str
    element: ElementHandle
    is_used: bool = False

    async def gripped(self, grip: ElementAction) -> Outcome:
        """Do something to the element, as it is drawn now."""
        if self.is_used and not await self.element.is_visible():
            self.element = await self.tab.twin(self.target) or self.element  # the next step's
        for _ in range(MOST_REDRAWN):
            try:
                outcome = await grip(self.tab, self.element)
            except Error as error:
                refused = refused_by(error)
                if refused.code is Code.TARGET_STALE and LEFT.search(str(error)):
                    return self.left(refused)
            else:
                self.is_used = True
                return outcome
            is_stale = refused.code is Code.TARGET_STALE
            twin = await self.tab.twin(self.target) if is_stale else None
            if twin is None:
                return refused
            self.element = twin
        return Refused(Code.TARGET_STALE, "the page draws it anew again and again")

    def left(self, refused: Refused) -> Outcome:
        """Judge a deed under which the page went away: what was done by then was done."""
        return done({"seen": False}) if self.tab.has_done else refused


async def repeated(tab: Tab, times: int, act: Callable[[], Awaitable[Outcome]]) -> Outcome:
    """Do something several times; not once more when it failed, or when the page asks."""
    outcome: Outcome = done()
    for number in range(times):
        outcome = await act()
        if isinstance(outcome, Refused) and number:  # not to be begun anew
            said = f"it was done {number} of {times} times; then: {outcome.message}"
            return Refused(Code.NOT_FEASIBLE, said)
        if isinstance(outcome, Refused) or tab.dialog is not None:
            break
    return outcome


async def by_selector(tab: Tab, selector: str, grip: ElementAction) -> Outcome:
    """Do something to the one element that a selector of the client's means."""
    found = await selected(tab, selector)
    return found if isinstance(found, Refused) else await grip(tab, found)


async def found_again(tab: Tab, target: str) -> ElementHandle | Refused:
    """Give an element that something else is done with: as it was bound, or by a selector."""
    if not OWN.fullmatch(target):
        return await selected(tab, target)
    return await tab.take(target) or Refused(Code.TARGET_STALE, "it is gone, or not what it was")


async def selected(tab: Tab, selector: str) -> ElementHandle | Refused:
    """Give the one element that a selector of the client's means."""
    found = await tab.page.query_selector_all(plain(selector))
    if len(found) == 1:
        return found[0]
    if not found:
        return Refused(Code.TARGET_NOT_FOUND, f"nothing on the page is {selector!r}")
    return Refused(Code.AMBIGUOUS_TARGET, f"{len(found)} elements are {selector!r}")


def plain(selector: str) -> str:
    """Give what the browser calls the page itself."""
    return "body" if selector == "page" else selector


async def answered(tab: Tab, *, accept: bool, text: str | None = None) -> Outcome:
    """Answer the question that the browser shows."""
    dialog, tab.dialog = tab.dialog, None
    if dialog is None:
        return Refused(Code.TARGET_STALE, "the page asks nothing any more")
    typed, tab.prompt_text = text or tab.prompt_text, None
    said = dialog.message
    if accept:
        await (dialog.accept() if typed is None else dialog.accept(typed))
    else:
        await dialog.dismiss()
    if tab.unfinished is not None:
        with anyio.move_on_after(ACT_MS / 1000):
            await tab.unfinished
        tab.unfinished = None
    with anyio.move_on_after(ACT_MS / 1000):
        await settle(tab.page.evaluate("1"))  # what the page does on the answer comes first
    return done({"asked": said, "accepted": accept})


async def put_aside(tab: Tab) -> None:
    """Dismiss a question that nobody has answered."""
    dialog, tab.dialog = tab.dialog, None
    if dialog is not None:
        await settle(dialog.dismiss())
    tab.unfinished = None


def open_dialog(tab: Tab) -> Refused:
    said = "" if tab.dialog is None else tab.dialog.message
    message = f"the page asks: {said!r}; accept or dismiss it first"
    return Refused(Code.DIALOG_OPEN, message)


def with_said(tab: Tab, outcome: Outcome) -> Outcome:
    """Add what the page said in an alert or a question to what came of a deed."""
    said = tab.take_said()
    if tab.page.is_closed() and tab.alerts:
        return Refused(Code.PAGE_ERROR, "the page shows alerts without end; its tab was closed")
    if not said or not isinstance(outcome, Done):
        return outcome
    output = dict(outcome.output) if isinstance(outcome.output, dict) else {}
    if outcome.output is not None and not output:
        output["value"] = outcome.output
    output["said" if tab.dialog is None else "asks"] = "\n".join(said)
    if tab.dialog is not None:
        output["seen"] = False  # whether it is done hangs on the answer
    return Done(output, outcome.effects)


async def with_downloads(tab: Tab, outcome: Outcome, before: int) -> Outcome:
    """Add the files that came, and why others were not kept, unless something was read.

    What was coming ``before`` the deed is not waited for.
    """
    with anyio.move_on_after(DOWNLOAD_SECONDS):
        while tab.coming > before:  # noqa: ASYNC110 - the browser tells
            await anyio.sleep(DOWNLOAD_STEP)
    came: dict[str, str] = {}
    if not isinstance(outcome, Done) or not isinstance(outcome.output, dict | None):
        return outcome
    if tab.downloads:
        came["downloaded"], tab.downloads = "\n".join(tab.downloads), []
    if tab.not_kept:
        came["not_kept"], tab.not_kept = "\n".join(tab.not_kept), []
    return Done({**(outcome.output or {}), **came}, outcome.effects) if came else outcome


async def until_asked(tab: Tab, deed: Deed) -> Outcome:
    """Do something on a page; one that asks answers nobody else, so that nothing would end it.

    What was done by then was done, though nobody sees what came of it.
    """
    outcome: Outcome | None = None
    tab.has_acted = tab.has_done = False
    with anyio.CancelScope() as tab.patience:
        outcome = await deed(tab)
    if outcome is not None:
        return outcome
    return done({"seen": False}) if tab.has_acted else open_dialog(tab)


async def unless_asked(tab: Tab, work: Coroutine[Any, Any, Any]) -> bool:
    """Do something that may make the page ask; False if it does: it ends with the answer then."""
    tab.has_acted, tab.asked = True, anyio.Event()
    doing = asyncio.ensure_future(work)
    asking = asyncio.ensure_future(tab.asked.wait())
    try:
        await asyncio.wait({doing, asking}, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        doing.cancel()
        raise
    finally:
        asking.cancel()
    if doing.done():
        try:
            doing.result()
        except TooSlow as error:
            if ON_THE_WAY not in str(error):
                raise
        tab.has_done = True
        return True
    tab.unfinished = asyncio.ensure_future(settle(doing))
    return False


def refused_by(error: Error) -> Refused:
    """Word why the browser did not do something."""
    text = str(error)
    if covered := COVERED.search(text):
        return Refused(Code.TARGET_COVERED, f"{covered[1]} covers it")
    if "intercepts pointer events" in text:
        return Refused(Code.TARGET_COVERED, "something covers it")
    if "not enabled" in text or "element is disabled" in text:
        return Refused(Code.NOT_FEASIBLE, "it is disabled")
    if "not editable" in text or "readonly" in text:
        return Refused(Code.NOT_FEASIBLE, "it cannot be edited")
    went = "Element is not visible" in text and not isinstance(error, TooSlow)  # in mid-air
    if went or "not attached" in text or "detached" in text.lower():
        return Refused(Code.TARGET_STALE, "it went away while it was being used")
    if "crashed" in text or "has been closed" in text or "Connection closed" in text:
        return Refused(Code.UNAVAILABLE, "the browser or its page was closed under way")
    if not isinstance(error, TooSlow) and LEFT.search(text):
        return Refused(Code.TARGET_STALE, "its page went away while it was being used")
    if isinstance(error, TooSlow):
        if "not visible" in text or "outside of the viewport" in text:
            return Refused(Code.TARGET_HIDDEN, "it cannot be seen")
        return Refused(Code.TIMEOUT, f"the page did not let it happen: {first_line(error)}")
    return Refused(Code.NOT_FEASIBLE, first_line(error))


def done(output: Value = None, *effects: str) -> Done:
    return Done(output, effects)


def with_address(outcome: Outcome, before: str, tab: Tab) -> Outcome:
    """Add where something has led to, if it has led away from where the page was."""
    now = tab.page.url
    if now == before or isinstance(outcome, Refused):
        return outcome
    effects = tuple(dict.fromkeys((*outcome.effects, "browser_running", f"url_is:{now}")))
    output = outcome.output
    if output is None or isinstance(output, dict):
        output = {**(output or {}), "url": now}
    return Done(output, effects, outcome.undo)


def led_to(before: str, tab: Tab) -> dict[str, str] | None:
    """Say where something has led to, if it has led away from where the page was."""
    return {"url": tab.page.url} if tab.page.url != before else None


async def is_shown(tab: Tab, target: str) -> bool:
    """Tell whether an element can be seen: as it was bound, or any that a selector means."""
    if not OWN.fullmatch(target):
        return await tab.page.locator(plain(target)).filter(visible=True).count() > 0
    element = await tab.take(target)
    return element is not None and await element.is_visible()
