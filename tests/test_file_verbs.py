"""Verbs on what is in files, on archives, names and the trash: done, seen, undone, or refused."""

import gzip
import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actors.executor.toolbox import resolve_tool, toolbox
from messages.executing import Done, Recovered, Refused, Unknown
from messages.goals import GoalDraft
from messages.plans import WorldState
from messages.results import Code
from tests.daemon import running_daemon
from tests.test_files_crash import killed_at
from tests.test_undo_tools import Bench, bench_on, through_the_wire, trash_in, tree
from tools.files import archives, edits, renaming
from tools.files.backups import Backups
from tools.files.edits import Position
from tools.files.queries import Query, bytes_of, moment, select_entries
from tools.files.renaming import Change
from tools.files.roots import Refusal, Roots
from tools.tool import Tool

pytestmark = pytest.mark.anyio
POEM = "one fish\ntwo fish\nred fish\nblue fish\n"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    (tmp_path / "home").mkdir()
    trash_in(tmp_path / "home", monkeypatch)
    root = tmp_path / "work"
    root.mkdir()
    (root / "poem.txt").write_text(POEM)
    (root / "box").mkdir()
    return bench_on(root, tmp_path / "formers")


async def refused(bench: Bench, verb: str, name: str, **params: Any) -> Code:
    goal = GoalDraft("file", verb, {"name": name, **params})
    return (await bench.refusal_of(goal)).code


async def undo_all(bench: Bench, done: Done) -> None:
    for goal in through_the_wire(done.undo):
        await bench.done(goal)


def poem(bench: Bench) -> str:
    return (bench.root / "poem.txt").read_text()


# What is in files


async def test_a_thing_is_described_and_what_is_not_there_is_said_not_to_be(bench: Bench) -> None:
    found = (await bench.file("info", "poem.txt")).output
    assert isinstance(found, dict)
    assert (found["exists"], found["kind"], found["size"]) == (True, "file", len(POEM))
    (bench.root / "box" / "a").write_text("12345")
    folder = (await bench.file("info", "box")).output
    assert isinstance(folder, dict)
    assert (folder["kind"], folder["size"]) == ("folder", 5)
    gone = (await bench.file("info", "nothing.txt")).output
    assert gone == {"path": str(bench.root / "nothing.txt"), "exists": False}


@pytest.mark.parametrize(("what", "value"), [("lines", 4), ("words", 8), ("characters", len(POEM))])
async def test_text_is_counted(bench: Bench, what: str, value: int) -> None:
    counted = await bench.file("count_text", "poem.txt", what=what)
    assert counted.output == {"value": value, "unit": what, "of": 1}


async def test_the_text_of_a_set_is_counted_together(bench: Bench) -> None:
    (bench.root / "more.txt").write_text("a\nb")
    counted = await bench.file("count_text", ".", what="lines", pattern="*.txt")
    assert counted.output == {"value": 6, "unit": "lines", "of": 2}
    assert await refused(bench, "count_text", ".", pattern="*.md") is Code.TARGET_NOT_FOUND


async def test_the_first_and_the_last_lines_are_shown(bench: Bench) -> None:
    path = str(bench.root / "poem.txt")
    first = await bench.file("head", "poem.txt", lines=2)
    assert first.output == {"path": path, "text": "one fish\ntwo fish\n"}
    last = await bench.file("tail", "poem.txt", lines=1)
    assert last.output == {"path": path, "text": "blue fish\n"}
    assert await refused(bench, "head", "box") is Code.WRONG_KIND


async def test_a_text_is_searched_for_and_none_is_no_success(bench: Bench) -> None:
    (bench.root / "box" / "deep.txt").write_text("x\nRED sky\n")
    found = (await bench.file("search", ".", text="red", kind="file")).output
    assert isinstance(found, list)
    assert {(Path(str(row["path"])).name, row["line"]) for row in found} == {
        ("poem.txt", 3),
        ("deep.txt", 2),
    }
    assert await refused(bench, "search", ".", text="green") is Code.TARGET_NOT_FOUND


