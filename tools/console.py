"""What a person sees of a command: a tree of its goals, drawn again as they come along."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from messages import wire
from messages.goals import Goal
from messages.message import Value
from messages.results import GoalResult
from messages.targets import Option

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
COLOURS = {"✓": "32", "→": "36", "✗": "31", "?": "33", "◐": "33", "…": "36"}
SHOWN_ROWS = 20
SHOWN_CHARACTERS = 200


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

    out: TextIO = field(default_factory=lambda: sys.stdout)
    lines: dict[str, Line] = field(default_factory=dict)
    drawn: int = 0

    @property
    def live(self) -> bool:
        return self.out.isatty()

    def show(self, event: wire.WireReply) -> None:
        """Show one event."""
        match event:
            case wire.Accepted(ahead=ahead) if ahead:
                self.say(f"accepted; {ahead} ahead of it in this session")
            case wire.Interpreted(meta=meta, warnings=warnings):
                depths = depth_of(meta.dependencies, len(meta.goals))
                self.lines = {
                    goal.goal_id: Line(goal, depths[index]) for index, goal in enumerate(meta.goals)
                }
                for warning in warnings:
                    self.say(f"{warning.severity}: {warning.goal_id}: {warning.reason}")
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
                self.put(message, options)
            case wire.Finished():
                self.finish(event)
            case wire.Error(code=code, message=message):
                self.say(f"error {code}: {plain(message)}")
            case _:
                pass
        if self.live:
            self.draw()

    def put(self, message: str, options: Sequence[Option]) -> None:
        """Put a question, with its options numbered."""
        self.say(plain(message))
        for option in options:
            self.say(f"  {option.number}. {plain(option.text)}")

    def ask(self, question: wire.Question) -> str | None:
        """Let the person at the terminal choose; None if nobody is there, or they would not."""
        if not (self.live and sys.stdin.isatty()):
            return None
        self.drawn = 0
        try:
            return input(f"which one (1-{len(question.options)})? ").strip() or None
        except EOFError:
            return None

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
            self.draw()
            self.drawn = 0
        for result in event.results:
            for row in rows(result.output):
                self.say(f"    {row}")
        if event.status != "success":
            told = any(result.code == event.code for result in event.results)
            self.say(
                event.status if told else plain(f"{event.status} {event.code}: {event.message}")
            )
        for suggestion in event.suggestions:
            self.say(f"  try: {suggestion}")

    def draw(self) -> None:
        """Draw the tree over the one drawn before."""
        if self.drawn:
            self.out.write(f"\x1b[{self.drawn}A\x1b[J")
        for line in self.lines.values():
            self.out.write(self.text(line) + "\n")
        self.drawn = len(self.lines)
        self.out.flush()

    def say(self, text: str) -> None:
        """Print a line above the tree."""
        if self.drawn:
            self.out.write(f"\x1b[{self.drawn}A\x1b[J")
            self.drawn = 0
        self.out.write(text + "\n")
        self.out.flush()

    def text(self, line: Line) -> str:
        """Put a goal into words."""
        mark = MARKS.get(line.status, "✗")
        if self.live and mark in COLOURS:
            mark = f"\x1b[{COLOURS[mark]}m{mark}\x1b[0m"
        words = " ".join(
            [
                *(f"{name}={value}" for name, value in line.goal.params.items()),
                *(f"{role}={phrase.text!r}" for role, phrase in line.goal.roles.items()),
                *(reading.normalized_input for reading in line.goal.readings[:1]),
            ]
        )
        words, note = plain(words), f"  {plain(line.note)}" if line.note else ""
        indent = "  " * line.depth
        return (
            f"{indent}{mark} {line.goal.goal_id} {line.goal.domain}.{line.goal.verb} {words}{note}"
        )


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


def plain(text: str) -> str:
    """Show text from outside on one line, and nothing in it that a terminal would obey."""
    shown = text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in shown
    )
