"""Media players, as submitted goals: real ones, that play into a silent output."""

import os
import subprocess
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.bus_service import Answer, BusService, Typed, serving
from tests.daemon import Daemon, Event, running_daemon
from tests.session_bus import RunningBus, running_bus, running_program
from tests.sound import Sound, running_sound
from tools.dbus import Remote
from tools.media import PATH, PLAYER, PREFIX, ROOT

TRIES = 2_000
SECONDS, RATE = 60, 8_000
PROPERTIES = "org.freedesktop.DBus.Properties"


@dataclass(frozen=True)
class Music:
    """A daemon, the bus and the sound server that players are on."""

    folder: Path
    daemon: Daemon
    bus: RunningBus
    sound: Sound

    def result(self, verb: str) -> Event:
        goal = {"domain": "media", "verb": verb}
        finished = self.daemon.connect().run(os.urandom(4).hex(), goals=[goal], session="s")[-1]
        last: Event = finished["results"][-1]
        return last

    def done(self, verb: str) -> Event:
        """Do something that must work and be seen to work; give what it said."""
        result = self.result(verb)
        assert result["status"] == "success", result
        assert result["verified"] is True, result
        output: Event = result["output"]
        return output

    def property_of(self, service: str, name: str) -> str:
        """Ask a player behind the daemon's back."""
        remote = Remote(service, PATH, PROPERTIES)
        return self.bus.call(remote, "Get", f"string:{PLAYER}", f"string:{name}")

    def status(self, service: str) -> str:
        said = self.property_of(service, "PlaybackStatus")
        return said.split()[-1] if said else ""

    def wait_for(self, service: str, status: str) -> None:
        """Wait until a player has loaded its first track and says that it is so far."""
        assert any("length" in self.property_of(service, "Metadata") for _ in range(TRIES))
        assert any(self.status(service) == status for _ in range(TRIES)), self.status(service)

    @contextmanager
    def player(self, *arguments: str) -> "Iterator[str]":
        """Run a player with three tracks until the block ends; give its name on the bus."""
        environment = {**self.bus.environment, **self.sound.environment}
        command = ["mpv", "--no-video", "--no-terminal", "--ao=pulse"]
        tracks = [str(self.folder / f"{name}.wav") for name in ("first", "second", "third")]
        with running_program([*command, *arguments, *tracks], self.folder, environment) as process:
            service = self.name_of(process)
            self.wait_for(service, "Paused" if "--pause" in arguments else "Playing")
            yield service

    def name_of(self, process: "subprocess.Popen[bytes]") -> str:
        """Find the name that a player took: the plain one, or one with its number."""
        bus = Remote("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
        for _ in range(TRIES):
            for name in (f"{PREFIX}mpv", f"{PREFIX}mpv.instance{process.pid}"):
                owner = self.bus.call(bus, "GetConnectionUnixProcessID", f"string:{name}")
                if owner.endswith(f" {process.pid}"):
                    return name
        raise RuntimeError("the player has no name")


@pytest.fixture(scope="module")
def music(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Music]:
    folder = tmp_path_factory.mktemp("media")
    for name in ("first", "second", "third"):
        with wave.open(str(folder / f"{name}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(1)
            file.setframerate(RATE)
            file.writeframes(bytes([128]) * RATE * SECONDS)
    with (
        running_bus(folder / "bus") as bus,
        running_sound(folder / "pulse") as sound,
        running_daemon(folder, environment=bus.environment) as daemon,
    ):
        yield Music(folder, daemon, bus, sound)


def test_what_plays_is_told(music: Music) -> None:
    with music.player():
        told = music.done("get")
    assert (told["player"], told["status"], told["title"]) == ("mpv", "playing", "first.wav")
    assert told["length"] == SECONDS


def test_a_player_is_paused_and_plays_on(music: Music) -> None:
    with music.player() as service:
        assert music.done("pause")["status"] == "paused"
        assert music.status(service) == "Paused"
        assert music.done("play")["status"] == "playing"
        assert music.status(service) == "Playing"


def test_what_is_so_already_is_left_alone(music: Music) -> None:
    with music.player("--pause") as service:
        assert music.done("pause")["status"] == "paused"
        assert music.status(service) == "Paused"


def test_a_pause_is_undone(music: Music) -> None:
    with music.player() as service:
        music.done("pause")
        undone = music.daemon.connect().run(os.urandom(4).hex(), text="undo that", session="s")[-1]
        assert undone["status"] == "success", undone
        assert music.status(service) == "Playing"


def test_tracks_are_left_forwards_and_backwards(music: Music) -> None:
    with music.player():
        assert music.done("next")["title"] == "second.wav"
        assert music.done("next")["title"] == "third.wav"
        assert music.done("previous")["title"] == "second.wav"


def test_a_player_is_stopped(music: Music) -> None:
    with music.player("--idle=yes") as service:
        assert music.done("stop")["status"] in {"stopped", "gone"}
        assert music.status(service) in {"Stopped", ""}


def test_of_several_players_the_one_that_plays_is_meant(music: Music) -> None:
    with music.player("--pause") as silent, music.player() as loud:
        music.done("pause")
        assert music.status(loud) == "Paused"
        assert music.status(silent) == "Paused"
        music.done("play")  # none plays: the one that was used last
        assert music.status(loud) == "Playing"
        assert music.status(silent) == "Paused"


def test_of_several_that_play_none_is_touched_and_all_are_named(music: Music) -> None:
    with music.player() as one, music.player() as other:
        result = music.result("pause")
        assert result["code"] == "AMBIGUOUS_TARGET"
        assert one.removeprefix(PREFIX) in result["message"]
        assert other.removeprefix(PREFIX) in result["message"]
        assert {music.status(one), music.status(other)} == {"Playing"}


def test_a_player_that_hangs_does_not_keep_others_from_being_used(music: Music) -> None:
    with music.player() as service, serving(music.bus, BusService(f"{PREFIX}a", silent=True)):
        music.done("pause")
        assert music.status(service) == "Paused"


def pretended(name: str, **metadata: Typed) -> BusService:
    """Make a player that says that it plays, and takes note of what it is told."""
    service = BusService(f"{PREFIX}{name}")
    described = {key.replace("_", ":"): value for key, value in metadata.items()}
    playing: dict[str, Typed] = {"PlaybackStatus": ("s", "Playing")}
    playing["Metadata"] = ("a{sv}", described)

    def pause() -> Answer:
        playing["PlaybackStatus"] = ("s", "Paused")
        return "", ()

    service.properties = {(PATH, ROOT): {"Identity": ("s", name)}, (PATH, PLAYER): playing}
    service.methods = {"Pause": pause}
    return service


def test_a_browser_and_its_add_on_are_one_player(music: Music) -> None:
    browser, add_on = pretended("browser"), pretended("addon", kde_pid=("u", os.getpid()))
    with serving(music.bus, browser), serving(music.bus, add_on):
        assert music.done("pause")["player"] == "addon"
    assert browser.calls == []


def test_what_only_mirrors_a_player_is_none(music: Music) -> None:
    with serving(music.bus, pretended("real")), serving(music.bus, pretended("playerctld")):
        assert music.done("get")["player"] == "real"


def test_a_player_that_says_it_has_no_next_track_is_not_told_to_go_there(music: Music) -> None:
    player = pretended("radio")
    player.properties[PATH, PLAYER]["CanGoNext"] = ("b", False)
    with serving(music.bus, player):
        assert music.result("next")["code"] == "NOT_FEASIBLE"
    assert player.calls == []


@pytest.mark.parametrize("verb", ["play", "pause", "stop", "next", "previous", "get"])
def test_where_no_player_runs_nothing_is_claimed(music: Music, verb: str) -> None:
    result = music.result(verb)
    assert result["code"] == "TARGET_NOT_FOUND"
    assert "media player" in result["message"]


def test_a_named_song_is_no_parameter(music: Music) -> None:
    goal = {"domain": "media", "verb": "play", "params": {"song": "Yesterday"}}
    (result,) = music.daemon.connect().run("song", goals=[goal])[-1]["results"]
    assert result["status"] in {"blocked", "validation_failed"}


def test_without_a_bus_there_is_no_capability(tmp_path: Path) -> None:
    with running_daemon(tmp_path) as daemon:
        goal = {"domain": "media", "verb": "play"}
        (result,) = daemon.connect().run("c", goals=[goal])[-1]["results"]
    assert result["status"] == "no_capability"


def test_doctor_asks_for_players(music: Music) -> None:
    arguments = ("doctor", "--config", str(music.folder / "behest.toml"))
    with music.player():
        there = music.daemon.cli(*arguments).stdout.splitlines()
    gone = music.daemon.cli(*arguments).stdout.splitlines()
    assert any(line.split() == ["ok", "media", "players"] for line in there)
    assert any(line.startswith("not here media players") for line in gone)
