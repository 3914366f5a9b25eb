"""The offline grammar: a table of sentences and the goals they mean, and what it never does."""

import re

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from actors.interpreter.commands import Commands
from actors.interpreter.grammar import Doubt, Frame, Grammar, Misunderstanding, load_grammar, table
from actors.interpreter.grammar.table import Place
from actors.planner.tables import planner_rules, search_engines
from messages.goals import GoalDraft, Scope
from messages.message import Value
from tools.text_world.bundle import standard_verbs

ANCHORS = frozenset({"desktop", "documents", "downloads"})
PLAYED = {
    "world": Commands.of(standard_verbs()),
    **{domain: Commands.of(planner_rules().spoken(domain)) for domain in ("file", "app")},
}
GRAMMAR: Grammar = load_grammar(planner_rules().rules, search_engines(), ANCHORS, PLAYED)

Meaning = GoalDraft | list[GoalDraft]


def means(goal: str, scope: Scope = "root", /, **params: Value) -> GoalDraft:
    """A goal with parameters."""
    domain, _, verb = goal.partition(".")
    return GoalDraft(domain, verb, params, scope=scope)


def binds(goal: str, scope: Scope = "root", /, **roles: str) -> GoalDraft:
    """A goal with words still to be bound."""
    domain, _, verb = goal.partition(".")
    return GoalDraft(domain, verb, {}, roles, scope=scope)


def said(verb: str, words: str) -> GoalDraft:
    """A goal in a text world: all of its words, for the world to tell what they mean."""
    return GoalDraft("world", verb, words=words)


def folder(name: str, scope: Scope = "root") -> GoalDraft:
    return means("file.create", scope, object_type="folder", name=name)


def file(name: str, scope: Scope = "root", **content: str) -> GoalDraft:
    return means("file.create", scope, object_type="file", name=name, **content)


def read(text: str, *, on_page: bool = False) -> tuple[GoalDraft, ...]:
    understanding = GRAMMAR.parse(text, on_page=on_page)
    assert isinstance(understanding, tuple), understanding
    return understanding


def misunderstood(text: str) -> Misunderstanding:
    understanding = GRAMMAR.parse(text)
    assert isinstance(understanding, Misunderstanding), understanding
    return understanding


def texts_of(draft: GoalDraft) -> list[str]:
    """Give all words that a goal holds."""
    values = [value for value in draft.params.values() if isinstance(value, str)]
    return [*values, *draft.roles.values()]


