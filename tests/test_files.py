"""File tools on real folders: effects that are seen, refusals that leave all as it was."""

import os
import resource
import shutil
import socket
import stat
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import anyio
import pytest

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tests.daemon import Daemon, Event, running_daemon
from tools.files import file_tools
from tools.files.backups import Backups
from tools.files.operations import READ_LIMIT, SYNCED_ONE_BY_ONE
from tools.files.roots import Roots
from tools.tool import AnyTool

Output = dict[str, Any]


@dataclass(frozen=True)
class Desk:
    """A root folder with a few things in it, a folder outside it, and the tools."""

    root: Path
    outside: Path
    tools: Mapping[str, AnyTool]

    def arguments(self, path: str, more: Mapping[str, Any]) -> Output:
        """Make places absolute as the Orchestrator does."""
        places = {"to": str(self.root / more["to"])} if "to" in more else {}
        return {"name": path, "path": os.path.join(self.root, path), **more, **places}

    async def attempt(self, tool: str, path: str, **more: Any) -> Outcome:
        if tool == "rename_file":
            return await self.tools[tool].perform(
                {"name": path, "path": os.path.join(self.root, path), **more}
            )
        return await self.tools[tool].perform(self.arguments(path, more))

    async def done(self, tool: str, path: str, **more: Any) -> Any:
        """Do something, see that its effect is verified, and give its output."""
        outcome = await self.attempt(tool, path, **more)
        assert isinstance(outcome, Done), outcome
        args = self.arguments(path, more)
        args |= {"to": more["to"]} if tool == "rename_file" else {}
        assert await self.tools[tool].verify(args, outcome) is True
        return outcome.output

    async def refused(self, tool: str, path: str, **more: Any) -> Refused:
        """Try something that must be refused and must change nothing, here or outside."""
        before = (snapshot(self.root), snapshot(self.outside))
        outcome = await self.attempt(tool, path, **more)
        assert (snapshot(self.root), snapshot(self.outside)) == before
        assert isinstance(outcome, Refused), outcome
        return outcome


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes | str]]:
    """Give all that is in a folder: what it is, which one it is, and what it holds."""
    seen: dict[str, tuple[int, int, bytes | str]] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content: bytes | str = b""
        if stat.S_ISREG(status.st_mode):
            content = path.read_bytes()
        elif stat.S_ISLNK(status.st_mode):
            content = os.readlink(path)
        seen[str(path)] = (status.st_mode, status.st_ino, content)
    return seen


def desk_on(root: Path, outside: Path) -> Desk:
    tools = file_tools(Roots({"work": root}), Backups())
    return Desk(root, outside, {tool.name.removeprefix("files."): tool for tool in tools})


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    root, outside = tmp_path / "work", tmp_path / "outside"
    for folder in (root / "docs" / "deep", root / "full" / "inner", outside):
        folder.mkdir(parents=True)
    (outside / "secret.txt").write_text("secret")
    (root / "notes.txt").write_text("hello\n")
    (root / "empty.txt").touch()
    (root / "docs" / "notes.txt").write_text("other\n")
    (root / "full" / "inner" / "Report.MD").write_text("report")
    (root / "binary.bin").write_bytes(b"\xff\xfe\x00")
    (root / "link_out").symlink_to(outside)
    (root / "link_file").symlink_to(outside / "secret.txt")
    (root / "link_in").symlink_to(root / "docs")
    (root / "dangling").symlink_to(outside / "nothing.txt")
    return desk_on(root, outside)


# Effects


async def test_a_folder_is_created_and_its_path_reported(desk: Desk) -> None:
    output = await desk.done("create_folder", "reports", object_type="folder")
    assert (desk.root / "reports").is_dir()
    assert output == {"path": str(desk.root / "reports"), "created": True}


async def test_a_folder_that_is_there_counts_as_created_and_keeps_what_is_in_it(desk: Desk) -> None:
    before = snapshot(desk.root)
    output = await desk.done("create_folder", "docs", object_type="folder")
    assert output["created"] is False
    assert snapshot(desk.root) == before


