"""The offline grammar: a table of phrases, a small parser, no network and no guessing.

It owns how a text is cut into clauses and clauses become drafted goals with the scopes that the
words state. What does not fit the table is answered with the place and the nearest phrasing, what
could be meant in two ways with a question.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import msgspec

from actors.interpreter.commands import Commands
from actors.interpreter.grammar.accounting import TAKEN_BACK, Account
from actors.interpreter.grammar.clauses import USED, ClauseReader
from actors.interpreter.grammar.closed_frames import (
    closed_examples,
    fuller_example,
    read_closed,
    read_condition,
)
from actors.interpreter.grammar.context import Context, Effort, Noted, TooInvolved
from actors.interpreter.grammar.doubts import Doubts, Fork
from actors.interpreter.grammar.drafting import Drafter, goal_of, ordered
from actors.interpreter.grammar.fileset_goals import condition_draft, drafts_of
from actors.interpreter.grammar.later import (
    Conditional,
    Joint,
    joined_pieces,
    lasting,
    later_draft,
    piece_text,
    read_if,
    splits,
)
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.memory import Misfit
from actors.interpreter.grammar.objects import find_lost_object
from actors.interpreter.grammar.pieces import Piece, pieces_of
from actors.interpreter.grammar.readings import Clause, Reading, Refusal
from actors.interpreter.grammar.restricting import Restrictions
from actors.interpreter.grammar.segments import Segmenter
from actors.interpreter.grammar.sentence import Sentence, sentence_of
from actors.interpreter.grammar.table import Compiled, Frame, compiled
from actors.interpreter.grammar.verbs import VerbForms
from actors.interpreter.grammar.worldly import DESCRIBED, Worlds
from actors.interpreter.grammar.written_names import are_taken, ways_to_join
from actors.interpreter.ordering import Order, are_disturbed
from actors.language.chores import read_sign_in, slots_in, split_finish
from actors.language.file_conditions import read_file_condition
from actors.language.file_deeds import Request
from actors.language.file_frames import read_requests, written_frames
from actors.language.focus import carry_focus
from actors.language.questions import read_question
from actors.language.taught import Cookbook, Unclear, read_call
from actors.language.words import ENGLISH, fold
from messages.explaining import DroppedReading
from messages.goals import GoalDraft, Scope, scopes
from messages.interpreting import Alternative
from messages.rules import Rule, SearchEngine

__all__ = ["DESCRIBED", "Doubt", "Frame", "Grammar", "Heard", "Misunderstanding", "load_grammar"]

# Bounds on what is read at all: nobody says as much in one breath, and reading costs time.
MAX_LENGTH = 20_000
MAX_TOKENS = 800
MAX_PIECES = 120
MAX_CLAUSE = 100
# Where a text may go on with another chore.
MOST_JOINTS = 8
AND_THEN = re.compile(r"(?:,\s*|\s+)(?:and then|then|and)\s+", re.IGNORECASE)
MAX_QUOTES = 400
QUOTATION_MARKS = "\"'`“”‘’«»"
SUGGESTIONS = 3
NEAR = 50
# The domains in which something may have been changed before a clause is left to the page.
NOWHERE, ON_PAGE = frozenset[str](), frozenset({"browser"})
# Domains whose goals may take any words for a name, and what marks a name as one.
NAMING = frozenset({"app", "file"})
NAME_MARK = re.compile(r"""["'/*]|\.\w""")
WORDS = re.compile(r"[\w-]+")
SECRET = re.compile("|".join(ENGLISH.secrets.spoken), re.IGNORECASE)
IT = re.compile(r"\bit\b")
# What is brought into a folder that was made just before.
MADE = re.compile(r"\b(into|to|in|inside) it\b(?=\s*(?:[.!,]|$| and | then ))", re.IGNORECASE)
FILE_NAME = re.compile(r"\w\.\w{1,5}$")
GOAL_ID = re.compile(r"^(after:)g(\d+)$")
# What of the browser needs no page that is shown already.
PAGE_OPENERS = frozenset({"navigate", "search", "open_tab", "new_tab"})
# What to try where nothing is near.
FIRST_STEPS = ("create a folder reports", "open firefox", "what time is it")


