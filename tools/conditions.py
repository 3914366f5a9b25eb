"""Conditions: one look at the machine that says whether something holds."""

import re
import shutil
from pathlib import Path
from typing import Literal

import anyio.to_thread
import psutil

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.audio import volume
from tools.files.queries import bytes_of
from tools.files.roots import Refusal
from tools.programs import installed
from tools.system import battery, has_battery
from tools.tool import AnyTool, Params, Tool

INTENT = "system_query"
PERCENT = re.compile(r"(\d+(?:\.\d+)?) ?(?:percent|%)", re.IGNORECASE)
NO_AMOUNT = "{!r} is no amount that {} can be compared with"
GIGABYTE = 1e9


class Compared(Params, frozen=True):
    """What is compared with what."""

    target: Literal["disk", "memory", "battery", "volume"]
    relation: Literal["below", "above"]
    amount: str


def condition_tools(disk: Path) -> tuple[AnyTool, ...]:
    """Declare the tools; ``disk`` is the folder whose disk is meant."""

    async def check_disk(params: Compared) -> Outcome:
        usage = await anyio.to_thread.run_sync(shutil.disk_usage, disk)
        return compare_space(params, usage.free, usage.total)

    return (
        Tool("system.check_disk", INTENT, achieving("disk"), Compared, check_disk),
        Tool("system.check_memory", INTENT, achieving("memory"), Compared, check_memory),
        Tool(
            "system.check_battery",
            INTENT,
            achieving("battery"),
            Compared,
            check_battery,
            is_available=has_battery,
            hint="no battery was found",
        ),
        Tool(
            "system.check_volume",
            INTENT,
            achieving("volume"),
            Compared,
            check_volume,
            is_available=lambda: installed("pactl"),
            hint="install pactl (pulseaudio-utils, or your system's PipeWire tools)",
        ),
    )


def achieving(target: str) -> frozenset[str]:
    return frozenset({f"system_check:{target}"})


async def check_memory(params: Compared) -> Outcome:
    seen = psutil.virtual_memory()
    return compare_space(params, seen.available, seen.total)


async def check_battery(params: Compared) -> Outcome:
    charge = battery()["percent"]
    return compare_percent(params, float(str(charge or 0)), "battery")


async def check_volume(params: Compared) -> Outcome:
    level = await volume()
    return level if isinstance(level, Refused) else compare_percent(params, level, "volume")


def compare_space(params: Compared, free: int, total: int) -> Outcome:
    """Compare what is free with an amount, or with a share of all there is."""
    try:
        said = PERCENT.fullmatch(params.amount)
        wanted = (bytes_of(params.amount) or 0) if said is None else float(said[1]) / 100 * total
    except Refusal:
        return Refused(Code.VALIDATION_FAILED, NO_AMOUNT.format(params.amount, params.target))
    seen = f"{free / GIGABYTE:.1f} GB of {params.target} are free"
    return told(params, free, wanted, seen)


def compare_percent(params: Compared, level: float, what: str) -> Outcome:
    said = PERCENT.fullmatch(params.amount)
    if said is None:
        return Refused(Code.VALIDATION_FAILED, NO_AMOUNT.format(params.amount, params.target))
    return told(params, level, float(said[1]), f"the {what} is at {level:g} percent")


def told(params: Compared, now: float, wanted: float, seen: str) -> Done:
    """Say whether it holds, and what was seen."""
    holds = now < wanted if params.relation == "below" else now > wanted
    return Done({"holds": holds, "seen": seen}, changed=False)
