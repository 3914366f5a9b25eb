"""The offline grammar: a table of phrases, a small parser, no network and no guessing.

It owns how a text is cut into clauses and clauses become drafted goals with the scopes that the
words state. What does not fit the table is answered with the place and the nearest phrasing, what
could be meant in two ways with a question.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from actors.interpreter.commands import Commands
from actors.interpreter.grammar.clauses import ClauseReader
from actors.interpreter.grammar.context import Context, Effort, TooInvolved
from actors.interpreter.grammar.doubts import Doubts, Fork
from actors.interpreter.grammar.drafting import Drafter, ordered
from actors.interpreter.grammar.memory import Misfit
from actors.interpreter.grammar.pieces import Piece, pieces_of
from actors.interpreter.grammar.readings import Clause, Reading, Refusal
from actors.interpreter.grammar.segments import Segmenter
from actors.interpreter.grammar.sentence import Sentence, sentence_of
from actors.interpreter.grammar.table import Compiled, Frame, compiled
from actors.interpreter.grammar.verbs import VerbForms
from actors.interpreter.grammar.worldly import DESCRIBED, Worlds
from actors.words import fold
from messages.goals import GoalDraft
from messages.interpreting import Alternative
from messages.rules import Rule, SearchEngine

__all__ = ["DESCRIBED", "Doubt", "Frame", "Grammar", "Misunderstanding", "load_grammar"]

# Bounds on what is read at all: nobody says as much in one breath, and reading costs time.
MAX_LENGTH = 20_000
MAX_TOKENS = 800
MAX_PIECES = 120
MAX_CLAUSE = 100
MAX_QUOTES = 400
QUOTATION_MARKS = "\"'`“”‘’«»"
SUGGESTIONS = 3
NEAR = 50
# What to try where nothing is near.
FIRST_STEPS = ("create a folder reports", "open firefox", "what time is it")


@dataclass(frozen=True, slots=True)
class Misunderstanding:
    """A clause that did not parse: where it stands, why, and what would have worked."""

    span: tuple[int, int]
    message: str
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Doubt:
    """A clause with readings of different effect: what is asked, and what each answer means."""

    span: tuple[int, int]
    message: str
    ways: tuple[Alternative, ...]
    polar: bool = True


Understanding: TypeAlias = tuple[GoalDraft, ...] | Misunderstanding | Doubt


@dataclass
class Grammar:
    """The table, compiled, with the names it needs from rules, search engines and settings."""

    table: Compiled
    rules: Mapping[tuple[str, str], Rule]
    commands: Mapping[str, Commands] = field(default_factory=dict)
    _forms: VerbForms = field(init=False)
    _worlds: Worlds = field(init=False)
    _openers: frozenset[str] = field(init=False)
    _examples: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self._forms = VerbForms.of(self.table)
        self._worlds = Worlds(self.rules, self.commands)
        noise = self.table.before.sayings.keys()
        self._openers = frozenset(self.table.frames) | self.table.phrases.marks.leads | noise
        rows = self.table.phrases.frame
        self._examples = tuple(
            row.example for row in rows if "latest" not in row.takes.values() and not row.page_only
        )

    def parse(self, text: str, *, on_page: bool = False) -> Understanding:
        """Read a text: every clause of it, or none."""
        whole = (0, len(text))
        if len(text) > MAX_LENGTH:
            return Misunderstanding(whole, f"more than {MAX_LENGTH} characters")
        if sum(map(text.count, QUOTATION_MARKS)) > MAX_QUOTES:
            return Misunderstanding(whole, f"more than {MAX_QUOTES} quotation marks")
        sentence = sentence_of(text)
        if not sentence.toks:
            return Misunderstanding(whole, "there are no words", self.examples()[:SUGGESTIONS])
        if len(sentence.toks) > MAX_TOKENS:
            return Misunderstanding(whole, f"more than {MAX_TOKENS} words")
        if self.comes_and_goes(sentence):
            return Misunderstanding(whole, "schedules are not supported")
        if self.is_corrected(sentence):
            return Misunderstanding(whole, "it takes something back; say it again as it is meant")
        self._forms.mark(sentence)
        self._forms.mark_exceptions(sentence)
        self._forms.drop_politeness(sentence)
        self._forms.join_answers(sentence)
        self._forms.join_orders(sentence)
        capitals = has_small_letters(sentence)
        pieces = pieces_of(sentence.toks, self._openers, capitals=capitals)
        if (problem := too_much(pieces)) is not None:
            return Misunderstanding(whole, problem)
        try:
            effort = Effort.on(len(sentence.toks))
            context = Context(self.table, sentence, capitals, effort, on_page)
            return self.understand(context, pieces)
        except TooInvolved:
            return Misunderstanding(whole, "too much at once; say it in several commands")

    def is_corrected(self, sentence: Sentence) -> bool:
        """Tell whether somebody corrects themselves: "click Cancel, I mean OK"."""
        toks, corrections = sentence.toks, self.table.corrections
        return any(
            token.key in corrections.sayings and corrections.length_at(toks, at, len(toks))
            for at, token in enumerate(toks)
        )

    def comes_and_goes(self, sentence: Sentence) -> bool:
        """Tell whether "now and then" stands here: joints would cut it in two."""
        toks = sentence.toks
        return any(
            toks[at + 1].key == "and" and self.table.schedules.length_at(toks, at, len(toks)) > 1
            for at in range(len(toks) - 2)
        )

    def understand(self, context: Context, pieces: list[Piece]) -> Understanding:
        """Read the clauses of a sentence, and make goals of them or a question."""
        reader = ClauseReader(context, self._worlds)
        segmenter = Segmenter(reader, pieces)
        clauses = segmenter.clauses()
        if clauses is None and context.on_page and not context.loose:
            return self.used(context, pieces) or self.misread(segmenter)
        if clauses is None:
            return self.misread(segmenter)
        refused = next((each for each in clauses if isinstance(each, Refusal)), None)
        if refused is not None:
            return self.misunderstood(reader, refused.start, refused.end, refused.reason)
        forks = Doubts(reader, pieces, tuple(clauses), self.rules).forks()
        if forks:
            return self.doubt(reader, forks)
        return self.drafts(reader, clauses)

    def used(self, context: Context, pieces: list[Piece]) -> Understanding | None:
        """Read what no frame knows as what the page may call it: "Follow Sea Watch"."""
        found = self.understand(replace(context, loose=True), pieces)
        return None if isinstance(found, Misunderstanding) else found

    def doubt(self, reader: ClauseReader, forks: Sequence[Fork]) -> Understanding:
        """Ask which way is meant; of several such clauses none is guessed."""
        first = forks[0]
        if len(forks) > 1:
            return Misunderstanding(first.span, f"{first.message} Say it in a command of its own")
        ways: list[Alternative] = []
        for way in first.ways:
            drafts = self.drafts(reader, way.clauses, may_be_empty=True)
            if not isinstance(drafts, tuple):
                return drafts
            ways.append(Alternative(way.text, drafts))
        if not any(way.drafts for way in ways):
            return Misunderstanding(first.span, first.message)
        return Doubt(first.span, first.message, tuple(ways), first.polar)

    def drafts(
        self, reader: ClauseReader, clauses: Sequence[Clause], *, may_be_empty: bool = False
    ) -> tuple[GoalDraft, ...] | Misunderstanding:
        """Make goals of what is to be done."""
        acting = [each for each in clauses if isinstance(each, Reading) and not each.negated]
        if not acting and not may_be_empty:
            whole = (0, len(reader.context.sentence.text))
            return Misunderstanding(whole, "nothing to do: it is negated, or tells something")
        try:
            return Drafter(reader, self.rules, self.commands).all(ordered(acting))
        except Misfit as misfit:
            return Misunderstanding(misfit.span, str(misfit))

    # What is not understood

    def misread(self, segmenter: Segmenter) -> Misunderstanding:
        """Name the piece behind all that can be read, with what would have worked in its place."""
        pieces, reader = segmenter.pieces, segmenter.reader
        at = min(segmenter.readable(), len(pieces) - 1)
        for piece in pieces[at:]:
            found = reader.read(piece.start, piece.end)
            if isinstance(found, Refusal):
                return self.misunderstood(reader, piece.start, piece.end, found.reason)
        piece, end = pieces[at], pieces[at].end
        if reader.leads.may_begin(piece.start) and at + 1 < len(pieces):
            end = pieces[at + 1].end
        return self.misunderstood(reader, piece.start, end)

    def misunderstood(
        self, reader: ClauseReader, start: int, end: int, reason: str = ""
    ) -> Misunderstanding:
        """Say what was not understood, and why if that is known."""
        begin, _ = reader.noise.skipped(start, end)
        sentence = reader.context.sentence
        span = sentence.span(begin, end)
        said = sentence.text[span[0] : span[1]]
        if not reason and reader.context.is_conditional(begin, end):
            reason = "conditions are not supported"
        if reason:
            return Misunderstanding(span, f"{reason}: {said!r}", self.nearest(said))
        hint = "names and texts may need quotes"
        return Misunderstanding(span, f"not understood: {said!r}; {hint}", self.nearest(said))

    def nearest(self, said: str) -> tuple[str, ...]:
        """Give the phrasings nearest to a clause that was not understood."""
        from rapidfuzz import fuzz, process  # noqa: PLC0415 - most texts never need it

        folded = fold(said)
        verb = folded.partition(" ")[0]
        alike = [each for each in self._examples if each.partition(" ")[0] == verb]
        near = process.extract(folded, alike, scorer=fuzz.ratio, limit=SUGGESTIONS)
        if not near:
            near = process.extract(
                folded, self._examples, scorer=fuzz.ratio, limit=SUGGESTIONS, score_cutoff=NEAR
            )
        return tuple(example for example, _, _ in near) or FIRST_STEPS

    def examples(self) -> tuple[str, ...]:
        """Give one example of every frame that can be said by itself."""
        return self._examples

    def examples_by_goal(self) -> dict[str, tuple[str, ...]]:
        """Give the examples of the table by the first goal that they are for."""
        found: dict[str, tuple[str, ...]] = {}
        for frame in self.table.phrases.frame:
            if frame.example not in self._examples:
                continue
            goal = frame.all_goals()[0]
            found[goal] = (*found.get(goal, ()), frame.example)
        return found


def too_much(pieces: Sequence[Piece]) -> str | None:
    """Say what is too much to be read at once, if something is."""
    if len(pieces) > MAX_PIECES:
        return f"more than {MAX_PIECES} clauses"
    if any(piece.end - piece.start > MAX_CLAUSE for piece in pieces):
        return "a clause of this length is not read; put long text in quotes"
    return None


def has_small_letters(sentence: Sentence) -> bool:
    """Tell whether capitals mean something here: not all words are written with them."""
    words = [token for token in sentence.toks if token.key[:1].isalpha() and token.quoted is None]
    return any(not token.capital for token in words)


def load_grammar(
    rules: Mapping[tuple[str, str], Rule],
    engines: Mapping[str, SearchEngine],
    anchors: frozenset[str],
    commands: Mapping[str, Commands] | None = None,
) -> Grammar:
    """Compile the table that ships with the grammar."""
    return Grammar(compiled(engines, anchors), rules, commands or {})
