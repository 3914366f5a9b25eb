"""The table of what one can say, as it is written in ``phrases.toml``, and compiled."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, TypeVar

import msgspec

from actors.interpreter.grammar.keys import Keyboard
from actors.interpreter.grammar.lexicon import Lexicon
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.slots import Slots
from actors.interpreter.grammar.templates import (
    Slot,
    Template,
    Words,
    compile_template,
    words,
)
from actors.language.words import ARTICLES, RELATIONS
from actors.sites import SITES
from messages.message import Data, Scalar, Value
from messages.rules import SearchEngine

Row = TypeVar("Row")


NOTHING: Mapping[str, str] = {}
PLACE = "place"  # the slot that says where the things of all goals of a frame are


class Frame(Data, frozen=True):
    """A row of the table: ways to put one goal, or several that are said together.

    ``params`` are fixed by the frame (``1.what`` for its second goal); ``takes`` names the goal
    whose output is a parameter's value, by its number in the frame or ``latest``. ``lead`` is the
    role that words in front of the verb ("In the search box, ...") fill; without it they say where
    the thing is. ``placed`` if a place can be said with a file goal, ``placed_source`` if it is
    where the file comes from. ``many`` lets a
    list stand where one is meant; with ``joined`` "name" two words joined by "and" are a name
    first; ``needs_lead`` if it can only be said with words in front.
    ``on_page`` is the goal instead, if the text speaks of a page, or of a thing on it, already;
    ``page_only`` if it is only said where a web page is before the speaker. ``worded`` are roles
    that the table puts in words of its own: what "X costs" is the "price of X". ``spelled`` is how
    the letters of a text are to be written. ``shared`` if all its goals have the same slots,
    ``there`` if it is about the folder that was spoken of before.
    """

    says: tuple[str, ...]
    example: str
    goal: str = ""
    goals: tuple[str, ...] = ()
    params: Mapping[str, Scalar] = {}
    takes: Mapping[str, int | Literal["latest"]] = {}
    lead: str | None = None
    placed: bool = False
    placed_source: bool = False
    many: bool = False
    needs_lead: bool = False
    joined: Literal["list", "each", "name"] = "list"
    on_page: str | None = None
    page_only: bool = False
    worded: Mapping[str, str] = {}
    spelled: Literal["upper", "lower", "capitalised"] | None = None
    shared: bool = False
    there: bool = False

    def fills(self, slot: Slot, number: int) -> bool:
        """Tell whether a slot is one of the goal of this number."""
        return self.shared or slot.goal == number

    def all_goals(self) -> tuple[str, ...]:
        """Name the goals that are said by it."""
        return self.goals or (self.goal,)

    def put(
        self,
        roles: dict[str, str],
        params: Mapping[str, Value],
        number: int = 0,
        shared: Mapping[str, str] = NOTHING,
    ) -> dict[str, str]:
        """Put the words for things as the table does, if it does: of what else was said, too.

        ``worded`` speaks of the first goal, or of the one that a role is numbered with; ``shared``
        are words that tell all of them where their things are.
        """
        worded = {}
        for name, said_as in self.worded.items():
            goal, _, role = name.rpartition(".")
            if int(goal or 0) == number:
                worded[role] = said_as
        if not worded:
            return roles
        said = {**{name: str(value) for name, value in params.items()}, **shared, **roles}
        return {role: words.format_map(said) for role, words in worded.items()}

    def write(self, text: str) -> str:
        """Write a text in the letters that are asked for."""
        match self.spelled:
            case "upper":
                return text.upper()
            case "lower":
                return text.lower()
            case "capitalised":
                return text[:1].upper() + text[1:]
            case None:
                return text


class Place(Data, frozen=True):
    """A row of the table: ways to say where a file goal belongs."""

    says: tuple[str, ...]
    scope: str


class Statement(Data, frozen=True):
    """A row of the table: sentences that ask for nothing."""

    says: tuple[str, ...]


class Unsupported(Data, frozen=True):
    """A row of the table: what is understood, but nothing can do; and why it is refused."""

    says: tuple[str, ...]
    reason: str


class Noise(Data, frozen=True):
    """Words that say nothing about the goal, or only when it comes."""

    before: tuple[str, ...]
    alone: tuple[str, ...]
    after: tuple[str, ...]
    asking: frozenset[str]
    order: tuple[str, ...]


class Negation(Data, frozen=True):
    """Words by which a clause asks for nothing; some reach only to the next comma."""

    words: tuple[str, ...]
    until_comma: tuple[str, ...]


class Refused(Data, frozen=True):
    """What is understood well enough to be refused by name."""

    conditions: tuple[str, ...]
    schedules: tuple[str, ...]
    manners: tuple[str, ...]
    days: frozenset[str]


class Known(Data, frozen=True):
    """A list of words."""

    known: frozenset[str]
    hosts: frozenset[str] = frozenset()
    greetings: frozenset[str] = frozenset()
    never: frozenset[str] = frozenset()


class Sayings(Data, frozen=True):
    """A list of sayings."""

    sayings: tuple[str, ...]


class Marks(Data, frozen=True):
    """Words that decide how others are read; the table says what each list is for."""

    doubtful_ends: frozenset[str]
    leads: frozenset[str]
    containing: frozenset[str]
    positional: frozenset[str]
    unending: frozenset[str]
    beginning: frozenset[str]
    following: frozenset[str]
    joined_before: frozenset[str]
    urging: frozenset[str]
    taking_back: frozenset[str]
    restricting: frozenset[str]
    conditional: frozenset[str]
    paged: frozenset[str]
    telling: frozenset[str]
    being: frozenset[str]
    wishing: frozenset[str]
    ordering: tuple[str, ...]
    before_ing: frozenset[str]
    before_done: frozenset[str]
    writing: frozenset[str]
    ending_negation: frozenset[str]
    counting: frozenset[str]
    corrections: tuple[str, ...]
    measuring: frozenset[str]
    noisy_names: frozenset[str]
    following_on: frozenset[str]
    objects: frozenset[str]
    partitive: frozenset[str]
    repeating: frozenset[str]


class Phrases(Data, frozen=True):
    """The whole table."""

    lists: dict[str, list[str]]
    noise: Noise
    negation: Negation
    refused: Refused
    values: dict[str, dict[str, str]]
    place: tuple[Place, ...]
    statement: tuple[Statement, ...]
    looking: tuple[Statement, ...]
    unsupported: tuple[Unsupported, ...]
    frame: tuple[Frame, ...]
    marks: Marks
    irregular: dict[str, str]
    file_endings: Known
    kinds: dict[str, frozenset[str]]
    labels: Known
    numbers: dict[str, int]
    units: dict[str, float]
    keys: dict[str, str]
    held_keys: dict[str, str]
    programs: Known
    deictic: Known
    purposes: Known
    people: Known
    parts: Known
    modals: Known
    reasons: Sayings
    outcomes: Known
    grammatical: Known
    describing: Known
    pronouns: Known


@dataclass(frozen=True, slots=True)
class Compiled:
    """The table, ready to be matched: templates by the words that a clause may begin with."""

    phrases: Phrases
    lexicon: Lexicon
    slots: Slots
    frames: Mapping[str, tuple[tuple[Template, Frame], ...]]
    places: Mapping[str, tuple[tuple[Template, Place], ...]]
    placed_openers: frozenset[str]
    statements: Mapping[str, tuple[Template, ...]]
    looking: Mapping[str, tuple[Template, ...]]
    unsupported: Mapping[str, tuple[tuple[Template, Unsupported], ...]]
    manners: Words
    manner_ends: frozenset[str]
    before: Words
    alone: Words
    after: Words
    order: Words
    negation: Words
    until_comma: Words
    conditions: Words
    schedules: Words
    reasons: Words
    ordering: Words
    corrections: Words
    schedule_words: frozenset[str]
    empty_words: frozenset[str]
    noise_sayings: Words
    noise_words: frozenset[str]


@cache
def phrases() -> Phrases:
    """Read the table that ships with the grammar."""
    text = files(__package__).joinpath("phrases.toml").read_bytes()
    return msgspec.toml.decode(text, type=Phrases)


@cache
def suffixes() -> frozenset[str]:
    """Read the list of top-level domains; most sentences never need it."""
    text = files(__package__).joinpath("suffixes.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return frozenset(" ".join(lines).split())


def compiled(engines: Mapping[str, SearchEngine], anchors: frozenset[str]) -> Compiled:
    """Compile the table with the names of search engines and of this machine's places."""
    table = phrases()
    frames = [
        (compile_template(says, table.lists, many=frame.many), frame)
        for frame in table.frame
        for says in frame.says
    ]
    places = [
        (compile_template(says, table.lists), place) for place in table.place for says in place.says
    ]
    statements = [
        compile_template(says, table.lists) for row in table.statement for says in row.says
    ]
    looking = [compile_template(says, table.lists) for row in table.looking for says in row.says]
    unsupported = [
        (compile_template(says, table.lists), row) for row in table.unsupported for says in row.says
    ]
    lexicon = lexicon_of(table, engines, anchors)
    slots = Slots(lexicon)
    rows = (*frames, *places, *unsupported)
    for template in (*(each for each, _ in rows), *statements, *looking):
        unknown = [slot.type for slot in template.slots if not slots.knows(slot)]
        if unknown:
            raise ValueError(f"{template.says!r} has a slot of no known type: {unknown[0]}")
    return Compiled(
        phrases=table,
        lexicon=lexicon,
        slots=slots,
        frames=by_opener(frames, slots),
        places=by_opener(places, slots),
        placed_openers=placed_openers(frames),
        statements=told_by_opener(statements),
        looking=told_by_opener(looking),
        unsupported=by_opener(unsupported, slots),
        manners=words(table.refused.manners),
        manner_ends=frozenset(saying.split()[-1] for saying in table.refused.manners),
        before=words(table.noise.before),
        alone=words(table.noise.alone),
        after=words([" ".join(reversed(saying.split())) for saying in table.noise.after]),
        order=words(table.noise.order),
        negation=words(table.negation.words),
        until_comma=words(table.negation.until_comma),
        conditions=words(table.refused.conditions),
        schedules=words(table.refused.schedules),
        reasons=words(table.reasons.sayings),
        ordering=words(table.marks.ordering),
        corrections=words(table.marks.corrections),
        schedule_words=frozenset(
            {saying.split()[0] for saying in table.refused.schedules} | LITTLE.dates.scheduling
        ),
        empty_words=LITTLE.empty,
        noise_sayings=words(
            [
                saying
                for saying in noise_sayings(table)
                if LITTLE.elsewhere.isdisjoint(saying.split())
            ]
        ),
        noise_words=noise_words(table),
    )


