"""What tells elements apart: their kind, their place, the part and the heading they are in."""

from collections.abc import Sequence

from actors.target_resolver.asking import nth
from actors.target_resolver.page.naming import undecorated
from actors.target_resolver.page.sight import Seen, Sight, name_for

# Where an element is while no dialog is open, by the rank that ``Sight.scope`` gives it.
SCOPES = {1: "view", 2: "page", 3: "frame"}
BEHIND = 4  # the rank of what is behind an open dialog
BY_DIALOG = {True: "dialog", False: "behind a dialog"}
REGIONS = frozenset(
    {"banner", "navigation", "main", "complementary", "contentinfo", "search", "form", "region",
     "dialog", "alertdialog", "table", "list", "menu", "toolbar", "tabpanel", "radiogroup"}
)  # fmt: skip
GROUPS = frozenset({"group", "radiogroup", "region", "form", "dialog", "alertdialog", "article"})
KIND_WORDS = {
    "textbox": "field",
    "searchbox": "field",
    "spinbutton": "field",
    "combobox": "list",
    "listbox": "list",
    "img": "image",
    "menuitem": "menu item",
    "listitem": "item",
    "generic": "element",
    "wrap": "part",
    "complementary": "sidebar",
    "contentinfo": "footer",
    "columnheader": "column header",
}


def kind_word(seen: Seen) -> str:
    """Give the word by which people know an element's kind."""
    return KIND_WORDS.get(seen.kind, seen.kind)


def region(sight: Sight, seen: Seen) -> str:
    """Say in which part of the search an element is: the open dialog, the view, the page, a frame.

    The part of the page that has a name of its own is named, too.
    """
    place = SCOPES[sight.scope(seen)] if sight.modal < 0 else BY_DIALOG[sight.scope(seen) < BEHIND]
    around = (sight.seen[at] for at in sight.ancestors(seen.at))
    part = next((each for each in around if each.kind in REGIONS), None)
    return place if part is None else f"{place}/{kind_word(part)}"


def told_apart(sight: Sight, things: Sequence[Seen]) -> list[str]:
    """Describe equal things by what only one of them has: its row, its section, its place."""
    nouns = [f"{undecorated(name_for(seen))} ({kind_word(seen)})" for seen in things]
    if len(set(nouns)) == len(nouns):
        return nouns
    for tell in (in_group, in_part, under_heading, before_text):
        said = [tell(sight, seen, things) for seen in things]
        if all(said) and len(set(said)) == len(said):
            names = [undecorated(name_for(seen)) for seen in things]
            return [f"{name} {where}" for name, where in zip(names, said, strict=True)]
    ordinals = [nth(number) for number in range(1, len(things) + 1)]
    return [
        f"the {ordinal} {name_for(seen)}" for ordinal, seen in zip(ordinals, things, strict=True)
    ]


def in_part(sight: Sight, seen: Seen, things: Sequence[Seen]) -> str:
    """Name the first text of the largest part that holds one of several things and no other."""
    part = seen.at
    for around in sight.ancestors(seen.at):
        if any(other.at != seen.at and sight.is_in(other.at, around) for other in things):
            break
        part = around
    if part == seen.at:
        return ""
    texts = (
        each.element.name for each in sight.inside(part) if each.visible and each.at != seen.at
    )
    own = seen.element.name
    names = (without_name(name, own) for name in (sight.seen[part].element.name, *texts))
    name = next(filter(None, names), "")
    return f"in the {kind_word(sight.seen[part])} of {name}" if name else ""


def without_name(text: str, name: str) -> str:
    """Take the name of a thing from the end or the beginning of its part's name.

    >>> without_name("Morning basket Add to cart", "Add to cart")
    'Morning basket'
    """
    if text == name:
        return ""
    return text.removesuffix(f" {name}").removeprefix(f"{name} ")


def in_group(sight: Sight, seen: Seen, _things: Sequence[Seen]) -> str:
    """Name the part with a name of its own that something is in, as a group of fields is."""
    around = (sight.seen[at] for at in sight.ancestors(seen.at))
    named = (part for part in around if part.kind in GROUPS and part.element.name)
    return next((f"in {part.element.name}" for part in named), "")


def before_text(sight: Sight, seen: Seen, _things: Sequence[Seen]) -> str:
    """Quote the plain text that stands after something, in the same line of text."""
    after = sight.text_after(seen)
    return f"before {after!r}" if after else ""


def under_heading(sight: Sight, seen: Seen, _things: Sequence[Seen]) -> str:
    heading = sight.heading_over(seen.at)
    return "" if heading is None else f"under {heading.element.name}"