@dataclass(frozen=True, slots=True)
class Misunderstanding:
    """A clause that did not parse: where it stands, why, and what would have worked.

    ``is_unread`` if nothing is wrong with it but that no phrase fits its words.
    """

    span: tuple[int, int]
    message: str
    suggestions: tuple[str, ...] = ()
    is_unread: bool = False


@dataclass(frozen=True, slots=True)
class Doubt:
    """A clause with readings of different effect: what is asked, and what each answer means."""

    span: tuple[int, int]
    message: str
    ways: tuple[Alternative, ...]
    polar: bool = True


# Why another reading was better.
ALL_KNOWN = "all words are known without taking any for a name"
SETS = "as a set of files the words say more"
LATER = "the words at the end say when"
JOINED = "read one by one, the words are several commands"
QUESTION = "the words ask for something that the page lists"
WHEN_ALL = "Is {!r} said of {!r}, too?"
NAMED_TWICE = "{!r} names a thing that the control does not; say first to select it"
Drafts: TypeAlias = tuple[GoalDraft, ...]
MOST_JOINED = 5
Understanding: TypeAlias = tuple[GoalDraft, ...] | Misunderstanding | Doubt


@dataclass(frozen=True, slots=True)
class Heard:
    """What a text means, and those of its words that became part of no goal.

    ``spans`` are the characters of the clause of each goal, where clauses were told apart;
    ``dropped`` the readings that another was better than, with the reason.
    """

    understanding: Understanding
    passed_over: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    dropped: tuple[DroppedReading, ...] = ()

    def instead(self, understanding: Understanding, why: str) -> "Heard":
        """Give what is understood instead of this, which is dropped if it was a reading at all."""
        former = self.understanding
        if not isinstance(former, tuple) or former == understanding:
            return Heard(understanding)
        goals = tuple(f"{draft.domain}.{draft.verb}" for draft in former)
        return Heard(understanding, dropped=(*self.dropped, DroppedReading(why, goals)))


