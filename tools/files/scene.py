"""Files as a world: what is in a folder, in words that people have for it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import msgspec

from messages.executing import Refused
from messages.worlds import Thing, World
from tools.files.looking import Entry, entries_in
from tools.files.roots import Roots
from tools.files.threads import in_thread

WORD = re.compile(r"[^\W\d_]+|\d+")
GENERAL = ("file", "folder", "directory", "directorie", "thing")
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Kinds:
    """What people call files: by their endings, and all the words there are for kinds."""

    by_ending: Mapping[str, list[str]]
    words: frozenset[str]


@cache
def kinds() -> Kinds:
    """Read the table of kinds: a ``jpg`` is a picture."""
    text = files(__package__).joinpath("kinds.toml").read_text("utf-8")
    table = msgspec.toml.decode(text, type=dict[str, list[str]])
    by_ending: dict[str, list[str]] = {}
    for word, endings in table.items():
        for ending in endings:
            by_ending.setdefault(ending, []).append(word)
    words = {*table, *by_ending, *GENERAL}
    return Kinds(by_ending, frozenset(words | {f"{word}s" for word in words}))


@dataclass(frozen=True, slots=True)
class Files:
    """The entries of a folder; ``anchors`` are folders that are known by a name of their own."""

    roots: Roots
    anchors: Mapping[str, str]
    default: str

    async def look(self, within: str, *, again: bool = False, words: str = "") -> World | Refused:  # noqa: ARG002
        """List a folder, and the places that things may be brought to."""
        folder = within or self.default
        here = await in_thread(lambda: entries_in(self.roots, folder))
        if isinstance(here, Refused) or folder == self.default:
            return here if isinstance(here, Refused) else self.world(here, here)
        home = await in_thread(lambda: entries_in(self.roots, self.default))
        return home if isinstance(home, Refused) else self.world(here, home)

    def world(self, entries: list[Entry], home: list[Entry]) -> World:
        """Make a world of what is in a folder, and of the folders that can be named from here.

        Hidden and protected things are not counted when somebody speaks of the first or the
        newest; a hidden folder can still be named as a place.
        """
        things = {entry.path: thing_of(entry) for entry in entries}
        listed = tuple(entry.path for entry in entries if self.is_shown(entry))
        listed_ids = frozenset(listed)
        inner = tuple(entry.path for entry in entries if entry.is_folder)
        around = [entry for entry in home if entry.is_folder and self.is_shown(entry)]
        for entry in around:
            things.setdefault(entry.path, thing_of(entry))
        anchors = {path: name for name, path in self.anchors.items() if ":" not in name}
        for path, name in anchors.items():
            things.setdefault(path, Thing(path, name, "folder", proper=True))
        shown = (path for path in inner if path in listed_ids)
        places = dict.fromkeys((*shown, *(entry.path for entry in around), *anchors))
        scopes = {"entries": listed, "places": inner, "destinations": tuple(places)}
        return World(tuple(things.values()), None, scopes)

    def is_shown(self, entry: Entry) -> bool:
        """Tell whether people see an entry when they look at a folder."""
        return not entry.name.startswith(".") and entry.name.casefold() not in self.roots.protected


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
    return Thing(
        id=entry.path,
        name=entry.name,
        kind="file",
        keywords=tuple(dict.fromkeys([*words, *of_kind])),
        proper=True,
        measures=measures,
    )
