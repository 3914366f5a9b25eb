"""A joint inside a slot: a list ("Apples, Pears and Plums"), or a name ("Save and close").

A list becomes a clause for every member; so does a path through menus ("Settings > Privacy").
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from actors.interpreter.grammar.clauses import ClauseReader
from actors.interpreter.grammar.lexicon import Lexicon
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.readings import Clause, Reading, Span, parts_of
from actors.interpreter.grammar.sentence import Tok
from actors.interpreter.grammar.sharing import starts_of
from actors.interpreter.grammar.templates import Slot
from actors.language.words import is_plural, singular

MAX_MEMBER = 7
PAIR = 2
LISTS = frozenset({"list", "each"})


@dataclass(slots=True)
class Lists:
    """Tells lists from names, and makes clauses of their members."""

    reader: ClauseReader

    @property
    def toks(self) -> list[Tok]:
        return self.reader.toks

    @property
    def lexicon(self) -> Lexicon:
        return self.reader.context.lexicon

    def joined_slots(self, reading: Reading) -> list[int]:
        """Give the slots of a reading in which a joint stands."""
        return [
            index
            for index, (_, at, end) in enumerate(reading.fit)
            if len(parts_of(self.toks, at, end)) > 1
        ]

    def listed(self, whole: Reading) -> list[Clause] | None:
        """Read a joint inside a slot as a list, or as a name."""
        joined = self.joined_slots(whole)
        if len(joined) != 1:
            return None
        index = joined[0]
        slot, at, end = whole.fit[index]
        members = parts_of(self.toks, at, end)
        if not all(self.is_name_like(slot, begin, stop, at) for begin, stop in members):
            return None
        if slot.kind == "role" and self.is_between(members):
            return [whole]
        if slot.kind == "role" and self.counts_first(members):
            return None
        if slot.kind == "role" and (groups := self.groups(whole, members)) is not None:
            return list(self.each(whole, index, groups))
        if self.is_list(whole, slot, members):
            readings = self.each(whole, index, members)
            if not self.may_be_one_name(whole, slot, members):
                return list(readings)
            if self.reader.context.on_page:  # the page before the speaker tells which it is
                return [whole]
            return [replace(whole, apart=tuple(readings))]
        return [whole] if self.is_name(whole, slot, members) else None

    def is_between(self, members: list[Span]) -> bool:
        """Tell whether the joint belongs to a place: "the button between A and B"."""
        first = self.toks[slice(*members[0])]
        return len(members) == PAIR and any(
            token.key == "between" and token.quoted is None for token in first
        )

    def is_name_like(self, slot: Slot, at: int, end: int, begin: int) -> bool:
        """Tell whether words can be a member or part of a name, and no clause of their own."""
        toks = self.toks[at:end]
        if toks[0].quoted is None and toks[0].key in LITTLE.not_members and not toks[0].capital:
            return False
        if self.is_clause(at, end, begin):
            return False
        if any(token.quoted is not None for token in toks):
            return True
        if slot.type not in {"text", "thing"} and slot.kind != "role":
            return self.reader.context.slots.fits(slot, self.toks, at, end)
        first = toks[0].key
        if len(toks) == 1 and first in self.lexicon.describing and not toks[0].capital:
            return False  # "the first, third and fifth box": a box of its own each
        if at == begin or first in self.lexicon.articles or first in self.lexicon.relations:
            return True
        if any(token.key in LITTLE.referring for token in toks):
            return False
        verbal = len(toks) > 1 and toks[1].key in self.lexicon.articles and not toks[0].capital
        return not verbal and len(toks) <= MAX_MEMBER and not self.is_deed(at, end)

    def is_deed(self, at: int, end: int) -> bool:
        """Tell whether a page is to do something with a thing that is named: "archive Ada"."""
        first = self.toks[at]
        if end - at == 1 or first.capital or first.key not in LITTLE.doing:
            return False
        named = self.toks[at + 1]
        return self.reader.context.on_page and (named.capital or named.quoted is not None)

    def is_clause(self, at: int, end: int, begin: int) -> bool:
        """Tell whether a later part asks for something itself: "... and click Return items"."""
        first = self.toks[at]
        if at == begin or end - at == 1 or first.quoted is not None or first.capital:
            return False
        verbal = first.key in self.reader.context.marks.beginning
        return verbal and isinstance(self.reader.read(at, end), Reading)

    def is_name(self, whole: Reading, slot: Slot, members: list[Span]) -> bool:
        """Tell whether words with a joint may be one name, or one text."""
        joints = self.toks[members[0][0] : members[-1][1]]
        if any(token.key == "then" and token.quoted is None for token in joints):
            return False
        if slot.type == "text":
            return not self.holds_more(whole, members)
        if slot.kind != "role":
            return False
        clicked = whole.frame.many or whole.frame.joined == "name"
        return clicked or all(self.is_surely_name(at, end) for at, end in members[1:])

    def counts_first(self, members: list[Span]) -> bool:
        """Tell whether "Next twice and Back" stands here: so often is no part of a name."""
        repeating = self.reader.context.marks.repeating
        ends = [self.toks[end - 1] for at, end in members[:-1] if end - at > 1]
        return any(token.key in repeating and not token.capital for token in ends)

    def holds_more(self, whole: Reading, members: list[Span]) -> bool:
        """Tell whether a text seems to hold another set of slots: "20 and brightness to 30"."""
        if whole.template is None or len(whole.fit) < PAIR:
            return False
        separators = frozenset[str]().union(*whole.template.needs[1:])
        return any(
            token.key in separators and token.quoted is None
            for at, end in members[1:]
            for token in self.toks[at + 1 : end]
        )

    def is_surely_name(self, at: int, end: int) -> bool:
        """Tell whether words are a name for sure: quoted, capitalised, or with their kind."""
        if end - at > 1 and self.toks[at].key == "on":
            at += 1  # "then on the No link"
        token = self.toks[at]
        told = token.quoted is not None or token.capital or token.key in LITTLE.articles
        return told or self.lexicon.names_some_kind(self.toks[end - 1])

    def groups(self, whole: Reading, members: list[Span]) -> list[Span] | None:
        """Cut "Privacy and security, then Cookies" at its "then"; what is behind it is a name."""
        if not whole.frame.many or whole.negated:
            return None
        groups = [members[0]]
        for at, end in members[1:]:
            if "then" not in {self.toks[index].key for index in range(groups[-1][1], at)}:
                groups[-1] = (groups[-1][0], end)
            elif self.is_surely_name(at, end):
                groups.append((at, end))
            else:
                return None
        return groups if len(groups) > 1 else None

    # A list, or a name with "and" in it

    def is_list(self, whole: Reading, slot: Slot, members: list[Span]) -> bool:
        """Tell a list from a name with "and" in it."""
        if not whole.frame.many or whole.negated:
            return False
        if slot.type in {"app", "program"}:  # "open gimp and frobnicate" is no list
            return all(self.is_surely_program(at) for at, _ in members[1:])
        if slot.kind == "param":
            fits = self.reader.context.slots.fits
            fit = slot.type != "text" and all(fits(slot, self.toks, *each) for each in members)
            return fit and not self.may_end_in_deed(whole, slot, members)
        toks = self.toks
        if self.has_or(members) or self.goes_on(members) or self.are_related(members[0]):
            return False
        commas = any(toks[at].comma or toks[at - 1].comma for at, _ in members[1:])
        if all(any(t.quoted is not None for t in toks[at:end]) for at, end in members):
            return True
        if len(members) > PAIR:
            return commas or whole.frame.joined in LISTS
        if self.is_one_name(members):
            return False
        if whole.frame.joined in LISTS:
            short = all(end - at == 1 for at, end in members)
            return not commas or toks[members[1][0] - 1].key in LITTLE.joints or short
        return self.are_two_things(members)

    def may_end_in_deed(self, whole: Reading, slot: Slot, members: list[Span]) -> bool:
        """Tell whether "rm a.txt and archive" may ask for two things: the last is no file's name.

        What is made may have any name; so may what stands before its place, and among folders.
        """
        if slot.type != "entry" or members[-1][1] < whole.end:
            return False
        named = [self.toks[at].quoted or self.toks[at].key for at, _ in members]
        is_file = self.lexicon.is_file
        sure = is_file(named[-1]) or self.toks[members[-1][0]].quoted is not None
        return not sure and all(map(is_file, named[:-1]))

    def has_or(self, members: list[Span]) -> bool:
        """Tell whether one of several is meant, and not all of them."""
        between = self.toks[members[0][0] : members[-1][1]]
        return any(token.key == "or" and token.quoted is None for token in between)

    def goes_on(self, members: list[Span]) -> bool:
        """Tell whether a later part only says more: "the third item, below Fruits"."""
        relations = self.lexicon.relations
        return any(
            self.toks[at].key in relations and not self.toks[at].capital for at, _ in members[1:]
        )

    def are_related(self, first: Span) -> bool:
        """Tell whether kinds are told by others: "the boxes next to Bob and Ann" are both's."""
        at = next(starts_of(self.toks, *first))
        following = self.toks[at + 1] if at + 1 < first[1] else None
        return (
            following is not None
            and self.names_kinds(at)
            and following.key in self.lexicon.relations
            and following.key not in LITTLE.calling
        )

    def is_one_name(self, members: list[Span]) -> bool:
        """Tell whether a pair looks like one name: "Settings and sharing", "Click & Collect"."""
        (first, _), (second, _) = members
        toks = self.toks
        if toks[second - 1].key == "&" and toks[second].capital:
            return True
        if self.has_one_kind(members):
            return True
        turned = toks[first].capital and not toks[second].capital
        word = toks[second].key
        return turned and word.isalpha() and word not in self.lexicon.articles

    def has_one_kind(self, members: list[Span]) -> bool:
        """Tell whether a pair has one kind: "the Terms and Conditions box", "the tab A and B"."""
        (first, first_end), (second, second_end) = members
        if not self.toks[second].capital or self.toks[second].quoted is not None:
            return False
        in_front, behind = self.is_one_of_kind(first), self.is_one_of_kind(second_end - 1)
        if in_front and first_end - first > 1:
            return self.toks[first + 1].capital and not behind
        return behind and self.toks[first].capital and not self.is_one_of_kind(first_end - 1)

    def is_one_of_kind(self, index: int) -> bool:
        """Tell whether a word is a kind of things, in the singular."""
        token = self.toks[index]
        return (
            not token.capital and not is_plural(token.key) and self.lexicon.names_some_kind(token)
        )

    def may_be_one_name(self, whole: Reading, slot: Slot, members: list[Span]) -> bool:
        """Tell whether a pair may as well be one name: "Terms and Conditions"."""
        if slot.kind != "role" or len(members) != PAIR or not self.reader.context.names_in_capitals:
            return False
        if whole.frame.joined == "each":
            return False  # boxes are checked one by one: a name that is two comes to the same
        (first, first_end), (second, second_end) = members
        said = self.toks[first:second_end]
        if any(token.quoted is not None or token.parted for token in said[1:]):
            return False
        if not (said[0].capital and self.toks[second].capital) or said[0].quoted is not None:
            return False
        kinds = (self.toks[first_end - 1], self.toks[second_end - 1], said[0])
        if any(self.lexicon.names_some_kind(token) and not token.capital for token in kinds):
            return False
        return not self.is_announced(whole, slot, first)

    def is_announced(self, whole: Reading, slot: Slot, first: int) -> bool:
        """Tell whether several are asked for: "the options A and B", "from the Toys list"."""
        announced = first > whole.start and (
            self.names_kinds(first - 1)
            or self.toks[first - 1].key in LITTLE.before_members - LITTLE.articles
        )
        return announced or any(
            is_plural(token.key) and token.quoted is None
            for other, at, end in whole.fit
            if other is not slot and other.kind == "role"
            for token in self.toks[at:end]
        )

    def are_two_things(self, members: list[Span]) -> bool:
        """Tell whether a pair that is clicked is two things for sure."""
        second, stop = members[1]
        if self.toks[second].key in self.lexicon.articles:
            return True
        kinds = all(
            self.lexicon.has_kind("clickable", self.toks, *each)
            for each in (members[0], (second, stop))
        )
        return kinds and self.toks[second - 1].key in LITTLE.joints

    def is_surely_program(self, at: int) -> bool:
        token = self.toks[at]
        return token.quoted is not None or token.capital or token.key in self.lexicon.programs

    # Members

    def each(
        self, whole: Reading, index: int, members: list[Span], *, listed: bool = True
    ) -> list[Reading]:
        """Make a clause of every member of a list; a lead that says where goes with the first."""
        slot = whole.fit[index][0]
        trimmed = self.without_kinds(members) if listed and slot.kind == "role" else members
        readings: list[Reading] = []
        for number, (start, end) in enumerate(trimmed):
            # What follows the verb is the thing itself: "click the first box and the last box".
            at = self.reader.noise.skipped(start, end)[0] if number else start
            if end - at > 1 and self.toks[at].key == "on" and not self.toks[at].capital:
                at += 1  # "then on the No link"
            begin = next(starts_of(self.toks, at, end))
            last = self.reader.fitter.trimmed(slot, begin, end)
            fit = (*whole.fit[:index], (slot, begin, last), *whole.fit[index + 1 :])
            leads = whole.leads if number == 0 or whole.frame.lead else ()
            passed = (*whole.passed, (last, end)) if last < end else whole.passed
            readings.append(replace(whole, fit=fit, leads=leads, passed=passed))
        return readings

    def without_kinds(self, members: list[Span]) -> list[Span]:
        """Leave out "checkboxes" from "the checkboxes Red and Blue", and "both"."""
        (first, first_end), *middle, (last, last_end) = members
        while first_end - first > 1 and self.says_no_name(first, first_end):
            first += 1
        if last_end - last > 1 and self.names_kinds(last_end - 1):
            last_end -= 1
        return [(first, first_end), *middle, (last, last_end)]

    def says_no_name(self, at: int, end: int) -> bool:
        """Tell whether the first word of a list says nothing about its members."""
        key = self.toks[at].key
        if self.names_kinds(at) or key in LITTLE.before_members:
            return True
        return key in LITTLE.half_kinds and end - at > PAIR and self.names_kinds(at + 1)

    def names_kinds(self, index: int) -> bool:
        """Tell whether a word is the plural of a kind."""
        token = self.toks[index]
        if token.quoted is not None or not is_plural(token.key):
            return False
        known = self.lexicon.kinds["listed"]
        return singular(token.key) in known or token.key in known

    # Paths through menus

    def with_steps(self, clause: Clause) -> list[Clause]:
        """Make a clause of every step of "Settings > Privacy > Cookies"."""
        if isinstance(clause, Reading) and not clause.negated:
            for index, (slot, at, end) in enumerate(clause.fit):
                steps = steps_of(self.toks, at, end) if slot.kind == "role" else []
                if len(steps) > 1:
                    readings = self.each(clause, index, steps, listed=False)
                    return [*self.first_step(clause, steps[0][1], readings[0]), *readings[1:]]
        return [clause]

    def first_step(self, clause: Reading, end: int, step: Clause) -> list[Clause]:
        """Read what leads to the first step by itself: "go to a.org > About"."""
        first = self.reader.read(clause.start, end)
        if isinstance(first, Reading) and self.joined_slots(first):
            return self.listed(first) or [step]
        return [first or step]

    def has_steps(self, reading: Reading) -> bool:
        return any(len(steps_of(self.toks, at, end)) > 1 for _, at, end in reading.fit)


def steps_of(toks: Sequence[Tok], at: int, end: int) -> list[Span]:
    """Cut a path through menus at its arrows."""
    steps: list[Span] = []
    begin = at
    for index in range(at, end + 1):
        if index == end or (toks[index].key == ">" and toks[index].quoted is None):
            if index > begin:
                steps.append((begin, index))
            begin = index + 1
    return steps
