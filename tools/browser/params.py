"""What each deed on a page receives; apart from the deeds, which load when first needed."""

from msgspec import field

from tools.tool import Params


class OnPage(Params, frozen=True, kw_only=True):
    """What everything on a page receives: the lane it happens in."""

    lane: str = "|"


class OnElement(OnPage, frozen=True, kw_only=True):
    """An element that was bound."""

    selector: str


class MaybeElement(OnPage, frozen=True, kw_only=True):
    """An element, or none: then what has the focus, or the page."""

    selector: str | None = None


class Click(OnElement, frozen=True, kw_only=True):
    times: int = 1


class Drag(OnElement, frozen=True, kw_only=True):
    to: str


class Type(OnPage, frozen=True, kw_only=True):
    text: str
    selector: str | None = None


class Set(OnElement, frozen=True, kw_only=True):
    value: str


class Sort(OnElement, frozen=True, kw_only=True):
    order: str = "ascending"


class Select(OnPage, frozen=True, kw_only=True):
    selector: str
    from_: str | None = field(name="from", default=None)


class Address(OnPage, frozen=True, kw_only=True):
    """An address, with the words it was made of where it is a search."""

    url: str
    query: str = ""
    platform: str = ""


class Search(Address, frozen=True, kw_only=True):
    """What to look for: by the page's own search field if it is meant and there is one.

    With ``only``, no search engine is used instead.
    """

    here: bool = False
    only: bool = False


class Selected(MaybeElement, frozen=True, kw_only=True):
    """What is selected: an element, or just a text in it."""

    quote: str = ""


class Seconds(OnPage, frozen=True, kw_only=True):
    seconds: float


class WaitFor(OnElement, frozen=True, kw_only=True):
    state: str = "visible"
    seconds: float = 30.0


class Scroll(OnPage, frozen=True, kw_only=True):
    direction: str = "down"
    amount: int | None = None
    selector: str | None = None


class NewTab(OnPage, frozen=True, kw_only=True):
    url: str | None = None


class WhichTab(OnPage, frozen=True, kw_only=True):
    selector: str | None = None
    which: str = "named"


class Press(MaybeElement, frozen=True, kw_only=True):
    keys: str
    times: int = 1


class Answer(OnPage, frozen=True, kw_only=True):
    text: str | None = None


class Shot(MaybeElement, frozen=True, kw_only=True):
    name: str | None = None
    path: str | None = None


class Upload(MaybeElement, frozen=True, kw_only=True):
    name: str
    path: str


class Fetch(OnElement, frozen=True, kw_only=True):
    to: str | None = None
    path: str | None = None


class Read(MaybeElement, frozen=True, kw_only=True):
    what: str = "text"
    attribute: str | None = None


class Asked(OnPage, frozen=True, kw_only=True):
    ask: str
    selector: str


class HandedBack(OnPage, frozen=True):
    reason: str
    answer: str = ""
