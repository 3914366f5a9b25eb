"""Commands for later: the time that a text begins or ends with, and what is left of it.

"Every weekday at 8 open example.com" is a command with a time; "be quiet for an hour" is one with
its reverse after a time. Whether what is left is a command, the grammar tells.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from actors.interpreter.grammar.closed_frames import Word, words_of
from actors.language.times import TimeReader, words_of_time
from messages.goals import GoalDraft

LEADS = " ,;:"
POLITE_ENDS = ("please", "thanks", "thank you", "for me", "ok", "okay")
IF_FIRST = re.compile(
    r"(?P<if>(?i:if|unless)) (?P<condition>[^,]+?)(?:,| then) *(?:then )?(?P<rest>.+)"
)
IF_LAST = re.compile(r"(?P<rest>.+?),? (?P<if>(?i:if|unless)) (?P<condition>[^,]+)")
JOINING = frozenset({"and", "then", ",", "afterwards", "also"})
ORDERING = frozenset({"then", "afterwards"})
LASTING = frozenset({"for", "until", "till"})
JOINTS = ("then ", "please ")


def without_politeness(text: str) -> str:
    """Leave out the polite words that a text ends with."""
    bare = text.strip().rstrip(".!? ")
    for end in POLITE_ENDS:
        if bare.casefold().endswith(f" {end}"):
            return bare[: -len(end)].rstrip(LEADS)
    return bare


@lru_cache(maxsize=8)  # a doubt is looked for first, then what is for later
def splits(text: str) -> tuple[tuple[str, str, bool], ...]:
    """Give what is left of a text without a time, that time, and whether it stands at the end."""
    return tuple(time_splits(text))


def time_splits(text: str) -> Iterator[tuple[str, str, bool]]:
    bare = without_politeness(text)
    words = words_of(bare)
    keys = [word.key for word in words]
    if words_of_time().isdisjoint(keys):
        return
    reader = TimeReader(keys)
    for start in range(1, len(words)):
        found = reader.when(start)
        if found is not None and found[0] == len(words) and found[1].is_exact:
            yield bare[: words[start - 1].end].rstrip(LEADS), said(bare, words[start:]), True
            break
    found = reader.when(0)
    if found is not None and found[0] < len(words) and found[1].is_exact:
        rest = bare[words[found[0]].start :].lstrip(LEADS)
        for joint in JOINTS:
            rest = rest.removeprefix(joint)
        yield rest, said(bare, words[: found[0]]), False


def lasting(text: str) -> tuple[str, str] | None:
    """Give what is left of a text without "for an hour" or "until 3 pm", and when that is over."""
    bare = without_politeness(text)
    words = words_of(bare)
    keys = [word.key for word in words]
    reader = TimeReader(keys)
    for start in range(1, len(words) - 1):
        if keys[start] not in LASTING:
            continue
        begin = start + 1 + (keys[start + 1] in {"the", "next"})
        begin += begin < len(keys) and keys[begin] == "next"
        rest = bare[: words[start - 1].end].rstrip(LEADS)
        if keys[start] == "for":
            length = reader.duration(begin) or unit_alone(reader, begin)
            if length is not None and length[0] == len(words):
                return rest, f"in {words_said(words[begin:], reader, begin)}"
        else:
            found = reader.when(begin, is_led=True)
            if found is not None and found[0] == len(words):
                time = said(bare, words[begin:])
                return rest, time if keys[begin] in {"at", "tomorrow"} else f"at {time}"
    return None


@dataclass(frozen=True, slots=True)
class Conditional:
    """A condition and what is done then; ``negated`` if it is done "unless" that is so."""

    condition: str
    rest: str
    negated: bool


def read_if(text: str) -> Conditional | None:
    """Part "if X, do Y" and "do Y unless X" into X and Y; None if neither word stands there."""
    bare = without_politeness(text)
    found = IF_FIRST.fullmatch(bare) or IF_LAST.fullmatch(bare)
    if found is None:
        return None
    return Conditional(found["condition"], found["rest"], found["if"].casefold() == "unless")


@dataclass(frozen=True, slots=True)
class Joint:
    """A piece of a text between joints, and whether the joint before it says an order."""

    text: str
    start: int
    end: int
    is_order: bool


def joined_pieces(text: str) -> list[Joint]:
    """Cut a text at "and", "then" and commas."""
    words = words_of(text)
    found: list[Joint] = []
    at = 0
    while at < len(words):
        begin = at
        while at < len(words) and words[at].key in JOINING:
            at += 1
        is_order = any(word.key in ORDERING for word in words[begin:at])
        start = at
        while at < len(words) and words[at].key not in JOINING:
            at += 1
        if at > start:
            found.append(Joint(text, words[start].start, words[at - 1].end, is_order))
    return found


def piece_text(pieces: Sequence[Joint], start: int, end: int) -> str:
    """Give the text from one piece to another."""
    return pieces[0].text[pieces[start].start : pieces[end - 1].end].rstrip(LEADS)


def unit_alone(reader: TimeReader, at: int) -> tuple[int, float] | None:
    """Read "hour" in "for the next hour"."""
    unit = reader.table.units.get(reader.key(at))
    return None if unit is None else (at + 1, float(unit))


def words_said(words: Sequence[Word], reader: TimeReader, at: int) -> str:
    text = " ".join(word.text for word in words)
    return text if reader.duration(at) is not None else f"one {text}"


def said(text: str, words: Sequence[Word]) -> str:
    """Give words as they were said."""
    return text[words[0].start : words[-1].end].rstrip(LEADS)


def later_draft(command: str, at: str, *, scope: str = "root") -> GoalDraft:
    return GoalDraft("schedule", "command", {"at": at, "command": command}, scope=scope)
