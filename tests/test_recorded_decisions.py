"""What is recorded of which commands: each kind of decision, and never a secret.

Whatever real daemons have recorded is made again in other processes, whose sets have other orders.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from messages.interpreting import Interpret
from messages.planning import CoursePlanned
from messages.replaying import Decision, InterpretWith, Recorded
from tests.daemon import Daemon, Event, Wire, running_daemon
from tests.model_server import Reply, answers, goal, hang_up, model_server, says, unsupported
from tests.test_recipes import Harbour
from tests.test_replay import replayed
from tests.web import Web
from tools.recordings import read_decisions

USUAL = """name = "usual order"
says = ["the usual"]
[values]
what = "parcels"
[[steps]]
do = "file.create"
params = { object_type = "folder", name = "{what}" }
[[steps]]
do = "file.create"
params = { object_type = "file", name = "list.txt" }
"""
SIGN_IN = """name = "sign in at the bank"
asked = ["losung"]
[[steps]]
do = "browser.type"
roles = { target = "the password field" }
params = { text = "{losung}" }
"""
PHRASES = '[phrases]\nstandup = "create a folder standup"\n'
GREEN = "the green one"
PAGES = {
    "/": "<h1>Losung</h1><label>Losung <input type='password' name='losung'></label>"
    "<label>Note <input name='note'></label>"
}
CREATE = {"domain": "file", "verb": "create", "params": {"object_type": "folder", "name": "made"}}
READ = {"domain": "file", "verb": "read", "roles": {"direct": "the newest file"}}


def ended(wire: Wire, name: str, **said: object) -> Event:
    """Carry out a command; the first option is the answer to each question."""
    wire.submit(name, **said)
    while (event := wire.read())["type"] != "finished":
        if event["type"] == "question":
            wire.send({"type": "answer", "id": "a", "question": event["question"], "choice": 1})
    return event


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
    """Give the folder of decisions on goals, recipes, chores and answers."""
    folder = tmp_path_factory.mktemp("recorded")
    recipes = folder / "state" / "recipes"
    recipes.mkdir(parents=True)
    (recipes / "usual.toml").write_text(USUAL)
    (recipes / "bank.toml").write_text(SIGN_IN)
    with running_daemon(folder, settings=PHRASES) as daemon, Harbour() as harbour:
        wire = daemon.connect(60.0)
        for name in ("alpha.txt", "beta.txt", "alpha.md"):
            (daemon.root / name).write_text(name)
        ended(wire, "goals", goals=[CREATE, READ])
        wire.send({"type": "undo", "id": "undo", "command": "goals"})
        wire.read_until(type="finished", command="undo")
        ended(wire, "taught", text="do the usual order with what parcels")
        ended(wire, "saying", text="the usual")
        ended(wire, "standup", text="standup")
        ended(wire, "bank", text="do the sign in at the bank with losung xyzzy-4711")
        ended(wire, "open", text=f"go to {harbour.url('/boats')}")
        ended(wire, "course", text="change the skipper of Alba to Raj Patel")
    with running_daemon(folder, arguments=("--world", "manor")) as daemon:
        wire = daemon.connect()
        wire.submit("asked", text="take the envelope")
        asked = wire.read_until(type="question")[-1]
        wire.send({"type": "answer", "id": "a", "question": asked["question"], "choice": GREEN})
        wire.read_until(type="finished")
    return folder / "state" / "decisions"


@contextmanager
def thinking(folder: Path, *script: Reply, mode: str = "auto") -> Iterator[Daemon]:
    with model_server(*script) as server:
        settings = f'interpreter = "{mode}"\n[model]\nname = "m"\nbase_url = "{server.url}"\n'
        with running_daemon(
            folder, settings=settings, environment={"OPENAI_API_KEY": "sk-x"}
        ) as daemon:
            yield daemon


MADE = goal("file.create", object_type="folder", name="reports", content=None)
LIE = goal("file.create", object_type="folder", name="elsewhere")


@pytest.fixture(scope="module")
def thought(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of decisions of a daemon that asked a model, and of one after it."""
    folder = tmp_path_factory.mktemp("thought")
    replies = (answers(MADE), answers(LIE), answers(MADE), answers(LIE), answers(LIE))
    with thinking(folder, *replies, says(unsupported()), says("{"), says("{")) as daemon:
        wire = daemon.connect()
        ended(wire, "believed", text="whip up a folder reports")
        ended(wire, "corrected", text="whip me up a folder reports")
        ended(wire, "refused", text="whip us up a folder reports")
        ended(wire, "unsupported", text="whip the cream")
        ended(wire, "garbled", text="whip the horse")
        ended(wire, "plain", text="create a folder plain")
        ended(wire, "secret", text="whip up a password hunter2")
    with thinking(folder, hang_up) as daemon:
        wire = daemon.connect()
        ended(wire, "recalled", text="whip up a folder reports")
        ended(wire, "unreachable", text="whip the wind")
    return folder / "state" / "decisions"


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
    assert "undo" in said_in(decisions_in(recorded))


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


def test_an_answer_in_words_is_recorded_as_it_was_read(recorded: Path) -> None:
    kinds = {type(request).__name__ for request, _ in decisions_in(recorded)}
    assert "ReadChoice" in kinds


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
        ended(wire, "plain", goals=[CREATE])
    folder = tmp_path / "state" / "decisions"
    assert said_in(decisions_in(folder)) == {"plain"}
    assert isinstance(decisions_in(folder)[0][0], Interpret)
