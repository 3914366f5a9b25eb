"""Records of the trace that explanations need: gathered by command, and handed to the journal.

Only a command that has words, or of which something was bound, asked or refused, has any: of all
others the journal's own entries tell everything.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Records of a command that are kept; the first of them that comes begins its list.
NOTED = frozenset({
    "command.accepted", "command.recovered", "command.begun",
    "command.interpreted", "goals.understood", "readings.doubted", "text.not_understood",
    "text.doubtful", "words.passed_over", "scope.dropped", "recipe.expanded", "recipe.refused",
    "model.asked", "model.answered", "model.failed", "model.not_believed", "model.field_dropped",
    "plans.made", "course.planned", "reveal.planned",
    "target.resolved", "question.asked", "question.answered",
    "approval.asked", "approval.ruled", "capture.vetoed", "action.refused",
    "action.started", "action.finished", "action.found_done", "action.crashed",
    "command.finished",
})  # fmt: skip
# Any command has these; alone they say no more than the journal does.
USUAL = frozenset({
    "command.accepted", "command.interpreted", "plans.made",
    "action.started", "action.finished", "command.finished",
})  # fmt: skip
MOST_BYTES = 512 << 10  # of one command; beyond that its records are counted, not kept
MOST_COMMANDS = 10_000
CUT = b'{"event":"records.cut"}'


@dataclass(slots=True)
class Gathered:
    """The records of one command that are not written yet, and how many bytes it had so far.

    What was ``taken`` is being written.
    """

    lines: list[bytes] = field(default_factory=list)
    taken: list[bytes] = field(default_factory=list)
    size: int = 0


@dataclass
class CommandRecords:
    """The records of the commands under way that are still to be written."""

    noted: frozenset[str] = NOTED
    under_way: dict[str, Gathered] = field(default_factory=dict)

    def note(self, event: str, command: str, fields: Mapping[str, Any], line: bytes) -> None:
        """Take a record, if it belongs to a command of which records are kept."""
        gathered = self.under_way.get(command)
        if gathered is None:
            if (event in USUAL and "text" not in fields) or not command:
                return
            if event == "target.resolved" and "action_id" not in fields:
                return  # a client's own world: no command asked
            if len(self.under_way) >= MOST_COMMANDS:
                return
            gathered = self.under_way[command] = Gathered()
        elif event == "command.finished":
            del self.under_way[command]
            return
        fits = gathered.size + len(line) <= MOST_BYTES
        if fits:
            gathered.lines.append(line)
        elif gathered.size <= MOST_BYTES:
            gathered.lines.append(CUT)
        gathered.size += len(line)

    def unwritten(self, command: str) -> list[bytes]:
        """Give what is not written yet of a command, without taking it."""
        gathered = self.under_way.get(command)
        return [] if gathered is None else [*gathered.taken, *gathered.lines]

    def take(self, command: str) -> bytes:
        """Give what is still to be written of a command."""
        gathered = self.under_way.get(command)
        if gathered is None or not gathered.lines:
            return b""
        taken = b"\n".join(gathered.lines)
        gathered.taken.append(taken)
        gathered.lines = []
        return taken

    def forget(self, command: str, taken: bytes) -> None:
        """Note that something is written; called by the thread that writes."""
        gathered = self.under_way.get(command)
        if gathered is not None and taken in gathered.taken:
            gathered.taken.remove(taken)
