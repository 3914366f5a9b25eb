"""Questions, sets and pronouns: what happens when words mean several things, or one thing again."""

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from structlog.testing import capture_logs

from messages import wire
from messages.commanding import Admit, Admitted, AnswerQuestion, Known, Report, Tick, TurnedAway
from messages.executing import Done, Outcome, Refused
from messages.goals import GoalDraft
from messages.results import Code
from messages.worlds import Thing, World
from run import compose
from tests.daemon import PATIENCE, PROJECT, Daemon, Event, Wire, running_daemon
from tests.parts import (
    Act,
    Args,
    FakeTool,
    Gate,
    House,
    Listener,
    fail,
    house,
    in_a_room,
    in_turn,
    succeed,
)
from tools.logs import TraceLog, span_ids
from tools.settings import Settings
from tools.text_world.bundle import load_bundle
from tools.worlds import Machine, open_machine

TICKS_OF_A_QUESTION = 1_200
LONGER_THAN_A_COMMAND_MAY_TAKE = 700.0
ROPES = ("red-rope", "blue-rope")
POSTS = ("tall-post", "short-post")
COINS = ("coin-1", "coin-2", "coin-3")


def in_the_attic(name: str, called: str, *adjectives: str, **more: object) -> dict[str, Any]:
    where = {"location": "attic", "adjectives": list(adjectives)}
    return {"id": name, "name": called, **where, **more}


NUDGE = {
    "rules": {"direct": {}},
    "scopeProfile": {"direct": ["room"]},
    "sets": ["direct"],
    "requires": [{"who": "room", "lacks": ["dusty"], "message": "the dust makes you sneeze"}],
    "effects": [{"state": {"who": "room", "add": ["dusty"]}}],
    "says": "You nudge {direct}.",
}
TIE = {
    "rules": {"directIndirect": {"acceptedRelations": ["to"]}},
    "scopeProfile": {"direct": ["inventory", "room"], "indirect": ["room"]},
    "effects": [{"state": {"who": "direct", "add": ["tied"]}}],
    "says": "You tie {direct} to {indirect}.",
}
LIGHT = {
    "rules": {"direct": {}},
    "scopeProfile": {"direct": ["inventory", "room"]},
    "effects": [{"state": {"who": "direct", "add": ["lit"]}}],
    "says": "You light {direct}.",
}
ATTIC: Mapping[str, Any] = {
    "name": "attic",
    "verbs": {"nudge": NUDGE, "tie": TIE, "light": LIGHT},
    "world": {
        "actor": "me",
        "things": [
            {"id": "attic", "name": "attic", "kind": "room", "exits": {"down": "hall"}},
            {"id": "hall", "name": "hall", "kind": "room", "exits": {"up": "attic"}},
            {"id": "me", "name": "you", "kind": "player", "location": "attic"},
            in_the_attic("red-rope", "rope", "red"),
            in_the_attic("blue-rope", "rope", "blue"),
            in_the_attic("tall-post", "post", "tall", state=["fixed"]),
            in_the_attic("short-post", "post", "short", state=["fixed"]),
            *(in_the_attic(name, "gold coin") for name in COINS),
            in_the_attic("lamp", "lamp"),
            {"id": "hidden-rope", "name": "rope", "adjectives": ["green"], "location": "hall"},
        ],
    },
}


# A daemon that plays, and its clients


def bundle_in(folder: Path) -> Path:
    path = folder / "attic.json"
    path.write_text(json.dumps(ATTIC))
    return path


