"""The Model Context Protocol, by its official client: both protocols, over stdio and HTTP."""

import http.client
import json
import re
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from starlette.types import Message, Receive, Scope, Send

from messages import wire
from tests.daemon import PATIENCE, PROJECT, Daemon, running_daemon
from tests.gate import gated_daemon
from tools.mcp import run_mcp
from tools.mcp.server import TokenGuard
from tools.settings import BadSettings, Secret

MODES = ("legacy", "2026-07-28")
VERSIONS = {"legacy": "2025-11-25", "2026-07-28": "2026-07-28"}
ASKING = '[approval]\nask = ["delete"]\n[browser]\nmode = "off"\n'
READING = {"plan", "status", "explain", "history", "resolve", "recipes"}
ACTING = {"submit", "answer", "approve", "undo", "run_recipe"}
HELLO_PARAMS = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO_PARAMS}

both_protocols = pytest.mark.parametrize("mode", MODES)


@dataclass
class Served:
    """A server over HTTP: where it is, and what opens it."""

    url: str
    token: str
    token_file: Path
    log: Path

    def post(self, **headers: str) -> int:
        """Send a frame with these headers, and give the status of the answer."""
        return self.send(json.dumps(HELLO), headers)[0]

    def call_raw(self, tool: str, arguments: str, **more: object) -> dict[str, Any]:
        """Call a tool of the stateless protocol with what no client would send."""
        frame = json.dumps(modern_call(tool, "HERE", **more)).replace('"HERE"', arguments)
        headers = {
            "MCP-Protocol-Version": VERSIONS["2026-07-28"],
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        }
        answer: dict[str, Any] = json.loads(self.send(frame, headers)[1])
        return answer

    def send(self, frame: str, headers: Mapping[str, str]) -> tuple[int, bytes]:
        """Send a frame, and give the status and the body of the answer."""
        place = urlsplit(self.url)
        connection = http.client.HTTPConnection(place.netloc, timeout=PATIENCE)
        usual = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {self.token}",
        }
        try:
            connection.request("POST", place.path, frame, {**usual, **headers})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()


def modern_call(tool: str, arguments: object, **more: object) -> dict[str, Any]:
    """Give the frame that calls a tool by the stateless protocol."""
    envelope = {
        "io.modelcontextprotocol/protocolVersion": VERSIONS["2026-07-28"],
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": HELLO_PARAMS["clientInfo"],
    }
    params = {"name": tool, "arguments": arguments, "_meta": envelope, **more}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def command_line(socket: Path, *more: str) -> list[str]:
    return ["-m", "tools.mcp", "--socket", str(socket), *more]


@contextmanager
def served(folder: Path, socket: Path, *more: str, keep: bool = False) -> Iterator[Served]:
    """Start a server over HTTP; with ``keep`` its token is in a file."""
    token_file, log = folder / "token", folder / "mcp.log"
    kept = ("--token-file", str(token_file)) if keep else ()
    command = [sys.executable, *command_line(socket, "--http", "127.0.0.1:0", *kept, *more)]
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, cwd=PROJECT, text=True
        ) as process,
    ):
        assert process.stdout is not None
        try:
            url = process.stdout.readline().strip()
            token = process.stdout.readline().removeprefix("token: ").strip()
            assert url, log.read_text()
            yield Served(url, token_file.read_text().strip() if keep else token, token_file, log)
        finally:
            process.terminate()
            process.wait(PATIENCE)


@dataclass
class Caller:
    """The official client, and what progress it has heard of."""

    client: Client
    progress: list[str]

    async def refused(self, tool: str, **arguments: object) -> str:
        """Call a tool and give the error that it must be."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result
        (said,) = result.content
        return str(getattr(said, "text", ""))

    async def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Call a tool and give what it gives; the client has checked it by the schema."""
        result = await self.client.call_tool(tool, arguments, progress_callback=self.hear)
        assert not result.is_error, result
        (said,) = result.content
        assert json.loads(getattr(said, "text", "")) == result.structured_content
        found: dict[str, Any] = result.structured_content
        return found

    async def hear(self, progress: float, total: float | None, message: str | None) -> None:
        self.progress.append(message or "")


