"""The JSON log: every record once, in order, to whoever wants it, and no reader stops it."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from messages.trace import Trace, current
from tests.daemon import PATIENCE, PROJECT, Wire
from tools.logs import LineWriter, Logger, TraceLog, span_ids

Record = dict[str, Any]


class Lines:
    """Somebody who takes lines and keeps them."""

    def __init__(self) -> None:
        self.taken: list[bytes] = []

    def put(self, line: bytes) -> None:
        self.taken.append(line)

    def records(self) -> list[Record]:
        return [json.loads(line) for line in self.taken]

    def events(self) -> list[str]:
        return [record["event"] for record in self.records()]


def trace_log(lines: Lines, keep: int = 100) -> TraceLog:
    return TraceLog(lines.put, span_ids(), keep)


def say(log: TraceLog, *events: str) -> None:
    for event in events:
        log.record("info", event, {}, {})


# Records


def test_a_record_says_when_what_and_who() -> None:
    lines = Lines()
    log = Logger(trace_log(lines), [], {"actor": "planner"})
    log.info("plans.made", goals=2)
    (record,) = lines.records()
    assert record.pop("ts").endswith("Z")
    assert record.pop("span_id")
    assert record == {
        "level": "info",
        "event": "plans.made",
        "seq": 1,
        "actor": "planner",
        "goals": 2,
    }


def test_a_record_is_one_line_whatever_it_holds() -> None:
    lines = Lines()
    trace_log(lines).record("info", "x", {}, {"text": "two\nlines\u2028\0", "odd": object()})
    assert b"\n" not in lines.taken[0]
    assert lines.records()[0]["text"] == "two\nlines\u2028\0"


def test_text_that_is_no_unicode_does_not_stop_the_log() -> None:
    lines = Lines()
    trace_log(lines).record("info", "x", {}, {"name": os.fsdecode(b"caf\xe9")})
    assert lines.events() == ["x"]


def test_a_record_made_for_a_command_names_it_and_its_parent() -> None:
    lines = Lines()
    token = current.set(Trace(command_id="c1", span_id="s1"))
    try:
        say(trace_log(lines), "x")
    finally:
        current.reset(token)
    (record,) = lines.records()
    assert record["command_id"] == "c1"
    assert record["parent_id"] == "s1"
    assert record["span_id"] != "s1"


def test_a_span_that_was_given_is_kept() -> None:
    lines = Lines()
    trace_log(lines).record("info", "x", {}, {"span_id": "mine"})
    assert lines.records()[0]["span_id"] == "mine"


def test_every_level_has_its_name_and_an_exception_its_traceback() -> None:
    lines = Lines()
    log = Logger(trace_log(lines), [], {})
    log.info("a")
    log.warning("b")
    log.error("c")
    try:
        os.environ["BEHEST_LOST"]
    except KeyError:
        log.exception("d")
    assert [record["level"] for record in lines.records()] == ["info", "warning", "error", "error"]
    assert "KeyError: 'BEHEST_LOST'" in lines.records()[-1]["traceback"]


def test_span_ids_are_never_the_same_twice() -> None:
    new_span = span_ids()
    assert len({new_span() for _ in range(1_000)}) == 1_000


# Subscriptions


def test_a_subscriber_gets_what_happens_from_then_on() -> None:
    log, lines = trace_log(Lines()), Lines()
    say(log, "before")
    log.subscribe((), None, lines.put)
    say(log, "after", "later")
    assert lines.events() == ["after", "later"]


def test_a_subscriber_gets_the_events_whose_names_begin_so() -> None:
    log, lines = trace_log(Lines()), Lines()
    log.subscribe(("action.", "command.finished"), None, lines.put)
    say(log, "action.started", "actor.crashed", "command.accepted", "command.finished")
    assert lines.events() == ["action.started", "command.finished"]


def test_with_since_what_is_kept_comes_first_and_nothing_comes_twice() -> None:
    log, lines = trace_log(Lines()), Lines()
    say(log, "a1", "b2", "a3", "a4")
    log.subscribe(("a",), 1, lines.put)
    say(log, "a5")
    assert [record["seq"] for record in lines.records()] == [3, 4, 5]


def test_only_the_latest_records_are_kept() -> None:
    log, lines = trace_log(Lines(), keep=3), Lines()
    say(log, *(f"e{number}" for number in range(10)))
    log.subscribe((), 0, lines.put)
    assert lines.events() == ["e7", "e8", "e9"]


def test_who_left_hears_nothing_more_and_the_others_do() -> None:
    log, one, two = trace_log(Lines()), Lines(), Lines()
    leave = log.subscribe((), None, one.put)
    log.subscribe((), None, two.put)
    leave()
    say(log, "x")
    assert one.events() == []
    assert two.events() == ["x"]


def test_the_same_reader_may_subscribe_twice_and_leave_once() -> None:
    log, lines = trace_log(Lines()), Lines()
    leave = log.subscribe((), None, lines.put)
    log.subscribe((), None, lines.put)
    leave()
    say(log, "x")
    assert lines.events() == ["x"]


def test_subscribers_and_the_writer_get_the_same_bytes() -> None:
    written, lines = Lines(), Lines()
    log = trace_log(written)
    log.subscribe((), None, lines.put)
    say(log, "x")
    assert lines.taken == written.taken


# Writing


@pytest.fixture
def pipe() -> Iterator[list[int]]:
    ends = list(os.pipe())
    yield ends
    for end in ends:
        os.close(end)


def read_all(end: int) -> list[bytes]:
    with os.fdopen(os.dup(end), "rb") as reader:
        return reader.read().splitlines()


def many(count: int) -> list[bytes]:
    return [b'{"seq":%d,"filler":"%s"}' % (number, b"x" * 200) for number in range(count)]


def test_every_line_is_written_in_order_before_the_writer_closes(pipe: list[int]) -> None:
    writer = LineWriter(pipe[1])
    for line in many(100):
        writer.write(line)
    writer.close()
    os.close(pipe.pop())
    assert read_all(pipe[0]) == many(100)


def test_a_slow_reader_stops_nobody_and_misses_nothing(pipe: list[int]) -> None:
    """More than a pipe holds is taken at once, and is there when it is read at last."""
    writer = LineWriter(pipe[1])
    for line in many(5_000):
        writer.write(line)
    received: list[list[bytes]] = []
    reader = threading.Thread(target=lambda: received.append(read_all(pipe[0])))
    reader.start()
    writer.close(30)
    os.close(pipe.pop())
    reader.join()
    assert received == [many(5_000)]


def test_a_pipe_that_does_not_block_misses_nothing_either(pipe: list[int]) -> None:
    os.set_blocking(pipe[1], False)
    writer = LineWriter(pipe[1])
    for line in many(5_000):
        writer.write(line)
    writer.close(0.2)  # by then the pipe is full, and the writer must wait for its reader
    received: list[list[bytes]] = []
    reader = threading.Thread(target=lambda: received.append(read_all(pipe[0])))
    reader.start()
    writer.close(30)
    os.close(pipe.pop())
    reader.join()
    assert received == [many(5_000)]


def test_a_reader_that_vanished_costs_nothing_but_its_lines(pipe: list[int]) -> None:
    os.close(pipe.pop(0))
    writer = LineWriter(pipe[0])
    for line in many(10):
        writer.write(line)
    writer.close()
    for line in many(10):
        writer.write(line)


def test_a_reader_that_never_reads_does_not_hold_up_the_end(pipe: list[int]) -> None:
    writer = LineWriter(pipe[1])
    for line in many(5_000):
        writer.write(line)
    writer.close(0.01)
    left = len(b"\n".join(many(5_000))) + 1
    while left > 0:  # no thread stays behind in the middle of a write
        left -= len(os.read(pipe[0], left))


# The daemon's own


def test_the_daemon_goes_on_when_nobody_reads_its_log_any_more(tmp_path: Path) -> None:
    path = tmp_path / "behest.sock"
    command = [sys.executable, str(PROJECT / "run.py"), "serve", "--socket", str(path)]
    command += ["--state", str(tmp_path / "state"), "--root", f"work={tmp_path}"]
    surroundings = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=surroundings) as daemon:
        assert daemon.stdout is not None
        while b"daemon.ready" not in daemon.stdout.readline():
            assert daemon.poll() is None
        daemon.stdout.close()
        wire = Wire(path)
        for number in range(5):
            finished = wire.run(f"c{number}", text=f"create a folder a{number}")[-1]
            assert finished["status"] == "success"
        wire.close()
        daemon.terminate()
        assert daemon.wait(PATIENCE) == 0
