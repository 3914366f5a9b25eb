"""What every tool is made of: a declaration, a function that acts, one that looks afterwards."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec
from msgspec import convert

from messages.executing import Done, Outcome, Recovered, Refused, Unknown
from messages.message import Value
from messages.plans import ToolCapability


class Params(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The parameters of a tool; anything more is a defect and is refused."""


NOTHING: Mapping[str, Value] = {}
P = TypeVar("P", bound=Params)
Record: TypeAlias = Mapping[str, Value]


def always() -> bool:
    """Tell that a tool needs nothing that could be missing."""
    return True


async def self_evident(params: Params, done: Done) -> bool:  # noqa: ARG001
    """Check a look at the world: what was read is its own effect."""
    return True


@dataclass(frozen=True, eq=False)
class Tool(Generic[P]):
    """One thing that can be done, declared.

    ``look`` is given where the tool only observes and neither waits nor blocks; it then stands for
    ``act``. ``refuses`` says, without any effect, why the work cannot be done. What is approved of
    first ``marks`` the thing, so that it is done to that one as it was; ``marks_all`` does so for
    many at once, ``marks_rest`` leaves out some places in it. ``may_send`` tells whether it would
    send off what a person has put in, ``may_hide`` whether what is typed would go where a secret
    goes. ``works_at`` names the places it changes, ``records`` what is there before, and
    ``recovers`` tells by that record what became of interrupted work; ``compares`` does so without
    the texts among the arguments. ``hint`` says what to install where the tool is not available.
    """

    name: str
    intent: str
    achieves: frozenset[str]
    params: type[P]
    act: Callable[[P], Awaitable[Outcome]]
    check: Callable[[P, Done], Awaitable[bool | None]] = self_evident
    refuses: Callable[[P], Refused | None] | None = None
    marks: Callable[[P], Awaitable[str | Refused]] | None = None
    marks_all: Callable[[Sequence[P]], Awaitable[Sequence[str] | Refused]] | None = None
    marks_rest: Callable[[P, tuple[str, ...]], Awaitable[str | Refused]] | None = None
    may_send: Callable[[P], Awaitable[bool]] | None = None
    may_hide: Callable[[P], Awaitable[bool]] | None = None
    works_at: Callable[[P], tuple[str, ...]] | None = None
    records: Callable[[P], Awaitable[Record | None]] | None = None
    recovers: Callable[[P, Record], Awaitable[Recovered]] | None = None
    compares: Callable[[P, Record], Awaitable[Recovered]] | None = None
    requires: frozenset[str] = frozenset()
    effects: frozenset[str] = frozenset()
    look: Callable[[P], Outcome] | None = None
    is_available: Callable[[], bool] = always
    hint: str = ""

    @cached_property
    def capability(self) -> ToolCapability:
        """Say what the planner may count on."""
        return ToolCapability(self.name, self.achieves, self.requires, self.effects)

    @cached_property
    def glance(self) -> Callable[[Mapping[str, Value]], Outcome] | None:
        """An observation that needs no time, if the tool is one."""
        look, params = self.look, self.params
        return None if look is None else lambda args: look(convert(args, params))

    def available(self) -> bool:
        return self.is_available()

    async def feasible(self, args: Mapping[str, Value]) -> Refused | None:
        refuses = self.refuses
        return None if refuses is None else refuses(self.read(args))

    async def mark(self, args: Mapping[str, Value]) -> str | Refused:
        return "" if self.marks is None else await self.marks(self.read(args))

    async def mark_all(self, each: Sequence[Mapping[str, Value]]) -> Sequence[str] | Refused:
        if self.marks_all is not None:
            return await self.marks_all([self.read(args) for args in each])
        marks: list[str] = []
        for args in each:
            mark = await self.mark(args)
            if isinstance(mark, Refused):
                return mark
            marks.append(mark)
        return marks

    async def mark_rest(self, args: Mapping[str, Value], apart: tuple[str, ...]) -> str | Refused:
        return "" if self.marks_rest is None else await self.marks_rest(self.read(args), apart)

    async def sends(self, args: Mapping[str, Value]) -> bool:
        return False if self.may_send is None else await self.may_send(self.read(args))

    async def hides(self, args: Mapping[str, Value]) -> bool:
        return False if self.may_hide is None else await self.may_hide(self.read(args))

    async def perform(self, args: Mapping[str, Value]) -> Outcome:
        return await self.act(self.read(args))

    async def verify(self, args: Mapping[str, Value], done: Done) -> bool | None:
        return await self.check(self.read(args), done)

    def places(self, args: Mapping[str, Value]) -> tuple[str, ...]:
        return () if self.works_at is None else self.works_at(self.read(args))

    async def before(self, args: Mapping[str, Value]) -> Record | None:
        return None if self.records is None else await self.records(self.read(args))

    async def recover(self, args: Mapping[str, Value], before: Record) -> Recovered:
        if self.recovers is None:
            return Unknown("its tool keeps no record of what was there before")
        return await self.recovers(self.read(args), before)

    async def compare(self, args: Mapping[str, Value], before: Record) -> Recovered:
        if self.compares is None:
            return Unknown("its text is not known any more")
        return await self.compares(self.read(args), before)

    def read(self, args: Mapping[str, Value]) -> P:
        """Read the arguments into the tool's own type."""
        return convert(args, self.params)


AnyTool = Tool[Any]