async def test_two_files_or_folders_are_compared(bench: Bench) -> None:
    (bench.root / "other.txt").write_text(POEM.replace("red", "green"))
    found = (await bench.file("compare", "poem.txt", other="other.txt")).output
    assert isinstance(found, dict)
    assert (found["same"], found["added"], found["removed"]) == (False, 1, 1)
    assert "+green fish" in str(found["lines"])
    same = (await bench.file("compare", "poem.txt", other="poem.txt")).output
    assert isinstance(same, dict)
    assert same["same"] is True
    (bench.root / "case").mkdir()
    (bench.root / "case" / "only").touch()
    folders = (await bench.file("compare", "box", other="case")).output
    assert isinstance(folders, dict)
    assert (folders["same"], folders["only_there"]) == (False, "only")
    assert await refused(bench, "compare", "poem.txt", other="box") is Code.WRONG_KIND
    assert await refused(bench, "compare", "poem.txt", other="no.txt") is Code.TARGET_NOT_FOUND


# Edits


@pytest.mark.parametrize(
    ("verb", "params", "left"),
    [
        ("replace", {"old": "fish", "new": "cat"}, POEM.replace("fish", "cat")),
        ("replace", {"old": " fish", "new": ""}, POEM.replace(" fish", "")),
        ("insert", {"content": "zero", "at": "start"}, f"zero\n{POEM}"),
        ("insert", {"content": "five", "at": "end"}, f"{POEM}five\n"),
        ("insert", {"content": "new", "line": 2}, POEM.replace("two", "new\ntwo")),
        ("insert", {"content": "new", "before": "red"}, POEM.replace("red", "new\nred")),
        ("insert", {"content": "new", "after": "blue"}, f"{POEM}new\n"),
        ("remove_lines", {"containing": "fish"}, ""),
        ("remove_lines", {"containing": "red"}, POEM.replace("red fish\n", "")),
        ("remove_lines", {"line": 1}, POEM.removeprefix("one fish\n")),
        ("sort_lines", {}, "blue fish\none fish\nred fish\ntwo fish\n"),
        ("sort_lines", {"order": "descending"}, "two fish\nred fish\none fish\nblue fish\n"),
    ],
)
async def test_an_edit_is_made_and_undone(
    bench: Bench, verb: str, params: dict[str, Any], left: str
) -> None:
    (bench.root / "poem.txt").chmod(0o640)
    before = tree(bench.root)
    done = await bench.file(verb, "poem.txt", **params)
    assert poem(bench) == left
    assert done.undo
    assert stat.S_IMODE((bench.root / "poem.txt").stat().st_mode) == 0o640
    await undo_all(bench, done)
    assert tree(bench.root) == before


@pytest.mark.parametrize(
    ("verb", "params", "code"),
    [
        ("replace", {"old": "dog", "new": "cat"}, Code.TARGET_NOT_FOUND),
        ("replace", {"old": "", "new": "cat"}, Code.TARGET_NOT_FOUND),
        ("insert", {"content": "x", "line": 9}, Code.TARGET_NOT_FOUND),
        ("insert", {"content": "x", "after": "dog"}, Code.TARGET_NOT_FOUND),
        ("insert", {"content": "x", "before": "fish"}, Code.AMBIGUOUS_TARGET),
        ("insert", {"content": "x", "before": "red", "line": 1}, Code.NOT_FEASIBLE),
        ("remove_lines", {"containing": "dog"}, Code.TARGET_NOT_FOUND),
        ("remove_lines", {"line": 5}, Code.TARGET_NOT_FOUND),
    ],
)
async def test_an_edit_that_finds_nothing_is_refused(
    bench: Bench, verb: str, params: dict[str, Any], code: Code
) -> None:
    assert await refused(bench, verb, "poem.txt", **params) is code


async def test_only_text_within_bounds_that_can_be_kept_is_edited(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bench.root / "blob").write_bytes(b"\xff\xfe")
    (bench.root / "link.txt").symlink_to("/etc/passwd")
    assert await refused(bench, "sort_lines", "blob") is Code.WRONG_KIND
    assert await refused(bench, "sort_lines", "link.txt") is Code.OUTSIDE_ROOTS
    assert await refused(bench, "sort_lines", "box") is Code.WRONG_KIND
    assert await refused(bench, "sort_lines", "none.txt") is Code.TARGET_NOT_FOUND
    unkept = bench_on(bench.root, bench.formers.parent, largest=1)
    assert await refused(unkept, "sort_lines", "poem.txt") is Code.NOT_FEASIBLE
    monkeypatch.setattr(edits, "LARGEST_TEXT", 3)
    assert await refused(bench, "sort_lines", "poem.txt") is Code.TOO_LARGE


