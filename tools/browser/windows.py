"""Tabs, questions of the page, keys, pictures of it, and files that go in or come out."""

import os
import re
from contextlib import suppress
from datetime import datetime
from pathlib import Path, PurePosixPath

import anyio
import anyio.to_thread
from playwright.async_api import Download, ElementHandle, Error
from playwright.async_api import TimeoutError as TooSlow

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.browser.hands import ACT_MS, Hands, done, led_to, repeated, unless_asked
from tools.browser.lanes import Session
from tools.browser.navigating import GOTO_MS, arrived, unreachable
from tools.browser.params import Answer, Fetch, NewTab, Press, Shot, Upload, WhichTab
from tools.browser.scripting import script
from tools.browser.tab import Tab, settle
from tools.browser.turns import SEPARATOR
from tools.files.pieces import put_whole
from tools.files.roots import Roots
from tools.files.threads import in_thread

DOWNLOAD_MS = 15_000.0
ASK_SECONDS, ASK_STEP = 1.5, 0.05
MOST_NAMES = 1_000
MOST_TAKEN = 20  # downloads of one name that end in the same moment
TAB = "tab:"
FILE_FIELDS = script("file_fields")
UNSAFE = re.compile(r"[\x00-\x1f/\\:*?\"<>|]+")


# Tabs


async def new_tab(hands: Hands, params: NewTab) -> Outcome:
    """Open a tab and go on in it."""
    if params.url is not None and (veto := hands.policy.refusal(params.url)) is not None:
        return Refused(Code.NOT_ALLOWED, veto)

    async def deed(_tab: Tab) -> Outcome:
        session = await session_of(hands, params.lane)
        tab = hands.lanes.note_page(session, await session.context.new_page())
        await hands.lanes.show(params.lane, tab)
        if params.url is None:
            return done({"tabs": len(session.tabs)})
        try:
            return await arrived(
                tab, await tab.page.goto(params.url, timeout=GOTO_MS, wait_until="commit")
            )
        except Error as error:
            return unreachable(params.url, error, tab)

    return await hands.on_page(params.lane, deed, leaves=True)


async def session_of(hands: Hands, lane: str) -> Session:
    return await hands.lanes.session(lane.rpartition(SEPARATOR)[0])


def tab_named(session: Session, shown: Tab, params: WhichTab) -> Tab | None:
    """Find the tab that was bound, or the one beside the one that is shown."""
    tabs = session.tabs
    if not tabs:
        return None
    at = tabs.index(shown) if shown in tabs else 0
    match params.which:
        case "next":
            return tabs[(at + 1) % len(tabs)]
        case "previous":
            return tabs[(at - 1) % len(tabs)]
        case _ if params.selector is None:
            return shown
        case _:
            number = params.selector.removeprefix(TAB)
            found = number.isdecimal() and 1 <= int(number) <= len(tabs)
            return tabs[int(number) - 1] if found else None


async def switch_tab(hands: Hands, params: WhichTab) -> Outcome:
    async def deed(shown: Tab) -> Outcome:
        session = await session_of(hands, params.lane)
        tab = tab_named(session, shown, params)
        if tab is None:
            return Refused(Code.TARGET_NOT_FOUND, f"there are {len(session.tabs)} tabs")
        await hands.lanes.show(params.lane, tab)
        return done({"title": await tab.title(), "url": tab.page.url})

    return await hands.on_page(params.lane, deed, leaves=True)


async def close_tab(hands: Hands, params: WhichTab) -> Outcome:
    """Close a tab; the one before it is shown then."""

    async def deed(shown: Tab) -> Outcome:
        session = await session_of(hands, params.lane)
        tab = tab_named(session, shown, params)
        if tab is None:
            return Refused(Code.TARGET_NOT_FOUND, f"there are {len(session.tabs)} tabs")
        await tab.page.close()
        session.forget(tab)
        left = await hands.lanes.tab(params.lane)
        return done({"tabs": len(session.tabs), "title": await left.title()})

    return await hands.on_page(params.lane, deed, leaves=True)


# Keys and questions


