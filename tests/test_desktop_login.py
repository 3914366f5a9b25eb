"""Power, lock and radios, as submitted goals: what was not approved of never reaches the system.

The system's services are stood for by ones on a private bus: nobody's machine is shut down here.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tests.bus_service import Answer, BusService, Fault, Typed, serving
from tests.daemon import Daemon, Event, Wire, running_daemon
from tests.session_bus import RunningBus, running_bus
from tools.dbus import Remote
from tools.display import Backlight
from tools.login import MANAGER, SCREEN_SAVER, SERVICE
from tools.radio import ADAPTER, BLUEZ, NETWORK
from tools.radio import MANAGER as NETWORKS
from tools.settings import ApprovalSettings

SESSION, USER = "/org/freedesktop/login1/session/_31", "/org/freedesktop/login1/user/_0"
ASKS = '[approval]\nask = ["power"]\n'
ACTIONS = {
    "shutdown": "PowerOff",
    "restart": "Reboot",
    "sleep": "Suspend",
    "hibernate": "Hibernate",
    "logout": "Terminate",
}
DENIED = "org.freedesktop.DBus.Error.AccessDenied"


def login_service() -> BusService:
    """Make a login service with one session at a screen; it begins whatever it is asked for."""
    manager = (MANAGER.path, MANAGER.interface)
    session = (SESSION, f"{SERVICE}.Session")
    service = BusService(SERVICE)
    service.properties = {
        manager: {"PreparingForShutdown": ("b", False), "PreparingForSleep": ("b", False)},
        (USER, f"{SERVICE}.User"): {"Display": ("(so)", ("1", SESSION))},
        session: {"LockedHint": ("b", False), "State": ("s", "active")},
    }

    def begin(where: tuple[str, str], name: str, value: Typed) -> None:
        service.properties[where][name] = value

    def power(sign: str, _interactive: object) -> Answer:
        begin(manager, sign, ("b", True))
        return "", ()

    def lock() -> Answer:
        begin(session, "LockedHint", ("b", True))
        return "", ()

    def terminate() -> Answer:
        begin(session, "State", ("s", "closing"))
        return "", ()

    for method, sign in (
        ("PowerOff", "PreparingForShutdown"),
        ("Reboot", "PreparingForShutdown"),
        ("Suspend", "PreparingForSleep"),
        ("Hibernate", "PreparingForSleep"),
    ):
        service.methods[f"Can{method}"] = lambda: ("s", ("yes",))
        service.methods[method] = partial(power, sign)
    service.methods |= {"GetUser": lambda _uid: ("o", (USER,)), "Lock": lock}
    service.methods["Terminate"] = terminate
    return service


@dataclass(frozen=True)
class House:
    """A daemon that asks before it touches the power, and the login service of its system."""

    daemon: Daemon
    bus: RunningBus
    login: BusService

    def begin(self, verb: str, **params: object) -> tuple[Wire, str]:
        wire, command = self.daemon.connect(), os.urandom(4).hex()
        goal = {"domain": "system", "verb": verb, "params": params}
        wire.submit(command, goals=[goal], session=command)
        return wire, command

    def result(self, verb: str, **params: object) -> Event:
        wire, command = self.begin(verb, **params)
        last: Event = wire.read_until(type="finished", command=command)[-1]["results"][-1]
        return last

    def decided(self, action: str, *, allow: bool) -> Event:
        """Ask for power, answer the approval, and give the result."""
        wire, command = self.begin("power", action=action)
        asked = wire.read_until(type="approval_needed", command=command)[-1]
        assert asked["kind"] == "power"
        assert action in asked["description"]
        assert not self.has_been_called(ACTIONS[action])
        wire.send({"type": "approve", "id": "a", "approval": asked["approval"], "allow": allow})
        last: Event = wire.read_until(type="finished", command=command)[-1]["results"][-1]
        return last

    def has_been_called(self, method: str) -> bool:
        return method in [name for name, _ in self.login.calls]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Daemon, RunningBus]]:
    folder = tmp_path_factory.mktemp("login")
    with (
        running_bus(folder / "bus", "system") as bus,
        running_daemon(folder, settings=ASKS, environment=bus.environment) as daemon,
    ):
        yield daemon, bus


@pytest.fixture
def house(shared: tuple[Daemon, RunningBus]) -> Iterator[House]:
    """The shared daemon, with a login service of its own for each test."""
    daemon, bus = shared
    with serving(bus, login_service()) as login:
        yield House(daemon, bus, login)


# Power


def test_power_asks_by_default() -> None:
    assert "power" in ApprovalSettings().ask


@pytest.mark.parametrize("action", ACTIONS)
def test_power_is_changed_only_when_that_was_approved(house: House, action: str) -> None:
    result = house.decided(action, allow=True)
    assert result["status"] == "success", result
    assert result["verified"] is True
    assert house.has_been_called(ACTIONS[action])


@pytest.mark.parametrize("action", ACTIONS)
def test_what_is_denied_does_not_happen(house: House, action: str) -> None:
    result = house.decided(action, allow=False)
    assert result["code"] == "NOT_APPROVED"
    assert house.login.calls == []


@pytest.mark.parametrize(
    ("able", "code"), [("na", "NO_CAPABILITY"), ("no", "NOT_ALLOWED"), ("challenge", "NOT_ALLOWED")]
)
def test_what_the_machine_cannot_or_may_not_do_is_not_tried(
    house: House, able: str, code: str
) -> None:
    house.login.methods["CanHibernate"] = lambda: ("s", (able,))
    assert house.decided("hibernate", allow=True)["code"] == code
    assert not house.has_been_called("Hibernate")


def test_what_the_system_forbids_is_said(house: House) -> None:
    def forbid(_interactive: object) -> Answer:
        raise Fault(DENIED)

    house.login.methods["PowerOff"] = forbid
    assert house.decided("shutdown", allow=True)["code"] == "NOT_ALLOWED"


@pytest.mark.parametrize("params", [{}, {"action": "explode"}, {"action": "sleep", "in": "1 h"}])
def test_bad_parameters_are_refused_by_the_planner(house: House, params: dict[str, object]) -> None:
    assert house.result("power", **params)["status"] in {"blocked", "validation_failed"}
    assert house.login.calls == []


@pytest.mark.parametrize(
    ("verb", "params"),
    [
        ("power", {"action": "shutdown"}),
        ("lock", {}),
        ("network", {"which": "wifi", "state": "off"}),
        ("brightness", {"level": 50}),
        ("brighter", {}),
        ("dimmer", {"step": 5}),
    ],
)
def test_where_the_machine_has_no_such_service_there_is_no_capability(
    tmp_path: Path, verb: str, params: dict[str, object]
) -> None:
    nowhere = {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={tmp_path}/none"}
    with running_daemon(tmp_path, environment=nowhere) as daemon:
        goal = {"domain": "system", "verb": verb, "params": params}
        (result,) = daemon.connect().run("c", goals=[goal])[-1]["results"]
    backlit = Backlight().is_here() and verb in {"brightness", "brighter", "dimmer"}
    assert result["status"] == "no_capability" or backlit


# Locking


def test_the_session_at_the_screen_is_locked(house: House) -> None:
    result = house.result("lock")
    assert result["status"] == "success", result
    assert result["verified"] is True
    assert house.has_been_called("Lock")


def test_a_lock_that_nobody_confirms_is_not_verified(house: House) -> None:
    house.login.methods["Lock"] = lambda: ("", ())
    result = house.result("lock")
    assert result["verified"] is False


def test_who_sits_at_no_screen_locks_none(house: House) -> None:
    house.login.properties[USER, f"{SERVICE}.User"]["Display"] = ("(so)", ("", "/"))
    result = house.result("lock")
    assert result["code"] == "UNAVAILABLE"
    assert not house.has_been_called("Lock")


def test_without_a_login_service_the_screen_saver_locks(tmp_path: Path) -> None:
    saver = BusService(SCREEN_SAVER.service)
    saver.methods = {"Lock": lambda: ("", ()), "GetActive": lambda: ("b", (True,))}
    with (
        running_bus(tmp_path / "bus") as bus,
        serving(bus, saver),
        running_daemon(tmp_path, environment=bus.environment) as daemon,
    ):
        goal = {"domain": "system", "verb": "lock"}
        (result,) = daemon.connect().run("c", goals=[goal])[-1]["results"]
    assert result["verified"] is True, result
    assert ("Lock", ()) in saver.calls


# Radios


def networks(*kinds: int) -> BusService:
    """Make a NetworkManager with devices of some kinds."""
    service = BusService(NETWORK)
    service.properties = {(NETWORKS.path, NETWORK): {"WirelessEnabled": ("b", True)}}
    paths = [f"/device/{number}" for number in range(len(kinds))]
    for path, kind in zip(paths, kinds, strict=True):
        service.properties[path, f"{NETWORK}.Device"] = {"DeviceType": ("u", kind)}
    service.methods = {"GetDevices": lambda: ("ao", (paths,))}
    return service


def test_wifi_is_switched_off_and_back_by_undo(house: House) -> None:
    with serving(house.bus, networks(1, 2)) as service:
        wire, command = house.begin("network", which="wifi", state="off")
        (result,) = wire.read_until(type="finished", command=command)[-1]["results"]
        assert result["verified"] is True, result
        enabled = service.properties[NETWORKS.path, NETWORK]
        assert enabled["WirelessEnabled"] == ("b", False)
        undone = wire.run(os.urandom(4).hex(), text="undo that", session=command)[-1]
        assert undone["status"] == "success", undone
        assert enabled["WirelessEnabled"] == ("b", True)


def test_what_is_so_already_is_left_alone(house: House) -> None:
    with serving(house.bus, networks(2)) as service:
        assert house.result("network", which="wifi", state="on")["verified"] is True
    assert not any(name.startswith("Set") for name, _ in service.calls)


def test_without_a_wifi_device_there_is_nothing_to_switch(house: House) -> None:
    with serving(house.bus, networks(1)):
        assert house.result("network", which="wifi", state="off")["code"] == "NO_CAPABILITY"
    assert house.result("network", which="wifi", state="off")["code"] == "NO_CAPABILITY"


def test_bluetooth_is_switched(house: House) -> None:
    adapter = Remote(BLUEZ, "/org/bluez/hci0", ADAPTER)
    service = BusService(BLUEZ)
    powered: dict[str, Typed] = {"Powered": ("b", False)}
    service.properties = {(adapter.path, ADAPTER): powered}
    tree = {adapter.path: {ADAPTER: powered}}
    service.methods = {"GetManagedObjects": lambda: ("a{oa{sa{sv}}}", (tree,))}
    with serving(house.bus, service):
        result = house.result("network", which="bluetooth", state="on")
    assert result["verified"] is True, result
    assert powered["Powered"] == ("b", True)


@pytest.mark.parametrize("params", [{"which": "wifi"}, {"which": "radar", "state": "on"}])
def test_bad_parameters_for_a_radio_are_refused(house: House, params: dict[str, object]) -> None:
    assert house.result("network", **params)["status"] in {"blocked", "validation_failed"}


def test_doctor_asks_the_services_of_the_system(house: House) -> None:
    config = str(house.daemon.home.parent / "behest.toml")
    with serving(house.bus, networks(2)):
        lines = house.daemon.cli("doctor", "--config", config).stdout.splitlines()
    assert any(line.split() == ["ok", "the", "login", "service"] for line in lines)
    assert any(line.split() == ["ok", "Wi-Fi", "and", "Bluetooth"] for line in lines)
    assert not house.has_been_called("PowerOff")
