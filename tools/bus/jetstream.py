"""The bus between machines, over NATS: streams of JetStream for what lasts, plain NATS for words.

It owns the connection, the streams and consumers, and how often something is asked again. A request
is repeated until it is answered or patience ends, and a write carries an id by which the server
knows it again, so a repeated write is one write. Nothing is written while the connection is away:
what has failed does not happen later.

It refuses to hand out what NATS raises: whoever uses it knows the errors of ``messages.bus`` alone.
"""

import json
import math
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn, Self, TypedDict, TypeVar
from uuid import uuid4

import anyio
import anyio.lowlevel
import anyio.to_thread
import nats.errors
import structlog
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.js import JetStreamContext, api
from nats.js.errors import APIError, ServerError, ServiceUnavailableError

from messages.bus import Conflict, DeadLetter, Held, Logged, TooLarge, Unavailable
from tools.bus import (
    BATCH,
    BLOB_LIFETIME,
    DUPLICATE_WINDOW,
    EXPIRING_BUCKET,
    LEASE_TTL,
    check_name,
    check_words,
    digest,
)

GIB = 1 << 30
PATIENCE = 10.0  # for all the tries of a request
ANSWER = 2.0  # for one of them
ACK_PATIENCE = 5.0
FIRST_PAUSE, LONGEST_PAUSE = 0.02, 0.5
RECONNECT_WAIT = 0.25
# A client that was closed by the server, or does not come back by itself, is replaced by a new one.
STUCK = 15.0
PENDING = 8 << 20
SOME_PENDING = 256 << 10
HEADROOM = 4096  # of a message, for its headers
UNHEARD = 4096
CHUNK = 256 << 10
CHUNKS_AT_ONCE = 8
MAX_UNACKED = 5000
# A pull expires, and while it lasts the server shows that it lives.
PULL, HEARTBEAT, SILENCE = 4.0, 1.0, 2.5
READ_BATCH = 500
READER_LIFETIME = 5.0
MARKER_TTL = 120.0
LONGEST_REASON = 200

MESSAGE_ID = "Nats-Msg-Id"
LAST_SEQUENCE = "Nats-Expected-Last-Sequence"
LAST_OF_SUBJECT = "Nats-Expected-Last-Subject-Sequence"
OPERATION = "KV-Operation"
DEAD = "Behest-Dead"
CHUNKS = "Behest-Chunks"
LIFETIME = "Nats-TTL"
NO_HEADERS: Mapping[str, str] = {}

WRONG_LAST = {10071, 10164}
NAME_IN_USE = 10058
OTHER_GROUP = {10099, 10100}
STORE_FAILED = 10077
NO_MESSAGE = "no message found"  # to get and to delete have different codes for it
NO_STREAM = 10059
# Not enough peers yet, or the same message is being written at this moment.
PASSING = {10005, NO_STREAM, 10158}

T = TypeVar("T")
# A transport of uvloop that is closed raises a bare RuntimeError: the client learns of it later.
LOST = (nats.errors.Error, OSError, RuntimeError)
log = structlog.get_logger(actor="bus")


class Stalled(Exception):
    """A pull brings nothing any more and has to be made anew."""


class Missing(Exception):
    """There is no such message in a stream."""


class Access(TypedDict, total=False):
    """How a server is told who comes."""

    token: str | None
    user: str | None
    password: str | None
    tls: ssl.SSLContext | None


def is_passing(error: Exception) -> bool:
    """Whether the same request may fare better in a moment."""
    if isinstance(error, ServiceUnavailableError):
        return not (error.err_code == STORE_FAILED and "maximum" in (error.description or ""))
    if isinstance(error, APIError) and not isinstance(error, ServerError):
        return error.err_code in PASSING
    return True


@dataclass(eq=False, slots=True)
class Listener:
    """What takes the messages of a subject, whichever client brings them."""

    subject: str
    take: Callable[[Msg], Awaitable[None]]
    subscription: Subscription | None = None

    async def subscribe(self, client: Client) -> None:
        self.subscription = await client.subscribe(self.subject, cb=self.take)


