"""Names of several words without quotes: plain by a file's ending, or beside "folder"."""

import pytest

from actors.interpreter.grammar import Misunderstanding
from messages.goals import GoalDraft
from tests.test_sentences import GRAMMAR


def goal(text: str) -> GoalDraft:
    drafts = GRAMMAR.parse(text)
    assert isinstance(drafts, tuple), (text, drafts)
    (draft,) = drafts
    return draft


PLAIN = {
    "read Shopping list.txt": ("read", "Shopping list.txt"),
    "please show me Tax return 2025.pdf": ("read", "Tax return 2025.pdf"),
    "get rid of Team photo.jpg": ("delete", "Team photo.jpg"),
    "restore Screenshot 2026-11-18.png from the trash": ("put_back", "Screenshot 2026-11-18.png"),
    'add "butter" to the end of Shopping list.txt': ("append", "Shopping list.txt"),
    "how many lines are in my meeting notes.txt": ("count_text", "meeting notes.txt"),
    "open budget 2026.csv": ("open", "budget 2026.csv"),
    "unzip holiday photos.zip to docs": ("extract", "holiday photos.zip"),
    "delete the folder after party": ("delete", "after party"),
    "delete the after party folder": ("delete", "after party"),
    "what's in the summer holidays folder": ("list", "summer holidays"),
    "zip the holiday photos folder": ("archive", "holiday photos"),
}


@pytest.mark.parametrize(("text", "meant"), PLAIN.items())
def test_a_name_of_several_words_is_one_name(text: str, meant: tuple[str, str]) -> None:
    draft = goal(text)
    assert (draft.domain, draft.verb, draft.params["name"]) == ("file", *meant)


def test_several_names_of_several_words_may_be_said_at_once() -> None:
    copied = goal("copy budget 2026.csv as budget backup.csv")
    assert copied.params == {"name": "budget 2026.csv", "as": "budget backup.csv"}
    moved = goal("move Mum birthday ideas.txt into the family plans folder")
    assert moved.params == {"name": "Mum birthday ideas.txt", "to": "family plans"}


def test_a_name_of_several_words_may_stand_in_any_clause() -> None:
    drafts = GRAMMAR.parse("delete thesis draft.pdf and then mute the volume")
    assert isinstance(drafts, tuple)
    assert [draft.params.get("name") for draft in drafts] == ["thesis draft.pdf", None]
    later = goal("tomorrow at 9 delete thesis draft.pdf")
    assert later.params["command"] == "delete thesis draft.pdf"


def test_the_words_of_a_clause_are_told_where_they_stand() -> None:
    text = "read Shopping list.txt and then delete thesis draft.pdf"
    heard = GRAMMAR.read(text)
    said = [text[start:end] for start, end in heard.spans]
    assert said == ["read Shopping list.txt", "delete thesis draft.pdf"]


@pytest.mark.parametrize(
    "text",
    [
        "delete only draft.txt",
        "delete every notes.txt",
        "delete a.txt b.txt",
        "delete draft.pdf quickly notes.txt",
        "delete thesis draft.pdf, not notes.txt",
        "don't delete thesis draft.pdf",
        "delete report.pdf unless draft.pdf",
        "delete pin 4711.txt",
        "create folder trips notes.txt",
        "create the folder after lunch",
        "create a folder after party",
        "make a folder after party and put notes.md in it",
        "delete files larger than movie.mkv",
        "delete the folder after lunch",
        "delete the folder old except important",
        "delete the folder I made yesterday",
        "delete the folder old or not",
        "write hello world notes.txt",
        "send Anna report.pdf",
    ],
)
def test_what_says_more_than_a_name_is_no_name(text: str) -> None:
    assert isinstance(GRAMMAR.parse(text), Misunderstanding)


def goals_of(text: str) -> list[tuple[str, object, object]]:
    drafts = GRAMMAR.parse(text)
    assert isinstance(drafts, tuple), (text, drafts)
    return [
        (draft.verb, draft.params.get("to") or draft.roles.get("indirect"), draft.scope)
        for draft in drafts
    ]


@pytest.mark.parametrize(
    "text",
    [
        "create a folder called Trip and move all pdfs from downloads into it",
        "create a folder Trip, then move ticket Lisbon.pdf from downloads into it",
        "make a folder Trip and copy all photos from downloads to it",
    ],
)
def test_what_is_brought_into_a_folder_just_made_goes_there_once_it_is(text: str) -> None:
    (made, *_), (_, to, scope) = goals_of(text)
    assert (made, to, scope) == ("create", "Trip", ("inside:downloads", "after:g0"))


def test_the_folder_made_last_is_meant() -> None:
    text = "create a folder A, create a folder B and move all pdfs from downloads into it"
    assert goals_of(text)[-1] == ("move", "B", ("inside:downloads", "after:g1"))


@pytest.mark.parametrize(
    "text",
    [
        "create a folder A in docs and move all pdfs from downloads into it",
        "create a file a.txt and move all pdfs from downloads into it",
        "don't create a folder A and move all pdfs from downloads into it",
        "create a folder A unless it exists and move all pdfs from downloads into it",
        "mute the volume and move all pdfs from downloads into it",
        "move all pdfs from downloads into it",
    ],
)
def test_no_folder_is_guessed_where_none_was_just_made(text: str) -> None:
    assert isinstance(GRAMMAR.parse(text), Misunderstanding)


def test_a_text_is_added_to_the_file_that_was_spoken_of() -> None:
    for text in (
        'make a new file ideas.md that says "buy a hat" and add "and gloves" to it',
        'create ideas.md and add "and gloves" to it',
        'read ideas.md and then add "and gloves" to it',
    ):
        drafts = GRAMMAR.parse(text)
        assert isinstance(drafts, tuple), text
        added = drafts[-1]
        assert (added.verb, added.scope) == ("append", "after:g0")
        assert added.params == {"content": "and gloves", "name": "ideas.md"}


@pytest.mark.parametrize(
    "text",
    [
        'add "x" to it',
        'delete a.txt and add "x" to it',
        'create a.txt and add "b.txt" to it',
        'create a.txt and add a folder "x" to it',
    ],
)
def test_nothing_is_added_where_it_is_no_file_that_is_there(text: str) -> None:
    assert isinstance(GRAMMAR.parse(text), Misunderstanding)


def test_what_is_added_to_a_folder_is_a_file_in_it() -> None:
    assert goals_of('create a folder Trip and add "notes" to it')[-1][0] == "create"
