"""What the daemon knows of commands, as people read it: why, which there were, how all stands."""

import argparse
import re
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import get_args

import msgspec

from messages import wire
from messages.explaining import Explanation, PastCommand
from messages.results import CommandStatus
from messages.taught import DOMAIN
from tools.cli import FAILED, SUCCESS, USAGE, complain, connect, show
from tools.client import new_id
from tools.console import MARKS, approval_lines
from tools.explaining import as_json, explanation, records_in
from tools.explanation_view import explanation_lines
from tools.output_view import spelled_length, spelled_size
from tools.screen import Screen, plain, put_json
from tools.setting_problems import suggestion

AGO = re.compile(r"(\d+)\s*([smhdw])")
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
BAD_TIME = (
    "is no time: say how long ago (30m, 2h, 3d), a day (2026-11-19) or an hour of today (14:30)"
)
SHOWN_WORDS = 72
STATUSES = ("queued", "running", *get_args(CommandStatus))


# Why


def explain(options: argparse.Namespace) -> int:
    """Tell why a command did what it did."""
    found = from_log(options) if options.log is not None else from_daemon(options)
    if isinstance(found, int):
        return found
    if options.json:
        put_json(as_json(found))
    else:
        for line in explanation_lines(found):
            print(plain(line))
    return SUCCESS


def from_log(options: argparse.Namespace) -> Explanation | int:
    """Explain by a file of the daemon's log."""
    try:
        with open(options.log, "rb") as lines:
            told = explanation(records_in(lines), options.id)
    except OSError as error:
        return complain(f"{options.log}: {error.strerror}", USAGE)
    if told is None:
        what = "no command" if options.id is None else f"nothing of {options.id!r}"
        return complain(f"{what} is in the log", FAILED)
    return told


def from_daemon(options: argparse.Namespace) -> Explanation | int:
    """Explain by what the daemon has kept, or by its trace if it is one that cannot be asked."""
    with connect(options) as daemon:
        reply = daemon.ask(wire.Explain(new_id(), options.id))
    if isinstance(reply, wire.Explained):
        return reply.explanation
    said = reply.message if isinstance(reply, wire.Error) else "the daemon cannot explain"
    return complain(f"{said}; with --log FILE a log that was kept can be read", FAILED)


# Which


def show_history(options: argparse.Namespace) -> int:
    """Show which commands there were, the newest first."""
    try:
        request = history_request(options)
    except ValueError as problem:
        return complain(str(problem), USAGE)
    shown = 0
    with connect(options) as daemon:
        while True:
            reply = daemon.ask(request)
            if not isinstance(reply, wire.Histories):
                return show(reply)
            for past in reply.commands:
                if options.json:
                    put_json(msgspec.json.encode(past))
                else:
                    for line in past_lines(past):
                        print(line)
            shown += len(reply.commands)
            if reply.next is None or shown >= options.limit:
                break
            left = min(options.limit - shown, wire.MOST_HISTORY)
            request = msgspec.structs.replace(request, before=reply.next, limit=left)
    if not options.json and reply.next is not None:
        print(f"there are older ones: --before {reply.next}, or --limit with more")
    if not shown and not options.json:
        print("no such command is known")
    return SUCCESS


def history_request(options: argparse.Namespace) -> wire.History:
    """Make the request; ``ValueError`` says what is wrong with what was given."""
    if options.limit < 1:
        raise ValueError("--limit must be at least 1")
    if options.status not in {None, *STATUSES}:
        meant = suggestion(options.status, STATUSES)
        allowed = ", ".join(STATUSES)
        raise ValueError(f"--status {options.status!r}: {meant}allowed: {allowed}")
    request = wire.History(
        new_id(),
        search=options.search,
        session=options.session,
        status=options.status,
        since=None if options.since is None else moment(options.since, time.time()),
        until=None if options.until is None else moment(options.until, time.time()),
        before=options.before,
        limit=min(options.limit, wire.MOST_HISTORY),
    )
    try:
        return msgspec.convert(msgspec.to_builtins(request), wire.History)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None


def moment(said: str, now: float) -> float:
    """Read a time: how long ago, a day, an hour of today, or both.

    >>> moment("2h", 7_200.0)
    0.0
    """
    if ago := AGO.fullmatch(said.strip()):
        try:
            return now - timedelta(**{UNITS[ago[2]]: int(ago[1])}).total_seconds()
        except (OverflowError, ValueError):
            raise ValueError(f"{said!r} is too long ago") from None
    try:
        return datetime.fromisoformat(said).timestamp()
    except (OverflowError, ValueError):
        pass
    try:
        clock = datetime.strptime(said, "%H:%M").time()  # noqa: DTZ007 - an hour of the user's day
    except ValueError:
        raise ValueError(f"{said!r} {BAD_TIME}") from None
    today = datetime.fromtimestamp(now).date()  # noqa: DTZ006 - days are those of the user's zone
    return datetime.combine(today, clock).timestamp()


