"""What the words of a question mean among some records: columns, values, bounds, the things.

Words are read from left to right, the longest saying first. Every word is accounted for, or noted
as unknown: then these records cannot answer.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from actors.language.amounts import Amount, day_words, read_amount
from actors.language.file_words import counts
from actors.language.kinship import alike, forms_of, is_kin
from actors.language.questions import Question, question_words
from actors.language.words import fold, key_of, singular
from actors.target_resolver.page.columns import Columns
from actors.target_resolver.page.records import Cell, Record, RecordSet

LONGEST_SAYING = 4
YEAR = re.compile(r"\b\d{4}\b")
ENDS_OF_NO_SAYING = frozenset({"the", "a", "an", "'s"})


@dataclass(frozen=True)
class Filter:
    """What records must say: words in one cell, a tick in a column, or a bound of an amount."""

    words: tuple[str, ...] = ()
    column: str = ""
    negated: bool = False
    exact: bool = False
    bound: str = ""
    amount: Amount | None = None


@dataclass
class Reading:
    """The words of a question as one set of records understands them."""

    records: RecordSet
    filters: list[Filter] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    named: bool = False
    head: str = ""  # the column that its first word names
    flags: list[str] = field(default_factory=list)
    ends_light: bool = False  # its last word is a verb that says nothing of itself
    verbs: list[str] = field(default_factory=list)  # of the unknown, those that can only be verbs
    noun: str = ""  # the word for the things, where the page has another or none


def read_words(question: Question, records: RecordSet) -> Reading:
    """Find out what each word of a question means among these records."""
    reader = WordReader(question, records, Reading(records))
    reader.read()
    return reader.reading


@dataclass
class WordReader:
    """Reads the words of a question from left to right, the longest saying first."""

    question: Question
    records: RecordSet
    reading: Reading
    at: int = 0
    negated: bool = False
    last_read: int = -1  # where the last column was said

    @cached_property
    def columns(self) -> Columns:
        return Columns(self.records)

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(part for word in self.question.words for part in self.parts_of(word))

    def parts_of(self, word: str) -> Iterator[str]:
        """Part "two-bedroom", unless some record says it so; numbers become figures."""
        if "-" in word and word[0].isalpha() and not self.is_value(key_words(word)):
            yield from (str(counts().get(part, part)) for part in word.split("-"))
            return
        is_number = word in counts() and word != "one" and not self.is_value((word,))
        yield str(counts()[word]) if is_number else word

    def read(self) -> None:
        table = question_words()
        while self.at < len(self.words):
            if self.read_bound() or self.read_negation() or self.read_left() or self.read_span():
                continue
            if self.is_bound_word():
                self.reading.unknown.append(self.words[self.at])
                self.at += 1
                continue
            if not any(self.read_saying(length) for length in range(LONGEST_SAYING, 0, -1)):
                self.read_single()
        if self.negated:
            self.reading.unknown.append("not")
        last = self.words[-1] if self.words else ""
        self.reading.ends_light = any(form in table.light for form in forms_of(last))

    def is_first(self) -> bool:
        """Tell whether no word before this one names anything."""
        idle = question_words().function | question_words().filler
        return all(word in idle for word in self.words[: self.at])

    def read_negation(self) -> bool:
        word = self.words[self.at]
        if word not in question_words().negations:
            return False
        self.negated = True
        self.at += 1
        return True

    def read_left(self) -> bool:
        """Read "out of stock" and "available" where a column says how many there are."""
        table = question_words()
        for sayings, bound in ((table.none_left, "empty"), (table.some_left, "some")):
            for saying in sayings:
                length = len(saying.split())
                said = self.words[self.at : self.at + length]
                if said != tuple(saying.split()) or self.is_value(key_words(saying)):
                    continue
                left = [each for each in self.columns.named_so(table.left) if self.is_counted(each)]
                if len(set(left)) == 1 and self.columns.called(said) is None:
                    flipped = {"empty": "some", "some": "empty"}[bound]
                    chosen = flipped if self.negated else bound
                    self.reading.filters.append(Filter((), left[0], bound=chosen))
                    self.negated = False
                    self.at += length
                    return True
        return False

    def is_counted(self, column: str) -> bool:
        return self.columns.kind(column) == "number"

    def read_span(self) -> bool:
        """Read "a night" and "per month" where the page says so of its prices."""
        said = self.words[self.at : self.at + 2]
        if len(said) < len(("a", "night")) or said[0] not in {"a", "per", "each", "every"}:
            return False
        if said[1] not in question_words().spans or self.columns.called(said[1:]) is not None:
            return False
        texts = (fold(f"{cell.column} {cell.text}") for cell in self.all_cells())
        if not any(said[1] in text or said[1][:2] in text.split("/")[-1] for text in texts):
            return False
        self.at += 2
        return True

    def all_cells(self) -> Iterator[Cell]:
        return (cell for record in self.records.records for cell in record.cells)

    # Bounds

    def read_bound(self) -> bool:
        """Read "more than 20 euros", "before noon", "10 or more"."""
        behind = " ".join(self.words[self.at + 1 : self.at + 3])
        bound = question_words().bounds_behind.get(behind)
        if self.words[self.at][:1].isdigit() and bound is not None:
            return self.read_limit(bound, "", self.at, len(behind.split()))
        for bound, sayings in question_words().bounds.items():
            for saying in sayings:
                parts = tuple(saying.split())
                end = self.at + len(parts)
                if self.words[self.at : end] != parts or end >= len(self.words):
                    continue
                if self.read_limit(bound, parts[0], end):
                    return True
        return False

    def is_bound_word(self) -> bool:
        """Tell whether a bound is said here that was not understood: it is not passed over."""
        return any(
            self.words[self.at : self.at + len(saying.split())] == tuple(saying.split())
            for sayings in question_words().bounds.values()
            for saying in sayings
            if saying not in question_words().function | {"by", "from"}
        )

    def read_limit(self, bound: str, lead: str, end: int, behind: int = 0) -> bool:
        """Read the amount that a bound is of, and find the column that it is about."""
        end += self.words[end] in {"the", "a"} and end + 1 < len(self.words)
        amount, width = self.amount_at(end)
        if amount is None or (amount.kind == "day" and not self.says_year(end)):
            return False
        after = end + width + behind
        unit = self.words[after] if after < len(self.words) else ""
        column = self.bounded_column(amount, lead, unit)
        if column is None:
            return False
        is_used = self.is_unit(unit) or self.is_column_word(unit, column)
        self.reading.filters.append(Filter((), column, bound=bound, amount=amount))
        self.at = after + (is_used or self.is_unit_of(unit, column))
        return True

    def amount_at(self, at: int) -> tuple[Amount | None, int]:
        """Give the amount that is said at a place, and how many words it takes: "5 pm", "noon"."""
        if (hour := NAMED_HOURS.get(self.words[at])) is not None:
            return hour, 1
        if self.words[at] in {"million", "thousand"}:
            return Amount("number", float(SCALES[self.words[at]])), 1
        if not any(any(map(str.isdigit, part)) for part in self.words[at : at + 2]):
            return None, 0
        width = self.width_of(at)
        amount = read_amount(" ".join(self.words[at : at + width]))
        scale = self.words[at + width] if at + width < len(self.words) else ""
        if amount is not None and scale in SCALES:
            return Amount(amount.kind, amount.value * SCALES[scale], amount.sign), width + 1
        return amount, width

    def says_year(self, end: int) -> bool:
        return any(YEAR.search(word) is not None for word in self.words[end : end + 3])

    def width_of(self, end: int) -> int:
        """Give how many words an amount takes: "5 pm", "1 june"."""
        for width in (3, 2, 1):
            said = " ".join(self.words[end : end + width])
            if len(self.words) >= end + width and is_whole_amount(said):
                return width
        return 1

    def is_unit(self, word: str) -> bool:
        return any(word in words for words in question_words().units.values())

    def is_unit_of(self, word: str, column: str) -> bool:
        """Tell whether the cells of a column have this unit: "100 m²", "45 minutes"."""
        if not word:
            return False
        if word in LENGTHS and self.columns.kind(column) == "length":
            return True
        return any(
            singular(word) in map(singular, fold(cell.text).split())
            for cell in self.columns.cells(column)
        )

    def is_column_word(self, word: str, column: str) -> bool:
        return bool(word) and self.columns.meant_by(word) == column

    def bounded_column(self, amount: Amount, lead: str, unit: str) -> str | None:
        """Find the column that a bound is about: said before or behind it, or the only one."""
        columns, table = self.columns, question_words()
        if self.reading.columns:
            last = self.reading.columns[-1]
            if columns.kind(last) in {amount.kind, "money", "share"}:
                self.reading.columns.pop()
                return last
        names = table.measures.get(lead, ())
        for column in (*columns.named_so(names), columns.meant_by(unit) if unit else None):
            if column is not None and columns.has_amounts(column):
                return column
        sign = next((sign for sign, words in table.units.items() if unit in words), "")
        kind = "money" if (sign and sign != "%") or amount.kind == "money" else amount.kind
        kind = "share" if sign == "%" else kind
        if sign and sign != "%" and not self.is_in_currency(sign):
            return None
        if unit in LENGTHS:
            kind = "length"
        fits = [each for each in columns.names if columns.kind(each) == kind]
        if kind == "number" and unit:
            fits = [each for each in fits if self.is_unit_of(unit, each)] or fits
        return columns.only([each for each in fits if columns.is_size(each) or kind != "number"])

    def is_in_currency(self, sign: str) -> bool:
        signs = {amount.sign for cell in self.all_cells() if (amount := read_amount(cell.text))} - {
            ""
        }
        return signs == {sign}

    # Values, columns and names

    def read_saying(self, length: int) -> bool:
        """Read some words that are together a value, or the name of a column."""
        said = self.words[self.at : self.at + length]
        if len(said) < length or (length == 1 and said[0] in question_words().function):
            return False
        if said[0] in ENDS_OF_NO_SAYING or said[-1] in ENDS_OF_NO_SAYING | {"of"}:
            return False
        words = key_words(" ".join(said))
        if not words:
            return False
        column = self.columns.called(words)
        is_name = length == 1 and column is None and self.is_name(words[0])
        if is_name and (self.is_noun_of_all(words[0]) or not self.is_in_cells(words[0])):
            self.reading.named = True
            self.at += 1
            return True
        if column is not None and not self.is_value_elsewhere(words, column):
            return self.take_column(column, length)
        if length == 1 and words[0].isdecimal():
            return self.read_number(words)
        if length == 1 and said[0] in question_words().filler and not self.is_said_alone(words):
            return False
        if self.is_value(words):
            column = self.column_before(words) or self.value_column(words)
            is_exact = self.is_said_alone(words)
            self.reading.filters.append(Filter(words, column, self.negated, is_exact))
            self.negated = False
            self.at += length
            return True
        return False

    def is_name(self, word: str) -> bool:
        """Tell whether a word is one for the things that are listed."""
        names = self.records.names
        return word in names or any(singular(each) in names for each in alike(word))

    def is_noun_of_all(self, word: str) -> bool:
        """Tell whether a word for the things is said of all, though it is in some of their names.

        "Which hotel is cheapest" is not about Hotel Miramar alone.
        """
        titles = (record.title for record in self.records.records)
        inside = any(word in cell.words and cell.key != word for cell in titles)
        others = (
            cell
            for record in self.records.records
            for cell in record.cells
            if cell is not record.title
        )
        asks_for_it = self.question.ask in {"which", "count"} or self.question.extreme != 0
        is_plural = word != self.words[self.at]
        return (
            (is_plural or (asks_for_it and self.is_first()))
            and inside
            and not any(says(cell, (word,), exactly=False) for cell in others)
        )

    def read_number(self, words: Sequence[str]) -> bool:
        """Read "2 beds": a number is the value of the column that is said behind it."""
        following = self.words[self.at + 1] if self.at + 1 < len(self.words) else ""
        asked = self.columns.meant_by(following) if following else None
        column = asked or self.column_before(words) or self.value_column(words)
        cells = self.columns.cells(column or "")
        if not column or not any(is_figure(cell, words) for cell in cells):
            return False
        self.reading.filters.append(Filter(tuple(words), column, self.negated, exact=True))
        self.negated = False
        self.at += 2 if asked else 1
        return True

    def is_in_cells(self, word: str) -> bool:
        in_groups = any(word in record.over for record in self.records.records)
        all_over = all(word in record.over for record in self.records.records)
        in_cells = any(word in cell.words for cell in self.all_cells())
        return (in_groups and not all_over) or in_cells

    def take_column(self, column: str, length: int) -> bool:
        cells = self.columns.cells(column)
        is_flags = bool(cells) and all(cell.flag is not None for cell in cells)
        if column == self.records.title_column and not self.negated:
            self.reading.named = True  # "rooms" are the records, whatever is in that column
            self.reading.head = self.reading.head or (column if self.is_first() else "")
            self.at += length
            return True
        if self.negated:
            self.reading.filters.append(Filter((), column, bound="empty"))
        elif is_flags:
            self.reading.flags.append(column)
        else:
            self.reading.head = self.reading.head or (column if self.is_first() else "")
            self.reading.columns.append(column)
            self.last_read = self.at + length - 1
        self.negated = False
        self.at += length
        return True

    def is_value(self, words: Sequence[str]) -> bool:
        """Tell whether some record says these words, or stands under them."""
        if any(says(cell, words, exactly=False) for cell in self.all_cells()):
            return True
        said = set(words)
        over = [said <= record.over for record in self.records.records]
        return any(over) and not all(over)

    def is_value_elsewhere(self, words: Sequence[str], column: str) -> bool:
        """Tell whether records say a column's name as a value: "Gate A4" in that column is none."""
        others = (cell for cell in self.all_cells() if cell.column != column)
        return any(says(cell, words, exactly=False) for cell in others)

    def column_before(self, words: Sequence[str]) -> str:
        """Give the column that was said just before a value: "issued in May"."""
        back = self.at - 1
        while back >= 0 and self.words[back] in question_words().joined:
            back -= 1
        columns = self.reading.columns
        if back < 0 or not columns or self.last_read != back:
            return ""
        if not any(says(cell, words, exactly=False) for cell in self.columns.cells(columns[-1])):
            return ""
        return columns.pop()

    def is_said_alone(self, words: Sequence[str]) -> bool:
        """Tell whether some cell says just this: then "Partly paid" is not "paid"."""
        return any(says(cell, words, exactly=True) for cell in self.all_cells())

    def value_column(self, words: Sequence[str]) -> str:
        """Give the column in which a value stands, if it is always the same."""
        is_exact = self.is_said_alone(words)
        columns = {cell.column for cell in self.all_cells() if says(cell, words, exactly=is_exact)}
        return columns.pop() if len(columns) == 1 else ""

    def read_single(self) -> None:
        """Read a word that is no value: a name of the things, a verb for a column, a filler."""
        table, word = question_words(), self.words[self.at]
        self.at += 1
        if word in table.function:
            return
        if (column := self.columns.by_form(word) or self.columns.by_verb(word)) is not None:
            self.note_column(column)
        elif self.is_name(singular(word)) or any(is_kin(word, name) for name in self.records.names):
            self.reading.named = True
        elif (column := self.columns.meant_by(word)) is not None:
            self.note_column(column)
        elif word not in table.filler and not self.is_light(word) and not self.is_unit(word):
            if self.is_verb_slot(self.at - 1):
                self.reading.verbs.append(word)
            if self.is_noun_slot(self.at - 1):
                self.reading.noun = word
            self.reading.unknown.append(word)

    def is_verb_slot(self, at: int) -> bool:
        """Tell whether a word stands where a verb does: "who *saw* it", "where is it *kept*"."""
        if self.question.asking == "who" and at == 0:
            return True
        helped = any(word in question_words().helping for word in self.words[:at])
        return helped and bool(self.reading.filters) and at == len(self.words) - 1

    def is_noun_slot(self, at: int) -> bool:
        """Tell whether a word stands where the things are named: "how many easy *recipes* take".

        All before it is told of them, and a verb or nothing is behind it.
        """
        table = question_words()
        idle = table.function | table.filler
        before = [word for word in self.words[:at] if word not in idle]
        behind = self.words[at + 1] if at + 1 < len(self.words) else ""
        is_verb = behind in table.function or self.is_light(behind) or not behind
        is_verb = is_verb or self.columns.by_verb(behind) is not None
        told = len(self.reading.filters) + len(self.reading.flags) + len(self.reading.unknown)
        asks = self.question.ask in {"which", "count"} or self.question.extreme != 0
        return asks and is_verb and not self.reading.columns and len(before) <= told

    def is_light(self, word: str) -> bool:
        table = question_words()
        return any(form in table.light or form in table.function for form in forms_of(word))

    def note_column(self, column: str) -> None:
        self.last_read = self.at - 1
        if self.negated:
            self.reading.filters.append(Filter((), column, bound="empty"))
            self.negated = False
        else:
            self.reading.columns.append(column)


