"""Schedules under ``kill -9`` and a clock that is put forward and back.

Each schedule appends a line of its own to one file, or rings; the checker believes that file and
the journal's list of commands. It works out itself on which days a schedule comes, and knows what
the clock said: so it can tell what was lost, done twice, too early, or passed over for no reason.
"""

import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from datetime import time as time_of_day
from pathlib import Path
from random import Random
from time import monotonic
from typing import Literal, TypeAlias
from zoneinfo import ZoneInfo

from tests.chaos.clock import TurnedClock
from tests.daemon import Daemon, Event, launched

ZONE = ZoneInfo("Europe/Berlin")
START = datetime(2026, 3, 27, 12, tzinfo=ZONE)  # a Friday; on Sunday there is no half past two
SESSIONS = 4
MANY, MOST_LISTED = 12, 30
MOST_LOOKS = 5_000
SLACK = 1.0  # seconds between the moment that something was due and the moment it was written down
LATE, CLOSE = 60.0, 5.0
HOUR, DAY = 3600.0, 86_400.0
LEDGER = "ledger.txt"
LONGEST = 400
# The clock goes on by months: the journal must not forget what the checker asks it for.
SETTINGS = '[browser]\nmode = "off"\n[journal]\ndays = 10000\n'
TURNS = (HOUR, -HOUR, 5 * HOUR, -3 * HOUR, DAY, -DAY, 3 * DAY, -2 * DAY, 90.5, -700.25)
MISSED = "(was due at"
FIRINGS = """
    SELECT id, schedule, taken_at, status, submit FROM commands WHERE schedule != '' ORDER BY rowid
"""

Days: TypeAlias = Literal["", "all", "weekdays", "every other"]


@dataclass(frozen=True)
class Time:
    """A time as it is said: after a while or in steps of it, or at a time on some days."""

    said: str
    length: float = 0.0
    clock: str = ""
    days: Days = ""
    repeats: bool = False


TIMES = (
    Time("in 1 second", 1.0),
    Time("in 3 seconds", 3.0),
    Time("in 90 minutes", 90 * 60.0),
    Time("in 2 hours", 2 * HOUR),
    Time("at 18:30", clock="18:30"),
    Time("at 2:30", clock="02:30"),
    Time("tomorrow at 7:45", clock="07:45"),
    Time("every 4 seconds", 4.0, repeats=True),
    Time("every 20 minutes", 20 * 60.0, repeats=True),
    Time("every hour", HOUR, repeats=True),
    Time("every day at 8:05", clock="08:05", days="all", repeats=True),
    Time("every day at 2:30", clock="02:30", days="all", repeats=True),
    Time("every weekday at 7:30", clock="07:30", days="weekdays", repeats=True),
    Time("every 2 days at 8:00", clock="08:00", days="every other", repeats=True),
)
SHORT = 10.0