def test_edits_leave_all_else_as_it_is() -> None:
    assert edits.sort_lines("b\r\na\r\n", "ascending", numeric=False, unique=False).text == (
        "a\r\nb\r\n"
    )
    assert edits.sort_lines("b\na", "ascending", numeric=False, unique=False).text == "a\nb"
    assert edits.sort_lines("10\n9\nx\n", "", numeric=True, unique=False).text == "x\n9\n10\n"
    assert edits.sort_lines("b\na\nb\n", "", numeric=False, unique=True).text == "a\nb\n"
    assert edits.insert_lines("a", "b", Position(at="end")).text == "a\nb\n"
    assert edits.insert_lines("", "b", Position(at="start")).text == "b\n"
    assert edits.remove_lines("a\u2028b\nc\n", "c", 0).text == "a\u2028b\n"


async def test_an_edit_that_was_killed_anywhere_is_known_afterwards(bench: Bench) -> None:
    goal = GoalDraft("file", "replace", {"name": "poem.txt", "old": "fish", "new": "cat"})
    seen = set()
    for step in range(100):
        (bench.root / "poem.txt").write_text(POEM)
        outcome, came_through = await interrupted(bench, goal, step)
        assert poem(bench) in {POEM, POEM.replace("fish", "cat")}
        assert (outcome is None) == (poem(bench) == POEM)
        assert outcome is None or isinstance(outcome, Done)
        seen.add(outcome is None)
        if came_through:
            break
    assert seen == {True, False}


async def interrupted(bench: Bench, goal: GoalDraft, step: int) -> tuple[Recovered, bool]:
    """Kill a tool at a step, and find out what became of its work."""
    action = bench.planned(goal)
    tool = resolve_tool(action, toolbox(bench.tools), WorldState())
    assert isinstance(tool, Tool)
    record = await tool.before(action.args)
    assert record is not None
    kept = msgspec.json.decode(msgspec.json.encode(record))
    args = msgspec.convert(action.args, tool.params)
    work = WORKS[goal.verb](bench, args)
    was_killed = killed_at(step, work)
    fresh = bench_on(bench.root, bench.formers.parent)
    again = resolve_tool(action, toolbox(fresh.tools), WorldState())
    assert again is not None
    return await again.recover(action.args, kept), not was_killed


def roots_of(bench: Bench) -> Roots:
    return Roots({"work": bench.root})


WORKS: dict[str, Callable[[Bench, Any], Callable[[], object]]] = {
    "replace": lambda bench, given: (
        lambda: edits.edit_file(
            roots_of(bench),
            Backups(bench.formers),
            given.path,
            lambda text: edits.replace_text(text, given.old, given.new),
        )
    ),
    "rename_all": lambda bench, given: (
        lambda: renaming.rename_all(roots_of(bench), given, given.change)
    ),
    "extract": lambda bench, given: lambda: archives.extract(roots_of(bench), given.path, given.to),
    "archive": lambda bench, given: (
        lambda: archives.archive(roots_of(bench), given, given.to, given.format)
    ),
}


# Copies by another name


async def test_a_copy_gets_the_name_that_was_said(bench: Bench) -> None:
    before = tree(bench.root)
    beside = await bench.file("copy", "poem.txt", **{"as": "verse.txt"})
    inside = await bench.file("copy", "poem.txt", to="box", **{"as": "song.txt"})
    assert (bench.root / "verse.txt").read_text() == POEM
    assert (bench.root / "box" / "song.txt").read_text() == POEM
    assert await refused(bench, "copy", "poem.txt", **{"as": "verse.txt"}) is Code.ALREADY_EXISTS
    assert await refused(bench, "copy", "poem.txt", **{"as": "../x"}) is Code.NOT_ALLOWED
    await undo_all(bench, inside)
    await undo_all(bench, beside)
    assert tree(bench.root) == before


# Archives


