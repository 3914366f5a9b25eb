"""What a person sees of a command: a tree of its goals, drawn again as they come along."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from messages import wire
from messages.goals import Goal, ScopeWarning
from messages.message import Value
from messages.results import GoalResult
from messages.targets import Option
from tools.prompting import at_terminal
from tools.screen import Screen, plain

MARKS = {
    "waiting": "·",
    "running": "…",
    "success": "✓",
    "planned": "→",
    "partial": "◐",
    "skipped": "–",
    "cancelled": "–",
    "in_doubt": "?",
}
FAILED = "✗"
SHOWN_ROWS = 20
KILO, UNITS = 1000, ("kB", "MB", "GB", "TB")
YES = frozenset({"y", "yes", "ok", "allow"})


@dataclass
class Line:
    """One goal of the tree."""

    goal: Goal
    depth: int
    status: str = "waiting"
    note: str = ""


@dataclass
class View:
    """Shows the events of one command on a terminal, or as plain lines where there is none."""

    screen: Screen = field(default_factory=Screen)
    lines: dict[str, Line] = field(default_factory=dict)
    drawn: int = 0

    @property
    def live(self) -> bool:
        """Tell whether the tree can be drawn again: on a terminal, if all of it is in sight."""
        return self.screen.live and len(self.lines) < self.screen.height()

    def show(self, event: wire.WireReply) -> None:
        """Show one event."""
        match event:
            case wire.Accepted(ahead=ahead) if ahead:
                self.say(f"accepted; {ahead} ahead of it in this session")
            case wire.Interpreted(meta=meta, warnings=warnings, passed_over=passed):
                depths = depth_of(meta.dependencies, len(meta.goals))
                self.lines = {
                    goal.goal_id: Line(goal, depths[index]) for index, goal in enumerate(meta.goals)
                }
                for warning in warnings:
                    self.say(warned(warning))
                for words in passed:
                    self.say(plain(f"passed over: {words}"))
            case wire.ActionStarted(goal=goal, description=description, attempt=attempt):
                again = f" (attempt {attempt})" if attempt > 1 else ""
                self.mark(goal, "running", f"{description}{again}")
            case wire.Resolved(goal=goal, role=role, name=name):
                self.mark(goal, "running", f"{role} is {name}")
            case wire.ActionFinished(goal=goal, status="success", verified=verified):
                self.mark(goal, "success", "" if verified else "not verified")
            case wire.ActionFinished(goal=goal, status=status, message=message):
                self.note(goal, status, message or "")
            case wire.Question(goal=goal, message=message, options=options):
                self.note(goal, "in_doubt", "")
                for line in put(message, options):
                    self.say(line)
            case wire.ApprovalNeeded(goal=goal):
                self.note(goal, "in_doubt", "")
                for line in shown(event):
                    self.say(line)
            case wire.Finished():
                self.finish(event)
            case wire.Error(code=code, message=message):
                self.say(f"error {code}: {plain(message)}")
            case _:
                pass
        if self.live:
            self.draw()

    def ask(self, question: wire.Question) -> str | None:
        """Let the person at the terminal choose."""
        self.drawn = 0
        return choice_of(question, self.screen)

    def allow(self, needed: wire.ApprovalNeeded) -> bool | None:  # noqa: ARG002 - it was shown
        """Let the person at the terminal allow something."""
        self.drawn = 0
        said = line_at(self.screen, "may it be done (yes or no)? ")
        return None if said is None else said.casefold() in YES

    def mark(self, goal: str, status: str, note: str) -> None:
        """Note how a goal stands; without a live tree, say it too."""
        self.note(goal, status, note)
        if not self.live and goal in self.lines:
            self.say(self.text(self.lines[goal]))

    def note(self, goal: str, status: str, note: str) -> None:
        """Note how a goal stands."""
        if (line := self.lines.get(goal)) is not None:
            line.status, line.note = status, note

    def finish(self, event: wire.Finished) -> None:
        """Show the end: what became of every goal, and what the outputs are."""
        for result in event.results:
            self.note(result.goal, result.status, note_of(result))
            if not self.live and result.status != "success" and result.goal in self.lines:
                self.say(self.text(self.lines[result.goal]))
        if self.live:
            self.draw(to_the_end=True)
            self.lines = {}
        for result in event.results:
            for row in rows(result.output):
                self.say(f"    {row}")
        for row in ending(event):
            self.say(row)

    def draw(self, *, to_the_end: bool = False) -> None:
        """Draw the tree over the one before: a row a goal, the last time all that is to be said."""
        self.wipe()
        drawn = [self.text(line) for line in self.lines.values()]
        if not to_the_end:
            drawn = [self.screen.clipped(text) for text in drawn]
            self.drawn = len(drawn)
        shown = (self.coloured(*pair) for pair in zip(drawn, self.lines.values(), strict=True))
        self.screen.write("".join(f"{text}\n" for text in shown))

    def wipe(self) -> None:
        """Take away the tree that is on the screen."""
        if self.drawn:
            self.screen.write(f"\r\x1b[{self.drawn}A\x1b[J")
            self.drawn = 0

    def coloured(self, text: str, line: Line) -> str:
        mark = mark_of(line.status)
        return text.replace(mark, self.screen.painted(mark), 1)

    def say(self, text: str) -> None:
        """Print a line above the tree."""
        self.wipe()
        self.screen.write(f"{text}\n")

    def text(self, line: Line) -> str:
        """Put a goal into words."""
        note = f"  {plain(line.note)}" if line.note else ""
        return f"{'  ' * line.depth}{mark_of(line.status)} {titled(line.goal)}{note}"


def put(message: str, options: Sequence[Option]) -> Iterator[str]:
    """Put a question into lines, with its options numbered."""
    yield plain(message)
    for option in options:
        yield f"  {option.number}. {plain(option.text)}"


def shown(needed: wire.ApprovalNeeded) -> Iterator[str]:
    """Put into lines what is about to happen, and to what."""
    yield f"about to {needed.kind}: {plain(needed.description)}"
    for target in needed.targets:
        name = "" if target.name == target.id else f"{plain(target.name)}: "
        yield f"  {name}{plain(target.id)}"
    left_out = needed.count - len(needed.targets)
    if left_out > 0:
        yield f"  ... and {left_out} more; 'behest status {plain(needed.command)}' lists all"
    if needed.count > 1:
        size = "" if needed.size is None else f", {spelled_size(needed.size)}"
        yield f"  {needed.count} in all{size}"


def spelled_size(size: int) -> str:
    """Write a number of bytes as people do.

    >>> spelled_size(900), spelled_size(1_500_000)
    ('900 bytes', '1.5 MB')
    """
    if size < KILO:
        return f"{size} bytes"
    power = min(int(math.log(size, KILO)), len(UNITS))
    return f"{size / KILO**power:.1f} {UNITS[power - 1]}"


def choice_of(question: wire.Question, screen: Screen) -> str | None:
    """Let the person at the terminal choose; None if nobody is there, or they would not."""
    return line_at(screen, f"which one (1-{len(question.options)})? ")


def line_at(screen: Screen, sign: str) -> str | None:
    """Read a line from the person at the terminal; None if nobody is there, or they would not."""
    if not (screen.live and at_terminal()):
        return None
    try:
        return input(sign).strip() or None
    except EOFError:
        print()
        return None
    except KeyboardInterrupt:
        print()
        raise


def mark_of(status: str) -> str:
    """Give the mark of a status; what went wrong in whatever way has the same one."""
    return MARKS.get(status, FAILED)


def titled(goal: Goal) -> str:
    """Name a goal by its verb, its values and its words."""
    words = [
        *(f"{name}={value}" for name, value in goal.params.items()),
        *(f"{role}={phrase.text!r}" for role, phrase in goal.roles.items()),
        *(f"{name}=<{source}>" for name, source in goal.takes.items()),
    ]
    if not goal.roles:
        words += (reading.normalized_input for reading in goal.readings[:1])
    return f"{goal.goal_id} {plain(f'{goal.domain}.{goal.verb}')} {plain(' '.join(words))}".rstrip()


def warned(warning: ScopeWarning) -> str:
    """Say which scope was dropped, and why."""
    return plain(f"{warning.severity}: {warning.goal_id}: {warning.reason}")


def ending(event: wire.Finished) -> list[str]:
    """Put into lines how a command ended, unless all went well."""
    lines = []
    if event.status != "success":
        told = any(result.code == event.code for result in event.results)
        why = "" if told else f" {event.code}: {event.message}"
        lines.append(plain(f"{event.status}{why}"))
    return [*lines, *(f"  try: {plain(suggestion)}" for suggestion in event.suggestions)]


def note_of(result: GoalResult) -> str:
    """Put a result's reason into a few words."""
    if result.status in {"success", "planned"}:
        return "" if result.verified or result.status == "planned" else "not verified"
    return f"{result.code}: {result.message}" if result.code else (result.message or result.status)


def depth_of(dependencies: Mapping[int, Sequence[int]], count: int) -> list[int]:
    """Indent a goal under those it waits for."""
    depths = [0] * count
    for index in range(count):
        depths[index] = max(
            (depths[parent] + 1 for parent in dependencies.get(index, ())), default=0
        )
    return depths


def rows(output: Value) -> list[str]:
    """Put an output into lines."""
    if output is None:
        return []
    if isinstance(output, Mapping) and isinstance(told := output.get("says"), str):
        return [plain(line) for line in told.splitlines()]
    if isinstance(output, Mapping):
        return [plain("  ".join(f"{name}: {value}" for name, value in output.items()))]
    if isinstance(output, list):
        shown = [line for row in output[:SHOWN_ROWS] for line in rows(row)]
        more = len(output) - SHOWN_ROWS
        return [*shown, f"… and {more} more"] if more > 0 else shown
    return [plain(str(output))]