@dataclass
class Grammar:
    """The table, compiled, with the names it needs from rules, search engines and settings."""

    table: Compiled
    rules: Mapping[tuple[str, str], Rule]
    commands: Mapping[str, Commands] = field(default_factory=dict)
    chores: tuple[str, ...] = ()  # how what recipes do is said
    cookbook: Cookbook | None = None
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

    def parse(
        self, text: str, *, on_page: bool = False, leave_to_page: bool = True
    ) -> Understanding:
        """Read a text: every clause of it, or none.

        What no frame knows may be left to the page, as what that may call something.
        """
        return self.read(text, on_page=on_page, leave_to_page=leave_to_page).understanding

    def read(
        self,
        text: str,
        *,
        on_page: bool = False,
        leave_to_page: bool = True,
        without_page: bool = False,
    ) -> Heard:
        """Read a text, and say which of its words were passed over.

        ``without_page`` if it is known that there is no page: what could be said of one is then
        read in another way, if there is one.
        """
        if (taught := self.read_taught(text)) is not None:
            return Heard(taught)
        if (covered := read_closed(text, self.changes, "strong")) is not None:
            return Heard((covered,))
        heard = self.read_open(text, on_page=on_page, leave_to_page=leave_to_page)
        if on_page and (of_page := self.read_for_page(text, heard)) is not None:
            return of_page
        is_open = gives_way(heard.understanding, without_page=without_page)
        if is_open and (covered := read_closed(text, self.changes, "weak")) is not None:
            return heard.instead((covered,), ALL_KNOWN)
        if len(text) > MAX_LENGTH or not (is_open or is_named_by_all(heard.understanding, text)):
            return heard
        if (doubt := self.doubt_about_time(text)) is not None:
            return Heard(doubt)
        if (later := self.read_for_later(text)) is not None:
            return heard.instead(later, LATER)
        is_whole = isinstance(heard.understanding, tuple) and not runs_over_joint(
            heard.understanding
        )
        if not is_whole and (joined := self.read_joined(text) or self.read_made(text)) is not None:
            return heard.instead(joined, JOINED)
        if on_page and (asked := self.read_asked(text, heard.understanding)) is not None:
            return heard.instead((asked,), QUESTION)
        if on_page and (chores := self.read_chores(text, heard.understanding)):
            return Heard(chores)
        if without_page and is_about_missing_page(heard.understanding):
            heard = self.without_page(text, heard)
        return self.with_example(text, heard)

    def read_taught(self, text: str) -> Understanding | None:
        """Read a text that asks for a recipe of the user's: their own words go first."""
        recipes = {} if self.cookbook is None else self.cookbook.recipes()
        call = read_call(text, recipes) if recipes else None
        if isinstance(call, Unclear):
            return Misunderstanding((0, len(text)), call.message)
        return None if call is None else (call,)

    def read_asked(self, text: str, understanding: Understanding) -> GoalDraft | None:
        """Read a question about what the page lists, where nothing else is understood."""
        is_left = isinstance(understanding, tuple) and all(
            (draft.domain, draft.verb) == ("browser", "use") for draft in understanding
        )
        question = read_question(text)
        if question is None or "," in text or SECRET.search(text) is not None:
            return None  # what speaks of a secret is not shown as a question
        is_reckoned = question.ask == "average" or question.is_surely_extreme
        is_open = isinstance(understanding, Misunderstanding) or is_left
        if not is_open and not (is_read_on_page(understanding) and is_reckoned):
            return None
        said = text.strip().rstrip("?").strip()
        return GoalDraft("browser", "answer", {"ask": question.ask}, {"target": said})

    def read_chores(self, text: str, understanding: Understanding) -> tuple[GoalDraft, ...]:
        """Leave to the page what nothing reads and some recipe may do: "add a product Lamp".

        Of several chores in one text each is a goal, if all of them are chores by themselves.
        """
        if not isinstance(understanding, Misunderstanding):
            return ()
        if (signed := read_sign_in(text)) is not None:
            return (GoalDraft("browser", "sign_in", dict(signed)),)
        if SECRET.search(text) is not None:
            return ()
        if (parts := parts_that_are(text, self.is_chore)) is not None and len(parts) > 1:
            scopes = ("root", *(f"after:g{number}" for number in range(len(parts) - 1)))
            return tuple(map(chore_draft, parts, scopes))
        chore, _ = split_finish(text)
        is_one = slots_in(chore, self.chores) is not None or slots_in(text, self.chores) is not None
        return (chore_draft(text),) if is_one else ()

    def read_for_page(self, text: str, heard: Heard) -> Heard | None:
        """Give what a page is asked or told, where that is clear from the words alone."""
        if self.is_finished_chore(text, heard.understanding):
            return Heard((chore_draft(text),))
        if not is_read_on_page(heard.understanding):
            return None
        asked = self.read_asked(text, heard.understanding)
        return heard if asked is None else heard.instead((asked,), QUESTION)

    def is_finished_chore(self, text: str, understanding: Understanding) -> bool:
        """Tell whether "and save it" ends a chore, which a recipe does as a whole."""
        chore, finish = split_finish(text)
        if not finish or not isinstance(understanding, tuple) or len(understanding) == 1:
            return False
        slots = slots_in(chore, self.chores) or {}
        last = understanding[-1]
        is_end = last.verb == "use" and last.roles == {"target": finish}
        return is_end and {"field", "thing"} <= slots.keys()

    def is_chore(self, text: str) -> bool:
        return slots_in(text, self.chores) is not None

    def without_page(self, text: str, heard: Heard) -> Heard:
        """Refuse what only a page could mean, where none is open and no word speaks of one."""
        if not names_thing_on_page(heard.understanding):
            return heard
        said = set(WORDS.findall(fold(text)))
        is_paged = not self.table.phrases.marks.paged.isdisjoint(said)
        if is_paged and LITTLE.filed.isdisjoint(said):
            return heard
        message = f"not understood: {text!r}; no page is open that it could be about"
        return Heard(Misunderstanding((0, len(text)), message, self.nearest(text)))

    def with_example(self, text: str, heard: Heard) -> Heard:
        """Say what is missing where all words are known, but something needed is not said."""
        understanding = heard.understanding
        if not isinstance(understanding, Misunderstanding):
            return heard
        example = fuller_example(text, self.changes)
        if example is None:
            return heard
        message = f"something is not said that is needed: {text!r}"
        return Heard(Misunderstanding(understanding.span, message, (example,)))

    def doubt_about_time(self, text: str) -> Doubt | None:
        """Ask whether a time at the end holds for all commands before it, or for the last."""
        rest, at = next(((rest, at) for rest, at, is_last in splits(text) if is_last), ("", ""))
        pieces = joined_pieces(rest)
        if len(pieces) < len(("all", "last")) or not self.is_command(rest):
            return None
        before, last = piece_text(pieces, 0, len(pieces) - 1), piece_text(pieces[-1:], 0, 1)
        first = self.read_part(before) or self.read_device(before)
        if first is None or not self.is_command(last):
            return None
        alone = joined_drafts(first, (later_draft(last, at),), is_order=pieces[-1].is_order)
        ways = (
            Alternative(f"{at}, {rest}", (later_draft(rest, at),)),
            Alternative(f"{before}; {at}, {last}", alone),
        )
        return Doubt((0, len(text)), WHEN_ALL.format(at, before), ways, polar=False)

    def read_for_later(self, text: str) -> tuple[GoalDraft, ...] | None:
        """Read a command with a time, or one that is taken back after a time."""
        for rest, at, _ in splits(text):
            if self.is_command(rest):
                return (later_draft(rest, at),)
        if (conditional := self.read_conditional(text)) is not None:
            return conditional
        if (found := lasting(text)) is None:
            return None
        rest, at = found
        drafts = self.parse(rest)
        if not isinstance(drafts, tuple) or len(drafts) != 1:
            return None
        rule = self.rules.get((drafts[0].domain, drafts[0].verb))
        if rule is None or not rule.reversed_by:
            return None
        return (*drafts, later_draft(rule.reversed_by, at, scope="after:g0"))

    def read_conditional(self, text: str) -> tuple[GoalDraft, ...] | None:
        """Read a command that is done only if one look at the machine says so."""
        if (parts := read_if(text)) is None:
            return None
        condition, rest = self.read_condition(parts)
        drafts = None if condition is None else self.parse(rest)
        if condition is None or not isinstance(drafts, tuple) or is_about_missing_page(drafts):
            return None
        return (condition, *(behind_condition(draft) for draft in drafts))

    def read_condition(self, parts: Conditional) -> tuple[GoalDraft | None, str]:
        """Read a condition on the machine or on files; "it" behind one is the file it names."""
        rest = parts.rest
        if not parts.negated and (condition := read_condition(parts.condition)) is not None:
            return condition, rest
        found = read_file_condition(parts.condition, self.table.lexicon.endings)
        if found is None:
            return None, rest
        found = found.negated if parts.negated else found
        is_it = IT.search(rest) is not None
        if is_it and not found.name:
            return None, rest
        return condition_draft(found), IT.sub(f'"{found.name}"', rest)

    def read_joined(self, text: str) -> tuple[GoalDraft, ...] | None:
        """Read commands one by one that are joined by "and" or "then", some by a closed frame.

        What no closed frame reads any part of is not tried: frames have read all of it already.
        """
        pieces = joined_pieces(text)
        if not 1 < len(pieces) <= MOST_JOINED:
            return None
        whole = (0, len(pieces))
        spans = [(a, b) for a in range(len(pieces)) for b in range(a + 1, len(pieces) + 1)]
        parts = {span: piece_text(pieces, *span) for span in spans if span != whole}
        read = {
            span: self.read_device(part)
            for span, part in parts.items()
            if not (span[0] and begins_with_thing(part))
        }
        closed = {span: drafts for span, drafts in read.items() if drafts is not None}
        joined = self.join_parts(pieces, closed, 0) if closed else None
        return None if joined is None else self.in_natural_order(joined)

    def read_made(self, text: str) -> tuple[GoalDraft, ...] | None:
        """Read what is brought into a folder that is made just before: "move all pdfs into it".

        What stands before the words about it must end in that folder, in no place but the first.
        """
        pieces = joined_pieces(text)
        for at in range(len(pieces) - 1, 0, -1) if len(pieces) <= MOST_JOINED else ():
            rest = piece_text(pieces, at, len(pieces))
            if MADE.search(rest) is None:
                continue
            before, named = self.read_part(piece_text(pieces, 0, at)), ""
            if before is not None and not (named := folder_made(before[-1])):
                return None
            if before is None:
                continue
            after = self.parse(MADE.sub(f'\\1 "{named}"', rest))
            if isinstance(after, tuple) and are_sets_or_named(after):
                joined = joined_drafts(before, after, is_order=pieces[at].is_order)
                made = f"after:g{len(before) - 1}"
                return (*before, *(waiting_for(draft, made) for draft in joined[len(before) :]))
        return None

    def in_natural_order(self, drafts: Drafts) -> Drafts:
        """Let goals that act on the same thing keep the order they were said in."""
        goals = [(draft.domain, draft.verb) for draft in drafts]
        order, found = Order(self.rules, are_disturbed(goals, self.rules)), list[GoalDraft]()
        for draft in drafts:
            parents = order.parents(draft)
            order.note_parents(parents)
            waiting = draft
            for parent in sorted(parents):
                waiting = waiting_for(waiting, f"after:g{parent}")
            found.append(waiting)
        return tuple(found)

    def join_parts(
        self, pieces: Sequence[Joint], closed: Mapping[tuple[int, int], Drafts], start: int
    ) -> tuple[GoalDraft, ...] | None:
        """Read the pieces from one on as commands, the longest first."""
        for end in range(len(pieces), start, -1):
            if (start, end) == (0, len(pieces)):
                continue
            first = closed.get((start, end)) or self.read_part(piece_text(pieces, start, end))
            if first is None:
                continue
            if end == len(pieces):
                return first
            if (rest := self.join_parts(pieces, closed, end)) is not None:
                return joined_drafts(first, rest, is_order=pieces[end].is_order)
        return None

    def read_device(self, text: str) -> tuple[GoalDraft, ...] | None:
        """Read a part by a closed frame, as a recipe, or as a command for later."""
        if isinstance(taught := self.read_taught(text), tuple):
            return taught
        for group in ("strong", "weak"):
            if (covered := read_closed(text, self.changes, group)) is not None:
                return (covered,)
        return self.read_for_later(text)

    def read_part(self, text: str) -> tuple[GoalDraft, ...] | None:
        """Read a part by frames; one that is about a page needs a page."""
        understanding = self.read_open(text, on_page=False, leave_to_page=False).understanding
        if not isinstance(understanding, tuple) or is_about_missing_page(understanding):
            return None
        return understanding

    def is_command(self, text: str) -> bool:
        """Tell whether words are a command that can be kept for later."""
        drafts = self.parse(text)
        return (
            isinstance(drafts, tuple)
            and not is_about_missing_page(drafts)
            and all(draft.domain != "schedule" for draft in drafts)
        )

    def changes(self, goal: str) -> bool:
        """Tell whether a goal changes something."""
        domain, _, verb = goal.partition(".")
        rule = self.rules.get((domain, verb))
        return rule is None or rule.action_class != "observe"

    def read_open(self, text: str, *, on_page: bool, leave_to_page: bool) -> Heard:
        """Read a text by the frames that take names and texts, and as sets of files."""
        heard = self.read_as_written(text, on_page=on_page, leave_to_page=leave_to_page)
        if not may_hold_name(heard.understanding):
            return heard
        return self.read_with_names(text, on_page=on_page) or heard

    def read_with_names(self, text: str, *, on_page: bool) -> Heard | None:
        """Read a text with names of several words as if they were quoted, if that is plain.

        It is if there is just one way to tell the words of the names so that all is understood.
        """
        found: list[Heard] = []
        lexicon = self.table.lexicon
        for joined in ways_to_join(text, lexicon):
            heard = self.read_as_written(joined.text, on_page=on_page, leave_to_page=False)
            drafts = heard.understanding
            if isinstance(drafts, tuple) and are_taken(joined.names, drafts, lexicon):
                heard = replace(heard, spans=tuple(map(joined.span, heard.spans)))
                if any(drafts != other.understanding for other in found):
                    return None
                found.append(heard)
        return found[0] if found else None

    def read_as_written(self, text: str, *, on_page: bool, leave_to_page: bool) -> Heard:
        """Read a text in which a name is one word, or is quoted."""
        noted = Noted()
        understanding = self.understood(text, noted, on_page=on_page, leave_to_page=leave_to_page)
        if (of_sets := self.file_sets(text, understanding, on_page=on_page)) is not None:
            return Heard(understanding).instead(of_sets, SETS)
        if not isinstance(understanding, tuple):
            return Heard(understanding)
        focused = carry_focus(understanding) if on_page else understanding
        return Heard(focused, tuple(noted.passed_over), tuple(noted.spans))

    def file_sets(
        self, text: str, understood: Understanding, *, on_page: bool
    ) -> tuple[GoalDraft, ...] | None:
        """Read deeds on files, where frames read nothing, or less well.

        What a page may call so is the page's, while there is one.
        """
        if len(text) > MAX_LENGTH:
            return None
        is_refused = isinstance(understood, Misunderstanding)
        requests = read_requests(text, self.table.lexicon.endings, one_by_name=is_refused)
        if requests is None:
            return None
        if on_page and is_for_page(understood):
            return drafts_of(requests) if are_files(requests, text) else None
        if not self.is_better(requests, understood):
            return None
        return drafts_of(requests)

    def is_better(self, requests: Sequence[Request], understood: Understanding) -> bool:
        """Tell whether deeds on files are a better reading than what frames understood.

        Frames may have taken words for a set of files, or for the folder here, for a name.
        """
        if isinstance(understood, Misunderstanding):
            return True
        if any(request.is_surer_than_phrases for request in requests):
            return True
        if says_more(requests, understood):
            return True
        if any(request.is_framed for request in requests):
            return False
        if isinstance(understood, Doubt):
            return False
        is_here = all(request.of.place == "." for request in requests)
        if any(draft.domain != "file" for draft in understood):
            return is_here and all(draft.domain in ON_PAGE for draft in understood)
        lexicon = self.table.lexicon
        named = {str(draft.params.get("name", "")).casefold() for draft in understood}
        is_kind = any(
            name[-1:] == "s" and name[:-1] in lexicon.endings for name in named - lexicon.anchors
        )
        return is_kind or is_here or drops_kind(requests, understood)

    def understood(
        self, text: str, noted: Noted, *, on_page: bool, leave_to_page: bool
    ) -> Understanding:
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
            context = Context(self.table, sentence, capitals, effort, on_page, noted=noted)
            return self.understand(context, pieces, leave_to_page=leave_to_page)
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

    def understand(
        self, context: Context, pieces: list[Piece], *, leave_to_page: bool = True
    ) -> Understanding:
        """Read the clauses of a sentence, and make goals of them or a question."""
        reader = ClauseReader(context, self._worlds)
        segmenter = Segmenter(reader, pieces)
        clauses = segmenter.clauses()
        if clauses is None and leave_to_page and context.on_page and not context.loose:
            return self.used(context, pieces) or self.misread(segmenter)
        if clauses is None:
            return self.misread(segmenter)
        refused = next((each for each in clauses if isinstance(each, Refusal)), None)
        if refused is not None:
            return self.misunderstood(reader, refused.start, refused.end, refused.reason)
        if context.loose and (late := self.left_to_page_late(reader, clauses)) is not None:
            return self.misunderstood(reader, late.start, late.end)
        clauses = page_first(clauses)
        account = Account(context, clauses)
        restrictions = Restrictions(reader, clauses, self.rules, account.is_empty)
        if (restriction := restrictions.found()) is not None:
            return self.misunderstood(
                reader, restriction.start, restriction.end, restriction.reason
            )
        if (instead := account.taken_back()) is not None:
            return self.misunderstood(reader, *instead, TAKEN_BACK)
        forks = Doubts(reader, pieces, tuple(clauses), self.rules).forks()
        if forks:
            return self.doubt(reader, forks)
        context.noted.passed_over[:] = account.passed_over()
        drafts = self.drafts(reader, clauses)
        if isinstance(drafts, tuple) and (
            lost := find_lost_object(context.noted.passed_over, drafts, self.rules)
        ):
            return Misunderstanding((0, len(context.sentence.text)), NAMED_TWICE.format(lost))
        return drafts

    def left_to_page_late(self, reader: ClauseReader, clauses: Sequence[Clause]) -> Reading | None:
        """Find a clause that only the page may know, behind one that changes something already.

        Behind what is done on the page itself, a deed that pages have names for may follow.
        """
        changed: set[str] = set()
        for clause in clauses:
            if not isinstance(clause, Reading) or clause.negated:
                continue
            known = reader.toks[clause.start].key in LITTLE.doing
            if clause.frame is USED and not changed <= (ON_PAGE if known else NOWHERE):
                return clause
            for goal in (goal_of(clause, at) for at in range(len(clause.frame.all_goals()))):
                rule = self.rules.get(goal)
                if rule is None or rule.changes:
                    changed.add(goal[0])
        return None

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
        drafter = Drafter(reader, self.rules, self.commands)
        try:
            drafts = drafter.all(ordered(acting))
        except Misfit as misfit:
            return Misunderstanding(misfit.span, str(misfit))
        reader.context.noted.spans[:] = drafter.spans
        return drafts

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
        message = f"not understood: {said!r}; {hint}"
        return Misunderstanding(span, message, self.nearest(said), is_unread=True)

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
        for goal, examples in closed_examples().items():
            found[goal] = (*found.get(goal, ()), *examples)
        for row in written_frames().frame:
            goal = f"file.{row.deed}"
            found[goal] = (*found.get(goal, ()), row.example)
        return found


