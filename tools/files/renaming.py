"""Renaming of many: every name is made by the same change, and all are checked before the first."""

import os
from dataclasses import dataclass

from messages.executing import Done, Recovered
from messages.message import Row
from messages.results import Code
from tools.files import undoing
from tools.files.answers import meant
from tools.files.digests import digest_if_possible
from tools.files.primitives import relocate, remove_old_name
from tools.files.queries import Query
from tools.files.recovery import Before, Move, changed_meanwhile, stamp_of
from tools.files.roots import Refusal, Roots
from tools.files.undoing import NOT_COMPARED

MOST_RENAMED = 1_000
LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class Change:
    """What is done to a name: a text in it replaced, its case, what is added, its ending."""

    find: str = ""
    replace: str = ""
    ending: str = ""
    prefix: str = ""
    suffix: str = ""
    case: str = ""

    def __post_init__(self) -> None:
        if not any((self.find, self.ending, self.prefix, self.suffix, self.case)):
            raise Refusal(Code.NOT_FEASIBLE, "it is not said how the names are to change")

    def apply(self, name: str) -> str:
        """Give the new name of a file."""
        changed = name.replace(self.find, self.replace) if self.find else name
        if self.case:
            changed = changed.lower() if self.case == "lower" else changed.upper()
        stem, dot, ending = changed.rpartition(".")
        if not stem:  # no ending, or a hidden name
            stem, dot, ending = changed, "", ""
        if self.ending:
            dot, ending = ".", self.ending.removeprefix(".")
        return f"{self.prefix}{stem}{self.suffix}{dot}{ending}"


def moves_for(roots: Roots, said: Query, change: Change) -> list[tuple[str, str]]:
    """Give the old and the new path of every file whose name changes; refuse what collides."""
    entries = meant(roots, said)
    if not entries:
        raise Refusal(Code.TARGET_NOT_FOUND, f"nothing of that kind is in {said.path}")
    if change.find and not any(change.find in entry.name for entry in entries):
        raise Refusal(Code.TARGET_NOT_FOUND, f"no name there has {change.find!r} in it")
    moves = [
        (entry.path, os.path.join(os.path.dirname(entry.path), change.apply(entry.name)))
        for entry in entries
        if change.apply(entry.name) != entry.name
    ]
    if len(moves) > MOST_RENAMED:
        raise Refusal(Code.TOO_LARGE, f"more than {MOST_RENAMED} would be renamed; say which")
    refuse_nested(moves)
    refuse_collisions(roots, moves)
    return moves


def refuse_nested(moves: list[tuple[str, str]]) -> None:
    """Refuse to rename a folder together with what is in it."""
    sources = {source for source, _ in moves}
    for source in sources:
        if os.path.dirname(source) in sources:
            message = f"{source} lies in a folder that would be renamed, too"
            raise Refusal(Code.NOT_FEASIBLE, message)


def refuse_collisions(roots: Roots, moves: list[tuple[str, str]]) -> None:
    """Refuse all if one new name is no name, is taken, or would be that of two."""
    targets: set[str] = set()
    for source, target in moves:
        name = os.path.basename(target)
        if not is_name(name) or name.casefold() in roots.protected:
            raise Refusal(Code.NOT_ALLOWED, f"{name!r} is not a file name that may be given")
        with roots.spot(target) as spot:
            if spot.exists() or target in targets:
                message = f"{source} would be called {name!r}, and that name is taken"
                raise Refusal(Code.ALREADY_EXISTS, message)
        targets.add(target)


def is_name(name: str) -> bool:
    is_plain = name not in {"", ".", ".."} and "\0" not in name and name.strip() == name
    return is_plain and len(os.fsencode(name)) <= LONGEST_NAME


def refuse_paths(change: Change) -> None:
    """Refuse a change that would make paths of names."""
    parts = (change.replace, change.ending, change.prefix, change.suffix)
    if any("/" in part for part in parts):
        raise Refusal(Code.NOT_ALLOWED, "a name cannot have a slash in it")


def rename_all(roots: Roots, said: Query, change: Change) -> Done:
    """Rename all files that are meant; those before one that cannot be renamed go back."""
    refuse_paths(change)
    moves = moves_for(roots, said, change)
    if not moves:
        return Done({"path": said.path, "renamed": 0}, changed=False)
    digests: list[str | None] = []
    finished: list[tuple[str, str]] = []
    try:
        for source, target in moves:
            digests.append(renamed(roots, source, target))
            finished.append((source, target))
    except (OSError, Refusal):
        for source, target in reversed(finished):
            renamed(roots, target, source)
        raise
    return report(said, moves, digests)


def renamed(roots: Roots, source: str, target: str) -> str | None:
    """Give one thing its new name, and its digest for an undo."""
    with roots.spot(source) as old, roots.spot(target) as new:
        digest = digest_if_possible(old)
        relocate(old, new)
        return digest


def report(said: Query, moves: list[tuple[str, str]], digests: list[str | None]) -> Done:
    """Report what was renamed; the last is undone first."""
    goals = [
        undoing.to_unmove(source, target, digest)
        for (source, target), digest in zip(moves, digests, strict=True)
    ]
    undo = tuple(goal for some in reversed(goals) for goal in some) if all(goals) else ()
    names = ", ".join(os.path.basename(target) for _, target in moves[:20])
    output: Row = {"path": said.path, "renamed": len(moves), "names": names}
    return Done(output, undo=undo, lasting="" if undo else NOT_COMPARED)


def were_renamed(roots: Roots, done: Done) -> bool | None:
    """Tell whether all things have their new names."""
    for goal in done.undo:
        with roots.spot(str(goal.params["name"])) as spot:
            if not spot.exists():
                return False
    return True if done.undo or not done.changed else None


def before_renaming(roots: Roots, said: Query, change: Change) -> Before:
    """Note every old and new path, and which thing it is."""
    moves = []
    for source, target in moves_for(roots, said, change):
        with roots.spot(source) as spot:
            here = stamp_of(spot)
            moves.append(Move(source, target, "" if here is None else here.inode))
    return Before(moves=tuple(moves))


def recover_renamed(roots: Roots, said: Query, before: Before) -> Recovered:
    """Things keep their inodes: what has no new name yet gets it now, if any has."""
    done = [is_at(roots, each.target, each.inode) for each in before.moves]
    if not any(done):
        return None
    digests: list[str | None] = []
    for each, is_done in zip(before.moves, done, strict=True):
        with roots.spot(each.source) as old, roots.spot(each.target) as new:
            if is_done:
                if is_at(roots, each.source, each.inode):
                    remove_old_name(old, new)
                digests.append(digest_if_possible(new))
                continue
        if not is_at(roots, each.source, each.inode):
            return changed_meanwhile(each.source)
        digests.append(renamed(roots, each.source, each.target))
    return report(said, [(each.source, each.target) for each in before.moves], digests)


def is_at(roots: Roots, path: str, inode: str) -> bool:
    with roots.spot(path) as spot:
        now = stamp_of(spot)
        return now is not None and now.inode == inode
