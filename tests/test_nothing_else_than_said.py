"""Words that are easily dropped, cut or misread: each is read as it was said, or refused."""

import pytest

from actors.interpreter.grammar import Misunderstanding
from messages.goals import GoalDraft
from tests.test_grammar import GRAMMAR


def read(text: str, *, on_page: bool = False) -> tuple[GoalDraft, ...] | None:
    """Read a text as it is read with or without a page; None if it is refused or asked about."""
    heard = GRAMMAR.read(text, on_page=on_page, without_page=not on_page)
    return heard.understanding if isinstance(heard.understanding, tuple) else None


def goals(text: str, *, on_page: bool = False) -> list[str] | None:
    drafts = read(text, on_page=on_page)
    return None if drafts is None else [f"{draft.domain}.{draft.verb}" for draft in drafts]


@pytest.mark.parametrize(
    "text",
    [
        "delete all files with no extension",
        "delete all pdfs with no date",
        "replace every second foo with bar in a.txt",
        "replace the third foo with bar in a.txt",
        "replace foo with bar and baz with qux in a.txt",
        "delete one of the pdfs",
        "delete a couple of pdfs in downloads",
        "copy three pdfs to archive",
        "delete all recent pdfs in downloads",
        "delete all old pdfs",
        "list all new pdfs",
        "turn the sound off and on again",
        "turn the sound off and on",
        "turn wifi off and on",
        "turn bluetooth on and off",
        "cancel the rice timer and the alarm",
        "pause the timer and the alarm",
        "drop the packing list and the shopping list",
        "clear the shopping list and the to-do list",
        "add tea to the shopping list and the to-do list",
        "add milk, but not eggs, to the shopping list",
        "add jam to the top of the shopping list",
        "remind me to buy milk at 5 pm every day but Sunday",
        "remind me to buy milk before 5 pm",
        "remind me to buy milk no later than 5 pm",
        "set a repeating timer for 5 minutes",
        "set a silent timer for 10 minutes",
        "delete the last row of rows.csv",
        "delete the first chapter of book.txt",
        "show the last word of words.txt",
        "list files from yesterday and today",
        "move everything except the pdfs and the text files from mix to archive",
        "add milk and remove eggs from the shopping list",
        "remind me to call Ann at the end of the month at 9",
        "delete a.txt, I think",
    ],
)
def test_what_would_lose_a_word_is_refused(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    "text",
    ["delete docs", "delete logs", "delete the docs and the logs", "move logs to archive"],
)
def test_a_bare_word_for_a_kind_may_be_a_folder_and_is_no_set(text: str) -> None:
    for draft in read(text) or ():
        assert not {"pattern", "type"} & draft.params.keys()


@pytest.mark.parametrize("text", ["delete all logs", "delete the log files", "delete every photo"])
def test_a_kind_with_all_or_files_is_a_set(text: str) -> None:
    drafts = read(text)
    assert drafts is not None
    assert {"pattern", "type"} & drafts[0].params.keys()


def test_a_comma_within_a_name_is_part_of_it() -> None:
    drafts = read("delete a,b.txt")
    assert drafts is not None
    (draft,) = drafts
    assert draft.params["name"] == "a,b.txt"


@pytest.mark.parametrize(
    "text",
    [
        "mute the sound, wait 5 seconds, unmute the sound",
        "create a.txt, wait 5 seconds, delete a.txt",
        "create a.txt, then wait 3 seconds and create a folder b",
    ],
)
def test_what_follows_a_wait_waits(text: str) -> None:
    drafts = read(text)
    assert drafts is not None
    _, wait, last = drafts
    assert wait.verb == "wait_time"
    assert "after:g0" in str(wait.scope)
    assert "after:g1" in str(last.scope)


def test_nothing_takes_a_text_out() -> None:
    drafts = read("replace foo with nothing in a.txt")
    assert drafts is not None
    assert drafts[0].params["new"] == ""


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("delete all pdfs in downloads larger than 10 MB", "file.delete"),
        ("count the txt files in docs", "file.count"),
        ("find all pdfs in downloads", "file.find"),
        ("replace foo with bar in all txt files in docs", "file.replace"),
        ("search for foo in a.txt", "file.search"),
    ],
)
def test_sets_of_files_are_files_whatever_page_is_open(text: str, goal: str) -> None:
    assert goals(text, on_page=True) == [goal]


def test_what_was_written_is_read_back() -> None:
    assert goals("write hello to x.txt in docs and read it back") == ["file.write", "file.read"]


def test_the_end_of_a_file_is_shown_by_its_own_word() -> None:
    assert goals("tail server.log") == ["file.tail"]
    assert goals("head server.log") == ["file.head"]


def test_up_and_down_keep_their_order() -> None:
    drafts = read("turn the volume up and down")
    assert drafts is None or "after:g0" in str(drafts[1].scope)


@pytest.mark.parametrize("text", ["read it back", "and then"])
def test_a_rest_is_no_command(text: str) -> None:
    heard = GRAMMAR.read(text, without_page=True)
    assert isinstance(heard.understanding, Misunderstanding)


@pytest.mark.parametrize(
    "text",
    ["is the password of mail hunter2?", "which account has the password hunter2"],
)
def test_a_question_that_speaks_of_a_secret_is_not_put_to_the_page(text: str) -> None:
    assert goals(text, on_page=True) != ["browser.answer"]


def test_a_folder_that_is_left_out_is_left_out_by_its_name() -> None:
    drafts = read("find txt files except in docs")
    assert drafts is None or drafts[0].params["excluding"] == "docs"