async def test_a_file_is_created_with_its_content(desk: Desk) -> None:
    output = await desk.done("create_file", "docs/a.md", object_type="file", content="é\n")
    assert (desk.root / "docs" / "a.md").read_bytes() == "é\n".encode()
    assert output == {"path": str(desk.root / "docs" / "a.md"), "created": True}


async def test_creating_a_file_that_is_there_with_the_same_content_is_done(desk: Desk) -> None:
    before = snapshot(desk.root)
    output = await desk.done("create_file", "notes.txt", object_type="file", content="hello\n")
    assert output == {"path": str(desk.root / "notes.txt"), "created": False}
    assert snapshot(desk.root) == before


async def test_writing_makes_a_file_that_is_not_there(desk: Desk) -> None:
    output = await desk.done("write_file", "new.txt", content="new")
    assert (desk.root / "new.txt").read_text() == "new"
    assert output == {"path": str(desk.root / "new.txt"), "created": True}


async def test_an_empty_file_is_filled_without_asking(desk: Desk) -> None:
    assert (await desk.done("write_file", "empty.txt", content="new"))["created"] is False
    assert (desk.root / "empty.txt").read_text() == "new"


async def test_a_file_is_overwritten_when_told_so(desk: Desk) -> None:
    await desk.done("write_file", "notes.txt", content="new", overwrite=True)
    assert (desk.root / "notes.txt").read_text() == "new"


@pytest.mark.parametrize(
    ("before", "after"),
    [("", "milk\n"), ("eggs\n", "eggs\nmilk\n"), ("eggs", "eggs\nmilk\n")],
)
async def test_appending_adds_a_line_of_its_own(desk: Desk, before: str, after: str) -> None:
    (desk.root / "list.txt").write_text(before)
    output = await desk.done("append_file", "list.txt", content="milk")
    assert (desk.root / "list.txt").read_text() == after
    assert output == {"path": str(desk.root / "list.txt"), "size": len(after)}


async def test_a_text_file_is_read(desk: Desk) -> None:
    output = await desk.done("read_file", "notes.txt")
    assert output == {"path": str(desk.root / "notes.txt"), "text": "hello\n", "size": 6}


async def test_a_file_of_just_the_limit_is_read_and_a_larger_one_is_not(desk: Desk) -> None:
    (desk.root / "large.txt").write_bytes(b"x" * READ_LIMIT)
    assert (await desk.done("read_file", "large.txt"))["size"] == READ_LIMIT
    (desk.root / "large.txt").write_bytes(b"x" * (READ_LIMIT + 1))
    assert (await desk.refused("read_file", "large.txt")).code is Code.TOO_LARGE


async def test_a_folder_is_listed_in_order_with_kinds_and_sizes(desk: Desk) -> None:
    rows = await desk.done("list_folder", ".")
    assert [row["name"] for row in rows] == sorted(os.listdir(desk.root))
    by_name = {row["name"]: row for row in rows}
    assert by_name["notes.txt"] == {
        "name": "notes.txt",
        "kind": "file",
        "size": 6,
        "path": str(desk.root / "notes.txt"),
    }
    assert by_name["docs"]["kind"] == "folder"
    assert by_name["link_out"]["kind"] == "link"


async def test_files_are_found_in_all_folders_whatever_the_case(desk: Desk) -> None:
    rows = await desk.done("find_files", ".", pattern="report.*")
    report = str(desk.root / "full" / "inner" / "Report.MD")
    assert rows == [{"name": "Report.MD", "path": report}]


async def test_finding_does_not_go_where_links_lead(desk: Desk) -> None:
    refusal = await desk.refused("find_files", ".", pattern="secret*")
    assert refusal.code is Code.TARGET_NOT_FOUND