class Connection:
    """A connection that comes back, and requests that are repeated until they are answered."""

    def __init__(self, servers: Sequence[str], name: str, access: Access, patience: float) -> None:
        self.client = Client()
        self.js: JetStreamContext = self.client.jetstream(timeout=ANSWER)
        self.pulls: set[Pull] = set()
        self._listeners: set[Listener] = set()
        self._streams: set[str] = set()
        self._asking: set[anyio.CancelScope] = set()
        self._servers = list(servers)
        self._name = name
        self._access = access
        self._patience = patience
        self._up = anyio.Event()
        self._down_since = -math.inf
        self._opening = anyio.Lock()
        self.closed = False

    async def open(self, deadline: float | None = None) -> None:
        """Connect with a new client, or raise ``Unavailable``."""
        client = Client()
        wait = (deadline - time.monotonic()) if deadline is not None else self._patience
        try:
            with anyio.fail_after(max(0.0, wait)):
                await client.connect(
                    self._servers,
                    name=self._name or None,
                    error_cb=self._note_error,
                    disconnected_cb=self._lose,
                    reconnected_cb=self._regain,
                    max_reconnect_attempts=-1,
                    reconnect_time_wait=RECONNECT_WAIT,  # type: ignore[arg-type]
                    connect_timeout=2,
                    ping_interval=2,
                    max_outstanding_pings=2,
                    pending_size=PENDING,
                    drain_timeout=2,
                    **self._access,
                )
                for listener in self._listeners:
                    await listener.subscribe(client)
        except (TimeoutError, *LOST) as error:
            with anyio.CancelScope(shield=True):
                await client.close()
            raise Unavailable(f"no server answers: {client.last_error or error}") from error
        self.client, self.js = client, client.jetstream(timeout=ANSWER)
        await self._regain()

    async def close(self) -> None:
        self.closed = True
        with anyio.move_on_after(5, shield=True):
            with suppress(*LOST):
                await self.client.drain()
        with anyio.CancelScope(shield=True):
            await self.client.close()

    async def persist(self, ask: Callable[[], Awaitable[T]], patience: float | None = None) -> T:
        """Ask until there is an answer, or raise ``Unavailable`` after so many seconds."""
        deadline = time.monotonic() + (patience or self._patience)
        pause = FIRST_PAUSE
        while True:
            await self._come_back(deadline)
            try:
                return await self._ask_once(ask, deadline)
            except (TimeoutError, *LOST) as error:
                code = error.err_code if isinstance(error, APIError) else None
                if isinstance(error, APIError) and error.description == NO_MESSAGE:
                    raise Missing(str(error)) from error
                if code in WRONG_LAST:
                    raise Conflict(str(error)) from error
                over = time.monotonic() + pause > deadline
                if over or code == NO_STREAM:  # a server may have lost them
                    self._streams.clear()
                if over or not is_passing(error):
                    raise Unavailable(str(error)) from error
            await anyio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def mention(self, subject: str, body: bytes) -> None:
        """Publish without waiting for anything; without a connection it is lost."""
        if self.client.pending_data_size > SOME_PENDING:
            await anyio.lowlevel.checkpoint()  # it can be written out meanwhile
        if self.client.is_connected and self.client.pending_data_size < PENDING - len(body):
            with suppress(*LOST):
                await self.client.publish(subject, body)

    async def make_stream(self, config: api.StreamConfig) -> None:
        """Have a stream of this configuration; several may want it at once."""
        name = config.name or ""
        if name in self._streams:
            return
        try:
            await self.js.add_stream(config)
        except APIError as error:
            if error.err_code != NAME_IN_USE:
                raise
            await self.js.update_stream(config)
        self._streams.add(name)

    @asynccontextmanager
    async def listening(
        self, subject: str, take: Callable[[Msg], Awaitable[None]]
    ) -> AsyncIterator[None]:
        """Have what comes at a subject taken, from when the server knows of it."""
        listener = Listener(subject, take)

        async def subscribe() -> None:
            if listener.subscription is None:
                await listener.subscribe(self.client)
                self._listeners.add(listener)
            with suppress(nats.errors.NoRespondersError):  # which is the answer
                await self.client.request(self.client.new_inbox(), timeout=ANSWER)

        try:
            await self.persist(subscribe)
            yield
        finally:
            self._listeners.discard(listener)
            with anyio.move_on_after(1, shield=True), suppress(*LOST):
                if listener.subscription:
                    await listener.subscription.unsubscribe()

    def check_size(self, body: bytes) -> None:
        largest = self.client.max_payload - HEADROOM
        if len(body) > largest:
            raise TooLarge(f"{len(body)} bytes, {largest} are taken")

    async def _ask_once(self, ask: Callable[[], Awaitable[T]], deadline: float) -> T:
        """Ask, and wait no longer than the connection lasts over which it was asked."""
        with anyio.CancelScope(
            deadline=anyio.current_time() + deadline - time.monotonic()
        ) as scope:
            self._asking.add(scope)
            try:
                return await ask()
            finally:
                self._asking.discard(scope)
        raise TimeoutError("no answer came")

    async def _come_back(self, deadline: float) -> None:
        """Wait for the connection, or raise ``Unavailable`` at the deadline."""
        while not self.client.is_connected:
            if self.closed:
                raise Unavailable("the bus is closed")
            now = time.monotonic()
            if now >= deadline:
                raise Unavailable("there is no connection")
            if self.client.is_closed or now > self._down_since + STUCK:
                await self._replace_client(deadline)
            else:
                with anyio.move_on_after(min(deadline, self._down_since + STUCK) - now):
                    await self._up.wait()

    async def _replace_client(self, deadline: float) -> None:
        async with self._opening:
            if not self.client.is_connected:
                await self.client.close()
                await self.open(deadline)

    async def _lose(self) -> None:
        if self._up.is_set():
            self._up = anyio.Event()
            self._down_since = time.monotonic()
        for scope in self._asking:
            scope.cancel()

    async def _regain(self) -> None:
        self._up.set()
        for pull in self.pulls:
            pull.interrupt()

    async def _note_error(self, error: Exception) -> None:
        log.info("bus.trouble", error=str(error) or type(error).__name__)


