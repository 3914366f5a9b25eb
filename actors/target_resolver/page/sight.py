"""A page as it is searched: its elements in one row, with what is in what and where it stands."""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice, takewhile
from typing import TypeAlias

from actors.language.words import key_of, singular
from messages.failures import Target
from messages.pages import PARTLY, Affords, Element, Page, target_id

Rect: TypeAlias = tuple[int, int, int, int]

CELLS = frozenset({"cell", "rowheader", "columnheader"})
PAIR, MANY = 2, 3
COLUMN = re.compile("[a-z]{1,2}")
ENTRIES = frozenset({"row", "listitem", "article"})
CHOSEN = frozenset({"option", "treeitem", "menuitem", "radio"})  # entries, if they hold something
# Things that hold others which can be used: only their own part is meant.
NESTED = frozenset(
    {
        "treeitem",
        "listitem",
        "row",
        "cell",
        "wrap",
        "generic",
        "text",
        "article",
        "group",
        "region",
        "paragraph",
    }
)
ACTS = Affords.CLICK | Affords.EDIT | Affords.CHECK | Affords.POINTER
FILLED = Affords.EDIT | Affords.CHECK | Affords.CHOOSE | Affords.TIMED
CLICK = Affords.CLICK.value
OFF = frozenset({"unselected", "collapsed"})
# Plain text that may be the title or the label of something.
TITLE_KINDS = frozenset({"legend", "heading", "label", "text", "caption", "paragraph", "term"})
TRAIL = frozenset({"/", "›", ">", "»", "→", "\\"})
SECTIONED = frozenset(
    {
        "region",
        "article",
        "form",
        "dialog",
        "alertdialog",
        "main",
        "complementary",
        "tabpanel",
        "listitem",
        "cell",
        "group",
        "iframe",
        "banner",
        "contentinfo",
        "navigation",
    }
)


class Seen:
    """One element: where it stands in the row and on the screen, what it goes by.

    Pages are large and words mean few of their elements: what an element is called is only written
    in the way in which it is compared when it is asked for.
    """

    __slots__ = (
        "_key",
        "_others",
        "affords",
        "at",
        "element",
        "extra",
        "frame",
        "kind",
        "parent",
        "rect",
        "visible",
    )

    def __init__(self, at: int, element: Element, frame: int, parent: int, rect: Rect) -> None:
        self.at, self.element, self.frame, self.parent, self.rect = at, element, frame, parent, rect
        self.kind, self.affords = element.kind, element.affords
        self.visible = element.shown == 0 and rect[2] > 0 and rect[3] > 0
        self.extra: tuple[str, ...] = ()
        self._key: str | None = None
        self._others: tuple[str, ...] | None = None

    @property
    def key(self) -> str:
        """What it is called."""
        if self._key is None:
            self._key = key_of(self.element.name) if self.element.name else ""
        return self._key

    @property
    def others(self) -> tuple[str, ...]:
        """What else it is called."""
        if self._others is None:
            self._others = tuple(key_of(other) for other in self.element.others)
        return self._others

    @property
    def middle(self) -> tuple[float, float]:
        x, y, width, height = self.rect
        return x + width / 2, y + height / 2

    @property
    def size(self) -> int:
        return self.rect[2] * self.rect[3]


