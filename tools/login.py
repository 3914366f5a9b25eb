"""The login session and the machine's power, by logind on D-Bus.

What is asked of it is done without a password or not at all: nobody may be there to type one.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.dbus import BusError, Connection, Remote, has_bus, on_bus
from tools.settling import wait_until
from tools.tool import AnyTool, Params, Tool

SERVICE = "org.freedesktop.login1"
MANAGER = Remote(SERVICE, "/org/freedesktop/login1", f"{SERVICE}.Manager")
SCREEN_SAVER = Remote(
    "org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver"
)
NO_LOGIND = "no login service runs here; systemd-logind or elogind is needed"
NO_LOCKER = "nothing here can lock the screen; a login service or a screen saver is needed"
NOWHERE = "/"

PowerAction = Literal["shutdown", "restart", "sleep", "hibernate", "logout"]


@dataclass(frozen=True, slots=True)
class PowerCall:
    """How logind calls something, and the property by which it is seen to begin."""

    method: str
    sign: str


CALLS: Mapping[PowerAction, PowerCall] = {
    "shutdown": PowerCall("PowerOff", "PreparingForShutdown"),
    "restart": PowerCall("Reboot", "PreparingForShutdown"),
    "sleep": PowerCall("Suspend", "PreparingForSleep"),
    "hibernate": PowerCall("Hibernate", "PreparingForSleep"),
}


class Nothing(Params, frozen=True):
    """No parameters."""


class Power(Params, frozen=True):
    """What the machine or the session is to do."""

    action: PowerAction


def login_tools() -> tuple[AnyTool, ...]:
    """Declare the tools for the session and for power."""
    return (
        Tool(
            name="login.lock",
            intent="session_control",
            achieves=frozenset({"system_lock"}),
            params=Nothing,
            act=lock,
            check=is_locked,
            is_available=lambda: has_bus("system") or has_bus("session"),
            hint=NO_LOCKER,
        ),
        Tool(
            name="login.power",
            intent="session_control",
            achieves=frozenset({"system_power"}),
            params=Power,
            act=change_power,
            check=has_begun,
            is_available=partial(has_bus, "system"),
            hint=NO_LOGIND,
        ),
    )


async def own_session(bus: Connection) -> Remote | Refused:
    """Find the session in which this user sits at the screen."""
    (user,) = await bus.call(MANAGER, "GetUser", "u", (os.getuid(),))
    _, path = await bus.get(Remote(SERVICE, user, f"{SERVICE}.User"), "Display")
    if path == NOWHERE:
        return Refused(Code.UNAVAILABLE, "you are not logged in at a screen of this machine")
    return Remote(SERVICE, path, f"{SERVICE}.Session")


# Locking


async def lock(_params: Nothing) -> Outcome:
    """Lock the screen: by the login service, else by the desktop's screen saver."""

    async def by_login(bus: Connection) -> Outcome:
        session = await own_session(bus)
        if isinstance(session, Refused):
            return session
        await bus.call(session, "Lock")
        return Done({"locked": True}, lasting="only who is at the screen can unlock it")

    async def by_screen_saver(bus: Connection) -> Outcome:
        await bus.call(SCREEN_SAVER, "Lock")
        return Done({"locked": True}, lasting="only who is at the screen can unlock it")

    outcome = await on_bus("system", by_login, NO_LOCKER)
    if isinstance(outcome, Refused) and has_bus("session"):
        return await on_bus("session", by_screen_saver, NO_LOCKER)
    return outcome


async def is_locked(_params: Nothing, _done: Done) -> bool | None:
    """Ask whoever locks screens whether this one is; None where nobody says so."""

    async def hinted(bus: Connection) -> bool:
        session = await own_session(bus)
        if isinstance(session, Refused):
            return False
        return await wait_until(lambda: bus.get(session, "LockedHint"))

    async def active(bus: Connection) -> bool:
        (answer,) = await bus.call(SCREEN_SAVER, "GetActive")
        return bool(answer)

    if has_bus("system") and await on_bus("system", hinted) is True:
        return True
    return True if has_bus("session") and await on_bus("session", active) is True else None


# Power


async def change_power(params: Power) -> Outcome:
    """Shut down, restart, sleep, hibernate or log out."""

    async def work(bus: Connection) -> Outcome:
        if params.action == "logout":
            return await log_out(bus)
        return await ask_for_power(bus, params.action)

    return await on_bus("system", work, NO_LOGIND)


async def log_out(bus: Connection) -> Outcome:
    session = await own_session(bus)
    if isinstance(session, Refused):
        return session
    await bus.call(session, "Terminate")
    return Done(
        {"action": "logout", "session": session.path},
        lasting="a session that has ended does not come back",
    )


async def ask_for_power(bus: Connection, action: PowerAction) -> Outcome:
    method = CALLS[action].method
    (able,) = await bus.call(MANAGER, f"Can{method}")
    if able == "na":
        return Refused(Code.NO_CAPABILITY, f"this machine has no {action}")
    if able != "yes":
        return Refused(Code.NOT_ALLOWED, f"the system does not allow you this: {action}")
    await bus.call(MANAGER, method, "b", (False,))
    return Done({"action": action}, lasting="a machine does not go back to how it was before")


async def has_begun(params: Power, done: Done) -> bool | None:
    """Look whether it has begun; None where that cannot be seen, as after waking up."""

    async def look(bus: Connection) -> bool:
        if params.action != "logout":
            return bool(await bus.get(MANAGER, CALLS[params.action].sign))
        output = done.output
        path = output.get("session") if isinstance(output, dict) else None
        try:
            state = await bus.get(Remote(SERVICE, str(path), f"{SERVICE}.Session"), "State")
        except BusError:
            return True  # the session is gone
        return bool(state == "closing")

    return True if await on_bus("system", look) is True else None


async def login_service() -> object:
    """Ask the login service something that changes nothing."""

    async def ask(bus: Connection) -> str:
        (able,) = await bus.call(MANAGER, "CanPowerOff")
        return str(able)

    return await on_bus("system", ask, NO_LOGIND)
