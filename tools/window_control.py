"""What is done to windows: the one in front, as the window manager of X11 lets programs do.

``xprop`` tells how windows are, ``wmctrl`` and ``xdotool`` change that. On Wayland only windows of
X11 programs can be reached so.
"""

import os
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from messages.executing import Done, Outcome, Refused
from messages.goals import GoalDraft
from messages.results import Code
from tools.programs import installed, output_of
from tools.settling import wait_until
from tools.tool import AnyTool, Params, Tool
from tools.windows import title_in

PROGRAMS = ("wmctrl", "xdotool", "xprop")
HINT = (
    "install wmctrl, xdotool and xprop (x11-utils) and run the daemon in a desktop session of X11, "
    "with a window manager"
)
WINDOW_ID = re.compile(r"0x[0-9a-f]+")
ATOM = re.compile(r"_NET_WM_STATE_(\w+)")
SHOWN = re.compile(r"_NET_SHOWING_DESKTOP\(CARDINAL\) = 1")
NO_WINDOW, DESKTOP = "0x0", "desktop"
BOTH_WAYS = {"MAXIMIZED_VERT", "MAXIMIZED_HORZ"}
NOT_FOR_PEOPLE = {"HIDDEN", "SKIP_TASKBAR"}

State = Literal["normal", "maximised", "minimised", "fullscreen", "front"]
Change = tuple[str, ...]
ADD_MAXIMISED = ("-b", "add,maximized_vert,maximized_horz")
REMOVE_MAXIMISED = ("-b", "remove,maximized_vert,maximized_horz")
ADD_FULLSCREEN, REMOVE_FULLSCREEN = ("-b", "add,fullscreen"), ("-b", "remove,fullscreen")
# What brings a window into a state, one after the other.
CHANGES: dict[State, tuple[Change, ...]] = {
    "normal": (REMOVE_FULLSCREEN, REMOVE_MAXIMISED),
    "maximised": (REMOVE_FULLSCREEN, ADD_MAXIMISED),
    "fullscreen": (ADD_FULLSCREEN,),
    "minimised": (),
    "front": (),
}


class Nothing(Params, frozen=True):
    """No parameters."""


class PutBack(Params, frozen=True):
    """A window and the state that it had; ``desktop`` stands for all of them."""

    window: str
    state: State


@dataclass(frozen=True, slots=True)
class Window:
    """A window as the window manager describes it."""

    number: str
    title: str
    atoms: frozenset[str]

    @property
    def state(self) -> State:
        if "HIDDEN" in self.atoms:
            return "minimised"
        if "FULLSCREEN" in self.atoms:
            return "fullscreen"
        return "maximised" if self.atoms >= BOTH_WAYS else "normal"


@dataclass(slots=True)
class WindowControl:
    """Changes windows, and remembers which one was minimised here last."""

    minimised: str = ""

    async def change(self, state: State) -> Outcome:
        """Bring the window in front into a state."""
        window = await front_window()
        if isinstance(window, Refused):
            return window
        outcome = await bring(window, state)
        if state == "minimised" and isinstance(outcome, Done):
            self.minimised = window.number
        return outcome

    async def restore(self, _params: Nothing) -> Outcome:
        """Undo a maximising, a minimising or a showing of the desktop."""
        if await shows_desktop():
            return await show_desktop(shown=False)
        window = await front_window()
        if isinstance(window, Window) and window.state in {"maximised", "fullscreen"}:
            return await bring(window, "normal")
        hidden = await self.hidden_window()
        return hidden if isinstance(hidden, Refused) else await bring(hidden, "normal")

    async def hidden_window(self) -> Window | Refused:
        """Find the window to be seen again: the last that was minimised, or the only one."""
        windows = await all_windows()
        if isinstance(windows, Refused):
            return windows
        hidden = [window for window in windows if window.state == "minimised"]
        last = [window for window in hidden if window.number == self.minimised]
        match last or hidden:
            case [window]:
                return window
            case []:
                return Refused(Code.NOT_FEASIBLE, "the window in front is neither large nor hidden")
            case several:
                titles = " or ".join(window.title for window in several)
                return Refused(Code.AMBIGUOUS_TARGET, f"several windows are minimised: {titles}")


async def front_window() -> Window | Refused:
    """Look at the window in front."""
    number = await front_number()
    if isinstance(number, Refused):
        return number
    return await look_at(number)


async def front_number() -> str | Refused:
    answer = await output_of(["xprop", "-root", "_NET_ACTIVE_WINDOW"])
    if isinstance(answer, Refused):
        return answer
    found = WINDOW_ID.search(answer)
    if found is None or found[0] == NO_WINDOW:
        return Refused(Code.TARGET_NOT_FOUND, "no window is in front")
    return found[0]


async def look_at(number: str) -> Window | Refused:
    """Describe a window."""
    asked = ("_NET_WM_STATE", "_NET_WM_NAME", "WM_NAME")
    answer = await output_of(["xprop", "-id", number, *asked])
    if isinstance(answer, Refused):
        return Refused(Code.TARGET_NOT_FOUND, f"the window {number} is gone")
    return Window(number, title_in(answer) or number, frozenset(ATOM.findall(answer)))


