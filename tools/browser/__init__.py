"""The browser: pages that words can be bound on, and all that can be done on them."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from playwright.async_api import Download, Error

from messages.executing import Done, Outcome, Refused
from messages.pages import Page
from messages.results import Code
from tools.browser import filling, navigating, pointing, reading, windows
from tools.browser.choosing import Select, select
from tools.browser.chromium import Chromium, NoBrowser, is_found
from tools.browser.gate import Gate
from tools.browser.hands import Hands, open_dialog
from tools.browser.hosts import HostPolicy
from tools.browser.lanes import Lanes
from tools.browser.pointing import OnElement, OnPage
from tools.browser.tab import Tab
from tools.files.roots import Roots
from tools.settings import BrowserSettings
from tools.tool import AnyTool, Params, Tool, self_evident

P = TypeVar("P", bound=Params)
INTENT = "browser_control"
COLOURED = re.compile(
    r"red|orange|yellow|green|cyan|blue|purple|pink|brown|black|white|gr[ae]y|navy|teal|magenta"
    r"|lime|violet|turquoise|aqua|gold|crimson|maroon|colou?r",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PageScene:
    """The page of a lane, as a world."""

    lanes: Lanes

    async def look(self, within: str, *, again: bool = False, words: str = "") -> Page | Refused:
        """See a lane's page; not while it asks something, for then it answers nobody else."""
        try:
            tab = await self.lanes.tab(within or "|")
            async with tab.busy:
                if tab.dialog is not None:
                    return open_dialog(tab)
                return await tab.look(again=again, colours=COLOURED.search(words) is not None)
        except (NoBrowser, TimeoutError) as error:
            return Refused(Code.UNAVAILABLE, str(error) or "the browser does not answer")
        except Error:
            return Refused(Code.UNAVAILABLE, "the browser or its page was closed under way")


@dataclass(frozen=True, slots=True)
class WebBrowser:
    """What the daemon has of the browser: its tools, its scene, its lanes, and their end."""

    tools: tuple[AnyTool, ...]
    scene: PageScene
    lanes: Lanes


def web_browser(settings: BrowserSettings, roots: Roots, downloads: str) -> WebBrowser:
    """Put the browser together; it starts when it is first needed."""
    policy = HostPolicy.of(settings.allow, settings.deny)

    async def keep(tab: Tab, file: Download) -> None:
        await windows.keep_unasked(hands, tab, file)

    gate = None if policy.is_open else Gate(policy)
    lanes = Lanes(Chromium(settings, gate), keep, settings.lanes or 0)
    hands = Hands(lanes, roots, downloads, settings.uploads)
    return WebBrowser(browser_tools(hands, policy, settings), PageScene(lanes), lanes)


async def unseen(_params: Params, _done: Done) -> None:
    """What came of it cannot be seen in general."""


async def as_said(_params: Params, outcome: Done) -> bool | None:
    """Believe a tool that looked itself; it says where it could not see."""
    said = outcome.output
    return None if isinstance(said, dict) and said.get("seen") is False else True


def browser_tools(
    hands: Hands, policy: HostPolicy, settings: BrowserSettings
) -> tuple[AnyTool, ...]:
    """Declare all that can be done on a page."""

    def tool(
        verb: str,
        params: type[P],
        act: Callable[[P], Awaitable[Outcome]],
        check: Callable[[P, Done], Awaitable[bool | None]] = as_said,
        *effects: str,
    ) -> AnyTool:
        return Tool(
            name=f"browser.{verb}",
            intent=INTENT,
            achieves=frozenset({f"browser_{verb}"}),
            params=params,
            act=act,
            check=check,
            effects=frozenset(effects),
            is_available=lambda: is_found(settings),
            hint="install Chromium or Chrome, or run `playwright install chromium`",
        )

    loads = ("browser_running", "url_is:{url}")
    holds = partial(filling.holds, hands)
    go = partial(navigating.navigate, hands, policy)
    return (
        tool("navigate", navigating.Address, go, as_said, *loads),
        tool("search", navigating.Address, go, as_said, *loads),
        tool("back", OnPage, partial(navigating.leaf, hands, back=True)),
        tool("forward", OnPage, partial(navigating.leaf, hands, back=False)),
        tool("reload", OnPage, partial(navigating.reload, hands)),
        tool("wait", navigating.WaitFor, partial(navigating.wait_for, hands)),
        tool("wait_time", navigating.Seconds, partial(navigating.wait_time, hands)),
        tool("wait_load", OnPage, partial(navigating.wait_load, hands)),
        tool("wait_url", navigating.Address, partial(navigating.wait_url, hands)),
        tool("click", pointing.Click, partial(pointing.click, hands)),
        tool("use", pointing.Click, partial(pointing.click, hands)),
        tool("double_click", OnElement, partial(pointing.double_click, hands)),
        tool("right_click", OnElement, partial(pointing.right_click, hands)),
        tool("hover", OnElement, partial(pointing.hover, hands)),
        tool("drag", pointing.Drag, partial(pointing.drag, hands), unseen),
        tool("type", filling.Type, partial(filling.type_text, hands), holds),
        tool("set", filling.Set, partial(filling.set_value, hands), holds),
        tool("clear", OnElement, partial(filling.clear, hands)),
        tool("submit", filling.MaybeElement, partial(filling.submit, hands), unseen),
        tool("select", Select, partial(select, hands)),
        tool("check", OnElement, partial(filling.check, hands, wanted=True)),
        tool("uncheck", OnElement, partial(filling.check, hands, wanted=False)),
        tool("press", windows.Press, partial(windows.press, hands), unseen),
        tool("upload", windows.Upload, partial(windows.upload, hands)),
        tool("download", windows.Fetch, partial(windows.download, hands)),
        tool("scroll", navigating.Scroll, partial(navigating.scroll, hands)),
        tool("scroll_to", OnElement, partial(navigating.scroll_to, hands)),
        tool("read", reading.Read, partial(reading.read, hands), self_evident),
        tool("copy", filling.MaybeElement, partial(reading.copy, hands)),
        tool("cut", filling.MaybeElement, partial(reading.copy, hands, cut=True)),
        tool("paste", filling.MaybeElement, partial(reading.paste, hands)),
        tool("select_text", filling.MaybeElement, partial(reading.select_text, hands)),
        tool("new_tab", windows.NewTab, partial(windows.new_tab, hands, policy)),
        tool("close_tab", windows.WhichTab, partial(windows.close_tab, hands)),
        tool("switch_tab", windows.WhichTab, partial(windows.switch_tab, hands)),
        tool("accept_dialog", windows.Answer, partial(windows.answer, hands, accept=True)),
        tool("dismiss_dialog", windows.Answer, partial(windows.answer, hands, accept=False)),
        tool("screenshot", windows.Shot, partial(windows.screenshot, hands)),
        tool("expand", OnElement, partial(pointing.unfold, hands, wanted=True)),
        tool("collapse", OnElement, partial(pointing.unfold, hands, wanted=False)),
    )  # fmt: skip
