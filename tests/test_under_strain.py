"""Nothing is lost, told twice or held up when things go wrong or grow large."""

import json
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from actors.orchestrator.history import History
from actors.orchestrator.runs import advance
from messages import wire
from messages.commanding import Admit, Known
from messages.executing import Performed
from messages.failures import Target
from messages.goals import GoalDraft
from messages.results import ActionResult, Code, GoalResult
from messages.targets import Binding, Bound, Success
from messages.trace import NOWHERE, Trace, current
from tests.daemon import Daemon, running_daemon
from tests.gate import gated_daemon
from tests.parts import (
    MUTE,
    TIME,
    FakeReader,
    Gate,
    clock,
    command,
    ended,
    goal,
    house,
    mute,
    planned,
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running_daemon(tmp_path_factory.mktemp("strain")) as running:
        yield running


def test_a_command_is_concluded_once_however_its_last_action_ends() -> None:
    first = GoalDraft(
        "file", "create", {"object_type": "folder", "name": "docs"}, scope="inside:later"
    )
    second = GoalDraft(
        "file", "create", {"object_type": "file", "name": "a.md"}, scope="inside:docs"
    )
    run = command(first, second)
    planned(run)
    later = Binding(Target("/work/later", "later", "folder"))
    advance(run, Bound("c1", "g0_create_1", Success("direct", "inside", (later,))))
    effects = ended(run, "g0_create_1", output=None)
    (finished,) = [effect for effect in effects if isinstance(effect, wire.Finished)]
    assert [result.status for result in finished.results] == ["success", "failed"]


def test_history_forgets_the_oldest_by_number_and_by_weight() -> None:
    history = History(remembered=3, weight=1_000)
    for index in range(5):
        history.file(wire.Finished(f"c{index}", "success"))
    assert [history.find(f"c{index}") is not None for index in range(5)] == [False] * 2 + [True] * 3
    heavy = GoalResult("g0", "success", output="x" * 900)
    history.file(wire.Finished("heavy", "success", (heavy,)))
    history.file(wire.Finished("more", "success", (heavy,)))
    assert history.find("heavy") is None
    assert history.find("more") is not None


async def test_more_actions_than_an_inbox_holds_are_all_sent_in_order() -> None:
    tool = clock()
    async with house(tool, reader=FakeReader()) as actors:
        heard = await actors.run("c1", *[TIME] * 700)
        assert heard.all(wire.Finished)[0].status == "success"
    started = [event.action for event in heard.all(wire.ActionStarted)]
    assert started == [f"g{number}_get_1" for number in range(700)]
    assert len(tool.calls) == 700


async def test_a_look_at_the_clock_carries_no_trace_of_another_command() -> None:
    async with house(clock(), reader=FakeReader()) as actors:
        token = current.set(Trace("c9", "s9"))
        heard = await actors.submit("c1", TIME)
        current.reset(token)
        assert (await heard.finished()).status == "success"
        assert current.get() == NOWHERE


async def test_a_plan_of_part_of_a_goal_says_what_is_missing() -> None:
    partial = goal("system.get", target=["time", "battery"])
    async with house(clock()) as actors:
        heard = await actors.submit("c1", partial, mode="plan", allow_partial=True)
        finished = await heard.finished()
    assert (finished.status, finished.code) == ("partial", Code.PARTIAL)
    assert "battery" in str(finished.results[0].message)


async def test_an_id_that_was_under_way_when_the_orchestrator_crashed_does_not_run_again() -> None:
    gate = Gate()
    tool = mute(gate)
    async with house(tool) as actors:
        heard = await actors.submit("c1", MUTE)
        await gate.somebody()
        defect = Performed("c1", ActionResult("no such action", "success"))
        await actors.orchestrator.tell(defect)
        assert (await heard.finished()).status == "in_doubt"
        answer = await actors.orchestrator.ask(Admit(wire.Submit("c1", goals=(MUTE,))))
        assert isinstance(answer, Known)
        assert answer.state.status == "in_doubt"
    assert len(tool.calls) == 1


def half_closed(daemon: Daemon, *requests: dict[str, Any]) -> list[dict[str, Any]]:
    """Send requests, close the sending side, and read to the end."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(30)
        client.connect(str(daemon.socket))
        client.sendall(b"".join(json.dumps(request).encode() + b"\n" for request in requests))
        client.shutdown(socket.SHUT_WR)
        with client.makefile("rb") as lines:
            return [json.loads(line) for line in lines]


def test_a_client_that_only_stops_sending_gets_all_it_asked_for(shared: Daemon) -> None:
    for attempt in range(20):
        goals = [{"domain": "system", "verb": "get", "params": {"target": "time"}}]
        events = half_closed(
            shared,
            {"type": "submit", "id": f"half{attempt}", "goals": goals},
            {"type": "describe", "id": "d"},
            {"type": "nonsense", "id": "n"},
        )
        kinds = {event["type"] for event in events}
        assert {"accepted", "finished", "described", "error"} <= kinds


def test_a_result_larger_than_the_limit_reaches_a_client_that_reads(shared: Daemon) -> None:
    (shared.root / "big.txt").write_text("x" * 1_000_000)
    read = {"domain": "file", "verb": "read", "params": {"name": "big.txt"}}
    wire_client = shared.connect()
    finished = wire_client.run("big", goals=[read] * 20)[-1]
    assert finished["status"] == "success"
    assert sum(len(result["output"]["text"]) for result in finished["results"]) == 20_000_000


WRITE = {"domain": "file", "verb": "write", "params": {"name": "zz", "content": ""}}
READ = {"domain": "file", "verb": "read", "params": {"name": "zz"}}
GOAL = {"domain": "system", "verb": "get", "params": {"target": "time"}}


@pytest.mark.parametrize(
    "goals",
    [
        [{"domain": "app", "verb": "launch", "params": {"name": [f"n{i}" for i in range(60_000)]}}],
        [{"domain": "system", "verb": "get", "params": {"target": ["time"] * 100_000}}],
        [
            {"domain": "file", "verb": "read", "params": {"name": "a"}, "scope": f"after:g{i}"}
            for i in range(-1, 3_000)
        ],
        [{"domain": "no", "verb": f"verb{i}"} for i in range(9_000)],
        [GOAL] * 9_000,
        [
            *([WRITE] * 4_000),
            *({**READ, "scope": f"after:g{index}"} for index in range(4_000, 8_000)),
        ],
    ],
    ids=["long list", "one thing often", "long chain", "unknown verbs", "many goals", "makers"],
)
def test_one_huge_command_is_answered_with_little_work(
    shared: Daemon, goals: list[dict[str, Any]], request: pytest.FixtureRequest
) -> None:
    daemon = psutil.Process(shared.process.pid)
    before = sum(daemon.cpu_times()[:2])
    wire_client = shared.connect()
    name = request.node.callspec.id
    assert wire_client.run(f"huge {name}", goals=goals, mode="plan")[-1]["type"] == "finished"
    # Work, not time: 10 s of CPU is far above what any of these takes, and far below what they
    # took when one of them could hold up everybody else for a minute.
    assert sum(daemon.cpu_times()[:2]) - before < 10


def test_what_does_not_end_in_time_is_said_to_be_in_doubt(tmp_path: Path) -> None:
    with gated_daemon(tmp_path, settings="[limits]\nstop_grace = 0.2\n") as (daemon, _gate):
        client = daemon.connect()
        client.submit("slow", text="mute the volume")
        client.read_until(type="action_started")
        daemon.process.send_signal(signal.SIGTERM)
        finished = client.read_until(type="finished")[-1]
        assert (finished["status"], finished["code"]) == ("in_doubt", "SHUTTING_DOWN")
        assert daemon.process.wait(30) == 0


def test_uptime_is_the_daemons(shared: Daemon) -> None:
    health = shared.connect().ask(type="status", id="s")["health"]
    assert 0 < health["uptime"] < time.monotonic()
