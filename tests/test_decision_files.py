"""Files of decisions: bounded, whole, their owner's alone; and what stands in their place."""

import os
import resource
import stat
import threading
from pathlib import Path

import pytest

from actors.planner.tables import search_engines
from messages.goals import Goal, MetaGoal
from messages.interpreting import Interpret, Interpreted
from messages.replaying import Decided, Decision, Setting
from messages.targets import Bound, Query, Resolve, Success
from messages.wire import VERSION
from messages.worlds import Thing, World
from tests.test_replay import replayed
from tools.recordings import (
    BadRecording,
    DecisionFiles,
    WatchedVault,
    files_in,
    read_decisions,
    recordings_in,
)
from tools.replaying import Change, Decide, compared
from tools.secrets import Secrets

SETTING = Setting(VERSION, engines=search_engines())
META = MetaGoal("single", (Goal("g0", "system", "get", {"target": "time"}),))


def interpreted(name: str) -> tuple[Interpret, Interpreted]:
    return Interpret(name, text="what time is it"), Interpreted(name, META)


def resolved(name: str, world: World) -> tuple[Resolve, Bound]:
    query = Query((), {}, world)
    return Resolve(name, "a", query), Bound(name, "a", Success("direct", "take", ()))


def world_of(count: int, name: str = "thing") -> World:
    return World(things=tuple(Thing(f"{name}{n}", f"{name} {n}") for n in range(count)))


def written(folder: Path, *decisions: tuple[object, object], megabytes: float = 64.0) -> list[Path]:
    """Record some decisions; give the files."""
    files = DecisionFiles(folder, SETTING, megabytes)
    for request, reply in decisions:
        files.record(request, reply)  # type: ignore[arg-type]  # any of them
    files.close()
    return sorted(folder.glob("*.jsonl"))


def read(paths: list[Path]) -> list[str]:
    return [request.command_id for path in paths for _, _, request, _ in read_decisions(path)]


# The bound


@pytest.mark.parametrize("megabytes", [0.1, 1.0, 5.0])
def test_all_files_together_keep_to_their_bound(tmp_path: Path, megabytes: float) -> None:
    decisions = [resolved(f"c{n}", world_of(400, f"w{n}-")) for n in range(300)]
    paths = written(tmp_path, *decisions, megabytes=megabytes)
    assert sum(path.stat().st_size for path in paths) <= megabytes * 1e6
    kept = read(paths)
    assert kept[-1] == "c299"
    assert kept == [f"c{n}" for n in range(300 - len(kept), 300)]


def test_what_is_too_large_for_a_file_leaves_the_others_alone(tmp_path: Path) -> None:
    huge = world_of(60_000)
    paths = written(
        tmp_path, interpreted("a"), resolved("b", huge), interpreted("c"), megabytes=1.0
    )
    assert (len(paths), read(paths)) == (1, ["a", "c"])


def test_worlds_that_are_alike_are_not_all_held_in_memory(tmp_path: Path) -> None:
    files = DecisionFiles(tmp_path, SETTING, 64.0)
    for n in range(100):
        files.record(*resolved(f"c{n}", world_of(3)))
    files.close()
    assert len(files._latest) <= 3  # noqa: SLF001 - nothing else shows what is held
    assert read(sorted(tmp_path.glob("*"))) == [f"c{n}" for n in range(100)]