@pytest.fixture(scope="module")
def attic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon with a world that no test of it changes."""
    folder = tmp_path_factory.mktemp("attic")
    with running_daemon(folder, arguments=("--world", str(bundle_in(folder)))) as daemon:
        yield daemon


@pytest.fixture
def client(attic: Daemon) -> Iterator[Wire]:
    connection = attic.connect()
    yield connection
    connection.close()


numbers = count(1)


def new_name() -> str:
    return f"c{next(numbers)}"


def asked(client: Wire, text: str = "examine rope", **fields: object) -> Event:
    """Say something that can mean several things, in a session of its own; give the question."""
    name = new_name()
    client.submit(name, **{"text": text, "session": name, **fields})
    return client.read_until(type="question", command=name)[-1]


def answer(client: Wire, question: Event, choice: int | str) -> None:
    fields = {"question": question["question"], "choice": choice}
    client.send({"type": "answer", "id": "answer", **fields})


def end_after(client: Wire, question: Event, choice: int | str) -> list[Event]:
    """Answer, and read to the end of the command that asked."""
    answer(client, question, choice)
    return client.read_until(type="finished", command=question["command"])


def put_again(client: Wire, question: Event, choice: int | str) -> Event:
    """Answer what does not answer; give the question as it comes again."""
    answer(client, question, choice)
    return client.read_until(type="question", command=question["command"])[-1]


def bound_in(events: list[Event]) -> list[str]:
    return [event["target"] for event in events if event["type"] == "resolved"]


def state_of(client: Wire, command: str) -> Event:
    client.send({"type": "status", "id": "s", "command": command})
    return client.read_until(type="state", id="s")[-1]


def open_questions(client: Wire, command: str) -> list[str]:
    return [question["question"] for question in state_of(client, command)["questions"]]


# The same in one process, with a world of one's own


class Stage(House):
    """All actors, and a world that is played in."""

    machine: Machine

    async def say(self, name: str, text: str, session: str = "default", **more: Any) -> Listener:
        """Submit words; give what their client hears."""
        listener = Listener()
        self.parts.gateway.switchboard.attach(name, listener)
        submit = wire.Submit(name, text, session=session, **more)
        assert await self.orchestrator.ask(Admit(submit)) == Admitted()
        return listener

    async def end(self, text: str, session: str = "default", **more: Any) -> wire.Finished:
        """Say something and wait for its end."""
        return await (await self.say(new_name(), text, session, **more)).finished()

    async def bound(self, text: str, session: str = "default") -> list[str]:
        """Say something that succeeds; give what it was bound to."""
        heard = await self.say(new_name(), text, session)
        finished = await heard.finished()
        assert finished.status == "success", finished.message
        return [event.target for event in heard.all(wire.Resolved)]

    async def question(self, text: str, session: str = "default") -> tuple[Listener, wire.Question]:
        heard = await self.say(new_name(), text, session)
        return heard, await heard.first(wire.Question)

    async def answer(self, question: wire.Question, choice: int | str) -> Known | TurnedAway:
        request = wire.Answer("a", question.question, choice)
        return await self.orchestrator.ask(AnswerQuestion(request))

    async def answering_all(self, heard: Listener) -> wire.Finished:
        """Answer whatever a command asks by the first option that is left, to its end."""
        async with anyio.create_task_group() as tasks:
            for number in range(1, 10):
                tasks.start_soon(self.answer_nth, heard, number)
            finished = await heard.finished()
            tasks.cancel_scope.cancel()
        return finished

    async def answer_nth(self, heard: Listener, number: int) -> None:
        command = (await heard.first(wire.Accepted)).command
        question = await heard.first(wire.Question, question=f"{command}:q{number}")
        await self.answer(question, 1)

    async def tick(self, times: int, now: float = 0.0) -> None:
        for _ in range(times):
            await self.orchestrator.tell(Tick(now))

    async def world(self) -> World:
        sight = await self.machine.scenes["world"].look("")
        assert isinstance(sight, World)
        return sight

    async def held(self) -> list[str]:
        """Name what the actor carries."""
        return [thing.id for thing in (await self.world()).things if thing.location == "me"]


@asynccontextmanager
async def stage(folder: Path) -> AsyncIterator[Stage]:
    """Play in the attic for the length of a ``with`` block."""
    machine = open_machine({"work": folder}, {}, bundle=load_bundle(bundle_in(folder)))
    with ExitStack() as boxes, capture_logs():
        parts = compose(Settings(), machine, TraceLog(lambda _line: None, span_ids()), boxes)
        async with anyio.create_task_group() as tasks:
            for service in parts.services:
                tasks.start_soon(service)
            playing = Stage(parts)
            playing.machine = machine
            yield playing
            tasks.cancel_scope.cancel()


# Asking


def test_a_question_names_what_tells_the_things_apart(client: Wire) -> None:
    question = asked(client)
    assert question["message"] == "Which rope do you mean: red rope or blue rope?"
    offered = [(each["number"], each["text"]) for each in question["options"]]
    assert offered == [(1, "red rope"), (2, "blue rope")]
    assert tuple(each["target"]["id"] for each in question["options"]) == ROPES


def test_a_question_says_which_goal_and_role_it_is_about_and_how_long_it_waits(
    client: Wire,
) -> None:
    question = asked(client)
    about = {key: question[key] for key in ("goal", "action", "role")}
    assert about == {"goal": "g0", "action": "g0_examine_1", "role": "direct"}
    assert question["seconds"] == 300.0


def test_nothing_is_bound_or_started_before_the_answer(client: Wire) -> None:
    name = new_name()
    client.submit(name, text="examine rope", session=name)
    events = client.read_until(type="question")
    assert [each["type"] for each in events] == ["accepted", "interpreted", "planned", "question"]


ANSWERS: tuple[int | str, ...] = (
    2,
    "2",
    " 2 ",
    "blue rope",
    "the blue rope",
    "BLUE  Rope",
    "the blue one",
    "blue",
    "the second one",
    "the last",
    "examine the blue rope",
    "look at the blue one",
    "blue-rope",
    "the blue rope, please",
)


@pytest.mark.parametrize("choice", ANSWERS)
def test_a_question_can_be_answered_by(client: Wire, choice: int | str) -> None:
    events = end_after(client, asked(client), choice)
    assert bound_in(events) == ["blue-rope"]
    assert events[-1]["status"] == "success"
    assert events[-1]["results"][0]["output"]["seen"] == ["blue-rope"]


def test_after_the_answer_the_command_goes_on_where_it_stood(client: Wire) -> None:
    question = asked(client, "examine the lamp and examine the rope")
    events = end_after(client, question, 1)
    kinds = [event["type"] for event in events if event.get("goal") != "g0"]
    assert kinds == ["state", "resolved", "action_started", "action_finished", "finished"]
    assert [result["status"] for result in events[-1]["results"]] == ["success", "success"]


def test_an_answer_is_answered_by_how_the_command_stands(client: Wire) -> None:
    question = asked(client)
    answer(client, question, 1)
    state = client.read()
    assert (state["type"], state["id"], state["command"]) == (
        "state",
        "answer",
        question["command"],
    )
    assert (state["status"], state["questions"]) == ("running", [])


def test_submitter_and_answerer_both_hear_the_end(attic: Daemon, client: Wire) -> None:
    question = asked(client)
    other = attic.connect()
    assert end_after(other, question, 1)[-1]["status"] == "success"
    ended = client.read_until(type="finished", command=question["command"])
    assert bound_in(ended) == ["red-rope"]


def test_a_question_can_be_answered_after_its_submitter_went_away(attic: Daemon) -> None:
    gone = attic.connect()
    question = asked(gone)
    gone.close()
    assert bound_in(end_after(attic.connect(), question, 2)) == ["blue-rope"]


# Answers that do not answer


@pytest.mark.parametrize("number", [0, 3, -1, 99, 10**15])
def test_a_number_that_is_no_option_is_a_bad_choice_and_the_question_stays(
    client: Wire, number: int
) -> None:
    question = asked(client)
    answer(client, question, number)
    error = client.read()
    assert (error["type"], error["code"], error["id"]) == ("error", "BAD_CHOICE", "answer")
    assert str(number) in error["message"]
    assert open_questions(client, question["command"]) == [question["question"]]
    assert bound_in(end_after(client, question, 1)) == ["red-rope"]


@pytest.mark.parametrize("number", ["3", "0", "99"])
def test_a_number_that_is_no_option_is_a_bad_choice_as_text_too(client: Wire, number: str) -> None:
    question = asked(client)
    answer(client, question, number)
    error = client.read()
    assert (error["type"], error.get("code")) == ("error", "BAD_CHOICE")


UNFIT = (
    "the yellow one",
    "lamp",
    "examine the lamp",
    "xyzzy",
    "not the red one",
    "neither",
    "the red or the blue one",
    "drop the red rope",
)


@pytest.mark.parametrize("words", UNFIT)
def test_words_that_fit_no_option_put_the_question_again_with_what_was_wrong(
    client: Wire, words: str
) -> None:
    question = asked(client)
    again = put_again(client, question, words)
    assert again["question"] == question["question"]
    assert again["options"] == question["options"]
    assert again["message"] != question["message"]
    assert again["message"].endswith(question["message"])
    assert bound_in(end_after(client, question, 1)) == ["red-rope"]


@pytest.mark.parametrize("words", ["the rope", "examine the rope", "the one here"])
def test_words_that_fit_every_option_put_the_same_question_once(client: Wire, words: str) -> None:
    question = asked(client)
    again = put_again(client, question, words)
    assert again["message"].count("?") == 1
    assert again["options"] == question["options"]


def test_several_options_at_once_are_no_answer(client: Wire) -> None:
    question = asked(client)
    again = put_again(client, question, "both")
    assert again["options"] == question["options"]
    assert "choose" not in again["message"]
    assert again["message"].count("?") == 1


def test_a_wrong_answer_names_nothing_that_was_not_offered(client: Wire) -> None:
    again = put_again(client, asked(client), "the green rope")
    assert "green rope" not in again["message"].replace("'green rope'", "")
    assert "lamp" not in put_again(client, asked(client), "the lump")["message"]


def test_what_is_out_of_sight_cannot_be_chosen_by_its_id(client: Wire) -> None:
    question = asked(client)
    assert put_again(client, question, "hidden-rope")["options"] == question["options"]


@pytest.mark.parametrize(
    "choice", ["", None, 1.5, [1], True, "x" * 2_001], ids=lambda choice: repr(choice)[:9]
)
def test_a_malformed_choice_is_a_bad_request_and_the_question_stays(
    client: Wire, choice: Any
) -> None:
    question = asked(client)
    answer(client, question, choice)
    error = client.read()
    assert (error["type"], error["code"], error["path"]) == ("error", "BAD_REQUEST", "$.choice")
    assert open_questions(client, question["command"]) == [question["question"]]


@pytest.mark.parametrize("name", ["nope", "nope:q1", ":", "c:q:1", "q1"])
def test_a_question_that_nobody_asked_is_unknown(client: Wire, name: str) -> None:
    error = client.ask(type="answer", id="a", question=name, choice=1)
    assert (error["type"], error["code"], error["id"]) == ("error", "UNKNOWN_QUESTION", "a")


def test_a_question_that_was_answered_is_unknown(client: Wire) -> None:
    question = asked(client)
    end_after(client, question, 1)
    answer(client, question, 2)
    assert client.read()["code"] == "UNKNOWN_QUESTION"


def test_a_second_answer_that_comes_at_once_changes_nothing(client: Wire) -> None:
    question = asked(client)
    answer(client, question, 1)
    events = end_after(client, question, 2)
    assert bound_in(events) == ["red-rope"]
    assert [each["code"] for each in events if each["type"] == "error"] == ["UNKNOWN_QUESTION"]


def test_words_and_then_a_number_at_once_bind_one_thing(client: Wire) -> None:
    question = asked(client)
    answer(client, question, "the blue one")
    events = end_after(client, question, 1)
    assert len(bound_in(events)) == 1
    assert events[-1]["status"] == "success"


TOGETHER = {"the yellow one": ROPES[:1], "the rope": ROPES[:1], "the blue one": ROPES}


@pytest.mark.parametrize("between", range(8))
@pytest.mark.parametrize(("words", "possible"), TOGETHER.items(), ids=TOGETHER)
async def test_words_and_a_number_that_come_together_are_never_mixed_up(
    tmp_path: Path, words: str, possible: tuple[str, ...], between: int
) -> None:
    async with stage(tmp_path) as playing:
        heard, question = await playing.question("take rope")
        first = wire.Answer("a", question.question, words)
        await playing.orchestrator.tell(AnswerQuestion(first))
        for _ in range(between):
            await anyio.lowlevel.checkpoint()
        accepted = isinstance(await playing.answer(question, 1), Known)
        assert (await heard.finished()).status == "success"
        assert {event.question for event in heard.all(wire.Question)} == {question.question}
        (taken,) = await playing.held()
        assert taken == (ROPES[0] if accepted else possible[-1])


def test_a_command_id_with_colons_can_ask(client: Wire) -> None:
    name = f"a:b:{new_name()}"
    client.submit(name, text="examine rope", session=name)
    question = client.read_until(type="question")[-1]
    assert bound_in(end_after(client, question, 2)) == ["blue-rope"]


# While a question waits


def test_the_state_of_a_command_shows_its_open_question(attic: Daemon, client: Wire) -> None:
    question = asked(client)
    state = state_of(attic.connect(), question["command"])
    assert (state["status"], state["questions"]) == ("running", [question])


def test_the_state_of_a_command_shows_every_open_question(client: Wire) -> None:
    name = new_name()
    goals = [
        {"domain": "world", "verb": "examine", "roles": {"direct": "rope"}},
        {"domain": "world", "verb": "examine", "roles": {"direct": "post"}},
    ]
    client.submit(name, goals=goals, session=name)
    put = [client.read_until(type="question")[-1]["question"] for _ in goals]
    assert sorted(open_questions(client, name)) == sorted(put)


def test_questions_of_one_command_can_be_answered_in_any_order(client: Wire) -> None:
    name = new_name()
    roles = ("rope", "post")
    goals = [{"domain": "world", "verb": "examine", "roles": {"direct": role}} for role in roles]
    client.submit(name, goals=goals, session=name)
    first, second = (client.read_until(type="question")[-1] for _ in goals)
    answer(client, second, 2)
    events = end_after(client, first, 2)
    assert sorted(bound_in(events)) == ["blue-rope", "short-post"]
    assert events[-1]["status"] == "success"


def test_the_same_id_again_gives_the_state_and_leaves_the_question_open(
    attic: Daemon, client: Wire
) -> None:
    question = asked(client)
    again = attic.connect()
    again.submit(question["command"], text="look", session=question["command"])
    state = again.read()
    assert (state["type"], state["questions"]) == ("state", [question])
    assert bound_in(end_after(client, question, 1)) == ["red-rope"]
    assert again.read_until(type="finished")[-1]["status"] == "success"


def test_a_command_that_asks_can_be_cancelled(client: Wire) -> None:
    question = asked(client)
    client.send({"type": "cancel", "id": "k", "command": question["command"]})
    finished = client.read_until(type="finished")[-1]
    assert (finished["status"], finished["code"]) == ("cancelled", "CANCELLED")
    answer(client, question, 1)
    assert client.read()["code"] == "UNKNOWN_QUESTION"


def test_a_new_command_of_the_session_sets_the_question_aside(client: Wire) -> None:
    question = asked(client)
    events = client.run(new_name(), text="look", session=question["command"])
    old = next(event for event in events if event["type"] == "finished")
    assert (old["command"], old["status"]) == (question["command"], "failed")
    assert old["code"] == "AMBIGUOUS_TARGET"
    assert question["message"] in old["message"]
    assert events[-1]["status"] == "success"
    answer(client, question, 1)
    assert client.read()["code"] == "UNKNOWN_QUESTION"


def test_a_command_that_waited_before_the_question_came_is_not_held_up_by_it(
    client: Wire,
) -> None:
    first, second = new_name(), new_name()
    for name, text in ((first, "examine rope"), (second, "look")):
        client.submit(name, text=text, session=first)
    client.read_until(type="accepted", command=second)
    finished = client.read_until(type="finished", command=second)[-1]
    assert finished["status"] == "success"


def test_a_command_of_another_session_leaves_the_question_open(client: Wire) -> None:
    question = asked(client)
    client.run(new_name(), text="look", session=new_name())
    assert open_questions(client, question["command"]) == [question["question"]]
    assert bound_in(end_after(client, question, 1)) == ["red-rope"]


def test_what_depends_on_a_question_that_was_set_aside_is_skipped(client: Wire) -> None:
    question = asked(client, "examine the rope and then examine the lamp")
    events = client.run(new_name(), text="look", session=question["command"])
    old = next(event for event in events if event["type"] == "finished")
    assert [result["code"] for result in old["results"]] == ["AMBIGUOUS_TARGET", "PARENT_FAILED"]


def test_a_daemon_that_stops_ends_what_asks(tmp_path: Path) -> None:
    with running_daemon(tmp_path, arguments=("--world", str(bundle_in(tmp_path)))) as daemon:
        client = daemon.connect()
        asked(client)
        daemon.process.send_signal(signal.SIGTERM)
        finished = client.read_until(type="finished")[-1]
        assert (finished["status"], finished["code"]) == ("cancelled", "SHUTTING_DOWN")
        assert daemon.stop() == 0


async def test_a_question_expires(tmp_path: Path) -> None:
    async with stage(tmp_path) as playing:
        heard, question = await playing.question("take rope")
        await playing.tick(TICKS_OF_A_QUESTION)
        finished = await heard.finished()
        assert (finished.status, finished.code) == ("failed", Code.AMBIGUOUS_TARGET)
        assert question.message in (finished.message or "")
        late = await playing.answer(question, 1)
        assert isinstance(late, TurnedAway)
        assert late.error.code is Code.UNKNOWN_QUESTION
        assert await playing.held() == []


async def test_a_question_does_not_expire_early(tmp_path: Path) -> None:
    async with stage(tmp_path) as playing:
        heard, question = await playing.question("take rope")
        await playing.tick(TICKS_OF_A_QUESTION // 2)
        assert isinstance(await playing.answer(question, 1), Known)
        assert (await heard.finished()).status == "success"
        assert await playing.held() == ["red-rope"]


async def test_the_time_of_a_question_does_not_count_against_the_command(tmp_path: Path) -> None:
    async with stage(tmp_path) as playing:
        heard, question = await playing.question("take rope")
        await playing.tick(1, monotonic() + LONGER_THAN_A_COMMAND_MAY_TAKE)
        await playing.answer(question, 1)
        assert (await heard.finished()).status == "success"


async def test_a_thing_that_is_gone_when_it_is_chosen_is_stale(tmp_path: Path) -> None:
    async with stage(tmp_path) as playing:
        heard, question = await playing.question("take rope")
        for text in ("take the red rope", "down", "drop it", "up"):
            assert (await playing.end(text, "other")).status == "success"
        await playing.answer(question, 1)
        finished = await heard.finished()
        assert (finished.status, finished.code) == ("failed", Code.TARGET_STALE)
        assert heard.all(wire.Resolved) == []
        assert await playing.held() == []


async def test_a_thing_that_is_still_there_is_bound_though_another_went(tmp_path: Path) -> None:
    async with stage(tmp_path) as playing:
        heard, question = await playing.question("examine rope")
        for text in ("take the red rope", "down", "drop it", "up"):
            await playing.end(text, "other")
        await playing.answer(question, 2)
        assert (await heard.finished()).status == "success"
        assert [event.target for event in heard.all(wire.Resolved)] == ["blue-rope"]


async def test_two_roles_that_are_not_clear_are_two_questions(tmp_path: Path) -> None:
    async with stage(tmp_path) as playing:
        heard, first = await playing.question("tie the rope to the post")
        await playing.answer(first, "the blue one")
        second = await heard.first(wire.Question, role="indirect")
        assert second.question != first.question
        assert tuple(option.target.id for option in second.options) == POSTS
        again = await playing.answer(first, 1)
        assert isinstance(again, TurnedAway)
        assert again.error.code is Code.UNKNOWN_QUESTION
        await playing.answer(second, "tie the rope to the short post")
        finished = await heard.finished()
        assert finished.status == "success"
        bound = [(event.role, event.target) for event in heard.all(wire.Resolved)]
        assert bound == [("direct", "blue-rope"), ("indirect", "short-post")]


async def test_what_was_chosen_is_what_it_means_from_then_on(tmp_path: Path) -> None:
    async with stage(tmp_path) as playing:
        heard, question = await playing.question("take the rope and tie it to the tall post")
        await playing.answer(question, 2)
        assert (await heard.finished()).status == "success"
        bound = [event.target for event in heard.all(wire.Resolved)]
        assert bound == ["blue-rope", "blue-rope", "tall-post"]
        assert await playing.bound("drop it") == ["blue-rope"]


# At the command line


def test_a_question_that_nobody_is_there_to_answer_is_left_open(attic: Daemon) -> None:
    sent = attic.cli("send", "examine rope", "--id", "cli1", "--session", "cli1")
    assert sent.returncode == 3
    assert "1. red rope" in sent.stdout
    assert "behest answer cli1:q1" in sent.stderr
    answered = attic.cli("answer", "cli1:q1", "the", "blue", "one")
    assert (answered.returncode, answered.stderr) == (0, "")
    again = attic.cli("answer", "cli1:q1", "1")
    assert again.returncode == 1
    assert "UNKNOWN_QUESTION" in again.stdout + again.stderr


def test_json_ends_with_the_question_that_is_left_open(attic: Daemon) -> None:
    sent = attic.cli("send", "--json", "examine rope", "--id", "cli2", "--session", "cli2")
    assert sent.returncode == 3
    assert json.loads(sent.stdout.splitlines()[-1])["question"] == "cli2:q1"


@pytest.mark.parametrize("choice", ["9", "the yellow one"])
def test_an_answer_that_does_not_answer_leaves_the_question_open(
    attic: Daemon, client: Wire, choice: str
) -> None:
    question = asked(client)
    answered = attic.cli("answer", question["question"], choice)
    assert answered.returncode == 3
    assert open_questions(client, question["command"]) == [question["question"]]


def test_a_person_is_asked_until_the_answer_fits(attic: Daemon) -> None:
    shown, code = at_a_terminal(
        attic, ("send", "examine rope", "--session", "cli3"), "9", "the yellow one", "2"
    )
    assert shown.count("which one") == 3
    assert code == 0


def at_a_terminal(daemon: Daemon, arguments: tuple[str, ...], *typed: str) -> tuple[str, int]:
    """Run the command line at a terminal of its own; type a line whenever it asks."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, str(PROJECT / "run.py"), *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**daemon.environment, "BEHEST_SOCKET": str(daemon.socket)},
    )
    os.close(theirs)
    shown, lines = "", list(typed)
    with open(ours, "r+b", buffering=0) as terminal, suppress(OSError):  # EIO: it has ended
        while data := terminal.read(4096):
            shown += data.decode(errors="replace")
            if lines and shown.count("which one") > len(typed) - len(lines):
                terminal.write(f"{lines.pop(0)}\n".encode())
    return shown, process.wait(PATIENCE)


