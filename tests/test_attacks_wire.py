"""Attacks on the socket: frames without end or sense, borrowed ids, clients that do not play along.

What a malformed frame is answered by is in ``test_malformed``; here every field of every request is
attacked, and what an attack costs the daemon is measured.
"""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random

import pytest

from messages.wire import MAX_FRAME
from tests.daemon import PATIENCE, Event, Wire
from tests.framing import full_frames, places, put, shape
from tests.overheard import Overheard, descriptors, memory, overheard_daemon

MEGABYTE = 1 << 20
DEPTH = 100_000
TIME = [{"domain": "system", "verb": "get", "params": {"target": "time"}}]
REFUSED = {"BAD_JSON", "BAD_REQUEST", "UNKNOWN_TYPE"}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Overheard]:
    with overheard_daemon(tmp_path_factory.mktemp("wire"), keeps=True) as running:
        yield running
        assert running.answers()
    assert running.crashes == []


@pytest.fixture
def client(daemon: Overheard) -> Iterator[Wire]:
    wire = daemon.connect()
    yield wire
    wire.close()


def append(word: str) -> list[Event]:
    params = {"name": "list.txt", "content": word}
    return [{"domain": "file", "verb": "append", "params": params}]


# Borrowed ids


def test_an_id_belongs_to_the_words_that_came_with_it_first(daemon: Overheard) -> None:
    """Two clients send every id at the same time, each with words of its own."""
    (daemon.root / "list.txt").write_text("")
    wires = [daemon.connect(), daemon.connect()]
    names = [f"borrowed {number}" for number in range(100)]

    def send(wire: Wire, word: str) -> None:
        for name in names:
            wire.submit(name, goals=append(f"{name} {word}"), session=name)

    senders = [
        threading.Thread(target=send, args=pair) for pair in zip(wires, ("one", "two"), strict=True)
    ]
    for sender in senders:
        sender.start()
    ends = [finished(wire, names) for wire in wires]
    for sender in senders:
        sender.join()
    for wire in wires:
        wire.close()
    assert ends[0] == ends[1]
    lines = (daemon.root / "list.txt").read_text().split("\n")[:-1]
    assert sorted(line.rpartition(" ")[0] for line in lines) == sorted(names)


def finished(wire: Wire, names: list[str]) -> dict[str, Event]:
    ends: dict[str, Event] = {}
    while len(ends) < len(names):
        event = wire.read()
        if event["type"] == "finished":
            ends[event["command"]] = event
    return ends


def test_a_stranger_to_a_command_cannot_change_its_words(daemon: Overheard, client: Wire) -> None:
    (daemon.root / "list.txt").write_text("")
    assert client.run("mine", goals=append("mine"))[-1]["status"] == "success"
    other = daemon.connect()
    events = other.run("mine", text="delete list.txt", allow_partial=True)
    assert [event["type"] for event in events] == ["state", "finished"]
    assert (daemon.root / "list.txt").read_text() == "mine\n"
    other.close()


# Frames that are too much


def grown(daemon: Overheard, before: int) -> float:
    """Give by how many megabytes the daemon has grown."""
    return (memory(daemon.process.pid) - before) / MEGABYTE


def test_a_frame_of_a_gigabyte_costs_no_memory(daemon: Overheard, client: Wire) -> None:
    before, piece, most = memory(daemon.process.pid), b"x" * MEGABYTE, 0.0
    for number in range(1_024):
        client.send_raw(piece)
        if number % 128 == 0:
            most = max(most, grown(daemon, before))
    client.send_raw(b"\n")
    assert client.read()["code"] == "FRAME_TOO_LARGE"
    assert client.ask(type="status", id="after")["id"] == "after"
    assert max(most, grown(daemon, before)) < 8


