"""Undo is about the last change of a session: it is put back, or it is said why it cannot be."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from actors.executor.judging import Deed
from actors.orchestrator.undoing import undoing
from actors.vault import Opened
from messages import wire
from messages.executing import Done
from messages.goals import GoalDraft
from messages.journaling import Outcome, Story
from messages.results import ActionResult, Code
from tests.daemon import Daemon, Event, Wire, running_daemon
from tests.parts import LOUDER
from tests.test_approval import tree, undone
from tests.test_recovery import Tale
from tools.files.backups import LARGEST

WITHOUT_BROWSER = '[browser]\nmode = "off"\n'


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("last")
    with running_daemon(folder, settings=WITHOUT_BROWSER) as running:
        yield running


def run(wire: Wire, command: str, text: str, session: str) -> Event:
    finished = wire.run(command, text=text, session=session)[-1]
    assert finished["status"] == "success", finished
    return finished


def say_undo(wire: Wire, command: str, session: str) -> Event:
    return wire.ask(type="submit", id=command, text="undo that", session=session)


def test_what_cannot_be_undone_is_refused_and_nothing_else_is_undone_instead(
    daemon: Daemon,
) -> None:
    with (daemon.root / "big.bin").open("wb") as file:
        file.truncate(LARGEST + 1)
    wire = daemon.connect()
    run(wire, "big.x", "create a file x.txt", "big")
    run(wire, "big.over", 'overwrite big.bin with "B"', "big")
    before = tree(daemon.root)
    refused = say_undo(wire, "big.undo", "big")
    assert (refused["type"], refused["code"]) == ("error", "NOT_FEASIBLE")
    assert "'big.over'" in refused["message"]
    assert "big.bin" in refused["message"]
    assert f"larger than {LARGEST} bytes" in refused["message"]
    assert tree(daemon.root) == before
    assert undone(wire, "big.x")["status"] == "success"  # by its name, it is
    assert not (daemon.root / "x.txt").exists()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("over.txt", 'overwrite over.txt with "password: hunter22"'),
        ("more.txt", 'append "password: hunter22" to more.txt'),
        ("new.txt", 'create a file new.txt with "password: hunter22"'),
    ],
)
def test_a_text_with_a_secret_is_taken_back_and_is_in_no_journal(
    daemon: Daemon, name: str, text: str
) -> None:
    if name != "new.txt":
        (daemon.root / name).write_text("old\n")
    before = tree(daemon.root)
    wire = daemon.connect()
    run(wire, name, text, name)
    assert "hunter22" in (daemon.root / name).read_text()
    assert undone(wire, name)["status"] == "success"
    assert tree(daemon.root) == before
    state = daemon.home.parent / "state"
    assert not any(b"hunter22" in path.read_bytes() for path in state.glob("journal*"))
    assert "hunter22" not in str(daemon.log())


def test_what_changed_nothing_is_passed_over(daemon: Daemon) -> None:
    (daemon.root / "same.txt").write_text("same")
    wire = daemon.connect()
    run(wire, "same.x", "create a folder samefolder", "same")
    run(wire, "same.1", 'overwrite same.txt with "same"', "same")
    run(wire, "same.2", "create a folder samefolder", "same")
    assert wire.run("same.undo", text="undo that", session="same")[-1]["status"] == "success"
    assert not (daemon.root / "samefolder").exists()
    refused = wire.ask(type="undo", id="same.u1", command="same.1")
    assert refused["code"] == "NOT_FEASIBLE"
    assert "it changed nothing" in refused["message"]


def kept_entry(journal: Path, command: str, **changes: object) -> None:
    """Alter the outcome that a journal keeps of a command."""
    with closing(sqlite3.connect(journal)) as connection, connection:
        query = "SELECT seq, body FROM entries WHERE command = ? AND body LIKE '%\"outcome\"%'"
        ((seq, body),) = connection.execute(query, (command,)).fetchall()
        entry = {key: value for key, value in json.loads(body).items() if key not in changes}
        entry.update({key: value for key, value in changes.items() if value is not None})
        connection.execute("UPDATE entries SET body = ? WHERE seq = ?", (json.dumps(entry), seq))


def test_what_may_have_happened_is_the_last_change_too(tmp_path: Path) -> None:
    with running_daemon(tmp_path, settings=WITHOUT_BROWSER) as first:
        wire = first.connect()
        run(wire, "a", "create a folder a", "s")
        run(wire, "b", "create a folder b", "s")
    doubt = {"action": "g0_create_1", "status": "in_doubt", "code": "CRASHED"}
    kept_entry(tmp_path / "state" / "journal.db", "b", result=doubt, undo=[], changed=None)
    with running_daemon(tmp_path, settings=WITHOUT_BROWSER) as second:
        refused = say_undo(second.connect(), "u", "s")
        assert refused["code"] == "NOT_FEASIBLE"
        assert "it may have happened" in refused["message"]
        assert sorted(tree(second.root)) == ["a", "b"]


def test_what_had_begun_and_of_which_no_end_is_known_is_the_last_change(tmp_path: Path) -> None:
    with running_daemon(tmp_path, settings=WITHOUT_BROWSER) as first:
        wire = first.connect()
        run(wire, "a", "create a folder a", "s")
        run(wire, "b", "create a folder b", "s")
    with closing(sqlite3.connect(tmp_path / "state" / "journal.db")) as connection, connection:
        query = "DELETE FROM entries WHERE command = 'b' AND body LIKE '%\"outcome\"%'"
        connection.execute(query)
    with running_daemon(tmp_path, settings=WITHOUT_BROWSER) as second:
        refused = say_undo(second.connect(), "u", "s")
        assert refused["code"] == "NOT_FEASIBLE"
        assert "'b'" in refused["message"]
        assert sorted(tree(second.root)) == ["a", "b"]


def test_a_journal_that_does_not_say_what_changed_is_read(tmp_path: Path) -> None:
    with running_daemon(tmp_path, settings=WITHOUT_BROWSER) as first:
        run(first.connect(), "a", "create a folder a", "s")
    kept_entry(tmp_path / "state" / "journal.db", "a", changed=None, lasting=None)
    with running_daemon(tmp_path, settings=WITHOUT_BROWSER) as second:
        wire = second.connect()
        assert wire.run("u", text="undo", session="s")[-1]["status"] == "success"
        assert tree(second.root) == {}


def test_an_undo_that_holds_a_secret_is_not_kept_and_that_is_why() -> None:
    secrets = Opened({}, used={"hunter22": "secret:~1"})
    undo = (GoalDraft("file", "discard", {"name": "/r/hunter22", "expects": "0"}),)
    deed = Deed(Done("said", undo=undo)).discreetly(secrets)
    assert isinstance(deed.outcome, Done)
    assert deed.outcome.undo == ()
    assert "secret" in deed.outcome.lasting
    result = ActionResult("g0_create_1", "success")
    kept = Outcome(result, undo=(), changed=True, lasting=deed.outcome.lasting)
    told = undoing(Story(wire.Submit("c", text="x"), (kept,)))
    assert "holds a secret" in told.reason()


@pytest.mark.parametrize(
    ("changed", "said"), [(True, "it may have happened"), (False, "it changed nothing")]
)
def test_what_failed_may_have_changed_something_if_it_had_begun_to_act(
    *, changed: bool, said: str
) -> None:
    tale = Tale((LOUDER,)).began("g0_raise_1")
    failed = Outcome(ActionResult("g0_raise_1", "failed", Code.TIMEOUT, "slow"), changed=changed)
    story = Story(tale.first.submit, (*tale.entries, failed))
    assert said in undoing(story).reason()