class Pull:
    """What a consumer brings, asked for a batch at a time."""

    def __init__(self, connection: Connection, stream: str, consumer: str, batch: int) -> None:
        self._connection = connection
        self._ask_at = f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{consumer}"
        self._request = json.dumps(
            {"batch": batch, "expires": int(PULL * 1e9), "idle_heartbeat": int(HEARTBEAT * 1e9)}
        ).encode()
        self._batch = batch
        self._owed = 0
        self._asked = 0
        self._inbox = connection.client.new_inbox()
        self._put, self._queue = anyio.create_memory_object_stream[tuple[float, Msg | None]](
            math.inf  # no more than was asked for
        )

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Self]:
        with self._put, self._queue:
            try:
                async with self._connection.listening(f"{self._inbox}.*", self._take):
                    self._connection.pulls.add(self)
                    yield self
            finally:
                self._connection.pulls.discard(self)
                with anyio.CancelScope(shield=True):
                    await self._return_rest()

    async def next(self) -> tuple[float, Msg]:
        """Give the next message and when it came, or raise ``Stalled``."""
        while True:
            if self._owed <= 0:
                await self._ask()
            at, message = await self._receive()
            if message is None:  # the connection is another one
                self._owed = 0
            elif is_delivery(message):
                self._owed -= 1
                return at, message
            elif message.subject == f"{self._inbox}.{self._asked}":
                self._heed(message.headers or {})

    def interrupt(self) -> None:
        self._put.send_nowait((0.0, None))

    def _heed(self, status: dict[str, str]) -> None:
        match status.get("Status"):
            case "100":  # a heartbeat
                pass
            case "404" | "408":  # no more has come in time
                self._owed = 0
            case _:
                self._stall(str(status))

    async def _receive(self) -> tuple[float, Msg | None]:
        with suppress(anyio.WouldBlock):
            return self._queue.receive_nowait()
        with anyio.move_on_after(SILENCE):
            return await self._queue.receive()
        return self._stall("no heartbeat")

    async def _ask(self) -> None:
        self._asked += 1
        self._owed = self._batch
        reply = f"{self._inbox}.{self._asked}"
        try:
            await self._connection.client.publish(self._ask_at, self._request, reply)
        except LOST as error:
            self._stall(str(error))

    def _stall(self, reason: str) -> NoReturn:
        self._owed = 0
        raise Stalled(reason)

    async def _take(self, message: Msg) -> None:
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._put.send_nowait((time.monotonic(), message))

    async def _return_rest(self) -> None:
        with suppress(anyio.WouldBlock):
            while True:
                _, message = self._queue.receive_nowait()
                if message is not None and is_delivery(message):
                    await self._connection.mention(message.reply, Msg.Ack.Nak)