def test_frames_that_never_end_cost_no_more_than_the_limit(daemon: Overheard, client: Wire) -> None:
    before = memory(daemon.process.pid)
    wires = [daemon.connect() for _ in range(20)]
    for wire in wires:
        wire.send_raw(b'{"type":"status","id":"' + b"x" * (MAX_FRAME // 2))
    assert client.ask(type="status", id="served")["id"] == "served"
    for wire in wires:
        wire.send_raw(b"x" * MAX_FRAME * 2)
        assert wire.read()["code"] == "FRAME_TOO_LARGE"
    assert grown(daemon, before) < 8
    for wire in wires:
        wire.close()


def test_a_million_empty_lines_are_answered_by_nothing(daemon: Overheard, client: Wire) -> None:
    before = memory(daemon.process.pid)
    client.send_raw(b"\n" * 500_000 + b" \r\n" * 500_000)
    assert client.ask(type="status", id="alone")["id"] == "alone"
    assert grown(daemon, before) < 8


# Every field of every request

FIELDS = {
    f"{frame['type']}.{shape(at)}": (frame, at, value)
    for frame in full_frames()
    for at, value in places(frame)
    if all(not isinstance(step, str) or step.isidentifier() for step in at)
}


def refused(client: Wire, frame: bytes, where: str) -> None:
    """See that a frame is answered by one error, and the next frame is served."""
    client.send_raw(frame + b"\n")
    error = client.read()
    assert (error["type"], error["code"] in REFUSED) == ("error", True), (where, error)


def test_the_fields_of_all_requests_are_attacked() -> None:
    attacked = {name.partition(".")[0] for name in FIELDS}
    assert attacked == {
        "submit", "answer", "approve", "undo", "resolve", "cancel", "status", "subscribe",
        "describe", "auth", "explain", "history", "schedules", "recipes", "stop",
    }  # fmt: skip
    assert {"submit.goals.[].params", "resolve.world.things.[].name"} <= FIELDS.keys()


def test_what_is_nested_too_deep_is_refused_wherever_it_stands(client: Wire) -> None:
    opened = {"[": "]", '{"a":': "}"}
    for where, (frame, at, _) in FIELDS.items():
        for start, end in opened.items():
            refused(client, put(frame, at, start * DEPTH + "1" + end * DEPTH), where)
            refused(client, put(frame, at, start * (DEPTH // 100)), where)


@pytest.mark.parametrize(
    "text",
    [
        '"\\ud800"',
        '"\\udc00x"',
        '"\\ud83d\\ud83d"',
        '"\udcff"',
        '"\udced\udca0\udc80"',
        '"\udcc0\udcaf"',
    ],
    ids=["high half", "low half", "two high halves", "FF", "a half in UTF-8", "overlong"],
)
def test_text_that_is_none_is_refused_in_every_field_of_text(client: Wire, text: str) -> None:
    for where, (frame, at, value) in FIELDS.items():
        if isinstance(value, str):
            refused(client, put(frame, at, text), where)


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5_000, "01", "1."]
)
def test_what_is_no_number_is_refused_in_every_field(client: Wire, number: str) -> None:
    for where, (frame, at, _) in FIELDS.items():
        refused(client, put(frame, at, number), where)


def test_of_a_field_that_comes_twice_one_counts_and_nothing_runs_twice(client: Wire) -> None:
    goals = json.dumps(TIME)
    client.send_raw(
        f'{{"type":"submit","id":"first","id":"second","goals":{goals},"goals":{goals}}}\n'.encode()
    )
    events = client.read_until(type="finished")
    assert {event["command"] for event in events} == {"second"}
    assert len(events[-1]["results"]) == 1
    unknown = client.ask(type="status", id="s", command="first")
    assert unknown["code"] == "UNKNOWN_COMMAND"


@pytest.mark.parametrize(
    ("frame", "answer"),
    [
        (b'\xef\xbb\xbf{"type":"status","id":"bom"}\n', "BAD_JSON"),
        (b'{"type":"status","id":"bom"}\xef\xbb\xbf\n', "BAD_JSON"),
        ('{"type":"status","id":"wide"}\n'.encode("utf-16"), "BAD_JSON"),
        (b'{"type":"status","id":"crlf"}\r\n', None),
        (b'\t {"type":"status","id":"spaces"} \t\r\n', None),
        (b'{"type":"status",\r"id":"cr"}\n', None),
        (b'{"type":"status","id":"two"}{"type":"status","id":"two"}\n', "BAD_JSON"),
        (b'{"type":"status","id":"nul"}\0\n', "BAD_JSON"),
        (b"GET / HTTP/1.1\r\n", "BAD_JSON"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n", "BAD_JSON"),
    ],
)
def test_bytes_around_a_frame_are_space_or_refused(
    client: Wire, frame: bytes, answer: str | None
) -> None:
    client.send_raw(frame)
    assert client.read().get("code") == answer
    client.send_raw(b"\n")
    assert client.ask(type="status", id="next").get("id") in {"next", None}


def test_a_split_that_its_own_words_belie_is_answered(client: Wire) -> None:
    put = {"rules": {"directIndirect": {"acceptedRelations": ["in"]}}}
    parsed = {
        "intentToken": "put",
        "directSpan": "apple",
        "relationToken": "in",
        "indirectSpan": "chest",
        "normalizedInput": "nothing of the kind",
    }
    request = {"id": "r", "verbs": {"put": put}, "world": {"things": []}, "parsed": parsed}
    answer = client.ask(type="resolve", **request)
    assert (answer["type"], answer["code"]) == ("resolution", "TARGET_NOT_FOUND")


@pytest.mark.parametrize(("verb", "name"), [("search", "query"), ("navigate", "url")])
def test_an_address_cannot_be_made_of_what_is_not_there_yet(
    client: Wire, verb: str, name: str
) -> None:
    goals = [*TIME, {"domain": "browser", "verb": verb, "takes": {name: "g0"}, "scope": "after:g0"}]
    finished = client.run(f"takes {name}", goals=goals)[-1]
    assert finished["results"][1]["code"] == "VALIDATION_FAILED"


# Clients that do not play along


def test_a_client_that_sends_a_byte_at_a_time_is_served(daemon: Overheard, client: Wire) -> None:
    frame = json.dumps({"type": "submit", "id": "slowly", "goals": TIME}).encode() + b"\n"
    for number in range(len(frame)):
        client.send_raw(frame[number : number + 1])
        if number == len(frame) // 2:
            assert daemon.answers()
    assert client.read_until(type="finished")[-1]["status"] == "success"


def test_a_client_that_only_sends_is_shed_and_gives_back_what_it_took(
    daemon: Overheard, client: Wire
) -> None:
    before = memory(daemon.process.pid)
    with socket.socket(socket.AF_UNIX) as deaf:
        deaf.settimeout(PATIENCE)
        deaf.connect(str(daemon.socket))
        with suppress(OSError):
            while True:
                deaf.sendall(b"x\n" * 50_000)
    assert client.ask(type="status", id="served")["id"] == "served"
    # Freed memory is not always handed back; much more than one client's share is a leak.
    assert grown(daemon, before) < 200


def test_clients_that_vanish_anywhere_leave_nothing_behind(daemon: Overheard) -> None:
    before = descriptors(daemon.process.pid)
    random = Random(7)  # noqa: S311 - the same in every run
    for number in range(200):
        wire = daemon.connect()
        frame = json.dumps({"type": "submit", "id": f"gone {number}", "goals": TIME}).encode()
        wire.send_raw((frame + b"\n")[: random.randrange(len(frame) + 2)])
        wire.close()
    assert settled(lambda: descriptors(daemon.process.pid) <= before)
    wire = daemon.connect()
    health = wire.ask(type="status", id="h")["health"]
    wire.close()
    assert (health["running"], health["queued"]) == ([], 0)


def test_subscribers_that_vanish_leave_nothing_behind_though_nothing_happens(
    daemon: Overheard,
) -> None:
    before = descriptors(daemon.process.pid)
    for number in range(20):
        wire = daemon.connect()
        wire.ask(type="subscribe", id=f"s{number}", events=["nothing.like.this"])
        wire.close()
    assert settled(lambda: descriptors(daemon.process.pid) <= before)


def test_a_subscriber_that_says_no_more_still_listens(daemon: Overheard, client: Wire) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.connect(str(daemon.socket))
        listening.sendall(b'{"type":"subscribe","id":"s","events":["command."]}\n')
        listening.shutdown(socket.SHUT_WR)
        heard = listening.makefile()
        assert json.loads(heard.readline())["type"] == "subscribed"
        client.run("spoken of", goals=append("spoken of"))
        assert "spoken of" in heard.readline()


def test_a_command_whose_client_vanished_runs_once_to_its_end(daemon: Overheard) -> None:
    (daemon.root / "list.txt").write_text("")
    names = [f"orphan {number}" for number in range(50)]
    for name in names:
        wire = daemon.connect()
        wire.submit(name, goals=append(name), session="orphans")
        wire.close()
    again = daemon.connect()
    for name in names:
        assert again.run(name, goals=append("again"))[-1]["status"] == "success"
    again.close()
    lines = (daemon.root / "list.txt").read_text().split("\n")[:-1]
    assert len(lines) == len(names)


def settled(holds: Callable[[], bool]) -> bool:
    """Wait until something holds of the daemon's process."""
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)  # another process's doing: there is nothing to wait on
    return True