SENTENCES: dict[str, Meaning] = {
    # of the contracts and the first page of the design
    "go to google and wait for the search box": [
        means("browser.navigate", url="google.com"),
        binds("browser.wait", "after:g0", target="search box"),
    ],
    "open youtube and search nvidia": [
        means("browser.navigate", url="youtube.com"),
        means("browser.search", "after:g0", query="nvidia"),
    ],
    "go to intranet.local and click Sign In in the upper right corner": [
        means("browser.navigate", url="intranet.local"),
        binds("browser.click", "after:g0", target="Sign In in the upper right corner"),
    ],
    "create a folder reports, inside it create summary.md, and mute the volume": [
        folder("reports"),
        file("summary.md", "inside:reports"),
        means("audio.mute"),
    ],
    "create a folder reports and inside it create summary.md": [
        folder("reports"),
        file("summary.md", "inside:reports"),
    ],
    "create folder a, create folder b and mute the volume": [
        folder("a"),
        folder("b"),
        means("audio.mute"),
    ],
    "mute the volume and create a folder x": [means("audio.mute"), folder("x")],
    # folders and files
    "create a folder called reports": folder("reports"),
    "make a new directory archive": folder("archive"),
    "make the plans folder": folder("plans"),
    "mkdir build": folder("build"),
    "CREATE A FOLDER Reports": folder("Reports"),
    'create a folder "a and b"': folder("a and b"),
    "create a folder “my stuff”": folder("my stuff"),
    "create a file notes.txt": file("notes.txt"),
    "create the file readme": file("readme"),
    "touch empty.log": file("empty.log"),
    'create a file n.txt containing "hello, and goodbye"': file(
        "n.txt", content="hello, and goodbye"
    ),
    "create a new file called todo.md with the text 'buy milk'": file(
        "todo.md", content="buy milk"
    ),
    'write "hello" to notes.txt': means("file.write", content="hello", name="notes.txt"),
    'save "x" as out.txt': means("file.write", content="x", name="out.txt"),
    'overwrite notes.txt with "done"': means(
        "file.write", overwrite=True, name="notes.txt", content="done"
    ),
    'append "milk" to shopping.txt': means("file.append", content="milk", name="shopping.txt"),
    "add the line milk to shopping.txt": means("file.append", content="milk", name="shopping.txt"),
    "add milk to the file list.txt": means("file.append", content="milk", name="list.txt"),
    "read notes.txt": means("file.read", name="notes.txt"),
    "show me the contents of notes.txt": means("file.read", name="notes.txt"),
    "what is in the file notes.txt": means("file.read", name="notes.txt"),
    "list the folder reports": means("file.list", name="reports"),
    "list all files": means("file.list"),
    "ls reports": means("file.list", name="reports"),
    "find the file report.pdf": means("file.find", pattern="report.pdf"),
    "find all pdf files in documents": means("file.find", "inside:documents", pattern="*.pdf"),
    "find all files named *.txt": means("file.find", pattern="*.txt"),
    "rename draft.md to final.md": means("file.rename", name="draft.md", to="final.md"),
    "move report.pdf into the archive folder": means("file.move", name="report.pdf", to="archive"),
    "copy report.pdf to archive": means("file.copy", name="report.pdf", to="archive"),
    "delete the folder old": means("file.delete", object_type="folder", name="old"),
    "delete the old folder": means("file.delete", object_type="folder", name="old"),
    "delete the file draft.md": means("file.delete", object_type="file", name="draft.md"),
    "rm draft.md": means("file.delete", name="draft.md"),
    # places
    "create a folder plans on drive D": folder("plans", "drive:D"),
    "create a folder plans on the D drive": folder("plans", "drive:D"),
    "create a folder plans on d:": folder("plans", "drive:D"),
    "on the desktop create a folder photos": folder("photos", "inside:desktop"),
    "create a file a.txt in documents": file("a.txt", "inside:documents"),
    "create a file a.txt in the folder reports": file("a.txt", "inside:reports"),
    "in the reports folder create a file b.txt": file("b.txt", "inside:reports"),
    "create a folder x inside {a}": folder("x", "inside:{a}"),
    "create a folder a, inside it create a folder b, inside it create c.txt": [
        folder("a"),
        folder("b", "inside:a"),
        file("c.txt", "inside:b"),
    ],
    # "it", and the natural order
    "create a file x.txt and delete it": [
        file("x.txt"),
        means("file.delete", "after:g0", name="x.txt", object_type="file"),
    ],
    "write hello to notes.txt then append world to it": [
        means("file.write", content="hello", name="notes.txt"),
        means("file.append", "after:g0", content="world", name="notes.txt"),
    ],
    "rename a.txt to b.txt and read it": [
        means("file.rename", name="a.txt", to="b.txt"),
        means("file.read", "after:g0", name="b.txt"),
    ],
    "open firefox and then close it": [
        means("app.launch", name="firefox"),
        means("app.close", "after:g0", name="firefox"),
    ],
    "create a folder a; create a folder b": [folder("a"), folder("b")],
    "create a folder a. create a folder b.": [folder("a"), folder("b")],
    # the browser
    "search nvidia on youtube": means("browser.search", query="nvidia", platform="youtube"),
    "search YouTube for nvidia": means("browser.search", query="nvidia", platform="youtube"),
    "search for black and white cats": means("browser.search", query="black and white cats"),
    "look up weather in london on google": means(
        "browser.search", query="weather in london", platform="google"
    ),
    "visit https://example.com/a?b=c": means("browser.navigate", url="https://example.com/a?b=c"),
    "open the site example.com": means("browser.navigate", url="example.com"),
    "open localhost:8000/test": means("browser.navigate", url="localhost:8000/test"),
    "wait until the spinner is hidden": GoalDraft(
        "browser", "wait", {"state": "hidden"}, {"target": "spinner"}
    ),
    "reload the page": means("browser.reload"),
    # audio
    "turn the volume off": means("audio.mute"),
    "unmute the speakers": means("audio.unmute"),
    "set the volume to 30%": means("audio.set", level=30),
    "set the volume to 30 percent": means("audio.set", level=30),
    "set the volume to 5 percent": means("audio.set", level=5),
    "raise the volume by 10%": means("audio.raise", step=10),
    "turn the volume up": means("audio.raise"),
    "lower the volume by 5 percent": means("audio.lower", step=5),
    "quieter": means("audio.lower"),
    "mute and unmute": [means("audio.mute"), means("audio.unmute", "after:g0")],
    # the system and apps
    "what time is it?": means("system.get", target="time"),
    "tell me the time": means("system.get", target="time"),
    "show the battery": means("system.get", target="battery"),
    "how much ram is free": means("system.get", target="memory"),
    "show the disk space": means("system.get", target="disk"),
    "list the processes": means("system.get", target="processes"),
    "list installed apps": means("app.list", which="installed"),
    "show open programs": means("app.list"),
    "please open firefox now": means("app.launch", name="firefox"),
    "launch the app gimp": means("app.launch", name="gimp"),
    "quit the program gimp": means("app.close", name="gimp"),
    "bring firefox to the front": means("app.focus", name="firefox"),
}
IN_A_WORLD = {
    "put the red apple into the wooden chest": "put",
    "put the book on the shelf": "put",
    "take the coin from the purse": "take",
    "give the coin to the guard": "give",
    "examine the chest": "examine",
}
PLAYING = load_grammar(
    planner_rules().rules,
    search_engines(),
    ANCHORS,
    {**PLAYED, "world": Commands.of(standard_verbs(), playing=True)},
)


