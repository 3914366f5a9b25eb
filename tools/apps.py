"""Applications: those with a desktop entry and those that settings list, and no others."""

import os
import shlex
import shutil
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from configparser import ConfigParser
from configparser import Error as ConfigError
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import anyio
import anyio.to_thread
import platformdirs
import psutil

from messages.executing import Done, Outcome, Refused
from messages.message import Row, Value
from messages.results import Code
from messages.worlds import Thing, World
from tools.programs import SETTLE_SECONDS, installed, output_of, start_apart
from tools.text import printable
from tools.tool import NOTHING, AnyTool, Params, Tool
from tools.windows import active_window

CLOSE_SECONDS = 5.0
KINDS = ("application", "program")
FIELD_CODES = frozenset(
    {"%f", "%F", "%u", "%U", "%i", "%c", "%k", "%d", "%D", "%n", "%N", "%v", "%m"}
)


@dataclass(frozen=True, slots=True)
class App:
    """One application: how it is called, how it is started, and what it is ("Text Editor")."""

    name: str
    command: tuple[str, ...]
    aliases: frozenset[str] = frozenset()
    does: str = ""

    @property
    def program(self) -> str:
        """The name of its process."""
        return Path(self.command[0]).name


class Named(Params, frozen=True):
    name: str


class Which(Params, frozen=True):
    which: Literal["running", "installed"]


