"""Controls that have no name of their own, by the plain text that stands before or beside them."""

from actors.language.lexicon import lexicon
from actors.language.words import key_of
from actors.target_resolver.page.sight import CELLS, Seen, Sight
from actors.target_resolver.page.traits import ACTABLE, is_called
from messages.pages import Affords

SMALL_BOX, FEWEST_BOXES = 80, 4  # pixels; boxes of a code
ROW = 24  # elements that a title and its controls come to at most
LISTED = Affords.CHOOSE | Affords.EDIT | Affords.CONTAIN | Affords.RANGE | Affords.TIMED


def row_control(sight: Sight, title: Seen, verb: str) -> Seen | None:
    """Give the one control that stands with a title, or that a cell holds; or all of them."""
    if title.kind == "heading" or title.affords & ACTABLE or title.parent < 0:
        return None
    around = title if title.kind in CELLS else sight.seen[title.parent]
    outer = controls_in(sight, around)
    if not outer and around.parent >= 0:  # "Mentions", and under it what those are
        around = sight.seen[around.parent]
        outer = controls_in(sight, around)
    if verb in {"check", "uncheck", "click"}:
        outer = [seen for seen in outer if is_toggle(seen)]
    if len(outer) == 1:
        return outer[0]
    return around if outer and verb == "set" else None


def controls_in(sight: Sight, around: Seen) -> list[Seen]:
    """Give the controls of a small part of the page; those in others are parts of them."""
    if sight.ends[around.at] - around.at > ROW:
        return []
    controls = [
        seen
        for seen in sight.inside(around.at)
        if seen.visible and seen.affords & ACTABLE and not seen.affords & Affords.LABEL
    ]
    return [
        seen for seen in controls if not any(sight.is_in(seen.at, other.at) for other in controls)
    ]


def code_box(sight: Sight, text: str) -> Seen | None:
    """Give the first of a row of boxes for one sign each, if a code is to be typed."""
    told = {word for word in key_of(text).replace("-", " ").split() if not word.isdecimal()}
    if not told or not told <= lexicon().coded | lexicon().little:
        return None
    rows: dict[int, list[Seen]] = {}
    for seen in sight.seen:
        if seen.visible and seen.affords & Affords.EDIT and seen.rect[2] <= SMALL_BOX:
            rows.setdefault(seen.parent, []).append(seen)
    found = [boxes for boxes in rows.values() if len(boxes) >= FEWEST_BOXES]
    return found[0][0] if len(found) == 1 else None


def is_toggle(seen: Seen) -> bool:
    """Tell whether something may be on or off: a box, of the page's own making or not."""
    drawn = not seen.element.name and seen.kind == "box"  # an icon does something else
    return bool(seen.affords & Affords.CHECK) or drawn


def is_list(seen: Seen) -> bool:
    """Tell whether something may be chosen from."""
    listed = bool(seen.affords & LISTED) or seen.kind in {"group", "radiogroup", "option"}
    return listed or is_called(seen, lexicon().kinds["dropdown",])
