"""The wire as a client sees it: requests in, events and answers out, on a real socket."""

import stat
from collections.abc import Iterator
from contextlib import suppress
from importlib import metadata
from typing import Any

import msgspec
import pytest

from messages.results import Code
from messages.wire import PROTOCOL_VERSION, WireReply
from tests.daemon import PROJECT, Daemon, Event, Wire
from tests.gate import MUTE, TIME, Gate, gated_daemon

RESULT_FIELDS = {
    "goal",
    "status",
    "code",
    "message",
    "action",
    "output",
    "verified",
    "details",
    "unmet",
    "blocker",
}


@pytest.fixture(scope="module")
def gated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Daemon, Gate]]:
    with gated_daemon(tmp_path_factory.mktemp("wire")) as started:
        yield started


@pytest.fixture
def gate(gated: tuple[Daemon, Gate]) -> Gate:
    return gated[1]


@pytest.fixture
def daemon(gated: tuple[Daemon, Gate]) -> Daemon:
    return gated[0]


@pytest.fixture
def client(daemon: Daemon) -> Iterator[Wire]:
    wire = daemon.connect()
    yield wire
    wire.close()


def types(events: list[Event]) -> list[str]:
    return [event["type"] for event in events]


def of_type(events: list[Event], kind: str) -> Event:
    (event,) = [event for event in events if event["type"] == kind]
    return event


def start_muting(client: Wire, command: str, **fields: object) -> None:
    """Submit a command whose action waits at the gate, and see it start."""
    client.submit(command, goals=MUTE, **fields)
    client.read_until(type="action_started", command=command)


# Submit


def test_a_text_is_followed_from_accepted_to_finished(client: Wire) -> None:
    events = client.run("text", text="create a folder story and inside it create end.md")
    assert types(events) == [
        "accepted",
        "interpreted",
        "planned",
        *["action_started", "action_finished"] * 2,
        "finished",
    ]
    assert {event["command"] for event in events} == {"text"}


def test_accepted_names_the_session_and_how_many_are_ahead(client: Wire) -> None:
    accepted = client.run("accepted", goals=TIME, session="s1")[0]
    assert accepted == {"type": "accepted", "command": "accepted", "session": "s1", "ahead": 0}


def test_interpreted_carries_the_meta_goal_and_what_was_dropped(client: Wire) -> None:
    goals = [*TIME, {**TIME[0], "scope": ["after:g0", "after:nowhere"]}]
    interpreted = of_type(client.run("interpreted", goals=goals), "interpreted")
    assert interpreted["meta"]["meta_type"] == "dependent_multi"
    assert interpreted["meta"]["dependencies"] == {"1": [0]}
    assert [goal["goal_id"] for goal in interpreted["meta"]["goals"]] == ["g0", "g1"]
    (warning,) = interpreted["warnings"]
    assert (warning["goal_id"], warning["scope"]) == ("g1", "after:nowhere")
    assert warning["severity"] == "warning"


def test_planned_carries_the_graph_and_its_layers(client: Wire) -> None:
    goals = [*TIME, {**TIME[0], "scope": "after:g0"}, *TIME]
    planned = of_type(client.run("planned", goals=goals), "planned")
    assert planned["layers"] == [["g0", "g2"], ["g1"]]
    assert planned["graph"]["adjacency"] == {"g0_get_1": ["g1_get_1"]}
    action = planned["graph"]["nodes"]["g1_get_1"]
    assert (action["goal_id"], action["args"]) == ("g1", {"target": "time"})
    assert (action["expected_effect"], action["depends_on"]) == ("time_known", ["g0_get_1"])


def test_actions_are_reported_with_goal_action_and_outcome(client: Wire) -> None:
    events = client.run("actions", goals=TIME)
    started, finished = of_type(events, "action_started"), of_type(events, "action_finished")
    assert (started["goal"], started["action"], started["attempt"]) == ("g0", "g0_get_1", 1)
    assert started["description"] == "get:time"
    assert (finished["goal"], finished["action"]) == ("g0", "g0_get_1")
    assert (finished["status"], finished["verified"]) == ("success", True)


def test_finished_has_one_result_per_goal_with_all_its_fields(client: Wire) -> None:
    finished = client.run("finished", goals=TIME * 3)[-1]
    assert finished["status"] == "success"
    assert [result["goal"] for result in finished["results"]] == ["g0", "g1", "g2"]
    assert all(result.keys() == RESULT_FIELDS for result in finished["results"])
    assert set(finished["results"][0]["output"]) == {"time", "iso"}


