"""An open approval beside other commands, one list for deletions, and undo as it is said."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon import Daemon, Event, Wire, running_daemon
from tests.test_approval import ASKING

WITHOUT_BROWSER = '[browser]\nmode = "off"\n'


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("others")
    with running_daemon(folder, settings=WITHOUT_BROWSER + ASKING) as running:
        yield running


def asked_for(wire: Wire, command: str, text: str, session: str) -> Event:
    wire.submit(command, text=text, session=session)
    return wire.read_until(type="approval_needed", command=command)[-1]


def end_of(wire: Wire, command: str) -> Event:
    return wire.read_until(type="finished", command=command)[-1]


def test_an_open_approval_survives_other_commands_of_its_session(daemon: Daemon) -> None:
    path = daemon.root / "wait.txt"
    path.write_text("here")
    wire = daemon.connect()
    approval = asked_for(wire, "w1", "delete wait.txt", "w")["approval"]
    for number in range(3):
        wire.submit(f"w.other{number}", text=f"create a folder w{number}", session="w")
        assert end_of(wire, f"w.other{number}")["status"] == "success"
    state = wire.ask(type="status", id="w.state")
    assert [each["approval"] for each in state["approvals"]] == [approval]
    assert path.exists()
    wire.send({"type": "approve", "id": "w.yes", "approval": approval, "allow": True})
    assert end_of(wire, "w1")["status"] == "success"
    assert not path.exists()


def test_what_went_stale_while_its_approval_was_open_is_refused(daemon: Daemon) -> None:
    path = daemon.root / "stale.txt"
    path.write_text("old")
    wire = daemon.connect()
    approval = asked_for(wire, "s1", "delete stale.txt", "s")["approval"]
    wire.submit("s2", text='append "new" to stale.txt', session="s")
    assert end_of(wire, "s2")["status"] == "success"
    wire.send({"type": "approve", "id": "s.yes", "approval": approval, "allow": True})
    finished = end_of(wire, "s1")
    assert (finished["status"], finished["code"]) == ("failed", "TARGET_STALE")
    assert path.exists()


def test_an_approval_that_is_denied_after_it_stepped_aside_ends_its_command(
    daemon: Daemon,
) -> None:
    path = daemon.root / "no.txt"
    path.write_text("here")
    wire = daemon.connect()
    approval = asked_for(wire, "n1", "delete no.txt", "n")["approval"]
    wire.submit("n2", text="create a folder n", session="n")
    assert end_of(wire, "n2")["status"] == "success"
    wire.send({"type": "approve", "id": "n.no", "approval": approval, "allow": False})
    assert end_of(wire, "n1")["code"] == "NOT_APPROVED"
    wire.submit("n3", text="create a folder n3", session="n")
    assert end_of(wire, "n3")["status"] == "success"
    assert path.exists()


def test_a_command_that_stepped_aside_can_be_cancelled(daemon: Daemon) -> None:
    (daemon.root / "c.txt").write_text("here")
    wire = daemon.connect()
    asked_for(wire, "c1", "delete c.txt", "c")
    wire.submit("c2", text="create a folder c", session="c")
    assert end_of(wire, "c2")["status"] == "success"
    wire.send({"type": "cancel", "id": "c.no", "command": "c1"})
    assert end_of(wire, "c1")["status"] == "cancelled"


def goals(*names: str, after: bool) -> list[Event]:
    scopes = ["root", *(f"after:g{index}" for index in range(len(names) - 1))]
    return [
        {
            "domain": "file",
            "verb": "delete",
            "params": {"name": name},
            "scope": scope if after else "root",
        }
        for name, scope in zip(names, scopes, strict=True)
    ]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("allow", [False, True])
def test_several_deletions_of_one_command_are_one_list(
    daemon: Daemon, *, after: bool, allow: bool
) -> None:
    names = [f"{after}{allow}{number}.txt" for number in range(4)]
    paths = [daemon.root / name for name in names]
    for path in paths:
        path.write_text("here")
    wire, command = daemon.connect(), f"list{after}{allow}"
    wire.submit(command, goals=goals(*names, after=after), session=command)
    events = wire.read_until(type="approval_needed", command=command)
    assert sorted(each["id"] for each in events[-1]["targets"]) == sorted(map(str, paths))
    approve = {"type": "approve", "id": f"{command}.x", "approval": events[-1]["approval"]}
    wire.send({**approve, "allow": allow})
    rest = wire.read_until(type="finished", command=command)
    assert not [event for event in rest if event["type"] == "approval_needed"]
    assert rest[-1]["status"] == ("success" if allow else "failed")
    assert [path.exists() for path in paths] == [not allow] * 4


def test_the_words_for_several_deletions_ask_once(daemon: Daemon) -> None:
    for name in ("p.txt", "q.txt"):
        (daemon.root / name).write_text("here")
    wire = daemon.connect()
    asked = asked_for(wire, "pq", "delete p.txt and q.txt", "pq")
    assert len(asked["targets"]) == 2
    wire.send({"type": "approve", "id": "pq.yes", "approval": asked["approval"], "allow": True})
    assert end_of(wire, "pq")["status"] == "success"


def test_a_deletion_that_cannot_be_done_does_not_stand_on_the_list(daemon: Daemon) -> None:
    path = daemon.root / "there.txt"
    path.write_text("here")
    wire = daemon.connect()
    wire.submit("gone", goals=goals("there.txt", "nowhere.txt", after=False), session="gone")
    asked = wire.read_until(type="approval_needed", command="gone")[-1]
    assert [each["id"] for each in asked["targets"]] == [str(path)]
    wire.send({"type": "approve", "id": "gone.yes", "approval": asked["approval"], "allow": True})
    assert end_of(wire, "gone")["status"] == "partial"


def write_goals(name: str, *texts: str, after: bool) -> list[Event]:
    return [
        {
            "domain": "file",
            "verb": "write",
            "params": {"name": name, "content": text, "overwrite": True},
            "scope": f"after:g{number - 1}" if after and number else "root",
        }
        for number, text in enumerate(texts)
    ]


def test_a_thing_that_a_command_changes_twice_stays_approved(daemon: Daemon) -> None:
    path = daemon.root / "twice.txt"
    path.write_text("old")
    wire = daemon.connect()
    text = 'overwrite twice.txt with "1" and overwrite twice.txt with "2"'
    asked = asked_for(wire, "twice", text, "twice")
    wire.send({"type": "approve", "id": "twice.y", "approval": asked["approval"], "allow": True})
    finished = end_of(wire, "twice")
    assert finished["status"] == "success", finished
    assert path.read_text() == "2"


@pytest.mark.parametrize("after", [False, True])
def test_what_a_command_writes_three_times_is_approved_once(daemon: Daemon, *, after: bool) -> None:
    path = daemon.root / f"thrice{after}.txt"
    path.write_text("old")
    wire, command = daemon.connect(), f"thrice{after}"
    goals = write_goals(path.name, "1", "2", "3", after=after)
    wire.submit(command, goals=goals, session=command)
    asked = wire.read_until(type="approval_needed", command=command)[-1]
    approve = {"type": "approve", "id": f"{command}.y", "approval": asked["approval"]}
    wire.send({**approve, "allow": True})
    finished = end_of(wire, command)
    assert finished["status"] == "success", finished
    assert path.read_text() in "123"


def test_what_is_deleted_from_a_folder_first_does_not_keep_the_folder(daemon: Daemon) -> None:
    folder = daemon.root / "held"
    (folder / "deep").mkdir(parents=True)
    for path in (folder / "a.txt", folder / "deep" / "b.txt"):
        path.write_text("here")
    wire = daemon.connect()
    names = ("held/a.txt", "held/deep/b.txt", "held")
    wire.submit("held", goals=goals(*names, after=True), session="held")
    asked = wire.read_until(type="approval_needed", command="held")[-1]
    wire.send({"type": "approve", "id": "held.y", "approval": asked["approval"], "allow": True})
    finished = end_of(wire, "held")
    assert finished["status"] == "success", finished
    assert not folder.exists()


@pytest.mark.parametrize("changed", ["own.txt", "own/other.txt"])
def test_what_somebody_else_changes_before_that_is_not_approved_any_more(
    daemon: Daemon, changed: str
) -> None:
    """The first of a list does not hide what another program did to the second."""
    folder = daemon.root / "own"
    folder.mkdir(exist_ok=True)
    for name in ("own.txt", "own/a.txt", "own/other.txt"):
        (daemon.root / name).write_text("here")
    wire, command = daemon.connect(), f"own {changed}"
    if changed == "own.txt":
        listed = write_goals("own.txt", "1", "2", after=True)
    else:
        listed = goals("own/a.txt", "own", after=True)
    wire.submit(command, goals=listed, session=command)
    asked = wire.read_until(type="approval_needed", command=command)[-1]
    (daemon.root / changed).write_text("another's")
    approve = {"type": "approve", "id": f"{command}.y", "approval": asked["approval"]}
    wire.send({**approve, "allow": True})
    finished = end_of(wire, command)
    assert finished["status"] in {"failed", "partial"}
    assert "TARGET_STALE" in {result["code"] for result in finished["results"]}
    assert (daemon.root / changed).read_text() == "another's"


SAYINGS = ("undo", "Take it back!", "oops, undo that please", "revert the last change")


@pytest.mark.parametrize("words", SAYINGS)
def test_undo_can_be_said_and_means_the_last_change_of_the_session(
    daemon: Daemon, words: str
) -> None:
    wire, session = daemon.connect(), f"undo {words}"
    name = f"u{len(words)}"
    wire.run(f"{name}.a", text=f"create a folder {name}", session=session)
    wire.run(f"{name}.elsewhere", text=f"create a folder {name}x", session=f"{session} 2")
    wire.run(f"{name}.b", text="what time is it", session=session)
    wire.run(f"{name}.c", text="delete the folder nowhere", session=session)
    finished = wire.run(f"{name}.u", text=words, session=session)[-1]
    assert finished["status"] == "success", finished
    assert not (daemon.root / name).exists()
    assert (daemon.root / f"{name}x").exists()


def test_undo_goes_back_change_by_change_and_says_when_there_is_none(daemon: Daemon) -> None:
    wire = daemon.connect()
    for name in ("k1", "k2"):
        wire.run(f"{name}.make", text=f"create a folder {name}", session="k")
    for name in ("k2", "k1"):
        assert wire.run(f"{name}.undo", text="undo", session="k")[-1]["status"] == "success"
        assert not (daemon.root / name).exists()
    error = wire.ask(type="submit", id="k.more", text="undo", session="k")
    assert (error["type"], error["code"]) == ("error", "NOT_FEASIBLE")


def test_undo_means_the_last_change_across_restarts(tmp_path: Path) -> None:
    with running_daemon(tmp_path, settings=WITHOUT_BROWSER) as before:
        before.connect().run("made", text="create a folder kept", session="r")
        root = before.root
    with running_daemon(tmp_path, settings=WITHOUT_BROWSER) as after:
        wire = after.connect()
        wire.send({"type": "undo", "id": "back", "session": "r"})
        assert end_of(wire, "back")["status"] == "success"
    assert not (root / "kept").exists()


def test_a_planned_undo_undoes_nothing_and_uses_nothing_up(daemon: Daemon) -> None:
    wire = daemon.connect()
    for name in ("pl1", "pl2"):
        wire.run(f"{name}.make", text=f"create a folder {name}", session="pl")
    wire.run("pl.plan", text="undo", session="pl", mode="plan")
    assert (daemon.root / "pl2").exists()
    wire.run("pl.undo", text="undo", session="pl")
    assert not (daemon.root / "pl2").exists()
    assert (daemon.root / "pl1").exists()


def test_undo_means_what_changed_last_and_not_what_was_said_last(daemon: Daemon) -> None:
    path = daemon.root / "late.txt"
    path.write_text("here")
    wire = daemon.connect()
    approval = asked_for(wire, "late", "delete late.txt", "late")["approval"]
    wire.submit("late.other", text="create a folder later", session="late")
    assert end_of(wire, "late.other")["status"] == "success"
    wire.send({"type": "approve", "id": "late.yes", "approval": approval, "allow": True})
    assert end_of(wire, "late")["status"] == "success"
    assert wire.run("late.undo", text="undo", session="late")[-1]["status"] == "success"
    assert path.exists()
    assert (daemon.root / "later").exists()


def test_undo_can_be_said_while_an_approval_is_open(daemon: Daemon) -> None:
    (daemon.root / "open.txt").write_text("here")
    wire = daemon.connect()
    wire.run("op.make", text="create a folder op", session="op")
    asked_for(wire, "op", "delete open.txt", "op")
    wire.submit("op.undo", text="undo", session="op")
    assert end_of(wire, "op.undo")["status"] == "success"
    assert not (daemon.root / "op").exists()


def test_an_approval_that_waited_when_the_daemon_was_stopped_waits_again(tmp_path: Path) -> None:
    settings = WITHOUT_BROWSER + ASKING
    with running_daemon(tmp_path, settings=settings) as before:
        (before.root / "asked.txt").write_text("here")
        asked_for(before.connect(), "asked", "delete asked.txt", "x")
    with running_daemon(tmp_path, settings=settings) as after:
        wire = after.connect()
        state = wire.ask(type="status", id="s", command="asked")
        assert [each["kind"] for each in state["approvals"]] == ["delete"]


def test_a_flag_is_not_another_person_by_another_connection(tmp_path: Path) -> None:
    with running_daemon(tmp_path, settings='[approval]\nby = "others"\n') as daemon:
        path = daemon.root / "kept.txt"
        path.write_text("x")
        wire = daemon.connect()
        approval = asked_for(wire, "f1", "delete kept.txt", "f")["approval"]
        other = daemon.connect()
        yes = {"type": "approve", "approval": approval, "allow": True}
        refused = other.ask(**yes, id="flag", by="flag")
        assert refused["code"] == "NOT_ALLOWED"
        assert path.exists()
        other.send({**yes, "id": "person"})
        assert end_of(wire, "f1")["status"] == "success"
