"""The tree as rows of text: commands, under them their goals and actions, and what is asked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from messages import wire
from tools.console import mark_of
from tools.output_view import spelled_size
from tools.top.board import Board, Command, Step, Waiting, ident
from tools.top.wording import Tone, safe, spelled_time, tone_of

ASKS = "?"
SEPARATOR = "\x00"  # is in no id


@dataclass(frozen=True)
class Row:
    """One row; ``key`` finds it again, ``is_open`` is None where nothing stands under it."""

    key: str
    command: str
    depth: int
    mark: str
    tone: Tone
    text: str
    note: str = ""
    time: str = ""
    is_open: bool | None = None
    asked: Waiting | None = None


def rows_of(board: Board, opened: Mapping[str, bool], search: str, now: float) -> list[Row]:
    """Put the commands into rows, with what stands under those that are open."""
    rows: list[Row] = []
    asking: dict[str, list[Waiting]] = {}
    for each in board.waiting:
        asking.setdefault(each.command, []).append(each)
    for command in board.in_order():
        if search and not is_found(command, board, search):
            continue
        asked = asking.get(command.id, [])
        is_open = opened.get(command.id, command.live or command.status is None)
        rows.append(
            command_row(command, board.status_of(command, asking), asked, now, is_open=is_open)
        )
        rows += [asked_row(each) for each in asked]
        if is_open:
            rows += [row for step in command.steps for row in step_rows(command, step, 1, now)]
    return rows


def is_found(command: Command, board: Board, search: str) -> bool:
    """Tell whether the words, the id, the session or the end of a command have this text."""
    about = (command.text, command.id, command.session, board.status_of(command), command.code)
    return any(search.casefold() in each.casefold() for each in about)


def command_row(
    command: Command, status: str, asked: list[Waiting], now: float, *, is_open: bool
) -> Row:
    """Put a command into a row."""
    until = now if command.ended is None else command.ended
    runs = command.status is None and command.planned > 0
    notes = [
        f"{command.code}: {command.message}" if command.code else command.message,
        status if status in {"queued", "planned"} else "",
        f"{command.done} of {command.planned}" if runs else "",
        f"session {command.session}" if command.session not in {"", "default"} else "",
    ]
    return Row(
        command.id,
        command.id,
        0,
        ASKS if status == "asks" else mark_of("waiting" if status == "queued" else status),
        tone_of(status),
        command.text or safe(command.id),
        "; ".join(filter(None, notes)),
        spelled_time(until - command.accepted),
        is_open,
        asked[0] if asked else None,
    )


def asked_row(asked: Waiting) -> Row:
    """Put into a row what a command asks."""
    if isinstance(asked, wire.Question):
        text = safe(asked.message)
        note = ", ".join(f"{each.number} {safe(each.text)}" for each in asked.options)
    else:
        text, note = approval_line(asked), "may it be done?"
    key = SEPARATOR.join((asked.command, ident(asked)))
    return Row(key, asked.command, 1, ASKS, "asks", text, note, "Enter", asked=asked)


def approval_line(needed: wire.ApprovalNeeded) -> str:
    """Say in a line what is about to happen."""
    size = "" if needed.size is None else f", {spelled_size(needed.size)}"
    things = f" ({needed.count} things{size})" if needed.count > 1 else ""
    return f"about to {safe(needed.kind)}: {safe(needed.description)}{things}"


def step_rows(command: Command, step: Step, depth: int, now: float) -> Iterator[Row]:
    """Put a goal with its actions, or an action, into rows."""
    seconds = step.seconds
    if step.action and (begun := command.started.get(step.action)):
        seconds = now - begun
    status = step.status
    if command.status is not None and status in {"running", "waiting"}:
        status = "skipped"  # the command has ended, and its last explanation is not here yet
    yield Row(
        SEPARATOR.join((command.id, step.key)),
        command.id,
        depth,
        mark_of(status),
        tone_of(status),
        step.title,
        step.note,
        "" if seconds is None else spelled_time(seconds),
    )
    for below in step.steps:
        yield from step_rows(command, below, depth + 1, now)
