"""What an element is like: of a kind, of a colour, in a state, called by another's name."""

from actors.language.describing import Description
from actors.language.lexicon import Kind, lexicon
from actors.language.words import key_of
from actors.target_resolver.page.relating import HOLDERS
from actors.target_resolver.page.sight import Seen, Sight
from messages.pages import Affords

ACTABLE = (
    Affords.CLICK | Affords.POINTER | Affords.EDIT | Affords.CHECK | Affords.CHOOSE | Affords.RANGE
)
FIELDS = frozenset(
    {
        "textbox",
        "searchbox",
        "spinbutton",
        "combobox",
        "listbox",
        "slider",
        "date",
        "color",
        "checkbox",
        "radio",
    }
)
VAGUE = frozenset({"wrap", "generic", "group", "region", "text", "list"})
PARAGRAPH = 8  # spaces; a text of so many words is one, whatever its markup
PALE = "pale"  # said by the page's pass of a tint
MOST_INNER = 6  # what a thing of one colour is made of at most


def kind_rank(seen: Seen, kind: Kind, *, named: bool = True) -> int:
    """Say how surely an element is of a kind: 2 if it is, 1 if it may be called so, 0 if not."""
    if kind.named and not named:
        return 0
    if kind.any:  # a field is where something is written, and not that
        return 1 if seen.kind != "wrap" and not seen.affords & Affords.EDIT else 0
    if kind.states and kind.states.isdisjoint(seen.element.states):
        return 0
    if kind.types and seen.kind in kind.real:
        return 2 if seen.element.href.removeprefix("type:") in kind.types else 1
    if seen.kind in kind.real or is_called(seen, kind):
        return 2
    if "icon" in kind.real and seen.affords & Affords.ICON:
        return 2
    if kind.word == "paragraph" and seen.kind == "text" and seen.key.count(" ") >= PARAGRAPH:
        return 1
    if seen.kind in kind.like and (named or seen.kind not in VAGUE):
        return 1  # what has no name must be called so by the page itself
    if kind.affords and seen.affords & kind.affords and seen.kind not in HOLDERS | FIELDS:
        return 1
    return 0


def is_called(seen: Seen, kind: Kind) -> bool:
    """Tell whether the page calls an element so; the button of a dialog is none itself."""
    if seen.kind in {"button", "link"} and not HOLDERS.isdisjoint(kind.real):
        return False
    if kind.word in lexicon().signs.get(seen.element.name, "").split():
        return True
    weak = seen.element.weak.split()
    return kind.word in weak or (" " in kind.word and not set(kind.keeps).isdisjoint(weak))


def colour_rank(sight: Sight, seen: Seen, colour: str) -> int:
    """Say how surely an element is of a colour: 2 if just so, 1 if nearly, 0 if not."""
    if has_colour(sight, seen, colour):
        return 1 if PALE in seen.element.colours else 2
    family = lexicon().colours[colour]
    return 1 if family != colour and has_colour(sight, seen, family) else 0


def has_colour(sight: Sight, seen: Seen, colour: str) -> bool:
    """Tell whether an element has a colour, itself or in the little that it is made of."""
    if colour in seen.element.colours:
        return True
    if seen.kind in HOLDERS:
        return False
    inner = [each for _, each in zip(range(MOST_INNER), sight.inside(seen.at), strict=False)]
    return any(colour in each.element.colours for each in inner)


def has_state(seen: Seen, states: frozenset[str]) -> bool:
    own = set(seen.element.states)
    if states == {"enabled"}:
        return "disabled" not in own and bool(seen.affords & ACTABLE)
    if not states.isdisjoint(own):
        return True
    return states == {"empty"} and not seen.element.value and bool(seen.affords & Affords.EDIT)


def by_label(seen: Seen, what: Description) -> bool:
    """Tell whether an element is a value that goes by another's name."""
    key = key_of(what.name)
    return bool(key) and seen.key != key and (key in seen.others or key in seen.extra)
