"""Where two readings of a text would do different things: then a person is asked.

Each way out is put as a command of its own, so that it can be said instead.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from actors.interpreter.grammar.clauses import ClauseReader, tail_length
from actors.interpreter.grammar.context import keys_of
from actors.interpreter.grammar.keys import DOUBTFUL_KEYS
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.pieces import Piece
from actors.interpreter.grammar.readings import Clause, Reading, Scoped, Span, in_quotes
from actors.interpreter.grammar.sentence import HARD
from messages.rules import Rule

# What is done to files, and to what pages show, in the same words.
LIKE_ON_PAGES = frozenset({"file.delete", "file.rename", "file.move"})

POINTED = frozenset({"browser.click"})


@dataclass(frozen=True, slots=True)
class Way:
    """One way to read a text: a command that says it, and the clauses it comes to."""

    text: str
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Fork:
    """A clause with more than one reading: where it stands, what is asked, the ways out.

    ``polar`` if yes means the first way, and no the second.
    """

    span: Span
    message: str
    ways: tuple[Way, ...]
    polar: bool = True


@dataclass(frozen=True, slots=True)
class Entered:
    """A folder that a clause speaks of: what later clauses name may be in it.

    ``listed`` if it was only looked into, and not said to be where something is done.
    """

    places: tuple[Scoped, ...]
    words: str
    listed: bool = False


@dataclass(slots=True)
class Doubts:
    """Finds the clauses of one sentence that could be meant otherwise."""

    reader: ClauseReader
    pieces: Sequence[Piece]
    clauses: tuple[Clause, ...]
    rules: Mapping[tuple[str, str], Rule]

    def forks(self) -> list[Fork]:
        """Give every fork, in the order of the text."""
        joints = {piece.start: piece for piece in self.pieces}
        found: list[Fork] = []
        negated = False
        entered: Entered | None = None
        for index, clause in enumerate(self.clauses):
            piece = piece_before(joints, clause.start)
            ends = piece is None or piece.hard or bool(piece.words & self.ending_negation())
            negated = negated and not ends
            if piece is None or (piece.hard and self.ends_sentence(piece)):
                entered = entered if entered is not None and entered.listed else None
            if not isinstance(clause, Reading):
                continue
            if negated and not clause.negated and not self.says_instead(clause):
                found.append(self.done_or_not(index, clause))
            elif entered is not None and self.may_belong(clause, entered):
                found.append(self.there_or_not(index, clause, entered))
            elif self.is_asked(clause):
                found.append(self.asked_or_told(index, clause))
            elif (pressed := self.as_button(clause)) is not None:
                found.append(self.key_or_button(index, clause, pressed))
            elif clause.apart:
                found.append(self.one_or_two(index, clause))
            elif (used := self.as_used(clause)) is not None:
                found.append(self.page_or_disk(index, clause, used))
            # Until something ends its reach, every later clause may belong to a negation.
            negated = (negated and not self.says_instead(clause)) or reaches_on(clause)
            entered = self.entered_by(clause) or entered
        return [*found, *self.alternatives(joints)]

    def ending_negation(self) -> frozenset[str]:
        return self.reader.context.marks.ending_negation

    def ends_sentence(self, piece: Piece) -> bool:
        """Tell whether a sentence ends before a piece; a line or a semicolon ends none."""
        text = self.reader.context.sentence.text
        start = self.reader.toks[piece.start].start
        return any(mark in text[max(0, start - 3) : start] for mark in ".!?")

    def said(self, clause: Reading) -> str:
        return self.reader.context.sentence.said(clause.start, clause.end)

    def span(self, clause: Reading) -> Span:
        return self.reader.context.sentence.span(clause.start, clause.end)

    def way(self, index: int, text: str, *instead: Clause) -> Way:
        """Put other clauses in the place of one."""
        return Way(text, (*self.clauses[:index], *instead, *self.clauses[index + 1 :]))

    def says_instead(self, clause: Reading) -> bool:
        toks = self.reader.toks
        before = toks[clause.start - 1].key if clause.start else ""
        said = keys_of(toks[clause.start : clause.end + 1])
        return "instead" in said or before in LITTLE.instead

    def done_or_not(self, index: int, clause: Reading) -> Fork:
        """Ask whether a negation reaches over a joint: "don't open x and close y"."""
        return self.act_or_not(index, clause, f"Is {self.said(clause)!r} to be done, or not?")

    def act_or_not(self, index: int, clause: Reading, message: str) -> Fork:
        said = self.said(clause)
        ways = (
            self.way(index, said, clause),
            self.way(index, f"don't {said}", replace(clause, negated=True)),
        )
        return Fork(self.span(clause), message, ways)

    def entered_by(self, clause: Reading) -> Entered | None:
        """Give the folder that a clause begins with, or looks into."""
        if clause.negated:
            return None
        if clause.led_by_place:
            return Entered(clause.places, self.lead_of(clause))
        if clause.frame.all_goals() != ("file.list",):
            return None
        if clause.places and not clause.fit:
            return Entered(clause.places, self.place_behind(clause), listed=True)
        for slot, at, end in clause.fit:
            if slot.name == "name" and not self.is_pronoun(at, end):
                name = self.reader.context.spoken(at, end)
                place = Scoped("inside:{folder}", (("folder", name),))
                return Entered((place,), f"in the folder {in_quotes(name)}", listed=True)
        return None

    def place_behind(self, clause: Reading) -> str:
        """Give the words of the place that a clause ends with."""
        found = (
            at
            for at in range(clause.end - 1, clause.start, -1)
            if self.reader.placer.place_of(at, clause.end) is not None
        )
        return self.reader.context.sentence.said(next(found, clause.start), clause.end)

    def may_belong(self, clause: Reading, entered: Entered) -> bool:
        """Tell whether a clause about files says itself neither where nor which they are."""
        frame = clause.frame
        if clause.places or clause.negated or not (frame.placed or frame.placed_source):
            return False
        return not entered.listed or not (
            frame.takes or self.observes_folder(clause) or self.is_known(clause, entered)
        )

    def observes_folder(self, clause: Reading) -> bool:
        return frozenset(clause.frame.all_goals()) <= {"file.list", "file.find"}

    def is_known(self, clause: Reading, entered: Entered) -> bool:
        """Tell whether the thing of a clause was spoken of, or is named with its folders."""
        folder = dict(entered.places[0].names).get("folder")
        named = [(at, end) for slot, at, end in clause.fit if slot.name == "name"]
        return any(
            self.is_pronoun(at, end)
            or self.reader.context.spoken(at, end) == folder
            or "/" in self.reader.context.spoken(at, end)
            for at, end in named
        )

    def there_or_not(self, index: int, clause: Reading, entered: Entered) -> Fork:
        """Ask whether a place said first holds for a later clause as well."""
        said, place = self.said(clause), entered.words
        behind = clause.frame.placed and not entered.listed
        there = f"{said} {place}" if behind else f"{place}, {said}"
        ways = (
            self.way(index, there.strip(), replace(clause, places=entered.places)),
            self.way(index, said, clause),
        )
        message = f"Does {said!r} belong there, too?"
        if entered.listed:
            message = f"Is what {said!r} speaks of {place}?"
        return Fork(self.span(clause), message, ways)

    def lead_of(self, reading: Reading) -> str:
        """Give the words of the place that a clause begins with."""
        for end in range(reading.start + 1, reading.end):
            if self.reader.placer.place_of(reading.start, end) is not None and (
                self.reader.framed(end, reading.end) is not None
            ):
                words = self.reader.context.sentence.said(reading.start, end)
                return words[0].lower() + words[1:]
        return ""

    def is_asked(self, clause: Reading) -> bool:
        """Tell whether something that changes the world ends in a question mark, not politely."""
        toks = self.reader.toks
        if not toks[clause.end - 1].asked or clause.negated:
            return False
        if self.reader.context.on_page and frozenset(clause.frame.all_goals()) == POINTED:
            return False  # "click Forgot password?": what is clicked is called so
        start = clause.start
        while start and toks[start].parted != HARD:
            start -= 1
        words = keys_of(toks[start : clause.end])
        if words & self.reader.context.table.phrases.noise.asking:
            return False
        rules = [self.rule(goal) for goal in clause.frame.all_goals()]
        return any(rule is None or rule.action_class == "actuate" for rule in rules)

    def rule(self, goal: str) -> Rule | None:
        domain, _, verb = goal.partition(".")
        return self.rules.get((domain, verb))

    def asked_or_told(self, index: int, clause: Reading) -> Fork:
        """Ask whether a question mark means it."""
        return self.act_or_not(index, clause, f"Is {self.said(clause)!r} a command?")

    def as_button(self, clause: Reading) -> Reading | None:
        """Read "press Delete" as a click: the key may be a button of that name."""
        if clause.negated or [slot.type for slot, _, _ in clause.fit] != ["keys"]:
            return None
        _, at, end = clause.fit[0]
        toks = self.reader.toks
        named = any(token.key in LITTLE.keys for token in toks[clause.start : clause.end])
        written_so = toks[at].capital and self.reader.context.names_in_capitals
        key = self.reader.context.lexicon.keyboard.chord(toks[at:end])
        if key not in DOUBTFUL_KEYS or named or not written_so:
            return None
        if sum(is_press(each) for each in self.clauses) > 1:  # among other keys it is one, too
            return None
        click = replace(toks[at - 1], key="click")
        reader = self.reader.over([*toks[: at - 1], click, *toks[at:]])
        found = reader.fitter.by_frame(at - 1, end)
        return found if isinstance(found, Reading) else None

    def key_or_button(self, index: int, clause: Reading, pressed: Reading) -> Fork:
        """Ask whether a key or a button is meant."""
        _, at, end = clause.fit[0]
        name = self.reader.context.sentence.said(at, end)
        ways = (
            self.way(index, f"press the {name} key", clause),
            self.way(index, f"click {name!r}", pressed),
        )
        return Fork(self.span(clause), f"Is {name} a key or a button?", ways, polar=False)

    # On the page, or on the disk

    def as_used(self, clause: Reading) -> Reading | None:
        """Read "remove the folder X" as said of the page before the speaker, if it may be."""
        changes = frozenset(clause.frame.all_goals()) <= LIKE_ON_PAGES
        if not self.reader.context.on_page or not changes or clause.negated or clause.places:
            return None
        if self.names_file(clause):
            return None
        return self.reader.used(clause.start, clause.end)

    def names_file(self, clause: Reading) -> bool:
        """Tell whether words say that a file is meant: by its ending, its path, or its place."""
        toks, lexicon = self.reader.toks, self.reader.context.lexicon
        names = [self.reader.context.spoken(at, end).casefold() for _, at, end in clause.fit]
        if any(lexicon.is_file(name) or "/" in name or name in lexicon.anchors for name in names):
            return True
        if any(self.is_pronoun(at, end) for _, at, end in clause.fit):
            return True
        if keys_of(toks[clause.start : clause.end]) & (LITTLE.filed - LITTLE.also_on_pages):
            return True
        longest = max(map(len, LITTLE.on_disk))
        behind = range(clause.end, min(len(toks), clause.end + longest) + 1)
        return any(tail_length(toks, clause.end - 1, end, LITTLE.on_disk) for end in behind)

    def is_pronoun(self, at: int, end: int) -> bool:
        said = " ".join(token.key for token in self.reader.toks[at:end])
        return said in self.reader.context.lexicon.pronouns

    def page_or_disk(self, index: int, clause: Reading, used: Reading) -> Fork:
        """Ask whether something is on the page, or a file: what is done to a file stays done."""
        said = self.said(clause)
        ways = (
            self.way(index, f"{said} on this page", used),
            self.way(index, f"{said} on the disk", clause),
        )
        message = f"Is {said!r} meant on this page, or on the disk?"
        return Fork(self.span(clause), message, ways, polar=False)

    # One name, or two

    def one_or_two(self, index: int, clause: Reading) -> Fork:
        """Ask whether "Terms and Conditions" is one thing or two."""
        halves = [
            half for reading in clause.apart for half in reading.fit if half not in clause.fit
        ]
        _, at, end = next(filled for filled in clause.fit if filled not in clause.apart[0].fit)
        names = [self.reader.context.sentence.said(begin, stop) for _, begin, stop in halves]
        whole = self.reader.context.sentence.said(at, end)
        ways = (
            self.way(index, self.instead(clause, at, end, in_quotes(whole)), bare(clause)),
            self.way(
                index,
                self.instead(clause, at, end, " and ".join(map(in_quotes, names))),
                *clause.apart,
            ),
        )
        message = f"Is {whole!r} one thing, or are {names[0]!r} and {names[1]!r} two?"
        return Fork(self.span(clause), message, ways, polar=False)

    def instead(self, clause: Reading, at: int, end: int, words: str) -> str:
        """Give the words of a clause with others in the place of some."""
        text, toks = self.reader.context.sentence.text, self.reader.toks
        before = text[toks[clause.start].start : toks[at].start]
        return f"{before}{words}{text[toks[end - 1].end : toks[clause.end - 1].end]}"

    # Several things to do, each for an end of its own

    def alternatives(self, joints: Mapping[int, Piece]) -> Iterator[Fork]:
        """Ask which of "to save, click Save; to cancel, click Cancel" is meant."""
        groups = [0]
        for index in range(1, len(self.clauses) + 1):
            if index < len(self.clauses) and self.goes_on(index):
                continue
            if index < len(self.clauses) and self.is_alternative(index, joints):
                groups.append(index)
                continue
            if len(groups) > 1:
                yield self.one_of([*groups, index])
            groups = [index]

    def goes_on(self, index: int) -> bool:
        """Tell whether two clauses are one command: a path through menus, or a list."""
        return self.clauses[index - 1].start == self.clauses[index].start

    def is_alternative(self, index: int, joints: Mapping[int, Piece]) -> bool:
        """Tell whether two clauses that say to what end are not said to follow each other."""
        before, clause = self.clauses[index - 1], self.clauses[index]
        if not (isinstance(before, Reading) and isinstance(clause, Reading)):
            return False
        if not (before.purposed and clause.purposed) or before.negated or clause.negated:
            return False
        piece = piece_before(joints, clause.start)
        words = frozenset[str]() if piece is None else piece.words
        return "then" not in words and not self.is_told_to_follow(clause)

    def is_told_to_follow(self, clause: Reading) -> bool:
        """Tell whether "next" or "finally" stands before a clause."""
        toks = self.reader.toks
        start = piece_start(self.pieces, clause.start)
        order = self.reader.context.marks.following_on
        return bool(keys_of(toks[start : clause.start + 1]) & order)

    def one_of(self, bounds: Sequence[int]) -> Fork:
        """Ask which of several commands is to be done; or all, one after the other."""
        before, after = self.clauses[: bounds[0]], self.clauses[bounds[-1] :]
        groups = [self.clauses[first:end] for first, end in pairwise(bounds)]
        texts = [self.uncapitalised(group[0].start, group[-1].end) for group in groups]
        ways = [
            Way(text, (*before, *group, *after)) for text, group in zip(texts, groups, strict=True)
        ]
        ways.append(Way(", then ".join(texts), self.clauses))
        sentence = self.reader.context.sentence
        span = sentence.span(groups[0][0].start, groups[-1][-1].end)
        listed = " or ".join(repr(text) for text in texts)
        return Fork(span, f"Which is to be done: {listed}?", tuple(ways), polar=False)

    def uncapitalised(self, start: int, end: int) -> str:
        """Give words as they would stand within a sentence."""
        said = self.reader.context.sentence.said(start, end)
        begins = self.reader.toks[start]
        return said if begins.quoted is not None else said[0].lower() + said[1:]


def bare(clause: Reading) -> Reading:
    """Give a clause whose thing is one for sure."""
    return replace(clause, apart=(), one_name=True)


def piece_start(pieces: Sequence[Piece], at: int) -> int:
    """Give where the piece begins in which a token stands."""
    return max((piece.start for piece in pieces if piece.start <= at), default=at)


def reaches_on(clause: Reading) -> bool:
    """Tell whether a negation may go on behind its clause: "instead of X" does not."""
    return clause.negated and not clause.until_comma and bool(clause.frame.goal)


def is_press(clause: Clause) -> bool:
    return isinstance(clause, Reading) and clause.frame.goal == "browser.press"


def piece_before(joints: Mapping[int, Piece], start: int) -> Piece | None:
    """Find the piece that a clause begins in; noise may stand before the clause."""
    while start >= 0:
        if start in joints:
            return joints[start]
        start -= 1
    return None
