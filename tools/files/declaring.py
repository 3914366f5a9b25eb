"""How a file tool is declared: what it does and how its effect is seen, both in a thread."""

import os
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import msgspec

from messages.executing import Done, Outcome, Recovered, Refused, Unknown
from tools.files.queries import Located
from tools.files.recovery import REFUSED, Before
from tools.files.roots import Refusal
from tools.files.threads import in_thread
from tools.tool import AnyTool, Params, Record, Tool, self_evident

L = TypeVar("L", bound=Params)


def tool(
    achieves: str,
    params: type[L],
    act: Callable[[L], Done],
    check: Callable[[L, Done], bool | None] | None = None,
    *,
    mark: Callable[[L], str] | None = None,
    rest: Callable[[L, tuple[str, ...]], str] | None = None,
    before: Callable[[L], Before] | None = None,
    recover: Callable[[L, Before], Recovered] | None = None,
    compare: Callable[[L, Before], Recovered] | None = None,
    target: Callable[[L], str] | None = None,
) -> AnyTool:
    """Declare one file tool: what it does and how its effect is seen, both in a thread.

    What needs approval can ``mark`` a thing, and the ``rest`` of it without some places. What
    changes something notes what is there ``before``, by which it can ``recover``; what writes
    a text can ``compare`` without it, and all others do not need one. What brings a thing elsewhere
    names the ``target``.
    """

    def places(given: L) -> tuple[str, ...]:
        paths = [given.path] if isinstance(given, Located) else []
        paths += [] if target is None else [target(given)]
        return tuple(os.path.normpath(path) for path in paths)

    async def perform(given: L) -> Outcome:
        return await in_thread(lambda: act(given))

    async def marked(given: L) -> str | Refused:
        return "" if mark is None else await in_thread(lambda: mark(given))

    async def marked_all(several: Sequence[L]) -> list[str] | Refused:
        # One thread for all: 10,000 turns of the event loop cost ten times what the looks do.
        return [] if mark is None else await in_thread(lambda: [mark(each) for each in several])

    async def marked_rest(given: L, apart: tuple[str, ...]) -> str | Refused:
        return "" if rest is None else await in_thread(lambda: rest(given, apart))

    return Tool(
        name=f"files.{achieves}",
        intent="file_operation",
        achieves=frozenset({achieves}),
        params=params,
        act=perform,
        check=self_evident if check is None else checked(check),
        marks=None if mark is None else marked,
        marks_all=None if mark is None else marked_all,
        marks_rest=None if rest is None else marked_rest,
        works_at=None if before is None else places,
        records=None if before is None else recorded(before),
        recovers=None if recover is None else recovered(recover),
        compares=None if recover is None else recovered(compare or recover),
    )


def recorded(before: Callable[[L], Before]) -> Callable[[L], Awaitable[Record | None]]:
    """Note in a thread what is there before; what may not be looked at will not be touched."""

    def look(given: L) -> Before:
        try:
            return before(given)
        except Refusal:
            return REFUSED

    async def records(given: L) -> Record | None:
        seen = await in_thread(lambda: look(given))
        return None if isinstance(seen, Refused) else msgspec.to_builtins(seen)

    return records


def recovered(
    recover: Callable[[L, Before], Recovered],
) -> Callable[[L, Record], Awaitable[Recovered]]:
    """Find out in a thread what became of interrupted work; who cannot look cannot tell."""

    def find_out(given: L, before: Before) -> Recovered:
        try:
            return None if before.refused else recover(given, before)
        except (Refusal, OSError, RecursionError) as error:
            return Unknown(str(error))

    async def recovers(given: L, record: Record) -> Recovered:
        before = msgspec.convert(record, Before)
        return await in_thread(lambda: find_out(given, before))

    return recovers


def checked(check: Callable[[L, Done], bool | None]) -> Callable[[L, Done], Awaitable[bool | None]]:
    """Run a check in a thread; a check that cannot look has not seen the effect."""

    async def look_afterwards(given: L, done: Done) -> bool | None:
        seen = await in_thread(lambda: check(given, done))
        return False if isinstance(seen, Refused) else seen

    return look_afterwards
