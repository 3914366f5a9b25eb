"""`behest replay`: recorded decisions are made again and compared with those of then."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from messages.interpreting import Interpret
from messages.planning import MakePlans
from messages.replaying import Decided, Decision, Recorded, Setting
from messages.targets import Resolve
from tools.recordings import BadRecording, encoded, read_decisions, recordings_in
from tools.screen import put_json

Decide: TypeAlias = Callable[[Decision], Decided]
SAME, DIFFERENT, BAD = 0, 1, 2
MOST_PLACES = 12
ABSENT = "(nothing)"


@dataclass(frozen=True)
class Change:
    """A decision that is another one now, and the places at which its answer differs."""

    file: Path
    line: int
    command: str
    kind: str
    about: str
    places: tuple[tuple[str, Any, Any], ...]


def replay(
    places: Sequence[Path],
    decide_again: Callable[[Setting], Decide],
    options: argparse.Namespace,
) -> int:
    """Make all decisions in some files again; say which differ."""
    files = [path for path in recordings_in(places) if path.exists()]
    if not files:
        named = ", ".join(map(str, places))
        print(f"behest: no decisions are recorded in {named}", file=sys.stderr)
        return BAD
    count, changes = 0, list[Change]()
    try:
        for change in compared(files, decide_again):
            count += 1
            if change is None:
                continue
            changes.append(change)
            show(change, options)
    except BadRecording as problem:
        print(f"behest: {problem}", file=sys.stderr)
        return BAD
    said = "all are the same" if not changes else f"{len(changes)} differ"
    print(f"{count} decisions of {len(files)} files were made again: {said}", file=sys.stderr)
    return DIFFERENT if changes else SAME


def compared(
    files: Iterable[Path], decide_again: Callable[[Setting], Decide]
) -> Iterator[Change | None]:
    """Make each decision again; give what has changed of it, None if nothing has."""
    known: dict[bytes, Decide] = {}
    for path in files:
        for setting, number, request, recorded in read_decisions(path):
            key = encoded(setting)
            if key not in known:
                known[key] = decide_again(setting)
            now = encoded(known[key](request))
            then = encoded(recorded.reply)
            yield None if now == then else change_of(path, number, recorded, then, now)


def change_of(path: Path, number: int, recorded: Recorded, then: bytes, now: bytes) -> Change:
    """Say what differs between two answers."""
    request = recorded.request
    places = tuple(differences(json.loads(then), json.loads(now)))
    kind = {Interpret: "understood", MakePlans: "planned", Resolve: "bound"}.get(
        type(request), "revealed"
    )
    return Change(path, number, request.command_id, kind, about(request), places)


def about(request: Decision) -> str:
    """Say in a few words what was decided on."""
    match request:
        case Interpret(text=text):
            return text or ""
        case MakePlans(meta=meta):
            return ", ".join(f"{goal.domain}.{goal.verb}" for goal in meta.goals)
        case Resolve(query=query):
            return query.readings[0].normalized_input if query.readings else ""
        case _:
            return request.action_id


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
    print(f"{change.file.name}:{change.line} {change.command}: {change.kind} {change.about!r}")
    for place, then, now in change.places[: MOST_PLACES if options.diff else 1]:
        print(f"    {place}: {shortened(then)} -> {shortened(now)}")


def shortened(value: Any) -> str:
    """Give a value in a line."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else f"{text[:97]}..."  # noqa: PLR2004
