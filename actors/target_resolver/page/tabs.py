"""Which of the browser's tabs words mean: by number, by title, or by address."""

from collections.abc import Sequence

from actors.target_resolver.page.lexicon import key_of
from actors.target_resolver.page.wishes import wishes
from messages.pages import OpenTab, Page


def tab_meant(page: Page, text: str) -> list[OpenTab]:
    """Find the tabs that words mean; several if they mean them equally."""
    tabs = page.tabs
    titles = [key_of(tab.title) for tab in tabs]
    urls = [key_of(tab.url) for tab in tabs]
    readings = [wish for wish in wishes(text) if not wish.is_parted]  # no "tab" that is Ada's
    for wish in readings:
        if wish.ordinal is not None and not wish.name:
            at = wish.ordinal if wish.ordinal > 0 else len(tabs) + 1 + wish.ordinal
            return placed(tabs, at)
    for said in filter(None, (key_of(wish.name) for wish in readings)):
        if said.isdecimal():
            return placed(tabs, int(said))
        for fits in (
            [title == said for title in titles],
            [said in title for title in titles],
            [said in url for url in urls],
        ):
            if any(fits):
                return [tab for tab, is_meant in zip(tabs, fits, strict=True) if is_meant]
    return []


def placed(tabs: Sequence[OpenTab], place: int) -> list[OpenTab]:
    """Give the tab at a place in their row, from the left."""
    return list(tabs[place - 1 : place]) if place > 0 else []
