"""How much memory outputs take, and how much of it one command may."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from messages.message import Value
from messages.results import ActionResult, Code

ROW_WEIGHT = 300
# For all goals of a command together: the end of it is one message, and one row of the journal.
MOST_OUTPUT = 64 << 20
TOO_MUCH = (
    f"what this command reads comes to more than {MOST_OUTPUT >> 20} MB; ask for less at once"
)


def weight_of(output: Value) -> int:
    """Estimate the memory of an output, in bytes: long texts and long lists are what counts."""
    if output is None:
        return 0
    if isinstance(output, str):
        return len(output)
    if isinstance(output, Mapping):
        return sum([len(value) for value in output.values() if isinstance(value, str)])
    if isinstance(output, Sequence):
        return sum([ROW_WEIGHT + weight_of(row) for row in output])
    return 0


def without_output(result: ActionResult, *, observed: bool) -> ActionResult:
    """Leave out an output that is too much: what only reads has failed then."""
    if not observed or result.status != "success":
        return replace(result, output=None)
    return ActionResult(result.action, "failed", Code.TOO_LARGE, TOO_MUCH)
