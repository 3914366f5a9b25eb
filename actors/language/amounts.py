"""Amounts as they are written: numbers, money, shares, hours, days and lengths of time.

What is read is only compared and counted; what is shown is the text as it stands.
"""

import re
from dataclasses import dataclass
from datetime import date
from typing import Literal

AmountKind = Literal["number", "money", "share", "clock", "day", "length", "ago"]

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
CURRENCIES = "€$£¥₹"
NUMBER = re.compile(r"[-−+]?\d{1,3}(?:[,.' ]\d{3})+(?:[.,]\d{1,2})?(?!\d)|[-−+]?\d+(?:[.,]\d+)?")
CLOCK = re.compile(
    r"\b(\d{1,2})[:.](\d\d)(?::\d\d)?\s*([ap])?\.?m?\.?\b|\b(\d{1,2})\s*([ap])\.?m\b", re.IGNORECASE
)
LENGTH = re.compile(
    r"\b(?:(\d+)\s*(?:h|hr|hrs|hours?)\b)?\s*(?:(\d+)\s*(?:m|min|mins|minutes?)\b)?", re.IGNORECASE
)
AGO = re.compile(
    r"(?:.*\b)?(?:(\d+|an?)\s*(h|hr|hours?|d|days?|w|wk|weeks?|months?|years?|min|minutes?)\s+ago|"
    r"(today|yesterday|just now))\b.*",
    re.IGNORECASE,
)
METRES = re.compile(r"\d+\s*m")
ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
NUMERIC_DAY = re.compile(r"\b(\d{1,2})[./](\d{1,2})[./](\d{4}|\d\d)\b")
NAMED_DAY = re.compile(
    r"\b(?:(\d{1,2})(?:st|nd|rd|th)?\.?\s+)?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
    r"(?:\s+(\d{1,2})(?:st|nd|rd|th)?\b(?!:))?,?(?:\s+(\d{4}))?",
    re.IGNORECASE,
)
LEAD = re.compile(
    r"(?:(?:from|approx|approx\.|about|ca\.|eur|usd|gbp)\s+)?[^\w\d−+-]*", re.IGNORECASE
)
# Units of one kind, by how many of its smallest each is.
SCALES = {
    unit: (float(factor), kind)
    for kind, units in {
        "bytes": {"b": 1, "bytes": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12},
        "weight": {"g": 1, "kg": 1e3, "t": 1e6},
        "distance": {"mm": 1, "cm": 10, "m": 1e3, "km": 1e6},
    }.items()
    for unit, factor in units.items()
}
MINUTES, HALF_DAY = 60, 12
CENTURY, SOME_YEAR = 2000, 2000
THOUSAND = 3


@dataclass(frozen=True, slots=True)
class Amount:
    """A value that can be compared with others of its kind."""

    kind: AmountKind
    value: float
    sign: str = ""  # of a currency


def read_amount(text: str) -> Amount | None:
    """Read the amount that a text begins with, or is.

    >>> [read_amount(each).value for each in ("€1,234.50", "1.234,50 €", "72 m²", "1h 20m")]
    [1234.5, 1234.5, 72.0, 80.0]
    >>> read_amount("6:45 AM"), read_amount("2024-05-03").kind, read_amount("Late")
    (Amount(kind='clock', value=405.0, sign=''), 'day', None)
    """
    said = text.strip()
    if (day := read_day(said)) is not None:
        return Amount("day", float(day.toordinal()))
    if (clock := CLOCK.search(said)) is not None and not has_currency(said):
        return Amount("clock", float(minutes_of(clock)))
    length = None if METRES.fullmatch(said) else LENGTH.fullmatch(said)
    if length is not None and (length[1] or length[2]):
        return Amount("length", float(int(length[1] or 0) * MINUTES + int(length[2] or 0)))
    if (ago := AGO.fullmatch(said)) is not None:
        return Amount("ago", -days_ago(ago))
    lead = LEAD.match(said)
    number = NUMBER.match(said, lead.end() if lead is not None else 0)
    if number is None:
        return None
    value = number_of(number[0])
    if said.startswith("(") and said.endswith(")"):
        value = -abs(value)  # as accountants write it
    sign = next((each for each in CURRENCIES if each in said), "")
    if sign:
        return Amount("money", value, sign)
    return Amount("share" if "%" in said else "number", value)