def past_lines(past: PastCommand) -> Iterator[str]:
    """Tell of a command in a line, and in another why it did not succeed."""
    status = ended_as(past)
    at = datetime.fromtimestamp(past.accepted).strftime("%Y-%m-%d %H:%M:%S")  # noqa: DTZ006
    recipes = (goal.removeprefix(f"{DOMAIN}.") for goal in past.goals)
    what = past.text or ", ".join(recipes) or "goals"
    remarks = [
        "planned, nothing was done" if past.mode == "plan" else "",
        f"undoes {past.undoes}" if past.undoes else "",
        f"undone by {past.undone_by}" if past.undone_by else "",
        "can be undone" if past.undoable else "",
        "by the schedule" if past.schedule else "",
        f"session {past.session}" if past.session != "default" else "",
    ]
    said = "; ".join(filter(None, remarks))
    screen = Screen()
    mark = screen.painted(screen.spelt(MARKS.get(status, "✗")))
    words = plain(what)
    words = words if len(words) <= SHOWN_WORDS else f"{words[:SHOWN_WORDS]}…"
    yield f"{at}  {mark} {screen.spelt(words)}  [{plain(past.command)}]"
    if said or past.message:
        why = f"{past.code}: {past.message}" if past.message else ""
        yield f"{'':19}    {screen.spelt(plain('; '.join(filter(None, (said, why)))))}"


def ended_as(past: PastCommand) -> str:
    """Say how a command ended; a plan that succeeded has done nothing."""
    if past.mode == "plan" and past.status == "success":
        return "planned"
    return past.status or "running"


# How all stands


def show_status(options: argparse.Namespace) -> int:
    """Show how the daemon or one command stands; without a terminal as JSON."""
    with connect(options) as daemon:
        reply = daemon.ask(wire.Status(new_id(), options.id))
    if options.json or not sys.stdout.isatty() or not isinstance(reply, wire.State):
        return show(reply)
    for line in status_lines(reply):
        print(plain(line))
    return SUCCESS


def status_lines(state: wire.State) -> Iterator[str]:
    """Tell how the daemon, or one command, stands."""
    if state.health is not None:
        yield from health_lines(state.health)
    else:
        yield f"{state.command}: {state.status}"
        yield from command_lines(state)
    for question in state.questions:
        options = ", ".join(f"{each.number} {each.text}" for each in question.options)
        yield f"asks: {question.message} ({options})"
        yield f"  behest answer {question.question} CHOICE"
    for needed in state.approvals:
        first, *things = approval_lines(needed)
        yield f"waits for approval, {first}"
        yield from things
        yield f"  behest approve {needed.approval}"


def health_lines(health: wire.Health) -> Iterator[str]:
    up = spelled_length(health.uptime)
    yield f"behest {health.version} has run for {up} (pid {health.pid})"
    yield f"{len(health.running)} running, {health.queued} queued, {health.finished} ended"
    if health.running:
        yield f"running: {', '.join(health.running)}"
    journal = health.journal
    if journal is not None:
        how = "in order" if journal.ok else f"failing: {journal.reason}"
        yield f"journal: {how}, {spelled_size(journal.bytes)}"
    if health.latest:
        yield f"ended last: {', '.join(health.latest[:5])}"


def command_lines(state: wire.State) -> Iterator[str]:
    """Tell how the actions or the goals of one command stand."""
    if state.graph is not None:
        for name, action in state.graph.nodes.items():
            done = state.graph.results.get(name)
            how = "waits or runs" if done is None else done.status
            yield f"  {action.goal_id} {action.description}: {how}"
    for result in state.results:
        why = f": {result.message}" if result.message else ""
        yield f"  {result.goal} {result.status}{why}"


# What happens


def watch(options: argparse.Namespace) -> int:
    """Print the trace until interrupted: for people on a terminal, else as JSON lines."""
    as_lines = options.json or not sys.stdout.isatty()
    read = msgspec.json.Decoder(dict[str, object]).decode
    with connect(options) as daemon:
        daemon.send(wire.Subscribe(new_id(), tuple(options.events), options.since))
        try:
            for reply, _ in daemon.replies():
                if not isinstance(reply, wire.TraceRecord):
                    continue
                if as_lines:
                    put_json(bytes(reply.record))
                else:
                    print(watched_line(read(reply.record)), flush=True)
        except KeyboardInterrupt:
            return SUCCESS
    return SUCCESS


TOLD = (
    "text", "goals", "words", "description", "status", "outcome", "code", "reason", "message",
    "options", "choice", "allow", "tool", "ms",
)  # fmt: skip


def watched_line(record: dict[str, object]) -> str:
    """Tell a record of the trace in one line."""
    at = str(record.get("ts", ""))
    clock = datetime.fromisoformat(at).astimezone().strftime("%H:%M:%S.%f")[:-3] if at else ""
    command = str(record.get("command_id", ""))[:12]
    where = " ".join(filter(None, (command, str(record.get("goal_id", "")))))
    told = [
        f"{name}={worded(record[name])}" for name in TOLD if record.get(name) not in (None, "", [])
    ]
    return plain(f"{clock} {where:16} {record.get('event', '')}  {' '.join(told)}".rstrip())


def worded(value: object) -> str:
    """Give a value of a record in a few words."""
    if isinstance(value, str | int | float):
        return str(value)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(map(str, value))
    if isinstance(value, list):
        return f"{len(value)}"
    return str(value)
