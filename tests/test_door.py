"""The door: who is let in over TCP, how much one client may have, and what is said to the rest."""

import json
import resource
import socket
import ssl
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from actors.gateway.entrance import STRANGERS
from actors.gateway.lock import MOST_HOSTS, WRONG_TRIES, Suspects
from actors.gateway.outbox import Outbox, Pool
from tests.daemon import PATIENCE, PROJECT, Daemon, Event, Wire, running_daemon
from tests.gate import MUTE, TIME, gated_daemon
from tools.door import Remote, address_of
from tools.settings import BadSettings, Secret, load

DESCRIPTORS = 5_000


class TcpWire(Wire):
    """A client that comes in over TCP, from whatever host of the loopback it likes."""

    def __init__(
        self, address: str, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
    ) -> None:
        name, _, port = address.rpartition(":")
        plain = socket.create_connection((name, int(port)), PATIENCE, (host, 0))
        try:
            self._socket = plain if tls is None else tls.wrap_socket(plain, server_hostname=name)
        except OSError:
            plain.close()
            raise
        self._lines = self._socket.makefile("rb")

    def authorise(self, token: str, request: str = "a") -> Event:
        """Show a token, and read what is said to it."""
        return self.ask(type="auth", id=request, token=token)

    def detach(self) -> int:
        """Give the bare connection away."""
        return self._socket.detach()

    def rest(self) -> bytes:
        """Read whatever comes to the end of the connection."""
        with suppress(ConnectionResetError):
            return self._lines.read()
        return b""


def port_of(daemon: Daemon) -> str:
    """Say where a daemon listens besides its Unix socket."""
    address = daemon.wait_for("door.opened")["tcp"]
    assert isinstance(address, str)
    return address


def token_of(daemon: Daemon) -> str:
    return (daemon.socket.parent / "state" / "token").read_text().strip()


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon with a door that takes a token."""
    folder = tmp_path_factory.mktemp("door")
    with running_daemon(folder, arguments=("--tcp", "127.0.0.1:0")) as running:
        yield running


Connect = Callable[..., TcpWire]


@pytest.fixture
def connect(daemon: Daemon) -> Iterator[Connect]:
    """Comes in over TCP as often as one likes."""
    with ExitStack() as wires:

        def connected(**how: Any) -> TcpWire:
            wire = TcpWire(port_of(daemon), **how)
            wires.callback(wire.close)
            return wire

        yield connected


def made(daemon: Daemon) -> set[str]:
    """Name what was made in the daemon's root."""
    return {path.name for path in daemon.root.iterdir()}


# The token


def test_the_right_token_opens_the_door(daemon: Daemon, connect: Connect) -> None:
    wire = connect()
    assert wire.authorise(token_of(daemon)) == {"type": "authorised", "id": "a"}
    assert wire.run("over tcp", goals=TIME)[-1]["status"] == "success"


def test_what_is_sent_behind_the_token_in_one_piece_is_served(
    daemon: Daemon, connect: Connect
) -> None:
    wire = connect()
    auth = json.dumps({"type": "auth", "id": "a", "token": token_of(daemon)}).encode()
    wire.send_raw(
        b"\r\n \n" + auth + b'\n{"type":"status","id":"s1"}\n{"type":"status","id":"s2"}\n'
    )
    assert [wire.read()["id"] for _ in range(3)] == ["a", "s1", "s2"]


def test_a_wrong_token_is_refused_and_the_connection_ends(connect: Connect) -> None:
    wire = connect(host="127.0.0.2")
    error = wire.authorise("wrong", "mine")
    assert (error["type"], error["code"], error["id"]) == ("error", "UNAUTHORISED", "mine")
    assert wire.rest() == b""


