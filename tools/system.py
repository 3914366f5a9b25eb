"""Questions about this machine: the time, the battery, memory, disk and processes."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import anyio.to_thread
import psutil

from messages.executing import Done, Outcome, Refused
from messages.message import Row, Value
from messages.results import Code
from tools.text import printable
from tools.tool import AnyTool, Params, Tool, always

SHOWN_PROCESSES = 200


class Get(Params, frozen=True):
    """Which question."""

    target: Literal["time", "battery", "memory", "disk", "processes"]


def system_tools(disk: Path) -> tuple[AnyTool, ...]:
    """Declare the tools; ``disk`` is the folder whose disk is meant."""
    return (
        query("time", tell_time, instant=True),
        query("battery", battery, is_available=has_battery, hint="no battery was found"),
        query("memory", memory),
        query("disk", lambda: disk_space(disk)),
        query("processes", processes),
    )


def query(
    target: str,
    answer: Callable[[], Value],
    *,
    instant: bool = False,
    is_available: Callable[[], bool] = always,
    hint: str = "",
) -> AnyTool:
    """Declare the tool for one question."""

    def look(_params: Get) -> Outcome:
        return Done(answer())

    async def act(_params: Get) -> Outcome:
        try:
            return Done(await anyio.to_thread.run_sync(answer))
        except OSError as error:
            return Refused(Code.IO_FAILED, str(error))

    return Tool(
        name=f"system.{target}",
        intent="system_query",
        achieves=frozenset({f"system_get:{target}"}),
        params=Get,
        act=act,
        look=look if instant else None,
        is_available=is_available,
        hint=hint,
    )


def tell_time() -> Row:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    return {"time": stamp[11:19], "iso": f"{stamp[:-2]}:{stamp[-2:]}"}


def has_battery() -> bool:
    sensors = getattr(psutil, "sensors_battery", None)
    return sensors is not None and sensors() is not None


def battery() -> Row:
    charge = psutil.sensors_battery()
    if charge is None:
        return {"percent": None}
    return {"percent": round(charge.percent, 1), "charging": bool(charge.power_plugged)}


def memory() -> Row:
    seen = psutil.virtual_memory()
    return {"total": seen.total, "available": seen.available, "percent": seen.percent}


def disk_space(folder: Path) -> Row:
    usage = shutil.disk_usage(folder)
    return {"path": str(folder), "total": usage.total, "used": usage.used, "free": usage.free}


def processes() -> list[Row]:
    """List the processes, the largest first."""
    rows: list[tuple[int, Row]] = []
    for process in psutil.process_iter(["pid", "name", "username", "memory_info"]):
        info = process.info
        size = info["memory_info"].rss if info["memory_info"] else 0
        name, user = printable(info["name"] or ""), info["username"]
        row = {"pid": info["pid"], "name": name, "user": user, "memory": size}
        rows.append((size, row))
    rows.sort(key=lambda pair: -pair[0])
    return [row for _, row in rows[:SHOWN_PROCESSES]]
