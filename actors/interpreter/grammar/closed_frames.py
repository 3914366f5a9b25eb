"""Frames whose words are all known: what people say to clocks, players, speakers and screens.

A closed frame names the concepts that must be said and those that may be; they may stand in any
order. A reading covers every word of a text: a concept, a value of a typed slot, a filler, or a
free text behind a word that leads it. A text with one more word is not read at all.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal, NamedTuple

import msgspec

from actors.language.times import TimeReader, has_time_left, key_of, read_when
from actors.language.tokens import scan
from messages.goals import GoalDraft
from messages.message import Scalar, Value

MOST_WORDS = 40
LONGEST = 2_000
MOST_STEPS = 4_000
PUNCTUATION = ".,;:!?"
LONGEST_NAME = 2
LOUDEST = 150
POSITION = re.compile(r"\b(?:top|bottom|end|start|beginning) of\b|\bbetween \d")
SECOND_DEED = re.compile(r"\band (?:add|remove|delete|take|drop|put|clear)\b|\bor\b")
INDEFINITE = frozenset({"anything", "something", "nothing", "everything"})
DIGITS = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
SIZES = frozenset({"percent", "%", "bytes", "kb", "mb", "gb", "tb", "gigabytes", "megabytes"})
SIZE = re.compile(r"\d+(?:\.\d+)?(?:%|[kmgt]b)")

Group = Literal["strong", "weak", "condition"]
SlotType = Literal["when", "duration", "percent", "count", "size", "date", "words", "value"]


class Slot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What fills a parameter.

    ``after`` are the words one of which leads it ("@add": those of a concept). ``beside`` is a
    concept that it stands next to: "pizza timer", "timer for 5 minutes"; ``joined`` are the words
    between that concept and what follows it. ``values`` names a list of words with their meanings.
    ``without`` is a concept that a text does not speak of: it would be about two things then.
    ``never`` are values that it does not take, ``names`` some that it takes although their words
    mean something else, too. A text that must be ``quoted`` is in quotes,
    a time that must be ``exact`` says more than a day. A ``plain`` text leaves nothing out.
    """

    type: SlotType
    required: bool = False
    after: tuple[str, ...] = ()
    beside: str = ""
    joined: tuple[str, ...] = ()
    values: str = ""
    never: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    without: str = ""
    quoted: bool = False
    plain: bool = False
    exact: bool = False
    longest: int = 30


class ClosedFrame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way to put a goal; a ``weak`` one gives way to any other reading of the same words.

    One that ``asks`` is only for questions, a ``condition`` only for what stands behind "if".
    """

    goal: str
    needs: tuple[str, ...]
    example: str
    may: tuple[str, ...] = ()
    fill: tuple[str, ...] = ("polite",)
    params: Mapping[str, Scalar] = {}
    slots: Mapping[str, Slot] = {}
    weak: bool = False
    asks: bool = False
    condition: bool = False


class ClosedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Concepts and fillers by name, values that words stand for, and the frames."""

    concepts: Mapping[str, tuple[str, ...]]
    fillers: Mapping[str, tuple[str, ...]]
    questions: tuple[str, ...]
    not_names: frozenset[str]
    nothing: frozenset[str]
    numbered: frozenset[str]
    unending: frozenset[str]
    restricting: frozenset[str]
    values: Mapping[str, Mapping[str, Scalar]]
    frame: tuple[ClosedFrame, ...]


Sayings = Mapping[str, tuple[tuple[str, ...], ...]]


def by_first_word(sayings: Sequence[str]) -> Sayings:
    found: dict[str, list[tuple[str, ...]]] = {}
    for saying in sayings:
        words = tuple(saying.split())
        found.setdefault(words[0], []).append(words)
    return {first: tuple(sorted(some, key=len, reverse=True)) for first, some in found.items()}


class Word(msgspec.Struct, frozen=True):
    """A word: as it is compared, as it was said, and where it stands; a quoted text has no key."""

    key: str
    text: str
    start: int
    end: int
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Compiled:
    """A frame with its sayings by their first words."""

    frame: ClosedFrame
    number: int
    concepts: Mapping[str, Sayings]
    fillers: tuple[Sayings, ...]
    values: Mapping[str, tuple[Sayings, Mapping[str, Scalar]]]
    known: frozenset[str]
    triggers: int

    def is_empty(self, words: Sequence[Word]) -> bool:
        """Tell whether words are nothing but fillers, and so no text: "the" in "on the list"."""
        return all(
            not word.quoted
            and any((word.key,) in group.get(word.key, ()) for group in self.fillers)
            for word in words
        )


