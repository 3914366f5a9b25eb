"""Who hears of which command: events go to those who submitted, cancelled or came back to it."""

from dataclasses import dataclass, field

import msgspec

from actors.gateway.outbox import Outbox
from messages import wire

encode = msgspec.json.Encoder().encode
encode_lines = msgspec.json.Encoder().encode_lines

# What tells how far a command is; nobody waits for it to go on.
PROGRESS = frozenset(
    {wire.Interpreted, wire.Planned, wire.Resolved, wire.ActionStarted, wire.ActionFinished}
)


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

    def publish(self, *events: wire.CommandEvent) -> None:
        """Send events of one command to all who listen to it."""
        command, last = events[0].command, type(events[-1])
        if listeners := self._listeners.get(command):
            lines, soon = encode_lines(events)[:-1], last in PROGRESS
            for outbox in listeners:
                outbox.put(lines, soon=soon)
        if last is wire.Finished:
            for outbox in self._listeners.pop(command, ()):
                outbox.followed()
