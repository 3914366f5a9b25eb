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
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from messages import wire
from messages.explaining import Explanation
from tools.browser.finding import is_found
from tools.client import Client, new_id
from tools.console import View
from tools.demo_scenes import BROWSED, PLAYED, SCENES, Scene
from tools.demo_story import ANSWER_SECONDS, Digest, pause, say, tell_story
from tools.explaining import EVENTS, explanation, records_in
from tools.explanation_view import explanation_lines
from tools.plan_view import PlanView
from tools.settings import BrowserSettings
from tools.sockets import answers

RUN = Path(__file__).parent.parent / "run.py"
SITE = Path(__file__).parent / "demo_site"


def play(*, everything: bool = False) -> bool:
    """Tell the story, or show every scene; tell whether each ended as it should."""
    if not everything and not is_found(BrowserSettings()):
        print("No Chrome or Chromium is found here, so all scenes but those on pages are shown.\n")
        everything = True
    with tempfile.TemporaryDirectory(prefix="behest-demo-") as name:
        good = play_all(Path(name)) if everything else play_story(Path(name))
    print("\nAll as expected." if good else "\nSomething did not end as expected.", end=" ")
    print("" if everything else "There is more: behest demo --all")
    return good


def play_story(folder: Path) -> bool:
    """Tell the story on a small site of our own."""
    path = folder / "s"
    with daemon(folder), site() as address:
        return tell_story(partial(told, path=path, site=address), partial(last_explanation, path))


def told(scene: Scene, view: Digest, *, path: Path, site: str) -> bool:
    """Send the command of a scene, and show its end."""
    text = scene.text.replace("{site}", site.removeprefix("http://"))
    print(scene.title)
    say(">", text)
    return carried_out(scene, text, path, view)


def play_all(folder: Path) -> bool:
    """Show every scene, on the disk, on pages and in a text world."""
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
    return carried_out(scene, text, path, PlanView() if scene.plan else View())


def carried_out(scene: Scene, text: str, path: Path, view: View | PlanView | Digest) -> bool:
    """Send a command and answer what it asks; tell whether it ended as it should."""
    with Client(path) as client:
        client.send(scene.request(text))
        for event, _ in client.replies():
            view.show(event)
            match event:
                case wire.Question(question=question) if scene.answer is not None:
                    pause(ANSWER_SECONDS)
                    say(">", scene.answer)
                    client.send(wire.Answer(new_id(), question, scene.answer))
                case wire.ApprovalNeeded(approval=approval) if scene.answer is not None:
                    pause(ANSWER_SECONDS)
                    say(">", scene.answer)
                    client.send(wire.Approve(new_id(), approval, scene.answer == "yes"))
                case wire.Finished(status=status):
                    return status == scene.ends
                case wire.Error():
                    return False
                case _:
                    pass
    return False


def last_explanation(path: Path) -> Explanation | None:
    """Ask the daemon why its last command did what it did."""
    with Client(path) as client:
        reply = client.ask(wire.Explain(new_id()))
    return reply.explanation if isinstance(reply, wire.Explained) else None


def explain(path: Path) -> None:
    """Tell why the last command did what it did, as ``behest explain`` does."""
    with Client(path) as client:
        explained = explanation(records_in(client.trace(*EVENTS)), None)
    for line in () if explained is None else explanation_lines(explained):
        print(f"    {line}".rstrip())
