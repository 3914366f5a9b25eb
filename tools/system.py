"""Questions about this machine and the calendar: the time, its names and what it is busy with."""

import os
import platform
import pwd
import shutil
import socket
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

import anyio.to_thread
import psutil

from messages.executing import Done, Outcome, Refused
from messages.message import Row, Value
from messages.results import Code
from tools.text import printable
from tools.time_zones import TimeIn, tell_time_in
from tools.tool import AnyTool, Params, Tool, always
from tools.weekdays import WEEKDAYS, WeekdayOf, tell_weekday

SHOWN_PROCESSES = 200
SAMPLE_SECONDS = 0.3  # over which the work of processors is measured
# An address that nobody has: a socket bound for it tells which of ours would be used.
ELSEWHERE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
DISCARD_PORT = 9

P = TypeVar("P", bound=Params)


class Get(Params, frozen=True):
    """Which question."""

    target: Literal[
        "time",
        "date",
        "uptime",
        "battery",
        "memory",
        "disk",
        "processes",
        "address",
        "hostname",
        "user",
        "cpu",
        "system",
    ]


class Top(Params, frozen=True):
    """The programs that use most of something."""

    by: Literal["memory", "cpu"]
    limit: int


@dataclass(slots=True)
class Usage:
    """What all processes of one name use together."""

    processes: int = 0
    memory: int = 0
    cpu: float = 0.0


def system_tools(disk: Path) -> tuple[AnyTool, ...]:
    """Declare the tools; ``disk`` is the folder whose disk is meant."""
    return (
        query("time", tell_time, instant=True),
        query("date", tell_date, instant=True),
        query("uptime", uptime),
        query("battery", battery, is_available=has_battery, hint="no battery was found"),
        query("memory", memory),
        query("disk", lambda: disk_space(disk)),
        query("processes", processes),
        query("address", addresses),
        query("hostname", lambda: {"hostname": printable(socket.gethostname())}),
        query("user", user),
        query("cpu", cpu),
        query("system", operating_system),
        question("system.top", "system_top", Top, top_programs),
        question("time_zones.time_in", "system_time_in", TimeIn, tell_time_in),
        question("system.weekday", "system_weekday", WeekdayOf, tell_weekday),
    )


def question(name: str, achieves: str, params: type[P], answer: Callable[[P], Outcome]) -> AnyTool:
    """Declare the tool for a question that says more than what it is about."""

    async def act(asked: P) -> Outcome:
        return await anyio.to_thread.run_sync(answer, asked)

    return Tool(
        name=name,
        intent="system_query",
        achieves=frozenset({achieves}),
        params=params,
        act=act,
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


def tell_date() -> Row:
    today = time.localtime()
    return {"date": time.strftime("%Y-%m-%d", today), "weekday": WEEKDAYS[today.tm_wday]}


def uptime() -> Row:
    begun = psutil.boot_time()
    since = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(begun))
    return {"seconds": int(time.time() - begun), "since": since}


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


def addresses() -> Row:
    """Give the addresses of this machine: those of its interfaces, and the one used for others."""
    found: dict[int, list[str]] = {family: [] for family in ELSEWHERE}
    for name, its_addresses in sorted(psutil.net_if_addrs().items()):
        for entry in its_addresses:
            if entry.family in found and not is_own(name, entry.address):
                found[entry.family].append(entry.address.partition("%")[0])
    used = next(filter(None, map(address_used, ELSEWHERE)), None)
    fallback = next((address for several in found.values() for address in several), None)
    ipv4, ipv6 = found[socket.AF_INET], found[socket.AF_INET6]
    return {"address": used or fallback, "ipv4": ipv4, "ipv6": ipv6}


def is_own(interface: str, address: str) -> bool:
    """Tell whether an address is one by which only this machine reaches itself."""
    return interface == "lo" or address.startswith("127.") or address == "::1"


def address_used(family: int) -> str | None:
    """Tell which address this machine speaks to others from; nothing is sent for that."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((ELSEWHERE[socket.AddressFamily(family)], DISCARD_PORT))
            return str(probe.getsockname()[0])
    except OSError:
        return None


def user() -> Row:
    number = os.getuid()
    try:
        entry = pwd.getpwuid(number)
    except KeyError:  # in a container a user may have a number only
        return {"user": str(number), "name": "", "home": str(Path.home())}
    return {"user": entry.pw_name, "name": entry.pw_gecos.partition(",")[0], "home": entry.pw_dir}


def cpu() -> Row:
    busy = psutil.cpu_percent(SAMPLE_SECONDS)
    load = [round(part, 2) for part in os.getloadavg()]
    return {"percent": busy, "cores": psutil.cpu_count() or 1, "load": load}


def operating_system() -> Row:
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        name = platform.system()
    kernel = f"{platform.system()} {platform.release()}"
    return {"system": name, "kernel": kernel, "machine": platform.machine()}


def top_programs(params: Top) -> Outcome:
    """Add up what the processes of each program use; memory they share counts for each."""
    programs: dict[str, Usage] = defaultdict(Usage)
    for name, memory, busy in samples(measure_cpu=params.by == "cpu"):
        usage = programs[name]
        usage.processes += 1
        usage.memory += memory
        usage.cpu += busy
    largest = sorted(programs.items(), key=lambda pair: (-getattr(pair[1], params.by), pair[0]))
    return Done([row_of(name, usage, params.by) for name, usage in largest[: params.limit]])


def row_of(name: str, usage: Usage, by: str) -> Row:
    row: dict[str, str | int | float] = {"name": name, "processes": usage.processes}
    row["memory"] = usage.memory
    return {**row, "cpu": round(usage.cpu, 1)} if by == "cpu" else row


def samples(*, measure_cpu: bool) -> Iterator[tuple[str, int, float]]:
    """Give name, memory and share of a processor of every process that can be looked at."""
    running = list(psutil.process_iter(["name", "memory_info"]))
    if measure_cpu:
        for process in running:
            cpu_share(process)
        time.sleep(SAMPLE_SECONDS)
    for process in running:
        memory = process.info["memory_info"]
        size = memory.rss if memory else 0
        busy = cpu_share(process) if measure_cpu else 0.0
        yield printable(process.info["name"] or ""), size, busy


def cpu_share(process: psutil.Process) -> float:
    """Give the share of a processor since the last time this was asked; 0 for one that ended."""
    try:
        return float(process.cpu_percent())
    except psutil.Error:
        return 0.0