def chore_draft(text: str, scope: str = "root") -> GoalDraft:
    """Make a goal of a chore: the page, and recipes for it, say what is to be done."""
    words = {"target": text.strip().rstrip(".!")}
    return GoalDraft("browser", "use", {}, words, scope=scope)


def parts_that_are(text: str, is_part: Callable[[str], bool]) -> list[str] | None:
    """Cut a text at its joints into as many parts as can be, all of one sort; None if none can.

    >>> parts_that_are("add a and b, then add c", lambda text: text.startswith("add"))
    ['add a and b', 'add c']
    """
    joints = [each for each in AND_THEN.finditer(text) if text.count('"', 0, each.start()) % 2 == 0]
    for joint in joints if len(joints) <= MOST_JOINTS else ():  # ways to cut grow with their number
        if not is_part(text[: joint.start()]):
            continue
        if (rest := parts_that_are(text[joint.end() :], is_part)) is not None:
            return [text[: joint.start()], *rest]
    return [text] if is_part(text) else None


def says_more(requests: Sequence[Request], understood: Understanding) -> bool:
    """Tell whether deeds on files say what phrases leave to the disk: "the last line of a.txt"."""
    drafts = understood if isinstance(understood, tuple) else ()
    is_left = any(draft.domain == "file" and draft.words is not None for draft in drafts)
    is_framed = any(request.is_framed for request in requests)
    return is_left and (is_framed or len(requests) < len(drafts))


