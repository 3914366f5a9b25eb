"""The Unix socket: opened for its owner alone, one daemon per state folder and per address."""

import fcntl
import os
import resource
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

import anyio
import anyio.abc

OTHER_DESCRIPTORS = 1_000


class Occupied(Exception):
    """Another daemon is there already."""


class UnusableFolder(OSError):
    """The state folder cannot be made, or not be written to."""


@contextmanager
def claimed(state: Path) -> Iterator[None]:
    """Hold the state folder: a second daemon on it is refused."""
    with lock_file(state) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Occupied(f"another daemon uses the state folder {state}") from None
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        yield


def lock_file(state: Path) -> TextIO:
    """Open the file that says who holds a state folder, which is made if need be."""
    try:
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
        return (state / "behest.lock").open("w")
    except OSError as error:
        told = f"the state folder {state} cannot be used ({error.strerror})"
        raise UnusableFolder(f"{told}; choose another with --state DIR") from None


async def listen(path: Path) -> anyio.abc.SocketListener:
    """Open the socket with mode 0600; a stale one is replaced, a live one refused."""
    if answers(path):
        raise Occupied(f"another daemon listens on {path}")
    make_way(path)
    before = os.umask(0o177)  # no moment in which others could connect
    try:
        return await anyio.create_unix_listener(path, mode=0o600)
    finally:
        os.umask(before)


def make_room(connections: int) -> None:
    """Let this process have as many connections as it is to serve, as far as the system lets it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + OTHER_DESCRIPTORS
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def make_way(path: Path) -> None:
    """Make the folder of a socket, and take away a stale one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(FileNotFoundError):
        if path.is_socket():
            path.unlink()
        elif path.exists():
            raise Occupied(f"{path} is in the way: it is no socket")


def answers(path: Path) -> bool:
    """Tell whether somebody listens on a socket."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except OSError:
            return False
        return True


def refuse_strangers(stream: anyio.abc.SocketStream) -> str | None:
    """Refuse a peer of another user than the daemon's, root's among them."""
    raw = stream.extra(anyio.abc.SocketAttribute.raw_socket)  # noqa: S610 - not Django's
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    credentials = raw.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, uid, _ = struct.unpack("3i", credentials)
    return None if uid == os.getuid() else f"uid {uid} is not the daemon's"