def is_delivery(message: Msg) -> bool:
    """Whether it is a message of a stream, and not what a server has to say about a pull."""
    return message.reply.startswith("$JS.ACK.")


@dataclass(slots=True)
class JetStreamDelivery:
    """A message and where to say what has become of it."""

    bus: "JetStreamBus"
    address: str
    message: Msg

    @property
    def body(self) -> bytes:
        return self.message.data

    @property
    def attempt(self) -> int:
        return self.message.metadata.num_delivered

    async def ack(self) -> None:
        await self._settle(Msg.Ack.Ack)

    async def give_back(self, after: float = 0.0) -> None:
        delay = json.dumps({"delay": int(after * 1e9)}) if after > 0 else ""
        await self.bus.connection.mention(self.message.reply, Msg.Ack.Nak + b" " + delay.encode())

    async def still_working(self) -> None:
        await self.bus.connection.mention(self.message.reply, Msg.Ack.Progress)

    async def poison(self, reason: str) -> None:
        place = self.message.metadata.sequence.stream
        await self.bus.put_away(self.address, place, reason, self.body)
        await self._settle(Msg.Ack.Term)

    async def _settle(self, word: bytes) -> None:
        """Tell the server; where none can be told, the message will be delivered again."""
        connection = self.bus.connection
        with suppress(Unavailable):
            await connection.persist(
                lambda: connection.client.request(self.message.reply, word, timeout=ANSWER),
                ACK_PATIENCE,
            )


@dataclass
class Deliveries:
    """The messages of one receiver; it outlives servers and connections."""

    bus: "JetStreamBus"
    address: str
    group: str
    patience: float
    pull: Pull

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> JetStreamDelivery:
        while True:
            try:
                at, message = await self.pull.next()
            except Stalled as stall:
                log.info("bus.stalled", address=self.address, reason=str(stall))
                await self._resume()
                continue
            if at + self.patience > time.monotonic():  # else it is somebody else's by now
                return JetStreamDelivery(self.bus, self.address, message)

    async def _resume(self) -> None:
        while True:
            await anyio.sleep(FIRST_PAUSE)
            try:
                await self.bus.make_consumer(self.address, self.group, self.patience)
            except Unavailable:
                if self.bus.connection.closed:
                    raise
            else:
                return


@dataclass(frozen=True)
class JetStreamLog:
    """A log, which is a stream: the place of an entry is its sequence."""

    bus: "JetStreamBus"
    name: str

    async def append(self, body: bytes, end: int) -> int:
        again = digest(self.name.encode(), str(end).encode(), body)
        headers = {LAST_SEQUENCE: str(end), MESSAGE_ID: again}
        try:
            ack = await self.bus.publish(self._config, self._subject, body, headers)
        except Conflict:
            if await self._is_at(end + 1, body):  # it was written too long ago to be known again
                return end + 1
            raise
        return ack.seq

    async def read(self) -> tuple[list[Logged], int]:
        return await self.bus.connection.persist(self._read)

    async def trim(self, before: int) -> None:
        async def purge() -> None:
            state = await self._state()
            if state.messages and before > state.first_seq:
                js = self.bus.connection.js
                await js.purge_stream(self._stream, seq=min(before, state.last_seq + 1))

        await self.bus.connection.persist(purge)

    @property
    def _subject(self) -> str:
        return f"{self.bus.prefix}.log.{self.name}"

    @property
    def _stream(self) -> str:
        return f"{self.bus.prefix}_log_{file_name(self.name)}"

    @property
    def _config(self) -> api.StreamConfig:
        return self.bus.stream_config(self._stream, self._subject)

    async def _state(self) -> api.StreamState:
        await self.bus.connection.make_stream(self._config)
        return (await self.bus.connection.js.stream_info(self._stream)).state

    async def _read(self) -> tuple[list[Logged], int]:
        """Read up to where the leader says that it ends: a reader may sit at one who lags."""
        state = await self._state()
        if not state.messages:
            return [], state.last_seq
        connection = self.bus.connection
        reader = api.ConsumerConfig(
            name=uuid4().hex,
            deliver_policy=api.DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=state.first_seq,
            ack_policy=api.AckPolicy.NONE,
            inactive_threshold=READER_LIFETIME,
            mem_storage=True,
            num_replicas=1,
        )
        await connection.js.add_consumer(self._stream, reader)
        entries: list[Logged] = []
        pull = Pull(connection, self._stream, reader.name or "", READ_BATCH)
        try:
            async with pull.opened():
                for place in range(state.first_seq, state.last_seq + 1):
                    _, message = await pull.next()
                    if message.metadata.sequence.stream != place:
                        raise nats.errors.Error("an entry was lost on its way, or trimmed")
                    entries.append(Logged(place, message.data))
        except Stalled as stall:
            raise nats.errors.Error(str(stall)) from stall
        return entries, state.last_seq

    async def _is_at(self, place: int, body: bytes) -> bool:
        js = self.bus.connection.js
        try:
            there = await self.bus.connection.persist(lambda: js.get_msg(self._stream, place))
        except Missing:
            return False
        return (there.data or b"") == body


