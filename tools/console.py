"""What a person sees of a command: a tree of its goals, drawn again as they come along."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from messages import wire
from messages.goals import Goal, ScopeWarning
from messages.results import GoalResult
from messages.targets import Option
from tools.output_view import output_lines, spelled_size
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
# What an action is called inside: "delete:file:/home/ada/old.txt".
STRUCTURED = re.compile(r"[a-z_]+:(?P<rest>.*)", re.DOTALL)
PATH = re.compile(r"(?:^|:)(?P<path>/[^:]*)$")
# Goals whose values mean nothing to people: most of them put back what was changed.
SENTENCES: Mapping[str, str] = {
    "file.discard": "take {name} away again",
    "file.restore": "give {name} its former content",
    "file.shorten": "take from {name} what was added",
    "file.untrash": "put {name} back from the trash",
    "file.unmove": "move {name} back to {to}",
    "window.put_back": "put a window back as it was",
    "schedule.restore": "put back what was scheduled",
    "list.fill": "put back what was on the list {list}",
    "recipes.write": "keep the recipe {name}",
}
FOR_PROGRAMS = frozenset({"expects", "former", "entry", "id"})
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
    told: set[str] = field(default_factory=set)
    bound: dict[str, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(dict))

    @property
    def live(self) -> bool:
        """Tell whether the tree can be drawn again: on a terminal, if all of it is in sight."""
        return self.screen.live and len(self.lines) < self.screen.height()

    def show(self, event: wire.WireReply) -> None:
        """Show one event."""
        match event:
            case wire.Accepted(ahead=ahead) if ahead:
                self.say(f"accepted; {ahead} ahead of it in this session")
            case wire.Interpreted():
                self.begin(event)
            case wire.ActionStarted() | wire.Resolved() | wire.ActionFinished():
                self.progress(event)
            case wire.Question(goal=goal, message=message, options=options):
                self.put(goal, put(message, options))
            case wire.ApprovalNeeded(goal=goal):
                self.put(goal, approval_lines(event))
            case wire.Finished():
                self.finish(event)
            case wire.Error(code=code, message=message):
                self.say(f"error {code}: {plain(message)}")
            case _:
                pass
        if self.live:
            self.draw()

    def begin(self, event: wire.Interpreted) -> None:
        """Begin the tree: the goals that were understood, and what was dropped of the words."""
        depths = depth_of(event.meta.dependencies, len(event.meta.goals))
        self.lines = {
            goal.goal_id: Line(goal, depths[index]) for index, goal in enumerate(event.meta.goals)
        }
        for warning in event.warnings:
            self.say(warned(warning))
        for words in event.passed_over:
            self.say(plain(f"passed over: {words}"))

    def progress(self, event: wire.ActionStarted | wire.Resolved | wire.ActionFinished) -> None:
        """Show how a goal comes along; what a set is made of only where it is drawn over."""
        match event:
            case wire.ActionStarted(goal=goal, description=description, attempt=attempt):
                again = f"(attempt {attempt})" if attempt > 1 else ""
                about = self.bound_to(goal) or (place_of(description) if self.live else "")
                self.mark(goal, "running", " ".join(filter(None, (about, again))))
            case wire.Resolved(goal=goal, role=role, name=name):
                self.bound[goal].setdefault(role, []).append(name)
                self.note(goal, "running", f"{role} is {name}")
            case wire.ActionFinished(goal=goal, status="success", verified=verified):
                self.succeed(goal, "" if verified else "not verified")
            case wire.ActionFinished(goal=goal, status=status, message=message):
                self.note(goal, status, message or "")

    def succeed(self, goal: str, note: str) -> None:
        """Note that an action succeeded: of a set of things it was only one of several."""
        if any(len(names) > 1 for names in self.bound[goal].values()):
            self.note(goal, "success", note)
        else:
            self.mark(goal, "success", note)

    def bound_to(self, goal: str) -> str:
        """Say what the words of a goal were bound to; of a set, to how many."""
        return ", ".join(
            f"{role} is {names[0]}" if len(names) == 1 else f"{role} is {len(names)} things"
            for role, names in self.bound[goal].items()
        )

    def put(self, goal: str, lines: Iterator[str]) -> None:
        """Put something before the person: a question, or what is about to happen."""
        self.note(goal, "in_doubt", "")
        for line in lines:
            self.say(line)

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
            self.say_once(self.text(self.lines[goal]))

    def note(self, goal: str, status: str, note: str) -> None:
        """Note how a goal stands."""
        if (line := self.lines.get(goal)) is not None:
            line.status, line.note = status, note

    def finish(self, event: wire.Finished) -> None:
        """Show the end: what became of every goal, and what the outputs are."""
        known = {result.goal: self.lines.get(result.goal) for result in event.results}
        for result in event.results:
            self.note(result.goal, result.status, note_of(result))
        if self.live:
            self.draw(to_the_end=True)
        for result in event.results:
            line = known[result.goal]
            if line is None:  # it began before we came
                self.say(
                    plain(f"{mark_of(result.status)} {result.goal} {note_of(result)}".rstrip())
                )
            elif not self.live:
                self.say_once(self.text(line))
        if self.live:
            self.lines = {}
        for result in event.results:
            line = known[result.goal]
            for row in output_lines(result.output, None if line is None else line.goal):
                self.say(f"    {row}")
        for row in ending(event):
            self.say(row)

    def say_once(self, text: str) -> None:
        """Print a line, unless it is there already: goals on many things come along in steps."""
        if text not in self.told:
            self.told.add(text)
            self.say(text)

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


def approval_lines(needed: wire.ApprovalNeeded) -> Iterator[str]:
    """Put into lines what is about to happen, and to what."""
    things = [thing_named(target) for target in needed.targets]
    size = "" if needed.size is None else f", {spelled_size(needed.size)}"
    words = STRUCTURED.fullmatch(needed.description)
    if words is None:
        said = needed.description.removeprefix("use ")
        said = said if " " in said else said.replace("_", " ")
        yield f"about to {needed.kind}: {plain(said)}"
    elif len(things) == 1 == max(needed.count, 1):
        yield f"about to {needed.kind}: {things[0]}{size}"
        return
    elif things:
        yield f"about to {needed.kind} {max(needed.count, len(things))} things{size}:"
    else:
        yield f"about to {needed.kind}: {plain(words['rest'].replace(':', ' '))}"
    yield from (f"  {thing}" for thing in things)
    left_out = needed.count - len(needed.targets)
    if left_out > 0:
        yield f"  ... and {left_out} more; 'behest status {plain(needed.command)}' lists all"
    if needed.count > 1 and words is None:
        yield f"  {needed.count} in all{size}"


def thing_named(target: wire.Concerned) -> str:
    """Name a thing as people do: a file by its path, what is on a page by its name there."""
    is_path = target.id.startswith("/")
    return plain(target.id if is_path else target.name or target.id)


def place_of(description: str) -> str:
    """Give the path at the end of what an action is called inside, if there is one."""
    found = PATH.search(description) if STRUCTURED.fullmatch(description) else None
    return "" if found is None else found["path"]


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
    """Name a goal by its verb, its values and its words; what only programs need is left out."""
    if (sentence := SENTENCES.get(f"{goal.domain}.{goal.verb}")) is not None:
        values = defaultdict(str, {name: str(value) for name, value in goal.params.items()})
        return f"{goal.goal_id} {plain(sentence.format_map(values))}"
    words = [
        *(f"{name}={value}" for name, value in goal.params.items() if name not in FOR_PROGRAMS),
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
