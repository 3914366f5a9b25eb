"""How far a recipe has come: the stages that are done, and what was found for the next one."""

import re
from dataclasses import dataclass, field

from actors.language.words import key_of
from messages.failures import Target
from messages.pages import Affords, Page
from messages.recipes import Course, Stage, Way
from messages.results import ActionResult
from messages.targets import Failure

MAIN = frozenset({1})  # levels of headings that say what a page is about
MOST_BESIDE = 2
OPEN = "open"
SEPARATED = re.compile(r"\s[-–—|·:•]\s|:\s")


@dataclass(slots=True)
class Progress:
    """How far a course has come: stages that are done, and the ways that were found on a page.

    ``left`` are the stages that may still be tried on this page, ``stage`` is the one that is tried
    now, and ``chosen`` are the ways that were bound for its steps so far; ``queue`` are those that
    are still to be done. ``told`` is what was done, in words; ``doubt`` is why words for the thing
    meant several.
    """

    course: Course
    refusal: Failure | None = None
    done: list[str] = field(default_factory=list)
    left: list[Stage] = field(default_factory=list)
    stage: Stage | None = None
    chosen: list[Way] = field(default_factory=list)
    way: int = 0
    queue: list[Way] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    leaves: list[str] = field(default_factory=list)
    doubt: Failure | None = None
    steps: int = 0
    skip: int = 0  # steps of the stage that are done already
    failed: set[str] = field(default_factory=set)  # the goals of ways that did nothing
    fields: set[tuple[str, str]] = field(default_factory=set)  # what was filled in
    before: Page | None = None  # the page on which it was saved
    checking: bool = False  # it is saved, and looked whether that shows
    names: frozenset[str] = frozenset()  # all names on the page, as they are compared
    names_of: Page | None = None
    opened: set[str] = field(default_factory=set)  # menus and folds that were opened to look
    unfolded: Target | None = None  # what is open for that now
    opened_on: str = ""  # the address at which the thing was clicked, if it may be shown there
    strict: bool = True  # a value goes into a field, and not into what only looks like one
    fresh: bool = False  # the page is to be looked at from the last stage on
    searched: Way | None = None  # the search that was the last thing done
    refused: ActionResult | None = None  # how it ends, once that search is taken back
    missing: str = ""  # the step for which the page has nothing

    def is_due(self, stage: Stage) -> bool:
        """Tell whether a stage may be tried: not done, nothing behind it done, what it needs is.

        What goes by the same first word is the same: a form that was opened, or is shown already.
        """
        names = [each.name for each in self.course.stages]
        latest = max((names.index(name) for name in self.done if name in names), default=-1)
        done = {name.partition("_")[0] for name in self.done}
        if stage.name.partition("_")[0] in done or (stage.alone and self.done):
            return False
        if stage.one_of and done.isdisjoint(name.partition("_")[0] for name in stage.one_of):
            return False
        return names.index(stage.name) > latest and (not stage.needs or stage.needs in done)

    def begin_page(self, page: Page | None = None) -> None:
        """Make ready to try the stages on a page, the last one first."""
        for stage in self.course.stages:
            if not stage.steps and self.is_due(stage) and is_about(page, stage.about):
                self.done.append(stage.name)
        self.left = [
            stage
            for stage in self.course.stages
            if stage.steps
            and self.is_due(stage)
            and (not stage.about or is_about(page, stage.about))
            and (stage.needs != OPEN or self.is_open(page))
        ]
        self.doubt, self.missing = None, ""
        self.next_stage()

    def is_open(self, page: Page | None) -> bool:
        """Tell whether the page shows the thing that was opened, and not another.

        What was clicked has led to an address of its own; or the page is about the thing, or a
        field of it holds the name of the thing.
        """
        if page is None or not self.opened_on or address_of(page) != self.opened_on:
            return True
        return is_about(page, self.course.things) or holds_name(page, self.course.things)

    def next_stage(self) -> None:
        self.stage = self.left.pop() if self.left else None
        self.chosen, self.way, self.skip = [], 0, 0

    @property
    def is_over(self) -> bool:
        """Tell whether what was asked for is done; what may follow can be left out."""
        ends = [stage.name for stage in self.course.stages if stage.ends]
        return any(name in self.done for name in ends)


def is_about(page: Page | None, names: tuple[str, ...]) -> bool:
    """Tell whether a page is about one of some things: its title or a main heading names it."""
    if page is None:
        return False
    sheet = page.frames[0].sheet
    headings = [
        element.name
        for element in sheet.elements
        if element.kind == "heading" and element.level in MAIN and element.shown == 0
    ]
    parts = [part for text in (sheet.title, *headings) for part in SEPARATED.split(text)]
    said = [key_of(part) for part in parts if part.strip()]
    return any(is_called(text, key_of(name)) for name in names for text in said)


def address_of(page: Page) -> str:
    """Give the address of a page, without what only leads to a part of it."""
    return page.frames[0].sheet.url.partition("#")[0]


def holds_name(page: Page, names: tuple[str, ...]) -> bool:
    """Tell whether some field that can be seen holds a name."""
    wanted = {key_of(name) for name in names}
    return any(
        element.value and element.shown == 0 and key_of(element.value) in wanted
        for frame in page.frames
        for element in frame.sheet.elements
        if element.affords & Affords.EDIT
    )


def is_called(text: str, name: str) -> bool:
    """Tell whether a title is a name, with a word or two for its kind at most: "Ticket #5"."""
    if not name or name.isdecimal() or f" {name} " not in f" {text} ":
        return False
    return len(text.split()) - len(name.split()) <= MOST_BESIDE
