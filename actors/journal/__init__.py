"""Journal: nothing that was promised is forgotten.

It hands what is to be kept to its store, in the order in which it came, and answers once that is on
disk. How many are written at a time is the store's business: under load one sync serves many.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from actors.mailbox import Letter, Mailbox
from messages import journaling

Deliver = Callable[[Any, Any], None]


class Store(Protocol):
    """Where things are kept: in order, and safe against the loss of power."""

    def put(self, message: journaling.Inbox, deliver: Deliver | None) -> None:
        """Take a message; it and its reply are delivered in the event loop once it is on disk."""


@dataclass
class Journal:
    """The way from the actors to what is on disk."""

    store: Store

    async def run(self, mailbox: Mailbox[journaling.Inbox]) -> None:
        while await mailbox.more():
            with mailbox.turn as letters:
                for letter in letters:
                    self.handle(letter, letter.message)

    def handle(self, letter: Letter[journaling.Inbox], message: journaling.Inbox) -> None:
        if isinstance(message, journaling.Note | journaling.Remember):
            self.store.put(message, None)
        else:
            self.ask(letter.keep(), message)

    def ask(self, letter: Letter[journaling.Inbox], message: Any) -> None:
        """Have a message answered once it is on disk; if that fails, whoever asked learns it."""
        try:
            self.store.put(message, letter.answer)
        except BaseException:
            letter.give_up()
            raise