def drops_kind(requests: Sequence[Request], drafts: Sequence[GoalDraft]) -> bool:
    """Tell whether phrases took a kind of files for just any: "list all documents in work"."""
    return len(requests) == len(drafts) and any(
        request.of.kinds and draft.words is None and not draft.roles and "type" not in draft.params
        for request, draft in zip(requests, drafts, strict=True)
    )


def are_files(requests: Sequence[Request], text: str) -> bool:
    """Tell whether words speak of files in so many words: then no page is meant."""
    measured = any(each.of.larger or each.of.smaller or each.of.patterns for each in requests)
    written = any(FILE_NAME.search(each.name) for each in requests)
    said = {"file", "files"}.intersection(WORDS.findall(fold(text)))
    return measured or written or (bool(said) and all(each.deed != "extract" for each in requests))


def is_for_page(understood: Understanding) -> bool:
    """Tell whether something of what was understood is done on a page."""
    drafts = understood if isinstance(understood, tuple) else ()
    return any(draft.domain in ON_PAGE for draft in drafts)


def page_first(clauses: list[Clause]) -> list[Clause]:
    """Let all wait for a clause that only the page may know: if it does not, nothing happens."""
    found: list[Clause] = []
    used = False
    for clause in clauses:
        if isinstance(clause, Reading) and not clause.negated:
            found.append(replace(clause, follows=True) if used else clause)
            used = used or clause.frame is USED
        else:
            found.append(clause)
    return found


