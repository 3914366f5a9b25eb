"""The daemon's life: how it starts, what it refuses, and how it ends without losing anything."""

import os
import pty
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.daemon import PATIENCE, PROJECT, Daemon, Wire, running_daemon
from tests.gate import MUTE, TIME, Gate, gated_daemon


@pytest.fixture
def gated(tmp_path: Path) -> Iterator[tuple[Daemon, Gate]]:
    with gated_daemon(tmp_path) as started:
        yield started


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon that outlives the test: nothing in it may end it."""
    with running_daemon(tmp_path_factory.mktemp("settled")) as daemon:
        yield daemon


def serve(daemon: Daemon, **paths: Path) -> subprocess.CompletedProcess[str]:
    """Try to start another daemon; these paths differ from the first one's."""
    folder = daemon.socket.parent
    places: Mapping[str, Path] = {"socket": daemon.socket, "state": folder / "state", **paths}
    options = [part for name, path in places.items() for part in (f"--{name}", str(path))]
    return daemon.cli("serve", *options, "--root", f"work={daemon.root}")


# The start


def test_at_a_terminal_it_says_once_where_it_listens_and_what_to_try(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    socket_path = tmp_path / "s"
    command = [sys.executable, str(PROJECT / "run.py"), "serve", "--socket", str(socket_path)]
    with subprocess.Popen(
        [*command, "--state", str(tmp_path / "state"), "--root", f"work={tmp_path}"],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        stdout=slave,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        os.close(slave)
        assert process.stderr is not None
        told = process.stderr.readline()
        assert f"listens at {socket_path}" in told
        assert f'BEHEST_SOCKET={socket_path} behest send "what time is it"' in told
        process.send_signal(signal.SIGTERM)
        assert process.stderr.read() == ""
    os.close(master)
    assert process.returncode == 0


def test_where_its_log_goes_to_a_pipe_it_says_nothing_besides(tmp_path: Path) -> None:
    with (tmp_path / "errors").open("w+") as errors:
        with running_daemon(tmp_path, errors=errors):
            pass
        errors.seek(0)
        assert errors.read() == ""


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ({"state": Path("/proc/x")}, "the state folder /proc/x cannot be used"),
        ({"socket": Path("/proc/x/s")}, "/proc/x: No such file or directory"),
    ],
    ids=["state", "socket"],
)
def test_a_place_that_cannot_be_used_is_a_sentence(
    settled: Daemon, tmp_path: Path, place: dict[str, Path], told: str
) -> None:
    own = {"state": tmp_path / "state", "socket": tmp_path / "s", **place}
    refused = serve(settled, **own)
    assert refused.returncode == 1
    assert told in refused.stderr
    assert "Errno" not in refused.stderr


