"""Journal: nothing that was promised is forgotten.

It hands what is to be kept to its store, in the order in which it came, and answers once that is on
disk. How many are written at a time is the store's business: under load one sync serves many.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from actors.mailbox import Letter, Mailbox, let_others_first
from messages import journaling

Deliver: TypeAlias = Callable[[Any, Any], None]

# A commit costs the same for one entry as for fifty, and so does waking the thread that writes and
# the clients that wait. Where many commands are under way, what each of them still says in the next
# turns of the event loop is written with what is there.
QUIET_TURNS, MOST_TURNS = 8, 48


class Store(Protocol):
    """Where things are kept: in order, and safe against the loss of power."""

    @property
    def is_pressed(self) -> bool:
        """Tell whether many commands are under way, so that more is to come at any moment."""

    def put(self, message: journaling.Inbox, deliver: Deliver | None) -> None:
        """Take a message; it and its reply are delivered in the event loop once it is on disk."""

    def flush(self) -> None:
        """Have written what was taken."""


@dataclass
class Journal:
    """The way from the actors to what is on disk."""

    store: Store

    async def run(self, mailbox: Mailbox[journaling.Inbox]) -> None:
        while await mailbox.more():
            try:
                self.take_letters(mailbox)
                if self.store.is_pressed:
                    await self.gather(mailbox)
            finally:  # also if it is stopped or crashes meanwhile
                self.store.flush()

    async def gather(self, mailbox: Mailbox[journaling.Inbox]) -> None:
        """Take what others say in their next turns, until they have been quiet for some."""
        quiet = 0
        for _ in range(MOST_TURNS):
            if mailbox.is_empty:
                quiet += 1
                if quiet == QUIET_TURNS:
                    return
                await let_others_first()
            else:
                quiet = 0
                await mailbox.more()
                self.take_letters(mailbox)

    def take_letters(self, mailbox: Mailbox[journaling.Inbox]) -> None:
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
