"""Sentences that could be meant in two ways of different effect: a question, not a coin toss."""

from collections.abc import Iterator
from itertools import count

import pytest

from actors.interpreter.grammar import Doubt, Misunderstanding
from messages import wire
from messages.commanding import Admit, AnswerQuestion, Tick
from messages.goals import GoalDraft
from messages.message import Value
from messages.results import Code
from tests.daemon import Daemon, Event, Wire, running_daemon
from tests.parts import FakeTool, Listener, house
from tests.test_sentences import GRAMMAR

NUMBER = count()
TICKS_OF_A_QUESTION = 1_200
DOUBTFUL = [
    "don't open firefox and delete a.txt",
    "do not mute the volume, create a folder b",
    "in x delete b.txt; delete a.txt",
    "delete the folder old?",
    "click What?",
    "CLICK WHO IS IT?",
    "click Save, or What now?",
    "press Delete",
    "click Save and press Home",
    "select Terms and Conditions",
    "select Trinidad and Tobago from the country list",
    "click Edit, then select Sounds and Vibration",
    "To save, click Save; to cancel, click Cancel.",
    "Click Save to keep your changes. Click Cancel to discard them.",
    "Press Enter to save. Press Escape to close the form.",
    "Click Add to add a row and click Remove to delete it.",
    "To save, go to File > Save. To print, press Ctrl+P.",
    "For light mode click Light. For dark mode click Dark.",
]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with running_daemon(tmp_path_factory.mktemp("doubts")) as running:
        yield running


def asked(daemon: Daemon, text: str, **fields: object) -> tuple[Wire, Event]:
    """Send a sentence, and give the question that comes of it."""
    connection = daemon.connect()
    command = f"d{next(NUMBER)}"
    connection.submit(command, session=command, text=text, **fields)
    return connection, connection.read_until(type="question")[-1]


def answered(connection: Wire, question: Event, choice: int | str) -> Event:
    """Answer a question, and give how the command ended."""
    connection.send(
        {"type": "answer", "id": "a", "question": question["question"], "choice": choice}
    )
    return connection.read_until(type="finished")[-1]


def gist(draft: GoalDraft) -> tuple[str, dict[str, Value], list[str]]:
    """Give what a goal is about, quotation marks aside."""
    return draft.verb, dict(draft.params), [words.strip("'") for words in draft.roles.values()]


@pytest.mark.parametrize("text", DOUBTFUL)
def test_every_way_out_is_a_command_that_means_it(text: str) -> None:
    doubt = GRAMMAR.parse(text)
    assert isinstance(doubt, Doubt), doubt
    start, end = doubt.span
    assert 0 <= start < end <= len(text)
    assert len({way.text for way in doubt.ways}) == len(doubt.ways)
    for way in doubt.ways:
        again = GRAMMAR.parse(way.text)
        if isinstance(again, tuple):
            said = [gist(draft) for draft in again]
            assert [gist(draft) for draft in way.drafts][-len(said) :] == said
        else:  # by this way the clause is not done
            assert isinstance(again, Misunderstanding), again
            assert way.text.startswith("don't ")


@pytest.mark.parametrize(
    "text",
    [
        "click No below How do I cancel my membership?",
        "expand the question Do you ship abroad?",
        "press the Delete key",
        "press delete",
        "press Ctrl+A, then press Delete",
        "don't open firefox but delete a.txt",
        "could you delete the folder old?",
        "don't click Cancel, click Retry instead",
        "check the boxes Red and Blue",
        "tick the Terms and Conditions box",
        "select Books and Music from the Categories list",
        "check apples and pears",
        "To open the menu, click File. Then, to print, click Print.",
        "Click OK to close the dialog and then Apply to save your changes.",
        "To block a number, click Calls > Blocked numbers and click Add.",
    ],
)
def test_what_is_plain_is_not_asked_about(text: str) -> None:
    assert isinstance(GRAMMAR.parse(text), tuple)


@pytest.mark.parametrize(
    "text",
    [
        "don't open x.txt and close firefox and delete a.txt",
        "in reports create a.txt and create b.txt and create c.txt",
        "do not mute, open firefox, delete a.txt?",
    ],
)
def test_of_two_doubts_in_one_text_neither_is_guessed(text: str) -> None:
    understanding = GRAMMAR.parse(text)
    assert isinstance(understanding, Misunderstanding)
    assert "a command of its own" in understanding.message


