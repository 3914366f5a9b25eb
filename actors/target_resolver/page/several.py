"""One of several: what is meant of things in one another, the order to count in, the nearest."""

from collections.abc import Sequence
from dataclasses import dataclass

from actors.language.describing import Description
from actors.language.words import singular
from actors.target_resolver.page.geometry import reading_order
from actors.target_resolver.page.sight import TITLE_KINDS, Seen, Sight
from actors.target_resolver.page.traits import ACTABLE
from messages.pages import Affords

# What can surely be used. A plain number: flags of an enumeration take ten times as long.
SURE = (Affords.CLICK | Affords.CHECK | Affords.EDIT | Affords.CHOOSE).value
ON_PAGE = 2  # a scope, as those before it
TEXT_KINDS = TITLE_KINDS | {"definition", "status", "alert"}


@dataclass(frozen=True, slots=True)
class Fit:
    """An element that a reading may mean, and how well."""

    seen: Seen
    score: int


def collapsed(sight: Sight, fits: list[Fit]) -> list[Fit]:
    """Of things in one another keep the control; where there is none, the innermost."""
    if len(fits) < 2:  # noqa: PLR2004
        return fits
    by_place = {fit.seen.at: fit for fit in fits}
    dropped: set[int] = set()
    for fit in fits:
        for around in sight.ancestors(fit.seen.at):
            if around in by_place and around not in dropped:
                dropped.add(lesser(sight.seen[around], fit.seen))
    return [fit for fit in fits if fit.seen.at not in dropped]


def lesser(outer: Seen, inner: Seen) -> int:
    """Say which of two things in one another is not the one that is meant."""
    outer_acts = bool(outer.affords & ACTABLE) and outer.kind not in TEXT_KINDS
    inner_acts = bool(inner.affords & ACTABLE) and inner.kind not in TEXT_KINDS
    if outer_acts and inner_acts:
        return outer.at if inner.affords & SURE and not outer.affords & SURE else inner.at
    return inner.at if outer_acts else outer.at


def counted(sight: Sight, fits: list[Fit], what: Description) -> list[Fit]:
    """Put things in the order in which they are counted; a row of headers is not counted."""
    fits = under_their_name(sight, collapsed(sight, fits), what)
    rows = [fit for fit in fits if fit.seen.kind != "row" or is_body_row(sight, fit.seen)]
    by_place = {fit.seen.at: fit for fit in rows}
    things = [fit.seen for fit in rows]
    parents = {seen.parent for seen in things}
    in_list = len(parents) == 1 and next(iter(parents)) >= 0
    ordered = things if in_list or are_of_one_list(sight, things) else reading_order(things)
    return [by_place[seen.at] for seen in ordered]


def are_of_one_list(sight: Sight, things: Sequence[Seen]) -> bool:
    """Tell whether things are in entries of one list, each in another: they count as those."""
    entries = [sight.entry_around(each.at) for each in things]
    lists = {sight.seen[at].parent if at >= 0 else -1 for at in entries}
    return len(set(entries)) == len(things) and len(lists) == 1 and -1 not in lists


def under_their_name(sight: Sight, fits: list[Fit], what: Description) -> list[Fit]:
    """Of "the second step", count what stands under "Steps", if something is called so."""
    if what.kind is None or what.name or what.relation is not None:
        return fits
    for heading in sight.headings:
        if singular(heading.key) == what.kind.word and heading.key != what.kind.word:
            section = sight.section(heading.at)
            return [fit for fit in fits if fit.seen.at in section] or fits
    return fits


def is_body_row(sight: Sight, row: Seen) -> bool:
    kinds = [seen.kind for seen in sight.inside(row.at)]
    return kinds.count("cell") >= kinds.count("columnheader")


def nearest(sight: Sight, fits: list[Fit]) -> list[Fit]:
    """Keep those of the first scope: an open dialog, the page, its frames.

    What is in view is no nearer than what is not: two buttons of one name are two, even if one of
    them has to be scrolled to.
    """
    if len(fits) < 2:  # noqa: PLR2004
        return fits
    scopes = [max(sight.scope(fit.seen), ON_PAGE) for fit in fits]
    first = min(scopes)
    kept = [fit for fit, scope in zip(fits, scopes, strict=True) if scope == first]
    links = {fit.seen.element.href for fit in kept}
    if len(links) == 1 and all(fit.seen.kind == "link" for fit in kept):
        (link,) = links
        if link.startswith("http") and "#" not in link:
            return kept[:1]  # all lead to the same place
    return kept


def measured(fits: Sequence[Fit], measure: tuple[str, str]) -> list[Fit]:
    """Keep the most or the least of what can be measured."""
    name, way = measure
    measures = {
        "size": lambda seen: seen.size,
        "width": lambda seen: seen.rect[2],
        "height": lambda seen: seen.rect[3],
        "x": lambda seen: seen.middle[0],
        "y": lambda seen: seen.middle[1],
    }
    values = [measures[name](fit.seen) for fit in fits]
    wanted = max(values) if way == "most" else min(values)
    return [fit for fit, value in zip(fits, values, strict=True) if value == wanted]