# Planning only


@pytest.mark.parametrize("text", ["take rope", "tie the rope to the post", "take all"])
async def test_a_plan_never_asks_and_changes_nothing(tmp_path: Path, text: str) -> None:
    async with stage(tmp_path) as playing:
        before = await playing.world()
        heard = await playing.say("c1", text, mode="plan")
        finished = await heard.finished()
        assert [result.status for result in finished.results] == ["planned"]
        assert heard.all(wire.Question) == []
        assert heard.all(wire.Resolved) == []
        assert await playing.world() == before


async def test_a_plan_is_not_what_it_means_afterwards(tmp_path: Path) -> None:
    async with stage(tmp_path) as playing:
        await playing.bound("examine the lamp")
        await playing.end("take the red rope", mode="plan")
        assert await playing.bound("take it") == ["lamp"]


# Sets


SETS = {
    "take all": (*ROPES, *COINS, "lamp"),
    "take everything": (*ROPES, *COINS, "lamp"),
    "take the coins": COINS,
    "take all coins": COINS,
    "take three coins": COINS,
    "take both ropes": ROPES,
    "take all except the ropes": (*COINS, "lamp"),
    "take everything except the lamp and the coins": ROPES,
    "take the lamp and the red rope": ("red-rope", "lamp"),
}


