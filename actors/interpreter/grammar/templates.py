"""Templates: the ways to say something, compiled from the table and matched against tokens.

    words          [optional words]     (one|another)     <list of the table>
    {slot}         {slot:type}          {slot=role}       {slot=role:type}       {1.slot}

A slot takes tokens and becomes a parameter, or words for a thing (``=role``), of the frame's
first goal or of the one it is numbered with. Matching is deterministic but for where free slots
end; every place where what follows may begin is tried.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from actors.interpreter.grammar.sentence import Tok
from actors.language.words import ARTICLES, RELATIONS

TOKEN = re.compile(
    r"<(?P<list>[\w ]+)>|\{(?:(?P<goal>\d)\.)?(?P<slot>\w+)(?P<role>=role)?(?::(?P<type>\w+))?\}"
    r"|(?P<punct>[\[\]()|])|(?P<word>[^\s\[\]()|{}<>]+)"
)
MAX_FITS = 12
# Ends that are tried for the slots of one template: more stand only in texts that nobody says.
MAX_ENDS = 150

# Words that join a name to something, and may begin one: "click In progress".
RELATING = frozenset(saying.split()[0] for saying in RELATIONS)

Saying: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """A gap in a template: what it becomes, of which goal, and what may fill it."""

    name: str
    type: str = "text"
    kind: Literal["param", "role"] = "param"
    goal: int = 0
    many: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """One of several sayings, by their first word; of those that stand there the longest counts."""

    sayings: Mapping[str, tuple[Saying, ...]]

    def length_at(self, toks: Sequence[Tok], at: int, end: int) -> int:
        """Give the number of tokens that one of the sayings takes here; 0 if none stands here."""
        token = toks[at]
        for saying in self.sayings.get(token.key, ()):
            length = len(saying)
            if length == 1:
                return 0 if token.quoted is not None else 1
            if at + length > end or toks[at + 1].key != saying[1]:
                continue  # most sayings end here
            for token, word in zip(toks[at : at + length], saying, strict=True):
                if token.key != word or token.quoted is not None:
                    break
            else:
                return length
        return 0


@dataclass(frozen=True, slots=True)
class Optional:
    """Elements that may be left out. If they stand there they are taken."""

    elements: tuple["Element", ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several sequences, the first that fits."""

    branches: tuple[tuple["Element", ...], ...]


Element: TypeAlias = Words | Optional | Choice | Slot
Fit: TypeAlias = tuple[tuple[Slot, int, int], ...]


class SlotTypes(Protocol):
    """Says which tokens may fill a slot."""

    def ends(
        self, slot: Slot, toks: Sequence[Tok], at: int, end: int, stops: "Stops"
    ) -> Sequence[int]: ...

    def fits(self, slot: Slot, toks: Sequence[Tok], at: int, end: int) -> bool: ...


@dataclass(frozen=True, slots=True)
class Stops:
    """Where a slot may end: before one of these words, before anything, or at the end."""

    words: frozenset[str]
    anywhere: bool
    at_end: bool


@dataclass(slots=True)
class Template:
    """A compiled template; ``needs`` are words without which it cannot fit."""

    says: str
    elements: tuple[Element, ...]
    openers: frozenset[str]
    needs: tuple[frozenset[str], ...]
    slots: tuple[Slot, ...]
    stops: dict[int, Stops] = field(default_factory=dict)

    def could_fit(self, words: set[str]) -> bool:
        """Tell quickly whether a clause of these words may fit at all."""
        for need in self.needs:  # noqa: SIM110 - asked of every template: no generator
            if need.isdisjoint(words):
                return False
        return True


def compile_template(
    says: str, lists: Mapping[str, Sequence[str]], *, many: bool = False
) -> Template:
    """Compile one template; with ``many`` its slots may hold lists."""
    parser = Parser(list(TOKEN.finditer(says)), lists, many)
    elements = parser.sequence()
    template = Template(
        says,
        elements,
        firsts(elements)[0],
        tuple(needed(elements)),
        tuple(slots_of(elements)),
    )
    note_stops(elements, frozenset(), anywhere=False, at_end=True, into=template.stops)
    return template