@pytest.mark.parametrize(
    "first",
    [
        {"type": "submit", "id": "first", "text": "create a folder unasked"},
        {"type": "status", "id": "first"},
        {"type": "auth", "id": "first"},
        {"type": "auth", "id": "first", "token": 7},
        {"type": "auth", "id": "first", "token": ""},
        {"type": "auth", "id": "first", "token": "x" * 100_000},
        ["auth"],
        7,
    ],
    ids=lambda first: str(first)[:30],
)
def test_anything_but_a_token_is_refused_and_nothing_is_done(
    daemon: Daemon, connect: Connect, first: Any
) -> None:
    wire = connect(host="127.0.0.3")
    make = {"type": "submit", "id": "behind", "text": "create a folder unasked"}
    wire.send_raw(json.dumps(first).encode() + b"\n" + json.dumps(make).encode() + b"\n")
    assert wire.read()["code"] == "UNAUTHORISED"
    assert wire.rest() == b""
    assert daemon.connect().ask(type="status", id="s", command="behind")["type"] == "error"
    assert "unasked" not in made(daemon)


def test_a_token_that_does_not_come_in_time_is_not_waited_for(connect: Connect) -> None:
    silent, slow = connect(), connect()
    slow.send_raw(b'{"type":"auth","id":"a",')
    for wire in (silent, slow):
        assert wire.read()["code"] == "UNAUTHORISED"
        assert wire.rest() == b""


def test_a_crowd_of_silent_strangers_keeps_nobody_out(daemon: Daemon, connect: Connect) -> None:
    crowd = [connect(host="127.0.0.6") for _ in range(STRANGERS + 50)]
    owner = daemon.connect()
    assert owner.run("despite the crowd", goals=TIME)[-1]["status"] == "success"
    assert connect().authorise(token_of(daemon))["type"] == "authorised"  # after the first of them
    for stranger in crowd:
        stranger.close()


def test_the_token_is_nowhere_in_the_log(tmp_path: Path) -> None:
    with running_daemon(tmp_path, arguments=("--tcp", "127.0.0.1:0")) as daemon:
        token = token_of(daemon)
        for tried in (token, "sesame-sesame", token + "x"):
            wire = TcpWire(port_of(daemon))
            wire.authorise(tried)
            wire.close()
        watcher = daemon.connect()
        watcher.send({"type": "subscribe", "id": "w", "since": 0})
        assert watcher.read()["type"] == "subscribed"
        daemon.wait_for("client.refused")
        daemon.stop()
        log = json.dumps(daemon.log())
    assert "client.refused" in log
    assert token not in log
    assert "sesame" not in log


def test_a_host_that_guesses_is_slowed_down_and_others_are_not(
    daemon: Daemon, connect: Connect
) -> None:
    for _ in range(WRONG_TRIES):
        connect(host="127.0.0.9").authorise("a guess")
    guesses = [connect(host="127.0.0.9") for _ in range(40)]
    for wire in guesses:
        wire.send({"type": "auth", "id": "a", "token": "another guess"})
    assert connect(host="127.0.0.8").authorise(token_of(daemon))["type"] == "authorised"
    answers = [wire.read() for wire in guesses]
    assert {answer["code"] for answer in answers} == {"UNAUTHORISED"}
    assert any((answer["retry_after"] or 0) > 0 for answer in answers)  # some were not looked at
    assert daemon.wait_for("door.guessed", host="127.0.0.9")["tries"] == WRONG_TRIES
    # the right token opens all the same: nobody can lock out those who have it
    assert connect(host="127.0.0.9").authorise(token_of(daemon))["type"] == "authorised"


def test_wrong_tries_are_forgotten_after_a_while_and_the_oldest_first() -> None:
    suspects = Suspects()
    for _ in range(WRONG_TRIES):
        assert not suspects.knows("here", 0.0)
        suspects.note("here", 0.0)
    assert suspects.knows("here", 1.0)
    assert not suspects.knows("there", 1.0)
    assert not suspects.knows("here", 1_000.0)
    for number in range(MOST_HOSTS * 2):
        suspects.note(f"host {number}", 2_000.0)
    assert len(suspects) == MOST_HOSTS


