"""File tools: create, write, append, read, list, find, move, copy, rename, delete to the trash.

What they change can be undone: each says by which goals, and the tools for those are here, too.
"""

import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import msgspec

from messages.executing import Done, Outcome
from tools.files import answers, opening, recovery, undo_ops, verify
from tools.files import operations as ops
from tools.files.archive_tools import archive_tools
from tools.files.backups import Backups
from tools.files.crash_cleanup import Mender
from tools.files.declaring import tool
from tools.files.opening import Starter, no_starter
from tools.files.queries import Condition, Located, Query
from tools.files.roots import Roots
from tools.files.text_tools import text_tools
from tools.files.threads import in_thread
from tools.files.trash import is_in_trash
from tools.files.trash_tools import trash_tools
from tools.tool import AnyTool, Params, Tool


class Create(Located, frozen=True):
    object_type: str
    content: str = ""


class Write(Located, frozen=True):
    content: str
    overwrite: bool = False


class Append(Located, frozen=True):
    content: str


class Find(Query, frozen=True, kw_only=True):
    deep: bool = True


class Bring(Query, frozen=True, kw_only=True):
    to: str


class Copy(Query, frozen=True, kw_only=True):
    to: str = ""
    named: str = msgspec.field(default="", name="as")


class Open(Located, frozen=True):
    app: str = ""


class Delete(Query, frozen=True, kw_only=True):
    object_type: ops.ObjectType = "any"


class Discard(Located, frozen=True):
    expects: str


class Restore(Located, frozen=True):
    former: str
    expects: str


class Shorten(Restore, frozen=True):
    size: int


class Untrash(Located, frozen=True):
    entry: str


class Unmove(Located, frozen=True):
    to: str
    expects: str


def file_tools(roots: Roots, backups: Backups, start: Starter = no_starter) -> tuple[AnyTool, ...]:
    """Declare the tools that work within these roots, and those that put things back.

    ``start`` starts an application with a file. What a daemon that was killed left in the roots is
    put right first; in the folders in them, it is when something is done there.
    """
    mender = Mender(roots)
    mender.mend_roots()
    tools = (
        *working_tools(roots, backups, start),
        *text_tools(roots, backups),
        *archive_tools(roots),
        *trash_tools(roots),
        *undo_tools(roots, backups),
    )
    return tuple(after_cleanup(tool, mender) for tool in tools)


def working_tools(roots: Roots, backups: Backups, start: Starter) -> tuple[AnyTool, ...]:
    """Declare what people ask for."""
    return (
        *creating_tools(roots),
        tool(
            "write_file",
            Write,
            lambda p: ops.write_file(roots, backups, p.path, p.content, overwrite=p.overwrite),
            lambda p, _: verify.holds_text(roots, p.path, p.content),
            mark=lambda p: verify.mark_of(roots, p.path),
            rest=lambda p, apart: verify.mark_of(roots, p.path, apart),
            before=lambda p: recovery.before_writing(roots, backups, p.path, p.content),
            recover=lambda p, before: recovery.recover_written(
                roots, backups, p.path, p.content, before, overwrite=p.overwrite
            ),
            compare=lambda p, before: recovery.compare_written(
                roots, backups, p.path, before, overwrite=p.overwrite
            ),
        ),
        tool(
            "append_file",
            Append,
            lambda p: ops.append_file(roots, p.path, p.content),
            lambda p, done: verify.holds_before(roots, p.path, p.content, reported_end(done)),
            before=lambda p: recovery.before_appending(roots, p.path, p.content),
            recover=lambda p, before: recovery.recover_appended(roots, p.path, p.content, before),
            compare=lambda p, before: recovery.compare_appended(roots, p.path, before),
        ),
        tool("read_file", Located, lambda p: ops.read_file(roots, p.path)),
        opener(roots, start),
        tool("list_folder", Query, lambda p: answers.list_folder(roots, p)),
        tool("find_files", Find, lambda p: answers.find_files(roots, p)),
        tool("count_files", Query, lambda p: answers.count_files(roots, p)),
        tool("check_files", Condition, lambda p: answers.check_files(roots, p)),
        tool("measure_files", Query, lambda p: answers.measure_files(roots, p)),
        *bringing_tools(roots),
        *(
            tool(
                f"delete_{kind}",
                Delete,
                lambda p: ops.delete(roots, p.path, p.object_type),
                lambda p, _: not verify.exists(roots, p.path),
                mark=lambda p: ops.mark_deletable(roots, p.path, p.object_type),
                rest=lambda p, apart: verify.mark_of(roots, p.path, apart),
                before=lambda p: recovery.before_deleting(roots, p.path),
                recover=lambda p, before: recovery.recover_deleted(roots, p.path, before),
            )
            for kind in ("folder", "file", "any")
        ),
    )


