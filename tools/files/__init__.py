"""File tools: create, write, append, read, list, find, move, copy, rename, delete to the trash.

What they change can be undone: each says by which goals, and the tools for those are here, too.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from messages.executing import Done, Outcome
from tools.files import looking, opening, returning
from tools.files import operations as ops
from tools.files.formers import Formers
from tools.files.roots import Roots
from tools.files.threads import in_thread
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


def file_tools(roots: Roots, formers: Formers) -> tuple[AnyTool, ...]:
    """Declare the tools that work within these roots, and those that put things back."""
    return (*working_tools(roots, formers), *returning_tools(roots, formers))


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
        tool("move_file", Bring, lambda p: ops.move(roots, p.path, p.to), arrived(roots)),
        tool(
            "copy_file",
            Bring,
            lambda p: ops.copy(roots, p.path, p.to),
            lambda _, done: looking.exists(roots, reported_path(done)),
        ),
        tool("rename_file", Bring, lambda p: ops.rename(roots, p.path, p.to), arrived(roots)),
        *(
            tool(
                f"delete_{kind}",
                Delete,
                lambda p: ops.delete(roots, p.path, p.object_type),
                lambda p, _: not looking.exists(roots, p.path),
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
            lambda p, done: looking.is_kind(roots, p.path, reported(done, "kind")),
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
    check: Callable[[P, Done], bool] | None = None,
) -> AnyTool:
    """Declare one file tool: what it does and how its effect is seen, both in a thread."""

    async def perform(given: P) -> Outcome:
        return await in_thread(lambda: act(given))

    return Tool(
        name=f"files.{achieves}",
        intent="file_operation",
        achieves=frozenset({achieves}),
        params=params,
        act=perform,
        check=self_evident if check is None else checked(check),
    )


def checked(check: Callable[[P, Done], bool]) -> Callable[[P, Done], Awaitable[bool]]:
    """Run a check in a thread; a check that cannot look has not seen the effect."""

    async def verify(given: P, done: Done) -> bool:
        return await in_thread(lambda: check(given, done)) is True

    return verify


def arrived(roots: Roots) -> Callable[[Located, Done], bool]:
    """Check that something left its old place for the new one."""

    def check(params: Located, done: Done) -> bool:
        return looking.exists(roots, reported_path(done)) and not looking.exists(roots, params.path)

    return check


def reported_end(done: Done) -> int | None:
    """Give where what was written ended; others may have added more since."""
    size = done.output.get("size") if isinstance(done.output, dict) else None
    return size if isinstance(size, int) else None


def reported_path(done: Done) -> str:
    return reported(done, "path")


def reported(done: Done, what: str) -> str:
    return str(done.output[what]) if isinstance(done.output, dict) else ""