def test_what_is_not_understood_comes_with_its_span_and_phrasings_that_work(client: Wire) -> None:
    text = "mute the volume and frobnicate the sprockets"
    finished = client.run("gibberish", text=text)[-1]
    assert (finished["status"], finished["code"]) == ("failed", "NOT_UNDERSTOOD")
    start, end = finished["span"]
    assert text[start:end] == "frobnicate the sprockets"
    assert finished["suggestions"]


def test_plan_mode_runs_nothing(client: Wire, daemon: Daemon) -> None:
    events = client.run("plan", text="create folder planned-only", mode="plan")
    assert types(events) == ["accepted", "interpreted", "planned", "finished"]
    assert events[-1]["results"][0]["status"] == "planned"
    assert not (daemon.root / "planned-only").exists()


def test_allow_partial_runs_what_can_be_planned(client: Wire) -> None:
    goals = [{"domain": "audio", "verb": "sing"}, *TIME]
    finished = client.run("partial", goals=goals, allow_partial=True)[-1]
    assert finished["status"] == "partial"
    assert [result["status"] for result in finished["results"]] == ["rule_not_found", "success"]


def test_many_commands_are_in_flight_on_one_connection(client: Wire) -> None:
    names = [f"flight-{number}" for number in range(50)]
    for name in names:
        client.submit(name, goals=TIME, session=name)
    events: list[Event] = []
    while sum(event["type"] == "finished" for event in events) < len(names):
        events.append(client.read())
    for name in names:
        own = [event for event in events if event["command"] == name]
        assert types(own)[0] == "accepted"
        assert own[-1]["status"] == "success"


def test_commands_of_one_session_run_in_the_order_they_were_accepted(
    client: Wire, gate: Gate
) -> None:
    start_muting(client, "first", session="line")
    for place, name in enumerate(["second", "third"], start=1):
        client.submit(name, goals=TIME, session="line")
        assert client.read()["ahead"] == place
    gate.let_one_pass()
    events = client.read_until(type="finished", command="third")
    ends = [event["command"] for event in events if event["type"] == "finished"]
    assert ends == ["first", "second", "third"]


def test_a_waiting_session_does_not_hold_up_another(client: Wire, gate: Gate) -> None:
    start_muting(client, "slow", session="slow")
    assert client.run("quick", goals=TIME, session="quick")[-1]["status"] == "success"
    gate.let_one_pass()
    client.read_until(type="finished", command="slow")


def test_two_clients_do_not_see_each_others_events(client: Wire, daemon: Daemon) -> None:
    other = daemon.connect()
    assert {event["command"] for event in client.run("mine", goals=TIME)} == {"mine"}
    assert {event["command"] for event in other.run("theirs", goals=TIME)} == {"theirs"}
    assert client.ask(type="status", id="nothing between")["id"] == "nothing between"


# The same id twice


def test_the_same_id_while_it_runs_answers_its_state_and_then_the_rest(
    client: Wire, daemon: Daemon, gate: Gate
) -> None:
    start_muting(client, "twice", session="twice")
    again = daemon.connect()
    again.submit("twice", goals=MUTE, session="twice")
    state = again.read()
    assert (state["type"], state["command"], state["status"]) == ("state", "twice", "running")
    gate.let_one_pass()
    assert types(again.read_until(type="finished")) == ["action_finished", "finished"]
    assert types(client.read_until(type="finished")) == ["action_finished", "finished"]


def test_the_same_id_after_its_end_runs_nothing_and_answers_how_it_ended(
    client: Wire, daemon: Daemon
) -> None:
    (daemon.root / "list.txt").write_text("")
    append = {"domain": "file", "verb": "append", "params": {"name": "list.txt", "content": "x"}}
    first = client.run("once", goals=[append])[-1]
    assert first["status"] == "success"
    events = client.run("once", goals=[append])
    assert types(events) == ["state", "finished"]
    assert events[0]["status"] == "success"
    assert events[-1] == first
    assert (daemon.root / "list.txt").read_text().count("x") == 1


# Status and cancel


