"""The Interpreter while it waits for a model: bounded, shared, and answered whatever happens."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio
import pytest
from structlog.testing import capture_logs

from actors.interpreter import Interpreter
from actors.interpreter.grammar import load_grammar
from actors.interpreter.model import Brief, ModelReader
from actors.interpreter.model.outcome import Mode
from actors.interpreter.model.request_queue import RequestQueue
from actors.mailbox import Mailbox, Unanswered
from actors.planner.tables import planner_rules, search_engines
from messages import interpreting
from messages.interpreting import Interpret, Interpretation, Interpreted, NotUnderstood
from messages.modelling import Answered, AskModel, ModelFailed
from tests.model_server import goal, goals, unsupported
from tests.running import running
from tools.secrets import Secrets

TABLE = planner_rules()
BRIEF = Brief.of(TABLE.rules, search_engines())
GRAMMAR = load_grammar(TABLE.rules, search_engines(), frozenset())
LAUNCH = Answered(goals(goal("app.launch", name="firefox")))


@dataclass
class FakeModel:
    """A model that answers when it is let; it remembers what it was asked."""

    then: Callable[[], Awaitable[Answered | ModelFailed]]
    name: str = "fake"
    asked: list[str] = field(default_factory=list)

    async def ask(self, request: AskModel) -> Answered | ModelFailed:
        self.asked.append(request.words)
        return await self.then()


async def launch() -> Answered:
    return LAUNCH


async def unsupported_by_all() -> Answered:
    return Answered(unsupported())


async def crash() -> Answered:
    raise RuntimeError("a defect")


async def never() -> Answered:
    await anyio.sleep_forever()
    raise AssertionError


def interpreter_with(model: FakeModel, mode: Mode = "auto", most: int = 64) -> Interpreter:
    queue = RequestQueue(ModelReader(model, BRIEF), mode, parallel=2, most=most)
    return Interpreter(GRAMMAR, TABLE.verbs(), Secrets(), queue)


def test_a_model_is_not_told_of_rules_that_no_words_mean() -> None:
    unspoken = [key for key, rule in TABLE.rules.items() if rule.unspoken]
    assert ("file", "untrash") in unspoken
    assert not BRIEF.table.rules.keys() & set(unspoken)
    for domain, verb in unspoken:
        assert f"{domain}.{verb}" not in BRIEF.instructions
        assert f'"{verb}"' not in BRIEF.schema


async def test_more_texts_than_may_wait_are_answered_at_once() -> None:
    model, gate = FakeModel(never), anyio.Event()

    async def held() -> Answered:
        await gate.wait()
        return LAUNCH

    model.then = held
    answers: list[Interpretation] = []
    async with running(interpreter_with(model, most=2)) as address:

        async def ask(text: str) -> None:
            answers.append(await address.ask(Interpret(text, text)))

        async with anyio.create_task_group() as tasks:
            for word in ("beam", "conjure"):
                tasks.start_soon(ask, f"{word} up firefox")
            await anyio.wait_all_tasks_blocked()
            refused = await address.ask(Interpret("c", "summon up firefox"))
            understood = await address.ask(Interpret("d", "mute the volume"))
            gate.set()
    assert isinstance(refused, NotUnderstood)
    assert "2 texts wait" in refused.message
    assert isinstance(understood, Interpreted)
    assert [type(answer) for answer in answers] == [Interpreted, Interpreted]
    assert len(model.asked) == 2


async def test_no_more_requests_run_at_once_than_are_allowed() -> None:
    model = FakeModel(never)
    async with running(interpreter_with(model)) as address:
        for number in range(5):
            await address.tell(Interpret("c", f"summon firefox {number}"))
        await anyio.wait_all_tasks_blocked()
        assert len(model.asked) == 2


async def test_a_model_that_crashes_ends_its_request_and_nothing_else() -> None:
    with capture_logs() as logs:
        async with running(interpreter_with(FakeModel(crash))) as address:
            refused = await address.ask(Interpret("c", "summon firefox"))
            understood = await address.ask(Interpret("d", "mute the volume"))
    assert isinstance(refused, NotUnderstood)
    assert "crashed" in refused.message
    assert isinstance(understood, Interpreted)
    assert [line["reason"] for line in logs if line["event"] == "model.failed"] == ["crashed"]


async def test_letters_that_wait_are_given_up_when_the_interpreter_ends() -> None:
    life = anyio.CancelScope()
    with Mailbox[interpreting.Inbox]() as mailbox:

        async def live() -> None:
            with life:
                await interpreter_with(FakeModel(never)).run(mailbox)

        async def ask() -> None:
            with pytest.raises(Unanswered):
                await mailbox.address.ask(Interpret("c", "summon firefox"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(live)
            tasks.start_soon(ask)
            await anyio.wait_all_tasks_blocked()
            life.cancel()


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Follow Sea Watch", True),
        ("lurk and create a folder lurk", True),
        ("use the Follow button", False),
        ("put the Blue bowl on the wish list", False),
        ("click Follow", False),
    ],
)
async def test_before_a_page_the_model_is_asked_about_what_the_grammar_has_no_row_for(
    text: str, *, asked: bool
) -> None:
    model = FakeModel(unsupported_by_all)
    async with running(interpreter_with(model)) as address:
        answer = await address.ask(Interpret("c", text, on_page=True))
    assert isinstance(answer, Interpreted)  # the page is looked at after the model
    assert bool(model.asked) == asked


async def test_the_grammar_holds_where_the_model_must_not_be_asked() -> None:
    model = FakeModel(launch)
    async with running(interpreter_with(model, "model")) as address:
        for text in ("don't open firefox", "if it rains open firefox", "open firefox every day"):
            refused = await address.ask(Interpret("c", text))
            assert isinstance(refused, NotUnderstood)
    assert model.asked == []
