"""From a time as it was said to the moment that is meant, in the user's own time zone."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

from msgspec.structs import replace

from messages.scheduling import Entry
from messages.times import DAYS, When

HOUR, DAY = 3600.0, 86_400.0
LAST_MONTH = 12
WEEKEND = 5
MOST_DAYS = 800  # no day of a month or year is further away
MORNING = time(9)  # of a day that was said without a time


def first_moment(when: When, now: float) -> float | None:
    """Give the next moment that is meant; None if it has passed, or is no moment."""
    if length := when.after or step_of(when):
        return now + length
    return next((moment for moment in moments(when, now) if moment > now), None)


def next_moment(when: When, due: float, now: float) -> tuple[float | None, int]:
    """Give when it is due again after it was due, and how many were missed between both.

    A clock that was put back repeats nothing: the next moment is after the last. What was missed
    is not made up for.
    """
    if not when.repeats:
        return None, 0
    if step := step_of(when):
        missed = max(0, int((now - due) // step))
        return due + step * (missed + 1), missed
    later = [moment for moment in moments(when, due) if moment > due]
    passed = sum(moment <= now for moment in later)
    if passed < len(later):
        return later[passed], passed
    return first_moment(when, now), passed  # the clock was put forward by years


def step_of(when: When) -> float:
    """Give the seconds from one time to the next; 0 for times of the day, whose days differ."""
    return HOUR if when.every == ("hour",) else when.interval * (not when.clock)


def moved(entry: Entry, jump: float) -> Entry:
    """Give an entry after a clock was put forward or back: what was to last a while still does."""
    if (
        entry.state != "active"
        or entry.due is None
        or not (entry.when.after or step_of(entry.when))
    ):
        return entry
    return renewed(entry, due=entry.due + jump, created=entry.created + jump)


def brought_near(entry: Entry, now: float) -> Entry:
    """Give an entry as it is after a start: nothing is further off than it was when it was said.

    Where it is, the clock was put back while nobody looked.
    """
    step = step_of(entry.when)
    too_far = (entry.due or 0.0) - now - step if step else entry.created - now
    return moved(entry, -too_far) if too_far > 0 else entry


def gone_on(entry: Entry, now: float) -> tuple[Entry, int]:
    """Give an entry after it has fired, and how many of its moments were missed."""
    due, missed = next_moment(entry.when, entry.due or 0.0, now)
    state = "done" if due is None else "active"
    return renewed(entry, due=due, fired=entry.fired + 1, state=state), missed


def renewed(entry: Entry, **changes: object) -> Entry:
    return replace(entry, version=entry.version + 1, **changes)


def moments(when: When, start: float) -> Iterator[float]:
    """Give the moments of a time that are meant from a day on, in their order."""
    today = datetime.fromtimestamp(start).date()  # noqa: DTZ006 - days are those of the user's zone
    clock = time.fromisoformat(when.clock) if when.clock else MORNING
    for days in range(MOST_DAYS):
        day = today + timedelta(days=days)
        if is_meant(when, day, today):
            yield datetime.combine(day, clock).timestamp()
            if not when.repeats and is_one_day(when):
                return


def is_one_day(when: When) -> bool:
    """Tell whether a day was said that does not come again."""
    return when.day in {"today", "tomorrow"} or when.day[:1] == "+" or len(when.day) > len("03-09")


def is_meant(when: When, day: date, today: date) -> bool:
    return is_day(when.day, day, today) and is_one_of(when, day, today)


def is_day(said: str, day: date, today: date) -> bool:
    """Tell whether a day is the one that was said."""
    ahead = (day - today).days
    if not said:
        return True
    if said in DAYS:
        return DAYS[day.weekday()] == said
    if said in {"today", "tomorrow"}:
        return ahead == ("today", "tomorrow").index(said)
    if said[0] == "+":
        return ahead == int(said)
    if said.isdecimal():
        return day.day == int(said)
    return day.isoformat().endswith(said)


def is_one_of(when: When, day: date, today: date) -> bool:
    """Tell whether something that comes again and again comes on a day."""
    every = when.every
    if when.interval:
        return (day - today).days % max(1, int(when.interval // DAY)) == 0
    if not every or every == ("day",):
        return True
    if every == ("weekday",):
        return day.weekday() < WEEKEND
    if every == ("week",):
        return bool(when.day) or day.weekday() == today.weekday()
    if every == ("month",):
        return bool(when.day) or day.day == today.day
    return DAYS[day.weekday()] in every
