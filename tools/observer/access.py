"""Access control: only the user who started the page sees it, in the browser that used the link.

A link works once, within ten minutes. It opens a session: a cookie, which is enough to read. Acting
also needs a second secret that only the page itself knows. Requests from other pages and for other
host names are refused first. Connections of other users are closed earlier: see ``server``.
"""

import hashlib
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tools.observer.layout import refusal_page

TOKEN_SECONDS = 600.0
SESSION_SECONDS = 12 * 3600.0
MOST_SESSIONS = 16
ANNOUNCE_SECONDS = 10.0  # between two new links
SECRET_BYTES = 32
HTTP_PORT = 80
CSRF_HEADER = "X-Behest-Csrf"
STATIC = "/static/"
ENTRY = "/enter"
# A page of another port of this host is of the same site, but not of the same origin.
OWN_FETCHES = frozenset({"same-origin", "none"})

PROTECTION = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True)
class Session:
    """A browser that was let in: until when, and the secret that its requests to act carry."""

    csrf: str
    expires: float


@dataclass
class Access:
    """The links that were given out, and the sessions that they became."""

    port: int
    announce: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    _tokens: dict[bytes, float] = field(default_factory=dict)
    _sessions: dict[bytes, Session] = field(default_factory=dict)
    _announced: float = float("-inf")

    @property
    def hosts(self) -> frozenset[str]:
        """Give the hosts that a browser may name; it leaves out the usual port of HTTP."""
        port = "" if self.port == HTTP_PORT else f":{self.port}"
        return frozenset({f"127.0.0.1{port}", f"localhost{port}"})

    @property
    def cookie(self) -> str:
        return f"behest_observer_{self.port}"

    def announce_link(self) -> bool:
        """Print a new link, at most one every ``ANNOUNCE_SECONDS``."""
        now = self.clock()
        if now - self._announced < ANNOUNCE_SECONDS:
            return False
        self._announced = now
        token = secrets.token_urlsafe(SECRET_BYTES)
        self._tokens = {digest(token): now + TOKEN_SECONDS}  # the previous link stops working
        self.announce(f"http://127.0.0.1:{self.port}{ENTRY}?token={token}")
        return True

    def open_session(self, token: str) -> str | None:
        """Exchange a token for a session, once; None if it is used, too old or none of ours."""
        now = self.clock()
        if self._tokens.pop(digest(token), 0.0) <= now:
            return None
        name = secrets.token_urlsafe(SECRET_BYTES)
        while len(self._sessions) >= MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        csrf = secrets.token_urlsafe(SECRET_BYTES)
        self._sessions[digest(name)] = Session(csrf, now + SESSION_SECONDS)
        return name

    def session_of(self, headers: Headers) -> Session | None:
        """Find the session that a request belongs to."""
        for name in cookie_values(self.cookie, headers):
            session = self._sessions.get(digest(name))
            if session is not None and self.is_live(session):
                return session
        return None

    def is_live(self, session: Session) -> bool:
        return self.clock() < session.expires


def digest(secret: str) -> bytes:
    """Hash a secret: the time of a lookup then reveals nothing about it."""
    return hashlib.sha256(secret.encode()).digest()


def cookie_values(name: str, headers: Headers) -> Iterator[str]:
    """Give the values of a cookie; other ports of this host may set malformed ones beside it."""
    for line in headers.getlist("cookie"):
        for cookie in line.split(";"):
            given, _, value = cookie.strip().partition("=")
            if given == name:
                yield value


@dataclass
class Guard:
    """Wraps the application: refuses foreign requests and adds protective headers to answers."""

    app: ASGIApp
    access: Access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        app: ASGIApp = self.refusal(scope, Headers(scope=scope)) or self.app
        await app(scope, receive, with_protection(send))

    def refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Say no, or let a request through with its session."""
        path = scope["path"]
        if headers.getlist("host") not in [[host] for host in self.access.hosts]:
            return refuse("this page has another address")
        if path == ENTRY and scope["method"] == "GET":
            return None
        if headers.get("sec-fetch-site", "none") not in OWN_FETCHES:
            return refuse("this page is not for other sites")
        if path.startswith(STATIC) and scope["method"] == "GET":
            return None
        session = self.access.session_of(headers)
        if session is None:
            return HTMLResponse(refusal_page(), HTTPStatus.FORBIDDEN)
        scope.setdefault("state", {})["session"] = session
        return self.write_refusal(scope, headers, session)

    @staticmethod
    def write_refusal(scope: Scope, headers: Headers, session: Session) -> Response | None:
        """Refuse a request to act that does not come from the page itself."""
        if scope["method"] in {"GET", "HEAD"}:
            return None
        if headers.getlist("origin") != [f"http://{headers['host']}"]:
            return refuse("this request comes from another page")
        shown = headers.get(CSRF_HEADER, "").encode()
        if not secrets.compare_digest(shown, session.csrf.encode()):
            return refuse("this request does not come from the page; load it again")
        return None


def refuse(reason: str) -> Response:
    return PlainTextResponse(reason, HTTPStatus.FORBIDDEN)


def with_protection(send: Send) -> Send:
    """Add the protective headers to every answer."""

    async def send_protected(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in PROTECTION.items():
                headers[name] = value
        await send(message)

    return send_protected