@dataclass(slots=True)
class Parser:
    """Reads the source of a template."""

    tokens: list[re.Match[str]]
    lists: Mapping[str, Sequence[str]]
    many: bool = False
    at: int = 0

    def sequence(self) -> tuple[Element, ...]:
        """Read elements up to a closing bracket or a bar."""
        found: list[Element] = []
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token["punct"] in {"]", ")", "|"}:
                break
            self.at += 1
            found.append(self.element(token))
        return tuple(found)

    def element(self, token: re.Match[str]) -> Element:
        if token["slot"]:
            kind: Literal["param", "role"] = "role" if token["role"] else "param"
            default = "thing" if token["role"] else "text"
            goal = int(token["goal"] or 0)
            return Slot(token["slot"], token["type"] or default, kind, goal, self.many)
        if token["list"]:
            return words(self.lists[token["list"]])
        if token["word"]:
            return words([token["word"]])
        branches = self.branches()
        if token["punct"] == "[":
            return Optional((as_choice(branches),))
        return as_choice(branches)

    def branches(self) -> list[tuple[Element, ...]]:
        """Read what stands between brackets, branch by branch."""
        found = [self.sequence()]
        while self.tokens[self.at]["punct"] == "|":
            self.at += 1
            found.append(self.sequence())
        self.at += 1
        return found


def words(sayings: Sequence[str]) -> Words:
    """Index sayings by their first word, longest first."""
    table: dict[str, list[Saying]] = {}
    for saying in sayings:
        parts = tuple(saying.casefold().split())
        table.setdefault(parts[0], []).append(parts)
    return Words(
        {first: tuple(sorted(all_, key=len, reverse=True)) for first, all_ in table.items()}
    )


def as_choice(branches: list[tuple[Element, ...]]) -> Element:
    """Make the simplest element of branches: words alone are one list of words."""
    plain = [plain_words(branch) for branch in branches]
    if all(saying is not None for saying in plain):
        return words([saying for saying in plain if saying is not None])
    if len(branches) == 1 and len(branches[0]) == 1:
        return branches[0][0]
    return Choice(tuple(branches))


def plain_words(branch: tuple[Element, ...]) -> str | None:
    """Give a branch as one saying, if it is nothing but single words."""
    said: list[str] = []
    for element in branch:
        if not isinstance(element, Words) or len(element.sayings) != 1:
            return None
        (sayings,) = element.sayings.values()
        if len(sayings) != 1:
            return None
        said.extend(sayings[0])
    return " ".join(said) if said else None


def firsts(elements: Sequence[Element]) -> tuple[frozenset[str], bool, bool]:
    """Give the words that elements may begin with, whether a slot may, and whether nothing may."""
    found: set[str] = set()
    for element in elements:
        match element:
            case Words(sayings):
                return frozenset(found | sayings.keys()), False, False
            case Slot():
                return frozenset(found), True, False
            case Optional(inner):
                more, slot, _ = firsts(inner)
                found |= more
                if slot:
                    return frozenset(found), True, False
            case Choice(branches):
                parts = [firsts(branch) for branch in branches]
                for part in parts:
                    found |= part[0]
                if any(part[1] for part in parts):
                    return frozenset(found), True, False
                if not any(part[2] for part in parts):
                    return frozenset(found), False, False
    return frozenset(found), False, True


def needed(elements: Sequence[Element]) -> Iterator[frozenset[str]]:
    """Give the sets of words of which one must be there each."""
    for element in elements:
        if isinstance(element, Words):
            yield frozenset(element.sayings)


def slots_of(elements: Sequence[Element]) -> Iterator[Slot]:
    for element in elements:
        match element:
            case Slot():
                yield element
            case Optional(inner):
                yield from slots_of(inner)
            case Choice(branches):
                for branch in branches:
                    yield from slots_of(branch)
            case Words():
                pass


def note_stops(
    elements: Sequence[Element],
    after: frozenset[str],
    *,
    anywhere: bool,
    at_end: bool,
    into: dict[int, Stops],
) -> None:
    """Work out, from the end, where every slot of a template may end."""
    for element in reversed(elements):
        match element:
            case Slot():
                into[id(element)] = Stops(after, anywhere, at_end)
                after, anywhere, at_end = frozenset(), True, False
            case Words(sayings):
                after, anywhere, at_end = frozenset(sayings), False, False
            case Optional(inner):
                note_stops(inner, after, anywhere=anywhere, at_end=at_end, into=into)
                first, slot, _ = firsts(inner)
                after, anywhere = after | first, anywhere or slot
            case Choice(branches):
                for branch in branches:
                    note_stops(branch, after, anywhere=anywhere, at_end=at_end, into=into)
                parts = [firsts(branch) for branch in branches]
                through = any(part[2] for part in parts)
                first = frozenset().union(*(part[0] for part in parts))
                after = first | after if through else first
                anywhere = any(part[1] for part in parts) or (anywhere and through)
                at_end = at_end and through