@pytest.mark.parametrize(("text", "members"), SETS.items(), ids=SETS)
async def test_a_set_is_done_to_each_of_its_members(
    tmp_path: Path, text: str, members: tuple[str, ...]
) -> None:
    async with stage(tmp_path) as playing:
        assert sorted(await playing.bound(text)) == sorted(members)
        assert sorted(await playing.held()) == sorted(members)


async def test_a_set_is_one_goal_with_an_action_and_an_output_for_each_member(
    tmp_path: Path,
) -> None:
    async with stage(tmp_path) as playing:
        heard = await playing.say("c1", "take both ropes")
        finished = await heard.finished()
        started = [event.action for event in heard.all(wire.ActionStarted)]
        ended = [event.action for event in heard.all(wire.ActionFinished)]
        assert started == ["g0_take_1.1", "g0_take_1.2"]
        assert ended == [*started, "g0_take_1"]
        (result,) = finished.results
        assert (result.status, result.verified) == ("success", True)
        assert isinstance(result.output, list | tuple)
        assert len(result.output) == 2


async def test_both_things_that_were_taken_are_dropped(tmp_path: Path) -> None:
    async with stage(tmp_path) as playing:
        await playing.bound("take all")
        assert await playing.bound("drop both ropes") == list(ROPES)
        assert await playing.bound("drop all except the lamp") == list(COINS)
        assert await playing.held() == ["lamp"]


