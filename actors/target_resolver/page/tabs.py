"""Which of the browser's tabs words mean: by number, by title, or by address."""

from collections.abc import Sequence

from actors.language.lexicon import lexicon
from actors.language.reading import descriptions
from actors.language.words import key_of, listed
from actors.target_resolver.page.finder import STRONG, Finder
from actors.target_resolver.page.lists import Found
from actors.target_resolver.page.phases import phase_of
from actors.target_resolver.page.refusals import Refusals
from actors.target_resolver.page.sight import Seen, Sight
from messages.failures import Target
from messages.pages import Affords, OpenTab, Page
from messages.results import Code
from messages.targets import Failure, Option
from messages.verbs import Role

USED = (Affords.CLICK | Affords.POINTER).value


def bound_tab(sight: Sight, refusals: Refusals, role: Role, text: str) -> Found:
    """Bind one of the browser's tabs, by its title or by its number."""
    found = tab_meant(sight.page, text)
    if len(found) == 1:
        return (tab_target(found[0]),), phase_of(role, "a tab", [])
    details = refusals.details(role, text)
    if not found and refusals.verb == "switch_tab" and (on_page := tab_on_page(sight, text)):
        return (sight.target(on_page),), phase_of(role, "a tab of the page", [on_page])
    if not found:
        titles = listed([tab.title for tab in sight.page.tabs] or ["no other"])
        return Failure(
            Code.TARGET_NOT_FOUND, f"no tab is called {text!r}; there is {titles}", details
        ), phase_of(role, "nothing matched", [])
    options = tuple(Option(at, tab.title, tab_target(tab)) for at, tab in enumerate(found, start=1))
    message = f"Which tab do you mean: {listed([tab.title for tab in found])}?"
    return Failure(Code.AMBIGUOUS_TARGET, message, details, options), phase_of(
        role, "several tabs", []
    )


def tab_on_page(sight: Sight, text: str) -> Seen | None:
    """Give the one tab in the page that goes by these words: pages have tabs, too."""
    tabs = frozenset(seen.at for seen in sight.seen if seen.kind == "tab")
    used = frozenset(seen.at for seen in sight.seen if seen.visible and seen.affords & USED)
    for among in (tabs, frozenset(sight.switches), used):
        choice = Finder(sight, lexicon().needs["click"], among).best(text) if among else None
        if choice is not None and len(choice.fits) == 1 and choice.score >= STRONG:
            return choice.things[0]
    return None


def tab_target(tab: OpenTab) -> Target:
    return Target(f"tab:{tab.number}", tab.title, "tab")


def tab_meant(page: Page, text: str) -> list[OpenTab]:
    """Find the tabs that words mean; several if they mean them equally."""
    tabs = page.tabs
    titles = [key_of(tab.title) for tab in tabs]
    urls = [key_of(tab.url) for tab in tabs]
    readings = [what for what in descriptions(text) if not what.is_parted]  # no "tab" that is Ada's
    for what in readings:
        if what.ordinal is not None and not what.name:
            at = what.ordinal if what.ordinal > 0 else len(tabs) + 1 + what.ordinal
            return placed(tabs, at)
    for said in filter(None, (key_of(what.name) for what in readings)):
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
