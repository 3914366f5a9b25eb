"""Which user is at the other end of a connection on the loopback, as the kernel knows it.

A cookie is sent to every port of a host, so a page of another user's server could catch ours. The
user of a connection cannot be forged.
"""

import socket
from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

Address: TypeAlias = tuple[str, int]

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
MAPPED = "0000000000000000FFFF0000"  # an IPv4 address in an IPv6 socket


def user_of(client: Address, server: Address) -> int | None:
    """Give the user id of the process that connected; None if the kernel does not say."""
    for table in TABLES:
        try:
            lines = table.read_text("ascii").splitlines()
        except OSError:
            continue
        if (user := user_in(lines, client, server)) is not None:
            return user
    return None


def user_in(lines: Iterable[str], client: Address, server: Address) -> int | None:
    """Find a connection in a table of the kernel.

    >>> line = "  7: 0100007F:9C40 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000 0"
    >>> user_in([line], ("127.0.0.1", 40000), ("127.0.0.1", 8080))
    1000
    >>> user_in([line], ("127.0.0.1", 40001), ("127.0.0.1", 8080)) is None
    True
    """
    wanted = [written(client), written(server)]
    for line in lines:
        fields = line.split()
        ends = [end.removeprefix(MAPPED) for end in fields[1:3]]
        if ends == wanted:
            return int(fields[7])
    return None


def written(address: Address) -> str:
    """Write an IPv4 address as the kernel's tables have it."""
    host, port = address
    packed = socket.inet_aton(host)
    return f"{int.from_bytes(packed, 'little'):08X}:{port:04X}"
