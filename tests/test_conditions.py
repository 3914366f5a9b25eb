"""Conditions: one look at the machine decides whether what waits for it is done."""

from collections.abc import Iterator

import pytest

from tests.daemon import Daemon, running_daemon

WITHOUT_BROWSER = '[browser]\nmode = "off"\n'


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running_daemon(tmp_path_factory.mktemp("if"), settings=WITHOUT_BROWSER) as running:
        yield running


@pytest.mark.parametrize(
    "text",
    [
        "if more than 1 KB is left on the disk, create a file {name}",
        "create a file {name} if there is more than 1 kb free",
        "if less than 100% of memory is free, create a folder x and create a file {name}",
    ],
)
def test_what_is_to_be_done_if_something_holds_is_done(daemon: Daemon, text: str) -> None:
    name = f"yes{abs(hash(text))}.txt"
    finished = daemon.connect().run(name, text=text.format(name=name), session=name)[-1]
    assert finished["status"] == "success", finished
    assert (daemon.root / name).exists()


@pytest.mark.parametrize(
    ("text", "is_done"),
    [
        ("if sign.txt exists, create a file {name}", True),
        ("if missing.txt exists, create a file {name}", False),
        ("unless missing.txt exists, create a file {name}", True),
        ("create a file {name} if there are no pdfs in here-not", False),
        ("if there are more than two ini files, create a file {name}", True),
        ("if there are more than three ini files, create a file {name}", False),
        ("if sign.txt contains stop, create a file {name}", True),
        ("if sign.txt contains go, create a file {name}", False),
        ("if sign.txt is larger than 1 MB, create a file {name}", False),
    ],
)
def test_files_decide_what_is_done(daemon: Daemon, text: str, *, is_done: bool) -> None:
    (daemon.root / "sign.txt").write_text("stop here")
    for number in range(3):
        (daemon.root / f"{number}.ini").touch()
    name = f"decided{abs(hash(text))}.txt"
    daemon.connect().run(name, text=text.format(name=name), session=name)
    assert (daemon.root / name).exists() == is_done


@pytest.mark.parametrize(
    "text",
    [
        "if less than 1 KB is left on the disk, create a file no.txt",
        "create a file no.txt and read it if there is less than 1 kb free",
    ],
)
def test_what_is_to_be_done_if_something_holds_is_left_if_it_does_not(
    daemon: Daemon, text: str
) -> None:
    finished = daemon.connect().run(text, text=text, session="no")[-1]
    assert finished["status"] == "success", finished
    first, *others = finished["results"]
    assert first["output"]["holds"] is False
    assert {(each["status"], each["code"]) for each in others} == {("skipped", "CONDITION_NOT_MET")}
    assert "free" in others[0]["message"]
    assert not (daemon.root / "no.txt").exists()


@pytest.mark.parametrize(
    "text",
    [
        "if it rains, create a file rain.txt",
        "if less than 5 bananas are left on the disk, create a file rain.txt",
        "if less than 5 GB are left or it rains, create a file rain.txt",
        "when less than 5 GB are left, create a file rain.txt",
    ],
)
def test_a_condition_that_no_look_can_decide_is_refused_by_name(daemon: Daemon, text: str) -> None:
    finished = daemon.connect().run(text, text=text)[-1]
    assert (finished["status"], finished["code"]) == ("failed", "NOT_UNDERSTOOD")
    assert not (daemon.root / "rain.txt").exists()
