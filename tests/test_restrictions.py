"""What says which thing is meant, where it is, or what is left out is never passed over.

Where such words cannot be read, the command is refused or asked about; it never acts without them.
"""

import pytest

from actors.interpreter.commands import Commands
from actors.interpreter.grammar import Doubt, Grammar, Misunderstanding, load_grammar
from actors.planner.tables import search_engines
from messages.goals import GoalDraft
from tests.test_sentences import GRAMMAR, PLACES, TABLE
from tools.text_world.bundle import standard_verbs

PLAYING: Grammar = load_grammar(
    TABLE.rules,
    search_engines(),
    PLACES,
    {
        "world": Commands.of(standard_verbs(), playing=True),
        **{domain: Commands.of(TABLE.spoken(domain)) for domain in ("file", "app")},
    },
)


def drafts(text: str, *, on_page: bool = False) -> tuple[GoalDraft, ...]:
    found = GRAMMAR.parse(text, on_page=on_page)
    assert isinstance(found, tuple), found
    return found


LEFT_OUT = (
    "move a.txt, b.txt and c.txt into old, but not b.txt",
    "move a.txt, b.txt and c.txt into old, but don't move b.txt",
    "delete the newest file but not photo 10.png",
    "delete the newest file but don't delete photo 10.png",
    "delete the folder docs but don't delete plan.txt",
    "delete the folder docs, not plan.txt",
    "delete the folder docs and don't touch plan.txt",
    "delete the folder docs. Don't delete plan.txt.",
    "don't delete plan.txt, but delete the folder docs",
    "delete the folder docs without deleting plan.txt",
    "copy the folder docs to archive but not plan.txt",
    "copy the folder docs to archive without overwriting anything",
    "move the folder docs to archive but don't copy plan.txt",
    "delete a.txt but not yet",
    "delete a.txt, but not today",
    "delete a.txt but not now",
    "delete a.txt. Not now.",
    "delete a.txt, not the last one",
    "rename a.txt to zz.txt but not on disk",
    "mute, not the music",
    "mute the volume but not for long",
    "open firefox, not in private mode",
    "create a folder x but not in docs",
    "create a folder x, not a file",
    "delete the folder docs but leave plan.txt alone",
    "delete the folder docs. The file plan.txt should stay.",
    "move the folder docs to archive and keep plan.txt as it is",
    "tick the toppings but don't tick Onion",
    "check Apples, Pears and Plums but not Pears",
    "click the button, not the red one",
    "click Save but don't click it",
    "click Save but not yet",
    "close firefox but don't close it",
)


@pytest.mark.parametrize("text", LEFT_OUT)
def test_what_is_said_to_be_left_out_is_refused(text: str) -> None:
    found = GRAMMAR.parse(text)
    assert isinstance(found, Misunderstanding), found
    assert found.span != (0, len(text))


@pytest.mark.parametrize(
    "text",
    [
        "take the envelopes but not the green one",
        "take everything, not the note",
        "take the lamp but don't take the green one",
        "drop the lamp. Not the sword.",
    ],
)
def test_what_is_said_to_be_left_out_in_a_world_is_refused(text: str) -> None:
    assert isinstance(PLAYING.parse(text), Misunderstanding)


@pytest.mark.parametrize(
    "text",
    [
        "delete a.txt but don't delete b.txt",
        "close gimp but don't close krita",
        "copy thesis.tex to backup, but do not delete thesis.tex",
        "mute the volume and don't open firefox",
        "click Save but don't click Publish",
        "check Apples but not Pears",
        "click the second link, not the first one",
    ],
)
def test_another_thing_that_is_not_to_be_done_restricts_nothing(text: str) -> None:
    assert len(drafts(text)) == 1
    assert GRAMMAR.read(text).passed_over


DOING_NOTHING = frozenset(
    {"not", "never", "no", "don't", "without", "except", "only", "take", "note", "everything"}
    | {"last", "other", "open", "disk", "computer", "find", "locate", "look", "keep", "leave"}
)


def test_no_word_that_does_or_restricts_something_is_empty() -> None:
    assert DOING_NOTHING.isdisjoint(GRAMMAR.table.empty_words)
    assert not GRAMMAR.table.empty_words & GRAMMAR.table.phrases.marks.beginning


ELSEWHERE = (
    "In Bob's folder: delete a.txt",
    "delete a.txt, the one in docs",
    "delete a.txt, which is in docs",
    "delete a.txt. It is in docs.",
    "delete a.txt; it's in docs",
    "delete a.txt. The file is in docs.",
    "delete a.txt, the one modified yesterday",
    "close firefox, the one that is frozen",
    "Folder docs: delete a.txt",
    "Desktop: delete a.txt",
    "docs: delete a.txt",
    "At work: delete a.txt",
    "under docs: move a.txt to old",
    "delete a.txt - it's in docs",
)


@pytest.mark.parametrize("text", ELSEWHERE)
def test_what_tells_where_a_file_is_or_which_one_is_never_passed_over(text: str) -> None:
    found = GRAMMAR.parse(text)
    if isinstance(found, tuple):
        assert all("inside:" in str(draft.scope) for draft in found)


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("in docs: rename a.txt to zz.txt", "inside:docs"),
        ("in the folder docs: delete a.txt", "inside:docs"),
        ("On the D drive: delete a.txt", "drive:D"),
    ],
)
def test_a_place_before_a_colon_is_the_place(text: str, scope: str) -> None:
    assert [draft.scope for draft in drafts(text)] == [scope]


