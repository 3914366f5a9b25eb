"""Deeds that take more than a set of files: a text, a number of lines, a second file, a new name.

How they are said is data: ``file_frames.toml`` has rows of words and slots. A slot for files is
read by the reader of sets, so that each deed knows every way to tell which are meant. Texts are
taken as they were said; one that is not quoted is short, and no word in it says something more.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from actors.language.file_deeds import (
    POINTING,
    RENAMING,
    SIMPLE_DEEDS,
    DeedReader,
    Request,
)
from actors.language.file_names import nouns
from actors.language.file_sets import GLOB, FileSet, as_ending
from actors.language.file_words import (
    Sayings,
    Word,
    by_first_word,
    table,
    words_for,
    words_in,
)
from actors.language.words import singular
from messages.message import Value

SIGNS = frozenset("&|/")  # they join names in a pattern or a path, so that no name has them
ADVERBS = frozenset({"recursively", "please", "quickly"})
MOST_WORDS = 60
LONGEST_TEXT = 8  # words that are not quoted
NAME = re.compile(r"[^\s*?\[\]]*[^\s*?\[\]./]\.[A-Za-z0-9_~-]{1,12}")
ENDING = re.compile(r"\.?[a-z0-9][a-z0-9_+~.-]{0,9}", re.IGNORECASE)
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
TEXTS = frozenset(
    {"old", "new", "content", "before", "after", "containing", "text", "find", "replace"}
) | {"prefix", "suffix", "app"}
# Texts in which a sign may be called by its name: "spaces".
SIGNED = frozenset({"old", "new", "find", "replace"})
# What a name without an ending, beside "file" or "folder", is not: it says which are meant.
TELLING = (
    "words.all",
    "words.articles",
    "words.plain",
    "words.empty",
    "words.hidden",
    "words.being",
)
NO_NAMES = frozenset({"well", "usual", "before", "is"})  # "as well" is no new name
TEXT_DEEDS = frozenset({"search", "count_text", "head", "tail", "replace", "remove_lines"})
MINDING_CASE = frozenset({"replace", "remove_lines", "insert", "compare", "sort_lines"})
CASELESS = frozenset({"ignoring", "insensitive", "case-insensitive", "regardless"})
SORTING: Mapping[str, tuple[str, Value]] = {
    "numerically": ("numeric", True),
    "alphabetically": ("", ""),
    "ascending": ("order", "ascending"),
    "descending": ("order", "descending"),
    "unique": ("unique", True),
}


def read_requests(
    text: str, endings: frozenset[str], *, one_by_name: bool = False
) -> tuple[Request, ...] | None:
    """Read a text as deeds on files; None if a word of it is not understood.

    ``endings`` are those that files are known to have. What is done to one thing by its name is
    read by phrases, and here only if ``one_by_name``: they do not understand it.
    """
    words = imperative(words_in(text))
    if not words or len(words) > MOST_WORDS:
        return None
    reader = FrameReader(words, endings)
    found = reader.read_all()
    if found is None or reader.at < len(words):
        return None
    is_one = one_by_name and len(found) == 1 and is_brought_by_name(found[0])
    if any(map(has_joining_sign, found)) or not (is_one or are_for_frames(found)):
        return None
    return found


def is_brought_by_name(request: Request) -> bool:
    """Tell whether one thing is brought from one folder to another, each called by its name."""
    names = (request.name, request.of.place, request.to)
    return request.deed in {"move", "copy"} and all(name == name.strip() for name in names)


def are_for_frames(requests: Sequence[Request]) -> bool:
    """Tell whether these deeds are read here: what is done to one thing by its name, phrases read.

    They know when such a sentence could be meant otherwise.
    """
    is_named = any(request.name and request.deed in SIMPLE_DEEDS for request in requests)
    return not is_named or any(request.is_framed for request in requests)


@cache
def verbs() -> frozenset[str]:
    """Give the words that deeds begin with."""
    simple = (first for deed in SIMPLE_DEEDS for first in table()[f"deeds.{deed}"])
    return frozenset(simple).union(*(frame.first for frame in frames().frames))


def imperative(words: list[Word]) -> list[Word]:
    """Read "finds all files" as "find all files"."""
    at = next((at for at, word in enumerate(words) if word.key not in ADVERBS), 0)
    key = words[at].key if words else ""
    known = verbs()
    if key in known or key in nouns() or not key.endswith("s"):
        return words
    plain = (key[:-1], key.removesuffix("es"), f"{key.removesuffix('ies')}y")
    verb = next((each for each in plain if each in known), "")
    return [*words[:at], Word(verb, raw=verb), *words[at + 1 :]] if verb else words


def says_all(words: str) -> bool:
    """Tell whether words for a set say that all are meant."""
    return any(word.key in words_for("words.all") for word in words_in(words))


def has_joining_sign(request: Request) -> bool:
    """Tell whether a name has a sign by which patterns are joined, or by which folders are."""
    names = [*request.of.excluding, *(name for group in request.of.patterns for name in group)]
    return any(not SIGNS.isdisjoint(name) for name in names)


class FrameRow(msgspec.Struct, frozen=True):
    """The ways to say a deed; ``takes`` is what these say without a slot."""

    deed: str
    example: str
    says: tuple[str, ...]
    takes: Mapping[str, str | int] = {}


class FrameTable(msgspec.Struct, frozen=True):
    """The table as it is written."""

    groups: Mapping[str, tuple[str, ...]]
    nouns: Mapping[str, tuple[str, ...]]
    signs: Mapping[str, tuple[str, ...]]
    frame: tuple[FrameRow, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """One way to say a deed: its tokens, the words that it may begin with, those that it needs."""

    deed: str
    tokens: tuple["Piece", ...]
    takes: Mapping[str, Value]
    first: frozenset[str]
    needs: tuple[frozenset[str], ...]

    def could_fit(self, words: frozenset[str]) -> bool:
        """Tell quickly whether words may be read so at all."""
        for need in self.needs:  # noqa: SIM110 - asked of many: no generator
            if need.isdisjoint(words):
                return False
        return True


@dataclass(frozen=True, slots=True)
class Piece:
    """One token of a frame: a slot, a group of sayings, or words of which one stands there."""

    kind: Literal["slot", "group", "words"]
    name: str
    words: frozenset[str]
    is_optional: bool


@dataclass(frozen=True, slots=True)
class Frames:
    """The table, made ready."""

    groups: Mapping[str, Sayings]
    frames: tuple[Frame, ...]
    signs: Mapping[str, str]


@cache
def written_frames() -> FrameTable:
    """Read the table as it is written."""
    text = (files(__package__) / "file_frames.toml").read_bytes()
    return msgspec.toml.decode(text, type=FrameTable)


@cache
def frames() -> Frames:
    """Make the table of frames ready."""
    written = written_frames()
    groups = {name: by_first_word(sayings) for name, sayings in written.groups.items()}
    groups |= {f"{name}_noun": by_first_word(some) for name, some in written.nouns.items()}
    found = tuple(
        made_frame(row.deed, row.takes, tuple(piece_of(each, groups) for each in says.split()))
        for row in written.frame
        for says in row.says
    )
    return Frames(
        groups, found, {word: sign for sign, some in written.signs.items() for word in some}
    )


@cache
def frames_by_first() -> Mapping[str, tuple[Frame, ...]]:
    """Give the frames that a word may begin: every text is tried, most by none of them."""
    found: dict[str, list[Frame]] = {}
    for frame in frames().frames:
        for word in frame.first:
            found.setdefault(word, []).append(frame)
    return {word: tuple(some) for word, some in found.items()}


def frames_from(word: str) -> tuple[Frame, ...]:
    return frames_by_first().get(word, ())


def piece_of(token: str, groups: Mapping[str, Sayings]) -> Piece:
    """Read a token of the table, with the words that it may begin with."""
    bare, is_optional = token.removesuffix("?"), token.endswith("?")
    if bare.startswith("<"):
        return Piece("slot", bare[1:-1], frozenset(), is_optional)
    if bare.startswith("@"):
        return Piece("group", bare[1:], frozenset(groups[bare[1:]]), is_optional)
    return Piece("words", "", frozenset(bare.split("/")), is_optional)


def made_frame(deed: str, takes: Mapping[str, Value], pieces: tuple[Piece, ...]) -> Frame:
    """Make a frame of its pieces; a slot is never the first."""
    first: set[str] = set()
    for piece in pieces:
        first |= piece.words
        if not piece.is_optional:
            break
    needed = (piece.words for piece in pieces if piece.words and not piece.is_optional)
    return Frame(deed, pieces, takes, frozenset(first), tuple(needed))


@dataclass(frozen=True)
class Found:
    """What the slots of a frame were read to be."""

    of: FileSet = field(default_factory=FileSet)
    name: str = ""
    words: str = ""
    takes: Mapping[str, Value] = field(default_factory=dict)

    def with_value(self, name: str, value: Value) -> "Found":
        return replace(self, takes={**self.takes, name: value})


Way = Iterator[Found]


@dataclass
class FrameReader(DeedReader):
    """Reads deeds by the table of frames, and those that take a set of files alone."""

    before: Request | None = None

    def read_framed(self, before: Request | None) -> Request | None:
        self.before = before
        begin, said = self.at, self.key_set
        for frame in frames_from(self.key()):
            if not frame.could_fit(said):
                continue
            for found in self.fits(frame.tokens, Found(takes=frame.takes)):
                if not self.is_sound(frame.deed, found, begin):
                    continue
                return Request(
                    frame.deed, found.of, words=found.words, name=found.name, takes=found.takes
                )
            self.at = begin
        return None

    def is_sound(self, deed: str, found: Found, begin: int) -> bool:
        """Tell whether a deed can be done so: folders have no text, edits mind the case."""
        if deed in TEXT_DEEDS and found.of.kind == "folder":
            return False
        if deed == "search" and found.of == FileSet(kind="file") and not says_all(found.words):
            return False  # "search my files for taxes" may be about their names
        return deed not in MINDING_CASE or CASELESS.isdisjoint(self.keys[begin : self.at])

    def fits(self, pieces: tuple[Piece, ...], found: Found) -> Way:
        """Read the words by a row of pieces, in every way; the position is that of the way."""
        if not pieces:
            self.skip("words.courtesy")
            if self.is_ending():
                yield found
            return
        piece, rest = pieces[0], pieces[1:]
        begin = self.at
        if piece.kind == "slot" or self.key() in piece.words:
            for after in self.ways(piece, found, is_last=not rest):
                yield from self.fits(rest, after)
                self.at = begin
            self.at = begin
        if piece.is_optional:
            yield from self.fits(rest, found)

    def ways(self, piece: Piece, found: Found, *, is_last: bool) -> Way:
        """Read the words by one piece."""
        if piece.kind == "slot":
            yield from self.slot(piece.name, found, is_last=is_last)
        elif piece.kind == "group":
            yield from self.sayings(piece.name, found)
        elif not self.is_over:
            self.at += 1
            yield found

    def sayings(self, group: str, found: Found) -> Way:
        """Read a saying of a group, the longest first."""
        begin = self.at
        for saying in frames().groups[group].get(self.key(), ()):
            if self.keys[begin : begin + len(saying)] == saying:
                self.at = begin + len(saying)
                yield found

    def slot(self, name: str, found: Found, *, is_last: bool) -> Way:
        """Read what a slot takes."""
        if name in TEXTS:
            for text in self.texts(is_last=is_last):
                if self.is_part_of_more(name, text):
                    continue
                said = frames().signs.get(text.casefold()) if name in SIGNED else None
                is_sign = said is not None and not self.words[self.at - 1].quoted
                yield found.with_value(name, said if is_sign else text)
        elif name in SLOTS:
            yield from SLOTS[name](self, found)
        else:
            raise ValueError(f"no slot is called {name}")

    def is_part_of_more(self, name: str, text: str) -> bool:
        """Tell whether a text begins by saying which one, or holds another "with"."""
        if self.words[self.at - 1].quoted:
            return False
        words = [word for word in text.casefold().split() if word not in {"the", "each", "every"}]
        if name in {"old", "find"} and words:
            if frames().signs.get(text.casefold()) == "" or "with" in words:
                return True
            return words[0] in {*ORDINALS, "last", "other", "single", "next"}
        return name in {"new", "replace"} and "with" in words

    # Texts and numbers

    def texts(self, *, is_last: bool) -> Iterator[str]:
        """Read a text: what is quoted, or a few words; at the end, as many as there are."""
        if self.is_over:
            return
        begin = self.at
        if self.words[begin].quoted:
            self.at = begin + 1
            yield self.words[begin].text
            return
        length = 0
        while length < LONGEST_TEXT and self.may_be_text(begin + length):
            length += 1
        lengths = range(1, length + 1)
        for count in reversed(lengths) if is_last else lengths:
            self.at = begin + count
            words = self.words[begin : self.at]
            if {words[0].key, words[-1].key} & set(frames().groups["edges"]):
                continue
            yield " ".join(word.raw or word.text for word in words)

    def may_be_text(self, at: int) -> bool:
        """Tell whether a word can be part of a text: none that begins something else."""
        if at >= len(self.words) or self.words[at].quoted:
            return False
        key = self.keys[at]
        if key in {",", ":"} or key in nouns() or (key,) in frames().groups["stops"].get(key, ()):
            return False
        is_joint = key in words_for("following.and")
        return not (is_joint and self.is_deed(at + 1))

    def is_deed(self, at: int) -> bool:
        """Tell whether a word may begin a deed."""
        return at < len(self.keys) and self.keys[at] in verbs()

    def quoted(self, found: Found, name: str = "text") -> Way:
        if not self.is_over and self.words[self.at].quoted:
            self.at += 1
            yield found.with_value(name, self.words[self.at - 1].text)

    def quoted_old(self, found: Found) -> Way:
        return self.quoted(found, "old")

    def quoted_before(self, found: Found) -> Way:
        return self.quoted(found, "before")

    def quoted_after(self, found: Found) -> Way:
        return self.quoted(found, "after")

    def line_count(self, found: Found) -> Way:
        if number := self.read_count():
            yield found.with_value("lines", number)

    def line_number(self, found: Found) -> Way:
        if number := self.read_count():
            yield found.with_value("line", number)

    def ordinal(self, found: Found) -> Way:
        key = self.key()
        if key in ORDINALS:
            self.at += 1
            yield found.with_value("line", ORDINALS.index(key) + 1)

    def sorting(self, found: Found) -> Way:
        """Read how lines are sorted, as far as it is said."""
        while (after := self.sorting_word(found)) is not None:
            found = after
        yield found

    def sorting_said(self, found: Found) -> Way:
        if (after := self.sorting_word(found)) is not None:
            yield from self.sorting(after)

    def sorting_word(self, found: Found) -> Found | None:
        for group, (name, value) in SORTING.items():
            for after in self.sayings(group, found):
                return after.with_value(name, value) if name else after
        return None

    # Files

    def thing(self, found: Found) -> Way:
        """Read one thing that is called by its name, and perhaps where it is."""
        before, begin = self.before, self.at
        is_named = before is not None and before.name and before.deed not in RENAMING
        if before is not None and is_named and self.says("following.it"):
            yield replace(found, name=before.name, of=before.of)
        self.at = begin
        for name in self.names():
            begin = self.at
            placed = self.read_place(FileSet())
            if placed is not None and not placed.deep:
                yield replace(found, name=name, of=placed)
            self.at = begin
            yield replace(found, name=name)

    def bare(self, found: Found) -> Way:
        """Read one word that only a folder can be called: "zip reports"."""
        self.skip("words.articles")
        begin = self.at
        if name := self.name_here("folder"):
            yield replace(found, name=name)
        self.at = begin

    def named_things(self) -> Iterator[tuple[str, FileSet]]:
        return ((found.name, found.of) for found in self.thing(Found()))

    def names(self) -> Iterator[str]:
        """Read a name: a quoted one, one with an ending, or one beside "file" or "folder"."""
        self.skip("words.articles")
        begin = self.at
        if noun := self.noun_here():
            self.says("names.called")
            if name := self.name_here(noun):
                yield name
        self.at = begin
        if name := self.name_here():
            end = self.at
            if self.noun_here():
                yield name
            self.at = end
            yield name
        self.at = begin
        for noun in ("folder", "file"):
            if (name := self.name_here(noun)) and noun in self.noun_here():
                yield name
            self.at = begin

    def noun_here(self) -> str:
        """Read "file", "folder" or the like, if it stands here, and say which it is."""
        for group in ("file_noun", "folder_noun", "archive_noun"):
            for _ in self.sayings(group, Found()):
                return group.replace("archive", "file")
        return ""

    def name_here(self, noun: str = "") -> str:
        """Read a word that is a name: one that looks like it, or any beside a ``noun``."""
        if self.is_over:
            return ""
        word = self.words[self.at]
        is_written = word.quoted or NAME.fullmatch(word.text) or "/" in word.text
        if GLOB.search(word.text) and not word.quoted:
            return ""
        if not is_written and not (noun and self.is_plain_name(word.key, noun)):
            return ""
        self.at += 1
        return word.text

    def is_plain_name(self, key: str, noun: str) -> bool:
        """Tell whether a word can be a name: it does not tell which files are meant."""
        telling = any(key in words_for(part) for part in TELLING)
        ordered = any(
            key in self.table[f"orders.{order}"]
            for order in ("newest", "oldest", "largest", "smallest")
        )
        is_kind = key in self.endings or singular(key) in words_for("kinds.known")
        is_kind = is_kind and "folder" not in noun  # "the music folder" is called so
        nouns = key in words_for("words.files") or key in words_for("words.folders")
        return key.replace("-", "").replace("_", "").isalnum() and not (
            telling or ordered or is_kind or nouns or key in words_for("following.them")
        )

    def many(self, found: Found) -> Way:
        """Read a set of files."""
        begin = self.at
        them = None if self.before is None else self.before.found_files
        if them is not None and them.params and self.says("following.them"):
            yield replace(found, of=them, words=self.before.words if self.before else "")
        self.at = begin
        start = self.at
        if self.before is None and self.key() in POINTING:
            return
        for of in self.ways_to_read_set():
            if self.is_bare_kind(start):
                break
            if not (of.only and self.is_several(start)) and (of.params or of.place):
                words = self.text_between(start, max(self.head_end, start + 1))
                yield replace(found, of=of, words=words)
        self.at = begin

    def sets(self, found: Found) -> Way:
        """Read a set of files; of one that is called by its name, the set of that one."""
        begin = self.at
        yield from self.many(found)
        self.at = begin
        yield from self.named_set(found)
        self.at = begin
        for named in self.thing(found):
            if any(word.key in words_for("words.folders") for word in self.words[begin : self.at]):
                continue
            folder, _, name = named.name.rpartition("/")
            if folder and named.of.place:
                continue
            of = replace(named.of, kind="file", patterns=((name,),), place=folder or named.of.place)
            yield replace(named, of=of, name="", words=name)
        self.at = begin

    def named_set(self, found: Found) -> Way:
        """Read several files that are called by their names: "a.txt, b.txt and c.txt"."""
        begin = end = self.at
        names = list[str]()
        while (name := self.name_here()) and "/" not in name and not GLOB.search(name):
            names.append(name)
            end = self.at
            while self.key() in {",", "and", "the", "file"}:
                self.at += 1
            if self.at == end:
                break
        if len(names) < len(("one", "other")) or self.at != end:
            return
        of = FileSet(kind="file", patterns=(tuple(names),))
        placed = self.read_place(of)
        words = self.text_between(begin, end)
        if placed is not None:
            yield replace(found, of=placed, words=words)
        self.at = end
        yield replace(found, of=of, words=words)

    def is_bare_kind(self, start: int) -> bool:
        """Tell whether "videos" alone was read as a set: it may as well be a folder."""
        word = self.words[start]
        is_written = word.quoted or word.text.startswith(".") or GLOB.search(word.text)
        return self.head_end == start + 1 and not is_written and word.key not in nouns()

    def files(self, found: Found) -> Way:
        """Read one thing by its name, or a set."""
        begin = self.at
        yield from self.thing(found)
        self.at = begin
        yield from self.named_set(found)
        self.at = begin
        yield from self.many(found)
        self.at = begin

    def place(self, found: Found) -> Way:
        """Read a folder in all of which something is searched for."""
        begin = self.at
        self.skip("words.articles")
        is_told = any(
            word.key in words_for("words.folders") for word in self.words[self.at : self.at + 3]
        )
        is_here = self.key() in self.table["places.here"]
        self.at = begin
        place, is_tree = self.read_folder_and_tree()
        if place and (is_told or is_here or is_tree or "/" in place):
            yield replace(found, of=FileSet(place=place, deep=True if is_tree else None))

    def other(self, found: Found) -> Way:
        """Read the second of two things."""
        for way in self.thing(Found()):
            path = f"{way.of.place}/{way.name}" if way.of.place not in {"", "."} else way.name
            yield found.with_value("other", path)

    # Places and names to be

    def folder(self, found: Found) -> Way:
        """Read the folder that something is brought to."""
        if to := self.read_folder():
            yield found.with_value("to", to)

    def archive_path(self, found: Found) -> Way:
        """Read the archive that is made, or the folder that it goes to."""
        begin = self.at
        self.skip("words.articles")
        self.noun_here()
        self.says("names.called")
        if not self.is_over and (name := self.name_here("folder")):
            yield found.with_value("to", name)
        self.at = begin
        yield from self.folder(found)

    def archive_file(self, found: Found) -> Way:
        """Read the archive that is made, by a name that can be nothing else."""
        if name := self.name_here():
            yield found.with_value("to", name)

    def new_name(self, found: Found) -> Way:
        if not self.is_over and self.key() not in words_for("words.articles"):
            name = self.read_name()
            if name and not GLOB.search(name) and name.casefold() not in NO_NAMES:
                yield found.with_value("as", name)

    def ending(self, found: Found) -> Way:
        said = self.words[self.at].text if not self.is_over else ""
        said = said.removeprefix("*") if said.startswith("*.") else said
        if ENDING.fullmatch(said):
            self.at += 1
            yield found.with_value("ending", said.removeprefix("."))

    def known_ending(self, found: Found) -> Way:
        """Read an ending that can be nothing else."""
        said = self.key().removeprefix("*")
        if said.startswith(".") or said in self.endings:
            yield from self.ending(found)

    def from_ending(self, found: Found) -> Way:
        """Read the ending that files have now."""
        said = self.key().removeprefix("*").removeprefix(".")
        if ENDING.fullmatch(said):
            self.at += 1
            groups = dict.fromkeys((*found.of.patterns, (as_ending(said),)))
            yield replace(found, of=replace(found.of, patterns=tuple(groups)))


SLOTS: Mapping[str, Callable[[FrameReader, Found], Way]] = {
    "quoted": FrameReader.quoted,
    "quoted_old": FrameReader.quoted_old,
    "quoted_before": FrameReader.quoted_before,
    "quoted_after": FrameReader.quoted_after,
    "lines": FrameReader.line_count,
    "line": FrameReader.line_number,
    "nth": FrameReader.ordinal,
    "sorting": FrameReader.sorting,
    "sorting_said": FrameReader.sorting_said,
    "thing": FrameReader.thing,
    "bare": FrameReader.bare,
    "file": FrameReader.thing,
    "files": FrameReader.files,
    "many": FrameReader.many,
    "sets": FrameReader.sets,
    "place": FrameReader.place,
    "other": FrameReader.other,
    "folder": FrameReader.folder,
    "to": FrameReader.archive_path,
    "to_file": FrameReader.archive_file,
    "as": FrameReader.new_name,
    "ending": FrameReader.ending,
    "ending_known": FrameReader.known_ending,
    "from_ending": FrameReader.from_ending,
}
