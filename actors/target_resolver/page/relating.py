"""How elements stand to each other: in, beside, above, under, in the row of."""

from collections.abc import Sequence
from typing import TypeAlias

from actors.target_resolver.page.geometry import contains, gap, overlaps
from actors.target_resolver.page.sight import TITLE_KINDS, Seen, Sight
from messages.pages import Affords

Costs: TypeAlias = dict[int, float]

# Costs are distances in pixels; where only the parts around two things count, the depth of the
# part they share is taken from FAR, so that the smallest is the cheapest.
FAR = 10_000.0
USED = Affords.CLICK | Affords.POINTER | Affords.EDIT | Affords.CHECK
NOWHERE = 10 * FAR
# What is so little further than the nearest is as near; neighbours may overlap by so much.
NEARLY = 1.3
TOLERANCE = 4
SMALL_PART = 40  # elements
ASKEW = 3  # what is beside something, but not on its line, counts as so many times as far
HOLDERS = frozenset(
    {
        "row",
        "table",
        "list",
        "listitem",
        "dialog",
        "alertdialog",
        "form",
        "group",
        "radiogroup",
        "region",
        "navigation",
        "banner",
        "contentinfo",
        "main",
        "complementary",
        "search",
        "toolbar",
        "menu",
        "menubar",
        "tablist",
        "tabpanel",
        "tree",
        "article",
        "figure",
        "iframe",
        "feed",
        "log",
        "combobox",
        "listbox",
        "alert",
        "status",
    }
)
BROAD = frozenset(
    {
        "main",
        "form",
        "table",
        "list",
        "wrap",
        "region",
        "dialog",
        "rowgroup",
        "generic",
        "article",
        "group",
        "tabpanel",
    }
)
UNDER_TITLES = HOLDERS | {"legend", "caption", "label", "paragraph", "term", "heading"}
OF_SWITCHES = frozenset({"in", "under", "of", "below"})
OF_TABLES = frozenset({"in", "of", "for", "row", "under", "by", "with"})


def related(
    sight: Sight, things: Sequence[Seen], relation: str, anchors: Sequence[Seen], *, every: bool
) -> list[Seen]:
    """Keep the things that stand so to one of the anchors; the nearest, unless all are wanted."""
    costs: Costs = {}
    for anchor in anchors:
        for at, cost in costs_to(sight, things, relation, anchor, every=every).items():
            costs[at] = min(cost, costs.get(at, NOWHERE))
    if not costs:
        return []
    if every:
        return [seen for seen in things if seen.at in costs]
    least = min(costs.values())
    most = (
        least * NEARLY + TOLERANCE
        if relation in {"left", "right", "above", "below", "beside"} and least < FAR / 2
        else least
    )
    return [seen for seen in things if costs.get(seen.at, NOWHERE) <= most]


def costs_to(
    sight: Sight, things: Sequence[Seen], relation: str, anchor: Seen, *, every: bool = False
) -> Costs:
    """Say how far each thing is from standing so to an anchor; what does not is left out."""
    others = [seen for seen in things if seen.at != anchor.at]
    if relation in OF_SWITCHES and anchor.at in sight.switches:
        return under_switch(sight, others, anchor)
    if relation in OF_TABLES and (table := titled_table(sight, anchor)) >= 0:
        return {seen.at: 0.0 for seen in others if sight.is_in(seen.at, table)}
    if every and relation in {"in", "of", "for", "under", "below"}:
        titled = relation in {"under", "below"}
        held = inside(sight, others, anchor, titled=titled, every=True)
        if held or not (titled or anchor.affords & Affords.CONTAIN):
            return held or in_entry(sight, others, anchor)
        return {} if is_title(sight, anchor) else geometric(sight, others, "below", anchor)
    match relation:
        case "in":
            return inside(sight, others, anchor)
        case "of":
            holders = [seen for seen in others if seen.affords & Affords.CONTAIN]
            held = around(sight, holders, anchor) or inside(sight, others, anchor)
            return held or in_entry(sight, others, anchor)
        case "row":
            return in_row(sight, others, anchor)
        case "for":
            return belonging(sight, others, anchor)
        case "with":
            itself = {seen.at: 0.0 for seen in things if seen.at == anchor.at}
            return itself or holding(sight, others, anchor)
        case "beside":
            return beside(sight, others, anchor)
        case "under" if anchor.affords & USED and anchor.kind not in UNDER_TITLES:
            return geometric(sight, others, "below", anchor)  # what is used itself is no title
        case "under":
            held = inside(sight, others, anchor, titled=True)
            if held or is_title(sight, anchor):
                return held
            return geometric(sight, others, "below", anchor)
        case "by":
            return around(sight, others, anchor) or beside(sight, others, anchor)
        case "below":
            found = geometric(sight, others, "below", anchor)
            return found or inside(sight, others, anchor, titled=True)
        case "after" | "before":
            return in_order(others, relation, anchor)
        case _:
            return geometric(sight, others, relation, anchor)