ENTERED = (
    "open the folder docs and rename a.txt to zz.txt",
    "look in the folder docs and delete a.txt",
    "list the files in docs and rename a.txt to zz.txt",
    "show me the folder docs, then delete a.txt",
    "open downloads and delete a.txt",
    "go into docs and rename a.txt to zz.txt",
    "show me what's in docs and delete the newest file",
    "Open the folder docs. Rename a.txt to zz.txt.",
    "open docs and delete a.txt",
    "enter docs and delete a.txt",
    "open the folder docs in downloads and delete a.txt",
    "go to the folder docs and delete a.txt",
    "in docs rename a.txt to zz.txt, copy b.txt to old",
    "in docs rename a.txt to zz.txt, move b.txt to old",
)


@pytest.mark.parametrize("text", ENTERED)
def test_behind_a_folder_that_was_spoken_of_no_bare_name_is_in_the_root_unasked(text: str) -> None:
    assert isinstance(GRAMMAR.parse(text), Doubt | Misunderstanding)


OTHER_VERBS = (
    "rename c.txt to zz.txt and archive yy.txt",
    "rename c.txt to zz.txt, then delete notes",
    "rename c.txt to zz.txt but leave c.txt",
    "rename c.txt to zz.txt and keep c.txt",
    "cp c.txt old and archive docs",
    "mv a.txt old and compress docs",
    "rename a.txt to b.txt and email bob",
    "cp a.txt old, then zip docs",
)


@pytest.mark.parametrize("text", OTHER_VERBS)
def test_a_verb_that_is_not_known_is_no_name_of_a_file(text: str) -> None:
    found = GRAMMAR.parse(text)
    assert isinstance(found, Misunderstanding), found


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("rename a.txt to b.txt and c.txt to d.txt", [("a.txt", "b.txt"), ("c.txt", "d.txt")]),
        ("cp a.txt b.txt and c.txt d.txt", [("a.txt", "b.txt"), ("c.txt", "d.txt")]),
        ("move a.txt to old and docs to archive", [("a.txt", "old"), ("docs", "archive")]),
    ],
)
def test_what_looks_like_the_first_shares_its_verb(text: str, pairs: list[object]) -> None:
    assert [(each.params["name"], each.params["to"]) for each in drafts(text)] == pairs


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("create folders alpha, team", ["alpha", "team"]),
        ("create folders good, better, best", ["good", "better", "best"]),
        ("create folders fix, note, answer", ["fix", "note", "answer"]),
        ("create files mum, dad", ["mum", "dad"]),
        ("create a folder called never again", ["never again"]),
    ],
)
def test_every_member_and_every_word_of_a_name_is_kept(text: str, names: list[str]) -> None:
    assert [draft.params["name"] for draft in drafts(text)] == names


CUT_SHORT = (
    "overwrite a.txt with hello please",
    "create new.txt with the text hi and bye",
    "write the line 2 to new.txt",
    "write my name to new.txt",
    "write a, b to new.txt",
    "write my thanks to new.txt",
    "append our address to new.txt",
    'create a file new.txt containing "a" and "b"',
    'create files new.txt and new2.txt containing "a"',
    "read a.txt and b.txt and write it to new.txt",
    'write "a" and "b" to new.txt',
    "read a.txt, read b.txt and append them to new.txt",
)


@pytest.mark.parametrize("text", CUT_SHORT)
def test_no_text_for_a_file_is_cut_short(text: str) -> None:
    found = GRAMMAR.parse(text)
    assert isinstance(found, Doubt | Misunderstanding), found


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("write line 2 to new.txt", "line 2"),
        ("create a file a.txt with content hello", "hello"),
        ("create new.txt with the text hi", "hi"),
        ("overwrite a.txt with the text done", "done"),
    ],
)
def test_a_text_is_kept_whole_without_what_names_it(text: str, content: str) -> None:
    assert [draft.params["content"] for draft in drafts(text)] == [content]


FILES = (
    "move a.txt to old, then back",
    "write the date to a.txt",
    "read the folder docs",
    "clear the folder docs",
    'write "x" in the folder docs',
    "read the file Budget 3",
    "copy a.txt to old, then forward",
    "put the total into a.txt",
)
# Pages show files, too: before one these are said of it.
FILES_OR_SHOWN = (
    "choose the file a.txt",
    "drag a.txt into the folder docs",
    "drop b.txt onto the folder archive",
    "empty the directory old",
    "pick b.txt",
    "select all files in docs",
)


@pytest.mark.parametrize("on_page", [False, True])
@pytest.mark.parametrize("text", FILES)
def test_words_of_files_are_never_a_goal_on_a_page(text: str, *, on_page: bool) -> None:
    found = GRAMMAR.parse(text, on_page=on_page)
    if isinstance(found, tuple):
        assert {draft.domain for draft in found} == {"file"}, found


@pytest.mark.parametrize("text", FILES_OR_SHOWN)
def test_where_no_page_is_a_file_is_not_looked_for_on_one(text: str) -> None:
    found = GRAMMAR.parse(text)
    if isinstance(found, tuple):
        assert {draft.domain for draft in found} == {"file"}, found


def test_a_wrong_number_is_told_with_the_number_of_things_that_were_named() -> None:
    found = GRAMMAR.parse("create two files named x.txt, y.txt and z.txt")
    assert isinstance(found, Misunderstanding)
    assert "3 named" in found.message