@pytest.mark.parametrize(("sentence", "verb"), IN_A_WORLD.items())
def test_verbs_of_text_worlds_exist_only_while_a_world_is_played(sentence: str, verb: str) -> None:
    assert PLAYING.parse(sentence) == (said(verb, sentence),)
    assert isinstance(GRAMMAR.parse(sentence), Misunderstanding)


ON_THE_WEB = (
    "open youtube and search nvidia",
    "go to example.com/docs and open localhost:8000",
    "visit github.com, then search for parsers",
)


@pytest.mark.parametrize("sentence", ON_THE_WEB)
def test_a_played_world_takes_no_address_and_no_search_on_a_site(sentence: str) -> None:
    assert PLAYING.parse(sentence) == GRAMMAR.parse(sentence)


@pytest.mark.parametrize(("sentence", "meaning"), SENTENCES.items(), ids=list(SENTENCES))
def test_a_sentence_means_its_goals(sentence: str, meaning: Meaning) -> None:
    assert list(read(sentence)) == (meaning if isinstance(meaning, list) else [meaning])


@pytest.mark.parametrize("frame", GRAMMAR.table.phrases.frame, ids=lambda frame: frame.example)
def test_the_example_of_a_frame_is_read_as_that_frame(frame: Frame) -> None:
    before = ["read the title, "] if "latest" in frame.takes.values() else [""]
    drafts = read(before[0] + frame.example, on_page=frame.page_only)[len(before[0]) and 1 :]
    goals = [f"{draft.domain}.{draft.verb}" for draft in drafts]
    assert goals[: len(frame.all_goals())] == list(frame.all_goals())
    for name, value in frame.params.items():
        number, _, param = name.rpartition(".")
        assert drafts[int(number or 0)].params[param] == value


def test_a_slot_of_no_known_type_is_refused_when_the_table_is_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = msgspec.structs.replace(
        table.phrases(), place=(Place(("in {folder:nonsense}",), "inside:{folder}"),)
    )
    monkeypatch.setattr(table, "phrases", lambda: wrong)
    with pytest.raises(ValueError, match="no known type: nonsense"):
        table.compiled(search_engines(), ANCHORS)