def test_one_who_has_a_whole_network_of_addresses_is_one_host() -> None:
    suspects = Suspects()
    for number in range(WRONG_TRIES):
        suspects.note(f"2001:db8::{number:x}", 0.0)
    assert suspects.knows("2001:db8::ffff", 0.0)
    assert not suspects.knows("2001:db9::1", 0.0)


# The file with the token


def test_the_token_is_made_for_its_owner_alone_and_kept(tmp_path: Path) -> None:
    with running_daemon(tmp_path, arguments=("--tcp", "127.0.0.1:0")) as daemon:
        first = token_of(daemon)
        file = tmp_path / "state" / "token"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with running_daemon(tmp_path, arguments=("--tcp", "127.0.0.1:0")) as daemon:
        assert token_of(daemon) == first
    assert len(first) >= 43


def test_without_tcp_no_token_is_made(tmp_path: Path) -> None:
    with running_daemon(tmp_path):
        assert not (tmp_path / "state" / "token").exists()


def served(daemon: Daemon, *options: str, settings: str = "") -> tuple[int, str]:
    """Try to start another daemon; give its exit code and what it complains of."""
    folder = daemon.socket.parent / "another"
    folder.mkdir(exist_ok=True)
    config = folder / "behest.toml"
    config.write_text(settings)
    tried = daemon.cli(
        *("serve", "--socket", str(folder / "b.sock"), "--state", str(folder / "state")),
        *("--config", str(config), "--root", f"work={daemon.root}", *options),
    )
    return tried.returncode, tried.stderr


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602])
def test_a_token_that_others_may_read_is_refused(daemon: Daemon, tmp_path: Path, mode: int) -> None:
    file = tmp_path / "token"
    file.write_text("t" * 43)
    file.chmod(mode)
    settings = f'tcp = "127.0.0.1:0"\n[door]\ntoken_file = "{file}"\n'
    code, complaint = served(daemon, settings=settings)
    assert code == 2
    assert "others may read" in complaint
    assert "chmod 600" in complaint


def test_a_token_that_can_be_guessed_is_refused(daemon: Daemon, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("hunter2\n")
    file.chmod(0o600)
    settings = f'tcp = "127.0.0.1:0"\n[door]\ntoken_file = "{file}"\n'
    code, complaint = served(daemon, settings=settings)
    assert code == 2
    assert "too short" in complaint
    assert "hunter2" not in complaint


# The end


def test_a_daemon_with_a_door_ends_as_others_do(tmp_path: Path) -> None:
    with running_daemon(tmp_path, arguments=("--tcp", "127.0.0.1:0")) as daemon:
        place = port_of(daemon)
        inside, stranger = TcpWire(place), TcpWire(place)
        inside.authorise(token_of(daemon))
        assert daemon.stop() == 0
        assert (inside.rest(), stranger.rest()) == (b"", b"")
        with pytest.raises(ConnectionRefusedError):
            TcpWire(place)
        inside.close()
        stranger.close()


# Addresses


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [("127.0.0.1:7000", "127.0.0.1", 7000), ("[::1]:0", "::1", 0), ("box.lan:1", "box.lan", 1)],
)
def test_an_address_is_a_host_and_a_port(text: str, host: str, port: int) -> None:
    address = address_of(text)
    assert (address.host, address.port) == (host, port)
    assert str(address) == text


@pytest.mark.parametrize("text", ["", "7000", ":7000", "host:", "host:x", "host:70000", "::1:7000"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BadSettings, match="HOST:PORT"):
        address_of(text)


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "192.0.2.1:7000"])
def test_an_address_that_others_can_reach_needs_tls(daemon: Daemon, address: str) -> None:
    code, complaint = served(daemon, "--tcp", address)
    assert code == 2
    assert "tls_cert" in complaint
    assert "plain = true" in complaint


