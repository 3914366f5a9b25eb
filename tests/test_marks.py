"""Marks: what a command changes itself stays approved, what others change meanwhile does not."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from actors.executor.marks import Marks
from actors.executor.toolbox import Tool, resolve_tool, toolbox
from messages.executing import Marked, Perform
from messages.plans import PlannedAction, WorldState
from tests.test_files_crash import bench_at, file_goal, renew
from tests.test_undo_tools import Bench, trash_in
from tools.files.roots import Roots
from tools.files.verify import mark_of


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home").mkdir()
    trash_in(tmp_path / "home", monkeypatch)
    renew(tmp_path / "work")
    return tmp_path / "work"


def tool_in(bench: Bench) -> Callable[[Marked], Tool | None]:
    return lambda marked: resolve_tool(marked.action, toolbox(bench.tools), WorldState())


def planned(bench: Bench, number: int, verb: str, name: str, **params: object) -> PlannedAction:
    action = bench.planned(file_goal(verb, name, **params))
    return msgspec.structs.replace(action, action_id=f"g{number}_{verb}_1")


async def mark_after(
    root: Path, first: PlannedAction, then: PlannedAction, meanwhile: Callable[[], object]
) -> tuple[str, str]:
    """Do one action while others are at work; give the mark that another must see, and has."""
    bench, marks = bench_at(root), Marks()
    tool_of = tool_in(bench)
    other = tool_of(Marked(then, {}, ""))
    tool = tool_of(Marked(first, {}, ""))
    assert tool is not None
    assert other is not None
    mark = await other.mark(then.args)
    assert isinstance(mark, str)
    request = Perform("c", first, beside=(Marked(then, {}, mark),))
    places = tool.places(first.args)
    watched = await marks.watch(request, places, tool_of)
    done = await tool.perform(first.args)

    async def is_seen() -> bool | None:
        return await tool.verify(first.args, done)  # type: ignore[arg-type]

    meanwhile()
    await marks.renew(request, places, watched, is_seen)
    now = await other.mark(then.args)
    assert isinstance(now, str)
    return marks.current(Perform("c", then, mark=mark)), now


def nothing() -> None:
    """Leave everything to the command."""


CASES: dict[str, tuple[tuple[str, str, dict[str, object]], tuple[str, str]]] = {
    "the same file": (
        ("write", "notes.txt", {"content": "1", "overwrite": True}),
        ("delete", "notes.txt"),
    ),
    "a folder around it": (("delete", "docs/a b'c?.md", {}), ("delete", "docs")),
}


@pytest.mark.parametrize("case", CASES)
async def test_what_the_command_changed_is_marked_anew(root: Path, case: str) -> None:
    (verb, name, params), then = CASES[case]
    bench = bench_at(root)
    first, second = planned(bench, 0, verb, name, **params), planned(bench, 1, *then)
    wanted, now = await mark_after(root, first, second, nothing)
    assert wanted == now


@pytest.mark.parametrize("case", CASES)
async def test_what_others_change_while_the_command_works_is_stale(root: Path, case: str) -> None:
    (verb, name, params), then = CASES[case]
    bench = bench_at(root)
    first, second = planned(bench, 0, verb, name, **params), planned(bench, 1, *then)
    at = root / "notes.txt" if then[1] == "notes.txt" else root / "docs" / "theirs.txt"
    wanted, now = await mark_after(root, first, second, lambda: at.write_text("theirs"))
    assert wanted != now


def test_what_is_left_out_of_a_mark_does_not_change_it(root: Path) -> None:
    roots = Roots({"work": root})
    apart = (str(root / "docs" / "new" / "x.txt"),)
    (root / "docs" / "new").mkdir()
    before = mark_of(roots, str(root / "docs"), apart)
    (root / "docs" / "new" / "x.txt").write_text("x")
    assert mark_of(roots, str(root / "docs"), apart) == before
    (root / "docs" / "new" / "y.txt").write_text("y")
    assert mark_of(roots, str(root / "docs"), apart) != before
