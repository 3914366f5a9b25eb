"""One page of the browser: looked at in one pass per frame, its elements found again by number."""

import asyncio
import time
from base64 import b64decode
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import count
from typing import Any
from urllib.parse import unquote

import anyio
import msgspec
from playwright.async_api import (
    CDPSession,
    Dialog,
    ElementHandle,
    Error,
    JSHandle,
    Position,
    Request,
    Response,
)
from playwright.async_api import Frame as LiveFrame
from playwright.async_api import Page as LivePage

from messages import pages
from messages.pages import PARTLY, Affords, Element, Frame, Sheet
from tools.browser.scripting import page_script
from tools.pictures import Picture, Pictures, boxes_in_view

SCRIPT = page_script()
SNAPSHOT = "(r, colours) => r.snapshot(colours)"
TAKE, TAKE_HELD = "(r, n) => r.take(n, false)", "(r, n) => r.take(n, true)"
# A page that has been quiet for so long after the last thing that happened has settled; one that
# is never quiet has settled after so long; one that has set nothing to happen settles at once.
QUIET_SECONDS, RESTLESS_SECONDS, YOUNG_SECONDS, STILL_SECONDS = 0.6, 5.0, 1.5, 0.1
LOOK_SECONDS, TITLE_SECONDS = 10.0, 3.0
PICTURE_SECONDS = 2.0
PICTURED = {"format": "jpeg", "quality": 60, "optimizeForSpeed": True}
CHANGE_MS = 200
MOST_FRAMES = 60
DIALOG_SIZE = (400, 200)  # pixels; nobody can ask how large it is
MODAL_PART = (Affords.CONTAIN | Affords.MODAL).value
EDITED, CLICKED = Affords.EDIT.value, (Affords.CLICK | Affords.POINTER).value
MOST_ALERTS = 40
OPEN_SECONDS, OPEN_STEP = 5.0, 0.02
# How long a page that is on its way is waited for: until it begins, and until it can be read.
ARRIVE_SECONDS, READ_MS = 20.0, 8_000.0
MOST_LOOKS = 2
DRAWN_SECONDS = 0.02
# What is under way when the page asks something has so long to end by itself.
ASKED_SECONDS = 0.5

_decode = msgspec.json.Decoder(Sheet).decode
_keys, _tab_numbers = count(1), count(1)


@dataclass(slots=True)
class Registry:
    """What a document's elements are numbered by; it lives as long as the document."""

    key: str
    handle: JSHandle
    holder: int = 0


