"""A whole machine for chores: a daemon, and the real services that it speaks to.

What the services hold is asked of themselves, never of the daemon; only its own schedules and lists
are told by it.
"""

import os
import subprocess
import wave
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from tests.bus_service import BusService, serving
from tests.chores.chore import Chore
from tests.chores.trees import clear_folder, plant
from tests.daemon import PATIENCE, Daemon, Event, Wire, running_daemon
from tests.display import Display, running_display
from tests.session_bus import RunningBus, running_bus, running_program
from tests.sound import Sound, running_sound
from tests.test_desktop_login import ACTIONS, login_service
from tools.dbus import Remote
from tools.media import PATH, PLAYER, PREFIX
from tools.notifications import SERVICE

SETTINGS = '[browser]\nmode = "off"\n[approval]\nby = "anyone"\n'
TRIES = 2_000
SECONDS, RATE = 60, 8_000
TRACKS = ("first", "second", "third")
MICROPHONE = "desk_microphone"
CLIPBOARD = ["xclip", "-selection", "clipboard"]
PROPERTIES = "org.freedesktop.DBus.Properties"

State = dict[str, Any]


@dataclass
class Outcome:
    """How a command ended, and what it asked on the way."""

    status: str
    code: str = ""
    message: str = ""
    outputs: list[Any] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    approvals: list[str] = field(default_factory=list)

    @property
    def is_success(self) -> bool:
        return self.status == "success"


