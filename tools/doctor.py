"""Doctor: tries what the daemon would use, and says what to do about what does not work.

Nothing is called ok that was not tried. What cannot be tried without doing it is called found. What
is merely not here is no fault; what was set and cannot work is. Every attempt has a limit in time
and leaves nothing behind in a root, in the state folder or at home.

Paths are asked about by ``os.path``, which says no where ``pathlib`` raises: names may be too long.
"""

import os
import socket
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import anyio
import msgspec

from messages import wire
from messages.executing import Refused
from messages.message import Value
from tools import windows
from tools.audio import volume
from tools.browser.finding import executable, is_found, is_headless, profile_folder
from tools.client import Client, NoDaemon, new_id
from tools.clipboard import clipboard_answers
from tools.login import login_service
from tools.media import player_names
from tools.model import LanguageModel
from tools.notifications import server_name
from tools.programs import installed
from tools.radio import radio_names
from tools.secrets import read as read_secrets
from tools.settings import BadSettings, BrowserSettings, expand, missing_root
from tools.sockets import answers
from tools.system import Get
from tools.tool import AnyTool
from tools.window_control import windows_answer
from tools.worlds import open_machine

if TYPE_CHECKING:
    from tools.cli import Serving

SECONDS = 5.0
SLOW_SECONDS = 45.0
BROWSER_MILLISECONDS = 30_000
LEGEND = "found: it is here, and was not tried, for that would do something"
# They show something to a person, which what was tried does not.
ON_SCREEN = frozenset({"files.open_file", "browser.hand_over"})
# What tools that only look are asked; those for one question each are asked that.
QUESTIONS: Mapping[str, Mapping[str, Value]] = {
    "apps.list": {"which": "running"},
    "system.top": {"by": "memory", "limit": 1},
    "time_zones.time_in": {"place": "UTC"},
    "system.weekday": {"date": "2000-01-01"},
}
# Services of the desktop, by the first part of the names of the tools that need them: what they are
# called, and how they are asked something that changes nothing.
SERVICES: Mapping[str, tuple[str, Callable[[], Awaitable[object]]]] = {
    "notifications": ("notifications", server_name),
    "media": ("media players", player_names),
    "clipboard": ("the clipboard", clipboard_answers),
    "window": ("windows", windows_answer),
    "radio": ("Wi-Fi and Bluetooth", radio_names),
    "login": ("the login service", login_service),
}
BROWSER_HINT = "install Chromium or Chrome, or run `playwright install chromium`"

Mark: TypeAlias = Literal["ok", "found", "not here", "BROKEN"]


class NotUsable(Exception):
    """Something was tried and does not work; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of looking at one thing."""

    mark: Mark
    what: str
    advice: str = ""

    def __str__(self) -> str:
        advice = " ".join(self.advice.split())
        return f"{self.mark:<8} {self.what}{': ' if advice else ''}{advice}"


def examine(serving: "Serving") -> bool:
    """Print what was found; tell whether everything that was set can work."""
    marks: set[Mark] = set()
    for finding in look(serving):
        print(finding, flush=True)
        marks.add(finding.mark)
    if "found" in marks:
        print(LEGEND)
    return "BROKEN" not in marks


def look(serving: "Serving") -> Iterator[Finding]:
    """Try everything that the daemon needs or can use."""
    yield Finding("ok", f"Python {sys.version.partition(' ')[0]}")
    yield from look_at_daemon(serving)
    yield from look_at_door(serving)
    roots = [look_at_root(serving, name, folder) for name, folder in serving.roots.items()]
    yield from roots
    if serving.settings.secrets is not None:
        path = expand(serving.settings.secrets)
        yield attempt(f"secrets in {path}", partial(try_secrets, path), needed=True)
    yield look_at_model(serving)
    for name, command in serving.settings.apps.items():
        find = partial(find_program, command[0])
        yield attempt(f"application {name}", find, needed=True, tried=False)
    browser, sound = look_at_browser(serving.settings.browser), look_at_sound()
    yield browser
    yield sound
    yield attempt("the window in front", ask_for_window)
    services = {part: look_at_service(*service) for part, service in SERVICES.items()}
    yield from services.values()
    tried = {"browser": browser, "audio": sound, "microphone": sound, "files": roots[0]}
    tried |= services
    yield from look_at_tools(serving, tried)


