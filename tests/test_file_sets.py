"""Sets of files: read from words, found on the disk, and acted on as one list."""

import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from actors.language.file_deeds import Request, says_several
from actors.language.file_frames import read_requests
from actors.language.file_sets import FileSet
from messages.queries import FILTERS
from tests.daemon import running_daemon
from tools.files.kinds import endings_by_kind, endings_of
from tools.files.queries import Query, bytes_of, moment
from tools.files.roots import Refusal

ASKING = '[approval]\nask = ["delete"]\n'
ENDINGS = frozenset({"pdf", "txt", "jpg", "png", "log", "csv", "mp3", "tmp", "zip", "md"})
DAY = 86_400
NOW = datetime(2026, 1, 20, 12, 0, tzinfo=UTC)


def read(text: str) -> tuple[Request, ...]:
    found = read_requests(text, ENDINGS)
    assert found is not None, text
    return found


def set_of(text: str) -> FileSet:
    (request,) = read(text)
    return request.of


def test_the_parts_of_a_set_may_stand_in_any_order() -> None:
    first = set_of("find pdf files larger than 2 MB in papers older than a year")
    second = set_of("find files in papers that are older than a year, ending in .pdf, over 2 MB")
    assert (first.larger, first.before, first.place) == ("2 mb", "a year", "papers")
    assert (second.larger, second.before, second.place) == ("2 mb", "a year", "papers")


def test_names_that_are_both_said_must_both_fit() -> None:
    assert set_of("list the csv files in data with 2023 in the name").params["pattern"] == (
        "*.csv&*2023*"
    )
    assert set_of("find all jpgs and pngs in camera").params["pattern"] == "*.jpg|*.png"


def test_what_is_left_out_is_never_taken_in() -> None:
    left_out = set_of("wipe all jpgs in camera except the ones starting with best")
    assert (left_out.patterns, left_out.excluding) == ((("*.jpg",),), ("best*",))
    assert set_of("delete every log in logs except the newest").keep == "newest"
    (copied,) = read("copy every txt in notes to usb, but not todo.txt")
    assert (copied.to, copied.of.excluding) == ("usb", ("todo.txt",))


@pytest.mark.parametrize(
    "text",
    [
        "delete everything",
        "delete all files in docs that look old",
        "delete the newest files in docs",
        "delete files in docs not touched in the last year",
        "delete all files in docs except what matters",
        "remove all pdfs in docs unless they are signed",
        "find files created yesterday",
        'delete all "txt files in docs',
        "move all pdfs",
        "delete old files in temp",
        "delete files added yesterday in temp",
        'delete all files named "R&D.txt" in docs',
        'delete all files named "a|b" in docs',
        "delete all of it",
    ],
)
def test_a_word_that_is_not_understood_stops_it_all(text: str) -> None:
    assert read_requests(text, ENDINGS) is None


def test_them_are_the_files_that_were_found() -> None:
    found, moved = read("find the files in work that mention falcon and move them to hidden")
    assert (found.deed, moved.deed, moved.to) == ("find", "move", "hidden")
    assert moved.of.contains == found.of.contains == "falcon"


def test_words_and_tools_know_the_same_parts_and_kinds() -> None:
    assert set(Query.__struct_fields__) - {"name", "path"} == FILTERS
    assert set(FileSet().params) <= FILTERS
    assert {"picture", "music", "document"} <= set(endings_by_kind())
    assert "jpg" in endings_of("picture|document")


@pytest.mark.parametrize(
    ("said", "size"),
    [("10 MB", 10 << 20), ("50k", 50 << 10), ("1.5 gb", 3 << 29), ("42 bytes", 42)],
)
def test_sizes_are_bytes_when_they_are_compared(said: str, size: int) -> None:
    assert bytes_of(said) == size


@pytest.mark.parametrize("said", ["a lot", "many bytes", "huge", "9" * 400 + " gb"])
def test_a_size_that_is_none_is_refused(said: str) -> None:
    with pytest.raises(Refusal):
        bytes_of(said)


@pytest.mark.parametrize("said", ["999999999 years", "the day before", "soon"])
def test_a_time_that_is_none_is_refused(said: str) -> None:
    with pytest.raises(Refusal):
        moment(said, NOW)


def test_a_month_without_a_year_is_the_last_one_that_there_was() -> None:
    assert moment("march", NOW) == datetime(2025, 3, 1, tzinfo=UTC).timestamp()
    assert moment("january", NOW) == datetime(2026, 1, 1, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("words", "several"),
    [("every pdf", True), ("log files", True), ("everything", True), ("the newest pdf", False)],
)
def test_words_say_whether_all_are_meant(words: str, several: bool) -> None:  # noqa: FBT001
    assert says_several(words) is several


def home(folder: Path) -> Path:
    """Fill a root with files of different kinds, sizes and ages."""
    root = folder / "work"
    for name, size, days in [
        ("papers/old.pdf", 3_000_000, 800),
        ("papers/new.pdf", 3_000_000, 1),
        ("papers/small.pdf", 10, 800),
        ("papers/deep/below.pdf", 3_000_000, 800),
        ("papers/note.txt", 20, 0),
        ("papers/.hidden.pdf", 3_000_000, 800),
    ]:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * size)
        when = time.time() - days * DAY
        os.utime(path, (when, when))
    (root / "papers" / "empty").mkdir()
    (root / "archive").mkdir()
    return root


def names(rows: object) -> set[str]:
    assert isinstance(rows, list)
    return {str(row["name"]) for row in rows}


