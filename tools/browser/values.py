"""Values as people say them, written as native fields hold them."""

import re
from datetime import date, datetime, timedelta

from dateutil import parser as dates

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
COLOURS = {
    "red": "#ff0000",
    "green": "#008000",
    "blue": "#0000ff",
    "yellow": "#ffff00",
    "black": "#000000",
    "white": "#ffffff",
    "orange": "#ffa500",
    "purple": "#800080",
    "pink": "#ffc0cb",
    "gray": "#808080",
    "grey": "#808080",
    "brown": "#a52a2a",
    "cyan": "#00ffff",
    "magenta": "#ff00ff",
    "lime": "#00ff00",
    "navy": "#000080",
    "teal": "#008080",
    "gold": "#ffd700",
    "silver": "#c0c0c0",
    "maroon": "#800000",
    "olive": "#808000",
    "violet": "#ee82ee",
    "turquoise": "#40e0d0",
    "indigo": "#4b0082",
}
SHORT_HEX, LONG_HEX = 4, 7
# A number as people write it: with a currency, separators of thousands, a scale and a unit.
AMOUNT = re.compile(
    r"(?P<sign>-?)\s*(?:[$€£¥₹]|[A-Z]{3}(?=\s))?\s*(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"\s*(?P<scale>[kKmM](?![a-zA-Z])|thousand|million)?\s*(?:[€£¥%]|°\w?|[a-zA-Z]+(?:\s+[a-zA-Z]+)?)?"
)
SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6}
INFINITE = float("inf")
ENDS = {
    "maximum": "maximum", "max": "maximum", "highest": "maximum", "full": "maximum",
    "the end": "maximum", "end": "maximum", "most": "maximum",
    "minimum": "minimum", "min": "minimum", "lowest": "minimum", "least": "minimum",
    "start": "minimum", "beginning": "minimum",
    "middle": "middle", "half": "middle", "halfway": "middle", "centre": "middle",
    "center": "middle",
}  # fmt: skip
END_NOISE = re.compile(r"\b(?:the|its|a|an|value|setting|level|position|amount|possible|way)\b\s*")
FORMAT = re.compile(r"[ymd]{1,4}[-./ ][ymd]{1,4}[-./ ][ymd]{1,4}")
WRITTEN, SIGNS = re.compile(r"y+|m+|d+"), {"y": "%Y", "m": "%m", "d": "%d"}


class BadValue(ValueError):
    """A value that cannot be put into a field of this kind."""


def as_typed_date(kind: str, said: str) -> str:
    """Write a date or a time as native fields hold it.

    >>> as_typed_date("date", "March 5, 2024"), as_typed_date("time", "3:30 pm")
    ('2024-03-05', '15:30')
    """
    when = moment(said)
    formats = {"date": "%Y-%m-%d", "time": "%H:%M", "month": "%Y-%m", "week": "%G-W%V"}
    return when.strftime(formats.get(kind, "%Y-%m-%dT%H:%M"))


def as_asked_for(placeholder: str, said: str) -> str:
    """Write a date as a field asks for it by its placeholder; anything else stays as it is.

    >>> as_asked_for("DD.MM.YYYY", "5 March 2024"), as_asked_for("Name", "March")
    ('05.03.2024', 'March')
    """
    asked = placeholder.strip().casefold()
    if not FORMAT.fullmatch(asked) or not all(sign in asked for sign in "ymd"):
        return said
    try:
        when = moment(said)
    except BadValue:
        return said
    written = WRITTEN.sub(lambda part: SIGNS[part[0][0]], asked)
    return when.strftime(written.replace("%Y", "%Y" if "yyyy" in asked else "%y"))


def moment(said: str) -> datetime:
    """Read a date or a time in the usual ways of writing them; today's words, too."""
    text = said.strip().casefold()
    today = datetime.combine(date.today(), datetime.min.time())  # noqa: DTZ011 - the user's own
    if text == "now":
        return datetime.now()  # noqa: DTZ005 - the user's own
    relative = {"today": 0, "tomorrow": 1, "yesterday": -1}
    if text in relative:
        return today + timedelta(days=relative[text])
    if text.removeprefix("next ") in WEEKDAYS:
        ahead = (WEEKDAYS.index(text.removeprefix("next ")) - today.weekday()) % 7 or 7
        return today + timedelta(days=ahead)
    if text == "noon":
        return today.replace(hour=12)
    if text == "midnight":
        return today
    try:
        return dates.parse(said, default=today)
    except (ValueError, OverflowError):
        raise BadValue(f"{said!r} is no date or time that is understood") from None


def as_colour(said: str) -> str:
    """Write a colour as a native field holds it."""
    text = said.strip().casefold()
    if text in COLOURS:
        return COLOURS[text]
    written = text if text.startswith("#") else f"#{text}"
    if len(written) == SHORT_HEX:
        written = "#" + "".join(2 * digit for digit in written[1:])
    if len(written) == LONG_HEX and all(digit in "0123456789abcdef" for digit in written[1:]):
        return written
    raise BadValue(f"{said!r} is no colour that is understood")


def as_switch(said: str) -> bool:
    text = said.strip().casefold()
    if text in {"on", "yes", "true", "checked", "enabled", "1"}:
        return True
    if text in {"off", "no", "false", "unchecked", "disabled", "0"}:
        return False
    raise BadValue(f"{said!r} is neither on nor off")


def as_plain_number(said: str) -> str:
    """Leave out the sign and the unit of a number, which a field for numbers does not take.

    >>> as_plain_number("15 minutes"), as_plain_number("$1,250.00"), as_plain_number("many")
    ('15', '1250.00', 'many')
    """
    found = AMOUNT.fullmatch(said.strip())
    if found is None or found["scale"]:
        return said
    return f"{found['sign']}{found['digits'].replace(',', '')}"


def as_number(said: str) -> float:
    """Read a number; what it is counted in tells nothing.

    >>> as_number("40 %"), as_number("2.5"), as_number("$75,000"), as_number("12 months")
    (40.0, 2.5, 75000.0, 12.0)
    """
    return amounts(said)[0]


def amounts(said: str) -> tuple[float, ...]:
    """Read an amount in all the ways that a field may count it, as said first.

    >>> amounts("$750K"), amounts("60 %")
    ((750000.0, 750.0), (60.0,))
    """
    found = AMOUNT.fullmatch(said.strip())
    if found is None:
        raise BadValue(f"{said!r} is no number")
    number = float(f"{found['sign']}{found['digits'].replace(',', '')}")
    scale = SCALES.get((found["scale"] or "").casefold())
    return (number,) if scale is None else (number * scale, number)


def amount_within(said: str, least: float, most: float) -> float:
    """Read an amount for something that goes from the least to the most.

    >>> amount_within("$750K", 0, 1000), amount_within("its maximum value", 0, 40)
    (750.0, 40)
    """
    words = END_NOISE.sub("", said.casefold()).strip()
    ends = {"maximum": most, "minimum": least, "middle": (least + most) / 2}
    if (end := ENDS.get(words)) is not None and -INFINITE < ends[end] < INFINITE:
        return ends[end]
    fitting = [amount for amount in amounts(said) if least <= amount <= most]
    if not fitting:
        raise BadValue(f"the slider goes from {least:g} to {most:g}")
    return fitting[0]
