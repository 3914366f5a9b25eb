"""Real NATS servers on loopback, for the length of a ``with`` block: one, or a cluster of three.

They sync every write, keep what they store in the folder they are given, and can be killed, stopped
and started again. Only processes that were started here are ended here.
"""

import json
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

PATIENCE = 30.0
POLL = 0.02
HOST = "127.0.0.1"
CONFIG = """
server_name: {name}
listen: "{host}:{port}"
http: "{host}:{monitor}"
jetstream {{
  store_dir: "{store}", sync_interval: always, max_file_store: 16GB, max_memory_store: 256MB
}}
"""
CLUSTER = """
cluster {{ name: tests, listen: "{host}:{route}", no_advertise: true, routes: [{routes}] }}
"""


@dataclass
class Member:
    """A server that may run or not."""

    name: str
    port: int
    monitor: int
    config: Path
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        log = self.config.with_suffix(".log")
        program = shutil.which("nats-server", path=str(Path(sys.executable).parent))
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [program or "nats-server", "-c", str(self.config)], stdout=output, stderr=output
            )

    def end(self, number: signal.Signals) -> None:
        if self.process is not None:
            self.process.send_signal(number)
            self.process.send_signal(signal.SIGCONT)  # one that is stopped would not end
            self.process.wait(PATIENCE)

    def answer(self, path: str) -> Any:
        """What the monitoring has to say; nothing if it does not answer."""
        with suppress(urllib.error.URLError, OSError, ValueError):
            where = f"http://{HOST}:{self.monitor}{path}"
            with urllib.request.urlopen(where, timeout=1) as response:
                return json.load(response)
        return None

    def is_healthy(self) -> bool:
        return bool(self.answer("/healthz") == {"status": "ok"})

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds; a server that ends meanwhile is an error."""
        assert self.process is not None
        until = time.monotonic() + PATIENCE
        while not holds():
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(POLL)
                raise RuntimeError(
                    f"{self.name} ended:\n{self.config.with_suffix('.log').read_text()}"
                )
            if time.monotonic() > until:
                raise TimeoutError(f"{self.name}:\n{self.config.with_suffix('.log').read_text()}")


@dataclass
class Servers:
    """What runs, and what a test may do to it. All of it waits, so it belongs into a thread."""

    members: list[Member] = field(default_factory=list)

    @property
    def urls(self) -> list[str]:
        return [f"nats://{HOST}:{member.port}" for member in self.members]

    def kill(self, index: int = 0) -> None:
        self.members[index].end(signal.SIGKILL)

    def terminate(self, index: int = 0) -> None:
        self.members[index].end(signal.SIGTERM)

    def pause(self, index: int = 0) -> None:
        self._signal(index, signal.SIGSTOP)

    def resume(self, index: int = 0) -> None:
        self._signal(index, signal.SIGCONT)

    def start(self, index: int = 0) -> None:
        """Start a server that was ended, with what it had stored."""
        member = self.members[index]
        member.start()
        member.wait_until(member.is_healthy)

    def restart(self, index: int = 0) -> None:
        self.kill(index)
        self.start(index)

    def lose_everything(self, index: int = 0) -> None:
        """Restart a server with nothing of what it had stored."""
        self.kill(index)
        shutil.rmtree(self.members[index].config.parent / "store")
        self.start(index)

    def leader(self, stream: str) -> int:
        """The index of the member that leads a stream."""
        found: list[int] = []

        def is_found() -> bool:
            found[:] = self._leaders(stream)
            return bool(found)

        next(member for member in self.members if member.is_running).wait_until(is_found)
        return found[0]

    def _leaders(self, stream: str) -> list[int]:
        names = [member.name for member in self.members]
        leaders = []
        for member in self.members:
            if not member.is_running:
                continue
            told = member.answer("/jsz?accounts=true&streams=true") or {}
            for account in told.get("account_details", ()):
                for detail in account.get("stream_detail", ()):
                    leader = detail.get("cluster", {}).get("leader", "")
                    if detail["name"] == stream and leader == member.name:
                        leaders.append(names.index(leader))
        return leaders

    def _signal(self, index: int, number: signal.Signals) -> None:
        process = self.members[index].process
        assert process is not None
        process.send_signal(number)


def free_ports(count: int) -> list[int]:
    """Ports nobody has, all of them different."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((HOST, 0))
        return [each.getsockname()[1] for each in sockets]


@contextmanager
def one_server(folder: Path) -> Iterator[Servers]:
    """A server by itself."""
    with running_servers(folder, 1, lambda member: member.is_healthy()) as servers:
        yield servers


@contextmanager
def three_servers(folder: Path) -> Iterator[Servers]:
    """A cluster of three that has a leader."""

    def is_ready(member: Member) -> bool:
        told = member.answer("/jsz") or {}
        cluster = told.get("meta_cluster", {})
        return (
            bool(cluster.get("leader")) and cluster.get("cluster_size") == 3 and member.is_healthy()
        )

    with running_servers(folder, 3, is_ready) as servers:
        yield servers


@contextmanager
def running_servers(
    folder: Path, count: int, is_ready: Callable[[Member], bool]
) -> Iterator[Servers]:
    ports = free_ports(3 * count)
    routes = ports[2 * count :]
    servers = Servers()
    for index in range(count):
        name = f"n{index + 1}"
        home = folder / name
        home.mkdir(parents=True, exist_ok=True)
        member = Member(name, ports[index], ports[count + index], home / "nats.conf")
        text = CONFIG.format(
            name=name, host=HOST, port=member.port, monitor=member.monitor, store=home / "store"
        )
        if count > 1:
            told = ", ".join(f'"nats://{HOST}:{route}"' for route in routes)
            text += CLUSTER.format(host=HOST, route=routes[index], routes=told)
        member.config.write_text(text)
        servers.members.append(member)
    try:
        for member in servers.members:
            member.start()
        for member in servers.members:
            member.wait_until(partial(is_ready, member))
        yield servers
    finally:
        for index in range(count):
            servers.kill(index)