def creating_tools(roots: Roots) -> tuple[AnyTool, ...]:
    """Declare what makes things that were not there."""
    return (
        tool(
            "create_folder",
            Create,
            lambda p: ops.create_folder(roots, p.path, p.content),
            lambda p, _: verify.is_kind(roots, p.path, "folder"),
            before=lambda p: recovery.before_making(roots, p.path),
            recover=lambda p, before: recovery.recover_folder(roots, p.path, p.content, before),
        ),
        tool(
            "create_file",
            Create,
            lambda p: ops.create_file(roots, p.path, p.content),
            lambda p, _: verify.holds_text(roots, p.path, p.content),
            before=lambda p: recovery.before_filling(roots, p.path, p.content),
            recover=lambda p, before: recovery.recover_new_file(roots, p.path, p.content, before),
            compare=lambda p, before: recovery.compare_new_file(roots, p.path, before),
        ),
    )


def bringing_tools(roots: Roots) -> tuple[AnyTool, ...]:
    """Declare what brings things to another place or name."""
    return (
        tool(
            "move_file",
            Bring,
            lambda p: ops.move(roots, p.path, p.to),
            lambda p, done: has_gone(roots, p.path, done, brought_to(p)),
            before=lambda p: recovery.before_moving(roots, p.path, brought_to(p)),
            recover=lambda p, before: recovery.recover_moved(roots, p.path, brought_to(p), before),
            target=brought_to,
        ),
        tool(
            "copy_file",
            Copy,
            lambda p: ops.copy(roots, p.path, p.to, p.named),
            lambda p, done: was_copied(roots, p, done),
            before=lambda p: recovery.before_copying(roots, p.path, copied_to(p)),
            recover=lambda p, before: recovery.recover_copied(roots, p.path, copied_to(p), before),
            target=copied_to,
        ),
        tool(
            "rename_file",
            Bring,
            lambda p: ops.rename(roots, p.path, p.to),
            lambda p, done: has_gone(roots, p.path, done, renamed_to(p)),
            before=lambda p: recovery.before_moving(roots, p.path, renamed_to(p)),
            recover=lambda p, before: recovery.recover_moved(roots, p.path, renamed_to(p), before),
            target=renamed_to,
        ),
    )


def undo_tools(roots: Roots, backups: Backups) -> tuple[AnyTool, ...]:
    """Declare what puts things back as they were."""
    return (
        tool(
            "discard_unchanged",
            Discard,
            lambda p: undo_ops.discard_unchanged(roots, p.path, p.expects),
            lambda p, _: not verify.exists(roots, p.path),
            before=lambda p: recovery.before_deleting(roots, p.path),
            recover=lambda p, before: recovery.recover_deleted(roots, p.path, before),
        ),
        tool(
            "restore_file",
            Restore,
            lambda p: undo_ops.restore(roots, backups, p.path, p.former, p.expects),
            lambda p, _: verify.holds(roots, p.path, p.former),
            before=lambda p: recovery.before_making(roots, p.path),
            recover=lambda p, before: recovery.recover_restored(
                roots, backups, p.path, before, former=p.former, expects=p.expects
            ),
        ),
        tool(
            "shorten_file",
            Shorten,
            lambda p: undo_ops.shorten(roots, backups, p.path, p.former, p.expects, size=p.size),
            lambda p, _: verify.holds(roots, p.path, p.former),
            before=lambda p: recovery.before_making(roots, p.path),
            recover=lambda p, before: recovery.recover_restored(
                roots, backups, p.path, before, former=p.former, expects=p.expects
            ),
        ),
        tool(
            "untrash",
            Untrash,
            lambda p: undo_ops.untrash(roots, p.path, p.entry),
            lambda p, done: was_taken_out(roots, p, done),
            before=lambda p: recovery.before_untrashing(roots, p.path, p.entry),
            recover=lambda p, before: recovery.recover_untrashed(roots, p.path, p.entry, before),
        ),
        tool(
            "unmove",
            Unmove,
            lambda p: undo_ops.unmove(roots, p.path, p.to, p.expects),
            lambda p, done: has_gone(roots, p.path, done, p.to),
            before=lambda p: recovery.before_moving(roots, p.path, p.to),
            recover=lambda p, before: recovery.recover_moved(roots, p.path, p.to, before),
            target=lambda p: p.to,
        ),
    )