@pytest.mark.parametrize(
    "text", ["take the ropes and the tall post", "take the tall post and all coins"]
)
async def test_one_member_that_cannot_be_done_means_that_nothing_happens(
    tmp_path: Path, text: str
) -> None:
    async with stage(tmp_path) as playing:
        before = await playing.world()
        heard = await playing.say("c1", text)
        finished = await heard.finished()
        assert (finished.status, finished.code) == ("failed", Code.NOT_FEASIBLE)
        assert "post" in (finished.message or "")
        assert heard.all(wire.ActionStarted) == []
        assert await playing.world() == before


async def test_a_member_that_fails_midway_ends_the_set_and_it_is_said_how_many_were_done(
    tmp_path: Path,
) -> None:
    async with stage(tmp_path) as playing:
        heard = await playing.say("c1", "nudge the coins")
        finished = await heard.finished()
        assert finished.status != "success"
        assert finished.code is Code.NOT_FEASIBLE
        assert "sneeze" in (finished.message or "")
        assert "1 of 3 were done" in (finished.message or "")
        started = [event.action for event in heard.all(wire.ActionStarted)]
        assert started == ["g0_nudge_1.1", "g0_nudge_1.2"]


async def test_a_set_that_was_done_in_part_is_partial(tmp_path: Path) -> None:
    async with stage(tmp_path) as playing:
        finished = await playing.end("nudge the coins")
        assert (finished.status, finished.results[0].status) == ("partial", "partial")


