"""The model as a tool: a real SDK and real sockets, and every way in which a server can fail."""

import json
import math
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic

import anyio
import anyio.from_thread
import pytest

from messages.modelling import Answered, AskModel, Correction, ModelFailed
from tests.daemon import PROJECT
from tests.model_server import (
    Handler,
    Held,
    Reply,
    ScriptedServer,
    break_off,
    completion,
    endless,
    hang_up,
    model_server,
    raw,
    says,
    status,
)
from tools.model import LanguageModel, load_sdk
from tools.settings import ModelSettings, Secret

REQUEST = AskModel("the table", "open firefox", '{"type": "object"}')
KEY = "sk-not-to-be-seen"


def model_at(url: str, **settings: object) -> LanguageModel:
    fields = {"name": "m", "base_url": url, "timeout": 20.0, **settings}
    return LanguageModel(ModelSettings(**fields), Secret(KEY))  # type: ignore[arg-type]  # of tests


@asynccontextmanager
async def asked(
    *script: Reply, **settings: object
) -> AsyncIterator[tuple[ScriptedServer, Answered | ModelFailed]]:
    """Ask a scripted server once."""
    with model_server(*script) as server:
        yield server, await model_at(server.url, **settings).ask(REQUEST)


# What is sent


async def test_the_instructions_the_words_and_the_schema_are_all_that_is_sent() -> None:
    async with asked(says("{}")) as (server, _):
        (received,) = server.received
    assert received.path == "/v1/chat/completions"
    assert received.contents() == ["the table", "open firefox"]
    form = received.body["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["strict"] is True
    assert form["json_schema"]["schema"] == {"type": "object"}
    assert received.body["temperature"] == 0
    assert received.body["model"] == "m"
    assert set(received.body) == {
        "model",
        "messages",
        "max_completion_tokens",
        "response_format",
        "temperature",
    }


async def test_the_key_is_in_the_header_and_nowhere_else() -> None:
    async with asked(says("{}")) as (server, _):
        (received,) = server.received
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in received.raw.decode()
    assert KEY not in repr(model_at(server.url))


async def test_without_a_key_none_is_sent() -> None:
    with model_server(says("{}")) as server:
        settings = ModelSettings(name="m", base_url=server.url)
        answer = await LanguageModel(settings, None).ask(REQUEST)
        (received,) = server.received
    assert isinstance(answer, Answered)
    assert "authorization" not in received.headers


async def test_a_correction_tells_the_model_its_own_answer_and_the_reason() -> None:
    request = AskModel("t", "w", "{}", Correction("{bad}", "'x' is not in the words"))
    with model_server(says("{}")) as server:
        await model_at(server.url).ask(request)
        (received,) = server.received
    roles = [message["role"] for message in received.body["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert received.contents()[2] == "{bad}"
    assert "'x' is not in the words" in received.contents()[3]


def refuses(field: str) -> Reply:
    """Refuse a request that has this field, as servers do; answer one that has it not."""
    problem = {"message": f"Unsupported parameter: '{field}'", "param": field}

    def reply(handler: Handler) -> None:
        if field in handler.server.received[-1].body:
            handler.send(400, json.dumps({"error": problem}).encode())
        else:
            handler.send(200, completion("{}"))

    return reply


async def test_a_server_that_refuses_a_temperature_is_sent_none_from_then_on() -> None:
    with model_server(refuses("temperature")) as server:
        model = model_at(server.url)
        assert isinstance(await model.ask(REQUEST), Answered)
        assert isinstance(await model.ask(REQUEST), Answered)
        sent = ["temperature" in received.body for received in server.received]
    assert sent == [True, False, False]


async def test_a_server_of_the_older_protocol_is_told_the_limit_in_its_own_word() -> None:
    with model_server(refuses("max_completion_tokens")) as server:
        assert isinstance(await model_at(server.url, max_tokens=77).ask(REQUEST), Answered)
        last = server.received[-1].body
    assert last["max_tokens"] == 77
    assert "max_completion_tokens" not in last


async def test_a_bad_request_that_names_no_field_is_not_sent_again() -> None:
    async with asked(status(400, b'{"error": {"message": "no such model"}}')) as (server, answer):
        assert isinstance(answer, ModelFailed)
        assert len(server.received) == 1


async def test_a_server_that_always_blames_a_field_is_not_asked_without_end() -> None:
    blame = b'{"error": {"message": "temperature and max_completion_tokens are wrong"}}'
    async with asked(status(400, blame)) as (server, answer):
        assert isinstance(answer, ModelFailed)
        assert answer.reason == "bad_status"
        assert len(server.received) == 3


async def test_the_token_limit_is_a_setting() -> None:
    async with asked(says("{}"), max_tokens=321) as (server, _):
        assert server.received[0].body["max_completion_tokens"] == 321


async def test_an_answer_that_was_cut_off_names_the_limit() -> None:
    async with asked(says("{", "length"), max_tokens=321) as (_, answer):
        assert isinstance(answer, ModelFailed)
        assert "max_tokens = 321" in answer.message


@pytest.mark.parametrize("tokens", [0, -1, 1_000_001])
def test_a_token_limit_that_is_none_is_refused(tokens: int) -> None:
    with pytest.raises(ValueError, match="max_tokens"):
        ModelSettings(name="m", max_tokens=tokens)


async def test_loading_the_sdk_does_not_count_into_the_time_out() -> None:
    deadlines = []

    async def deadline() -> float:
        return anyio.current_effective_deadline()

    def load() -> object:
        deadlines.append(anyio.from_thread.run(deadline))
        return load_sdk()

    with model_server(says("{}")) as server:
        settings = ModelSettings(name="m", base_url=server.url)
        model = LanguageModel(settings, load=load)
        assert isinstance(await model.ask(REQUEST), Answered)
        assert (await model.probe()).fine
    assert deadlines == [math.inf, math.inf]


async def test_temperature_can_be_left_to_the_model() -> None:
    async with asked(says("{}"), temperature="default") as (server, _):
        assert "temperature" not in server.received[0].body


# What comes back


async def test_an_answer_comes_with_its_tokens_and_their_cost() -> None:
    async with asked(says("{}"), price_in=2.0, price_out=10.0) as (_, answer):
        assert answer == Answered("{}", 1000, 20, 0.0022)


async def test_without_prices_there_is_no_cost() -> None:
    async with asked(says("{}")) as (_, answer):
        assert answer == Answered("{}", 1000, 20, None)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (status(400), "bad_status"),
        (status(401), "bad_status"),
        (status(404), "bad_status"),
        (status(500), "bad_status"),
        (status(503), "bad_status"),
        (status(307, location="http://127.0.0.1:9/v1/chat/completions"), "bad_status"),
        (status(429), "rate_limited"),
        (hang_up, "unreachable"),
        (break_off, "unreachable"),
        (endless, "bad_answer"),
        (says("{", "length"), "truncated"),
        (says(None, refusal="I will not"), "refused"),
        (says("x", "content_filter"), "refused"),
        (says(""), "bad_answer"),
        (says(None), "bad_answer"),
        (raw(b""), "bad_answer"),
        (raw(b"<html>a proxy</html>"), "bad_answer"),
        (raw(b"{}"), "bad_answer"),
        (raw(b'{"choices": []}'), "bad_answer"),
        (raw(b'{"choices": null}'), "bad_answer"),
        (raw(b'{"choices": [{"message": "lies"}]}'), "bad_answer"),
        (raw(b'{"choices": [{"message": {"content": 5}}]}'), "bad_answer"),
        (raw(completion("{}").replace(b"1000", b'"many"')), "bad_answer"),
        (raw(b"\xff\xfe"), "bad_answer"),
    ],
)
async def test_whatever_goes_wrong_has_a_name(reply: Reply, reason: str) -> None:
    async with asked(reply) as (_, answer):
        assert isinstance(answer, ModelFailed)
        assert answer.reason == reason


async def test_a_server_that_never_answers_is_left_in_time() -> None:
    held, began = Held(), monotonic()
    with model_server(held) as server:
        answer = await model_at(server.url, timeout=1.5).ask(REQUEST)
        held.release()
    assert isinstance(answer, ModelFailed)
    assert answer.reason == "timed_out"
    assert monotonic() - began < 10


async def test_nobody_at_the_address_is_said_at_once() -> None:
    with model_server(says("{}")) as server:
        url = server.url
    answer = await model_at(url).ask(REQUEST)
    assert isinstance(answer, ModelFailed)
    assert answer.reason == "unreachable"
    assert url in answer.message


async def test_a_passing_error_is_asked_once_more() -> None:
    async with asked(status(500), says("{}")) as (server, answer):
        assert isinstance(answer, Answered)
        assert len(server.received) == 2


async def test_a_lasting_error_is_asked_twice_and_no_more() -> None:
    async with asked(status(500)) as (server, _):
        assert len(server.received) == 2


async def test_a_limit_is_not_pressed_and_says_how_long_to_wait() -> None:
    async with asked(status(429, retry_after="70")) as (server, answer):
        assert isinstance(answer, ModelFailed)
        assert answer.retry_after == 70
        assert "70 s" in answer.message
        assert len(server.received) == 1


async def test_a_redirection_is_not_followed() -> None:
    with model_server(says("{}")) as elsewhere:
        async with asked(status(307, location=f"{elsewhere.url}/chat/completions")) as (_, answer):
            assert isinstance(answer, ModelFailed)
        assert elsewhere.received == []


async def test_what_a_server_says_of_the_key_is_not_passed_on() -> None:
    echo = json.dumps({"error": {"message": f"Incorrect key {KEY}"}}).encode()
    async with asked(status(401, echo)) as (_, answer):
        assert isinstance(answer, ModelFailed)
        assert KEY not in answer.message


def test_the_sdk_is_loaded_by_nobody_who_does_not_ask() -> None:
    code = "import sys, tools.model, tools.doctor, run; sys.exit('openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=PROJECT, check=False).returncode == 0