def test_the_status_of_a_command_is_queued_then_running_then_its_end(
    client: Wire, gate: Gate
) -> None:
    start_muting(client, "running", session="status")
    client.submit("queued", goals=TIME, session="status")
    client.read_until(type="accepted", command="queued")
    assert client.ask(type="status", id="s1", command="running")["status"] == "running"
    assert client.ask(type="status", id="s2", command="queued")["status"] == "queued"
    gate.let_one_pass()
    client.read_until(type="finished", command="queued")
    ended = client.ask(type="status", id="s3", command="queued")
    assert (ended["type"], ended["id"], ended["command"]) == ("state", "s3", "queued")
    assert ended["status"] == "success"
    assert [result["goal"] for result in ended["results"]] == ["g0"]


def test_the_status_of_the_daemon_says_how_it_does(
    client: Wire, daemon: Daemon, gate: Gate
) -> None:
    before = client.ask(type="status", id="before")["health"]["finished"]
    start_muting(client, "health", session="health")
    client.submit("behind", goals=TIME, session="health")
    client.read_until(type="accepted", command="behind")
    health = client.ask(type="status", id="health")["health"]
    assert (health["running"], health["queued"]) == (["health"], 1)
    assert "health" in health["sessions"]
    assert health["pid"] == daemon.process.pid
    assert health["version"] == metadata.version("behest")
    gate.let_one_pass()
    client.read_until(type="finished", command="behind")
    assert client.ask(type="status", id="after")["health"]["finished"] == before + 2


def test_a_running_command_is_cancelled(client: Wire) -> None:
    start_muting(client, "stop", session="stop")
    client.send({"type": "cancel", "id": "k", "command": "stop"})
    events = client.read_until(type="finished")
    assert (events[0]["type"], events[0]["id"], events[0]["status"]) == ("state", "k", "running")
    assert (events[-1]["status"], events[-1]["code"]) == ("cancelled", "CANCELLED")
    assert events[-1]["results"][0]["status"] == "cancelled"


def test_a_queued_command_is_cancelled_without_ever_starting(client: Wire, gate: Gate) -> None:
    start_muting(client, "ahead", session="queue")
    client.submit("waits", text="create folder never", session="queue")
    client.read_until(type="accepted", command="waits")
    client.send({"type": "cancel", "id": "k", "command": "waits"})
    events = client.read_until(type="finished")
    assert types(events) == ["state", "finished"]
    assert (events[0]["status"], events[-1]["status"]) == ("queued", "cancelled")
    gate.let_one_pass()
    assert client.read_until(type="finished", command="ahead")[-1]["status"] == "success"


def test_cancelling_what_has_ended_answers_how_it_ended(client: Wire) -> None:
    client.run("over", goals=TIME)
    client.send({"type": "cancel", "id": "k", "command": "over"})
    events = client.read_until(type="finished")
    assert types(events) == ["state", "finished"]
    assert events[-1]["status"] == "success"


@pytest.mark.parametrize("request_type", ["cancel", "status"])
def test_a_command_that_nobody_knows_is_an_error(client: Wire, request_type: str) -> None:
    error = client.ask(type=request_type, id="k", command="never heard of")
    assert (error["type"], error["code"], error["id"]) == ("error", "UNKNOWN_COMMAND", "k")


def test_a_command_submitted_right_after_its_cancellation_is_still_followed(client: Wire) -> None:
    """Both frames arrive together, so that the cancellation finds nothing to cancel yet."""
    goal = b'{"domain":"system","verb":"get","params":{"target":"time"}}'
    client.send_raw(
        b'{"type":"cancel","id":"k","command":"late"}\n'
        b'{"type":"submit","id":"late","goals":[' + goal + b"]}\n"
    )
    first = types(client.read_until(type="finished"))[:2]
    assert sorted(first) == ["accepted", "error"]


# Subscribe and describe


def test_a_subscriber_hears_only_the_events_it_asked_for(client: Wire, daemon: Daemon) -> None:
    subscribed = client.ask(type="subscribe", id="sub", events=["command.", "plan"])
    assert (subscribed["type"], subscribed["id"]) == ("subscribed", "sub")
    daemon.connect().run("heard", goals=TIME)
    events = client.read_until(type="trace")
    while events[-1]["record"]["event"] != "command.finished":
        events.append(client.read())
    assert all(event["id"] == "sub" for event in events)
    names = {event["record"]["event"] for event in events}
    assert {"command.accepted", "command.finished"} <= names
    assert all(name.startswith(("command.", "plan")) for name in names)