def under_switch(sight: Sight, things: Sequence[Seen], switch: Seen) -> Costs:
    """In what a tab shows: hidden until it is used; if it is on, what can be seen beside the tabs.

    A section that folds has what is in it around or under its title.
    """
    held = {seen.at: 0.0 for seen in things if sight.is_shown_by(seen.at, switch.at)}
    if held or not sight.switches[switch.at]:
        return held
    row, shown = switch.parent, (seen for seen in things if seen.element.shown == 0)
    return {seen.at: 0.0 for seen in shown if not sight.is_in(seen.at, row)}


def titled_table(sight: Sight, anchor: Seen) -> int:
    """Give the table that a text is the title of, in a row of its own; -1 if it is none."""
    row = row_of(sight, anchor.at)
    if row < 0 or not sight.is_title_row(sight.seen[row]):
        return -1
    return next((at for at in sight.ancestors(row) if sight.seen[at].kind == "table"), -1)


def inside(
    sight: Sight, things: Sequence[Seen], anchor: Seen, *, titled: bool = False, every: bool = False
) -> Costs:
    """In a container, under a heading, or in what an anchor is the title of."""
    found: Costs = {}
    if not titled:
        for seen in things:
            if sight.is_in(seen.at, anchor.at):
                found[seen.at] = 0.0
        if anchor.kind == "columnheader":  # what is in it itself comes first
            return found or in_column(sight, things, anchor)
        if found or anchor.kind in HOLDERS or holds_controls(sight, anchor):
            return found
    if anchor.kind == "heading":
        section = sight.section(anchor.at)
        under = {seen.at: 0.0 for seen in things if seen.at in section}
        return under or in_entry(
            sight, things, anchor
        )  # of a card, what stands over its title, too
    if anchor.kind in {"legend", "caption"} and anchor.parent >= 0:
        return {seen.at: 0.0 for seen in things if sight.is_in(seen.at, anchor.parent)}
    if anchor.kind == "columnheader":
        return in_column(sight, things, anchor)
    if every and not (anchor.affords & Affords.CONTAIN):
        return behind(sight, things, anchor)
    return local(sight, [seen for seen in things if not is_elsewhere(sight, seen, anchor)], anchor)


def is_title(sight: Sight, anchor: Seen) -> bool:
    """Tell whether an anchor is a heading that has something under it."""
    return anchor.kind == "heading" and any(
        sight.seen[at].affords & ~Affords.RUN and sight.seen[at].visible
        for at in sight.section(anchor.at)
    )


def in_entry(sight: Sight, things: Sequence[Seen], anchor: Seen) -> Costs:
    """In the entry among others that an anchor is a part of."""
    entry = sight.entry_around(anchor.at)
    return {seen.at: 0.0 for seen in things if entry >= 0 and sight.is_in(seen.at, entry)}


def behind(sight: Sight, things: Sequence[Seen], anchor: Seen) -> Costs:
    """What follows a title that is a mere text, up to the next text of its kind."""
    stop = len(sight.seen)
    for other in sight.seen[anchor.at + 1 :]:
        if other.parent == anchor.parent and other.kind == anchor.kind and other.key:
            stop = other.at
            break
    return {seen.at: 0.0 for seen in things if anchor.at < seen.at < stop}


def holds_controls(sight: Sight, anchor: Seen) -> bool:
    return any(seen.affords & Affords.CLICK for seen in sight.inside(anchor.at))


