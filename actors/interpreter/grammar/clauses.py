"""One clause, read: which frame it fits, what fills its slots, where it belongs.

Each question has a module of its own: what says nothing (``noise``), what is refused or only told
(``refusing``), which frame fits (``fitting``), where files are (``placing``), and what stands in
front of the verb (``leading``). Here they are put to a range of tokens, in that order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Protocol

from actors.interpreter.grammar.context import Context, keys_of
from actors.interpreter.grammar.fitting import Fitter
from actors.interpreter.grammar.leading import Leads
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.noise import Noise, is_leading
from actors.interpreter.grammar.placing import Placer
from actors.interpreter.grammar.readings import NO_GOAL, Clause, Nothing, Reading, Refusal
from actors.interpreter.grammar.refusing import Schedules, Statements
from actors.interpreter.grammar.sentence import HARD, Tok
from actors.interpreter.grammar.table import Frame
from actors.interpreter.grammar.templates import Matcher, Slot

MAX_OTHER = 6
URGING = 3
UNENDED = "where its name or text ends is not clear; put it in quotes"


class Worlds(Protocol):
    """Knows what no frame says, and who has the first word."""

    def chosen(
        self, reader: "ClauseReader", framed: Clause | None, start: int, end: int
    ) -> Clause | None: ...

    def has_word_for(self, reader: "ClauseReader", start: int, end: int) -> bool: ...


# What a page may call something that can be done there, in so many words at most.
MOST_USED = 10
USED = Frame((), "", goal="browser.use")
ASKED = Frame((), "", goal="browser.read")
# Goals whose thing may be told by a day or an hour, as an appointment is.
POINTED = frozenset(
    f"browser.{verb}"
    for verb in (
        "click",
        "use",
        "select",
        "check",
        "uncheck",
        "double_click",
        "right_click",
        "hover",
    )
)
USED_THING = Slot("target", "thing", "role")


@dataclass(slots=True)
class ClauseReader:
    """Reads the clauses of one sentence."""

    context: Context
    worlds: Worlds
    toks: list[Tok] = field(init=False)
    noise: Noise = field(init=False)
    fitter: Fitter = field(init=False)
    placer: Placer = field(init=False)
    leads: Leads = field(init=False)
    schedules: Schedules = field(init=False)
    statements: Statements = field(init=False)
    _read: dict[tuple[int, int], Clause | None] = field(default_factory=dict)
    _framed: dict[tuple[int, int], Reading | Refusal | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        context = self.context
        self.toks = toks = context.sentence.toks
        self.noise = Noise(context, toks, self.is_framed)
        self.fitter = Fitter(context, toks)
        self.placer = Placer(context, toks, self.fitter)
        self.leads = Leads(context, toks, self.read, self.bare, self.placer.place_of)
        self.schedules = Schedules(context, toks, self.noise.is_in_name)
        self.statements = Statements(context, toks, self.is_framed)

    def over(self, toks: list[Tok]) -> "ClauseReader":
        """Give a reader of other tokens of the same text."""
        return ClauseReader(self.context.over(toks), self.worlds)

    def read(self, start: int, end: int) -> Clause | None:
        """Read a range of tokens as one clause; None if it is none."""
        key = (start, end)
        if key not in self._read:
            self._read[key] = self.reading(start, end)
        return self._read[key]

    def reading(self, start: int, end: int) -> Clause | None:
        self.context.effort.spend_on(end - start)
        begin = start
        start, order = self.noise.skipped(begin, end)
        # "Your next step is to mute it" asks for something, "You'll get a code" does not.
        urged = start - begin >= URGING or self.announces(begin, start)
        asks = urged and self.is_framed(start, end)
        if not asks and self.statements.found(begin, end):
            return Nothing(begin, end)
        if self.says_nothing(begin, start, end):
            return Nothing(begin, end)
        found = self.refused(start, end) or self.negated(start, end) or self.acting(start, end)
        if isinstance(found, Reading) and not order and self.is_put_first(begin, found, end):
            return replace(found, earlier=True)
        if not isinstance(found, Reading) or not order:
            return found
        leading = is_leading(self.toks, begin)
        return replace(
            found, later=order == "before" and leading, earlier=order == "after" and not leading
        )

    def is_put_first(self, begin: int, found: Reading, end: int) -> bool:
        """Tell whether "first" behind a clause puts it before another: "..., but mute it first"."""
        behind = self.toks[found.end : end]
        said = any(token.key == "first" and token.quoted is None for token in behind)
        return said and begin > 0 and self.toks[begin].parted != HARD

    def announces(self, begin: int, start: int) -> bool:
        """Tell whether "the following" stands before a clause: it begins like a statement."""
        return start - begin > 1 and self.toks[begin].key in self.context.marks.telling

    def says_nothing(self, begin: int, start: int, end: int) -> bool:
        """Tell whether nothing is left to read; "look" may be a command in a world."""
        if start > begin and self.statements.found(start, end):
            return True
        return self.noise.is_all(start, end) and not self.worlds.has_word_for(self, start, end)

    def refused(self, start: int, end: int) -> Refusal | None:
        """Refuse conditions and schedules by name."""
        if self.is_question(start, end):
            return self.unsupported(start, end)
        if self.context.table.conditions.length_at(self.toks, start, end):
            return Refusal(start, end, "conditions are not supported")
        when = self.schedules.found(start, end, self.is_clause)
        if (
            when is not None
            and not self.is_written(start, end)
            and not self.tells(start, when, end)
        ):
            return Refusal(start, end, "schedules are not supported")
        return self.unsupported(start, end)

    def tells(self, start: int, when: int, end: int) -> bool:
        """Tell whether a day or an hour tells a thing on the page: "the meeting on Thursday"."""
        named_so = self.toks[when].key in LITTLE.put_off and end - when == 1
        told = self.toks[when].key in LITTLE.timing
        if not self.context.on_page or when == start or not (told or named_so):
            return False
        found = self.acting(start, end) or self.used(start, end)
        if not isinstance(found, Reading) or not found.fit or found.negated:
            return False
        verb = self.toks[start].key
        framed = verb in self.context.table.frames and verb not in LITTLE.doing
        if found.frame is USED and framed and not named_so:
            return False  # "set the volume to 30 at 9:00" is no deed of a page
        slot, _, last = found.fit[-1]
        pointed = any(goal in POINTED for goal in (*found.frame.all_goals(), found.frame.on_page))
        return (
            pointed and last == end and slot.kind == "role"
        ) or found.frame.on_page == "browser.use"

    def is_question(self, start: int, end: int) -> bool:
        """Tell whether a page is asked when something is: that is no condition, and no schedule."""
        if not self.context.on_page or self.toks[start].key not in LITTLE.questioning:
            return False
        inverted = start + 1 < end and self.toks[start + 1].key in LITTLE.inverted
        if end == len(self.toks) or self.toks[end].parted == HARD:
            return inverted or self.toks[end - 1].asked
        return inverted and self.toks[end].key == "and"  # "when is it due, click Save" may be none

    def unsupported(self, start: int, end: int) -> Refusal | None:
        """Refuse by name what the table understands, though nothing can do it."""
        token = self.toks[start]
        if token.quoted is not None:
            return None
        for template, row in self.context.table.unsupported.get(token.key, ()):
            self.context.effort.spend()
            if Matcher(template, self.context.slots, self.toks, end).match(start):
                return Refusal(start, end, row.reason)
        return None

    def is_written(self, start: int, end: int) -> bool:
        """Tell whether "In the subject line, type Lunch at 3" ends in what is to be written."""
        if not self.leads.may_begin(start):
            return False
        found = self.leads.led(start, end)
        if not isinstance(found, Reading) or not found.leads or not found.fit:
            return False
        slot, _, last = found.fit[-1]
        return slot.name == "text" and last == end

    def is_clause(self, start: int, end: int) -> bool:
        self.context.effort.spend()
        return self.acting(start, end) is not None

    # What is not to be done

    def negated(self, start: int, end: int) -> Clause | None:
        """Read what is not to be done: it must be understood as well as what is."""
        table = self.context.table
        length = table.negation.length_at(self.toks, start, end)
        rest = start + length
        if not length or rest >= end or self.toks[rest].comma:
            return None
        reading = self.read(rest, end)
        if isinstance(reading, Refusal):
            return reading
        if reading is None and not self.names_the_other(start, rest, end):
            return None
        inner = reading if isinstance(reading, Reading) else Reading(start, end, NO_GOAL)
        until_comma = table.until_comma.length_at(self.toks, start, end) > 0
        return replace(inner, start=start, negated=True, until_comma=until_comma)

    def names_the_other(self, start: int, rest: int, end: int) -> bool:
        """Tell whether "not Pears" or "instead of Robert" stands here: it only names a thing."""
        word = self.toks[start].key
        if word == "without":
            return self.toks[rest].verb
        relations = self.context.lexicon.relations
        related = any(
            token.key in relations and not token.capital for token in self.toks[rest + 1 : end]
        )
        return word in LITTLE.not_meant and end - rest <= MAX_OTHER and not related

    # What is to be done

    def acting(self, start: int, end: int) -> Clause | None:
        """Read what is to be done: with a lead, by a frame, or as the world may understand it."""
        led = self.leads.led(start, end) if self.leads.may_begin(start) else None
        found = led or self.worlds.chosen(self, self.framed(start, end), start, end)
        if self.context.on_page and (tail := tail_length(self.toks, start, end, LITTLE.on_page)):
            found = self.used_instead(found, start, end - tail)
        return self.used(start, end) if found is None and self.context.loose else found

    def used_instead(self, found: Clause | None, start: int, end: int) -> Clause | None:
        """Read "remove the folder X on this page" as said of the page, and of no disk."""
        named = found if found is not None else self.framed(start, end)
        goals = named.frame.all_goals() if isinstance(named, Reading) else ()
        filed = any(goal.startswith("file.") for goal in goals)
        return self.used(start, end) if filed else found

    def used(self, start: int, end: int) -> Reading | None:
        """Read a clause as what a page may call something that can be done there."""
        toks = self.toks[start:end]
        first = toks[0]
        if end - start > MOST_USED or first.quoted is not None or not first.key.isalpha():
            return None
        if (asked := self.asked(start, end)) is not None:
            return asked
        if first.key in LITTLE.never_used or self.context.is_conditional(start, end):
            return None
        if any(token.quoted is None and token.key in LITTLE.joining for token in toks[1:]):
            return None  # of "delete Milk and Eggs" a page would do one half
        said = keys_of(toks)
        lexicon = self.context.lexicon
        if said & LITTLE.devices or any(map(lexicon.is_address, said)):
            return None
        if any(
            token.parted and not (token.colon and before.capital)
            for before, token in pairwise(toks)
            if token.quoted is None
        ):
            return None
        if first.key in LITTLE.writing and any(token.key in LITTLE.typed_into for token in toks):
            return None  # something is to be written, and it is not understood what
        return Reading(start, end, USED, fit=((USED_THING, start, end),))

    def asked(self, start: int, end: int) -> Reading | None:
        """Read a question for something that a page may say."""
        for words in (*LITTLE.asked, *LITTLE.measured):
            at = start + len(words)
            keys = tuple(token.key for token in self.toks[start:at] if token.quoted is None)
            if keys == words and at < end:  # of a measure, the question says which
                begin = start if words in LITTLE.measured else at
                return Reading(start, end, ASKED, fit=((USED_THING, begin, end),))
        return None

    def is_framed(self, start: int, end: int) -> bool:
        return self.framed(start, end) is not None

    def framed(self, start: int, end: int) -> Reading | Refusal | None:
        """Read a clause by the table, with words at its end that say nothing left out."""
        key = (start, end)
        if key not in self._framed:
            self._framed[key] = self.by_table(start, end)
        return self._framed[key]

    def by_table(self, start: int, end: int) -> Reading | Refusal | None:
        for shorter in self.noise.ends(start, end):
            found = self.fitter.by_frame(start, shorter)
            about_files = isinstance(found, Reading) and any(
                goal.startswith("file.") for goal in found.frame.all_goals()
            )
            if not about_files:
                found = self.placer.placed(start, shorter) or found
            if isinstance(found, Reading) and shorter < end and self.may_go_on(found, shorter):
                found = self.with_all_words(found, start, shorter, end)
            if found is not None:
                return found
        return None

    def may_go_on(self, found: Reading, shorter: int) -> bool:
        """Tell whether a name or text of one's own stands before words that say nothing."""
        if not found.fit or self.toks[shorter].parted:
            return False
        slot, at, end = found.fit[-1]
        own = slot.type == "title" or slot.name == "content"
        return own and end == shorter and self.toks[at].quoted is None

    def with_all_words(
        self, found: Reading, start: int, shorter: int, end: int
    ) -> Reading | Refusal | None:
        """Keep the words behind a name that are more than courtesy; of a text its end is open."""
        if found.fit[-1][0].type != "title":
            return Refusal(start, end, UNENDED)
        if keys_of(self.toks[shorter:end]) <= LITTLE.courtesy:
            return found
        whole = self.fitter.by_frame(start, end)
        return whole if isinstance(whole, Reading) else Refusal(start, end, UNENDED)

    def bare(self, start: int, end: int) -> Clause | None:
        """Read a clause that leaves its thing to the words in front of it."""
        start, _ = self.noise.skipped(start, end)
        for shorter in self.noise.ends(start, end):
            found = self.fitter.by_frame(start, shorter, led=True)
            if found is not None:
                return found
        return None


def tail_length(toks: Sequence[Tok], start: int, end: int, tails: Iterable[tuple[str, ...]]) -> int:
    """Give the number of words at the end of a range that are one of these tails; 0 for none."""
    for tail in tails:
        length = len(tail)
        keys = tuple(token.key for token in toks[end - length : end] if token.quoted is None)
        if end - length > start and keys == tail:
            return length
    return 0
