"""Pictures of a page, and files that it gives or takes."""

import asyncio
import errno
import os
import re
from contextlib import suppress
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import anyio
from playwright.async_api import Download, ElementHandle, Error
from playwright.async_api import TimeoutError as TooSlow

from messages.executing import Done, Outcome, Refused
from messages.results import Code
from tools.browser.actions import ACT_MS, PageActions, done
from tools.browser.params import Fetch, Shot, Upload
from tools.browser.scripting import script
from tools.browser.tab import Tab
from tools.files.primitives import put_whole
from tools.files.roots import Refusal, Roots
from tools.files.threads import in_thread

DOWNLOAD_MS = 15_000.0
# A download that is larger, or takes longer, is stopped: one that was asked for must come while its
# action lasts, one that followed a click may come meanwhile.
LARGEST_DOWNLOAD = 2 << 30
FETCH_SECONDS, UNASKED_SECONDS = 40.0, 600.0
LOOK_SECONDS, STOP_SECONDS = 0.1, 5.0
UNFINISHED = ".crdownload"
# Names that are tried for a download, and downloads of one name that end in the same moment.
MOST_NAMES, MOST_TAKEN = 1_000, 20
# In bytes, with room for a number between them: disks have names of up to 255.
LONGEST_STEM, LONGEST_ENDING = 180, 40
LARGEST_UPLOAD = 50 << 20  # what Playwright actions over at once
UNSAFE = re.compile(r"[\x00-\x1f/\\:*?\"<>|]+")
FILE_FIELDS = script("file_fields")


async def screenshot(actions: PageActions, params: Shot) -> Outcome:
    """Keep a picture of the page or of an element; passwords are painted over."""

    async def grip(tab: Tab, element: ElementHandle | None) -> Outcome:
        masks = [frame.locator("input[type=password]") for frame in tab.page.frames]
        if element is None:
            picture = await tab.page.screenshot(mask=masks)
        else:
            picture = await element.screenshot(timeout=ACT_MS, mask=masks)
        path = params.path or free_name(actions, "screenshot.png")
        if not PurePosixPath(path).suffix:
            path += ".png"
        kept = await in_thread(lambda: put_file(actions.roots, path, picture))
        return kept if isinstance(kept, Refused) else done({"path": kept})

    return await actions.on_part(params.lane, params.selector, grip)


async def download(actions: PageActions, params: Fetch) -> Outcome:
    """Click what gives a file, and keep the file when it is complete."""

    async def grip(tab: Tab, element: ElementHandle) -> Outcome:
        is_clicked = is_handed_on = False
        came: list[Download] = []

        def note(file: Download) -> None:
            came.append(file)

        tab.page.on("download", note)
        try:
            async with tab.page.expect_download(timeout=DOWNLOAD_MS) as coming:
                tab.expecting = True
                await element.click(timeout=ACT_MS)
                is_clicked = True
            file = await coming.value
            is_handed_on = True
        except TooSlow:
            if not is_clicked:
                raise
            return Refused(Code.EFFECT_MISSING, "it was clicked, but no download came")
        finally:
            tab.expecting = False
            tab.page.remove_listener("download", note)
            for each in () if is_handed_on else came:  # nobody waits for it any more
                await stop(each)
        kept = await keep(actions, file, FETCH_SECONDS, params.path or params.to)
        return kept if isinstance(kept, Refused) else done({"path": kept})

    return await actions.on_element(params.lane, params.selector, grip)


async def keep_unasked(actions: PageActions, tab: Tab, file: Download) -> None:
    """Keep a download that nobody asked for by that name: it followed a click."""
    if tab.expecting:
        return
    tab.coming += 1
    try:
        kept = await keep(actions, file, UNASKED_SECONDS)
    except Error:
        return  # the page was closed under way
    finally:
        tab.coming -= 1
    if isinstance(kept, Refused):
        tab.not_kept.append(kept.message)
    else:
        tab.downloads.append(kept)


async def keep(
    actions: PageActions, file: Download, seconds: float, path: str | None = None
) -> str | Refused:
    """Bring a download into a root once it is complete; of one that is not, nothing is left."""
    try:
        if (refused := await ended(file, seconds)) is not None:
            return refused
        came = await file.path()
        if path is not None:
            return await in_thread(lambda: put_copy(actions.roots, path, came))
        return await in_thread(lambda: put_under_free_name(actions, file.suggested_filename, came))
    finally:
        await stop(file)


