"""Tabs of the browser: opened, shown, closed."""

from collections.abc import Awaitable, Callable

from playwright.async_api import Error

from messages.executing import Outcome, Refused
from messages.results import Code
from tools.browser.actions import PageActions, done
from tools.browser.lanes import Session
from tools.browser.navigating import GOTO_MS, arrived, unreachable
from tools.browser.params import Click, NewTab, WhichTab
from tools.browser.pointing import click
from tools.browser.tab import Tab

TAB = "tab:"


async def new_tab(actions: PageActions, params: NewTab) -> Outcome:
    """Open a tab and go on in it."""
    if params.url is not None and (veto := actions.policy.refusal(params.url)) is not None:
        return Refused(Code.NOT_ALLOWED, veto)

    async def deed(_tab: Tab) -> Outcome:
        session = await actions.lanes.session_of(params.lane)
        tab = actions.lanes.note_page(session, await session.context.new_page())
        await actions.lanes.show(params.lane, tab)
        if params.url is None:
            return done({"tabs": len(session.tabs)})
        try:
            return await arrived(
                tab, await tab.page.goto(params.url, timeout=GOTO_MS, wait_until="commit")
            )
        except Error as error:
            return unreachable(params.url, error, tab)

    return await actions.on_page(params.lane, deed, leaves=True)


async def switch_tab(actions: PageActions, params: WhichTab) -> Outcome:
    """Show another tab of the browser; one that the page has itself is clicked."""
    if params.selector is not None and not params.selector.startswith(TAB):
        return await click(actions, Click(lane=params.lane, selector=params.selector))

    async def show(_session: Session, tab: Tab) -> Outcome:
        await actions.lanes.show(params.lane, tab)
        return done({"title": await tab.title(), "url": tab.page.url})

    return await on_tab(actions, params, show)


async def close_tab(actions: PageActions, params: WhichTab) -> Outcome:
    """Close a tab; the one before it is shown then."""

    async def close(session: Session, tab: Tab) -> Outcome:
        await tab.page.close()
        session.forget(tab)
        left = await actions.lanes.tab(params.lane)
        return done({"tabs": len(session.tabs), "title": await left.title()})

    return await on_tab(actions, params, close)


async def on_tab(
    actions: PageActions, params: WhichTab, act: Callable[[Session, Tab], Awaitable[Outcome]]
) -> Outcome:
    """Do something with the tab that is meant."""

    async def deed(shown: Tab) -> Outcome:
        session = await actions.lanes.session_of(params.lane)
        tab = tab_named(session, shown, params)
        if tab is None:
            return Refused(Code.TARGET_STALE, "that tab was closed meanwhile")
        return await act(session, tab)

    return await actions.on_page(params.lane, deed, leaves=True)


def tab_named(session: Session, shown: Tab, params: WhichTab) -> Tab | None:
    """Find the tab that was bound, or the one beside the one that is shown."""
    tabs = session.tabs
    if not tabs:
        return None
    at = tabs.index(shown) if shown in tabs else 0
    match params.which:
        case "next":
            return tabs[(at + 1) % len(tabs)]
        case "previous":
            return tabs[(at - 1) % len(tabs)]
        case _ if params.selector is None:
            return shown
        case _:
            meant = params.selector.removeprefix(TAB)
            return next((tab for tab in tabs if str(tab.number) == meant), None)