def test_an_address_that_others_can_reach_is_served_in_plain_if_one_says_so(
    tmp_path: Path,
) -> None:
    settings = 'tcp = "0.0.0.0:0"\n[door]\nplain = true\n'
    with running_daemon(tmp_path, settings=settings) as daemon:
        port = port_of(daemon).rpartition(":")[2]
        wire = TcpWire(f"127.0.0.1:{port}")
        assert wire.authorise(token_of(daemon))["type"] == "authorised"
        wire.close()


def test_a_port_that_is_taken_is_named(daemon: Daemon) -> None:
    code, complaint = served(daemon, "--tcp", port_of(daemon))
    assert code == 1
    assert port_of(daemon) in complaint


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ('tls_key = "key.pem"', "needs a tls_cert"),
        ("connections = 0", "at least 1"),
        ("client_in_flight = 0", "at least 1"),
        ('token = "in the settings"', "unknown key"),
    ],
)
def test_a_door_that_makes_no_sense_is_refused(
    tmp_path: Path, setting: str, complaint: str
) -> None:
    config = tmp_path / "behest.toml"
    config.write_text(f"[door]\n{setting}\n")
    with pytest.raises(BadSettings, match=complaint):
        load(str(config))


# Browsers


HTTP = [
    "POST / HTTP/1.1\r\nHost: {at}\r\nContent-Type: text/plain\r\n\r\n{body}\n",
    "GET /{body} HTTP/1.1\r\nHost: {at}\r\nOrigin: http://evil.example\r\n\r\n",
    "PROPFIND * HTTP/1.1\r\n\r\n{body}\n",
    "get / http/1.0\r\n\r\n{body}\n",
    "GET /\r\n{body}\n",
    "\r\nPOST / HTTP/1.1\r\n\r\n{body}\n",
    "Host: {at}\r\n{body}\n",
    "Origin: null\r\n{body}\n",
    "GET /" + "x" * 60_000,
]


@pytest.mark.parametrize("request_", HTTP, ids=[line[:12].strip() for line in HTTP])
def test_a_web_page_is_hung_up_on_without_a_word_and_nothing_is_done(
    daemon: Daemon, connect: Connect, request_: str
) -> None:
    # even a page that knew the token could not use it
    auth = json.dumps({"type": "auth", "id": "a", "token": token_of(daemon)})
    make = json.dumps({"type": "submit", "id": "page", "text": "create a folder unasked"})
    wire = connect(host="127.0.0.4")
    with suppress(BrokenPipeError, ConnectionResetError):
        wire.send_raw(request_.format(at=port_of(daemon), body=f"{auth}\n{make}").encode())
    assert wire.rest() == b""
    assert daemon.connect().ask(type="status", id="s", command="page")["type"] == "error"
    assert "unasked" not in made(daemon)


def test_web_pages_do_not_make_a_host_suspect(daemon: Daemon, connect: Connect) -> None:
    for _ in range(WRONG_TRIES * 2):
        wire = connect(host="127.0.0.5")
        wire.send_raw(b"GET / HTTP/1.1\r\n\r\n")
        wire.rest()
    assert connect(host="127.0.0.5").authorise(token_of(daemon))["type"] == "authorised"
    assert not [
        record
        for record in daemon.log()
        if record.get("host") == "127.0.0.5" and record["event"] == "door.guessed"
    ]


# The Unix socket


def test_on_the_unix_socket_a_token_is_not_needed_and_not_looked_at(daemon: Daemon) -> None:
    wire = daemon.connect()
    assert wire.ask(type="auth", id="u", token="any") == {"type": "authorised", "id": "u"}  # noqa: S106
    assert wire.run("over unix", goals=TIME)[-1]["status"] == "success"