@asynccontextmanager
async def over_http(server: Served, mode: str) -> AsyncIterator[Caller]:
    headers = {"Authorization": f"Bearer {server.token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as requests,
        Client(streamable_http_client(server.url, http_client=requests), mode=mode) as client,
    ):
        await client.list_tools()
        yield Caller(client, [])


@asynccontextmanager
async def over_stdio(socket: Path, mode: str, *more: str) -> AsyncIterator[Caller]:
    parameters = StdioServerParameters(
        command=sys.executable, args=command_line(socket, *more), cwd=PROJECT
    )
    async with Client(parameters, mode=mode) as client:
        await client.list_tools()
        yield Caller(client, [])


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("mcp")
    with running_daemon(folder, settings=ASKING, arguments=("--world", "manor")) as running:
        yield running


@pytest.fixture(scope="module")
def server(daemon: Daemon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("http"), daemon.socket, keep=True) as running:
        yield running


# What there is


@both_protocols
async def test_every_tool_is_listed_with_schemas_and_hints(server: Served, mode: str) -> None:
    async with over_http(server, mode) as caller:
        assert caller.client.protocol_version == VERSIONS[mode]
        tools = {tool.name: tool for tool in (await caller.client.list_tools()).tools}
    assert set(tools) == READING | ACTING
    for name, tool in tools.items():
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (name in READING)
        assert tool.annotations.destructive_hint is (name in ACTING)
        assert tool.input_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"


@both_protocols
async def test_over_stdio_a_client_plans_submits_answers_and_finishes(
    daemon: Daemon, mode: str
) -> None:
    path = daemon.root / f"stdio-{mode}.md"
    async with over_stdio(daemon.socket, mode) as caller:
        assert caller.client.protocol_version == VERSIONS[mode]
        text = f"create a file {path.name}"
        assert (await caller.call("plan", text=text))["status"] == "success"
        assert not path.exists()
        assert (await caller.call("submit", text=text))["status"] == "success"
        assert path.exists()
        asked = await caller.call("submit", text="take the envelope")
        question = asked["question"]["question"]
        done = await caller.call("answer", question=question, choice="the green one")
        assert (done["status"], done["command"]) == ("success", asked["command"])
        await caller.call("submit", text="drop the envelope")
        wanted = await caller.call("submit", text=f"delete {path.name}")
        assert wanted["status"] == "approval_needed"
    assert path.exists()


# Commands


@both_protocols
async def test_a_plan_changes_nothing_and_says_what_would_be_done(
    daemon: Daemon, server: Served, mode: str
) -> None:
    before = sorted(daemon.root.rglob("*"))
    async with over_http(server, mode) as caller:
        text = "create a folder plans and inside it create a file one.md"
        planned = await caller.call("plan", text=text)
    assert planned["status"] == "success"
    assert [each["status"] for each in planned["results"]] == ["planned", "planned"]
    folder = daemon.root / "plans"
    assert planned["actions"] == [f"create:folder:{folder}", f"create:file:{folder / 'one.md'}"]
    assert planned["understood"][0] == "g0 file.create object_type=folder name=plans"
    assert sorted(daemon.root.rglob("*")) == before


@both_protocols
async def test_what_is_submitted_is_on_disk_explained_and_undone(
    daemon: Daemon, server: Served, mode: str
) -> None:
    path, session = daemon.root / f"{mode}.md", f"undo-{mode}"
    async with over_http(server, mode) as caller:
        done = await caller.call("submit", text=f"create a file {path.name}", session=session)
        assert (done["status"], done["results"][0]["verified"]) == ("success", True)
        assert path.exists()
        why = await caller.call("explain", command=done["command"])
        assert why["text"] == f"create a file {path.name}"
        assert why["actions"][0]["description"] == f"create:file:{path}"
        found = await caller.call("history", search=path.name, limit=1)
        assert found["commands"][0]["command"] == done["command"]
        undone = await caller.call("undo", session=session)
        assert undone["status"] == "success"
        assert not path.exists()


