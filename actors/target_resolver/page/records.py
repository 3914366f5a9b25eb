"""What a page lists, as records: rows of tables, cards, items, and pairs of a label and a value.

A record has cells; a cell has the text, the element and the name of its column, where there is one:
the header of a table, a label beside the value, a term, or the word of its class.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from actors.language.amounts import day_words, read_amount
from actors.language.questions import question_words
from actors.language.words import key_of, singular
from actors.target_resolver.page.sight import CELLS, Seen, Sight

ASIDE = frozenset({"navigation", "menubar", "menu", "tablist", "toolbar", "combobox", "listbox"})
HELD = frozenset({"wrap", "listitem", "article", "region", "group", "generic", "text", "link"})
LISTED = re.compile(r"[,;·|]")
PARTED = re.compile(r"\s[|·•]\s")
LABELLED = re.compile(r"([A-Za-z][A-Za-z ]{2,24}?)\s+([\d€$£(+−-].*)")
COUNTED = re.compile(r"[~≈]?[\d.,]+\s*%?\s*([A-Za-z][A-Za-z ]{2,30})")
MARKS = " 📍💬📎★☆•·|👁🕒⏱📅👤💰🔥⭐"
FEWEST = 2
LONGEST_LABEL, MOST_AROUND, MOST_HEADINGS = 5, 3, 3
PAIR, FEW = 2, 4
FEWEST_CELLS = 6


@dataclass(frozen=True)
class Cell:
    """A value of a record; ``column`` is what it is called, as it is compared.

    It may be only a ``part`` of what its element says: "52 min" of "Ines Roth | 52 min".
    """

    column: str
    text: str
    seen: Seen
    part: bool = False
    other: str = ""  # what its class calls it, where its column is what stands beside it

    @cached_property
    def key(self) -> str:
        return key_of(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Give the words that it says, plurals as their singulars; of a day, its month, too."""
        return frozenset(singular(word) for word in self.key.split()) | day_words(self.text)

    @cached_property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """Give what it says, as a whole and in the parts of a list: "Vegan, Spicy"."""
        texts = dict.fromkeys((self.text, *LISTED.split(self.text)))
        return tuple(tuple(singular(word) for word in key_of(text).split()) for text in texts)

    @cached_property
    def is_number(self) -> bool:
        return read_amount(self.text) is not None and not any(map(str.isalpha, self.text[:2]))

    @property
    def flag(self) -> bool | None:
        """Tell whether it is a tick or a cross; None if it is neither."""
        states = self.seen.element.states
        if "checked" in states or "unchecked" in states:
            return "checked" in states
        said = self.text.strip().casefold()
        if said in question_words().ticked:
            return True
        return False if said in question_words().unticked else None


@dataclass(frozen=True)
class Record:
    """One thing that is listed, and the words over it: of its group, of its table."""

    seen: Seen
    cells: tuple[Cell, ...]
    over: frozenset[str] = frozenset()

    @cached_property
    def title(self) -> Cell:
        """Give the cell by which a person would name it: of a row, the first that names one."""
        headed = (cell for cell in self.cells if cell.seen.kind in {"heading", "rowheader"})
        named = (
            cell for cell in self.cells if cell.column in question_words().titles and cell.text
        )
        plain = (cell for cell in self.cells if is_title(cell))
        if (found := next(headed, None) or next(named, None)) is not None:
            return found
        first = self.cells[0]
        if self.seen.kind != "row":
            linked = (cell for cell in self.cells if cell.seen.kind == "link" and is_title(cell))
            return next(linked, None) or next(plain, first)
        if first.flag is None and not self.is_numbered:
            amount = read_amount(first.text)
            if amount is None or amount.kind not in {"clock", "day"}:
                return first
        return next(plain, first)

    @property
    def is_numbered(self) -> bool:
        """Tell whether its first cell only says its place in the list."""
        return self.cells[0].column in question_words().places and self.cells[0].key.isdecimal()

    def cell(self, column: str) -> Cell | None:
        return next((cell for cell in self.cells if cell.column == column), None)