async def press(hands: Hands, params: Press) -> Outcome:
    """Press a key or a chord, on an element or wherever the focus is."""
    keys = as_pressed(params.keys)
    before: str | None = None  # where the page was when the key was first pressed

    async def grip(tab: Tab, element: ElementHandle | None) -> Outcome:
        nonlocal before
        before = before or tab.page.url
        await unless_asked(
            tab, tab.page.keyboard.press(keys) if element is None else element.press(keys)
        )
        return done(led_to(before, tab))

    if params.selector is None:
        return await hands.on_page(
            params.lane, lambda tab: repeated(tab, params.times, lambda: grip(tab, None))
        )
    return await hands.on_element(params.lane, params.selector, grip, times=params.times)


def as_pressed(keys: str) -> str:
    """Name keys as the browser does: a letter in a chord is the key, not the capital.

    >>> as_pressed("Control+S"), as_pressed("Control+Shift+T"), as_pressed("Enter")
    ('Control+s', 'Control+Shift+T', 'Enter')
    """
    *held, last = keys.split("+") if not keys.endswith("+") else [*keys[:-1].split("+")[:-1], "+"]
    if len(last) == 1 and "Shift" not in held:
        last = last.lower()
    return "+".join([*held, last])


async def answer(hands: Hands, params: Answer, *, accept: bool) -> Outcome:
    """Answer what the page asks."""

    async def deed(tab: Tab) -> Outcome:
        with anyio.move_on_after(ASK_SECONDS):
            while tab.dialog is None:  # noqa: ASYNC110 - the page may be about to ask
                await anyio.sleep(ASK_STEP)
        dialog, tab.dialog = tab.dialog, None
        if dialog is None:
            if tab.heard and accept:
                return done({"said": tab.heard, "accepted": True})  # an alert, let pass already
            return Refused(Code.NOT_FEASIBLE, "the page asks nothing")
        said = dialog.message
        if accept:
            await (dialog.accept() if params.text is None else dialog.accept(params.text))
        else:
            await dialog.dismiss()
        if tab.unfinished is not None:
            with anyio.move_on_after(ACT_MS / 1000):
                await tab.unfinished
            tab.unfinished = None
        with anyio.move_on_after(ACT_MS / 1000):
            await settle(tab.page.evaluate("1"))  # what the page does on the answer comes first
        return done({"asked": said, "accepted": accept})

    return await hands.on_page(params.lane, deed, asked=True)


# Pictures and files


async def screenshot(hands: Hands, params: Shot) -> Outcome:
    """Keep a picture of the page or of an element; passwords are painted over."""

    async def grip(tab: Tab, element: ElementHandle | None) -> Outcome:
        masks = [frame.locator("input[type=password]") for frame in tab.page.frames]
        if element is None:
            picture = await tab.page.screenshot(mask=masks)
        else:
            picture = await element.screenshot(timeout=ACT_MS, mask=masks)
        path = params.path or free_name(hands, "screenshot.png")
        if not PurePosixPath(path).suffix:
            path += ".png"
        kept = await in_thread(lambda: put_file(hands.roots, path, picture))
        return kept if isinstance(kept, Refused) else done({"path": kept})

    if params.selector is None:
        return await hands.on_page(params.lane, lambda tab: grip(tab, None))
    return await hands.on_element(params.lane, params.selector, grip)


def put_file(roots: Roots, path: str, data: bytes) -> str:
    """Write a file into a root, never over another."""
    with roots.spot(path) as spot:
        if spot.exists():
            raise FileExistsError(17, "it exists", path)
        put_whole(spot, data, replace=False)
        return spot.path


def free_name(hands: Hands, wanted: str) -> str:
    """Give a path in the folder for downloads that nothing has yet."""
    name = UNSAFE.sub("_", wanted).lstrip(".") or "download"
    stem, dot, ending = name.rpartition(".") if "." in name else (name, "", "")
    folder = Path(hands.downloads)
    for number in range(1, MOST_NAMES):
        numbered = name if number == 1 else f"{stem} ({number}){dot}{ending}"
        if not os.path.lexists(folder / numbered):
            return str(folder / numbered)
    return str(folder / f"{stem}-{datetime.now().timestamp():.0f}{dot}{ending}")  # noqa: DTZ005


