"""Why a command did what it did: its records of the trace, told to a person or given as data.

Nothing is worked out anew: what is told stands in the records.
"""

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from messages.message import Data
from messages.targets import Clue, Considered, Phase

EVENTS = ("command.", "target.resolved", "action.")  # prefixes of the records that are told
RUNNERS_UP = 2
WIDEST = 48


class Record(msgspec.Struct, frozen=True):
    """What is told of a record of the trace; other fields are left alone."""

    event: str
    command_id: str = ""
    goal_id: str = ""
    text: str | None = None
    goals: tuple[str, ...] = ()
    words: str = ""
    phases: tuple[Phase, ...] = ()
    outcome: str | tuple[str, ...] = ""
    searched: int = 0
    tool: str = ""
    description: str = ""
    status: str = ""
    verified: bool = False
    message: str | None = None


class BindingReport(Data, frozen=True, omit_defaults=True):
    """How words of one role came to mean something: what was taken, by which clues, and not what.

    ``chosen`` are empty if nothing was bound; ``outcome`` says then why. A page that is still
    changing is looked at several ``times``.
    """

    goal: str
    role: str
    words: str
    outcome: str
    searched: int = 0
    times: int = 1
    chosen: tuple[Considered, ...] = ()
    dropped: tuple[Considered, ...] = ()


class ActionReport(Data, frozen=True, omit_defaults=True):
    """One action and how it ended."""

    goal: str
    tool: str
    description: str
    status: str = "running"
    verified: bool = False
    message: str | None = None


class Explanation(Data, frozen=True, omit_defaults=True):
    """All that the trace says of one command."""

    command: str
    text: str | None = None
    goals: tuple[str, ...] = ()
    bindings: tuple[BindingReport, ...] = ()
    actions: tuple[ActionReport, ...] = ()
    status: str | None = None


def records_in(lines: Iterable[bytes]) -> Iterator[Record]:
    """Read lines of the trace; what is none is passed over."""
    decode = msgspec.json.Decoder(Record).decode
    for line in lines:
        try:
            yield decode(line)
        except msgspec.DecodeError:
            continue


def explanation(records: Iterable[Record], command: str | None) -> Explanation | None:
    """Gather what was recorded of a command, or of the last one; None if nothing was."""
    relevant = [record for record in records if record.event.startswith(EVENTS)]
    if command is None:
        accepted = [record.command_id for record in relevant if record.event == "command.accepted"]
        command = accepted[-1] if accepted else ""
    own = [record for record in relevant if record.command_id == command]
    if not own or not command:
        return None
    begun = first(own, "command.accepted")
    understood = first(own, "command.interpreted")
    ended = first(own, "command.finished")
    return Explanation(
        command,
        None if begun is None else begun.text,
        () if understood is None else understood.goals,
        tuple(merge_repeats(bound for record in own for bound in bindings_in(record))),
        tuple(actions_in(own)),
        None if ended is None else ended.status,
    )


def first(records: Sequence[Record], event: str) -> Record | None:
    return next((record for record in records if record.event == event), None)


def bindings_in(record: Record) -> Iterator[BindingReport]:
    """Give what one resolution says of each role."""
    if record.event != "target.resolved":
        return
    failed = record.outcome if isinstance(record.outcome, str) else ""
    for phase in record.phases:
        if phase.phase != "match" or phase.role is None:
            continue
        yield BindingReport(
            record.goal_id,
            phase.role,
            record.words,
            failed or phase.outcome,
            record.searched,
            chosen=tuple(each for each in phase.candidates if each.dropped is None),
            dropped=tuple(each for each in phase.candidates if each.dropped is not None),
        )


def merge_repeats(bindings: Iterable[BindingReport]) -> Iterator[BindingReport]:
    """Put bindings together that came out the same, one after the other."""
    before: BindingReport | None = None
    for bound in bindings:
        if before is not None and replace(before, times=1) == bound:
            before = replace(before, times=before.times + 1)
            continue
        if before is not None:
            yield before
        before = bound
    if before is not None:
        yield before


def actions_in(records: Sequence[Record]) -> Iterator[ActionReport]:
    """Give the actions in the order in which they began, each with its end."""
    for place, record in enumerate(records):
        if record.event != "action.started":
            continue
        ends = (
            later
            for later in records[place:]
            if later.event == "action.finished" and later.goal_id == record.goal_id
        )
        end = next(ends, None)
        begun = (record.goal_id, record.tool, record.description)
        if end is None:
            yield ActionReport(*begun)
        else:
            yield ActionReport(*begun, end.status, end.verified, end.message)


def explanation_lines(explained: Explanation) -> Iterator[str]:
    """Tell an explanation to a person, line by line."""
    yield f"{explained.command}: {explained.text or 'goals without words'}"
    if explained.goals:
        yield f"understood as {', '.join(explained.goals)}"
    if not explained.bindings:
        yield "no words were bound to things"
    for bound in explained.bindings:
        yield ""
        yield from binding_lines(bound)
    if explained.actions:
        yield ""
    for done in explained.actions:
        checked = "checked" if done.verified else "not checked"
        ending = f"{done.status}, {checked}" if done.status == "success" else done.status
        yield f"{done.goal} {done.tool}: {ending}"
        if done.message:
            yield f"  {done.message}"
    if explained.status is not None:
        yield f"ended: {explained.status}"


def binding_lines(bound: BindingReport) -> Iterator[str]:
    goal = f"{bound.goal} " if bound.goal else ""
    among = f", of {bound.searched} things seen" if bound.searched else ""
    among += f", {bound.times} times" if bound.times > 1 else ""
    yield f"{goal}{bound.words!r}, {bound.role}{among}: {bound.outcome}"
    for each in bound.chosen:
        yield f"  {each.name!r} ({scope_and_score(each)})"
        yield from clue_lines(each)
    for each in bound.dropped[:RUNNERS_UP]:
        yield f"  not {each.name!r} ({scope_and_score(each)}): {each.dropped}"
        yield from clue_lines(each)
    if len(bound.dropped) > RUNNERS_UP:
        yield f"  and {len(bound.dropped) - RUNNERS_UP} more that were dropped"


def scope_and_score(candidate: Considered) -> str:
    return ", ".join(filter(None, (candidate.scope, f"score {candidate.score}")))


def clue_lines(candidate: Considered) -> Iterator[str]:
    """Tell what spoke for a candidate: clue by clue, or the reasons of a strict rule."""
    if not candidate.clues:
        if candidate.reasons:
            yield f"    {', '.join(candidate.reasons)}"
        return
    width = max(len(clue.name) for clue in candidate.clues)
    for clue in candidate.clues:
        yield f"    {clue.name:{width}}  {clue_text(clue)}".rstrip()


def clue_text(clue: Clue) -> str:
    said = f"said {cut(clue.said)!r}" if clue.said else ""
    seen = f"seen {cut(clue.seen)!r}" if clue.seen else ""
    weight = "" if clue.weight is None else f"{clue.weight:+.1f}"
    return "  ".join(filter(None, (weight, said, seen)))


def cut(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"


def as_json(explained: Explanation) -> bytes:
    return msgspec.json.format(msgspec.json.encode(explained), indent=2)