@pytest.mark.parametrize(
    ("name", "to"), [("empty.txt", "docs"), ("full", "docs/deep"), ("docs/notes.txt", "full")]
)
async def test_moving_keeps_the_name_and_the_thing_itself(desk: Desk, name: str, to: str) -> None:
    itself = (desk.root / name).stat().st_ino
    output = await desk.done("move_file", name, to=to)
    arrived = desk.root / to / Path(name).name
    assert arrived.stat().st_ino == itself
    assert not (desk.root / name).exists()
    assert output == {"path": str(arrived), "source": str(desk.root / name)}


async def test_copying_leaves_the_original(desk: Desk) -> None:
    output = await desk.done("copy_file", "notes.txt", to="full")
    assert (desk.root / "full" / "notes.txt").read_text() == "hello\n"
    assert (desk.root / "notes.txt").read_text() == "hello\n"
    assert output["path"] == str(desk.root / "full" / "notes.txt")


async def test_a_folder_is_copied_with_all_in_it(desk: Desk) -> None:
    await desk.done("copy_file", "full", to="docs")
    assert (desk.root / "docs" / "full" / "inner" / "Report.MD").read_text() == "report"
    assert (desk.root / "full" / "inner" / "Report.MD").read_text() == "report"


async def test_copying_a_folder_never_follows_the_links_in_it(desk: Desk) -> None:
    (desk.root / "full" / "way_out").symlink_to(desk.outside)
    await desk.done("copy_file", "full", to="docs")
    copied = [path.read_bytes() for path in (desk.root / "docs").rglob("*") if path.is_file()]
    assert b"secret" not in copied


@pytest.mark.parametrize("name", ["notes.txt", "docs"])
async def test_renaming_keeps_the_folder_and_the_thing_itself(desk: Desk, name: str) -> None:
    itself = (desk.root / name).stat().st_ino
    output = await desk.done("rename_file", name, to="other")
    assert (desk.root / "other").stat().st_ino == itself
    assert not (desk.root / name).exists()
    assert output["path"] == str(desk.root / "other")


@pytest.mark.parametrize(
    "name",
    [
        "with space",
        "-rf",
        "naïve 🎉",
        "e\u0301",
        "\u202egnp.exe",
        "a\nb",
        "quote'\"$(x)`;",
        "back\\slash",
        "*?[x]",
        "...",
        "ü" * 127,
    ],
)
async def test_odd_names_are_names_like_any_other(desk: Desk, name: str) -> None:
    await desk.done("create_folder", name, object_type="folder")
    await desk.done("create_file", f"{name}/{name}", object_type="file", content="x")
    assert os.listdir(desk.root / name) == [name]
    assert (await desk.done("read_file", f"{name}/{name}"))["text"] == "x"
    assert [row["name"] for row in await desk.done("list_folder", name)] == [name]
    await desk.done("rename_file", f"{name}/{name}", to="plain")
    assert os.listdir(desk.root / name) == ["plain"]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o666, 0o755, 0o777])
async def test_overwriting_keeps_the_mode_of_the_file(desk: Desk, mode: int) -> None:
    (desk.root / "notes.txt").chmod(mode)
    await desk.done("write_file", "notes.txt", content="new", overwrite=True)
    assert stat.S_IMODE((desk.root / "notes.txt").stat().st_mode) == mode


@pytest.mark.parametrize("mode", [0o600, 0o755, 0o777])
async def test_a_copy_has_the_mode_of_the_original(desk: Desk, mode: int) -> None:
    (desk.root / "notes.txt").chmod(mode)
    await desk.done("copy_file", "notes.txt", to="full")
    assert stat.S_IMODE((desk.root / "full" / "notes.txt").stat().st_mode) == mode