@dataclass(eq=False)
class Tab:
    """A page, what was seen of it, and what it asks."""

    page: LivePage
    number: int = field(default_factory=lambda: next(_tab_numbers))
    registries: dict[LiveFrame, Registry] = field(default_factory=dict)
    acted_at: float = 0.0
    moved_at: float = 0.0
    dialog: Dialog | None = None
    said: list[str] = field(default_factory=list)
    alerts: int = 0
    heard: str | None = None
    prompt_text: str | None = None
    answered: str = ""
    downloads: list[str] = field(default_factory=list)
    not_kept: list[str] = field(default_factory=list)
    coming: int = 0
    expecting: bool = False
    opened: "LivePage | None" = None
    opens: int = 0
    unfinished: "asyncio.Future[None] | None" = None
    busy: anyio.Lock = field(default_factory=anyio.Lock)
    asked: anyio.Event = field(default_factory=anyio.Event)
    has_acted: bool = False
    has_done: bool = False
    leaving: Request | None = None
    patience: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    listens: bool = False
    is_spoken_to: bool = False
    session: CDPSession | None = None  # asks the browser itself what no script of a page can tell
    preparing: "asyncio.Future[None] | None" = None
    _requests: set[Request] = field(default_factory=set)
    _making: anyio.Lock = field(default_factory=anyio.Lock)

    def __post_init__(self) -> None:
        page = self.page
        page.on("request", self.note_request)
        page.on("requestfinished", self.note_answer)
        page.on("requestfailed", self.note_answer)
        page.on("response", self.note_response)
        page.on("framenavigated", self.note_navigation)
        page.on("framedetached", self.note_gone)
        page.on("dialog", self.note_dialog)
        page.on("popup", self.note_popup)
        page.on("websocket", self.note_speaking)
        page.on("worker", self.note_speaking)
        self.note_act()

    # What happens

    async def listen(self) -> None:
        """Hear of pages that this one opens as soon as the browser does."""
        if self.listens:
            return
        self.listens = True
        try:
            session = await self.page.context.new_cdp_session(self.page)
            own = await session.send("Target.getTargetInfo")
            name = own["targetInfo"]["targetId"]
            session.on("Target.targetCreated", lambda event: self.note_target(event, name))
            await session.send("Target.setDiscoverTargets", {"discover": True})
            self.session = session
        except Error:
            return  # the page is gone already

    def note_target(self, event: dict[str, Any], own: str) -> None:
        info = event["targetInfo"]
        if info.get("openerId") == own and info.get("type") == "page":
            self.opens += 1

    async def opened_page(self) -> "LivePage | None":
        """Give the page that has been opened from this one, once it is there."""
        with anyio.move_on_after(OPEN_SECONDS):
            while self.opened is None and self.opens:  # noqa: ASYNC110 - the browser tells
                await anyio.sleep(OPEN_STEP)
        opened, self.opened, self.opens = self.opened, None, 0
        return opened

    def note_act(self) -> None:
        """Note that something was done: more may come of it."""
        self.acted_at = self.moved_at = time.monotonic()

    def note_speaking(self, _speaker: object) -> None:
        """Note that the page may be told something that it has not asked for."""
        self.is_spoken_to = True

    def note_request(self, request: Request) -> None:
        if request.resource_type not in {"websocket", "eventsource", "ping", "media"}:
            self._requests.add(request)
            self.moved_at = time.monotonic()
        elif request.resource_type == "eventsource":
            self.is_spoken_to = True
        if is_of_main_frame(request, self.page):
            self.leaving = request

    def note_response(self, response: Response) -> None:
        if response.request.is_navigation_request() and response.frame == self.page.main_frame:
            self.answered = f"{response.status} {response.status_text}".strip()

    def note_answer(self, request: Request) -> None:
        self._requests.discard(request)
        self.moved_at = time.monotonic()
        if request is self.leaving:
            self.leaving = None  # it has come, or it was no page

    def note_navigation(self, frame: LiveFrame) -> None:
        self.registries.pop(frame, None)
        if frame == self.page.main_frame:
            self.leaving = None
            self._requests.clear()
            self.registries.clear()
            self.is_spoken_to = False
            self.moved_at = self.acted_at = time.monotonic()

    async def note_dialog(self, dialog: Dialog) -> None:
        """Let an alert pass, with what it says; what asks something waits for an answer."""
        if dialog.type == "beforeunload":
            await settle(dialog.accept())
            return
        self.said.append(dialog.message)
        if dialog.type != "alert":
            self.dialog = dialog
            self.asked.set()
            self.patience.deadline = anyio.current_time() + ASKED_SECONDS
            return
        self.heard = dialog.message
        self.alerts += 1
        if self.alerts > MOST_ALERTS:
            await self.page.close()
        else:
            await settle(dialog.accept())

    def note_gone(self, frame: LiveFrame) -> None:
        self.registries.pop(frame, None)

    def note_popup(self, page: LivePage) -> None:
        self.opened = page

    @property
    def is_leaving(self) -> bool:
        """Tell whether another page is on its way."""
        return self.leaving is not None and self.dialog is None and not self.page.is_closed()

    async def arrive(self) -> None:
        """Wait for the page that something has led to, until it can be read."""
        with anyio.move_on_after(ARRIVE_SECONDS):
            while self.is_leaving:  # noqa: ASYNC110 - the browser tells
                await anyio.sleep(OPEN_STEP)
        if self.dialog is None and not self.page.is_closed():
            await settle(self.page.wait_for_load_state("domcontentloaded", timeout=READ_MS))

    async def title(self) -> str:
        """Give the page's title; a page that does not answer has none."""
        if self.dialog is not None:
            return ""  # it answers nobody else
        try:
            with anyio.fail_after(TITLE_SECONDS):
                return await self.page.title()
        except (Error, TimeoutError):
            return ""

    async def told_title(self) -> str:
        """Give the title of a page that has just come, as the browser knows it.

        The page itself answers only after it has been drawn for the first time. A page without a
        title goes by its address in the browser: such a one is asked itself.
        """
        told = ""
        with suppress(Error):
            if self.session is not None and self.dialog is None:
                answer = await self.session.send("Target.getTargetInfo")
                told = str(answer["targetInfo"]["title"])
        return await self.title() if told in unquote(self.page.url) else told

    def take_said(self) -> list[str]:
        """Give what alerts have said since one asked last."""
        said, self.said = self.said, []
        return said

    # Looking

    def asking(self, dialog: Dialog) -> pages.Page:
        """See the question that the browser shows: the page behind it answers nobody."""
        said, is_prompt = dialog.message, dialog.type == "prompt"
        width, height = DIALOG_SIZE
        box = Element(1, "alertdialog", (0, 0, width, height), -1, said, MODAL_PART)
        line = (0, 0, width, height // 2)
        field = Element(2, "textbox", line, 0, said, EDITED, others=("prompt", "dialog", "text"))
        buttons = (
            Element(3, "button", (0, height // 2, width // 2, height // 2), 0, "OK", CLICKED),
            Element(
                4,
                "button",
                (width // 2, height // 2, width // 2, height // 2),
                0,
                "Cancel",
                CLICKED,
            ),
        )
        elements = (box, *([field] if is_prompt else []), *buttons)
        size = (width, height)
        sheet = Sheet(self.page.url, said, size, size, (0, 0), "complete", 0, False, elements)  # noqa: FBT003
        return pages.Page((Frame(pages.ASKING, sheet),))

    async def look(self, *, again: bool = False, colours: bool = True) -> pages.Page:
        """See the page as it is; ``again`` if nothing was found before: then wait for a change."""
        frames: list[Frame] = []
        with anyio.move_on_after(LOOK_SECONDS):
            if again:
                await self.wait_for_change()
            for _ in range(MOST_LOOKS):
                if self.leaving is not None:
                    await self.arrive()
                await self.add_frame(frames, self.page.main_frame, -1, colours=colours)
                if frames:
                    break
                await self.arrive()  # it went away while it was looked at
        if not frames:
            raise TimeoutError("the page does not answer")
        return pages.Page(tuple(frames), self.is_settled(frames))

    async def take_picture(self, page: pages.Page, into: Pictures) -> None:
        """Keep a picture of what was seen, if the browser gives one soon.

        The browser itself is asked for it: Playwright's own way puts a style into the page, which
        would then seem to change.
        """
        if into.of(page.digest) is not None or self.session is None:
            return
        with anyio.move_on_after(PICTURE_SECONDS), suppress(Error):
            taken = await self.session.send("Page.captureScreenshot", PICTURED)
            size = page.frames[0].sheet.view
            into.keep(page.digest, Picture(b64decode(taken["data"]), size, boxes_in_view(page)))

    async def add_frame(
        self, into: list[Frame], live: LiveFrame, within: int, *, colours: bool
    ) -> None:
        """See a frame, then the frames in it that can be seen themselves."""
        registry = await self.registry(live)
        if registry is None or len(into) >= MOST_FRAMES:
            return
        try:
            raw = await registry.handle.evaluate(SNAPSHOT, colours)
        except Error:
            self.registries.pop(live, None)
            if within >= 0 or live.is_detached():
                return
            registry = await self.registry(live)  # it has just navigated
            if registry is None:
                return
            try:
                raw = await registry.handle.evaluate(SNAPSHOT, colours)
            except Error:
                self.registries.pop(live, None)
                if self.page.is_closed():
                    raise
                return
        sheet = _decode(raw)
        offset = (0, 0)
        if within >= 0:
            place = holder_place(into[within], registry.holder)
            if place is None:
                return
            offset = place
        at = len(into)
        digest = blake2b(raw.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        into.append(Frame(registry.key, sheet, digest, offset, within, registry.holder))
        for child in live.child_frames:
            await self.add_frame(into, child, at, colours=colours)

    def prepare(self) -> None:
        """Make the registry of a page that has come soon, while nobody waits for it.

        The script is large: whoever looks at the page next finds it there.
        """
        if self.preparing is not None:
            self.preparing.cancel()  # it was for the page before
        self.preparing = asyncio.ensure_future(self.registry_soon())

    async def registry_soon(self) -> None:
        """Make the registry once it is told that the page has come, and look a first time.

        What is still in its place when somebody wants to click it need not be watched again.
        """
        await anyio.sleep(DRAWN_SECONDS)
        registry = await self.registry(self.page.main_frame)
        if registry is not None:
            await settle(registry.handle.evaluate("r => r.prepare()"))
            # Playwright puts a script of its own into a page when it first looks for something.
            await settle(self.page.query_selector("html"))

    async def registry(self, live: LiveFrame) -> Registry | None:
        """Give the registry of a frame's document, made anew where there is none."""
        known = self.registries.get(live)
        if known is not None or live.is_detached():
            return known
        async with self._making:
            return self.registries.get(live) or await self.made_registry(live)

    async def made_registry(self, live: LiveFrame) -> Registry | None:
        """Make the registry of a frame's document."""
        try:
            with anyio.fail_after(LOOK_SECONDS):
                handle = await live.evaluate_handle(SCRIPT)
                made = Registry(f"d{next(_keys)}", handle)
                if live.parent_frame is not None:
                    made.holder = await self.holder_number(live)
        except (Error, TimeoutError):
            return None
        self.registries[live] = made
        return made

    async def holder_number(self, live: LiveFrame) -> int:
        """Give the number of a frame's element in the document around it."""
        around = live.parent_frame
        parent = None if around is None else self.registries.get(around)
        if parent is None and around is not None:
            parent = await self.made_registry(around)
        if parent is None:
            return 0
        holder = await live.frame_element()
        number: int = await parent.handle.evaluate("(r, el) => r.numberOf(el)", holder)
        return number

    def is_settled(self, frames: list[Frame]) -> bool:
        """Tell whether nothing more is to be expected of the page by itself."""
        now = time.monotonic()
        since_act = now - self.acted_at
        if since_act > RESTLESS_SECONDS:
            return True
        if not frames or frames[0].sheet.ready == "loading" or self._requests:
            return False
        least = min(since_act, now - self.moved_at, min(each.sheet.quiet for each in frames) / 1000)
        if not self.is_spoken_to and not any(map(partial(is_expecting, since_act), frames)):
            return least > STILL_SECONDS
        return least > QUIET_SECONDS and since_act > YOUNG_SECONDS

    async def wait_for_change(self) -> None:
        """Wait until something changes, a short time at most."""
        registry = await self.registry(self.page.main_frame)
        if registry is None:
            await anyio.sleep(CHANGE_MS / 1000)
            return
        call = "(r, ms) => r.waitForChange(r.changes(), ms)"
        await settle(registry.handle.evaluate(call, CHANGE_MS))

    # Finding again

    async def take(self, target: str, *, held: bool = False) -> ElementHandle | None:
        """Give the element of a target, if it is still there and still what it was.

        ``held`` for what the pointer goes to: the label of a box that is not seen itself.
        """
        return await self.element_by(TAKE_HELD if held else TAKE, target)

    async def ask(self, target: str, question: str) -> bool | None:
        """Ask an element, or its twin, something in one round trip; None if it is gone."""
        registry, number = self.place_of(target)
        if registry is None:
            return None
        call = f"""(r, n) => {{
          const el = r.take(n, false) || r.twin(n);
          return el && Boolean(({question})(el));
        }}"""
        answer: bool | None = await registry.handle.evaluate(call, number)
        return answer

    async def aim(self, target: str) -> ElementHandle | None:
        """Give what a click on a target goes to, if it can be clicked at once.

        It is looked at as strictly as Playwright does it, in one round trip with ``take``. From
        then on the page keeps the click from all else, until it has arrived.
        """
        if target.endswith(PARTLY):
            return None
        return await self.element_by("(r, n) => r.aim(n)", target)

    async def has_arrived(self, target: str) -> bool | str | None:
        """Tell whether a click reached what was aimed at; what has led away has reached it.

        None if nothing at all has reached the page; the address, if it led to a program of the
        system, which is not opened. All that is clicked later reaches the page again.
        """
        registry, _ = self.place_of(target)
        arrived: bool | str | None = True
        with suppress(Error):
            if registry is not None:
                arrived = await registry.handle.evaluate("r => r.arrived()")
        return arrived

    async def twin(self, target: str) -> ElementHandle | None:
        """Give the element that a page has drawn in place of one: the only one that is like it."""
        return await self.element_by("(r, n) => r.twin(n)", target)

    async def spot(self, target: str) -> Position | None:
        """Say where an element is itself, and not something in it; None for its middle."""
        registry, number = self.place_of(target)
        if registry is None or not target.endswith(PARTLY):
            return None
        found: Position | None = await registry.handle.evaluate("(r, n) => r.spot(n)", number)
        return found

    async def element_by(self, call: str, target: str) -> ElementHandle | None:
        """Ask the registry of a target for an element; a document that is gone has none."""
        registry, number = self.place_of(target)
        if registry is None:
            return None
        try:
            handle = await registry.handle.evaluate_handle(call, number)
        except Error:
            return None
        return handle.as_element()

    def place_of(self, target: str) -> tuple[Registry | None, int]:
        """Give the registry that a target is of, and its number there."""
        key, _, number = target.removesuffix(PARTLY).partition(".")
        found = (each for each in self.registries.values() if each.key == key)
        return next(found, None), int(number) if number.isdecimal() else 0


def is_expecting(since_act: float, frame: Frame) -> bool:
    """Tell whether a frame may show something soon that it has set to happen, or that is unknown.

    What it repeats may show what was done on it, as late as its next turn.
    """
    expected = frame.sheet.expected
    if expected is None:
        return True
    horizon = (YOUNG_SECONDS - since_act) * 1000
    due, repeated = expected
    return 0 <= due < horizon or (0 <= repeated < YOUNG_SECONDS * 1000 and horizon > 0)


def is_of_main_frame(request: Request, page: LivePage) -> bool:
    """Tell whether a request is for a page in place of the one that is shown."""
    if not request.is_navigation_request():
        return False
    try:
        return request.frame == page.main_frame
    except Error:
        return False  # its frame is gone, or not there yet


def holder_place(frame: Frame, number: int) -> tuple[int, int] | None:
    """Say where a frame begins whose element has this number; None if it cannot be seen."""
    for element in frame.sheet.elements:
        if element.number == number:
            if element.shown or element.rect[2] < 2 or element.rect[3] < 2:  # noqa: PLR2004
                return None
            return frame.offset[0] + element.rect[0], frame.offset[1] + element.rect[1]
    return None


async def settle(awaitable: object) -> None:
    """Await something whose failure says only that the page is gone."""
    try:
        await awaitable  # type: ignore[misc]
    except Error:
        return