async def stop(file: Download) -> None:
    """Stop a download, if it is still coming, and remove what the browser has of it."""
    with anyio.move_on_after(STOP_SECONDS, shield=True), suppress(Error):
        await file.cancel()
        await file.delete()


async def ended(file: Download, seconds: float) -> Refused | None:
    """Wait until a download is complete; it is said why it did not come to that."""
    place = place_of(file)
    ending = asyncio.ensure_future(file.failure())
    try:
        with anyio.move_on_after(seconds):
            while True:
                over, _ = await asyncio.wait({ending}, timeout=LOOK_SECONDS)
                if size_at(place) > LARGEST_DOWNLOAD:
                    message = f"the download is larger than {LARGEST_DOWNLOAD} bytes"
                    return Refused(Code.TOO_LARGE, message)
                if over:
                    return None if (why := ending.result()) is None else failed(why)
        return Refused(Code.TIMEOUT, f"the download took longer than {seconds:g} seconds")
    finally:
        ending.cancel()


def failed(why: str) -> Refused:
    return Refused(Code.IO_FAILED, f"the download failed: {why}")


def place_of(file: Download) -> str:
    """Give the path of a file that is still coming.

    Playwright tells it only when the file is complete, but has known it from the beginning.
    """
    place: str = file._impl_obj._artifact._initializer["absolutePath"]  # noqa: SLF001
    return place


def size_at(place: str) -> int:
    """Give how much of a download there is."""
    for path in (place, place + UNFINISHED):
        with suppress(OSError):
            return os.path.getsize(path)
    return 0


def put_under_free_name(actions: PageActions, wanted: str, came: Path) -> str:
    """Write what came into the folder for downloads; another may take a free name meanwhile."""
    for _ in range(MOST_TAKEN):
        with suppress(FileExistsError):
            return put_copy(actions.roots, free_name(actions, wanted), came)
    return put_copy(actions.roots, free_name(actions, wanted), came)


def free_name(actions: PageActions, wanted: str) -> str:
    """Give a path in the folder for downloads that nothing has yet, and that a disk can have."""
    name = UNSAFE.sub("_", wanted).lstrip(".") or "download"
    stem, dot, ending = name.rpartition(".") if "." in name else (name, "", "")
    stem, ending = cut(stem, LONGEST_STEM), cut(ending, LONGEST_ENDING)
    name = f"{stem}{dot}{ending}"
    folder = Path(actions.downloads)
    for number in range(1, MOST_NAMES):
        numbered = name if number == 1 else f"{stem} ({number}){dot}{ending}"
        if not os.path.lexists(folder / numbered):
            return str(folder / numbered)
    return str(folder / f"{stem}-{datetime.now().timestamp():.0f}{dot}{ending}")  # noqa: DTZ005


def cut(text: str, most: int) -> str:
    """Give as much of a text as so many bytes hold, in whole characters."""
    return text.encode(errors="replace")[:most].decode(errors="ignore")


def put_copy(roots: Roots, path: str, came: Path) -> str:
    """Copy a file into a root, however large it is."""
    with came.open("rb") as data:
        return put_file(roots, path, data)


def put_file(roots: Roots, path: str, data: bytes | BinaryIO) -> str:
    """Write a file into a root, never over another."""
    with roots.spot(path) as spot:
        if spot.exists():
            raise FileExistsError(errno.EEXIST, "it exists", path)
        put_whole(spot, data, replace=False)
        return spot.path


async def upload(actions: PageActions, params: Upload) -> Outcome:
    """Give a file to a page."""
    data = await in_thread(lambda: read_bytes(actions.roots, params.path))
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

    return await actions.on_part(params.lane, params.selector, grip)


async def fields_for_files(tab: Tab, element: ElementHandle | None) -> list[ElementHandle]:
    """Give the fields that may be meant: of an element, of its form, of the page."""
    if element is None:
        return await tab.page.query_selector_all("input[type=file]")
    found = await element.evaluate_handle(FILE_FIELDS)
    fields = [each.as_element() for each in (await found.get_properties()).values()]
    return [each for each in fields if each is not None]


def read_bytes(roots: Roots, path: str) -> bytes:
    from tools.files.primitives import open_regular  # noqa: PLC0415 - only uploads read bytes

    with roots.spot(path) as spot, open_regular(spot, os.O_RDONLY) as file:
        data = file.read(LARGEST_UPLOAD + 1)
    if len(data) > LARGEST_UPLOAD:
        raise Refusal(Code.TOO_LARGE, f"{path} is larger than {LARGEST_UPLOAD} bytes")
    return data