@dataclass
class Apps:
    """Knows which applications there are, and which of them run.

    Whoever can write to ``writable`` folders must not choose programs by it: a desktop entry in one
    of them is no entry, and a program in one of them is not started.
    """

    live: frozenset[str] = frozenset({"app"})
    listed: Mapping[str, list[str]] = field(default_factory=dict)
    writable: Sequence[Path] = ()
    _started: dict[str, list[subprocess.Popen[bytes]]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def known(self) -> list[App]:
        """Give all applications, those that settings list first."""
        own = [App(name, tuple(command)) for name, command in self.listed.items() if command]
        taken = {app.name.casefold() for app in own}
        entries = [app for app in self._entries() if app.name.casefold() not in taken]
        return own + entries

    def _entries(self) -> Iterator[App]:
        return (app for path, app in desktop_entries() if not self._is_writable(path))

    def _is_writable(self, path: Path) -> bool:
        real = Path(os.path.realpath(path))
        return any(real.is_relative_to(folder) for folder in self.writable)

    def find(self, name: str) -> App | Refused:
        """Find the one application that a name means."""
        wanted = name.casefold()
        apps = self.known()
        by_name = [app for app in apps if app.name.casefold() == wanted]
        matches = by_name or [app for app in apps if wanted in app.aliases]
        match matches:
            case [app]:
                return app
            case []:
                return Refused(Code.TARGET_NOT_FOUND, f"no application {name!r} is known here")
            case several:
                commands = " or ".join(shlex.join(app.command) for app in several)
                return Refused(Code.AMBIGUOUS_TARGET, f"which {name} do you mean: {commands}?")

    def find_safe(self, name: str) -> App | Refused:
        """Find an application whose program lies where no command can write."""
        app = self.find(name)
        if isinstance(app, Refused):
            return app
        if self._is_writable(Path(shutil.which(app.command[0]) or app.command[0])):
            message = f"{app.command[0]} lies where commands can write; it is not started"
            return Refused(Code.NOT_ALLOWED, message)
        return app

    def start_with_file(self, name: str, path: str) -> "subprocess.Popen[bytes] | Refused":
        """Start an application with a file."""
        app = self.find_safe(name)
        if isinstance(app, Refused):
            return app
        try:
            return self._start(replace(app, command=(*app.command, path)))
        except OSError as error:
            return Refused(Code.UNAVAILABLE, f"{app.name} does not start: {error.strerror}")

    async def running_apps(self) -> frozenset[str]:
        """Name the applications that run, as people call them and as their processes are called."""
        return await anyio.to_thread.run_sync(self._running)

    async def active_window(self) -> str | None:
        """Give the title of the window in front; None where nobody tells."""
        return await anyio.to_thread.run_sync(active_window, abandon_on_cancel=True)

    def _running(self) -> frozenset[str]:
        self._reap()
        processes = {
            printable(process.info["name"] or "") for process in psutil.process_iter(["name"])
        }
        found = {name.casefold() for name in processes}
        for app in self.known():
            if app.program in processes or self._started.get(app.name):
                found |= {app.name.casefold(), *app.aliases}
        return frozenset(found - {""})

    def _reap(self) -> None:
        """Forget what we started and has ended whole, so that no zombies stay behind."""
        alive = {session_of(pid) for pid in psutil.pids()}
        with self._lock:
            for name, processes in self._started.items():
                self._started[name] = [
                    process
                    for process in processes
                    if process.poll() is None or process.pid in alive
                ]

    async def launch(self, params: Named) -> Outcome:
        """Start an application and see that it does not fall over at once."""
        app = await anyio.to_thread.run_sync(self.find_safe, params.name)
        if isinstance(app, Refused):
            return app
        try:
            process = await anyio.to_thread.run_sync(self._start, app)
        except OSError as error:
            return Refused(Code.UNAVAILABLE, f"{app.name} does not start: {error.strerror}")
        with anyio.CancelScope(shield=True):  # it runs already: what is reported must be true
            await anyio.sleep(SETTLE_SECONDS)
        if process.poll() not in {None, 0}:
            return Refused(Code.UNAVAILABLE, f"{app.name} ended at once, exit {process.returncode}")
        return Done({"name": app.name, "pid": process.pid, "command": list(app.command)})

    def _start(self, app: App) -> "subprocess.Popen[bytes]":
        process = start_apart(app.command)
        with self._lock:
            self._started.setdefault(app.name, []).append(process)
        return process

    async def is_up(self, params: Named, done: Done) -> bool | None:
        """See whether the application runs; one that handed over and left cannot be seen."""
        output = done.output
        pid = output.get("pid") if isinstance(output, dict) else None
        if isinstance(pid, int) and await anyio.to_thread.run_sync(is_alive, pid):
            return True
        return True if params.name.casefold() in await self.running_apps() else None

    async def close(self, params: Named) -> Outcome:
        """Ask an application that was started here to end, and wait until it has."""
        app = await anyio.to_thread.run_sync(self.find, params.name)
        if isinstance(app, Refused):
            return app
        processes = await anyio.to_thread.run_sync(self._processes_of, app)
        if not processes:
            message = f"{app.name} was not started by Behest, or has ended; nothing was closed"
            return Refused(Code.NOT_ALLOWED, message)
        return await anyio.to_thread.run_sync(self._end, app, processes)

    def _processes_of(self, app: App) -> list[psutil.Process]:
        """Find what we started for an application, with what that started: its whole session."""
        with self._lock:
            sessions = {process.pid for process in self._started.get(app.name, ())}
        return [process for process in psutil.process_iter() if session_of(process.pid) in sessions]

    def _end(self, app: App, processes: list[psutil.Process]) -> Outcome:
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        _, alive = psutil.wait_procs(processes, timeout=CLOSE_SECONDS)
        self._reap()
        if alive:
            pids = ", ".join(str(process.pid) for process in alive)
            return Refused(Code.UNAVAILABLE, f"{app.name} did not end when asked (pid {pids})")
        return Done({"name": app.name, "closed": len(processes)})

    async def is_down(self, params: Named, _done: Done) -> bool:
        app = await anyio.to_thread.run_sync(self.find, params.name)
        if isinstance(app, Refused):
            return False
        return not await anyio.to_thread.run_sync(self._processes_of, app)

    async def focus(self, params: Named) -> Outcome:
        """Bring an application's window to the front."""
        answer = await output_of(["wmctrl", "-a", params.name])
        return answer if isinstance(answer, Refused) else Done({"name": params.name})

    async def is_focused(self, _params: Named, _done: Done) -> bool | None:
        """The window manager does not tell which window is in front."""
        return None

    async def list_apps(self, params: Which) -> Outcome:
        """List applications."""
        apps = await anyio.to_thread.run_sync(self.known)
        if params.which == "running":
            running = await self.running_apps()
            apps = [app for app in apps if app.name.casefold() in running]
        apps.sort(key=lambda app: app.name.casefold())
        rows: list[Row] = [{"name": app.name, "command": list(app.command)} for app in apps]
        return Done(rows)


@dataclass(frozen=True, slots=True)
class AppScene:
    """Applications as a world: the installed ones, and those of them that run."""

    apps: Apps

    async def look(
        self,
        within: str,  # noqa: ARG002
        *,
        again: bool = False,  # noqa: ARG002
        words: str = "",  # noqa: ARG002
        args: Mapping[str, Value] = NOTHING,  # noqa: ARG002
    ) -> World:
        """List the applications; a name that two of them bear means neither."""
        running = await self.apps.running_apps()
        known = await anyio.to_thread.run_sync(self.apps.known)
        named = Counter(app.name for app in known)
        things = tuple(thing_of(app) for app in known if named[app.name] == 1)
        up = tuple(thing.id for thing in things if thing.id.casefold() in running)
        return World(things, None, {"installed": tuple(t.id for t in things), "running": up})


def thing_of(app: App) -> Thing:
    """Describe an application in the words that people have for it."""
    aliases = tuple(sorted(app.aliases))
    described = (app.does,) if app.does else ()
    return Thing(app.name, app.name, "app", (*aliases, *described), KINDS)


def session_of(pid: int) -> int | None:
    """Give the session a process belongs to; every application is started in one of its own."""
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def desktop_entries() -> Iterator[tuple[Path, App]]:
    """Read the desktop entries of this machine; a user's own hide the system's."""
    seen: set[str] = set()
    for folder in application_folders():
        for path in sorted(folder.glob("*.desktop")):
            if path.name not in seen:
                seen.add(path.name)
                if path.is_file() and (app := read_entry(path)) is not None:
                    yield path, app


def application_folders() -> list[Path]:
    data = os.environ.get("XDG_DATA_DIRS", "/usr/local/share:/usr/share").split(":")
    return [
        Path(folder) / "applications" for folder in (platformdirs.user_data_dir(), *data) if folder
    ]


def read_entry(path: Path) -> App | None:
    """Read one desktop entry; None if it is no application for people."""
    parser = ConfigParser(interpolation=None, strict=False)
    try:
        parser.read(path, encoding="utf-8")
        entry = parser["Desktop Entry"]
        words = shlex.split(entry["Exec"])
    except (ConfigError, KeyError, ValueError, OSError):
        return None
    command = tuple(word for word in words if word not in FIELD_CODES)
    hidden = entry.get("NoDisplay") == "true" or entry.get("Hidden") == "true"
    if hidden or entry.get("Type") != "Application" or not command:
        return None
    aliases = {path.stem.casefold(), Path(command[0]).name.casefold()}
    name, does = entry.get("Name", path.stem), entry.get("GenericName", "")
    return App(name, command, frozenset(aliases), does)


def app_tools(apps: Apps) -> tuple[AnyTool, ...]:
    """Declare the tools for applications."""
    return (
        Tool(
            name="apps.launch",
            intent="app_control",
            achieves=frozenset({"app_launch"}),
            params=Named,
            act=apps.launch,
            check=apps.is_up,
            effects=frozenset({"app_running:{name}"}),
        ),
        Tool(
            name="apps.close",
            intent="app_control",
            achieves=frozenset({"app_close"}),
            params=Named,
            act=apps.close,
            check=apps.is_down,
            requires=frozenset({"app_running:{name}"}),
            effects=frozenset({"app_closed:{name}"}),
        ),
        Tool(
            name="apps.focus",
            intent="app_control",
            achieves=frozenset({"app_focus"}),
            params=Named,
            act=apps.focus,
            check=apps.is_focused,
            requires=frozenset({"app_running:{name}"}),
            is_available=lambda: installed("wmctrl") and bool(os.environ.get("DISPLAY")),
            hint="install wmctrl and run the daemon in a desktop session",
        ),
        Tool(
            name="apps.list",
            intent="app_control",
            achieves=frozenset({"app_list"}),
            params=Which,
            act=apps.list_apps,
        ),
    )
