"""A server that speaks the protocol of language models, on loopback, by a script.

Each request takes the next reply of the script, the last one again and again. What was received is
kept as it came, so that a test can read what a model would have been told.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

Reply: TypeAlias = Callable[["Handler"], None]

PATIENCE = 30.0


@dataclass(frozen=True)
class Received:
    """One request as it came."""

    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.raw)
        return body

    def contents(self) -> list[str]:
        """Give what was said, message by message."""
        return [message["content"] for message in self.body["messages"]]


def lowered(headers: Message) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


class Handler(BaseHTTPRequestHandler):
    """Hands each request to the script."""

    protocol_version = "HTTP/1.1"
    server: "ScriptedServer"

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.take(Received(self.path, lowered(self.headers), raw))(self)

    def do_GET(self) -> None:
        self.server.take(Received(self.path, lowered(self.headers), b""))(self)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""

    def send(self, status: int, data: bytes, **headers: str) -> None:
        """Send a whole answer."""
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)


class ScriptedServer(ThreadingHTTPServer):
    """A server with a script, and a memory."""

    daemon_threads = True

    def __init__(self, *script: Reply) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = list(script)
        self.received: list[Received] = []
        self.arrived = threading.Semaphore(0)
        self._lock = threading.Lock()

    def take(self, request: Received) -> Reply:
        """Note a request; give the reply that is its turn."""
        with self._lock:
            self.received.append(request)
            reply = self.script[0] if len(self.script) == 1 else self.script.pop(0)
        self.arrived.release()
        return reply

    def wait_for_request(self) -> None:
        """Wait until one more request has come."""
        assert self.arrived.acquire(timeout=PATIENCE)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, *_arguments: object) -> None:
        """A client that hangs up is no error here."""


@contextmanager
def model_server(*script: Reply) -> Iterator[ScriptedServer]:
    """Run a scripted server for the length of a ``with`` block."""
    server = ScriptedServer(*script)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(PATIENCE)


# What a model may answer


def completion(content: str | None, finish: str = "stop", **message: object) -> bytes:
    """Give a completion as servers send it."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", **message}}
    choice["message"]["content"] = content  # type: ignore[index]  # it is the dict from above
    usage = {"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}
    return json.dumps({"id": "x", "choices": [choice], "usage": usage}).encode()


def says(content: str | None, finish: str = "stop", **message: object) -> Reply:
    """Answer with a completion."""
    return lambda handler: handler.send(200, completion(content, finish, **message))


def goals(*stated: Mapping[str, object]) -> str:
    """Word an answer of goals."""
    return json.dumps({"answer": {"kind": "goals", "goals": stated}})


def goal(
    name: str,
    /,
    *scope: str,
    roles: Mapping[str, str | None] | None = None,
    **params: object,
) -> dict[str, object]:
    """Word one goal."""
    domain, _, verb = name.partition(".")
    stated: dict[str, object] = {"domain": domain, "verb": verb, "params": params, "scope": scope}
    return stated if roles is None else {**stated, "roles": roles}


def unsupported(why: str = "no_such_verb") -> str:
    """Word that nothing is supported."""
    return json.dumps({"answer": {"kind": "unsupported", "why": why}})


def answers(*stated: Mapping[str, object]) -> Reply:
    """Answer with goals."""
    return says(goals(*stated))


# What may go wrong


def status(code: int, body: bytes = b"{}", **headers: str) -> Reply:
    """Answer with a status."""
    return lambda handler: handler.send(code, body, **headers)


def raw(body: bytes) -> Reply:
    """Answer with these bytes."""
    return lambda handler: handler.send(200, body)


def hang_up(handler: Handler) -> None:
    """Close the connection without a word."""
    handler.close_connection = True
    handler.connection.close()


def break_off(handler: Handler) -> None:
    """Promise more than is sent."""
    handler.send_response(200)
    handler.send_header("content-length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.close_connection = True


def endless(handler: Handler) -> None:
    """Send without end, as fast as it is read."""
    handler.send_response(200)
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b" " * 65536)
    except OSError:
        handler.close_connection = True


@dataclass
class Held:
    """A reply that is not given before ``release`` (or ever, if that never comes)."""

    then: Reply = field(default_factory=lambda: hang_up)
    gate: threading.Event = field(default_factory=threading.Event)

    def __call__(self, handler: Handler) -> None:
        self.gate.wait(PATIENCE)
        self.then(handler)

    def release(self) -> None:
        self.gate.set()
