"""What is understood well enough to be refused, and what asks for nothing at all.

Schedules and conditions are refused by name. Statements ("A new window opens.") are passed over,
unless they could take something back or hold something to do.
"""

from collections.abc import Callable
from dataclasses import dataclass

from actors.interpreter.grammar.context import Context, keys_of
from actors.interpreter.grammar.little import LITTLE
from actors.interpreter.grammar.sentence import HARD, Tok
from actors.interpreter.grammar.templates import Matcher
from actors.interpreter.grammar.values import DATE

MAX_GREETING = 3
SHORTEST_STATEMENT = 3
LONGEST_SCHEDULE = 5


@dataclass(slots=True)
class Schedules:
    """Finds "every monday", "at 5 pm", "in ten minutes"."""

    context: Context
    toks: list[Tok]
    ends_name: Callable[[int, int], bool]

    def found(self, start: int, end: int, is_clause: Callable[[int, int], bool]) -> int | None:
        """Say where a schedule stands, before a clause or behind one; None if there is none."""
        length = 0 if self.context.begins_name(start) else self.length_at(start, end)
        if any(self.context.is_capital(at) for at in range(start + 1, start + length)):
            length = 0  # "In the Night meter card"
        if length and start + length < end:
            return start
        for at in range(start + 1, end):
            if self.toks[at].key not in self.context.table.schedule_words:
                continue
            self.context.effort.spend()
            length = 0 if self.context.is_capital(at) else self.length_at(at, end)
            if not length or self.belongs_to_name(at - 1):
                continue
            if length == 1 and self.ends_name(start, at + 1):
                continue  # "Remind me later"
            while at + length < end and (more := self.length_at(at + length, end)):
                length += more
            if at + length == end and is_clause(start, at):
                return at
        return None

    def belongs_to_name(self, at: int) -> bool:
        """Tell whether what follows belongs to a date or a name: "5 March at noon"."""
        key = self.toks[at].key
        dated = DATE.fullmatch(key) or key in self.context.lexicon.months or key.isdecimal()
        return bool(dated) or key in self.context.marks.unending

    def length_at(self, at: int, end: int) -> int:
        """Give the length of a schedule that stands here."""
        token = self.toks[at]
        if token.quoted is not None or token.key not in self.context.table.schedule_words:
            return 0
        if length := self.context.table.schedules.length_at(self.toks, at, end):
            return length
        near = self.toks[at : min(at + LONGEST_SCHEDULE, end)]
        return self.pattern([each.key if each.quoted is None else '"' for each in near])

    def pattern(self, words: list[str]) -> int:
        days, months = self.context.table.phrases.refused.days, self.context.lexicon.months
        match words:
            case ["every" | "each", day, *_] if day in days:
                return 2
            case ["every" | "each", _, day, *_] if self.is_span(day):
                return 3
            case ["on", day, *_] if day.endswith(("day", "days")) and day in months | days:
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
        return word.isdecimal() or word in LITTLE.articles or word in self.context.lexicon.numbers

    def is_span(self, word: str) -> bool:
        days, units = self.context.table.phrases.refused.days, self.context.lexicon.units
        return word in days or word.removesuffix("s") in days or word in units


@dataclass(slots=True)
class Statements:
    """Finds sentences that ask for nothing; ``is_clause`` tells whether one would act after all."""

    context: Context
    toks: list[Tok]
    is_clause: Callable[[int, int], bool]

    def found(self, start: int, end: int) -> bool:
        """Tell whether a range only tells something."""
        told = self.toks[start].key in self.context.marks.telling
        if told and not self.begins(start):
            return False  # "... and the end date to 3 May": it goes on, and tells nothing
        if not self.is_put_so(start, end) and not self.is_told(start, end):
            return False
        if keys_of(self.toks[start:end]) & self.context.marks.taking_back or self.asks(start, end):
            return False
        return not self.is_clause(start, end)

    def begins(self, start: int) -> bool:
        """Tell whether a sentence begins here, or something apart from what was said."""
        token, before = self.toks[start], self.toks[start - 1].key if start else ""
        if token.parted == HARD or start <= MAX_GREETING:
            return True
        return (token.comma and before != "and") or before == "whereupon"

    def is_put_so(self, start: int, end: int) -> bool:
        """Tell whether a range fits a statement of the table."""
        templates = self.context.table.statements.get(self.toks[start].key, ())
        return any(
            Matcher(template, self.context.slots, self.toks, end).match(start)
            for template in templates
        )

    def is_told(self, start: int, end: int) -> bool:
        """Tell whether a sentence begins like none that asks for something: "The header blinks"."""
        first = self.toks[start]
        if first.key not in self.context.marks.telling or end - start < SHORTEST_STATEMENT:
            return False
        whole = end == len(self.toks) or self.toks[end].parted == HARD
        return whole and (
            any(
                token.quoted is None
                and (token.key in self.context.marks.being or token.key.endswith(("s", "ed")))
                for token in self.toks[start + 2 : end]
            )
        )

    def asks(self, start: int, end: int) -> bool:
        """Tell whether something to do seems to be in a statement: "... ask you to mute it"."""
        return any(
            token.key in self.context.marks.beginning
            and token.quoted is None
            and self.toks[at - 1].key in self.context.marks.urging
            for at, token in enumerate(self.toks[start + 1 : end], start + 1)
        )