def test_one_client_can_cancel_and_ask_about_the_command_of_another(tmp_path: Path) -> None:
    with gated_daemon(tmp_path, settings='tcp = "127.0.0.1:0"\n') as (daemon, _gate):
        first = daemon.connect()
        first.submit("shared", goals=MUTE)
        first.read_until(type="action_started")
        second = TcpWire(port_of(daemon))
        second.authorise(token_of(daemon))
        assert second.ask(type="status", id="s", command="shared")["status"] == "running"
        second.send({"type": "cancel", "id": "c", "command": "shared"})
        assert second.read_until(type="finished")[-1]["command"] == "shared"
        assert first.read_until(type="finished")[-1]["command"] == "shared"
        second.close()


# TLS


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a throw-away certificate for the loopback, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    command += ["-subj", "/CN=behest", "-addext", "subjectAltName=IP:127.0.0.1"]
    command += ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory, certificate: Path) -> Iterator[Daemon]:
    """A daemon that speaks TLS to whoever can reach it."""
    settings = f'tcp = "0.0.0.0:0"\n[door]\ntls_cert = "{certificate}/cert.pem"\n'
    settings += f'tls_key = "{certificate}/key.pem"\n'
    with running_daemon(tmp_path_factory.mktemp("private"), settings=settings) as running:
        yield running


def private_port(daemon: Daemon) -> str:
    return f"127.0.0.1:{port_of(daemon).rpartition(':')[2]}"


def test_tls_with_a_certificate_that_the_client_trusts(private: Daemon, certificate: Path) -> None:
    trusting = ssl.create_default_context(cafile=certificate / "cert.pem")
    wire = TcpWire(private_port(private), tls=trusting)
    assert wire.authorise(token_of(private))["type"] == "authorised"
    (private.root / "big.txt").write_text("x" * 1_000_000)
    read = {"domain": "file", "verb": "read", "params": {"name": "big.txt"}}
    finished = wire.run("large", goals=[read] * 5)[-1]
    assert sum(len(result["output"]["text"]) for result in finished["results"]) == 5_000_000
    wire.close()


def test_tls_with_a_certificate_that_nobody_vouches_for_fails(private: Daemon) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        TcpWire(private_port(private), tls=ssl.create_default_context())


def test_a_wrong_token_is_refused_over_tls_too(private: Daemon, certificate: Path) -> None:
    trusting = ssl.create_default_context(cafile=certificate / "cert.pem")
    wire = TcpWire(private_port(private), host="127.0.0.2", tls=trusting)
    assert wire.authorise("wrong")["code"] == "UNAUTHORISED"
    assert wire.rest() == b""
    wire.close()


def test_one_who_does_not_speak_tls_is_hung_up_on_and_disturbs_nobody(
    private: Daemon, certificate: Path
) -> None:
    plain = TcpWire(private_port(private))
    plain.send({"type": "auth", "id": "a", "token": token_of(private)})
    assert b"authorised" not in plain.rest()
    plain.close()
    cut = TcpWire(
        private_port(private), tls=ssl.create_default_context(cafile=certificate / "cert.pem")
    )
    cut.authorise(token_of(private))
    raw = socket.socket(fileno=cut.detach())
    raw.sendall(b"this is no TLS record")
    raw.close()
    assert private.connect().run("undisturbed", goals=TIME)[-1]["status"] == "success"
    assert not [record for record in private.log() if "crashed" in record["event"]]


def test_a_certificate_that_cannot_be_loaded_is_named(daemon: Daemon, tmp_path: Path) -> None:
    (tmp_path / "cert.pem").write_text("no certificate")
    settings = f'tcp = "127.0.0.1:0"\n[door]\ntls_cert = "{tmp_path}/cert.pem"\n'
    code, complaint = served(daemon, settings=settings)
    assert code == 2
    assert "cert.pem" in complaint


# How much one client, and all of them, may have


