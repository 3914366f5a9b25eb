"""What docs/deploy ships: servers start with it, each role can do its work, and nothing else."""

import json
import math
import os
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import sys
import time
import tomllib
import urllib.request
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import (
    AsyncExitStack,
    ExitStack,
    asynccontextmanager,
    closing,
    contextmanager,
    suppress,
)
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import nats
import pytest
from anyio.streams.memory import MemoryObjectReceiveStream
from nats.aio.client import Client

from tests.daemon import PATIENCE, PROJECT, Daemon, Wire
from tools.bus.jetstream import JetStreamBus

SHIPPED = PROJECT / "docs" / "deploy"
UNITS = sorted(SHIPPED.glob("*.service"))
ROLES = ("gateway", "brain", "executor")
HOST = "127.0.0.1"
POLL = 0.05


# A deployment of its own, made as the README says


@dataclass
class Member:
    """A server that runs with the shipped configuration."""

    folder: Path
    port: int
    route: int
    monitor: int
    process: subprocess.Popen[bytes]

    def answer(self, path: str) -> dict[str, object]:
        with urllib.request.urlopen(f"http://{HOST}:{self.monitor}{path}", timeout=2) as response:
            answer: dict[str, object] = json.load(response)
        return answer

    def is_healthy(self) -> bool:
        try:
            return self.answer("/healthz") == {"status": "ok"}
        except OSError:
            return False

    def wait_until_healthy(self) -> None:
        until = time.monotonic() + PATIENCE
        while not self.is_healthy():
            assert self.process.poll() is None, self.log()
            assert time.monotonic() < until, self.log()
            time.sleep(POLL)

    def log(self) -> str:
        return (self.folder / "log").read_text()

    def violations(self) -> list[str]:
        return [line for line in self.log().splitlines() if "Violation" in line]

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)


@dataclass
class Deployment:
    """A folder as make_trial.sh makes it, and the servers that run with it."""

    folder: Path
    members: list[Member] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"nats://{HOST}:{self.members[0].port}"

    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.folder / "tls" / "ca.pem")

    def password(self, user: str) -> str:
        return (self.folder / "members" / f"{user}.password").read_text().strip()

    @asynccontextmanager
    async def bus(self, user: str, replicas: int = 1) -> AsyncIterator[JetStreamBus]:
        """The bus as a process of Behest has it."""
        bus = await JetStreamBus.connect(
            [self.url],
            replicas=replicas,
            user=user,
            password=self.password(user),
            tls=self.trust(),
            name=user,
            patience=5.0,
        )
        try:
            yield bus
        finally:
            await bus.close()

    @asynccontextmanager
    async def client(self, user: str) -> AsyncIterator["Intruder"]:
        """A connection that may try anything."""
        put, refusals = anyio.create_memory_object_stream[str](math.inf)

        async def note(error: Exception) -> None:
            put.send_nowait(str(error))

        client = await nats.connect(
            self.url,
            user=user,
            password=self.password(user),
            tls=self.trust(),
            error_cb=note,
            allow_reconnect=False,
        )
        with put, refusals:
            try:
                yield Intruder(client, refusals)
            finally:
                await client.close()


@dataclass
class Intruder:
    """What a member could do with its password, and what the server says to it."""

    client: Client
    refusals: MemoryObjectReceiveStream[str]

    async def refused(self, count: int) -> list[str]:
        """Give the subjects that the server has refused, as soon as there are so many."""
        with anyio.fail_after(PATIENCE):
            refusals = [await self.refusals.receive() for _ in range(count)]
        return [refusal.rpartition(" to ")[2].strip('"') for refusal in refusals]


def environment_of(path: Path) -> dict[str, str]:
    """Read a file of variables as systemd does."""
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((HOST, 0))
        return [each.getsockname()[1] for each in sockets]


