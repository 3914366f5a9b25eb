"""Make the moving picture of the README from a real run: ``make picture``.

The story of the demo is told by a real daemon to a real browser. After each scene the page is
photographed by a command of its own; what was printed and what the page showed become the frames.
"""

import base64
import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from string import Template

from playwright.sync_api import sync_playwright

from messages.explaining import Explanation
from tools.browser.finding import executable
from tools.demo import carried_out, daemon, last_explanation, site, told
from tools.demo_scenes import Scene
from tools.demo_story import Digest, tell_story
from tools.settings import BrowserSettings

PICTURE = Path(__file__).parent / "demo.gif"
PAGE = Path(__file__).with_name("picture.html")
SIZE = {"width": 1200, "height": 640}
LINES = 34
FIRST, LATER, LAST = 350, 420, 700  # hundredths of a second
COLOURS = 64


@dataclass
class Story:
    """The frames so far: what the terminal showed at the end of each scene, and the page."""

    address: str
    path: Path
    printed: io.StringIO = field(default_factory=io.StringIO)
    pages: list[bytes] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    explained: Explanation | None = None

    def play(self, scene: Scene, view: Digest) -> bool:
        """Play a scene; what was printed until now belongs to the one before."""
        if self.pages:
            self.texts.append(self.printed.getvalue())
        good = told(scene, view, path=self.path, site=self.address)
        self.explained = last_explanation(self.path)  # before the command that takes the picture
        self.pages.append(self.photograph())
        return good

    def photograph(self) -> bytes:
        """Take a picture of the page by a command."""
        name = f"page{len(self.pages)}.png"
        with redirect_stdout(io.StringIO()):
            text = f"take a screenshot and save it as {name}"
            carried_out(Scene("", text), text, self.path, Digest())
        return (self.path.parent / "work" / name).read_bytes()


def tell() -> Story:
    """Tell the story, and keep what it showed."""
    with tempfile.TemporaryDirectory(prefix="behest-picture-") as name:
        folder = Path(name)
        with redirect_stdout(io.StringIO()), daemon(folder), site() as address:
            story = Story(address, folder / "s")
            with redirect_stdout(story.printed):
                good = tell_story(story.play, lambda: story.explained)
            story.texts.append(story.printed.getvalue().replace(str(folder), "~"))
    if not good:
        raise SystemExit("the story did not end as expected")
    return story


def screens(story: Story) -> list[str]:
    """Make a page of each frame: the end of what was printed, beside what the browser showed."""
    template = Template(PAGE.read_text("utf-8"))
    made = []
    for text, photograph in zip(story.texts, story.pages, strict=True):
        shown = text.replace(str(story.path.parent), "~").strip().splitlines()[-LINES:]
        page = f"data:image/png;base64,{base64.b64encode(photograph).decode()}"
        made.append(template.substitute(lines="\n".join(map(marked, shown)), page=page))
    return made


def marked(line: str) -> str:
    """Colour a line by what it is: what is said, what went well, what did not."""
    kinds = {">": "said", "✓": "good", "✗": "bad"}
    kind = kinds.get(line.strip()[:1], "title" if line and not line.startswith(" ") else "")
    return f'<span class="{kind}">{escape(line)}</span>'


def draw(pages: Sequence[str], folder: Path) -> list[Path]:
    """Draw the frames in a browser."""
    frames = []
    found = executable(BrowserSettings())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
        for number, content in enumerate(pages):
            page.set_content(content)
            frames.append(folder / f"{number:02}.png")
            page.screenshot(path=frames[-1])
        browser.close()
    return frames


def main() -> int:
    """Make the picture."""
    convert = shutil.which("convert")
    if convert is None:
        print("behest: ImageMagick's convert is needed to make the picture", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="behest-frames-") as name:
        frames = draw(screens(tell()), Path(name))
        delays = [FIRST, *[LATER] * (len(frames) - 2), LAST]
        shown = [
            each
            for delay, frame in zip(delays, frames, strict=True)
            for each in ("-delay", str(delay), str(frame))
        ]
        smaller = ["+dither", "-colors", str(COLOURS), "-layers", "OptimizeTransparency"]
        subprocess.run([convert, "-loop", "0", *shown, *smaller, str(PICTURE)], check=True)
    print(f"{PICTURE}: {PICTURE.stat().st_size // 1000} kB, {len(frames)} frames")
    return 0


if __name__ == "__main__":
    sys.exit(main())
