"""Which of the browser's tabs words mean: by number, by title, or by address."""

from actors.target_resolver.page.lexicon import key_of
from actors.target_resolver.page.wishes import wishes
from messages.pages import Page


def tab_meant(page: Page, text: str) -> list[tuple[int, str]]:
    """Find the tabs that words mean, with their numbers; several if they mean them equally."""
    tabs = [(number, title) for number, (title, _) in enumerate(page.tabs, start=1)]
    titles = [key_of(title) for title, _ in page.tabs]
    urls = [key_of(url) for _, url in page.tabs]
    readings = [wish for wish in wishes(text) if not wish.is_parted]  # no "tab" that is Ada's
    for wish in readings:
        if wish.ordinal is not None and not wish.name:
            at = wish.ordinal if wish.ordinal > 0 else len(tabs) + 1 + wish.ordinal
            return [tab for tab in tabs if tab[0] == at]
    for said in filter(None, (key_of(wish.name) for wish in readings)):
        if said.isdecimal():
            return [tab for tab in tabs if tab[0] == int(said)]
        for fits in (
            [title == said for title in titles],
            [said in title for title in titles],
            [said in url for url in urls],
        ):
            if any(fits):
                return [tab for tab, is_meant in zip(tabs, fits, strict=True) if is_meant]
    return []
