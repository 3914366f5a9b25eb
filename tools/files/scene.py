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
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


@cache
def kinds() -> Mapping[str, list[str]]:
    """Give the words for files by their endings: a ``jpg`` is a picture."""
    text = files(__package__).joinpath("kinds.toml").read_text("utf-8")
    table = msgspec.toml.decode(text, type=dict[str, list[str]])
    found: dict[str, list[str]] = {}
    for word, endings in table.items():
        for ending in endings:
            found.setdefault(ending, []).append(word)
    return found


@dataclass(frozen=True, slots=True)
class Files:
    """The entries of a folder; ``anchors`` are folders that are known by a name of their own."""

    roots: Roots
    anchors: Mapping[str, str]
    default: str

    async def look(self, within: str) -> World:
        """List a folder, and the places that things may be brought to."""
        folder = within or self.default
        here = await in_thread(lambda: entries_in(self.roots, folder))
        home = here
        if folder != self.default:
            home = await in_thread(lambda: entries_in(self.roots, self.default))
        entries = [] if isinstance(here, Refused) else here
        around = [] if isinstance(home, Refused) else [each for each in home if each.is_folder]
        return self.world(entries, around)

    def world(self, entries: list[Entry], around: list[Entry]) -> World:
        """Make a world of what is in a folder, and of the folders that can be named from here."""
        things = {entry.path: thing_of(entry) for entry in entries}
        listed = tuple(things)
        for entry in around:
            things.setdefault(entry.path, thing_of(entry))
        for name, path in self.anchors.items():
            if ":" not in name:
                things.setdefault(path, Thing(path, name, "folder"))
        places = tuple(path for path, thing in things.items() if thing.kind == "folder")
        inner = tuple(path for path in listed if things[path].kind == "folder")
        scopes = {"entries": listed, "places": inner, "destinations": places}
        return World(tuple(things.values()), None, scopes)


def thing_of(entry: Entry) -> Thing:
    """Describe a file by its name, the words in it, what kind it is, its size and its age."""
    stem, dot, ending = entry.name.rpartition(".")
    named = stem if dot and stem and not entry.is_folder else entry.name
    words = WORD.findall(HUMP.sub(" ", named))
    known = [] if entry.is_folder else [*kinds().get(ending.casefold(), ()), ending]
    return Thing(
        id=entry.path,
        name=entry.name,
        kind="folder" if entry.is_folder else "file",
        aliases=(named,) if named != entry.name else (),
        keywords=tuple(dict.fromkeys([*words, *known] if dot or words else words)),
        measures={"modified": entry.modified, "size": entry.size},
    )