# All or nothing


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    """Let the system refuse to write more, as a full disk would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize(
    ("tool", "path", "more"),
    [
        ("create_file", "new.txt", {"object_type": "file"}),
        ("write_file", "notes.txt", {"overwrite": True}),
        ("append_file", "notes.txt", {}),
    ],
)
async def test_a_write_that_fails_half_way_leaves_nothing_behind(
    desk: Desk, tool: str, path: str, more: Output
) -> None:
    with files_no_larger_than(1 << 20):
        refusal = await desk.refused(tool, path, content="x" * (2 << 20), **more)
    assert refusal.code is Code.IO_FAILED


@pytest.mark.parametrize("name", ["full", "full/inner/large.bin"])
async def test_a_copy_that_fails_half_way_leaves_nothing_behind(desk: Desk, name: str) -> None:
    (desk.root / "full" / "inner" / "large.bin").write_bytes(b"x" * (2 << 20))
    with files_no_larger_than(1 << 20):
        refusal = await desk.refused("copy_file", name, to="docs")
    assert refusal.code is Code.IO_FAILED


async def test_whoever_reads_during_a_write_sees_the_old_content_or_the_new(desk: Desk) -> None:
    contents = ["a" * 50_000, "b" * 70_000]
    path = desk.root / "shared.txt"
    path.write_text(contents[0])
    over = threading.Event()
    torn: list[str] = []

    def read() -> None:
        while not over.is_set():
            text = path.read_text()
            if text not in contents:
                torn.append(text)

    reader = threading.Thread(target=read)
    reader.start()
    for turn in range(60):
        await desk.done("write_file", "shared.txt", content=contents[turn % 2], overwrite=True)
    over.set()
    reader.join()
    assert torn == []


async def test_of_many_who_create_the_same_file_exactly_one_does(desk: Desk) -> None:
    for turn in range(20):
        outcomes: dict[str, Outcome] = {}

        async def create(content: str, name: str, outcomes: dict[str, Outcome]) -> None:
            outcomes[content] = await desk.attempt(
                "create_file", name, object_type="file", content=content
            )

        async with anyio.create_task_group() as tasks:
            for content in "abcdefgh":
                tasks.start_soon(create, content, f"new{turn}", outcomes)
        done = [content for content, outcome in outcomes.items() if isinstance(outcome, Done)]
        codes = {outcome.code for outcome in outcomes.values() if isinstance(outcome, Refused)}
        assert done == [(desk.root / f"new{turn}").read_text()]
        assert codes == {Code.ALREADY_EXISTS}


@contextmanager
def noting_what_is_synced() -> Iterator[set[int]]:
    """Give, by their numbers on the disk, the things that are brought there for certain."""
    things: set[int] = set()

    def note(handle: int, fsync: Callable[[int], None] = os.fsync) -> None:
        things.add(os.fstat(handle).st_ino)
        fsync(handle)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", note)
        yield things


@pytest.mark.parametrize(
    ("tool", "path", "more", "synced"),
    [
        ("create_folder", "new", {"object_type": "folder"}, {"."}),
        ("create_file", "docs/new", {"object_type": "file", "content": "x"}, {"docs/new", "docs"}),
        ("write_file", "notes.txt", {"content": "x", "overwrite": True}, {"notes.txt", "."}),
        ("append_file", "notes.txt", {"content": "x"}, {"notes.txt"}),
        ("copy_file", "notes.txt", {"to": "full"}, {"full/notes.txt", "full"}),
        (
            "copy_file",
            "full",
            {"to": "docs"},
            {"docs/full/inner/Report.MD", "docs/full/inner", "docs/full", "docs"},
        ),
        ("move_file", "empty.txt", {"to": "docs"}, {".", "docs"}),
        ("rename_file", "docs/deep", {"to": "low"}, {"docs"}),
    ],
)
async def test_what_was_done_is_on_the_disk_and_so_is_its_name(
    desk: Desk,
    tool: str,
    path: str,
    more: Output,
    synced: set[str],
) -> None:
    with noting_what_is_synced() as things:
        await desk.done(tool, path, **more)
    assert {name for name in synced if (desk.root / name).stat().st_ino not in things} == set()


async def test_a_copy_of_many_files_is_on_the_disk_at_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(SYNCED_ONE_BY_ONE + 1):
        (desk.root / "full" / str(number)).touch()
    all_of_it: list[bool] = []
    monkeypatch.setattr(os, "sync", lambda: all_of_it.append(True))
    await desk.done("copy_file", "full", to="docs")
    assert all_of_it == [True]


# Refusals

REFUSALS: list[tuple[str, str, Output, Code]] = [
    ("create_folder", "notes.txt", {"object_type": "folder"}, Code.ALREADY_EXISTS),
    ("create_folder", "missing/new", {"object_type": "folder"}, Code.TARGET_NOT_FOUND),
    ("create_folder", "notes.txt/new", {"object_type": "folder"}, Code.WRONG_KIND),
    ("create_file", "notes.txt", {"object_type": "file", "content": "x"}, Code.ALREADY_EXISTS),
    ("create_file", "docs", {"object_type": "file"}, Code.ALREADY_EXISTS),
    ("create_file", ".", {"object_type": "file"}, Code.ALREADY_EXISTS),
    ("create_file", "missing/new", {"object_type": "file"}, Code.TARGET_NOT_FOUND),
    ("write_file", "notes.txt", {"content": "x"}, Code.WOULD_OVERWRITE),
    ("write_file", "docs", {"content": "x", "overwrite": True}, Code.WRONG_KIND),
    ("write_file", ".", {"content": "x", "overwrite": True}, Code.WRONG_KIND),
    ("append_file", "docs", {"content": "x"}, Code.WRONG_KIND),
    ("append_file", ".", {"content": "x"}, Code.WRONG_KIND),
    ("append_file", "missing.txt", {"content": "x"}, Code.TARGET_NOT_FOUND),
    ("read_file", "docs", {}, Code.WRONG_KIND),
    ("read_file", ".", {}, Code.WRONG_KIND),
    ("read_file", "binary.bin", {}, Code.WRONG_KIND),
    ("read_file", "missing.txt", {}, Code.TARGET_NOT_FOUND),
    ("read_file", "missing/deep/notes.txt", {}, Code.TARGET_NOT_FOUND),
    ("read_file", "notes.txt/x/y", {}, Code.WRONG_KIND),
    ("list_folder", "notes.txt", {}, Code.WRONG_KIND),
    ("list_folder", "missing", {}, Code.TARGET_NOT_FOUND),
    ("find_files", ".", {"pattern": "*.nope"}, Code.TARGET_NOT_FOUND),
    ("find_files", "missing", {"pattern": "*"}, Code.TARGET_NOT_FOUND),
    ("move_file", "missing.txt", {"to": "docs"}, Code.TARGET_NOT_FOUND),
    ("move_file", "notes.txt", {"to": "docs"}, Code.ALREADY_EXISTS),
    ("move_file", "notes.txt", {"to": "."}, Code.ALREADY_EXISTS),
    ("move_file", "notes.txt", {"to": "empty.txt"}, Code.WRONG_KIND),
    ("move_file", "notes.txt", {"to": "missing"}, Code.TARGET_NOT_FOUND),
    ("move_file", "docs", {"to": "docs/deep"}, Code.NOT_ALLOWED),
    ("copy_file", "missing.txt", {"to": "docs"}, Code.TARGET_NOT_FOUND),
    ("copy_file", "notes.txt", {"to": "docs"}, Code.ALREADY_EXISTS),
    ("copy_file", "notes.txt", {"to": "missing"}, Code.TARGET_NOT_FOUND),
    ("copy_file", "docs", {"to": "docs/deep"}, Code.NOT_ALLOWED),
    ("rename_file", "missing.txt", {"to": "x"}, Code.TARGET_NOT_FOUND),
    ("rename_file", "notes.txt", {"to": "empty.txt"}, Code.ALREADY_EXISTS),
    ("rename_file", "notes.txt", {"to": "docs"}, Code.ALREADY_EXISTS),
    ("rename_file", "notes.txt", {"to": "docs/x"}, Code.NOT_ALLOWED),
    ("rename_file", "notes.txt", {"to": "../x"}, Code.NOT_ALLOWED),
    ("rename_file", "notes.txt", {"to": ".."}, Code.NOT_ALLOWED),
    ("rename_file", "notes.txt", {"to": ""}, Code.NOT_ALLOWED),
    ("rename_file", "notes.txt", {"to": "a\0b"}, Code.NOT_ALLOWED),
    ("delete_folder", "notes.txt", {"object_type": "folder"}, Code.WRONG_KIND),
    ("delete_file", "docs", {"object_type": "file"}, Code.WRONG_KIND),
    ("delete_any", "missing.txt", {}, Code.TARGET_NOT_FOUND),
    ("move_file", ".", {"to": "docs"}, Code.NOT_ALLOWED),
    ("rename_file", ".", {"to": "x"}, Code.NOT_ALLOWED),
    ("delete_any", ".", {}, Code.NOT_ALLOWED),
]

# Every tool, with arguments that would work on a path in the root.
EVERY_TOOL: list[tuple[str, Output]] = [
    ("create_folder", {"object_type": "folder"}),
    ("create_file", {"object_type": "file"}),
    ("write_file", {"content": "x", "overwrite": True}),
    ("append_file", {"content": "x"}),
    ("read_file", {}),
    ("list_folder", {}),
    ("find_files", {"pattern": "*"}),
    ("move_file", {"to": "docs"}),
    ("copy_file", {"to": "docs"}),
    ("rename_file", {"to": "new"}),
    ("delete_file", {"object_type": "file"}),
    ("delete_any", {}),
]


@pytest.mark.parametrize(("tool", "path", "more", "code"), REFUSALS)
async def test_a_refusal_has_its_code_and_changes_nothing(
    desk: Desk, tool: str, path: str, more: Output, code: Code
) -> None:
    assert (await desk.refused(tool, path, **more)).code is code


@pytest.mark.parametrize(
    ("tool", "path", "near"),
    [
        ("read_file", "nots.txt", "notes.txt"),
        ("read_file", "dosc/notes.txt", "docs"),
        ("list_folder", "dosc", "docs"),
        ("delete_any", "emty.txt", "empty.txt"),
    ],
)
async def test_what_is_not_there_is_answered_with_the_nearest_names(
    desk: Desk, tool: str, path: str, near: str
) -> None:
    refusal = await desk.refused(tool, path)
    assert refusal.code is Code.TARGET_NOT_FOUND
    assert repr(near) in refusal.message


@pytest.mark.parametrize(
    "path",
    [
        "../outside/secret.txt",
        "docs/../../outside/secret.txt",
        "../work-too/x",
        "..",
        "/etc/hostname",
        "/",
        "link_out/secret.txt",
        "link_in/notes.txt",
        "docs/../link_out/secret.txt",
    ],
)
@pytest.mark.parametrize(("tool", "more"), EVERY_TOOL)
async def test_no_tool_reaches_outside_its_roots(
    desk: Desk, tool: str, more: Output, path: str
) -> None:
    (desk.root.parent / "work-too").mkdir()
    assert (await desk.refused(tool, path, **more)).code is Code.OUTSIDE_ROOTS


async def test_a_relative_path_is_in_no_root(desk: Desk) -> None:
    outcome = await desk.tools["read_file"].perform({"name": "a", "path": "notes.txt"})
    assert isinstance(outcome, Refused)
    assert outcome.code is Code.OUTSIDE_ROOTS


@pytest.mark.parametrize("tool", ["move_file", "copy_file"])
@pytest.mark.parametrize("to", ["../outside", "link_out", "/tmp"])
async def test_nothing_is_brought_outside_the_roots(desk: Desk, tool: str, to: str) -> None:
    assert (await desk.refused(tool, "notes.txt", to=to)).code is Code.OUTSIDE_ROOTS


@pytest.mark.parametrize(
    ("tool", "more"),
    [(tool, more) for tool, more in EVERY_TOOL if tool not in {"move_file", "rename_file"}][:-2],
)
@pytest.mark.parametrize("link", ["link_file", "link_out", "dangling"])
async def test_a_link_at_the_end_of_a_path_is_not_followed(
    desk: Desk, tool: str, more: Output, link: str
) -> None:
    refusal = await desk.refused(tool, link, **more)
    assert refusal.code in {Code.OUTSIDE_ROOTS, Code.WRONG_KIND, Code.ALREADY_EXISTS}


@pytest.mark.parametrize(("tool", "more"), EVERY_TOOL)
async def test_a_null_character_is_refused(desk: Desk, tool: str, more: Output) -> None:
    assert (await desk.refused(tool, "no\0tes.txt", **more)).code is Code.NOT_ALLOWED


@pytest.mark.parametrize(("tool", "more"), EVERY_TOOL)
async def test_a_name_longer_than_the_disk_allows_is_refused(
    desk: Desk, tool: str, more: Output
) -> None:
    await desk.refused(tool, "x" * 256, **more)
    await desk.refused(tool, f"{'x' * 256}/notes.txt", **more)


@pytest.mark.parametrize(
    ("tool", "more"),
    [(tool, more) for tool, more in EVERY_TOOL if tool in {"read_file", "append_file"}]
    + [("write_file", {"content": "x", "overwrite": True}), ("copy_file", {"to": "docs"})],
)
async def test_a_socket_is_no_file(desk: Desk, tool: str, more: Output) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(desk.root / "socket"))
        assert (await desk.refused(tool, "socket", **more)).code is Code.WRONG_KIND


@pytest.mark.parametrize(
    ("tool", "more"), [("move_file", {"to": "docs"}), ("rename_file", {"to": "x"})]
)
@pytest.mark.parametrize("path", ["full", "full/inner"])
async def test_a_root_within_a_root_is_never_moved(
    desk: Desk, tool: str, more: Output, path: str
) -> None:
    tools = file_tools(Roots({"work": desk.root, "inner": desk.root / "full" / "inner"}), Backups())
    both = Desk(desk.root, desk.outside, {tool.name.removeprefix("files."): tool for tool in tools})
    assert (await both.refused(tool, path, **more)).code is Code.NOT_ALLOWED


async def test_neither_work_nor_refusals_leave_descriptors_open(desk: Desk) -> None:
    async def round_of_everything() -> None:
        for tool, path, more, _ in REFUSALS:
            await desk.attempt(tool, path, **more)
        for tool, more in EVERY_TOOL[:-2]:
            for path in ("../x", "link_out/x", "link_file", "missing/x", "x" * 256):
                await desk.attempt(tool, path, **more)
        await desk.done("write_file", "w.txt", content="x", overwrite=True)
        await desk.done("append_file", "w.txt", content="x")
        await desk.done("copy_file", "full", to="docs/deep")
        await desk.done("list_folder", "docs")
        await desk.done("find_files", ".", pattern="*")
        shutil.rmtree(desk.root / "docs" / "deep" / "full")

    await round_of_everything()
    before = sorted(os.listdir("/proc/self/fd"))
    for _ in range(4):
        await round_of_everything()
    assert sorted(os.listdir("/proc/self/fd")) == before


# Through the daemon


def goal(verb: str, **params: Any) -> Event:
    return {"domain": "file", "verb": verb, "params": params}


def result_of(daemon: Daemon, *goals: Event) -> Event:
    """Carry out goals and give the last one's result."""
    wire = daemon.connect()
    finished = wire.run(os.urandom(4).hex(), goals=list(goals))[-1]
    result: Event = finished["results"][-1]
    return result


