"""Timers, alarms, reminders and commands for later: kept on disk, each firing once."""

import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.daemon import Daemon, Event, Wire, launched, running_daemon

WITHOUT_BROWSER = '[browser]\nmode = "off"\n'
ASKING = f'{WITHOUT_BROWSER}[approval]\nask = ["delete"]\n'
KILLS, FIRINGS = 4, 24


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running_daemon(tmp_path_factory.mktemp("later"), settings=ASKING) as running:
        yield running


def say(wire: Wire, name: str, text: str, session: str = "") -> Event:
    return wire.run(name, text=text, session=session or name)[-1]


def entries(wire: Wire, name: str, text: str = "what is scheduled?") -> list[Event]:
    finished = say(wire, name, text)
    assert finished["status"] == "success", finished
    output = finished["results"][0]["output"]
    assert isinstance(output, list)
    return output


def fired(daemon: Daemon, schedule: str) -> Event:
    """Wait until the log says that an entry has fired."""
    return daemon.wait_for("schedule.fired", schedule=schedule)


def test_a_timer_rings_once_and_is_gone(daemon: Daemon) -> None:
    wire = daemon.connect()
    finished = say(wire, "t1", "set a timer for 1 second called tea")
    (result,) = finished["results"]
    assert result["output"]["name"] == "tea"
    rung = fired(daemon, result["output"]["id"])
    assert rung["late"] < 60
    ended = daemon.wait_for("command.finished", command_id=rung["fired_command"])
    assert ended["status"] == "success"
    assert not [each for each in entries(wire, "t1.list") if each.get("name") == "tea"]


def test_a_command_for_later_is_carried_out_when_its_time_has_come(daemon: Daemon) -> None:
    wire = daemon.connect()
    finished = say(wire, "c1", "in 1 second create a file later.txt")
    assert finished["status"] == "success"
    assert not (daemon.root / "later.txt").exists()
    rung = fired(daemon, finished["results"][0]["output"]["id"])
    daemon.wait_for("command.finished", command_id=rung["fired_command"])
    assert (daemon.root / "later.txt").exists()


def test_a_command_for_later_that_cannot_be_planned_is_refused_at_once(daemon: Daemon) -> None:
    wire = daemon.connect()
    before = entries(wire, "r1.before")
    refused = say(wire, "r1", "tomorrow at 8 create a folder x on drive Q")
    assert (refused["status"], refused["code"]) == ("failed", "BLOCKED")
    assert len(entries(wire, "r1.after")) == len(before)


def test_words_for_later_that_nobody_understands_are_refused(daemon: Daemon) -> None:
    refused = say(daemon.connect(), "n1", "tomorrow at 8 frobnicate the zork")
    assert (refused["status"], refused["code"]) == ("failed", "NOT_UNDERSTOOD")


def test_a_day_without_a_time_is_refused_with_what_would_work(daemon: Daemon) -> None:
    refused = say(daemon.connect(), "d1", "set an alarm for tomorrow")
    assert (refused["status"], refused["code"]) == ("failed", "NOT_UNDERSTOOD")
    assert any("alarm" in each for each in refused["suggestions"])


def test_a_deletion_for_later_is_approved_when_it_is_said_and_not_asked_again(
    daemon: Daemon,
) -> None:
    (daemon.root / "old.txt").write_text("old\n")
    wire = daemon.connect()
    wire.send({"type": "submit", "id": "a1", "text": "in 1 second delete old.txt", "session": "a"})
    asked = wire.read_until(type="approval_needed")[-1]
    assert asked["kind"] == "delete"
    assert (daemon.root / "old.txt").exists()
    wire.send({"type": "approve", "id": "a1.yes", "approval": asked["approval"], "allow": True})
    finished = wire.read_until(type="finished")[-1]
    assert finished["status"] == "success", finished
    rung = fired(daemon, finished["results"][0]["output"]["id"])
    ended = daemon.wait_for("command.finished", command_id=rung["fired_command"])
    assert ended["status"] == "success"
    assert not (daemon.root / "old.txt").exists()


def test_a_deletion_for_later_that_is_denied_is_not_kept(daemon: Daemon) -> None:
    (daemon.root / "safe.txt").write_text("old\n")
    wire = daemon.connect()
    wire.send({"type": "submit", "id": "a2", "text": "every day at 3 delete safe.txt"})
    asked = wire.read_until(type="approval_needed")[-1]
    wire.send({"type": "approve", "id": "a2.no", "approval": asked["approval"], "allow": False})
    finished = wire.read_until(type="finished")[-1]
    assert finished["code"] == "NOT_APPROVED"
    assert not [each for each in entries(wire, "a2.list") if "safe.txt" in each.get("text", "")]