def is_title(cell: Cell) -> bool:
    letters = sum(map(str.isalpha, cell.text))
    amount = read_amount(cell.text)
    is_time = amount is not None and amount.kind in {"day", "clock", "ago"}
    is_amount = cell.is_number and (is_time or letters < len(cell.text) / 2)
    is_mark = cell.column in question_words().marks or cell.seen.kind == "checkbox"
    return not is_amount and not is_mark and cell.flag is None and letters > 1


@dataclass(frozen=True)
class RecordSet:
    """Things that are listed together; ``names`` are the words that the page has for them."""

    records: tuple[Record, ...]
    names: frozenset[str] = frozenset()
    summaries: tuple[Record, ...] = ()

    @cached_property
    def columns(self) -> tuple[str, ...]:
        found = (cell.column for record in self.records for cell in record.cells if cell.column)
        return tuple(dict.fromkeys(found))

    def cells_of(self, column: str) -> list[Cell]:
        """Give the cells of a column, of the records that have it."""
        return [cell for record in self.records if (cell := record.cell(column)) is not None]

    @cached_property
    def title_column(self) -> str:
        """Give the column that names the records."""
        found = Counter(record.title.column for record in self.records)
        return found.most_common(1)[0][0] if found else ""


@dataclass
class Listing:
    """Finds all records of a page."""

    sight: Sight
    taken: set[int] = field(default_factory=set)

    def record_sets(self) -> list[RecordSet]:
        """Give what is listed, tables first; lists of the same make are one."""
        groups = merged(list(self.groups()))
        named = [replace(each, records=with_shared_columns(each.records)) for each in groups]
        return [*merged(list(self.tables())), *named]

    # Tables

    def tables(self) -> Iterator[RecordSet]:
        for table in [seen for seen in self.sight.seen if seen.kind == "table" and seen.visible]:
            rows = [
                list(self.cells_of(row))
                for row in self.sight.inside(table.at)
                if row.kind == "row" and row.visible
            ]
            self.taken.add(table.at)
            found = self.table_records(table, [row for row in rows if row])
            if found is not None:
                yield found

    def cells_of(self, row: Seen) -> Iterator[Seen]:
        for seen in self.sight.inside(row.at):
            if seen.kind in CELLS:
                yield seen

    def table_records(self, table: Seen, rows: list[list[Seen]]) -> RecordSet | None:
        headers = {
            cell.element.level: cell.key
            for row in rows
            for cell in row
            if cell.kind == "columnheader" and len(row) > 1
        }
        body = [
            row
            for row in rows
            if len(row) == 1 or not all(cell.kind == "columnheader" for cell in row)
        ]
        wide = [row for row in body if len(row) > 1]
        if not headers and len(wide) > FEWEST and is_header(wide[0], wide[1:]):
            headers = {cell.element.level: cell.key for cell in wide[0]}
        over, group = self.names_over(table), frozenset[str]()
        records, summaries = list[Record](), list[Record]()
        for row in body:
            if [cell.key for cell in row] == [headers.get(cell.element.level) for cell in row]:
                continue  # the names of the columns once more
            if len(row) == 1 and len(headers) > 1:
                group = words_of(row[0].element.name)
                continue
            cells = tuple(
                Cell(headers.get(cell.element.level, ""), self.text_of(cell), cell) for cell in row
            )
            record = Record(self.row_of(row[0]), cells, group)
            is_summary = adds_up(cells)
            (summaries if is_summary else records).append(record)
        return RecordSet(tuple(records), over, tuple(summaries)) if records else None

    def row_of(self, cell: Seen) -> Seen:
        return next(
            (
                self.sight.seen[at]
                for at in self.sight.ancestors(cell.at)
                if self.sight.seen[at].kind == "row"
            ),
            cell,
        )

    def text_of(self, cell: Seen) -> str:
        """Give what a cell says: its own text, or that of what is in it."""
        options = [each for each in self.sight.inside(cell.at) if each.kind == "option"]
        if options:
            return " ".join(
                each.element.name for each in options if "selected" in each.element.states
            )
        if cell.element.name:
            return cell.element.name
        inner = [each for each in self.sight.inside(cell.at) if each.visible]
        boxes = [each for each in inner if {"checked", "unchecked"} & set(each.element.states)]
        if boxes:
            return "yes" if "checked" in boxes[0].element.states else "no"
        held = [each.element.value for each in inner if each.element.value]
        named = [each.element.name for each in inner if each.kind != "option"]
        return " ".join(held or filter(None, named))

    # Cards and items

    def groups(self) -> Iterator[RecordSet]:
        """Find parts that are alike and stand beside each other, the innermost first."""
        families: dict[tuple[int, str, str], list[Seen]] = {}
        for seen in self.sight.seen:
            if seen.kind in HELD and seen.visible and not self.is_aside(seen):
                look = " ".join(seen.element.weak.split()[:1])
                families.setdefault((seen.parent, seen.kind, look), []).append(seen)
        by_depth = sorted(families.values(), key=lambda some: -self.sight.depth(some[0].at))
        for family in by_depth:
            if (grid := self.grid(family)) is not None:
                yield grid
                continue
            if len(family) < FEWEST or any(self.is_taken(seen) for seen in family):
                continue
            if len(family) == PAIR and family[0].element.weak != family[1].element.weak:
                continue
            made = [self.card(seen) for seen in family]
            told = with_shared_columns(made)
            if sum(len(record.cells) >= PAIR for record in told) < FEWEST:
                continue
            if not are_one_kind(made) or are_pairs(made):
                continue
            self.taken.update(seen.at for seen in family)
            records = self.with_header([record for record in made if record.cells], family[0])
            yield RecordSet(tuple(records), self.names_over(family[0]))

    def grid(self, family: list[Seen]) -> RecordSet | None:
        """Make rows of cells that stand in a grid side by side, the first row names the columns."""
        texts = [seen for seen in family if seen.element.name.strip()]
        if len(texts) < FEWEST_CELLS or any(self.is_taken(seen) for seen in texts):
            return None
        rows: dict[int, list[Seen]] = {}
        for seen in texts:
            rows.setdefault(seen.rect[1], []).append(seen)
        lines = [sorted(row, key=lambda seen: seen.rect[0]) for _, row in sorted(rows.items())]
        widths = {len(line) for line in lines}
        if len(widths) != 1 or len(lines[0]) < PAIR or len(lines) <= FEWEST:
            return None
        if not is_header(lines[0], lines[1:], by_place=True):
            return None
        self.taken.update(seen.at for seen in texts)
        names = [seen.key for seen in lines[0]]
        records = [
            Record(
                line[0],
                tuple(
                    Cell(name, seen.element.name.strip(), seen)
                    for name, seen in zip(names, line, strict=True)
                ),
            )
            for line in lines[1:]
        ]
        return RecordSet(tuple(records), self.names_over(family[0]))

    def with_header(self, records: list[Record], first: Seen) -> list[Record]:
        """Name the cells of rows without markup by what stands over them: texts over values."""
        size = Counter(len(record.cells) for record in records).most_common(1)[0][0]
        if any(cell.column for record in records for cell in record.cells) or size < PAIR:
            return records
        before = [
            seen
            for seen in self.sight.inside(first.parent)
            if seen.parent == first.parent and seen.at < first.at
        ]
        heads = [
            [each.element.name for each in self.sight.inside(seen.at) if each.element.name.strip()]
            for seen in before[-1:]
        ]
        if not heads or len(heads[0]) != size or any(map(read_amount, heads[0])):
            return records
        return [
            replace(
                record,
                cells=tuple(
                    replace(cell, column=key_of(head))
                    for cell, head in zip(record.cells, heads[0], strict=True)
                ),
            )
            for record in records
            if len(record.cells) == size
        ]

    def is_aside(self, seen: Seen) -> bool:
        return any(self.sight.seen[at].kind in ASIDE for at in self.sight.ancestors(seen.at))

    def is_taken(self, seen: Seen) -> bool:
        if seen.at in self.taken or any(at in self.taken for at in self.sight.ancestors(seen.at)):
            return True
        return any(seen.at < at < self.sight.ends[seen.at] for at in self.taken)

    def card(self, card: Seen) -> Record:
        """Make a record of a part: its texts, by their labels or the words of their classes."""
        parts = [seen for seen in self.sight.inside(card.at) if seen.visible]
        cells, label = list[Cell](), ""
        for seen in parts:
            text = seen.element.name.strip()
            if not text or seen.kind in {"button", "icon", "img"} or self.is_split(seen, parts):
                continue
            if seen.kind == "term":
                label = key_of(text)
                continue
            named = key_of(seen.element.others[0]) if seen.element.others else ""
            named = "" if read_amount(named) is not None else named
            word = self.class_word(seen, card)
            is_title = seen.kind in {"heading", "rowheader"}
            column = named or label or word
            found = [Cell(column, text, seen)] if is_title else cells_in(text, column, seen)
            cells += [replace(cell, other=word) for cell in found]
            label = ""
        headings = [
            each for each in self.sight.headings_over(card.at) if not self.is_in_like(each, card)
        ]
        headings = headings[-1:]
        over = frozenset(word for heading in headings for word in words_of(heading.element.name))
        return Record(card, tuple(cells), over)

    def is_in_like(self, heading: Seen, card: Seen) -> bool:
        """Tell whether a heading is that of another card beside this one."""
        around = (self.sight.seen[at] for at in self.sight.ancestors(heading.at))
        return any(each.parent == card.parent and each.kind == card.kind for each in around)

    def is_split(self, seen: Seen, parts: Sequence[Seen]) -> bool:
        """Tell whether a text is said again, in parts, by what is in it."""
        inner = [each for each in parts if each.parent == seen.at and each.element.name]
        return len(inner) > 1 or (len(inner) == 1 and ":" in seen.element.name)

    def class_word(self, seen: Seen, card: Seen) -> str:
        """Give the word of its class, or of what it is in, that is not the card's own: "price"."""
        common = set(card.element.weak.split())
        parts = [seen, *(self.sight.seen[at] for at in self.sight.ancestors(seen.at))]
        for part in parts[: 1 + MOST_AROUND]:
            if part.at == card.at:
                break
            words = [word for word in part.element.weak.split() if word.isalpha()]
            told = [word for word in words if word not in common and len(word) > PAIR]
            if told:
                return singular(told[0])
        return ""

    # Names

    def names_over(self, seen: Seen) -> frozenset[str]:
        """Give the words that the page has for what is listed here."""
        around = [self.sight.seen[at] for at in islice(self.sight.ancestors(seen.at), MOST_AROUND)]
        names = [seen.element.name, *seen.element.others, seen.element.weak]
        names += [name for part in around for name in (part.element.name, part.element.weak)]
        names += [
            heading.element.name for heading in self.sight.headings_over(seen.at)[-MOST_HEADINGS:]
        ]
        captions = [each for each in self.sight.inside(seen.at) if each.kind == "caption"]
        names += [each.element.name for each in captions]
        sheet = self.sight.page.frames[seen.frame].sheet
        names += [sheet.title, *(each.element.name for each in self.sight.headings[:1])]
        return frozenset(word for name in names for word in words_of(name))

    # Pairs of a label and a value

    def pairs(self) -> Iterator[Cell]:
        """Give what stands alone beside its label: terms, "Balance: 3", tiles."""
        previous: Seen | None = None
        before: Seen | None = None
        for seen in self.sight.seen:
            if not seen.visible or not seen.element.name:
                continue
            text = seen.element.name
            head, colon, rest = text.partition(":")
            if previous is not None and before is not None and self.is_under(before, previous):
                yield Cell(previous.key, before.element.name, before)
            elif seen.kind == "definition" and previous is not None and previous.kind == "term":
                yield Cell(key_of(previous.element.name), text, seen)
            elif seen.element.others and seen.kind in {"text", "definition", "link"}:
                yield Cell(key_of(seen.element.others[0]), text, seen)
            elif (
                colon
                and rest.strip()
                and head.count(" ") < LONGEST_LABEL
                and not head[-1:].isdigit()
            ):
                yield Cell(key_of(head), rest.strip(), seen)
            elif previous is not None and self.is_beside(previous, seen):
                yield Cell(key_of(previous.element.name), text, seen)
            before, previous = previous, seen

    def is_under(self, figure: Seen, label: Seen) -> bool:
        """Tell whether a label stands under its figure, as in the tiles of a dashboard."""
        if figure.parent != label.parent:
            return False
        is_amount = read_amount(figure.element.name) is not None
        siblings = [
            each for each in self.sight.inside(figure.parent) if each.parent == figure.parent
        ]
        is_first = bool(siblings) and siblings[0].at == figure.at
        few = len(siblings) < LONGEST_LABEL
        is_label = read_amount(label.element.name) is None and label.key.count(" ") < LONGEST_LABEL
        return is_amount and is_first and few and is_label

    def is_beside(self, label: Seen, seen: Seen) -> bool:
        """Tell whether a short text and an amount are all but alone in a small part."""
        if label.parent != seen.parent or label.kind not in {
            "text",
            "paragraph",
            "cell",
            "rowheader",
        }:
            return False
        is_value = read_amount(seen.element.name) is not None
        is_label = read_amount(label.element.name) is None and label.key.count(" ") < LONGEST_LABEL
        few = sum(1 for each in self.sight.inside(seen.parent) if each.parent == seen.parent)
        return is_value and is_label and few <= LONGEST_LABEL


