"""The screen: a picture of it, and how bright it is."""

import os
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

import anyio.to_thread

from messages.executing import Done, Outcome, Refused
from messages.goals import GoalDraft
from messages.results import Code
from tools.dbus import Connection, has_bus, on_bus
from tools.files import undoing
from tools.files.digests import digest_of_content
from tools.files.primitives import put_whole
from tools.files.roots import Roots
from tools.files.threads import in_thread
from tools.login import NO_LOGIND, own_session
from tools.programs import installed, output_of
from tools.tool import AnyTool, Params, Tool

PNG = b"\x89PNG\r\n\x1a\n"
# Programs that take a picture of the whole screen, by the kind of session that they work in; the
# name of the file comes last.
PROGRAMS = {
    "wayland": (
        ("grim",),
        ("gnome-screenshot", "-f"),
        ("spectacle", "-b", "-n", "-o"),
    ),
    "x11": (
        ("scrot", "-o"),
        ("maim",),
        ("gnome-screenshot", "-f"),
        ("spectacle", "-b", "-n", "-o"),
        ("import", "-window", "root"),
    ),
}
SHOT_HINT = (
    "install scrot, maim or ImageMagick (X11), grim (Wayland), gnome-screenshot or spectacle, "
    "and run the daemon in a desktop session"
)
MOST_NAMES = 1_000
BACKLIGHTS = Path("/sys/class/backlight")
LIGHT_HINT = "no screen with a backlight was found"
# As the kernel says: what the firmware offers is better than what the raw device does.
PREFERENCE = ("firmware", "platform", "raw")
BRIGHTEST = 100


P = TypeVar("P", bound=Params)


class Nothing(Params, frozen=True):
    """No parameters."""


class Level(Params, frozen=True):
    level: int


class Step(Params, frozen=True):
    step: int


def session_kind() -> str | None:
    """Tell what kind of desktop session this is; None where there is none."""
    if os.environ.get("WAYLAND_DISPLAY"):
        return "wayland"
    return "x11" if os.environ.get("DISPLAY") else None


# Pictures


def shot_program() -> tuple[str, ...] | None:
    """Find a program that takes pictures in this session."""
    programs = PROGRAMS.get(session_kind() or "", ())
    return next((program for program in programs if installed(program[0])), None)


@dataclass(frozen=True, slots=True)
class Screenshots:
    """Takes pictures of the screen and keeps them in a folder of a root."""

    roots: Roots
    folder: str

    async def take(self, _params: Nothing) -> Outcome:
        program = shot_program()
        if program is None:
            return Refused(Code.NO_CAPABILITY, SHOT_HINT)
        with tempfile.TemporaryDirectory(prefix="behest-screen-") as scratch:
            picture = Path(scratch) / "screen.png"
            answer = await output_of([*program, str(picture)])
            if isinstance(answer, Refused):
                return answer
            return await in_thread(partial(self.keep, picture))

    def keep(self, picture: Path) -> Outcome:
        """Put a picture into the folder, under a name that nothing has."""
        content = picture.read_bytes() if picture.is_file() else b""
        if not content.startswith(PNG):
            return Refused(Code.EFFECT_MISSING, "no picture of the screen came")
        moment = datetime.now().astimezone().strftime("%Y-%m-%d %H-%M-%S")
        for number in range(1, MOST_NAMES):
            more = f" ({number})" if number > 1 else ""
            with self.roots.spot(f"{self.folder}/Screenshot {moment}{more}.png") as spot:
                if not spot.exists():
                    put_whole(spot, content, replace=False)
                    undo = undoing.to_discard(spot.path, digest_of_content(content))
                    return Done({"path": spot.path, "size": len(content)}, undo=undo)
        return Refused(Code.ALREADY_EXISTS, f"too many screenshots in {self.folder}")

    async def is_kept(self, _params: Nothing, done: Done) -> bool:
        output = done.output
        path = output["path"] if isinstance(output, dict) else ""
        return await anyio.to_thread.run_sync(os.path.isfile, path)


# Light


