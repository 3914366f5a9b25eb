"""The bus: what carries messages between machines, as the actors need it.

Two adapters have it: ``tools/bus/sqlite.py`` in one process, ``tools/bus/jetstream.py`` over NATS.
One suite runs on both (``tests/test_bus.py``). Addresses and names are words joined by dots.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from messages.bus import Conflict, DeadLetter, Held, Logged, TooLarge, Unavailable

__all__ = [
    "Bus",
    "Conflict",
    "DeadLetter",
    "Delivery",
    "Held",
    "Log",
    "Logged",
    "TooLarge",
    "Unavailable",
]


class Delivery(Protocol):
    """A message that was sent durably. Until it is acknowledged, it belongs to this receiver."""

    @property
    def body(self) -> bytes: ...

    @property
    def attempt(self) -> int:
        """How often it was delivered, from 1."""

    async def ack(self) -> None:
        """It is done: nobody gets it again. Returns once that is known to the bus."""

    async def give_back(self, after: float = 0.0) -> None:
        """Let somebody have it again, after so many seconds."""

    async def poison(self, reason: str) -> None:
        """Put it away with the dead letters: nobody can do anything with it."""

    async def still_working(self) -> None:
        """Keep it for longer."""


class Log(Protocol):
    """Entries in one order, written by one at a time: whoever knows where it ends."""

    async def append(self, body: bytes, end: int) -> int:
        """Write an entry behind the place ``end``, durably, and give its own place.

        Raises ``Conflict`` if the log ends elsewhere. Where it is not known whether it was written,
        the same entry may be written again: it is then there once.
        """

    async def read(self) -> tuple[list[Logged], int]:
        """Give all entries, and the place at which the log ends."""

    async def trim(self, before: int) -> None:
        """Drop the entries before a place."""


class Bus(Protocol):
    """Messages that are kept, words that are not, state, logs and blobs."""

    async def send(self, address: str, name: str, body: bytes) -> bool:
        """Send durably; return once it is. False if a message of this name was sent before."""

    def deliveries(
        self, address: str, group: str, *, patience: float = 30.0
    ) -> AbstractAsyncContextManager[AsyncIterator[Delivery]]:
        """Take messages as a member of a group; each goes to one member.

        What is not acknowledged within ``patience`` seconds goes to somebody else.
        """

    async def tell(self, address: str, body: bytes) -> None:
        """Say something to whoever hears it now; it may get lost."""

    def hear(self, address: str) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Hear what is told at an address from now on."""

    async def get(self, bucket: str, key: str) -> Held | None: ...

    async def create(self, bucket: str, key: str, value: bytes) -> int:
        """Put a value where none is, and give its revision; else raise ``Conflict``."""

    async def update(self, bucket: str, key: str, value: bytes, revision: int) -> int:
        """Replace a value that still has this revision; else raise ``Conflict``."""

    async def delete(self, bucket: str, key: str, revision: int) -> None:
        """Take away a value that still has this revision; else raise ``Conflict``."""

    async def put_blob(self, body: bytes) -> str:
        """Keep bytes for a while, and give the name they are found by: a digest of them."""

    async def get_blob(self, name: str) -> bytes | None: ...

    def log(self, name: str) -> Log: ...

    async def dead_letters(self) -> list[DeadLetter]:
        """Give what was put away, oldest first."""

    async def retry_dead_letter(self, place: int) -> bool:
        """Send something that was put away once more; False if it is not there."""

    async def close(self) -> None: ...
