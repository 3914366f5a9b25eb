"""File tools: create, write, append, read, list, find, move, copy, rename, delete to the trash.

What they change can be undone: each says by which goals, and the tools for those are here, too.
"""

import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

from messages.executing import Done, Outcome, Refused
from tools.files import looking, opening, returning
from tools.files import operations as ops
from tools.files.formers import Formers
from tools.files.mending import Mender
from tools.files.roots import Roots
from tools.files.threads import in_thread
from tools.files.trash import is_in_trash
from tools.tool import AnyTool, Params, Tool, self_evident


class Located(Params, frozen=True):
    """Every file tool receives the name as it was said and the path it was resolved to."""

    name: str
    path: str


class Create(Located, frozen=True):
    object_type: str
    content: str = ""


class Write(Located, frozen=True):
    content: str
    overwrite: bool = False


class Append(Located, frozen=True):
    content: str


class Find(Located, frozen=True):
    pattern: str


class Bring(Located, frozen=True):
    to: str


class Delete(Located, frozen=True):
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


def file_tools(roots: Roots, formers: Formers) -> tuple[AnyTool, ...]:
    """Declare the tools that work within these roots, and those that put things back.

    What a daemon that was killed left in the roots is put right first; in the folders in them, it
    is when something is done there.
    """
    mender = Mender(roots)
    mender.mend_roots()
    tools = (*working_tools(roots, formers), *returning_tools(roots, formers))
    return tuple(mending_first(tool, mender) for tool in tools)


def working_tools(roots: Roots, formers: Formers) -> tuple[AnyTool, ...]:
    """Declare what people ask for."""
    return (
        tool(
            "create_folder",
            Create,
            lambda p: ops.create_folder(roots, p.path, p.content),
            lambda p, _: looking.is_kind(roots, p.path, "folder"),
        ),
        tool(
            "create_file",
            Create,
            lambda p: ops.create_file(roots, p.path, p.content),
            lambda p, _: looking.holds_text(roots, p.path, p.content),
        ),
        tool(
            "write_file",
            Write,
            lambda p: ops.write_file(roots, formers, p.path, p.content, overwrite=p.overwrite),
            lambda p, _: looking.holds_text(roots, p.path, p.content),
            lambda p: looking.mark_of(roots, p.path),
        ),
        tool(
            "append_file",
            Append,
            lambda p: ops.append_file(roots, p.path, p.content),
            lambda p, done: looking.holds_before(roots, p.path, p.content, reported_end(done)),
        ),
        tool("read_file", Located, lambda p: ops.read_file(roots, p.path)),
        opener(roots),
        tool("list_folder", Located, lambda p: ops.list_folder(roots, p.path)),
        tool("find_files", Find, lambda p: ops.find_files(roots, p.path, p.pattern)),
        tool(
            "move_file",
            Bring,
            lambda p: ops.move(roots, p.path, p.to),
            lambda p, done: has_gone(roots, p.path, done, brought_to(p)),
        ),
        tool(
            "copy_file",
            Bring,
            lambda p: ops.copy(roots, p.path, p.to),
            lambda p, done: was_copied(roots, p, done),
        ),
        tool(
            "rename_file",
            Bring,
            lambda p: ops.rename(roots, p.path, p.to),
            lambda p, done: has_gone(roots, p.path, done, renamed_to(p)),
        ),
        *(
            tool(
                f"delete_{kind}",
                Delete,
                lambda p: ops.delete(roots, p.path, p.object_type),
                lambda p, _: not looking.exists(roots, p.path),
                lambda p: looking.mark_of(roots, p.path),
            )
            for kind in ("folder", "file", "any")
        ),
    )


def returning_tools(roots: Roots, formers: Formers) -> tuple[AnyTool, ...]:
    """Declare what puts things back as they were."""
    return (
        tool(
            "discard_unchanged",
            Discard,
            lambda p: returning.discard_unchanged(roots, p.path, p.expects),
            lambda p, _: not looking.exists(roots, p.path),
        ),
        tool(
            "restore_file",
            Restore,
            lambda p: returning.restore(roots, formers, p.path, p.former, p.expects),
            lambda p, _: looking.holds(roots, p.path, p.former),
        ),
        tool(
            "shorten_file",
            Shorten,
            lambda p: returning.shorten(roots, formers, p.path, p.former, p.expects, size=p.size),
            lambda p, _: looking.holds(roots, p.path, p.former),
        ),
        tool(
            "untrash",
            Untrash,
            lambda p: returning.untrash(roots, p.path, p.entry),
            lambda p, done: was_taken_out(roots, p, done),
        ),
        tool(
            "unmove",
            Unmove,
            lambda p: returning.unmove(roots, p.path, p.to, p.expects),
            lambda p, done: has_gone(roots, p.path, done, p.to),
        ),
    )


