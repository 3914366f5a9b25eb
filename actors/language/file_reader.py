"""What words say of files: every part of the set that is meant, in any order.

What they are, what they are called, where they are, how deep, how large, how old, what is in them,
which are left out, which come first. What is not understood is left for whoever reads on.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from actors.language.file_names import NameReader
from actors.language.file_sets import FileSet
from actors.language.file_words import words_for

ORDERS = ("newest", "oldest", "largest", "smallest")
PartReader: TypeAlias = Callable[[FileSet], FileSet | None]


@dataclass
class SetReader(NameReader):
    """Reads a set of files; ``head_end`` is where what the files are ends."""

    head_end: int = 0

    def read_set(self) -> FileSet | None:
        """Read all that is said of files, in any order, until a word says something else."""
        found = self.read_head()
        self.head_end = self.at
        return None if found is None else self.read_parts(found)

    def read_parts(self, found: FileSet) -> FileSet:
        """Read what stands behind the noun, as far as it is understood."""
        while not self.is_over and (after := self.read_part(found)) is not None:
            found = after
        return found

    def ways_to_read_set(self) -> Iterator[FileSet]:
        """Read a set as far as it goes, then with ever fewer parts: the last may be another's."""
        found = self.read_head()
        if found is None:
            return
        self.head_end = head_end = self.at
        ways = [(found, self.at)]
        while not self.is_over and (after := self.read_part(ways[-1][0])) is not None:
            ways.append((after, self.at))
        for way, end in reversed(ways):
            self.at, self.head_end = end, head_end
            yield way

    # Before the noun, and the noun

    def read_head(self) -> FileSet | None:
        """Read what the files are: "all empty folders", "the three largest pdfs", "*.c files"."""
        found, start, is_named = FileSet(), self.at, False
        while not self.is_over:
            after = self.read_adjective(found)
            if after is None:
                break
            found = after
        if self.says("words.anything") or self.says("times.whatever"):
            found, is_named = replace(found, kind=""), True
        elif self.says("words.files"):
            found, is_named = replace(found, kind="file"), True
        elif self.says("words.folders"):
            found, is_named = replace(found, kind="folder"), True
        if is_named or found.kinds or found.patterns:
            kind = found.kind or ("file" if found.kinds or found.patterns else "")
            return replace(found, kind=kind if not self.is_anything(start) else "")
        return None

    def is_anything(self, start: int) -> bool:
        """Tell whether files and folders alike are meant."""
        span = {word.key for word in self.words[start : self.at]}
        return not span.isdisjoint(words_for("words.anything"))

    def read_adjective(self, found: FileSet) -> FileSet | None:
        """Read one word before the noun."""
        start = self.at
        if self.says("words.all"):
            if self.words[start].key == "everything":
                self.at = start
                return None
            return found
        if self.says("words.articles") or self.says("words.plain"):
            return found
        if (state := self.read_state(found)) is not None:
            return state
        for order in ORDERS:
            if self.says(f"orders.{order}"):
                limit = found.limit or self.read_count()
                if limit:
                    return replace(found, order=order, limit=limit)
                return replace(found, only=order)
        if (count := self.read_count()) and not self.is_unit():
            return replace(found, limit=count)
        self.at = start
        return self.read_type(found)

    def is_several(self, begin: int) -> bool:
        """Tell whether "the newest files" leaves open how many are meant."""
        nouns = [word.key for word in self.words[begin : self.at]]
        return any(word in words_for("words.several") for word in nouns)

    # What is said behind the noun

    def read_part(self, found: FileSet) -> FileSet | None:
        """Read one part behind the noun; None if none stands here."""
        start = self.at
        if self.key() == ",":
            self.at += 1
        if self.key() in words_for("words.notes"):
            self.skip("words.polite")
            if self.is_over:
                return found
        if self.key() in {"and", "but"} and self.key(1) in words_for("words.relative"):
            self.at += 1
        after = self.read_by_first(
            found, self.read_in_name, self.read_depth, self.read_size, self.read_place,
            self.read_exception, self.read_order, self.read_date, self.read_name_part,
            self.read_content, self.read_state,
        )  # fmt: skip
        if after is not None:
            return after
        self.at = start
        return self.read_relative_clause(found)

    def read_order(self, found: FileSet) -> FileSet | None:
        """Read in which order they come: "biggest first", "sorted by size"."""
        if found.order:
            return None
        for order in ORDERS:
            begin = self.at
            if self.says(f"orders.{order}") and self.says("orders.first"):
                return replace(found, order=order)
            self.at = begin
        if not self.says("orders.sorted"):
            return None
        falling, rising = "", ""
        if self.says("orders.by_size"):
            falling, rising = "largest", "smallest"
        elif self.says("orders.by_date"):
            falling, rising = "newest", "oldest"
        if not falling:
            return None
        is_rising = self.says("orders.up")
        if not is_rising:
            self.says("orders.down")
        return replace(found, order=rising if is_rising else falling)

    def read_relative_clause(self, found: FileSet) -> FileSet | None:
        """Read a part behind "that were", "which are"."""
        start = self.at
        if self.key() in {",", "and"}:
            self.at += 1
        relative = self.says("words.relative")
        if (named := self.read_by_first(found, self.read_in_name)) is not None:
            return named
        if (dated := self.read_by_first(found, self.read_date)) is not None:
            return dated
        self.skip("words.being")
        after = None
        if relative or self.at > start:
            after = self.read_by_first(
                found, self.read_place, self.read_size, self.read_date, self.read_name_part,
                self.read_content, self.read_state, self.read_depth,
            )  # fmt: skip
        self.at = self.at if after is not None else start
        return after

    def read_by_first(self, found: FileSet, *readers: PartReader) -> FileSet | None:
        """Read by the first reader that understands what stands here."""
        for read in readers:
            begin = self.at
            if (after := read(found)) is not None:
                return after
            self.at = begin
        return None

    def read_state(self, found: FileSet) -> FileSet | None:
        """Read "that are empty", "that are hidden"."""
        if self.says("words.empty"):
            return replace(found, is_empty=True)
        if self.says("words.hidden"):
            return replace(found, hidden="only")
        if self.says("words.shown"):
            return replace(found, hidden="no")
        return None

    # Where

    def read_depth(self, found: FileSet) -> FileSet | None:
        if self.says("places.below"):
            return replace(found, deep=True)
        if self.says("places.only"):
            return replace(found, deep=False)
        if not self.says("places.at_most"):
            self.says("places.in")
            self.says("words.folders")
            self.says("places.at_most")
        number = self.read_count()
        if number and self.says("places.levels"):
            return replace(found, depth=number)
        return None

    def read_place(self, found: FileSet) -> FileSet | None:
        if found.place:
            return None
        if self.says("places.here_alone"):
            return found
        if not self.says("places.in"):
            return None
        under = self.words[self.at - 1].key in words_for("places.under")
        place, is_tree = self.read_folder_and_tree()
        if not place:
            return None
        is_tree = is_tree or under or place == "/"
        deep = True if found.deep is None and is_tree else found.deep
        return replace(found, place=place, deep=deep)

    def read_folder_and_tree(self) -> tuple[str, bool]:
        place = self.read_folder()
        if not place:
            return "", False
        is_tree = self.says("places.tree") or self.says("places.below")
        return place, is_tree

    def read_folder(self) -> str:
        """Read a folder: here, home, a path, or a name with or without "folder"."""
        self.skip("words.articles")
        if self.says("places.here"):
            return "."
        if self.says("places.home"):
            return "~"
        if self.says("places.everywhere"):
            return "/"
        self.says("words.folders")
        self.says("names.called")
        if self.is_over or self.key() in words_for("words.joints") or self.is_quantity():
            return ""
        if self.key() in words_for("places.tree") or self.key() == "it":
            return ""  # whose tree is not said, and what "it" is, not here
        name = self.read_name()
        self.says("places.nouns")
        return name

    # Which are left out

    def read_exception(self, found: FileSet) -> FileSet | None:
        """Read what is left out: by its name, by how it is called, or the newest and the like."""
        if not self.says("names.except"):
            return None
        self.skip("words.articles", "words.all")
        for order in ORDERS:
            if self.says(f"orders.{order}"):
                if not self.says("words.files") and self.key() == "one":
                    self.at += 1
                return replace(found, keep=order)
        begin = self.at
        if self.says("following.ones") and (told := self.read_ones_left_out()):
            return replace(found, excluding=(*found.excluding, *told))
        self.at = begin
        names = tuple(self.read_names_left_out())
        if not names:
            return None
        span = {word.key for word in self.words[begin : self.at]}
        is_folder = found.kind == "file" and not span.isdisjoint(words_for("words.folders"))
        deep = True if is_folder and found.deep is None else found.deep  # so those below count
        return replace(found, excluding=(*found.excluding, *names), deep=deep)

    def read_ones_left_out(self) -> tuple[str, ...]:
        """Read which are left out by how they are called: "the ones starting with best"."""
        told = self.read_name_part(FileSet()) or self.read_content(FileSet())
        return told.patterns[0] if told is not None and told.patterns else ()
