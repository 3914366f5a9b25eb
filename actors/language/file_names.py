"""What files are said to be called, and what kind they are said to be."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

from actors.language.file_measures import MeasureReader
from actors.language.file_sets import (
    GLOB,
    FileSet,
    as_beginning,
    as_end,
    as_ending,
    as_glob,
    as_part,
)
from actors.language.file_words import Word, table, words_for
from actors.language.words import ENGLISH, singular

ENDING = re.compile(r"\.?[a-z0-9][a-z0-9_+~-]{0,9}")
DOTTED = re.compile(r"\.\w+")
RANGE = re.compile(r"[a-z0-9]-[a-z0-9]", re.IGNORECASE)
SHOUTED = 5  # letters of an ending in capitals
Form = Callable[[str], str]
# How a name is said to fit, and the pattern that comes of it. What a text in them could be, too,
# is a name only where the words say "name".
FITS: dict[str, Form] = {
    "begin": as_beginning,
    "extended": as_ending,
    "end": as_end,
    "match": as_glob,
    "called": as_glob,
}
NAME_FITS: dict[str, Form] = {**FITS, "has": as_part, "is": as_glob}


@cache
def nouns() -> frozenset[str]:
    """Give the words for files and folders: none is a text in them, unless it is quoted."""
    return words_for("words.files") | words_for("words.folders") | words_for("words.anything")


@cache
def named_kinds() -> Mapping[str, tuple[str, ...]]:
    """Give what files are called by, "python" or "word", with the endings that those have."""
    parts = (part for part in table() if part.startswith("named_kinds."))
    return {
        word: tuple(part.partition(".")[2].split("|")) for part in parts for word in words_for(part)
    }


class NameReader(MeasureReader):
    """Reads names, patterns, endings and kinds."""

    # Before the noun

    def read_type(self, found: FileSet) -> FileSet | None:
        """Read "pdf", "*.c", ".gz", "photos": what the files are by their names or their kind."""
        if self.is_over:
            return None
        word, start = self.words[self.at], self.at
        said = word.text.casefold()
        if GLOB.search(said) and not word.quoted:
            self.at += 1
            return self.with_names(found, self.read_more_names(word.text, as_glob))
        if said.startswith(".") and len(said) > 1 and ENDING.fullmatch(said):
            self.at += 1
            return self.with_names(found, self.read_more_names(word.text, as_ending))
        if word.quoted and self.is_noun(1):
            self.at += 1
            return self.with_names(found, self.read_more_names(word.text, as_glob))
        if self.is_shouted(word):
            form = as_glob if self.key(1) in words_for("words.folders") else as_ending
            self.at += 1
            return self.with_names(found, self.read_more_names(word.text, form))
        kinds = words_for("kinds.known")
        if said in named_kinds() and (self.is_noun(1) or self.key(1).removesuffix("s") in kinds):
            self.at += 1
            return self.with_names(found, [as_ending(each) for each in named_kinds()[said]])
        noun = singular(said)
        noun = said[:-1] if said.endswith("s") and said[:-1] in self.endings else noun
        if word.quoted or not said.replace("-", "").isalnum():
            return None
        is_told = bool(found.patterns) or self.is_after_all(start)  # "word documents"
        if not (self.is_noun(1) or noun != said or is_told):
            return None
        if said in words_for("kinds.folders") and self.key(1) in words_for("words.folders"):
            return None  # "my documents folder" is called so
        known = next((each for each in (noun, said, said.removesuffix("s")) if each in kinds), "")
        if known:
            self.at += 1
            return replace(found, kinds=(*found.kinds, known, *self.read_more_kinds()))
        if noun in self.endings and noun not in ENGLISH.descriptive:  # "old" says how they are
            self.at += 1
            return self.with_names(found, self.read_more_names(noun, as_ending))
        return None

    def is_shouted(self, word: Word) -> bool:
        """Tell whether a word in capitals before "files" is an ending: "MOV files"."""
        text = word.text
        is_short = 1 < len(text) <= SHOUTED and text.isalnum() and text.isupper()
        return is_short and not word.quoted and self.is_noun(1)

    def with_names(self, found: FileSet, names: list[str]) -> FileSet:
        return replace(found, patterns=(*found.patterns, tuple(names)))

    def is_after_all(self, start: int) -> bool:
        return start > 0 and self.words[start - 1].key in words_for("words.quantifiers")

    def is_noun(self, ahead: int) -> bool:
        word = self.key(ahead)
        if word in words_for("words.joints") and self.key(ahead + 2):
            return self.is_noun(ahead + 2)
        known = words_for("words.files") | words_for("words.folders")
        return word in known or word in words_for("words.nouns_behind")

    def read_more_kinds(self) -> list[str]:
        found = []
        kinds = words_for("kinds.known")
        while self.key() in words_for("words.joints") and singular(self.key(1)) in kinds:
            found.append(singular(self.key(1)))
            self.at += 2
        return found

    def read_more_names(self, first: str, form: Form) -> list[str]:
        """Read further names behind a joint: "*.c and *.h", "old or new"."""
        found = [form(first)]
        while self.key() in words_for("words.joints"):
            start = self.at
            is_or = self.key() == "or"
            self.skip_joints()
            name = self.read_further_name(form, is_any=is_or and form is not as_glob)
            if not name:
                self.at = start
                break
            found.append(name)
        return found

    def read_further_name(self, form: Form, *, is_any: bool) -> str:
        """Read one more name: one that is written as such, a known ending, or ``is_any`` word."""
        word = self.words[self.at] if not self.is_over else Word("")
        said = word.text.casefold()
        written = word.quoted or said.startswith(".") or GLOB.search(said) is not None
        ending = said[:-1] if said.endswith("s") and said[:-1] in self.endings else said
        is_ending = form is as_ending and ending in self.endings
        if not said or not (written or is_ending or is_any):
            return ""
        self.at += 1
        name = ending if is_ending else word.text
        return (as_glob if GLOB.search(said) else form)(name)

    def skip_joints(self) -> None:
        while self.key() in words_for("words.joined"):
            self.at += 1

    # Behind the noun

    def read_name_part(self, found: FileSet) -> FileSet | None:
        """Read "starting with x", "whose names do not end in .log", "called x"."""
        begin = self.at
        if (named := self.read_name_clause(found)) is not None:
            return named
        self.at = begin
        is_not = self.says("names.not")
        names = self.read_fit(FITS)
        return self.with_fitting(found, names, is_not=is_not) if names else None

    def read_name_clause(self, found: FileSet) -> FileSet | None:
        """Read a clause about names: who, "name", how, and a name."""
        self.says("names.lead")
        self.skip("words.articles")
        if not self.says("names.noun"):
            return None
        self.skip("words.relative")
        is_not = self.says("names.not")
        names = self.read_fit(NAME_FITS)
        return self.with_fitting(found, names, is_not=is_not) if names else None

    def with_fitting(self, found: FileSet, names: list[str], *, is_not: bool) -> FileSet:
        if is_not:
            return replace(found, excluding=(*found.excluding, *names))
        return self.with_names(found, names)

    def read_fit(self, fits: dict[str, Form]) -> list[str]:
        """Read how names fit, and to what; nothing if that is not said here."""
        begin = self.at
        for part, form in fits.items():
            if self.says(f"names.{part}"):
                self.skip("words.articles")
                self.says("names.pattern")
                self.skip("names.letters")
                if not self.is_over and (name := self.read_name()):
                    name = f"[{name}]*" if RANGE.fullmatch(name) else name
                    names = self.read_more_names(name, form)
                    self.says("names.extension")
                    self.says("names.in_name")
                    return names
            self.at = begin
        return []

    def read_in_name(self, found: FileSet) -> FileSet | None:
        """Read "have march in their name", whatever else "march" may be."""
        is_not = self.says("names.not")
        if not self.says("names.have"):
            return None
        self.skip("words.articles", "names.content")
        if self.is_over or not (name := self.read_name()):
            return None
        names = self.read_more_names(name, as_part)
        return (
            self.with_fitting(found, names, is_not=is_not) if self.says("names.in_name") else None
        )

    def read_content(self, found: FileSet) -> FileSet | None:
        """Read "containing X": in their names, or else in them."""
        is_not = self.says("names.not")
        if not self.says("names.have"):
            return None
        verb = self.words[self.at - 1].key
        self.skip("words.articles")
        self.skip("names.content")
        if self.is_over or self.key() in nouns() or not (name := self.read_name()):
            return None
        is_quoted = self.words[self.at - 1].quoted
        if self.says("names.extension"):
            return self.with_fitting(found, [as_ending(name)], is_not=is_not)
        names = self.read_more_names(name, as_part)
        if self.says("names.in_name"):
            return self.with_fitting(found, names, is_not=is_not)
        in_content = self.says("names.in_content")
        plainly = verb not in words_for("names.loosely")
        if not is_not and len(names) == 1 and (in_content or is_quoted or plainly):
            return replace(found, contains=name)
        return None

    # Left out

    def read_names_left_out(self) -> list[str]:
        """Read names that are left out: a pattern, an ending, a file, a folder by its name."""
        is_folder = self.says("words.folders")
        self.says("names.called")
        if self.is_over:
            return []
        word, said = self.words[self.at], self.key()
        if not is_folder and said.removesuffix("s") in words_for("kinds.known"):
            return []  # a kind is not left out by a name
        if said in words_for("kinds.folders"):
            self.at += 1
            self.says("words.folders")
            return [said]
        ending = said[:-1] if said.endswith("s") and said[:-1] in self.endings else said
        if not is_folder and ending in self.endings and "." not in said:
            self.at += 1
            names = self.read_more_names(ending, as_ending)
            self.says("words.files")
            return names
        self.at += 1
        if not word.quoted and DOTTED.fullmatch(said):  # an ending, or the name of a hidden file
            names = self.read_more_names(said, as_glob)
            self.says("words.files")
            return [*names, *(f"*{name}" for name in names if DOTTED.fullmatch(name))]
        is_folder = self.says("words.folders") or is_folder
        if word.quoted or is_folder or "." in said or GLOB.search(said):
            names = self.read_more_names(word.text, as_glob)
            self.says("words.files")
            return names
        return []
