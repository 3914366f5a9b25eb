"""What a person sees of a plan: what was understood, what would be done, and what cannot be.

The lines of its goals are those of the live view; under each stands why it is there. Drawn once,
at the end, for nothing of a plan happens before it.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from messages import wire
from messages.goals import Goal, MetaGoal
from messages.plans import PlannedAction
from messages.results import GoalResult
from tools.console import choice_of, depth_of, ending, mark_of, note_of, put, titled, warned
from tools.reading import places_read, roles_read, waits_read
from tools.screen import Screen, plain

DETAIL = 4
PLANNED = frozenset({"planned", "partial"})


@dataclass(frozen=True)
class Branch:
    """One goal of the tree: what it waits for, what it stands under, what planning it came to.

    ``stuck`` is the goal that cannot be done and that this one, which could be, waits for.
    """

    goal: Goal
    depth: int
    parents: Sequence[int]
    under: int | None
    result: GoalResult | None
    stuck: str | None
    actions: Sequence[PlannedAction]

    @property
    def status(self) -> str:
        if self.stuck is not None:
            return "skipped"
        return "waiting" if self.result is None else self.result.status

    def lines(self) -> Iterator[tuple[int, str]]:
        """Say how a goal was read, where it belongs, what it waits for and what would be done."""
        yield from roles_read(self.goal)
        yield from ((0, line) for line in places_read(self.goal))
        if self.parents and tuple(self.parents) != (self.under,):
            yield 0, waits_read(self.parents)
        if self.stuck is not None:
            yield 0, f"not done: it waits for {self.stuck}, which cannot be done"
        elif self.result is not None:
            yield from ((0, line) for line in self.deeds(self.result))

    def deeds(self, result: GoalResult) -> Iterator[str]:
        """Name the actions of a goal, and what of it cannot be done."""
        for action in self.actions:
            if action.goal_id == self.goal.goal_id:
                yield plain(f"{deed(action)}: {action.description}")
            else:
                yield f"done together with {action.goal_id}"
        if result.code is not None:
            yield plain(f"cannot: {note_of(result)}")


@dataclass
class PlanView:
    """Shows the plan of one command; ``partly`` if what can be done is to be done."""

    partly: bool = False
    screen: Screen = field(default_factory=Screen)
    meta: MetaGoal | None = None
    actions: Mapping[str, PlannedAction] = field(default_factory=dict)

    def show(self, event: wire.WireReply) -> None:
        """Take note of one event, and show all of them with the last."""
        match event:
            case wire.Accepted(ahead=ahead) if ahead:
                self.say(f"accepted; {ahead} ahead of it in this session")
            case wire.Interpreted(meta=meta, warnings=warnings, passed_over=passed):
                self.meta = meta
                for warning in warnings:
                    self.say(warned(warning))
                for words in passed:
                    self.say(plain(f"passed over: {words}"))
            case wire.Planned(graph=graph):
                self.actions = graph.nodes
            case wire.Question(message=message, options=options):
                for line in put(message, options):
                    self.say(line)
            case wire.Finished():
                self.finish(event)
            case wire.Error(code=code, message=message):
                self.say(plain(f"error {code}: {message}"))
            case _:
                pass

    def allow(self, needed: wire.ApprovalNeeded) -> bool | None:  # noqa: ARG002 - plans need none
        return None

    def ask(self, question: wire.Question) -> str | None:
        """Let the person choose what the words mean; of things a plan binds none."""
        return choice_of(question, self.screen)

    def finish(self, event: wire.Finished) -> None:
        """Show the tree, and what would come of the command."""
        if self.meta is not None:
            for branch in branches(self.meta, event.results, self.actions):
                self.grow(branch)
        for line in summed_up(event, partly=self.partly):
            self.say(line)

    def grow(self, branch: Branch) -> None:
        """Show a goal, its line as the live view has it."""
        mark, indent = mark_of(branch.status), 2 * branch.depth
        first, *rest = self.screen.folded(f"{mark} {titled(branch.goal)}", indent)
        head = first.replace(mark, self.screen.painted(mark), 1)
        self.screen.write("".join(f"{line}\n" for line in (head, *rest)))
        for deeper, line in branch.lines():
            self.say(line, indent + DETAIL + 2 * deeper)

    def say(self, text: str, indent: int = 0) -> None:
        """Show a line, broken where the terminal ends."""
        self.screen.write("".join(f"{line}\n" for line in self.screen.folded(text, indent)))


def branches(
    meta: MetaGoal, results: Sequence[GoalResult], actions: Mapping[str, PlannedAction]
) -> Iterator[Branch]:
    """Give the goals in order, each under one that it waits for."""
    outcome = {result.goal: result for result in results}
    own: dict[str, list[PlannedAction]] = defaultdict(list)
    for action in actions.values():
        own[action.goal_id].append(action)
    depths = depth_of(meta.dependencies, len(meta.goals))
    latest: dict[int, int] = {}
    lost: dict[int, str] = {}
    for index, (goal, depth) in enumerate(zip(meta.goals, depths, strict=True)):
        result, parents = outcome.get(goal.goal_id), meta.parents(index)
        planned = result is not None and result.status in PLANNED
        stuck = next((lost[parent] for parent in parents if parent in lost), None)
        if not planned or stuck is not None:
            lost[index] = stuck if planned and stuck is not None else goal.goal_id
        latest[depth] = index
        deeds = own[goal.goal_id] or merged(result, actions)
        under = latest.get(depth - 1)
        yield Branch(goal, depth, parents, under, result, stuck if planned else None, deeds)


def merged(
    result: GoalResult | None, actions: Mapping[str, PlannedAction]
) -> Sequence[PlannedAction]:
    """Find the action of another goal that achieves this one, too."""
    achieving = None if result is None else actions.get(result.action or "")
    return () if achieving is None else (achieving,)


def summed_up(event: wire.Finished, *, partly: bool) -> list[str]:
    """Say in the end whether anything would be done."""
    planned = sum(result.status in PLANNED for result in event.results)
    if not event.results or event.status == "success":
        return ending(event)
    if not planned:
        return ["nothing would be done"]
    if partly:
        return ["some of it would be done, not all"]
    return ["nothing would be done, because not all of it can be; --allow-partial does the rest"]


def deed(action: PlannedAction) -> str:
    """Tell whether an action only looks."""
    return "would look" if action.action_class == "observe" else "would do"