def in_column(sight: Sight, things: Sequence[Seen], header: Seen) -> Costs:
    """In the column of a table that a header names."""
    table = next((at for at in sight.ancestors(header.at) if sight.seen[at].kind == "table"), -1)
    found: Costs = {}
    for seen in things:
        cells = [
            at
            for at in (seen.at, *sight.ancestors(seen.at))
            if sight.seen[at].kind in {"cell", "rowheader"}
        ]
        if (
            cells
            and table in sight.ancestors(seen.at)
            and sight.seen[cells[0]].element.level == header.element.level
        ):
            found[seen.at] = 0.0
    return found


def in_row(sight: Sight, things: Sequence[Seen], anchor: Seen) -> Costs:
    """In the row of a table that an anchor is in; where there is no table, in what is like one."""
    row = row_of(sight, anchor.at)
    if row >= 0:
        return {seen.at: 0.0 for seen in things if sight.is_in(seen.at, row)}
    here = [seen for seen in things if not is_elsewhere(sight, seen, anchor)]
    outside = [seen for seen in here if row_of(sight, seen.at) < 0]  # those in rows are in others
    return local(sight, outside, anchor) or on_line(outside, anchor)


def row_of(sight: Sight, at: int) -> int:
    """Give the row of a table that something is, or is in; -1 if there is none."""
    return next((each for each in (at, *sight.ancestors(at)) if sight.seen[each].kind == "row"), -1)


def belonging(sight: Sight, things: Sequence[Seen], anchor: Seen) -> Costs:
    """Be an anchor's: hold it, as Ann's row does; else stand with it, and in no other's part."""
    if anchor.kind == "columnheader" and (found := in_column(sight, things, anchor)):
        return found
    holders = [seen for seen in things if seen.affords & Affords.CONTAIN]
    held = around(sight, holders, anchor)
    own = [seen for seen in things if not is_elsewhere(sight, seen, anchor)]
    return held or local(sight, own, anchor)


def on_line(things: Sequence[Seen], anchor: Seen) -> Costs:
    return {seen.at: gap(seen, anchor) for seen in things if overlaps(seen, anchor, 1)}


def local(sight: Sight, things: Sequence[Seen], anchor: Seen) -> Costs:
    """In the smallest part of the page that holds both; the whole page is no such part."""
    found: Costs = {}
    for seen in things:
        common = sight.common(seen.at, anchor.at)
        if common < 0 or (common == seen.at and seen.affords & Affords.CONTAIN):
            continue
        found[seen.at] = FAR - sight.depth(common)
    if not found:
        return {}
    least = min(found.values())
    nearest = [sight.seen[at] for at, cost in found.items() if cost == least]
    common = sight.common(nearest[0].at, anchor.at)
    if len(nearest) > 1 and is_broad(sight, common):
        # Nothing holds them together: what stands on the same line, or follows, belongs to it.
        lined = [seen for seen in nearest if overlaps(seen, anchor, 1)]
        by_gap = {seen.at: gap(seen, anchor) for seen in lined}
        if by_gap:
            closest = min(by_gap.values())
            return {
                at: closest for at, cost in by_gap.items() if cost <= closest * NEARLY + TOLERANCE
            }
        behind = [seen for seen in nearest if seen.at > anchor.at]
        return {min(seen.at for seen in behind): least} if behind else {}
    return found


def is_broad(sight: Sight, at: int) -> bool:
    """Tell whether a part of the page is too much of it to say what belongs together."""
    if at < 0:
        return True
    return sight.seen[at].kind in BROAD


def around(sight: Sight, things: Sequence[Seen], anchor: Seen) -> Costs:
    """Hold an anchor: the innermost that does."""
    return {
        seen.at: FAR - sight.depth(seen.at) for seen in things if sight.is_in(anchor.at, seen.at)
    }


def owners(
    sight: Sight, things: Sequence[Seen], anchors: Sequence[Seen], real: frozenset[str]
) -> frozenset[int]:
    """Give the innermost things that hold an anchor, or are one: never what stands beside it."""
    found: set[int] = set()
    for anchor in anchors:
        itself = [
            seen for seen in things if seen.at == anchor.at and seen.kind in real - TITLE_KINDS
        ]
        held = {seen.at: 0.0 for seen in itself} or around(sight, things, anchor)
        least = min(held.values(), default=0.0)
        found |= {at for at, cost in held.items() if cost == least}
    return frozenset(found)


