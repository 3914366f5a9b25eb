"""What Behest must be able to show: whole commands against a running daemon, and their refusals."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon import Daemon, Event, running_daemon
from tests.gate import gated_daemon

NESTED = "create a folder reports and inside it create summary.md"
SIDE_BY_SIDE = "create folder a, create folder b and mute the volume"


@pytest.fixture(scope="module")
def audible(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon that can mute the volume."""
    with gated_daemon(tmp_path_factory.mktemp("audible")) as (daemon, gate):
        os.write(gate.descriptor, b"\n" * 100)
        yield daemon


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon on a machine where no program is installed, and with nothing in its root."""
    folder = tmp_path_factory.mktemp("bare")
    nothing = folder / "nothing"
    nothing.mkdir()
    with running_daemon(folder, environment={"PATH": str(nothing)}) as daemon:
        yield daemon


def send(daemon: Daemon, *arguments: str) -> tuple[int, dict[str, Event]]:
    """Run ``send --json``; give its exit code and the last event of each type."""
    sent = daemon.cli("send", "--json", *arguments)
    events = [json.loads(line) for line in sent.stdout.splitlines()]
    assert events[-1]["type"] == "finished", sent.stderr
    return sent.returncode, {event["type"]: event for event in events}


def on_disk(daemon: Daemon) -> list[Path]:
    return sorted(path.relative_to(daemon.root) for path in daemon.root.rglob("*"))


# Two sentences


def test_the_plan_of_a_folder_and_a_file_in_it_is_shown_and_nothing_is_on_disk(
    bare: Daemon,
) -> None:
    code, events = send(bare, "--plan", NESTED)
    assert code == 0
    assert events["planned"]["layers"] == [["g0"], ["g1"]]
    assert events["planned"]["graph"]["adjacency"] == {"g0_create_1": ["g1_create_1"]}
    assert [result["status"] for result in events["finished"]["results"]] == ["planned"] * 2
    assert "action_started" not in events
    assert on_disk(bare) == []


def test_a_folder_and_a_file_in_it_are_made_one_after_the_other(audible: Daemon) -> None:
    code, events = send(audible, NESTED)
    assert code == 0
    assert events["interpreted"]["meta"]["meta_type"] == "dependent_multi"
    assert events["interpreted"]["meta"]["dependencies"] == {"1": [0]}
    assert [result["verified"] for result in events["finished"]["results"]] == [True, True]
    assert (audible.root / "reports").is_dir()
    assert (audible.root / "reports" / "summary.md").is_file()


def test_the_plan_of_three_things_that_have_nothing_to_do_with_each_other_is_one_layer(
    audible: Daemon,
) -> None:
    code, events = send(audible, "--plan", SIDE_BY_SIDE)
    assert code == 0
    assert events["interpreted"]["meta"]["meta_type"] == "independent_multi"
    assert events["interpreted"]["meta"]["dependencies"] == {}
    assert events["planned"]["layers"] == [["g0", "g1", "g2"]]
    assert events["planned"]["graph"]["adjacency"] == {}
    assert not (audible.root / "a").exists()


def test_three_things_that_have_nothing_to_do_with_each_other_are_done(audible: Daemon) -> None:
    code, events = send(audible, SIDE_BY_SIDE)
    assert code == 0
    assert events["planned"]["layers"] == [["g0", "g1", "g2"]]
    assert [result["status"] for result in events["finished"]["results"]] == ["success"] * 3
    assert (audible.root / "a").is_dir()
    assert (audible.root / "b").is_dir()


# One goal of three cannot be carried out: nothing is


def folder(name: str) -> Event:
    return {"domain": "file", "verb": "create", "params": {"object_type": "folder", "name": name}}


UNKNOWN_VERB = {"domain": "file", "verb": "shred", "params": {"name": "a"}}
MISSING_PARAMETER = {"domain": "file", "verb": "create", "params": {"name": "b"}}
DISALLOWED_VALUE = {
    "domain": "file",
    "verb": "create",
    "params": {"object_type": "symlink", "name": "b"},
}
MISSING_CAPABILITY = {"domain": "audio", "verb": "mute"}

REFUSALS = {
    "an unknown verb": (UNKNOWN_VERB, "rule_not_found", "file.shred"),
    "a missing parameter": (MISSING_PARAMETER, "validation_failed", "object_type"),
    "a disallowed value": (DISALLOWED_VALUE, "blocked", "symlink"),
    "a missing capability": (MISSING_CAPABILITY, "no_capability", "audio_mute"),
}


@pytest.mark.parametrize("position", [0, 1, 2])
@pytest.mark.parametrize(("goal", "status", "reason"), REFUSALS.values(), ids=REFUSALS)
def test_one_goal_of_three_that_cannot_be_planned_means_that_nothing_runs(
    bare: Daemon, goal: Event, status: str, reason: str, position: int
) -> None:
    goals = [folder("first"), folder("second")]
    goals.insert(position, goal)
    events = bare.connect().run(f"{status}-{position}", goals=goals)
    assert not {"planned", "action_started"} & {event["type"] for event in events}
    assert on_disk(bare) == []

    finished = events[-1]
    assert (finished["status"], finished["code"]) == ("failed", status.upper())
    assert f"g{position}" in finished["message"]
    assert reason in finished["message"]
    culprit = finished["results"].pop(position)
    assert (culprit["goal"], culprit["status"]) == (f"g{position}", status)
    assert reason in culprit["message"]
    assert {other["status"] for other in finished["results"]} == {"skipped"}


def test_a_command_with_a_goal_that_cannot_be_planned_exits_1(bare: Daemon) -> None:
    code, _ = send(bare, "--goals", json.dumps([folder("first"), UNKNOWN_VERB, folder("second")]))
    assert code == 1
    assert on_disk(bare) == []


def test_of_several_goals_that_cannot_be_planned_each_has_its_own_reason(bare: Daemon) -> None:
    goals = [goal for goal, _, _ in REFUSALS.values()]
    finished = bare.connect().run("all at once", goals=goals)[-1]
    expected = [status for _, status, _ in REFUSALS.values()]
    assert [result["status"] for result in finished["results"]] == expected
    assert finished["code"] == "RULE_NOT_FOUND"
    assert on_disk(bare) == []