def test_one_connection_too_many_is_told_so_and_when_to_try_again(tmp_path: Path) -> None:
    settings = 'tcp = "127.0.0.1:0"\n[door]\nconnections = 3\n'
    with running_daemon(tmp_path, settings=settings) as daemon:
        clients = [daemon.connect() for _ in range(2)]
        over_tcp = TcpWire(port_of(daemon))
        assert over_tcp.authorise(token_of(daemon))["type"] == "authorised"
        assert all(client.ask(type="status", id="in")["id"] == "in" for client in clients)
        for wire in (daemon.connect(), TcpWire(port_of(daemon))):
            if isinstance(wire, TcpWire):
                wire.send({"type": "auth", "id": "a", "token": token_of(daemon)})
            error = wire.read()
            assert (error["type"], error["code"]) == ("error", "BUSY")
            assert error["retry_after"] > 0
            with pytest.raises((EOFError, ConnectionResetError)):
                wire.read()
            wire.close()
        clients[0].close()
        daemon.wait_for("client.left")
        assert daemon.connect().ask(type="status", id="room")["id"] == "room"
        over_tcp.close()


def test_one_command_too_many_of_a_client_is_told_so_and_others_are_served(
    tmp_path: Path,
) -> None:
    settings = "[door]\nclient_in_flight = 3\n"
    with gated_daemon(tmp_path, settings=settings) as (daemon, gate):
        client = daemon.connect()
        client.submit("held", goals=MUTE, session="held")
        client.submit("waiting", goals=TIME, session="held")
        client.submit("waiting too", goals=TIME, session="held")
        client.read_until(type="accepted", command="waiting too")
        client.submit("too many", goals=TIME)
        error = client.read_until(type="error")[-1]
        assert (error["code"], error["id"]) == ("BUSY", "too many")
        assert error["retry_after"] > 0
        assert daemon.connect().run("another's", goals=TIME)[-1]["status"] == "success"
        client.send({"type": "cancel", "id": "c", "command": "waiting"})  # this is always served
        client.read_until(type="finished", command="waiting")
        assert client.run("now", goals=TIME)[-1]["status"] == "success"
        gate.let_one_pass()


def test_a_daemon_with_too_much_to_do_says_when_to_try_again(tmp_path: Path) -> None:
    with gated_daemon(tmp_path, settings="[limits]\nin_flight = 1\n") as (daemon, gate):
        client = daemon.connect()
        client.submit("held", goals=MUTE)
        client.read_until(type="action_started")
        error = daemon.connect().ask(type="submit", id="more", goals=TIME)
        assert (error["code"], error["id"]) == ("BUSY", "more")
        assert error["retry_after"] > 0
        gate.let_one_pass()


def all_that_comes(wire: Wire) -> Iterator[Event]:
    """Read to the very end, however the connection ends."""
    with suppress(EOFError, ConnectionResetError):
        while True:
            yield wire.read()


def test_a_client_that_is_shed_is_told_so_after_its_last_whole_frame(tmp_path: Path) -> None:
    params = {"object_type": "file", "name": "large.txt", "content": "x" * 900_000}
    large = [{"domain": "file", "verb": "create", "params": params}]
    with running_daemon(tmp_path) as daemon:
        deaf = daemon.connect()
        with suppress(OSError):  # it still sends when the daemon has stopped listening
            for number in range(50):
                deaf.submit(f"deaf-{number}", goals=large, session="deaf", mode="plan")
        daemon.wait_for("client.shed")
        frames = list(all_that_comes(deaf))
        assert [frame["type"] for frame in frames[:-1]].count("error") == 0
        assert (frames[-1]["type"], frames[-1]["code"]) == ("error", "SHED")
        assert daemon.connect().run("undisturbed", goals=TIME)[-1]["status"] == "success"