def gives_way(understanding: Understanding, *, without_page: bool) -> bool:
    """Tell whether a reading is none, or only took words for the name of a program or file.

    Quotes and the ending of a file say that a name is meant.
    """
    if isinstance(understanding, Misunderstanding):
        return True
    if not isinstance(understanding, tuple):
        return False
    if without_page and is_about_missing_page(understanding):
        return True
    if len(understanding) > 1 or understanding[0].domain not in NAMING:
        return False
    said = names_said(understanding[0])
    return bool(said) and not any(map(NAME_MARK.search, said))


def may_hold_name(understanding: Understanding) -> bool:
    """Tell whether a name of several words may be what kept a text from being understood.

    What is refused for a reason is no such text; a file's name is that of no program.
    """
    if isinstance(understanding, Misunderstanding):
        return understanding.is_unread
    return isinstance(understanding, tuple) and any(
        draft.domain == "app" and FILE_NAME.search(draft.words or "") for draft in understanding
    )


def names_said(draft: GoalDraft) -> list[str]:
    """Give the words that a goal took for the name of a thing or a place."""
    places = (scope for scope in scopes(draft.scope) if scope.startswith("inside:"))
    names = [*draft.roles.values(), draft.words, draft.params.get("name"), *places]
    return [str(name) for name in names if name]


