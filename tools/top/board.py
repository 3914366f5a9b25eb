"""What is known of the daemon and of its commands: told by its answers and by its trace.

The board only remembers. It keeps a limited number of commands, those that wait for a person and
those that run before those that ended; of each, so much as the screen can show.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

import msgspec

from messages import wire
from messages.explaining import ActionReport, Explanation, GoalReport, PastCommand, PlanReport
from tools.top.wording import safe

KEPT = 200  # commands
ROOM = 150  # that run or are queued; below this it is worth asking for more
MOST_STEPS = 60  # of one command
MOST_WAITING = 100
UNPLANNED = frozenset({"success", "partial"})

Waiting: TypeAlias = wire.Question | wire.ApprovalNeeded


class Heard(msgspec.Struct, frozen=True):
    """What is used of a record of the trace; other fields are left alone."""

    event: str
    ts: datetime | None = None
    command_id: str = ""
    action_id: str = ""
    text: str | None = None
    session: str = ""
    mode: str = ""
    status: str = ""
    code: str = ""
    reason: str | None = None


decode_record = msgspec.json.Decoder(Heard).decode


@dataclass(frozen=True)
class Step:
    """A goal, or an action of one, as the tree shows it; ``action`` is set for those that run."""

    key: str
    title: str
    status: str
    note: str = ""
    seconds: float | None = None
    action: str = ""
    steps: tuple["Step", ...] = ()


@dataclass
class Command:
    """A command: how it stands, and its steps as they were explained last.

    It is ``stale`` if something happened since; ``live`` if its end was seen as it came.
    """

    id: str
    order: int
    accepted: float
    text: str = ""
    session: str = ""
    mode: str = ""
    ended: float | None = None
    status: str | None = None
    code: str = ""
    message: str = ""
    steps: tuple[Step, ...] = ()
    done: int = 0
    planned: int = 0
    stale: bool = True
    live: bool = False
    next_look: float = 0.0
    started: dict[str, float] = field(default_factory=dict)


def ident(asked: Waiting) -> str:
    """Give the id by which something is answered or ruled."""
    return asked.question if isinstance(asked, wire.Question) else asked.approval


@dataclass
class Board:
    """All that the screen shows; made anew with every connection."""

    commands: dict[str, Command] = field(default_factory=dict)
    health: wire.Health | None = None
    waiting: tuple[Waiting, ...] = ()
    waiting_count: int = 0
    is_live: bool = False
    left_out: bool = False
    _orders: Iterator[int] = field(default_factory=itertools.count)

    def hear(self, line: bytes) -> bool:
        """Take in a record of the trace; tell whether it is about a command that is kept."""
        try:
            record = decode_record(line)
        except msgspec.DecodeError:
            return False
        at = 0.0 if record.ts is None else record.ts.timestamp()
        if record.event == "command.accepted":
            self.add(record.command_id, at, record.text, record.session).mode = record.mode
            self.trim()
        command = self.commands.get(record.command_id)
        if command is None:
            return False
        command.stale = True
        if record.event == "action.started":
            command.started[record.action_id] = at
            while len(command.started) > MOST_STEPS:
                del command.started[next(iter(command.started))]
        if record.event == "command.finished":
            self.end(command, record, at)
        return True

    def add(self, name: str, accepted: float, text: str | None, session: str) -> Command:
        """Give the command of this name, which is new or known."""
        command = self.commands.get(name)
        if command is None:
            command = Command(name, next(self._orders), accepted)
            self.commands[name] = command
        command.text = safe(text or "") or command.text
        command.session = safe(session)
        return command

    def end(self, command: Command, record: Heard, at: float) -> None:
        """Note how a command ended."""
        command.status, command.ended = record.status, at
        command.code, command.message = safe(record.code), safe(record.reason or "")
        command.live = command.live or self.is_live
        self.waiting = tuple(each for each in self.waiting if each.command != command.id)

    def recall(self, past: Sequence[PastCommand]) -> None:
        """Take in what the journal knows; what was heard to have ended stays so."""
        for each in reversed(past):
            text = each.text if each.text is not None else ", ".join(each.goals)
            command = self.add(each.command, each.accepted, text, each.session)
            command.mode = each.mode
            if each.status is not None:
                command.status, command.ended = each.status, each.ended
                command.code, command.message = each.code or "", safe(each.message or "")
        self.trim()

    def note_state(self, state: wire.State) -> None:
        """Take in how the daemon stands, and what waits for a person."""
        self.health = state.health
        asked: tuple[Waiting, ...] = (*state.questions, *state.approvals)
        ended = {each.id for each in self.commands.values() if each.status is not None}
        open_ones = [each for each in asked if each.command not in ended]
        self.waiting, self.waiting_count = tuple(open_ones[:MOST_WAITING]), len(open_ones)

    def note_explanation(self, told: Explanation) -> None:
        """Take in the steps of a command."""
        command = self.commands.get(told.command)
        if command is None:
            return
        command.steps = steps_of(told)
        command.done = sum(each.status != "running" for each in told.actions)
        command.planned = sum(len(plan.actions) for plan in told.plans)
        command.text = command.text or safe(told.text or ", ".join(told.goals))

    def trim(self) -> None:
        """Forget the commands that matter least, if there are too many."""
        while len(self.commands) > KEPT:
            last = self.in_order()[-1]
            self.left_out = self.left_out or last.status is None
            del self.commands[last.id]

    def has_room(self) -> bool:
        """Tell whether commands that were left out, because too many ran, would now be kept."""
        return self.left_out and sum(each.status is None for each in self.commands.values()) < ROOM

    def in_order(self) -> list[Command]:
        """Give the commands: what waits for a person, what runs, what is queued, what ended."""
        asking = {each.command for each in self.waiting}
        ranks = {"asks": 0, "running": 1, "queued": 2}

        def rank(command: Command) -> tuple[int, float, int]:
            at = command.accepted if command.ended is None else command.ended
            return ranks.get(self.status_of(command, asking), 3), -at, -command.order

        return sorted(self.commands.values(), key=rank)

    def status_of(self, command: Command, asking: Iterable[str] | None = None) -> str:
        """Say how a command stands, in one word."""
        if command.status is not None:
            is_planned = command.mode == "plan" and command.status == "success"
            return "planned" if is_planned else command.status
        if command.id in ({each.command for each in self.waiting} if asking is None else asking):
            return "asks"
        health = self.health
        if health is None or not health.queued or command.started or command.id in health.running:
            return "running"
        return "queued"

    def asked_of(self, command: str) -> list[Waiting]:
        """Give what a command asks a person."""
        return [each for each in self.waiting if each.command == command]


# The steps of a command


def steps_of(told: Explanation) -> tuple[Step, ...]:
    """Give the goals of a command with their actions, as far as the tree has room for them."""
    plans = {plan.goal: plan for plan in told.plans}
    actions: dict[str, list[ActionReport]] = {}
    for action in told.actions:
        actions.setdefault(action.goal, []).append(action)
    room = MOST_STEPS
    steps: list[Step] = []
    goals = {name: GoalReport(name, "") for name in actions}
    goals |= {goal.goal: without_repeat(goal, told.text) for goal in told.understood}
    for goal in goals.values():
        if room <= 0:
            left = len(goals) - len(steps)
            steps.append(Step("more", f"… and {left} more goals", "waiting"))
            break
        step = goal_step(goal, plans.get(goal.goal), actions.get(goal.goal, []), room)
        steps.append(step)
        room -= 1 + len(step.steps)
    return tuple(steps)


def without_repeat(goal: GoalReport, text: str | None) -> GoalReport:
    """Leave out the words of a goal that are all the words of its command."""
    return msgspec.structs.replace(goal, words="", roles={}) if goal.words == text else goal


def goal_step(
    goal: GoalReport, plan: PlanReport | None, actions: Sequence[ActionReport], room: int
) -> Step:
    """Put a goal, its actions and what is still to be done into steps."""
    ahead = () if plan is None or goal.status else not_begun(plan, actions)
    below = [action_step(action) for action in actions]
    below += [Step(f"{goal.goal} {place}", safe(what), "waiting") for place, what in ahead]
    left = len(below) - room
    if left > 0:
        below = [*below[:room], Step(f"{goal.goal} more", f"… and {left} more actions", "waiting")]
    title = f"{goal.goal} {goal.does} {goal.words or ' '.join(goal.roles.values())}".rstrip()
    reason = f"{goal.code}: {goal.message or ''}" if goal.code else goal.message or ""
    told_below = any(goal.message == action.message for action in actions)
    if plan is not None and not goal.status and plan.status not in UNPLANNED:
        reason = plan.reason or ""
    status = goal.status or status_so_far(plan, actions)
    note = "" if told_below else safe(reason)
    return Step(goal.goal, safe(title), status, note, steps=tuple(below))


def not_begun(plan: PlanReport, actions: Sequence[ActionReport]) -> list[tuple[int, str]]:
    """Give the planned actions that have not begun; the members of a set are one of them."""
    begun = len({action.action.partition(".")[0] for action in actions})
    return list(enumerate(plan.actions))[begun:]


def status_so_far(plan: PlanReport | None, actions: Sequence[ActionReport]) -> str:
    """Say how a goal stands whose end is not told yet."""
    if any(action.status == "running" for action in actions):
        return "running"
    if plan is not None and plan.status not in UNPLANNED:
        return plan.status
    if not actions or (plan is not None and not_begun(plan, actions)):
        return "waiting"
    return actions[-1].status


def action_step(action: ActionReport) -> Step:
    """Put an action into a step."""
    what = action.description or action.tool
    tool = f"{action.tool} " if action.tool and action.tool != what else ""
    reason = f"{action.code}: {action.message or ''}" if action.code else action.message or ""
    if action.status == "success" and not action.verified:
        reason = "not verified"
    seconds = None if action.ms is None else action.ms / 1000
    runs = action.action if action.status == "running" else ""
    key = f"{action.goal} {action.action}"
    return Step(key, safe(f"{tool}{what}"), action.status, safe(reason), seconds, runs)
