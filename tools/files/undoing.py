"""The goals that put files back as they were: each names its place by its whole path."""

from messages.goals import GoalDraft
from messages.message import Value

# Why something is not put back.
NOT_COMPARED = "it is too large to be compared, or cannot be read"
NOT_IN_TRASH = "it is not known what the trash calls it"


def goal(verb: str, path: str, **params: Value) -> tuple[GoalDraft, ...]:
    return (GoalDraft("file", verb, {"name": path, **params}),)


def to_discard(path: str, left: str | None) -> tuple[GoalDraft, ...]:
    """Undo the making of a thing: to the trash with it, if it still is what was ``left``."""
    return () if left is None else goal("discard", path, expects=left)


def to_restore(path: str, former: str | None, left: str) -> tuple[GoalDraft, ...]:
    """Undo the replacing of a content; nothing is to be done where it was the same."""
    if former is None or former == left:
        return ()
    return goal("restore", path, former=former, expects=left)


def to_shorten(path: str, size: int, former: str, left: str) -> tuple[GoalDraft, ...]:
    """Undo an addition to the end of a file that was ``size`` bytes long."""
    return goal("shorten", path, size=size, former=former, expects=left)


def to_untrash(path: str, entry: str | None) -> tuple[GoalDraft, ...]:
    """Undo a deletion, if it is known what the trash calls the thing."""
    return () if entry is None else goal("untrash", path, entry=entry)


def to_unmove(source: str, target: str, moved: str | None) -> tuple[GoalDraft, ...]:
    """Undo a move or a renaming: back to where it was, if it still is what was ``moved``."""
    return () if moved is None else goal("unmove", target, to=source, expects=moved)