NAMED_HOURS = {"noon": Amount("clock", 720.0), "midday": Amount("clock", 720.0)}
SCALES = {"million": 1_000_000, "thousand": 1_000}
LENGTHS = frozenset({"minute", "minutes", "min", "mins", "hour", "hours"})


def key_words(text: str) -> tuple[str, ...]:
    """Give the words of a text as they are compared."""
    return tuple(singular(word) for word in key_of(text).split())


def is_whole_amount(text: str) -> bool:
    amount = read_amount(text)
    if amount is None:
        return False
    return amount.kind in {"clock", "day", "length"} if " " in text else True


# What records say


def holds(record: Record, each: Filter) -> bool:
    """Tell whether a record says what a filter asks for."""
    if each.bound == "some":
        return has_something(record.cell(each.column))
    if each.bound == "empty":
        return not has_something(record.cell(each.column))
    if each.bound:
        return is_within(record, each)
    cells = [cell for cell in record.cells if not each.column or cell.column == each.column]
    found = any(says(cell, each.words, exactly=each.exact) for cell in cells)
    if len(each.words) == 1 and each.words[0].isdecimal():
        found = found or any(is_figure(cell, each.words) for cell in cells)
    found = found or (not each.column and set(each.words) <= record.over)
    return found != each.negated


