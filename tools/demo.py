"""The demo: a daemon of its own, in a folder of its own, and commands through its real socket."""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from messages import wire
from tools.browser.finding import is_found
from tools.client import Client, new_id
from tools.console import View
from tools.explaining import EVENTS, explanation, records_in
from tools.explanation_view import explanation_lines
from tools.plan_view import PlanView
from tools.settings import BrowserSettings
from tools.sockets import answers

RUN = Path(__file__).parent.parent / "run.py"
SITE = Path(__file__).parent / "demo_site"


@dataclass(frozen=True, slots=True)
class Scene:
    """One thing to show: what is said, what a question is answered, and how it is to end.

    ``id`` names the command, so that another can ``undo`` it, which then needs no words.
    """

    title: str
    text: str
    ends: str = "success"
    plan: bool = False
    answer: str | None = None
    id: str | None = None
    undo: str | None = None

    def request(self, text: str) -> wire.Submit | wire.Undo:
        if self.undo is not None:
            return wire.Undo(new_id(), self.undo)
        mode: wire.Mode = "plan" if self.plan else "run"
        return wire.Submit(self.id or new_id(), text=text, mode=mode)


SCENES = (
    Scene("A folder, and a file in it: the second waits for the first",
          "create a folder reports and inside it create summary.md"),
    Scene("Independent goals run at the same time",
          "create folder photos, create folder music and tell me the time"),
    Scene("Words with quotes, a file written and read back",
          "write 'milk, bread and tea' to shopping.txt, then read it"),
    Scene("Said as people say it",
          "hey, could you make a folder called after party and put a file notes.md in it? thanks"),
    Scene("What one goal gives, another takes",
          "tell me the time and save it to now.txt"),
    Scene("Two readings of different effect: it asks before it does anything",
          "don't open firefox and delete now.txt", answer="2", ends="cancelled"),
    Scene("Two goals, one address, one action",
          "open youtube and search nvidia", plan=True),
    Scene("A plan runs nothing",
          "rename shopping.txt to list.txt and delete the folder music", plan=True),
    Scene("Nothing is overwritten by accident",
          "write 'something else' to shopping.txt", ends="failed"),
    Scene("What is not there is never replaced by its neighbour",
          "read shoping.txt", ends="failed"),
    Scene("One goal cannot be done, so nothing is",
          "create folder plans and close firefox", ends="failed"),
    Scene("What is not understood is said",
          "make me a sandwich every day", ends="failed"),
    Scene("A thing told by its age", "read the newest file"),
    Scene("What is hard to make good again is shown first, and waits for a yes",
          "delete the folder photos", answer="yes", id="deleted"),
    Scene("A no is a no", "delete shopping.txt", answer="no", ends="failed"),
    Scene("What was done is put back", "(undo)", undo="deleted"),
)  # fmt: skip
BROWSED = (
    Scene("A form, filled in and sent: every word is bound to exactly one field",
          "go to {site}/order.html, enter Ada Lovelace in Your name, set Delivery day to 5 March "
          "2027, choose Evening as the basket, tick Wrap it as a gift and press Send order"),
    Scene("The next command goes on in the page where the last one ended", "read the status"),
    Scene("A table, read into a file",
          "go to {site}/index.html, read the table and save it to prices.csv"),
    Scene("Two that fit equally well: it asks, and goes on where it stood",
          "click Add to cart", answer="2"),
    Scene("What is told by its place needs no question",
          "click Add to cart next to Morning basket and read the paragraph"),
    Scene("Two branches at the same time, each in a page of its own",
          "go to {site}/news.html and read the heading, "
          "go to {site}/index.html and read the title"),
    Scene("What is not on the page is never replaced by its neighbour",
          "click Pay now", ends="failed"),
    Scene("A picture of the page", "take a screenshot and save it as shop.png"),
)  # fmt: skip
PLAYED = (
    Scene("Two things of one name: it asks, and goes on where it stood",
          "take the envelope", answer="the green one"),
    Scene("Words bind to the thing that was spoken of", "examine it"),
    Scene("Near misses are named, never taken", "take the note to sef", ends="failed"),
    Scene("What is bound may still not be possible, and says why", "go west", ends="failed"),
)  # fmt: skip


