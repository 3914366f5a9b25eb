"""What could be read in two ways, or names what is not there, is never done by the other way."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon import Daemon, Event, running_daemon


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One daemon for all sentences; each works in a root laid out anew."""
    with running_daemon(tmp_path_factory.mktemp("shared")) as running:
        yield running


def lay_out(root: Path) -> None:
    """Put two files of one name, and folders, where the wrong one could be taken."""
    for folder in ("b", "x", "c/b"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for file in ("a.txt", "b.txt", "x/a.txt", "x/b.txt", "c/a.txt", "firefox", "old/keep"):
        (root / file).parent.mkdir(exist_ok=True)
        (root / file).write_text(file)


def files(root: Path) -> dict[str, str]:
    """Give every file below a folder with its content."""
    return {
        str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()
    }


COUNT = iter(range(1_000))


def say(daemon: Daemon, text: str) -> Event:
    """Send a sentence, and give how it ended."""
    wire = daemon.connect()
    return wire.run(f"w{next(COUNT)}", text=text)[-1]


def say_or_be_asked(daemon: Daemon, text: str) -> Event:
    """Send a sentence, and give how it ended, or the question that is asked before it starts."""
    wire = daemon.connect()
    command = f"w{next(COUNT)}"
    wire.submit(command, session=command, text=text)
    while True:
        event = wire.read()
        if event["type"] in {"finished", "question"}:
            return event


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("read a.txt in x and delete it", "x/a.txt"),
        ("read a.txt in x and delete a.txt", "x/a.txt"),
        ("append hi to a.txt in x and delete it", "x/a.txt"),
        ("rename a.txt to z.txt in x and delete it", "x/a.txt"),
        ("delete a.txt in x", "x/a.txt"),
    ],
)
def test_it_is_the_thing_in_its_place(shared: Daemon, text: str, gone: str) -> None:
    lay_out(shared.root)
    before = files(shared.root)
    assert say(shared, text)["status"] == "success"
    assert files(shared.root) == {name: held for name, held in before.items() if name != gone}


@pytest.mark.parametrize(
    "text",
    [
        "in the folder x delete a.txt and delete b.txt",
        "inside x, delete a.txt, delete b.txt",
        "please do not, under any circumstances, delete a.txt",
        "don't, delete a.txt",
        "do not open firefox and delete a.txt",
        "don't open firefox, delete a.txt",
        "delete a.txt, never mind",
        "delete a.txt, no wait, don't",
        "delete a.txt. Don't.",
        "delete a.txt? no",
        "create folder new but don't",
        "make sure not to delete folder",
        "make no folder",
        "delete no folder",
        "create file n.txt containing buy milk, not eggs",
        "create file n.txt containing Hello! Do not panic.",
        "create file n.txt containing thank you for me",
        "overwrite a.txt with hello, not goodbye",
        "move a.txt into the folder b inside c",
        "copy a.txt to b in c",
        "open firefox and delete it",
        "move a.txt into b and delete it",
        "write meet me in paris to a.txt",
        "create a folder on the desktop called reports",
        "create a folder reports on the desktop",
        "create folder p with a file q.txt",
        "add folder p to folder b",
        "touch p.txt q.txt",
        "mkdir -p p/q",
        "create folder p, q",
        "create folder p once",
        "delete the folder old next week",
        "delete the folder old provided it is empty",
        "delete the folder old except important",
        "append a.txt to b.txt and delete a.txt",
        "overwrite a.txt with the contents of b.txt",
        "save it as b.txt",
        'create a folder "p, q" and frobnicate',
        "overwrite a.txt with what is in x",
        "overwrite a.txt with its backup",
        "overwrite a.txt with nothing",
        "replace the text of a.txt with uppercase",
        "append the current time to a.txt",
        "append today's date to a.txt",
        "save my work to a.txt",
        "read b.txt and find a.txt and delete it",
        "create folder b, list the folder x and delete a.txt in that folder",
        "create folder b, rename folder x to y and delete a.txt in it",
        "create folder b, move b.txt into x and delete a.txt there",
        "read b.txt, list the files in x and delete that file",
        "read b.txt and open firefox and delete it",
        "in x delete b.txt; delete a.txt",
        "in x delete b.txt\ndelete a.txt",
        'delete file "a.txt" "b.txt"',
        "create folder p & q",
        "create folder p and delete a.txt in folder g0",
        "read a.txt in x, read a.txt in c and delete a.txt",
        "delete a.txt in x and delete a.txt",
        "create folder X and create q.txt in x",
        'delete a.txt in " x "',
        "rename a.txt to z.txt later",
        "create folder p under x",
        "create another folder",
        "create file n.txt: hello",
        "append current time to a.txt",
        "delete the folder old?",
        "now and then delete a.txt",
        "create folder D:\\p",
        "a" + " " * 19_000 + "b",
        "." * 19_000,
        "“" * 19_000,
    ],
)
def test_what_could_be_meant_otherwise_is_not_done(shared: Daemon, text: str) -> None:
    lay_out(shared.root)
    before = sorted(shared.root.rglob("*")), files(shared.root)
    outcome = say_or_be_asked(shared, text)
    if outcome["type"] == "finished":
        assert outcome["status"] == "failed"
        assert outcome["code"] in {"NOT_UNDERSTOOD", "TARGET_NOT_FOUND"}
    assert (sorted(shared.root.rglob("*")), files(shared.root)) == before