def test_yes_is_no_answer_to_which_of_two(daemon: Daemon) -> None:
    connection, question = asked(daemon, "click Save and press Delete")
    request = {"type": "answer", "id": "a", "question": question["question"], "choice": "yes"}
    connection.send(request)
    assert connection.read()["code"] == "BAD_CHOICE"
    assert answered(connection, question, 2)["code"] == "TARGET_NOT_FOUND"


@pytest.mark.parametrize(
    ("text", "choice", "made"),
    [
        ("in x create p.txt; create q.txt", 1, "x/q.txt"),
        ("in x create p.txt; create q.txt", 2, "q.txt"),
        ("create the folder asked?", 1, "asked"),
    ],
)
def test_places_and_question_marks_are_asked_about(
    daemon: Daemon, text: str, choice: int, made: str
) -> None:
    (daemon.root / "x").mkdir(exist_ok=True)
    connection, question = asked(daemon, text)
    assert not (daemon.root / made).exists()
    assert answered(connection, question, choice)["status"] == "success"
    assert (daemon.root / made).exists()


@pytest.mark.parametrize(
    ("choice", "gone"),
    [(1, True), ("1", True), ("delete a.txt", True), ("yes", True), (2, False), ("no", False)],
)
def test_an_answer_decides_what_is_done(daemon: Daemon, choice: int | str, *, gone: bool) -> None:
    target = daemon.root / "a.txt"
    target.write_text("precious")
    connection, question = asked(daemon, "don't open firefox and delete a.txt")
    assert target.exists()
    assert [option["text"] for option in question["options"]] == [
        "delete a.txt",
        "don't delete a.txt",
    ]
    finished = answered(connection, question, choice)
    assert finished["status"] == ("success" if gone else "cancelled")
    assert target.exists() is not gone


def test_an_answer_that_is_none_of_the_ways_out_is_refused_and_the_question_stays(
    daemon: Daemon,
) -> None:
    connection, question = asked(daemon, "don't open firefox and create a folder c")
    for choice in (3, "perhaps"):
        request = {"type": "answer", "id": "a", "question": question["question"], "choice": choice}
        connection.send(request)
        assert connection.read()["code"] == "BAD_CHOICE"
    assert answered(connection, question, 1)["status"] == "success"


def test_a_plan_is_asked_about_too_and_does_nothing(daemon: Daemon) -> None:
    connection, question = asked(daemon, "don't open firefox and create a folder p", mode="plan")
    finished = answered(connection, question, 1)
    assert finished["status"] == "success"
    assert not (daemon.root / "p").exists()


def test_a_question_shows_in_the_state_and_can_be_cancelled(daemon: Daemon) -> None:
    connection, question = asked(daemon, "don't open firefox and create a folder s")
    connection.send({"type": "status", "id": "s", "command": question["command"]})
    state = connection.read_until(type="state")[-1]
    assert [each["question"] for each in state["questions"]] == [question["question"]]
    connection.send({"type": "cancel", "id": "c", "command": question["command"]})
    assert connection.read_until(type="finished")[-1]["status"] == "cancelled"
    assert not (daemon.root / "s").exists()


def test_another_command_of_the_session_sets_the_question_aside(daemon: Daemon) -> None:
    connection = daemon.connect()
    connection.submit("first", session="aside", text="don't open firefox and create a folder t")
    connection.read_until(type="question")
    connection.submit("second", session="aside", text="what time is it")
    finished = connection.read_until(type="finished", command="first")[-1]
    assert (finished["status"], finished["code"]) == ("failed", "NOT_UNDERSTOOD")
    assert connection.read_until(type="finished", command="second")[-1]["status"] == "success"
    assert not (daemon.root / "t").exists()


async def test_a_question_about_words_that_nobody_answers_ends_the_command() -> None:
    tool = FakeTool("system_get:time")
    async with house(tool) as actors:
        listener = Listener()
        actors.parts.gateway.switchboard.attach("c1", listener)
        text = "don't mute the volume and tell me the time"
        await actors.orchestrator.ask(Admit(wire.Submit("c1", text=text)))
        question = await listener.first(wire.Question)
        for _ in range(TICKS_OF_A_QUESTION):
            await actors.orchestrator.tell(Tick(0.0))
        finished = await listener.finished()
        late = AnswerQuestion(wire.Answer("a", question.question, 1))
        await actors.orchestrator.ask(late)
    assert (finished.status, finished.code) == ("failed", Code.NOT_UNDERSTOOD)
    assert tool.calls == []
