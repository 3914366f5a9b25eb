"""Scheduler: submits commands when they are due, each of them once.

An entry is on disk before it is promised. When it is due, a command is submitted whose id is made
of the entry and of the moment; after a crash it is submitted again under the same id, and the
journal knows it. Only then the entry goes on to its next moment. It decides when, never what.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import assert_never

import anyio
import msgspec

from actors.language.times import read_duration, read_when
from actors.logger import ActorLogger, logger_of
from actors.mailbox import Address, Letter, Mailbox, Unanswered
from actors.scheduler.moments import first_moment, next_moment
from actors.scheduler.selecting import changed, chosen, fitting, renewed
from messages import commanding, journaling, scheduling
from messages.commanding import Admit, TurnedAway
from messages.goals import GoalDraft
from messages.journaling import KeepSchedules, Kept, RecallSchedules
from messages.results import Code
from messages.scheduling import (
    ChangeEntries,
    Entries,
    Entry,
    EntryRefused,
    ListEntries,
    SetEntry,
)
from messages.times import When
from messages.wire import Submit

LONGEST_NAP = 1.0  # clocks are put forward and back: nobody tells when
SHORTEST_NAP = 0.02
JOURNAL_SECONDS = 30.0
LATE = 60.0
JUMP = 2.0  # seconds: a clock that is slewed differs by less
MOST_ENTRIES = 1_000
SHORTEST_INTERVAL = 1.0
RING = ("schedule", "ring")
NOT_A_TIME = "{said!r} is no time that can be kept; say for example 'tomorrow at 8'"
NO_MOMENT = "{said!r} says a day and no time; say for example '{said} at 8'"


@dataclass
class Scheduler:
    """What is due later, the clock on the wall, and one that is never put forward or back."""

    journal: Address[journaling.Inbox]
    orchestrator: Address[commanding.Inbox]
    now: Callable[[], float]
    steady: Callable[[], float]
    entries: dict[str, Entry] = field(default_factory=dict)
    log: ActorLogger = field(default_factory=lambda: logger_of("scheduler"))
    _changed: anyio.Event = field(default_factory=anyio.Event)

    async def run(self, mailbox: Mailbox[scheduling.Inbox]) -> None:
        await self.load()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.keep_time)
            while await mailbox.more():
                with mailbox.turn as letters:
                    for letter in letters:
                        with letter as message:
                            await self.handle(letter, message)
            tasks.cancel_scope.cancel()

    async def load(self) -> None:
        """Read what is due from the journal."""
        recalled = await self.journal.ask(RecallSchedules(), within=JOURNAL_SECONDS)
        self.entries = {entry.id: entry for entry in recalled.entries}

    async def handle(self, letter: Letter[scheduling.Inbox], message: scheduling.Inbox) -> None:
        match message:
            case SetEntry():
                letter.answer(message, await self.set_entry(message))
            case ListEntries(selection):
                now = self.now()
                found = fitting(tuple(self.entries.values()), selection, now)
                letter.answer(message, Entries(found, now))
            case ChangeEntries():
                letter.answer(message, await self.change(message))
            case unknown:
                assert_never(unknown)

    # What people ask for

    async def set_entry(self, request: SetEntry) -> Entries | EntryRefused:
        """Keep something for later, once for each command that asks for it."""
        name = entry_id(request)
        now = self.now()
        if (known := self.entries.get(name)) is not None:
            return Entries((known,), now)
        when = time_of(request)
        if isinstance(when, EntryRefused):
            return when
        due = first_moment(when, now)
        if due is None:
            return EntryRefused(Code.NOT_FEASIBLE, f"{request.said!r} has passed already")
        if sum(entry.state in {"active", "paused"} for entry in self.entries.values()) >= (
            MOST_ENTRIES
        ):
            return EntryRefused(Code.NOT_FEASIBLE, f"{MOST_ENTRIES} are set already; cancel some")
        session = await self.session_of(request.command_id)
        entry = Entry(
            name,
            request.kind,
            request.said,
            when,
            session,
            now,
            due,
            name=request.name,
            text=request.text,
            approves=request.approves,
        )
        if (refused := await self.keep((entry,))) is not None:
            return refused
        self.log.info("schedule.set", schedule=entry.id, kind=entry.kind, due=shown(due))
        return Entries((entry,), now)

    async def session_of(self, command: str) -> str:
        """Give the session of the command that asks."""
        recalled = await self.journal.ask(journaling.Recall(command), within=JOURNAL_SECONDS)
        return next((story.submit.session for story in recalled.stories), "default")

    async def change(self, request: ChangeEntries) -> Entries | EntryRefused:
        """Change the entries that are meant, all of them or none."""
        now = self.now()
        found = chosen(tuple(self.entries.values()), request.selection, now, request.change)
        if isinstance(found, EntryRefused):
            return found
        after: list[Entry] = []
        for entry in found:
            outcome = changed(entry, request.change, now, request.by)
            if isinstance(outcome, EntryRefused):
                return outcome
            after.append(outcome)
        if request.change == "left":
            return Entries(found, now)
        if (refused := await self.keep(tuple(after))) is not None:
            return refused
        for entry in after:
            self.log.info("schedule.changed", schedule=entry.id, change=request.change)
        return Entries(tuple(after), now, found)

    async def keep(self, entries: tuple[Entry, ...]) -> EntryRefused | None:
        """Write entries down; until they are, nothing of them is true."""
        kept = await self.journal.ask(KeepSchedules(entries), within=JOURNAL_SECONDS)
        if not isinstance(kept, Kept):
            return EntryRefused(Code.NOT_DURABLE, kept.reason)
        for entry in entries:
            if entry.state == "done":
                self.entries.pop(entry.id, None)
            else:
                self.entries[entry.id] = entry
        self._changed.set()
        return None

    # What is due

    async def keep_time(self) -> None:
        """Submit what is due, and sleep until something is."""
        offset = self.now() - self.steady()
        while True:
            self._changed = anyio.Event()
            jump, offset = self.now() - self.steady() - offset, self.now() - self.steady()
            if abs(jump) > JUMP:
                await self.shift(jump)
            for entry in self.due_entries():
                await self.fire(entry)
            with anyio.move_on_after(self.nap()):
                await self._changed.wait()

    async def shift(self, jump: float) -> None:
        """The clock was put forward or back: what was to last a while still lasts as long."""
        self.log.warning("schedule.clock_jumped", seconds=round(jump, 3))
        lasting = [
            renewed(entry, due=entry.due + jump)
            for entry in self.entries.values()
            if entry.state == "active" and entry.due is not None and entry.when.after
        ]
        if lasting:
            await self.keep(tuple(lasting))

    def due_entries(self) -> list[Entry]:
        now = self.now()
        active = (entry for entry in self.entries.values() if entry.state == "active")
        return [entry for entry in active if entry.due is not None and entry.due <= now]

    def nap(self) -> float:
        """Say how long nothing can be due, as far as clocks can be trusted."""
        now = self.now()
        active = (entry for entry in self.entries.values() if entry.state == "active")
        until = min((entry.due - now for entry in active if entry.due is not None), default=1.0)
        return max(SHORTEST_NAP, min(LONGEST_NAP, until))

    async def fire(self, entry: Entry) -> None:
        """Submit the command of an entry; then the entry goes on, or is done."""
        now, moment = self.now(), entry.due or 0.0
        submit = command_of(entry, now)
        try:
            admit = Admit(submit, client="schedule", schedule=entry.id, approves=entry.approves)
            verdict = await self.orchestrator.ask(admit, within=JOURNAL_SECONDS)
        except (Unanswered, TimeoutError):
            return  # it crashed, and is back soon: the id makes sure that it runs once
        if isinstance(verdict, TurnedAway):
            self.log.warning(
                "schedule.turned_away", schedule=entry.id, reason=verdict.error.message
            )
            await anyio.sleep(LONGEST_NAP)
            return
        due, missed = next_moment(entry.when, moment, now)
        self.log.info(
            "schedule.fired",
            schedule=entry.id,
            fired_command=submit.id,
            due=shown(moment),
            late=round(now - moment, 3),
            missed=missed,
        )
        current = self.entries.get(entry.id)
        if current is None or current.version != entry.version:
            return  # it was changed while it fired
        state = "done" if due is None else "active"
        await self.keep((renewed(entry, due=due, fired=entry.fired + 1, state=state),))


def entry_id(request: SetEntry) -> str:
    """Name an entry by the command that asks for it, so that it is never set twice."""
    about = msgspec.json.encode((request.command_id, request.kind, request.said, request.name))
    return sha256(about + request.text.encode()).hexdigest()[:12]


def time_of(request: SetEntry) -> When | EntryRefused:
    """Read the time of an entry; say what is wrong with it."""
    if request.kind == "timer":
        length = read_duration(request.said)
        if not length:
            return EntryRefused(Code.VALIDATION_FAILED, f"{request.said!r} is no length of time")
        return When(after=length)
    when = read_when(request.said)
    if when is None:
        return EntryRefused(Code.VALIDATION_FAILED, NOT_A_TIME.format(said=request.said))
    if when.interval and when.interval < SHORTEST_INTERVAL:
        return EntryRefused(Code.VALIDATION_FAILED, "nothing is done more often than each second")
    if not when.is_exact and request.kind != "reminder":
        return EntryRefused(Code.VALIDATION_FAILED, NO_MOMENT.format(said=request.said))
    return when


def command_of(entry: Entry, now: float) -> Submit:
    """Give the command that an entry stands for at this moment."""
    moment = entry.due or 0.0
    name = f"schedule-{entry.id}-{int(moment * 1000)}"
    if entry.kind == "command":
        return Submit(name, text=entry.text, session=entry.session)
    text = entry.text or " ".join(filter(None, (entry.kind, entry.name or entry.said)))
    missed = f" (was due at {shown(moment)})" if now - moment > LATE else ""
    ring = GoalDraft(*RING, {"text": f"{text}{missed}", "kind": entry.kind})
    return Submit(name, goals=(ring,), session=entry.session)


def shown(moment: float) -> str:
    """Write a moment as people in the user's time zone do."""
    return datetime.fromtimestamp(moment).astimezone().isoformat(timespec="seconds")
