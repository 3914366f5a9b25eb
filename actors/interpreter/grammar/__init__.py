"""The offline grammar: a table of phrases, a small parser, no network and no guessing.

It owns how sentences are cut into clauses and clauses become drafted goals with the scopes that
the words state. What does not fit the table is answered with the place and the nearest phrasing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib.resources import files
from typing import TypeAlias

import msgspec

from actors.interpreter.commands import PLAYED, Commands
from actors.interpreter.grammar.clauses import HELD, JOINT, Piece, pieces_of
from actors.interpreter.grammar.memory import Memory, Mention, Misfit
from actors.interpreter.grammar.slots import Lexicon, value_of
from actors.interpreter.grammar.templates import Slot, Template, compile_template
from messages.goals import GoalDraft
from messages.message import Data, Scalar, Value
from messages.rules import Rule, SearchEngine

# Bounds on what is read at all: matching a clause may cost the square of its length. Quoted text
# does not count, it is held out as one word.
MAX_PIECES = 200
MAX_CLAUSE = 1000
MAX_JOINED = 8
# Cutting a text into clauses may cost the square of such runs.
RUNS = re.compile(r"\s{50}|[.!?]{50}")
QUOTATION_MARKS = "\"'`“”‘’"
MAX_QUOTES = 400
# Domains in which things may be described; of files only by their place in a row or a measure,
# for "the old report" may be a name that has to be quoted.
DESCRIBED = ("file", "app")
IN_A_ROW = frozenset({"file"})
# Slots whose words, if they fit, can mean nothing in a text world.
UNMISTAKABLE = frozenset({"address", "site", "file", "anchor", "drive", "number"})
# What ends the reach of a negation, and of a place said at the beginning of a sentence.
ENDS_NEGATION = (";", ".", "!", "?", "\n", "but")
ENDS_PLACE = (".", "!", "?")


class Frame(Data, frozen=True):
    """A row of the table: ways to put one goal.

    ``placed`` if a place can be said with it; ``disturbs`` if it takes things from where they are.
    """

    goal: str
    says: tuple[str, ...]
    example: str
    params: Mapping[str, Scalar] = {}
    placed: bool = False
    disturbs: bool = False


class Place(Data, frozen=True):
    """A row of the table: ways to say where a file goal belongs."""

    says: tuple[str, ...]
    scope: str


class Noise(Data, frozen=True):
    """Words at the edge of a clause that say nothing about the goal; ``asking`` politely."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    asking: tuple[str, ...]


class Refused(Data, frozen=True):
    """What is understood well enough to be refused by name."""

    reason: str
    patterns: tuple[str, ...]


class Words(Data, frozen=True):
    """A list of words."""

    words: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()


class Phrases(Data, frozen=True):
    """The whole table of what one can say."""

    lexicon: dict[str, list[str]]
    noise: Noise
    negation: Words
    refused: tuple[Refused, ...]
    place: tuple[Place, ...]
    frame: tuple[Frame, ...]
    file_endings: Words
    states: Words
    grammatical: Words
    describing: Words
    pronouns: Words


@dataclass(frozen=True, slots=True)
class Misunderstanding:
    """A clause that did not parse: where it stands, why, and what would have worked."""

    span: tuple[int, int]
    message: str
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scoped:
    """A phrase of place, read: the scope it states, and the names in it."""

    scope: str
    names: Mapping[str, str]

    def stated(self, memory: Memory, span: tuple[int, int]) -> str:
        """Give the scope, with what "it" means."""
        if not self.names:
            return self.scope.format_map({"it": memory.folder(span)})
        if (folder := self.names.get("folder")) is not None:
            memory.check_folder(folder, span)
        return self.scope.format_map(self.names)


@dataclass(frozen=True, slots=True)
class Negated:
    """A clause that was understood, and asks for nothing."""

    piece: Piece