def opener(roots: Roots) -> AnyTool:
    """Declare the tool that opens files; what the desktop shows of them is not seen."""

    async def perform(given: Located) -> Outcome:
        return await in_thread(lambda: opening.open_file(roots, given.path))

    async def unseen(_given: Located, _done: Done) -> None:
        return None

    return Tool(
        name="files.open_file",
        intent="file_operation",
        achieves=frozenset({"open_file"}),
        params=Located,
        act=perform,
        check=unseen,
        is_available=opening.is_available,
        hint="install xdg-utils and run the daemon in a desktop session",
    )


P = TypeVar("P", bound=Located)


def tool(
    achieves: str,
    params: type[P],
    act: Callable[[P], Done],
    check: Callable[[P, Done], bool | None] | None = None,
    mark: Callable[[P], str] | None = None,
) -> AnyTool:
    """Declare one file tool: what it does and how its effect is seen, both in a thread."""

    async def perform(given: P) -> Outcome:
        return await in_thread(lambda: act(given))

    async def marked(given: P) -> str | Refused:
        return "" if mark is None else await in_thread(lambda: mark(given))

    return Tool(
        name=f"files.{achieves}",
        intent="file_operation",
        achieves=frozenset({achieves}),
        params=params,
        act=perform,
        check=self_evident if check is None else checked(check),
        marks=None if mark is None else marked,
    )


def checked(check: Callable[[P, Done], bool | None]) -> Callable[[P, Done], Awaitable[bool | None]]:
    """Run a check in a thread; a check that cannot look has not seen the effect."""

    async def verify(given: P, done: Done) -> bool | None:
        seen = await in_thread(lambda: check(given, done))
        return False if isinstance(seen, Refused) else seen

    return verify


def mending_first(tool: AnyTool, mender: Mender) -> AnyTool:
    """Let a tool, before it acts or looks, see to what was left where it works."""

    async def mend(given: Located) -> None:
        if folders := mender.unknown(*folders_of(given)):
            await in_thread(lambda: mender.mend(folders))

    async def act(given: Located) -> Outcome:
        await mend(given)
        return await tool.act(given)

    async def check(given: Located, done: Done) -> bool | None:
        await mend(given)
        return await tool.check(given, done)

    return replace(tool, act=act, check=check)


def folders_of(given: Located) -> tuple[str, ...]:
    """Give the folders that a tool works in."""
    holds = os.path.dirname(os.path.normpath(given.path))
    if isinstance(given, Unmove):
        return holds, os.path.dirname(given.to)
    return (holds, given.to) if isinstance(given, Bring) and "/" in given.to else (holds,)


def has_gone(roots: Roots, source: str, done: Done, expected: str) -> bool | None:
    """Tell whether a thing left its old place for the new one.

    Without a report, it is looked for where it was to go; None if it is in neither place.
    """
    if looking.exists(roots, source):
        return False
    if reported_path(done):
        return looking.exists(roots, reported_path(done))
    return looking.exists(roots, expected) or None


def was_copied(roots: Roots, given: Bring, done: Done) -> bool | None:
    """Tell whether a copy is there.

    Without a report, a thing of that name may be another: None unless it is just like the original.
    """
    if reported_path(done):
        return looking.exists(roots, reported_path(done))
    if not looking.exists(roots, brought_to(given)):
        return False
    return looking.are_alike(roots, given.path, brought_to(given)) or None


def was_taken_out(roots: Roots, given: Untrash, done: Done) -> bool:
    """Tell whether a thing is back from the trash."""
    if kind := reported(done, "kind"):
        return looking.is_kind(roots, given.path, kind)
    return looking.exists(roots, given.path) and not is_in_trash(given.entry, given.path)


def brought_to(given: Bring) -> str:
    """Give the path that a thing has once it is in the folder it was to be brought to."""
    return os.path.join(given.to, os.path.basename(os.path.normpath(given.path)))


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