def play() -> bool:
    """Show every scene; tell whether each ended as it should."""
    with tempfile.TemporaryDirectory(prefix="behest-demo-") as name:
        folder = Path(name)
        with daemon(folder):
            endings = [shown(scene, folder / "s") for scene in SCENES]
            endings += browse(folder)
            print("\nOn disk now:")
            for path in sorted((folder / "work").rglob("*")):
                print(f"    {path.relative_to(folder / 'work')}{'/' if path.is_dir() else ''}")
            print()
        with daemon(folder, "--world", "manor"):
            endings += [shown(scene, folder / "s") for scene in PLAYED]
            print(
                "\nWhy? Every decision is a line in the JSON log; "
                "`behest explain` tells it. The last command:\n"
            )
            explain(folder / "s")
    print("\nAll as expected." if all(endings) else "\nSomething did not end as expected.")
    return all(endings)


def browse(folder: Path) -> list[bool]:
    """Show the browser on a small site of our own, and keep the picture."""
    if not is_found(BrowserSettings()):
        print("\nNo Chrome or Chromium is found here, so the browser is left out.")
        return []
    with site() as address:
        endings = [shown(scene, folder / "s", site=address) for scene in BROWSED]
    if all(endings):
        kept = Path(tempfile.mkdtemp(prefix="behest-demo-picture-")) / "shop.png"
        shutil.copyfile(folder / "work" / "shop.png", kept)
        print(f"\nThe picture is kept: {kept}")
        print("\nThe table, as it was saved:\n" + (folder / "work" / "prices.csv").read_text())
    return endings


@contextmanager
def site() -> Iterator[str]:
    """Serve the small site on loopback."""
    handler = partial(Quiet, directory=str(SITE))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: object) -> None:
        """Say nothing: the demo has its own words."""


@contextmanager
def daemon(folder: Path, *arguments: str) -> Iterator[None]:
    """Run a daemon that may touch nothing but ``folder``."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    (folder / "work").mkdir(exist_ok=True)
    config = folder / "behest.toml"
    config.write_text('[browser]\nmode = "headless"\n')
    command = [sys.executable, str(RUN), "serve", "--socket", str(folder / "s")]
    command += ["--state", str(folder / "state"), "--root", f"work={folder / 'work'}"]
    command += ["--config", str(config)]
    command += arguments
    surroundings = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "data")}
    surroundings.pop("BEHEST_CONFIG", None)
    with (
        (folder / "log.jsonl").open("wb") as log,
        subprocess.Popen(command, stdout=log, env=surroundings) as process,
    ):
        try:
            wait_until_ready(process, folder / "s")
            with_what = f" with {' '.join(arguments)}" if arguments else ""
            print(f"A daemon runs{with_what} (pid {process.pid}), fed through a Unix socket.")
            yield
        finally:
            process.terminate()


def wait_until_ready(process: "subprocess.Popen[bytes]", path: Path) -> None:
    """Wait until the daemon answers."""
    while not answers(path):
        if process.poll() is not None:
            raise SystemExit(f"the daemon did not start, exit {process.returncode}")
        time.sleep(0.02)


def shown(scene: Scene, path: Path, *, site: str = "") -> bool:
    """Send one command and show what becomes of it."""
    text = scene.text.replace("{site}", site)
    print(f"\n{scene.title}\n  > {text}")
    view = PlanView() if scene.plan else View()
    with Client(path) as client:
        client.send(scene.request(text))
        for event, _ in client.replies():
            view.show(event)
            match event:
                case wire.Question(question=question) if scene.answer is not None:
                    print(f"  > {scene.answer}")
                    client.send(wire.Answer(new_id(), question, scene.answer))
                case wire.ApprovalNeeded(approval=approval):
                    print(f"  > {scene.answer}")
                    client.send(wire.Approve(new_id(), approval, scene.answer == "yes"))
                case wire.Finished(status=status):
                    return status == scene.ends
                case wire.Error():
                    return False
                case _:
                    pass
    return False


def explain(path: Path) -> None:
    """Tell why the last command did what it did, as ``behest explain`` does."""
    with Client(path) as client:
        explained = explanation(records_in(client.trace(*EVENTS)), None)
    for line in () if explained is None else explanation_lines(explained):
        print(f"    {line}".rstrip())