@pytest.mark.parametrize("when", ["at midnight", "tomorrow morning"])
def test_what_is_to_be_done_later_is_kept_and_nothing_is_done_now(
    shared: Daemon, when: str
) -> None:
    lay_out(shared.root)
    before = sorted(shared.root.rglob("*")), files(shared.root)
    outcome = say_or_be_asked(shared, f"delete the folder old {when}")
    assert outcome["status"] == "success", outcome
    (result,) = outcome["results"]
    assert result["action"] == "g0_command_1"
    assert result["output"]["text"] == "delete the folder old", result["output"]
    assert (sorted(shared.root.rglob("*")), files(shared.root)) == before


def test_inside_it_is_the_folder_that_was_spoken_of_last(shared: Daemon) -> None:
    lay_out(shared.root)
    text = "create folder one, and in folder b create c.txt and inside it create d.txt"
    assert say(shared, text)["status"] == "success"
    assert (shared.root / "b" / "d.txt").is_file()
    text = "create folder two, and inside it create folder two, and inside it create e.txt"
    assert say(shared, text)["status"] == "success"
    assert (shared.root / "two" / "two" / "e.txt").is_file()


@pytest.mark.parametrize(
    ("text", "copy"),
    [
        ("delete a.txt in x and copy x to b", {"b/x/b.txt": "x/b.txt"}),
        ("copy x to b and delete a.txt in x", {"b/x/a.txt": "x/a.txt", "b/x/b.txt": "x/b.txt"}),
        ("copy x/a.txt to b and delete folder x", {"b/a.txt": "x/a.txt"}),
    ],
)
def test_what_lies_in_each_other_is_done_in_the_order_said(
    tmp_path: Path, text: str, copy: dict[str, str]
) -> None:
    with running_daemon(tmp_path) as daemon:
        lay_out(daemon.root)
        assert say(daemon, text)["status"] == "success"
        assert {
            name: held for name, held in files(daemon.root).items() if name.startswith("b/")
        } == copy


def test_a_file_that_is_deleted_as_a_file_is_no_folder(shared: Daemon) -> None:
    lay_out(shared.root)
    finished = say(shared, "list the folder x and delete the file")
    assert finished["status"] in {"failed", "partial"}
    assert (shared.root / "x" / "a.txt").is_file()


def test_the_roots_own_name_means_a_folder_in_it(shared: Daemon) -> None:
    lay_out(shared.root)
    (shared.root / "work").mkdir(exist_ok=True)
    (shared.root / "work" / "a.txt").write_text("inner")
    assert say(shared, "delete a.txt in the folder work")["status"] == "success"
    assert (shared.root / "a.txt").is_file()
    assert not (shared.root / "work" / "a.txt").exists()


def test_a_name_that_is_an_anchor_is_never_deleted_for_a_file_of_that_name(
    shared: Daemon,
) -> None:
    lay_out(shared.root)
    (shared.root / "work").mkdir(exist_ok=True)
    assert say(shared, "delete the folder work")["status"] == "success"
    assert shared.root.is_dir()
    assert not (shared.root / "work").exists()


