"""Shopping lists, to-do lists and the like: one text file for each, one entry a line."""

import os
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import anyio.to_thread

from messages.executing import Done, Outcome, Refused
from messages.goals import GoalDraft
from messages.message import Value
from messages.results import Code
from tools.tool import AnyTool, Params, Tool

INTENT = "list_control"
ENDING = ".txt"
LONGEST_NAME = 80
NEAR = 60
UNSAFE = re.compile(r"[^\w '&+.-]")
BETWEEN = re.compile(r"\s*,\s*(?:and\s+)?")
WHICH = "say which list is meant; there is {names}"
NONE = "there is no list {name!r}{near}"


class Named(Params, frozen=True):
    list: str = ""


class Item(Params, frozen=True):
    item: str
    list: str = ""


class Filled(Params, frozen=True):
    """A list, and its entries, one a line."""

    list: str
    items: str = ""


P = TypeVar("P", bound=Params)


def list_tools(folder: Path) -> tuple[AnyTool, ...]:
    """Declare the tools; the lists are in this folder."""
    lists = Lists(folder)
    return (
        tool("add", Item, lists.add),
        tool("remove", Item, lists.remove),
        tool("show", Named, lists.show),
        tool("has", Item, lists.has),
        tool("clear", Named, lists.clear),
        tool("create", Named, lists.create),
        tool("drop", Named, lists.drop),
        tool("lists", Named, lists.name_all),
        tool("fill", Filled, lists.fill),
    )


def tool(verb: str, params: type[P], act: Callable[[P], Outcome]) -> AnyTool:
    def in_thread(given: P) -> Awaitable[Outcome]:
        return anyio.to_thread.run_sync(attempt, act, given)

    return Tool(
        name=f"list.{verb}",
        intent=INTENT,
        achieves=frozenset({f"list_{verb}"}),
        params=params,
        act=in_thread,
    )


def attempt(act: Callable[[P], Outcome], given: P) -> Outcome:
    try:
        return act(given)
    except OSError as error:
        return Refused(Code.IO_FAILED, str(error))