def attempt(
    what: str,
    work: Callable[[], None],
    *,
    needed: bool = False,
    tried: bool = True,
    seconds: float = SECONDS,
) -> Finding:
    """Try something, for so long and no longer; what is not ``needed`` may be missing."""
    failed: Mark = "BROKEN" if needed else "not here"
    try:
        run_bounded(work, seconds)
    except NotUsable as problem:
        return Finding(failed, what, str(problem))
    except TimeoutError:
        return Finding(failed, what, f"no answer within {seconds:g} s")
    return Finding("ok" if tried else "found", what)


def run_bounded(work: Callable[[], None], seconds: float) -> None:
    """Run something in a thread that nobody waits for longer than this, not even at the end."""
    outcome: Future[None] = Future()

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - it is raised again where it is waited for
            outcome.set_exception(error)
        else:
            outcome.set_result(None)

    threading.Thread(target=run, daemon=True).start()
    outcome.result(seconds)


# The daemon and its doors


def look_at_daemon(serving: "Serving") -> Iterator[Finding]:
    """Ask the daemon, if one runs, and read what it keeps."""
    path = serving.socket
    there = answers(path)
    in_the_way = os.path.exists(path) and not path.is_socket()
    ask = partial(ask_daemon, path, there=there)
    yield attempt(f"daemon at {path}", ask, needed=there or in_the_way)
    state, journal = serving.state, serving.state / "journal.db"
    yield attempt(f"state folder {state}", partial(try_folder, state), needed=True)
    yield attempt(
        f"journal {journal}", partial(read_journal, journal), needed=os.path.exists(journal)
    )


def ask_daemon(path: Path, *, there: bool) -> None:
    """Ask the daemon how it is."""
    if os.path.exists(path) and not path.is_socket():
        raise NotUsable("this is no socket: move it away, or choose another with --socket")
    try:
        with Client(path) as daemon:
            reply = daemon.ask(wire.Status(new_id()))
    except NoDaemon:
        start = "start one with `behest serve`"
        raise NotUsable("it hangs up; see its log" if there else start) from None
    except msgspec.MsgspecError:
        raise NotUsable("what answers there is no daemon of this version") from None
    if not isinstance(reply, wire.State):
        raise NotUsable("it does not say how it is; see its log")


def try_folder(folder: Path) -> None:
    """Write into a folder or, before it is made, where it is going to be."""
    there = nearest_folder(folder)
    if not there.is_dir():
        raise NotUsable(f"{there} is no folder; choose another")
    try_writing(there)


def nearest_folder(folder: Path) -> Path:
    """Give a folder or, where it is not there yet, what is there of the way to it."""
    return next(parent for parent in (folder, *folder.parents) if os.path.exists(parent))