def is_figure(cell: Cell, words: Sequence[str]) -> bool:
    """Tell whether a cell says a number, alone or with what it is of: "2 beds"."""
    return says(cell, words, exactly=True) or fold(cell.text).split()[:1] == list(words)


def says(cell: Cell, words: Sequence[str], *, exactly: bool) -> bool:
    """Tell whether a cell says these words: all that it says, or a part that stands by itself.

    A number is never a part: "9" is not in "9:05". A single word begins what it is a part of, so
    that "York" is not in "New York".
    """
    said = tuple(words)
    if said in cell.parts:
        return True
    if exactly or denies(cell, set(said)):
        return False
    if len(said) == 1:
        begins = any(part[:1] == said for part in cell.parts) and not said[0].isdecimal()
        return begins or (said[0].isalpha() and said[0] in day_words(cell.text))
    whole = cell.parts[0]
    return any(whole[at : at + len(said)] == said for at in range(len(whole)))


def denies(cell: Cell, said: set[str]) -> bool:
    """Tell whether a cell says the opposite: "no show", "not paid"."""
    return bool(question_words().denying & cell.words - said)


def has_something(cell: Cell | None) -> bool:
    """Tell whether a cell says that there is something: no dash, no zero, no "none"."""
    if cell is None or cell.flag is not None:
        return cell is not None and cell.flag is True
    amount = read_amount(cell.text)
    if amount is not None:
        return amount.value != 0
    return bool(cell.words) and cell.words.isdisjoint(question_words().nothing)


def is_within(record: Record, each: Filter) -> bool:
    cell = record.cell(each.column)
    amount = None if cell is None else read_amount(cell.text)
    if amount is None or each.amount is None:
        return False
    value = amount.value
    match each.bound:
        case "more":
            return value > each.amount.value
        case "less":
            return value < each.amount.value
        case "least":
            return value >= each.amount.value
        case _:
            return value <= each.amount.value
