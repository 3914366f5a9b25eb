"""What may fill a slot, and the value its words become."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from actors.interpreter.grammar.clauses import HELD, JOINT
from actors.interpreter.grammar.templates import Slot
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
NAMES = frozenset({"name", "to", "folder", "pattern"})
# Several words, options, drives and Windows paths: what must be quoted to be a name.
ODD_NAME = re.compile(r"\s|^-|^[a-z]:|\\|^\d+$|[:?*<>|]$|^\(")
LITERAL = NAMES | {"content"}
REFERRING = frozenset({"name", "to"})


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The names that decide between readings."""

    sites: Mapping[str, str]
    anchors: frozenset[str]
    endings: frozenset[str]
    states: frozenset[str]
    grammatical: frozenset[str]
    describing: frozenset[str]
    pronouns: frozenset[str]

    def shapes(self) -> dict[str, str]:
        """Give the patterns of the slot types that have one: shapes, and lists of words."""
        lists = {
            "site": self.sites,
            "anchor": self.anchors,
            "state": self.states,
            "it": self.pronouns,
        }
        words = {
            kind: "|".join(re.escape(word) for word in sorted(known, key=len, reverse=True))
            or r"(?!)"
            for kind, known in lists.items()
        }
        return {kind: f"(?:{shape})" for kind, shape in (SHAPES | words).items()}

    def fits(self, slot: Slot, text: str) -> bool:
        """Tell whether words may fill a slot: by what it is for, and by its type."""
        word = text.strip().casefold()
        held = HELD.fullmatch(text.strip()) is not None
        if not held and (HELD.search(text) or not self.is_literal(slot, word)):
            return slot.kind == "role" or slot.name not in LITERAL
        match slot.type:
            case "quoted":
                return held
            case "address":
                return word in self.sites or self.is_address(word)
            case "file":
                return held or (" " not in word and self.is_file(word))
            case "thing":
                return held or " " not in word or word in self.pronouns
            case "app":
                return not self.is_file(word) and not self.is_address(word)
            case _:
                return True

    def is_literal(self, slot: Slot, word: str) -> bool:
        """Tell whether unquoted words can be taken word for word.

        A name with words of grammar in it could as well be the beginning of something else, and a
        text that names a thing could mean what is in it: both must be quoted to be meant.
        """
        if word in self.pronouns:
            return slot.name in REFERRING or slot.kind == "role"
        joined = JOINT.search(f" {word} ") is not None
        if slot.name in NAMES:
            if slot.type in {"app", "program"}:  # several words are looked for among what there is
                return not joined and " " not in word
            if slot.type == "named":
                plain = word not in self.grammatical | self.describing
            else:
                plain = len(word) == 1 or word not in self.grammatical
            return plain and ODD_NAME.search(word) is None and not joined
        if slot.name == "content":
            return not (" " in word or word in self.grammatical or self.is_file(word))
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


def value_of(slot: Slot, words: str, lexicon: Lexicon) -> Value:
    """Turn a slot's words into its value."""
    match slot.type:
        case "number":
            return int(words.rstrip("% "))
        case "address":
            return lexicon.sites.get(words.casefold(), words)
        case "site" | "state":
            return words.casefold()
        case _:
            return words
