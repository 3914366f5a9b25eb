"""Gateway: the socket's side of the daemon. Frames in, events out, one task pair per client.

It decodes and routes; it decides nothing about commands. Whatever a client sends or does not
read, it hurts nobody but itself.
"""

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol, assert_never, get_args

import anyio
import anyio.abc
import msgspec

from actors.gateway.frames import Frames, Oversized
from actors.gateway.outbox import STALLED_SECONDS, Outbox
from actors.gateway.resolving import Readers, Resolving, declared
from actors.gateway.switchboard import Switchboard, encode
from actors.logger import ActorLogger, logger_of
from actors.mailbox import Address, WayBack
from actors.supervisor import contained
from messages import commanding, executing, wire
from messages.commanding import (
    Admit,
    Admitted,
    AnswerQuestion,
    ApproveAction,
    CancelCommand,
    Known,
    Report,
    TurnedAway,
    UndoCommand,
)
from messages.executing import Survey, Surveyed
from messages.results import Code
from messages.rules import Rule, SearchEngine
from messages.trace import Trace

OUTBOX_BYTES = 16 << 20
LAST_WORDS_SECONDS = 2.0

NUMBERS = itertools.count(1)
NAMED_FIELD = re.compile(r"field `(\w+)`")

_decode = msgspec.json.Decoder(wire.WireRequest).decode


class Labelled(msgspec.Struct):
    """What can be saved of a frame that is no request: who asked."""

    id: msgspec.UnsetType | str = msgspec.UNSET


_decode_label = msgspec.json.Decoder(Labelled).decode


class Records(Protocol):
    """The trace, for those who subscribe to it."""

    @property
    def seq(self) -> int: ...

    def subscribe(
        self, events: tuple[str, ...], since: int | None, put: Callable[[bytes], None]
    ) -> Callable[[], None]:
        """Hand over every record from now on (first those since ``since``); give the way out."""


class Peer(Protocol):
    """Tells who is at the other end, and refuses those who must not be there."""

    def __call__(self, stream: anyio.abc.SocketStream) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Card:
    """What ``describe`` says that does not change while the daemon runs."""

    version: str
    rules: Mapping[str, Rule]
    engines: Mapping[str, SearchEngine]
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass
class Gateway:
    """Everything a connection needs to route its requests."""

    orchestrator: Address[commanding.Inbox]
    executor: Address[executing.Inbox]
    readers: Readers
    switchboard: Switchboard
    records: Records
    refused: Peer
    card: Card
    log: ActorLogger = field(default_factory=lambda: logger_of("gateway"))
    connections: set["Connection"] = field(default_factory=set)

    async def serve(self, listener: anyio.abc.Listener[anyio.abc.SocketStream]) -> None:
        """Serve every client that connects; a closed listener takes no more, and drops none."""
        async with anyio.create_task_group() as clients:
            clients.start_soon(self.keep_watch)
            try:
                await listener.serve(self.welcome, clients)
            except anyio.ClosedResourceError:
                self.log.info("gateway.closed", clients=len(self.connections))

    async def keep_watch(self) -> None:
        """Give up clients that take nothing of much that waits for them."""
        while True:
            await anyio.sleep(STALLED_SECONDS)
            for connection in list(self.connections):
                connection.outbox.give_up_if_stuck()

    async def welcome(self, stream: anyio.abc.SocketStream) -> None:
        """Serve one client from its first frame to its last."""
        async with stream:
            if (reason := self.refused(stream)) is not None:
                self.log.warning("client.refused", reason=reason)
                return
            connection = Connection(self, Outbox(OUTBOX_BYTES))
            self.connections.add(connection)
            try:
                await contained(connection.live(stream), dropped)
            finally:
                self.connections.discard(connection)

    async def say_goodbye(self) -> None:
        """Send what still waits to be sent, to those who read it soon enough."""
        with anyio.move_on_after(LAST_WORDS_SECONDS):
            for connection in list(self.connections):
                connection.outbox.close()
            for connection in list(self.connections):
                await connection.all_sent.wait()


