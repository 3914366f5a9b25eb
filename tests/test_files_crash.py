"""File tools that are killed at any step: nobody's content is lost, and nothing is left behind."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from messages.executing import Done
from tests.test_undo_tools import furnished, trash_in, tree
from tools.files import file_tools
from tools.files import operations as ops
from tools.files.formers import Formers
from tools.files.pieces import hidden_name
from tools.files.processes import this_process
from tools.files.roots import Roots
from tools.tool import AnyTool

# What changes the disk; a process may be killed before each of these.
STEPS = ("open", "rename", "replace", "link", "unlink", "mkdir", "rmdir", "fsync", "fchmod")
MOST_STEPS = 200
DEAD = "1-00000000"  # the first process of the machine did not begin so


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home").mkdir()
    trash_in(tmp_path / "home", monkeypatch)
    return tmp_path / "work"


@pytest.fixture
def bin_of(tmp_path: Path) -> Path:
    return tmp_path / "home" / "data" / "Trash"


def killed_at(step: int, work: Callable[[], object]) -> bool:
    """Do something in a process that is killed at one of its steps; False if it came through."""
    child = os.fork()
    if child == 0:
        try:
            count_down(step)
            work()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) != 0


def count_down(step: int) -> None:
    left = iter(range(step))
    for name in STEPS:
        setattr(os, name, counted(getattr(os, name), left))


def counted(function: Callable[..., object], left: Iterator[int]) -> Callable[..., object]:
    def call(*args: object, **more: object) -> object:
        if next(left, None) is None:
            os._exit(9)
        return function(*args, **more)

    return call


def killed_everywhere(root: Path, work: Callable[[], object]) -> Iterator[None]:
    """Do something again and again, each time in a fresh root and killed one step later."""
    for step in range(MOST_STEPS):
        renew(root)
        killed = killed_at(step, work)
        file_tools(roots_at(root), Formers())
        yield
        if not killed:
            return
    pytest.fail("it never came through")


def renew(root: Path) -> None:
    """Begin anew: a furnished root, and an empty trash."""
    for folder in (root, root.parent / "home" / "data"):
        shutil.rmtree(folder, ignore_errors=True)
    furnished(root)


def roots_at(root: Path) -> Roots:
    return Roots({"work": root})


def left_in(root: Path) -> list[str]:
    return [path.name for path in root.rglob(".behest-*")]


def trashed(can: Path) -> dict[str, Path]:
    """Say what is in the trash, by where it came from."""
    notes = (can / "info").glob("*.trashinfo")
    return {
        unquote(note.read_text().split("Path=")[1].splitlines()[0]): can / "files" / note.stem
        for note in notes
    }


def tool_of(root: Path, name: str) -> AnyTool:
    tools = file_tools(roots_at(root), Formers())
    return next(tool for tool in tools if tool.name == f"files.{name}")


def abandoned(root: Path, content: str = "dear", *, of: str = DEAD, name: str = "dear.txt") -> Path:
    """Leave a file as a killed process does that was deleting it."""
    aside = root / ".behest-1-00c0ffee"
    aside.write_text(content)
    note = root / ".behest-1-00c0ffee.from"
    note.touch(mode=0o600)
    note.write_bytes(f"{of}\0{root / name}".encode())
    return aside


# What was being deleted


@pytest.mark.parametrize("name", ["notes.txt", "docs", "docs/a b'c?.md"])
def test_what_was_being_deleted_is_in_its_place_or_in_the_trash(
    root: Path, bin_of: Path, name: str
) -> None:
    fresh, outcomes = tree(furnished(root.parent / "fresh") / name), set()
    for _ in killed_everywhere(root, lambda: ops.delete(roots_at(root), str(root / name), "any")):
        place, kept = root / name, trashed(bin_of)
        outcomes.add(place.exists())
        assert list(kept) == ([] if place.exists() else [str(place)])
        assert tree(kept.get(str(place), place)) == fresh
        assert left_in(root) == []
    assert outcomes == {True, False}


def test_what_was_being_deleted_goes_to_the_trash_if_its_name_is_taken(
    root: Path, bin_of: Path
) -> None:
    furnished(root)
    abandoned(root)
    (root / "dear.txt").write_text("another's")
    file_tools(roots_at(root), Formers())
    assert (root / "dear.txt").read_text() == "another's"
    assert trashed(bin_of)[str(root / "dear.txt")].read_text() == "dear"
    assert left_in(root) == []


def test_what_was_being_deleted_goes_to_the_trash_if_its_folder_is_gone(
    root: Path, bin_of: Path
) -> None:
    furnished(root)
    abandoned(root, name="gone/dear.txt")
    file_tools(roots_at(root), Formers())
    assert trashed(bin_of)[str(root / "gone" / "dear.txt")].read_text() == "dear"
    assert left_in(root) == []


def test_what_can_go_neither_back_nor_to_the_trash_stays(root: Path, tmp_path: Path) -> None:
    furnished(root)
    aside = abandoned(root, name="gone/dear.txt")
    (tmp_path / "home" / "data").write_text("no folder")
    file_tools(roots_at(root), Formers())
    assert aside.read_text() == "dear"
    assert len(left_in(root)) == 2


def test_what_has_its_own_name_again_loses_the_hidden_one(root: Path, bin_of: Path) -> None:
    furnished(root)
    (root / "dear.txt").hardlink_to(abandoned(root))
    file_tools(roots_at(root), Formers())
    assert (root / "dear.txt").read_text() == "dear"
    assert left_in(root) == []
    assert not bin_of.exists()


def test_what_is_being_deleted_just_now_is_left_alone(root: Path) -> None:
    furnished(root)
    abandoned(root, of=this_process())
    before = tree(root)
    file_tools(roots_at(root), Formers())
    assert tree(root) == before


def test_a_process_of_the_same_number_is_another(root: Path) -> None:
    furnished(root)
    abandoned(root, of=f"{os.getpid()}-00000000")
    file_tools(roots_at(root), Formers())
    assert (root / "dear.txt").read_text() == "dear"


def test_what_nobody_noted_is_never_removed(root: Path) -> None:
    furnished(root)
    (root / ".behest-1-00c0ffee").write_text("the only copy")
    before = tree(root)
    file_tools(roots_at(root), Formers())
    assert tree(root) == before


@pytest.mark.parametrize("content", [b"", b"\0", b"1-00000000\0relative", b"x\0/etc", b"\xff" * 99])
def test_a_note_that_is_none_of_ours_moves_nothing(root: Path, content: bytes) -> None:
    furnished(root)
    abandoned(root)
    (root / ".behest-1-00c0ffee.from").write_bytes(content)
    before = tree(root)
    file_tools(roots_at(root), Formers())
    assert tree(root) == before


def test_a_note_that_others_could_have_written_moves_nothing(root: Path) -> None:
    furnished(root)
    abandoned(root)
    (root / ".behest-1-00c0ffee.from").chmod(0o644)
    before = tree(root)
    file_tools(roots_at(root), Formers())
    assert tree(root) == before


# What was being made


async def test_a_killed_write_leaves_the_old_content_or_the_new(root: Path) -> None:
    def write() -> None:
        formers = Formers(root.parent / "former")
        ops.write_file(roots_at(root), formers, f"{root}/notes.txt", "new", overwrite=True)

    contents = set()
    for _ in killed_everywhere(root, write):
        contents.add((root / "notes.txt").read_text())
        assert left_in(root) == []
    assert contents == {"hello", "new"}


@pytest.mark.parametrize("name", ["binary.bin", "docs"])
async def test_a_killed_copy_is_whole_or_gone_at_the_next_work_in_its_folder(
    root: Path, name: str
) -> None:
    def copy() -> None:
        ops.copy(roots_at(root), str(root / name), str(root / "other"))

    litter = 0
    for _ in killed_everywhere(root, copy):
        litter += len(list((root / "other").glob(".behest-*")))
        made = {"name": "x", "path": f"{root}/other/x", "object_type": "file"}
        await tool_of(root, "create_file").perform(made)
        assert left_in(root) == []
        assert set(os.listdir(root / "other")) <= {"x", name}
    assert litter > 0


async def test_what_is_being_made_just_now_is_left_alone(root: Path) -> None:
    furnished(root)
    name = hidden_name()
    (root / name).write_text("half")
    (root / "docs" / name).write_text("half")
    made = {"name": "x", "path": f"{root}/docs/x", "object_type": "file"}
    assert isinstance(await tool_of(root, "create_file").perform(made), Done)
    assert (root / name).exists()
    assert (root / "docs" / name).exists()


# What is said of it afterwards


@pytest.mark.parametrize(
    ("verb", "name", "to", "in_root"),
    [
        ("copy_file", "notes.txt", "docs", True),
        ("copy_file", "other", "docs", True),
        ("move_file", "notes.txt", "docs", True),
        ("move_file", "docs", "other", True),
        ("rename_file", "notes.txt", "n.txt", False),
        ("rename_file", "docs", "papers", False),
    ],
)
async def test_what_happened_is_seen_without_a_report(
    root: Path, verb: str, name: str, to: str, *, in_root: bool
) -> None:
    furnished(root)
    tool = tool_of(root, verb)
    args = {"name": name, "path": str(root / name), "to": str(root / to) if in_root else to}
    assert await tool.verify(args, Done()) is False
    assert isinstance(await tool.perform(args), Done)
    assert await tool.verify(args, Done()) is True


async def test_another_thing_of_that_name_is_no_sign_of_a_copy(root: Path) -> None:
    furnished(root)
    (root / "docs" / "notes.txt").write_text("another's")
    args = {"name": "notes.txt", "path": f"{root}/notes.txt", "to": f"{root}/docs"}
    assert await tool_of(root, "copy_file").verify(args, Done()) is None


async def test_of_what_is_in_neither_place_nothing_is_known(root: Path) -> None:
    furnished(root)
    args = {"name": "gone.txt", "path": f"{root}/gone.txt", "to": f"{root}/docs"}
    assert await tool_of(root, "move_file").verify(args, Done()) is None


async def test_what_came_back_from_the_trash_is_seen_without_a_report(root: Path) -> None:
    furnished(root)
    done = ops.delete(roots_at(root), f"{root}/notes.txt", "any")
    tool, path = tool_of(root, "untrash"), f"{root}/notes.txt"
    args = {"name": path, "path": path, "entry": done.undo[0].params["entry"]}
    assert await tool.verify(args, Done()) is False
    assert isinstance(await tool.perform(args), Done)
    assert await tool.verify(args, Done()) is True


async def test_an_interrupted_deletion_is_seen_not_to_have_happened(root: Path) -> None:
    furnished(root)
    abandoned(root, name="docs/dear.txt")
    args = {"name": "dear.txt", "path": f"{root}/docs/dear.txt"}
    assert await tool_of(root, "delete_any").verify(args, Done()) is False