@pytest.mark.parametrize("stated", ["delete", "delete,pay"])
def test_a_client_cannot_state_what_was_approved(daemon: Daemon, stated: str) -> None:
    goal = {
        "domain": "schedule",
        "verb": "command",
        "params": {"at": "in 1 hour", "command": "create a file mine.txt", "approves": stated},
    }
    wire = daemon.connect()
    count = len(entries(wire, f"before {stated}"))
    finished = wire.run(f"stated {stated}", goals=[goal])[-1]
    assert finished["status"] == "failed", finished
    assert len(entries(wire, f"after {stated}")) == count


def test_what_rings_cannot_be_stated_by_a_client(daemon: Daemon) -> None:
    goal = {"domain": "schedule", "verb": "ring", "params": {"text": "hello"}}
    finished = daemon.connect().run("ring1", goals=[goal])[-1]
    assert finished["status"] == "failed"
    assert finished["code"] in {"NOT_ALLOWED", "BLOCKED"}


def test_a_plan_of_a_command_for_later_keeps_nothing(daemon: Daemon) -> None:
    wire = daemon.connect()
    count = len(entries(wire, "p1.before"))
    planned = wire.run("p1", text="every weekday at 8 create a file p.txt", mode="plan")[-1]
    assert planned["status"] == "success"
    assert len(entries(wire, "p1.after")) == count


def test_a_timer_is_paused_prolonged_resumed_and_taken_back(daemon: Daemon) -> None:
    wire = daemon.connect()
    say(wire, "z1", "set a timer for 1 hour called roast", "z")
    say(wire, "z2", "pause the roast timer", "z")
    (paused,) = entries(wire, "z3", "how long is left on the roast timer?")
    assert paused["state"] == "paused"
    assert say(wire, "z4", "add 30 minutes to the roast timer", "z")["status"] == "success"
    (longer,) = entries(wire, "z5", "how long is left on the roast timer?")
    assert longer["left"] == pytest.approx(paused["left"] + 1800, abs=2)
    assert say(wire, "z6", "undo", "z")["status"] == "success"
    (back,) = entries(wire, "z7", "how long is left on the roast timer?")
    assert back["left"] == pytest.approx(paused["left"], abs=2)
    assert say(wire, "z8", "cancel the roast timer", "z")["status"] == "success"
    gone = say(wire, "z9", "how long is left on the roast timer?")
    assert gone["code"] == "TARGET_NOT_FOUND"


def test_two_timers_are_never_taken_for_one_another(daemon: Daemon) -> None:
    wire = daemon.connect()
    say(wire, "w1", "set a timer for 50 minutes", "w")
    say(wire, "w2", "set a timer for 70 minutes", "w")
    unclear = say(wire, "w3", "cancel the timer", "w")
    assert unclear["code"] == "AMBIGUOUS_TARGET"
    assert say(wire, "w4", "cancel the 50 minute timer", "w")["status"] == "success"
    (left,) = [each for each in entries(wire, "w5", "my timers") if each["said"] == "70 minutes"]
    assert left
    say(wire, "w6", "cancel all timers", "w")


def test_a_reminder_that_speaks_of_a_password_is_kept_nowhere(daemon: Daemon) -> None:
    wire = daemon.connect()
    finished = say(wire, "s1", "remind me that the password is hunter22 tomorrow at 9")
    assert finished["status"] == "failed", finished
    for path in (daemon.root.parent / "state").rglob("*"):
        assert not path.is_file() or b"hunter22" not in path.read_bytes(), path


def test_what_is_due_around_kills_happens_once_and_nothing_is_lost(tmp_path: Path) -> None:
    lines = [f"line-{number}." for number in range(FIRINGS)]
    kept: dict[str, str] = {}
    for life in range(KILLS):
        daemon = launched(tmp_path, settings=WITHOUT_BROWSER)
        (daemon.root / "log.txt").touch()
        wire = daemon.connect()
        for number in range(life * FIRINGS // KILLS, (life + 1) * FIRINGS // KILLS):
            seconds = 1 + number % 3
            text = f'in {seconds} seconds append "{lines[number]}" to log.txt'
            finished = say(wire, f"k{number}", text, "default")
            kept[finished["results"][0]["output"]["id"]] = lines[number]
        daemon.wait_for("schedule.fired")  # some have fired, some are under way, some wait
        assert daemon.stop(signal.SIGKILL) == -signal.SIGKILL
    with running_daemon(tmp_path, settings=WITHOUT_BROWSER) as last:
        wire = last.connect()
        for attempt in count():
            if not entries(wire, f"left-{attempt}"):
                break
        say(wire, "after-all", "create a file end.txt", "default")  # behind all that has fired
        written = (last.root / "log.txt").read_text()
    assert sorted(kept.values()) == sorted(lines)
    assert [written.count(line) for line in lines] == [1] * FIRINGS
