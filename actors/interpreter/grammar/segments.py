"""Cutting a text into clauses: where a verb begins something, and where "and" is part of a name.

The shortest clauses that all can be read are taken. What follows a comma or an "and" without a
verb of its own shares the one before it: as another set of the same slots ("type 'a' in X and 'b'
in Y"), as a member of a list ("check Apples, Pears and Plums"), or as part of a name ("click Save
and close").
"""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace

from actors.interpreter.grammar.clauses import (
    BEGINNING,
    RESTRICTING,
    Clause,
    ClauseReader,
    Nothing,
    Reading,
    parts_of,
)
from actors.interpreter.grammar.sentence import HARD, Sentence, Tok
from actors.interpreter.grammar.templates import Element, Fit, Matcher, Slot, Template, Words
from actors.words import is_plural, singular

MAX_JOINED = 10
MAX_MEMBER = 7
MAX_HEADING = 5
MAX_SPOKEN_TO = 3
LONG_TAIL = 3
JOINTS = frozenset({"and", "then", "but", "&"})
TURNING = frozenset({"before", "after", "without", "upon"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A range of tokens between two joints, and how it is joined to the one before it."""

    start: int
    end: int
    hard: bool = False
    comma: bool = False
    words: frozenset[str] = frozenset()
    line: bool = False


def pieces_of(toks: Sequence[Tok], openers: Container[str], *, capitals: bool) -> list[Piece]:
    """Cut tokens at punctuation and at joining words."""
    pieces: list[Piece] = []
    start, joint, hard, comma, line = 0, set[str](), False, False, False
    for index, token in enumerate(toks):
        joins = token.quoted is None and token.key in JOINTS
        joins = joins and not (capitals and stays(toks, index))
        turns = index > start and turns_at(toks, index)
        parted = token.parted and (not token.colon or token.key in openers or token.line)
        if index > start and (parted or joins or turns):
            pieces.append(Piece(start, index, hard, comma, frozenset(joint), line))
            start, joint, hard, comma, line = index, set(), False, False, False
        if index == start:
            hard = hard or token.parted == HARD
            comma = comma or token.comma
            line = line or token.line
            if joins:
                joint.add(token.key)
                start = index + 1
    if start < len(toks):
        pieces.append(Piece(start, len(toks), hard, comma, frozenset(joint), line))
    return pieces


def stays(toks: Sequence[Tok], index: int) -> bool:
    """Tell whether a joining word is capitalised within words, and so part of a name."""
    token = toks[index]
    return token.capital and not token.parted and index > 0 and toks[index - 1].capital


def turns_at(toks: Sequence[Tok], index: int) -> bool:
    """Tell whether "before clicking" or "instead of" begins here."""
    token = toks[index]
    if token.quoted is not None or index + 1 >= len(toks):
        return False
    following = toks[index + 1]
    if token.key in TURNING:
        return following.verb or following.key in {"you", "having", "which"}
    if token.key == "by":
        return following.verb
    return (token.key, toks[index + 1].key) in {("instead", "of"), ("rather", "than")}


@dataclass(slots=True)
class Segmenter:
    """Finds the clauses of one sentence."""

    reader: ClauseReader
    pieces: list[Piece]
    _spans: dict[tuple[int, int], list[Clause] | None] = field(default_factory=dict)

    @property
    def toks(self) -> list[Tok]:
        return self.reader.toks

    def clauses(self) -> list[Clause] | None:
        """Cut the text into the shortest clauses that all can be read; worked out from the end."""
        count = len(self.pieces)
        best: list[list[Clause] | None] = [None] * count + [[]]
        for first in range(count - 1, -1, -1):
            for last in self.ends_from(first):
                rest = best[last + 1]
                if rest is None:
                    continue
                found = self.span(first, last)
                if found is not None:
                    best[first] = [*found, *rest]
                    break
        return best[0]

    def readable(self) -> int:
        """Say how many pieces from the beginning can be read as whole clauses."""
        reached = {0}
        for first in range(len(self.pieces)):
            if first in reached:
                ends = (last for last in self.ends_from(first) if self.span(first, last))
                reached.update(last + 1 for last in ends)
        return max(reached)

    def ends_from(self, first: int) -> Iterator[int]:
        """Give the pieces with which a clause may end; none reaches over the end of a sentence."""
        for last in range(first, min(len(self.pieces), first + MAX_JOINED)):
            if last > first and self.pieces[last].hard:
                return
            yield last

    def span(self, first: int, last: int) -> list[Clause] | None:
        """Read pieces that belong together."""
        start, end = self.pieces[first].start, self.pieces[last].end
        if first == last:
            if self.is_name_in_capitals(first):
                return None
            if self.is_passed_over(first):
                return [Nothing(start, end)]
            found = self.reader.read(start, end)
            if found is None and self.is_heading(first):
                return [Nothing(start, end)]
            if found is None or (isinstance(found, Reading) and found.words is not None):
                return self.run_on(start, end) or (None if found is None else [found])
            return None if self.ends_a_name(first, found) else self.with_steps(found)
        whole = self.reader.read(start, end)
        if isinstance(whole, Reading) and self.has_steps(whole):
            return self.with_steps(whole)
        if isinstance(whole, Reading) and not self.joined_slots(whole):
            return self.with_steps(whole)
        return self.shared(first, last) or self.listed(whole)

    def is_passed_over(self, index: int) -> bool:
        """Tell whether a piece speaks to somebody, numbers a part, or says why or to what end."""
        piece = self.pieces[index]
        first = self.toks[piece.start]
        following = self.pieces[index + 1] if index + 1 < len(self.pieces) else None
        if following is not None and self.is_means(following):
            return True
        if index and not piece.hard and not piece.words and self.gives_reason(piece):
            return True
        if first.quoted is not None or piece.end - piece.start > MAX_SPOKEN_TO:
            return False
        phrases = self.reader.table.phrases
        last = self.toks[piece.end - 1]
        ends = (
            following is None
            or following.hard
            or following.comma
            or self.toks[following.start].colon
        )
        counted = last.key[:1].isdigit() or len(last.key) == 1
        if first.key in phrases.parts.known and counted and last is not first:
            return ends and (piece.hard or not index or self.is_passed_over(index - 1))
        greets = first.key in phrases.people.greetings and (piece.hard or not index)
        called = all(
            token.key in phrases.people.known for token in self.toks[piece.start : piece.end]
        )
        apart = piece.comma or piece.hard or not index
        if index and not piece.hard and self.signs(index):
            return True
        return ends and ((greets and last.quoted is None) or (called and apart))

    def signs(self, index: int) -> bool:
        """Tell whether a piece is the name under a letter: "Cheers, Ines"."""
        piece, before = self.pieces[index], self.pieces[index - 1]
        last = index + 1 == len(self.pieces)
        names = all(token.capital for token in self.toks[piece.start : piece.end])
        length = self.reader.table.alone.length_at(self.toks, before.start, before.end)
        return last and names and length == before.end - before.start and before.hard

    def is_means(self, piece: Piece) -> bool:
        """Tell whether "by clicking" begins here: what stands before it only tells the purpose."""
        first = self.toks[piece.start]
        following = self.toks[piece.start + 1] if piece.start + 1 < piece.end else first
        return first.key == "by" and following.verb and not piece.hard

    def gives_reason(self, piece: Piece) -> bool:
        """Tell whether a piece only says why, or what comes of something."""
        length = self.reader.table.reasons.length_at(self.toks, piece.start, piece.end)
        said = {token.key for token in self.toks[piece.start : piece.end]}
        if not length or length == piece.end - piece.start or said & RESTRICTING:
            return False
        single = self.toks[piece.start].key == "so"
        return not single or self.reader.read(piece.start + length, piece.end) is None

    def is_heading(self, index: int) -> bool:
        """Tell whether a piece only names what follows its colon, or follows such a name."""
        piece = self.pieces[index]
        outcomes = self.reader.table.phrases.outcomes.known
        if self.toks[piece.start].colon and index:
            before = self.pieces[index - 1]
            if self.toks[before.start].key in outcomes:
                return True
        if self.toks[piece.start].key in outcomes and piece.end - piece.start == 1:
            return True
        if piece.end - piece.start > MAX_HEADING:
            return False
        begin = index
        while begin and not self.pieces[begin].hard:
            begin -= 1
        for following in self.pieces[begin + 1 : index + MAX_SPOKEN_TO]:
            if following.start <= piece.start:
                continue
            if self.toks[following.start].colon:
                return True
            if following.hard:
                return False
        return False

    def run_on(self, start: int, end: int) -> list[Clause] | None:
        """Read clauses that follow each other without a joint, each begun by its verb."""
        for cut in range(start + 1, end):
            token = self.toks[cut]
            if token.quoted is not None or token.key not in BEGINNING or token.capital:
                continue
            first = self.reader.read(start, cut)
            if not isinstance(first, Reading) or first.template is None or first.negated:
                continue
            rest = self.reader.read(cut, end)
            if isinstance(rest, Reading) and rest.template is not None:
                return [first, rest]
            further = self.run_on(cut, end)
            if further is not None:
                return [first, *further]
        return None

    def ends_a_name(self, index: int, found: Clause) -> bool:
        """Tell whether "and continue" ends the name of what is clicked just before it."""
        piece = self.pieces[index]
        if not index or piece.words != {"and"} or piece.comma or piece.hard:
            return False
        if not isinstance(found, Reading) or found.negated or self.has_object(found, piece):
            return False
        before = self.pieces[index - 1]
        clicked = self.reader.read(before.start, before.end)
        if not isinstance(clicked, Reading) or clicked.frame.joined != "name" or not clicked.fit:
            clicked = self.with_lead_before(index - 1)
        if clicked is None:
            return False
        slot, at, end = clicked.fit[-1]
        named = all(token.quoted is None for token in self.toks[at:end])
        kind = self.reader.table.lexicon.names_some_kind(self.toks[end - 1]) and end - at > 1
        return slot.kind == "role" and named and not kind

    def with_lead_before(self, index: int) -> Reading | None:
        """Read a piece together with the one in front of it, which may be its lead."""
        if index < 1:
            return None
        found = self.reader.read(self.pieces[index - 1].start, self.pieces[index].end)
        usable = isinstance(found, Reading) and found.frame.joined == "name" and found.fit
        return found if isinstance(found, Reading) and usable else None

    def has_object(self, reading: Reading, piece: Piece) -> bool:
        """Tell whether a clause says more than its verb: a thing, a value, a place."""
        bare = piece.end - piece.start <= len(("log", "in"))
        return not bare or any(slot.type != "buttons" for slot, _, _ in reading.fit)

    def has_steps(self, reading: Reading) -> bool:
        return any(
            token.key == ">" and token.quoted is None
            for _, at, end in reading.fit
            for token in self.toks[at:end]
        )

    def is_name_in_capitals(self, index: int) -> bool:
        """Tell whether a piece is the rest of a name: "... and Close", "... and Go to Cart"."""
        piece = self.pieces[index]
        token = self.toks[piece.start]
        plain = piece.words <= {"and", "&"} and piece.words and not piece.comma and not piece.hard
        if not (plain and token.capital and index and self.reader.names_in_capitals):
            return False
        rest = self.toks[piece.start + 1 : piece.end]
        return all(
            (each.quoted is None and each.capital) or each.key in {"to", "of"} for each in rest
        )

    # One verb, several times

    def joined_slots(self, reading: Reading) -> list[int]:
        """Give the slots of a reading in which a joint stands."""
        found = []
        for index, (_, at, end) in enumerate(reading.fit):
            if len(parts_of(self.toks, at, end)) > 1:
                found.append(index)
        return found

    def shared(self, first: int, last: int) -> list[Clause] | None:
        """Read further sets of the slots of one verb: "... and 'b' in Y"."""
        for middle in range(first, last):
            base = self.reader.read(self.pieces[first].start, self.pieces[middle].end)
            if not isinstance(base, Reading) or base.template is None or base.negated:
                continue
            further = [
                self.again(base, self.pieces[index]) for index in range(middle + 1, last + 1)
            ]
            whole = [reading for reading in further if reading is not None]
            if len(whole) == len(further):
                return [base, *whole]
        return None

    def again(self, base: Reading, piece: Piece) -> Reading | None:
        """Read a piece as the slots of a clause before it, by the same words or similar ones."""
        keys = [slot.type for slot, _, _ in base.fit] == ["keys"]
        if base.template is None or piece.hard:
            return None
        if len(base.fit) < len(("value", "thing")) and not keys:
            return self.same_verb(base, piece)
        verb = self.toks[base.start].key
        rows = self.reader.table.frames.get(verb, ())
        similar = [row for row in rows if row[1].goal == base.frame.goal and len(row[0].slots) > 1]
        for template, frame in ((base.template, base.frame), *similar):
            fit = self.tail_fit(template, piece, len(base.fit))
            if fit is not None:
                return replace(
                    base,
                    start=piece.start,
                    end=piece.end,
                    frame=frame,
                    template=template,
                    fit=fit,
                    leads=(),
                    places=(),
                )
        return self.same_verb(base, piece)

    def same_verb(self, base: Reading, piece: Piece) -> Reading | None:
        """Read "... and a file index.md" with the verb of the clause before it."""
        goals = base.frame.all_goals()
        if not goals[0].startswith(("file.", "app.")) or base.frame.disturbs or not piece.start:
            return None
        at = piece.start - 1
        found = with_verb(self, base, at).framed(at, piece.end) or self.placed_again(base, piece)
        if not isinstance(found, Reading) or found.frame.all_goals() != goals:
            return None
        places = found.places or (base.places if base.led_by_place else ())
        return replace(found, start=piece.start, places=places)

    def placed_again(self, base: Reading, piece: Piece) -> Clause | None:
        """Read "... and within it a folder b" with the verb of the clause before it."""
        if self.toks[piece.start].key not in self.reader.table.places:
            return None
        for at in range(piece.start + 1, piece.end - 1):
            place = self.reader.place_of(piece.start, at + 1)
            found = with_verb(self, base, at).framed(at, piece.end) if place else None
            if isinstance(found, Reading) and place is not None and not found.places:
                return replace(found, places=(place,))
        return None

    def tail_fit(self, template: Template, piece: Piece, slots: int) -> Fit | None:
        """Fit a piece to a template from its first slot on."""
        tail = tail_of(template)
        end = piece.end
        start, _ = self.reader.without_noise_before(piece.start, end)
        lexicon = self.reader.table.lexicon
        for shorter in self.reader.ends_without_noise(start, end):
            for begin in starts_of(self.toks, start, shorter):
                matcher = Matcher(template, lexicon, self.toks, shorter)
                fits = [fit for fit in matcher.match(begin, tail) if self.reader.holds(fit)]
                fits = [fit for fit in fits if len(fit) >= slots]
                if fits:
                    return min(fits, key=self.reader.length_of_things)
        return None

    def listed(self, whole: Clause | None) -> list[Clause] | None:
        """Read a joint inside a slot: a list of things, or a name."""
        if not isinstance(whole, Reading):
            return None if whole is None else [whole]
        joined = self.joined_slots(whole)
        if len(joined) != 1:
            return None
        index = joined[0]
        slot, at, end = whole.fit[index]
        members = parts_of(self.toks, at, end)
        if not all(self.is_name_like(slot, begin, stop, begin == at) for begin, stop in members):
            return None
        if slot.kind == "role" and (groups := self.groups(whole, members)) is not None:
            return self.each(whole, index, groups)
        if self.is_list(whole, slot, members):
            return self.each(whole, index, members)
        then = any(token.key == "then" and token.quoted is None for token in self.toks[at:end])
        if then or not (slot.kind == "role" or slot.type == "text"):
            return None
        return [whole] if slot.type == "text" or self.may_be_name(whole, members) else None

    def may_be_name(self, whole: Reading, members: list[tuple[int, int]]) -> bool:
        """Tell whether words with a joint may be one name: clicked things are, others in capitals."""
        if whole.frame.many or whole.frame.joined == "name":
            return True
        return all(self.is_told_as_name(at, end) for at, end in members[1:])

    def groups(
        self, whole: Reading, members: list[tuple[int, int]]
    ) -> list[tuple[int, int]] | None:
        """Cut "Privacy and security, then Cookies" at its "then"; what is behind it is a name."""
        if not whole.frame.many or whole.negated:
            return None
        groups = [members[0]]
        for at, end in members[1:]:
            before = {self.toks[index].key for index in range(groups[-1][1], at)}
            if "then" not in before:
                groups[-1] = (groups[-1][0], end)
            elif self.is_told_as_name(at, end):
                groups.append((at, end))
            else:
                return None
        return groups if len(groups) > 1 else None

    def is_told_as_name(self, at: int, end: int) -> bool:
        """Tell whether words are a name for sure: quoted, capitalised, or with their kind."""
        token = self.toks[at]
        kinds = self.reader.table.lexicon
        return (
            token.quoted is not None
            or token.capital
            or token.key in {"the", "a", "an"}
            or kinds.names_some_kind(self.toks[end - 1])
        )

    def is_name_like(self, slot: Slot, at: int, end: int, is_first: bool) -> bool:  # noqa: FBT001
        """Tell whether words can be a member of a list or part of a name, and no clause of their own."""
        toks = self.toks[at:end]
        if any(token.quoted is not None for token in toks):
            return True
        first = toks[0]
        lexicon = self.reader.table.lexicon
        if slot.type not in {"text", "thing"} and slot.kind != "role":
            return lexicon.fits(slot, self.toks, at, end)
        if is_first or first.key in lexicon.articles or first.key in lexicon.relations:
            return True
        if any(token.key in {"it", "them"} for token in toks):
            return False
        verbal = len(toks) > 1 and toks[1].key in lexicon.articles and not first.capital
        return not verbal and len(toks) <= MAX_MEMBER

    def is_list(self, whole: Reading, slot: Slot, members: list[tuple[int, int]]) -> bool:
        """Tell a list from a name with "and" in it."""
        if not whole.frame.many or whole.negated:
            return False
        toks = self.toks
        fits = self.reader.table.lexicon.fits
        if not all(fits(slot, toks, at, end) or slot.kind == "role" for at, end in members):
            return False
        if slot.type in {"app", "program"}:  # "open gimp and frobnicate" is no list
            return all(self.is_surely_program(at) for at, _ in members[1:])
        if slot.kind == "param":
            return slot.type != "text"
        quoted = all(any(t.quoted is not None for t in toks[at:end]) for at, end in members)
        commas = any(toks[at].comma or toks[at - 1].comma for at, _ in members[1:])
        if quoted or len(members) > len(("one", "two")):
            return quoted or commas or whole.frame.joined == "list"
        (first, _), (second, _) = members
        turned = toks[first].capital and not toks[second].capital and toks[second].key.isalpha()
        if turned and toks[second].key not in self.reader.table.lexicon.articles:
            return False  # "Settings and sharing"
        if toks[second - 1].key == "&" and toks[second].capital:
            return False
        if whole.frame.joined == "list":
            short = all(end - at == 1 for at, end in members)
            return not commas or toks[second - 1].key in JOINTS or short
        articles = self.reader.table.lexicon.articles
        stop = members[1][1]
        return toks[second].key in articles or (
            self.reader.table.lexicon.has_kind("clickable", toks, second, stop)
            and toks[second - 1].key in JOINTS
            and self.reader.table.lexicon.has_kind("clickable", toks, *members[0])
        )

    def is_surely_program(self, at: int) -> bool:
        token = self.toks[at]
        known = token.key in self.reader.table.lexicon.programs
        return token.quoted is not None or token.capital or known

    def each(
        self, whole: Reading, index: int, members: list[tuple[int, int]], *, listed: bool = True
    ) -> list[Clause]:
        """Make a clause of every member of a list."""
        slot = whole.fit[index][0]
        kinds = slot.kind == "role" and listed
        trimmed = self.without_plural_kind(members) if kinds else members
        readings: list[Clause] = []
        for number, (at, end) in enumerate(trimmed):
            at, _ = self.reader.without_noise_before(at, end)  # noqa: PLW2901
            begin = next(iter(starts_of(self.toks, at, end)))
            fit = tuple(
                (slot, begin, end) if place == index else filled
                for place, filled in enumerate(whole.fit)
            )
            leads = whole.leads if number == 0 or whole.frame.lead else ()
            readings.append(replace(whole, fit=fit, leads=leads))
        return readings

    def without_plural_kind(self, members: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Leave out "checkboxes" from "the checkboxes Red and Blue", and "both"."""
        kinds = self.reader.table.lexicon.kinds
        known = kinds["clickable"] | kinds["box"] | kinds["radio"] | kinds["field"] | PLURAL
        (first, first_end), *middle, (last, last_end) = members

        def names_kind(index: int) -> bool:
            token = self.toks[index]
            if token.quoted is not None or not is_plural(token.key):
                return False
            return singular(token.key) in known or token.key in known

        while first_end - first > 1 and (
            names_kind(first)
            or self.toks[first].key in {"both", "the", "following", "all", "labelled", "labeled"}
            or (
                first_end - first > len("ab")
                and names_kind(first + 1)
                and self.toks[first].key in {"radio", "check", "tick", "menu"}
            )
        ):
            first += 1
        if last_end - last > 1 and names_kind(last_end - 1):
            last_end -= 1
        return [(first, first_end), *middle, (last, last_end)]

    # Paths through menus

    def with_steps(self, clause: Clause) -> list[Clause] | None:
        """Make a clause of every step of "Settings > Privacy > Cookies"."""
        if not isinstance(clause, Reading) or clause.negated:
            return [clause]
        for index, (slot, at, end) in enumerate(clause.fit):
            if slot.kind == "role" and any(
                token.key == ">" and token.quoted is None for token in self.toks[at:end]
            ):
                return self.each(clause, index, steps_of(self.toks, at, end), listed=False)
        return [clause]


PLURAL = frozenset({"option", "item", "value", "entry", "choice", "file", "name", "word"})


def with_verb(segmenter: Segmenter, base: Reading, at: int) -> ClauseReader:
    """Give a reader of the same tokens, but with the verb of a clause at a place."""
    toks = segmenter.toks
    first = base.template.elements[0] if base.template else None
    verb = toks[verb_of(base, toks)]
    if isinstance(first, Words):  # of "set up" a single word is as good
        sayings = (saying for listed in first.sayings.values() for saying in listed)
        verb = replace(verb, key=next((each[0] for each in sayings if len(each) == 1), verb.key))
    changed = [*toks[:at], verb, *toks[at + 1 :]]
    sentence = Sentence(segmenter.reader.sentence.text, changed)
    return replace(segmenter.reader, sentence=sentence, _read={})


def verb_of(reading: Reading, toks: Sequence[Tok]) -> int:
    """Give where the verb of a clause stands: at its beginning, or behind its lead."""
    openers = reading.template.openers if reading.template else frozenset()
    return next(
        (index for index in range(reading.start, reading.end) if toks[index].key in openers),
        reading.start,
    )


def steps_of(toks: Sequence[Tok], at: int, end: int) -> list[tuple[int, int]]:
    """Cut a path through menus at its arrows."""
    steps = []
    begin = at
    for index in range(at, end + 1):
        if index == end or (toks[index].key == ">" and toks[index].quoted is None):
            if index > begin:
                steps.append((begin, index))
            begin = index + 1
    return steps


def tail_of(template: Template) -> tuple[Element, ...]:
    """Give the elements of a template from its first slot on."""
    for index, element in enumerate(template.elements):
        if isinstance(element, Slot):
            return template.elements[index:]
    return template.elements[1:]


def starts_of(toks: Sequence[Tok], at: int, end: int) -> Iterator[int]:
    """Give where words begin: behind an article if there is one, else as they stand."""
    token = toks[at]
    if (
        end - at > 1
        and token.quoted is None
        and token.key in {"the", "a", "an"}
        and not token.capital
    ):
        yield at + 1
    yield at
