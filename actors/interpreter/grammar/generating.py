"""The grammar backwards: from the table to sentences, each with the goals it means.

Every alternative of every template is said at least once: each saying of a list, optional words
left out and put in, each branch, each filler of a slot. Which of them stand together is fixed, so
that the same table gives the same sentences. What fills slots is data, in ``fillers.toml``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TypeVar

import msgspec

from actors.interpreter.grammar.table import PLACE, Compiled, Frame
from actors.interpreter.grammar.templates import (
    Choice,
    Element,
    Optional,
    Slot,
    Template,
    Words,
    compile_template,
)
from messages.goals import GoalDraft, scopes
from messages.message import Data, Scalar, Value

T = TypeVar("T")
# Words of templates that count what is named behind them.
COUNTS = frozenset({"two", "three", "four", "five"})
LATEST = "latest"
# Slots whose words are read and left out: they say why, or what was before.
UNUSED = frozenset({"purpose", "former", "noun"})
QUOTES = "\"'“”"


class Prelude(Data, frozen=True):
    """A clause to say with others; they can point back to what it ``means`` by its pronouns."""

    says: str
    goal: str
    params: Mapping[str, Scalar] = {}
    means: str = ""
    pronouns: tuple[str, ...] = ()

    def draft(self) -> GoalDraft:
        domain, _, verb = self.goal.partition(".")
        return GoalDraft(domain, verb, dict(self.params))


class Lead(Data, frozen=True):
    """Words in front of a verb, and the thing they name."""

    words: str
    means: str


class InFront(Data, frozen=True):
    """Words with which a place may begin a sentence."""

    openers: frozenset[str]


class Fillers(Data, frozen=True):
    """What may stand in slots, by their type, or by their name and type."""

    words: dict[str, tuple[str, ...]]
    values: dict[str, dict[str, Scalar]]
    prelude: dict[str, Prelude]
    lead: Lead
    in_front: InFront
    companion: tuple[Prelude, ...]
    page: Prelude


@dataclass(frozen=True, slots=True)
class Filling:
    """A slot, the words in it, and the value they are."""

    slot: Slot
    words: str
    value: Value


@dataclass(frozen=True, slots=True)
class Variant:
    """One way through a template: its words in order, and what fills its slots."""

    words: tuple[str, ...] = ()
    fillings: tuple[Filling, ...] = ()

    def __add__(self, other: "Variant") -> "Variant":
        return Variant(self.words + other.words, self.fillings + other.fillings)

    def text(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True, slots=True)
class Utterance:
    """A sentence with the goals it means, and the row of the table that it was made from."""

    text: str
    drafts: tuple[GoalDraft, ...]
    frame: Frame
    says: str
    variant: Variant


@cache
def fillers() -> Fillers:
    """Read the fillers that ship with the grammar."""
    text = files(__package__).joinpath("fillers.toml").read_bytes()
    return msgspec.toml.decode(text, type=Fillers)


def utterances(table: Compiled) -> Iterator[Utterance]:
    """Say everything that the frames of a table can say, with every alternative once."""
    generator = Generator(table, fillers())
    for frame in table.phrases.frame:
        for says in frame.says:
            yield from generator.utterances(frame, says)


@dataclass(frozen=True, slots=True)
class Generator:
    """Says the rows of one table."""

    table: Compiled
    fillers: Fillers

    def utterances(self, frame: Frame, says: str) -> Iterator[Utterance]:
        """Give the sentences of one template of a frame."""
        for variant in self.variants(self.compiled(says), frame.all_goals()):
            said = uncounted(variant) if frame.many else variant
            drafts = drafts_of(frame, said)
            yield self.uttered(Utterance(said.text(), drafts, frame, says, said))

    def compiled(self, says: str) -> Template:
        return compile_template(says, self.table.phrases.lists)

    def uttered(self, bare: Utterance) -> Utterance:
        """Put in front what a sentence cannot do without."""
        if bare.frame.needs_lead:
            return led(bare, self.fillers.lead)
        if bare.frame.there:
            return in_folder(bare, self.fillers.prelude["place"])
        prelude = self.prelude_of(bare)
        return bare if prelude is None else behind(bare, prelude)

    def prelude_of(self, bare: Utterance) -> Prelude | None:
        """Find what has to be said before, if a sentence points back."""
        if LATEST in bare.frame.takes.values():
            return self.fillers.prelude[LATEST]
        domain = bare.drafts[0].domain
        keys = (f"{domain} {key_of(filling.slot)}" for filling in bare.variant.fillings)
        return next((found for key in keys if (found := self.fillers.prelude.get(key))), None)

    # The ways through a template

    def variants(self, template: Template, goals: Sequence[str] = ("",)) -> list[Variant]:
        """Give ways through a template in which every alternative stands at least once."""
        return self.sequence(template.elements, goals)

    def sequence(self, elements: Sequence[Element], goals: Sequence[str]) -> list[Variant]:
        """Go through elements side by side, as often as the one with most ways needs it."""
        ways = [self.element(element, goals) for element in elements]
        count = max((len(each) for each in ways), default=1)
        return [together(ways, turn) for turn in range(count)]

    def element(self, element: Element, goals: Sequence[str]) -> list[Variant]:
        match element:
            case Words(sayings):
                return [Variant(saying) for all_ in sayings.values() for saying in all_]
            case Optional(inner):
                return [Variant(), *self.sequence(inner, goals)]
            case Choice(branches):
                return [way for branch in branches for way in self.sequence(branch, goals)]
            case Slot():
                return [
                    Variant((filling.words,), (filling,))
                    for filling in self.fillings(element, goals[element.goal])
                ]

    def fillings(self, slot: Slot, goal: str) -> Iterator[Filling]:
        """Give what may fill a slot."""
        for words, value in self.values(slot, goal):
            yield Filling(slot, words, value)

    def values(self, slot: Slot, goal: str) -> Iterator[tuple[str, Value]]:
        """Give words for a slot with their values, by the nearest entry there is."""
        domain = goal.partition(".")[0]
        prelude = self.fillers.prelude.get(f"{domain} {key_of(slot)}")
        if prelude is not None:
            yield from ((pronoun, prelude.means) for pronoun in prelude.pronouns)
        elif slot.type in self.table.lexicon.values:
            sayings = self.table.lexicon.values[slot.type]
            yield from ((" ".join(saying), value) for saying, value in sayings.items())
        elif slot.type in self.fillers.values:
            yield from self.fillers.values[slot.type].items()
        else:
            yield from ((words, value_of(slot, words)) for words in self.said(slot, goal))

    def said(self, slot: Slot, goal: str) -> tuple[str, ...]:
        key = key_of(slot)
        nearest = (f"{goal} {key}", key, slot.type)
        return next(self.fillers.words[each] for each in nearest if each in self.fillers.words)


def key_of(slot: Slot) -> str:
    return f"{slot.name}:{slot.type}"


def value_of(slot: Slot, words: str) -> str:
    """Give the value that words of their own have: without quotes, but for things."""
    return words if slot.kind == "role" else words.strip(QUOTES)


def together(ways: Sequence[Sequence[Variant]], turn: int) -> Variant:
    """Join one way of each element; in every round of an element it meets others."""
    found = Variant()
    for index, each in enumerate(ways):
        around, at = divmod(turn, len(each))
        found += each[(at + index * around) % len(each)]
    return found


# The goals of a sentence


def drafts_of(frame: Frame, variant: Variant) -> tuple[GoalDraft, ...]:
    """Give the goals that one way to say a frame means, in their order."""
    goals = range(len(frame.all_goals()))
    drafts = in_order([draft_of(frame, number, variant) for number in goals])
    return one_by_one(drafts) if frame.shared else drafts


def one_by_one(drafts: Sequence[GoalDraft]) -> tuple[GoalDraft, ...]:
    """Let each goal wait for the one before it: they are about the same thing."""
    first, *others = drafts
    return (first, *(scoped(each, f"after:g{at}") for at, each in enumerate(others)))


def draft_of(frame: Frame, number: int, variant: Variant) -> GoalDraft:
    """Give one goal of a frame: what the frame fixes, what slots hold, what is taken."""
    domain, _, verb = frame.all_goals()[number].partition(".")
    params: dict[str, Value] = dict(of_goal(frame.params, number))
    roles: dict[str, str] = {}
    for filling in variant.fillings:
        slot = filling.slot
        if not frame.fills(slot, number) or slot.name in UNUSED:
            continue
        if slot.kind == "role":
            roles[slot.name] = filling.words
        elif slot.name == "extension":
            params["pattern"] = f"*.{filling.words}"
        else:
            value = filling.value
            params[slot.name] = frame.write(value) if isinstance(value, str) else value
    taken = dict(of_goal(frame.takes, number))
    takes = {name: f"g{0 if source == LATEST else source}" for name, source in taken.items()}
    shared = {each.slot.name: each.words for each in variant.fillings if each.slot.name == PLACE}
    worded = frame.put(roles, params, number, shared)
    return GoalDraft(domain, verb, params, worded, takes=takes)


def of_goal(fixed: Mapping[str, T], number: int) -> Iterator[tuple[str, T]]:
    """Give what a frame fixes for one of its goals: ``what``, or ``1.what`` for the second."""
    for name, value in fixed.items():
        goal, _, parameter = name.rpartition(".")
        if int(goal or 0) == number:
            yield parameter, value


def in_order(drafts: Sequence[GoalDraft]) -> tuple[GoalDraft, ...]:
    """State the order: after what is taken, and of goals on a page one after the other."""
    found: list[GoalDraft] = []
    on_page: int | None = None
    for index, draft in enumerate(drafts):
        before = {int(taken[1:]) for taken in draft.takes.values()} - {index}
        if draft.domain == "browser":
            before |= set() if on_page is None else {on_page}
            on_page = index
        found.append(scoped(draft, *(f"after:g{parent}" for parent in sorted(before))))
    return tuple(found)


def scoped(draft: GoalDraft, *more: str) -> GoalDraft:
    """Add scopes to those that a goal has."""
    stated = (scope for scope in scopes(draft.scope) if scope != "root")
    distinct = tuple(dict.fromkeys([*stated, *more])) or ("root",)
    scope = distinct if len(distinct) > 1 else distinct[0]
    return msgspec.structs.replace(draft, scope=scope)


# What stands in front of a sentence


def led(bare: Utterance, lead: Lead) -> Utterance:
    """Put words in front that name the thing of the first goal."""
    first, *others = bare.drafts
    roles = {str(bare.frame.lead): lead.means, **first.roles}
    drafts = (msgspec.structs.replace(first, roles=roles), *others)
    return replace(bare, text=f"{lead.words} {bare.text}", drafts=drafts)


def behind(bare: Utterance, prelude: Prelude) -> Utterance:
    """Say a sentence behind another, to which it points back."""
    first, *others = bare.drafts
    if first.verb == "delete":  # what is deleted is named by its kind, if that is known
        first = with_params(first, object_type=prelude.params["object_type"])
    if bare.frame.shared:
        others = [scoped(rootless(each), f"after:g{at}") for at, each in enumerate(others, 1)]
    drafts = (prelude.draft(), scoped(first, "after:g0"), *others)
    return replace(bare, text=f"{prelude.says} and then {bare.text}", drafts=drafts)


def in_folder(bare: Utterance, prelude: Prelude) -> Utterance:
    """Say a sentence about the folder that another made."""
    first, *others = bare.drafts
    drafts = (prelude.draft(), scoped(first, f"inside:{prelude.means}", "after:g0"), *others)
    return replace(bare, text=f"{prelude.says} and then {bare.text}", drafts=drafts)


def uncounted(variant: Variant) -> Variant:
    """Leave out a number of things: as many names would have to follow."""
    return replace(variant, words=tuple(word for word in variant.words if word not in COUNTS))


def rootless(draft: GoalDraft) -> GoalDraft:
    return msgspec.structs.replace(draft, scope="root")


def with_params(draft: GoalDraft, **more: Value) -> GoalDraft:
    return msgspec.structs.replace(draft, params={**draft.params, **more})
