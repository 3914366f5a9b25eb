"""What may fill a slot, and the value its words become."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from actors.interpreter.grammar.clauses import JOINT
from actors.interpreter.grammar.templates import Slot
from messages.goals import GoalDraft
from messages.message import Value

ADDRESS = re.compile(
    r"https?://\S+|(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]+\])(?::\d+)?(?:[/?#]\S*)?"
    r"|[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]\S*)?",
    re.IGNORECASE,
)
SHAPES = {
    "number": r"-?\d{1,6}\s*%?",
    "letter": r"[a-zA-Z]",
    "drive": r"[a-zA-Z]:",
    "word": r"[\w-]+|\ue000\d+\ue001",
}
# Names are taken word for word, so "and" in one must be quoted: it could begin another clause.
NAMES = frozenset({"name", "to", "folder", "pattern"})
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

    def shapes(self) -> dict[str, str]:
        """Give the patterns of the slot types that have one: shapes, and lists of words."""
        lists = {
            "site": self.sites,
            "anchor": self.anchors,
            "state": self.states,
            "it": PRONOUNS,
        }
        words = {
            kind: "|".join(re.escape(word) for word in sorted(known, key=len, reverse=True))
            or r"(?!)"
            for kind, known in lists.items()
        }
        return {kind: f"(?:{shape})" for kind, shape in (SHAPES | words).items()}

    def fits(self, slot: Slot, text: str) -> bool:
        """Tell whether words may fill a slot: by its type, and names without a joint in them."""
        word = text.strip().casefold()
        held = "\ue000" in text
        if slot.name in NAMES and JOINT.search(text):
            return False
        match slot.type:
            case "address":
                return word in self.sites or self.is_address(word)
            case "file":
                return held or (" " not in word and self.is_file(word))
            case "thing":
                return held or " " not in word or word in PRONOUNS or self.is_file(word)
            case "app":
                return not self.is_file(word) and not self.is_address(word)
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
        return "://" in word or not self.is_file(word.partition("/")[0]) or "/" in word


@dataclass(slots=True)
class Memory:
    """What "it" and "there" may mean: the things this text spoke of so far."""

    folder: str | None = None
    thing: str | None = None

    def remember(self, draft: GoalDraft, creates: str | None) -> None:
        """Note what a goal spoke of: what it makes, else what it names."""
        name = draft.params.get(creates or "name")
        if draft.domain not in {"file", "app"} or not isinstance(name, str):
            return
        self.thing = name
        if draft.params.get("object_type") == "folder":
            self.folder = name

    def recall(self, pronoun: str, span: tuple[int, int]) -> str:
        """Give the thing that a pronoun means."""
        if self.thing is None:
            raise Misfit(f"what is {pronoun!r}? nothing was mentioned before", span)
        return self.thing

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


@dataclass(frozen=True, slots=True)
class Context:
    """What the words of a clause may refer to."""

    lexicon: Lexicon
    memory: Memory
    span: tuple[int, int]


def value_of(
    slot: Slot, words: str, literal: Literal["quoted", "plain"], context: Context
) -> Value:
    """Turn a slot's words into its value."""
    plain = literal == "plain"
    match slot.type:
        case "number":
            return int(words.rstrip("% "))
        case "address" if plain:
            return context.lexicon.sites.get(words.casefold(), words)
        case "site" | "state":
            return words.casefold()
        case _ if plain and slot.name in {"name", "to"} and words.casefold() in PRONOUNS:
            return context.memory.recall(words, context.span)
        case _:
            return words