@cache
def load_table() -> ClosedTable:
    text = files(__package__).joinpath("closed_frames.toml").read_bytes()
    return msgspec.toml.decode(text, type=ClosedTable)


@cache
def compiled_frames() -> tuple[Compiled, ...]:
    """Compile the table; a frame that names what is not there is an error."""
    loaded = load_table()
    return tuple(compile_frame(loaded, frame, at) for at, frame in enumerate(loaded.frame))


@cache
def trigger_names() -> tuple[str, ...]:
    """Number what frames need: a bit for each tells at once which frames a text may fit."""
    return tuple(dict.fromkeys(name for row in load_table().frame for name in needed_words(row)))


@cache
def trigger_index() -> Mapping[str, int]:
    """Give, for each word, the bits of what it may be the beginning of."""
    loaded, found = load_table(), dict[str, int]()
    for number, name in enumerate(trigger_names()):
        part, _, known = name.partition(".")
        sayings = loaded.concepts[known] if part == "concepts" else loaded.values[known]
        for saying in sayings:
            first = saying.split()[0]
            found[first] = found.get(first, 0) | 1 << number
    return found


@cache
def frames_of(group: Group) -> tuple[Compiled, ...]:
    """Give the frames that are tried before all others, after them, or behind "if"."""
    return tuple(each for each in compiled_frames() if group_of(each.frame) == group)


def group_of(frame: ClosedFrame) -> Group:
    if frame.condition:
        return "condition"
    return "weak" if frame.weak else "strong"


def is_cut_off(key: str) -> bool:
    """Tell whether a text ends in the middle of something: "buy milk before", "the top of"."""
    return key.rpartition(" ")[2] in load_table().unending or POSITION.search(key) is not None


def is_restricted(key: str) -> bool:
    """Tell whether a text takes back a part of itself: "milk, but not eggs"."""
    words = re.findall(r"[\w']+", key)
    return not load_table().restricting.isdisjoint(words) or SECOND_DEED.search(key) is not None


def names_nothing(key: str) -> bool:
    """Tell whether words name no thing by itself: "it", "that item", "item three"."""
    loaded = load_table()
    words = [word for word in key.split() if word not in {"the", "a", "an", "that", "this", "my"}]
    if not words or " ".join(words) in loaded.nothing or words[0] in INDEFINITE:
        return True
    return any(word in loaded.numbered for word in (words[0], words[-1]))


@cache
def questions() -> Sayings:
    return by_first_word(load_table().questions)


def compile_frame(loaded: ClosedTable, frame: ClosedFrame, number: int) -> Compiled:
    leading = [
        each[1:] for slot in frame.slots.values() for each in slot.after if each.startswith("@")
    ]
    names = dict.fromkeys((*frame.needs, *frame.may, *leading))
    concepts = {name: by_first_word(loaded.concepts[name]) for name in names}
    fillers = tuple(by_first_word(loaded.fillers[name]) for name in frame.fill)
    values = {
        name: (by_first_word(tuple(loaded.values[slot.values])), loaded.values[slot.values])
        for name, slot in frame.slots.items()
        if slot.values
    }
    groups = (*concepts.values(), *fillers)
    sayings = [saying for group in groups for some in group.values() for saying in some]
    known = frozenset(saying[0] for saying in sayings if len(saying) == 1) | loaded.not_names
    bits = {1 << trigger_names().index(name) for name in needed_words(frame)}
    return Compiled(frame, number, concepts, fillers, values, known, sum(bits))


def needed_words(frame: ClosedFrame) -> list[str]:
    """Name the concepts and lists of values of which a frame needs a word."""
    required = [slot.values for slot in frame.slots.values() if slot.required and slot.values]
    return [*(f"concepts.{name}" for name in frame.needs), *(f"values.{name}" for name in required)]


