"""What restricts a deed: what is left out of it, which thing is meant, where that thing is.

Such words would change what is done, so they are never passed over. What is not to be done
restricts a deed unless it is another deed, or names another thing for sure. What is only told
restricts one if it tells which thing is meant, where it is, or that it stays.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from actors.interpreter.grammar.clauses import POINTED, ClauseReader
from actors.interpreter.grammar.context import Context, keys_of
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.readings import NO_GOAL, Clause, Nothing, Reading, Refusal
from actors.interpreter.grammar.sentence import Tok
from actors.language.words import fold, is_plural
from messages.rules import Rule

LEFT_OUT = "exceptions are not understood here"
ENTERED = 'where it is to be done is not understood; say "in the folder ..., ..."'
TOLD_APART = "which one is meant, or where it is, is not understood like this"
# Kinds of things on a page that hold others.
HOLDING = frozenset({"form", "table", "list"})


@dataclass(frozen=True, slots=True)
class Restrictions:
    """Finds the clauses of one sentence that restrict what another one asks for."""

    reader: ClauseReader
    clauses: Sequence[Clause]
    rules: Mapping[tuple[str, str], Rule]
    is_empty: Callable[[int, int], bool]

    @property
    def context(self) -> Context:
        return self.reader.context

    @property
    def toks(self) -> list[Tok]:
        return self.reader.toks

    def found(self) -> Refusal | None:
        """Find the first clause that restricts another."""
        if len(self.clauses) == 1:
            return None  # nearly always
        deeds = [each for each in self.clauses if isinstance(each, Reading) and not each.negated]
        if not deeds:
            return None
        if (entered := self.entered(deeds)) is not None:
            return Refusal(entered.start, entered.end, ENTERED)
        for clause in self.clauses:
            if isinstance(clause, Nothing):
                reason = self.reason_of_told(clause, deeds)
            elif isinstance(clause, Reading) and clause.negated:
                reason = LEFT_OUT if self.leaves_out(clause, deeds) else ""
            else:
                continue
            if reason:
                return Refusal(clause.start, clause.end, reason)
        return None

    def entered(self, deeds: Sequence[Reading]) -> Reading | None:
        """Find "go into docs" before a deed on files: where no page is, it may say where."""
        first = deeds[0]
        if self.context.on_page or not self.may_enter(first):
            return None
        filed = any(
            (deed.frame.placed or deed.frame.placed_source)
            and not (deed.places or deed.frame.takes or self.observes(deed))
            for deed in deeds[1:]
        )
        return first if filed else None

    def may_enter(self, first: Reading) -> bool:
        """Tell whether a clause that is read otherwise may say to go into a folder."""
        if goals_of(first) == {"file.list"}:
            return bool(first.fit and first.places)
        programs, toks = self.context.lexicon.programs, self.toks
        return any(
            slot.type == "nofolder"
            or (slot.type in {"app", "program"} and toks[at].key not in programs)
            or (len(first.fit) == 1 and toks[first.start].key == "enter" and end - at == 1)
            for slot, at, end in first.fit
            if toks[at].quoted is None
        )

    # What is not to be done

    def leaves_out(self, negated: Reading, deeds: Sequence[Reading]) -> bool:
        """Tell whether something that is not to be done may be a part of what is."""
        if negated.frame is NO_GOAL:
            return not self.is_contrast(negated, deeds)
        if is_on_page(negated) and not any(map(is_on_page, deeds)):
            return True  # "don't touch plan.txt" is said of files, if nothing else is of a page
        return any(self.may_be_part(negated, deed) for deed in deeds)

    def is_contrast(self, negated: Reading, deeds: Sequence[Reading]) -> bool:
        """Tell "the Next button, not the Cancel button": two things on a page, both told."""
        before = [deed for deed in deeds if deed.start < negated.start]
        deed = before[-1] if before else deeds[0]
        if not is_on_page(deed) or self.observes(deed) or self.takes_several(deed):
            return False
        at = negated.start + self.context.table.negation.length_at(
            self.toks, negated.start, negated.end
        )
        first = self.toks[at]
        if first.verb:
            return True  # "without agreeing" is another deed
        named = first.quoted is not None or first.capital or first.key in LITTLE.articles
        said = self.words(at, negated.end)
        return named and self.is_told(deed) and not any(said in self.things(each) for each in deeds)

    def is_told(self, deed: Reading) -> bool:
        """Tell whether a thing on a page is told apart by its name or its place in a row."""
        describing = self.context.lexicon.describing
        return any(
            token.quoted is not None or token.capital or token.key in describing
            for _, at, end in deed.fit
            for token in self.toks[at:end]
        )

    def may_be_part(self, negated: Reading, deed: Reading) -> bool:
        """Tell whether one deed that is not to be done may concern another that is."""
        if self.observes(deed) and self.observes(negated):
            return True
        if domain_of(deed) != domain_of(negated):
            return False
        same = not goals_of(deed).isdisjoint(goals_of(negated))
        if deed.words is not None or negated.words is not None:
            return same  # what is only described may be the same thing
        match domain_of(deed):
            case "file":
                return self.may_hold(deed, negated, same=same)
            case "browser":
                pointed = goals_of(deed) <= POINTED and goals_of(negated) <= POINTED
                several = (same or pointed) and self.takes_several(deed)
                return several or (same and self.is_same(deed, negated))
            case "app":
                return same and (self.takes_several(deed) or self.is_same(deed, negated))
            case _:
                return same or self.says_number(negated)

    def may_hold(self, deed: Reading, negated: Reading, *, same: bool) -> bool:
        """Tell whether what is done to a file or folder is done to what is not to be touched."""
        if same and self.is_same(deed, negated):
            return True
        if not self.changes(deed) or goals_of(deed) == {"file.create"}:
            return False
        is_file = self.context.lexicon.is_file
        return not all(is_file(name) and "/" not in name for name in self.things(deed)[:1])

    def is_same(self, deed: Reading, negated: Reading) -> bool:
        """Tell whether two deeds are about the same thing, or one that cannot be told apart."""
        things, others = self.things(deed), self.things(negated)
        if not things or not others:
            return True
        known = self.context.lexicon.pronouns | LITTLE.referring
        return others[0] in known or things[0] == others[0]

    def things(self, reading: Reading) -> list[str]:
        """Give the words of a clause for things, as they are compared; what it changes first."""
        found = [fit for fit in reading.fit if fit[0].kind == "role"]
        found = found or [fit for fit in reading.fit if fit[0].name in {"name", "to"}]
        return [self.words(at, end) for _, at, end in found]

    def words(self, at: int, end: int) -> str:
        """Give words as they are compared, without an article in front."""
        while end - at > 1 and self.context.lexicon.is_article(self.toks[at]):
            at += 1
        return fold(self.context.spoken(at, end))

    def says_number(self, reading: Reading) -> bool:
        """Tell whether a range has a number in it: "but not over 50"."""
        numbers = self.context.lexicon.numbers
        said = keys_of(self.toks[reading.start : reading.end])
        return any(numbers.get(word, 0) > 1 or word.rstrip("%").isdecimal() for word in said)

    def observes(self, reading: Reading) -> bool:
        """Tell whether a clause asks for something to be shown."""
        return any(
            rule is not None and rule.action_class == "observe" for rule in self.all(reading)
        )

    def changes(self, reading: Reading) -> bool:
        return any(rule is None or bool(rule.changes) for rule in self.all(reading))

    def all(self, reading: Reading) -> list[Rule | None]:
        goals = (goal.partition(".") for goal in goals_of(reading))
        return [self.rules.get((domain, verb)) for domain, _, verb in goals]

    def takes_several(self, reading: Reading) -> bool:
        """Tell whether a clause is about several things, or one that holds others."""
        toks = self.toks[reading.start : reading.end]
        many = LITTLE.quantifying | self.context.marks.counting
        if keys_of(toks) & many:
            return True
        targets = [(at, end) for slot, at, end in reading.fit if slot.kind == "role"][:1]
        return any(self.is_several(at, end) for at, end in targets)

    def is_several(self, at: int, end: int) -> bool:
        """Tell whether words for a thing, up to what it is related to, stand for several."""
        relations, kinds = self.context.lexicon.relations | {"of"}, self.context.lexicon.kinds
        head: list[str] = []
        for token in self.toks[at:end]:
            if token.key in relations and head:
                break
            if token.quoted is None and not token.capital and token.key.isalpha():
                head.append(token.key)
        holding = any(word in kinds[kind] for word in head[-1:] for kind in HOLDING)
        return holding or any(is_plural(word) for word in head)

    # What is only told

    def reason_of_told(self, clause: Nothing, deeds: Sequence[Reading]) -> str:
        """Say why a clause that asks for nothing is not passed over, if it restricts a deed."""
        at, end = clause.start, clause.end
        if self.is_empty(at, end):
            return ""
        said = keys_of(self.toks[at:end])
        on_page = all(map(is_on_page, deeds))
        if said & LITTLE.keeping and (not on_page or any(map(self.takes_several, deeds))):
            return LEFT_OUT
        if self.stands_for_one(at, end) or (not on_page and self.is_appended(at, end)):
            return TOLD_APART
        filed = any(domain_of(deed) == "file" for deed in deeds)
        return TOLD_APART if filed and self.speaks_of_files(at, end) else ""

    def stands_for_one(self, at: int, end: int) -> bool:
        """Tell whether "the one in docs" stands here."""
        near = [token.key for token in self.toks[at : min(end, at + 4)]]
        return any(
            word in LITTLE.pointing and following in LITTLE.standing_for
            for word, following in pairwise(near)
        )

    def is_appended(self, at: int, end: int) -> bool:
        """Tell whether words say more of a thing: "which is old", "the file of last week"."""
        first, being = self.toks[at], self.context.marks.being
        if first.key == "which":
            return True
        pointing = first.key in LITTLE.pointing and first.comma
        return pointing and keys_of(self.toks[at:end]).isdisjoint(being)

    def speaks_of_files(self, at: int, end: int) -> bool:
        """Tell whether words name a file, a folder, a drive or a place; or head what follows."""
        lexicon, toks = self.context.lexicon, self.toks
        said = keys_of(toks[at:end])
        known = LITTLE.filed | LITTLE.folders | lexicon.anchors | {"drive"}
        if said & known or any(lexicon.is_file(word) or "/" in word for word in said):
            return True
        places = self.context.table.places
        if any(toks[index].key in places and self.is_place(index, end) for index in range(at, end)):
            return True
        return self.heads(at, end)

    def is_place(self, at: int, end: int) -> bool:
        return any(self.reader.placer.place_of(at, stop) for stop in range(at + 1, end + 1))

    def heads(self, at: int, end: int) -> bool:
        """Tell whether a name stands before a colon: "docs: delete a.txt" may say where."""
        if end >= len(self.toks) or not self.toks[end].colon:
            return False
        if self.toks[at].key in LITTLE.placing:
            return True
        if self.toks[at].capital:
            return False  # "Practice: delete a.txt"
        phrases = self.context.table.phrases
        headings = phrases.outcomes.known | phrases.parts.known | self.context.table.noise_words
        return keys_of(self.toks[at:end]).isdisjoint(headings)


def goals_of(reading: Reading) -> frozenset[str]:
    return frozenset(reading.frame.all_goals())


def domain_of(reading: Reading) -> str:
    return reading.frame.all_goals()[0].partition(".")[0]


def is_on_page(reading: Reading) -> bool:
    return all(goal.startswith("browser.") for goal in reading.frame.all_goals())
