"""Sessions with real daemons, and what these recorded of their decisions, kept as they were.

``python -m tests.sessions`` records them anew, where a changed rule is meant to decide otherwise.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.daemon import Daemon, Event, Wire, running_daemon
from tests.model_server import Reply, answers, goal, hang_up, model_server, says, unsupported
from tests.pages import FOLDER, PageServer, cases
from tests.test_recipes import Harbour

KEPT = Path(__file__).parent
CASES = ("dialog_aria", "turned_track", "buttons_by_text")
SAID = (
    "what time is it",
    "create a folder trips and delete the oldest pdf",
    "read the newest file",
    "set a timer for 5 minutes",
    "make a file a.txt, then turn the volume down a bit",
    "every Friday at 4 pm create a file week.md",
    "frobnicate the widget",
    "replace Rome with Paris in all txt files",
    "if less than 5 GB are left on the disk, delete all logs in temp",
    "undo",
)
PLAYED = ("look", "take the envelope", "take the note", "drop it", "put the apple in the chest")
SPOKEN = "type hunter2 into the password field"
USUAL = """name = "usual order"
says = ["the usual"]
[values]
what = "parcels"
[[steps]]
do = "file.create"
params = { object_type = "folder", name = "{what}" }
[[steps]]
do = "file.create"
params = { object_type = "file", name = "list.txt" }
"""
SIGN_IN = """name = "sign in at the bank"
asked = ["losung"]
[[steps]]
do = "browser.type"
roles = { target = "the password field" }
params = { text = "{losung}" }
"""
PHRASES = '[phrases]\nstandup = "create a folder standup"\n'
GREEN = "the green one"
CREATE = {"domain": "file", "verb": "create", "params": {"object_type": "folder", "name": "made"}}
READ = {"domain": "file", "verb": "read", "roles": {"direct": "the newest file"}}
MADE = goal("file.create", object_type="folder", name="reports", content=None)
LIE = goal("file.create", object_type="folder", name="elsewhere")


def ended(wire: Wire, name: str, **said: object) -> Event:
    """Carry out a command; the first option is the answer to each question."""
    wire.submit(name, **said)
    while (event := wire.read())["type"] != "finished":
        if event["type"] == "question":
            wire.send({"type": "answer", "id": "a", "question": event["question"], "choice": 1})
    return event


def on_files_and_pages(folder: Path) -> Path:
    """Have decisions made on files and on pages; give the folder of them."""
    with running_daemon(folder) as daemon, PageServer() as server:
        wire = daemon.connect(60.0)
        for number, text in enumerate((*SAID, SPOKEN)):
            wire.run(f"said-{number}", text=text)
        (daemon.root / "reports").mkdir(exist_ok=True)
        for name in CASES:
            for case in cases(FOLDER):
                if case.page != name or case.answers:
                    continue
                wire.run(f"{case.where}-open", text=f"go to {server.address(name)}")
                wire.submit(case.where, text=case.text)
                while (event := wire.read())["type"] != "finished":
                    if event["type"] == "question":
                        wire.send({"type": "cancel", "id": "no", "command": event["command"]})
    return folder / "state" / "decisions"


def in_a_world(folder: Path) -> Path:
    """Have a text world played; answers are numbers, and words."""
    with running_daemon(folder, arguments=("--world", "manor")) as daemon:
        wire = daemon.connect()
        wire.submit("asked", text="take the envelope")
        asked = wire.read_until(type="question")[-1]
        answer = {"type": "answer", "id": "a", "question": asked["question"], "choice": GREEN}
        wire.send(answer)
        wire.read_until(type="finished")
        for number, text in enumerate(PLAYED):
            ended(wire, f"played-{number}", text=text)
    return folder / "state" / "decisions"


def with_goals_and_recipes(folder: Path) -> Path:
    """Have goals, recipes and chores carried out."""
    recipes = folder / "state" / "recipes"
    recipes.mkdir(parents=True)
    (recipes / "usual.toml").write_text(USUAL)
    (recipes / "bank.toml").write_text(SIGN_IN)
    with running_daemon(folder, settings=PHRASES) as daemon, Harbour() as harbour:
        wire = daemon.connect(60.0)
        for name in ("alpha.txt", "beta.txt", "alpha.md"):
            (daemon.root / name).write_text(name)
        ended(wire, "goals", goals=[CREATE, READ])
        wire.send({"type": "undo", "id": "undo", "command": "goals"})
        wire.read_until(type="finished", command="undo")
        ended(wire, "taught", text="do the usual order with what parcels")
        ended(wire, "saying", text="the usual")
        ended(wire, "standup", text="standup")
        ended(wire, "bank", text="do the sign in at the bank with losung xyzzy-4711")
        ended(wire, "open", text=f"go to {harbour.url('/boats')}")
        ended(wire, "course", text="change the skipper of Alba to Raj Patel")
    return folder / "state" / "decisions"


@contextmanager
def thinking(folder: Path, *script: Reply, mode: str = "auto") -> Iterator[Daemon]:
    """Run a daemon beside a scripted model."""
    with model_server(*script) as server:
        settings = f'interpreter = "{mode}"\n[model]\nname = "m"\nbase_url = "{server.url}"\n'
        key = {"OPENAI_API_KEY": "sk-x"}
        with running_daemon(folder, settings=settings, environment=key) as daemon:
            yield daemon


def with_a_model(folder: Path) -> Path:
    """Have a model asked, which is believed, corrected, not believed, and not there."""
    replies = (answers(MADE), answers(LIE), answers(MADE), answers(LIE), answers(LIE))
    with thinking(folder, *replies, says(unsupported()), says("{"), says("{")) as daemon:
        wire = daemon.connect()
        ended(wire, "believed", text="whip up a folder reports")
        ended(wire, "corrected", text="whip me up a folder reports")
        ended(wire, "refused", text="whip us up a folder reports")
        ended(wire, "unsupported", text="whip the cream")
        ended(wire, "garbled", text="whip the horse")
        ended(wire, "plain", text="create a folder plain")
        ended(wire, "secret", text="whip up a password hunter2")
    with thinking(folder, hang_up) as daemon:
        wire = daemon.connect()
        ended(wire, "recalled", text="whip up a folder reports")
        ended(wire, "unreachable", text="whip the wind")
    return folder / "state" / "decisions"


SESSIONS: Mapping[str, Callable[[Path], Path]] = {
    "files_and_pages": on_files_and_pages,
    "world": in_a_world,
    "goals_and_recipes": with_goals_and_recipes,
    "model": with_a_model,
}
