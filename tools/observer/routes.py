"""The addresses of the page: views, the fragments that renew themselves, and the ways to act."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import get_args
from urllib.parse import parse_qs, urlencode

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from messages import wire
from messages.explaining import Explanation, PastCommand
from messages.results import Code, CommandStatus
from tools.client import new_id
from tools.observer import layout, lists
from tools.observer.access import Access, Session
from tools.observer.changes import Changes, event_stream
from tools.observer.command import command_page, story_view
from tools.observer.command_graph import CommandGraph, graph_of
from tools.observer.decision import decision_view
from tools.observer.html import Html, el
from tools.observer.layout import Frame
from tools.observer.link import DaemonLink, Declined, Unreachable
from tools.observer.waiting import waiting_for_you
from tools.observer.wording import short, title_of
from tools.pictures import Pictures

STATIC = Path(__file__).parent / "static"
LATEST = 40
PAGE = 50
LONGEST_BODY = 16 << 10
MOST_FIELDS = 16
MOST_DIGITS = 4  # of the number of an option
STATUSES = frozenset({"queued", "running", *get_args(CommandStatus)})


@dataclass(frozen=True)
class Views:
    """Answers requests; the guard before it has let them through."""

    link: DaemonLink
    changes: Changes
    access: Access
    pictures: Pictures
    may_act: bool

    def frame(self, request: Request) -> Frame:
        session: Session = request.state.session
        return Frame(session.csrf, self.may_act)

    # Coming in

    async def enter(self, request: Request) -> Response:
        """Exchange the token of a link for a session, or have a new link printed."""
        if request.headers.get("sec-purpose"):
            return PlainTextResponse("a link is not used up by looking ahead", HTTPStatus.FORBIDDEN)
        token = request.query_params.get("token")
        if token is None:
            # Only a person's own click prints one; another site could fill the screen with them.
            asked = request.headers.get("sec-fetch-site", "none") in {"none", "same-origin"}
            printed = asked and self.access.announce_link()
            return HTMLResponse(layout.announced_page(printed=printed), HTTPStatus.FORBIDDEN)
        name = self.access.open_session(token)
        if name is None:
            return HTMLResponse(layout.dead_link_page(), HTTPStatus.FORBIDDEN)
        response = HTMLResponse(layout.entered_page())
        response.set_cookie(self.access.cookie, name, path="/", httponly=True, samesite="strict")
        return response

    # Views

    async def live(self, request: Request) -> Response:
        """Show the latest command, and go on to whichever comes next."""
        return await self.command_view(request, "")

    async def command(self, request: Request) -> Response:
        """Show one command: the address can be kept."""
        command = request.query_params.get("id", "")
        if not command:
            raise HTTPException(HTTPStatus.NOT_FOUND, "say which command")
        return await self.command_view(request, command)

    async def command_view(self, request: Request, command: str) -> Response:
        story = await self.story(command)
        state, latest = await self.link.state(), await self.latest()
        people = waiting_for_you(state, lists.titles_of(latest), may_act=self.may_act)
        query = "?" + urlencode({"id": command}) if command else ""
        content = command_page(
            lists.live_list(latest, state), people, self.story_html(story), command, query
        )
        title = short(title_of(story.explanation), 60) if story else "Live"
        return self.page(request, "/" if not command else "", title, content, shown=command)

    async def history(self, request: Request) -> Response:
        search, status, results = await self.search_history(request)
        return self.page(
            request, "/history", "History", lists.history_view(search, status, results)
        )

    async def schedule(self, request: Request) -> Response:
        entries = await self.link.schedule()
        return self.page(request, "/schedule", "Schedule", lists.schedule_view(entries))

    async def recipes(self, request: Request) -> Response:
        recipes = await self.link.recipes()
        return self.page(request, "/recipes", "Recipes", lists.recipes_view(recipes))

    def page(
        self, request: Request, path: str, title: str, content: Html, shown: str = ""
    ) -> Response:
        return HTMLResponse(layout.page(self.frame(request), path, title, content, shown=shown))

    # Fragments

    async def list_fragment(self, _request: Request) -> Response:
        return HTMLResponse(lists.live_list(await self.latest(), await self.link.state()))

    async def people_fragment(self, _request: Request) -> Response:
        state = await self.link.state()
        named = await self.latest() if state.questions or state.approvals else ()
        titles = lists.titles_of(named)
        return HTMLResponse(waiting_for_you(state, titles, may_act=self.may_act))

    async def story_fragment(self, request: Request) -> Response:
        return HTMLResponse(self.story_html(await self.story(request.query_params.get("id", ""))))

    async def decision_fragment(self, request: Request) -> Response:
        story = await self.story(request.query_params.get("id", ""))
        if story is None:
            return HTMLResponse("")
        goal = request.query_params.get("goal", "")
        return HTMLResponse(decision_view(story, goal, self.pictures))

    async def picture(self, request: Request) -> Response:
        """Give a page as it was when words were bound on it."""
        found = self.pictures.of(request.query_params.get("of", ""))
        if found is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, "this picture is not kept any more")
        return Response(found.jpeg, media_type="image/jpeg")

    async def history_fragment(self, request: Request) -> Response:
        search, status, results = await self.search_history(request)
        address = "/history?" + urlencode({"search": search, "status": status})
        return HTMLResponse(results, headers={"HX-Replace-Url": address})

    async def events(self, request: Request) -> Response:
        """Tell an open page of changes as they happen, until it goes or its session ends."""
        stream = event_stream(self.changes, partial(self.access.session_of, request.headers))
        return StreamingResponse(stream, media_type="text/event-stream")

    # What they show

    async def latest(self) -> Sequence[PastCommand]:
        return (await self.link.history(wire.History(new_id(), limit=LATEST))).commands

    async def search_history(self, request: Request) -> tuple[str, str, Html]:
        """Search the history as the address says."""
        asked = request.query_params
        search, status = asked.get("search", "")[:1000], asked.get("status", "")
        history = wire.History(
            new_id(),
            search=search or None,
            status=msgspec.convert(status, wire.StateStatus) if status in STATUSES else None,
            before=asked.get("before") or None,
            limit=PAGE,
        )
        found, state = await self.link.history(history), await self.link.state()
        results = lists.history_results(found, state, search, status)
        return search, status, results

    async def story(self, command: str) -> CommandGraph | None:
        """Put together what is known of a command; without one, of the latest."""
        if not command:
            latest = await self.link.history(wire.History(new_id(), limit=1))
            if not latest.commands:
                return None
            command = latest.commands[0].command
        explanation = await self.link.explanation(command)
        return graph_of(
            explanation, await self.state_of(explanation), self.changes.moments.of(command)
        )

    async def state_of(self, explanation: Explanation) -> wire.State | None:
        """Ask how a command under way stands; the explanation has the end of all others."""
        if explanation.status is not None:
            return None
        try:
            return await self.link.state(explanation.command)
        except Declined:
            return None

    def story_html(self, story: CommandGraph | None) -> Html:
        if story is None:
            return el("p", "Say something to Behest: it appears here as it happens.", cls="empty")
        return story_view(story, may_act=self.may_act)

    # Acting

    async def answer(self, request: Request) -> Response:
        """Answer a question: by the number of an option, or by other words."""
        form = await self.action(request)
        words = form.get("words", "")
        choice = words or number_in(form.get("choice", ""))
        question = form.get("question", "")
        again = await self.link.answer(wire.Answer(new_id(), question, choice))
        return PlainTextResponse(again or "Answered.")

    async def approve(self, request: Request) -> Response:
        """Allow or forbid what waits for approval."""
        form = await self.action(request)
        allow = form.get("allow") == "yes"
        await self.link.ask(wire.Approve(new_id(), form.get("approval", ""), allow), wire.State)
        return PlainTextResponse("Allowed." if allow else "Forbidden.")

    async def cancel(self, request: Request) -> Response:
        """Stop a command."""
        form = await self.action(request)
        await self.link.ask(wire.Cancel(new_id(), form.get("command", "")), wire.State)
        return PlainTextResponse("Told to stop.")

    async def action(self, request: Request) -> dict[str, str]:
        """Read a form; refuse it where the page may only be read."""
        if not self.may_act:
            raise HTTPException(HTTPStatus.FORBIDDEN, layout.READ_ONLY)
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > LONGEST_BODY:
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "that is too long")
        try:
            fields = parse_qs(body.decode("utf-8", "replace"), max_num_fields=MOST_FIELDS)
        except ValueError:
            raise HTTPException(HTTPStatus.BAD_REQUEST, "those are too many fields") from None
        return {name: values[0] for name, values in fields.items()}


def number_in(choice: str) -> int:
    if not (choice.isascii() and choice.isdigit() and len(choice) <= MOST_DIGITS):
        raise HTTPException(HTTPStatus.BAD_REQUEST, "choose one of the options")
    return int(choice)


async def unreachable_response(request: Request, problem: Exception) -> Response:
    """Say that the daemon is not there; an open page asks again by itself."""
    return error_response(
        request, HTTPStatus.SERVICE_UNAVAILABLE, "The daemon does not answer", str(problem)
    )


async def declined_response(request: Request, problem: Exception) -> Response:
    """Pass on what the daemon refused."""
    unknown = isinstance(problem, Declined) and problem.code is Code.UNKNOWN_COMMAND
    status = HTTPStatus.NOT_FOUND if unknown else HTTPStatus.CONFLICT
    return error_response(request, status, "Not found" if unknown else "Refused", str(problem))


async def http_error_response(request: Request, problem: Exception) -> Response:
    if not isinstance(problem, HTTPException):
        raise problem
    return error_response(request, HTTPStatus(problem.status_code), "Refused", problem.detail)


def error_response(request: Request, status: HTTPStatus, title: str, message: str) -> Response:
    """Answer a person with a page, and a page with a line."""
    if request.method != "GET" or "hx-request" in request.headers:
        return PlainTextResponse(message, status)
    back = el("p", el("a", "To the latest commands", href="/"))
    return HTMLResponse(layout.plain_page(title, el("p", message, cls="data"), back), status)


def application(views: Views) -> Starlette:
    """Give every view its address."""
    get = {
        "/enter": views.enter,
        "/": views.live,
        "/command": views.command,
        "/history": views.history,
        "/schedule": views.schedule,
        "/recipes": views.recipes,
        "/events": views.events,
        "/fragment/list": views.list_fragment,
        "/fragment/people": views.people_fragment,
        "/fragment/story": views.story_fragment,
        "/fragment/decision": views.decision_fragment,
        "/fragment/history": views.history_fragment,
        "/picture": views.picture,
    }
    post = {"/answer": views.answer, "/approve": views.approve, "/cancel": views.cancel}
    return Starlette(
        routes=[
            *(Route(path, view, methods=["GET"]) for path, view in get.items()),
            *(Route(path, view, methods=["POST"]) for path, view in post.items()),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        exception_handlers={
            Unreachable: unreachable_response,
            Declined: declined_response,
            HTTPException: http_error_response,
        },
    )
