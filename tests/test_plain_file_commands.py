"""Plain commands about files in several roots: what is done to which file, on a real daemon."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon import Daemon, running_daemon

IN_WORK = ("notes.txt", "draft.txt", "apps/shop/shop.log", "apps/shop/deep/old.log")
IN_DOWNLOADS = ("report.pdf", "one.csv", "old/inner.csv")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("roots")
    fill(folder / "work", IN_WORK)
    fill(folder / "downloads", IN_DOWNLOADS)
    roots = ("--root", f"downloads={folder / 'downloads'}")
    with running_daemon(folder, arguments=roots) as daemon:
        yield daemon


def fill(folder: Path, names: tuple[str, ...]) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("ERROR one\nfine\n")


def output(daemon: Daemon, text: str) -> object:
    end = daemon.connect().run(text, text=text)[-1]
    assert end["status"] == "success", (text, end)
    return end["results"][-1]["output"]


def refusal(daemon: Daemon, text: str) -> str:
    end = daemon.connect().run(text, text=text)[-1]
    assert end["status"] == "failed", (text, end)
    return str(end["message"])


@pytest.mark.parametrize(
    "text", ["how many files are in work", "count the txt files in the work folder"]
)
def test_the_first_root_is_known_by_its_name(shared: Daemon, text: str) -> None:
    assert output(shared, text) == {"value": 2, "unit": "files"}


def test_a_folder_of_the_first_roots_name_in_it_goes_first(tmp_path: Path) -> None:
    fill(tmp_path / "work", ("a.txt", "work/inner.txt", "work/other.txt"))
    with running_daemon(tmp_path) as daemon:
        assert output(daemon, "how many files are in work") == {"value": 2, "unit": "files"}


@pytest.mark.parametrize(
    "text",
    [
        "show the lines with ERROR in apps/shop/shop.log",
        "find the word ERROR in apps/shop/shop.log",
    ],
)
def test_a_path_leads_to_the_same_place_in_every_frame(shared: Daemon, text: str) -> None:
    rows = output(shared, text)
    path = str(shared.root / "apps/shop/shop.log")
    assert rows == [{"path": path, "line": 1, "text": "ERROR one"}]


def test_a_path_may_begin_with_the_name_of_a_root(shared: Daemon) -> None:
    lines = {"value": 2, "unit": "lines", "of": 1}
    assert output(shared, "how many lines does downloads/old/inner.csv have?") == lines
    assert output(shared, "how many files are in downloads/old") == {"value": 1, "unit": "files"}


def test_a_path_that_leads_nowhere_or_upwards_is_refused(shared: Daemon) -> None:
    assert "apps/none is not there" in refusal(shared, "list the files in apps/none")
    assert "no '../downloads' here" in refusal(shared, "delete all files in ../downloads")


@pytest.mark.parametrize(
    "text",
    [
        "how big is the downloads folder",
        "what is the size of downloads",
        "how much space does the downloads folder take up?",
    ],
)
def test_the_size_of_a_root_is_asked_for_by_its_name(shared: Daemon, text: str) -> None:
    assert output(shared, text) == {"value": 45, "unit": "bytes", "of": 3}


SHOTS = ("Screenshot 2026-11-10.png", "Screenshot 2026-11-18.png", "screenshots.txt", "cat.png")


def test_screenshots_are_what_is_called_so(tmp_path: Path) -> None:
    fill(tmp_path / "work" / "shots", SHOTS)
    with running_daemon(tmp_path, settings='[approval]\nask = ["delete"]\n') as daemon:
        count = {"value": 2, "unit": "files"}
        assert output(daemon, "how many screenshots are in shots?") == count
        assert "nothing of that kind" in refusal(daemon, "list the screenshots in work")
        wire = daemon.connect()
        os.utime(tmp_path / "work" / "shots" / SHOTS[0], (1, 1))
        wire.submit("d", text="delete the screenshots in shots except the newest one")
        needed = wire.read_until(type="approval_needed")[-1]
        assert [target["name"] for target in needed["targets"]] == [SHOTS[0]]


def test_what_is_only_near_in_another_root_is_told_and_not_taken(shared: Daemon) -> None:
    assert refusal(shared, "read report").endswith("there is 'report.pdf' in downloads")
    assert refusal(shared, "delete one.csv").endswith("there is 'one.csv' in downloads")
    assert (shared.root.parent / "downloads" / "one.csv").exists()
    assert "there is" not in refusal(shared, "read somethingelse")
    assert refusal(shared, "read note.txt").endswith("there is 'notes.txt'")
