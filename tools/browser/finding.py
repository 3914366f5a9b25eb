"""Finding a browser: as set, Playwright's own download, or one of the system."""

import os
import shutil
from pathlib import Path

from tools.settings import BrowserSettings

NAMES = ("google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "chrome")


def executable(settings: BrowserSettings) -> str | None:
    """Find a browser: as set, else Playwright's own, else one of the system."""
    if settings.executable:
        return str(Path(settings.executable).expanduser())
    return None if own_download() else system_browser()


def own_download() -> bool:
    """Tell whether Playwright has fetched a browser of its own."""
    base = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    folder = Path(base) if base else Path.home() / ".cache" / "ms-playwright"
    return any(folder.glob("chromium-*/*/chrome*"))


def system_browser() -> str | None:
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def is_found(settings: BrowserSettings) -> bool:
    """Tell whether there is a browser to start, or one to attach to."""
    if settings.mode == "off":
        return False
    if settings.cdp_url:
        return True
    found = executable(settings)
    return own_download() if found is None else shutil.which(found) is not None


def is_headless(settings: BrowserSettings) -> bool:
    """Tell whether there is nothing to be seen: as set, or because there is no screen."""
    if settings.cdp_url:
        return False
    if settings.mode == "auto":
        return not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return settings.mode == "headless"


def profile_folder(settings: BrowserSettings) -> Path:
    return Path(str(settings.profile)).expanduser()