@pytest.mark.parametrize("name", ["all.zip", "all.tar", "all.tar.gz", "all.tgz"])
async def test_what_is_packed_is_unpacked_the_same(bench: Bench, name: str) -> None:
    (bench.root / "box" / "deep").mkdir()
    (bench.root / "box" / "deep" / "é.txt").write_text("hello")
    (bench.root / "box" / "link").symlink_to("deep")
    packed = await bench.file("archive", "box", to=name)
    assert packed.output == {"path": str(bench.root / name), "members": 3, "left_out": 1}
    unpacked = await bench.file("extract", name, to="again")
    assert (bench.root / "again" / "box" / "deep" / "é.txt").read_text() == "hello"
    assert await refused(bench, "archive", "box", to=name) is Code.ALREADY_EXISTS
    await undo_all(bench, unpacked)
    await undo_all(bench, packed)
    assert {path.name for path in bench.root.iterdir()} == {"box", "poem.txt"}


async def test_a_set_is_packed_into_one_archive(bench: Bench) -> None:
    (bench.root / "b.txt").write_text("b")
    (bench.root / "c.md").write_text("c")
    await bench.file("archive", ".", to="box", pattern="*.txt", kind="file")
    with zipfile.ZipFile(bench.root / "box" / "work.zip") as made:
        assert made.namelist() == ["b.txt", "poem.txt"]
    assert await refused(bench, "archive", ".", pattern="*.pdf") is Code.TARGET_NOT_FOUND
    assert await refused(bench, "archive", "nothing") is Code.TARGET_NOT_FOUND


async def test_an_archive_goes_beside_what_is_in_it_unless_told(bench: Bench) -> None:
    await bench.file("archive", "box")
    await bench.file("archive", "poem.txt", format="tar")
    assert zipfile.is_zipfile(bench.root / "box.zip")
    assert tarfile.is_tarfile(bench.root / "poem.txt.tar")
    await bench.file("archive", "box", to="kept")
    assert zipfile.is_zipfile(bench.root / "kept.zip")