def noise_sayings(table: Phrases) -> tuple[str, ...]:
    """Give the sayings that say nothing, or only when, where they stand whole."""
    noise = table.noise
    return (*noise.before, *noise.alone, *noise.after, *noise.order, *table.marks.ordering)


def noise_words(table: Phrases) -> frozenset[str]:
    """Give the words that such sayings, and those who are spoken to, are made of."""
    said = {word for saying in noise_sayings(table) for word in saying.casefold().split()}
    called = table.people.known | table.people.greetings | table.modals.known
    joining = LITTLE.joints | LITTLE.joining | LITTLE.sequence | LITTLE.articles | LITTLE.polite
    return frozenset(said | called | joining | LITTLE.obliging | LITTLE.hurrying)


def told_by_opener(told: list[Template]) -> dict[str, tuple[Template, ...]]:
    """Index what asks for nothing by the first words of it."""
    openers = {opener for each in told for opener in each.openers}
    return {opener: tuple(each for each in told if opener in each.openers) for opener in openers}


def placed_openers(frames: list[tuple[Template, Frame]]) -> frozenset[str]:
    """Give the words that begin a clause about files: beside others no place is looked for."""
    openers = [
        template.openers for template, frame in frames if frame.placed or frame.placed_source
    ]
    return frozenset[str]().union(*openers)


