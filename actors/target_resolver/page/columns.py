"""The columns of a set of records: what they are called, and what kind of values they hold."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from actors.language.amounts import read_amount
from actors.language.kinship import agents_of, alike, forms_of, is_kin
from actors.language.questions import question_words
from actors.language.words import singular
from actors.target_resolver.page.records import Cell, RecordSet, words_of

TIMES = frozenset({"day", "clock", "ago"})
HALF = 2


@dataclass(frozen=True)
class Columns:
    """Finds the column that words name, and tells what can be done with it."""

    records: RecordSet

    @property
    def names(self) -> tuple[str, ...]:
        return self.records.columns

    # By name

    def called(self, words: Sequence[str]) -> str | None:
        """Find the column whose whole name these words are."""
        said = tuple(singular(word) for word in words)
        for column in self.names:
            if tuple(singular(word) for word in column.split()) == said:
                return column
        return None

    def containing(self, name: str) -> str | None:
        """Find the only column whose name contains a word, or begins with it."""
        words = words_of(name)
        fits = [column for column in self.names if words and words <= words_of(column)]
        if len(fits) == 1:
            return fits[0]
        first = [column for column in fits if column == name]
        return first[0] if first else None

    def meant_by(self, word: str) -> str | None:
        """Find the column that a word speaks of: by its name, another word for it, or its verb."""
        for way in (self.by_form, self.by_verb, self.by_kin, self.by_synonym):
            if (found := way(word)) is not None:
                return found
        return None

    def by_form(self, word: str) -> str | None:
        return next((found for form in forms_of(word) if (found := self.containing(form))), None)

    def by_verb(self, word: str) -> str | None:
        """Find the column that a verb of the table asks for: "cost" is for the price."""
        table = question_words().columns
        names = (name for form in forms_of(word) for name in table.get(form, ()))
        return next((found for name in names if (found := self.containing(name))), None)

    def of_verbs(self, words: Sequence[str]) -> Iterator[str]:
        """Give all columns that the verbs among some words may ask for, in the table's order."""
        table = question_words().columns
        for word in words:
            for form in forms_of(word):
                yield from self.named_so(table.get(form, ()))

    def by_kin(self, word: str) -> str | None:
        """Find the column that is named by a noun of a verb: "teaches" is for the teacher."""
        forms = tuple(forms_of(word))
        fits = [
            column
            for column in self.names
            if any(is_kin(form, part) for form in forms for part in column.split())
        ]
        return fits[0] if len(fits) == 1 else None

    def by_synonym(self, word: str) -> str | None:
        names = [name for each in agents_of(word) for name in alike(each)]
        fits = [found for name in names if (found := self.containing(name)) is not None]
        return fits[0] if len(set(fits)) == 1 else None

    def named_so(self, names: Sequence[str]) -> Iterator[str]:
        """Give the columns that have one of some names, the names in their order."""
        for name in names:
            wanted = words_of(name)
            yield from (column for column in self.names if wanted and wanted <= words_of(column))

    # By kind

    def cells(self, column: str) -> list[Cell]:
        return self.records.cells_of(column)

    def kind(self, column: str) -> str:
        """Give the kind of most values of a column: money, days, lengths; "" if they are texts."""
        return self.kinds.get(column, "")

    @cached_property
    def kinds(self) -> dict[str, str]:
        return {column: self.kind_of(column) for column in self.names}

    def kind_of(self, column: str) -> str:
        cells = self.cells(column)
        found = [amount.kind for cell in cells if (amount := read_amount(cell.text)) is not None]
        return max(set(found), key=found.count) if len(found) * HALF > len(cells) else ""

    def has_amounts(self, column: str) -> bool:
        return bool(self.kind(column))

    def is_time(self, column: str) -> bool:
        return self.kind(column) in TIMES

    def is_money(self, column: str) -> bool:
        return self.kind(column) == "money"

    def is_size(self, column: str) -> bool:
        """Tell whether values can be compared as sizes and added up: no days, no numbers of rooms.

        What counts as a name is no size, whatever figures it has.
        """
        naming = question_words().naming
        is_name = not naming.isdisjoint(column.split()) or not column
        return self.has_amounts(column) and not self.is_time(column) and not is_name

    def is_of_places(self, column: str) -> bool:
        """Tell whether a column says where, by its name."""
        places = question_words().columns_of_asking["where"]
        return any(name in column.split() for name in places)

    def is_year(self, column: str) -> bool:
        return not {"year", "built", "registered", "founded"}.isdisjoint(column.split())

    def is_of_persons(self, column: str) -> bool:
        """Tell whether a column says who: by its name, and it holds no figures."""
        persons = question_words().persons
        named = any(part in persons or singular(part) in persons for part in column.split())
        cells = self.cells(column)
        return named and not self.has_amounts(column) and any(cell.flag is None for cell in cells)

    def suits(self, column: str, asking: str) -> bool:
        """Tell whether the values of a column can answer a question with this word."""
        if asking in {"when", "when's", "what time", "at what time", "by when", "until when"}:
            named = set(question_words().columns_of_asking["when"])
            return self.is_time(column) or bool(named & set(column.split()))
        if asking in {"who", "who's", "whose", "whom"}:
            return self.is_of_persons(column)
        if asking in {"what day", "on what day"}:
            return self.kind(column) == "day"
        if asking in {"how long", "how old"}:
            return self.kind(column) in {"length", "clock", "number", "ago"}
        if asking == "how much":
            return self.kind(column) in {"money", "number", "share"}
        if asking in {"where", "where's"}:
            return not self.has_amounts(column) or column in {"room", "floor", "gate", "platform"}
        return True

    def only(self, fits: Sequence[str]) -> str | None:
        return fits[0] if len(set(fits)) == 1 else None

    def is_id(self, column: str) -> bool:
        """Tell whether a column numbers its records: plain figures, no two the same."""
        cells = self.cells(column)
        figures = {cell.key for cell in cells if cell.key.isdecimal()}
        return column in self.names[:1] and bool(cells) and len(figures) == len(cells)
