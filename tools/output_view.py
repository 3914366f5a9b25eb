"""What a goal gave, as people read it: sizes, times and lengths of time, and texts line by line.

What is for programs (ids, names of entries) is left out: ``--json`` has it. Outputs of web pages
and of text worlds are shown as they are, for their words are not ours.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from messages.goals import Goal
from messages.message import Value
from tools.screen import plain

SHOWN_ROWS = 20
SHOWN_LINES = 200
KILO, UNITS = 1000, ("kB", "MB", "GB", "TB")
SPANS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
FOREIGN = frozenset({"browser", "world"})
# What the fields of our own outputs hold.
SIZES = frozenset({"size", "total", "used", "free", "available", "memory"})
LENGTHS = frozenset({"left", "seconds"})
TIMES = frozenset({"due", "changed", "since", "deleted"})
TEXTS = frozenset({"text", "content", "recipe"})
FOR_PROGRAMS: Mapping[str, frozenset[str]] = {
    "schedule": frozenset({"id"}),
    "system": frozenset({"iso"}),
    "file": frozenset({"entry"}),
}
# How it is said that there is nothing.
EMPTY: Mapping[str, str] = {
    "file.list": "the folder is empty",
    "file.list_trash": "the trash is empty",
    "file.find": "nothing is found",
    "file.search": "nothing is found",
    "file.tail": "the file is empty",
    "file.head": "the file is empty",
    "recipes.list": "no recipe was taught",
    "recipes.check": "no recipe was taught",
    "schedule.list": "nothing is scheduled",
    "schedule.left": "nothing is scheduled",
    "app.list": "no application is found",
    "list.lists": "there are no lists",
}
NOTHING = "none"


def output_lines(output: Value, goal: Goal | None = None) -> list[str]:
    """Put an output into lines; of a goal that is known, as people read its fields."""
    if output is None:
        return []
    if isinstance(output, Mapping) and isinstance(told := output.get("says"), str):
        return [plain(line) for line in told.splitlines()]
    if isinstance(output, str):
        return text_lines(output)
    domain = "" if goal is None else goal.domain
    if isinstance(output, Mapping):
        return list(row_lines(output, domain))
    if isinstance(output, Sequence):
        if not output:
            return [EMPTY.get("" if goal is None else f"{goal.domain}.{goal.verb}", NOTHING)]
        shown = [line for row in output[:SHOWN_ROWS] for line in output_lines(row, goal)]
        more = len(output) - SHOWN_ROWS
        return [*shown, f"… and {more} more"] if more > 0 else shown
    return [worded(output)]


def row_lines(row: Mapping[str, Value], domain: str) -> Iterator[str]:
    """Put the fields of a row into a line, and a text among them into lines of its own."""
    if domain in FOREIGN:
        yield plain("  ".join(f"{name}: {worded(value)}" for name, value in row.items()))
        return
    if (sentence := row_sentence(row)) is not None:
        yield plain(sentence)
        return
    texts = {name: value for name, value in row.items() if name in TEXTS and is_long(value)}
    hidden = FOR_PROGRAMS.get(domain, frozenset()) | texts.keys()
    if row.get("kind") == "folder":
        hidden |= {"size"}  # of its own entry on the disk, not of what is in it
    fields = [
        f"{name.replace('_', ' ')}: {field_text(name, value)}"
        for name, value in row.items()
        if name not in hidden
    ]
    if fields:
        yield plain("  ".join(fields))
    for text in texts.values():
        yield from (f"  {line}" for line in text_lines(str(text)))


def row_sentence(row: Mapping[str, Value]) -> str | None:
    """Put a row that says one thing into words: a count, what was left out, what can be said."""
    match row:
        case {"value": int(count), "unit": str(unit)}:
            return counted(count, unit)
        case {"list": str(name), "entries": [] | ()}:
            return f"the list {name} is empty"
        case {"lists": [] | ()}:
            return EMPTY["list.lists"]
        case {"left_out": int(count)} if len(row) == 1:
            return f"… and {count} more"
        case {"about": str(about), "say": str(say)} if len(row) == 2:  # noqa: PLR2004
            return f"{about}: {say}"
        case _:
            return None


def is_long(value: Value) -> bool:
    """Tell whether a value is a text of more than a line."""
    return isinstance(value, str) and "\n" in value


def text_lines(text: str) -> list[str]:
    """Show a text line by line; of a long one the beginning."""
    lines = text.splitlines()
    shown = [plain(line) for line in lines[:SHOWN_LINES]]
    more = len(lines) - SHOWN_LINES
    return [*shown, f"… and {more} more lines"] if more > 0 else shown or ["(empty)"]


def counted(count: int, unit: str) -> str:
    """Say how many there are of something.

    >>> counted(1, "files"), counted(2_000_000, "bytes")
    ('1 file', '2.0 MB')
    """
    if unit == "bytes":
        return spelled_size(count)
    return f"{count} {unit.removesuffix('s') if count == 1 else unit}"


def field_text(name: str, value: Value) -> str:
    """Put the value of a field into words, by what the field holds."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        if name in SIZES:
            return spelled_size(int(value))
        if name in LENGTHS:
            return spelled_length(value)
    if name in TIMES and isinstance(value, str):
        return local_time(value)
    if name in TEXTS and not value:
        return "(empty)"
    return worded(value)


def worded(value: Value) -> str:
    """Put a value into words."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {worded(inner)}" for name, inner in value.items()) or NOTHING
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(worded, value)) or NOTHING
    return str(value)


def spelled_size(size: int) -> str:
    """Write a number of bytes as people do.

    >>> spelled_size(900), spelled_size(1_500_000)
    ('900 bytes', '1.5 MB')
    """
    if size < KILO:
        return f"{size} byte{'' if size == 1 else 's'}"
    power = min(int(math.log(size, KILO)), len(UNITS))
    return f"{size / KILO**power:.1f} {UNITS[power - 1]}"


def spelled_length(seconds: float) -> str:
    """Write a length of time by its two largest units.

    >>> spelled_length(26_403), spelled_length(60), spelled_length(0)
    ('7 hours 20 minutes', '1 minute', '0 seconds')
    """
    left, parts = round(seconds), list[tuple[int, str]]()
    for unit, length in SPANS:
        number, left = divmod(left, length)
        if number or parts:
            parts.append((number, unit))
    shown = [f"{number} {unit}{'' if number == 1 else 's'}" for number, unit in parts[:2] if number]
    return " ".join(shown) or "0 seconds"


def local_time(stamp: str) -> str:
    """Write a moment in the time of this place; what is none stays as it is.

    >>> local_time("soon")
    'soon'
    """
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return stamp
    if "T" not in stamp:
        return stamp
    here = moment if moment.tzinfo is None else moment.astimezone()
    return f"{here:%Y-%m-%d %H:%M:%S}"