@dataclass(frozen=True, slots=True)
class Reading:
    """One clause, read: its frame, the values of its slots, the scopes it states.

    ``words`` are all of it, where the world must tell which of them stand for what.
    """

    piece: Piece
    frame: Frame
    slots: Mapping[Slot, str]
    places: tuple[Scoped, ...] = ()
    led_by_place: bool = False
    words: str | None = None


Clause: TypeAlias = Reading | Negated
Understanding: TypeAlias = tuple[GoalDraft, ...] | Misunderstanding


@dataclass
class Grammar:
    """The table, compiled, with the names it needs from rules, search engines and settings."""

    phrases: Phrases
    lexicon: Lexicon
    rules: Mapping[tuple[str, str], Rule]
    commands: Mapping[str, Commands] = field(default_factory=dict)
    _frames: list[tuple[Template, Frame]] = field(init=False)
    _places: list[tuple[Template, Place]] = field(init=False)
    _refused: list[tuple[re.Pattern[str], str]] = field(init=False)

    def __post_init__(self) -> None:
        words, shapes = self.phrases.lexicon, self.lexicon.shapes()
        self._frames = [
            (compile_template(says, words, shapes), frame)
            for frame in self.phrases.frame
            for says in frame.says
        ]
        self._places = [
            (compile_template(says, words, shapes), place)
            for place in self.phrases.place
            for says in place.says
        ]
        self._refused = [
            (re.compile(pattern), refused.reason)
            for refused in self.phrases.refused
            for pattern in refused.patterns
        ]

    def parse(self, text: str) -> Understanding:
        """Read a text: every clause of it, or none."""
        if not text.strip():
            return Misunderstanding((0, len(text)), "there are no words", self.examples())
        if RUNS.search(text) or sum(map(text.count, QUOTATION_MARKS)) > MAX_QUOTES:
            return Misunderstanding((0, len(text)), "these are hardly words")
        pieces = pieces_of(text)
        if len(pieces) > MAX_PIECES:
            return Misunderstanding((0, len(text)), f"more than {MAX_PIECES} clauses")
        if isinstance(clauses := self.segment(pieces), Misunderstanding):
            return clauses
        if (objection := unclear(clauses)) is not None:
            return objection
        readings = [clause for clause in clauses if isinstance(clause, Reading)]
        if not readings:
            return Misunderstanding((0, len(text)), "nothing to do: all of it is negated")
        try:
            return self.drafts(readings)
        except Misfit as misfit:
            return Misunderstanding(misfit.span, str(misfit))

    def segment(self, pieces: Sequence[Piece]) -> list[Clause] | Misunderstanding:
        """Cut the text into the shortest clauses that all parse.

        A clause may reach over a joint where that is part of its words ("click Save and close").
        Worked out from the end, so that every cut is tried once.
        """
        count = len(pieces)
        best: list[list[Clause] | None] = [None] * count + [[]]
        for start in range(count - 1, -1, -1):
            joined = pieces[start]
            for end in range(start + 1, min(count, start + MAX_JOINED) + 1):
                if end > start + 1:
                    joined = joined.joined(pieces[end - 1])
                rest = best[end]
                if rest is None:
                    continue
                reading = self.read(joined)
                if not isinstance(reading, Misunderstanding):
                    best[start] = [reading, *rest]
                    break
        return best[0] if best[0] is not None else self.misread(pieces)

    def misread(self, pieces: Sequence[Piece]) -> Misunderstanding:
        """Name the first piece that is no clause, with what would have worked in its place."""
        for piece in pieces:
            if isinstance(reading := self.read(piece), Misunderstanding):
                return reading
        whole = pieces[0]
        for piece in pieces[1:]:
            whole = whole.joined(piece)
        return Misunderstanding(whole.span, f"not understood: {whole.shown()!r}")

    def read(self, piece: Piece) -> Clause | Misunderstanding:
        """Read one clause. What is not to be done must be understood as well as what is."""
        raw = piece.text.strip().casefold()
        asked = raw.endswith("?") and not raw.startswith(self.phrases.noise.asking)
        piece = piece.trimmed(self.phrases.noise.before, self.phrases.noise.after)
        if len(piece.text) > MAX_CLAUSE:
            message = "a clause of this length is not read; put long text in quotes"
            return Misunderstanding(piece.span, message)
        lowered = piece.text.casefold()
        for pattern, reason in self._refused:
            if pattern.search(lowered) or pattern.search(raw):
                return Misunderstanding(piece.span, f"{reason}: {piece.shown()!r}")
        rest = piece.without(self.phrases.negation.words)
        reading = self.reading_of(piece if rest is None else rest)
        if reading is None:
            message = f"not understood: {piece.shown()!r}; names and texts may need quotes"
            return Misunderstanding(piece.span, message, self.nearest(piece))
        if asked and self.changes_something(reading):
            message = f"is that a question or a command? {piece.shown()!r} without '?' is one"
            return Misunderstanding(piece.span, message)
        return reading if rest is None else Negated(piece)

    def changes_something(self, reading: Reading) -> bool:
        """Tell whether a reading would do more than look."""
        domain, _, verb = reading.frame.goal.partition(".")
        rule = self.rules.get((domain, verb))
        return rule is None or rule.action_class == "actuate"

    def reading_of(self, piece: Piece) -> Reading | None:
        """Read a clause that is not negated: by a frame, or as a command in a text world.

        While a world is played, what could be said in it is said in it, unless the words name a
        file or an address.
        """
        framed = self.framed(piece)
        played = self.commands.get(PLAYED)
        if played is not None and played.playing:
            if framed is not None and not self.could_be_played(framed):
                return framed
            return self.played(piece, played) or framed or self.described(piece)
        framed = framed or self.described(piece)
        if framed is not None or played is None or JOINT.search(piece.text) is not None:
            return framed
        words = piece.shown()
        machine = (self.commands[domain] for domain in DESCRIBED if domain in self.commands)
        if any(commands.verb_of(words, loosely=True) is not None for commands in machine):
            return None  # it speaks of files or applications, in words that are not understood
        return self.played(piece, played)

    def played(self, piece: Piece, commands: Commands) -> Reading | None:
        """Read a clause as a command in a text world."""
        verb = commands.verb_of(piece.shown(), loosely=commands.playing)
        if verb is None:
            return None
        return Reading(piece, Frame(f"{PLAYED}.{verb}", (), ""), {}, words=piece.shown())

    def could_be_played(self, framed: Reading) -> bool:
        """Tell whether words that fit a frame name nothing that only the machine has."""
        for slot, text in framed.slots.items():
            word = text.strip().casefold()
            typed = slot.type in UNMISTAKABLE and word not in self.lexicon.pronouns
            if typed or self.lexicon.is_file(word):
                return False
        return True

    def described(self, piece: Piece) -> Reading | None:
        """Read a clause about one thing that no frame has a name for: "the newest invoice"."""
        if JOINT.search(piece.text) is not None:
            return None
        for rest, words in piece.cuts():
            place = self.place_of(words)
            verb = None if place is None else self.verb_described("file", rest)
            if place is not None and verb is not None:
                return self.described_reading("file", verb, rest, (place,))
        for domain in DESCRIBED:
            verb = self.verb_described(domain, piece)
            if verb is not None:
                return self.described_reading(domain, verb, piece, ())
        return None

    def verb_described(self, domain: str, piece: Piece) -> str | None:
        commands = self.commands.get(domain)
        if commands is None:
            return None
        return commands.described(piece.shown(), in_a_row=domain in IN_A_ROW)

    def described_reading(
        self, domain: str, verb: str, piece: Piece, places: tuple[Scoped, ...]
    ) -> Reading:
        """Make the reading of a clause whose words are bound when it runs."""
        rule = self.rules.get((domain, verb))
        disturbs = rule is not None and rule.action_class == "actuate"
        frame = Frame(f"{domain}.{verb}", (), "", placed=domain == "file", disturbs=disturbs)
        return Reading(piece, frame, {}, places, words=piece.shown())

    def framed(self, piece: Piece) -> Reading | None:
        """Read a clause by the table: a place at its beginning, at its end, or nowhere."""
        for words, rest in piece.cuts():
            if (place := self.place_of(words)) is not None:
                reading = self.frame_of(rest, (place,))
                if reading is not None:
                    return replace(reading, led_by_place=True)
        for rest, words in piece.cuts():
            if (place := self.place_of(words)) is not None:
                reading = self.frame_of(rest, (place,))
                if reading is not None and not ends_in_free_text(reading):
                    return reading
        return self.frame_of(piece, ())

    def place_of(self, piece: Piece) -> Scoped | None:
        """Read words as a phrase of place, if they are one."""
        opener = piece.opener()
        for template, place in self._places:
            if opener not in template.openers:
                continue
            if (slots := self.filled(template, piece)) is not None:
                named = {slot.name: piece.restored(text) for slot, text in slots.items()}
                return Scoped(place.scope, {name: text.rstrip(":") for name, text in named.items()})
        return None

    def frame_of(self, piece: Piece, places: tuple[Scoped, ...]) -> Reading | None:
        """Find the first frame that a clause fits."""
        first = piece.opener()
        for template, frame in self._frames:
            if (places and not frame.placed) or first not in template.openers:
                continue
            if (slots := self.filled(template, piece)) is not None:
                return Reading(piece, frame, slots, places)
        return None

    def filled(self, template: Template, piece: Piece) -> dict[Slot, str] | None:
        """Match a template; None unless every slot is filled by words that may fill it."""
        slots = template.match(piece.text)
        if slots is None or not all(self.lexicon.fits(slot, text) for slot, text in slots.items()):
            return None
        return slots

    def drafts(self, readings: Sequence[Reading]) -> tuple[GoalDraft, ...]:
        """Turn readings into goals, with "it" resolved and the natural order written down."""
        memory = Memory()
        drafts: list[GoalDraft] = []
        latest: dict[str, int] = {}
        # What is moved or deleted may hold, or lie in, what other clauses speak of.
        in_order = any(reading.frame.disturbs for reading in readings)
        for reading in readings:
            draft, places, before = self.draft(reading, memory)
            things = self.shared_things(draft)
            if in_order and draft.domain == "file":
                things.append("files")
            before |= {latest[thing] for thing in things if thing in latest}
            latest.update(dict.fromkeys(things, len(drafts)))
            scope = [*places, *(f"after:g{index}" for index in sorted(before))]
            stated = tuple(scope) if len(scope) > 1 else (scope[0] if scope else "root")
            rule = self.rules.get((draft.domain, draft.verb))
            name = draft.params.get((rule.creates if rule else None) or "name")
            memory.remember(draft, name, places, len(drafts))
            drafts.append(msgspec.structs.replace(draft, scope=stated))
        return tuple(drafts)

    def draft(self, reading: Reading, memory: Memory) -> tuple[GoalDraft, list[str], set[int]]:
        """Turn one reading into a goal, the scopes of its place, and the goals it follows from."""
        domain, _, verb = reading.frame.goal.partition(".")
        span = reading.piece.span
        if reading.words is not None:
            self.check_pronouns(reading, domain, memory)
            stated = [place.stated(memory, span) for place in reading.places]
            return GoalDraft(domain, verb, words=reading.words), stated, set()
        params: dict[str, Value] = dict(reading.frame.params)
        roles: dict[str, str] = {}
        places = [place.stated(memory, span) for place in reading.places]
        mentioned: Mention | None = None
        for slot, text in reading.slots.items():
            words = reading.piece.restored(text)
            if slot.kind == "role":
                roles[slot.name] = words
            elif slot.name == "extension":
                params["pattern"] = f"*.{words.lstrip('.')}"
            elif slot.name in {"name", "to"} and text.casefold() in self.lexicon.pronouns:
                mentioned = memory.recall(domain, words, span)
                params[slot.name] = mentioned.name
                kind = text.casefold().split()[-1]
                if verb == "delete" and kind in {"file", "folder"}:
                    params["object_type"] = kind
            else:
                params[slot.name] = value_of(slot, words, self.lexicon)
        if mentioned is None and domain == "file" and verb != "create" and not places:
            mentioned = memory.named(str(params.get("name")), span)
        if mentioned is None:
            return GoalDraft(domain, verb, params, roles), places, set()
        if places and tuple(places) != mentioned.places:
            raise Misfit(f"{mentioned.name} has its place already", span)
        if mentioned.places and not reading.frame.placed:
            raise Misfit(f"say where {mentioned.name} is, in a command of its own", span)
        return GoalDraft(domain, verb, params, roles), list(mentioned.places), {mentioned.goal}

    def check_pronouns(self, reading: Reading, domain: str, memory: Memory) -> None:
        """Refuse an "it" that would reach past what this text spoke of, to something older."""
        commands = self.commands.get(domain)
        if commands is None or reading.words is None or memory.latest_domain in {None, domain}:
            return
        if commands.refers_back(reading.words):
            raise Misfit("what does it mean here? say its name", reading.piece.span)

    def shared_things(self, draft: GoalDraft) -> list[str]:
        """Name what a goal acts on: goals that act on the same thing keep their order."""
        rule = self.rules.get((draft.domain, draft.verb))
        values = {**dict.fromkeys(rule.params, ""), **draft.params} if rule else {}
        return [shared.format_map(values) for shared in rule.shares] if rule else []

    def nearest(self, piece: Piece) -> tuple[str, ...]:
        """Give the phrasings nearest to a clause that was not understood."""
        text = piece.shown().casefold()
        examples = self.examples()
        near = get_close_matches(text, examples, n=3, cutoff=0.4)
        if near:
            return tuple(near)
        first = text.split(maxsplit=1)[0] if text else ""
        return (
            tuple(example for example in examples if example.split()[0] == first)[:3]
            or examples[:3]
        )

    def examples(self) -> tuple[str, ...]:
        """Give one example of every frame."""
        return tuple(frame.example for frame in self.phrases.frame)