@both_protocols
async def test_an_ambiguity_is_data_and_its_answer_finishes_the_command(
    server: Served, mode: str
) -> None:
    async with over_http(server, mode) as caller:
        asked = await caller.call("submit", text="take the envelope")
        assert asked["status"] == "question"
        texts = [option["text"] for option in asked["question"]["options"]]
        assert texts == ["large, green envelope", "large, blue envelope"]
        question = asked["question"]["question"]
        assert "BAD_CHOICE" in await caller.refused("answer", question=question, choice=9)
        again = await caller.call("answer", question=question, choice="the purple one")
        assert (again["status"], again["question"]["question"]) == ("question", question)
        done = await caller.call("answer", question=question, choice=2)
        assert (done["status"], done["command"]) == ("success", asked["command"])
        assert "blue envelope" in done["results"][0]["output"]["says"]
        late = await caller.refused("answer", question=question, choice=1)
        assert "UNKNOWN_QUESTION" in late
        await caller.call("submit", text="drop the envelope")


async def test_what_is_not_understood_comes_with_a_code_and_suggestions(server: Served) -> None:
    async with over_http(server, "2026-07-28") as caller:
        failed = await caller.call("submit", text="frobnicate the sprockets")
    assert (failed["status"], failed["code"]) == ("failed", "NOT_UNDERSTOOD")
    assert failed["suggestions"]


@both_protocols
async def test_the_same_id_twice_runs_once_and_says_so(
    daemon: Daemon, server: Served, mode: str
) -> None:
    path = daemon.root / f"once-{mode}.txt"
    path.write_text("")
    text, own = f'append "line" to {path.name}', f"a-random-id-{mode}"
    async with over_http(server, mode) as caller:
        first = await caller.call("submit", text=text, id=own)
        second = await caller.call("submit", text=text, id=own)
    assert (first["status"], first["command"]) == ("success", own)
    assert "repeated" not in first
    assert (second["status"], second["repeated"]) == ("success", True)
    assert "new random id" in second["next_step"]
    assert path.read_text().count("line") == 1


async def test_a_long_command_is_running_after_the_wait_and_status_follows_it(
    tmp_path: Path,
) -> None:
    with gated_daemon(tmp_path) as (daemon, gate):
        async with over_stdio(daemon.socket, "2026-07-28") as caller:
            begun = await caller.call("submit", text="mute the volume", wait=0.5)
            assert begun["status"] == "running"
            assert "mute" in caller.progress
            state = await caller.call("status", command=begun["command"])
            assert state["outcome"]["status"] == "running"
            gate.let_one_pass()
            state = await caller.call("status", command=begun["command"], wait=PATIENCE)
            assert state["outcome"]["status"] == "success"
            elsewhere = daemon.connect()
            elsewhere.submit("of-another-client", text="mute the volume")
            elsewhere.read_until(type="action_started")
            gate.let_one_pass()
            state = await caller.call("status", command="of-another-client", wait=PATIENCE)
            assert state["outcome"]["status"] == "success"


@both_protocols
async def test_a_plan_leaves_every_open_question_open(server: Served, mode: str) -> None:
    session = f"asking-{mode}"
    async with over_http(server, mode) as caller:
        asked = await caller.call("submit", text="take the envelope", session=session)
        refused = await caller.refused("plan", text="what time is it", session=session)
        assert "unknown field `session`" in refused
        assert (await caller.call("plan", text="what time is it"))["status"] == "success"
        state = await caller.call("status", command=asked["command"])
        assert state["outcome"]["status"] == "question"
        done = await caller.call("answer", question=asked["question"]["question"], choice=1)
        assert done["status"] == "success"
        await caller.call("submit", text="drop the envelope", session=session)