def test_nothing_in_the_table_is_unused() -> None:
    phrases = GRAMMAR.table.phrases
    rows = [
        row.says
        for table in (phrases.frame, phrases.place, phrases.statement, phrases.unsupported)
        for row in table
    ]
    said = " ".join(says for row in rows for says in row)
    by_name = {"buttons", "signin", "colours"}  # what slots of these types take
    assert {name for name in phrases.lists if f"<{name}>" not in said} == by_name
    assert all(f":{name}}}" in said for name in phrases.values)


# Negated clauses never act


@pytest.mark.parametrize(
    "sentence",
    [
        "don't open firefox",
        "don’t open firefox",
        "do not open firefox",
        "never open firefox",
        "please don't open firefox",
        "Don't open firefox!",
    ],
)
def test_a_negated_sentence_asks_for_nothing(sentence: str) -> None:
    assert misunderstood(sentence).span == (0, len(sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        "don't open firefox but mute the volume",
        "don't open firefox. Mute the volume",
        "mute the volume and don't open firefox",
        "mute the volume, never open firefox",
        "mute the volume; do not open firefox",
    ],
)
def test_only_what_is_not_negated_acts(sentence: str) -> None:
    assert read(sentence) == (means("audio.mute"),)


@pytest.mark.parametrize(
    "sentence",
    [
        "create a folder a and don’t open firefox",
        "create a folder a but don't open firefox",
        "create a folder a, but do not open firefox",
        "open gimp but don't open firefox",
        "open gimp and not firefox",
    ],
)
def test_negated_words_never_become_part_of_a_name(sentence: str) -> None:
    understanding = GRAMMAR.parse(sentence)
    drafts = understanding if isinstance(understanding, tuple) else ()
    assert not any("firefox" in text for draft in drafts for text in texts_of(draft))


# What is not understood


@pytest.mark.parametrize(
    ("sentence", "clause"),
    [
        ("frobnicate the widget", "frobnicate the widget"),
        ("mute the volume and frobnicate the widget", "frobnicate the widget"),
        ("frobnicate the widget, then mute the volume", "frobnicate the widget"),
        ('create a folder "a, b" and frobnicate', "frobnicate"),
        ("opn firefox", "opn firefox"),
        ("create a folder", "create a folder"),
    ],
)
def test_what_is_not_understood_is_pointed_at_with_phrasings_that_work(
    sentence: str, clause: str
) -> None:
    answer = misunderstood(sentence)
    start, end = answer.span
    assert sentence[start:end] == clause
    assert answer.suggestions
    assert all(read(suggestion) for suggestion in answer.suggestions)


def test_the_nearest_phrasing_is_suggested_first() -> None:
    assert misunderstood("opn firefox").suggestions[0] == "open firefox"


@pytest.mark.parametrize(
    "sentence",
    [
        "create a folder a, frobnicate it and mute the volume",
        "create a folder reports and email it to bob",
        "open gimp and frobnicate",
        "delete notes.txt, frobnicate the widget",
    ],
)
def test_a_clause_that_is_not_understood_never_becomes_part_of_a_name(sentence: str) -> None:
    misunderstood(sentence)


@pytest.mark.parametrize("sentence", ["", "   ", "\n", ".", "and", ",,,"])
def test_no_words_are_not_understood(sentence: str) -> None:
    start, end = misunderstood(sentence).span
    assert 0 <= start <= end <= len(sentence)


@pytest.mark.parametrize("sentence", ["delete it", "read that file", "inside it create x.txt"])
def test_it_means_nothing_where_nothing_was_mentioned(sentence: str) -> None:
    assert "mentioned" in misunderstood(sentence).message


# A command with a time is kept for later; one with a day alone, and conditions, are refused by name


