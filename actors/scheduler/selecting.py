"""Which entries words mean, and what a change makes of them. Pure."""

from collections.abc import Sequence
from datetime import datetime

from actors.language.times import read_duration, read_when
from actors.language.words import fold
from actors.scheduler.moments import first_moment, moments, renewed
from messages.results import Code
from messages.scheduling import Change, Entry, EntryRefused, Selection

NONE = "no {what} is set"
SEVERAL = "several are set: {names}; say which one"
ALREADY = {"pause": "paused", "resume": "running"}


def chosen(
    entries: Sequence[Entry], selection: Selection, now: float, change: Change
) -> tuple[Entry, ...] | EntryRefused:
    """Give the entries that are meant: one, unless all are; or say why that is not clear."""
    found = fitting(entries, selection, now, is_back=change == "restore")
    if not found:
        return EntryRefused(Code.TARGET_NOT_FOUND, nothing_found(entries, selection))
    if selection.which == "all" or change == "left":
        return found
    if selection.which in {"next", "last"}:
        return (found[0] if selection.which == "next" else max(found, key=age),)
    if len(found) > 1:
        names = ", ".join(map(called, found))
        return EntryRefused(Code.AMBIGUOUS_TARGET, SEVERAL.format(names=names))
    return found


def age(entry: Entry) -> float:
    return entry.created


def fitting(
    entries: Sequence[Entry], selection: Selection, now: float, *, is_back: bool = False
) -> tuple[Entry, ...]:
    """Give the entries that words fit, those that are due first before the others."""
    states = {"cancelled"} if is_back else {"active", "paused"}
    found = [
        entry
        for entry in entries
        if entry.state in states
        and (selection.kind in {"any", entry.kind} or entry.id == selection.id)
        and (not selection.id or entry.id == selection.id)
        and is_called(entry, selection.name)
        and is_as_long(entry, selection.said)
        and is_due(entry, selection.at, now)
    ]
    return tuple(sorted(found, key=lambda entry: (entry.due is None, entry.due or 0.0)))


def is_called(entry: Entry, name: str) -> bool:
    """Tell whether a name, or the text of a reminder, is the one that was said."""
    said = fold(name)
    return not said or said == fold(entry.name) or said in fold(entry.text)


def is_as_long(entry: Entry, said: str) -> bool:
    length = read_duration(said) if said else None
    return not said or (entry.kind == "timer" and entry.when.after == length)


def is_due(entry: Entry, at: str, now: float) -> bool:
    """Tell whether an entry is due when it was said: at that time, or on that day."""
    if not at:
        return True
    when = read_when(at)
    if when is None:
        return False
    if entry.when == when:
        return True
    if when.clock and not when.day and not when.every:
        return entry.when.clock == when.clock
    if entry.due is None or not when.day:
        return False
    day = datetime.fromtimestamp(next(moments(when, now))).date()  # noqa: DTZ006
    same_day = datetime.fromtimestamp(entry.due).date() == day  # noqa: DTZ006
    return same_day and (not when.clock or entry.when.clock == when.clock)


def nothing_found(entries: Sequence[Entry], selection: Selection) -> str:
    """Say that nothing of the kind is set, and what is."""
    kind = "schedule" if selection.kind == "any" else selection.kind
    words = " ".join(filter(None, (kind, selection.name or selection.said or selection.at)))
    others = fitting(entries, Selection(kind=selection.kind), 0.0)
    there = f"; there is {', '.join(map(called, others[:5]))}" if others else ""
    return NONE.format(what=words) + there


def called(entry: Entry) -> str:
    """Name an entry for a person."""
    about = entry.name or entry.text
    return f"{entry.kind} {entry.said}" + (f" ({about})" if about else "")


def changed(entry: Entry, change: Change, now: float, by: float) -> Entry | EntryRefused:
    """Give an entry as a change leaves it."""
    match change:
        case "cancel":
            return renewed(entry, state="cancelled")
        case "left":
            return entry
        case "restore":
            if entry.due is not None and entry.due <= now and not entry.when.repeats:
                return EntryRefused(Code.NOT_FEASIBLE, "its time has passed meanwhile")
            due = entry.due if (entry.due or 0.0) > now else first_moment(entry.when, now)
            return renewed(entry, state="active" if entry.left is None else "paused", due=due)
        case "pause" | "resume":
            return paused(entry, now) if change == "pause" else resumed(entry, now)
        case "change":
            return prolonged(entry, now, by)


def paused(entry: Entry, now: float) -> Entry | EntryRefused:
    if entry.state == "paused":
        return EntryRefused(Code.NOT_FEASIBLE, f"{called(entry)} is paused already")
    left = None if entry.due is None else max(0.0, entry.due - now)
    return renewed(entry, state="paused", due=None, left=left)


def resumed(entry: Entry, now: float) -> Entry | EntryRefused:
    if entry.state != "paused":
        return EntryRefused(Code.NOT_FEASIBLE, f"{called(entry)} is not paused")
    if entry.kind == "timer":
        due: float | None = now + (entry.left or 0.0)
    else:
        due = first_moment(entry.when, now)
    return renewed(entry, state="active", due=due, left=None)


def prolonged(entry: Entry, now: float, by: float) -> Entry | EntryRefused:
    """Give a timer more time, or less; what is over cannot be shortened."""
    if entry.kind != "timer":
        return EntryRefused(Code.NOT_FEASIBLE, "only the time of a timer can be changed")
    if entry.left is not None:
        if entry.left + by <= 0:
            return EntryRefused(Code.NOT_FEASIBLE, "it has less time left than that")
        return renewed(entry, left=entry.left + by)
    if entry.due is None or entry.due + by <= now:
        return EntryRefused(Code.NOT_FEASIBLE, "it has less time left than that")
    return renewed(entry, due=entry.due + by)
