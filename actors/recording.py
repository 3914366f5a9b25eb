"""Has decisions recorded on their way back to whoever asked, without anybody noticing.

Only what was said in words is recorded, and nothing that speaks of a secret, asks for a recipe, or
was read by a model: what it means does not depend on tables alone.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from actors.mailbox import Address, WayBack
from actors.vault import may_speak_of_secret
from messages.interpreting import Interpret
from messages.message import Message, Request
from messages.planning import MakePlans, PlanReveal
from messages.replaying import Decision
from messages.targets import Resolve
from messages.trace import Trace

M = TypeVar("M", bound=Message)
R = TypeVar("R")
MOST_COMMANDS = 10_000


class Recorder(Protocol):
    """Keeps decisions."""

    def record(self, request: Decision, reply: Any) -> None:
        """Keep a request and its answer."""


@dataclass
class Chosen:
    """Which commands are recorded: those that were said, and that tables alone understand."""

    recorder: Recorder
    is_own: Callable[[str], bool]
    commands: OrderedDict[str, None] = field(default_factory=OrderedDict)

    def takes(self, message: Message) -> bool:
        """Tell whether a request is recorded."""
        if isinstance(message, Interpret):
            text = message.text
            if text is None or may_speak_of_secret(text) or self.is_own(text):
                return False
            self.commands[message.command_id] = None
            if len(self.commands) > MOST_COMMANDS:
                self.commands.popitem(last=False)
            return True
        if not isinstance(message, MakePlans | PlanReveal | Resolve):
            return False
        return message.command_id in self.commands


@dataclass(slots=True)
class Passing:
    """The way back of a request that is recorded when it is answered."""

    way_back: WayBack
    recorder: Recorder
    request: Any

    def deliver(self, reply: Any, trace: Trace) -> None:
        self.recorder.record(self.request, reply)
        self.way_back.deliver(reply, trace)

    def give_up(self, request: Any, trace: Trace) -> None:
        self.way_back.give_up(request, trace)


@dataclass(frozen=True, slots=True)
class Overheard(Generic[M]):
    """The address of an actor whose decisions are recorded."""

    address: Address[M]
    chosen: Chosen

    def told(self, message: M, way_back: WayBack | None = None) -> bool:
        if way_back is not None and self.chosen.takes(message):
            way_back = Passing(way_back, self.chosen.recorder, message)
        return self.address.told(message, way_back)

    async def tell(self, message: M, way_back: WayBack | None = None) -> None:
        if way_back is not None and self.chosen.takes(message):
            way_back = Passing(way_back, self.chosen.recorder, message)
        await self.address.tell(message, way_back)

    async def ask(self, request: Request[R], *, within: float = 5.0) -> R:
        return await self.address.ask(request, within=within)