@dataclass(frozen=True, slots=True)
class Backlight:
    """The light of a built-in screen: read from the kernel, set there or by the login service."""

    folder: Path = BACKLIGHTS

    def device(self) -> Path | None:
        """Find the light; of several, the one that the kernel prefers."""
        if not self.folder.is_dir():
            return None
        devices = sorted(self.folder.iterdir(), key=lambda path: (rank_of(path), path.name))
        return devices[0] if devices else None

    def is_here(self) -> bool:
        return self.device() is not None

    async def set_to(self, level: int) -> Outcome:
        """Set the brightness in percent; at 0 a screen is as dark as it can be, and not off."""
        device = self.device()
        if device is None:
            return Refused(Code.NO_CAPABILITY, LIGHT_HINT)
        try:
            former = percent_of(device)
            refused = await write_light(device, raw_of(device, level))
        except OSError as error:
            return Refused(Code.IO_FAILED, f"{device.name}: {error.strerror}")
        if refused is not None:
            return refused
        undo = (GoalDraft("system", "brightness", {"level": former}),)
        said = {"brightness": level, "former": former}
        return Done(said, undo=undo if former != level else (), changed=former != level)

    async def change_by(self, step: int) -> Outcome:
        device = self.device()
        if device is None:
            return Refused(Code.NO_CAPABILITY, LIGHT_HINT)
        return await self.set_to(max(0, min(BRIGHTEST, percent_of(device) + step)))

    async def is_as_told(self, _params: Params, done: Done) -> bool | None:
        device, output = self.device(), done.output
        if device is None or not isinstance(output, dict):
            return None
        return number_in(device / "brightness") == raw_of(device, output["brightness"])


def rank_of(device: Path) -> int:
    kind = (device / "type").read_text().strip() if (device / "type").is_file() else ""
    return PREFERENCE.index(kind) if kind in PREFERENCE else len(PREFERENCE)


def number_in(file: Path) -> int:
    return int(file.read_text())


def percent_of(device: Path) -> int:
    return round(number_in(device / "brightness") * 100 / number_in(device / "max_brightness"))


def raw_of(device: Path, level: int) -> int:
    """Give what the kernel calls a level; never 0, which switches some screens off."""
    return max(1, round(level * number_in(device / "max_brightness") / 100))


async def write_light(device: Path, raw: int) -> Refused | None:
    """Write to the kernel where that is allowed, else have the login service do so."""
    file = device / "brightness"
    if os.access(file, os.W_OK):
        file.write_text(f"{raw}\n")
        return None

    async def by_login(bus: Connection) -> Refused | None:
        session = await own_session(bus)
        if isinstance(session, Refused):
            return session
        await bus.call(session, "SetBrightness", "ssu", ("backlight", device.name, raw))
        return None

    if not has_bus("system"):
        return Refused(Code.NOT_ALLOWED, f"{file} may not be written by you")
    return await on_bus("system", by_login, NO_LOGIND)


def display_tools(roots: Roots, folder: str, light: Backlight) -> tuple[AnyTool, ...]:
    """Declare the tools for the screen; pictures are kept in the folder."""
    shots = Screenshots(roots, folder)

    def shine(verb: str, params: type[P], act: Callable[[P], Awaitable[Outcome]]) -> AnyTool:
        return Tool(
            name=f"backlight.{verb}",
            intent="screen_control",
            achieves=frozenset({f"system_{verb}"}),
            params=params,
            act=act,
            check=light.is_as_told,
            is_available=light.is_here,
            hint=LIGHT_HINT,
        )

    return (
        Tool(
            name="desktop.screenshot",
            intent="screen_control",
            achieves=frozenset({"system_screenshot"}),
            params=Nothing,
            act=shots.take,
            check=shots.is_kept,
            is_available=lambda: shot_program() is not None,
            hint=SHOT_HINT,
        ),
        shine("brightness", Level, lambda p: light.set_to(p.level)),
        shine("brighter", Step, lambda p: light.change_by(p.step)),
        shine("dimmer", Step, lambda p: light.change_by(-p.step)),
    )
