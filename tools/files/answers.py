"""What is asked about files: which there are, how many, how large together."""

from messages.executing import Done
from messages.message import Row
from messages.queries import FILTERS
from messages.results import Code
from tools.files import operations as ops
from tools.files.kinds import endings_of
from tools.files.operations import cut
from tools.files.queries import Condition, Query, select_entries, with_content_size
from tools.files.roots import Refusal, Roots
from tools.files.verify import Entry
from tools.text import printable

LONGEST_PATTERN = 1_000


def find_files(roots: Roots, said: Query) -> Done:
    """Find files by all that was said of them; none is a refusal, for nothing was found."""
    found = meant(roots, said)
    if not found:
        named = f"no {said.pattern!r}" if said.pattern else "nothing of that kind"
        raise Refusal(Code.TARGET_NOT_FOUND, f"{named} is in {said.path}")
    rows: list[Row] = [
        {"name": printable(entry.name), "path": printable(entry.path)} for entry in found
    ]
    return Done(cut(rows))


def list_folder(roots: Roots, said: Query) -> Done:
    """List a folder, or of what is in it that which was said."""
    is_told = any(getattr(said, name) for name in FILTERS)
    return find_files(roots, said) if is_told else ops.list_folder(roots, said.path)


def count_files(roots: Roots, said: Query) -> Done:
    """Count the files that are meant."""
    return Done({"value": len(meant(roots, said)), "unit": unit_of(said)})


def check_files(roots: Roots, said: Condition) -> Done:
    """Tell whether there are more, or fewer, files than a condition says."""
    count = len(meant(roots, said))
    holds = count > said.number if said.relation == "above" else count < said.number
    return Done({"holds": holds, "seen": f"there are {count} {unit_of(said)} of that kind"})


def measure_files(roots: Roots, said: Query) -> Done:
    """Add up the sizes of the files that are meant; what is in a folder counts for it."""
    found = meant(roots, said)
    if not found:
        raise Refusal(Code.TARGET_NOT_FOUND, f"nothing of that kind is in {said.path}")
    total = sum(with_content_size(roots, entry).size for entry in found)
    return Done({"value": total, "unit": "bytes", "of": len(found)})


def meant(roots: Roots, said: Query) -> list[Entry]:
    if len(said.pattern) > LONGEST_PATTERN:
        raise Refusal(Code.NOT_ALLOWED, "no file has a name as long as this pattern")
    return select_entries(roots, said, endings_of(said.type))


def unit_of(said: Query) -> str:
    return {"file": "files", "folder": "folders"}.get(said.kind, "things")
