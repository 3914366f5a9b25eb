"""A cluster on this machine: NATS servers and processes of each role, all of them real.

All executors work on the same folder, so that it can be counted there what was done.
"""

import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from tests.daemon import NO_APPROVAL, PROJECT, Daemon, Wire
from tests.nats_servers import Servers, one_server, three_servers

SHARDS = 4


@dataclass
class Cluster:
    """The processes that run, by name."""

    folder: Path
    running: Servers | None
    replicas: int = 1
    members: dict[str, Daemon] = field(default_factory=dict)
    roles: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)

    @property
    def servers(self) -> Servers:
        assert self.running is not None
        return self.running

    @property
    def urls(self) -> list[str]:
        return ["embedded"] if self.running is None else self.running.urls

    @property
    def root(self) -> Path:
        return self.folder / "work"

    def start(
        self,
        role: str,
        name: str,
        *labels: str,
        wait: bool = True,
        program: tuple[str, ...] = (str(PROJECT / "run.py"),),
        arguments: tuple[str, ...] = (),
    ) -> Daemon:
        """Start a process of a role, with a state of its own."""
        self.roles[name] = (role, labels)
        home = self.folder / name
        home.mkdir(exist_ok=True)
        self.root.mkdir(exist_ok=True)
        config = home / "behest.toml"
        bus = f"[bus]\nshards = {SHARDS}\nreplicas = {self.replicas}\n"
        config.write_text(f"{NO_APPROVAL}\n{bus}")
        command = [sys.executable, *program, "serve", *arguments]
        command += ["--config", str(config), "--state", str(home / "state")]
        command += ["--socket", str(home / "behest.sock"), "--root", f"work={self.root}"]
        command += ["--role", role, "--name", name]
        command += [part for url in self.urls for part in ("--bus", url)]
        command += [part for label in labels for part in ("--label", label)]
        surroundings = {"PATH": "/usr/bin:/bin", "HOME": str(home), "XDG_RUNTIME_DIR": str(home)}
        with (home / "errors").open("ab") as errors:
            process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=surroundings,
                cwd=PROJECT,
                start_new_session=True,
            )
        daemon = Daemon(process, home, self.root, home / "behest.sock", surroundings)
        self.members[name] = daemon
        if wait:
            daemon.wait_for("daemon.ready")
        return daemon

    def start_all(self, members: Iterable[tuple[str, str]]) -> list[Path]:
        """Start processes side by side; give the sockets of the gateways."""
        for role, name in members:
            self.start(role, name, wait=False)
        for daemon in self.members.values():
            daemon.wait_for("daemon.ready")
        return [self.members[name].socket for role, name in members if role == "gateway"]

    def kill(self, name: str) -> None:
        """End a process at once."""
        self.members[name].stop(signal.SIGKILL)

    def restart(self, name: str, *, wait: bool = True) -> Daemon:
        """Start a process that was ended once more, with the state that it left."""
        self.members[name].stop()
        role, labels = self.roles[name]
        return self.start(role, name, *labels, wait=wait)

    def wait_for_members(self, gateway: str, role: str, count: int) -> None:
        """Wait until so many processes of a role are known; all hear of them alike."""
        wire = self.connect(gateway)

        def are_known() -> bool:
            health = wire.ask(type="status", id="members").get("health") or {}
            return [each["role"] for each in health.get("members", ())].count(role) >= count

        assert until(are_known)

    def errors(self) -> str:
        """Give what the processes wrote to their standard errors: nothing, if all is well."""
        found = [self.folder / name / "errors" for name in self.roles]
        return "\n".join(path.read_text() for path in found if path.exists())

    def connect(self, name: str, patience: float = 30.0) -> Wire:
        return self.members[name].connect(patience)

    def stop(self) -> None:
        for daemon in self.members.values():
            if daemon.process.poll() is None:
                daemon.process.terminate()
        for daemon in self.members.values():
            try:
                daemon.process.wait(15)
            except subprocess.TimeoutExpired:
                daemon.process.kill()
            daemon.stop()


@contextmanager
def running_cluster(folder: Path, *, servers: int = 1) -> Iterator[Cluster]:
    """Start NATS servers; whoever asked starts the processes, and all are ended behind them.

    Without servers there can be one process, with the bus that is in it.
    """
    folder.mkdir(exist_ok=True)
    if not servers:
        starting: AbstractContextManager[Servers | None] = nullcontext(None)
    else:
        starting = one_server(folder) if servers == 1 else three_servers(folder)
    with starting as running:
        cluster = Cluster(folder, running, replicas=max(1, servers))
        try:
            yield cluster
        finally:
            cluster.stop()


def until(holds: "object", seconds: float = 30.0) -> bool:
    """Look until something holds; tell whether it came to."""
    assert callable(holds)
    end = time.monotonic() + seconds
    while not (found := bool(holds())) and time.monotonic() < end:
        time.sleep(0.05)
    return found
