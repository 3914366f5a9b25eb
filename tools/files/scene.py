"""Files as a world: what is in a folder, in words that people have for it."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec

from messages.executing import Refused
from messages.message import Value
from messages.queries import FILTERS
from messages.worlds import Thing, World
from tools.files.kinds import endings_of, kinds, kinds_by_name
from tools.files.queries import Query, select_entries
from tools.files.roots import Roots
from tools.files.threads import in_thread
from tools.files.verify import Entry, entries_in
from tools.tool import NOTHING

WORD = re.compile(r"[^\W\d_]+|\d+")
# Parameters that name a text which is replaced or removed.
CHANGED_TEXTS = ("old", "containing")
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Files:
    """The entries of a folder; ``anchors`` are folders that are known by a name of their own."""

    roots: Roots
    anchors: Mapping[str, str]
    default: str

    async def look(
        self,
        within: str,
        *,
        again: bool = False,  # noqa: ARG002
        words: str = "",  # noqa: ARG002
        args: Mapping[str, Value] = NOTHING,
    ) -> World | Refused:
        """List a folder, and the places that things may be brought to.

        Where the action says which files are meant, only those are there.
        """
        folder = within or self.default
        said = query_in(args, folder)
        here = await in_thread(lambda: self.entries(folder, said))
        if isinstance(here, Refused):
            return here
        if said is None and folder == self.default:
            return self.world(here, here)
        home = await in_thread(lambda: entries_in(self.roots, self.default))
        if isinstance(home, Refused):
            return home
        return self.world(here, home, is_chosen=said is not None)

    def entries(self, folder: str, said: Query | None) -> list[Entry]:
        if said is None:
            return entries_in(self.roots, folder)
        found = select_entries(self.roots, said, endings_of(said.type))
        # Those in folders below go by the way to them: in a list for approval names are too little.
        start = f"{os.path.normpath(folder).rstrip('/')}/"
        ways = ((entry, entry.path.removeprefix(start)) for entry in found)
        return [entry if way == entry.name else replace(entry, name=way) for entry, way in ways]

    def world(self, entries: list[Entry], home: list[Entry], *, is_chosen: bool = False) -> World:
        """Make a world of what is in a folder, and of the folders that can be named from here.

        Hidden and protected things are not counted when somebody speaks of the first or the
        newest, unless the entries are chosen already; a hidden folder can be named as a place.
        """
        things = {entry.path: thing_of(entry) for entry in entries}
        listed = tuple(entry.path for entry in entries if is_chosen or self.is_shown(entry))
        listed_ids = frozenset(listed)
        inner = tuple(entry.path for entry in entries if entry.is_folder)
        around = [entry for entry in home if entry.is_folder and self.is_shown(entry)]
        for entry in around:
            things.setdefault(entry.path, thing_of(entry))
        anchors = {path: name for name, path in self.anchors.items() if ":" not in name}
        for path, name in anchors.items():
            things.setdefault(path, Thing(path, name, "folder", proper=True))
        shown = (path for path in inner if path in listed_ids)
        named = dict.fromkeys((*shown, *(entry.path for entry in around), *anchors))
        places = (*inner, *self.default_by_name(anchors, entries, home))
        scopes = {"entries": listed, "places": places, "destinations": tuple(named)}
        return World(tuple(things.values()), None, scopes)

    def default_by_name(
        self, anchors: Mapping[str, str], entries: list[Entry], home: list[Entry]
    ) -> tuple[str, ...]:
        """Give the default folder if its name is not that of a folder in it, which goes first."""
        name = anchors.get(self.default)
        if name is None or entries is not home:
            return ()
        is_taken = any(entry.name.casefold() == name.casefold() for entry in home)
        return () if is_taken else (self.default,)

    def is_shown(self, entry: Entry) -> bool:
        """Tell whether people see an entry when they look at a folder."""
        return not entry.name.startswith(".") and entry.name.casefold() not in self.roots.protected


def query_in(args: Mapping[str, Value], folder: str) -> Query | None:
    """Give what an action says of the files that it is for; None if it says nothing."""
    said = {name: value for name, value in args.items() if name in FILTERS and value}
    if not said:
        return None
    for changed in CHANGED_TEXTS:  # files without it are not changed
        if text := args.get(changed):
            said.setdefault("contains", text)
    return msgspec.convert({**said, "name": folder, "path": folder}, Query)


def thing_of(entry: Entry) -> Thing:
    """Describe a file by its name, the words in it, what kind it is, its size and its age.

    A word for a kind ("picture") is said only of what is of that kind, whatever it is called.
    """
    stem, dot, ending = entry.name.rpartition(".")
    measures = {"modified": entry.modified, "size": float(entry.size)}
    if entry.is_folder:
        folder = ("directory",)
        return Thing(
            entry.path, entry.name, "folder", keywords=folder, proper=True, measures=measures
        )
    named = stem if dot and stem else entry.name
    known = kinds()
    words = [
        word for word in WORD.findall(HUMP.sub(" ", named)) if word.casefold() not in known.words
    ]
    of_kind = [*known.by_ending.get(ending.casefold(), ()), ending.casefold()] if dot else []
    of_kind += kinds_by_name(entry.name)
    return Thing(
        id=entry.path,
        name=entry.name,
        kind="file",
        keywords=tuple(dict.fromkeys([*words, *of_kind])),
        proper=True,
        measures=measures,
    )