# What stays with the person


@both_protocols
async def test_a_destructive_call_without_approval_does_nothing_and_says_so(
    daemon: Daemon, server: Served, mode: str
) -> None:
    path = daemon.root / f"precious-{mode}.txt"
    path.write_text("here")
    async with over_http(server, mode) as caller:
        wanted = await caller.call("submit", text=f"delete {path.name}")
        assert wanted["status"] == "approval_needed"
        assert wanted["approval"]["targets"] == [str(path)]
        approval = wanted["approval"]["approval"]
        assert f"behest approve {approval}" in wanted["next_step"]
        refused = await caller.refused("approve", approval=approval, allow=True)
        assert f"behest approve {approval}" in refused
        assert path.exists()
        everything = await caller.call("status")
        assert approval in [each["approval"] for each in everything["approvals"]]
        assert daemon.cli("approve", approval).returncode == 0
        state = await caller.call("status", command=wanted["command"], wait=PATIENCE)
        assert state["outcome"]["status"] == "success"
        assert not path.exists()


async def test_with_allow_approvals_the_client_may_pass_on_what_the_person_says(
    daemon: Daemon,
) -> None:
    path = daemon.root / "allowed.txt"
    path.write_text("here")
    async with over_stdio(daemon.socket, "2026-07-28", "--allow-approvals") as caller:
        wanted = await caller.call("submit", text="delete allowed.txt", session="allowed")
        approval = wanted["approval"]["approval"]
        no = await caller.call("approve", approval=approval, allow=False)
        assert (no["status"], no["code"]) == ("failed", "NOT_APPROVED")
        assert path.exists()
        wanted = await caller.call("submit", text="delete allowed.txt", session="allowed")
        approval = wanted["approval"]["approval"]
        yes = await caller.call("approve", approval=approval, allow=True)
        assert yes["status"] == "success"
        assert not path.exists()
        why = await caller.call("explain", command=wanted["command"])
        assert why["approvals"][0]["by"] == "flag"


def test_a_forged_request_state_and_forged_answers_to_it_approve_of_nothing(
    daemon: Daemon, server: Served
) -> None:
    path = daemon.root / "forged.txt"
    path.write_text("here")
    yes = {"approval": {"action": "accept", "content": {"allow": True}}}
    answer = server.call_raw(
        "submit", '{"text": "delete forged.txt"}', requestState="forged", inputResponses=yes
    )
    outcome = answer["result"]["structuredContent"]
    assert outcome["status"] == "approval_needed"
    approval = json.dumps({"approval": outcome["approval"]["approval"], "allow": True})
    refused = server.call_raw("approve", approval, requestState="forged", inputResponses=yes)
    assert refused["result"]["isError"] is True
    assert path.exists()


async def test_the_line_for_the_person_is_safe_in_a_shell_whoever_named_the_command(
    daemon: Daemon, server: Served
) -> None:
    (daemon.root / "victim.txt").write_text("here")
    evil = "x; touch /tmp/evil; echo"
    daemon.connect().submit(evil, text="delete victim.txt", session="evil")
    daemon.wait_for("approval.asked", command_id=evil)
    async with over_http(server, "2026-07-28") as caller:
        state = await caller.call("status", command=evil)
        quoted = f"behest approve '{evil}:a1' (or: behest approve --deny '{evil}:a1')"
        assert quoted in state["outcome"]["next_step"]
        assert quoted in await caller.refused("approve", approval=f"{evil}:a1", allow=True)
        for odd in (evil, "--deny-it", "\x1b[2Jabcdefgh", "abcdefgh\n", "$(reboot)"):
            assert "`$.id`" in await caller.refused("submit", text="what time is it", id=odd)


