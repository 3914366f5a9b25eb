"""A real model behind a real server: the way there, the schema and the checks hold. Not its wisdom.

The model has 135 million parameters. What it answers is of the form, because the server holds it to
the schema; whether that is what was meant is for the checks to find out.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from actors.interpreter.model import Brief
from actors.interpreter.model.answer import Goals, ModelAnswer
from actors.interpreter.model.schema import Rules
from actors.interpreter.model.validation import validate_answer
from actors.planner.tables import planner_rules, search_engines
from messages.modelling import Answered, AskModel
from tests.daemon import Daemon, running_daemon
from tests.test_doctor import doctor, line
from tools.model import LanguageModel
from tools.settings import ModelSettings

PATIENT = 120.0
SENTENCES = ["summon firefox", "make the volume fifty", "whip up a folder reports"]
MOST = 3
FEW = ("app.launch", "app.close", "audio.mute", "audio.set")


def rules(*names: str) -> Rules:
    """Give these rules, or all."""
    table = planner_rules().rules
    return {key: rule for key, rule in table.items() if not names or ".".join(key) in names}


def model_at(url: str) -> LanguageModel:
    return LanguageModel(ModelSettings(name="small", base_url=url, timeout=PATIENT))


async def answer(url: str, brief: Brief, text: str) -> Answered:
    """Ask the model; it must answer."""
    request = AskModel(brief.instructions, text, bounded(brief.schema))
    answered = await model_at(url).ask(request)
    assert isinstance(answered, Answered), answered
    return answered


def bounded(schema: str) -> str:
    """Bound the number of goals: a model this small goes on for ever if it is let."""
    whole = msgspec.json.decode(schema)
    choices = whole["properties"]["answer"]["anyOf"]
    choices[0]["properties"]["goals"] |= {"minItems": 1, "maxItems": MOST}
    return msgspec.json.encode(whole).decode()


def decoded(answered: Answered) -> ModelAnswer:
    return msgspec.json.decode(answered.text, type=ModelAnswer)


@pytest.mark.parametrize("text", SENTENCES)
async def test_what_it_answers_is_of_the_form(small_model: str, text: str) -> None:
    brief = Brief.of(rules(), search_engines())
    answered = await answer(small_model, brief, text)
    print(f"{text!r} -> {msgspec.json.encode(decoded(answered)).decode()}")
    assert 500 < answered.tokens_in < 4096
    assert answered.tokens_out > 0
    validate_answer(text, answered.text, brief.table)


# Through the daemon


@pytest.fixture
def daemon(tmp_path: Path, small_model: str) -> Iterator[Daemon]:
    settings = f'interpreter = "auto"\n[model]\nname = "small"\nbase_url = "{small_model}"\n'
    limits = f"timeout = {PATIENT}\nmax_tokens = 300\n"
    with running_daemon(tmp_path, settings=settings + limits) as running:
        yield running


def test_a_sentence_that_was_understood_costs_tokens_once(daemon: Daemon) -> None:
    wire = daemon.connect(2 * PATIENT)
    ends = [wire.run(name, text=SENTENCES[0])[-1] for name in ("a", "b")]
    assert ends[0]["message"] == ends[1]["message"]
    daemon.stop()
    answered = [each for each in daemon.log() if each["event"] == "model.answered"]
    print(f"{ends[0]['message']}: {answered}")
    understood = ends[0]["code"] != "NOT_UNDERSTOOD"
    assert any(each["cached"] for each in answered) == understood
    assert all(each["cached"] or each["tokens_in"] > 500 for each in answered)


def test_firefox_is_neither_opened_nor_closed(daemon: Daemon) -> None:
    for number, text in enumerate(["don't open firefox", "whistle, but do not open firefox"]):
        finished = daemon.connect(2 * PATIENT).run(f"c{number}", text=text)[-1]
        print(text, "->", finished["message"])
        assert finished["code"] == "NOT_UNDERSTOOD"


def test_doctor_finds_the_server(tmp_path: Path, small_model: str) -> None:
    config = tmp_path / "b.toml"
    settings = f'interpreter = "model"\n[model]\nname = "small"\nbase_url = "{small_model}"\n'
    config.write_text(settings)
    assert line(doctor(tmp_path, "--config", str(config)).stdout, "model small").startswith("ok")


# Where it must state goals


def only_goals(schema: str) -> str:
    """Leave out the way to say that nothing is supported, so that goals must be stated."""
    whole = msgspec.json.decode(schema)
    choices = whole["properties"]["answer"]["anyOf"]
    del choices[1:]
    return msgspec.json.encode(whole).decode()


async def test_the_goals_it_states_are_of_the_table(small_model: str) -> None:
    text = "make the volume fifty"
    brief = Brief.of(rules(*FEW), search_engines())
    answered = await answer(small_model, replace(brief, schema=only_goals(brief.schema)), text)
    stated = decoded(answered).answer
    print(f"{text!r} -> {answered.text}")
    assert isinstance(stated, Goals)
    for goal in stated.goals:
        rule = brief.table.rules.get(goal.key())
        assert goal.unlisted or (rule is not None and goal.name() in FEW)
        assert rule is None or set(goal.params) <= set(rule.params)
    print(f"  judged: {validate_answer(text, answered.text, brief.table)}")
