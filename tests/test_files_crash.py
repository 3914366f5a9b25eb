"""File tools that are killed at any step: nobody's content is lost, and nothing is left behind."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import anyio
import msgspec
import pytest

from actors.executor.toolbox import resolve_tool, toolbox
from messages.executing import Done, Recovered, Refused, Unknown
from messages.goals import GoalDraft
from messages.message import Value
from messages.plans import WorldState
from messages.results import Code
from tests.test_undo_tools import Bench, bench_on, furnished, trash_in, tree
from tools.files import file_tools
from tools.files import operations as ops
from tools.files.backups import Backups
from tools.files.primitives import hidden_name
from tools.files.processes import this_process
from tools.files.roots import Roots
from tools.tool import AnyTool

# What changes the disk; a process may be killed before each of these.
STEPS = (
    *("open", "write", "ftruncate", "rename", "replace", "link", "unlink", "mkdir", "rmdir"),
    *("fsync", "fchmod"),
)
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
        file_tools(roots_at(root), Backups())
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
    tools = file_tools(roots_at(root), Backups())
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
    file_tools(roots_at(root), Backups())
    assert (root / "dear.txt").read_text() == "another's"
    assert trashed(bin_of)[str(root / "dear.txt")].read_text() == "dear"
    assert left_in(root) == []


def test_what_was_being_deleted_goes_to_the_trash_if_its_folder_is_gone(
    root: Path, bin_of: Path
) -> None:
    furnished(root)
    abandoned(root, name="gone/dear.txt")
    file_tools(roots_at(root), Backups())
    assert trashed(bin_of)[str(root / "gone" / "dear.txt")].read_text() == "dear"
    assert left_in(root) == []


def test_what_can_go_neither_back_nor_to_the_trash_stays(root: Path, tmp_path: Path) -> None:
    furnished(root)
    aside = abandoned(root, name="gone/dear.txt")
    (tmp_path / "home" / "data").write_text("no folder")
    file_tools(roots_at(root), Backups())
    assert aside.read_text() == "dear"
    assert len(left_in(root)) == 2


def test_what_has_its_own_name_again_loses_the_hidden_one(root: Path, bin_of: Path) -> None:
    furnished(root)
    (root / "dear.txt").hardlink_to(abandoned(root))
    file_tools(roots_at(root), Backups())
    assert (root / "dear.txt").read_text() == "dear"
    assert left_in(root) == []
    assert not bin_of.exists()


def test_what_is_being_deleted_just_now_is_left_alone(root: Path) -> None:
    furnished(root)
    abandoned(root, of=this_process())
    before = tree(root)
    file_tools(roots_at(root), Backups())
    assert tree(root) == before


def test_a_process_of_the_same_number_is_another(root: Path) -> None:
    furnished(root)
    abandoned(root, of=f"{os.getpid()}-00000000")
    file_tools(roots_at(root), Backups())
    assert (root / "dear.txt").read_text() == "dear"


def test_what_nobody_noted_is_never_removed(root: Path) -> None:
    furnished(root)
    (root / ".behest-1-00c0ffee").write_text("the only copy")
    before = tree(root)
    file_tools(roots_at(root), Backups())
    assert tree(root) == before


@pytest.mark.parametrize("content", [b"", b"\0", b"1-00000000\0relative", b"x\0/etc", b"\xff" * 99])
def test_a_note_that_is_none_of_ours_moves_nothing(root: Path, content: bytes) -> None:
    furnished(root)
    abandoned(root)
    (root / ".behest-1-00c0ffee.from").write_bytes(content)
    before = tree(root)
    file_tools(roots_at(root), Backups())
    assert tree(root) == before


def test_a_note_that_others_could_have_written_moves_nothing(root: Path) -> None:
    furnished(root)
    abandoned(root)
    (root / ".behest-1-00c0ffee.from").chmod(0o644)
    before = tree(root)
    file_tools(roots_at(root), Backups())
    assert tree(root) == before


# What was being made


async def test_a_killed_write_leaves_the_old_content_or_the_new(root: Path) -> None:
    def write() -> None:
        backups = Backups(root.parent / "former")
        ops.write_file(roots_at(root), backups, f"{root}/notes.txt", "new", overwrite=True)

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


# What became of it, by what was noted before


def file_goal(verb: str, name: str, **params: Any) -> GoalDraft:
    return GoalDraft("file", verb, {"name": name, **params})


LINES = "".join(f"line {number}\n" for number in range(2_000))
CHANGES = {
    "a new folder": file_goal("create", "new", object_type="folder"),
    "a new file": file_goal("create", "new.txt", object_type="file", content="dear"),
    "a new file by writing": file_goal("write", "new.txt", content="dear"),
    "a file overwritten": file_goal("write", "notes.txt", content="dear", overwrite=True),
    "an empty file written to": file_goal("write", "empty.txt", content="dear"),
    "a line added": file_goal("append", "notes.txt", content="more"),
    "a line added to lines": file_goal("append", "lines.txt", content="three"),
    "many lines added": file_goal("append", "notes.txt", content=LINES),
    "a line added to nothing": file_goal("append", "empty.txt", content="more"),
    "a file copied": file_goal("copy", "binary.bin", to="other"),
    "a folder copied": file_goal("copy", "docs", to="other"),
    "an empty folder copied": file_goal("copy", "empty", to="other"),
    "a file moved": file_goal("move", "notes.txt", to="other"),
    "a folder moved": file_goal("move", "docs", to="other"),
    "a file renamed": file_goal("rename", "notes.txt", to="n.txt"),
    "a folder renamed": file_goal("rename", "docs", to="papers"),
    "a file deleted": file_goal("delete", "notes.txt"),
    "a folder deleted": file_goal("delete", "docs"),
    "a file in a folder deleted": file_goal("delete", "docs/a b'c?.md"),
}


@dataclass(frozen=True)
class Deed:
    """A change to be interrupted: a goal, or what undoes it."""

    goal: GoalDraft
    undoes: bool = False

    async def prepared(self, root: Path) -> GoalDraft:
        """Furnish a root and give the goal that is to be interrupted in it."""
        renew(root)
        if not self.undoes:
            return self.goal
        (undo,) = (await bench_at(root).done(self.goal)).undo
        return undo


DEEDS = {
    **{name: Deed(goal) for name, goal in CHANGES.items()},
    **{f"{name}, undone": Deed(goal, undoes=True) for name, goal in CHANGES.items()},
}


def bench_at(root: Path) -> Bench:
    return bench_on(root, root.parent)


def work_of(bench: Bench, goal: GoalDraft) -> tuple[AnyTool, Mapping[str, Value]]:
    """Give the tool that carries out a goal, and its arguments."""
    action = bench.planned(goal)
    tool = resolve_tool(action, toolbox(bench.tools), WorldState())
    assert tool is not None
    return tool, action.args  # type: ignore[return-value]


async def noted_before(root: Path, goal: GoalDraft) -> Mapping[str, Value]:
    """Note what is there before, and read it as after a crash."""
    tool, args = work_of(bench_at(root), goal)
    before = await tool.before(args)
    assert before is not None
    return msgspec.json.decode(msgspec.json.encode(before), type=dict[str, Value])


async def found_out(root: Path, goal: GoalDraft, before: Mapping[str, Value]) -> Recovered:
    """Let a new daemon find out what became of a goal."""
    tool, args = work_of(bench_at(root), goal)
    return await tool.recover(args, before)


@pytest.mark.parametrize("name", DEEDS)
def test_wherever_it_was_killed_it_is_known_whether_it_happened(root: Path, name: str) -> None:
    deed, answers = DEEDS[name], set()
    anyio.run(deed.prepared, root)
    fresh = tree(root)
    goal = anyio.run(deed.prepared, root)
    wanted = anyio.run(bench_at(root).done, goal)
    finished = tree(root)
    killed = True
    for step in range(MOST_STEPS):
        goal = anyio.run(deed.prepared, root)
        before = anyio.run(noted_before, root, goal)
        tool, args = work_of(bench_at(root), goal)
        killed = killed_at(step, partial(anyio.run, tool.perform, args))
        found = anyio.run(found_out, root, goal, before)
        answers.add(type(found))
        if found is None:
            found = anyio.run(bench_at(root).done, goal)
        assert isinstance(found, Done), found
        assert tree(root) == finished
        assert found.output == wanted.output
        anyio.run(bench_at(root).undo, found)
        assert tree(root) == fresh
        if not killed:
            break
    assert not killed
    assert answers == {type(None), Done}


@pytest.mark.parametrize("name", DEEDS)
def test_what_had_not_begun_and_what_had_ended_are_told_apart(root: Path, name: str) -> None:
    goal = anyio.run(DEEDS[name].prepared, root)
    before = anyio.run(noted_before, root, goal)
    assert anyio.run(found_out, root, goal, before) is None
    wanted = anyio.run(bench_at(root).done, goal)
    found = anyio.run(found_out, root, goal, before)
    assert isinstance(found, Done)
    assert (found.output, shapes(found)) == (wanted.output, shapes(wanted))


def shapes(done: Done) -> list[tuple[str, list[str]]]:
    """Give what the goals of an undo are made of."""
    return [(goal.verb, sorted(goal.params)) for goal in done.undo]


LOST = "secret:~lost"  # stands in the place of a text that nobody knows any more


async def compared(root: Path, goal: GoalDraft, before: Mapping[str, Value]) -> Recovered:
    """Let a new daemon find out what became of a goal whose text is lost."""
    tool, args = work_of(bench_at(root), goal)
    return await tool.compare(
        {**args, **({"content": LOST} if args.get("content") else {})}, before
    )


@pytest.mark.parametrize("name", DEEDS)
def test_without_the_text_it_is_told_whether_it_happened(root: Path, name: str) -> None:
    goal = anyio.run(DEEDS[name].prepared, root)
    before = anyio.run(noted_before, root, goal)
    assert anyio.run(compared, root, goal, before) is None
    wanted = anyio.run(bench_at(root).done, goal)
    found = anyio.run(compared, root, goal, before)
    assert isinstance(found, Done)
    assert (found.output, shapes(found)) == (wanted.output, shapes(wanted))


@pytest.mark.parametrize(
    "name", [name for name, goal in CHANGES.items() if "content" in goal.params]
)
def test_without_the_text_what_has_another_size_is_in_doubt(root: Path, name: str) -> None:
    goal = anyio.run(DEEDS[name].prepared, root)
    before = anyio.run(noted_before, root, goal)
    anyio.run(bench_at(root).done, goal)
    with (root / str(goal.params["name"])).open("a") as file:
        file.write("!")
    found = anyio.run(compared, root, goal, before)
    assert isinstance(found, Unknown)
    assert "somebody else" in found.reason


def test_a_text_of_which_a_part_was_written_is_in_doubt_without_it(root: Path) -> None:
    renew(root)
    goal = file_goal("append", "lines.txt", content="a secret of some length")
    before = anyio.run(noted_before, root, goal)
    with (root / "lines.txt").open("a") as file:
        file.write("a sec")
    assert isinstance(anyio.run(compared, root, goal, before), Unknown)
    assert (root / "lines.txt").read_text().endswith("a sec")


@pytest.mark.parametrize("written", [1, 2, 4_096, 8_000, len(LINES)])
@pytest.mark.parametrize("zeros", [False, True])
async def test_lines_of_which_a_part_was_written_are_written_once(
    root: Path, written: int, *, zeros: bool
) -> None:
    renew(root)
    goal = file_goal("append", "lines.txt", content=LINES)
    before = await noted_before(root, goal)
    text = LINES.encode()
    part = text[:written]
    with (root / "lines.txt").open("ab") as file:
        file.write(part.ljust(len(text), b"\0") if zeros else part)
    if await found_out(root, goal, before) is None:
        await bench_at(root).done(goal)
    assert (root / "lines.txt").read_bytes() == b"one\ntwo\n" + text


def others_rewrite(path: Path) -> None:
    path.write_text("another's")


def others_replace(path: Path) -> None:
    path.with_name("x").write_text("another's")
    path.with_name("x").rename(path)


@pytest.mark.parametrize("happened", [False, True])
@pytest.mark.parametrize("change", [others_rewrite, others_replace, Path.unlink])
@pytest.mark.parametrize(
    ("goal", "name"),
    [
        (CHANGES["a line added"], "notes.txt"),
        (CHANGES["a file overwritten"], "notes.txt"),
        (CHANGES["a file moved"], "notes.txt"),
        (CHANGES["a file renamed"], "notes.txt"),
        (CHANGES["a file deleted"], "notes.txt"),
    ],
)
async def test_what_somebody_else_changed_meanwhile_is_never_touched(
    root: Path, goal: GoalDraft, name: str, change: Callable[[Path], None], *, happened: bool
) -> None:
    renew(root)
    before = await noted_before(root, goal)
    if happened:
        await bench_at(root).done(goal)
    if (root / name).exists():
        change(root / name)
    left = tree(root)
    found = await found_out(root, goal, before)
    assert isinstance(found, Unknown | Refused) or happened
    assert tree(root) == left


async def test_it_is_said_that_somebody_else_was_at_work(root: Path) -> None:
    renew(root)
    goal = CHANGES["a line added"]
    before = await noted_before(root, goal)
    others_rewrite(root / "notes.txt")
    found = await found_out(root, goal, before)
    assert found == Unknown(f"{root}/notes.txt was changed by somebody else meanwhile")


async def test_a_line_that_others_added_is_not_taken_for_ours(root: Path) -> None:
    renew(root)
    goal = CHANGES["a line added to lines"]
    before = await noted_before(root, goal)
    with (root / "lines.txt").open("a") as file:
        file.write("four\n")
    assert await found_out(root, goal, before) is None
    await bench_at(root).done(goal)
    assert (root / "lines.txt").read_text() == "one\ntwo\nfour\nthree\n"


async def test_a_line_before_what_others_added_is_ours(root: Path) -> None:
    renew(root)
    goal = CHANGES["a line added to lines"]
    before = await noted_before(root, goal)
    await bench_at(root).done(goal)
    with (root / "lines.txt").open("a") as file:
        file.write("four\n")
    found = await found_out(root, goal, before)
    assert isinstance(found, Done)
    assert found.output == {"path": f"{root}/lines.txt", "size": len("one\ntwo\nthree\n")}


async def test_a_line_like_ours_among_those_of_others_is_in_doubt(root: Path) -> None:
    renew(root)
    goal = CHANGES["a line added to lines"]
    before = await noted_before(root, goal)
    with (root / "lines.txt").open("a") as file:
        file.write("four\nthree\n")
    assert isinstance(await found_out(root, goal, before), Unknown)


async def test_a_thing_of_another_kind_in_the_place_of_a_copy_is_in_doubt(root: Path) -> None:
    renew(root)
    goal = CHANGES["a file copied"]
    before = await noted_before(root, goal)
    (root / "other" / "binary.bin").write_bytes(bytes(256))
    assert isinstance(await found_out(root, goal, before), Unknown)


async def test_what_was_changed_after_it_was_to_be_deleted_is_kept(root: Path) -> None:
    renew(root)
    goal = CHANGES["a folder deleted"]
    before = await noted_before(root, goal)
    (root / "docs" / "deep" / "x.txt").write_text("another's")
    found = await found_out(root, goal, before)
    assert isinstance(found, Refused)
    assert found.code is Code.TARGET_STALE
    assert (root / "docs" / "deep" / "x.txt").read_text() == "another's"


async def test_what_would_have_been_refused_is_refused_again(root: Path) -> None:
    renew(root)
    for goal in (
        file_goal("move", "gone.txt", to="other"),
        file_goal("append", "nowhere/x.txt", content="x"),
        file_goal("write", "notes.txt", content="dear"),
        file_goal("create", "notes.txt", object_type="file", content="dear"),
        file_goal("copy", "notes.txt", to="nowhere"),
        file_goal("delete", "gone.txt"),
    ):
        before = await noted_before(root, goal)
        assert await found_out(root, goal, before) is None
        assert isinstance(await bench_at(root).attempt(goal), Refused)


async def test_to_note_what_is_there_costs_little_however_large_it_is(root: Path) -> None:
    renew(root)
    with (root / "large.txt").open("wb") as file:
        file.truncate(1 << 40)
    for goal in (
        file_goal("append", "large.txt", content="x"),
        file_goal("copy", "large.txt", to="other"),
        file_goal("move", "large.txt", to="other"),
        file_goal("write", "large.txt", content="x", overwrite=True),
        file_goal("delete", "large.txt"),
    ):
        before = await noted_before(root, goal)
        assert len(msgspec.json.encode(before)) < 400
