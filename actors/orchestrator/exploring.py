"""Looking behind what is closed: menus and folds are opened one by one for a step of a recipe.

Pure, like all that decides about a run. Opening shows more and changes nothing else; what has shown
nothing of use is closed again, and there is an end to it.
"""

from actors.orchestrator.state import Node
from messages.failures import Reveal, Target
from messages.pages import Affords, Element, Frame, target_id

MOST_FOLDS = 5
# A list to choose from is a field, and holds no part of the page.
LISTS = frozenset({"combobox", "listbox", "select", "textbox", "searchbox", "option"})
COLLAPSED, EXPANDED, MENU, DISABLED = "collapsed", "expanded", "popup", "disabled"
PRESSED = Affords.CLICK | Affords.POINTER


def choose_fold(node: Node) -> Reveal | None:
    """Give what is to be opened next, or closed again; None if nothing is left to try."""
    progress, page = node.course, node.page
    if progress is None or page is None or progress.skip:
        return None
    if (opened := progress.unfolded) is not None:
        progress.unfolded = None
        if any(is_still_open(frame, opened) for frame in page.frames):
            return Reveal(opened)
    if len(progress.opened) >= MOST_FOLDS:
        return None
    for frame in page.frames:
        for element in frame.sheet.elements:
            name = target_id(frame, element)
            if is_fold(element) and name not in progress.opened:
                progress.opened.add(name)
                progress.unfolded = Target(name, element.name, element.kind)
                return Reveal(progress.unfolded)
    return None


def is_fold(element: Element) -> bool:
    """Tell whether an element is closed and can be opened to see more."""
    states = element.states
    is_closed = COLLAPSED in states or (MENU in states and EXPANDED not in states)
    is_usable = element.shown == 0 and DISABLED not in states and element.kind not in LISTS
    return is_closed and is_usable and bool(element.affords & PRESSED)


def is_still_open(frame: Frame, opened: Target) -> bool:
    """Tell whether what was opened is open: a menu closes by itself when another opens."""
    elements = frame.sheet.elements
    return any(EXPANDED in each.states and target_id(frame, each) == opened.id for each in elements)
