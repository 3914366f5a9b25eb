"""Finds the user at the other end of a connection on the loopback.

Browsers send a cookie to every port of a host, so another user's server could receive ours. The
user of a connection cannot be forged. The kernel is asked about the one connection (``sock_diag``).
Its tables list every connection of the machine, and any user can make them long, so they are read
only where ``sock_diag`` is not available.
"""

import errno
import socket
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

Address: TypeAlias = tuple[str, int]

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
MAPPED = "0000000000000000FFFF0000"  # an IPv4 address in an IPv6 socket

# linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h
SOCK_DIAG = 4
BY_FAMILY, IS_ERROR = 20, 2
REQUEST = 1
ALL_STATES = 0xFFFF_FFFF
HEADER = struct.Struct("=IHHII")  # length, type, flags, sequence, port
REQUEST_BODY = struct.Struct("=BBBBI")  # family, protocol, extensions, padding, states
ENDS = struct.Struct("!HH16s16s")
FAMILIES = ((socket.AF_INET, b""), (socket.AF_INET6, bytes(10) + b"\xff\xff"))
NO_COOKIE = struct.pack("=III", 0, ALL_STATES, ALL_STATES)  # any interface, any such socket
# family, state, timer, retries; the ends; interface and cookie; expiry, queues, user, inode
REPLY = struct.Struct("=BBBB36s12s5I")
ANSWER_BYTES = 4096


class CannotTell(Exception):
    """The kernel has no ``sock_diag``, or this process may not use it."""


def user_of(client: Address, server: Address, tables: Sequence[Path] = TABLES) -> int | None:
    """Give the user id of the process that connected; None if no process holds its end."""
    try:
        return query_user(client, server)
    except CannotTell:
        return scan_tables(client, server, tables)


def query_user(client: Address, server: Address) -> int | None:
    """Ask the kernel about one connection; the cost does not grow with their number."""
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, SOCK_DIAG) as kernel:
            for family, prefix in FAMILIES:
                ends = ENDS.pack(
                    client[1],
                    server[1],
                    prefix + address_bytes(client),
                    prefix + address_bytes(server),
                )
                kernel.send(request_for(family, ends))
                user = parse_answer(kernel.recv(ANSWER_BYTES, socket.MSG_DONTWAIT), ends)
                if user is not None:
                    return user
    except (OSError, struct.error) as problem:
        raise CannotTell from problem
    return None


def request_for(family: int, ends: bytes) -> bytes:
    asked = REQUEST_BODY.pack(family, socket.IPPROTO_TCP, 0, 0, ALL_STATES) + ends + NO_COOKIE
    return HEADER.pack(HEADER.size + len(asked), BY_FAMILY, REQUEST, 1, 0) + asked


def parse_answer(answer: bytes, ends: bytes) -> int | None:
    """Read the user from the kernel's answer, if a process still holds the socket."""
    _, kind, *_ = HEADER.unpack_from(answer)
    if kind == BY_FAMILY and len(answer) >= HEADER.size + REPLY.size:
        *_, found, _, _, _, _, user, inode = REPLY.unpack_from(answer, HEADER.size)
        return int(user) if found == ends and inode else None
    if kind == IS_ERROR and struct.unpack_from("=i", answer, HEADER.size) == (-errno.ENOENT,):
        return None
    raise CannotTell


def scan_tables(client: Address, server: Address, tables: Iterable[Path]) -> int | None:
    """Look for the connection in the kernel's tables."""
    for table in tables:
        try:
            lines = table.read_text("ascii").splitlines()
        except OSError:
            continue
        if (user := user_in(lines, client, server)) is not None:
            return user
    return None


def user_in(lines: Iterable[str], client: Address, server: Address) -> int | None:
    """Find a connection in a table of the kernel.

    A socket that no process holds any more has inode 0, and its user is then given as 0.

    >>> line = "  7: 0100007F:9C40 0100007F:1F90 01 0:0 00:0 0 1000 0 "
    >>> user_in([line + "83521 1"], ("127.0.0.1", 40000), ("127.0.0.1", 8080))
    1000
    >>> user_in([line + "0 1"], ("127.0.0.1", 40000), ("127.0.0.1", 8080)) is None
    True
    >>> user_in([line + "83521 1"], ("127.0.0.1", 40001), ("127.0.0.1", 8080)) is None
    True
    """
    wanted = [table_address(client), table_address(server)]
    for line in lines:
        fields = line.split()
        ends = [end.removeprefix(MAPPED) for end in fields[1:3]]
        if ends == wanted and fields[9] != "0":
            return int(fields[7])
    return None


def address_bytes(address: Address) -> bytes:
    return socket.inet_aton(address[0])


def table_address(address: Address) -> str:
    """Write an IPv4 address as the kernel's tables have it."""
    return f"{int.from_bytes(address_bytes(address), 'little'):08X}:{address[1]:04X}"
