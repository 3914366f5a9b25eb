"""How moments, lengths, statuses and values are written for a person."""

from collections.abc import Mapping
from datetime import datetime
from urllib.parse import urlencode

from messages.explaining import Explanation, PastCommand

SHORT = 80
SMALLEST = 0.1  # milliseconds
MINUTES_SHOWN = 48 * 60  # from there on, days
STATUSES: Mapping[str, str] = {
    "success": "done",
    "running": "running",
    "queued": "queued",
    "waiting": "waiting",
    "asking": "waits for you",
    "partial": "partly done",
    "failed": "failed",
    "cancelled": "cancelled",
    "in_doubt": "in doubt",
    "skipped": "skipped",
    "planned": "planned",
}


def status_word(status: str) -> str:
    """Say a status in words.

    >>> status_word("in_doubt"), status_word("no_capability")
    ('in doubt', 'no capability')
    """
    return STATUSES.get(status, status.replace("_", " "))


def length(ms: float | None) -> str:
    """Write a length of time.

    >>> [length(ms) for ms in (None, 0.34, 2.18, 540, 1040.2, 75_300, 3_700_000, 260_000_000)]
    ['', '0.3 ms', '2.2 ms', '540 ms', '1.04 s', '1 min 15 s', '1 h 1 min', '3 days 0 h']
    """
    if ms is None:
        return ""
    if ms < SMALLEST:
        return f"<{SMALLEST} ms"
    if ms < 1000:  # noqa: PLR2004 - a second
        return f"{ms:.0f} ms" if ms >= 10 else f"{ms:.1f} ms"  # noqa: PLR2004
    seconds = ms / 1000
    if seconds < 60:  # noqa: PLR2004
        return f"{seconds:.2f} s"
    minutes, left = divmod(round(seconds), 60)
    if minutes < 60:  # noqa: PLR2004
        return f"{minutes} min {left} s"
    if minutes < MINUTES_SHOWN:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes // 1440} days {minutes % 1440 // 60} h"


def uptime(seconds: float) -> str:
    """Write how long something has been there.

    >>> uptime(13.2), uptime(3700)
    ('13 s', '1 h 1 min')
    """
    return f"{seconds:.0f} s" if seconds < 60 else length(seconds * 1000)  # noqa: PLR2004


def clock_time(moment: float | None) -> str:
    """Write a moment: the time alone if it is of today."""
    if moment is None:
        return ""
    told = datetime.fromtimestamp(moment).astimezone()
    today = told.date() == datetime.now().astimezone().date()
    return told.strftime("%H:%M:%S" if today else "%Y-%m-%d %H:%M")


def short(text: str, limit: int = SHORT) -> str:
    """Cut a text where it gets too long.

    >>> short("one two", 5)
    'one …'
    """
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def title_of(command: PastCommand | Explanation) -> str:
    """Call a command by its words, else by its goals."""
    if command.text:
        return command.text
    goals = list(command.goals)
    counted = [
        f"{goal} ×{goals.count(goal)}" if goals.count(goal) > 1 else goal
        for goal in dict.fromkeys(goals)
    ]
    return ", ".join(counted) or "goals without words"


def link_to(command: str) -> str:
    """Give the address of a command's page."""
    return "/command?" + urlencode({"id": command})
