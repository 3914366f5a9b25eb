"""Words in front of the verb: "In the top left, click Compose", "To delete it, click Trash"."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from actors.interpreter.grammar.context import Context
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.readings import Clause, Reading, Refusal, Scoped
from actors.interpreter.grammar.sentence import Tok
from actors.interpreter.grammar.things import fits_label, fits_thing

MAX_COMMAS = 3
MAX_VERBS = 8
SHORTEST = 2


@dataclass(slots=True)
class Leads:
    """Reads clauses with words in front; ``reading`` and ``bare`` read what follows them."""

    context: Context
    toks: list[Tok]
    reading: Callable[[int, int], Clause | None]
    bare: Callable[[int, int], Clause | None]
    place_of: Callable[[int, int], Scoped | None]

    def may_begin(self, start: int) -> bool:
        """Tell whether words in front of a verb may begin here; "On sale" in a list is a name."""
        token = self.toks[start]
        if token.quoted is not None or token.key not in self.context.marks.leads:
            return False
        return not self.context.begins_name(start)

    def led(self, start: int, end: int) -> Clause | None:
        """Read a clause behind its lead; a purpose is left out, a place is kept."""
        purpose = self.is_purpose(start)
        for verb in self.verbs_after(start, end):
            if purpose and self.place_of(start, verb) is not None:
                purpose = False  # "to drive D, ..."
            if purpose and not (self.toks[verb].comma or self.toks[verb - 1].key == "you"):
                continue
            if purpose and self.holds_clause(start, verb):
                break
            found = self.behind(start, verb, end, purpose=purpose)
            if isinstance(found, Refusal):
                return found
            if not isinstance(found, Reading) or found.negated:
                continue
            if purpose:
                return passing(found, start, verb, purposed=True)
            if (led := self.with_lead(found, start, verb)) is not None:
                return led
        return None

    def holds_clause(self, start: int, verb: int) -> bool:
        """Tell whether a clause begins in words in front: "To save, click Save, or ..."."""
        beginning = self.context.marks.beginning
        return any(
            token.comma and token.quoted is None and token.key in beginning
            for token in self.toks[start + 1 : verb]
        )

    def behind(self, start: int, verb: int, end: int, *, purpose: bool) -> Clause | None:
        """Read what follows; where the lead is a field, "type X at 9" need not name another."""
        self.context.effort.spend()
        found = self.reading(verb, end)
        if purpose or self.names_field(found) or not self.is_field(self.words(start, verb), verb):
            return found
        return self.bare(verb, end) or found

    def names_field(self, clause: Clause | None) -> bool:
        """Tell whether a clause names the field it is about itself."""
        return isinstance(clause, Reading) and any(
            slot.kind == "role" and self.is_field(at, end) for slot, at, end in clause.fit
        )

    def is_field(self, at: int, end: int) -> bool:
        lexicon = self.context.lexicon
        return (
            lexicon.has_kind("field", self.toks, at, end)
            or lexicon.has_kind("box", self.toks, at, end)
            or fits_label(lexicon, self.toks, at, end)
        )

    def verbs_after(self, start: int, end: int) -> Iterator[int]:
        """Give where the verb may stand: behind "you" or a comma, then at any word that opens."""
        frames = self.context.table.frames
        if self.is_purpose(start):
            yield from (
                at
                for at in range(start + 2, end - 1)
                if self.toks[at - 1].key == "you" and self.toks[at].key in frames
            )
        apart = [
            at
            for at in range(start + 1, end)
            if self.toks[at].comma or (self.toks[at].colon and at > start + 1)
        ]
        yield from apart[:MAX_COMMAS]
        opening = [
            at
            for at in range(start + 2, end - 1)
            if self.toks[at].key in frames
            and self.toks[at].quoted is None
            and not self.toks[at].capital
            and at not in apart
            and self.toks[at - 1].key not in LITTLE.joining
        ]
        yield from opening[:MAX_VERBS]

    def is_purpose(self, start: int) -> bool:
        """Tell whether "To delete it" stands here, not "To the left of it"."""
        following = self.toks[start + 1] if start + 1 < len(self.toks) else self.toks[start]
        if self.toks[start].key == "in":
            return following.key == "order"
        articles = self.context.lexicon.articles
        return (
            self.toks[start].key == "to"
            and following.quoted is None
            and following.key not in articles
        )

    def with_lead(self, reading: Reading, start: int, verb: int) -> Reading | None:
        """Give a clause its lead, if it can have one."""
        frame = reading.frame
        if (frame.placed or frame.placed_source) and (place := self.place_of(start, verb)):
            places = (*reading.places, place)
            return replace(reading, start=start, places=places, led_by_place=True)
        on_page = all(goal.startswith("browser.") for goal in frame.all_goals())
        has_role = any(slot.kind == "role" for slot, _, _ in reading.fit)
        if reading.words is not None or not on_page or not (has_role or frame.lead):
            return None
        relation = self.toks[start].key
        if reading.template is None and relation in LITTLE.means:
            return None
        if relation in LITTLE.circumstance and not (relation == "as" and frame.lead):
            return passing(reading, start, verb)
        at = self.words(start, verb)
        if self.toks[at].key in LITTLE.quantifying and relation == "for":
            return None  # nothing is done for each of several things by one command
        if not fits_thing(self.context.lexicon, self.toks, at, verb):
            return None
        while verb - start > SHORTEST and self.toks[verb - 1].key in LITTLE.polite:
            verb -= 1
        led = replace(reading, start=start, leads=(*reading.leads, (start, verb)))
        if frame.lead is None and not self.says_which(start):
            return passing(led, start, verb, purposed=True)  # "For help, click Support"
        return led

    def words(self, start: int, verb: int) -> int:
        """Give where the thing begins in a lead: behind its relation and its article."""
        at = start + 1
        second = self.toks[at].key if at < verb else ""
        if (self.toks[start].key, second) in LITTLE.two_words:
            at += 1
        if at < verb - 1 and self.toks[at].quoted is None and self.toks[at].key in LITTLE.articles:
            at += 1
        return min(at, verb - 1)

    def says_which(self, start: int) -> bool:
        """Tell "For the first item" from "For help": only a thing that is told says which one."""
        if self.toks[start].key != "for":
            return True
        first = self.toks[start + 1]
        if first.quoted is not None or first.capital:
            return True
        return first.key in LITTLE.pointing or first.key in LITTLE.counted

    def is_positional(self, start: int, verb: int) -> bool:
        """Tell whether a lead says where on the page something is, not what it is in."""
        relation = self.toks[start].key
        if relation in LITTLE.never_where:
            return False
        if relation not in self.context.marks.containing:
            return True
        at = self.words(start, verb)
        if self.context.lexicon.has_kind("dropdown", self.toks, at, verb):
            return False
        positional = self.context.marks.positional
        return any(token.quoted is None and token.key in positional for token in self.toks[at:verb])


def passing(reading: Reading, start: int, verb: int, *, purposed: bool = False) -> Reading:
    """Give a clause with words in front that no goal has: what it is done for, or with."""
    passed = (*reading.passed, (start, verb))
    return replace(reading, start=start, purposed=purposed or reading.purposed, passed=passed)