async def test_a_set_for_a_verb_without_sets_is_asked_about(tmp_path: Path) -> None:
    async with stage(tmp_path) as playing:
        heard = await playing.say("c1", "light both ropes")
        question = await heard.first(wire.Question)
        assert tuple(option.target.id for option in question.options) == ROPES
        await playing.answer(question, 1)
        assert (await heard.finished()).status == "success"
        assert [event.target for event in heard.all(wire.Resolved)] == ["red-rope"]


UNCLEAR_IN_PART = {
    "take the lamp and the rope": ["lamp", "red-rope"],
    "take the rope and the lamp": ["lamp", "red-rope"],
    "take the rope, the lamp and the coin": ["coin-1", "lamp", "red-rope"],
    "take two coins": ["coin-1", "coin-2"],
}


@pytest.mark.parametrize(("text", "wanted"), UNCLEAR_IN_PART.items(), ids=UNCLEAR_IN_PART)
async def test_a_set_of_which_a_part_is_not_clear_is_never_done_in_part_and_called_a_success(
    tmp_path: Path, text: str, wanted: list[str]
) -> None:
    async with stage(tmp_path) as playing:
        heard = await playing.say("c1", text)
        finished = await playing.answering_all(heard)
        expected = wanted if finished.status == "success" else []
        assert sorted(await playing.held()) == expected


