"""Who hears of which command: events go to those who submitted, cancelled or came back to it."""

from dataclasses import dataclass, field

import msgspec

from actors.gateway.outbox import Outbox
from messages import wire

encode = msgspec.json.Encoder().encode


@dataclass(slots=True)
class Switchboard:
    """The listeners of each command."""

    _listeners: dict[str, list[Outbox]] = field(default_factory=dict)

    def attach(self, command: str, outbox: Outbox) -> None:
        """Let a client hear of a command from now on."""
        listeners = self._listeners.setdefault(command, [])
        if outbox not in listeners:
            listeners.append(outbox)
            outbox.following += 1

    def followed(self) -> tuple[str, ...]:
        """Name the commands of which somebody waits for the end."""
        return tuple(self._listeners)

    def publish(self, event: wire.CommandEvent) -> None:
        """Send an event to all who listen to its command."""
        if listeners := self._listeners.get(event.command):
            line = encode(event)
            for outbox in listeners:
                outbox.put(line)
        if type(event) is wire.Finished:
            for outbox in self._listeners.pop(event.command, ()):
                outbox.followed()