def program(name: str) -> str:
    """Find what was installed beside Python."""
    found = shutil.which(
        name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    assert found is not None, name
    return found


@contextmanager
def deployed(folder: Path, count: int) -> Iterator[Deployment]:
    """Run so many servers with the shipped files; what differs comes from the environment."""
    made = folder / "trial"
    subprocess.run(
        ["sh", str(SHIPPED / "make_trial.sh"), str(made), "localhost", HOST],
        check=True,
        capture_output=True,
    )
    if count == 1:
        config = made / "nats.conf"
        config.write_text(config.read_text().replace("include ./cluster.conf", ""))
    ports, routes, monitors = (free_ports(3 * count)[index::3] for index in range(3))
    shared = {
        **environment_of(made / "nats.env"),
        "NATS_ROUTES": f"[{','.join(f'nats-route://{HOST}:{route}' for route in routes)}]",
        "NATS_CERT": str(made / "tls" / "server.pem"),
        "NATS_KEY": str(made / "tls" / "server.key"),
        "NATS_CA": str(made / "tls" / "ca.pem"),
    }
    deployment = Deployment(made)
    try:
        for index, (port, route, monitor) in enumerate(zip(ports, routes, monitors, strict=True)):
            home = folder / f"nats-{index + 1}"
            home.mkdir()
            own = {
                "NATS_NAME": home.name,
                "NATS_LISTEN": f"{HOST}:{port}",
                "NATS_CLUSTER_LISTEN": f"{HOST}:{route}",
                "NATS_MONITOR": f"{HOST}:{monitor}",
                "NATS_STORE": str(home / "store"),
            }
            with (home / "log").open("ab") as log:
                command = [program("nats-server"), "-c", str(made / "nats.conf")]
                process = subprocess.Popen(command, stdout=log, stderr=log, env={**shared, **own})
            deployment.members.append(Member(home, port, route, monitor, process))
        for member in deployment.members:
            member.wait_until_healthy()
        yield deployment
    finally:
        for member in deployment.members:
            member.end()


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """One server without routes, with every stream that Behest has."""
    with deployed(tmp_path_factory.mktemp("deploy"), 1) as deployment:
        anyio.run(make_streams, deployment)
        yield deployment


async def make_streams(deployment: Deployment) -> None:
    """Have the streams made by those who are allowed to: brains, and whoever uses them."""
    async with deployment.bus("brain-1") as brain, deployment.bus("gateway-1") as gateway:
        await brain.log("shard-9").append(b"opened", 0)
        for bucket in ("leases", "places", "abilities"):
            await brain.get(bucket, "nobody")
        await brain.put_blob(b"blob")
        await gateway.send("brain.8", "unreadable", b"unreadable")
        async with brain.deliveries("brain.8", "brains") as requests:
            await (await anext(aiter(requests))).poison("it cannot be read")


# The servers


def test_every_write_is_synced_and_the_monitoring_stays_on_loopback(single: Deployment) -> None:
    config = single.members[0].answer("/jsz?config=true")["config"]
    assert isinstance(config, dict)
    assert config["sync_always"]
    assert environment_of(SHIPPED / "nats.env")["NATS_MONITOR"].startswith("127.0.0.1:")


def test_a_client_without_tls_is_turned_away(single: Deployment) -> None:
    assert b"PONG" in greet(single, single.trust(), access_of(single, "brain-1"))
    assert b"PONG" not in greet(single, None, access_of(single, "brain-1"))


@pytest.mark.parametrize("access", [{}, {"user": "brain-1"}, {"user": "brain-1", "pass": "x"}])
def test_a_client_without_the_right_password_is_turned_away(
    single: Deployment, access: dict[str, str]
) -> None:
    said = greet(single, single.trust(), access)
    assert b"Authorization Violation" in said
    assert b"PONG" not in said


def test_a_server_with_a_certificate_of_somebody_else_is_not_trusted(single: Deployment) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        greet(single, ssl.create_default_context(), access_of(single, "brain-1"))


def access_of(deployment: Deployment, user: str) -> dict[str, str]:
    return {"user": user, "pass": deployment.password(user)}


def greet(
    deployment: Deployment, context: ssl.SSLContext | None, access: Mapping[str, str]
) -> bytes:
    """Come as a client, and give what the server says to that."""
    greeting = json.dumps({"verbose": False, "tls_required": context is not None, **access})
    with ExitStack() as stack:
        address = (HOST, deployment.members[0].port)
        client = stack.enter_context(socket.create_connection(address, timeout=PATIENCE))
        info = client.recv(65536)
        assert json.loads(info.removeprefix(b"INFO "))["tls_required"]
        if context is not None:
            client = stack.enter_context(context.wrap_socket(client, server_hostname=HOST))
        client.sendall(f"CONNECT {greeting}\r\nPING\r\n".encode())
        found = b""
        with suppress(OSError):
            while b"PONG" not in found and (part := client.recv(65536)):
                found += part
        return found


def test_three_servers_form_a_cluster_that_nobody_joins_without_a_certificate(
    tmp_path: Path,
) -> None:
    with deployed(tmp_path, 3) as deployment:
        anyio.run(write_and_read_with_replicas, deployment)
        assert knock_at_route(deployment, "server").startswith(b"INFO ")
        for certificate in (None, "gateway"):
            assert knock_at_route(deployment, certificate) == b""


async def write_and_read_with_replicas(deployment: Deployment) -> None:
    async with deployment.bus("brain-1", 3) as brain, deployment.bus("gateway-1", 3) as gateway:
        log = brain.log("shard-9")
        assert await log.append(b"opened", 0) == 1
        assert await gateway.send("brain.9", "ask", b"do this")
        async with brain.deliveries("brain.9", "brains") as requests:
            assert (await anext(aiter(requests))).body == b"do this"
        info = await brain.connection.js.stream_info("behest_log_shard-9")
        assert info.config.num_replicas == 3


def knock_at_route(deployment: Deployment, certificate: str | None) -> bytes:
    """Come as a server would, and give what the other one says of itself."""
    context = deployment.trust()
    if certificate is not None:
        tls = deployment.folder / "tls"
        context.load_cert_chain(tls / f"{certificate}.pem", tls / f"{certificate}.key")
    with socket.create_connection((HOST, deployment.members[0].route), timeout=PATIENCE) as plain:
        try:
            with context.wrap_socket(plain, server_hostname=HOST) as route:
                return route.recv(4096)
        except OSError:
            return b""


# What each role needs


async def test_a_brain_keeps_leases_places_and_logs(single: Deployment) -> None:
    async with single.bus("brain-2") as brain:
        revision = await brain.create("leases", "shard.9", b"brain-2")
        revision = await brain.update("leases", "shard.9", b"brain-2", revision)
        await brain.delete("leases", "shard.9", revision)
        await brain.create("places", "0a1b", b"executor-1")
        log = brain.log("shard-8")
        end = await log.append(b"opened", 0)
        end = await log.append(b"batch", end)
        await log.trim(end)
        assert [entry.body for entry in (await log.read())[0]] == [b"batch"]
    assert not single.members[0].violations()


async def test_requests_and_answers_reach_whom_they_are_for(single: Deployment) -> None:
    async with AsyncExitStack() as stack:
        gateway, brain, executor = [
            await stack.enter_async_context(single.bus(user))
            for user in ("gateway-1", "brain-1", "executor-1")
        ]
        at_gateway = await stack.enter_async_context(gateway.hear("gateway.gateway-1"))
        at_brain = await stack.enter_async_context(brain.hear("unit.0.1"))
        await gateway.send("brain.9", "ask-1", b"request")
        requests = await stack.enter_async_context(brain.deliveries("brain.9", "brains"))
        request = await anext(aiter(requests))
        await brain.send("executor.executor-1", "ask-2", b"work")
        jobs = await stack.enter_async_context(
            executor.deliveries("executor.executor-1", "executor-1")
        )
        job = await anext(aiter(jobs))
        await job.still_working()
        blob = await executor.put_blob(b"long answer")
        await executor.tell("unit.0.1", blob.encode())
        assert await brain.get_blob((await anext(at_brain)).decode()) == b"long answer"
        await job.ack()
        await brain.tell("gateway.gateway-1", b"answer")
        assert await anext(at_gateway) == b"answer"
        await request.ack()
        assert (request.body, job.body) == (b"request", b"work")
    assert not single.members[0].violations()


async def test_an_executor_tells_what_it_can_do_and_puts_away_what_it_cannot_read(
    single: Deployment,
) -> None:
    async with single.bus("executor-2") as executor, single.bus("brain-1") as brain:
        await executor.create("abilities", "executor-2", b"files")
        await brain.send("executor.executor-2", "ask-3", b"noise")
        async with executor.deliveries("executor.executor-2", "executor-2") as jobs:
            await (await anext(aiter(jobs))).poison("it cannot be read")
    async with single.bus("gateway-1") as gateway, single.bus("admin") as admin:
        held = await gateway.get("abilities", "executor-2")
        assert held is not None
        assert held.value == b"files"
        addresses = [letter.address for letter in await admin.dead_letters()]
        assert "executor.executor-2" in addresses
    assert not single.members[0].violations()


async def test_everybody_hears_the_heartbeats_of_everybody(single: Deployment) -> None:
    async with AsyncExitStack() as stack:
        users = ("gateway-1", "brain-1", "executor-1")
        buses = [await stack.enter_async_context(single.bus(user)) for user in users]
        heard = [await stack.enter_async_context(bus.hear("beats")) for bus in buses]
        for bus, user in zip(buses, users, strict=True):
            await bus.tell("beats", user.encode())
        for beats in heard:
            assert {(await anext(beats)).decode() for _ in users} == set(users)
    assert not single.members[0].violations()


# What each role must not

STREAM, CONSUMER = "$JS.API.STREAM", "$JS.API.CONSUMER"
NOBODY_MAY = (
    f"{STREAM}.DELETE.behest_work",
    f"{STREAM}.MSG.DELETE.behest_log_shard-9",
    f"{STREAM}.PURGE.behest_work",
    f"{STREAM}.PURGE.KV_behest_leases",
    f"{STREAM}.MSG.GET.behest_work",
    f"{STREAM}.SNAPSHOT.behest_log_shard-9",
    f"{STREAM}.NAMES",
    f"{CONSUMER}.CREATE.behest_work",
    f"{CONSUMER}.CREATE.behest_work.spy",
    f"{CONSUMER}.CREATE.behest_work.spy.behest.work.executor.executor-2",
    f"{CONSUMER}.DURABLE.CREATE.behest_work.spy",
    f"{CONSUMER}.DELETE.behest_work.brain=9=brains",
    "$KV.behest_abilities.executor-9",
    "$JS.API.INFO",
)
BRAINS_MAY = (
    "$KV.behest_leases.shard.9",
    "$KV.behest_places.0a1b",
    "behest.log.shard-9",
    "behest.work.executor.executor-2",
    "behest.say.gateway.gateway-2",
    "behest.dead.brain.9",
    f"{STREAM}.CREATE.behest_log_shard-9",
    f"{STREAM}.UPDATE.behest_work",
    f"{STREAM}.PURGE.behest_log_shard-9",
    f"{STREAM}.MSG.GET.behest_log_shard-9",
    f"{STREAM}.MSG.GET.KV_behest_leases",
    f"{CONSUMER}.CREATE.behest_log_shard-9.spy",
    f"{CONSUMER}.CREATE.behest_work.brain=9=brains.behest.work.brain.9",
    f"{CONSUMER}.MSG.NEXT.behest_work.brain=9=brains",
    f"{CONSUMER}.MSG.NEXT.behest_work.executor=executor-2=executor-2",
    "$JS.ACK.behest_work.brain=9=brains.1.1.1.1.0",
    "$JS.ACK.behest_work.executor=executor-2=executor-2.1.1.1.1.0",
)
MUST_NOT_PUBLISH = {
    "gateway-1": (
        *NOBODY_MAY,
        *BRAINS_MAY,
        "behest.say.unit.0.1",
        "behest.blobs.0a1b.0",
        "$KV.behest_abilities.executor-1",
        f"{CONSUMER}.MSG.NEXT.behest_work.executor=executor-1=executor-1",
    ),
    "executor-1": (
        *NOBODY_MAY,
        *BRAINS_MAY,
        "behest.work.brain.9",
        "$KV.behest_abilities.executor-2",
        "behest.dead.executor.executor-2",
        f"{STREAM}.MSG.GET.behest_blobs",
    ),
    "brain-1": (*NOBODY_MAY, "behest.work.brain.9", "behest.say.unit.0.1"),
}
MUST_NOT_SUBSCRIBE = {
    "gateway-1": ("behest.say.gateway.gateway-2", "behest.say.gateway.*", "behest.say.unit.*.*"),
    "executor-1": ("behest.say.gateway.gateway-1", "behest.say.unit.0.1", "behest.say.unit.*.*"),
    "brain-1": ("behest.say.gateway.gateway-1", "behest.say.gateway.*"),
}
NOBODY_HEARS = (">", "behest.>", "behest.work.>", "behest.log.>", "$KV.>", "$JS.>", "_INBOX.>")


@pytest.mark.parametrize("user", MUST_NOT_PUBLISH)
async def test_nothing_is_published_that_is_not_of_the_role(single: Deployment, user: str) -> None:
    async with single.client(user) as intruder, single.client("admin") as admin:
        before = await ends(admin)
        for subject in MUST_NOT_PUBLISH[user]:
            await intruder.client.publish(subject, b"{}")
        subjects = [each.lower() for each in MUST_NOT_PUBLISH[user]]
        assert await intruder.refused(len(subjects)) == subjects
        assert await ends(admin) == before
    forget_violations(single)


@pytest.mark.parametrize("user", MUST_NOT_SUBSCRIBE)
async def test_nothing_is_heard_that_is_not_for_the_role(single: Deployment, user: str) -> None:
    subjects = (*MUST_NOT_SUBSCRIBE[user], *NOBODY_HEARS)
    async with single.client(user) as intruder:
        for subject in subjects:
            await intruder.client.subscribe(subject)
        refused = await intruder.refused(len(subjects))
        assert refused == [each.lower() for each in subjects]
    forget_violations(single)


async def test_an_executor_cannot_make_its_consumer_bring_the_work_of_another(
    single: Deployment,
) -> None:
    own = "executor=executor-1=executor-1"
    config = {"durable_name": own, "name": own, "ack_policy": "explicit"}
    subject = f"{CONSUMER}.CREATE.behest_work.{own}.behest.work.executor.executor-1"
    async with single.client("executor-1") as executor:
        for filters in (
            {"filter_subject": "behest.work.executor.executor-2"},
            {"filter_subjects": ["behest.work.executor.executor-2"]},
            {},
        ):
            request = {"stream_name": "behest_work", "config": {**config, **filters}}
            reply = await executor.client.request(subject, json.dumps(request).encode())
            assert "error" in json.loads(reply.data)


async def test_a_gateway_cannot_change_the_stream_that_it_may_ask_for(single: Deployment) -> None:
    config = {"name": "behest_work", "subjects": ["behest.>"], "retention": "limits"}
    async with single.client("gateway-1") as gateway:
        request = json.dumps({**config, "storage": "file", "num_replicas": 1}).encode()
        reply = await gateway.client.request(f"{STREAM}.CREATE.behest_work", request)
        assert json.loads(reply.data)["error"]["err_code"] == 10058  # the name is in use


def test_the_grants_of_two_executors_differ_in_their_names_alone() -> None:
    users = (SHIPPED / "users.conf").read_text()
    first, second = (
        users[users.index(f"user: executor-{number}\n") :].partition("\n      }\n")[0]
        for number in (1, 2)
    )
    renamed = first.replace("executor-1", "executor-2").replace("EXECUTOR_1", "EXECUTOR_2")
    assert renamed == second


async def ends(admin: Intruder) -> dict[str, tuple[int, int]]:
    """Where each stream ends and how much is in it; leases vanish by themselves."""
    streams = await admin.client.jetstream().streams_info()
    return {
        stream.config.name or "": (stream.state.last_seq, stream.state.messages)
        for stream in streams
        if stream.config.name != "KV_behest_leases"
    } | {"leases": next((s.state.last_seq, 0) for s in streams if "leases" in str(s.config.name))}


def forget_violations(deployment: Deployment) -> None:
    """What this test has provoked is none that the roles make."""
    (deployment.members[0].folder / "log").write_bytes(b"")


# Processes of Behest, with the settings that are shipped


def test_each_role_starts_with_its_settings_and_carries_out_a_command(
    single: Deployment, tmp_path: Path
) -> None:
    root = tmp_path / "files"
    root.mkdir()
    daemons: dict[str, Daemon] = {}
    try:
        for name in ("brain-1", "executor-1", "gateway-1"):
            daemons[name] = started(single, name, tmp_path, root)
        for name, daemon in daemons.items():
            daemon.wait_for("daemon.ready", name=name)
        with closing(Wire(daemons["gateway-1"].socket)) as wire:
            *_, last = wire.run("c1", text="create a folder called trial")
        assert last["status"] == "success"
        assert (root / "trial").is_dir()
        assert daemons["gateway-1"].cli("status").returncode == 0
    finally:
        codes = [daemon.stop() for daemon in daemons.values()]
    assert codes == [0, 0, 0]
    assert not single.members[0].violations()


def started(deployment: Deployment, name: str, folder: Path, root: Path) -> Daemon:
    """Start a process as its unit does, with the paths of this test."""
    role, home = name.partition("-")[0], folder / name
    home.mkdir()
    text = (deployment.folder / "members" / f"{name}.toml").read_text()
    tls, members = deployment.folder / "tls", deployment.folder / "members"
    changes = {
        "/etc/behest/bus-ca.pem": str(tls / "ca.pem"),
        "/etc/behest/gateway": str(tls / "gateway"),
        f"/etc/behest/{name}.password": str(members / f"{name}.password"),
        "/srv/behest": str(root),
        "0.0.0.0:7000": f"{HOST}:{free_ports(1)[0]}",
        "nats://nats-1:4222": deployment.url,
        "replicas = 3": "replicas = 1",
    }
    # The certificate of the gateway and its password begin with the same path.
    for old in sorted(changes, key=len, reverse=True):
        text = text.replace(old, changes[old])
    config = home / f"{role}.toml"
    config.write_text(re.sub(r', "nats://nats-\d:4222"', "", text))
    values = {"--config": str(config), "--state": str(home / "state"), "--role": role}
    words = shlex.split(settings_of(SHIPPED / f"behest-{role}.service")["ExecStart"][0])[1:]
    command = [values.get(before, word) for before, word in zip(["", *words], words, strict=False)]
    surroundings = {"PATH": "/usr/bin:/bin", "HOME": str(home)}
    process = subprocess.Popen(
        [sys.executable, str(PROJECT / "run.py"), *command],
        stdout=subprocess.PIPE,
        env=surroundings,
        cwd=PROJECT,
    )
    return Daemon(process, home, root, home / "state" / "behest.sock", surroundings)


# The units, and the file for containers


def settings_of(unit: Path) -> Mapping[str, Sequence[str]]:
    """Read what a unit sets, in all its sections."""
    found: dict[str, list[str]] = {}
    for line in unit.read_text().splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


@pytest.fixture(scope="module")
def flags() -> frozenset[str]:
    """What ``behest serve`` takes."""
    command = [sys.executable, str(PROJECT / "run.py"), "serve", "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return frozenset(re.findall(r"--[a-z]+", shown))


def test_systemd_takes_the_units(tmp_path: Path) -> None:
    assert [unit.stem for unit in UNITS] == [*sorted(f"behest-{role}" for role in ROLES), "nats"]
    analyze = shutil.which("systemd-analyze")
    for unit in UNITS:  # a program must be there to be accepted
        text = unit.read_text().replace("/opt/behest/bin/behest", program("behest"))
        text = text.replace("/usr/local/bin/nats-server", program("nats-server"))
        (tmp_path / unit.name).write_text(text)
        settings = settings_of(unit)
        assert settings["Restart"] == ["always"]
        assert settings["User"] == settings["StateDirectory"] == [unit.stem]
    if analyze is not None:
        command = [analyze, "verify", "--man=no", *map(str, sorted(tmp_path.iterdir()))]
        checked = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("role", ROLES)
def test_a_unit_starts_its_role_and_waits_until_it_has_stopped(
    role: str, flags: frozenset[str]
) -> None:
    unit = settings_of(SHIPPED / f"behest-{role}.service")
    words = shlex.split(unit["ExecStart"][0])
    assert {word for word in words if word.startswith("--")} <= flags
    assert words[-2:] == ["--role", role]
    limits = tomllib.loads((SHIPPED / f"{role}.toml").read_text()).get("limits", {})
    assert float(unit["TimeoutStopSec"][0]) >= limits.get("stop_grace", 10.0) + 15.0


def test_the_containers_run_the_whole_cluster(flags: frozenset[str]) -> None:
    text = (SHIPPED / "compose.yaml").read_text()
    services = re.findall(r"^  (\w+-\d):$", text.partition("\nvolumes:")[0], re.MULTILINE)
    assert [name.partition("-")[0] for name in services] == [
        *("nats",) * 3,
        "gateway",
        *("brain",) * 2,
        *("executor",) * 2,
    ]
    commands = [json.loads(each) for each in re.findall(r"command: (\[.*\])", text)]
    members = [command for command in commands if command[0] == "behest"]
    assert len(members) == 5
    for command in members:
        assert {word for word in command if word.startswith("--")} <= flags
    mounted = set(re.findall(r"- \./([\w.]+):", text))
    assert mounted == {"nats.conf", "users.conf", "cluster.conf"}
    assert set(re.findall(r"image: (\S+)", text)) == {"nats-server:local", "behest:local"}