def days_ago(said: re.Match[str]) -> float:
    """Give how many days ago something was: "3 days ago", "yesterday"."""
    if said[3]:
        return 1.0 if said[3].casefold() == "yesterday" else 0.0
    count = 1.0 if said[1].casefold().startswith("a") else float(said[1])
    first = said[2].casefold()[:2]
    days = {"h": 1 / 24, "ho": 1 / 24, "hr": 1 / 24, "mi": 1 / 1440, "mo": 30, "w": 7, "we": 7}
    days |= {"wk": 7, "y": 365, "ye": 365}
    return count * days.get(first, 1.0)


def unit_of(text: str) -> str:
    """Give what a text says besides its figures: amounts of different units are not compared.

    >>> unit_of("1,200 kg"), unit_of("900 g"), unit_of("€5.00"), unit_of("★ 4.6")
    ('kg', 'g', '€', '')
    """
    rest = re.sub(r"[\d.,:'’\s/−+-]+", " ", text.casefold())
    return " ".join(word for word in rest.split() if word.isalpha() or word in CURRENCIES)


def measured(text: str) -> tuple[float, str]:
    """Give an amount as it is compared with others, and its unit: sizes in one unit of their kind.

    >>> measured("1.5 GB") > measured("900 MB"), measured("2 kg")[0], measured("3 beds")
    (True, 2000.0, (3.0, 'beds'))
    """
    amount, unit = read_amount(text), unit_of(text)
    value = 0.0 if amount is None else amount.value
    if amount is not None and amount.kind in {"day", "clock", "length", "ago"}:
        return value, amount.kind
    if unit in SCALES:
        factor, kind = SCALES[unit]
        return value * factor, kind
    return value, unit


def has_currency(text: str) -> bool:
    return any(sign in text for sign in CURRENCIES)


def number_of(said: str) -> float:
    """Make a number of figures with separators: the last one may be that of a fraction."""
    plain = said.replace("−", "-").replace("'", "").replace(" ", "").lstrip("+")
    marks = [mark for mark in plain if mark in ",."]
    if not marks:
        return float(plain)
    last = plain.rindex(marks[-1])
    is_fraction = len(plain) - last - 1 != THOUSAND or (len(set(marks)) > 1) or marks == ["."]
    if len(set(marks)) == 1 and len(marks) > 1:
        is_fraction = False
    whole = plain[:last].replace(",", "").replace(".", "") if is_fraction else ""
    if not is_fraction:
        return float(plain.replace(",", "").replace(".", ""))
    return float(f"{whole}.{plain[last + 1 :]}")


def minutes_of(clock: re.Match[str]) -> int:
    hour = int(clock[1] or clock[4])
    half = (clock[3] or clock[5] or "").casefold()
    if half == "p" and hour < HALF_DAY:
        hour += HALF_DAY
    if half == "a" and hour == HALF_DAY:
        hour = 0
    return hour * MINUTES + int(clock[2] or 0)


def read_day(text: str) -> date | None:
    """Read a day: "2024-05-03", "3 May 2024", "May 3", "03.05.2024"; None if none is said."""
    if found := ISO.search(text):
        return day_of(int(found[1]), int(found[2]), int(found[3]))
    if found := NUMERIC_DAY.search(text):
        year = int(found[3]) + (CENTURY if len(found[3]) == len("24") else 0)
        return day_of(year, int(found[2]), int(found[1])) or day_of(
            year, int(found[1]), int(found[2])
        )
    found = NAMED_DAY.search(text)
    if found is None or not (found[1] or found[3] or found[4]):
        return None
    month = MONTHS.index(found[2].casefold()) + 1
    return day_of(int(found[4] or SOME_YEAR), month, int(found[1] or found[3] or 1))


def day_of(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def day_words(text: str) -> frozenset[str]:
    """Give the words by which a day that is written in figures may be told: its month, its year."""
    day = read_day(text)
    if day is None:
        return frozenset()
    name = MONTH_NAMES[day.month - 1]
    return frozenset({name, name[:3], str(day.year)} if day.year != SOME_YEAR else {name, name[:3]})