@dataclass(eq=False)
class Connection:
    """One client: its outbox, its subscriptions, and the frames it sends."""

    gateway: Gateway
    outbox: Outbox
    frames: Frames = field(default_factory=lambda: Frames(wire.MAX_FRAME))
    unsubscribe: list[Callable[[], None]] = field(default_factory=list)
    all_sent: anyio.Event = field(default_factory=anyio.Event)
    name: str = field(default_factory=lambda: f"client-{next(NUMBERS)}")

    async def live(self, stream: anyio.abc.SocketStream) -> None:
        """Read and write until the client goes, stops reading, or the daemon stops.

        A client that only stops sending still gets all that it asked for.
        """
        self.gateway.log.info("client.connected")
        try:
            async with anyio.create_task_group() as tasks:
                self.outbox.on_overflow = tasks.cancel_scope.cancel
                tasks.start_soon(self.write, stream, tasks.cancel_scope)
                await self.read(stream)
                self.outbox.close_when_idle()
        finally:
            for leave in self.unsubscribe:
                leave()
            shed = self.outbox.overflowed
            self.outbox.close()
            self.gateway.log.info("client.shed" if shed else "client.left")

    async def write(self, stream: anyio.abc.SocketStream, scope: anyio.CancelScope) -> None:
        try:
            await self.outbox.send_all(stream)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            scope.cancel()
        finally:
            self.all_sent.set()

    async def read(self, stream: anyio.abc.SocketStream) -> None:
        try:
            while True:
                for frame in self.frames.feed(await stream.receive(1 << 18)):
                    await self.take(frame)
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return

    async def take(self, frame: bytes | Oversized) -> None:
        """Serve one frame, or say what is wrong with it."""
        if isinstance(frame, Oversized):
            limit = f"a frame may have {wire.MAX_FRAME} bytes at most; this one was skipped"
            self.reply(wire.Error(Code.FRAME_TOO_LARGE, limit))
            return
        try:
            request = _decode(frame)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self.reply(diagnosis(frame, error))
            return
        await self.serve(request)

    async def serve(self, request: wire.WireRequest) -> None:
        gateway = self.gateway
        self.outbox.following += 1  # something is to come for this, if only an error
        match request:
            case wire.Submit():
                admit, way_back = Admit(request, self.name), Answering(self, request.id)
                if not gateway.orchestrator.told(admit, way_back):  # nearly always there is room
                    await gateway.orchestrator.tell(admit, way_back)
            case wire.Answer():
                await gateway.orchestrator.tell(
                    AnswerQuestion(request), Answering(self, None, request.id)
                )
            case wire.Approve():
                await gateway.orchestrator.tell(
                    ApproveAction(request, self.name), Answering(self, None, request.id)
                )
            case wire.Undo():
                await gateway.orchestrator.tell(
                    UndoCommand(request, self.name), Answering(self, request.id)
                )
            case wire.Resolve():
                await self.resolve(request)
            case wire.Cancel():
                way_back = Answering(self, request.command, request.id)
                await gateway.orchestrator.tell(CancelCommand(request), way_back)
            case wire.Status():
                await gateway.orchestrator.tell(Report(request), Answering(self, "", request.id))
            case wire.Subscribe():
                self.subscribe(request)
            case wire.Describe():
                describing: WayBack = Describing(self, request)
                await gateway.executor.tell(Survey("", frozenset()), describing)
            case unknown:
                assert_never(unknown)

    async def resolve(self, request: wire.Resolve) -> None:
        """Have words bound to things of a world that came with them."""
        verbs = declared(request)
        if isinstance(verbs, wire.Error):
            self.reply(verbs)
            self.served()
        else:
            await Resolving(self, self.gateway.readers, request, verbs).begin()

    def served(self) -> None:
        self.outbox.followed()

    def subscribe(self, request: wire.Subscribe) -> None:
        """Let the client hear the trace."""

        def put(record: bytes) -> None:
            self.reply(wire.TraceRecord(request.id, msgspec.Raw(record)))

        records = self.gateway.records
        self.reply(wire.Subscribed(request.id, records.seq))
        self.unsubscribe.append(records.subscribe(request.events, request.since, put))

    def reply(self, message: wire.WireReply) -> None:
        self.outbox.put(encode(message))