@dataclass(frozen=True)
class Lists:
    """The folder with the lists; each change of one replaces its file at once."""

    folder: Path

    # Changing

    def add(self, params: Item) -> Outcome:
        """Add entries; what is on the list already is not added again."""
        name = self.find(params.list, may_be_new=True)
        if isinstance(name, Refused):
            return name
        entries = self.read(name)
        known = {entry.casefold() for entry in entries}
        new = [item for item in items_of(params.item) if item.casefold() not in known]
        if new:
            self.write(name, [*entries, *new])
        undo = [goal("remove", item=item, list=name) for item in reversed(new)]
        return Done({"list": name, "added": new}, undo=tuple(undo), changed=bool(new))

    def remove(self, params: Item) -> Outcome:
        name = self.find(params.list)
        if isinstance(name, Refused):
            return name
        entries = self.read(name)
        wanted = [item.casefold() for item in items_of(params.item)]
        gone = [entry for entry in entries if entry.casefold() in wanted]
        if len(gone) < len(wanted):
            reason = f"{params.item!r} is not on the list {name}{nearest(params.item, entries)}"
            return Refused(Code.TARGET_NOT_FOUND, reason)
        self.write(name, [entry for entry in entries if entry not in gone])
        undo = (goal("fill", list=name, items="\n".join(entries)),)
        return Done({"list": name, "removed": gone}, undo=undo)

    def clear(self, params: Named) -> Outcome:
        name = self.find(params.list)
        if isinstance(name, Refused):
            return name
        entries = self.read(name)
        self.write(name, [])
        undo = (goal("fill", list=name, items="\n".join(entries)),) if entries else ()
        return Done({"list": name, "removed": entries}, undo=undo, changed=bool(entries))

    def create(self, params: Named) -> Outcome:
        name = new_name(params.list)
        if isinstance(name, Refused):
            return name
        if self.path(name).exists():
            return Refused(Code.ALREADY_EXISTS, f"there is a list {name!r} already")
        self.write(name, [])
        return Done({"list": name}, undo=(goal("drop", list=name),))

    def drop(self, params: Named) -> Outcome:
        name = self.find(params.list)
        if isinstance(name, Refused):
            return name
        entries = self.read(name)
        self.path(name).unlink()
        undo = (goal("fill", list=name, items="\n".join(entries)),)
        return Done({"list": name, "removed": entries}, undo=undo)

    def fill(self, params: Filled) -> Outcome:
        """Put a list back as it was."""
        name = new_name(params.list)
        if isinstance(name, Refused):
            return name
        entries = params.items.splitlines()
        self.write(name, entries)
        return Done({"list": name, "entries": entries})

    # Looking

    def show(self, params: Named) -> Outcome:
        name = self.find(params.list)
        if isinstance(name, Refused):
            return name
        return Done({"list": name, "entries": self.read(name)}, changed=False)

    def has(self, params: Item) -> Outcome:
        name = self.find(params.list)
        if isinstance(name, Refused):
            return name
        entries = [entry.casefold() for entry in self.read(name)]
        answer = all(item.casefold() in entries for item in items_of(params.item))
        return Done({"list": name, "item": params.item, "answer": answer}, changed=False)

    def name_all(self, _params: Named) -> Outcome:
        return Done({"lists": self.names()}, changed=False)

    # Files

    def names(self) -> list[str]:
        if not self.folder.is_dir():
            return []
        return sorted(path.stem for path in self.folder.glob(f"*{ENDING}"))

    def find(self, said: str, *, may_be_new: bool = False) -> str | Refused:
        """Find the list that is meant: by its name, or the only one there is."""
        names = self.names()
        if not said:
            if len(names) == 1:
                return names[0]
            listed = ", ".join(names) or "none yet"
            return Refused(Code.AMBIGUOUS_TARGET, WHICH.format(names=listed))
        key = said.casefold().strip()
        for name in names:
            if key in {name.casefold(), f"{name.casefold()}s"} or f"{key}s" == name.casefold():
                return name
        if may_be_new:
            return new_name(said)
        return Refused(Code.TARGET_NOT_FOUND, NONE.format(name=said, near=nearest(said, names)))

    def path(self, name: str) -> Path:
        return self.folder / f"{name}{ENDING}"

    def read(self, name: str) -> list[str]:
        path = self.path(name)
        return path.read_text().splitlines() if path.exists() else []

    def write(self, name: str, entries: Sequence[str]) -> None:
        """Replace a list whole, so that a crash leaves it as it was or as it is meant."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self.path(name)
        draft = path.with_suffix(".new")
        with draft.open("w") as file:
            file.write("".join(f"{entry}\n" for entry in entries))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)


def goal(verb: str, **params: Value) -> GoalDraft:
    return GoalDraft("list", verb, params)


def items_of(said: str) -> list[str]:
    """Give the entries of "milk, eggs and bread"; without commas it is one."""
    if "," not in said:
        return [" ".join(said.split())]
    *some, last = BETWEEN.split(said)
    return [item for item in (*some, *last.split(" and ", 1)) if item.strip()]


def new_name(said: str) -> str | Refused:
    """Give a name as a file can have it."""
    name = UNSAFE.sub(" ", " ".join(said.casefold().split())).strip(" .")
    if not name or len(name) > LONGEST_NAME:
        return Refused(Code.VALIDATION_FAILED, "say what the list is called")
    return name


def nearest(said: str, names: Sequence[str]) -> str:
    """Name what is near, for a person who may have misspelt it."""
    from rapidfuzz import process  # noqa: PLC0415 - only a refusal needs it

    near = process.extractOne(said, names, score_cutoff=NEAR)
    return "" if near is None else f"; there is {near[0]!r}"