def test_a_subscriber_first_gets_the_records_since_the_one_it_names(
    client: Wire, daemon: Daemon
) -> None:
    seq = client.ask(type="subscribe", id="mark", events=["no such event"])["seq"]
    daemon.connect().run("since", goals=TIME)
    late = daemon.connect()
    late.ask(type="subscribe", id="late", since=seq)
    records = [late.read()["record"]]
    while records[-1]["event"] != "command.finished":
        records.append(late.read()["record"])
    assert [record["seq"] for record in records] == list(range(seq + 1, seq + 1 + len(records)))
    assert records[-1]["command_id"] == "since"


def test_the_trace_a_subscriber_hears_is_the_line_of_the_log(client: Wire, daemon: Daemon) -> None:
    client.ask(type="subscribe", id="sub", events=["command.accepted"])
    daemon.connect().run("same bytes", goals=TIME)
    heard = client.read()["record"]
    assert heard == daemon.wait_for("command.accepted", command_id="same bytes")


def test_describe_gives_version_rules_engines_and_capabilities(client: Wire) -> None:
    described = client.ask(type="describe", id="d")
    assert (described["type"], described["id"]) == ("described", "d")
    assert described["version"] == metadata.version("behest")
    assert described["protocol"] == PROTOCOL_VERSION
    assert described["rules"]["file.create"]["params"]["name"]["required"] is True
    assert "{query}" in described["engines"]["youtube"]["search"]
    names = {capability["name"] for capability in described["capabilities"]}
    assert {"files.create_folder", "audio.mute", "system.time"} <= names


def test_the_schema_names_every_request_and_leads_nowhere_else(client: Wire) -> None:
    schema = client.ask(type="describe", id="d")["schema"]
    requests = {"submit", "answer", "resolve", "cancel", "status", "subscribe", "describe"}
    assert set(mapping(schema["requests"])) == {
        *requests,
        *("auth", "approve", "undo", "explain", "history", "schedules", "recipes", "stop"),
    }
    assert "finished" in mapping(schema["replies"])
    known = {f"#/components/{name}" for name in schema["components"]}
    assert set(references(schema)) <= known


def references(schema: Any) -> Iterator[str]:
    """Give every reference in a schema."""
    if isinstance(schema, dict):
        if isinstance(reference := schema.get("$ref"), str):
            yield reference
        schema = list(schema.values())
    if isinstance(schema, list):
        for value in schema:
            yield from references(value)


def test_the_protocol_page_names_every_message_and_every_code(client: Wire) -> None:
    page = (PROJECT / "docs" / "protocol.md").read_text()
    schema = client.ask(type="describe", id="d")["schema"]
    messages = [name for side in ("requests", "replies") for name in mapping(schema[side])]
    assert [name for name in messages if f"`{name}`" not in page] == []
    assert [code for code in Code if f"`{code}`" not in page] == []


def test_the_examples_of_the_protocol_page_are_replies_of_this_protocol() -> None:
    page = (PROJECT / "docs" / "protocol.md").read_text()
    examples = [line for line in page.splitlines() if line.startswith('{"type":"')]
    replies = [line for line in examples if not line.startswith('{"type":"submit"')]
    assert len(replies) >= 20
    for reply in replies:
        msgspec.json.decode(reply, type=WireReply)


def mapping(union: Event) -> list[str]:
    """Name the messages of one side of the schema."""
    return list(union["discriminator"]["mapping"])


# Errors

