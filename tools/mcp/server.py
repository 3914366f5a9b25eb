"""The protocol's side: the tools as a server of the official package, over stdio or HTTP.

Both the stateless protocol of 2026-07-28 and the ones with a handshake are served; which one it is,
the package finds out from the client's first frame. Nothing that is said is logged.
"""

import hmac
import logging
import secrets
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp_types as protocol
import msgspec
import uvicorn
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from messages import wire
from tools.door import HostPort, address_of, daemon_token, is_loopback
from tools.mcp.calls import Calls, ToolError
from tools.mcp.catalog import BY_NAME, ENTRIES, INSTRUCTIONS, Entry
from tools.mcp.connection import DaemonConnector
from tools.settings import BadSettings, Secret

ENDPOINT = "/mcp"
GRACE_SECONDS = 2
NOT_AUTHORISED = (
    "a bearer token is wanted: the one that `behest mcp --http` printed, or its token file"
)


def make_server(calls: Calls) -> "Server[dict[str, object]]":
    """Make a server of the tools."""

    async def list_tools(
        _: ServerRequestContext[dict[str, object]], __: protocol.PaginatedRequestParams | None
    ) -> protocol.ListToolsResult:
        return protocol.ListToolsResult(tools=[describe_tool(entry) for entry in ENTRIES])

    async def call_tool(
        context: ServerRequestContext[dict[str, object]], params: protocol.CallToolRequestParams
    ) -> protocol.CallToolResult:
        entry = BY_NAME.get(params.name)
        if entry is None:
            known = ", ".join(BY_NAME)
            raise MCPError(protocol.INVALID_PARAMS, f"no tool {params.name!r}; there are: {known}")

        async def report(steps: float, latest: str) -> None:
            await context.session.report_progress(steps, message=latest)

        try:
            result = await entry.call(calls, params.arguments or {}, report)
        except ToolError as problem:
            return protocol.CallToolResult(content=[text_content(str(problem))], is_error=True)
        return protocol.CallToolResult(
            content=[text_content(msgspec.json.encode(result).decode())],
            structured_content=msgspec.to_builtins(result),
        )

    return Server(
        "behest",
        version=wire.VERSION,
        title="Behest",
        description="Chores in plain words on this computer: bound, checked, explained, undone",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def describe_tool(entry: Entry[Any]) -> protocol.Tool:
    """Describe a tool as the protocol does."""
    hints = entry.hints
    return protocol.Tool(
        name=entry.name,
        title=entry.title,
        description=entry.description,
        input_schema=entry.input_schema,
        output_schema=entry.output_schema,
        annotations=protocol.ToolAnnotations(
            title=entry.title,
            read_only_hint=hints.read_only,
            destructive_hint=hints.destructive,
            idempotent_hint=hints.idempotent,
            open_world_hint=hints.open_world,
        ),
    )


def text_content(words: str) -> protocol.TextContent:
    return protocol.TextContent(type="text", text=words)


def serve_stdio(path: Path, *, allow_approvals: bool) -> None:
    """Serve one client over stdin and stdout, until it hangs up."""

    async def serve() -> None:
        async with anyio.create_task_group() as tasks:
            server = make_server(Calls(DaemonConnector(path, tasks), allow_approvals))
            async with stdio_server() as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
            tasks.cancel_scope.cancel()

    silence_package_logs()
    # A thread waits for stdin, which an interrupt would wait for in turn; nothing is owned here.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        anyio.run(serve)
    except* BrokenPipeError:
        pass  # the client no longer reads: it has gone


def serve_http(path: Path, named: str, token_file: Path | None, *, allow_approvals: bool) -> None:
    """Serve clients over streamable HTTP, on the loopback and with a token, until interrupted."""
    address = address_of(named)
    if not is_loopback(address):
        raise BadSettings(f"{address} can be reached from other machines; use 127.0.0.1 (a tunnel)")
    token = Secret(secrets.token_urlsafe(32)) if token_file is None else daemon_token(token_file)
    listening = bind_port(address)

    async def serve() -> None:
        async with anyio.create_task_group() as tasks:
            server = make_server(Calls(DaemonConnector(path, tasks), allow_approvals))
            app = make_app(server, listening, token)
            config = uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
            await uvicorn.Server(config).serve(sockets=[listening])
            tasks.cancel_scope.cancel()

    silence_package_logs()
    told = token.reveal() if token_file is None else f"in {token_file}"
    sys.stdout.write(f"http://{bound_address(listening)}{ENDPOINT}\ntoken: {told}\n")
    sys.stdout.flush()
    anyio.run(serve)


def bind_port(address: HostPort) -> socket.socket:
    """Take the port; 0 is any that is free."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    return socket.create_server((address.host, address.port), family=family)


def bound_address(listening: socket.socket) -> HostPort:
    host, port = listening.getsockname()[:2]
    return HostPort(host, port)


def make_app(
    server: "Server[dict[str, object]]", listening: socket.socket, token: Secret
) -> ASGIApp:
    """Put the checks before the server: the token, the host, and that no web page is speaking."""
    place = bound_address(listening)
    hosts = [str(place), f"localhost:{place.port}"]
    security = TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[])
    return TokenGuard(
        server.streamable_http_app(streamable_http_path=ENDPOINT, transport_security=security),
        token,
    )


class TokenGuard:
    """Lets nobody in without the token."""

    def __init__(self, app: ASGIApp, token: Secret) -> None:
        self.app = app
        self.wanted = token.reveal().encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan" and not self.is_allowed(scope):
            headers = {"www-authenticate": "Bearer"}
            await Response(NOT_AUTHORISED, status_code=401, headers=headers)(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def is_allowed(self, scope: Scope) -> bool:
        shown = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(shown) != 1:
            return False
        scheme, _, token = shown[0].partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(token, self.wanted)


def silence_package_logs() -> None:
    """Keep the packages' own logs, which could hold what is said, from being written."""
    for name in ("mcp", "uvicorn", "sse_starlette"):
        logger = logging.getLogger(name)
        logger.propagate = False
        logger.addHandler(logging.NullHandler())
