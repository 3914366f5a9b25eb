"""The promises of sessions: in order within one, side by side between them."""

from collections import deque
from pathlib import Path
from time import monotonic

from hypothesis import given
from hypothesis import strategies as st

from actors.orchestrator.sessions import Sessions
from messages import wire
from messages.commanding import Tick
from messages.results import Code
from tests.daemon import running_daemon
from tests.parts import MUTE, TIME, FakeTool, Gate, clock, goal, house, mute

LONG = 10_000.0


def test_the_first_command_of_a_session_runs_at_once() -> None:
    assert Sessions().join("a", "c1") == 0


def test_the_next_commands_of_a_session_wait_in_line() -> None:
    sessions = Sessions()
    assert [sessions.join("a", name) for name in ("c1", "c2", "c3")] == [0, 1, 2]
    assert sessions.waiting() == 2


def test_another_session_does_not_wait() -> None:
    sessions = Sessions()
    sessions.join("a", "c1")
    assert sessions.join("b", "c2") == 0


def test_the_turn_passes_in_the_order_of_acceptance() -> None:
    sessions = Sessions()
    for name in ("c1", "c2", "c3"):
        sessions.join("a", name)
    assert [sessions.leave("a", name) for name in ("c1", "c2", "c3")] == ["c2", "c3", None]


def test_a_command_that_leaves_the_line_passes_no_turn_on() -> None:
    sessions = Sessions()
    for name in ("c1", "c2", "c3"):
        sessions.join("a", name)
    assert sessions.leave("a", "c2") is None
    assert sessions.leave("a", "c1") == "c3"


def test_a_session_in_which_nothing_runs_any_more_is_forgotten() -> None:
    sessions = Sessions()
    sessions.join("a", "c1")
    assert sessions.names() == ("a",)
    sessions.leave("a", "c1")
    assert sessions.names() == ()


@given(st.lists(st.sampled_from(["join", "leave", "give up"]), max_size=30))
def test_a_session_is_a_line_whatever_happens(steps: list[str]) -> None:
    sessions, line, count = Sessions(), deque[str](), 0
    for step in steps:
        if step == "join":
            count += 1
            assert sessions.join("a", f"c{count}") == len(line)
            line.append(f"c{count}")
        elif step == "leave" and line:
            assert sessions.leave("a", line.popleft()) == (line[0] if line else None)
        elif step == "give up" and len(line) > 1:
            assert sessions.leave("a", line.pop()) is None
        assert sessions.waiting() == max(0, len(line) - 1)


async def test_commands_of_one_session_run_one_after_another() -> None:
    gate = Gate()
    async with house(mute(gate), clock()) as actors:
        first = await actors.submit("c1", MUTE)
        second = await actors.submit("c2", TIME)
        await gate.somebody()
        assert (await actors.state("c1"), await actors.state("c2")) == ("running", "queued")
        assert second.events == [wire.Accepted("c2", "default", ahead=1)]
        gate.open()
        assert (await second.finished()).status == "success"
        assert (await first.finished()).status == "success"


async def test_commands_of_one_session_keep_the_order_they_were_accepted_in() -> None:
    gate, tool = Gate(), FakeTool("audio_set", intent="audio_control")
    levels = [50, 10, 40, 20, 30]
    async with house(mute(gate), tool) as actors:
        await actors.submit("c0", MUTE)
        clients = [
            await actors.submit(f"c{level}", goal("audio.set", level=level)) for level in levels
        ]
        gate.open()
        await clients[-1].finished()
    assert [call["level"] for call in tool.calls] == levels


async def test_sessions_run_side_by_side() -> None:
    gate = Gate(opens_at=3)
    async with house(mute(gate)) as actors:
        clients = [await actors.submit(name, MUTE, session=name) for name in ("a", "b", "c")]
        assert [(await client.finished()).status for client in clients] == ["success"] * 3


async def test_a_queued_command_can_be_cancelled() -> None:
    gate, tool = Gate(), clock()
    async with house(mute(gate), tool) as actors:
        first = await actors.submit("c1", MUTE)
        second = await actors.submit("c2", TIME)
        third = await actors.submit("c3", TIME)
        await actors.cancel("c2")
        finished = await second.finished()
        assert (finished.status, finished.code) == ("cancelled", Code.CANCELLED)
        gate.open()
        assert (await first.finished()).status == "success"
        assert (await third.finished()).status == "success"
    assert len(tool.calls) == 1


async def test_cancelling_the_command_ahead_gives_its_turn_to_the_next() -> None:
    gate = Gate()
    async with house(mute(gate), clock()) as actors:
        first = await actors.submit("c1", MUTE)
        second = await actors.submit("c2", TIME)
        await gate.somebody()
        await actors.cancel("c1")
        assert (await first.finished()).status == "cancelled"
        assert (await second.finished()).status == "success"


async def test_a_command_that_fails_gives_its_turn_to_the_next() -> None:
    async with house(clock()) as actors:
        first = await actors.submit("c1", MUTE)
        second = await actors.submit("c2", TIME)
        assert (await first.finished()).code == Code.NO_CAPABILITY
        assert (await second.finished()).status == "success"


async def test_the_deadline_of_a_queued_command_has_not_begun() -> None:
    gate = Gate()
    async with house(mute(gate), clock()) as actors:
        first = await actors.submit("c1", MUTE)
        second = await actors.submit("c2", TIME)
        await gate.somebody()
        await actors.orchestrator.tell(Tick(monotonic() + LONG))
        assert (await first.finished()).code == Code.DEADLINE_PASSED
        assert (await second.finished()).status == "success"


async def test_a_session_that_is_done_is_forgotten_and_may_begin_anew() -> None:
    async with house(clock()) as actors:
        await actors.run("c1", TIME, session="music")
        assert (await actors.health()).sessions == ()
        again = await actors.run("c2", TIME, session="music")
        assert (await again.finished()).status == "success"


def test_a_browser_that_keeps_its_pages_has_one_from_the_start() -> None:
    assert Sessions(begins_on_page=True).is_on_page("new")
    assert not Sessions().is_on_page("new")


def test_a_plan_neither_waits_in_the_line_nor_sets_a_question_aside(tmp_path: Path) -> None:
    with running_daemon(tmp_path, arguments=("--world", "manor")) as daemon:
        wire = daemon.connect()
        wire.run("said", text="look")
        wire.submit("asks", text="take the envelope")
        question = wire.read_until(type="question")[-1]["question"]
        assert wire.run("plan", text="take the note", mode="plan")[-1]["status"] == "success"
        still = wire.ask(type="status", id="s")["questions"]
        assert [each["question"] for each in still] == [question]
        wire.send({"type": "answer", "id": "a", "question": question, "choice": 1})
        assert wire.read_until(type="finished", command="asks")[-1]["status"] == "success"


def test_a_plan_is_not_what_is_done_again(tmp_path: Path) -> None:
    with running_daemon(tmp_path) as daemon:
        wire = daemon.connect()
        wire.run("first", text="create a folder one")
        wire.run("planned", text="create a folder two", mode="plan")
        again = wire.run("again", text="do that again")
        assert "one" in str(again)
        assert not (daemon.root / "two").exists()