def test_what_a_parent_makes_in_a_place_known_late_is_what_its_child_means(
    shared: Daemon,
) -> None:
    lay_out(shared.root)
    goals = [
        {
            "domain": "file",
            "verb": "write",
            "params": {"name": "a.txt", "content": "new", "overwrite": True},
            "scope": "inside:x",
        },
        {"domain": "file", "verb": "delete", "params": {"name": "a.txt"}, "scope": "after:g0"},
    ]
    wire = shared.connect()
    assert wire.run("late", goals=goals)[-1]["status"] == "success"
    assert (shared.root / "a.txt").is_file()
    assert not (shared.root / "x" / "a.txt").exists()


@pytest.mark.parametrize("scope", ["in:x", "within:x", "inside:", "drive:"])
def test_a_place_that_is_misspelt_is_no_place(shared: Daemon, scope: str) -> None:
    lay_out(shared.root)
    goal = {"domain": "file", "verb": "delete", "params": {"name": "a.txt"}, "scope": scope}
    finished = shared.connect().run(f"misspelt {scope}", goals=[goal])[-1]
    assert (finished["status"], finished["code"]) == ("failed", "BLOCKED")
    assert (shared.root / "a.txt").is_file()


def test_inside_a_copy_is_the_copy(shared: Daemon) -> None:
    lay_out(shared.root)
    goals = [
        {"domain": "file", "verb": "copy", "params": {"name": "c", "to": "b"}},
        {"domain": "file", "verb": "delete", "params": {"name": "a.txt"}, "scope": "inside:g0"},
    ]
    assert shared.connect().run("copy", goals=goals)[-1]["status"] == "success"
    assert (shared.root / "c" / "a.txt").is_file()
    assert not (shared.root / "b" / "c" / "a.txt").exists()


def test_a_goal_inside_one_without_a_rule_costs_nobody_else_anything(shared: Daemon) -> None:
    unknown = {"domain": "file", "verb": "shred", "params": {"name": "q"}}
    child = {
        "domain": "file",
        "verb": "create",
        "params": {"object_type": "file", "name": "z"},
        "scope": "inside:g0",
    }
    finished = shared.connect().run("shred", goals=[unknown, child])[-1]
    assert (finished["status"], finished["code"]) == ("failed", "RULE_NOT_FOUND")


def test_what_waits_for_a_goal_that_has_no_place_is_skipped(shared: Daemon) -> None:
    folder = {"domain": "file", "verb": "create", "params": {"object_type": "folder", "name": "w"}}
    goals = [{**folder, "scope": "drive:Q"}, {**folder, "scope": "after:g0"}]
    finished = shared.connect().run("nowhere", goals=goals, allow_partial=True)[-1]
    assert [result["status"] for result in finished["results"]] == ["blocked", "skipped"]


@pytest.mark.parametrize("scope", [["inside:x", "inside:b"], ["inside:work", "drive:Z"]])
def test_a_goal_in_two_places_is_in_none(shared: Daemon, scope: list[str]) -> None:
    goal = {"domain": "file", "verb": "delete", "params": {"name": "a.txt"}, "scope": scope}
    wire = shared.connect()
    finished = wire.run(f"two-{len(scope[1])}", goals=[goal])[-1]
    assert (finished["status"], finished["code"]) == ("failed", "BLOCKED")


def test_a_folder_swapped_for_a_link_while_it_deletes_does_not_lead_out(
    shared: Daemon, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f.txt").write_text("not yours")
    folder, link = shared.root / "d", shared.root / "spare"
    folder.mkdir()
    stop = threading.Event()

    def flip() -> None:
        while not stop.is_set():
            folder.rename(shared.root / "aside")
            os.symlink(outside, link)
            link.rename(folder)
            folder.unlink()
            (shared.root / "aside").rename(folder)

    flipping = threading.Thread(target=flip)
    flipping.start()
    wire = shared.connect()
    goal = {"domain": "file", "verb": "delete", "params": {"name": "d/f.txt"}}
    try:
        for attempt in range(60):
            wire.run(f"flip{attempt}", goals=[goal])
            assert (outside / "f.txt").read_text() == "not yours"
    finally:
        stop.set()
        flipping.join()


def test_what_was_deleted_can_be_brought_back_to_where_it_was(shared: Daemon) -> None:
    lay_out(shared.root)
    (shared.root / "x" / "säven 7.txt").write_text("precious")
    assert say(shared, 'delete "säven 7.txt" in x')["status"] == "success"
    notes = (shared.home / "data" / "Trash" / "info").glob("*.trashinfo")
    assert any("x/s%C3%A4ven%207.txt" in note.read_text() for note in notes)
