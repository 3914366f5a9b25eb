"""The volume, in words, through the real daemon, on a real PulseAudio."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.daemon import Daemon, Event, running_daemon
from tests.sound import Sound, running_sound


@dataclass(frozen=True)
class Room:
    """A daemon and the sound server it speaks to."""

    daemon: Daemon
    sound: Sound

    def say(self, text: str) -> list[Event]:
        """Say something to the daemon and give all events."""
        wire = self.daemon.connect()
        return wire.run(os.urandom(4).hex(), text=text)

    def result(self, text: str) -> Event:
        """Say something and give the last goal's result."""
        result: Event = self.say(text)[-1]["results"][-1]
        return result


@pytest.fixture(scope="module")
def shared_room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    folder = tmp_path_factory.mktemp("sound")
    with (
        running_sound(folder / "pulse") as sound,
        running_daemon(folder, environment=sound.environment) as daemon,
    ):
        yield Room(daemon, sound)


@pytest.fixture
def room(shared_room: Room) -> Room:
    """The shared room, at half volume."""
    shared_room.sound.put(50)
    return shared_room


def test_muting_is_seen_on_the_server(room: Room) -> None:
    result = room.result("mute the volume")
    assert room.sound.is_muted()
    assert result["status"] == "success"
    assert result["verified"] is True
    assert result["output"] == {"muted": True}


def test_unmuting_is_seen_on_the_server(room: Room) -> None:
    room.sound.put(50, mute=True)
    result = room.result("unmute the volume")
    assert not room.sound.is_muted()
    assert result["verified"] is True


def test_muting_twice_is_still_muted(room: Room) -> None:
    assert room.result("mute the volume")["status"] == "success"
    assert room.result("mute the volume")["status"] == "success"
    assert room.sound.is_muted()


@pytest.mark.parametrize("level", [0, 1, 30, 100, 150])
def test_the_volume_is_set_to_what_was_said(room: Room, level: int) -> None:
    result = room.result(f"set the volume to {level}%")
    assert room.sound.volume() == level
    assert result["verified"] is True
    assert result["output"] == {"volume": level, "former": 50}


@pytest.mark.parametrize(
    ("text", "volume"),
    [
        ("raise the volume by 20%", 70),
        ("raise the volume", 60),
        ("lower the volume by 20%", 30),
        ("lower the volume", 40),
    ],
)
def test_the_volume_moves_by_a_step(room: Room, text: str, volume: int) -> None:
    result = room.result(text)
    assert room.sound.volume() == volume
    assert result["verified"] is True
    assert result["output"] == {"volume": volume, "former": 50}


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [("raise the volume by 20%", 145, 150), ("lower the volume by 20%", 5, 0)],
)
def test_a_step_stops_at_the_limits(room: Room, text: str, before: int, after: int) -> None:
    room.sound.put(before)
    assert room.result(text)["verified"] is True
    assert room.sound.volume() == after


def test_a_level_past_the_limit_is_refused_and_nothing_is_heard(room: Room) -> None:
    result = room.result("set the volume to 151%")
    assert result["status"] == "blocked"
    assert room.sound.volume() == 50


def test_goals_on_the_volume_run_in_the_order_they_were_said(room: Room) -> None:
    events = room.say("set the volume to 20%, raise the volume by 15% and mute the volume")
    assert events[-1]["status"] == "success"
    assert room.sound.volume() == 35
    assert room.sound.is_muted()


def test_a_server_that_is_gone_is_tried_again_and_then_named(room: Room) -> None:
    room.sound.stop()
    try:
        events = room.say("mute the volume")
        result = events[-1]["results"][0]
        assert events[-1]["status"] == "failed"
        assert result["code"] == "UNAVAILABLE"
        assert "pactl" in result["message"]
        assert [event["attempt"] for event in events if event["type"] == "action_started"] == [
            1,
            2,
            3,
        ]
    finally:
        room.sound.start()


def test_what_is_not_safe_to_repeat_is_not_tried_again(room: Room) -> None:
    room.sound.stop()
    try:
        events = room.say("raise the volume")
        assert events[-1]["results"][0]["code"] == "UNAVAILABLE"
        assert len([event for event in events if event["type"] == "action_started"]) == 1
    finally:
        room.sound.start()


def test_a_server_that_came_back_is_used_again(room: Room) -> None:
    room.sound.stop()
    room.sound.start()
    assert room.result("set the volume to 40%")["verified"] is True
    assert room.sound.volume() == 40


def test_the_language_of_the_desktop_does_not_matter(room: Room, tmp_path: Path) -> None:
    german = {**room.sound.environment, "LC_ALL": "C.UTF-8", "LANGUAGE": "de"}
    with running_daemon(tmp_path, environment=german) as daemon:
        there = Room(daemon, room.sound)
        assert there.result("mute the volume")["verified"] is True
        assert there.result("unmute the volume")["verified"] is True


def test_without_pactl_there_is_no_capability(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    with running_daemon(tmp_path, environment={"PATH": str(tmp_path / "bin")}) as daemon:
        finished = daemon.connect().run("c", text="create a folder a and mute the volume")[-1]
    assert finished["status"] == "failed"
    assert finished["results"][1]["status"] == "no_capability"
    assert not (daemon.root / "a").exists()
