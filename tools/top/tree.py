"""The tree on the screen: draws the rows that are in sight, and lets a person walk over them.

The cursor stays with its command wherever that moves; until somebody moves it, it stays on top.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tools.top.rows import Row
from tools.top.wording import fitted

FOLDS = {None: " ", True: "▾", False: "▸"}
LEAST_NOTE = 12
LOUD = frozenset({"failed", "asks"})  # tones whose notes matter as much as the words


class CommandTree(ScrollView, can_focus=True):
    """The rows of all commands, with a cursor."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "tree--done", "tree--running", "tree--failed", "tree--asks", "tree--quiet",
    }  # fmt: skip
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home,g", "top", "Top", show=False),
        Binding("end,G", "bottom", "Bottom", show=False),
        Binding("left,h", "fold(False)", "Close", show=False),
        Binding("right,l", "fold(True)", "Open", show=False),
        Binding("enter,space", "choose", "Open", show=False),
    ]

    @dataclass
    class Moved(Message):
        """Another row is under the cursor."""

        row: Row | None

    @dataclass
    class Chosen(Message):
        """Somebody wants what is under the cursor."""

        row: Row

    @dataclass
    class Folded(Message):
        """A command is to be opened, or closed."""

        command: str
        is_open: bool

    def __init__(self, *, id: str) -> None:  # noqa: A002 - as Textual calls it
        super().__init__(id=id)
        self.rows: list[Row] = []
        self.place = 0
        self.is_pinned = True  # to the top

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.place] if self.place < len(self.rows) else None

    def show(self, rows: list[Row]) -> None:
        """Show these rows; the cursor stays where it was, or near."""
        before = self.row
        self.rows = rows
        self.place = 0 if self.is_pinned else place_of(before, rows, self.place)
        self.virtual_size = Size(0, len(rows))
        if not self.is_pinned and before is not None:
            self.keep_in_sight()
        self.refresh()
        if (before and before.key) != (self.row and self.row.key):
            self.post_message(self.Moved(self.row))

    def in_sight(self) -> Iterable[Row]:
        """Give the rows that are seen, and some around them."""
        top, height = int(self.scroll_offset.y), self.size.height
        return self.rows[max(0, top - height) : top + 2 * height]

    def keep_in_sight(self) -> None:
        self.scroll_to_region(Region(0, self.place, 1, 1), animate=False, force=True)

    def go(self, place: int) -> None:
        """Put the cursor there."""
        self.place = max(0, min(place, len(self.rows) - 1))
        self.keep_in_sight()
        self.refresh()
        self.post_message(self.Moved(self.row))

    # What a person does

    def action_move(self, by: int) -> None:
        self.is_pinned = False
        self.go(self.place + by)

    def action_page(self, by: int) -> None:
        self.action_move(by * max(1, self.size.height - 1))

    def action_top(self) -> None:
        self.is_pinned = True
        self.go(0)

    def action_bottom(self) -> None:
        self.is_pinned = False
        self.go(len(self.rows) - 1)

    def action_fold(self, is_open: bool) -> None:  # noqa: FBT001 - bindings have no names
        row = self.row
        if row is None:
            return
        if not is_open and row.depth:  # first up to the command
            self.is_pinned = False
            self.go(next(at for at, each in enumerate(self.rows) if each.key == row.command))
        self.post_message(self.Folded(row.command, is_open))

    def action_choose(self) -> None:
        if self.row is not None:
            self.post_message(self.Chosen(self.row))

    def on_click(self, event: events.Click) -> None:
        place = int(event.y + self.scroll_offset.y)
        if place < len(self.rows):
            self.is_pinned = False
            is_again = place == self.place
            self.go(place)
            if is_again:
                self.action_choose()

    # What is drawn

    def render_line(self, y: int) -> Strip:
        place = y + int(self.scroll_offset.y)
        width = self.size.width
        if place >= len(self.rows):
            return Strip.blank(width, self.rich_style)
        row, is_here = self.rows[place], place == self.place
        if is_here:
            cursor = Style(reverse=self.has_focus, bold=True)
            return drawn(row, width, self.rich_style + cursor, Style(), Style(), is_here=True)
        look = self.get_component_rich_style(f"tree--{row.tone}", partial=True)
        quiet = self.get_component_rich_style("tree--quiet", partial=True)
        return drawn(row, width, self.rich_style, look, quiet, is_here=False)


def place_of(before: Row | None, rows: list[Row], place: int) -> int:
    """Find the row again, else its command, else what stands in its place now."""
    if before is not None:
        for key in (before.key, before.command):
            for at, row in enumerate(rows):
                if row.key == key:
                    return at
    return max(0, min(place, len(rows) - 1))


def drawn(row: Row, width: int, base: Style, look: Style, quiet: Style, *, is_here: bool) -> Strip:
    """Draw a row: where it stands, its mark, its words, a note, and the time on the right.

    ``look`` is that of its tone, ``quiet`` that of what matters less.
    """
    front = f"{'›' if is_here else ' '}{'  ' * row.depth}{FOLDS[row.is_open]} "
    time = f" {row.time} "
    room = width - cell_len(front) - len(row.mark) - 1 - cell_len(time)
    noted = min(cell_len(row.note) + 2, max(LEAST_NOTE, room - cell_len(row.text))) * bool(row.note)
    words = fitted(row.text, max(0, min(cell_len(row.text), room - noted)))
    note = fitted(f"  {row.note}" if row.note else "", max(0, room - cell_len(words)))
    segments = [
        Segment(front, base),
        Segment(f"{row.mark} ", base + look),
        Segment(words, base + look if row.tone != "done" else base),
        Segment(note, base + (look if row.tone in LOUD else quiet)),
        Segment(time, base + quiet),
    ]
    return Strip(segments).adjust_cell_length(width, base)
