"""What words say of time: how long, at what time, on which day, how often.

Pure, and without a clock: "tomorrow at eight" stays a day and an hour. Whoever has a clock and a
time zone makes a moment of it.
"""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TypeAlias, cast

import msgspec
from msgspec.structs import replace

from messages.times import DAYS, Again, When

NOON = 12
HOURS, MINUTES = 24, 60
DIGITS = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
JOINED = re.compile(r"(\d+(?:\.\d+)?)(s|secs?|m|mins?|minutes?|h|hrs?|hours?)")
APART = re.compile(r"(?<=\d)-(?=[a-z])|(?<=\dh)(?=\d)|(?<=\dm)(?=\d)")
COLON = re.compile(r"(\d{1,2})[:.](\d\d)(am|pm)?")
HOUR = re.compile(r"(\d{1,2})(am|pm)?")
ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th)")
DAY_NUMBER = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?")
ISO = re.compile(r"\d{4}-\d\d-\d\d")
HALF_DAYS = {"am": "am", "pm": "pm", "a.m": "am", "p.m": "pm", "a.m.": "am", "p.m.": "pm"}
LAST_DAY = 31
YEAR = re.compile(r"(?:1[6-9]|20|21)\d\d")
DAY = 86_400.0
LONGEST_DAYS = 3  # words of "day after tomorrow"
ARTICLES = frozenset({"a", "an", "the", "this", "next", "coming", "on"})

Found: TypeAlias = tuple[int, When] | None  # where it ends, and what it says


class TimeTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words for time."""

    numbers: dict[str, int]
    ordinals: dict[str, int]
    units: dict[str, int]
    halves: dict[str, float]
    clock: dict[str, str]
    parts: dict[str, tuple[str, int]]
    days: dict[str, str]
    months: dict[str, int]
    feasts: frozenset[str]
    again: dict[str, tuple[Again, ...]]


@cache
def table() -> TimeTable:
    text = files(__package__).joinpath("times.toml").read_bytes()
    return msgspec.toml.decode(text, type=TimeTable)


@cache
def words_of_time() -> frozenset[str]:
    """Give the words that a time may hold, to pass over texts that hold none of them."""
    known = table()
    sayings = (*known.days, *known.again)
    first = {saying.split()[0] for saying in sayings}
    return frozenset({*known.units, *known.clock, *known.parts, *first, "am", "pm", "at", "every"})


def key_of(word: str) -> str:
    """Give a word as it is compared here."""
    folded = word.casefold().replace("’", "'")
    return folded if folded in HALF_DAYS else folded.strip(",;!?").rstrip(".:")


def keys_of(text: str) -> tuple[str, ...]:
    """Give the words of a time: "5-minute" is two of them."""
    return tuple(key_of(word) for word in APART.sub(" ", text).split())


def read_when(text: str) -> When | None:
    """Read a text that says when, and nothing else.

    >>> read_when("every weekday at half past seven")
    When(after=0.0, clock='07:30', day='', every=('weekday',), interval=0.0)
    """
    keys = keys_of(text)
    found = TimeReader(keys).when(0, is_led=True)
    return found[1] if found is not None and found[0] == len(keys) else None


def has_time_left(text: str, when: str) -> bool:
    """Tell whether a text says a time that belongs to the one it stands beside.

    That is another hour, or a day where none is said: "tomorrow meeting" at ten.

    >>> has_time_left("call bob at seven hundred", "five pm"), has_time_left("lunch", "at noon")
    (True, False)
    """
    said, keys = read_when(when), keys_of(text)
    if said is None:
        return False
    reader = TimeReader(keys)
    for start in range(len(keys)):
        found = reader.when(start)
        if found is None:
            continue
        other = found[1]
        if other.clock and (said.clock or said.after):
            return True
        if other.day and not (said.day or said.every or said.after):
            return True
    return False


def read_duration(text: str) -> float | None:
    """Read a text that says how long, in seconds.

    >>> [read_duration(each) for each in ("1 hour 5 minutes", "half an hour", "an hour and a half")]
    [3900.0, 1800.0, 5400.0]
    """
    keys = keys_of(text)
    found = TimeReader(keys).duration(0)
    return found[1] if found is not None and found[0] == len(keys) else None


class TimeReader:
    """Reads times in a sequence of words; each part says where it ends."""

    def __init__(self, keys: Sequence[str]) -> None:
        self.keys = keys
        self.table = table()

    def key(self, at: int) -> str:
        return self.keys[at] if 0 <= at < len(self.keys) else ""

    # Numbers and lengths

    def number(self, at: int) -> tuple[int, float] | None:
        """Read "5", "five", "twenty five", "two and a half", "a"."""
        found = self.plain_number(at)
        if found is None:
            return None
        end, value = found
        if (self.key(end), self.key(end + 1), self.key(end + 2)) == ("and", "a", "half"):
            return end + 3, value + 0.5
        return end, value

    def plain_number(self, at: int) -> tuple[int, float] | None:
        key = self.key(at)
        if DIGITS.fullmatch(key):
            return at + 1, float(key)
        if key in {"a", "an"}:
            return at + 1, 1.0
        first, _, second = key.partition("-")
        numbers = self.table.numbers
        if second and first in numbers and second in numbers:
            return at + 1, float(numbers[first] + numbers[second])
        value = numbers.get(key)
        if value is None:
            return None
        ones = numbers.get(self.key(at + 1), 0)
        if value >= numbers["twenty"] and 0 < ones < numbers["ten"]:
            return at + 2, float(value + ones)
        return at + 1, float(value)

    def duration(self, at: int) -> tuple[int, float] | None:
        """Read a length of time, of one or several units: "1 hour and 20 minutes"."""
        first = self.one_length(at)
        if first is None:
            return None
        end, total = first
        last = total
        while True:
            begin = end + (self.key(end) in {"and", "plus"})
            if self.key(begin) == "a" and self.key(begin + 1) == "half":
                return begin + 2, total + total / 2  # "an hour and a half"
            following = self.one_length(begin)
            if following is None or self.key(begin) in {"a", "an"} or following[1] >= last:
                return end, total  # of "5 minutes and 10 minutes" the second is another time
            end, last = following
            total += last

    def one_length(self, at: int) -> tuple[int, float] | None:
        if joined := JOINED.fullmatch(self.key(at)):
            return at + 1, float(joined[1]) * self.table.units[joined[2]]
        share = self.table.halves.get(self.key(at + 1 if self.key(at) == "a" else at))
        if share is not None:
            return self.part_of_unit(at + 1 + (self.key(at) == "a"), share)
        found = self.number(at)
        if found is None:
            return None
        end, value = found
        end += self.key(end) in {"more", "extra", "additional"}
        unit = self.table.units.get(self.key(end))
        return None if unit is None else (end + 1, value * unit)

    def part_of_unit(self, at: int, share: float) -> tuple[int, float] | None:
        """Read "an hour" behind "half", or "of an hour" behind "a quarter"."""
        begin = at + (self.key(at) == "of")
        begin += self.key(begin) in {"a", "an"}
        unit = self.table.units.get(self.key(begin))
        return None if unit is None else (begin + 1, share * unit)

    # Times of the day

    def clock(self, at: int) -> tuple[int, str] | None:
        """Read a time of the day: "18:30", "6 pm", "half past seven", "noon"."""
        if (fixed := self.table.clock.get(self.key(at))) is not None:
            return at + 1, fixed
        found = self.past_or_to(at) or self.hour_and_minute(at)
        if found is None:
            return None
        end, hour, minute = found
        if self.key(end) in {"o'clock", "oclock"}:
            end += 1
        half = HALF_DAYS.get(self.key(end))
        if half is None and self.key(end) in {"a", "p"} and self.key(end + 1) == "m":
            half, end = f"{self.key(end)}m", end + 1
        if half is not None:
            end += 1
        return self.told(end, hour, minute, half)

    def told(self, end: int, hour: int, minute: int, half: str | None) -> tuple[int, str] | None:
        if half is not None and not 1 <= hour <= NOON:
            return None
        if half == "pm" and hour < NOON:
            hour += NOON
        elif half == "am" and hour == NOON:
            hour = 0
        return (end, f"{hour:02}:{minute:02}") if hour < HOURS and minute < MINUTES else None

    def past_or_to(self, at: int) -> tuple[int, int, int] | None:
        """Read "half past seven", "quarter to nine", "ten past six"."""
        begin = at + (self.key(at) == "a")
        if self.key(begin) in self.table.halves:
            end, minutes = begin + 1, int(MINUTES * self.table.halves[self.key(begin)])
        else:
            found = self.plain_number(at)
            if found is None or self.key(at) in {"a", "an"}:
                return None
            end, minutes = found[0], int(found[1])
            end += self.key(end) in {"minutes", "minute"}
        word = self.key(end)
        if word not in {"past", "after", "to", "before", "till"}:
            return None
        hour = self.whole_number(end + 1)
        if hour is None or minutes >= MINUTES or hour[1] > HOURS:
            return None
        if word in {"past", "after"}:
            return hour[0], hour[1], minutes
        return hour[0], (hour[1] - 1) % HOURS, MINUTES - minutes

    def hour_and_minute(self, at: int) -> tuple[int, int, int] | None:
        key = self.key(at)
        if colon := COLON.fullmatch(key):
            hour, minute = int(colon[1]), int(colon[2])
            return self.with_half_day(at, hour, minute, colon[3])
        if plain := HOUR.fullmatch(key):
            if plain[2]:
                return self.with_half_day(at, int(plain[1]), 0, plain[2])
            if minutes := self.said_minutes(at + 1):
                return minutes[0], int(plain[1]), minutes[1]
            return at + 1, int(plain[1]), 0
        hour_said = self.table.numbers.get(key)
        if hour_said is None or not 0 < hour_said <= NOON:
            return None
        if minutes := self.said_minutes(at + 1):
            return minutes[0], hour_said, minutes[1]
        return at + 1, hour_said, 0

    def with_half_day(
        self, at: int, hour: int, minute: int, half: str | None
    ) -> tuple[int, int, int] | None:
        if half is None:
            return at + 1, hour, minute
        found = self.told(at + 1, hour, minute, half)
        return None if found is None else (at + 1, int(found[1][:2]), minute)

    def said_minutes(self, at: int) -> tuple[int, int] | None:
        """Read the minutes behind an hour: "thirty", "forty five", "oh five"."""
        if self.key(at) in {"oh", "o", "zero"}:
            ones = self.table.numbers.get(self.key(at + 1), 0)
            return (at + 2, ones) if 0 < ones < self.table.numbers["ten"] else None
        if self.key(at) not in self.table.numbers:
            return None
        found = self.plain_number(at)
        if found is None or not self.table.numbers["ten"] <= found[1] < MINUTES:
            return None
        return None if self.key(found[0]) in self.table.units else (found[0], int(found[1]))

    def whole_number(self, at: int) -> tuple[int, int] | None:
        found = self.plain_number(at)
        return None if found is None or self.key(at) in {"a", "an"} else (found[0], int(found[1]))

    # Days

    def day(self, at: int) -> tuple[int, str] | None:
        """Read "tomorrow", "on friday", "march 3", "the 3rd of march", "the fifteenth"."""
        begin = at
        while self.key(begin) in ARTICLES:
            begin += 1
        for length in range(LONGEST_DAYS, 0, -1):
            named = self.table.days.get(" ".join(self.keys[begin : begin + length]))
            if named is not None and begin + length <= len(self.keys):
                return begin + length, named
        return self.date(begin, is_led=begin > at)

    def date(self, at: int, *, is_led: bool) -> tuple[int, str] | None:
        if ISO.fullmatch(self.key(at)):
            return at + 1, self.key(at)
        if (month := self.table.months.get(self.key(at))) is not None:
            number = self.day_number(at + 1)
            return None if number is None else self.dated(number[0], month, number[1])
        number = self.day_number(at)
        if number is None:
            return None
        end = number[0] + (self.key(number[0]) == "of")
        if (month := self.table.months.get(self.key(end))) is not None:
            return self.dated(end + 1, month, number[1])
        is_ordinal = ORDINAL.fullmatch(self.key(at)) or self.key(number[0] - 1) in (
            self.table.ordinals
        )
        return (number[0], str(number[1])) if is_led and is_ordinal else None

    def dated(self, end: int, month: int, day: int) -> tuple[int, str]:
        """Give a date, with the year behind it if there is one."""
        begin = end + (self.key(end) == ",")
        if YEAR.fullmatch(self.key(begin)):
            return begin + 1, f"{self.key(begin)}-{month:02}-{day:02}"
        return end, f"{month:02}-{day:02}"

    def feast(self, at: int) -> int | None:
        """Read the name of a feast, with or without a year; give where it ends."""
        for length in (4, 3, 2, 1):
            name = " ".join(self.keys[at : at + length])
            if name in self.table.feasts and at + length <= len(self.keys):
                end = at + length
                end += self.key(end) in {"in", "of", "day"}
                end += self.key(end) == "the"
                return end + 1 if YEAR.fullmatch(self.key(end)) else at + length
        return None

    def day_number(self, at: int) -> tuple[int, int] | None:
        """Read the number of a day: "3", "3rd", "third", "twenty third"."""
        key = self.key(at)
        if said := DAY_NUMBER.fullmatch(key):
            value, end = int(said[1]), at + 1
        elif key in self.table.ordinals:
            value, end = self.table.ordinals[key], at + 1
        elif key in self.table.numbers:
            ones = self.table.ordinals.get(self.key(at + 1), 0)
            tens = self.table.numbers[key] >= self.table.numbers["twenty"] and 0 < ones < NOON - 2
            value = self.table.numbers[key] + (ones if tens else 0)
            end = at + 1 + tens
        else:
            return None
        return (end, value) if 0 < value <= LAST_DAY else None

    # What comes again

    def again(self, at: int) -> Found:
        """Read "every weekday", "daily", "every monday and friday", "every 10 minutes"."""
        for length in (3, 2, 1):
            every = self.table.again.get(" ".join(self.keys[at : at + length]))
            if every is not None and at + length <= len(self.keys):
                return at + length, When(every=every)
        if self.key(at) not in {"every", "each"}:
            return self.plural_days(at)
        begin = at + 1
        units = self.table.units
        if self.key(begin) in {"other", "second"} and self.key(begin + 1) in units:
            return begin + 2, When(interval=2.0 * units[self.key(begin + 1)])
        if self.key(begin) in units and not self.key(begin).endswith("s"):
            return begin + 1, When(interval=float(units[self.key(begin)]))
        if (length_found := self.duration(begin)) is not None:
            return length_found[0], When(interval=length_found[1])
        if self.key(begin) in self.table.parts:
            return begin, When(every=("day",))  # the part of the day is read by itself
        return self.listed_days(begin)

    def plural_days(self, at: int) -> Found:
        """Read "mondays", "on tuesdays and fridays"."""
        begin = at + (self.key(at) == "on")
        if not (self.key(begin).endswith("s") and self.key(begin)[:-1] in DAYS):
            return None
        return self.listed_days(begin)

    def listed_days(self, at: int) -> Found:
        days: list[Again] = []
        end = at
        while True:
            begin = end + (self.key(end) in {"and", ","} and bool(days))
            key = self.key(begin)
            name = self.table.days.get(key) or self.table.days.get(key.removesuffix("s"))
            if name not in DAYS:
                return (end, When(every=tuple(days))) if days else None
            days.append(cast("Again", name))
            end = begin + 1

    # All of it

    def when(self, at: int, *, is_led: bool = False) -> Found:
        """Read when something is due: its parts, in any order, as far as they go.

        ``is_led`` if words before it say that a time follows: then "8" alone is one.
        """
        found = When()
        end = at
        for _ in range(8):
            part = self.part(end, found, is_led=is_led)
            if part is None:
                break
            end, found = part
            end += self.key(end) == "," or (self.key(end) == "and" and self.is_time(end + 1))
        while end > at and self.key(end - 1) in {",", "and"}:
            end -= 1
        return None if end == at else (end, found)

    def is_time(self, at: int) -> bool:
        return self.key(at) in {"at", "on", "every"}

    def part(self, at: int, so_far: When, *, is_led: bool) -> Found:
        """Read one part of a time that does not contradict the others."""
        for reading in (self.later, self.often, self.in_part_of_day, self.at_clock, self.on_day):
            part = reading(at, so_far)
            if part is not None:
                return part
        bare = self.clock(at) if is_led or so_far.day or so_far.every else None
        if bare is None or so_far.clock or so_far.after or so_far.interval:
            return None
        return bare[0], replace(so_far, clock=self.in_half(bare[1], at, so_far))

    def later(self, at: int, so_far: When) -> Found:
        """Read "in ten minutes", "after an hour", "ten minutes from now"."""
        if so_far != When():
            return None
        begin = at + (self.key(at) in {"in", "after", "within"})
        found = self.duration(begin)
        if found is None:
            return None
        end = found[0]
        from_now = (self.key(end), self.key(end + 1)) == ("from", "now") or self.key(end) == "later"
        if from_now:
            end += 1 if self.key(end) == "later" else 2
        if begin == at and not from_now:
            return None
        return end, replace(so_far, after=found[1])

    def often(self, at: int, so_far: When) -> Found:
        if so_far.repeats or so_far.after:
            return None
        found = self.again(at)
        if found is None or (found[1].interval and so_far != When()):
            return None
        return found[0], replace(so_far, every=found[1].every, interval=found[1].interval)

    def at_clock(self, at: int, so_far: When) -> Found:
        """Read "at 6", "by noon", "6 pm": a bare number is no time unless a word says so."""
        if so_far.clock or so_far.after % DAY or so_far.interval % DAY:
            return None
        if so_far.after:  # "in two days at nine"
            so_far = When(day=f"+{int(so_far.after // DAY)}")
        begin = at + (self.key(at) in {"at", "by", "around", "for"})
        found = self.clock(begin)
        if found is None or (begin == at and not self.is_surely_clock(at, found[0])):
            return None
        return found[0], replace(so_far, clock=self.in_half(found[1], begin, so_far))

    def is_surely_clock(self, at: int, end: int) -> bool:
        """Tell whether words are a time of the day without "at": "6 pm", "18:30", "noon"."""
        keys = self.keys[at:end]
        if keys[0] in self.table.clock or COLON.fullmatch(keys[0]) or keys[0][-2:] in {"am", "pm"}:
            return True
        return bool(
            {"o'clock", "oclock", "past"}.intersection(keys) or keys[-1] in {*HALF_DAYS, "m"}
        )

    def in_half(self, clock: str, at: int, so_far: When) -> str:
        """Give a time in the half of the day that was said: "tonight at eight" is 20:00."""
        words = {*self.keys[max(0, at - 3) : at]}
        hour = int(clock[:2])
        later = {"tonight", "evening", "afternoon", "night"} & words
        if (later or self.part_hour(so_far) == NOON) and 0 < hour < NOON and not self.says_am(at):
            return f"{hour + NOON:02}{clock[2:]}"
        return clock

    def part_hour(self, so_far: When) -> int:
        return dict(self.table.parts.values()).get(so_far.clock, 0)

    def says_am(self, at: int) -> bool:
        return any(HALF_DAYS.get(self.key(each)) == "am" for each in range(at, at + 4))

    def on_day(self, at: int, so_far: When) -> Found:
        if so_far.day or so_far.after or so_far.interval:
            return None
        begin = at + (self.key(at) in {"on", "by", "for"})
        found = self.day(begin)
        if found is None:
            return None
        is_tonight = self.key(found[0] - 1) == "tonight"
        clock = so_far.clock
        if is_tonight and clock and 0 < int(clock[:2]) < NOON:
            clock = f"{int(clock[:2]) + NOON:02}{clock[2:]}"
        return found[0], replace(so_far, day=found[1], clock=clock)

    def in_part_of_day(self, at: int, so_far: When) -> Found:
        """Read "morning" behind a day, "in the evening", "this afternoon", "every night"."""
        begin = at
        while self.key(begin) in {"in", "the", "at", "this", "during"}:
            begin += 1
        part = self.table.parts.get(self.key(begin))
        if part is None or so_far.after or so_far.interval:
            return None
        end, (default, first) = begin + 1, part
        day = so_far.day or ("today" if self.key(begin - 1) == "this" and begin > at else "")
        if so_far.clock:
            hour = int(so_far.clock[:2])
            if first == NOON and 0 < hour < NOON:
                hour += NOON
            return end, replace(so_far, day=day, clock=f"{hour:02}{so_far.clock[2:]}")
        if not (day or so_far.every or begin > at):
            return None
        begin = end + (self.key(end) in {"at", "by"})
        following = self.clock(begin) if begin > end or so_far.day or so_far.every else None
        if following is None:
            return end, replace(so_far, day=day, clock=default)
        hour = int(following[1][:2])
        if first == NOON and 0 < hour < NOON:
            hour += NOON
        clock = f"{hour:02}{following[1][2:]}"
        return following[0], replace(so_far, day=day, clock=clock)
