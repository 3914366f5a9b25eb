"""How loud it is, and the microphone: submitted goals, on a real PulseAudio."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.daemon import Daemon, Event, running_daemon
from tests.sound import Sound, running_sound

MICROPHONE = "desk_microphone"


@dataclass(frozen=True)
class Studio:
    """A daemon, the sound server it speaks to, and perhaps a microphone."""

    daemon: Daemon
    sound: Sound

    def result(self, verb: str) -> Event:
        goal = {"domain": "audio", "verb": verb}
        finished = self.daemon.connect().run(os.urandom(4).hex(), goals=[goal], session="s")[-1]
        last: Event = finished["results"][-1]
        return last

    def microphone_muted(self) -> bool:
        return "yes" in self.sound.pactl("get-source-mute", MICROPHONE).stdout

    def put_microphone(self, *, mute: bool) -> None:
        """Set the microphone behind the daemon's back."""
        self.sound.pactl("set-source-mute", MICROPHONE, str(int(mute)))


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio whose only source is what the output plays."""
    folder = tmp_path_factory.mktemp("bare")
    with (
        running_sound(folder / "pulse") as sound,
        running_daemon(folder, environment=sound.environment) as daemon,
    ):
        yield Studio(daemon, sound)


@pytest.fixture(scope="module")
def shared_studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("studio")
    with (
        running_sound(folder / "pulse") as sound,
        running_daemon(folder, environment=sound.environment) as daemon,
    ):
        sound.pactl("load-module", "module-null-source", f"source_name={MICROPHONE}")
        sound.pactl("set-default-source", MICROPHONE)
        yield Studio(daemon, sound)


@pytest.fixture
def studio(shared_studio: Studio) -> Studio:
    """The shared studio, at half volume, with a microphone that is on."""
    shared_studio.sound.put(50)
    shared_studio.put_microphone(mute=False)
    return shared_studio


@pytest.mark.parametrize("mute", [True, False])
def test_the_volume_is_told_as_the_server_has_it(studio: Studio, *, mute: bool) -> None:
    studio.sound.put(35, mute=mute)
    studio.put_microphone(mute=not mute)
    result = studio.result("get")
    assert result["verified"] is True
    assert result["output"] == {"volume": 35, "muted": mute, "microphone_muted": not mute}


def test_muting_the_microphone_leaves_the_output_alone(studio: Studio) -> None:
    result = studio.result("mute_mic")
    assert result["status"] == "success", result
    assert result["verified"] is True
    assert studio.microphone_muted()
    assert not studio.sound.is_muted()


def test_the_microphone_is_heard_again(studio: Studio) -> None:
    studio.put_microphone(mute=True)
    assert studio.result("unmute_mic")["verified"] is True
    assert not studio.microphone_muted()


def test_muting_the_microphone_is_undone(studio: Studio) -> None:
    assert studio.result("mute_mic")["status"] == "success"
    undone = studio.daemon.connect().run(os.urandom(4).hex(), text="undo that", session="s")[-1]
    assert undone["status"] == "success", undone
    assert not studio.microphone_muted()


def test_what_only_records_the_output_is_no_microphone(bare: Studio) -> None:
    assert bare.result("get")["output"]["microphone_muted"] is None
    result = bare.result("mute_mic")
    assert result["code"] == "UNAVAILABLE"
    assert "microphone" in result["message"]


@pytest.mark.parametrize("verb", ["get", "mute_mic", "unmute_mic"])
def test_a_server_that_is_gone_is_named(bare: Studio, verb: str) -> None:
    bare.sound.stop()
    try:
        result = bare.result(verb)
        assert result["code"] == "UNAVAILABLE"
        assert "pactl" in result["message"]
    finally:
        bare.sound.start()