@dataclass(slots=True)
class Matcher:
    """Matches one template against a range of tokens."""

    template: Template
    types: SlotTypes
    toks: Sequence[Tok]
    end: int
    capitals_are_names: bool = False
    fits: list[Fit] = field(default_factory=list)
    filled: list[tuple[Slot, int, int]] = field(default_factory=list)
    ends: int = 0
    begin: int = 0

    def match(self, at: int, elements: tuple[Element, ...] | None = None) -> list[Fit]:
        """Give the ways in which the tokens from ``at`` on fit, the first found first."""
        self.begin = at
        self.walk(self.template.elements if elements is None else elements, 0, at, ())
        return self.fits

    def walk(
        self,
        elements: tuple[Element, ...],
        index: int,
        at: int,
        then: tuple[tuple[tuple[Element, ...], int], ...],
    ) -> bool:
        """Go on at an element; ``then`` is where to go on after the innermost group."""
        while index == len(elements):
            if not then:
                if at == self.end:
                    self.fits.append(tuple(self.filled))
                    return True
                return False
            (elements, index), then = then[-1], then[:-1]
        element = elements[index]
        if isinstance(element, Words):
            length = element.length_at(self.toks, at, self.end) if at < self.end else 0
            if length and self.capitals_are_names and self.toks[at + length - 1].capital:
                length = self.without_name(element, at, length)
            return bool(length) and self.walk(elements, index + 1, at + length, then)
        if isinstance(element, Slot):
            return self.fill(element, elements, index, at, then)
        following = (*then, (elements, index + 1))
        if isinstance(element, Optional):
            taken = self.may_take(element, at) and self.walk(element.elements, 0, at, following)
            return taken or self.walk(elements, index + 1, at, then)
        for branch in element.branches:  # noqa: SIM110 - in the innermost loop: no generator
            if self.walk(branch, 0, at, following):
                return True
        return False

    def without_name(self, element: Words, at: int, length: int) -> int:
        """Give the length of words without what begins a name: the "On" of "Click On sale"."""
        last = at + length - 1
        if last <= self.begin or not self.begins_name(last):
            return length
        if length > 1:
            return element.length_at(self.toks, at, last) or length
        related = self.toks[last].key in RELATING and not self.toks[last + 1].capital
        return 0 if related else length

    def begins_name(self, at: int) -> bool:
        """Tell whether a capital word is the first of a name: more follows, and no article."""
        if at + 1 >= self.end:
            return False
        following = self.toks[at + 1]
        plain = following.quoted is None and not following.parted and not self.toks[at].parted
        return plain and following.key not in ARTICLES

    def may_take(self, element: Optional, at: int) -> bool:
        """Tell whether optional words stand here; capitals in a sentence begin a name instead."""
        if at >= self.end:
            return False
        first = element.elements[0]
        if not isinstance(first, Words):
            return True
        token = self.toks[at]
        named = self.capitals_are_names and at > 0 and token.capital and not token.parted
        return not named and first.length_at(self.toks, at, self.end) > 0

    def is_in_name(self, at: int) -> bool:
        """Tell whether a word of the template is written as part of a name: "Sign In with x"."""
        token = self.toks[at]
        return self.capitals_are_names and token.capital and self.toks[at - 1].capital

    def fill(
        self,
        slot: Slot,
        elements: tuple[Element, ...],
        index: int,
        at: int,
        then: tuple[tuple[tuple[Element, ...], int], ...],
    ) -> bool:
        """Try every place where a slot may end."""
        found = False
        stops = self.template.stops[id(slot)]
        for end in self.types.ends(slot, self.toks, at, self.end, stops):
            self.ends += 1
            if self.ends > MAX_ENDS:
                break
            if len(self.fits) >= MAX_FITS or not self.types.fits(slot, self.toks, at, end):
                continue
            if end < self.end and self.is_in_name(end):
                continue
            self.filled.append((slot, at, end))
            found = self.walk(elements, index + 1, end, then) or found
            self.filled.pop()
        return found
