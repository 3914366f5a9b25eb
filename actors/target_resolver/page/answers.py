"""Questions about what a page lists, answered from its records: all words account for, or none.

Each word of a question names a column, a value, or the things themselves; or it only holds the
sentence together. What is in none of these is not known here, and the question is refused.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from actors.language.amounts import Amount, day_words, read_amount, unit_of
from actors.language.questions import Question, question_words
from actors.language.words import fold, key_of, singular
from actors.target_resolver.page.records import Cell, Listing, Record, RecordSet, words_of
from actors.target_resolver.page.sight import Seen, Sight
from messages.pages import ANSWERS, target_id

LONGEST_SAYING = 4
PREDICATED = 2  # a thing, and what is asked of it
YEAR = re.compile(r"\b\d{4}\b")


@dataclass(frozen=True)
class Answer:
    """What answers a question: the elements it is read from, and how many records were seen."""

    ask: str
    things: tuple[Seen, ...]
    looked_at: int
    amounts: tuple[float, ...] = ()

    def as_id(self, sight: Sight) -> str:
        """Name the answer for the tool that reads it: what is asked, of how many, and where."""
        ids = [target_id(sight.page.frames[seen.frame], seen.element) for seen in self.things]
        if self.amounts:
            ids = [f"{each}={amount:g}" for each, amount in zip(ids, self.amounts, strict=True)]
        return f"{ANSWERS}{self.ask}:{self.looked_at}:{','.join(ids)}"


@dataclass(frozen=True)
class Unanswered:
    """Why a question has no answer here: a word that nothing says, or several that fit."""

    reason: str


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


def answer(sight: Sight, question: Question) -> Answer | Unanswered:
    """Answer a question from what a page lists."""
    listing = Listing(sight)
    sets = listing.record_sets()
    found = [Asked(question, each) for each in sets if each.records]
    if question.ask in {"value", "count", "sum"} and not question.extreme:
        paired = [each for each in (pair_answer(listing, question),) if each is not None]
        if paired and not any(isinstance(each.answer, Answer) for each in found):
            return paired[0]
    known = [each for each in found if not each.reading.unknown]
    if len(known) > 1 and sum(each.reading.named for each in known) != 1:
        return Unanswered("several lists on the page could be meant")
    given = [each for each in found if isinstance(each.answer, Answer)]
    named = [each for each in given if each.reading.named]
    chosen = named if len(named) == 1 else given
    if len(chosen) == 1:
        return chosen[0].answer
    if len(chosen) > 1:
        return Unanswered("several lists on the page could be meant")
    reasons = sorted(found, key=lambda each: len(each.reading.unknown))
    return reasons[0].answer if reasons else Unanswered("nothing is listed on the page")


def pair_answer(listing: Listing, question: Question) -> Answer | None:
    """Answer from a label and its value: all that is asked must be the label."""
    table = question_words()
    said = {singular(word) for word in question.words if word not in table.function}
    said |= {"total"} if question.ask == "sum" else set()
    if not said or (question.ask == "sum" and len(said) > 1):
        return None
    fits = [
        cell
        for cell in (*listing.pairs(), *summary_pairs(listing))
        if said <= words_of(cell.column) and cell.key != cell.column
    ]
    if question.ask != "value" or question.asking == "how much":
        fits = [cell for cell in fits if read_amount(cell.text) is not None]
        fits = [cell for cell in fits if question.ask == "value" or cell.is_number]
    exact = [cell for cell in fits if words_of(cell.column) == said]
    if question.ask == "count" and not exact:
        return None
    texts = {cell.text for cell in exact or fits}
    if len(texts) != 1:
        return None
    return Answer("value", ((exact or fits)[0].seen,), len(fits))


def summary_pairs(listing: Listing) -> Iterator[Cell]:
    """Give the rows that add up a table: what they say, and the last amount in them."""
    for each in Listing(listing.sight).record_sets():
        for row in each.summaries:
            amounts = [cell for cell in row.cells[1:] if read_amount(cell.text) is not None]
            if amounts:
                yield Cell(row.cells[0].key, amounts[-1].text, amounts[-1].seen)


@dataclass
class Asked:
    """One question put to one set of records."""

    question: Question
    records: RecordSet

    @cached_property
    def reading(self) -> Reading:
        return read_words(self.question, self.records)

    @cached_property
    def answer(self) -> Answer | Unanswered:
        reading = self.reading
        if self.contradicts():
            return Unanswered("two values of one column are said")
        if reading.unknown:
            return Unanswered(f"nothing here says {' '.join(reading.unknown)!r}")
        if self.is_split_value():
            return Unanswered("what is counted is not clear")
        match self.question.ask:
            case "count":
                return self.of_count()
            case "sum" | "average":
                return self.of_amounts(self.question.ask)
            case "is":
                return self.yes_or_no()
            case _ if self.question.extreme:
                return self.of_extreme()
            case "which" if not self.asks_for_cell():
                self.use_columns()
                return self.of_records("which")
            case _:
                return self.of_value()

    def contradicts(self) -> bool:
        """Tell whether "rooms 102 and 202" are asked about: no record is both."""
        columns = [each.column for each in self.reading.filters if each.column and not each.bound]
        return len(columns) > len(set(columns))

    def is_split_value(self) -> bool:
        """Tell whether one record says a value in several places: its parts may be counted."""
        words = [each for each in self.reading.filters if not each.bound and not each.column]
        return self.question.ask == "count" and any(
            sum(set(each.words) <= cell.words for cell in record.cells) > 1
            for each in words
            for record in self.records.records
        )

    def of_count(self) -> Answer | Unanswered:
        """Count records; or give the amount that a column has of one, or of all."""
        amounts = [each for each in self.reading.columns if self.is_summable(each)]
        if self.reading.head in self.reading.columns:
            if amounts and len(self.kept) == 1 and self.reading.filters:
                return self.of_value()
            if amounts and self.question.is_total:
                return self.of_amounts("sum")
            return Unanswered("what is to be counted is not clear")
        if self.question.is_total:
            return Unanswered("what is to be added up is not clear")
        titles = [record for record in self.kept if self.is_called(record)]
        if titles and len(titles) == len(self.kept):
            for name in question_words().columns["quantity"]:
                if len(titles) == 1 and (cell := self.column_called(titles[0], name)) is not None:
                    return Answer("value", (cell.seen,), self.size)
            return Unanswered("how many of it there are is not listed")
        self.use_columns()
        return self.of_records("count")

    def is_called(self, record: Record) -> bool:
        """Tell whether a record's whole title was said."""
        said = {word for each in self.reading.filters if not each.bound for word in each.words}
        return bool(record.title.words) and record.title.words <= said

    def use_columns(self) -> None:
        """Take a column that is said of records as something that they have."""
        titles = {record.title.column for record in self.records.records}
        for column in self.reading.columns:
            if column not in titles and column != self.reading.head:
                self.reading.filters.append(Filter((), column, bound="some"))
        self.reading.columns.clear()
        self.__dict__.pop("kept", None)

    # Which records

    @cached_property
    def kept(self) -> list[Record]:
        return [record for record in self.records.records if self.fits(record)]

    def fits(self, record: Record, filters: Sequence[Filter] | None = None) -> bool:
        used = self.reading.filters if filters is None else filters
        flags = self.reading.flags if filters is None else ()
        return all(holds(record, each) for each in used) and all(
            (cell := record.cell(column)) is not None and cell.flag is True for column in flags
        )

    def of_records(self, ask: str) -> Answer | Unanswered:
        if ask == "which" and not (self.reading.filters or self.reading.flags):
            return Unanswered("which of them is not said")
        if not self.kept and not self.is_measured():
            return Unanswered("nothing that is listed fits")
        if ask == "which" and all(map(self.is_called, self.kept)):
            return Unanswered("nothing else is said of it")
        if ask == "count" and not (
            self.reading.named or self.reading.filters or self.reading.flags
        ):
            return Unanswered("what is counted is not what is listed")
        if ask == "count":
            return Answer("count", tuple(each.seen for each in self.kept), self.size)
        if not self.kept:
            return Unanswered("nothing that is listed fits")
        return Answer("which", tuple(self.name_of(each).seen for each in self.kept), self.size)

    def is_measured(self) -> bool:
        """Tell whether that none fits is an answer: only a bound leaves nothing over."""
        unbound = [each for each in self.reading.filters if not each.bound]
        bounded = len(unbound) < len(self.reading.filters)
        return bounded and any(self.fits(record, unbound) for record in self.records.records)

    def name_of(self, record: Record) -> Cell:
        """Give the cell by which a record is named: that of the noun that was said."""
        head = self.reading.head
        is_noun = head and self.question.asking == "which" and not self.is_amounts(head)
        return (record.cell(head) if is_noun else None) or record.title

    @property
    def size(self) -> int:
        return len(self.records.records)

    def asks_for_cell(self) -> bool:
        """Tell whether "which gate has X" asks for a value, and not for records."""
        if len(self.kept) != 1 or not self.reading.filters:
            return False
        is_whom = self.question.asking in {"who", "whose"} and self.is_called(self.kept[0])
        title = self.kept[0].title.column
        others = [each for each in self.reading.columns if each not in {title, self.reading.head}]
        return bool(others) or is_whom or self.is_titled(self.kept[0])

    def of_value(self) -> Answer | Unanswered:
        if not self.reading.filters or len(self.kept) != 1:
            fits = len(self.kept) if self.reading.filters else 0
            return Unanswered(f"{fits} of what is listed fit" if fits else "of what is not said")
        record = self.kept[0]
        column = self.asked_column(record)
        if column is None:
            return Unanswered("what is asked of it is not listed")
        said = {word for each in self.reading.filters if not each.bound for word in each.words}
        if not column.text or column.words <= said:
            return Unanswered("nothing is said of it")
        return Answer("value", (column.seen,), self.size)

    def asked_column(self, record: Record) -> Cell | None:
        """Give the cell that is asked for: by its column, or by the word that asks."""
        table = question_words()
        said = [each for each in self.reading.columns if record.cell(each) is not record.title]
        wanted = table.columns_of_asking.get(self.question.asking, ())
        fits = [each for each in said if any(name in each.split() for name in wanted)]
        if said:
            return record.cell(fits[0] if fits else said[0])
        if self.question.asking in {"who", "which"} and not self.is_titled(record):
            return record.title
        for name in table.columns_of_asking.get(self.question.asking, ()):
            if (cell := self.column_called(record, name)) is not None:
                return cell
        return None

    def is_titled(self, record: Record) -> bool:
        """Tell whether the record was told by its own title."""
        return any(set(each.words) & record.title.words for each in self.reading.filters)

    def column_called(self, record: Record, name: str) -> Cell | None:
        word = singular(name)
        return next(
            (cell for cell in record.cells if word in words_of(cell.column) or cell.column == name),
            None,
        )

    # Amounts

    def of_amounts(self, ask: str) -> Answer | Unanswered:
        if ask == "sum" and not self.reading.filters and self.records.summaries:
            return Unanswered("a row of the table adds up")
        column = self.amount_column()
        if column is None or not self.kept:
            return Unanswered("what is to be added up is not clear")
        cells = [record.cell(column) for record in self.kept]
        found = [cell for cell in cells if cell is not None and read_amount(cell.text) is not None]
        if not found:
            return Unanswered("there are no amounts")
        if len({unit_of(cell.text) for cell in found}) > 1:
            return Unanswered("the amounts have different units")
        amounts = tuple(amount.value for cell in found if (amount := read_amount(cell.text)))
        return Answer(ask, tuple(cell.seen for cell in found), self.size, amounts)

    def amount_column(self, names: Sequence[str] = ()) -> str | None:
        """Give the column that is compared or added up: the one that was said, or the only one."""
        said = [column for column in self.reading.columns if self.is_amounts(column)]
        if self.question.ask in {"sum", "average", "count"}:
            said = [column for column in said if self.is_summable(column)]
        if said:
            return said[-1]
        for name in names:
            for column in self.records.columns:
                words = words_of(column)
                if singular(name) in words and self.is_amounts(column):
                    return column
        if names:
            money = [each for each in self.records.columns if self.is_money(each)]
            return money[0] if len(money) == 1 and "price" in names else None
        only = [each for each in self.records.columns if self.is_money(each)]
        return only[0] if len(only) == 1 else None

    def is_amounts(self, column: str) -> bool:
        cells = self.records.cells_of(column)
        amounts = [cell for cell in cells if read_amount(cell.text) is not None]
        return bool(cells) and len(amounts) * 2 > len(cells)

    def is_summable(self, column: str) -> bool:
        cells = self.records.cells_of(column)
        kinds = [amount.kind for cell in cells if (amount := read_amount(cell.text)) is not None]
        return len(kinds) * 2 > len(cells) and not {"day", "clock"} & set(kinds)

    def is_money(self, column: str) -> bool:
        cells = self.records.cells_of(column)
        kinds = [amount.kind for cell in cells if (amount := read_amount(cell.text)) is not None]
        return bool(kinds) and kinds.count("money") * 2 > len(cells)

    def of_extreme(self) -> Answer | Unanswered:
        table, question = question_words(), self.question
        names = table.most.get(question.extreme_word, table.least.get(question.extreme_word, ()))
        column = self.amount_column(names)
        if column is None:
            return Unanswered(f"what is the {question.extreme_word} is not clear")
        texts = [cell.text for record in self.kept if (cell := record.cell(column)) is not None]
        if len({unit_of(text) for text in texts if read_amount(text) is not None}) > 1:
            return Unanswered("the amounts have different units")
        rated = [
            (amount.value * question.extreme, record, cell)
            for record in self.kept
            if (cell := record.cell(column)) is not None
            and (amount := read_amount(cell.text)) is not None
        ]
        if not rated:
            return Unanswered("nothing that is listed fits")
        best = max(value for value, _, _ in rated)
        tops = [(record, cell) for value, record, cell in rated if value == best]
        is_said = question.asking == "what's" or question.words[:1] in {("is",), ("was",), ("are",)}
        wants_value = question.ask == "value" and is_said and not (names or self.names_records())
        if wants_value or question.asking in question_words().amounts_asked:
            return Answer("value", (tops[0][1].seen,), self.size)
        if len(tops) > 1 or not self.name_of(tops[0][0]).text:
            return Unanswered("several are alike in this")
        return Answer("value", (self.name_of(tops[0][0]).seen,), self.size)

    def names_records(self) -> bool:
        """Tell whether the things themselves are asked for: "what is the cheapest lamp"."""
        return not self.reading.columns

    # Yes or no

    def yes_or_no(self) -> Answer | Unanswered:
        reading = self.reading
        if not (reading.filters or reading.flags):
            return Unanswered("what is asked of them is not clear")
        is_there = self.question.asking.endswith("there")
        if len(reading.filters) + len(reading.flags) < PREDICATED and not is_there:
            return Unanswered("what is asked of it is not listed")
        if self.kept:
            return Answer("is", (self.kept[0].seen,), self.size)
        singles = [
            Asked(self.question, self.records).fits(record, [each])
            for each in reading.filters
            for record in self.records.records
        ]
        if not any(singles):
            return Unanswered("nothing that is listed fits")
        return Answer("is", (), self.size)


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
    found = found or (not each.column and set(each.words) <= record.over)
    return found != each.negated


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
    match each.bound:
        case "more":
            return amount.value > each.amount.value
        case "less":
            return amount.value < each.amount.value
        case "least":
            return amount.value >= each.amount.value
        case _:
            return amount.value <= each.amount.value


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

    @property
    def words(self) -> tuple[str, ...]:
        return self.question.words

    def read(self) -> None:
        while self.at < len(self.words):
            if self.read_bound() or self.read_negation():
                continue
            if self.is_bound_word():
                self.reading.unknown.append(self.words[self.at])
                self.at += 1
                continue
            if not any(self.read_saying(length) for length in range(LONGEST_SAYING, 0, -1)):
                self.read_single()
        if self.negated:
            self.reading.unknown.append("not")

    def is_first(self) -> bool:
        """Tell whether no word before this one names anything."""
        return all(word in question_words().function for word in self.words[: self.at])

    def read_negation(self) -> bool:
        word = self.words[self.at]
        if word not in question_words().negations:
            return False
        self.negated = True
        self.at += 1
        return True

    # Bounds

    def read_bound(self) -> bool:
        """Read "more than 20 euros", "before noon"."""
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

    def read_limit(self, bound: str, lead: str, end: int) -> bool:
        end += self.words[end] in {"the", "a"} and end + 1 < len(self.words)
        text = self.words[end]
        amount = NAMED_HOURS.get(text) or read_amount(" ".join(self.words[end : end + 3]))
        if amount is None or not (text[:1].isdigit() or text[:1] in "€$£" or text in NAMED_HOURS):
            if not any(part[:1].isdigit() for part in self.words[end : end + 2]):
                return False
            amount = read_amount(" ".join(self.words[end : end + 3]))
        if amount is None or (amount.kind == "day" and not self.says_year(end)):
            return False
        width = self.width_of(end)
        unit = self.words[end + width] if end + width < len(self.words) else ""
        column = self.bounded_column(amount, lead, unit)
        if column is None:
            return False
        is_used = self.is_unit(unit) or self.is_column_word(unit, column)
        used = width + (is_used or self.is_unit_of(unit, column))
        self.reading.filters.append(Filter((), column, bound=bound, amount=amount))
        self.at = end + used
        return True

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
        """Tell whether the cells of a column have this unit: "100 m²"."""
        cells = self.records.cells_of(column)
        return bool(word) and any(word in fold(cell.text).split() for cell in cells)

    def is_column_word(self, word: str, column: str) -> bool:
        return bool(word) and singular(word) in words_of(column)

    def bounded_column(self, amount: Amount, lead: str, unit: str) -> str | None:
        """Find the column that a bound is about: said before or behind it, or the only one."""
        asked = Asked(self.question, self.records)
        if self.reading.columns:
            last = self.reading.columns[-1]
            if asked.is_amounts(last) and self.kind_of(last) in {amount.kind, "money", "share"}:
                self.reading.columns.pop()
                return last
        names = [*question_words().measures.get(lead, ()), *([unit] if unit else [])]
        for name in names:
            for column in self.records.columns:
                if singular(name) in words_of(column) and asked.is_amounts(column):
                    return column
        sign = next((sign for sign, words in question_words().units.items() if unit in words), "")
        kind = "money" if (sign and sign != "%") or amount.kind == "money" else amount.kind
        kind = "share" if sign == "%" else kind
        if sign and sign != "%" and not self.is_in_currency(sign):
            return None
        alike = [column for column in self.records.columns if self.kind_of(column) == kind]
        return alike[0] if len(alike) == 1 else None

    def is_in_currency(self, sign: str) -> bool:
        cells = (cell.text for record in self.records.records for cell in record.cells)
        signs = {amount.sign for text in cells if (amount := read_amount(text)) and amount.sign}
        return signs == {sign}

    def kind_of(self, column: str) -> str:
        cells = self.records.cells_of(column)
        kinds = [amount.kind for cell in cells if (amount := read_amount(cell.text)) is not None]
        return max(set(kinds), key=kinds.count) if len(kinds) * 2 > len(cells) else ""

    # Values, columns and names

    def read_saying(self, length: int) -> bool:
        """Read some words that are together a value, or the name of a column."""
        said = self.words[self.at : self.at + length]
        if len(said) < length or (length == 1 and said[0] in question_words().function):
            return False
        if said[0] in {"the", "a", "an", "'s"} or said[-1] in {"the", "a", "an", "'s", "of"}:
            return False
        key = key_of(" ".join(said))
        words = tuple(singular(word) for word in key.split())
        if not words:
            return False
        is_name = length == 1 and words[0] in self.records.names
        is_name = is_name and self.column_of(words, key) is None
        if is_name and not self.is_in_cells(words[0]):
            self.reading.named = True
            self.at += 1
            return True
        if (column := self.column_of(words, key)) is not None and not self.is_value(words):
            return self.take_column(column, length)
        if length == 1 and words[0].isdecimal():
            return self.read_number(words)
        if self.is_value(words):
            column = self.column_before(words) or self.value_column(words)
            is_exact = self.is_said_alone(words)
            self.reading.filters.append(Filter(words, column, self.negated, is_exact))
            self.negated = False
            self.at += length
            return True
        return False

    def read_number(self, words: Sequence[str]) -> bool:
        """Read "2 beds": a number is the value of the column that is said behind it."""
        following = self.words[self.at + 1] if self.at + 1 < len(self.words) else ""
        column = self.column_with(following) if following else None
        if column is None:
            column = self.column_before(words) or self.value_column(words)
        cells = self.records.cells_of(column or "")
        if not column or not any(says(cell, words, exactly=True) for cell in cells):
            return False
        self.reading.filters.append(Filter(tuple(words), column, self.negated, exact=True))
        self.negated = False
        self.at += 1 + (self.column_with(following) == column if following else 0)
        return True

    def is_in_cells(self, word: str) -> bool:
        cells = (cell for record in self.records.records for cell in record.cells)
        in_groups = any(word in record.over for record in self.records.records)
        all_over = all(word in record.over for record in self.records.records)
        return (in_groups and not all_over) or any(word in cell.words for cell in cells)

    def column_of(self, words: Sequence[str], key: str) -> str | None:
        for column in self.records.columns:
            if column == key or tuple(singular(word) for word in column.split()) == tuple(words):
                return column
        return None

    def take_column(self, column: str, length: int) -> bool:
        cells = self.records.cells_of(column)
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
        cells = (cell for record in self.records.records for cell in record.cells)
        if any(says(cell, words, exactly=False) for cell in cells):
            return True
        said = set(words)
        over = [said <= record.over for record in self.records.records]
        return any(over) and not all(over)

    def column_before(self, words: Sequence[str]) -> str:
        """Give the column that was said just before a value: "issued in May"."""
        back = self.at - 1
        while back >= 0 and self.words[back] in question_words().joined:
            back -= 1
        columns = self.reading.columns
        if back < 0 or not columns or self.last_read != back:
            return ""
        cells = self.records.cells_of(columns[-1])
        if not any(says(cell, words, exactly=False) for cell in cells):
            return ""
        return columns.pop()

    def is_said_alone(self, words: Sequence[str]) -> bool:
        """Tell whether some cell says just this: then "Partly paid" is not "paid"."""
        cells = (cell for record in self.records.records for cell in record.cells)
        return any(says(cell, words, exactly=True) for cell in cells)

    def value_column(self, words: Sequence[str]) -> str:
        """Give the column in which a value stands, if it is always the same."""
        is_exact = self.is_said_alone(words)
        columns = {
            cell.column
            for record in self.records.records
            for cell in record.cells
            if says(cell, words, exactly=is_exact)
        }
        return columns.pop() if len(columns) == 1 else ""

    def read_single(self) -> None:
        """Read a word that is no value: a name of the things, a verb for a column, a filler."""
        table, word = question_words(), self.words[self.at]
        self.at += 1
        if word in table.function:
            return
        plain = singular(word)
        if plain in self.records.names:
            self.reading.named = True
            return
        for known in forms_of(word):
            for name in table.columns.get(known, ()):
                column = self.column_with(name)
                if column is not None:
                    self.note_column(column)
                    return
        if any(self.column_with(form) is not None for form in forms_of(word)):
            column = next(found for form in forms_of(word) if (found := self.column_with(form)))
            self.note_column(column)
            return
        if any(form in table.light or form in table.function for form in forms_of(word)):
            return
        if self.is_unit(word):
            return
        self.reading.unknown.append(word)

    def note_column(self, column: str) -> None:
        self.last_read = self.at - 1
        if self.negated:
            self.reading.filters.append(Filter((), column, bound="empty"))
            self.negated = False
        else:
            self.reading.columns.append(column)

    def column_with(self, name: str) -> str | None:
        words = words_of(name)
        fits = [column for column in self.records.columns if words <= words_of(column)]
        return fits[0] if len(fits) == 1 or (fits and fits[0] == name) else None


NAMED_HOURS = {"noon": Amount("clock", 720.0), "midday": Amount("clock", 720.0)}


def is_whole_amount(text: str) -> bool:
    amount = read_amount(text)
    if amount is None:
        return False
    return amount.kind in {"clock", "day"} if " " in text else True


def forms_of(word: str) -> Iterator[str]:
    """Give a word and what it is a form of: "leaves", "leaving" and "left" of "leave"."""
    yield word
    plain = singular(word)
    yield plain
    for end in ("ing", "ed", "s", "es", "d"):
        if word.endswith(end) and len(word) > len(end) + 2:
            bare = word.removesuffix(end)
            yield bare
            yield f"{bare}e"
            if bare[-1:] == bare[-2:-1]:
                yield bare[:-1]
