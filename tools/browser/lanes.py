"""Lanes: which page a command's branch works in.

A session is a browser context with its tabs; its lane without a name is the tab that is shown.
Other lanes are tabs of their own, so many at a time; when a branch has ended its tab stays open,
unless there are many. Contexts are capped, too: the one longest unused is put away with its
cookies and address, and comes back when its session goes on.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import anyio
from playwright.async_api import BrowserContext, Download, Error, StorageState
from playwright.async_api import Page as LivePage

from messages.pages import OpenTab
from tools.browser.chromium import Chromium, NoBrowser
from tools.browser.lane_limiter import SEPARATOR, usual_lanes
from tools.browser.tab import Tab, settle

MOST_TABS = 8
# Where a session has so many tabs, those that its pages open by themselves are closed at once.
MOST_OPENED = 50
RETURN_MS = 10_000.0
# Contexts beyond their number are put up with while they are in use, up to so many times as many.
CROWDED = 3
IDLE_SECONDS, HURRIED_SECONDS = 60.0, 2.0

Keeper = Callable[[Tab, Download], Any]


@dataclass(eq=False)
class Session:
    """A context, its tabs in the order they were opened, and which of them is whose lane."""

    context: BrowserContext
    tabs: list[Tab] = field(default_factory=list)
    lanes: dict[str, Tab] = field(default_factory=dict)
    used_at: float = field(default_factory=time.monotonic)
    clipboard: str = ""
    opening: dict[str, anyio.Lock] = field(default_factory=lambda: defaultdict(anyio.Lock))

    def note(self, tab: Tab) -> Tab:
        self.tabs.append(tab)
        tab.page.on("close", lambda _page: self.forget(tab))
        return tab

    def forget(self, tab: Tab) -> None:
        """A tab was closed: those who worked in it go on in the one before it."""
        if tab in self.tabs:
            self.tabs.remove(tab)
        for name, lane in list(self.lanes.items()):
            if lane is tab:
                del self.lanes[name]
                if not name and self.tabs:
                    self.lanes[name] = self.tabs[-1]


@dataclass(frozen=True, slots=True)
class PutAway:
    """A session whose context had to make room."""

    cookies: StorageState
    address: str


class Gone(NoBrowser):
    """The browser of a session has died, its pages with it; the next time there is a new one."""

    def __init__(self) -> None:
        super().__init__("the browser has ended, and its pages with it; go to an address first")


@dataclass
class Lanes:
    """All pages that are at work."""

    chromium: Chromium
    keep: Keeper
    most: int = 0
    most_opened: int = MOST_OPENED
    _sessions: dict[str, Session] = field(default_factory=dict)
    _away: dict[str, PutAway] = field(default_factory=dict)
    _opening: anyio.Lock = field(default_factory=anyio.Lock)
    # Sessions may share a browser, and so its pages: each is used by one of them at a time.
    _tabs: WeakKeyDictionary[LivePage, Tab] = field(default_factory=WeakKeyDictionary)

    def __post_init__(self) -> None:
        self.most = self.most or usual_lanes()

    async def leave(self, lane: str) -> None:
        """A branch has ended: its tab is closed where there are many."""
        name, _, own = lane.rpartition(SEPARATOR)
        session = self._sessions.get(name)
        if session is None or not own:
            return
        session.opening.pop(own, None)
        tab = session.lanes.pop(own, None)
        if tab is not None and len(session.tabs) > MOST_TABS:
            await settle(tab.page.close())

    # Pages

    async def session(self, name: str) -> Session:
        """Give a session, with a context of its own."""
        known = self.known(name)
        if known is not None:
            return known  # at once: who has a session never waits for one that finds no room
        async with self._opening:
            return self.known(name) or await self.opened(name)

    async def session_of(self, lane: str) -> Session:
        """Give the session that a lane is of."""
        return await self.session(lane.rpartition(SEPARATOR)[0])

    def known(self, name: str) -> Session | None:
        """Give a session that is there; its browser may have died."""
        session = self._sessions.get(name)
        if session is None:
            return None
        if not self.chromium.runs_for(session.context):
            del self._sessions[name]
            raise Gone
        session.used_at = time.monotonic()
        return session

    async def opened(self, name: str) -> Session:
        """Open a session; one that was put away comes back with its cookies."""
        await self.make_room()
        away = self._away.get(name)
        context = await self.chromium.context(None if away is None else away.cookies)
        self._sessions[name] = made = Session(context)

        async def note(page: LivePage) -> None:
            if len(made.tabs) >= self.most_opened and await opened_by_page(page):
                await settle(page.close())
            else:
                self.note_page(made, page)

        context.on("page", note)
        for page in context.pages:
            self.note_page(made, page)
        return made

    async def make_room(self) -> None:
        """Put away the sessions longest unused, where there are too many contexts."""
        while not self.chromium.is_shared and len(self._sessions) >= self.most:
            crowded = len(self._sessions) >= CROWDED * self.most
            name = self.longest_idle(HURRIED_SECONDS if crowded else IDLE_SECONDS)
            if name is None and not crowded:
                return
            if name is None:
                await anyio.sleep(HURRIED_SECONDS / 4)
                continue
            await self.put_away(name)

    async def put_away(self, name: str) -> None:
        """Close a session's context, and keep what brings it back."""
        session = self._sessions.pop(name)  # from now on whoever wants it waits
        shown = session.lanes.get("")
        address = shown.page.url if shown is not None else ""
        try:
            self._away[name] = PutAway(await session.context.storage_state(), address)
            await session.context.close()
        except Error:
            self._away.pop(name, None)

    def longest_idle(self, least: float) -> str | None:
        """Give the session that has been idle longest, if that is long enough."""
        now = time.monotonic()
        idle = [
            (session.used_at, name)
            for name, session in self._sessions.items()
            if now - session.used_at > least and not any(tab.busy.locked() for tab in session.tabs)
        ]
        return min(idle)[1] if idle else None

    def note_page(self, session: Session, page: LivePage) -> Tab:
        """Know a page that was opened, by us or by another page."""
        known = next((tab for tab in session.tabs if tab.page is page), None)
        if known is not None:
            return known
        tab = self._tabs.get(page)
        if tab is None:
            tab = self._tabs[page] = made = Tab(page)
            page.on("download", lambda download: self.keep(made, download))
        return session.note(tab)

    async def tab(self, lane: str) -> Tab:
        """Give the page of a lane, opened if there is none."""
        name, _, own = lane.rpartition(SEPARATOR)
        session = await self.session(name)
        async with session.opening[own]:
            tab = session.lanes.get(own)
            if tab is None or tab.page.is_closed():
                tab = session.lanes[own] = await self.first_tab(session, own)
                away = self._away.pop(name, None) if not own else None
                if away is not None and away.address.startswith("http"):
                    going = tab.page.goto(away.address, timeout=RETURN_MS, wait_until="commit")
                    await settle(going)
            await tab.listen()
        return tab

    async def first_tab(self, session: Session, own: str) -> Tab:
        """Give the tab that a lane begins in: the shown one takes the last that is there."""
        if not own and session.tabs and not session.tabs[-1].page.is_closed():
            return session.tabs[-1]
        return self.note_page(session, await session.context.new_page())

    async def open_tabs(self, lane: str, seen: Tab, title: str) -> tuple[OpenTab, ...]:
        """Give a session's tabs, in their order; the one that was just ``seen`` is not asked."""
        session = await self.session_of(lane)
        tabs = tuple(session.tabs)  # one may be closed meanwhile
        titles = [title if tab is seen else await tab.title() for tab in tabs]
        return tuple(
            OpenTab(tab.number, name, tab.page.url) for tab, name in zip(tabs, titles, strict=True)
        )

    async def show(self, lane: str, tab: Tab) -> None:
        """Let a lane go on in another tab."""
        name, _, own = lane.rpartition(SEPARATOR)
        session = await self.session(name)
        session.lanes[own] = tab
        await tab.listen()
        await settle(tab.page.bring_to_front())

    async def follow(self, lane: str, tab: Tab) -> Tab:
        """Go on in the page that an action has opened, if it has opened one."""
        opened = await tab.opened_page()
        if opened is None or opened.is_closed():
            return tab
        session = await self.session_of(lane)
        new = self.note_page(session, opened)
        await settle(opened.wait_for_load_state("domcontentloaded", timeout=RETURN_MS))
        await self.show(lane, new)
        return new

    def shown(self, lane: str, otherwise: Tab) -> Tab:
        """Give the tab that a lane is in by now, opened or not."""
        name, _, own = lane.rpartition(SEPARATOR)
        session = self._sessions.get(name)
        return otherwise if session is None else session.lanes.get(own, otherwise)

    async def close(self) -> None:
        """End the browser and all that is in it."""
        await self.chromium.close()


async def opened_by_page(page: LivePage) -> bool:
    """Tell whether another page opened this one."""
    try:
        return await page.opener() is not None
    except Error:
        return True  # it is gone already