def try_writing(folder: Path) -> None:
    """Write a file without a name and let it go."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"behest")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise NotUsable(f"cannot write into {folder}: {error.strerror or error}") from None


def read_journal(path: Path) -> None:
    """Read what a daemon reads when it starts; the file stays as it is."""
    from tools.journal import read_through, version_of, worded  # noqa: PLC0415 - it loads much

    if not os.path.exists(path):
        raise NotUsable("`behest serve` begins one")
    log = path.with_name(f"{path.name}-wal")
    how = "mode=ro" if log.exists() else "immutable=1"  # which makes no files beside it
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?{how}", uri=True)) as connection:
            if version_of(connection):
                read_through(connection)
    except sqlite3.Error as error:
        raise NotUsable(worded(error, path)) from None


def look_at_door(serving: "Serving") -> Iterator[Finding]:
    """Try what clients over TCP need."""
    door = serving.settings.door
    if door.tls_cert is not None:
        yield attempt(f"TLS certificate {door.tls_cert}", partial(load_tls, serving), needed=True)
    if serving.tcp is not None:
        yield attempt(f"door at {serving.tcp}", partial(try_door, serving), needed=True)


def load_tls(serving: "Serving") -> None:
    from tools.door import server_tls  # noqa: PLC0415 - only where there is a door

    try:
        server_tls(serving.settings.door)
    except BadSettings as problem:
        raise NotUsable(str(problem)) from None


def try_door(serving: "Serving") -> None:
    """Read the token, and listen for a moment unless a daemon does already."""
    from tools.door import token_in, token_path  # noqa: PLC0415 - only where there is a door

    token = token_path(None, serving.settings.door, serving.state)
    try:
        if token.exists():
            token_in(token)
        if serving.tcp is not None and not answers(serving.socket):
            kind = socket.AF_INET6 if ":" in serving.tcp.host else socket.AF_INET
            at = (serving.tcp.host, serving.tcp.port)
            socket.create_server(at, family=kind).close()
    except BadSettings as problem:
        raise NotUsable(str(problem)) from None
    except OSError as error:
        raise NotUsable(f"cannot listen there: {error.strerror or error}") from None


# Files


def look_at_root(serving: "Serving", name: str, folder: Path) -> Finding:
    """Write into a root; a default one that is not there is made when serving starts."""
    wanted = name in serving.chosen_roots or name.startswith("drive:")
    made = not wanted and not os.path.exists(folder)
    what = f"root {name} = {folder}{', which `behest serve` makes' if made else ''}"
    return attempt(what, partial(try_root, name, folder, made=made), needed=True)


def try_root(name: str, folder: Path, *, made: bool) -> None:
    if not made and not os.path.isdir(folder):
        raise NotUsable(missing_root(name, folder).partition("; ")[2])
    try_folder(folder)


def try_secrets(path: Path) -> None:
    try:
        read_secrets(path)
    except OSError as error:
        raise NotUsable(error.strerror or str(error)) from None
    except ValueError as error:
        raise NotUsable(str(error)) from None


# Who understands words, and what works outside of files


def look_at_model(serving: "Serving") -> Finding:
    """Say who understands words, and whether a model that is wanted answers. No words are sent."""
    settings = serving.settings
    if settings.interpreter == "grammar" or settings.model is None:
        return Finding("ok", "words are understood by the grammar, offline")
    key = "with a key" if serving.key is not None else "without a key"
    named = f"model {settings.model.name} at {settings.model.base_url}, {key}"
    ask = partial(ask_model, LanguageModel(settings.model, serving.key))
    what = f"{named} (interpreter {settings.interpreter})"
    return attempt(what, ask, needed=True, seconds=SLOW_SECONDS)


def ask_model(model: LanguageModel) -> None:
    found = anyio.run(model.probe)
    if not found.fine:
        raise NotUsable(found.advice)


def find_program(program: str) -> None:
    if not installed(program):
        raise NotUsable(f"{program} is not found, or may not be run; install it or mend [apps]")


def look_at_browser(settings: BrowserSettings) -> Finding:
    """Start the browser, unseen, for one blank page."""
    if settings.mode == "off":
        return Finding("not here", "browser", 'it is switched off: mode = "off" in [browser]')
    where = settings.cdp_url or executable(settings) or "Playwright's own"
    wanted = bool(settings.cdp_url or settings.executable or settings.profile)
    needed = wanted or settings.mode != "auto"
    return attempt(
        f"browser {where}", partial(try_browser, settings), needed=needed, seconds=SLOW_SECONDS
    )


def try_browser(settings: BrowserSettings) -> None:
    if settings.executable and not is_found(settings):
        raise NotUsable(
            f"it is not there, or may not be run; mend executable in [browser], or {BROWSER_HINT}"
        )
    if not is_found(settings):
        raise NotUsable(BROWSER_HINT)
    on_screen = not (settings.cdp_url or is_headless(settings))
    if on_screen and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise NotUsable('there is no screen for mode = "visible"; set "headless" or "auto"')
    if settings.profile:
        try_folder(profile_folder(settings))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        anyio.run(open_blank_page, settings, folder)


def surroundings_in(folder: str) -> dict[str, str | float | bool]:
    """Let a browser that is only tried keep its things in a folder that goes away."""
    homes = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_CACHE_HOME"), folder)
    return {**os.environ, **homes, "GSETTINGS_BACKEND": "memory"}


async def open_blank_page(settings: BrowserSettings, folder: str) -> None:
    """Start a browser of our own, or attach to the one that runs; a profile is left alone."""
    from playwright.async_api import Error, async_playwright  # noqa: PLC0415 - it loads much

    from tools.browser.chromium import arguments, first_line  # noqa: PLC0415

    try:
        async with async_playwright() as playwright:
            chromium = playwright.chromium
            if settings.cdp_url:
                browser = await chromium.connect_over_cdp(
                    settings.cdp_url, timeout=BROWSER_MILLISECONDS
                )
            else:
                browser = await chromium.launch(
                    executable_path=executable(settings),
                    args=arguments(None),
                    timeout=BROWSER_MILLISECONDS,
                    env=surroundings_in(folder),
                )
                await (await browser.new_page()).goto("about:blank")
            await browser.close()  # one that was attached to is only let go
    except Error as error:
        mend = "mend `executable` in [browser]" if settings.executable else BROWSER_HINT
        hint = "is it running?" if settings.cdp_url else mend
        raise NotUsable(f"it does not start ({first_line(error)}); {hint}") from None


def look_at_sound() -> Finding:
    return attempt("sound", ask_for_volume, seconds=SLOW_SECONDS)


def ask_for_volume() -> None:
    """Ask the sound server how loud it is."""
    if not installed("pactl"):
        raise NotUsable("install pactl (pulseaudio-utils, or your system's PipeWire tools)")
    found = anyio.run(volume)
    if isinstance(found, Refused):
        raise NotUsable(f"no sound server answers ({found.message}); start PulseAudio or PipeWire")


def ask_for_window() -> None:
    if not windows.window_manager_answers():
        raise NotUsable(windows.HINT)


def look_at_service(what: str, probe: Callable[[], Awaitable[object]]) -> Finding:
    return attempt(what, partial(ask_service, probe), seconds=SLOW_SECONDS)


def ask_service(probe: Callable[[], Awaitable[object]]) -> None:
    answer = anyio.run(probe)
    if isinstance(answer, Refused):
        raise NotUsable(answer.message)


# Tools


def look_at_tools(serving: "Serving", tried: Mapping[str, Finding]) -> Iterator[Finding]:
    """Say of every tool whether it works, by what it works with; one that only looks is tried."""
    settings = serving.settings
    roots = {name: nearest_folder(folder) for name, folder in serving.roots.items()}
    for tool in open_machine(roots, settings.apps, browser=settings.browser).tools:
        yield look_at_tool(tool, tried)


def look_at_tool(tool: AnyTool, tried: Mapping[str, Finding]) -> Finding:
    what = f"tool {tool.name}"
    if not tool.available():
        return Finding("not here", what, tool.hint or "not available here")
    if tool.name in ON_SCREEN:
        return Finding("found", what)
    if (means := tried.get(tool.name.partition(".")[0])) is not None:
        return Finding(means.mark, what, "" if means.mark == "ok" else f"see {means.what} above")
    if (question := question_for(tool)) is not None:
        return attempt(what, partial(try_tool, tool, question), seconds=SLOW_SECONDS)
    return Finding("found", what)


def question_for(tool: AnyTool) -> Mapping[str, Value] | None:
    """Give what a tool that only looks can be asked; None for one that would do something."""
    if tool.intent == "system_query" and tool.params is Get:
        return {"target": tool.name.partition(".")[2]}
    return QUESTIONS.get(tool.name)


def try_tool(tool: AnyTool, question: Mapping[str, Value]) -> None:
    outcome = anyio.run(tool.perform, question)
    if isinstance(outcome, Refused):
        raise NotUsable(outcome.message)
