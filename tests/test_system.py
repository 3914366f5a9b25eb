"""Questions about the machine, through the real daemon."""

import os
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import psutil
import pytest

from tests.daemon import Daemon, Event, running_daemon


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One daemon for all questions: asking changes nothing."""
    with running_daemon(tmp_path_factory.mktemp("system")) as running:
        yield running


def results(daemon: Daemon, **fields: object) -> list[Event]:
    answers: list[Event] = daemon.connect().run(os.urandom(4).hex(), **fields)[-1]["results"]
    return answers


def answer(daemon: Daemon, text: str) -> Any:
    """Ask one question and give what came out."""
    (result,) = results(daemon, text=text)
    assert result["status"] == "success", result
    assert result["verified"] is True
    return result["output"]


def goal(target: object) -> Event:
    return {"domain": "system", "verb": "get", "params": {"target": target}}


def test_the_time_is_told_with_its_zone(daemon: Daemon) -> None:
    told = answer(daemon, "what time is it")
    moment = datetime.fromisoformat(told["iso"])
    assert moment.tzinfo is not None
    assert moment.strftime("%H:%M:%S") == told["time"]


def test_the_memory_is_told_in_bytes(daemon: Daemon) -> None:
    told = answer(daemon, "show the memory usage")
    assert told["total"] == psutil.virtual_memory().total
    assert 0 < told["available"] <= told["total"]
    assert 0 <= told["percent"] <= 100


def test_the_disk_is_that_of_the_first_root(daemon: Daemon) -> None:
    told = answer(daemon, "show the disk space")
    assert told["path"] == str(daemon.root)
    assert 0 <= told["free"] <= told["total"]
    assert 0 < told["used"] <= told["total"]


def test_the_processes_are_told_with_the_largest_first(daemon: Daemon) -> None:
    rows = answer(daemon, "list the processes")
    sizes = [row["memory"] for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    assert len({row["pid"] for row in rows}) == len(rows)
    assert all(set(row) == {"pid", "name", "user", "memory"} for row in rows)


@pytest.mark.parametrize("text", ["how much battery is left", "show the battery"])
def test_a_battery_is_no_capability_where_there_is_none(daemon: Daemon, text: str) -> None:
    (result,) = results(daemon, text=text)
    there_is_one = psutil.sensors_battery() is not None
    assert result["status"] == ("success" if there_is_one else "no_capability")


@pytest.mark.parametrize("target", ["time", "memory", "disk", "processes"])
def test_what_is_shown_by_its_name_is_the_answer_and_no_file(daemon: Daemon, target: str) -> None:
    events = daemon.connect().run(f"show-{target}", text=f"show the {target}", mode="plan")
    planned = next(event for event in events if event["type"] == "planned")
    (action,) = planned["graph"]["nodes"].values()
    assert action["achieves"] == f"system_get:{target}"


def test_several_questions_in_one_goal_are_all_answered(daemon: Daemon) -> None:
    events = daemon.connect().run("several", goals=[goal(["time", "memory", "disk"])])
    finished = [event["status"] for event in events if event["type"] == "action_finished"]
    assert finished == ["success"] * 3
    assert events[-1]["status"] == "success"


def test_a_question_that_is_not_in_the_table_is_blocked(daemon: Daemon) -> None:
    (result,) = results(daemon, goals=[goal("weather")])
    assert result["status"] == "blocked"
    assert "weather" in result["message"]
