"""A browser that the daemon attaches to, and that the runner looks into by itself.

Playwright dismisses dialogs of every page it is connected to, so the runner is connected only
before and after a sentence.
"""

import os
import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import build_opener

from playwright.sync_api import BrowserContext, Error, Page, Playwright, sync_playwright

from tests.apps.serving import read_json
from tools.browser.finding import executable
from tools.settings import BrowserSettings

FLAGS = ("--headless=new", "--no-first-run", "--disable-sync", "--disable-background-networking")
PATIENCE = 30.0


@dataclass
class Watcher:
    """Looks into the browser, and puts it back between sentences."""

    playwright: Playwright
    address: str

    @contextmanager
    def connected(self) -> Iterator[BrowserContext]:
        """Connect for the length of a block."""
        browser = self.playwright.chromium.connect_over_cdp(self.address, timeout=5000)
        try:
            yield browser.contexts[0]
        finally:
            browser.close()

    def clear(self, base: str, cookies: Mapping[str, str]) -> None:
        """Close all pages, forget what sites have stored, and set cookies of one site."""
        self.close_pages()
        with self.connected() as context:
            page = context.new_page()
            session = context.new_cdp_session(page)
            session.send("Storage.clearDataForOrigin", {"origin": base, "storageTypes": "all"})
            context.clear_cookies()
            for name, value in cookies.items():
                context.add_cookies([{"name": name, "value": value, "url": base}])

    def close_pages(self) -> None:
        """Close all pages from outside: one with an open dialog lets nobody in."""
        targets = read_json(f"{self.address}/json/list")
        for target in targets:
            if target["type"] == "page":
                with build_opener().open(f"{self.address}/json/close/{target['id']}", timeout=5):
                    pass
        late = time.monotonic() + PATIENCE
        while time.monotonic() < late and has_pages(read_json(f"{self.address}/json/list")):
            time.sleep(0.05)

    def wait_for_text(self, text: str, seconds: float) -> None:
        """Wait until a page shows a text; the sentence is said in any case."""
        late = time.monotonic() + seconds
        with self.connected() as context:
            while text not in visible_text(context)[1] and time.monotonic() < late:
                time.sleep(0.2)

    def look(self) -> tuple[str, str]:
        """Give the address and the visible text of the page; none while a dialog is open."""
        try:
            with self.connected() as context:
                return visible_text(context)
        except Error:
            return "", ""


def has_pages(targets: list[dict[str, str]]) -> bool:
    """Tell whether a page is open."""
    return any(target["type"] == "page" for target in targets)


def visible_text(context: BrowserContext) -> tuple[str, str]:
    """Give the address and text of the newest page that is not blank."""
    pages = [page for page in context.pages if page.url != "about:blank"]
    if not pages:
        return "", ""
    page = pages[-1]
    return page.url, re.sub(r"\s+", " ", read_frames(page))


def read_frames(page: Page) -> str:
    """The texts of a page and its frames; a frame that goes away has none."""
    texts = []
    for frame in page.frames:
        try:
            texts.append(frame.inner_text("body", timeout=3000))
        except Error:
            continue
    return "\n".join(texts)


@contextmanager
def running_browser(folder: Path) -> Iterator[str]:
    """Run a browser that others may attach to; give its address."""
    command = [browser_program(), *FLAGS, "--remote-debugging-port=0", "--window-size=1280,900"]
    command += ["--no-sandbox"] if os.geteuid() == 0 else []
    profile = folder / "profile"
    with (folder / "browser.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, f"--user-data-dir={profile}", "about:blank"], stdout=log, stderr=log
        )
    try:
        yield f"http://127.0.0.1:{debugging_port(profile / 'DevToolsActivePort')}"
    finally:
        process.terminate()
        process.wait(PATIENCE)


def browser_program() -> str:
    """The browser that Behest would use, by its path."""
    found = executable(BrowserSettings())
    if found is not None:
        return found
    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def debugging_port(file: Path) -> int:
    """Wait until the browser has told its port."""
    late = time.monotonic() + PATIENCE
    while time.monotonic() < late:
        if file.exists() and (lines := file.read_text().split()):
            return int(lines[0])
        time.sleep(0.05)
    raise TimeoutError("the browser does not start")