async def all_windows() -> list[Window] | Refused:
    """List the windows, in the order in which they were opened."""
    answer = await output_of(["xprop", "-root", "_NET_CLIENT_LIST"])
    if isinstance(answer, Refused):
        return answer
    found = [await look_at(number) for number in WINDOW_ID.findall(answer)]
    return [window for window in found if isinstance(window, Window)]


async def bring(window: Window, state: State) -> Outcome:
    """Bring a window into a state; tell how it was, and how it can be put back."""
    said = {"title": window.title, "window": window.number, "state": state}
    if window.state == state:
        return Done(said, changed=False)
    for command in commands_for(window, state):
        answer = await output_of(command)
        if isinstance(answer, Refused):
            return answer
    await wait_until(lambda: is_in(window.number, state))
    undo = GoalDraft("window", "put_back", {"window": window.number, "state": window.state})
    return Done(said, undo=(undo,))


def commands_for(window: Window, state: State) -> list[Sequence[str]]:
    number = window.number
    if state == "minimised":
        return [("xdotool", "windowminimize", number)]
    commands: list[Sequence[str]] = []
    if window.state == "minimised" or state == "front":
        commands.append(("wmctrl", "-i", "-a", number))
    return [*commands, *(("wmctrl", "-i", "-r", number, *change) for change in CHANGES[state])]


async def is_in(number: str, state: State) -> bool:
    """Tell whether a window is in a state."""
    if state == "front":
        return await front_number() == number
    window = await look_at(number)
    return isinstance(window, Window) and window.state == state


async def show_next(_params: Nothing) -> Outcome:
    """Bring the next window to the front, in the order in which they were opened."""
    windows, front = await all_windows(), await front_number()
    if isinstance(windows, Refused):
        return windows
    numbers = [each.number for each in windows if not each.atoms & NOT_FOR_PEOPLE]
    others = [number for number in numbers if number != front]
    if not others:
        return Refused(Code.NOT_FEASIBLE, "there is no other window")
    at = numbers.index(front) + 1 if front in numbers else 0
    following = numbers[at % len(numbers)]
    outcome = await bring(next(each for each in windows if each.number == following), "front")
    if isinstance(outcome, Refused) or isinstance(front, Refused):
        return outcome
    undo = GoalDraft("window", "put_back", {"window": front, "state": "front"})
    return Done(outcome.output, undo=(undo,))


async def shows_desktop() -> bool:
    answer = await output_of(["xprop", "-root", "_NET_SHOWING_DESKTOP"])
    return not isinstance(answer, Refused) and SHOWN.search(answer) is not None


async def show_desktop(*, shown: bool) -> Outcome:
    """Hide all windows, or show them again."""
    said = {"window": DESKTOP, "state": "front" if shown else "normal"}
    if await shows_desktop() == shown:
        return Done(said, changed=False)
    answer = await output_of(["wmctrl", "-k", "on" if shown else "off"])
    if isinstance(answer, Refused):
        return answer
    await wait_until(lambda: is_desktop(shown=shown))
    back: State = "normal" if shown else "front"
    undo = GoalDraft("window", "put_back", {"window": DESKTOP, "state": back})
    return Done(said, undo=(undo,))


async def is_desktop(*, shown: bool) -> bool:
    return await shows_desktop() == shown


async def put_back(params: PutBack) -> Outcome:
    """Put a window back as it was."""
    if params.window == DESKTOP:
        return await show_desktop(shown=params.state == "front")
    window = await look_at(params.window)
    return window if isinstance(window, Refused) else await bring(window, params.state)


async def as_told(_params: Params, done: Done) -> bool | None:
    """Look whether the window is in the state that was reported."""
    output = done.output
    if not isinstance(output, dict):
        return None
    if output["window"] == DESKTOP:
        return await is_desktop(shown=output["state"] == "front")
    return await is_in(output["window"], output["state"])


def is_here() -> bool:
    return bool(os.environ.get("DISPLAY")) and all(map(installed, PROGRAMS))


P = TypeVar("P", bound=Params)


def window_tools() -> tuple[AnyTool, ...]:
    """Declare the tools for windows."""
    control = WindowControl()
    return (
        tool("minimise", Nothing, lambda _: control.change("minimised")),
        tool("maximise", Nothing, lambda _: control.change("maximised")),
        tool("fullscreen", Nothing, lambda _: control.change("fullscreen")),
        tool("restore", Nothing, control.restore),
        tool("next", Nothing, show_next),
        tool("show_desktop", Nothing, lambda _: show_desktop(shown=True)),
        tool("put_back", PutBack, put_back),
    )


def tool(verb: str, params: type[P], act: Callable[[P], Awaitable[Outcome]]) -> AnyTool:
    return Tool(
        name=f"window.{verb}",
        intent="window_control",
        achieves=frozenset({f"window_{verb}"}),
        params=params,
        act=act,
        check=as_told,
        is_available=is_here,
        hint=HINT,
    )


async def windows_answer() -> object:
    """Ask the window manager for its windows."""
    return await all_windows() if is_here() else Refused(Code.NO_CAPABILITY, HINT)
