"""The volume of the default output and the microphone, through ``pactl``.

PulseAudio and PipeWire both have it. Where nothing records, the default source is the monitor of an
output: that is no microphone.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from messages.executing import Done, Outcome, Refused
from messages.goals import GoalDraft
from messages.results import Code
from tools.programs import installed, output_of
from tools.tool import AnyTool, Params, Tool, self_evident

SINK, SOURCE = "@DEFAULT_SINK@", "@DEFAULT_SOURCE@"
MONITOR = ".monitor"
NO_MICROPHONE = "no microphone is connected"
LOUDEST = 150
PERCENT = re.compile(r"(\d+)%")


class Nothing(Params, frozen=True):
    """No parameters."""


class Level(Params, frozen=True):
    level: int


class Step(Params, frozen=True):
    step: int


@dataclass(frozen=True, slots=True)
class Muting:
    """Something that can be muted: its name, the verbs for it, and how ``pactl`` calls it."""

    name: str
    mutes: str
    unmutes: str
    kind: str
    device: str


OUTPUT = Muting("audio", "mute", "unmute", "sink", SINK)
MICROPHONE = Muting("microphone", "mute_mic", "unmute_mic", "source", SOURCE)
P = TypeVar("P", bound=Params)


def audio_tools() -> tuple[AnyTool, ...]:
    """Declare the tools that tell and change the volume."""
    return (
        *muting_tools(OUTPUT),
        tool("set", Level, lambda p: set_volume(p.level), lambda p, _: is_at(p.level)),
        tool("raise", Step, lambda p: change(p.step), as_reported),
        tool("lower", Step, lambda p: change(-p.step), as_reported),
        tool("get", Nothing, tell_volume, self_evident),
        *muting_tools(MICROPHONE),
    )


def muting_tools(muting: Muting) -> tuple[AnyTool, AnyTool]:
    """Declare the tools that silence something and let it be heard again."""

    def declare(verb: str, *, mute: bool) -> AnyTool:
        return tool(
            verb,
            Nothing,
            lambda _: silence(muting, mute=mute),
            lambda _p, _d: mute_is(muting, wanted=mute),
            name=f"{muting.name}.{'mute' if mute else 'unmute'}",
        )

    return declare(muting.mutes, mute=True), declare(muting.unmutes, mute=False)


def tool(
    verb: str,
    params: type[P],
    act: Callable[[P], Awaitable[Outcome]],
    check: Callable[[P, Done], Awaitable[bool | None]],
    name: str = "",
) -> AnyTool:
    return Tool(
        name=name or f"audio.{verb}",
        intent="audio_control",
        achieves=frozenset({f"audio_{verb}"}),
        params=params,
        act=act,
        check=check,
        is_available=lambda: installed("pactl"),
        hint="install pactl (pulseaudio-utils, or your system's PipeWire tools)",
    )


async def silence(muting: Muting, *, mute: bool) -> Outcome:
    if muting is MICROPHONE and await has_microphone() is False:
        return Refused(Code.UNAVAILABLE, NO_MICROPHONE)
    changes = await mute_is(muting, wanted=not mute)
    command = ["pactl", f"set-{muting.kind}-mute", muting.device, "1" if mute else "0"]
    answer = await output_of(command)
    if isinstance(answer, Refused):
        return answer
    undo = goal(muting.unmutes if mute else muting.mutes) if changes else ()
    return Done({"muted": mute}, undo=undo, changed=changes is not False)


async def tell_volume(_params: Nothing) -> Outcome:
    """Tell how loud it is, and what is muted; no microphone is neither muted nor not."""
    level = await volume()
    if isinstance(level, Refused):
        return level
    muted = await mute_is(OUTPUT, wanted=True)
    recording = await has_microphone()
    microphone = await mute_is(MICROPHONE, wanted=True) if recording else None
    return Done({"volume": level, "muted": muted, "microphone_muted": microphone})


async def has_microphone() -> bool | None:
    """Tell whether something records; None where nobody answers."""
    answer = await output_of(["pactl", "get-default-source"])
    if isinstance(answer, Refused):
        return None
    return bool(answer.strip()) and not answer.strip().endswith(MONITOR)


async def set_volume(level: int) -> Outcome:
    former = await volume()
    if isinstance(former, Refused):
        return former
    answer = await output_of(["pactl", "set-sink-volume", SINK, f"{level}%"])
    if isinstance(answer, Refused):
        return answer
    back = former != level and former <= LOUDEST
    undo = goal("set", level=former) if back else ()
    lasting = "" if back else f"it was louder than {LOUDEST}%, which is not set again"
    said = {"volume": level, "former": former}
    return Done(said, undo=undo, changed=former != level, lasting=lasting)


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


async def mute_is(muting: Muting, *, wanted: bool) -> bool | None:
    answer = await output_of(["pactl", f"get-{muting.kind}-mute", muting.device])
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
