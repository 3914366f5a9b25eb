"""Notifications, as submitted goals, shown by a real service on a real session bus."""

import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import pytest

from tests.daemon import PATIENCE, Daemon, Event, running_daemon
from tests.display import running_display
from tests.session_bus import RunningBus, running_bus, running_program
from tools.notifications import SERVICE


@dataclass(frozen=True)
class Desk:
    """A daemon, and where the service prints what it shows."""

    daemon: Daemon
    bus: RunningBus
    printed: Path

    def shows(self, text: str) -> bool:
        """Wait until the service has printed a text."""
        given_up = monotonic() + PATIENCE
        while text not in self.printed.read_text():
            assert monotonic() < given_up, self.printed.read_text()
            os.sched_yield()
        return True


def notify(daemon: Daemon, **params: object) -> Event:
    goal = {"domain": "system", "verb": "notify", "params": params}
    (found,) = daemon.connect().run(os.urandom(4).hex(), goals=[goal])[-1]["results"]
    last: Event = found
    return last


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("notify")
    with running_bus(folder / "bus") as bus, running_display(folder) as display:
        screen = {**bus.environment, **display.environment}
        with running_program(["dunst", "-print"], folder, screen) as service:
            bus.wait_for_name(SERVICE.service, service)
            with running_daemon(folder, environment=bus.environment) as daemon:
                yield Desk(daemon, bus, folder / "dunst.log")


def test_a_notification_is_shown_by_the_desktops_service(desk: Desk) -> None:
    result = notify(desk.daemon, text="the tea is ready")
    assert result["status"] == "success", result
    assert result["verified"] is True
    assert result["output"]["text"] == "the tea is ready"
    assert desk.shows("summary: 'the tea is ready'")


def test_a_title_stands_above_the_text(desk: Desk) -> None:
    assert notify(desk.daemon, text="it is ready", title="Tea")["verified"] is True
    assert desk.shows("summary: 'Tea'")
    assert desk.shows("it is ready")


def test_what_looks_like_markup_is_shown_as_it_is(desk: Desk) -> None:
    assert notify(desk.daemon, text="5 < 6 & <b>7</b>", title="Sums")["verified"] is True
    assert desk.shows("5 &lt; 6 &amp; &lt;b&gt;7&lt;/b&gt;")


def test_what_a_bus_cannot_carry_is_left_out_of_a_text(desk: Desk) -> None:
    assert notify(desk.daemon, text="grün\0日本")["verified"] is True
    assert desk.shows("grün 日本")


@pytest.mark.parametrize("params", [{}, {"text": " "}, {"text": 5}, {"text": "a", "icon": "b"}])
def test_bad_parameters_are_refused_by_the_planner(desk: Desk, params: dict[str, object]) -> None:
    assert notify(desk.daemon, **params)["status"] in {"blocked", "validation_failed"}


def test_without_a_bus_there_is_no_capability(tmp_path: Path) -> None:
    with running_daemon(tmp_path) as daemon:
        assert notify(daemon, text="hello")["status"] == "no_capability"


def test_without_a_service_nothing_is_claimed(tmp_path: Path) -> None:
    with (
        running_bus(tmp_path / "bus") as bus,
        running_daemon(tmp_path, environment=bus.environment) as daemon,
    ):
        result = notify(daemon, text="hello")
    assert result["status"] == "failed"
    assert result["code"] == "NO_CAPABILITY"
    assert "notification service" in result["message"]


def test_a_bus_that_hangs_up_is_named(tmp_path: Path) -> None:
    address = {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={tmp_path}/dead.sock"}
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "dead.sock"))
        with running_daemon(tmp_path, environment=address) as daemon:
            result = notify(daemon, text="hello")
    assert result["code"] == "UNAVAILABLE"
    assert "D-Bus" in result["message"]


def test_doctor_asks_the_service_who_it_is(desk: Desk) -> None:
    config = str(desk.daemon.home.parent / "behest.toml")
    ended = desk.daemon.cli("doctor", "--config", config)
    lines = ended.stdout.splitlines()
    assert any(line.split() == ["ok", "notifications"] for line in lines)
    assert any(line.split() == ["ok", "tool", "notifications.notify"] for line in lines)
