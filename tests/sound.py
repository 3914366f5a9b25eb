"""A real PulseAudio with one silent output, for the length of a ``with`` block.

It speaks on a socket in a folder of its own, so that nobody's loudspeakers are touched.
"""

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 30.0
TRIES = 2_000
SINK = "silent"


@dataclass
class Sound:
    """A sound server that can be asked, set, stopped and started again."""

    folder: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> Mapping[str, str]:
        """What a program needs to know to find this server."""
        return {"PULSE_SERVER": f"unix:{self.folder / 'pulse.sock'}"}

    def start(self) -> None:
        """Start the server and wait until it answers."""
        (self.folder / "pulse.sock").unlink(missing_ok=True)
        command = ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1"]
        command += ["--use-pid-file=no", "--disable-shm=yes", "--realtime=no", "--high-priority=no"]
        command += ["--load", f"module-null-sink sink_name={SINK}", "--load"]
        command += [f"module-native-protocol-unix auth-anonymous=1 socket={self.folder}/pulse.sock"]
        surroundings = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "XDG_RUNTIME_DIR": str(self.folder),
        }
        with (self.folder / "pulse.log").open("wb") as log:
            self.process = subprocess.Popen(command, env=surroundings, stdout=log, stderr=log)
        for _ in range(TRIES):
            if self.pactl("info").returncode == 0:
                return
            if self.process.poll() is not None:
                break
        self.stop()
        raise RuntimeError((self.folder / "pulse.log").read_text())

    def stop(self) -> None:
        """End the server."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(PATIENCE)
            self.process = None

    def pactl(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Speak to the server as any program would."""
        surroundings = {"PATH": os.environ["PATH"], "HOME": str(self.folder), **self.environment}
        return subprocess.run(
            ["pactl", *arguments],
            env={**surroundings, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def is_muted(self) -> bool:
        return "yes" in self.pactl("get-sink-mute", SINK).stdout

    def volume(self) -> int:
        """Give the volume in percent."""
        found = re.search(r"(\d+)%", self.pactl("get-sink-volume", SINK).stdout)
        assert found is not None
        return int(found[1])

    def put(self, volume: int, *, mute: bool = False) -> None:
        """Set the volume behind the daemon's back."""
        self.pactl("set-sink-volume", SINK, f"{volume}%")
        self.pactl("set-sink-mute", SINK, str(int(mute)))


@contextmanager
def running_sound(folder: Path) -> Iterator[Sound]:
    """Start a sound server that lives in ``folder``."""
    folder.mkdir(exist_ok=True)
    sound = Sound(folder)
    sound.start()
    try:
        yield sound
    finally:
        sound.stop()
