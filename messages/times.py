"""A time as words tell it, before anybody has looked at a clock."""

from typing import Literal, TypeAlias

from messages.message import Data

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
Again: TypeAlias = Literal[
    "day", "weekday", "week", "month", "hour",
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
]  # fmt: skip


class When(Data, frozen=True):
    """When something is due; a part that was not said is empty.

    ``after`` is in seconds from now. ``clock`` is a time of the day ("08:00"), ``day`` one of
    "today", "tomorrow", "+2" (days from today), a day of the week, a date ("2026-03-09"), a day of
    a year ("03-09") or of a month ("15"). ``every`` is what comes again and again, ``interval``
    the seconds between two of it.
    """

    after: float = 0.0
    clock: str = ""
    day: str = ""
    every: tuple[Again, ...] = ()
    interval: float = 0.0

    @property
    def repeats(self) -> bool:
        return bool(self.every or self.interval)

    @property
    def is_exact(self) -> bool:
        """Tell whether it says a moment, not only a day."""
        return bool(self.after or self.clock or self.interval or self.every == ("hour",))