def test_decisions_that_a_slow_disk_keeps_waiting_are_bounded(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    files = DecisionFiles(tmp_path / "decisions", SETTING, 64.0, lambda _: bool(gate.wait(30)))
    gate = threading.Event()
    for n in range(5_000):
        files.record(*interpreted(f"c{n}"))
    assert files._jobs.qsize() <= 500  # noqa: SLF001 - as above
    gate.set()
    files.close()


# Whole, or not at all


def test_a_full_disk_leaves_no_torn_line_and_no_litter(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk: to write past it fails in the middle."""
    child = os.fork()
    if not child:
        files = DecisionFiles(tmp_path, SETTING, 64.0)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
        files.record(*interpreted("before"))
        for n in range(20):
            files.record(*resolved(f"lost{n}", world_of(2_000)))
        files.record(*interpreted("after"))
        files.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    paths = sorted(tmp_path.glob("*"))
    assert (len(paths), read(paths)) == (1, ["before", "after"])
    assert all(path.read_bytes().endswith(b"\n") for path in paths)


def test_where_not_even_the_settings_fit_no_file_is_left(tmp_path: Path) -> None:
    child = os.fork()
    if not child:
        files = DecisionFiles(tmp_path, SETTING, 64.0)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, resource.RLIM_INFINITY))
        for n in range(20):
            files.record(*interpreted(f"lost{n}"))
        files.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert list(tmp_path.glob("*")) == []


def test_what_cannot_be_written_as_text_keeps_nothing_else_from_it(tmp_path: Path) -> None:
    torn = Interpret("torn", text="half a sign: \ud800")
    (path,) = written(tmp_path, interpreted("a"), (torn, interpreted("torn")[1]), interpreted("b"))
    assert read([path]) == ["a", "b"]


def test_a_file_is_its_owners_alone_whatever_the_mask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        (path,) = written(tmp_path / "decisions", interpreted("a"))
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


# What stands in their place


def test_what_a_user_keeps_in_the_folder_is_neither_written_to_nor_dropped(tmp_path: Path) -> None:
    first = written(tmp_path, interpreted("a"))[0]
    (tmp_path / "kept.jsonl").write_bytes(first.read_bytes())
    decisions = [resolved(f"c{n}", world_of(400, f"w{n}-")) for n in range(100)]
    written(tmp_path, *decisions, megabytes=0.1)
    assert read([tmp_path / "kept.jsonl"]) == ["a"]
    written(tmp_path, interpreted("b"))
    assert read([tmp_path / "kept.jsonl"]) == ["a"]
    assert read(sorted(files_in(tmp_path)))[-2:] == ["b", "a"]


def test_links_pipes_and_folders_in_the_place_of_files_are_left_alone(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "decisions", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.write_text("mine")
    (folder / "00000001.jsonl").symlink_to(elsewhere)
    (folder / "00000002.jsonl").symlink_to(tmp_path / "nowhere")
    os.mkfifo(folder / "00000003.jsonl")
    (folder / "00000004.jsonl").mkdir()
    written(folder, interpreted("a"), megabytes=0.1)
    assert elsewhere.read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()
    assert read(recordings_in([folder])) == ["a"]
    assert replayed([folder], "1", "--check").returncode == 0


def test_a_file_that_is_none_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    for path in (tmp_path / "pipe.jsonl", Path("/dev/zero"), tmp_path):
        with pytest.raises(BadRecording):
            list(read_decisions(path))


# What is replayed


def test_an_endless_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.truncate(1 << 34)  # a file of holes
    with pytest.raises(BadRecording, match="longer"):
        list(read_decisions(path))


def test_one_file_that_cannot_be_read_keeps_no_other_from_being_replayed(tmp_path: Path) -> None:
    (good,) = written(tmp_path / "decisions", interpreted("a"))
    bad = tmp_path / "a-bad.jsonl"
    bad.write_bytes(b"\x1b[2J\xff garbage\n")
    done = replayed([bad, good, tmp_path / "missing.jsonl"], "1", "--check")
    assert done.returncode == 2
    assert "1 decisions" in done.stderr
    assert "2 files could not be read" in done.stderr
    assert "missing.jsonl" in done.stderr
    assert "\x1b" not in done.stderr


def test_what_holds_no_decision_proves_nothing(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    done = replayed([empty], "1", "--check")
    assert (done.returncode, "no decisions" in done.stderr) == (2, True)


def test_a_file_of_another_version_is_refused_with_the_version(tmp_path: Path) -> None:
    (path,) = written(tmp_path, interpreted("a"))
    text = path.read_text().replace(f'"version":"{VERSION}"', '"version":"0.0.7"')
    path.write_text(text.replace('"on_page":false', '"on_page":false,"weather":"fair"'))
    with pytest.raises(BadRecording, match=r"weather.*recorded by version 0\.0\.7"):
        list(read_decisions(path))


def test_a_snapshot_of_another_kind_is_refused(tmp_path: Path) -> None:
    (path,) = written(tmp_path, resolved("a", world_of(2)))
    path.write_text(path.read_text().replace('"world":"', '"page":"'))
    with pytest.raises(BadRecording, match="line 4"):
        list(read_decisions(path))


def test_a_world_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    (path,) = written(tmp_path, interpreted("a"))
    text = path.read_text().replace('"bundle":""', '"bundle":"/nonexistent/world.toml"')
    path.write_text(text)
    done = replayed([path], "1", "--check")
    assert (done.returncode, "world.toml" in done.stderr) == (2, True)
    assert "Traceback" not in done.stderr


def test_a_decision_that_fails_now_is_shown_and_the_others_are_still_made(tmp_path: Path) -> None:
    paths = written(tmp_path, interpreted("a"), interpreted("b"))

    def decide_again(_setting: Setting) -> Decide:
        def decide(request: Decision) -> Decided:
            if request.command_id == "a":
                raise LookupError("no such rule")
            return interpreted("b")[1]

        return decide

    first, second = compared(paths, decide_again)
    assert isinstance(first, Change)
    assert ("crashed", "(nothing)", "LookupError('no such rule')") in first.places
    assert second is None


def test_a_file_is_replayed_while_it_is_written(tmp_path: Path) -> None:
    files = DecisionFiles(tmp_path, SETTING, 64.0)
    seen = 0
    for n in range(200):
        files.record(*interpreted(f"c{n}"))
        for path in recordings_in([tmp_path]):
            names = read([path])
            assert names == [f"c{k}" for k in range(len(names))]
            seen = max(seen, len(names))
    files.close()
    assert read(recordings_in([tmp_path])) == [f"c{n}" for n in range(200)]


# Secrets


def test_a_line_with_a_text_of_the_vault_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "secrets.toml").touch(0o600)
    (tmp_path / "secrets.toml").write_text('bank = "Grüße \\"x\\""\n')
    vault = WatchedVault(Secrets(tmp_path / "secrets.toml"))
    files = DecisionFiles(tmp_path / "decisions", SETTING, 64.0, vault.is_in)
    assert vault.reveal("bank") == 'Grüße "x"'
    vault.keep("Xyzzy-4711")
    for name, said in (("a", 'say Grüße "x"'), ("b", "say Xyzzy-4711"), ("c", "say it")):
        files.record(Interpret(name, text=said), Interpreted(name, META))
    files.record(*resolved("d", World(things=(Thing("x", "Xyzzy-4711"),))))
    files.close()
    assert read(recordings_in([tmp_path / "decisions"])) == ["c"]
