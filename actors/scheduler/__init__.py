"""Scheduler: submits commands when they are due, each of them once.

An entry is on disk before it is promised. When it is due, a command is submitted whose id is made
of the entry and, if it repeats, of the moment; after a crash it is submitted again under the same
id, and the journal knows it. Only then the entry goes on to its next moment. It decides when, never
what. Nobody changes an entry while it fires, and the clock is looked at before each change.
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
from actors.scheduler.moments import brought_near, first_moment, gone_on, moved
from actors.scheduler.selecting import changed, chosen, fitting
from messages import commanding, journaling, scheduling
from messages.commanding import Admit, Admitted, TurnedAway
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
PREFIX = "schedule-"
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
    _turn: anyio.Lock = field(default_factory=anyio.Lock)
    _offset: float = 0.0

    async def run(self, mailbox: Mailbox[scheduling.Inbox]) -> None:
        await self.load()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.keep_time)
            while await mailbox.more():
                with mailbox.turn as letters:
                    for letter in letters:
                        with letter as message:
                            async with self._turn:
                                await self.handle(letter, message)
            tasks.cancel_scope.cancel()

    async def load(self) -> None:
        """Read what is due from the journal; what was firing at the end has fired."""
        recalled = await self.journal.ask(RecallSchedules(), within=JOURNAL_SECONDS)
        now = self.now()
        self._offset = now - self.steady()
        self.entries = {entry.id: brought_near(entry, now) for entry in recalled.entries}
        for entry in recalled.entries:
            if entry.state == "active" and await self.is_taken(firing_id(entry)):
                following, _ = gone_on(entry, entry.due or 0.0)
                await self.keep((brought_near(following, now),))

    async def handle(self, letter: Letter[scheduling.Inbox], message: scheduling.Inbox) -> None:
        match message:
            case SetEntry():
                letter.answer(message, await self.set_entry(message))
            case ListEntries(selection):
                now = await self.look_at_clock()
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
        if (known := self.entries.get(name)) is not None:
            return Entries((known,), await self.look_at_clock())
        when = time_of(request)
        if isinstance(when, EntryRefused):
            return when
        session = await self.session_of(request.command_id)
        is_over = not when.repeats and await self.is_taken(f"{PREFIX}{name}")
        now = await self.look_at_clock()
        if is_over:  # it was asked for, it fired, and then the daemon ended before it was told
            done = Entry(name, request.kind, request.said, when, session, now, state="done")
            return Entries((done,), now)
        due = first_moment(when, now)
        if due is None:
            return EntryRefused(Code.NOT_FEASIBLE, f"{request.said!r} has passed already")
        if sum(entry.state in {"active", "paused"} for entry in self.entries.values()) >= (
            MOST_ENTRIES
        ):
            return EntryRefused(Code.NOT_FEASIBLE, f"{MOST_ENTRIES} are set already; cancel some")
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

    async def is_taken(self, command: str) -> bool:
        """Tell whether a command was submitted once."""
        recalled = await self.journal.ask(journaling.Recall(command), within=JOURNAL_SECONDS)
        return bool(recalled.stories)

    async def change(self, request: ChangeEntries) -> Entries | EntryRefused:
        """Change the entries that are meant, all of them or none."""
        now = await self.look_at_clock()
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
        while True:
            self._changed = anyio.Event()
            async with self._turn:
                now = await self.look_at_clock()
                due = [entry.id for entry in self.entries.values() if is_due(entry, now)]
            has_fired = [await self.fire_if_due(name) for name in due]
            if not all(has_fired):
                await anyio.sleep(LONGEST_NAP)
                continue
            with anyio.move_on_after(self.nap()):
                await self._changed.wait()

    async def look_at_clock(self) -> float:
        """Give the time; if the clock was put forward or back, what lasts a while is moved."""
        now = self.now()
        offset = now - self.steady()
        jump, self._offset = offset - self._offset, offset
        if abs(jump) > JUMP:
            self.log.warning("schedule.clock_jumped", seconds=round(jump, 3))
            after = {entry.id: moved(entry, jump) for entry in self.entries.values()}
            lasting = [entry for entry in after.values() if entry is not self.entries[entry.id]]
            if lasting:
                await self.keep(tuple(lasting))
        return now

    def nap(self) -> float:
        """Say how long nothing can be due, as far as clocks can be trusted."""
        now = self.now()
        active = (entry for entry in self.entries.values() if entry.state == "active")
        until = min((entry.due - now for entry in active if entry.due is not None), default=1.0)
        return max(SHORTEST_NAP, min(LONGEST_NAP, until))

    async def fire_if_due(self, name: str) -> bool:
        """Fire an entry if it is still due; tell whether nothing is left to be tried again."""
        async with self._turn:
            now = await self.look_at_clock()
            entry = self.entries.get(name)
            if entry is None or entry.due is None or not is_due(entry, now):
                return True
            return await self.fire(entry, entry.due, now)

    async def fire(self, entry: Entry, moment: float, now: float) -> bool:
        """Submit the command of an entry; then the entry goes on, or is done."""
        submit = command_of(entry, now)
        try:
            admit = Admit(submit, client="schedule", schedule=entry.id, approves=entry.approves)
            verdict = await self.orchestrator.ask(admit, within=JOURNAL_SECONDS)
        except (Unanswered, TimeoutError):
            return False  # it crashed, and is back soon: the id makes sure that it runs once
        if isinstance(verdict, TurnedAway):
            self.log.warning(
                "schedule.turned_away", schedule=entry.id, reason=verdict.error.message
            )
            return False
        if not isinstance(verdict, Admitted):
            now = moment  # it was submitted before: what was due since then is still to come
        following, missed = gone_on(entry, now)
        self.log.info(
            "schedule.fired",
            schedule=entry.id,
            fired_command=submit.id,
            due=shown(moment),
            late=round(now - moment, 3),
            missed=missed,
        )
        return await self.keep((following,)) is None


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


def is_due(entry: Entry, now: float) -> bool:
    return entry.state == "active" and entry.due is not None and entry.due <= now


def firing_id(entry: Entry) -> str:
    """Name the command of an entry at its moment; what comes once has one, whenever that is."""
    if not entry.when.repeats:
        return f"{PREFIX}{entry.id}"
    return f"{PREFIX}{entry.id}-{entry.fired}-{int((entry.due or 0.0) * 1000)}"


def command_of(entry: Entry, now: float) -> Submit:
    """Give the command that an entry stands for at this moment."""
    moment = entry.due or 0.0
    name = firing_id(entry)
    if entry.kind == "command":
        return Submit(name, text=entry.text, session=entry.session)
    text = entry.text or " ".join(filter(None, (entry.kind, entry.name or entry.said)))
    missed = f" (was due at {shown(moment)})" if now - moment > LATE else ""
    ring = GoalDraft(*RING, {"text": f"{text}{missed}", "kind": entry.kind})
    return Submit(name, goals=(ring,), session=entry.session)


def shown(moment: float) -> str:
    """Write a moment as people in the user's time zone do."""
    return datetime.fromtimestamp(moment).astimezone().isoformat(timespec="seconds")