GOLD = tuple(Thing(name, "coin") for name in COINS)
TAKE_COINS = GoalDraft("world", "take", roles={"direct": "coins"})


def hands(act: Act) -> FakeTool:
    return FakeTool("world_take", act, "world", "hands")


def then(first: int, rest: Act) -> Act:
    """Succeed so many times; then do something else."""
    calls = count(1)

    async def act(args: Args) -> Outcome:
        return await (succeed if next(calls) <= first else rest)(args)

    return act


async def test_a_set_is_cancelled_in_its_middle() -> None:
    gate = Gate()
    tool = hands(then(1, gate))
    async with house(tool, scenes={"world": in_a_room(*GOLD)}) as actors:
        heard = await actors.submit("c1", TAKE_COINS)
        await gate.somebody()
        await actors.cancel("c1")
        finished = await heard.finished()
    assert (finished.status, finished.code) == ("cancelled", Code.CANCELLED)
    assert [call["direct"] for call in tool.calls] == list(COINS[:2])
    ended = [(event.action, event.status) for event in heard.all(wire.ActionFinished)]
    assert ended == [
        ("g0_take_1.1", "success"),
        ("g0_take_1.2", "cancelled"),
        ("g0_take_1", "cancelled"),
    ]
    assert "1 of 3 were done" in str(heard.all(wire.ActionFinished)[-1].message)


async def test_the_members_of_a_set_are_done_one_after_another() -> None:
    gate = Gate()
    tool = hands(gate)
    async with house(tool, scenes={"world": in_a_room(*GOLD)}) as actors:
        heard = await actors.submit("c1", TAKE_COINS)
        await gate.somebody()
        answer = await actors.orchestrator.ask(Report(wire.Status("s", "c1")))
        assert isinstance(answer, Known)
        assert gate.arrived == 1
        gate.open()
        assert (await heard.finished()).status == "success"
    assert [call["direct"] for call in tool.calls] == list(COINS)


