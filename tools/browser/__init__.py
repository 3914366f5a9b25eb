"""The browser: pages that words can be bound on, and all that can be done on them.

Playwright takes a tenth of a second and fourteen megabytes to load. That is done when the first
page is wanted, and not by daemons that never see one.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from messages.executing import Done, Outcome, Refused
from messages.message import Value
from messages.pages import Page
from tools.browser import params
from tools.browser.finding import is_found, is_headless
from tools.browser.hosts import HostPolicy
from tools.browser.lane_limiter import LaneLimiter, usual_lanes
from tools.files.roots import Roots
from tools.files.threads import in_thread
from tools.files.verify import mark_of
from tools.pictures import Pictures
from tools.settings import BrowserSettings
from tools.tool import NOTHING, AnyTool, Params, Tool, self_evident

if TYPE_CHECKING:
    from tools.browser.actions import PageActions

P = TypeVar("P", bound=Params)
INTENT = "browser_control"


def always_may(_words: str) -> bool:
    """Take any words for ones that may speak of a colour."""
    return True


def load_nothing() -> None:
    """Load nothing in advance."""


@dataclass
class WebBrowser:
    """What the daemon has of the browser: tools, a scene, lanes; the rest comes when needed."""

    settings: BrowserSettings
    roots: Roots
    downloads: str
    speaks_of_colour: Callable[[str], bool] = always_may
    preload: Callable[[], object] = load_nothing
    pictures: Pictures | None = None
    turns: LaneLimiter = field(init=False)
    policy: HostPolicy = field(init=False)
    _actions: "PageActions | None" = None

    def __post_init__(self) -> None:
        self.turns = LaneLimiter(self.settings.lanes or usual_lanes())
        self.policy = HostPolicy.of(self.settings.allow, self.settings.deny)

    @property
    def actions(self) -> "PageActions":
        """What acts on pages, loaded and put together when it is first wanted."""
        if self._actions is None:
            # What binds words on pages is loaded while the browser starts.
            Thread(target=self.preload, name="preload", daemon=True).start()
            from tools.browser.opening import open_actions  # noqa: PLC0415 - see above

            self._actions = open_actions(
                self.settings, self.policy, self.roots, self.downloads, self.pictures
            )
        return self._actions

    # As lanes

    async def enter(self, lane: str) -> None:
        await self.turns.enter(lane)

    async def leave(self, lane: str) -> None:
        await self.turns.leave(lane)
        if self._actions is not None:
            await self._actions.lanes.leave(lane)

    async def close(self) -> None:
        """End the browser, if it was ever started."""
        if self._actions is not None:
            await self._actions.lanes.close()

    # As a scene

    async def look(
        self,
        within: str,
        *,
        again: bool = False,
        words: str = "",
        args: Mapping[str, Value] = NOTHING,  # noqa: ARG002
    ) -> Page | Refused:
        """See a lane's page; colours only where the words speak of them."""
        colours = self.speaks_of_colour(words)
        return await self.actions.look(within or "|", again=again, colours=colours)

    # As tools

    def deed(self, where: str, **more: object) -> Callable[[Any], Awaitable[Outcome]]:
        """Give a deed by the place of its function: ``pointing.click``."""
        module, _, name = where.partition(".")

        async def act(given: Params) -> Outcome:
            function = getattr(import_module(f"{__package__}.{module}"), name)
            outcome: Outcome = await function(self.actions, given, **more)
            return outcome

        return act

    def tools(self) -> tuple[AnyTool, ...]:
        """Declare all that can be done on a page."""
        tool, deed = self.tool, self.deed
        loads = ("browser_running", "url_is:{url}")
        return (
            tool("navigate", params.Address, deed("navigating.navigate"), as_said, *loads),
            tool("search", params.Search, deed("searching.search"), as_said, *loads),
            tool("back", params.OnPage, deed("navigating.leaf", back=True)),
            tool("forward", params.OnPage, deed("navigating.leaf", back=False)),
            tool("reload", params.OnPage, deed("navigating.reload")),
            tool("wait", params.WaitFor, deed("navigating.wait_for")),
            tool("wait_time", params.Seconds, deed("navigating.wait_time")),
            tool("wait_load", params.OnPage, deed("navigating.wait_load")),
            self.handing_over(),
            tool("wait_url", params.Address, deed("navigating.wait_url")),
            tool("scroll", params.Scroll, deed("navigating.scroll")),
            tool("scroll_to", params.OnElement, deed("navigating.scroll_to")),
            self.sender("click", params.Click, deed("pointing.click")),
            self.sender("use", params.Click, deed("pointing.use")),
            self.sender("double_click", params.OnElement, deed("pointing.double_click")),
            tool("right_click", params.OnElement, deed("pointing.right_click")),
            tool("hover", params.OnElement, deed("pointing.hover")),
            tool("drag", params.Drag, deed("pointing.drag"), unseen),
            tool("expand", params.OnElement, deed("pointing.unfold", wanted=True)),
            tool("collapse", params.OnElement, deed("pointing.unfold", wanted=False)),
            replace(
                self.sender("type", params.Type, deed("filling.type_text")),
                may_hide=self.may_hide,
            ),
            replace(tool("set", params.Set, deed("filling.set_value")), may_hide=self.may_hide),
            tool("sort", params.Sort, deed("sorting.sort")),
            tool("clear", params.OnElement, deed("filling.clear")),
            tool("check", params.OnElement, deed("filling.check", wanted=True)),
            tool("uncheck", params.OnElement, deed("filling.check", wanted=False)),
            tool("submit", params.MaybeElement, deed("forms.submit"), unseen),
            tool("select", params.Select, deed("choosing.select")),
            self.sender("press", params.Press, deed("keys.press"), unseen),
            replace(tool("upload", params.Upload, deed("transfers.upload")), marks=self.marked),
            tool("download", params.Fetch, deed("transfers.download")),
            tool("new_tab", params.NewTab, deed("tabs.new_tab")),
            tool("close_tab", params.WhichTab, deed("tabs.close_tab")),
            tool("switch_tab", params.WhichTab, deed("tabs.switch_tab")),
            tool("accept_dialog", params.Answer, deed("answering.answer", accept=True)),
            tool("dismiss_dialog", params.Answer, deed("answering.answer", accept=False)),
            tool("screenshot", params.Shot, deed("transfers.screenshot")),
            tool("read", params.Read, deed("reading.read"), self_evident),
            tool("answer", params.Asked, deed("records.answer"), self_evident),
            tool("copy", params.MaybeElement, deed("reading.copy")),
            tool("cut", params.MaybeElement, deed("reading.copy", cut=True)),
            tool("paste", params.MaybeElement, deed("reading.paste")),
            tool("select_text", params.Selected, deed("reading.select_text")),
        )

    async def marked(self, given: params.Upload) -> str | Refused:
        """Tell the file that is to be uploaded from any other, and from what it becomes."""
        return await in_thread(lambda: mark_of(self.roots, given.path))

    def sender(
        self,
        verb: str,
        given: type[P],
        act: Callable[[P], Awaitable[Outcome]],
        check: "Callable[[P, Done], Awaitable[bool | None]] | None" = None,
    ) -> AnyTool:
        """Declare what sends a form off if it is done to the right thing."""
        return replace(self.tool(verb, given, act, check), may_send=self.may_send)

    async def may_send(self, given: "params.OnElement | params.MaybeElement | params.Type") -> bool:
        """Tell whether something done on a page would send a form off."""
        from tools.browser.preflight import would_send  # noqa: PLC0415 - see above

        return await would_send(self.actions, given)

    async def may_hide(self, given: params.Type | params.Set) -> bool:
        """Tell whether a text would go into a password field."""
        from tools.browser.preflight import would_hide  # noqa: PLC0415 - see above

        return await would_hide(self.actions, given)

    def handing_over(self) -> AnyTool:
        """Declare that a person can have the page, where there is one to be seen."""
        return Tool(
            name="browser.hand_over",
            intent=INTENT,
            achieves=frozenset({"browser_hand_over"}),
            params=params.HandedBack,
            act=self.deed("navigating.take_back"),
            check=as_said,
            is_available=lambda: is_found(self.settings) and not is_headless(self.settings),
            hint='nobody sees the page: set `mode = "visible"` in [browser], or a `cdp_url`',
        )

    def tool(
        self,
        verb: str,
        given: type[P],
        act: Callable[[P], Awaitable[Outcome]],
        check: "Callable[[P, Done], Awaitable[bool | None]] | None" = None,
        *effects: str,
    ) -> AnyTool:
        return Tool(
            name=f"browser.{verb}",
            intent=INTENT,
            achieves=frozenset({f"browser_{verb}"}),
            params=given,
            act=act,
            check=check or as_said,
            effects=frozenset(effects),
            is_available=lambda: is_found(self.settings),
            hint="install Chromium or Chrome, or run `playwright install chromium`",
        )


async def unseen(_params: Params, _done: Done) -> None:
    """What came of it cannot be seen in general."""


async def as_said(_params: Params, outcome: Done) -> bool | None:
    """Believe a tool that looked itself; it says where it could not see."""
    said = outcome.output
    return None if isinstance(said, dict) and said.get("seen") is False else True
