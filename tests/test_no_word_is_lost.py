"""Every content word of a command ends up in a goal, a value, a name for a thing, or is named.

What may be passed over without a word is a closed list (``empty_words``) and whole sayings of
noise; the rest of this suite checks the list itself, and the grammar over all sentences that are
known and many that are made.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from actors.interpreter.grammar import Heard, Misunderstanding
from actors.interpreter.grammar.closed_frames import load_table
from actors.interpreter.grammar.generating import utterances
from actors.interpreter.grammar.later import LASTING
from actors.interpreter.grammar.surrounding import Surroundings
from actors.language.chores import chore_words
from actors.language.file_conditions import condition_words
from actors.language.file_frames import read_requests
from actors.language.words import fold, singular
from messages.goals import GoalDraft, scopes
from messages.message import Value
from tests.sentences import CORPORA, entries
from tests.test_sentences import GRAMMAR

PAGES = Path(__file__).parent / "pages"
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
SPOKEN = re.compile(r"[^\s,.;:!?]+")
# A number, perhaps with its unit; the letter of a step.
MEASURE = re.compile(r"\d+(?:s|px|ms|st|nd|rd|th)?|[a-h]")
LEAST = 20_000
PAGELESS = {entry.text for entry in entries("devices")}  # said where no page is shown
SHOWN = 20
STRIDE = 4_099  # a prime: every sentence meets another
TABLE = GRAMMAR.table
LEXICON = TABLE.lexicon
# Sites, keys, numbers, directions and the like are told by their names, and have other values.
TOLD = frozenset(
    word
    for saying in (
        *LEXICON.sites,
        *LEXICON.numbers,
        *LEXICON.units,
        *TABLE.phrases.keys,
        *TABLE.phrases.held_keys,
        *(" ".join(said) for sayings in LEXICON.values.values() for said in sayings),
    )
    for word in map(singular, WORD.findall(fold(saying)))
)


def words_of(text: str) -> set[str]:
    """Give the words of a text as they are compared."""
    return {singular(word.replace("’", "'")) for word in WORD.findall(fold(text))}


def fixed_words(drafts: Iterable[GoalDraft]) -> set[str]:
    """Give the words by which the table says these goals."""
    goals = {f"{draft.domain}.{draft.verb}" for draft in drafts}
    return set().union(*(SAID[goal] for goal in goals if goal in SAID))


def words_by_goal() -> dict[str, set[str]]:
    """Give, for every goal, the words of the templates that say it, lists included."""
    found: dict[str, set[str]] = {}
    listed = {name: words_of(" ".join(words)) for name, words in TABLE.phrases.lists.items()}
    for frame in TABLE.phrases.frame:
        said = set().union(*(of_template(says, listed) for says in frame.says))
        for goal in (*frame.all_goals(), *filter(None, [frame.on_page])):
            found.setdefault(goal, set()).update(said)
    return found


def of_template(says: str, listed: dict[str, set[str]]) -> set[str]:
    plain = re.sub(r"\{[^}]*\}|<[^>]*>", " ", says)
    return words_of(plain).union(*(listed[name] for name in re.findall(r"<([\w ]+)>", says)))


def closed_words_by_goal() -> dict[str, set[str]]:
    """Give, for every goal, the words of the closed frames that say it, their fillers included."""
    closed = load_table()
    found: dict[str, set[str]] = {"schedule.command": set(LASTING)}
    found["file.check"] = words_of(" ".join(condition_words()))
    found["browser.sign_in"] = set().union(
        *(of_template(says, {}) for says in chore_words().sign_in)
    )
    for frame in closed.frame:
        led = [lead for slot in frame.slots.values() for lead in (*slot.after, *slot.joined)]
        names = [*frame.needs, *frame.may, *(lead[1:] for lead in led if lead[:1] == "@")]
        sayings = [saying for name in names for saying in closed.concepts[name]]
        sayings += [saying for name in frame.fill for saying in closed.fillers[name]]
        for slot in frame.slots.values():
            sayings += [
                *closed.values.get(slot.values, ()),
                *(["percent"] * (slot.type == "percent")),
            ]
        leading = ["if"] if frame.condition else []  # it makes the goals behind it wait
        found.setdefault(frame.goal, set()).update(words_of(" ".join([*sayings, *led, *leading])))
    return found


SAID = words_by_goal()
for _goal, _words in closed_words_by_goal().items():
    SAID.setdefault(_goal, set()).update(_words)
LISTED = {name: words_of(" ".join(words)) for name, words in TABLE.phrases.lists.items()}
PLACED = {
    word
    for place in TABLE.phrases.place
    for says in place.says
    for word in of_template(says, LISTED)
}
# "the checkboxes Red and Blue": the kind of what is listed says nothing of its members.
KINDS = {singular(word) for words in LEXICON.kinds.values() for word in words} | {"both"}
EMPTY = {singular(word) for word in TABLE.empty_words}
NOISE = tuple(saying for listed in TABLE.noise_sayings.sayings.values() for saying in listed)
LITTLE_WORDS = {"of", "to", "in", "on", "at", "for", "with", "from", "by", "as", "is", "are", "it"}
NUMBERED = {"step"}  # what numbers a line is no word of it


def kept_words(heard: Heard) -> set[str]:
    """Give all words of what a text came to."""
    drafts = heard.understanding
    assert isinstance(drafts, tuple)
    kept = words_of(" ".join(heard.passed_over))
    for draft in drafts:
        values = [*draft.params.values(), *draft.roles.values(), draft.words or ""]
        kept |= words_of(" ".join(map(str, [*values, *scopes(draft.scope)])))
    return kept


def lost_words(text: str, heard: Heard) -> set[str]:
    """Give the words of a text that are in nothing it came to, and in no closed list."""
    drafts = heard.understanding
    if not isinstance(drafts, tuple):
        return set()  # it was refused or asked about, in its own words
    if read_requests(text, GRAMMAR.table.lexicon.endings) is not None:
        return set()  # of sets of files all words are read, or none: each stands in its table
    empty = EMPTY | LITTLE_WORDS | NUMBERED | noise_in(text)
    known = kept_words(heard) | fixed_words(drafts) | PLACED | KINDS | empty
    joined = "".join(sorted(known))
    return {
        word
        for word in words_of(text) - known
        if word not in TOLD and not MEASURE.fullmatch(word) and not is_part_of(word, joined)
    }


def noise_in(text: str) -> set[str]:
    """Give the words of the sayings of noise that stand whole in a text."""
    said = SPOKEN.findall(fold(text.replace("’", "'")))
    plain = f" {' '.join(said)} "
    whole = [saying for saying in NOISE if f" {' '.join(saying)} " in plain]
    return {singular(word) for saying in whole for word in saying}


def is_part_of(word: str, joined: str) -> bool:
    """Tell whether a word was written together with another: an address, a date, a form of it."""
    stem = word.removesuffix("ing").removesuffix("ed")
    doubled = stem[:-1] if stem[-2:-1] == stem[-1:] else stem
    return len(stem) > 2 and (stem in joined or doubled in joined)


def known_sentences() -> Iterator[tuple[str, bool]]:
    for name in (*CORPORA, "held_back", "held_back_2"):
        yield from ((entry.text, False) for entry in entries(name))
    yield from ((entry.text, True) for entry in entries("on_a_page"))
    for page in sorted(PAGES.glob("**/*.txt")):
        lines = page.read_text(encoding="utf-8").splitlines()
        yield from ((line.removeprefix("> "), True) for line in lines if line.startswith("> "))


def made_sentences() -> Iterator[tuple[str, bool]]:
    around = Surroundings.of(TABLE)
    for source in (utterances(TABLE), around.placed(), around.polite(), around.joined()):
        yield from ((each.text, each.frame.page_only) for each in source)


def paired_sentences() -> Iterator[tuple[str, bool]]:
    """Say two sentences in one breath, each with one that is far from it in the table."""
    said = [text for text, on_page in made_sentences() if not on_page]
    for index, text in enumerate(said):
        other = said[(index * STRIDE + STRIDE) % len(said)]
        yield f"{text}, and then {other}", False


def test_no_word_of_any_known_or_made_sentence_is_lost() -> None:
    said = [*known_sentences(), *made_sentences(), *paired_sentences()]
    lost: list[str] = []
    for text, on_page in said:
        is_pageless = text in PAGELESS
        heard = GRAMMAR.read(text, on_page=on_page, without_page=is_pageless)
        missing = lost_words(text, heard)
        if missing:
            lost.append(f"{text!r} loses {sorted(missing)}")
    assert not lost, "\n".join([*lost[:SHOWN], f"{len(lost)} in all"])
    assert len(said) >= LEAST


RESTRICTING = {"not", "no", "never", "without", "except", "only", "but", "unless", "if", "or"}


def test_no_filler_of_a_closed_frame_can_restrict_what_is_said() -> None:
    fillers = [each for sayings in load_table().fillers.values() for each in sayings]
    assert not [saying for saying in fillers if RESTRICTING.intersection(saying.split())]


RESTRICTED = (
    "show me the files in documents, not the folders",
    "find all pdf files in downloads, but not the old ones",
    "list the running apps but not firefox",
    "list what is in downloads, but don't show the pictures",
)


@pytest.mark.parametrize("text", RESTRICTED)
def test_what_is_to_be_left_out_is_never_passed_over(text: str) -> None:
    assert isinstance(GRAMMAR.parse(text), Misunderstanding)


PASSED = {
    "To free some space, delete old.log": ("To free some space",),
    "mute the sound, i've got a call": ("i've got a call",),
    "close gimp but don't close krita": ("don't close krita",),
    "click Save to keep your changes": ("to keep your changes",),
    "A new window opens. Click Done.": ("A new window opens",),
    "hey, could you please mute the volume now, thanks": (),
}


@pytest.mark.parametrize(("text", "passed"), PASSED.items())
def test_what_became_part_of_no_goal_is_named(text: str, passed: tuple[str, ...]) -> None:
    assert GRAMMAR.read(text).passed_over == passed


def goals(text: str, *, on_page: bool = False) -> list[tuple[str, dict[str, Value]]]:
    drafts = GRAMMAR.parse(text, on_page=on_page)
    assert isinstance(drafts, tuple), drafts
    return [(f"{draft.domain}.{draft.verb}", dict(draft.params)) for draft in drafts]


@pytest.mark.parametrize(
    "text",
    [
        'create folders "a" and "b"',
        "create folders a and b",
        'make two directories "a" and "b"',
        'create a folder "a" and "b"',
    ],
)
def test_every_member_of_a_list_is_of_the_kind_that_was_said(text: str) -> None:
    kinds = {"object_type": "folder"}
    expected = [("file.create", {**kinds, "name": name}) for name in ("a", "b")]
    assert goals(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        'replace "a" with "b" in notes.txt',
        "replace foo by bar in notes.txt",
        'swap "x" for "y" throughout the file list.md',
        'substitute "tea" in menu.txt with "coffee"',
    ],
)
def test_a_part_of_a_file_that_is_to_be_replaced_is_never_all_of_it(text: str) -> None:
    ((goal, params),) = goals(text)
    assert goal == "file.replace"
    assert set(params) == {"name", "old", "new"}


@pytest.mark.parametrize(
    "text",
    [
        "OK google, mute the volume",
        "ok computer mute the volume",
        "Alexa, mute the volume",
        "hey siri mute the volume",
        "Okay Behest, mute the volume",
    ],
)
def test_a_wake_word_is_nothing_to_do(text: str) -> None:
    assert goals(text) == [("audio.mute", {})]


def test_to_restart_a_program_is_to_close_it_and_only_then_to_launch_it() -> None:
    drafts = GRAMMAR.parse("restart firefox")
    assert isinstance(drafts, tuple)
    assert [(each.verb, each.params, each.scope) for each in drafts] == [
        ("close", {"name": "firefox"}, "root"),
        ("launch", {"name": "firefox"}, "after:g0"),
    ]


SELECTORS = {
    "type hello into #email": ("browser.type", {"text": "hello", "selector": "#email"}),
    "click .btn-primary": ("browser.click", {"selector": ".btn-primary"}),
    "click the #save button": ("browser.click", {"selector": "#save"}),
    "tick [name=terms]": ("browser.check", {"selector": "[name=terms]"}),
    "drag #a to #b": ("browser.drag", {"selector": "#a", "to": "#b"}),
    "wait for div#result": ("browser.wait", {"selector": "div#result"}),
}


@pytest.mark.parametrize(("text", "expected"), SELECTORS.items())
@pytest.mark.parametrize("on_page", [False, True])
def test_a_selector_that_is_spelled_out_is_a_selector(
    text: str, expected: tuple[str, dict[str, Value]], *, on_page: bool
) -> None:
    assert goals(text, on_page=on_page) == [expected]


@pytest.mark.parametrize("text", ["click #42", "click 3.5", "click Save the date"])
def test_what_is_no_selector_stays_a_name(text: str) -> None:
    drafts = GRAMMAR.parse(text, on_page=True)
    assert isinstance(drafts, tuple)
    assert all(draft.roles for draft in drafts)


FOLLOWING = (
    "create a folder a, then mute the volume",
    "create a folder a. After that, mute the volume.",
    "create a folder a and afterwards mute the volume",
    "create a folder a; next, mute the volume",
    "create a folder a. Finally mute the volume",
    "before you mute the volume, create a folder a",
    "mute the volume after creating a folder a",
    "create a folder a and once that's done mute the volume",
)


@pytest.mark.parametrize("text", FOLLOWING)
def test_what_is_said_to_come_later_waits_for_what_comes_before(text: str) -> None:
    drafts = GRAMMAR.parse(text)
    assert isinstance(drafts, tuple)
    assert [(each.domain, each.scope) for each in drafts] == [
        ("file", "root"),
        ("audio", "after:g0"),
    ]


def test_what_comes_then_waits_for_all_that_came_before() -> None:
    drafts = GRAMMAR.parse("create a folder a and mute the volume, then open firefox")
    assert isinstance(drafts, tuple)
    assert [each.scope for each in drafts] == ["root", "root", ("after:g0", "after:g1")]


def test_and_alone_makes_no_order_between_things_of_different_kinds() -> None:
    drafts = GRAMMAR.parse("create a folder a and mute the volume")
    assert isinstance(drafts, tuple)
    assert [each.scope for each in drafts] == ["root", "root"]


IN_A_LIST = (
    "create folders q, then r, then s",
    "open firefox then gimp",
    "append x to nothere.txt then old.log",
)


@pytest.mark.parametrize("text", IN_A_LIST)
def test_then_in_a_list_makes_each_wait_for_the_one_before(text: str) -> None:
    drafts = GRAMMAR.parse(text)
    assert isinstance(drafts, tuple)
    assert [each.scope for each in drafts] == [
        "root",
        *(f"after:g{index}" for index in range(len(drafts) - 1)),
    ]


def test_what_is_said_to_be_first_comes_first() -> None:
    drafts = GRAMMAR.parse("create a folder q, but delete a.txt first")
    assert isinstance(drafts, tuple)
    assert [(each.verb, each.scope) for each in drafts] == [
        ("delete", "root"),
        ("create", "after:g0"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "delete b.txt, otherwise delete c.txt",
        "delete a.txt; instead delete b.txt",
        "delete a.txt. Sorry, delete b.txt",
        "mute the volume, alternatively close firefox",
    ],
)
def test_of_two_that_are_said_for_each_other_none_is_done(text: str) -> None:
    assert isinstance(GRAMMAR.parse(text), Misunderstanding)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("create folders left and right", ["left", "right"]),
        ("create folders question and answer", ["question", "answer"]),
        ("create folders good, best and love", ["good", "best", "love"]),
    ],
)
def test_a_member_of_a_list_is_never_an_empty_word(text: str, names: list[str]) -> None:
    assert [params["name"] for _, params in goals(text)] == names


@pytest.mark.parametrize(
    "text",
    [
        "make three folders called qq",
        "create five folders q and r",
        "turn up the volume by 10 but not over 50",
        "click Save and next",
    ],
)
def test_what_would_be_done_only_in_part_is_refused(text: str) -> None:
    assert isinstance(GRAMMAR.parse(text), Misunderstanding)


@pytest.mark.parametrize("text", ["delete Milk and Eggs", "star Bob and Lunch", "archive A or B"])
def test_of_two_things_a_page_is_never_asked_to_use_one(text: str) -> None:
    drafts = GRAMMAR.parse(text, on_page=True)
    used = (
        [each.roles for each in drafts if each.verb == "use"] if isinstance(drafts, tuple) else []
    )
    assert not any("and" in str(roles) or " or " in str(roles) for roles in used)
