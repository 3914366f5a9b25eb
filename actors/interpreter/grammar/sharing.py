"""One verb, several times: "type 'a' in X and 'b' in Y", "create a folder x and a file y"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from actors.interpreter.grammar.clauses import ClauseReader
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.pieces import Piece
from actors.interpreter.grammar.readings import Clause, Reading, parts_of
from actors.interpreter.grammar.sentence import Tok
from actors.interpreter.grammar.templates import Element, Fit, Matcher, Slot, Template, Words

TWO = 2
# Goals whose verb may be left out before another thing of another kind.
RELATED = frozenset({"to", "as", "=", "with", "containing"})
REPEATED = frozenset({"file.create", "file.read", "file.open", "file.list", "file.find"})


@dataclass(slots=True)
class Sharing:
    """Reads pieces without a verb by the verb of the clause before them."""

    reader: ClauseReader
    pieces: list[Piece]

    @property
    def toks(self) -> list[Tok]:
        return self.reader.toks

    def shared(self, first: int, last: int) -> list[Clause] | None:
        """Read further sets of the slots of one verb."""
        for middle in range(first, last):
            base = self.reader.read(self.pieces[first].start, self.pieces[middle].end)
            if not isinstance(base, Reading) or base.template is None or base.negated:
                continue
            if any(len(parts_of(self.toks, at, end)) > 1 for _, at, end in base.fit):
                continue
            if any(self.is_between(at, end) for _, at, end in base.fit):
                continue
            further: list[Clause] = []
            for piece in self.pieces[middle + 1 : last + 1]:
                if (reading := self.again(base, piece)) is None:
                    break
                further.append(reading)
            alike = are_placed_alike(base, further) and self.are_filled_alike(base, further)
            if len(further) == last - middle and alike:
                return [base, *(led_alike(base, each) for each in further)]
        return None

    def are_filled_alike(self, base: Reading, further: Sequence[Clause]) -> bool:
        """Tell whether it is clear what holds a text: "a.txt and b.txt containing 'x'" is not."""
        if has_content(base):
            return True
        return not any(
            isinstance(each, Reading)
            and has_content(each)
            and self.is_sure_name(self.toks[each.start])
            for each in further
        )

    def is_between(self, at: int, end: int) -> bool:
        """Tell whether words want another "and" themselves: "between A" is not all of it."""
        return any(token.key == "between" and token.quoted is None for token in self.toks[at:end])

    def again(self, base: Reading, piece: Piece) -> Reading | None:
        """Read a piece as the slots of a clause before it, by the same words or similar ones."""
        if piece.hard or base.template is None or not self.is_alike(base, piece):
            return None
        only_keys = [slot.type for slot, _, _ in base.fit] == ["keys"]
        if len(base.fit) < TWO and not only_keys:
            return self.same_verb(base, piece)
        rows = self.reader.context.table.frames.get(self.toks[base.start].key, ())
        domain = base.frame.all_goals()[0].partition(".")[0]
        similar = [
            row
            for row in rows
            if row[1].goal.startswith(f"{domain}.") and len(row[0].slots) > 1 and not row[1].takes
        ]
        similar.sort(key=lambda row: row[1].goal != base.frame.goal)
        for template, frame in ((base.template, base.frame), *similar):
            fit = self.tail_fit(template, piece, len(base.fit))
            if fit is not None:
                return Reading(piece.start, piece.end, frame, template, fit)
        return self.same_verb(base, piece)

    def is_alike(self, base: Reading, piece: Piece) -> bool:
        """Tell whether a piece can be of files what the clause before it is: names, and no verb.

        Two names without a word between them must be names for sure: "archive docs" may be a deed.
        """
        goals = base.frame.all_goals()
        if not goals[0].startswith("file."):
            return True
        start, _ = self.reader.noise.skipped(piece.start, piece.end)
        if self.may_be_verb(start) and (piece.end - start > 1 or goals[0] != "file.create"):
            return False
        toks = self.toks[start : piece.end]
        if len(toks) == 1 and base.fit and base.fit[-1][0].name == "content":
            return False  # of "containing 'a' and 'b'" the second is no file
        if len(toks) == 1:
            return (
                goals[0] == "file.create" or self.is_sure_name(toks[0]) or not self.names_file(base)
            )
        related = any(token.key in LITTLE.placing or token.key in RELATED for token in toks)
        return len(base.fit) < TWO or related or self.is_sure_name(toks[0])

    def may_be_verb(self, at: int) -> bool:
        """Tell whether a word may say what to do, or to leave something as it is."""
        token, context = self.toks[at], self.reader.context
        if token.quoted is not None or token.key in context.lexicon.grammatical:
            return False
        known = LITTLE.doing | LITTLE.keeping | context.table.phrases.purposes.known
        return token.key in context.table.frames or token.key in known

    def is_sure_name(self, token: Tok) -> bool:
        return token.quoted is not None or self.reader.context.lexicon.is_file(token.key)

    def names_file(self, base: Reading) -> bool:
        """Tell whether the things of a clause are files by their endings."""
        return all(
            end - at == 1 and self.is_sure_name(self.toks[at])
            for slot, at, end in base.fit
            if slot.name == "name"
        )

    def tail_fit(self, template: Template, piece: Piece, slots: int) -> Fit | None:
        """Fit a piece to a template from its first slot on; all slots must be filled again."""
        tail = tail_of(template)
        start, _ = self.reader.noise.skipped(piece.start, piece.end)
        types, fitter = self.reader.context.slots, self.reader.fitter
        for end in self.reader.noise.ends(start, piece.end):
            for begin in starts_of(self.toks, start, end):
                fits = Matcher(template, types, self.toks, end).match(begin, tail)
                whole = [fit for fit in fits if len(fit) >= slots and fitter.holds(fit)]
                if whole:
                    return min(whole, key=fitter.rank)
        return None

    def same_verb(self, base: Reading, piece: Piece) -> Reading | None:
        """Read "... and a file index.md" with the verb of the clause before it."""
        goals = base.frame.all_goals()
        repeated = goals[0] in REPEATED or self.is_counted(base, piece)
        if not repeated or not piece.start:
            return None
        at = piece.start - 1
        found = self.with_verb(base, at).framed(at, piece.end) or self.placed_again(base, piece)
        if not isinstance(found, Reading) or found.frame.all_goals() != goals:
            return None
        kinds = goals[0] in REPEATED and found.frame.params != base.frame.params
        if kinds and self.is_bare_name(found, piece):
            return self.of_same_kind(base, found, piece)
        places = found.places or (base.places if base.led_by_place else ())
        return replace(found, start=piece.start, places=places)

    def is_bare_name(self, found: Reading, piece: Piece) -> bool:
        """Tell whether a piece says no kind of its own: a name, and no file's by its ending."""
        named = {at for _, begin, end in found.fit for at in range(begin, end)}
        word = self.reader.context.spoken(piece.start, piece.end).casefold()
        ends_so = self.reader.context.lexicon.is_file(word)
        return named >= set(range(piece.start, piece.end)) and not ends_so

    def of_same_kind(self, base: Reading, found: Reading, piece: Piece) -> Reading | None:
        """Read a bare name as one more of what the clause before it speaks of."""
        if base.template is None or [slot.name for slot, _, _ in base.fit] != ["name"]:
            return None
        slot = base.fit[0][0]
        fit = tuple((slot, at, end) for _, at, end in found.fit)
        return replace(base, start=piece.start, end=piece.end, fit=fit, passed=())

    def is_counted(self, base: Reading, piece: Piece) -> bool:
        """Tell whether something is clicked so often: "click Next twice and then Back once"."""
        if base.frame.goal != "browser.click":
            return False
        counts = self.reader.context.marks.repeating
        ends = (self.toks[piece.end - 1], self.toks[base.end - 1])
        return any(token.key in counts and token.quoted is None for token in ends)

    def placed_again(self, base: Reading, piece: Piece) -> Reading | None:
        """Read "... and within it a folder b" with the verb of the clause before it."""
        if self.toks[piece.start].key not in self.reader.context.table.places:
            return None
        for at in range(piece.start + 1, piece.end - 1):
            place = self.reader.placer.place_of(piece.start, at + 1)
            found = self.with_verb(base, at).framed(at, piece.end) if place else None
            if place is not None and isinstance(found, Reading) and not found.places:
                return replace(found, places=(place,), led_by_place=True)
        return None

    def with_verb(self, base: Reading, at: int) -> ClauseReader:
        """Give a reader of the same tokens, but with the verb of a clause at a place."""
        toks = self.toks
        first = base.template.elements[0] if base.template else None
        verb = toks[verb_of(base, toks)]
        if isinstance(first, Words):  # of "set up" a single word is as good
            sayings = (saying for listed in first.sayings.values() for saying in listed)
            word = next((saying[0] for saying in sayings if len(saying) == 1), verb.key)
            verb = replace(verb, key=word)
        return self.reader.over([*toks[:at], verb, *toks[at + 1 :]])