def are_pairs(records: Sequence[Record]) -> bool:
    """Tell whether parts of a page are a label with its value each, and no things."""
    pairs = [
        record
        for record in records
        if len(record.cells) == PAIR and record.cells[1].column == record.cells[0].key
    ]
    return len(pairs) * PAIR > len(records)


def are_one_kind(records: Sequence[Record]) -> bool:
    """Tell whether parts of a page say the same of each thing: panels of settings do not."""
    columns = Counter(
        column for record in records for column in {cell.column for cell in record.cells} if column
    )
    return not columns or len(columns) < PAIR * len(records) or max(columns.values()) > 1


def cells_in(text: str, column: str, seen: Seen) -> list[Cell]:
    """Cut a text into its parts, each with the name that it brings along.

    "Ines Roth | Released 28 May | 310 plays" says three things, of which two say what they are. A
    name before a colon is stronger than that of the ``column``.
    """
    parts = [part.strip() for part in PARTED.split(text) if part.strip(MARKS)]
    cells: list[Cell] = []
    for part in parts:
        label, value = label_of(part)
        is_told = bool(label) and (not column or len(parts) > 1 or ":" in part)
        first = column if not cells else ""
        is_part = len(parts) > 1 or (is_told and value != text)
        cells.append(Cell(label if is_told else first, value if is_told else part, seen, is_part))
    return cells


