"""Sets of files: which entries of a folder are meant by what was said of them.

Sizes and times come as people say them; here they become bytes and moments.
"""

import fnmatch
import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from itertools import islice

from dateutil import parser
from dateutil.relativedelta import relativedelta

from messages.results import Code
from tools.files.kinds import kinds_by_name
from tools.files.roots import Refusal, Roots, Spot
from tools.files.verify import Entry, natural_order
from tools.tool import Params

SIZE = re.compile(r"(\d+(?:[.,]\d+)?|[a-z]+(?=\s))\s*([a-z]*)")
UNIT = re.compile(r"[a-z]+$")
# Sizes that are said so include the bound; times that are said so begin when the day is over.
INCLUSIVE = ("at least ", "at most ")
OVER = ("after ", "end of ")
NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "dozen": 12, "fifteen": 15,
    "twenty": 20, "thirty": 30, "fifty": 50, "hundred": 100,
}  # fmt: skip
POWERS = {"": 0, "b": 0, "k": 1, "m": 2, "g": 3, "t": 4}
KILO = 1024
SPANS = {
    "sec": "seconds", "min": "minutes", "hour": "hours", "hr": "hours", "day": "days",
    "week": "weeks", "fortnight": "weeks", "month": "months", "year": "years",
}  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ORDERS = {
    "newest": ("modified", True),
    "oldest": ("modified", False),
    "largest": ("size", True),
    "smallest": ("size", False),
}
LONGEST_NUMBER = 9  # digits
MOST_ENTRIES = 200_000
MOST_READ = 8 << 20  # bytes of a file in which a text is looked for


class Located(Params, frozen=True):
    """Every file tool receives the name as it was said and the path it was resolved to."""

    name: str
    path: str


class Query(Located, frozen=True, kw_only=True):
    """What was said of files in a folder; a part that was not said is empty."""

    kind: str = ""
    pattern: str = ""
    type: str = ""
    larger: str = ""
    smaller: str = ""
    since: str = ""
    before: str = ""
    on: str = ""
    contains: str = ""
    excluding: str = ""
    keep: str = ""
    empty: bool = False
    hidden: str = ""
    order: str = ""
    only: str = ""
    limit: int = 0
    depth: int = 0
    deep: bool = False

    @property
    def levels(self) -> int:
        """Say how many folders deep is looked; 0 for all of them."""
        return self.depth or (0 if self.deep else 1)

    @property
    def asks_for_size(self) -> bool:
        """Tell whether sizes are compared."""
        ranked = {self.order, self.only, self.keep}
        return bool(self.larger or self.smaller or ranked & {"largest", "smallest"})


class Condition(Query, frozen=True, kw_only=True):
    """That there are more, or fewer, than so many of some files."""

    relation: str
    number: int


@dataclass(frozen=True)
class Selection:
    """A query made ready: names, bytes and moments to compare with."""

    said: Query
    endings: frozenset[str]
    now: datetime

    @cached_property
    def patterns(self) -> tuple[tuple[str, ...], ...]:
        """Give the groups of names of which one each must fit."""
        return tuple(patterns_in(group) for group in self.said.pattern.split("&") if group)

    @cached_property
    def excluded(self) -> tuple[str, ...]:
        return patterns_in(self.said.excluding)

    @cached_property
    def sizes(self) -> tuple[int | None, int | None]:
        larger, smaller = self.said.larger, self.said.smaller
        if without_bound(larger).isdecimal() and smaller:  # "between 1 and 5 MB"
            larger += "".join(UNIT.findall(smaller))
        return bytes_of(larger), bytes_of(smaller)

    @cached_property
    def includes(self) -> tuple[bool, bool]:
        """Tell whether the least and the greatest size count as well."""
        said = (self.said.larger, self.said.smaller)
        return said[0].startswith(INCLUSIVE), said[1].startswith(INCLUSIVE)

    @cached_property
    def times(self) -> tuple[float | None, float | None]:
        if self.said.on:
            begin, length = day_of(self.said.on, self.now)
            return begin.timestamp(), (begin + length).timestamp()
        return moment(self.said.since, self.now), moment(self.said.before, self.now)

    def takes(self, entry: Entry) -> bool:
        """Tell whether an entry is one of the set, as far as its listing shows."""
        said, name = self.said, entry.name.casefold()
        if said.kind and (said.kind == "folder") != entry.is_folder:
            return False
        if not all(matches(name, group) for group in self.patterns):
            return False
        if said.type and (entry.is_folder or not self.is_of_type(name)):
            return False
        if self.excluded and matches(name, self.excluded):
            return False
        return self.is_shown(name) and self.has_measures(entry)

    def is_of_type(self, name: str) -> bool:
        """Tell whether a file is of a kind that was said, by its ending or how its name begins."""
        said = self.said.type.split("|")
        return name.rpartition(".")[2] in self.endings or any(
            kind in said for kind in kinds_by_name(name)
        )

    def is_shown(self, name: str) -> bool:
        is_hidden = name.startswith(".")
        if self.said.hidden == "only":
            return is_hidden
        named = any(each.startswith(".") for group in self.patterns for each in group)
        return not is_hidden or (named and self.said.hidden != "no")

    def has_measures(self, entry: Entry) -> bool:
        (least, most), (since, before) = self.sizes, self.times
        sized = self.said.larger or self.said.smaller
        if sized and entry.is_folder and self.said.kind != "folder":
            return False
        return (
            (least is None or entry.size > least or (entry.size == least and self.includes[0]))
            and (most is None or entry.size < most or (entry.size == most and self.includes[1]))
            and (since is None or entry.modified >= since)
            and (before is None or entry.modified < before)
        )

    def rank(self, entries: list[Entry]) -> list[Entry]:
        """Put entries in the order that was said, and keep as many as were said."""
        if self.said.keep in ORDERS:
            kept = in_order(entries, self.said.keep)[:1]
            entries = [entry for entry in entries if entry not in kept]
        if self.said.only in ORDERS:
            return in_order(entries, self.said.only)[:1]
        if self.said.order in ORDERS:
            entries = in_order(entries, self.said.order)
        return entries[: self.said.limit] if self.said.limit else entries