def opener(roots: Roots, start: Starter) -> AnyTool:
    """Declare the tool that opens files; what the desktop shows of them is not seen."""

    async def perform(given: Open) -> Outcome:
        return await in_thread(lambda: opening.open_file(roots, given.path, given.app, start))

    async def unseen(_given: Open, _done: Done) -> None:
        return None

    return Tool(
        name="files.open_file",
        intent="file_operation",
        achieves=frozenset({"open_file"}),
        params=Open,
        act=perform,
        check=unseen,
        is_available=opening.is_available,
        hint="install xdg-utils and run the daemon in a desktop session",
    )


def after_cleanup(tool: AnyTool, mender: Mender) -> AnyTool:
    """Let a tool, before it acts or looks, see to what was left where it works."""

    def first(work: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def mend_and(given: Params, *more: object) -> Any:
            if folders := mender.unknown(*folders_of(given)):
                await in_thread(lambda: mender.mend(folders))
            return await work(given, *more)

        return mend_and

    return replace(
        tool,
        act=first(tool.act),
        check=first(tool.check),
        records=None if tool.records is None else first(tool.records),
        recovers=None if tool.recovers is None else first(tool.recovers),
        compares=None if tool.compares is None else first(tool.compares),
    )


def folders_of(given: Params) -> tuple[str, ...]:
    """Give the folders that a tool works in."""
    if not isinstance(given, Located):
        return ()
    holds = os.path.dirname(os.path.normpath(given.path))
    to = getattr(given, "to", "")
    if "/" not in to:
        return (holds,)
    above = os.path.dirname(os.path.normpath(to))
    return (holds, above) if isinstance(given, Unmove) else (holds, above, to)


def has_gone(roots: Roots, source: str, done: Done, expected: str) -> bool | None:
    """Tell whether a thing left its old place for the new one.

    Without a report, it is looked for where it was to go; None if it is in neither place.
    """
    if verify.exists(roots, source):
        return False
    if reported_path(done):
        return verify.exists(roots, reported_path(done))
    return verify.exists(roots, expected) or None


def was_copied(roots: Roots, given: Copy, done: Done) -> bool | None:
    """Tell whether a copy is there.

    Without a report, a thing of that name may be another: None unless it is just like the original.
    """
    if reported_path(done):
        return verify.exists(roots, reported_path(done))
    if not verify.exists(roots, copied_to(given)):
        return False
    return verify.are_alike(roots, given.path, copied_to(given)) or None


def was_taken_out(roots: Roots, given: Untrash, done: Done) -> bool:
    """Tell whether a thing is back from the trash."""
    if kind := reported(done, "kind"):
        return verify.is_kind(roots, given.path, kind)
    return verify.exists(roots, given.path) and not is_in_trash(given.entry, given.path)


def brought_to(given: Bring) -> str:
    """Give the path that a thing has once it is in the folder it was to be brought to."""
    return os.path.join(given.to, os.path.basename(os.path.normpath(given.path)))


def copied_to(given: Copy) -> str:
    """Give the path of the copy: in its folder, by its new name if it has one."""
    folder, name = os.path.split(os.path.normpath(given.path))
    return os.path.join(given.to or folder, given.named or name)


def renamed_to(given: Bring) -> str:
    """Give the path that a thing has by its new name."""
    return os.path.join(os.path.dirname(os.path.normpath(given.path)), given.to)


def reported_end(done: Done) -> int | None:
    """Give where what was written ended; others may have added more since."""
    size = done.output.get("size") if isinstance(done.output, dict) else None
    return size if isinstance(size, int) else None


def reported_path(done: Done) -> str:
    return reported(done, "path")


def reported(done: Done, what: str) -> str:
    """Give what a tool said of its work; nothing where it was interrupted before it could."""
    return str(done.output.get(what, "")) if isinstance(done.output, dict) else ""
