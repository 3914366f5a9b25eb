"""What is recorded of which commands: each kind of decision, and never a secret.

Whatever real daemons have recorded is made again in other processes, whose sets have other orders.
"""

import signal
from pathlib import Path

import pytest

from messages.interpreting import Interpret
from messages.planning import CoursePlanned
from messages.replaying import Decision, InterpretWith, Recorded
from tests.daemon import running_daemon
from tests.sessions import READ, ended, with_a_model, with_goals_and_recipes
from tests.test_replay import replayed
from tests.web import Web
from tools.recordings import read_decisions

PAGES = {
    "/": "<h1>Losung</h1><label>Losung <input type='password' name='losung'></label>"
    "<label>Note <input name='note'></label>"
}


def decisions_in(folder: Path) -> list[tuple[Decision, Recorded]]:
    return [
        (request, recorded)
        for path in sorted(folder.glob("*.jsonl"))
        for _, _, request, recorded in read_decisions(path)
    ]


def said_in(decisions: list[tuple[Decision, Recorded]]) -> set[str]:
    """Name the commands of which something was recorded."""
    return {request.command_id for request, _ in decisions}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of decisions on goals, recipes and chores."""
    return with_goals_and_recipes(tmp_path_factory.mktemp("recorded"))


@pytest.fixture(scope="module")
def thought(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of decisions of a daemon that asked a model, and of one after it."""
    return with_a_model(tmp_path_factory.mktemp("thought"))


# All of it comes out the same elsewhere


@pytest.mark.parametrize("seed", ["1", "4711"])
def test_goals_recipes_courses_and_answers_are_decided_the_same_elsewhere(
    recorded: Path, seed: str
) -> None:
    done = replayed([recorded], seed, "--diff")
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


@pytest.mark.parametrize("seed", ["1", "4711"])
def test_what_a_model_answered_is_believed_the_same_without_a_model(
    thought: Path, seed: str
) -> None:
    done = replayed([thought], seed, "--diff")
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


# What there is


def test_goals_that_a_client_sends_are_recorded_with_their_plans_and_bindings(
    recorded: Path,
) -> None:
    own = [request for request, _ in decisions_in(recorded) if request.command_id == "goals"]
    kinds = {type(request).__name__ for request in own}
    assert kinds == {"InterpretWith", "MakePlans", "Resolve"}


def test_goals_with_no_words_to_bind_are_not_recorded(recorded: Path) -> None:
    assert "undo" not in said_in(decisions_in(recorded))


def test_what_a_recipe_comes_to_is_recorded_with_the_recipe(recorded: Path) -> None:
    found = {
        request.command_id: request
        for request, _ in decisions_in(recorded)
        if isinstance(request, InterpretWith)
    }
    assert {"taught", "saying", "standup"} <= found.keys()
    assert set(found["taught"].recipes) == {"usual order", "standup"}


def test_the_steps_of_a_chore_are_recorded_with_the_world_they_were_planned_in(
    recorded: Path,
) -> None:
    courses = [
        each.reply for _, each in decisions_in(recorded) if isinstance(each.reply, CoursePlanned)
    ]
    assert courses
    assert courses[0].course is not None
    assert courses[0].course.stages


def test_answers_of_a_model_are_recorded_in_their_order(thought: Path) -> None:
    found = {
        request.command_id: [type(each).__name__ for each in request.answers]
        for request, _ in decisions_in(thought)
        if isinstance(request, InterpretWith)
    }
    assert found == {
        "believed": ["Answered"],
        "corrected": ["Answered", "Answered"],
        "refused": ["Answered", "Answered"],
        "unsupported": ["Answered"],
        "garbled": ["Answered", "Answered"],
        "plain": [],
        "recalled": ["Answered"],
        "unreachable": ["ModelFailed"],
    }


# Secrets


def test_a_recipe_that_speaks_of_a_secret_is_not_recorded_nor_who_asks_for_it(
    recorded: Path,
) -> None:
    assert "bank" not in said_in(decisions_in(recorded))
    text = "".join(path.read_text() for path in recorded.glob("*.jsonl"))
    assert "xyzzy-4711" not in text
    assert "sign in at the bank" not in text


def test_what_turns_out_to_be_typed_into_a_password_field_is_nowhere(tmp_path: Path) -> None:
    with running_daemon(tmp_path) as daemon, Web(PAGES) as web:
        wire = daemon.connect(60.0)
        ended(wire, "open", text=f"go to {web.url()}")
        typed = ended(wire, "typed", text="type Xyzzy-4711 into Losung")
        assert typed["status"] == "success", typed
        ended(wire, "shown", text="type Xyzzy-4711 into Note")
        ended(wire, "later", text="type hello into Note")
        ended(wire, "drafted", goals=[
            {"domain": "browser", "verb": "type", "params": {"text": "Xyzzy-4711"},
             "roles": {"target": "Losung"}}
        ])  # fmt: skip
    folder = tmp_path / "state" / "decisions"
    assert "Xyzzy" not in "".join(path.read_text() for path in folder.glob("*.jsonl"))
    assert {"open", "later"} <= said_in(decisions_in(folder))
    done = replayed([folder], "1", "--diff")
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_goals_with_a_secret_are_not_recorded(tmp_path: Path) -> None:
    with running_daemon(tmp_path) as daemon:
        wire = daemon.connect()
        note = {"domain": "file", "verb": "create"}
        for name, content in (("word", "the password is Xyzzy-4711"), ("named", "secret:bank")):
            params = {"object_type": "file", "name": f"{name}.txt", "content": content}
            ended(wire, name, goals=[{**note, "params": params}])
        ended(wire, "plain", goals=[READ])
    folder = tmp_path / "state" / "decisions"
    assert said_in(decisions_in(folder)) == {"plain"}
    assert isinstance(decisions_in(folder)[0][0], Interpret)


# A kill


def test_what_a_killed_daemon_had_recorded_is_replayed_with_what_the_next_one_records(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "state" / "decisions"
    with running_daemon(tmp_path) as daemon:
        wire = daemon.connect()
        for number in range(20):
            ended(wire, f"before{number}", goals=[READ])
        daemon.stop(signal.SIGKILL)
    (last,) = folder.glob("*.jsonl")
    with last.open("ab") as file:
        file.write(b'{"type":"recorded","request":{"type":"inter')
    with running_daemon(tmp_path) as daemon:
        ended(daemon.connect(), "after", goals=[READ])
    assert len(list(folder.glob("*.jsonl"))) == 2
    assert "after" in said_in(decisions_in(folder))
    done = replayed([folder], "1", "--diff")
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
