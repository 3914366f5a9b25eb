"""How large and how old files are said to be. Values stay as they were said."""

import re
from dataclasses import replace

from actors.language.file_sets import FileSet
from actors.language.file_words import Cursor, counts, time_words, words_for

NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
SIZE = re.compile(r"(\d+(?:[.,]\d+)?)([a-z]+)")
DAY = re.compile(r"\d+(?:st|nd|rd|th)?")
DATE = re.compile(r"\d{4}(?:-\d\d){0,2}")
# What a comparison says of a size: which bound it is, and how the bound is written.
SIZE_BOUNDS = {
    "more": ("larger", ""),
    "least": ("larger", "at least "),
    "less": ("smaller", ""),
    "most": ("smaller", "at most "),
}
# The same for times: spans reach back from now, days are days.
SPAN_BOUNDS = {"last": "since", "older": "before"}
DAY_BOUNDS = {"since": ("since", ""), "after": ("since", "after "), "before": ("before", "")}


class MeasureReader(Cursor):
    """Reads sizes and times."""

    def is_quantity(self) -> bool:
        """Tell whether a size or a time begins here: "under 5 MB" is no place."""
        return bool(NUMBER.match(self.key())) or self.key() in time_words()

    def is_unit(self) -> bool:
        return self.key() in words_for("sizes.units") or self.key() in words_for("times.units")

    # Sizes

    def read_size(self, found: FileSet) -> FileSet | None:
        self.skip("words.being", "sizes.in_size")
        if self.says("sizes.between"):
            return self.read_size_between(found)
        if self.says("sizes.exactly"):
            size = self.read_sized()
            return (
                replace(found, larger=f"at least {size}", smaller=f"at most {size}")
                if size
                else None
            )
        begin = self.at
        for part, (bound, prefix) in SIZE_BOUNDS.items():
            if self.says(f"sizes.{part}") and (size := self.read_sized()):
                return replace(found, **{bound: prefix + size})  # type: ignore[arg-type]
            self.at = begin
        return self.read_size_or_more(found)

    def read_size_or_more(self, found: FileSet) -> FileSet | None:
        """Read "10 MB or more", "5 KB or less"."""
        size = self.read_sized()
        if size and self.says("sizes.or_more"):
            return replace(found, larger=f"at least {size}")
        if size and self.says("sizes.or_less"):
            return replace(found, smaller=f"at most {size}")
        return None

    def read_sized(self) -> str:
        size = self.read_amount()
        self.skip("sizes.in_size")
        return size

    def read_size_between(self, found: FileSet) -> FileSet | None:
        low = self.read_amount() or self.read_bare_number()
        if not low or self.key() not in {"and", "to"}:
            return None
        self.at += 1
        high = self.read_sized()
        return replace(found, larger=low, smaller=high) if high else None

    def read_bare_number(self) -> str:
        said = self.key()
        self.at += 1 if said.isdecimal() else 0
        return said if said.isdecimal() else ""

    def read_amount(self) -> str:
        """Read a size as it was said: "10 MB", "3KB", "a gig"."""
        first, second = self.key(), self.key(1)
        joined = SIZE.fullmatch(first)
        units = words_for("sizes.units")
        if joined and joined[2] in units:
            self.at += 1
            return first
        is_number = NUMBER.fullmatch(first) or first in counts() or first in words_for("words.one")
        if is_number and second in units:
            self.at += 2
            return f"{first} {second}"
        return ""

    # Times

    def read_date(self, found: FileSet) -> FileSet | None:
        is_not = self.says("times.not_changed")
        if not is_not:
            self.skip("words.being")
        is_told = self.says("times.changed") or is_not
        if not is_told and self.says("times.created"):
            return None  # only changes are known of every file
        if is_not:
            return self.read_not_since(found)
        if is_told and self.key() in {"on", "at"}:
            self.at += 1
        if (dated := self.read_span_bound(found) or self.read_day_bound(found)) is not None:
            return dated
        if is_told:
            self.says("times.on")
        if found.on:
            return None  # of two days none is both
        if (is_told or self.key() in time_words()) and (day := self.read_day()):
            return replace(found, on=day)
        return None

    def read_not_since(self, found: FileSet) -> FileSet | None:
        """Read "have not been changed in the last week": before that."""
        begin = self.at
        if (self.says("times.last") or self.says("times.not_for")) and (span := self.read_span()):
            return replace(found, before=span)
        self.at = begin
        if self.says("times.since") and (day := self.read_day()):
            return replace(found, before=day)
        self.at = begin
        return None

    def read_span_bound(self, found: FileSet) -> FileSet | None:
        begin = self.at
        if self.says("sizes.between") and (between := self.read_spans_between(found)) is not None:
            return between
        self.at = begin
        for part, bound in SPAN_BOUNDS.items():
            if self.says(f"times.{part}") and (span := self.read_span()):
                self.says("times.ago")
                return replace(found, **{bound: span})  # type: ignore[arg-type]
            self.at = begin
        return None

    def read_spans_between(self, found: FileSet) -> FileSet | None:
        """Read "between 2 and 5 days ago", "between March and May"."""
        low = self.read_span() or self.read_bare_number()
        if low and self.key() == "and":
            self.at += 1
            high = self.read_span()
            if not high or not self.says("times.ago"):
                return None
            near = f"{low} {high.rpartition(' ')[2]}" if low.isdecimal() else low
            return replace(found, since=high, before=near)
        first = self.read_day()
        if not first or self.key() != "and":
            return None
        self.at += 1
        last = self.read_day()
        return replace(found, since=first, before=f"end of {last}") if last else None

    def read_day_bound(self, found: FileSet) -> FileSet | None:
        begin = self.at
        for part, (bound, prefix) in DAY_BOUNDS.items():
            if self.says(f"times.{part}") and (day := self.read_day()):
                return replace(found, **{bound: prefix + day})  # type: ignore[arg-type]
            self.at = begin
        return None

    def read_span(self) -> str:
        """Read a length of time: "10 minutes", "a day", "2 weeks", "day"."""
        units = words_for("times.units")
        first, second = self.key(), self.key(1)
        if first in units:
            self.at += 1
            return first
        is_number = first in words_for("words.one") or first in counts() or first.isdecimal()
        if is_number and second in units:
            self.at += 2
            return f"{first} {second}"
        return ""

    def read_day(self) -> str:
        """Read a day as it was said: "yesterday", "2024-03-05", "March 2024", "5 March 2024"."""
        begin = self.at
        if self.says("times.days"):
            return " ".join(word.text for word in self.words[begin : self.at]).casefold()
        if DATE.fullmatch(self.key()):
            self.at += 1
            return self.words[begin].text
        return self.read_month()

    def read_month(self) -> str:
        """Read a month, with a day and a year if they are said: "the 5th of March 2024"."""
        begin, months = self.at, words_for("months.known")
        if self.key() == "the" and DAY.fullmatch(self.key(1)):
            self.at += 1
        said: list[str] = []
        while self.key() in months or DAY.fullmatch(self.key()) or self.is_date_joint(said):
            said += [] if self.key() in {"of", ","} else [self.words[self.at].text]
            self.at += 1
        if not any(word.casefold() in months for word in said):
            self.at = begin
            return ""
        return " ".join(said)

    def is_date_joint(self, said: list[str]) -> bool:
        """Tell whether "of" or a comma stands between the parts of a date."""
        months = words_for("months.known")
        if not said or self.key() not in {"of", ","}:
            return False
        if self.key(1) in months:
            return DAY.fullmatch(said[-1].casefold()) is not None
        return (
            self.key() == ","
            and said[-1].casefold() in months
            and DAY.fullmatch(self.key(1)) is not None
        )