def label_of(part: str) -> tuple[str, str]:
    """Give what a text says that it is, and the value: "" if it does not say.

    >>> label_of("Released 28 May 2025"), label_of("310 plays"), label_of("by Ada Roth")
    (('released', '28 May 2025'), ('plays', '310 plays'), ('by', 'Ada Roth'))
    >>> label_of("Tenant: Mia Sand"), label_of("Dry")
    (('tenant', 'Mia Sand'), ('', 'Dry'))
    """
    head, colon, rest = part.partition(":")
    if colon and rest.strip() and head.count(" ") < LONGEST_LABEL and not head[-1:].isdigit():
        return key_of(head), rest.strip()
    if part.casefold().startswith("by ") and len(part.split()) <= LONGEST_LABEL:
        return "by", part[3:].strip()
    if (labelled := LABELLED.fullmatch(part)) is not None and read_amount(labelled[2]) is not None:
        return key_of(labelled[1]), labelled[2]
    counted = COUNTED.fullmatch(part.strip(MARKS))
    if counted is not None and (amount := read_amount(part.strip(MARKS))) is not None:
        is_plain = amount.kind in {"number", "share"}
        return (key_of(counted[1]) if is_plain else ""), part.strip(MARKS)
    if (priced := read_amount(part)) is not None and priced.kind == "money":
        return "price", part
    return "", part


