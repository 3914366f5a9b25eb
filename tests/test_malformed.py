"""A thousand malformed frames of every kind between good ones: nobody else notices them."""

import json
from collections.abc import Callable, Iterator
from random import Random

import pytest

from messages.wire import MAX_FRAME
from tests.daemon import Daemon, Wire, running_daemon

DEPTH = 100_000
GOOD = {"domain": "system", "verb": "get", "params": {"target": "time"}}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running_daemon(tmp_path_factory.mktemp("malformed")) as running:
        yield running


@pytest.fixture
def client(daemon: Daemon) -> Iterator[Wire]:
    wire = daemon.connect()
    yield wire
    wire.close()


# Every kind of malformed frame: a name, and what makes one.


def request(random: Random) -> dict[str, object]:
    """A request that would be good."""
    return {
        "type": "submit",
        "id": f"m{random.randrange(10**9)}",
        "goals": [GOOD] * random.randint(1, 3),
    }


def bad_json(random: Random) -> bytes:
    frame = json.dumps(request(random))
    return random.choice(
        [f"{frame},", frame.replace(":", "=", 1), frame + frame, "'" + frame]
    ).encode()


def truncated(random: Random) -> bytes:
    frame = json.dumps(request(random)).encode()
    return frame[: random.randrange(1, len(frame))]


def wrong_type(random: Random) -> bytes:
    field = random.choice(["id", "goals", "session", "mode", "allow_partial", "text"])
    value: object = random.choice(
        [7, 1.5, [[]], {"a": 1}, True if field != "allow_partial" else "yes"]
    )
    return json.dumps({**request(random), field: value}).encode()


def unknown_type(random: Random) -> bytes:
    kind: object = random.choice(["", "shout", "SUBMIT", "resolve", "finished", 7, None, [], {}])
    return json.dumps({**request(random), "type": kind}).encode()


def missing_field(random: Random) -> bytes:
    frame = request(random)
    del frame[random.choice(list(frame))]
    return json.dumps(frame).encode()


def unknown_field(random: Random) -> bytes:
    name = random.choice(["colour", "Id", "", "with space", "`", "\u00e9", "$.id", "a" * 10_000])
    return json.dumps({**request(random), name: random.choice([1, "x", [1], None])}).encode()


def no_object(random: Random) -> bytes:
    return random.choice([b"[]", b"null", b"7", b'"submit"', b"true", b"-0.0", b"[{}]"])


def deep(random: Random) -> bytes:
    """Nested deeper than anybody reads, in every place where a value may stand."""
    nest = random.choice(["[", '{"a":', '[{"a":'])
    closed = {"[": "]", '{"a":': "}", '[{"a":': "}]"}[nest] if random.random() < 0.5 else ""
    value = nest * DEPTH + "1" + closed * DEPTH
    before, after = random.choice(
        [
            ("", ""),
            ('{"type":"submit","id":"d","goals":', "}"),
            ('{"type":"submit","id":"d","unknown":', "}"),
            ('{"type":"status","id":', "}"),
            ('{"type":', "}"),
            ('{"type":"submit","id":"d","goals":[{"domain":"a","verb":"b","params":{"x":', "}}]}"),
        ]
    )
    return (before + value + after).encode()


def huge_number(random: Random) -> bytes:
    number = random.choice(
        ["1e400", "-1e999", "9" * 5_000, "1" + "0" * 5_000, "0." + "9" * 400 + "e999"]
    )
    return f'{{"type":"subscribe","id":"n","since":{number}}}'.encode()


def not_a_number(random: Random) -> bytes:
    word = random.choice(["NaN", "Infinity", "-Infinity", "nan", "+1", "01", "1.", ".5", "0x10"])
    return f'{{"type":"subscribe","id":"n","since":{word}}}'.encode()


