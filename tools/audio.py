"""The volume of the default output, through PulseAudio's or PipeWire's ``pactl``."""

import re
from collections.abc import Awaitable, Callable
from typing import TypeVar

from messages.executing import Done, Outcome, Refused
from messages.goals import GoalDraft
from messages.results import Code
from tools.programs import installed, output_of
from tools.tool import AnyTool, Params, Tool

SINK = "@DEFAULT_SINK@"
LOUDEST = 150
PERCENT = re.compile(r"(\d+)%")


class Nothing(Params, frozen=True):
    """No parameters."""


class Level(Params, frozen=True):
    level: int


class Step(Params, frozen=True):
    step: int


P = TypeVar("P", bound=Params)


def audio_tools() -> tuple[AnyTool, ...]:
    """Declare the tools that change the volume."""
    return (
        tool("mute", Nothing, lambda _: silence(mute=True), lambda _p, _d: mute_is(wanted=True)),
        tool(
            "unmute", Nothing, lambda _: silence(mute=False), lambda _p, _d: mute_is(wanted=False)
        ),
        tool("set", Level, lambda p: set_volume(p.level), lambda p, _: is_at(p.level)),
        tool("raise", Step, lambda p: change(p.step), as_reported),
        tool("lower", Step, lambda p: change(-p.step), as_reported),
    )


def tool(
    verb: str,
    params: type[P],
    act: Callable[[P], Awaitable[Outcome]],
    check: Callable[[P, Done], Awaitable[bool | None]],
) -> AnyTool:
    return Tool(
        name=f"audio.{verb}",
        intent="audio_control",
        achieves=frozenset({f"audio_{verb}"}),
        params=params,
        act=act,
        check=check,
        is_available=lambda: installed("pactl"),
        hint="install pactl (pulseaudio-utils, or your system's PipeWire tools)",
    )


async def silence(*, mute: bool) -> Outcome:
    changes = await mute_is(wanted=not mute)
    answer = await output_of(["pactl", "set-sink-mute", SINK, "1" if mute else "0"])
    if isinstance(answer, Refused):
        return answer
    return Done({"muted": mute}, undo=goal("unmute" if mute else "mute") if changes else ())


async def set_volume(level: int) -> Outcome:
    former = await volume()
    if isinstance(former, Refused):
        return former
    answer = await output_of(["pactl", "set-sink-volume", SINK, f"{level}%"])
    if isinstance(answer, Refused):
        return answer
    back = former != level and former <= LOUDEST
    undo = goal("set", level=former) if back else ()
    return Done({"volume": level, "former": former}, undo=undo)


def goal(verb: str, **params: int) -> tuple[GoalDraft, ...]:
    """Give the goal that puts the volume back as it was."""
    return (GoalDraft("audio", verb, params),)


async def change(step: int) -> Outcome:
    """Move the volume by a step, but not past silence or the loudest level allowed."""
    former = await volume()
    if isinstance(former, Refused):
        return former
    return await set_volume(max(0, min(LOUDEST, former + step)))


async def volume() -> int | Refused:
    answer = await output_of(["pactl", "get-sink-volume", SINK])
    if isinstance(answer, Refused):
        return answer
    found = PERCENT.search(answer)
    return int(found[1]) if found else Refused(Code.UNAVAILABLE, "pactl told no volume")


async def mute_is(*, wanted: bool) -> bool | None:
    answer = await output_of(["pactl", "get-sink-mute", SINK])
    if isinstance(answer, Refused):
        return None
    return ("yes" in answer) == wanted


async def is_at(level: int) -> bool | None:
    now = await volume()
    return None if isinstance(now, Refused) else now == level


async def as_reported(_params: Params, done: Done) -> bool | None:
    """Check that the volume is what the action reported."""
    output = done.output
    return await is_at(output["volume"]) if isinstance(output, dict) else None