def with_shared_columns(records: Sequence[Record]) -> tuple[Record, ...]:
    """Leave out names of columns that few of the records have: they are values themselves."""
    counts = Counter(
        column for record in records for column in {cell.column for cell in record.cells}
    )
    beside = {
        cell.column for record in records for cell in record.cells if cell.column != cell.other
    }
    few = {
        column
        for column, count in counts.items()
        if count * (PAIR if column in beside else FEW) < len(records)
    }
    labels = {column for column in counts if column and column not in few}
    return tuple(
        replace(
            record,
            cells=tuple(
                unnamed(cell) if cell.column in few else cell
                for cell in record.cells
                if cell.key not in labels
            ),
        )
        for record in records
    )


def unnamed(cell: Cell) -> Cell:
    """Give a cell without a name of its own, and all that its element says."""
    whole = cell.seen.element.name.strip()
    text = whole if cell.part and PARTED.search(whole) is None else cell.text
    return Cell(cell.other if cell.other != cell.column else "", text, cell.seen)


def adds_up(cells: Sequence[Cell]) -> bool:
    """Tell whether a row is a sum of others: what it says first is "Total" or the like."""
    first = next((cell for cell in cells if cell.text.strip()), None)
    return first is not None and not question_words().summaries.isdisjoint(first.key.split())