async def test_where_others_must_approve_this_server_is_never_another_client(
    tmp_path: Path,
) -> None:
    settings = '[approval]\nask = ["delete"]\nby = "others"\n[browser]\nmode = "off"\n'
    with running_daemon(tmp_path, settings=settings) as daemon:
        path = daemon.root / "kept.txt"
        path.write_text("here")
        async with over_stdio(daemon.socket, "2026-07-28", "--allow-approvals") as caller:
            wanted = await caller.call("submit", text="delete kept.txt")
            approval = wanted["approval"]["approval"]
            refused = await caller.refused("approve", approval=approval, allow=True)
        assert "NOT_ALLOWED" in refused
        assert path.exists()


# What else it knows


async def test_words_are_bound_in_a_world_that_is_given(server: Served) -> None:
    verbs = {"take": {"rules": {"direct": {}}, "scopeProfile": {"direct": ["room"]}}}
    things = [
        {"id": "hall", "name": "hall", "kind": "room"},
        {"id": "me", "name": "me", "kind": "player", "location": "hall"},
        {"id": "apple", "name": "red apple", "location": "hall"},
    ]
    world = {"actor": "me", "things": things}
    async with over_http(server, "2026-07-28") as caller:
        found = await caller.call("resolve", text="take the apple", verbs=verbs, world=world)
        assert found["bindings"][0]["directTarget"]["id"] == "apple"
        missing = await caller.call("resolve", text="take the pear", verbs=verbs, world=world)
        assert (missing["ok"], missing["code"]) == (False, "TARGET_NOT_FOUND")
        wrong = await caller.refused("resolve", text="take it", verbs={"take": {}}, world=world)
        assert "BAD_REQUEST" in wrong
        assert "take" in wrong


async def test_a_recipe_is_listed_and_run(daemon: Daemon, server: Served) -> None:
    async with over_http(server, "2026-07-28") as caller:
        made = await caller.call("submit", text="create a file daily.md", session="teaching")
        assert made["status"] == "success"
        await caller.call("submit", text="remember this as the daily note", session="teaching")
        (recipe,) = (await caller.call("recipes"))["recipes"]
        (daemon.root / "daily.md").unlink()
        done = await caller.call("run_recipe", name=recipe["name"])
        assert done["status"] == "success"
        assert (daemon.root / "daily.md").exists()
        unknown = await caller.call("run_recipe", name="nothing like it")
        assert unknown["status"] == "failed"
        assert recipe["name"] in unknown["message"]


async def test_without_a_command_the_last_one_of_the_session_is_explained(
    daemon: Daemon, server: Served
) -> None:
    async with over_http(server, "2026-07-28") as caller:
        done = await caller.call("submit", text="what time is it", session="to-explain")
        await caller.call("recipes")
        await caller.call("plan", text="what time is it")
        daemon.connect().run("of-the-person", text="list the processes")
        why = await caller.call("explain", session="to-explain")
        assert why["command"] == done["command"]
        assert "no command in session" in await caller.refused("explain", session="nobody's")


# What goes wrong


@both_protocols
async def test_arguments_that_no_tool_takes_are_refused_with_those_it_takes(
    server: Served, mode: str
) -> None:
    async with over_http(server, mode) as caller:
        assert "takes `text`" in await caller.refused("submit", txt="what time is it")
        assert "`$.wait`" in await caller.refused("submit", text="what time is it", wait="long")
        assert "`text`" in await caller.refused("plan")
        assert "`$.id`" in await caller.refused("submit", text="what time is it", id="1")
        assert "UNKNOWN_COMMAND" in await caller.refused("explain", command="nope")
        assert "UNKNOWN_APPROVAL" not in await caller.refused("approve", approval="x", allow=True)
        with pytest.raises(MCPError, match="submit"):
            await caller.client.call_tool("shout", {})


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("history", '{"since": NaN}'),
        ("history", '{"until": Infinity}'),
        ("submit", '{"text": "what time is it \\ud800"}'),
        ("submit", '{"\\udfff": "what time is it"}'),
    ],
)
def test_what_is_not_json_is_refused_and_nothing_is_read_into_it(
    server: Served, tool: str, arguments: str
) -> None:
    answer = server.call_raw(tool, arguments)
    assert answer["result"]["isError"] is True
    assert "cannot be read" in answer["result"]["content"][0]["text"]