def test_what_is_asked_of_files_is_answered(tmp_path: Path) -> None:
    root = home(tmp_path)
    with running_daemon(tmp_path) as daemon:
        wire = daemon.connect()

        def output(text: str) -> object:
            end = wire.run(text, text=text)[-1]
            assert end["status"] == "success", (text, end)
            return end["results"][-1]["output"]

        assert names(output("list the pdfs in papers larger than 1 MB")) == {"old.pdf", "new.pdf"}
        found = output("find pdf files in papers that are older than two years")
        assert names(found) == {"old.pdf", "small.pdf", "below.pdf"}
        assert output("how many pdfs are in papers?") == {"value": 3, "unit": "files"}
        assert names(output("which folders in papers are empty?")) == {"empty"}
        assert names(output("which is the smallest file in papers?")) == {"small.pdf"}
        assert names(output("list the hidden files in papers")) == {".hidden.pdf"}
        total = output("what is the total size of the pdfs in papers")
        assert total == {"value": 6_000_010, "unit": "bytes", "of": 3}
        assert wire.run("none", text="list the zips in papers")[-1]["code"] == "TARGET_NOT_FOUND"
    assert (root / "papers" / "deep" / "below.pdf").exists()


def test_a_set_is_approved_as_one_list_and_nothing_else_is_touched(tmp_path: Path) -> None:
    root = home(tmp_path)
    with running_daemon(tmp_path, settings=ASKING) as daemon:
        wire = daemon.connect()
        wire.submit("d", text="delete all pdfs in papers that are older than a year")
        needed = wire.read_until(type="approval_needed")[-1]
        papers = root / "papers"
        listed = {target["name"] for target in needed["targets"]}
        assert listed == {"old.pdf", "small.pdf"}
        wire.send({"type": "approve", "id": "a", "approval": needed["approval"], "allow": True})
        assert wire.read_until(type="finished")[-1]["status"] == "success"
        left = {path.name for path in papers.rglob("*") if path.is_file()}
        assert left == {"new.pdf", "below.pdf", "note.txt", ".hidden.pdf"}
        moved = wire.run("m", text="move everything in papers to archive except the deep folder")
        assert moved[-1]["status"] == "success"
        copied = wire.run("c", text="copy everything in archive to papers")
        assert copied[-1]["status"] == "success"
        assert {path.name for path in papers.iterdir()} >= {"new.pdf", "note.txt", "deep"}
        wire.run("u", text="undo")
        assert not (papers / "new.pdf").exists()
    assert {path.name for path in (root / "archive").iterdir()} == {"new.pdf", "note.txt", "empty"}
    assert (root / "papers" / "deep" / "below.pdf").exists()


def test_one_thing_is_not_all_that_fit(tmp_path: Path) -> None:
    """With several that fit "the pdf" is asked about; a client may state filters and words, too."""
    root = home(tmp_path)
    with running_daemon(tmp_path) as daemon:
        wire = daemon.connect()
        wire.submit("one", text="delete the pdf file in papers that is older than a year")
        question = wire.read_until(type="question")[-1]
        assert {option["text"] for option in question["options"]} == {"old.pdf", "small.pdf"}
        wire.send({"type": "cancel", "id": "x", "command": "one"})
        wire.read_until(type="finished", command="one")
        stated = {
            "domain": "file", "verb": "delete", "params": {"kind": "file"},
            "roles": {"direct": "the newest pdf"}, "scope": "inside:papers",
        }  # fmt: skip
        assert wire.run("stated", goals=[stated])[-1]["status"] == "success"
    left = {path.name for path in (root / "papers").iterdir() if path.is_file()}
    assert left == {"old.pdf", "small.pdf", "note.txt", ".hidden.pdf"}


def test_folders_are_as_large_as_what_is_in_them(tmp_path: Path) -> None:
    home(tmp_path)
    with running_daemon(tmp_path) as daemon:
        wire = daemon.connect()
        largest = wire.run("l", text="which is the largest folder in papers?")[-1]
        assert names(largest["results"][0]["output"]) == {"deep"}
        larger = wire.run("o", text="list the folders in papers larger than 1 MB")[-1]
        assert names(larger["results"][0]["output"]) == {"deep"}


def test_what_is_hidden_can_be_meant_and_any_folder_is_a_destination(tmp_path: Path) -> None:
    root = home(tmp_path)
    (root / "loose.txt").write_text("x")
    with running_daemon(tmp_path) as daemon:
        wire = daemon.connect()
        assert wire.run("m", text="move all txt files to archive")[-1]["status"] == "success"
        assert wire.run("d", text="delete the hidden files in papers")[-1]["status"] == "success"
    assert (root / "archive" / "loose.txt").exists()
    assert not (root / "papers" / ".hidden.pdf").exists()


def test_a_set_that_is_not_allowed_stays(tmp_path: Path) -> None:
    root = home(tmp_path)
    with running_daemon(tmp_path, settings=ASKING) as daemon:
        wire = daemon.connect()
        wire.submit("d", text="delete all pdfs in papers and below")
        needed = wire.read_until(type="approval_needed")[-1]
        listed = {target["name"] for target in needed["targets"]}
        assert listed == {"old.pdf", "new.pdf", "small.pdf", "deep/below.pdf"}  # none is hidden
        wire.send({"type": "approve", "id": "a", "approval": needed["approval"], "allow": False})
        assert wire.read_until(type="finished")[-1]["status"] != "success"
    assert (root / "papers" / "old.pdf").exists()
