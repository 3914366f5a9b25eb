"""Pictures of pages as words were bound on them: the latest few, in memory and nowhere else.

They are taken only while somebody observes. A page may show what is private, so none of them is
written down, and none is in the log.
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from messages.pages import ANSWERS, PART, PARTLY, Page, target_id

MOST_PICTURES = 200
MOST_BYTES = 64 << 20
BOX_BYTES = 300  # memory of one box, roughly

Box: TypeAlias = tuple[int, int, int, int]  # left, top, width, height


@dataclass(frozen=True, slots=True)
class Picture:
    """What was in view, as a JPEG; its size, and where the elements were in it, by their ids."""

    jpeg: bytes
    size: tuple[int, int]
    boxes: Mapping[str, Box]

    @property
    def cost(self) -> int:
        return len(self.jpeg) + BOX_BYTES * len(self.boxes)

    def boxes_of(self, target: str) -> list[Box]:
        """Say where a target is; an answer is where the elements are that it was read from."""
        return [self.boxes[each] for each in elements_of(target) if each in self.boxes]


@dataclass
class Pictures:
    """The pictures that there are, each by the digest of its page."""

    _kept: OrderedDict[str, Picture] = field(default_factory=OrderedDict)
    _bytes: int = 0

    def of(self, digest: str) -> Picture | None:
        return self._kept.get(digest)

    def keep(self, digest: str, picture: Picture) -> None:
        """Keep a picture; the oldest go where there are too many."""
        self._drop(digest)
        self._kept[digest] = picture
        self._bytes += picture.cost
        while len(self._kept) > 1 and (len(self._kept) > MOST_PICTURES or self._bytes > MOST_BYTES):
            self._drop(next(iter(self._kept)))

    def _drop(self, digest: str) -> None:
        dropped = self._kept.pop(digest, None)
        if dropped is not None:
            self._bytes -= dropped.cost


def boxes_in_view(page: Page) -> dict[str, Box]:
    """Give where the elements of a page are in its view, those that can be seen there.

    >>> from messages.pages import Element, Frame, Sheet
    >>> seen = Element(1, "button", (10, 20, 30, 40), -1)
    >>> below = Element(2, "button", (10, 900, 30, 40), -1)
    >>> size = (800, 600)
    >>> sheet = Sheet("", "", size, size, (0, 0), "complete", 0, False, (seen, below))
    >>> boxes_in_view(Page((Frame("d1", sheet),)))
    {'d1.1': (10, 20, 30, 40)}
    """
    if not page.frames:
        return {}
    width, height = page.frames[0].sheet.view
    boxes: dict[str, Box] = {}
    for frame in page.frames:
        across, down = frame.offset
        for element in frame.sheet.elements:
            x, y, wide, high = element.rect
            left, top = x + across, y + down
            is_seen = wide > 0 and high > 0 and left < width and top < height
            if is_seen and left + wide > 0 and top + high > 0:
                boxes[target_id(frame, element)] = (left, top, wide, high)
    return boxes


def elements_of(target: str) -> Iterator[str]:
    """Give the elements that a target names: one, or those of an answer.

    >>> list(elements_of("d1.7~")), list(elements_of("answer:sum:9:d1.3,d1.4!12=12"))
    (['d1.7'], ['d1.3', 'd1.4'])
    """
    listed = target.split(":", 3)[3] if is_answer(target) else target
    for each in listed.split(","):
        yield each.partition(PART)[0].partition("=")[0].removesuffix(PARTLY)


def is_answer(target: str) -> bool:
    return target.startswith(ANSWERS) and target.count(":") >= 3  # noqa: PLR2004 - its parts