def trash(daemon: Daemon) -> dict[str, str]:
    """Say what is in the trash, and from where."""
    folder = daemon.home / "data" / "Trash"
    return {
        str(folder / "files" / info.stem): unquote(
            next(line for line in info.read_text().splitlines() if line.startswith("Path=")),
        ).removeprefix("Path=")
        for info in (folder / "info").iterdir()
    }


@pytest.mark.parametrize("words", ["delete the file draft.md", "rm draft.md"])
def test_a_deleted_file_is_in_the_trash_and_can_be_brought_back(daemon: Daemon, words: str) -> None:
    (daemon.root / "draft.md").write_text("draft")
    finished = daemon.connect().run("c", text=words)[-1]
    assert finished["status"] == "success"
    assert finished["results"][0]["verified"] is True
    assert finished["results"][0]["output"]["path"] == str(daemon.root / "draft.md")
    assert not (daemon.root / "draft.md").exists()
    ((kept, origin),) = trash(daemon).items()
    shutil.move(kept, origin)
    assert (daemon.root / "draft.md").read_text() == "draft"


def test_a_deleted_folder_is_in_the_trash_with_all_in_it(daemon: Daemon) -> None:
    (daemon.root / "old").mkdir()
    (daemon.root / "old" / "a.txt").write_text("a")
    assert result_of(daemon, goal("delete", name="old", object_type="folder"))["verified"] is True
    ((kept, origin),) = trash(daemon).items()
    assert (Path(kept) / "a.txt").read_text() == "a"
    assert origin == str(daemon.root / "old")


