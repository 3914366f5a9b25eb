"""Putting together what acts on pages: the browser, its lanes, the gate, the hands."""

from playwright.async_api import Download

from tools.browser import transfers
from tools.browser.chromium import Chromium
from tools.browser.gate import Gate
from tools.browser.hands import Hands
from tools.browser.hosts import HostPolicy
from tools.browser.lanes import Lanes
from tools.browser.tab import Tab
from tools.files.roots import Roots
from tools.settings import BrowserSettings


def open_hands(
    settings: BrowserSettings, policy: HostPolicy, roots: Roots, downloads: str
) -> Hands:
    """Put it together; the browser itself starts with the first page."""

    async def keep(tab: Tab, file: Download) -> None:
        await transfers.keep_unasked(hands, tab, file)

    gate = None if policy.is_open else Gate(policy)
    lanes = Lanes(Chromium(settings, gate), keep, settings.lanes or 0)
    hands = Hands(lanes, roots, downloads, policy)
    return hands
