"""What "it", "there" and a name said twice refer to: the things a text spoke of before.

A thing is its name together with its place and the goal that spoke of it. A pronoun that could mean
a thing of another kind, or a thing that has moved, means nothing and is said so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from messages.goals import GoalDraft


class Misfit(Exception):
    """Words that fit the frame but mean nothing here."""

    def __init__(self, message: str, span: tuple[int, int]) -> None:
        super().__init__(message)
        self.span = span


@dataclass(frozen=True, slots=True)
class Mention:
    """A thing that was spoken of: its name, the scopes of its place, and by which goal."""

    name: str
    places: tuple[str, ...]
    goal: int


@dataclass(slots=True)
class Memory:
    """The things of this text so far."""

    _latest: dict[str, Mention | None] = field(default_factory=dict)
    _named: dict[str, Mention] = field(default_factory=dict)
    _folder: str | None = None
    _folders: set[str] = field(default_factory=set)

    def recall(self, domain: str, pronoun: str, span: tuple[int, int]) -> Mention:
        """Give the thing of this domain that a pronoun means."""
        mention = self._latest.get(domain)
        if mention is None:
            raise Misfit(f"what is {pronoun!r}? nothing that was mentioned; say its name", span)
        return mention

    def named(self, name: str) -> Mention | None:
        """Give the file of this name that was spoken of before."""
        return self._named.get(name)

    def folder(self, span: tuple[int, int]) -> str:
        """Give the folder that "inside it" means."""
        if self._folder is None:
            raise Misfit("which folder? none was mentioned before", span)
        return self._folder

    def remember(self, draft: GoalDraft, name: object, places: Sequence[str], goal: int) -> None:
        """Note what a goal spoke of; what it moved, copied or deleted is not "it" any more."""
        for place in places:
            kind, _, folder = place.partition(":")
            if kind == "inside":
                self._folder = folder
        if not isinstance(name, str):
            return
        gone = draft.domain == "file" and draft.verb in {"move", "copy", "delete"}
        mention = Mention(name, tuple(places), goal)
        self._latest[draft.domain] = None if gone else mention
        if draft.domain == "file" and gone:
            self._named.pop(str(draft.params.get("name")), None)
        elif draft.domain == "file":
            self._named[name] = mention
        if draft.params.get("object_type") == "folder" and not gone:
            # A name that was given twice cannot tell the folders apart; the goal can.
            self._folder = f"g{goal}" if name in self._folders else name
            self._folders.add(name)