def runs_over_joint(drafts: Drafts) -> bool:
    """Tell whether a name was read over an "and" or a comma: two commands may be meant."""
    said = (name for draft in drafts for name in names_said(draft))
    return is_about_missing_page(drafts) or any(len(joined_pieces(name)) > 1 for name in said)


def is_named_by_all(understanding: Understanding, text: str) -> bool:
    """Tell whether all the rest of a text was taken for a name, its end included."""
    if not isinstance(understanding, tuple) or len(understanding) > 1:
        return False
    (draft,) = understanding
    end = text.rstrip(".!? ").casefold().rpartition(" ")[2]
    words = (*draft.params.values(), *draft.roles.values(), draft.words or "")
    return draft.domain in NAMING and any(str(word).casefold().endswith(end) for word in words)


def is_about_missing_page(understanding: Understanding) -> bool:
    """Tell whether goals begin on a web page that no goal before them opens."""
    if not isinstance(understanding, tuple):
        return False
    first = understanding[0]
    return first.domain == "browser" and first.verb not in PAGE_OPENERS


def is_read_on_page(understanding: Understanding) -> bool:
    """Tell whether words were understood as one text of the page that is to be read."""
    if not isinstance(understanding, tuple) or len(understanding) > 1:
        return False
    return (understanding[0].domain, understanding[0].verb) == ("browser", "read")