@dataclass(slots=True)
class Answering:
    """The way back to a client for what the Orchestrator says of its request.

    ``command`` is what the client hears of from now on: "" for none, None for the one that the
    reply is about.
    """

    connection: Connection
    command: str | None
    request: str | None = None

    def deliver(self, reply: Admitted | Known | TurnedAway, trace: Trace) -> None:  # noqa: ARG002
        match reply:
            case Admitted():
                self.attach()
            case Known(state, finished):
                if self.command is None:
                    self.command = state.command
                self.connection.reply(state)
                if finished is not None:
                    self.connection.reply(finished)
                else:
                    self.attach()
            case TurnedAway(error):
                self.connection.reply(error)
            case unknown:
                assert_never(unknown)
        self.connection.outbox.followed()

    def give_up(self, request: Any, trace: Trace) -> None:  # noqa: ARG002
        message = "this request could not be answered; it may be sent again"
        self.connection.reply(wire.Error(Code.CRASHED, message, self.request or self.command))
        self.connection.outbox.followed()

    def attach(self) -> None:
        """Let the client hear of the command, but not of one it only asked about."""
        if self.command:
            self.connection.gateway.switchboard.attach(self.command, self.connection.outbox)


@dataclass(slots=True)
class Describing:
    """The way back to a client that asked what this daemon is."""

    connection: Connection
    request: wire.Describe

    def deliver(self, reply: Surveyed, trace: Trace) -> None:  # noqa: ARG002
        card = self.connection.gateway.card
        self.connection.reply(
            wire.Described(
                id=self.request.id,
                version=card.version,
                protocol=wire.PROTOCOL_VERSION,
                schema=schema(),
                rules=card.rules,
                engines=card.engines,
                capabilities=reply.capabilities,
                examples=card.examples,
            )
        )
        self.connection.outbox.followed()

    def give_up(self, request: Any, trace: Trace) -> None:  # noqa: ARG002
        message = "this request could not be answered; it may be sent again"
        self.connection.reply(wire.Error(Code.CRASHED, message, self.request.id))
        self.connection.outbox.followed()


def dropped(_error: Exception) -> None:
    """One connection's crash, already logged, costs that connection and no other."""


@cache
def schema() -> dict[str, Any]:
    """Give the JSON Schema of everything that may be said on the wire."""
    (requests, replies), components = msgspec.json.schema_components(
        (wire.WireRequest, wire.WireReply), ref_template="#/components/{name}"
    )
    return {"requests": requests, "replies": replies, "components": components}


def diagnosis(frame: bytes, error: Exception) -> wire.Error:
    """Say what is wrong with a frame, and where."""
    if not isinstance(error, msgspec.ValidationError):
        return wire.Error(Code.BAD_JSON, f"not a JSON object in UTF-8: {error}")
    try:
        label = _decode_label(frame)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        label = Labelled()
    request_id = label.id if isinstance(label.id, str) else None
    text, _, path = str(error).partition(" - at `")
    path = path.rstrip("`") or "$"
    if field := NAMED_FIELD.search(text):
        path = f"{path}.{field[1]}"
    if path == "$.type":
        known = ", ".join(request_types())
        return wire.Error(Code.UNKNOWN_TYPE, f"{text}; known types: {known}", request_id, path)
    return wire.Error(Code.BAD_REQUEST, text, request_id, path)


def request_types() -> list[str]:
    """Name the requests that this daemon serves."""
    return [str(request.__struct_config__.tag) for request in get_args(wire.WireRequest)]
