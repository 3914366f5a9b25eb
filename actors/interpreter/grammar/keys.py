"""Keys and chords: every way to write them, one way to name them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from actors.interpreter.grammar.sentence import Tok

FUNCTION = re.compile(r"f([1-9]|1\d|2[0-4])")
# Keys that are names of buttons as well.
DOUBTFUL_KEYS = frozenset({"Delete", "Home", "End", "Insert"})
PARTS = re.compile(r"\s*\+\s*|(?<=\w)-(?=\w)|\s+")


@dataclass(frozen=True, slots=True)
class Keyboard:
    """The names of keys and of those that are held while another is pressed."""

    keys: Mapping[str, str]
    held: Mapping[str, str]

    def chord(self, toks: Sequence[Tok]) -> str | None:
        """Name the key or chord that tokens write; None if they write none.

        A single letter is a key only together with one that is held.
        """
        if any(token.quoted is not None for token in toks):
            return None
        return self.named(" ".join([token.key for token in toks]))

    def named(self, said: str) -> str | None:
        if (key := self.keys.get(said)) is not None:
            return key
        if FUNCTION.fullmatch(said):
            return said.upper()
        parts = [part for part in PARTS.split(said) if part]
        held = []
        while parts and parts[0] in self.held:
            held.append(self.held[parts.pop(0)])
        if not held or not parts:
            return None
        last = self.last(" ".join(parts))
        return None if last is None else "+".join([*dict.fromkeys(held), last])

    def last(self, said: str) -> str | None:
        """Name the key that ends a chord; here a letter is one."""
        if len(said) == 1 and not said.isspace():
            return said.upper()
        if FUNCTION.fullmatch(said):
            return said.upper()
        return self.keys.get(said) or self.keys.get(f"arrow {said}")