def by_opener(
    rows: list[tuple[Template, Row]], slots: Slots
) -> dict[str, tuple[tuple[Template, Row], ...]]:
    """Index rows by the first words of what they say; "" holds those that begin with a slot."""
    index: dict[str, list[tuple[Template, Row]]] = {}
    for template, row in rows:
        openers = set(template.openers)
        first = template.elements[0]
        if isinstance(first, Slot):
            openers |= slots.openers_of(first)
        for opener in openers:
            index.setdefault(opener, []).append((template, row))
    return {opener: tuple(listed) for opener, listed in index.items()}


def lexicon_of(
    table: Phrases, engines: Mapping[str, SearchEngine], anchors: frozenset[str]
) -> Lexicon:
    """Gather the names that decide between readings."""
    values = {
        name: {tuple(saying.split()): meaning for saying, meaning in sayings.items()}
        for name, sayings in table.values.items()
    }
    for name in ("buttons", "signin", "colours"):
        values[name] = {tuple(saying.split()): saying for saying in table.lists[name]}
    values["site"] = {tuple(name.split()): name for name in engines}
    relations = frozenset(saying.split()[0] for saying in RELATIONS)
    return Lexicon(
        sites={
            **SITES.sites,
            **{name: engine.hosts[0] for name, engine in engines.items() if engine.hosts},
        },
        anchors=anchors,
        endings=table.file_endings.known,
        hosts=table.file_endings.hosts,
        suffixes=suffixes,
        grammatical=table.grammatical.known,
        describing=table.describing.known,
        measuring=table.marks.measuring,
        pronouns=table.pronouns.known,
        articles=ARTICLES,
        relations=relations | LITTLE.naming,
        partitive=table.marks.partitive,
        labels=table.labels.known,
        never_after_label=table.labels.never,
        months=LITTLE.dates.months | LITTLE.dates.days | LITTLE.dates.hours,
        numbers=table.numbers,
        units=table.units,
        programs=table.programs.known,
        deictic=table.deictic.known,
        kinds=table.kinds,
        values=values,
        keyboard=Keyboard(table.keys, table.held_keys),
    )