def are_placed_alike(base: Reading, further: Sequence[Clause]) -> bool:
    """Tell whether it is clear where all belong: "a and b in x" leaves open where a is."""
    return bool(base.places) or not any(
        isinstance(each, Reading) and each.places and not each.led_by_place for each in further
    )


def has_content(reading: Reading) -> bool:
    return any(slot.name == "content" for slot, _, _ in reading.fit)


def led_alike(base: Reading, clause: Clause) -> Clause:
    """Give a clause the words in front of the verb that it shares."""
    if isinstance(clause, Reading) and base.frame.lead and clause.frame.lead:
        return replace(clause, leads=base.leads)
    return clause


def verb_of(reading: Reading, toks: Sequence[Tok]) -> int:
    """Give where the verb of a clause stands: at its beginning, or behind its lead."""
    openers = reading.template.openers if reading.template else frozenset()
    found = (index for index in range(reading.start, reading.end) if toks[index].key in openers)
    return next(found, reading.start)


def tail_of(template: Template) -> tuple[Element, ...]:
    """Give the elements of a template from its first slot on."""
    for index, element in enumerate(template.elements):
        if isinstance(element, Slot):
            return template.elements[index:]
    return template.elements[1:]


def starts_of(toks: Sequence[Tok], at: int, end: int) -> Iterator[int]:
    """Give where words begin: behind an article if there is one, else as they stand."""
    token = toks[at]
    article = token.quoted is None and token.key in LITTLE.articles and not token.capital
    if end - at > 1 and article:
        yield at + 1
    yield at
