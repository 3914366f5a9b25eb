"""A daemon that is killed while it writes a secret: the disk tells what happened, not the text."""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.daemon import Event, running_daemon

WITHOUT_BROWSER = '[browser]\nmode = "off"\n'
OLD = "old\n"
TEXTS = {
    "append": 'append "password: Zork-7" to a.txt',
    "overwrite": 'overwrite a.txt with "password: Zork-7"',
    "create": 'create a file b.txt with "password: Zork-7"',
}


def as_if_killed(folder: Path, command: str, *, begun: bool) -> None:
    """Let a journal end where it would if the daemon had been killed during a command's action."""
    with closing(sqlite3.connect(folder / "state" / "journal.db")) as connection, connection:
        kinds = ("outcome",) if begun else ("outcome", "intent")
        rows = connection.execute("SELECT seq, body FROM entries WHERE command = ?", (command,))
        for seq, body in rows.fetchall():
            if json.loads(body)["kind"] in kinds:
                connection.execute("DELETE FROM entries WHERE seq = ?", (seq,))
        query = "UPDATE commands SET ended_at = NULL, status = NULL, finished = NULL WHERE id = ?"
        connection.execute(query, (command,))


def interrupted(
    folder: Path, verb: str, meanwhile: Callable[[Path], object], *, begun: bool = True
) -> Event:
    """Run a command, let it look interrupted, and give how the next daemon ends it."""
    with running_daemon(folder, settings=WITHOUT_BROWSER) as first:
        path = first.root / "a.txt"
        path.write_text(OLD)
        os.link(path, folder / "kept")
        before = path.stat()
        if verb == "append":  # a second name would have it refused
            (folder / "kept").unlink()
        assert first.connect().run("c", text=TEXTS[verb])[-1]["status"] == "success"
        root = first.root
    as_if_killed(folder, "c", begun=begun)
    if verb == "append":
        os.truncate(root / "a.txt", len(OLD))
        os.utime(root / "a.txt", ns=(before.st_atime_ns, before.st_mtime_ns))
    elif verb == "overwrite":
        shutil.copy(root / "a.txt", folder / "written")
        (folder / "kept").replace(root / "a.txt")
    else:
        (root / "b.txt").rename(folder / "written")
    meanwhile(root)
    with running_daemon(folder, settings=WITHOUT_BROWSER) as second:
        finished = second.connect().run("c", text=TEXTS[verb])[-1]
        assert "Zork" not in str(second.log())
    return finished


def nothing(_root: Path) -> None:
    """Leave the disk as it was before the command."""


@pytest.mark.parametrize("verb", TEXTS)
def test_what_is_as_before_did_not_happen_and_is_to_be_said_again(
    tmp_path: Path, verb: str
) -> None:
    finished = interrupted(tmp_path, verb, nothing)
    assert (finished["status"], finished["code"]) == ("failed", "NOT_DURABLE"), finished
    assert "nothing was changed" in finished["message"]
    assert "say it again" in finished["message"]
    assert "secret:~" not in str(finished)
    assert (tmp_path / "work" / "a.txt").read_text() == OLD
    assert not (tmp_path / "work" / "b.txt").exists()


def test_what_had_not_begun_is_to_be_said_again(tmp_path: Path) -> None:
    finished = interrupted(tmp_path, "append", nothing, begun=False)
    assert (finished["status"], finished["code"]) == ("failed", "NOT_DURABLE"), finished
    assert "secret:~" not in str(finished)
    assert (tmp_path / "work" / "a.txt").read_text() == OLD


def test_what_is_there_in_its_full_length_is_done_and_can_be_undone(tmp_path: Path) -> None:
    def write_it(root: Path) -> None:
        with (root / "a.txt").open("a") as file:
            file.write("password: Zork-7\n")

    finished = interrupted(tmp_path, "append", write_it)
    assert finished["status"] == "success", finished
    assert finished["results"][0]["verified"] is False  # only its length was seen
    with running_daemon(tmp_path, settings=WITHOUT_BROWSER) as third:
        assert third.connect().run("u", text="undo that")[-1]["status"] == "success"
    assert (tmp_path / "work" / "a.txt").read_text() == OLD


def test_what_has_another_length_is_in_doubt(tmp_path: Path) -> None:
    def write_less(root: Path) -> None:
        with (root / "a.txt").open("a") as file:
            file.write("pass")

    finished = interrupted(tmp_path, "append", write_less)
    assert finished["status"] == "in_doubt", finished
    assert (tmp_path / "work" / "a.txt").read_text() == OLD + "pass"
