"""The TargetResolver's conversation: which one of these things do the words mean?"""

from typing import TypeAlias

from messages.goals import Phrase
from messages.message import Data, Message, Request
from messages.results import Code


class Candidate(Data, frozen=True):
    """One thing that words could mean, in whatever world it lives."""

    id: str
    kind: str
    name: str
    aliases: tuple[str, ...] = ()


class Bound(Message, frozen=True):
    """The words mean exactly this one."""

    command_id: str
    action_id: str
    role: str
    target: Candidate


class NotBound(Message, frozen=True):
    """The words mean nothing here, or more than one thing."""

    command_id: str
    action_id: str
    role: str
    code: Code
    message: str
    options: tuple[Candidate, ...] = ()


Resolution: TypeAlias = Bound | NotBound


class Resolve(Request[Resolution], frozen=True):
    """Bind the words of one role of one action to one of the candidates."""

    command_id: str
    action_id: str
    role: str
    phrase: Phrase
    candidates: tuple[Candidate, ...]


Inbox: TypeAlias = Resolve
