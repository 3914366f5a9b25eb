"""Values taken from elsewhere: what one goal gives is a parameter of another."""

from collections.abc import Iterator
from itertools import count

import pytest

from messages import wire
from messages.executing import Done, Outcome
from messages.goals import GoalDraft
from messages.results import Code
from tests.daemon import Daemon, Event, running_daemon
from tests.parts import Args, FakeTool, house

NUMBER = count()
READ = GoalDraft("system", "get", {"target": "time"})


def written(**takes: str) -> GoalDraft:
    """Draft a goal that writes what another gives."""
    return GoalDraft("file", "write", {"name": "out.txt"}, takes=takes)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running_daemon(tmp_path_factory.mktemp("taking")) as running:
        yield running


def say(daemon: Daemon, text: str) -> list[Event]:
    return daemon.connect().run(f"t{next(NUMBER)}", text=text)


def test_what_was_read_is_saved(daemon: Daemon) -> None:
    (daemon.root / "poem.txt").write_text("roses\nviolets\n")
    events = say(daemon, "read poem.txt and save it to copy.txt")
    interpreted = next(event for event in events if event["type"] == "interpreted")
    assert interpreted["meta"]["goals"][1]["takes"] == {"content": "g0"}
    assert interpreted["meta"]["dependencies"] == {"1": [0]}
    assert events[-1]["status"] == "success"
    assert (daemon.root / "copy.txt").read_text() == "roses\nviolets\n"


def test_facts_about_the_system_are_appended(daemon: Daemon) -> None:
    events = say(daemon, "tell me the time, write it to log.txt, then append it to log.txt")
    assert events[-1]["status"] == "success"
    told = events[-1]["results"][0]["output"]["time"]
    assert (daemon.root / "log.txt").read_text().split() == [told, told]


def test_rows_become_a_table(daemon: Daemon) -> None:
    (daemon.root / "box").mkdir()
    (daemon.root / "box" / "a.txt").write_text("1")
    events = say(daemon, "list the folder box and save the result to box.csv")
    assert events[-1]["status"] == "success"
    header, row = (daemon.root / "box.csv").read_text().splitlines()
    assert "name" in header.split(",")
    assert "a.txt" in row.split(",")


@pytest.mark.parametrize("text", ["save it to x.txt", "mute the volume and save it to x.txt"])
def test_it_is_nothing_where_nothing_was_read(daemon: Daemon, text: str) -> None:
    finished = say(daemon, text)[-1]
    assert (finished["status"], finished["code"]) == ("failed", "NOT_UNDERSTOOD")
    assert not (daemon.root / "x.txt").exists()


async def give_nothing(_args: Args) -> Outcome:
    return Done()


def tools(**first: object) -> tuple[FakeTool, FakeTool]:
    reader = FakeTool("system_get:time", **first)  # type: ignore[arg-type]  # fields of the fake
    return reader, FakeTool("write_file", intent="file_operation", name="writer")


async def test_a_goal_that_gives_nothing_fails_the_one_that_takes_it() -> None:
    reader, writer = tools(act=give_nothing)
    async with house(reader, writer) as actors:
        heard = await actors.run("c1", READ, written(content="g0"))
    last = (await heard.finished()).results[1]
    assert (last.status, last.code) == ("failed", Code.NOT_FEASIBLE)
    assert writer.calls == []


@pytest.mark.parametrize("goal", ["g1", "g7", "nobody"])
async def test_a_value_can_only_be_taken_from_an_earlier_goal(goal: str) -> None:
    reader, writer = tools()
    async with house(reader, writer) as actors:
        heard = await actors.run("c1", READ, written(content=goal))
    finished = await heard.finished()
    assert finished.code is Code.VALIDATION_FAILED
    assert heard.all(wire.Interpreted)[0].warnings
    assert reader.calls == writer.calls == []


async def test_a_parameter_that_the_verb_does_not_have_cannot_be_taken() -> None:
    reader, writer = tools()
    async with house(reader, writer) as actors:
        heard = await actors.run("c1", READ, written(content="g0", nonsense="g0"))
    assert (await heard.finished()).code is Code.VALIDATION_FAILED
    assert writer.calls == []