def zipped(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def zipped_link(name: str, target: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        link = zipfile.ZipInfo(name)
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, target)
        archive.writestr(f"{name}/inside.txt", "x")
    return made.getvalue()


def tarred(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for member, content in members:
            archive.addfile(member, io.BytesIO(content))
    return made.getvalue()


def tar_file(name: str, content: bytes = b"x") -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    return member, content


def tar_link(name: str, target: str, kind: bytes) -> tuple[tarfile.TarInfo, bytes]:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member, b""


HOSTILE = {
    "upwards.zip": zipped(**{"../evil.txt": b"x"}),
    "upwards_deep.zip": zipped(**{"a/../../evil.txt": b"x"}),
    "absolute.zip": zipped(**{"/etc/evil.txt": b"x"}),
    "windows.zip": zipped(**{"..\\evil.txt": b"x"}),
    "twice.zip": zipped(**{"a": b"x", "./a": b"y"}),
    "file_and_folder.zip": zipped(**{"a": b"x", "a/b": b"y"}),
    "protected.zip": zipped(**{".ssh/authorized_keys": b"x"}),
    "leftover.zip": zipped(**{".behest-1-00000000.from": b"x"}),
    "upwards.tar.gz": tarred(tar_file("../evil.txt")),
    "absolute.tar.gz": tarred(tar_file("/etc/evil.txt")),
    "no_archive.zip": b"PK\x03\x04 nothing",
    "no_archive.tar.gz": gzip.compress(b"nothing" * 500),
    "cut_off.tar.gz": tarred(tar_file("a", os.urandom(9_000)))[:5_000],
    "control.zip": zipped(**{"a\nb": b"x"}),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("to", ["", "box"])
async def test_a_hostile_archive_changes_nothing(tmp_path: Path, name: str, to: str) -> None:
    root = tmp_path / "outer" / "work"
    (root / "box").mkdir(parents=True)
    (root / name).write_bytes(HOSTILE[name])
    before = tree(tmp_path / "outer")
    with pytest.raises((Refusal, OSError)) as caught:
        archives.extract(
            Roots({"work": root}, {".ssh"}), str(root / name), str(root / to) if to else ""
        )
    if isinstance(caught.value, Refusal):
        assert caught.value.outcome.code in {Code.NOT_ALLOWED, Code.WRONG_KIND}
    assert tree(tmp_path / "outer") == before


@pytest.mark.parametrize(
    "content",
    [
        zipped_link("a", "/etc"),
        tarred(tar_link("a", "/etc", tarfile.SYMTYPE), tar_file("a/inside.txt")),
        tarred(tar_link("a", "../../secret", tarfile.LNKTYPE), tar_file("b/inside.txt")),
        tarred(tar_link("a", "", tarfile.CHRTYPE), tar_file("b/inside.txt")),
    ],
    ids=["zip link", "tar link", "hard link", "device"],
)
def test_links_in_an_archive_are_left_out_and_lead_nowhere(tmp_path: Path, content: bytes) -> None:
    root = tmp_path / "work"
    root.mkdir()
    (root / "it.zip").write_bytes(content)
    done = archives.extract(Roots({"work": root}), str(root / "it.zip"), "")
    assert isinstance(done.output, dict)
    assert done.output["left_out"] == 1
    found = [path for path in (root / "it").rglob("*") if path.is_symlink() or path.is_file()]
    assert [path.name for path in found] == ["inside.txt"]
    assert not found[0].is_symlink()


def test_bombs_are_bounded_by_what_they_really_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MOST_BYTES", 1_000)
    monkeypatch.setattr(archives, "MOST_MEMBERS", 10)
    roots = Roots({"work": tmp_path})
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, archives.LARGEST_READ * 2
    bombs = {
        "large.zip": zipped(a=bytes(5_000)),
        "many.zip": zipped(**{str(number): b"" for number in range(11)}),
        "large.tar.gz": tarred(tar_file("a", bytes(5_000))),
        "header.tar": header.tobuf() + bytes(1_024),
    }
    for name, content in bombs.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(Refusal) as caught:
            archives.extract(roots, str(tmp_path / name), "")
        assert caught.value.outcome.code is Code.TOO_LARGE
    assert {path.name for path in tmp_path.iterdir()} == set(bombs)


async def test_nothing_is_overwritten_by_what_is_unpacked(bench: Bench) -> None:
    (bench.root / "it.zip").write_bytes(zipped(**{"b.txt": b"b", "poem.txt": b"bad"}))
    assert await refused(bench, "extract", "it.zip", to=".") is Code.ALREADY_EXISTS
    (bench.root / "it").mkdir()
    assert await refused(bench, "extract", "it.zip") is Code.ALREADY_EXISTS
    (bench.root / "good.zip").write_bytes(zipped(**{"b.txt": b"b", "d/c.txt": b"c"}))
    before = tree(bench.root)
    done = await bench.file("extract", "good.zip", to=".")
    assert (bench.root / "d" / "c.txt").read_text() == "c"
    await undo_all(bench, done)
    assert tree(bench.root) == before


@pytest.mark.parametrize("to", ["", "box"])
async def test_an_extraction_that_was_killed_anywhere_is_finished_or_not_begun(
    bench: Bench, to: str
) -> None:
    (bench.root / "it.zip").write_bytes(zipped(**{"a.txt": b"a", "b.txt": b"b", "d/c": b"c"}))
    params = {"name": "it.zip", **({"to": to} if to else {})}
    place = bench.root / (to or "it")
    outcome: Recovered = None
    for step in range(200):
        outcome, came_through = await interrupted(bench, GoalDraft("file", "extract", params), step)
        found = {str(each.relative_to(place)) for each in place.rglob("*")}
        assert not isinstance(outcome, Unknown | Refused), outcome
        assert found == (set() if outcome is None else {"a.txt", "b.txt", "d", "d/c"})
        if isinstance(outcome, Done):
            await undo_all(bench, outcome)
        if came_through:
            break
    assert isinstance(outcome, Done)


async def test_an_archive_that_was_killed_anywhere_is_there_or_not(bench: Bench) -> None:
    goal = GoalDraft("file", "archive", {"name": "poem.txt", "to": "it.zip"})
    for step in range(100):
        outcome, came_through = await interrupted(bench, goal, step)
        assert (outcome is None) == (not (bench.root / "it.zip").exists())
        if isinstance(outcome, Done):
            await undo_all(bench, outcome)
        if came_through:
            break


# Many names


@pytest.mark.parametrize(
    ("change", "name", "becomes"),
    [
        (Change(find=" ", replace="_"), "a b c.txt", "a_b_c.txt"),
        (Change(ending="html"), "page.htm", "page.html"),
        (Change(ending=".md"), "README", "README.md"),
        (Change(prefix="old-"), "a.txt", "old-a.txt"),
        (Change(suffix="-2024"), "a.tar.gz", "a.tar-2024.gz"),
        (Change(case="lower"), "IMG.JPG", "img.jpg"),
        (Change(case="upper"), ".hidden", ".HIDDEN"),
    ],
)
def test_a_name_is_changed_as_it_was_said(change: Change, name: str, becomes: str) -> None:
    assert change.apply(name) == becomes


async def test_many_are_renamed_and_get_their_names_back(bench: Bench) -> None:
    for name in ("a.htm", "b.htm", "c.txt"):
        (bench.root / name).write_text(name)
    before = tree(bench.root)
    done = await bench.file("rename_all", ".", pattern="*.htm", ending="html")
    assert {path.name for path in bench.root.glob("*.htm*")} == {"a.html", "b.html"}
    again = GoalDraft("file", "rename_all", {"pattern": "*.html", "ending": "html"})
    assert not (await bench.done(again)).changed
    await undo_all(bench, done)
    assert tree(bench.root) == before


async def test_names_that_would_collide_stop_all_of_them(bench: Bench) -> None:
    for name in ("a.htm", "b.htm", "b.html", "Same.txt", "sAME.txt", "box/x", "x y"):
        (bench.root / name).write_text(name)
    codes = [
        await refused(bench, "rename_all", ".", pattern="*.htm", ending="html"),
        await refused(bench, "rename_all", ".", pattern="?ame.txt", case="upper"),
        await refused(bench, "rename_all", ".", pattern="*.htm", find="zz", replace="y"),
        await refused(bench, "rename_all", ".", pattern="*.htm", prefix="../"),
        await refused(bench, "rename_all", ".", pattern="*.png", prefix="a"),
        await refused(bench, "rename_all", ".", pattern="x y", find="x y", replace=""),
        await refused(bench, "rename_all", ".", deep=True, pattern="*x", prefix="q"),
    ]
    assert codes == [
        *(Code.ALREADY_EXISTS, Code.ALREADY_EXISTS, Code.TARGET_NOT_FOUND, Code.NOT_ALLOWED),
        *(Code.TARGET_NOT_FOUND, Code.NOT_ALLOWED, Code.NOT_FEASIBLE),
    ]


async def test_renamings_that_were_killed_anywhere_are_finished_or_not_begun(bench: Bench) -> None:
    goal = GoalDraft("file", "rename_all", {"pattern": "*.htm", "ending": "html"})
    for name in ("a.htm", "b.htm", "c.htm"):
        (bench.root / name).write_text(name)
    outcome: Recovered = None
    for step in range(100):
        outcome, came_through = await interrupted(bench, goal, step)
        found = {path.name for path in bench.root.glob("*.htm*")}
        assert found == (
            {"a.htm", "b.htm", "c.htm"} if outcome is None else {"a.html", "b.html", "c.html"}
        )
        if isinstance(outcome, Done):
            await undo_all(bench, outcome)
        if came_through:
            break
    assert isinstance(outcome, Done)


# The trash


async def test_what_was_deleted_is_listed_and_put_back(bench: Bench) -> None:
    before = tree(bench.root)
    (bench.root / "box" / "a.txt").write_text("a")
    await bench.file("delete", "box/a.txt")
    await bench.file("delete", "poem.txt")
    rows = (await bench.done(GoalDraft("file", "list_trash"))).output
    assert isinstance(rows, list)
    assert {row["name"] for row in rows} == {"a.txt", "poem.txt"}
    await bench.file("put_back", "poem.txt")
    assert tree(bench.root) == before
    back = await bench.file("put_back", "a.txt")
    assert (bench.root / "box" / "a.txt").read_text() == "a"
    await undo_all(bench, back)
    assert not (bench.root / "box" / "a.txt").exists()
    assert await refused(bench, "put_back", "never.txt") is Code.TARGET_NOT_FOUND


async def test_nothing_is_put_back_over_something_else(bench: Bench) -> None:
    await bench.file("delete", "poem.txt")
    (bench.root / "poem.txt").write_text("new")
    assert await refused(bench, "put_back", "poem.txt") is Code.ALREADY_EXISTS
    for folder in ("one", "two"):
        (bench.root / folder).mkdir()
        (bench.root / folder / "same.txt").touch()
        await bench.file("delete", f"{folder}/same.txt")
    assert await refused(bench, "put_back", "same.txt") is Code.AMBIGUOUS_TARGET
    await bench.file("put_back", "two/same.txt")


async def test_the_trash_is_emptied_of_what_came_from_here_alone(
    bench: Bench, tmp_path: Path
) -> None:
    can = tmp_path / "home" / "data" / "Trash"
    (can / "info").mkdir(parents=True)
    (can / "files").mkdir()
    (can / "files" / "foreign").write_text("x")
    (can / "info" / "foreign.trashinfo").write_text("[Trash Info]\nPath=/elsewhere/foreign\n")
    empty = GoalDraft("file", "empty_trash")
    assert (await bench.refusal_of(empty)).code is Code.TARGET_NOT_FOUND
    await bench.file("delete", "poem.txt")
    await bench.file("delete", "box")
    done = await bench.done(empty)
    assert (done.output, done.undo) == ({"removed": 2}, ())
    assert done.lasting
    assert [path.name for path in (can / "files").iterdir()] == ["foreign"]


# Sizes and times at their bounds


def test_at_least_includes_its_bound_and_more_than_does_not(tmp_path: Path) -> None:
    assert bytes_of("at least 10 MB") == 10 << 20
    for name, size in (("a", 1023), ("b", 1024), ("c", 1025)):
        (tmp_path / name).write_bytes(bytes(size))

    def found(**said: str) -> str:
        query = Query(".", str(tmp_path), kind="file", **said)  # type: ignore[arg-type]
        entries = select_entries(Roots({"work": tmp_path}), query, frozenset())
        return "".join(entry.name for entry in entries)

    assert found(larger="1 kb") == "c"
    assert found(larger="at least 1 kb") == "bc"
    assert found(smaller="1 kb") == "a"
    assert found(smaller="at most 1 kb") == "ab"
    assert found(larger="at least 1 kb", smaller="at most 1 kb") == "b"


def test_after_a_month_is_when_it_is_over() -> None:
    now = datetime(2026, 1, 20, 12, 0, tzinfo=UTC)
    assert moment("march", now) == datetime(2025, 3, 1, tzinfo=UTC).timestamp()
    assert moment("after march", now) == datetime(2025, 4, 1, tzinfo=UTC).timestamp()
    assert moment("end of may", now) == datetime(2025, 6, 1, tzinfo=UTC).timestamp()
    assert moment("after 2024-02-28", now) == datetime(2024, 2, 29, tzinfo=UTC).timestamp()


# Through the door


def test_new_verbs_are_done_and_undone_by_words(tmp_path: Path) -> None:
    root = tmp_path / "work"
    (root / "notes").mkdir(parents=True)
    for name in ("a", "b"):
        (root / "notes" / f"{name}.txt").write_text("see Rome\n")
    (root / "notes" / "c.txt").write_text("see Oslo\n")
    with running_daemon(tmp_path, settings='[approval]\nask = ["delete"]\n') as daemon:
        wire = daemon.connect()

        def status(text: str) -> str:
            return str(wire.run(text, text=text)[-1]["status"])

        assert status("replace Rome with Paris in all txt files in notes") == "success"
        assert (root / "notes" / "b.txt").read_text() == "see Paris\n"
        assert status("undo") == "success"
        assert (root / "notes" / "b.txt").read_text() == "see Rome\n"
        assert status("replace Rome with Paris in notes/c.txt") == "failed"
        assert status("zip the folder notes") == "success"
        assert status("extract notes.zip to copies") == "success"
        assert (root / "copies" / "notes" / "c.txt").read_text() == "see Oslo\n"
        assert status("rename all txt files in notes to md") == "success"
        assert {path.name for path in (root / "notes").iterdir()} == {"a.md", "b.md", "c.md"}
        wire.submit("e", text="delete notes.zip and empty the trash")
        for _ in range(2):
            needed = wire.read_until(type="approval_needed")[-1]
            wire.send({"type": "approve", "id": "a", "approval": needed["approval"], "allow": True})
        assert wire.read_until(type="finished")[-1]["status"] == "success"
        assert status("restore notes.zip from the trash") == "failed"
