"""A web page as it was seen: its elements, what can be said of them, where they are."""

from enum import IntFlag
from functools import cached_property
from hashlib import blake2b

import msgspec

from messages.message import Data

# Marks the id of an element that holds others: it is used by its own part only.
PARTLY = "~"
# Begins the id of an answer: what is asked, of how many records, and the elements it is read from.
ANSWERS = "answer:"
PART = "!"  # before the part of an element's text that answers


class Affords(IntFlag):
    """What can be done with an element."""

    CLICK = 1
    EDIT = 2
    CHECK = 4
    CHOOSE = 8
    POINTER = 16
    CONTAIN = 32
    FILE = 64
    RANGE = 128
    DRAG = 256
    SCROLL = 512
    ICON = 1024
    LABEL = 2048
    TIMED = 4096
    COLOUR = 8192
    MODAL = 16384
    RUN = 32768


# A question of the browser's own (``confirm``, ``prompt``), as a frame: its field and its buttons.
ASKING, ASKED_TEXT, ASKED_YES, ASKED_NO = "d0", "d0.2", "d0.3", "d0.4"


class Element(msgspec.Struct, frozen=True, array_like=True):
    """One element, as a frame's pass gives it: what most elements lack comes last and is left out.

    ``number`` holds as long as the element lives. ``others`` are further names: label, placeholder,
    title. ``weak`` are words of its id and classes. ``parent`` is the place of the next element
    around it in the list, -1 for none. ``shown`` is 0 for what can be seen, else the number of the
    element that reveals it, -1 if nothing is known to. ``level`` is a heading's level or a cell's
    column. ``about`` depends on the kind: what a label is for, or an option's group. ``reveals`` is
    how what reveals it is used: by "click", by "hover", or so many times ("turn:3").
    """

    number: int
    kind: str
    rect: tuple[int, int, int, int]
    parent: int
    name: str = ""
    affords: int = 0
    href: str = ""
    weak: str = ""
    states: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    value: str = ""
    shown: int = 0
    level: int = 0
    about: str = ""
    colours: tuple[str, ...] = ()
    reveals: str = ""


class Sheet(msgspec.Struct, frozen=True):
    """What one frame's pass gives; ``last`` is the highest number that an element has so far.

    It has been ``quiet`` for so many milliseconds. ``expected`` says in how many of them something
    is set to happen by itself, and how often something is repeated (-1: nothing is); None if that
    is not known.
    """

    url: str
    title: str
    view: tuple[int, int]
    size: tuple[int, int]
    scroll: tuple[int, int]
    ready: str
    quiet: int
    truncated: bool
    elements: tuple[Element, ...]
    last: int = 0
    expected: tuple[int, int] | None = None


class Frame(Data, frozen=True):
    """A frame's elements; ``key`` names the document, ``offset`` is where it begins on the page.

    ``within`` is the frame it is in, and ``holder`` the number of its element there.
    """

    key: str
    sheet: Sheet
    digest: str = ""
    offset: tuple[int, int] = (0, 0)
    within: int = -1
    holder: int = 0


class OpenTab(Data, frozen=True):
    """A tab of the browser; its ``number`` is its own as long as it is open."""

    number: int
    title: str
    url: str


class Page(msgspec.Struct, frozen=True, dict=True):
    """A page with its frames, the main one first.

    It is ``settled`` if nothing that was not there could be expected to come. ``tabs`` are all tabs
    of the session, in their order.
    """

    frames: tuple[Frame, ...] = ()
    settled: bool = True
    tabs: tuple[OpenTab, ...] = ()

    @property
    def asks(self) -> bool:
        """Tell whether this is a question of the browser's own, and nothing of the page."""
        return bool(self.frames) and self.frames[0].key == ASKING

    @cached_property
    def digest(self) -> str:
        """Name the snapshot by what is in it."""
        digest = blake2b(digest_size=8)
        for frame in self.frames:
            digest.update(frame.digest.encode())
        return digest.hexdigest()

    @cached_property
    def count(self) -> int:
        return sum(len(frame.sheet.elements) for frame in self.frames)


def target_id(frame: Frame, element: Element) -> str:
    """Name an element of a page: the document, and its number there."""
    return f"{frame.key}.{element.number}"
