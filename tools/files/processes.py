"""Processes: whether the one that made something still runs.

A number alone does not tell: it is given again, and in a container it is always the same.
"""

import os
from functools import cache
from hashlib import sha256
from pathlib import Path

UNKNOWN = "0-00000000"
ENDED = (b"Z", b"X")
BEGAN = 19  # where the kernel's line on a process, after its name, has the time of its start


def this_process() -> str:
    """Give the mark of this process: its number, and what no other of that number has."""
    return mark_of(os.getpid()) or UNKNOWN


def is_running(mark: str) -> bool:
    """Tell whether the process of this mark may still be at work; where in doubt, it is."""
    number = int(mark.partition("-")[0])
    return mark_of(number) == mark or mark_of(os.getpid()) is None


def mark_of(number: int) -> str | None:
    """Give the mark of the process that has this number now, if there is one."""
    try:
        line = Path(f"/proc/{number}/stat").read_bytes()
    except OSError:
        return None
    fields = line.rpartition(b")")[2].split()
    if fields[0] in ENDED:
        return None
    return f"{number}-{sha256(boot() + fields[BEGAN]).hexdigest()[:8]}"


@cache
def boot() -> bytes:
    """Give what tells this start of the machine from the others."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_bytes()
    except OSError:
        return b""
