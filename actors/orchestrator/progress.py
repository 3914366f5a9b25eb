"""How far a recipe has come: the stages that are done, and what was found for the next one."""

from dataclasses import dataclass, field

from messages.recipes import Course, Stage, Way
from messages.targets import Failure


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
        return names.index(stage.name) > latest and (not stage.needs or stage.needs in done)

    def begin_page(self) -> None:
        """Make ready to try the stages on a page, the last one first."""
        self.left = [stage for stage in self.course.stages if self.is_due(stage)]
        self.doubt, self.missing = None, ""
        self.next_stage()

    def next_stage(self) -> None:
        self.stage = self.left.pop() if self.left else None
        self.chosen, self.way, self.skip = [], 0, 0

    @property
    def is_over(self) -> bool:
        """Tell whether what was asked for is done; what may follow can be left out."""
        ends = [stage.name for stage in self.course.stages if stage.ends]
        return any(name in self.done for name in ends)