def test_a_daemon_that_has_seen_no_page_has_loaded_nothing_for_pages(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with running_daemon(tmp_path, environment={"PYTHONPROFILEIMPORTTIME": "1"}) as daemon:
        assert daemon.connect().run("w", text="what time is it")[-1]["status"] == "success"
    loaded = {line.rpartition("|")[2].strip() for line in capfd.readouterr().err.splitlines()}
    assert {"actors.interpreter", "actors.target_resolver", "tools.browser"} <= loaded
    late = {"playwright", "actors.target_resolver.page", "rapidfuzz", "rich.text", "openai", "nats"}
    asked_for = {"tools.observer", "starlette", "uvicorn", "mcp", "textual"}
    assert (late | asked_for) & loaded == set()


# The end


def test_sigterm_lets_a_running_action_finish(gated: tuple[Daemon, Gate]) -> None:
    daemon, gate = gated
    client = daemon.connect()
    client.submit("running", goals=MUTE)
    client.read_until(type="action_started")
    daemon.process.send_signal(signal.SIGTERM)
    daemon.wait_for("daemon.stopping")
    gate.let_one_pass()
    assert client.read_until(type="finished")[-1]["status"] == "success"
    assert daemon.process.wait(PATIENCE) == 0


def test_a_stopping_daemon_starts_no_further_action(gated: tuple[Daemon, Gate]) -> None:
    daemon, gate = gated
    client = daemon.connect()
    later = {"domain": "file", "verb": "mkdir", "params": {"name": "later"}, "scope": "after:g0"}
    client.submit("running", goals=[*MUTE, later])
    client.read_until(type="action_started")
    daemon.process.send_signal(signal.SIGTERM)
    daemon.wait_for("daemon.stopping")
    gate.let_one_pass()
    finished = client.read_until(type="finished")[-1]
    assert [result["status"] for result in finished["results"]] == ["success", "cancelled"]
    assert (finished["status"], finished["code"]) == ("cancelled", "SHUTTING_DOWN")
    assert daemon.process.wait(PATIENCE) == 0
    assert not (daemon.root / "later").exists()


def test_a_stopping_daemon_ends_what_waits_and_takes_nothing_new(
    gated: tuple[Daemon, Gate],
) -> None:
    daemon, gate = gated
    client = daemon.connect()
    client.submit("running", goals=MUTE)
    client.read_until(type="action_started")
    client.submit("waiting", goals=TIME)
    client.read_until(type="accepted", command="waiting")
    daemon.process.send_signal(signal.SIGTERM)
    waiting = client.read_until(type="finished", command="waiting")[-1]
    assert (waiting["status"], waiting["code"]) == ("cancelled", "SHUTTING_DOWN")
    client.submit("new", goals=TIME)
    refusal = client.read()
    assert (refusal["type"], refusal["code"], refusal["id"]) == ("error", "SHUTTING_DOWN", "new")
    with socket.socket(socket.AF_UNIX) as latecomer:
        assert latecomer.connect_ex(str(daemon.socket)) != 0
    gate.let_one_pass()
    client.read_until(type="finished", command="running")


def test_a_daemon_that_ends_removes_its_socket_and_says_so(tmp_path: Path) -> None:
    with running_daemon(tmp_path) as daemon:
        assert daemon.stop() == 0
        assert not daemon.socket.exists()
        assert daemon.log()[-1]["event"] == "daemon.stopped"


def test_sigint_ends_the_daemon_as_sigterm_does(tmp_path: Path) -> None:
    with running_daemon(tmp_path) as daemon:
        assert daemon.stop(signal.SIGINT) == 0
        assert not daemon.socket.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_until_the_very_end_do_not_change_how_it_ends(
    tmp_path: Path, number: signal.Signals
) -> None:
    with running_daemon(tmp_path) as daemon:
        while daemon.process.poll() is None:
            daemon.process.send_signal(number)
        assert daemon.stop() == 0


def test_a_second_signal_stops_at_once(gated: tuple[Daemon, Gate]) -> None:
    daemon, _ = gated
    client = daemon.connect()
    client.submit("running", goals=MUTE)
    client.read_until(type="action_started")
    daemon.process.send_signal(signal.SIGTERM)
    daemon.wait_for("daemon.stopping")
    daemon.process.send_signal(signal.SIGTERM)
    daemon.process.wait(PATIENCE)  # though nothing passed the gate
    assert not daemon.socket.exists()


def test_an_action_that_outlasts_the_grace_does_not_keep_the_daemon(tmp_path: Path) -> None:
    (tmp_path / "programs").mkdir()
    endless = tmp_path / "programs" / "pactl"
    endless.write_text("#!/bin/sh\nexec sleep 1000\n")
    endless.chmod(0o755)
    path = f"{endless.parent}{os.pathsep}{os.environ['PATH']}"
    settings = "[limits]\nstop_grace = 0.05\n"
    with running_daemon(tmp_path, settings=settings, environment={"PATH": path}) as daemon:
        client = daemon.connect()
        client.submit("endless", goals=MUTE)
        client.read_until(type="action_started")
        assert daemon.stop() == 0
        daemon.wait_for("daemon.did_not_wait")


# Those around it


def test_a_log_that_nobody_reads_any_more_does_not_hurt(tmp_path: Path) -> None:
    path = tmp_path / "behest.sock"
    command = [sys.executable, str(PROJECT / "run.py"), "serve", "--root", f"work={tmp_path}"]
    command += ["--state", str(tmp_path / "state"), "--socket", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while b"daemon.ready" not in process.stdout.readline():
            assert process.poll() is None
        process.stdout.close()
        client = Wire(path)
        for number in range(20):
            assert client.run(f"c{number}", goals=TIME)[-1]["status"] == "success"
        client.close()
        process.terminate()
        assert process.wait(PATIENCE) == 0


STRANGER = """\
import os, socket, sys
os.chdir(sys.argv[1])
os.setuid(65534)
with socket.socket(socket.AF_UNIX) as client:
    client.settimeout(30)
    client.connect("behest.sock")
    try:
        client.sendall(b'{"type":"status","id":"s"}\\n')
        print(client.recv(1000))
    except (BrokenPipeError, ConnectionResetError):
        print(b"")
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can act as another user")
def test_the_mode_of_the_socket_already_keeps_other_users_out(settled: Daemon) -> None:
    settled.socket.parent.chmod(0o755)
    stranger = [sys.executable, "-c", STRANGER, str(settled.socket.parent)]
    kept_out = subprocess.run(stranger, capture_output=True, timeout=PATIENCE, check=False)
    assert b"PermissionError" in kept_out.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="only root can act as another user")
def test_a_client_of_another_user_is_refused(settled: Daemon) -> None:
    settled.socket.chmod(0o666)
    settled.socket.parent.chmod(0o755)
    stranger = [sys.executable, "-c", STRANGER, str(settled.socket.parent)]
    heard = subprocess.run(stranger, capture_output=True, timeout=PATIENCE, check=True)
    assert heard.stdout.strip() == b"b''"
    assert "65534" in settled.wait_for("client.refused")["reason"]
    assert settled.connect().ask(type="status", id="s")["type"] == "state"


# The beginning


def test_a_stale_socket_is_replaced(tmp_path: Path) -> None:
    with running_daemon(tmp_path) as daemon:
        daemon.stop(signal.SIGKILL)
        assert daemon.socket.is_socket()
    with running_daemon(tmp_path) as successor:
        assert successor.connect().ask(type="status", id="s")["type"] == "state"


def test_a_second_daemon_on_the_same_state_is_refused(settled: Daemon) -> None:
    refused = serve(settled, socket=settled.home / "other.sock")
    assert refused.returncode == 1
    assert "another daemon uses the state folder" in refused.stderr
    assert settled.connect().ask(type="status", id="s")["type"] == "state"


def test_a_second_daemon_on_the_same_socket_is_refused(settled: Daemon) -> None:
    refused = serve(settled, state=settled.home / "other-state")
    assert refused.returncode == 1
    assert "another daemon listens on" in refused.stderr
    assert settled.connect().ask(type="status", id="s")["type"] == "state"


def test_a_file_in_the_place_of_the_socket_is_not_touched(settled: Daemon) -> None:
    precious = settled.home / "precious"
    precious.write_text("thesis")
    refused = serve(settled, state=settled.home / "other-state", socket=precious)
    assert precious.read_text() == "thesis"
    assert refused.returncode in {1, 2}
    assert str(precious) in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_root_that_cannot_be_made_is_said_in_one_line(settled: Daemon) -> None:
    in_the_way = settled.home / "file"
    in_the_way.touch()
    places = ("--state", str(settled.home / "s"), "--socket", str(settled.home / "b.sock"))
    refused = settled.cli("serve", *places, "--root", f"work={in_the_way / 'root'}")
    assert refused.returncode in {1, 2}
    assert str(in_the_way) in refused.stderr
    assert "Traceback" not in refused.stderr
