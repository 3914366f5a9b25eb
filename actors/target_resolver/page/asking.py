"""One question put to one set of records: which of them are meant, and what they answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import quote

from actors.language.amounts import measured, read_amount, unit_of
from actors.language.kinship import forms_of
from actors.language.questions import Question, question_words
from actors.language.words import singular
from actors.target_resolver.page.asked_words import Filter, Reading, holds, read_words, says
from actors.target_resolver.page.columns import Columns
from actors.target_resolver.page.records import Cell, Record, RecordSet, words_of
from actors.target_resolver.page.sight import Seen, Sight
from messages.failures import Target
from messages.pages import ANSWERS, PART, target_id

PREDICATED = 2  # a thing, and what is asked of it


@dataclass(frozen=True)
class Answer:
    """What answers a question: the elements it is read from, and how many records were seen."""

    ask: str
    things: tuple[Seen, ...]
    looked_at: int
    amounts: tuple[float, ...] = ()
    parts: tuple[str, ...] = ()  # what of each element is meant; "" for all of it

    @classmethod
    def of_cells(
        cls, ask: str, cells: Sequence[Cell], looked_at: int, amounts: tuple[float, ...] = ()
    ) -> "Answer":
        """Give an answer that is read from cells."""
        parts = tuple(cell.text if cell.part else "" for cell in cells)
        things = tuple(cell.seen for cell in cells)
        return cls(ask, things, looked_at, amounts, parts if any(parts) else ())

    def as_id(self, sight: Sight) -> str:
        """Name the answer for the tool that reads it: what is asked, of how many, and where."""
        ids = [target_id(sight.page.frames[seen.frame], seen.element) for seen in self.things]
        if self.parts:
            ids = [
                f"{each}{PART}{quote(part, safe='')}"
                for each, part in zip(ids, self.parts, strict=True)
            ]
        if self.amounts:
            ids = [f"{each}={amount:g}" for each, amount in zip(ids, self.amounts, strict=True)]
        return f"{ANSWERS}{self.ask}:{self.looked_at}:{','.join(ids)}"


def part_of(target: Target, part: str) -> Target:
    """Give a part of what an element says as a target; "" is all of it."""
    whole = f"{target.id}{PART}{quote(part, safe='')}"
    return Target(whole, part, target.kind) if part else target


@dataclass(frozen=True)
class Unanswered:
    """Why a question has no answer here: a word that nothing says, or several that fit."""

    reason: str


@dataclass
class Asked:
    """One question put to one set of records."""

    question: Question
    records: RecordSet

    @cached_property
    def columns(self) -> Columns:
        return Columns(self.records)

    @cached_property
    def reading(self) -> Reading:
        return read_words(self.question, self.records)

    @cached_property
    def as_named(self) -> "Asked | None":
        """Give the question with its word for the most as part of a name, if it is one here."""
        question = self.question
        if question.extreme_word not in question.literal or question.is_surely_extreme:
            return None
        at = question.literal.index(question.extreme_word)
        around = (question.literal[at : at + 2], question.literal[max(at - 1, 0) : at + 1])
        cells = [cell for record in self.records.records for cell in record.cells]
        said = [tuple(singular(word) for word in words) for words in around if len(words) > 1]
        if not any(says(cell, words, exactly=False) for words in said for cell in cells):
            return None
        plain = replace(question, words=question.literal, literal=(), extreme=0, extreme_word="")
        return Asked(plain, self.records)

    @cached_property
    def answer(self) -> Answer | Unanswered:
        if self.as_named is not None:
            return self.as_named.answer
        reading = self.reading
        if self.contradicts():
            return Unanswered("two values of one column are said")
        if reading.unknown and not self.is_told_by_kind():
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
            case _ if self.asks_what():
                return self.of_records("which")
            case _:
                return self.of_value()

    def is_told_by_kind(self) -> bool:
        """Tell whether only a verb is unknown, and the word that asks leaves one column over.

        "Who saw the kingfisher" has an answer if the one bird has one person in its record.
        """
        reading, asking = self.reading, self.question.asking
        if self.question.extreme or asking not in {"who", "where"}:
            return False
        if reading.unknown != reading.verbs or len(self.kept) != 1 or reading.columns:
            return False
        record, used = self.kept[0], {each.column for each in reading.filters}
        fits = [
            cell
            for cell in record.cells
            if self.columns.suits(cell.column, asking)
            and cell.column not in {record.title.column, *used}
            and (asking != "where" or self.columns.is_of_places(cell.column))
        ]
        return len(fits) == 1 and self.is_titled(record)

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

    def asks_what(self) -> bool:
        """Tell whether "what is out of stock" asks for things, and not for a value of one."""
        reading = self.reading
        is_what = self.question.asking in {"what", "what's"}
        titled = any(self.is_titled(record) for record in self.kept)
        has_said = bool(reading.filters or reading.flags)
        is_named = bool(reading.head or self.free_columns(reading.columns))
        return is_what and has_said and not titled and not is_named

    def free_columns(self, columns: Sequence[str]) -> list[str]:
        """Give the columns that no filter is about."""
        filtered = {each.column for each in self.reading.filters}
        return [each for each in columns if each not in filtered]

    # Counting

    def of_count(self) -> Answer | Unanswered:
        """Count records; or give the amount that a column has of one, or of all."""
        amounts = [each for each in self.reading.columns if self.columns.is_size(each)]
        if amounts and len(self.kept) == 1 and self.reading.filters:
            return self.of_value()
        if amounts and self.question.is_total:
            return self.of_amounts("sum")
        if self.reading.head in self.reading.columns:
            return Unanswered("what is to be counted is not clear")
        if self.question.is_total:
            return Unanswered("what is to be added up is not clear")
        titles = [record for record in self.kept if self.is_called(record)]
        if titles and len(titles) == len(self.kept):
            return self.of_quantity(titles)
        self.use_columns()
        return self.of_records("count")

    def of_quantity(self, titles: Sequence[Record]) -> Answer | Unanswered:
        """Give how many there are of the one thing that was named."""
        for name in question_words().columns["quantity"]:
            if len(titles) == 1 and (cell := self.column_called(titles[0], name)) is not None:
                return Answer.of_cells("value", (cell,), self.size)
        return Unanswered("how many of it there are is not listed")

    def is_called(self, record: Record) -> bool:
        """Tell whether a record's whole title was said."""
        said = {word for each in self.reading.filters if not each.bound for word in each.words}
        return bool(record.title.words) and record.title.words <= said

    def use_columns(self) -> None:
        """Take a column that is said of records as something that they have."""
        titles = {record.title.column for record in self.records.records}
        for column in self.free_columns(self.reading.columns):
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
        said_nothing = not (self.reading.filters or self.reading.flags)
        if ask == "which" and said_nothing:
            return Unanswered("which of them is not said")
        if not self.kept and not (ask == "count" and self.is_measured()):
            return Unanswered("nothing that is listed fits")
        if ask == "count":
            if not self.reading.named and said_nothing:
                return Unanswered("what is counted is not what is listed")
            return Answer("count", tuple(each.seen for each in self.kept), self.size)
        if all(map(self.is_called, self.kept)):
            return Unanswered("nothing else is said of it")
        names = [self.name_of(each) for each in self.kept]
        if any(name is None for name in names):
            return Unanswered("who it is is not listed")
        found = [name for name in names if name is not None]
        return Answer.of_cells("which", found, self.size)

    def is_measured(self) -> bool:
        """Tell whether that none fits is an answer: only a bound leaves nothing over."""
        unbound = [each for each in self.reading.filters if not each.bound]
        bounded = len(unbound) < len(self.reading.filters)
        return bounded and any(self.fits(record, unbound) for record in self.records.records)

    def name_of(self, record: Record) -> Cell | None:
        """Give the cell by which a record is named: that of the noun, or of the person asked for.

        None if a person is asked for, and the record says none, or several.
        """
        head, asking = self.reading.head, self.question.asking
        is_headed = record.title.seen.kind == "heading"
        is_id = self.columns.is_id(head) and not is_headed
        is_name = head and (not self.columns.has_amounts(head) or is_id)
        if is_name and asking not in {"who", "who's"}:
            return record.cell(head) or record.title
        if asking not in {"who", "who's"} or self.is_person(record):
            return record.title
        used = {each.column for each in self.reading.filters}
        persons = [
            cell
            for cell in record.cells
            if cell.column not in used and self.columns.is_of_persons(cell.column)
        ]
        return persons[0] if len(persons) == 1 else None

    def is_person(self, record: Record) -> bool:
        """Tell whether the records are persons, as far as is known: nothing else says who."""
        title = record.title.column
        if self.columns.is_of_persons(title):
            return True
        others = [each for each in self.columns.names if each != title]
        return not record.title.is_number and not any(map(self.columns.is_of_persons, others))

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

    # One value

    def is_added(self) -> bool:
        """Tell whether "how much did I spend on X" is about several payments."""
        verbs = {form for word in self.question.words for form in forms_of(word)}
        is_money = any(map(self.columns.is_money, self.reading.columns))
        is_sum = self.question.asking == "how much" and is_money and len(self.kept) > 1
        return is_sum and bool(verbs & question_words().adding) and bool(self.reading.filters)

    def of_value(self) -> Answer | Unanswered:
        if self.is_added():
            return self.of_amounts("sum")
        if not self.reading.filters or len(self.kept) != 1:
            fits = len(self.kept) if self.reading.filters else 0
            return Unanswered(f"{fits} of what is listed fit" if fits else "of what is not said")
        record = self.kept[0]
        cell = self.asked_cell(record)
        if cell is None:
            return Unanswered("what is asked of it is not listed")
        said = {word for each in self.reading.filters if not each.bound for word in each.words}
        if not cell.text or cell.words <= said:
            return Unanswered("nothing is said of it")
        return Answer.of_cells("value", (cell,), self.size)

    def asked_cell(self, record: Record) -> Cell | None:
        """Give the cell that is asked for: by its column, or by the word that asks."""
        asking, table = self.question.asking, question_words()
        said = [each for each in self.reading.columns if record.cell(each) is not record.title]
        suited = [each for each in said if self.columns.suits(each, asking)]
        wanted = table.columns_of_asking.get(asking, ())
        fits = [each for each in suited if any(name in each.split() for name in wanted)]
        if suited:
            return record.cell(fits[0] if fits else suited[0])
        if asking in {"who", "which"} and not self.is_titled(record):
            return self.name_of(record)
        for column in self.columns.of_verbs(self.question.words):
            if self.columns.suits(column, asking) and column not in said:
                return record.cell(column)
        for name in wanted:
            cell = self.column_called(record, name)
            if cell is not None and self.columns.suits(cell.column, asking):
                return cell
        return None if said and not wanted else self.only_of_kind(record)

    def only_of_kind(self, record: Record) -> Cell | None:
        """Give the only cell whose kind is the one that is asked for: the only day, for "when"."""
        kinds = KINDS_ASKED.get(self.question.asking, frozenset())
        fits = [
            cell
            for cell in record.cells
            if self.columns.kind(cell.column) in kinds
            or (not cell.column and (read := read_amount(cell.text)) and read.kind in kinds)
        ]
        return fits[0] if len(fits) == 1 else None

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
        column = self.amount_column()
        if column is None or not self.kept:
            return Unanswered("what is to be added up is not clear")
        if ask == "sum" and not self.reading.filters and self.records.summaries:
            return self.added_up_by_page(column)
        cells = [record.cell(column) for record in self.kept]
        found = [cell for cell in cells if cell is not None and read_amount(cell.text) is not None]
        if not found or any(cell is None for cell in cells):
            return Unanswered("not all of them say an amount")
        if len({unit_of(cell.text) for cell in found}) > 1:
            return Unanswered("the amounts have different units")
        amounts = tuple(amount.value for cell in found if (amount := read_amount(cell.text)))
        return Answer.of_cells(ask, found, self.size, amounts)

    def added_up_by_page(self, column: str) -> Answer | Unanswered:
        """Give what the page itself says is the sum of a column."""
        cells = [cell for row in self.records.summaries if (cell := row.cell(column)) is not None]
        cells = [cell for cell in cells if read_amount(cell.text) is not None]
        if len(cells) != 1:
            return Unanswered("a row of the table adds up")
        return Answer.of_cells("value", cells, self.size)

    def amount_column(self, names: Sequence[str] = ()) -> str | None:
        """Give the column that is compared or added up: the one that was said, or the only one."""
        columns = self.columns
        is_added = self.question.ask in {"sum", "average", "count"}
        asking = self.question.asking

        def usable(column: str) -> bool:
            is_fit = columns.is_size(column) if is_added else columns.has_amounts(column)
            is_fit = is_fit and not columns.is_id(column)
            return is_fit and (asking != "how long" or columns.suits(column, asking))

        said = [column for column in self.reading.columns if usable(column)]
        if said:
            return said[-1]
        named = next((column for column in columns.named_so(names) if usable(column)), None)
        if named is not None:
            return named
        money = [column for column in columns.names if columns.is_money(column)]
        if names and "price" not in names:
            sizes = [column for column in columns.names if columns.is_size(column)]
            return columns.only(sizes) if "size" in names else self.only_day(names)
        return columns.only(money)

    def only_day(self, names: Sequence[str]) -> str | None:
        """Give the only column of days, where the most is about time."""
        days = [column for column in self.columns.names if self.columns.kind(column) == "day"]
        return self.columns.only(days) if "date" in names else None

    # The most and the least

    def of_extreme(self) -> Answer | Unanswered:
        question = self.question
        names = question_words().measures_of(question.extreme_word)
        column = self.place_column() or self.since_column() or self.amount_column(names)
        if column is None:
            return Unanswered(f"what is the {question.extreme_word} is not clear")
        sign = self.sign_in(column)
        texts = [cell.text for record in self.kept if (cell := record.cell(column)) is not None]
        if len({measured(text)[1] for text in texts if read_amount(text) is not None}) > 1:
            return Unanswered("the amounts have different units")
        rated = [
            (measured(cell.text)[0] * sign, record, cell)
            for record in self.kept
            if (cell := record.cell(column)) is not None and read_amount(cell.text) is not None
        ]
        if not rated:
            return Unanswered("nothing that is listed fits")
        best = max(value for value, _, _ in rated)
        tops = [(record, cell) for value, record, cell in rated if value == best]
        is_said = question.asking == "what's" or question.words[:1] in {("is",), ("was",), ("are",)}
        wants_value = question.ask == "value" and is_said and not (names or self.names_records())
        if wants_value or question.asking in question_words().amounts_asked:
            return Answer.of_cells("value", (tops[0][1],), self.size)
        if len(tops) > 1:
            return Unanswered("several are alike in this")
        said = [each for each in self.reading.columns if each not in {column, self.reading.head}]
        is_asked = self.reading.head in self.reading.columns and self.reading.head != column
        if said:
            return Unanswered("what is asked of it is not clear")
        asked = tops[0][0].cell(self.reading.head) if is_asked else None
        name = asked or self.name_of(tops[0][0])
        if name is None or not name.text:
            return Unanswered("who it is is not listed")
        return Answer.of_cells("value", (name,), self.size)

    def sign_in(self, column: str) -> int:
        """Tell which end of a column is asked for: of days, the oldest is the first."""
        word, sign = self.question.extreme_word, self.question.extreme
        if column == self.place_column():
            return -sign if word == "top" else sign
        is_time = self.columns.is_time(column) or self.columns.is_year(column)
        is_since = column == self.since_column()
        if word in question_words().aging and (is_time or is_since) and word != "longest":
            return -sign
        return -1 if is_since else sign

    def place_column(self) -> str | None:
        """Give the column of places, where the first, the last or the top is asked for."""
        if self.question.extreme_word not in {"first", "last", "top"} or self.reading.columns:
            return None
        places = question_words().places
        fits = [
            column
            for column in self.columns.names
            if column in places and column and self.columns.kind(column) == "number"
        ]
        return self.columns.only(fits)

    def since_column(self) -> str | None:
        """Give the column that says since when, where it is asked who has been there longest."""
        question = self.question
        if question.extreme_word != "longest" or "been" not in question.words:
            return None
        since = question_words().since
        fits = [
            column
            for column in self.columns.named_so(since)
            if self.columns.is_time(column) or self.columns.kind(column) == "number"
        ]
        return self.columns.only(fits)

    def names_records(self) -> bool:
        """Tell whether the things themselves are asked for: "what is the cheapest lamp"."""
        return not self.reading.columns

    # Yes or no

    def yes_or_no(self) -> Answer | Unanswered:
        reading = self.reading
        if not (reading.filters or reading.flags) or reading.ends_light:
            return Unanswered("what is asked of them is not clear")
        is_there = self.question.asking.endswith("there")
        if len(reading.filters) + len(reading.flags) < PREDICATED and not is_there:
            return Unanswered("what is asked of it is not listed")
        if self.kept:
            return Answer("is", (self.kept[0].seen,), self.size)
        singles = [
            self.fits(record, [each]) for each in reading.filters for record in self.records.records
        ]
        if not any(singles):
            return Unanswered("nothing that is listed fits")
        return Answer("is", (), self.size)


TIMES_ASKED = frozenset({"day", "clock"})
KINDS_ASKED = {
    "when": TIMES_ASKED,
    "what day": frozenset({"day"}),
    "on what day": frozenset({"day"}),
    "what time": frozenset({"clock"}),
    "at what time": frozenset({"clock"}),
    "how much": frozenset({"money"}),
    "how long": frozenset({"length"}),
}
