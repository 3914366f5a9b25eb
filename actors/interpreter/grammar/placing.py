"""Where a goal about files belongs: a place said at the end of a clause, or in its middle."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from actors.interpreter.grammar.context import Context
from actors.interpreter.grammar.fitting import Fitter
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.readings import Reading, Refusal, Scoped
from actors.interpreter.grammar.sentence import Tok
from actors.interpreter.grammar.templates import Matcher


@dataclass(slots=True)
class Placer:
    """Reads phrases of place, and clauses with a place taken out of them."""

    context: Context
    toks: list[Tok]
    fitter: Fitter

    def place_of(self, start: int, end: int) -> Scoped | None:
        """Read words as a phrase of place, if they are one; a site is none."""
        if self.toks[end - 1].key in self.context.lexicon.sites:
            return None
        for template, place in self.context.table.places.get(self.toks[start].key, ()):
            self.context.effort.spend()
            fits = Matcher(template, self.context.slots, self.toks, end).match(start)
            if fits:
                names = [(slot.name, self.context.spoken(at, to)) for slot, at, to in fits[0]]
                return Scoped(place.scope, tuple(names))
        return None

    def placed(self, start: int, end: int) -> Reading | None:
        """Read a clause about files with its place at its end, or in its middle."""
        if self.toks[start].key not in self.context.table.placed_openers:
            return None
        places = self.context.table.places
        for at in range(start + 1, end):
            token = self.toks[at]
            if token.key not in places or token.quoted is not None:
                continue
            for stop in self.ends(at, end):
                place = self.place_of(at, stop)
                reading = None if place is None else self.around(start, at, stop, end)
                if place is not None and reading is not None:
                    return replace(reading, places=(place, *reading.places), end=end)
        return None

    def ends(self, at: int, end: int) -> Iterator[int]:
        """Give where a place may end: with the clause, or before what a thing is called."""
        yield end
        yield from (
            stop for stop in range(at + 2, end) if self.toks[stop].key in LITTLE.after_place
        )

    def around(self, start: int, at: int, stop: int, end: int) -> Reading | None:
        """Read a clause with a place taken out of it."""
        if stop == end:
            found = self.fitter.by_frame(start, at, placed=True)
        else:
            found = self.without(start, at, stop, end)
        if not isinstance(found, Reading) or self.ends_in_free_text(found):
            return None
        if found.frame.placed_source and stop == end and self.toks[at].key != "from":
            return None  # "to b in c": which of them is in c?
        return found

    def without(self, start: int, at: int, stop: int, end: int) -> Reading | Refusal | None:
        """Read the tokens before and after a place as one clause."""
        rest = [*self.toks[:at], *self.toks[stop:]]
        shift = stop - at
        found = Fitter(self.context.over(rest), rest).by_frame(start, end - shift, placed=True)
        if not isinstance(found, Reading):
            return found
        moved = [
            (slot, first + shift * (first >= at), last + shift * (last > at))
            for slot, first, last in found.fit
        ]
        return replace(found, fit=tuple(moved))

    def ends_in_free_text(self, reading: Reading) -> bool:
        """Tell whether a clause ends in words of its own: then a place after them may be theirs."""
        if not reading.fit:
            return False
        slot, at, end = reading.fit[-1]
        return slot.name == "content" and not (end - at == 1 and self.toks[at].quoted is not None)
