"""Tools say how to undo what they did, and the goals they give put everything back.

Goals go the way they go in the daemon (scopes, places, plan) to the real tools on real folders.
"""

import os
import random
import shutil
import stat
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from send2trash import plat_other

from actors.executor.toolbox import resolve_tool, toolbox
from actors.interpreter.scopes import resolve_scopes
from actors.orchestrator.places import Anchors, Tables, place
from actors.planner.planning import Means, plan_all
from actors.planner.tables import planner_rules
from messages.executing import Done, Outcome, Refused
from messages.goals import GoalDraft
from messages.plans import PlannedAction, WorldState
from messages.results import Code
from tests.daemon import Daemon, Event, Wire, running_daemon
from tests.sound import Sound, running_sound
from tools.audio import audio_tools
from tools.files import file_tools, operations, primitives, undo_ops
from tools.files.backups import Backups
from tools.files.digests import LARGEST, digest_of_content
from tools.files.primitives import put_whole
from tools.files.roots import Refusal, Roots, Spot
from tools.files.trash import trash
from tools.tool import AnyTool

TABLE = planner_rules()
Tree = dict[str, tuple[int, bytes | str]]


def tree(folder: Path) -> Tree:
    """Give all that is in a folder, and itself: modes, contents, and where links lead."""
    seen: Tree = {}
    for path in sorted([folder, *folder.rglob("*")]):
        status = path.lstat()
        content: bytes | str = b""
        if stat.S_ISREG(status.st_mode):
            content = path.read_bytes()
        elif stat.S_ISLNK(status.st_mode):
            content = os.readlink(path)
        seen[str(path.relative_to(folder))] = (status.st_mode, content)
    return seen


@dataclass(frozen=True)
class Bench:
    """Tools, and the goals that are carried out with them."""

    root: Path
    formers: Path
    tools: tuple[AnyTool, ...]

    def planned(self, goal: GoalDraft) -> PlannedAction:
        """Take a goal from the wire to its action."""
        meta, warnings = resolve_scopes((goal,), TABLE.verbs())
        placed = place(meta, Tables(TABLE.with_aliases(), Anchors({}, str(self.root))))
        means = Means.of(TABLE, {}, [tool.capability for tool in self.tools])
        (result,) = plan_all(placed.meta, WorldState(), means, undoes=True)
        assert not warnings
        assert result.plan is not None, result
        (action,) = result.plan.actions
        return action

    async def attempt(self, goal: GoalDraft) -> Outcome:
        """Carry out a goal; what was done must be seen afterwards."""
        action = self.planned(goal)
        tool = resolve_tool(action, toolbox(self.tools), WorldState())
        assert tool is not None
        outcome = await tool.perform(action.args)
        if isinstance(outcome, Done):
            assert await tool.verify(action.args, outcome) is True
        return outcome

    async def done(self, goal: GoalDraft) -> Done:
        outcome = await self.attempt(goal)
        assert isinstance(outcome, Done), (goal, outcome)
        return outcome

    async def file(self, verb: str, name: str, **params: Any) -> Done:
        """Do something with a file, as a goal from the wire would have it done."""
        return await self.done(GoalDraft("file", verb, {"name": name, **params}))

    async def undo(self, done: Done) -> Done:
        """Undo what was done; every tool here gives one goal for that."""
        (goal,) = through_the_wire(done.undo)
        return await self.done(goal)

    async def refusal_of_undo(self, done: Done) -> Refused:
        """Try to undo what was done: it must be refused and change nothing."""
        (goal,) = done.undo
        return await self.refusal_of(goal)

    async def refusal_of(self, goal: GoalDraft) -> Refused:
        before = tree(self.root)
        outcome = await self.attempt(goal)
        assert tree(self.root) == before
        assert isinstance(outcome, Refused), outcome
        return outcome


def through_the_wire(goals: tuple[GoalDraft, ...]) -> tuple[GoalDraft, ...]:
    """Send goals as bytes, and read them again."""
    return msgspec.json.decode(msgspec.json.encode(goals), type=tuple[GoalDraft, ...])