GOAL = {"domain": "system", "verb": "get", "params": {"target": "time"}}
BAD_REQUESTS: list[tuple[Event, str, str | None, str]] = [
    ({"id": "e"}, "UNKNOWN_TYPE", "e", "$.type"),
    ({"type": "shout", "id": "e"}, "UNKNOWN_TYPE", "e", "$.type"),
    ({"type": 7, "id": "e"}, "UNKNOWN_TYPE", "e", "$.type"),
    ({"type": "status"}, "BAD_REQUEST", None, "$.id"),
    ({"type": "status", "id": 7}, "BAD_REQUEST", None, "$.id"),
    ({"type": "status", "id": "e", "command": 7}, "BAD_REQUEST", "e", "$.command"),
    ({"type": "cancel", "id": "e"}, "BAD_REQUEST", "e", "$.command"),
    ({"type": "subscribe", "id": "e", "events": "x"}, "BAD_REQUEST", "e", "$.events"),
    ({"type": "subscribe", "id": "e", "events": [7]}, "BAD_REQUEST", "e", "$.events[0]"),
    ({"type": "describe", "id": "e", "more": 1}, "BAD_REQUEST", "e", "$.more"),
    ({"type": "submit", "id": "e"}, "BAD_REQUEST", "e", "$"),
    ({"type": "submit", "id": "e", "text": "x", "goals": [GOAL]}, "BAD_REQUEST", "e", "$"),
    ({"type": "submit", "id": "e", "goals": []}, "BAD_REQUEST", "e", "$"),
    ({"type": "submit", "id": "e", "text": 7}, "BAD_REQUEST", "e", "$.text"),
    ({"type": "submit", "id": "e", "text": "x" * 20_001}, "BAD_REQUEST", "e", "$.text"),
    ({"type": "submit", "id": "x" * 201, "text": "x"}, "BAD_REQUEST", "x" * 201, "$.id"),
    ({"type": "submit", "id": "e", "text": "x", "mode": "try"}, "BAD_REQUEST", "e", "$.mode"),
    ({"type": "submit", "id": "e", "goals": [{}]}, "BAD_REQUEST", "e", "$.goals[0].domain"),
    (
        {"type": "submit", "id": "e", "goals": [GOAL, {**GOAL, "colour": "red"}]},
        "BAD_REQUEST",
        "e",
        "$.goals[1].colour",
    ),
    (
        {"type": "submit", "id": "e", "goals": [{**GOAL, "roles": {"target": 7}}]},
        "BAD_REQUEST",
        "e",
        "$.goals[0].roles[...]",
    ),
]


@pytest.mark.parametrize(
    ("frame", "code", "request_id", "path"),
    BAD_REQUESTS,
    ids=[f"{code}-{path}-{number}" for number, (_, code, _, path) in enumerate(BAD_REQUESTS)],
)
def test_an_error_carries_code_id_and_the_path_of_the_field(
    client: Wire, frame: Event, code: str, request_id: str | None, path: str
) -> None:
    error = client.ask(**frame)
    assert error["type"] == "error"
    assert (error["code"], error["id"], error["path"]) == (code, request_id, path)
    assert error["message"]
    assert client.ask(type="status", id="goes on")["id"] == "goes on"


def test_a_refused_submission_leaves_its_id_free(client: Wire) -> None:
    assert client.ask(type="submit", id="free", text=7)["type"] == "error"
    assert client.run("free", goals=TIME)[-1]["status"] == "success"


# Clients that behave badly


def test_the_socket_is_for_its_owner_alone(daemon: Daemon) -> None:
    assert stat.S_IMODE(daemon.socket.stat().st_mode) == 0o600


def test_a_command_outlives_the_client_that_vanished(daemon: Daemon, gate: Gate) -> None:
    client = daemon.connect()
    start_muting(client, "orphan", session="orphan")
    client.close()
    gate.let_one_pass()
    assert daemon.wait_for("command.finished", command_id="orphan")["status"] == "success"


def test_the_end_of_a_vanished_clients_command_can_be_fetched_by_its_id(
    client: Wire, daemon: Daemon
) -> None:
    vanishing = daemon.connect()
    vanishing.submit("fetched", goals=TIME)
    vanishing.close()
    daemon.wait_for("command.finished", command_id="fetched")
    events = client.run("fetched", goals=TIME)
    assert types(events) == ["state", "finished"]


def test_a_client_that_never_reads_is_shed_and_disturbs_nobody(
    client: Wire, daemon: Daemon
) -> None:
    params = {"object_type": "file", "name": "large.txt", "content": "x" * 900_000}
    large = [{"domain": "file", "verb": "create", "params": params}]
    deaf = daemon.connect()
    with suppress(OSError):  # the daemon hangs up on it while it still sends
        for number in range(20):
            deaf.submit(f"deaf-{number}", goals=large, session="deaf", mode="plan")
    assert client.run("undisturbed", goals=TIME)[-1]["status"] == "success"
    daemon.wait_for("client.shed")
    assert client.run("still undisturbed", goals=TIME)[-1]["status"] == "success"