class JetStreamBus:
    """A bus over one connection to a NATS server or to several that are one cluster."""

    def __init__(
        self,
        connection: Connection,
        *,
        prefix: str,
        replicas: int,
        lease_ttl: float,
        max_bytes: int,
    ) -> None:
        check_words(prefix)
        self.connection = connection
        self.prefix = prefix
        self._replicas = replicas
        self._lease_ttl = lease_ttl
        self._max_bytes = max_bytes

    @classmethod
    async def connect(
        cls,
        servers: Sequence[str],
        *,
        prefix: str = "behest",
        replicas: int = 1,
        token: str | None = None,
        user: str | None = None,
        password: str | None = None,
        tls: ssl.SSLContext | None = None,
        name: str = "",
        lease_ttl: float = LEASE_TTL,
        max_bytes: int = GIB,
        patience: float = PATIENCE,
    ) -> Self:
        access = Access(token=token, user=user, password=password, tls=tls)
        connection = Connection(servers, name, access, patience)
        await connection.open()
        return cls(
            connection,
            prefix=prefix,
            replicas=replicas,
            lease_ttl=lease_ttl,
            max_bytes=max_bytes,
        )

    async def close(self) -> None:
        await self.connection.close()

    async def send(self, address: str, name: str, body: bytes) -> bool:
        check_words(address)
        check_name(name)
        subject = f"{self.prefix}.work.{address}"
        ack = await self.publish(self._work, subject, body, {MESSAGE_ID: name})
        return not ack.duplicate

    @asynccontextmanager
    async def deliveries(
        self, address: str, group: str, *, patience: float = 30.0
    ) -> AsyncIterator[Deliveries]:
        check_words(address, group)
        await self.make_consumer(address, group, patience)
        consumer = file_name(f"{address}.{group}")
        pull = Pull(self.connection, self._work.name or "", consumer, BATCH)
        async with pull.opened():
            yield Deliveries(self, address, group, patience, pull)

    async def tell(self, address: str, body: bytes) -> None:
        check_words(address)
        self.connection.check_size(body)
        await self.connection.mention(f"{self.prefix}.say.{address}", body)

    @asynccontextmanager
    async def hear(self, address: str) -> AsyncIterator[AsyncIterator[bytes]]:
        check_words(address)
        send, receive = anyio.create_memory_object_stream[bytes](UNHEARD)

        async def take(message: Msg) -> None:
            with suppress(anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
                send.send_nowait(message.data)

        with send, receive:
            async with self.connection.listening(f"{self.prefix}.say.{address}", take):
                yield receive

    async def get(self, bucket: str, key: str) -> Held | None:
        found = await self._last(bucket, key)
        return None if found is None or is_marker(found) else held(found)

    async def create(self, bucket: str, key: str, value: bytes) -> int:
        try:
            return await self._write(bucket, key, value, 0)
        except Conflict:
            found = await self._last(bucket, key)
            if found is not None and not is_marker(found):
                raise
            return await self._write(bucket, key, value, held(found).revision if found else 0)

    async def update(self, bucket: str, key: str, value: bytes, revision: int) -> int:
        return await self._write(bucket, key, value, revision)

    async def delete(self, bucket: str, key: str, revision: int) -> None:
        # Once the marker is gone nothing is left of the key, which is then at no revision at all.
        marker = {OPERATION: "DEL", LIFETIME: f"{MARKER_TTL:.0f}"}
        await self._write(bucket, key, b"", revision, marker)

    async def put_blob(self, body: bytes) -> str:
        name = await anyio.to_thread.run_sync(digest, body)
        chunks = max(1, math.ceil(len(body) / CHUNK))

        async def put(index: int) -> None:
            chunk = body[index * CHUNK : (index + 1) * CHUNK]
            subject = f"{self.prefix}.blobs.{name}.{index}"
            await self.publish(self._blobs, subject, chunk, {CHUNKS: str(chunks)})

        await each(range(1, chunks), put)
        await put(0)  # with it, the blob is there
        return name

    async def get_blob(self, name: str) -> bytes | None:
        check_words(name)
        found: dict[int, bytes] = {}

        async def get(index: int) -> int:
            subject = f"{self.prefix}.blobs.{name}.{index}"
            message = await self._last_of(self._blobs, subject)
            if message is None:
                return 0
            found[index] = message.data or b""
            return int((message.headers or {})[CHUNKS])

        chunks = await get(0)
        await each(range(1, chunks), get)
        body = b"".join(found[index] for index in sorted(found))
        return body if found and await anyio.to_thread.run_sync(digest, body) == name else None

    def log(self, name: str) -> JetStreamLog:
        check_words(name)
        return JetStreamLog(self, name)

    async def dead_letters(self) -> list[DeadLetter]:
        letters: list[DeadLetter] = []
        place = 1
        while (found := await self._dead_letter(place, following=True)) is not None:
            letters.append(found)
            place = found.place + 1
        return letters

    async def retry_dead_letter(self, place: int) -> bool:
        letter = await self._dead_letter(place)
        if letter is None:
            return False
        await self.send(letter.address, f"{self._dead.name}:{place}", letter.body)
        with suppress(Missing):
            await self.connection.persist(
                lambda: self.connection.js.delete_msg(self._dead.name or "", place)
            )
        return True

    async def put_away(self, address: str, place: int, reason: str, body: bytes) -> None:
        """Have a message of the work among the dead letters, once."""
        about = json.dumps([address, reason[:LONGEST_REASON]])
        subject = f"{self.prefix}.dead.{address}"
        await self.publish(self._dead, subject, body, {MESSAGE_ID: str(place), DEAD: about})

    async def publish(
        self, stream: api.StreamConfig, subject: str, body: bytes, headers: dict[str, str]
    ) -> api.PubAck:
        """Write to a stream, and know that it is written."""
        self.connection.check_size(body)

        async def ask() -> api.PubAck:
            await self.connection.make_stream(stream)
            return await self.connection.js.publish(
                subject, body, timeout=ANSWER, stream=stream.name, headers=headers
            )

        return await self.connection.persist(ask)

    async def make_consumer(self, address: str, group: str, patience: float) -> None:
        config = api.ConsumerConfig(
            durable_name=file_name(f"{address}.{group}"),
            name=file_name(f"{address}.{group}"),
            filter_subject=f"{self.prefix}.work.{address}",
            ack_policy=api.AckPolicy.EXPLICIT,
            ack_wait=patience,
            max_deliver=-1,
            max_ack_pending=MAX_UNACKED,
        )

        async def make() -> None:
            await self.connection.make_stream(self._work)
            try:
                await self.connection.js.add_consumer(self._work.name or "", config)
            except APIError as error:
                if error.err_code in OTHER_GROUP:
                    raise ValueError(f"{address} belongs to another group") from error
                raise

        await self.connection.persist(make)

    def stream_config(self, name: str, subject: str) -> api.StreamConfig:
        return api.StreamConfig(
            name=name,
            subjects=[subject],
            retention=api.RetentionPolicy.LIMITS,
            storage=api.StorageType.FILE,
            num_replicas=self._replicas,
            duplicate_window=DUPLICATE_WINDOW,
        )

    @cached_property
    def _work(self) -> api.StreamConfig:
        return self.stream_config(f"{self.prefix}_work", f"{self.prefix}.work.>").evolve(
            retention=api.RetentionPolicy.WORK_QUEUE,
            max_bytes=self._max_bytes,
            discard=api.DiscardPolicy.NEW,
        )

    @cached_property
    def _dead(self) -> api.StreamConfig:
        return self.stream_config(f"{self.prefix}_dead", f"{self.prefix}.dead.>").evolve(
            max_bytes=self._max_bytes
        )

    @cached_property
    def _blobs(self) -> api.StreamConfig:
        return self.stream_config(f"{self.prefix}_blobs", f"{self.prefix}.blobs.>").evolve(
            max_bytes=self._max_bytes,
            discard=api.DiscardPolicy.NEW,
            max_age=BLOB_LIFETIME,
            max_msgs_per_subject=1,
        )

    def _bucket(self, bucket: str) -> api.StreamConfig:
        """A bucket as the tools of NATS know it; what is read comes from its leader alone."""
        name = f"{self.prefix}_{file_name(bucket)}"
        config = self.stream_config(f"KV_{name}", f"$KV.{name}.>").evolve(
            max_msgs_per_subject=1,
            discard=api.DiscardPolicy.NEW,
            allow_rollup_hdrs=True,
            allow_msg_ttl=True,
            allow_direct=False,
            deny_delete=True,
        )
        if bucket == EXPIRING_BUCKET:
            window = min(self._lease_ttl, DUPLICATE_WINDOW)
            return config.evolve(max_age=self._lease_ttl, duplicate_window=window)
        return config

    async def _write(
        self,
        bucket: str,
        key: str,
        value: bytes,
        revision: int,
        more: Mapping[str, str] = NO_HEADERS,
    ) -> int:
        check_words(bucket, key)
        config = self._bucket(bucket)
        headers = {LAST_OF_SUBJECT: str(revision), MESSAGE_ID: uuid4().hex, **more}
        subject = f"$KV.{self.prefix}_{file_name(bucket)}.{key}"
        return (await self.publish(config, subject, value, headers)).seq

    async def _last(self, bucket: str, key: str) -> api.RawStreamMsg | None:
        check_words(bucket, key)
        subject = f"$KV.{self.prefix}_{file_name(bucket)}.{key}"
        return await self._last_of(self._bucket(bucket), subject)

    async def _last_of(self, stream: api.StreamConfig, subject: str) -> api.RawStreamMsg | None:
        async def ask() -> api.RawStreamMsg:
            await self.connection.make_stream(stream)
            return await self.connection.js.get_msg(stream.name or "", subject=subject)

        try:
            return await self.connection.persist(ask)
        except Missing:
            return None

    async def _dead_letter(self, place: int, *, following: bool = False) -> DeadLetter | None:
        """The letter at a place, or the first one from there on."""
        subject = f"{self.prefix}.dead.>" if following else None

        async def ask() -> api.RawStreamMsg:
            await self.connection.make_stream(self._dead)
            return await self.connection.js.get_msg(
                self._dead.name or "", place, subject, next=following
            )

        try:
            found = await self.connection.persist(ask)
        except Missing:
            return None
        address, reason = json.loads((found.headers or {})[DEAD])
        return DeadLetter(found.seq or 0, address, reason, found.data or b"")


async def each(indices: Iterable[int], act: Callable[[int], Awaitable[object]]) -> None:
    """Do something for each of them, a few at once; the first failure ends it."""
    waiting = iter(indices)
    failures: list[Unavailable] = []

    async def work() -> None:
        for index in waiting:
            try:
                await act(index)
            except Unavailable as failure:
                failures.append(failure)
            if failures:
                return

    async with anyio.create_task_group() as tasks:
        for _ in range(CHUNKS_AT_ONCE):
            tasks.start_soon(work)
    if failures:
        raise failures[0]


def file_name(words: str) -> str:
    """Words as one: streams and consumers are files, whose names have no dots."""
    return words.replace(".", "=")


def is_marker(message: api.RawStreamMsg) -> bool:
    """Whether it stands for a value that was taken away."""
    return OPERATION in (message.headers or {})


def held(message: api.RawStreamMsg) -> Held:
    return Held(message.data or b"", message.seq or 0)
