"""Files are counted and listed as people count: the numbers in their names are numbers."""

from collections.abc import Iterator

import pytest

from tests.daemon import Daemon, running_daemon

NAMES = ("photo 1.jpg", "photo 2.jpg", "photo 10.jpg", "photo 11.jpg")


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running_daemon(tmp_path_factory.mktemp("natural")) as running:
        yield running


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("the first photo", "photo 1.jpg"),
        ("the second photo", "photo 2.jpg"),
        ("the third photo", "photo 10.jpg"),
        ("the last photo", "photo 11.jpg"),
    ],
)
def test_files_are_counted_by_the_numbers_in_their_names(
    daemon: Daemon, words: str, meant: str
) -> None:
    for name in NAMES:
        (daemon.root / name).write_text("x")
    finished = daemon.connect().run(words, text=f"delete {words}", session=words)[-1]
    assert finished["status"] == "success", finished
    assert [name for name in NAMES if not (daemon.root / name).exists()] == [meant]


def test_files_are_listed_in_the_order_in_which_they_are_counted(daemon: Daemon) -> None:
    for name in NAMES:
        (daemon.root / name).write_text("x")
    wire = daemon.connect()
    for text in ("list the files", "find *.jpg"):
        rows = wire.run(text, text=text, session=text)[-1]["results"][0]["output"]
        assert [row["name"] for row in rows] == list(NAMES), text