def holding(sight: Sight, things: Sequence[Seen], anchor: Seen) -> Costs:
    """Hold an anchor, as a row or a card does; or stand in the same small part with it."""
    held = around(sight, things, anchor)
    near = [seen for seen in things if seen.kind not in TITLE_KINDS | HOLDERS | {"wrap"}]
    return held or local(sight, [seen for seen in near if are_close(sight, seen, anchor)], anchor)


def are_close(sight: Sight, seen: Seen, anchor: Seen) -> bool:
    """Tell whether a small part of the page holds both, so that they surely belong together."""
    common = sight.common(seen.at, anchor.at)
    return common >= 0 and sight.ends[common] - common <= SMALL_PART


def beside(sight: Sight, things: Sequence[Seen], anchor: Seen) -> Costs:
    """Near an anchor: in the same small part of the page first, else by distance."""
    things = [seen for seen in things if not is_elsewhere(sight, seen, anchor)]
    held = local(sight, things, anchor)
    if held:
        least = min(held.values())
        near = [seen for seen in things if held.get(seen.at) == least]
        if len(near) == 1:
            return {near[0].at: gap(near[0], anchor)}
        lined = [seen for seen in near if overlaps(seen, anchor, 1)]
        return {seen.at: gap(seen, anchor) for seen in lined or near}
    found = {}
    for seen in things:
        if seen.frame == anchor.frame and not contains(seen, anchor):
            across = overlaps(seen, anchor, 1)
            found[seen.at] = gap(seen, anchor) * (1 if across else ASKEW)
    return {at: cost for at, cost in found.items() if cost < FAR / 10}


def geometric(sight: Sight, things: Sequence[Seen], way: str, anchor: Seen) -> Costs:
    """On one side of an anchor; the nearest are those that stand just there."""
    axis = 0 if way in {"left", "right"} else 1
    found: Costs = {}
    loose: Costs = {}
    for seen in things:
        if contains(seen, anchor) or contains(anchor, seen):
            continue
        before = way in {"left", "above"}
        first, second = (seen, anchor) if before else (anchor, seen)
        if first.rect[axis] + first.rect[axis + 2] > second.rect[axis] + TOLERANCE:
            continue
        distance = float(max(second.rect[axis] - first.rect[axis] - first.rect[axis + 2], 0))
        (found if overlaps(seen, anchor, 1 - axis) else loose)[seen.at] = distance
    if found or axis == 0:
        return found
    return {
        at: cost + abs(sight.seen[at].middle[0] - anchor.middle[0])
        for at, cost in loose.items()
        if not in_columns(sight, at, anchor.at)
    }


def in_columns(sight: Sight, one: int, other: int) -> bool:
    """Tell whether two elements are in parts of the page that stand side by side."""
    mine, yours = branches(sight, one, other)
    return mine.at != yours.at and overlaps(mine, yours, 1) and not overlaps(mine, yours, 0)


def branches(sight: Sight, one: int, other: int) -> tuple[Seen, Seen]:
    """Give the largest parts that hold one of two elements and not the other."""
    common = sight.common(one, other)

    def branch(at: int) -> Seen:
        while at != common and sight.seen[at].parent != common:
            at = sight.seen[at].parent
        return sight.seen[at]

    return branch(one), branch(other)


def is_elsewhere(sight: Sight, thing: Seen, anchor: Seen) -> bool:
    """Tell whether a thing is outside of the entry among others that an anchor is a part of."""
    for at in sight.ancestors(anchor.at):
        if at == thing.at or sight.is_in(thing.at, at):
            return False
        if at in sight.entries:
            return True
    return False


def in_order(things: Sequence[Seen], way: str, anchor: Seen) -> Costs:
    if way == "after":
        return {seen.at: float(seen.at - anchor.at) for seen in things if seen.at > anchor.at}
    return {seen.at: float(anchor.at - seen.at) for seen in things if seen.at < anchor.at}