def names_thing_on_page(understanding: Understanding) -> bool:
    """Tell whether goals begin with a thing that only a page could have."""
    return isinstance(understanding, tuple) and bool(understanding[0].roles)


def begins_with_thing(text: str) -> bool:
    """Tell whether a part begins with a thing, so that its verb stands before the "and"."""
    return fold(text).partition(" ")[0] in LITTLE.verbless


def are_sets_or_named(drafts: Drafts) -> bool:
    """Tell whether goals say all that they are about: nothing is left to a page or the disk."""
    return not is_about_missing_page(drafts) and all(draft.words is None for draft in drafts)


def folder_made(draft: GoalDraft) -> str:
    """Give the name of the folder that a goal makes where no other is said; or nothing."""
    is_made = (draft.domain, draft.verb) == ("file", "create")
    is_folder = draft.params.get("object_type") == "folder"
    has_place = any(scope.startswith("inside:") for scope in scopes(draft.scope))
    name = str(draft.params.get("name", ""))
    return name if is_made and is_folder and not has_place and '"' not in name else ""


def behind_condition(draft: GoalDraft) -> GoalDraft:
    """Let a goal wait for the condition that stands before all others."""
    return waiting_for(renumbered(draft, 1), "after:g0")


def joined_drafts(
    first: tuple[GoalDraft, ...], second: tuple[GoalDraft, ...], *, is_order: bool
) -> tuple[GoalDraft, ...]:
    """Put the goals of two commands behind one another; "then" makes the second wait."""
    moved = [renumbered(draft, len(first)) for draft in second]
    if is_order:
        moved = [waiting_for(draft, f"after:g{len(first) - 1}") for draft in moved]
    return (*first, *moved)


def renumbered(draft: GoalDraft, by: int) -> GoalDraft:
    """Give a goal that stands further behind: the goals that it names have moved, too."""

    def moved(text: str) -> str:
        return GOAL_ID.sub(lambda found: f"{found[1]}g{int(found[2]) + by}", text)

    own = tuple(map(moved, scopes(draft.scope)))
    takes = {name: f"g{int(goal[1:]) + by}" for name, goal in draft.takes.items()}
    scope: Scope = own[0] if len(own) == 1 else own
    return msgspec.structs.replace(draft, scope=scope, takes=takes)


def waiting_for(draft: GoalDraft, scope: str) -> GoalDraft:
    own = tuple(each for each in scopes(draft.scope) if each not in {"root", scope})
    return msgspec.structs.replace(draft, scope=(*own, scope) if own else scope)


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
    chores: tuple[str, ...] = (),
) -> Grammar:
    """Compile the table that ships with the grammar."""
    return Grammar(compiled(engines, anchors), rules, commands or {}, chores)