@dataclass
class Machine:
    """The daemon and its surroundings; its services are put back before each chore."""

    folder: Path
    daemon: Daemon
    bus: RunningBus
    sound: Sound
    display: Display
    login: BusService
    wire: Wire
    player: ExitStack = field(default_factory=ExitStack)
    service: str = ""
    state: State = field(default_factory=dict)
    shown: int = 0

    # Speaking to the daemon

    def carry_out(self, session: str, *, allow: bool, **command: object) -> Outcome:
        """Submit a command and hear it to its end; questions are not answered."""
        name = os.urandom(8).hex()
        self.wire.submit(name, session=session, **command)
        outcome = Outcome("")
        while not outcome.status:
            self.take_event(outcome, self.wire.read(), name, allow=allow)
        return outcome

    def take_event(self, outcome: Outcome, event: Event, name: str, *, allow: bool) -> None:
        kind = event["type"]
        if kind == "error":
            outcome.status, outcome.code = "refused", event["code"]
            outcome.message = event["message"]
        elif event.get("command") != name:
            return
        elif kind == "question":
            outcome.questions.append(event["message"])
            self.wire.send({"type": "cancel", "id": os.urandom(4).hex(), "command": name})
        elif kind == "approval_needed":
            outcome.approvals.append(event["description"])
            ruling = {"type": "approve", "approval": event["approval"], "allow": allow}
            self.wire.send({"id": os.urandom(4).hex(), **ruling})
        elif kind == "finished":
            outcome.status, outcome.code = event["status"], event["code"] or ""
            outcome.message = event["message"] or ""
            outcome.outputs = [result["output"] for result in event["results"]]

    def goal(self, domain: str, verb: str, **params: object) -> Outcome:
        """Have one goal carried out behind the chore's back."""
        goal = {"domain": domain, "verb": verb, "params": params}
        return self.carry_out("behind", allow=True, goals=[goal])

    # What there is

    def schedules(self) -> list[Event]:
        (entries,) = self.goal("schedule", "list", kind="any").outputs
        # What is left of a time is less each time one asks.
        return [
            {key: value for key, value in entry.items() if key != "left"} for entry in entries or ()
        ]

    def lists(self) -> dict[str, tuple[str, ...]]:
        (names,) = self.goal("list", "lists").outputs
        shown = {name: self.goal("list", "show", list=name) for name in names["lists"]}
        return {name: tuple(shown[name].outputs[0]["entries"]) for name in shown}

    def clipboard(self) -> str:
        ended = subprocess.run(
            [*CLIPBOARD, "-out"],
            env=self.display.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        return ended.stdout

    def property_of_player(self, name: str) -> str:
        remote = Remote(self.service, PATH, PROPERTIES)
        return self.bus.call(remote, "Get", f"string:{PLAYER}", f"string:{name}")

    def observe(self) -> State:
        """Ask all services how they are."""
        state: State = {
            "volume": self.sound.volume(),
            "muted": self.sound.is_muted(),
            "microphone_muted": "yes" in self.sound.pactl("get-source-mute", MICROPHONE).stdout,
            "clipboard": self.clipboard(),
            "schedules": self.schedules(),
            "lists": self.lists(),
            "power": [name for name, _ in self.login.calls if name in ACTIONS.values()],
        }
        if self.service:
            status = self.property_of_player("PlaybackStatus").split()
            described = self.property_of_player("Metadata")
            state["player"] = status[-1] if status else "Stopped"
            state["track"] = next((each for each in TRACKS if f"{each}.wav" in described), "")
        return state

    def notifications(self) -> str:
        """Give what the notification service has shown: all up to one of our own."""
        ours = os.urandom(8).hex()
        self.goal("system", "notify", text=ours)
        log = self.folder / "dunst.log"
        given_up = monotonic() + PATIENCE
        while ours not in (shown := log.read_text()):
            if monotonic() > given_up:
                raise TimeoutError(shown)
            os.sched_yield()
        return shown

    # Before a chore

    def prepare(self, chore: Chore) -> None:
        """Put files and services into the state that the chore begins with."""
        clear_folder(self.daemon.root)
        clear_folder(self.daemon.home / "data")
        plant(self.daemon.root, chore)
        for name in self.state.get("lists", ()):
            self.goal("list", "drop", list=name)
        if self.state.get("schedules"):
            self.goal("schedule", "cancel", kind="any", which="all")
        for name, items in chore.lists.items():
            for item in items:
                self.goal("list", "add", list=name, item=item)
        for entry in chore.scheduled:
            params = {key: value for key, value in entry.items() if key != "verb"}
            outcome = self.goal("schedule", entry["verb"], **params)
            assert outcome.is_success, outcome
        self.prepare_sound(chore)
        self.prepare_player(chore.machine.player)
        self.shown = len((self.folder / "dunst.log").read_text())
        self.state = self.observe()

    def prepare_sound(self, chore: Chore) -> None:
        wanted = chore.machine
        if (self.state.get("volume"), self.state.get("muted")) != (wanted.volume, wanted.muted):
            self.sound.put(wanted.volume, mute=wanted.muted)
        if self.state.get("microphone_muted", True):
            self.sound.pactl("set-source-mute", MICROPHONE, "0")
        if self.state.get("clipboard") != wanted.clipboard:
            self.put_clipboard(wanted.clipboard)

    def put_clipboard(self, text: str) -> None:
        subprocess.run(
            [*CLIPBOARD, "-in"],
            input=text.encode(),
            env=self.display.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            check=True,
        )
        # The program goes on in the background, and may take the clipboard only there.
        assert any(self.clipboard() == text for _ in range(TRIES))

    def prepare_player(self, status: str) -> None:
        """End the player of the chore before, and start one if there is to be one."""
        self.player.close()
        self.service = ""
        if not status:
            return
        command = ["mpv", "--no-video", "--no-terminal", "--ao=pulse", "--idle=yes"]
        command += ["--pause"] if status == "Paused" else []
        tracks = [str(self.folder / f"{name}.wav") for name in TRACKS]
        surroundings = {**self.bus.environment, **self.sound.environment}
        program = running_program([*command, *tracks], self.folder, surroundings)
        process = self.player.enter_context(program)
        self.bus.wait_for_name(f"{PREFIX}mpv", process)
        self.service = f"{PREFIX}mpv"
        assert any("length" in self.property_of_player("Metadata") for _ in range(TRIES))
        assert any(status in self.property_of_player("PlaybackStatus") for _ in range(TRIES))


def record_tracks(folder: Path) -> None:
    """Write three tracks of silence."""
    for name in TRACKS:
        with wave.open(str(folder / f"{name}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(1)
            file.setframerate(RATE)
            file.writeframes(bytes([128]) * RATE * SECONDS)


@contextmanager
def running_machine(folder: Path) -> Iterator[Machine]:
    """Start everything, and end it with the block."""
    record_tracks(folder)
    (folder / "outside").mkdir()
    (folder / "outside" / "private.txt").write_text("not to be touched")
    with (
        running_bus(folder / "bus") as bus,
        running_bus(folder / "system", "system") as system,
        serving(system, login_service()) as login,
        running_sound(folder / "pulse") as sound,
        running_display(folder) as display,
        running_program(
            ["dunst", "-print"], folder, {**bus.environment, **display.environment}
        ) as shown,
    ):
        bus.wait_for_name(SERVICE.service, shown)
        sound.pactl("load-module", "module-null-source", f"source_name={MICROPHONE}")
        sound.pactl("set-default-source", MICROPHONE)
        surroundings = {**bus.environment, **system.environment, **sound.environment}
        surroundings["DISPLAY"] = display.name
        with running_daemon(folder, settings=SETTINGS, environment=surroundings) as daemon:
            (daemon.home / "data").mkdir(exist_ok=True)
            machine = Machine(folder, daemon, bus, sound, display, login, daemon.connect())
            with machine.player:
                yield machine
