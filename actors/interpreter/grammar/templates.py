"""Frame templates: a small language for ways to say a thing, compiled once, when it is needed.

``create [a|the] (folder|directory) {name}``: words, optional words, choices, word lists
``<folder>`` from the lexicon, and slots ``{name}``, typed ``{url:address}``, or filled with the
words of a target, ``{target=role}``. Templates come from our tables, never from a user.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

TOKEN = re.compile(
    r"<(?P<list>\w+)>|\{(?P<slot>\w+)(?::(?P<type>\w+))?(?P<role>=role)?\}"
    r"|(?P<punct>[\[\](|)])|(?P<word>[^\s\[\](|){}<>]+)"
)


@dataclass(frozen=True, slots=True)
class Slot:
    """A gap in a template, and what may fill it."""

    name: str
    type: str
    kind: Literal["param", "role"]


@dataclass(frozen=True)
class Template:
    """A way to say something. It is compiled when a clause first begins like it."""

    expression: str
    slots: tuple[Slot, ...]
    openers: frozenset[str]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.expression, re.IGNORECASE)

    def match(self, clause: str) -> dict[Slot, str] | None:
        """Match a whole clause; give the words that filled each slot."""
        found = self.pattern.fullmatch(clause)
        if found is None:
            return None
        return {slot: found[slot.name].strip() for slot in self.slots if found[slot.name]}


def compile_template(
    template: str, lexicon: Mapping[str, list[str]], shapes: Mapping[str, str]
) -> Template:
    """Compile one template; ``shapes`` are the patterns of slot types that have one."""
    slots: list[Slot] = []
    parts = [piece(token, lexicon, shapes, slots) for token in TOKEN.finditer(template)]
    return Template("".join(parts).strip(), tuple(slots), openers_of(template, lexicon))


def piece(
    token: re.Match[str],
    lexicon: Mapping[str, list[str]],
    shapes: Mapping[str, str],
    slots: list[Slot],
) -> str:
    """Give the pattern for one token; every word swallows the space after it."""
    if name := token["list"]:
        return f"(?:{'|'.join(phrase(words) for words in lexicon[name])})"
    if name := token["slot"]:
        slots.append(Slot(name, token["type"] or "text", "role" if token["role"] else "param"))
        shape = shapes.get(token["type"] or "", r"\S(?:.*?\S)??")
        return rf"(?P<{name}>{shape})(?:\s+|$)"
    if token["punct"]:
        return {"[": "(?:", "]": ")?", "(": "(?:", ")": ")", "|": "|"}[token["punct"]]
    return phrase(token["word"])


def phrase(words: str) -> str:
    """Match words with any space between them and after them."""
    gap = r"(?:\s+|$)" if words[-1].isalnum() else r"\s*"
    before = "" if words[0].isalnum() else r"\s*"
    return before + r"\s+".join(re.escape(word) for word in words.split()) + gap


def openers_of(template: str, lexicon: Mapping[str, list[str]]) -> frozenset[str]:
    """Give the words that a clause which fits may begin with; no template begins with a slot."""
    found: set[str] = set()
    depth = 0
    first = True
    for token in TOKEN.finditer(template):
        if token["punct"]:
            depth += {"(": 1, ")": -1}.get(token["punct"], 0)
            first = first or token["punct"] == "|"
        elif first:
            words = lexicon[token["list"]] if token["list"] else [token["word"]]
            found.update(word.split()[0].casefold() for word in words)
            first = False
        if depth == 0 and not first:
            break
    return frozenset(found)
