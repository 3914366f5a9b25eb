"""One clause, read: which frame it fits, what fills its slots, where it belongs.

Words at its edges that say nothing are left out, words in front of the verb ("In the top left,
click Compose") are kept as its lead. What is refused by name is found here, too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

from actors.interpreter.grammar.sentence import HARD, Sentence, Tok
from actors.interpreter.grammar.slots import DATE, JOINING, fits_label, fits_thing
from actors.interpreter.grammar.table import Compiled, Frame, Place
from actors.interpreter.grammar.templates import Fit, Matcher, Slot, Template
from actors.words import ARTICLES

MAX_LEADS = 3
MAX_LEAD_STARTS = 8
# Words that are stripped from the end only where no name stands before them.
DOUBTFUL_ENDS = frozenset(
    {"now", "again", "next", "first", "too", "instead", "once", "then", "ok", "thanks"}
)
# What may begin words in front of the verb that say where the thing is.
LEADS = frozenset(
    {
        "in", "on", "at", "under", "underneath", "below", "beneath", "above", "over", "beside",
        "next", "near", "from", "inside", "within", "to", "for", "by", "behind", "between",
        "along", "across", "opposite", "as", "with", "among", "out", "into", "using",
    }
)  # fmt: skip
CONTAINING = frozenset({"in", "from", "for", "inside", "within", "out", "among", "on", "as", "of"})
SIDES = frozenset({"left", "right", "side"})
POSITIONAL = frozenset(
    {
        "top", "bottom", "left", "right", "upper", "lower", "corner", "centre", "center", "middle",
        "header", "footer", "sidebar", "side", "toolbar", "navigation", "nav", "edge", "page",
        "screen", "window", "panel", "bar", "pane", "end", "menu", "dialog", "dialogue", "popup",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scoped:
    """A phrase of place, read: the scope it states, and the names in it."""

    scope: str
    names: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A clause that was understood.

    ``words`` are all of it, where only the world can tell which of them stand for what. ``leads``
    are the words in front of the verb, the nearest first. ``later`` if it begins with "before": then what comes
    after it comes first; ``earlier`` if it ends with "after": then it comes before.
    """

    start: int
    end: int
    frame: Frame
    template: Template | None = None
    fit: Fit = ()
    places: tuple[Scoped, ...] = ()
    led_by_place: bool = False
    leads: tuple[tuple[int, int], ...] = ()
    words: str | None = None
    negated: bool = False
    until_comma: bool = False
    later: bool = False
    earlier: bool = False