class Sight:
    """All elements of a page, frame after frame, in the order of their documents.

    It may be seen as if all were ``opened`` that the page can show.
    """

    def __init__(self, page: Page, *, opened: bool = False) -> None:
        self.page = page
        self.opened = opened
        self.seen: list[Seen] = []
        self.frame_starts: list[int] = []
        for number in range(len(page.frames)):
            self.add_frame(number)
        for seen in self.seen if opened else ():
            seen.visible = seen.visible or seen.element.shown > 0
        self.name_cells()
        self.name_trails()
        self.part_listeners()

    def add_frame(self, number: int) -> None:
        frame = self.page.frames[number]
        start = len(self.seen)
        self.frame_starts.append(start)
        dx, dy = frame.offset
        holder = -1
        if frame.within >= 0:
            first = self.frame_starts[frame.within]
            inside = self.page.frames[frame.within].sheet.elements
            holder = next(
                (first + at for at, each in enumerate(inside) if each.number == frame.holder), -1
            )
        append = self.seen.append
        for at, element in enumerate(frame.sheet.elements, start=start):
            rect = element.rect
            if dx or dy:
                rect = (rect[0] + dx, rect[1] + dy, rect[2], rect[3])
            around = start + element.parent if element.parent >= 0 else holder
            append(Seen(at, element, number, around, rect))

    def name_cells(self) -> None:
        """Let cells go by the names of their columns, too; of pairs, the second by the first."""
        headers: dict[tuple[int, int], str] = {}
        rows: dict[int, list[Seen]] = {}
        for seen in self.seen:
            if seen.kind not in CELLS:
                continue
            row = next((at for at in self.ancestors(seen.at) if self.seen[at].kind == "row"), -1)
            table = next(
                (at for at in self.ancestors(seen.at) if self.seen[at].kind == "table"), -1
            )
            rows.setdefault(row, []).append(seen)
            if seen.kind == "columnheader":
                headers.setdefault((table, seen.element.level), seen.key)
            elif header := headers.get((table, seen.element.level)):
                seen.extra += (header,)
                for field in self.seen[seen.at + 1 : seen.at + 3]:  # of a row of fields
                    if (
                        field.affords & FILLED
                        and not field.element.name
                        and self.is_in(field.at, seen.at)
                    ):
                        field.extra += (header,)
        for row, cells in rows.items():
            if row >= 0 and len(cells) == PAIR and cells[0].key:
                cells[1].extra += (cells[0].key,)
            if row >= 0 and cells[0].key.isdecimal():
                self.name_by_place(cells)
            if row >= 0 and cells[0].kind == "rowheader" and cells[0].key:
                self.name_by_row(cells)

    def name_by_row(self, cells: list[Seen]) -> None:
        """Let what is filled in, and has no name, go by the head of its row."""
        for cell in cells[1:]:
            for field in self.seen[cell.at + 1 : cell.at + 3]:
                if (
                    field.affords & FILLED
                    and not field.element.name
                    and self.is_in(field.at, cell.at)
                ):
                    field.extra += (cells[0].key,)

    def name_by_place(self, cells: list[Seen]) -> None:
        """Let the cells of a sheet go by their column and row: "B3"."""
        number = cells[0].key
        for cell in cells[1:]:
            column = next((name for name in cell.extra if COLUMN.fullmatch(name)), None)
            if column is not None:
                cell.extra += (f"{column}{number}",)
                for field in self.seen[cell.at + 1 : cell.at + 2]:
                    if field.parent == cell.at and field.affords & FILLED:
                        field.extra += (f"{column}{number}",)

    def name_trails(self) -> None:
        """Know a trail of links by the signs between them, whatever the page calls it."""
        for seen in self.seen:
            if (
                seen.element.name in TRAIL
                and seen.parent >= 0
                and seen.kind in {"text", "listitem"}
            ):
                holder = self.seen[seen.parent]
                if "breadcrumbs" not in holder.extra:
                    holder.extra += ("breadcrumbs", "breadcrumb")

    def part_listeners(self) -> None:
        """Know what only listens for those in it: a click on it would be one on any of them."""
        for seen in self.seen:
            if seen.affords == CLICK and seen.kind in {"generic", "text", "wrap", "paragraph"}:
                inner = (each for each in self.inside(seen.at) if each.affords & ACTS)
                if sum(1 for _ in islice(inner, PAIR)) == PAIR:
                    seen.kind, seen.affords = "group", Affords.CONTAIN

    @property
    def view(self) -> tuple[int, int]:
        return self.page.frames[0].sheet.view if self.page.frames else (0, 0)

    @cached_property
    def ends(self) -> list[int]:
        """Give, for every element, where the elements in it end."""
        ends = list(range(1, len(self.seen) + 1))
        for seen in reversed(self.seen):
            if 0 <= seen.parent < seen.at and ends[seen.at] > ends[seen.parent]:
                ends[seen.parent] = ends[seen.at]
        return ends

    @cached_property
    def revealers(self) -> dict[int, int]:
        """Map what is hidden to the element that shows it, where one is known."""
        numbers = {(seen.frame, seen.element.number): seen.at for seen in self.seen}
        found = {}
        for seen in self.seen:
            if seen.element.shown > 0 and (seen.frame, seen.element.shown) in numbers:
                found[seen.at] = numbers[seen.frame, seen.element.shown]
        return found

    @cached_property
    def switches(self) -> dict[int, bool]:
        """Map tabs and the like to whether they are on: what they show is not hidden then.

        Something is a tab by its kind, or because it stands with others that show hidden parts.
        """
        showing = set(self.revealers.values())
        rows = {(self.seen[at].parent, self.seen[at].kind) for at in showing}
        return {
            seen.at: seen.at not in showing and OFF.isdisjoint(seen.element.states)
            for seen in self.seen
            if seen.visible
            and (seen.kind == "tab" or seen.at in showing or (seen.parent, seen.kind) in rows)
            and seen.affords & ACTS
        }

    def is_shown_by(self, at: int, switch: int) -> bool:
        """Tell whether a hidden thing is shown by a tab, by itself or with a part around it."""
        seen: set[int] = set()
        while (shower := self.revealers.get(at)) is not None and shower not in seen:
            if shower == switch:
                return True
            seen.add(shower)
            at = shower
        return False

    def hay(self, seen: Seen) -> str:
        """Give all that an element goes by, in one text in which a word can be looked for."""
        element = seen.element
        if not (element.name or element.weak or element.others or seen.extra):
            return ""
        text = element.name + " " + element.weak
        if element.others:
            text = f"{text} {' '.join(element.others)}"
        if seen.extra:
            text = f"{text} {' '.join(seen.extra)}"
        text = text.lower() if text.isascii() else key_of(text)
        return text.replace("-", "")

    def ancestors(self, at: int) -> Iterator[int]:
        """Give what is around an element, the nearest first."""
        at = self.seen[at].parent
        while at >= 0:
            yield at
            at = self.seen[at].parent

    def is_in(self, inner: int, outer: int) -> bool:
        return inner != outer and any(each == outer for each in self.ancestors(inner))

    def inside(self, at: int) -> Iterator[Seen]:
        """Give all elements in an element; those in its frames, too."""
        for index in range(at + 1, self.ends[at]):
            if self.is_in(index, at):
                yield self.seen[index]

    def common(self, one: int, other: int) -> int:
        """Give the innermost element around both, one of them included; -1 if there is none."""
        around = {one, *self.ancestors(one)}
        if other in around:
            return other
        return next((each for each in self.ancestors(other) if each in around), -1)

    def depth(self, at: int) -> int:
        return sum(1 for _ in self.ancestors(at)) if at >= 0 else -1

    @cached_property
    def headings(self) -> list[Seen]:
        return [seen for seen in self.seen if seen.kind == "heading" and seen.visible]

    def text_after(self, seen: Seen) -> str:
        """Give the plain text that follows an element on its line, up to the next thing."""
        runs = [
            each
            for each in self.seen
            if each.parent == seen.parent and each.affords & Affords.RUN and each.visible
        ]
        x, y, width, height = seen.rect
        on_line = [
            each for each in runs if each.rect[1] < y + height and y < each.rect[1] + each.rect[3]
        ]
        after = [each for each in on_line if each.rect[0] >= x + width - 1]
        return min(after, key=lambda each: each.rect[0]).element.name if after else ""

    def titled(self, seen: Seen) -> Seen:
        """Give the heading that a text is the words of; the text itself if it is in none."""
        around = self.seen[seen.parent] if seen.parent >= 0 else seen
        is_words = seen.kind == "text" and around.kind == "heading" and seen.key
        return around if is_words and around.key.startswith(seen.key) else seen

    def section(self, at: int) -> range:
        """Give the elements that stand under a heading, up to the next of its level."""
        heading = self.seen[at]
        bound = next((each for each in self.ancestors(at) if self.is_bound(each)), -1)
        stop = self.ends[bound] if bound >= 0 else len(self.seen)
        if bound < 0:
            following = [start for start in self.frame_starts if start > at]
            stop = min(stop, *following) if following else stop
        level = heading.element.level
        for other in self.headings:
            if other.at > at and other.element.level <= level and other.frame == heading.frame:
                stop = min(stop, other.at)
                break
        return range(at + 1, stop)

    def is_bound(self, at: int) -> bool:
        """Tell whether what a heading in this part is over ends where the part does."""
        return self.seen[at].kind in SECTIONED or at in self.entries

    def heading_over(self, at: int) -> Seen | None:
        """Give the heading that an element stands under."""
        return next(iter(self.headings_over(at)[-1:]), None)

    def headings_over(self, at: int) -> list[Seen]:
        """Give all headings that an element stands under, the widest first."""
        before = takewhile(lambda heading: heading.at < at, self.headings)
        mine = (heading for heading in before if heading.frame == self.seen[at].frame)
        return [heading for heading in mine if at in self.section(heading.at)]

    @cached_property
    def entries(self) -> frozenset[int]:
        """Give the rows, items, articles and parts that stand among others of their kind."""
        found: dict[tuple[int, str, str], list[int]] = {}
        for seen in self.seen:
            if seen.kind == "row" and self.is_title_row(seen):
                continue
            if seen.kind == "row" and (cells := self.cells_alike(seen)):
                found.setdefault((seen.at, "cell", ""), []).extend(cells)
                continue
            if seen.kind in ENTRIES or (seen.kind in CHOSEN and self.ends[seen.at] > seen.at + 1):
                found.setdefault((seen.parent, seen.kind, ""), []).append(seen.at)
            elif self.is_part(seen):
                looks = seen.element.weak.split() or [self.make_up(seen)]
                for look in looks:  # one that they share is enough: their ids differ
                    found.setdefault((seen.parent, seen.kind, look), []).append(seen.at)
        return frozenset(at for group in found.values() if len(group) > 1 for at in group)

    def cells_alike(self, row: Seen) -> list[int]:
        """Give the cells of a row if each is an entry: several have a control of the same name."""
        names: dict[str, set[int]] = {}
        cell = -1
        for part in self.inside(row.at):
            if part.kind in CELLS:
                cell = part.at
            elif part.affords & ACTS and part.key and cell >= 0:
                names.setdefault(part.key, set()).add(cell)
        alike = [cells for cells in names.values() if len(cells) > 1]
        return sorted(set[int]().union(*alike)) if alike else []

    def is_title_row(self, row: Seen) -> bool:
        """Tell whether a row has one cell with nothing but a text: it is a title of its table."""
        parts = list(islice(self.inside(row.at), MANY + 1))
        cells = [part for part in parts if part.kind in CELLS]
        return (
            len(cells) == 1
            and len(parts) <= MANY
            and not any(part.affords & ACTS for part in parts)
        )

    def entry_around(self, at: int) -> int:
        """Give the entry that an element is in, the innermost; -1 if it is in none."""
        return next((each for each in self.ancestors(at) if each in self.entries), -1)

    @cached_property
    def repeated(self) -> frozenset[int]:
        """Give what can be clicked and is drawn like many others, as appointments of a week are."""
        looks: dict[str, list[int]] = {}
        for seen in self.seen:
            if seen.affords & ACTS and seen.kind in {"text", "generic", "box"}:
                for look in seen.element.weak.split():
                    looks.setdefault(look, []).append(seen.at)
        return frozenset(at for alike in looks.values() if len(alike) >= MANY for at in alike)

    def is_part(self, seen: Seen) -> bool:
        """Tell whether something holds controls and looks like an entry that has no markup."""
        if seen.kind not in {"wrap", "text", "generic"}:
            return False
        controls = Affords.CLICK | Affords.EDIT | Affords.CHECK | Affords.POINTER
        return any(each.affords & controls for each in self.inside(seen.at))

    def make_up(self, seen: Seen) -> str:
        """Say of what kinds of things a part is made: equal parts are entries of a list."""
        children = self.seen[seen.at + 1 : self.ends[seen.at]]
        return " ".join(each.kind for each in children if each.parent == seen.at)

    @cached_property
    def words(self) -> frozenset[str]:
        """Give all words that can be read on the page, plurals as their singulars."""
        names = {seen.key for seen in self.seen if seen.visible and seen.key}
        return frozenset(singular(word) for name in names for word in name.split())

    @cached_property
    def lowest(self) -> float:
        """Say how far down the page reaches that can be seen."""
        ends = (seen.rect[1] + seen.rect[3] for seen in self.seen if seen.visible and seen.key)
        return float(max(ends, default=0))

    @cached_property
    def modal(self) -> int:
        """Give the dialog that is in front of all else; -1 if there is none."""
        open_ = [seen for seen in self.seen if seen.affords & Affords.MODAL and seen.visible]
        return open_[-1].at if open_ else -1

    def scope(self, seen: Seen) -> int:
        """Rank where an element is: in an open dialog, in view, on the page, in a frame."""
        if self.modal >= 0 and not self.is_in(seen.at, self.modal):
            return 4
        if seen.frame > 0:
            return 3
        x, y, width, height = seen.rect
        wide, high = self.view
        shown = x < wide and y < high and x + width > 0 and y + height > 0
        return 1 if shown else 2

    def target(self, seen: Seen) -> Target:
        frame = self.page.frames[seen.frame]
        nested = seen.kind in {"treeitem", "area"} or (
            seen.kind in NESTED and any(each.affords & ACTS for each in self.inside(seen.at))
        )
        name = target_id(frame, seen.element) + (PARTLY if nested else "")
        return Target(name, name_for(seen), seen.kind)

    def find(self, target: str) -> Seen | None:
        """Find an element again by the id it was bound by."""
        key, _, number = target.removesuffix(PARTLY).partition(".")
        for at, frame in enumerate(self.page.frames):
            if frame.key != key:
                continue
            start = self.frame_starts[at]
            for index, element in enumerate(frame.sheet.elements, start=start):
                if str(element.number) == number:
                    return self.seen[index]
        return None


def name_for(seen: Seen) -> str:
    """Give the words by which a person knows an element."""
    element = seen.element
    return (
        element.name or (element.others[0] if element.others else "") or element.weak or seen.kind
    )
