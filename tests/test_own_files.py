"""The daemon's own files are no files for whoever commands it, whatever folder a root is."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.daemon import Daemon, running_daemon
from tools.files.roots import Roots

PASSWORD = "hunter2-and-more"  # noqa: S105 - a secret that nobody may read
SETTINGS = '[approval]\nask = ["delete"]\n'


@dataclass(frozen=True)
class Whole:
    """A daemon with a root that everything of it lies in."""

    daemon: Daemon
    folder: Path

    def end_of(self, text: str) -> tuple[str, str]:
        """Say something; give its status and code. What is asked is cancelled."""
        wire = self.daemon.connect()
        command = f"said-{text}"[:200]
        wire.submit(command, text=text, session=command)
        while (event := wire.read())["type"] != "finished":
            if event["type"] in {"question", "approval_needed"}:
                wire.send({"type": "cancel", "id": "no", "command": command})
        return event["status"], event["code"] or event["results"][0]["code"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    folder = tmp_path_factory.mktemp("whole")
    (folder / "state").mkdir()
    secrets = folder / "state" / "secrets.toml"
    secrets.touch(mode=0o600)
    secrets.write_text(f'bank = "{PASSWORD}"\n')
    with running_daemon(folder, settings=SETTINGS, arguments=("--root", f"all={folder}")) as daemon:
        (folder / "plain.txt").write_text("delete me not")
        yield Whole(daemon, folder)


TOUCHING = (
    "read secrets.toml in {all}/state",
    "search for bank in {all}/state/secrets.toml",
    "read {all}/state/secrets.toml",
    "read {all}/behest.toml",
    'write "x" to {all}/behest.toml',
    'append "x" to {all}/state/secrets.toml',
    "replace delete with nothing in {all}/behest.toml",
    "copy {all}/state/secrets.toml to {all}/copy.toml",
    "move {all}/behest.toml to {all}/other.toml",
    "rename {all}/behest.toml to other.toml",
    "delete {all}/state/journal.db",
    "delete the folder {all}/state",
    "zip {all}/state to {all}/state.zip",
    "copy {all}/plain.txt to {all}/state",
    "create a file {all}/state/recipes/mine.toml",
    "show the first 3 lines of {all}/behest.toml",
)


@pytest.mark.parametrize("text", TOUCHING)
def test_no_command_reads_or_changes_the_daemons_own_files(whole: Whole, text: str) -> None:
    before = {path: path.read_bytes() for path in own_texts(whole)}
    status, code = whole.end_of(text.format(all=whole.folder))
    assert (status, code) == ("failed", "NOT_ALLOWED")
    assert {path: path.read_bytes() for path in own_texts(whole)} == before
    assert not (whole.folder / "state.zip").exists()
    assert PASSWORD not in str(whole.daemon.log())


def own_texts(whole: Whole) -> list[Path]:
    return [whole.folder / "behest.toml", whole.folder / "state" / "secrets.toml"]


@pytest.mark.parametrize("verb", ["delete", "move", "copy", "archive"])
def test_a_folder_that_holds_them_is_neither_copied_nor_changed(whole: Whole, verb: str) -> None:
    to = {"delete": {}, "archive": {"to": str(whole.folder / "all.zip")}}.get(verb, {"to": "work"})
    goal = {"domain": "file", "verb": verb, "params": {"name": str(whole.folder), **to}}
    end = whole.daemon.connect().run(f"holding-{verb}", goals=[goal])[-1]
    assert end["code"] == "NOT_ALLOWED"
    assert (whole.folder / "state" / "secrets.toml").exists()
    assert not list(whole.folder.rglob("*.zip"))
    assert list((whole.folder / "work").iterdir()) == []


def test_what_goes_through_folders_passes_them_over(whole: Whole) -> None:
    wire = whole.daemon.connect()
    end = wire.run("walk", text="find all files in all and below", session="walk")[-1]
    names = {row["name"] for row in end["results"][0]["output"]}
    assert "plain.txt" in names
    assert not names & {"secrets.toml", "behest.toml", "journal.db", "behest.sock"}


def test_other_files_of_such_a_root_are_worked_with(whole: Whole) -> None:
    end = whole.daemon.connect().run("fine", text=f"read {whole.folder}/plain.txt")[-1]
    assert end["status"] == "success"
    assert "delete me not" in str(end["results"])


def test_a_root_within_the_state_folder_is_still_a_root(tmp_path: Path) -> None:
    root = tmp_path / "state" / "work"
    root.mkdir(parents=True)
    roots = Roots({"work": root}, own=(tmp_path / "state", root / "secrets.toml"))
    assert roots.own == (f"{root}/secrets.toml/",)