@dataclass
class Promise:
    """A schedule that was said: its entry and first moment once told, and what a cancel came to."""

    line: str
    time: Time
    rings: bool
    entry: str = ""
    due: float = 0.0
    cancel: str = ""
    ended_with: int | None = None
    checked: int = 0

    def comes_on(self, day: date) -> bool:
        """Tell whether a schedule that repeats comes on a day."""
        if self.time.days == "weekdays":
            return day.weekday() < 5
        if self.time.days == "every other":
            return (day - datetime.fromtimestamp(self.due, ZONE).date()).days % 2 == 0
        return True

    def moments(self, after: float, until: float) -> list[float]:
        """Give the moments between two others, of which only the second is one of them."""
        first = datetime.fromtimestamp(after, ZONE).date()
        number = max(0, int((until - after) // DAY)) + 2
        days = (first + timedelta(days=ahead) for ahead in range(number))
        clock = time_of_day.fromisoformat(self.time.clock)
        moments = (
            datetime.combine(day, clock, ZONE).timestamp() for day in days if self.comes_on(day)
        )
        return [moment for moment in moments if after < moment <= until]


@dataclass(frozen=True)
class Firing:
    """A command of a schedule, as the journal has it."""

    id: str
    taken_at: float
    status: str | None
    text: str

    @property
    def moment(self) -> float:
        """Give the moment of a schedule that repeats."""
        return int(self.id.rpartition("-")[2]) / 1000


@dataclass
class Tally:
    """What came of it all."""

    rounds: int = 0
    kills: int = 0
    turns: int = 0
    promises: int = 0
    cancelled: int = 0
    firings: int = 0
    late: int = 0
    missed: int = 0
    wrong: dict[str, dict[str, str]] = field(default_factory=dict)

    def note(self, what: str, who: str, about: object) -> None:
        """Note what is wrong with a schedule; what is seen again counts once."""
        self.wrong.setdefault(what, {}).setdefault(who, str(about)[:LONGEST])

    def problems(self) -> list[str]:
        """Give all that must not be."""
        return [
            f"{what}: {len(found)}, {list(found.items())[:3]}" for what, found in self.wrong.items()
        ]


@dataclass
class Schedules:
    """Rounds on one state folder, each ended by a kill."""

    folder: Path
    random: Random
    tally: Tally = field(default_factory=Tally)
    promises: dict[str, Promise] = field(default_factory=dict)
    pending: dict[str, Event] = field(default_factory=dict)
    missed: dict[str, tuple[float, int]] = field(default_factory=dict)
    number: int = 0
    disturbed: int = 0
    settled_at: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        (self.folder / "work").mkdir(exist_ok=True)
        self.ledger.touch()
        self.clock = TurnedClock(self.folder, START)

    @property
    def ledger(self) -> Path:
        return self.folder / "work" / LEDGER

    def run(self, rounds: int) -> Tally:
        """Go through rounds, then let everything come to its end, and count."""
        for number in range(rounds):
            self.round(MOMENTS[number % len(MOMENTS)])
        self.finish()
        return self.tally

    def round(self, moment: "Moment") -> None:
        """Start a daemon on what the last one left, and kill it at some moment."""
        self.tally.rounds += 1
        life = self.start()
        try:
            if self.random.random() < 0.6:
                life.settle()
            moment(life)
        except TimeoutError:
            self.tally.note("lost", moment.__name__, "nothing happened")
        finally:
            self.tally.kills += 1
            life.end(signal.SIGKILL)
        if self.random.random() < 0.5:
            self.turn(self.random.choice(TURNS))

    def start(self) -> "Life":
        self.disturbed += 1
        environment = self.clock.environment
        return Life(self, launched(self.folder, settings=SETTINGS, environment=environment))

    def turn(self, seconds: float) -> None:
        self.tally.turns += 1
        self.disturbed += 1
        self.clock.turn(seconds)

    def finish(self) -> None:
        """Let all that is due once happen, cancel the rest, and see that it was all."""
        life = self.start()
        try:
            life.settle()
        finally:
            life.end(signal.SIGKILL)
        self.turn(3 * DAY)
        life = self.start()
        try:
            life.settle()
            for promise in self.promises.values():
                if promise.time.repeats and promise.entry and not promise.cancel:
                    life.cancel(promise)
            life.settle()
        finally:
            life.end(signal.SIGTERM)
        self.check({}, is_end=True)
        self.tally.promises = len(self.promises)
        self.tally.firings = sum(map(len, self.firings().values()))
        self.tally.late = sum(late > LATE for late, _ in self.missed.values())
        self.tally.missed = sum(missed for _, missed in self.missed.values())

    # What is said

    def new_promise(self, time: Time) -> str:
        """Say something for later; a reminder rings, all else writes its line."""
        self.number += 1
        line, rings = f"n{self.number}", bool(time.clock) and self.random.random() < 0.3
        self.promises[line] = Promise(f"{line}.", time, rings)
        text = f"remind me to call {line}. {time.said}" if rings else ""
        text = text or f'{time.said} append "{line}." to {LEDGER}'
        session = f"s{self.number % SESSIONS}"
        self.pending[line] = {"type": "submit", "id": line, "session": session, "text": text}
        return line

    def new_cancel(self, promise: Promise) -> str:
        name = f"cancel-{promise.line[:-1]}"
        goal = {"domain": "schedule", "verb": "cancel", "params": {"id": promise.entry}}
        self.pending[name] = {"type": "submit", "id": name, "session": "c", "goals": [goal]}
        promise.cancel = "asked"
        return name

    def hear(self, event: Event) -> None:
        """Take the end of a command that is pending."""
        name = str(event.get("command"))
        if event["type"] != "finished" or self.pending.pop(name, None) is None:
            return
        promise = self.promises[name.removeprefix("cancel-")]
        status, code = str(event["status"]), str(event.get("code"))
        if name != promise.line[:-1]:
            promise.cancel = status if status != "failed" else code
            self.tally.cancelled += status == "success"
        elif status == "success" and event["results"][0]["output"] is None:
            self.tally.note("untrue", name, event)
        elif status == "success":
            output = event["results"][0]["output"]
            promise.entry = output["id"]
            if "due" in output:  # it has fired already, if the daemon was killed meanwhile
                promise.due = datetime.fromisoformat(output["due"]).timestamp()
        else:
            self.tally.note("refused", name, event)

    # What must hold

    def firings(self) -> dict[str, list[Firing]]:
        """Read from the journal what was submitted for each entry."""
        path = self.folder / "state" / "journal.db"
        found: dict[str, list[Firing]] = {}
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as journal:
            for name, entry, taken_at, status, text in journal.execute(FIRINGS):
                found.setdefault(entry, []).append(Firing(name, taken_at, status, text))
        return found

    def check(self, rows: Mapping[str, Event], *, is_end: bool = False) -> None:
        """Compare the file, the journal and the list with what was promised."""
        before = self.firings()
        lines = Counter(self.ledger.read_text().split())
        after = self.firings()
        known = {promise.entry for promise in self.promises.values()}
        for stray in set(after) - known if not self.pending else ():
            self.tally.note("untrue", stray, "it fires, and nobody was told of it")
        for promise in self.promises.values():
            if not promise.entry:
                continue
            fired, row = after.get(promise.entry, []), rows.get(promise.entry)
            ended = sum(firing.status is not None for firing in before.get(promise.entry, []))
            self.check_effects(promise, fired, ended, lines[promise.line])
            self.check_cancel(promise, fired, row)
            self.check_told(promise, fired)
            if promise.time.repeats:
                self.check_series(promise, fired, row)
            else:
                self.check_once(promise, fired, row, is_end=is_end)
        self.disturbed, self.settled_at = 0, monotonic()

    def check_effects(self, promise: Promise, fired: list[Firing], ended: int, lines: int) -> None:
        """Every firing ended well, and wrote its line once."""
        for firing in fired:
            if firing.status not in {None, "success"}:
                self.tally.note("untrue", promise.line, f"{promise} ended {firing}")
        if promise.rings:
            return
        if lines > len(fired):
            self.tally.note(
                "twice", promise.line, f"{lines} lines, {len(fired)} firings, {promise}"
            )
        if lines < ended:
            self.tally.note("lost", promise.line, f"{lines} lines of {ended} firings, {promise}")

    def check_cancel(self, promise: Promise, fired: list[Firing], row: Event | None) -> None:
        """What was cancelled is gone; who was told that there is nothing to cancel saw it fire."""
        if promise.cancel == "success":
            if promise.ended_with is None:
                promise.ended_with = len(fired) if promise.time.repeats else 0
            if row is not None or len(fired) > promise.ended_with:
                self.tally.note("cancel", promise.line, f"{promise} {fired[-2:]} {row}")
        elif promise.cancel not in {"", "asked", "in_doubt"} and promise.time.repeats:
            self.tally.note("cancel", promise.line, promise)

    def check_once(
        self, promise: Promise, fired: list[Firing], row: Event | None, *, is_end: bool
    ) -> None:
        if len(fired) > 1:
            self.tally.note("twice", promise.line, f"{promise} {fired}")
        is_gone = promise.cancel in {"success", "asked", "in_doubt"}
        if not fired and not is_gone and (row is None or is_end):
            self.tally.note("lost", promise.line, promise)
        if fired and row is not None and promise.time.length > SHORT:
            self.tally.note("untrue", promise.line, f"has fired and is listed: {promise}")
        if promise.time.clock and fired and fired[0].taken_at < promise.due - SLACK:
            self.tally.note("early", promise.line, f"{promise} {fired}")
        self.check_length(promise, row)

    def check_length(self, promise: Promise, row: Event | None) -> None:
        """What is to last a while is never further off than that, whatever the clock says."""
        if promise.time.length and row is not None and row["left"] > promise.time.length + SLACK:
            self.tally.note("silent", promise.line, f"{promise} {row}")

    def check_series(self, promise: Promise, fired: list[Firing], row: Event | None) -> None:
        """Each moment is after the last, and what was passed over had passed when it fired."""
        if len({firing.moment for firing in fired}) < len(fired) and promise.time.clock:
            self.tally.note("twice", promise.line, f"{promise} {fired}")
        for firing in fired:
            if firing.taken_at < firing.moment - SLACK:
                self.tally.note("early", promise.line, f"{promise} {firing}")
        self.check_number(promise, fired)
        if not promise.time.clock:
            self.check_length(promise, row)
            return
        due = () if row is None else (datetime.fromisoformat(row["due"]).timestamp(),)
        dues = [*(firing.moment for firing in fired), *due]
        if dues and dues[0] != promise.due:
            self.tally.note("lost", promise.line, f"{promise} begins with {dues[0]}")
        for firing, following in zip(fired, dues[1:], strict=False):
            between = promise.moments(firing.moment, following)
            if following not in between:
                self.tally.note(
                    "untrue", promise.line, f"{promise} is due at {following} after {firing}"
                )
            if any(moment > firing.taken_at + SLACK for moment in between if moment < following):
                self.tally.note(
                    "lost", promise.line, f"{promise} passes over {between} after {firing}"
                )

    def check_number(self, promise: Promise, fired: list[Firing]) -> None:
        """However far the clock was put, it fired once for that."""
        new, promise.checked = len(fired) - promise.checked, len(fired)
        step = promise.time.length or DAY
        if new > self.disturbed + 2 + (monotonic() - self.settled_at) / step:
            self.tally.note("many", promise.line, f"{new} firings at once, {promise}")

    def check_told(self, promise: Promise, fired: list[Firing]) -> None:
        """Who rings late says so, and the log counts what was passed over."""
        for firing in fired if promise.due else ():
            moment = firing.moment if promise.time.repeats else promise.due
            late = firing.taken_at - moment
            if (
                promise.rings
                and abs(late - LATE) > CLOSE
                and (MISSED in firing.text) != (late > LATE)
            ):
                self.tally.note("untrue", promise.line, f"{late} s late: {firing.text}")
            told = self.missed.get(firing.id)
            if told is not None and promise.time.days:
                passed = promise.moments(moment, moment + told[0])
                if told[1] != len(passed):
                    self.tally.note(
                        "untrue", promise.line, f"{told[1]} missed, were {len(passed)}: {promise}"
                    )


@dataclass
class Life:
    """A daemon from its start to its end: what is said to it, and what it says."""

    chaos: Schedules
    daemon: Daemon
    looks: int = 0

    def __post_init__(self) -> None:
        self.wire = self.daemon.connect()
        self.trace = self.daemon.connect()
        self.trace.ask(type="subscribe", id="trace")
        self.say(*self.chaos.pending)

    def say(self, *names: str) -> None:
        for name in names:
            self.wire.send(self.chaos.pending[name])

    def hear_all(self, most: int = MOST_LOOKS) -> None:
        """Read until all that is pending has ended."""
        for _ in range(most):
            if not self.chaos.pending:
                break
            self.chaos.hear(self.wire.read())

    def records(self) -> Iterator[Event]:
        """Give what the daemon logs, as it happens."""
        while True:
            event = self.trace.read()
            yield event["record"]

    def list_rows(self, session: str = "look") -> dict[str, Event]:
        """Ask what is scheduled; in a session, that is behind all that has fired in it."""
        self.looks += 1
        name = f"look-{self.chaos.tally.rounds}-{self.daemon.process.pid}-{self.looks}"
        goals = [{"domain": "schedule", "verb": "list"}]
        self.wire.send({"type": "submit", "id": name, "session": session, "goals": goals})
        while (event := self.wire.read()).get("command") != name or event["type"] != "finished":
            self.chaos.hear(event)
        rows = event["results"][0]["output"]
        return {row["id"]: row for row in rows}

    def settle(self) -> None:
        """Wait until nothing is due that has not been done, and see that all is as it must be."""
        self.hear_all()
        for _ in range(MOST_LOOKS):
            if all(row["left"] for row in self.list_rows().values()):
                break
        else:
            self.chaos.tally.note("lost", "all", "what is due does not fire")
        for number in range(SESSIONS):
            self.list_rows(f"s{number}")
        self.read_log()
        self.chaos.check(self.list_rows())

    def read_log(self) -> None:
        for record in self.daemon.log():
            if record["event"] == "schedule.fired":
                told = (record["late"], record["missed"])
                self.chaos.missed[record["fired_command"]] = told

    def end(self, how: signal.Signals) -> None:
        self.daemon.stop(how)
        self.read_log()

    def turn(self, seconds: float) -> None:
        self.chaos.turn(seconds)

    def turn_to(self, moment: float) -> None:
        self.turn(moment - self.chaos.clock.now())

    def next_due(self) -> float:
        """Give when some schedule for a time of the day is due; if there is none, say one."""
        times = {promise.entry: promise.time for promise in self.chaos.promises.values()}
        rows = self.list_rows()
        found = [row for entry, row in rows.items() if times.get(entry, TIMES[0]).clock]
        if not found:
            self.say(self.chaos.new_promise(TIMES[-1]))
            self.hear_all()
            return self.next_due()
        return datetime.fromisoformat(self.chaos.random.choice(found)["due"]).timestamp()

    def cancel(self, promise: Promise) -> None:
        self.say(self.chaos.new_cancel(promise))

    def read_until(self, event: str, most: int = MOST_LOOKS) -> None:
        """Read the trace until something happened to a firing, or so many records have come."""
        for number, record in enumerate(self.records()):
            name = str(record.get("fired_command") or record.get("command_id") or "")
            if number >= most or (record["event"] == event and name.startswith("schedule-")):
                return


# The moments of a kill

Moment: TypeAlias = Callable[[Life], None]


def while_said(life: Life) -> None:
    """Say some, and hear but a part of the answers."""
    chaos = life.chaos
    for _ in range(MANY):
        life.say(chaos.new_promise(chaos.random.choice(TIMES)))
    life.hear_all(chaos.random.randrange(8 * MANY))


def just_before(life: Life) -> None:
    life.turn_to(life.next_due() - life.chaos.random.random())


def while_firing(life: Life) -> None:
    life.turn_to(life.next_due() + life.chaos.random.choice((0.0, 30.0, 200.0)))
    life.read_until("command.finished", life.chaos.random.randrange(25))


def once_fired(life: Life) -> None:
    life.turn_to(life.next_due() - life.chaos.random.random())
    life.read_until("schedule.fired")


def once_done(life: Life) -> None:
    life.turn_to(life.next_due() + 0.5)
    life.read_until("command.finished")


def while_short_ones_fire(life: Life) -> None:
    """Some are due within the second, while others are being said."""
    chaos = life.chaos
    life.say(*(chaos.new_promise(TIMES[0]) for _ in range(4)))
    if chaos.random.random() < 0.5:
        life.hear_all()
        life.turn(chaos.random.choice(TURNS))
        life.say(chaos.new_promise(TIMES[2]))  # the clock was turned, and nobody has noticed yet
        life.hear_all()
    life.read_until("schedule.fired")
    life.read_until("command.finished", chaos.random.randrange(12))


def while_cancelled(life: Life) -> None:
    """Cancel some, of which one is due at the same moment."""
    chaos = life.chaos
    life.hear_all()
    listed = life.list_rows()
    promises = [each for each in chaos.promises.values() if each.entry in listed]
    chaos.random.shuffle(promises)
    clocks = [each for each in promises if each.time.clock and not each.cancel]
    for promise in clocks[:1]:
        life.turn_to(datetime.fromisoformat(listed[promise.entry]["due"]).timestamp())
    some = promises[: max(2, len(promises) - MOST_LISTED)]
    for promise in {each.line: each for each in (*clocks[:1], *some)}.values():
        if not promise.cancel:
            life.cancel(promise)
    life.hear_all(chaos.random.choice((3, 10, MOST_LOOKS)))


def while_turned(life: Life) -> None:
    """Turn the clock again and again; all is as it must be after each time."""
    for _ in range(3):
        life.turn(life.chaos.random.choice(TURNS))
        life.settle()


MOMENTS: tuple[Moment, ...] = (
    *(while_said, just_before, while_firing, once_fired),
    *(while_turned, while_short_ones_fire, once_done, while_cancelled),
)


def turn_and_kill(rounds: int, seed: int, folder: Path) -> int:
    """Kill a daemon and turn its clock under its schedules, and print what came of it."""
    tally = Schedules(folder, Random(seed)).run(rounds)  # noqa: S311 - faults, not secrets
    print(
        f"{tally.kills} kills and {tally.turns} turns of the clock (seed {seed}), "
        f"{tally.promises} schedules, {tally.cancelled} cancelled, {tally.firings} firings, "
        f"{tally.late} of them late, {tally.missed} missed and told"
    )
    print(", ".join(f"{what} {len(tally.wrong.get(what, {}))}" for what in ("lost", "twice")))
    for problem in tally.problems():
        print(problem, file=sys.stderr)
    return 1 if tally.problems() else 0