@dataclass
class Attempt:
    """One frame tried on one text, within bounds."""

    compiled: Compiled
    text: str
    words: Sequence[Word]
    times: TimeReader
    steps: int = 0
    filled: int = 0  # words that were covered by fillers
    allow_lack: bool = False
    used: dict[str, int] = field(default_factory=dict)  # how often each concept is said
    params: dict[str, Value] = field(default_factory=dict)

    def fits(self) -> bool:
        return self.covers(0)

    def lacks_something(self) -> bool:
        """Tell whether all words are covered, but something is not said that is needed."""
        self.allow_lack, self.steps = True, 0
        return self.covers(0)

    def covers(self, at: int) -> bool:
        """Tell whether the words from here on can be covered; ``params`` are filled then."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            return False
        if at == len(self.words):
            return self.is_complete()
        if self.words[at].key == ",":
            return self.covers(at + 1)
        return self.by_slot(at) or self.by_concept(at) or self.by_filler(at)

    def is_complete(self) -> bool:
        frame = self.compiled.frame
        if not all(name in self.used for name in frame.needs) or self.parts_a_time():
            return False
        required = (name for name, slot in frame.slots.items() if slot.required)
        return self.allow_lack or all(name in self.params for name in required)

    def parts_a_time(self) -> bool:
        """Tell whether a part of a time was taken for a text."""
        slots = self.compiled.frame.slots
        times = [str(self.params[name]) for name in self.params if slots[name].type == "when"]
        texts = [str(self.params[name]) for name in self.params if slots[name].type == "words"]
        return any(has_time_left(text, time) for text in texts for time in times)

    # The three ways to cover words

    def by_concept(self, at: int) -> bool:
        for name in (*self.compiled.frame.needs, *self.compiled.frame.may):
            for end in self.saying_ends(self.compiled.concepts[name], at):
                with_this = self.used.get(name, 0) + 1
                self.used[name] = with_this
                if self.covers(end):
                    return True
                self.release(name)
        return False

    def release(self, concept: str) -> None:
        """Take back that a concept was said once more."""
        self.used[concept] -= 1
        if not self.used[concept]:
            del self.used[concept]

    def by_filler(self, at: int) -> bool:
        for group in self.compiled.fillers:
            for end in self.saying_ends(group, at):
                self.filled += end - at
                if self.covers(end):
                    return True
                self.filled -= end - at
        return False

    def by_slot(self, at: int) -> bool:
        for name, slot in self.compiled.frame.slots.items():
            before = self.params.get(name)
            for end, value, concept in self.fillings(name, slot, at):
                filling = value if before is None else self.together(slot, before, value)
                if filling is None or not self.takes(slot, filling):
                    continue
                self.params[name] = filling
                if concept:
                    self.used[concept] = self.used.get(concept, 0) + 1
                if self.covers(end):
                    return True
                if before is None:
                    del self.params[name]
                else:
                    self.params[name] = before
                if concept:
                    self.release(concept)
        return False

    def together(self, slot: Slot, before: Value, value: Value) -> Value | None:
        """Join a time that is said in two places: "the 6 am alarm for Wednesday"."""
        if slot.type != "when" or not isinstance(before, str) or not isinstance(value, str):
            return None
        both = (f"{before} {value}", f"{value} {before}")
        return next((each for each in both if read_when(each) is not None), None)

    def takes(self, slot: Slot, value: Value) -> bool:
        """Tell whether a slot takes a value: an exact time, a text that names something."""
        if not isinstance(value, str):
            return True
        if slot.exact and not self.allow_lack:
            when = read_when(value)
            return when is not None and when.is_exact
        key = value.casefold()
        if slot.type == "words" and (is_cut_off(key) or (slot.plain and is_restricted(key))):
            return False
        return key not in slot.never and (slot.type != "words" or not names_nothing(key))

    def saying_ends(self, sayings: Sayings, at: int) -> Iterator[int]:
        words, word = self.words, self.words[at]
        found = None if word.quoted else sayings.get(word.key)
        for saying in found or ():
            end = at + len(saying)
            is_one = end == at + 1
            if is_one or (end <= len(words) and saying == keys_between(words, at, end)):
                yield end

    # What fills a slot

    def fillings(self, name: str, slot: Slot, at: int) -> Iterator[tuple[int, Value, str]]:
        """Give the ways to fill a slot from here: where each ends, its value, and the concept."""
        if slot.beside:
            yield from self.beside(name, slot, at)
        if slot.after:
            for begin, concept in self.led(slot, at):
                for end, value in self.values_at(name, slot, begin, is_led=True):
                    yield end, value, concept
        elif not slot.beside:
            for end, value in self.values_at(name, slot, at, is_led=False):
                yield end, value, ""

    def led(self, slot: Slot, at: int) -> Iterator[tuple[int, str]]:
        """Give where a slot may begin behind a word that leads it."""
        for leader in slot.after:
            if leader.startswith("@"):
                for end in self.saying_ends(self.compiled.concepts[leader[1:]], at):
                    yield end, leader[1:]
            else:
                for end in self.saying_ends({leader.split()[0]: (tuple(leader.split()),)}, at):
                    yield end, ""

    def beside(self, name: str, slot: Slot, at: int) -> Iterator[tuple[int, Value, str]]:
        """Give what stands before a noun ("the pizza timer") or behind it ("timer for pizza")."""
        sayings = self.compiled.concepts[slot.beside]
        for end, value in self.values_at(name, slot, at, is_led=False):
            for after in self.saying_ends(sayings, end) if end < len(self.words) else ():
                yield after, value, slot.beside
        for noun_end in self.saying_ends(sayings, at):
            for joint in slot.joined:
                length = len(joint.split())
                keys = tuple(word.key for word in self.words[noun_end : noun_end + length])
                if keys == tuple(joint.split()):
                    begin = noun_end + length
                    for end, value in self.values_at(name, slot, begin, is_led=True):
                        yield end, value, slot.beside

    def values_at(
        self, name: str, slot: Slot, at: int, *, is_led: bool
    ) -> Iterator[tuple[int, Value]]:
        """Give the values that may begin here, with where each ends."""
        if at >= len(self.words):
            return
        match slot.type:
            case "when":
                if (time := self.times.when(at, is_led=is_led)) is not None:
                    yield time[0], self.said(at, time[0])
            case "duration":
                if (length := self.times.duration(at)) is not None:
                    yield length[0], self.said(at, length[0])
            case "percent" | "count":
                yield from self.numbers(slot, at)
            case "size":
                yield from self.sizes(at)
            case "date":
                yield from self.dates(at)
            case "value":
                sayings, meanings = self.compiled.values[name]
                for end in self.saying_ends(sayings, at):
                    keys = " ".join(word.key for word in self.words[at:end])
                    yield end, meanings[keys]
            case "words":
                yield from self.texts(slot, at, is_led=is_led)

    def numbers(self, slot: Slot, at: int) -> Iterator[tuple[int, Value]]:
        key = self.words[at].key.removesuffix("%")
        end, value = at + 1, float(key) if key.isdecimal() else None
        if value is None:
            found = self.times.whole_number(at)
            if found is None:
                return
            end, value = found[0], float(found[1])
        if slot.type == "percent" and end < len(self.words):
            if self.words[end].key in {"percent", "%", "percents"}:
                end += 1
            elif (self.words[end].key, self.words[-1].key) == ("per", "cent"):
                end += 2
        if value <= LOUDEST or slot.type == "count":
            yield end, int(value)

    def dates(self, at: int) -> Iterator[tuple[int, Value]]:
        """Give a day: a date, a day of the week, or a feast."""
        if (feast := self.times.feast(at)) is not None:
            yield feast, self.said(at, feast)
        if (day := self.times.day(at)) is not None:
            yield day[0], self.said(at, day[0])

    def sizes(self, at: int) -> Iterator[tuple[int, Value]]:
        """Give an amount with its unit: "5 GB", "twenty percent"."""
        key = self.words[at].key
        if SIZE.fullmatch(key):
            yield at + 1, self.said(at, at + 1)
            return
        number = at + 1 if DIGITS.fullmatch(key) else (self.times.whole_number(at) or (0, 0))[0]
        if number and number < len(self.words) and self.words[number].key in SIZES:
            yield number + 1, self.said(at, number + 1)

    def texts(self, slot: Slot, at: int, *, is_led: bool) -> Iterator[tuple[int, Value]]:
        """Give free texts: behind a word that leads them any, else a name of a word or two."""
        if self.words[at].quoted:
            yield at + 1, self.words[at].text
            return
        if slot.quoted:
            return
        for name in slot.names:
            end = at + len(name.split())
            if tuple(word.key for word in self.words[at:end]) == tuple(name.split()):
                yield end, name
        longest = slot.longest if is_led else LONGEST_NAME
        barred = self.compiled.concepts[slot.without] if slot.without else {}
        for end in range(at + 1, min(len(self.words), at + longest) + 1):
            if not is_led and self.is_known(self.words[end - 1]):
                return
            if self.words[end - 1].key in barred:
                return
            text = self.said(at, end).strip(PUNCTUATION + " ")
            if text and not (is_led and self.compiled.is_empty(self.words[at:end])):
                yield end, text

    def is_known(self, word: Word) -> bool:
        """Tell whether a word means something in this frame, and so is no part of a name."""
        reader = self.times
        is_number = word.key in reader.table.numbers or word.key[:1].isdecimal()
        return word.key in self.compiled.known or is_number or word.key in reader.table.units

    def said(self, start: int, end: int) -> str:
        """Give words as they were said."""
        text = self.text[self.words[start].start : self.words[end - 1].end]
        return text.strip(" ,;!?").rstrip(".")


@lru_cache(maxsize=8)  # several readers look at one text, one after another
def words_of(text: str) -> tuple[Word, ...]:
    """Cut a text into words; a comma between them is a word of its own."""
    found: list[Word] = []
    for start, end, quoted in scan(text.rstrip(".!?;: ")):
        if quoted is not None:
            found.append(Word("", quoted, start, end, quoted=True))
            continue
        said = text[start:end]
        parts = said.split("-") if said[:1].isdecimal() else [said]
        found += [Word(key_of(part), part.rstrip(","), start, end) for part in parts]
        if said.endswith(","):
            found.append(Word(",", ",", end, end))
    return tuple(found)


def keys_between(words: Sequence[Word], start: int, end: int) -> tuple[str, ...]:
    return tuple([word.key for word in words[start:end]])


def is_question(words: Sequence[Word]) -> bool:
    """Tell whether a text asks something: then nothing is changed for it."""
    keys = tuple(word.key for word in words)
    return any(keys[: len(saying)] == saying for saying in questions().get(keys[0], ()))


def read_condition(text: str) -> GoalDraft | None:
    """Read what stands behind "if": one look at the machine that decides what is done."""
    return read_closed(text, lambda _: False, "condition")


def read_closed(text: str, changes: Callable[[str], bool], group: Group) -> GoalDraft | None:
    """Read a text by the closed frames of a group; ``changes`` tells which goals change something.

    Of several frames that cover it, the one that passes over the fewest words is meant.
    """
    best: tuple[tuple[int, int, int], GoalDraft] | None = None
    for attempt in attempts(text, changes, group):
        if not attempt.fits():
            continue
        frame, number = attempt.compiled.frame, attempt.compiled.number
        weight = (-attempt.filled, len(frame.needs) + len(attempt.params), -number)
        if best is None or weight > best[0]:
            domain, verb = frame.goal.split(".")
            best = (weight, GoalDraft(domain, verb, {**frame.params, **attempt.params}))
    return None if best is None else best[1]


class Survey(NamedTuple):
    """What the frames ask of a text before they are tried on it."""

    words: tuple[Word, ...]
    said: int  # a bit for every concept and list of values of which it has a word
    times: TimeReader
    asks: bool


@lru_cache(maxsize=8)  # every group of frames is tried on a text, one after another
def survey_of(text: str) -> Survey:
    """Look through the words of a text once."""
    words = words_of(text)
    keys = [word.key for word in words]
    index, said = trigger_index(), 0
    for key in keys:
        said |= index.get(key, 0)
    return Survey(words, said, TimeReader(keys), bool(words) and is_question(words))


def attempts(text: str, changes: Callable[[str], bool], *groups: Group) -> Iterator[Attempt]:
    """Give the frames that a text may fit, ready to be tried."""
    if len(text) > LONGEST:
        return
    words, said, reader, asks = survey_of(text)
    if not words or len(words) > MOST_WORDS:
        return
    for group in groups:
        fitting = [each for each in frames_of(group) if said & each.triggers == each.triggers]
        for compiled in fitting:
            if not (changes(compiled.frame.goal) if asks else compiled.frame.asks):
                yield Attempt(compiled, text, words, reader)


def fuller_example(text: str, changes: Callable[[str], bool]) -> str | None:
    """Give a whole sentence like a text that leaves out something that is needed."""
    tried = attempts(text, changes, "strong", "weak")
    lacking = (each for each in tried if each.lacks_something())
    return next((each.compiled.frame.example for each in lacking), None)


def closed_examples() -> dict[str, tuple[str, ...]]:
    """Give the examples of the closed frames by the goal that they are for."""
    found: dict[str, tuple[str, ...]] = {}
    for frame in load_table().frame:
        if frame.condition:
            continue
        found[frame.goal] = (*found.get(frame.goal, ()), frame.example)
    return found
