"""What a bus gives and how it fails, as both its users and its adapters name it.

These are values of one process: nothing here is sent over a wire.
"""

from dataclasses import dataclass


class Unavailable(Exception):
    """The bus does not answer. What was asked for may have happened, and can be asked again."""


class Conflict(Exception):
    """Somebody else has written since: the revision or the end of the log is another one."""


class TooLarge(Exception):
    """A message is larger than the bus takes; what is that large goes by a blob."""


@dataclass(frozen=True, slots=True)
class Held:
    """A value of the state, with its revision."""

    value: bytes
    revision: int


@dataclass(frozen=True, slots=True)
class Logged:
    """An entry of a log, with its place in it."""

    place: int
    body: bytes


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message that nobody could do anything with."""

    place: int
    address: str
    reason: str
    body: bytes
