"""Sessions: commands of one session run in the order they were accepted, one after another."""

from collections import deque
from dataclasses import dataclass, field


@dataclass(slots=True)
class Session:
    """One line of commands: the one that runs, and those that wait."""

    running: str | None = None
    waiting: deque[str] = field(default_factory=deque)
    idle_since: float = 0.0


@dataclass(slots=True)
class Sessions:
    """All sessions by name. One that has been idle long enough is forgotten."""

    idle_after: float = 3600.0
    _sessions: dict[str, Session] = field(default_factory=dict)

    def join(self, name: str, command: str) -> int:
        """Put a command in line; give how many are ahead of it. None ahead: it runs now."""
        session = self._sessions.setdefault(name, Session())
        if session.running is None:
            session.running = command
            return 0
        session.waiting.append(command)
        return len(session.waiting)

    def leave(self, name: str, command: str, now: float) -> str | None:
        """Take a command out of its line; give the one whose turn it is now."""
        session = self._sessions[name]
        if session.running != command:
            session.waiting.remove(command)
            return None
        session.running = session.waiting.popleft() if session.waiting else None
        session.idle_since = now
        return session.running

    def forget_idle(self, now: float) -> list[str]:
        """Close the sessions in which nothing happened for long."""
        idle = [
            name
            for name, session in self._sessions.items()
            if session.running is None and now - session.idle_since > self.idle_after
        ]
        for name in idle:
            del self._sessions[name]
        return idle

    def names(self) -> tuple[str, ...]:
        """Name the open sessions."""
        return tuple(sorted(self._sessions))

    def waiting(self) -> int:
        """Count the commands that wait for their turn."""
        return sum(len(session.waiting) for session in self._sessions.values())
