"""With a page open nothing weaker holds than without one, and no file is meant by chance."""

import pytest

from actors.interpreter.grammar import Doubt, Misunderstanding
from messages.goals import GoalDraft
from tests.test_sentences import GRAMMAR


def goals(text: str, *, on_page: bool = True) -> list[str]:
    drafts = GRAMMAR.parse(text, on_page=on_page)
    assert isinstance(drafts, tuple), drafts
    return [f"{draft.domain}.{draft.verb}" for draft in drafts]


LATE = (
    "create a folder x and frobnicate the sprockets",
    "mute the volume, then defenestrate the cat",
    "type hello in the Name field and gyrate wildly",
)


@pytest.mark.parametrize("text", LATE)
def test_a_clause_that_nobody_understood_stops_the_whole_command(text: str) -> None:
    for on_page in (False, True):
        assert isinstance(GRAMMAR.parse(text, on_page=on_page), Misunderstanding)


@pytest.mark.parametrize(
    "text",
    [
        "frobnicate the sprockets and create a folder x",
        "frobnicate the sprockets, mute the volume and create a folder x",
    ],
)
def test_all_else_waits_for_what_only_the_page_may_know(text: str) -> None:
    drafts = GRAMMAR.parse(text, on_page=True)
    assert isinstance(drafts, tuple)
    first, *others = drafts
    assert (first.domain, first.verb) == ("browser", "use")
    assert all("after:g" in str(draft.scope) for draft in others)


@pytest.mark.parametrize(
    "text",
    [
        "remove the folder Drafts",
        "delete the folder reports",
        "rename report to notes",
        "move report to archive",
        "trash the folder Attic",
    ],
)
def test_before_a_page_what_may_be_on_the_disk_is_a_question(text: str) -> None:
    doubt = GRAMMAR.parse(text, on_page=True)
    assert isinstance(doubt, Doubt)
    for way, domain in zip(doubt.ways, ("browser", "file"), strict=True):
        assert [draft.domain for draft in way.drafts] == [domain]
        assert GRAMMAR.parse(way.text, on_page=True) == way.drafts
    assert isinstance(GRAMMAR.parse(text), tuple)


@pytest.mark.parametrize(
    "text",
    [
        "delete report.pdf",
        "delete the file report",
        "remove the folder reports in downloads",
        "rename a/b to c",
        "delete the folder reports on my computer",
    ],
)
def test_words_that_say_so_mean_the_disk_also_before_a_page(text: str) -> None:
    assert goals(text)[0].startswith("file.")


@pytest.mark.parametrize(
    "text",
    [
        "eject the usb drive",
        "kill the process chrome",
        "unplug the speakers",
        "connect to bluetooth",
    ],
)
def test_what_speaks_of_a_device_is_left_to_no_page(text: str) -> None:
    assert isinstance(GRAMMAR.parse(text, on_page=True), Misunderstanding)


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("turn down the brightness", "system.dimmer"),
        ("turn on the wifi", "system.network"),
        ("lock the screen", "system.lock"),
    ],
)
def test_what_speaks_of_a_device_of_this_machine_means_it(text: str, goal: str) -> None:
    understanding = GRAMMAR.read(text, without_page=True).understanding
    assert isinstance(understanding, tuple)
    assert [f"{draft.domain}.{draft.verb}" for draft in understanding] == [goal]


@pytest.mark.parametrize(
    "text",
    [
        "search my files for invoices",
        "look up the folder taxes",
        "copy the content of a.txt to b.txt",
        "turn off the printer",
    ],
)
def test_what_speaks_of_files_or_devices_is_no_web_search_and_no_page(text: str) -> None:
    assert isinstance(GRAMMAR.parse(text), Misunderstanding)


@pytest.mark.parametrize("text", ["search for shoes", "search google for pdf files"])
def test_what_is_asked_of_the_web_is_asked_of_the_web(text: str) -> None:
    assert goals(text, on_page=False) == ["browser.search"]


@pytest.mark.parametrize(
    "text", ["go to example.com and Follow Sea Watch", "go to google and lurk"]
)
def test_an_address_is_part_of_no_name_on_a_page(text: str) -> None:
    found = GRAMMAR.parse(text, on_page=True)
    drafts = found if isinstance(found, tuple) else ()
    assert not any(is_named_by_address(draft) for draft in drafts)


def is_named_by_address(draft: GoalDraft) -> bool:
    return any("." in words or "google" in words for words in draft.roles.values())