def words_of(name: str) -> frozenset[str]:
    return frozenset(singular(word) for word in key_of(name).split())


def is_header(
    first: Sequence[Seen], rest: Sequence[Sequence[Seen]], *, by_place: bool = False
) -> bool:
    """Tell whether a row without markup names the columns: words over amounts."""
    if any(read_amount(cell.element.name) is not None for cell in first):
        return False
    return any(
        (by_place or cell.element.level == head.element.level)
        and read_amount(cell.element.name) is not None
        for row in rest
        for cell in row
        for head in first
    )


def merged(sets: list[RecordSet]) -> list[RecordSet]:
    """Make one of sets that are made alike: the days of a week, mails read and unread."""
    families: list[list[RecordSet]] = []
    for each in sets:
        family = next((some for some in families if are_alike(some[0], each)), None)
        if family is None:
            families.append([each])
        else:
            family.append(each)
    return [together(some) for some in families]


def are_alike(one: RecordSet, other: RecordSet) -> bool:
    """Tell whether two sets have most of their columns in common."""
    first, second = set(one.columns), set(other.columns)
    if first == second:
        return bool(first)
    common = len(first & second)
    return common > 1 and common * 4 >= min(len(first), len(second)) * 3


def together(sets: list[RecordSet]) -> RecordSet:
    if len(sets) == 1:
        return sets[0]
    common = frozenset.intersection(*(each.names for each in sets))
    records = tuple(
        Record(record.seen, record.cells, record.over | (each.names - common))
        for each in sets
        for record in each.records
    )
    names = frozenset().union(*(each.names for each in sets))
    return RecordSet(records, names, tuple(row for each in sets for row in each.summaries))