@pytest.mark.parametrize("name", ["full", "full/inner"])
def test_a_root_within_a_root_is_never_deleted(tmp_path: Path, name: str) -> None:
    inner = tmp_path / "work" / "full" / "inner"
    inner.mkdir(parents=True)
    with running_daemon(tmp_path, arguments=("--root", f"inner={inner}")) as daemon:
        assert result_of(daemon, goal("delete", name=name))["code"] == "NOT_ALLOWED"
    assert inner.is_dir()


def test_two_deleted_files_of_one_name_are_both_kept(daemon: Daemon) -> None:
    for content in ("first", "second"):
        (daemon.root / "a.txt").write_text(content)
        assert result_of(daemon, goal("delete", name="a.txt"))["status"] == "success"
    assert sorted(Path(kept).read_text() for kept in trash(daemon)) == ["first", "second"]


def test_deleting_a_link_leaves_what_it_leads_to(daemon: Daemon, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (daemon.root / "link").symlink_to(tmp_path / "precious")
    assert result_of(daemon, goal("delete", name="link"))["status"] == "success"
    assert not (daemon.root / "link").is_symlink()
    assert (tmp_path / "precious").read_text() == "precious"


def test_a_pipe_that_nobody_writes_to_is_refused_and_hangs_nothing(daemon: Daemon) -> None:
    os.mkfifo(daemon.root / "pipe")
    (daemon.root / "docs").mkdir()
    for attempt in (
        goal("read", name="pipe"),
        goal("append", name="pipe", content="x"),
        goal("write", name="pipe", content="x", overwrite=True),
        goal("copy", name="pipe", to="docs"),
    ):
        assert result_of(daemon, attempt)["code"] == "WRONG_KIND"
    assert (daemon.root / "pipe").is_fifo()


def test_a_device_is_no_file(tmp_path: Path) -> None:
    with running_daemon(tmp_path, arguments=("--root", "dev=/dev")) as daemon:
        result = result_of(daemon, goal("read", name="/dev/zero"))
        assert result["code"] == "WRONG_KIND"
        assert (
            result_of(daemon, goal("append", name="/dev/null", content="x"))["status"] == "failed"
        )


@pytest.mark.parametrize(
    "attempt",
    [
        goal("list"),
        goal("find", pattern="*"),
        {**goal("create", object_type="file", name="a.txt"), "scope": "inside:docs"},
    ],
)
def test_names_that_are_no_text_disturb_nothing(daemon: Daemon, attempt: Event) -> None:
    (daemon.root / "docs").mkdir()
    os.mkdir(os.fsencode(daemon.root) + b"/caf\xe9")
    with open(os.fsencode(daemon.root) + b"/caf\xe9/th\xe9.txt", "w"):
        pass
    assert result_of(daemon, attempt)["status"] == "success"


def test_a_path_outside_the_roots_is_refused_through_the_socket(
    daemon: Daemon, tmp_path: Path
) -> None:
    for name in (str(tmp_path / "x.txt"), "../x.txt"):
        result = result_of(daemon, goal("create", object_type="file", name=name))
        assert result["status"] == "failed"
        assert result["code"] == "OUTSIDE_ROOTS"
    assert not (tmp_path / "x.txt").exists()
