"""Calls on D-Bus: what does not answer well is a refusal, soon, and never a hang."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from messages.executing import Refused
from tests.bus_service import BusService, serving
from tests.session_bus import running_bus
from tools import dbus
from tools.dbus import Connection, Remote, address_of, has_bus, on_bus

NOBODY = Remote("org.example.Nobody", "/", "org.example.Nobody")


async def call_nobody(bus: Connection) -> str:
    await bus.call(NOBODY, "Hello")
    return "it answered"


async def list_names(bus: Connection) -> list[str]:
    return await bus.names()


@contextmanager
def listener(path: Path, *replies: bytes) -> Iterator[None]:
    """Listen as a bus would; answer what comes with these, one after the other, then be silent."""
    done = threading.Event()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()

        def speak() -> None:
            client, _ = server.accept()
            with client:
                for reply in replies:
                    client.recv(10_000)
                    client.sendall(reply)
                done.wait()

        thread = threading.Thread(target=speak)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


def use(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)


@pytest.mark.parametrize("replies", [(), (b"OK 1234deadbeef\r\n",)], ids=["mute", "greets"])
async def test_a_bus_that_does_not_answer_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replies: tuple[bytes, ...]
) -> None:
    monkeypatch.setattr(dbus, "SECONDS", 0.1)
    use(monkeypatch, f"unix:path={tmp_path}/bus")
    with listener(tmp_path / "bus", *replies):
        found = await on_bus("session", list_names)
    assert isinstance(found, Refused)
    assert found.code == "TIMEOUT"


@pytest.mark.parametrize(
    "replies",
    [(b"220 mail ready\r\n",), (b"REJECTED EXTERNAL\r\n",), (b"OK 1\r\n", b"\xff" * 5_000)],
    ids=["another program", "keeps us out", "garbles"],
)
async def test_what_is_no_bus_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replies: tuple[bytes, ...]
) -> None:
    use(monkeypatch, f"unix:path={tmp_path}/bus")
    with listener(tmp_path / "bus", *replies):
        found = await on_bus("session", list_names)
    assert isinstance(found, Refused)
    assert found.code == "UNAVAILABLE"


async def test_a_name_that_nobody_has_is_no_capability(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_bus(tmp_path) as bus:
        use(monkeypatch, bus.address)
        found = await on_bus("session", call_nobody, "start somebody")
    assert isinstance(found, Refused)
    assert found.code == "NO_CAPABILITY"


async def test_a_service_is_found_among_the_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_bus(tmp_path) as bus, serving(bus, BusService("org.example.Here")):
        use(monkeypatch, bus.address)
        found = await on_bus("session", list_names)
    assert not isinstance(found, Refused)
    assert "org.example.Here" in found


@pytest.mark.parametrize("address", ["", "autolaunch:", "nonsense", "tcp:host=localhost,port=1"])
async def test_an_address_that_cannot_be_spoken_to_is_no_bus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    use(monkeypatch, address)
    assert not has_bus("session")
    found = await on_bus("session", list_names)
    assert isinstance(found, Refused)
    assert found.code == "NO_CAPABILITY"


def test_a_login_session_has_its_bus_in_its_runtime_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert address_of("session") == str(tmp_path / "bus")
    assert not has_bus("session")
    (tmp_path / "bus").touch()
    assert has_bus("session")
