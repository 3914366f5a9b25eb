"""Sides of the screen: its corners and edges, and those of things that stand together."""

from collections.abc import Sequence

from actors.target_resolver.page.geometry import overlaps
from actors.target_resolver.page.sight import Seen, Sight

IN_LINE = 0.03  # of half the screen
SLACK = 0.1
OUTER = 1 / 3


def on_side(
    sight: Sight, things: Sequence[Seen], side: tuple[int, int], *, every: bool = False
) -> list[Seen]:
    """Keep what stands on a side of the screen; at best in its outer third.

    Of ``every`` one there, none is taken for being further out than others.
    """
    wide, high = sight.view
    width, height = float(wide), float(high)
    if sight.lowest > 0:  # what is empty is no part of a short page
        height = min(height, sight.lowest)
    if side[1] > 0 and sight.page.frames:
        page_height = sight.page.frames[0].sheet.size[1]
        scrolled = sight.page.frames[0].sheet.scroll[1]
        low = [seen for seen in things if seen.middle[1] > high]
        if low and page_height > high:  # the bottom of a long page is its end
            height = float(page_height - scrolled)
    if width <= 0 or height <= 0:
        return []
    places = {
        seen.at: (seen.middle[0] / width * 2 - 1, seen.middle[1] / height * 2 - 1)
        for seen in things
    }
    for least in (OUTER, 0.0):
        found = [seen for seen in things if fits_side(places[seen.at], side, least)]
        if found:
            return found if every else outermost(found, places, side)
    return []


def among_themselves(things: Sequence[Seen], side: tuple[int, int]) -> list[Seen]:
    """Keep the one on a side of things that stand in one line, one column or one grid."""
    if len(things) <= 1 or not (in_one_row(things) or len({seen.parent for seen in things}) == 1):
        return []
    spans = [
        (min(seen.middle[axis] for seen in things), max(seen.middle[axis] for seen in things))
        for axis in (0, 1)
    ]

    def place(seen: Seen) -> tuple[float, float]:
        x, y = (
            (2 * seen.middle[axis] - spans[axis][0] - spans[axis][1])
            / max(spans[axis][1] - spans[axis][0], 1)
            for axis in (0, 1)
        )
        return x, y

    found = [seen for seen in things if fits_side(place(seen), side, 1 - SLACK)]
    return found if len(found) == 1 else []


def in_one_row(things: Sequence[Seen]) -> bool:
    """Tell whether things stand side by side, or one over the other."""
    first = things[0]
    return any(all(overlaps(first, seen, axis) for seen in things) for axis in (0, 1))


def fits_side(place: tuple[float, float], side: tuple[int, int], least: float) -> bool:
    if side == (0, 0):
        return max(abs(place[0]), abs(place[1])) <= 1 - least
    return all(where * way >= least for where, way in zip(place, side, strict=True) if way)


def outermost(
    found: list[Seen], places: dict[int, tuple[float, float]], side: tuple[int, int]
) -> list[Seen]:
    """Of several in a corner, the one that is further in it than all others, if there is one."""
    if side == (0, 0) or len(found) == 1:
        return found
    best = [max(places[seen.at][axis] * side[axis] for seen in found) for axis in (0, 1)]
    extreme = [
        seen
        for seen in found
        if all(
            not side[axis] or places[seen.at][axis] * side[axis] >= best[axis] - IN_LINE
            for axis in (0, 1)
        )
    ]
    return extreme if len(extreme) == 1 or (side[0] and side[1] and extreme) else found