def ends_in_free_text(reading: Reading) -> bool:
    """Tell whether a clause ends in words of its own, so that a place after them may be theirs."""
    slot, text = list(reading.slots.items())[-1] if reading.slots else (None, "")
    return slot is not None and slot.name == "content" and HELD.fullmatch(text.strip()) is None


def unclear(clauses: Sequence[Clause]) -> Misunderstanding | None:
    """Find where two readings of a text would do different things, and say which words decide."""
    negated = placed = False
    for clause in clauses:
        piece = clause.piece
        negated = negated and not any(mark in piece.joint.casefold() for mark in ENDS_NEGATION)
        placed = placed and not any(mark in piece.joint for mark in ENDS_PLACE)
        if negated and isinstance(clause, Reading):
            message = f"is {piece.shown()!r} to be done or not? say it in a sentence of its own"
            return Misunderstanding(piece.span, message)
        if placed and isinstance(clause, Reading) and clause.frame.placed and not clause.places:
            message = f"does {piece.shown()!r} belong there too? say where, or say it first"
            return Misunderstanding(piece.span, message)
        negated = isinstance(clause, Negated)
        placed = placed or (isinstance(clause, Reading) and clause.led_by_place)
    return None


def load_grammar(
    rules: Mapping[tuple[str, str], Rule],
    engines: Mapping[str, SearchEngine],
    anchors: frozenset[str],
    commands: Mapping[str, Commands] | None = None,
) -> Grammar:
    """Read the table that ships with the grammar."""
    text = files(__package__).joinpath("phrases.toml").read_text(encoding="utf-8")
    phrases = msgspec.toml.decode(text, type=Phrases)
    lexicon = Lexicon(
        sites={name: engine.hosts[0] for name, engine in engines.items() if engine.hosts},
        anchors=anchors,
        endings=phrases.file_endings.known,
        states=phrases.states.known,
        grammatical=phrases.grammatical.known,
        describing=phrases.describing.known,
        pronouns=phrases.pronouns.known,
    )
    return Grammar(phrases, lexicon, rules, commands or {})