def invalid_utf8(random: Random) -> bytes:
    noise = random.choice([b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xc0\xaf"])
    where = random.choice(
        [
            b'{"type":"status","id":"%b"}',
            b'{"type":"%b","id":"u"}',
            b'{"type":"status","id":7,"id":"%b"}',
            b'{"type":"status","colour":1,"id":"%b"}',
            b'{"type":"submit","id":"u","text":"%b"}',
            b'{"type":"submit","text":1,"id":"%b"}',
            b"%b",
        ]
    )
    return where % noise


def lone_surrogate(random: Random) -> bytes:
    half = random.choice(["\\ud800", "\\udfff", "\\udc00\\ud800", "\\ud800x", "\\ud800\\n"])
    field = random.choice(["id", "text", "session"])
    frame = {"type": "submit", "id": "l", "text": "x", "session": "s", field: "HALF"}
    return json.dumps(frame).replace("HALF", half).encode()


def oversized(random: Random) -> bytes:
    text = "x" * (MAX_FRAME + random.randrange(3))
    return json.dumps({"type": "submit", "id": "o", "text": text}).encode()


def noise(random: Random) -> bytes:
    """Bytes without sense: never a line of their own, never blank."""
    return b"\x00" + random.randbytes(random.randrange(1, 2_000)).replace(b"\n", b"")


Kind = Callable[[Random], bytes]

MANY: tuple[Kind, ...] = (
    *(bad_json, truncated, wrong_type, unknown_type, missing_field, unknown_field, no_object),
    *(huge_number, not_a_number, invalid_utf8, lone_surrogate, noise),
)
FEW: tuple[Kind, ...] = (deep, oversized)  # each is large
CODES = {"BAD_JSON", "BAD_REQUEST", "UNKNOWN_TYPE", "FRAME_TOO_LARGE"}


def malformed_frames(seed: int, count: int) -> list[bytes]:
    """Make so many malformed frames, of every kind, in an order that looks like none."""
    random = Random(seed)  # noqa: S311 - the same frames in every run
    kinds = [FEW[number % len(FEW)] for number in range(count // 20)]
    kinds += [MANY[number % len(MANY)] for number in range(count - len(kinds))]
    random.shuffle(kinds)
    return [kind(random) for kind in kinds]


def assert_unhurt(daemon: Daemon) -> None:
    assert daemon.process.poll() is None
    assert not [record for record in daemon.log() if "crashed" in record["event"]]


@pytest.mark.parametrize("kind", [*MANY, *FEW], ids=lambda kind: kind.__name__)
def test_each_kind_of_malformed_frame_is_answered_by_one_error(client: Wire, kind: Kind) -> None:
    random = Random(kind.__name__)  # noqa: S311
    for number in range(10):
        client.send_raw(kind(random) + b"\n")
        client.send({"type": "status", "id": f"after {number}"})
        error, state = client.read(), client.read()
        assert error["type"] == "error", error
        assert error["code"] in CODES
        assert (state["type"], state["id"]) == ("state", f"after {number}")


def test_a_thousand_malformed_frames_between_good_ones_cost_nobody_anything(
    client: Wire, daemon: Daemon
) -> None:
    bystander = daemon.connect()
    bad = malformed_frames(seed=2, count=1_000)
    for number, frame in enumerate(bad):
        client.send_raw(frame + b"\n")
        if number % 10 == 0:
            client.submit(f"good {number}", goals=[GOOD], session=f"s{number % 70}")
    client.send({"type": "status", "id": "last"})

    answers = client.read_until(type="state", id="last")
    ends = {event["command"]: event for event in answers if event["type"] == "finished"}
    while len(ends) < 100:
        answers.append(client.read())
        if answers[-1]["type"] == "finished":
            ends[answers[-1]["command"]] = answers[-1]

    errors = [answer for answer in answers if answer["type"] == "error"]
    assert len(errors) == len(bad)
    assert {error["code"] for error in errors} == CODES
    assert set(ends) == {f"good {number}" for number in range(0, 1_000, 10)}
    assert {end["status"] for end in ends.values()} == {"success"}
    assert bystander.ask(type="status", id="well")["health"]["finished"] >= 100
    assert_unhurt(daemon)


def test_malformed_and_good_frames_that_arrive_in_one_piece_are_told_apart(
    client: Wire, daemon: Daemon
) -> None:
    bad = malformed_frames(seed=3, count=200)
    good = [json.dumps({"type": "status", "id": f"g{number}"}).encode() for number in range(200)]
    client.send_raw(b"".join(b"%b\n%b\n" % pair for pair in zip(bad, good, strict=True)))
    answers = client.read_until(id="g199")
    assert sum(answer["type"] == "error" for answer in answers) == 200
    states = [answer["id"] for answer in answers if answer["type"] == "state"]
    assert states == [f"g{number}" for number in range(200)]
    assert_unhurt(daemon)


def test_blank_lines_are_answered_by_nothing(client: Wire) -> None:
    client.send_raw(b"\n\r\n \t \n" * 50)
    assert client.ask(type="status", id="alone")["id"] == "alone"


def test_an_oversized_frame_is_refused_before_it_ends_and_skipped_to_its_end(client: Wire) -> None:
    client.send_raw(b"x" * (MAX_FRAME + 1))
    assert client.read()["code"] == "FRAME_TOO_LARGE"
    client.send_raw(b"x" * MAX_FRAME * 3 + b"\n")
    assert client.ask(type="status", id="next")["id"] == "next"


def test_the_largest_frame_that_is_allowed_is_served(client: Wire) -> None:
    frame = json.dumps({"type": "status", "id": "full"}).encode()
    client.send_raw(frame.ljust(MAX_FRAME) + b"\n")
    assert client.read()["id"] == "full"