async def download(hands: Hands, params: Fetch) -> Outcome:
    """Click what gives a file, and keep the file when it is complete."""

    async def grip(tab: Tab, element: ElementHandle) -> Outcome:
        is_clicked = False
        try:
            async with tab.page.expect_download(timeout=DOWNLOAD_MS) as coming:
                tab.expecting = True
                await element.click(timeout=ACT_MS)
                is_clicked = True
            file = await coming.value
        except TooSlow:
            if not is_clicked:
                raise
            return Refused(Code.EFFECT_MISSING, "it was clicked, but no download came")
        finally:
            tab.expecting = False
        kept = await keep(hands, file, params.path or params.to)
        return kept if isinstance(kept, Refused) else done({"path": kept})

    return await hands.on_element(params.lane, params.selector, grip)


async def keep(hands: Hands, file: Download, path: str | None = None) -> str | Refused:
    """Bring a download into a root once it is complete."""
    came = await file.path()
    if (failure := await file.failure()) is not None:
        return Refused(Code.IO_FAILED, f"the download failed: {failure}")
    if path is not None:
        return await in_thread(lambda: put_file(hands.roots, path, Path(came).read_bytes()))
    return await in_thread(lambda: put_under_free_name(hands, file.suggested_filename, came))


def put_under_free_name(hands: Hands, wanted: str, came: Path) -> str:
    """Write what came into the folder for downloads; another may take a free name meanwhile."""
    data = came.read_bytes()
    for _ in range(MOST_TAKEN):
        with suppress(FileExistsError):
            return put_file(hands.roots, free_name(hands, wanted), data)
    return put_file(hands.roots, free_name(hands, wanted), data)


async def keep_unasked(hands: Hands, tab: Tab, file: Download) -> None:
    """Keep a download that nobody asked for by that name: it followed a click."""
    if tab.expecting:
        return
    tab.coming += 1
    try:
        kept = await keep(hands, file)
    except Error:
        return  # the page was closed under way
    finally:
        tab.coming -= 1
    if isinstance(kept, str):
        tab.downloads.append(kept)


async def upload(hands: Hands, params: Upload) -> Outcome:
    """Give a file to a page."""
    data = await in_thread(lambda: read_bytes(hands.roots, params.path))
    if isinstance(data, Refused):
        return data

    async def grip(tab: Tab, element: ElementHandle | None) -> Outcome:
        fields = await fields_for_files(tab, element)
        if len(fields) > 1:
            message = f"there are {len(fields)} fields for files; say which one"
            return Refused(Code.AMBIGUOUS_TARGET, message)
        if not fields:
            return Refused(Code.NOT_FEASIBLE, "the page has no field for files")
        name = Path(params.path).name
        await fields[0].set_input_files(
            {"name": name, "mimeType": "application/octet-stream", "buffer": data},
            timeout=ACT_MS,
        )
        names = await fields[0].evaluate("el => Array.from(el.files).map(file => file.name)")
        return Done({"files": names, "seen": name in names})

    if params.selector is None:
        return await hands.on_page(params.lane, lambda tab: grip(tab, None))
    return await hands.on_element(params.lane, params.selector, grip)


async def fields_for_files(tab: Tab, element: ElementHandle | None) -> list[ElementHandle]:
    """Give the fields that may be meant: of an element, of its form, of the page."""
    if element is None:
        return await tab.page.query_selector_all("input[type=file]")
    found = await element.evaluate_handle(FILE_FIELDS)
    fields = [each.as_element() for each in (await found.get_properties()).values()]
    return [each for each in fields if each is not None]


def read_bytes(roots: Roots, path: str) -> bytes:
    from tools.files.pieces import open_regular  # noqa: PLC0415 - only uploads read bytes

    with roots.spot(path) as spot, open_regular(spot, os.O_RDONLY) as file:
        return file.read()
