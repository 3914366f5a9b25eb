"""What "it", "there" and a name said twice refer to: the things a text spoke of before.

A thing is its name together with its place and the goal that spoke of it. A pronoun that could mean
a thing of another kind, or a thing that has moved, means nothing and is said so.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from messages.goals import GoalDraft

GOAL_ID = re.compile(r"g\d+")


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
    """The things of this text so far. Whatever comes between makes a pronoun mean nothing."""

    latest_domain: str | None = None
    _latest: tuple[str, Mention] | None = None
    _named: dict[str, Mention] = field(default_factory=dict)
    _places: dict[str, set[tuple[str, ...]]] = field(default_factory=dict)
    _folder: str | None = None
    _folders: list[str] = field(default_factory=list)

    def recall(self, domain: str, pronoun: str, span: tuple[int, int]) -> Mention:
        """Give the thing that was spoken of last, if it is of this domain."""
        if self._latest is None or self._latest[0] != domain:
            raise Misfit(f"what is {pronoun!r}? nothing that was mentioned; say its name", span)
        return self._latest[1]

    def named(self, name: str, span: tuple[int, int]) -> Mention | None:
        """Give the file of this name that was spoken of before, if it is one and still there."""
        places = self._places.get(name, set())
        if len(places) > 1 or (places and name not in self._named):
            raise Misfit(f"which {name}? say where it is", span)
        return self._named.get(name)

    def check_folder(self, folder: str, span: tuple[int, int]) -> None:
        """Refuse a spoken folder that could be taken for another: of two, or of a goal's id."""
        made = list(self._folders)
        alike = [name for name in made if name != folder and like(name, folder)]
        if made.count(folder) > 1 or alike or GOAL_ID.fullmatch(folder) or folder != folder.strip():
            raise Misfit(f"which folder is {folder!r}? say it another way", span)

    @property
    def has_folder(self) -> bool:
        """Tell whether a folder was spoken of before."""
        return self._folder is not None

    def folder(self, span: tuple[int, int]) -> str:
        """Give the folder that "inside it" means."""
        if self._folder is None:
            raise Misfit("which folder? none was mentioned before; say its name", span)
        return self._folder

    def remember(self, draft: GoalDraft, name: object, places: Sequence[str], goal: int) -> None:
        """Note what a goal spoke of; what it moved, copied or deleted is not "it" any more."""
        self.latest_domain = draft.domain
        mention = Mention(name, tuple(places), goal) if isinstance(name, str) else None
        gone = draft.domain == "file" and draft.verb in {"move", "copy", "delete"}
        looked = draft.domain == "file" and draft.verb in {"list", "find"}  # what it found is "it"
        spoken_of = mention is not None and not gone and not looked
        self._latest = (draft.domain, mention) if mention is not None and spoken_of else None
        if draft.domain != "file":
            return
        spoken = draft.params.get("name")
        if isinstance(spoken, str):
            self._places.setdefault(spoken, set()).add(tuple(places))
        if gone and draft.verb != "copy":
            self._named.pop(str(spoken), None)
        elif mention is not None:
            self._named[mention.name] = mention
        self._note_folder(draft, mention, places, goal)

    def _note_folder(
        self, draft: GoalDraft, mention: Mention | None, places: Sequence[str], goal: int
    ) -> None:
        """Note which folder was spoken of last; one that may be another now is none."""
        if draft.verb in {"list", "find", "rename", "move", "copy", "delete"}:
            self._folder = None
        for place in places:
            kind, _, folder = place.partition(":")
            if kind == "inside":
                self._folder = folder
        made = draft.verb == "create" and draft.params.get("object_type") == "folder"
        if made and mention is not None:
            # A name that was given twice cannot tell the folders apart; the goal can.
            self._folder = f"g{goal}" if mention.name in self._folders else mention.name
            self._folders.append(mention.name)


def like(name: str, other: str) -> bool:
    """Tell whether two names differ only in case, or in the folders before them."""
    return name.casefold().rpartition("/")[2] == other.casefold().rpartition("/")[2]
