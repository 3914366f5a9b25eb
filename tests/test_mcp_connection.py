"""The server's one connection to the daemon, which all calls share; here the test is the daemon."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import anyio.abc
import msgspec

from messages import wire
from messages.results import Code
from tools.mcp.connection import DaemonConnector
from tools.mcp.watch import Watch

LONG = wire.Submit("long", text="x" * 900_000)  # more than a socket holds before it is read
SHORT = wire.Submit("short", text="what time is it")
_encode = msgspec.json.Encoder().encode


@dataclass(eq=False)
class Listener:
    """A listener that keeps what it hears."""

    replies: list[wire.WireReply] = field(default_factory=list)
    lost: str = ""
    changed: anyio.Event = field(default_factory=anyio.Event)

    def record_reply(self, reply: wire.WireReply) -> None:
        self.replies.append(reply)
        self.changed.set()

    def record_loss(self, reason: str) -> None:
        self.lost = reason
        self.changed.set()


@dataclass
class Pair:
    """The server's way to the daemon, and where the test accepts it."""

    daemon: DaemonConnector
    tasks: anyio.abc.TaskGroup
    doors: anyio.abc.SocketListener

    async def hold(self, request: wire.WireRequest, listener: Listener) -> None:
        """Make a call that lasts until it is cancelled or its connection ends."""
        async with self.daemon.call(request, listener):
            await listener.changed.wait()


@asynccontextmanager
async def paired(folder: Path, send_seconds: float = 30.0) -> AsyncIterator[Pair]:
    path = folder / "daemon.sock"
    async with anyio.create_task_group() as tasks, await anyio.create_unix_listener(path) as doors:
        yield Pair(DaemonConnector(path, tasks, send_seconds), tasks, doors)
        tasks.cancel_scope.cancel()


async def say(stream: anyio.abc.ByteStream, *replies: wire.WireReply) -> None:
    await stream.send(b"".join(_encode(reply) + b"\n" for reply in replies))


async def test_a_call_that_is_given_up_halfway_leaves_no_half_frame(tmp_path: Path) -> None:
    given_up = anyio.CancelScope()

    async def give_up_later() -> None:
        with given_up:
            await pair.hold(LONG, Listener())

    async with paired(tmp_path) as pair:
        pair.tasks.start_soon(give_up_later)
        async with await pair.doors.accept() as stream:
            said = await stream.receive(1)  # a part of it is on its way, and no more has room
            given_up.cancel()
            pair.tasks.start_soon(pair.hold, SHORT, Listener())
            while said.count(b"\n") < len((LONG, SHORT)):
                said += await stream.receive()
    assert [msgspec.json.decode(frame)["id"] for frame in said.splitlines()] == ["long", "short"]


async def test_a_daemon_that_takes_nothing_in_is_given_up_and_the_next_call_connects_anew(
    tmp_path: Path,
) -> None:
    given_up, answered = Listener(), Listener()
    async with paired(tmp_path, send_seconds=0.05) as pair, anyio.create_task_group() as calls:
        await pair.hold(LONG, given_up)
        await (await pair.doors.accept()).aclose()
        pair.daemon.send_seconds = 30.0
        calls.start_soon(pair.hold, SHORT, answered)
        async with await pair.doors.accept() as stream:
            await say(stream, wire.Error(Code.BUSY, "later", SHORT.id))
    assert "takes nothing" in given_up.lost
    assert answered.replies == [wire.Error(Code.BUSY, "later", SHORT.id)]


async def test_a_call_on_a_new_connection_is_not_lost_with_the_one_before(tmp_path: Path) -> None:
    before, after = Listener(), Listener()
    async with paired(tmp_path) as pair, anyio.create_task_group() as calls:
        calls.start_soon(pair.hold, SHORT, before)
        await (await pair.doors.accept()).aclose()
        await before.changed.wait()
        calls.start_soon(pair.hold, SHORT, after)
        async with await pair.doors.accept() as stream:
            await say(stream, wire.Error(Code.BUSY, "later", SHORT.id))
    assert (before.lost, after.lost) == ("the daemon hung up", "")
    assert len(after.replies) == 1


async def test_what_the_daemon_says_before_it_hangs_up_is_the_reason(tmp_path: Path) -> None:
    listener = Listener()
    async with paired(tmp_path) as pair, anyio.create_task_group() as calls:
        calls.start_soon(pair.hold, SHORT, listener)
        async with await pair.doors.accept() as stream:
            await say(stream, wire.busy(None, "1000 clients are connected"))
    assert listener.lost == "the daemon hung up: BUSY: 1000 clients are connected"


# What two calls with one id hear


def state_of(command: str, *, asked_by: str) -> wire.State:
    return wire.State(asked_by, command, "running")


def test_only_the_call_that_came_second_is_told_that_its_id_was_used_before() -> None:
    first, second = Watch("same"), Watch("same")
    first.record_reply(wire.Accepted("same", "mcp"))
    for watch in (first, second):
        watch.record_reply(state_of("same", asked_by="same"))
    assert (first.repeated, second.repeated) == (False, True)


def test_a_command_that_was_accepted_does_not_fail_with_the_refusal_of_its_repetition() -> None:
    watch = Watch("same")
    watch.record_reply(wire.Accepted("same", "mcp"))
    watch.record_reply(wire.busy("same", "too many commands are under way"))
    assert watch.error is None
    assert not watch.is_settled


async def test_progress_is_told_once_and_only_grows_however_often_it_is_looked_at() -> None:
    told: list[tuple[float, str]] = []

    async def report(steps: float, latest: str) -> None:
        told.append((steps, latest))

    watch = Watch("one")
    watch.record_reply(wire.ActionStarted("one", "g0", "g0_mute_1", "mute"))
    for _ in range(3):
        await watch.wait_until_settled(0.01, report)
    watch.record_reply(wire.ActionFinished("one", "g0", "g0_mute_1", "success"))
    await watch.wait_until_settled(0.01, report)
    assert told == [(1, "mute"), (2, "g0_mute_1: success")]
