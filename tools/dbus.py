"""Calls on D-Bus: to the services of a user's session, and to those of the system.

The protocol is jeepney's; the socket is ours, so that every call has a limit in time and can be
given up. A connection lasts for as long as one piece of work.
"""

import os
import struct
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeVar

import anyio
from anyio.abc import SocketStream
from jeepney import DBusAddress, DBusErrorResponse, Message, Parser, new_method_call
from jeepney.auth import BEGIN, AuthenticationError, Authenticator
from jeepney.bus import get_bus
from jeepney.low_level import HeaderFields, MessageType

from messages.executing import Refused
from messages.results import Code

SECONDS = 10.0
BUS_NAME, BUS_PATH = "org.freedesktop.DBus", "/org/freedesktop/DBus"
PROPERTIES = "org.freedesktop.DBus.Properties"
SYSTEM_SOCKET = "/run/dbus/system_bus_socket"
CHUNK = 65_536
GARBLED = "garbled"

# What D-Bus says where nobody has the name that was called.
NOBODY = frozenset(
    {
        "org.freedesktop.DBus.Error.ServiceUnknown",
        "org.freedesktop.DBus.Error.NameHasNoOwner",
        "org.freedesktop.DBus.Error.Spawn.ServiceNotFound",
    }
)
DENIED = frozenset(
    {
        "org.freedesktop.DBus.Error.AccessDenied",
        "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired",
    }
)

Which: TypeAlias = Literal["session", "system"]
T = TypeVar("T")


class BusError(Exception):
    """A service answered with an error: its ``name``, and what it said."""

    def __init__(self, name: str, said: str) -> None:
        super().__init__(said or name)
        self.name = name


@dataclass(frozen=True, slots=True)
class Remote:
    """An object of a service, and the interface that is spoken to."""

    service: str
    path: str
    interface: str


@dataclass(slots=True)
class Connection:
    """A connection to a bus, on which one call is made after the other."""

    stream: SocketStream
    parser: Parser = field(default_factory=Parser)
    serial: int = 0

    async def call(
        self, remote: Remote, member: str, signature: str = "", body: tuple[Any, ...] = ()
    ) -> tuple[Any, ...]:
        """Call a method and give what it returns."""
        to = DBusAddress(remote.path, bus_name=remote.service, interface=remote.interface)
        message = new_method_call(to, member, signature or None, body)
        self.serial += 1
        await self.stream.send(message.serialise(self.serial))
        reply = await self._reply_to(self.serial)
        if reply.header.message_type is MessageType.error:
            error = DBusErrorResponse(reply)
            said = error.data[0] if error.data and isinstance(error.data[0], str) else ""
            raise BusError(error.name or "", said)
        returned: tuple[Any, ...] = reply.body
        return returned

    async def _reply_to(self, serial: int) -> Message:
        while True:
            message = self._parsed()
            if message is None:
                self.parser.add_data(await self.stream.receive(CHUNK))
            elif message.header.fields.get(HeaderFields.reply_serial) == serial:
                return message

    def _parsed(self) -> Message | None:
        """Give the next message, as soon as all of it has come."""
        try:
            message: Message | None = self.parser.get_next_message()
        except (ValueError, KeyError, IndexError, struct.error) as error:
            raise BusError(GARBLED, "what answers there does not speak D-Bus") from error
        return message

    async def get(self, remote: Remote, name: str) -> Any:
        """Read a property."""
        properties = Remote(remote.service, remote.path, PROPERTIES)
        ((_, value),) = await self.call(properties, "Get", "ss", (remote.interface, name))
        return value

    async def set(self, remote: Remote, name: str, value: tuple[str, Any]) -> None:
        """Set a property to a value, which comes with its signature."""
        properties = Remote(remote.service, remote.path, PROPERTIES)
        await self.call(properties, "Set", "ssv", (remote.interface, name, value))

    async def get_all(self, remote: Remote) -> dict[str, Any]:
        """Read all properties of an interface."""
        properties = Remote(remote.service, remote.path, PROPERTIES)
        (found,) = await self.call(properties, "GetAll", "s", (remote.interface,))
        return {name: value for name, (_, value) in found.items()}

    async def process_of(self, name: str) -> int:
        """Tell which process has a name on this bus."""
        bus = Remote(BUS_NAME, BUS_PATH, BUS_NAME)
        (number,) = await self.call(bus, "GetConnectionUnixProcessID", "s", (name,))
        return int(number)

    async def names(self) -> list[str]:
        """List the names that somebody has on this bus."""
        (names,) = await self.call(Remote(BUS_NAME, BUS_PATH, BUS_NAME), "ListNames")
        return list(names)


async def on_bus(
    which: Which, work: Callable[[Connection], Awaitable[T]], hint: str = ""
) -> T | Refused:
    """Connect to a bus, do some work on it, and give what came of it or why there was nothing.

    Where no service has the name that is called, ``hint`` says what to install or to start.
    """
    address = address_of(which)
    if address is None or not has_bus(which):
        needs = f"; {hint}" if hint else ""
        return Refused(Code.NO_CAPABILITY, f"there is no D-Bus of the {which} here{needs}")
    try:
        with anyio.fail_after(SECONDS):
            async with await anyio.connect_unix(address) as stream:
                return await work(await greeted(stream))
    except TimeoutError:
        return Refused(Code.TIMEOUT, "a service on D-Bus did not answer", transient=True)
    except (OSError, anyio.EndOfStream, anyio.BrokenResourceError, AuthenticationError) as error:
        message = f"the D-Bus of the {which} does not answer: {error or type(error).__name__}"
        return Refused(Code.UNAVAILABLE, message, transient=True)
    except BusError as error:
        return refusal_of(error, hint)


async def greeted(stream: SocketStream) -> Connection:
    """Say who we are, as every client of a bus must."""
    handshake = Authenticator()
    for data in handshake:
        await stream.send(data)
        handshake.feed(await stream.receive(CHUNK))
    await stream.send(BEGIN)
    connection = Connection(stream)
    await connection.call(Remote(BUS_NAME, BUS_PATH, BUS_NAME), "Hello")
    return connection


def sendable(text: str) -> str:
    r"""Give a text as D-Bus can carry it: it knows neither null characters nor half ones.

    >>> sendable("a\0b\ud800")
    'a b?'
    """
    return text.replace("\0", " ").encode(errors="replace").decode()


def refusal_of(error: BusError, hint: str) -> Refused:
    if error.name in NOBODY:
        return Refused(Code.NO_CAPABILITY, hint or str(error))
    if error.name in DENIED:
        return Refused(Code.NOT_ALLOWED, f"the system does not allow it: {error}")
    return Refused(Code.UNAVAILABLE, str(error))


def has_bus(which: Which) -> bool:
    """Tell whether there is such a bus, without asking it anything."""
    address = address_of(which)
    return address is not None and (address.startswith("\0") or os.path.exists(address))


def address_of(which: Which) -> str | None:
    """Find the socket of a bus; None where there is none that can be spoken to."""
    given = os.environ.get(f"DBUS_{which.upper()}_BUS_ADDRESS")
    if not given:
        return SYSTEM_SOCKET if which == "system" else usual_session_socket()
    try:
        found: str = get_bus(given)
    except (RuntimeError, ValueError, StopIteration):
        return None
    return found


def usual_session_socket() -> str | None:
    """Give where login sessions of today have their bus."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return os.path.join(runtime, "bus") if runtime else None
