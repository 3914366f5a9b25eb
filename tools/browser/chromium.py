"""A real browser: found on the system, Playwright's own, or one that runs already.

It is started when it is first needed, and again when it has died.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

import anyio
from playwright.async_api import (
    Browser,
    BrowserContext,
    Error,
    Playwright,
    StorageState,
    async_playwright,
)

from tools.browser.finding import executable, is_headless, profile_folder
from tools.browser.host_proxy import HostProxy
from tools.browser.scripting import timers_script
from tools.settings import BrowserSettings

FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Calls between browsers use UDP and would go past the proxy. The flag has had two names.
NO_OTHER_WAY = (
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)
START_SECONDS = 30.0


class NoBrowser(Exception):
    """No browser can be used; the message says what to do."""


@dataclass(slots=True)
class Chromium:
    """The browser of a daemon; its requests go through a ``gate`` if policy looks at them."""

    settings: BrowserSettings
    gate: HostProxy | None = None
    proxy: str | None = None
    _playwright: Playwright | None = None
    _browser: Browser | None = None
    _kept: BrowserContext | None = None
    _starting: anyio.Lock = field(default_factory=anyio.Lock)

    @property
    def is_shared(self) -> bool:
        """Tell whether all sessions have one context: a profile's, or the user's own."""
        return bool(self.settings.profile or (self.settings.cdp_url and self.gate is None))

    @property
    def is_running(self) -> bool:
        """Tell whether there is a browser just now."""
        return self._kept is not None or (
            self._browser is not None and self._browser.is_connected()
        )

    def runs_for(self, context: BrowserContext) -> bool:
        """Tell whether a context can still be used."""
        if context.browser is None:
            return context is self._kept
        return context.browser.is_connected() and context in context.browser.contexts

    async def context(self, cookies: StorageState | None = None) -> BrowserContext:
        """Give a new context; with a profile, or in a browser of the user's, the one there is."""
        async with self._starting:
            with anyio.fail_after(START_SECONDS):
                if self.gate is not None:
                    self.proxy = await self.gate.open()
                if self._playwright is None:
                    self._playwright = await async_playwright().start()
                if self.settings.profile:
                    return await self.profile(self._playwright)
                return await self.fresh(self._playwright, cookies)

    async def profile(self, playwright: Playwright) -> BrowserContext:
        settings = self.settings
        if self._kept is None:
            try:
                self._kept = await playwright.chromium.launch_persistent_context(
                    profile_folder(settings),
                    headless=is_headless(settings),
                    executable_path=executable(settings),
                    args=arguments(self.proxy),
                    accept_downloads=True,
                    viewport={"width": settings.width, "height": settings.height},
                    handle_sigint=False,
                    handle_sigterm=False,
                    handle_sighup=False,
                )
            except Error as error:
                raise NoBrowser(f"the browser does not start: {first_line(error)}") from None
            self._kept.on("close", lambda _context: self.forget())
            await self._kept.add_init_script(timers_script())
        return self._kept

    async def fresh(self, playwright: Playwright, cookies: StorageState | None) -> BrowserContext:
        if self._browser is None or not self._browser.is_connected():
            self._browser = await self.start(playwright)
        if self.is_shared and self._browser.contexts:
            return self._browser.contexts[0]
        context = await self._browser.new_context(
            accept_downloads=True,
            storage_state=cookies,
            viewport={"width": self.settings.width, "height": self.settings.height},
            proxy=None if self.proxy is None else {"server": self.proxy, "bypass": "<-loopback>"},
        )
        await context.add_init_script(timers_script())
        return context

    async def start(self, playwright: Playwright) -> Browser:
        settings = self.settings
        try:
            if settings.cdp_url:
                return await playwright.chromium.connect_over_cdp(settings.cdp_url)
            return await playwright.chromium.launch(
                headless=is_headless(settings),
                executable_path=executable(settings),
                args=arguments(self.proxy),
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
        except Error as error:
            hint = "is it running?" if settings.cdp_url else "`behest doctor` says what is found"
            raise NoBrowser(f"the browser does not start ({first_line(error)}); {hint}") from None

    def forget(self) -> None:
        """Note that the browser is gone."""
        self._kept = None

    async def close(self) -> None:
        """End the browser, unless it is the user's own."""
        if self._browser is not None and self._browser.is_connected():
            await self._browser.close()  # one that was attached to is only let go
        if self._kept is not None:
            await self._kept.close()
        if self._playwright is not None:
            await self._playwright.stop()
        if self.gate is not None:
            await self.gate.close()
        self._browser = self._kept = self._playwright = None


def arguments(proxy: str | None) -> Sequence[str]:
    """Give the flags; as root the browser starts only without its sandbox."""
    flags = list(FLAGS)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        flags.append("--no-sandbox")
    if proxy is not None:
        flags += [f"--proxy-server={proxy}", "--proxy-bypass-list=<-loopback>", *NO_OTHER_WAY]
    return flags


def first_line(error: Exception) -> str:
    """Give the gist of an error of Playwright's, without its call log."""
    text = str(error).strip()
    return text.splitlines()[0].removeprefix("BrowserType.launch: ") if text else repr(error)