@pytest.mark.parametrize("done", [0, 1, 2])
async def test_what_fails_in_a_set_is_counted(done: int) -> None:
    tool = hands(then(done, fail))
    async with house(tool, scenes={"world": in_a_room(*GOLD)}) as actors:
        finished = await (await actors.submit("c1", TAKE_COINS)).finished()
    assert finished.code is Code.IO_FAILED
    assert f"{done} of 3 were done" in (finished.message or "")
    assert len(tool.calls) == done + 1


async def test_what_waits_for_a_set_starts_after_all_of_it() -> None:
    tool = hands(succeed)
    look = FakeTool("world_look", succeed, "world", "eyes")
    goals = TAKE_COINS, GoalDraft("world", "look", scope="after:g0")
    async with house(tool, look, scenes={"world": in_a_room(*GOLD)}) as actors:
        heard = await actors.run("c1", *goals)
    started = [event.action for event in heard.all(wire.ActionStarted)]
    assert started == ["g0_take_1.1", "g0_take_1.2", "g0_take_1.3", "g1_look_1"]


async def test_what_waits_for_a_set_that_failed_is_skipped() -> None:
    refusal = Refused(Code.NOT_FEASIBLE, "too heavy")
    look = FakeTool("world_look", succeed, "world", "eyes")
    goals = TAKE_COINS, GoalDraft("world", "look", scope="after:g0")
    tool = hands(in_turn(Done(), refusal))
    async with house(tool, look, scenes={"world": in_a_room(*GOLD)}) as actors:
        finished = await (await actors.submit("c1", *goals)).finished()
    assert finished.results[1].code is Code.PARENT_FAILED
    assert look.calls == []


# Pronouns


async def test_it_is_what_the_session_spoke_of_last(tmp_path: Path) -> None:
    async with stage(tmp_path) as playing:
        for text in ("take the lamp", "light it", "drop it"):
            assert await playing.bound(text) == ["lamp"]
        assert await playing.held() == []


async def test_them_is_the_set_the_session_spoke_of_last(tmp_path: Path) -> None:
    async with stage(tmp_path) as playing:
        assert await playing.bound("take both ropes") == list(ROPES)
        assert await playing.bound("drop them") == list(ROPES)
        assert await playing.held() == []


async def test_it_within_one_command_is_what_was_said_before(tmp_path: Path) -> None:
    async with stage(tmp_path) as playing:
        assert await playing.bound("take the lamp and light it") == ["lamp", "lamp"]
        assert await playing.bound("examine the red rope, take it and drop it") == ["red-rope"] * 3
        assert await playing.held() == ["lamp"]


async def test_it_is_another_thing_in_another_session(tmp_path: Path) -> None:
    async with stage(tmp_path) as playing:
        await playing.bound("examine the lamp", "one")
        await playing.bound("examine the red rope", "two")
        assert await playing.bound("take it", "one") == ["lamp"]
        assert await playing.bound("take it", "two") == ["red-rope"]


@pytest.mark.parametrize("text", ["take it", "take them"])
async def test_a_session_that_spoke_of_nothing_has_no_it(tmp_path: Path, text: str) -> None:
    async with stage(tmp_path) as playing:
        await playing.bound("examine both ropes", "other")
        await playing.bound("examine the lamp", "other")
        finished = await playing.end(text, "new")
        assert (finished.status, finished.code) == ("failed", Code.TARGET_NOT_FOUND)
        assert await playing.held() == []


async def test_it_that_is_out_of_reach_is_not_found(tmp_path: Path) -> None:
    async with stage(tmp_path) as playing:
        await playing.bound("examine the lamp")
        await playing.end("down")
        finished = await playing.end("take it")
        assert (finished.status, finished.code) == ("failed", Code.TARGET_NOT_FOUND)
        assert await playing.held() == []


async def test_a_command_that_is_not_understood_leaves_it_as_it_was(tmp_path: Path) -> None:
    async with stage(tmp_path) as playing:
        await playing.bound("examine the lamp")
        assert (await playing.end("frobnicate the rope")).status == "failed"
        assert await playing.bound("take it") == ["lamp"]


async def test_a_question_that_was_set_aside_leaves_it_as_it_was(tmp_path: Path) -> None:
    async with stage(tmp_path) as playing:
        await playing.bound("examine the lamp")
        await playing.question("take rope")
        assert await playing.bound("take it") == ["lamp"]


# Before anything happens


@pytest.mark.parametrize("words", ["put the note", "sing a song", "put the note under"])
def test_words_that_fit_no_form_are_refused_before_anything_happens(
    tmp_path: Path, words: str
) -> None:
    with running_daemon(tmp_path, arguments=("--world", "manor")) as daemon:
        client = daemon.connect()
        finished = client.run("c1", text=f"create a folder first and {words}")[-1]
        assert finished["status"] == "failed"
        assert finished["code"].startswith("FORM_")
        assert [result["status"] for result in finished["results"]] == [
            "skipped",
            "validation_failed",
        ]
        assert list(daemon.root.iterdir()) == []
