"""Recorded pages: what one pass saw of every page, so that words are bound without a browser.

``python -m tests.pages.recording`` opens the pages of this folder and of the sets that were held
back, and writes one file of recordings for each. A recording is a ``Page`` and the names that the
page's own record (``data-rec``) has for its elements.
"""

import asyncio
import hashlib
import lzma
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec
from playwright.async_api import BrowserContext, Error, async_playwright

from messages.message import Data
from messages.pages import Page
from tests.pages import FOLDER, HELD_BACK, PageServer
from tools.browser.chromium import arguments
from tools.browser.finding import executable
from tools.browser.tab import Tab
from tools.settings import BrowserSettings

RECORDINGS = FOLDER / "recordings"
AT_A_TIME = 6
PATIENCE_MS = 15_000.0
VIEW = BrowserSettings()
# What the page's own record calls each element: by the nearest name around it.
MARKS = """(registry, attribute) => {
  const found = {};
  const nameOf = el => {
    for (let node = el; node; node = node.parentNode || node.host) {
      if (!(node instanceof Element) || node.localName === "form") continue;
      if (node.hasAttribute(attribute)) return node.getAttribute(attribute);
    }
    return null;
  };
  const visit = root => {
    for (const el of root.querySelectorAll("*")) {
      const label = el.closest("label");
      const control = label && !el.hasAttribute(attribute) ? label.control : null;
      const used = control && !el.contains(control) ? control : el;
      const name = nameOf(used);
      if (name !== null) found[registry.numberOf(el)] = name;
      if (el.shadowRoot) visit(el.shadowRoot);
    }
  };
  visit(document);
  return found;
}"""


class Recording(Data, frozen=True):
    """A page as it was seen, and its own names for its elements, frame by frame."""

    name: str
    source: str
    page: Page
    marks: tuple[Mapping[str, str], ...]

    def mark(self, target: str) -> str | None:
        """Give the page's own name for a target."""
        key, _, number = target.rstrip("~").partition(".")
        for frame, marks in zip(self.page.frames, self.marks, strict=True):
            if frame.key == key:
                return marks.get(number)
        return None


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Recording).decode


def source_of(file: Path) -> str:
    """Name the state of a page's file: a recording of another state is out of date."""
    return hashlib.blake2b(file.read_bytes(), digest_size=8).hexdigest()


def recordings_file(folder: Path) -> Path:
    return RECORDINGS / f"{folder.name}.jsonl.xz"


def write_recordings(file: Path, recordings: Sequence[Recording]) -> None:
    file.parent.mkdir(exist_ok=True)
    lines = b"\n".join(map(_encode, recordings))
    file.write_bytes(lzma.compress(lines, preset=9))


@cache
def recordings_in(file: Path) -> Mapping[str, Recording]:
    """Give the recordings of a file, by the name of the page."""
    lines = lzma.decompress(file.read_bytes()).splitlines()
    return {recording.name: recording for recording in map(_decode, lines)}


def pages_in(folder: Path) -> Iterator[Path]:
    return (file for file in sorted(folder.glob("*.html")) if file.with_suffix(".txt").exists())


async def record_page(
    context: BrowserContext, address: str, name: str, source: str, attribute: str = "data-rec"
) -> Recording:
    """Open a page, look at it when it has settled, and ask for its own names."""
    live = await context.new_page()
    tab = Tab(live)
    try:
        with suppress(Error):  # what never ends to load is looked at as it is
            await live.goto(address, wait_until="load", timeout=PATIENCE_MS)
        page = await tab.look()
        while not page.settled:
            page = await tab.look(again=True)
        handles = {registry.key: registry.handle for registry in tab.registries.values()}
        marks: list[dict[str, str]] = []
        for frame in page.frames:
            seen = {str(element.number) for element in frame.sheet.elements}
            if (handle := handles.get(frame.key)) is None:
                marks.append({})
                continue
            all_marks = await handle.evaluate(MARKS, attribute)
            marks.append({number: mark for number, mark in all_marks.items() if number in seen})
        return Recording(name, source, page, tuple(marks))
    finally:
        await live.close()


async def record_all(
    addresses: Sequence[tuple[str, str, str]],
    attribute: str = "data-rec",
    view: tuple[int, int] = (VIEW.width, VIEW.height),
) -> list[Recording]:
    """Record many pages, given as address, name and source, some at a time."""
    slots = asyncio.Semaphore(AT_A_TIME)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            headless=True, executable_path=executable(VIEW), args=arguments(None)
        )

        async def one(address: str, name: str, source: str) -> Recording:
            async with slots:
                context = await browser.new_context(viewport={"width": view[0], "height": view[1]})
                try:
                    return await record_page(context, address, name, source, attribute)
                finally:
                    await context.close()

        found = await asyncio.gather(*(one(*each) for each in addresses))
        await browser.close()
    return list(found)


def main(names: Sequence[str]) -> int:
    """Record the folders of these names; without names, all."""
    for folder in (FOLDER, *HELD_BACK):
        if names and folder.name not in names:
            continue
        with PageServer() as server:
            addresses = [
                (server.address(file.stem), file.stem, source_of(file)) for file in pages_in(folder)
            ]
            recordings = asyncio.run(record_all(addresses))
        file = recordings_file(folder)
        write_recordings(file, recordings)
        print(f"{folder.name}: {len(recordings)} pages, {file.stat().st_size // 1024} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