@both_protocols
def test_a_client_that_has_gone_leaves_no_traceback(daemon: Daemon, mode: str) -> None:
    opening = {"legacy": [HELLO], "2026-07-28": [modern_call("status", {})]}[mode]
    with subprocess.Popen(
        [sys.executable, *command_line(daemon.socket)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=PROJECT,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        frames = b"".join(json.dumps(frame).encode() + b"\n" for frame in opening)
        _, errors = process.communicate(frames, timeout=PATIENCE)
    assert (process.returncode, errors) == (0, b"")


async def test_without_a_daemon_a_call_says_how_to_start_one_and_works_once_it_runs(
    tmp_path: Path,
) -> None:
    with served(tmp_path, tmp_path / "behest.sock") as server:
        async with over_http(server, "2026-07-28") as caller:
            assert "behest serve" in await caller.refused("submit", text="what time is it")
            assert "behest serve" in await caller.refused("status")
            with running_daemon(tmp_path, settings='[browser]\nmode = "off"\n'):
                done = await caller.call("submit", text="what time is it")
                assert done["status"] == "success"
            assert "daemon" in await caller.refused("submit", text="what time is it")


def test_a_foreign_page_and_whoever_has_no_token_are_kept_out(server: Served) -> None:
    assert server.post() == 200
    assert server.post(Origin="http://evil.example") == 403
    assert server.post(Origin="null") == 403
    assert server.post(Origin=server.url.removesuffix("/mcp")) == 403
    assert server.post(Host="evil.example") == 421
    assert server.post(Authorization="") == 401
    assert server.post(Authorization=f"Bearer {server.token}x") == 401
    assert server.post(Authorization=f"Basic {server.token}") == 401
    assert server.post(Authorization=f"bearer {server.token}") == 200  # schemes have no case


@pytest.mark.parametrize("kind", ["http", "websocket"])
async def test_no_kind_of_connection_gets_past_the_token(kind: str) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError(scope)

    async def receive() -> Message:
        raise AssertionError(kind)

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    await TokenGuard(app, Secret("the-token"))({"type": kind, "headers": []}, receive, send)
    assert sent[0]["status"] == 401


def test_the_token_is_in_a_file_for_its_owner_alone(server: Served) -> None:
    assert len(server.token) >= 32
    assert stat.S_IMODE(server.token_file.stat().st_mode) == 0o600


@pytest.mark.parametrize("place", ["0.0.0.0:0", "[::]:0", "8.8.8.8:80"])
def test_an_address_that_others_can_reach_is_refused(tmp_path: Path, place: str) -> None:
    with pytest.raises(BadSettings, match="other machines"):
        run_mcp(tmp_path / "behest.sock", http=place)


def test_a_token_file_without_http_is_refused_and_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="--http"):
        run_mcp(tmp_path / "behest.sock", token_file=tmp_path / "token")


def test_nothing_that_is_said_is_logged(server: Served) -> None:
    assert server.post(Host="evil.example") == 421
    assert server.log.read_text() == ""


def test_the_registry_is_told_what_it_wants_to_know() -> None:
    told = json.loads((PROJECT / "docs" / "mcp" / "server.json").read_text("utf-8"))
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", told["name"])
    assert 0 < len(told["description"]) <= 100
    assert told["$schema"].startswith("https://static.modelcontextprotocol.io/schemas/")
    assert told["version"] == wire.VERSION
    (package,) = told["packages"]
    assert (package["registryType"], package["identifier"]) == ("pypi", "behest")
    assert (package["version"], package["transport"]) == (wire.VERSION, {"type": "stdio"})
    assert [each["value"] for each in package["packageArguments"]] == ["mcp"]
    readme = (PROJECT / "README.md").read_text("utf-8")
    assert set(re.findall(r"mcp-name: (\S+)", readme)) == {told["name"]}
