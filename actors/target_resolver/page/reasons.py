"""Why an element: for each clue what was said, what was seen, and what it weighed."""

from collections.abc import Mapping

from msgspec.structs import replace

from actors.language.describing import Description
from actors.language.words import key_of
from actors.target_resolver.page.clues import SAID
from actors.target_resolver.page.geometry import gap
from actors.target_resolver.page.sight import Seen, Sight, name_for
from actors.target_resolver.page.telling import in_group, kind_word, region, under_heading
from messages.targets import Clue

MOST_CLUES = 8
LOOKED_AT = 100  # elements before and after one, for what it stands by
HELD = ("in ", "under ")  # relations that the name of a part or a heading answers
SIDES = {(-1, 0): "left", (1, 0): "right", (0, -1): "top", (0, 1): "bottom"}
# What each weighed clue compares: the kind, the place, or the name. The others compare no words.
OF_KIND = frozenset({"kind_sure", "kind_maybe", "kind_against", "unkind"})
OF_PLACE = frozenset({"related", "unrelated", "other_side", "out_of_order"})
OF_NAME = frozenset(SAID) - OF_KIND - OF_PLACE - {"is_wanted", "nameless", "parted"}
OF_RELATION = frozenset({"relation", "related", "unrelated"})
PLACED = OF_PLACE | {"ordinal", "relation", "side", "in_front"}


def rule_clues(what: Description, seen: Seen) -> tuple[Clue, ...]:
    """Say by which of the words a rule took an element, and what it found for each."""
    clues = []
    if what.name:
        clues.append(Clue("name", what.name, name_like(seen, what.name)))
    if what.kind is not None:
        clues.append(Clue("kind", what.kind.word, kind_word(seen)))
    if what.ordinal is not None:
        clues.append(Clue("ordinal", said_ordinal(what.ordinal)))
    clues += [Clue("state", " or ".join(sorted(states)), states_of(seen)) for states in what.states]
    clues += [Clue("colour", colour, ", ".join(seen.element.colours)) for colour in what.colours]
    if what.measure is not None:
        clues.append(Clue("measure", " ".join(what.measure), f"{seen.rect[2]} x {seen.rect[3]}"))
    if what.side is not None:
        clues.append(Clue("side", said_side(what.side)))
    clues += [Clue("relation", said) for said in said_relations(what)]
    if what.every:
        clues.append(Clue("all", "every one", kind_word(seen)))
    return tuple(clues)


def weighed_clues(what: Description, seen: Seen, weights: Mapping[str, float]) -> tuple[Clue, ...]:
    """Say what each weighed clue was about, the weightiest first."""
    return tuple(
        Clue(name, *said_and_seen(what, seen, name), weight) for name, weight in weightiest(weights)
    )


def weightiest(weights: Mapping[str, float]) -> list[tuple[str, float]]:
    """Give the clues that weigh most, the weightiest first."""
    ranked = sorted(weights.items(), key=lambda clue: (-abs(clue[1]), clue[0]))
    return ranked[:MOST_CLUES]


def said_and_seen(what: Description, seen: Seen, clue: str) -> tuple[str, str]:
    """Give what was said and what was seen, as far as one clue is about it."""
    if clue in OF_KIND:
        return what.kind.word if what.kind is not None else "", kind_word(seen)
    if clue in OF_PLACE:
        told = [*said_relations(what)]
        told += [said_side(what.side)] if what.side is not None else []
        told += [said_ordinal(what.ordinal)] if what.ordinal is not None else []
        return ", ".join(told), ""
    if clue in OF_NAME:
        return what.name, name_like(seen, what.name)
    return "", kind_word(seen)


def name_like(seen: Seen, said: str) -> str:
    """Give the one of an element's names that was said, else the one it is known by."""
    key = key_of(said)
    for other, folded in zip(seen.element.others, seen.others, strict=True):
        if folded == key != seen.key:
            return other
    return name_for(seen)


def states_of(seen: Seen) -> str:
    return ", ".join(seen.element.states)


def add_place(clue: Clue, sight: Sight, seen: Seen) -> Clue:
    """Fill in where an element stands, if a clue is about that."""
    if clue.name not in PLACED:
        return clue
    is_near = clue.name in OF_RELATION and not clue.said.startswith(HELD)
    place = (neighbour_of(sight, seen) if is_near else "") or place_of(sight, seen)
    return replace(clue, seen=place)


def neighbour_of(sight: Sight, seen: Seen) -> str:
    """Say what an element stands by, and how far from it: the title of its entry, or the nearest.

    What has the same name as itself tells nobody where it is.
    """
    entry = sight.entry_around(seen.at)
    title = next(iter(named_beside(sight, seen, entry)), None) if entry >= 0 else None
    if title is not None:
        kind, name = kind_word(sight.seen[entry]), title.element.name
        return f"in the {kind} of {name!r}, {gap(seen, title):.0f} px from it"
    for around in sight.ancestors(seen.at):
        if others := named_beside(sight, seen, around):
            nearest = min(others, key=lambda other: gap(seen, other))
            return f"beside {nearest.element.name!r}, {gap(seen, nearest):.0f} px from it"
    return ""


def named_beside(sight: Sight, seen: Seen, part: int) -> list[Seen]:
    """Give what has a name of its own in a part of the page, but is no part of an element.

    Of a long part it is what stands near the element in the page's order.
    """
    first, last = max(part + 1, seen.at - LOOKED_AT), min(sight.ends[part], seen.at + LOOKED_AT)
    others = (sight.seen[at] for at in range(first, last))
    return [
        other
        for other in others
        if other.visible
        and other.key not in {"", seen.key}
        and sight.is_in(other.at, part)
        and not sight.is_in(seen.at, other.at)
        and not sight.is_in(other.at, seen.at)
    ]


def place_of(sight: Sight, seen: Seen) -> str:
    """Say where an element stands: in which named part, under which heading, else in which part."""
    return in_group(sight, seen, ()) or under_heading(sight, seen, ()) or region(sight, seen)


def said_ordinal(ordinal: int) -> str:
    return f"number {ordinal}" if ordinal > 0 else f"number {-ordinal} from the end"


def said_side(side: tuple[int, int]) -> str:
    return SIDES.get(side) or " ".join(
        SIDES[part] for part in ((0, side[1]), (side[0], 0)) if part in SIDES
    )


def said_relations(what: Description) -> list[str]:
    """Give the places that were said: "in the Billing section"."""
    return [f"{each.relation} {anchor_of(each)}".strip() for each in what.relations]


def anchor_of(what: Description) -> str:
    """Give the words for what something stands in a relation to, as its first reading has them."""
    if not what.to:
        return ""
    anchor = what.to[0]
    kind = anchor.kind.word if anchor.kind is not None else ""
    return " ".join(filter(None, (repr(anchor.name) if anchor.name else "", kind)))
