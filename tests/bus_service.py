"""A service on a bus that stands for one of the system's: it has objects, and notes its calls.

It speaks the real protocol to a real bus; only what it does is made up.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from jeepney import DBusAddress, Message, MessageType, new_error, new_method_call, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection
from jeepney.low_level import HeaderFields

from tests.session_bus import RunningBus

PATIENCE = 30.0
PROPERTIES = "org.freedesktop.DBus.Properties"
NO_SUCH_METHOD = "org.freedesktop.DBus.Error.UnknownMethod"
NO_SUCH_PROPERTY = "org.freedesktop.DBus.Error.UnknownProperty"

Typed = tuple[str, Any]
Answer = tuple[str, tuple[Any, ...]]


class Fault(Exception):
    """An error that a service answers with; its text is the error's name."""


@dataclass
class BusService:
    """What a service has: properties by path and interface, and methods by name.

    One that is ``silent`` hangs: it answers nothing.
    """

    name: str
    properties: dict[tuple[str, str], dict[str, Typed]] = field(default_factory=dict)
    methods: dict[str, Callable[..., Answer]] = field(default_factory=dict)
    calls: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)
    silent: bool = False

    def reply_to(self, message: Message) -> Message:
        """Answer one call."""
        fields = message.header.fields
        path, member = fields[HeaderFields.path], fields[HeaderFields.member]
        try:
            if fields.get(HeaderFields.interface) == PROPERTIES:
                signature, body = self.answer_for_property(path, member, message.body)
            else:
                signature, body = self.answer_for_method(member, message.body)
        except Fault as fault:
            return new_error(message, str(fault), "s", (str(fault),))
        return new_method_return(message, signature or None, body)

    def answer_for_method(self, member: str, body: tuple[Any, ...]) -> Answer:
        self.calls.append((member, body))
        if member not in self.methods:
            raise Fault(NO_SUCH_METHOD)
        return self.methods[member](*body)

    def answer_for_property(self, path: str, member: str, body: tuple[Any, ...]) -> Answer:
        held = self.properties.get((path, body[0]), {})
        if member == "GetAll":
            return "a{sv}", (held,)
        if body[1] not in held:
            raise Fault(NO_SUCH_PROPERTY)
        if member == "Get":
            return "v", (held[body[1]],)
        self.calls.append((f"Set {body[1]}", body[2:]))
        held[body[1]] = body[2]
        return "", ()


@contextmanager
def serving(bus: RunningBus, service: BusService) -> Iterator[BusService]:
    """Have the service on the bus until the block ends."""
    connection = open_dbus_connection(bus=bus.address)
    asked = message_bus.RequestName(service.name)
    connection.send_and_get_reply(asked, timeout=PATIENCE)
    ends = f"{service.name}.End"

    def serve() -> None:
        while True:
            message = connection.receive()
            if message.header.message_type is not MessageType.method_call:
                continue
            if message.header.fields.get(HeaderFields.interface) == ends:
                connection.send(new_method_return(message))
                return
            if not service.silent:
                connection.send(service.reply_to(message))

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield service
    finally:
        with open_dbus_connection(bus=bus.address) as other:
            end = new_method_call(DBusAddress("/", service.name, ends), "End")
            other.send_and_get_reply(end, timeout=PATIENCE)
        thread.join(PATIENCE)
        connection.close()
