"""The tools for what is in files: they look into them, edit their text, and rename many at once."""

from collections.abc import Callable

from tools.files import edits, excerpts, recovery, renaming
from tools.files.backups import Backups
from tools.files.declaring import tool
from tools.files.edits import Edit, Edited, Position
from tools.files.excerpts import Counted
from tools.files.queries import Located, Query
from tools.files.renaming import Change
from tools.files.roots import Roots
from tools.tool import AnyTool


class CountText(Query, frozen=True, kw_only=True):
    what: Counted = "lines"


class Search(Query, frozen=True, kw_only=True):
    text: str
    deep: bool = True


class Lines(Query, frozen=True, kw_only=True):
    lines: int = 10


class Compare(Located, frozen=True):
    other: str


class Replace(Query, frozen=True, kw_only=True):
    old: str
    new: str


class Insert(Located, frozen=True):
    content: str
    at: str = ""
    line: int = 0
    before: str = ""
    after: str = ""


class RemoveLines(Query, frozen=True, kw_only=True):
    containing: str = ""
    line: int = 0


class SortLines(Query, frozen=True, kw_only=True):
    # The order of a set is how many of it are the first; here it is that of the lines.
    order: str = "ascending"
    numeric: bool = False
    unique: bool = False


class RenameAll(Query, frozen=True, kw_only=True):
    find: str = ""
    replace: str = ""
    ending: str = ""
    prefix: str = ""
    suffix: str = ""
    case: str = ""

    @property
    def change(self) -> Change:
        return Change(self.find, self.replace, self.ending, self.prefix, self.suffix, self.case)


def text_tools(roots: Roots, backups: Backups) -> tuple[AnyTool, ...]:
    """Declare what looks into files and what edits them."""
    return (*looking_tools(roots), *editing_tools(roots, backups), renaming_tool(roots))


def looking_tools(roots: Roots) -> tuple[AnyTool, ...]:
    return (
        tool("describe_file", Located, lambda p: excerpts.describe(roots, p.path)),
        tool("count_text", CountText, lambda p: excerpts.count_text(roots, p, p.what)),
        tool("search_text", Search, lambda p: excerpts.search_text(roots, p, p.text)),
        tool("show_first_lines", Lines, lambda p: excerpts.first_lines(roots, p, p.lines)),
        tool("show_last_lines", Lines, lambda p: excerpts.last_lines(roots, p, p.lines)),
        tool("compare_files", Compare, lambda p: excerpts.compare(roots, p.path, p.other)),
    )


def editing_tools(roots: Roots, backups: Backups) -> tuple[AnyTool, ...]:
    """Declare what changes the text of a file in its place."""

    def editor(achieves: str, params: type[Located], edit_of: Callable[..., Edit]) -> AnyTool:
        return tool(
            achieves,
            params,
            lambda p: edits.edit_file(roots, backups, p.path, edit_of(p)),
            lambda p, done: edits.was_edited(roots, p.path, done),
            before=lambda p: edits.before_editing(roots, p.path, edit_of(p)),
            recover=lambda p, before: edits.recover_edited(
                roots, backups, p.path, edit_of(p), before
            ),
            compare=lambda p, before: recovery.compare_written(
                roots, backups, p.path, before, overwrite=True
            ),
        )

    return (
        editor("replace_text", Replace, replacing),
        editor("insert_lines", Insert, inserting),
        editor("remove_lines", RemoveLines, removing),
        editor("sort_lines", SortLines, sorting),
    )


def replacing(given: Replace) -> Edit:
    return lambda text: edits.replace_text(text, given.old, given.new)


def inserting(given: Insert) -> Edit:
    where = Position(given.at, given.line, given.before, given.after)
    return lambda text: edits.insert_lines(text, given.content, where)


def removing(given: RemoveLines) -> Edit:
    return lambda text: edits.remove_lines(text, given.containing, given.line)


def sorting(given: SortLines) -> Edit:
    def edit(text: str) -> Edited:
        return edits.sort_lines(text, given.order, numeric=given.numeric, unique=given.unique)

    return edit


def renaming_tool(roots: Roots) -> AnyTool:
    return tool(
        "rename_files",
        RenameAll,
        lambda p: renaming.rename_all(roots, p, p.change),
        lambda _, done: renaming.were_renamed(roots, done),
        before=lambda p: renaming.before_renaming(roots, p, p.change),
        recover=lambda p, before: renaming.recover_renamed(roots, p, before),
    )
