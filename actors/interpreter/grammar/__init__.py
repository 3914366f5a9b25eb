"""The offline grammar: a table of phrases, a small parser, no network and no guessing.

It owns how a text is cut into clauses and clauses become drafted goals with the scopes that the
words state. What does not fit the table is answered with the place and the nearest phrasing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

from rapidfuzz import fuzz, process

from actors.interpreter.commands import Commands
from actors.interpreter.grammar.clauses import (
    LEADS,
    Clause,
    ClauseReader,
    Nothing,
    Reading,
    Refusal,
)
from actors.interpreter.grammar.drafting import Drafter, ordered
from actors.interpreter.grammar.memory import Misfit
from actors.interpreter.grammar.segments import Piece, Segmenter, pieces_of
from actors.interpreter.grammar.sentence import HARD, Sentence, sentence_of
from actors.interpreter.grammar.table import Compiled, Frame, compiled
from actors.interpreter.grammar.worldly import DESCRIBED, Worlds
from actors.words import fold
from messages.goals import GoalDraft
from messages.rules import Rule, SearchEngine

# Bounds on what is read at all: nobody says as much in one breath, and reading costs time.
MAX_TOKENS = 1_000
MAX_PIECES = 200
MAX_CLAUSE = 120
MAX_LENGTH = 20_000
SUGGESTIONS = 3
NEAR = 60
VOWELS = "aeiou"


@dataclass(frozen=True, slots=True)
class Misunderstanding:
    """A clause that did not parse: where it stands, why, and what would have worked."""

    span: tuple[int, int]
    message: str
    suggestions: tuple[str, ...] = ()


Understanding: TypeAlias = tuple[GoalDraft, ...] | Misunderstanding


@dataclass
class Grammar:
    """The table, compiled, with the names it needs from rules, search engines and settings."""

    table: Compiled
    rules: Mapping[tuple[str, str], Rule]
    commands: Mapping[str, Commands] = field(default_factory=dict)
    _ing: Mapping[str, str] = field(init=False)
    _done: Mapping[str, str] = field(init=False)
    _openers: frozenset[str] = field(init=False)
    _worlds: Worlds = field(init=False)

    def __post_init__(self) -> None:
        self._openers = frozenset(self.table.frames) | LEADS | self.table.before.sayings.keys()
        self._worlds = Worlds(self.rules, self.commands)
        self._ing = {
            ing(verb): verb
            for verb in self.table.frames
            if verb.isalpha() and verb not in {"have", "be"}
        }
        self._done = {done(verb): verb for verb in self._ing.values() if verb != "finish"}

    def parse(self, text: str) -> Understanding:
        """Read a text: every clause of it, or none."""
        whole = (0, len(text))
        if len(text) > MAX_LENGTH:
            return Misunderstanding(whole, f"more than {MAX_LENGTH} characters")
        sentence = sentence_of(text)
        if not sentence.toks:
            return Misunderstanding(whole, "there are no words", self.examples()[:SUGGESTIONS])
        if len(sentence.toks) > MAX_TOKENS:
            return Misunderstanding(whole, f"more than {MAX_TOKENS} words")
        self.mark_verbs(sentence)
        self.drop_politeness(sentence)
        capitals = has_small_letters(sentence)
        pieces = pieces_of(sentence.toks, self._openers, capitals=capitals)
        if len(pieces) > MAX_PIECES:
            return Misunderstanding(whole, f"more than {MAX_PIECES} clauses")
        return self.understand(sentence, pieces)

    def understand(self, sentence: Sentence, pieces: list[Piece]) -> Understanding:
        """Read the clauses of a sentence, and make goals of them."""
        reader = ClauseReader(
            self.table, sentence, self._worlds, names_in_capitals=has_small_letters(sentence)
        )
        for piece in pieces:
            if piece.end - piece.start > MAX_CLAUSE:
                message = "a clause of this length is not read; put long text in quotes"
                return Misunderstanding(sentence.span(piece.start, piece.end), message)
        segmenter = Segmenter(reader, pieces)
        clauses = segmenter.clauses()
        if clauses is None:
            return self.misread(segmenter)
        if (objection := self.objection(reader, pieces, clauses)) is not None:
            return objection
        readings = [each for each in clauses if isinstance(each, Reading) and not each.negated]
        if not readings:
            return Misunderstanding(
                (0, len(sentence.text)), "nothing to do: all of it is negated, or tells something"
            )
        try:
            return Drafter(reader, self.rules, self.commands).all(ordered(readings))
        except Misfit as misfit:
            return Misunderstanding(misfit.span, str(misfit))

    def mark_verbs(self, sentence: Sentence) -> None:
        """Read "clicking" and "having clicked" as "click" where they stand for something to do."""
        toks = sentence.toks
        doing = False
        for before, token in pairwise(toks):
            if token.quoted is not None:
                continue
            joined = doing and (before.key in {"and", "then", "or"} or token.comma)
            if token.key.endswith("ing") and (before.key in LEADING_TO_ING or joined):
                verb = self._ing.get(token.key)
            elif before.key in LEADING_TO_DONE:
                verb = self._done.get(token.key)
            else:
                doing = doing and token.parted != HARD
                continue
            if verb is not None:
                token.key, token.verb, doing = verb, True, True

    def drop_politeness(self, sentence: Sentence) -> None:
        """Leave out the "please" of "make please a folder", unless it may be what is written."""
        toks = sentence.toks
        sentence.toks = toks[:1] + [
            token
            for before, token in pairwise(toks)
            if token.key != "please"
            or token.quoted is not None
            or token.parted
            or before.key in WRITING
            or before.key not in self.table.frames
            or token is toks[-1]
        ]

    def rule(self, goal: str) -> Rule | None:
        domain, _, verb = goal.partition(".")
        return self.rules.get((domain, verb))

    def examples_by_goal(self) -> dict[str, tuple[str, ...]]:
        """Give the examples of the table by the first goal that they are for."""
        found: dict[str, tuple[str, ...]] = {}
        for frame in self.table.phrases.frame:
            goal = frame.all_goals()[0]
            found[goal] = (*found.get(goal, ()), frame.example)
        return found

    # What is not understood

    def objection(
        self, reader: ClauseReader, pieces: Sequence[Piece], clauses: Sequence[Clause]
    ) -> Misunderstanding | None:
        """Find what is refused by name, asked, or can be read in two ways of different effect."""
        sentence = reader.sentence
        for clause in clauses:
            span = sentence.span(clause.start, clause.end)
            said = sentence.text[span[0] : span[1]]
            if isinstance(clause, Refusal):
                return Misunderstanding(span, f"{clause.reason}: {said!r}")
            if isinstance(clause, Reading) and self.is_asked(reader, clause):
                message = f"is that a question or a command? {said!r} without '?' is one"
                return Misunderstanding(span, message)
        return unclear(sentence, pieces, clauses)

    def is_asked(self, reader: ClauseReader, clause: Reading) -> bool:
        """Tell whether something that changes the world ends in a question mark, not politely."""
        toks = reader.toks
        if not toks[clause.end - 1].asked or clause.negated:
            return False
        start = clause.start
        while start and toks[start].parted != HARD:
            start -= 1
        words = {token.key for token in toks[start : clause.end] if token.quoted is None}
        if words & self.table.phrases.noise.asking:
            return False
        rules = [self.rule(goal) for goal in clause.frame.all_goals()]
        return any(rule is None or rule.action_class == "actuate" for rule in rules)

    def misread(self, segmenter: Segmenter) -> Misunderstanding:
        """Name the piece behind all that can be read, with what would have worked in its place."""
        pieces = segmenter.pieces
        at = segmenter.readable()
        for piece in pieces[at:]:
            found = segmenter.reader.read(piece.start, piece.end)
            if isinstance(found, Refusal):
                return self.misunderstood(segmenter.reader, piece.start, piece.end, found.reason)
        piece = pieces[min(at, len(pieces) - 1)]
        end = piece.end
        if segmenter.reader.toks[piece.start].key in LEADS and at + 1 < len(pieces):
            end = pieces[at + 1].end
        return self.misunderstood(segmenter.reader, piece.start, end)

    def misunderstood(
        self, reader: ClauseReader, start: int, end: int, reason: str = "not understood"
    ) -> Misunderstanding:
        begin, _ = reader.without_noise_before(start, end)
        span = reader.sentence.span(begin, end)
        said = reader.sentence.text[span[0] : span[1]]
        if reader.is_conditional(begin, end):
            reason = "conditions are not supported"
        hint = "" if reason != "not understood" else "; names and texts may need quotes"
        return Misunderstanding(span, f"{reason}: {said!r}{hint}", self.nearest(said))

    def nearest(self, said: str) -> tuple[str, ...]:
        """Give the phrasings nearest to a clause that was not understood."""
        examples = self.examples()
        near = process.extract(
            fold(said), examples, scorer=fuzz.WRatio, limit=SUGGESTIONS, score_cutoff=NEAR
        )
        return tuple(example for example, _, _ in near) or examples[:SUGGESTIONS]

    def examples(self) -> tuple[str, ...]:
        """Give one example of every frame."""
        return tuple(
            frame.example
            for frame in self.table.phrases.frame
            if "latest" not in frame.takes.values()
        )


LEADING_TO_ING = frozenset(
    {"after", "before", "by", "upon", "without", "mind", "of", "than", "from", "avoid", "start",
     "to", "begin", "try", "stop", "not", "never", "on", "when", "while"}
)  # fmt: skip
LEADING_TO_DONE = frozenset({"having", "you've", "have", "you", "been"})
WRITING = frozenset({"type", "enter", "write", "search", "say", "input", "key", "google", "in"})
# Verbs whose past no rule gives.
IRREGULAR = {
    "choose": "chosen", "read": "read", "set": "set", "put": "put", "write": "written", "go": "gone",
    "make": "made", "take": "taken", "find": "found", "hit": "hit", "submit": "submitted",
}  # fmt: skip
# What ends the reach of a negation.
ENDS_NEGATION = frozenset({"but"})


def unclear(
    sentence: Sentence, pieces: Sequence[Piece], clauses: Sequence[Clause]
) -> Misunderstanding | None:
    """Find where two readings of a text would do different things, and say which words decide."""
    joints = {piece.start: piece for piece in pieces}
    negated = placed = False
    for clause in clauses:
        piece = piece_before(joints, clause.start)
        ends = piece is None or piece.hard or piece.words & ENDS_NEGATION
        negated = negated and not ends
        placed = placed and not (piece is None or (piece.hard and not piece.line))
        if not isinstance(clause, Reading):
            continue
        span = sentence.span(clause.start, clause.end)
        said = sentence.text[span[0] : span[1]]
        instead = any(
            token.key == "instead" for token in sentence.toks[clause.start : clause.end + 1]
        )
        if negated and not clause.negated and not instead:
            message = f"is {said!r} to be done or not? say it in a sentence of its own"
            return Misunderstanding(span, message)
        if placed and clause.frame.placed and not clause.places and not clause.negated:
            message = f"does {said!r} belong there too? say where, or say it first"
            return Misunderstanding(span, message)
        negated = clause.negated and not clause.until_comma and bool(clause.frame.all_goals()[0])
        placed = placed or clause.led_by_place
    return None


def piece_before(joints: Mapping[int, Piece], start: int) -> Piece | None:
    """Find the piece that a clause begins in; noise may stand before the clause."""
    while start >= 0:
        if start in joints:
            return joints[start]
        start -= 1
    return None


def has_small_letters(sentence: Sentence) -> bool:
    """Tell whether capitals mean something here: not all words are written with them."""
    words = [token for token in sentence.toks if token.key[:1].isalpha() and token.quoted is None]
    return any(not token.capital for token in words)


def ing(verb: str) -> str:
    """Give the form of a verb that follows "after" and "by".

    >>> [ing(verb) for verb in ("click", "type", "submit", "go", "set")]
    ['clicking', 'typing', 'submitting', 'going', 'setting']
    """
    if verb.endswith("e") and not verb.endswith("ee"):
        return f"{verb[:-1]}ing"
    short = len(verb) > len("go") and verb[-1] not in f"{VOWELS}wxy" and verb[-2] in VOWELS
    if short and verb[-3] not in VOWELS and verb not in {"enter", "open", "visit", "cancel"}:
        return f"{verb}{verb[-1]}ing"
    return f"{verb}ing"


def done(verb: str) -> str:
    """Give the form of a verb that follows "having".

    >>> [done(verb) for verb in ("click", "type", "choose", "drag", "tick")]
    ['clicked', 'typed', 'chosen', 'dragged', 'ticked']
    """
    return IRREGULAR.get(verb) or f"{ing(verb).removesuffix('ing')}ed"


def load_grammar(
    rules: Mapping[tuple[str, str], Rule],
    engines: Mapping[str, SearchEngine],
    anchors: frozenset[str],
    commands: Mapping[str, Commands] | None = None,
) -> Grammar:
    """Compile the table that ships with the grammar."""
    return Grammar(compiled(engines, anchors), rules, commands or {})


__all__ = ["DESCRIBED", "Frame", "Grammar", "Misunderstanding", "Nothing", "load_grammar"]
