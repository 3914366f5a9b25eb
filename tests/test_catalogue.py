"""What is kept for later is told on the wire: what is due, and which recipes were taught."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon import Daemon, running_daemon


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running_daemon(tmp_path_factory.mktemp("kept")) as running:
        yield running


def test_what_is_due_is_listed_in_its_order_and_what_is_paused_last(daemon: Daemon) -> None:
    wire = daemon.connect()
    wire.run("late", text="set a timer for 3 hours called bread")
    wire.run("soon", text="remind me to call Ann in 2 hours")
    wire.run("held", text="set a timer for 1 hour called tea")
    wire.run("pause", text="pause the tea timer")
    reply = wire.ask(type="schedules", id="s1")
    assert (reply["type"], reply["id"]) == ("schedule_list", "s1")
    entries = reply["entries"]
    assert [(each["name"] or each["text"]) for each in entries] == ["call Ann", "bread", "tea"]
    assert [each["state"] for each in entries] == ["active", "active", "paused"]
    assert entries[2]["due"] is None
    assert 0 < entries[2]["left"] <= 3600
    assert 0 < entries[0]["left"] <= 7200
    assert entries[0]["session"] == "default"


def test_taught_recipes_are_listed_with_what_is_wrong_with_their_files(daemon: Daemon) -> None:
    wire = daemon.connect()
    wire.run("record", goals=[{"domain": "recipes", "verb": "record", "params": {"name": "order"}}])
    wire.run("made", text="create a folder orders")
    wire.run("stop", goals=[{"domain": "recipes", "verb": "stop", "params": {}}])
    folder = daemon.socket.parent / "state" / "recipes"
    (folder / "broken.toml").write_text("name = ")
    reply = wire.ask(type="recipes", id="r1")
    assert (reply["type"], reply["id"]) == ("recipe_list", "r1")
    broken, order = reply["recipes"]
    assert broken["name"] == "broken.toml"
    assert broken["problem"]
    assert (order["name"], order["steps"], order["say"]) == ("order", 1, "do the order")
    assert order["problem"] == ""


def test_asking_for_lists_makes_no_command(daemon: Daemon) -> None:
    wire = daemon.connect()
    before = wire.ask(type="history", id="h1")["commands"]
    wire.ask(type="schedules", id="s2")
    wire.ask(type="recipes", id="r2")
    assert wire.ask(type="history", id="h2")["commands"] == before


def test_a_gateway_of_a_cluster_says_that_it_has_neither(tmp_path: Path) -> None:
    with running_daemon(tmp_path, arguments=("--bus", "embedded")) as member:
        wire = member.connect()
        for kind in ("schedules", "recipes"):
            reply = wire.ask(type=kind, id="x")
            assert (reply["type"], reply["code"]) == ("error", "NO_CAPABILITY")
