"""Who hears of which command: events go to those who submitted, cancelled or came back to it."""

from dataclasses import dataclass, field

import msgspec

from actors.gateway.outbox import Outbox
from messages import wire

encode = msgspec.json.Encoder().encode

BOUNDS = frozenset({wire.Accepted, wire.Finished})


@dataclass(slots=True)
class Switchboard:
    """The listeners of each command, and the commands that were accepted and have not ended."""

    _listeners: dict[str, list[Outbox]] = field(default_factory=dict)
    _unfinished: dict[str, None] = field(default_factory=dict)

    def attach(self, command: str, outbox: Outbox) -> None:
        """Let a client hear of a command from now on."""
        listeners = self._listeners.setdefault(command, [])
        if outbox not in listeners:
            listeners.append(outbox)
            outbox.following += 1

    def publish(self, event: wire.CommandEvent) -> None:
        """Send an event to all who listen to its command."""
        if listeners := self._listeners.get(event.command):
            line = encode(event)
            for outbox in listeners:
                outbox.put(line)
        if type(event) in BOUNDS:
            self._note(event)

    def _note(self, event: wire.CommandEvent) -> None:
        """Note that a command begins or ends."""
        command = event.command
        if isinstance(event, wire.Accepted):
            self._unfinished[command] = None
        else:
            self._unfinished.pop(command, None)
            for outbox in self._listeners.pop(command, ()):
                outbox.followed()

    def unfinished(self) -> tuple[str, ...]:
        """Name the commands that were accepted and have not ended."""
        return tuple(self._unfinished)