@dataclass(frozen=True, slots=True)
class Nothing:
    """A statement: it asks for nothing."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """A clause that is understood well enough to be refused, and why."""

    start: int
    end: int
    reason: str


Clause: TypeAlias = Reading | Nothing | Refusal


class Worlds(Protocol):
    """Knows what no frame says, and who has the first word."""

    def chosen(
        self, reader: "ClauseReader", framed: Clause | None, start: int, end: int
    ) -> Clause | None: ...


@dataclass(slots=True)
class ClauseReader:
    """Reads the clauses of one sentence."""

    table: Compiled
    sentence: Sentence
    worlds: Worlds
    names_in_capitals: bool
    _read: dict[tuple[int, int], Clause | None] = field(default_factory=dict)

    @property
    def toks(self) -> list[Tok]:
        return self.sentence.toks

    def read(self, start: int, end: int) -> Clause | None:
        """Read a range of tokens as one clause; None if it is none."""
        key = (start, end)
        if key not in self._read:
            self._read[key] = self.reading(start, end)
        return self._read[key]

    def reading(self, start: int, end: int) -> Clause | None:
        leading = start == 0 or self.toks[start].parted == HARD
        if self.toks[start].key in self.table.statements and self.statement(start, end):
            return Nothing(start, end)
        begin = start
        start, order = self.without_noise_before(start, end)
        if self.is_noise(start, end):
            return Nothing(begin, end)
        found: Clause | None = self.statement(start, end) or self.refused(start, end)
        if found is None:
            found = self.negated(start, end) or self.acting(start, end)
        if not isinstance(found, Reading) or not order:
            return found
        return replace(
            found, later=order == "before" and leading, earlier=order == "after" and not leading
        )

    # What says nothing

    def without_noise_before(self, start: int, end: int) -> tuple[int, str]:
        """Leave out words in front that say nothing, or only the order; say which order."""
        order = ""
        begin = start
        while start < end:
            length = self.noise_at(start, end)
            if not length and (length := self.order_at(start, end)):
                order = ORDERS.get(self.toks[start].key, order)
                order = "" if self.toks[start + 1].key == "which" else order
            length = length or self.obliging_at(begin, start, end)
            if not length or start + length >= end:
                break
            start += length
        return start, order

    def noise_at(self, start: int, end: int) -> int:
        """Give the length of words that say nothing and begin here."""
        if length := self.table.order.length_at(self.toks, start, end):
            return length
        if self.is_needed(start, end):
            return 0
        if length := self.table.before.length_at(self.toks, start, end):
            return length
        length = self.table.alone.length_at(self.toks, start, end)
        apart = start + length < end and self.toks[start + length].parted
        return length if apart else 0

    def is_noise(self, start: int, end: int) -> bool:
        """Tell whether a range says nothing but "hey", "many thanks" or "once it has loaded"."""
        first = self.toks[start]
        if first.capital and start and first.parted != HARD and self.names_in_capitals:
            return False
        for sayings in (self.table.order, self.table.before, self.table.alone):
            if sayings.length_at(self.toks, start, end) == end - start:
                return True
        return self.noise_before(start - 1, end) == end - start

    def order_at(self, start: int, end: int) -> int:
        """Give the length of words that only tell the order: "after having", "before you"."""
        keys = [token.key if token.quoted is None else "" for token in self.toks[start : start + 5]]
        verbs = [token.verb for token in self.toks[start : start + 5]]
        for saying in ORDERING:
            length = len(saying)
            if tuple(keys[:length]) == saying and start + length < end:
                openly = saying[-1] in {"you", "which", "may"} and keys[length] in self.table.frames
                if (length < len(verbs) and verbs[length]) or openly:
                    return length
        return 0

    def obliging_at(self, begin: int, start: int, end: int) -> int:
        """Give the length of "visitors should" or of the "to" of "please to click"."""
        following = self.toks[start + 1].key if start + 1 < end else ""
        if self.toks[start].key == "to" and start > begin and following in self.table.frames:
            commas = any(token.comma for token in self.toks[start + 1 : end])
            return 0 if commas else 1
        if (
            self.toks[start].key == "after"
            and following in BEGINNING
            and start
            and self.toks[start - 1].key == "and"
        ):
            return 1
        if self.toks[start].key == "you" and (
            following in self.table.frames or following in {"just", "simply", "then", "now"}
        ):
            return 1
        phrases = self.table.phrases
        for length in (2, 3, 4):
            at = start + length - 1
            if at + 1 >= end or self.toks[at].key not in phrases.modals.known:
                continue
            bound = self.toks[at].key in {"should", "must", "shall"}
            verb = self.toks[at + 1].key in self.table.frames
            known = self.toks[at - 1].key in phrases.people.known or bound
            if verb and known and self.toks[start].key not in self.table.frames:
                return length
        return 0

    def is_needed(self, start: int, end: int) -> bool:
        """Tell whether what looks like noise begins something: "next to X", "next tab"."""
        following = self.toks[start + 1].key if start + 1 < end else ""
        key = self.toks[start].key
        if (key, following) in {("next", "to"), ("instead", "of")}:
            return True
        if following in self.table.frames or following in LEADS or self.toks[start].quoted:
            return False
        comma = start + 1 < end and self.toks[start + 1].parted
        return not comma and self.opens(start, end)

    def opens(self, start: int, end: int) -> bool:
        return self.framed(start, end) is not None

    def ends_without_noise(self, start: int, end: int) -> Iterator[int]:
        """Give the ends of a clause with words that say nothing left out, then as it stands."""
        if (reason := self.reason_in(start, end)) is not None:
            yield from self.ends_without_noise(start, reason)
        shorter = end
        while shorter - 1 > start:
            length = self.noise_before(start, shorter)
            if not length:
                break
            shorter -= length
        if shorter != end:
            yield shorter
        yield end

    def reason_in(self, start: int, end: int) -> int | None:
        """Find where a clause goes on to say why: "... so that it stays quiet"."""
        for at in range(start + 2, end - 1):
            token = self.toks[at]
            if token.quoted is not None or token.capital or token.key not in REASONS:
                continue
            length = self.table.reasons.length_at(self.toks, at, end)
            said = {each.key for each in self.toks[at:end] if each.quoted is None}
            if length > 1 and not said & RESTRICTING:
                return at
        return None

    def noise_before(self, start: int, end: int) -> int:
        """Give the length of words that say nothing and end here."""
        last = self.toks[end - 1]
        if last.quoted is None and last.key[0] == "#" and last.key[1:].isalpha():
            return 1
        for saying in self.table.after.sayings.get(last.key, ()):
            length = len(saying)
            begin = end - length
            if begin <= start or any(
                self.toks[end - 1 - step].key != saying[step]
                or self.toks[end - 1 - step].quoted is not None
                for step in range(length)
            ):
                continue
            if length == 1 and saying[0] in DOUBTFUL_ENDS:
                if last.capital or (saying[0] != "instead" and self.is_in_name(start, begin)):
                    continue
            return length
        return 0

    def is_in_name(self, start: int, end: int) -> bool:
        """Tell whether a name in capitals seems to go on here: "click Buy | now"."""
        if self.table.lexicon.names_some_kind(self.toks[end - 1]):
            return False
        for index in range(end - 1, start, -1):
            token = self.toks[index]
            if token.quoted is not None or token.key in UNENDING or token.parted:
                return False
            if token.capital:
                return self.names_in_capitals
        return False

    # What is not to be done

    def negated(self, start: int, end: int) -> Clause | None:
        """Read what is not to be done: it must be understood as well as what is."""
        length = self.table.negation.length_at(self.toks, start, end)
        if not length:
            return None
        until_comma = bool(self.table.until_comma.length_at(self.toks, start, end))
        rest = start + length
        if rest >= end or self.toks[rest].comma:
            return None
        reading = self.reading(rest, end)
        if isinstance(reading, Refusal):
            return reading
        if reading is None and not self.names_the_other(start, rest, end):
            return None
        inner = reading if isinstance(reading, Reading) else Reading(start, end, NO_GOAL)
        return replace(inner, start=start, negated=True, until_comma=until_comma)

    def names_the_other(self, start: int, rest: int, end: int) -> bool:
        """Tell whether "not Pears" or "instead of Robert" stands here: it only names a thing."""
        word = self.toks[start].key
        if word == "without":
            return self.toks[rest].verb
        related = any(
            token.key in self.table.lexicon.relations and not token.capital
            for token in self.toks[rest + 1 : end]
        )
        return word in {"not", "instead", "rather"} and end - rest <= MAX_OTHER and not related

    def refused(self, start: int, end: int) -> Refusal | None:
        """Refuse conditions and schedules by name."""
        if self.table.conditions.length_at(self.toks, start, end):
            return Refusal(start, end, "conditions are not supported")
        length = self.schedule_at(start, end)
        if length and start + length < end:
            return Refusal(start, end, "schedules are not supported")
        for at in range(start + 1, end):
            length = 0 if self.is_capital(at) else self.schedule_at(at, end)
            if not length or self.is_dated(at - 1) or self.toks[at - 1].key in UNENDING:
                continue
            while at + length < end and (more := self.schedule_at(at + length, end)):
                length += more
            if at + length == end and self.acting(start, at) is not None:
                return Refusal(start, end, "schedules are not supported")
        return None

    def is_capital(self, at: int) -> bool:
        """Tell whether a word is written as a name within a sentence."""
        return self.toks[at].capital and self.names_in_capitals and not self.toks[at].parted

    def is_dated(self, at: int) -> bool:
        key = self.toks[at].key
        return (
            DATE.fullmatch(key) is not None or key in self.table.lexicon.months or key.isdecimal()
        )

    def schedule_at(self, at: int, end: int) -> int:
        """Give the length of a schedule that stands here: "every monday", "at 5 pm"."""
        token = self.toks[at]
        if token.quoted is not None:
            return 0
        if (length := self.table.schedules.length_at(self.toks, at, end)) > 0:
            return length
        words = [
            each.key if each.quoted is None else '"' for each in self.toks[at : min(at + 5, end)]
        ]
        days = self.table.phrases.refused.days
        match words:
            case ["every" | "each", day, *_] if day in days:
                return 2
            case ["every" | "each", _, day, *_] if day in days or self.is_span(day):
                return 3
            case ["on", day, *_] if day in self.table.lexicon.months and day.endswith(
                ("day", "days")
            ):
                return 2
            case ["on", day, *_] if day.endswith("days") and day in days:
                return 2
            case ["at", time, "am" | "pm" | "a.m" | "p.m" | "o'clock", *_] if time[0].isdigit():
                return 3
            case ["at", time, *_] if DATE.fullmatch(time) and (":" in time or time[-1] == "m"):
                return 2
            case ["at", time] if time.isdecimal():
                return 2
            case ["in" | "after", count, unit, *_] if self.is_count(count) and self.is_span(unit):
                return 3
            case _:
                return 0

    def is_count(self, word: str) -> bool:
        return word.isdecimal() or word in {"a", "an"} or word in self.table.lexicon.numbers

    def is_span(self, word: str) -> bool:
        days = self.table.phrases.refused.days
        return word in days or word.removesuffix("s") in days or word in self.table.lexicon.units

    def statement(self, start: int, end: int) -> Nothing | None:
        """Read a sentence that asks for nothing."""
        templates = self.table.statements.get(self.toks[start].key, ())
        for template in templates:
            if Matcher(template, self.table.lexicon, self.toks, end).match(start):
                said = {token.key for token in self.toks[start:end]}
                if said & TAKING_BACK or self.asks(start, end):
                    return None
                if self.framed(start, end) is not None:
                    return None
                return Nothing(start, end)
        return Nothing(start, end) if self.is_told(start, end) else None

    def asks(self, start: int, end: int) -> bool:
        """Tell whether something to do seems to be in a statement: "... ask you to mute it"."""
        return any(
            token.key in BEGINNING
            and token.quoted is None
            and self.toks[at - 1].key in {"to", "you", "please", "must", "should", "and", "then"}
            for at, token in enumerate(self.toks[start + 1 : end], start + 1)
        )

    def is_told(self, start: int, end: int) -> bool:
        """Tell whether a sentence begins like none that asks for something: "The header blinks"."""
        first = self.toks[start]
        whole = end == len(self.toks) or self.toks[end].parted == HARD
        begins = first.parted == HARD or not start or start <= MAX_GREETING
        if first.key not in TELLING or not (begins and whole) or end - start < len("abc"):
            return False
        if self.asks(start, end):
            return False
        finite = any(
            token.quoted is None and (token.key in BEING or token.key.endswith(("s", "ed")))
            for token in self.toks[start + 2 : end]
        )
        said = {token.key for token in self.toks[start:end]}
        return finite and not said & TAKING_BACK and self.framed(start, end) is None

    # What is to be done

    def acting(self, start: int, end: int) -> Clause | None:
        """Read what is to be done: with a lead, by a frame, or as the world may understand it."""
        if self.may_lead(start):
            led = self.led(start, end)
            if led is not None:
                return led
        return self.worlds.chosen(self, self.framed(start, end), start, end)

    def may_lead(self, start: int) -> bool:
        """Tell whether words in front of a verb may begin here; "On sale" in a list is a name."""
        token = self.toks[start]
        if token.quoted is not None or token.key not in LEADS:
            return False
        return not (token.capital and start and token.parted != HARD and self.names_in_capitals)

    def framed(self, start: int, end: int) -> Clause | None:
        """Read a clause by the table, with words at its end that say nothing left out."""
        for shorter in self.ends_without_noise(start, end):
            found = self.by_frame(start, shorter)
            about_files = isinstance(found, Reading) and found.frame.goal.startswith("file.")
            if not about_files:
                found = self.placed(start, shorter) or found
            if found is not None:
                return found
        return None

    def placed(self, start: int, end: int) -> Reading | None:
        """Read a clause about files with its place at its end, or in its middle."""
        for at in range(start + 1, end):
            token = self.toks[at]
            if token.quoted is not None or token.key not in self.table.places:
                continue
            for stop in self.place_ends(at, end):
                place = self.place_of(at, stop)
                reading = None if place is None else self.around(start, at, stop, end)
                if place is not None and reading is not None:
                    return replace(reading, places=(place, *reading.places), end=end)
        return None

    def place_ends(self, at: int, end: int) -> Iterator[int]:
        """Give where a place may end: with the clause, or before what a thing is called."""
        yield end
        for stop in range(at + 2, end):
            if self.toks[stop].key in {"called", "named", "to", "into", "with", "containing"}:
                yield stop

    def around(self, start: int, at: int, stop: int, end: int) -> Reading | None:
        """Read a clause with a place taken out of it."""
        if stop == end:
            found = self.by_frame(start, at, placed=True)
        else:
            found = self.without(start, at, stop, end)
        if not isinstance(found, Reading) or not (found.frame.placed or found.frame.placed_source):
            return None
        return None if self.ends_in_free_text(found) else found

    def without(self, start: int, at: int, stop: int, end: int) -> Clause | None:
        """Read the tokens before and after a place as one clause."""
        rest = [*self.toks[:at], *self.toks[stop:]]
        reader = replace(self, sentence=Sentence(self.sentence.text, rest), _read={})
        found = reader.by_frame(start, end - (stop - at), placed=True)
        if not isinstance(found, Reading):
            return None
        shift = stop - at
        moved = tuple(
            (slot, first + shift * (first >= at), last + shift * (last > at))
            for slot, first, last in found.fit
        )
        return replace(found, fit=moved)

    def ends_in_free_text(self, reading: Reading) -> bool:
        """Tell whether a clause ends in words of its own, so that a place after them may be theirs."""
        if not reading.fit:
            return False
        slot, at, end = reading.fit[-1]
        return slot.name == "content" and not (end - at == 1 and self.toks[at].quoted is not None)

    def place_of(self, start: int, end: int) -> Scoped | None:
        """Read words as a phrase of place, if they are one; a site is none."""
        if self.toks[end - 1].key in self.table.lexicon.sites:
            return None
        for template, place in self.table.places.get(self.toks[start].key, ()):
            fits = Matcher(template, self.table.lexicon, self.toks, end).match(start)
            if fits:
                return self.scoped(place, fits[0])
        return None

    def scoped(self, place: Place, fit: Fit) -> Scoped:
        names = tuple((slot.name, self.spoken(at, end)) for slot, at, end in fit)
        return Scoped(place.scope, names)

    def spoken(self, at: int, end: int) -> str:
        """Give the words of a range; a quoted text without its marks."""
        first = self.toks[at]
        return (
            first.quoted
            if end - at == 1 and first.quoted is not None
            else self.sentence.said(at, end)
        )

    def by_frame(
        self, start: int, end: int, *, placed: bool = False, led: bool = False
    ) -> Clause | None:
        """Find the first frame that a clause fits, and the best way in which it fits."""
        first = self.toks[start]
        opener = "" if first.quoted is not None else first.key
        rows = self.table.frames.get(opener, ())
        said: set[str] | None = None
        for listed in (rows, self.table.frames.get("", ()) if rows is not None else ()):
            for template, frame in listed:
                if placed and not (frame.placed or frame.placed_source):
                    continue
                if led != frame.needs_lead and not (led and is_bare(template, frame)):
                    continue
                if said is None:
                    said = {token.key for token in self.toks[start:end] if token.quoted is None}
                if template.could_fit(said):
                    found = self.fitted(template, frame, start, end)
                    if found is not None:
                        return found
        return None

    def fitted(self, template: Template, frame: Frame, start: int, end: int) -> Clause | None:
        """Fit one template; where it fits in several ways, words for things are kept short."""
        lexicon = self.table.lexicon
        matcher = Matcher(template, lexicon, self.toks, end, self.names_in_capitals)
        fits = [fit for fit in matcher.match(start) if self.holds(fit)]
        if not fits:
            return None
        fit = min(fits, key=self.length_of_things) if len(fits) > 1 else fits[0]
        fit = tuple((slot, at, self.trimmed(slot, at, last)) for slot, at, last in fit)
        if (reason := self.doubt(fit)) is not None:
            return Refusal(start, end, reason)
        return Reading(start, end, frame, template, fit)

    def trimmed(self, slot: Slot, at: int, end: int) -> int:
        """Leave out what only tells the purpose, or what is not meant: "the icon to see more"."""
        if slot.type not in {"text", "thing"} and slot.kind != "role":
            return end
        for index in range(at + 1, end - 1):
            token, following = self.toks[index], self.toks[index + 1]
            if token.quoted is not None or token.capital:
                continue
            if (token.key, following.key) in {("instead", "of"), ("rather", "than")}:
                return index
            if token.key == "to" and slot.kind == "role" and self.tells_purpose(index, at):
                return index
        return end

    def tells_purpose(self, index: int, at: int) -> bool:
        """Tell whether "to ..." stands behind a thing that is named already, and is no place."""
        before, following = self.toks[index - 1], self.toks[index + 1]
        if following.quoted is not None or following.capital:
            return False
        lexicon = self.table.lexicon
        wished = before.key in {"want", "need", "wish", "like", "have", "able", "how", "used"}
        if wished or following.key not in self.table.phrases.purposes.known:
            return False
        named = before.quoted is not None or (lexicon.names_some_kind(before) and index - 1 > at)
        return named or any(
            lexicon.names_some_kind(token) and not token.capital for token in self.toks[at:index]
        )

    def length_of_things(self, fit: Fit) -> tuple[int, int]:
        """Rank a fit: things of few words, and the second of two begun by an article."""
        roles = [(at, end) for slot, at, end in fit if slot.kind == "role"]
        free = any(slot.kind == "param" and slot.type == "text" for slot, _, _ in fit)
        labels = sum(end - at for slot, at, end in fit if slot.type == "label")
        length = (sum(end - at for at, end in roles) if free else 0) - 2 * labels
        joined = sum(1 for at, end in roles for token in self.toks[at + 1 : end] if token.parted)
        return length, joined

    def holds(self, fit: Fit) -> bool:
        """Tell whether slots hold what they may: no value that is torn out of a name."""
        return all(self.is_whole(slot, at, end) for slot, at, end in fit)

    def is_whole(self, slot: Slot, at: int, end: int) -> bool:
        last = self.toks[end - 1]
        named = last.quoted is not None or last.capital or self.toks[end - 2].capital
        if slot.kind == "role" and last.key in UNENDING and not named:
            return False
        if end - at == 1:
            return True
        for index in range(at + 1, end):
            token = self.toks[index]
            if token.parted > 1 or (
                token.colon and slot.type != "text" and not self.toks[index - 1].capital
            ):
                return False
        if slot.kind == "role" and last.key in JOINING and last.quoted is None:
            return False
        if slot.name == "purpose":
            return True
        return slot.type not in {"text", "thing"} or not self.runs_on(at, end)

    def runs_on(self, at: int, end: int) -> bool:
        """Tell whether another clause seems to begin inside words, without a joint."""
        for index in range(at + 1, end - 1):
            token = self.toks[index]
            if (
                token.key in BEGINNING
                and token.quoted is None
                and not token.capital
                and self.toks[index + 1].key in FOLLOWING
                and self.toks[index + 1].quoted is None
                and self.toks[index - 1].key not in JOINED_BEFORE
            ):
                return True
        return False

    def doubt(self, fit: Fit) -> str | None:
        """Find a condition inside unquoted words, which could be meant as one."""
        for slot, at, end in fit:
            if slot.type not in {"text", "thing"} and slot.kind != "role":
                continue
            for index in range(at + 1, end):
                token = self.toks[index]
                if token.quoted is None and token.key in CONDITIONAL and not token.capital:
                    return "conditions are not supported"
        return None

    def is_doubtful(self, start: int, end: int) -> bool:
        """Tell whether a clause holds a condition, or another clause without a joint."""
        return self.is_conditional(start, end) or self.runs_on(start, end)

    def is_conditional(self, start: int, end: int) -> bool:
        return any(
            token.quoted is None and token.key in CONDITIONAL for token in self.toks[start:end]
        )

    # Words in front of the verb

    def led(self, start: int, end: int) -> Clause | None:
        """Read "In the top left, click Compose": what stands in front says where."""
        for verb in self.verbs_after(start, end):
            purpose = self.is_purpose(start)
            if purpose and not (self.toks[verb].comma or self.toks[verb - 1].key == "you"):
                continue
            found = self.reading(verb, end)
            if not purpose and not self.names_field(found):
                found = self.for_lead(start, verb, end) or found
            if isinstance(found, Refusal):
                return found
            if not isinstance(found, Reading) or found.negated:
                continue
            if purpose:
                return replace(found, start=start)
            led = self.with_lead(found, start, verb)
            if led is not None:
                return led
        return None

    def names_field(self, clause: Clause | None) -> bool:
        """Tell whether a clause names the field it is about itself."""
        return isinstance(clause, Reading) and any(
            slot.kind == "role" and self.is_field(at, end) for slot, at, end in clause.fit
        )

    def is_field(self, at: int, end: int) -> bool:
        lexicon = self.table.lexicon
        return (
            lexicon.has_kind("field", self.toks, at, end)
            or lexicon.has_kind("box", self.toks, at, end)
            or fits_label(lexicon, self.toks, at, end)
        )

    def for_lead(self, start: int, verb: int, end: int) -> Clause | None:
        """Read "In the box type X at 9" with the box as the only thing, if it is a field."""
        if not self.is_field(self.lead_words(start, verb), verb):
            return None
        verb, _ = self.without_noise_before(verb, end)
        for shorter in self.ends_without_noise(verb, end):
            found = self.by_frame(verb, shorter, led=True)
            if found is not None:
                return found
        return None

    def verbs_after(self, start: int, end: int) -> Iterator[int]:
        """Give where the verb may stand behind a lead: behind a comma, then at any opener."""
        found = [
            at
            for at in range(start + 1, end)
            if self.toks[at].comma or (self.toks[at].colon and at > start + 1)
        ]
        told = [
            at
            for at in range(start + 2, end - 1)
            if self.toks[at - 1].key == "you" and self.toks[at].key in self.table.frames
        ]
        yield from told if self.is_purpose(start) else ()
        yield from found[:MAX_LEADS]
        plain = [
            at
            for at in range(start + 2, end - 1)
            if self.toks[at].quoted is None
            and not self.toks[at].capital
            and self.toks[at].key in self.table.frames
            and at not in found
        ]
        yield from plain[:MAX_LEAD_STARTS]

    def is_purpose(self, start: int) -> bool:
        """Tell whether "To delete it" stands here, not "To the left of it"."""
        if self.toks[start].key == "in" and self.toks[start + 1].key == "order":
            return True
        if self.toks[start].key != "to":
            return False
        following = self.toks[start + 1]
        return following.quoted is None and following.key not in self.table.lexicon.articles

    def with_lead(self, reading: Reading, start: int, verb: int) -> Reading | None:
        """Give a clause its lead, if it can have one."""
        frame = reading.frame
        if (frame.placed or frame.placed_source) and (place := self.place_of(start, verb)):
            places = (*reading.places, place)
            return replace(reading, start=start, places=places, led_by_place=True)
        if reading.words is not None or not all(
            goal.startswith("browser.") for goal in frame.all_goals()
        ):
            return None
        has_role = any(slot.kind == "role" for slot, _, _ in reading.fit)
        if not has_role and frame.lead is None:
            return None
        if self.toks[start].key == "with" or (self.toks[start].key == "as" and not frame.lead):
            return replace(reading, start=start)
        if not fits_thing(self.table.lexicon, self.toks, self.lead_words(start, verb), verb):
            return None
        while verb - start > 2 and self.toks[verb - 1].key in {"please", "kindly"}:  # noqa: PLR2004
            verb -= 1
        return replace(reading, start=start, leads=(*reading.leads, (start, verb)))

    def lead_words(self, start: int, verb: int) -> int:
        """Give where the thing begins in a lead: behind its relation and its article."""
        at = start + 1
        if self.toks[start].key == "next" and at < verb and self.toks[at].key == "to":
            at += 1
        if self.toks[start].key == "out" and at < verb and self.toks[at].key == "of":
            at += 1
        if (
            at < verb - 1
            and self.toks[at].quoted is None
            and self.toks[at].key in {"the", "a", "an"}
        ):
            at += 1
        return min(at, verb - 1)

    def is_positional(self, start: int, verb: int) -> bool:
        """Tell whether a lead says where on the page something is, not what it is in."""
        relation = self.toks[start].key
        if relation in {"from", "for", "out", "among", "as"}:
            return False
        if relation not in CONTAINING:
            return True
        at = self.lead_words(start, verb)
        if self.table.lexicon.has_kind("dropdown", self.toks, at, verb):
            return False
        return any(token.quoted is None and token.key in POSITIONAL for token in self.toks[at:verb])


REASONS = frozenset({"so", "in"})
# Words that tell the order of what follows them and what stands around it, longest first.
ORDERS = {"before": "before", "prior": "before", "after": "after", "upon": "after"}
ORDERING = (
    ("once", "you", "have"), ("when", "you", "have"), ("after", "you", "have"), ("as", "soon", "as", "you", "have"),
    ("once", "you've"), ("when", "you've"), ("after", "you've"), ("after", "having"), ("prior", "to"),
    ("before", "you"), ("after", "you"), ("after", "which", "you", "may"), ("after", "which", "you"), ("after", "which"), ("having",), ("after",), ("before",), ("by",), ("upon",),
)  # fmt: skip
TELLING = frozenset({"the", "a", "an", "your", "its", "this", "these", "our"})
BEING = frozenset({"is", "are", "was", "has", "have", "will", "can", "should", "does", "may"})
NO_GOAL = Frame((), "")
MAX_OTHER = 6
MAX_GREETING = 3
# Relations that end no name; "in", "on", "up", "out" and "off" may ("Sign in").
UNENDING = frozenset(
    {"for", "to", "of", "with", "from", "at", "by", "into", "as", "the", "a", "an", "your", "my"}
)
# Verbs that begin a clause of their own where an article or a particle follows them.
BEGINNING = frozenset(
    {
        "click",
        "type",
        "open",
        "read",
        "press",
        "go",
        "search",
        "create",
        "delete",
        "mute",
        "select",
        "scroll",
        "close",
        "turn",
        "set",
        "wait",
        "take",
        "write",
        "move",
        "copy",
        "rename",
        "save",
        "unmute",
        "launch",
        "choose",
        "enter",
        "check",
        "tell",
        "show",
        "make",
    }
)
FOLLOWING = frozenset({"the", "a", "an", "for", "on", "it", "off", "up", "down", "me"})
JOINED_BEFORE = frozenset(
    {"to", "and", "the", "a", "an", "of", "or", "called", "named", "says", "labelled", "labeled"}
)
# What a statement may not say, for it could take something back.
TAKING_BACK = frozenset(
    {
        "mind",
        "joke",
        "joking",
        "kidding",
        "wait",
        "cancel",
        "stop",
        "no",
        "not",
        "nevermind",
        "rather",
        "instead",
        "oops",
        "mistake",
        "wrong",
        "unless",
        "if",
        "only",
        "except",
        "but",
    }
)
RESTRICTING = frozenset({"unless", "if", "but", "except", "cancel", "only", "until"})
CONDITIONAL = frozenset({"if", "unless", "whenever", "when", "while", "provided", "once"})


def is_bare(template: Template, frame: Frame) -> bool:
    """Tell whether a way to put something names no thing itself, but can be told one in front."""
    return frame.lead == "target" and not any(slot.kind == "role" for slot in template.slots)


def parts_of(toks: Sequence[Tok], at: int, end: int) -> list[tuple[int, int]]:
    """Cut a range at its commas, joining words and arrows."""
    members: list[tuple[int, int]] = []
    begin = at
    for index in range(at, end):
        token = toks[index]
        joins = token.quoted is None and token.key in JOINING
        if index > begin and token.parted:
            members.append((begin, index))
            begin = index
        if joins:
            if index > begin:
                members.append((begin, index))
            begin = index + 1
    if begin < end:
        members.append((begin, end))
    return members