def test_when_all_clients_together_have_too_much_the_one_with_the_most_goes() -> None:
    pool = Pool(limit=1_000)
    small, large = Outbox(10_000, pool), Outbox(10_000, pool)
    small.put(b"x" * 300)
    large.put(b"x" * 600)
    assert not large.overflowed
    small.put(b"x" * 200)
    assert large.overflowed
    assert not small.overflowed
    assert pool.waiting == 500
    small.leave()
    large.leave()
    assert pool.waiting == 0


@pytest.fixture
def _many_descriptors() -> Iterator[None]:
    """Let this process, and those it starts, have as many connections as a test needs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(DESCRIPTORS, hard), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_half_frames_of_many_clients_together_take_little_memory(tmp_path: Path) -> None:
    with running_daemon(tmp_path) as daemon:
        process = psutil.Process(daemon.process.pid)
        before = process.memory_info().rss
        half = b'{"type":"submit","id":"h","text":"' + b"x" * 1_000_000
        clients = [daemon.connect() for _ in range(300)]
        for client in clients:
            client.send_raw(half)
        refused = clients[-1].read()
        assert (refused["code"], refused["retry_after"]) == ("BUSY", 1.0)
        assert process.memory_info().rss - before < 100 << 20
        bystander = daemon.connect()
        assert bystander.run("undisturbed", goals=TIME)[-1]["status"] == "success"
        clients[-1].send_raw(b'"}\n{"type":"status","id":"next"}\n')
        assert clients[-1].read()["id"] == "next"


@pytest.mark.usefixtures("_many_descriptors")
def test_thousands_of_connections_come_and_go_while_another_client_is_served(
    tmp_path: Path,
) -> None:
    settings = 'tcp = "127.0.0.1:0"\n[door]\nconnections = 2500\n'
    with running_daemon(tmp_path, settings=settings) as daemon:
        served_client = daemon.connect()
        assert served_client.ask(type="status", id="s")["type"] == "state"
        watcher = daemon.connect()
        watcher.ask(type="subscribe", id="w", events=["client.left"])
        process = psutil.Process(daemon.process.pid)
        auth = {"type": "auth", "id": "a", "token": token_of(daemon)}
        with closing(TcpWire(port_of(daemon))) as first:  # libuv keeps a descriptor from then on
            first.send(auth)
            assert first.read()["type"] == "authorised"
        assert watcher.read()["type"] == "trace"
        before = process.num_fds()
        with ExitStack() as wires:
            for number in range(2_100):
                wire = TcpWire(port_of(daemon)) if number % 2 else Wire(daemon.socket)
                wires.callback(wire.close)
                wire.send(auth)
                if number % 100 == 99:
                    ended = served_client.run(f"meanwhile {number}", goals=TIME)[-1]
                    assert ended["status"] == "success"
                    assert wire.read()["type"] == "authorised"
            assert process.num_fds() >= before + 2_000
        assert [watcher.read()["type"] for _ in range(2_100)] == ["trace"] * 2_100
        assert served_client.run("after all", goals=TIME)[-1]["status"] == "success"
        assert process.num_fds() <= before
        assert not [record for record in daemon.log() if "crashed" in record["event"]]


@pytest.mark.usefixtures("_many_descriptors")
def test_a_daemon_that_runs_out_of_descriptors_neither_dies_nor_spins(tmp_path: Path) -> None:
    with running_daemon(tmp_path, arguments=("--tcp", "127.0.0.1:0")) as daemon:
        client = daemon.connect()
        client.ask(type="status", id="s")
        process = psutil.Process(daemon.process.pid)
        few = process.num_fds() + 20
        process.rlimit(psutil.RLIMIT_NOFILE, (few, few))
        with ExitStack() as wires:
            for number in range(100):
                wire = TcpWire(port_of(daemon)) if number % 2 else Wire(daemon.socket)
                wires.callback(wire.close)
            daemon.wait_for("gateway.full")
            worked = sum(process.cpu_times()[:2])
            for number in range(50):
                assert client.ask(type="status", id=f"s{number}")["id"] == f"s{number}"
            assert sum(process.cpu_times()[:2]) - worked < 5  # work, not time
        late = daemon.connect()
        assert late.run("after all", goals=TIME)[-1]["status"] == "success"
        full = [record for record in daemon.log() if record["event"] == "gateway.full"]
        assert len(full) < 10


# The command line


def test_send_over_tcp_from_end_to_end(daemon: Daemon) -> None:
    token = daemon.socket.parent / "state" / "token"
    named = ("--tcp", port_of(daemon), "--token-file", str(token))
    sent = daemon.cli("send", *named, "create a folder over-tcp")
    assert (sent.returncode, sent.stderr) == (0, "")
    assert "over-tcp" in made(daemon)
    status = daemon.cli("status", *named)
    assert json.loads(status.stdout)["health"]["pid"] == daemon.process.pid


def test_a_client_finds_door_and_token_in_its_environment(daemon: Daemon) -> None:
    surroundings = {
        **daemon.environment,
        "BEHEST_TCP": port_of(daemon),
        "BEHEST_STATE": str(daemon.socket.parent / "state"),
    }
    sent = cli(surroundings, "send", "--json", "what time is it")
    assert sent.returncode == 0, sent.stderr
    del surroundings["BEHEST_STATE"]
    surroundings["BEHEST_TOKEN_FILE"] = str(daemon.socket.parent / "state" / "token")
    assert cli(surroundings, "describe").returncode == 0


def cli(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in these surroundings."""
    return subprocess.run(
        [sys.executable, str(PROJECT / "run.py"), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_a_client_with_the_wrong_token_is_told_so(daemon: Daemon, tmp_path: Path) -> None:
    wrong = tmp_path / "token"
    wrong.write_text("w" * 43)
    wrong.chmod(0o600)
    sent = daemon.cli("send", "--tcp", port_of(daemon), "--token-file", str(wrong), "mute")
    assert sent.returncode == 2
    assert "token" in sent.stderr
    assert "w" * 43 not in sent.stderr


def test_a_client_without_a_token_is_told_where_it_should_be(daemon: Daemon) -> None:
    sent = daemon.cli("send", "--tcp", port_of(daemon), "mute")
    assert sent.returncode == 2
    assert "--token-file" in sent.stderr


def test_a_client_does_not_send_its_token_in_plain_to_another_machine(daemon: Daemon) -> None:
    token = daemon.socket.parent / "state" / "token"
    sent = daemon.cli("send", "--tcp", "192.0.2.1:7000", "--token-file", str(token), "mute")
    assert sent.returncode == 2
    assert "--tls-ca" in sent.stderr


def test_send_over_tls_trusts_whom_it_was_told_to(private: Daemon, certificate: Path) -> None:
    token = private.socket.parent / "state" / "token"
    named = ("--tcp", private_port(private), "--token-file", str(token))
    trusting = ("--tls-ca", str(certificate / "cert.pem"))
    assert private.cli("send", *named, *trusting, "what time is it").returncode == 0
    plain = private.cli("send", *named, "what time is it")
    assert plain.returncode == 2
    assert "--tls-ca" in plain.stderr
    port = private_port(private).rpartition(":")[2]
    other = private.cli(
        *("send", "--tcp", f"localhost:{port}", "--token-file", str(token), *trusting, "mute")
    )
    assert other.returncode == 2
    assert "certificate" in other.stderr


def test_socket_and_tcp_exclude_each_other(daemon: Daemon) -> None:
    both = daemon.cli("status", "--tcp", "127.0.0.1:1", "--socket", str(daemon.socket))
    assert both.returncode == 2
    assert "not allowed with" in both.stderr


def test_a_remote_daemon_shows_no_token_when_it_is_printed() -> None:
    remote = Remote(address_of("127.0.0.1:7000"), Secret("do not show"), None)
    assert "do not show" not in repr(remote)
