"""What is to be done with files: the deed, the files, and what else the deed takes.

Some deeds take a set of files and perhaps a place to bring them to; they are read here. Others take
a text, a number of lines, a second file: ``file_frames`` reads those, and wherever files are named
in them every way to tell a set can be used. All words of a text are read, or none.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from actors.language.file_reader import SetReader
from actors.language.file_sets import FileSet
from actors.language.file_words import words_for, words_in
from actors.language.words import singular
from messages.message import Value

SIMPLE_DEEDS = ("count", "size", "find", "delete", "move", "copy")
CHANGING = frozenset({"delete", "move", "copy"})
# Deeds whose frames phrases could read only by taking the words that matter for a name.
SURE_DEEDS = frozenset(
    {"rename_all", "remove_lines", "archive", "copy", "open", "put_back", "list_trash", "tail"}
) | {"empty_trash", "head", "search"}
KINDS = frozenset({"kind", "type", "pattern"})  # what a mere word for a kind says
ASKING = frozenset({"find", "list"})
POINTING = frozenset({"those", "these"})  # they mean what was spoken of
RENAMING = frozenset({"copy", "move", "rename_all"})  # what "it" is after these is open


@dataclass(frozen=True)
class Request:
    """One deed: what is done to which files, the ``words`` that name them, and whereto.

    ``name`` is the one thing that is meant, where it is called by its name; ``takes`` is what the
    deed takes besides.
    """

    deed: str
    of: FileSet
    to: str = ""
    words: str = ""
    name: str = ""
    takes: Mapping[str, Value] = field(default_factory=dict)

    @property
    def is_framed(self) -> bool:
        """Tell whether a frame was read: such a deed is said in no other way."""
        return self.deed not in {*SIMPLE_DEEDS, "list"} or bool(self.takes)

    @property
    def found_files(self) -> FileSet:
        """Give the files that "them" are: what is found is looked for in folders below, too."""
        is_deep = self.deed in {"find", "search"} and self.of.deep is None and not self.of.depth
        return replace(self.of, deep=True) if is_deep else self.of

    @property
    def is_surer_than_phrases(self) -> bool:
        """Tell whether a frame says more than phrases for the same words: they drop a part."""
        return self.is_framed and self.deed in SURE_DEEDS


def is_told(files: FileSet) -> bool:
    """Tell whether anything is said of files: all that there is at all is not meant so lightly."""
    return bool(files.params or files.place)


def says_several(words: str) -> bool:
    """Tell whether words for files mean all that fit: "every pdf", "log files", "everything"."""
    keys = [word.key for word in words_in(words)]
    several = words_for("words.all") | words_for("words.anything") | words_for("times.whatever")
    return bool(keys) and (keys[-1].endswith("s") or not several.isdisjoint(keys))


class DeedReader(SetReader):
    """Reads deeds that take a set of files, one after the other."""

    def read_all(self) -> tuple[Request, ...] | None:
        begin = self.at
        self.skip("words.polite")
        first = self.read_framed(None) or self.read_first()
        if first is None:
            return None
        if "recursively" in self.keys[begin : self.at] and first.of.deep is None and not first.name:
            first = replace(first, of=replace(first.of, deep=True))
        self.skip("words.courtesy", *(() if first.is_framed else ("words.polite",)))
        found = [first]
        while not self.is_over:
            self.skip_commas()
            if not self.says("following.and") and self.key(-1) != ",":
                return None
            self.skip("words.polite")
            if (shown := self.read_shown(found[-1])) is not None:
                found[-1] = shown
                continue
            after = self.read_framed(found[-1]) or self.read_request(found[-1])
            if after is None:
                return None
            found.append(after)
        return tuple(found)

    def read_framed(self, before: Request | None) -> Request | None:  # noqa: ARG002
        """Read a deed that takes more than files, if one stands here."""
        return None

    def read_first(self) -> Request | None:
        """Read the first deed; before it may stand where to search."""
        place, is_tree = self.read_searched_place()
        if not place:
            return self.read_request(None)
        begin = self.at
        of = self.read_set()
        if of is None or of.place or (of.only and self.is_several(begin)):
            return None
        deep = True if is_tree else of.deep
        words = self.text_between(begin, max(self.head_end, begin + 1))
        return Request("find", replace(of, place=place, deep=deep), words=words)

    def read_shown(self, found: Request) -> Request | None:
        """Read "and show the first one" behind what is looked for: so many of it."""
        begin = self.at
        if found.deed not in {*ASKING, "search"} or not self.says("following.shown"):
            return None
        self.skip("words.listing")
        if found.deed in ASKING and self.says("following.first"):
            limit = self.read_count() or 1
            self.skip("following.of_them")
            if not found.of.limit and self.is_ending():
                return replace(found, of=replace(found.of, limit=limit))
        elif self.says_them() and self.is_ending():
            return found  # what is found is shown, with all of this
        self.at = begin
        return None

    def says_them(self) -> bool:
        return self.says("following.about_them") or self.says("following.them")

    def is_ending(self) -> bool:
        """Tell whether a deed may end here."""
        return self.is_over or self.key() in words_for("following.and") or self.key() == ","

    def read_deed(self) -> str:
        """Read what is to be done; the longest saying of all deeds."""
        best, end, start = "", self.at, self.at
        for deed in SIMPLE_DEEDS:
            self.at = start
            if self.says(f"deeds.{deed}") and self.at > end:
                best, end = deed, self.at
        self.at = end if best else start
        return best

    def read_request(self, before: Request | None) -> Request | None:
        """Read one deed; ``before`` is the one whose files "them" are."""
        start = self.at
        deed = self.read_deed()
        if not deed and (before is not None or not self.is_asked_plainly()):
            return None
        if deed == "find" and self.words[start].key not in words_for("deep.known"):
            deed = "list"
        self.skip("words.polite", "words.listing", "words.articles")
        begin = self.head_end = self.at
        is_pointing = not POINTING.isdisjoint(self.keys[start:begin])
        if deed in CHANGING and before is None and is_pointing:
            return None
        if deed in CHANGING and (named := self.read_named(deed)) is not None:
            return named
        them = None if before is None else before.found_files
        for of in self.ways_to_read_object(deed, them):
            if of.only and self.is_several(begin):
                continue
            if deed in CHANGING and (not is_told(of) or (of.limit and not of.order)):
                continue  # which of them is not said
            is_named = not of.place or deed in CHANGING
            if is_named and of.params.keys() <= KINDS and self.may_be_folder(begin):
                continue
            words = self.text_between(begin, max(self.head_end, begin + 1))
            if before is not None and of is them:
                words = before.words  # "them"
            request = self.with_destination(Request(deed or "list", of, words=words), start)
            if request is not None and self.is_at_end():
                return request
        return None

    def may_be_folder(self, begin: int) -> bool:
        """Tell whether "logs" alone was read as a set: it may as well be the name of a folder."""
        idle = words_for("words.articles") | words_for("words.joints")
        said = [key for key in self.keys[begin : self.head_end] if key not in idle]
        return bool(said) and all(key in words_for("kinds.folders") for key in said)

    def is_at_end(self) -> bool:
        """Tell whether a deed ends here, perhaps with a polite word."""
        self.skip("words.polite", "words.courtesy")
        return self.is_ending()

    def read_named(self, deed: str) -> Request | None:
        """Read a deed that is done to one thing by its name, or to the one that was named."""
        begin = self.at
        for name, of in self.named_things():
            request = Request(deed, of, name=name)
            found = self.with_folder(request) if deed in {"move", "copy"} else request
            if found is not None and self.is_ending():
                return found
        self.at = begin
        return None

    def named_things(self) -> Iterator[tuple[str, FileSet]]:
        """Give the ways to read one thing by its name, and where it is."""
        return iter(())

    def with_folder(self, request: Request) -> Request | None:
        """Read the folder that a thing is brought to."""
        if self.says("following.to") and (to := self.read_folder()):
            return replace(request, to=to)
        return None

    def ways_to_read_object(self, deed: str, before: FileSet | None) -> Iterator[FileSet]:
        """Read the files that a deed is done to, in every way; the longest first."""
        begin = self.at
        if before is not None and self.says("following.them"):
            yield before
        self.at = begin
        if deed == "size" and (one := self.read_one_thing()) is not None:
            self.skip("words.being")  # "take up"
            yield one
        self.at = begin
        for of in self.ways_to_read_set():
            if deed == "size":
                self.skip("words.being")
            yield of

    def read_one_thing(self) -> FileSet | None:
        """Read "movie.mkv" or "the videos folder", whose size is asked for."""
        start = self.at
        self.skip("words.articles")
        is_folder = self.says("words.folders")
        name = self.read_name()
        if name.casefold().rpartition(".")[2] in self.endings and "." in name:
            return self.read_parts(FileSet(kind="file", patterns=((name,),)))
        if name and (is_folder or self.says("places.nouns")):
            return self.read_parts(FileSet(kind="folder", patterns=((name,),)))
        self.at = start
        return None

    def is_asked_plainly(self) -> bool:
        """Tell whether "files in work, please" asks for them: what they are is said at once."""
        nouns = words_for("words.files") | words_for("words.folders")
        return self.key() in nouns or singular(self.key()) in words_for("kinds.known")

    def with_destination(self, request: Request, start: int) -> Request | None:
        """Read where files are brought to, if the deed is to bring them somewhere."""
        if request.deed not in {"move", "copy"}:
            return request
        part = "placed" if self.key_at(start) in words_for("following.placing") else "to"
        if not self.says(f"following.{part}") or not (to := self.read_folder()):
            return None
        return replace(request, to=to, of=self.read_parts(request.of))

    def read_searched_place(self) -> tuple[str, bool]:
        """Read "search the docs folder for" before what is looked for."""
        begin = self.at
        if not self.says("searching.verbs"):
            return "", False
        self.says("places.in")
        place, is_tree = self.read_folder_and_tree()
        is_tree = self.says("places.below") or is_tree
        if place and self.key() == "for":
            self.at += 1
            return place, is_tree
        self.at = begin
        return "", False
