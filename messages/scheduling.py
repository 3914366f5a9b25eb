"""The Scheduler's conversation: what is to happen later, and again and again."""

from typing import Literal, TypeAlias

from messages.message import Data, Message, Request
from messages.results import Code
from messages.times import When

Kind: TypeAlias = Literal["timer", "alarm", "reminder", "command"]
EntryState: TypeAlias = Literal["active", "paused", "done", "cancelled"]
Change: TypeAlias = Literal["cancel", "pause", "resume", "change", "left", "restore"]


class Entry(Data, frozen=True):
    """Something that is due later.

    ``said`` is the time in the speaker's words, ``when`` what they mean, ``due`` the moment, in
    seconds since 1970; a paused entry has what is ``left`` of its time instead. ``text`` is what a
    person is told, or the command that is carried out; ``approves`` are the kinds of approval that
    were given for it when it was said. ``version`` counts its changes.
    """

    id: str
    kind: Kind
    said: str
    when: When
    session: str
    created: float
    due: float | None = None
    left: float | None = None
    name: str = ""
    text: str = ""
    approves: tuple[str, ...] = ()
    state: EntryState = "active"
    fired: int = 0
    version: int = 1


class EntryRefused(Message, frozen=True):
    """Nothing was changed, for this reason."""

    code: Code
    reason: str


class Entries(Message, frozen=True):
    """Entries as they are now; of a change, ``before`` are the same as they were."""

    entries: tuple[Entry, ...]
    now: float
    before: tuple[Entry, ...] = ()


class SetEntry(Request["Entries | EntryRefused"], frozen=True):
    """Keep something for later. The same of one command is kept once, however often it is asked."""

    command_id: str
    kind: Kind
    said: str
    name: str = ""
    text: str = ""
    approves: tuple[str, ...] = ()


class Selection(Data, frozen=True):
    """Which entries are meant; what was not said is empty."""

    kind: str = "any"
    name: str = ""
    said: str = ""
    at: str = ""
    which: str = ""
    id: str = ""


class ListEntries(Request["Entries | EntryRefused"], frozen=True):
    """Tell what is due, all of it or some."""

    selection: Selection = Selection()


class ChangeEntries(Request["Entries | EntryRefused"], frozen=True):
    """Cancel, pause, resume or prolong entries, or tell how much time is left."""

    change: Change
    selection: Selection
    by: float = 0.0


Inbox: TypeAlias = SetEntry | ListEntries | ChangeEntries
