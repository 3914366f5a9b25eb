"""Timers, alarms, reminders and commands for later, as tools; the Scheduler keeps them."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Protocol, TypeAlias, TypeVar

from messages.executing import Done, Outcome, Refused
from messages.goals import GoalDraft
from messages.message import Request, Row
from messages.results import Code
from messages.scheduling import (
    Change,
    ChangeEntries,
    Entries,
    Entry,
    EntryRefused,
    Kind,
    ListEntries,
    Selection,
    SetEntry,
)
from messages.trace import current
from tools.tool import AnyTool, Params, Tool

R = TypeVar("R")
INTENT = "schedule_control"
ANSWER_SECONDS = 60.0
NOBODY = "the schedule does not answer; try again"


class Asked(Protocol):
    """Who keeps the schedule."""

    async def ask(self, request: Request[R], *, within: float = 5.0) -> R: ...


class Timer(Params, frozen=True):
    duration: str
    name: str = ""


class Alarm(Params, frozen=True):
    at: str
    name: str = ""


class Reminder(Params, frozen=True):
    at: str
    text: str


class Later(Params, frozen=True):
    at: str
    command: str
    approves: str = ""


class Listed(Params, frozen=True):
    kind: str = "any"
    on: str = ""


class Chosen(Params, frozen=True):
    kind: str = "any"
    name: str = ""
    duration: str = ""
    at: str = ""
    which: str = ""
    id: str = ""


class Changed(Params, frozen=True):
    by: str
    kind: str = "timer"
    name: str = ""
    duration: str = ""
    less: bool = False
    id: str = ""


class Ring(Params, frozen=True):
    text: str
    kind: str = "reminder"


ScheduleRequest: TypeAlias = Request[Entries | EntryRefused]
P = TypeVar("P", bound=Params)
Notify = Callable[[str, str], Awaitable[bool]]
ReadDuration = Callable[[str], float | None]


async def tell_nobody(_title: str, _text: str) -> bool:
    """Stand in where no desktop shows notifications."""
    return False


def schedule_tools(
    scheduler: Asked, read_duration: ReadDuration, notify: Notify = tell_nobody
) -> tuple[AnyTool, ...]:
    """Declare the tools; ``notify`` shows a title and a text on the desktop, if it can."""
    schedule = Schedule(scheduler, read_duration, notify)
    return (
        tool("timer", Timer, schedule.set_timer),
        tool("alarm", Alarm, schedule.set_alarm),
        tool("reminder", Reminder, schedule.set_reminder),
        tool("command", Later, schedule.set_command),
        tool("list", Listed, schedule.list_entries),
        tool("left", Chosen, schedule.time_left),
        tool("cancel", Chosen, schedule.cancel),
        tool("pause", Chosen, schedule.pause),
        tool("resume", Chosen, schedule.resume),
        tool("change", Changed, schedule.change),
        tool("restore", Chosen, schedule.restore),
        tool("ring", Ring, schedule.ring),
    )


def tool(verb: str, params: type[P], act: Callable[[P], Awaitable[Outcome]]) -> AnyTool:
    return Tool(
        name=f"schedule.{verb}",
        intent=INTENT,
        achieves=frozenset({f"schedule_{verb}"}),
        params=params,
        act=act,
        check=is_answered,
    )


async def is_answered(_params: Params, done: Done) -> bool | None:
    """Tell whether the Scheduler has answered; if nobody knows, it is asked once more."""
    return None if done.output is None else True


class Schedule:
    """What the tools do: they put a request to the Scheduler and tell what came of it."""

    def __init__(self, scheduler: Asked, read_duration: ReadDuration, notify: Notify) -> None:
        self.scheduler = scheduler
        self.read_duration = read_duration
        self.notify = notify

    async def ask(self, request: ScheduleRequest) -> Entries | Refused:
        try:
            answer = await self.scheduler.ask(request, within=ANSWER_SECONDS)
        except TimeoutError:
            return Refused(Code.UNAVAILABLE, NOBODY)
        if isinstance(answer, EntryRefused):
            return Refused(answer.code, answer.reason)
        return answer

    # Setting

    async def set_timer(self, params: Timer) -> Outcome:
        return await self.set_entry("timer", params.duration, name=params.name)

    async def set_alarm(self, params: Alarm) -> Outcome:
        return await self.set_entry("alarm", params.at, name=params.name)

    async def set_reminder(self, params: Reminder) -> Outcome:
        return await self.set_entry("reminder", params.at, text=params.text)

    async def set_command(self, params: Later) -> Outcome:
        approves = tuple(filter(None, params.approves.split(",")))
        return await self.set_entry("command", params.at, text=params.command, approves=approves)

    async def set_entry(
        self,
        kind: Kind,
        said: str,
        *,
        name: str = "",
        text: str = "",
        approves: tuple[str, ...] = (),
    ) -> Outcome:
        request = SetEntry(current.get().command_id or "", kind, said, name, text, approves)
        answer = await self.ask(request)
        if isinstance(answer, Refused):
            return answer
        (entry,) = answer.entries
        undo = (GoalDraft("schedule", "cancel", {"kind": kind, "id": entry.id}),)
        return Done(row_of(entry, answer.now), undo=undo)

    # Looking

    async def list_entries(self, params: Listed) -> Outcome:
        answer = await self.ask(ListEntries(Selection(kind=params.kind, at=params.on)))
        return answer if isinstance(answer, Refused) else Done(rows_of(answer), changed=False)

    async def time_left(self, params: Chosen) -> Outcome:
        answer = await self.ask(ChangeEntries("left", selection_of(params)))
        return answer if isinstance(answer, Refused) else Done(rows_of(answer), changed=False)

    # Changing

    async def cancel(self, params: Chosen) -> Outcome:
        return await self.change_entries(
            "cancel", selection_of(params), lambda entry: ("restore", {"id": entry.id})
        )

    async def restore(self, params: Chosen) -> Outcome:
        return await self.change_entries(
            "restore", selection_of(params), lambda entry: ("cancel", {"id": entry.id})
        )

    async def pause(self, params: Chosen) -> Outcome:
        return await self.change_entries(
            "pause",
            selection_of(params),
            lambda entry: ("resume", {"kind": entry.kind, "id": entry.id}),
        )

    async def resume(self, params: Chosen) -> Outcome:
        return await self.change_entries(
            "resume",
            selection_of(params),
            lambda entry: ("pause", {"kind": entry.kind, "id": entry.id}),
        )

    async def change(self, params: Changed) -> Outcome:
        by = self.read_duration(params.by)
        if by is None:
            return Refused(Code.VALIDATION_FAILED, f"{params.by!r} is no length of time")
        selection = Selection(
            kind=params.kind, name=params.name, said=params.duration, id=params.id
        )
        back: dict[str, str | bool] = {"by": params.by, "less": not params.less}
        return await self.change_entries(
            "change",
            selection,
            lambda entry: ("change", {**back, "id": entry.id}),
            -by if params.less else by,
        )

    async def change_entries(
        self,
        change: Change,
        selection: Selection,
        back: Callable[[Entry], tuple[str, dict[str, str | bool]]],
        by: float = 0.0,
    ) -> Outcome:
        answer = await self.ask(ChangeEntries(change, selection, by))
        if isinstance(answer, Refused):
            return answer
        undo = [GoalDraft("schedule", *back(entry)) for entry in answer.entries]
        return Done(rows_of(answer), undo=tuple(undo))

    # When the time has come

    async def ring(self, params: Ring) -> Outcome:
        is_shown = await self.notify(params.kind.capitalize(), params.text)
        return Done({"text": params.text, "kind": params.kind, "shown": is_shown}, changed=False)


def selection_of(params: Chosen) -> Selection:
    return Selection(
        kind=params.kind,
        name=params.name,
        said=params.duration,
        at=params.at,
        which=params.which,
        id=params.id,
    )


def rows_of(answer: Entries) -> Sequence[Row]:
    return [row_of(entry, answer.now) for entry in answer.entries]


def row_of(entry: Entry, now: float) -> Row:
    """Tell of an entry; what was not said is left out."""
    left = entry.left if entry.due is None else max(0.0, entry.due - now)
    told: dict[str, str | int | None] = {
        "id": entry.id,
        "kind": entry.kind,
        "said": entry.said,
        "name": entry.name,
        "text": entry.text,
        "due": None if entry.due is None else local_time(entry.due),
        "left": None if left is None else round(left),
        "state": entry.state if entry.state != "active" else "",
    }
    return {name: value for name, value in told.items() if value not in {"", None}}


def local_time(moment: float) -> str:
    return datetime.fromtimestamp(moment).astimezone().isoformat(timespec="seconds")
