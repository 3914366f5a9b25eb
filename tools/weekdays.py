"""Which day of the week a date is: dates as people write them, and days that have names.

A date without a year is the next one, today included; so is a day without a month. A date that can
be read in two ways ("3/4/2026") is refused.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, timedelta
from functools import cache, partial
from pathlib import Path

import msgspec
from dateutil.easter import easter
from dateutil.parser import ParserError, parse
from dateutil.relativedelta import relativedelta, weekday

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.tool import Params

HOLIDAYS = Path(__file__).with_name("holidays.toml")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
RELATIVE = {
    "today": 0,
    "tomorrow": 1,
    "yesterday": -1,
    "day after tomorrow": 2,
    "day before yesterday": -2,
}
WITH_YEAR = re.compile(r"(.+?)(?: in| of|,)? ((?:19|20|21)\d\d)")
DAY_OF_MONTH = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?")
SLASHED = re.compile(r"(\d{1,2})[/.-](\d{1,2})(?:[/.-]\d{2,4})?")
# What is left out of a text is taken from these; where both agree, it was said.
DEFAULTS = (datetime(2000, 1, 1), datetime(2004, 12, 31))  # noqa: DTZ001 - dates have no zone
YEARS_AHEAD = 8  # a 29 February comes within them


class WeekdayOf(Params, frozen=True):
    """Which date."""

    date: str


class NamedDays(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The days that have names."""

    fixed: dict[str, str]
    easter: dict[str, int]
    counted: dict[str, tuple[int, int, int]]


@cache
def named_days() -> Mapping[str, Callable[[int], date]]:
    """Read the table: for each name, how to find its day in a year."""
    table = msgspec.toml.decode(HOLIDAYS.read_bytes(), type=NamedDays)
    days: dict[str, Callable[[int], date]] = {}
    for name, day in table.fixed.items():
        days[name] = partial(fixed_day, day)
    for name, after in table.easter.items():
        days[name] = partial(easter_day, after)
    for name, (month, day_of_week, which) in table.counted.items():
        days[name] = partial(counted_day, month, day_of_week, which)
    return days


def fixed_day(day: str, year: int) -> date:
    return date.fromisoformat(f"{year}-{day}")


def easter_day(after: int, year: int) -> date:
    return easter(year) + timedelta(days=after)


def counted_day(month: int, day: int, which: int, year: int) -> date:
    """Find the first, second or last Monday or other weekday of a month.

    >>> counted_day(11, 3, 4, 2026), counted_day(5, 0, -1, 2026)
    (datetime.date(2026, 11, 26), datetime.date(2026, 5, 25))
    """
    start = 1 if which > 0 else monthrange(year, month)[1]
    return date(year, month, start) + relativedelta(weekday=weekday(day)(which))


def tell_weekday(params: WeekdayOf) -> Outcome:
    """Tell which day of the week a date is."""
    found = find_date(params.date, date.today())  # noqa: DTZ011 - the user's own day is meant
    if isinstance(found, Refused):
        return found
    return Done({"date": found.isoformat(), "weekday": WEEKDAYS[found.weekday()]})


def find_date(text: str, today: date) -> date | Refused:
    """Find the date that a text means.

    >>> str(find_date("March 22", date(2026, 11, 18))), str(find_date("the 3rd", date(2026, 1, 3)))
    ('2027-03-22', '2026-01-03')
    >>> str(find_date("Christmas day", date(2026, 11, 18)))
    '2026-12-25'
    """
    words = " ".join(re.sub(r"['’]", "", text.casefold()).split()).removeprefix("the ")
    if words in RELATIVE:
        return today + timedelta(days=RELATIVE[words])
    named = find_named(words, today)
    if named is not None:
        return named
    if bare := DAY_OF_MONTH.fullmatch(words):
        return first_from(today, months_from(today, int(bare[1]))) or unreadable(text)
    return read_date(words, text, today)


def find_named(words: str, today: date) -> date | None:
    """Find a day by its name, in the year that was said or the next time that it comes."""
    said = WITH_YEAR.fullmatch(words)
    name, year = (said[1], int(said[2])) if said else (words, None)
    days = named_days()
    on = days.get(name) or (days.get(name.removesuffix(" day")) if name.endswith(" day") else None)
    if on is None or (name == "may"):  # a month, unless it is called a day
        return None
    if year is not None:
        return on(year)
    return first_from(today, (on(today.year + ahead) for ahead in range(2)))


def read_date(words: str, text: str, today: date) -> date | Refused:
    """Read a date with a month; what was left out of it must be the year at most."""
    day_first = bool(SLASHED.fullmatch(words))
    try:
        early, late = (parse(words, default=default) for default in DEFAULTS)
        other = parse(words, default=DEFAULTS[0], dayfirst=True) if day_first else early
    except (ParserError, OverflowError):
        return unreadable(text)
    if other != early:
        message = f"{text!r} can be two dates; write it as YEAR-MONTH-DAY, or with the month's name"
        return Refused(Code.AMBIGUOUS_TARGET, message)
    if (early.month, early.day) != (late.month, late.day):
        return unreadable(text)
    if early.year == late.year:
        return early.date()
    return first_from(today, years_from(today, early.month, early.day)) or unreadable(text)


def first_from(today: date, days: Iterator[date]) -> date | None:
    """Give the first of some days that is not past."""
    return next((day for day in days if day >= today), None)


def months_from(today: date, day: int) -> Iterator[date]:
    """Give this day of each month from now on that has it."""
    for ahead in range(3):
        month = today.replace(day=1) + relativedelta(months=ahead)
        if 1 <= day <= monthrange(month.year, month.month)[1]:
            yield month.replace(day=day)


def years_from(today: date, month: int, day: int) -> Iterator[date]:
    """Give this day of each year from now on that has it."""
    for year in range(today.year, today.year + YEARS_AHEAD + 1):
        if day <= monthrange(year, month)[1]:
            yield date(year, month, day)


def unreadable(text: str) -> Refused:
    message = f"{text!r} is no date that is known here; write it as YEAR-MONTH-DAY or March 22"
    return Refused(Code.TARGET_NOT_FOUND, message)
