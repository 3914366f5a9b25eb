"""Gateway: the socket's side of the daemon. Frames in, events out, one task pair per client.

It decodes and routes; it decides nothing about commands. Whatever a client sends or does not
read, it hurts nobody but itself.
"""

import itertools
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, Protocol, TypeAlias, assert_never, get_args

import anyio
import anyio.abc
import anyio.lowlevel
import msgspec

from actors.gateway.entrance import Entrance, Guest, TurnedDown
from actors.gateway.frames import Frames, Oversized
from actors.gateway.hanging_up import hung_up
from actors.gateway.outbox import STALLED_SECONDS, Outbox, Pool
from actors.gateway.resolving import Readers, Resolving, declared
from actors.gateway.switchboard import Switchboard, encode
from actors.logger import ActorLogger, logger_of
from actors.mailbox import Recipient, WayBack
from actors.supervisor import contained
from actors.vault import Vault, discreet
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
HALF_FRAMES_BYTES = 64 << 20
LAST_WORDS_SECONDS = 2.0
SHED_SECONDS = 5.0
PAUSE_SECONDS = 0.2
FAREWELLS = 100
FAREWELL_READS = 64

TURN = 64
ADDING = (
    wire.Submit,
    wire.Resolve,
    wire.Subscribe,
    wire.Undo,
    wire.Explain,
    wire.History,
    wire.Schedules,
    wire.Recipes,
)  # what a client may have too much of
AboutCommands: TypeAlias = (
    wire.Submit | wire.Answer | wire.Approve | wire.Undo | wire.Cancel | wire.Status
)
ABOUT_COMMANDS = (
    wire.Submit,
    wire.Answer,
    wire.Approve,
    wire.Undo,
    wire.Cancel,
    wire.Status,
)
LookUp: TypeAlias = wire.Explain | wire.History | wire.Schedules | wire.Recipes
GONE = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError)

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


class CommandRecords(Protocol):
    """What the journal knows of commands, for those who ask."""

    async def explain(self, request: wire.Explain) -> wire.Explained | wire.Error:
        """Explain a command, or say that it is not known."""

    async def history(self, request: wire.History) -> wire.Histories | wire.Error:
        """Say which commands there were."""


class Catalogue(Protocol):
    """What is kept for later, for those who ask: the schedule and the recipes."""

    async def schedules(self, request: wire.Schedules) -> wire.ScheduleList | wire.Error:
        """Say what is due."""

    async def recipes(self, request: wire.Recipes) -> wire.RecipeList | wire.Error:
        """Say which recipes were taught."""


class Peer(Protocol):
    """Tells who is at the other end, and refuses those who must not be there."""

    def __call__(self, stream: anyio.abc.SocketStream) -> str | None: ...


