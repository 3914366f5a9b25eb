"""What may fill a slot, and the value its words become."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from actors.interpreter.grammar.templates import Slot
from messages.goals import GoalDraft
from messages.message import Value

ADDRESS = re.compile(
    r"https?://\S+|(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]+\])(?::\d+)?(?:[/?#]\S*)?"
    r"|[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]\S*)?",
    re.IGNORECASE,
)
PRONOUNS = frozenset({"it", "that", "that file", "this file", "the file", "that folder"})


class Misfit(Exception):
    """Words that fit the frame but mean nothing here."""

    def __init__(self, message: str, span: tuple[int, int]) -> None:
        super().__init__(message)
        self.span = span


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The names that decide between readings."""

    sites: Mapping[str, str]
    anchors: frozenset[str]
    endings: frozenset[str]
    states: frozenset[str]
    empty: frozenset[str]

    def fits(self, kind: str, text: str) -> bool:
        """Tell whether words may fill a slot of this type."""
        word = text.strip().casefold()
        match kind:
            case "address":
                return word in self.sites or self.is_address(word)
            case "site":
                return word in self.sites
            case "file":
                return self.is_file(word)
            case "thing":
                return "\ue000" in text or word in PRONOUNS or " " not in word or self.is_file(word)
            case "app":
                return not self.is_file(word) and not self.is_address(word)
            case "it":
                return word in PRONOUNS
            case "number":
                return re.fullmatch(r"-?\d{1,6}\s*%?", word) is not None
            case "letter":
                return re.fullmatch(r"[a-z]", word) is not None
            case "anchor":
                return word in self.anchors
            case "state":
                return word in self.states
            case "word":
                return re.fullmatch(r"[\w-]+", word) is not None or "\ue000" in text
            case "named":
                return word not in self.empty
            case _:
                return True

    def is_file(self, word: str) -> bool:
        """Tell whether words look like a file's name: its ending is a known one."""
        stem, dot, ending = word.rpartition(".")
        return bool(dot and stem and ending in self.endings and "://" not in word)

    def is_address(self, word: str) -> bool:
        """Tell whether words look like a web address and not like a file."""
        if ADDRESS.fullmatch(word) is None:
            return False
        return "://" in word or not self.is_file(word.split("/")[0]) or "/" in word


@dataclass(slots=True)
class Memory:
    """What "it" and "there" may mean: the things this text spoke of so far."""

    folder: str | None = None
    thing: str | None = None
    names: list[str] = field(default_factory=list)

    def remember(self, draft: GoalDraft) -> None:
        """Note what a goal spoke of."""
        name = draft.params.get("name")
        if draft.domain not in {"file", "app"} or not isinstance(name, str):
            return
        self.thing = name
        if draft.params.get("object_type") == "folder":
            self.folder = name

    def folder_at(self, span: tuple[int, int]) -> "Lazy":
        """Give the folder that "it" means, if somebody asks."""
        return Lazy(self.folder, span)


@dataclass(frozen=True, slots=True)
class Lazy:
    """A name that is missed only when it is used."""

    name: str | None
    span: tuple[int, int]

    def __format__(self, _spec: str) -> str:
        if self.name is None:
            raise Misfit("which folder? none was mentioned before", self.span)
        return self.name


def value_of(
    slot: Slot,
    words: str,
    quoted: bool,
    memory: Memory,
    lexicon: Lexicon,
    span: tuple[int, int],  # noqa: FBT001
) -> Value:
    """Turn a slot's words into its value."""
    match slot.type:
        case "number":
            return int(words.rstrip("% "))
        case "address" if not quoted:
            return lexicon.sites.get(words.casefold(), words)
        case "site" | "state" | "letter":
            return words.casefold()
        case _:
            pass
    if not quoted and slot.name in {"name", "to"} and words.casefold() in PRONOUNS:
        if memory.thing is None:
            raise Misfit(f"what is {words!r}? nothing was mentioned before", span)
        return memory.thing
    return words