@pytest.mark.parametrize(
    ("sentence", "at", "command"),
    [
        ("mute the volume every morning", "every morning", "mute the volume"),
        (
            "every hour create a folder a and open firefox",
            "every hour",
            "create a folder a and open firefox",
        ),
    ],
)
def test_a_command_with_a_time_is_kept_for_later(sentence: str, at: str, command: str) -> None:
    understanding = GRAMMAR.parse(sentence)
    assert isinstance(understanding, tuple)
    (draft,) = understanding
    assert (draft.domain, draft.verb) == ("schedule", "command")
    assert draft.params == {"at": at, "command": command}


def test_a_time_behind_two_commands_is_asked_about() -> None:
    understanding = GRAMMAR.parse("create a folder a and open firefox every hour")
    assert isinstance(understanding, Doubt)
    every, last = understanding.ways
    assert [draft.verb for draft in every.drafts] == ["command"]
    assert [draft.verb for draft in last.drafts] == ["create", "command"]


@pytest.mark.parametrize(
    "sentence",
    [
        "every day open firefox",
        "open firefox every day",
        "create a folder reports each monday",
    ],
)
def test_a_day_without_a_time_is_refused_by_name(sentence: str) -> None:
    assert "schedules are not supported" in misunderstood(sentence).message


@pytest.mark.parametrize(
    "sentence",
    [
        "if it rains open firefox",
        "if it rains, open firefox",
        "open firefox if it rains",
        "when I come home mute the volume",
        "mute the volume when I come home",
        "mute the volume unless it is night",
        "create a folder a and mute the volume if it rains",
    ],
)
def test_a_condition_is_refused_by_name(sentence: str) -> None:
    assert "conditions are not supported" in misunderstood(sentence).message


def test_quoted_words_are_never_a_schedule_a_condition_or_a_negation() -> None:
    assert read('create a folder "every day"') == (folder("every day"),)
    assert read('create a folder "if it rains"') == (folder("if it rains"),)
    assert read('create a folder "don\'t open"') == (folder("don't open"),)


# Whatever the words


VOCABULARY = """
create a the folder file called in inside on it that drive d : and then , . ; don't every if open
go to youtube search for nvidia delete rename move a.txt notes write append with content set volume
30 % by wait until is hidden find all pdf files desktop documents take put from ' " “ ” `
"""
ODD = ["{x}", "}", "{", "{it}", "{0}", "{}", "\n", "\ue000", "\ue0000\ue001", "'", "a:b"]
SPOKEN = st.lists(st.sampled_from([*VOCABULARY.split(), *ODD]), max_size=12).map(" ".join)
EXTENDED = st.builds(
    "{} {} {}".format,
    st.sampled_from(GRAMMAR.examples()),
    st.sampled_from(["", "inside", "in", "on the", "and"]),
    st.sampled_from(ODD) | SPOKEN,
)
ANYTHING = st.one_of(st.text(max_size=40), SPOKEN, EXTENDED, st.text(alphabet=" ,.'\"{}:%and"))


@given(ANYTHING)
@example("create a folder x inside {a}")
@example("create a folder x inside }")
def test_no_text_whatever_breaks_the_grammar(text: str) -> None:
    match GRAMMAR.parse(text):
        case Misunderstanding((start, end), message):
            assert message
            assert 0 <= start <= end <= len(text)
        case drafts:
            assert drafts


SITES = {engine.hosts[0] for engine in search_engines().values()}
FIXED = {str(value) for frame in GRAMMAR.table.phrases.frame for value in frame.params.values()}
# What frames put between the words for a thing and those for its place.
WORDED = {
    word
    for frame in GRAMMAR.table.phrases.frame
    for words in frame.worded.values()
    for word in words.split()
}
ALLOWED = {
    str(value)
    for rule in GRAMMAR.rules.values()
    for parameter in rule.params.values()
    for value in parameter.allowed
}


HELD = {0xE000: " ", 0xE001: " "}  # what the grammar itself marks quoted text with
QUOTES: dict[int, None] = dict.fromkeys(map(ord, "\"'“”‘’`"))