@dataclass(frozen=True, slots=True)
class DaemonInfo:
    """What ``describe`` says; nothing but the journal's health changes while the daemon runs."""

    version: str
    rules: Mapping[str, Rule]
    engines: Mapping[str, SearchEngine]
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    journal: Callable[[], wire.JournalHealth] | None = None


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """How much there is for clients: connections, and what one of them may have under way."""

    connections: int = 1_000
    client_in_flight: int = 1_000


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A way in: a listener, and an entrance where it is one that strangers can reach."""

    listener: anyio.abc.SocketListener
    entrance: Entrance | None = None


@dataclass
class Gateway:
    """Everything a connection needs to route its requests."""

    orchestrator: Recipient[commanding.Inbox]
    executor: Recipient[executing.Inbox]
    readers: Readers
    switchboard: Switchboard
    records: Records
    refused: Peer
    info: DaemonInfo
    vault: Vault
    limits: ClientLimits = field(default_factory=ClientLimits)
    command_records: CommandRecords | None = None
    catalogue: Catalogue | None = None
    stop: Callable[[], None] | None = None
    log: ActorLogger = field(default_factory=lambda: logger_of("gateway"))
    connections: set["Connection"] = field(default_factory=set)
    pool: Pool = field(default_factory=Pool)
    half_frames: int = 0
    farewells: int = 0

    async def serve(self, *endpoints: Endpoint) -> None:
        """Serve every client that connects; a closed listener takes no more, and drops none."""
        async with anyio.create_task_group() as clients:
            clients.start_soon(self.keep_watch)
            clients.start_soon(self.pool.keep_pace)
            async with anyio.create_task_group() as listening:
                for endpoint in endpoints:
                    listening.start_soon(self.accept, endpoint, clients)
            self.log.info("gateway.closed", clients=len(self.connections))

    async def accept(self, endpoint: Endpoint, clients: anyio.abc.TaskGroup) -> None:
        """Take clients as they come; where there are no descriptors left, wait for some."""
        full = False
        while True:
            if endpoint.entrance is not None:
                await endpoint.entrance.room.acquire()
            try:
                stream = await endpoint.listener.accept()
            except anyio.ClosedResourceError:
                return
            except (OSError, anyio.BrokenResourceError) as error:
                if endpoint.entrance is not None:
                    endpoint.entrance.room.release()
                if not full:
                    self.log.warning("gateway.full", error=str(error.__cause__ or error))
                full = True
                await anyio.sleep(PAUSE_SECONDS)
                continue
            full = False
            clients.start_soon(self.accept_client, endpoint, stream)

    async def accept_client(self, endpoint: Endpoint, stream: anyio.abc.SocketStream) -> None:
        """Serve whoever came this way; its crash costs that connection and no other."""
        if endpoint.entrance is None:
            await contained(self.serve_owner(stream), dropped)
        else:
            await contained(self.authenticate(endpoint.entrance, stream), dropped)

    async def keep_watch(self) -> None:
        """Give up clients that take nothing of much that waits for them."""
        while True:
            await anyio.sleep(STALLED_SECONDS)
            for connection in list(self.connections):
                connection.outbox.give_up_if_stuck()

    async def serve_owner(self, stream: anyio.abc.SocketStream) -> None:
        """Serve one client of the daemon's own user."""
        async with stream:
            if (reason := self.refused(stream)) is not None:
                self.log.warning("client.refused", reason=reason)
                return
            await self.serve_client(stream)

    async def authenticate(self, entrance: Entrance, stream: anyio.abc.SocketStream) -> None:
        """Serve one stranger who shows the token; tell others that they may not come in."""
        async with stream:
            try:
                met = await entrance.met(stream)
            finally:
                entrance.room.release()
            match met:
                case Guest(host, speaking, request, rest):
                    self.log.info("client.authorised", host=host)
                    await self.serve_client(speaking, rest, wire.Authorised(request))
                case TurnedDown(host, reason, speaking, error):
                    self.log.warning("client.refused", reason=reason, host=host)
                    if error is not None:
                        await self.part_with(speaking, error)

    async def serve_client(
        self,
        stream: anyio.abc.ByteStream,
        rest: bytes = b"",
        greeting: wire.Authorised | None = None,
    ) -> None:
        """Serve one client from its first frame to its last, if there is room for it."""
        if len(self.connections) >= self.limits.connections:
            reason = f"{len(self.connections)} clients are connected; try again in a second"
            self.log.warning("client.refused", reason=reason)
            request = None if greeting is None else greeting.id
            await self.part_with(stream, wire.busy(request, reason))
            return
        outbox = Outbox(OUTBOX_BYTES, self.pool)
        connection = Connection(self, outbox, is_guest=greeting is not None)
        self.connections.add(connection)
        if greeting is not None:
            connection.reply(greeting)
        try:
            await connection.live(stream, rest)
        finally:
            self.connections.discard(connection)
            connection.outbox.leave()
            self.half_frames -= connection.half_frame

    async def part_with(self, stream: anyio.abc.ByteStream, error: wire.Error) -> None:
        """Say why one is not served. If what it sent were left unread, the words could be lost."""
        if self.farewells >= FAREWELLS:
            return
        self.farewells += 1
        try:
            with anyio.move_on_after(LAST_WORDS_SECONDS), suppress(*GONE, OSError):
                await stream.send(encode(error) + b"\n")
                await stream.send_eof()
                for _ in range(FAREWELL_READS):
                    await stream.receive()
        finally:
            self.farewells -= 1

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
    half_frame: int = 0
    is_guest: bool = False

    async def live(self, stream: anyio.abc.ByteStream, rest: bytes = b"") -> None:
        """Read and write until the client goes, stops reading, or the daemon stops.

        A client that only stops sending still gets all that it asked for. One that is shed is not
        listened to any more, and has a little time to read why. What it still sends is dropped:
        left unread it would keep a client busy with sending that should be reading.
        """
        self.gateway.log.info("client.connected")
        reading = anyio.CancelScope()
        try:
            async with anyio.create_task_group() as tasks:
                self.outbox.on_overflow = partial(self.shed, reading, tasks.cancel_scope)
                tasks.start_soon(self.write, stream, tasks.cancel_scope)
                with reading:
                    await self.read(stream, rest)
                self.outbox.close_when_idle()
                if self.outbox.overflowed:
                    tasks.start_soon(self.drop_all, stream)
                elif not self.outbox.closed:
                    tasks.start_soon(self.mind_hanging_up, stream, tasks.cancel_scope)
        finally:
            for leave in self.unsubscribe:
                leave()
            # What refers back to this connection would keep it until the next full collection.
            self.unsubscribe.clear()
            self.outbox.on_overflow = nothing_more
            self.outbox.close()
            self.gateway.log.info("client.left")

    async def drop_all(self, stream: anyio.abc.ByteStream) -> None:
        """Receive and forget until all is sent or the client is gone."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.until_sent, tasks.cancel_scope)
            with suppress(*GONE):
                while True:
                    await stream.receive(1 << 18)

    async def mind_hanging_up(
        self, stream: anyio.abc.ByteStream, living: anyio.CancelScope
    ) -> None:
        """Let a client that is gone go, though what it subscribed to is still to come."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.until_sent, tasks.cancel_scope)
            await hung_up(stream)
            living.cancel()

    async def until_sent(self, scope: anyio.CancelScope) -> None:
        await self.all_sent.wait()
        scope.cancel()

    def shed(self, reading: anyio.CancelScope, living: anyio.CancelScope) -> None:
        self.gateway.log.warning("client.shed")
        reading.cancel()
        living.deadline = anyio.current_time() + SHED_SECONDS

    async def write(self, stream: anyio.abc.ByteStream, scope: anyio.CancelScope) -> None:
        try:
            await self.outbox.send_all(stream)
        except GONE:
            scope.cancel()
        finally:
            self.all_sent.set()

    async def read(self, stream: anyio.abc.ByteStream, rest: bytes) -> None:
        try:
            await self.take_all(rest)
            while True:  # what was received is in no variable here: one that waits holds nothing
                await self.take_all(await stream.receive(1 << 18))
        except GONE:
            return

    async def take_all(self, chunk: bytes) -> None:
        """Serve the frames that a chunk completes."""
        for number, frame in enumerate(self.frames.feed(chunk), start=1):
            await self.take(frame)
            if number % TURN == 0:  # a chunk may hold very many: others have their turn, too
                await anyio.lowlevel.checkpoint()
        self.mind_half_frame()

    def mind_half_frame(self) -> None:
        """Drop the frame that has not ended yet, if those of all clients come to too much."""
        gateway, held = self.gateway, self.frames.held
        gateway.half_frames += held - self.half_frame
        self.half_frame = held
        if held and gateway.half_frames > HALF_FRAMES_BYTES:
            self.frames.skip()
            gateway.half_frames -= held
            self.half_frame = 0
            self.reply(wire.busy(None, "too many long frames arrive at once; this one was skipped"))

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
        if isinstance(request, ADDING) and self.outbox.following >= gateway.limits.client_in_flight:
            reason = f"{self.outbox.following} requests of this connection are under way"
            self.reply(wire.busy(request.id, f"{reason}; try again when one has ended"))
            return
        self.outbox.following += 1  # something is to come for this, if only an error
        if isinstance(request, ABOUT_COMMANDS):
            message, way_back = self.letter(request)
            if not gateway.orchestrator.told(message, way_back):  # nearly always there is room
                await gateway.orchestrator.tell(message, way_back)
            return
        match request:
            case wire.Resolve():
                await self.resolve(request)
            case wire.Subscribe():
                self.subscribe(request)
            case wire.Describe():
                describing: WayBack = Describing(self, request)
                await gateway.executor.tell(Survey("", frozenset()), describing)
            case wire.Explain() | wire.History() | wire.Schedules() | wire.Recipes():
                await self.look_up(request)
            case wire.Stop():
                self.stop(request)
            case wire.Auth():  # whoever is connected has been let in
                self.reply(wire.Authorised(request.id))
                self.served()
            case unknown:
                assert_never(unknown)

    def letter(self, request: AboutCommands) -> tuple[commanding.Inbox, "Answering"]:
        """Say what the Orchestrator is told of a request, and where its answer goes."""
        match request:
            case wire.Submit():
                submit = discreet(request, self.gateway.vault)
                return Admit(submit, self.name), Answering(self, request.id)
            case wire.Answer():
                return AnswerQuestion(request), Answering(self, None, request.id)
            case wire.Approve():
                return ApproveAction(request, self.name), Answering(self, None, request.id)
            case wire.Undo():
                return UndoCommand(request, self.name), Answering(self, request.id)
            case wire.Cancel():
                return CancelCommand(request), Answering(self, request.command, request.id)
            case wire.Status():
                return Report(request), Answering(self, "", request.id)

    async def resolve(self, request: wire.Resolve) -> None:
        """Have words bound to things of a world that came with them."""
        verbs = declared(request)
        if isinstance(verbs, wire.Error):
            self.reply(verbs)
            self.served()
        else:
            await Resolving(self, self.gateway.readers, request, verbs).begin()

    async def look_up(self, request: LookUp) -> None:
        """Tell what is on record; what cannot be read is no end of the connection."""
        failed = wire.Error(Code.CRASHED, "this cannot be read now", request.id)
        self.reply(await contained(self.found(request), lambda _error: failed))
        self.served()

    async def found(self, request: LookUp) -> wire.WireReply:
        """Ask whoever keeps what is looked for."""
        command_records, catalogue = self.gateway.command_records, self.gateway.catalogue
        match request:
            case wire.Explain() if command_records is not None:
                return await command_records.explain(request)
            case wire.History() if command_records is not None:
                return await command_records.history(request)
            case wire.Schedules() if catalogue is not None:
                return await catalogue.schedules(request)
            case wire.Recipes() if catalogue is not None:
                return await catalogue.recipes(request)
            case _:
                return wire.Error(Code.NO_CAPABILITY, "nothing of that is kept here", request.id)

    def stop(self, request: wire.Stop) -> None:
        """End the daemon, if its own user asks."""
        stop = self.gateway.stop
        if stop is None or self.is_guest:
            reason = "only the daemon's own user may stop it, over its Unix socket"
            self.reply(wire.Error(Code.NOT_ALLOWED, reason, request.id))
        else:
            self.reply(wire.Stopping(request.id))
            stop()
        self.served()

    def served(self) -> None:
        self.outbox.followed()

    def subscribe(self, request: wire.Subscribe) -> None:
        """Let the client hear the trace."""

        def put(record: bytes) -> None:
            line = encode(wire.TraceRecord(request.id, msgspec.Raw(record)))
            self.outbox.put(line, soon=True)

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
        info = self.connection.gateway.info
        self.connection.reply(
            wire.Described(
                id=self.request.id,
                version=info.version,
                protocol=wire.PROTOCOL_VERSION,
                schema=schema(),
                rules=info.rules,
                engines=info.engines,
                capabilities=reply.capabilities,
                examples=info.examples,
                journal=None if info.journal is None else info.journal(),
            )
        )
        self.connection.outbox.followed()

    def give_up(self, request: Any, trace: Trace) -> None:  # noqa: ARG002
        message = "this request could not be answered; it may be sent again"
        self.connection.reply(wire.Error(Code.CRASHED, message, self.request.id))
        self.connection.outbox.followed()


def nothing_more() -> None:
    """A connection that has ended is not shed any more."""


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
