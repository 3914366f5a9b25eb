"""Putting together what acts on pages: the browser, its lanes, the proxy, the actions."""

from playwright.async_api import Download

from tools.browser import transfers
from tools.browser.actions import PageActions
from tools.browser.chromium import Chromium
from tools.browser.host_proxy import HostProxy
from tools.browser.hosts import HostPolicy
from tools.browser.lanes import Lanes
from tools.browser.tab import Tab
from tools.files.roots import Roots
from tools.pictures import Pictures
from tools.settings import BrowserSettings


def open_actions(
    settings: BrowserSettings,
    policy: HostPolicy,
    roots: Roots,
    downloads: str,
    pictures: Pictures | None = None,
) -> PageActions:
    """Put it together; the browser itself starts with the first page."""

    async def keep(tab: Tab, file: Download) -> None:
        await transfers.keep_unasked(actions, tab, file)

    gate = None if policy.is_open else HostProxy(policy)
    lanes = Lanes(Chromium(settings, gate), keep, settings.lanes or 0)
    actions = PageActions(lanes, roots, downloads, policy, pictures)
    return actions