def trash_in(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let things go to a trash of their own; the library read the surroundings long ago."""
    data = home / "data"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(data))
    monkeypatch.setattr(plat_other, "XDG_DATA_HOME", os.fsencode(data))
    monkeypatch.setattr(plat_other, "HOMETRASH_B", os.fsencode(data / "Trash"))


def furnished(root: Path) -> Path:
    """Put a few things into a folder: modes that matter, bytes that are no text, a link."""
    for folder in (root / "docs" / "deep", root / "other", root / "empty"):
        folder.mkdir(parents=True)
    (root / "notes.txt").write_bytes(b"hello")
    (root / "lines.txt").write_bytes(b"one\ntwo\n")
    (root / "empty.txt").touch()
    (root / "binary.bin").write_bytes(bytes(range(256)))
    (root / "docs" / "a b'c?.md").write_bytes("é\n".encode())
    (root / "docs" / "deep" / "x.txt").write_bytes(b"x")
    (root / "docs" / "link").symlink_to("deep/x.txt")
    (root / "notes.txt").chmod(0o640)
    (root / "binary.bin").chmod(0o755)
    (root / "docs").chmod(0o750)
    (root / "docs" / "deep").chmod(0o711)
    return root


def bench_on(root: Path, state: Path, *, largest: int = 1 << 20, limit: int = 1 << 22) -> Bench:
    formers = state / "former"
    tools = file_tools(Roots({"work": root}), Backups(formers, limit, largest))
    return Bench(root, formers, tools)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    (tmp_path / "home").mkdir()
    trash_in(tmp_path / "home", monkeypatch)
    return bench_on(furnished(tmp_path / "work"), tmp_path / "state")


def goal(verb: str, name: str, **params: Any) -> GoalDraft:
    return GoalDraft("file", verb, {"name": name, **params})


CHANGES = [
    goal("create", "new", object_type="folder"),
    goal("create", "new.txt", object_type="file", content="é\n"),
    goal("create", "docs/new.txt", object_type="file"),
    goal("write", "new.txt", content="new"),
    goal("write", "empty.txt", content="new"),
    goal("write", "notes.txt", content="new", overwrite=True),
    goal("write", "binary.bin", content="", overwrite=True),
    goal("append", "notes.txt", content="more"),
    goal("append", "lines.txt", content="more\nand more\n"),
    goal("append", "empty.txt", content=""),
    goal("append", "binary.bin", content="more"),
    goal("move", "notes.txt", to="docs"),
    goal("move", "docs", to="other"),
    goal("move", "docs/deep", to="."),
    goal("rename", "notes.txt", to="renamed.txt"),
    goal("rename", "docs", to="papers"),
    goal("rename", "docs/a b'c?.md", to="plain.md"),
    goal("copy", "binary.bin", to="docs"),
    goal("copy", "docs", to="other"),
    goal("delete", "notes.txt"),
    goal("delete", "docs/a b'c?.md", object_type="file"),
    goal("delete", "docs"),
    goal("delete", "empty", object_type="folder"),
]


def name_of(change: GoalDraft) -> str:
    return f"{change.verb}-{change.params['name']}"


# What was done is undone


@pytest.mark.parametrize("change", CHANGES, ids=name_of)
async def test_what_was_done_to_files_is_undone(bench: Bench, change: GoalDraft) -> None:
    before = tree(bench.root)
    done = await bench.done(change)
    assert tree(bench.root) != before
    await bench.undo(done)
    assert tree(bench.root) == before


@pytest.mark.parametrize("change", CHANGES, ids=name_of)
async def test_an_undo_is_undone_and_that_again(bench: Bench, change: GoalDraft) -> None:
    before = tree(bench.root)
    done = await bench.done(change)
    after = tree(bench.root)
    for expected in (before, after, before, after):
        done = await bench.undo(done)
        assert tree(bench.root) == expected


@pytest.mark.parametrize("seed", range(8))
async def test_all_of_a_long_story_is_undone_newest_first(bench: Bench, seed: int) -> None:
    before = tree(bench.root)
    chance = random.Random(seed)  # noqa: S311
    story = [done async for done in told(bench, chance, 40)]
    assert len(story) > 15
    for done in reversed(story):
        await bench.undo(done)
    assert tree(bench.root) == before


async def told(bench: Bench, chance: random.Random, length: int) -> AsyncIterator[Done]:
    """Do this and that with whatever is there; what is refused or changes nothing is no part."""
    for turn in range(length):
        paths = [path for path in sorted(bench.root.rglob("*")) if not path.is_symlink()]
        outcome = await bench.attempt(any_change(chance, paths, bench.root, turn))
        if isinstance(outcome, Done) and outcome.undo:
            yield outcome


def any_change(chance: random.Random, paths: list[Path], root: Path, turn: int) -> GoalDraft:
    """Make up a goal, often one that can be carried out."""
    folders = [root, *(path for path in paths if path.is_dir())]
    some, folder = str(chance.choice(paths or [root])), str(chance.choice(folders))
    text = chance.choice(["", "x", "é\n", "line\n" * 50])
    return chance.choice(
        [
            goal("create", f"{folder}/folder{turn}", object_type="folder"),
            goal("create", f"{folder}/file{turn}.txt", object_type="file", content=text),
            goal("write", some, content=text, overwrite=True),
            goal("append", some, content=text),
            goal("move", some, to=folder),
            goal("rename", some, to=f"renamed{turn % 7}"),
            goal("copy", some, to=folder),
            goal("delete", some),
        ]
    )


async def test_what_changed_nothing_has_nothing_to_undo(bench: Bench) -> None:
    assert (await bench.file("create", "docs", object_type="folder")).undo == ()
    same = await bench.file("create", "notes.txt", object_type="file", content="hello")
    assert same.undo == ()
    assert (await bench.file("write", "notes.txt", content="hello")).undo == ()
    assert (await bench.file("write", "notes.txt", content="hello", overwrite=True)).undo == ()
    assert (await bench.file("read", "notes.txt")).undo == ()


async def test_an_undo_names_whole_paths(bench: Bench) -> None:
    done = await bench.file("move", "docs/../notes.txt", to="docs")
    former, left = f"{bench.root}/notes.txt", digest_of_content(b"hello")
    moved = f"{bench.root}/docs/notes.txt"
    assert done.undo == (goal("unmove", moved, to=former, expects=left),)
    renamed = await bench.file("rename", "docs/notes.txt", to="n")
    assert renamed.undo == (goal("unmove", f"{bench.root}/docs/n", to=moved, expects=left),)


# What others did meanwhile is left alone

CREATED = goal("create", "new.txt", object_type="file", content="x")
FOLDER = goal("create", "new", object_type="folder")
OVERWRITTEN = goal("write", "notes.txt", content="new", overwrite=True)
APPENDED = goal("append", "notes.txt", content="more")
COPIED = goal("copy", "docs", to="other")
MOVED = goal("move", "notes.txt", to="docs")
RENAMED = goal("rename", "docs", to="papers")
DELETED = goal("delete", "notes.txt")
DELETED_FOLDER = goal("delete", "docs")


def written(name: str, content: bytes = b"another's") -> Callable[[Path], object]:
    return lambda root: (root / name).write_bytes(content)


def grown(name: str) -> Callable[[Path], object]:
    def grow(root: Path) -> None:
        with (root / name).open("ab") as file:
            file.write(b"another's line\n")

    return grow


def exchanged_for_a_link(name: str) -> Callable[[Path], object]:
    def exchange(root: Path) -> None:
        (root / name).rename(root / "elsewhere")
        (root / name).symlink_to("elsewhere")

    return exchange


@pytest.mark.parametrize(
    ("change", "meanwhile", "code"),
    [
        (CREATED, written("new.txt"), Code.CHANGED_SINCE),
        (CREATED, exchanged_for_a_link("new.txt"), Code.CHANGED_SINCE),
        (CREATED, lambda root: (root / "new.txt").unlink(), Code.TARGET_NOT_FOUND),
        (FOLDER, written("new/file"), Code.CHANGED_SINCE),
        (FOLDER, lambda root: (root / "new" / "inner").mkdir(), Code.CHANGED_SINCE),
        (FOLDER, exchanged_for_a_link("new"), Code.CHANGED_SINCE),
        (OVERWRITTEN, written("notes.txt"), Code.CHANGED_SINCE),
        (OVERWRITTEN, exchanged_for_a_link("notes.txt"), Code.CHANGED_SINCE),
        (OVERWRITTEN, lambda root: (root / "notes.txt").unlink(), Code.TARGET_NOT_FOUND),
        (APPENDED, grown("notes.txt"), Code.CHANGED_SINCE),
        (APPENDED, written("notes.txt", b"HELLO\nmore\n"), Code.CHANGED_SINCE),
        (APPENDED, exchanged_for_a_link("notes.txt"), Code.OUTSIDE_ROOTS),
        (COPIED, written("other/docs/deep/y.txt"), Code.CHANGED_SINCE),
        (COPIED, written("other/docs/deep/x.txt", b"y"), Code.CHANGED_SINCE),
        (COPIED, lambda root: (root / "other/docs/deep/x.txt").unlink(), Code.CHANGED_SINCE),
        (MOVED, written("notes.txt"), Code.ALREADY_EXISTS),
        (MOVED, written("docs/notes.txt"), Code.CHANGED_SINCE),
        (MOVED, exchanged_for_a_link("docs/notes.txt"), Code.CHANGED_SINCE),
        (MOVED, lambda root: (root / "docs" / "notes.txt").unlink(), Code.TARGET_NOT_FOUND),
        (RENAMED, grown("papers/deep/x.txt"), Code.CHANGED_SINCE),
        (RENAMED, written("papers/new.txt"), Code.CHANGED_SINCE),
        (RENAMED, exchanged_for_a_link("papers"), Code.CHANGED_SINCE),
        (RENAMED, lambda root: (root / "docs").mkdir(), Code.ALREADY_EXISTS),
        (DELETED, written("notes.txt"), Code.ALREADY_EXISTS),
        (DELETED_FOLDER, lambda root: (root / "docs").mkdir(), Code.ALREADY_EXISTS),
    ],
)
async def test_what_others_did_since_is_left_as_it_is(
    bench: Bench, change: GoalDraft, meanwhile: Callable[[Path], object], code: Code
) -> None:
    done = await bench.done(change)
    meanwhile(bench.root)
    assert (await bench.refusal_of_undo(done)).code is code


async def test_a_refused_undo_works_when_the_way_is_free_again(bench: Bench) -> None:
    before = tree(bench.root)
    done = await bench.done(DELETED)
    (bench.root / "notes.txt").mkdir()
    await bench.refusal_of_undo(done)
    (bench.root / "notes.txt").rmdir()
    await bench.undo(done)
    assert tree(bench.root) == before


async def test_a_mode_that_somebody_set_since_stays(bench: Bench) -> None:
    done = await bench.done(OVERWRITTEN)
    (bench.root / "notes.txt").chmod(0o600)
    await bench.undo(done)
    assert (bench.root / "notes.txt").read_bytes() == b"hello"
    assert stat.S_IMODE((bench.root / "notes.txt").stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["notes.txt", "docs"])
def test_what_changes_while_it_is_taken_away_is_put_back(bench: Bench, name: str) -> None:
    def refuse(aside: Spot) -> None:
        assert aside.exists()
        assert not (bench.root / name).exists()
        raise Refusal(Code.CHANGED_SINCE, "changed")

    before, roots = tree(bench.root), Roots({"work": bench.root})
    with (
        roots.spot(f"{bench.root}/{name}") as spot,
        roots.folder(str(bench.root)) as top,
        pytest.raises(Refusal),
    ):
        trash(spot, top, refuse)
    assert tree(bench.root) == before


@pytest.mark.parametrize("change", [MOVED, RENAMED], ids=name_of)
async def test_what_changes_while_it_is_moved_back_goes_back_to_where_it_was(
    bench: Bench, change: GoalDraft, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = await bench.done(change)
    before = tree(bench.root)

    def late(source: Spot, target: Spot) -> None:
        primitives.relocate(source, target)
        monkeypatch.undo()
        path = Path(target.path)
        (path / "deep" / "x.txt" if path.is_dir() else path).write_bytes(b"late")

    monkeypatch.setattr(undo_ops, "relocate", late)
    (undo,) = done.undo
    refused = await bench.attempt(undo)
    assert isinstance(refused, Refused)
    assert refused.code is Code.CHANGED_SINCE
    assert tree(bench.root).keys() == before.keys()


async def test_what_is_too_large_to_compare_is_moved_for_good(bench: Bench) -> None:
    with (bench.root / "notes.txt").open("ab") as file:
        file.truncate(LARGEST + 1)
    assert (await bench.done(MOVED)).undo == ()


@pytest.mark.parametrize(
    "meanwhile", [written("notes.txt"), lambda root: (root / "notes.txt").unlink()]
)
def test_what_changes_while_it_is_replaced_is_not_replaced(
    bench: Bench, meanwhile: Callable[[Path], object]
) -> None:
    with Roots({"work": bench.root}).spot(f"{bench.root}/notes.txt") as spot:
        seen = (bench.root / "notes.txt").stat()
        meanwhile(bench.root)
        before = tree(bench.root)
        with pytest.raises(Refusal):
            put_whole(spot, b"former", replace=True, seen=seen)
    assert tree(bench.root) == before


class Disturbed(Backups):
    """Former contents; somebody else writes to a file each time something of it was kept."""

    def keep(self, spot: Spot, *, spent: str | None = None) -> str | None:
        kept = super().keep(spot, spent=spent)
        if (content := next(OTHERS, None)) is not None:
            Path(spot.path).write_bytes(content)
        return kept


OTHERS: Iterator[bytes] = iter(())


async def written_while(others: list[bytes], bench: Bench, monkeypatch: Any) -> Outcome:
    """Overwrite a file while others write to it, too."""
    monkeypatch.setattr(sys.modules[__name__], "OTHERS", iter(others))
    tools = file_tools(Roots({"work": bench.root}), Disturbed(bench.formers))
    return await Bench(bench.root, bench.formers, tools).attempt(OVERWRITTEN)


async def test_what_others_wrote_just_before_an_overwriting_comes_back(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = await written_while([b"another's"], bench, monkeypatch)
    assert isinstance(done, Done)
    assert (bench.root / "notes.txt").read_bytes() == b"new"
    await bench.undo(done)
    assert (bench.root / "notes.txt").read_bytes() == b"another's"


async def test_a_file_that_others_write_to_all_the_time_is_not_overwritten(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [b"x" * length for length in range(50)]
    refused = await written_while(others, bench, monkeypatch)
    assert isinstance(refused, Refused)
    assert refused.code is Code.CHANGED_SINCE
    assert (bench.root / "notes.txt").read_bytes() in others


def test_a_file_that_appears_just_before_it_is_written_is_not_replaced(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bench.root / "late.txt"

    def late(content: bytes) -> str:
        path.write_bytes(b"another's")
        return digest_of_content(content)

    monkeypatch.setattr(operations, "digest_of_content", late)
    roots, formers = Roots({"work": bench.root}), Backups(bench.formers)
    with pytest.raises(FileExistsError):
        operations.write_file(roots, formers, str(path), "new", overwrite=True)
    assert path.read_bytes() == b"another's"


# What the trash and the former contents give back


async def test_what_is_gone_from_the_trash_is_not_brought_back(
    bench: Bench, tmp_path: Path
) -> None:
    done = await bench.done(DELETED)
    shutil.rmtree(tmp_path / "home" / "data" / "Trash")
    assert (await bench.refusal_of_undo(done)).code is Code.TARGET_NOT_FOUND


async def test_what_was_brought_back_has_left_the_trash(bench: Bench, tmp_path: Path) -> None:
    bin_of = tmp_path / "home" / "data" / "Trash"
    done = await bench.done(DELETED_FOLDER)
    assert [len(list((bin_of / part).iterdir())) for part in ("files", "info")] == [1, 1]
    await bench.undo(done)
    assert [list((bin_of / part).iterdir()) for part in ("files", "info")] == [[], []]
    assert (await bench.refusal_of_undo(done)).code is Code.TARGET_NOT_FOUND


async def test_a_thing_is_brought_back_to_no_other_place(bench: Bench) -> None:
    (undo,) = (await bench.done(DELETED)).undo
    elsewhere = goal("untrash", f"{bench.root}/elsewhere.txt", entry=undo.params["entry"])
    assert (await bench.refusal_of(elsewhere)).code is Code.TARGET_NOT_FOUND


@pytest.mark.parametrize("entry", ["../../x", "notes.txt", ".behest-1-00000000", "/etc/passwd"])
async def test_nothing_but_what_was_trashed_is_taken_from_the_trash(
    bench: Bench, entry: str
) -> None:
    assert (await bench.refusal_of(goal("untrash", "new", entry=entry))).code is (
        Code.TARGET_NOT_FOUND
    )


async def test_former_contents_are_for_their_owner_alone(bench: Bench) -> None:
    await bench.done(OVERWRITTEN)
    assert stat.S_IMODE(bench.formers.stat().st_mode) == 0o700
    (kept,) = bench.formers.iterdir()
    assert kept.name == digest_of_content(b"hello")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


async def test_a_file_too_large_to_keep_is_overwritten_for_good(
    bench: Bench, tmp_path: Path
) -> None:
    small = bench_on(bench.root, tmp_path / "state", largest=4)
    assert (await small.done(OVERWRITTEN)).undo == ()
    assert not bench.formers.exists()


async def test_an_addition_to_a_file_too_large_to_keep_is_undone_nevertheless(
    bench: Bench, tmp_path: Path
) -> None:
    before = tree(bench.root)
    small = bench_on(bench.root, tmp_path / "state", largest=4)
    assert (await small.undo(await small.done(APPENDED))).undo == ()
    assert tree(bench.root) == before


async def test_of_the_former_contents_the_oldest_are_dropped(bench: Bench, tmp_path: Path) -> None:
    small = bench_on(bench.root, tmp_path / "state", largest=1_000, limit=2_500)
    contents = [str(number) * 1_000 for number in range(5)]
    await small.file("write", "empty.txt", content=contents[0], overwrite=True)
    story = [
        await small.file("write", "empty.txt", content=content, overwrite=True)
        for content in contents[1:]
    ]
    assert sum(kept.stat().st_size for kept in small.formers.iterdir()) <= 2_500
    for done in reversed(story[2:]):
        await small.undo(done)
    assert (bench.root / "empty.txt").read_text() == contents[2]
    assert (await small.refusal_of_undo(story[1])).code is Code.TARGET_NOT_FOUND


def test_what_is_kept_is_kept_though_what_makes_room_for_it_is_gone(bench: Bench) -> None:
    with Roots({"work": bench.root}).spot(f"{bench.root}/notes.txt") as spot:
        kept = Backups(bench.formers).keep(spot, spent="0" * 64)
    assert kept == digest_of_content(b"hello")


async def test_a_former_content_that_was_tampered_with_is_not_restored(bench: Bench) -> None:
    done = await bench.done(OVERWRITTEN)
    (kept,) = bench.formers.iterdir()
    kept.write_bytes(b"tampered")
    assert (await bench.refusal_of_undo(done)).code is Code.TARGET_NOT_FOUND


@pytest.mark.parametrize("former", ["../../work/notes.txt", "/etc/passwd", "0" * 64, "."])
async def test_nothing_but_a_former_content_is_restored(bench: Bench, former: str) -> None:
    present = digest_of_content(b"hello")
    wanted = goal("restore", "notes.txt", former=former, expects=present)
    assert (await bench.refusal_of(wanted)).code is Code.TARGET_NOT_FOUND


# What may be repeated


@pytest.mark.parametrize(
    "change", [change for change in CHANGES if change.verb in {"create", "write"}], ids=name_of
)
async def test_what_the_rules_call_repeatable_can_be_done_twice(
    bench: Bench, change: GoalDraft
) -> None:
    assert bench.planned(change).repeatable
    await bench.done(change)
    after = tree(bench.root)
    await bench.done(change)
    assert tree(bench.root) == after


@pytest.mark.parametrize("change", [OVERWRITTEN, APPENDED], ids=name_of)
async def test_an_undo_that_is_called_repeatable_can_be_done_twice(
    bench: Bench, change: GoalDraft
) -> None:
    before = tree(bench.root)
    (undo,) = (await bench.done(change)).undo
    assert bench.planned(undo).repeatable
    await bench.done(undo)
    assert (await bench.done(undo)).undo == ()
    assert tree(bench.root) == before


@pytest.mark.parametrize(
    "change",
    [change for change in CHANGES if change.verb in {"append", "move", "rename", "copy", "delete"}],
    ids=name_of,
)
async def test_what_is_something_else_the_second_time_is_not_called_repeatable(
    bench: Bench, change: GoalDraft
) -> None:
    assert not bench.planned(change).repeatable


# Through the daemon


@pytest.mark.parametrize("change", CHANGES, ids=name_of)
def test_a_daemon_carries_out_the_goals_of_an_undo(
    shared_daemon: Daemon, change: GoalDraft
) -> None:
    wire = shared_daemon.connect()
    for folder in (shared_daemon.root, shared_daemon.root.parent / "second"):
        shutil.rmtree(folder)
        before, command = tree(furnished(folder)), os.urandom(4).hex()
        goals = msgspec.to_builtins([within(folder, change)])
        assert wire.run(command, goals=goals)[-1]["status"] == "success"
        assert tree(folder) != before
        (result,) = undone(wire, command)["results"]
        assert (result["status"], result["verified"]) == ("success", True), result
        assert tree(folder) == before


def within(folder: Path, change: GoalDraft) -> GoalDraft:
    """Name the things of a goal by their whole paths."""
    params = {"name": f"{folder}/{change.params['name']}"}
    if change.verb in {"move", "copy"}:
        params["to"] = f"{folder}/{change.params['to']}"
    return msgspec.structs.replace(change, params={**change.params, **params})


def undone(wire: Wire, command: str) -> Event:
    """Have a daemon undo a command."""
    wire.send({"type": "undo", "id": f"undo {command}", "command": command})
    return wire.read_until(type="finished")[-1]


@pytest.fixture(scope="module")
def shared_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("daemon")
    (folder / "second").mkdir()
    with running_daemon(folder, arguments=("--root", f"second={folder / 'second'}")) as daemon:
        yield daemon


def test_a_daemon_keeps_former_contents_in_its_state(daemon: Daemon) -> None:
    (daemon.root / "notes.txt").write_bytes(b"hello")
    overwrite = msgspec.to_builtins(OVERWRITTEN)
    wire = daemon.connect()
    assert wire.run("c1", goals=[overwrite])[-1]["status"] == "success"
    formers = daemon.root.parent / "state" / "former"
    assert (formers / digest_of_content(b"hello")).read_bytes() == b"hello"
    assert undone(wire, "c1")["status"] == "success"
    assert (daemon.root / "notes.txt").read_bytes() == b"hello"
    assert stat.S_IMODE(formers.stat().st_mode) == 0o700


def test_what_was_changed_since_is_named_on_the_wire(daemon: Daemon) -> None:
    wire = daemon.connect()
    wire.run("c1", goals=[msgspec.to_builtins(CREATED)])
    (daemon.root / "new.txt").write_bytes(b"another's")
    assert undone(wire, "c1")["results"][0]["code"] == "CHANGED_SINCE"
    assert (daemon.root / "new.txt").read_bytes() == b"another's"


# The volume


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sound]:
    with running_sound(tmp_path_factory.mktemp("sound")) as server:
        yield server


@pytest.fixture
def room(sound: Sound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Tools for the volume, which stands at a half."""
    for name, value in sound.environment.items():
        monkeypatch.setenv(name, value)
    sound.put(50)
    return Bench(tmp_path, tmp_path, audio_tools())


def volume(verb: str, **params: int) -> GoalDraft:
    return GoalDraft("audio", verb, params)


@pytest.mark.parametrize(
    ("change", "undo"),
    [
        (volume("set", level=20), volume("set", level=50)),
        (volume("set", level=150), volume("set", level=50)),
        (volume("raise", step=5), volume("set", level=50)),
        (volume("lower"), volume("set", level=50)),
        (volume("mute"), volume("unmute")),
    ],
)
async def test_what_was_done_to_the_volume_is_undone(
    room: Bench, sound: Sound, change: GoalDraft, undo: GoalDraft
) -> None:
    done = await room.done(change)
    assert done.undo == (undo,)
    assert (sound.volume(), sound.is_muted()) != (50, False)
    await room.undo(done)
    assert (sound.volume(), sound.is_muted()) == (50, False)


async def test_the_undo_of_unmuting_mutes(room: Bench, sound: Sound) -> None:
    sound.put(50, mute=True)
    await room.undo(await room.done(volume("unmute")))
    assert sound.is_muted()


async def test_a_volume_that_was_so_already_has_nothing_to_undo(room: Bench) -> None:
    assert (await room.done(volume("unmute"))).undo == ()
    assert (await room.done(volume("set", level=50))).undo == ()


async def test_a_volume_louder_than_may_be_set_is_not_promised_again(
    room: Bench, sound: Sound
) -> None:
    sound.put(160)
    assert (await room.done(volume("lower"))).undo == ()
