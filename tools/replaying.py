"""`behest replay`: recorded decisions are made again and compared with those of then."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from messages.goals import Goal, GoalDraft
from messages.interpreting import Interpret, ReadChoice
from messages.planning import MakePlans, PlanCourse, PlanReveal
from messages.replaying import (
    Decided,
    Decision,
    InterpretWith,
    PlanCourseWith,
    Recorded,
    Setting,
)
from messages.targets import Resolve
from tools.recordings import BadRecording, encoded, read_decisions, recordings_in
from tools.screen import plain, put_json
from tools.settings import BadSettings

Decide: TypeAlias = Callable[[Decision], Decided]
SAME, DIFFERENT, BAD = 0, 1, 2
MOST_PLACES = 12
ABSENT = "(nothing)"
KINDS: Mapping[type[Decision], str] = {
    Interpret: "understood",
    InterpretWith: "understood",
    ReadChoice: "answer read",
    MakePlans: "planned",
    PlanReveal: "revealed",
    PlanCourseWith: "planned in steps",
    Resolve: "bound",
}


@dataclass(frozen=True)
class Change:
    """A decision that is another one now, and the places at which its answer differs."""

    file: Path
    line: int
    command: str
    kind: str
    about: str
    places: tuple[tuple[str, Any, Any], ...]


@dataclass(frozen=True)
class Unreadable:
    """A file that could not be replayed to its end, and why."""

    problem: str


@dataclass
class Tally:
    """What came of a replay."""

    decisions: int = 0
    changes: int = 0
    unreadable: int = 0

    @property
    def code(self) -> int:
        """Give the exit code: what cannot be read, or holds nothing, proves nothing."""
        if self.unreadable or not self.decisions:
            return BAD
        return DIFFERENT if self.changes else SAME


def replay(
    places: Sequence[Path],
    decide_again: Callable[[Setting], Decide],
    options: argparse.Namespace,
) -> int:
    """Make all decisions in some files again; say which differ."""
    files = [path for path in recordings_in(places) if path in places or path.exists()]
    tally = Tally()
    for result in compared(files, decide_again):
        match result:
            case Unreadable(problem):
                tally.unreadable += 1
                print(f"behest: {plain(problem)}", file=sys.stderr)
            case Change():
                tally.decisions += 1
                tally.changes += 1
                show(result, options)
            case None:
                tally.decisions += 1
    if not tally.decisions and not tally.unreadable:
        named = ", ".join(map(str, places))
        print(f"behest: no decisions are recorded in {plain(named)}", file=sys.stderr)
        return BAD
    if not tally.decisions:
        return BAD
    said = f"{tally.changes} differ" if tally.changes else "all are the same"
    said += f"; {tally.unreadable} files could not be read" if tally.unreadable else ""
    print(f"{tally.decisions} decisions of {len(files)} files were made again: {said}",
          file=sys.stderr)  # fmt: skip
    return tally.code


def compared(
    files: Iterable[Path], decide_again: Callable[[Setting], Decide]
) -> Iterator[Change | Unreadable | None]:
    """Make each decision again; give what has changed of it, None if nothing has."""
    known: dict[bytes, Decide] = {}
    for path in files:
        try:
            for setting, number, request, recorded in read_decisions(path):
                key = encoded(setting)
                if key not in known:
                    known[key] = decide_again(setting)
                now = made_again(known[key], request)
                then = encoded(recorded.reply)
                yield None if now == then else change_of(path, number, recorded, then, now)
        except (BadRecording, BadSettings) as problem:
            yield Unreadable(str(problem) if str(path) in str(problem) else f"{path}: {problem}")


def made_again(decide: Decide, request: Decision) -> bytes:
    """Give the answer of today; one that cannot be given differs from every other."""
    try:
        return encoded(decide(request))
    except Exception as error:  # noqa: BLE001 - in the daemon a supervisor catches it
        return encoded({"crashed": repr(error)})


def change_of(path: Path, number: int, recorded: Recorded, then: bytes, now: bytes) -> Change:
    """Say what differs between two answers."""
    request = recorded.request
    places = tuple(differences(json.loads(then), json.loads(now)))
    kind = KINDS[type(request)]
    return Change(path, number, request.command_id, kind, about(request), places)


def about(request: Decision) -> str:
    """Say in a few words what was decided on."""
    match request:
        case Interpret(text=text, drafts=drafts) | InterpretWith(
            Interpret(text=text, drafts=drafts)
        ):
            return text or in_verbs(drafts)
        case MakePlans(meta=meta):
            return in_verbs(meta.goals)
        case PlanCourseWith(PlanCourse(goal=goal)):
            return " ".join([in_verbs([goal]), *(phrase.text for phrase in goal.roles.values())])
        case Resolve(query=query):
            return query.readings[0].normalized_input if query.readings else ""
        case ReadChoice(text=text):
            return text
        case PlanReveal(action_id=action_id):
            return action_id


def in_verbs(goals: Iterable[Goal | GoalDraft]) -> str:
    return ", ".join(f"{goal.domain}.{goal.verb}" for goal in goals)


def differences(then: Any, now: Any, place: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Give the places at which two values differ, and both values there."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key in sorted(then.keys() | now.keys()):
            inner = f"{place}.{key}".lstrip(".")
            yield from differences(then.get(key, ABSENT), now.get(key, ABSENT), inner)
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for index, (one, other) in enumerate(zip(then, now, strict=True)):
            yield from differences(one, other, f"{place}[{index}]")
    elif then != now:
        yield place, then, now


def show(change: Change, options: argparse.Namespace) -> None:
    """Show a change: in one line, or with what was before and what is now."""
    if options.check:
        return
    if options.json:
        put_json(msgspec.json.encode(change, enc_hook=str))
        return
    head = f"{change.file.name}:{change.line} {change.command}: {change.kind} {change.about!r}"
    print(plain(head))
    for place, then, now in change.places[: MOST_PLACES if options.diff else 1]:
        print(f"    {plain(place)}: {shortened(then)} -> {shortened(now)}")


def shortened(value: Any) -> str:
    """Give a value in a line."""
    text = plain(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= 100 else f"{text[:97]}..."  # noqa: PLR2004