def in_order(entries: list[Entry], order: str) -> list[Entry]:
    measure, is_most = ORDERS[order]
    return sorted(entries, key=lambda entry: getattr(entry, measure), reverse=is_most)


def patterns_in(text: str) -> tuple[str, ...]:
    return tuple(each.casefold() for each in text.split("|") if each)


def matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def bytes_of(said: str) -> int | None:
    """Make bytes of a size as it was said: "10 MB", "50k"; None if none was."""
    if not said:
        return None
    found = SIZE.fullmatch(without_bound(said.strip().casefold()))
    power = None if found is None else POWERS.get(found[2][:1])
    if found is None or power is None:
        raise Refusal(Code.NOT_FEASIBLE, f"{said!r} is no size that is understood")
    count = NUMBERS.get(found[1]) or found[1].replace(",", ".")
    try:
        return int(float(count) * KILO**power)
    except (ValueError, OverflowError):
        raise Refusal(Code.NOT_FEASIBLE, f"{said!r} is no size that is understood") from None


def without_bound(said: str) -> str:
    for begin in INCLUSIVE:
        said = said.removeprefix(begin)
    return said


def moment(said: str, now: datetime) -> float | None:
    """Make a moment of a time as it was said: so long ago, or where a day begins or ends."""
    if not said:
        return None
    for begin in OVER:
        if said.startswith(begin):
            first, length = day_of(said.removeprefix(begin), now)
            return (first + length).timestamp()
    count, _, unit = said.rpartition(" ")
    if not any(unit.startswith(begin) for begin in SPANS) or (count and not number_of(count)):
        return day_of(said, now)[0].timestamp()
    try:
        return (now - length_of(number_of(count) or 1, unit)).timestamp()
    except (ValueError, OverflowError):
        raise Refusal(Code.NOT_FEASIBLE, f"{said!r} is longer ago than can be told") from None


def number_of(said: str) -> int:
    """Read a number in figures or in words; 0 if it is none."""
    is_number = said.isdecimal() and len(said) <= LONGEST_NUMBER
    return int(said) if is_number else NUMBERS.get(said, 0)


def length_of(count: int, unit: str) -> relativedelta:
    for begin, name in SPANS.items():
        if unit.startswith(begin):
            times = 2 * count if begin == "fortnight" else count
            return relativedelta(**{name: times})  # type: ignore[arg-type]
    raise Refusal(Code.NOT_FEASIBLE, f"{unit!r} is no length of time that is understood")


