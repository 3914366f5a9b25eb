"""Sessions: commands of one session run in the order they were accepted, one after another."""

from collections import OrderedDict, deque
from dataclasses import dataclass, field

from messages.targets import Recent

REMEMBERED = 1_000
NOTHING_YET = Recent()


@dataclass(slots=True)
class Session:
    """One line of commands: the one that runs, and those that wait."""

    running: str
    waiting: deque[str] = field(default_factory=deque)


@dataclass(slots=True)
class Sessions:
    """The sessions in which something runs, and what was spoken of last in the latest of them.

    ``begins_on_page`` if the browser may have pages open that nobody here opened.
    """

    begins_on_page: bool = False
    _sessions: dict[str, Session] = field(default_factory=dict)
    _recent: OrderedDict[str, Recent] = field(default_factory=OrderedDict)
    _paged: OrderedDict[str, None] = field(default_factory=OrderedDict)
    _said: OrderedDict[str, str] = field(default_factory=OrderedDict)

    def recall(self, name: str) -> Recent:
        """Give what "it" and "them" mean in a session."""
        return self._recent.get(name, NOTHING_YET)

    def remember(self, name: str, recent: Recent) -> None:
        """Note what was spoken of last; the sessions longest unused are forgotten."""
        if recent == NOTHING_YET:
            return
        self._recent[name] = recent
        self._recent.move_to_end(name)
        if len(self._recent) > REMEMBERED:
            self._recent.popitem(last=False)

    def last_said(self, name: str) -> str | None:
        """Give the words of the last command of a session; None if they are not known."""
        return self._said.get(name)

    def note_said(self, name: str, text: str) -> None:
        """Note what was said last in a session."""
        self._said[name] = text
        self._said.move_to_end(name)
        if len(self._said) > REMEMBERED:
            self._said.popitem(last=False)

    def note_page(self, name: str) -> None:
        """Note that a session has a web page before it."""
        self._paged[name] = None
        self._paged.move_to_end(name)
        if len(self._paged) > REMEMBERED:
            self._paged.popitem(last=False)

    def is_on_page(self, name: str) -> bool:
        """Tell whether a session has a web page before it."""
        return self.begins_on_page or name in self._paged

    def running(self, name: str) -> str | None:
        """Give the command whose turn it is."""
        session = self._sessions.get(name)
        return None if session is None else session.running

    def join(self, name: str, command: str) -> int:
        """Put a command in line; give how many are ahead of it. None ahead: it runs now."""
        session = self._sessions.get(name)
        if session is None:
            self._sessions[name] = Session(command)
            return 0
        session.waiting.append(command)
        return len(session.waiting)

    def leave(self, name: str, command: str) -> str | None:
        """Take a command out of its line; give the one whose turn it is now.

        One that stepped aside is in no line.
        """
        session = self._sessions.get(name)
        if session is None:
            return None
        if session.running != command:
            if command in session.waiting:
                session.waiting.remove(command)
            return None
        if not session.waiting:
            del self._sessions[name]
            return None
        session.running = session.waiting.popleft()
        return session.running

    def rejoin(self, name: str, command: str) -> bool:
        """Put a command that stepped aside back in line, first of all; tell if it may go on now."""
        session = self._sessions.get(name)
        if session is None:
            self._sessions[name] = Session(command)
            return True
        session.waiting.appendleft(command)
        return False

    def is_awaited(self, name: str) -> bool:
        """Tell whether a command of a session waits for its turn."""
        session = self._sessions.get(name)
        return session is not None and bool(session.waiting)

    def names(self) -> tuple[str, ...]:
        """Name the sessions in which something runs."""
        return tuple(sorted(self._sessions))

    def waiting(self) -> int:
        """Count the commands that wait for their turn."""
        return sum(len(session.waiting) for session in self._sessions.values())