def bare(text: str) -> str:
    """Give a text without its quotation marks, in small letters."""
    return text.translate(HELD).translate(QUOTES).casefold()


@given(ANYTHING)
@example("search for salt and , pepper")
@example("BY 0 iN 0 wRITE 0")
@example("in the search box, enter black cats in create on")
def test_every_word_of_a_goal_stands_in_the_sentence(text: str) -> None:
    understanding = GRAMMAR.parse(text)
    for draft in understanding if isinstance(understanding, tuple) else ():
        for words in texts_of(draft):
            known = words in SITES or words in FIXED | ALLOWED or words == draft.params.get("keys")
            said = all(each.strip("*.") in bare(text) for each in re.split("[&|]", bare(words)))
            # What stands before the verb is put behind the thing: each of its words must be there.
            heard = {*re.split(r"[\s,]+", bare(text)), *WORDED}
            led = words in draft.roles.values() and set(bare(words).split()) <= heard
            assert known or said or led


@given(st.text(max_size=20).filter(lambda text: '"' not in text and text.isprintable()))
def test_quoted_text_is_taken_as_it_stands(name: str) -> None:
    assert read(f'write "{name}" to notes.txt')[0].params["content"] == name.translate(HELD)


ON_A_PAGE = [
    ("Follow Sea Watch", "Follow Sea Watch"),
    ("Reject all cookies", "Reject all cookies"),
    ("Sign in with Google", "Sign in with Google"),
    ("upvote the question", "upvote the question"),
]


@pytest.mark.parametrize(("text", "target"), ON_A_PAGE)
def test_before_a_page_words_may_be_what_the_page_calls_something(text: str, target: str) -> None:
    drafts = GRAMMAR.parse(text, on_page=True)
    assert isinstance(drafts, tuple)
    assert [(f"{draft.domain}.{draft.verb}", dict(draft.roles)) for draft in drafts] == [
        ("browser.use", {"target": target})
    ]
    assert isinstance(GRAMMAR.parse(text), Misunderstanding)


ON_A_PAGE_AND_ELSEWHERE = {
    "switch to the week view": ("app.focus", "browser.use"),
    "close the tour": ("app.close", "browser.use"),
    "open the terms": ("app.launch", "browser.use"),
    "delete the newest van": ("file.delete", "browser.use"),
    "what is the humidity": (None, "browser.read"),
    "how much is the soup": (None, "browser.read"),
    "search the members for prado": ("browser.search", "browser.type"),
}


@pytest.mark.parametrize(("text", "goals"), ON_A_PAGE_AND_ELSEWHERE.items())
def test_before_a_page_its_things_come_first(text: str, goals: tuple[str | None, str]) -> None:
    for on_page, goal in zip((False, True), goals, strict=True):
        drafts = GRAMMAR.parse(text, on_page=on_page)
        first = f"{drafts[0].domain}.{drafts[0].verb}" if isinstance(drafts, tuple) else None
        assert first == goal


@pytest.mark.parametrize(
    "text",
    [
        "delete the newest pdf",
        "delete the newest file",
        "open firefox",
        "switch to firefox",
        "what time is it",
        "search the web for black cats",
    ],
)
def test_before_a_page_what_speaks_of_the_machine_is_done_there(text: str) -> None:
    assert GRAMMAR.parse(text, on_page=True) == GRAMMAR.parse(text)


@pytest.mark.parametrize(
    "text", ["I'll type the password myself", "type the code by hand", "sign in myself"]
)
def test_what_a_person_wants_to_do_is_left_to_them(text: str) -> None:
    drafts = read(text, on_page=True)
    assert [f"{draft.domain}.{draft.verb}" for draft in drafts] == ["browser.hand_over"]


@pytest.mark.parametrize(
    "text",
    [
        "don't follow Sea Watch",
        "follow Ann if it rains",
        "follow Ann every day",
        "I forgot my password",
        "why is it slow",
    ],
)
def test_before_a_page_what_is_no_order_is_still_none(text: str) -> None:
    assert isinstance(GRAMMAR.parse(text, on_page=True), Misunderstanding)
