"""Conditions on files: one look at the disk that decides whether something is done.

"notes.txt exists", "there are more than two log files in logs", "todo.txt contains urgent". All
words are read, or none. A condition is a set of files and how many of them there must be.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from actors.language.file_frames import Found, FrameReader
from actors.language.file_sets import FileSet
from actors.language.file_words import table, words_for, words_in


def condition_words() -> frozenset[str]:
    """Give all words by which a condition on files is said."""
    parts = (part for part in table() if part.startswith("conditions."))
    return frozenset(word for part in parts for said in words_for(part) for word in said.split())


@dataclass(frozen=True, slots=True)
class FileCondition:
    """A set of files, and that it has more than, or fewer than, so many; ``name`` of only one."""

    of: FileSet
    relation: str = "above"
    number: int = 0
    name: str = ""

    @property
    def negated(self) -> "FileCondition":
        if self.relation == "above":
            return replace(self, relation="below", number=self.number + 1)
        return replace(self, relation="above", number=self.number - 1)


def read_file_condition(text: str, endings: frozenset[str]) -> FileCondition | None:
    """Read a condition on files; None if a word of it is not understood."""
    words = words_in(text)
    if not words:
        return None
    reader = ConditionReader(words, endings)
    for found in (*reader.of_number(), *reader.of_things()):
        return found
    return None


class ConditionReader(FrameReader):
    """Reads what is said of files behind "if"."""

    def of_number(self) -> Iterator[FileCondition]:
        """Read "there is a …", "there are no …", "there are more than two …"."""
        self.at = 0
        if not self.says("conditions.there"):
            return
        relation, number = self.read_number()
        begin = self.at
        for of in (*(each.of for each in self.whole_sets()), *self.plain_sets(begin)):
            yield FileCondition(of, relation, number, only_name(of))

    def whole_sets(self) -> Iterator[Found]:
        """Give the sets that all the rest of the words tell."""
        for found in self.sets(Found()):
            if self.is_over:
                yield found

    def plain_sets(self, begin: int) -> Iterator[FileSet]:
        """Give sets told by a mere word for a kind: here it can be nothing else."""
        self.at = begin
        for of in self.ways_to_read_set():
            if self.is_over and of.params:
                yield of

    def read_number(self) -> tuple[str, int]:
        if self.says("conditions.none"):
            return "below", 1
        if self.says("conditions.more"):
            return "above", self.read_count()
        if self.says("conditions.fewer"):
            return "below", self.read_count()
        if self.says("conditions.least"):
            return "above", self.read_count() - 1
        self.skip("conditions.some")
        return "above", 0

    def of_things(self) -> Iterator[FileCondition]:
        """Read "notes.txt exists", "todo.txt contains urgent", "a.tmp is older than a week"."""
        self.at = 0
        for found in self.sets(Found()):
            end, name = self.at, only_name(found.of)
            if self.says("conditions.exists") and self.is_over:
                yield FileCondition(found.of, "above", 0, name)
            self.at = end
            if self.says("conditions.missing") and self.is_over:
                yield FileCondition(found.of, "below", 1, name)
            self.at = end
            if self.says("conditions.contains") and (text := self.rest_as_text()):
                yield FileCondition(replace(found.of, contains=text), "above", 0, name)
            self.at = end
            if self.says("conditions.being"):
                parts = self.read_parts(found.of)
                if self.is_over and parts != found.of:
                    yield FileCondition(parts, "above", 0, name)
            self.at = end

    def rest_as_text(self) -> str:
        words = self.words[self.at :]
        if len(words) == 1 or (words and not any(word.quoted for word in words)):
            self.at = len(self.words)
            return " ".join(word.text for word in words)
        return ""


def only_name(of: FileSet) -> str:
    """Give the name, where one file is told by it."""
    names = [name for group in of.patterns for name in group]
    is_one = len(names) == 1 and not any(sign in names[0] for sign in "*?[")
    return names[0] if is_one else ""