def day_of(said: str, now: datetime) -> tuple[datetime, timedelta | relativedelta]:
    """Give where a day, a week, a month or a year begins, and how long it is."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    day, week = timedelta(days=1), timedelta(days=7)
    monday = today - timedelta(days=today.weekday())
    month, year = today.replace(day=1), today.replace(month=1, day=1)
    known: dict[str, tuple[datetime, timedelta | relativedelta]] = {
        "today": (today, day),
        "this morning": (today, timedelta(hours=12)),
        "yesterday": (today - day, day),
        "this week": (monday, week),
        "last week": (monday - week, week),
        "this weekend": (monday + timedelta(days=5), timedelta(days=2)),
        "last weekend": (monday - timedelta(days=2), timedelta(days=2)),
        "this month": (month, relativedelta(months=1)),
        "last month": (month - relativedelta(months=1), relativedelta(months=1)),
        "this year": (year, relativedelta(years=1)),
        "last year": (year - relativedelta(years=1), relativedelta(years=1)),
    }
    if said in known:
        return known[said]
    weekday = said.removeprefix("last ")
    if weekday in WEEKDAYS:
        back = (today.weekday() - WEEKDAYS.index(weekday)) % 7 or 7
        return today - timedelta(days=back), day
    return date_of(said, today)


def date_of(said: str, today: datetime) -> tuple[datetime, timedelta | relativedelta]:
    """Read a date: of a day, of a month, or of a year."""
    try:
        begin = parser.parse(said, default=today.replace(month=1, day=1))
    except (ValueError, OverflowError):
        raise Refusal(Code.NOT_FEASIBLE, f"{said!r} is no date that is understood") from None
    if begin > today and not re.search(r"\d{4}", said):
        begin -= relativedelta(years=1)  # "since March": the last one that there was
    if re.fullmatch(r"\d{4}", said):
        return begin, relativedelta(years=1)
    has_day = re.search(r"(?<!\d)\d{1,2}(?:st|nd|rd|th)?(?!\d)", said.replace("-", " "))
    is_month = re.fullmatch(r"\d{4}-\d\d", said) is not None or has_day is None
    return (begin.replace(day=1), relativedelta(months=1)) if is_month else (begin, timedelta(1))


def select_entries(roots: Roots, said: Query, endings: frozenset[str]) -> list[Entry]:
    """List the entries of a folder that are meant; those below it, too, as deep as was said."""
    selection = Selection(said, endings, datetime.now().astimezone())
    with roots.folder(said.path) as spot:
        there = entries_below(roots, spot, selection)
        if said.asks_for_size and said.kind != "file":
            there = (with_content_size(roots, entry) for entry in there)
        found = [entry for entry in there if selection.takes(entry)]
        if said.contains:
            found = [entry for entry in found if holds(spot, entry, said.contains)]
        if said.empty:
            found = [entry for entry in found if is_empty(spot, entry)]
    found.sort(key=lambda entry: natural_order(entry.path))
    return selection.rank(found)


def with_content_size(roots: Roots, entry: Entry) -> Entry:
    """Give an entry with its size: that of a folder is the size of all files in it."""
    if not entry.is_folder:
        return entry
    inner = select_entries(
        roots, Query(entry.name, entry.path, kind="file", deep=True), frozenset()
    )
    return replace(entry, size=sum(each.size for each in inner))


def entries_below(roots: Roots, spot: Spot, selection: Selection) -> Iterator[Entry]:
    """Give what is in a folder and below; links are not followed, protected things not shown."""
    entries = all_entries(roots, spot, selection)
    found = list(islice(entries, MOST_ENTRIES + 1))
    if len(found) > MOST_ENTRIES:
        message = f"more than {MOST_ENTRIES} things are in {spot.path}; name a smaller place"
        raise Refusal(Code.TOO_LARGE, message)
    yield from found


def all_entries(roots: Roots, spot: Spot, selection: Selection) -> Iterator[Entry]:
    """Go through folders, but not into those that are left out or hidden."""
    depth, left_out = selection.said.levels, selection.excluded
    for folder, inner, names, handle in os.fwalk(".", dir_fd=spot.folder):
        below = 0 if folder == "." else folder.count("/")
        around = os.path.normpath(os.path.join(spot.path, folder)).rstrip("/")
        kept = [name for name in inner if name.casefold() not in roots.protected]
        for name in (*kept, *names):
            if name.casefold() in roots.protected or not name.isprintable():
                continue
            with suppress(FileNotFoundError):
                status = os.stat(name, dir_fd=handle, follow_symlinks=False)
                is_folder = stat.S_ISDIR(status.st_mode)
                where = f"{around}/{name}"
                if f"{where}/".startswith(roots.own):
                    continue
                yield Entry(name, where, is_folder, status.st_mtime, status.st_size)
        is_last = depth > 0 and below + 1 >= depth
        entered = [name for name in kept if is_entered(name, left_out)]
        inner[:] = [] if is_last else entered


def is_entered(name: str, left_out: tuple[str, ...]) -> bool:
    """Tell whether a folder is looked into."""
    return not name.startswith(".") and not matches(name.casefold(), left_out)


def holds(spot: Spot, entry: Entry, text: str) -> bool:
    """Tell whether a text is in a file, whatever its case; what cannot be read holds none."""
    return not entry.is_folder and text.casefold() in text_of(spot, entry).casefold()


def text_of(spot: Spot, entry: Entry) -> str:
    """Give what a file holds, if it is text."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with suppress(OSError):
        descriptor = os.open(os.path.relpath(entry.path, spot.path), flags, dir_fd=spot.folder)
        with open(descriptor, "rb") as file:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                held = file.read(MOST_READ)
                return "" if b"\0" in held[:4096] else held.decode(errors="replace")
    return ""


def is_empty(spot: Spot, entry: Entry) -> bool:
    """Tell whether a file has no content, or a folder nothing in it."""
    if not entry.is_folder:
        return entry.size == 0
    with suppress(OSError):
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(os.path.relpath(entry.path, spot.path), flags, dir_fd=spot.folder)
        try:
            return not os.listdir(handle)
        finally:
            os.close(handle)
    return False
