"""Wi-Fi and Bluetooth on and off, by NetworkManager and BlueZ on D-Bus."""

from collections.abc import Mapping
from functools import partial
from typing import Literal, TypeAlias

from messages.executing import Done, Outcome, Refused
from messages.goals import GoalDraft
from messages.results import Code
from tools.dbus import Connection, Remote, has_bus, on_bus
from tools.settling import wait_until
from tools.tool import AnyTool, Params, Tool

Which: TypeAlias = Literal["wifi", "bluetooth"]

NETWORK = "org.freedesktop.NetworkManager"
MANAGER = Remote(NETWORK, "/org/freedesktop/NetworkManager", NETWORK)
BLUEZ = "org.bluez"
OBJECTS = Remote(BLUEZ, "/", "org.freedesktop.DBus.ObjectManager")
ADAPTER = "org.bluez.Adapter1"
WIFI_DEVICE = 2
HINTS: Mapping[Which, str] = {
    "wifi": "no NetworkManager runs here; it is what switches Wi-Fi",
    "bluetooth": "no BlueZ runs here; it is what switches Bluetooth",
}
HINT = "NetworkManager is needed for Wi-Fi, BlueZ for Bluetooth, and D-Bus for both"


class Switch(Params, frozen=True):
    """Which radio, and how it is to be."""

    which: Which
    state: Literal["on", "off"]


def radio_tools() -> tuple[AnyTool, ...]:
    """Declare the tool that switches radios."""
    return (
        Tool(
            name="radio.switch",
            intent="network_control",
            achieves=frozenset({"system_network"}),
            params=Switch,
            act=switch,
            check=is_switched,
            is_available=partial(has_bus, "system"),
            hint=HINT,
        ),
    )


async def switch(params: Switch) -> Outcome:
    """Switch a radio and wait until it is as it should be."""

    async def work(bus: Connection) -> Outcome:
        radio = await find_radio(bus, params.which)
        if isinstance(radio, Refused):
            return radio
        remote, name = radio
        former, wanted = bool(await bus.get(remote, name)), params.state == "on"
        if former != wanted:
            await bus.set(remote, name, ("b", wanted))
            await wait_until(partial(is_at, bus, remote, name, wanted=wanted))
        undo = (GoalDraft("system", "network", {"which": params.which, "state": on_off(former)}),)
        said = {"which": params.which, "state": params.state}
        return Done(said, undo=undo if former != wanted else (), changed=former != wanted)

    return await on_bus("system", work, HINTS[params.which])


async def find_radio(bus: Connection, which: Which) -> tuple[Remote, str] | Refused:
    """Find the property that switches a radio, if this machine has one."""
    if which == "wifi":
        (devices,) = await bus.call(MANAGER, "GetDevices")
        kinds = [
            await bus.get(Remote(NETWORK, path, f"{NETWORK}.Device"), "DeviceType")
            for path in devices
        ]
        if WIFI_DEVICE in kinds:
            return MANAGER, "WirelessEnabled"
    else:
        (objects,) = await bus.call(OBJECTS, "GetManagedObjects")
        for path, interfaces in sorted(objects.items()):
            if ADAPTER in interfaces:
                return Remote(BLUEZ, path, ADAPTER), "Powered"
    return Refused(Code.NO_CAPABILITY, f"this machine has no {which}")


async def is_at(bus: Connection, remote: Remote, name: str, *, wanted: bool) -> bool:
    return bool(await bus.get(remote, name)) == wanted


async def is_switched(params: Switch, _done: Done) -> bool | None:
    """Ask how the radio is now."""

    async def look(bus: Connection) -> bool | None:
        radio = await find_radio(bus, params.which)
        if isinstance(radio, Refused):
            return None
        return await is_at(bus, *radio, wanted=params.state == "on")

    seen = await on_bus("system", look)
    return None if isinstance(seen, Refused) else seen


def on_off(state: object) -> str:
    return "on" if state else "off"


async def radio_names() -> object:
    """Name the radios that can be switched."""
    found: list[str] = []
    for which, hint in HINTS.items():
        radio = await on_bus("system", partial(find_radio, which=which), hint)
        found += [] if isinstance(radio, Refused) else [which]
    return found or Refused(Code.NO_CAPABILITY, HINT)
